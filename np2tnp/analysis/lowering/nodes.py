"""Makes libcst nodes with only some of their fields, without libcst's validation."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.values import frozen
from np2tnp.analysis.syntax.positions import offsets
from np2tnp.model import Span


class Unsupported(Exception):  # noqa: N818 # not an error: libcst then does what cannot be done here
    """This text, or this question about it, is for libcst's own parser."""


def maker(kind: type[cst.CSTNode], *fields: str) -> Callable[..., Any]:
    """A function from the values of `fields` to a node. Its other fields stay unset: reading one raises AttributeError.

    The slots' own descriptors are used, as the classes are frozen. One to three fields are spelled out: most nodes have
    no more, and there are a million of them.
    """
    new = object.__new__
    setters = [getattr(kind, field).__set__ for field in fields]
    if len(setters) == 1:
        (set_only,) = setters

        def make_one(value: object) -> cst.CSTNode:
            node = new(kind)
            set_only(node, value)
            return node

        return make_one
    if len(setters) == 2:
        set_first, set_second = setters

        def make_two(first: object, second: object) -> cst.CSTNode:
            node = new(kind)
            set_first(node, first)
            set_second(node, second)
            return node

        return make_two
    if len(setters) == 3:
        set_1, set_2, set_3 = setters

        def make_three(first: object, second: object, third: object) -> cst.CSTNode:
            node = new(kind)
            set_1(node, first)
            set_2(node, second)
            set_3(node, third)
            return node

        return make_three

    def make(*values: object) -> cst.CSTNode:
        node = new(kind)
        for set_value, value in zip(setters, values, strict=True):
            set_value(node, value)
        return node

    return make


# --- Where a lowered node stands: Python's own places, corrected for the parentheses that libcst leaves out

_COMMENT = re.compile(rb"#[^\r\n]*")
#: Up to the first sign of the next token; matches everywhere.
_GAP = re.compile(rb"(?:[ \t\r\n\\]|#[^\r\n]*)*.?")


@frozen
class ArgumentPlace:
    """A positional argument: with the parentheses around its value, which Python's tree does not know."""

    call: Any
    value: ast.expr


@frozen
class DecoratorPlace:
    """From the ``@`` to the end of the expression."""

    expression: ast.expr


@frozen
class WithItemPlace:
    """What one item of ``with`` says, its ``as`` included."""

    item: ast.withitem


class Places:
    """The text of one file in bytes, as Python's tree counts them, and where its lowered nodes stand."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        self.starts = [0, *accumulate(map(len, self.data.splitlines(keepends=True)))]
        if not self.data.endswith((b"\n", b"\r")):
            self.starts.pop()
        self.at: dict[int, Any] = {}  #: id of a lowered node -> Python's node, or one of the places above
        self.foreign: list[tuple[cst.BaseExpression, ast.expr]] = []  #: trees of libcst's own, for f-strings

    # ---- the text

    def extent(self, node: Any) -> tuple[int, int]:
        """The offsets of the first byte of `node` and of the one behind it."""
        starts = self.starts
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def segment(self, node: Any) -> bytes:
        start, end = self.extent(node)
        return self.data[start:end]

    def starts_with(self, node: ast.stmt, word: bytes) -> bool:
        return self.data.startswith(word, self.starts[node.lineno - 1] + node.col_offset)

    def is_first_on_line(self, node: ast.stmt) -> bool:
        """Whether only indentation stands before a statement (or its first decorator)."""
        decorators = getattr(node, "decorator_list", None)
        if decorators:
            return True
        start = self.starts[node.lineno - 1]
        return not self.data[start : start + node.col_offset].strip()

    # ---- places

    def spans(self, nodes: Iterable[cst.CSTNode]) -> dict[int, Span]:
        """Where `nodes` stand, by id. Raises Unsupported where that is not known."""
        found: dict[int, Span] = {}
        missing: set[int] = set()
        for node in nodes:
            place = self.at.get(id(node))
            if place is None:
                missing.add(id(node))
            else:
                found[id(node)] = self._known(place)
        if missing:
            found.update(self._foreign(missing))
        return found

    def _known(self, place: Any) -> Span:
        kind = type(place)
        if kind is ast.Tuple or kind is ast.GeneratorExp:
            start, end = self._inside(place)
        elif kind is ArgumentPlace:
            start, end = self._argument(place)
        elif kind is DecoratorPlace:
            start, end = self._decorator(place)
        elif kind is WithItemPlace:
            start, end = self._with_item(place.item)
        else:
            start, end = self.extent(place)
            if self.data.startswith(b";", end - 1):  # ``if a: b;``: it ends no statement inside of another
                end = len(self.data[: end - 1].rstrip(b" \t"))
        return self._span(start, end)

    def _span(self, start: int, end: int) -> Span:
        return Span(*self._place(start), *self._place(end))

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, len(self.data[self.starts[line - 1] : offset].decode()) + 1

    def _bare(self, start: int, end: int) -> bytes:
        """What stands between two neighbours, comments blanked: brackets, commas and white space."""
        return _COMMENT.sub(lambda match: b" " * len(match.group()), self.data[start:end])

    def _inside(self, node: Any) -> tuple[int, int]:
        """The extent of a tuple or generator expression without its parentheses."""
        start, end = self.extent(node)
        if type(node) is ast.Tuple:
            if not own_parentheses(self, node, node.elts):
                return start, end
            if not node.elts:
                raise Unsupported("place of an empty tuple")
            first, last = node.elts[0], node.elts[-1]
        else:
            first, last = node.elt, node.generators[-1]
            last = last.ifs[-1] if last.ifs else last.iter
        head = self._bare(start + 1, self.extent(first)[0])
        tail = self._bare(self.extent(last)[1], end - 1)
        return start + 1 + len(head) - len(head.lstrip()), end - 1 - len(tail) + len(tail.rstrip())

    def _argument(self, place: ArgumentPlace) -> tuple[int, int]:
        call, value = place.call, place.value
        if not isinstance(call, ast.Call):
            raise Unsupported("place of a base class")
        start, end = self._inside(value) if type(value) is ast.GeneratorExp else self.extent(value)
        index = next(index for index, item in enumerate(call.args) if item is value)
        before = self.extent(call.args[index - 1] if index else call.func)[1]
        gap = self._bare(before, start)
        # Brackets that close belong to what stands before; the call's own opens the gap before its first argument.
        own = gap.find(b"(" if index == 0 else b",") + 1
        opened = gap.find(b"(", own) if own else -1
        if opened < 0:
            return start, end
        after = self._bare(end, self.extent(call)[1])
        position = -1
        for _ in range(gap.count(b"(", opened)):
            position = after.find(b")", position + 1)
        return before + opened, end + position + 1

    def _decorator(self, place: DecoratorPlace) -> tuple[int, int]:
        start, end = self.extent(place.expression)
        at = self.data[:start].rstrip(b" \t")
        if not at.endswith(b"@"):
            raise Unsupported("place of a decorator in parentheses")
        return len(at) - 1, end

    def _with_item(self, item: ast.withitem) -> tuple[int, int]:
        start, end = self.extent(item.context_expr)
        ends = [end] if item.optional_vars is None else [end, self.extent(item.optional_vars)[1]]
        if any(_GAP.match(self.data, place).group().endswith(b")") for place in ends):  # type: ignore[union-attr]
            raise Unsupported("place of an item in parentheses")
        return start, ends[-1]

    def _foreign(self, missing: set[int]) -> dict[int, Span]:
        """The places of nodes inside f-strings, which libcst has parsed."""
        spans: dict[int, Span] = {}
        for tree, whole in self.foreign:
            text, found = offsets(tree, missing)
            if not found:
                continue
            if text.encode() != b"(" + self.segment(whole) + b")":
                raise Unsupported("f-string")
            base = self.extent(whole)[0]
            for key, (start, end) in found.items():
                spans[key] = self._span(*(base + len(text[1:offset].encode()) for offset in (start, end)))
        if len(spans) < len(missing):
            raise Unsupported("place")
        return spans


def own_parentheses(places: Places, node: Any, elements: Sequence[Any]) -> bool:
    """Whether the parentheses with which `node`, a tuple of `elements`, begins and ends are its own."""
    start, end = places.extent(node)
    if not places.data.startswith(b"(", start):
        return False
    if not elements:
        return True
    first_start, first_end = places.extent(elements[0])
    opened = places._bare(start, first_start).count(b"(")
    # Only closing brackets of the first element stand between it and the comma behind it.
    until = places.extent(elements[1])[0] if len(elements) > 1 else end
    return opened > places._bare(first_end, until).split(b",")[0].count(b")")
