"""Functions that call functions: apply_along_axis, apply_over_axes, vectorize.

Eagerly they run on the host, where calling Python for each slice is cheap. A graph cannot call Python; of NumPy's own
functions the exact helper is called, once for all slices.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.dispatch import HELPERS, as_tensor, exact, host, is_tracing, on_host, resolve
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.shapes import normal_axis, rank_of, require, static_shape
from np2tnp.runtime.functions.arrays.manipulation import expand_dims, moveaxis

__all__ = ["apply_along_axis", "apply_over_axes", "vectorize"]

#: Functions that do to each slice along ``axis=`` what they do to the slice alone.
_ALONG_AXIS = frozenset(
    f"numpy.{name}"
    for name in (
        "all amax amin any argmax argmin argsort average cumprod cumsum diff fft.fft fft.hfft fft.ifft fft.ihfft"
        " fft.irfft fft.rfft flip linalg.norm max mean median min nancumprod nancumsum nanmax nanmean nanmedian nanmin"
        " nanprod nanstd nansum nanvar prod ptp sort std sum trapezoid var"
    ).split()
)


def _helper_for(function: Any) -> tuple[str, Callable[..., Any]]:
    """The name of a function of NumPy's, and its exact helper. Raises Unsupported for others."""
    module = getattr(function, "__module__", None) or "numpy"  # ufuncs of some versions have none
    name = f"{module}.{getattr(function, '__name__', '')}"
    try:
        is_numpys = module.partition(".")[0] == "numpy" and resolve(name) is function
    except AttributeError:
        is_numpys = False
    if not is_numpys:
        raise Unsupported("a function that is called for each slice")
    found: Any = sys.modules[own_package]
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    if name not in HELPERS or HELPERS[name] is not found:
        raise Unsupported(f"{name}, which has no exact form")
    return name, HELPERS[name]


@exact("numpy.apply_along_axis")
def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """``np.apply_along_axis``: on the host, and in a graph of NumPy's functions that have an axis, or ufuncs."""
    require(is_tracing(), "a loop over slices")
    name, helper = _helper_for(func1d)
    tensor = as_tensor(arr)
    index = normal_axis(axis, rank_of(tensor))
    require(None not in static_shape(tensor) and 0 not in static_shape(tensor), "slices that there may not be")
    require(not args and not {"axis", "axes", "out", "where"} & kwargs.keys(), "further arguments")
    if isinstance(func1d, np.ufunc):
        require(func1d.nin == func1d.nout == 1, "a ufunc of several arrays")
        return helper(tensor, **kwargs)
    require(name in _ALONG_AXIS, f"{name} of each slice")
    result = as_tensor(helper(moveaxis(tensor, index, -1), axis=-1, **kwargs))
    return moveaxis(result, -1, index) if rank_of(result) == rank_of(tensor) else result


@exact("numpy.apply_over_axes")
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """``np.apply_over_axes``: on the host, and in a graph of NumPy's functions."""
    require(is_tracing(), "a loop over axes")
    _, helper = _helper_for(func)
    tensor = as_tensor(a)
    count = rank_of(tensor)
    for axis in np.atleast_1d(np.asarray(host(axes))).tolist():
        index = normal_axis(axis, count)
        result = as_tensor(helper(tensor, index))
        require(rank_of(result) in (count - 1, count), "a result of other dimensions")
        tensor = result if rank_of(result) == count else expand_dims(result, index)
    return tensor


def vectorize(pyfunc: Any, *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """``np.vectorize``, on the host: a Python loop over elements. `pyfunc` may return tensors; so does this."""

    @functools.wraps(pyfunc)
    def element(*values: Any, **named: Any) -> Any:
        return host(pyfunc(*values, **named))

    loop = np.vectorize(element, *args, **kwargs)

    @functools.wraps(pyfunc)
    def vectorized(*values: Any, **named: Any) -> Any:
        if is_tracing():
            raise UnverifiedError("numpy.vectorize calls Python for each element, which has no form inside tf.function")
        return on_host(loop, values, named)

    return vectorized
