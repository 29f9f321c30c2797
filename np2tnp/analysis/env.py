"""What is known at one point of a function: the value of each location, and which locations may share memory.

Locations are strings: a local name (``u``), the caller's array behind a parameter (``@u``), an attribute of any object
(``.w``), a module-level name (``global:w``). Sharing is kept as pairs rather than as allocation sites, because pairs
survive the exchange of two buffers (``u, v = v, u``) through a loop: the names move, and that they differ stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from np2tnp.analysis.values import (
    EITHER,
    HOST,
    NO_NAMES,
    Unknown,
    Value,
    home_of,
    join,
    join_zero_d,
    may_be_array,
    may_hold_tensor,
    refs_of,
    view_of,
    with_refs,
)


class Stale(NamedTuple):
    """Why a name no longer shows what NumPy would show: its memory was written through another name."""

    via: str  #: the name or expression that was written
    line_node: int  #: id of the node that wrote
    kind: str = "store"  #: "store", or "call" where an unresolved callee may have written
    more: tuple[Stale, ...] = ()  #: what else it may have been, where several ways meet

    @property
    def reasons(self) -> tuple[Stale, ...]:
        """Each by itself, without ``more``."""
        return (Stale(self.via, self.line_node, self.kind), *self.more)

    def _tells(self, other: Stale) -> bool:
        """Whether `other`, one reason, is among the reasons."""
        first = self.line_node == other.line_node and self.via == other.via and self.kind == other.kind
        return first or other in self.more

    def join(self, other: Stale) -> Stale:
        """Either, or both."""
        if other is self:
            return self
        if not other.more:
            return self if self._tells(other) else Stale(self.via, self.line_node, self.kind, (*self.more, other))
        own = frozenset(self.reasons)
        more = tuple(reason for reason in other.reasons if reason not in own)
        return Stale(self.via, self.line_node, self.kind, self.more + more) if more else self


#: What messages call that which a loop iterates over; it may have no name.
ITERATED = "what this loop iterates over"


def iterated_name(loop: int) -> str:
    """The name under which a loop (by the id of its node) holds what it iterates over."""
    return f"_iterated_{loop}"


def is_iterated(name: str) -> bool:
    """Whether `name` was made by ``iterated_name``."""
    return name.startswith("_iterated_")


@lru_cache(maxsize=4096)
def _alone(name: str) -> frozenset[str]:
    return frozenset((name,))


class Env:
    """A mutable map of locations; ``copy`` before branching, ``join`` after."""

    __slots__ = ("_loaded", "alias", "stale", "values")

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.alias: dict[str, frozenset[str]] = {}
        self.stale: dict[str, Stale] = {}
        #: by name, for what value and what sharing something was loaded, and what: names are read again and again
        self._loaded: dict[str, tuple[Value, frozenset[str] | None, Value]] = {}

    def copy(self) -> Env:
        new = Env()
        new.values = dict(self.values)
        new.alias = dict(self.alias)
        new.stale = dict(self.stale)
        new._loaded = self._loaded  # of use to all that came of one
        return new

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Env)
            and self.values == other.values
            and self.stale == other.stale
            and {k: v for k, v in self.alias.items() if v} == {k: v for k, v in other.alias.items() if v}
        )

    __hash__ = None  # type: ignore[assignment]

    def load(self, name: str) -> Value | None:
        """The value of `name` with all locations it may share memory with, `name` included; None when unbound."""
        value = self.values.get(name)
        if value is None:
            return None
        shared = self.alias.get(name)
        known = self._loaded.get(name)
        if known is not None and known[0] is value and known[1] is shared:
            return known[2]
        loaded = with_refs(value, shared | {name} if shared else _alone(name))
        self._loaded[name] = (value, shared, loaded)
        return loaded

    def aliases(self, name: str) -> frozenset[str]:
        return self.alias.get(name, NO_NAMES)

    def forget(self, name: str) -> None:
        """`name` no longer denotes what it did."""
        shared = self.alias.pop(name, None)
        if shared:
            alias, own = self.alias, _alone(name)
            for other in shared:
                alias[other] = alias.get(other, NO_NAMES) - own
        self.values.pop(name, None)
        self.stale.pop(name, None)

    def bind(self, name: str, value: Value) -> None:
        refs = refs_of(value)
        self.forget(name)
        self.values[name] = with_refs(value, NO_NAMES)
        if refs:
            self.link(name, refs)

    def bind_all(self, pairs: Iterable[tuple[str, Value]]) -> None:
        """Bind several names at once: all values were evaluated before any name changes."""
        pairs = list(pairs)
        names = {name for name, _ in pairs}
        refs = {name: refs_of(value) for name, value in pairs}
        for name in names:
            self.forget(name)
        for name, value in pairs:
            self.values[name] = with_refs(value, NO_NAMES)
            for other in refs[name] - names:
                self._share(name, other)
            for other in names:
                if other != name and refs[name] & refs[other]:
                    self._share(name, other)

    def link(self, name: str, refs: frozenset[str]) -> None:
        """Additionally, `name` may now share memory with `refs` (a list that got one more element)."""
        mine = self.alias.get(name, NO_NAMES)
        if refs <= mine:
            return  # most are known: sharing is kept on both sides
        new = refs - mine - {name}
        if new:
            alias, own = self.alias, _alone(name)
            alias[name] = mine | new
            for other in new:
                theirs = alias.get(other)
                alias[other] = theirs | own if theirs else own

    def _share(self, a: str, b: str) -> None:
        self.alias[a] = self.alias.get(a, NO_NAMES) | {b}
        self.alias[b] = self.alias.get(b, NO_NAMES) | {a}

    def join(self, other: Env) -> Env:
        """What holds on both ways here.

        A name bound on one way only keeps that value: reading it on the other raises. What is only known on one way,
        that a parameter was not given (``?name``), is not known here.
        """
        new = Env()
        new._loaded = self._loaded
        values = new.values = dict(self.values)
        for name in values.keys() - other.values.keys():
            if name[0] == "?":
                del values[name]
        for name, value in other.values.items():
            mine = values.get(name)
            if mine is not value:
                if mine is not None:
                    values[name] = join(mine, value)
                elif name[0] != "?":
                    values[name] = value
        alias = new.alias = dict(self.alias)
        if alias != other.alias:  # most branches share nothing anew
            for name, shared in other.alias.items():
                mine_shared = alias.get(name)
                if mine_shared is not shared:
                    alias[name] = mine_shared | shared if mine_shared else shared
        if self.stale or other.stale:
            new.stale = {**other.stale, **self.stale}
            for name in self.stale.keys() & other.stale.keys():
                new.stale[name] = self.stale[name].join(other.stale[name])
        return new


def join_all(envs: Iterable[Env | None]) -> Env | None:
    """The join of the reachable ones, or None when none is."""
    result: Env | None = None
    for env in envs:
        if env is not None:
            result = env if result is None else result.join(env)
    return result


def widen(old: Env, new: Env) -> Env:
    """`new`, where what still changes from round to round is forgotten but for where it lives and what it shows."""
    for name, value in new.values.items():
        before = old.values.get(name)
        if before is not None and before != value:
            home = home_of(value) if may_be_array(value) else EITHER if may_hold_tensor(value) else HOST
            view = max(view_of(before), view_of(value))
            new.values[name] = Unknown(home, view=view, zero_d=join_zero_d(before, value))
    return new
