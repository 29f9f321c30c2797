"""Copies and casts: ``array``, ``asarray`` and their relatives, ``astype``."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.axes import flat, rank_of
from np2tnp.runtime.base.dispatch import exact, is_array, is_tensor, is_tracing, tensor, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array as tensor_of
from np2tnp.runtime.base.promotion import cast, dtype_of, is_plain_tensor, requested_dtype, tensor_dtype
from np2tnp.runtime.base.shapes import no_list
from np2tnp.runtime.creation import fresh, refuse_like

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "copy",
    "require",
]

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
