"""Delta debugging: the largest part of something under which a test still passes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def largest_passing(items: Sequence[Item], passes: Callable[[frozenset[Item]], bool]) -> frozenset[Item]:
    """A subset of `items` for which `passes`, and no longer does with any single item more.

    `passes` is known to hold for the empty set; it is asked once about any other. One culprit among n costs about
    2 log2(n) questions. Put the suspects last: the others are then accepted in few questions.
    """
    answers: dict[frozenset[Item], bool] = {}

    def ask(subset: frozenset[Item]) -> bool:
        if subset not in answers:
            answers[subset] = passes(subset)
        return answers[subset]

    kept: frozenset[Item] = frozenset()
    left = list(items)
    while True:
        more, left = _grow(kept, left, ask)
        if not left or more == kept:
            return more
        kept = more  # what was rejected before something else was added may pass with it


def _grow(
    kept: frozenset[Item], items: list[Item], passes: Callable[[frozenset[Item]], bool]
) -> tuple[frozenset[Item], list[Item]]:
    """`kept` with as many of `items` as can be added, half by half, and those that cannot."""
    if not items:
        return kept, []
    if passes(kept | set(items)):
        return kept | set(items), []
    if len(items) == 1:
        return kept, items
    middle = len(items) // 2
    kept, first = _grow(kept, items[:middle], passes)
    kept, second = _grow(kept, items[middle:], passes)
    return kept, first + second
