"""For people at a terminal: findings by file, each with its source line, and what it all comes to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from np2tnp.config import Config
from np2tnp.files.problems import Problem
from np2tnp.files.source import decode, read_bytes
from np2tnp.model import Finding, Run, Safety, Verdict
from np2tnp.report.style import Style
from np2tnp.report.totals import is_clear, shown, totals

_COLOURS = {
    Verdict.CONVERT: "green",
    Verdict.ADAPT: "cyan",
    Verdict.HOST: "yellow",
    Verdict.BLOCK: "red",
    Verdict.NOTE: "blue",
}
_WIDEST = 160  #: longer source lines are not shown


def render(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """The whole report; empty with ``quiet`` when there is nothing to show."""
    style = Style(colour)
    gap = ""
    wanted = {id(finding) for finding in shown(run, config.verbose)}
    for report in run.reports:
        findings = [finding for finding in report.findings if id(finding) in wanted]
        if findings:
            lines = None if config.quiet else _lines(report.path, run)
            shown_blocks = "\n".join(_block(finding, lines, style) for finding in findings)
            yield f"{gap}{style(report.path, 'bold')}\n{shown_blocks}\n"
            gap = "\n"
    if not config.quiet:
        ending = totals(run)
        if is_clear(run):
            ending[-1] = style(ending[-1], "green")
        yield gap + "\n".join(ending) + "\n"


def _lines(path: str, run: Run) -> list[str] | None:
    text = run.texts.get(path)
    if text is None:
        try:
            text = decode(path, read_bytes(path)).text
        except Problem:
            return None
    return re.split(r"\r\n?|\n", text)


def _block(finding: Finding, lines: list[str] | None, style: Style) -> str:
    colour = _COLOURS[finding.verdict]
    place = f"{finding.span.line}:{finding.span.column}"
    unsafe = style(" (needs --unsafe)", "magenta") if finding.safety is Safety.UNSAFE else ""
    verdict = "error" if finding.code.startswith("TNP90") else finding.verdict.value
    head = (
        f"  {place:<8} {style(finding.code, 'bold', colour)} {style(f'{verdict:<7}', colour)} {finding.message}{unsafe}"
    )
    if lines is None or not 0 < finding.span.line <= len(lines):
        return head
    line = lines[finding.span.line - 1]
    if not line.strip() or len(line) > _WIDEST:
        return head
    code = line.lstrip()
    indent = len(line) - len(code)
    start = max(finding.span.column - 1 - indent, 0)
    last = finding.span.end_column - 1 - indent if finding.span.end_line == finding.span.line else len(code.rstrip())
    before, marked = code[:start], code[start : max(last, start + 1)]
    carets = style("^" * max(_width(marked.replace("\t", "")), 1), colour)
    bar = style("|", "dim")
    code = "".join(char if char.isprintable() else " " for char in code)
    return f"{head}\n           {bar} {code}\n           {bar} {' ' * _width(before)}{carets}"


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
