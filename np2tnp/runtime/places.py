"""Where the extremes are: ``argmax`` and ``argmin``."""

from __future__ import annotations

from typing import Any

from np2tnp.runtime.axes import (
    UNSET,
    axes_tensor,
    flat,
    keeps,
    normal_axis,
    rank_of,
    reduce_with,
    refuse_empty,
    refuse_out,
)
from np2tnp.runtime.base.dispatch import exact
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, constant
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.compile.xla.sliced_reductions import is_large, shortened
from np2tnp.runtime.elementwise import select
from np2tnp.runtime.reductions import extreme

__all__ = ["argmax", "argmin"]


#: The last axis, if shorter, is as fast element by element.
_SHORT = 32


def place(x: Any, axis: int, greatest: bool) -> Any:
    """The int64 index of the first extreme along one axis; of the first NaN where there is one."""
    if x.dtype.is_complex:
        raise Unsupported("the order of complex numbers")
    if x.dtype == tf.bool:
        x = cast(x, tf.uint8)
    if is_large(x) and (axis < x.shape.rank - 1 or x.shape[axis] >= _SHORT):
        return _for_xla(x, axis, greatest)
    name = "ArgMax" if greatest else "ArgMin"
    dimension = constant(axis, tf.int32)
    found = op(name)(input=x, dimension=dimension, output_type=tf.int64)
    if not x.dtype.is_floating:
        return found
    nan = op("IsNan")(x=x)
    first = op("ArgMax")(input=cast(nan, tf.uint8), dimension=dimension, output_type=tf.int64)
    return select(reduce_with("Any", nan, (axis,)), first, found)


def _for_xla(x: Any, axis: int, greatest: bool) -> Any:
    """The same by two passes of vector code: XLA's own goes from element to element, with a branch at each."""
    length = int(x.shape[axis])
    numbers = tf.reshape(tf.range(length), [-1] + [1] * (x.shape.rank - 1 - axis))
    best = extreme(x, (axis,), greatest, keepdims=True)
    found = tf.where(op("Equal")(x=x, y=best), numbers, length)
    if x.dtype.is_floating:
        found = tf.where(op("IsNan")(x=x), numbers - length, found)
    found = reduce_with("Min", shortened(found, axis, greatest=False), (axis,))
    return cast(tf.where(found < 0, found + length, found), tf.int64)


def _place(a: Any, axis: Any, out: Any, keepdims: Any, greatest: bool) -> Any:
    refuse_out(out)
    x = array(a)
    rank = rank_of(x)
    keep = keeps(keepdims)
    if axis is None:
        refuse_empty(x, tuple(range(rank)))
        found = place(flat(x), 0, greatest)
        return op("Reshape")(tensor=found, shape=axes_tensor((1,) * rank)) if keep else found
    index = normal_axis(axis, rank)
    refuse_empty(x, (index,))
    found = place(x, index, greatest)
    return tf.expand_dims(found, index) if keep else found


@exact("numpy.argmax")
def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = UNSET) -> Any:
    """``numpy.argmax``: int64 index of the first greatest element (of the first NaN, if any)."""
    return _place(a, axis, out, keepdims, greatest=True)


@exact("numpy.argmin")
def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = UNSET) -> Any:
    """``numpy.argmin``: int64 index of the first least element (of the first NaN, if any)."""
    return _place(a, axis, out, keepdims, greatest=False)
