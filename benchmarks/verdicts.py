"""Are the verdicts of `profile` right? Compares them with an exhaustive run: ten times the samples, ten times the time.

    python benchmarks/verdicts.py [--minutes M] [--budget SECONDS] [--repeats N] [--output FILE.json] [NAME ...]

Pairs of a function and a size, each in the variants that callers can get: functions of fixtures/programs at several
sizes, and of every other program there one function with its example. The exhaustive run is taken in two halves, before
and after the short one and in the same process: what the machine does meanwhile then tells both the same. Nothing of it
decides when the short run ends.

The result file is written after each function, and what it holds is not measured again: the run can be taken in pieces.
Prints every pair whose verdicts differ, the table of verdicts, and the two figures that count: the share of pairs that
agree, and how many pairs the short run calls FASTER that the exhaustive one calls SLOWER. Exit status 1 when fewer than
95 % agree or one of the latter is found.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from np2tnp.config import Config  # noqa: E402
from np2tnp.differential.originals import CannotVerify, Pair, changed_functions, rewrite_in_memory  # noqa: E402
from np2tnp.profiling.basics import PROGRAM  # noqa: E402
from np2tnp.profiling.emitted import compiled_forms  # noqa: E402
from np2tnp.profiling.environment import describe_host  # noqa: E402
from np2tnp.profiling.evidence import judge_speed, ratio, spread  # noqa: E402
from np2tnp.profiling.measured import Measured, Plan, Trial  # noqa: E402
from np2tnp.profiling.measurement import doubt_lucky_trials  # noqa: E402
from np2tnp.profiling.session import Session  # noqa: E402

PROGRAMS = ROOT / "fixtures" / "programs"
VARIANTS = ("eager-ndarray", "xla-ndarray")
CONFIG = Config(slow="convert", root=str(ROOT))
LINE, SQUARE, IMAGE = "rng.standard_normal(n)", "rng.standard_normal((n, n))", "rng.random((n, n, 3))"
KNN = (
    ("X_train", "rng.standard_normal((n, 8))"),
    ("y_train", "rng.integers(0, 3, n)"),
    ("X_test", "rng.standard_normal((n, 8))"),
)


class Case(NamedTuple):
    """One function of a fixture program (``basics``: of the suite), and what to call it with."""

    program: str
    function: str
    sizes: tuple[int, ...] = (1,)
    arguments: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        return f"{self.program}:{self.function}"


CASES = (
    Case("basics", "sort", (100, 10_000, 1_000_000), (("x", LINE),)),
    Case("basics", "tanh", (100, 30_000, 3_000_000), (("x", LINE),)),
    Case("basics", "sigmoid", (100, 30_000, 3_000_000), (("x", LINE),)),
    Case("basics", "fft", (128, 16_384, 2**20), (("x", LINE),)),
    Case("basics", "matmul", (10, 200, 1000), (("a", SQUARE), ("b", SQUARE))),
    Case("03_fluid", "divergence", (30, 1000), (("u", SQUARE), ("v", SQUARE), ("h", "0.1"))),
    Case("06_fractals", "julia", (30, 300), (("c", "-0.4 + 0.6j"), ("n", "n"))),
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
)


class Compared(NamedTuple):
    """One function, size and variant, with its two verdicts."""

    name: str
    size: int
    variant: str
    short: str
    exhaustive: str
    ratio: float  #: of the exhaustive run, with its interval
    low: float
    high: float
    samples: tuple[int, int]


def cases() -> Iterator[Case]:
    """All of `CASES`, then an example of every program that is not among them."""
    yield from CASES
    known = {case.program for case in CASES}
    for path in sorted(PROGRAMS.glob("*.py")):
        if path.stem not in known:
            yield Case(path.stem, "")


def pair_of(program: str) -> Pair:
    """A fixture program before and after; ``basics`` is the suite's."""
    path = PROGRAMS / f"{program}.py"
    text = PROGRAM if program == "basics" else path.read_text(encoding="utf-8")
    return Pair(str(path), text, rewrite_in_memory(str(path), text, CONFIG), "memory", in_memory=True)


def with_example(case: Case, pair: Pair) -> Case:
    """The case with the arguments of the first example of a rewritten function. Raises CannotVerify."""
    if case.function:
        return case
    changed = changed_functions(pair)[0]
    for number, (name, count) in enumerate(examples(pair.original)):
        if name in changed and count:
            build = f"EXAMPLES[{number}][1](np, np.random.default_rng(0))"
            parameters = parameters_of(pair.original, name)[:count]
            arguments = tuple((parameter, f"{build}[{k}]") for k, parameter in enumerate(parameters))
            return case._replace(function=name, arguments=arguments)
    raise CannotVerify("no rewritten function has an example that gives it positional arguments alone")


def examples(text: str) -> list[tuple[str, int]]:
    """The function and the number of arguments of each entry of ``EXAMPLES``; 0 where these cannot be counted."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "EXAMPLES":
            return [_example(entry) for entry in getattr(node.value, "elts", [])]
    return []


def _example(entry: ast.expr) -> tuple[str, int]:
    match entry:
        case ast.Tuple([ast.Constant(str(name)), ast.Lambda(body=ast.Tuple(elts=values))]):
            return name, 0 if any(isinstance(value, ast.Starred) for value in values) else len(values)
    return "", 0


def parameters_of(text: str, function: str) -> list[str]:
    """The names of a top-level function's positional parameters."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [item.arg for item in (*node.args.posonlyargs, *node.args.args)]
    return []


def compare(case: Case, repeats: int, budget: float) -> Iterator[Compared]:
    """Every size and variant of one case on the CPU. Raises CannotVerify."""
    pair = pair_of(case.program)
    case = with_example(case, pair)
    if case.function not in changed_functions(pair)[0]:
        raise CannotVerify(f"{case.function} is not rewritten")
    plan = Plan(pair, case.function, "n", case.sizes, case.arguments, "CPU:0", repeats, budget, variants=VARIANTS)
    plan = replace(plan, compiled=compiled_forms(pair, CONFIG))
    short, long = Measured(plan), Measured(plan)
    with Session(plan) as session, Session(plan, single=True) as alone:
        for size in case.sizes:
            for variant in VARIANTS:
                one, other = trials(session, plan, variant, size)
                short.trials.append(one)
                long.trials.append(other)
            single = alone.reference(size)
            for i in doubt_lucky_trials(short, len(VARIANTS), single):  # as `measure` does
                short.trials[i], long.trials[i] = trials(session, plan, short.trials[i].variant, size)
            for measured in (short, long):
                doubt_lucky_trials(measured, len(VARIANTS), single)
    for one, other in zip(short.trials, long.trials, strict=True):
        if one.speed is None or other.speed is None or other.ratio is None:
            print(f"{case.name} {one.variant} n={one.size:,}: {other.reason or one.reason}", flush=True)
            continue
        it, counts = other.ratio, (len(one.samples[0]), len(other.samples[0]))
        verdicts = one.speed.value, other.speed.value
        yield Compared(case.name, one.size, one.variant, *verdicts, it.value, it.low, it.high, counts)


def trials(session: Session, plan: Plan, variant: str, size: int) -> tuple[Trial, Trial]:
    """A short one, and the exhaustive one around it."""
    half = replace(plan, repeats=5 * plan.repeats, budget=5 * plan.budget)
    before = session.trial(variant, "CPU:0", size, half)
    short = session.trial(variant, "CPU:0", size)
    after = session.trial(variant, "CPU:0", size, half)
    if not before.variant_time or not after.variant_time:
        return short, before if not before.variant_time else after
    samples = [(*one, *two) for one, two in zip(before.samples, after.samples, strict=True)]
    found = ratio(*samples)
    return short, replace(
        before,
        samples=(samples[0], samples[1]),
        reference=spread(samples[0]),
        variant_time=spread(samples[1]),
        ratio=found,
        speed=judge_speed(found, plan.min_effect),
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs or functions (default: all)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no function after so many")
    parser.add_argument("--budget", type=float, default=0.3, help="seconds of samples in the short run (default 0.3)")
    parser.add_argument("--repeats", type=int, default=20, help="samples in the short run (default 20)")
    parser.add_argument(
        "--output", type=Path, metavar="FILE.json", help="written after each function, and gone on with"
    )
    options = parser.parse_args(argv)
    done: dict[str, list[Compared]] = {}
    if options.output is not None and options.output.exists():
        kept = json.loads(options.output.read_text(encoding="utf-8"))["functions"]
        done = {name: [Compared(**pair) for pair in pairs] for name, pairs in kept.items()}
    end = time.monotonic() + 60 * options.minutes
    left = 0
    for case in cases():
        if case.name in done or (options.names and not {case.program, case.function} & set(options.names)):
            continue
        if time.monotonic() > end:
            left += 1
            continue
        try:
            done[case.name] = list(compare(case, options.repeats, options.budget))
        except CannotVerify as error:
            print(f"{case.name} {error}", flush=True)
            done[case.name] = []
        for pair in done[case.name]:
            if pair.short != pair.exhaustive:
                print(*pair, flush=True)
        if options.output is not None:
            write(options.output, done)
    if left:
        print(f"{left} functions are left: the same command goes on with them")
    return report([pair for pairs in done.values() for pair in pairs])


def write(output: Path, done: dict[str, list[Compared]]) -> None:
    functions = {name: [pair._asdict() for pair in pairs] for name, pairs in done.items()}
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({"environment": describe_host(), "functions": functions}, indent=1) + "\n", "utf-8")


def report(pairs: list[Compared]) -> int:
    """Print the figures; the exit status that they mean."""
    table = Counter((pair.short, pair.exhaustive) for pair in pairs)
    agree = sum(pair.short == pair.exhaustive for pair in pairs)
    unsure = sum(pair.short == "UNSURE" != pair.exhaustive for pair in pairs)
    wrong = [pair for pair in pairs if pair.short == "FASTER" and pair.exhaustive == "SLOWER"]
    for (short, long), count in sorted(table.items()):
        print(f"{count:>4}  {short} where the exhaustive run says {long}")
    share = agree / max(len(pairs), 1)
    print(f"{agree} of {len(pairs)} verdicts agree ({share:.1%}); {unsure} of the others claimed nothing (UNSURE)")
    print(f"{len(wrong)} SLOWER ones called FASTER")
    return 1 if wrong or agree < 0.95 * len(pairs) else 0


if __name__ == "__main__":
    sys.exit(main())
