"""Axes, counts and masks: what every reduction needs to know about its input."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, constant, is_plain_tensor
from np2tnp.runtime.base.ufunc_tables import op

__all__: list[str] = []

#: Stands for "not given" where NumPy uses ``np._NoValue``.
UNSET: Any = np._NoValue


def given(value: Any, default: Any) -> Any:
    """`value`, or `default` where the caller gave none."""
    return default if value is UNSET else value


def keeps(keepdims: Any) -> bool:
    """``keepdims`` as a bool. NumPy's reductions take Python's bools and integers alone, not even its own bools."""
    if keepdims is UNSET:
        return False
    if not isinstance(keepdims, (int, np.integer)):
        raise Unsupported("keepdims that is no integer")
    return bool(keepdims)


def refuse_out(out: Any) -> None:
    """Leave a call with ``out=`` to NumPy: a tensor cannot be written to."""
    if out is not None and out is not UNSET:
        raise Unsupported("out")


def rank_of(x: Any) -> int:
    """The number of dimensions. Raises Unsupported where tracing does not know it."""
    rank = x.shape.rank
    if rank is None:
        raise Unsupported("an unknown number of dimensions")
    return int(rank)


def normal_axis(axis: Any, rank: int) -> int:
    """One axis as an int from 0. Raises Unsupported when it is not in range, so that NumPy raises its AxisError."""
    if isinstance(axis, (bool, np.bool_)):
        raise Unsupported("bool as axis")
    index = operator.index(axis)
    if not -rank <= index < rank:
        raise Unsupported(f"axis {index} of {rank} dimensions")
    return index % rank


def normal_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that ``axis=`` names, sorted, each from 0. ``None`` names all."""
    if axis is None:
        return tuple(range(rank))
    if isinstance(axis, (tuple, list)):
        if isinstance(axis, list):
            raise Unsupported("a list as axis")
        found = [normal_axis(a, rank) for a in axis]
        if len(set(found)) != len(found):
            raise Unsupported("duplicate axes")
        return tuple(sorted(found))
    return (normal_axis(axis, rank),)


def axes_tensor(axes: tuple[int, ...]) -> Any:
    """The int32 tensor of some axes (kept in eager mode: making one costs as much as a small reduction)."""
    if tf.executing_eagerly():
        return _kept_axes(axes)
    return tf.constant(np.asarray(axes, np.int32))


@functools.lru_cache(maxsize=256)
def _kept_axes(axes: tuple[int, ...]) -> Any:
    return tf.constant(np.asarray(axes, np.int32))


def reduce_with(name: str, x: Any, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    """One raw reduction over `axes`."""
    return op(name)(input=x, axis=axes_tensor(axes), keep_dims=bool(keepdims))


def count_along(x: Any, axes: tuple[int, ...]) -> int | Any:
    """The number of elements that a reduction over `axes` takes together: an int, or an int64 tensor while tracing."""
    sizes = [x.shape[a] for a in axes]
    if all(size is not None for size in sizes):
        return int(np.prod([int(size) for size in sizes], dtype=np.int64))
    shape = op("Shape")(input=x, out_type=tf.int64)
    return tf.reduce_prod(tf.gather(shape, list(axes)))


def refuse_empty(x: Any, axes: tuple[int, ...]) -> None:
    """Leave reductions without an identity over no elements to NumPy, which raises ValueError."""
    if any(x.shape[a] == 0 for a in axes):
        raise Unsupported("a reduction of nothing")


def as_scalar(count: Any, dtype: Any) -> Any:
    """A count from :func:`count_along` as a 0-d tensor of `dtype` (or the tensor, cast)."""
    return cast(count, dtype) if is_plain_tensor(count) else constant(count, dtype)


def mask_for(where: Any, x: Any) -> Any:
    """``where=`` as a bool tensor of the shape of `x`; None when it is plainly True."""
    if where is UNSET or where is True:
        return None
    mask = array(where)
    if mask.dtype != tf.bool:
        raise Unsupported(f"where of dtype {mask.dtype}")
    if mask.shape.rank is None or mask.shape.rank > rank_of(x):
        raise Unsupported("where with more dimensions")
    return tf.broadcast_to(mask, op("Shape")(input=x))


def flat(x: Any) -> Any:
    """`x` with one dimension, in C order."""
    return op("Reshape")(tensor=x, shape=axes_tensor((-1,)))
