"""Which functions name parts of something, and what functions store into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import libcst as cst

from np2tnp.analysis.syntax.scopes import target_names

_IN_PLACE = frozenset("fill sort partition put itemset byteswap".split())
#: The fields in which statements hold statements.
_BLOCKS: dict[type, tuple[str, ...]] = {
    cst.IndentedBlock: ("body",), cst.SimpleStatementSuite: ("body",), cst.SimpleStatementLine: ("body",),
    cst.If: ("body", "orelse"), cst.Else: ("body",), cst.For: ("body", "orelse"), cst.While: ("body", "orelse"),
    cst.With: ("body",), cst.Try: ("body", "handlers", "orelse", "finalbody"), cst.ExceptHandler: ("body",),
    cst.Finally: ("body",), cst.TryStar: ("body", "handlers", "orelse", "finalbody"), cst.ExceptStarHandler: ("body",),
    cst.Match: ("cases",), cst.MatchCase: ("body",),
}  # fmt: skip


def may_have_parts(function: cst.FunctionDef) -> bool:
    """Whether statements name parts of something, and store into that or them: most functions need no closer look."""
    named: set[str] = set()
    stored: set[str] = set()
    stack: list[Any] = [function.body]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is cst.Assign:
            value: Any = node.value
            values: list[Any] = [element.value for element in value.elements] if type(value) is cst.Tuple else [value]
            if all(type(part) is cst.Subscript and type(part.value) is cst.Name for part in values):
                named.update(part.value.value for part in values)
                named.update(chain.from_iterable(target_names(target.target) for target in node.targets))
            stored.update(stored_into(node.targets))
        elif kind is cst.AugAssign or kind is cst.For:
            stored.update(stored_into([node]))
        elif kind is cst.Expr and type(node.value) is cst.Call:
            stored.update(stored_into([node.value, *node.value.args]))
        if kind in _BLOCKS:
            stack.extend(part for name in _BLOCKS[kind] if (part := getattr(node, name)) is not None)
        elif kind is list or kind is tuple:
            stack.extend(node)
    return not named.isdisjoint(stored)


def stored_into(nodes: Iterable[Any]) -> Iterator[str]:
    """The names of the arrays that a function stores into, whatever it stores."""
    for node in nodes:
        kind = type(node)
        if kind is cst.AssignTarget or kind is cst.AugAssign or kind is cst.For:
            yield from _roots(node.target, kind is cst.AugAssign)
        elif kind is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value in _IN_PLACE:
            yield from _roots(node.func.value, True)
        elif kind is cst.Arg and node.keyword is not None and node.keyword.value == "out":
            yield from _roots(node.value, True)


def _roots(target: Any, itself: bool) -> Iterator[str]:
    if type(target) in (cst.Tuple, cst.List):
        for element in target.elements:
            yield from _roots(element.value, itself)
        return
    root = target
    while type(root) is cst.Subscript:
        root = root.value
    if type(root) is cst.Name and (itself or root is not target):
        yield root.value
