"""Deliberately wrong rewrites, and right ones: does ``verify`` tell them apart?

    python benchmarks/seeded_faults.py [--suite faults|programs|both] [--only NAME] [--search SECONDS] [--seed N]
    python benchmarks/seeded_faults.py --tree FOLDER --sample LIST [--search SECONDS] [--seed N]

fixtures/faults has functions and a wrong rewrite of each, wrong in a way that a tool, or a person in a hurry, gets it
wrong. The right rewrites are what np2tnp itself makes of the originals. ``verify`` must call all wrong ones DIFFERENT
and none of the right ones. The suite ``programs`` is every function of fixtures/projects and fixtures/programs as
rewritten: a DIFFERENT there is a false alarm, or a bug of the rewriter. With --sample it is the functions of installed
packages that LIST names instead, one a line (``skimage/util/shape.py view_as_blocks``), of the sources under FOLDER.
Exit status 1 if anything is not as it must be.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from np2tnp.config import Config  # noqa: E402
from np2tnp.verify.program import FunctionResult, FunctionVerdict, Limits, verify_pair  # noqa: E402
from np2tnp.verify.two_texts import CannotVerify, Pair, changed_functions, rewrite_in_memory  # noqa: E402

FAULTS = ROOT / "fixtures" / "faults"
#: What the runtime cannot vouch for is to be seen, not to be done by the original.
CONFIG = Config(slow="convert", on_unverified="raise")
LIMITS = Limits(search=2.0, seconds=10.0, shrink=3.0)  #: unless --search says otherwise


@dataclass
class Finding:
    """What ``verify`` said of one function."""

    where: str
    name: str
    expected: str  #: ``DIFFERENT``, or ``not DIFFERENT``
    verdict: str
    detail: str = ""

    @property
    def is_wrong(self) -> bool:
        return (self.verdict == "DIFFERENT") != (self.expected == "DIFFERENT")


def check_faults(wanted: frozenset[str] = frozenset(), limits: Limits = LIMITS) -> Iterator[Finding]:
    """The wrong rewrites, then the right ones; only the functions `wanted`, where there are any."""
    path = FAULTS / "original.py"
    original, wrong = (file.read_text(encoding="utf-8") for file in (path, FAULTS / "wrong.py"))
    right = rewrite_in_memory(str(path), original, CONFIG)
    for rewritten, expected in ((wrong, "DIFFERENT"), (right, "not DIFFERENT")):
        pair = Pair(str(path), original, rewritten, "memory")
        names = [name for name in changed_functions(pair)[0] if not wanted or name in wanted]
        for result in verify_pair(pair, names, limits):
            yield _finding("faults", result, expected)


def check_programs(paths: Sequence[Path], limits: Limits = LIMITS) -> Iterator[Finding]:
    """Every rewritten function of programs that are right: nothing in them may be DIFFERENT."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        pair = Pair(str(path), text, rewrite_in_memory(str(path), text, CONFIG), "memory")
        for result in verify_pair(pair, changed_functions(pair)[0], limits):
            yield _finding(path.stem, result, "not DIFFERENT")


def check_sample(tree: Path, sample: Path, limits: Limits = LIMITS) -> Iterator[Finding]:
    """The functions that `sample` names, in files under `tree`: none may be DIFFERENT."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for line in sample.read_text(encoding="utf-8").splitlines():
        file, _, name = line.partition(" ")
        wanted[file].append(name)
    for file, names in wanted.items():
        path = tree / file
        text = path.read_text(encoding="utf-8")
        pair = Pair(str(path), text, rewrite_in_memory(str(path), text, CONFIG), "memory")
        changed = set(changed_functions(pair)[0])
        try:
            results = verify_pair(pair, [name for name in names if name in changed], limits)
        except CannotVerify as error:
            results = [FunctionResult(name, reason=str(error)) for name in names if name in changed]
        results += [FunctionResult(name, reason="rewrite does not change it") for name in names if name not in changed]
        for result in results:
            yield _finding(file, result, "not DIFFERENT")


def _finding(where: str, result: FunctionResult, expected: str) -> Finding:
    detail = result.difference if result.verdict is FunctionVerdict.DIFFERENT else result.reason
    return Finding(where, result.name, expected, result.verdict.value, detail)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="NAME", action="append", help="these faults, or these programs")
    parser.add_argument("--suite", choices=("faults", "programs", "both"), default="faults")
    parser.add_argument("--search", type=float, default=LIMITS.search, metavar="SECONDS", help="of each function")
    parser.add_argument("--seed", type=int, default=LIMITS.seed, metavar="N", help="of the inputs")
    parser.add_argument("--tree", type=Path, default=Path(), metavar="FOLDER", help="where the files of --sample are")
    parser.add_argument("--sample", type=Path, metavar="LIST", help="functions of packages, one a line: FILE NAME")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all verdicts there")
    options = parser.parse_args(argv)
    start = time.monotonic()
    wanted = frozenset(options.only or ())
    folders = (ROOT / "fixtures" / "projects", ROOT / "fixtures" / "programs")
    programs = sorted(path for folder in folders for path in folder.rglob("*.py") if path.stem != "examples")
    programs = [path for path in programs if options.suite != "faults" and (not wanted or path.stem in wanted)]
    found: list[Finding] = []
    limits = replace(LIMITS, search=options.search, seed=options.seed)
    if options.sample:
        parts = [check_sample(options.tree, options.sample, limits)]
    else:
        parts = [check_faults(wanted, limits)] if options.suite != "programs" else []
        parts.append(check_programs(programs, limits))
    for finding in itertools.chain(*parts):
        found.append(finding)
        if finding.is_wrong:
            print(f"{finding.where}: {finding.name} is {finding.verdict}: {finding.detail}", flush=True)
    for expected in ("DIFFERENT", "not DIFFERENT"):
        verdicts = Counter(finding.verdict for finding in found if finding.expected == expected)
        print(f"{'wrong' if expected == 'DIFFERENT' else 'right'} rewrites: {sum(verdicts.values())}: {dict(verdicts)}")
    print(f"{time.monotonic() - start:.0f} s")
    if options.json:
        options.json.write_text(json.dumps([asdict(finding) for finding in found], indent=1) + "\n", encoding="utf-8")
    return int(any(finding.is_wrong for finding in found))


if __name__ == "__main__":
    sys.exit(main())
