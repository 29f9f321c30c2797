"""What one function binds and mentions itself: where, when, in which of its functions, and what uses a name first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import libcst as cst

from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import PARTS, names_of_parts, walk

# --- What one function binds and mentions itself, and where: scopes within it are only listed by their words

#: Scopes of their own: what stands in them is evaluated at another time, or has names of its own.
SCOPES = frozenset(
    (cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
) | {cst.FormattedString}  # whose parts have no places of their own in the text


#: By type of node.
_names: Callable[[Any], list[str]] = cache(names_of_parts)


class OwnScope:
    """What one function binds and mentions, what lies in scopes within it aside."""

    def __init__(self, roots: Iterable[cst.CSTNode]) -> None:
        self.bound: Counter[str] = Counter()
        self.inner: set[str] = set()  #: words in scopes within
        self.uses: Counter[str] = Counter()
        for root in roots:
            self._look(root)

    def _look(self, node: Any) -> None:
        kind = type(node)
        if kind not in PARTS.nodes and not isinstance(node, cst.CSTNode):
            return
        if kind is cst.Name:
            self.uses[node.value] += 1
            return
        if kind in SCOPES:
            self._look_within(node)
            return
        self._note(node, kind)
        for part in _names(kind):
            if (kind is cst.Attribute and part == "attr") or (kind is cst.Arg and part == "keyword"):
                continue
            value = getattr(node, part)
            for item in value if isinstance(value, (list, tuple)) else (value,):
                self._look(item)

    def _look_within(self, scope: Any) -> None:
        if type(scope) in (cst.FunctionDef, cst.ClassDef):
            self.bound[scope.name.value] += 1
        for part in walk(scope):
            if type(part) is cst.Name:
                self.inner.add(part.value)
            elif type(part) is cst.NamedExpr:
                self._bind(part.target)
            elif type(part) is cst.Nonlocal:
                for item in part.names:
                    self.bound[item.name.value] += 1

    def _note(self, node: Any, kind: type) -> None:
        if kind is cst.AssignTarget or kind is cst.For or kind is cst.AnnAssign or kind is cst.NamedExpr:
            self._bind(node.target)
        elif kind is cst.AsName:
            self._bind(node.name)
        elif kind is cst.Del:
            self._bind(node.target)
        elif kind is cst.ImportAlias and node.asname is None:
            self.bound[_first_word(node.name)] += 1
        elif kind is cst.MatchAs or kind is cst.MatchStar:
            if node.name is not None:
                self._bind(node.name)
        elif kind is cst.MatchMapping and node.rest is not None:
            self._bind(node.rest)
        elif kind is cst.Param:
            self._bind(node.name)

    def _bind(self, target: Any) -> None:
        if type(target) is cst.Name:
            self.bound[target.value] += 1
        elif type(target) in (cst.Tuple, cst.List):
            for element in target.elements:
                self._bind(element.value)
        elif type(target) is cst.StarredElement:
            self._bind(target.value)


def _first_word(node: Any) -> str:
    while type(node) is cst.Attribute:
        node = node.value
    return str(node.value)


# --- What binds the names of a region, when, and in which of its functions


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
    """The names that a nested function declares ``nonlocal`` and binds: it may do so at any time."""
    declared = [(part, item.name.value) for part in walk(region) if type(part) is cst.Nonlocal for item in part.names]
    if not declared:
        return set()
    around: dict[int, cst.CSTNode] = {}  # the innermost function comes last
    for function in (region, *(part for part in walk(region) if type(part) is cst.FunctionDef)):
        around.update((id(part), function) for part in walk(function) if type(part) is cst.Nonlocal)
    return {name for part, name in declared if _may_bind(around[id(part)], name)}


def _may_bind(function: cst.CSTNode, name: str) -> bool:
    """Whether anything in `function` may bind `name`, in whichever scope."""
    for part in walk(function):
        kind = type(part)
        if kind in _NAMING_NODES or kind is cst.CompFor:
            names = _bound_by(part)
        elif kind is cst.Del:
            names = {each.value for each in walk(part) if type(each) is cst.Name}
        elif kind is cst.FunctionDef or kind is cst.ClassDef:
            names = {part.name.value} if part is not function else set()  # type: ignore[attr-defined]
        else:
            names = {name} if kind in _BINDING_OTHERWISE else set()
        if name in names:
            return True
    return False


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


def bound_behind(region: cst.CSTNode, node: cst.CSTNode) -> set[str]:
    """The names that `region` binds below `node`, a function nested in it, by the text."""
    inside = {id(part) for part in walk(node)}
    parts = list(walk(region))
    last = max(place for place, part in enumerate(parts) if id(part) in inside)
    behind = inside | _instead_of(region, inside)
    naming = (part for part in parts[last + 1 :] if type(part) in _NAMING_NODES and id(part) not in behind)
    return {name for part in naming for name in _bound_by(part)}


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
    """What binds names behind the nodes `inside`, in the statement that they are part of, or in a loop around them.

    What an ``if`` does in its place is not behind them.
    """
    behind = False
    instead = _instead_of(region, inside)
    for part in walk(region):
        if id(part) in inside:
            behind = True
        elif behind:
            yield from (part,) if type(part) in _NAMING_NODES and id(part) not in instead else ()
        elif any(id(below) in inside for below in walk(part)):
            around = walk(part) if type(part) in _LOOPS else (part,)
            yield from (below for below in around if type(below) in _NAMING_NODES)


def _instead_of(region: cst.CSTNode, inside: set[int]) -> set[int]:
    """The nodes (ids) of what an ``if`` does where it does not do what the nodes `inside` stand in."""
    found: set[int] = set()
    for part in walk(region):
        if type(part) is cst.If and part.orelse is not None and any(id(below) in inside for below in walk(part.body)):
            found |= {id(below) for below in walk(part.orelse)}
    return found


_COUNTING = frozenset((cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign))
_NAMING_NODES = frozenset((cst.Assign, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr, cst.AsName))
_BINDING_OTHERWISE = frozenset((cst.Import, cst.ImportFrom, cst.Match))
_LOOPS = (cst.For, cst.While)
_BINDING = frozenset((cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr))
