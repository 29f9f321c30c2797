"""What the analysis of a module asks others: what becomes of a region, and about all that is not its own."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Protocol

from np2tnp.analysis import events as ev
from np2tnp.analysis.summaries import ClassSummary, Summary
from np2tnp.analysis.values import Function, Value

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
    def decorating(self, module: str, qualname: str) -> tuple[str, str]: ...
    def resolve(self, module: str, name: str) -> Value | None: ...
    def star_names(self, module: str, imported: str) -> tuple[str, ...]: ...
