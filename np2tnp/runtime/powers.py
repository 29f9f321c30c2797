"""Powers of real floats: whole numbers stay whole, so that ``(x ** 3).astype(int)`` is what it is in NumPy.

TensorFlow's ``Pow`` may be one unit in the last place off where the power is a number that the dtype holds:
``361.0 ** 3`` is 47045880.99999999. Products and roots are not: they are rounded once, and exact where they can be.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.lazy import tf
from np2tnp.runtime.loops import op
from np2tnp.runtime.promotion import constant, dtype_of
from np2tnp.runtime.tracing import current

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
        return float(exponent.numpy())
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
