"""Values that a loop carries, or a branch gives: what stays the same about them, and the tensors that they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.compile.xla.padded_stores import origin
from np2tnp.runtime.symbols.either_number import EitherNumber, as_float
from np2tnp.runtime.symbols.python_number import DTYPES, Weak, is_number, weak

# --- What a loop carries in for a variable that has no value before its first iteration


class Unassigned:
    """A name that has no value yet: whatever is done with it raises what Python raises for such a name."""

    def refuse(self, *_: Any) -> Any:
        raise UnboundLocalError("a variable that only a loop assigns is used, and the loop had no iteration")

    __bool__ = __str__ = __format__ = __iter__ = __len__ = __getitem__ = __array__ = __index__ = refuse
    __float__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = refuse

    def __repr__(self) -> str:
        return "rt.unassigned"


unassigned = Unassigned()


class Kind(NamedTuple):
    """What stays the same about a carried value. A value without dtype must stay the very value."""

    kind: Any  #: "tensor", a Python number's type, tuple, or "static"
    dtype: Any = None
    shape: Any = None
    parts: tuple[Kind, ...] = ()
    value: Any = None


class Run(NamedTuple):
    """What `times` iterations appended to a list: values of these kinds each time, each tensor with a row for each."""

    times: int
    kinds: tuple[Kind, ...]
    flat: tuple[Any, ...]


def kind_of(value: Any) -> Kind:
    """What must stay the same about a carried value. Raises Unsupported for what a loop cannot carry."""
    if is_tensor(value):
        if None in tuple(value.shape):
            raise Unsupported("a loop that carries an array whose shape depends on values")
        return Kind("tensor", value.dtype, tuple(value.shape))
    if type(value) is EitherNumber:
        return Kind(EitherNumber, value.tensor.dtype, value=value.whole)
    if is_number(value):
        kind = value.kind if isinstance(value, Weak) else type(value)
        return Kind(kind, DTYPES[kind])
    if type(value) is tuple:
        return Kind(tuple, parts=tuple(kind_of(item) for item in value))
    if isinstance(value, Run):
        return Kind(Run, parts=value.kinds, value=value.times)
    if value is None or value is unassigned or isinstance(value, str):
        return Kind("static", value=value)
    raise Unsupported(f"a loop that carries a {type(value).__name__}")


def flat_tensors(values: Any) -> list[Any]:
    """The tensors of carried values, in order."""
    flat: list[Any] = []
    for value in values:
        if is_tensor(value):
            flat.append(value)
        elif type(value) is EitherNumber:
            flat.append(value.tensor)
        elif is_number(value):
            flat.append(weak(value).tensor)
        elif type(value) is tuple:
            flat.extend(flat_tensors(value))
        elif isinstance(value, Run):
            flat.extend(value.flat)
    return flat


def exchanged_tensors(values: Any, others: dict[int, tuple[Any, Any]]) -> tuple[Any, ...]:
    """The values with others in the place of some tensors, which are named by id: the tensor and what replaces it."""

    def exchanged(value: Any) -> Any:
        if type(value) is tuple:
            return exchanged_tensors(value, others)
        found = others.get(id(origin(value))) if is_tensor(value) else None
        return value if found is None else found[1]

    return tuple(map(exchanged, values))


def numbers_in(values: Any) -> list[Any]:
    """The Python numbers among carried values, in order."""
    found: list[Any] = []
    for value in values:
        if type(value) is tuple:
            found.extend(numbers_in(value))
        elif is_number(value):
            found.append(value)
    return found


def flat_kinds(kinds: tuple[Kind, ...]) -> list[Any]:
    """The kind that each of the tensors has."""
    flat: list[Any] = []
    for kind in kinds:
        if kind.kind is tuple or kind.kind is Run:
            flat.extend(flat_kinds(kind.parts))
        elif kind.kind != "static":
            flat.append(kind.kind)
    return flat


def built(kinds: tuple[Kind, ...], flat: Any) -> tuple[Any, ...]:
    """Carried values from their kinds and tensors."""
    values: list[Any] = []
    for kind in kinds:
        if kind.kind is tuple:
            values.append(built(kind.parts, flat))
        elif kind.kind is Run:
            values.append(Run(kind.value, kind.parts, tuple([next(flat) for _ in flat_kinds(kind.parts)])))
        elif kind.kind == "static":
            values.append(kind.value)
        elif kind.kind is EitherNumber:
            values.append(EitherNumber(next(flat), kind.value))
        else:
            tensor = next(flat)
            values.append(tensor if kind.kind == "tensor" else Weak(kind.kind, tensor))
    return tuple(values)


def mixed_numbers(one: tuple[Kind, ...], other: tuple[Kind, ...]) -> dict[int, bool]:
    """Where two ways give a float64 of NumPy's and a number of Python's, and whether that may be an int.

    Empty where they differ in anything else.
    """
    pairs = {number: pair for number, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]}
    if not all(all(map(_is_real, pair)) and any(map(_may_be_numpys, pair)) for pair in pairs.values()):
        return {}
    return {number: any(kind.kind is int or kind.value for kind in pair) for number, pair in pairs.items()}


def _may_be_numpys(kind: Kind) -> bool:
    return kind.kind is EitherNumber or kind.kind == "tensor"


def _is_real(kind: Kind) -> bool:
    if _may_be_numpys(kind):
        return bool(kind.dtype == tf.float64 and not kind.shape)
    return kind.kind in (int, float)


def with_either(function: Callable[..., Any], places: dict[int, bool]) -> Callable[..., Any]:
    """`function`, whose results at the `places` may be numbers of Python's (ints too, where True) and of NumPy's."""

    def call(*carried: Any) -> Any:
        result = function(*carried)
        several = len(carried) > 1
        values = list(result) if several else [result]
        for number, whole in places.items():
            value = values[number]
            values[number] = EitherNumber(value if is_tensor(value) else as_float(value), whole)
        return tuple(values) if several else values[0]

    return call
