"""Window functions. They depend on a Python number only, so NumPy itself makes the constant, exact to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tensor
from np2tnp.runtime.base.shapes import require

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


def _constant(function: Any, *numbers: Any) -> Any:
    require(not any(is_tensor(number) for number in numbers), "a tensor as a parameter")
    return as_tensor(function(*numbers))


@exact("numpy.bartlett")
def bartlett(M: Any) -> Any:  # noqa: N803 - NumPy's parameter name
    """``np.bartlett``: float64."""
    return _constant(np.bartlett, M)


@exact("numpy.blackman")
def blackman(M: Any) -> Any:  # noqa: N803
    """``np.blackman``: float64."""
    return _constant(np.blackman, M)


@exact("numpy.hamming")
def hamming(M: Any) -> Any:  # noqa: N803
    """``np.hamming``: float64."""
    return _constant(np.hamming, M)


@exact("numpy.hanning")
def hanning(M: Any) -> Any:  # noqa: N803
    """``np.hanning``: float64."""
    return _constant(np.hanning, M)


@exact("numpy.kaiser")
def kaiser(M: Any, beta: Any) -> Any:  # noqa: N803
    """``np.kaiser``: float64."""
    return _constant(np.kaiser, M, beta)
