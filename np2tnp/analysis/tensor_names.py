"""The answer of ``tensor_state``: which attributes of a module's objects may hold tensors."""

from __future__ import annotations

from dataclasses import dataclass, field

from np2tnp.analysis.domain.values import NO_NAMES


@dataclass(slots=True)
class TensorState:
    """Which attributes may hold tensors, and which hold arrays and may not."""

    names: frozenset[str] = NO_NAMES
    stays: dict[str, str] = field(default_factory=dict)  #: why others stay ndarrays, for people
    methods: frozenset[str] = NO_NAMES  #: those that may put a tensor into their object
    as_made: bool = False  #: whether what an object keeps as it was made is a tensor from the beginning
