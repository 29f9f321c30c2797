"""``x[key]`` on a tensor, for every form of NumPy's indexing. See :mod:`np2tnp.runtime.indexing.keys` for the words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.device_forms import wrapped
from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import broadcast, operand, reshaped
from np2tnp.runtime.indexing.keys import (
    FULL,
    Basic,
    basic_key,
    consumed,
    expand,
    flat_positions,
    is_full,
    is_index_array,
    is_mask,
    is_on_device,
    is_unknown,
    normal_parts,
    on_host,
    resolve_basic,
    static_shape,
)


def read(x: Any, key: Any) -> Any:
    """``x[key]`` as a new tensor. Raises NumPy's IndexError, and Unsupported for forms without an exact TensorFlow
    form.
    """
    parts = basic_key(key)
    normal: list[Any] = []
    if parts is None:
        normal = normal_parts(key)
        parts = basic_key(tuple(normal))
    if parts is not None:
        if None in tuple(x.shape):
            return x[tuple(slice(*part) if type(part) is tuple else part for part in parts)]
        return read_basic(x, resolve_basic(tuple(x.shape), parts))
    if is_plain(normal):
        axes = expand(normal, x.shape.rank)
        found = _read_axes(x, axes)
        if found is not None:
            return found
    positions = flat_positions(static_shape(x), on_host(normal))
    if not positions.size:
        return tf.zeros(positions.shape, x.dtype)
    return tf.raw_ops.GatherV2(params=reshaped(x, (-1,)), indices=operand(positions), axis=0, batch_dims=0)


def read_basic(x: Any, plan: Basic) -> Any:
    """``x[key]`` for a resolved basic key."""
    if plan.whole:
        return x if plan.shape == tuple(x.shape) else reshaped(x, plan.shape)
    if not plan.strided:
        raise Unsupported("this many dimensions")
    begin, end, strides = plan.vectors()
    taken = tf.raw_ops.StridedSlice(
        input=x, begin=begin, end=end, strides=strides, end_mask=plan.end_mask, shrink_axis_mask=plan.shrink_mask
    )
    return taken if plan.sliced == plan.shape else reshaped(taken, plan.shape)


def is_plain(parts: list[Any]) -> bool:
    """Whether no part adds an axis (``None`` or a 0-d boolean)."""
    return not any(part is None or (is_mask(part) and consumed(part) == 0) for part in parts)


def _read_axes(x: Any, axes: list[Any]) -> Any | None:
    """``x[axes]`` for the forms with an operation of their own; None for the others."""
    chosen = [number for number, part in enumerate(axes) if not is_full(part)]
    if not chosen:
        return x
    if len(chosen) == 1:
        number = chosen[0]
        part = axes[number]
        if is_mask(part):
            return _read_mask(x, part, number)
        if not isinstance(part, slice):
            return _take(x, part, number)
    if any(is_mask(axes[number]) for number in chosen):
        return None
    if any(is_index_array(axes[number]) for number in chosen):
        if chosen == list(range(len(chosen))) and not any(isinstance(axes[number], slice) for number in chosen):
            rows = stacked(x, axes[: len(chosen)])
            empty = _empty(x, (*rows.shape[:-1], *x.shape[len(chosen) :]))
            return tf.raw_ops.GatherNd(params=x, indices=operand(rows)) if empty is None else empty
        if sum(1 for number in chosen if not isinstance(axes[number], slice)) > 1:
            return None  # where the result's axes go depends on which indices are neighbours
    return _read_symbolic(x, axes)


def _take(x: Any, index: Any, axis: int) -> Any:
    index = wrapped(index, _length(x, axis), axis)
    empty = _empty(x, (*x.shape[:axis], *getattr(index, "shape", ()), *x.shape[axis + 1 :]))
    return tf.raw_ops.GatherV2(params=x, indices=operand(index), axis=axis, batch_dims=0) if empty is None else empty


def _empty(x: Any, shape: tuple[int | None, ...]) -> Any | None:
    """The result if it is known to be empty: XLA's gather gets the shape of some empty results wrong (2.21)."""
    return tf.zeros(shape, x.dtype) if 0 in shape and None not in shape else None


def _length(x: Any, axis: int) -> int:
    length = x.shape[axis]
    if length is None:
        raise Unsupported("an axis of unknown length")
    return int(length)


def stacked(x: Any, indices: list[Any]) -> Any:
    """Indices of the leading axes, broadcast against each other, as one array with a last axis over the axes
    (int64).
    """
    checked = [wrapped(index, _length(x, axis), axis) for axis, index in enumerate(indices)]
    if not any(is_tensor(index) for index in checked):
        return np.stack(np.broadcast_arrays(*checked), axis=-1)
    tensors = [tf.convert_to_tensor(index, tf.int64) for index in checked]
    shape = tensors[0].shape
    for index in tensors[1:]:
        shape = tf.broadcast_static_shape(shape, index.shape)
    if not shape.is_fully_defined():
        raise Unsupported("index arrays of unknown shape")
    if len(tensors) == 1:
        return reshaped(tensors[0], (*shape, 1))
    return tf.stack([index if index.shape == shape else broadcast(index, shape) for index in tensors], axis=-1)


def check_mask(x: Any, mask: Any, first: int) -> None:
    """Raise IndexError where a mask does not have the lengths of the axes from `first` on that it selects from."""
    for offset, length in enumerate(tuple(mask.shape)):
        axis = first + offset
        if length is not None and x.shape[axis] is not None and length != x.shape[axis]:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; "
                f"size of axis is {x.shape[axis]} but size of corresponding boolean axis is {length}"
            )


def _read_mask(x: Any, mask: Any, first: int) -> Any:
    check_mask(x, mask, first)
    rank = consumed(mask)
    if first == 0 and 0 not in x.shape[rank:]:  # of rows without elements GatherNd takes none
        return tf.raw_ops.GatherNd(params=x, indices=true_indices(mask))
    shape = static_shape(x)
    masked = math.prod(shape[first : first + rank])
    merged = x if rank == 1 else reshaped(x, (*shape[:first], masked, *shape[first + rank :]))
    flat = reshaped(mask, (-1,)) if is_tensor(mask) else mask.ravel()
    return tf.raw_ops.GatherV2(params=merged, indices=true_indices(flat)[:, 0], axis=first, batch_dims=0)


def true_indices(mask: Any) -> Any:
    """The indices of a mask's true elements, one row each (int64): an ndarray for an ndarray while tracing."""
    mask = operand(mask)
    return tf.raw_ops.Where(condition=mask) if is_tensor(mask) else np.argwhere(mask)


def _read_symbolic(x: Any, axes: list[Any]) -> Any | None:
    """Integers and slices, some of them symbolic or on the device: the static slices first.

    In one strided slice XLA reads a static begin as 0 when another axis has a symbolic index (2.21, inside a while
    loop).
    """
    if not any(is_on_device(part) for part in axes):
        return None
    if any(is_index_array(part) for part in axes) and any(isinstance(p, slice) and is_unknown(p) for p in axes):
        raise Unsupported("an index array beside a slice of unknown length")  # which may be empty: see _empty
    x = read_basic(
        x, resolve_basic(static_shape(x), basic_key(tuple(FULL if _needs_later(p) else p for p in axes)) or ())
    )
    for number in range(len(axes) - 1, -1, -1):
        if isinstance(axes[number], int) or is_tensor(axes[number]):
            x = _take(x, axes[number], number)
        elif is_unknown(axes[number]):
            part = axes[number]
            bounds = [slice(None)] * number + [slice(part.start, part.stop, part.step)]
            x = x[tuple(bounds)]
    return x


def _needs_later(part: Any) -> bool:
    return not isinstance(part, slice) or is_unknown(part)
