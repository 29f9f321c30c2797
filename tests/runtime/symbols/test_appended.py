"""Staged loops that append to lists: the same items, of the same types, and the same arrays where they are one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compile.compiled import RUNS
from np2tnp.runtime.symbols import growing_list


def compiled(function: Callable[..., Any], mode: str, *args: Any, staged: bool = True) -> Any:
    RUNS.clear()
    result = rt.migrated(compile=mode, returns=("x",))(function)(*args)
    assert {"compiled" if staged else "eager": 1} == RUNS
    return result


@pytest.fixture(params=["graph", "xla"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def states(x: Any, n: int) -> Any:
    kept: list[Any] = []

    def body(i: Any, x: Any, kept: list[Any]) -> Any:
        x = rt.sin(x)
        kept.append(x)
        return x, kept

    x, kept = rt.fori_loop(0, n, body, x, kept)
    return x, kept


def states_before(x: Any, n: int) -> Any:
    kept: list[Any] = []

    def body(i: Any, x: Any, kept: list[Any]) -> Any:
        kept.append(x)
        kept.append(i)
        x = rt.sin(x)
        return x, kept

    x, kept = rt.fori_loop(0, n, body, x, kept)
    return x, kept[::2], kept[1::2]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_last_state_is_what_the_loop_carries(mode: str, n: int) -> None:
    x = np.arange(3.0)
    state, kept = compiled(states, mode, x, n)
    assert kept[-1] is state
    expected = [x := np.sin(x) for _ in range(n)]
    np.testing.assert_allclose(kept, expected, rtol=1e-12)
    assert len({id(item) for item in kept}) == n
    assert all(item.flags.owndata for item in kept)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_first_state_is_the_callers_own_array(mode: str, n: int) -> None:
    x = np.arange(3.0)
    state, kept, counters = compiled(states_before, mode, x, n)
    assert kept[0] is x
    assert state is not kept[-1]
    assert counters == list(range(n))
    assert {type(number) for number in counters} == {int}
    expected = [x := np.sin(x) if k else x for k in range(n)]
    np.testing.assert_allclose(kept, expected, rtol=1e-12)


def test_an_array_that_is_appended_again_and_again_is_one(mode: str) -> None:
    def same(x: Any, n: int) -> Any:
        y = rt.cos(x)
        kept: list[Any] = []

        def body(i: Any, x: Any, kept: list[Any]) -> Any:
            x = rt.sin(x)
            kept.append(y)
            return x, kept

        x, kept = rt.fori_loop(0, n, body, x, kept)
        return x, kept

    kept = compiled(same, mode, np.arange(3.0), 3)[1]
    assert kept[0] is kept[1] is kept[2]


def test_an_array_in_two_lists_is_one(mode: str) -> None:
    def two(x: Any, n: int) -> Any:
        one: list[Any] = []
        other: list[Any] = []

        def body(i: Any, x: Any, one: list[Any], other: list[Any]) -> Any:
            y = rt.cos(x)
            one.append(y)
            other.append(y)
            return x + 1.0, one, other

        return rt.fori_loop(0, n, body, x, one, other)

    _, one, other = compiled(two, mode, np.arange(3.0), 3)
    assert all(a is b for a, b in zip(one, other, strict=True))


def test_arrays_that_change_places(mode: str) -> None:
    def exchanged(x: Any, n: int) -> Any:
        y = rt.cos(x)
        kept: list[Any] = []

        def body(i: Any, x: Any, y: Any, kept: list[Any]) -> Any:
            x, y = y, x
            kept.append(rt.sum(x) + i)
            return x, y, kept

        x, y, kept = rt.fori_loop(0, n, body, x, y, kept)
        return kept

    x = np.arange(3.0)
    expected = [(np.cos(x) if k % 2 == 0 else x).sum() + k for k in range(5)]
    found = compiled(exchanged, mode, x, 5)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert {type(item) for item in found} == {np.float64}


def test_a_state_whose_dtype_is_stable_from_the_second_iteration_on(mode: str) -> None:
    def growing(x: Any, n: int) -> Any:
        kept: list[Any] = [1]
        s = 0

        def body(i: Any, s: Any, kept: list[Any]) -> Any:
            kept.append(s)
            s = s + rt.sum(x)
            return s, kept

        s, kept = rt.fori_loop(0, n, body, s, kept)
        return kept, rt.array(kept)

    x = np.ones(2, np.float32)
    kept, joined = compiled(growing, mode, x, 3)
    assert [type(item) for item in kept] == [int, int, np.float32, np.float32]
    np.testing.assert_array_equal(joined, np.array([1, 0, np.float32(2), np.float32(4)]), strict=True)


@pytest.mark.parametrize("join", ["array", "stack", "concatenate", "vstack", "mean"])
def test_what_was_taken_apart_is_joined(mode: str, join: str) -> None:
    def joined(x: Any, n: int) -> Any:
        kept = [x]

        def body(i: Any, x: Any, kept: list[Any]) -> Any:
            x = rt.sin(x)
            kept.append(rt.copy(x))
            return x, kept

        x, kept = rt.fori_loop(0, n, body, x, kept)
        return getattr(rt, join)(kept[1:]), getattr(rt, join)([*kept[2:], kept[0], x])

    x = np.arange(3.0)
    kept = [x, *(x := np.sin(x) for _ in range(4))]
    for found, items in zip(compiled(joined, mode, kept[0], 4), (kept[1:], [*kept[2:], kept[0], x]), strict=True):
        np.testing.assert_allclose(found, getattr(np, join)(items), rtol=1e-12, strict=True)


def test_integers_beyond_what_a_graph_holds_are_pythons_own(mode: str) -> None:
    def large(x: Any, n: int) -> Any:
        kept: list[Any] = []

        def body(i: Any, x: Any, kept: list[Any]) -> Any:
            kept.append((i + 2**40) * 2**20)
            return rt.sin(x), kept

        return rt.fori_loop(0, n, body, x, kept)

    RUNS.clear()
    kept = rt.migrated(compile=mode)(large)(np.ones(2), 2)[1]
    assert kept == [2**60, 2**60 + 2**20]
    assert RUNS["compiled"] == 0


def test_lists_longer_than_a_trace_should_have_stay_lists(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing_list, "MOST_ITEMS", 4)
    x = np.arange(3.0)
    np.testing.assert_allclose(compiled(states, mode, x, 4)[1][3], np.sin(np.sin(np.sin(np.sin(x)))))
    monkeypatch.setattr("np2tnp.runtime.base.tracing.UNROLLED_OPERATIONS", 2)
    assert len(compiled(states, mode, x, 5, staged=False)[1]) == 5


def left(x: Any, most: int, tol: float) -> Any:
    kept: list[Any] = [x]

    def body(i: Any, x: Any, kept: list[Any]) -> Any:
        x = rt.sin(x)
        kept.append(x)
        return x, kept, rt.max(x) < tol

    x, kept = rt.fori_loop(0, most, body, x, kept, until=True)
    return x, kept


@pytest.mark.parametrize(("most", "tol"), [(1, 0.0), (1, 2.0), (9, 2.0), (9, 0.6), (9, 0.0)])
def test_a_loop_that_is_left_gives_what_was_appended_until_then(mode: str, most: int, tol: float) -> None:
    x = np.arange(3.0)
    state, kept = compiled(left, mode, x, most, tol)
    expected = [x]
    while len(expected) <= most and (len(expected) == 1 or expected[-1].max() >= tol):
        expected.append(np.sin(expected[-1]))
    assert len(kept) == len(expected)
    np.testing.assert_allclose(kept, expected, rtol=1e-12)
    assert kept[0] is x
    assert kept[-1] is state


@pytest.mark.parametrize("read", [sum, bool, list, np.array, lambda kept: isinstance(kept, list), lambda kept: kept[0]])
def test_a_list_that_only_the_graph_knows_is_not_read(mode: str, read: Callable[[Any], Any]) -> None:
    def asking(x: Any, most: int, tol: float) -> Any:
        return read(left(x, most, tol)[1][1:] if read is sum else left(x, most, tol)[1])

    found = compiled(asking, mode, np.arange(3.0), 5, 0.8, staged=False)
    expected = rt.migrated(asking)(np.arange(3.0), 5, 0.8)
    np.testing.assert_array_equal(found, expected, strict=isinstance(expected, np.ndarray))


def test_a_loop_that_might_append_too_much_runs_eagerly(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing_list, "MOST_BYTES", 100)
    assert len(compiled(left, mode, np.arange(3.0), 4, 0.8)[1]) > 1
    compiled(left, mode, np.arange(3.0), 5, 0.8, staged=False)
