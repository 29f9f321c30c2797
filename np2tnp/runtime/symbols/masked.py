"""``x[mask]`` inside a trace, where its length is not known: the whole array beside the mask.

What works element by element works on the whole array as well, and ``x[mask] = f(x[mask], y[mask])`` becomes one
select. So masked iterations are compiled, which elements of unknown number could not be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import OPERATORS, is_symbolic, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import numpy_dtype
from np2tnp.runtime.base.stored_values import cast_stored
from np2tnp.runtime.base.tracing import check, current

#: Functions besides the ufuncs that work element by element on their first argument.
_ELEMENTWISE = frozenset(f"numpy.{name}" for name in "real imag clip nan_to_num around round sinc angle".split())
_ELEMENTWISE |= {"ndarray.astype", "numpy.astype", "ndarray.copy", "numpy.copy", "numpy.array"}
_REDUCTIONS = frozenset(f"numpy.{name}" for name in "sum prod any all max min amax amin mean var std".split())
_AVERAGES = frozenset(("mean", "var", "std"))


class Masked:
    """The elements of `full` where `mask` is true; `mask` covers the leading axes."""

    __slots__ = ("full", "mask")

    def __init__(self, full: Any, mask: Any) -> None:
        self.full = full
        self.mask = mask

    @property
    def shape(self) -> Any:
        return tf.TensorShape([None, *self.full.shape[self.mask.shape.rank :]])

    @property
    def dtype(self) -> Any:
        return self.full.dtype

    def _refuse(self, *_: Any) -> Any:
        raise Unsupported("elements under a mask, whose number only the graph knows")

    __bool__ = __int__ = __float__ = __index__ = __hash__ = __iter__ = __len__ = __getitem__ = _refuse
    __repr__ = __str__ = __format__ = _refuse


def _operators() -> None:
    binary = "add sub mul truediv floordiv mod pow and or xor lshift rshift"
    for name in (*binary.split(), "lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Masked, f"__{name}__", _forward(name))
    for name in binary.split():
        setattr(Masked, f"__r{name}__", _backward(name))
    for name in ("neg", "pos", "abs", "invert"):
        setattr(Masked, f"__{name}__", _forward(name))


def _forward(name: str) -> Callable[..., Any]:
    return lambda self, *other: applied(_operator(name), (self, *other))


def _backward(name: str) -> Callable[..., Any]:
    return lambda self, other: applied(_operator(name), (other, self))


def _operator(name: str) -> Callable[..., Any]:
    return OPERATORS[name.rstrip("_")]


_operators()


def masked_read(x: Any, key: Any) -> Masked | None:
    """``x[key]`` as Masked where `key` is a mask of the trace over all or the leading axes; else None."""
    if current() is None or not is_tensor(key) or key.dtype != tf.bool or not is_symbolic(key):
        return None
    rank = key.shape.rank
    if not rank or None in tuple(x.shape) or tuple(x.shape[:rank]) != tuple(key.shape):
        return None
    return Masked(x, key)


def masked_write(x: Any, key: Any, value: Masked) -> Any:
    """``x[key] = value`` for elements taken by the same mask."""
    if not _is_same(key, value.mask) or tuple(value.full.shape) != tuple(x.shape):
        raise Unsupported("elements under one mask stored under another")
    return tf.raw_ops.SelectV2(condition=_spread(value), t=cast_stored(value.full, x.dtype), e=x)


def _is_same(one: Any, other: Any, depth: int = 8) -> bool:
    """Whether two tensors of the trace are computed alike: ``x > 0`` written twice is one mask."""
    if one is other:
        return True
    if not depth or one.op.type != other.op.type or one.op.op_def.is_stateful or one.value_index != other.value_index:
        return False
    if one.op.type in ("Placeholder", "While", "StatelessWhile", "If", "StatelessIf"):
        return False
    inputs = list(zip(one.op.inputs, other.op.inputs, strict=False))
    if len(one.op.inputs) != len(other.op.inputs) or one.op.node_def.attr != other.op.node_def.attr:
        return False
    return all(_is_same(*pair, depth - 1) for pair in inputs)


def _spread(value: Masked) -> Any:
    """The mask with an axis of length 1 for each axis that it does not cover."""
    mask = value.mask
    rest = value.full.shape.rank - mask.shape.rank
    return tf.reshape(mask, (*mask.shape, *(1,) * rest)) if rest else mask


def applied(helper: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """An elementwise `helper` on arguments of which some are Masked. Raises Unsupported."""
    first = next(value for value in args if isinstance(value, Masked))
    rest = first.full.shape.rank - first.mask.shape.rank
    fulls = []
    for value in args:
        if isinstance(value, Masked):
            if not _is_same(value.mask, first.mask):
                raise Unsupported("elements under different masks")
            if value.full.shape.rank != first.full.shape.rank:
                raise Unsupported("elements of different ranks under a mask")
            fulls.append(value.full)
        elif is_tensor(value) and (value.shape.rank is None or value.shape.rank > rest):
            raise Unsupported("an array beside elements under a mask")
        elif isinstance(value, (list, tuple, np.ndarray)):
            raise Unsupported("a sequence beside elements under a mask")
        else:
            fulls.append(value)
    result = helper(*fulls)
    if isinstance(result, tuple):
        return tuple(Masked(part, first.mask) for part in result)
    if tuple(result.shape) != tuple(first.full.shape):
        raise Unsupported("elements under a mask that are broadcast")
    return Masked(result, first.mask)


def called(api: str, reference: Any, helper: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The helper for NumPy's `api` with Masked arguments. Raises Unsupported."""
    if isinstance(reference, np.ufunc) or api.startswith("operator.") or api in _ELEMENTWISE:
        return applied(lambda *fulls: helper(*fulls, **kwargs), args)
    (value,) = args if len(args) == 1 else (None,)
    if api in _REDUCTIONS and isinstance(value, Masked) and not kwargs:
        name = api.rpartition(".")[2]
        return _averaged(name, value) if name in _AVERAGES else helper(_neutral(name, value))
    raise Unsupported("elements under a mask, whose number only the graph knows")


def _neutral(name: str, value: Masked) -> Any:
    """The whole array with what does not count in a reduction where the mask is false."""
    dtype = numpy_dtype(value.dtype)
    if name in ("sum", "any", "all", "prod"):
        rest = np.ones((), dtype) if name in ("all", "prod") else np.zeros((), dtype)
    else:
        if dtype.kind not in "iuf":
            raise Unsupported("an extreme element under a mask")
        check(tf.reduce_any(value.mask), "the extreme element of nothing")
        lowest = name in ("max", "amax")
        bounds: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
        extreme = (-np.inf if lowest else np.inf) if dtype.kind == "f" else bounds.min if lowest else bounds.max
        rest = np.array(extreme, dtype)
    return tf.raw_ops.SelectV2(condition=_spread(value), t=value.full, e=tf.constant(rest))


def _averaged(name: str, value: Masked) -> Any:
    """The mean, variance or deviation of the elements; there must be some: NumPy warns of the mean of nothing."""
    dtype = numpy_dtype(value.dtype)
    if (dtype.kind == "f" and dtype.itemsize < 4) or dtype.kind not in "biuf":
        raise Unsupported(f"the {name} of {dtype} elements under a mask")
    check(tf.reduce_any(value.mask), f"the {name} of nothing")
    full = value.full if dtype.kind == "f" else tf.cast(value.full, tf.float64)
    mask = tf.broadcast_to(_spread(value), full.shape)
    zeros, count = tf.zeros_like(full), tf.reduce_sum(tf.cast(mask, full.dtype))

    def mean(x: Any) -> Any:
        return tf.reduce_sum(tf.where(mask, x, zeros)) / count

    middle = mean(full)
    if name == "mean":
        return middle
    variance = mean(tf.square(tf.where(mask, full, middle) - middle))
    return tf.sqrt(variance) if name == "std" else variance
