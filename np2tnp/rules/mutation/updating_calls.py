"""TNP106: calls of migrated functions that update their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import Summary
from np2tnp.analysis.domain.values import is_number
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.edits.mutation import is_storable, rebind
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import CallCase, call_case
from np2tnp.rules.words_and_edits import unused_name, use_core


@register
class UpdatingCall(Rule):
    doc = Doc(
        code="TNP106",
        name="updating-call",
        summary="A call of a function of the project that updates its arguments in place and is migrated as well.",
        why="The callee cannot change the tensors that it gets; its updates would be lost.",
        does=(
            "Calls the functional core, which returns the new arrays besides its result, and binds the names to them."
            " A call inside an expression moves to a line before, where nothing is computed before it."
        ),
        bad="""
            def step(x):
                x += np.tanh(x)


            def run(x):
                y = np.exp(x)
                step(y)
                return y
        """,
        good="""
            @rt.migrated(updates="x", no_lists="x")
            def step(x):
                x = rt.iadd(x, tnp.tanh(x))
                return rt.updated(None, x=x)


            @rt.migrated
            def run(x):
                y = tnp.exp(x)
                _, y = step.core(y)
                return y
        """,
        severity=Severity.SILENT,
    )
    on = (Calls.UPDATING,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        case = call_case(event, context)
        if case is not None and case.summary is not None:
            assert case.kind is CallCase.CORE
            yield from self._core(event, case.summary, context)

    def _core(self, event: ev.Call, summary: Summary, context: Context) -> Iterator[Hit]:
        use_core(event, context, summary)
        by_name = _targets_by_parameter(summary.parameters, event)
        targets = [by_name.get(name) for name in summary.mutates]
        statement = event.place.statement
        context.edits.total += 1
        context.edits.converted += 1
        form = summary.form if context.boundary == "tensor" else "pair"
        complex_targets = [t for t in targets if t is not None and not isinstance(t, cst.Name) and is_storable(t)]
        unread = _unread_name(context)
        numbers = _numbers(event)
        names = [t.value if isinstance(t, cst.Name) and id(t) not in numbers else unread for t in targets]
        if isinstance(statement, cst.Assign) and event.place.root:  # it is bound last: y = step(y)
            bound = {name for target in statement.targets for name in target_names(target.target)}
            names = [unread if name in bound else name for name in names]
        edit = context.edits.statement(statement)  # type: ignore[arg-type]
        if complex_targets:
            if len(targets) > 1 or not isinstance(statement, cst.Expr) or not event.place.root:
                yield self.hit(
                    event.node,
                    "a call that updates several arrays, one of them part of another: use plain names",
                    Verdict.BLOCK,
                )
                return
            target = complex_targets[0]

            def whole(updated: cst.Expr) -> cst.BaseSmallStatement:
                if form != "pair":
                    return rebind(target, lambda base: updated.value, context.rt, context.tnp)
                changed = cst.Subscript(
                    cst.Call(build.name("tuple"), [build.argument(updated.value)]),
                    [cst.SubscriptElement(cst.Index(cst.Integer("1")))],
                )
                return rebind(target, lambda base: changed, context.rt, context.tnp)

            edit.change.append(whole)
        elif form == "updated" and not (isinstance(statement, cst.Expr) and event.place.root):
            message = "the result of a function that only updates its arguments is used; write the call on a line"
            yield self.hit(event.node, message, Verdict.BLOCK)
            return
        elif set(names) == {unread}:
            if form == "pair" and not (isinstance(statement, cst.Expr) and event.place.root):
                _take_result(event, context)
        elif isinstance(statement, cst.Return) or not event.place.root:
            number = len(edit.before) + 1
            result = unused_name("result" if number == 1 else f"result{number}", context)
            edit.before.append(lambda: _bound([result, *names], form, event.node, unread))
            _hoist(event, context, result)
        else:
            first: cst.BaseExpression = cst.Name(unread)
            if isinstance(statement, cst.Assign):
                first = statement.targets[0].target
                if len(statement.targets) > 1 or not _only_names(first):
                    yield self.hit(
                        event.node,
                        "the result of a call that updates its arguments goes to more than plain names",
                        Verdict.BLOCK,
                    )
                    return

            def change(updated: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
                value: cst.BaseExpression = updated.value  # type: ignore[attr-defined]
                if form == "pair":
                    return build.assign(build.targets_tuple(first, names), value)
                kept = [first] if form == "same" and isinstance(updated, cst.Assign) else []
                return _bound([*kept, *names], form, value, unread)

            edit.change.append(change)
        yield self.hit(
            event.node,
            f"{dotted(event.node.func)}() updates its arguments: its core gives the new arrays back",
            Verdict.ADAPT,
        )


def _numbers(event: ev.Call) -> set[int]:
    """Which arguments certainly are numbers: the callee's updates of those are its own."""
    return {id(it.node.value) for it in event.arguments if is_number(it.value)}


def _take_result(event: ev.Call, context: Context) -> None:
    """Nobody reads the arrays that the core gives beside its result."""
    if context.boundary == "tensor":  # a tuple
        first = [cst.SubscriptElement(cst.Index(cst.Integer("0")))]
        context.edits.replace[id(event.node)] = lambda updated: cst.Subscript(updated, first)
        return
    change = context.edits.replace[id(event.node)]
    context.edits.replace[id(event.node)] = lambda updated: cst.Attribute(change(updated), cst.Name("result"))


def _bound(
    targets: Sequence[str | cst.BaseExpression], form: str, value: cst.BaseExpression, unread: str
) -> cst.Assign:
    """Bind what a core returns: ``a, b = value``, or ``a = b = value`` where it is the `same` object for all."""
    nodes = [cst.Name(target) if isinstance(target, str) else target for target in targets]
    if form == "same":
        each = [node for node in nodes if not (isinstance(node, cst.Name) and node.value == unread)] or nodes[:1]
        return cst.Assign([cst.AssignTarget(node) for node in each], value)  # type: ignore[arg-type]
    if len(nodes) == 1:
        return build.assign(nodes[0], value)
    return build.assign(build.targets_tuple(nodes[0], [cst.ensure_type(n, cst.Name).value for n in nodes[1:]]), value)


def _unread_name(context: Context) -> str:
    """What is bound and not needed: `_`, or another name where the function reads that (gettext)."""
    named = bound = 0
    for node in walk(context.facts.node):
        if isinstance(node, cst.Name):
            named += node.value == "_"
        elif isinstance(node, (cst.For, cst.CompFor, cst.AssignTarget)):
            bound += list(target_names(node.target)).count("_")
    return unused_name("_", context) if named > bound else "_"


def _only_names(target: cst.BaseExpression) -> bool:
    if isinstance(target, (cst.Tuple, cst.List)):
        return all(_only_names(element.value) for element in target.elements)
    return isinstance(target, cst.Name)


def _hoist(event: ev.Call, context: Context, result: str) -> None:
    """The call moves to a statement before; what stood in its place reads the result."""
    edits = context.edits
    change = edits.replace.pop(id(event.node), None)  # the boundary "tensor" calls no core
    statement = edits.statement(event.place.statement)  # type: ignore[arg-type]
    made: list[cst.BaseExpression] = []

    def replace(updated: cst.BaseExpression) -> cst.BaseExpression:
        made.append(updated if change is None else change(updated))
        return cst.Name(result)

    edits.replace[id(event.node)] = replace
    first = statement.before.pop()

    def before() -> cst.BaseSmallStatement:
        assign = first()
        assert isinstance(assign, cst.Assign)
        return assign.with_changes(value=made[-1])

    statement.before.append(before)


def _targets_by_parameter(parameters: tuple[str, ...], event: ev.Call) -> dict[str, cst.BaseExpression]:
    return {
        argument.name or (parameters[index] if index < len(parameters) else ""): argument.node.value
        for index, argument in enumerate(event.arguments)
    }
