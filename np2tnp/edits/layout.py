"""Line breaks and comments of code that becomes other code: they stay where people put them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import libcst as cst

from np2tnp.edits import build

Node = TypeVar("Node", bound=cst.CSTNode)


def operation(function: str, node: cst.BaseExpression, *more: cst.Arg) -> cst.Call:
    """``function(left, right, ...)`` for an operator's node, with its line breaks and those of its parentheses."""
    parts: list[cst.BaseExpression]
    between: list[Any] = []
    if isinstance(node, cst.UnaryOperation):
        parts = [node.expression]
    elif isinstance(node, cst.BinaryOperation):
        parts, between = [node.left, node.right], [node.operator]
    else:
        assert isinstance(node, cst.Comparison)
        parts = [node.left, *(item.comparator for item in node.comparisons)]
        between = [item.operator for item in node.comparisons]
    items = [build.argument(part) for part in parts]
    for index, sign in enumerate(between):
        items[index] = items[index].with_changes(comma=_comma(sign))
    items = build.separated([*items, *more])
    call = cst.Call(build.name(function), items)
    if not node.lpar or not (_breaks(node.lpar[0].whitespace_after) or _breaks(node.rpar[-1].whitespace_before)):
        return call
    items[-1] = items[-1].with_changes(whitespace_after_arg=node.rpar[-1].whitespace_before)
    return call.with_changes(whitespace_before_args=node.lpar[0].whitespace_after, args=items)


def _comma(sign: Any) -> cst.Comma:
    """The comma in an operator's place."""
    spaces: list[Any] = [getattr(sign, name, None) for name in ("whitespace_before", "whitespace_after")]
    breaks = [space for space in spaces if _breaks(space)]
    if len(breaks) == 2:
        return cst.Comma(*breaks)
    return cst.Comma(whitespace_after=breaks[0] if breaks else cst.SimpleWhitespace(" "))


def _breaks(space: Any) -> bool:
    return isinstance(space, cst.ParenthesizedWhitespace)


def broken(node: cst.Decorator, indent: int, width: int) -> cst.Decorator:
    """The decorator with one argument a line where one line for all would be wider than `width`."""
    call = node.decorator
    if not isinstance(call, cst.Call) or not call.args:
        return node
    if indent + len(cst.Module([]).code_for_node(node).strip()) <= width:
        return node
    inner, outer = _line(4), _line(0)
    items = [_with_broken_tuple(item, indent, width) for item in call.args]
    args = [item.with_changes(comma=cst.Comma(whitespace_after=inner)) for item in items[:-1]]
    args.append(items[-1].with_changes(comma=cst.Comma(whitespace_after=outer)))
    return node.with_changes(decorator=call.with_changes(whitespace_before_args=inner, args=args))


def _line(deeper: int) -> cst.ParenthesizedWhitespace:
    """A line break before something that stands so many columns deeper than the statement."""
    return cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(" " * deeper))


def _with_broken_tuple(item: cst.Arg, indent: int, width: int) -> cst.Arg:
    """An argument that has a line of its own, four columns deeper: a tuple that is too long for it gets a line for each
    element, as Black would have it."""
    value = item.value
    code = cst.Module([]).code_for_node
    if not isinstance(value, cst.Tuple) or indent + 5 + len(code(item.with_changes(comma=_NO_COMMA))) <= width:
        return item
    elements = [element.with_changes(comma=cst.Comma(whitespace_after=_line(8))) for element in value.elements]
    elements[-1] = elements[-1].with_changes(comma=cst.Comma(whitespace_after=_line(4)))
    left, right = cst.LeftParen(whitespace_after=_line(8)), cst.RightParen()
    return item.with_changes(value=value.with_changes(elements=elements, lpar=[left], rpar=[right]))


_NO_COMMA = cst.MaybeSentinel.DEFAULT


def comments(node: Any) -> list[cst.Comment]:
    """The comments inside of a node (or several), in their order."""
    return list(_comments(node))


def _comments(node: Any) -> Iterator[cst.Comment]:
    if isinstance(node, cst.Comment):
        yield node
    elif isinstance(node, cst.CSTNode):
        for child in node.children:
            yield from _comments(child)
    elif isinstance(node, (list, tuple)):
        for child in node:
            yield from _comments(child)


def with_lost_comments(leading: Sequence[cst.EmptyLine], before: Any, after: Any) -> Sequence[cst.EmptyLine]:
    """`leading`, the lines above a statement, with those comments in `before` that `after` has no more."""
    old = comments(before)
    if not old:
        return leading
    lost = Counter(comment.value for comment in old)
    lost.subtract(comment.value for comment in comments(after))
    words = [word for word, times in lost.items() for _ in range(times)]
    return [*leading, *(cst.EmptyLine(comment=cst.Comment(word)) for word in words)] if words else leading


def without_breaks(node: Node) -> Node:
    """`node`, which has no comments in it, on one line."""
    return node.visit(_Flat())  # type: ignore[return-value]


#: Nodes beside which, and the fields in which, a line break stands where one line has no space.
_NO_SPACE: dict[type, tuple[str, ...]] = {
    cst.LeftParen: ("whitespace_after",),
    cst.RightParen: ("whitespace_before",),
    cst.LeftSquareBracket: ("whitespace_after",),
    cst.RightSquareBracket: ("whitespace_before",),
    cst.LeftCurlyBrace: ("whitespace_after",),
    cst.RightCurlyBrace: ("whitespace_before",),
    cst.Dot: ("whitespace_before", "whitespace_after"),
    cst.Call: ("whitespace_before_args", "whitespace_after_func"),
    cst.Arg: ("whitespace_after_arg", "whitespace_after_star"),
    cst.Subscript: ("whitespace_after_value",),
    cst.Comma: ("whitespace_before",),
    cst.AssignEqual: ("whitespace_before", "whitespace_after"),
    cst.Colon: ("whitespace_before", "whitespace_after"),
}


class _Flat(cst.CSTTransformer):
    """Takes the line breaks out of a statement."""

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        updated = super().on_leave(original_node, updated_node)
        if isinstance(updated, cst.SimpleWhitespace) and "\\" in updated.value:
            return cst.SimpleWhitespace(" ")
        if not isinstance(updated, cst.CSTNode) or isinstance(updated, cst.BaseParenthesizableWhitespace):
            return updated
        changes: dict[str, Any] = {}
        for name in _SPACES.setdefault(type(updated), _spaces(type(updated))):
            if isinstance(getattr(updated, name), cst.ParenthesizedWhitespace):
                tight = name in _NO_SPACE.get(type(updated), ())
                changes[name] = cst.SimpleWhitespace("" if tight else " ")
        for name in ("args", "elements"):
            items = getattr(updated, name, ())
            if isinstance(items, Sequence) and items and not (type(updated) is cst.Tuple and len(items) == 1):
                comma = getattr(items[-1], "comma", None)
                if isinstance(comma, cst.Comma):
                    changes[name] = [*items[:-1], items[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
        return updated.with_changes(**changes) if changes else updated


_SPACES: dict[type, tuple[str, ...]] = {}


def _spaces(kind: type) -> tuple[str, ...]:
    return tuple(name for name in kind.__dataclass_fields__ if name.startswith("whitespace"))  # type: ignore[attr-defined]
