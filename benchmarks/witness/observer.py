"""What instrumented code calls: keeps, for each place, what was seen there. It asks NumPy itself, and no np2tnp."""

from __future__ import annotations

import contextlib
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from witness.instrument import Texts
from witness.names import find_name
from witness.places import Seen, Sight

#: Arrays above this size are not compared with what they were before a call.
LARGEST = 1 << 22
_DEPTH, _ITEMS = 2, 64
_ALONE = 2  #: references to memory that only one view shows: the view's, and the question's
_WRITES = 4000  #: pieces of memory whose writes are remembered
_PLAIN = frozenset(
    {int, float, complex, bool, str, bytes, type(None), type, slice, range, np.ufunc}
    | {types.ModuleType, types.FunctionType, types.BuiltinFunctionType}
)
_HASHABLE = (type, types.BuiltinFunctionType)
_READ_ONLY = frozenset((len, isinstance, issubclass, type, range, float, int, str, repr, id, hasattr, bool, slice))
_ORDERS = ("F", "A", "K")
_ABOUT_ORDER = frozenset(("numpy.asfortranarray", "numpy.isfortran", "numpy.require"))
RAN, ARRAY, SCALAR, WROTE = int(Seen.RAN), int(Seen.ARRAY), int(Seen.SCALAR), int(Seen.WROTE)


class Write:
    """The latest write to a piece of memory through one array."""

    __slots__ = ("moment", "number", "through")

    def __init__(self, moment: int, number: int, through: np.ndarray) -> None:
        self.moment, self.number, self.through = moment, number, weakref.ref(through)


class Observer:
    """Keeps what was seen, by the number of the place."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.seen: dict[int, int] = {}
        self.names: dict[int, set[str]] = {}
        self.moment = 0
        #: writes, by the id of the memory's owner, and by that of the array that they went through
        self.writes: dict[int, dict[int, Write]] = {}
        #: memory that calls changed: their places, and what will have been seen there once somebody looks at it again
        self.pending: dict[int, dict[int, int]] = {}
        #: places of writes -> places where the same function then read another array of the same memory
        self.readers: dict[int, set[int]] = {}
        #: arrays that were seen: when for the first time
        self.born: dict[int, tuple[weakref.ref[Any], int]] = {}
        #: frames of functions: their code, the ids of the arrays that came in, and of their memory
        self.entered: dict[int, tuple[types.CodeType, frozenset[int], frozenset[int]]] = {}
        self.targets: list[Any] = []
        #: how many references an array has during a call when nobody but the call knows it; by how it comes back
        self.unnamed: dict[str, int] = {}
        self.call(0, _add_one, np.zeros(1))
        self.call(0, _add_one_and_return, np.zeros(1))
        self.call(0, _add_one_and_return_view, np.zeros(1))

    # --- what instrumented code calls ---

    def see(self, number: int, value: Any) -> Any:
        kind = type(value)
        self.seen[number] = self.seen.get(number, 0) | (RAN if kind in _PLAIN else self.look(value))
        return value

    def read(self, number: int, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            self.seen[number] = self.seen.get(number, 0) | RAN
            return value
        self.seen[number] = self.seen.get(number, 0) | self.look(value)
        if kind is np.ndarray:
            for place, seen in self.pending.pop(id(owner_of(value)), {}).items():
                self.seen[place] |= seen
            self._find_stale(number, value)
        return value

    def store(self, number: int, base: Any) -> Any:
        seen = RAN | int(self.look(base))
        if isinstance(base, np.ndarray):
            seen |= self._write(number, base)
        self.seen[number] = self.seen.get(number, 0) | seen
        return base

    def assign(self, number: int, base: Any) -> Any:
        return self.store(number, base)

    def inplace(self, number: int, value: Any) -> None:
        if isinstance(value, np.ndarray):
            self.store(number, value)
        else:
            self.seen[number] = self.seen.get(number, 0) | self.look(value) | int(Seen.REBOUND)

    def inplace_attribute(self, number: int, base: Any, name: str) -> Any:
        if isinstance(base, np.ndarray):
            self.store(number, base)
        else:
            self.inplace(number, getattr(base, "__dict__", {}).get(name))
        return base

    def inside(self, number: int, base: Any) -> Any:
        self.targets = [base]
        if isinstance(base, np.ndarray):
            self.store(number, base)
        else:
            self.seen[number] = self.seen.get(number, 0) | RAN
        return base

    def key(self, number: int, key: Any) -> Any:
        base = self.targets.pop() if self.targets else None
        if type(base) in (list, dict):
            with contextlib.suppress(LookupError, TypeError):  # the program gets its own exception
                self.inplace(number, base[key])
        return key

    def enter(self, number: int, got: tuple[Any, ...]) -> None:
        arrays = {id(array): array for array in reachable(got)}
        for item in got:
            held = getattr(item, "__dict__", None)
            if type(held) is dict and not isinstance(item, (type, types.ModuleType, types.FunctionType)):
                arrays.update((id(array), array) for array in reachable(tuple(held.values())))
        frame = sys._getframe(1)
        memory = frozenset(id(owner_of(array)) for array in arrays.values())
        self.entered[id(frame)] = (frame.f_code, frozenset(arrays), memory)

    def leave(self, number: int, result: Any) -> Any:
        seen = RAN | self.look(result)
        entered = self._activation()
        if entered is not None:
            _, arrays, memory = entered
            found = {id(array): array for array in reachable(result)}
            owners = [id(owner_of(array)) for array in found.values()]
            if len(set(owners)) < len(owners) or any(
                id(array) not in arrays and id(owner_of(array)) in memory for array in found.values()
            ):
                seen |= Seen.SHARED
        self.seen[number] = self.seen.get(number, 0) | int(seen)
        return result

    def call(self, number: int, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if function.__class__ in _HASHABLE and function in _READ_ONLY:
            self.seen[number] = self.seen.get(number, 0) | RAN
            return function(*args, **kwargs)
        receiver = getattr(function, "__self__", None)
        arrays = list(
            reachable((receiver, args, kwargs) if isinstance(receiver, (np.ndarray, list, dict)) else (args, kwargs))
        )
        seen, name = RAN, find_name(function)
        if name is not None:
            seen |= Seen.NUMPY
            if name in _ABOUT_ORDER or any(
                type(item) is str and item in _ORDERS for item in (kwargs.get("order"), *args)
            ):
                seen |= Seen.ORDER
            self.names.setdefault(number, set()).add(name)
        if arrays:
            seen |= Seen.TOOK
        if any(isinstance(item, np.generic) for item in args):
            seen |= Seen.NUMBER
        # Even a call that raises was one, and one that never comes back was started.
        self.seen[number] = self.seen.get(number, 0) | seen
        before = [(array, state_of(array)) for array in arrays if array.nbytes <= LARGEST]
        result: Any = None
        try:
            result = function(*args, **kwargs)
        finally:
            for array, state in before:
                if state_of(array) != state:
                    seen |= self._changed(number, array, result, array is receiver)
            self.seen[number] |= int(seen)
        found = self.look(result)
        if found & ARRAY:
            seen |= self._made(result, arrays, result.dtype == object and holds_objects(args))
        self.seen[number] |= int(found) | int(seen)
        return result

    # --- looking ---

    def look(self, value: Any) -> int:
        """What the value is, and remembers when an array was first seen."""
        kind = type(value)
        seen = RAN
        if kind is np.ndarray or isinstance(value, np.ndarray):
            seen |= ARRAY
            if kind is not np.ndarray:
                seen |= Seen.SUBCLASS
            if is_foreign(value.dtype):
                seen |= Seen.FOREIGN
            self._remember(value)
        elif isinstance(value, np.generic):
            seen |= SCALAR
            if is_foreign(value.dtype):
                seen |= Seen.FOREIGN
        elif kind in (list, tuple, dict) and next(iter(reachable((value,))), None) is not None:
            seen |= Seen.HOLDS
        return int(seen)

    def _made(self, result: np.ndarray, arrays: list[np.ndarray], objects: bool) -> int:
        seen = 0
        if is_foreign(result.dtype) and not any(is_foreign(array.dtype) for array in arrays) and not objects:
            seen |= Seen.MADE_FOREIGN
        if is_fortran(result) and not any(is_fortran(array) or np.may_share_memory(array, result) for array in arrays):
            seen |= Seen.MADE_FORTRAN
        return seen

    def _remember(self, array: np.ndarray) -> int:
        """The moment at which this array was first seen."""
        known = self.born.get(id(array))
        if known is not None and known[0]() is array:
            return known[1]
        self.born[id(array)] = (weakref.ref(array), self.moment)
        self.pending.pop(id(array), None)  # they were another's that is gone
        self.writes.pop(id(array), None)
        return self.moment

    # --- writes, and who sees them ---

    def _changed(self, number: int, array: np.ndarray, result: Any, is_receiver: bool) -> int:
        """A call changed this array. What was made for the call alone is changed unseen, if it is no view."""
        references = sys.getrefcount(array) - is_receiver
        back = "itself" if result is array else "a view" if getattr(result, "base", None) is array else ""
        if references > self.unnamed.setdefault(back, references):
            written = self._write(number, array)
            owner, entered = id(owner_of(array)), self._activation()
            if entered is not None and owner in entered[2]:
                return written
            self.pending.setdefault(owner, {})[number] = written
            return 0
        return 0 if array.base is None or sys.getrefcount(owner_of(array)) <= _ALONE else WROTE

    def _write(self, number: int, array: np.ndarray) -> int:
        self.moment += 1
        self._remember(array)
        owner = id(owner_of(array))
        if len(self.writes) > _WRITES:
            self.writes.clear()
        self.writes.setdefault(owner, {})[id(array)] = Write(self.moment, number, array)
        entered = self._activation()
        if entered is not None and owner in entered[2] and id(array) not in entered[1]:
            return WROTE | int(Seen.SHARED)
        return WROTE

    def _find_stale(self, number: int, array: np.ndarray) -> None:
        known = self.writes.get(id(owner_of(array)))
        if known is None:
            return
        born, regions = self._remember(array), self.texts.regions
        for write in known.values():
            through = write.through()
            if through is None or through is array or write.moment <= born:
                continue
            if regions[write.number] == regions[number] and overlap(through, array):
                self.seen[number] |= int(Seen.STALE)
                self.readers.setdefault(write.number, set()).add(number)

    def _activation(self) -> tuple[types.CodeType, frozenset[int], frozenset[int]] | None:
        """What the innermost observed function on the stack got."""
        frame: types.FrameType | None = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename in self.texts.ranges:
                found = self.entered.get(id(frame))
                if found is not None and found[0] is frame.f_code:
                    return found
            frame = frame.f_back
        return None

    def sights(self, path: str) -> Iterator[Sight]:
        """What was seen in one file, in the order of its places."""
        for number in self.texts.ranges.get(path, range(0)):
            if number in self.seen:
                places = self.texts.places
                readers = tuple(places[reader] for reader in sorted(self.readers.get(number, ())))
                names = tuple(sorted(self.names.get(number, ())))
                yield Sight(places[number], Seen(self.seen[number]), names, readers)


def _add_one(array: np.ndarray) -> None:
    array += 1


def _add_one_and_return(array: np.ndarray) -> np.ndarray:
    array += 1
    return array


def _add_one_and_return_view(array: np.ndarray) -> np.ndarray:
    array += 1
    return array[:]


def reachable(value: Any, depth: int = _DEPTH + 1) -> Iterator[np.ndarray]:
    """The arrays in a value: itself, or in lists, tuples and dicts a few levels deep."""
    if isinstance(value, np.ndarray):
        yield value
    elif depth and isinstance(value, (list, tuple, dict)):
        items: Iterable[Any] = value.values() if isinstance(value, dict) else value
        for position, item in enumerate(items):
            if position == _ITEMS:
                break
            if type(item) not in _PLAIN:
                yield from reachable(item, depth - 1)


def holds_objects(value: Any, depth: int = _DEPTH + 1) -> bool:
    """Whether there are objects in a value that are no numbers of Python's or NumPy's, such as Decimal."""
    if isinstance(value, (list, tuple)):
        return bool(depth) and any(holds_objects(item, depth - 1) for item in value[:_ITEMS])
    return not isinstance(value, (int, float, complex, str, np.ndarray, np.generic, type, np.dtype, type(None)))


def owner_of(array: np.ndarray) -> Any:
    """The object that owns the memory which the array shows."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    return owner


def overlap(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether some byte belongs to both."""
    try:
        return np.shares_memory(one, other, max_work=10_000)
    except np.exceptions.TooHardError:
        return True


def state_of(array: np.ndarray) -> tuple[Any, ...]:
    """What a write through the array would change. Objects count by identity."""
    try:
        return (array.shape, array.strides, array.dtype.str, hash(np.ndarray.tobytes(array)))
    except (ValueError, TypeError):
        return ()


def is_foreign(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "OSUVMmT" or dtype.char in "gG"


def is_fortran(array: np.ndarray) -> bool:
    return array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
