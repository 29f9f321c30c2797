"""Applies the edits of the regions to the tree, children first; everything else keeps every byte."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import libcst as cst

from np2tnp.analysis.syntax.walk import Transformer
from np2tnp.edits import build, layout
from np2tnp.edits.edit import Edits, StatementEdit


class Applier(Transformer):
    """Rewrites one region. `runtime` is the name of the runtime module in it."""

    def __init__(self, edits: Edits, runtime: str) -> None:
        super().__init__()
        self.edits = edits
        self.runtime = runtime
        self.tight: set[int] = set()  #: expressions that a word touches: ``return(x + y)``

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.tight.update(map(id, _beside_words(node)))
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode, updated_node: Any) -> Any:
        updated: Any = super().on_leave(original_node, updated_node)
        if type(original_node) in _WITH_HEAD:
            updated = _with_comments_of_head(original_node, updated)
        if type(original_node) is cst.Expr and self._becomes_tensor(original_node.value):  # which nobody looks at
            return updated.with_changes(value=updated.value.args[0].value)
        key, before = id(original_node), updated
        change = self.edits.replace.get(key) or self.edits.blocks.get(key)
        if change is not None:
            updated = change(updated)
        if self._becomes_tensor(original_node):
            updated = build.call(f"{self.runtime}.tensor", updated)
        if key in self.edits.kept:
            updated = build.call(f"{self.runtime}.kept", updated)
        if key in self.edits.tensor and not self._becomes_tensor(original_node):
            pass
        elif key in self.edits.zero_d:
            updated = build.call(f"{self.runtime}.ndarray", updated)
        elif key in self.edits.host_items:
            updated = build.call(f"{self.runtime}.host_items", updated)
        elif key in self.edits.host:
            updated = build.call(f"{self.runtime}.host", updated)
        if key in self.tight and updated is not before and not updated.lpar:
            updated = updated.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return updated

    def _becomes_tensor(self, node: cst.CSTNode) -> bool:
        """Whether ``rt.tensor`` is put around it: not where what comes from the host goes back there at once."""
        key = id(node)
        return key in self.edits.tensor and not (key in self.edits.host or key in self.edits.zero_d)

    def leave_FormattedString(  # noqa: N802 - the name is libcst's
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.BaseExpression:
        """Before Python 3.12 a string inside an f-string must not use the f-string's own quote."""
        return requoted(updated_node)

    def leave_SimpleStatementLine(  # noqa: N802 # libcst's name
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        expanded = self._expand(original_node, updated_node)
        lines = layout.with_lost_comments(
            updated_node.leading_lines, original_node.body, updated_node.body if expanded is None else expanded
        )
        if lines is not updated_node.leading_lines:
            updated_node = updated_node.with_changes(leading_lines=lines)
        if expanded is None:
            return updated_node
        if len(original_node.body) > 1 or len(expanded) == 1:
            return updated_node.with_changes(body=_joined(expanded))
        made = [cst.SimpleStatementLine([statement]) for statement in expanded]
        made[0] = made[0].with_changes(leading_lines=updated_node.leading_lines)
        made[-1] = made[-1].with_changes(trailing_whitespace=updated_node.trailing_whitespace)
        return cst.FlattenSentinel(made)

    def leave_SimpleStatementSuite(  # noqa: N802 # libcst's name
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        expanded = self._expand(original_node, updated_node)
        return updated_node if expanded is None else updated_node.with_changes(body=_joined(expanded))

    def _expand(self, original: Any, updated: Any) -> list[cst.BaseSmallStatement] | None:
        """The small statements of a line after their edits; None when none of them has any."""
        if not any(id(statement) in self.edits.statements for statement in original.body):
            return None
        result: list[cst.BaseSmallStatement] = []
        for before, after in zip(original.body, updated.body, strict=True):
            edit = self.edits.statements.get(id(before), StatementEdit())
            result.extend(make() for make in edit.before)
            for change in edit.change:
                after = change(after)
            if edit.parts:
                result.extend(_parts(after, edit))
            elif not edit.drop:
                result.append(after)
            result.extend(make() for make in edit.after)
        return result


#: Where words stand beside expressions: fields of statements and operators, and the words' spaces.
_WORDS: dict[type, tuple[tuple[str, str], ...]] = {
    cst.Return: (("value", "whitespace_after_return"),),
    cst.Assert: (("test", "whitespace_after_assert"),),
    cst.Raise: (("exc", "whitespace_after_raise"),),
    cst.Del: (("target", "whitespace_after_del"),),
    cst.If: (("test", "whitespace_before_test"),),
    cst.While: (("test", "whitespace_after_while"),),
    cst.For: (("iter", "whitespace_after_in"),),
    cst.ExceptHandler: (("type", "whitespace_after_except"),),
    cst.With: (("items", "whitespace_after_with"),),
    cst.CompFor: (("iter", "whitespace_after_in"),),
    cst.CompIf: (("test", "whitespace_before_test"),),
    cst.Yield: (("value", "whitespace_after_yield"),),
    cst.From: (("item", "whitespace_after_from"),),
    cst.Await: (("expression", "whitespace_after_await"),),
    cst.IfExp: (
        ("body", "whitespace_before_if"), ("test", "whitespace_after_if"), ("test", "whitespace_before_else"),
        ("orelse", "whitespace_after_else"),
    ),
    cst.UnaryOperation: (("expression", "operator.whitespace_after"),),
    cst.BooleanOperation: (("left", "operator.whitespace_before"), ("right", "operator.whitespace_after")),
    cst.ComparisonTarget: (("comparator", "operator.whitespace_after"),),
}  # fmt: skip


def _beside_words(node: Any) -> Iterator[cst.CSTNode]:
    """The expressions that a word of `node` touches: they, or what they begin with, stand in parentheses."""
    if type(node) is cst.UnaryOperation and type(node.operator) is not cst.Not:
        return  # a sign is no word
    for field, space in _WORDS.get(type(node), ()):
        part = getattr(node, field)
        between = attrgetter(space)(node)
        if not isinstance(between, cst.SimpleWhitespace) or between.value:
            continue
        part = part[0].item if field == "items" else part
        while part is not None:  # the word touches the parenthesis with which one of these begins
            yield part
            part = _first_of(part)


#: The field with which an expression begins.
_FIRST: dict[type, str] = {
    cst.Call: "func", cst.Attribute: "value", cst.Subscript: "value", cst.BinaryOperation: "left",
    cst.Comparison: "left", cst.BooleanOperation: "left", cst.IfExp: "body",
}  # fmt: skip


def _first_of(node: Any) -> Any:
    """What an expression begins with; None where it begins with a parenthesis of its own, or is the least there is."""
    if getattr(node, "lpar", None):
        return None
    if type(node) is cst.Tuple:
        return node.elements[0].value
    return getattr(node, _FIRST[type(node)]) if type(node) in _FIRST else None


#: Compound statements with expressions in their heads.
_WITH_HEAD = frozenset((cst.If, cst.While, cst.For, cst.With))


def _with_comments_of_head(original: Any, updated: Any) -> Any:
    """`updated` with those comments above it that its head lost."""
    heads = [
        [getattr(node, name, None) for name in ("test", "target", "iter", "items")] for node in (original, updated)
    ]
    lines = layout.with_lost_comments(updated.leading_lines, *heads)
    return updated if lines is updated.leading_lines else updated.with_changes(leading_lines=lines)


def _parts(node: cst.Assign, edit: StatementEdit) -> Iterator[cst.BaseSmallStatement]:
    """``a = b[0] = 0`` and ``a[i], b[i] = x, y`` as one assignment a target."""
    targets: list[cst.AssignTarget] = list(node.targets)
    values = [node.value] * len(targets)
    first = targets[0].target
    if len(targets) > 1 and edit.names:
        yield build.assign(cst.Name(edit.names[0]), node.value)
        values = [cst.Name(edit.names[0])] * len(targets)
    if len(targets) == 1 and isinstance(first, (cst.Tuple, cst.List)):
        targets = [cst.AssignTarget(build.target(item.value)) for item in first.elements]
        display = [item.value for item in node.value.elements] if isinstance(node.value, cst.Tuple) else None
        if edit.names:
            given = [build.argument(item) for item in display] if display else [cst.Arg(node.value, star="*")]
            value = build.call(edit.check, *given) if edit.check else node.value
            yield build.assign(_starred_as(first, build.names_tuple(edit.names)), value)
        values = [cst.Name(name) for name in edit.names] or display or []
        for number, read_again in edit.again.items():
            values[number] = read_again(values[number])
    for number, (target, value) in enumerate(zip(targets, values, strict=True)):
        alone = cst.Assign([target], value)
        yield edit.parts[number](alone) if number in edit.parts else alone


def _starred_as(target: cst.Tuple | cst.List, names: cst.Tuple) -> cst.Tuple:
    """`names` with a star where `target` has one."""
    elements = [
        cst.StarredElement(name.value, name.comma) if isinstance(item, cst.StarredElement) else name
        for item, name in zip(target.elements, names.elements, strict=True)
    ]
    return names.with_changes(elements=elements)


def requoted(node: cst.FormattedString) -> cst.BaseExpression:
    """The f-string with the other quote in the strings that stand in it."""
    if len(node.end) != 1:
        return node
    made = node.visit(_Requote(node.end))
    assert isinstance(made, cst.BaseExpression)
    return made


class _Requote(Transformer):
    """Gives plain strings the other quote than `quote`."""

    def __init__(self, quote: str) -> None:
        super().__init__()
        self.quote = quote
        self.other = "'" if quote == '"' else '"'

    def leave_SimpleString(  # noqa: N802 - the name is libcst's
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        text = updated_node.value
        if len(text) < 2 or text[0] != self.quote or text[:3] == self.quote * 3 or self.other in text:
            return updated_node
        return updated_node.with_changes(value=self.other + text[1:-1] + self.other)


def _joined(statements: list[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement]:
    """Statements for one line: semicolons between them."""
    semicolon = cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))
    result = [
        statement.with_changes(semicolon=semicolon)
        if getattr(statement, "semicolon", None) in (None, cst.MaybeSentinel.DEFAULT)
        else statement
        for statement in statements[:-1]
    ]
    return [*result, statements[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]
