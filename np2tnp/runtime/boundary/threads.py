"""Other threads of the program while a migrated function runs: what they do to its arguments.

A body works on what its arguments held when it began. In NumPy another thread may write into another part of the same
array meanwhile, or into this part after a lock was given up for which the body waits.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.looking import function_of, is_of, items_of, member, own_dict, package_of
from np2tnp.runtime.base.tracing import attribute_names, global_names

#: Modules whose objects let threads wait for each other.
_MODULES = frozenset(("_thread", "threading", "queue", "_queue", "multiprocessing", "concurrent"))
#: Packages whose threads run no code of the program's.
_WATCHING = frozenset(
    "IPython ipykernel jupyter_client zmq tornado tqdm debugpy pydevd _pydevd_bundle xdist pytest_rerunfailures".split()
)
_LOCAL = type(threading.local())
#: What has attributes that are not the program's own.
_SHARED = (type, types.ModuleType, types.FunctionType)
#: How many items of a container are looked at, at each call.
_MOST = 64


def are_others() -> bool:
    """Whether the program has other threads now."""
    return threading.active_count() > 1


def are_workers() -> bool:
    """Whether other threads may run the program's own code now: threads by which tools watch it do not."""
    if threading.active_count() == 1:
        return False
    own = threading.current_thread()
    return not all(thread is own or _watches(thread) for thread in threading.enumerate())


def _watches(thread: threading.Thread) -> bool:
    name = type(thread).__module__
    if name == "threading":
        name = getattr(getattr(thread, "_target", None), "__module__", None) or name
    return name.partition(".")[0] in _WATCHING and "subshell" not in name


def waits(values: Iterable[Any]) -> Any | None:
    """The first of `values`, of their items and of their attributes that threads wait for; None if none is."""
    for value in values:
        for each in (value, *_parts(value)):
            if package_of(type(each)) in _MODULES and not is_of(each, _LOCAL):
                return each
    return None


def _parts(value: Any) -> Iterable[Any]:
    if is_of(value, (list, tuple, dict)):
        return itertools.islice(items_of(value) or (), _MOST)
    own = own_dict(value)
    if is_of(value, _SHARED) or package_of(type(value)) in ("numpy", "tensorflow") or not own:
        return ()
    return [*own.values(), *(part for kind in type(value).__mro__ for part in vars(kind).values())]


def read_by(function: Callable[..., Any], kind: type) -> Iterator[Any]:
    """The globals that `function` reads, and those of the functions of the program that it may call.

    kind : the class of its first argument, of whose methods those that it names count.
    """
    seen: set[types.CodeType] = set()
    waiting: list[Any] = [function]
    while waiting:
        each = waiting.pop()
        if not is_of(each, types.FunctionType):
            continue
        each = inspect.unwrap(each)
        if not is_of(each, types.FunctionType) or each.__code__ in seen or not _is_own(each, function):
            continue
        seen.add(each.__code__)
        attributes = frozenset(attribute_names(each.__code__))
        waiting.extend(method for name in attributes if (method := function_of(member(kind, name))) is not None)
        for name in global_names(each.__code__):
            value = each.__globals__.get(name)
            found = [vars(value).get(it) for it in attributes] if is_of(value, types.ModuleType) else [value]
            yield from found
            waiting.extend(found)


def _is_own(function: types.FunctionType, other: Callable[..., Any]) -> bool:
    """Whether `function` is of the program of `other`, not of a library."""
    module = str(function.__module__)
    if module.startswith(f"{own_package}."):
        return False
    package = module.partition(".")[0]
    installed = "site-packages" in function.__code__.co_filename or package in sys.stdlib_module_names
    return not installed or package == str(other.__module__).partition(".")[0]


def write_what_changed(target: np.ndarray, before: Any, after: np.ndarray) -> None:
    """``target[...] = after`` but where `before` holds the same bits: others may have written there.

    before : an array of the dtype and shape of the others.
    """
    size = after.dtype.itemsize
    unit = np.dtype(f"u{min(size, 8)}")
    pairs = (np.ascontiguousarray(array).reshape(-1).view(unit) for array in (before, after))
    changed = np.not_equal(*pairs).reshape(after.size, max(size // 8, 1)).any(axis=1)
    np.copyto(target, after, where=changed.reshape(after.shape))
