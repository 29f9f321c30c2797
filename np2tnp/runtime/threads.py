"""Other threads of the program while a migrated function runs: what they do to its arguments.

A body works on what its arguments held when it began. In NumPy another thread may write into another part of the same
array meanwhile, or into this part after a lock was given up for which the body waits.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

#: Modules whose objects let threads wait for each other.
_MODULES = frozenset(("_thread", "threading", "queue", "_queue", "multiprocessing", "concurrent"))
_LOCAL = type(threading.local())
#: What has attributes that are not the program's own.
_SHARED = (type, types.ModuleType, types.FunctionType)


def are_others() -> bool:
    """Whether the program has other threads now."""
    return threading.active_count() > 1


def waits(values: Iterable[Any]) -> Any | None:
    """The first of `values`, of their items and of their attributes that threads wait for; None if none is."""
    for value in values:
        if isinstance(value, (list, tuple)):
            parts: Iterable[Any] = value
        elif isinstance(value, dict):
            parts = value.values()
        else:
            parts = getattr(value, "__dict__", {}).values() if not isinstance(value, _SHARED) else ()
        for each in (value, *parts):
            if type(each).__module__.partition(".")[0] in _MODULES and not isinstance(each, _LOCAL):
                return each
    return None


def write_what_changed(target: np.ndarray, before: Any, after: np.ndarray) -> None:
    """``target[...] = after`` but where `before` holds the same bits: others may have written there.

    before : an array of the dtype and shape of the others.
    """
    size = after.dtype.itemsize
    unit = np.dtype(f"u{min(size, 8)}")
    pairs = (np.ascontiguousarray(array).reshape(-1).view(unit) for array in (before, after))
    changed = np.not_equal(*pairs).reshape(after.size, max(size // 8, 1)).any(axis=1)
    np.copyto(target, after, where=changed.reshape(after.shape))
