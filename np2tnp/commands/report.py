"""``np2tnp report``: one HTML page of what ``check``, ``profile`` and ``verify`` found."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from np2tnp.config import Config, ConfigError
from np2tnp.files.problems import Problem
from np2tnp.files.source import read_bytes

DEFAULT_OUTPUT = "np2tnp-report.html"
_SCHEMA = 1  #: of result files of ``profile`` that can be shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``report`` understands besides the options of the analysis."""
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="files and directories (default: . unless result files are named)")
    add("--profile", action="append", default=[], dest="profiles", metavar="FILE", help="show a result file of profile")
    add("--verify", action="append", default=[], dest="verifications", metavar="FILE", help="and of verify --json")
    add("--output", default=DEFAULT_OUTPUT, metavar="FILE", help=f"the page (default {DEFAULT_OUTPUT})")
    add("--no-cache", action="store_true", help="look at all files anew")
    add("--title", help="the page's heading (default: the project's name)")


def write_report(parsed: argparse.Namespace, config: Config, progress: Callable[[int, int], None] | None = None) -> str:
    """Write the page; its path, and what went wrong. Without paths nothing is analysed. Raises ConfigError."""
    from np2tnp import pipeline
    from np2tnp.report.html.page import Contents, ResultError, render
    from np2tnp.report.totals import count

    _require_sources(parsed.paths)
    profiles = {path: _profile(path) for path in parsed.profiles}
    verifications = {path: _verification(path) for path in parsed.verifications}
    run = None
    if parsed.paths:
        run = pipeline.fold_repeats(pipeline.check(parsed.paths, config, progress=progress))
    title = parsed.title or f"np2tnp: {os.path.basename(config.root) or config.root}"
    try:
        page = render(Contents(title, run, profiles, verifications), config)
    except ResultError as error:
        raise ConfigError(str(error)) from None
    try:
        Path(parsed.output).write_text(page, encoding="utf-8", newline="\n", errors="backslashreplace")
    except OSError as error:
        raise ConfigError(f"{parsed.output}: cannot be written: {error.strerror or error}") from None
    errors = run.summary.errors if run is not None else 0
    return f"{parsed.output} ({count(errors, 'file')} could not be worked on)" if errors else str(parsed.output)


def _require_sources(paths: list[str]) -> None:
    """There is a source, and no path is a result file: that would be looked at for NumPy code, and nothing be shown."""
    if paths and not any(map(os.path.exists, paths)):
        raise ConfigError(f"{paths[0]}: no such file or directory")
    for path in paths:
        if path.endswith(".json") and os.path.isfile(path):
            option = "--verify" if "not_rewritten" in _read(path) else "--profile"
            raise ConfigError(f"{path}: not Python; a result file is shown with {option} {path}")


def _profile(path: str) -> dict[str, Any]:
    document = _read(path)
    schema = document.get("schema")
    if not isinstance(schema, int):
        raise ConfigError(f"{path}: not a result file of np2tnp profile")
    if schema > _SCHEMA:
        raise ConfigError(f"{path}: written by a newer np2tnp (schema {schema}; this one knows {_SCHEMA})")
    return document


def _verification(path: str) -> dict[str, Any]:
    document = _read(path)
    if "not_rewritten" not in document:
        raise ConfigError(f"{path}: not what np2tnp verify --json prints")
    return document


def _read(path: str) -> dict[str, Any]:
    try:
        document = json.loads(read_bytes(path, 200_000_000))
    except Problem as problem:
        raise ConfigError(f"{path}: {problem}") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: not valid JSON") from None
    if not isinstance(document, dict):
        raise ConfigError(f"{path}: not a result file of np2tnp")
    return document
