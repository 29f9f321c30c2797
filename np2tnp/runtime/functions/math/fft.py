"""``rt.fft``: numpy.fft through tf.signal, on any axis, with NumPy's lengths, norms and dtypes.

Single precision gives complex64, all else complex128 (NumPy 2); half precision is left to NumPy.
Values agree within k·eps of the largest sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, dtype_of
from np2tnp.runtime.base.shapes import as_index, as_indices, normal_axis, rank_of, require, slice_axis, static_shape
from np2tnp.runtime.functions.arrays.manipulation import rolled

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _complex(a: Any) -> Any:
    tensor = _full(a)
    return cast(tensor, np.complex64 if dtype_of(tensor).char in "fF" else np.complex128)


def _real(a: Any) -> Any:
    tensor = _full(a)
    require(not tensor.dtype.is_complex, "complex input to a real transform")
    return cast(tensor, np.float32 if dtype_of(tensor).char == "f" else np.float64)


def _full(a: Any) -> Any:
    """`a` as a tensor. Half precision is NumPy's: it rounds the scale factor, and real results, to half precision."""
    tensor = as_tensor(a)
    require(dtype_of(tensor).char != "e", "half precision")
    return tensor


def _length(tensor: Any, n: Any, axis: int) -> int:
    length = static_shape(tensor)[axis] if n is None else as_index(n)
    require(length >= 1, "no data points")
    return length


def _fit(tensor: Any, length: int, axis: int) -> Any:
    """The tensor cut or padded with zeros to `length` on one axis."""
    present = static_shape(tensor)[axis]
    if present > length:
        return slice_axis(tensor, axis, None, length)
    if present < length:
        return tf.pad(tensor, [(0, length - present if i == axis else 0) for i in range(rank_of(tensor))])
    return tensor


def _along(function: Any, tensor: Any, axis: int) -> Any:
    """`function`, which works on the last axis, on another axis."""
    last = rank_of(tensor) - 1
    if axis == last:
        return function(tensor)
    order = [i for i in range(last + 1) if i != axis] + [axis]
    return tf.transpose(function(tf.transpose(tensor, order)), [order.index(i) for i in range(last + 1)])


def _scaled(tensor: Any, length: int, norm: str | None, inverse: bool) -> Any:
    """The result of a transform (its inverse divided by the length already) under NumPy's `norm`."""
    require(norm in _OPPOSITE, f"norm {norm!r}")
    if norm == "ortho":
        factor = np.sqrt(length) if inverse else 1 / np.sqrt(length)
    else:
        factor = (length if inverse else 1 / length) if norm == "forward" else 1
    if factor == 1:
        return tensor
    if not tensor.dtype.is_complex:
        return tf.multiply(tensor, tf.constant(np.asarray(factor, dtype_of(tensor))))
    # by a real number, as NumPy does: a complex one makes NaN of what stands beside an infinite or NaN part
    real, imaginary = tf.math.real(tensor), tf.math.imag(tensor)
    scale = tf.constant(np.asarray(factor, dtype_of(real)))
    return tf.complex(tf.multiply(real, scale), tf.multiply(imaginary, scale))


def _forward(tensor: Any, n: Any, axis: int, norm: str | None) -> Any:
    length = _length(tensor, n, axis)
    return _scaled(_along(tf.signal.fft, _fit(tensor, length, axis), axis), length, norm, inverse=False)


def _inverse(tensor: Any, n: Any, axis: int, norm: str | None) -> Any:
    length = _length(tensor, n, axis)
    return _scaled(_along(tf.signal.ifft, _fit(tensor, length, axis), axis), length, norm, inverse=True)


def _real_forward(tensor: Any, n: Any, axis: int, norm: str | None) -> Any:
    length = _length(tensor, n, axis)
    fitted = _fit(tensor, length, axis)
    return _scaled(_along(lambda t: tf.signal.rfft(t, (length,)), fitted, axis), length, norm, inverse=False)


def _real_inverse(tensor: Any, n: Any, axis: int, norm: str | None) -> Any:
    length = 2 * (static_shape(tensor)[axis] - 1) if n is None else as_index(n)
    require(length >= 1, "no data points")
    fitted = _fit(tensor, length // 2 + 1, axis)
    return _scaled(_along(lambda t: tf.signal.irfft(t, (length,)), fitted, axis), length, norm, inverse=True)


@exact("numpy.fft.fft")
def fft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.fft``."""
    require(out is None, "out")
    tensor = _complex(a)
    return _forward(tensor, n, normal_axis(axis, rank_of(tensor)), norm)


@exact("numpy.fft.ifft")
def ifft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.ifft``."""
    require(out is None, "out")
    tensor = _complex(a)
    return _inverse(tensor, n, normal_axis(axis, rank_of(tensor)), norm)


@exact("numpy.fft.rfft")
def rfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.rfft``: n//2+1 complex values of n real ones. Raises TypeError for complex input."""
    require(out is None, "out")
    tensor = _real(a)
    return _real_forward(tensor, n, normal_axis(axis, rank_of(tensor)), norm)


@exact("numpy.fft.irfft")
def irfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.irfft``: n real values, by default 2*(m-1)."""
    require(out is None, "out")
    tensor = _complex(a)
    return _real_inverse(tensor, n, normal_axis(axis, rank_of(tensor)), norm)


@exact("numpy.fft.hfft")
def hfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.hfft``: of a signal with Hermitian symmetry."""
    require(out is None and norm in _OPPOSITE, "out or norm")
    tensor = tf.math.conj(_complex(a))
    return _real_inverse(tensor, n, normal_axis(axis, rank_of(tensor)), _OPPOSITE[norm])


@exact("numpy.fft.ihfft")
def ihfft(a: Any, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.ihfft``."""
    require(out is None and norm in _OPPOSITE, "out or norm")
    tensor = _real(a)
    return tf.math.conj(_real_forward(tensor, n, normal_axis(axis, rank_of(tensor)), _OPPOSITE[norm]))


def _plan(tensor: Any, s: Any, axes: Any, real_inverse: bool = False) -> tuple[list[int], list[int]]:
    """Lengths and normal axes of an n-dimensional transform, as NumPy reads them (-1: the whole axis)."""
    shape = static_shape(tensor)
    ndim = len(shape)
    require(np.ndim(s) == 1 or s is None, "lengths that are not a sequence")
    require(np.ndim(axes) == 1 or axes is None, "axes that are not a sequence")
    numbers = list(range(ndim)) if axes is None and s is None else None
    if numbers is None:
        numbers = list(range(-len(as_indices(s)), 0)) if axes is None else list(as_indices(axes))
    places = [normal_axis(axis, ndim) for axis in numbers]
    lengths = [shape[axis] for axis in places] if s is None else list(as_indices(s))
    require(len(lengths) == len(places), "as many lengths as axes")
    if real_inverse and s is None:
        require(len(places) > 0, "no axis")
        lengths[-1] = (shape[places[-1]] - 1) * 2
    return [shape[axis] if n == -1 else n for n, axis in zip(lengths, places, strict=True)], places


def _over_axes(tensor: Any, lengths: Sequence[int], axes: Sequence[int], norm: str | None, inverse: bool) -> Any:
    """Complex transforms over several axes: one two- or three-dimensional operation where nothing is cut or padded."""
    shape = static_shape(tensor)
    whole = all(shape[axis] == n >= 1 for n, axis in zip(lengths, axes, strict=True))
    if whole and len(axes) in (2, 3) and len(set(axes)) == len(axes):
        names = {(2, False): "fft2d", (2, True): "ifft2d", (3, False): "fft3d", (3, True): "ifft3d"}
        order = [i for i in range(len(shape)) if i not in axes] + list(axes)
        result = getattr(tf.signal, names[len(axes), inverse])(tf.transpose(tensor, order))
        result = tf.transpose(result, [order.index(i) for i in range(len(shape))])
        return _scaled(result, math.prod(lengths), norm, inverse)
    for n, axis in zip(reversed(lengths), reversed(axes), strict=True):
        tensor = (_inverse if inverse else _forward)(tensor, n, axis, norm)
    return tensor


def _complex_n(a: Any, s: Any, axes: Any, norm: str | None, inverse: bool) -> Any:
    tensor = _full(a)
    lengths, places = _plan(tensor, s, axes)
    if places:
        return _over_axes(_complex(tensor), lengths, places, norm, inverse)
    if tensor.shape.rank != 0:  # the very array, to whoever updates it
        raise UnverifiedError("np.fft.fftn over no axis gives its argument itself")
    return tf.identity(tensor)


@exact("numpy.fft.fftn")
def fftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.fftn``."""
    require(out is None, "out")
    return _complex_n(a, s, axes, norm, inverse=False)


@exact("numpy.fft.ifftn")
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.ifftn``."""
    require(out is None, "out")
    return _complex_n(a, s, axes, norm, inverse=True)


@exact("numpy.fft.fft2")
def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.fft2``."""
    require(out is None, "out")
    return _complex_n(a, s, axes, norm, inverse=False)


@exact("numpy.fft.ifft2")
def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.ifft2``."""
    require(out is None, "out")
    return _complex_n(a, s, axes, norm, inverse=True)


def _real_forward_n(a: Any, s: Any, axes: Any, norm: str | None) -> Any:
    tensor = _real(a)
    lengths, places = _plan(tensor, s, axes)
    require(len(places) > 0, "no axis")
    tensor = _real_forward(tensor, lengths[-1], places[-1], norm)
    return _over_axes(tensor, lengths[:-1], places[:-1], norm, inverse=False)


def _real_inverse_n(a: Any, s: Any, axes: Any, norm: str | None) -> Any:
    tensor = _complex(a)
    lengths, places = _plan(tensor, s, axes, real_inverse=True)
    require(len(places) > 0, "no axis")
    for n, axis in zip(lengths[:-1], places[:-1], strict=True):
        tensor = _inverse(tensor, n, axis, norm)
    return _real_inverse(tensor, lengths[-1], places[-1], norm)


@exact("numpy.fft.rfftn")
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.rfftn``: real over the last of the axes."""
    require(out is None, "out")
    return _real_forward_n(a, s, axes, norm)


@exact("numpy.fft.rfft2")
def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.rfft2``."""
    require(out is None, "out")
    return _real_forward_n(a, s, axes, norm)


@exact("numpy.fft.irfftn")
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.irfftn``."""
    require(out is None, "out")
    return _real_inverse_n(a, s, axes, norm)


@exact("numpy.fft.irfft2")
def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None) -> Any:
    """``np.fft.irfft2``."""
    require(out is None, "out")
    return _real_inverse_n(a, s, axes, norm)


@exact("numpy.fft.fftfreq")
def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    """``np.fft.fftfreq``: float64, made by NumPy itself from Python numbers."""
    require(not is_tensor(n) and not is_tensor(d), "a tensor as a parameter")
    return as_tensor(np.fft.fftfreq(n, d))


@exact("numpy.fft.rfftfreq")
def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    """``np.fft.rfftfreq``."""
    require(not is_tensor(n) and not is_tensor(d), "a tensor as a parameter")
    return as_tensor(np.fft.rfftfreq(n, d))


def _shift(x: Any, axes: Any, sign: int) -> Any:
    tensor = as_tensor(x)
    shape = static_shape(tensor)
    require(len(shape) > 0, "a 0-d array")
    shifts = dict.fromkeys(range(len(shape)), 0)
    for axis in shifts if axes is None else as_indices(axes):  # an axis that is named twice is shifted twice
        place = normal_axis(axis, len(shape))
        shifts[place] += sign * (shape[place] // 2)
    return rolled(tensor, shifts)


@exact("numpy.fft.fftshift")
def fftshift(x: Any, axes: Any = None) -> Any:
    """``np.fft.fftshift``, any dtype."""
    return _shift(x, axes, 1)


@exact("numpy.fft.ifftshift")
def ifftshift(x: Any, axes: Any = None) -> Any:
    """``np.fft.ifftshift``, any dtype."""
    return _shift(x, axes, -1)
