"""Grids of coordinates: meshgrid, indices, and the objects that are indexed (``mgrid``, ``ogrid``, ``r_``, ``c_``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime import creation
from np2tnp.runtime.axes import flat, rank_of
from np2tnp.runtime.creation import arange, dimensions
from np2tnp.runtime.dispatch import exact, is_tensor, is_tracing, on_host, to_tensor
from np2tnp.runtime.errors import Unsupported, UnverifiedError
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.promotion import array, cast, requested_dtype

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


def _holds_tensor(key: Any) -> bool:
    if isinstance(key, slice):
        return any(is_tensor(v) for v in (key.start, key.stop, key.step))
    return any(_holds_tensor(k) for k in key) if isinstance(key, (tuple, list)) else is_tensor(key)


class HostGrid:
    """``rt.mgrid[...]``: NumPy makes the grid, TensorFlow gets it."""

    def __init__(self, reference: Any) -> None:
        self._reference = reference

    def __getitem__(self, key: Any) -> Any:
        if is_tracing() and _holds_tensor(key):
            raise UnverifiedError("a grid whose size is not known while tracing")
        return on_host(self._reference.__getitem__, (_known_slices(key),), {})


def _known_slices(key: Any) -> Any:
    def known(value: Any) -> Any:
        return value.numpy()[()] if is_tensor(value) else value

    if isinstance(key, slice):
        return slice(known(key.start), known(key.stop), known(key.step))
    return tuple(_known_slices(k) for k in key) if isinstance(key, tuple) else key


class Joiner(HostGrid):
    """``rt.r_[...]`` and ``rt.c_[...]``: 1-D arrays, numbers and slices in a row, or 1-D arrays as columns."""

    def __init__(self, reference: Any, columns: bool) -> None:
        super().__init__(reference)
        self._columns = columns

    def __getitem__(self, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        if not any(is_tensor(item) for item in items) or any(isinstance(item, str) for item in items):
            return super().__getitem__(key)
        try:
            return self._joined(items)
        except Unsupported:
            return super().__getitem__(key)

    def _joined(self, items: tuple[Any, ...]) -> Any:
        parts = []
        for item in items:
            plain = self._reference[_known_slices(item)] if isinstance(item, slice) else item
            if type(plain) in (bool, int, float, complex) or rank_of(array(plain)) > 1:
                raise Unsupported("Python numbers, or more dimensions")
            parts.append(flat(array(plain)))
        common = np.result_type(*(part.dtype.as_numpy_dtype for part in parts))
        parts = [cast(part, common) for part in parts]
        return tf.stack(parts, axis=1) if self._columns else tf.concat(parts, 0)


mgrid = HostGrid(np.mgrid)
ogrid = HostGrid(np.ogrid)
r_ = Joiner(np.r_, columns=False)
c_ = Joiner(np.c_, columns=True)
