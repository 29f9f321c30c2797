"""What one call costs: NumPy against tnp and against np2tnp's exact helper, eager, tensors in and tensors out.

``python benchmarks/call_times.py [NAME ...]`` prints a Markdown table of microseconds (median of repeats, measured
in turns so that a
busy machine slows all alike) and of ratios. Where tnp has no column the catalog does not call it equal for float64.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.experimental.numpy as tnp

from np2tnp import runtime as rt
from np2tnp.catalog import load

SIZES = (1_000, 1_000_000)
CALLS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "numpy.add": lambda x: (x, x),
    "numpy.multiply": lambda x: (x, x),
    "numpy.divide": lambda x: (x, x + 2.0),
    "numpy.sqrt": lambda x: (x * x,),
    "numpy.exp": lambda x: (x,),
    "numpy.tanh": lambda x: (x,),
    "numpy.maximum": lambda x: (x, x[::-1]),
    "numpy.where": lambda x: (x > 0, x, x),
    "numpy.clip": lambda x: (x, -1.0, 1.0),
    "numpy.sum": lambda x: (x,),
    "numpy.mean": lambda x: (x,),
    "numpy.std": lambda x: (x,),
    "numpy.max": lambda x: (x,),
    "numpy.argmax": lambda x: (x,),
    "numpy.cumsum": lambda x: (x,),
    "numpy.sort": lambda x: (x,),
    "numpy.argsort": lambda x: (x,),
    "numpy.unique": lambda x: (x,),
    "numpy.dot": lambda x: (x, x),
    "numpy.reshape": lambda x: (x, (-1, 10)),
    "numpy.concatenate": lambda x: ([x, x],),
    "numpy.roll": lambda x: (x, 3),
    "numpy.diff": lambda x: (x,),
    "numpy.take": lambda x: (x, np.arange(0, x.size, 3)),
    "numpy.fft.rfft": lambda x: (x,),
}


def measure(functions: dict[str, Callable[[], Any]], seconds: float = 0.2) -> dict[str, float]:
    """Median microseconds of each function, taken in turns."""
    for function in functions.values():
        function()
    samples: dict[str, list[float]] = {name: [] for name in functions}
    end = time.perf_counter() + seconds * len(functions)
    while time.perf_counter() < end or min(map(len, samples.values())) < 5:
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            samples[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) * 1e6 for name, values in samples.items()}


def variants(name: str, size: int) -> dict[str, Callable[[], Any]]:
    """The call of `name` on `size` float64 numbers, for NumPy, for tnp where equal, and for the helper."""
    arguments = CALLS[name](np.random.default_rng(0).standard_normal(size))
    tensors = rt.tensor(arguments)
    fact = load().get(name)
    found: dict[str, Callable[[], Any]] = {"NumPy": lambda: _find(np, name.removeprefix("numpy."))(*arguments)}
    if fact is not None and fact.tnp is not None and "d" in fact.tnp.dtypes:
        function = _find(tnp, fact.tnp.name.removeprefix("tnp."))
        found["tnp"] = lambda: wait(function(*tensors))
    if fact is not None and fact.rt is not None:
        helper = _find(rt, fact.rt.name.removeprefix("rt."))
        found["rt"] = lambda: wait(helper(*tensors))
    return found


def wait(value: Any) -> Any:
    """`value`, once the device has computed it: reading one number back waits for all before it."""
    first = value[0] if isinstance(value, (list, tuple)) else value
    if hasattr(first, "device") and "GPU" in first.device:
        first.numpy()
    return value


def _find(module: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        module = getattr(module, part)
    return module


def main() -> int:
    names = [n if n.startswith("numpy.") else f"numpy.{n}" for n in sys.argv[1:]] or list(CALLS)
    print("| call | size | NumPy µs | tnp µs | rt µs | NumPy/tnp | NumPy/rt |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in names:
        for size in SIZES:
            times = measure(variants(name, size))
            cells = [f"{times[k]:.1f}" if k in times else "" for k in ("NumPy", "tnp", "rt")]
            cells += [f"{times['NumPy'] / times[k]:.3g}" if k in times else "" for k in ("tnp", "rt")]
            print(f"| {name.removeprefix('numpy.')} | {size:,} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
