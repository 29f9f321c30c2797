"""Which files are scripts: run, and imported by nobody that the project knows."""

from __future__ import annotations

import ast
import itertools
import os
import re
import sys
import warnings
from collections.abc import Iterator

from np2tnp.files.modules import MARKS, Modules
from np2tnp.files.problems import Problem
from np2tnp.files.source import read_bytes

_IMPORT = re.compile(rb"^[ \t]*(?:from\s+[.\w]+\s+import\s*(?:\([^)]*\)|[^\n]*)|import\s+[^\n]*)", re.MULTILINE)
_MOST_BYTES = 50_000_000  #: of a notebook, which holds its results, too
_WORD = re.compile(rb"\w+")
_NOTEBOOK = re.compile(rb"\b(?:from|import)\s+[\w., ]+")
#: Of folders outside of any project so many are looked through for star imports.
_NEAR = 200
_STAR = r"\bfrom\s+[.\w]*\b{}\s+import\s*\*"


class Importers:
    """Who imports what in the project below `root`. Every file is read once, when the first question comes."""

    def __init__(self, root: str, exclude: frozenset[str], modules: Modules) -> None:
        self._root = root
        self._exclude = exclude
        self._modules = modules
        self._files: dict[str, list[str]] | None = None  #: by a word in its imports

    def why_library(self, path: str) -> str:
        """Why the file at `path` (absolute) is no script, for people; empty where it is one."""
        directory, name = os.path.split(path)
        stem = name.removesuffix(".py")
        if stem == "conftest" or stem.startswith("test_") or stem.endswith("_test"):
            return "pytest imports it"
        if stem != "__main__" and os.path.lexists(os.path.join(directory, "__init__.py")):
            return "it belongs to a package, which others may import"
        if not stem.isidentifier() or stem == "__main__":
            return ""
        importer = next((file for file in self._candidates(stem) if file != path and self._imports(file, path)), None)
        return f"{os.path.relpath(importer, self._root)} imports it" if importer is not None else ""

    def is_spread(self, path: str) -> bool:
        """Whether a star import of the project takes the names of the module at `path` (absolute)."""
        directory, name = os.path.split(path)
        stem = os.path.basename(directory) if name == "__init__.py" else name.removesuffix(".py")
        star = re.compile(_STAR.format(re.escape(stem)))
        is_project = bool(self._modules.listing(self._root) & MARKS)  # else it may be somebody's home
        for file in self._candidates(stem) if is_project else self._project_files(_NEAR):
            text = self._modules.text(file) or "" if file != path else ""
            if star.search(text) is None:
                continue
            stars = [full for full in _imported(text) if full.endswith(".*")] if file.endswith(".py") else []
            if not file.endswith(".py") or any(self._leads_to(file, full, path, stem) for full in stars):
                return True
        return False

    def _candidates(self, stem: str) -> list[str]:
        if self._files is None:
            self._files = {}
            for file in self._project_files():
                try:
                    data = read_bytes(file, _MOST_BYTES)
                except Problem:
                    continue
                pattern = _IMPORT if file.endswith(".py") else _NOTEBOOK
                for word in {word for text in pattern.findall(data) for word in _WORD.findall(text)}:
                    self._files.setdefault(word.decode("utf-8", "replace"), []).append(file)
        return self._files.get(stem, [])

    def _project_files(self, most: int | None = None) -> Iterator[str]:
        for directory, folders, files in itertools.islice(os.walk(self._root), most):
            folders[:] = sorted(name for name in folders if name not in self._exclude)
            yield from (os.path.join(directory, name) for name in sorted(files) if name.endswith((".py", ".ipynb")))

    def _imports(self, file: str, path: str) -> bool:
        """Whether `file` imports the module at `path`, or one of its name that nobody can find."""
        if not file.endswith(".py"):
            return True
        stem = os.path.basename(path).removesuffix(".py")
        return any(self._leads_to(file, name, path, stem) for name in _imported(self._modules.text(file) or ""))

    def _leads_to(self, file: str, name: str, path: str, stem: str) -> bool:
        if stem not in name.split("."):
            return False
        module: str | None
        module, rest, _ = self._modules.start(file, name)
        if not module:  # not found: it may be looked up in a directory that is added when the program runs
            return name.split(".")[0] == stem and stem not in sys.stdlib_module_names
        for part in rest:
            if module == path or module is None or not module.endswith((os.sep, os.sep + "__init__.py")):
                break
            module = self._modules.child(os.path.dirname(module), part, set())
        return module == path


def _imported(text: str) -> list[str]:
    """The dotted names that a text imports, ``from a import b`` as ``a.b``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            joint = "" if not module or module.endswith(".") else "."
            found += [f"{module}{joint}{alias.name}" for alias in node.names]
    return found
