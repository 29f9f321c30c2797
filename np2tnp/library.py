"""``np2tnp.check`` and ``np2tnp.rewrite``: what programs call, which get plain data in place of printed reports."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from np2tnp import pipeline
from np2tnp.config import Config, ConfigError, load, validated
from np2tnp.migration import baselines
from np2tnp.model import Cell, Change, Finding, RegionState, Run
from np2tnp.report import readiness
from np2tnp.report.readiness import Function
from np2tnp.report.totals import function_states

Path: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Counts:
    """What a run comes to."""

    files: int
    files_with_numpy: int
    errors: int  #: files that could not be worked on; their findings are TNP90x
    findings: int
    migrates: int  #: functions
    migrated: int  #: functions, by an earlier run
    kept: int  #: functions, of which something could be migrated
    blocked: int  #: functions
    calls: int  #: of NumPy's functions and methods, and operators on arrays
    calls_convertible: int
    unresolved: int  #: lines that may use NumPy in a way that could not be resolved
    hidden: int  #: findings that options, comments or a baseline hide


@dataclass(frozen=True, slots=True)
class Report:
    """What was found out about some files. All of it is plain data that does not change, compares and pickles."""

    files: tuple[str, ...]  #: that were looked at, or could not be
    findings: tuple[Finding, ...]  #: all of them, as ``check --output-format json`` has them
    functions: tuple[Function, ...]  #: those with work of NumPy's in them, as ``check --output-format csv`` has them
    counts: Counts
    changes: tuple[Change, ...] = ()  #: the texts of the files that ``rewrite`` changes
    notes: tuple[str, ...] = ()  #: one line each: what else is worth knowing
    skipped: tuple[str, ...] = ()  #: one line each: what was not looked at


def check(paths: Path | Iterable[Path], config: Mapping[str, object] | None = None) -> Report:
    """What ``np2tnp check`` finds at these files and directories.

    config: settings by their names in a configuration file; they win over the files, which count here, too.
    Raises ValueError for settings that cannot be followed. What is in a file never raises: it is a finding.
    """
    with _mistakes_as_value_errors():
        given = _listed(paths)
        options = _options(given, config)
        found = baselines.without_known(pipeline.check(given, options), options)
        return _report(pipeline.fold_repeats(found))


def rewrite(paths: Path | Iterable[Path], config: Mapping[str, object] | None = None, apply: bool = False) -> Report:
    """What ``np2tnp rewrite`` would change; with `apply` it is written: all files, or none if the process is killed.

    As ``check``; and raises RuntimeError where another run works, or was killed and left files changed
    (``np2tnp rewrite --recover`` puts them back).
    """
    with _mistakes_as_value_errors():
        from np2tnp.commands.rewrite import back_up, write_plan
        from np2tnp.migration import journal, transaction

        given = _listed(paths)
        options = _options(given, config)
        for name in ("select", "extend_select", "ignore"):
            if name in {key.replace("-", "_") for key in config or ()}:
                raise ValueError(f"config: {name}: is for check: a function changes whole or not at all")
        try:
            left = journal.state_left(options.root)
        except ConfigError as error:  # another run is at it
            left = str(error)
        if left:
            raise RuntimeError(left)
        made = pipeline.plan(pipeline.read(given, options), options)
        if not apply:
            return _report(pipeline.fold_repeats(made.run))
        try:
            with transaction.uninterrupted():
                done = write_plan(made, options, lambda plan, writer: back_up(plan, writer, None))
        except ConfigError as error:  # the originals cannot be kept elsewhere meanwhile
            raise RuntimeError(str(error)) from None
        return _report(pipeline.fold_repeats(done))


@contextmanager
def _mistakes_as_value_errors() -> Iterator[None]:
    try:
        yield
    except ConfigError as error:
        raise ValueError(str(error)) from None


def _listed(paths: Path | Iterable[Path]) -> list[str]:
    """`paths` as texts: a single one is one path, not its letters."""
    return [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def _options(paths: list[str], config: Mapping[str, object] | None) -> Config:
    if config is not None and not (isinstance(config, Mapping) and all(isinstance(key, str) for key in config)):
        raise ValueError(f"config: expected a mapping of settings, got {type(config).__name__}")
    settings = dict(config or {})
    validated(settings, "config")
    return load(paths, settings)


def _by_cell(finding: Finding) -> Finding:
    """A finding in a notebook with the lines of its cell."""
    cell, span = finding.cell, finding.span
    if cell is None:
        return finding
    span = replace(span, line=span.line - cell.above, end_line=span.end_line - cell.above)
    return replace(
        finding, span=span, lines=tuple(line - cell.above for line in finding.lines), cell=Cell(cell.number, 0)
    )


def _report(run: Run) -> Report:
    states, summary = function_states(run), run.summary
    findings = tuple(_by_cell(finding) for report in run.reports for finding in report.findings)
    counts = Counts(
        files=summary.files,
        files_with_numpy=summary.files_with_numpy,
        errors=summary.errors,
        findings=len(findings),
        migrates=states[RegionState.CONVERTIBLE],
        migrated=states[RegionState.MIGRATED],
        kept=states[RegionState.KEPT],
        blocked=states[RegionState.BLOCKED],
        calls=summary.calls,
        calls_convertible=summary.calls_convertible,
        unresolved=summary.unresolved,
        hidden=summary.hidden,
    )
    return Report(
        files=tuple(report.path for report in run.reports),
        findings=findings,
        functions=tuple(readiness.rows(run)),
        counts=counts,
        changes=run.changes,
        notes=run.notes,
        skipped=run.skipped,
    )
