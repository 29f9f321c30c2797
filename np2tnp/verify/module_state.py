"""The data that a module and its classes keep between calls."""

from __future__ import annotations

import enum
import functools
import logging
import random
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from np2tnp.verify.observe import Frozen, freeze, is_same

# --- What the functions of a module keep by themselves: what their closures hold, and attributes that they are given
#
# These are caches and counters. Nobody but the function reads them, so they are forgotten between calls, not
# compared.

_DEPTH = 3  #: functions in closures of functions in closures (decorators)


class FunctionMemory:
    """Attributes and closures of the functions of `holders` (a module and its classes) as they are now."""

    def __init__(
        self,
        module: types.ModuleType,
        holders: list[Any],
        is_data: Callable[[str, Any], bool],
        copy: Callable[[Any], Any],
        put_back: Callable[[Any, Any], None],
    ) -> None:
        """Of what `is_data`, `copy` is taken, and `put_back(value, copy)` makes a container what it was."""
        self._is_data, self._copy, self._put_back = is_data, copy, put_back
        self._functions = list(_functions(module, holders))
        self._attributes = [{name: self._both(value) for name, value in self._own(it)} for it in self._functions]
        self._cells = [
            (cell, *self._both(cell.cell_contents))
            for function in self._functions
            for cell in (function.__closure__ or () if function.__globals__ is vars(module) else ())
            if _is_filled(cell) and is_data("", cell.cell_contents)
        ]  #: not of what wraps them: the runtime's wrappers hold what was compiled

    def restore(self) -> None:
        """Make all of it what it was."""
        for function, known in zip(self._functions, self._attributes, strict=True):
            for name, _ in self._own(function):
                if name not in known:
                    delattr(function, name)
            for name, (value, copy) in known.items():
                setattr(function, name, value)
                self._put_back(value, copy)
        for cell, value, copy in self._cells:
            cell.cell_contents = value
            self._put_back(value, copy)

    def _both(self, value: Any) -> tuple[Any, Any]:
        return value, self._copy(value)

    def _own(self, function: types.FunctionType) -> list[tuple[str, Any]]:
        found: Mapping[str, Any] = vars(function)
        return [(name, value) for name, value in found.items() if self._is_data(name, value)]


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _functions(module: types.ModuleType, holders: list[Any]) -> Iterator[types.FunctionType]:
    """Functions that the module's own text defines, with those in their closures, and those that wrap them."""
    seen: set[int] = set()
    todo = [(value, 0) for holder in holders for value in vars(holder).values()]
    while todo:
        value, depth = todo.pop()
        value = getattr(value, "__func__", value)  # of a class or static method
        if not isinstance(value, types.FunctionType) or id(value) in seen:
            continue
        seen.add(id(value))
        is_own = value.__globals__ is vars(module)
        if is_own or getattr(value, "__module__", "") == module.__name__:
            yield value
        if depth < _DEPTH:
            inner = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)] if is_own else []
            todo += [(it, depth + 1) for it in (*inner, getattr(value, "__wrapped__", None))]


class Globals:
    """The data a module and its classes keep: restored before each call, so that no call sees what another left behind.

    So are its streams of random numbers, which no version may draw more or fewer numbers from than another does.
    Lists and dicts that hold objects once the module is loaded (registries) are left alone: objects cannot be restored.
    """

    def __init__(self, module: types.ModuleType) -> None:
        self._holders: list[tuple[str, Any]] = [("", module)]
        for name, value in vars(module).items():
            is_own = isinstance(value, type) and value.__module__ == module.__name__ and value.__name__ == name
            if is_own and not issubclass(value, enum.Enum):
                self._holders.append((f"{name}.", value))
        found = {key: (value, freeze(value)) for key, _, _, value in self._data()}
        self._streams = {key: _position(value) for key, (value, _) in found.items() if _is_stream(value)}
        self._saved = {key: pair for key, pair in found.items() if key in self._streams or _is_plain(pair[1])}
        self._registries = found.keys() - self._saved.keys()
        self._handlers = list(logging.root.handlers)
        holders = [holder for _, holder in self._holders]
        self._functions = FunctionMemory(module, holders, _is_memory, freeze, _put_back)

    def restore(self) -> None:
        """Make all data what it was when the module was loaded."""
        logging.root.handlers[:] = self._handlers  # `basicConfig` does nothing where a call before has done it
        for value in [it for _, holder in self._holders for it in vars(holder).values()]:
            if isinstance(value, functools._lru_cache_wrapper):
                value.cache_clear()  # a result that is remembered comes from another call
        self._functions.restore()
        new = [
            (holder, name)
            for key, holder, name, _ in self._data()
            if key not in self._saved and key not in self._registries
        ]
        for prefix, holder in self._holders:
            for key, (value, frozen) in self._saved.items():
                name = key.removeprefix(prefix)
                if not key.startswith(prefix) or "." in name:
                    continue
                if vars(holder).get(name) is not value:
                    setattr(holder, name, value)
                if key in self._streams:
                    _go_to(value, self._streams[key])
                elif not is_same(freeze(value), frozen):
                    _refill(value, frozen)
        for holder, name in new:
            delattr(holder, name)

    def changed(self) -> dict[str, Any]:
        """Globals (``Class.name`` for what a class keeps) that differ from when the module was loaded, frozen."""
        now = {key: freeze(value) for key, _, _, value in self._data() if key not in self._registries}
        return {key: it for key, it in now.items() if key not in self._saved or not is_same(it, self._saved[key][1])}

    def _data(self) -> Iterator[tuple[str, Any, str, Any]]:
        """Each name with data: how it is shown, the module or class that has it, its name there, its value."""
        for prefix, holder in self._holders:
            for name, value in list(vars(holder).items()):
                if _is_data(name, value):
                    yield f"{prefix}{name}", holder, name, value


def _is_memory(name: str, value: Any) -> bool:
    """Whether it is data that could be put back: what holds objects could not."""
    return _is_data(name, value) and not _is_stream(value) and _is_plain(freeze(value))


def _put_back(value: Any, frozen: Any) -> None:
    if not is_same(freeze(value), frozen):
        _refill(value, frozen)


def _is_plain(frozen: Any) -> bool:
    """Whether nothing in it stands for an object."""
    if type(frozen) in (list, tuple, dict):
        return all(map(_is_plain, frozen.values() if type(frozen) is dict else frozen))
    return not isinstance(frozen, Frozen)


def _is_data(name: str, value: Any) -> bool:
    if name.startswith("__"):
        return False
    if isinstance(value, np.ndarray):
        return value.size <= 100_000
    return (
        _is_stream(value)
        or isinstance(value, (bool, int, float, complex, str, np.generic))
        or (isinstance(value, (list, dict)) and len(value) <= 1000)
    )


def _is_stream(value: Any) -> bool:
    return isinstance(value, (np.random.Generator, np.random.RandomState, random.Random))


def _position(stream: Any) -> Any:
    """Where a stream of random numbers is."""
    if isinstance(stream, np.random.Generator):
        return stream.bit_generator.state
    return stream.get_state() if isinstance(stream, np.random.RandomState) else stream.getstate()


def _go_to(stream: Any, position: Any) -> None:
    if isinstance(stream, np.random.Generator):
        stream.bit_generator.state = position
    elif isinstance(stream, np.random.RandomState):
        stream.set_state(position)
    else:
        stream.setstate(position)


def _refill(value: Any, frozen: Any) -> None:
    if isinstance(value, np.ndarray) and value.flags.writeable and isinstance(frozen, np.ndarray):
        np.copyto(value, frozen)
    elif isinstance(value, list):
        value[:] = frozen
    elif isinstance(value, dict):
        value.clear()
        value.update(frozen)
