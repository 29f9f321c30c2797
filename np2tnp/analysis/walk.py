"""A fast walk over the nodes that carry meaning: libcst's visitors cost as much as the parse itself, this a twentieth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import libcst as cst

_NO_MEANING = frozenset(
    "lpar rpar lbracket rbracket lbrace rbrace comma semicolon newline header footer leading_lines lines_after_decorators trailing_whitespace"
    " equal colon indent operator first_line empty_lines last_line dot asynchronous keyword star encoding default_indent default_newline"
    " has_trailing_newline start end prefix quote raw_value evaluated_value comment value_source lines_after_else".split()
)
_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(kind: type) -> tuple[str, ...]:
    names = tuple(
        item.name for item in fields(kind) if item.name not in _NO_MEANING and not item.name.startswith("whitespace")
    )  # fmt: skip
    _FIELDS[kind] = names
    return names


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The child nodes of `node` in source order (for dictionaries: field order), punctuation and white space apart."""
    kind = type(node)
    for name in _FIELDS.get(kind) or _fields(kind):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield value
        elif isinstance(value, (tuple, list)):
            for item in value:
                if isinstance(item, cst.CSTNode):
                    yield item


def walk(node: cst.CSTNode, into: tuple[type, ...] = ()) -> Iterator[cst.CSTNode]:
    """`node` and all below it, parents first. Nodes of a type in `into` are given but not entered (the root always is)."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if into and current is not node and isinstance(current, into):
            continue
        stack.extend(reversed(list(children(current))))
