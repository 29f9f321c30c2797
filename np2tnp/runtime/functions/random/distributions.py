"""Draws from the common distributions, computed from uniform, normal, gamma, Poisson and binomial draws on the device.

Every function takes a :class:`Source` and the distribution's parameters as float64 tensors, and returns a tensor of the
source's shape. Parameters are assumed to be valid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.lazy_tensorflow import tf


class Source:
    """Independent draws of one shape. `seed` gives a new seed, an int64 tensor or array of two, each time."""

    def __init__(self, seed: Callable[[], Any], shape: tuple[int, ...], dtype: Any = np.float64) -> None:
        self.seed = seed
        self.shape = shape
        self.dtype = tf.as_dtype(dtype)

    def uniform(self) -> Any:
        """In [0, 1)."""
        return tf.random.stateless_uniform(self.shape, self.seed(), dtype=self.dtype)

    def open_uniform(self) -> Any:
        """In (0, 1)."""
        return tf.maximum(self.uniform(), tf.constant(2.0**-60, self.dtype))

    def normal(self) -> Any:
        return tf.random.stateless_normal(self.shape, self.seed(), dtype=self.dtype)

    def exponential(self) -> Any:
        return tf.negative(tf.math.log(tf.subtract(tf.ones((), self.dtype), self.uniform())))

    def gamma(self, shape: Any) -> Any:
        alpha = tf.broadcast_to(tf.cast(shape, self.dtype), self.shape)
        drawn = tf.random.stateless_gamma(self.shape, self.seed(), alpha=alpha, dtype=self.dtype)
        smallest = self.dtype.as_numpy_dtype(np.finfo(self.dtype.as_numpy_dtype).smallest_normal)
        return tf.where(drawn > smallest, drawn, tf.zeros((), self.dtype))  # TensorFlow gives it in place of all below

    def log_gamma(self, shape: Any) -> Any:
        """The logarithm of a gamma draw, which does not underflow for small shapes."""
        larger = tf.math.log(self.gamma(tf.add(shape, 1)))
        return tf.add(larger, tf.divide(tf.math.log(self.open_uniform()), shape))

    def poisson(self, lam: Any) -> Any:
        lam = tf.broadcast_to(tf.cast(lam, tf.float64), self.shape)
        return tf.random.stateless_poisson(self.shape, self.seed(), lam, dtype=tf.int64)

    def binomial(self, n: Any, p: Any) -> Any:
        return tf.random.stateless_binomial(self.shape, self.seed(), n, p, output_dtype=tf.int64)


def uniform(source: Source, low: Any, high: Any) -> Any:
    return low + (high - low) * source.uniform()


def standard_normal(source: Source) -> Any:
    return source.normal()


def normal(source: Source, loc: Any, scale: Any) -> Any:
    return loc + scale * source.normal()


def lognormal(source: Source, mean: Any, sigma: Any) -> Any:
    return tf.exp(normal(source, mean, sigma))


def standard_exponential(source: Source) -> Any:
    return source.exponential()


def exponential(source: Source, scale: Any) -> Any:
    return scale * source.exponential()


def standard_gamma(source: Source, shape: Any) -> Any:
    return source.gamma(shape)


def gamma(source: Source, shape: Any, scale: Any) -> Any:
    return scale * source.gamma(shape)


def chisquare(source: Source, df: Any) -> Any:
    return 2.0 * source.gamma(df / 2.0)


def beta(source: Source, a: Any, b: Any) -> Any:
    return tf.sigmoid(source.log_gamma(a) - source.log_gamma(b))


def f(source: Source, dfnum: Any, dfden: Any) -> Any:
    return (chisquare(source, dfnum) * dfden) / (chisquare(source, dfden) * dfnum)


def standard_t(source: Source, df: Any) -> Any:
    return source.normal() / tf.sqrt(chisquare(source, df) / df)


def standard_cauchy(source: Source) -> Any:
    return source.normal() / source.normal()


def laplace(source: Source, loc: Any, scale: Any) -> Any:
    centred = source.open_uniform() - 0.5
    return loc - scale * tf.sign(centred) * tf.math.log1p(-2.0 * tf.abs(centred))


def logistic(source: Source, loc: Any, scale: Any) -> Any:
    unit = source.open_uniform()
    return loc + scale * (tf.math.log(unit) - tf.math.log1p(-unit))


def gumbel(source: Source, loc: Any, scale: Any) -> Any:
    return loc - scale * tf.math.log(-tf.math.log(source.open_uniform()))


def rayleigh(source: Source, scale: Any) -> Any:
    return scale * tf.sqrt(2.0 * source.exponential())


def weibull(source: Source, a: Any) -> Any:
    drawn = tf.pow(source.exponential(), tf.math.reciprocal(a))
    return tf.where(tf.equal(a, 0.0), tf.zeros((), drawn.dtype), drawn)


def pareto(source: Source, a: Any) -> Any:
    return tf.math.expm1(source.exponential() / a)


def power(source: Source, a: Any) -> Any:
    return tf.pow(-tf.math.expm1(-source.exponential()), tf.math.reciprocal(a))


def triangular(source: Source, left: Any, mode: Any, right: Any) -> Any:
    base, low = right - left, mode - left
    unit = source.uniform()
    rising = left + tf.sqrt(unit * base * low)
    falling = right - tf.sqrt((1.0 - unit) * base * (right - mode))
    return tf.where(unit * base <= low, rising, falling)


def wald(source: Source, mean: Any, scale: Any) -> Any:
    """Michael, Schucany and Haas (1976)."""
    ratio = mean / (2.0 * scale)
    square = mean * tf.square(source.normal())
    root = mean + ratio * (square - tf.sqrt(4.0 * scale * square + tf.square(square)))
    return tf.where(source.uniform() <= mean / (mean + root), root, tf.square(mean) / root)


def poisson(source: Source, lam: Any) -> Any:
    return source.poisson(lam)


def binomial(source: Source, n: Any, p: Any) -> Any:
    return source.binomial(n, p)


def negative_binomial(source: Source, n: Any, p: Any) -> Any:
    return source.poisson(source.gamma(n) * (1.0 - p) / p)


def geometric(source: Source, p: Any) -> Any:
    trials = tf.math.ceil(-source.exponential() / tf.math.log1p(-p))
    return tf.maximum(tf.cast(trials, tf.int64), 1)


def integers(source: Source, first: Any, last: Any) -> Any:
    """Below `last`; both are int64, either two numbers or two tensors of the source's shape."""
    if not tf.is_tensor(first):
        return tf.random.stateless_uniform(source.shape, source.seed(), first, last, dtype=tf.int64)
    width = tf.subtract(last, first)
    step = tf.cast(tf.floor(source.uniform() * tf.cast(width, tf.float64)), tf.int64)
    return tf.add(first, tf.minimum(step, tf.subtract(width, 1)))


def order(source: Source) -> Any:
    """A random order of as many places as the source is long, int64."""
    return tf.argsort(source.uniform(), stable=True, output_type=tf.int64) if source.shape[0] else tf.zeros(0, tf.int64)


def places(source: Source, chances: Any) -> Any:
    """Places in `chances`, each as probable as `chances` says, int64."""
    limits = tf.cumsum(chances)
    flat = tf.reshape(source.uniform(), (math.prod(source.shape),)) * limits[-1]
    found = tf.searchsorted(limits, flat, side="right", out_type=tf.int64)
    return tf.reshape(tf.minimum(found, chances.shape[0] - 1), source.shape)
