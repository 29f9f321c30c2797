"""Extremes, sums and concatenations as XLA fuses them with what makes and reads the arrays.

Its reductions on a CPU go from element to element; the maximum, or the sum, of two slices is vector code, and part of
the loop that makes the elements. A concatenation is a pass over memory for each part and one for the whole; where one
part is nearly everything (a roll, another row at an end) the others are chosen element by element, which is fused with
what reads the result.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.compile.xla.materialize import is_costly, is_large

#: Into how many slices an axis is cut, of which then the extreme is taken.
_SLICES = 8
#: For sums: of more slices, or of slices of slices, XLA would store the elements first rather than make them in place.
_ADDED = 4


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


#: Of how many parts there may be a choice for each element.
_MOST = 3
#: The share of the whole that all parts but one have together, at most.
_SHARE = 1 / 16


def joined(parts: list[Any], axis: int) -> Any:
    """Tensors of one dtype one after another on `axis`, which counts from 0."""
    lengths = [part.shape[axis] for part in parts]
    if len(parts) > _MOST or None in lengths or not any(map(is_large, parts)) or any(map(is_costly, parts)):
        return tf.concat(parts, axis)
    whole = sum(lengths)
    if 0 in lengths or whole - max(lengths) > _SHARE * whole:
        return tf.concat(parts, axis)
    places = np.arange(whole).reshape((-1,) + (1,) * (parts[0].shape.rank - 1 - axis))
    end, result = whole, None
    for part, length in zip(parts[::-1], lengths[::-1], strict=True):
        paddings = [(0, 0)] * part.shape.rank
        paddings[axis] = (end - length, whole - end)
        padded = tf.raw_ops.Pad(input=part, paddings=tf.constant(paddings, tf.int32))
        result = padded if result is None else tf.raw_ops.SelectV2(condition=places < end, t=padded, e=result)
        end -= length
    return result
