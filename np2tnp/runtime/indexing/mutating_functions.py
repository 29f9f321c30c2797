"""NumPy's functions that change their argument, as functions that return the changed array.

For a tensor the result is a new tensor; an ndarray is changed in place, as by NumPy, and returned.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from np2tnp.runtime.base.device_forms import last_of_each, wrapped
from np2tnp.runtime.base.dispatch import exact, host, is_tensor, unconverted
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import operand, reshaped
from np2tnp.runtime.base.promotion import numpy_dtype
from np2tnp.runtime.base.stored_values import constant, stored
from np2tnp.runtime.indexing.item_stores import write
from np2tnp.runtime.indexing.keys import static_shape

__all__ = ["fill_diagonal", "place", "put", "put_along_axis", "putmask"]

F = TypeVar("F", bound=Callable[..., Any])


def _changing(function: Callable[..., Any]) -> Callable[[F], F]:
    """Declare the helper of a NumPy function that changes its first argument and returns None."""

    def reference(array: Any, *args: Any, **kwargs: Any) -> Any:
        array = np.array(array)
        function(array, *args, **kwargs)
        return array

    def decorate(helper: F) -> F:
        checked = exact(f"numpy.{function.__name__}", reference=reference)(helper)

        @unconverted
        @functools.wraps(helper)
        def public(array: Any, *args: Any, **kwargs: Any) -> Any:
            if is_tensor(array):
                return checked(tf.convert_to_tensor(array), *args, **kwargs)
            function(array, *host(args), **host(kwargs))
            return array

        return public  # type: ignore[return-value]

    return decorate


@_changing(np.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> Any:
    """``np.put``: ``a.flat[ind] = v``, values repeated as needed. Returns the changed array."""
    shape = static_shape(a)
    size = math.prod(shape)
    index = _host_integers(ind).ravel()
    values = _flat(stored(v, a.dtype))
    if index.size and not size:
        raise IndexError("cannot replace elements of an empty array")
    if not index.size or not values.shape[0]:
        return a
    if mode == "raise":
        index = wrapped(index, size, 0)
    elif mode == "wrap" and size:
        index = index % size
    elif mode == "clip" and size:
        index = np.clip(index, 0, size - 1)
    else:
        raise Unsupported(f"mode {mode!r}")
    return _put_flat(a, index.astype(np.int64), values, shape)


def _put_flat(a: Any, index: Any, values: Any, shape: tuple[int, ...]) -> Any:
    """`values` (repeated) at flat positions that are in range; equal positions take the last."""
    source = np.arange(index.size) % values.shape[0]
    keep = last_of_each(index)
    if keep is not None:
        index, source = index[keep], source[keep]
    updates = tf.raw_ops.GatherV2(params=constant(values), indices=operand(source), axis=0, batch_dims=0)
    flat = tf.raw_ops.TensorScatterUpdate(
        tensor=reshaped(a, (-1,)), indices=operand(index.reshape(-1, 1)), updates=updates
    )
    return reshaped(flat, shape)


def _flat(value: Any) -> Any:
    return reshaped(value, (-1,)) if is_tensor(value) else value.ravel()


def _host_integers(value: Any) -> Any:
    index = np.asarray(host(value))
    if index.dtype.kind not in "iu":
        if index.size:
            raise Unsupported("positions that are not integers")
        index = index.astype(np.int64)
    return index


def _check_safe(a: Any, values: Any, function: Callable[..., Any]) -> None:
    """Let NumPy decide whether values of this dtype are accepted: its TypeError."""
    dtype = numpy_dtype(values.dtype) if is_tensor(values) else np.asarray(host(values)).dtype
    function(np.zeros(1, numpy_dtype(a.dtype)), np.zeros(1, np.bool_), np.zeros(1, dtype))


def _flat_mask(mask: Any, size: int) -> Any:
    mask = _flat(mask if is_tensor(mask) else np.asarray(host(mask)))
    if mask.shape[0] != size:
        raise Unsupported("a mask of another size")
    if mask.dtype not in (tf.bool, np.bool_):
        mask = tf.not_equal(mask, 0) if is_tensor(mask) else mask.astype(np.bool_)
    return mask


@_changing(np.place)
def place(arr: Any, mask: Any, vals: Any) -> Any:
    """``np.place``: ``arr[mask] = vals``, the n-th true element gets the n-th value, repeated. Returns the changed
    array.
    """
    shape = static_shape(arr)
    _check_safe(arr, vals, np.place)
    values = _flat(stored(vals, arr.dtype))
    flags = _flat_mask(mask, math.prod(shape))
    if not values.shape[0]:
        raise Unsupported("no values")
    order = tf.cumsum(tf.cast(flags, tf.int64)) - 1
    spread = tf.gather(constant(values), tf.math.floormod(order, values.shape[0]))
    return reshaped(tf.raw_ops.SelectV2(condition=operand(flags), t=spread, e=reshaped(arr, (-1,))), shape)


@_changing(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> Any:
    """``np.putmask``: where `mask`, ``a.flat[n] = values[n]``, values repeated. Returns the changed array."""
    shape = static_shape(a)
    _check_safe(a, values, np.putmask)
    size = math.prod(shape)
    flags = _flat_mask(mask, size)
    new = _flat(stored(values, a.dtype))
    if not new.shape[0] or not size:
        return a
    if new.shape[0] not in (1, size):
        new = tf.raw_ops.GatherV2(
            params=constant(new), indices=operand(np.arange(size) % new.shape[0]), axis=0, batch_dims=0
        )
    elif new.shape[0] == size:
        new = constant(new)
    return reshaped(tf.raw_ops.SelectV2(condition=operand(flags), t=constant(new), e=reshaped(a, (-1,))), shape)


@_changing(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> Any:
    """``np.fill_diagonal``; returns the changed array. Raises ValueError as NumPy does for other than equal axes."""
    shape = static_shape(a)
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) != 1):
        raise ValueError(
            "All dimensions of input must be of equal length" if len(shape) > 2 else "array must be at least 2-d"
        )
    size = math.prod(shape)
    if len(shape) == 2:
        step, end = shape[1] + 1, size if wrap else shape[1] * shape[1]
    else:
        step, end = 1 + int(np.cumprod(shape[:-1]).sum()), size
    positions = np.arange(0, min(end, size), step)
    values = _flat(stored(val, a.dtype))
    if not values.shape[0]:
        raise Unsupported("no values")
    if not positions.size:
        return a
    if shape[0] == shape[1] and len(shape) == 2 and values.shape[0] in (1, shape[0]):
        line = tf.broadcast_to(constant(values), (shape[0],))
        return tf.linalg.set_diag(a, line) if a.dtype != tf.bool else _put_flat(a, positions, values, shape)
    return _put_flat(a, positions, values, shape)


@_changing(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None = None) -> Any:
    """``np.put_along_axis``; returns the changed array. Equal indices take the last value."""
    shape = static_shape(arr)
    if axis is None:
        flat = write(reshaped(arr, (-1,)), indices, values)
        return reshaped(flat, shape)
    indices = indices if is_tensor(indices) else np.asarray(host(indices))
    axis = axis + len(shape) if axis < 0 else axis
    if len(indices.shape) != len(shape) or not 0 <= axis < len(shape):
        raise Unsupported("indices of another rank")
    key = tuple(
        indices if number == axis else np.arange(n).reshape((-1,) + (1,) * (len(shape) - 1 - number))
        for number, n in enumerate(shape)
    )
    return write(arr, key, values)
