"""The methods of ufuncs inside tf.function, where they are loops, against NumPy: shapes known and unknown."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from agreement import kept, key_of, same

tf = pytest.importorskip("tensorflow")

from np2tnp import runtime as rt  # noqa: E402
from np2tnp.runtime.compile import compiled  # noqa: E402

DTYPES = "?bhilBHILefdFD"
#: Ufuncs and how far rounding may go, in units of the largest number.
EXACT = (
    "subtract fmod copysign heaviside left_shift right_shift floor_divide remainder lcm gcd bitwise_and bitwise_or "
    "bitwise_xor logical_xor logical_and maximum minimum fmax fmin equal not_equal less greater_equal"
).split()
ROUNDED = "divide hypot logaddexp logaddexp2 add multiply".split()
METHODS = ("reduce", "accumulate", "reduceat")


def numbers(rng: np.random.Generator, char: str, shape: tuple[int, ...], name: str) -> Any:
    kind = np.dtype(char).kind
    if kind in "biu":
        low = 0 if kind in "bu" or "shift" in name else -9
        return rng.integers(low, 2 if kind == "b" else 12, shape).astype(char)
    found = rng.normal(size=shape) * 2
    found = np.where(rng.random(shape) < 0.05, rng.choice([0.0, -0.0, np.nan, np.inf], shape), found)
    return (found + (1j * rng.normal(size=shape) if kind == "c" else 0)).astype(char)


def of_numpy(name: str, method: str, x: Any, *args: Any, **keywords: Any) -> Any:
    """NumPy's result, or the class of what it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return getattr(getattr(np, name), method)(x, *args, **keywords)
        except Exception as error:
            return type(error)


def in_graph(name: str, method: str, unknown: bool, x: Any, *args: Any, **keywords: Any) -> Any:
    """The helper's result in a tf.function, whose arrays have no known lengths where `unknown`."""
    arrays = [x, *args] if unknown else [x]
    shapes = [[None] * np.ndim(array) if unknown else array.shape for array in arrays]
    specs = [tf.TensorSpec(shape, array.dtype) for shape, array in zip(shapes, arrays, strict=True)]
    rest = () if unknown else args
    helper = getattr(rt, f"{name}_{method}")

    def run(*tensors: Any) -> Any:
        return helper(*tensors, *rest, **keywords)

    key = key_of(helper, (x, *map(np.asarray, args)), keywords)
    with_arrays = any(isinstance(value, np.ndarray) for value in keywords.values())  # they are in the graph
    graph = kept(
        key if unknown and not with_arrays else None, lambda: tf.function(run, input_signature=specs, autograph=False)
    )
    return graph(*map(tf.constant, arrays))


def agrees(name: str, method: str, factor: float, unknown: bool, x: Any, *args: Any, **keywords: Any) -> None:
    wanted = of_numpy(name, method, x, *args, **keywords)
    if isinstance(wanted, type):
        with pytest.raises((wanted, tf.errors.InvalidArgumentError, rt.UnverifiedError)):
            in_graph(name, method, unknown, x, *args, **keywords)
    else:
        same(in_graph(name, method, unknown, x, *args, **keywords), wanted, factor)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*EXACT, *ROUNDED])
def test_dtypes_in_a_graph(name: str, method: str) -> None:
    rng = np.random.default_rng(len(name))
    factor = 64.0 if name in ROUNDED else 0
    for number, char in list(enumerate(DTYPES))[len(name) % 2 :: 2]:
        length = [3, 13, 1, 20][number % 4]
        x = numbers(rng, char, (2, length), name)
        if char in "FD" and name in ("add", "multiply"):
            x = np.where(np.isfinite(x), x, 1)
        if name in ("add", "multiply") and method == "reduce" and char == "e":
            continue  # these are no loops
        starts = (rng.integers(0, length, 4),) if method == "reduceat" else ()
        agrees(name, method, factor, number % 3 == 0 and char != "e", x, *starts, axis=1)


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("name", ["subtract", "divide", "hypot", "fmin", "bitwise_xor", "logical_xor"])
def test_keywords_of_reduce(name: str, unknown: bool) -> None:
    rng = np.random.default_rng(5)
    char = "l" if name == "bitwise_xor" else "d"
    for shape in [(4, 3), (0, 3), (3, 0), (12, 1, 3)]:
        x = numbers(rng, char, shape, name)
        mask = rng.random(shape) < 0.5
        for keywords in [
            {}, {"axis": -1, "keepdims": True}, {"axis": None}, {"axis": (0, 1)}, {"initial": 3}, {"axis": 5},
            {"where": mask, "initial": 2}, {"where": mask}, {"initial": None}, {"dtype": np.float64},
        ]:  # fmt: skip
            agrees(name, "reduce", 64.0 if name in ("divide", "hypot") else 0, unknown, x, **keywords)


def test_a_reduction_of_one_element_begins_with_the_identity() -> None:
    for name, x in [("gcd", np.array([-3])), ("hypot", np.array([-3.0])), ("gcd", np.array([[-4, 6]]))]:
        same(rt.tensor(getattr(rt, f"{name}_reduce")(rt.tensor(x))), getattr(np, name).reduce(x))
        agrees(name, "reduce", 0, False, x)
        agrees(name, "reduce", 0, True, x)


@pytest.mark.parametrize("unknown", [False, True])
def test_half_precision_is_reduced_as_numpy_does(unknown: bool) -> None:
    x = np.random.default_rng(3).normal(size=(40, 3)).astype("e") * 8
    for name in ("subtract", "divide"):
        agrees(name, "accumulate", 0, unknown, x, axis=0)
        agrees(name, "reduceat", 0, unknown, x, np.array([0, 7, 3]), axis=0)
        agrees(name, "reduce", 0, unknown, x[:, 0])
        agrees(name, "reduce", 0, False, x, axis=0)
        agrees(name, "reduce", 0, False, np.ascontiguousarray(x.T), axis=1)


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "maximum", "logical_or", "gcd"])
def test_segments_of_all_kinds(name: str, unknown: bool) -> None:
    x = np.random.default_rng(7).integers(-9, 9, (33, 2))
    for starts in ([], [0], [32], [4, 0, 2, 2], [0, 32, 0, 31], [5, 5, 5], [0, 8, 16, 24], [33], [-1], [0, 99]):
        agrees(name, "reduceat", 0, unknown, x, np.array(starts, dtype=np.int64))
    agrees(name, "reduceat", 0, False, x, np.array([0.5]))
    agrees(name, "reduceat", 0, False, x, np.array([[0]]))


def test_long_segments_are_added_as_precisely_as_numpy_adds_them() -> None:
    x = np.random.default_rng(9).random(100_000).astype("f")
    starts = np.array([0, 70_000, 1])
    exact = np.add.reduceat(x.astype("d"), starts)
    for unknown in (False, True):
        found = in_graph("add", "reduceat", unknown, x, starts).numpy()
        assert np.abs(found / exact - 1).max() < 1e-6


@pytest.mark.parametrize("name", ["power", "arctan2"])
def test_what_numpy_does_not_compute_one_after_the_other_is_refused(name: str) -> None:
    x = np.random.default_rng(1).random(9) + 0.5
    for method, more in (("reduce", ()), ("reduceat", (np.array([0, 4]),))):
        with pytest.raises(rt.UnverifiedError, match="one element after the other"):
            in_graph(name, method, False, x, *more)
    agrees(name, "accumulate", 64.0, False, x)


def test_compiled_calls_check_indices_and_leave_long_loops_to_numpy() -> None:
    @rt.migrated(compile="graph")
    def totals(x: Any, starts: Any) -> Any:
        return rt.add_reduceat(x, starts)

    @rt.migrated(compile="xla")
    def left(x: Any) -> Any:
        return rt.subtract_reduce(x)

    x = np.arange(12.0)
    before = compiled.RUNS["compiled"]
    assert totals(x, np.array([0, 5])).tolist() == np.add.reduceat(x, [0, 5]).tolist()
    assert left(x) == np.subtract.reduce(x)
    assert compiled.RUNS["compiled"] == before + 2
    with pytest.raises(IndexError):
        totals(x, np.array([0, 12]))
    before = compiled.RUNS["compiled"]
    long = np.random.default_rng(0).random(5000)
    assert left(long) == np.subtract.reduce(long)
    assert compiled.RUNS["compiled"] == before


def test_gradients_flow_through_the_loops() -> None:
    x = tf.constant([[1.5, 2.0, 3.0], [0.5, 4.0, 1.0]], tf.float64)

    @tf.function(autograph=False)
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(rt.divide_reduce(x, 1)) + tf.reduce_sum(rt.add_reduceat(x, [0, 1], 1))
        return tape.gradient(total, x)

    found = slope(x).numpy()
    step = 1e-6
    for place in np.ndindex(2, 3):
        change = np.zeros((2, 3))
        change[place] = step
        ends = [
            np.divide.reduce(y, 1).sum() + np.add.reduceat(y, [0, 1], 1).sum()
            for y in (x.numpy() + change, x.numpy() - change)
        ]
        assert abs((ends[0] - ends[1]) / (2 * step) - found[place]) < 1e-6
