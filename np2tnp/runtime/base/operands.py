"""Operands made ready: an operation takes 30 µs to convert what ``tf.constant`` converts in 4, or what can be kept."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from np2tnp.runtime.base.lazy_tensorflow import tf


def reshaped(x: Any, shape: Iterable[int]) -> Any:
    """`x` with another shape."""
    return tf.raw_ops.Reshape(tensor=x, shape=shape_vector(tuple(shape)))


def broadcast(x: Any, shape: Iterable[int]) -> Any:
    """`x` broadcast to a shape."""
    return tf.raw_ops.BroadcastTo(input=x, shape=shape_vector(tuple(shape)))


def transposed(x: Any, order: Iterable[int] | None = None) -> Any:
    """`x` with its axes in another order, by default the reverse."""
    axes = range(x.shape.rank)[::-1] if order is None else order
    return tf.raw_ops.Transpose(x=x, perm=shape_vector(tuple(axes)))


def squeezed(x: Any, axes: list[int]) -> Any:
    """`x` without `axes`, each of length 1 and counted from the end."""
    if not tf.executing_eagerly():
        return tf.squeeze(x, axes)
    rank = x.shape.rank
    return reshaped(x, [length for number, length in enumerate(x.shape) if number - rank not in axes])


def sliced(x: Any, begin: Iterable[int], size: Iterable[int]) -> Any:
    """`size` elements on each axis of `x`, from `begin` on."""
    return tf.raw_ops.Slice(input=x, begin=shape_vector(tuple(begin)), size=shape_vector(tuple(size)))


def shape_vector(shape: tuple[int, ...]) -> Any:
    """A shape as an operand: a cached eager tensor, or an ndarray (a constant) while tracing."""
    return _eager(shape) if tf.executing_eagerly() else np.array(shape, np.int64)


def operand(array: Any) -> Any:
    """An ndarray as an operand: an eager tensor, or itself (a constant) while tracing. Tensors and numbers pass."""
    return tf.constant(array) if isinstance(array, np.ndarray) and tf.executing_eagerly() else array


@functools.lru_cache(maxsize=4096)
def _eager(shape: tuple[int, ...]) -> Any:
    return tf.constant(np.array(shape, np.int64))
