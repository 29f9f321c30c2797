"""TNP103: calls that change an array in place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import NONE, Unknown
from np2tnp.edits import build
from np2tnp.edits.edit import convert_arguments, needs_tensor
from np2tnp.edits.mutation import rebind
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, register
from np2tnp.rules.cases import CallCase, call_case


@register
class InPlaceCall(Rule):
    doc = Doc(
        code="TNP103",
        name="in-place-call",
        summary=(
            "A call that changes an array in place: x.sort(), x.fill(v), np.copyto(x, y), np.add.at(x, i, v),"
            " np.fill_diagonal..."
        ),
        why="There is nothing in place on tensors: x.sort() does not exist, and tnp has none of these functions.",
        does="Takes the changed array from the runtime's function of the same name and rebinds the name.",
        bad="""
            def ordered(x):
                y = np.exp(x)
                y.sort()
                return y
        """,
        good="""
            @rt.migrated
            def ordered(x):
                y = tnp.exp(x)
                y = rt.sort(y)
                return y
        """,
        safety="Safe, where the call is a statement of its own; elsewhere the function is left in NumPy.",
    )
    on = (Calls.UPDATING,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        case = call_case(event, context)
        if case is None:
            return
        if case.kind is CallCase.TOP_LEVEL:
            convert_arguments(event, context.edits, "host")
            yield self.hit(event.node, "this call changes an ndarray in place", Verdict.HOST)
        elif case.kind is CallCase.NESTED:
            words = "a call that changes an array inside a larger expression: give it a statement of its own"
            yield self.hit(event.node, words, Verdict.BLOCK)
        elif case.kind is CallCase.NO_FORM:
            yield self.hit(event.node, case.why, Verdict.BLOCK)
        elif case.kind is CallCase.FUNCTIONAL:
            yield from self._functional(event, case.stores[0], case.function, context)

    def _functional(self, event: ev.Call, item: ev.Store, function: str, context: Context) -> Iterator[Hit]:
        if not isinstance(event.place.statement, cst.Expr):
            yield self.hit(
                event.node,
                "the None that this call returns is used: give the call a statement of its own",
                Verdict.BLOCK,
            )
            return
        method = event.receiver is not None
        given = [number for number, arg in enumerate(event.node.args) if arg.value is item.target]
        place = given[0] if given else 0  # by its name it may stand anywhere
        if function == "sort" and any(argument.value == NONE for argument in event.arguments):
            function = "sort_in_place"  # the method takes no axis=None, the function does
        for argument in event.arguments:
            if argument.node.value is not item.target and needs_tensor(argument.value):
                context.edits.wrap_tensor(argument.node.value)

        def change(updated: cst.Expr) -> cst.BaseSmallStatement:
            call = updated.value
            assert isinstance(call, cst.Call)
            if method:
                assert isinstance(call.func, cst.Attribute)
                target, rest = call.func.value, list(call.args)
            else:
                target, rest = call.args[place].value, [*call.args[:place], *call.args[place + 1 :]]
                if place:
                    rest = [argument.with_changes(comma=cst.MaybeSentinel.DEFAULT) for argument in rest]

            def value(base: cst.BaseExpression) -> cst.BaseExpression:
                return build.call(f"{context.rt}.{function}", build.argument(base), *rest)

            return rebind(target, value, context.rt, context.tnp)

        context.edits.statement(event.place.statement).change.append(change)
        words = f"rt.{function} gives the changed array, and {item.root} is bound to it"
        name = event.node.func.attr.value if isinstance(event.node.func, cst.Attribute) else ""
        if isinstance(event.receiver, Unknown) and hasattr(list, name):
            words += ", if it is no list"  # so nothing says that this is work on arrays
        else:
            context.edits.total += 1
            context.edits.converted += 1
        yield self.hit(event.node, words, Verdict.ADAPT)
