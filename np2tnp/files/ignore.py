"""What a ``.gitignore`` file says of a path, in time that grows with the lengths of path and patterns only.

Patterns come with the project. As one regular expression, a pattern with ten stars takes hours for one long name. So
stars are matched from left to right: what stands between two of them goes where it fits first.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

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
