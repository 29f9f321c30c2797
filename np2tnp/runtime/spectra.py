"""Singular values, and how close to singular is too close to decide: shared by linalg and norms. Not public."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.dispatch import as_tensor, is_tracing
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.promotion import cast, dtype_of
from np2tnp.runtime.shapes import is_all_finite, known, rank_of, require

#: Rounding in two libraries may differ by this factor around a threshold; inside it NumPy decides.
MARGIN = 100.0


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
    """Leave NaN and infinity to NumPy, in eager mode: iterations on them may not end, and LAPACK raises LinAlgError."""
    if not is_tracing():
        require(is_all_finite(*tensors), "values that are not finite")


def singular_values(a: Any) -> Any:
    """The singular values, descending, in the real dtype of NumPy's. Values that are not finite are Unsupported."""
    matrix, dtype = in_double(a)
    require(rank_of(matrix) >= 2, "fewer than two dimensions")
    require_finite(matrix)
    values = tf.linalg.svd(matrix, compute_uv=False)
    return cast(values, np.zeros(0, dtype).real.dtype)


def is_well_conditioned(reciprocal: Any, size: int) -> bool:
    """Whether reciprocal condition estimates are all well above rounding (False for NaN). Eager only."""
    limit = MARGIN * size * float(np.finfo(np.float64).eps)
    return known(tf.reduce_all(tf.greater(reciprocal, tf.constant(limit, reciprocal.dtype))))


def is_moderate(growth: np.ndarray, size: int) -> bool:
    """Whether estimated condition numbers are all well below what rounding allows (False for NaN)."""
    return bool((growth * (MARGIN * size * float(np.finfo(np.float64).eps)) < 1.0).all())


def is_clear_of(values: Any, threshold: Any) -> bool:
    """Whether no value lies within a factor MARGIN of the threshold. Eager only."""
    margin = tf.constant(MARGIN, values.dtype)
    above = tf.greater(values, tf.multiply(threshold, margin))
    below = tf.less_equal(tf.multiply(values, margin), threshold)
    return known(tf.reduce_all(tf.logical_or(above, below)))
