"""Derivatives of matrix factors: TensorFlow's factors, with the signs that LAPACK chose.

Real factors are unique but for the sign of each vector. NumPy tells the signs; beyond that a derivative needs singular
or eigenvalues that differ, and diverges where two come together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.dispatch import as_tensor, to_ndarray
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.shapes import require, static_shape


def _real(a: Any) -> Any:
    matrix = as_tensor(a)
    require(not matrix.dtype.is_complex, "complex numbers, whose vectors have no unique phase")
    return matrix


def _signs(vectors: Any, lapack: np.ndarray) -> Any:
    """1 or -1 for each column, as a row."""
    return np.sign(np.sum(to_ndarray(vectors) * lapack, -2, keepdims=True))


def qr(a: Any, mode: str = "reduced") -> Any:
    """``np.linalg.qr`` of real matrices."""
    matrix = _real(a)
    rows, columns = static_shape(matrix)[-2:]
    require(mode in ("reduced", "r") or (mode == "complete" and rows <= columns), f"mode {mode}")
    factor, triangle = tf.linalg.qr(matrix)
    signs = _signs(factor, np.linalg.qr(to_ndarray(matrix))[0])
    triangle = tf.multiply(triangle, np.swapaxes(signs, -2, -1))
    return triangle if mode == "r" else (tf.multiply(factor, signs), triangle)


def eigh(a: Any, UPLO: Any = "L") -> Any:  # noqa: N803 - NumPy's parameter name
    """``np.linalg.eigh`` of real matrices."""
    matrix = _real(a)
    lower = matrix if UPLO.upper() == "L" else tf.linalg.matrix_transpose(matrix)
    values, vectors = tf.linalg.eigh(lower)
    return values, tf.multiply(vectors, _signs(vectors, np.linalg.eigh(to_ndarray(matrix), UPLO)[1]))


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """``np.linalg.svd`` of real matrices; without the vectors of the null space, which are not unique."""
    matrix = _real(a)
    rows, columns = static_shape(matrix)[-2:]
    require(compute_uv and not hermitian and (not full_matrices or rows == columns), "full_matrices or hermitian")
    values, left, right = tf.linalg.svd(matrix)
    signs = _signs(left, np.linalg.svd(to_ndarray(matrix), full_matrices=False)[0])
    return tf.multiply(left, signs), values, tf.linalg.matrix_transpose(tf.multiply(right, signs))
