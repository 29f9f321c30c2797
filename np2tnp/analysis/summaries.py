"""What callers must know of functions and classes of the project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from np2tnp.analysis import events as ev
from np2tnp.analysis.values import NO_NAMES, NONE, Class, Function, Value, exact_of


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
    #: parameters that its original may change, keep and give back where its core refuses to
    falls_back: frozenset[str] = NO_NAMES
    quiet: bool = False  #: it runs no code that nobody knows: no array changes but those that its caller passed

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
    holds_items: it asks what it holds when it is asked itself: a record or a container.
    """

    methods: Mapping[str, tuple[Function, str]] = field(default_factory=dict)
    bases: tuple[Class, ...] = ()
    is_record: bool = False
    array_base: str = ""
    asked: frozenset[str] = NO_NAMES
    is_open: bool = False
    holds_items: bool = False
