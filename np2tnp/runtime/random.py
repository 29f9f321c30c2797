"""``rt.random``: the same distributions as ``numpy.random``, from another stream. Only ``--random tf`` emits these.

No draw equals NumPy's, whatever the seed: shapes, dtypes and distributions do. State is one ``tf.random.Generator``;
:func:`seed` restarts it. Results are float64 and int64, as NumPy's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.dispatch import as_tensor
from np2tnp.runtime.errors import UnverifiedError
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.manipulation import broadcast_all
from np2tnp.runtime.promotion import cast, requested_dtype
from np2tnp.runtime.shapes import as_index, as_indices, rank_of, static_shape

__all__ = [
    "choice",
    "exponential",
    "gamma",
    "lognormal",
    "normal",
    "permutation",
    "poisson",
    "rand",
    "randint",
    "randn",
    "random",
    "random_sample",
    "seed",
    "shuffle",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "uniform",
]

_generator: list[Any] = []


def _source() -> Any:
    if not _generator:
        with tf.init_scope():
            _generator.append(tf.random.Generator.from_non_deterministic_state())
    return _generator[0]


def seed(seed: Any = None) -> None:
    """Restart the stream; the same seed gives the same draws again (on the same kind of device)."""
    _generator.clear()
    if seed is not None:
        _generator.append(tf.random.Generator.from_seed(as_index(seed)))


def _size(size: Any, *parameters: Any) -> tuple[int, ...]:
    """The shape of the result: `size`, or that of the parameters broadcast. Raises ValueError if the two differ."""
    common = np.broadcast_shapes(*(static_shape(p) for p in parameters))
    if size is None:
        return common
    wanted = as_indices(size)
    if np.broadcast_shapes(common, wanted) != wanted:
        raise ValueError("Output size is not compatible with broadcast dimensions of inputs.")
    return wanted


def _floats(*values: Any) -> list[Any]:
    return [cast(as_tensor(value), np.float64) for value in values]


def random(size: Any = None) -> Any:
    """Uniform in [0, 1), float64."""
    return _source().uniform(_size(size), dtype=tf.float64)


random_sample = random


def rand(*dims: int) -> Any:
    """Uniform in [0, 1), float64, of shape `dims`."""
    return random(dims)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Uniform in [low, high), float64."""
    low, high = _floats(low, high)
    unit = _source().uniform(_size(size, low, high), dtype=tf.float64)
    return tf.add(low, tf.multiply(tf.subtract(high, low), unit))


def standard_normal(size: Any = None) -> Any:
    """Normal with mean 0 and deviation 1, float64."""
    return _source().normal(_size(size), dtype=tf.float64)


def randn(*dims: int) -> Any:
    """Normal with mean 0 and deviation 1, float64, of shape `dims`."""
    return standard_normal(dims)


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """Normal, float64. Raises ValueError for a negative scale."""
    loc, scale = _floats(loc, scale)
    _refuse_negative(scale, "scale")
    return tf.add(loc, tf.multiply(scale, _source().normal(_size(size, loc, scale), dtype=tf.float64)))


def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """Exponential of a normal, float64."""
    return tf.exp(normal(mean, sigma, size))


def _refuse_negative(tensor: Any, name: str) -> None:
    if tf.executing_eagerly() and bool(tf.reduce_any(tf.less(tensor, tf.zeros((), tensor.dtype))).numpy()):
        raise ValueError(f"{name} < 0")


def exponential(scale: Any = 1.0, size: Any = None) -> Any:
    """Exponential with mean `scale`, float64."""
    (scale,) = _floats(scale)
    _refuse_negative(scale, "scale")
    unit = _source().uniform(_size(size, scale), dtype=tf.float64)
    return tf.multiply(scale, tf.negative(tf.math.log1p(tf.negative(unit))))


def standard_exponential(size: Any = None) -> Any:
    """Exponential with mean 1, float64."""
    return exponential(1.0, size)


def gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """Gamma with the given shape and scale, float64."""
    shape, scale = _floats(shape, scale)
    _refuse_negative(shape, "shape")
    _refuse_negative(scale, "scale")
    dims = _size(size, shape, scale)
    seeds = _source().make_seeds()[:, 0]
    drawn = tf.random.stateless_gamma(dims, seeds, alpha=tf.broadcast_to(shape, dims), dtype=tf.float64)
    return tf.multiply(scale, drawn)


def standard_gamma(shape: Any, size: Any = None) -> Any:
    """Gamma with scale 1, float64."""
    return gamma(shape, 1.0, size)


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Poisson with mean `lam`, int64."""
    (lam,) = _floats(lam)
    _refuse_negative(lam, "lam")
    dims = _size(size, lam)
    return tf.random.stateless_poisson(dims, _source().make_seeds()[:, 0], tf.broadcast_to(lam, dims), dtype=tf.int64)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    """Integers in [low, high), or in [0, low). Raises ValueError when there are none."""
    low, high = (0, low) if high is None else (low, high)
    first, last = (cast(as_tensor(value), np.int64) for value in (low, high))
    if tf.executing_eagerly() and bool(tf.reduce_any(tf.greater_equal(first, last)).numpy()):
        raise ValueError("low >= high")
    dims = _size(size, first, last)
    first, last, _ = broadcast_all([first, last, tf.zeros(dims, tf.int64)])
    if rank_of(as_tensor(low)) == 0 and rank_of(as_tensor(high)) == 0:
        bounds = (tf.reshape(cast(as_tensor(v), np.int64), ()) for v in (low, high))
        drawn = _source().uniform(dims, *bounds, dtype=tf.int64)
    else:
        unit = _source().uniform(dims, dtype=tf.float64)
        width = tf.subtract(last, first)
        step = tf.cast(tf.floor(tf.multiply(unit, tf.cast(width, tf.float64))), tf.int64)
        drawn = tf.add(first, tf.minimum(step, tf.subtract(width, 1)))
    return cast(drawn, requested_dtype(dtype))


def permutation(x: Any) -> Any:
    """The integers below `x`, or the rows of an array, in a random order."""
    tensor = as_tensor(x)
    if rank_of(tensor) == 0:
        tensor = tf.range(cast(tensor, np.int64))
    keys = _source().uniform(static_shape(tensor)[:1], dtype=tf.float64)
    return tf.gather(tensor, tf.argsort(keys))


def shuffle(x: Any) -> Any:
    """The rows of an array in a random order, **returned**: a tensor cannot be shuffled in place."""
    return permutation(x)


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    """Random members of an array, or integers below `a`. With `p` only with replacement."""
    tensor = as_tensor(a)
    if rank_of(tensor) == 0:
        tensor = tf.range(cast(tensor, np.int64))
    if rank_of(tensor) != 1 or static_shape(tensor)[0] == 0:
        raise ValueError("a must be 1-dimensional and not empty")
    dims = () if size is None else as_indices(size)
    count = static_shape(tensor)[0]
    if p is not None:
        if not replace:
            raise UnverifiedError("random.choice with p and without replacement has no TensorFlow form")
        (chances,) = _floats(p)
        if static_shape(chances) != (count,) or abs(float(tf.reduce_sum(chances).numpy()) - 1) > 1e-8:
            raise ValueError("probabilities do not sum to 1")
        limits = tf.cumsum(chances)
        unit = _source().uniform((math.prod(dims),), dtype=tf.float64)
        place = tf.searchsorted(limits, unit, side="right", out_type=tf.int64)
        return tf.reshape(tf.gather(tensor, tf.minimum(place, count - 1)), dims)
    if replace:
        return tf.gather(tensor, _source().uniform(dims, 0, count, dtype=tf.int64))
    if math.prod(dims) > count:
        raise ValueError("Cannot take a larger sample than population when replace is False")
    return tf.reshape(tf.gather(permutation(tensor), tf.range(math.prod(dims))), dims)
