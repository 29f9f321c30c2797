"""Differences along an axis: diff, ediff1d, gradient, unwrap; and piecewise linear interp."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tensor, is_tracing, to_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import broadcast, reshaped
from np2tnp.runtime.base.promotion import cast, dtype_of
from np2tnp.runtime.base.shapes import (
    as_host,
    as_index,
    common_dtype,
    known,
    normal_axes,
    normal_axis,
    rank_of,
    require,
    slice_axis,
    static_shape,
)
from np2tnp.runtime.base.tracing import check

__all__ = ["diff", "ediff1d", "gradient", "interp", "unwrap"]

_NOTHING: Any = getattr(np, "_NoValue", None)


def difference(tensor: Any, axis: int) -> Any:
    """``x[1:] - x[:-1]`` on one axis; bools differ where they are not equal, integers wrap."""
    later, earlier = slice_axis(tensor, axis, 1, None), slice_axis(tensor, axis, None, -1)
    if tensor.dtype == tf.bool:
        return tf.not_equal(later, earlier)
    return tf.subtract(later, earlier)


@exact("numpy.diff")
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = _NOTHING, append: Any = _NOTHING) -> Any:
    """``np.diff``: the n-th difference, with values before or after the data."""
    times = as_index(n)
    tensor = as_tensor(a)
    if times == 0:
        return a if isinstance(a, np.generic) else tensor  # NumPy returns its argument, too
    require(times > 0 and rank_of(tensor) > 0, "order or dimension")
    axis = normal_axis(axis, rank_of(tensor))
    parts = [tensor]
    if prepend is not _NOTHING:
        parts.insert(0, _end(prepend, tensor, axis))
    if append is not _NOTHING:
        parts.append(_end(append, tensor, axis))
    if len(parts) > 1:
        dtype = common_dtype(*parts)
        tensor = tf.concat([cast(part, dtype) for part in parts], axis)
    for _ in range(times):
        tensor = difference(tensor, axis)
    return tensor


def _end(value: Any, tensor: Any, axis: int) -> Any:
    part = as_tensor(value)
    if rank_of(part) == 0:
        return broadcast(part, [1 if i == axis else d for i, d in enumerate(static_shape(tensor))])
    return part


@exact("numpy.ediff1d")
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """``np.ediff1d``: flat differences, with values of the array's kind before and after."""
    tensor = reshaped(as_tensor(ary), (-1,))
    dtype = dtype_of(tensor)
    require(dtype.char != "?", "bool")
    parts = [difference(tensor, 0)]
    for place, value in ((0, to_begin), (2, to_end)):
        if value is None:
            continue
        part = as_tensor(value)
        require(np.can_cast(dtype_of(part), dtype, "same_kind"), "a value of another kind")
        parts.insert(place, reshaped(cast(part, dtype), (-1,)))
    return tf.concat(parts, 0)


def _by_distances(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """``np.gradient`` for its derivative, by spacings or coordinates, too: one formula, be distances equal or not."""
    values = as_tensor(f)
    axes = tuple(range(rank_of(values))) if axis is None else normal_axes(axis, rank_of(values))
    given = [as_tensor(value) for value in varargs] * (len(axes) // max(len(varargs), 1))
    results = []
    for place, spacing in zip(axes, given, strict=True):
        order = [place, *(i for i in range(rank_of(values)) if i != place)]
        rows = tf.transpose(values, order)
        count = static_shape(rows)[0]
        spacing = cast(spacing, dtype_of(rows))
        steps = tf.subtract(spacing[1:], spacing[:-1]) if rank_of(spacing) else tf.fill([count - 1], spacing)
        steps = tf.reshape(steps, [-1] + [1] * (rank_of(values) - 1))
        slopes = tf.divide(tf.subtract(rows[1:], rows[:-1]), steps)
        left, right = steps[:-1], steps[1:]
        inner = tf.divide(tf.add(slopes[:-1] * right, slopes[1:] * left), tf.add(left, right))
        first, last = slopes[:1], slopes[-1:]
        if edge_order == 2:  # the parabola through three points, at its ends
            bends = tf.divide(tf.subtract(slopes[1:], slopes[:-1]), tf.add(left, right))
            first, last = tf.subtract(first, bends[:1] * steps[:1]), tf.add(last, bends[-1:] * steps[-1:])
        results.append(tf.transpose(tf.concat([first, inner, last], 0), np.argsort(order)))
    return results[0] if len(axes) == 1 else tuple(results)


@exact("numpy.gradient", differentiable=_by_distances)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """``np.gradient``: one tensor, or a tuple of one per axis; spacings are numbers or coordinates."""
    tensor = as_tensor(f)
    dtype = dtype_of(tensor)
    require(dtype.char != "?" and rank_of(tensor) > 0, "bool or 0-d")
    if dtype.kind in "iu":
        tensor, dtype = cast(tensor, np.float64), np.dtype(np.float64)
    shape = static_shape(tensor)
    axes = tuple(range(len(shape))) if axis is None else normal_axes(axis, len(shape))
    order = as_index(edge_order)
    require(order in (1, 2) and all(shape[i] >= order + 1 for i in axes), "edge order or length")
    given = [as_host(value) for value in varargs]
    if not given:
        spacings: list[Any] = [1.0] * len(axes)
    elif len(given) == 1 and np.ndim(given[0]) == 0:
        spacings = given * len(axes)
    else:
        require(len(given) == len(axes), "as many spacings as axes")
        spacings = [_spacing(value, shape[i]) for value, i in zip(given, axes, strict=True)]
    results = [_slope(tensor, i, spacing, order, dtype) for i, spacing in zip(axes, spacings, strict=True)]
    return results[0] if len(axes) == 1 else tuple(results)


def _spacing(value: Any, length: int) -> Any:
    """A number, or the distances between coordinates (a number again where they are all equal)."""
    if np.ndim(value) == 0:
        return value
    points = np.asarray(value)
    require(points.ndim == 1 and points.size == length and points.dtype.kind in "iuf", "coordinates")
    steps = np.diff(points.astype(np.float64) if points.dtype.kind in "iu" else points)
    return steps[0] if (steps == steps[0]).all() else steps


def _slope(tensor: Any, axis: int, spacing: Any, order: int, dtype: np.dtype[Any]) -> Any:
    """One axis of the gradient, computed as NumPy does and rounded to `dtype`."""
    # a Python number is weak, a NumPy one is not: with float32 data it lifts the computation to float64
    weak = type(spacing) in (int, float)
    wide = dtype if weak else np.result_type(dtype, np.asarray(spacing).dtype)
    values = cast(tensor, wide)

    def at(start: int | None, stop: int | None) -> Any:
        return slice_axis(values, axis, start, stop)

    def number(value: Any) -> Any:
        return to_tensor(np.asarray(value, wide))

    if np.ndim(spacing) == 0:
        first = last = spacing
        inner = tf.divide(tf.subtract(at(2, None), at(None, -2)), number(2.0 * spacing))
    else:
        first, last = spacing[0], spacing[-1]
        one, two = spacing[:-1], spacing[1:]
        shape = [-1 if i == axis else 1 for i in range(rank_of(tensor))]
        weights = (-two / (one * (one + two)), (two - one) / (one * two), one / (two * (one + two)))
        a, b, c = (number(weight.reshape(shape)) for weight in weights)
        inner = tf.add(tf.add(tf.multiply(a, at(None, -2)), tf.multiply(b, at(1, -1))), tf.multiply(c, at(2, None)))
    if order == 1:
        left = tf.divide(tf.subtract(at(1, 2), at(0, 1)), number(first))
        right = tf.divide(tf.subtract(at(-1, None), at(-2, -1)), number(last))
    else:
        left = _weighted([at(0, 1), at(1, 2), at(2, 3)], _edge_weights(spacing, False), number)
        right = _weighted([at(-3, -2), at(-2, -1), at(-1, None)], _edge_weights(spacing, True), number)
    return cast(tf.concat([left, inner, right], axis), dtype)


def _edge_weights(spacing: Any, last: bool) -> tuple[Any, Any, Any]:
    """The three weights of the second-order difference at an end of the axis."""
    if np.ndim(spacing) == 0:
        ends = (-1.5 / spacing, 2.0 / spacing, -0.5 / spacing)
        return (0.5 / spacing, -2.0 / spacing, 1.5 / spacing) if last else ends
    one, two = (spacing[-2], spacing[-1]) if last else (spacing[0], spacing[1])
    if last:
        return two / (one * (one + two)), -(two + one) / (one * two), (2.0 * two + one) / (two * (one + two))
    return -(2.0 * one + two) / (one * (one + two)), (one + two) / (one * two), -one / (two * (one + two))


def _weighted(parts: list[Any], weights: tuple[Any, Any, Any], number: Any) -> Any:
    a, b, c = (tf.multiply(number(w), part) for w, part in zip(weights, parts, strict=True))
    return tf.add(tf.add(a, b), c)


@exact("numpy.interp")
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """``np.interp``: float64 (complex128 for complex `fp`), for points that do not fall. `period` runs on the host."""
    require(period is None, "period")
    places, points, values = as_tensor(x), as_tensor(xp), as_tensor(fp)
    require(not places.dtype.is_complex and not points.dtype.is_complex, "complex coordinates")
    target = np.complex128 if values.dtype.is_complex else np.float64
    places, points, values = cast(places, np.float64), cast(points, np.float64), cast(values, target)
    require(rank_of(points) == rank_of(values) == 1 and static_shape(points) == static_shape(values), "points")
    count = static_shape(points)[0]
    require(count > 0, "no points")
    if is_tracing():
        check(tf.reduce_all(tf.greater_equal(difference(points, 0), 0.0)), "points that fall")
    else:
        require(bool((np.diff(as_host(tf.stop_gradient(points))) >= 0).all()), "points that fall")
    flat = reshaped(places, (-1,))
    first = tf.gather(values, 0) if left is None else cast(as_tensor(left), target)
    last = tf.gather(values, count - 1) if right is None else cast(as_tensor(right), target)
    below, above = tf.less(flat, tf.gather(points, 0)), tf.greater(flat, tf.gather(points, count - 1))
    if count == 1:  # NumPy has a rule of its own here, under which NaN counts as the point itself
        return reshaped(tf.where(below, first, tf.where(above, last, values)), static_shape(places))
    after = tf.searchsorted(points, flat, side="right", out_type=tf.int64)
    low = tf.clip_by_value(tf.subtract(after, 1), 0, count - 2)
    high = tf.add(low, 1)
    x0, x1, y0, y1 = tf.gather(points, low), tf.gather(points, high), tf.gather(values, low), tf.gather(values, high)
    slope = tf.divide(tf.subtract(y1, y0), _as(tf.subtract(x1, x0), target))
    result = tf.add(tf.multiply(slope, _as(tf.subtract(flat, x0), target)), y0)
    # where that is NaN NumPy starts from the other end, then tries equal ends
    other = tf.add(tf.multiply(slope, _as(tf.subtract(flat, x1), target)), y1)
    result = _where_nan(result, _where_nan(other, tf.where(tf.equal(y0, y1), y0, other)))
    result = tf.where(tf.equal(flat, x0), y0, result)
    result = tf.where(below, first, result)
    result = tf.where(tf.equal(flat, tf.gather(points, count - 1)), tf.gather(values, count - 1), result)
    result = tf.where(above, last, result)
    result = tf.where(tf.math.is_nan(flat), _as(flat, target), result)
    return reshaped(result, static_shape(places))


def _as(real: Any, target: Any) -> Any:
    return cast(real, target)


def _where_nan(value: Any, instead: Any) -> Any:
    nan = tf.math.is_nan(tf.math.real(value)) if value.dtype.is_complex else tf.math.is_nan(value)
    require(not value.dtype.is_complex or not is_tensor(nan) or not known(tf.reduce_any(nan)), "complex NaN")
    return tf.where(nan, instead, value)


@exact("numpy.unwrap")
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Any:
    """``np.unwrap``: float data; integers run on the host."""
    tensor = as_tensor(p)
    require(dtype_of(tensor).char in "fd" and type(period) in (int, float) and rank_of(tensor) > 0, "dtype or period")
    require(discont is None or type(discont) in (int, float), "discont")
    axis = normal_axis(axis, rank_of(tensor))
    limit = period / 2 if discont is None else discont

    def number(value: float) -> Any:
        return to_tensor(np.asarray(value, dtype_of(tensor)))

    high = period / 2
    steps = difference(tensor, axis)
    rest = tf.add(tf.math.floormod(tf.subtract(steps, number(-high)), number(period)), number(-high))
    ambiguous = tf.logical_and(tf.equal(rest, number(-high)), tf.greater(steps, number(0.0)))
    rest = tf.where(ambiguous, number(high), rest)
    correction = tf.where(tf.less(tf.abs(steps), number(limit)), number(0.0), tf.subtract(rest, steps))
    moved = tf.add(slice_axis(tensor, axis, 1, None), tf.cumsum(correction, axis))
    return tf.concat([slice_axis(tensor, axis, None, 1), moved], axis)
