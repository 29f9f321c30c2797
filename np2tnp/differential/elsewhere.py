"""Classes that other files of a project define: parameters are often objects of those.

A class of another module is called ``package.module:Class``. Only the texts are read here; `find` imports the module,
in a child process, when an object is wanted.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from np2tnp.differential.records import classes_of

_FILES, _BYTES = 40, 300_000  #: how many neighbours are read, and how large they may be
#: What a module may do when it is imported for its classes alone.
_HARMLESS = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.AnnAssign, ast.Assign),
    ast.Pass,
)


def find(namespace: Mapping[str, Any], name: str) -> Any:
    """The class called `name`, as the functions here call it. Raises what importing its module raises."""
    module, _, own = name.rpartition(":")
    return getattr(importlib.import_module(module), own) if module else namespace[name]


def classes_elsewhere(path: Path, place: tuple[Path, str]) -> dict[str, ast.ClassDef]:
    """The classes of the files beside `path` that can be imported without anything happening, by what they are called.

    `place` is the folder from which the file's modules are imported, and the file's own dotted name.
    """
    package = place[1].rpartition(".")[0]
    found: dict[str, ast.ClassDef] = {}
    for file in sorted(path.resolve().parent.glob("*.py"))[:_FILES]:
        if file == path.resolve() or file.stem.startswith(("__", "test_", "conftest")) or not file.stem.isidentifier():
            continue
        try:
            tree = ast.parse(file.read_text(encoding="utf-8")) if file.stat().st_size <= _BYTES else None
        except (OSError, SyntaxError, ValueError):
            continue
        if tree is not None and all(map(_is_harmless, tree.body)):
            found.update(_classes_of(tree, f"{package}.{file.stem}" if package else file.stem))
    return found


def by_annotation(own: Mapping[str, ast.ClassDef], others: Mapping[str, ast.ClassDef]) -> dict[str, str]:
    """What annotations call each class, where only one can be meant."""
    said: dict[str, list[str]] = {}
    for key in others:
        module, _, name = key.rpartition(":")
        for text in (name, f"{module}.{name}", f"{module.rpartition('.')[2]}.{name}"):
            said.setdefault(text, []).append(key)
    found = {text: keys[0] for text, keys in said.items() if len(set(keys)) == 1}
    return {**found, **{name: name for name in own}}


def _classes_of(tree: ast.Module, module: str) -> dict[str, ast.ClassDef]:
    """By what they are called here; so are those among their bases that the module defines."""
    classes = classes_of(tree.body)
    for node in classes.values():
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in classes:
                base.id = f"{module}:{base.id}"
    return {f"{module}:{name}": node for name, node in classes.items() if not name.startswith("_")}


def _is_harmless(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.If):  # TYPE_CHECKING, a script
        return isinstance(statement.test, (ast.Name, ast.Attribute)) or "__name__" in ast.unparse(statement.test)
    return isinstance(statement, _HARMLESS)
