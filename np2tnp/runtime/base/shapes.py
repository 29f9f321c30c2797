"""Axes, static shapes and dtypes as the helper families need them. Not part of the runtime's public interface."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, is_tensor, is_tracing
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.gradients import is_followed
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import sliced
from np2tnp.runtime.base.promotion import cast, result_dtype
from np2tnp.runtime.base.tracing import check


def static_shape(tensor: Any) -> tuple[int, ...]:
    """The tensor's shape as ints. Raises Unsupported when it is not known (only possible while tracing)."""
    if not tensor.shape.is_fully_defined():
        raise Unsupported(f"a tensor of unknown shape {tensor.shape}")
    return tuple(tensor.shape.as_list())


def shape_of(tensor: Any) -> Any:
    """The tensor's shape as ints, or as an int32 tensor (XLA's kind) where tracing does not know it."""
    if tensor.shape.is_fully_defined():
        return tuple(tensor.shape.as_list())
    return tf.shape(tensor, out_type=tf.int32)


def size_of(tensor: Any) -> Any:
    """The tensor's number of elements as an int, or as an int64 tensor where tracing does not know it."""
    size = tensor.shape.num_elements()
    return tf.size(tensor, out_type=tf.int64) if size is None else int(size)


def rank_of(tensor: Any) -> int:
    """The tensor's number of dimensions. Raises Unsupported when it is not known (only possible while tracing)."""
    rank = tensor.shape.rank
    if rank is None:
        raise Unsupported("a tensor of unknown rank")
    return int(rank)


def common_dtype(*tensors: Any) -> np.dtype[Any]:
    """NumPy's result dtype for arrays of the tensors' dtypes (no weak scalars: ``np.concatenate`` and friends)."""
    return result_dtype(*(t.dtype for t in tensors))


def as_common(*values: Any) -> tuple[list[Any], np.dtype[Any]]:
    """Each value as a tensor of the common dtype, and that dtype."""
    tensors = [as_tensor(value) for value in values]
    dtype = common_dtype(*tensors)
    return [cast(t, dtype) for t in tensors], dtype


def as_index(value: Any) -> int:
    """`value` as a Python int, as ``operator.index`` would; reads an eager tensor. Bools are left to NumPy."""
    if is_tensor(value):
        if is_tracing() or not value.dtype.is_integer:
            raise Unsupported("an index that is not a known integer")
        return int(value.numpy())
    if isinstance(value, (bool, np.bool_)):
        raise Unsupported("a bool where NumPy expects an integer")
    return operator.index(value)


def as_indices(value: Any) -> tuple[int, ...]:
    """An int or a sequence (or 1-D array) of ints, or a tensor's own shape, as a tuple of Python ints."""
    if is_tensor(value):
        if is_tracing() or not value.dtype.is_integer:
            raise Unsupported("integers that are not known")
        value = value.numpy()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (Sequence, tf.TensorShape)):
        return tuple(as_index(item) for item in value)
    return (as_index(value),)


def as_host(value: Any) -> Any:
    """`value` as an ndarray that is known now: shape-like arguments.

    Raises Unsupported for a symbolic tensor, and for one that a gradient tape follows: it would lose sight of it.
    """
    if is_tensor(value):
        if is_tracing() and not hasattr(value, "numpy"):
            raise Unsupported("a value that is not known while tracing")
        require(not is_followed(value), "a gradient by this argument")
        return value.numpy()
    if isinstance(value, (list, tuple)):
        return type(value)(as_host(item) for item in value)
    return value


def normal_axis(axis: Any, ndim: int) -> int:
    """`axis` in 0..ndim-1. Raises NumPy's AxisError."""
    number = as_index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim)
    return number % ndim


def normal_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """An int or a sequence of distinct axes, each in 0..ndim-1, in the order given. Raises as NumPy does."""
    normal = tuple(normal_axis(axis, ndim) for axis in as_indices(axes))
    if len(set(normal)) != len(normal):
        raise ValueError("repeated axis")
    return normal


def sequence_of(value: Any) -> list[Any]:
    """The arrays of a sequence argument: of a list or tuple its items, of an array its rows.

    Other iterables are left to NumPy, unread: a helper that had consumed one could not be replayed.
    """
    if isinstance(value, (list, tuple)):
        return list(value)
    if is_tensor(value) or isinstance(value, np.ndarray):
        return list(tf.unstack(as_tensor(value)))
    raise Unsupported(f"a {type(value).__name__} instead of a sequence")


def require(condition: bool, reason: str) -> None:
    """Raise Unsupported with `reason` unless the condition holds."""
    if not condition:
        raise Unsupported(reason)


def no_list(value: Any) -> Any:
    """`value`, of which NumPy asks an array's attributes: a list has none, and NumPy says so."""
    require(not isinstance(value, (list, tuple)), "a list where NumPy takes arrays only")
    return value


def known(flag: Any) -> bool:
    """An eager boolean tensor as a Python bool; Unsupported while tracing."""
    if is_tracing():
        raise Unsupported("a condition on values")
    return bool(flag.numpy())


def must_hold(flag: Any, reason: str) -> None:
    """What a boolean tensor says of values must be true: else Unsupported in eager mode, and a check in a graph."""
    if is_tracing():
        check(flag, reason)
    else:
        require(known(flag), reason)


def require_same_shape(one: Any, two: Any, reason: str) -> None:
    """Raise Unsupported unless both tensors have one shape; where tracing does not know it, that is a check."""
    require(one.shape.is_compatible_with(two.shape) and rank_of(one) == rank_of(two), reason)
    if not (one.shape.is_fully_defined() and two.shape.is_fully_defined()):
        must_hold(tf.reduce_all(tf.equal(tf.shape(one), tf.shape(two))), reason)


def is_all_finite(*tensors: Any) -> bool:
    """Whether every value is finite (integers and bools always are). Unsupported while tracing, for floats."""
    flags = [tf.reduce_all(tf.math.is_finite(part)) for t in tensors for part in _float_parts(t)]
    return not flags or known(tf.reduce_all(tf.stack(flags)))


def _float_parts(tensor: Any) -> Iterable[Any]:
    if tensor.dtype.is_complex:
        return (tf.math.real(tensor), tf.math.imag(tensor))
    return (tensor,) if tensor.dtype.is_floating else ()


def refuse_memory_order(value: Any, order: Any) -> None:
    """Refuse ``order="A"`` and ``"K"`` where memory layout would decide the result: a tensor does not carry one.

    NumPy on the host could not know it either (the copy is always C-contiguous), so this is final.
    """
    if order not in ("A", "K", "a", "k"):
        return
    if is_tensor(value):
        if value.shape.rank is not None and value.shape.rank < 2:
            return
        raise UnverifiedError(f"order={order!r} depends on the memory layout of an array, which a tensor does not have")
    if isinstance(value, np.ndarray) and value.ndim > 1:
        raise Unsupported("memory order")


def slice_axis(tensor: Any, axis: int, start: int | None, stop: int | None) -> Any:
    """``tensor[..., start:stop, ...]`` on one (normal) axis of a tensor of static shape."""
    shape = static_shape(tensor)
    first, last, _ = slice(start, stop).indices(shape[axis])
    begin, size = [0] * len(shape), list(shape)
    begin[axis], size[axis] = first, max(last - first, 0)
    return sliced(tensor, begin, size)
