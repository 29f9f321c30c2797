"""Shapes as operands: TensorFlow takes 30 µs to convert a Python list that it could be given as a tensor."""

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


@functools.lru_cache(maxsize=4096)
def _eager(shape: tuple[int, ...]) -> Any:
    return tf.constant(np.array(shape, np.int64))
