"""Which names a piece of a function reads, assigns, needs afterwards: syntax alone, on statements of one scope.

Live names are over-approximated (a name may be read later), assigned names under-approximated (it surely has a value).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import libcst as cst

from np2tnp.analysis.syntax.own_scope import OwnScope
from np2tnp.analysis.syntax.walk import PARTS, walk

Statement = cst.BaseStatement | cst.BaseSmallStatement  # the latter in a line of several
Names = frozenset[str]
NONE: Names = frozenset()


def reads(node: cst.CSTNode | None) -> Names:
    """The names that evaluating `node` may read, those inside nested functions and comprehensions included."""
    if node is None:
        return NONE
    found: set[str] = set()
    _reads(node, found)
    return frozenset(found)


def _reads(node: Any, found: set[str]) -> None:
    stack = [node]
    while stack:
        node = stack.pop()
        kind = type(node)  # `isinstance` would ask libcst's abstract base classes, for each node of each loop
        if kind is cst.Name:
            found.add(node.value)
        elif kind in _VALUE_ONLY:
            stack.append(node.value)
        elif kind in _SCOPES:
            found |= _reads_of_scope(node)
        elif kind is not cst.Annotation:
            stack.extend(PARTS[kind](node))


def _reads_of_scope(node: cst.Lambda | cst.FunctionDef | cst.BaseComp) -> set[str]:
    found: set[str] = set()
    outside: set[str] = set()
    if isinstance(node, (cst.Lambda, cst.FunctionDef)):
        _reads(node.body, found)
        own = {parameter.name.value for parameter in parameters(node.params)}
        for parameter in parameters(node.params):
            _reads(parameter.default, outside)
        for decorator in node.decorators if isinstance(node, cst.FunctionDef) else ():
            _reads(decorator.decorator, outside)
    else:
        _reads(_children(node), found)
        own = set(_bound_in(node.for_in))
        _reads(node.for_in.iter, outside)
    return (found - own) | outside


_VALUE_ONLY = frozenset((cst.Attribute, cst.Arg))
_COMPREHENSIONS = frozenset((cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp))
_SCOPES = _COMPREHENSIONS | {cst.Lambda, cst.FunctionDef}


def _children(node: object) -> tuple[object, ...]:
    return PARTS[type(node)](node)


def _bound_in(comp: cst.CompFor) -> Iterator[str]:
    yield from targets(comp.target)
    if comp.inner_for_in is not None:
        yield from _bound_in(comp.inner_for_in)


def parameters(params: cst.Parameters) -> list[cst.Param]:
    """All parameters of a function or lambda."""
    found = [*params.posonly_params, *params.params, *params.kwonly_params]
    found.extend(param for param in (params.star_arg, params.star_kwarg) if isinstance(param, cst.Param))
    return found


def targets(node: cst.CSTNode) -> Iterator[str]:
    """The names that assigning to `node` binds."""
    if type(node) is cst.Name:
        yield node.value
    elif isinstance(node, (cst.Tuple, cst.List)):
        for element in node.elements:
            yield from targets(element.value)
    elif isinstance(node, cst.StarredElement):
        yield from targets(node.value)


def assigned(node: object) -> dict[str, None]:
    """The names that `node` (a statement or several) may bind in its scope, in order of appearance."""
    found: dict[str, None] = {}
    _assigned(node, found)
    return found


def _assigned(node: Any, found: dict[str, None]) -> None:
    kind = type(node)
    if kind in _BINDING:
        found.update(dict.fromkeys(targets(node.target)))
    elif kind is cst.AsName:
        found.update(dict.fromkeys(targets(node.name)))
    elif kind is cst.FunctionDef or kind is cst.ClassDef:
        found[node.name.value] = None
        return
    elif kind is cst.ImportAlias and node.asname is None:
        found[_first(node.name)] = None
    elif kind is cst.Lambda or kind in _COMPREHENSIONS:
        return  # a walrus in a comprehension binds outside: `reads` sees its target, nothing stages such a loop
    for child in PARTS[kind](node):
        _assigned(child, found)


_BINDING = frozenset((cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.NamedExpr))


def _first(node: cst.BaseExpression) -> str:
    while isinstance(node, cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def statements(body: cst.BaseSuite) -> Sequence[Statement]:
    """A block's statements; small ones stay in their lines."""
    return body.body


def live_before(block: Iterable[Statement], live: Names, leave: Names = NONE, again: Names = NONE) -> Names:
    """The names needed before a block, given those needed after it, after a ``break``, and at a ``continue``."""
    for statement in reversed(list(block)):
        live = _before(statement, live, leave, again)
    return live


def _before(node: Statement, live: Names, leave: Names, again: Names) -> Names:
    if type(node) is cst.SimpleStatementLine:
        return live_before(node.body, live, leave, again)
    if type(node) is cst.Assign:
        bound = frozenset(name for target in node.targets for name in targets(target.target))
        inside = reads_of_targets(target.target for target in node.targets)
        return (live - bound) | inside | reads(node.value)
    if type(node) is cst.AnnAssign:
        bound = frozenset(targets(node.target)) if node.value is not None else NONE
        return (live - bound) | reads_of_targets([node.target]) | reads(node.value)
    if type(node) is cst.Return or type(node) is cst.Raise:
        return reads(node)
    if type(node) is cst.Break:
        return leave
    if type(node) is cst.Continue:
        return again
    if type(node) is cst.If:
        otherwise = _orelse(node.orelse, live, leave, again)
        return reads(node.test) | live_before(node.body.body, live, leave, again) | otherwise
    if type(node) is cst.For or type(node) is cst.While:
        return live_at_loop(node, live, leave, again) | (reads(node.iter) if type(node) is cst.For else NONE)
    if type(node) is cst.With:
        bound = frozenset(assigned(node.items))
        inside = live_before(node.body.body, live, leave, again) - bound
        if not all(map(_swallows_nothing, node.items)):
            inside |= live  # after an exception that the manager swallows nothing of the body may be bound
        return reads_of_items(node) | inside
    if type(node) is cst.FunctionDef:
        return (live - {node.name.value}) | reads(node)
    return live | leave | again | reads(node)


def live_at_loop(node: cst.For | cst.While, live: Names, leave: Names = NONE, again: Names = NONE) -> Names:
    """The names needed at the head of a loop, before each iteration."""
    after = _orelse(node.orelse, live, leave, again)
    bound = frozenset(targets(node.target)) if isinstance(node, cst.For) else NONE
    test = reads(node.test) if isinstance(node, cst.While) else NONE
    head = after | test
    while True:
        wider = head | (live_before(node.body.body, head, live, head) - bound)
        if wider == head:
            return head
        head = wider


def live_after(block: Iterable[Statement], node: cst.For, live: Names) -> Names | None:
    """The names needed after the loop `node`, which stands somewhere in `block`; None where that is not known."""
    after = live
    for statement in reversed(list(block)):
        found: Names | None = None
        if statement is node:
            return after
        before = live_before([statement], after)
        if isinstance(statement, (cst.For, cst.While)):
            found = live_after(statement.body.body, node, after | before)
        elif isinstance(statement, cst.If):
            found = live_after(statement.body.body, node, after)
            if found is None and statement.orelse is not None:
                other = statement.orelse
                found = live_after([other] if isinstance(other, cst.If) else other.body.body, node, after)
        if found is not None:
            return found
        after = before
    return None


def _orelse(node: cst.Else | cst.If | None, live: Names, leave: Names, again: Names) -> Names:
    if node is None:
        return live
    return (
        live_before(node.body.body, live, leave, again)
        if isinstance(node, cst.Else)
        else _before(node, live, leave, again)
    )


def reads_of_targets(nodes: Iterable[cst.CSTNode]) -> Names:
    """The names read to find out where to store: ``x`` and ``i`` of ``x[i] = ...``."""
    found: Names = NONE
    for node in nodes:
        if isinstance(node, (cst.Tuple, cst.List)):
            found |= reads_of_targets(element.value for element in node.elements)
        elif not isinstance(node, cst.Name):
            found |= reads(node)
    return found


def reads_of_items(node: cst.With) -> Names:
    return frozenset(name for item in node.items for name in reads(item.item))


def surely_assigned(block: Iterable[Statement], before: Names) -> Names | None:
    """The names that have a value after a block, given those that have one before; None: its end is not reached."""
    known: Names | None = before
    for statement in block:
        if known is None:
            return None
        known = _after(statement, known)
    return known


def known_before(block: Iterable[Statement], node: cst.For, before: Names) -> Names:
    """The names that surely have a value where the loop `node`, somewhere in `block`, begins."""
    known: Names | None = before
    for statement in block:
        if statement is node or known is None:
            return known or NONE
        if isinstance(statement, (cst.For, cst.While)) and contains(statement.body, node):
            bound = frozenset(targets(statement.target)) if isinstance(statement, cst.For) else NONE
            return known_before(statement.body.body, node, known | bound)
        branch: cst.If | cst.Else | None = statement if isinstance(statement, cst.If) else None
        while branch is not None:
            if contains(branch.body, node):
                return known_before(branch.body.body, node, known)
            branch = branch.orelse if isinstance(branch, cst.If) else None
        known = surely_assigned([statement], known)
    return NONE


def contains(block: cst.BaseSuite, node: cst.For) -> bool:
    """Whether the loop `node` stands in the block, however deep in loops and branches."""
    return any(part is node for part in walk(block))


def _after(node: Statement, known: Names) -> Names | None:
    if isinstance(node, cst.SimpleStatementLine):
        return surely_assigned(node.body, known)
    if isinstance(node, (cst.Return, cst.Raise, cst.Break, cst.Continue)):
        return None
    if isinstance(node, cst.Del):
        return known - reads(node)
    if isinstance(node, cst.If):
        then = surely_assigned(node.body.body, known)
        other: Names | None = known
        if isinstance(node.orelse, cst.Else):
            other = surely_assigned(node.orelse.body.body, known)
        elif node.orelse is not None:
            other = _after(node.orelse, known)
        return other if then is None else then if other is None else then & other
    if isinstance(node, cst.With) and all(map(_swallows_nothing, node.items)):
        return surely_assigned(node.body.body, known | frozenset(assigned(node.items)))
    if isinstance(node, (cst.For, cst.While, cst.Try, cst.TryStar, cst.Match, cst.With)):
        return known  # a context manager may swallow what was raised
    if isinstance(node, cst.AnnAssign) and node.value is None:
        return known
    return known | frozenset(assigned(node))


def _swallows_nothing(item: cst.WithItem) -> bool:
    """Whether it is NumPy's ``errstate(...)``, by its name."""
    func = item.item.func if isinstance(item.item, cst.Call) else None
    return isinstance(func, cst.Attribute) and func.attr.value == "errstate"


# --- Names that a loop alone uses, and that no iteration takes over from the one before


class DeadNames:
    """The dead names of the loops of one function: what they held may be forgotten where an iteration ends.

    Parameters are none, nor names that stand outside of the loop, too, or in a scope within, which may run at any time.
    """

    def __init__(self, function: cst.FunctionDef) -> None:
        self._scope = OwnScope((function.body,))
        self._seen = self._scope.inner.union(parameter.name.value for parameter in parameters(function.params))
        self._of: dict[int, frozenset[str]] = {}

    def at_head(self, loop: cst.For | cst.While) -> frozenset[str]:
        """Those that an iteration of `loop` assigns before it reads them, if it does."""
        known = self._of.get(id(loop))
        if known is None:
            scope = OwnScope((loop,))
            own = (name for name in scope.bound if name in scope.uses and name not in self._seen)
            alone = frozenset(name for name in own if scope.uses[name] == self._scope.uses[name])
            known = self._of[id(loop)] = alone - self._needed(loop) if alone else alone
        return known

    def _needed(self, loop: cst.For | cst.While) -> frozenset[str]:
        """What an iteration needs of those before; a loop around this one evaluates again what this one is over."""
        live = live_at_loop(loop, frozenset())
        return live | reads(loop.iter) if type(loop) is cst.For else live


def dead_at_head(region: cst.CSTNode, loop: cst.For | cst.While, known: dict[int, DeadNames]) -> frozenset[str]:
    """The dead names of `loop` in `region`; `known` is where what was found of a function is kept."""
    if type(region) is not cst.FunctionDef:
        return frozenset()  # others may read what the top level of a module binds
    if id(region) not in known:
        known[id(region)] = DeadNames(region)
    return known[id(region)].at_head(loop)
