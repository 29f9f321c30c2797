"""Bits in bytes, and bytes in numbers: packbits, unpackbits, and arrays as their bytes inside graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.axes import flat
from np2tnp.runtime.base.dispatch import as_tensor, exact
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import numpy_dtype
from np2tnp.runtime.base.shapes import as_index, must_hold, normal_axis, rank_of, require, shape_of
from np2tnp.runtime.comparison import truth

__all__ = ["packbits", "unpackbits"]

#: The place of each bit in its byte, as a power of two.
_PLACES = {"big": np.arange(7, -1, -1), "little": np.arange(8)}


def _with_last(tensor: Any, axis: Any) -> tuple[Any, list[int]]:
    """The tensor with `axis` as its last, and the order of axes that undoes it; without `axis` it is flattened."""
    if axis is None or rank_of(tensor) == 0:
        if axis is not None:
            normal_axis(axis, 1)
        return flat(tensor), [0]
    rank, index = rank_of(tensor), normal_axis(axis, rank_of(tensor))
    back = [*range(index), rank - 1, *range(index, rank - 1)]
    return tf.transpose(tensor, [*(i for i in range(rank) if i != index), index]), back


def _lengthened(tensor: Any, missing: Any) -> Any:
    """The tensor with so many zeros after its last axis."""
    zeros = tf.zeros(tf.concat([tf.shape(tensor)[:-1], [missing]], 0), tensor.dtype)
    return tf.concat([tensor, zeros], -1)


def _last(tensor: Any) -> Any:
    """The length of the last axis: an int, or an int32 tensor where tracing does not know it."""
    return tf.shape(tensor)[-1] if tensor.shape[-1] is None else tensor.shape[-1]


@exact("numpy.packbits")
def packbits(a: Any, /, axis: Any = None, bitorder: Any = "big") -> Any:
    """``np.packbits``: uint8, eight truth values of an axis (of all, flattened, without one) in each."""
    tensor = as_tensor(a)
    require(tensor.dtype == tf.bool or tensor.dtype.is_integer, "dtype")
    require(bitorder in _PLACES, "bitorder")
    bits, back = _with_last(tf.cast(truth(tensor), tf.uint8), axis)
    bits = _lengthened(bits, -_last(bits) % 8)
    count = _last(bits) // 8
    parts = tf.reshape(bits, tf.concat([tf.shape(bits)[:-1], [count, 8]], 0))
    powers = tf.constant((1 << _PLACES[bitorder]).astype(np.int32))
    packed = tf.cast(tf.reduce_sum(tf.multiply(tf.cast(parts, tf.int32), powers), -1), tf.uint8)
    return tf.transpose(packed, back)


@exact("numpy.unpackbits")
def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: Any = "big") -> Any:
    """``np.unpackbits``: the bits of uint8 along an axis (of all, flattened, without one), `count` of them."""
    tensor = as_tensor(a)
    require(tensor.dtype == tf.uint8, "dtype")
    require(bitorder in _PLACES, "bitorder")
    numbers, back = _with_last(tensor, axis)
    places = tf.constant(_PLACES[bitorder].astype(np.uint8))
    bits = tf.bitwise.bitwise_and(tf.bitwise.right_shift(tf.expand_dims(numbers, -1), places), tf.constant(1, tf.uint8))
    bits = tf.reshape(bits, tf.concat([tf.shape(numbers)[:-1], [_last(numbers) * 8]], 0))
    if count is not None:
        bits = _counted(bits, as_index(count))
    return tf.transpose(bits, back)


def _counted(bits: Any, count: int) -> Any:
    """So many bits of the last axis, or without so many of the last; zeros after them where there are less."""
    length = _last(bits)
    if count < 0:
        enough = length + count >= 0
        if isinstance(enough, bool):
            require(enough, "count")
        else:
            must_hold(enough, "count larger than the number of bits")
        return bits[..., : length + count]
    require(0 not in bits.shape, "bits of nothing")  # NumPy may show memory as it was
    if not bits.shape.is_fully_defined():
        must_hold(tf.greater(tf.size(bits), 0), "bits of nothing")
    return _lengthened(bits, count)[..., :count]


def as_bytes(tensor: Any) -> Any:
    """The bytes of each number, on a new last axis of uint8."""
    if tensor.dtype == tf.bool:
        return tf.expand_dims(tf.cast(tensor, tf.uint8), -1)
    if tensor.dtype.size == 1:
        return tf.expand_dims(tf.bitcast(tensor, tf.uint8), -1)
    return tf.bitcast(tensor, tf.uint8)


def from_bytes(data: Any, dtype: np.dtype[Any]) -> Any:
    """The numbers of which the last axis of `data` (uint8) holds the bytes. Raises Unsupported for bools."""
    require(dtype.kind in "iufc" and dtype.isnative, "bytes of other values than numbers")
    if dtype.itemsize == 1:
        return tf.bitcast(tf.squeeze(data, -1), tf.as_dtype(dtype))
    data = tf.ensure_shape(data, [*data.shape[:-1], dtype.itemsize])
    return tf.bitcast(data, tf.as_dtype(dtype))


def swapped(tensor: Any) -> Any:
    """The numbers with the order of their bytes reversed, each part of a complex one by itself."""
    dtype = numpy_dtype(tensor.dtype)
    if dtype.itemsize == 1:
        return tf.identity(tensor)
    data = as_bytes(tensor)
    parts = 2 if dtype.kind == "c" else 1
    apart = tf.reshape(data, tf.concat([tf.shape(tensor), [parts, dtype.itemsize // parts]], 0))
    return from_bytes(tf.reshape(tf.reverse(apart, [-1]), shape_of(data)), dtype)


def part(tensor: Any, dtype: np.dtype[Any], offset: int) -> Any:
    """The numbers of `dtype` that begin at byte `offset` of each number."""
    if dtype == numpy_dtype(tensor.dtype):
        return tf.identity(tensor)
    return from_bytes(as_bytes(tensor)[..., offset : offset + dtype.itemsize], dtype)


def with_part(tensor: Any, values: Any, offset: int) -> Any:
    """The tensor with `values` written over the bytes from `offset` on of each number."""
    values = tf.broadcast_to(values, tf.shape(tensor))
    if values.dtype == tensor.dtype:
        return tf.identity(values)
    data, new = as_bytes(tensor), as_bytes(values)
    size = new.shape[-1]
    parts = [data[..., :offset], new, data[..., offset + size :]]
    return from_bytes(tf.concat(parts, -1), numpy_dtype(tensor.dtype))
