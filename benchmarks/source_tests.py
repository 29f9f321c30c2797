"""Rewrites a package in its unpacked source distribution, and runs its own tests before and after.

Run as ``python benchmarks/source_tests.py FOLDER PACKAGE TEST...``: FOLDER as `tar xzf` made it, PACKAGE the folder or
file in it that is rewritten (its tests excepted), TEST what pytest is given there. Packages that need others find them
by ``PYTHONPATH``. Unlike `third_party.py` nothing has to be installed. The tests run three times: as they are, after
``rewrite --apply`` with default settings, and once more with ``NP2TNP_ABOVE=0``, where TensorFlow does all work.

Prints what became of the regions, the causes of those that are blocked, and each test that passed before and not after:
REFUSED or BROKEN, or a count of those whose time was over. Exit status 1 if a test is broken, or a second rewrite
changes a file. The copies stay in ``--work``; ``diff -ru WORK/FOLDER-before WORK/FOLDER-after`` shows what was done.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

from third_party import Outcome, Package, run_tests, slower

from np2tnp import pipeline
from np2tnp.config import Config

_PATHS = os.environ.get("PYTHONPATH", "")
_TESTS = frozenset(("test", "tests", "testsuite", "testing"))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("package", help="folder or file in FOLDER")
    parser.add_argument("tests", nargs="+", help="for pytest")
    parser.add_argument("--work", type=Path, default=Path("source-tests"), help="where the copies go")
    parser.add_argument("--seconds", type=int, default=60, help="for one test")
    parser.add_argument("--session", type=int, default=240, help="seconds for one run of the tests")
    options = parser.parse_args()
    before, after = (fresh(options, name) for name in ("before", "after"))
    found = tested(before, options, "100000")
    changed_again = rewrite(after / options.package, after)
    print("before:", counts(found))
    broken = 0
    for above in ("100000", "0"):
        outcomes = tested(after, options, above)
        print(f"NP2TNP_ABOVE={above}:", counts(outcomes), f"longest tests x {slower(found, outcomes):.1f}")
        broken += compare(found, outcomes)
    return int(bool(broken or changed_again))


def fresh(options: argparse.Namespace, name: str) -> Path:
    work: Path = (options.work / f"{options.folder.resolve().name}-{name}").resolve()
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(options.folder, work, ignore=shutil.ignore_patterns("__pycache__"))
    (work / "pytest.ini").write_text("[pytest]\n")
    return work


def tested(work: Path, options: argparse.Namespace, above: str) -> dict[str, Outcome]:
    os.environ["NP2TNP_ABOVE"] = above
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(work / "src"), _PATHS]))
    return run_tests(work, options.tests, Package(options.package, options.package), options)


def rewrite(package: Path, work: Path) -> list[str]:
    """Rewrites and reports; the files that a second rewrite changes."""
    files = sorted(package.rglob("*.py")) if package.is_dir() else [package]
    paths = [str(path) for path in files if not is_test(path.relative_to(work))]
    config = Config(root=str(work), cache=False, quiet=True)
    run = pipeline.rewrite(paths, config, apply=True)
    print(f"{run.summary.files_with_numpy} files use NumPy, {len(run.changes)} changed: {dict(run.summary.regions)}")
    blocked = [region.reasons for report in run.reports for region in report.regions if region.state == "blocked"]
    codes = [frozenset(reason.split()[0] for reason in reasons) for reasons in blocked]
    print("blocked by:", dict(Counter(code for each in codes for code in each).most_common()))
    for report in run.reports:
        if report.error:
            print(f"PROBLEM {report.path}: {report.error}")
    again = [change.path for change in pipeline.rewrite(paths, config).changes]
    for path in again:
        print(f"PROBLEM {path}: changed by a second rewrite")
    return again


def is_test(path: Path) -> bool:
    names = path.name.startswith(("test_", "conftest")) or path.stem.endswith("_test")
    return names or bool(_TESTS.intersection(path.parts[:-1]))


def counts(outcomes: dict[str, Outcome]) -> str:
    return ", ".join(f"{number} {name}" for name, number in Counter(it[0] for it in outcomes.values()).items())


def compare(before: dict[str, Outcome], after: dict[str, Outcome]) -> int:
    """Prints what passed before and does not any more; how many of them are broken."""
    broken = unfinished = 0
    for name, (outcome, _, _) in before.items():
        now, says, _ = after.get(name, ("unfinished", "", 0.0))
        if outcome != "passed" or now in ("passed", "skipped"):
            continue
        if now == "unfinished" or says.startswith("Failed: Timeout"):
            unfinished += 1
            continue
        refused = "UnverifiedError" in says
        broken += not refused
        print("  REFUSED" if refused else "  BROKEN", name, says[:200])
    if unfinished:
        print(f"  {unfinished} unfinished")
    return broken


if __name__ == "__main__":
    sys.exit(main())
