"""Compiled arithmetic of real numbers is that which is written, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compile.compiled import RUNS

RNG = np.random.default_rng(3)
X, Y, Z = RNG.standard_normal((3, 400))
BORDERS = np.array([-0.0, 0.0, 1.5, -2.5, np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-300, 800.0, 790.0, -800.0])
OTHERS = np.array([0.0, -0.0, -1.5, 2.5, 1.0, -np.inf, np.inf, -1e300, 1e300, 790.0, -800.0, 800.0, -790.0])

#: Formulas that compilers simplify, and what of Python and NumPy computes them: ``m`` is NumPy or the runtime.
FORMULAS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "one rounding for two": lambda m, x, y, z: x * y + z,
    "products of which nothing is left": lambda m, x, y, z: x * x - y * y,
    "a sum of three": lambda m, x, y, z: (x + y) - y + z,
    "division by a number": lambda m, x, y, z: x / 3 + y / 0.1,
    "numbers that cancel": lambda m, x, y, z: (x + 4503599627370496.0) - 4503599627370496.0,
    "numbers that meet": lambda m, x, y, z: x * 1e200 * 1e200 / 1e300,
    "zero": lambda m, x, y, z: x + 0.0,
    "zeros": lambda m, x, y, z: x + m.zeros(x.shape[0]) - m.zeros_like(y),
    "whole numbers": lambda m, x, y, z: x + m.array([0]) * 1.0,
    "quotients": lambda m, x, y, z: x / y / z + x / (y / z),
    "not less": lambda m, x, y, z: ~(x < y),
    "a common factor": lambda m, x, y, z: x * y + x * z,
}


@pytest.mark.parametrize("mode", ["graph", "xla"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_computed_as_they_are_written(name: str, dtype: str, mode: str) -> None:
    formula = FORMULAS[name]
    compiled = rt.migrated(compile=mode)(lambda x, y, z: formula(rt, x, y, z))
    RUNS.clear()
    for arguments in ((X, Y, Z), (BORDERS, OTHERS, OTHERS[::-1])):
        with np.errstate(all="ignore"):
            given = [argument.astype(dtype) for argument in arguments]
            expected = formula(np, *given)
            actual = compiled(*given)
        np.testing.assert_array_equal(actual, expected)
        kept = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(actual[kept]), np.signbit(expected[kept]))
    assert RUNS == {"compiled": 2}


@pytest.mark.parametrize("mode", ["graph", "xla"])
def test_ranges_are_those_of_the_formula(mode: str) -> None:
    """What overflows on the way in NumPy does so in a graph."""

    def ratio(m: Any, x: Any, y: Any) -> Any:
        return m.exp(x) / m.exp(y), m.exp(x) * m.exp(y), m.sqrt(x * x), m.log(m.exp(x))

    with np.errstate(all="ignore"):
        expected = ratio(np, BORDERS, OTHERS)
    actual = rt.migrated(compile=mode)(lambda x, y: ratio(rt, x, y))(BORDERS, OTHERS)
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("mode", ["graph", "xla"])
@pytest.mark.parametrize("exponent", [2, 0.5, 3, -1, 1.5, -1.5])
def test_powers_of_numbers(exponent: float, mode: str) -> None:
    compiled = rt.migrated(compile=mode)(lambda x: x**exponent)
    with np.errstate(all="ignore"):
        for values in (BORDERS, X, 1e3 * np.abs(Y), 1e-200 * np.abs(Z)):
            np.testing.assert_allclose(compiled(values), values**exponent, rtol=8e-16)
        if exponent in (2, 0.5):
            np.testing.assert_array_equal(compiled(X), X**exponent)


@pytest.mark.parametrize("mode", ["graph", "xla"])
def test_sums_of_products_begin_with_zero(mode: str) -> None:
    a = np.array([[-0.0, 0.0], [-0.0, -0.0], [1.0, -1.0]])
    compiled = rt.migrated(compile=mode)(lambda a, b: (rt.matmul(a, b), rt.dot(a, b[0]), rt.einsum("ij,jk", a, b)))
    b = np.array([[0.0, 1.0], [0.0, 1.0]])
    for actual, expected in zip(compiled(a, b), (a @ b, a @ b[0], np.einsum("ij,jk", a, b)), strict=True):
        np.testing.assert_array_equal(actual, expected)
        np.testing.assert_array_equal(np.signbit(actual), np.signbit(expected))


def test_overflowing_powers_of_unsigned_integers() -> None:
    x, y = np.array([3, 7, 251], "u2"), np.array([19, 40, 30], "u2")
    for exponent in (y, 3):
        actual = rt.migrated(compile="xla")(lambda x, y: rt.op_pow(x, y))(x, exponent)
        np.testing.assert_array_equal(actual, x**exponent)


def test_gradients_pass() -> None:
    import tensorflow as tf

    for mode in ("graph", "xla"):
        core = rt.migrated(compile=mode)(lambda x: rt.sum(x * x / 4 + rt.exp(x))).core
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = core(x)
        np.testing.assert_allclose(tape.gradient(result, x), X / 2 + np.exp(X), rtol=1e-6)
