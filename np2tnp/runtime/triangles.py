"""Diagonals, triangles and matrices of powers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from np2tnp.runtime import creation
from np2tnp.runtime.axes import flat, rank_of
from np2tnp.runtime.base.dispatch import exact, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array as tensor_of
from np2tnp.runtime.base.promotion import cast, dtype_of, requested_dtype
from np2tnp.runtime.base.shapes import as_index
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.creation import refuse_like, refuse_order
from np2tnp.runtime.elementwise import select
from np2tnp.runtime.running import cumprod

__all__ = [
    "diag",
    "diagflat",
    "eye",
    "identity",
    "tri",
    "tril",
    "triu",
    "vander",
]


# --- diagonals and triangles ------------------------------------------------------------------------------------------


def _triangle(rows: int, columns: int, k: int) -> Any:
    """The bool tensor of ``np.tri``."""
    if rows * columns <= creation.SMALL:
        return to_tensor(np.tri(rows, columns, k, dtype=bool))
    i, j = tf.range(rows, dtype=tf.int32), tf.range(columns, dtype=tf.int32)
    return op("GreaterEqual")(x=tf.expand_dims(i, 1) + k, y=j)


@exact("numpy.eye")
def eye(
    N: Any,  # noqa: N803
    M: Any = None,  # noqa: N803
    k: Any = 0,
    dtype: Any = float,
    order: Any = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Any:
    """``numpy.eye``: ones on the `k`-th diagonal."""
    refuse_like(device, like)
    refuse_order(order)
    rows = as_index(N)
    columns = rows if M is None else as_index(M)
    wanted = requested_dtype(dtype)
    if rows * columns <= creation.SMALL:
        return to_tensor(np.eye(rows, columns, k, wanted))
    i, j = tf.range(rows, dtype=tf.int32), tf.range(columns, dtype=tf.int32)
    return cast(op("Equal")(x=tf.expand_dims(i, 1) + operator.index(k), y=j), wanted)


@exact("numpy.identity")
def identity(n: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """``numpy.identity``: the square :func:`eye`."""
    return eye(n, dtype=float if dtype is None else dtype, like=like)


@exact("numpy.tri")
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, *, like: Any = None) -> Any:  # noqa: N803
    """``numpy.tri``: ones at and below the `k`-th diagonal."""
    refuse_like(None, like)
    rows = operator.index(N)
    return cast(_triangle(rows, rows if M is None else operator.index(M), operator.index(k)), requested_dtype(dtype))


def _triangle_of(x: Any, k: int) -> Any:
    shape = x.shape.as_list()[-2:]
    if not shape or None in shape:
        raise Unsupported("a triangle of an unknown shape")
    return _triangle(shape[0], shape[-1], k)


@exact("numpy.tril")
def tril(m: Any, k: Any = 0) -> Any:
    """``numpy.tril``: zeros above the `k`-th diagonal of the last two dimensions."""
    x = tensor_of(m)
    return select(_triangle_of(x, operator.index(k)), x, 0)


@exact("numpy.triu")
def triu(m: Any, k: Any = 0) -> Any:
    """``numpy.triu``: zeros below the `k`-th diagonal of the last two dimensions."""
    x = tensor_of(m)
    return select(_triangle_of(x, operator.index(k) - 1), tf.zeros_like(x), x)


@exact("numpy.diag")
def diag(v: Any, k: Any = 0) -> Any:
    """``numpy.diag``: a matrix from a vector, or the `k`-th diagonal of a matrix."""
    x, offset = tensor_of(v), operator.index(k)
    rank = rank_of(x)
    if rank == 1:
        return tf.linalg.diag(x, k=offset)
    if rank != 2 or not x.shape.is_fully_defined():
        raise Unsupported("a diagonal of this shape")
    rows, columns = x.shape
    length = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
    if length <= 0:
        return tf.zeros([0], x.dtype)
    start = offset if offset >= 0 else -offset * columns
    places = start + np.arange(length) * (columns + 1)
    return tf.gather(flat(x), places)


@exact("numpy.diagflat")
def diagflat(v: Any, k: Any = 0) -> Any:
    """``numpy.diagflat``: a matrix with the flattened input on its `k`-th diagonal."""
    return tf.linalg.diag(flat(tensor_of(v)), k=operator.index(k))


@exact("numpy.vander")
def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:  # noqa: N803
    """``numpy.vander``: columns of powers, by repeated multiplication; integers in int64."""
    values = tensor_of(x)
    if rank_of(values) != 1:
        raise Unsupported("not one dimension")
    columns = values.shape[0] if N is None else as_index(N)
    if columns is None or columns < 1:
        raise Unsupported("this number of columns")
    wanted = np.promote_types(dtype_of(values), int)
    values = tf.expand_dims(cast(values, wanted), 1)
    powers = tf.concat([tf.ones_like(values), cumprod(tf.repeat(values, columns - 1, axis=1), 1)], 1)
    return powers if increasing else tf.reverse(powers, [1])
