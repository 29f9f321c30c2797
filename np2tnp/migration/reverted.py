"""What is told of a region whose rewrite was taken back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reverted:
    """A region that stays as it was because its rewrite was found wanting."""

    path: str
    qualname: str
    reason: str  #: one line
    evidence: str = ""  #: more lines, indented
