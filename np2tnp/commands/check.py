"""``np2tnp check``: look at the files, report what was found, and say by the exit status whether that fails."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from np2tnp import options, pipeline
from np2tnp.config import CHOICES, DEFAULT_BASELINE, Config, ConfigError, state_folder
from np2tnp.model import Finding, Run, place_in
from np2tnp.report.progress import Progress
from np2tnp.report.totals import is_failing
from np2tnp.terminal import CLEAN, ERROR, FOUND, print_exactly, say

if TYPE_CHECKING:
    from np2tnp.files.source import Source

#: Output format → the module and its function that writes it.
_FORMATS = {
    "text": ("np2tnp.report.to_text", "render"),
    "full": ("np2tnp.report.to_text", "render"),
    "concise": ("np2tnp.report.to_text", "render_lines"),
    "grouped": ("np2tnp.report.to_text", "render_by_file"),
    "json": ("np2tnp.report.to_json", "render"),
    "json-lines": ("np2tnp.report.to_json", "render_lines"),
    "csv": ("np2tnp.report.readiness", "to_csv"),
    "github": ("np2tnp.report.to_services", "github"),
    "gitlab": ("np2tnp.report.to_services", "gitlab"),
    "junit": ("np2tnp.report.to_services", "junit"),
    "rdjson": ("np2tnp.report.to_services", "rdjson"),
    "sarif": ("np2tnp.report.to_services", "sarif"),
}
#: Those that have no place for counts.
_OF_FINDINGS = ("csv", "github", "gitlab", "junit", "rdjson", "sarif")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only ``check`` understands."""
    add = parser.add_argument
    options.add_choice(parser, "output_format")
    add("--output-file", metavar="FILE", help="write the report there")
    add("--statistics", action="store_true", help="only count the findings of each code")
    verdicts = "|".join(CHOICES["fail_on"])
    defaults = ",".join(Config().fail_on)
    words = f"exit 1 for these: {verdicts} or none (default: {defaults}, and what is selected)"
    add("--fail-on", type=options.comma_separated, action="extend", metavar="VERDICTS", help=words)
    words = f"tell nothing of what this file knows (default {DEFAULT_BASELINE} beside the configuration, where it is)"
    add("--baseline", metavar="FILE", help=words)
    words = "tell only of what is new since this revision of git, in files that changed"
    add("--changed-since", metavar="REV", help=words)
    add("--add-ignore", action="store_true", help="write a comment beside each finding that is shown, which hides it")
    add("--ignore-reason", metavar="TEXT", help="with --add-ignore: what the comments say")
    add("--exit-zero", action="store_true", help="exit 0 even with findings")
    add("--cache-dir", metavar="DIR", help="where results are kept (default .np2tnp_cache in the project)")


def run(parsed: argparse.Namespace, config: Config, paths: list[str], stdin: tuple[str, bytes] | None) -> int:
    """The command. Returns its exit status; raises ConfigError for what cannot be followed."""
    if parsed.statistics and parsed.output_format in _OF_FINDINGS:
        raise ConfigError(f"--statistics is written as text or JSON, not as {parsed.output_format}")
    if not config.quiet:
        _say_what_was_left(config.root)
    with Progress(config.quiet) as progress:
        if parsed.changed_since is None:
            found = pipeline.check(paths, config, stdin=stdin, progress=progress)
        elif stdin is not None:
            raise ConfigError("--changed-since does not work on standard input")
        else:
            found = _check_changes(parsed.changed_since, paths, config, progress)
    if any(own.baseline_file() for own in {config.of_file(report.path) for report in found.reports}):
        from np2tnp.migration import baselines

        found = baselines.without_known(found, config)
    if parsed.ignore_reason is not None and not parsed.add_ignore:
        raise ConfigError("--ignore-reason belongs to --add-ignore")
    if parsed.add_ignore:
        if stdin is not None:
            raise ConfigError("--add-ignore does not work on standard input")
        return _add_ignores(found, config, " ".join((parsed.ignore_reason or "").split()))
    found = pipeline.fold_repeats(found)
    pieces = _report(found, config, parsed)
    if parsed.output_file:
        try:
            with open(parsed.output_file, "w", encoding="utf-8", errors="backslashreplace") as stream:
                stream.writelines(pieces)
        except OSError as error:
            raise ConfigError(f"{parsed.output_file}: cannot be written: {error.strerror or error}") from None
    else:
        print_exactly(pieces)
    if found.summary.errors:
        return ERROR
    if parsed.exit_zero:
        return CLEAN
    failing = any(
        is_failing(finding, config.of_file(report.path)) for report in found.reports for finding in report.findings
    )
    return FOUND if failing else CLEAN


def _check_changes(rev: str, paths: list[str], config: Config, progress: pipeline.Progress) -> Run:
    """What the files that changed since `rev` have now and had not then."""
    from np2tnp.files.changes import changed_since
    from np2tnp.files.discover import discover
    from np2tnp.migration import baselines

    files = discover(paths, config).files
    changed, before = changed_since(rev, files)
    if files and not changed:
        say(f"no file changed since {rev}")
    found = pipeline.check(changed, config, progress=progress)
    return baselines.without_old(found, pipeline.check_texts(before, config), rev)


def _add_ignores(found: Run, config: Config, reason: str) -> int:
    """Write a comment beside each finding that would be shown. The status: of errors, and of places without one."""
    from np2tnp.files.problems import Problem
    from np2tnp.files.source import decode, read_bytes
    from np2tnp.files.writing import Writer
    from np2tnp.report.totals import count, shown

    status = ERROR if found.summary.errors else CLEAN
    wanted: dict[str, list[Finding]] = {}
    for finding in shown(found, config):
        if not finding.code.startswith("TNP9"):
            wanted.setdefault(finding.path, []).append(finding)
    writer = Writer()
    for path, findings in wanted.items():
        try:
            data = read_bytes(path)
            source = decode(path, data)
            text, left = _with_ignores(source, findings, reason)
            if text != source.text:
                writer.replace(path, data, source.encode(text))
        except Problem as problem:
            say(f"{path}: {problem}")
            status = ERROR
            continue
        for finding in left:
            where = place_in(finding.cell, finding.span.line)
            say(f"{path}:{where}: {finding.code}: no comment has a place on this line")
            status = status or FOUND
        print_exactly(f"{path}: {count(len(findings) - len(left), 'finding')} hidden by comments\n")
    for note in writer.notes:
        say(note)
    return status


def _with_ignores(source: Source, findings: list[Finding], reason: str) -> tuple[str, list[Finding]]:
    """The text of a file with comments that hide these, and those that have no place: on magics of notebooks."""
    from np2tnp.files import notebooks, suppress

    if not notebooks.is_notebook(source.path):
        return suppress.with_ignores(source.text, findings, reason)
    notebook = notebooks.read(source)
    on_magics = [item for item in findings if notebook.is_magic(item.span.line)]
    others = [item for item in findings if not notebook.is_magic(item.span.line)]
    program, left = suppress.with_ignores(notebook.program, others, reason)
    return notebook.with_program(program), [*on_magics, *left]


def _say_what_was_left(root: str) -> None:
    """Whether a ``rewrite`` that was killed, or works still, changed files."""
    if not os.path.isdir(state_folder()):
        return
    from np2tnp.migration import journal

    try:
        left = journal.state_left(root)
    except ConfigError as error:
        left = str(error)
    if left:
        say(left)


def _report(run: Run, config: Config, parsed: argparse.Namespace) -> Iterable[str]:
    """The pieces of the report, which together may be as large as all that was analysed."""
    from np2tnp.report.style import visible, wants_colour

    colour = not parsed.output_file and wants_colour(sys.stdout)
    if parsed.statistics:
        from np2tnp.report.totals import statistics

        if config.output_format in ("json", "json-lines"):
            import json

            rows = [{"code": code, "count": number, "example": text} for code, number, text in statistics(run, config)]
            if config.output_format == "json-lines":
                return (json.dumps(row) + "\n" for row in rows)
            return (json.dumps(rows, indent=2) + "\n",)
        return (f"{number:>7}  {code}  {visible(text)}\n" for code, number, text in statistics(run, config))
    module, function = _FORMATS[config.output_format]
    render: Callable[[Run, Config, bool], Iterable[str]] = getattr(import_module(module), function)
    return render(run, config, colour)
