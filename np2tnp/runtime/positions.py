"""Index arithmetic: tril_indices, ix_, unravel_index and relatives. Results are int64, as NumPy's intp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast
from np2tnp.runtime.base.shapes import as_host, as_index, as_indices, must_hold, no_list, rank_of, require, static_shape
from np2tnp.runtime.manipulation import broadcast_all

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "ix_",
    "mask_indices",
    "ravel_multi_index",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


def _constants(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(as_tensor(array) for array in arrays)


def _check_within(tensor: Any, length: int) -> None:
    """Out of range NumPy raises a ValueError of its own."""
    inside = tf.logical_and(tf.greater_equal(tensor, 0), tf.less(tensor, length))
    must_hold(tf.reduce_all(inside), "index out of bounds")


@exact("numpy.tril_indices")
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, ...]:
    """``np.tril_indices``: depends on Python numbers only, so NumPy itself makes the constants."""
    return _constants(np.tril_indices(as_index(n), as_index(k), None if m is None else as_index(m)))


@exact("numpy.triu_indices")
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, ...]:
    """``np.triu_indices``."""
    return _constants(np.triu_indices(as_index(n), as_index(k), None if m is None else as_index(m)))


@exact("numpy.tril_indices_from")
def tril_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """``np.tril_indices_from``."""
    rows, columns = static_shape(as_tensor(no_list(arr)))
    return _constants(np.tril_indices(rows, as_index(k), columns))


@exact("numpy.triu_indices_from")
def triu_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """``np.triu_indices_from``."""
    rows, columns = static_shape(as_tensor(no_list(arr)))
    return _constants(np.triu_indices(rows, as_index(k), columns))


@exact("numpy.diag_indices")
def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """``np.diag_indices``."""
    return _constants(np.diag_indices(as_index(n), as_index(ndim)))


@exact("numpy.diag_indices_from")
def diag_indices_from(arr: Any) -> tuple[Any, ...]:
    """``np.diag_indices_from``."""
    shape = static_shape(as_tensor(no_list(arr)))
    require(len(shape) >= 2 and len(set(shape)) == 1, "sides of different lengths")
    return _constants(np.diag_indices(shape[0], len(shape)))


@exact("numpy.mask_indices")
def mask_indices(n: int, mask_func: Any, k: Any = 0) -> tuple[Any, ...]:
    """``np.mask_indices``: `mask_func` gets an ndarray of ones."""
    return _constants(np.nonzero(as_host(mask_func(np.ones((n, n), int), k)) != 0))


@exact("numpy.ix_")
def ix_(*args: Any) -> tuple[Any, ...]:
    """``np.ix_``: each argument along its own axis; bool ones become positions (a shape that depends on values)."""
    results = []
    for axis, value in enumerate(args):
        tensor = as_tensor(value)
        require(rank_of(tensor) == 1, "several dimensions")
        if tensor.dtype == tf.bool:
            tensor = tf.reshape(tf.where(tensor), (-1,))
        elif static_shape(tensor) == (0,):
            tensor = tf.zeros((0,), tf.int64)
        results.append(tf.reshape(tensor, [-1 if i == axis else 1 for i in range(len(args))]))
    return tuple(results)


@exact("numpy.unravel_index")
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """``np.unravel_index``: a tuple of int64 tensors. Out of range is NumPy's ValueError."""
    dims = as_indices(shape)
    require(order in ("C", "F") and len(dims) > 0, "order or shape")
    flat = as_tensor(indices)
    require(flat.dtype.is_integer, "indices that are not integers")
    flat = cast(flat, np.dtype(np.int64))
    size = math.prod(dims)
    if 0 not in static_shape(flat):
        _check_within(flat, size)
    require(size > 0, "an empty shape")
    results = []
    for length in reversed(dims) if order == "C" else dims:
        results.append(tf.math.floormod(flat, length))
        flat = tf.math.floordiv(flat, length)
    return tuple(reversed(results)) if order == "C" else tuple(results)


@exact("numpy.ravel_multi_index")
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """``np.ravel_multi_index`` with any mode per dimension."""
    lengths = as_indices(dims)
    parts = list(multi_index) if isinstance(multi_index, (tuple, list)) else list(tf.unstack(as_tensor(multi_index)))
    modes = (mode,) * len(lengths) if isinstance(mode, str) else tuple(mode)
    require(order in ("C", "F") and len(parts) == len(lengths) == len(modes) > 0, "dimensions")
    require(math.prod([float(n) for n in lengths]) < 2**62, "too many elements")
    tensors = [as_tensor(part) for part in parts]
    require(all(t.dtype.is_integer for t in tensors) and 0 not in lengths, "indices that are not integers")
    strides = np.ones(len(lengths), np.int64)
    if order == "C":
        strides[:-1] = np.cumprod(lengths[:0:-1], dtype=np.int64)[::-1]
    else:
        strides[1:] = np.cumprod(lengths[:-1], dtype=np.int64)
    total: Any = None
    for tensor, length, kind, stride in zip(broadcast_all(tensors), lengths, modes, strides.tolist(), strict=True):
        place = cast(tensor, np.dtype(np.int64))
        if kind == "wrap":
            place = tf.math.floormod(place, length)
        elif kind == "clip":
            place = tf.clip_by_value(place, 0, length - 1)
        else:
            require(kind == "raise", f"mode {kind!r}")
            _check_within(place, length)
        place = tf.multiply(place, stride)
        total = place if total is None else tf.add(total, place)
    return total
