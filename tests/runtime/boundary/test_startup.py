"""``rt.start``, ``rt.leave_numpy_behavior`` and ``device=``."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forked_python import python

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import is_tensor

ROOT = Path(__file__).resolve().parents[3]


def test_the_program_can_keep_the_switch() -> None:
    code = """
        from np2tnp import runtime as rt
        rt.leave_numpy_behavior()
        import tensorflow as tf
        total = rt.migrated(lambda x: rt.sum(x))
        assert total([1, 2]) == 3
        other = {}  # a module that knows nothing of the runtime
        exec("def more(x): return x + 1.5", other)
        try:
            other["more"](tf.constant(1))
        except tf.errors.InvalidArgumentError:
            print("off", (tf.constant(1) + 1.5).dtype.name)
        rt.start()
        print(other["more"](tf.constant(1)).dtype.name)
    """
    done = python("-c", textwrap.dedent(code), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["off", "float64", "float64"]


def test_zero_stays_zero_after_minus_zero() -> None:
    code = """
        import numpy as np
        import tensorflow.experimental.numpy as tnp
        from np2tnp import runtime as rt
        f = rt.migrated(lambda x, s: (tnp.where(x > 0, x, s), x * s))
        for zero in (-0.0, np.float64(-0.0), 0.0, np.float64(0.0), 0):
            last = f(np.array([-1.0, 2.0]), zero)
        print(*np.signbit(last).tolist())
        print(*[np.signbit(rt.host(rt.negative(np.float64(s)))) for s in (0.0, -0.0, 0.0)])
        x = np.zeros(1)
        print(rt.host(rt.arctan2(np.float64(-0.0), x - 1)), rt.host(rt.pad(rt.tensor(x), 1, constant_values=-0.0)))
    """
    done = python("-c", textwrap.dedent(code), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "[False, False] [True, False]", "True False True", "[-3.14159265] [-0.  0. -0.]"
    ]  # fmt: skip


def test_functions_work_on_their_device() -> None:
    @rt.migrated(device="/CPU:0")
    def where(x: Any) -> str:
        assert is_tensor(x)
        return str((x + 1.0).device)

    assert where(np.ones(3)).endswith("device:CPU:0")
    assert where.core(np.ones(3)).endswith("device:CPU:0")  # type: ignore[attr-defined]


def test_a_missing_device_is_an_error() -> None:
    @rt.migrated(device="/GPU:17")
    def where(x: Any) -> Any:
        return x

    with pytest.raises(RuntimeError, match=r"no device /GPU:17 here: TensorFlow has .*CPU:0"):
        where(np.ones(3))


def test_a_refusal_names_line_dtype_and_argument() -> None:
    @rt.migrated
    def positive(x: Any, y: Any) -> Any:
        return rt.where(rt.tf.negative(x) > 0, y, 0.0)

    expected = (
        r"positive: `return rt.where\(rt.tf.negative\(x\) > 0, y, 0.0\)` was not verified for uint8 \(argument 'x'\)"
    )
    with pytest.raises(rt.UnverifiedError, match=expected):
        positive(np.ones(3, np.uint8), np.ones(3))


def test_a_refusal_at_entry_names_the_argument_and_the_call_that_it_would_reach() -> None:
    @rt.migrated(arrays=("y",), scalars=("n",))
    def mixed(x: Any, y: Any, n: int, *rest: Any, unused: Any = None) -> Any:
        rows = x.shape[0]
        return rt.sum(rt.exp(x) * y, axis=n) / rows + sum(item - 1 for item in rest)

    wide, good = np.ones(3, np.longdouble), np.ones(3)
    dates = np.zeros(3, "M8[D]")
    for arguments, which in (
        ((wide, good, 0), rf"argument 'x': numpy.ndarray of dtype {wide.dtype} .*; it is used in `rt.exp\(x\)`"),
        ((good, dates, 0), r"argument 'y' must be .*datetime64\[D\].*; it is used in `rt.exp\(x\) \* y`"),
        ((good, good, good), r"argument 'n' was taken to be a plain number, not an array; .*`rt.sum\(.*axis=n\)`"),
        ((good, good, 0, wide), r"argument 'rest': .*; it is used in `for item in rest`, `item - 1`"),
    ):
        with pytest.raises(rt.UnverifiedError, match=f"mixed: {which}"):
            mixed(*arguments)
    with pytest.raises(rt.UnverifiedError, match=r"argument 'unused': .*; convert it first$"):
        mixed(good, good, 0, good, unused=wide)


def test_a_refusal_at_entry_needs_no_source() -> None:
    namespace = {"rt": rt}
    exec("f = rt.migrated(lambda x: rt.exp(x))", namespace)
    with pytest.raises(rt.UnverifiedError, match=r"argument 'x': .*; convert it first$"):
        namespace["f"](np.ones(3, np.longdouble))  # type: ignore[operator]


def test_a_refusal_of_what_is_no_argument_names_function_line_and_dtype() -> None:
    wide = np.ones(3, np.longdouble)

    class Model:
        weights = wide

        @rt.migrated
        def score(self, x: Any) -> Any:
            return rt.exp(rt.tensor(self.weights)) + x

    @rt.migrated(arrays=("x",))
    def shifted(x: Any) -> Any:
        return x + rt.tensor(wide)

    @rt.migrated
    def steps(x: Any) -> Any:
        yield x
        yield x * rt.tensor(wide)

    for call, where in (
        (Model().score, r"score: `return rt.exp\(rt.tensor\(self.weights\)\) \+ x`"),
        (shifted, r"shifted: `return x \+ rt.tensor\(wide\)`"),
        (lambda x: list(steps(x)), r"steps: `yield x \* rt.tensor\(wide\)`"),
    ):
        with pytest.raises(rt.UnverifiedError, match=rf"{where}: a value of class ndarray and dtype {wide.dtype}"):
            call(np.ones(3))
