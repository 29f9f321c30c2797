"""Singular values, and how close to singular is too close to decide: shared by linalg and norms. Not public."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.axes import as_scalar
from np2tnp.runtime.base.dispatch import as_tensor, is_tracing
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, dtype_of
from np2tnp.runtime.base.shapes import is_all_finite, rank_of, require
from np2tnp.runtime.base.tracing import check, current

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
