"""TNP104: results stored through out=."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import bind
from np2tnp.analysis.domain.values import Const
from np2tnp.analysis.syntax.scopes import dotted, parameters_of
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.facts import ApiFact
from np2tnp.edits import build
from np2tnp.edits.edit import StatementEdit, needs_tensor
from np2tnp.edits.mutation import RAISING, OutputForm, rebind
from np2tnp.edits.targets import name_in_tnp
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
            @rt.migrated(updates="y")
            def scale(x, y):
                y = rt.assign(y, tnp.multiply(x, 2), casting="same_kind")
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
        item = case.stores[0]
        form = _form(event, item, context)
        words = form if isinstance(form, str) else _problem(event, item) if case.kind is CallCase.OUT else ""
        if isinstance(form, str) or words:
            yield self.hit(event.node, words, Verdict.BLOCK)
            return
        for argument in event.arguments:
            if argument.node.value is not item.target and needs_tensor(argument.value):
                context.edits.wrap_tensor(argument.node.value)
        if case.kind is CallCase.NEW_OUT:
            context.edits.replace[id(event.node)] = lambda call: form.build(call, call.args[form.out].value, context.rt)
            words = "out=: the result is cast and stored as NumPy would"
        else:
            assert event.place.statement is not None
            edit = context.edits.statement(event.place.statement)
            if isinstance(event.place.statement, cst.Return):
                _store_before(event, form, context, edit)
            elif _may_stay_none(event, item.target, context):
                edit.change.append(partial(_beside_none, form, context, item.target, edit))
            else:
                edit.change.append(partial(_rebound, form, context))
                _bind_result(event.place.statement, item.target, edit)
            words = f"out=: {item.root} is bound to the result, cast as NumPy would"
        context.edits.total += 1
        context.edits.converted += 1
        yield self.hit(event.node, words, Verdict.ADAPT)


def _problem(event: ev.Call, item: ev.Store) -> str:
    """Why the statement around the call cannot become the rebinding of the array's name; empty where it can."""
    statement = event.place.statement
    name = dotted(item.target)
    if isinstance(statement, cst.Assign):
        targets = [target.target for target in statement.targets]
        if [dotted(target) for target in targets] == [name] and name:
            return ""
        if not isinstance(item.target, cst.Name) or len(targets) > 1 or not isinstance(targets[0], cst.Name):
            return "out= together with an assignment of the result: use one of them"
    elif isinstance(statement, cst.Return) and not isinstance(item.target, cst.Name):
        return "out= inside a return: store first, then return"
    elif not isinstance(statement, (cst.Expr, cst.Return)):
        return "out= inside another statement: store first"
    return ""


def _bind_result(statement: cst.CSTNode, output: cst.BaseExpression, edit: StatementEdit) -> None:
    """``y = np.f(x, out=m)``: after m is bound to the result, y is m."""
    if isinstance(statement, cst.Assign) and dotted(statement.targets[0].target) != dotted(output):
        target = statement.targets[0].target
        edit.after.append(lambda: build.assign(target, output))


def _may_stay_none(event: ev.Call, target: cst.BaseExpression, context: Context) -> bool:
    """Whether `target` is a parameter that is None by default, is never bound, and is looked at elsewhere."""
    node = context.facts.node
    if not isinstance(target, cst.Name) or not isinstance(node, cst.FunctionDef):
        return False
    if not any(p.name.value == target.value and _is_none(p.default) for p in parameters_of(node.params)):
        return False
    parts = list(walk(node.body))
    keywords = {id(part.keyword) for part in parts if isinstance(part, cst.Arg)}
    bound = {id(part.target) for part in parts if isinstance(part, cst.AssignTarget)}
    names = {id(part) for part in parts if isinstance(part, cst.Name) and part.value == target.value} - keywords
    here = names & {id(part) for part in walk(event.node)}
    return not names & bound and len(here) == 1 and (len(names) > 1 or event.place.loops > 0)


def _is_none(node: cst.BaseExpression | None) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"


def _beside_none(
    form: OutputForm, context: Context, output: cst.BaseExpression, edit: StatementEdit, statement: Any
) -> cst.BaseSmallStatement:
    """The result apart from `output`, which stays None where it is: ``y = np.f(x, out=m)``, ``np.f(x, out=m)``."""
    made = form.build(statement.value, output, context.rt)
    given = cst.Comparison(output, [cst.ComparisonTarget(cst.IsNot(), cst.Name("None"))])
    if not isinstance(statement, cst.Assign):
        return build.assign(output, cst.IfExp(given, made, cst.Name("None")))
    target = cst.ensure_type(statement.targets[0].target, cst.Name)
    edit.after.append(lambda: build.assign(output, cst.IfExp(given, target, cst.Name("None"))))
    return build.assign(target, made)


def _store_before(event: ev.Call, form: OutputForm, context: Context, edit: StatementEdit) -> None:
    """``return np.f(x, out=m)``: m is bound to the result in a statement before, and returned."""
    calls: list[cst.Call] = []

    def replace(call: cst.Call) -> cst.BaseExpression:
        calls.append(call)
        return call.args[form.out].value

    context.edits.replace[id(event.node)] = replace
    edit.before.append(lambda: _rebound(form, context, cst.Expr(calls[-1])))


#: What computes in the dtype of ``out``: of integers of a kind, any number of bits wraps to the same ones.
_WRAPPING = frozenset(("sum", "prod", "cumsum", "cumprod"))


def _form(event: ev.Call, item: ev.Store, context: Context) -> OutputForm | str:
    """The form of the new call, or why there is none."""
    fact = context.catalog.get(event.api or "")
    bound = bind(fact, event.arguments) if fact is not None else None
    index = next((i for i, arg in enumerate(event.arguments) if arg.node.value is item.target), -1)
    if fact is None or bound is None or index < 0:
        return "out= whose place is not known"
    where = bound.get("where")
    casting = _casting(bound.get("casting"), fact)
    if where is not None and casting == "equal":
        return "out= and where= of what does not work element by element"
    if casting == "equal" and fact.name.rpartition(".")[2] in _WRAPPING and "dtype" not in bound:
        casting = "wrapping"
    if not casting:
        return "out= whose casting= is not known" if casting is None else "out= that NumPy does not store into"
    if fact.rt is None and fact.kind != "ufunc":
        return f"out= of {(event.api or '').rpartition('.')[2]}, for which there is no exact target"
    helper = fact.rt.name[3:] if fact.rt is not None else fact.name.rpartition(".")[2]
    followed = any(argument.name is None for argument in event.arguments[index + 1 :])
    keeps_place = event.arguments[index].name is None and followed
    where_index = next((i for i, arg in enumerate(event.arguments) if arg is where), None)
    others = tuple(it for number, it in enumerate(event.arguments) if number not in (index, where_index))
    is_tnps = context.boundary == "numpy" and not keeps_place and (where is None or helper not in RAISING)
    is_tnps = is_tnps and name_in_tnp(helper, replace(event, arguments=others), context.catalog)
    helper = f"{context.tnp if is_tnps else context.rt}.{helper}"
    return OutputForm(helper, casting, index, where_index, keeps_place, event.receiver is not None)


def _rebound(form: OutputForm, context: Context, statement: Any) -> cst.BaseSmallStatement:
    call = statement.value
    output = call.args[form.out].value
    return rebind(output, lambda base: form.build(call, base, context.rt), context.rt, context.tnp)


def _casting(argument: ev.Argument | None, fact: ApiFact) -> str | None:
    """By which rule the result is cast to ``out``; None where only a call shows it."""
    if argument is None:
        return fact.out_casting
    value = argument.value
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None
