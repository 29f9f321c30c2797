"""Results of a region that have no dimension: NumPy's scalars, or its 0-d arrays."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.values import HOST, Array, Sequence, Unknown, Value, zero_d_of


def zero_d(facts: ev.RegionFacts) -> str:
    """What the region's 0-d results are in NumPy: "scalar", "array", or "unverified" where that is not one thing."""
    kinds: set[str] = set()
    for event in facts.events:
        if isinstance(event, ev.Return):
            _kinds(event.value, kinds)
    if kinds == {"array"}:
        return "array"
    return "scalar" if kinds <= {"scalar"} else "unverified"


def kinds_of_parts(event: ev.Return, facts: ev.RegionFacts) -> Iterator[tuple[cst.BaseExpression, set[str]]]:
    """The expressions of a return, and what those may be that have no dimension: "scalar", "array", "either"."""
    if event.node is None or event.node.value is None:
        return
    for node, value in _returned(event.node.value, event.value, facts.displays):
        kinds: set[str] = set()
        _kinds(value, kinds)
        yield node, kinds


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


def _kinds(value: Value, kinds: set[str]) -> None:
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
            _kinds(item, kinds)
