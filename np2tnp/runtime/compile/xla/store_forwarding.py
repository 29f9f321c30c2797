"""What is read of an array right after stores to parts of it, taken from what was stored.

``b[1:-1] = v; b[0] = b[1]``: XLA fuses the second read with the first store, which then sees memory that is to be
updated in its place, so it copies the whole array before. ``v[0]`` needs no copy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.compile.xla.materialize import is_large
from np2tnp.runtime.compile.xla.padded_stores import origin

#: The share of the array that is read, at most: what was stored may be calculated once more for it.
_SHARE = 1 / 8
#: Of how many stores the parts may come.
_MOST = 16

#: The bounds of a slice on each axis.
Bounds = tuple[tuple[int, int], ...]


def forwarded(reading: Any) -> Any | None:
    """The result of the operation `reading`, a StridedSlice, without its array; None where that is read after all."""
    array = origin(reading.inputs[0])
    if array.op.type != "TensorStridedSliceUpdate" or not is_large(array):
        return None
    bounds = bounds_of(reading, array.shape)
    if bounds is None or not 0 < size_of(bounds) <= _SHARE * math.prod(array.shape):
        return None
    parts = _stored(array, bounds, _MOST)
    return None if parts is None else tf.reshape(parts, reading.outputs[0].shape)


def bounds_of(operation: Any, shape: Any) -> Bounds | None:
    """The slice that the operation reads or stores; None where it is not known, or has steps or further axes."""
    if operation.get_attr("ellipsis_mask") or operation.get_attr("new_axis_mask"):
        return None
    vectors = [tf.get_static_value(part) for part in operation.inputs[1:4]]
    if any(vector is None for vector in vectors) or any(step != 1 for step in vectors[2]):
        return None
    masks = [operation.get_attr(name) for name in ("begin_mask", "end_mask", "shrink_axis_mask")]
    found = [(0, length) for length in shape]
    for axis, (first, last) in enumerate(zip(vectors[0].tolist(), vectors[1].tolist(), strict=True)):
        from_start, to_end, is_item = (bool(mask >> axis & 1) for mask in masks)
        length = shape[axis]
        start = 0 if from_start and not is_item else first + length * (first < 0)
        stop = start + 1 if is_item else length if to_end else last + length * (last < 0)
        found[axis] = (min(max(start, 0), length), min(max(stop, 0), length))
    return tuple(found)


def size_of(bounds: Bounds) -> int:
    return math.prod(max(stop - start, 0) for start, stop in bounds)


def _stored(array: Any, bounds: Bounds, most: int) -> Any | None:
    """The slice of `array`, put together of what was stored; None where some of it is older, or too many parts."""
    array = origin(array)
    store = array.op
    if store.type != "TensorStridedSliceUpdate" or most <= 0:
        return None
    place, value, before = bounds_of(store, array.shape), store.inputs[4], store.inputs[0]
    if place is None or math.prod(value.shape) != size_of(place):
        return None
    common = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(bounds, place, strict=True)]
    if any(start >= stop for start, stop in common):
        return _stored(before, bounds, most - 1)
    outside = [axis for axis, (mine, shared) in enumerate(zip(bounds, common, strict=True)) if mine != shared]
    if len(outside) > 1:
        return None
    lengths = [stop - start for start, stop in place]
    begin = [start - offset for (start, _), (offset, _) in zip(common, place, strict=True)]
    parts = [tf.slice(tf.reshape(value, lengths), begin, [stop - start for start, stop in common])]
    for axis in outside:
        (first, last), (start, stop) = bounds[axis], common[axis]
        below = _stored(before, _with(bounds, axis, (first, start)), most // 2) if first < start else None
        above = _stored(before, _with(bounds, axis, (stop, last)), most // 2) if stop < last else None
        if (below is None) != (first >= start) or (above is None) != (stop >= last):
            return None
        parts = [part for part in (below, *parts, above) if part is not None]
        return tf.concat(parts, axis)
    return parts[0]


def _with(bounds: Sequence[tuple[int, int]], axis: int, changed: tuple[int, int]) -> Bounds:
    return (*bounds[:axis], changed, *bounds[axis + 1 :])
