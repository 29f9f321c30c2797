"""TNP703: loops over elements that become operations on whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.loops.loop_parts import Events, Form, Head, NoForm
from np2tnp.analysis.loops.whole_array_form import whole_array_form
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import nodes_of, walk
from np2tnp.edits import build, layout
from np2tnp.edits.edit import Edits, StatementEdit
from np2tnp.edits.targets import UFUNC_OF_OPERATOR
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cost.element_loops import ElementLoop
from np2tnp.rules.cost.part_loops import COMPILES

# --- Edits of loops over elements that get whole-array form: ``for i in rt.vectorized(range(n), ...)``


def is_free(form: Form, edits: Edits) -> bool:
    """Whether no other edit stands in the way: what lives on the host is no array of all iterations."""
    for statement in form.statements:
        edit = edits.statements.get(id(statement))
        if edit is not None and (edit.before or edit.after or edit.parts or edit.names or edit.drop):
            return False
    parts = {id(part) for statement in form.statements for part in walk(statement)}
    return parts.isdisjoint(edits.host) and parts.isdisjoint(edits.tensor)


def vectorize(form: Form, edits: Edits, rt: str, words: frozenset[str]) -> None:
    """Put the form's edits into `edits`, over those that the elements had. `words`: names that are taken."""
    then, where = (_unused(name, words) for name in ("then", "where"))

    def mask(node: cst.CSTNode) -> str:
        """The name of the iterations that do what `node` does."""
        level = form.masks.get(id(node), 0)
        return f"{where}{level if level > 1 else ''}" if level else ""

    for branch, level, counter in form.branches.values():
        number = str(level + 1) if level else ""
        edits.blocks[id(branch)] = partial(
            _branch, rt, (f"{then}{number}", f"{where}{number}"), [counter, mask(branch.test)]
        )
        edits.host.discard(id(branch.test))
    for head in form.heads:
        edits.replace[id(head.node.iter)] = partial(_head, head, rt)
        if not head.counted:
            edits.replace[id(head.node.target)] = partial(_target, head)
    stored = {id(touch.node) for touch in form.touches if touch.stores}
    for touch in form.touches:
        inner = touch.node.value
        while isinstance(inner, cst.Subscript):
            edits.replace.pop(id(inner), None)
            inner = inner.value
        if id(touch.node) not in stored:
            edits.replace[id(touch.node)] = partial(_element, rt, mask(touch.node))
    for node, op in form.operators.values():
        edits.replace[id(node)] = partial(layout.operation, f"{rt}.op_{op}")
    for call, name in form.calls.values():
        edits.replace[id(call)] = partial(_function, build.name(f"{rt}.{name}"))
    for statement, op in form.stores.values():
        _change(edits, statement, partial(_store, rt, mask(statement), UFUNC_OF_OPERATOR[op] if op else "set"))
    for statement, name, value, before in form.running.values():
        right = isinstance(statement, cst.Assign) and getattr(statement.value, "right", None) is value
        _change(edits, statement, partial(_running, rt, name, right, before))
        edits.replace.pop(id(statement.value), None)  # type: ignore[attr-defined]
    for fold, name, counter in form.folds.values():
        _change(edits, fold, partial(_assigned, f"{rt}.fold_{name}", [counter, *filter(None, [mask(fold)])]))
    for update, op in form.updates.values():
        _change(edits, update, partial(_assigned, f"{rt}.op_{op.rstrip('_')}", []))


def _change(edits: Edits, statement: cst.CSTNode, change: Callable[[Any], cst.BaseSmallStatement]) -> None:
    edits.statements[id(statement)] = StatementEdit(change=[change])


def _head(head: Head, rt: str, updated: cst.BaseExpression) -> cst.BaseExpression:
    arguments = [build.argument(updated)]
    function = "vectorized"
    if head.elements:
        arrays = [cst.Name(name) for name in head.elements.values()]
        tuples = isinstance(updated, cst.Call) and _is_zip(updated.args[0].value if head.counted else updated)
        function = "zipped" if tuples else "enumerated"
        arguments = [build.argument(_tuple(arrays) if tuples else arrays[0])]
        if head.start:
            arguments.append(build.argument(cst.Integer(str(head.start))))
    groups: list[tuple[str, Sequence[cst.BaseExpression]]] = [
        ("numbers", list(head.numbers.values())),
        ("vectors", [cst.Name(name) for name in head.vectors if name not in head.elements.values()]),
        ("matrices", [cst.Name(name) for name in head.matrices]),
        ("least", head.least),
    ]
    arguments += [build.argument(_tuple(items), name) for name, items in groups if items]
    if head.low:
        arguments.append(build.argument(cst.UnaryOperation(cst.Minus(), cst.Integer(str(-head.low))), "low"))
    if head.within:
        arguments.append(build.argument(cst.Name(head.within), "within"))
    elif head.depth > 1:
        arguments.append(build.argument(cst.Integer(str(head.depth)), "depth"))
    return cst.Call(build.name(f"{rt}.{function}"), build.separated(arguments))


def _is_zip(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "zip"


def _target(head: Head, updated: cst.BaseExpression) -> cst.BaseExpression:
    """The target of a loop that got a counter."""
    if isinstance(updated, (cst.Tuple, cst.List)):
        updated = build.tuple_of([cst.Arg(element.value) for element in updated.elements])
    return build.tuple_of([cst.Arg(cst.Name(head.counter)), cst.Arg(updated)]).with_changes(lpar=[], rpar=[])


def _tuple(items: Sequence[cst.BaseExpression]) -> cst.BaseExpression:
    return build.tuple_of([cst.Arg(item) for item in items])


def _flat(node: cst.BaseExpression) -> tuple[cst.BaseExpression, list[cst.SubscriptElement]]:
    """The array, and its whole index: ``a[i][j]`` is ``a[i, j]``."""
    key: list[cst.SubscriptElement] = []
    while isinstance(node, cst.Subscript):
        key = [*node.slice, *key]
        node = node.value
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    for number, part in enumerate(key[:-1]):
        if part.comma is cst.MaybeSentinel.DEFAULT:
            key[number] = part.with_changes(comma=comma)
    return node, key


def _at(
    rt: str, mask: str, base: cst.BaseExpression, key: list[cst.SubscriptElement], method: str, *values: Any
) -> cst.BaseExpression:
    """``rt.at(base)[key].method(values)``, or ``rt.at(base, mask)...``."""
    arguments = [base, cst.Name(mask)] if mask else [base]
    item = cst.Subscript(build.call(f"{rt}.at", *arguments), key)
    return build.call(cst.Attribute(item, cst.Name(method)), *values)


def _unused(name: str, words: frozenset[str]) -> str:
    while name in words:
        name += "_"
    return name


def _branch(rt: str, names: tuple[str, str], more: list[str], updated: cst.If) -> cst.For:
    """``for then, where in rt.branches(test, i): if then: ... else: ...``."""
    other: cst.CSTNode | None = updated.orelse
    if isinstance(other, cst.For):  # it was an elif
        other = cst.Else(cst.IndentedBlock([other]))
    space = cst.SimpleWhitespace(" ")
    inner = updated.with_changes(test=cst.Name(names[0]), orelse=other, leading_lines=(), whitespace_before_test=space)
    arguments = [updated.test, *map(cst.Name, filter(None, more))]
    return cst.For(
        build.names_tuple(names),
        build.call(f"{rt}.branches", *arguments),
        cst.IndentedBlock([inner]),
        leading_lines=updated.leading_lines,
    )


def _element(rt: str, mask: str, updated: cst.BaseExpression) -> cst.BaseExpression:
    base, key = _flat(updated)
    return _at(rt, mask, base, key, "get")


def _function(function: cst.BaseExpression, updated: cst.Call) -> cst.BaseExpression:
    return updated.with_changes(func=function)


def _store(rt: str, mask: str, method: str, updated: cst.Assign | cst.AugAssign) -> cst.BaseSmallStatement:
    target = updated.targets[0].target if isinstance(updated, cst.Assign) else updated.target
    base, key = _flat(target)
    return build.assign(base, _at(rt, mask, base, key, method, updated.value))


def _running(rt: str, name: str, right: bool, before: int, updated: cst.Assign) -> cst.BaseSmallStatement:
    value = updated.value
    assert isinstance(value, cst.BinaryOperation)
    base, key = _flat(updated.targets[0].target)
    step = cst.Integer("1") if before > 0 else cst.UnaryOperation(cst.Minus(), cst.Integer("1"))
    return build.assign(
        base, build.at(rt, base, key, "accumulate", build.string(name), value.right if right else value.left, step)
    )


def _assigned(function: str, more: list[str], updated: cst.AugAssign) -> cst.BaseSmallStatement:
    arguments = [updated.target, updated.value, *map(cst.Name, more)]
    return build.assign(updated.target, build.call(function, *arguments))


# --- The rule


@register
class WholeArrayLoop(Rule):
    doc = Doc(
        code="TNP703",
        name="whole-array-loop",
        summary="A loop over elements that is the same as operations on whole arrays.",
        why="Element by element TensorFlow takes a thousand times as long as NumPy; all at once, a part of its time.",
        does=(
            "Lets the counter stand for all its values: the body is then evaluated once, on arrays. It is done where no"
            " iteration needs what another one did, but for sums and products, which are added up in the loop's order"
            " (a GPU has an order of its own). What only values can show (ranks, negative indices) is looked at when"
            " the loop begins; the loop then runs as it was written. A loop inside of another one that has no such form"
            " changes with --slow convert only."
        ),
        bad="""
            def smooth(x):
                y = np.zeros(x.shape)
                for i in range(1, len(x) - 1):
                    y[i] = 0.5 * (x[i - 1] + x[i + 1])
                return y
        """,
        good="""
            @rt.migrated(no_lists="x", zero_d="array")
            def smooth(x):
                y = tnp.zeros(x.shape)
                for i in rt.vectorized(range(1, len(x) - 1), vectors=(x, y)):
                    y = rt.at(y)[i].set(0.5 * (rt.at(x)[i - 1].get() + rt.at(x)[i + 1].get()))
                return y
        """,
        severity=Severity.SLOWER,
    )
    on = (ev.Loop,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Loop)
        function = context.facts.node
        if not context.in_region or not isinstance(function, cst.FunctionDef) or event.place.nested:
            return
        if context.compile != "none" or context.boundary != "numpy" or context.float32:
            return  # loops are staged; traced tensors have no values to look at; Python's numbers count in float64
        if context.events is None:
            context.events = Events(context.facts.events)
        try:
            form = whole_array_form(event.node, function, context.events)
            if not is_free(form, context.edits):
                raise NoForm("its statements change in other ways")
        except NoForm as reason:
            context.no_form.append((event.node, _told(str(reason), event.node)))
            return
        vectorize(form, context.edits, context.rt, context.events.words(function))
        context.edits.converted += 1
        context.edits.total += 1
        context.vectorized.update(id(part) for part in walk(event.node) if isinstance(part, cst.For))
        if event.place.loops:  # a few operations, where NumPy's loop has a few elements: how many, nobody knows
            context.no_form.append((event.node, _of_all(event.node, function)))
        else:
            context.vectorized.update(map(id, form.statements))
        names = ", ".join(form.results)
        message = (
            f"this loop over elements becomes whole-array operations on {names}: faster from thousands of iterations"
        )
        yield self.hit(event.node, message, Verdict.ADAPT)


def _of_all(loop: cst.For, function: cst.FunctionDef) -> str:
    """What is advised of a loop that has whole-array form inside of others: all of them at once have one, too."""
    around = [it for it in nodes_of(function) if isinstance(it, (cst.For, cst.While)) and loop in walk(it)]
    if not all(isinstance(it, cst.For) for it in around):
        return "its whole-array form is run again in each iteration of the loop around"
    inside = [it for it in walk(loop) if isinstance(it, cst.For) and it is not loop]
    names = [name for it in (*around, *inside) if isinstance(it, cst.For) for name in target_names(it.target)]
    counters = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
    return f"write the loops over {counters} as one expression on whole arrays"


def _told(reason: str, loop: cst.CSTNode) -> str:
    if reason.startswith("an iteration needs") and not any(_counts(node, reason) for node in walk(loop)):
        return f"{reason}{COMPILES}"
    if any(words in reason for words in _OF_FORMS):
        return "write it on whole arrays"
    return f"write it on whole arrays (np2tnp does not: {reason})"


def _counts(node: cst.CSTNode, reason: str) -> bool:
    """Whether a statement only counts by the name that an iteration needs: ``c += 1`` is known before the loop."""
    if not isinstance(node, cst.AugAssign) or not isinstance(node.target, cst.Name):
        return False
    return isinstance(node.value, cst.Integer) and f"the {node.target.value} of the one before" in reason


#: In reasons that are about the forms that are known here, and say nothing about the loop to its author.
_OF_FORMS = ("that is no name", "stays an ndarray", "change in other ways", "rows are no elements")


def _reasons(context: Context) -> dict[int, str]:
    """By id, why stores in loops stay slow: in an inner loop of which more is known, for what is known of that."""
    found: dict[int, str] = {}
    for loop, words in context.no_form:
        for part in walk(loop):
            if type(part) is cst.Assign or type(part) is cst.AugAssign:
                found.setdefault(id(part), words)
    return found


def settled(hits: list[Hit], context: Context) -> list[Hit]:
    """The hits, without element loops that got whole-array form; the others say why they have none."""
    if context.events is None:
        return hits
    result: list[Hit] = []
    reasons: dict[int, str] | None = None
    for hit in hits:
        if hit.code == ElementLoop.doc.code:
            if id(hit.node) in context.vectorized:
                continue
            reasons = _reasons(context) if reasons is None else reasons
            reason = reasons.get(id(hit.node))
            if reason:
                hit = replace(hit, message=f"{hit.message}; {reason}")
        result.append(hit)
    return result
