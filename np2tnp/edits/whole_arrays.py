"""Edits of loops over elements that get whole-array form: ``for i in rt.vectorized(range(n), ...)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import libcst as cst

from np2tnp.analysis.loops.loop_parts import Form, Head
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build, layout
from np2tnp.edits.edit import Edits, StatementEdit
from np2tnp.edits.targets import UFUNC_OF_OPERATOR


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
