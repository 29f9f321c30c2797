"""Arrays that an expression has read before it calls something which may change them.

NumPy's operand is the array itself, read when the operator runs: after the call. A tensor was made before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import HOST, NO_NAMES, Function, home_of, refs_of
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.rules.base import Context

#: An operand, the memory that it shows, and what is evaluated after it.
_Read = tuple[cst.BaseExpression, frozenset[str], cst.BaseExpression]

#: Most operands: they call nothing.
_LEAVES = frozenset((cst.Name, cst.Integer, cst.Float, cst.SimpleString))


def guard_calls(event: ev.Call | ev.Operator | ev.Store, context: Context) -> None:
    """Have calls refused, when they happen, that change what was read before them in the expression of `event`."""
    if isinstance(event, ev.Call):
        _guard_in_display(event, context)
    for first, refs, later in _reads(event):
        if not refs or type(later) in _LEAVES:
            continue
        given = context.calls.get(id(first))
        if given is not None and given.api is None and not (isinstance(given.callee, Function) and given.callee.nested):
            continue  # what another callee gave back: a new array nearly always, and NumPy's own object
        for node in walk(later):
            call = context.calls.get(id(node)) if type(node) is cst.Call else None
            if call is not None and not refs.isdisjoint(_changeable(call.arguments, context)):
                _guard(call.node, context)


def _reads(event: ev.Call | ev.Operator | ev.Store) -> Iterator[_Read]:
    node = event.node
    if isinstance(event, ev.Store):
        if isinstance(node, cst.AugAssign) and home_of(event.base) != HOST:  # NumPy updates the ndarray itself
            yield node.target, refs_of(event.base), node.value
        return
    if isinstance(event, ev.Operator):
        if type(node) is cst.BinaryOperation:
            yield node.left, refs_of(event.operands[0]), node.right
        elif type(node) is cst.Comparison:
            yield node.left, refs_of(event.operands[0]), node.comparisons[0].comparator
        return
    before = [
        # NumPy's own calls get tensors of ndarrays, too; others get these themselves
        (argument.node.value, refs_of(argument.value) if event.api or home_of(argument.value) != HOST else NO_NAMES)
        for argument in event.arguments
    ]
    if event.api and event.receiver is not None:
        before.insert(0, (event.node.func, refs_of(event.receiver)))
    for place, (later, _) in enumerate(before):
        for first, refs in before[:place]:
            yield first, refs, later


def _guard_in_display(event: ev.Call, context: Context) -> None:
    """``y, f(y)``: the tuple holds the array as `f` left it."""
    copied = (item for item in event.arguments if home_of(item.value) != HOST)
    refs = _changeable(copied, context)
    statement = event.place.statement
    for display in walk(statement) if refs and statement is not None and not event.place.root else ():
        if type(display) is cst.Tuple or type(display) is cst.List:
            for element in display.elements:
                if any(node is event.node for node in walk(element)):
                    break
                if any(isinstance(node, cst.Name) and node.value in refs for node in walk(element)):
                    _guard(event.node, context)


def _changeable(arguments: Iterable[ev.Argument], context: Context) -> frozenset[str]:
    return NO_NAMES.union(*(refs_of(item.value) for item in arguments if id(item.node) in context.changeable))


def _guard(node: cst.Call, context: Context) -> None:
    callee = context.calls[id(node)].callee
    summary = context.summary(callee) if isinstance(callee, Function) else None
    if id(node) in context.changing or (summary is not None and summary.migrated):
        return
    context.changing.add(id(node))
    edits, function = context.edits, f"{context.rt}.unchanging"
    change = edits.replace.get(id(node.func))

    def guarded(updated: Any) -> cst.BaseExpression:
        return build.call(function, change(updated) if change is not None else updated)

    edits.replace[id(node.func)] = guarded
