"""What one function binds and mentions itself, and where: scopes within it are only listed by their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import libcst as cst

from np2tnp.analysis.walk import PARTS, names_of_parts, walk

#: Scopes of their own: what stands in them is evaluated at another time, or has names of its own.
SCOPES = frozenset(
    (cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
) | {cst.FormattedString}  # whose parts have no places of their own in the text


@dataclass(slots=True)
class Use:
    """Where a name stands: a field of its parent, or an item of one."""

    node: cst.Name
    parent: Any
    name: str
    index: int | None


#: By type of node.
_names: Callable[[Any], list[str]] = cache(names_of_parts)


class OwnScope:
    """What one function binds and mentions, what lies in scopes within it aside."""

    def __init__(self, roots: Iterable[cst.CSTNode]) -> None:
        self.bound: Counter[str] = Counter()
        self.stepped: set[str] = set()  #: targets of ``name += ...``
        self.inner: set[str] = set()  #: words in scopes within
        self.uses: dict[str, list[Use]] = {}
        self.nodes: list[Any] = []
        self.blocks: list[cst.IndentedBlock] = []
        self.calls: dict[int, cst.Call] = {}  #: by id of an argument
        for root in roots:
            self._look(root, None, "", None)

    def _look(self, node: Any, parent: Any, name: str, index: int | None) -> None:
        kind = type(node)
        if kind not in PARTS.nodes and not isinstance(node, cst.CSTNode):
            return
        if kind is cst.Name:
            self.uses.setdefault(node.value, []).append(Use(node, parent, name, index))
            return
        if kind in SCOPES:
            self._look_within(node)
            return
        self.nodes.append(node)
        self._note(node, kind)
        if kind is cst.IndentedBlock:
            self.blocks.append(node)
        for part in _names(kind):
            if (kind is cst.Attribute and part == "attr") or (kind is cst.Arg and part == "keyword"):
                continue
            value = getattr(node, part)
            if isinstance(value, (list, tuple)):
                for number, item in enumerate(value):
                    self._look(item, node, part, number)
            else:
                self._look(value, node, part, None)

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
        elif kind is cst.AugAssign and type(node.target) is cst.Name:
            self.stepped.add(node.target.value)
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
        elif kind is cst.Call:
            self.calls.update((id(argument), node) for argument in node.args)

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
