"""What earlier runs found, in one SQLite file; anything wrong with it means: no cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from np2tnp.model import Cell, FileReport, Finding, Region, RegionState, Safety, Span, Verdict, with_cells

_SECONDS = 5.0  #: between two times that what is new is written
_SCHEMA = """
CREATE TABLE IF NOT EXISTS report (path TEXT PRIMARY KEY, run TEXT, stat TEXT, hash TEXT, data TEXT) WITHOUT ROWID
"""


def hash_bytes(data: bytes) -> str:
    """A short name for a file's content."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def stat_key(path: str) -> str:
    """What changes when a file does, without reading it; empty when it cannot be known."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def lasting_key(path: str, now: int | None = None) -> str:
    """As ``stat_key``; empty for a file that changed so lately that its next change may look the same.

    `now`: in nanoseconds. File systems keep times to within some milliseconds, or seconds.
    """
    key = stat_key(path)
    changed = max(map(int, key.split()[1:3]), default=0)
    return key if (time.time_ns() if now is None else now) - changed > 2_000_000_000 else ""


@dataclass(slots=True)
class Cache:
    """Reports by absolute path. A row counts only for the same ``run`` key: options, version and facts."""

    file: str
    run: str
    _rows: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    _new: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    _saved: float = field(default_factory=time.monotonic)

    @classmethod
    def open(cls, directory: str, run: str, paths: Iterable[str]) -> Cache:
        """The cache in ``directory`` with what it holds about ``paths``."""
        cache = cls(os.path.join(directory, "reports.sqlite"), run)
        if not os.path.isfile(cache.file) or cache._leads_elsewhere():
            return cache
        import sqlite3

        wanted = set(map(_key, paths))
        try:
            with contextlib.closing(sqlite3.connect(cache.file, timeout=2)) as connection:
                query = "SELECT path, stat, hash, data FROM report WHERE run = ?"
                if len(wanted) <= 500:
                    query += f" AND path IN ({','.join('?' * len(wanted))})"
                    rows = connection.execute(query, (run, *wanted)).fetchall()
                else:
                    rows = connection.execute(query, (run,)).fetchall()
            cache._rows = {str(path): (str(stat), str(digest), str(data)) for path, stat, digest, data in rows}
        except sqlite3.Error:
            with contextlib.suppress(OSError):
                os.unlink(cache.file)  # damaged, or of another make: begin again
        return cache

    def _leads_elsewhere(self) -> bool:
        """Whether links lead out of the directory: a project can bring them along, and we would write to their ends."""
        return os.path.islink(self.file) or os.path.islink(os.path.dirname(self.file))

    def find_unchanged(self, path: str) -> FileReport | None:
        """The report of a file that looks as it did (size, times, inode), without reading it."""
        row = self._rows.get(_key(path))
        if row is None or not row[0] or row[0] != stat_key(path):
            return None
        return _report_from(row[2], path)

    def find_same(self, path: str, digest: str, stat: str) -> FileReport | None:
        """The report of a file with this content; remembers its new looks."""
        key = _key(path)
        row = self._rows.get(key)
        if row is None or row[1] != digest:
            return None
        report = _report_from(row[2], path)
        if report is not None:
            self._new.append((key, self.run, stat, digest, row[2]))
        return report

    def add(self, report: FileReport, digest: str, stat: str) -> None:
        """Remembers a report. ``stat`` was taken before the file was read, so a later change shows."""
        data = json.dumps(_plain(report), separators=(",", ":"))
        self._new.append((_key(report.path), self.run, stat, digest, data))
        if time.monotonic() > self._saved + _SECONDS:  # a run that is killed has not been for nothing
            self.save()

    def save(self) -> None:
        """Writes what is new in one transaction; a run that cannot write goes without."""
        self._saved = time.monotonic()
        if not self._new or self._leads_elsewhere():
            return
        import sqlite3

        directory = os.path.dirname(self.file)
        try:
            if not os.path.isdir(directory):
                os.makedirs(directory)
                for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
                    with open(os.path.join(directory, name), "w", encoding="utf-8") as stream:
                        stream.write(text)
            with contextlib.closing(sqlite3.connect(self.file, timeout=2)) as connection, connection:
                connection.execute("PRAGMA synchronous = OFF")  # it can be made again
                connection.execute(_SCHEMA)
                connection.executemany("INSERT OR REPLACE INTO report VALUES (?, ?, ?, ?, ?)", self._new)
        except (OSError, sqlite3.Error):
            pass
        self._new.clear()


_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# This directory is np2tnp's cache; it may be deleted.\n"


def _plain(report: FileReport) -> dict[str, Any]:
    return {
        "findings": [
            [
                *_span(f.span),
                f.code,
                f.message,
                f.verdict.value,
                f.safety.value,
                f.region,
                f.fixable,
                f.decides,
                f.left,
                f.then,
            ]
            for f in report.findings
        ],
        "regions": [
            [*_span(r.span), r.qualname, r.state.value, list(r.reasons), r.calls, r.converted] for r in report.regions
        ],
        "uses_numpy": report.uses_numpy,
        "unresolved": report.unresolved,
        "suppressed": report.suppressed,
        "depends": report.depends,
        "cells": [[cell.number, cell.above] for cell in report.cells],
        "language": report.language,
    }


def _span(span: Span) -> tuple[int, int, int, int]:
    return (span.line, span.column, span.end_line, span.end_column)


def _key(path: str) -> str:
    """The absolute path as the database takes it: names need not be UTF-8."""
    return os.path.abspath(path).encode(errors="backslashreplace").decode()


def _report_from(data: str, path: str) -> FileReport | None:
    try:
        plain = json.loads(data)
        findings = tuple(
            Finding(path, Span(a, b, c, d), code, message, Verdict(verdict), Safety(safety), *rest)
            for a, b, c, d, code, message, verdict, safety, *rest in plain["findings"]
        )
        regions = tuple(
            Region(name, Span(a, b, c, d), RegionState(state), tuple(reasons), calls, converted)
            for a, b, c, d, name, state, reasons, calls, converted in plain["regions"]
        )
        report = FileReport(
            path,
            findings,
            regions,
            uses_numpy=plain["uses_numpy"],
            unresolved=tuple(plain["unresolved"]),
            suppressed=plain["suppressed"],
            depends=tuple((place, state) for place, state in plain["depends"]),
            language=plain["language"],
        )
        cells = tuple(Cell(number, above) for number, above in plain["cells"])
        return with_cells(report, cells) if cells else report
    except (ValueError, KeyError, TypeError):
        return None
