"""``np.<ufunc>.at(a, indices, b)`` as ``a = rt.<ufunc>_at(a, indices, b)``: every repeated index counts.

Additions, subtractions and integer extremes are one scatter. Everything else runs in rounds, the n-th round for the
n-th occurrence of each index, so that the order is NumPy's.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.dispatch import exact, host, is_tensor, unconverted
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import operand, reshaped
from np2tnp.runtime.base.promotion import cast, numpy_dtype
from np2tnp.runtime.base.stored_values import fitted
from np2tnp.runtime.indexing.inplace import check_casting
from np2tnp.runtime.indexing.item_reads import is_plain, stacked
from np2tnp.runtime.indexing.keys import (
    basic_key,
    expand,
    flat_positions,
    is_full,
    is_mask,
    is_on_device,
    normal_parts,
    on_host,
    static_shape,
)

#: Scatter operations that equal the ufunc whatever the order, for integers; the first two within rounding for floats.
_SCATTERS = {
    "add": "TensorScatterAdd",
    "subtract": "TensorScatterSub",
    "maximum": "TensorScatterMax",
    "minimum": "TensorScatterMin",
}

#: More rounds than this are left to NumPy.
_MOST_ROUNDS = 64

_BINARY = (
    "add subtract multiply divide true_divide floor_divide remainder mod fmod power float_power maximum minimum fmax "
    "fmin logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift arctan2 hypot "
    "copysign nextafter logaddexp logaddexp2 gcd lcm heaviside equal not_equal less less_equal greater greater_equal "
    "ldexp"
)
_UNARY = (
    "negative positive absolute fabs sign sqrt square cbrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan "
    "arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg radians degrees "
    "floor ceil trunc rint conjugate invert logical_not isnan isinf isfinite signbit spacing bitwise_count"
)


def _at(name: str, ufunc: Any, a: Any, indices: Any, operands: tuple[Any, ...]) -> Any:
    a = tf.convert_to_tensor(a)
    operands = tuple(
        value if is_tensor(value) else np.asarray(host(value)) for value in operands
    )  # no weak numbers here
    if operands:
        check_casting(ufunc, a.dtype, operands[0])
    else:
        empty = np.empty(0, numpy_dtype(a.dtype))
        ufunc(empty, out=empty)
    shape = static_shape(a)
    unknown = _unknown_rows(a, indices)
    if unknown is not None:
        found = _at_unknown(name, a, unknown, operands, shape)
        if found is not None:
            return found
    key = on_host(normal_parts(indices)) if basic_key(indices) is None else indices
    positions = flat_positions(shape, key)
    values = [_operand(name, value, a, positions.shape) for value in operands]
    flat = reshaped(a, (-1,))
    positions = positions.ravel()
    if not positions.size:
        return a
    scatter = _scatter_name(name, a, values)
    if scatter is not None:
        return reshaped(
            getattr(tf.raw_ops, scatter)(tensor=flat, indices=operand(positions[:, None]), updates=values[0]), shape
        )
    function = getattr(importlib.import_module(own_package), name, None)
    if function is None:
        raise Unsupported(f"numpy.{name}")
    for chosen in _rounds(positions):
        places, chosen = positions[chosen], operand(chosen)
        where = operand(places)
        old = tf.raw_ops.GatherV2(params=flat, indices=where, axis=0, batch_dims=0)
        new = function(
            old, *(tf.raw_ops.GatherV2(params=value, indices=chosen, axis=0, batch_dims=0) for value in values)
        )
        flat = tf.raw_ops.TensorScatterUpdate(tensor=flat, indices=operand(places[:, None]), updates=cast(new, a.dtype))
    return reshaped(flat, shape)


def _scatter_name(name: str, a: Any, values: list[Any]) -> str | None:
    if name not in _SCATTERS or any(value.dtype != a.dtype for value in values):
        return None
    if a.dtype.is_integer or (name in ("add", "subtract") and (a.dtype.is_floating or a.dtype.is_complex)):
        return _SCATTERS[name]
    return None


def _unknown_rows(a: Any, indices: Any) -> Any | None:
    """Rows of indices of all leading axes when one of them is symbolic or on the device; None for other keys."""
    if basic_key(indices) is not None:
        return None
    parts = normal_parts(indices)
    if not any(is_on_device(part) for part in parts):
        return None
    if tf.executing_eagerly():
        return _device_rows(a, parts)
    if any(getattr(part, "dtype", None) in (tf.bool, bool) for part in parts):
        raise Unsupported("a mask beside indices, or one that is only known when the graph runs")
    axes = expand(parts, a.shape.rank) if is_plain(parts) else []
    count = sum(1 for part in axes if not is_full(part))
    if not axes or any(isinstance(part, slice) for part in axes[:count]):
        raise Unsupported("a mixed index that is only known when the graph runs")
    return stacked(a, axes[:count])


def _device_rows(a: Any, parts: list[Any]) -> Any | None:
    """The same of eager tensors; None where they stand beside other kinds of indices."""
    axes = expand(parts, a.shape.rank) if is_plain(parts) else []
    count = sum(1 for part in axes if not is_full(part))
    if not axes or any(isinstance(part, slice) or is_mask(part) for part in axes[:count]):
        return None
    rows = stacked(a, axes[:count])
    return None if 0 in rows.shape or 0 in static_shape(a) else rows


def _at_unknown(name: str, a: Any, rows: Any, operands: tuple[Any, ...], shape: tuple[int, ...]) -> Any | None:
    count = rows.shape[-1]
    target = (*rows.shape[:-1], *shape[count:])
    values = [_operand(name, value, a, target) for value in operands]
    scatter = _scatter_name(name, a, values)
    if scatter is None:
        if tf.executing_eagerly():
            return None  # in rounds, which the host finds
        raise Unsupported("indices that are only known when the graph runs")
    return getattr(tf.raw_ops, scatter)(tensor=a, indices=rows, updates=reshaped(values[0], target))


def _operand(name: str, value: Any, a: Any, shape: tuple[int, ...]) -> Any:
    """An operand broadcast to the shape of the selection and flattened, in the array's dtype where that changes
    nothing.
    """
    if not is_tensor(value):
        if value.dtype.kind not in "biufc":
            raise Unsupported(f"an operand of dtype {value.dtype}")
        if name in _SCATTERS and value.dtype != numpy_dtype(a.dtype):
            value = _narrowed(value, numpy_dtype(a.dtype))
    if len(value.shape) > len(shape):
        raise ValueError("array is not broadcastable to correct shape")
    return reshaped(fitted(value, shape), (-1,))


def _narrowed(value: Any, dtype: np.dtype[Any]) -> Any:
    """`value` in the array's dtype if it is exact there: the wider computation, rounded, then gives the same."""
    if value.dtype.kind not in "biuf" or dtype.kind not in "iuf" or (value.dtype.kind == "f" and dtype.kind != "f"):
        return value
    narrow = value.astype(dtype)
    return narrow if np.array_equal(narrow.astype(value.dtype), value) else value


def _rounds(positions: Any) -> list[Any]:
    """Entries grouped so that no group holds a position twice, in order of occurrence."""
    order = np.argsort(positions, kind="stable")
    ordered = positions[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    occurrence = np.arange(ordered.size) - np.repeat(starts, np.diff(np.r_[starts, ordered.size]))
    if occurrence.max(initial=0) >= _MOST_ROUNDS:
        raise Unsupported("an index that is repeated this often")
    return [np.sort(order[occurrence == number]) for number in range(int(occurrence.max(initial=0)) + 1)]


def _declared(name: str, binary: bool) -> Callable[..., Any]:
    ufunc = getattr(np, name)

    def reference(a: Any, indices: Any, *operands: Any) -> Any:
        a = np.array(a)
        ufunc.at(a, indices, *operands)
        return a

    @exact(f"numpy.{name}.at", reference=reference)
    def on_tensor(a: Any, indices: Any, *operands: Any) -> Any:
        return _at(name, ufunc, a, indices, operands)

    def helper(a: Any, indices: Any, *operands: Any) -> Any:
        if is_tensor(a):
            return on_tensor(a, indices, *operands)
        ufunc.at(a, host(indices), *host(operands))
        return a

    unconverted(helper)
    helper.__name__ = helper.__qualname__ = f"{name}_at"
    helper.__doc__ = f"``np.{name}.at(a, indices{', b' if binary else ''})``; returns the changed array."
    return helper


_HELPERS = {f"{name}_at": _declared(name, True) for name in _BINARY.split()}
_HELPERS.update({f"{name}_at": _declared(name, False) for name in _UNARY.split()})
globals().update(_HELPERS)
__all__ = sorted(_HELPERS)
