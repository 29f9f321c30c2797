"""Rewrites trees of Python files twice: every file must still compile, and the second time must change nothing.

    python benchmarks/second_rewrite.py FOLDER... [--slow convert] [--compile none|graph|xla] [--boundary numpy|tensor]
        [--state numpy|tensor] [--jobs 1]

Each folder (a package, a folder of programs) is copied to a temporary directory and rewritten there; nothing is
imported or run. Prints one row a folder: files that name NumPy, files changed, functions and methods by what became of
them, CPU seconds of the first rewrite, and what is wrong: files that do not compile after, internal errors and failed
self-checks (TNP906, TNP907), files that a second rewrite changes. Exit status 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from np2tnp import pipeline
from np2tnp.config import Config

#: Codes of findings that say np2tnp itself failed.
OWN_FAILURES = ("TNP906", "TNP907")


def copy(folder: Path, work: Path) -> Path:
    """A copy of the Python files of a folder, all else left out."""
    target = work / folder.resolve().name
    shutil.copytree(folder, target, ignore=_all_but_python)
    return target


def _all_but_python(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if not (name.endswith(".py") or os.path.isdir(os.path.join(folder, name)))}


def compile_error(path: str) -> str:
    """Why Python does not take a file; empty if it does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of invalid escapes, which are the author's
        try:
            compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            return f"{type(error).__name__}: {error}"
    return ""


def problems(target: Path, config: Config) -> Iterator[str]:
    """What is wrong after a rewrite and a second one, after a row that says what was done."""
    before = {str(path): compile_error(str(path)) for path in target.rglob("*.py")}
    start = time.process_time()
    run = pipeline.rewrite([str(target)], config, apply=True)
    spent = time.process_time() - start
    regions = run.summary.regions
    print(
        f"{target.name:24} {run.summary.files_with_numpy:6} {len(run.changes):7} {regions['convertible']:8} "
        f"{regions['kept']:5} {regions['blocked']:7} {spent:7.0f}",
        flush=True,
    )
    for report in run.reports:
        for finding in report.findings:
            if finding.code in OWN_FAILURES:
                yield f"{finding.path}:{finding.span.line}: {finding.code}: {finding.message}"
    for change in run.changes:
        error = compile_error(change.path)
        if error and not before.get(change.path):
            yield f"{change.path}: {error}"
    for change in pipeline.rewrite([str(target)], config).changes:
        yield f"{change.path}: changed by a second rewrite"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--slow", choices=("keep", "convert"), default="convert")
    parser.add_argument("--compile", choices=("none", "graph", "xla"), default="none")
    parser.add_argument("--boundary", choices=("numpy", "tensor"), default="numpy")
    parser.add_argument("--state", choices=("numpy", "tensor"), default="numpy")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    print(f"{'folder':24} {'files':>6} {'changed':>7} {'migrated':>8} {'kept':>5} {'blocked':>7} {'seconds':>7}")
    wrong = 0
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as work:
            target = copy(folder, Path(work))
            config = Config(
                root=work,
                slow=options.slow,
                compile=options.compile,
                boundary=options.boundary,
                state=options.state,
                jobs=options.jobs,
                cache=False,
                quiet=True,
            )
            for problem in problems(target, config):
                wrong += 1
                print(f"  {os.path.relpath(problem, work) if problem.startswith(work) else problem}", flush=True)
    print(f"{wrong} problems")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
