"""How much slower programs are after a rewrite with default settings, which keeps in NumPy what surely would be slower.

    python benchmarks/kept_programs.py [PROGRAM.py ...] [--calls 5] [--limit 3]

Every example of ``fixtures/programs`` whose function was rewritten is called in both versions by turns, in one process;
the medians of the processor times are compared. Examples are small (tens of elements), where TensorFlow's cost of a
call counts most. Exit status 1 if one is more than `--limit` times slower.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

os.environ.pop("NP2TNP_ABOVE", None)  # the default is what is measured

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("programs", nargs="*", type=Path, help="files (default: all of fixtures/programs)")
    parser.add_argument("--calls", type=int, default=5, help="of each version of each example")
    parser.add_argument("--limit", type=float, default=3.0)
    options = parser.parse_args(argv)
    ratios: dict[str, float] = {}
    for path in options.programs or sorted((ROOT / "fixtures" / "programs").glob("*.py")):
        for name, ratio in measure(path, options.calls).items():
            ratios[f"{path.stem}.{name}"] = max(ratio, ratios.get(f"{path.stem}.{name}", 0.0))
    slower = {name: ratio for name, ratio in ratios.items() if ratio > options.limit}
    for name, ratio in sorted(slower.items(), key=lambda item: -item[1]):
        print(f"{ratio:10.1f}  {name}")
    for most in (3, 5, 10, 20, 50, 100):
        print(f"{sum(1 for ratio in ratios.values() if ratio <= most):10} are at most {most} times slower")
    middle = statistics.median(ratios.values()) if ratios else 0.0
    print(f"{len(slower)} of {len(ratios)} rewritten functions are more than {options.limit:g} times slower")
    print(f"median: {middle:.1f} times NumPy's time")
    return int(bool(slower))


def measure(path: Path, calls: int) -> dict[str, float]:
    """Function → the rewritten version's time over the original's, of its slowest example."""
    from np2tnp.config import Config
    from np2tnp.differential.loading import load
    from np2tnp.differential.originals import rewrite_in_memory

    text = path.read_text(encoding="utf-8")
    old = load(str(path), text)
    new = load(str(path), rewrite_in_memory(str(path), text, Config(root=str(ROOT))))
    found: dict[str, float] = {}
    for name, build, *rest in old.EXAMPLES:
        if hasattr(getattr(new, name), "core"):
            versions = [getattr(old, name), getattr(new, name)]
            ratio = _ratio(versions, build, rest[0] if rest else {}, calls)
            found[name] = max(ratio, found.get(name, 0.0))
    return found


def _ratio(versions: list[Any], build: Callable[..., Any], keywords: dict[str, Any], calls: int) -> float:
    times: list[list[float]] = [[], []]
    for _ in range(calls + 1):
        for which, function in enumerate(versions):
            arguments = build(np, np.random.default_rng(0))
            begin = time.process_time()
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(*arguments, **keywords)
            times[which].append(time.process_time() - begin)
    original, rewritten = (statistics.median(part[1:]) for part in times)
    return rewritten / max(original, 1e-6)


if __name__ == "__main__":
    sys.exit(main())
