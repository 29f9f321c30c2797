"""Globals that a trace read: numbers, texts and functions, and small arrays and containers of these.

What can only be rebound is asked for by identity at each call. What can change unseen (an array, a list, a dict) is
part of the graph with what it held, and compared with that: some microseconds, where an eager body takes milliseconds.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.errors import Unsupported
from np2tnp.runtime.looking import is_of, is_plain_tuple

#: Modules whose attributes nobody changes: a trace may use what it read there.
CONSTANT_MODULES = frozenset("numpy tensorflow math cmath operator builtins itertools functools".split())

#: How much of containers and arrays is compared at a call: of more, comparing and compiling take too long.
MOST_ITEMS = 500
MOST_BYTES = 1 << 18

_CONSTANTS = (type(None), bool, int, float, complex, str, bytes, np.generic, np.dtype, type(Ellipsis))
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.sum))


class OwnValues:
    """What a function has of its own, as a scope: defaults of parameters, and variables of functions around it."""

    def __init__(self, function: types.FunctionType) -> None:
        self._function = function

    def __iter__(self) -> Iterator[str]:
        return iter(self._found())

    def get(self, name: str) -> Any:
        """The present value."""
        return self._found().get(name)

    def _found(self) -> dict[str, Any]:
        code, defaults = self._function.__code__, self._function.__defaults__ or ()
        places = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
        found = dict(zip(places, defaults, strict=True)) | (self._function.__kwdefaults__ or {})
        for name, cell in zip(code.co_freevars, self._function.__closure__ or (), strict=True):
            if name != "__class__":  # of super()
                with suppress(ValueError):  # no value yet
                    found[name] = cell.cell_contents
        return found


class Read(NamedTuple):
    """A global, or another value that code finds without being given it, that was read."""

    scope: dict[str, Any] | OwnValues
    name: str
    value: Any
    held: Any  #: what an array or a container held, comparable; None for what can only be rebound

    def is_current(self) -> bool:
        """Whether the global is the same object still, and holds the same."""
        if self.scope.get(self.name) is not self.value:
            return False
        try:
            return self.held is None or bool(Held().of(self.value) == self.held)
        except Unsupported:
            return False


class Held:
    """What arrays and containers hold, in a form that can be compared; each is met once."""

    def __init__(self) -> None:
        self.mutable: dict[int, Any] = {}  #: arrays, lists and dicts, by id
        self.functions: list[types.FunctionType] = []
        self._items = MOST_ITEMS
        self._bytes = MOST_BYTES

    def of(self, value: Any) -> Any:
        """Raises Unsupported for objects of which nothing is known, and for too many items."""
        self._items -= 1
        kind = type(value)
        if kind is np.ndarray and value.dtype.char in _DTYPES:
            self._bytes -= value.nbytes
            if self._bytes < 0:
                raise Unsupported("a large ndarray")
            self.mutable[id(value)] = value
            return kind, value.dtype.str, value.shape, value.strides, value.tobytes()
        if self._items < 0:
            raise Unsupported(f"which holds more than {MOST_ITEMS} items")
        if kind is list or is_plain_tuple(value):
            if kind is list:
                self.mutable[id(value)] = value
            return kind, tuple(map(self.of, value))
        if kind is dict:
            self.mutable[id(value)] = value
            return kind, tuple([(self.of(key), self.of(item)) for key, item in value.items()])
        if kind is slice or kind is range:
            return kind, self.of((value.start, value.stop, value.step))
        if kind is bool or kind is int:
            return kind, value
        if kind is float or kind is complex:
            return kind, repr(value)  # -0.0 is not 0.0
        if is_of(value, np.generic):
            return kind, value.tobytes()
        if not is_constant(value):
            raise Unsupported(f"a {kind.__name__}")
        if is_of(value, types.FunctionType):
            self.functions.append(value)
        return (kind, value) if is_of(value, (str, bytes)) else _Same(value)


class _Same:
    """Equal to what stands for the very same object."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    __hash__ = None  # type: ignore[assignment]


_DTYPES = frozenset("?bBhHiIlLqQefdFD")


def is_constant(value: Any) -> bool:
    """Whether a global with this value changes only by being rebound."""
    if is_of(value, types.ModuleType):
        name = value.__name__
        return name.partition(".")[0] in CONSTANT_MODULES or name == own_package or name.startswith(f"{own_package}.")
    if is_of(value, type):
        return value.__module__.partition(".")[0] in CONSTANT_MODULES
    return is_of(value, (*_CONSTANTS, *_FUNCTIONS))
