"""Extremes for XLA. Its reductions on a CPU go from element to element; a maximum of two slices is vector code."""

from __future__ import annotations

from typing import Any

from np2tnp.runtime.lazy import tf
from np2tnp.runtime.tracing import current

#: Into how many slices an axis is cut, of which then the extreme is taken.
_SLICES = 8
#: Arrays of fewer elements are as fast without.
_LEAST = 4096


def shortened(x: Any, axis: int, greatest: bool) -> Any:
    """`x`, of integers or real floats, with fewer elements on `axis` but the same extreme there; NaN stays."""
    trace = current()
    if trace is None or trace.mode != "xla" or not x.shape.is_fully_defined():
        return x
    length = x.shape[axis] // _SLICES
    if not length or x.shape.num_elements() < _LEAST:
        return x
    rest = x.shape[axis] - _SLICES * length
    *parts, last = tf.split(x, [length] * _SLICES + [rest], axis)
    result = parts[0]
    for part in parts[1:]:
        result = _further(result, part, greatest)
    return tf.concat([result, last], axis) if rest else result


def _further(x: Any, y: Any, greatest: bool) -> Any:
    ahead = x >= y if greatest else x <= y
    if x.dtype.is_floating:
        ahead = tf.logical_or(ahead, tf.math.is_nan(x))
    return tf.where(ahead, x, y)
