"""Bytes ↔ source text, exactly or not at all."""

from __future__ import annotations

import ast
import codecs
import os
import re
import stat
from dataclasses import dataclass

from np2tnp.files.problems import Problem

#: Larger files are data in Python's clothes; parsing them costs a kilobyte of memory per byte.
MAX_BYTES = 4_000_000
#: Notebooks hold their outputs, too, which nobody parses as Python.
MAX_BYTES_OF_NOTEBOOK = 50_000_000
NOTEBOOK = ".ipynb"

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#|$)")
_LINE_END = re.compile(rb"\r\n?|\n")
_NEWLINES = re.compile(r"\r\n?|\n")
_TESTING = re.compile(
    r"^\s*(?:import|from)[ \t]+(?:unittest|pytest|nose|numpy\.testing|numpy[ \t]+import[ \t]+testing)\b", re.MULTILINE
)
_A_TEST = re.compile(r"^\s*(?:def[ \t]+test|class[ \t]+\w+[ \t]*\([^)]*TestCase\b)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """The text of one file, and what turns text back into bytes: ``encode(text)`` gives the file's own bytes."""

    path: str
    text: str  #: without byte order mark; newlines as they are in the file
    newline: str = "\n"  #: the one that new lines should end with: the file's most frequent
    encoding: str = "utf-8"
    bom: bool = False
    in_notebook: bool = False  #: the text is the program of a notebook

    @property
    def compiler_flags(self) -> int:
        """With which Python compiles it: the cells of a notebook may ``await`` outside of functions."""
        return ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if self.in_notebook else 0

    @property
    def is_test(self) -> bool:
        """Whether it is a test by its text, whatever its name is: it imports what runs tests, and has some."""
        return bool(_TESTING.search(self.text) and _A_TEST.search(self.text))

    def encode(self, text: str) -> bytes:
        """``text`` as this file's bytes. Raises Problem for characters that the file's encoding lacks."""
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise Problem("TNP902", f"{error.object[error.start]!r} cannot be written in {self.encoding}") from None
        return codecs.BOM_UTF8 + data if self.bom else data


def decode(path: str, data: bytes) -> Source:
    """The source in a file's bytes, as Python itself would read it. Raises Problem (TNP902, TNP905)."""
    most = most_bytes(path)
    if len(data) > most:
        raise Problem("TNP905", f"{len(data) / 1e6:.1f} MB are more than np2tnp reads ({most / 1e6:.0f} MB)")
    bom = data.startswith(codecs.BOM_UTF8)
    body = data[len(codecs.BOM_UTF8) :] if bom else data
    if b"\0" in body:
        raise Problem("TNP902", "contains null bytes: not Python source", *_place(body, body.index(b"\0")))
    encoding, line = _declared_encoding(body)
    if bom and encoding != "utf-8":
        raise Problem("TNP902", f"has a UTF-8 byte order mark but declares {encoding}", line)
    try:
        text = body.decode(encoding)
        exact = text.encode(encoding) == body
    except UnicodeDecodeError as error:
        place = _place(body, error.start)
        raise Problem("TNP902", f"is not {encoding}: byte 0x{body[error.start]:02x}", *place) from None
    except LookupError:
        raise Problem("TNP902", f"declares the encoding {encoding}, which Python does not know", line) from None
    except ValueError as error:
        raise Problem("TNP902", f"is not {encoding}: {error}", line) from None
    if not exact:
        raise Problem("TNP902", f"does not survive decoding and encoding as {encoding}", line)
    return Source(path, text, _frequent_newline(text), encoding, bom)


def from_text(path: str, text: str) -> Source:
    """A source that is text already (standard input, tests)."""
    return Source(path, text, _frequent_newline(text))


def most_bytes(path: str) -> int:
    """How large a source of this name may be."""
    return MAX_BYTES_OF_NOTEBOOK if path.endswith(NOTEBOOK) else MAX_BYTES


def read_bytes(path: str, most: int | None = None) -> bytes:
    """A file's bytes, of which there may be `most`. Raises Problem (TNP904, TNP905)."""
    most = most_bytes(path) if most is None else most
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):  # opening a pipe would wait for somebody who writes into it
            raise Problem("TNP904", "is not a regular file")
        with open(path, "rb") as stream:
            data = stream.read(most + 1)  # some files, as those of /proc, are longer than they say
            if len(data) > most:
                size = f"{max(status.st_size, len(data)) / 1e6:.1f} MB"
                raise Problem("TNP905", f"{size} are more than np2tnp reads ({most / 1e6:.0f} MB)")
            return data
    except OSError as error:
        raise Problem("TNP904", f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a path with a null character
        raise Problem("TNP904", f"cannot be read: {error}") from None


def _declared_encoding(body: bytes) -> tuple[str, int]:
    """The encoding that PEP 263's comment names (normalised for UTF-8), and the comment's line."""
    lines = _LINE_END.split(body[:2000], 2)[:2]
    for number, line in enumerate(lines, 1):
        match = _COOKIE.match(line)
        if match:
            name = match.group(1).decode("ascii", "replace")
            plain = name.lower().replace("_", "-")
            return ("utf-8" if plain == "utf8" or plain.startswith("utf-8") else name), number
        if not _BLANK.match(line):
            break
    return "utf-8", 1


def _frequent_newline(text: str) -> str:
    if "\r" not in text:
        return "\n"
    found = _NEWLINES.findall(text)
    return max(("\n", "\r\n", "\r"), key=found.count)


def _place(body: bytes, offset: int) -> tuple[int, int]:
    before = body[:offset]
    return before.count(b"\n") + 1, offset - (before.rfind(b"\n") + 1) + 1
