"""Answers that need each other's answers, found depth first and the same whoever asks first.

A question that is asked again while it is being answered gets None; asked directly, by its own answer, it gets an
assumption: at first the least that can be said (``assume``), then what came of that, until an answer confirms what it
was made from. What was answered with the help of such a None
belongs to a circle, and the circle is answered anew from its first member: so the order of the questions decides
nothing. With each answer goes what it was made from (``places``), for those who want to keep it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Key(NamedTuple):
    """One question. Keys sort; the first of a circle is where it is begun."""

    module: str
    kind: int
    name: str


@dataclass(slots=True)
class _Frame:
    key: Key
    index: int
    low: int
    places: set[str] = field(default_factory=set)
    noted: set[frozenset[str]] = field(default_factory=set)  #: sets that are in ``places``


@dataclass(slots=True)
class Answer:
    """A final answer, or one of a circle that is not closed yet (``low`` is the depth at which it will be)."""

    value: Any
    places: frozenset[str]
    circle: frozenset[Key]
    low: int | None = None


#: So often an assumption is replaced by what came of it; then it is None.
_ROUNDS = 6


class Solver:
    """Keeps all answers; ``compute(key)`` makes one, and asks for others on the way.

    ``assume(key)``: what to begin with where an answer needs itself; None where nothing can be assumed.
    """

    def __init__(self, compute: Callable[[Key], Any], assume: Callable[[Key], Any] = lambda key: None) -> None:
        self._compute = compute
        self._assume = assume
        self._assumed: dict[Key, Any] = {}  #: of those that are being answered and have asked for themselves
        self._answers: dict[Key, Answer] = {}
        self._stack: list[_Frame] = []
        self._active: dict[Key, int] = {}
        self._open: list[Key] = []  #: answered members of circles that are not closed yet
        self._watched: list[set[str]] = []
        self._sets: dict[frozenset[str], frozenset[str]] = {}  #: one object for equal sets: most of a module's are

    def ask(self, key: Key) -> Any:
        """The answer, or None where it is being looked for right now."""
        answer = self._answers.get(key)
        if answer is None:
            if key in self._active:
                if self._stack[-1].key == key:
                    if key not in self._assumed:
                        self._assumed[key] = self._assume(key)
                    return self._assumed[key]
                self._lower(self._active[key])
                return None
            answer = self._solve(key)
        if answer.low is not None:
            self._lower(answer.low)
        self.note(answer.places)
        return answer.value

    def answer(self, key: Key) -> Answer | None:
        """What is known already."""
        return self._answers.get(key)

    def put(self, key: Key, value: Any, places: frozenset[str]) -> None:
        """An answer that was found before."""
        self._answers[key] = Answer(value, places, frozenset((key,)))

    def note(self, places: frozenset[str] | set[str]) -> None:
        """What is being answered was made from these, too."""
        if self._stack:
            frame = self._stack[-1]
            if isinstance(places, frozenset):  # the same again and again
                if places in frame.noted:
                    return
                frame.noted.add(places)
            frame.places |= places
        for watched in self._watched:
            watched |= places

    @contextlib.contextmanager
    def watch(self, places: set[str]) -> Iterator[None]:
        """Add to `places` what all that is looked up meanwhile is made from, questions or not."""
        self._watched.append(places)
        if self._stack:
            self._stack[-1].noted.clear()  # this one has seen none of them
        try:
            yield
        finally:
            self._watched.pop()

    def places(self) -> frozenset[str]:
        """What the answer that is being made depends on so far."""
        return frozenset(self._stack[-1].places) if self._stack else frozenset()

    def forget(self, key: Key) -> None:
        """Drop an answer, and its circle with it."""
        answer = self._answers.get(key)
        if answer is not None:
            for member in answer.circle:
                self._answers.pop(member, None)

    def forget_module(self, module: str) -> None:
        """Drop all answers about a module."""
        for key in [key for key in self._answers if key.module == module]:
            self.forget(key)

    def first_of(self, key: Key) -> Key:
        """Where to begin so that `key` gets the answer it has."""
        answer = self._answers.get(key)
        return min(answer.circle) if answer is not None else key

    def _set(self, places: set[str]) -> frozenset[str]:
        found = frozenset(places)
        return self._sets.setdefault(found, found)

    def _lower(self, low: int) -> None:
        if self._stack:
            self._stack[-1].low = min(self._stack[-1].low, low)

    def _solve(self, key: Key) -> Answer:
        frame = _Frame(key, len(self._stack), len(self._stack))
        opened = len(self._open)
        self._stack.append(frame)
        self._active[key] = frame.index
        try:
            value = self._compute(key)
            rounds = 0
            while self._assumed.get(key) is not None:
                alone = frame.low == frame.index and len(self._open) == opened
                if alone and value == self._assumed[key]:
                    break
                rounds += 1
                self._assumed[key] = value if alone and rounds < _ROUNDS else None
                value = self._compute(key)
        except BaseException:
            for member in self._open[opened:]:
                del self._answers[member]
            del self._open[opened:]
            raise
        finally:
            self._stack.pop()
            del self._active[key]
            self._assumed.pop(key, None)
        if frame.low < frame.index:
            self._open.append(key)
            self._answers[key] = Answer(value, self._set(frame.places), frozenset(), frame.low)
            self._lower(frame.low)
            self.note(frame.places)
            return self._answers[key]
        members = frozenset((*self._open[opened:], key))
        del self._open[opened:]
        first = min(members)
        if first == key:
            places = self._set(frame.places.union(*(self._answers[m].places for m in members if m != key)))
            for member in members - {key}:
                self._answers[member] = Answer(self._answers[member].value, places, members)
            self._answers[key] = Answer(value, places, members)
            return self._answers[key]
        for member in members:
            self._answers.pop(member, None)
        self.ask(first)
        return self._answers.get(key) or self._solve(key)
