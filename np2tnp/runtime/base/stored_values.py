"""Values on their way into an array: cast and broadcast as ``x[key] = value`` does."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, holds_tensor, host, is_array, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import broadcast, reshaped
from np2tnp.runtime.base.promotion import array, cast, numpy_dtype
from np2tnp.runtime.base.promotion import constant as number
from np2tnp.runtime.base.tracing import check


def stored(value: Any, dtype: Any) -> Any:
    """`value` in the array's dtype (a ``tf.DType``): a tensor, or an ndarray if it was not one. NumPy's exceptions.

    Unsafe casting, as a store does: floats are truncated, imaginary parts dropped with ComplexWarning. Python integers
    that do not fit raise OverflowError.
    """
    if is_tensor(value):
        value = array(value)
        if value.dtype is dtype:
            return value
        if value.shape.rank or not dtype.is_integer or not hasattr(value, "numpy"):
            check_fits(value, dtype)
            return cast_stored(value, dtype)
        value = value.numpy()  # NumPy checks the range of a single number, which arrays do not have
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        if not tf.executing_eagerly():
            return cast_stored(as_tensor(value), dtype)
        value = host(value)
    target = numpy_dtype(dtype)
    if type(value) is np.ndarray and value.dtype == target:
        return value
    if isinstance(value, np.ndarray) and not is_array(value):
        raise Unsupported(f"{type(value).__name__} of dtype {value.dtype}")
    result = np.empty(np.shape(value), target)
    result[...] = value
    return result


def listed_values(value: Any, dtype: Any) -> Any:
    """While tracing: a list that holds tensors, such as ``[[c, -s], [s, c]]``, as a tensor to be stored.

    NumPy casts each item by itself, which makes no difference for floats. Raises Unsupported for what it may refuse.
    """
    made = as_tensor(value)
    if not dtype.is_floating and not dtype.is_complex:
        raise Unsupported(f"a list of values that only the graph knows, stored in an array of {dtype.name}")
    if made.dtype.is_complex and not dtype.is_complex:
        raise Unsupported("complex numbers in an array of real ones")
    return made


def check_fits(value: Any, dtype: Any) -> None:
    """While tracing: a single number that goes into an integer `dtype` must fit, where NumPy's exceptions say so.

    Arrays are cast whatever they hold. Raises Unsupported for a complex number.
    """
    if value.shape.rank != 0 or not dtype.is_integer or value.dtype.is_bool or hasattr(value, "numpy"):
        return
    if value.dtype.is_complex:
        raise Unsupported("a complex number in an array of integers")
    if value.dtype.is_integer:
        low, high = max(dtype.min, value.dtype.min), min(dtype.max, value.dtype.max)
        if (low, high) != (value.dtype.min, value.dtype.max):
            check(tf.logical_and(value >= number(low, value.dtype), value <= number(high, value.dtype)), _DOES_NOT_FIT)
        return
    wide = tf.cast(value, tf.float64)
    check(tf.logical_and(wide > float(dtype.min) - 1, wide < float(dtype.max) + 1), _DOES_NOT_FIT)


_DOES_NOT_FIT = "a number that does not fit into an array of integers"


def kept_number(value: Any, dtype: Any) -> Any | None:
    """A Python number of the very kind that `dtype` holds as a tensor that is kept for the next time, or None."""
    fits = dtype is tf.float64 if type(value) is float else type(value) is int and dtype is tf.int64
    return number(value, dtype) if fits and tf.executing_eagerly() else None


def cast_stored(value: Any, dtype: Any) -> Any:
    """A tensor in another dtype as a store casts it."""
    if value.dtype == dtype:
        return value
    if value.dtype.is_complex and not dtype.is_complex and dtype != tf.bool:
        warnings.warn(
            "Casting complex values to real discards the imaginary part", np.exceptions.ComplexWarning, stacklevel=2
        )
    return cast(value, dtype)


def fitted(value: Any, shape: tuple[int, ...]) -> Any:
    """`value` (of :func:`stored`) as a tensor of exactly `shape`. Raises ValueError where it cannot be broadcast."""
    value = trimmed(value, shape)
    if not is_tensor(value):
        return tf.constant(value if value.shape == shape else np.broadcast_to(value, shape))
    if _dims(value) == shape:
        return value
    return broadcast(value, shape)


def filled(value: Any, shape: tuple[int, ...]) -> Any:
    """What an array of `shape` becomes when `value` is stored in all of it: a tensor of its own, never `value` itself.

    The boundary takes one tensor for one array, so that two names of the body must not share it where NumPy copied.
    """
    full = fitted(value, shape)
    return tf.identity(full) if full is value else full


def trimmed(value: Any, shape: tuple[int, ...]) -> Any:
    """`value` without the leading axes of length 1 that a store ignores. Raises ValueError if it does not fit
    `shape`.
    """
    dims = _dims(value)
    if dims == shape:
        return value
    extra = len(dims) - len(shape)
    if extra > 0 and all(n == 1 for n in dims[:extra]):
        dims = dims[extra:]
        value = reshaped(value, dims) if is_tensor(value) else value.reshape(dims)
    if len(dims) > len(shape) or any(n not in (1, m) for n, m in zip(dims[::-1], shape[::-1], strict=False)):
        raise ValueError(f"could not broadcast input array from shape {dims} into shape {shape}")
    return value


def _dims(value: Any) -> tuple[int, ...]:
    dims = tuple(value.shape)
    if None in dims:
        raise Unsupported("a value of unknown shape")
    return dims


def constant(value: Any) -> Any:
    """A value of :func:`stored` as a tensor of its own shape."""
    return value if is_tensor(value) else tf.constant(value)
