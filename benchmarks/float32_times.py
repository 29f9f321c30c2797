"""What ``--float32`` saves on this machine: CPU seconds of NumPy, of float64 and of float32, in one process.

    python benchmarks/float32_times.py [--rounds 4]

Each function is rewritten with and without ``--float32`` and called with ndarrays, so that conversions count. The best
of some rounds; the last column is how many times less CPU time float32 takes than float64.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
from side_by_side import rewrite

TEXT = """
import numpy as np

def relax(field, steps):
    for _ in range(steps):
        field[1:-1, 1:-1] = 0.25 * (field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:])

def layers(x, w):
    for _ in range(4):
        x = np.tanh(x @ w)
    return x

def wave(x):
    return np.abs(np.fft.fft2(x)) + np.exp(-x * x) * np.sin(x)
"""
ARGUMENTS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "relax": lambda: (np.random.rand(1000, 1000), 30),
    "layers": lambda: (np.random.rand(800, 800), np.random.rand(800, 800) / 400),
    "wave": lambda: (np.random.rand(1024, 1024),),
}


def functions(text: str) -> dict[str, Any]:
    """What a module with this text holds."""
    module: dict[str, Any] = {}
    exec(text, module)
    return module


def seconds(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=4)
    rounds = parser.parse_args().rounds
    print(f"{'function':<10}{'compile':<9}{'numpy':>8}{'float64':>9}{'float32':>9}{'ratio':>7}")
    for mode in ("none", "xla"):
        versions = [functions(TEXT)]
        versions += [functions(rewrite(TEXT, compile=mode, float32=single).new_text or "") for single in (False, True)]
        for name, arguments in ARGUMENTS.items():
            best = [float("inf")] * 3
            for number in range(rounds + 1):  # the first calls trace and compile
                taken = [seconds(version[name], arguments()) for version in versions]
                best = [min(pair) for pair in zip(best, taken, strict=True)] if number else best
            print(
                f"{name:<10}{mode:<9}{best[0]:>8.3f}{best[1]:>9.3f}{best[2]:>9.3f}{best[1] / best[2]:>7.2f}", flush=True
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
