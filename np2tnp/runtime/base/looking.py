"""Looking at values whose class nobody knows: nothing of the program's own runs.

``isinstance`` asks an object for its ``__class__``, ``getattr`` runs properties, a loop over a subclass of ``list``
runs its ``__iter__``. So what a value is, is asked of its type; what it holds, of the built-in that it derives from.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np

_ITEMS: tuple[tuple[type, Callable[[Any], Iterable[Any]]], ...] = (
    (dict, dict.values),
    (list, list.__iter__),
    (tuple, tuple.__iter__),
    (set, set.__iter__),
    (frozenset, frozenset.__iter__),
    (deque, deque.__iter__),
)
_SLOTS: dict[type, tuple[types.MemberDescriptorType, ...]] = {}
_MISSING = object()
#: What a class is, whatever its own class says.
_line, _own, _module, _name = (
    type.__dict__[name].__get__ for name in ("__mro__", "__dict__", "__module__", "__qualname__")
)


def is_of(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """``isinstance(value, kinds)`` of the value's very type; `kinds` are plain classes."""
    return issubclass(type(value), kinds)


def items_of(value: Any) -> Iterable[Any] | None:
    """The items of a list, tuple, set or deque, the values of a dict; None of anything else."""
    kind = type(value)
    if kind is list or kind is tuple:
        items: Iterable[Any] = value
        return items
    return next((items(value) for base, items in _ITEMS if issubclass(kind, base)), None)


#: Python's own numbers, and those that reductions of arrays give: no tensor, nor anything else that may stand for one.
_PLAIN_NUMBERS = frozenset((bool, int, float, complex, np.float64, np.float32, np.int64, np.int32, np.bool_))


def holds_numbers(value: Any) -> bool:
    """Whether a list or tuple holds nothing but plain numbers, or lists of such: no need to look at each."""
    kinds = set(map(type, value))
    if kinds == {list} and len(value) > 1:
        kinds = set(map(type, chain.from_iterable(value)))
    return _PLAIN_NUMBERS.issuperset(kinds)


def own_dict(value: Any) -> dict[str, Any]:
    """The attributes that an object holds by name; empty where it has no such dict."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return own if type(own) is dict else {}


def slots_of(value: Any) -> dict[str, Any]:
    """What lies in the slots of an object, by name."""
    found = {}
    for slot in _slots(type(value)):
        try:
            found[slot.__name__] = slot.__get__(value)
        except AttributeError:  # not set
            continue
    return found


def _slots(kind: type) -> tuple[types.MemberDescriptorType, ...]:
    known = _SLOTS.get(kind)
    if known is None:
        bases = [_own(base) for base in _line(kind)[:-1] if "__slots__" in _own(base)]
        slots = tuple(it for base in bases for it in base.values() if type(it) is types.MemberDescriptorType)
        known = _SLOTS[kind] = slots
    return known


def member(kind: type, name: str, default: Any = None) -> Any:
    """What a class, or one that it derives from, holds under a name; no descriptor is asked."""
    for base in _line(kind):
        found = _own(base).get(name, _MISSING)
        if found is not _MISSING:
            return found
    return default


def owner_of(kind: type, name: str) -> tuple[type, Any]:
    """Which class, of one and those that it derives from, holds something under a name, and what: object and None."""
    for base in _line(kind):
        found = _own(base).get(name, _MISSING)
        if found is not _MISSING:
            return base, found
    return object, None


def module_of(kind: type) -> str:
    """The name of the module of a class; empty where it has no text there."""
    module = _module(kind)
    return module if type(module) is str else ""


def name_of(kind: type) -> str:
    """The name of a class, as its text has it."""
    name: str = _name(kind)
    return name


def package_of(kind: type) -> str:
    """The first part of the name of the module of a class."""
    return module_of(kind).partition(".")[0]


def function_of(found: Any) -> Any:
    """The function that a class holds as a property or method, else `found` itself."""
    kind = type(found)
    return found.fget if kind is property else found.__func__ if kind in (staticmethod, classmethod) else found


def is_plain_tuple(value: Any) -> bool:
    """Whether `value` is a tuple, or a named one that gives its items as tuples do."""
    kind = type(value)
    if kind is tuple or not issubclass(kind, tuple):
        return kind is tuple
    return member(kind, "_fields") is not None and member(kind, "__iter__") is tuple.__iter__


def tuple_like(value: Any, items: Iterable[Any]) -> Any:
    """A tuple of the class of `value` with these items: its own way to make one may calculate with them."""
    kind = type(value)
    if kind is tuple:
        return tuple(items)
    made = tuple.__new__(kind, items)
    if own := own_dict(value):
        own_dict(made).update(own)
    return made
