"""Order: sorting, ranks, searching in sorted arrays, and where elements are."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, is_measured, is_tracing, to_ndarray
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import transposed
from np2tnp.runtime.base.promotion import array, cast, constant, operand, operand_tensor, result_dtype, tensor_dtype
from np2tnp.runtime.base.shapes import must_hold
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.compile.xla.fused_forms import shortened
from np2tnp.runtime.compile.xla.materialize import is_large
from np2tnp.runtime.functions.axes import (
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
from np2tnp.runtime.functions.math.comparisons import truth
from np2tnp.runtime.functions.math.elementwise import is_zero, select
from np2tnp.runtime.functions.statistics.reductions import extreme

__all__ = [
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "argwhere",
    "compress",
    "extract",
    "flatnonzero",
    "lexsort",
    "nonzero",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
    "where",
]


#: What becomes complex64 when it is sorted as complex numbers.
_HALF_OF_COMPLEX64 = ("int8", "int16", "uint8", "uint16")

_KNOWS_DESCENDING = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
_KINDS = (None, "quicksort", "mergesort", "heapsort", "stable", "q", "m", "h", "s")


def _to_last(x: Any, axis: int) -> Any:
    rank = rank_of(x)
    if axis == rank - 1:
        return x
    return transposed(x, [*(i for i in range(rank) if i != axis), axis])


def _from_last(x: Any, axis: int) -> Any:
    rank = rank_of(x)
    if axis == rank - 1:
        return x
    others = list(range(rank - 1))
    return transposed(x, [*others[:axis], rank - 1, *others[axis:]])


def _keys(x: Any) -> tuple[Any, Any]:
    """`x` in a dtype whose order TensorFlow's TopK knows and keeps: (keys, where NaN was or None)."""
    if x.dtype.is_complex:
        raise Unsupported("the order of complex numbers")
    if x.dtype == tf.bool:
        return cast(x, tf.uint8), None
    if x.dtype == tf.float16:
        x = cast(x, tf.float32)
    if not x.dtype.is_floating:
        return x, None
    nan = op("IsNan")(x=x)
    return select(nan, math.inf, x), nan


def _sorted_last(x: Any) -> Any:
    """`x` sorted along its last axis, NaN last."""
    keys, nan = _keys(x)
    values = _ascending(keys)[0]
    if nan is not None:
        size = _length(x)
        missing = reduce_with("Sum", cast(nan, tf.int32), (rank_of(x) - 1,), keepdims=True)
        present = op("Sub")(x=constant(size, tf.int32) if type(size) is int else size, y=missing)
        values = select(op("GreaterEqual")(x=_counted(size), y=present), math.nan, values)
    return cast(values, x.dtype)


def _ascending(keys: Any) -> tuple[Any, Any]:
    """Values and places along the last axis, least first; equal keys keep their order."""
    # complementing reverses the order of integers without the overflow that negation has
    reverse = op("Neg" if keys.dtype.is_floating else "Invert")
    values, places = op("TopKV2")(input=reverse(x=keys), k=_length(keys), sorted=True)
    return reverse(x=values), places


def _length(x: Any) -> Any:
    """Of the last axis: an int, or an int32 tensor where tracing does not know it."""
    size = x.shape[-1]
    return op("Shape")(input=x)[-1] if size is None else size


def _counted(size: Any) -> Any:
    return tf.range(size) if is_tracing() else tf.constant(np.arange(size, dtype=np.int32))


def _places_last(x: Any) -> Any:
    """The stable order along the last axis, NaN last, int64."""
    keys, nan = _keys(x)
    if nan is not None:
        # NaN shares the greatest key with infinity, so order by it first and then, stably, by "is NaN"
        first = _ascending(keys)[1]
        second = _ascending(tf.gather(cast(nan, tf.uint8), first, batch_dims=rank_of(x) - 1))[1]
        return cast(tf.gather(first, second, batch_dims=rank_of(x) - 1), tf.int64)
    return cast(_ascending(keys)[1], tf.int64)


def _check_kind(kind: Any, order: Any, stable: Any, descending: Any) -> None:
    if order is not None or kind not in _KINDS or (kind is not None and (stable is not None or descending is not None)):
        raise Unsupported("order, an unknown kind, or one beside stable")
    if descending is not None and not _KNOWS_DESCENDING:
        raise Unsupported("a keyword that this NumPy does not know")


def _opposite(x: Any) -> Any:
    """Numbers in the opposite order, of which this makes the old ones again; NaN stays NaN."""
    if x.dtype.is_complex:
        raise Unsupported("the order of complex numbers")
    return op("LogicalNot" if x.dtype == tf.bool else "Neg" if x.dtype.is_floating else "Invert")(x=x)


def _along(a: Any, axis: Any) -> tuple[Any, int]:
    x = array(a)
    if axis is None:
        return flat(x), 0
    return x, normal_axis(axis, rank_of(x))


@exact("numpy.sort")
def sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = None
) -> Any:
    """``numpy.sort``: a sorted copy, NaN last; flattened when `axis` is None. All kinds give the same values."""
    _check_kind(kind, order, stable, descending)
    x, index = _along(a, axis)
    if descending:
        return _opposite(_from_last(_sorted_last(_to_last(_opposite(x), index)), index))
    return _from_last(_sorted_last(_to_last(x, index)), index)


@exact("numpy.argsort")
def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = None
) -> Any:
    """``numpy.argsort``: int64 places, NaN last. Always stable: NumPy's default kind may order ties otherwise."""
    _check_kind(kind, order, stable, descending)
    x, index = _along(a, axis)
    if descending:
        x = _opposite(x)
    if not is_measured() and x.dtype.is_floating:  # XLA sorts -0.0 before 0.0
        x = select(is_zero(x), 0.0, x)
    return _from_last(_places_last(_to_last(x, index)), index)


def _check_kth(kth: Any, size: Any) -> None:
    if size is None:
        raise Unsupported("an unknown length")
    wanted = kth.numpy() if hasattr(kth, "numpy") else kth
    for k in np.atleast_1d(np.asarray(wanted)):
        if not -size <= operator.index(k) < size:
            raise Unsupported("kth out of bounds")


@exact("numpy.partition")
def partition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """``numpy.partition``: fully sorted, which is one of the valid answers."""
    if order is not None or kind != "introselect":
        raise Unsupported("order or kind")
    x, index = _along(a, axis)
    _check_kth(kth, x.shape[index])
    return _from_last(_sorted_last(_to_last(x, index)), index)


@exact("numpy.argpartition")
def argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """``numpy.argpartition``: the places of the full sort, which is one of the valid answers."""
    if order is not None or kind != "introselect":
        raise Unsupported("order or kind")
    x, index = _along(a, axis)
    _check_kth(kth, x.shape[index])
    return _from_last(_places_last(_to_last(x, index)), index)


@exact("numpy.lexsort")
def lexsort(keys: Any, axis: Any = -1) -> Any:
    """``numpy.lexsort``: int64 places by the last key first of all, stable."""
    rows = [array(key) for key in keys] if isinstance(keys, (tuple, list)) else tf.unstack(array(keys))
    if not rows:
        raise Unsupported("no keys")
    rank = rank_of(rows[0])
    index = normal_axis(axis, rank)
    if any(row.shape != rows[0].shape for row in rows):
        raise Unsupported("keys of different shapes")
    moved = [_to_last(row, index) for row in rows]
    places = _places_last(moved[0])
    for row in moved[1:]:
        step = _places_last(tf.gather(row, places, batch_dims=rank - 1))
        places = tf.gather(places, step, batch_dims=rank - 1)
    return _from_last(places, index)


def _in_complex_order(a: Any) -> Any:
    x = array(a)
    places = np.argsort(to_ndarray(x), axis=-1)
    return tf.cast(tf.gather(x, places, batch_dims=rank_of(x) - 1), tf.complex128)


@exact("numpy.sort_complex", differentiable=_in_complex_order)
def sort_complex(a: Any) -> Any:
    """``numpy.sort_complex``: eagerly asks NumPy. Numbers whose imaginary part is NaN come after all others."""
    if not is_tracing():
        raise Unsupported("the order of complex numbers")
    x = array(a)
    if rank_of(x) == 0:
        raise Unsupported("no dimensions")
    if not x.dtype.is_complex:
        return cast(_sorted_last(x), tf.complex64 if x.dtype in _HALF_OF_COMPLEX64 else tf.complex128)
    parts = tf.math.imag(x), tf.math.real(x)
    missing = [cast(op("IsNan")(x=part), tf.uint8) for part in parts]
    places: Any = None
    for key in (*parts, missing[0] + missing[1] * 2):
        moved = key if places is None else tf.gather(key, places, batch_dims=rank_of(x) - 1)
        if moved.dtype.is_floating:  # zeros of both signs are equal
            moved = select(is_zero(moved), 0.0, moved)
        step = _places_last(moved)
        places = step if places is None else tf.gather(places, step, batch_dims=rank_of(x) - 1)
    return tf.gather(x, places, batch_dims=rank_of(x) - 1)


# --- searching --------------------------------------------------------------------------------------------------------


@exact("numpy.searchsorted")
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """``numpy.searchsorted``: int64 places where `v` would be inserted into the sorted 1-D `a`; NaN sorts last."""
    if side not in ("left", "right"):
        raise Unsupported("side")
    (x, x_key), (y, y_key) = operand(a), operand(v)
    wanted = result_dtype(x_key, y_key)
    x, y = (operand_tensor(*pair, tensor_dtype(wanted)) for pair in ((x, x_key), (y, y_key)))
    if rank_of(x) != 1 or x.dtype.is_complex or x.shape[0] is None:
        raise Unsupported("not a 1-D array of numbers with an order")
    if x.shape[0] >= 2**31:
        raise Unsupported("a very long array")
    if sorter is not None:
        order = array(sorter)
        if order.shape != x.shape:
            raise Unsupported("a sorter of another length")
        x = tf.gather(x, order)
    if x.dtype in (tf.bool, tf.float16):
        x, y = (cast(t, tf.float32) for t in (x, y))
    if sorter is not None or not is_measured():  # what is found where nothing is sorted is each search's own
        must_hold(op("LogicalNot")(x=tf.reduce_any(op("Less")(x=x[1:], y=x[:-1]))), "values that are not sorted")
    name = "LowerBound" if side == "left" else "UpperBound"
    places = op(name)(sorted_inputs=x[tf.newaxis], values=flat(y)[tf.newaxis], out_type=tf.int64)
    places = tf.reshape(places, op("Shape")(input=y))
    if not x.dtype.is_floating:
        return places
    # NaN compares false with everything: the search would put it first, and a NaN in `a` would end it too soon
    if not is_tracing() and not bool(tf.reduce_any(op("IsNan")(x=x))):
        return select(op("IsNan")(x=y), constant(x.shape[0], tf.int64), places)
    numbers = tf.reduce_sum(cast(op("LogicalNot")(x=op("IsNan")(x=x)), tf.int64))
    clean = select(op("IsNan")(x=x), math.inf, x)
    places = op(name)(sorted_inputs=clean[tf.newaxis], values=flat(y)[tf.newaxis], out_type=tf.int64)
    places = op("Minimum")(x=tf.reshape(places, op("Shape")(input=y)), y=numbers)
    of_nan = numbers if side == "left" else constant(x.shape[0], tf.int64)
    return select(op("IsNan")(x=y), of_nan, places)


# --- where elements are -----------------------------------------------------------------------------------------------


@exact("numpy.where")
def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """``numpy.where``: with `x` and `y`, of their common dtype (Python numbers are weak); alone, as :func:`nonzero`."""
    if x is None and y is None:
        return _places(condition)  # a masked array's own nonzero() heeds its mask, NumPy's where does not
    if x is None or y is None:
        raise Unsupported("only one of x and y")
    mask = truth(array(condition))
    (first, first_key), (second, second_key) = operand(x), operand(y)
    wanted = tensor_dtype(result_dtype(first_key, second_key))
    return op("SelectV2")(
        condition=mask, t=operand_tensor(first, first_key, wanted), e=operand_tensor(second, second_key, wanted)
    )


@exact("numpy.nonzero")
def nonzero(a: Any) -> Any:
    """``numpy.nonzero``: a tuple with one int64 tensor of places for each dimension."""
    return _places(a)


def _places(a: Any) -> tuple[Any, ...]:
    x = array(a)
    rank = rank_of(x)
    if rank == 0:
        raise Unsupported("no dimensions")
    return tuple(tf.unstack(op("Where")(condition=truth(x)), num=rank, axis=1))


@exact("numpy.flatnonzero")
def flatnonzero(a: Any) -> Any:
    """``numpy.flatnonzero``: int64 places in the flattened array."""
    return flat(op("Where")(condition=truth(flat(array(a)))))


@exact("numpy.argwhere")
def argwhere(a: Any) -> Any:
    """``numpy.argwhere``: int64, one row of places for each nonzero element."""
    x = array(a)
    if rank_of(x) == 0:
        found = cast(truth(x), tf.int32)
        return op("Fill")(dims=tf.stack([found, 0]), value=constant(0, tf.int64))
    return op("Where")(condition=truth(x))


@exact("numpy.extract")
def extract(condition: Any, arr: Any) -> Any:
    """``numpy.extract``: the elements of the flattened `arr` where the flattened condition is true."""
    mask, x = truth(flat(array(condition))), flat(array(arr))
    if not mask.shape.is_fully_defined() or mask.shape != x.shape:
        raise Unsupported("a condition of another length")
    return tf.boolean_mask(x, mask)


@exact("numpy.compress")
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """``numpy.compress``: the slices of `a` where the 1-D condition is true (it may be shorter)."""
    refuse_out(out)
    mask, x = truth(array(condition)), array(a)
    if rank_of(mask) != 1:
        raise Unsupported("a condition that is not 1-D")
    if axis is None:
        x, axis = flat(x), 0
    index = normal_axis(axis, rank_of(x))
    if mask.shape[0] is None or x.shape[index] is None or mask.shape[0] > x.shape[index]:
        raise Unsupported("a condition of this length")
    return tf.gather(x, flat(op("Where")(condition=mask)), axis=index)


# --- Where the extremes are: ``argmax`` and ``argmin``

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
