"""Jupyter notebooks as one program each: its text, which lines of it are whose cell's, and edits put back into cells.

The program is the code cells one below the other, in the percent format: a comment ``# %%`` with its number stands
before each. The engine sees nothing but this text. What a rewrite changes goes back into the strings of the
JSON text where they stand; all else of the file, its layout and its outputs, stays byte for byte as it is.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from np2tnp.files import syntax
from np2tnp.files.magics import Pieces, is_python, without_magics
from np2tnp.files.problems import Problem
from np2tnp.files.source import MAX_BYTES, NOTEBOOK, Source
from np2tnp.model import Cell, FileReport, Finding, Verdict, cell_of, with_cells

_NEWLINE = re.compile(r"\r\n?|\n")
_BLANK = re.compile(r"[ \t\n\r]*")
#: Of the heads of cells, and of what stands for magics; longer where a notebook has the word.
_MARK = "np2tnp_magic"
_LINE = re.compile(r"\bline (\d+)\b(?! of )")  # not of other files
_ESCAPED = re.compile(r"\\u(?!00[0-7])")
_FORMAT = 4
_DECODER = json.JSONDecoder()


def is_notebook(path: str) -> bool:
    """Whether a file of this name is one."""
    return path.endswith(NOTEBOOK)


@dataclass(slots=True)
class _Value:
    """A string, or a list of strings, in the JSON text: the text of a cell."""

    start: int
    end: int
    text: str
    items: list[tuple[int, int, str]] | None  #: of a list: where each string stands, and what it says


@dataclass(slots=True)
class _CodeCell:
    number: int
    value: _Value
    python: str  #: the text, with other statements for what is not Python


@dataclass
class Notebook:
    """A notebook that could be read. `source` is the file's own text, which is JSON."""

    source: Source
    language: str  #: "python", or what else its kernel runs
    cells: list[_CodeCell]
    pieces: Pieces
    program: str = ""
    places: tuple[Cell, ...] = ()
    _separator: str = ""
    _starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        lines, parts, places = 0, [], []
        for cell in self.cells:
            parts.append(f"{self._head(cell)}{cell.python}\n")
            places.append(Cell(cell.number, lines + 3))
            lines += 3 + len(_NEWLINE.findall(cell.python)) + 1
        self.program, self.places = "".join(parts), tuple(places)
        self._starts = [place.above for place in places]

    def _head(self, cell: _CodeCell) -> str:
        return f"\n# %% {self.pieces.mark} [{cell.number}]\n\n"

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the program as the user wrote them: with magics."""
        return [
            line for cell in self.cells for line in [*_NEWLINE.split(self._head(cell))[:-1], *_split(cell.value.text)]
        ]

    def require_python(self) -> None:
        """Raises Problem for the first cell that does not parse by itself; its line is that of the program."""
        for cell, place in zip(self.cells, self.places, strict=True):
            if not is_python(cell.python):
                if "\0" in cell.python:
                    raise Problem("TNP902", "contains null bytes: not Python source", place.above + 1)
                try:
                    cell.python.encode()
                except UnicodeEncodeError:
                    words = "contains half of a surrogate pair: not Python source"
                    raise Problem("TNP902", words, place.above + 1) from None
                wrong = syntax.explain(cell.python)
                most = len(_split(cell.python))
                raise Problem(wrong.code, wrong.message, place.above + min(wrong.line, most), wrong.column)

    def is_magic(self, line: int) -> bool:
        """Whether a line of the program stands for something else than Python."""
        return 0 < line <= len(self._of_magic) and self._of_magic[line - 1]

    @cached_property
    def _of_magic(self) -> list[bool]:
        found = []
        for line, shown in zip(_NEWLINE.split(self.program), [*self.lines, ""], strict=True):
            found.append(line != shown)
        return found

    def line_in_file(self, line: int) -> int:
        """The line of the JSON text that has a line of the program."""
        at = bisect_right(self._starts, line - 1) - 1
        if at < 0:
            return 1
        value, wanted = self.cells[at].value, line - self._starts[at]
        offset = value.start
        for start, _, text in value.items or ():
            if wanted < 1:
                break
            offset = start
            wanted -= len(_NEWLINE.findall(text)) or 1
        return self.source.text.count("\n", 0, offset) + 1

    def with_program(self, text: str) -> str:
        """The file's text with the cells as they are in another text of the program. Raises Problem (TNP907)."""
        heads = [self._head(cell) for cell in self.cells]
        starts = [text.find(head) for head in heads]
        is_whole = starts == sorted(starts) and starts[:1] in ([], [0]) and text.endswith("\n" if heads else "")
        if not is_whole or any(text.count(head) != 1 for head in heads):
            raise Problem("TNP907", "the rewritten text does not fall into the cells of the notebook")
        parts: list[str] = []
        at = 0
        ends = [*starts[1:], len(text)]
        for cell, head, start, end in zip(self.cells, heads, starts, ends, strict=False):
            python = text[start + len(head) : end].removesuffix("\n")
            if python == cell.python:
                continue
            restored = self.pieces.restored(python)
            if restored is None:
                raise Problem("TNP907", "the rewritten text has lost a magic of the notebook")
            parts += [self.source.text[at : cell.value.start], self._written(cell.value, restored)]
            at = cell.value.end
        return "".join([*parts, self.source.text[at:]])

    def _written(self, value: _Value, text: str) -> str:
        """A cell's text as JSON, in the manner of the file, with the strings that stay as they are written."""
        if value.items is None:
            return self._quoted(text)
        raw = self.source.text
        known = {item: raw[start:end] for start, end, item in reversed(value.items)}
        first, last = value.items[0], value.items[-1]
        lead, tail = raw[value.start + 1 : first[0]], raw[last[1] : value.end - 1]
        between = raw[first[1] : value.items[1][0]] if len(value.items) > 1 else self._separator or f",{lead or ' '}"
        lines = re.findall(r"[^\n]*\n|[^\n]+", text)
        return f"[{lead}{between.join(known.get(line) or self._quoted(line) for line in lines)}{tail}]"

    def _quoted(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=self._is_escaped)

    @cached_property
    def _is_escaped(self) -> bool:
        """Whether the file writes letters that are not ASCII as escapes."""
        return self.source.text.isascii() and _ESCAPED.search(self.source.text) is not None


def read(source: Source) -> Notebook:
    """The notebook in a file's text. Raises Problem (TNP902, TNP905) for what is none."""
    try:
        root, cells = _document(source.text)
    except json.JSONDecodeError as error:
        raise Problem("TNP902", f"is not a notebook: not JSON: {error.msg}", error.lineno, error.colno) from None
    except (ValueError, RecursionError) as error:
        raise Problem("TNP902", f"is not a notebook: not JSON: {error}") from None
    version = root.get("nbformat")
    if not isinstance(version, int) or isinstance(version, bool):
        raise Problem("TNP902", "is not a notebook: it does not say its `nbformat`")
    if version != _FORMAT:
        more = ": `jupyter nbconvert --to notebook --inplace` brings it up to date" if version < _FORMAT else ""
        raise Problem("TNP902", f"is a notebook of format {version}; np2tnp reads format {_FORMAT}{more}")
    if cells is None:
        raise Problem("TNP902", "is not a notebook: it has no list of `cells`")
    language = _language(root.get("metadata"))
    found = list(_code_cells(cells)) if language == "python" else []
    mark = _MARK
    while any(mark in value.text for _, value in found):
        mark += "_"
    pieces = Pieces(mark)
    made = [_CodeCell(number, value, without_magics(value.text, pieces)) for number, value in found]
    separator = next((_between(source.text, value) for _, value in found if value.items and value.items[1:]), "")
    notebook = Notebook(source, language, made, pieces, _separator=separator)
    if len(notebook.program) > MAX_BYTES:
        words = f"has {len(notebook.program) / 1e6:.1f} MB of code, more than np2tnp reads ({MAX_BYTES / 1e6:.0f} MB)"
        raise Problem("TNP905", words)
    return notebook


def in_cells(report: FileReport, notebook: Notebook) -> FileReport:
    """A report of the program as one of the notebook: with cells, and without what is said of magics in passing."""

    def told(text: str, inside: Cell | None) -> str:
        """`text` with lines of cells."""

        def line(found: re.Match[str]) -> str:
            cell = cell_of(notebook.places, int(found[1]))
            if cell is None:
                return found[0]
            words = f"line {int(found[1]) - cell.above}"
            return words if cell == inside else f"cell {cell.number} {words}"

        return _LINE.sub(line, text)

    report = with_cells(report, notebook.places)
    findings = [_of_notebook(item, notebook) for item in report.findings if not _is_in_passing(item, notebook)]
    findings = [
        item
        if item.code.startswith("TNP90")
        else replace(item, message=told(item.message, item.cell), then=told(item.then, item.cell))
        for item in findings
    ]
    first = {item.region: item for item in findings if item.decides}
    regions = []
    for region in report.regions:
        reasons = tuple(told(reason, region.cell) for reason in region.reasons)
        if reasons and region.qualname in first:
            head = reasons[0].partition(": ")[0]
            reasons = (f"{head}: {first[region.qualname].message}", *reasons[1:])
        regions.append(replace(region, reasons=reasons))
    unresolved = tuple(line for line in report.unresolved if not notebook.is_magic(line))
    return replace(report, findings=tuple(findings), regions=tuple(regions), unresolved=unresolved)


def _is_in_passing(finding: Finding, notebook: Notebook) -> bool:
    """Whether it only says that nobody knows what a magic does."""
    is_about_magic = notebook.is_magic(finding.span.line) and not finding.code.startswith("TNP9")
    return is_about_magic and not finding.decides and finding.verdict is not Verdict.BLOCK


def _of_notebook(finding: Finding, notebook: Notebook) -> Finding:
    """A finding in the words of what stands in the cell."""
    if finding.code != "TNP206" or not notebook.is_magic(finding.span.line):
        return finding
    line = notebook.lines[finding.span.line - 1]
    code = line.strip()
    span = replace(finding.span, column=len(line) - len(line.lstrip()) + 1, end_line=finding.span.line)
    span = replace(span, end_column=span.column + len(code))
    return replace(finding, span=span, message=f"`{code[:40]}` may read the function's names, which would hold tensors")


def _split(text: str) -> list[str]:
    return _NEWLINE.split(text)


def _between(raw: str, value: _Value) -> str:
    items = value.items or []
    return raw[items[0][1] : items[1][0]]


def _language(metadata: Any) -> str:
    """What the kernel of a notebook runs: Python where nobody says anything else."""
    metadata = metadata if isinstance(metadata, dict) else {}
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        table = metadata.get(key)
        said = table.get(name) if isinstance(table, dict) else None
        if isinstance(said, str) and said:
            return "python" if said.lower() in ("python", "ipython") else said
    return "python"


def _code_cells(cells: list[tuple[dict[str, Any], _Value | None]]) -> Iterator[tuple[int, _Value]]:
    """The cells with Python in them, by their numbers among all cells. Raises Problem."""
    for number, (members, value) in enumerate(cells, 1):
        if members.get("cell_type") != "code":
            continue
        if value is None:
            raise Problem("TNP902", f"is not a notebook: cell {number} has no text")
        metadata = members.get("metadata")
        editor = metadata.get("vscode") if isinstance(metadata, dict) else None
        language = editor.get("languageId", "python") if isinstance(editor, dict) else "python"
        if language == "python" and value.text.strip():
            yield number, value


# --- The JSON text, with the places of what may change


def _document(text: str) -> tuple[dict[str, Any], list[tuple[dict[str, Any], _Value | None]] | None]:
    """The members of the notebook but its cells, and these. Raises ValueError, of which JSONDecodeError is one."""
    root: dict[str, Any] = {}
    cells: list[tuple[dict[str, Any], _Value | None]] | None = None
    json_text = _Reader(text)
    if json_text.peek() != "{":
        json_text.value()
        raise ValueError("its top is no object")
    for key in json_text.members():
        if key == "cells" and json_text.peek() == "[":
            cells = [_cell(json_text) for _ in json_text.items()]
        else:
            root[key] = json_text.value()
    if json_text.peek():
        raise json.JSONDecodeError("Extra data", text, json_text.at)
    return root, cells


def _cell(json_text: _Reader) -> tuple[dict[str, Any], _Value | None]:
    """The members of one cell but its outputs, and its text."""
    members: dict[str, Any] = {}
    source: _Value | None = None
    if json_text.peek() != "{":
        json_text.value()
        return {}, None
    for key in json_text.members():
        if key == "source":
            source = _source(json_text)
        else:
            value = json_text.value()
            if key != "outputs":
                members[key] = value
    return members, source


def _source(json_text: _Reader) -> _Value | None:
    """A cell's text, in either form; None for what is none."""
    json_text.peek()
    start = json_text.at
    if json_text.peek() != "[":
        value = json_text.value()
        return _Value(start, json_text.at, value, None) if isinstance(value, str) else None
    items: list[tuple[int, int, str]] = []
    is_text = True
    for _ in json_text.items():
        json_text.peek()
        first = json_text.at
        value = json_text.value()
        is_text = is_text and isinstance(value, str)
        items.append((first, json_text.at, value))
    return _Value(start, json_text.at, "".join(item[2] for item in items), items) if is_text else None


class _Reader:
    """Reads JSON from left to right, and knows where it is: values by Python's own decoder."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank is not None else self.at
        return self.text[self.at : self.at + 1]

    def value(self) -> Any:
        """The next value, whole."""
        self.peek()
        found, self.at = _DECODER.raw_decode(self.text, self.at)
        return found

    def members(self) -> Iterator[str]:
        """The keys of the object that begins here; the caller reads the value of each."""
        self._take("{")
        if self.peek() == "}":
            self._take("}")
            return
        while True:
            if self.peek() != '"':
                raise json.JSONDecodeError("Expecting a name in double quotes", self.text, self.at)
            key = self.value()
            self._take(":")
            yield key
            if self._take(",}") == "}":
                return

    def items(self) -> Iterator[None]:
        """A step for each item of the list that begins here; the caller reads it."""
        self._take("[")
        if self.peek() == "]":
            self._take("]")
            return
        while True:
            yield
            if self._take(",]") == "]":
                return

    def _take(self, wanted: str) -> str:
        found = self.peek()
        if not found or found not in wanted:
            raise json.JSONDecodeError(f"Expecting {' or '.join(wanted)}", self.text, self.at)
        self.at += 1
        return found
