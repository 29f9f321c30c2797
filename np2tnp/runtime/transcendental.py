"""Roots, exponentials, logarithms, trigonometric and hyperbolic ufuncs: within a few ULP of NumPy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from np2tnp.runtime.dispatch import is_measured
from np2tnp.runtime.elementwise import complex_nan, extreme, is_zero, select, with_sign
from np2tnp.runtime.errors import Unsupported
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.loops import op, raw, ufunc
from np2tnp.runtime.promotion import constant
from np2tnp.runtime.tracing import check, current

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
    "cbrt",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "exp",
    "exp2",
    "expm1",
    "hypot",
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


#: 1 / log(base), rounded once (``1 / math.log(10)`` is rounded twice, and the next float)
_LOG_OF_E = {2.0: 1.4426950408889634, 10.0: 0.4342944819032518}


def _exact_at_powers(base: float) -> Callable[[Any], Any]:
    """Logarithm to `base`, exact where the argument is an exact power: people take int(log2(n))."""

    def run(x: Any) -> Any:
        rough = _times(op("Log")(x=x), _LOG_OF_E[base])
        whole = op("Round")(x=rough)
        power = op("Pow")(x=constant(base, x.dtype), y=whole)
        correction = select(op("Equal")(x=power, y=x), op("Sub")(x=whole, y=rough), 0.0)
        correction = select(op("IsFinite")(x=correction), correction, 0.0)
        return op("AddV2")(x=rough, y=op("StopGradient")(input=correction))

    return run


def _natural_log(x: Any) -> Any:
    """Log of complex numbers. TensorFlow squares the parts, and gives NaN where that leaves the floats."""
    logarithm = op("Log")(x=x)
    real, imag = tf.math.real(x), tf.math.imag(x)
    whole = tf.complex(op("Log")(x=_hypot(real, imag)), op("Atan2")(y=imag, x=real))
    return select(complex_nan(logarithm), whole, logarithm)


def _complex_log(base: float) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        natural = _natural_log(x)  # scaled part by part: a complex factor would make NaN of infinity
        return tf.complex(*(_times(part(natural), _LOG_OF_E[base]) for part in (tf.math.real, tf.math.imag)))

    return run


def _complex_log1p(x: Any) -> Any:
    real, imag = tf.math.real(x), tf.math.imag(x)
    size = _hypot(real + 1, imag)
    return tf.complex(op("Log")(x=size), op("Atan2")(y=imag, x=real + 1))


def _complex_sqrt(x: Any) -> Any:
    root = op("Sqrt")(x=x)
    root = tf.complex(tf.math.real(root), with_sign(tf.math.imag(root), tf.math.imag(x)))  # TensorFlow's of -0.0 is 0.0
    if is_measured():
        return root
    infinite = op("LogicalOr")(x=op("IsInf")(x=tf.math.real(x)), y=op("IsInf")(x=tf.math.imag(x)))
    lost = op("LogicalAnd")(x=complex_nan(x), y=op("LogicalNot")(x=infinite))
    return select(lost, complex(math.nan, math.nan), root)  # XLA's of 0 + NaN i is 0


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


def _hypot(x: Any, y: Any) -> Any:
    x, y = op("Abs")(x=x), op("Abs")(x=y)
    large, small = extreme("Maximum")(x, y), extreme("Minimum")(x, y)
    ratio = small / select(is_zero(large), 1.0, large)
    length = large * op("Sqrt")(x=1 + ratio * ratio)
    infinite = op("LogicalOr")(x=op("IsInf")(x=x), y=op("IsInf")(x=y))
    return select(infinite, math.inf, length)


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
log2 = ufunc("numpy.log2", {"f": _exact_at_powers(2.0), "c": _complex_log(2.0)})
log10 = ufunc("numpy.log10", {"f": _exact_at_powers(10.0), "c": _complex_log(10.0)})
log1p = ufunc("numpy.log1p", {"f": raw("Log1p"), "c": _complex_log1p})

sin = ufunc("numpy.sin", _either_finite("Sin"))
cos = ufunc("numpy.cos", _either_finite("Cos"))
tan = ufunc("numpy.tan", _either_finite("Tan"))
arcsin = asin = ufunc("numpy.arcsin", _inverse("Asin"))
arccos = acos = ufunc("numpy.arccos", _inverse("Acos"))
arctan = atan = ufunc("numpy.arctan", _either_finite("Atan"))
sinh = ufunc("numpy.sinh", _either_finite("Sinh"))
cosh = ufunc("numpy.cosh", _either_finite("Cosh"))
tanh = ufunc("numpy.tanh", _either_finite("Tanh"))
arcsinh = asinh = ufunc("numpy.arcsinh", _inverse("Asinh"))
arccosh = acosh = ufunc("numpy.arccosh", _inverse("Acosh"))
arctanh = atanh = ufunc("numpy.arctanh", _either_finite("Atanh"))

arctan2 = atan2 = ufunc("numpy.arctan2", {"f": lambda y, x: op("Atan2")(y=y, x=x)})
hypot = ufunc("numpy.hypot", {"f": _hypot})
deg2rad = radians = ufunc("numpy.deg2rad", {"f": lambda x: _times(x, math.pi / 180)})
rad2deg = degrees = ufunc("numpy.rad2deg", {"f": lambda x: _times(x, 180 / math.pi)})
logaddexp = ufunc("numpy.logaddexp", {"f": _logaddexp(raw("Exp"), raw("Log1p"), math.log(2))})
logaddexp2 = ufunc(
    "numpy.logaddexp2", {"f": _logaddexp(_exp2, lambda x: _times(op("Log1p")(x=x), 1 / math.log(2)), 1.0)}
)
