"""For scripts: one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from json.encoder import encode_basestring_ascii as quoted

from np2tnp import __version__
from np2tnp.config import Config
from np2tnp.model import FileReport, Finding, Region, Run


def render(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """``version``, ``summary``, ``notes``, ``files`` and ``findings``; all findings, whatever ``-v`` says.

    As ``json.dumps(..., indent=2)`` writes it, in a fifth of its time and without a second copy of everything.
    """
    head = {"version": __version__, "summary": asdict(run.summary), "notes": run.notes, "skipped": run.skipped}
    yield json.dumps(head, indent=2)[:-2]
    yield ',\n  "files": '
    yield from _list(map(_file, run.reports), "  ")
    yield ',\n  "findings": '
    yield from _list((_finding(finding) for report in run.reports for finding in report.findings), "  ")
    yield "\n}\n"


def _list(items: Iterable[str], indent: str) -> Iterator[str]:
    """The pieces of a list of `items`, each of them written already; `indent` is that of the list's last line."""
    before = "["
    for item in items:
        yield f"{before}\n{indent}  {item}"
        before = ","
    yield "[]" if before == "[" else f"\n{indent}]"


def _finding(finding: Finding) -> str:
    span = finding.span
    return f"""{{
      "path": {quoted(finding.path)},
      "line": {span.line},
      "column": {span.column},
      "end_line": {span.end_line},
      "end_column": {span.end_column},
      "code": {quoted(finding.code)},
      "message": {quoted(finding.message)},
      "verdict": {quoted(finding.verdict.value)},
      "safety": {quoted(finding.safety.value)},
      "region": {quoted(finding.region)},
      "fixable": {_bool(finding.fixable)},
      "decides": {_bool(finding.decides)},
      "lines": {"".join(_list(map(str, finding.lines or (span.line,)), "      "))}
    }}"""


def _file(report: FileReport) -> str:
    return f"""{{
      "path": {quoted(report.path)},
      "uses_numpy": {_bool(report.uses_numpy)},
      "unresolved": {len(report.unresolved)},
      "unresolved_lines": {"".join(_list(map(str, report.unresolved), "      "))},
      "error": {"null" if report.error is None else quoted(report.error)},
      "regions": {"".join(_list(map(_region, report.regions), "      "))}
    }}"""


def _region(region: Region) -> str:
    return f"""{{
          "qualname": {quoted(region.qualname)},
          "line": {region.span.line},
          "column": {region.span.column},
          "end_line": {region.span.end_line},
          "end_column": {region.span.end_column},
          "state": {quoted(region.state.value)},
          "reasons": {"".join(_list(map(quoted, region.reasons), "          "))},
          "calls": {region.calls},
          "converted": {region.converted},
          "float32": {_bool(region.float32)}
        }}"""


def _bool(value: bool) -> str:
    return "true" if value else "false"
