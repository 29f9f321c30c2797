"""How ready each function is: the table that ends a run of ``check``, as CSV and on the page."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields

from np2tnp.codes import EFFORTS, effort
from np2tnp.config import Config
from np2tnp.model import Region, RegionState, Run
from np2tnp.report.style import visible
from np2tnp.report.totals import NOTHING, count

#: The words for what becomes of a function, in the order in which they are counted.
STATES = {
    RegionState.MIGRATED: "migrated",
    RegionState.CONVERTIBLE: "migrates",
    RegionState.KEPT: "kept",
    RegionState.BLOCKED: "blocked",
}
#: What is said of a loop that somebody may write otherwise.
_BY_HAND = "write it on whole arrays"
_LARGEST_FIRST = (*EFFORTS, "minutes", "none")
_REASON = re.compile(r"(?P<code>TNP\d{3}) (?:cell \d+ )?line (?P<line>\d+): (?P<words>.*)", re.DOTALL)
_MOST_FUNCTIONS = 12  #: that are shown one by one on a terminal
_MOST_FILES = 8
_ALL = "--output-format csv has a line for each function"


@dataclass(frozen=True, slots=True)
class Function:
    """What becomes of one function with work of NumPy's in it, or of a module's top level."""

    file: str
    function: str
    line: int
    state: str
    code: str  #: of the first thing in the way; empty where nothing is
    code_line: int | None
    why: str
    effort: str  #: none, minutes, hours, redesign: what it takes to make it migrate
    calls: int
    converted: int
    cell: int | None = None  #: of a notebook; its lines are those of the cell


def rows(run: Run) -> Iterator[Function]:
    """All functions with work of NumPy's in them, by file and line."""
    for report in run.reports:
        for region in report.regions:
            if region.state is not RegionState.PLAIN:
                yield _row(report.path, region)


def worst_first(run: Run) -> list[Function]:
    """All of them, those with something in the way before the others, and by what that takes."""
    return sorted(rows(run), key=lambda row: (not row.code, _LARGEST_FIRST.index(row.effort)))


def _row(path: str, region: Region) -> Function:
    first = region.reasons[0] if region.reasons else NOTHING if region.state is RegionState.KEPT else ""
    told = _REASON.fullmatch(first)
    code, line, why = (told["code"], int(told["line"]), told["words"]) if told else ("", None, first)
    takes = effort(code) if code else "none"
    if takes == "redesign" and _BY_HAND in why:
        takes = "hours"
    return Function(
        path, region.qualname, region.line, STATES[region.state], code, line, why, takes, region.calls,
        region.converted, region.cell.number if region.cell is not None else None,
    )  # fmt: skip


def to_csv(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """The whole table, a line a function."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(item.name for item in fields(Function))
    for row in rows(run):
        writer.writerow(_cell(getattr(row, item.name)) for item in fields(Function))
        yield stream.getvalue()
        stream.seek(0)
        stream.truncate()
    yield stream.getvalue()


def _cell(value: object) -> object:
    """A value as CSV has it: without what a terminal obeys, or a spreadsheet computes."""
    if not isinstance(value, str):
        return "" if value is None else value
    return f"./{visible(value)}" if value.startswith(("=", "+", "-", "@")) else visible(value)  # of names of files only


def summary(run: Run, config: Config) -> list[str]:
    """The table as a terminal shows it: every function of a small run, of a larger one those that stay as they are
    (those of tests do, all of them), and of a large one the worst files.
    """
    functions = [row for row in rows(run) if row.function != "<module>"]
    if not functions:
        return []
    table: list[tuple[str, ...]]
    stay = [row for row in functions if row.code and not config.of_file(row.file).is_test(row.file)]
    if len(functions) <= _MOST_FUNCTIONS or 0 < len(stay) <= _MOST_FUNCTIONS:
        told = functions if len(functions) <= _MOST_FUNCTIONS else stay
        table = [("function", "state", "first in the way", "effort")]
        table += [(f"{row.file}:{_place(row)} {row.function}", row.state, _where(row), row.effort) for row in told]
        others = len(functions) - len(told)
        ending = [f"... and {count(others, 'more function')}; {_ALL}"] if others else []
        return [*_laid_out(table), *ending]
    by_file: dict[str, list[Function]] = {}
    for row in functions:
        by_file.setdefault(row.file, []).append(row)
    worst = sorted(by_file.items(), key=lambda item: (-sum(bool(row.code) for row in item[1]), item[0]))
    words = tuple(STATES.values())
    table = [("file", *words, "most in the way", "effort")]
    for path, found in worst[:_MOST_FILES]:
        states = Counter(row.state for row in found if row.why != NOTHING)
        codes = Counter(row.code for row in found if row.code).most_common(1)
        most = f"{codes[0][0]} in {codes[0][1]}" if codes else "-"
        table.append((path, *(str(states[word]) for word in words), most, _largest(found)))
    more = len(worst) - _MOST_FILES
    files = "1 more file" if more == 1 else f"{more} more files"
    rest = [f"... and {files}; {_ALL}"] if more > 0 else []
    return [*_laid_out(table), *rest]


def _place(row: Function) -> str:
    return str(row.line) if row.cell is None else f"cell {row.cell}:{row.line}"


def _where(row: Function) -> str:
    return f"{row.code} line {row.code_line}" if row.code else row.why or "-"


def _largest(found: list[Function]) -> str:
    return min((row.effort for row in found), key=_LARGEST_FIRST.index)


def _laid_out(table: list[tuple[str, ...]]) -> list[str]:
    shown = [[visible(cell) for cell in row] for row in table]
    columns = list(zip(*shown, strict=True))
    widths = [max(map(len, column)) for column in columns]
    places = [str.rjust if all(map(str.isdigit, column[1:])) else str.ljust for column in columns]
    return [
        "  ".join(place(cell, width) for place, cell, width in zip(places, row, widths, strict=True)).rstrip()
        for row in shown
    ]
