"""For scripts: one JSON object, or one a line for each finding. docs/check-schema.json describes both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from json.encoder import encode_basestring_ascii as quoted

from np2tnp import __version__
from np2tnp.codes import CODES
from np2tnp.config import Config
from np2tnp.model import Cell, FileReport, Finding, Region, Run, cell_of, line_in
from np2tnp.report.excerpt import with_fingerprints
from np2tnp.report.totals import NOTHING, is_idle, shown


def render(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """``version``, ``summary``, ``notes``, ``files`` and ``findings``; all findings, whatever ``-v`` says.

    As ``json.dumps(..., indent=2)`` writes it, in a fifth of its time and without a second copy of everything.
    """
    head = {"version": __version__, "summary": asdict(run.summary), "notes": run.notes, "skipped": run.skipped}
    yield json.dumps(head, indent=2)[:-2]
    yield ',\n  "files": '
    yield from _list(map(_file, run.reports), "  ")
    yield ',\n  "findings": '
    yield from _list(_findings(run, config), "  ")
    yield "\n}\n"


def render_lines(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """All findings as they are in ``findings`` of the whole, each in a line of its own."""
    for item in _findings(run, config):
        yield json.dumps(json.loads(item)) + "\n"


def _findings(run: Run, config: Config) -> Iterator[str]:
    wanted = {id(finding) for finding in shown(run, config)}
    for report in run.reports:
        for finding, fingerprint in with_fingerprints(report, run):
            yield _finding(finding, fingerprint, id(finding) in wanted)


def _list(items: Iterable[str], indent: str) -> Iterator[str]:
    """The pieces of a list of `items`, each of them written already; `indent` is that of the list's last line."""
    before = "["
    for item in items:
        yield f"{before}\n{indent}  {item}"
        before = ","
    yield "[]" if before == "[" else f"\n{indent}]"


def _finding(finding: Finding, fingerprint: str, is_shown: bool) -> str:
    span = finding.span
    lines = [line_in(finding.cell, line) for line in finding.lines or (span.line,)]
    return f"""{{
      "path": {quoted(finding.path)},{_cell(finding.cell, 6)}
      "line": {finding.line},
      "column": {span.column},
      "end_line": {line_in(finding.cell, span.end_line)},
      "end_column": {span.end_column},
      "code": {quoted(finding.code)},
      "rule": {quoted(CODES[finding.code])},
      "message": {quoted(finding.message)},
      "verdict": {quoted(finding.verdict.value)},
      "safety": {quoted(finding.safety.value)},
      "region": {quoted(finding.region)},
      "fixable": {_bool(finding.fixable)},
      "decides": {_bool(finding.decides)},
      "shown": {_bool(is_shown)},
      "lines": {"".join(_list(map(str, lines), "      "))},
      "fingerprint": {quoted(fingerprint)}
    }}"""


def _file(report: FileReport) -> str:
    lines = [line_in(cell_of(report.cells, line), line) for line in report.unresolved]
    return f"""{{
      "path": {quoted(report.path)},
      "uses_numpy": {_bool(report.uses_numpy)},
      "unresolved": {len(report.unresolved)},
      "unresolved_lines": {"".join(_list(map(str, lines), "      "))},{_unresolved_cells(report)}
      "error": {"null" if report.error is None else quoted(report.error)},
      "regions": {"".join(_list(map(_region, report.regions), "      "))}
    }}"""


def _region(region: Region) -> str:
    reasons = (NOTHING,) if is_idle(region) else region.reasons
    return f"""{{
          "qualname": {quoted(region.qualname)},{_cell(region.cell, 10)}
          "line": {region.line},
          "column": {region.span.column},
          "end_line": {line_in(region.cell, region.span.end_line)},
          "end_column": {region.span.end_column},
          "state": {quoted(region.state.value)},
          "reasons": {"".join(_list(map(quoted, reasons), "          "))},
          "calls": {region.calls},
          "converted": {region.converted},
          "float32": {_bool(region.float32)}
        }}"""


def _unresolved_cells(report: FileReport) -> str:
    """The member that tells the cells of the unresolved lines of a notebook."""
    if not report.cells:
        return ""
    cells = [cell_of(report.cells, line) for line in report.unresolved]
    numbers = [str(cell.number) for cell in cells if cell is not None]
    return f'\n      "unresolved_cells": {"".join(_list(numbers, "      "))},'


def _cell(cell: Cell | None, indent: int) -> str:
    """The member that tells the cell of a notebook."""
    return f'\n{" " * indent}"cell": {cell.number},' if cell is not None else ""


def _bool(value: bool) -> str:
    return "true" if value else "false"
