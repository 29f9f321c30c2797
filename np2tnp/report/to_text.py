"""Findings as text: by file with source lines and what it all comes to, for people; a line each, for editors, grep."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby

from np2tnp.config import Config
from np2tnp.model import Finding, Run, Safety, Verdict
from np2tnp.report.excerpt import excerpt, lines_of
from np2tnp.report.readiness import summary
from np2tnp.report.style import Style, visible
from np2tnp.report.totals import (
    UNKNOWN,
    clear_words,
    count,
    is_clear,
    needed,
    shown,
    told,
    totals,
    undecided_places,
    unresolved_places,
    verdict_said,
)

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
    wanted = {id(finding) for finding in shown(run, config)}
    for report in run.reports:
        findings = [finding for finding in report.findings if id(finding) in wanted]
        if findings:
            lines = None if config.quiet else lines_of(report.path, run)
            shown_blocks = "\n".join(_block(finding, lines, style) for finding in findings)
            yield f"{gap}{style(visible(report.path), 'bold')}\n{shown_blocks}\n"
            gap = "\n"
    if not config.quiet:
        table = summary(run, config)
        ending = [*table, *([""] if table else []), *map(visible, totals(run, config))]
        if is_clear(run):
            ending[-1] = style(ending[-1], "green")
        yield gap + "\n".join(ending) + "\n"


def _block(finding: Finding, lines: list[str] | None, style: Style) -> str:
    colour = _COLOURS[finding.verdict]
    unsafe = style(needed(finding), "magenta") if finding.safety is Safety.UNSAFE else ""
    words = (
        f"{style(finding.code, 'bold', colour)} {style(f'{verdict_said(finding):<7}', colour)} {visible(told(finding))}"
    )
    head = f"  {finding.place:<8} {words}{unsafe}"
    line = excerpt(finding.span, lines, _WIDEST)
    if line is None:
        return head
    carets = style("^" * max(_width(line.marked.replace("\t", "")), 1), colour)
    bar = style("|", "dim")
    code = "".join(char if char.isprintable() else " " for part in line for char in part)
    return f"{head}\n           {bar} {code}\n           {bar} {' ' * _width(line.before)}{carets}"


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def render_lines(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """``path:line:column: CODE message`` of each, and (without ``quiet``) a line that counts and what is unresolved."""
    style = Style(colour)
    for item in shown(run, config):
        place = f"{style(visible(item.path), 'bold')}:{item.place}"
        yield f"{place}: {style(item.code, 'red')} {visible(told(item))}\n"
    yield from _ending(run, config)


def render_by_file(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """The same under a heading for each file, without it in the lines."""
    style = Style(colour)
    for path, findings in groupby(shown(run, config), key=lambda item: item.path):
        yield f"{style(visible(path), 'bold')}:\n"
        for item in findings:
            yield f"  {item.place:<8} {style(item.code, 'red')} {visible(told(item))}\n"
        yield "\n"
    yield from _ending(run, config)


def _ending(run: Run, config: Config) -> Iterator[str]:
    if config.quiet:
        return
    summary = run.summary
    unresolved = f"{count(summary.unresolved, 'line')} unresolved ({unresolved_places(run)})"
    rest = f", {visible(unresolved)}" if summary.unresolved else ""
    undecided = len(undecided_places(run))
    rest += f", {count(undecided, 'function')} undecided ({UNKNOWN})" if undecided else ""
    hidden = summary.hidden - summary.known
    rest += f", {hidden} hidden by options or comments" if hidden else ""
    rest += f", {count(summary.errors, 'error')}" if summary.errors else ""
    yield from (visible(note) + "\n" for note in (*run.notes, *run.skipped))
    yield f"{clear_words(run)}\n" if is_clear(run) else f"{count(len(shown(run, config)), 'finding')}{rest}.\n"
