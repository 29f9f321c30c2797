"""Methods under ``compile=``: what a body reads of its object becomes part of the signature and of the graph's inputs.

The trace runs on a *stand-in*: an object of the same class, of which only those attributes exist that the body, and the
methods which it calls, mention. Arrays among them are the graph's inputs, read anew at each call; everything else is
part of the signature. What cannot be told apart from code that runs at each call (properties, ``__getattr__``) leaves
the call eager.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.looking import is_of, member, own_dict
from np2tnp.runtime.base.precision import is_single
from np2tnp.runtime.base.tracing import attribute_names
from np2tnp.runtime.boundary.contract import enter

#: Methods by which a class decides about its attributes, or does something when an object of it goes.
_OWN_WAYS = ("__getattr__", "__del__")
_METHODS = (types.FunctionType, staticmethod, classmethod)


class MoreAttributes(BaseException):  # no error: nobody may handle it but who begins the trace again
    """The trace called a method that reads further attributes."""


class Held(NamedTuple):
    """What is read of an object."""

    kind: type
    attributes: dict[str, Any]


class State:
    """What compiled code may read of its object: grows by the methods that it turns out to call."""

    def __init__(self, body: Callable[..., Any], arrays: Iterable[str]) -> None:
        self._names = frozenset(attribute_names(body.__code__))
        self._raw = self._names - frozenset(arrays)  #: that some method reads as NumPy's own

    def includes(self, other: State) -> bool:
        """Whether all that `other` reads is known here, too."""
        return other._names <= self._names and other._raw <= self._raw

    def include(self, other: State) -> None:
        """Another method, which reads the same object, is part of the graph."""
        self._names |= other._names
        self._raw |= other._raw

    def read(self, owner: Any) -> tuple[Held, tuple[Any, ...]]:
        """What a call reads of the object, arrays as tensors, and the methods that it may call. Raises Unsupported."""
        kind = type(owner)
        if member(kind, "__getattribute__") is not object.__getattribute__ or any(member(kind, it) for it in _OWN_WAYS):
            raise Unsupported(f"{kind.__name__} has attributes of its own way")
        if member(kind, "__dict__") is None:
            raise Unsupported(f"{kind.__name__} has no dictionary of attributes")
        own = own_dict(owner)
        found: dict[str, Any] = {}
        methods: list[Any] = []
        memo: dict[int, Any] = {}
        for name in sorted(self._names):
            inherited = member(kind, name)
            if member(type(inherited), "__get__") is not None and not is_of(inherited, _METHODS):
                raise Unsupported(f"{kind.__name__}.{name} is a {type(inherited).__name__}")
            value = own.get(name, inherited)
            if is_of(value, _METHODS) and name not in own:
                methods.append(value)
                continue
            if value is None and name not in own:
                continue
            entered = enter(value, memo, not is_single())
            if entered is not value and name in self._raw:
                raise Unsupported(f"the array .{name} is read by NumPy")
            found[name] = entered
        return Held(kind, found), tuple(methods)


def stand_in(held: Held) -> Any:
    """An object of that class with these attributes and no others."""
    made: Any = object.__new__(held.kind)
    made.__dict__.update(held.attributes)
    return made
