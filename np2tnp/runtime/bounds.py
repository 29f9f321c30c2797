"""Indices made safe for every device: for one out of range a GPU's gather gives zeros and its scatter does nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.dispatch import is_tensor
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.tracing import check


def wrapped(index: Any, length: int, axis: int) -> Any:
    """An integer index (int, ndarray or symbolic tensor) with negative values counted from the end, as int64.

    Raises IndexError for one out of range; a symbolic tensor is checked when the graph runs.
    """
    if is_tensor(index):
        index = tf.cast(index, tf.int64)
        inside = tf.reduce_all((index >= -length) & (index < length))
        check(inside, f"index out of bounds for axis {axis} with size {length}")
        return tf.where(index < 0, index + length, index)
    if isinstance(index, int):
        if not -length <= index < length:
            raise _outside(index, length, axis)
        return index % length
    if index.size:
        low, high = index.min(), index.max()
        if low < -length or high >= length:
            raise _outside(low if low < -length else high, length, axis)
        index = index.astype(np.int64, copy=False)
        if low < 0:
            index = np.where(index < 0, index + length, index)
        return index
    return index.astype(np.int64)


def _outside(index: Any, length: int, axis: int) -> IndexError:
    return IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")


def last_of_each(rows: Any) -> Any | None:
    """Which entries of a 1-D ndarray of positions to keep so that each position occurs once, with its last entry.

    None when all are different: nothing to drop.
    """
    count = rows.size
    if count < 2:
        return None
    _, first = np.unique(rows[::-1], return_index=True)
    return None if first.size == count else count - 1 - first
