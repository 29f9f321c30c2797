"""What one functional update costs: NumPy, this runtime (eager, ``tf.function``, XLA) and TensorFlow's stock update.

Run as ``python benchmarks/updates.py [side]``. Prints microseconds per update of a side×side float64 array: the best of
many repetitions, as other work on the machine only adds. Compiled updates are timed in chains, less the call, so
that what is left is the update inside a larger function. Compare numbers of one run only.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp import runtime as rt
from np2tnp.runtime.base.lazy_tensorflow import tf


def microseconds(function: Callable[[], Any], budget: float = 0.2) -> float:
    """Best time of one call, after a first one."""
    function()
    start = time.perf_counter()
    function()
    number = max(1, int(0.005 / (time.perf_counter() - start + 1e-9)))
    times = []
    deadline = time.perf_counter() + budget
    while time.perf_counter() < deadline or len(times) < 5:
        start = time.perf_counter()
        for _ in range(number):
            function()
        times.append((time.perf_counter() - start) / number)
    return min(times) * 1e6


def main() -> None:
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rng = np.random.default_rng(0)
    x = rng.standard_normal((side, side))
    block, vector, row_values = x[1:-1, 1:-1].copy(), x[:, 0].copy(), x[: side // 10].copy()
    mask, rows = x > 0.5, rng.permutation(side)[: side // 10]
    cases: list[tuple[str, Any, Any]] = [
        ("a[2, 3] = s", (2, 3), 1.5),
        ("a[5] = v", 5, vector),
        ("a[:, 5] = v", (slice(None), 5), vector),
        ("a[1:-1, 1:-1] = v", (slice(1, -1), slice(1, -1)), block),
        ("a[::2] = 0", (slice(None, None, 2),), 0.0),
        ("a[mask] = 0", mask, 0.0),
        ("a[mask] = values", mask, x[mask] * 2),
        ("a[rows] = v", rows, row_values),
        ("a[:, columns] = v", (slice(None), rows), row_values.T.copy()),
        ("a[rows, columns] = v", (rows, rows), vector[: rows.size]),
        ("a[1:-1, 1:-1] (read)", (slice(1, -1), slice(1, -1)), None),
        ("a[2, 3] (read)", (2, 3), None),
        ("a[rows] (read)", rows, None),
    ]
    tensor = rt.tensor(x)
    print(f"µs per update, {side}×{side} float64, {tensor.device.rsplit('/', 1)[-1]}")
    print(f"{'':24}{'NumPy':>9}{'stock':>9}{'eager':>9}{'graph':>9}{'XLA':>9}")
    for label, key, value in cases:
        print(
            f"{label:24}"
            + "".join(f"{cost:9.1f}" if cost is not None else f"{'-':>9}" for cost in row(x, tensor, key, value))
        )
    other = rt.tensor(x)
    print(f"{'a += b':24}{microseconds(lambda: np.add(x, x)):9.1f}{microseconds(lambda: tensor + other):9.1f}", end="")
    print(f"{microseconds(lambda: rt.iadd(tensor, other)):9.1f}")


#: Updates in one compiled function.
CHAIN = 16


def row(x: Any, tensor: Any, key: Any, value: Any) -> list[float | None]:
    """NumPy, stock, eager, graph, XLA; None where it fails or is not timed."""
    target = x.copy()
    if value is None:
        reads = [lambda: np.array(target[key]), lambda: tensor[key], lambda: rt.at(tensor)[key].get()]
        return [timed(read) for read in reads] + [None, None]
    constant = rt.tensor(np.asarray(value))

    def numpy() -> None:
        target[key] = value

    def chained(a: Any, v: Any, count: int) -> Any:
        for _ in range(count):
            a = rt.at(a)[key].set(v + a[0, 0])  # so that no update can be left out
        return a

    def compiled(jit: bool) -> float:
        times = []
        for count in (1, 1 + CHAIN):
            function = tf.function(lambda a, v, n=count: chained(a, v, n), jit_compile=jit, autograph=False)
            times.append(microseconds(lambda function=function: function(tensor, constant)))  # type: ignore[misc]
        return (times[1] - times[0]) / CHAIN

    return [
        timed(numpy),
        timed(lambda: tensor._with_index_update(tensor, rt.tensor(key), constant)),
        timed(lambda: rt.at(tensor)[key].set(constant)),
        compiled(False),
        compiled(True),
    ]


def timed(function: Callable[[], Any]) -> float | None:
    try:
        return microseconds(function)
    except Exception:
        return None


if __name__ == "__main__":
    main()
