"""NumPy's public names of the things that a program calls, found by identity."""

from __future__ import annotations

import functools
import importlib
import types
from typing import Any

import numpy as np

_MODULES = (
    *("numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.ma", "numpy.polynomial", "numpy.char"),
    *("numpy.polynomial.polynomial", "numpy.polynomial.chebyshev", "numpy.lib.stride_tricks", "numpy.lib.scimath"),
    *("numpy.strings", "numpy.testing", "numpy.rec", "numpy.exceptions", "numpy.dtypes", "numpy.lib.format"),
)


@functools.cache
def _table() -> dict[int, tuple[str, Any]]:
    table: dict[int, tuple[str, Any]] = {}
    for module in _MODULES:
        namespace = vars(importlib.import_module(module))
        for name, value in namespace.items():
            if name.startswith("_") or not callable(value) or isinstance(value, types.ModuleType):
                continue
            own = getattr(value, "__module__", None) or ""
            if isinstance(value, (type, types.FunctionType)) and not own.startswith("numpy"):
                continue
            known = table.get(id(value))
            same_module = known is not None and module == known[0].rpartition(".")[0]
            if known is None or (same_module and name == getattr(value, "__name__", "")):
                table[id(value)] = (f"{module}.{name}", value)
    return table


def find_name(function: Any) -> str | None:
    """``numpy.sum``, ``ndarray.sum``, ``numpy.add.reduce``, ``Generator.normal``; None where it is not NumPy's."""
    found = _table().get(id(function))
    if found is not None:
        return found[0]
    receiver = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if receiver is None or isinstance(receiver, types.ModuleType):
        owner = getattr(function, "__objclass__", None)
        return f"ndarray.{name}" if owner is np.ndarray else None
    if isinstance(receiver, np.ufunc):
        return f"numpy.{receiver.__name__}.{name}"
    if isinstance(receiver, np.ndarray):
        kind = type(receiver)
        return f"{'ndarray' if kind is np.ndarray else kind.__name__}.{name}"
    if isinstance(receiver, np.generic):
        return f"generic.{name}"
    if isinstance(receiver, (np.random.Generator, np.random.RandomState)):
        return f"{type(receiver).__name__}.{name}"
    return None
