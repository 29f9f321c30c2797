"""What an observed run says about the places of a program: the words that both processes use. Standard library only."""

from __future__ import annotations

from enum import IntFlag
from typing import Any, NamedTuple


class Seen(IntFlag):
    """What happened at one place, all its executions taken together."""

    RAN = 1  #: the place was executed
    ARRAY = 2  #: the value is an ndarray
    SCALAR = 4  #: the value is a NumPy scalar
    HOLDS = 8  #: the value is a list, tuple or dict with an ndarray in it
    SUBCLASS = 16  #: the value is an instance of a subclass of ndarray
    NUMPY = 32  #: call: of something in NumPy's namespace, or of a method of an array
    TOOK = 64  #: call: an array was among the receiver and the arguments
    WROTE = 128  #: an array was written here: a store, an in-place operator, a call that changed one of its arguments
    REBOUND = 256  #: in-place operator: on something that is no array, so that nothing was written
    SHARED = 512  #: that array (a result: it) is not an object that the function got, but shares memory with one
    STALE = 1024  #: read: of an array whose memory the same function wrote through another array since it was made
    FOREIGN = 4096  #: the value's dtype is objects, text, fields, dates, or extended precision
    MADE_FOREIGN = 2048  #: call: such an array came out, and none went in
    MADE_FORTRAN = 8192  #: call: a fresh array in Fortran order came out, and none went in
    ORDER = 16384  #: call: of NumPy, asking for an order of memory that is not C's
    NUMBER = 32768  #: call: a NumPy number was among the arguments


class Place(NamedTuple):
    """A node of the program's tree. Lines and columns are 1-based, columns count characters, ends are exclusive."""

    kind: str  #: name, attribute, subscript, call, operation, store, inplace, assign, iterated, result
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def start(self) -> tuple[int, int]:
        return (self.line, self.column)

    @property
    def end(self) -> tuple[int, int]:
        return (self.end_line, self.end_column)


class Sight(NamedTuple):
    """A place that was executed, and all that was seen there."""

    place: Place
    seen: Seen
    names: tuple[str, ...] = ()  #: of what was called there: ``numpy.sum``, ``ndarray.sum``
    readers: tuple[Place, ...] = ()  #: of a write: where the function then read another array of the same memory

    @classmethod
    def load(cls, row: list[Any]) -> Sight:
        """What ``dump`` gave, after its way through JSON."""
        return cls(Place(*row[:5]), Seen(row[5]), tuple(row[6]), tuple(Place(*place) for place in row[7]))

    def dump(self) -> list[Any]:
        return [*self.place, int(self.seen), list(self.names), list(map(list, self.readers))]
