"""What a nested function finds when it is called: in names that hold something else by then, and in its parameters.

A nested function is interpreted where it is defined; Python looks its names up, and gives it arguments, when it is
called. Where that gives what was not known at the definition, the region is interpreted once more, with what was found.
"""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.events import Argument
from np2tnp.analysis.domain.values import (
    NO_NAMES,
    NOTHING,
    SUBCLASS,
    UNKNOWN,
    UNTENSORED,
    Array,
    Value,
    refs_of,
    replace,
    with_refs,
)

_Names = dict[str, dict[str, Value]]
#: Of arrays that may be of a subclass, or that were made of such.
_MARKS = frozenset((SUBCLASS, UNTENSORED))


class LateNames:
    """What names hold at the calls of the nested functions that read them: as the last look told, and seen in this one.

    results: what the nested functions gave in the last look; one may be called by another that stands before it.
    arguments: by nested function and parameter, the arrays that all its calls gave it in the last look; UNKNOWN where a
    look found something else.
    """

    def __init__(
        self,
        told: _Names | None = None,
        results: dict[str, Value] | None = None,
        arguments: _Names | None = None,
    ) -> None:
        self._told: _Names = told or {}
        self.results: dict[str, Value] = results or {}
        self._arguments: _Names = arguments or {}
        self._sites: dict[str, frozenset[int]] = {}  #: the calls (ids) of functions that are used in no other way
        self._parameters: dict[str, tuple[str, ...]] = {}
        self._given: dict[str, dict[int, dict[str, Value]]] = {}  #: ... and what each gave
        self.lazy: set[str] = set()  #: functions that iterators call when they are asked
        self._reads: dict[str, frozenset[str]] = {}
        self._defined: _Names = {}
        self._called: _Names = {}

    def look(self) -> LateNames:
        """With what is known so far, for another look at the region."""
        return LateNames(self._told, self.results, self._arguments)

    def begin(self, function: str, reads: frozenset[str], inner: Env) -> None:
        """The body of `function` is interpreted in `inner` next: the names that it `reads` become as at its calls."""
        for name, value in self._told.get(function, {}).items():
            inner.values[name] = with_refs(value, NO_NAMES)
            inner.link(name, refs_of(value))
        self._reads[function] = reads
        self._defined[function] = {name: inner.values[name] for name in reads if name in inner.values}

    def argument(self, function: str, parameter: str) -> Array | None:
        """The array that `function` gets for `parameter`, wherever it is called."""
        known = self._arguments.get(function, {}).get(parameter)
        return known if isinstance(known, Array) else None

    def called_at(self, function: str, parameters: tuple[str, ...], sites: frozenset[int]) -> None:
        """All uses of `function` are calls, the nodes with the ids `sites`."""
        self._sites[function] = sites
        self._parameters[function] = parameters

    def give(self, function: str, site: int, arguments: tuple[Argument, ...]) -> None:
        """A call gives `function` these arguments."""
        given = self._given.setdefault(function, {}).setdefault(site, {})
        if any(argument.star for argument in arguments):
            return
        names = (*self._parameters.get(function, ()), *[""] * len(arguments))
        for name, argument in zip(names, arguments, strict=False):
            parameter = argument.name or name
            given[parameter] = join(given.get(parameter, NOTHING), argument.value)

    def call(self, function: str, env: Env) -> None:
        """`function` may be called here."""
        called = self._called.setdefault(function, {})
        for name in self._reads.get(function, NO_NAMES):
            held = env.load(name)
            if held is not None:
                called[name] = join(called.get(name, NOTHING), held)

    def found(self, results: dict[str, Value]) -> LateNames:
        """What the next look has to know; `results`: what the nested functions gave in this one."""
        told = dict(self._told)
        for function, name, value in self._late():
            told[function] = {**told.get(function, {}), name: join(told.get(function, {}).get(name, NOTHING), value)}
        return LateNames(told, results if told else {}, self._found_arguments())

    def confirms(self, before: LateNames) -> bool:
        """Whether a look that began with `before` found nothing else."""
        known = (self._told, self.results, self._arguments)
        return known == (before._told, before.results, before._arguments)

    def _found_arguments(self) -> _Names:
        """The arrays that all calls of a function gave it for a parameter. What was once refuted is not tried again."""
        found: _Names = {}
        for function, sites in self._sites.items():
            given = self._given.get(function, {})
            calls = list(given.values()) if given.keys() == sites else [{}]  # else one was not seen
            known = self._arguments.get(function, {})
            for name in self._parameters[function]:
                value: Value = NOTHING
                for call in calls:
                    value = join(value, call.get(name, UNKNOWN))
                if isinstance(value, Array) and _MARKS.isdisjoint(value.refs):
                    value = replace(value, refs=NO_NAMES, exact=None, view="")
                    known_before = known.get(name, value)
                    value = known_before if join(known_before, value) == known_before else UNKNOWN
                else:
                    value = UNKNOWN
                if value != UNKNOWN or name in known:
                    found.setdefault(function, {})[name] = value
        return found

    def _late(self) -> Iterator[tuple[str, str, Value]]:
        for function, called in self._called.items():
            for name, value in called.items():
                known, held = self._defined[function].get(name), with_refs(value, NO_NAMES)
                if known is None or (held != known and join(known, held) != known):
                    yield function, name, value
