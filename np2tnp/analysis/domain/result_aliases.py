"""What a result shows of other memory, where NumPy gives views and tensors only copies; and results that are scalars or
0-d arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, reduce
from itertools import combinations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.locations import bare, is_held, is_kept, is_outside_location, is_parameter, is_seen
from np2tnp.analysis.domain.values import (
    BY_LAYOUT,
    COPIED,
    EITHER,
    FILLED,
    FOREIGN,
    FORTRAN,
    HOST,
    NO_NAMES,
    SHARED,
    TENSOR,
    Array,
    Sequence,
    Unknown,
    Value,
    home_of,
    is_numpy_number,
    may_hold_tensor,
    refs_of,
    view_of,
    with_refs,
    zero_d_of,
)

# --- What a result shows of other memory: NumPy gives views where tensors can only give copies


def leaves_of(value: Value) -> Iterator[Value]:
    """`value`, or what the container `value` holds, however deep; each with the locations that its container has."""
    if not isinstance(value, Sequence):
        yield value
    elif value.items is not None:
        for item in value.items:
            yield from leaves_of(item)
    else:
        yield from leaves_of(all_of(value))


def shown_by(value: Value, env: Env) -> Value:
    """`value` with what it shares memory with by now: ``return y, Box(y)`` evaluates y before the box keeps it.

    What else a callee out of sight got is none of it.
    """
    refs = refs_of(value)
    refs |= env.reach(*(ref for ref in refs if not is_seen(ref)))
    if isinstance(value, Sequence):
        element = shown_by(value.element, env)
        items = None if value.items is None else tuple(shown_by(item, env) for item in value.items)
        own = refs_of(element).union(*(refs_of(leaf) for item in items or () for leaf in leaves_of(item)))
        if value.type in FILLED and not _parameters(refs) <= own:  # another name of it put more in
            others = [env.values[ref] for ref in refs if ref in env.values]
            items, element = None, reduce(join, (o.element for o in others if isinstance(o, Sequence)), element)
            more = _parameters(refs) - refs_of(element)
            element = join(element, Unknown(EITHER, more, view="view")) if more else element
        return Sequence(value.type, element, items, refs)
    return with_refs(value, refs)


def _parameters(refs: frozenset[str]) -> frozenset[str]:
    return frozenset(ref for ref in refs if is_parameter(ref))


def all_of(value: Sequence) -> Value:
    """One value for everything that a container of unknown length holds."""
    return with_refs(value.element, refs_of(value.element) | value.refs)


@lru_cache(maxsize=4096)
def _kept(refs: frozenset[str]) -> frozenset[str]:
    """Those of the locations `refs` that are outside of the region, or that a callee keeps."""
    return frozenset(ref for ref in refs if is_outside_location(ref) or is_kept(ref))


def outside_views(value: Value, hosted: frozenset[str]) -> frozenset[str]:
    """Locations outside of the region of which a tensor in the result may be a view, not the very object."""
    found: frozenset[str] = NO_NAMES
    for leaf in leaves_of(value):
        outside = {ref for ref in refs_of(leaf) if is_outside_location(ref) or is_held(ref)}
        if FORTRAN in refs_of(leaf) and may_hold_tensor(leaf):
            found |= {FORTRAN}
        if COPIED in refs_of(leaf) or (may_hold_tensor(leaf) and view_of(leaf)):
            found |= outside
        elif home_of(leaf) == TENSOR or (FOREIGN in refs_of(leaf) and may_hold_tensor(leaf)):
            # the boundary gives back only parameters that it converted itself
            found |= {ref for ref in outside if not is_parameter(ref) or bare(ref) in hosted}
        elif may_hold_tensor(leaf):  # one of several ways or items, perhaps
            found |= {ref for ref in outside if is_held(ref)}
    return found


#: Beside COPIED where what was copied may be memory of others: its very arrays are what NumPy would have.
COPIED_OUTSIDE = "a copy made for the host of what others hold"


def without_copies(value: Value) -> Value:
    """`value` of a function that stays NumPy's: what its analysis took for copies are the very arrays."""
    marks = frozenset((COPIED, COPIED_OUTSIDE))
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(map(without_copies, value.items))
        return Sequence(value.type, without_copies(value.element), items, value.refs - marks)
    return with_refs(value, refs_of(value) - marks) if refs_of(value) & marks else value


@lru_cache(maxsize=4096)
def copy_marks(refs: frozenset[str]) -> frozenset[str]:
    """The references that a copy of what is at `refs`, made for the host, has besides them: none of a new array."""
    if not refs:
        return refs
    outside = COPIED_OUTSIDE in refs or _kept(refs)
    return frozenset((COPIED, COPIED_OUTSIDE)) if outside else frozenset((COPIED,))


def copied_outside(value: Value) -> frozenset[str]:
    """Locations outside of the region whose very arrays NumPy would have in `value`, where ours are copies of them."""
    found: frozenset[str] = NO_NAMES
    for leaf in leaves_of(value):
        refs = refs_of(leaf)
        if not refs:
            continue
        ours = may_hold_tensor(leaf) and (home_of(leaf) == TENSOR or FOREIGN in refs)
        if COPIED_OUTSIDE in refs or ours:
            found |= _kept(refs)
        if FORTRAN in refs and may_hold_tensor(leaf) and (COPIED in refs or ours):
            found |= {FORTRAN}
    return found


def holds_order(value: Value) -> bool:
    """Whether a tensor in `value` was to be in Fortran order."""
    return any(FORTRAN in refs_of(leaf) and may_hold_tensor(leaf) for leaf in leaves_of(value))


def has_shared_items(value: Value) -> bool:
    """Whether two arrays of the result may share memory in NumPy, without being one, and might not do so here."""
    if not isinstance(value, Sequence):  # a container of copies, perhaps
        return isinstance(value, Unknown) and refs_of(value) >= {SHARED, COPIED}
    shown = [each for each in _kinds(value) if not is_numpy_number(each[0])]
    if any(isinstance(each, Unknown) and refs_of(each) >= {SHARED, COPIED} for each, _ in shown):
        return True  # what a function of another library gave, which got copies of one array
    return _is_of_views(value) or any(
        (
            (_is_copy(first) and _is_copy(second))
            or TENSOR in (home_of(first), home_of(second))
            or {BY_LAYOUT, FOREIGN} & (refs_of(first) | refs_of(second))
        )
        and {kind, other} not in ({""}, {"piece"})
        and not _are_apart(kind, other)
        and any(ref.isidentifier() or is_outside_location(ref) for ref in refs_of(first) & refs_of(second))
        for (first, kind), (second, other) in combinations(shown, 2)
    )


def _are_apart(kind: str, other: str) -> bool:
    """Whether two views of one array are two items along one axis, ``x[0]`` and ``x[1]``."""
    item, _, axis = kind.partition(" of ")
    second, _, along = other.partition(" of ")
    return bool(axis) and axis == along and item != second


def _is_of_views(value: Value) -> bool:
    """Whether a container of unknown length, in the result or in a container there, holds views of one array."""
    if not isinstance(value, Sequence):
        return False
    if value.items is not None:
        return any(map(_is_of_views, value.items))
    shown = list(_kinds(value))
    return len(shown) == 1 and _is_copy(shown[0][0]) and view_of(shown[0][0]) == "view"


def _is_copy(leaf: Value) -> bool:
    """Whether `leaf` may be a tensor, or a copy of one, where NumPy has a view."""
    return may_hold_tensor(leaf) or COPIED in refs_of(leaf)


def _kinds(value: Value) -> Iterator[tuple[Value, str]]:
    """Each leaf with its kind of view. All pieces together are a view: two lists of one array's rows share them."""
    if isinstance(value, Sequence) and value.items is not None:
        for item in value.items:
            yield from _kinds(item)
    elif isinstance(value, Sequence):
        yield from ((leaf, "view" if view_of(leaf) or _is_ours(leaf) else "") for leaf in leaves_of(all_of(value)))
    else:
        yield value, "view" if _is_ours(value) else view_of(value)


def _is_ours(leaf: Value) -> bool:
    """Whether `leaf` is a copy of what NumPy gives back itself: of a tensor, or a tensor of an ndarray."""
    return COPIED in refs_of(leaf) or (FOREIGN in refs_of(leaf) and may_hold_tensor(leaf))


def copied(value: Value) -> frozenset[str]:
    """Names of tensors that NumPy's callees got copies of, and gave back or kept: the result may be one in NumPy."""
    names = (
        refs_of(leaf) for leaf in leaves_of(value) if any(ref == COPIED or ref[:4] == "kept" for ref in refs_of(leaf))
    )
    return frozenset(ref for refs in names for ref in refs if ref.isidentifier())


def holds_host(value: Value) -> bool:
    """Whether arrays of the host may be in what a core returns."""
    if isinstance(value, Sequence):
        return any(map(holds_host, value.items if value.items is not None else (value.element,)))
    return isinstance(value, (Unknown, Array)) and value.home == HOST


# --- Results of a region that have no dimension: NumPy's scalars, or its 0-d arrays


def zero_d(facts: ev.RegionFacts) -> str:
    """What the region's 0-d results are in NumPy: "scalar", "array", or "unverified" where that is not one thing."""
    kinds: set[str] = set()
    for event in facts.events:
        if isinstance(event, ev.Return):
            _kinds_without_axes(event.value, kinds)
    if kinds == {"array"}:
        return "array"
    return "scalar" if kinds <= {"scalar"} else "unverified"


def kinds_of_parts(event: ev.Return, facts: ev.RegionFacts) -> Iterator[tuple[cst.BaseExpression, Value, set[str]]]:
    """The expressions of a return, their values, and what those may be that have no dimension: "scalar", "array",
    "either"."""
    if event.node is None or event.node.value is None:
        return
    for node, value in _returned(event.node.value, event.value, facts.displays):
        kinds: set[str] = set()
        _kinds_without_axes(value, kinds)
        yield node, value, kinds


def _returned(
    node: cst.BaseExpression, value: Value, displays: dict[int, tuple[Value, ...]]
) -> list[tuple[cst.BaseExpression, Value]]:
    """The expressions in a returned display of a tuple, list or dict, with their values; else `node` itself."""
    items = displays.get(id(node)) or (value.items if isinstance(value, Sequence) else None)
    if not isinstance(node, (cst.Tuple, cst.List, cst.Dict)) or items is None or len(items) != len(node.elements):
        return [(node, value)]
    pairs = zip(node.elements, items, strict=True)
    if any(isinstance(element, (cst.StarredElement, cst.StarredDictElement)) for element in node.elements):
        return [(node, value)]
    return [pair for element, item in pairs for pair in _returned(element.value, item, displays)]


def _kinds_without_axes(value: Value, kinds: set[str]) -> None:
    if isinstance(value, Array) and value.home == HOST:
        return  # NumPy's own
    if isinstance(value, Array) and (value.rank is None or value.rank == 0):
        # a parameter itself is handed back as it came; what np.asarray makes of a number is not it
        made = value.exact is None or (not value.weak and value.zero_d == "array")
        if made and value.zero_d != "never":
            kinds.add(value.zero_d)
    elif isinstance(value, Unknown) and value.home != HOST:
        kinds |= {zero_d_of(value)} - {"never"}  # of an element, or what an operator gave: a scalar
    elif isinstance(value, Sequence):
        for item in value.items if value.items is not None else (value.element,):
            _kinds_without_axes(item, kinds)
