"""Findings as services and editors read them: GitHub's annotations, SARIF, GitLab's Code Quality, rdjson, JUnit."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from np2tnp import __version__
from np2tnp.config import Config
from np2tnp.files.notebooks import is_notebook
from np2tnp.importing import upwards
from np2tnp.model import FileReport, Finding, RegionState, Run, Verdict
from np2tnp.report.excerpt import as_in_file, lines_of, notebook_at, with_fingerprints
from np2tnp.report.style import visible
from np2tnp.report.totals import is_failing, is_spared, shown, told, verdict_said

if TYPE_CHECKING:
    from np2tnp.rules import Doc

#: GitHub refuses files of SARIF with more.
MOST_RESULTS = 25_000
_MOST_RELATED = 100  #: places besides the first that GitHub reads of a result
_MARKS = (".git", ".hg")  #: of a repository's top
_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}
_RDJSON = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
#: What UTF-8 or XML cannot hold.
_UNWRITABLE = re.compile("[\ud800-\udfff\ufffe\uffff]")


def plain(text: str) -> str:
    """One line of text with all written out that a terminal obeys, or that UTF-8 or XML cannot hold."""
    return _UNWRITABLE.sub(lambda found: ascii(found[0])[1:-1], visible(text))


def level(finding: Finding, config: Config) -> str:
    """``error`` for what blocks a function, ``warning`` for more of it and what else fails, ``note`` for all else."""
    if finding.code.startswith("TNP90"):
        return "error"
    if is_spared(finding, config) and not is_failing(finding, config):
        return "note"
    if finding.decides and finding.verdict is Verdict.BLOCK:
        return "error"
    return "warning" if finding.verdict is Verdict.BLOCK or is_failing(finding, config) else "note"


def place(path: str) -> str:
    """A path from the top of the repository, with ``/``; absolute where it lies outside of it.

    The repository is that of the current directory, or else of the file; without one, the current directory counts.
    """
    folder, name = os.path.split(os.path.abspath(path))
    folder = os.path.realpath(folder)
    here = os.path.realpath(os.getcwd())
    real = os.path.join(folder, name)
    try:
        relative = os.path.relpath(real, _top(here) or _top(folder) or here)
    except ValueError:  # on another drive of Windows
        relative = os.pardir
    outside = relative.split(os.sep)[0] == os.pardir
    return (real if outside else relative).replace(os.sep, "/")


@cache
def _top(directory: str) -> str:
    """The top of the repository that a directory is in; empty where it is in none."""
    return next(
        (it for it in upwards(directory) if any(os.path.lexists(os.path.join(it, mark)) for mark in _MARKS)), ""
    )


# --- GitHub's workflow commands


def github(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """One command a finding, which GitHub shows as an annotation on a pull request."""
    wanted = {id(finding) for finding in shown(run, config)}
    for report in run.reports:
        findings = [finding for finding in report.findings if id(finding) in wanted]
        notebook = notebook_at(report.path, run) if findings else None
        own = config.of_file(report.path)
        yield from (_command(as_in_file(it, notebook), level(it, own) == "error") + "\n" for it in findings)


def _command(finding: Finding, is_error: bool) -> str:
    kind = "error" if is_error else "notice" if finding.verdict is Verdict.NOTE else "warning"
    span = finding.span
    properties = {
        "file": visible(finding.path).replace("\\", "/"),
        "line": span.line,
        "col": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
        "title": f"{finding.code} {verdict_said(finding)}",
    }
    if span.end_line != span.line or is_notebook(finding.path):
        del properties["endColumn"]  # columns are only understood within one line
        del properties["col"]
    listed = ",".join(f"{key}={_escape(str(value), ':,')}" for key, value in properties.items())
    return f"::{kind} {listed}::{_escape(visible(told(finding)))}"


def _escape(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


# --- SARIF


def sarif(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """SARIF 2.1.0 as GitHub takes it: all but calls that only become tnp's; the worst where they are too many."""
    visible_ones = {id(finding) for finding in shown(run, config)}
    levels = {
        id(finding): level(finding, own)
        for report in run.reports
        for own in (config.of_file(report.path),)
        for finding in report.findings
        if finding.verdict is not Verdict.CONVERT or id(finding) in visible_ones
    }
    order = tuple(_SEVERITIES)
    found = [finding for report in run.reports for finding in report.findings if id(finding) in levels]
    by_weight = sorted(found, key=lambda finding: order.index(levels[id(finding)]))
    kept = by_weight[:MOST_RESULTS]
    codes = sorted({finding.code for finding in kept})
    wanted = {id(finding) for finding in kept}
    notes = [("note", note) for note in (*run.notes, *run.skipped)]
    if len(by_weight) > len(kept):
        left = f"{len(by_weight) - len(kept):,} of {len(by_weight):,} findings are left out, notes first"
        notes.append(("warning", f"{left}: a file of SARIF may have {MOST_RESULTS:,} results"))
    head = {
        "tool": {"driver": {"name": "np2tnp", "version": __version__, "rules": _rules(codes)}},
        "invocations": [
            {
                "executionSuccessful": not run.summary.errors,
                "toolExecutionNotifications": [
                    {"level": word, "message": {"text": _message(note)}} for word, note in notes
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The top of the repository."}}},
    }
    yield '{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [\n'
    yield json.dumps(head, indent=1)[:-2]
    yield ',\n "results": '
    yield from _listed(
        _result(finding, level(finding, config.of_file(report.path)), codes.index(finding.code), fingerprint)
        for report in run.reports
        for finding, fingerprint in _in_files(report, run, wanted)
    )
    yield "}\n]}\n"


def _in_files(report: FileReport, run: Run, wanted: Container[int]) -> Iterator[tuple[Finding, str]]:
    """The wanted findings of a file, by the lines of the file, and what each is known by."""
    notebook = notebook_at(report.path, run) if report.cells else None
    return ((as_in_file(finding, notebook), known) for finding, known in with_fingerprints(report, run, wanted))


def _listed(documents: Iterable[object]) -> Iterator[str]:
    """The pieces of a JSON list, an item a line."""
    before = "["
    for document in documents:
        yield f"{before}\n{json.dumps(document)}"
        before = ","
    yield "[]" if before == "[" else "\n]"


def _rules(codes: Iterable[str]) -> list[object]:
    """The pages of the codes."""
    from np2tnp.rules import DOCS

    return [_rule(DOCS[code]) for code in codes]


def _rule(page: Doc) -> object:
    code = f"\n\n```python\n{page.bad.rstrip()}\n```" if page.bad else ""
    return {
        "id": page.code,
        "name": page.name,
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.why},
        "help": {
            "text": f"{page.why} What np2tnp does: {page.does} (np2tnp explain {page.code})",
            "markdown": f"{page.why}{code}\n\nWhat np2tnp does: {page.does}\n\n`np2tnp explain {page.code}`",
        },
    }


def _message(text: str) -> str:
    """Text of a message, in which SARIF sees no link."""
    return plain(text).replace("](", "] (")


def _result(finding: Finding, word: str, rule: int, fingerprint: str) -> object:
    span = finding.span
    region = {
        "startLine": span.line, "startColumn": span.column, "endLine": span.end_line, "endColumn": span.end_column,
    }  # fmt: skip
    if is_notebook(finding.path):
        region = {"startLine": span.line, "endLine": span.end_line}
    physical = {"artifactLocation": _artifact(finding.path), "region": region}
    location: dict[str, object] = {"physicalLocation": physical}
    if finding.region != "<module>":
        location["logicalLocations"] = [{"fullyQualifiedName": finding.region, "kind": "function"}]
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": word,
        "message": {"text": _message(told(finding))},
        "locations": [location],
        "partialFingerprints": {"np2tnp/v1": fingerprint},
        "properties": {"verdict": finding.verdict.value},
    }
    others = [line for line in finding.lines if line != span.line][:_MOST_RELATED]
    if others:
        result["relatedLocations"] = [
            {"physicalLocation": {"artifactLocation": _artifact(finding.path), "region": {"startLine": line}}}
            for line in others
        ]
    return result


def _artifact(path: str) -> dict[str, str]:
    from pathlib import Path
    from urllib.parse import quote

    found = place(path)
    if os.path.isabs(found):
        return {"uri": Path(found).as_uri()}
    return {"uri": quote(os.fsencode(found)), "uriBaseId": "%SRCROOT%"}


# --- GitLab and reviewdog


def gitlab(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """A report of GitLab's Code Quality: what the terminal shows, too."""
    wanted = {id(finding) for finding in shown(run, config)}
    yield from _listed(
        _issue(finding, level(finding, config.of_file(report.path)), fingerprint)
        for report in run.reports
        for finding, fingerprint in _in_files(report, run, wanted)
    )
    yield "\n"


def _issue(finding: Finding, word: str, fingerprint: str) -> object:
    path = place(finding.path)
    identity = f"{path}\0{fingerprint}".encode(errors="surrogatepass")  # has to be unique in the whole report
    return {
        "description": plain(told(finding)),
        "check_name": finding.code,
        "fingerprint": hashlib.sha256(identity).hexdigest()[:32],
        "severity": _SEVERITIES[word],
        "location": {"path": plain(path), "lines": {"begin": finding.span.line, "end": finding.span.end_line}},
    }


def rdjson(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """Diagnostics as reviewdog reads them: what the terminal shows, too."""
    yield '{"source": {"name": "np2tnp"}, "diagnostics": '
    wanted = {id(finding) for finding in shown(run, config)}
    yield from _listed(
        _diagnostic(as_in_file(finding, notebook), level(finding, config.of_file(report.path)), lines)
        for report in run.reports
        for notebook in (notebook_at(report.path, run) if report.cells else None,)
        for lines in ((lines_of(report.path, run) or []) if notebook is None else [],)
        for finding in report.findings
        if id(finding) in wanted
    )
    yield "}\n"


def _diagnostic(finding: Finding, word: str, lines: list[str]) -> object:
    span = finding.span
    start = {"line": span.line, "column": _bytes_before(lines, span.line, span.column) + 1}
    end = {"line": span.end_line, "column": _bytes_before(lines, span.end_line, span.end_column) + 1}
    if is_notebook(finding.path):
        start, end = {"line": span.line}, {"line": span.end_line}
    return {
        "message": plain(told(finding)),
        "location": {"path": plain(place(finding.path)), "range": {"start": start, "end": end}},
        "severity": _RDJSON[word],
        "code": {"value": finding.code},
    }


def _bytes_before(lines: list[str], line: int, column: int) -> int:
    """How many bytes of UTF-8 stand before a column: reviewdog counts these."""
    if not 0 < line <= len(lines):
        return column - 1
    return len(lines[line - 1][: column - 1].encode(errors="surrogatepass"))


# --- JUnit


def junit(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """A test suite a file, a test case a function: a failure is what fails the run, and kept functions are skipped."""
    wanted = {id(finding) for finding in shown(run, config)}
    suites = [suite for report in run.reports for suite in _suite(report, config.of_file(report.path), wanted)]
    amounts = sum((amount for amount, _ in suites), Counter[str]())
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="np2tnp" {_amounts(amounts)}>\n'
    yield from (text for _, text in suites)
    yield "</testsuites>\n"


def _amounts(amounts: Counter[str]) -> str:
    return " ".join(f'{word}="{amounts[word]}"' for word in ("tests", "failures", "errors"))


def _suite(report: FileReport, config: Config, wanted: set[int]) -> Iterator[tuple[Counter[str], str]]:
    """How many cases of a file end how, and the suite; nothing for a file without any."""
    cases: dict[str, list[Finding]] = {
        region.qualname: [] for region in report.regions if region.state is not RegionState.PLAIN
    }
    for finding in report.findings:
        if id(finding) in wanted or finding.decides:
            cases.setdefault(finding.region, []).append(finding)
    if not cases:
        return
    from xml.sax.saxutils import quoteattr

    name = quoteattr(plain(place(report.path)))
    ends = [_end(findings, config) for findings in cases.values()]
    amounts = Counter({"tests": len(cases)})
    amounts.update(word for word, _ in ends)
    lines = [f'  <testsuite name={name} {_amounts(amounts)} skipped="{amounts["skipped"]}">']
    for function, (_, inside) in zip(cases, ends, strict=True):
        head = f"    <testcase name={quoteattr(plain(function))} classname={name}"
        lines += [f"{head}>", f"      {inside}", "    </testcase>"] if inside else [f"{head}/>"]
    yield amounts, "\n".join([*lines, "  </testsuite>\n"])


def _end(findings: list[Finding], config: Config) -> tuple[str, str]:
    """How the case of a function ends (``errors``, ``failures``, ``skipped`` or ``passed``), and its element."""
    from xml.sax.saxutils import escape, quoteattr

    def lines(found: list[Finding]) -> str:
        return escape("\n".join(f"{it.place}: {it.code} {plain(told(it))}" for it in found))

    broken = [finding for finding in findings if finding.code.startswith("TNP90")]
    failing = broken or [finding for finding in findings if is_failing(finding, config)]
    if failing:
        element, amount = ("error", "errors") if broken else ("failure", "failures")
        words = f"type={quoteattr(failing[0].code)} message={quoteattr(plain(told(failing[0])))}"
        return amount, f"<{element} {words}>{lines(failing)}</{element}>"
    kept = next((finding for finding in findings if finding.decides), None)
    if kept is not None:
        return "skipped", f"<skipped message={quoteattr(plain(told(kept)))}/>"
    return "passed", f"<system-out>{lines(findings)}</system-out>" if findings else ""
