"""Rounding to decimals, limits, and the parts of numbers: what NumPy has as functions beside its ufuncs."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, is_tracing
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import (
    array,
    cast,
    constant,
    dtype_of,
    float_dtype,
    is_weak,
    operand,
    operand_tensor,
    result_dtype,
    tensor_dtype,
)
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.functions.arrays.creation import fresh
from np2tnp.runtime.functions.axes import UNSET, refuse_out
from np2tnp.runtime.functions.math.elementwise import bounded, is_zero, select, truncated
from np2tnp.runtime.functions.math.transcendental import arctan2

__all__ = [
    "angle",
    "around",
    "clip",
    "fix",
    "i0",
    "imag",
    "nan_to_num",
    "real",
    "real_if_close",
    "round",
    "sinc",
]


def _rounded(x: Any, decimals: int) -> Any:
    if decimals == 0:
        return op("Round")(x=x)
    factor = constant(float(10 ** abs(decimals)), x.dtype)
    if decimals > 0:
        return op("RealDiv")(x=op("Round")(x=op("Mul")(x=x, y=factor)), y=factor)
    return op("Mul")(x=op("Round")(x=op("RealDiv")(x=x, y=factor)), y=factor)


@exact("numpy.round")
def round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """``numpy.round``: half to even; integers keep their dtype, also with negative decimals."""
    refuse_out(out)
    x, places = array(a), operator.index(decimals)
    dtype = dtype_of(x)
    if dtype.kind == "c":
        return tf.complex(_rounded(tf.math.real(x), places), _rounded(tf.math.imag(x), places))
    if dtype.kind == "f":
        if abs(places) > 22:
            raise Unsupported("a power of ten that is not exact")
        return _rounded(x, places)
    if dtype.kind == "b":
        if places != 0:
            raise Unsupported("rounding bools")
        return cast(x, tf.float16) if np.round(np.zeros(1, bool)).dtype == np.float16 else fresh(x)
    if places >= 0:
        return fresh(x)
    if abs(places) > 18 or dtype.itemsize >= 4:
        raise Unsupported("rounding wide integers, which may leave their range")
    return cast(_rounded(cast(x, tf.float64), places), x.dtype)


around = round


@exact("numpy.fix")
def fix(x: Any, out: Any = None) -> Any:
    """``numpy.fix``: towards zero; integers and bools keep their dtype."""
    refuse_out(out)
    found = array(x)
    if found.dtype.is_complex:
        raise Unsupported("complex")
    wanted = _fixed_dtype(dtype_of(found))
    if wanted != dtype_of(found):  # before NumPy 2.1 integers became floats
        return cast(found, wanted)
    return truncated(found) if found.dtype.is_floating else fresh(found)


@functools.cache
def _fixed_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.fix(np.zeros(1, dtype)).dtype)


def _bound(limit: Any, dtype: np.dtype[Any], lower: bool) -> Any:
    """A clip limit without what the dtype cannot hold: such a Python integer changes nothing, as in NumPy 2."""
    if type(limit) is not int or dtype.kind not in "iu":
        return limit
    info = np.iinfo(dtype)
    if info.min <= limit <= info.max:
        return limit
    if not _ignores_wide_limits() or (limit > info.max if lower else limit < info.min):
        raise Unsupported("a limit on the wrong side of the dtype's range")
    return None


@functools.cache
def _ignores_wide_limits() -> bool:
    """Whether the installed NumPy takes limits that the dtype cannot hold (and its function ``min=``): since 2.1."""
    try:
        np.clip(np.zeros(1, np.uint8), 0, 300)
    except OverflowError:
        return False
    return True


@functools.cache
def _keeps_zeros() -> bool:
    """Whether a zero at a limit of the other sign keeps its own in the installed NumPy."""
    return bool(np.signbit(np.clip(np.array([-0.0]), 0.0, 1.0)[0]))


def _are_numbers(limits: list[tuple[Any, Any]]) -> bool:
    return all(getattr(value, "shape", ()) == () for value, _ in limits)


def _reference_clip(a: Any, *args: Any, **keywords: Any) -> Any:
    """NumPy's clip; only the method takes one limit alone, and before 2.1 only it knew ``min=`` and ``max=``."""
    is_new = not args and keywords.keys() <= {"min", "max"} and not _ignores_wide_limits()
    return np.asarray(a).clip(*args, **keywords) if is_new or len(args) == 1 else np.clip(a, *args, **keywords)


@exact("numpy.clip", _reference_clip)
def clip(
    a: Any,
    a_min: Any = UNSET,
    a_max: Any = UNSET,
    out: Any = None,
    *,
    min: Any = UNSET,
    max: Any = UNSET,
    **keywords: Any,
) -> Any:
    """``numpy.clip``: ``minimum(maximum(a, min), max)`` in the common dtype; NaN stays NaN; None is no limit."""
    refuse_out(out)
    if keywords or ((a_min is not UNSET or a_max is not UNSET) and (min is not UNSET or max is not UNSET)):
        raise Unsupported("keywords")
    if a_min is None and a_max is None and not _ignores_wide_limits():
        raise Unsupported("arguments that the installed NumPy refuses")
    low = a_min if min is UNSET else min
    high = a_max if max is UNSET else max
    x = array(a)
    if x.dtype == tf.bool or x.dtype.is_complex:
        raise Unsupported(f"limits of {x.dtype.name}")
    low = _bound(None if low is UNSET else low, dtype_of(x), lower=True)
    high = _bound(None if high is UNSET else high, dtype_of(x), lower=False)
    limits = [operand(limit) for limit in (low, high) if limit is not None]
    wanted = result_dtype(x.dtype, *(key for _, key in limits))
    if wanted.kind not in "iuf":
        raise Unsupported(f"limits of {wanted}")
    target = tensor_dtype(wanted)
    x = cast(x, target)
    result = x
    if low is not None:
        result = bounded("Maximum", result, operand_tensor(*limits[0], target))
    if high is not None:
        result = bounded("Minimum", result, operand_tensor(*limits[-1], target))
    if len(limits) == 2 and target.is_floating and _are_numbers(limits) and _keeps_zeros():
        # a zero at a limit of the other sign keeps its own, unless limits are arrays
        above = op("GreaterEqual")(x=x, y=operand_tensor(*limits[0], target))
        below = op("LessEqual")(x=x, y=operand_tensor(*limits[1], target))
        result = op("SelectV2")(condition=op("LogicalAnd")(x=above, y=below), t=x, e=result)
    return fresh(result) if result is a else result


@exact("numpy.nan_to_num")
def nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """``numpy.nan_to_num``: NaN and infinities replaced, by 0 and the dtype's greatest numbers by default."""
    found = array(x)
    if not copy:
        raise Unsupported("copy=False")
    if found.dtype.is_complex:
        parts = (_without_nan(part, nan, posinf, neginf) for part in (tf.math.real(found), tf.math.imag(found)))
        return tf.complex(*parts)
    return _without_nan(found, nan, posinf, neginf) if found.dtype.is_floating else fresh(found)


def _without_nan(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    info = np.finfo(dtype_of(x))
    values = [nan, info.max if posinf is None else posinf, info.min if neginf is None else neginf]
    replacement = [cast(operand_tensor(*operand(v), x.dtype), x.dtype) for v in values]
    infinite = op("IsInf")(x=x)
    positive = op("Greater")(x=x, y=constant(0, x.dtype))
    result = op("SelectV2")(condition=op("IsNan")(x=x), t=replacement[0], e=x)
    result = op("SelectV2")(condition=op("LogicalAnd")(x=infinite, y=positive), t=replacement[1], e=result)
    negative = op("LogicalAnd")(x=infinite, y=op("LogicalNot")(x=positive))
    return op("SelectV2")(condition=negative, t=replacement[2], e=result)


# --- parts ------------------------------------------------------------------------------------------------------------


@exact("numpy.real")
def real(val: Any) -> Any:
    """``numpy.real``: the real part; the array itself where it is real."""
    if isinstance(val, (int, float, complex)) and not isinstance(val, np.generic):
        return val.real  # Python's own number
    x = array(val)
    return tf.math.real(x) if x.dtype.is_complex else x


@exact("numpy.imag")
def imag(val: Any) -> Any:
    """``numpy.imag``: the imaginary part; zeros of the same dtype where it is real."""
    if isinstance(val, (int, float, complex)) and not isinstance(val, np.generic):
        return val.imag
    x = array(val)
    return tf.math.imag(x) if x.dtype.is_complex else op("ZerosLike")(x=x)


@exact("numpy.angle")
def angle(z: Any, deg: Any = False) -> Any:
    """``numpy.angle``: in the dtype of the real part; integers in the float that holds them."""
    x = array(z)
    result = arctan2(tf.math.imag(x), tf.math.real(x)) if x.dtype.is_complex else arctan2(0, x)
    return op("Mul")(x=result, y=constant(180 / math.pi, result.dtype)) if deg else result


@exact("numpy.real_if_close")
def real_if_close(a: Any, tol: Any = 100) -> Any:
    """``numpy.real_if_close``: the real part where all imaginary parts are tiny (so not while tracing)."""
    x = array(a)
    if not x.dtype.is_complex:
        return x
    if is_tracing():
        raise Unsupported("a dtype that depends on values")
    limit = tol * np.finfo(dtype_of(x)).eps if tol > 1 else tol
    close = tf.reduce_all(op("Less")(x=op("Abs")(x=tf.math.imag(x)), y=constant(float(limit), x.dtype.real_dtype)))
    return tf.math.real(x) if bool(close) else x


@exact("numpy.sinc")
def sinc(x: Any) -> Any:
    """``numpy.sinc``: ``sin(pi x) / (pi x)``, 1 at 0; integers in float64."""
    value, key = operand(x)
    found = array(x) if is_weak(key) else value
    found = cast(found, float_dtype(dtype_of(found)))
    if found.dtype == tf.float16:
        raise Unsupported("float16")
    if found.dtype.is_complex:
        raise Unsupported("complex")
    pi = constant(math.pi, found.dtype)

    scaled = op("Mul")(x=pi, y=select(is_zero(found), 1e-20, found))
    return op("RealDiv")(x=op("Sin")(x=scaled), y=scaled)


@exact("numpy.i0")
def i0(x: Any) -> Any:
    """``numpy.i0``: the modified Bessel function of order 0; integers in float64."""
    found = array(x)
    found = cast(found, float_dtype(dtype_of(found)))
    if found.dtype not in (tf.float32, tf.float64):
        raise Unsupported(f"dtype {found.dtype.name}")
    return op("BesselI0")(x=found)
