"""What is known at one point of a function: the value of each location, and which locations may share memory.

Locations are strings: a local name (``u``), the caller's array behind a parameter (``@u``), an attribute of any object
(``.w``), a module-level name (``global:w``). Sharing is kept as pairs rather than as allocation sites, because pairs
survive the exchange of two buffers (``u, v = v, u``) through a loop: the names move, and that they differ stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress, filterfalse
from operator import is_not
from types import MappingProxyType
from typing import NamedTuple

from np2tnp.analysis.domain.locations import is_holder
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    LENT,
    NO_NAMES,
    NONE,
    NOTHING,
    REAL,
    TENSOR,
    Array,
    Const,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    exact_of,
    has_elements,
    home_of,
    is_among_zero_d,
    is_python_number,
    may_be_array,
    may_hold_tensor,
    refs_of,
    replace,
    scalar_type,
    view_of,
    with_refs,
    zero_d_of,
)
from np2tnp.files.problems import Problem

# --- The least abstract values that cover two others, where two ways of a program meet


def join(a: Value, b: Value) -> Value:
    """The least value that covers both."""
    if a is b or b is NOTHING:
        return a
    if a is NOTHING:
        return b
    if a == b:
        return a
    if isinstance(a, Array) and isinstance(b, Array):
        return Array(
            _join_home(a.home, b.home),
            a.dtypes | b.dtypes,
            a.rank if a.rank == b.rank else None,
            a.refs | b.refs,
            a.exact if a.exact == b.exact else None,
            a.deps | b.deps,
            a.weak if a.weak == b.weak else (a.weak or b.weak) if not (a.weak and b.weak) else True,
            join_zero_d(a, b),
            _join_view(a, b),
            has_elements(a) and has_elements(b),
            (a.rank is None or a.rank != b.rank) and (is_among_zero_d(a) or is_among_zero_d(b)),
        )
    if isinstance(a, (Const, Scalar)) and isinstance(b, (Const, Scalar)):
        return _join_scalars(a, b)
    if isinstance(a, Sequence) and isinstance(b, Sequence) and a.type == b.type:
        items = None
        if a.items is not None and b.items is not None and len(a.items) == len(b.items):
            items = tuple(map(join, a.items, b.items))
        return Sequence(a.type, join(a.element, b.element), items, a.refs | b.refs)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Symbol) and other == NONE:
            return one  # ``try: import numpy as np / except ImportError: np = None``
        if one is LENT and isinstance(other, Unknown) and other.exact is not None:
            return other  # a parameter where one was passed: like it, the function gets ndarrays and gives its own
        if isinstance(one, Array) and is_python_number(other):
            home, zero_d = _join_home(one.home, HOST), join_zero_d(one, one)
            weak = REAL if one.weak in (False, REAL) and scalar_type(other) in ("int", "float") else True
            return replace(one, home=home, weak=weak, exact=None, zero_d=zero_d, nonempty=has_elements(one))
    held = may_hold_tensor(a) or may_hold_tensor(b)
    both_tensor = home_of(a) == TENSOR and home_of(b) == TENSOR
    return Unknown(
        (TENSOR if both_tensor else EITHER) if held else HOST,
        refs_of(a) | refs_of(b),
        exact_of(a) if exact_of(a) == exact_of(b) else None,
        deps_of(a) | deps_of(b),
        # of the host alone: what two empty containers become says no more than an object, so pieces cannot be kept
        _join_view(a, b) if held else "view" if view_of(_deepest(a)) or view_of(_deepest(b)) else "",
        join_zero_d(a, b),
        is_among_zero_d(_deepest(a)) or is_among_zero_d(_deepest(b)),
    )


def join_zero_d(a: Value, b: Value) -> str:
    """What it is for either of two values."""
    kinds = {zero_d_of(_deepest(a)), zero_d_of(_deepest(b))} - {"never"}  # a container gives the kind of its items
    return "never" if not kinds else kinds.pop() if len(kinds) == 1 else "either"


def _join_view(a: Value, b: Value) -> str:
    """What the tensor among the two may be a view of counts: what lives on the host is NumPy's own view."""
    tensors = [value for value in (a, b) if may_hold_tensor(value)]
    # An empty container says nothing.
    kinds = {view_of(item) for item in map(_deepest, tensors or (a, b)) if item is not NOTHING}
    return "" if not kinds else kinds.pop() if len(kinds) == 1 else "view"


def view_among(items: Iterable[Value], shared: bool) -> str:
    """How the items of a container of unknown length show memory; what nobody else has adds nothing to that."""
    kinds = {view_of(item) for item in items if refs_of(item)}
    if len(kinds) > 1 or (shared and "piece" in kinds):  # a piece, and the same one again
        return "view"
    return kinds.pop() if kinds else ""


def _deepest(value: Value) -> Value:
    while isinstance(value, Sequence):
        value = value.element
    return value


def _join_home(a: str, b: str) -> str:
    return a if a == b else EITHER


def _join_scalars(a: Const | Scalar, b: Const | Scalar) -> Scalar:
    types = {scalar_type(a), scalar_type(b)}
    if len(types) == 1:
        only = types.pop()
        return Scalar("object" if only in ("none", "NoneType") else only)
    if types <= {"int", "float", "bool", "complex", "number"}:
        return Scalar("number")
    return Scalar("object")


# --- Sets of locations as bits of an int
#
# Where everything may be everything, a hundred names share memory with each other. As sets of names, each new binding
# among them would copy a hundred sets of a hundred names.

#: Names that may share memory with each other: time and memory grow with the square of their number.
MOST = 2_000


class Places:
    """Numbers the locations of one function, so that a set of them is an int."""

    __slots__ = ("_masks", "_parts", "_sets", "bits", "holders")

    def __init__(self) -> None:
        self.bits: dict[str, int] = {}  #: by location, in order
        self._masks: dict[frozenset[str], int] = {}
        self._sets: dict[int, frozenset[str]] = {}
        self._parts: dict[int, tuple[int, ...]] = {}
        self.holders: list[int] = []  #: those where something holds on to arrays

    def bit(self, name: str) -> int:
        """The number of one location: a power of two."""
        found = self.bits.get(name)
        if found is None:
            found = self.bits[name] = 1 << len(self.bits)
            if is_holder(name):
                self.holders.append(found)
        return found

    def mask(self, refs: frozenset[str]) -> int:
        """The number of a set of locations: the sum of theirs."""
        found = self._masks.get(refs)
        if found is None:
            found = self._masks[refs] = sum(map(self.bit, refs))
        return found

    def names(self, mask: int) -> frozenset[str]:
        """The locations whose sum is `mask`."""
        found = self._sets.get(mask)
        if found is None:
            found = self._sets[mask] = frozenset(compress(self.bits, _digits(mask)))
            if len(found) > MOST:
                raise Problem("TNP905", f"has a function in which more than {MOST:,} names may show the same array")
        return found

    def parts(self, mask: int) -> tuple[int, ...]:
        """The numbers whose sum is `mask`."""
        found = self._parts.get(mask)
        if found is None:
            found = self._parts[mask] = tuple(compress(self.bits.values(), _digits(mask)))
        return found


_FALSE_ZERO = bytes.maketrans(b"0", b"\0")


def _digits(mask: int) -> bytes:
    """The binary digits of `mask`, the lowest first; those that are zero are false."""
    return f"{mask:b}".encode().translate(_FALSE_ZERO)[::-1]


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


NO_SOURCES: Mapping[str, str] = MappingProxyType({})

#: A loop whose state has not settled after so many rounds is widened: what still changes becomes unknown.
ROUNDS = 5

#: What messages call that which a loop iterates over; it may have no name.
ITERATED = "what this loop iterates over"
#: ... and code that runs though nobody wrote a call of it; the expression that asks for it follows.
OBJECT_CODE = "code of an object's class"


def iterated_name(loop: int) -> str:
    """The name under which a loop (by the id of its node) holds what it iterates over."""
    return f"_iterated_{loop}"


def is_iterated(name: str) -> bool:
    """Whether `name` was made by ``iterated_name``."""
    return name.startswith("_iterated_")


def shown(names: Iterable[str]) -> str:
    """One of `names` for a message: none that only the analysis knows."""
    return min(filterfalse(is_iterated, names), default=ITERATED)


class Env:
    """A mutable map of locations; ``copy`` before branching, ``join`` after."""

    __slots__ = ("_loaded", "_places", "_shared", "stale", "values")

    def __init__(self, like: Env | None = None) -> None:
        self.values: dict[str, Value] = {} if like is None else like.values.copy()
        self.stale: dict[str, Stale] = {} if like is None else like.stale.copy()
        self._shared: dict[int, int] = {} if like is None else like._shared.copy()  #: as numbers of `_places`
        self._places: Places = Places() if like is None else like._places
        #: by name, for what value and what sharing something was loaded, and what: names are read again and again; it
        #: is of use to all that came of one
        self._loaded: dict[str, tuple[Value, int, Value]] = {} if like is None else like._loaded

    def copy(self) -> Env:
        return Env(self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Env)
            and self._shared == other._shared
            and self.values == other.values
            and self.stale == other.stale
        )

    __hash__ = None  # type: ignore[assignment]

    def load(self, name: str) -> Value | None:
        """The value of `name` with all locations it may share memory with, `name` included; None when unbound."""
        value = self.values.get(name)
        if value is None:
            return None
        shared = self._shared.get(self._places.bits.get(name, 0), 0)
        known = self._loaded.get(name)
        if known is not None and known[0] is value and known[1] == shared:
            return known[2]
        loaded = with_refs(value, self._places.names(shared | self._places.bit(name)))
        self._loaded[name] = (value, shared, loaded)
        return loaded

    def aliases(self, name: str) -> frozenset[str]:
        """The locations that may share memory with `name`."""
        shared = self._shared.get(self._places.bits.get(name, 0))
        return self._places.names(shared) if shared else NO_NAMES

    def reach(self, *places: str) -> frozenset[str]:
        """The locations `places`, and all that may share memory with one of them."""
        found = 0
        for place in places:
            own = self._places.bit(place)
            found |= own | self._shared.get(own, 0)
        return self._places.names(found)

    def shares(self, name: str, other: str) -> bool:
        """Whether the two may share memory."""
        return bool(self._shared.get(self._places.bit(name), 0) & self._places.bit(other))

    def held_outside(self) -> frozenset[str]:
        """The locations that may share memory with what objects, globals and callees hold on to."""
        held = 0
        for holder in self._places.holders:
            held |= self._shared.get(holder, 0)
        return self._places.names(held) if held else NO_NAMES

    def forget(self, name: str) -> None:
        """`name` no longer denotes what it did."""
        own = self._places.bits.get(name, 0)
        mine = self._shared.pop(own, 0)
        if mine:
            rows = self._shared
            for other in self._places.parts(mine):
                left = rows[other] ^ own
                if left:
                    rows[other] = left
                else:
                    del rows[other]
        self.values.pop(name, None)
        self.stale.pop(name, None)

    def unbind(self, name: str) -> None:
        """Nobody reads `name` before it is bound anew. What it was still says which others may share memory."""
        self.values.pop(name, None)
        self.stale.pop(name, None)

    def bind(self, name: str, value: Value) -> None:
        refs = refs_of(value)
        self.forget(name)
        self.values[name] = with_refs(value, NO_NAMES)
        if refs:
            self.link(name, refs)

    def bind_all(self, pairs: Iterable[tuple[str, Value]], sources: Mapping[str, str] = NO_SOURCES) -> None:
        """Bind several names at once: all values were evaluated before any name changes.

        sources: the names of which some of them get the value. Such two may each share memory with a third location,
        and not with each other.
        """
        pairs = list(pairs)
        names = {name for name, _ in pairs}
        refs = {name: refs_of(value) for name, value in pairs}
        for name in names:
            self.forget(name)
        for name, value in pairs:
            self.values[name] = with_refs(value, NO_NAMES)
            source = sources.get(name)
            together = (
                other
                for other in names
                if (
                    not refs[name].isdisjoint(refs[other])
                    if source is None or other not in sources
                    else sources[other] in refs[name]
                )
            )
            self.link(name, refs[name].difference(names).union(together))

    def link(self, name: str, refs: frozenset[str]) -> None:
        """Additionally, `name` may now share memory with `refs` (a list that got one more element)."""
        self._link(self._places.bit(name), self._places.mask(refs))

    def link_all(self, names: frozenset[str], refs: frozenset[str]) -> None:
        """Additionally, each of `names` may now share memory with `refs`."""
        given = self._places.mask(refs)
        for own in self._places.parts(self._places.mask(names)):
            self._link(own, given)

    def _link(self, own: int, given: int) -> None:
        rows = self._shared
        mine = rows.get(own, 0)
        new = given & ~(mine | own)  # most are known: sharing is kept on both sides
        if new:
            rows[own] = mine | new
            for other in self._places.parts(new):
                rows[other] = rows.get(other, 0) | own

    # ---- what was assigned to attributes of the function's own object, where no code has run since that may do so

    def note_attribute(self, name: str, value: Value | None) -> None:
        """`value` was assigned to the attribute; None: something of which nothing is known."""
        self.values.pop(f"?.{name}", None)
        if value is not None:
            self.values[f"?.{name}"] = value

    def noted_attribute(self, name: str) -> Value | None:
        """What was assigned to the attribute on all ways here."""
        return self.values.get(f"?.{name}")

    def forget_attributes(self, names: frozenset[str] | None = None) -> None:
        """Code runs that may assign to these attributes; None: to any."""
        for key in [key for key in self.values if key[:2] == "?." and (names is None or key[2:] in names)]:
            del self.values[key]

    def become(self, other: Env) -> None:
        """Hold what `other` holds; nobody uses that one any more."""
        for name in Env.__slots__:
            setattr(self, name, getattr(other, name))

    def join(self, other: Env) -> Env:
        """What holds on both ways here.

        A name bound on one way only keeps that value: reading it on the other raises. What is only known on one way,
        that a parameter was not given (``?name``), is not known here.
        """
        new = Env(self)
        new._include(other, {}, {})
        return new

    def _include(self, other: Env, known: dict[str, Value], known_stale: dict[str, Stale]) -> None:
        """Become the join with `other`; the values `known`, and the reasons `known_stale`, are covered already."""
        values = self.values
        if values.keys() != other.values.keys():
            for name in values.keys() - other.values.keys():
                if name[0] == "?":
                    del values[name]
        theirs = other.values
        for name in list(compress(theirs, map(is_not, map(values.get, theirs), theirs.values()))):  # few, of many
            value = theirs[name]
            if known.get(name) is not value:
                mine = values.get(name)
                if mine is not None:
                    values[name] = join(mine, value)
                elif name[0] != "?":
                    values[name] = value
        if self._shared != other._shared:  # most branches share nothing anew
            rows = self._shared
            for place, shared in other._shared.items():
                rows[place] = rows.get(place, 0) | shared
        for name, why in other.stale.items():
            mine_why = self.stale.get(name)
            if mine_why is not why and known_stale.get(name) is not why:
                self.stale[name] = why if mine_why is None else mine_why.join(why)


class Gathered:
    """The join of environments of which each is nearly the one before: those between the statements of a ``try``."""

    def __init__(self) -> None:
        self.env: Env | None = None
        self._last: dict[str, Value] = {}
        self._last_stale: dict[str, Stale] = {}

    def add(self, env: Env) -> None:
        """Join with `env` as it is now."""
        if self.env is None:
            self.env = env.copy()
        else:
            self.env._include(env, self._last, self._last_stale)
        self._last, self._last_stale = env.values.copy(), env.stale.copy()


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
            among = is_among_zero_d(_deepest(before)) or is_among_zero_d(_deepest(value))
            new.values[name] = Unknown(home, view=view, zero_d=join_zero_d(before, value), among_zero_d=among)
    return new
