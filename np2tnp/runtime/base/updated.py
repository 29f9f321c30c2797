"""What the cores of functions that update their arguments return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from np2tnp.runtime.base.errors import UnverifiedError


class Undecided:
    """What stands for an update of a 0-d tensor: NumPy's caller sees that of an array, and not that of a number."""

    def __init__(self, function: str) -> None:
        self.function = function


class updated:  # noqa: N801 - reads as a verb where rewritten code returns it
    """What the core of a mutating function returns: its result and the final values of the parameters that it updates.

    Iterates as ``result, *arrays`` in the decorator's `mutates` order. ``tf.function`` can return it.

    Raises
    ------
    UnverifiedError
        When iterated, where a 0-d tensor was given and updated. Its ``result`` can be had.
    """

    __slots__ = ("arrays", "result")

    def __init__(self, result: Any, /, **arrays: Any) -> None:
        self.result = result
        self.arrays = arrays

    def __iter__(self) -> Iterator[Any]:
        for name, value in self.arrays.items():
            if isinstance(value, Undecided):
                raise UnverifiedError(
                    f"{value.function} updates {name!r} in place, and whether the caller's is a number or a 0-d array"
                    " is not known"
                )
        yield self.result
        yield from self.arrays.values()

    def __repr__(self) -> str:
        return f"updated({self.result!r}, {', '.join(f'{name}={value!r}' for name, value in self.arrays.items())})"

    def __tf_flatten__(self) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        return tuple(self.arrays), tuple(self)

    @classmethod
    def __tf_unflatten__(cls, metadata: tuple[str, ...], components: tuple[Any, ...]) -> updated:
        return cls(components[0], **dict(zip(metadata, components[1:], strict=True)))
