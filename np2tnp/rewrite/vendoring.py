"""The runtime beside the user's code (``--runtime vendor``): what was rewritten then runs without np2tnp installed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import np2tnp
from np2tnp import __version__
from np2tnp.files.problems import Problem
from np2tnp.files.source import NOTEBOOK, read_bytes
from np2tnp.files.writing import Writer

#: The directory that a copy goes to, and so the name that it is imported by.
FOLDER = "np2tnp_runtime"
_MARKED = "# A copy of the runtime of np2tnp "
_MARK = f"{_MARKED}{__version__}, made by `rewrite --runtime vendor`; the next one replaces it."
_OWN_IMPORT = re.compile(r"^(\s*)from np2tnp\.runtime(?:\.([\w.]+))? import ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Home:
    """Where a file finds the runtime: ``from package import name``, or ``import name`` where `package` is empty.

    directory: where a copy has to lie; empty for the installed runtime.
    """

    package: str = "np2tnp"
    name: str = "runtime"
    directory: str = ""


INSTALLED = Home()


def vendored(path: str, text: str) -> Home:
    """The copy for the file at `path`: in its topmost package, or beside a script."""
    directory = os.path.dirname(os.path.abspath(path))
    top = directory
    while os.path.isfile(os.path.join(top, "__init__.py")) and os.path.dirname(top) != top:
        top = os.path.dirname(top)
    if path.endswith(NOTEBOOK):  # which runs where it lies, and is part of no package
        return Home("", FOLDER, os.path.join(directory, FOLDER))
    if top == directory:
        relative = re.search(r"^\s*from \.", text, re.MULTILINE) is not None  # a package without __init__.py
        return Home("." if relative else "", FOLDER, os.path.join(directory, FOLDER))
    package = os.path.relpath(directory, top).split(os.sep)[0]
    return Home(package, FOLDER, os.path.join(top, package, FOLDER))


def copy_runtime(directory: str, writer: Writer) -> None:
    """Put the runtime's files into `directory`, those that differ each in one step. Raises Problem (TNP904)."""
    marked = os.path.join(directory, "__init__.py")
    if os.path.islink(directory):
        raise Problem("TNP904", f"{directory} is a link: what lies there is not written to")
    if os.path.isdir(directory) and not (os.path.isfile(marked) and b"np2tnp" in read_bytes(marked)):
        raise Problem("TNP904", f"{directory} is no copy of np2tnp's runtime: move it away")
    source = os.path.join(os.path.dirname(os.path.abspath(np2tnp.__file__)), "runtime")
    names = _files(source)
    try:
        if not os.path.isdir(directory):
            writer.make_folder(directory)
        # the one that tells that it is a copy first: another run goes on where this one is killed
        for name in sorted(names, key=lambda name: (name != "__init__.py", name)):
            text = relative_imports(read_bytes(os.path.join(source, name)).decode("utf-8"), name.count(os.sep))
            new = f"{_MARK}\n{text}".encode()
            target = os.path.join(directory, name)
            if not os.path.isdir(os.path.dirname(target)):
                writer.make_folder(os.path.dirname(target))
            if os.path.realpath(target) != os.path.join(os.path.realpath(directory), name):
                raise Problem("TNP904", f"{target} is a link: what lies there is not written to")
            if not os.path.exists(target):
                writer.create(target, new)
            else:
                old = read_bytes(target)
                if old != new:
                    writer.replace(target, old, new)
        for name in set(_files(directory)) - set(names):  # what an earlier version had, and no other file
            if read_bytes(os.path.join(directory, name)).startswith(_MARKED.encode()):
                os.remove(os.path.join(directory, name))
    except OSError as error:
        raise Problem("TNP904", f"{directory} cannot be written: {error.strerror or error}") from None


def _files(folder: str) -> list[str]:
    """The Python files in the folder and in the folders within it, as paths from there."""
    return sorted(
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith(".py")
    )


def relative_imports(text: str, depth: int) -> str:
    """The runtime's own imports in `text` as relative ones; `depth`: in how many folders of the runtime it stands."""
    dots = "." * (depth + 1)
    return _OWN_IMPORT.sub(lambda match: f"{match[1]}from {dots}{match[2] or ''} import ", text)
