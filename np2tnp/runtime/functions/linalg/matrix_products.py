"""The part of ``rt.linalg`` that only multiplies and moves: products, traces, diagonals. Any numeric dtype."""

from __future__ import annotations

from typing import Any

from np2tnp.runtime.base.dispatch import as_tensor, exact
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import reshaped, transposed
from np2tnp.runtime.base.shapes import as_common, as_index, normal_axis, rank_of, require, sequence_of, static_shape
from np2tnp.runtime.functions.arrays.manipulation import swap
from np2tnp.runtime.functions.linalg.contractions import cross_of, diagonal_of, dot, product, times, trace_of
from np2tnp.runtime.functions.linalg.contractions import tensordot as _tensordot

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_transpose",
    "multi_dot",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
]


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
