"""The source line that a finding is about, for reports that show it."""

from __future__ import annotations

import re
from typing import NamedTuple

from np2tnp.files.problems import Problem
from np2tnp.files.source import decode, read_bytes
from np2tnp.model import Run, Span


class Excerpt(NamedTuple):
    """One line without its indentation, in three parts."""

    before: str
    marked: str  #: what the finding is about: at least one character, unless the line ends there
    after: str


def lines_of(path: str, run: Run) -> list[str] | None:
    """The lines of a file of the run as Python counts them; None where it cannot be read."""
    text = run.texts.get(path)
    if text is None:
        try:
            text = decode(path, read_bytes(path)).text
        except Problem:
            return None
    return re.split(r"\r\n?|\n", text)


def excerpt(span: Span, lines: list[str] | None, widest: int) -> Excerpt | None:
    """The first line of `span`; None where there is none, or where it is empty or longer than `widest`."""
    if lines is None or not 0 < span.line <= len(lines):
        return None
    line = lines[span.line - 1]
    code = line.strip()
    if not code or len(line) > widest:
        return None
    indent = len(line) - len(line.lstrip())
    start = max(span.column - 1 - indent, 0)
    end = span.end_column - 1 - indent if span.end_line == span.line else len(code)
    end = max(end, start + 1)
    return Excerpt(code[:start], code[start:end], code[end:])
