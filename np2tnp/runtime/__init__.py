"""What rewritten code imports: ``from np2tnp import runtime as rt`` and ``from np2tnp.runtime import tf, tnp``.

Every public name of the family modules is an attribute here (``rt.sort``, ``rt.at``), looked up on first use and then
kept. Importing this package imports neither TensorFlow nor a family. ``rt.linalg``, ``rt.fft`` and ``rt.random`` are
modules.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

#: Version of this interface. Rewritten code lives in other people's repositories: a name, once here, keeps its meaning.
__version__ = 1

#: By id, the code that was rewritten: that of migrated functions, and of what is defined in them. In it operators of
#: tensors are NumPy's (``indexing/eager_operators.py``).
EXACT_OPERATORS: dict[int, Any] = {}

#: Modules whose ``__all__`` is exported flat, by their paths from here, in the order in which they are searched.
FAMILIES = (
    "boundary.door",
    "base.errors",
    "base.dispatch",
    "boundary.wrapper",
    "boundary.fallback",
    "boundary.object_state",
    "boundary.startup",
    "boundary.managers",
    "boundary.unknown_calls",
    "base.tracing",
    "loops.control",
    "loops.item_loops",
    "boundary.buffer_swaps",
    "symbols.python_builtins",
    "indexing.items",
    "indexing.inplace",
    "indexing.mutating_functions",
    "indexing.ufunc_at",
    "functions.arrays.functional",
    "functions.arrays.array_methods",
    "functions.arrays.creation",
    "boundary.counting",
    "functions.axes",
    "functions.math.bits",
    "functions.math.comparisons",
    "functions.linalg.contractions",
    "functions.math.elementwise",
    "functions.arrays.index_grids",
    "functions.statistics.histograms",
    "functions.arrays.joining",
    "functions.arrays.manipulation",
    "functions.math.operators",
    "functions.statistics.sorting",
    "functions.arrays.padding",
    "functions.math.polynomials",
    "functions.arrays.index_arithmetic",
    "functions.linalg.products",
    "functions.statistics.averages",
    "functions.statistics.reductions",
    "functions.math.rounding",
    "functions.statistics.cumulative",
    "functions.statistics.sets",
    "functions.math.differences",
    "functions.statistics.covariance",
    "functions.math.transcendental",
    "functions.math.ufunc_methods",
    "loops.vectorized_loops",
)

_UFUNC_METHODS = ("at", "reduce", "accumulate", "outer", "reduceat")

#: Modules that are attributes themselves, as in NumPy, by their paths from here.
NAMESPACES = ("functions.linalg.linalg", "functions.math.fft", "functions.random.random")

#: The last name of each of these paths -> the path.
_PATHS = {path.rpartition(".")[2]: path for path in (*FAMILIES, *NAMESPACES)}


class _FormerNames:
    """Finds modules by the names that they had before there were folders: old pickles name them."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith(f"{__name__}.") or "." in name[len(__name__) + 1 :]:
            return None
        if name == f"{__name__}.former_names":
            return None
        return importlib.import_module(f"{__name__}.former_names").spec_of(name)


sys.meta_path.append(_FormerNames)


def __getattr__(name: str) -> Any:
    if name in _PATHS:
        value = globals()[name] = importlib.import_module(f"{__name__}.{_PATHS[name]}")
        return value
    if not name.startswith("_"):
        for family in FAMILIES:
            module = _load(family) if _may_have(family, name) else None
            if module is not None and name in module.__all__:
                value = getattr(module, name)
                globals()[name] = value
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    names = {name for family in FAMILIES for module in [_load(family)] if module is not None for name in module.__all__}
    return sorted(names | {path.rpartition(".")[2] for path in NAMESPACES} | {"__version__"})


def _may_have(family: str, name: str) -> bool:
    """Whether the family may export `name`, seen without importing it.

    Programs ask every module in ``sys.modules`` for some name: that must neither import TensorFlow nor change the
    ``sys.modules`` that they are going through.
    """
    try:
        with open(os.path.join(os.path.dirname(__file__), *family.split(".")) + ".py", encoding="utf-8") as file:
            _, _, exported = file.read().partition("\n__all__ = ")
    except OSError:
        return True  # no source here: the module itself must say
    if exported.startswith("["):
        return f'"{name}"' in exported.partition("]")[0]
    return name.rpartition("_")[2] in _UFUNC_METHODS  # computed: ``add_reduce``


def _load(family: str) -> Any:
    """The family's module, or None where this installation has no such file (a vendored copy may leave families
    out).
    """
    name = f"{__name__}.{family}"
    try:
        return importlib.import_module(name)  # waits for another thread that is importing it
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            return None
        raise
