"""What an import statement binds, by canonical name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from np2tnp.analysis.module import dotted
from np2tnp.analysis.values import Symbol, Value
from np2tnp.catalog.catalog import Catalog

#: Modules that hand out NumPy's own names.
SAME_AS = {
    "numpy.core": "numpy", "numpy.core.numeric": "numpy", "numpy.core.multiarray": "numpy",
    "numpy.core.fromnumeric": "numpy", "numpy.core.umath": "numpy", "numpy.lib.function_base": "numpy",
    "numpy.lib.scimath": "numpy.emath", "numpy.lib.twodim_base": "numpy", "numpy.lib.shape_base": "numpy",
    "numpy.lib.index_tricks": "numpy", "numpy.matlib": "numpy.matlib", "autograd.numpy": "autograd.numpy",
}  # fmt: skip


def import_bindings(
    node: cst.Import | cst.ImportFrom, catalog: Catalog, star_names: Callable[[str], tuple[str, ...]]
) -> Iterator[tuple[str, Value]]:
    """(name, value) pairs that `node` binds; a star import binds NumPy's public names, or those of a first-party
    module (`star_names`).
    """
    if isinstance(node, cst.Import):
        for alias in node.names:
            full = dotted(alias.name)
            if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
                yield alias.asname.name.value, Symbol(_canonical(full))
            else:
                yield full.split(".")[0], Symbol(_canonical(full.split(".")[0]))
        return
    module = "." * len(node.relative) + (dotted(node.module) if node.module is not None else "")
    module = SAME_AS.get(module, module)
    if isinstance(node.names, cst.ImportStar):
        if module == "numpy" or module.startswith("numpy."):
            for name in catalog.names():
                owner, _, last = name.rpartition(".")
                if owner == module and not last.startswith("_"):
                    yield last, Symbol(name)
        else:
            for last in star_names(module):
                yield last, Symbol(_joined(module, last))
        return
    for alias in node.names:
        name = dotted(alias.name)
        bound = (
            alias.asname.name.value if alias.asname is not None and isinstance(alias.asname.name, cst.Name) else name
        )
        full = _joined(module, name)
        yield bound, Symbol(_canonical(full))


def _canonical(name: str) -> str:
    if name.rpartition(".")[2] == "np2tnp_runtime":
        return "np2tnp.runtime"  # a copy beside the user's code
    return SAME_AS.get(name, name)


def _joined(module: str, name: str) -> str:
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
