"""Roots, exponentials, logarithms, trigonometric and hyperbolic ufuncs: within a few ULP of NumPy's."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from np2tnp.runtime.base import exact_floats
from np2tnp.runtime.base.dispatch import as_tensor, exact, is_measured, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, constant, dtype_of
from np2tnp.runtime.base.shapes import require
from np2tnp.runtime.base.tracing import check, current
from np2tnp.runtime.base.ufunc_tables import op, raw, ufunc
from np2tnp.runtime.functions.math.elementwise import both, complex_nan, extreme, is_negative, select, with_sign

__all__ = [
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bartlett",
    "blackman",
    "cbrt",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "exp",
    "exp2",
    "expm1",
    "hamming",
    "hanning",
    "hypot",
    "kaiser",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "rad2deg",
    "radians",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


def _finite(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`run` for complex numbers; compiled, a call with infinite or NaN parts, of which XLA makes something else, is
    made again eagerly.
    """

    def checked(x: Any) -> Any:
        trace = current()
        if trace is not None and trace.mode == "xla":
            real, imag = op("IsFinite")(x=tf.math.real(x)), op("IsFinite")(x=tf.math.imag(x))
            check(tf.reduce_all(op("LogicalAnd")(x=real, y=imag)), "infinite complex numbers")
        return run(x)

    return checked


def _either_finite(name: str) -> dict[str, Callable[..., Any]]:
    """The table of a function that one raw operation computes for real and complex floats alike."""
    return {"f": raw(name), "c": _finite(raw(name))}


def _inverse(name: str) -> dict[str, Callable[..., Any]]:
    """The same for an inverse function: under XLA complex ones take another branch on the cuts."""

    def run(x: Any) -> Any:
        trace = current()
        if trace is not None and trace.mode == "xla":
            raise Unsupported(f"complex {name} under XLA")
        return op(name)(x=x)

    return {"f": raw(name), "c": run}


def _times(x: Any, factor: float) -> Any:
    return op("Mul")(x=x, y=constant(factor, x.dtype))


def _by_factor(function: Any) -> Callable[[Any], Any]:
    """A product with NumPy's own factor, which is rounded otherwise in float32."""
    return lambda x: _times(x, float(function(dtype_of(x).type(1))))


#: 1 / log(base), rounded once (``1 / math.log(10)`` is rounded twice, and the next float)
_LOG_OF_E = {2.0: 1.4426950408889634, 10.0: 0.4342944819032518}

#: Root of two: a number is at most this factor from a power of two.
_ROOT = math.sqrt(2)


def _next_to_powers(base: float) -> Callable[[Any], Any]:
    """Logarithm to `base`, from the power that is next to the number: people take ``int(log2(n))``."""
    rest = _beside_power_of_two if base == 2.0 else _beside_power_of_ten

    def run(x: Any) -> Any:
        rough = _times(op("Log")(x=x), _LOG_OF_E[base])
        normal = op("GreaterEqual")(x=x, y=constant(float(np.finfo(dtype_of(x)).tiny), x.dtype))
        usual = op("LogicalAnd")(x=normal, y=op("IsFinite")(x=rough))
        power, logarithm = rest(op("StopGradient")(input=select(usual, x, 1.0)), rough)
        exact = op("AddV2")(x=power, y=_times(logarithm, _LOG_OF_E[base]))
        return _corrected(rough, usual, exact)

    return run


def _beside_power_of_two(x: Any, rough: Any) -> tuple[Any, Any]:
    """The exponent of the power of two that is next to `x`, and the natural logarithm of what `x` is of it."""
    info, bits = np.finfo(dtype_of(x)), tf.int64 if x.dtype == tf.float64 else tf.int32
    pattern, digits = op("Bitcast")(input=x, type=bits), constant(info.nmant, bits)
    one = op("LeftShift")(x=constant(info.maxexp - 1, bits), y=digits)
    exponent = op("Sub")(x=op("RightShift")(x=pattern, y=digits), y=constant(info.maxexp - 1, bits))
    fraction = op("BitwiseAnd")(x=pattern, y=constant((1 << info.nmant) - 1, bits))
    part = op("Bitcast")(input=op("BitwiseOr")(x=fraction, y=one), type=x.dtype)
    beyond = op("Greater")(x=part, y=constant(_ROOT, x.dtype))
    power = op("AddV2")(x=cast(exponent, x.dtype), y=cast(beyond, x.dtype))
    return power, op("Log")(x=select(beyond, op("Mul")(x=part, y=constant(0.5, x.dtype)), part))


def _beside_power_of_ten(x: Any, rough: Any) -> tuple[Any, Any]:
    """The same for powers of ten."""
    most, powers, errors = _powers_of_ten(dtype_of(x))
    power = op("Round")(x=select(op("IsFinite")(x=rough), rough, 0.0))
    power = op("Maximum")(x=constant(float(-most), x.dtype), y=op("Minimum")(x=constant(float(most), x.dtype), y=power))
    place = op("AddV2")(x=cast(power, tf.int32), y=constant(most, tf.int32))
    next_to, error = tf.gather(powers, place), tf.gather(errors, place)
    ratio = op("RealDiv")(x=op("Sub")(x=x, y=next_to), y=next_to)
    return power, op("Log1p")(x=op("Sub")(x=ratio, y=error))


@functools.cache
def _powers_of_ten(dtype: np.dtype[Any]) -> tuple[int, np.ndarray, np.ndarray]:
    """The largest exponent, the powers of ten as they are rounded, and what rounding left of each, as a part of it."""
    most = int(np.finfo(dtype).maxexp * math.log10(2)) - 1
    powers = [Fraction(10) ** exponent for exponent in range(-most, most + 1)]
    rounded = np.array([float(power) for power in powers]).astype(dtype)
    errors = [(power - Fraction(float(near))) / power for power, near in zip(powers, rounded, strict=True)]
    return most, rounded, np.array([float(error) for error in errors]).astype(dtype)


def _natural_log(x: Any) -> Any:
    """Log of complex numbers. TensorFlow squares the parts, and gives NaN where that leaves the floats."""
    logarithm = op("Log")(x=x)
    real, imag = tf.math.real(x), tf.math.imag(x)
    whole = tf.complex(op("Log")(x=exact_floats.hypot(real, imag)), op("Atan2")(y=imag, x=real))
    return select(complex_nan(logarithm), whole, logarithm)


def _complex_log(base: float) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        natural = _natural_log(x)  # scaled part by part: a complex factor would make NaN of infinity
        return tf.complex(*(_times(part(natural), _LOG_OF_E[base]) for part in (tf.math.real, tf.math.imag)))

    return run


def _complex_log1p(x: Any) -> Any:
    real, imag = tf.math.real(x), tf.math.imag(x)
    size = exact_floats.hypot(real + 1, imag)
    return tf.complex(op("Log")(x=size), op("Atan2")(y=imag, x=real + 1))


def _complex_sqrt(x: Any) -> Any:
    if x.dtype == tf.complex64:  # NumPy's is exact where the root is, as C's library makes it
        return op("Cast")(x=_complex_sqrt(op("Cast")(x=x, DstT=tf.complex128)), DstT=tf.complex64)
    root = op("Sqrt")(x=x)
    root = tf.complex(tf.math.real(root), with_sign(tf.math.imag(root), tf.math.imag(x)))  # TensorFlow's of -0.0 is 0.0
    root = _root_by_parts(x, root)
    if is_measured():
        return root
    infinite = op("LogicalOr")(x=op("IsInf")(x=tf.math.real(x)), y=op("IsInf")(x=tf.math.imag(x)))
    lost = op("LogicalAnd")(x=complex_nan(x), y=op("LogicalNot")(x=infinite))
    return select(lost, complex(math.nan, math.nan), root)  # XLA's of 0 + NaN i is 0


def _root_by_parts(x: Any, root: Any) -> Any:
    """The complex root as C's library computes it, which XLA's own is next to."""
    real, imag = tf.math.real(x), tf.math.imag(x)
    size = op("Abs")(x=real)
    large = op("Sqrt")(x=0.5 * (exact_floats.hypot(real, imag) + size))
    usual = op("Less")(x=op("Abs")(x=large), y=constant(1e150, large.dtype))
    usual = both(usual, op("Greater")(x=large, y=constant(1e-150, large.dtype)))
    small = 0.5 * op("Abs")(x=imag) / select(usual, large, 1.0)
    small = select(op("Equal")(x=size, y=constant(0.0, size.dtype)), large, small)
    right = op("Greater")(x=real, y=constant(0.0, real.dtype))
    parts = select(right, large, small), with_sign(select(right, small, large), imag)
    found = (tf.math.real(root), tf.math.imag(root))
    return tf.complex(*(_corrected(one, usual, other) for one, other in zip(found, parts, strict=True)))


def _complex_exp(x: Any) -> Any:
    real, imag = tf.math.real(x), tf.math.imag(x)
    lost = op("LogicalAnd")(x=op("Equal")(x=real, y=constant(math.inf, real.dtype)), y=op("IsInf")(x=imag))
    return select(lost, complex(math.inf, math.nan), op("Exp")(x=x))  # TensorFlow's has either sign there


def _complex_expm1(x: Any) -> Any:
    real, imag = tf.math.real(x), tf.math.imag(x)
    half = op("Sin")(x=imag / 2)
    return tf.complex(op("Expm1")(x=real) * op("Cos")(x=imag) - 2 * half * half, op("Exp")(x=real) * op("Sin")(x=imag))


def _exp2(x: Any) -> Any:
    return op("Pow")(x=constant(2.0, x.dtype), y=x)


def _cbrt(x: Any) -> Any:
    size = op("Abs")(x=x)
    rough = op("Pow")(x=size, y=constant(1 / 3, x.dtype))
    # one Newton step: 1/3 is not a float, which costs dozens of ULP on large numbers
    better = rough - (rough - size / (rough * rough)) / 3
    return with_sign(select(op("IsFinite")(x=better), better, rough), x)


def _at_diagonal(x: Any, y: Any) -> Any:
    """``arctan2(y, x)``, with NumPy's values on the diagonals: edges are sorted into octants by them."""
    angle = op("Atan2")(y=y, x=x)
    diagonal = both(op("Equal")(x=op("Abs")(x=x), y=op("Abs")(x=y)), op("NotEqual")(x=x, y=constant(0.0, x.dtype)))
    exact = with_sign(select(is_negative(x), constant(3 * math.pi / 4, x.dtype), math.pi / 4), y)
    return _corrected(angle, diagonal, exact)


def _arctan(x: Any) -> Any:
    one = op("Equal")(x=op("Abs")(x=x), y=constant(1.0, x.dtype))
    return _corrected(op("Atan")(x=x), one, op("Mul")(x=x, y=constant(math.pi / 4, x.dtype)))


def _corrected(found: Any, where: Any, exact: Any) -> Any:
    """`found`, and its derivative, but `exact`, which is next to it, in some places."""
    where = both(where, op("NotEqual")(x=exact, y=found))
    correction = select(where, op("Sub")(x=exact, y=found), -0.0)  # which added to -0.0 leaves it
    return op("AddV2")(x=found, y=op("StopGradient")(input=correction))


def _logaddexp(exp: Callable[[Any], Any], log1p: Callable[[Any], Any], log_of_two: float) -> Callable[[Any, Any], Any]:
    def run(x: Any, y: Any) -> Any:
        larger = extreme("Maximum")(x, y)
        equal = op("Equal")(x=x, y=y)
        gap = select(equal, 0.0, op("Abs")(x=op("Sub")(x=x, y=y)))
        return select(equal, larger + log_of_two, larger + log1p(exp(op("Neg")(x=gap))))

    return run


sqrt = ufunc("numpy.sqrt", {"f": raw("Sqrt"), "c": _finite(_complex_sqrt)})
cbrt = ufunc("numpy.cbrt", {"f": _cbrt})
exp = ufunc("numpy.exp", {"f": raw("Exp"), "c": _finite(_complex_exp)})
exp2 = ufunc("numpy.exp2", {"f": _exp2})
expm1 = ufunc("numpy.expm1", {"f": raw("Expm1"), "c": _complex_expm1})
log = ufunc("numpy.log", {"f": raw("Log"), "c": _natural_log})
log2 = ufunc("numpy.log2", {"f": _next_to_powers(2.0), "c": _complex_log(2.0)})
log10 = ufunc("numpy.log10", {"f": _next_to_powers(10.0), "c": _complex_log(10.0)})
log1p = ufunc("numpy.log1p", {"f": raw("Log1p"), "c": _complex_log1p})

sin = ufunc("numpy.sin", _either_finite("Sin"))
cos = ufunc("numpy.cos", _either_finite("Cos"))
tan = ufunc("numpy.tan", _either_finite("Tan"))
arcsin = asin = ufunc("numpy.arcsin", _inverse("Asin"))
arccos = acos = ufunc("numpy.arccos", _inverse("Acos"))
arctan = atan = ufunc("numpy.arctan", {"f": _arctan, "c": _finite(raw("Atan"))})
sinh = ufunc("numpy.sinh", _either_finite("Sinh"))
cosh = ufunc("numpy.cosh", _either_finite("Cosh"))
tanh = ufunc("numpy.tanh", _either_finite("Tanh"))
arcsinh = asinh = ufunc("numpy.arcsinh", _inverse("Asinh"))
arccosh = acosh = ufunc("numpy.arccosh", _inverse("Acosh"))
arctanh = atanh = ufunc("numpy.arctanh", _either_finite("Atanh"))

arctan2 = atan2 = ufunc("numpy.arctan2", {"f": lambda y, x: _at_diagonal(x, y)})
hypot = ufunc("numpy.hypot", {"f": exact_floats.hypot})
deg2rad = radians = ufunc("numpy.deg2rad", {"f": _by_factor(np.deg2rad)})
rad2deg = degrees = ufunc("numpy.rad2deg", {"f": _by_factor(np.rad2deg)})
logaddexp = ufunc("numpy.logaddexp", {"f": _logaddexp(raw("Exp"), raw("Log1p"), math.log(2))})
logaddexp2 = ufunc(
    "numpy.logaddexp2", {"f": _logaddexp(_exp2, lambda x: _times(op("Log1p")(x=x), 1 / math.log(2)), 1.0)}
)

# --- Window functions. They depend on a Python number only, so NumPy itself makes the constant, exact to the last bit


def _constant(function: Any, *numbers: Any) -> Any:
    require(not any(is_tensor(number) for number in numbers), "a tensor as a parameter")
    return as_tensor(function(*numbers))


@exact("numpy.bartlett")
def bartlett(M: Any) -> Any:  # noqa: N803 - NumPy's parameter name
    """``np.bartlett``: float64."""
    return _constant(np.bartlett, M)


@exact("numpy.blackman")
def blackman(M: Any) -> Any:  # noqa: N803
    """``np.blackman``: float64."""
    return _constant(np.blackman, M)


@exact("numpy.hamming")
def hamming(M: Any) -> Any:  # noqa: N803
    """``np.hamming``: float64."""
    return _constant(np.hamming, M)


@exact("numpy.hanning")
def hanning(M: Any) -> Any:  # noqa: N803
    """``np.hanning``: float64."""
    return _constant(np.hanning, M)


@exact("numpy.kaiser")
def kaiser(M: Any, beta: Any) -> Any:  # noqa: N803
    """``np.kaiser``: float64."""
    return _constant(np.kaiser, M, beta)
