"""Calls whose target is only known when they happen: the core of a bound method, a method of what may or may not be an array."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from np2tnp.runtime.dispatch import HELPERS, host, is_tensor, tensor, to_ndarray

__all__ = ["call_method", "core", "get_attribute", "zero_d_array"]


def core(function: Callable[..., Any]) -> Callable[..., Any]:
    """What calls `function` with tensors: its functional core, bound like `function` itself.

    A function that was not migrated (a subclass may override a migrated method) gets ndarrays, and its results become tensors.
    """
    inner = getattr(function, "core", None)
    if inner is None:
        return lambda *args, **kwargs: tensor(function(*host(args), **host(kwargs)))
    owner = getattr(function, "__self__", None)
    result: Callable[..., Any] = inner if owner is None else functools.partial(inner, owner)
    return result


def call_method(receiver: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """``receiver.name(*args, **kwargs)``: ndarray's method, exactly, when `receiver` is a tensor; else the object's own."""
    if not is_tensor(receiver):
        return getattr(receiver, name)(*host(args), **host(kwargs))
    from np2tnp import runtime

    helper = getattr(runtime, name, None) or HELPERS.get(f"numpy.{name}")
    if helper is None:
        return tensor(getattr(host(receiver), name)(*host(args), **host(kwargs)))
    return helper(receiver, *args, **kwargs)


def get_attribute(owner: Any, name: str, /) -> Any:
    """``owner.name``: ndarray's attribute, exactly, when `owner` is a tensor; else the object's own."""
    if not is_tensor(owner):
        return getattr(owner, name)
    from np2tnp import runtime

    helper = runtime.transpose if name == "T" else runtime.matrix_transpose if name == "mT" else getattr(runtime, name)
    return helper(owner)


def zero_d_array(value: Any) -> Any:
    """`value`, but a 0-d tensor as a 0-d ndarray: what NumPy returns there is an array and not a scalar."""
    return to_ndarray(value) if is_tensor(value) and value.shape.rank == 0 else value
