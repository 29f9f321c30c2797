"""Whole programs: NumPy against what ``rewrite`` makes of them, run eagerly, as a graph and under XLA.

    python benchmarks/programs.py [--small] [--only stencil] [--variants xla] [--seconds 4] [--output FOLDER]

Each case is a function of ``fixtures/`` at a size that people call medium. A variant is timed only after its results
and updated arguments have agreed with NumPy's. NumPy and the variant take turns in one process; of each the best call
counts, in processor time of the process (what else runs on the machine does not count in it; threads of TensorFlow
do) and in wall-clock time. Ratios are NumPy's time over the variant's: above 1 the variant is faster. "Pays after"
is the number of calls after which the first one, which traces and compiles, is made up for.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
FIXTURES = ROOT / "fixtures"
VARIANTS = ("none", "graph", "xla")


@dataclass(frozen=True)
class Case:
    """One call: `build(scale, rng)` makes its arguments; scale 1 is the medium size."""

    kind: str
    path: str
    function: str
    build: Callable[[float, Any], tuple[Any, ...]]
    words: str
    loose: float = 1e-8  #: agreement of floats, relative to the largest: programs, not single operations


def _field(n: int, rng: Any) -> Any:
    return rng.random((n, n))


CASES = (
    Case(
        "stencil",
        "projects/heat/heat.py",
        "solve",
        lambda s, rng: (_field(int(1000 * s), rng), 100),
        "1000², 100 steps",
    ),
    Case(
        "stencil",
        "projects/heat/heat.py",
        "solve_buffered",
        lambda s, rng: (_field(int(1000 * s), rng), 100),
        "1000², 100 steps",
    ),
    Case(
        "stencil",
        "projects/heat/heat.py",
        "jacobi",
        lambda s, rng: (_field(int(1000 * s), rng), _field(int(1000 * s), rng), 0.01, 100),
        "1000², 100 sweeps",
    ),
    Case(
        "stencil",
        "programs/28_swap_buffers.py",
        "wave_2d",
        lambda s, rng: (_field(int(1000 * s), rng), np.zeros((int(1000 * s),) * 2), 0.1, 100),
        "1000², 100 steps",
    ),
    Case(
        "stencil",
        "programs/43_electromagnetics.py",
        "fdtd_1d",
        lambda s, rng: (np.zeros(int(100_000 * s)), np.zeros(int(100_000 * s)), 500),
        "100,000 cells, 500 steps",
    ),
    Case(
        "automaton",
        "programs/20_life.py",
        "life_roll",
        lambda s, rng: ((rng.random((int(500 * s),) * 2) < 0.3).astype(np.int64), 20),
        "500², 20 generations",
    ),
    Case(
        "n-body",
        "projects/nbody/nbody.py",
        "accelerations",
        lambda s, rng: (rng.random((int(1000 * s), 3)), rng.random(int(1000 * s))),
        "1000 bodies",
    ),
    Case(
        "n-body",
        "projects/nbody/nbody.py",
        "accelerations_broadcast",
        lambda s, rng: (rng.random((int(1000 * s), 3)), rng.random(int(1000 * s))),
        "1000 bodies",
    ),
    Case(
        "n-body",
        "projects/nbody/nbody.py",
        "leapfrog_step",
        lambda s, rng: (*rng.random((3, int(1000 * s), 3)), rng.random(int(1000 * s)), 0.01),
        "1000 bodies",
    ),
    Case(
        "masked",
        "programs/06_fractals.py",
        "mandelbrot",
        lambda s, rng: ((-2.0, 0.5, -1.25, 1.25), (int(600 * s), int(800 * s)), 50),
        "600×800, 50 iterations",
    ),
    Case(
        "masked",
        "programs/06_fractals.py",
        "julia",
        lambda s, rng: (0.285 + 0.01j, int(600 * s), 50),
        "600², 50 iterations",
    ),
    Case("masked", "programs/06_fractals.py", "newton_basins", lambda s, rng: (int(400 * s),), "400², 12 steps"),
    Case(
        "elementwise",
        "programs/37_physics.py",
        "kepler_equation",
        lambda s, rng: (rng.random(int(1_000_000 * s)) * 6, 0.3),
        "10⁶ anomalies",
    ),
    Case(
        "elementwise",
        "programs/16_finance.py",
        "black_scholes",
        lambda s, rng: (rng.random(int(1_000_000 * s)) + 1, 1.2, 0.5, 0.02, 0.3),
        "10⁶ options",
    ),
    Case(
        "spectral",
        "programs/37_physics.py",
        "split_step",
        lambda s, rng: (rng.random(int(2**16 * s)) + 0j, rng.random(int(2**16 * s)), 0.1, 0.01, 50),
        "65,536 points, 50 steps",
    ),
    Case(
        "BLAS",
        "projects/kmeans/kmeans.py",
        "squared_distances",
        lambda s, rng: (rng.random((int(20_000 * s), 32)), rng.random((64, 32))),
        "20,000 × 64, 32 dimensions",
    ),
)


@dataclass
class Row:
    """What one variant of one case took. Times are seconds; cpu and wall are the best of several calls."""

    case: str
    kind: str
    words: str
    variant: str
    state: str  #: "compiled", "eager", or why there is no time
    numpy_cpu: float = 0.0
    numpy_wall: float = 0.0
    cpu: float = 0.0
    wall: float = 0.0
    first: float = 0.0

    @property
    def ratio(self) -> float:
        return self.numpy_cpu / self.cpu if self.cpu else math.nan

    @property
    def pays_after(self) -> float:
        gain = self.numpy_wall - self.wall
        return math.ceil(self.first / gain) if gain > 0 else math.inf


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--small", action="store_true", help="a tenth of the size: whether it works")
    parser.add_argument("--only", default="", help="cases whose kind or function contains this")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--seconds", type=float, default=4.0, help="for each variant of each case")
    parser.add_argument("--output", type=Path, help="write table.txt and rows.json there")
    options = parser.parse_args(argv)
    rows = []
    _versions()  # imports TensorFlow, which is no part of the first call
    for case in CASES:
        if options.only in case.kind or options.only in case.function:
            for variant in options.variants:
                rows.append(measure(case, variant, 0.1 if options.small else 1.0, options.seconds))
                print(_line(rows[-1]), flush=True)
    table = _table(rows)
    print("\n" + table)
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        (options.output / "table.txt").write_text(table, encoding="utf-8")
        (options.output / "rows.json").write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    return 1 if any(row.state.startswith("differs") for row in rows) else 0


def measure(case: Case, variant: str, scale: float, seconds: float) -> Row:
    from np2tnp.config import Config
    from np2tnp.runtime.compile.compiled import RUNS
    from np2tnp.verify.loading import load
    from np2tnp.verify.two_texts import rewrite_in_memory

    path = FIXTURES / case.path
    text = path.read_text(encoding="utf-8")
    config = Config(slow="convert", compile=variant, on_unverified="raise", root=str(ROOT))
    new_text = rewrite_in_memory(str(path), text, config)
    row = Row(f"{path.stem}.{case.function}", case.kind, case.words, variant, "eager")
    original = getattr(load(str(path), text), case.function)
    migrated = getattr(load(str(path), new_text), case.function)
    if not hasattr(migrated, "core"):
        row.state = "not migrated"
        return row
    expected, given = _call(original, case, scale)[:2]
    RUNS.clear()
    actual, changed, row.first, _ = _call(migrated, case, scale)
    if RUNS["compiled"] and not RUNS["repeated"]:
        row.state = "compiled"
    difference = _difference((expected, given), (actual, changed), case.loose)
    if difference:
        row.state = f"differs: {difference}"
        return row
    walls: list[list[float]] = [[], []]
    cpus: list[list[float]] = [[], []]
    deadline = time.perf_counter() + seconds
    while len(walls[1]) < 2 or (time.perf_counter() < deadline and len(walls[1]) < 30):
        for which, function in enumerate((original, migrated)):
            *_, wall, cpu = _call(function, case, scale)
            walls[which].append(wall)
            cpus[which].append(cpu)
        if walls[1][-1] > 5 * seconds:
            break
    row.numpy_wall, row.wall = min(walls[0]), min(walls[1])
    row.numpy_cpu, row.cpu = min(cpus[0]), min(cpus[1])
    return row


def _call(function: Any, case: Case, scale: float) -> tuple[Any, Any, float, float]:
    """The result, the arguments afterwards, wall-clock and processor seconds."""
    arguments = case.build(scale, np.random.default_rng(0))
    with np.errstate(all="ignore"):
        wall, cpu = time.perf_counter(), time.process_time()
        result = function(*arguments)
        return result, arguments, time.perf_counter() - wall, time.process_time() - cpu


def _difference(expected: Any, actual: Any, loose: float) -> str:
    """In words, where the results differ by more than `loose` of their largest; empty where they agree."""
    if expected is None:
        return "" if actual is None else f"{type(actual).__name__} instead of None"
    if isinstance(expected, (tuple, list)):
        if len(expected) != len(actual):
            return f"{len(actual)} results instead of {len(expected)}"
        return next((found for pair in zip(expected, actual, strict=True) if (found := _difference(*pair, loose))), "")
    if type(expected) is not type(actual) or np.shape(expected) != np.shape(actual):
        return f"{type(actual).__name__} {np.shape(actual)} instead of {type(expected).__name__} {np.shape(expected)}"
    one, other = np.asarray(expected), np.asarray(actual)
    if one.dtype != other.dtype:
        return f"{other.dtype} instead of {one.dtype}"
    finite = np.isfinite(one)
    if one.dtype.kind in "fc" and one.size:
        if not np.array_equal(finite, np.isfinite(other)):
            return "finite in other places"
        scale = max(float(np.abs(one[finite]).max(initial=0.0)), 1e-300)
        worst = float(np.abs(one[finite] - other[finite]).max(initial=0.0)) / scale
        return f"by {worst:.1e}" if worst > loose else ""
    share = float(np.mean(one != other)) if one.size else 0.0
    return f"in {share:.2%} of the elements" if share > 1e-4 else ""


def _line(row: Row) -> str:
    if not row.cpu:
        return f"{row.case:<40}{row.variant:<7}{row.state}"
    pays = "never" if math.isinf(row.pays_after) else f"{row.pays_after:.0f}"
    return (
        f"{row.case:<40}{row.variant:<7}{row.state:<10}{1e3 * row.numpy_cpu:>10.1f}{1e3 * row.cpu:>10.1f}"
        f"{row.ratio:>8.2f}{row.numpy_wall / row.wall:>8.2f}{row.first:>9.2f}{pays:>8}"
    )


def _table(rows: Sequence[Row]) -> str:
    head = f"{'case':<40}{'variant':<7}{'ran':<10}{'NumPy ms':>10}{'ms':>10}"
    head += f"{'ratio':>8}{'(wall)':>8}{'first s':>9}{'pays':>8}"
    lines = [_versions(), "", head, *map(_line, rows), ""]
    for variant in VARIANTS:
        for kind in dict.fromkeys(row.kind for row in rows):
            ratios = [row.ratio for row in rows if row.kind == kind and row.variant == variant and row.cpu]
            if ratios:
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                lines.append(f"geometric mean, {kind:<12} {variant:<6} {mean:6.2f}  (of {len(ratios)})")
    return "\n".join(lines) + "\n"


def _versions() -> str:
    import tensorflow as tf

    device = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
    parts = (
        f"NumPy {np.__version__}",
        f"TensorFlow {tf.__version__}",
        f"Python {platform.python_version()}",
        platform.machine(),
        f"{os.cpu_count()} cores",
        device[0].name,
    )
    return ", ".join(parts)


if __name__ == "__main__":
    sys.exit(main())
