"""Why a file could not be worked on, as one exception that every layer above can turn into a finding."""

from __future__ import annotations

import os
from dataclasses import replace

from np2tnp.model import FileReport, Finding, RegionState, Span, Verdict

#: code → what it says in general; the message of a finding says it in particular.
ERROR_CODES = {
    "TNP901": "syntax error",
    "TNP902": "cannot be decoded",
    "TNP903": "Python 2",
    "TNP904": "cannot be read",
    "TNP905": "more than np2tnp can take",
    "TNP906": "analysis failed (a bug in np2tnp)",
    "TNP907": "rewrite failed its self-check (a bug in np2tnp)",
    "TNP908": "changed while it was being rewritten",
}


class Problem(Exception):  # noqa: N818 # it becomes a finding, not a traceback
    """A file that cannot be worked on: a code from ERROR_CODES, one line of text, and the place (1-based)."""

    def __init__(self, code: str, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(code, message, line, column)
        self.code = code
        self.message = message
        self.line = max(line, 1)
        self.column = max(column, 1)

    def __str__(self) -> str:
        return self.message


def report_problem(path: str, problem: Problem, report: FileReport | None = None) -> FileReport:
    """The report of a file that could not be worked on, or not to the end, when there is a ``report`` already:

    then nothing of it is migrated after all.
    """
    place = Span(problem.line, problem.column, problem.line, problem.column)
    finding = Finding(path, place, problem.code, problem.message, Verdict.BLOCK)
    report = report or FileReport(path)
    reason = f"{problem.code} line {problem.line}: {problem.message}"
    regions = tuple(
        replace(region, state=RegionState.BLOCKED, reasons=(reason,), converted=0)
        if region.state is RegionState.CONVERTIBLE
        else region
        for region in report.regions
    )
    findings = (*(replace(item, fixable=False) for item in report.findings), finding)
    ordered = tuple(sorted(findings, key=lambda item: item.sort_key))
    return replace(report, findings=ordered, regions=regions, new_text=None, error=problem.message)


def describe_bug(error: BaseException) -> str:
    """An exception of our own, with the place in our code that raised it, in one line for a report."""
    trace = error.__traceback__
    place = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if "np2tnp" in code.co_filename:
            place = f" in {os.path.basename(code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    words = " ".join(str(error).split())[:200]
    what = f"{type(error).__name__}{': ' + words if words else ''}{place}"
    return f"analysis failed: {what} (a bug in np2tnp: please report it)"
