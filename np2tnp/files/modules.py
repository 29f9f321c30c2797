"""Which file a first-party import means, found by the project's layout: nothing is imported.

Where a name is looked up depends on the file that imports and on the tree around it, never on the files that a command
line names.
"""

from __future__ import annotations

import ast
import itertools
import os
import re
import sys
import warnings
from collections.abc import Iterator

from np2tnp.files.cache import hash_bytes
from np2tnp.files.outline import Outline, outline_of
from np2tnp.files.problems import Problem
from np2tnp.files.source import decode, read_bytes
from np2tnp.files.syntax import Trees

MARKS = frozenset((".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg", "np2tnp.toml"))
_ABSENT: frozenset[str] = frozenset()
#: Behind a directory: where imports in it are looked up.
SEARCHED = os.sep + "?"


class Modules:
    """The modules around the files of one run. Each directory and each file is looked at once."""

    def __init__(self) -> None:
        self.trees = Trees()
        self._listings: dict[str, frozenset[str]] = {}
        self._texts: dict[str, str | None] = {}
        self._digests: dict[str, str] = {}
        self._outlines: dict[str, Outline | None] = {}
        self._roots: dict[str, tuple[tuple[str, ...], bool]] = {}

    def listing(self, directory: str) -> frozenset[str]:
        """The entries of a directory that imports or the search for the project's top can see."""
        known = self._listings.get(directory)
        if known is None:
            try:
                with os.scandir(directory) as entries:
                    known = frozenset(
                        entry.name
                        for entry in entries
                        if entry.name in MARKS or entry.name.endswith(".py") or ("." not in entry.name)
                    )
            except OSError:
                known = _ABSENT
            self._listings[directory] = known
        return known

    def text(self, path: str) -> str | None:
        """The text of a module; None where it cannot be read."""
        if path not in self._texts:
            try:
                data = read_bytes(path)
                self._digests[path] = hash_bytes(data)
                self._texts[path] = decode(path, data).text
            except Problem:
                self._texts[path] = None
        return self._texts[path]

    def outline(self, path: str) -> Outline | None:
        """What the module binds; None for a namespace package and what is not Python."""
        if path not in self._outlines:
            text = None if path.endswith(os.sep) else self.text(path)
            self._outlines[path] = outline_of(text, self.trees) if text is not None else None
        return self._outlines[path]

    def state(self, place: str) -> str:
        """What must be the same for knowledge about `place` to hold.

        A file, a directory with a ``/`` behind, or a directory with ``/?`` behind: where imports in it are looked up.
        """
        if place.endswith(SEARCHED):
            return hash_bytes(repr(self.search(place)).encode(errors="surrogateescape"))
        if place.endswith(os.sep):
            names = sorted(self.listing(place[:-1] or os.sep))
            return hash_bytes("\n".join(names).encode(errors="surrogateescape"))  # names need not be UTF-8
        if place not in self._digests:
            try:
                self._digests[place] = hash_bytes(read_bytes(place))
            except Problem:
                self._digests[place] = ""
        return self._digests[place]

    def child(self, directory: str, name: str, looked: set[str]) -> str | None:
        """The module `name` in a package's directory: a file, or a directory with ``/`` for a namespace package.

        The directories that decided are added to `looked`.
        """
        looked.add(directory + os.sep)
        entries = self.listing(directory)
        if name in entries:
            inner = os.path.join(directory, name)
            looked.add(inner + os.sep)
            if "__init__.py" in self.listing(inner):
                return os.path.join(inner, "__init__.py")
            if f"{name}.py" not in entries and self._holds_modules(inner, 3, looked):
                return inner + os.sep
        return os.path.join(directory, f"{name}.py") if f"{name}.py" in entries else None

    def _holds_modules(self, directory: str, depth: int, looked: set[str]) -> bool:
        looked.add(directory + os.sep)
        entries = self.listing(directory)
        if any(entry.endswith(".py") for entry in entries):
            return True
        inner = (os.path.join(directory, name) for name in sorted(entries))
        return depth > 0 and any(self._holds_modules(name, depth - 1, looked) for name in inner)

    def search(self, file: str) -> tuple[tuple[str, ...], bool]:
        """The directories in which `file`'s absolute imports are looked up, besides Python's own.

        The directory above its topmost package, then the project's ``src`` and the project's top. And whether the file
        belongs to a package that lies among others, as installed ones do: such a package sees only itself.
        """
        directory = os.path.dirname(file)
        known = self._roots.get(directory)
        if known is None:
            top = directory
            while "__init__.py" in self.listing(top) and os.path.dirname(top) != top:
                top = os.path.dirname(top)
            found = [top]
            at = top
            while not self.listing(at) & MARKS and os.path.dirname(at) != at:
                at = os.path.dirname(at)
            if self.listing(at) & MARKS:
                found += [os.path.join(at, "src"), at]
            installed = len(found) == 1 or not {"site-packages", "dist-packages"}.isdisjoint(top.split(os.sep))
            known = self._roots[directory] = (tuple(dict.fromkeys(found)), installed and top != directory)
        return known

    def start(self, file: str, name: str) -> tuple[str, tuple[str, ...], set[str]]:
        """(module, names that are left, places that decided) for a dotted name as `file` writes it.

        The module is empty for a name that is not first-party: Python's own modules and everything that is installed.
        """
        if name.startswith("."):
            rest = name.lstrip(".")
            directory = os.path.dirname(file)
            for _ in range(len(name) - len(rest) - 1):
                directory = os.path.dirname(directory)
            own = os.path.join(directory, "__init__.py")
            module = own if "__init__.py" in self.listing(directory) else directory + os.sep
            return module, tuple(part for part in rest.split(".") if part), {directory + os.sep}
        first, *others = name.split(".")
        if first in sys.stdlib_module_names:
            return "", (), set()
        looked = {os.path.dirname(file) + SEARCHED}
        places, alone = self.search(file)
        if alone and first != os.path.relpath(file, places[0]).split(os.sep)[0]:
            return "", (), looked
        for place in places:
            found = self.child(place, first, looked)
            if found is not None:
                return found, tuple(others), looked
        return "", (), looked


# --- Which files are scripts: run, and imported by nobody that the project knows

_IMPORT = re.compile(rb"^[ \t]*(?:from\s+[.\w]+\s+import\s*(?:\([^)]*\)|[^\n]*)|import\s+[^\n]*)", re.MULTILINE)
_MOST_BYTES = 50_000_000  #: of a notebook, which holds its results, too
_WORD = re.compile(rb"\w+")
_NOTEBOOK = re.compile(rb"\b(?:from|import)\s+[\w., ]+")
#: Of folders outside of any project so many are looked through for star imports.
_NEAR = 200
_STAR = re.compile(r"\bfrom\s+([.\w]+)\s+import\s*\*")


class Importers:
    """Who imports what in the project below `root`. Every file is read once, when the first question comes."""

    def __init__(self, root: str, exclude: frozenset[str], modules: Modules) -> None:
        self._root = root
        self._exclude = exclude
        self._modules = modules
        self._files: dict[str, list[str]] | None = None  #: by a word in its imports
        self._near: list[str] | None = None  #: of no project: the files with star imports
        self._all: dict[str, list[str]] = {}  #: the files, by the folder that they are below

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
        importer = next((file for file in self._candidates(stem) if file != path and self.imports(file, path)), None)
        return f"{os.path.relpath(importer, self._root)} imports it" if importer is not None else ""

    def is_spread(self, path: str) -> bool:
        """Whether a star import of the project takes the names of the module at `path` (absolute)."""
        stem = stem_of(path)
        is_project = bool(self._modules.listing(self._root) & MARKS)  # else it may be somebody's home
        for file in self._candidates(stem) if is_project else self._near_with_stars():
            text = self._modules.text(file) or "" if file != path else ""
            if not any(name.rpartition(".")[2] == stem for name in _STAR.findall(text)):
                continue
            stars = [full for full in _imported(text) if full.endswith(".*")] if file.endswith(".py") else []
            if not file.endswith(".py") or any(self._leads_to(file, full, path, stem) for full in stars):
                return True
        return False

    def others_with(self, word: str, path: str) -> Iterator[str]:
        """The other files of the project in which `word` stands somewhere.

        Of no project: of the current folder and the one above the file's package, which the command may lie below.
        """
        folders, most = [self._root], None
        if not self._modules.listing(self._root) & MARKS:
            around = (os.getcwd(), self._modules.search(path)[0][0])
            folders, most = (
                [self._root, *(top for top in around if path.startswith(top.rstrip(os.sep) + os.sep))],
                _NEAR,
            )
        for folder in folders:
            if folder not in self._all:
                self._all[folder] = [os.path.abspath(file) for file in self._project_files(folder, most)]
        pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
        for file in dict.fromkeys(itertools.chain.from_iterable(self._all[folder] for folder in folders)):
            if file != path and pattern.search(self._modules.text(file) or ""):
                yield file

    def _near_with_stars(self) -> list[str]:
        if self._near is None:
            files = self._project_files(self._root, _NEAR)
            self._near = [file for file in files if _STAR.search(self._modules.text(file) or "")]
        return self._near

    def _candidates(self, stem: str) -> list[str]:
        if self._files is None:
            self._files = {}
            for file in self._project_files(self._root):
                try:
                    data = read_bytes(file, _MOST_BYTES)
                except Problem:
                    continue
                pattern = _IMPORT if file.endswith(".py") else _NOTEBOOK
                for word in {word for text in pattern.findall(data) for word in _WORD.findall(text)}:
                    self._files.setdefault(word.decode("utf-8", "replace"), []).append(file)
        return self._files.get(stem, [])

    def _project_files(self, top: str, most: int | None = None) -> Iterator[str]:
        for directory, folders, files in itertools.islice(os.walk(top), most):
            folders[:] = sorted(name for name in folders if name not in self._exclude)
            yield from (os.path.join(directory, name) for name in sorted(files) if name.endswith((".py", ".ipynb")))

    def imports(self, file: str, path: str) -> bool:
        """Whether `file` imports the module at `path`, or one of its name that nobody can find."""
        if not file.endswith(".py"):
            return True
        stem = stem_of(path)
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


def stem_of(path: str) -> str:
    """What imports of the module at `path` end with."""
    return os.path.basename(path.removesuffix(os.sep + "__init__.py")).removesuffix(".py")


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
