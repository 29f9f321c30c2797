"""Derivatives of matrix factors: TensorFlow's factors, with the signs that LAPACK chose.

Real factors are unique but for the sign of each vector. NumPy tells the signs; beyond that a derivative needs singular
or eigenvalues that differ, and diverges where two come together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, to_ndarray
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.shapes import require, static_shape

#: Condition of eigenvectors from which on eigenvalues come together.
_DEFECTIVE = 1e10


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
    """``np.linalg.svd`` of real matrices. The vectors of the null space are not unique: they have no derivative."""
    matrix = _real(a)
    require(compute_uv and not hermitian, "hermitian")
    given, _, others = np.linalg.svd(to_ndarray(matrix), full_matrices)
    values, left, right = tf.linalg.svd(matrix)
    count = values.shape[-1]
    signs = _signs(left, given[..., :count])
    left = tf.concat([tf.multiply(left, signs), _loose(matrix, given[..., count:])], -1)
    turned = tf.linalg.matrix_transpose(tf.multiply(right, signs))
    return left, values, tf.concat([turned, _loose(matrix, others[..., count:, :])], -2)


def _loose(matrix: Any, vectors: np.ndarray) -> Any:
    """`vectors`, whose derivative by `matrix` is an error for whoever uses it."""

    def gradient(upstream: Any) -> Any:
        if np.any(to_ndarray(upstream)):
            raise LookupError("vectors of the null space are not unique")
        return tf.zeros_like(matrix)

    return tf.custom_gradient(lambda _: (tf.constant(vectors), gradient))(matrix)


def eigvals(a: Any) -> Any:
    """``np.linalg.eigvals``: each eigenvalue follows the matrix by its left and right vectors."""
    matrix = as_tensor(a)
    values, vectors = _decomposed(matrix)
    wanted = np.linalg.eigvals(to_ndarray(matrix))
    places = np.argmin(np.abs(wanted[..., :, None] - values[..., None, :]), -1)  # LAPACK may order them otherwise here
    return tf.gather(tf.linalg.diag_part(_in_basis(matrix, vectors)), places, batch_dims=places.ndim - 1)


def eig(a: Any) -> Any:
    """``np.linalg.eig``: vectors of length one, whose largest component is real, as LAPACK has it."""
    matrix = as_tensor(a)
    values, vectors = _decomposed(matrix)
    inside = _in_basis(matrix, vectors)
    gaps = values[..., None, :] - values[..., :, None]
    shares = np.divide(1, gaps, out=np.zeros_like(gaps), where=gaps != 0)
    moved = tf.matmul(vectors, tf.add(np.eye(values.shape[-1], dtype=complex), inside * shares))
    moved = tf.divide(moved, tf.norm(moved, axis=-2, keepdims=True))
    largest = np.argmax(np.abs(vectors), -2, keepdims=True)
    chosen = np.arange(values.shape[-1])[:, None] == largest
    heads = tf.reduce_sum(tf.multiply(moved, chosen.astype(np.complex128)), -2, keepdims=True)
    before = np.take_along_axis(vectors, largest, -2)
    turn = tf.multiply(tf.divide(tf.math.conj(heads), tf.cast(tf.abs(heads), tf.complex128)), before / np.abs(before))
    return tf.linalg.diag_part(inside), tf.multiply(moved, turn)


def _decomposed(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eig(to_ndarray(matrix))
    require(bool((np.linalg.cond(vectors) < _DEFECTIVE).all()), "vectors that span no space")
    return values.astype(np.complex128), vectors.astype(np.complex128)


def _in_basis(matrix: Any, vectors: np.ndarray) -> Any:
    """The matrix by its eigenvectors: diagonal, and near it to first order for one that changes."""
    return tf.matmul(np.linalg.inv(vectors), tf.matmul(tf.cast(matrix, tf.complex128), vectors))
