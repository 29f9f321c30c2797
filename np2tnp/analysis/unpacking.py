"""Stores into arrays inside an unpacking, ``a[i], b[j] = x, y``: whether one assignment a target does the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Items

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    Array,
    Value,
    home_of,
    is_number,
    may_be_array,
    may_hold_tensor,
    refs_of,
)
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk

#: What the key of an item may be made of that is evaluated again: numbers, names and slices.
_OF_KEYS = (
    cst.SubscriptElement, cst.Index, cst.Slice, cst.Name, cst.BaseNumber, cst.UnaryOperation, cst.BinaryOperation,
    cst.BaseUnaryOp, cst.BaseBinaryOp,
)  # fmt: skip


def how_to_split(
    node: cst.CSTNode,
    target: cst.Tuple | cst.List,
    items: Items[Value],
    stores: Items[ev.Store],
    sources: Items[cst.BaseExpression | None],
    before: Mapping[str, frozenset[str]],
) -> tuple[str, str]:
    """What to report of an unpacking with the given stores: kind and detail of a construct, or two empty texts.

    `before`: of names that items are stored into, what shared memory with them before: a dict or a list that got the
    value for one target shares memory with it afterwards, but the next store does not change it.

    "split stores" may become one assignment a target; the detail says how the values are kept meanwhile: "as they are",
    in "names", in names of which those with the numbers after "views" are read again once their target's turn comes,
    because they may be views of what is stored into, or in names after a look that they are "numbers", where that
    cannot be done.
    "store in tuple" cannot be split; where some of the arrays are ndarrays, it could if the others were, too.
    """
    tensors = [store for store in stores if may_be_array(store.base) and home_of(store.base) != HOST]
    hosts = [store for store in stores if may_be_array(store.base) and home_of(store.base) == HOST]
    targets = [element.value for element in target.elements]
    kept = any(isinstance(item, cst.Attribute) for item in targets) and any(map(may_hold_tensor, items))
    kept = kept and None in sources
    plain = isinstance(node, cst.Assign) and len(node.targets) == 1 and node.targets[0].target is target
    if not tensors and not kept:
        apart = plain and None not in sources  # each ndarray gets its own value of the display
        mixed = any(map(may_hold_tensor, items)) and len(hosts) < len(targets)
        return ("store in tuple", "") if hosts and mixed and not apart else ("", "")
    if not plain or hosts or not all(isinstance(item, (cst.Name, cst.Subscript, cst.Attribute)) for item in targets):
        return "store in tuple", ""
    starred = any(isinstance(element, cst.StarredElement) for element in target.elements)
    if starred and sources != [None] * len(targets):
        return "store in tuple", ""  # which value of a display goes where is not told
    written = NO_NAMES.union(*(_refs_before(store, before) for store in tensors))
    shown = [(source, item) for source, item in zip(sources, items, strict=True) if refs_of(item) & written]
    if not all(is_number(item) for _, item in shown):
        rebound = {part.value for item in targets for part in _bound_in(item)}
        if all(_can_be_read_again(source, item, tensors, rebound) for source, item in shown):
            later = (str(number) for number, item in enumerate(items) if number and refs_of(item) & written)
            return "split stores", " ".join(("views", *later))
        return ("store in tuple", "") if any(_has_axes(*each) for each in shown) else ("split stores", "numbers")
    bound = {part.value for item in targets for part in walk(item) if isinstance(part, cst.Name)}
    return "split stores", "as they are" if all(_is_untouched(source, bound) for source in sources) else "names"


def stored_into(target: cst.CSTNode) -> str:
    """``name`` of a target ``name[key]``; empty for others."""
    return target.value.value if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name) else ""


def _refs_before(store: ev.Store, before: Mapping[str, frozenset[str]]) -> frozenset[str]:
    known = before.get(stored_into(store.target))
    return refs_of(store.base) if known is None else known


def _bound_in(target: cst.CSTNode) -> Iterator[cst.Name]:
    """The name that an assignment to `target` binds: itself, or that of the array into which it stores."""
    while isinstance(target, (cst.Subscript, cst.Attribute)):
        target = target.value
    if isinstance(target, cst.Name):
        yield target


def _has_axes(source: cst.BaseExpression | None, value: Value) -> bool:
    """Whether `value` surely is an array with axes, such as a slice."""
    sliced = isinstance(source, cst.Subscript) and any(isinstance(item.slice, cst.Slice) for item in source.slice)
    return sliced or (isinstance(value, Array) and bool(value.rank))


def _can_be_read_again(
    source: cst.BaseExpression | None, value: Value, stores: Items[ev.Store], bound: set[str]
) -> bool:
    """Whether `source` is ``name[key]`` that gives what NumPy's view shows, however much the stores did by then.

    They must go through that very name, and bind no name of the key, in which nothing is called.
    """
    if not (isinstance(source, cst.Subscript) and isinstance(source.value, cst.Name)):
        return False
    base = source.value.value
    through = [
        store.target.value
        for store in stores
        if refs_of(store.base) & refs_of(value) and isinstance(store.target, cst.Subscript)
    ]
    names = {part.value for item in source.slice for part in walk(item) if isinstance(part, cst.Name)}
    return (
        all(isinstance(item, cst.Name) and item.value == base for item in through)
        and not names & bound
        and all(isinstance(part, _OF_KEYS) for item in source.slice for part in walk(item))
    )


def _is_untouched(source: cst.BaseExpression | None, bound: set[str]) -> bool:
    """Whether evaluating `source` after some of the stores gives what it gave before."""
    if source is None:
        return False
    return isinstance(source, cst.BaseNumber) or (bool(dotted(source)) and dotted(source).split(".")[0] not in bound)
