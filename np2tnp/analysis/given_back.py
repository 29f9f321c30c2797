"""Calls of NumPy whose result, or some of its items, may be an argument itself: ``np.histogram(x, edges)[1]``."""

from __future__ import annotations

from collections.abc import Mapping

from np2tnp.analysis.frozen import replace
from np2tnp.analysis.values import (
    NO_NAMES,
    SHARED,
    Array,
    Const,
    Scalar,
    Sequence,
    Value,
    is_python_number,
)
from np2tnp.catalog.facts import GivenBack

_SHARED = frozenset((SHARED,))


def given_back(back: GivenBack, values: Mapping[str, Value]) -> bool | None:
    """Whether the argument is given back for certain if it is an array; None where it certainly is not."""
    lender = values.get(back.argument)
    if lender is None or is_python_number(lender) or isinstance(lender, (Const, Scalar)):
        return None
    certain = not back.may_hold
    for name, wanted in back.when.items():
        known = _known(values.get(name, Const.of(None)))
        if known is None:
            certain = False
        elif known != (wanted,):
            return None
    return certain


def _known(value: Value) -> tuple[object] | None:
    """The Python value of an argument, in a tuple; None where it is not known."""
    if isinstance(value, Const):
        return (value.value,)
    if isinstance(value, Sequence) and value.items is not None:
        return (tuple(_known(item) for item in value.items),)
    return None


def items_given_back(back: GivenBack, made: Array, values: Mapping[str, Value]) -> Sequence:
    """The tuple that a call gives: `made` where an item may be the argument, new arrays elsewhere."""
    new = replace(made, refs=NO_NAMES, exact=None, view="")
    lender = values.get(back.argument)
    if back.may_hold and given_back(back, values) is not None and not _is_pair(lender):
        made = replace(made, refs=made.refs | _SHARED)  # one array for all axes
    shown: Value = Sequence("list", made, None, made.refs) if back.in_list else made
    items = tuple(shown if place in back.items else new for place in range(max(back.items) + 1))
    return Sequence("tuple", made, items, made.refs)


def _is_pair(value: Value | None) -> bool:
    """Whether a container has so many items that each stands for an axis of two."""
    return isinstance(value, Sequence) and value.items is not None and len(value.items) == 2
