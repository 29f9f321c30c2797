"""``np2tnp baseline``: write down what is found, so that ``check`` tells of what is new only."""

from __future__ import annotations

import argparse
import os

from np2tnp import pipeline
from np2tnp.config import DEFAULT_BASELINE, Config, ConfigError
from np2tnp.migration import baselines
from np2tnp.migration.baselines import Entry
from np2tnp.report.excerpt import text_of
from np2tnp.report.progress import Progress
from np2tnp.report.totals import count
from np2tnp.terminal import CLEAN, ERROR, print_exactly, say

ACTIONS = {
    "create": "write down all findings of the files",
    "update": "follow code that was moved, and forget what is no more; what is new is not taken in",
    "prune": "forget entries of files that are no more",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only ``baseline`` understands."""
    parser.usage = "np2tnp baseline create|update|prune [OPTIONS] [PATH ...]"
    words = "; ".join(f"{name}: {text}" for name, text in ACTIONS.items())
    parser.add_argument("action", metavar="|".join(ACTIONS), help=words)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and directories (default .)")
    parser.add_argument(
        "--baseline", metavar="FILE", help=f"the file (default {DEFAULT_BASELINE} beside the configuration)"
    )
    parser.add_argument("--no-cache", action="store_true", help="look at all files anew")


def run(parsed: argparse.Namespace, config: Config) -> int:
    """The command. Raises ConfigError."""
    if parsed.action not in ACTIONS:
        raise ConfigError(f"baseline {parsed.action}: expected one of {', '.join(ACTIONS)}")
    file = os.path.join(config.root, config.baseline)
    folder = os.path.dirname(os.path.abspath(file))
    exists = os.path.lexists(file)
    if parsed.action == "create" and exists:
        raise ConfigError(f"{file} is there already: np2tnp baseline update, or remove it")
    entries = [] if parsed.action == "create" else baselines.read(file)
    if parsed.action == "prune":
        kept = [entry for entry in entries if os.path.exists(os.path.join(folder, entry.path))]
        return _write(file, kept, len(entries), config)
    with Progress(config.quiet) as progress:
        found = pipeline.check(parsed.paths or ["."], config, progress=progress)
    now: list[Entry] = []
    for report in found.reports:
        own, text = config.of_file(report.path), text_of(report.path, found) or ""
        findings = [it for it in report.findings if parsed.action == "update" or baselines.is_recorded(it, own)]
        now += baselines.entries_of(report.path, findings, text, folder)
    if found.summary.errors:
        say(f"{count(found.summary.errors, 'file')} could not be worked on (np2tnp check says why)")
    if parsed.action == "update":
        looked_at = {baselines.relative(report.path, folder) for report in found.reports}
        answers, _ = baselines.match(now, entries, looked_at, folder)
        others = [it for it in entries if it.path not in looked_at and os.path.exists(os.path.join(folder, it.path))]
        now = [entry for entry, is_known in zip(now, answers, strict=True) if is_known] + others
    _write(file, now, len(entries), config)
    return ERROR if found.summary.errors else CLEAN


def _write(file: str, entries: list[Entry], before: int, config: Config) -> int:
    baselines.write(file, entries)
    if not config.quiet:
        many = f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
        fewer = f", {before} before" if before > len(entries) else ", as many as before" if before else ""
        print_exactly(f"wrote {os.path.relpath(file)}: {many}{fewer}\n")
    return CLEAN
