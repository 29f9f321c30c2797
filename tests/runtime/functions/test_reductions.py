"""Reductions, NaN-aware reductions, averages and quantiles against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from agreement import check
from arrays import NUMERIC, shapes

from np2tnp import runtime as rt

#: Sums add in another order than NumPy's pairwise summation: a bound on eps times the largest result is enough here.
LOOSE = 64.0
AXES = [None, 0, -1, 1, (0, 1), (0, -1)]
PLAIN = ["sum", "prod", "max", "min", "mean", "var", "std", "all", "any", "ptp"]


def tolerance(char):
    return LOOSE if np.dtype(char).kind in "fciub" else 0


def is_claimed(char, array, axis=0):
    """Ordinary arrays of the ordinary dtypes must be reduced by TensorFlow."""
    return char in "?lfd" and array.ndim > 0 and array.size > 0 and not (isinstance(axis, tuple) and array.ndim < 2)


@pytest.mark.parametrize("char", NUMERIC)
@pytest.mark.parametrize("name", PLAIN)
def test_reductions(name, char):
    for x in shapes(char):
        for axis in AXES:
            if char in "eF" and name in ("var", "std"):
                continue  # their squares overflow: bounded by the next test's dtypes
            claimed = is_claimed(char, x, axis) and axis != (0, -1) and not (axis == 1 and x.ndim < 2)
            claimed = claimed and not (name == "ptp" and char == "?")
            check(name, x, axis=axis, claimed=claimed, factor=tolerance(char))
            check(name, x, axis=axis, keepdims=True, claimed=claimed, factor=tolerance(char))


@pytest.mark.parametrize("char", "?blBefdD")
@pytest.mark.parametrize(
    ("name", "keywords"),
    [
        ("sum", {"initial": 3}),
        ("sum", {"dtype": np.float32}),
        ("sum", {"dtype": "int16"}),
        ("prod", {"dtype": np.uint8}),
        ("max", {"initial": 1}),
        ("min", {"initial": 1, "axis": 0}),
        ("mean", {"dtype": np.float64}),
        ("var", {"ddof": 1}),
        ("std", {"ddof": 1, "axis": 0}),
        ("var", {"ddof": 50}),
        ("var", {"correction": 1}),
        ("cumsum", {"dtype": np.float64, "axis": 1}),
        ("sum", {"axis": 5}),
        ("max", {"axis": -3}),
    ],
)
def test_keywords(name, char, keywords):
    for x in shapes(char, (3, 4)):
        check(name, x, claimed=False, factor=tolerance(char), **keywords)


@pytest.mark.parametrize("char", "ldf")
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "all", "any"])
def test_where(name, char):
    x = next(shapes(char, (3, 4)))
    mask = np.array([[True, False, True, True], [True, True, False, True], [True, True, True, True]])
    for axis in (None, 0, 1):
        check(name, x, axis=axis, where=mask, factor=LOOSE)
    check(name, x, axis=1, where=mask[0], keepdims=True, factor=LOOSE)
    check("max", x, where=mask, initial=-100)


@pytest.mark.parametrize("char", NUMERIC)
@pytest.mark.parametrize("name", ["argmax", "argmin", "cumsum", "cumprod", "count_nonzero", "cumulative_sum"])
def test_places_and_running_sums(name, char):
    if char == "e" and name == "cumprod":
        pytest.skip("float16 overflows, and then the order of multiplication shows")
    for x in shapes(char):
        for axis in (None, 0, -1, 1):
            claimed = is_claimed(char, x) and not (axis == 1 and x.ndim < 2) and not (axis is None and x.ndim > 1)
            check(name, x, axis=axis, claimed=claimed, factor=tolerance(char))


def test_the_first_of_equals_and_of_nan_wins():
    check("argmax", np.array([1.0, 3.0, 3.0, 2.0]))
    check("argmax", np.array([[1, np.nan, 9, np.nan], [4, 4, 1, 2]]), axis=1)
    check("argmin", np.array([[1, np.nan, -9, np.nan], [4, 4, 1, 1]]), axis=1)
    check("max", np.array([[1, np.nan], [4, 5]]), axis=1)


def test_nothing_has_no_extreme():
    for name in ("max", "min", "argmax", "ptp"):
        check(name, np.zeros((0,)))
        check(name, np.zeros((2, 0)), axis=1)
    check("max", np.zeros((2, 0)), axis=0)
    check("sum", np.zeros((2, 0)), axis=1)


def test_the_mean_of_many_float16_ones():
    check("mean", np.ones(70_000, np.float16))


@pytest.mark.parametrize("char", "lefd")
@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin", "nanmedian"])
def test_nan_is_passed_over(name, char):
    rng = np.random.default_rng(2)
    for shape in ((6,), (3, 4), (2, 3, 4)):
        x = (rng.standard_normal(shape) * 4).astype(char)
        cases = [x]
        if char != "l":
            some = np.where(rng.random(shape) < 0.3, np.nan, x).astype(char)
            most = some.copy()
            most[0] = np.nan
            cases += [some, most]
        for case in cases:
            for axis in (None, 0, -1):
                check(name, case, axis=axis, factor=LOOSE)
                check(name, case, axis=axis, keepdims=True, factor=LOOSE)


def test_places_beside_nan():
    x = np.array([[np.nan, 3.0, 1.0], [2.0, np.nan, 5.0]])
    for name in ("nanargmax", "nanargmin"):
        for axis in (None, 0, 1):
            check(name, x, axis=axis)
        check(name, np.array([[np.nan, np.nan], [1.0, 2.0]]), axis=1)


@pytest.mark.parametrize("char", "lfd")
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "hazen", "weibull", "median_unbiased"])
def test_quantiles(method, char):
    for x in shapes(char, (7,), (3, 4), (2, 3, 4)):
        for axis in (None, 0, -1):
            for q in (0.3, 0.0, 1.0, np.array([0.1, 0.85, 1.0])):
                check("quantile", x, q, axis, method=method, claimed=char != "f", factor=LOOSE)
            check("percentile", x, 40.0, axis, keepdims=True, method=method, claimed=char != "f", factor=LOOSE)


@pytest.mark.parametrize("char", "?lefd")
def test_median_and_average(char):
    for x in shapes(char, (7,), (8,), (3, 4), (2, 3, 4)):
        for axis in (None, 0, -1):
            check("median", x, axis=axis, factor=LOOSE)
            check("average", x, axis=axis, factor=LOOSE)
    x = next(shapes(char, (3, 4)))
    check("average", x, 1, np.arange(4.0), factor=LOOSE)
    check("average", x, 0, [1, 2, 3], returned=True, factor=LOOSE)
    check("average", x, 1, np.zeros(4))


def test_trapezoid():
    y, x = np.arange(12.0).reshape(3, 4) ** 2, np.array([0.0, 1.0, 3.0, 4.0])
    check("trapezoid", y, factor=4)
    check("trapezoid", y, x, factor=4)
    check("trapezoid", y, dx=0.5, axis=0, factor=4)
    check("trapezoid", np.arange(5), factor=4)


@pytest.mark.parametrize("name", ["sum", "mean", "std", "max", "argmax", "cumsum", "median", "nanmean"])
@pytest.mark.parametrize("compiled", [False, True])
def test_inside_tf_function(name, compiled):
    x = np.random.default_rng(0).standard_normal((5, 6))
    staged = tf.function(lambda t: getattr(rt, name)(t, axis=1), jit_compile=compiled)
    np.testing.assert_allclose(staged(tf.constant(x)).numpy(), getattr(np, name)(x, axis=1), rtol=1e-13)


def test_gradients_flow():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = rt.var(x) + rt.max(x) + rt.sum(rt.mean(x, axis=0))
    values = x.numpy()
    expected = 2 * (values - values.mean()) / 4 + (values == 5.0) + 0.5
    np.testing.assert_allclose(tape.gradient(y, x), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "factors",
    [
        np.r_[0.0, np.full(3000, 1e3)],
        np.r_[np.full(3000, 1e3), -0.0],
        np.array([1e300, 1e300, 1e-300, 1e-300]),
        np.array([1e-300, 1e-300, 1e300, 1e300]),
        np.full(3000, 1e-3),
        np.full((2, 300), 1.5),
        np.array([0.0, -2.0, 3.0]),
        np.array([np.nan, 0.0, 1e300]),
        np.array([np.inf, 1.0]),
        np.array([]),
    ],
    ids=lambda x: f"{x.shape}",
)
def test_order_of_factors(factors: np.ndarray) -> None:
    for name in ("prod", "nanprod"):
        expected, actual = getattr(np, name)(factors), rt.host(getattr(rt, name)(rt.tensor(factors)))
        np.testing.assert_allclose(actual, expected, rtol=1e-12)
        assert np.signbit(actual) == np.signbit(expected) or np.isnan(expected)


@pytest.mark.parametrize("char", ["D", "F"])
@pytest.mark.parametrize("name", ["prod", "cumprod", "nancumprod", "multiply.accumulate", "multiply.reduce"])
def test_products_of_infinite_complex_numbers(name: str, char: str) -> None:
    helper = getattr(rt, name.replace(".", "_"))
    function = getattr(np.multiply, name[9:]) if "." in name else getattr(np, name)
    infinite = complex(np.inf, 1)
    for factors in (
        [infinite, 2 - 3j, complex(1, np.inf)],
        [complex(np.inf, np.inf), 1],
        [3e38, 1e270, 1j],
        [infinite],
    ):
        with np.errstate(all="ignore"):
            x = np.array(factors).astype(char)
            np.testing.assert_array_equal(rt.host(helper(rt.tensor(x))), function(x))


@pytest.mark.parametrize("initial", [np.inf, 1e300, 1e-300, -0.0, 2.0])
def test_a_product_begins_with_initial(initial: float) -> None:
    for factors in ([1e10, 1e-10], [2.0, 0.0], [3 + 1j, 2j]):
        with np.errstate(all="ignore"):
            expected = np.prod(factors, initial=initial)
        actual = rt.host(rt.prod(rt.tensor(np.array(factors)), initial=initial))
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("shape", [(1,), (2,), (3,), (2, 1), (1, 2), (1, 3, 1), (3, 4), ()], ids=str)
@pytest.mark.parametrize("name", ["sum", "mean", "nansum", "average", "median", "nanmedian", "trapezoid", "cumsum"])
def test_sign_of_zero(name: str, shape: tuple[int, ...]) -> None:
    for dtype in ("e", "f", "d"):
        x = np.full(shape, -0.0, dtype)
        for axis in (None, *range(len(shape))):
            if name == "trapezoid" and axis is None:
                continue
            expected = getattr(np, name)(x, axis=axis)
            actual = rt.host(getattr(rt, name)(rt.tensor(x), axis=axis))
            np.testing.assert_array_equal(np.signbit(actual), np.signbit(expected))
