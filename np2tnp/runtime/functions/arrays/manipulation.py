"""Shapes and axes: reshape, transpose, squeeze, broadcast, flip, roll and their relatives.

None of these changes a value or a dtype, so all numeric dtypes are exact.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_symbolic
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import broadcast, reshaped, transposed
from np2tnp.runtime.base.shapes import (
    as_index,
    as_indices,
    no_list,
    normal_axes,
    normal_axis,
    rank_of,
    refuse_memory_order,
    require,
    slice_axis,
    static_shape,
)
from np2tnp.runtime.compile.xla.fused_forms import joined
from np2tnp.runtime.compile.xla.materialize import stored_first

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "expand_dims",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "ravel",
    "reshape",
    "resize",
    "roll",
    "rollaxis",
    "rot90",
    "squeeze",
    "swapaxes",
    "transpose",
]


@exact("numpy.reshape")
def reshape(a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: bool | None = None) -> Any:
    """``np.reshape``: any dtype, a tensor of the new shape. Raises ValueError as NumPy does when sizes differ."""
    if shape is None:
        shape = newshape
    require(shape is not None, "no shape")
    require(copy is not False, "copy=False: a reshaped tensor is never a view")
    refuse_memory_order(a, order)
    tensor = as_tensor(a)
    dims = as_indices(shape)
    if order in ("F", "f"):
        return transposed(reshaped(transposed(tensor), _full_shape(tensor, dims)[::-1]))
    require(order in ("C", "c", "A", "a"), f"order {order!r}")
    return reshaped(tensor, _full_shape(tensor, dims) if tensor.shape.is_fully_defined() else dims)


def _full_shape(tensor: Any, dims: tuple[int, ...]) -> tuple[int, ...]:
    """`dims` with its -1 replaced, checked against the tensor's size."""
    size = math.prod(static_shape(tensor))
    unknown = [i for i, d in enumerate(dims) if d < 0]
    known = math.prod([d for d in dims if d >= 0])
    if unknown:
        require(len(unknown) == 1 and dims[unknown[0]] == -1 and known > 0 and size % known == 0, "shape")
        return tuple(size // known if d < 0 else d for d in dims)
    require(known == size, "sizes differ")
    return dims


@exact("numpy.ravel")
def ravel(a: Any, order: str = "C") -> Any:
    """``np.ravel``: the values in one dimension. Orders "A" and "K" raise UnverifiedError where layout would count."""
    refuse_memory_order(a, order)
    tensor = as_tensor(a)
    if order in ("F", "f"):
        tensor = transposed(tensor)
    else:
        require(order in tuple("CAKcak"), f"order {order!r}")
    return reshaped(tensor, (-1,))


@exact("numpy.ndarray.flatten", reference=lambda a, order="C": np.asarray(a).flatten(order))
def flatten(a: Any, order: str = "C") -> Any:
    """``a.flatten(order)``."""
    return ravel(a, order)


@exact("numpy.transpose")
def transpose(a: Any, axes: Any = None) -> Any:
    """``np.transpose``: axes reversed, or in the order given (negative ones too)."""
    tensor = as_tensor(a)
    if axes is None:
        return a if isinstance(a, np.generic) else transposed(tensor)  # of a Python number NumPy makes a 0-d array
    order = normal_axes(axes, rank_of(tensor))
    require(len(order) == rank_of(tensor), "axes do not match the array")
    return transposed(tensor, order)


permute_dims = transpose


@exact("numpy.matrix_transpose")
def matrix_transpose(x: Any, /) -> Any:
    """``np.matrix_transpose``: the last two axes swapped."""
    tensor = as_tensor(x)
    require(rank_of(tensor) >= 2, "fewer than two dimensions")
    return swap(tensor, -1, -2)


def swap(tensor: Any, axis1: int, axis2: int) -> Any:
    """The tensor with two axes swapped."""
    order = list(range(rank_of(tensor)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return transposed(tensor, order)


@exact("numpy.swapaxes")
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """``np.swapaxes``."""
    tensor = as_tensor(a)
    ndim = rank_of(tensor)
    return swap(tensor, normal_axis(axis1, ndim), normal_axis(axis2, ndim))


@exact("numpy.moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """``np.moveaxis``."""
    tensor = as_tensor(a)
    ndim = rank_of(tensor)
    sources, targets = normal_axes(source, ndim), normal_axes(destination, ndim)
    require(len(sources) == len(targets), "source and destination differ in length")
    order = [axis for axis in range(ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return transposed(tensor, order)


@exact("numpy.rollaxis")
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """``np.rollaxis``."""
    tensor = as_tensor(no_list(a))
    ndim = rank_of(tensor)
    axis = normal_axis(axis, ndim)
    start = as_index(start)
    require(-ndim <= start <= ndim, "start")
    start += ndim if start < 0 else 0
    order = [i for i in range(ndim) if i != axis]
    order.insert(start - 1 if axis < start else start, axis)
    return transposed(tensor, order)


@exact("numpy.squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """``np.squeeze``. Raises ValueError as NumPy does for an axis whose length is not one."""
    tensor = as_tensor(a)
    shape = static_shape(tensor)
    if not shape and (axis in (0, -1) or isinstance(a, np.generic)):  # NumPy allows these two for a 0-d array
        require(axis in (0, -1, None), "an axis that is not there")
        return a if isinstance(a, np.generic) else tf.identity(tensor)
    if not (axis is None or isinstance(axis, tuple)):
        axis = operator.index(axis)
    axes = [i for i, d in enumerate(shape) if d == 1] if axis is None else normal_axes(axis, len(shape))
    require(all(shape[i] == 1 for i in axes), "an axis that is not of length one")
    if not axes:
        return tensor  # NumPy returns its argument, too
    return reshaped(tensor, [d for i, d in enumerate(shape) if i not in axes])


@exact("numpy.expand_dims")
def expand_dims(a: Any, axis: Any) -> Any:
    """``np.expand_dims``, with an int or a tuple of axes of the result."""
    tensor = as_tensor(a)
    wanted = as_indices(axis if isinstance(axis, (tuple, list)) else operator.index(axis))
    axes = normal_axes(wanted, rank_of(tensor) + len(wanted))
    for place in sorted(axes):
        tensor = tf.expand_dims(tensor, place)
    return tensor


@exact("numpy.broadcast_to")
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """``np.broadcast_to``: a tensor of its own (NumPy's is a read-only view)."""
    tensor = as_tensor(array)
    target = as_indices(shape)
    require(np.broadcast_shapes(static_shape(tensor), target) == target, "shapes do not broadcast")
    return broadcast(tensor, target)


@exact("numpy.broadcast_shapes")
def broadcast_shapes(*args: Any) -> tuple[int, ...]:
    """``np.broadcast_shapes``: a tuple of ints."""
    return np.broadcast_shapes(*(as_indices(shape) for shape in args))


@exact("numpy.broadcast_arrays")
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """``np.broadcast_arrays``: a tuple of tensors of one shape, each with its own dtype."""
    return broadcast_all([as_tensor(value) for value in args])


def broadcast_all(tensors: list[Any]) -> tuple[Any, ...]:
    """The tensors, each broadcast to their common shape."""
    shapes = [static_shape(t) for t in tensors]
    target = np.broadcast_shapes(*shapes)
    return tuple(t if s == target else broadcast(t, target) for t, s in zip(tensors, shapes, strict=True))


def at_least(ndim: int, tensor: Any) -> Any:
    """The tensor with the axes that ``np.atleast_<n>d`` adds."""
    rank = rank_of(tensor)
    if rank == 0:
        return reshaped(tensor, (1,) * ndim)
    if rank == 1 and ndim > 1:
        tensor = tf.expand_dims(tensor, 0)
        rank = 2
    return tf.expand_dims(tensor, -1) if rank == 2 and ndim == 3 else tensor


def _at_least_each(ndim: int, values: tuple[Any, ...]) -> Any:
    results = tuple(at_least(ndim, as_tensor(value)) for value in values)
    return results[0] if len(results) == 1 else results


@exact("numpy.atleast_1d")
def atleast_1d(*arys: Any) -> Any:
    """``np.atleast_1d``: a tensor, or a tuple of tensors for several arguments."""
    return _at_least_each(1, arys)


@exact("numpy.atleast_2d")
def atleast_2d(*arys: Any) -> Any:
    """``np.atleast_2d``: a tensor, or a tuple of tensors for several arguments."""
    return _at_least_each(2, arys)


@exact("numpy.atleast_3d")
def atleast_3d(*arys: Any) -> Any:
    """``np.atleast_3d``: a tensor, or a tuple of tensors for several arguments."""
    return _at_least_each(3, arys)


@exact("numpy.flip")
def flip(m: Any, axis: Any = None) -> Any:
    """``np.flip`` over one axis, several, or all."""
    tensor = as_tensor(m)
    ndim = rank_of(tensor)
    axes = tuple(range(ndim)) if axis is None else normal_axes(axis, ndim)
    return tf.reverse(tensor, axes) if axes else tf.identity(tensor)


@exact("numpy.fliplr")
def fliplr(m: Any) -> Any:
    """``np.fliplr``."""
    tensor = as_tensor(m)
    require(rank_of(tensor) >= 2, "fewer than two dimensions")
    return tf.reverse(tensor, (1,))


@exact("numpy.flipud")
def flipud(m: Any) -> Any:
    """``np.flipud``."""
    tensor = as_tensor(m)
    require(rank_of(tensor) >= 1, "no dimension")
    return tf.reverse(tensor, (0,))


@exact("numpy.rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """``np.rot90``."""
    tensor = as_tensor(m)
    first, second = normal_axes(axes, rank_of(tensor))
    turns = as_index(k) % 4
    if turns == 0:
        return tf.identity(tensor)
    if turns == 2:
        return tf.reverse(tensor, (first, second))
    if turns == 1:
        return swap(tf.reverse(tensor, (second,)), first, second)
    return tf.reverse(swap(tensor, first, second), (second,))


@exact("numpy.roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """``np.roll``: shift and axis are ints or tuples that broadcast; without axis the flat values roll."""
    tensor = as_tensor(a)
    shape = static_shape(tensor)
    if is_symbolic(shift) and shift.dtype in (tf.int32, tf.int64) and shift.shape.rank == 0:
        if axis is None:
            return reshaped(_rolled_by_unknown(reshaped(tensor, (-1,)), shift, 0), shape)
        return _rolled_by_unknown(tensor, shift, normal_axis(as_index(axis), len(shape)))
    if axis is None:
        return reshaped(rolled(reshaped(tensor, (-1,)), {0: sum(as_indices(shift))}), shape)
    shifts, axes = as_indices(shift), as_indices(axis)
    shifts, axes = (tuple(int(v) for v in part) for part in np.broadcast_arrays(shifts, axes))
    total: dict[int, int] = {}
    for amount, place in zip(shifts, axes, strict=True):
        place = normal_axis(place, len(shape))
        total[place] = total.get(place, 0) + amount
    return rolled(tensor, total)


def rolled(tensor: Any, shifts: dict[int, int]) -> Any:
    """The tensor rolled by ``shifts[axis]`` on each axis, as two slices: no kernel lacks those."""
    shape = static_shape(tensor)
    for axis, amount in shifts.items():
        cut = amount % shape[axis] if shape[axis] else 0
        if cut:
            tensor = stored_first(tensor)
            tensor = joined([slice_axis(tensor, axis, -cut, None), slice_axis(tensor, axis, None, -cut)], axis)
    return tf.identity(tensor)


def _rolled_by_unknown(tensor: Any, shift: Any, axis: int) -> Any:
    """The tensor rolled on one axis by a number that only the graph knows, a loop's counter perhaps."""
    length = static_shape(tensor)[axis]
    if not length:
        return tf.identity(tensor)
    many = tf.constant(length, shift.dtype)
    start = tf.math.floormod(many - tf.math.floormod(shift, many), many)  # where the tensor stands twice
    begin = [start if place == axis else tf.zeros_like(start) for place in range(tensor.shape.rank)]
    return tf.slice(tf.concat([tensor, tensor], axis), begin, tf.constant(tensor.shape.as_list(), shift.dtype))


@exact("numpy.resize")
def resize(a: Any, new_shape: Any) -> Any:
    """``np.resize``: the flat values, repeated or cut, in the new shape (zeros when there are none)."""
    flat = reshaped(as_tensor(a), (-1,))
    target = as_indices(new_shape)
    if any(d < 0 for d in target):
        raise Unsupported("negative dimensions")
    size, count = math.prod(target), static_shape(flat)[0]
    if count == 0:
        return tf.zeros(target, flat.dtype)
    return reshaped(slice_axis(tiled(flat, (-(-size // count),)), 0, None, size), target)


def tiled(tensor: Any, counts: tuple[int, ...]) -> Any:
    """``tf.tile``, which has no kernel for uint16."""
    if tensor.dtype == tf.uint16:
        return tf.bitcast(tf.tile(tf.bitcast(tensor, tf.int16), counts), tf.uint16)
    return tf.tile(tensor, counts)
