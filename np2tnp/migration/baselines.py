"""The findings that a project had when it began to look: a file of them, and what is new beside it."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from np2tnp import __version__, pipeline
from np2tnp.config import Config, ConfigError
from np2tnp.files.fingerprints import fingerprints
from np2tnp.files.problems import Problem
from np2tnp.files.source import read_bytes
from np2tnp.model import FileReport, Finding, Run, Verdict
from np2tnp.report.excerpt import text_of
from np2tnp.report.totals import count, is_failing

SCHEMA = 1
_MOST_BYTES = 200_000_000
_WIDTH = 100  #: of a line of code that is shown


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One finding that is known."""

    path: str  #: from the baseline's folder, with ``/``
    line: int  #: where it stood when it was written down: for people
    code: str
    function: str
    text: str  #: the line, for people
    fingerprint: str


def read(file: str) -> list[Entry]:
    """Its entries. Raises ConfigError."""
    try:
        document = json.loads(read_bytes(file, _MOST_BYTES))
    except Problem as problem:
        raise ConfigError(f"{file}: {problem}") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{file}: not a baseline: not valid JSON") from None
    if not isinstance(document, dict) or not isinstance(document.get("entries"), list):
        raise ConfigError(f"{file}: not a baseline of np2tnp")
    if document.get("schema") != SCHEMA:
        raise ConfigError(f"{file}: written by another version (schema {document.get('schema')}): create it anew")
    try:
        return [_entry(item) for item in document["entries"]]
    except (KeyError, TypeError, ValueError):
        raise ConfigError(f"{file}: not a baseline of np2tnp: an entry is broken") from None


def _entry(item: Mapping[str, Any]) -> Entry:
    found = Entry(**{name: item[name] for name in Entry.__slots__})
    if not isinstance(found.line, int) or not all(
        isinstance(it, str) for it in (found.path, found.code, found.function, found.text, found.fingerprint)
    ):
        raise ValueError
    return found


def write(file: str, entries: Iterable[Entry]) -> None:
    """Write it, in one step. Raises ConfigError."""
    document = {"schema": SCHEMA, "np2tnp": __version__, "entries": [asdict(entry) for entry in sorted(entries)]}
    part = f"{file}.part"
    try:
        with open(part, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
        os.replace(part, file)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror or error}") from None


def entries_of(path: str, findings: Sequence[Finding], text: str, folder: str) -> list[Entry]:
    """Findings of a file as entries of a baseline in `folder`; errors are none."""
    findings = [finding for finding in findings if not finding.code.startswith("TNP90")]
    lines = text.splitlines()
    path = relative(path, folder)
    return [
        Entry(
            path,
            finding.span.line,
            finding.code,
            finding.region,
            lines[finding.span.line - 1].strip()[:_WIDTH] if 0 < finding.span.line <= len(lines) else "",
            fingerprint,
        )
        for finding, fingerprint in zip(findings, fingerprints(text, findings), strict=True)
    ]


def is_recorded(finding: Finding, config: Config) -> bool:
    """Whether a baseline has it: what fails a run, now or once something before it is mended."""
    return finding.decides or finding.verdict is Verdict.BLOCK or is_failing(finding, config)


@dataclass(slots=True)
class Matching:
    """Entries that findings are looked up in; each stands for one finding."""

    left: dict[str, Counter[str]]  #: fingerprint → paths

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Matching:
        left: dict[str, Counter[str]] = defaultdict(Counter)
        for entry in entries:
            left[entry.fingerprint][entry.path] += 1
        return cls(left)

    def take(self, fingerprint: str, path: str) -> bool:
        """Whether there is an entry left for a finding, which is used up then."""
        paths = self.left.get(fingerprint)
        if not paths or not paths[path]:
            return False
        paths[path] -= 1
        return True

    def take_moved(self, fingerprint: str, is_open: Callable[[str], bool]) -> bool:
        """The same of a file that is gone, or was looked at and has the code no more: code moves between files."""
        path = next(
            (it for it, number in self.left.get(fingerprint, Counter()).items() if number and is_open(it)), None
        )
        return path is not None and self.take(fingerprint, path)


def match(found: Iterable[Entry], entries: Iterable[Entry], looked_at: set[str], folder: str) -> tuple[list[bool], int]:
    """For each of `found` whether it is among `entries`; and how many entries of the files looked at are left over."""
    known = list(entries)
    matching = Matching.of(known)
    items = list(found)
    answers = [matching.take(entry.fingerprint, entry.path) for entry in items]

    def is_open(path: str) -> bool:
        return path in looked_at or not os.path.exists(os.path.join(folder, path))

    for number, entry in enumerate(items):
        answers[number] = answers[number] or matching.take_moved(entry.fingerprint, is_open)
    over = sum(number for paths in matching.left.values() for path, number in paths.items() if number and is_open(path))
    return answers, over


def without_known(run: Run, config: Config) -> Run:
    """The run without the findings that the baseline of each file's configuration knows. Raises ConfigError."""
    groups: dict[str, list[FileReport]] = {}
    for report in run.reports:
        file = config.of_file(report.path).baseline_file()
        if file is not None:
            groups.setdefault(file, []).append(report)
    for file, reports in groups.items():
        entries, name = read(file), os.path.relpath(file)
        run, over = _without(run, reports, entries, os.path.dirname(os.path.abspath(file)), name)
        if over:
            many = "1 entry matches" if over == 1 else f"{over} entries match"
            run = replace(run, notes=(*run.notes, f"{name}: {many} nothing any more (np2tnp baseline update)"))
    return run


def without_old(run: Run, old: Run, rev: str) -> Run:
    """The run without the findings that the same files had before, as `old` saw them."""
    folder = os.getcwd()
    entries = [
        entry
        for report in old.reports
        for entry in entries_of(report.path, report.findings, text_of(report.path, old) or "", folder)
    ]
    return _without(run, list(run.reports), entries, folder, rev)[0]


def _without(run: Run, reports: list[FileReport], entries: list[Entry], folder: str, name: str) -> tuple[Run, int]:
    codes = {entry.code for entry in entries}
    looked_at = {relative(report.path, folder) for report in reports}
    found = [_pairs(report, run, folder, codes) for report in reports]
    answers, over = match([entry for pairs in found for _, entry in pairs], entries, looked_at, folder)
    left = iter(answers)
    dropped = {id(finding) for pairs in found for finding, _ in pairs if next(left)}
    if not dropped:
        return run, over
    kept = tuple(
        replace(report, findings=tuple(item for item in report.findings if id(item) not in dropped))
        for report in run.reports
    )
    summary = replace(
        pipeline.summarize(kept), hidden=run.summary.hidden + len(dropped), known=run.summary.known + len(dropped)
    )
    note = f"{count(len(dropped), 'finding')} known from {name} not shown"
    return replace(run, reports=kept, summary=summary, notes=(*run.notes, note)), over


def _pairs(report: FileReport, run: Run, folder: str, codes: set[str]) -> list[tuple[Finding, Entry]]:
    """The findings of a file that may be known, as entries."""
    findings = [it for it in report.findings if it.code in codes]
    if not findings:
        return []
    return list(zip(findings, entries_of(report.path, findings, text_of(report.path, run) or "", folder), strict=True))


def relative(path: str, folder: str) -> str:
    """A path as entries have it."""
    return os.path.relpath(os.path.realpath(path), os.path.realpath(folder)).replace(os.sep, "/")
