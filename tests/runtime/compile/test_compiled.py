"""Functions compiled by their decorator give what they give eagerly, or run eagerly."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from forked_python import python

from np2tnp import runtime as rt
from np2tnp.runtime.compile import compiled
from np2tnp.runtime.compile.compiled import MOST_CHANGES, MOST_TRACES, RUNS

MODES = ("graph", "xla")
STRENGTH = 2.0
TABLE = np.arange(3.0)
SIDES = [1.0, 8.0]
ELEMENTS = {"H": (1, 1.0), "He": (4, 4.0)}
STEPS: list[Any] = []


def times_strength(x: Any) -> Any:
    return x * STRENGTH


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    RUNS.clear()
    return str(request.param)


def same(actual: Any, expected: Any) -> None:
    assert type(actual) is type(expected)
    if isinstance(expected, tuple):
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            same(one, other)
        return
    if expected is None or isinstance(expected, str):
        assert actual == expected
        return
    np.testing.assert_allclose(actual, expected, rtol=1e-6)
    if isinstance(expected, (np.ndarray, np.generic)):
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)


def run(function: Callable[..., Any], mode: str, *args: Any, **options: Any) -> tuple[Any, Any]:
    """The eager and the compiled result."""
    eager = rt.migrated(**options)(function)
    traced = rt.migrated(compile=mode, **options)(function)
    return traced(*args), eager(*args)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i1", "c8"])
def test_values_and_dtypes(mode: str, dtype: str) -> None:
    def scaled(x: Any, factor: float) -> Any:
        return rt.op_mul(x, 3), rt.sum(x), rt.size(x), rt.op_truediv(x, 2), factor, "text", None

    x = np.arange(5).astype(dtype)
    actual, expected = run(scaled, mode, x, 0.5)
    same(actual, expected)
    assert RUNS == {"compiled": 1}


def test_arguments_are_updated_and_results_are_own_memory(mode: str) -> None:
    @rt.migrated(mutates=("a",), returns=("a", "b"), compile=mode)
    def shift(a: Any, b: Any) -> Any:
        a = rt.at(a)[1:].set(b[:-1])
        return rt.updated((a, b, b + 1), a=a)

    for _ in range(2):
        a, b = np.zeros(4), np.arange(4.0)
        first, second, third = shift(a, b)
        assert first is a
        assert second is b
        assert a.tolist() == [0, 0, 1, 2]
        third[0] = 9
        assert b[0] == 0
    assert RUNS == {"compiled": 2}


def test_a_container_that_is_updated_in_place_is_not_traced(mode: str) -> None:
    @rt.migrated(mutates=("items",), compile=mode)
    def fill(items: Any, value: float) -> Any:
        items = rt.at(items)[0].set(value)
        return rt.updated(None, items=items)

    for value in (1.0, 2.0):
        items = [0.0, 0.0]
        fill(items, value)
        assert items == [value, 0.0]
    assert not RUNS


def test_numbers_of_one_value_but_another_kind_are_told_apart(mode: str) -> None:
    @rt.migrated(compile=mode)
    def scaled(x: Any, factor: Any) -> Any:
        return rt.op_mul(x, factor)

    x = np.arange(3, dtype="i4")
    for factor in (1, 1.0, True, np.float32(1), 1j, -0.0, 0.0):
        same(scaled(x, factor), x * factor)
        assert np.array_equal(np.signbit(np.real(scaled(x, factor))), np.signbit(np.real(x * factor)))


def test_a_global_that_is_rebound_is_seen(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @rt.migrated(compile=mode)
    def scaled(x: Any) -> Any:
        return x * STRENGTH

    assert scaled(np.ones(2)).tolist() == [2, 2]
    monkeypatch.setitem(globals(), "STRENGTH", 3.0)
    assert scaled(np.ones(2)).tolist() == [3, 3]
    assert RUNS == {"compiled": 2}


def test_a_global_array_that_changes_is_traced_again_until_it_changes_often(
    mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    @rt.migrated(compile=mode)
    def added(x: Any) -> Any:
        return x + rt.tensor(TABLE) + SIDES[-1] * ELEMENTS["He"][0]

    assert added(np.ones(3)).tolist() == [33, 34, 35]
    for number in range(MOST_CHANGES + 2):
        with caplog.at_level(logging.WARNING, "np2tnp"):
            TABLE[0] = number
            assert added(np.ones(3)).tolist() == [33 + number, 34, 35]
    TABLE[0] = 0
    assert RUNS == {"compiled": 2 + MOST_CHANGES, "eager": 1}
    assert "globals that it reads change from call to call" in caplog.text


@pytest.mark.parametrize("changed", ["SIDES[-1] = 8.5", "ELEMENTS['He'] = (2, 4.0)", "ELEMENTS['He'][1][0] = 1.0"])
def test_what_global_containers_hold_is_seen_at_each_call(
    mode: str, changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "SIDES", [1.0, 8.0])
    monkeypatch.setitem(globals(), "ELEMENTS", {"H": (1, np.zeros(2)), "He": (4, np.zeros(2))})

    @rt.migrated(compile=mode)
    def summed(x: Any) -> Any:
        total = x * 1.0
        for number, shift in ELEMENTS.values():
            total = total + number * SIDES[-1] + rt.sum(shift)
        return total

    for _ in range(2):
        expected = 1.0 + sum(number * SIDES[-1] + np.sum(shift) for number, shift in ELEMENTS.values())
        assert summed(np.ones(2)).tolist() == [expected] * 2
        exec(changed, globals())
    assert RUNS == {"compiled": 2}


@pytest.mark.parametrize("name", ["SIDES", "TABLE", "ELEMENTS"])
def test_a_global_that_is_given_back_stays_the_very_object(mode: str, name: str) -> None:
    @rt.migrated(compile=mode)
    def paired(x: Any) -> Any:
        given = {"SIDES": SIDES, "TABLE": TABLE, "ELEMENTS": ELEMENTS}[name]
        return x * 2, given

    assert paired(np.ones(2))[1] is globals()[name]
    assert not RUNS["compiled"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.ones(1 << 16), "a large ndarray"),
        ({1, 2}, "a set"),
        ([object()], "a object"),
        ([0.0] * 1000, "which holds more than 500 items"),
    ],
    ids=["large", "set", "object", "long"],
)
def test_a_global_that_may_change_unseen_keeps_it_eager(
    mode: str, value: Any, words: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    @rt.migrated(compile=mode)
    def added(x: Any) -> Any:
        return x + len(TABLE)

    monkeypatch.setitem(globals(), "TABLE", value)
    with caplog.at_level(logging.WARNING, "np2tnp"):
        assert added(np.ones(3)).tolist() == [1 + len(value)] * 3
    assert RUNS == {"eager": 1}
    assert f"reads the global TABLE, {words}" in caplog.text


def test_functions_in_a_global_table_are_read_too(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "STEPS", [times_strength])

    @rt.migrated(compile=mode)
    def stepped(x: Any) -> Any:
        for step in STEPS:
            x = step(x)
        return x

    assert stepped(np.ones(2)).tolist() == [2, 2]
    monkeypatch.setitem(globals(), "STRENGTH", 3.0)
    assert stepped(np.ones(2)).tolist() == [3, 3]
    assert RUNS == {"compiled": 2}


def test_values_that_vary_do_not_retrace_for_ever(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    @rt.migrated(compile=mode)
    def first(x: Any, count: int) -> Any:
        return x[:count] * 2

    with caplog.at_level(logging.WARNING, "np2tnp"):
        for count in range(MOST_TRACES + 3):
            assert first(np.ones(20), count).tolist() == [2.0] * count
    assert RUNS == {"compiled": MOST_TRACES, "eager": 3}
    assert f"more than {MOST_TRACES} combinations" in caplog.text
    assert "numbers do not vary in a graph" in caplog.text


@pytest.mark.parametrize("index", [3, -4, 99])
def test_an_index_out_of_range_raises_what_numpy_raises(mode: str, index: int) -> None:
    @rt.migrated(mutates=("x",), compile=mode)
    def picked(x: Any, rows: Any) -> Any:
        x = rt.at(x)[rows].set(7.0)
        return rt.updated(rt.at(x)[rows].get(), x=x)

    x = np.arange(3.0)
    assert picked(x, np.array([0, -1])).tolist() == [7, 7]
    assert x.tolist() == [7, 1, 7]
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 3"):
        picked(x, np.array([0, index]))
    assert x.tolist() == [7, 1, 7]
    assert RUNS["repeated"] == 1


RISING = np.array([-1.0, 0.5, 0.5, 2.25, 7.0])

#: What NumPy refuses for some values and not for others: the call, arguments for which it returns, and for which not.
ON_VALUES: list[tuple[Callable[..., Any], Callable[..., Any], list[Any], list[Any]]] = [
    (lambda i: np.unravel_index(i, (2, 3)), lambda i: rt.unravel_index(i, (2, 3)), [np.arange(6)], [np.arange(7)]),
    (
        lambda i, j: np.ravel_multi_index((i, j), (2, 3)), lambda i, j: rt.ravel_multi_index((i, j), (2, 3)),
        [np.array([0, 1]), np.array([2, 0])], [np.array([0, -1]), np.array([2, 0])],
    ),
    (
        lambda i, x: np.choose(i, [x, -x]), lambda i, x: rt.choose(i, [x, -x]),
        [np.array([0, 1, 1]), np.arange(3.0)], [np.array([0, 1, -1]), np.arange(3.0)],
    ),
]  # fmt: skip


LIMITS = [1.0, math.nan, np.array([math.nan, 1.0, 2.0]), np.float64(math.nan), None]


@pytest.mark.parametrize("low", LIMITS)
@pytest.mark.parametrize("high", LIMITS[:4])
def test_limits_that_are_nan_stay_nan(mode: str, low: Any, high: Any) -> None:
    x = np.array([0.5, 1.5, 3.0])
    compiled_one = rt.migrated(compile=mode)(lambda x: rt.clip(x, low, high))
    same(compiled_one(x), np.clip(x, low, high))


@pytest.mark.parametrize("initial", [1.0, math.nan])
def test_a_reduction_that_begins_with_nan_is_nan(mode: str, initial: float) -> None:
    x = np.array([0.5, 1.5, 3.0])
    compiled_one = rt.migrated(compile=mode)(lambda x: (rt.max(x, initial=initial), rt.min(x, initial=initial)))
    same(compiled_one(x), (np.max(x, initial=initial), np.min(x, initial=initial)))


@pytest.mark.parametrize("case", ON_VALUES)
def test_what_numpy_refuses_by_values_is_compiled(mode: str, case: Any) -> None:
    original, body, returning, raising = case
    compiled_one = rt.migrated(compile=mode)(body)
    for _ in range(2):
        same(compiled_one(*returning), original(*returning))
    assert "eager" not in RUNS
    with pytest.raises(ValueError, match=r"index|invalid entry") as expected:
        original(*raising)
    with pytest.raises(ValueError, match=r"index|invalid entry") as actual:
        compiled_one(*raising)
    assert str(actual.value) == str(expected.value)


@pytest.mark.parametrize("points", [RISING, RISING[::-1].copy(), np.array([0.0, 1.0, np.nan, 2.0, 3.0])])
def test_interpolation_is_compiled_and_points_that_fall_are_left_to_numpy(mode: str, points: np.ndarray) -> None:
    body = rt.migrated(compile=mode)(lambda x, xp, fp: rt.interp(x, xp, fp, right=9.0))
    values = np.array([3.0, np.nan, -2.0, 0.1, np.inf])
    places = np.concatenate([RISING, [-5.0, 0.3, 1.7, 99.0, np.nan, np.inf, -np.inf]])
    np.testing.assert_array_equal(body(places, points, values), np.interp(places, points, values, right=9.0))
    assert dict(RUNS) == ({"compiled": 1} if points is RISING else {"repeated": 1})


def test_what_needs_a_value_runs_eagerly(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    @rt.migrated(compile=mode)
    def sign(x: Any) -> Any:
        return "positive" if rt.sum(x) > 0 else "negative"

    with caplog.at_level(logging.WARNING, "np2tnp"):
        assert [sign(np.ones(2)), sign(-np.ones(2))] == ["positive", "negative"]
    assert RUNS == {"eager": 2}
    assert "runs eagerly" in caplog.text


def test_a_compiled_function_calls_others_by_their_cores(mode: str) -> None:
    @rt.migrated(mutates=("x",), compile=mode)
    def double(x: Any) -> Any:
        x = rt.imul(x, 2)
        return rt.updated(None, x=x)

    @rt.migrated
    def eager(x: Any) -> Any:
        return x + 1

    def twice(x: Any) -> Any:
        _, x = double.core(x)  # type: ignore[attr-defined]
        return x

    def through_eager(x: Any) -> Any:
        return eager.core(x)  # type: ignore[attr-defined]

    globals().update(double=double, eager=eager)
    twice.__globals__["double"] = double
    assert rt.migrated(compile=mode)(twice)(np.ones(2)).tolist() == [2, 2]
    assert RUNS.pop("compiled") == 1
    assert rt.migrated(compile=mode)(through_eager)(np.ones(2)).tolist() == [2, 2]
    assert not RUNS["compiled"]


def test_unknown_modes_are_refused() -> None:
    with pytest.raises(ValueError, match="compile must be"):
        rt.migrated(compile="jit")


def test_results_whose_shape_depends_on_values_run_eagerly(mode: str) -> None:
    @rt.migrated(compile=mode)
    def positive(x: Any) -> Any:
        return rt.at(x)[x > 0].get()

    assert positive(np.array([1.0, -1, 2])).tolist() == [1, 2]
    assert positive(np.array([1.0, 1, 2])).tolist() == [1, 1, 2]
    assert RUNS["compiled"] == 0


def test_arrays_of_unknown_length_are_exact_in_every_mode(mode: str) -> None:
    """XLA pads such arrays: their last element would be one of the padding."""

    def last(x: Any) -> Any:
        places = rt.nonzero(x > 0.5)[0]
        return rt.at(places)[-1].get(), rt.at(x)[places[-1]].get()

    def inside(x: Any) -> Any:
        return rt.fori_loop(0, 2, lambda _, total: total + last(x)[1], 0.0)

    x = np.array([0.75, 0.25, 1.5, 0.5, 0.0])
    for function in (last, inside):
        same(*run(function, mode, x))
    assert mode == "graph" or not RUNS["compiled"]


def test_global_names_are_those_that_code_loads() -> None:
    def reader(x: Any) -> Any:
        return [STRENGTH * x.TABLE for _ in range(3)]

    from np2tnp.runtime.base.tracing import global_names

    assert set(global_names(reader.__code__)) == {"STRENGTH", "range"}
    assert compiled.MODES == MODES


SPECIAL = np.array([np.nan, -np.nan, 0.0, -0.0, 1, -2, np.inf, -np.inf, 1e308])
PAIRS = [values.ravel() for values in np.meshgrid(SPECIAL, SPECIAL)]


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin", "hypot", "sign", "max", "nanmax", "sort"])
def test_special_values_survive_compilation(mode: str, name: str) -> None:
    """XLA's own maximum loses NaNs on a CPU, for one."""
    reference = getattr(np, name)
    arguments = PAIRS if isinstance(reference, np.ufunc) and reference.nin == 2 else [SPECIAL]
    with np.errstate(all="ignore"):
        expected = reference(*arguments)
    actual = rt.migrated(compile=mode)(lambda *args: getattr(rt, name)(*args))(*arguments)
    np.testing.assert_array_equal(actual, expected)


def test_what_xla_computes_otherwise_is_not_compiled() -> None:
    RUNS.clear()
    order = rt.migrated(compile="xla")(lambda x: rt.argsort(x, kind="stable"))(SPECIAL)
    assert order.tolist() == np.argsort(SPECIAL, kind="stable").tolist()
    assert RUNS == {"eager": 1}


NARROWED = """
import numpy as np
from np2tnp import runtime as rt

@rt.migrated(compile="xla", above=0)
def low_bits(x, y):
    exponents = rt.frexp(rt.astype(x, float))[1]
    return rt.astype(x, np.int32) & y, rt.astype(x % 8 * 0.5, np.int8) | rt.astype(y, np.int8), exponents & y

found = low_bits(np.array([-7, -2, 2**33 + 5, 6]), np.array([3, 6, 7, -1], np.int32))
print([(part.tolist(), part.dtype.char) for part in found])
"""


def test_bits_of_narrowed_integers_do_not_end_the_process() -> None:
    done = python("-c", NARROWED)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "[([1, 6, 5, 6], 'i'), ([3, 7, 7, -1], 'b'), ([3, 2, 2, 3], 'i')]\n"


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u1", "u8"])
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_numbers_that_an_integer_cannot_hold_become_what_numpy_makes_of_them(mode: str, dtype: str) -> None:
    values = np.array([1e10, -1e10, 1e19, -1e19, 1e25, np.nan, np.inf, -np.inf, 300.0, -1.5, 2.0**31, 2.0**63])
    found = rt.migrated(compile=mode)(lambda x: rt.astype(x, dtype))(values)
    assert RUNS == {"compiled": 1}
    np.testing.assert_array_equal(found, values.astype(dtype))
    np.testing.assert_array_equal(rt.host(rt.astype(rt.tensor(values), dtype)), values.astype(dtype))


def test_verdicts_stay_pythons(mode: str) -> None:
    verdict = rt.migrated(compile=mode)(lambda x: rt.allclose(x, x + 1e-12))(np.ones(3))
    assert verdict is True
    assert RUNS == {"compiled": 1}


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u1"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)])
def test_extremes_of_large_arrays_keep_nan(dtype: str, axis: Any) -> None:
    rng = np.random.default_rng(0)
    x = (100 * rng.random((19, 31, 17))).astype(dtype)
    versions = [x]
    if x.dtype.kind == "f":
        for place in ((0, 0, 0), (7, 30, 3), (18, 5, 16)):
            versions.append(x.copy())
            versions[-1][place] = np.nan
    compiled = rt.migrated(compile="xla")(lambda x: (rt.max(x, axis), rt.min(x, axis)))
    for version in versions:
        for actual, expected in zip(compiled(version), (version.max(axis), version.min(axis)), strict=True):
            np.testing.assert_array_equal(actual, expected)


def test_complex_nan_is_not_lost(mode: str) -> None:
    parts = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 3.0])
    z = np.empty((7, 7), np.complex128)
    z.real, z.imag = np.meshgrid(parts, parts)
    with np.errstate(all="ignore"):
        expected = np.abs(z), np.isnan(np.sqrt(z))
    actual = rt.migrated(compile=mode)(lambda z: (rt.absolute(z), rt.isnan(rt.sqrt(z))))(z)
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_what_xla_cannot_compile_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    """TensorFlow's own text repeats it for each place, with names of nodes that nobody wrote."""

    @rt.migrated(compile="xla")
    def total(x: Any) -> Any:
        return sum(rt.linalg.slogdet(x + k)[1] for k in range(7))

    with caplog.at_level(logging.WARNING, "np2tnp"):
        total(np.eye(3) * 4)
    (record,) = caplog.records
    assert record.getMessage().endswith("not as compiled: XLA cannot compile LogMatrixDeterminant here")
