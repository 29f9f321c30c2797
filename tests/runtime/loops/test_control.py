"""Staged loops and branches: the same values, dtypes and errors as Python's own statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compile.compiled import RUNS

MODES = ("none", "graph", "xla")


def outcomes(function: Callable[..., Any], *args: Any, staged: bool = True) -> list[Any]:
    """Results of the function in all modes; all must be equal in value and type."""
    results = []
    for mode in MODES:
        RUNS.clear()
        results.append(rt.migrated(compile=mode)(function)(*args))
        if mode != "none":
            assert ({"compiled": 1} if staged else {"eager": 1}) == RUNS, RUNS
    for result in results[1:]:
        assert str(types_of(result)) == str(types_of(results[0]))
        for one, other in zip(flat(result), flat(results[0]), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)
    return results


def flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, (tuple, list)) else [value]


def types_of(value: Any) -> list[Any]:
    return [(type(leaf), getattr(leaf, "dtype", None), getattr(leaf, "shape", None)) for leaf in flat(value)]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1"])
def test_the_counter_stays_a_weak_number(dtype: str) -> None:
    def program(x: Any) -> Any:
        def body(i: Any, x: Any, total: Any) -> Any:
            x = rt.op_add(x, rt.op_mul(i, 2))
            return x, total + i * 0.5

        return rt.fori_loop(0, 5, body, x, 0.0)

    _, (x, total) = outcomes(program, np.arange(3).astype(dtype))[:2]
    assert x.dtype == np.dtype(dtype)
    assert x.tolist() == [20, 21, 22]
    assert (type(total), total) == (float, 5.0)


RANGES = [(0, 4, 1), (3, -1, -1), (-4, 4, 3), (2, 2, 1), (1, 2, 1), (5, 0, 1)]


@pytest.mark.parametrize(("start", "stop", "step"), RANGES)
def test_indices_wrap_and_ranges_are_those_of_python(start: int, stop: int, step: int) -> None:
    def program(x: Any) -> Any:
        def body(i: Any, x: Any, seen: Any) -> Any:
            x = rt.at(x)[i].set(rt.at(x)[i].get() * 2 + i)
            return x, rt.op_add(seen, rt.at(x)[i].get())

        return rt.fori_loop(start, stop, body, x, 0, step=step)

    x = np.arange(4.0)
    expected, seen = x.copy(), 0
    for i in range(start, stop, step):
        expected[i] = expected[i] * 2 + i
        seen += expected[i]
    for actual, total in outcomes(program, x):
        assert actual.tolist() == expected.tolist()
        assert total == seen
        assert type(total) is type(seen)


@pytest.mark.parametrize("stop", [5, 7])
def test_an_index_that_leaves_the_array_raises(stop: int) -> None:
    def program(x: Any, n: Any) -> Any:
        def body(i: Any, total: Any) -> Any:
            return total + rt.at(x)[i].get()

        return rt.fori_loop(0, rt.at(n)[0].get(), body, 0.0)

    for mode in MODES[1:]:
        function = rt.migrated(compile=mode)(program)
        RUNS.clear()
        assert function(np.ones(4), np.array([3])) == 3
        assert RUNS == {"compiled": 1}
        with pytest.raises(IndexError, match="index 4 is out of bounds"):
            function(np.ones(4), np.array([stop]))
        assert RUNS["repeated"] == 1


def test_values_that_change_their_dtype_in_the_first_iteration() -> None:
    def program(x: Any) -> Any:
        def body(i: Any, total: Any, last: Any) -> Any:
            return rt.op_add(total, rt.sum(x)), rt.at(x)[i].get()

        return rt.fori_loop(0, 3, body, 0, rt.unassigned)

    for result in outcomes(program, np.arange(3, dtype="f4")):
        assert result == (9.0, 2.0)


def test_values_that_change_their_shape_are_unrolled() -> None:
    def program(x: Any) -> Any:
        return rt.fori_loop(0, 3, lambda i, x: rt.concatenate((x, x)), x)

    assert outcomes(program, np.ones(1))[0].shape == (8,)


def test_a_loop_that_unrolls_to_too_much_stays_eager() -> None:
    def program(x: Any) -> Any:
        return rt.fori_loop(0, 4000, lambda i, x: x + int(i) % 2, x)

    assert outcomes(program, np.zeros(1), staged=False)[0].tolist() == [2000]


def test_a_while_loop_on_values() -> None:
    def program(x: Any) -> Any:
        def condition(x: Any, error: Any, count: Any) -> Any:
            return rt.both(rt.op_gt(error, 1e-3), lambda: count < 50)

        def body(x: Any, error: Any, count: Any) -> Any:
            new = 0.5 * (x + 2.0 / x)
            return new, rt.max(rt.absolute(new - x)), count + 1

        return rt.while_loop(condition, body, x, 1.0, 0)

    for x, _, count in outcomes(program, np.array([1.0, 3.0])):
        np.testing.assert_allclose(x, np.sqrt(2), rtol=1e-6)
        assert type(count) is int
        assert count == 4


@pytest.mark.parametrize("limit", [0, 1, 3, 100])
def test_leaving_a_loop(limit: int) -> None:
    def program(x: Any) -> Any:
        def body(i: Any, x: Any, steps: Any) -> Any:
            x = x / 2
            return x, i + 1, rt.negation(rt.any(x > 1))

        return rt.fori_loop(0, limit, body, x, 0, until=True)

    for x, steps in outcomes(program, np.array([20.0, 3.0])):
        assert steps == min(limit, 5)
        assert x.tolist() == [20 / 2**steps, 3 / 2**steps]


def test_branches() -> None:
    def program(x: Any) -> Any:
        def body(i: Any, x: Any, flips: Any) -> Any:
            def then(x: Any, flips: Any) -> Any:
                return -x, flips + 1

            x = x + i
            return rt.cond(rt.sum(x) > 2, then, None, x, flips)

        return rt.fori_loop(0, 6, body, x, 0)

    x, flips = np.zeros(1), 0
    for i in range(6):
        x = x + i
        if x.sum() > 2:
            x, flips = -x, flips + 1
    for actual, count in outcomes(program, np.zeros(1)):
        assert (actual.tolist(), count) == (x.tolist(), flips)


def test_branches_of_different_dtypes_are_not_joined() -> None:
    def program(x: Any) -> Any:
        return rt.cond(rt.sum(x) > 0, lambda y: rt.astype(y, "f4"), None, x)

    assert outcomes(program, np.ones(2), staged=False)[0].dtype == np.float32


def test_division_by_zero_of_python_numbers_raises() -> None:
    def program(x: Any) -> Any:
        return rt.fori_loop(0, 3, lambda i, x: x + 1 / (i - 1), x)

    for mode in MODES:
        with pytest.raises(ZeroDivisionError):
            rt.migrated(compile=mode)(program)(np.ones(2))


def test_integers_beyond_64_bits_stay_pythons() -> None:
    def program(x: Any) -> Any:
        return rt.fori_loop(0, 70, lambda i, n, x: (n * 2, x + 1), 1, x)[0]

    assert [rt.migrated(compile=mode)(program)(np.ones(1)) for mode in MODES] == [2**70] * 3


def test_small_integers_overflow_as_in_numpy() -> None:
    def program(x: Any) -> Any:
        return rt.fori_loop(0, 200, lambda i, x: rt.op_add(x, i), x)

    for mode in MODES:
        with pytest.raises(OverflowError):
            rt.migrated(compile=mode)(program)(np.zeros(2, "i1"))


def test_a_variable_that_no_iteration_assigned() -> None:
    assert repr(rt.unassigned) == "rt.unassigned"
    with pytest.raises(UnboundLocalError):
        rt.unassigned + 1


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_elements_under_a_mask_are_computed_in_whole_arrays(dtype: str) -> None:
    def program(z: Any, c: Any) -> Any:
        alive = rt.greater(rt.absolute(z), -1)

        def body(i: Any, z: Any, alive: Any, count: Any) -> Any:
            z = rt.at(z)[alive].set(rt.op_add(rt.op_pow(rt.at(z)[alive].get(), 2), rt.at(c)[alive].get()))
            z = rt.at(z)[alive].multiply(1)
            gone = rt.op_and(alive, rt.op_gt(rt.absolute(z), 2))
            count = rt.at(count)[gone].set(i)
            alive = rt.at(alive)[gone].set(False)
            return z, alive, count

        z, alive, count = rt.fori_loop(0, 4, body, z, alive, rt.zeros(rt.shape(z), dtype="i4"))
        return z, count, rt.sum(rt.at(z)[alive].get()), rt.any(rt.at(alive)[alive].get())

    z = np.array([[0, 1, 0.5], [-1, 2, 0.25]]).astype(dtype)
    outcomes(program, z, (z / 2).astype(dtype))


def test_rows_under_a_mask() -> None:
    def program(v: Any, s: Any) -> Any:
        fast = s > 1
        return rt.at(v)[fast].divide(rt.at(s)[fast].get()[:, None]), rt.at(v)[fast].set(rt.at(v)[fast].get() * 2)

    v = np.arange(6.0).reshape(3, 2)
    outcomes(program, v, np.array([0.5, 2.0, 4.0]), staged=False)

    def doubled(v: Any, s: Any) -> Any:
        fast = s > 1
        return rt.at(v)[fast].set(rt.at(v)[fast].get() * 2), rt.max(rt.at(s)[fast].get())

    outcomes(doubled, v, np.array([0.5, 2.0, 4.0]))


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "f8"])
@pytest.mark.parametrize("name", ["mean", "var", "std", "prod"])
def test_averages_of_elements_under_a_mask(name: str, dtype: str) -> None:
    def program(x: Any, mask: Any) -> Any:
        return rt.call_method(rt.at(x)[rt.op_and(mask, True)].get(), name)

    x = np.array([[3, 1, 0, 2], [np.inf if dtype[0] == "f" else 9, 4, 0, 5]]).astype(dtype)
    mask = np.array([[True, True, False, True], [False, True, False, True]])
    for result in outcomes(program, x, mask):
        assert result.dtype == getattr(x[mask], name)().dtype
        np.testing.assert_allclose(result, getattr(x[mask], name)(), rtol=1e-6)
    for mode in MODES:
        nothing = rt.migrated(compile=mode)(program)(x, ~mask & mask)
        np.testing.assert_array_equal(nothing, 1 if name == "prod" else np.nan)


def test_the_extreme_of_no_elements_raises() -> None:
    def program(x: Any) -> Any:
        return rt.max(rt.at(x)[x > 1].get())

    for mode in MODES:
        with pytest.raises(ValueError, match="zero-size array"):
            rt.migrated(compile=mode)(program)(np.zeros(3))


def test_masks_computed_alike_are_one() -> None:
    def program(x: Any) -> Any:
        x = rt.at(x)[x > 0].set(rt.op_pow(rt.at(x)[x > 0].get(), -1.5))
        return rt.at(x)[x > 1].set(rt.at(x)[x > 1].get() - 1)

    outcomes(program, np.array([-1.0, 0.25, 4.0]))

    def other(x: Any) -> Any:
        return rt.at(x)[x > 0].set(rt.at(x)[x > 0.5].get() * 2)

    with pytest.raises(ValueError, match="cannot assign"):
        rt.migrated(compile="xla")(other)(np.array([-1.0, 0.25, 0.5, 4.0, 5.0]))


@pytest.mark.parametrize("exponent", [2, 3, 4, 7, 64])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_whole_powers_of_complex_numbers(dtype: str, exponent: int) -> None:
    z = np.array([0, 1, -1.5 + 0.5j, 1e-3j, 0.9 - 1.1j]).astype(dtype)
    for result in outcomes(lambda x: rt.op_pow(x, exponent), z):
        assert result.dtype == z.dtype
        np.testing.assert_allclose(result, z**exponent, rtol=1e-5 if dtype == "c8" else 1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_one_array_that_is_two_arguments_is_one_in_a_graph(mode: str) -> None:
    def noise(a: Any, others: list[Any]) -> Any:
        return rt.sum(a) if others[0] is a else rt.sum(a) + rt.sum(others[0])

    migrated = rt.migrated(compile=mode)(noise)
    x, y = np.ones(3), np.ones(3)
    assert [migrated(x, [x]), migrated(x, [y]), migrated(y, [y]), migrated(y, [x])] == [3, 6, 3, 6]


def test_loops_over_items_take_whatever_can_be_iterated_over() -> None:
    def total(items: Any, x: Any) -> Any:
        def body(item: Any, s: Any) -> Any:
            return s * 0.5 + item

        return rt.for_each(items, body, rt.sum(x) * 0.0)

    x = np.arange(6.0)
    for items in (x, [1, 2.5, 3.0, 4, 5], (1.0,), range(2, 9, 3), range(0), [np.float32(2), 1]):
        outcomes(total, items, x)
    assert rt.for_each({3: "a", 4: "b"}, lambda item, s: s + item, 0) == 7
    assert rt.for_each(iter([1, 2]), lambda item, s: s + item, 0) == 3


def test_loops_over_items_of_several_things_end_with_the_shortest() -> None:
    def total(x: Any, y: Any) -> Any:
        def body(item: Any, s: Any, t: Any) -> Any:
            i, (a, b, k) = item
            return s + a * b, t + i * k

        return rt.for_each(rt.each_numbered(rt.each_of(x, y, range(9, 0, -1)), 3), body, rt.sum(x) * 0.0, 0)

    for count in (0, 3, 7, 9):
        x, y = np.arange(8.0), np.arange(count, dtype=np.float32)
        for result in outcomes(total, x, y):
            shorter = min(count, 8)
            expected = sum(x[k] * y[k] for k in range(shorter)), sum((3 + k) * (9 - k) for k in range(shorter))
            np.testing.assert_allclose(result, expected)
            assert type(result[1]) is int


def test_what_needs_the_value_of_a_counter_has_the_loop_unrolled() -> None:
    def shifted(x: Any) -> Any:
        def body(item: Any, s: Any) -> Any:
            i, v = item
            return rt.roll(s, i) + v if i % 2 else s

        return rt.for_each(rt.each_numbered(x), body, x)

    outcomes(shifted, np.arange(6.0))


@pytest.mark.parametrize(
    ("start", "stop", "step"), [(0, 5, 1), (3, 3, 1), (9, 2, -1), (1, 9, 3), (9, 0, -4), (0, 1, 7)]
)
def test_ranges_from_their_end(start: int, stop: int, step: int) -> None:
    def order(x: Any) -> Any:
        last = rt.python_int(rt.sum(x) * 0)

        def body(i: Any, s: Any, n: Any) -> Any:
            return s * 10.0 + i, n + 1

        s, n = rt.fori_loop(start, stop, body, rt.sum(x) * 0.0, 0, step=step, backwards=True)
        if abs(step) > 1:  # a graph that does not know the bounds has no such loop
            return s, n
        return s, n, rt.fori_loop(start + last, stop + last, body, rt.sum(x) * 0.0, 0, step=step, backwards=True)

    expected = 0.0
    for i in reversed(range(start, stop, step)):
        expected = expected * 10 + i
    for s, n, *more in outcomes(order, np.ones(2)):
        assert s == expected
        assert n == len(range(start, stop, step))
        for again in more:
            assert (again[0], again[1]) == (s, n)


@pytest.mark.parametrize(
    ("start", "stop", "step"), [(0, 1, 2), (-2, 1, 2), (-1, 3, 3), (0, 7, 3), (-2, -1, 5), (2, -3, -2), (0, -1, -4)]
)
def test_steps_that_xla_counts_otherwise(start: int, stop: int, step: int) -> None:
    """XLA by itself has no iteration of ``i = 0; while i < 1: i += 2``."""

    def stepped(x: Any) -> Any:
        def body(i: Any, x: Any) -> Any:
            return rt.sin(x) * i + rt.at(x)[i].get()

        def test(i: Any, x: Any) -> Any:
            return i < stop if step > 0 else i > stop

        again = rt.while_loop(test, lambda i, x: (i + step, rt.sin(x) + i), start, x)
        return rt.fori_loop(start, stop, body, x, step=step), again

    outcomes(stepped, np.arange(1.0, 8))


def test_a_while_loop_that_counts_with_a_number_of_numpys() -> None:
    def counted(x: Any) -> Any:
        return rt.while_loop(lambda i, x: i < 1, lambda i, x: (i + 2, rt.sin(x)), np.int64(0), x)

    for mode in MODES:
        count, result = rt.migrated(compile=mode)(counted)(np.ones(2))
        assert count == 2
        np.testing.assert_allclose(result, np.sin(np.ones(2)))


@pytest.mark.short_loops
@pytest.mark.parametrize(("n", "staged"), [(3, True), (30, False)])
def test_loops_of_few_iterations_are_copied_into_the_graph_of_xla(n: int, staged: bool) -> None:
    """There every index is known: a slice that begins before its array in one iteration has no form in a loop."""

    def program(u: Any) -> Any:
        def body(i: Any, s: Any) -> Any:
            return s + rt.sum(rt.at(u)[i - 1 : i + 2].get())

        return rt.fori_loop(0, n, body, rt.zeros(1))

    u = np.linspace(0.0, 1.0, 40)
    RUNS.clear()
    expected = sum(u[i - 1 : i + 2].sum() for i in range(n))
    np.testing.assert_allclose(rt.migrated(compile="xla")(program)(u), [expected])
    assert bool(RUNS["compiled"]) is staged


@pytest.mark.short_loops
def test_short_loops_within_others_and_around_them() -> None:
    def program(x: Any, taps: Any) -> Any:
        def inner(j: Any, x: Any, total: Any) -> Any:
            return x * taps[j], total + j

        def outer(i: Any, x: Any, total: Any) -> Any:
            x, total = rt.fori_loop(0, 3, inner, x, total)
            return x + i, total * 0.5

        def around(i: Any, x: Any, total: Any) -> Any:
            return rt.fori_loop(i, i + 40, lambda k, x, total: (x - k, total + 1), x, total)

        x, total = rt.fori_loop(0, 20, outer, x, 0.0)
        return rt.fori_loop(0, 4, around, x, total)

    x, total = outcomes(program, np.arange(3.0), np.array([0.5, 1.5, 1.25]))[0]
    y, expected = np.arange(3.0), 0.0
    for i in range(20):
        y, expected = y * 0.5 * 1.5 * 1.25 + i, (expected + 3) * 0.5
    for i in range(4):
        y, expected = y - sum(range(i, i + 40)), expected + 40
    np.testing.assert_allclose(x, y)
    assert total == pytest.approx(expected)
