"""``np.pad`` in all its modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tensor, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import dtype_of
from np2tnp.runtime.base.shapes import as_common, as_host, require, static_shape
from np2tnp.runtime.functions.arrays.manipulation import tiled
from np2tnp.runtime.functions.statistics import averages, reductions

__all__ = ["pad"]

#: Modes that only copy values: NumPy pads the index vector of an axis, TensorFlow gathers along it.
_COPYING = {"edge", "reflect", "symmetric", "wrap"}


def _derivable(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    """``np.pad`` for its derivative."""
    if mode == "constant":
        return _with_symbols(array, pad_width, **kwargs)
    return (_by_matrix if mode in _COPYING else _by_statistics)(array, pad_width, mode, **kwargs)


def _with_symbols(array: Any, pad_width: Any, constant_values: Any = 0) -> Any:
    """Padding with constants that a tape follows."""
    tensor = as_tensor(array)
    rank = len(static_shape(tensor))
    values = _at_ends(constant_values, tensor)
    for axis, ends in enumerate(np.broadcast_to(as_host(pad_width), (rank, 2)).tolist()):
        shapes = [[count if i == axis else d for i, d in enumerate(static_shape(tensor))] for count in ends]
        left, right = (tf.broadcast_to(values[axis, side], shape) for side, shape in enumerate(shapes))
        tensor = tf.concat([left, tensor, right], axis)
    return tensor


def _at_ends(given: Any, tensor: Any) -> Any:
    """A constant for either end of each axis, in the array's dtype."""
    numbers = given if is_tensor(given) else as_common(*_flat(given))[0]
    return tf.broadcast_to(tf.reshape(tf.cast(numbers, tensor.dtype), np.shape(given)), (tensor.shape.rank, 2))


def _flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _flat(item)] if isinstance(value, (list, tuple)) else [value]


def _by_matrix(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """Modes that NumPy computes from the array by sums alone: what it makes of each unit vector tells how."""
    tensor = as_tensor(array)
    for axis, ends in enumerate(np.broadcast_to(as_host(pad_width), (tensor.shape.rank, 2)).tolist()):
        shares = np.pad(np.eye(tensor.shape[axis]), ((0, 0), tuple(ends)), mode, **kwargs)  # type: ignore[call-overload]
        moved = tf.tensordot(tensor, tf.cast(shares, tensor.dtype), [[axis], [0]])
        order = [*range(axis), tensor.shape.rank - 1, *range(axis, tensor.shape.rank - 1)]
        tensor = tf.transpose(moved, order)
    return tensor


def _by_statistics(array: Any, pad_width: Any, mode: str, stat_length: Any = None, end_values: Any = 0) -> Any:
    """The modes that pad with a statistic of either end of an axis, times the weights of a ramp where it is one."""
    require(mode in _STATISTICS, f"mode {mode}")
    statistic = _STATISTICS[mode]
    tensor = as_tensor(array)
    values = _at_ends(end_values, tensor)
    shape = static_shape(tensor)
    pairs = np.broadcast_to(as_host(pad_width), (len(shape), 2)).tolist()
    lengths = np.broadcast_to(1 if mode == "linear_ramp" else stat_length or max(shape), (len(shape), 2)).tolist()
    for axis, (size, (before, after), (first, last)) in enumerate(zip(shape, pairs, lengths, strict=True)):
        ends = []
        for side, (count, start, stop) in enumerate(((before, 0, first), (after, max(size - last, 0), size))):
            end = statistic(tf.gather(tensor, range(start, min(stop, size)), axis=axis), axis, keepdims=True)
            weights = np.linspace(0, 1, count, endpoint=False) if mode == "linear_ramp" else np.ones(count)
            weights = weights.reshape([-1 if i == axis else 1 for i in range(len(shape))])
            ends.append(tf.multiply(end, tf.cast(weights, tensor.dtype)))
            if mode == "linear_ramp":
                ends[-1] = tf.add(ends[-1], tf.multiply(values[axis, side], tf.cast(1 - weights, tensor.dtype)))
        tensor = tf.concat([ends[0], tensor, tf.reverse(ends[1], [axis])], axis)
    return tensor


_STATISTICS: dict[str, Callable[..., Any]] = {
    "linear_ramp": reductions.mean,
    "mean": reductions.mean,
    "median": averages.median,
    "maximum": reductions.max,
    "minimum": reductions.min,
}


@exact("numpy.pad", differentiable=_derivable)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """``np.pad``. Modes that compute (mean, median, linear_ramp, odd reflections, functions) run on the host."""
    tensor = as_tensor(array)
    require(isinstance(mode, str) and not isinstance(pad_width, dict), "mode or widths")
    shape = static_shape(tensor)
    widths = np.asarray(as_host(pad_width))
    require(widths.dtype.kind in "iu" and bool((widths >= 0).all()), "widths")
    pairs = np.broadcast_to(widths, (len(shape), 2)).tolist()
    if not shape:
        return tf.identity(tensor) if mode == "constant" and set(kwargs) <= {"constant_values"} else _refused(mode)
    if mode == "constant":
        return _with_constants(tensor, pairs, **kwargs)
    if mode == "empty" and not kwargs:
        return tf.pad(tensor, pairs)
    if mode in ("maximum", "minimum") and not kwargs:
        return _with_extremes(tensor, pairs, mode) if any(map(any, pairs)) else tf.identity(tensor)
    if mode not in _COPYING or kwargs.get("reflect_type", "even") != "even":
        return _refused(mode)
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            places = np.pad(np.arange(shape[axis]), (before, after), mode, **kwargs)
            tensor = tf.gather(tensor, places, axis=axis)
    return tensor if any(map(any, pairs)) else tf.identity(tensor)


def _refused(mode: str) -> Any:
    raise Unsupported(f"pad mode {mode}")


def _with_constants(tensor: Any, pairs: list[list[int]], constant_values: Any = 0) -> Any:
    dtype = dtype_of(tensor)
    values = np.asarray(as_host(constant_values))
    stored = values.astype(dtype) if dtype.kind in "fc" or values.dtype.kind in "biu" else None
    require(stored is not None and (values.dtype.kind != "c" or dtype.kind == "c"), "a value of another kind")
    require(dtype.kind in "fc" or bool(np.all(stored == values)), "a value that the dtype cannot hold")
    if values.size == 1:
        return tf.pad(tensor, pairs, constant_values=tf.constant(stored.reshape(())))  # type: ignore[union-attr]
    for axis, (ends, fills) in enumerate(zip(pairs, np.broadcast_to(stored, (len(pairs), 2)), strict=True)):  # type: ignore[arg-type]
        parts = [tensor]
        for place, (count, value) in enumerate(zip(ends, fills, strict=True)):
            shape = [count if i == axis else d for i, d in enumerate(static_shape(tensor))]
            parts.insert(0 if place == 0 else len(parts), tf.fill(shape, to_tensor(value)))
        tensor = tf.concat(parts, axis)
    return tensor


def _with_extremes(tensor: Any, pairs: list[list[int]], mode: str) -> Any:
    require(not tensor.dtype.is_complex and tensor.dtype != tf.bool and 0 not in static_shape(tensor), "no order")
    reduce = tf.reduce_max if mode == "maximum" else tf.reduce_min
    for axis, (before, after) in enumerate(pairs):
        if not (before or after):
            continue
        extreme = reduce(tensor, axis, keepdims=True)
        if tensor.dtype.is_floating:  # TensorFlow may pass over NaN, NumPy never does
            nan = tf.reduce_any(tf.math.is_nan(tensor), axis, keepdims=True)
            extreme = tf.where(nan, tf.constant(np.nan, tensor.dtype), extreme)
        repeats = [1] * len(pairs)
        repeats[axis] = before
        left = tiled(extreme, tuple(repeats))
        repeats[axis] = after
        tensor = tf.concat([left, tensor, tiled(extreme, tuple(repeats))], axis)
    return tensor
