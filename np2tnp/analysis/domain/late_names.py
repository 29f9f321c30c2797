"""Names that a nested function reads and that hold something else by the time it is called.

A nested function is interpreted where it is defined; Python looks its names up when it is called. Where that gives what
was not known at the definition, the region is interpreted once more, with what was found.
"""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.values import NO_NAMES, NOTHING, Value, refs_of, with_refs

_Names = dict[str, dict[str, Value]]


class LateNames:
    """What names hold at the calls of the nested functions that read them: as the last look told, and seen in this one.

    results: what the nested functions gave in the last look; one may be called by another that stands before it.
    """

    def __init__(self, told: _Names | None = None, results: dict[str, Value] | None = None) -> None:
        self._told: _Names = told or {}
        self.results: dict[str, Value] = results or {}
        self.lazy: set[str] = set()  #: functions that iterators call when they are asked
        self._reads: dict[str, frozenset[str]] = {}
        self._defined: _Names = {}
        self._called: _Names = {}

    def look(self) -> LateNames:
        """With what is known so far, for another look at the region."""
        return LateNames(self._told, self.results)

    def begin(self, function: str, reads: frozenset[str], inner: Env) -> None:
        """The body of `function` is interpreted in `inner` next: the names that it `reads` become as at its calls."""
        for name, value in self._told.get(function, {}).items():
            inner.values[name] = with_refs(value, NO_NAMES)
            inner.link(name, refs_of(value))
        self._reads[function] = reads
        self._defined[function] = {name: inner.values[name] for name in reads if name in inner.values}

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
        return LateNames(told, results if told else {})

    def confirms(self, before: LateNames) -> bool:
        """Whether a look that began with `before` found nothing else."""
        return self._told == before._told and self.results == before.results

    def _late(self) -> Iterator[tuple[str, str, Value]]:
        for function, called in self._called.items():
            for name, value in called.items():
                known, held = self._defined[function].get(name), with_refs(value, NO_NAMES)
                if known is None or (held != known and join(known, held) != known):
                    yield function, name, value
