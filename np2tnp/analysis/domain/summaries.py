"""What callers must know of functions and classes of the project, what a callee's results are to them,
and whom to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from itertools import permutations, product, takewhile
from typing import Protocol

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.doors import NUMBERS, Admitted, with_dtypes_of
from np2tnp.analysis.domain.result_aliases import copy_marks
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    NONE,
    SHARED,
    UNKNOWN,
    Array,
    Bound,
    Class,
    Const,
    Function,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    exact_of,
    may_hold_tensor,
    parameters_in,
    refs_of,
    replace,
    scalar_type,
    with_refs,
)

# --- What callers must know of functions and classes of the project


#: What code assigns of which nobody knows what it does.
ANY_ATTRIBUTE = frozenset("*")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a caller must know of a function of the project.

    migrated: it is rewritten, or was by an earlier run, so that callers in migrated code use its ``core``.
    keeps: parameters that it stores in some object.
    """

    parameters: tuple[str, ...]  #: with stars, where they have any
    migrated: bool
    mutates: tuple[str, ...]
    keeps: frozenset[str]
    result: Value
    method: bool = False
    hosted: frozenset[str] = NO_NAMES  #: parameters that its core takes as ndarrays
    changeable: frozenset[str] = NO_NAMES  #: those of them that may be changed or kept by code that nobody knows
    #: (p, q): the list or dict `p` may hold the argument `q`, or an item of it, afterwards
    fills: frozenset[tuple[str, str]] = frozenset()
    tells_apart: bool = False  #: it asks whether two arguments are one object or share memory
    updates: frozenset[str] = NO_NAMES  #: attributes and globals whose arrays it changes in place
    #: (p, place): without the parameter `p`, its result may show the array by default, which lies there
    shows_defaults: frozenset[tuple[str, str]] = frozenset()
    joins: frozenset[tuple[str, str, bool]] = frozenset()  #: what it may join, as in callee_results.joined
    by_layout: frozenset[str] = NO_NAMES  #: parameters that it updates, or a copy of them, by their memory order
    relies: frozenset[str] = NO_NAMES  #: methods of its object that were taken for those of its class
    works: bool = False  #: it runs code that nobody knows, and that may change what objects hold
    looks_up: int = 0  #: how many frames above its own it looks at, or what it calls
    levels: frozenset[tuple[str, int]] = frozenset()  #: parameters that say so, and how many by default
    looks_at: str = field(default="", compare=False)  #: for messages: the call that looks, and where it stands
    #: parameters that its original may change, keep and give back where its core refuses to
    falls_back: frozenset[str] = NO_NAMES
    door: frozenset[tuple[str, Admitted]] = frozenset()  #: what its core lets in, by parameter
    behind: Value | None = None  #: its result for what the door lets in, where more is known of that
    assigns: frozenset[str] = frozenset()  #: attributes to which it, or what it calls, may assign; ANY_ATTRIBUTE
    quiet: bool = False  #: it runs no code that nobody knows: no array changes but those that its caller passed
    #: parameters of which its door asks for objects of a class; what is said here holds of any object
    objects: tuple[tuple[str, Class], ...] = ()
    behind_objects: Summary | None = None  #: ... and what holds of those
    unseen: str = field(default="", compare=False)  #: for messages: code out of sight that it hands arrays on to

    def match(self, arguments: tuple[ev.Argument, ...], skip: int = 0) -> dict[str, ev.Argument] | None:
        """Arguments by parameter, without the first `skip` ones; None where some go into ``*args`` or ``**options``."""
        names = self.parameters[skip:]
        by_position = _before_star(names)
        result: dict[str, ev.Argument] = {}
        for index, argument in enumerate(arguments):
            name = argument.name or (by_position[index] if index < len(by_position) else "")
            if argument.star or name not in names:
                return None
            result[name] = argument
        return result

    def admitting(self, given: Mapping[str, ev.Argument]) -> Summary:
        """The summary for a call with these arguments, by parameter: of what the door lets in more is known.

        Of empty arrays and of scalars the original makes what has the dtypes of the core's results. What an object
        holds, of which a door asks, too, no call shows.
        """
        numbers = frozenset(name for name, admitted in self.door if admitted.kind == NUMBERS)
        if numbers & self.changeable and not self.shows_defaults:  # its core gets no array there
            return replace(self, changeable=self.changeable - numbers).admitting(given)
        if any("." in name or "[" in name for name, _ in self.door):
            return self
        asked = [(admitted, given[name].value) for name, admitted in self.door if name in given]
        if self.behind is None or not all(admitted.takes_dtypes(value) for admitted, value in asked):
            return self
        if all(admitted.takes(value) for admitted, value in asked):
            return replace(self, result=self.behind)
        return replace(self, result=with_dtypes_of(self.result, self.behind))

    @property
    def form(self) -> str:
        """What a core without wrapper returns, see :func:`form`."""
        return form(self.mutates, self.result)


@lru_cache(maxsize=4096)
def _before_star(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(takewhile(lambda name: name[0] != "*", names))


def form(mutates: tuple[str, ...], result: Value | None) -> str:
    """What a function that updates the parameters `mutates` returns where it has no wrapper.

    "updated": only their final values, because its own result is always None; "same": its result, which always is its
    one updated parameter; "pair": its result and the final values.
    """
    if result is None or result == NONE:
        return "updated"
    return "same" if mutates == (exact_of(result),) else "pair"


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """What users of a class must know of it, what it inherits included.

    methods: name -> (the function, "method", "property", "class", "static" or "decorated").
    is_record: making an instance only stores its arguments (a NamedTuple or a dataclass).
    array_base: the array class of NumPy's that it inherits from, empty where none is known.
    asked: names by which Python runs code of it that may update arrays in place: special methods, properties.
    is_open: something of it is not known: a base class from outside, a metaclass, a decorator.
    holds_plainly: no code runs where an attribute is read that its own text assigns, bases from outside included.
    holds_items: it asks what it holds when it is asked itself: a record or a container.
    is_exception: one of Python's exceptions under another name: making it runs no code of the project.
    """

    methods: Mapping[str, tuple[Function, str]] = field(default_factory=dict)
    bases: tuple[Class, ...] = ()
    is_record: bool = False
    array_base: str = ""
    asked: frozenset[str] = NO_NAMES
    is_open: bool = False
    holds_plainly: bool = False
    holds_items: bool = False
    is_exception: bool = False


# --- What a callee of the project returns, as its caller sees it


def hosted(value: Value) -> Value:
    """`value` as a public function hands it out."""
    if isinstance(value, Array):
        return replace(value, home=HOST)
    if isinstance(value, Unknown):
        return replace(value, home=HOST)
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(map(hosted, value.items))
        return replace(value, items=items, element=hosted(value.element))
    return value


def from_host(value: Value) -> Value:
    """`value` after its tensors became ndarrays: where NumPy has others' arrays, these are copies."""
    given = hosted(value)
    return with_refs(given, refs_of(value) | copy_marks(refs_of(value))) if may_hold_tensor(value) else given


def translated(
    value: Value,
    refs: frozenset[str],
    exact: str | None,
    deps: frozenset[str],
    given: str,
    show: Callable[[frozenset[str]], frozenset[str]],
) -> Value:
    """`value`, which a callee has at `refs`, as the caller sees it.

    given: as which kind of view it passed what the callee may give back. show: where the caller sees locations of the
    callee's.
    """
    if isinstance(value, Function) and value.nested:
        return UNKNOWN
    if isinstance(value, (Array, Unknown)):
        shown = show(refs)
        view = "view" if value.view and given else value.view or (given if shown else "")
        return replace(value, refs=shown, exact=exact, deps=deps, view=view)
    if isinstance(value, Sequence):
        items = value.items
        if items is not None:
            kept = value.type == "tuple"  # another name of a list may have changed it
            own = [(refs_of(item) if kept else refs) if refs_of(item) else NO_NAMES for item in items]
            pairs = zip(items, _told(own), strict=True)
            items = tuple([translated(item, each, None, deps, given, show) for item, each in pairs])
        element = translated(value.element, refs, None, deps, given, show)
        return replace(value, refs=show(refs), items=items, element=element)
    return value


def deps_in(value: Value) -> frozenset[str]:
    """Parameters that arrays in `value` were computed from."""
    if isinstance(value, Sequence):
        return deps_in(value.element).union(*map(deps_in, value.items or ()))
    return deps_of(value)


def joined(events: Iterable[ev.Event]) -> Iterator[tuple[str, str, bool]]:
    """Pairs of parameters whose arrays an operator puts into one container, if they are containers.

    Empty: something else that may be one. True: the second one is a number that repeats the first.
    """
    for event in events:
        if isinstance(event, (ev.Operator, ev.Store)) and event.op in ("add", "or_", "mul"):
            both = event.operands if isinstance(event, ev.Operator) else (event.base, event.value)
            for one, other in permutations(both):
                if isinstance(one, Unknown) and (
                    _may_repeat(other) if event.op == "mul" else isinstance(other, Unknown)
                ):
                    yield from product(_named(one), _named(other), (event.op == "mul",))


def hands_on_functions(facts: ev.RegionFacts) -> bool:
    """Whether a function of the project is given to something that may call it: ``sorted(rows, key=self.rank)``."""
    calls = (event for event in facts.events if isinstance(event, ev.Call) and event.callee not in _TELLING)
    return any(_may_be_called(argument.value) for call in calls for argument in call.arguments)


#: What gets classes and functions, and calls none.
_TELLING = tuple(Symbol(f"builtins.{name}") for name in ("isinstance", "issubclass", "callable", "super", "type"))


def _may_be_called(value: Value) -> bool:
    if isinstance(value, Sequence):
        return any(map(_may_be_called, value.items if value.items is not None else (value.element,)))
    return isinstance(value, (Function, Bound, Class))


def _named(value: Value) -> Iterable[str]:
    return parameters_in(refs_of(value)) or ("",)


def may_join(summary: Summary, arguments: tuple[ev.Argument, ...], skip: int) -> bool:
    """Whether the callee may join or repeat containers of our arrays: the new one would hold copies."""
    if not summary.joins:
        return False
    given = {name: argument.value for name, argument in (summary.match(arguments, skip) or {}).items()}
    lists = {name for name, value in given.items() if isinstance(value, (Unknown, Sequence))}
    ours = {name for name in lists if may_hold_tensor(given[name])}
    numbers = {name for name, value in given.items() if _may_repeat(value)}
    others = {"", *summary.parameters} - given.keys()
    return any(
        (p in ours or q in ours) and p in lists | others and q in (numbers if repeats else lists) | others
        for p, q, repeats in summary.joins
    )


def _may_repeat(value: Value) -> bool:
    """Whether it may be an int, which repeats lists."""
    number = isinstance(value, (Const, Scalar)) and scalar_type(value) in ("int", "bool", "number", "object")
    return number or isinstance(value, Unknown)


def _told(own: list[frozenset[str]]) -> Iterator[frozenset[str]]:
    """The locations of each item; those that share an array of the callee's, which has no name outside, say so."""
    for index, refs in enumerate(own):
        names = {ref for ref in refs if ref.isidentifier()}
        others = NO_NAMES.union(*own[:index], *own[index + 1 :])
        yield refs | {SHARED} if names & others else refs


# --- What the analysis of a module asks others: what becomes of a region, and about all that is not its own

#: The region of a module's top level.
MODULE = "<module>"


class Fate(Enum):
    """What becomes of a region."""

    MIGRATES = auto()
    STAYS = auto()
    IN_DOUBT = auto()  #: it stays for what may happen to its arrays: it might migrate where more of them are ndarrays


class Decide(Protocol):
    """Plans a region: `again` where it was planned before, `trusting` with what nobody can see taken for harmless."""

    def __call__(self, facts: ev.RegionFacts, again: bool = False, trusting: bool = False) -> Fate: ...


class Project(Protocol):
    """What an analysis asks about everything but its own tree: its own functions and classes among it."""

    def summary(self, function: Function) -> Summary | None: ...
    def class_of(self, module: str, qualname: str) -> ClassSummary | None: ...
    def attributes(self, module: str, qualname: str) -> Mapping[str, Value]: ...
    def decorating(self, module: str, qualname: str) -> tuple[str, str, str]: ...
    def resolve(self, module: str, name: str) -> Value | None: ...
    def star_names(self, module: str, imported: str) -> tuple[str, ...]: ...
