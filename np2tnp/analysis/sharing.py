"""Sets of locations as bits of an int.

Where everything may be everything, a hundred names share memory with each other. As sets of names, each new binding
among them would copy a hundred sets of a hundred names.
"""

from __future__ import annotations

from itertools import compress

from np2tnp.files.problems import Problem

#: Where an object, a global or a callee holds on to arrays, or may do so: "seen by" code that nobody knows.
HOLDERS = (".", "global:", "kept by", "seen by")
#: Names that may share memory with each other: time and memory grow with the square of their number.
MOST = 2_000


class Places:
    """Numbers the locations of one function, so that a set of them is an int."""

    __slots__ = ("_masks", "_parts", "_sets", "bits", "holders")

    def __init__(self) -> None:
        self.bits: dict[str, int] = {}  #: by location, in order
        self._masks: dict[frozenset[str], int] = {}
        self._sets: dict[int, frozenset[str]] = {}
        self._parts: dict[int, tuple[int, ...]] = {}
        self.holders: list[int] = []  #: those among ``HOLDERS``

    def bit(self, name: str) -> int:
        """The number of one location: a power of two."""
        found = self.bits.get(name)
        if found is None:
            found = self.bits[name] = 1 << len(self.bits)
            if name.startswith(HOLDERS):
                self.holders.append(found)
        return found

    def mask(self, refs: frozenset[str]) -> int:
        """The number of a set of locations: the sum of theirs."""
        found = self._masks.get(refs)
        if found is None:
            found = self._masks[refs] = sum(map(self.bit, refs))
        return found

    def names(self, mask: int) -> frozenset[str]:
        """The locations whose sum is `mask`."""
        found = self._sets.get(mask)
        if found is None:
            found = self._sets[mask] = frozenset(compress(self.bits, _digits(mask)))
            if len(found) > MOST:
                raise Problem("TNP905", f"has a function in which more than {MOST:,} names may show the same array")
        return found

    def parts(self, mask: int) -> tuple[int, ...]:
        """The numbers whose sum is `mask`."""
        found = self._parts.get(mask)
        if found is None:
            found = self._parts[mask] = tuple(compress(self.bits.values(), _digits(mask)))
        return found


_FALSE_ZERO = bytes.maketrans(b"0", b"\0")


def _digits(mask: int) -> bytes:
    """The binary digits of `mask`, the lowest first; those that are zero are false."""
    return f"{mask:b}".encode().translate(_FALSE_ZERO)[::-1]
