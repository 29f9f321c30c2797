"""The arguments that a trial calls both versions of a function with. Runs in the child process."""

from __future__ import annotations

import copy
import functools
import inspect
import types
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from np2tnp.verify.recorded import unpickled


@dataclass
class Arguments:
    """Positional and keyword arguments of one call."""

    args: list[Any] = field(default_factory=list)
    kwargs: dict[str, Any] = field(default_factory=dict)

    def values(self) -> list[Any]:
        """All of them."""
        return [*self.args, *self.kwargs.values()]

    def copy(self) -> Arguments:
        """Arguments that a call may change: arrays, containers and objects are new ones."""
        return Arguments([copied(value) for value in self.args], {k: copied(v) for k, v in self.kwargs.items()})

    def arrays(self) -> list[Any]:
        """Every ndarray in them, in containers and attributes too."""
        found: list[Any] = []
        for value in self.values():
            _collect(value, found, 0)
        return found


@dataclass
class Input:
    """One size's arguments, for the original and for the rewritten function, and what the original made of them."""

    names: tuple[str, ...]  #: of the positional arguments
    reference: Arguments
    variants: dict[str, Arguments]  #: by the value of --compile of the text that defines their classes
    expected: Any  #: differential.observe.Observation
    mutates: bool
    seconds: float


def _collect(value: Any, found: list[Any], depth: int) -> None:
    if isinstance(value, np.ndarray):
        found.append(value)
    elif depth < 3:
        inner: Any = ()
        if type(value) in (list, tuple):
            inner = value
        elif type(value) is dict:
            inner = value.values()
        elif not isinstance(value, (type, types.ModuleType, types.FunctionType)):
            inner = getattr(value, "__dict__", {}).values()
        for item in inner:
            _collect(item, found, depth + 1)


def copied(value: Any) -> Any:
    """A copy that shares no array and no state with `value`; itself where it is immutable or cannot be copied."""
    if type(value) is np.ndarray:
        return value.copy(order="K")
    try:
        return copy.deepcopy(value)
    except Exception:  # modules, locks, files, running generators; an object's own __deepcopy__ may raise anything
        return value


def moved(arguments: Arguments, rng: np.random.Generator) -> Arguments:
    """The arguments with their fractions moved by one ULP, in objects' attributes too.

    How much a function makes of that is its own sensitivity to rounding. The objects of `arguments` are changed.
    """
    from np2tnp.verify.inputs import perturbed, shake
    from np2tnp.verify.specs import Array, make

    def move(value: Any) -> Any:
        if type(value) is np.ndarray and value.dtype.kind != "O":
            return make(perturbed(Array(value), rng), {})
        if type(value) in (list, tuple):
            return type(value)(move(item) for item in value)
        if type(value) is dict:
            return {key: move(item) for key, item in value.items()}
        if hasattr(value, "__dict__"):
            shake(value, rng)
            return value
        return perturbed(value, rng)

    return Arguments([move(value) for value in arguments.args], {k: move(v) for k, v in arguments.kwargs.items()})


def function_of(module: types.ModuleType, name: str) -> tuple[Any, bool]:
    """The function or method ``f`` or ``Class.method`` of a module, and whether its first argument is bound already.

    What caches results is taken off: a second call would time the cache. Raises AttributeError.
    """
    owner_name, _, last = name.rpartition(".")
    owner: Any = module
    for part in owner_name.split(".") if owner_name else ():
        owner = getattr(owner, part)
    found = inspect.getattr_static(owner, last)
    is_bound = isinstance(found, classmethod)
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, functools.cached_property):
        found = found.func
    else:
        found = getattr(owner, last)
    while isinstance(found, functools._lru_cache_wrapper):
        found = found.__wrapped__
    return found, is_bound


def positional_names(function: Any, count: int) -> tuple[str, ...]:
    """What `count` positional arguments of a function are called."""
    try:
        known = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        known = []
    return tuple(known[i] if i < len(known) else f"argument {i + 1}" for i in range(count))


def read_recorded(path: str, module: types.ModuleType, main: str) -> Arguments:
    """What ``differential.recorded.unpickled`` gives."""
    return Arguments(*unpickled(path, module, main))
