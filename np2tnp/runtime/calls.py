"""Calls whose target is only known when they happen: the core of a bound method, a method of what may be an array."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from np2tnp.runtime.dispatch import HELPERS, host, is_tensor, map_structure, tensor, to_ndarray
from np2tnp.runtime.errors import UnverifiedError

__all__ = ["call_method", "core", "get_attribute", "not_zero_d", "sort_in_place", "zero_d_array"]


#: Methods that take a shape or axes as separate arguments, where the function takes one tuple.
_SPREADS = frozenset(("reshape", "transpose", "resize"))


def core(function: Callable[..., Any]) -> Callable[..., Any]:
    """What calls `function` with tensors: its functional core, bound like `function` itself.

    A function that was not migrated (a subclass may override a migrated method) gets ndarrays, and its results become
    tensors.
    """
    inner = getattr(function, "core", None)
    if inner is None:
        return lambda *args, **kwargs: tensor(function(*host(args), **host(kwargs)))
    owner = getattr(function, "__self__", None)
    result: Callable[..., Any] = inner if owner is None else functools.partial(inner, owner)
    return result


def call_method(receiver: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """``receiver.name(*args, **kwargs)``: ndarray's method, exactly, of a tensor; else the object's own."""
    if not is_tensor(receiver):
        return getattr(receiver, name)(*host(args), **host(kwargs))
    from np2tnp import runtime

    helper = getattr(runtime, name, None) or HELPERS.get(f"numpy.{name}")
    if helper is None:
        return tensor(getattr(host(receiver), name)(*host(args), **host(kwargs)))
    if name in _SPREADS and len(args) > 1:
        args = (args,)
    return helper(receiver, *args, **kwargs)


def get_attribute(owner: Any, name: str, /) -> Any:
    """``owner.name``: ndarray's attribute, exactly, when `owner` is a tensor; else the object's own."""
    if not is_tensor(owner):
        return getattr(owner, name)
    from np2tnp import runtime

    helper = runtime.transpose if name == "T" else runtime.matrix_transpose if name == "mT" else getattr(runtime, name)
    return helper(owner)


def zero_d_array(value: Any) -> Any:
    """`value`, but each 0-d tensor in it as a 0-d ndarray: what NumPy returns there is an array and not a scalar."""
    return map_structure(lambda leaf: to_ndarray(leaf) if is_tensor(leaf) and leaf.shape.rank == 0 else leaf, value)


def not_zero_d(value: Any) -> Any:
    """`value`, refused where it is or holds a 0-d tensor: NumPy may give a scalar or an array there."""

    def check(leaf: Any) -> Any:
        if is_tensor(leaf) and leaf.shape.rank == 0:
            raise UnverifiedError("a result is 0-d, and whether NumPy gives a scalar or an array here is not known")
        return leaf

    return map_structure(check, value)


def sort_in_place(owner: Any, *args: Any, **kwargs: Any) -> Any:
    """``owner.sort(*args, **kwargs)``, and the sorted object: a new tensor for a tensor, else `owner` itself."""
    if not is_tensor(owner):
        owner.sort(*host(args), **host(kwargs))
        return owner
    if kwargs.get("axis", args[0] if args else -1) is None:  # the function flattens, the method cannot
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    from np2tnp import runtime

    return runtime.sort(owner, *args, **kwargs)
