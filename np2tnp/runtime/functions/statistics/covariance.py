"""Covariance and correlation."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import reshaped, transposed
from np2tnp.runtime.base.promotion import cast, dtype_of, requested_dtype
from np2tnp.runtime.base.shapes import as_index, rank_of, require, static_shape

__all__ = ["corrcoef", "cov"]


def _rows(m: Any, dtype: Any, rowvar: Any, first: bool) -> Any:
    """Variables as rows of a matrix."""
    tensor = as_tensor(m)
    require(rank_of(tensor) <= 2, "dimensions")
    flat = rank_of(tensor) < 2
    tensor = reshaped(tensor, (1, -1)) if flat else tensor
    turn = not rowvar and (not flat if first else static_shape(tensor)[0] != 1)
    return cast(transposed(tensor) if turn else tensor, dtype)


def _weighted(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """``np.cov`` with weights, for its derivative: the sums are in another order."""
    parts = [m] if y is None else [m, y]
    target = np.result_type(np.float64, *(dtype_of(as_tensor(part)) for part in parts))
    rows = tf.concat([_rows(part, target, rowvar, part is m) for part in parts], 0)
    given = [cast(as_tensor(each), target) for each in (fweights, aweights) if each is not None]
    weights = tf.ones(static_shape(rows)[1:], rows.dtype)
    for each in given:
        weights = tf.multiply(weights, each)
    total, lost = tf.reduce_sum(weights), tf.cast((0 if bias else 1) if ddof is None else as_index(ddof), rows.dtype)
    if aweights is not None:
        lost = tf.divide(tf.multiply(lost, tf.reduce_sum(tf.multiply(weights, given[-1]))), total)
    centred = tf.subtract(rows, tf.divide(tf.reduce_sum(tf.multiply(rows, weights), 1, keepdims=True), total))
    result = tf.divide(tf.matmul(tf.multiply(centred, weights), centred, adjoint_b=True), tf.subtract(total, lost))
    return reshaped(result, [d for d in static_shape(result) if d != 1])


@exact("numpy.cov", differentiable=_weighted)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """``np.cov``: float64 or complex128 unless a dtype is given. Weights run on the host, as do degenerate counts."""
    require(fweights is None and aweights is None, "weights")
    parts = [m] if y is None else [m, y]
    if dtype is None:
        target = np.result_type(np.float64, *(dtype_of(as_tensor(part)) for part in parts))
    else:
        target = requested_dtype(dtype)
        require(target.char in "fdFD", "dtype")
        require(all(np.can_cast(dtype_of(as_tensor(p)), target, "same_kind") for p in parts), "dtype")
    require(not is_tensor(bias) and not is_tensor(rowvar), "flags")
    variables = _rows(m, target, rowvar, True)
    require(0 not in static_shape(variables), "no data")
    if y is not None:
        variables = tf.concat([variables, _rows(y, target, rowvar, False)], 0)
    count = static_shape(variables)[1] - ((0 if bias else 1) if ddof is None else as_index(ddof))
    require(count > 0, "degrees of freedom")
    centred = tf.subtract(variables, tf.reduce_mean(variables, 1, keepdims=True))
    result = tf.matmul(centred, centred, adjoint_b=True)
    result = tf.multiply(result, tf.constant(np.asarray(np.true_divide(1, count), target)))
    return reshaped(result, [d for d in static_shape(result) if d != 1])


@exact("numpy.corrcoef")
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """``np.corrcoef``: clipped to [-1, 1]; NaN for a constant variable."""
    matrix = cov.__wrapped__(x, y, rowvar, dtype=dtype)  # type: ignore[attr-defined]
    if rank_of(matrix) == 0:
        return tf.divide(matrix, matrix)
    diagonal = tf.linalg.diag_part(matrix)
    spread = tf.sqrt(tf.math.real(diagonal) if diagonal.dtype.is_complex else diagonal)
    spread = cast(spread, dtype_of(matrix))
    matrix = tf.divide(tf.divide(matrix, tf.expand_dims(spread, 1)), tf.expand_dims(spread, 0))
    if matrix.dtype.is_complex:
        return tf.complex(_clipped(tf.math.real(matrix)), _clipped(tf.math.imag(matrix)))
    return _clipped(matrix)


def _clipped(tensor: Any) -> Any:
    one = tf.ones((), tensor.dtype)
    tensor = tf.where(tf.greater(tensor, one), one, tensor)
    return tf.where(tf.less(tensor, tf.negative(one)), tf.negative(one), tensor)
