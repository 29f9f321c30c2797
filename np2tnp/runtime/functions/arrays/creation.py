"""Making arrays: constants, ranges, copies, casts, diagonals and triangles.

What is made from Python numbers alone is made by NumPy, bit for bit, as long as it is small; what is large is computed
on the device by the same arithmetic.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, is_array, is_tensor, is_tracing, tensor, to_ndarray, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.gradients import is_followed
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array as tensor_of
from np2tnp.runtime.base.promotion import cast, constant, dtype_of, is_plain_tensor, requested_dtype, tensor_dtype
from np2tnp.runtime.base.shapes import as_index, no_list
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.functions.axes import flat, normal_axis, rank_of
from np2tnp.runtime.functions.math.elementwise import select

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "copy",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "geomspace",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "require",
    "zeros",
    "zeros_like",
]


#: Up to this many elements NumPy makes constants faster than a chain of TensorFlow operations.
SMALL = 1 << 16


def fresh(x: Any) -> Any:
    """`x` as another tensor object: where NumPy copies, nobody may see the same object."""
    return op("Identity")(input=x)


def dimensions(shape: Any) -> tuple[int, ...] | Any:
    """A ``shape`` argument as a tuple of ints, or as an int32 tensor where tracing knows only symbols."""
    if is_tensor(shape):
        if is_tracing():
            return tf.reshape(tf.cast(shape, tf.int32), [-1])
        shape = shape.numpy()
    is_list = type(shape) is tf.TensorShape or (isinstance(shape, (tuple, list, np.ndarray)) and np.ndim(shape))
    items = list(shape) if is_list else [shape]
    if is_tracing() and any(is_tensor(item) for item in items):
        return tf.stack([tf.cast(item, tf.int32) for item in items])
    found = tuple(map(as_index, items))
    if any(size < 0 for size in found):
        raise Unsupported("a negative dimension")
    return found


def refuse_like(device: Any, like: Any) -> None:
    """Leave a call for another array library or device to NumPy."""
    if like is not None or device not in (None, "cpu"):
        raise Unsupported("like or device")


def refuse_order(order: Any, known: str = "CF") -> None:
    """Leave an order in memory that is not among `known` to NumPy, which says whether there is such a one."""
    if order is not None and (type(order) is not str or order.upper() not in tuple(known)):
        raise Unsupported(f"order {order!r}")


def filled(shape: Any, value: Any) -> Any:
    """A tensor of that shape (see :func:`dimensions`) full of a 0-d tensor.

    Raises Unsupported for lengths that TensorFlow cuts to 32 bits.
    """
    if is_tensor(shape):
        return op("Fill")(dims=shape, value=value)
    lengths = np.asarray(shape, np.int64)
    if lengths.size and lengths.max() >= 2**31:
        raise Unsupported("a length of 2**31 or more")
    return op("Fill")(dims=lengths, value=value)


def _constant_array(shape: Any, value: int, dtype: Any, order: Any, device: Any, like: Any) -> Any:
    refuse_like(device, like)
    refuse_order(order)
    return filled(dimensions(shape), constant(value, tensor_dtype(requested_dtype(dtype))))


@exact("numpy.zeros")
def zeros(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    """``numpy.zeros``: float64 unless `dtype` says otherwise."""
    return _constant_array(shape, 0, dtype, order, device, like)


@exact("numpy.ones")
def ones(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    """``numpy.ones``: float64 unless `dtype` says otherwise."""
    return _constant_array(shape, 1, dtype, order, device, like)


@exact("numpy.empty")
def empty(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    """``numpy.empty``: zeros here (NumPy's contents are arbitrary)."""
    return _constant_array(shape, 0, dtype, order, device, like)


@exact("numpy.full")
def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None
) -> Any:
    """``numpy.full``: of the fill value's own dtype unless `dtype` says otherwise; the value may broadcast."""
    refuse_like(device, like)
    refuse_order(order)
    return _filled_with(dimensions(shape), fill_value, None if dtype is None else requested_dtype(dtype))


def _filled_with(shape: Any, fill_value: Any, dtype: np.dtype[Any] | None) -> Any:
    if type(fill_value) in (bool, int, float, complex):
        return filled(shape, constant(fill_value, np.asarray(fill_value).dtype if dtype is None else dtype))
    value = tensor_of(fill_value)
    return fresh(tf.broadcast_to(value if dtype is None else cast(value, dtype), shape))


def _like(a: Any, dtype: Any, order: Any, shape: Any, device: Any) -> tuple[Any, np.dtype[Any]]:
    refuse_like(device, None)
    refuse_order(order, "CFAK")
    x = tensor_of(a)
    wanted = dtype_of(x) if dtype is None else requested_dtype(dtype)
    if shape is not None:
        return dimensions(shape), wanted
    if x.shape.is_fully_defined():
        return tuple(x.shape.as_list()), wanted
    return op("Shape")(input=x), wanted


@exact("numpy.zeros_like")
def zeros_like(
    a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *, device: Any = None
) -> Any:
    """``numpy.zeros_like``: of the dtype and shape of `a` unless told otherwise."""
    size, wanted = _like(a, dtype, order, shape, device)
    return filled(size, constant(0, wanted))


@exact("numpy.ones_like")
def ones_like(
    a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *, device: Any = None
) -> Any:
    """``numpy.ones_like``: of the dtype and shape of `a` unless told otherwise."""
    size, wanted = _like(a, dtype, order, shape, device)
    return filled(size, constant(1, wanted))


@exact("numpy.empty_like")
def empty_like(
    prototype: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *, device: Any = None
) -> Any:
    """``numpy.empty_like``: zeros here (NumPy's contents are arbitrary)."""
    size, wanted = _like(prototype, dtype, order, shape, device)
    return filled(size, constant(0, wanted))


@exact("numpy.full_like")
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: Any = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """``numpy.full_like``: of the dtype and shape of `a` unless told otherwise."""
    size, wanted = _like(a, dtype, order, shape, device)
    return _filled_with(size, fill_value, wanted)


# --- ranges -----------------------------------------------------------------------------------------------------------


def on_host_scalar(value: Any) -> Any:
    """A 0-d eager tensor as NumPy's scalar; Python and NumPy numbers as they are. Raises Unsupported otherwise."""
    if is_plain_tensor(value) and not is_tracing() and value.shape.rank == 0:
        if is_followed(value):
            raise Unsupported("a gradient by this argument")
        return to_ndarray(value)[()]
    if isinstance(value, (int, float, complex, np.number, np.bool_)):
        return value
    raise Unsupported("a value that is not a number known on the host")


def _steps(start: Any, stop: Any, step: Any = 1.0, dtype: Any = None) -> Any:
    first, last, width = (tf.cast(tensor_of(value), tf.float64) for value in (start, stop, step))
    count = np.arange(*map(to_ndarray, (first, last, width))).size
    return tf.add(first, tf.multiply(np.arange(float(count)), width))


@exact("numpy.arange", differentiable=_steps)
def arange(*args: Any, dtype: Any = None, device: Any = None, like: Any = None, **named: Any) -> Any:
    """``numpy.arange([start,] stop[, step][, dtype])``: exact for floats: NumPy makes ``start + i * delta``."""
    refuse_like(device, like)
    if len(args) == 4:
        *args, dtype = args  # type: ignore[assignment]
    bounds = [tf.cast(a, tf.int64) if _is_symbolic_integer(a) else on_host_scalar(a) for a in args]
    if any(is_tensor(b) for b in bounds):
        if named or (dtype is not None and requested_dtype(dtype) != np.int64):
            raise Unsupported("a symbolic range of another dtype")
        return tf.range(*bounds, dtype=tf.int64)
    if set(named) - {"start", "stop", "step"} or (not bounds and "stop" not in named):
        raise Unsupported("arguments")
    start: Any = named.get("start", bounds[0] if len(bounds) > 1 else 0)
    stop: Any = named.get("stop", bounds[-1] if len(bounds) == 1 else bounds[1] if len(bounds) > 1 else None)
    step = named.get("step", bounds[2] if len(bounds) > 2 else 1)
    start, stop, step = (0 if start is None else start), stop, (1 if step is None else step)
    wanted = None if dtype is None else requested_dtype(dtype)
    if named or not _is_long(start, stop, step):
        return to_tensor(np.arange(*bounds, **named, dtype=wanted))
    if (stop - start) / step > _MOST:
        raise Unsupported("more elements than memory holds, of which XLA ends the process")
    natural = np.result_type(np.int64, *(np.asarray(v).dtype for v in (start, stop, step)))
    if wanted is None:
        wanted = natural
    if natural.kind == "i" and wanted.kind in "iu":
        return cast(tf.range(int(start), int(stop), int(step), dtype=tf.int64), wanted)
    if wanted.kind == "f" and wanted.char in "fd":
        return _float_range(float(start), float(stop), float(step), wanted)
    return to_tensor(np.arange(start, stop, step, dtype=wanted))


#: No memory holds so many elements: NumPy raises MemoryError.
_MOST = 2**36


def _is_symbolic_integer(value: Any) -> bool:
    return is_plain_tensor(value) and is_tracing() and value.dtype.is_integer and value.shape.rank == 0


def _is_long(start: Any, stop: Any, step: Any) -> bool:
    try:
        return bool((stop - start) / step > SMALL)
    except (TypeError, ZeroDivisionError):
        return False


def _float_range(start: float, stop: float, step: float, dtype: np.dtype[Any]) -> Any:
    length = math.ceil((stop - start) / step)
    first, second = dtype.type(start), dtype.type(start + step)
    places = tf.cast(tf.range(length, dtype=tf.int64), tensor_dtype(dtype))
    return op("AddV2")(x=to_tensor(first), y=op("Mul")(x=places, y=to_tensor(second - first)))


def _host_born(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """NumPy's result for numbers that are known on the host, as a tensor."""
    result = function(*args, **keywords)
    if not isinstance(result, tuple):
        return to_tensor(result)
    return tuple(part if type(part) is float else to_tensor(np.asarray(part)) for part in result)


def _parts(num: Any, endpoint: Any, axis: Any, *values: Any) -> list[Any]:
    """How far each sample lies between the ends, along `axis` of the result, and `values` in float64."""
    tensors = [tf.cast(tensor_of(value), tf.float64) for value in values]
    parts = np.linspace(0, 1, operator.index(num), endpoint=bool(endpoint))
    shape = functools.reduce(tf.broadcast_static_shape, (tensor.shape for tensor in tensors))
    place = normal_axis(axis, len(shape) + 1)
    tensors = [tf.expand_dims(tf.broadcast_to(tensor, shape), place) for tensor in tensors]
    return [parts.reshape([-1 if i == place else 1 for i in range(len(shape) + 1)]), *tensors]


def _even(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: Any = 0,
    *,
    device: Any = None,
) -> Any:
    parts, first, last = _parts(num, endpoint, axis, start, stop)
    samples = tf.add(first, tf.multiply(tf.subtract(last, first), parts))
    if not retstep:
        return samples
    ends = [tf.cast(tensor_of(value), tf.float64) for value in (start, stop)]
    return samples, tf.divide(tf.subtract(ends[1], ends[0]), operator.index(num) - bool(endpoint))


def _unseen(number: Any, gap: Any) -> Any:
    """`number`, made in a way that no compiler of graphs looks through: they divide by known numbers otherwise than
    NumPy, and round a product and a sum once. Where `gap` is NaN the last bit changes, and the result is NaN anyway.
    """
    if not is_tracing():
        return number
    whole = tf.int64 if number.dtype == tf.float64 else tf.int32
    bits = op("BitwiseXor")(x=op("Bitcast")(input=number, type=whole), y=tf.cast(op("IsNan")(x=gap), whole))
    return op("Bitcast")(input=bits, type=number.dtype)


@exact("numpy.linspace", differentiable=_even)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: Any = 0,
    *,
    device: Any = None,
) -> Any:
    """``numpy.linspace``: the same arithmetic as NumPy's, so the last digit too; integers are floored."""
    refuse_like(device, None)
    num = operator.index(num)
    wanted = None if dtype is None else requested_dtype(dtype)
    known = not any(isinstance(v, (np.ndarray, list, tuple)) for v in (start, stop))
    if known and not any(is_tensor(v) for v in (start, stop)) and num <= SMALL:
        return _host_born(np.linspace, start, stop, num, endpoint, retstep, wanted, axis)
    if num < 2 or not endpoint or retstep or axis != 0:
        raise Unsupported("this form of linspace")
    first, last = tensor_of(start), tensor_of(stop)
    samples: list[Any] = [
        np.ones((), dtype_of(v))[()] if is_tensor(s) else s for v, s in ((first, start), (last, stop))
    ]
    inner = np.linspace(samples[0], samples[1], 2).dtype
    if inner.char not in "fd":
        raise Unsupported(f"linspace in {inner}")
    first, last = cast(first, inner), cast(last, inner)
    rank = max(rank_of(first), rank_of(last))
    gap = op("Sub")(x=last, y=first)
    count = _unseen(constant(num - 1, inner), gap)
    step = op("RealDiv")(x=gap, y=count)
    places = tf.reshape(tf.cast(tf.range(num - 1), tensor_dtype(inner)), [-1] + [1] * rank)
    flat_step = op("Mul")(x=op("RealDiv")(x=places, y=count), y=gap)
    none = tf.reduce_any(op("Equal")(x=step, y=constant(0, inner)))
    values = op("AddV2")(x=_unseen(select(none, flat_step, op("Mul")(x=places, y=step)), gap), y=first)
    values = tf.concat([values, tf.broadcast_to(last, tf.shape(values[:1]))], 0)
    if wanted is None:
        return values
    return cast(op("Floor")(x=values) if wanted.kind in "iu" else values, wanted)


def _powers(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0, dtype: Any = None, axis: Any = 0
) -> Any:
    parts, first, last, base = _parts(num, endpoint, axis, start, stop, base)
    return tf.pow(base, tf.add(first, tf.multiply(tf.subtract(last, first), parts)))


@exact("numpy.logspace", differentiable=_powers)
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: Any = 0,
) -> Any:
    """``numpy.logspace``, for numbers that are known on the host."""
    bounds = [on_host_scalar(v) for v in (start, stop, base)]
    wanted = None if dtype is None else requested_dtype(dtype)
    return _host_born(np.logspace, *bounds[:2], operator.index(num), endpoint, bounds[2], wanted, axis)


def _ratios(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: Any = 0) -> Any:
    parts, first, last = _parts(num, endpoint, axis, start, stop)
    return tf.multiply(first, tf.pow(tf.divide(last, first), parts))


@exact("numpy.geomspace", differentiable=_ratios)
def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: Any = 0) -> Any:
    """``numpy.geomspace``, for numbers that are known on the host."""
    bounds = [on_host_scalar(v) for v in (start, stop)]
    wanted = None if dtype is None else requested_dtype(dtype)
    return _host_born(np.geomspace, *bounds, operator.index(num), endpoint, wanted, axis)


# --- Copies and casts: ``array``, ``asarray`` and their relatives, ``astype``

_PYTHON_NUMBERS = (bool, int, float, complex)


# --- copies and casts -------------------------------------------------------------------------------------------------


def _as_array(a: Any, dtype: Any) -> Any:
    if dtype is None:
        return tensor_of(a)
    wanted = requested_dtype(dtype)
    tensor_dtype(wanted)  # refuses objects and strings, which tf.constant would take as bytes
    if is_plain_tensor(a):
        return cast(a, wanted)
    plain = np.asarray(a) if isinstance(a, (np.ndarray, np.generic)) else None
    if plain is None and not any(is_tensor(v) for v in (a if isinstance(a, (list, tuple)) else ())):
        return to_tensor(np.asarray(a, dtype=wanted))  # NumPy's own checks of Python numbers
    return cast(tensor_of(a), wanted)


def _of_any_class(a: Any) -> Any:
    """`a` for TensorFlow, as :func:`tensor` has it; of an ndarray subclass its numbers, which are all NumPy takes."""
    return tensor(a if type(a) is np.ndarray else np.asarray(a)) if isinstance(a, np.ndarray) else a


@exact("numpy.array")
def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: Any = False,
    ndmin: Any = 0,
    ndmax: Any = 0,
    like: Any = None,
) -> Any:
    """``numpy.array``: lists follow NumPy's dtype rules (no weak numbers in a list); a tensor is copied."""
    refuse_like(None, like)
    x = _as_array(object if subok else _of_any_class(object), dtype)
    if ndmax or (copy is False and x is not object):
        raise Unsupported("ndmax, or copy=False where NumPy cannot but copy")
    missing = ndmin - rank_of(x)
    if missing > 0:
        return tf.reshape(x, tf.concat([tf.ones([missing], tf.int32), tf.shape(x)], 0))
    return fresh(x) if x is object and copy else x


@exact("numpy.asarray")
def asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    """``numpy.asarray``: the tensor itself where neither dtype nor `copy` asks for another."""
    refuse_like(device, like)
    # not `in (None, a.dtype)`: NumPy takes None for float64, so that dtype("f8") == None
    if type(a) is np.ndarray and not a.ndim and not copy and (dtype is None or dtype == a.dtype) and is_array(a):
        return a  # the caller's own object: bodies get 0-d ndarrays as they are
    x = _as_array(_of_any_class(a), dtype)
    if copy is False and x is not a:
        raise Unsupported("copy=False")
    return fresh(x) if x is a and (copy or _is_copied(x, order)) else x


def _is_copied(x: Any, order: Any) -> bool:
    """Whether NumPy copies to reach that order, for arrays as people make them: C-contiguous."""
    return order in ("F", "f") and rank_of(x) > 1


@exact("numpy.asanyarray")
def asanyarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    """``numpy.asanyarray``: as :func:`asarray` (there are no subclasses of tensors)."""
    given = tensor(a) if isinstance(a, np.ndarray) and type(a) is not np.ndarray else a  # refuses them
    return asarray(given, dtype, order, device=device, copy=copy, like=like)


@exact("numpy.ascontiguousarray")
def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """``numpy.ascontiguousarray``: at least one dimension; tensors are always contiguous."""
    refuse_like(None, like)
    x = _as_array(a, dtype)
    return flat(x) if rank_of(x) == 0 else x


@exact("numpy.asfortranarray")
def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """``numpy.asfortranarray``: the values; the order in memory is TensorFlow's own. At least one dimension."""
    x = ascontiguousarray(a, dtype, like=like)
    return fresh(x) if x is a and _is_copied(x, "F") else x


@exact("numpy.asarray_chkfinite")
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """``numpy.asarray_chkfinite``: raises ValueError for NaN and infinity (so not while tracing)."""
    x = _as_array(a, dtype)
    if x.dtype.is_floating or x.dtype.is_complex:
        parts = (tf.math.real(x), tf.math.imag(x)) if x.dtype.is_complex else (x,)
        if is_tracing() or not all(bool(tf.reduce_all(tf.math.is_finite(part))) for part in parts):
            raise Unsupported("an array that may hold NaN or infinity")
    return x


@exact("numpy.require")
def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """``numpy.require``: the values; a tensor has no flags."""
    refuse_like(None, like)
    return _as_array(a, dtype)


@exact("numpy.copy")
def copy(a: Any, order: Any = "K", subok: Any = False) -> Any:
    """``numpy.copy``: another tensor with the same values."""
    x = tensor_of(a)
    return fresh(x) if x is a else x


def _reference_astype(
    x: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True, copy: Any = True
) -> Any:
    if isinstance(x, (list, tuple)):
        raise TypeError(f"Input should be a NumPy array or scalar. It is a {type(x)} instead.")
    if type(x) in _PYTHON_NUMBERS:
        raise AttributeError(f"'{type(x).__name__}' object has no attribute 'astype'", name="astype", obj=x)
    return np.asarray(x).astype(dtype, order=order, casting=casting, subok=subok, copy=copy)


@exact("numpy.ndarray.astype", _reference_astype)
def astype(
    x: Any,
    dtype: Any,
    order: Any = "K",
    casting: Any = "unsafe",
    subok: Any = True,
    copy: Any = True,
    *,
    device: Any = None,
) -> Any:
    """``x.astype(dtype)``, ``numpy.astype(x, dtype)``: ``float`` is float64; floats become integers by truncation."""
    refuse_like(device, None)
    if type(x) in _PYTHON_NUMBERS:
        raise Unsupported("a Python number")
    found, wanted = tensor_of(no_list(x)), requested_dtype(dtype)
    if not np.can_cast(dtype_of(found), wanted, casting):
        raise Unsupported(f"casting {casting}")
    result = cast(found, wanted)
    return fresh(result) if result is x and copy else result
