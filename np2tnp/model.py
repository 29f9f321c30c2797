"""The plain data that every layer exchanges: findings, regions and reports. Standard library only."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum


class Verdict(str, Enum):
    """What becomes of the place a finding points at."""

    CONVERT = "convert"  #: the same call exists in tnp and was measured equal
    ADAPT = "adapt"  #: needs a structural edit or an exact helper; np2tnp does it
    HOST = "host"  #: stays NumPy or Python; arrays are copied to the host and back
    BLOCK = "block"  #: cannot be migrated; the whole region stays as it is
    NOTE = "note"  #: cost or style only; never blocks


class Safety(str, Enum):
    """Whether the edit behind a finding needs evidence that the analysis does not have."""

    SAFE = "safe"
    UNSAFE = "unsafe"  #: only applied with ``--unsafe``; the message names the missing evidence


class RegionState(str, Enum):
    """The fate of one region."""

    CONVERTIBLE = "convertible"  #: rewritten whole by ``rewrite``
    KEPT = "kept"  #: stays NumPy: nothing to migrate in it, slower in TensorFlow (``--slow convert``), or not wanted
    BLOCKED = "blocked"  #: something in it cannot be migrated
    PLAIN = "plain"  #: no NumPy work in it
    MIGRATED = "migrated"  #: an earlier run rewrote it


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of a file. Lines and columns are 1-based; the end column is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """A cell of a notebook. Spans count the lines of the notebook's program: its code cells one below the other."""

    number: int  #: among all cells of the notebook, from 1
    above: int  #: lines of the program before the cell's first


#: Why a function is best left in NumPy, and of how many people are told so, in one line for each.
LEFT = ("loops", "objects", "masked", "units", "caught", "native", "little", "plots", "several", "unseen", "test")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth telling a person about one place. Holds no tree node and pickles."""

    path: str
    span: Span
    code: str
    message: str
    verdict: Verdict
    safety: Safety = Safety.SAFE
    region: str = "<module>"
    fixable: bool = False  #: ``rewrite`` with the same options changes this place
    decides: bool = False  #: the first reason why its function does not migrate
    left: str = ""  #: why it is best left in NumPy, where nobody can or need do much about it: one of `LEFT`
    then: str = ""  #: what stands in the way behind it: "TNP704 in line 12"
    lines: tuple[int, ...] = ()  #: of all places, where the function has the same finding more than once
    cell: Cell | None = None  #: of a notebook

    @property
    def line(self) -> int:
        """Its line in the file, or in its cell."""
        return line_in(self.cell, self.span.line)

    @property
    def place(self) -> str:
        """Where it is, for people: ``5:1``, or ``cell 3:5:1``."""
        return place_in(self.cell, self.span.line, self.span.column)

    @property
    def sort_key(self) -> tuple[str, Span, str, str]:
        return (self.path, self.span, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Callee:
    """What a callable of another library does with the arrays that it gets, as somebody wrote it down."""

    name: str  #: with its module: ``mylib.fast.solve``
    parameters: tuple[str, ...] = ()  #: in their order; they may be missing where the rest is empty
    changes: tuple[str, ...] = ()  #: parameters whose arrays it stores into
    keeps: tuple[str, ...] = ()  #: those that something holds on to when it is done
    gives: tuple[str, ...] = ()  #: those that its result is, holds or shows
    asked_by: str = ""  #: it changes and gives what it got only where this parameter is given


@dataclass(frozen=True, slots=True)
class Region:
    """One outermost function or method with all that is nested in it, or the module's top level."""

    qualname: str
    span: Span
    state: RegionState
    reasons: tuple[str, ...] = ()  #: for BLOCKED and KEPT: "CODE line: message"
    calls: int = 0  #: resolved NumPy calls, methods and operators on arrays in it
    converted: int = 0  #: how many of them ``rewrite`` turns into TensorFlow work
    float32: bool = False  #: ``rewrite`` makes it work in float32, which changes values
    cell: Cell | None = None  #: of a notebook

    @property
    def line(self) -> int:
        """Its first line in the file, or in its cell."""
        return line_in(self.cell, self.span.line)


@dataclass(frozen=True, slots=True)
class FileReport:
    """All that one file's analysis found out; what the cache stores."""

    path: str
    findings: tuple[Finding, ...] = ()
    regions: tuple[Region, ...] = ()
    new_text: str | None = None  #: the rewritten text, when it was asked for and differs
    error: str | None = None  #: one line; the file could not be analysed (also a 9xx finding)
    uses_numpy: bool = False
    unresolved: tuple[int, ...] = ()  #: lines that use something which may be NumPy but could not be resolved
    suppressed: int = 0  #: findings that a comment hides
    depends: tuple[tuple[str, str], ...] = ()  #: other files and directories (``/`` behind) that decided, with states
    cells: tuple[Cell, ...] = ()  #: of a notebook: those with Python in them
    language: str = ""  #: of a notebook whose kernel runs no Python, so that nobody looked at it

    def place(self, line: int) -> str:
        """A line of the file, for people: ``5``, or ``cell 3:5``."""
        return place_in(cell_of(self.cells, line), line)


def line_in(cell: Cell | None, line: int) -> int:
    """A line of a notebook's program as one of its cell; without a cell, the same."""
    return line - cell.above if cell is not None else line


def place_in(cell: Cell | None, line: int, *columns: int) -> str:
    """A place for people: ``5:1``, or ``cell 3:5:1``."""
    numbers = ":".join(map(str, (line_in(cell, line), *columns)))
    return f"cell {cell.number}:{numbers}" if cell is not None else numbers


def cell_of(cells: Sequence[Cell], line: int) -> Cell | None:
    """The cell that has this line of the program."""
    at = bisect_left(cells, line, key=lambda cell: cell.above) - 1
    return cells[at] if at >= 0 else None


def with_cells(report: FileReport, cells: tuple[Cell, ...]) -> FileReport:
    """The report of a notebook's program, with the cells that its findings and regions are in."""
    findings = tuple(replace(item, cell=cell_of(cells, item.span.line)) for item in report.findings)
    regions = tuple(replace(region, cell=cell_of(cells, region.span.line)) for region in report.regions)
    return replace(report, findings=findings, regions=regions, cells=cells)


@dataclass(frozen=True, slots=True)
class Summary:
    """Totals of one run."""

    files: int = 0
    files_with_numpy: int = 0
    errors: int = 0
    findings: dict[str, int] = field(default_factory=dict)  #: by verdict
    regions: dict[str, int] = field(default_factory=dict)  #: by state
    calls: int = 0
    calls_convertible: int = 0
    unresolved: int = 0  #: lines
    hidden: int = 0  #: findings that options, comments or a baseline hide
    known: int = 0  #: those of them that a baseline hides, or that an older revision had


@dataclass(frozen=True, slots=True)
class Change:
    """One file that ``rewrite`` changes (with ``--apply``: changed)."""

    path: str
    old_text: str
    new_text: str
    encoding: str = "utf-8"  #: of the file, and so of its diff
    bom: bool = False  #: the file starts with a byte order mark, which is no part of the texts


@dataclass(frozen=True, slots=True)
class Run:
    """What one command found out about all its files; what the reports are made from."""

    reports: tuple[FileReport, ...] = ()
    summary: Summary = field(default_factory=Summary)
    notes: tuple[str, ...] = ()  #: one line each: what else the user should know, such as a directory without Python
    skipped: tuple[str, ...] = ()  #: one line each: what was asked for and not looked at, such as notebooks
    changes: tuple[Change, ...] = ()  #: only from ``rewrite``
    texts: dict[str, str] = field(default_factory=dict)  #: sources that are in no file: standard input
