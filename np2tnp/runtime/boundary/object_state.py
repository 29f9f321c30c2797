"""Arrays that objects hold from call to call as tensors (``rewrite --state tensor``).

An attribute holds a tensor only as long as nobody could tell it from the array: what reads it otherwise than to
calculate with it gets an ndarray, and the object holds that from then on (`settled`). An ndarray becomes a tensor when
a migrated method is called, if the object alone holds it: nobody else sees whether it is updated in place or replaced.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from np2tnp.runtime.base import precision
from np2tnp.runtime.base.dispatch import host, is_array, is_tensor, to_tensor
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import current
from np2tnp.runtime.boundary import threads

__all__ = ["kept", "settled"]

#: By the globals of a module (their id), the attributes that its functions may find or leave tensors in.
_names: dict[int, frozenset[str]] = {}
_lock = threading.Lock()
_references: Callable[[Any], int] = getattr(sys, "getrefcount", lambda value: sys.maxsize)


def settled(owner: Any, *names: str) -> Any:
    """`owner`, whose attributes `names` are no tensors: where it held one, it holds an ndarray of its own now.

    Raises UnverifiedError for what is only known when a graph runs.
    """
    own = _own(owner)
    for name in names:
        value = own.get(name) if own is not None else _slot(owner, name)
        if type(value) is not np.ndarray and is_tensor(value):
            _settle(owner, own, name, value)
    return owner


def _settle(owner: Any, own: dict[str, Any] | None, name: str, value: Any) -> None:
    if not hasattr(value, "numpy"):
        words = f"the attribute .{name} is read by NumPy, and only known when the graph runs"
        raise Unsupported(words) if current() is not None else UnverifiedError(words)
    if not isinstance(value, tf.Tensor):  # a variable, which the program put there
        return
    with _lock:  # two threads get one array
        value = own.get(name) if own is not None else _slot(owner, name)
        if is_tensor(value):
            if own is not None:
                own[name] = host(value)
            else:
                setattr(owner, name, host(value))


def kept(value: Any) -> Any:
    """`value` as an object holds it: a tensor without dimensions, which counts as a number, becomes a 0-d ndarray."""
    if is_tensor(value) and value.shape.rank == 0 and hasattr(value, "numpy"):
        return np.array(host(value))
    return value


def remember(namespace: dict[str, Any], names: Iterable[str]) -> None:
    """A function of the module with these globals works on tensors that objects hold under these names."""
    _names[id(namespace)] = _names.get(id(namespace), frozenset()) | frozenset(names)


def all_names() -> frozenset[str]:
    """The attributes that may hold tensors, of whatever module."""
    return frozenset().union(*_names.values())


def names_of(namespace: dict[str, Any]) -> frozenset[str]:
    """The attributes that may hold tensors which functions of that module have put there."""
    return _names.get(id(namespace), frozenset())


def lift(owner: Any, names: Iterable[str]) -> None:
    """Put tensors in the place of the ndarrays under `names` that nobody but `owner` holds.

    With other threads about, ndarrays in the place of tensors: an update is one step there.
    """
    own = _own(owner)
    if own is None or not tf.executing_eagerly() or precision.active:
        return
    if threads.are_workers():
        for name in names:
            settled(owner, name)
        return
    for name in names:
        if type(own.get(name)) is np.ndarray and _is_alone(own, name):
            own[name] = to_tensor(own[name])


def _own(owner: Any) -> dict[str, Any] | None:
    try:
        own = object.__getattribute__(owner, "__dict__")
    except (AttributeError, TypeError):
        return None
    return own if type(own) is dict else None


def _slot(owner: Any, name: str) -> Any:
    """What lies in a slot of that name; None where there is none, or nothing in it."""
    for kind in type(owner).__mro__:
        member = vars(kind).get(name)
        if member is not None:
            return member.__get__(owner) if _is_slot(member) and hasattr(owner, name) else None
    return None


def _is_slot(member: Any) -> bool:
    return type(member).__name__ == "member_descriptor"


def _count(own: dict[str, Any], name: str) -> int:
    value = own[name]
    return _references(value)


#: What Python counts for an array that only one dictionary holds: the names that look at it are among them.
_ALONE = _count({"": np.empty(1)}, "")


def _is_alone(own: dict[str, Any], name: str) -> bool:
    """Whether only this attribute shows the memory of the array there, and a tensor can stand for it."""
    if _count(own, name) > _ALONE:
        return False
    value = own[name]
    plain = value.base is None and all(value.flags[name] for name in ("OWNDATA", "WRITEABLE", "C_CONTIGUOUS"))
    return bool(value.ndim and plain and is_array(value))
