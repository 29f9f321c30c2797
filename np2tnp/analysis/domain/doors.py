"""The door of a migrated function: what its parameters must be so that its body may be plain code of tnp's.

A parameter behind the door is an ndarray of one of a few dtypes that has at least one dimension and at least one
element, or a number, or either. The runtime looks at that when the function is called, and leaves all else to the
original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from np2tnp.analysis.domain.locations import of_parameter
from np2tnp.analysis.domain.promotion_rules import operand_dtypes
from np2tnp.analysis.domain.values import (
    ALL_DTYPES,
    EITHER,
    GENERATORS,
    HOST,
    NO_NAMES,
    NONE,
    REAL,
    TENSOR,
    Array,
    Const,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    frozen,
    has_axes,
    has_elements,
    is_number,
    is_pythons_own,
    replace,
    scalar_type,
)

COUNTS = "counts"
NUMBERS = "numbers"
RANDOM = "generators"
#: Whole numbers: of Python's or NumPy's own 64 or 32 bits, tuples of such, and None for an axis.
WHOLE = ("axes", "sizes")
#: The classes of arrays that a door lets in, the widest first, and their dtype characters.
CLASSES: Mapping[str, frozenset[str]] = {
    "arrays": ALL_DTYPES,
    "inexact": frozenset("fdFD"),
    "reals": frozenset("ilfd"),
    "floats": frozenset("fd"),
}
#: Among the names that a helper's operands were made of: they do not tell.
ANYTHING = "*"


@frozen
class Admitted:
    """What a door lets in for one parameter, or attribute: arrays of the class `kind`.

    Or numbers, which are real ones of Python's or NumPy's; counts, which are Python's integers; generators, which are
    objects of ``np.random.Generator`` or ``RandomState``; axes or sizes.
    """

    kind: str
    numbers: bool = False  #: or a number: a real one, or a complex one where the arrays may be complex

    @property
    def word(self) -> str:
        """The keyword of the decorator under which it stands."""
        return f"{self.kind}_or_numbers" if self.numbers else self.kind

    @property
    def _weak(self) -> bool | str:
        return self.numbers and (True if "D" in CLASSES[self.kind] else REAL)

    def parameter(self, name: str, hosted: bool, eager: bool = False) -> Array | Scalar | Symbol:
        """The value of the parameter `name` where the body begins; `hosted`: it stays the caller's ndarray.

        `eager`: it is never traced, so that numbers are Python's and NumPy's own.
        """
        if self.kind == RANDOM:
            return GENERATORS[0]
        if self.kind == COUNTS:
            return Scalar("int", own=True)
        if self.kind == NUMBERS:  # nobody can change one: it is nobody's memory
            home = HOST if eager else EITHER
            return Array(home, CLASSES["reals"], rank=0, deps=frozenset((name,)), weak=REAL, nonempty=True)
        return Array(
            HOST if hosted else EITHER if self.numbers else TENSOR,
            CLASSES[self.kind],
            refs=frozenset((of_parameter(name),)),
            exact=name,
            deps=frozenset((name,)),
            weak=self._weak,
            zero_d="never",
            nonempty=True,
        )

    def item(self, owner: str) -> Array:
        """The value of an item of the parameter `owner`, which is a dict."""
        return Array(
            EITHER,
            CLASSES[self.kind],
            refs=frozenset((of_parameter(owner),)),
            deps=frozenset((owner,)),
            weak=self._weak,
            zero_d="never",
            nonempty=True,
        )

    def attribute(self, refs: frozenset[str], home: str) -> Array | Scalar:
        """The value of an attribute of a parameter."""
        if self.kind == COUNTS:
            return Scalar("int", own=True)
        if self.kind == NUMBERS:
            return Array(home, CLASSES["reals"], rank=0, weak=REAL, nonempty=True)
        zero_d = "scalar" if self.numbers else "never"
        return Array(home, CLASSES[self.kind], refs=refs, weak=self._weak, zero_d=zero_d, nonempty=True)

    def takes(self, value: Value) -> bool:
        """Whether `value` is let in."""
        if self.kind in WHOLE:
            return _is_whole(value) or (self.kind == "axes" and value == NONE)
        if self.kind == RANDOM:
            return value in GENERATORS
        if self.kind == COUNTS:
            return is_pythons_own(value) and scalar_type(value) == "int"
        if self.kind == NUMBERS:
            return is_number(value) and _takes_dtypes(value, CLASSES["reals"], _NUMBERS["reals"])
        if not isinstance(value, (Array, Const, Scalar)):
            return False
        if isinstance(value, Array) and not (has_elements(value) and (self.numbers or has_axes(value))):
            return False
        weak = operand_dtypes(value)[1]
        return self.takes_dtypes(value) and weak <= (_NUMBERS[self.kind] if self.numbers else NO_NAMES)

    def takes_dtypes(self, value: Value) -> bool:
        """Whether `value` is an array, or a scalar of NumPy's, of the dtypes that are let in, or a number that is."""
        if self.kind not in CLASSES:
            return self.takes(value)
        return _takes_dtypes(value, CLASSES[self.kind], _NUMBERS[self.kind] if self.numbers else NO_NAMES)


def _takes_dtypes(value: Value, dtypes: frozenset[str], numbers: frozenset[str]) -> bool:
    arrays, weak = operand_dtypes(value) if isinstance(value, (Array, Const, Scalar)) else (NO_NAMES, NO_NAMES)
    return bool(arrays or weak) and arrays <= dtypes and weak <= numbers


def _is_whole(value: Value) -> bool:
    if isinstance(value, Sequence) and value.type == "tuple":
        return value.items is not None and all(map(_is_whole, value.items))
    return is_pythons_own(value) and scalar_type(value) == "int"


#: The types of the Python numbers that stand beside arrays of a class.
_NUMBERS = {kind: frozenset(("int", "float", "complex")[: 2 + ("D" in chars)]) for kind, chars in CLASSES.items()}


def with_dtypes_of(value: Value, known: Value) -> Value:
    """`value`, whose arrays have the dtypes that those of `known` have: the same value, of which more is known."""
    if isinstance(known, Array) and isinstance(value, Array):
        return replace(value, dtypes=known.dtypes & value.dtypes or value.dtypes, weak=known.weak)
    if isinstance(known, Array) and isinstance(value, Unknown):
        same = {"refs": value.refs, "exact": value.exact, "view": value.view}
        return replace(known, home=value.home, rank=None, nonempty=False, **same)
    if isinstance(known, Sequence) and isinstance(value, Sequence) and value.type == known.type:
        if value.items is None or known.items is None or len(value.items) != len(known.items):
            return Sequence(value.type, with_dtypes_of(value.element, known.element), value.items, value.refs)
        items = tuple(map(with_dtypes_of, value.items, known.items))
        return Sequence(value.type, with_dtypes_of(value.element, known.element), items, value.refs)
    return value


def as_floats(value: Value) -> Value:
    """`value` as it would be if an array that may have a floating dtype or another one had a floating one."""
    if isinstance(value, Array) and value.dtypes != ALL_DTYPES:  # of what nobody knows a door tells nothing
        return replace(value, dtypes=value.dtypes & CLASSES["floats"] or value.dtypes)
    return _with_items(value, as_floats)


#: The class that holds all dtypes of another one, and more.
WIDER: Mapping[str, str] = {"reals": "arrays", "floats": "inexact"}
#: The class for what is complex as far as anybody knows, where others get that class.
WITH_COMPLEX: Mapping[str, str] = {"reals": "inexact", "floats": "inexact", "inexact": "inexact", "arrays": "arrays"}


def as_wider(value: Value) -> Value:
    """`value` as it would be if arrays of all the dtypes of a class were such of the wider one."""
    if isinstance(value, Array):
        for kind, wider in WIDER.items():
            if value.dtypes == CLASSES[kind]:
                return replace(value, dtypes=CLASSES[wider], weak=bool(value.weak))
    return _with_items(value, as_wider)


def _with_items(value: Value, change: Callable[[Value], Value]) -> Value:
    if not isinstance(value, Sequence):
        return value
    items = None if value.items is None else tuple(map(change, value.items))
    return Sequence(value.type, change(value.element), items, value.refs)


Door = Mapping[str, Admitted]
#: The door of a function that looks at nothing but what all look at.
NO_DOOR: Door = {}
