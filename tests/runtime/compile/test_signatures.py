"""Numbers that change from call to call: inputs of one graph where that gives the same, values of several elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compile.compiled import RUNS

MODES = ("graph", "xla")
MANY = 12  #: more calls than a function makes traces


def check(function: Callable[..., Any], calls: list[tuple[Any, ...]], mode: str, traces: int, **options: Any) -> None:
    """All calls are compiled, with so many traces, and give what they give eagerly: types, dtypes, signs of zeros."""
    began = []

    def counted(*args: Any) -> Any:
        began.append(args)
        return function(*args)

    eager, compiled = rt.migrated(**options)(function), rt.migrated(compile=mode, **options)(counted)
    for args in calls:
        RUNS.clear()
        with np.errstate(all="ignore"):
            actual = compiled(*args)
            assert RUNS == {"compiled": 1}, args
            same(actual, eager(*args), 2e-6 if options.get("float32") else 1e-13)
    assert len(began) == traces


def same(actual: Any, expected: Any, loose: float) -> None:
    assert type(actual) is type(expected)
    if isinstance(expected, tuple):
        for one, other in zip(actual, expected, strict=True):
            same(one, other, loose)
        return
    one, other = np.asarray(actual), np.asarray(expected)
    assert (one.dtype, one.shape) == (other.dtype, other.shape)
    np.testing.assert_allclose(one, other, rtol=2e-6 if one.dtype == np.float32 else loose)
    if one.dtype.kind == "f":
        known = ~np.isnan(other)
        assert np.array_equal(np.signbit(one[known]), np.signbit(other[known]))


X = np.array([-1.5, -0.0, 0.0, 2.5])
SPECIAL = [0.5, -0.0, 0.0, np.nan, np.inf, -np.inf, 1e300, 5e-324, -3.25, 2.0, 3.0, 1e-300]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.float16])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
def test_floats_are_inputs_from_their_second_value_on(mode: str, kind: Any, dtype: str) -> None:
    def scaled(x: Any, factor: Any) -> Any:
        return rt.op_mul(x, factor), rt.op_truediv(rt.op_add(factor, x), 3), factor

    with np.errstate(all="ignore"):
        calls = [(X.astype(dtype), kind(value)) for value in SPECIAL]
    check(scaled, calls, mode, 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [int, np.int64, np.uint8])
def test_integers_are_indices_bounds_and_numbers(mode: str, kind: Any) -> None:
    def step(x: Any, k: Any, rate: Any) -> Any:
        x = rt.at(x)[k].set(rt.op_mul(k, 2))
        total = rt.fori_loop(0, k, lambda i, total: rt.op_add(total, rt.at(x)[i].get()), 0.0)
        return x, total, rt.op_mul(x, rate)

    check(step, [(np.arange(20.0), kind(k), 0.5) for k in range(1, MANY)], mode, 2)
    check(step, [(np.arange(20.0), kind(3), 0.5 * k) for k in range(MANY)], mode, 2)
    check(step, [(np.arange(20.0), kind(k % 3 + 1), 0.5 * k) for k in range(MANY)], mode, 2)
    function = rt.migrated(compile=mode)(step)
    for k in (18, 19):
        function(np.arange(20.0), kind(k), 0.5)
    with pytest.raises(IndexError):
        function(np.arange(20.0), kind(20), 0.5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", [rt.python_float, rt.python_int])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_numbers_of_arrays_of_one_element_are_what_numpy_says(mode: str, number: Any, shape: tuple[int, ...]) -> None:
    def step(x: Any) -> Any:
        return rt.op_mul(number(x), 2), rt.sum(x)

    x = np.full(shape, 3.0)
    try:
        expected = 2 * (float(x) if number is rt.python_float else int(x))
    except TypeError:
        with pytest.raises(TypeError):
            rt.migrated(compile=mode)(step)(x)
    else:
        assert rt.migrated(compile=mode)(step)(x)[0] == expected


@pytest.mark.parametrize("mode", MODES)
def test_numbers_that_decide_shapes_stay_values(mode: str) -> None:
    def part(x: Any, count: int, factor: float) -> Any:
        return rt.op_mul(x[:count], factor)

    calls = [(np.arange(9.0), 3 + (k > 5), 0.5 * k) for k in range(MANY)]
    check(part, calls, mode, 4)  # a value, the factor as input, the attempt with both, the other count


@pytest.mark.parametrize("mode", MODES)
def test_branches_and_questions_have_the_very_number(mode: str) -> None:
    def asked(x: Any, factor: Any) -> Any:
        return x * (2.0 if isinstance(factor, float) else 3.0)

    def branched(x: Any, factor: Any) -> Any:
        return x * 2.0 if factor > 1 else x * 3.0

    def kept(x: Any, factor: Any) -> Any:
        return x, {factor: "text"}, f"{factor:.1f}"

    for function in (asked, branched, kept):
        compiled = rt.migrated(compile=mode)(function)
        for factor in (0.5, 1.5, 2.5):
            assert str(compiled(X, factor)) == str(rt.migrated(function)(X, factor))


@pytest.mark.parametrize("mode", MODES)
def test_operators_of_tensors_take_them_on_both_sides(mode: str) -> None:
    def raw(x: Any, t: float) -> Any:
        return x + t, t - x, x / t, x * t, t >= x, rt.op_lt(x, t), -x * t, rt.clip(x, -t, t), rt.full((2,), t)

    check(raw, [(X, 0.5 * k + 0.25) for k in range(MANY)], mode, 2)


@pytest.mark.parametrize("mode", MODES)
def test_a_power_of_python_numbers(mode: str) -> None:
    def decayed(x: Any, rate: float, step: int) -> Any:
        return rt.op_mul(x, rate**step), rt.op_mul(x, 0.9**step)

    check(decayed, [(X, 1.5, k) for k in range(1, MANY)], mode, 2)
    overflowing = rt.migrated(compile=mode)(decayed)
    for step in (1, 2):
        overflowing(X, 2.0, step)
    with pytest.raises(OverflowError):
        overflowing(X, 2.0, 5000)
    assert np.array_equal(overflowing(X, -2.0, 3)[0], X * -8.0)


@pytest.mark.parametrize("mode", MODES)
def test_integers_beyond_those_of_float64_stay_values(mode: str) -> None:
    @rt.migrated(compile=mode)
    def added(x: Any, k: int) -> Any:
        return rt.op_add(x, k)

    for k in (1, 2, 2**53 + 1, 2**62):
        assert added(np.arange(3), k).tolist() == [k, k + 1, k + 2]
    with pytest.raises(OverflowError):
        added(np.arange(3), 2**70)


@pytest.mark.parametrize("mode", MODES)
def test_a_callee_gets_them_too(mode: str) -> None:
    @rt.migrated(arrays=("x", "t"), scalars=("n",), compile=mode)
    def inner(x: Any, t: Any, n: Any) -> Any:
        return rt.fori_loop(0, n, lambda i, x: rt.op_add(x, t), x)

    def outer(x: Any, t: Any, n: Any) -> Any:
        return inner.core(x, rt.op_mul(t, 2), n + 1)

    check(outer, [(X, 0.5 * k, k) for k in range(MANY)], mode, 2)


@pytest.mark.parametrize("mode", MODES)
def test_float32_rounds_them_as_it_rounds_values(mode: str) -> None:
    def scaled(x: Any, t: Any) -> Any:
        return rt.op_mul(x, t), rt.sqrt(t)

    options = {"float32": True}
    check(scaled, [(X, 0.1 * k) for k in range(MANY)], mode, 2, **options)
