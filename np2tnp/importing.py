"""Keeps the project that is analysed out of what can be imported: nothing of it may run.

Python itself puts the current directory on its path (``python -m np2tnp``, ``python -c``), and people put their sources
on PYTHONPATH. A file there that is called like a module of Python, or like one that some library asks for, would be
executed when that is imported. So this module imports nothing but what every Python has loaded when it starts.
"""

import os
import sys

#: What lies at a project's top.
_MARKS = (".git", ".hg", "pyproject.toml", "setup.py")
#: A directory of a project that holds one of these is kept, behind Python's own: np2tnp was installed into it.
_NEEDED = ("libcst", "rich")


def upwards(directory: str) -> list[str]:
    """The directory and all above it."""
    found = [directory]
    while os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found


def project_root(start: str, none: str | None = None) -> str:
    """The nearest directory with a mark of a project's top; where there is none `none`, or `start` without it."""
    for directory in upwards(start):
        if any(os.path.lexists(os.path.join(directory, name)) for name in _MARKS):
            return directory
    return start if none is None else none


def path_without_projects(words: list[str]) -> list[str]:
    """``sys.path`` without what lies in the project of the current directory, or of a file or directory in `words`."""
    entries = [entry for entry in dict.fromkeys(sys.path) if os.path.isabs(entry)]
    foreign = [entry for entry in entries if not _is_of_python(entry)]
    if not foreign:
        return entries
    tops = _tops(words)
    left_out = [entry for entry in foreign if any(_is_inside(os.path.realpath(entry), top) for top in tops)]
    needed = [entry for entry in left_out if any(os.path.isdir(os.path.join(entry, name)) for name in _NEEDED)]
    return [entry for entry in entries if entry not in left_out] + needed


def _is_of_python(entry: str) -> bool:
    """Whether Python itself brings it: its library, or where packages are installed."""
    library = os.path.dirname(os.__file__)
    if entry == library or os.path.dirname(entry) == library:
        return True
    if os.path.basename(entry) in ("site-packages", "dist-packages"):
        homes = (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
        user = getattr(sys.modules.get("site"), "USER_SITE", None)
        return entry == user or any(_is_inside(entry, home) for home in homes)
    return entry == os.path.join(sys.base_prefix, "DLLs")


def _tops(words: list[str]) -> set[str]:
    """The tops of the projects that the current directory, and the files and directories in `words`, belong to."""
    tops: dict[str, str] = {}
    for word in (os.curdir, *words):
        try:
            directory = os.path.realpath(word)
            directory = directory if os.path.isdir(directory) else os.path.dirname(directory)
        except (OSError, ValueError):  # a null character
            continue
        if directory not in tops:
            outside = directory
            while os.path.lexists(os.path.join(outside, "__init__.py")) and os.path.dirname(outside) != outside:
                outside = os.path.dirname(outside)
            tops[directory] = project_root(outside)
    return set(tops.values())


def _is_inside(path: str, directory: str) -> bool:
    return path == directory or path.startswith(os.path.join(directory, ""))
