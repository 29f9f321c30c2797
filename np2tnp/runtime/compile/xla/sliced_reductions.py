"""Extremes and sums for XLA. Its reductions on a CPU go from element to element; the maximum, or the sum, of two slices
is vector code, and part of the loop that makes the elements.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import current

#: Into how many slices an axis is cut, of which then the extreme is taken.
_SLICES = 8
#: For sums: of more slices, or of slices of slices, XLA would store the elements first rather than make them in place.
_ADDED = 4
#: Arrays of fewer elements are as fast without.
_LEAST = 4096


def is_large(x: Any) -> bool:
    """Whether XLA is to compile this, and `x` has so many elements that passes over memory count."""
    trace = current()
    if trace is None or trace.mode != "xla" or not x.shape.is_fully_defined():
        return False
    return int(x.shape.num_elements()) >= _LEAST


def shortened(x: Any, axis: int, greatest: bool) -> Any:
    """`x`, of integers or real floats, with fewer elements on `axis` but the same extreme there; NaN stays."""
    if not is_large(x) or x.shape[axis] < _SLICES:
        return x
    return _folded(x, axis, _SLICES, lambda one, other: _further(one, other, greatest))


def summed(x: Any, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    """The sum of `x` over `axes`, in its dtype."""
    axis = next((axis for axis in axes if x.shape[axis] >= _ADDED**2), None)
    if axis is not None:
        x = _folded(x, axis, _ADDED, lambda one, other: tf.raw_ops.AddV2(x=one, y=other))
    return tf.raw_ops.Sum(input=x, axis=list(axes), keep_dims=keepdims)


def _folded(x: Any, axis: int, count: int, combine: Callable[[Any, Any], Any]) -> Any:
    """`x` cut into `count` slices that are combined; followed by what is left over."""
    length, rest = divmod(int(x.shape[axis]), count)
    *parts, last = tf.split(x, [length] * count + [rest], axis)
    result = functools.reduce(combine, parts)
    return tf.concat([result, last], axis) if rest else result


def _further(x: Any, y: Any, greatest: bool) -> Any:
    ahead = x >= y if greatest else x <= y
    if x.dtype.is_floating:
        ahead = tf.logical_or(ahead, tf.math.is_nan(x))
    return tf.where(ahead, x, y)
