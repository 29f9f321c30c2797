"""The source that a finding is about, for reports that show it or know findings by it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import replace
from typing import NamedTuple

from np2tnp.files.fingerprints import fingerprints
from np2tnp.files.notebooks import Notebook, is_notebook, read
from np2tnp.files.problems import Problem
from np2tnp.files.source import Source, decode, read_bytes
from np2tnp.model import FileReport, Finding, Run, Span, place_in


class Excerpt(NamedTuple):
    """One line without its indentation, in three parts."""

    before: str
    marked: str  #: what the finding is about: at least one character, unless the line ends there
    after: str


def text_of(path: str, run: Run) -> str | None:
    """The text of a file of the run, of a notebook its program; None where it cannot be read."""
    notebook = notebook_at(path, run)
    return notebook.program if notebook is not None else _text_in(path, run)


def notebook_at(path: str, run: Run) -> Notebook | None:
    """The notebook of the run that is there; None where that is none, or cannot be read."""
    if not is_notebook(path):
        return None
    text = _text_in(path, run)
    try:
        return read(Source(path, text)) if text is not None else None
    except Problem:
        return None


def _text_in(path: str, run: Run) -> str | None:
    if path in run.texts:
        return run.texts[path]
    try:
        return decode(path, read_bytes(path)).text
    except Problem:
        return None


def lines_of(path: str, run: Run) -> list[str] | None:
    """The lines of a file of the run as Python counts them; None where it cannot be read.

    Of a notebook: those of its program, as the user wrote them.
    """
    notebook = notebook_at(path, run)
    if notebook is not None:
        return notebook.lines
    text = text_of(path, run)
    return None if text is None else re.split(r"\r\n?|\n", text)


def as_in_file(finding: Finding, notebook: Notebook | None) -> Finding:
    """For those who know files only: a finding in a notebook with the lines of the JSON text, and its cell in words."""
    if notebook is None or finding.cell is None:
        return finding
    first, last = (notebook.line_in_file(line) for line in (finding.span.line, finding.span.end_line))
    lines = tuple(map(notebook.line_in_file, finding.lines))
    words = f"{finding.message} ({place_in(finding.cell, finding.span.line)})"
    return replace(finding, span=Span(first, 1, last, 1), lines=lines, message=words, cell=None)


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


def with_fingerprints(
    report: FileReport, run: Run, wanted: Container[int] | None = None
) -> Iterator[tuple[Finding, str]]:
    """The findings of a file (those with an id in `wanted`), and what each is known by: no two of a file by the same.

    The last number tells findings of equal code in functions of one name apart.
    """
    findings = [finding for finding in report.findings if wanted is None or id(finding) in wanted]
    text = text_of(report.path, run) if findings else None
    seen = Counter[str]()
    for finding, fingerprint in zip(findings, fingerprints(text or "", findings), strict=True):
        seen[fingerprint] += 1
        yield finding, f"{fingerprint}:{seen[fingerprint]}"
