"""Joining, splitting and repeating arrays: concatenate, stack, block, split, tile, repeat, insert, delete.

Dtypes follow NumPy: every argument counts as an array (a list of floats is float64, never weak).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, holds_symbol, holds_tensor, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import broadcast, reshaped, transposed
from np2tnp.runtime.base.promotion import cast, dtype_of, is_weak, operand, promoted, requested_dtype
from np2tnp.runtime.base.shapes import (
    as_host,
    as_index,
    as_indices,
    common_dtype,
    no_list,
    normal_axis,
    rank_of,
    require,
    sequence_of,
    slice_axis,
    static_shape,
)
from np2tnp.runtime.compile.xla.fused_forms import joined
from np2tnp.runtime.functions.arrays.manipulation import at_least, tiled
from np2tnp.runtime.symbols.growing_list import listed

__all__ = [
    "append",
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "delete",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "insert",
    "repeat",
    "row_stack",
    "split",
    "stack",
    "tile",
    "trim_zeros",
    "unstack",
    "vsplit",
    "vstack",
]


def join(tensors: list[Any], axis: int | None, dtype: Any = None, casting: str = "same_kind") -> Any:
    """``np.concatenate`` of tensors, with NumPy's checks (TensorFlow accepts some mismatches)."""
    require(len(tensors) > 0, "nothing to concatenate")
    target = common_dtype(*tensors) if dtype is None else requested_dtype(dtype)
    require(all(np.can_cast(dtype_of(t), target, casting) for t in tensors), "casting")  # type: ignore[arg-type]
    require(all(np.can_cast(dtype_of(t), target, "same_kind") for t in tensors), "unsafe casting")
    if axis is None:
        tensors, axis = [reshaped(t, (-1,)) for t in tensors], 0
    axis = normal_axis(axis, rank_of(tensors[0]))
    rests = {tuple(d for i, d in enumerate(static_shape(t)) if i != axis) for t in tensors}
    require(len(rests) == 1 and len({rank_of(t) for t in tensors}) == 1, "shapes differ")
    tensors = [cast(t, target) for t in tensors]
    return joined(tensors, axis) if len(tensors) > 1 else tf.identity(tensors[0])


@exact("numpy.concatenate")
def concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """``np.concatenate`` (also of the rows of one array, and flat for ``axis=None``)."""
    require(out is None, "out")
    values = sequence_of(arrays)
    if axis is None and any(is_weak(operand(value)[1]) for value in values):  # such numbers join flat arrays only
        require(dtype is None and casting == "same_kind", "casting of Python numbers")
        return join(promoted(*values)[0], axis)
    return join([as_tensor(a) for a in values], axis, dtype, casting)


concat = concatenate


@exact("numpy.stack")
def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """``np.stack``."""
    require(out is None, "out")
    if type(arrays) is list and axis == 0 and dtype is None and casting == "same_kind" and len(arrays) > 1:
        known = listed(arrays)
        if known is not None:
            return known
    tensors = [as_tensor(a) for a in sequence_of(arrays)]
    require(len({static_shape(t) for t in tensors}) == 1, "shapes differ")
    axis = normal_axis(axis, rank_of(tensors[0]) + 1)
    if dtype is None and len({t.dtype for t in tensors}) == 1:
        return tf.raw_ops.Pack(values=tensors, axis=axis)
    return join([tf.expand_dims(t, axis) for t in tensors], axis, dtype, casting)


@exact("numpy.unstack")
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """``np.unstack``: a tuple of tensors."""
    tensor = as_tensor(no_list(x))
    require(rank_of(tensor) > 0, "no dimension")
    return tuple(tf.unstack(tensor, axis=normal_axis(axis, rank_of(tensor))))


@exact("numpy.vstack")
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """``np.vstack``."""
    return join([at_least(2, as_tensor(a)) for a in sequence_of(tup)], 0, dtype, casting)


row_stack = vstack


@exact("numpy.hstack")
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """``np.hstack``."""
    tensors = [at_least(1, as_tensor(a)) for a in sequence_of(tup)]
    return join(tensors, 0 if tensors and rank_of(tensors[0]) == 1 else 1, dtype, casting)


@exact("numpy.dstack")
def dstack(tup: Any) -> Any:
    """``np.dstack``."""
    return join([at_least(3, as_tensor(a)) for a in sequence_of(tup)], 2)


@exact("numpy.column_stack")
def column_stack(tup: Any) -> Any:
    """``np.column_stack``: 1-D arrays become columns."""
    tensors = [as_tensor(a) for a in sequence_of(tup)]
    return join([reshaped(t, (-1, 1)) if rank_of(t) < 2 else t for t in tensors], 1)


@exact("numpy.block")
def block(arrays: Any) -> Any:
    """``np.block``: nested lists of blocks."""
    depth = _list_depth(arrays)
    leaves: list[Any] = []
    _collect(arrays, leaves)
    ndim = max(depth, *(rank_of(leaf) for leaf in leaves))
    return _joined_block(arrays, depth, ndim, 0)


def _list_depth(value: Any) -> int:
    if isinstance(value, tuple):
        raise Unsupported("a tuple in np.block")
    if not isinstance(value, list):
        return 0
    depths = {_list_depth(item) for item in value}
    require(len(depths) == 1, "lists of different depths")
    return depths.pop() + 1


def _collect(value: Any, leaves: list[Any]) -> None:
    if isinstance(value, list):
        for item in value:
            _collect(item, leaves)
    else:
        leaves.append(as_tensor(value))


def _joined_block(value: Any, depth: int, ndim: int, level: int) -> Any:
    if level == depth:
        tensor = as_tensor(value)
        return reshaped(tensor, (1,) * (ndim - rank_of(tensor)) + static_shape(tensor))
    return join([_joined_block(item, depth, ndim, level + 1) for item in value], ndim - depth + level)


@exact("numpy.array_split")
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """``np.array_split``: a list of tensors."""
    return _pieces(as_tensor(ary), indices_or_sections, axis, equal=False)


@exact("numpy.split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """``np.split``: a list of tensors; ValueError when a section count does not divide the axis."""
    array = no_list(ary) if np.ndim(as_host(indices_or_sections)) == 0 else ary
    return _pieces(as_tensor(array), indices_or_sections, axis, equal=True)


def _pieces(tensor: Any, indices_or_sections: Any, axis: int, equal: bool) -> list[Any]:
    axis = normal_axis(axis, rank_of(tensor))
    length = static_shape(tensor)[axis]
    if np.ndim(as_host(indices_or_sections)) == 0:
        count = as_index(indices_or_sections)
        require(count > 0 and not (equal and length % count), "an unequal division")
        each, extra = divmod(length, count)
        inner = np.cumsum([each + 1] * extra + [each] * (count - extra)).tolist()[:-1]
    else:
        inner = list(as_indices(indices_or_sections))
    return [slice_axis(tensor, axis, a, b) for a, b in zip([0, *inner], [*inner, length], strict=True)]


def _named_split(api: str, axis_of: Callable[[int], int], lowest: int) -> Callable[[Any, Any], list[Any]]:
    @exact(f"numpy.{api}")
    def helper(ary: Any, indices_or_sections: Any) -> list[Any]:
        tensor = as_tensor(no_list(ary))
        require(rank_of(tensor) >= lowest, "too few dimensions")
        return _pieces(tensor, indices_or_sections, axis_of(rank_of(tensor)), equal=True)

    helper.__name__ = helper.__qualname__ = api
    helper.__doc__ = f"``np.{api}``: a list of tensors."
    return helper


hsplit = _named_split("hsplit", lambda ndim: 1 if ndim > 1 else 0, 1)
vsplit = _named_split("vsplit", lambda ndim: 0, 2)
dsplit = _named_split("dsplit", lambda ndim: 2, 3)


@exact("numpy.tile")
def tile(A: Any, reps: Any) -> Any:  # noqa: N803 - NumPy's parameter name
    """``np.tile``."""
    tensor = as_tensor(A)
    counts = as_indices(reps)
    require(all(c >= 0 for c in counts), "negative repetitions")
    shape = static_shape(tensor)
    ndim = max(len(shape), len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    tensor = reshaped(tensor, (1,) * (ndim - len(shape)) + shape)
    return tiled(tensor, counts) if ndim else tf.identity(tensor)


@exact("numpy.repeat")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """``np.repeat``; `repeats` is an int or one int per element (read on the host, as it decides the shape)."""
    tensor = as_tensor(a)
    if axis is None:
        tensor, axis = reshaped(tensor, (-1,)), 0
    if rank_of(tensor) == 0:
        tensor = reshaped(tensor, (1,))
    axis = normal_axis(axis, rank_of(tensor))
    shape = static_shape(tensor)
    counts = np.asarray(as_host(repeats))
    require(counts.dtype.kind in "iu" and counts.ndim <= 1 and bool((counts >= 0).all()), "repeats")
    if counts.size == 1:
        count = int(counts.reshape(()))
        tensor = tiled(
            tf.expand_dims(tensor, axis + 1), tuple(count if i == axis + 1 else 1 for i in range(len(shape) + 1))
        )
        return reshaped(tensor, [d * count if i == axis else d for i, d in enumerate(shape)])
    require(counts.size == shape[axis], "as many repeats as elements")
    return tf.gather(tensor, np.repeat(np.arange(counts.size), counts), axis=axis)


@exact("numpy.append")
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """``np.append``: flat without an axis."""
    return join([as_tensor(arr), as_tensor(values)], axis if axis is None else as_index(axis))


@exact("numpy.delete")
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """``np.delete``: NumPy itself picks the places that stay, TensorFlow gathers them."""
    tensor = as_tensor(arr)
    if axis is None:
        tensor, axis = reshaped(tensor, (-1,)), 0
    axis = normal_axis(axis, rank_of(tensor))
    kept = np.delete(np.arange(static_shape(tensor)[axis]), as_host(obj))
    return tf.gather(tensor, kept, axis=axis)


@exact("numpy.insert")
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """``np.insert``: NumPy itself places the new items, TensorFlow gathers them. Values take the array's dtype."""
    tensor = as_tensor(arr)
    if axis is None:
        tensor, axis = reshaped(tensor, (-1,)), 0
    axis = normal_axis(axis, rank_of(tensor))
    places = obj if isinstance(obj, slice) else np.asarray(as_host(obj))
    if isinstance(places, np.ndarray) and places.size == 0:
        places = places.astype(np.int64)
    new = _in_dtype_of(tensor, values)
    shape = static_shape(tensor)
    if rank_of(new) < len(shape):
        new = reshaped(new, (1,) * (len(shape) - rank_of(new)) + static_shape(new))
    require(rank_of(new) == len(shape), "values of more dimensions")
    length = shape[axis]
    if isinstance(places, np.ndarray) and places.size == 1 and places.dtype.kind in "iu":
        if places.ndim == 0:
            new = transposed(new, [*range(1, axis + 1), 0, *range(axis + 1, len(shape))])
        count = static_shape(new)[axis]
        order = np.insert(np.arange(length), int(places.reshape(())), np.arange(length, length + count))
    else:
        probe = np.insert(np.arange(length), places, -1)
        count = probe.size - length
        require(not isinstance(places, np.ndarray) or places.ndim == 1, "an array of positions")
        order = np.insert(np.arange(length), places, np.arange(length, length + count))
    target = tuple(count if i == axis else d for i, d in enumerate(shape))
    require(np.broadcast_shapes(static_shape(new), target) == target, "values do not broadcast")
    return tf.gather(tf.concat([tensor, broadcast(new, target)], axis), order, axis=axis)


def _in_dtype_of(tensor: Any, values: Any) -> Any:
    """`values` in the tensor's dtype; only where NumPy's unsafe cast cannot lose or wrap a value."""
    target = dtype_of(tensor)
    if isinstance(values, (bool, int, float)) and not is_tensor(values):
        stored = np.asarray(values).astype(target)
        require(target.kind in "fc" or bool(stored == values), "a value that the dtype cannot hold")
        return as_tensor(stored)
    if isinstance(values, (list, tuple)) and not holds_tensor(values):
        return as_tensor(np.asarray(values, target))  # or NumPy's OverflowError
    new = as_tensor(values)
    require(np.can_cast(dtype_of(new), target, "same_kind"), "unsafe casting")
    return cast(new, target)


@exact("numpy.trim_zeros")
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """``np.trim_zeros`` of one dimension: the positions of the first and last non-zero value are read on the host.

    In a graph the length of the result is unknown.
    """
    require(not isinstance(filt, (list, tuple)), "a list, which stays one")
    tensor = as_tensor(filt)
    require(rank_of(tensor) == 1 and isinstance(trim, str), "several dimensions")
    require(axis is None or as_indices(axis) in ((0,), (-1,)), "axis")
    require(set(trim.lower()) <= {"f", "b"} and len(trim) <= 2, "trim")
    if holds_symbol(tensor):
        return _trimmed(tensor, trim.lower())
    places = as_host(tf.where(tf.not_equal(tensor, tf.zeros((), tensor.dtype))))
    length = static_shape(tensor)[0]
    if places.size == 0:
        raise Unsupported("zeros only")
    first = int(places[0, 0]) if "f" in trim.lower() else 0
    last = int(places[-1, 0]) + 1 if "b" in trim.lower() else length
    return slice_axis(tensor, 0, first, last)


def _trimmed(tensor: Any, trim: str) -> Any:
    kept = tf.not_equal(tensor, tf.zeros((), tensor.dtype))
    from_front = tf.cumsum(tf.cast(kept, tf.int64))
    to_back = tf.cumsum(tf.cast(kept, tf.int64), reverse=True)
    inside = tf.fill(tf.shape(tensor), tf.reduce_any(kept))
    if "f" in trim:
        inside = tf.logical_and(inside, tf.greater(from_front, 0))
    if "b" in trim:
        inside = tf.logical_and(inside, tf.greater(to_back, 0))
    return tf.boolean_mask(tensor, inside)
