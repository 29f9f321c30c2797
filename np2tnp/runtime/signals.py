"""One-dimensional convolution and correlation, summed directly (no Fourier transform: that would round differently)."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tracing
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import dtype_of
from np2tnp.runtime.base.shapes import as_common, is_all_finite, rank_of, require, slice_axis, static_shape
from np2tnp.runtime.contractions import from_working, product, to_working

__all__ = ["convolve", "correlate"]

#: Up to this many coefficients the shifted copies are added one by one; more go through a matrix product.
_SHORT = 16


def full_convolution(signal: Any, kernel: Any) -> Any:
    """The full convolution of tensors of one dtype, each with a value at least; the kernel is not the longer one."""
    dtype = dtype_of(signal)
    length, width = static_shape(signal)[0], static_shape(kernel)[0]
    if dtype.char == "?":
        counted = full_convolution(tf.cast(signal, tf.int64), tf.cast(kernel, tf.int64))
        return tf.not_equal(counted, 0)
    signal, kernel = to_working(signal, dtype), to_working(kernel, dtype)
    if width <= _SHORT or is_tracing() or not is_all_finite(signal, kernel):
        require(width <= 8 * _SHORT, "a long kernel of values that may not be finite")
        total: Any = None
        for place, coefficient in enumerate(tf.unstack(kernel)):
            part = tf.pad(tf.multiply(signal, coefficient), [(place, width - 1 - place)])
            total = part if total is None else tf.add(total, part)
        return from_working(total, dtype)
    # Frames of the signal times a band matrix of the kernel: twice the multiplications, all in one matrix product.
    frames = -(-(length + width - 1) // width)
    padded = tf.pad(signal, [(width - 1, frames * width - length)])
    starts = np.arange(frames)[:, np.newaxis] * width + np.arange(2 * width - 1)
    lags = np.arange(width)[np.newaxis, :] + (width - 1) - np.arange(2 * width - 1)[:, np.newaxis]
    inside = (lags >= 0) & (lags < width)
    band = tf.where(inside, tf.gather(kernel, np.clip(lags, 0, width - 1)), tf.zeros((), kernel.dtype))
    whole = tf.reshape(product(tf.gather(padded, starts), band), (-1,))
    return from_working(slice_axis(whole, 0, None, length + width - 1), dtype)


def _part(full: Any, length: int, width: int, mode: Any) -> Any:
    """What `mode` keeps of a full convolution of `length` values with a kernel of `width`."""
    require(mode in ("full", "same", "valid"), f"mode {mode!r}")
    if mode == "full":
        return full
    if mode == "same":
        start = (width - 1) // 2
        return slice_axis(full, 0, start, start + length)
    return slice_axis(full, 0, width - 1, length)


def _pair(a: Any, v: Any) -> tuple[Any, Any]:
    (left, right), _ = as_common(a, v)
    left, right = (tf.reshape(t, (1,)) if rank_of(t) == 0 else t for t in (left, right))
    require(rank_of(left) == rank_of(right) == 1, "dimensions")
    require(static_shape(left)[0] > 0 and static_shape(right)[0] > 0, "an empty array")
    return left, right


@exact("numpy.convolve")
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """``np.convolve``: integers wrap as NumPy's, floats are summed directly."""
    signal, kernel = _pair(a, v)
    if static_shape(kernel)[0] > static_shape(signal)[0]:
        signal, kernel = kernel, signal
    return _part(full_convolution(signal, kernel), static_shape(signal)[0], static_shape(kernel)[0], mode)


@exact("numpy.correlate")
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """``np.correlate``: the second argument conjugated."""
    require(rank_of(as_tensor(a)) == rank_of(as_tensor(v)) == 1, "dimensions")
    signal, kernel = _pair(a, v)
    length, width = static_shape(signal)[0], static_shape(kernel)[0]
    kernel = tf.math.conj(kernel) if kernel.dtype.is_complex else kernel
    kernel = tf.reverse(kernel, (0,))
    if width > length:  # NumPy swaps them, and turns the result round
        # the centre of "same" is measured from the other end then
        full = tf.reverse(full_convolution(kernel, signal), (0,))
        return tf.reverse(_part(full, width, length, mode), (0,))
    return _part(full_convolution(signal, kernel), length, width, mode)
