"""Comparisons, truth, and tests of floats (NaN, infinite): ufuncs whose results are bool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, constant
from np2tnp.runtime.base.tracing import current
from np2tnp.runtime.base.ufunc_tables import op, raw, ufunc
from np2tnp.runtime.functions.math.elementwise import (
    absolute,
    add,
    both,
    complex_less,
    either,
    is_negative,
    multiply,
    subtract,
)
from np2tnp.runtime.symbols.python_number import Weak

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "equal",
    "greater",
    "greater_equal",
    "isclose",
    "iscomplex",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
    "signbit",
]


def truth(x: Any) -> Any:
    """``bool(x)`` elementwise: NaN is true, and a complex number with any part."""
    return x if x.dtype == tf.bool else op("NotEqual")(x=x, y=constant(0, x.dtype))


def not_(x: Any) -> Any:
    """Elementwise ``not`` of a bool tensor."""
    return op("LogicalNot")(x=x)


def _bool_less(x: Any, y: Any) -> Any:
    return both(not_(x), y)


def _bool_less_equal(x: Any, y: Any) -> Any:
    return either(not_(x), y)


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: function(y, x)


def _mixed_less(x: Any, y: Any) -> Any:
    """``x < y`` where one is int64 and the other uint64: no common integer dtype holds both."""
    if x.dtype == tf.uint64:
        return both(not_(is_negative(y)), op("Less")(x=x, y=cast(y, tf.uint64)))
    return either(is_negative(x), op("Less")(x=cast(x, tf.uint64), y=y))


def _mixed_equal(x: Any, y: Any) -> Any:
    signed = y if x.dtype == tf.uint64 else x
    return both(not_(is_negative(signed)), op("Equal")(x=cast(x, tf.uint64), y=cast(y, tf.uint64)))


def _equal(x: Any, y: Any) -> Any:
    return op("Equal")(x=x, y=y)


def _order(name: str, of_bool: Callable[..., Any], mixed: Callable[..., Any], of_complex: Callable[..., Any]) -> Any:
    return {"?": of_bool, "iuef": raw(name), "m": mixed, "c": of_complex}


def _at_most(x: Any, y: Any) -> Any:
    return complex_less(x, y, strict=False)


_DIFFER = {"?iuefc": raw("NotEqual"), "m": lambda x, y: not_(_mixed_equal(x, y))}

equal = ufunc("numpy.equal", {"?iuefc": _equal, "m": _mixed_equal}, comparison=True)
not_equal = ufunc("numpy.not_equal", _DIFFER, comparison=True)
less = ufunc("numpy.less", _order("Less", _bool_less, _mixed_less, complex_less), comparison=True)
greater = ufunc(
    "numpy.greater",
    _order("Greater", _swapped(_bool_less), _swapped(_mixed_less), _swapped(complex_less)),
    comparison=True,
)
less_equal = ufunc(
    "numpy.less_equal",
    _order("LessEqual", _bool_less_equal, lambda x, y: not_(_mixed_less(y, x)), _at_most),
    comparison=True,
)
greater_equal = ufunc(
    "numpy.greater_equal",
    _order("GreaterEqual", _swapped(_bool_less_equal), lambda x, y: not_(_mixed_less(x, y)), _swapped(_at_most)),
    comparison=True,
)


def _of_truth(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *operands: function(*(truth(x) for x in operands))


_ANY = "?iuefcm"
logical_and = ufunc("numpy.logical_and", {_ANY: _of_truth(both)})
logical_or = ufunc("numpy.logical_or", {_ANY: _of_truth(either)})
logical_xor = ufunc("numpy.logical_xor", {_ANY: _of_truth(raw("NotEqual"))})
logical_not = ufunc("numpy.logical_not", {_ANY: _of_truth(not_)})


def _never(x: Any) -> Any:
    return tf.zeros(op("Shape")(input=x), tf.bool)


def _always(x: Any) -> Any:
    return tf.ones(op("Shape")(input=x), tf.bool)


def _any_part(name: str) -> Callable[[Any], Any]:
    return lambda x: either(op(name)(x=tf.math.real(x)), op(name)(x=tf.math.imag(x)))


def _all_parts(name: str) -> Callable[[Any], Any]:
    return lambda x: both(op(name)(x=tf.math.real(x)), op(name)(x=tf.math.imag(x)))


isnan = ufunc("numpy.isnan", {"?iu": _never, "ef": raw("IsNan"), "c": _any_part("IsNan")})
isinf = ufunc("numpy.isinf", {"?iu": _never, "ef": raw("IsInf"), "c": _any_part("IsInf")})
isfinite = ufunc("numpy.isfinite", {"?iu": _always, "ef": raw("IsFinite"), "c": _all_parts("IsFinite")})
signbit = ufunc("numpy.signbit", {"ef": is_negative})


def _infinite_with_sign(x: Any, out: Any, negative: bool) -> Any:
    if out is not None:
        raise TypeError("out: NumPy computes")
    found = array(x)
    if found.dtype.is_complex:
        raise TypeError("complex")
    side = is_negative(found) if found.dtype.is_floating else _never(found)
    return both(isinf(found), side if negative else not_(side))


@exact("numpy.isneginf")
def isneginf(x: Any, out: Any = None) -> Any:
    """Whether each element is -inf: bool, of the shape of `x`."""
    return _infinite_with_sign(x, out, negative=True)


@exact("numpy.isposinf")
def isposinf(x: Any, out: Any = None) -> Any:
    """Whether each element is +inf: bool, of the shape of `x`."""
    return _infinite_with_sign(x, out, negative=False)


@exact("numpy.iscomplex")
def iscomplex(x: Any) -> Any:
    """Whether each element has an imaginary part other than zero: bool, of the shape of `x`."""
    found = array(x)
    return truth(tf.math.imag(found)) if found.dtype.is_complex else _never(found)


@exact("numpy.isreal")
def isreal(x: Any) -> Any:
    """Whether each element's imaginary part is zero: bool, of the shape of `x`, and Python's for a number of Python."""
    if _is_number(x):
        return x.imag == 0
    found = array(x)
    return not_(truth(tf.math.imag(found))) if found.dtype.is_complex else _always(found)


@exact("numpy.isclose")
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """Whether ``|a - b| <= atol + rtol * |b|``, elementwise; infinities equal only themselves. Returns bool."""
    x, y = array(a) if not _is_number(a) else a, array(b) if not _is_number(b) else b
    if hasattr(y, "dtype"):
        y = cast(y, np.result_type(y.dtype.as_numpy_dtype, 1.0))
    elif isinstance(y, int):
        y = float(y)
    size = abs(y) if _is_number(y) else absolute(y)  # a number of Python's has no dtype: its bound has none, either
    bound = atol + rtol * size if all(map(_is_number, (size, atol, rtol))) else add(atol, multiply(rtol, size))
    near = less_equal(absolute(subtract(x, y)), bound)
    close = either(both(near, isfinite(y)), equal(x, y))
    return either(close, both(isnan(x), isnan(y))) if equal_nan else close


def _is_number(value: Any) -> bool:
    return type(value) in (bool, int, float, complex)


@exact("numpy.allclose")
def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """Whether all elements are close, as :func:`isclose`: a 0-d bool (``bool`` in eager mode, as NumPy's)."""
    return _verdict(tf.reduce_all(isclose(a, b, rtol, atol, equal_nan)))


def _verdict(tensor: Any) -> Any:
    if tf.executing_eagerly():
        return bool(tensor)
    return tensor if current() is None else Weak(bool, tensor)


@exact("numpy.array_equal")
def array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> Any:
    """Whether shapes and all elements are equal: ``bool`` in eager mode, a 0-d tensor while tracing."""
    x, y = array(a1), array(a2)
    if x.shape.rank != y.shape.rank or not x.shape.is_compatible_with(y.shape):
        return False

    def are_same() -> Any:
        same = equal(x, y)
        if equal_nan:
            same = either(same, both(isnan(x), isnan(y)))
        return tf.reduce_all(same)

    if _is_known(x, y):
        return _verdict(are_same())
    return _verdict(tf.cond(tf.reduce_all(tf.equal(tf.shape(x), tf.shape(y))), are_same, lambda: tf.constant(False)))


def _is_known(*tensors: Any) -> bool:
    """Whether the shapes are; of others the ranks must be."""
    if any(tensor.shape.rank is None for tensor in tensors):
        raise Unsupported("a tensor of unknown rank")
    return all(tensor.shape.is_fully_defined() for tensor in tensors)


@exact("numpy.array_equiv")
def array_equiv(a1: Any, a2: Any) -> Any:
    """Whether the arrays broadcast together and are equal: ``bool`` in eager mode, a 0-d tensor while tracing."""
    x, y = array(a1), array(a2)
    try:
        tf.broadcast_static_shape(x.shape, y.shape)
    except ValueError:
        return False
    if _is_known(x, y):
        return _verdict(tf.reduce_all(equal(x, y)))
    rank = max(x.shape.rank, y.shape.rank)
    one, two = (tf.pad(tf.shape(t), [[rank - t.shape.rank, 0]], constant_values=1) for t in (x, y))
    together = tf.reduce_all(either(tf.equal(one, two), either(tf.equal(one, 1), tf.equal(two, 1))))
    return _verdict(tf.cond(together, lambda: tf.reduce_all(equal(x, y)), lambda: tf.constant(False)))
