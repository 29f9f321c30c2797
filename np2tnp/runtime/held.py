"""Arrays that are arguments and that objects among the arguments hold, too: ``residual(grid.u, grid)``.

The body works on tensors, which are copies: what the object shows of the array, or changes in it, is not theirs.
"""

from __future__ import annotations

import dis
import functools
import itertools
import sys
import types
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.looking import is_of, items_of
from np2tnp.runtime.base.shared_memory import leaves, overlap
from np2tnp.runtime.reachable import Reachable
from np2tnp.runtime.sizes import KINDS, attributes_of, kind_of

#: What reads arrays without being given them, besides objects.
ACTIVE = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinMethodType,
    types.GeneratorType,
    functools.partial,
    *(map, filter, zip, enumerate),
)
#: How many objects, and how many items of a container, are looked at.
_MOST = 1000
#: What leads through the whole interpreter, or holds no arrays of the program's.
_OPAQUE = (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc, np.dtype, *ACTIVE)

#: Kinds of values that hold no arrays of NumPy's.
_EMPTY = frozenset(("single", "tensor"))


class Watched:
    """An array that somebody else may change while the body works on a copy of it."""

    def __init__(self, name: str, array: np.ndarray) -> None:
        self._name = name
        self._array = array
        self._before = array.copy()

    def require_unchanged(self, function: str) -> None:
        """Raise UnverifiedError if it was changed: the body may have read what NumPy would not have shown any more."""
        if self._array.tobytes() != self._before.tobytes():
            raise UnverifiedError(
                f"argument {self._name!r} of {function} was changed meanwhile by an object or a function that holds it,"
                " too; pass a copy"
            )


def may_hold(value: Any) -> bool:
    """Whether `value` is an array of NumPy's, or may hold some."""
    return kind_of(value) not in _EMPTY


def is_object(value: Any) -> bool:
    """Whether `value` may hold arrays in attributes: no array, number, text, container or function."""
    return kind_of(value) == "object" and not is_of(value, _OPAQUE)


def kept_by(objects: Iterable[Any]) -> list[np.ndarray]:
    """The ndarrays in attributes of `objects`, of what they hold, and so on. Nothing of the objects' own is called."""
    found: list[np.ndarray] = []
    waiting: list[Any] = []
    active: list[Any] = []
    seen: set[int] = set()

    def look_at(parts: Iterable[Any]) -> None:
        for part in parts:
            kind = KINDS.get(type(part)) or kind_of(part)
            if kind == "array":
                found.append(part)
            elif kind not in _EMPTY and id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)

    look_at(objects)
    for value in waiting:  # grows meanwhile: what is near comes first
        if len(seen) > _MOST:
            break
        if (items := _items(value)) is not None:
            look_at(items)
        elif is_of(value, ACTIVE):
            active.append(value)
        elif not is_of(value, _OPAQUE):
            look_at(attributes_of(value))
    return found + Reachable().look(active)


def watched(
    function: str,
    body: Any,
    slots: Iterable[tuple[str, Any]],
    hosted: Collection[str],
    mutates: Collection[str],
    receiver: str | None,
    pure: bool,
    refuses: bool,
) -> list[Watched]:
    """The arguments that become tensors and that objects, or functions, among the arguments may change by themselves.

    Refused is one that the body updates, since an object would not show that, but for what the function's own object
    (`receiver`) holds (see Plan). Of a function with an original (`refuses`) so are all that other objects hold:
    methods get what their own object holds more often than not. A `pure` one only reads its objects.
    """
    taken: list[tuple[str, np.ndarray]] = []
    objects: list[Any] = []
    more: list[Any] = []  #: its own object, and what runs code
    for name, value in slots:
        kind = KINDS.get(type(value)) or kind_of(value)
        if name == receiver or is_of(value, ACTIVE):
            more.append(value)
        elif kind == "array":
            if value.ndim and name not in hosted:
                taken.append((name, value))
        elif kind not in _EMPTY:
            items = _items(value)
            if items is None:
                objects.append(value)
            else:
                objects += [item for item in items if is_object(item)]
                if name not in hosted:
                    taken += [(name, leaf) for leaf in leaves(value) if leaf.ndim]
    if not taken:
        return []
    found = _shared(taken, kept_by(objects)) if objects else []
    reached = Reachable(body)
    if not pure:
        found += [it for it in _shared(taken, reached.look((), function=True)) if it[0] not in mutates]
    for name, _ in found:
        if name in mutates or (refuses and not pure):
            what = "updates" if name in mutates else "gets"
            words = "an object, or code that it calls, that holds it"
            raise UnverifiedError(f"{function} {what} {name!r} and {words}; pass a copy of it")
    if not pure:
        active = [value for value in more if is_of(value, ACTIVE)]
        own = kept_by([value for value in more if is_object(value)])
        found += _shared(taken, [*own, *reached.look(active)])
    return [Watched(name, array) for name, array in found if name not in mutates]


def only_reads_attributes(code: types.CodeType, name: str) -> bool:
    """Whether a function uses its local `name` in no way but as in ``name.x``, which is not called at once."""
    if name in code.co_cellvars:
        return False
    steps = list(dis.get_instructions(code))
    for step, after in itertools.pairwise([*steps, steps[-1]]):
        if not step.opname.startswith("LOAD_FAST"):
            continue
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        is_read = names[-1] == name and after.opname in ("LOAD_ATTR", "STORE_ATTR")
        is_method = after.opname == "LOAD_ATTR" and sys.version_info >= (3, 12) and bool((after.arg or 0) & 1)
        if name in names[:-1] or (names[-1] == name and (not is_read or is_method)):
            return False
    return True


def _items(value: Any) -> Iterable[Any] | None:
    """What a container holds, as far as it is looked at; None where `value` is none."""
    items = items_of(value)
    return None if items is None else itertools.islice(items, _MOST)


def _shared(taken: list[tuple[str, np.ndarray]], held: Iterable[np.ndarray]) -> list[tuple[str, np.ndarray]]:
    """Those of `taken` that share memory with one of `held`."""
    near = [(name, array, other) for other in held for name, array in taken if np.may_share_memory(array, other)]
    return [(name, array) for name, array, other in near if overlap(array, other)]
