"""Reductions: sums, products, extremes, means, spreads, truth, and running sums.

All take ``axis`` (None, int, tuple, negative), ``dtype``, ``keepdims``, ``initial`` and ``where`` where NumPy's do, and
return tensors: 0-d when all axes are reduced. Sums may differ from NumPy's pairwise summation in the last digits.
"""

from __future__ import annotations

import builtins
import functools
import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, is_measured, is_tracing
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.gradients import is_followed
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, constant, dtype_of, float_dtype, requested_dtype
from np2tnp.runtime.base.shapes import is_all_finite
from np2tnp.runtime.base.tracing import current
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.compile.xla.fused_forms import shortened, summed
from np2tnp.runtime.compile.xla.materialize import is_large
from np2tnp.runtime.functions.axes import (
    UNSET,
    as_scalar,
    count_along,
    keeps,
    mask_for,
    normal_axes,
    rank_of,
    reduce_with,
    refuse_empty,
    refuse_out,
)
from np2tnp.runtime.functions.math.comparisons import truth
from np2tnp.runtime.functions.math.elementwise import add as add_arrays
from np2tnp.runtime.functions.math.elementwise import bounded, divide_complex, select, subtract
from np2tnp.runtime.symbols.python_number import Weak

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]


@functools.lru_cache(maxsize=64)
def sum_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What NumPy sums and multiplies that dtype in: small integers and bools become 64 bits wide."""
    found: np.dtype[Any] = np.add.reduce(np.zeros(1, dtype)).dtype
    return found


def accumulator(x: Any, dtype: Any) -> Any:
    """`x` in the dtype in which it is to be summed."""
    return cast(x, sum_dtype(dtype_of(x)) if dtype is None else requested_dtype(dtype))


def _start(result: Any, initial: Any, name: str) -> Any:
    if initial is UNSET or initial is None:
        return result
    first = constant(initial, result.dtype) if isinstance(initial, (int, float, complex)) else array(initial)
    if rank_of(first) > 0:
        raise Unsupported("more than one initial value")
    first = cast(first, result.dtype)
    return bounded(name, result, first) if name in ("Maximum", "Minimum") else op(name)(x=result, y=first)


def total(x: Any, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    """The sum over `axes`, in the dtype of `x`; float16 accumulates in float32, as NumPy's pairwise sum does."""
    if x.dtype == tf.float16:
        return cast(total(cast(x, tf.float32), axes, keepdims), tf.float16)
    result = summed(x, axes, keepdims) if is_large(x) else reduce_with("Sum", x, axes, keepdims)
    alone = builtins.all(x.shape[axis] in (1, None) for axis in axes) and (axes or x.shape.rank == 0)
    return op("AddV2")(x=result, y=constant(0, x.dtype)) if alone else result  # -0.0 alone adds up to 0.0, too


@exact("numpy.sum")
def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = UNSET,
    initial: Any = UNSET,
    where: Any = UNSET,
) -> Any:
    """``numpy.sum``: integers and bools add up in 64 bits unless `dtype` says otherwise."""
    refuse_out(out)
    x = accumulator(array(a), dtype)
    axes = normal_axes(axis, rank_of(x))
    mask = mask_for(where, x)
    result = total(x if mask is None else select(mask, x, 0), axes, keeps(keepdims))
    return _start(result, initial, "AddV2")


@exact("numpy.prod")
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = UNSET,
    initial: Any = UNSET,
    where: Any = UNSET,
) -> Any:
    """``numpy.prod``: integers and bools multiply in 64 bits unless `dtype` says otherwise."""
    refuse_out(out)
    x = accumulator(array(a), dtype)
    if x.dtype == tf.float16:
        raise Unsupported("float16, whose range makes the order of multiplication visible")
    axes = normal_axes(axis, rank_of(x))
    mask = mask_for(where, x)
    factors = x if mask is None else select(mask, x, 1)
    inexact = x.dtype.is_floating or x.dtype.is_complex
    if inexact and not is_tracing() and not is_followed(x) and _may_overflow(factors, axes, initial):
        raise Unsupported("a product in which the order of the factors decides")
    return _start(reduce_with("Prod", factors, axes, keeps(keepdims)), initial, "Mul")


def _may_overflow(x: Any, axes: tuple[int, ...], initial: Any) -> bool:
    """Whether a product of some of the factors is infinite, NaN or too small: TensorFlow's chunks multiply apart."""
    first = _start(op("OnesLike")(x=constant(1, x.dtype)), initial, "Mul")
    if not is_all_finite(first):
        return True
    if x.dtype.is_complex:
        if not is_all_finite(x):
            return True
        x, first = tf.abs(x), tf.abs(first)
    one = constant(1, x.dtype)
    first = select(op("NotEqual")(x=first, y=constant(0, x.dtype)), op("Abs")(x=first), one)
    ordinary = op("LogicalAnd")(x=op("IsFinite")(x=x), y=op("NotEqual")(x=x, y=constant(0, x.dtype)))
    size = select(ordinary, op("Abs")(x=x), one)  # what the others do does not depend on their place
    largest = op("Mul")(x=reduce_with("Prod", op("Maximum")(x=size, y=one), axes), y=op("Maximum")(x=first, y=one))
    smallest = op("Mul")(x=reduce_with("Prod", op("Minimum")(x=size, y=one), axes), y=op("Minimum")(x=first, y=one))
    tiny = constant(float(np.finfo(dtype_of(x)).tiny), x.dtype)
    inside = op("LogicalAnd")(x=op("IsFinite")(x=largest), y=op("GreaterEqual")(x=smallest, y=tiny))
    return not bool(tf.reduce_all(inside))


def _lowest(dtype: np.dtype[Any]) -> Any:
    return -math.inf if dtype.kind == "f" else int(np.iinfo(dtype).min)


def _highest(dtype: np.dtype[Any]) -> Any:
    return math.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)


def extreme(x: Any, axes: tuple[int, ...], greatest: bool, keepdims: bool = False) -> Any:
    """The greatest or least over `axes`, NaN if there is one. Raises Unsupported for complex numbers."""
    if x.dtype == tf.bool:
        return reduce_with("Any" if greatest else "All", x, axes, keepdims)
    if x.dtype.is_complex:
        raise Unsupported("the order of complex numbers")
    if axes:
        x = shortened(x, axes[0], greatest)
    result = reduce_with("Max" if greatest else "Min", x, axes, keepdims)
    trace = current()
    keeps_nan = is_measured() and (trace is None or trace.mode == "xla")
    if x.dtype.is_floating and len(axes) > 0 and not keeps_nan:
        # not every device's kernel keeps NaN, so say it
        nan = reduce_with("Any", op("IsNan")(x=x), axes, keepdims)
        result = select(nan, math.nan, result)
    return result


def _extreme(a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any, greatest: bool) -> Any:
    refuse_out(out)
    x = array(a)
    axes = normal_axes(axis, rank_of(x))
    mask = mask_for(where, x)
    if initial is UNSET or initial is None:
        if mask is not None:
            raise Unsupported("where without initial")
        refuse_empty(x, axes)
    if mask is not None:
        if x.dtype == tf.bool:
            raise Unsupported("where with bool")
        x = select(mask, x, _lowest(dtype_of(x)) if greatest else _highest(dtype_of(x)))
    elif x.dtype == tf.bool and initial is not UNSET and initial is not None:
        raise Unsupported("initial with bool")
    result = extreme(x, axes, greatest, keeps(keepdims))
    return _start(result, initial, "Maximum" if greatest else "Minimum")


@exact("numpy.max")
def max(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = UNSET, initial: Any = UNSET, where: Any = UNSET
) -> Any:
    """``numpy.max``: the greatest element, NaN if there is one. Raises ValueError for no elements, as NumPy."""
    return _extreme(a, axis, out, keepdims, initial, where, greatest=True)


@exact("numpy.min")
def min(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = UNSET, initial: Any = UNSET, where: Any = UNSET
) -> Any:
    """``numpy.min``: the least element, NaN if there is one. Raises ValueError for no elements, as NumPy."""
    return _extreme(a, axis, out, keepdims, initial, where, greatest=False)


amax, amin = max, min


@exact("numpy.ptp")
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = UNSET) -> Any:
    """``numpy.ptp``: greatest minus least, in the dtype of `a` (small integers wrap)."""
    refuse_out(out)
    x = array(a)
    axes = normal_axes(axis, rank_of(x))
    refuse_empty(x, axes)
    keep = keeps(keepdims)
    return subtract(extreme(x, axes, True, keep), extreme(x, axes, False, keep))


# --- means ------------------------------------------------------------------------------------------------------------


def divided(value: Any, count: Any) -> Any:
    """An inexact tensor divided by a count (an int or a tensor of integers), in its own dtype."""
    if value.dtype.is_complex:
        part = as_scalar(count, value.dtype.real_dtype)
        return divide_complex(value, tf.complex(part, op("ZerosLike")(x=part)))
    if value.dtype == tf.float16:  # it cannot hold every count; NumPy divides in float64 as well
        return cast(divided(cast(value, tf.float64), count), tf.float16)
    divisor = as_scalar(count, value.dtype)
    return op("RealDiv")(x=value, y=divisor)


def _count(x: Any, axes: tuple[int, ...], mask: Any, keepdims: bool) -> Any:
    if mask is None:
        return count_along(x, axes)
    return reduce_with("Sum", cast(mask, tf.int64), axes, keepdims)


@exact("numpy.mean")
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = UNSET, *, where: Any = UNSET
) -> Any:
    """``numpy.mean``: integers and bools in float64, float16 by way of float32. The mean of nothing is NaN."""
    refuse_out(out)
    x = array(a)
    keep = keeps(keepdims)
    axes = normal_axes(axis, rank_of(x))
    half = dtype is None and x.dtype == tf.float16
    wanted = requested_dtype(dtype) if dtype is not None else np.dtype("f4") if half else float_dtype(dtype_of(x))
    if wanted.kind not in "fc":
        raise Unsupported("an integer mean")
    x = cast(x, wanted)
    mask = mask_for(where, x)
    value = total(x if mask is None else select(mask, x, 0), axes, keep)
    result = divided(value, _count(x, axes, mask, keep))
    return cast(result, tf.float16) if half else result


def spread(
    x: Any,
    axes: tuple[int, ...],
    ddof: Any,
    keepdims: bool,
    mask: Any = None,
    centre: Any = None,
    dtype: np.dtype[Any] | None = None,
) -> Any:
    """The variance over `axes` by NumPy's two passes, both of whose sums are made in `dtype`.

    Parameters
    ----------
    x : inexact, or with an inexact `dtype`.
    mask : which elements count, or None.
    centre : the mean, or None.
    dtype : by default that of `x`. The differences from the mean do not lose what it cannot hold.
    """
    count = _count(x, axes, mask, True)
    wanted = dtype_of(x) if dtype is None else dtype
    if centre is None:
        terms = cast(x, wanted)
        centre = divided(total(terms if mask is None else select(mask, terms, 0), axes, True), count)
    common = np.result_type(dtype_of(x), dtype_of(centre))
    gap = subtract(cast(x, common), cast(centre, common))
    if gap.dtype.is_complex:
        real, imag = tf.math.real(gap), tf.math.imag(gap)
        squares = op("AddV2")(x=op("Square")(x=real), y=op("Square")(x=imag))
    else:
        squares = cast(op("Square")(x=gap), wanted)
    if mask is not None:
        squares = select(mask, squares, 0)
    value = total(squares, axes, keepdims)
    if mask is not None and not keepdims:
        count = tf.squeeze(count, list(axes))
    if value.dtype == tf.float16:
        wide = cast(value, tf.float64)
        return cast(op("RealDiv")(x=wide, y=_free(count, ddof, wide.dtype)), tf.float16)
    return op("RealDiv")(x=value, y=_free(count, ddof, value.dtype))


def _free(count: Any, ddof: Any, dtype: Any) -> Any:
    if isinstance(count, int):
        left: float = count - ddof
        return constant(float(left) if left > 0 else 0.0, dtype)
    left = subtract(cast(count, tf.float64), float(ddof))
    return cast(op("Maximum")(x=left, y=constant(0.0, tf.float64)), dtype)


def _variance(
    a: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    ddof: Any,
    keepdims: Any,
    where: Any,
    mean: Any,
    correction: Any,
) -> Any:
    refuse_out(out)
    if correction is not UNSET:
        if ddof != 0:
            raise Unsupported("ddof with correction")
        ddof = correction
    x = array(a)
    axes = normal_axes(axis, rank_of(x))
    wanted = float_dtype(dtype_of(x)) if dtype is None else requested_dtype(dtype)
    if wanted.kind not in "fc" or (dtype is not None and (x.dtype.is_complex or wanted.kind == "c")):
        raise Unsupported("this dtype for a variance")
    centre = None if mean is UNSET else array(mean)
    if centre is not None and dtype_of(centre) != wanted:
        raise Unsupported("a mean of another dtype")
    return spread(x, axes, ddof, keeps(keepdims), mask_for(where, x), centre, wanted)


@exact("numpy.var")
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = UNSET,
    *,
    where: Any = UNSET,
    mean: Any = UNSET,
    correction: Any = UNSET,
) -> Any:
    """``numpy.var``: divisor ``n - ddof``; integers and bools in float64; complex numbers give a real variance."""
    return _variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction)


@exact("numpy.std")
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = UNSET,
    *,
    where: Any = UNSET,
    mean: Any = UNSET,
    correction: Any = UNSET,
) -> Any:
    """``numpy.std``: the square root of :func:`var`."""
    return op("Sqrt")(x=_variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction))


# --- truth -------------------------------------------------------------------------------------------------


def _truth(a: Any, axis: Any, out: Any, keepdims: Any, where: Any, every: bool) -> Any:
    refuse_out(out)
    x = truth(array(a))
    axes = normal_axes(axis, rank_of(x))
    mask = mask_for(where, x)
    if mask is not None:
        x = select(mask, x, every)
    return reduce_with("All" if every else "Any", x, axes, keeps(keepdims))


@exact("numpy.all")
def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = UNSET, *, where: Any = UNSET) -> Any:
    """``numpy.all``: bool; NaN is true."""
    return _truth(a, axis, out, keepdims, where, every=True)


@exact("numpy.any")
def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = UNSET, *, where: Any = UNSET) -> Any:
    """``numpy.any``: bool; NaN is true."""
    return _truth(a, axis, out, keepdims, where, every=False)


@exact("numpy.count_nonzero")
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """``numpy.count_nonzero``: int64; over all axes a Python int, which is weak (so not in a user's own graph)."""
    x = truth(array(a))
    axes = normal_axes(axis, rank_of(x))
    plain = axis is None and not keepdims and isinstance(np.count_nonzero(np.zeros(1)), int)
    if plain and is_tracing() and current() is None:
        raise Unsupported("a Python number")
    found = reduce_with("Sum", cast(x, tf.int64), axes, keepdims is not None and keeps(keepdims))
    if not plain:
        return found
    return Weak(int, found) if is_tracing() else int(found)


def halved(x: Any, y: Any) -> Any:
    """The mean of two inexact tensors, as NumPy's mean of two elements (float16 by way of float32)."""
    if x.dtype == tf.float16:
        return cast(halved(cast(x, tf.float32), cast(y, tf.float32)), tf.float16)
    return divided(add_arrays(x, y), 2)
