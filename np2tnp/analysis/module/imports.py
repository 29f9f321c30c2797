"""What an import statement binds, by canonical name."""

from __future__ import annotations

import builtins
import cmath
import math
from collections.abc import Callable, Iterator

import libcst as cst

from np2tnp.analysis.domain.values import Symbol, Value
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.catalog.catalog import Catalog

#: Modules that hand out NumPy's own names.
SAME_AS = {
    "numpy.core": "numpy", "numpy.core.numeric": "numpy", "numpy.core.multiarray": "numpy",
    "numpy.core.fromnumeric": "numpy", "numpy.core.umath": "numpy", "numpy.lib.function_base": "numpy",
    "numpy.lib.scimath": "numpy.emath", "numpy.lib.twodim_base": "numpy", "numpy.lib.shape_base": "numpy",
    "numpy.lib.index_tricks": "numpy", "numpy.matlib": "numpy.matlib", "autograd.numpy": "autograd.numpy",
}  # fmt: skip

#: Modules that rewritten code imports: a later run must know them, whatever star imports come behind.
EMITTED = ("np2tnp.runtime", "tensorflow.experimental.numpy")

#: What a star import of a module that nobody can list binds.
ANY = "*"

_BUILTINS = frozenset(dir(builtins))
#: Modules of the standard library whose functions are called like NumPy's: star imports of both are common.
_STANDARD = {module.__name__: [name for name in dir(module) if name[0] != "_"] for module in (math, cmath)}


def import_bindings(
    node: cst.Import | cst.ImportFrom, catalog: Catalog, star_names: Callable[[str], tuple[str, ...]]
) -> Iterator[tuple[str, Value]]:
    """(name, value) pairs that `node` binds.

    A star import binds NumPy's public names, or those of a first-party module (`star_names`), or what nobody can
    list: then one of the pairs is (ANY, the module).
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
        yield from _star_bindings(module, catalog, star_names)
        return
    for alias in node.names:
        name = dotted(alias.name)
        bound = (
            alias.asname.name.value if alias.asname is not None and isinstance(alias.asname.name, cst.Name) else name
        )
        full = _joined(module, name)
        yield bound, Symbol(_canonical(full))


def is_module(value: Value, catalog: Catalog) -> bool:
    """Whether `value` is a module, as far as its name tells."""
    if not isinstance(value, Symbol):
        return False
    fact = catalog.get(value.name)
    return fact.kind == "module" if fact is not None else "." not in value.name or value.name in EMITTED


def _star_bindings(
    module: str, catalog: Catalog, star_names: Callable[[str], tuple[str, ...]]
) -> Iterator[tuple[str, Value]]:
    if module in _STANDARD:
        yield from ((name, Symbol(f"{module}.{name}")) for name in _STANDARD[module])
    elif module == "numpy" or module.startswith("numpy."):
        names = [last for owner, _, last in (name.rpartition(".") for name in catalog.names()) if owner == module]
        if not names:
            yield ANY, Symbol(module)  # numpy.ma has a `sum` of its own
        for name in names:
            full = f"{module}.{name}"
            if not (name.startswith("_") or (name in _BUILTINS and _is_removed(full, catalog))):
                yield name, Symbol(full)
    else:
        for name in star_names(module):
            outside = name.removeprefix("*")
            bound, _, same = name.partition("=")
            if same:
                yield bound, Symbol(_canonical(same))
            elif outside == name:
                yield name, Symbol(_joined(module, name))
            elif outside == module:
                yield ANY, Symbol(module)
            else:
                yield from _star_bindings(outside, catalog, lambda last: (f"*{last}",))


_STAND_INS = {"tnp": EMITTED[1], "tf": f"{EMITTED[0]}.tf"}


def _is_removed(name: str, catalog: Catalog) -> bool:
    """Whether NumPy 2 has `name` (``numpy.int``) no more."""
    fact = catalog.get(name)
    return fact is not None and fact.legacy


def _canonical(name: str) -> str:
    owner, _, last = name.rpartition(".")
    if last == "np2tnp_runtime":
        return EMITTED[0]  # a copy beside the user's code
    if last in _STAND_INS and _canonical(owner) == EMITTED[0]:
        return _STAND_INS[last]  # what waits for TensorFlow
    return SAME_AS.get(name, name)


def _joined(module: str, name: str) -> str:
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
