"""Running sums and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, is_tracing
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.gradients import is_followed
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, constant
from np2tnp.runtime.base.shapes import is_all_finite, require
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.functions.axes import flat, normal_axis, rank_of, refuse_out
from np2tnp.runtime.functions.statistics.reductions import accumulator

__all__ = [
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
]


# --- running ----------------------------------------------------------------------------------------------------------


def _running(name: str, a: Any, axis: Any, dtype: Any, out: Any) -> Any:
    refuse_out(out)
    x = accumulator(array(a), dtype)
    if x.dtype == tf.bool:
        raise Unsupported("a running sum of bools")
    rank = rank_of(x)
    if axis is None or rank == 0:
        if rank == 0 and axis not in (None, 0, -1):
            raise Unsupported("axis")
        x, axis, rank = flat(x), 0, 1
    axis = normal_axis(axis, rank)
    if name == "Cumsum" and not is_tracing() and not is_followed(x) and _begins_with_negative_zero(x, axis):
        raise Unsupported("a running sum that begins with -0.0, which TensorFlow adds to 0.0")
    result = op(name)(x=x, axis=constant(axis, tf.int32))
    if name == "Cumprod" and x.dtype.is_complex and not is_tracing() and not is_followed(x):
        require(is_all_finite(result), "a running product of infinite complex numbers, which begins with 1")
    return result


def _begins_with_negative_zero(x: Any, axis: int) -> bool:
    if x.dtype.is_integer or not all(x.shape):
        return False
    sizes = [1 if place == axis else size for place, size in enumerate(x.shape)]
    first = op("Slice")(input=x, begin=[0] * len(sizes), size=sizes).numpy()
    parts = (first.real, first.imag) if x.dtype.is_complex else (first,)
    return any(bool((np.signbit(part) & (part == 0)).any()) for part in parts)


@exact("numpy.cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``numpy.cumsum``: along the flattened array without `axis`; dtypes as :func:`sum`."""
    return _running("Cumsum", a, axis, dtype, out)


@exact("numpy.cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``numpy.cumprod``: along the flattened array without `axis`; dtypes as :func:`prod`."""
    return _running("Cumprod", a, axis, dtype, out)


def _cumulative(name: str, x: Any, axis: Any, dtype: Any, out: Any, include_initial: Any) -> Any:
    values = array(x)
    rank = rank_of(values)
    if rank == 0 or (axis is None and rank != 1):
        raise Unsupported("axis")
    result = _running(name, values, 0 if axis is None else axis, dtype, out)
    if not include_initial:
        return result
    index = 0 if axis is None else normal_axis(axis, rank)
    start = tf.zeros_like if name == "Cumsum" else tf.ones_like
    first = start(tf.gather(tf.pad(result, [[0, int(i == index)] for i in range(rank)]), [0], axis=index))
    return tf.concat([first, result], axis=index)


@exact("numpy.cumulative_sum")
def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: Any = False
) -> Any:
    """``numpy.cumulative_sum``: as :func:`cumsum`, with `axis` required beyond one dimension."""
    return _cumulative("Cumsum", x, axis, dtype, out, include_initial)


@exact("numpy.cumulative_prod")
def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: Any = False
) -> Any:
    """``numpy.cumulative_prod``: as :func:`cumprod`, with `axis` required beyond one dimension."""
    return _cumulative("Cumprod", x, axis, dtype, out, include_initial)
