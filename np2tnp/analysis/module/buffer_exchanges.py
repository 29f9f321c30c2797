"""Buffers that change places: ``a, b = b, a``, where arrays of the caller are among them.

Which array a name holds then depends on how often they did. A number goes along with each name through every exchange,
so at the end it is known which value is whose. That is sound while each array is held by one name: names that do
nothing else than change places, once they have their arrays, and share no memory.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from np2tnp.analysis.domain import values
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.locations import of_parameter
from np2tnp.analysis.domain.values import Value, exact_of, refs_of, with_refs
from np2tnp.analysis.module.contents import FunctionInfo, blocks_of, signature_names, statements_of
from np2tnp.analysis.syntax.liveness import targets
from np2tnp.analysis.syntax.walk import walk


@dataclass(frozen=True, slots=True)
class Exchange:
    """Names that change places among each other, and otherwise keep what they were bound to before.

    names: the number of a name's first array is its place here; those in `given` come first.
    given: the parameters among them, which have their callers' arrays.
    swaps: id of the statement that completes an exchange → (names, the names whose arrays they got).
    parts: ids of the statements before it that belong to such a one: ``t = a; a = b`` before ``b = t``.
    early: ids of the returns that come before any exchange.
    """

    names: tuple[str, ...]
    given: frozenset[str]
    swaps: dict[int, tuple[tuple[str, ...], tuple[str, ...]]]
    parts: frozenset[int] = frozenset()
    early: frozenset[int] = frozenset()

    def without(self, names: Container[str]) -> Exchange:
        """The same, where the parameters `names` have arrays of the function's own."""
        given = frozenset(name for name in self.given if name not in names)
        return replace(self, names=tuple(sorted(self.names, key=lambda name: name not in given)), given=given)


class Exchanges:
    """The exchanges of a function while it is interpreted; what turns out to be none is remembered."""

    def __init__(self, found: Iterable[Exchange] = ()) -> None:
        self.found = tuple(found)
        self._of = {name: exchange for exchange in self.found for name in exchange.names}
        self.spoiled: set[str] = set()  #: names of exchanges in which an array may have two names
        self.rebound: set[str] = set()  #: parameters that hold another array than their caller's, before the exchange

    def without(self, names: frozenset[str]) -> Exchanges:
        """Those that none of `names` takes part in, as far as they were not found to be none."""
        kept = (
            exchange.without(self.rebound)
            for exchange in self.found
            if self.spoiled.isdisjoint(exchange.names) and names.isdisjoint(exchange.names)
        )
        return Exchanges(exchange for exchange in kept if exchange.given)

    def learn(self, other: Exchanges) -> None:
        """Remember what was found out by interpreting with `other`."""
        self.spoiled |= other.spoiled
        self.rebound |= other.rebound

    @property
    def are_certain(self) -> bool:
        """Whether nothing was found against them."""
        return not self.spoiled and not self.rebound

    def of(self, name: str | None) -> Exchange | None:
        """The one that `name` takes part in."""
        return self._of.get(name) if name is not None and self._of else None

    def updated(self, names: Container[str]) -> tuple[Exchange, ...]:
        """Those in which one of `names` gives its caller's array."""
        return tuple(exchange for exchange in self.found if any(name in names for name in exchange.given))

    def spoil(self, exchange: Exchange) -> None:
        """An array may have two names, or a name something else than an array."""
        self.spoiled.update(exchange.names)

    def bound(self, node: cst.Assign | cst.AnnAssign, env: Env) -> None:
        """The statement `node` has bound names."""
        if not self._of:
            return
        for exchange in self.found:
            if id(node) in exchange.swaps and not _are_apart(exchange, env):
                self.spoil(exchange)
        parts = [item.target for item in node.targets] if type(node) is cst.Assign else [node.target]  # type: ignore[union-attr]
        for name in (name for part in parts for name in targets(part)):
            of = self.of(name)
            if of is None or name not in of.given or id(node) in of.parts or id(node) in of.swaps:
                continue
            if name not in env.values or exact_of(env.values[name]) != name:
                self.rebound.add(name)

    def keep(self, name: str, node: cst.Return | None, env: Env) -> bool:
        """Whether the final value of the array that the caller passed as `name` is known, where `node` returns."""
        exchange = self.of(name)
        if exchange is None or name not in exchange.given or id(node) in exchange.early:
            return name in env.values and exact_of(env.values[name]) == name and name not in env.stale
        return all(held in env.values and held not in env.stale for held in exchange.names)

    def apart(self, node: cst.BaseExpression | None, value: Value, env: Env) -> Value:
        """What ``return a, b`` gives, where `a` and `b` changed places: each is one of the arrays, never the same."""
        display = type(node) is cst.Tuple or type(node) is cst.List
        if not self._of or not display or not isinstance(value, values.Sequence) or value.items is None:
            return value
        names = [_name(element.value) for element in node.elements]  # type: ignore[union-attr]
        items = list(value.items)
        for place, name in enumerate(names):
            exchange = self.of(name)
            if exchange is not None and names.count(name) == 1 and _are_apart(exchange, env):
                items[place] = with_refs(items[place], refs_of(items[place]) & {name})
        return replace(value, items=tuple(items))


def _are_apart(exchange: Exchange, env: Env) -> bool:
    """Whether no two of its names share memory, and nobody else holds it."""
    ours = frozenset(of_parameter(name) for name in exchange.given) | frozenset(exchange.names)
    for number, name in enumerate(exchange.names):
        if name not in env.values:
            return False
        if any(env.shares(name, other) for other in exchange.names[:number]):
            return False
        if any(not ref.isidentifier() and ref not in ours for ref in env.aliases(name)):
            return False
    return True


# --- how they are written ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Seen:
    """What stands where in a function: order of the text, and the loops around."""

    order: int = 0
    swaps: list[tuple[cst.CSTNode, dict[str, str], int, frozenset[int]]] = field(default_factory=list)
    bindings: list[tuple[str, int, frozenset[int], bool]] = field(default_factory=list)
    returns: list[tuple[int, int, frozenset[int]]] = field(default_factory=list)
    parts: set[int] = field(default_factory=set)


def exchanges_of(function: FunctionInfo) -> Exchanges:
    """The exchanges in `function` in which parameters take part, by how they are written."""
    copies, parameters = function.uses.copies, signature_names(function.node.params)
    given = frozenset(parameters) & {name for name, _ in copies} & {name for _, name in copies}
    if not given or type(function.node.body) is not cst.IndentedBlock:
        return Exchanges()
    seen = _Seen()
    _read(function.node.body, seen, frozenset(), top=True)
    if not seen.swaps:
        return Exchanges()
    unfit = _bound_otherwise(function.node)
    found = (_exchange(names, parameters, seen) for names in _groups(seen) if unfit.isdisjoint(names))
    return Exchanges(exchange for exchange in found if exchange is not None)


def _exchange(names: frozenset[str], parameters: tuple[str, ...], seen: _Seen) -> Exchange | None:
    swaps = [swap for swap in seen.swaps if not names.isdisjoint(swap[1])]
    first = min(order for _, _, order, _ in swaps)
    around = frozenset[int]().union(*(loops for *_, loops in swaps))

    def is_before(order: int, loops: frozenset[int]) -> bool:
        return order < first and loops.isdisjoint(around)

    bindings = [binding for binding in seen.bindings if binding[0] in names]
    if not all(is_before(order, loops) for _, order, loops, _ in bindings):
        return None
    given = names.intersection(parameters)
    surely = {name for name, *_, top in bindings if top}
    if not given or not names - given <= surely:
        return None
    order_of = {name: order for name, order, *_ in reversed(bindings)}
    local = sorted(names - given, key=lambda name: (order_of[name], name))
    return Exchange(
        (*(name for name in parameters if name in given), *local),
        given,
        {id(node): (tuple(moves), tuple(moves.values())) for node, moves, *_ in swaps},
        frozenset(seen.parts),
        frozenset(node for node, order, loops in seen.returns if is_before(order, loops)),
    )


def _groups(seen: _Seen) -> list[frozenset[str]]:
    """The names that change places with each other, directly or not."""
    groups: list[frozenset[str]] = []
    for _, moves, *_ in seen.swaps:
        together = frozenset(moves)
        apart = [group for group in groups if group.isdisjoint(together)]
        groups = [*apart, together.union(*(group for group in groups if group not in apart))]
    return groups


def _read(body: object, seen: _Seen, loops: frozenset[int], top: bool) -> None:
    if type(body) is cst.SimpleStatementSuite:
        _read_line(body.body, seen, loops, top)
        return
    line: list[cst.BaseSmallStatement] = []
    for statement in statements_of(body):
        if type(statement) is cst.SimpleStatementLine:
            line.extend(statement.body)
            continue
        _read_line(line, seen, loops, top)
        line = []
        if type(statement) is cst.FunctionDef or type(statement) is cst.ClassDef:
            continue
        inside = loops | {id(statement)} if type(statement) is cst.For or type(statement) is cst.While else loops
        for block in blocks_of(statement):
            _read(block, seen, inside, top=False)
    _read_line(line, seen, loops, top)


def _read_line(statements: Sequence[cst.BaseSmallStatement], seen: _Seen, loops: frozenset[int], top: bool) -> None:
    """Statements that follow each other."""
    number = 0
    while number < len(statements):
        node = statements[number]
        seen.order += 1
        chain = _rotation(statements[number:])
        if chain is not None:
            moves, holder = chain
            seen.bindings.append((holder, seen.order, loops, top))
            seen.parts.update(map(id, statements[number : number + len(moves)]))
            number += len(moves)
            seen.swaps.append((statements[number], moves, seen.order, loops))
        elif type(node) is cst.Assign:
            moves = _moves(node)
            if moves:
                seen.swaps.append((node, moves, seen.order, loops))
            bound = (name for item in node.targets for name in targets(item.target) if name not in moves)
            seen.bindings.extend((name, seen.order, loops, top) for name in bound)
        elif type(node) is cst.AnnAssign and node.value is not None:
            seen.bindings.extend((name, seen.order, loops, top) for name in targets(node.target))
        elif type(node) is cst.Return:
            seen.returns.append((id(node), seen.order, loops))
        number += 1


def _moves(node: cst.Assign) -> dict[str, str]:
    """``a, b, i = b, a, i + 1``: the names that get each other's values, with whose."""
    left, right = node.targets[0].target, node.value
    if len(node.targets) > 1 or type(left) is not cst.Tuple or type(right) is not cst.Tuple:
        return {}
    names = [_name(element.value) for element in left.elements]
    sources = [_name(element.value) for element in right.elements]
    if len(names) != len(sources) or len(set(names)) < len(names):
        return {}
    moves = {name: source for name, source in zip(names, sources, strict=True) if name and source and name != source}
    while moves.keys() != set(moves.values()):
        fewer = {name: source for name, source in moves.items() if source in moves}
        given = list(fewer.values())
        fewer = {name: source for name, source in fewer.items() if given.count(source) == 1 and name in given}
        if len(fewer) == len(moves):
            return {}
        moves = fewer
    return moves


def _rotation(statements: Sequence[cst.BaseSmallStatement]) -> tuple[dict[str, str], str] | None:
    """``t = a; a = b; b = t``: the names that change places, with whose they get, and `t`."""
    if len(statements) < 3 or (first := _copy(statements[0])) is None:
        return None
    holder, wanted = first
    start, moves = wanted, {}
    for statement in statements[1:]:
        pair = _copy(statement)
        if pair is None or pair[0] != wanted or wanted in moves or wanted == holder:
            return None
        wanted = pair[1]
        if wanted == holder:
            moves[pair[0]] = start
            return (moves, holder) if len(moves) > 1 else None
        moves[pair[0]] = wanted
    return None


def _copy(node: cst.BaseSmallStatement) -> tuple[str, str] | None:
    """``a = b`` as the two names."""
    if type(node) is not cst.Assign or len(node.targets) > 1:
        return None
    target, source = _name(node.targets[0].target), _name(node.value)
    return (target, source) if target is not None and source is not None else None


def _name(node: cst.BaseExpression) -> str | None:
    return node.value if type(node) is cst.Name else None


def _bound_otherwise(function: cst.FunctionDef) -> frozenset[str]:
    """Names that anything but assignments binds, or that functions inside read whenever they run."""
    return frozenset(_otherwise(function.body))


def _otherwise(body: cst.CSTNode) -> Iterator[str]:
    for node in walk(body):
        kind = type(node)
        if kind in _APART:
            yield from (part.value for part in walk(node) if type(part) is cst.Name)
        elif kind is cst.For or kind is cst.CompFor or kind is cst.NamedExpr or kind is cst.Del:
            yield from targets(node.target)  # type: ignore[attr-defined]
        elif kind is cst.AsName:
            yield from targets(node.name)  # type: ignore[attr-defined]
        elif kind is cst.MatchAs or kind is cst.MatchStar:
            if node.name is not None:  # type: ignore[attr-defined]
                yield node.name.value  # type: ignore[attr-defined]
        elif kind is cst.Global or kind is cst.Nonlocal:
            yield from (item.name.value for item in node.names)  # type: ignore[attr-defined]


_APART = frozenset((cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.GeneratorExp, cst.ImportAlias))
