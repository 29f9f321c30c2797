"""Powers and lengths of pairs to NumPy's last bit."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import is_measured
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import constant, dtype_of, number_of
from np2tnp.runtime.base.tracing import current
from np2tnp.runtime.base.ufunc_tables import op

# --- Powers of real floats: whole numbers stay whole, so that ``(x ** 3).astype(int)`` is what it is in NumPy
#
# TensorFlow's ``Pow`` may be one unit in the last place off where the power is a number that the dtype holds: ``361.0
# ** 3`` is 47045880.99999999. Products and roots are not: they are rounded once, and exact where they can be.

#: The largest exponent that becomes products. Larger ones are exact for 0, 1, and powers of two alone.
_MOST = 63

#: The largest exponent of which the products' roundings stay within a few units in the last place.
_FEW = 8

#: Numbers of so many parts count as whole in short products.
_PARTS = 8


def power(x: Any, y: Any) -> Any:
    """``x ** y`` of tensors of one dtype, float32 or float64."""
    number = known_number(y)
    found = None if number is None else by_number(x, number)
    if found is not None:
        return found
    return _by_numbers(x, y) if number is None or number.is_integer() else op("Pow")(x=x, y=y)


def known_number(exponent: Any) -> float | None:
    """The number that a 0-d tensor of real floats is, if it is known: in a graph, a number in the program."""
    if exponent.shape.rank != 0 or not exponent.dtype.is_floating:
        return None
    if hasattr(exponent, "numpy"):
        return number_of(exponent)
    trace = current()
    opaque = None if trace is None else trace.opaque
    number = tf.get_static_value(exponent if opaque is None else opaque.source(exponent))
    return None if number is None else float(number)


def by_number(x: Any, exponent: float) -> Any:
    """``x ** exponent`` for an exponent of so many quarters; None for others."""
    size = abs(exponent)
    if not size <= _MOST or 4 * size != int(4 * size):
        return None
    if exponent == 0:
        return op("OnesLike")(x=x)
    if exponent == 1:
        return op("Identity")(input=x)  # an array of its own
    if exponent == 0.5:  # NumPy's short cut, which knows no root of -inf
        return op("Sqrt")(x=x)
    whole, quarters = divmod(int(4 * size), 4)
    base = x if quarters == 0 else _without_negative(x)
    result = _product(base, whole, _root(base, quarters))
    if exponent > 0 and whole <= _FEW:
        return result
    if exponent == -1:
        return _inverse(x)
    exact = _is_exact(x, result, _PARTS**whole if whole <= _FEW else 1)
    result = result if exponent > 0 else _inverse(result)
    return op("SelectV2")(condition=exact, t=result, e=_rounded(x, exponent))


def _inverse(x: Any) -> Any:
    """``1 / x``: TensorFlow's ``Reciprocal`` of float32 numbers is not rounded to the nearest, ``1 / -1`` included."""
    return op("RealDiv")(x=constant(1.0, x.dtype), y=x)


def _rounded(x: Any, exponent: float) -> Any:
    return op("Pow")(x=x, y=constant(exponent, x.dtype))


def _without_negative(x: Any) -> Any:
    """-inf has a power with a fraction, which is inf, and -0.0 has the one of 0.0; neither has such a root."""
    infinite = op("Equal")(x=x, y=constant(-math.inf, x.dtype))
    return op("SelectV2")(condition=infinite, t=constant(math.inf, x.dtype), e=x + constant(0.0, x.dtype))


def _root(x: Any, quarters: int) -> Any:
    """``x ** (quarters / 4)``; None for the power 0."""
    if quarters == 0:
        return None
    root = op("Sqrt")(x=x)
    if quarters == 2:
        return root
    fourth = op("Sqrt")(x=root)
    return fourth if quarters == 1 else op("Mul")(x=root, y=fourth)


def _product(x: Any, count: int, result: Any) -> Any:
    """So many `x`, multiplied with `result` (None: with nothing)."""
    factor = x
    while count:
        if count & 1:
            result = factor if result is None else op("Mul")(x=result, y=factor)
        count >>= 1
        if count:
            factor = op("Square")(x=factor)
    return result


def _is_exact(x: Any, product: Any, parts: int = 1) -> Any:
    """Where a product of `x` is exact: of whole numbers, or of numbers of parts, as long as the dtype holds them all.

    parts : of which the product is made.
    """
    limit = constant(2.0 ** (np.finfo(dtype_of(x)).nmant + 1) / parts, x.dtype)
    small = op("LessEqual")(x=op("Abs")(x=product), y=limit)
    scaled = x if parts == 1 else op("Mul")(x=x, y=constant(float(_PARTS), x.dtype))
    return op("LogicalAnd")(x=small, y=op("Equal")(x=scaled, y=op("Round")(x=scaled)))


def _by_numbers(x: Any, y: Any) -> Any:
    """``Pow``, but the product itself where whole numbers have whole exponents."""
    size = op("Abs")(x=y)
    few = op("LessEqual")(x=size, y=constant(float(_MOST), y.dtype))
    whole = op("LogicalAnd")(x=few, y=op("Equal")(x=size, y=op("Round")(x=size)))
    count = op("Cast")(x=op("SelectV2")(condition=whole, t=size, e=op("ZerosLike")(x=size)), DstT=tf.int32)
    one = constant(1.0, x.dtype)
    product, factor = one, x
    for bit in range(_MOST.bit_length()):
        masked = op("BitwiseAnd")(x=count, y=constant(1 << bit, tf.int32))
        chosen = op("NotEqual")(x=masked, y=constant(0, tf.int32))
        product = op("Mul")(x=product, y=op("SelectV2")(condition=chosen, t=factor, e=one))
        if bit + 1 < _MOST.bit_length():
            factor = op("Square")(x=factor)
    exact = op("LogicalAnd")(x=whole, y=_is_exact(x, product))
    exact = op("LogicalAnd")(x=exact, y=op("GreaterEqual")(x=op("Abs")(x=product), y=one))  # not 0, which has a sign
    inverse = op("Less")(x=y, y=constant(0.0, y.dtype))
    product = op("SelectV2")(condition=inverse, t=_inverse(product), e=product)
    found = op("Pow")(x=x, y=y)
    exact = op("LogicalAnd")(x=exact, y=op("NotEqual")(x=product, y=found))
    nothing = constant(-0.0, x.dtype)  # which added to -0.0 leaves it
    correction = op("SelectV2")(condition=exact, t=op("Sub")(x=product, y=found), e=nothing)
    return op("AddV2")(x=found, y=op("StopGradient")(input=correction))


# --- The length of a pair of numbers, ``np.hypot`` and the size of a complex number, to NumPy's last bit
#
# People take whole parts of lengths (every radial profile), so that one last digit decides where something is
# counted. C's ``hypot``, which NumPy calls, is exact where the length is a number that the dtype holds. The size of a
# complex number is not: NumPy has vector code for it, which depends on the machine.

#: Beyond these squares of float64 numbers leave its range, or lose digits: they are scaled by a power of two.
_LARGE, _TINY, _SCALE = 2.0**511, 2.0**-459, 2.0**600

#: So much smaller, a side adds nothing that its square could tell.
_NOTHING = 2.0**-54

#: Splits a float64 number into two of half the digits.
_SPLITTER = 2.0**27 + 1


def hypot(x: Any, y: Any) -> Any:
    """C's hypot of tensors of one dtype, float32 or float64."""
    if is_measured():  # C's own
        return op("ComplexAbs")(x=op("Complex")(real=x, imag=y, Tout=_complex(x)), Tout=x.dtype)
    if x.dtype == tf.float32:
        squares = (op("Square")(x=op("Cast")(x=side, DstT=tf.float64)) for side in (x, y))
        return _with_infinities(
            x, y, op("Cast")(x=_root_of_sum(op("AddV2")(x=next(squares), y=next(squares))), DstT=x.dtype)
        )
    large, small = _ordered(x, y)
    far = op("LessEqual")(x=small, y=large * constant(_NOTHING, x.dtype))
    scale = _select(op("Greater")(x=large, y=constant(_LARGE, x.dtype)), 1 / _SCALE, constant(1.0, x.dtype))
    scale = _select(op("Less")(x=small, y=constant(_TINY, x.dtype)), _SCALE, scale)
    length = _corrected(_select(far, 1.0, large * scale), _select(far, 0.0, small * scale)) / scale
    return _with_infinities(x, y, _select(far, large + small, length))


def complex_abs(z: Any) -> Any:
    """``np.abs`` of a complex tensor, as NumPy has it on this machine."""
    return _way(z.dtype.as_numpy_dtype)(tf.math.real(z), tf.math.imag(z))


def _complex(x: Any) -> Any:
    return tf.complex64 if x.dtype == tf.float32 else tf.complex128


def _select(condition: Any, yes: Any, no: Any) -> Any:
    yes = yes if hasattr(yes, "dtype") else constant(yes, no.dtype)
    return op("SelectV2")(condition=condition, t=yes, e=no)


def _root_of_sum(squares: Any) -> Any:
    """The square root, with a derivative at 0."""
    zero = op("Equal")(x=squares, y=constant(0.0, squares.dtype))
    return _select(zero, squares, op("Sqrt")(x=_select(zero, 1.0, squares)))


def _ordered(x: Any, y: Any) -> tuple[Any, Any]:
    """The larger and the smaller of the two sizes; NaN in either is both."""
    x, y = op("Abs")(x=x), op("Abs")(x=y)
    first = op("LogicalOr")(x=op("Greater")(x=x, y=y), y=op("IsNan")(x=x))
    other = op("LogicalOr")(x=op("Less")(x=x, y=y), y=op("IsNan")(x=x))
    return op("SelectV2")(condition=first, t=x, e=y), op("SelectV2")(condition=other, t=x, e=y)


def _with_infinities(x: Any, y: Any, length: Any) -> Any:
    infinite = op("LogicalOr")(x=op("IsInf")(x=x), y=op("IsInf")(x=y))
    return _select(infinite, math.inf, length)


def _corrected(x: Any, y: Any) -> Any:
    """The root of two squares, without the error of their sum: what C's library does for ``x >= y``."""
    length = op("Sqrt")(x=op("Square")(x=x) + op("Square")(x=y))
    near = length - y
    of_near = x * (2.0 * near - x) + (near - 2.0 * (x - y)) * near
    beyond = length - x
    of_beyond = 2.0 * beyond * (x - 2.0 * y) + ((4.0 * beyond - y) * y + beyond * beyond)
    error = _select(op("LessEqual")(x=length, y=2.0 * y), of_near, of_beyond) / (2.0 * length)
    return length - op("StopGradient")(input=error)


# --- the size of a complex number ----------------------------------------------------------------------------------


def _by_ratio(root: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """The larger part times a root: of 1 and the square of the ratio of the parts."""

    def run(x: Any, y: Any) -> Any:
        large, small = _ordered(x, y)
        zero = op("Equal")(x=large, y=constant(0.0, large.dtype))
        return _with_infinities(x, y, large * op("Sqrt")(x=root(small / _select(zero, 1.0, large))))

    return run


def _rounded_once(ratio: Any) -> Any:
    """``1 + ratio * ratio``, rounded once: the product and its error, and the sum and its error, added up."""
    if ratio.dtype == np.float32:
        wide = _as(ratio, np.float64)
        return _as(wide * wide + 1.0, np.float32)
    product = ratio * ratio
    upper = ratio * _SPLITTER
    upper = upper - (upper - ratio)
    lower = ratio - upper
    error = ((upper * upper - product) + 2.0 * upper * lower) + lower * lower
    total = product + 1.0
    return total + ((product - (total - 1.0)) + error)


def _rounded_twice(ratio: Any) -> Any:
    return ratio * ratio + np.float32(1.0) if ratio.dtype == np.float32 else ratio * ratio + 1.0


def _as(value: Any, dtype: Any) -> Any:
    return value.astype(dtype) if isinstance(value, np.ndarray) else op("Cast")(x=value, DstT=tf.as_dtype(dtype))


@functools.cache
def _way(dtype: Any) -> Callable[[Any, Any], Any]:
    """How NumPy computes the size of complex numbers of that dtype here: found out by asking it."""
    single = dtype == np.complex64
    long = np.repeat(np.arange(1, 60), 59).astype(np.float32 if single else np.float64)
    short = np.tile(np.arange(1, 60), 59).astype(long.dtype) / long.dtype.type(7)
    large, small = np.maximum(long, short), np.minimum(long, short)
    found = np.abs(long + (short * np.array(1j, dtype)).astype(dtype))
    for root in (_rounded_once, _rounded_twice):
        if np.array_equal(found, large * np.sqrt(root(small / large))):
            return _by_ratio(root)
    if np.array_equal(found, np.hypot(long, short)):
        return hypot
    return _unknown


def _unknown(x: Any, y: Any) -> Any:
    raise Unsupported("the size of complex numbers as NumPy computes it on this machine")
