"""``rt.linalg``: numpy.linalg through tf.linalg.

NumPy computes single precision in double precision and rounds the result, so this does too. Only what is unique comes
from TensorFlow: inverses, solutions, determinants, Cholesky factors, singular values, eigenvalues of Hermitian
matrices, norms. Eigenvectors, singular vectors and QR factors differ between libraries in sign and order, so NumPy
computes them on the host (in a graph as a step of it: runtime/functions/linalg/host_steps.py, which has their
derivatives, too).

Whether a matrix counts as singular is a matter of rounding. In eager mode a matrix that is singular to working
precision goes to NumPy, which raises LinAlgError or gives its own value; in ``tf.function`` TensorFlow's error stands.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tracing
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import broadcast, reshaped, transposed
from np2tnp.runtime.base.promotion import cast, dtype_of
from np2tnp.runtime.base.shapes import (
    as_common,
    as_index,
    as_indices,
    must_hold,
    normal_axis,
    rank_of,
    require,
    sequence_of,
    static_shape,
)
from np2tnp.runtime.base.tracing import check, current
from np2tnp.runtime.functions.arrays.manipulation import swap
from np2tnp.runtime.functions.axes import as_scalar
from np2tnp.runtime.functions.linalg import host_steps
from np2tnp.runtime.functions.linalg.contractions import cross_of, diagonal_of, dot, product, times, trace_of
from np2tnp.runtime.functions.linalg.contractions import tensordot as _tensordot
from np2tnp.runtime.functions.linalg.host_steps import decomposed
from np2tnp.runtime.functions.linalg.norms import (
    cond,
    in_double,
    is_clear_of,
    is_finite,
    is_well_conditioned,
    largest_of,
    largest_side,
    matrix_norm,
    norm,
    refuse_nothing,
    require_finite,
    singular_values,
    vector_norm,
)

# --- What only multiplies and moves: products, traces, diagonals. Any numeric dtype


@exact("numpy.linalg.multi_dot")
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """``np.linalg.multi_dot``: the cheapest order of products; a first or last vector is a row or a column."""
    require(out is None, "out")
    tensors = [as_tensor(array) for array in sequence_of(arrays)]
    require(len(tensors) >= 2, "fewer than two arrays")
    if len(tensors) == 2:
        return dot.__wrapped__(*tensors)  # type: ignore[attr-defined]
    first, last = rank_of(tensors[0]) == 1, rank_of(tensors[-1]) == 1
    tensors[0] = tf.expand_dims(tensors[0], 0) if first else tensors[0]
    tensors[-1] = tf.expand_dims(tensors[-1], 1) if last else tensors[-1]
    require(all(rank_of(t) == 2 for t in tensors), "dimensions")
    result = _chain(tensors)
    return reshaped(result, [d for d, drop in zip(static_shape(result), (first, last), strict=True) if not drop])


def _chain(tensors: list[Any]) -> Any:
    """The product of the matrices in the order of the fewest multiplications (the textbook dynamic program)."""
    sizes = [static_shape(tensors[0])[0]] + [static_shape(t)[1] for t in tensors]
    best: dict[tuple[int, int], tuple[float, int]] = {(i, i): (0.0, i) for i in range(len(tensors))}
    for length in range(1, len(tensors)):
        for i in range(len(tensors) - length):
            j = i + length
            best[i, j] = min(
                (best[i, k][0] + best[k + 1, j][0] + float(sizes[i]) * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            )

    def multiply(i: int, j: int) -> Any:
        if i == j:
            return tensors[i]
        k = best[i, j][1]
        (left, right), _ = as_common(multiply(i, k), multiply(k + 1, j))
        return product(left, right)

    return multiply(0, len(tensors) - 1)


@exact("numpy.linalg.cross")
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """``np.linalg.cross``: vectors of three components."""
    (left, right), _ = as_common(x1, x2)
    return cross_of(left, right, normal_axis(axis, rank_of(left)), normal_axis(axis, rank_of(right)), axis)


@exact("numpy.linalg.outer")
def outer(x1: Any, x2: Any, /) -> Any:
    """``np.linalg.outer``: of two vectors."""
    (left, right), _ = as_common(x1, x2)
    require(rank_of(left) == rank_of(right) == 1, "not vectors")
    return times(tf.expand_dims(left, 1), tf.expand_dims(right, 0))


@exact("numpy.linalg.matmul")
def matmul(x1: Any, x2: Any, /) -> Any:
    """``np.linalg.matmul``: leading axes broadcast, a vector is a row on the left and a column on the right."""
    (left, right), _ = as_common(x1, x2)
    require(rank_of(left) > 0 and rank_of(right) > 0, "a 0-d array")
    row, column = rank_of(left) == 1, rank_of(right) == 1
    result = product(tf.expand_dims(left, 0) if row else left, tf.expand_dims(right, 1) if column else right)
    shape = static_shape(result)
    keep = [*shape[:-2], *([] if row else [shape[-2]]), *([] if column else [shape[-1]])]
    return reshaped(result, keep)


@exact("numpy.linalg.vecdot")
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """``np.linalg.vecdot``: the first vector conjugated, other axes broadcast."""
    (left, right), _ = as_common(x1, x2)
    left = tf.math.conj(left) if left.dtype.is_complex else left
    first, second = normal_axis(axis, rank_of(left)), normal_axis(axis, rank_of(right))
    require(static_shape(left)[first] == static_shape(right)[second], "lengths differ")
    left = tf.expand_dims(_axis_last(left, first), -2)
    right = tf.expand_dims(_axis_last(right, second), -1)
    return tf.squeeze(product(left, right), (-2, -1))


def _axis_last(tensor: Any, axis: int) -> Any:
    return transposed(tensor, [i for i in range(rank_of(tensor)) if i != axis] + [axis])


@exact("numpy.linalg.matrix_transpose")
def matrix_transpose(x: Any, /) -> Any:
    """``np.linalg.matrix_transpose``."""
    tensor = as_tensor(x)
    require(rank_of(tensor) >= 2, "fewer than two dimensions")
    return swap(tensor, -1, -2)


@exact("numpy.linalg.diagonal")
def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """``np.linalg.diagonal``: of the last two axes."""
    tensor = as_tensor(x)
    require(rank_of(tensor) >= 2, "fewer than two dimensions")
    return diagonal_of(tensor, as_index(offset))


@exact("numpy.linalg.trace")
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """``np.linalg.trace``: over the last two axes."""
    tensor = as_tensor(x)
    require(rank_of(tensor) >= 2, "fewer than two dimensions")
    return trace_of(tensor, as_index(offset), dtype)


@exact("numpy.linalg.tensordot")
def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """``np.linalg.tensordot``."""
    return _tensordot.__wrapped__(x1, x2, axes)  # type: ignore[attr-defined]


__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


# --- Inverses, solutions, factors, eigenvalues

LinAlgError = np.linalg.LinAlgError


@functools.cache
def _result_type_of(name: str) -> type:
    """The namedtuple class that NumPy's function returns; NumPy does not export it."""
    return type(getattr(np.linalg, name)(np.eye(1)))


def _square(a: Any) -> tuple[Any, np.dtype[Any]]:
    tensor, dtype = in_double(a)
    shape = static_shape(tensor)
    require(len(shape) >= 2 and shape[-1] == shape[-2], "not square")
    return tensor, dtype


def _inverse(matrix: Any) -> Any:
    inverse = tf.linalg.inv(matrix)
    if 0 not in static_shape(matrix):
        _refuse_failed(inverse)
        _refuse_singular(_column_sums(matrix) * _column_sums(inverse), static_shape(matrix)[-1])
    return inverse


def _column_sums(matrix: Any) -> Any:
    """The largest sum of a column's sizes, for each matrix; NaN if there is one."""
    return tf.reduce_max(tf.reduce_sum(tf.abs(matrix), -2), -1)


def _refuse_failed(result: Any) -> None:
    """Where NumPy raises LinAlgError, XLA gives NaN, and its minimum and maximum lose that: look for it first."""
    if is_tracing():
        check(is_finite(result), "a matrix that is singular, not positive definite, or not finite")


def _refuse_singular(growth: Any, size: int) -> None:
    """Where NumPy raises LinAlgError, XLA gives numbers that are not finite, and near it rounding decides."""
    must_hold(is_well_conditioned(tf.math.reciprocal(growth), size), "a matrix close to singular")


@exact("numpy.linalg.inv")
def inv(a: Any) -> Any:
    """``np.linalg.inv`` of (stacks of) square matrices. Raises LinAlgError for singular ones."""
    matrix, dtype = _square(a)
    return cast(_inverse(matrix), dtype)


def _solved(matrix: Any, right: Any) -> Any:
    """The solution of ``matrix @ x = right``, refused where the matrix is close to singular.

    Two more right-hand sides, without structure, tell how much solutions grow: that costs less than a condition number.
    """
    size = static_shape(matrix)[-1]
    require(static_shape(right)[-2] == size, "lengths differ")
    batch = np.broadcast_shapes(static_shape(matrix)[:-2], static_shape(right)[:-2])
    matrix = _broadcast(matrix, (*batch, size, size))
    right = _broadcast(right, batch + static_shape(right)[-2:])
    if 0 in static_shape(matrix):
        return tf.linalg.solve(matrix, right)
    probes = _broadcast(tf.constant(_probes(size, dtype_of(matrix))), (*batch, size, 2))
    both = tf.linalg.solve(matrix, tf.concat([right, probes], -1))
    _refuse_failed(both)
    solution, grown = tf.split(both, [static_shape(right)[-1], 2], -1)
    _refuse_singular(tf.reduce_max(tf.abs(grown), [-2, -1]) * _column_sums(matrix), size)
    return solution


def _broadcast(tensor: Any, shape: tuple[int, ...]) -> Any:
    return tensor if static_shape(tensor) == shape else broadcast(tensor, shape)


@functools.lru_cache(maxsize=64)
def _probes(size: int, dtype: np.dtype[Any]) -> np.ndarray:
    steps = np.arange(1, size + 1)[:, np.newaxis] * np.array([0.6180339887498949, 0.7548776662466927])
    return np.asarray(1.0 + steps % 1.0, dtype)


@exact("numpy.linalg.solve")
def solve(a: Any, b: Any) -> Any:
    """``np.linalg.solve``; `b` is a vector only if it has one dimension (NumPy 2). Raises LinAlgError when singular."""
    matrix, dtype_a = _square(a)
    right, dtype_b = in_double(b)
    if matrix.dtype != right.dtype:
        matrix, right = tf.cast(matrix, tf.complex128), tf.cast(right, tf.complex128)
    dtype = np.result_type(dtype_a, dtype_b)
    if rank_of(right) == 1:
        return cast(tf.squeeze(_solved(matrix, tf.expand_dims(right, -1)), -1), dtype)
    return cast(_solved(matrix, right), dtype)


@exact("numpy.linalg.tensorsolve")
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """``np.linalg.tensorsolve``."""
    tensor, right = as_tensor(a), as_tensor(b)
    order = list(range(rank_of(tensor)))
    for axis in () if axes is None else as_indices(axes):
        order.remove(axis)
        order.append(axis)
    tensor = transposed(tensor, order)
    shape = static_shape(tensor)[rank_of(right) :] if rank_of(right) else ()
    size = math.prod(shape)
    require(math.prod(static_shape(tensor)) == size**2, "not square")
    return reshaped(_native(solve)(reshaped(tensor, (size, size)), reshaped(right, (-1,))), shape)


@exact("numpy.linalg.tensorinv")
def tensorinv(a: Any, ind: int = 2) -> Any:
    """``np.linalg.tensorinv``."""
    tensor = as_tensor(a)
    shape = static_shape(tensor)
    require(as_index(ind) > 0 and len(shape) > 0, "ind, or no axis")
    size = math.prod(shape[ind:])
    return reshaped(_native(inv)(reshaped(tensor, (size, -1))), shape[ind:] + shape[:ind])


def _native(helper: Any) -> Any:
    """The helper without its dispatcher: what has no TensorFlow form here is the caller's to hand over, once."""
    return helper.__wrapped__


@exact("numpy.linalg.det")
def det(a: Any) -> Any:
    """``np.linalg.det``. For a singular matrix both libraries give rounding noise or zero."""
    matrix, dtype = _square(a)
    return cast(tf.linalg.det(matrix), dtype)


@exact("numpy.linalg.slogdet")
def slogdet(a: Any) -> Any:
    """``np.linalg.slogdet``: the named tuple (sign, logabsdet)."""
    matrix, dtype = _square(a)
    if not is_tracing() and 0 not in static_shape(matrix):
        pivots = tf.abs(tf.linalg.diag_part(tf.linalg.lu(matrix)[0]))
        ratio = tf.divide(tf.reduce_min(pivots, -1), tf.reduce_max(pivots, -1))
        must_hold(is_well_conditioned(ratio, static_shape(matrix)[-1]), "a matrix close to singular")
    if is_tracing():
        check(is_finite(matrix), "a matrix that is not finite")
    sign, size = tf.linalg.slogdet(matrix)
    real = tf.math.real(size) if size.dtype.is_complex else size
    return _result_type_of("slogdet")(cast(sign, dtype), cast(real, np.zeros(0, dtype).real.dtype))


@exact("numpy.linalg.cholesky")
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """``np.linalg.cholesky``: reads one triangle only. Raises LinAlgError unless positive definite."""
    matrix, dtype = _square(a)
    made = current()
    require(made is None or made.mode != "xla" or not matrix.dtype.is_complex, "complex matrices under XLA")
    factor = tf.linalg.cholesky(tf.linalg.adjoint(matrix) if upper else matrix)
    if 0 not in static_shape(matrix):  # a failed factorisation is NaN, on some devices zero
        diagonal = tf.math.real(tf.linalg.diag_part(factor))
        _refuse_failed(diagonal)
        ratio = tf.square(tf.divide(tf.reduce_min(diagonal, -1), tf.reduce_max(diagonal, -1)))
        must_hold(is_well_conditioned(ratio, static_shape(matrix)[-1]), "not clearly positive definite")
    return cast(tf.linalg.adjoint(factor) if upper else factor, dtype)


@exact("numpy.linalg.svd", differentiable=host_steps.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """``np.linalg.svd``: singular values alone in TensorFlow, vectors on the host (their signs are LAPACK's)."""
    if compute_uv or hermitian:
        options = {"full_matrices": full_matrices, "compute_uv": compute_uv, "hermitian": hermitian}
        return decomposed("svd", "singular vectors", a, **options)
    return singular_values(a)


@exact("numpy.linalg.svdvals")
def svdvals(x: Any, /) -> Any:
    """``np.linalg.svdvals``: descending."""
    return singular_values(x)


@exact("numpy.linalg.eigvalsh")
def eigvalsh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's parameter name
    """``np.linalg.eigvalsh``: ascending; reads the triangle that `UPLO` names, on every device."""
    matrix, dtype = _square(a)
    require(isinstance(UPLO, str) and UPLO.upper() in ("L", "U"), "UPLO")
    half = tf.linalg.adjoint(matrix) if UPLO.upper() == "U" else matrix
    strict = tf.linalg.band_part(half, -1, 0)
    real_diagonal = tf.cast(tf.math.real(tf.linalg.diag_part(matrix)), matrix.dtype)
    whole = tf.linalg.set_diag(tf.add(strict, tf.linalg.adjoint(strict)), real_diagonal)
    require_finite(whole)
    values = tf.linalg.eigvalsh(whole)
    values = tf.math.real(values) if values.dtype.is_complex else values
    return cast(values, np.zeros(0, dtype).real.dtype)


@exact("numpy.linalg.eig", differentiable=host_steps.eig)
def eig(a: Any) -> Any:
    """``np.linalg.eig``, on the host: order and scaling are LAPACK's."""
    return decomposed("eig", "eigenvectors", a)


@exact("numpy.linalg.eigh", differentiable=host_steps.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """``np.linalg.eigh``, on the host: the signs of the vectors are LAPACK's."""
    return decomposed("eigh", "eigenvectors", a, UPLO=UPLO)


@exact("numpy.linalg.eigvals", differentiable=host_steps.eigvals)
def eigvals(a: Any) -> Any:
    """``np.linalg.eigvals``, on the host: order and a real or complex dtype are LAPACK's."""
    return decomposed("eigvals", "eigenvalues in LAPACK's order", a)


@exact("numpy.linalg.qr", differentiable=host_steps.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """``np.linalg.qr``, on the host: the signs are LAPACK's."""
    return decomposed("qr", "QR factors", a, mode=mode)


@exact("numpy.linalg.matrix_rank")
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:  # noqa: N803
    """``np.linalg.matrix_rank``. Singular values near the threshold are NumPy's to judge."""
    require(not hermitian and tol is None and (rtol is None or isinstance(rtol, float)), "tolerances")
    require(rank_of(as_tensor(A)) >= 2, "a vector")
    values = singular_values(A)
    refuse_nothing(values)
    if rtol is None:
        rtol = largest_side(as_tensor(A)) * float(np.finfo(dtype_of(values)).eps)
    threshold = tf.multiply(largest_of(values), as_scalar(rtol, values.dtype))
    must_hold(is_clear_of(values, threshold), "singular values near the threshold")
    return tf.reduce_sum(tf.cast(tf.greater(values, threshold), tf.int64), -1)


@exact("numpy.linalg.pinv")
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """``np.linalg.pinv``. Singular values near the cutoff are NumPy's to judge."""
    require(not hermitian, "hermitian")
    matrix, dtype = in_double(a)
    require(rank_of(matrix) >= 2, "fewer than two dimensions")
    refuse_nothing(matrix)
    require(rcond is None or rtol is np._NoValue, "both tolerances")
    limit = (1e-15 if rtol is np._NoValue else rtol) if rcond is None else rcond
    require(limit is None or isinstance(limit, (float, np.floating)), "several tolerances")
    require(limit is not None or dtype_of(as_tensor(a)).kind in "fc", "integers, which have no precision")
    limit = largest_side(matrix) * float(np.finfo(dtype).eps) if limit is None else float(limit)
    require_finite(matrix)
    values, left, right = tf.linalg.svd(matrix, full_matrices=False)
    inverse, _ = _reciprocals(values, limit)
    scaled = tf.multiply(right, tf.cast(tf.expand_dims(inverse, -2), right.dtype))
    return cast(tf.matmul(scaled, left, adjoint_b=True), dtype)


def _reciprocals(values: Any, rcond: Any) -> tuple[Any, Any]:
    """1/s for the singular values above the cutoff, 0 for the others; and which are above."""
    cutoff = tf.multiply(largest_of(values), as_scalar(rcond, values.dtype))
    must_hold(is_clear_of(values, cutoff), "singular values near the cutoff")
    large = tf.greater(values, cutoff)
    return tf.math.divide_no_nan(tf.cast(large, values.dtype), values), large


@exact("numpy.linalg.lstsq")
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, ...]:
    """``np.linalg.lstsq``: (solution of least norm, residuals, rank, singular values)."""
    matrix, dtype_a = in_double(a)
    right, dtype_b = in_double(b)
    dtype = np.result_type(dtype_a, dtype_b)
    real = np.zeros(0, dtype).real.dtype
    require(rank_of(matrix) == 2 and rank_of(right) in (1, 2), "dimensions")
    require(rcond is None or 0 < float(rcond) < 1, "a tolerance that LAPACK takes for the precision")
    rows, columns = static_shape(matrix)
    require(static_shape(right)[0] == rows, "lengths differ")
    refuse_nothing(matrix, right)
    if matrix.dtype != right.dtype:
        matrix, right = tf.cast(matrix, tf.complex128), tf.cast(right, tf.complex128)
    block = tf.expand_dims(right, -1) if rank_of(right) == 1 else right
    require_finite(matrix, right)
    values, left, vectors = tf.linalg.svd(matrix, full_matrices=False)
    limit = float(np.finfo(np.float64).eps) * max(rows, columns) if rcond is None else float(rcond)
    inverse, large = _reciprocals(values, limit)
    rank = tf.reduce_sum(tf.cast(large, tf.int32))
    weights = tf.cast(tf.expand_dims(inverse, -1), matrix.dtype)
    solution = tf.matmul(vectors, tf.multiply(weights, tf.matmul(left, block, adjoint_a=True)))
    if rows > columns and _is_full(rank, columns):
        miss = tf.abs(tf.subtract(block, tf.matmul(matrix, solution)))
        residuals = tf.reduce_sum(tf.square(miss), 0)
    else:
        residuals = tf.zeros((0,), tf.float64)
    solution = tf.squeeze(solution, -1) if rank_of(right) == 1 else solution
    return cast(solution, dtype), cast(residuals, real), rank, cast(values, real)


def _is_full(rank: Any, columns: int) -> bool:
    """Whether there are residuals. A graph, whose results have one shape, is made for that."""
    if not is_tracing():
        return int(rank.numpy()) == columns
    check(tf.equal(rank, columns), "a system without full rank")
    return True


@exact("numpy.linalg.matrix_power")
def matrix_power(a: Any, n: int) -> Any:
    """``np.linalg.matrix_power``: integers wrap as NumPy's, negative powers invert."""
    matrix = as_tensor(a)
    shape = static_shape(matrix)
    require(len(shape) >= 2 and shape[-1] == shape[-2] and 0 not in shape, "not square")
    power = as_index(n)
    if power == 0:
        require(matrix.dtype != tf.bool, "bool")
        return broadcast(cast(tf.eye(shape[-1], dtype=tf.float64), dtype_of(matrix)), shape)
    if power < 0:
        matrix, power = _native(inv)(matrix), -power
    if power == 3:  # NumPy's order of products, which rounding and infinities show
        return product(product(matrix, matrix), matrix)
    result: Any = None
    while power:
        power, bit = divmod(power, 2)
        if bit:
            result = matrix if result is None else product(result, matrix)
        matrix = product(matrix, matrix) if power else matrix
    return result  # the first power is the very array
