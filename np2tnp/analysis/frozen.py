"""Frozen for the type checker, quick at run time.

A frozen dataclass sets each field through ``object.__setattr__``, which makes it three times as slow to build as a
plain one. The analysis builds a million small values and events in a run, so theirs are plain classes that mypy treats
as frozen. They are shared and hashed all over: nothing may ever assign to a field of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform(frozen_default=True)
    def frozen(cls: type[T]) -> type[T]:
        """``dataclass(frozen=True, slots=True)``."""
else:
    frozen = dataclass(slots=True, unsafe_hash=True)
