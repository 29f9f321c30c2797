"""Which files a run is about, and whether their bytes may use NumPy at all, told without parsing them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from np2tnp.config import Config, path_matches
from np2tnp.files.problems import Problem
from np2tnp.files.source import read_bytes

# --- Which files a run is about

SUFFIXES = (".py", ".pyw")
NOTEBOOK = ".ipynb"

#: Says of a path below a directory (and whether it is one) that version control ignores it; None: no opinion.
Ignore = Callable[[str, bool], "bool | None"]


@dataclass(slots=True)
class Discovery:
    """What was found: files in a stable order, named as the user named them, and what could not be looked at."""

    files: list[str] = field(default_factory=list)
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)  #: directories without any Python file
    notebooks: list[str] = field(default_factory=list)  #: passed over below directories
    excluded: list[str] = field(default_factory=list)  #: named, and excluded all the same

    def skipped(self) -> list[str]:
        """What was asked for and is not looked at, a line each."""
        more = f" and {len(self.excluded) - 1} more named" if self.excluded[1:] else ""
        lines = [f"{self.excluded[0]}{more}: excluded by the configuration"] if self.excluded else []
        if self.notebooks:
            many = "1 notebook was" if len(self.notebooks) == 1 else f"{len(self.notebooks)} notebooks were"
            first = f"{self.notebooks[0]}{', ...' if len(self.notebooks) > 1 else ''}"
            lines.append(f"{many} not looked at ({first}): np2tnp reads none yet")
        return lines


def discover(paths: Iterable[str], config: Config) -> Discovery:
    """All Python files at or below ``paths``. Files that are named are always taken (``force_exclude`` apart)."""
    result = Discovery()
    seen: dict[str, int] = {}

    def take(path: str) -> None:
        # One file under two names is one file: rewriting it twice would find it changed.
        known = seen.setdefault(os.path.realpath(path), len(result.files))
        if known == len(result.files):
            result.files.append(path)
        elif os.path.islink(result.files[known]) and not os.path.islink(path):
            result.files[known] = path  # `patch` takes no diff of a link

    for path in paths:
        name = os.path.normpath(path) if path else path
        try:
            status = os.stat(name)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            result.problems.append((path, Problem("TNP904", f"cannot be read: {reason}")))
            continue
        if config.force_exclude and config.of_file(name).excludes(name):
            result.excluded.append(path)
            continue
        if not stat.S_ISDIR(status.st_mode):
            if name.endswith(NOTEBOOK):
                result.problems.append((name, Problem("TNP904", "notebooks cannot be read yet; export it as a script")))
            else:
                take(name)
            continue
        before = len(result.files)
        for found in _walk(name, config, result):
            take(found)
        if len(result.files) == before and not any(problem[0].startswith(name) for problem in result.problems):
            result.empty.append(path)
    return result


def _walk(top: str, config: Config, result: Discovery) -> Iterator[str]:
    """The files below a directory, sorted; links to directories are not followed, so there are no loops."""
    patterns: dict[Config, tuple[frozenset[str], tuple[str, ...]]] = {}
    stack: list[tuple[str, tuple[Ignore, ...]]] = [(top, _ignores_above(top) if config.respect_gitignore else ())]
    while stack:
        directory, ignores = stack.pop()
        try:
            with os.scandir(directory) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            result.problems.append((directory, Problem("TNP904", f"cannot be read: {error.strerror or error}")))
            continue
        own_config = config.of_directory(os.path.abspath(directory))
        if own_config not in patterns:
            patterns[own_config] = _patterns(own_config)
        plain, globs = patterns[own_config]
        if config.respect_gitignore and any(entry.name == ".gitignore" for entry in listing):
            own = _read_ignore(directory, os.path.join(directory, ".gitignore"))
            ignores = (*ignores, own) if own is not None else ignores
        below: list[tuple[str, tuple[Ignore, ...]]] = []
        for entry in listing:
            is_directory = entry.is_dir(follow_symlinks=False)
            if entry.name in plain or not (is_directory or entry.name.endswith((*SUFFIXES, NOTEBOOK))):
                continue
            path = entry.name if directory == "." else os.path.join(directory, entry.name)
            if (globs and path_matches(path, globs, own_config.root)) or _is_ignored(path, is_directory, ignores):
                continue
            if is_directory:
                below.append((path, ignores))
            elif entry.name.endswith(NOTEBOOK):
                result.notebooks.append(path)
            elif os.path.isfile(path):
                yield path
            elif entry.is_symlink() and not os.path.exists(path):
                result.problems.append((path, Problem("TNP904", "is a link to nothing")))
        stack.extend(reversed(below))


def _patterns(config: Config) -> tuple[frozenset[str], tuple[str, ...]]:
    """What is left out: plain names, and patterns."""
    both = (*config.exclude, *config.extend_exclude)
    plain = frozenset(pattern for pattern in both if not set(pattern) & set("*?[/"))
    return plain, tuple(pattern for pattern in both if pattern not in plain)


def _is_ignored(path: str, is_directory: bool, ignores: tuple[Ignore, ...]) -> bool:
    for ignore in reversed(ignores):  # the deepest file's word counts first
        answer = ignore(path, is_directory)
        if answer is not None:
            return answer
    return False


def _ignores_above(top: str) -> tuple[Ignore, ...]:
    """The ``.gitignore`` files between the repository's top and ``top``, outermost first."""
    directory = os.path.abspath(top)
    above: list[str] = []
    while not os.path.lexists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            return ()  # no repository: files above do not concern us
        directory = parent
        above.append(directory)
    top_level = directory
    files = [(top_level, os.path.join(top_level, ".git", "info", "exclude"))]
    files += [(directory, os.path.join(directory, ".gitignore")) for directory in reversed(above)]
    found = tuple(ignore for ignore in (_read_ignore(*place) for place in files) if ignore is not None)
    # A directory that is ignored, or lies in an ignored one, and is named all the same is meant.
    return () if any(_is_ignored(directory, True, found) for directory in (top, *above[:-1])) else found


def _read_ignore(directory: str, file: str) -> Ignore | None:
    try:
        text = read_bytes(file).decode(errors="surrogateescape")
    except Problem:  # none, or no file that could be read to its end
        return None
    from np2tnp.files.ignore import Ignored

    ignored = Ignored(text)
    if not ignored:
        return None
    base = os.path.abspath(directory)

    def ignore(path: str, is_directory: bool) -> bool | None:
        return ignored.says(os.path.relpath(os.path.abspath(path), base).replace(os.sep, "/"), is_directory)

    return ignore


# --- Whether the bytes of a file may use NumPy at all, told without parsing them

#: What stands behind ``import``: names in parentheses, or up to the end of the statement.
_IMPORTED = re.compile(rb"\bimport\b[ \t]*(\([^)]*\)|(?:\\\r?\n|[^\n;])*)")


def holds_needle(data: bytes, needles: Iterable[str]) -> bool:
    """Whether one of `needles` stands in `data` in a way that may name NumPy.

    A needle like ``np.`` is the end of a name: ``inp.read()`` has it, too. Such longer names count where the file
    imports them, imports everything from somewhere, or has the short name as well (``onp = compat.np``).
    """
    return any(needle.encode() in data and _may_name(needle.encode(), data) for needle in needles)


def _may_name(needle: bytes, data: bytes) -> bool:
    name = needle[:-1]
    if not needle.endswith(b".") or re.search(rb"(?<!\w)" + re.escape(name) + rb"(?!\w)", data):
        return True
    longer = set(re.findall(rb"\w+" + re.escape(name) + rb"(?=\.)", data))
    imported = set(re.findall(rb"\w+|\*", b" ".join(_IMPORTED.findall(data))))
    return b"*" in imported or not longer.isdisjoint(imported)
