"""Arithmetic ufuncs: sums, products, quotients, powers, extremes, signs and rounding to integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base import device_forms, exact_floats
from np2tnp.runtime.base.dispatch import exact, is_measured, is_tracing
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, constant, number_of
from np2tnp.runtime.base.ufunc_tables import op, raw, same, ufunc

__all__ = [
    "abs",
    "absolute",
    "add",
    "ceil",
    "conj",
    "conjugate",
    "conjugated",
    "divide",
    "divmod",
    "fabs",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "maximum",
    "minimum",
    "mod",
    "modf",
    "multiply",
    "negative",
    "positive",
    "pow",
    "power",
    "reciprocal",
    "remainder",
    "rint",
    "sign",
    "square",
    "subtract",
    "true_divide",
    "trunc",
]


def select(condition: Any, yes: Any, no: Any) -> Any:
    """``np.where`` of tensors of one dtype; a Python number takes that dtype."""
    dtype = yes.dtype if hasattr(yes, "dtype") else no.dtype
    yes = yes if hasattr(yes, "dtype") else constant(yes, dtype)
    no = no if hasattr(no, "dtype") else constant(no, dtype)
    return op("SelectV2")(condition=condition, t=yes, e=no)


def is_zero(x: Any) -> Any:
    """Elementwise ``x == 0``."""
    return op("Equal")(x=x, y=constant(0, x.dtype))


def both(x: Any, y: Any) -> Any:
    """Elementwise ``and`` of bool tensors."""
    return op("LogicalAnd")(x=x, y=y)


def either(x: Any, y: Any) -> Any:
    """Elementwise ``or`` of bool tensors."""
    return op("LogicalOr")(x=x, y=y)


def is_negative(x: Any) -> Any:
    """The sign bit of real floats (-0.0 and NaN have one too) and ``x < 0`` for integers."""
    if x.dtype.is_floating:
        bits = {2: tf.int16, 4: tf.int32, 8: tf.int64}[x.dtype.size]
        x = op("Bitcast")(input=x, type=bits)
    return op("Less")(x=x, y=constant(0, x.dtype))


def with_sign(x: Any, y: Any) -> Any:
    """``np.copysign`` of floats of one dtype. Keeps gradients, which bit operations would lose."""
    return select(op("NotEqual")(x=is_negative(x), y=is_negative(y)), op("Neg")(x=x), x)


# --- division ---------------------------------------------------------------------------------------------------------


def _integer_quotient(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Truncated quotient and remainder, and where the divisor is 0: NumPy gives 0 there.

    -1 is kept from the kernel too: it would trap on the lowest integer.
    """
    zero = is_zero(y)
    if not x.dtype.is_unsigned:
        minus = op("Equal")(x=y, y=constant(-1, y.dtype))
        safe = select(either(zero, minus), 1, y)
        quotient = op("TruncateDiv")(x=x, y=safe)
        remainder = op("Sub")(x=x, y=op("Mul")(x=quotient, y=safe))
        quotient = select(minus, op("Neg")(x=x), quotient)
    else:
        safe = select(zero, 1, y)
        quotient = op("TruncateDiv")(x=x, y=safe)
        remainder = op("Sub")(x=x, y=op("Mul")(x=quotient, y=safe))
    return select(zero, 0, quotient), select(zero, 0, remainder), zero


def _integer_divmod(x: Any, y: Any) -> tuple[Any, Any]:
    quotient, remainder, zero = _integer_quotient(x, y)
    if x.dtype.is_unsigned:
        return quotient, remainder
    down = both(op("NotEqual")(x=is_negative(remainder), y=is_negative(y)), op("LogicalNot")(x=is_zero(remainder)))
    down = both(down, op("LogicalNot")(x=zero))
    return op("Sub")(x=quotient, y=cast(down, x.dtype)), select(down, op("AddV2")(x=remainder, y=y), remainder)


def _by_positive(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`function`, but one operation where the divisor is a single number above 0, as in ``i % 3``."""

    def run(x: Any, y: Any) -> Any:
        if x.dtype in (tf.int32, tf.int64) and y.shape.rank == 0 and not is_tracing() and number_of(y) > 0:
            return op(name)(x=x, y=y)
        return function(x, y)

    return run


def _float_remainder(x: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """fmod, where it and the divisor are zero, and where its sign is not the divisor's."""
    remainder = device_forms.fmod(x, y)
    by_zero = is_zero(y)
    exact = is_zero(remainder)
    wrong = both(op("LogicalNot")(x=exact), op("NotEqual")(x=is_less(y), y=is_less(remainder)))
    return remainder, by_zero, exact, both(wrong, op("LogicalNot")(x=by_zero))


def _float_floor(x: Any, y: Any, parts: tuple[Any, ...] = ()) -> Any:
    """NumPy's npy_divmod: built on fmod, so that 0.5 // 0.1 is 4."""
    remainder, by_zero, _, wrong = parts or _float_remainder(x, y)
    quotient = op("RealDiv")(x=op("Sub")(x=x, y=remainder), y=y)
    quotient = op("Sub")(x=quotient, y=cast(wrong, x.dtype))
    floor = op("Floor")(x=quotient)
    half = op("Greater")(x=op("Sub")(x=quotient, y=floor), y=constant(0.5, x.dtype))
    floor = op("AddV2")(x=floor, y=cast(half, x.dtype))
    plain = op("RealDiv")(x=x, y=y)
    floor = select(is_zero(quotient), with_sign(op("ZerosLike")(x=floor), plain), floor)
    return select(by_zero, plain, floor)


def _float_modulus(x: Any, y: Any, parts: tuple[Any, ...] = ()) -> Any:
    """The remainder with the divisor's sign."""
    remainder, by_zero, exact, wrong = parts or _float_remainder(x, y)
    modulus = select(wrong, op("AddV2")(x=remainder, y=y), remainder)
    return select(both(exact, op("LogicalNot")(x=by_zero)), with_sign(op("ZerosLike")(x=remainder), y), modulus)


def _float_divmod(x: Any, y: Any) -> tuple[Any, Any]:
    parts = _float_remainder(x, y)
    return _float_floor(x, y, parts), _float_modulus(x, y, parts)


def is_less(x: Any) -> Any:
    """Elementwise ``x < 0``."""
    return op("Less")(x=x, y=constant(0, x.dtype))


def _first(function: Callable[[Any, Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    return lambda x, y: function(x, y)[0]


def _second(function: Callable[[Any, Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    return lambda x, y: function(x, y)[1]


def divide_complex(x: Any, y: Any) -> Any:
    """Complex division by Smith's method, as NumPy does it, so that zero and infinite divisors give its values."""
    a, b, c, d = tf.math.real(x), tf.math.imag(x), tf.math.real(y), tf.math.imag(y)
    size_c, size_d = op("Abs")(x=c), op("Abs")(x=d)
    wide = op("GreaterEqual")(x=size_c, y=size_d)
    zero = both(is_zero(size_c), is_zero(size_d))
    top, bottom = select(wide, c, d), select(wide, d, c)
    ratio = bottom / top
    scale = 1 / (top + bottom * ratio)
    real = select(wide, a + b * ratio, a * ratio + b) * scale
    imag = select(wide, b - a * ratio, b * ratio - a) * scale
    nothing = select(zero, size_c, 1)  # a quotient that is not chosen must have a derivative, too
    real, imag = select(zero, a / nothing, real), select(zero, b / nothing, imag)
    return tf.complex(real, imag)


# --- powers -----------------------------------------------------------------------------------------------------------


def _integer_power(x: Any, y: Any) -> Any:
    if not y.dtype.is_unsigned:
        if is_tracing():
            known = tf.get_static_value(y)
            if known is None or (np.asarray(known) < 0).any():
                raise Unsupported("an integer power whose exponent may be negative")
        elif bool(tf.reduce_any(is_less(y))):
            raise Unsupported("a negative integer power of an integer")
    return device_forms.whole_power(x, y)


def _unsigned_power(x: Any, y: Any) -> Any:
    if y.dtype == tf.uint64:
        raise Unsupported("an unsigned 64-bit exponent")
    return op("Cast")(x=device_forms.whole_power(cast(x, tf.int64), cast(y, tf.int64)), DstT=x.dtype)


# --- extremes ---------------------------------------------------------------------------------------------------------


def complex_less(x: Any, y: Any, strict: bool = True) -> Any:
    """NumPy's lexicographic order of complex numbers, NaN-free parts assumed equal to nothing."""
    a, b, c, d = tf.math.real(x), tf.math.imag(x), tf.math.real(y), tf.math.imag(y)
    inner = op("Less")(x=b, y=d) if strict else op("LessEqual")(x=b, y=d)
    no_nan = op("LogicalNot")(x=either(op("IsNan")(x=b), op("IsNan")(x=d)))
    return either(both(op("Less")(x=a, y=c), no_nan), both(op("Equal")(x=a, y=c), inner))


def complex_nan(x: Any) -> Any:
    """Where a part of a complex number is NaN."""
    return either(op("IsNan")(x=tf.math.real(x)), op("IsNan")(x=tf.math.imag(x)))


def _complex_extreme(greatest: bool, keep_nan: bool) -> Callable[[Any, Any], Any]:
    def run(x: Any, y: Any) -> Any:
        first = complex_less(y, x, strict=False) if greatest else complex_less(x, y, strict=False)
        if keep_nan:
            return select(either(first, complex_nan(x)), x, y)
        return select(either(both(first, op("LogicalNot")(x=complex_nan(x))), complex_nan(y)), x, y)

    return run


def extreme(name: str) -> Callable[[Any, Any], Any]:
    """``Maximum`` or ``Minimum`` of real floats: a NaN wins, of equal zeros the second one does.

    XLA's own, on a CPU, loses a NaN in the second operand.
    """
    beats = op("Greater" if name == "Maximum" else "Less")

    def run(x: Any, y: Any) -> Any:
        if is_measured():
            return op(name)(x=x, y=y)
        return select(op("LogicalOr")(x=beats(x=x, y=y), y=op("IsNan")(x=x)), x, y)

    return run


def bounded(name: str, x: Any, limit: Any) -> Any:
    """The operation ``Maximum`` or ``Minimum`` as it is, of floats or integers, but for a limit that is NaN."""
    result = op(name)(x=x, y=limit)
    if is_measured() or not limit.dtype.is_floating:
        return result
    return select(op("IsNan")(x=limit), math.nan, result)


def _ignoring_nan(name: str) -> Callable[[Any, Any], Any]:
    beats = op("Greater" if name == "Maximum" else "Less")

    def run(x: Any, y: Any) -> Any:
        if not is_measured():
            return select(op("LogicalOr")(x=beats(x=x, y=y), y=op("IsNan")(x=y)), x, y)
        return select(op("IsNan")(x=x), y, select(op("IsNan")(x=y), x, op(name)(x=x, y=y)))

    return run


# --- signs and rounding -----------------------------------------------------------------------------------------------


def _float_sign(x: Any) -> Any:
    found = op("Sign")(x=x)
    if is_measured():
        return found
    return select(op("IsNan")(x=x), x, select(is_zero(x), 0.0, found))  # XLA's sign of -0.0 is -0.0


def _complex_sign(x: Any) -> Any:
    raise Unsupported("the sign of complex numbers")


def truncated(x: Any) -> Any:
    """A float rounded towards zero; -0.5 becomes -0.0."""
    return select(is_less(x), op("Ceil")(x=x), op("Floor")(x=x))


def _modf(x: Any) -> tuple[Any, Any]:
    whole = truncated(x)
    fraction = select(op("IsInf")(x=x), 0.0, op("Sub")(x=x, y=whole))
    return with_sign(fraction, x), whole


def _unsigned_negative(x: Any) -> Any:
    return op("Sub")(x=op("ZerosLike")(x=x), y=x)


def _unsigned_sign(x: Any) -> Any:
    return cast(op("NotEqual")(x=x, y=constant(0, x.dtype)), x.dtype)


def _complex_reciprocal(x: Any) -> Any:
    """NumPy's way, which is not its division's: the reciprocal of zero is NaN in both parts."""
    a, b = tf.math.real(x), tf.math.imag(x)
    wide = op("LessEqual")(x=op("Abs")(x=b), y=op("Abs")(x=a))
    top, bottom = select(wide, a, b), select(wide, b, a)
    ratio = op("RealDiv")(x=bottom, y=top)
    scale = op("AddV2")(x=top, y=op("Mul")(x=bottom, y=ratio))
    one = tf.ones_like(ratio)
    real, imag = select(wide, one, ratio), select(wide, ratio, one)
    return tf.complex(op("RealDiv")(x=real, y=scale), op("Neg")(x=op("RealDiv")(x=imag, y=scale)))


def _reciprocal(x: Any) -> Any:
    return op("RealDiv")(x=constant(1, x.dtype), y=x)


add = ufunc("numpy.add", {"?": either, "iuefc": raw("AddV2")})
subtract = ufunc("numpy.subtract", {"iuefc": raw("Sub")})
multiply = ufunc("numpy.multiply", {"?": both, "iuefc": raw("Mul")})
divide = true_divide = ufunc("numpy.divide", {"ef": raw("RealDiv"), "c": divide_complex})
floor_divide = ufunc("numpy.floor_divide", {"iu": _by_positive("FloorDiv", _first(_integer_divmod)), "f": _float_floor})
remainder = mod = ufunc(
    "numpy.remainder", {"iu": _by_positive("FloorMod", _second(_integer_divmod)), "f": _float_modulus}
)
divmod = ufunc("numpy.divmod", {"iu": _integer_divmod, "f": _float_divmod})
fmod = ufunc("numpy.fmod", {"iu": _second(_integer_quotient), "f": device_forms.fmod})
power = pow = ufunc("numpy.power", {"i": _integer_power, "u": _unsigned_power, "f": exact_floats.power})
float_power = ufunc("numpy.float_power", {"f": exact_floats.power})
modf = ufunc("numpy.modf", {"f": _modf})

maximum = ufunc(
    "numpy.maximum", {"?": either, "iu": raw("Maximum"), "ef": extreme("Maximum"), "c": _complex_extreme(True, True)}
)
minimum = ufunc(
    "numpy.minimum", {"?": both, "iu": raw("Minimum"), "ef": extreme("Minimum"), "c": _complex_extreme(False, True)}
)
fmax = ufunc(
    "numpy.fmax",
    {"?": either, "iu": raw("Maximum"), "ef": _ignoring_nan("Maximum"), "c": _complex_extreme(True, False)},
)
fmin = ufunc(
    "numpy.fmin", {"?": both, "iu": raw("Minimum"), "ef": _ignoring_nan("Minimum"), "c": _complex_extreme(False, False)}
)

absolute = abs = ufunc("numpy.absolute", {"?u": same, "ief": raw("Abs"), "c": exact_floats.complex_abs})
fabs = ufunc("numpy.fabs", {"ef": raw("Abs")})
negative = ufunc("numpy.negative", {"u": _unsigned_negative, "iefc": raw("Neg")})
positive = ufunc("numpy.positive", {"iuefc": same})
sign = ufunc("numpy.sign", {"u": _unsigned_sign, "i": raw("Sign"), "ef": _float_sign, "c": _complex_sign})
square = ufunc("numpy.square", {"iuefc": raw("Square")})
reciprocal = ufunc("numpy.reciprocal", {"ef": _reciprocal, "c": _complex_reciprocal})
conjugate = conj = ufunc("numpy.conjugate", {"iuef": same, "c": lambda x: op("Conj")(input=x)})


@exact("numpy.ndarray.conj", lambda x: np.asarray(x).conj())
def conjugated(x: Any) -> Any:
    """``x.conj()`` of an array: the array itself where it is real, bools included (``np.conj`` makes them int8)."""
    found = array(x)
    return op("Conj")(input=found) if found.dtype.is_complex else found


rint = ufunc("numpy.rint", {"ef": raw("Round")})
floor = ufunc("numpy.floor", {"?iu": same, "ef": raw("Floor")})
ceil = ufunc("numpy.ceil", {"?iu": same, "ef": raw("Ceil")})
trunc = ufunc("numpy.trunc", {"?iu": same, "ef": truncated})
