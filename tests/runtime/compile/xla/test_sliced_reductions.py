"""Sums and extremes of large arrays under XLA, which begin with sums and extremes of slices."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.tracing import tracing
from np2tnp.runtime.compile.compiled import RUNS

#: Shapes of at least 4096 elements, with and without something left over when an axis is cut.
SHAPES = [(4096,), (4099,), (64, 64), (17, 3, 83), (2, 2100), (5000, 1), (1, 7, 600)]


def reductions(x: Any) -> Any:
    axes: tuple[Any, ...] = (None, *range(len(x.shape)), tuple(range(len(x.shape))))
    found = [rt.sum(x, axis=axis) for axis in axes]
    if x.dtype.name != "bool":
        found += [rt.max(x, axis=axis, keepdims=True) for axis in axes]
    return (*found, rt.mean(x, axis=0, keepdims=True), rt.var(x, axis=-1), rt.linalg.norm(x), rt.linalg.norm(x, axis=0))


def expected_of(x: Any) -> Any:
    axes: tuple[Any, ...] = (None, *range(x.ndim), tuple(range(x.ndim)))
    found = [np.sum(x, axis=axis) for axis in axes]
    if x.dtype != bool:
        found += [np.max(x, axis=axis, keepdims=True) for axis in axes]
    return (*found, np.mean(x, axis=0, keepdims=True), np.var(x, axis=-1), np.linalg.norm(x), np.linalg.norm(x, axis=0))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?"])
def test_reductions_are_numpys(shape: tuple[int, ...], dtype: str) -> None:
    numbers = np.random.default_rng(0).standard_normal(shape) * 100
    x = (numbers > 0) if dtype == "?" else np.abs(numbers).astype(dtype) if dtype == "u1" else numbers.astype(dtype)
    RUNS.clear()
    actual = rt.migrated(compile="xla")(reductions)(x)
    assert RUNS == {"compiled": 1}
    size = float(np.abs(x.astype("f8")).sum())
    for one, other in zip(actual, expected_of(x), strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if other.dtype.kind == "f":
            wide = np.finfo(other.dtype).eps
            np.testing.assert_allclose(one, other, rtol=100 * wide, atol=size * wide)
        else:
            np.testing.assert_array_equal(one, other)


@rt.migrated(compile="xla")
def total_and_most(x: Any) -> Any:
    return rt.sum(x), rt.max(x)


@pytest.mark.parametrize("place", [0, 1024, 4095, 4096, 4098])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_element_is_passed_over(place: int, value: float) -> None:
    x = np.ones(4099)
    x[place] = value
    RUNS.clear()
    total, most = total_and_most(x)
    assert RUNS == {"compiled": 1}
    np.testing.assert_array_equal((total, most), (x.sum(), x.max()))


def test_the_elements_of_a_sum_are_not_stored() -> None:
    import tensorflow as tf

    def energy(x: Any) -> Any:
        return rt.sum(rt.square(rt.subtract(x[1:], x[:-1])))

    with tracing("xla"):
        function = tf.function(energy, input_signature=[tf.TensorSpec((1000, 1000), tf.float64)], jit_compile=True)
        text = function.experimental_get_compiler_ir(tf.zeros((1000, 1000), tf.float64))(stage="optimized_hlo")
    entry = text[text.index("ENTRY") :]
    lengths = [int(count) for count in re.findall(r"= f64\[(\d+),1000\]\S* fusion", entry)]
    assert lengths
    assert max(lengths) < 300


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        *(("f8", shape) for shape in [*SHAPES, (90, 50), (50, 90)]),
        *((dtype, shape) for dtype in ("f4", "f2", "i8", "u1", "?") for shape in [(4099,), (17, 3, 83), (50, 90)]),
    ],
    ids=str,
)
def test_places_of_extremes_are_numpys(dtype: str, shape: tuple[int, ...]) -> None:
    """Of equal ones the first, of NaNs the first."""

    def places(np: Any, x: Any) -> Any:
        axes = (None, *range(len(x.shape)))
        return tuple(find(x, axis=axis) for find in (np.argmax, np.argmin, np.max, np.min) for axis in axes)

    rng = np.random.default_rng(0)
    compiled = rt.migrated(compile="xla")(lambda x: places(rt, x))
    for special in (None, np.nan, np.inf, -np.inf):
        for count in (1, 3, 700):
            x = np.abs(np.round(rng.standard_normal(shape) * 3)).astype(dtype)
            if special is not None and dtype[0] == "f":
                x.ravel()[rng.integers(0, x.size, count)] = special
                x.ravel()[rng.integers(0, x.size, 2)] = np.nan
            for one, other in zip(compiled(x), places(np, x), strict=True):
                assert (type(one), np.asarray(one).dtype) == (type(other), np.asarray(other).dtype)
                np.testing.assert_array_equal(one, other)
