"""What containers made in a region hold, after something was put into them or into a container inside."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from np2tnp.analysis.domain.env import ITERATED, Env, is_iterated, join, view_among
from np2tnp.analysis.domain.locations import is_held
from np2tnp.analysis.domain.values import (
    COPIED,
    NO_NAMES,
    NOTHING,
    SHARED,
    UNKNOWN,
    Array,
    Const,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    held,
    item_of,
    reads_later,
    refs_of,
    replace,
    scalar_type,
)

#: Methods that give what a container holds.
_ITEM_METHODS = frozenset(("get", "setdefault", "pop", "popleft"))
_SHARED = frozenset((SHARED,))


def put_into(where: cst.BaseExpression, added: Value, env: Env) -> str:
    """The container that `where` denotes, such as ``rows`` or ``rows[k]``, holds `added` as well from here on.

    Gives its name (``rows``), empty where it has none.
    """
    depth = 0
    while True:
        if isinstance(where, cst.Subscript):
            where = where.value
        elif (
            isinstance(where, cst.Call)
            and isinstance(where.func, cst.Attribute)
            and where.func.attr.value in _ITEM_METHODS
        ):
            where = where.func.value
        else:
            break
        depth += 1
    if not isinstance(where, cst.Name):
        return ""
    if where.value in env.values:
        before = env.values[where.value]
        after = _holding(before, added, depth)
        for other in env.reach(where.value):
            if isinstance(env.values.get(other), Sequence):
                env.values[other] = _after(env.values[other], before, after)
        share_items(where.value, added, env)
    return where.value


def share_items(name: str, added: Value, env: Env) -> None:
    """What other names of the container `name` know of its items from here on.

    Two of them may be one array, if what is `added` shares memory with what it holds.
    """
    names = env.reach(name)
    fill_empty(names, added, env)
    if refs_of(added) & names:
        for each in names:
            if isinstance(env.values.get(each), Sequence):
                env.link(each, _SHARED)


def fill_empty(names: Iterable[str], added: Value, env: Env) -> None:
    """Of the empty containers that `names` show, each may be the one that holds `added` now."""
    for name in names:
        if isinstance(env.values.get(name), Sequence):
            env.values[name] = _no_longer_empty(env.values[name], added)


def given_to(container: Value) -> str:
    """Who outside got `container` itself and may go on showing it; empty if nobody did."""
    holders = (ref for ref in refs_of(container) if is_held(ref))
    return min(holders, default="").rpartition(" ")[2]


def reader_of_copy(container: Value, env: Env) -> str:
    """The iterator that goes on reading a copy of `container`, made for the host; empty if none does."""
    for ref in refs_of(container):
        held = env.values.get(ref)
        if held is not None and reads_later(held) and env.shares(ref, COPIED):
            return ITERATED if is_iterated(ref) else ref
    return ""


def is_without_numbers(value: Sequence) -> bool:
    """Whether all that the list or tuple holds, at any depth, is certainly None or text."""
    items = value.items if value.items is not None else (value.element,)
    return all(
        is_without_numbers(item) if isinstance(item, Sequence) else scalar_type(item) in ("none", "str")
        for item in items
    )


def _no_longer_empty(value: Value, added: Value) -> Value:
    """`value`, of whose empty containers each may be the one that holds `added` now."""
    if not isinstance(value, Sequence):
        return value
    if value.element is NOTHING:
        return replace(value, element=added, items=None)
    items = None if value.items is None else tuple([_no_longer_empty(item, added) for item in value.items])
    return replace(value, element=_no_longer_empty(value.element, added), items=items)


def _after(value: Value, before: Value, after: Value) -> Value:
    """`value`, in which everything like `before` may be another name of a container, as in ``row = rows[0]``."""
    if value == before:
        return after
    if not isinstance(value, Sequence):
        return value
    items = None if value.items is None else tuple([_after(item, before, after) for item in value.items])
    return replace(value, element=_after(value.element, before, after), items=items)


def _holding(container: Value, added: Value, depth: int) -> Value:
    if not isinstance(container, Sequence):
        return container
    inner = added if depth == 0 else _holding(container.element, added, depth - 1)
    return Sequence(container.type, join(container.element, inner))


def sequence_of(kind: str, items: list[Value], known: bool = True) -> Sequence:
    """A container of `items`."""
    element: Value = NOTHING
    refs: frozenset[str] = NO_NAMES
    for item in items:
        element = join(element, item)
        shown = refs_of(item)
        if shown:
            refs = refs | shown if refs.isdisjoint(shown) else refs | shown | {SHARED}
    if not known and isinstance(element, (Array, Unknown)) and not any(isinstance(i, Sequence) for i in items):
        element = replace(element, view=view_among(items, SHARED in refs))
    return Sequence(kind, element, tuple(items) if known and kind in ("tuple", "list") else None, refs)


def looped_over(value: Value) -> Value:
    """What a loop over `value` gets: of a dict its keys, which can be hashed, so that no array is among them."""
    return UNKNOWN if isinstance(value, Sequence) and value.type == "dict" else element_of(value)


def element_of(value: Value) -> Value:
    """What iterating over `value` gives; of a dict, what it holds."""
    if isinstance(value, Array):
        rank = None if value.rank is None else max(value.rank - 1, 0)
        refs = NO_NAMES if rank == 0 else value.refs
        return Array(value.home, value.dtypes, rank, refs, None, value.deps, view="piece", nonempty=value.nonempty)
    if isinstance(value, Sequence):
        return held(value.element, value)
    if isinstance(value, Unknown):
        return Unknown(value.home, value.refs, view="piece")
    if isinstance(value, Const) and isinstance(value.value, str):
        return Scalar("str")
    if isinstance(value, Symbol):
        return item_of(value)
    if isinstance(value, Scalar):
        return value if value is NOTHING else Scalar("object")
    return UNKNOWN
