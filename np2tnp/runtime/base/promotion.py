"""Dtypes as NumPy decides them: one place for promotion, casting and constants.

Nothing here knows a rule of its own. Result dtypes come from ``np.result_type`` and from ``ufunc.resolve_dtypes`` (NEP
50: Python scalars are weak, NumPy scalars and 0-d arrays are strong), cached by the dtypes that arrive.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import NUMERIC, as_tensor, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.hardware import has_gpu
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.symbols.loop_counter import Numbers

#: Python's own number types, which take the dtype of what they meet. ``bool`` is not weak: it is NumPy's bool.
WEAK = (int, float, complex)

#: NumPy dtype character -> class used by tables of implementations.
CLASSES = {"?": "?", **dict.fromkeys("bhilqp", "i"), **dict.fromkeys("BHILQP", "u"), "e": "e", "f": "f", "d": "f"}
CLASSES.update({"F": "c", "D": "c"})

_REAL_OF = {"F": "f", "D": "d"}

_numpy_of: dict[Any, np.dtype[Any]] = {}
_tensorflow_of: dict[np.dtype[Any], Any] = {}
_tensor_types: set[type] = set()


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """The NumPy dtype of a ``tf.DType``. Raises Unsupported for those that NumPy's arithmetic does not know."""
    found = _numpy_of.get(dtype)
    if found is None:
        try:
            found = np.dtype(dtype.as_numpy_dtype)
        except (TypeError, AttributeError, KeyError) as error:
            raise Unsupported(f"dtype {dtype}") from error
        if found.char not in NUMERIC:
            raise Unsupported(f"dtype {dtype}")
        _numpy_of[dtype] = found
    return found


def tensor_dtype(dtype: Any) -> Any:
    """The ``tf.DType`` of whatever NumPy accepts as a dtype (or of a ``tf.DType``). Raises Unsupported, TypeError."""
    if isinstance(dtype, tf.DType):
        return dtype
    wanted = np.dtype(dtype)
    found = _tensorflow_of.get(wanted)
    if found is None:
        if wanted.char not in NUMERIC or not wanted.isnative:
            raise Unsupported(f"dtype {wanted}")
        found = tf.as_dtype(np.dtype(wanted.str))  # 'q' and 'l' are one type to TensorFlow
        _tensorflow_of[wanted] = found
    return found


def requested_dtype(dtype: Any) -> np.dtype[Any]:
    """A ``dtype=`` argument (NumPy's spellings or a ``tf.DType``) as a NumPy dtype. ``None`` is float64, as there.

    Raises Unsupported for another machine's order of bytes, TypeError.
    """
    if isinstance(dtype, tf.DType):
        return numpy_dtype(dtype)
    found: np.dtype[Any] = np.dtype(dtype)
    if not found.isnative:
        raise Unsupported(f"dtype {found}")  # NumPy keeps the order of bytes, or raises
    return found


def dtype_of(tensor: Any) -> np.dtype[Any]:
    """The NumPy dtype of a tensor."""
    return numpy_dtype(tensor.dtype)


def is_plain_tensor(value: object) -> bool:
    """Whether `value` is a tensor that TensorFlow's raw operations take as it is (no variable, no sparse tensor)."""
    kind = type(value)
    if kind in _tensor_types:
        return True
    if is_tensor(value) and isinstance(value, tf.Tensor):
        _tensor_types.add(kind)
        return True
    return False


def array(value: Any) -> Any:
    """`value` as a tensor, like ``np.asarray``: Python numbers become int64, float64, complex128."""
    return value if is_plain_tensor(value) else as_tensor(value)


def operand(value: Any) -> tuple[Any, Any]:
    """An argument of an operation as (tensor, ``tf.DType``) or, for a weak Python number, (number, its type)."""
    if type(value) in _tensor_types:
        return value, value.dtype
    if type(value) in WEAK:
        return value, type(value)
    if type(value) is bool:
        return constant(value, tf.bool), tf.bool
    if isinstance(value, Numbers):
        return value, value.kind
    found = array(value)
    return found, found.dtype


def known_key(value: Any) -> Any:
    """The key that :func:`operand` finds for a tensor or a Python number; None for anything else."""
    kind = type(value)
    return value.dtype if kind in _tensor_types else kind if kind in WEAK else None


def is_weak(key: Any) -> bool:
    """Whether an operand's key is a Python number type (``in WEAK`` would not do: ``tf.float32 == float``)."""
    return isinstance(key, type)


def key_dtype(key: Any) -> Any:
    """What NumPy's promotion functions take for an operand's key: a dtype, or Python's type for a weak number."""
    return key if is_weak(key) else numpy_dtype(key)


def cast(tensor: Any, dtype: Any) -> Any:
    """`tensor` with another dtype (NumPy's or TensorFlow's); complex to real drops the imaginary part, as in NumPy."""
    target = tensor_dtype(dtype)
    source = tensor.dtype
    if source == target:
        return tensor
    if target == tf.bool:
        return tf.raw_ops.NotEqual(x=tensor, y=constant(0, source))
    if source.is_complex and not target.is_complex:
        return cast(tf.math.real(tensor), target)
    if source.is_floating and target.is_integer:
        return _float_to_integer(tensor, target)
    if source == tf.float64 and target == tf.float16:
        return tf.custom_gradient(_double_to_half)(tensor)
    if target.size < source.size and not tf.executing_eagerly() and _is_signed(source) and _is_signed(target):
        # x.astype("i4") & y: XLA for CPUs (TensorFlow 2.21) ends the process where bits of such a cast are combined
        tensor = tf.raw_ops.Cast(x=tensor, DstT=tf.as_dtype(f"u{target.name}"))
    return tf.raw_ops.Cast(x=tensor, DstT=target)


def _is_signed(dtype: Any) -> bool:
    return bool(dtype.is_integer) and not dtype.is_unsigned


def _double_to_half(tensor: Any) -> tuple[Any, Callable[[Any], Any]]:
    """TensorFlow rounds to float32 and then to float16, NumPy once: between, inexact numbers are made odd here."""
    near = tf.raw_ops.Cast(x=tensor, DstT=tf.float32)
    back = tf.raw_ops.Cast(x=near, DstT=tf.float64)
    bits = tf.bitcast(near, tf.int32)
    toward_zero = bits - tf.raw_ops.Cast(x=tf.abs(back) > tf.abs(tensor), DstT=tf.int32)
    is_inexact = tf.math.logical_and(tf.math.not_equal(back, tensor), tf.math.logical_not(tf.math.is_nan(tensor)))
    rounded = tf.where(is_inexact, tf.bitwise.bitwise_or(toward_zero, 1), bits)
    half = tf.raw_ops.Cast(x=tf.bitcast(rounded, tf.float32), DstT=tf.float16)
    return half, lambda upstream: tf.raw_ops.Cast(x=upstream, DstT=tf.float64)


def _float_to_integer(tensor: Any, target: Any) -> Any:
    # C leaves out-of-range conversions open and machines answer differently, NumPy included. Narrow types go through a
    # wider integer, as they do in NumPy's registers, so that 300.0 becomes uint8 44 on every device.
    if target.size < 4:
        return cast(_float_to_integer(tensor, tf.int32), target)
    if target == tf.uint32:
        return tf.raw_ops.Cast(x=_float_to_integer(tensor, tf.int64), DstT=target)
    if target == tf.uint64 or has_gpu() or not tf.executing_eagerly():  # a graph may be compiled
        return _saturation_undone(tensor, target)
    return tf.raw_ops.Cast(x=tensor, DstT=target)


def _saturation_undone(tensor: Any, target: Any) -> Any:
    """Floats as int32, int64 or uint64 as x86 and NumPy convert them.

    A GPU gives the nearest integer that the dtype has, and 0 for NaN (tensorflow issues 115736, 117774), and so does
    what XLA compiles: they get only numbers that fit.
    """
    if tensor.dtype == tf.float16:
        tensor = tf.raw_ops.Cast(x=tensor, DstT=tf.float32)
    if target == tf.uint64:  # as signed integers, the upper half 2**63 further down
        half = constant(2.0**63, tensor.dtype)
        upper = tf.raw_ops.GreaterEqual(x=tensor, y=half)
        shifted = tf.raw_ops.SelectV2(condition=upper, t=tf.raw_ops.Sub(x=tensor, y=half), e=tensor)
        signed = _saturation_undone(shifted, tf.int64)
        other = tf.raw_ops.BitwiseXor(x=signed, y=constant(tf.int64.min, tf.int64))
        return tf.raw_ops.Bitcast(input=tf.raw_ops.SelectV2(condition=upper, t=other, e=signed), type=target)
    bound = constant(2.0 ** (8 * target.size - 1), tensor.dtype)
    fits = tf.raw_ops.LogicalAnd(x=tf.raw_ops.GreaterEqual(x=tensor, y=-bound), y=tf.raw_ops.Less(x=tensor, y=bound))
    inside = tf.raw_ops.SelectV2(condition=fits, t=tensor, e=tf.raw_ops.ZerosLike(x=tensor))
    found = tf.raw_ops.Cast(x=inside, DstT=target)
    return tf.raw_ops.SelectV2(condition=fits, t=found, e=constant(target.min, target))


def constant(value: Any, dtype: Any) -> Any:
    """A 0-d tensor of a Python number. Raises OverflowError when an integer dtype cannot hold the number."""
    target = tensor_dtype(dtype)
    if not tf.executing_eagerly():
        return tf.constant(_scalar(value, target))
    if type(value) is int:
        return _cached(value, 0.0, int, target)
    if type(value) is float and value == value:
        return _cached(value, math.copysign(1.0, value), float, target)
    return tf.constant(_scalar(value, target))


@functools.lru_cache(maxsize=1024)
def _cached(value: Any, sign: float, kind: type, target: Any) -> Any:
    # sign and kind only keep 0.0, -0.0, 0 and False apart: they are equal as keys
    scalar = _scalar(value, target)
    made = tf.constant(scalar)
    made.__dict__[_NUMBER] = float(scalar) if np.isrealobj(scalar) else None
    return made


_NUMBER = "_np2tnp_number"


def number_of(tensor: Any) -> float:
    """The number that an eager 0-d tensor of real numbers is: asked of the device only where nobody here made it."""
    known = tensor.__dict__.get(_NUMBER)
    return float(tensor.numpy()) if known is None else known


def _scalar(value: Any, target: Any) -> Any:
    if isinstance(value, Numbers):
        return value.cast(numpy_dtype(target))
    return np.asarray(value, dtype=numpy_dtype(target))


def operand_tensor(value: Any, key: Any, dtype: Any) -> Any:
    """The value of :func:`operand` as a tensor of `dtype` (a ``tf.DType``)."""
    if key is dtype:
        return value
    return constant(value, dtype) if is_weak(key) else cast(value, dtype)


@functools.lru_cache(maxsize=4096)
def result_dtype(*keys: Any) -> np.dtype[Any]:
    """``np.result_type`` of operand keys: ``tf.DType``, NumPy dtypes, and Python's number types for weak numbers."""
    samples = {int: 0, float: 0.0, complex: 0j}
    dtypes = (samples[k] if is_weak(k) else k if isinstance(k, np.dtype) else numpy_dtype(k) for k in keys)
    found = np.result_type(*dtypes)
    if found.char not in NUMERIC:
        raise Unsupported(f"dtype {found}")
    return found


def promoted(*values: Any) -> tuple[list[Any], np.dtype[Any]]:
    """The values as tensors of their common dtype, as ``np.result_type`` finds it, and that dtype."""
    pairs = [operand(value) for value in values]
    dtype = result_dtype(*(key for _, key in pairs))
    target = tensor_dtype(dtype)
    return [operand_tensor(value, key, target) for value, key in pairs], dtype


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the real part."""
    return np.dtype(_REAL_OF.get(dtype.char, dtype.char))


def float_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What means and quantiles compute integers and bools in: float64; inexact dtypes stay."""
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)
