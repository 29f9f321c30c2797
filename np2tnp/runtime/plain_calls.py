"""Calls of functions that take ndarrays, from code that works with tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from np2tnp.runtime.base.dispatch import is_tensor, map_structure, to_ndarray, to_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.looking import is_of
from np2tnp.runtime.base.updated import Undecided, updated


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
