"""What a long search for problems does with what its processes find."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Batch:
    """What some programs showed."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)  #: for people: one a differing call


def conclude(batches: Iterable[Batch], number: int, out: Path | None) -> int:
    """Print what all of `number` batches showed, and how far they are; problems go to `out` at once where there is one.

    Gives the exit status: 1 if there is a problem.
    """
    total = Batch()
    for done, batch in enumerate(batches, 1):
        total.counts.update(batch.counts)
        total.problems.extend(batch.problems)
        if out and batch.problems:
            with out.open("a", encoding="utf-8") as file:
                file.write("\n\n".join(batch.problems) + "\n\n")
        if out:
            print(f"{done} of {number} tasks, {len(total.problems)} problems", file=sys.stderr, flush=True)
    for problem in total.problems if not out else []:
        print(problem, end="\n\n")
    for name, count in sorted(total.counts.items(), key=lambda item: -item[1]):
        print(f"{count:8} {name}")
    return 1 if total.problems else 0
