"""Names of the top level that may be NumPy's: they are bound in several ways, and one of them is an import of NumPy."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator

import libcst as cst

from np2tnp.analysis.domain.values import Symbol
from np2tnp.analysis.imports import import_bindings
from np2tnp.analysis.module import blocks_of, statements_of
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.catalog import Catalog

_BUILTINS = frozenset(dir(builtins))


def why_ambiguous(module: cst.Module, name: str, catalog: Catalog) -> str:
    """What to say of such a name: ``np may be numpy, and may be cupy``; empty where no import of NumPy binds it."""
    found = [
        value.name
        for node in _imports(module.body)
        for bound, value in import_bindings(node, catalog, lambda _: ())
        if bound == name and isinstance(value, Symbol)
    ]
    numpys = [full for full in found if full.partition(".")[0] == "numpy"]
    if not numpys:
        return ""
    others = [full for full in dict.fromkeys(found) if full not in numpys]
    other = " or ".join(others) if others else "something else"
    return f"{name} may be {numpys[0]}, and may be {other}: import it in one way, or tell --numpy-names {name}"


def late_builtins(module: cst.Module, catalog: Catalog, star_names: Callable[[str], tuple[str, ...]]) -> frozenset[str]:
    """Names that are Python's own until an import binds them, where code may have run with them before that import."""
    found: set[str] = set()
    mentioned: set[str] = set()
    has_run = False
    for statement in module.body:
        imports = list(_imports([statement]))
        if has_run:
            names = {name for node in imports for name, _ in import_bindings(node, catalog, star_names)}
            found |= names & mentioned & _BUILTINS
        for part in walk(statement):
            if type(part) is cst.Name:
                mentioned.add(part.value)
        has_run = has_run or not (imports or isinstance(statement, (cst.FunctionDef, cst.ClassDef)))
    return frozenset(found)


def _imports(body: object) -> Iterator[cst.Import | cst.ImportFrom]:
    for statement in statements_of(body):
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, (cst.Import, cst.ImportFrom)):
                    yield small
        for block in blocks_of(statement):
            yield from _imports(block)
