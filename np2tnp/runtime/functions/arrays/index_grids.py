"""Grids of coordinates, diagonals and triangles."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, host, is_tensor, on_host, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, dtype_of, promoted, requested_dtype
from np2tnp.runtime.base.promotion import array as tensor_of
from np2tnp.runtime.base.shapes import as_index
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.functions.arrays import creation
from np2tnp.runtime.functions.arrays.creation import arange, dimensions, refuse_like, refuse_order
from np2tnp.runtime.functions.axes import flat, rank_of
from np2tnp.runtime.functions.math.elementwise import select
from np2tnp.runtime.functions.statistics.cumulative import cumprod

__all__ = [
    "c_",
    "diag",
    "diagflat",
    "eye",
    "identity",
    "indices",
    "meshgrid",
    "mgrid",
    "ogrid",
    "r_",
    "tri",
    "tril",
    "triu",
    "vander",
]


# --- Grids of coordinates: meshgrid, indices, and the objects that are indexed (``mgrid``, ``ogrid``, ``r_``, ``c_``)


@exact("numpy.meshgrid")
def meshgrid(*xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Any:
    """``numpy.meshgrid``: a tuple of grids, each of its own input's dtype."""
    if indexing not in ("xy", "ij"):
        raise Unsupported("indexing")
    vectors = [flat(array(x)) for x in xi]
    count = len(vectors)
    order = list(range(count))
    if indexing == "xy" and count > 1:
        order[0], order[1] = 1, 0
    shaped = [tf.reshape(x, [-1 if j == order[i] else 1 for j in range(count)]) for i, x in enumerate(vectors)]
    if sparse:
        return tuple(shaped)
    sizes = [tf.size(vectors[i]) if vectors[i].shape[0] is None else vectors[i].shape[0] for i in order]
    return tuple(tf.broadcast_to(x, sizes) for x in shaped)


@exact("numpy.indices")
def indices(dimensions_: Any, dtype: Any = int, sparse: Any = False) -> Any:
    """``numpy.indices``: the place of every element, one grid a dimension; a tuple of open grids when `sparse`."""
    shape, wanted = dimensions(dimensions_), requested_dtype(dtype)
    if not isinstance(shape, tuple):
        raise Unsupported("a symbolic shape")
    if int(np.prod(shape)) <= creation.SMALL:
        found = np.indices(shape, wanted, sparse)
        return tuple(to_tensor(part) for part in found) if sparse else to_tensor(found)
    grids = meshgrid(*(cast(arange(size), wanted) for size in shape), sparse=sparse, indexing="ij")
    return grids if sparse else tf.stack(grids)


class Indexed:
    """What is indexed instead of called: ``rt.r_[...]``. Its helper takes the key."""

    def __init__(self, helper: Callable[[Any], Any]) -> None:
        self._helper = helper

    def __getitem__(self, key: Any) -> Any:
        return self._helper(key)


def _on_numpy(grid: Any) -> Callable[[Any], Any]:
    """NumPy's own indexing of `grid`, for keys that hold tensors in their slices, too."""
    return lambda key: grid[_known(key)]


def _known(key: Any) -> Any:
    if isinstance(key, slice):
        return slice(*map(host, (key.start, key.stop, key.step)))
    return tuple(map(_known, key)) if isinstance(key, tuple) else key


def _holds_tensor(key: Any) -> bool:
    if isinstance(key, slice):
        return any(map(is_tensor, (key.start, key.stop, key.step)))
    return any(map(_holds_tensor, key)) if isinstance(key, (tuple, list)) else is_tensor(key)


def _made_by_numpy(grid: Any, key: Any) -> Any:
    """NumPy makes what depends on no tensor; TensorFlow gets it."""
    if _holds_tensor(key):
        raise Unsupported("bounds that are tensors")
    return on_host(grid.__getitem__, (key,), {})


@exact("numpy.mgrid", _on_numpy(np.mgrid))
def _dense_grid(key: Any) -> Any:
    return _made_by_numpy(np.mgrid, key)


@exact("numpy.ogrid", _on_numpy(np.ogrid))
def _open_grid(key: Any) -> Any:
    return _made_by_numpy(np.ogrid, key)


@exact("numpy.r_", _on_numpy(np.r_))
def _in_a_row(key: Any) -> Any:
    parts = _parts(np.r_, key)
    return parts if is_tensor(parts) else tf.concat([x if rank_of(x) else x[None] for x in parts], 0)


@exact("numpy.c_", _on_numpy(np.c_))
def _as_columns(key: Any) -> Any:
    parts = _parts(np.c_, key)
    return (
        parts if is_tensor(parts) else tf.concat([x if rank_of(x) > 1 else tf.reshape(x, [-1, 1]) for x in parts], -1)
    )


def _parts(joiner: Any, key: Any) -> Any:
    """The items of a key as tensors of one dtype; what `joiner` itself makes of a key without tensors.

    A text, which says how to join, and items of different numbers of dimensions are left to NumPy.
    """
    if not _holds_tensor(key):
        return _made_by_numpy(joiner, key)
    items = key if isinstance(key, tuple) else (key,)
    if any(isinstance(item, str) for item in items):
        raise Unsupported("a text among the items")
    return promoted(*(_made_by_numpy(joiner, item) if isinstance(item, slice) else item for item in items))[0]


mgrid = Indexed(_dense_grid)
ogrid = Indexed(_open_grid)
r_ = Indexed(_in_a_row)
c_ = Indexed(_as_columns)


# --- Diagonals, triangles and matrices of powers

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
