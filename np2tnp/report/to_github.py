"""Workflow commands that GitHub shows as annotations on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.config import Config
from np2tnp.model import Finding, Run, Verdict
from np2tnp.report.style import visible
from np2tnp.report.totals import shown, told


def render(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """One command a finding."""
    return (_command(finding) + "\n" for finding in shown(run, config))


def _command(finding: Finding) -> str:
    is_error = finding.code.startswith("TNP90") or (finding.decides and finding.verdict is Verdict.BLOCK)
    level = "error" if is_error else "notice" if finding.verdict is Verdict.NOTE else "warning"
    span = finding.span
    properties = {
        "file": visible(finding.path).replace("\\", "/"),
        "line": span.line,
        "col": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
        "title": f"{finding.code} {finding.verdict.value}",
    }
    if span.end_line != span.line:
        del properties["endColumn"]  # columns are only understood within one line
        del properties["col"]
    listed = ",".join(f"{key}={_escape(str(value), ':,')}" for key, value in properties.items())
    return f"::{level} {listed}::{_escape(visible(told(finding)))}"


def _escape(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text
