"""``rt.random``: the same distributions as ``numpy.random``, from another stream. Only ``--random tf`` emits these.

The functions stand for those of ``numpy.random`` and take their seeds from its global generator;
``rt.random.stream(rng).normal(...)`` stands for ``rng.normal(...)``.

The user's own generator (or ``numpy.random``'s global one) stays where it is and gives each draw its seed. So seeding
it, anywhere, makes the draws reproducible; it can be shared with code that was not migrated; and it is as safe with
threads as it was. No draw equals NumPy's: shapes, dtypes, classes, errors and distributions do. What has no form on the
device, and single numbers, are drawn by NumPy itself.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base import precision
from np2tnp.runtime.base.dispatch import as_tensor, host, is_tensor, is_tracing, tensor
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, requested_dtype
from np2tnp.runtime.base.shapes import as_index, as_indices, rank_of, require, static_shape
from np2tnp.runtime.functions.arrays.manipulation import broadcast_all
from np2tnp.runtime.functions.random import distributions
from np2tnp.runtime.functions.random.distributions import Source

# --- One stream of draws, seeded draw by draw from a generator of NumPy's

_INT64 = np.iinfo(np.int64)
_NEEDED = object()

#: Distributions over their parameters alone: name -> defaults. NumPy takes ``size`` after them.
PARAMETERS: dict[str, dict[str, Any]] = {
    "uniform": {"low": 0.0, "high": 1.0},
    "normal": {"loc": 0.0, "scale": 1.0},
    "lognormal": {"mean": 0.0, "sigma": 1.0},
    "exponential": {"scale": 1.0},
    "gamma": {"shape": _NEEDED, "scale": 1.0},
    "chisquare": {"df": _NEEDED},
    "beta": {"a": _NEEDED, "b": _NEEDED},
    "f": {"dfnum": _NEEDED, "dfden": _NEEDED},
    "standard_t": {"df": _NEEDED},
    "standard_cauchy": {},
    "laplace": {"loc": 0.0, "scale": 1.0},
    "logistic": {"loc": 0.0, "scale": 1.0},
    "gumbel": {"loc": 0.0, "scale": 1.0},
    "rayleigh": {"scale": 1.0},
    "weibull": {"a": _NEEDED},
    "pareto": {"a": _NEEDED},
    "power": {"a": _NEEDED},
    "triangular": {"left": _NEEDED, "mode": _NEEDED, "right": _NEEDED},
    "wald": {"mean": _NEEDED, "scale": _NEEDED},
    "poisson": {"lam": 1.0},
    "binomial": {"n": _NEEDED, "p": _NEEDED},
    "negative_binomial": {"n": _NEEDED, "p": _NEEDED},
    "geometric": {"p": _NEEDED},
}

_FROM_ZERO_TO_ONE = ("random", "random_sample", "rand")

_traced: dict[int, tuple[Any, Any]] = {}


def _or_numpy(method: Callable[..., Any]) -> Callable[..., Any]:
    """Where `method` has no form, NumPy's generator draws (and raises its own errors)."""

    @functools.wraps(method)
    def draw(self: Stream, *args: Any, **kwargs: Any) -> Any:
        try:
            if precision.active and precision.is_single():
                drawn = precision.narrowing.call("numpy.random", functools.partial(method, self), args, kwargs)
                return _below_one(drawn) if method.__name__ in _FROM_ZERO_TO_ONE else drawn
            return method(self, *args, **kwargs)
        except UnverifiedError:
            raise
        except Exception as error:
            if is_tracing():
                if isinstance(error, Unsupported):
                    raise UnverifiedError(f"random.{method.__name__} in tf.function: {error}") from error
                raise
        drawn = getattr(self.generator, method.__name__)(*host(args), **host(kwargs))
        return drawn if isinstance(drawn, np.ndarray) and drawn.ndim == 0 else tensor(drawn)

    return draw


def _below_one(drawn: Any) -> Any:
    """Uniform draws, of which float32 rounds some to 1, as those of float32 are: below 1."""
    return tf.minimum(drawn, np.nextafter(np.float32(1), np.float32(0)))


class Stream:
    """Draws with the methods, parameters and defaults of NumPy's `generator`, as tensors.

    generator : a ``numpy.random.Generator`` or ``RandomState``, or the module ``numpy.random`` for its global one.
    """

    def __init__(self, generator: Any) -> None:
        self.generator = generator

    def _seed(self) -> Any:
        if is_tracing():  # a seed from the host would be the same in every call of the graph
            return self._in_graphs().make_seeds()[:, 0]
        draw = getattr(self.generator, "integers", None) or self.generator.randint
        return draw(_INT64.min, _INT64.max, size=2, dtype=np.int64)

    def _in_graphs(self) -> Any:
        known = _traced.get(id(self.generator))
        if known is None:
            with tf.init_scope():
                seed = int(self._seed()[0])
                known = _traced[id(self.generator)] = (self.generator, tf.random.Generator.from_seed(seed))
        return known[1]

    def forget_graphs(self) -> None:
        """Graphs get a new stream, from the generator as it is now; those that were traced keep the old one."""
        _traced.pop(id(self.generator), None)

    def _source(self, size: Any, dtype: Any = np.float64) -> Source:
        return Source(self._seed, () if size is None else _dimensions(size), dtype)

    def _check(self, name: str, values: list[Any]) -> None:
        """Raise Unsupported for parameters that NumPy refuses, so that NumPy does it."""
        if is_tracing():
            return
        trial = getattr(np.random.RandomState if self.generator is np.random else type(self.generator), name)
        for pick in (np.min, np.max):
            numbers = [pick(value) if np.size(value) else 1 for value in map(host, values)]
            trial(_TRIALS[hasattr(self.generator, "integers")], *numbers, size=0)

    @_or_numpy
    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Uniform in [0, 1)."""
        require(size is not None or is_tracing(), "one number")
        require(out is None, "out")
        return self._source(size, _float(dtype)).uniform()

    @_or_numpy
    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        require(size is not None or is_tracing(), "one number")
        require(out is None, "out")
        return distributions.standard_normal(self._source(size, _float(dtype)))

    @_or_numpy
    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None
    ) -> Any:
        require(size is not None or is_tracing(), "one number")
        require(out is None and method in ("zig", "inv"), "out or method")
        return distributions.standard_exponential(self._source(size, _float(dtype)))

    @_or_numpy
    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        require(out is None, "out")
        require(_float(dtype) == np.float64, "another dtype")
        return self._drawn("standard_gamma", [shape], size)

    @_or_numpy
    def random_sample(self, size: Any = None) -> Any:
        """Uniform in [0, 1), as ``RandomState`` calls it."""
        require(size is not None or is_tracing(), "one number")
        require(hasattr(self.generator, "random_sample"), "another kind of generator")
        return self._source(size).uniform()

    @_or_numpy
    def rand(self, *dims: int) -> Any:
        """Uniform in [0, 1), of shape `dims`."""
        require(bool(dims), "one number")
        return self._source(dims).uniform()

    @_or_numpy
    def randn(self, *dims: int) -> Any:
        """Standard normal, of shape `dims`."""
        require(bool(dims), "one number")
        return self._source(dims).normal()

    @_or_numpy
    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Integers in [low, high), or in [0, low)."""
        return self._integers("randint", low, high, size, dtype, False)

    @_or_numpy
    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Integers in [low, high), or in [0, low); `high` itself too with `endpoint`."""
        return self._integers("integers", low, high, size, dtype, endpoint)

    def _integers(self, name: str, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool) -> Any:
        wanted = requested_dtype(dtype)
        require(wanted.kind in "iu" and wanted.char not in "LQ", "uint64 or bool")
        low, high = (0, low) if high is None else (low, high)
        if all(_is_number(value) for value in (low, high)):
            require(size is not None or is_tracing(), "one number")
            first, last = as_index(low), as_index(high) + bool(endpoint)
            info = np.iinfo(wanted)
            require(info.min <= first < last <= min(int(info.max) + 1, _INT64.max), "no such integers")
            return cast(distributions.integers(self._source(size), first, last), wanted)
        firsts, lasts = (as_tensor(value) for value in (low, high))
        require(firsts.dtype.is_integer and lasts.dtype.is_integer, "bounds that are no integers")
        firsts, lasts = cast(firsts, np.int64), cast(lasts, np.int64)
        lasts = tf.add(lasts, int(endpoint))
        dims = _broadcast(size, [firsts, lasts])
        if not is_tracing():
            self._check_bounds(firsts, lasts, np.iinfo(wanted))
        firsts, lasts, _ = broadcast_all([firsts, lasts, tf.zeros(dims, tf.int64)])
        return cast(distributions.integers(Source(self._seed, dims), firsts, lasts), wanted)

    @staticmethod
    def _check_bounds(firsts: Any, lasts: Any, info: Any) -> None:
        good = bool(tf.reduce_all(tf.less(firsts, lasts)).numpy())
        good = good and bool(tf.reduce_all(tf.less(lasts, 1 << 52)).numpy())
        good = good and bool(tf.reduce_all(tf.greater(firsts, -1 << 52)).numpy())
        inside = tf.logical_and(tf.greater_equal(firsts, int(info.min)), tf.less_equal(lasts, int(info.max)))
        require(good and bool(tf.reduce_all(inside).numpy()), "no such integers, or too many")

    @_or_numpy
    def permutation(self, x: Any, axis: int = 0) -> Any:
        """The integers below `x`, or an array with what lies along `axis` in a random order."""
        values = as_tensor(x)
        if rank_of(values) == 0:
            values = tf.range(as_index(x), dtype=tf.int64)
        axis = range(rank_of(values))[axis]
        order = distributions.order(self._source(static_shape(values)[axis]))
        return tf.gather(values, order, axis=axis)

    @_or_numpy
    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Random members of `a` along `axis`, or integers below `a`."""
        values = as_tensor(a)
        if rank_of(values) == 0:
            values = tf.range(as_index(a), dtype=tf.int64)
        require(size is not None, "one member")
        dims = _dimensions(size)
        axis = range(rank_of(values))[axis]
        count, wanted = static_shape(values)[axis], math.prod(dims)
        require(count > 0, "nothing to choose from")
        if p is not None:
            require(replace and not is_tracing(), "chances without replacement")
            chances = cast(as_tensor(p), np.float64)
            total = float(tf.reduce_sum(chances).numpy())
            possible = abs(total - 1) < 1e-8 and bool(tf.reduce_all(chances >= 0).numpy())
            require(static_shape(chances) == (count,) and possible, "impossible chances")
            found = distributions.places(Source(self._seed, dims), chances)
        elif replace:
            found = distributions.integers(Source(self._seed, dims), 0, count)
        else:
            require(wanted <= count, "a sample larger than the population")
            found = tf.reshape(distributions.order(self._source(count))[:wanted], dims)
        return tf.gather(values, found, axis=axis)

    def _drawn(self, name: str, values: list[Any], size: Any) -> Any:
        """A draw of the distribution `name` with these parameters."""
        require(size is not None or is_tracing() or not all(map(_is_number, values)), "one number")
        self._check(name, values)
        tensors = [as_tensor(value) for value in values]
        require(not any(value.dtype.is_complex for value in tensors), "a complex parameter")
        tensors = [cast(value, np.float64) for value in tensors]
        source = Source(self._seed, _broadcast(size, tensors))
        return getattr(distributions, name)(source, *tensors)


#: Generators that only check parameters: those of RandomState, those of Generator.
_TRIALS = (np.random.RandomState(0), np.random.default_rng(0))


def _distribution(name: str, defaults: dict[str, Any]) -> Callable[..., Any]:
    names = (*defaults, "size")

    def method(self: Stream, *args: Any, **kwargs: Any) -> Any:
        given = dict(zip(names, args, strict=False))
        require(
            len(args) <= len(names) and kwargs.keys() <= set(names) and not given.keys() & kwargs.keys(), "a misuse"
        )
        bound = {**defaults, "size": None, **given, **kwargs}
        size = bound.pop("size")
        require(_NEEDED not in [v for v in bound.values() if v is _NEEDED], "a missing parameter")
        return self._drawn(name, list(bound.values()), size)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"As NumPy's ``{name}({', '.join(names)})``."
    return _or_numpy(method)


for _name, _defaults in PARAMETERS.items():
    setattr(Stream, _name, _distribution(_name, _defaults))


def _float(dtype: Any) -> Any:
    wanted = requested_dtype(dtype)
    require(wanted.char in "fd", "no float dtype")
    return wanted


def _is_number(value: Any) -> bool:
    return rank_of(value) == 0 if is_tensor(value) else np.ndim(value) == 0


def _dimensions(size: Any) -> tuple[int, ...]:
    """The shape of a result of this size, which has dimensions: a 0-d tensor would count as a single number."""
    dims = as_indices(size)
    require(bool(dims), "an array without dimensions")
    return dims


def _broadcast(size: Any, parameters: list[Any]) -> tuple[int, ...]:
    """The shape of the result: `size`, or that of the parameters broadcast. Raises ValueError if the two differ."""
    common = np.broadcast_shapes(*map(static_shape, parameters))
    if size is None:
        return common
    wanted = _dimensions(size)
    require(np.broadcast_shapes(common, wanted) == wanted, "a size that the parameters do not fit")
    return wanted


# --- The functions of numpy.random, by its global generator

_GLOBAL = Stream(np.random)

#: Functions of ``numpy.random`` that draw on the device.
_DRAWS = (
    *(name for name in PARAMETERS),
    *("random", "standard_normal", "standard_exponential", "standard_gamma"),
    *("rand", "randn", "randint", "permutation", "choice"),
)

__all__ = [*_DRAWS, "random_sample", "ranf", "sample", "seed", "shuffle", "stream"]

for _name in _DRAWS:
    globals()[_name] = getattr(_GLOBAL, _name)
random_sample = ranf = sample = _GLOBAL.random


def stream(generator: Any) -> Any:
    """The draws of NumPy's `generator` (a Generator or a RandomState) on the device."""
    if not isinstance(generator, (np.random.Generator, np.random.RandomState)):
        raise UnverifiedError(f"a {type(generator).__name__} is no generator of NumPy's")
    return Stream(generator)


def seed(seed: Any = None) -> None:
    """Restart NumPy's global generator, and with it the draws here: the same seed gives the same draws again."""
    np.random.seed(host(seed))
    _GLOBAL.forget_graphs()


def shuffle(x: Any) -> Any:
    """The rows of an array in a random order, **returned**: a tensor cannot be shuffled in place."""
    return _GLOBAL.permutation(x)
