"""What a function, and functions that it may call, read by name: globals, and attributes of the program's modules."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.looking import function_of, is_of, package_of
from np2tnp.runtime.sizes import kind_of

#: How many functions are looked at.
_MOST = 500
#: Packages whose functions read nothing of the program's.
_OTHERS = frozenset(("numpy", "tensorflow", "builtins", own_package.partition(".")[0]))
#: Functions of Python's that find globals by their text.
_ANY = frozenset(("globals", "eval", "exec"))


class ByName:
    """The values that a function may find without being given them; which names these are is looked up once."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._places: list[tuple[dict[str, Any], str]] = []
        self._scopes: list[tuple[dict[str, Any], int]] = []  #: with the number of names that they had

    def values(self) -> Iterator[tuple[str, Any]]:
        """(name, value) for what may be or hold an array."""
        if not self._scopes or any(len(scope) != count for scope, count in self._scopes):
            self._look()
        for scope, name in self._places:
            value = scope.get(name)
            if value is not None:
                yield name, value

    def _look(self) -> None:
        search = _Search()
        search.function(self._function)
        owner = getattr(self._function, "__globals__", {}).get(self._function.__qualname__.partition(".")[0])
        if isinstance(owner, type):
            search.of_class(owner)
        search.finish()
        self._places = list(search.places.values())
        self._scopes = [(scope, len(scope)) for scope in search.scopes.values()]


class _Search:
    def __init__(self) -> None:
        self.places: dict[tuple[int, str], tuple[dict[str, Any], str]] = {}
        self.scopes: dict[int, dict[str, Any]] = {}
        self._seen: set[int] = set()
        self._waiting: list[types.FunctionType] = []

    def function(self, value: Any) -> None:
        while is_of(value, types.FunctionType):
            if id(value) in self._seen or len(self._seen) > _MOST:
                return
            self._seen.add(id(value))
            self._waiting.append(value)
            value = getattr(value, "__wrapped__", None)

    def finish(self) -> None:
        while self._waiting:
            function = self._waiting.pop()
            scope = function.__globals__
            if _is_other(scope.get("__name__")) or "site-packages" in function.__code__.co_filename:
                continue
            self.scopes[id(scope)] = scope
            for cell in function.__closure__ or ():
                try:
                    self.function(cell.cell_contents)
                except ValueError:  # no value yet
                    continue
            names = _names(function.__code__)
            for name in names if names.isdisjoint(_ANY) else list(scope):
                if name in scope:
                    self._place(scope, name, names)

    def _place(self, scope: dict[str, Any], name: str, names: Iterable[str]) -> None:
        value = scope[name]
        if is_of(value, types.FunctionType):
            self.function(value)
        elif is_of(value, type):
            self.of_class(value)
        elif is_of(value, types.ModuleType):
            if not _is_other(value.__name__):
                for attribute in names:
                    if attribute in vars(value) and not is_of(vars(value)[attribute], types.ModuleType):
                        self._place(vars(value), attribute, ())
        elif value is None or kind_of(value) != "single":
            self.places[id(scope), name] = scope, name
            if kind_of(value) == "object":
                self.of_class(type(value))

    def of_class(self, kind: type) -> None:
        """What its methods read."""
        for base in kind.__mro__:
            if id(base) in self._seen or package_of(base) in _OTHERS:
                continue
            self._seen.add(id(base))
            for value in vars(base).values():
                self.function(function_of(value))


def _names(code: types.CodeType) -> set[str]:
    """The names that `code` and functions in it read as globals or attributes."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _is_other(module: object) -> bool:
    return not isinstance(module, str) or module.partition(".")[0] in _OTHERS
