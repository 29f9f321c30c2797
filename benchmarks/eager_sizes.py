"""From how many elements on eager TensorFlow comes near NumPy: where `rt.migrated` draws its line.

    python benchmarks/eager_sizes.py [WORD ...] [--limit 3] [--seconds 0.3] [--processor] [--delivered]

Each function is rewritten as `rewrite --slow convert` does, without compiling, and called in both versions by turns on
arrays of growing size; the ratio of the medians of the times of a call is printed (above 1: slower than NumPy).
`--processor` counts the processor's time, that of all threads. WORD selects functions by name. `--delivered` measures
what `rewrite` writes by default, which leaves to NumPy what it may.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

SIZES = (100, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 10_000_000)

FUNCTIONS = """
import numpy as np

def add_scaled(x):
    x = np.asarray(x)
    return 2.0 * x + x

def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))

def normalised(x):
    return (x - x.mean()) / x.std()

def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()

def polynomial(x):
    x = np.asarray(x)
    return ((3.0 * x + 2.0) * x - 1.0) * x + 0.5

def clipped(x):
    y = np.clip(x, -1.0, 1.0)
    return np.where(y > 0.0, np.sqrt(np.abs(y)), y * y)

def masked_store(x):
    x = np.asarray(x)
    y = x.copy()
    y[y < 0.0] = 0.0
    return y

def differences(x):
    x = np.asarray(x)
    return x[1:] - x[:-1]

def smoothed(x):
    y = x.copy()
    y[1:-1] = 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:]
    return y

def running_sum(x):
    return np.cumsum(x)

def ordered(x):
    return np.sort(x)

def ranks(x):
    return np.argsort(x, kind="stable")

def spectrum(x):
    return np.abs(np.fft.rfft(x))

def gathered(x):
    return x[np.argsort(x)[::-1]]

def norm(x):
    return np.sqrt(np.sum(x ** 2))

def stencil(x):
    x = np.asarray(x)
    a = x.reshape(10, -1)
    for _ in range(10):
        a = a.copy()
        a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    return a

def in_place(x):
    x = np.asarray(x)
    x *= 0.5
    x += 1.0
    return x

def rows(x):
    a = x.reshape(-1, 10)
    return (a - a.mean(axis=0)) @ (a - a.mean(axis=0)).T[:, :10]

def gram(x):
    a = x.reshape(-1, 10)
    return a.T @ a

def histogram(x):
    return np.histogram(x, bins=20)[0]
"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("words", nargs="*", metavar="WORD", help="functions whose names hold it (default: all)")
    parser.add_argument("--limit", type=float, default=3.0)
    parser.add_argument("--processor", action="store_true", help="processor time instead of wall-clock time")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each function and size")
    parser.add_argument("--delivered", action="store_true", help="as `rewrite` writes them by default")
    options = parser.parse_args(argv)
    from side_by_side import rewrite

    os.environ.pop("NP2TNP_ABOVE", None)
    report = rewrite(FUNCTIONS, slow="keep", on_unverified="numpy") if options.delivered else rewrite(FUNCTIONS)
    assert report.new_text is not None
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    exec(FUNCTIONS, old)
    exec(report.new_text, new)
    names = [region.qualname for region in report.regions if hasattr(new.get(region.qualname), "core")]
    names = [name for name in names if not options.words or any(word in name for word in options.words)]
    print(f"{'elements':>14}" + "".join(f"{size:>11,}" for size in SIZES))
    clock = time.process_time if options.processor else time.perf_counter
    columns: list[list[float]] = [[] for _ in SIZES]
    for name in names:
        ratios = [ratio(old[name], new[name], size, options.seconds, clock) for size in SIZES]
        for column, value in zip(columns, ratios, strict=True):
            column.append(value)
        print(f"{name:>14}" + "".join(f"{value:>11.1f}" for value in ratios), flush=True)
    print(f"{'median':>14}" + "".join(f"{statistics.median(column):>11.1f}" for column in columns))
    within = [sum(value <= options.limit for value in column) for column in columns]
    print(f"{f'within {options.limit:g}':>14}" + "".join(f"{f'{count} of {len(names)}':>11}" for count in within))
    return 0


def ratio(
    original: Callable[..., Any],
    rewritten: Callable[..., Any],
    size: int,
    seconds: float,
    clock: Callable[[], float],
) -> float:
    """Time of a call of `rewritten` over that of `original`."""
    x = np.random.default_rng(0).normal(size=size)
    times: list[list[float]] = [[], []]
    end = time.perf_counter() + seconds
    while len(times[0]) < 6 or time.perf_counter() < end:
        for which, function in enumerate((original, rewritten)):
            given = x.copy()
            begin = clock()
            function(given)
            times[which].append(clock() - begin)
    first, second = (statistics.median(part[1:]) for part in times)
    return second / max(first, 1e-7)


if __name__ == "__main__":
    sys.exit(main())
