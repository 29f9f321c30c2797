"""Which functions a comment ``# np2tnp: keep`` leaves as they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """What the comments of one text stand on."""

    names: frozenset[str] = frozenset()  #: qualified names of functions, and of classes
    useless: frozenset[int] = frozenset()  #: lines of comments that stand on no function
    is_all: bool = False  #: nobody can tell, so all of it

    def __contains__(self, qualname: str) -> bool:
        parts = qualname.split(".")
        return self.is_all or any(".".join(parts[:count]) in self.names for count in range(1, len(parts) + 1))


def find(text: str, lines: Sequence[int]) -> Kept:
    """What the comments in these lines keep: they stand on a ``def`` or ``class``, on what decorates it, or before it.

    A function in another one is part of it: both are kept.
    """
    if not lines:
        return Kept()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return Kept(is_all=True)  # in a newer Python than this one
    texts = text.splitlines()
    names: set[str] = set()
    left = set(lines)
    for name, first, last in _heads(tree.body, "", ""):
        while first > 1 and texts[first - 2].lstrip().startswith("#"):
            first -= 1
        here = {line for line in lines if first <= line <= last}
        if here:
            names.add(name)
            left -= here
    return Kept(frozenset(names), frozenset(left))


def _heads(body: Sequence[ast.AST], prefix: str, outer: str) -> Iterator[tuple[str, int, int]]:
    """The region of each function and class, and the first and last line of its head."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = outer or prefix + node.name
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            begin = node.body[0]
            decorated = [item.lineno for item in getattr(begin, "decorator_list", ())]
            yield name, first, max(node.lineno, min([begin.lineno, *decorated]) - 1)
            is_class = isinstance(node, ast.ClassDef) and not outer
            yield from _heads(node.body, f"{name}.", "" if is_class else name)
        else:
            inner = [item for item in ast.iter_child_nodes(node) if isinstance(item, (ast.stmt, ast.excepthandler))]
            yield from _heads(inner, prefix, outer)
