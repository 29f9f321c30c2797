"""What only NumPy's libraries decide, inside a graph: eigenvectors, singular vectors, QR factors, the order of a hash;
and derivatives of these factors.

Signs, phases and order are the library's, so no operation of TensorFlow's has them. A graph can do what eager calls do:
ask NumPy on the host, as one step of its own (``tf.numpy_function``). Under XLA there is no such step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, is_tracing, resolve, to_ndarray
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import dtype_of
from np2tnp.runtime.base.shapes import rank_of, require, static_shape
from np2tnp.runtime.base.tracing import check, current

Shape = tuple[Any, ...]


def decomposed(name: str, reason: str, a: Any, **options: Any) -> Any:
    """What ``np.linalg.<name>(a, **options)`` gives, as tensors in NumPy's container, while a graph is traced.

    Where NumPy raises LinAlgError, or gives complex numbers for a real matrix, a check of the graph fails. Raises
    Unsupported in eager mode, and under XLA; NumPy's own exceptions for what it never takes.
    """
    trace = current()
    require(is_tracing() and (trace is None or trace.mode == "graph"), reason)
    matrix = as_tensor(a)
    rank_of(matrix)
    function = getattr(np.linalg, name)
    sample = function(_sample(matrix), **options)
    parts = sample if isinstance(sample, tuple) else (sample,)
    dtypes = [np.asarray(part).dtype for part in parts]

    def ask(array: np.ndarray) -> list[Any]:
        found = function(array, **options)
        return [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]

    def nothing(shape: Shape) -> list[Any]:
        return [np.zeros(each, dtype) for each, dtype in zip(_shapes(name, shape, options), dtypes, strict=True)]

    answers = _asked(name, ask, nothing, matrix, dtypes)
    for answer, shape in zip(answers, _shapes(name, tuple(matrix.shape), options), strict=True):
        answer.set_shape(shape)
    if not isinstance(sample, tuple):
        return answers[0]
    return type(sample)(*answers) if hasattr(sample, "_fields") else tuple(answers)


def asked(name: str, reason: str, a: Any, dtype: Any) -> Any:
    """The vector that NumPy's function `name` gives for one array, of a length that only the graph knows.

    dtype : of the result; where it turns out to be another one, or NumPy raises LinAlgError, a check fails. Raises
    Unsupported in eager mode, and under XLA.
    """
    trace = current()
    require(is_tracing() and (trace is None or trace.mode == "graph"), reason)
    function = resolve(name)
    wanted = np.dtype(dtype)
    (answer,) = _asked(
        name, lambda array: [np.asarray(function(array))], lambda _: [np.zeros(0, wanted)], as_tensor(a), [wanted]
    )
    answer.set_shape((None,))
    return answer


def _asked(
    name: str,
    ask: Callable[[Any], list[Any]],
    nothing: Callable[[Shape], list[Any]],
    tensor: Any,
    dtypes: list[np.dtype[Any]],
) -> list[Any]:
    """What `ask` gives for the tensor's value when the graph runs; `nothing`, by its shape, where a check fails."""

    def step(array: np.ndarray) -> list[Any]:
        try:
            found = ask(array)
        except np.linalg.LinAlgError:
            return [np.False_, *nothing(array.shape)]
        if [part.dtype for part in found] != dtypes:
            return [np.False_, *nothing(array.shape)]
        return [np.True_, *found]

    def given(tensor: Any) -> tuple[list[Any], Callable[..., Any]]:
        answers = tf.numpy_function(step, [tensor], [tf.bool, *map(tf.as_dtype, dtypes)], stateful=False)
        return answers, _refuse_gradient(name)

    sound, *answers = tf.custom_gradient(given)(tensor)
    check(tf.reshape(sound, ()), f"{name}: no convergence, or results of another dtype")
    return list(answers)


def _refuse_gradient(name: str) -> Callable[..., Any]:
    def gradient(*_: Any) -> Any:
        raise LookupError(f"no gradient for {name} inside tf.function: NumPy computes it on the host")

    return gradient


def _sample(matrix: Any) -> Any:
    """A small matrix of the same kind, on which NumPy raises what it would raise."""
    sizes = [1] * rank_of(matrix)
    last = tuple(matrix.shape)[-2:]
    if len(sizes) >= 2 and None not in last and last[0] != last[1]:
        sizes[-1] = 2
    return np.ones(sizes, dtype_of(matrix))


def _shapes(name: str, shape: Shape, options: dict[str, Any]) -> list[Shape]:
    """The results' shapes for a matrix of this one; None for lengths that are not known."""
    *batch, rows, columns = shape
    least = None if None in (rows, columns) else min(rows, columns)
    if name == "svd":
        if not options["compute_uv"]:
            return [(*batch, least)]
        left, right = (rows, columns) if options["full_matrices"] else (least, least)
        return [(*batch, rows, left), (*batch, least), (*batch, right, columns)]
    if name == "qr":
        mode = options["mode"]
        if mode == "raw":
            return [(*batch, columns, rows), (*batch, least)]
        height = rows if mode == "complete" else least
        triangle = (*batch, height, columns)
        return [triangle] if mode == "r" else [(*batch, rows, height), triangle]
    values = (*batch, rows)
    return [values] if name == "eigvals" else [values, (*batch, rows, columns)]


# --- Derivatives of matrix factors: TensorFlow's factors, with the signs that LAPACK chose

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
