"""The length of a pair of numbers, ``np.hypot`` and the size of a complex number, to NumPy's last bit.

People take whole parts of lengths (every radial profile), so that one last digit decides where something is counted.
C's ``hypot``, which NumPy calls, is exact where the length is a number that the dtype holds. The size of a complex
number is not: NumPy has vector code for it, which depends on the machine.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.dispatch import is_measured
from np2tnp.runtime.errors import Unsupported
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.loops import op
from np2tnp.runtime.promotion import constant

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
        return _with_infinities(x, y, op("Cast")(x=_root(op("AddV2")(x=next(squares), y=next(squares))), DstT=x.dtype))
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


def _root(squares: Any) -> Any:
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
