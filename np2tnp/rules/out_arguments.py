"""TNP104: results stored through out=."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.binding import bind
from np2tnp.analysis.module import dotted
from np2tnp.analysis.values import Const
from np2tnp.catalog.catalog import ApiFact
from np2tnp.edits import build
from np2tnp.edits.calls import needs_tensor
from np2tnp.edits.mutation import rebind
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, register
from np2tnp.rules.cases import CallCase, call_case


@register
class OutArgument(Rule):
    doc = Doc(
        code="TNP104",
        name="out-argument",
        summary="A result that is stored through out=, with or without where=.",
        why="No tnp function takes out= or where=, and there is no memory to store into.",
        does=(
            "Computes the result, casts it as NumPy would, and rebinds the name; arguments are written back for"
            " the caller."
        ),
        bad="""
            def scale(x, y):
                np.multiply(x, 2, out=y)
        """,
        good="""
            @rt.migrated(mutates=("y",))
            def scale(x, y):
                y = rt.assign(y, rt.multiply(x, 2), casting="same_kind")
                return rt.updated(None, y=y)
        """,
        safety="Safe. It saves no memory any more: the result is a new array.",
    )
    on = (Calls.UPDATING,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        case = call_case(event, context)
        if case is None or case.kind not in (CallCase.OUT, CallCase.NEW_OUT):
            return
        words = self._unassigned(event, case.stores[0]) if case.kind is CallCase.OUT else ""
        form = words or _form(event, case.stores[0], context)
        if isinstance(form, str):
            yield self.hit(event.node, form, Verdict.BLOCK)
            return
        if case.kind is CallCase.NEW_OUT:
            context.edits.replace[id(event.node)] = lambda call: form(call)[1](form(call)[0])
            words = "out=: the result is cast as NumPy would"
        else:
            statement = event.place.statement
            assert statement is not None
            context.edits.statement(statement).change.append(
                lambda updated: rebind(*form(updated.value), context.rt, context.tnp)
            )
            words = f"out=: {case.stores[0].root} is bound to the result, cast as NumPy would"
        context.edits.needs.add("rt")
        context.edits.total += 1
        context.edits.converted += 1
        yield self.hit(event.node, words, Verdict.ADAPT)

    @staticmethod
    def _unassigned(event: ev.Call, item: ev.Store) -> str:
        """Why no statement can rebind the target; empty where it can."""
        statement = event.place.statement
        name = dotted(item.target)
        if isinstance(statement, cst.Assign):
            targets = [dotted(target.target) for target in statement.targets]
            return (
                "" if targets == [name] and name else "out= together with an assignment of the result: use one of them"
            )
        return "" if isinstance(statement, cst.Expr) else "out= inside a return: store first, then return"


Form = Callable[[Any], tuple[cst.BaseExpression, Callable[[cst.BaseExpression], cst.BaseExpression]]]


def _form(event: ev.Call, item: ev.Store, context: Context) -> Form | str:
    """What gives, for the call as it is by then, its target and what that becomes; or why there is no such form."""
    fact = context.catalog.get(event.api or "")
    bound = bind(fact, event.arguments) if fact is not None else None
    where = bound.get("where") if bound is not None else None
    index = next((i for i, arg in enumerate(event.arguments) if arg.node.value is item.target), -1)
    if bound is None or index < 0 or (event.arguments[index].name is None and event.receiver is not None):
        return "out= whose place is not known"
    casting = _casting(bound.get("casting"), fact)
    if where is not None and casting == "equal":
        return "out= and where= of what does not work element by element"
    if casting is None:
        return "out= whose casting= is not known"
    drop = {index}
    if where is not None:
        drop |= {i for i, arg in enumerate(event.arguments) if arg is where}
    function = event.api.rpartition(".")[2] if event.api else ""
    helper = fact is not None and fact.rt is not None
    if not helper and (fact is None or fact.kind != "ufunc"):
        return f"out= of {function}, for which there is no exact target"
    rt_name = fact.rt.name[3:] if fact is not None and fact.rt is not None else function
    rest = [argument for i, argument in enumerate(event.arguments) if i not in drop]
    for argument in rest:
        if needs_tensor(argument.value):
            context.edits.wrap_tensor(argument.node.value)

    def form(call: Any) -> tuple[cst.BaseExpression, Callable[[cst.BaseExpression], cst.BaseExpression]]:
        arguments = [arg for i, arg in enumerate(call.args) if i not in drop]
        if event.receiver is not None:
            arguments.insert(0, build.argument(call.func.value))
        if arguments:
            arguments[-1] = arguments[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        computed = build.call(f"{context.rt}.{rt_name}", *arguments)
        extra = [build.argument(build.string(casting), "casting")]
        if where is not None:
            extra.append(
                next(arg for i, arg in enumerate(call.args) if i in drop and i != index).with_changes(
                    comma=cst.MaybeSentinel.DEFAULT
                )
            )
        assign = f"{context.rt}.assign"
        return call.args[index].value, lambda base: build.call(
            assign, build.argument(base), build.argument(computed), *extra
        )

    return form


#: Functions that are no ufuncs and calculate in the dtype that the arguments have, whatever `out` is.
_BY_ARGUMENTS = frozenset("clip concatenate stack vstack hstack outer round around".split())


def _casting(argument: ev.Argument | None, fact: ApiFact | None) -> str | None:
    """By which rule the result is cast to ``out``; None where only a call shows it.

    "equal": not at all. Reductions, and others, calculate in the dtype of ``out``.
    """
    if argument is None:
        by_arguments = fact is not None and (
            fact.name.rpartition(".")[2] in _BY_ARGUMENTS
            or (fact.kind == "ufunc" and not fact.name.endswith((".reduce", ".accumulate", ".reduceat")))
        )
        return "same_kind" if by_arguments else "equal"
    value = argument.value
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None
