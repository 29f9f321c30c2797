"""What each of the commonest forms of rewritten code costs on 10 elements, beside NumPy's: overhead and nothing else.

    python benchmarks/small_calls.py [WORD ...] [--calls 200]

Prints microseconds of processor time a call (the best of several rounds, in one process) and their ratio. WORD selects
forms by what their text holds.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("NP2TNP_ABOVE", "0")

#: What rewritten code says, and what NumPy's code said. `x` and `y` have 10 elements, `m` has 3x3, `s` is a number,
#: `i` has integers, `k` is a mask; `f`, `g`, `u`, `d` are migrated functions; `T` and `U`
#: have 10x10.
FORMS = """
f(X) | lambda: X
g(X, Y) | lambda: X
u(X) | lambda: X
f.core(x) | lambda: X
d(T, U) | lambda: X
[tf.constant(T), tf.constant(U)] | [T.copy(), U.copy()]
rt.tensor(X) | X.copy()
rt.host(x) | X.copy()
float(s) | float(S)
rt.shape(x) | X.shape
x + y | X + Y
2.0 * x | 2.0 * X
x / y | X / Y
x ** 2 | X ** 2
x > 0 | X > 0
m @ m | M @ M
m @ m[0] | M @ M[0]
rt.op_add(x, y) | X + Y
rt.op_mul(x, 2.0) | X * 2.0
rt.op_truediv(x, y) | X / Y
rt.op_pow(x, 2) | X ** 2
rt.op_matmul(m, m[0]) | M @ M[0]
rt.op_lt(x, 0.5) | X < 0.5
rt.op_mod(i, 3) | I % 3
rt.iadd(x, y) | X + Y
x[1] | X[1]
x[1:-1] | X[1:-1]
m[:, 0] | M[:, 0]
x[:, None] | X[:, None]
rt.at(x)[1:-1].get() | X[1:-1]
rt.at(x)[k].get() | X[K]
rt.at(x)[i].get() | X[I]
rt.at(x)[2].set(1.0) | X.__setitem__(2, 1.0)
rt.at(x)[1:-1].set(x[1:-1]) | X.__setitem__(slice(1, -1), Y[1:-1])
rt.at(x)[1:].add(1.0) | X.__setitem__(slice(1, None), X[1:] + 1.0)
rt.at(x)[k].set(0.0) | X.__setitem__(K, 0.0)
tnp.sum(x) | np.sum(X)
rt.mean(x) | np.mean(X)
rt.max(x) | np.max(X)
rt.where(k, x, y) | np.where(K, X, Y)
rt.sqrt(x) | np.sqrt(X)
rt.exp(x) | np.exp(X)
rt.dot(x, y) | np.dot(X, Y)
rt.linalg.norm(x) | np.linalg.norm(X)
rt.stack([x, y]) | np.stack([X, Y])
rt.concatenate([x, y]) | np.concatenate([X, Y])
rt.reshape(x, (2, 5)) | np.reshape(X, (2, 5))
tnp.transpose(m) | np.transpose(M)
rt.roll(x, 1) | np.roll(X, 1)
rt.sort(x) | np.sort(X)
tnp.zeros(10) | np.zeros(10)
rt.zeros(10) | np.zeros(10)
rt.arange(10) | np.arange(10)
rt.array([1.0, 2.0]) | np.array([1.0, 2.0])
rt.array([s, s]) | np.array([S, S])
"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--calls", type=int, default=200, help="in one round")
    options = parser.parse_args(argv)
    names = _names()
    print(f"{'rewritten code':32}{'µs':>8}{'NumPy':>8}{'ratio':>8}")
    for line in FORMS.strip().splitlines():
        new, old = (part.strip() for part in line.split("|", 1))
        if options.words and not any(word in new for word in options.words):
            continue
        times = [_time(eval(f"lambda: {text}", names), options.calls) for text in (new, old)]
        print(f"{new:32}{times[0]:8.1f}{times[1]:8.2f}{times[0] / times[1]:8.0f}")
    return 0


def _names() -> dict[str, Any]:
    import tensorflow as tf
    import tensorflow.experimental.numpy as tnp

    from np2tnp import runtime as rt

    rt.start()
    arrays = {"X": np.arange(10.0) + 1, "Y": np.arange(10.0)[::-1] + 2, "M": np.eye(3) + 1, "S": np.float64(2.0)}
    arrays |= {"T": np.ones((10, 10)), "U": np.eye(10)}
    arrays |= {"I": np.arange(10), "K": np.arange(10) > 3}
    tensors = {name.lower(): rt.tensor(value) for name, value in arrays.items()}
    tensors["s"] = tensors["x"][1]
    functions = {
        "f": rt.migrated(lambda a: a),
        "g": rt.migrated(lambda a, b: a, arrays=("a", "b"), returns=("a",)),
        "d": rt.migrated(lambda a, b: a, floats="a, b", original=lambda a, b: a, on_unverified="numpy", pure=True),
        "u": rt.migrated(lambda a: rt.updated(None, a=a), mutates=("a",)),
    }
    return {"np": np, "tf": tf, "tnp": tnp, "rt": rt, **arrays, **tensors, **functions}


def _time(function: Callable[[], Any], calls: int) -> float:
    best = float("inf")
    function()
    for _ in range(7):
        begin = time.process_time()
        for _ in range(calls):
            function()
        best = min(best, time.process_time() - begin)
    return best / calls * 1e6


if __name__ == "__main__":
    sys.exit(main())
