"""Norms and condition numbers: numpy.linalg's norm, vector_norm, matrix_norm, cond."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.base import exact_floats
from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tracing
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import reshaped, transposed
from np2tnp.runtime.base.promotion import cast, dtype_of
from np2tnp.runtime.base.shapes import is_all_finite, must_hold, normal_axes, rank_of, require, static_shape
from np2tnp.runtime.base.tracing import check, current
from np2tnp.runtime.compile.xla.fused_forms import shortened, summed
from np2tnp.runtime.compile.xla.materialize import is_large
from np2tnp.runtime.functions.axes import as_scalar

__all__ = [
    "cond",
    "matrix_norm",
    "norm",
    "vector_norm",
]


# --- Singular values, and how close to singular is too close to decide: shared by linalg and norms. Not public

#: Rounding in two libraries may differ by this factor around a threshold; inside it NumPy decides.
MARGIN = 100.0

#: So many units of the largest singular value's last place are more than its rounding.
_NOISE = 1e4


def in_double(a: Any) -> tuple[Any, np.dtype[Any]]:
    """`a` in double precision, in which NumPy's linear algebra computes, and the dtype that its result has.

    Half precision is Unsupported: NumPy raises TypeError.
    """
    tensor = as_tensor(a)
    dtype = dtype_of(tensor)
    require(dtype.char != "e", "half precision")
    result = dtype if dtype.kind in "fc" else np.dtype(np.float64)
    return cast(tensor, np.complex128 if dtype.kind == "c" else np.float64), result


def require_finite(*tensors: Any) -> None:
    """Leave NaN and infinity to NumPy: LAPACK raises LinAlgError, where TensorFlow may give NaN."""
    if is_tracing():
        for tensor in tensors:
            check(is_finite(tensor), "values that are not finite")
    else:
        require(is_all_finite(*tensors), "values that are not finite")


def is_finite(tensor: Any) -> Any:
    """Whether all values are finite, as a tensor."""
    parts = [tf.math.real(tensor), tf.math.imag(tensor)] if tensor.dtype.is_complex else [tensor]
    return tf.reduce_all(tf.stack([tf.reduce_all(tf.math.is_finite(part)) for part in parts]))


def singular_values(a: Any) -> Any:
    """The singular values, descending, in the real dtype of NumPy's. Values that are not finite are Unsupported."""
    matrix, dtype = in_double(a)
    require(rank_of(matrix) >= 2, "fewer than two dimensions")
    require_finite(matrix)
    values = tf.linalg.svd(matrix, compute_uv=False)
    return cast(values, np.zeros(0, dtype).real.dtype)


def refuse_nothing(*tensors: Any) -> None:
    """Leave arrays without elements to NumPy."""
    require(all(0 not in tuple(tensor.shape) for tensor in tensors), "an empty matrix")
    for tensor in tensors:
        if not tensor.shape.is_fully_defined():
            check(tf.greater(tf.size(tensor), 0), "an empty matrix")


def largest_side(matrix: Any) -> Any:
    """The larger of the last two lengths: an int, or a float64 tensor where a graph does not know it."""
    sides = tuple(matrix.shape)[-2:]
    return max(sides) if None not in sides else tf.cast(tf.reduce_max(tf.shape(matrix)[-2:]), tf.float64)


def largest_of(values: Any) -> Any:
    """The largest singular value, in an axis of length one, of which small ones are to be a part.

    XLA's singular values are right to a part of the largest only (1e-10 of it, and no check sees that). It has no
    determinants, so it refuses a graph that asks for this one.
    """
    largest = tf.reduce_max(values, -1, keepdims=True)
    if not is_tracing():
        return largest
    trace = current()
    require(trace is None or trace.mode != "xla", "small singular values under XLA")
    same = tf.linalg.det(tf.stop_gradient(largest)[..., tf.newaxis])[..., tf.newaxis]
    return tf.where(tf.math.is_finite(same), largest, same)


def is_well_conditioned(reciprocal: Any, size: Any) -> Any:
    """Whether reciprocal condition estimates are all well above rounding (false for NaN), as a tensor."""
    limit = MARGIN * float(np.finfo(np.float64).eps) * size
    return tf.reduce_all(tf.greater(reciprocal, as_scalar(limit, reciprocal.dtype)))


def is_clear_of(values: Any, threshold: Any) -> Any:
    """Whether no value lies within a factor MARGIN of the threshold (false for NaN), as a tensor."""
    margin = tf.constant(MARGIN, values.dtype)
    above = tf.greater(values, tf.multiply(threshold, margin))
    below = tf.less_equal(tf.multiply(values, margin), threshold)
    clear = tf.logical_or(above, below)
    if is_tracing():  # there is no NumPy to ask: what rounding can do at most decides
        noise = _NOISE * float(np.finfo(dtype_of(values)).eps)
        largest = tf.reduce_max(values, -1, keepdims=True)
        clear = tf.logical_or(clear, tf.abs(values - threshold) > largest * tf.constant(noise, values.dtype))
    return tf.reduce_all(clear)


def _inexact(x: Any) -> Any:
    tensor = as_tensor(x)
    dtype = dtype_of(tensor)
    require(dtype.char != "e", "half precision")
    return tensor if dtype.kind in "fc" else cast(tensor, np.float64)


def _squares(tensor: Any) -> Any:
    """|x|**2 without the square root that ``abs`` of a complex number takes."""
    if tensor.dtype.is_complex:
        return tf.add(tf.square(tf.math.real(tensor)), tf.square(tf.math.imag(tensor)))
    return tf.square(tensor)


def _sum(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return summed(x, axes, keepdims) if is_large(x) else tf.reduce_sum(x, axes, keepdims=keepdims)


def _extreme(sizes: Any, axis: int, keepdims: bool, largest: bool) -> Any:
    """max or min, NaN if there is one: TensorFlow's own may pass over NaN."""
    sizes = shortened(sizes, axis % rank_of(sizes), largest)
    if largest:
        found = tf.maximum(tf.reduce_max(sizes, axis, keepdims=keepdims), tf.zeros((), sizes.dtype))
    else:
        require(static_shape(sizes)[axis] > 0, "the least of nothing")
        found = tf.reduce_min(sizes, axis, keepdims=keepdims)
    nan = tf.reduce_any(tf.math.is_nan(sizes), axis, keepdims=keepdims)
    return tf.where(nan, tf.constant(np.nan, sizes.dtype), found)


def _vector(tensor: Any, order: Any, axis: int, keepdims: bool) -> Any:
    """``np.linalg.norm`` over one axis."""
    if order is None or (not isinstance(order, str) and order == 2):
        return tf.sqrt(_sum(_squares(tensor), (axis,), keepdims))
    require(isinstance(order, (int, float, np.integer, np.floating)), "order")
    sizes = tf.abs(tensor)
    if order in (np.inf, -np.inf):
        return _extreme(sizes, axis, keepdims, order > 0)
    if order == 0:
        return tf.reduce_sum(tf.cast(tf.not_equal(sizes, 0), sizes.dtype), axis, keepdims=keepdims)
    if order == 1:
        return _sum(sizes, (axis,), keepdims)
    require(not isinstance(order, np.floating) or isinstance(order, float), "an order that is not a Python float")
    power = tf.constant(order, sizes.dtype)
    total = _sum(exact_floats.power(sizes, power), (axis,), keepdims)
    return tf.pow(total, tf.constant(np.reciprocal(np.asarray(order, dtype_of(sizes)))))


def _matrix(tensor: Any, order: Any, row: int, column: int, keepdims: bool) -> Any:
    """``np.linalg.norm`` over two axes."""
    if order is None or order in ("fro", "f"):
        return tf.sqrt(_sum(_squares(tensor), (row, column), keepdims))
    rest = [i for i in range(rank_of(tensor)) if i not in (row, column)]
    moved = transposed(tensor, [*rest, row, column])
    if order in (1, -1):
        result = _extreme(tf.reduce_sum(tf.abs(moved), -2), -1, False, order > 0)
    elif order in (np.inf, -np.inf):
        result = _extreme(tf.reduce_sum(tf.abs(moved), -1), -1, False, order > 0)
    elif order in (2, -2, "nuc"):
        require(0 not in static_shape(moved), "an empty matrix")
        values = singular_values(moved)
        result = (
            tf.reduce_sum(values, -1) if order == "nuc" else tf.reduce_max(values, -1) if order == 2 else _least(values)
        )
    else:
        raise Unsupported(f"norm order {order}")
    if not keepdims:
        return result
    return reshaped(result, [1 if i in (row, column) else d for i, d in enumerate(static_shape(tensor))])


def _least(values: Any) -> Any:
    """The smallest singular value, where it is more than rounding noise."""
    least = tf.reduce_min(values, -1)
    ratio = tf.divide(least, tf.squeeze(largest_of(values), -1))
    must_hold(is_well_conditioned(ratio, largest_side(values[..., tf.newaxis])), "a matrix close to singular")
    return least


@exact("numpy.linalg.norm")
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """``np.linalg.norm`` in all orders, of vectors and of matrices. The result is real, of the dtype's precision."""
    tensor = _inexact(x)
    ndim = rank_of(tensor)
    if axis is None and (ord is None or (ord in ("f", "fro") and ndim == 2) or (ord == 2 and ndim == 1)):
        result = tf.sqrt(_sum(_squares(tensor), tuple(range(ndim)), False))
        return reshaped(result, (1,) * ndim) if keepdims else result
    require(axis is None or isinstance(axis, tuple) or np.ndim(axis) == 0, "axis")
    axes = tuple(range(ndim)) if axis is None else normal_axes(axis, ndim)
    if len(axes) == 1:
        return _vector(tensor, ord, axes[0], bool(keepdims))
    require(len(axes) == 2, "number of axes")
    return _matrix(tensor, ord, axes[0], axes[1], bool(keepdims))


@exact("numpy.linalg.vector_norm")
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """``np.linalg.vector_norm``: over all values, one axis, or several axes."""
    tensor = _inexact(x)
    shape = static_shape(tensor)
    axes = tuple(range(len(shape))) if axis is None else normal_axes(axis, len(shape))
    require(axis is None or isinstance(axis, tuple) or np.ndim(axis) == 0, "axis")
    rest = [i for i in range(len(shape)) if i not in axes]
    length = math.prod([shape[i] for i in axes])
    moved = reshaped(transposed(tensor, [*axes, *rest]), [length, *(shape[i] for i in rest)])
    result = _vector(moved, ord, 0, False)
    return reshaped(result, [1 if i in axes else d for i, d in enumerate(shape)]) if keepdims else result


@exact("numpy.linalg.matrix_norm")
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """``np.linalg.matrix_norm``: over the last two axes."""
    tensor = _inexact(x)
    ndim = rank_of(tensor)
    require(ndim >= 2, "fewer than two dimensions")
    return _matrix(tensor, ord, ndim - 2, ndim - 1, bool(keepdims))


@exact("numpy.linalg.cond")
def cond(x: Any, p: Any = None) -> Any:
    """``np.linalg.cond``. A matrix that is singular to working precision is NumPy's to judge."""
    matrix, dtype = in_double(x)
    require(rank_of(matrix) >= 2, "fewer than two dimensions")
    refuse_nothing(matrix)
    real = np.zeros(0, dtype).real.dtype
    if p is None or p in (2, -2):
        values = cast(singular_values(as_tensor(x)), np.float64)
        ratio = tf.divide(tf.reduce_min(values, -1), tf.squeeze(largest_of(values), -1))
        limit = as_scalar(1e3 * float(np.finfo(real).eps) * largest_side(matrix), ratio.dtype)
        must_hold(tf.reduce_all(tf.greater(ratio, limit)), "a matrix close to singular")
        values = cast(values, real)
        pair = (tf.reduce_max(values, -1), tf.reduce_min(values, -1))
        return tf.divide(pair[1], pair[0]) if p == -2 else tf.divide(*pair)
    ndim = rank_of(matrix)
    rows, columns = tuple(matrix.shape)[-2:]
    require(rows == columns and rows is not None and dtype.char in "dD", "not square, or single precision")
    result = tf.multiply(
        _matrix(matrix, p, ndim - 2, ndim - 1, False), _matrix(tf.linalg.inv(matrix), p, ndim - 2, ndim - 1, False)
    )
    must_hold(is_well_conditioned(tf.math.reciprocal(result), 10 * rows), "a matrix close to singular")
    return cast(result, real)
