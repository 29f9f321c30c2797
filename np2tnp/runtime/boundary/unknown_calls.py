"""Calls whose target is only known when they happen, and calls of functions that take ndarrays."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.dispatch import HELPERS, host, is_tensor, map_structure, tensor, to_ndarray, to_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.looking import is_of
from np2tnp.runtime.base.updated import Undecided, updated
from np2tnp.runtime.symbols.masked import Masked

__all__ = [
    "call_method",
    "core",
    "get_attribute",
    "not_zero_d",
    "numbers",
    "sort_in_place",
    "unchanging",
    "zero_d_array",
]


# --- Calls of functions that take ndarrays, from code that works with tensors


def call_plain(function: Callable[..., Any], mutates: tuple[str, ...], /, *args: Any, **kwargs: Any) -> Any:
    """Call `function`, which takes ndarrays, as the core of a migrated one is called.

    Its arrays stay ndarrays: as tensors they would be copies, and what shares memory in NumPy would not any more. Code
    that expects a tensor does with an ndarray what NumPy does. An argument that it gives back is the caller's tensor.
    """
    result, finals, known = call_on_copies(function, mutates, args, kwargs)
    result = entered(result, known)
    return updated(result, **finals) if mutates else result


def call_on_copies(
    function: Callable[..., Any], mutates: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, dict[str, Any], dict[int, Any]]:
    """Call `function` with ndarrays in place of tensors.

    Gives its result, what became of the arguments in `mutates`, and the tensors of the copies by their identity.

    Raises
    ------
    UnverifiedError
        Where it changed another argument.
    """
    copies: dict[int, tuple[Any, Any]] = {}  # tensor -> its copy for this call: one in several places stays one

    def leave(leaf: Any) -> Any:
        if not is_tensor(leaf):
            return leaf
        if id(leaf) not in copies:
            copies[id(leaf)] = (leaf, to_ndarray(leaf))
        return copies[id(leaf)][1][()] if leaf.shape.rank == 0 else copies[id(leaf)][1]

    given_args, given_kwargs = map_structure(leave, args), map_structure(leave, kwargs)
    result = function(*given_args, **given_kwargs)
    bound = given = {}
    if mutates:
        signature = inspect.signature(function)
        bound = signature.bind(*args, **kwargs).arguments
        given = signature.bind(*given_args, **given_kwargs).arguments
    expected = {id(value) for name in mutates for value in _tensors(bound.get(name))}
    known: dict[int, Any] = {}
    for key, (leaf, array) in copies.items():
        if key in expected:
            known[id(array)] = to_tensor(array)
        elif array.tobytes() == to_ndarray(leaf).tobytes():
            known[id(array)] = leaf
        else:
            name = getattr(function, "__qualname__", function)
            raise UnverifiedError(f"{name} changed an argument that it was not expected to change")
    return result, {name: _final(name, bound.get(name), entered(given.get(name), known)) for name in mutates}, known


def entered(value: Any, known: dict[int, Any]) -> Any:
    """`value` with the tensors of the ndarrays that are `known` by their identity."""
    return map_structure(lambda leaf: known.get(id(leaf), leaf), value)


def _final(name: str, value: Any, after: Any) -> Any:
    """What became of an argument that the callee may have updated: a container is updated, an array replaced."""
    if is_tensor(value) and value.shape.rank == 0:
        return Undecided("a function that is not migrated")  # it had a number
    if type(value) is list:
        value[:] = after
    elif type(value) is dict:
        value.update(after)
    elif is_of(value, tuple):
        raise UnverifiedError(f"{name!r} is updated in place, and a tuple of tensors cannot show it")
    else:
        return after
    return value


def _tensors(value: Any) -> list[Any]:
    found: list[Any] = []
    map_structure(lambda leaf: found.append(leaf) if is_tensor(leaf) else None, value)
    return found


# --- Calls whose target is only known when they happen: the core of a bound method, a method of what may be an array

#: Attributes that say how an ndarray lies in memory.
_MEMORY = frozenset(("base", "data", "ctypes", "flags", "strides", "device"))

#: Methods that take a shape, axes or choices as separate arguments, where the function takes one tuple.
_SPREADS = frozenset(("reshape", "transpose", "resize", "choose"))

#: Methods that do something else than the function of their name: the helper's name.
_OTHERS = {"conj": "conjugated", "conjugate": "conjugated", "compress": "compressed"}


def core(function: Callable[..., Any], *, mutates: tuple[str, ...] = ()) -> Callable[..., Any]:
    """What calls `function` with tensors: its functional core, bound like `function` itself.

    A function that is not migrated (its module was not rewritten yet, another decorator wraps it, or a subclass
    overrides a migrated method), or whose core updates other parameters than `mutates`, gets ndarrays; its results
    stay what they are. With `mutates`, the call gives ``rt.updated(result, name=array, ...)`` in any case.

    Raises
    ------
    UnverifiedError
        From the call, where a function that is not migrated changed an argument that is not in `mutates`.
    """
    inner = getattr(function, "core", None)
    own = getattr(inner, "public", None) is getattr(function, "__func__", function)  # functools.wraps copies attributes
    if inner is None or not own or getattr(inner, "mutates", ()) != mutates:
        return functools.partial(call_plain, function, mutates)
    owner = getattr(function, "__self__", None)
    result: Callable[..., Any] = inner if owner is None else functools.partial(inner, owner)
    return result


def unchanging(function: Callable[..., Any]) -> Callable[..., Any]:
    """What calls `function`; an ndarray among its arguments that holds other values then gets the old ones back.

    For calls inside of expressions that have read these arrays before: NumPy would see the change.

    Raises
    ------
    UnverifiedError
        From the call, where there was such an ndarray.
    """
    return functools.partial(_call_unchanging, function)


def _call_unchanging(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    before: list[tuple[np.ndarray, bytes]] = []

    def keep(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            before.append((leaf, leaf.tobytes()))
        return leaf

    map_structure(keep, (args, kwargs))
    result = function(*args, **kwargs)
    changed = [(array, values) for array, values in before if array.tobytes() != values]
    if changed:
        for array, values in changed:  # who refuses leaves things as they were
            if not array.dtype.hasobject:
                array[...] = np.frombuffer(values, array.dtype).reshape(array.shape)
        name = getattr(function, "__qualname__", function)
        raise UnverifiedError(f"{name} changed an array that the expression around its call had read before")
    return result


def call_method(receiver: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """``receiver.name(*args, **kwargs)``: ndarray's method, exactly, of a tensor; else the object's own."""
    if isinstance(receiver, (np.ndarray, np.generic)):
        return getattr(receiver, name)(*host(args), **host(kwargs))
    if not is_tensor(receiver) and not isinstance(receiver, Masked):
        return call_on_copies(getattr(receiver, name), (), args, kwargs)[0]
    runtime: Any = sys.modules[own_package]

    helper = getattr(runtime, _OTHERS.get(name, name), None) or HELPERS.get(f"numpy.{name}")
    if helper is None or not hasattr(np.ndarray, name):
        return tensor(getattr(host(receiver), name)(*host(args), **host(kwargs)))
    if name in _SPREADS and len(args) > 1:
        args = (args,)
    return helper(receiver, *args, **kwargs)


def get_attribute(owner: Any, name: str, /) -> Any:
    """``owner.name``: ndarray's attribute, exactly, when `owner` is a tensor; else the object's own."""
    if not is_tensor(owner):
        return getattr(owner, name)
    if name in _MEMORY:
        raise UnverifiedError(f".{name} shows the memory of an ndarray; a tensor has none to show")
    runtime: Any = sys.modules[own_package]

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


def numbers(*values: Any) -> tuple[Any, ...]:
    """`values`, refused where one is a tensor with axes.

    ``a[i], a[j] = a[j], a[i]`` exchanges numbers; rows are views, and the second store sees what the first one did.
    """
    for value in values:
        if is_tensor(value) and value.shape.rank != 0:
            raise UnverifiedError("an exchange of rows stores into what it reads: NumPy gives views, copy them before")
    return values


def sort_in_place(owner: Any, *args: Any, **kwargs: Any) -> Any:
    """``owner.sort(*args, **kwargs)``, and the sorted object: a new tensor for a tensor, else `owner` itself."""
    if not is_tensor(owner):
        owner.sort(*host(args), **host(kwargs))
        return owner
    if kwargs.get("axis", args[0] if args else -1) is None:  # the function flattens, the method cannot
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    runtime: Any = sys.modules[own_package]

    return runtime.sort(owner, *args, **kwargs)
