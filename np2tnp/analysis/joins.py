"""The least abstract values that cover two others, where two ways of a program meet."""

from __future__ import annotations

from collections.abc import Iterable

from np2tnp.analysis.frozen import replace
from np2tnp.analysis.values import (
    EITHER,
    HOST,
    LENT,
    NONE,
    NOTHING,
    TENSOR,
    Array,
    Const,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    exact_of,
    home_of,
    is_python_number,
    may_hold_tensor,
    refs_of,
    scalar_type,
    view_of,
    zero_d_of,
)


def join(a: Value, b: Value) -> Value:
    """The least value that covers both."""
    if a is b or b is NOTHING:
        return a
    if a is NOTHING:
        return b
    if a == b:
        return a
    if isinstance(a, Array) and isinstance(b, Array):
        return Array(
            _join_home(a.home, b.home),
            a.dtypes | b.dtypes,
            a.rank if a.rank == b.rank else None,
            a.refs | b.refs,
            a.exact if a.exact == b.exact else None,
            a.deps | b.deps,
            a.weak or b.weak,
            join_zero_d(a, b),
            _join_view(a, b),
        )
    if isinstance(a, (Const, Scalar)) and isinstance(b, (Const, Scalar)):
        return _join_scalars(a, b)
    if isinstance(a, Sequence) and isinstance(b, Sequence) and a.type == b.type:
        items = None
        if a.items is not None and b.items is not None and len(a.items) == len(b.items):
            items = tuple(map(join, a.items, b.items))
        return Sequence(a.type, join(a.element, b.element), items, a.refs | b.refs)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Symbol) and other == NONE:
            return one  # ``try: import numpy as np / except ImportError: np = None``
        if one is LENT and isinstance(other, Unknown) and other.exact is not None:
            return other  # a parameter where one was passed: like it, the function gets ndarrays and gives its own
        if isinstance(one, Array) and is_python_number(other):
            return replace(one, home=_join_home(one.home, HOST), weak=True, exact=None, zero_d=join_zero_d(one, one))
    held = may_hold_tensor(a) or may_hold_tensor(b)
    both_tensor = home_of(a) == TENSOR and home_of(b) == TENSOR
    return Unknown(
        (TENSOR if both_tensor else EITHER) if held else HOST,
        refs_of(a) | refs_of(b),
        exact_of(a) if exact_of(a) == exact_of(b) else None,
        deps_of(a) | deps_of(b),
        # of the host alone: what two empty containers become says no more than an object, so pieces cannot be kept
        _join_view(a, b) if held else "view" if view_of(_deepest(a)) or view_of(_deepest(b)) else "",
        join_zero_d(a, b),
    )


def join_zero_d(a: Value, b: Value) -> str:
    """What it is for either of two values."""
    kinds = {zero_d_of(_deepest(a)), zero_d_of(_deepest(b))} - {"never"}  # a container gives the kind of its items
    return "never" if not kinds else kinds.pop() if len(kinds) == 1 else "either"


def _join_view(a: Value, b: Value) -> str:
    """What the tensor among the two may be a view of counts: what lives on the host is NumPy's own view."""
    tensors = [value for value in (a, b) if may_hold_tensor(value)]
    # An empty container says nothing.
    kinds = {view_of(item) for item in map(_deepest, tensors or (a, b)) if item is not NOTHING}
    return "" if not kinds else kinds.pop() if len(kinds) == 1 else "view"


def view_among(items: Iterable[Value], shared: bool) -> str:
    """How the items of a container of unknown length show memory; what nobody else has adds nothing to that."""
    kinds = {view_of(item) for item in items if refs_of(item)}
    if len(kinds) > 1 or (shared and "piece" in kinds):  # a piece, and the same one again
        return "view"
    return kinds.pop() if kinds else ""


def _deepest(value: Value) -> Value:
    while isinstance(value, Sequence):
        value = value.element
    return value


def _join_home(a: str, b: str) -> str:
    return a if a == b else EITHER


def _join_scalars(a: Const | Scalar, b: Const | Scalar) -> Scalar:
    types = {scalar_type(a), scalar_type(b)}
    if len(types) == 1:
        only = types.pop()
        return Scalar("object" if only in ("none", "NoneType") else only)
    if types <= {"int", "float", "bool", "complex", "number"}:
        return Scalar("number")
    return Scalar("object")
