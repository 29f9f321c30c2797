"""When a migrated function calls the function that it was: for what it would refuse, and for small arrays."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Number
from typing import Any

import numpy as np

from np2tnp.runtime.dispatch import is_tensor
from np2tnp.runtime.errors import UnverifiedError, UnverifiedWarning

_log = logging.getLogger("np2tnp")

#: So many different reasons are told of one function.
_REASONS = 8

#: Arguments that cannot show that a body has begun: no iterators, no objects with a state of their own.
_PLAIN = (np.ndarray, np.generic, np.dtype, Number, str, bytes, type(None), slice, range, type)

_NUMBERS = (int, float, bool, complex, str, type(None))


class Fallback:
    """The kept original of one migrated function."""

    def __init__(self, original: Callable[..., Any], name: str, *, warns: bool, pure: bool) -> None:
        self.original = original
        self.name = name
        self.warns = warns
        self.pure = pure
        self._told: set[str] = set()

    def takes(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether the original can be called: it knows no tensors."""
        return not any(is_tensor(leaf) for leaf in leaves((args, kwargs)))

    def repeats(self, args: tuple[Any, ...], kwargs: dict[str, Any], updated: Iterable[Any]) -> bool:
        """Whether a call that has begun may begin again with the same arguments: nothing was used up or changed.

        `updated`: what was passed for the parameters that the body updates; lists are changed while it runs.
        """
        return (
            self.pure
            and all(isinstance(leaf, _PLAIN) for leaf in leaves((args, kwargs)))
            and not any(isinstance(value, (list, tuple, dict)) for value in updated)
        )

    def __call__(self, refusal: UnverifiedError, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The original's result; what it raises is the caller's."""
        self.tell(refusal)
        return self.original(*args, **kwargs)

    def tell(self, refusal: UnverifiedError) -> None:
        """Say once that speed is lost, and why. A log record, since a warning may be made an error by the program."""
        message = f"{self.name} calls its NumPy original: {refusal}"
        if message in self._told or len(self._told) == _REASONS:
            return
        self._told.add(message)
        if self.warns:
            warnings.warn(message, UnverifiedWarning, stacklevel=5)
        else:
            _log.warning("%s", message)


def share_defaults(body: Callable[..., Any], original: Callable[..., Any]) -> None:
    """Give `original` the default objects of `body`: one that is changed in place must be one object."""
    for attribute in ("__defaults__", "__kwdefaults__"):
        if hasattr(original, attribute):
            setattr(original, attribute, getattr(body, attribute))


def threshold(above: int) -> int:
    """`above`, or what the environment sets in its place: ``NP2TNP_ABOVE=0`` makes TensorFlow do all work."""
    text = os.environ.get("NP2TNP_ABOVE", "")
    return int(text) if text.isdecimal() else above


def is_below(elements: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the original is to be called because no array among the arguments has so many elements.

    It knows no tensors: with one among them the answer is no. It is no without any array, too: such a function makes
    its arrays itself, and nothing tells how large they will be.
    """
    has_arrays = False
    for value in (*args, *kwargs.values()):
        if type(value) is np.ndarray:
            if value.size >= elements:
                return False
            has_arrays = True
        elif type(value) not in _NUMBERS:
            break
    else:
        return has_arrays  # the common case: this is paid by each call for small arrays
    size = largest(args, kwargs)
    return size is not None and size < elements and not any(is_tensor(leaf) for leaf in leaves((args, kwargs)))


def largest(args: Sequence[Any], kwargs: dict[str, Any]) -> int | None:
    """Elements of the largest ndarray among arguments, those in lists, tuples and dicts included; None without any."""
    sizes = (leaf.size for leaf in leaves((tuple(args), kwargs)) if isinstance(leaf, np.ndarray))
    return max(sizes, default=None)


def leaves(value: Any, seen: frozenset[int] = frozenset()) -> Iterator[Any]:
    """Everything in `value` that is no list, tuple or dict, the items of those included."""
    if type(value) in (list, tuple, dict) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        if id(value) not in seen:
            for item in value.values() if type(value) is dict else value:
                yield from leaves(item, seen | {id(value)})
    else:
        yield value
