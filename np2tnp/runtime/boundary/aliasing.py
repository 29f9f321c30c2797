"""Who else has an array: objects among the arguments that hold it, and whatever code that runs can get hold of."""

from __future__ import annotations

import contextvars
import dis
import functools
import gc
import itertools
import logging
import operator
import os
import sys
import threading
import types
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.looking import is_of, items_of, module_of, own_dict, slots_of
from np2tnp.runtime.base.shared_memory import OF_ARRAYS, leaves, overlap
from np2tnp.runtime.boundary.sizes import KINDS, attributes_of, kind_of

# --- Which arrays code may look at, or change, that runs during a call: whatever it can get hold of
#
# NumPy's updates are seen by everybody who holds the array. Who holds one cannot be asked, but code that runs must
# get hold of it first: by a name, an attribute, a closure, a default, a class, a cache, an iterator. So all is
# followed that leads from what a function reads and gets to other objects. Nothing of theirs is called.

#: How many objects are looked at.
_MOST_REACHED = 10_000
#: Of containers with more items, it is asked first whether there is anything but numbers and text in them.
_LONG = 64
#: What leads nowhere.
_ATOMS = frozenset(
    {type(None), bool, int, float, complex, str, bytes, slice, range, type(Ellipsis), types.CodeType, np.dtype}
    | {np.dtype(char).type for char in "?bhilqBHILQefdgFDG"}
)
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
#: Functions of Python's that find globals by their text, and modules by theirs.
_ANY = frozenset(("globals", "eval", "exec", "getattr", "vars", "__dict__"))
_IMPORTING = frozenset(("import_module", "__import__", "_getframe", "currentframe", "get_objects", "get_referrers"))
_GENERATORS = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
_PYTHONS_OWN = os.path.dirname(os.__file__) + os.sep
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class Reachable:
    """What can be reached from some values, and from the function that gets them, if `function` is given.

    arrays: the ndarrays; complete: whether there is nothing else.
    """

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        self.arrays: list[np.ndarray] = []
        self.complete = True
        self._seen: dict[int, Any] = {}  # kept alive, so that ids stay theirs
        scope = getattr(function, "__globals__", {})
        self._package = str(scope.get("__name__")).partition(".")[0]
        self._function = function

    def look(self, values: Iterable[Any], function: bool = False) -> list[np.ndarray]:
        """The arrays that were not reached before.

        `function`: also what the function itself reads.
        """
        before = len(self.arrays)
        waiting = [*values, self._function] if function else list(values)
        for value in waiting:  # grows meanwhile: what is near comes first
            kind = type(value)
            if kind in _ATOMS or id(value) in self._seen:
                continue
            if len(self._seen) >= _MOST_REACHED:
                self.complete = False
                break
            self._seen[id(value)] = value
            way = _WAYS.get(kind) or _way(kind)
            waiting += way(self, value)
        return self.arrays[before:]

    def attributes(self, name: str) -> Iterator[Any]:
        """The ndarrays and tensors that what was reached has as attribute `name`, or in a container there."""
        for value in list(self._seen.values()):
            own = vars(value) if is_of(value, type) else own_dict(value)
            yield from leaves(own[name] if name in own else slots_of(value).get(name), OF_ARRAYS)

    def require_complete(self, function: str, name: str) -> None:
        """Raise UnverifiedError if there was more than is looked at."""
        if not self.complete:
            words = "and code that it calls can reach more objects than are looked at, which may hold the same array"
            raise UnverifiedError(f"{function} updates {name}, {words}")

    def _of_any(self, value: Any) -> list[Any]:
        return [*gc.get_referents(value), type(value)]

    def _of_container(self, value: Any) -> Iterable[Any]:
        if len(value) > _LONG:
            items = value.values() if type(value) is dict else value
            if set(map(type, items)) <= _ATOMS and (type(value) is not dict or set(map(type, value)) <= _ATOMS):
                return ()
        return gc.get_referents(value)

    def _of_array(self, value: np.ndarray) -> list[Any]:
        self.arrays.append(value)
        return [*own_dict(value).values(), *([value.tolist()] if value.dtype.hasobject else [])]

    def _of_proxy(self, value: Any) -> list[Any]:
        self.complete = False  # whose object it is cannot be asked without calling that
        return []

    def _of_function(self, function: types.FunctionType) -> list[Any]:
        module = function.__globals__.get("__name__")
        if _is_runtimes(module):  # a wrapper
            return list(vars(function).values())
        cells: list[Any] = []
        for cell in function.__closure__ or ():
            try:
                cells.append(cell.cell_contents)
            except ValueError:  # no value yet
                continue
        parts = [*cells, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        parts += vars(function).values()
        if not self._is_librarys(module):
            parts += self._named(function.__code__, function.__globals__)
        return parts

    def _of_class(self, kind: type) -> list[Any]:
        if self._is_librarys(module_of(kind)):
            return []
        return [*vars(kind).values(), *kind.__bases__]

    def _of_generator(self, value: Any) -> list[Any]:
        frames = (getattr(value, name, None) for name in ("gi_frame", "cr_frame", "ag_frame"))
        frame = next((it for it in frames if it is not None), None)
        if frame is None:
            return []
        return [*frame.f_locals.values(), *self._named(frame.f_code, frame.f_globals), *gc.get_referents(value)]

    def _named(self, code: types.CodeType, scope: dict[str, Any]) -> list[Any]:
        """The values of the globals that `code` reads, and what it may read of modules."""
        names, read, imported = _names(code)
        if not names.isdisjoint(_IMPORTING):
            self.complete = False
        if not read.isdisjoint(("globals", "eval", "exec")):
            read = frozenset(scope)
        package = scope.get("__package__") or ""
        found: list[Any] = []
        values: list[Any] = [*map(scope.get, read), *map(sys.modules.get, imported)]
        for value in [*values, *(sys.modules.get(f"{package}.{name}") for name in imported)]:
            if is_of(value, types.ModuleType):
                found += self._of_module(value, names)
            else:
                found.append(value)
        return found

    def _of_module(self, module: types.ModuleType, names: frozenset[str]) -> list[Any]:
        name = module.__name__
        if id(module) in self._seen or name.partition(".")[0] in ("numpy", "tensorflow") or _is_runtimes(name):
            return []
        own = vars(module)
        read = own if not names.isdisjoint(_ANY) and not self._is_librarys(name) else names.intersection(own)
        found: list[Any] = []
        for value in map(own.__getitem__, read):
            if is_of(value, types.ModuleType):
                if value is not module and value.__name__.startswith(f"{name}."):
                    found += self._of_module(value, names)
            else:
                found.append(value)
        return found

    def _is_librarys(self, module: Any) -> bool:
        if not isinstance(module, str):
            return False
        package = module.partition(".")[0]
        return package != self._package and (package in _OTHERS or _is_installed(module))


#: Packages whose code reads nothing of the program's by name.
_OTHERS = frozenset(("numpy", "tensorflow", "builtins"))


#: What each class's objects lead to, for classes met so far.
_WAYS: dict[type, Callable[[Reachable, Any], Iterable[Any]]] = {}


def _way(kind: type) -> Callable[[Reachable, Any], Iterable[Any]]:
    if kind in _CONTAINERS:
        way: Callable[[Reachable, Any], Iterable[Any]] = Reachable._of_container
    elif kind is types.FunctionType:
        way = Reachable._of_function
    elif issubclass(kind, _GENERATORS):
        way = Reachable._of_generator
    elif issubclass(kind, weakref.ProxyTypes):
        way = Reachable._of_proxy
    elif module_of(kind).startswith(("tensorflow.", f"{own_package}.")):
        way = _nothing
    else:
        way = next((way for of, way in _BY_CLASS if issubclass(kind, of)), Reachable._of_any)
    _WAYS[kind] = way
    return way


def _nothing(self: Reachable, value: Any) -> Iterable[Any]:
    return ()


_BY_CLASS: tuple[tuple[type, Callable[[Reachable, Any], Iterable[Any]]], ...] = (
    (np.ndarray, Reachable._of_array),
    (type, Reachable._of_class),
    (types.ModuleType, _nothing),  # asked for names, see _of_module
    (types.FrameType, lambda self, frame: list(frame.f_locals.values())),
    (weakref.ref, lambda self, ref: [ref(), *own_dict(ref).values()]),
    (contextvars.ContextVar, lambda self, variable: [variable.get(None)]),
    (threading.local, lambda self, local: [vars(local), type(local)]),
    (logging.Logger, lambda self, logger: [logger.handlers, logger.filters, logger.parent]),  # not all that there are
    (np.flatiter, lambda self, elements: [elements.base]),
)


@functools.lru_cache(maxsize=4096)
def _names(code: types.CodeType) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The names in `code` and functions in it: all, those that it reads as globals, and those that it imports."""
    found = [_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    steps = list(dis.get_instructions(code))
    read = frozenset(str(it.argval) for it in steps if it.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    imported = frozenset(str(it.argval) for it in steps if it.opname in ("IMPORT_NAME", "IMPORT_FROM"))
    found.append((frozenset(code.co_names), read, imported))
    names, read, imported = (frozenset().union(*each) for each in zip(*found, strict=True))
    return names, read, imported


@functools.lru_cache(maxsize=4096)
def _is_installed(module: str) -> bool:
    """Whether a module is Python's or an installed library's, not a file of the program's."""
    if _is_runtimes(module) or module in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and (file.startswith(_PYTHONS_OWN) or any(it in file for it in _INSTALLED))


def _is_runtimes(module: Any) -> bool:
    return isinstance(module, str) and (module == own_package or module.startswith(f"{own_package}."))


# --- Arrays that are arguments and that objects among the arguments hold, too: ``residual(grid.u, grid)``
#
# The body works on tensors, which are copies: what the object shows of the array, or changes in it, is not theirs.

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
_MOST_HELD = 1000
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


class WatchedItems:
    """A container of arrays in which somebody else may put others while the body works on a copy of it."""

    def __init__(self, name: str, container: Any) -> None:
        self._name = name
        self._container = container
        self._before = list(_items(container) or ())

    def require_unchanged(self, function: str) -> None:
        """Raise UnverifiedError if its items are others: the body may have read what is not there any more."""
        now = list(_items(self._container) or ())
        if len(now) != len(self._before) or any(map(operator.is_not, now, self._before)):
            raise UnverifiedError(
                f"argument {self._name!r} of {function} got other items meanwhile from an object or a function that"
                " holds it, too; pass a copy"
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
        if len(seen) > _MOST_HELD:
            break
        if (items := _items(value)) is not None:
            look_at(items)
        elif is_of(value, ACTIVE):
            active.append(value)
        elif not is_of(value, _OPAQUE):
            look_at(attributes_of(value))
    return found + Reachable().look(active)


#: What runs code each time that an item is asked of it.
_RESUMED = (types.GeneratorType, map, filter, zip, enumerate)


def watched(
    function: str,
    body: Any,
    slots: Iterable[tuple[str, Any]],
    hosted: Collection[str],
    mutates: Collection[str],
    receiver: str | None,
    pure: bool,
    refuses: bool,
) -> list[Watched | WatchedItems]:
    """The arguments that become tensors and that objects, or functions, among the arguments may change by themselves.

    Refused is one that the body updates, since an object would not show that, but for what the function's own object
    (`receiver`) holds (see Plan). Of a function with an original (`refuses`) so are all that other objects hold:
    methods get what their own object holds more often than not. A `pure` one only reads its objects.
    """
    taken: list[tuple[str, np.ndarray]] = []
    objects: list[Any] = []
    more: list[Any] = []  #: its own object, and what runs code
    slots = list(slots)
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
    if pure and any(is_of(value, _RESUMED) for value in more):  # nobody asks whose code goes on in a generator
        found += taken
    if not pure:
        active = [value for value in more if is_of(value, ACTIVE)]
        own = kept_by([value for value in more if is_object(value)])
        found += _shared(taken, [*own, *reached.look(active)])
    names = {name for name, _ in found if name not in mutates}
    containers = [(name, value) for name, value in slots if name in names and _items(value) is not None]
    return [
        *(Watched(name, array) for name, array in found if name in names),
        *(WatchedItems(name, value) for name, value in containers),
    ]


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
    return None if items is None else itertools.islice(items, _MOST_HELD)


def _shared(taken: list[tuple[str, np.ndarray]], held: Iterable[np.ndarray]) -> list[tuple[str, np.ndarray]]:
    """Those of `taken` that share memory with one of `held`."""
    near = [(name, array, other) for other in held for name, array in taken if np.may_share_memory(array, other)]
    return [(name, array) for name, array, other in near if overlap(array, other)]
