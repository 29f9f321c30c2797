"""Picking values: take, take_along_axis, choose, select, piecewise. Indices are checked on every device."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.axes import reduce_with
from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import broadcast, reshaped, transposed
from np2tnp.runtime.base.promotion import cast, constant, dtype_of, promoted
from np2tnp.runtime.base.shapes import (
    known,
    must_hold,
    no_list,
    normal_axis,
    rank_of,
    require,
    sequence_of,
    static_shape,
)
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.manipulation import broadcast_all

__all__ = [
    "choose",
    "piecewise",
    "select",
    "take",
    "take_along_axis",
]


def checked(indices: Any, length: int, mode: str = "raise") -> Any:
    """`indices` as int64 in 0..length-1: negative ones counted from the end, others treated as `mode` says.

    Out of range under "raise" is Unsupported in eager mode (NumPy then raises its IndexError), checked in a graph.
    """
    require(indices.dtype.is_integer, "indices that are not integers")
    indices = cast(indices, np.dtype(np.int64))
    require(mode in ("raise", "wrap", "clip"), f"mode {mode!r}")
    require(length > 0 or static_shape(indices).count(0) > 0, "indices into nothing")
    if mode == "wrap":
        return tf.math.floormod(indices, length) if length else indices
    if mode == "clip":
        return tf.clip_by_value(indices, 0, max(length - 1, 0))
    least, most = constant(-length, tf.int64), constant(length, tf.int64)
    inside = op("LogicalAnd")(x=op("GreaterEqual")(x=indices, y=least), y=op("Less")(x=indices, y=most))
    inside = reduce_with("All", inside, tuple(range(rank_of(indices))))
    must_hold(inside, "index out of bounds")
    negative = op("Less")(x=indices, y=constant(0, tf.int64))
    return op("SelectV2")(condition=negative, t=op("AddV2")(x=indices, y=most), e=indices)


@exact("numpy.take")
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """``np.take`` in all three modes."""
    require(out is None, "out")
    tensor, places = as_tensor(a), as_tensor(indices)
    if axis is None:
        tensor, axis = reshaped(tensor, (-1,)), 0
    require(rank_of(tensor) > 0, "a 0-d array")
    axis = normal_axis(axis, rank_of(tensor))
    places = checked(places, static_shape(tensor)[axis], mode)
    return op("GatherV2")(params=tensor, indices=places, axis=axis)


@exact("numpy.take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """``np.take_along_axis``; the other axes broadcast, ``axis=None`` works on the flat values."""
    tensor, places = as_tensor(no_list(arr)), as_tensor(no_list(indices))
    if axis is None:
        require(rank_of(places) == 1, "indices of several dimensions")
        tensor, axis = reshaped(tensor, (-1,)), 0
    ndim = rank_of(tensor)
    require(ndim > 0 and rank_of(places) == ndim, "indices of other dimensions")
    axis = normal_axis(axis, ndim)
    last = [i for i in range(ndim) if i != axis] + [axis]
    back = [last.index(i) for i in range(ndim)]
    tensor, places = transposed(tensor, last), transposed(places, last)
    places = checked(places, static_shape(tensor)[-1])
    outer = np.broadcast_shapes(static_shape(tensor)[:-1], static_shape(places)[:-1])
    tensor = broadcast(tensor, outer + static_shape(tensor)[-1:])
    places = broadcast(places, outer + static_shape(places)[-1:])
    return transposed(tf.gather(tensor, places, batch_dims=ndim - 1), back)


@exact("numpy.choose")
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """``np.choose``: up to 32 choices, broadcast against the selector."""
    require(out is None, "out")
    options, _ = promoted(*sequence_of(choices))  # Python numbers are weak
    require(0 < len(options) <= 32, "number of choices")
    selector, *broadcast = broadcast_all([as_tensor(a), *options])
    require(selector.dtype.is_integer, "a selector that is not an integer")
    if mode == "raise":  # negative numbers do not count from the end here
        must_hold(tf.reduce_all(tf.greater_equal(selector, tf.zeros((), selector.dtype))), "a negative choice")
    selector = checked(selector, len(options), mode)
    result = broadcast[0]
    for number, option in enumerate(broadcast[1:], start=1):
        result = tf.where(tf.equal(selector, number), option, result)
    return result if len(options) > 1 else tf.identity(result)


@exact("numpy.select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """``np.select``: the first true condition wins; Python scalars among choices and default are weak."""
    conditions = [as_tensor(c) for c in sequence_of(condlist)]
    choices = sequence_of(choicelist)
    require(len(conditions) == len(choices) > 0, "lists of different lengths")
    require(all(c.dtype == tf.bool for c in conditions), "conditions that are not bool")
    values = [v if type(v) in (int, float, complex) else as_tensor(v) for v in [*choices, default]]
    dtype = np.result_type(*(v if type(v) in (int, float, complex) else dtype_of(v) for v in values))
    # NumPy copies each choice over as an array of its own dtype, whatever its part in the promotion was
    own = (np.asarray(v).dtype if type(v) in (int, float, complex) else dtype_of(v) for v in values[:-1])
    require(all(np.can_cast(d, dtype, "same_kind") for d in own), "a choice of another kind")
    if dtype.kind in "iu":  # a Python int outside the dtype is NumPy's to refuse
        limits = np.iinfo(dtype)
        require(all(not isinstance(v, int) or limits.min <= v <= limits.max for v in values), "an integer overflow")
    tensors = [as_tensor(np.asarray(v, dtype)) if type(v) in (int, float, complex) else cast(v, dtype) for v in values]
    *picked, result = broadcast_all([*conditions, *tensors])
    conditions, options = picked[: len(conditions)], picked[len(conditions) :]
    for condition, option in reversed(list(zip(conditions, options, strict=True))):
        result = tf.where(condition, option, result)
    return result


@exact("numpy.piecewise")
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """``np.piecewise``: each function gets the values where its condition holds, as a tensor."""
    tensor = as_tensor(x)
    conditions = sequence_of(condlist) if isinstance(condlist, (list, tuple)) or is_tensor(condlist) else [condlist]
    require(len(conditions) > 0 and isinstance(funclist, (list, tuple)), "conditions")
    if not isinstance(condlist, (list, tuple)) and rank_of(as_tensor(condlist)) == rank_of(tensor):
        conditions = [condlist]
    masks = [as_tensor(c) for c in conditions]
    shape = static_shape(tensor)
    require(all(m.dtype == tf.bool and static_shape(m) == shape for m in masks) and len(shape) > 0, "conditions")
    if len(funclist) == len(masks) + 1:
        masks.append(tf.logical_not(tf.reduce_any(tf.stack(masks), 0)))
    require(len(funclist) == len(masks), "as many functions as conditions")
    dtype = dtype_of(tensor)
    result = tf.zeros_like(tensor)
    for mask, function in zip(masks, funclist, strict=True):
        if not callable(function):
            piece = _piece(function, dtype)
            result = tf.where(mask, piece, result)
            continue
        if not known(tf.reduce_any(mask)):
            continue
        values = function(tf.boolean_mask(tensor, mask), *args, **kw)
        places = tf.where(mask)
        piece = tf.broadcast_to(_piece(values, dtype), tf.shape(places)[:1])
        result = tf.tensor_scatter_nd_update(result, places, piece)
    return result


def _piece(value: Any, dtype: np.dtype[Any]) -> Any:
    piece = as_tensor(value)
    weak = type(value) in (int, float) and dtype.kind == "f"
    require(weak or np.can_cast(dtype_of(piece), dtype, "same_kind"), "a value of another kind")
    return as_tensor(np.asarray(value, dtype)) if weak else cast(piece, dtype)
