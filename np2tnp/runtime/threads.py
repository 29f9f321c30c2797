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

from np2tnp.runtime.tracing import attribute_names, global_names

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
            if type(each).__module__.partition(".")[0] in _MODULES and not isinstance(each, _LOCAL):
                return each
    return None


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, (list, tuple)):
        return value[:_MOST]
    if isinstance(value, dict):
        return itertools.islice(value.values(), _MOST)
    package = type(value).__module__.partition(".")[0]
    if isinstance(value, _SHARED) or package in ("numpy", "tensorflow") or not hasattr(value, "__dict__"):
        return ()
    return [*vars(value).values(), *(part for kind in type(value).__mro__ for part in vars(kind).values())]


def read_by(function: Callable[..., Any], kind: type) -> Iterator[Any]:
    """The globals that `function` reads, and those of the functions of the program that it may call.

    kind : the class of its first argument, of whose methods those that it names count.
    """
    seen: set[types.CodeType] = set()
    waiting: list[Any] = [function]
    while waiting:
        each = inspect.unwrap(waiting.pop())
        if not isinstance(each, types.FunctionType) or each.__code__ in seen or not _is_own(each, function):
            continue
        seen.add(each.__code__)
        attributes = frozenset(attribute_names(each.__code__))
        waiting.extend(method for name in attributes if (method := getattr(kind, name, None)) is not None)
        for name in global_names(each.__code__):
            value = each.__globals__.get(name)
            found = [vars(value).get(it) for it in attributes] if isinstance(value, types.ModuleType) else [value]
            yield from found
            waiting.extend(found)


def _is_own(function: types.FunctionType, other: Callable[..., Any]) -> bool:
    """Whether `function` is of the program of `other`, not of a library."""
    module = str(function.__module__)
    if module.startswith(f"{__package__}."):
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
