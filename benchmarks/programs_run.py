"""Rewrite programs, run original and rewritten side by side on the same inputs, and say what differs.

    python benchmarks/programs_run.py [PROGRAM.py ...] [--slow convert] [--seeds 3] [--show]

Each program (all of ``fixtures/programs`` by default) has a list ``EXAMPLES`` of ``(function, builder)`` or
``(function, builder, keywords)``, at its end or in a file ``examples.py`` beside it; ``builder(np, rng)`` makes the
positional arguments. For every example and seed both versions are called; values, dtypes, shapes, exceptions, printed
text and the arguments afterwards are compared with the comparer that ``verify`` uses. Exit status 1 if anything
differs, raises where the original returns, or could not be rewritten for a reason that is np2tnp's own fault.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
PROGRAMS = ROOT / "fixtures" / "programs"
_DIED = "the process died"
_SECONDS = 60  #: for one call: changed inputs can make a loop endless


@dataclass
class Comparison:
    """What running one program's examples in both versions showed."""

    program: str
    kinds: dict[str, int] = field(default_factory=dict)  #: judgement (equal, raised, different...) → examples
    operations: dict[str, int] = field(default_factory=dict)  #: function → TensorFlow operations in all its calls
    problems: list[str] = field(default_factory=list)  #: for people: one a differing or refused example
    runs: dict[str, int] = field(default_factory=dict)  #: with --compile: how calls of compiled functions ran
    error: str = ""  #: the rewritten program could not be loaded

    @property
    def is_wrong(self) -> bool:
        return bool(self.error or self.kinds.get("different"))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("programs", nargs="*", type=Path, help="files (default: all of fixtures/programs)")
    parser.add_argument("--slow", choices=("keep", "convert"), default="convert")
    parser.add_argument("--compile", choices=("hot", "none", "auto", "graph", "xla"), default="hot")
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--subset", type=int, metavar="SEED", help="rewrite only a random half of the regions")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--vary", action="store_true", help="also with other dtypes, layouts and containers")
    parser.add_argument("--show", action="store_true", help="print the rewritten programs")
    parser.add_argument("--keep", type=Path, help="leave the rewritten programs in this folder")
    parser.add_argument("--child", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    programs = sorted(path.resolve() for path in options.programs or PROGRAMS.glob("*.py"))
    if options.child:
        _run_child(programs, *options.child, seeds=options.seeds, vary=options.vary)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        options_of_run = {"slow": options.slow, "compile": options.compile, "unsafe": options.unsafe}
        options_of_run["float32"] = options.float32
        reports = rewrite(programs, folder, options.subset, **options_of_run)
        if options.show:
            for path in programs:
                print((folder / path.name).read_text(encoding="utf-8"))
        comparisons = compare(programs, folder, options.seeds, options.vary)
    return _print(programs, reports, comparisons)


def rewrite(programs: Sequence[Path], folder: Path, subset: int | None = None, **options: Any) -> dict[str, Any]:
    """Copy the programs to `folder` and rewrite them there. Returns np2tnp's report of each, by file name.

    With `subset`, the seed of the choice, only half of the regions are rewritten.
    """
    from np2tnp import config, pipeline

    folder.mkdir(parents=True, exist_ok=True)
    for path in programs:
        shutil.copyfile(path, folder / path.name)
    (folder / "pyproject.toml").write_text("[tool.np2tnp]\n", encoding="utf-8")
    # what the runtime cannot vouch for is to be seen, not to be done by the original
    settings = config.load([str(folder)], {"on_unverified": "raise", **options})
    files = [str(folder / path.name) for path in programs]
    if subset is not None:
        convertible = [
            (report.path, region.qualname)
            for report in pipeline.rewrite(files, settings).reports
            for region in report.regions
            if region.state.value == "convertible"
        ]
        chosen = random.Random(subset).sample(convertible, len(convertible) // 2)
        settings = replace(settings, chosen_regions=frozenset(chosen))
    run = pipeline.rewrite(files, settings, apply=True)
    return {Path(report.path).name: report for report in run.reports}


def compare(programs: Sequence[Path], folder: Path, seeds: int = 3, vary: bool = False) -> dict[str, Comparison]:
    """Run all examples of the programs and of the files of the same names in `folder`, in a child process."""
    found: dict[str, Comparison] = {}
    todo = list(programs)
    while todo:
        output = folder / "comparisons.jsonl"
        output.write_text("", encoding="utf-8")
        arguments = [*map(str, todo), "--seeds", str(seeds), "--child", str(folder), str(output)] + ["--vary"] * vary
        subprocess.run([sys.executable, __file__, *arguments], check=False)
        for line in output.read_text(encoding="utf-8").splitlines():
            comparison = Comparison(**json.loads(line))
            found[comparison.program] = comparison
        left = [path for path in todo if path.name not in found]
        if left:  # the first of them took the process with it
            found[left[0].name] = Comparison(left[0].name, error=_DIED)
        todo = left[1:]
    return found


def _print(programs: Sequence[Path], reports: dict[str, Any], comparisons: dict[str, Comparison]) -> int:
    columns = ["convertible", "kept", "blocked", "plain"]
    kinds = ["equal", "raised", "refused", "unstable", "random", "different"]
    heads = "".join(f"{name:>12}" for name in columns) + "".join(f"{name:>10}" for name in kinds)
    print(f"{'program':<28}{heads}   TF ops")
    totals: Counter[str] = Counter()
    wrong = False
    for path in programs:
        report, seen = reports[path.name], comparisons[path.name]
        states = Counter(region.state.value for region in report.regions)
        operations = sum(seen.operations.values())
        print(
            f"{path.name:<28}"
            + "".join(f"{states[name]:>12}" for name in columns)
            + "".join(f"{seen.kinds.get(name, 0):>10}" for name in kinds)
            + f"{operations:>9}"
            + "".join(f"  {number} {how}" for how, number in sorted(seen.runs.items()))
        )
        totals.update({name: states[name] for name in columns})
        totals.update(seen.kinds)
        totals["operations"] += operations
        totals.update(seen.runs)
        wrong |= seen.is_wrong or report.error is not None
    print(
        f"{'all':<28}"
        + "".join(f"{totals[name]:>12}" for name in columns)
        + "".join(f"{totals[name]:>10}" for name in kinds)
        + f"{totals['operations']:>9}"
    )
    for path in programs:
        report, seen = reports[path.name], comparisons[path.name]
        own = f"np2tnp: {report.error}" if report.error is not None else ""
        for problem in filter(None, [own, seen.error, *seen.problems]):
            print(f"\n{path.name}: {problem}")
    return int(wrong)


# --- in the child process ---


def _run_child(programs: Sequence[Path], folder: Path, output: Path, seeds: int, vary: bool) -> None:
    with output.open("a", encoding="utf-8") as file:
        for path in programs:
            comparison = _compare_program(path, folder / path.name, seeds, vary)
            print(json.dumps(asdict(comparison)), file=file, flush=True)


def _compare_program(original: Path, rewritten: Path, seeds: int, vary: bool) -> Comparison:
    import numpy as np

    from np2tnp.verify.loading import load, load_noisy
    from np2tnp.verify.module_state import Globals

    result = Comparison(original.name)
    old = load(str(original), original.read_text(encoding="utf-8"))
    try:
        new = load(str(rewritten), rewritten.read_text(encoding="utf-8"))
    except Exception as error:
        result.error = f"cannot be loaded: {type(error).__name__}: {error}"
        return result
    beside = original.parent / "examples.py"
    examples = vars(load(str(beside), beside.read_text(encoding="utf-8")) if beside.exists() else old)["EXAMPLES"]
    kinds: Counter[str] = Counter()
    operations: Counter[str] = Counter()
    noisy = load_noisy(str(original), original.read_text(encoding="utf-8"), np.random.default_rng(0))
    assert noisy is not None
    versions = tuple((module, Globals(module)) for module in (old, new, noisy))
    for number, (name, build, *rest) in enumerate(examples):
        for seed, (variation, change) in itertools.product(range(seeds), VARIATIONS.items() if vary else [("", None)]):
            if variation and not _has_arrays(build, seed):
                continue
            judgement, count = _compare_call(versions, name, build, rest[0] if rest else {}, seed, change)
            kinds[judgement.kind] += 1
            operations[name] += count
            if judgement.kind in ("different", "refused", "unstable", "random"):
                case = f"{name} (example {number}, seed {seed}{variation and ', ' + variation})"
                result.problems.append(f"{case}: {judgement.kind}: {judgement.detail}")
    result.kinds, result.operations, result.runs = dict(kinds), dict(operations), _runs()
    return result


def _compare_call(
    versions: Any,
    name: str,
    build: Callable[..., tuple[Any, ...]],
    keywords: dict[str, Any],
    seed: int,
    change: Callable[[Any], Any] | None = None,
) -> tuple[Any, int]:
    import numpy as np

    from np2tnp.verify.judge import Judgement, judge
    from np2tnp.verify.observe import TimeIsUp, observe, time_limit

    def call(version: Any, moved: bool = False, counter: Any = None) -> Any:
        module, state = version
        state.restore()
        args, kwargs = list(build(np, np.random.default_rng(seed))), dict(keywords)
        if change is not None:
            args = [_changed(item, change) for item in args]
        if moved:
            args = _nudged(args, np.random.default_rng())
        with time_limit(_SECONDS):
            return observe(getattr(module, name), args, kwargs, None, state, counter)

    old, new, noisy = versions
    try:
        expected = call(old)
    except TimeIsUp:
        return Judgement("unstable", "the original does not end on this input"), 0
    try:
        actual = call(new, counter=_counter())
    except TimeIsUp:
        return Judgement("different", f"does not end in {_SECONDS} s"), 0
    try:
        found = judge(expected, actual, lambda how: call(noisy if how == "noisy" else old, how != "same"))
    except TimeIsUp:
        found = Judgement("unstable", "the original does not end on an input that is rounded otherwise")
    return found, actual.operations


def _runs() -> dict[str, int]:
    """How calls of compiled functions ran since the last time."""
    from np2tnp.runtime.compile.compiled import RUNS

    found = dict(RUNS)
    RUNS.clear()
    return found


def _strided(array: Any) -> Any:
    """The same values as every second element of a larger array."""
    import numpy as np

    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]) if array.ndim else (), array.dtype)
    view = wide[..., ::2] if array.ndim else wide
    view[...] = array
    return view


def _read_only(array: Any) -> Any:
    array = array.copy()
    array.flags.writeable = False
    return array


#: What people also pass: each makes another argument out of an ndarray.
VARIATIONS: dict[str, Callable[[Any], Any] | None] = {
    "": None,
    "float32": lambda array: array.astype("f4") if array.dtype.kind == "f" else array,
    "integers": lambda array: (10 * array).astype(int) if array.dtype.kind == "f" else array,
    "small integers": lambda array: (10 * array).astype("i1") if array.dtype.kind in "fi" else array,
    "strided": _strided,
    "fortran": lambda array: array.copy(order="F"),
    "read-only": _read_only,
    "list": lambda array: array.tolist(),
    "empty": lambda array: array[:0] if array.ndim else array,
}


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    import numpy as np

    if type(value) is np.ndarray:
        with np.errstate(all="ignore"):
            return change(value)
    if type(value) in (list, tuple):
        return type(value)(_changed(item, change) for item in value)
    if type(value) is dict:
        return {key: _changed(item, change) for key, item in value.items()}
    return value


def _has_arrays(build: Callable[..., tuple[Any, ...]], seed: int) -> bool:
    import numpy as np

    found = []
    for item in build(np, np.random.default_rng(seed)):
        _changed(item, lambda array: found.append(array) or array)
    return bool(found)


def _counter() -> Any:
    try:
        from np2tnp.runtime.boundary.counting import count_ops
    except ImportError:
        return None
    return count_ops


def _nudged(value: Any, rng: Any) -> Any:
    """`value` with its floats moved to a neighbour; whole numbers stay, as people mean them exactly."""
    import numpy as np

    from np2tnp.verify.inputs import moved

    if isinstance(value, (list, tuple)):
        items = [_nudged(item, rng) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: _nudged(item, rng) for key, item in value.items()}
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        found = moved(np.asarray(value), rng)
        return found if isinstance(value, np.ndarray) else float(found)
    if isinstance(value, np.ndarray) and value.dtype.kind == "c":
        return _nudged(value.real, rng) + 1j * _nudged(value.imag, rng)
    return value


if __name__ == "__main__":
    sys.exit(main())
