"""How long `np2tnp check` takes, next to libcst's parse of the same files in the same process.

    python benchmarks/check_speed.py PATH... [--slowest 10] [--sample N] [--output FILE.json]

Prints files, lines, CPU seconds, the ratio to ``libcst.parse_module`` alone, peak memory, and the files that cost most
beyond their parse. Only files that name NumPy are measured: others cost Python's own parse. CPU time, not wall time: a
busy machine changes it less. Parse and check of a file follow each other, so that what disturbs one disturbs both.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import sys
import time
from pathlib import Path

import libcst

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from np2tnp.config import Config
from np2tnp.files.discover import discover
from np2tnp.files.guards import call_with_deep_stack
from np2tnp.files.problems import Problem
from np2tnp.files.source import decode, read_bytes
from np2tnp.model import FileReport
from np2tnp.pipeline import Analyst, summarize


def parse(text: str) -> None:
    """Only the parse. What libcst refuses costs nothing to compare with."""
    with contextlib.suppress(libcst.ParserSyntaxError):
        libcst.parse_module(text)


def peak_megabytes() -> float:
    """The most memory this process ever had."""
    if sys.platform == "win32":
        return float("nan")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def measure(paths: list[str], config: Config) -> tuple[list[tuple[str, int, float, float]], list[FileReport]]:
    """For each file that can be read: (path, lines, CPU seconds of the parse, of the check), and its report."""
    rows, reports = [], []
    analyst = Analyst(config)
    for path in paths:
        try:
            data = read_bytes(path)
            text = decode(path, data).text
        except Problem:
            continue
        start = time.process_time()
        call_with_deep_stack(parse, text)
        middle = time.process_time()
        reports.append(analyst((path, data)))
        rows.append((path, text.count("\n"), middle - start, time.process_time() - middle))
    return rows, reports


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("paths", nargs="+")
    arguments.add_argument("--slowest", type=int, default=10, help="how many of the slowest files to list")
    arguments.add_argument("--sample", type=int, default=0, help="measure only so many files, chosen at random")
    arguments.add_argument("--output", help="write the figures, the command and the machine to this file, too")
    options = arguments.parse_args()
    config = Config()
    needles = [needle.encode() for needle in config.needles]
    files = []
    for path in discover(options.paths, config).files:
        data = Path(path).read_bytes()
        if any(needle in data for needle in needles):
            files.append(path)
    if options.sample:
        files = random.Random(0).sample(files, min(options.sample, len(files)))
    if not files:
        print("no files that name NumPy")
        return 1
    measure(files[:1], config)  # imports and the catalog
    rows, reports = measure(files, config)
    lines = sum(row[1] for row in rows)
    parsed = sum(row[2] for row in rows)
    checked = sum(row[3] for row in rows)
    print(f"{len(rows)} files, {lines:,} lines that name NumPy")
    print(f"parse  {parsed:8.2f} s CPU  {lines / parsed:10,.0f} lines/s")
    ratio = checked / parsed - 1
    print(f"check  {checked:8.2f} s CPU  {lines / checked:10,.0f} lines/s  = parse + {ratio:.2f} x parse")
    print(f"peak   {peak_megabytes():8.0f} MB")
    if options.output:
        summary = summarize(reports)
        document = {
            "command": ["benchmarks/check_speed.py", *(Path(path).name for path in options.paths)],
            "machine": {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()},
            "files": len(rows),
            "lines": lines,
            "calls": summary.calls,
            "share_convertible": round(summary.calls_convertible / max(1, summary.calls), 4),
            "findings": summary.findings,
            "regions": summary.regions,
            "parse_cpu_seconds": round(parsed, 2),
            "check_cpu_seconds": round(checked, 2),
            "check_over_parse": round(checked / parsed, 3),
            "peak_megabytes": round(peak_megabytes()),
        }
        Path(options.output).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    slow = [row for row in rows if row[2] > 0.002]
    for path, count, one, all_ in sorted(slow, key=lambda row: row[3] / row[2], reverse=True)[: options.slowest]:
        print(f"{all_ / one:6.1f} x parse  {all_:6.2f} s  {count:6} lines  {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
