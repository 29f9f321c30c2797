"""Which files a run is about, and whether their bytes may use NumPy at all, told without parsing them."""

from __future__ import annotations

import functools
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from np2tnp.config import DEFAULT_EXCLUDE, Config, path_matches
from np2tnp.files.problems import Problem
from np2tnp.files.source import NOTEBOOK, read_bytes

# --- Which files a run is about

SUFFIXES = (".py", ".pyw", NOTEBOOK)

#: Says of a path below a directory (and whether it is one) that version control ignores it; None: no opinion.
Ignore = Callable[[str, bool], "bool | None"]


@dataclass(slots=True)
class Discovery:
    """What was found: files in a stable order, named as the user named them, and what could not be looked at."""

    files: list[str] = field(default_factory=list)
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)  #: directories without any Python file
    excluded: list[str] = field(default_factory=list)  #: left out because the user's options say so

    def skipped(self) -> list[str]:
        """What was asked for and is not looked at, a line each."""
        more = f" and {len(self.excluded) - 1} more" if self.excluded[1:] else ""
        return [f"{self.excluded[0]}{more}: excluded by options"] if self.excluded else []


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
            if entry.name in plain and entry.name in DEFAULT_EXCLUDE:
                continue
            if not (is_directory or entry.name.endswith(SUFFIXES)):
                continue
            path = entry.name if directory == "." else os.path.join(directory, entry.name)
            if entry.name in plain or (globs and path_matches(path, globs, own_config.root)):
                result.excluded.append(path)
                continue
            if _is_ignored(path, is_directory, ignores):
                continue
            if is_directory:
                below.append((path, ignores))
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
    from np2tnp.files.discover import Ignored

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


# --- What a ``.gitignore`` file says of a path, in time that grows with the lengths of path and patterns only

#: ``**``: any number of directories.
_ANY = None
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "punct": "!-/:-@\\[-`{-~",
    "xdigit": "0-9a-fA-F",
}


@dataclass(frozen=True, slots=True)
class _Name:
    """A pattern for one name: pieces of which each character stands for one, with any text between two pieces."""

    pieces: tuple[re.Pattern[str], ...]
    lengths: tuple[int, ...]

    def matches(self, name: str) -> bool:
        if len(self.pieces) == 1:
            return self.pieces[0].fullmatch(name) is not None
        if self.pieces[0].match(name) is None:
            return False
        at, end = self.lengths[0], len(name) - self.lengths[-1]
        for piece, length in zip(self.pieces[1:-1], self.lengths[1:-1], strict=True):
            found = piece.search(name, at)
            if found is None:
                return False
            at = found.start() + length
        return at <= end and self.pieces[-1].match(name, end) is not None


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One line."""

    ignores: bool  #: or it begins with ``!``
    only_directories: bool
    is_anchored: bool  #: it names a path from here, else a name anywhere below
    names: tuple[_Name | None, ...]

    def matches(self, parts: Sequence[str], is_directory: bool) -> bool:
        if self.only_directories and not is_directory:
            return False
        if not self.is_anchored:
            name = self.names[0]
            return name is _ANY or name.matches(parts[-1])
        open_at = {0}  # how many parts the names so far may have taken
        for number, name in enumerate(self.names):
            if name is _ANY:
                least = min(open_at, default=len(parts)) + (number == len(self.names) - 1)  # at the end: what is inside
                open_at = set(range(least, len(parts) + 1))
            else:
                open_at = {at + 1 for at in open_at if at < len(parts) and name.matches(parts[at])}
        return len(parts) in open_at


class Ignored:
    """The patterns of one file."""

    def __init__(self, text: str) -> None:
        lines = text.removeprefix("\ufeff").split("\n")
        self._patterns = [pattern for line in lines if (pattern := _pattern(line.removesuffix("\r"))) is not None]

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def says(self, path: str, is_directory: bool) -> bool | None:
        """Whether it ignores the path, relative to its directory with ``/`` between names; None where it says nothing.

        What lies in a directory that it ignores is not looked at.
        """
        parts = path.split("/")
        for pattern in reversed(self._patterns):  # the last word counts
            if pattern.matches(parts, is_directory):
                return pattern.ignores
        return None


def _pattern(line: str) -> _Pattern | None:
    """What a line asks for; None for an empty one, a comment, and what can match nothing."""
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    if not line or line.startswith("#"):
        return None
    ignores = not line.startswith("!")
    line = line if ignores else line[1:]
    only_directories = line.endswith("/")
    line = line.removesuffix("/")
    is_anchored = "/" in line
    names: list[_Name | None] = []
    for number, text in enumerate(line.removeprefix("/").split("/")):
        if text == "**" and is_anchored:
            if not names or names[-1] is not _ANY:
                names.append(_ANY)
            continue
        name = _name(text)
        if name is None or (not text and (number or not is_anchored)):
            return None
        names.append(name)
    return _Pattern(ignores, only_directories, is_anchored, tuple(names)) if line.strip("/") else None


@functools.lru_cache(maxsize=1024)
def _name(text: str) -> _Name | None:
    """The pattern for one name; None where it can match nothing: an open bracket, a backslash at the end."""
    pieces = [""]
    lengths = [0]
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "*":
            if len(pieces) == 1 or lengths[-1]:  # two stars are one
                pieces.append("")
                lengths.append(0)
            continue
        if character == "?":
            piece = "."
        elif character == "[":
            end = _end_of_set(text, at)
            if end is None:
                return None
            piece, at = _set(text[at:end]), end + 1
        else:
            if character == "\\":
                if at == len(text):
                    return None
                character = text[at]
                at += 1
            piece = re.escape(character)
        pieces[-1] += piece
        lengths[-1] += 1
    try:
        return _Name(tuple(re.compile(piece, re.DOTALL) for piece in pieces), tuple(lengths))
    except re.error:  # a range from high to low
        return None


def _end_of_set(text: str, at: int) -> int | None:
    """Where the ``]`` stands that closes a set that begins at `at`."""
    first = at + (text[at : at + 1] in ("!", "^"))
    at = first
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith("[:", at) and ":]" in text[at + 2 :]:
            at = text.index(":]", at + 2) + 2
        elif text[at] == "]" and at > first:
            return at
        else:
            at += 1
    return None


def _set(text: str) -> str:
    """What stands between brackets, for ``re``."""
    negated = text[:1] in ("!", "^")
    found = ""
    at = int(negated)
    while at < len(text):
        if text.startswith("[:", at) and ":]" in text[at:]:
            end = text.index(":]", at)
            found += _CLASSES.get(text[at + 2 : end], "")
            at = end + 2
        elif text[at] == "-" and at > negated and at + 1 < len(text):
            found += "-"
            at += 1
        else:
            at += text[at] == "\\" and at + 1 < len(text)
            found += re.escape(text[at])
            at += 1
    if not found:
        return "(?!)"
    return f"[^/{found}]" if negated else f"[{found}]"
