"""Grids of coordinates: meshgrid, indices, and the objects that are indexed (``mgrid``, ``ogrid``, ``r_``, ``c_``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime import creation
from np2tnp.runtime.axes import flat, rank_of
from np2tnp.runtime.base.dispatch import exact, host, is_tensor, on_host, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, promoted, requested_dtype
from np2tnp.runtime.creation import arange, dimensions

__all__ = ["c_", "indices", "meshgrid", "mgrid", "ogrid", "r_"]


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
