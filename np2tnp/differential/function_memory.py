"""What the functions of a module keep by themselves: what their closures hold, and attributes that they are given.

These are caches and counters. Nobody but the function reads them, so they are forgotten between calls, not compared.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

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
