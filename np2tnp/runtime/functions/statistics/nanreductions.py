"""Reductions that pass NaN over: ``nansum`` and its relatives. Integers and bools go to the plain reductions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, is_tracing
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, constant, dtype_of, requested_dtype
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.functions.axes import (
    UNSET,
    flat,
    keeps,
    mask_for,
    normal_axes,
    normal_axis,
    rank_of,
    reduce_with,
    refuse_empty,
    refuse_out,
)
from np2tnp.runtime.functions.math.elementwise import fmax, fmin, select
from np2tnp.runtime.functions.statistics import cumulative, reductions, sorting

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


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
