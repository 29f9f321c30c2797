"""Are the verdicts of `profile` right? Compares them with an exhaustive run: ten times the samples, ten times the time.

    python benchmarks/verdicts.py [--minutes M] [--budget SECONDS] [--repeats N] [--output FILE.json] [NAME ...]

Pairs of a function and a size, each in the variants that callers can get: functions of fixtures/programs at several
sizes, and every rewritten function there with the largest arguments that its program's own calls give it (one of each
program, then the others). The exhaustive run is taken in two halves, before and after the short one and in the same
process: what the machine does meanwhile then tells both the same. Nothing of it decides when the short run ends.

The result file is written after each function, and what it holds is not measured again: the run can be taken in pieces.
Prints every pair whose verdicts differ, the table of verdicts, how many functions had no pair and why, and the two
figures that count: the share of pairs that agree, and how many pairs the short run calls FASTER that the exhaustive one
calls SLOWER. Exit status 1 when fewer than 95 % agree or one of the latter is found.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

from verdict_cases import CONFIG, SIZED, Case, pair_of, programs, recorded_cases  # noqa: E402

from np2tnp.profiling.emitted import Compiled, compiled_forms  # noqa: E402
from np2tnp.profiling.environment import describe_host  # noqa: E402
from np2tnp.profiling.evidence import judge_speed, ratio, spread  # noqa: E402
from np2tnp.profiling.measured import Measured, Plan, Trial  # noqa: E402
from np2tnp.profiling.measurement import Session, doubt_lucky_trials  # noqa: E402
from np2tnp.profiling.record import Signature  # noqa: E402
from np2tnp.verify.two_texts import CannotVerify, Pair, changed_functions  # noqa: E402

VARIANTS = ("eager-ndarray", "xla-ndarray")


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


class Comparing:
    """The functions of one program, measured in one process and, NumPy on one thread, in another."""

    def __init__(self, pair: Pair, options: argparse.Namespace) -> None:
        self.pair = pair
        self._options = options
        self._changed = set(changed_functions(pair)[0])
        self._compiled: tuple[Compiled, ...] | None = None
        self._sessions: tuple[Session, Session] | None = None

    def __enter__(self) -> Comparing:
        return self

    def __exit__(self, *error: object) -> None:
        for session in self._sessions or ():
            session.__exit__(*error)

    def compare(self, case: Case, why: Counter[str]) -> Iterator[Compared]:
        """Every size and variant of one function on the CPU; `why` counts reasons for none. Raises CannotVerify."""
        if case.obstacle:
            raise CannotVerify(case.obstacle)
        if case.function not in self._changed:
            raise CannotVerify("it is not rewritten")
        plan = self._plan(case)
        session, alone = self._at(plan)
        short, long = Measured(plan), Measured(plan)
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
                reason = other.reason or one.reason
                why[f"{one.variant}: {reason.partition(':')[0]}"] += 1
                print(f"{case.name} {one.variant} n={one.size:,}: {reason}", flush=True)
                continue
            it, counts = other.ratio, (len(one.samples[0]), len(other.samples[0]))
            verdicts = one.speed.value, other.speed.value
            yield Compared(case.name, one.size, one.variant, *verdicts, it.value, it.low, it.high, counts)

    def _plan(self, case: Case) -> Plan:
        if self._compiled is None:
            self._compiled = compiled_forms(self.pair, CONFIG)
        numbers = tuple(size for size in case.sizes if isinstance(size, int))
        samples = self._options.repeats, self._options.budget
        plan = Plan(self.pair, case.function, "n", numbers, case.arguments, "CPU:0", *samples, variants=VARIANTS)
        return replace(plan, compiled=self._compiled, places=case.places, timeout=60.0)

    def _at(self, plan: Plan) -> tuple[Session, Session]:
        if self._sessions is None:
            self._sessions = Session(plan), Session(plan, single=True)
        else:
            for session in self._sessions:
                session.go_on_with(plan)
        return self._sessions


def trials(session: Session, plan: Plan, variant: str, size: int | Signature) -> tuple[Trial, Trial]:
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
    why: Counter[str] = Counter()
    left = 0
    for comparing, wanted in rounds(options):
        with comparing:
            for case in wanted:
                if case.name in done or (options.names and not {case.program, case.function} & set(options.names)):
                    continue
                if time.monotonic() > end:
                    left += 1
                    continue
                try:
                    done[case.name] = list(comparing.compare(case, why))
                except CannotVerify as error:
                    why[str(error).partition(":")[0]] += 1
                    print(f"{case.name} {error}", flush=True)
                    done[case.name] = []
                for pair in done[case.name]:
                    if pair.short != pair.exhaustive:
                        print(*pair, flush=True)
                if options.output is not None:
                    write(options.output, done)
    for reason, count in why.most_common():
        print(f"{count:>4}  not measured: {reason}")
    if left:
        print(f"{left} functions are left: the same command goes on with them")
    return report([pair for pairs in done.values() for pair in pairs])


def rounds(options: argparse.Namespace) -> Iterator[tuple[Comparing, list[Case]]]:
    """The functions with sizes, then those of every program: with --minutes one of each, and then all others."""
    for program in dict.fromkeys(case.program for case in SIZED):
        yield Comparing(pair_of(program), options), [case for case in SIZED if case.program == program]
    known = {case.name for case in SIZED}
    unlimited = options.minutes == float("inf")  # then each program is loaded once only
    for chosen in (slice(None),) if unlimited else (slice(0, 1), slice(1, None)):
        for program in programs(options.names):
            pair = pair_of(program)
            with tempfile.TemporaryDirectory(prefix="np2tnp-verdicts-") as folder:
                found = [case for case in recorded_cases(pair, Path(folder)) if case.name not in known]
                ready = [case for case in found if not case.obstacle]
                wanted = sorted(found, key=ready[:1].__contains__, reverse=True)
                yield Comparing(pair, options), wanted[chosen]


def write(output: Path, done: dict[str, list[Compared]]) -> None:
    functions = {name: [pair._asdict() for pair in pairs] for name, pairs in done.items()}
    output.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(pairs)}" for name, pairs in functions.items())
    text = f'{{"environment": {json.dumps(describe_host())},\n"functions": {{\n{lines}\n}}}}\n'
    output.write_text(text, "utf-8")


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
