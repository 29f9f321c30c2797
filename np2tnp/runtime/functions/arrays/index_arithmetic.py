"""Index arithmetic, and picking values by indices."""

from __future__ import annotations

import math
import types
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import broadcast, reshaped, transposed
from np2tnp.runtime.base.promotion import cast, constant, dtype_of, promoted
from np2tnp.runtime.base.shapes import (
    as_host,
    as_index,
    as_indices,
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
from np2tnp.runtime.functions.arrays.manipulation import broadcast_all
from np2tnp.runtime.functions.axes import reduce_with

__all__ = [
    "choose",
    "diag_indices",
    "diag_indices_from",
    "ix_",
    "mask_indices",
    "piecewise",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


# --- Index arithmetic: tril_indices, ix_, unravel_index and relatives. Results are int64, as NumPy's intp


def _constants(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(as_tensor(array) for array in arrays)


def _check_within(tensor: Any, length: int) -> None:
    """Out of range NumPy raises a ValueError of its own."""
    inside = tf.logical_and(tf.greater_equal(tensor, 0), tf.less(tensor, length))
    must_hold(tf.reduce_all(inside), "index out of bounds")


@exact("numpy.tril_indices")
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, ...]:
    """``np.tril_indices``: depends on Python numbers only, so NumPy itself makes the constants."""
    return _constants(np.tril_indices(as_index(n), as_index(k), None if m is None else as_index(m)))


@exact("numpy.triu_indices")
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, ...]:
    """``np.triu_indices``."""
    return _constants(np.triu_indices(as_index(n), as_index(k), None if m is None else as_index(m)))


@exact("numpy.tril_indices_from")
def tril_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """``np.tril_indices_from``."""
    rows, columns = static_shape(as_tensor(no_list(arr)))
    return _constants(np.tril_indices(rows, as_index(k), columns))


@exact("numpy.triu_indices_from")
def triu_indices_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
    """``np.triu_indices_from``."""
    rows, columns = static_shape(as_tensor(no_list(arr)))
    return _constants(np.triu_indices(rows, as_index(k), columns))


@exact("numpy.diag_indices")
def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """``np.diag_indices``."""
    return _constants(np.diag_indices(as_index(n), as_index(ndim)))


@exact("numpy.diag_indices_from")
def diag_indices_from(arr: Any) -> tuple[Any, ...]:
    """``np.diag_indices_from``."""
    shape = static_shape(as_tensor(no_list(arr)))
    require(len(shape) >= 2 and len(set(shape)) == 1, "sides of different lengths")
    return _constants(np.diag_indices(shape[0], len(shape)))


@exact("numpy.mask_indices")
def mask_indices(n: int, mask_func: Any, k: Any = 0) -> tuple[Any, ...]:
    """``np.mask_indices``: `mask_func` gets an ndarray of ones."""
    return _constants(np.nonzero(as_host(mask_func(np.ones((n, n), int), k)) != 0))


@exact("numpy.ix_")
def ix_(*args: Any) -> tuple[Any, ...]:
    """``np.ix_``: each argument along its own axis; bool ones become positions (a shape that depends on values)."""
    results = []
    for axis, value in enumerate(args):
        tensor = as_tensor(value)
        require(rank_of(tensor) == 1, "several dimensions")
        if tensor.dtype == tf.bool:
            tensor = tf.reshape(tf.where(tensor), (-1,))
        elif static_shape(tensor) == (0,):
            tensor = tf.zeros((0,), tf.int64)
        results.append(tf.reshape(tensor, [-1 if i == axis else 1 for i in range(len(args))]))
    return tuple(results)


@exact("numpy.unravel_index")
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """``np.unravel_index``: a tuple of int64 tensors. Out of range is NumPy's ValueError."""
    dims = as_indices(shape)
    require(order in ("C", "F") and len(dims) > 0, "order or shape")
    flat = as_tensor(indices)
    require(flat.dtype.is_integer, "indices that are not integers")
    flat = cast(flat, np.dtype(np.int64))
    size = math.prod(dims)
    if 0 not in static_shape(flat):
        _check_within(flat, size)
    require(size > 0, "an empty shape")
    results = []
    for length in reversed(dims) if order == "C" else dims:
        results.append(tf.math.floormod(flat, length))
        flat = tf.math.floordiv(flat, length)
    return tuple(reversed(results)) if order == "C" else tuple(results)


@exact("numpy.ravel_multi_index")
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """``np.ravel_multi_index`` with any mode per dimension."""
    lengths = as_indices(dims)
    parts = list(multi_index) if isinstance(multi_index, (tuple, list)) else list(tf.unstack(as_tensor(multi_index)))
    modes = (mode,) * len(lengths) if isinstance(mode, str) else tuple(mode)
    require(order in ("C", "F") and len(parts) == len(lengths) == len(modes) > 0, "dimensions")
    require(math.prod([float(n) for n in lengths]) < 2**62, "too many elements")
    tensors = [as_tensor(part) for part in parts]
    require(all(t.dtype.is_integer for t in tensors) and 0 not in lengths, "indices that are not integers")
    strides = np.ones(len(lengths), np.int64)
    if order == "C":
        strides[:-1] = np.cumprod(lengths[:0:-1], dtype=np.int64)[::-1]
    else:
        strides[1:] = np.cumprod(lengths[:-1], dtype=np.int64)
    total: Any = None
    for tensor, length, kind, stride in zip(broadcast_all(tensors), lengths, modes, strides.tolist(), strict=True):
        place = cast(tensor, np.dtype(np.int64))
        if kind == "wrap":
            place = tf.math.floormod(place, length)
        elif kind == "clip":
            place = tf.clip_by_value(place, 0, length - 1)
        else:
            require(kind == "raise", f"mode {kind!r}")
            _check_within(place, length)
        place = tf.multiply(place, stride)
        total = place if total is None else tf.add(total, place)
    return total


# --- Picking values: take, take_along_axis, choose, select, piecewise. Indices are checked on every device


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
    require(not any(map(_is_elsewhere, funclist)), "a function that may look at what it gets")
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


def _is_elsewhere(function: Any) -> bool:
    """Whether it is a function that need not have been rewritten with its caller: a nested one has."""
    if not callable(function) or isinstance(function, np.ufunc):
        return False
    name = getattr(function, "__qualname__", "")
    nested = isinstance(function, types.FunctionType) and ("<locals>" in name or "<lambda>" in name)
    return not nested and not (getattr(function, "__module__", None) or "").startswith(("numpy", "np2tnp."))


def _piece(value: Any, dtype: np.dtype[Any]) -> Any:
    piece = as_tensor(value)
    weak = type(value) in (int, float) and dtype.kind == "f"
    require(weak or np.can_cast(dtype_of(piece), dtype, "same_kind"), "a value of another kind")
    return as_tensor(np.asarray(value, dtype)) if weak else cast(piece, dtype)
