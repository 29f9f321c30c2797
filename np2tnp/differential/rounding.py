"""In which precision the rewritten function rounds: the original's own, or float32 (``--float32``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

_single: ContextVar[bool] = ContextVar("single", default=False)
_TO = {"d": np.dtype(np.float32), "D": np.dtype(np.complex64)}


@contextmanager
def rounding(single: bool) -> Iterator[None]:
    """In the ``with`` block what is moved to a neighbour is moved to one of float32."""
    token = _single.set(single)
    try:
        yield
    finally:
        _single.reset(token)


def is_single() -> bool:
    """Whether the rewritten function works in float32."""
    return _single.get()


def rounding_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype whose units in the last place count for numbers of `dtype`."""
    found: np.dtype[Any] = np.dtype(dtype)
    return _TO.get(found.char, found) if _single.get() else found


def eps(dtype: Any) -> float:
    """The distance from 1 to the next number, of a floating or complex dtype."""
    return float(np.finfo(rounding_dtype(dtype)).eps)
