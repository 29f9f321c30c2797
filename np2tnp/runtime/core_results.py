"""What the cores of functions that update their arguments return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class updated:  # noqa: N801 - reads as a verb where rewritten code returns it
    """What the core of a mutating function returns: its result and the final values of the parameters that it updates.

    Iterates as ``result, *arrays`` in the decorator's `mutates` order. ``tf.function`` can return it.
    """

    __slots__ = ("arrays", "result")

    def __init__(self, result: Any, /, **arrays: Any) -> None:
        self.result = result
        self.arrays = arrays

    def __iter__(self) -> Iterator[Any]:
        yield self.result
        yield from self.arrays.values()

    def __repr__(self) -> str:
        return f"updated({self.result!r}, {', '.join(f'{name}={value!r}' for name, value in self.arrays.items())})"

    def __tf_flatten__(self) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        return tuple(self.arrays), tuple(self)

    @classmethod
    def __tf_unflatten__(cls, metadata: tuple[str, ...], components: tuple[Any, ...]) -> updated:
        return cls(components[0], **dict(zip(metadata, components[1:], strict=True)))
