"""A fast walk over the nodes that carry meaning: libcst's visitors cost as much as the parse, this a twentieth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter
from typing import Any

import libcst as cst

_NO_MEANING = frozenset(
    "lpar rpar lbracket rbracket lbrace rbrace comma trailing_comma semicolon newline header footer leading_lines"
    " lines_after_decorators trailing_whitespace equal colon indent operator first_line empty_lines last_line dot"
    " asynchronous keyword star encoding default_indent default_newline has_trailing_newline start end prefix quote"
    " raw_value evaluated_value comment value_source lines_after_else first_colon second_colon posonly_ind".split()
)

Parts = Callable[[Any], tuple[Any, ...]]


def names_of_parts(kind: Any) -> list[str]:
    """The fields with meaning of a type of node."""
    return [
        item.name
        for item in fields(kind)
        if item.name not in _NO_MEANING and "whitespace" not in item.name and item.type not in (str, "str")
    ]


class _PartsByType(dict[type, Parts]):
    """By type of node, a function to its fields with meaning: nodes, sequences of nodes, None, sentinels.

    Types are compared by identity: ``isinstance`` asks libcst's abstract base classes in Python, a million times a run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.nodes: set[type] = set()  #: the types seen so far that are nodes

    def __missing__(self, kind: type) -> Parts:
        names: list[str] = []
        if issubclass(kind, cst.CSTNode):
            self.nodes.add(kind)
            names = names_of_parts(kind)
        parts: Parts
        if len(names) > 1:
            parts = attrgetter(*names)
        elif names:
            only = attrgetter(names[0])

            def parts(node: Any) -> tuple[Any, ...]:
                return (only(node),)
        else:

            def parts(node: Any) -> tuple[Any, ...]:
                return ()

        self[kind] = parts
        return parts


PARTS = _PartsByType()
PARTS[tuple] = tuple
PARTS[list] = tuple


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """`node` and all below it, parents first in source order (dictionaries: field order).

    Punctuation and white space are left out.
    """
    stack: list[Any] = [node]
    parts, nodes = PARTS, PARTS.nodes
    while stack:
        current = stack.pop()
        kind = type(current)
        below = parts[kind](current)
        if kind in nodes:
            yield current
        if below:
            stack.extend(below[::-1])


@lru_cache(maxsize=64)
def nodes_of(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    """What `walk` gives, kept for those who look at the same function again and again."""
    return tuple(walk(node))


class Transformer(cst.CSTTransformer):
    """libcst's without its calls before and after each field, which are most of its time: nothing here has a use."""

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        """Nothing."""

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        """Nothing."""


def names_in(node: cst.CSTNode) -> set[str]:
    """The names that stand in `node`, those of attributes and keywords left out."""
    parts = list(walk(node))
    others = {id(part.attr) for part in parts if type(part) is cst.Attribute}
    others |= {id(part.keyword) for part in parts if type(part) is cst.Arg}
    return {part.value for part in parts if type(part) is cst.Name and id(part) not in others}


def none_test(test: cst.BaseExpression) -> tuple[str, bool] | None:
    """(name, True) for ``name is None``, (name, False) for ``name is not None``; None for any other test."""
    if type(test) is not cst.Comparison or len(test.comparisons) != 1 or type(test.left) is not cst.Name:
        return None
    operator, right = test.comparisons[0].operator, test.comparisons[0].comparator
    if not (type(right) is cst.Name and right.value == "None"):
        return None
    if type(operator) is cst.Is:
        return test.left.value, True
    return (test.left.value, False) if type(operator) is cst.IsNot else None
