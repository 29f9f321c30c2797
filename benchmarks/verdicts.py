"""Are the verdicts of `profile` right? Compares them with an exhaustive run: ten times the samples, ten times the time.

    PYTHONPATH=. python benchmarks/verdicts.py [--budget SECONDS] [--repeats N] [--output FILE.json] [NAME ...]

For functions of fixtures/programs at several sizes, each measured twice under the same options but for the number of
samples. Prints every pair whose verdicts differ, the table of verdicts, and the two figures that count: the share of
pairs that agree (UNSURE of the short run is counted apart: it claims nothing), and how many pairs the short run calls
FASTER that the exhaustive one calls SLOWER. Exit status 1 when fewer than 95 % agree or one of the latter is found.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from np2tnp.config import Config
from np2tnp.differential.originals import CannotVerify, changed_functions, find_pair, rewrite_in_memory
from np2tnp.differential.originals import Pair as Originals
from np2tnp.profiling.basics import PROGRAM
from np2tnp.profiling.emitted import compiled_texts
from np2tnp.profiling.environment import describe_host
from np2tnp.profiling.measured import Measured, Plan
from np2tnp.profiling.measurement import measure

ROOT = Path(__file__).resolve().parents[1]
LINE, SQUARE, IMAGE = "rng.standard_normal(n)", "rng.standard_normal((n, n))", "rng.random((n, n, 3))"
KNN = (
    ("X_train", "rng.standard_normal((n, 8))"),
    ("y_train", "rng.integers(0, 3, n)"),
    ("X_test", "rng.standard_normal((n, 8))"),
)


class Case(NamedTuple):
    """One function of a fixture program, and what to call it with."""

    program: str
    function: str
    sizes: tuple[int, ...]
    arguments: tuple[tuple[str, str], ...]


CASES = (
    Case("basics", "sort", (100, 10_000, 1_000_000), (("x", LINE),)),
    Case("basics", "tanh", (100, 30_000, 3_000_000), (("x", LINE),)),
    Case("basics", "sigmoid", (100, 30_000, 3_000_000), (("x", LINE),)),
    Case("basics", "fft", (128, 16_384, 2**20), (("x", LINE),)),
    Case("basics", "matmul", (10, 200, 1000), (("a", SQUARE), ("b", SQUARE))),
    Case("03_fluid", "divergence", (30, 1000), (("u", SQUARE), ("v", SQUARE), ("h", "0.1"))),
    Case("06_fractals", "julia", (30, 500), (("c", "-0.4 + 0.6j"),)),
    Case("09_filters", "moving_average", (1000, 1_000_000), (("x", LINE),)),
    Case("14_image_ops", "grayscale", (20, 1000), (("img", IMAGE),)),
    Case("14_image_ops", "integral_image", (20, 1000), (("img", SQUARE),)),
    Case("14_image_ops", "rgb_to_hsv", (10, 300), (("rgb", IMAGE),)),
    Case("15_mlp_functions", "sigmoid", (1000, 300_000), (("z", LINE),)),
    Case("18_statistics", "zscore", (30, 1000), (("x", SQUARE),)),
    Case("18_statistics", "linear_fit", (100, 1_000_000), (("x", LINE), ("y", LINE))),
    Case("18_statistics", "kde", (100, 2000), (("samples", LINE), ("grid", LINE))),
    Case("19_learning", "knn_predict", (40, 400), KNN),
    Case("19_learning", "ridge", (20, 300), (("X", SQUARE), ("y", LINE))),
)  # fmt: skip


class Pair(NamedTuple):
    """One function, size and variant, with its two verdicts."""

    name: str
    size: int
    variant: str
    short: str
    exhaustive: str
    ratio: float


def pair_of(program: str) -> Originals:
    """A fixture program before and after; ``basics`` is the suite's."""
    config = Config(slow="convert")
    if program == "basics":
        rewritten = rewrite_in_memory("basics.py", PROGRAM, config)
        return Originals("basics.py", PROGRAM, rewritten, "the basics suite", in_memory=True)
    return find_pair(str(ROOT / "fixtures" / "programs" / f"{program}.py"), None, config)


def measure_case(case: Case, repeats: int, budget: float) -> Measured:
    """All trials of one case on the CPU. Raises CannotVerify."""
    pair = pair_of(case.program)
    if case.function not in changed_functions(pair)[0]:
        raise CannotVerify(f"{case.function} is not rewritten")
    name = "n" if "n" not in dict(case.arguments) else "m"
    arguments = tuple((key, text.replace("(n", f"({name}").replace(" n", f" {name}")) for key, text in case.arguments)
    variants = ("eager-ndarray", "xla")
    plan = Plan(pair, case.function, name, case.sizes, arguments, "CPU:0", repeats, budget, refine=0, variants=variants)
    plan = replace(plan, compiled=compiled_texts(pair, Config(slow="convert")))
    if case.function == "julia":
        plan = replace(plan, expressions=(*arguments, ("n", "n")))
    return measure(plan)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="functions (default: all)")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds of samples in the short run (default 1)")
    parser.add_argument("--repeats", type=int, default=20, help="samples in the short run (default 20)")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    pairs: list[Pair] = []
    for case in CASES:
        if options.names and case.function not in options.names:
            continue
        try:
            short = measure_case(case, options.repeats, options.budget)
            long = measure_case(case, 10 * options.repeats, 10 * options.budget)
        except CannotVerify as error:
            print(f"{case.program}: {case.function}: {error}", flush=True)
            continue
        for one, other in zip(short.trials, long.trials, strict=True):
            if one.speed is None or other.speed is None or other.ratio is None:
                print(f"{case.function} {one.variant} n={one.size:,}: {one.reason or other.reason}", flush=True)
                continue
            found = Pair(case.function, one.size, one.variant, one.speed.value, other.speed.value, other.ratio.value)
            pairs.append(found)
            if found.short != found.exhaustive:
                print(*found, flush=True)
    return report(pairs, options.output)


def report(pairs: list[Pair], output: Path | None) -> int:
    table = Counter((pair.short, pair.exhaustive) for pair in pairs)
    agree = sum(pair.short == pair.exhaustive for pair in pairs)
    unsure = sum(pair.short == "UNSURE" != pair.exhaustive for pair in pairs)
    wrong = [pair for pair in pairs if pair.short == "FASTER" and pair.exhaustive == "SLOWER"]
    for (short, long), count in sorted(table.items()):
        print(f"{count:>4}  {short} where the exhaustive run says {long}")
    share = agree / max(len(pairs), 1)
    print(f"{agree} of {len(pairs)} verdicts agree ({share:.1%}); {unsure} of the others claimed nothing (UNSURE)")
    print(f"{len(wrong)} SLOWER ones called FASTER")
    if output is not None:
        document = {"environment": describe_host(), "agree": agree, "pairs": [pair._asdict() for pair in pairs]}
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 1 if wrong or agree < 0.95 * len(pairs) else 0


if __name__ == "__main__":
    sys.exit(main())
