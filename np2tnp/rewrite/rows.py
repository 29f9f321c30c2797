"""Which arrays a function's loops work on one item at a time: ``for i in range(n): y[i] = np.sum(x[i] * w)``.

Each operation is a launch for one row then, however many rows there are, so a row's size says what TensorFlow wins.
"""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array, Const, Scalar, Value
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import walk

#: What is read of an array without its elements.
_ABOUT = frozenset("shape ndim dtype size".split())
_PAIRING = frozenset(("enumerate", "zip", "reversed"))
_LOOPS = (cst.For, cst.CompFor)


def arrays_by_row(facts: ev.RegionFacts) -> tuple[str, ...]:
    """Parameters of which loops take one item along the first axis at a time, and of which nothing else is taken.

    What else is taken of them outside of such a loop is less work than the loop (`part_loops.parameters_by_row`).
    """
    node = facts.node
    if not isinstance(node, cst.FunctionDef):
        return ()
    items = _items(facts)
    counters: set[str] = set()
    neutral: set[int] = set()  #: names where nothing, or only one item, is taken
    by_row: set[str] = set()
    for part in walk(node.body):
        if isinstance(part, _LOOPS):
            counters.update(target_names(part.target))
            for iterated in _iterated(part.iter):
                neutral.add(id(iterated))
                by_row.add(iterated.value)
    for part in walk(node.body):
        if isinstance(part, cst.Attribute):
            neutral.add(id(part.attr))
            if part.attr.value in _ABOUT:
                neutral.add(id(part.value))
        elif isinstance(part, cst.Call) and isinstance(part.func, cst.Name) and part.func.value == "len":
            neutral.update(id(argument.value) for argument in part.args)
        elif isinstance(part, cst.Subscript) and isinstance(part.value, cst.Name) and id(part) in items:
            neutral.add(id(part.value))
            if _counts(part.slice[0].slice, counters):
                by_row.add(part.value.value)
    wanted = by_row & set(facts.parameters)
    names = (part for part in walk(node.body) if isinstance(part, cst.Name)) if wanted else ()
    taken = {name.value for name in names if id(name) not in neutral}
    chosen = (wanted - taken) | facts.extra.get("by row", frozenset())
    return tuple(name for name in facts.parameters if name in chosen)


def _items(facts: ev.RegionFacts) -> frozenset[int]:
    """Subscripts, by id, whose first index is surely one number."""
    found: set[int] = set()
    for event in facts.events:
        if isinstance(event, ev.Read) and event.keys and _is_number(event.keys[0]):
            found.add(id(event.node))
        elif isinstance(event, ev.Store) and event.keys and _is_number(event.keys[0]):
            found.add(id(event.target))
    return frozenset(found)


def _is_number(value: Value) -> bool:
    return isinstance(value, (Const, Scalar)) or (isinstance(value, Array) and value.rank == 0)


def _counts(index: cst.BaseSlice, counters: set[str]) -> bool:
    """Whether an index depends on what a loop goes over."""
    return isinstance(index, cst.Index) and any(
        isinstance(part, cst.Name) and part.value in counters for part in walk(index.value)
    )


def _iterated(node: cst.BaseExpression) -> list[cst.Name]:
    """The names of what a loop goes over: of ``x``, ``enumerate(x)``, ``zip(x, y)``."""
    if isinstance(node, cst.Name):
        return [node]
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _PAIRING:
        return [name for argument in node.args for name in _iterated(argument.value)]
    return []
