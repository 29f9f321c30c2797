"""Work on bits: ufuncs on them, parts of floating-point numbers, bits in bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.gradients import is_followed
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, constant, numpy_dtype
from np2tnp.runtime.base.shapes import as_index, must_hold, normal_axis, rank_of, require, shape_of
from np2tnp.runtime.base.ufunc_tables import op, raw, ufunc
from np2tnp.runtime.functions.axes import flat
from np2tnp.runtime.functions.math.comparisons import truth
from np2tnp.runtime.functions.math.elementwise import both, either, is_negative, is_zero, select, with_sign

__all__ = [
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "copysign",
    "frexp",
    "gcd",
    "heaviside",
    "invert",
    "lcm",
    "ldexp",
    "left_shift",
    "nextafter",
    "packbits",
    "right_shift",
    "spacing",
    "unpackbits",
]


# --- Ufuncs that work on bits: bitwise operations, shifts, and the parts of floating-point numbers

#: float dtype name -> (integer of the same width, bits of the fraction, exponent bias)
_LAYOUT = {"float32": ("int32", 23, 126), "float64": ("int64", 52, 1022)}

#: float dtype name -> (integer of the same width, bits of the fraction)
_FRACTIONS = {"float16": ("int16", 10), "float32": ("int32", 23), "float64": ("int64", 52)}


def _shift(name: str) -> Callable[[Any, Any], Any]:
    """NumPy's shifts: a count outside the width gives 0, or -1 for a negative number shifted right."""

    def run(x: Any, y: Any) -> Any:
        width = constant(x.dtype.size * 8, y.dtype)
        inside = op("Less")(x=y, y=width)
        if not y.dtype.is_unsigned:
            inside = both(inside, op("GreaterEqual")(x=y, y=constant(0, y.dtype)))
        shifted = op(name)(x=x, y=select(inside, y, 0))
        if name == "RightShift" and not x.dtype.is_unsigned:
            beyond = op("Neg")(x=cast(is_negative(x), x.dtype))
        else:
            beyond = op("ZerosLike")(x=x)
        return select(inside, shifted, beyond)

    return run


def _count(x: Any) -> Any:
    size = x if x.dtype.is_unsigned else op("Abs")(x=x)
    return op("PopulationCount")(x=size)


def _next_after(x: Any, y: Any) -> Any:
    return op("NextAfter")(x1=x, x2=y)


def _missing(*operands: Any) -> Any:
    raise Unsupported("float16")


def _spacing(x: Any) -> Any:
    """From the exponent's bits alone: float arithmetic would flush the subnormal ones to zero.

    NumPy's is the distance to the next number away from zero, with the number's sign; in half precision to the next
    greater one.
    """
    integer, fraction_bits = _FRACTIONS[x.dtype.name]
    bits = op("Bitcast")(input=x, type=tf.as_dtype(integer))

    def whole(number: int) -> Any:
        return constant(number, bits.dtype)

    size = op("BitwiseAnd")(x=bits, y=whole(bits.dtype.max))
    sign = op("BitwiseXor")(x=bits, y=size)
    low = size
    if x.dtype == tf.float16:
        low = op("Sub")(x=size, y=select(both(is_negative(x), op("Greater")(x=size, y=whole(0))), whole(1), 0))
        sign = whole(0)
    exponent = op("RightShift")(x=low, y=whole(fraction_bits))
    normal = op("LeftShift")(
        x=op("Maximum")(x=op("Sub")(x=exponent, y=whole(fraction_bits)), y=whole(0)), y=whole(fraction_bits)
    )
    place = op("Minimum")(x=op("Maximum")(x=op("Sub")(x=exponent, y=whole(1)), y=whole(0)), y=whole(fraction_bits - 1))
    gap = select(op("Greater")(x=exponent, y=whole(fraction_bits)), normal, op("LeftShift")(x=whole(1), y=place))
    infinite = ((bits.dtype.max >> fraction_bits) + 1 << fraction_bits) - (1 << fraction_bits)
    gap = select(op("Equal")(x=low, y=whole(infinite - 1)), infinite, gap)  # beyond the greatest number is infinity
    gap = select(op("GreaterEqual")(x=size, y=whole(infinite)), infinite + 1, gap)  # NaN
    signed = op("BitwiseOr")(x=gap, y=select(op("Equal")(x=size, y=whole(0)), 0, sign))
    return op("Bitcast")(input=signed, type=x.dtype)


def _frexp(x: Any) -> tuple[Any, Any]:
    integer, fraction_bits, bias = _LAYOUT[x.dtype.name]
    bits = op("Bitcast")(input=x, type=tf.as_dtype(integer))

    def whole(number: int) -> Any:
        return constant(number, bits.dtype)

    mask = (1 << (x.dtype.size * 8 - 1 - fraction_bits)) - 1
    field = op("BitwiseAnd")(x=op("RightShift")(x=bits, y=whole(fraction_bits)), y=whole(mask))
    kept = op("BitwiseAnd")(x=bits, y=whole(~(mask << fraction_bits)))
    mantissa = op("Bitcast")(input=op("BitwiseOr")(x=kept, y=whole(bias << fraction_bits)), type=x.dtype)
    special = either(is_zero(x), op("LogicalNot")(x=op("IsFinite")(x=x)))
    exponent = cast(op("Sub")(x=field, y=whole(bias)), tf.int32)
    if is_followed(x):  # bits have no derivative, the same product has
        mantissa = _scaled(x, op("Neg")(x=exponent))
    return select(special, x, mantissa), select(special, 0, exponent)


def _heaviside(x: Any, y: Any) -> Any:
    step = select(is_zero(x), y, cast(op("Greater")(x=x, y=constant(0, x.dtype)), x.dtype))
    return select(op("IsNan")(x=x), x, step)


def _sizes(x: Any, y: Any) -> tuple[Any, Any]:
    """The absolute values, unsigned: the lowest integer has one too."""
    if x.dtype.is_unsigned:
        return x, y
    unsigned = tf.as_dtype("u" + x.dtype.name)
    size_x, size_y = (op("Cast")(x=op("Abs")(x=v), DstT=unsigned) for v in (x, y))
    return size_x, size_y


def _greatest_divisor(x: Any, y: Any) -> Any:
    a, b = _sizes(x, y)
    return op("Cast")(x=_euclid(a, b), DstT=x.dtype)


def _euclid(x: Any, y: Any) -> Any:
    shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))
    static = tf.broadcast_static_shape(x.shape, y.shape)
    x, y = (tf.ensure_shape(tf.broadcast_to(v, shape), static) for v in (x, y))

    def step(a: Any, b: Any) -> tuple[Any, Any]:
        done = is_zero(b)
        safe = select(done, 1, b)
        left = op("Sub")(x=a, y=op("Mul")(x=op("TruncateDiv")(x=a, y=safe), y=safe))
        return select(done, a, b), select(done, b, left)

    return tf.while_loop(lambda a, b: tf.reduce_any(tf.not_equal(b, constant(0, b.dtype))), step, (x, y))[0]


def _least_multiple(x: Any, y: Any) -> Any:
    a, b = _sizes(x, y)
    divisor = _euclid(a, b)
    safe = select(is_zero(divisor), 1, divisor)
    return op("Cast")(x=op("Mul")(x=op("TruncateDiv")(x=a, y=safe), y=b), DstT=x.dtype)


def _scaled(x: Any, exponent: Any) -> Any:
    """``x * 2**exponent`` in three steps, since one power of two that large may not exist."""
    wide = cast(x, tf.float32) if x.dtype == tf.float16 else x
    most = 3000 if wide.dtype == tf.float64 else 360  # more than any number needs, and a third of it is a number
    left = cast(tf.clip_by_value(exponent, -most, most), tf.float64)
    for parts in (3.0, 2.0, 1.0):
        step = op("Round")(x=left / parts)
        wide = op("Mul")(x=wide, y=cast(op("Pow")(x=constant(2.0, tf.float64), y=step), wide.dtype))
        left = op("Sub")(x=left, y=step)
    return cast(wide, x.dtype)


bitwise_and = ufunc("numpy.bitwise_and", {"?": both, "iu": raw("BitwiseAnd")})
bitwise_or = ufunc("numpy.bitwise_or", {"?": either, "iu": raw("BitwiseOr")})
bitwise_xor = ufunc("numpy.bitwise_xor", {"?": raw("NotEqual"), "iu": raw("BitwiseXor")})
invert = bitwise_not = bitwise_invert = ufunc("numpy.invert", {"?": raw("LogicalNot"), "iu": raw("Invert")})
left_shift = bitwise_left_shift = ufunc("numpy.left_shift", {"iu": _shift("LeftShift")})
right_shift = bitwise_right_shift = ufunc("numpy.right_shift", {"iu": _shift("RightShift")})
bitwise_count = ufunc("numpy.bitwise_count", {"iu": _count})

copysign = ufunc("numpy.copysign", {"ef": with_sign})
nextafter = ufunc("numpy.nextafter", {"f": _next_after, "e": _missing})
spacing = ufunc("numpy.spacing", {"ef": _spacing})
frexp = ufunc("numpy.frexp", {"f": _frexp})
heaviside = ufunc("numpy.heaviside", {"f": _heaviside})
gcd = ufunc("numpy.gcd", {"iu": _greatest_divisor})
lcm = ufunc("numpy.lcm", {"iu": _least_multiple})
ldexp = ufunc("numpy.ldexp", {"m": _scaled})


# --- Bits in bytes, and bytes in numbers: packbits, unpackbits, and arrays as their bytes inside graphs

#: The place of each bit in its byte, as a power of two.
_PLACES = {"big": np.arange(7, -1, -1), "little": np.arange(8)}


def _with_last(tensor: Any, axis: Any) -> tuple[Any, list[int]]:
    """The tensor with `axis` as its last, and the order of axes that undoes it; without `axis` it is flattened."""
    if axis is None or rank_of(tensor) == 0:
        if axis is not None:
            normal_axis(axis, 1)
        return flat(tensor), [0]
    rank, index = rank_of(tensor), normal_axis(axis, rank_of(tensor))
    back = [*range(index), rank - 1, *range(index, rank - 1)]
    return tf.transpose(tensor, [*(i for i in range(rank) if i != index), index]), back


def _lengthened(tensor: Any, missing: Any) -> Any:
    """The tensor with so many zeros after its last axis."""
    zeros = tf.zeros(tf.concat([tf.shape(tensor)[:-1], [missing]], 0), tensor.dtype)
    return tf.concat([tensor, zeros], -1)


def _last(tensor: Any) -> Any:
    """The length of the last axis: an int, or an int32 tensor where tracing does not know it."""
    return tf.shape(tensor)[-1] if tensor.shape[-1] is None else tensor.shape[-1]


@exact("numpy.packbits")
def packbits(a: Any, /, axis: Any = None, bitorder: Any = "big") -> Any:
    """``np.packbits``: uint8, eight truth values of an axis (of all, flattened, without one) in each."""
    tensor = as_tensor(a)
    require(tensor.dtype == tf.bool or tensor.dtype.is_integer, "dtype")
    require(bitorder in _PLACES, "bitorder")
    bits, back = _with_last(tf.cast(truth(tensor), tf.uint8), axis)
    bits = _lengthened(bits, -_last(bits) % 8)
    count = _last(bits) // 8
    parts = tf.reshape(bits, tf.concat([tf.shape(bits)[:-1], [count, 8]], 0))
    powers = tf.constant((1 << _PLACES[bitorder]).astype(np.int32))
    packed = tf.cast(tf.reduce_sum(tf.multiply(tf.cast(parts, tf.int32), powers), -1), tf.uint8)
    return tf.transpose(packed, back)


@exact("numpy.unpackbits")
def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: Any = "big") -> Any:
    """``np.unpackbits``: the bits of uint8 along an axis (of all, flattened, without one), `count` of them."""
    tensor = as_tensor(a)
    require(tensor.dtype == tf.uint8, "dtype")
    require(bitorder in _PLACES, "bitorder")
    numbers, back = _with_last(tensor, axis)
    places = tf.constant(_PLACES[bitorder].astype(np.uint8))
    bits = tf.bitwise.bitwise_and(tf.bitwise.right_shift(tf.expand_dims(numbers, -1), places), tf.constant(1, tf.uint8))
    bits = tf.reshape(bits, tf.concat([tf.shape(numbers)[:-1], [_last(numbers) * 8]], 0))
    if count is not None:
        bits = _counted(bits, as_index(count))
    return tf.transpose(bits, back)


def _counted(bits: Any, count: int) -> Any:
    """So many bits of the last axis, or without so many of the last; zeros after them where there are less."""
    length = _last(bits)
    if count < 0:
        enough = length + count >= 0
        if isinstance(enough, bool):
            require(enough, "count")
        else:
            must_hold(enough, "count larger than the number of bits")
        return bits[..., : length + count]
    require(0 not in bits.shape, "bits of nothing")  # NumPy may show memory as it was
    if not bits.shape.is_fully_defined():
        must_hold(tf.greater(tf.size(bits), 0), "bits of nothing")
    return _lengthened(bits, count)[..., :count]


def as_bytes(tensor: Any) -> Any:
    """The bytes of each number, on a new last axis of uint8."""
    if tensor.dtype == tf.bool:
        return tf.expand_dims(tf.cast(tensor, tf.uint8), -1)
    if tensor.dtype.size == 1:
        return tf.expand_dims(tf.bitcast(tensor, tf.uint8), -1)
    return tf.bitcast(tensor, tf.uint8)


def from_bytes(data: Any, dtype: np.dtype[Any]) -> Any:
    """The numbers of which the last axis of `data` (uint8) holds the bytes. Raises Unsupported for bools."""
    require(dtype.kind in "iufc" and dtype.isnative, "bytes of other values than numbers")
    if dtype.itemsize == 1:
        return tf.bitcast(tf.squeeze(data, -1), tf.as_dtype(dtype))
    data = tf.ensure_shape(data, [*data.shape[:-1], dtype.itemsize])
    return tf.bitcast(data, tf.as_dtype(dtype))


def swapped(tensor: Any) -> Any:
    """The numbers with the order of their bytes reversed, each part of a complex one by itself."""
    dtype = numpy_dtype(tensor.dtype)
    if dtype.itemsize == 1:
        return tf.identity(tensor)
    data = as_bytes(tensor)
    parts = 2 if dtype.kind == "c" else 1
    apart = tf.reshape(data, tf.concat([tf.shape(tensor), [parts, dtype.itemsize // parts]], 0))
    return from_bytes(tf.reshape(tf.reverse(apart, [-1]), shape_of(data)), dtype)


def part(tensor: Any, dtype: np.dtype[Any], offset: int) -> Any:
    """The numbers of `dtype` that begin at byte `offset` of each number."""
    if dtype == numpy_dtype(tensor.dtype):
        return tf.identity(tensor)
    return from_bytes(as_bytes(tensor)[..., offset : offset + dtype.itemsize], dtype)


def with_part(tensor: Any, values: Any, offset: int) -> Any:
    """The tensor with `values` written over the bytes from `offset` on of each number."""
    values = tf.broadcast_to(values, tf.shape(tensor))
    if values.dtype == tensor.dtype:
        return tf.identity(values)
    data, new = as_bytes(tensor), as_bytes(values)
    size = new.shape[-1]
    parts = [data[..., :offset], new, data[..., offset + size :]]
    return from_bytes(tf.concat(parts, -1), numpy_dtype(tensor.dtype))
