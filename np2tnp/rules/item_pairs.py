"""Work on pairs of items: two nested loops, with both counters as indices of arrays."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import HOST, Array, Const, Scalar, Sequence, Symbol, Value, home_of, scalar_type
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.rules.base import Context


def work_on_pairs(loop: ev.Loop, context: Context) -> cst.For | None:
    """The inner loop of two that read or store items of arrays at both their counters, such as ``x[i] - x[j]``.

    None where an iteration may work on more: whole arrays, windows (``image[i : i + h]``), matrices. Counters that
    only count (epochs, time steps) are no indices.
    """
    inner_loops = [part for part in walk(loop.node.body) if type(part) is cst.For]
    if not inner_loops:
        return None
    bases = {
        id(event.node if isinstance(event, ev.Read) else event.target): event.base
        for event in context.facts.events
        if isinstance(event, (ev.Read, ev.Store)) and context.may_be_tensor(event.base)
    }
    made = {*_assigned(loop.node.body), *target_names(loop.node.target)}
    for inner in inner_loops:
        items = [
            (part, bases[id(part)])
            for part in walk(inner.body)
            if type(part) is cst.Subscript and not isinstance(bases.get(id(part)), Sequence | None)
        ]
        counters = (set(target_names(loop.node.target)), set(target_names(inner.target)))
        if (
            all(any(_is_index(names, item) for item, _ in items) for names in counters)
            and all(_is_small(item, base, made) for item, base in items)
            and not _takes_whole_arrays(inner.body, made, context)
        ):
            return inner
    return None


def each_element(loop: ev.Loop, context: Context) -> cst.CSTNode | None:
    """The statement that stores an element of an ndarray at both counters of two nested loops; None without one.

    And if TensorFlow works in the inner loop: then it is called for each element by itself. Stores into tensors have
    events of their own.
    """
    inner_loops = [part for part in walk(loop.node.body) if type(part) is cst.For]
    for inner in inner_loops:
        inside = {id(part) for part in walk(inner.body)}
        if inside.isdisjoint(context.edits.replace):
            continue
        counters = (set(target_names(loop.node.target)), set(target_names(inner.target)))
        for event in context.facts.events:
            if (
                isinstance(event, ev.Store)
                and id(event.node) in inside
                and type(event.target) is cst.Subscript
                and len(event.target.slice) > 1
                and home_of(event.base) == HOST
                and all(_is_index(names, event.target) for names in counters)
                and _is_number_each(event.keys)
            ):
                return event.node
    return None


def _is_number_each(keys: tuple[Value, ...] | None) -> bool:
    return keys is not None and all(scalar_type(key) in ("int", "number") for key in keys)


def _assigned(body: cst.CSTNode) -> Iterator[str]:
    for part in walk(body):
        if type(part) is cst.AssignTarget or type(part) is cst.AnnAssign or type(part) is cst.For:
            yield from target_names(part.target)


def _is_index(names: set[str], item: cst.Subscript) -> bool:
    return any(_mentions(element.slice, names) for element in item.slice)


def _mentions(part: cst.BaseSlice, names: set[str]) -> bool:
    """Whether one of the names is in an index; bounds of slices are none."""
    return type(part) is cst.Index and any(type(name) is cst.Name and name.value in names for name in walk(part.value))


def _is_small(item: cst.Subscript, base: Value, names: set[str]) -> bool:
    """Whether it is one element, a row, or a part of one, as far as is known."""
    slices = [element.slice for element in item.slice]
    indices = sum(1 for part in slices if _mentions(part, names))
    if any(isinstance(part, cst.Slice) and (part.lower or part.upper) for part in slices) and not indices:
        return False
    return not (isinstance(base, Array) and base.rank is not None and base.rank - indices > 1)


def _takes_whole_arrays(body: cst.CSTNode, made: set[str], context: Context) -> bool:
    """Whether what may be an array, and was not made in the loops, is an operand or an argument as a whole."""
    inside = {id(part) for part in walk(body)}
    for event in context.facts.events:
        if isinstance(event, (ev.Operator, ev.Call, ev.Store)) and id(event.node) in inside:
            for node, value in _taken(event):
                if isinstance(node, cst.Name) and node.value not in made and not _is_number(value):
                    return True
    return False


def _taken(event: ev.Operator | ev.Call | ev.Store) -> Iterator[tuple[cst.CSTNode, Value]]:
    if isinstance(event, ev.Operator):
        yield from zip(operand_nodes(event.node), event.operands, strict=False)
    elif isinstance(event, ev.Store):
        if isinstance(event.base, Array) and event.base.rank is not None:  # s += x[i] * x[j] has no known rank
            yield event.target, event.base
    elif not (isinstance(event.callee, Symbol) and event.callee.name.startswith(("builtins.", "math."))):
        yield from ((argument.node.value, argument.value) for argument in event.arguments)
        if event.receiver is not None and isinstance(event.node.func, cst.Attribute):
            yield event.node.func.value, event.receiver


def operand_nodes(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The operands of an operator, in the order in which its event has their values."""
    if isinstance(node, cst.BinaryOperation):
        return [node.left, node.right]
    if isinstance(node, cst.Comparison):
        return [node.left, *(target.comparator for target in node.comparisons)]
    return [node.expression] if isinstance(node, cst.UnaryOperation) else []


def _is_number(value: Value) -> bool:
    return isinstance(value, (Const, Scalar)) or (isinstance(value, Array) and value.rank == 0)
