"""Attributes and methods of arrays whose value is Python's: shapes, dtypes, single elements, lists.

For anything but a tensor they ask the object itself, so that a user's own ``x.size`` stays what it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base import precision
from np2tnp.runtime.base.dispatch import is_symbolic, is_tensor, to_ndarray
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.promotion import numpy_dtype
from np2tnp.runtime.symbols.python_builtins import python_number

__all__ = ["dtype", "flat", "item", "itemsize", "nbytes", "ndim", "shape", "size", "tobytes", "tolist"]


def shape(a: Any) -> Any:
    """``x.shape`` as a tuple of ints (also ``np.shape`` of lists and numbers)."""
    if is_tensor(a):
        return _shape(a)
    return a.shape if hasattr(a, "shape") else np.shape(a)


def ndim(a: Any) -> Any:
    """``x.ndim`` (also ``np.ndim`` of lists and numbers)."""
    if is_tensor(a):
        return len(_shape(a)) if a.shape.rank is None else a.shape.rank
    return a.ndim if hasattr(a, "ndim") else np.ndim(a)


def size(a: Any, axis: Any = None) -> Any:
    """``x.size`` and ``np.size(a, axis)`` as an int."""
    if is_tensor(a):
        return np.size(np.broadcast_to(np.zeros((), np.bool_), _shape(a)), axis)
    return a.size if axis is None and hasattr(a, "size") else np.size(a, axis)


def dtype(x: Any) -> Any:
    """``x.dtype`` as a ``np.dtype``."""
    return _dtype(x) if is_tensor(x) else x.dtype


def itemsize(x: Any) -> Any:
    """``x.itemsize``."""
    return _dtype(x).itemsize if is_tensor(x) else x.itemsize


def nbytes(x: Any) -> Any:
    """``x.nbytes``."""
    return size(x) * _dtype(x).itemsize if is_tensor(x) else x.nbytes


def item(x: Any, *args: Any) -> Any:
    """``x.item(*args)``: one element as a Python number. Raises NumPy's ValueError or IndexError."""
    if not args and is_tensor(x) and is_symbolic(x):
        return python_number(x)
    return _on_host(x).item(*args)


def tolist(x: Any) -> Any:
    """``x.tolist()``: nested lists of Python numbers."""
    return _on_host(x).tolist()


def tobytes(x: Any, order: Any = "C") -> Any:
    """``x.tobytes()``."""
    return _on_host(x).tobytes(order)


def flat(x: Any) -> Any:
    """``x.flat``, for reading: an iterator over NumPy scalars (of a copy, where `x` is a tensor)."""
    return _on_host(x).flat


def _dtype(x: Any) -> Any:
    found = numpy_dtype(x.dtype)
    if precision.active and precision.is_single():
        from np2tnp.runtime.symbols.float32 import wide_dtype

        return wide_dtype(found)
    return found


def _shape(x: Any) -> tuple[int, ...]:
    if x.shape.rank is None or None in tuple(x.shape):
        raise UnverifiedError("a shape that is only known when the graph runs")
    return tuple(x.shape)


def _on_host(x: Any) -> Any:
    if not is_tensor(x):
        return x
    if not hasattr(x, "numpy"):
        raise UnverifiedError("a value that is only known when the graph runs")
    return to_ndarray(x)
