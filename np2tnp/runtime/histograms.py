"""Counting into bins: histogram and its relatives, bincount, digitize.

NumPy itself makes the bin edges (from the data's least and greatest value only), TensorFlow sorts the data into them:
the edges are equal to the last bit and counts are exact.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.dispatch import as_tensor, exact, is_tensor, to_tensor
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.promotion import cast, dtype_of
from np2tnp.runtime.shapes import (
    as_common,
    as_host,
    as_index,
    is_all_finite,
    known,
    rank_of,
    require,
    slice_axis,
    static_shape,
)

__all__ = ["bincount", "digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

#: In single precision NumPy's own bin numbers may be off by more than the one place that it corrects.
_MOST_BINS = {"f": 100_000}


def _ordered(tensor: Any) -> Any:
    """The tensor, if its dtype is one that NumPy sorts into bins as it is."""
    require(tensor.dtype != tf.bool and not tensor.dtype.is_complex and tensor.dtype != tf.float16, "dtype")
    return tensor


def _ends(tensor: Any) -> np.ndarray:
    """The least and greatest value, all that NumPy needs to place equal bins. NaN and inf are NumPy's to refuse."""
    if 0 in static_shape(tensor):
        return np.zeros(0, dtype_of(tensor))
    require(is_all_finite(tensor), "data that is not finite")
    return np.asarray(as_host(tf.stack([tf.reduce_min(tensor), tf.reduce_max(tensor)])))


def _edges(tensor: Any, bins: Any, limits: Any) -> tuple[np.ndarray, bool]:
    """The bin edges, and whether they are of equal width."""
    require(not isinstance(bins, str), "bins chosen from the data")
    bins = as_host(bins)
    if np.ndim(bins) == 0:
        count = as_index(bins)
        require(0 < count <= _MOST_BINS.get(dtype_of(tensor).char, 2**31), "number of bins")
        sample = _ends(tensor) if limits is None else np.zeros(1, dtype_of(tensor))
        return np.histogram_bin_edges(sample, count, as_host(limits)), True
    edges = np.asarray(bins)
    require(edges.ndim == 1 and edges.size >= 2 and edges.dtype.kind in "iuf" and edges.dtype.char != "e", "bins")
    require(bool((edges[:-1] <= edges[1:]).all()), "bins that do not increase")
    return edges, False


def _bin_of(values: Any, edges: Any) -> Any:
    """For each value its bin, the last one closed; values outside and NaN get the number of bins."""
    count = static_shape(edges)[0] - 1
    place = tf.subtract(tf.searchsorted(edges, values, side="right", out_type=tf.int64), tf.constant(1, tf.int64))
    inside = tf.logical_and(
        tf.greater_equal(values, tf.gather(edges, 0)), tf.less_equal(values, tf.gather(edges, count))
    )
    return tf.where(inside, tf.minimum(place, count - 1), tf.constant(count, tf.int64))


def _sums(places: Any, count: int, weights: Any | None) -> Any:
    """Per bin how many values, or the sum of their weights in double precision (int64 for integers)."""
    if weights is None:
        weights = tf.ones_like(places)
    elif weights.dtype.is_integer:
        weights = cast(weights, np.int64)
    else:
        weights = cast(weights, np.complex128 if weights.dtype.is_complex else np.float64)
    return slice_axis(tf.math.unsorted_segment_sum(weights, places, count + 1), 0, None, count)


def _flat_weights(weights: Any, shape: tuple[int, ...]) -> Any | None:
    if weights is None:
        return None
    tensor = as_tensor(weights)
    require(static_shape(tensor) == shape and dtype_of(tensor).char not in "?eQL", "weights")
    return tf.reshape(tensor, (-1,))


def _weights_and_edges(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """``np.histogram`` for its derivative: places in bins do not depend on the sample, equal edges on its ends."""
    tensor = as_tensor(a)
    counts, edges = histogram.__wrapped__(tf.stop_gradient(tensor), bins, range, None, weights)  # type: ignore[attr-defined]
    if range is None and np.ndim(as_host(bins)) == 0:
        least, greatest = (tf.cast(reduce(tensor), edges.dtype) for reduce in (tf.reduce_min, tf.reduce_max))
        edges = tf.add(least, tf.multiply(tf.subtract(greatest, least), np.linspace(0, 1, edges.shape[0])))
    if density:
        counts = tf.cast(counts, counts.dtype if counts.dtype.is_complex else tf.float64)
        widths = tf.cast(tf.subtract(edges[1:], edges[:-1]), counts.dtype)
        counts = tf.divide(tf.divide(counts, widths), tf.reduce_sum(counts))
    return counts, edges


@exact("numpy.histogram", differentiable=_weights_and_edges)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> tuple[Any, Any]:
    """``np.histogram``: (counts or weights per bin, edges). Counts are int64; bins by name run on the host."""
    tensor = _ordered(as_tensor(a))
    load = _flat_weights(weights, static_shape(tensor))
    flat = tf.reshape(tensor, (-1,))
    edges, equal = _edges(flat, bins, range)
    target = edges.dtype if equal else np.result_type(edges.dtype, dtype_of(flat))
    places = _bin_of(cast(flat, target), cast(to_tensor(edges), target))
    counts = _sums(places, edges.size - 1, load)
    if load is not None:
        counts = cast(counts, dtype_of(load))
    if density:
        wide = np.dtype(np.complex128 if counts.dtype.is_complex else np.float64)
        widths = cast(to_tensor(np.diff(edges).astype(float)), wide)
        counts = tf.divide(tf.divide(cast(counts, wide), widths), cast(tf.reduce_sum(counts), wide))
    return counts, to_tensor(edges)


@exact("numpy.histogram_bin_edges")
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """``np.histogram_bin_edges``: weights need the shape of `a`, and decide nothing."""
    values = as_tensor(a)
    require(weights is None or static_shape(as_tensor(weights)) == static_shape(values), "weights")
    return to_tensor(_edges(tf.reshape(_ordered(values), (-1,)), bins, range)[0])


def _weights_and_grid(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """``np.histogramdd`` for its derivative, as :func:`_weights_and_edges` is for one dimension."""
    points = as_tensor(sample) if is_tensor(sample) else tf.stack(as_common(*sample)[0], 1)
    hist, edges = histogramdd.__wrapped__(tf.stop_gradient(points), bins, range, None, weights)  # type: ignore[attr-defined]
    dims, whole = len(edges), tf.reduce_sum(hist)
    each = bins if isinstance(bins, (list, tuple)) else [bins] * dims
    limits = [None] * dims if range is None else list(range)
    found = list(edges)
    for axis, (column, own, limit) in enumerate(zip(tf.unstack(points, axis=1), each, limits, strict=True)):
        edge = found[axis]
        if limit is None and np.ndim(own) == 0:
            least, greatest = (tf.cast(reduce(column), edge.dtype) for reduce in (tf.reduce_min, tf.reduce_max))
            edge = tf.add(least, tf.multiply(tf.subtract(greatest, least), np.linspace(0, 1, edge.shape[0])))
            found[axis] = edge
        if density:
            widths = tf.cast(tf.subtract(edge[1:], edge[:-1]), hist.dtype)
            hist = tf.divide(hist, tf.reshape(widths, [-1 if i == axis else 1 for i in np.arange(dims)]))
    if density:
        hist = tf.divide(hist, whole)
    return hist, found


def _weights_and_mesh(x: Any, y: Any, bins: Any = 10, *args: Any, **keywords: Any) -> Any:
    if isinstance(bins, (list, tuple)) and len(bins) != 2:
        bins = [np.asarray(as_host(bins))] * 2
    hist, edges = _weights_and_grid([x, y], bins, *args, **keywords)
    return hist, *edges


@exact("numpy.histogramdd", differentiable=_weights_and_grid)
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """``np.histogramdd``: (float64 counts, the edges of each dimension)."""
    if is_tensor(sample) or isinstance(sample, np.ndarray):
        points = as_tensor(sample)
        require(rank_of(points) == 2, "dimensions")
    else:
        columns, _ = as_common(*sample)
        require(all(rank_of(c) == 1 for c in columns), "dimensions")
        points = tf.stack(columns, 1)
    return _counted(_ordered(points), as_host(bins), as_host(range), density, weights)


def _counted(points: Any, bins: Any, limits: Any, density: Any, weights: Any) -> Any:
    rows, dims = static_shape(points)
    require(rows > 0 and dims > 0, "no points")
    each = bins if isinstance(bins, (list, tuple)) else list(bins) if np.ndim(bins) == 1 else [bins] * dims
    require(len(each) == dims, "bins")
    columns = tf.unstack(points, axis=1)
    ranges = [None] * dims if limits is None else list(limits)
    require(len(ranges) == dims, "range")
    # NumPy places the edges on two points that have the same extremes as the sample
    ends = [
        _ends(c) if np.ndim(b) == 0 and r is None else np.zeros(2, dtype_of(c))
        for c, b, r in zip(columns, each, ranges, strict=True)
    ]
    _, edges = np.histogramdd(np.stack(ends, 1), bins, limits)
    load = _flat_weights(weights, (rows,))
    require(load is None or not load.dtype.is_complex, "complex weights")
    counts = [e.size - 1 for e in edges]
    place: Any = None
    outside: Any = None
    for column, edge, count in zip(columns, edges, counts, strict=True):
        target = np.result_type(edge.dtype, dtype_of(column))
        own = _bin_of(cast(column, target), cast(to_tensor(edge), target))
        missed = tf.equal(own, count)
        place = own if place is None else tf.add(tf.multiply(place, count), own)
        outside = missed if outside is None else tf.logical_or(outside, missed)
    total = math.prod(counts)
    require(total < 2**31, "too many bins")
    hist = cast(_sums(tf.where(outside, tf.constant(total, tf.int64), place), total, load), np.float64)
    hist = tf.reshape(hist, counts)
    if density:
        whole = tf.reduce_sum(hist)
        for axis, edge in enumerate(edges):
            widths = np.diff(edge).astype(float).reshape([-1 if i == axis else 1 for i in np.arange(dims)])
            hist = tf.divide(hist, to_tensor(widths))
        hist = tf.divide(hist, whole)
    return hist, type(edges)(to_tensor(e) for e in edges)


@exact("numpy.histogram2d", differentiable=_weights_and_mesh)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any, Any]:
    """``np.histogram2d``: (float64 counts, edges of x, edges of y)."""
    columns, _ = as_common(x, y)
    require(all(rank_of(c) == 1 for c in columns) and static_shape(columns[0]) == static_shape(columns[1]), "x and y")
    bins = as_host(bins)
    if (isinstance(bins, (list, tuple)) or np.ndim(bins) == 1) and len(bins) != 2:
        require(len(bins) != 1, "one list of bins")
        bins = [np.asarray(bins)] * 2
    hist, edges = _counted(_ordered(tf.stack(columns, 1)), bins, as_host(range), density, weights)
    return hist, edges[0], edges[1]


@exact("numpy.bincount")
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    """``np.bincount``: int64 counts, or float64 sums of weights. The length depends on the values."""
    tensor = as_tensor(x)
    require(rank_of(tensor) == 1 and np.can_cast(dtype_of(tensor), np.int64, "safe"), "values")
    least = as_index(minlength)
    require(least >= 0, "minlength")
    flat = cast(tensor, np.int64)
    load = None
    if weights is not None:
        load = as_tensor(weights)
        require(static_shape(load) == static_shape(flat) and np.can_cast(dtype_of(load), np.float64, "safe"), "weights")
        load = cast(load, np.float64)
    if static_shape(flat)[0] == 0:
        return tf.zeros((least,), tf.int64 if load is None else tf.float64)
    require(known(tf.greater_equal(tf.reduce_min(flat), 0)), "negative values")
    length = max(least, int(as_host(tf.reduce_max(flat))) + 1)
    return tf.math.unsorted_segment_sum(tf.ones_like(flat) if load is None else load, flat, length)


@exact("numpy.digitize")
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """``np.digitize``: int64, for bins that rise or fall. NaN comes after all."""
    tensor = _ordered(as_tensor(x))
    edges = np.asarray(as_host(bins))
    require(edges.ndim == 1 and edges.size > 0 and edges.dtype.kind in "iuf" and edges.dtype.char != "e", "bins")
    rising = bool((edges[:-1] <= edges[1:]).all())
    require(rising or bool((edges[:-1] >= edges[1:]).all()), "bins that do not rise or fall")
    require(not np.isnan(edges).any(), "NaN among the bins")
    target = np.result_type(edges.dtype, dtype_of(tensor))
    flat = tf.reshape(cast(tensor, target), (-1,))
    line = cast(to_tensor(edges if rising else edges[::-1]), target)
    place = tf.searchsorted(line, flat, side="left" if right else "right", out_type=tf.int64)
    if flat.dtype.is_floating:
        place = tf.where(tf.math.is_nan(flat), tf.constant(edges.size, tf.int64), place)
    place = place if rising else tf.subtract(tf.constant(edges.size, tf.int64), place)
    return tf.reshape(place, static_shape(tensor))
