"""Counting into bins: histogram and its relatives, bincount, digitize.

NumPy itself makes the bin edges (from the data's least and greatest value only), or a graph as NumPy does; TensorFlow
sorts the data into them: the edges are equal to the last bit and counts are exact.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, holds_symbol, holds_tensor, is_tensor, is_tracing, to_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, dtype_of
from np2tnp.runtime.base.shapes import (
    as_common,
    as_host,
    as_index,
    is_all_finite,
    must_hold,
    rank_of,
    require,
    require_same_shape,
    size_of,
    static_shape,
)
from np2tnp.runtime.functions.arrays.creation import linspace

__all__ = [
    "bincount",
    "digitize",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]


# --- The edges of a histogram's bins: from NumPy itself where its arguments are known, else as NumPy calculates them

#: In single precision NumPy's own bin numbers may be off by more than the one place that it corrects.
_MOST_BINS = {"f": 100_000}


def edges_of(tensor: Any, bins: Any, limits: Any) -> tuple[Any, bool]:
    """The bin edges of a flat tensor (an ndarray, or a tensor of the graph), and whether they are of equal width."""
    require(not isinstance(bins, str), "bins chosen from the data")
    if holds_symbol(bins):
        return _rising(as_tensor(bins)), False
    bins = as_host(bins)
    if np.ndim(bins) != 0:
        return _rising(np.asarray(bins)), False
    count = as_index(bins)
    require(0 < count <= _MOST_BINS.get(dtype_of(tensor).char, 2**31), "number of bins")
    empty = tensor.shape.num_elements() == 0
    if not (holds_symbol(tensor) and not empty if limits is None else holds_symbol(limits)):
        sample = ends(tensor) if limits is None else np.zeros(1, dtype_of(tensor))
        return np.histogram_bin_edges(sample, count, as_host(limits)), True
    (first, last), kinds = _outer(tensor, limits)
    dtype = np.result_type(*kinds, dtype_of(tensor))
    dtype = np.result_type(dtype, np.float64) if dtype.kind in "iu" else dtype
    edges = linspace.__wrapped__(first, last, count + 1, dtype=dtype)  # type: ignore[attr-defined]
    must_hold(tf.reduce_all(tf.less(edges[:-1], edges[1:])), "too many bins for the range of the data")
    return edges, True


def edges_of_axis(column: Any, bins: Any, limits: Any) -> Any:
    """The edges on one axis of ``np.histogramdd`` for a flat tensor while tracing: their dtype is that of the ends."""
    if holds_symbol(bins):
        edges = _rising(as_tensor(bins))
        static_shape(edges)
        return edges
    if np.ndim(bins) != 0:
        return _rising(np.asarray(bins))
    if limits is not None and not holds_symbol(limits):
        return np.histogramdd(np.zeros((1, 1), dtype_of(column)), [bins], [limits])[1][0]
    count = as_index(bins)
    require(count > 0, "number of bins")
    return linspace.__wrapped__(*_outer(column, limits)[0], count + 1)  # type: ignore[attr-defined]


def ends(tensor: Any) -> np.ndarray:
    """The least and greatest value, all that NumPy needs to place equal bins. NaN and inf are NumPy's to refuse."""
    if 0 in static_shape(tensor):
        return np.zeros(0, dtype_of(tensor))
    require(is_all_finite(tensor), "data that is not finite")
    return np.asarray(as_host(tf.stack([tf.reduce_min(tensor), tf.reduce_max(tensor)])))


def _rising(edges: Any) -> Any:
    dtype = dtype_of(edges) if is_tensor(edges) else edges.dtype
    rank = rank_of(edges) if is_tensor(edges) else edges.ndim
    require(rank == 1 and dtype.kind in "iuf" and dtype.char != "e", "bins")
    if is_tensor(edges):
        must_hold(tf.greater_equal(tf.size(edges), 2), "bins")
        must_hold(tf.reduce_all(tf.less_equal(edges[:-1], edges[1:])), "bins that do not increase")
    else:
        require(edges.size >= 2, "bins")
        require(bool((edges[:-1] <= edges[1:]).all()), "bins that do not increase")
    return edges


def _outer(tensor: Any, limits: Any) -> tuple[tuple[Any, Any], list[Any]]:
    """The first and the last edge as floats of a graph, and what NumPy would ask for their dtypes."""
    if limits is None:
        must_hold(_all_finite(tensor), "data that is not finite")
        parts = [tf.reduce_min(tensor), tf.reduce_max(tensor)]
        if tensor.shape.num_elements() is None:
            empty = tf.equal(size_of(tensor), 0)
            if dtype_of(tensor).char == "f":  # NumPy places the edges from 0 to 1 in double precision then
                must_hold(tf.logical_not(empty), "no values")
            parts = [tf.where(empty, tf.constant(n, tensor.dtype), part) for n, part in enumerate(parts)]
        kinds: list[Any] = [dtype_of(tensor)] * 2
    else:
        pair = list(limits) if isinstance(limits, (list, tuple)) else list(tf.unstack(as_tensor(limits), num=2))
        require(len(pair) == 2, "range")
        kinds = [item if type(item) in (int, float) else dtype_of(as_tensor(item)) for item in pair]
        parts = [as_tensor(item) for item in pair]
        require(all(rank_of(part) == 0 for part in parts), "range")
    inner = np.result_type(*kinds)
    inner = inner if inner.kind == "f" else np.dtype(np.float64)
    require(inner.char in "fd" and all(np.dtype(part.dtype.name).kind in "iuf" for part in parts), "dtype")
    first, last = (cast(part, inner) for part in parts)
    if limits is not None:
        must_hold(tf.reduce_all(tf.math.is_finite(tf.stack([first, last]))), "a range that is not finite")
        must_hold(tf.less_equal(first, last), "a range that ends before it begins")
    half = tf.where(tf.equal(first, last), tf.constant(0.5, inner), tf.constant(0.0, inner))
    return (tf.subtract(first, half), tf.add(last, half)), kinds


def _all_finite(tensor: Any) -> Any:
    return tf.reduce_all(tf.math.is_finite(tensor)) if tensor.dtype.is_floating else tf.constant(True)


def _ordered(tensor: Any) -> Any:
    """The tensor, if its dtype is one that NumPy sorts into bins as it is."""
    require(tensor.dtype != tf.bool and not tensor.dtype.is_complex and tensor.dtype != tf.float16, "dtype")
    return tensor


def _bin_of(values: Any, edges: Any) -> Any:
    """For each value its bin, the last one closed; values outside and NaN get the number of bins."""
    count = as_int64(size_of(edges) - 1)
    place = tf.subtract(tf.searchsorted(edges, values, side="right", out_type=tf.int64), tf.constant(1, tf.int64))
    inside = tf.logical_and(
        tf.greater_equal(values, tf.gather(edges, 0)), tf.less_equal(values, tf.gather(edges, count))
    )
    return tf.where(inside, tf.minimum(place, count - 1), count)


def as_int64(number: Any) -> Any:
    return tf.constant(number, tf.int64) if type(number) is int else number


def _sums(places: Any, count: Any, weights: Any | None) -> Any:
    """Per bin how many values, or the sum of their weights in double precision (int64 for integers)."""
    if weights is None:
        weights = tf.ones_like(places)
    elif weights.dtype.is_integer:
        weights = cast(weights, np.int64)
    else:
        weights = cast(weights, np.complex128 if weights.dtype.is_complex else np.float64)
    return tf.math.unsorted_segment_sum(weights, places, count + 1)[:count]


def _own(bins: Any, edges: Any) -> Any:
    """The tensor of `edges`: that of `bins` itself where these are edges, since NumPy gives the caller's array back."""
    return bins if is_tensor(bins) and rank_of(bins) == 1 else as_tensor(edges)


def _flat_weights(weights: Any, values: Any) -> Any | None:
    if weights is None:
        return None
    tensor = as_tensor(weights)
    require(dtype_of(tensor).char not in "?eQL", "weights")
    require_same_shape(tensor, values, "weights")
    return tf.reshape(tensor, (-1,))


def _widths(edges: Any) -> Any:
    """In double precision, as NumPy divides by them."""
    if isinstance(edges, np.ndarray):
        return to_tensor(np.diff(edges).astype(float))
    return cast(tf.subtract(edges[1:], edges[:-1]), np.float64)


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
    load = _flat_weights(weights, tensor)
    flat = tf.reshape(tensor, (-1,))
    edges, equal = edges_of(flat, bins, range)
    line = _own(bins, edges)
    target = dtype_of(line) if equal else np.result_type(dtype_of(line), dtype_of(flat))
    places = _bin_of(cast(flat, target), cast(line, target))
    if load is not None and load.dtype.is_integer and equal:
        # NumPy sums integers in double precision here, 65,536 at a time: equal as long as they are exact there
        whole = tf.reduce_sum(tf.abs(cast(load, np.float64)))
        must_hold(tf.less(whole, tf.constant(2.0**53, tf.float64)), "integer weights that are too large")
    counts = _sums(places, size_of(line) - 1, load)
    if load is not None:
        counts = cast(counts, dtype_of(load))
    if density:
        wide = np.dtype(np.complex128 if counts.dtype.is_complex else np.float64)
        counts = tf.divide(tf.divide(cast(counts, wide), cast(_widths(edges), wide)), cast(tf.reduce_sum(counts), wide))
    return counts, line


@exact("numpy.histogram_bin_edges")
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """``np.histogram_bin_edges``: weights need the shape of `a`, and decide nothing."""
    values = as_tensor(a)
    if weights is not None:
        require_same_shape(as_tensor(weights), values, "weights")
    return _own(bins, edges_of(tf.reshape(_ordered(values), (-1,)), bins, range)[0])


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
    return _counted(_ordered(points), bins, range, density, weights)


def _counted(points: Any, bins: Any, limits: Any, density: Any, weights: Any) -> Any:
    dims = points.shape[1]
    require(dims is not None, "an unknown number of dimensions")
    require(points.shape[0] != 0 and dims > 0, "no points")
    columns = tf.unstack(points, axis=1)
    edges, given = _edges_of_axes(columns, bins, limits)
    lines: list[Any] = []
    for own, edge in zip(given, edges, strict=True):
        same = next((line for line, other in zip(lines, edges, strict=False) if other is edge), None)
        lines.append(_own(own, edge) if same is None else same)
    load = None if weights is None else _flat_weights(weights, columns[0])
    require(load is None or not load.dtype.is_complex, "complex weights")
    load = load if load is None else cast(load, np.float64)
    counts = [static_shape(line)[0] - 1 for line in lines]
    place: Any = None
    outside: Any = None
    for column, line, count in zip(columns, lines, counts, strict=True):
        target = np.result_type(dtype_of(line), dtype_of(column))
        own = _bin_of(cast(column, target), cast(line, target))
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
            hist = tf.divide(hist, tf.reshape(_widths(edge), [-1 if i == axis else 1 for i in np.arange(dims)]))
        hist = tf.divide(hist, whole)
    return hist, type(edges)(lines)


def _edges_of_axes(columns: list[Any], bins: Any, limits: Any) -> Any:
    """The edges on each axis, ndarrays or tensors of a graph, in a list or tuple as NumPy has it; and their bins."""
    if is_tensor(bins) and rank_of(bins) > 1:
        raise UnverifiedError("np.histogramdd with the edges of all axes in one array gives views of it")
    given = list(bins) if isinstance(bins, (list, tuple)) else [None] * len(columns)
    if not holds_symbol(bins):
        bins = as_host(bins)
    if not holds_symbol(limits):
        limits = as_host(limits)
    rows = isinstance(bins, (list, tuple)) or (rank_of(bins) if is_tensor(bins) else np.ndim(bins)) == 1
    each = list(bins) if rows else [bins] * len(columns)
    ranges = [None] * len(columns) if limits is None else list(limits)
    require(len(each) == len(columns), "bins")
    require(len(ranges) == len(columns), "range")
    if is_tracing():
        found = [edges_of_axis(*parts) for parts in zip(columns, each, ranges, strict=True)]
        return type(np.histogramdd(np.zeros((1, 1)))[1])(found), given
    # NumPy places the edges on two points that have the same extremes as the sample
    outer = [
        ends(c) if np.ndim(b) == 0 and r is None else np.zeros(2, dtype_of(c))
        for c, b, r in zip(columns, each, ranges, strict=True)
    ]
    return np.histogramdd(np.stack(outer, 1), bins, limits)[1], given


@exact("numpy.histogram2d", differentiable=_weights_and_mesh)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any, Any]:
    """``np.histogram2d``: (float64 counts, edges of x, edges of y)."""
    columns, _ = as_common(x, y)
    require(all(rank_of(c) == 1 for c in columns), "x and y")
    require_same_shape(columns[0], columns[1], "x and y")
    if is_tensor(bins) and rank_of(bins) == 1 and static_shape(bins)[0] > 2:
        bins = [bins] * 2
    elif is_tensor(bins) and rank_of(bins) < 2:
        bins = as_host(bins)
    elif not is_tensor(bins) and (isinstance(bins, (list, tuple)) or np.ndim(bins) == 1) and len(bins) != 2:
        require(len(bins) != 1, "one list of bins")
        bins = [as_tensor(bins) if isinstance(bins, (list, tuple)) and holds_tensor(bins) else np.asarray(bins)] * 2
    hist, edges = _counted(_ordered(tf.stack(columns, 1)), bins, range, density, weights)
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
        require(np.can_cast(dtype_of(load), np.float64, "safe"), "weights")
        require_same_shape(load, flat, "weights")
        load = cast(load, np.float64)
    if flat.shape[0] == 0:
        return tf.zeros((least,), tf.int64)  # of nothing, weighed or not
    if load is not None and flat.shape[0] is None:
        must_hold(tf.greater(tf.size(flat), 0), "weights of nothing, which make integers")
    must_hold(tf.reduce_all(tf.greater_equal(flat, 0)), "negative values")
    if is_tracing():  # of nothing the greatest is the least integer
        length = tf.maximum(tf.add(tf.reduce_max(flat), 1), as_int64(least))
    else:
        length = max(least, int(as_host(tf.reduce_max(flat))) + 1)
    return tf.math.unsorted_segment_sum(tf.ones_like(flat) if load is None else load, flat, length)


@exact("numpy.digitize")
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """``np.digitize``: int64, for bins that rise or fall. NaN comes after all."""
    tensor = _ordered(as_tensor(x))
    edges, rising = _traced_line(bins) if holds_symbol(bins) else _known_line(bins)
    target = np.result_type(dtype_of(edges), dtype_of(tensor))
    flat = tf.reshape(cast(tensor, target), (-1,))
    place = tf.searchsorted(cast(edges, target), flat, side="left" if right else "right", out_type=tf.int64)
    size = as_int64(size_of(edges))
    if flat.dtype.is_floating:
        place = tf.where(tf.math.is_nan(flat), size, place)
    if type(rising) is bool:
        place = place if rising else tf.subtract(size, place)
    else:
        place = tf.where(rising, place, tf.subtract(size, place))
    return tf.reshape(place, tensor.shape if tensor.shape.is_fully_defined() else tf.shape(tensor))


def _known_line(bins: Any) -> tuple[Any, bool]:
    """The bins in rising order, and whether that was theirs."""
    edges = np.asarray(as_host(bins))
    require(edges.ndim == 1 and edges.size > 0 and edges.dtype.kind in "iuf" and edges.dtype.char != "e", "bins")
    rising = bool((edges[:-1] <= edges[1:]).all())
    require(rising or bool((edges[:-1] >= edges[1:]).all()), "bins that do not rise or fall")
    require(not np.isnan(edges).any(), "NaN among the bins")
    return to_tensor(edges if rising else edges[::-1]), rising


def _traced_line(bins: Any) -> tuple[Any, Any]:
    """As `_known_line`, where only the graph knows the numbers: what NumPy refuses is a check."""
    edges = _ordered(as_tensor(bins))
    require(rank_of(edges) == 1 and edges.shape[0] != 0, "bins")
    if edges.shape[0] is None:
        must_hold(tf.greater(size_of(edges), 0), "no bins")
    rising = tf.reduce_all(tf.less_equal(edges[:-1], edges[1:]))
    falling = tf.reduce_all(tf.greater_equal(edges[:-1], edges[1:]))
    must_hold(tf.logical_or(rising, falling), "bins that do not rise or fall")
    if edges.dtype.is_floating:
        must_hold(tf.logical_not(tf.reduce_any(tf.math.is_nan(edges))), "NaN among the bins")
    return tf.where(rising, edges, edges[::-1]), rising
