"""TNP706: loops that hand arrays to a function which nobody can see, and go on with what it gives."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Unknown
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Severity, document
from np2tnp.rules.cost.loop_work import RegionWork, operand_nodes

CODE = "TNP706"

document(
    Doc(
        code=CODE,
        name="callback-loop",
        summary="A loop that hands arrays to a function that nobody can see, and computes with what it gives.",
        why=(
            "Such a function takes and gives NumPy's arrays, so each iteration moves its arguments from the device to"
            " the host and its result back. And as nobody knows what it gives, an array or a list, no operator on that"
            " could stay an operator."
        ),
        does=(
            "Keeps the function in NumPy unless --slow convert is given, or --confirmed says that it was measured to be"
            " faster; it is counted, and shown with -v. Functions of the project that are called by their names are"
            " seen, and are no such functions."
        ),
        bad="""
            def euler(f, y, h, steps):
                for _ in range(steps):
                    y = y + h * f(np.sin(y))
                return y
        """,
        good="""
            def slope(y):
                return -np.sin(y)

            def euler(y, h, steps):
                for _ in range(steps):
                    y = y + h * slope(np.sin(y))
                return y
        """,
        severity=Severity.SLOWER,
    ),
)


def found(region: RegionWork) -> Iterator[Hit]:
    """One hit for each such function of the region, at its first call."""
    told: set[str] = set()
    for loop in region.loops:
        for call in _calls_back(loop, region.context):
            name = dotted(call.node.func)
            if name and name not in told:
                told.add(name)
                words = (
                    f"nobody can see what {name} does, so each iteration would move arrays to the host for it and its"
                    f" result back: best left in NumPy (--slow convert migrates it)"
                )
                yield Hit(CODE, call.node, words, Verdict.NOTE, left="loops")


def _calls_back(loop: cst.CSTNode, context: Context) -> Iterator[ev.Call]:
    """Calls of what nobody can see that get arrays of the device, and give operands of the runtime's operators."""
    parts = list(walk(loop))
    calls = [call for part in parts if (call := context.calls.get(id(part))) is not None]
    calls = [call for call in calls if isinstance(call.callee, Unknown) and _gets_tensors(call, context)]
    if not calls:
        return
    exact = _operands_of_exact_operators({id(part) for part in parts}, context)
    names = {node.value for node in exact if isinstance(node, cst.Name)}
    nodes = {id(node) for node in exact}
    bound = {
        id(part.value): [name for target in part.targets for name in target_names(target.target)]
        for part in parts
        if type(part) is cst.Assign
    }
    for call in calls:
        if id(call.node) in nodes or not names.isdisjoint(bound.get(id(call.node), ())):
            yield call


def _gets_tensors(call: ev.Call, context: Context) -> bool:
    return any(context.may_be_tensor(argument.value) for argument in call.arguments)


def _operands_of_exact_operators(inside: set[int], context: Context) -> list[cst.BaseExpression]:
    """The operands of operators that are written as the runtime's."""
    events = (event for event in context.facts.events if isinstance(event, ev.Operator) and id(event.node) in inside)
    return [node for event in events if id(event.node) in context.edits.replace for node in operand_nodes(event.node)]
