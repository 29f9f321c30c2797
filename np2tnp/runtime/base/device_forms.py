"""Other operations where there is a GPU: in place of those that it has no kernel for, or one that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.hardware import has_gpu
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import reshaped, shape_vector
from np2tnp.runtime.base.promotion import constant
from np2tnp.runtime.base.tracing import check
from np2tnp.runtime.base.ufunc_tables import op

# --- Indices made safe for every device: for one out of range a GPU's gather gives zeros and its scatter does nothing


def wrapped(index: Any, length: int, axis: int) -> Any:
    """An integer index (int, ndarray or tensor) with negative values counted from the end, as int64.

    Raises IndexError for one out of range; a symbolic tensor is checked when the graph runs.
    """
    if is_tensor(index):
        if hasattr(index, "numpy"):
            return _wrapped_on_device(index, length, axis)
        index = tf.cast(index, tf.int64)
        inside = tf.reduce_all((index >= -length) & (index < length))
        check(inside, f"index out of bounds for axis {axis} with size {length}")
        return tf.where(index < 0, index + length, index)
    if isinstance(index, int):
        if not -length <= index < length:
            raise _outside(index, length, axis)
        return index % length
    if index.size:
        low, high = index.min(), index.max()
        if low < -length or high >= length:
            raise _outside(low if low < -length else high, length, axis)
        index = index.astype(np.int64, copy=False)
        if low < 0:
            index = np.where(index < 0, index + length, index)
        return index
    return index.astype(np.int64)


def _wrapped_on_device(index: Any, length: int, axis: int) -> Any:
    """The same of an eager tensor, which stays on its device: only its least and its largest value are read."""
    low, high = index_range(index)
    if low < -length or high >= length:
        raise _outside(low if low < -length else high, length, axis)
    if index.dtype != tf.int64:
        index = tf.raw_ops.Cast(x=index, DstT=tf.int64)
    if low >= 0:
        return index
    negative = tf.raw_ops.Less(x=index, y=constant(0, tf.int64))
    other = tf.raw_ops.AddV2(x=index, y=constant(length, tf.int64))
    return tf.raw_ops.SelectV2(condition=negative, t=other, e=index)


def index_range(index: Any) -> tuple[int, int]:
    """The least and the largest value of an eager tensor of integers: read once, and kept with it; 0 and -1 if empty.

    A tensor never changes, so an index that is used again and again costs one read in all.
    """
    known = index.__dict__.get(_RANGE)
    if known is None:
        known = index.__dict__[_RANGE] = _range_of(index)
    return known  # type: ignore[no-any-return]


_RANGE = "_np2tnp_range"


def _range_of(index: Any) -> tuple[int, int]:
    if not index.shape.num_elements():
        return 0, -1
    flat = tf.raw_ops.Cast(x=index, DstT=tf.int64) if index.dtype != tf.int64 else index
    if index.shape.rank != 1:
        flat = reshaped(flat, (-1,))
    axis = constant(0, tf.int32)
    ends = tf.raw_ops.Pack(values=[tf.raw_ops.Min(input=flat, axis=axis), tf.raw_ops.Max(input=flat, axis=axis)])
    low, high = ends.numpy().tolist()
    return low, high


def _outside(index: Any, length: int, axis: int) -> IndexError:
    return IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")


def last_of_each(rows: Any) -> Any | None:
    """Which entries of a 1-D ndarray of positions to keep so that each position occurs once, with its last entry.

    None when all are different: nothing to drop.
    """
    count = rows.size
    if count < 2:
        return None
    _, first = np.unique(rows[::-1], return_index=True)
    return None if first.size == count else count - 1 - first


#: Up to so many positions are compared with each other; more need memory for each place.
_COMPARED = 512


def last_entries(positions: Any, places: int) -> Any:
    """For each entry of a 1-D int64 tensor of positions below `places` the number of the last one with its position.

    If each entry stores what that one does, it makes no difference which of them comes last: a GPU has no order.
    """
    count = positions.shape[0]
    numbers = tf.raw_ops.Range(
        start=constant(0, tf.int64), limit=constant(count, tf.int64), delta=constant(1, tf.int64)
    )
    nowhere = constant(-1, tf.int64)
    if count <= _COMPARED:
        same = tf.raw_ops.Equal(x=reshaped(positions, (-1, 1)), y=reshaped(positions, (1, -1)))
        later = tf.raw_ops.SelectV2(condition=same, t=numbers, e=nowhere)
        return tf.raw_ops.Max(input=later, axis=constant(1, tf.int32))
    empty = tf.raw_ops.Fill(dims=shape_vector((places,)), value=nowhere)
    last = tf.raw_ops.TensorScatterMax(tensor=empty, indices=reshaped(positions, (-1, 1)), updates=numbers)
    return tf.raw_ops.GatherV2(params=last, indices=positions, axis=0, batch_dims=0)


# --- Where there is a GPU: other operations in place of those that it has no kernel for, or one that is wrong


def fmod(x: Any, y: Any) -> Any:
    """C's fmod of floats of one dtype.

    ``TruncateMod`` has no kernel on a GPU: its operands would travel to the host and back. ``FloorMod`` has one, which
    agrees for positive numbers, but makes NaN of an infinite divisor (tensorflow issue 58369).
    """
    if not has_gpu():
        return op("TruncateMod")(x=x, y=y)
    select = op("SelectV2")
    size, infinite = op("Abs")(x=x), op("IsInf")(x=y)
    found = op("FloorMod")(x=size, y=select(condition=infinite, t=constant(1, y.dtype), e=op("Abs")(x=y)))
    kept = op("LogicalAnd")(x=infinite, y=op("IsFinite")(x=x))
    found = select(condition=kept, t=size, e=found)
    sign = {2: tf.int16, 4: tf.int32, 8: tf.int64}[x.dtype.size]
    negative = op("Less")(x=op("Bitcast")(input=x, type=sign), y=constant(0, sign))
    return select(condition=negative, t=op("Neg")(x=found), e=found)


def whole_power(x: Any, y: Any) -> Any:
    """``x ** y`` of integers of one dtype, no exponent negative; products wrap around.

    A GPU's ``Pow`` leaves out all bits of the exponent but the lowest six (tensorflow issue 118202).
    """
    if not has_gpu():
        return op("Pow")(x=x, y=y)
    known = tf.get_static_value(y)
    bits = 8 * y.dtype.size - 1 if known is None else int(np.max(known, initial=0)).bit_length()
    found = tf.ones(tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y)), x.dtype)
    for bit in range(bits):
        is_set = op("NotEqual")(x=op("BitwiseAnd")(x=y, y=constant(1 << bit, y.dtype)), y=constant(0, y.dtype))
        found = op("SelectV2")(condition=is_set, t=op("Mul")(x=found, y=x), e=found)
        x = op("Mul")(x=x, y=x)
    return found
