"""Line breaks and comments of code that becomes other code: they stay where people put them."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from np2tnp.edits import build


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


#: Widths between which a file's own may lie; below the least, Black's is taken.
_WIDEST, _BLACK, _NARROW, _LEAST = 120, 88, 79, 70


def width_of(text: str) -> int:
    """The width that the lines of a file keep to: that of its widest one, within reason."""
    widest = max(map(len, text.splitlines()), default=0)
    if _LEAST <= widest <= _NARROW:
        return _NARROW
    return min(max(widest, _BLACK), _WIDEST)


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
    return list(_comments(node)) if _has_comments(node) else []


def _has_comments(node: Any) -> bool:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind is cst.Comment:
            return True
        if kind is list or kind is tuple:
            waiting.extend(one)
        else:
            waiting.extend(getattr(one, name) for name in _fields(kind))  # type: ignore[arg-type] # types are hashable
    return False


@functools.cache
def _fields(kind: type) -> tuple[str, ...]:
    if not issubclass(kind, cst.CSTNode) or kind is cst.SimpleWhitespace:
        return ()
    return tuple(field.name for field in dataclasses.fields(kind))


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
