"""What binds the names of a region, when, and in which of its functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import libcst as cst

from np2tnp.analysis.scopes import target_names
from np2tnp.analysis.walk import walk


def bindings_of(region: cst.CSTNode) -> Counter[str]:
    """How often each name is assigned to in a region."""
    found: Counter[str] = Counter()
    for node in walk(region):
        kind = type(node)
        if kind in _BINDING:
            found.update(target_names(node.target))  # type: ignore[attr-defined]
        elif kind is cst.AsName:
            found.update(target_names(node.name))  # type: ignore[attr-defined]
    return found


def rebound_inside(region: cst.CSTNode) -> set[str]:
    """The names that a nested function declares ``nonlocal``: it may assign them at any time."""
    return {item.name.value for part in walk(region) if type(part) is cst.Nonlocal for item in part.names}


def rebound_later(region: cst.CSTNode, node: cst.CSTNode, name: str) -> bool:
    """Whether anything may bind `name` after `node` was made but functions that declare it ``nonlocal``."""
    functions = [part for part in walk(region) if type(part) is cst.FunctionDef and part is not region]
    around = [each for each in functions if name in rebound_inside(each)]
    inside = {id(part) for each in (node, *around) for part in walk(each)}
    return any(name in _bound_by(part) for part in _later(region, inside))


def bound_later(
    region: cst.CSTNode, node: cst.CSTNode, is_new: Callable[[cst.BaseExpression], bool]
) -> tuple[set[str], set[str]]:
    """The names that `region` may assign after `node`, a function nested in it, was made: behind it, or in its loop.

    And those of which it does so only in statements of their own, with what `is_new`. Items of a ``for`` loop around
    it do not count: what is bound to them by then is an item as the present one.
    """
    inside = {id(part) for part in walk(node)}
    found: set[str] = set()
    otherwise: set[str] = set()
    for part in _later(region, inside):
        kind = type(part)
        if kind is cst.For and is_around(part, inside):  # type: ignore[arg-type]
            continue
        names = _bound_by(part)
        if kind is cst.Assign:
            targets = [target.target for target in part.targets]  # type: ignore[attr-defined]
            plainly = len(targets) == 1 and type(targets[0]) is cst.Name and is_new(part.value)  # type: ignore[attr-defined]
        else:
            plainly = kind is cst.AugAssign
        found |= names
        otherwise |= set() if plainly else names
    return found, found - otherwise


def _bound_by(node: cst.CSTNode) -> set[str]:
    if type(node) is cst.Assign:
        return {name for target in node.targets for name in target_names(target.target)}
    return set(target_names(node.name if type(node) is cst.AsName else node.target))  # type: ignore[attr-defined]


def counts_only(region: cst.CSTNode, name: str) -> bool:
    """Whether `name` is a number that a statement of `region` itself sets once, and nested functions only count up.

    So it is a number of Python's, whenever these run.
    """
    if type(region) is not cst.FunctionDef:
        return False
    begun = 0
    for statement in region.body.body:
        parts = statement.body if type(statement) is cst.SimpleStatementLine else ()
        begun += sum(_sets_number(part, name) for part in parts)
    nested = (part for part in walk(region.body) if type(part) is cst.FunctionDef)
    counted = {id(part) for inner in nested for part in walk(inner) if _counts(part, name)}
    return begun == 1 and bindings_of(region)[name] == begun + len(counted)


def _counts(node: cst.CSTNode, name: str) -> bool:
    if type(node) is not cst.AugAssign or type(node.target) is not cst.Name or node.target.value != name:
        return False
    return type(node.operator) in _COUNTING and type(node.value) in (cst.Integer, cst.Float)


def _sets_number(node: cst.CSTNode, name: str) -> bool:
    if type(node) is not cst.Assign or type(node.value) not in (cst.Integer, cst.Float) or len(node.targets) != 1:
        return False
    target = node.targets[0].target
    return type(target) is cst.Name and target.value == name


def is_around(loop: cst.For, inside: set[int]) -> bool:
    return any(id(below) in inside for below in walk(loop.body))


def _later(region: cst.CSTNode, inside: set[int]) -> Iterator[cst.CSTNode]:
    """What binds names behind the nodes `inside`, in the statement that they are part of, or in a loop around them."""
    behind = False
    for part in walk(region):
        if id(part) in inside:
            behind = True
        elif behind:
            yield from (part,) if type(part) in _NAMING_NODES else ()
        elif any(id(below) in inside for below in walk(part)):
            around = walk(part) if type(part) in _LOOPS else (part,)
            yield from (below for below in around if type(below) in _NAMING_NODES)


_COUNTING = frozenset((cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign))
_NAMING_NODES = frozenset((cst.Assign, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr, cst.AsName))
_LOOPS = (cst.For, cst.While)
_BINDING = frozenset((cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr))
