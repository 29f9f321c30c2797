"""``rt.random``: the same distributions as ``numpy.random``, from another stream. Only ``--random tf`` emits these.

The functions stand for those of ``numpy.random`` and take their seeds from its global generator;
``rt.random.stream(rng).normal(...)`` stands for ``rng.normal(...)``. See ``streams.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import host
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.functions.random.streams import PARAMETERS, Stream

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
