"""Means, medians, quantiles, and reductions that pass NaN over."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, is_tensor, is_tracing
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.gradients import is_followed
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, constant, dtype_of, float_dtype, requested_dtype
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.functions.axes import (
    UNSET,
    count_along,
    flat,
    given,
    keeps,
    mask_for,
    normal_axes,
    normal_axis,
    rank_of,
    reduce_with,
    refuse_empty,
    refuse_out,
)
from np2tnp.runtime.functions.math.elementwise import add, divide, fmax, fmin, multiply, select, subtract
from np2tnp.runtime.functions.statistics import cumulative, reductions, sorting
from np2tnp.runtime.functions.statistics.sorting import sort

# --- Reductions that pass NaN over: ``nansum`` and its relatives. Integers and bools go to the plain reductions


def missing(x: Any) -> Any:
    """Where `x` is NaN, or None when its dtype has none."""
    if x.dtype.is_floating:
        return op("IsNan")(x=x)
    if x.dtype.is_complex:
        return op("LogicalOr")(x=op("IsNan")(x=tf.math.real(x)), y=op("IsNan")(x=tf.math.imag(x)))
    return None


def replaced(a: Any, value: float) -> tuple[Any, Any]:
    """`a` as a tensor with `value` for NaN, and where they were (None when there can be none)."""
    x = array(a)
    nan = missing(x)
    return (x if nan is None else select(nan, value, x)), nan


@exact("numpy.nansum")
def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = UNSET,
    initial: Any = UNSET,
    where: Any = UNSET,
) -> Any:
    """``numpy.nansum``: NaN counts as 0."""
    return reductions.sum(replaced(a, 0)[0], axis, dtype, out, keepdims, initial, where)


@exact("numpy.nanprod")
def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = UNSET,
    initial: Any = UNSET,
    where: Any = UNSET,
) -> Any:
    """``numpy.nanprod``: NaN counts as 1."""
    return reductions.prod(replaced(a, 1)[0], axis, dtype, out, keepdims, initial, where)


@exact("numpy.nancumsum")
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``numpy.nancumsum``: NaN counts as 0."""
    return cumulative.cumsum(replaced(a, 0)[0], axis, dtype, out)


@exact("numpy.nancumprod")
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``numpy.nancumprod``: NaN counts as 1."""
    return cumulative.cumprod(replaced(a, 1)[0], axis, dtype, out)


def _present(x: Any, nan: Any, where: Any) -> Any:
    mask = op("LogicalNot")(x=nan)
    other = mask_for(where, x)
    return mask if other is None else op("LogicalAnd")(x=mask, y=other)


@exact("numpy.nanmean")
def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = UNSET, *, where: Any = UNSET
) -> Any:
    """``numpy.nanmean``: of the numbers present; NaN where there is none."""
    refuse_out(out)
    x = array(a)
    nan = missing(x)
    if nan is None:
        return reductions.mean(x, axis, dtype, out, keepdims, where=where)
    keep = keeps(keepdims)
    axes = normal_axes(axis, rank_of(x))
    wanted = dtype_of(x) if dtype is None else requested_dtype(dtype)
    if wanted.kind not in "fc":
        raise Unsupported("an integer mean")
    mask = _present(x, nan, where)
    value = reductions.total(cast(select(mask, x, 0), wanted), axes, keep)
    return reductions.divided(value, reduce_with("Sum", cast(mask, tf.int64), axes, keep))


def _variance(
    a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: Any, where: Any, mean: Any, correction: Any
) -> Any:
    refuse_out(out)
    x = array(a)
    nan = missing(x)
    if nan is None:
        if dtype is not None and requested_dtype(dtype).kind == "c":
            raise Unsupported("a complex dtype: NumPy's roots of it stay complex")
        return reductions.var(x, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    if correction is not UNSET:
        if ddof != 0:
            raise Unsupported("ddof with correction")
        ddof = correction
    if mean is not UNSET:
        raise Unsupported("mean")
    wanted = dtype_of(x) if dtype is None else requested_dtype(dtype)
    if wanted != dtype_of(x) or (dtype is not None and x.dtype.is_complex):
        raise Unsupported("another dtype: NumPy uses it for some of its steps only")
    axes, keep = normal_axes(axis, rank_of(x)), keeps(keepdims)
    mask = _present(x, nan, where)
    value = reductions.spread(select(mask, x, 0), axes, ddof, keep, mask)
    count = cast(reduce_with("Sum", cast(mask, tf.int64), axes, keep), tf.float64)
    return select(op("LessEqual")(x=count, y=constant(float(ddof), tf.float64)), math.nan, value)


@exact("numpy.nanvar")
def nanvar(
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
    """``numpy.nanvar``: of the numbers present; NaN where there are no more than `ddof`."""
    return _variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction)


@exact("numpy.nanstd")
def nanstd(
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
    """``numpy.nanstd``: the square root of :func:`nanvar`."""
    return op("Sqrt")(x=_variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction))


def _extreme(a: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any, greatest: bool) -> Any:
    refuse_out(out)
    x = array(a)
    nan = missing(x)
    if nan is None:
        plain = reductions.max if greatest else reductions.min
        return plain(x, axis, out, keepdims, initial, where)
    axes, keep = normal_axes(axis, rank_of(x)), keeps(keepdims)
    mask = _present(x, nan, where)
    starts = initial is not UNSET and initial is not None
    if not starts:
        if where is not UNSET and where is not True:
            raise Unsupported("where without initial")
        refuse_empty(x, axes)
    elif rank_of(x) == 0 or isinstance(a, (list, tuple)):
        raise Unsupported("initial for what is no array: NumPy gives NaN for nothing but NaN there")
    elif np.ndim(initial) > 0:
        raise Unsupported("more than one initial value")
    found = reductions.extreme(select(mask, x, -math.inf if greatest else math.inf), axes, greatest, keep)
    found = select(reduce_with("Any", mask, axes, keep), found, math.nan)
    return (fmax if greatest else fmin)(found, cast(array(initial), dtype_of(x))) if starts else found


@exact("numpy.nanmax")
def nanmax(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = UNSET, initial: Any = UNSET, where: Any = UNSET
) -> Any:
    """``numpy.nanmax``: the greatest number; NaN where there is none."""
    return _extreme(a, axis, out, keepdims, initial, where, greatest=True)


@exact("numpy.nanmin")
def nanmin(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = UNSET, initial: Any = UNSET, where: Any = UNSET
) -> Any:
    """``numpy.nanmin``: the least number; NaN where there is none."""
    return _extreme(a, axis, out, keepdims, initial, where, greatest=False)


def _place(a: Any, axis: Any, out: Any, keepdims: Any, greatest: bool) -> Any:
    refuse_out(out)
    x, nan = replaced(a, -math.inf if greatest else math.inf) if not _is_complex(a) else (None, None)
    if x is None:
        raise Unsupported("the order of complex numbers")
    plain = sorting.argmax if greatest else sorting.argmin
    if nan is not None:
        rank = rank_of(x)
        if axis is None:
            x_flat, nan, index = flat(x), flat(nan), 0
        else:
            x_flat, index = x, normal_axis(axis, rank)
        refuse_empty(x_flat, (index,))
        if is_tracing() or bool(tf.reduce_any(reduce_with("All", nan, (index,)))):
            raise Unsupported("slices that may be all NaN")
    return plain(x, axis, out, keepdims=keepdims)


def _is_complex(a: Any) -> bool:
    return bool(np.issubdtype(dtype_of(array(a)), np.complexfloating))


@exact("numpy.nanargmax")
def nanargmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = UNSET) -> Any:
    """``numpy.nanargmax``: int64. Raises ValueError for a slice of NaN only (so not while tracing)."""
    return _place(a, axis, out, keepdims, greatest=True)


@exact("numpy.nanargmin")
def nanargmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = UNSET) -> Any:
    """``numpy.nanargmin``: int64. Raises ValueError for a slice of NaN only (so not while tracing)."""
    return _place(a, axis, out, keepdims, greatest=False)


__all__ = [
    "average",
    "median",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "percentile",
    "quantile",
    "trapezoid",
    "trapz",
]


# --- Weighted means, medians, quantiles and the trapezoidal rule

#: NumPy's continuous quantile methods: the parameters alpha and beta of Hyndman and Fan.
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}


@exact("numpy.average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = UNSET) -> Any:
    """``numpy.average``: raises ZeroDivisionError when weights add up to 0 (so no weights while tracing)."""
    x = array(a)
    keep = given(keepdims, False)
    axes = normal_axes(axis, rank_of(x))
    if 0 in x.shape:
        raise Unsupported("an average of nothing")
    if weights is None:
        mean = reductions.mean(x, axis, keepdims=keep)
        if not returned:
            return mean
        count = count_along(x, axes)
        if not isinstance(count, int):
            raise Unsupported("an unknown number of elements")
        return mean, op("Fill")(dims=op("Shape")(input=mean), value=constant(float(count), mean.dtype))
    w = _weights(weights, x, axis, axes)
    kinds = (dtype_of(x), dtype_of(w))
    wanted = np.result_type(*kinds, "f8") if kinds[0].kind in "iub" else np.result_type(*kinds)
    if wanted.kind not in "fc" or is_tracing():
        raise Unsupported("weights of this dtype, or while tracing")
    scale = reductions.total(cast(w, wanted), axes, keep)
    if bool(tf.reduce_any(op("Equal")(x=scale, y=constant(0, scale.dtype)))):
        raise Unsupported("weights that add up to 0")
    value = reductions.total(op("Mul")(x=cast(x, wanted), y=cast(w, wanted)), axes, keep)
    mean = divide(value, scale)
    return (mean, tf.broadcast_to(scale, tf.shape(mean))) if returned else mean


def _weights(weights: Any, x: Any, axis: Any, axes: tuple[int, ...]) -> Any:
    w = array(weights)
    if not (w.shape.is_fully_defined() and x.shape.is_fully_defined()):
        raise Unsupported("unknown shapes")
    if w.shape == x.shape:
        return w
    if axis is None or rank_of(w) != 1 or len(axes) != 1 or w.shape[0] != x.shape[axes[0]]:
        raise Unsupported("weights of another shape")
    shaped = tf.reshape(w, [-1 if i == axes[0] else 1 for i in range(rank_of(x))])
    return tf.broadcast_to(shaped, x.shape)


def _merged(x: Any, axes: tuple[int, ...]) -> tuple[Any, list[int]]:
    """`x` with the reduced axes as one last axis, and the shape that is left with ones for them."""
    if not x.shape.is_fully_defined() or rank_of(x) == 0:
        raise Unsupported("an unknown shape, or no dimensions")
    shape = x.shape.as_list()
    kept = [i for i in range(len(shape)) if i not in axes]
    length = math.prod(shape[i] for i in axes)
    if length == 0 or not axes:
        raise Unsupported("a quantile of nothing")
    if kept + list(axes) != list(range(len(shape))):
        x = tf.transpose(x, kept + list(axes))
    ones = [1 if i in axes else size for i, size in enumerate(shape)]
    return tf.reshape(x, [shape[i] for i in kept] + [length]), ones


def _nan_where_last_is(result: Any, ordered: Any) -> Any:
    if not ordered.dtype.is_floating:
        return result
    return select(op("IsNan")(x=ordered[..., -1]), math.nan, result)


@exact("numpy.median")
def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False) -> Any:
    """``numpy.median``: NaN where there is one; integers in float64."""
    refuse_out(out)
    x = array(a)
    if x.dtype.is_complex:
        raise Unsupported("the order of complex numbers")
    x, ones = _merged(x, normal_axes(axis, rank_of(x)))
    ordered = sort(cast(x, float_dtype(dtype_of(x))))
    length = x.shape[-1]
    middle = ordered[..., length // 2]
    middle = op("AddV2")(x=middle, y=constant(0, middle.dtype))  # a mean, which is never -0.0
    result = middle if length % 2 else reductions.halved(ordered[..., length // 2 - 1], middle)
    result = _nan_where_last_is(result, ordered)
    return tf.reshape(result, ones) if keepdims else result


@exact("numpy.nanmedian")
def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = UNSET) -> Any:
    """``numpy.nanmedian``: of the numbers present; NaN where there is none."""
    refuse_out(out)
    x = array(a)
    if x.dtype.is_complex:
        raise Unsupported("the order of complex numbers")
    if missing(x) is None:
        return median(x, axis, out, overwrite_input, given(keepdims, False))
    x, ones = _merged(x, normal_axes(axis, rank_of(x)))
    ordered = sort(x)
    count = tf.reduce_sum(cast(op("LogicalNot")(x=missing(x)), tf.int32), -1)
    low, high = tf.maximum((count - 1) // 2, 0), count // 2
    high = tf.minimum(high, x.shape[-1] - 1)
    below, above = (tf.gather(ordered, place, batch_dims=rank_of(x) - 1) for place in (low, high))
    above = op("AddV2")(x=above, y=constant(0, above.dtype))  # a mean, which is never -0.0
    result = select(op("Equal")(x=low, y=high), above, reductions.halved(below, above))
    result = select(op("Equal")(x=count, y=0), math.nan, result)
    return tf.reshape(result, ones) if given(keepdims, False) else result


def _virtual(length: int, q: Any, method: str) -> tuple[Any, Any, Any]:
    """Where the quantiles of `length` sorted elements lie: places below and above, and how far between (or None)."""
    if method == "linear":
        virtual = np.asanyarray((length - 1) * q)
    elif method in ("lower", "higher"):
        rounding = np.floor if method == "lower" else np.ceil
        places = rounding((length - 1) * q).astype(np.intp)
        return places, places, None
    elif method == "midpoint":
        virtual = np.asanyarray(0.5 * (np.floor((length - 1) * q) + np.ceil((length - 1) * q)))
    elif method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        virtual = np.asanyarray(length * q + (alpha + q * (1 - alpha - beta)) - 1)
    else:
        raise Unsupported(f"method {method}")
    if virtual.dtype.kind in "iu":
        raise Unsupported("integer quantiles")
    below = np.floor(virtual)
    above = below + 1
    low, high = virtual < 0, virtual >= length - 1
    below, above = (np.where(high, length - 1, np.where(low, 0, places)).astype(np.intp) for places in (below, above))
    # NumPy takes the distance from place -1 at the upper end; both neighbours are the same element there
    gamma = np.asanyarray(virtual - np.where(high, -1, below), dtype=virtual.dtype)
    if method == "midpoint":
        gamma = np.where(virtual % 1 == 0, 0.0, 0.5).astype(virtual.dtype)
    return below, above, gamma


def _quantile(a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: Any, weights: Any, weak: bool) -> Any:
    refuse_out(out)
    x = array(a)
    if weights is not None or x.dtype.is_complex or x.dtype == tf.bool:
        raise Unsupported("weights, complex numbers or bools")
    if 0 in tuple(x.shape):
        raise Unsupported("nothing, of which NumPy raises or not by the number of axes")
    if q.ndim > 1 or q.dtype != np.float64 or not ((q >= 0) & (q <= 1)).all():
        raise Unsupported("these quantiles")
    if x.dtype in (tf.float32, tf.float16) and np.lib.NumpyVersion(np.__version__) < "2.4.0":
        raise Unsupported("the precision of quantiles in this version of NumPy")
    x, ones = _merged(x, normal_axes(axis, rank_of(x)))
    if x.dtype in (tf.float32, tf.float16) and not weak and not q.ndim and rank_of(x) == 1:
        raise Unsupported("a result whose dtype depends on whether there is NaN")
    ordered = sort(x)
    below, above, gamma = _virtual(x.shape[-1], q, method)
    first = tf.gather(ordered, below, axis=-1)
    if gamma is None:
        result = first
    else:
        second = tf.gather(ordered, above, axis=-1)
        step: Any = float(gamma) if weak else gamma
        gap = subtract(second, first)
        left = add(first, multiply(gap, step))
        right = cast(subtract(second, multiply(gap, 1 - step)), left.dtype)
        result = select(np.asarray(gamma >= 0.5), right, left)
    if q.ndim:
        result = tf.transpose(result, [rank_of(result) - 1, *range(rank_of(result) - 1)])
    result = _nan_where_last_is(result, ordered)
    return tf.reshape(result, [*q.shape, *ones]) if keepdims else result


def _refuse_weighted(q: Any, weights: Any) -> None:
    """One quantile with weights is a 0-d array in NumPy, without weights a scalar: a tensor cannot tell the two."""
    if weights is not None and not (q.shape.rank if is_tensor(q) else np.ndim(q)):
        raise UnverifiedError("one quantile with weights, which NumPy gives as a 0-d array")


def _known(q: Any) -> Any:
    if is_tensor(q):
        if is_tracing():
            raise Unsupported("quantiles that are not known while tracing")
        if is_followed(q):
            raise Unsupported("a gradient by this argument")
        return q.numpy()
    return q


def _at_position(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    """Quantiles whose place a tape follows: between two elements they change with it."""
    if method != "linear" or weights is not None:
        raise Unsupported("another method, or weights")
    x, place = array(a), tf.cast(array(q), tf.float64)
    rows, ones = _merged(x, normal_axes(axis, rank_of(x)))
    ordered = sort(rows)
    places = tf.multiply(tf.reshape(place, (-1,)), tf.cast(tf.shape(ordered)[-1] - 1, tf.float64))
    below = tf.cast(tf.floor(places), tf.int32)
    first = tf.gather(ordered, below, axis=-1)
    second = tf.gather(ordered, tf.minimum(below + 1, tf.shape(ordered)[-1] - 1), axis=-1)
    gamma = tf.cast(tf.subtract(places, tf.cast(below, tf.float64)), x.dtype)
    result = tf.add(first, tf.multiply(tf.subtract(second, first), gamma))
    result = tf.transpose(result, [rank_of(result) - 1, *range(rank_of(result) - 1)])
    return tf.reshape(result, [*place.shape, *(ones if keepdims else result.shape[1:])])


def _at_percent(a: Any, q: Any, *args: Any, **keywords: Any) -> Any:
    return _at_position(a, tf.divide(tf.cast(array(q), tf.float64), 100), *args, **keywords)


@exact("numpy.quantile", differentiable=_at_position)
def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    """``numpy.quantile``: NumPy's arithmetic on the sorted elements; NaN where there is one."""
    _refuse_weighted(q, weights)
    return _quantile(a, np.asanyarray(_known(q)), axis, out, method, keepdims, weights, type(q) in (int, float))


@exact("numpy.percentile", differentiable=_at_percent)
def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    """``numpy.percentile``: :func:`quantile` of ``q / 100``."""
    _refuse_weighted(q, weights)
    known = np.asanyarray(np.true_divide(_known(q), 100))
    return _quantile(a, known, axis, out, method, keepdims, weights, type(q) in (int, float))


def _of_present(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    method: Any = "linear",
    keepdims: Any = UNSET,
) -> Any:
    """The quantiles of what is not NaN, each row's by its own count."""
    x = array(a)
    known = np.asarray(_known(q), np.float64)
    rows, ones = _merged(x, normal_axes(axis, rank_of(x)))
    ordered = sort(rows)
    counts = tf.math.count_nonzero(~tf.math.is_nan(ordered), -1).numpy()  # and not the array
    below, above, gamma = _virtual(np.maximum(counts, 1)[..., None], known.ravel(), method)
    first, second = (tf.gather(ordered, places, batch_dims=rank_of(rows) - 1) for places in (below, above))
    result = first if gamma is None else add(first, multiply(subtract(second, first), gamma.astype(dtype_of(x))))
    result = select(counts[..., None] == 0, math.nan, result)
    result = tf.transpose(result, [rank_of(result) - 1, *range(rank_of(result) - 1)])
    return tf.reshape(result, [*known.shape, *(ones if given(keepdims, False) else result.shape[1:])])


def _of_present_in_percent(a: Any, q: Any, *args: Any, **keywords: Any) -> Any:
    return _of_present(a, np.true_divide(_known(q), 100), *args, **keywords)


@exact("numpy.nanquantile", differentiable=_of_present)
def nanquantile(a: Any, q: Any, *args: Any, **keywords: Any) -> Any:
    """``numpy.nanquantile``: :func:`quantile` where no element is NaN; else NumPy computes."""
    _refuse_weighted(q, keywords.get("weights"))
    _refuse_nan(a)
    return quantile.__wrapped__(  # type: ignore[attr-defined]
        a, q, *args, **keywords
    )


@exact("numpy.nanpercentile", differentiable=_of_present_in_percent)
def nanpercentile(a: Any, q: Any, *args: Any, **keywords: Any) -> Any:
    """``numpy.nanpercentile``: :func:`percentile` where no element is NaN; else NumPy computes."""
    _refuse_weighted(q, keywords.get("weights"))
    _refuse_nan(a)
    return percentile.__wrapped__(  # type: ignore[attr-defined]
        a, q, *args, **keywords
    )


def _refuse_nan(a: Any) -> None:
    x = array(a)
    nan = missing(x)
    if 0 in x.shape:
        raise Unsupported("a quantile of nothing")
    if nan is not None and (is_tracing() or bool(tf.reduce_any(nan))):
        raise Unsupported("quantiles beside NaN")


def _trapezoid(y: Any, x: Any, dx: Any, axis: Any) -> Any:
    values = array(y)
    rank = rank_of(values)
    index = normal_axis(axis, rank)

    def part(t: Any, start: int, along: int) -> Any:
        here = slice(1, None) if start else slice(None, -1)
        key = (*[slice(None)] * along, here)
        return t[key]

    width: Any = dx
    if x is not None:
        points = array(x)
        along = 0 if rank_of(points) == 1 else index
        width = subtract(part(points, 1, along), part(points, 0, along))
        if rank_of(points) == 1:
            width = tf.reshape(width, [-1 if i == index else 1 for i in range(rank)])
    areas = divide(multiply(width, add(part(values, 1, index), part(values, 0, index))), 2.0)
    return reductions.sum(areas, axis)


@exact("numpy.trapezoid")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """``numpy.trapezoid``: the integral along one axis."""
    return _trapezoid(y, x, dx, axis)


@exact("numpy.trapz")
def trapz(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """``numpy.trapz``: the old name of :func:`trapezoid`."""
    return _trapezoid(y, x, dx, axis)
