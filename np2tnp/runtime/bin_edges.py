"""The edges of a histogram's bins: from NumPy itself where its arguments are known, else as NumPy calculates them."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, holds_symbol, is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, dtype_of
from np2tnp.runtime.base.shapes import (
    as_host,
    as_index,
    is_all_finite,
    must_hold,
    rank_of,
    require,
    size_of,
    static_shape,
)
from np2tnp.runtime.creation import linspace

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
