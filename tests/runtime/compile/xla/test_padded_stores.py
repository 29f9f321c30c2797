"""Stores to large slices under XLA, which become operations on the whole array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.tracing import tracing
from np2tnp.runtime.compile.compiled import RUNS

SPECIAL = np.array([[-0.0, 0.0, 1.5, -2.5], [np.nan, np.inf, -np.inf, 1e300], [7.0, -0.0, 0.25, 3.0]])
VALUE = np.array([[-0.0, 0.5, 0.0, 3.0], [1.0, -0.0, 2.0, -7.0]])

#: Name of the method of ``rt.at(x)[key]`` -> the same in place.
OPERATORS: dict[str, Callable[[Any, Any, Any], None]] = {
    "add": lambda x, key, v: x.__setitem__(key, x[key] + v),
    "subtract": lambda x, key, v: x.__setitem__(key, x[key] - v),
    "multiply": lambda x, key, v: x.__setitem__(key, x[key] * v),
    "divide": lambda x, key, v: x.__setitem__(key, x[key] / v),
}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i1", "u1", "c16", "?"])
def test_what_is_not_updated_stays_as_it_is(name: str, dtype: str) -> None:
    if name == "divide" and np.dtype(dtype).kind in "iub":
        pytest.skip("NumPy refuses it")
    with np.errstate(all="ignore"):
        x = (SPECIAL if dtype in ("f8", "f4") else np.arange(12).reshape(3, 4)).astype(dtype)
        values = (VALUE if dtype != "?" else VALUE > 0).astype(dtype)
    if name == "subtract" and dtype == "?":
        pytest.skip("NumPy refuses it")

    def update(x: Any, value: Any) -> Any:
        x = rt.op_mul(x, rt.ones_like(x))  # what is fused with the updates
        for key, part in ((np.s_[1:], value), (np.s_[:, :-1], value[:1, :3]), (np.s_[:2, None, 1:], value[1, 1:])):
            x = getattr(rt.at(x)[key], name)(part)
        return x

    RUNS.clear()
    with np.errstate(all="ignore"):
        actual = rt.migrated(compile="xla")(update)(x, values)
        expected = x * np.ones_like(x)
        for key, part in ((np.s_[1:], values), (np.s_[:, :-1], values[:1, :3]), (np.s_[:2, None, 1:], values[1, 1:])):
            OPERATORS[name](expected, key, part)
    assert RUNS == {"compiled": 1}
    assert actual.dtype == expected.dtype
    for part in (np.real, np.imag):
        np.testing.assert_allclose(part(actual), part(expected), rtol=1e-6)
        if dtype[0] == "f":
            kept = ~np.isnan(expected)
            assert np.array_equal(np.signbit(actual[kept]), np.signbit(expected[kept]))


def test_shapes_that_do_not_fit_raise_as_in_numpy() -> None:
    def update(x: Any, value: Any) -> Any:
        x = rt.op_mul(x, 2)
        return rt.at(x)[1:].add(value)

    for shape in ((3, 4), (1, 2, 4)):
        with pytest.raises(ValueError, match="broadcast"):
            rt.migrated(compile="xla")(update)(np.ones((3, 4)), np.ones(shape))


def test_a_value_of_another_dtype_follows_numpys_casting() -> None:
    def update(x: Any, value: Any) -> Any:
        x = rt.op_mul(x, 2)
        return rt.at(x)[1:].add(value)

    x, value = np.arange(5, dtype="f4"), np.array([1.0, 2.0, 1e-9, 0.1])
    expected = x * 2
    expected[1:] += value
    actual = rt.migrated(compile="xla")(update)(x, value)
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)
    with pytest.raises(TypeError, match="Cannot cast ufunc 'add' output"):
        rt.migrated(compile="xla")(update)(np.arange(5), value)


def test_a_copy_is_what_it_was_copied_from() -> None:
    import tensorflow as tf

    def smooth(u: Any) -> Any:
        return rt.at(rt.copy(u))[1:-1].set(rt.op_mul(0.5, rt.op_add(u[:-2], u[2:])))

    with tracing("xla"):
        function = tf.function(smooth, input_signature=[tf.TensorSpec((1000,), tf.float64)], jit_compile=True)
        text = function.experimental_get_compiler_ir(tf.zeros(1000, tf.float64))(stage="optimized_hlo")
    assert "pad(" in text
    assert "dynamic-update-slice" not in text
