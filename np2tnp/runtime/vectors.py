"""Operands made ready: an operation takes 30 µs to convert what ``tf.constant`` converts in 4, or what can be kept."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from np2tnp.runtime.lazy import tf


def reshaped(x: Any, shape: tuple[int, ...]) -> Any:
    """`x` with another shape."""
    return tf.raw_ops.Reshape(tensor=x, shape=shape_vector(shape))


def shape_vector(shape: tuple[int, ...]) -> Any:
    """A shape as an operand: a cached eager tensor, or an ndarray (a constant) while tracing."""
    return _eager(shape) if tf.executing_eagerly() else np.array(shape, np.int64)


def operand(array: Any) -> Any:
    """An ndarray as an operand: an eager tensor, or itself (a constant) while tracing. Tensors and numbers pass."""
    return tf.constant(array) if isinstance(array, np.ndarray) and tf.executing_eagerly() else array


@functools.lru_cache(maxsize=4096)
def _eager(shape: tuple[int, ...]) -> Any:
    return tf.constant(np.array(shape, np.int64))
