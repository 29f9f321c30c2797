"""Loops over large arrays under XLA, which takes two iterations at a time: the values are those of one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import compiled_as_eager

from np2tnp import runtime as rt
from np2tnp.runtime.compile.compiled import RUNS
from np2tnp.runtime.compile.xla import double_buffering

SIZE = 40_000


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What the runtime decided, loop by loop."""
    answers: list[bool] = []
    pay = double_buffering.pay

    def remembered(*args: Any) -> bool:
        answers.append(pay(*args))
        return answers[-1]

    monkeypatch.setattr(double_buffering, "pay", remembered)
    monkeypatch.setattr(
        double_buffering, "interior_of", lambda *_: None
    )  # else such arrays get second places (test_interiors)
    return answers


def smoothed(x: Any) -> Any:
    return rt.at(x)[1:-1].set(rt.op_mul(0.5, rt.op_add(x[:-2], x[2:])))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7])
def test_every_number_of_iterations(count: int, asked: list[bool]) -> None:
    def program(x: Any) -> Any:
        def body(i: Any, x: Any, seen: Any, total: Any) -> Any:
            x = smoothed(smoothed(x))
            return x, rt.at(seen)[i].set(x[1]), total + i * 0.5

        return rt.fori_loop(0, count, body, x, rt.zeros(8), 0.0)

    compiled_as_eager(program, np.random.default_rng(0).random(SIZE))
    assert asked[-1:] == [True] * bool(count)


@pytest.mark.parametrize("last", [0, 1, 2, 5, 9])
def test_a_loop_that_is_left(last: int, asked: list[bool]) -> None:
    def program(x: Any) -> Any:
        def body(i: Any, x: Any, done: Any) -> Any:
            return smoothed(x), i, rt.op_ge(i, last)

        return rt.fori_loop(0, 8, body, x, -1, until=True)

    _, (_, done) = compiled_as_eager(program, np.random.default_rng(0).random(SIZE))
    assert done == min(last, 7)
    assert asked[-1]


@pytest.mark.parametrize("limit", [0.3, 0.25, 0.2, 0.15, 2.0])
def test_a_loop_until_nothing_changes(limit: float, asked: list[bool]) -> None:
    def program(x: Any) -> Any:
        def body(x: Any, change: Any, count: Any) -> Any:
            new = smoothed(x)
            return new, rt.max(rt.abs(new - x)), count + 1

        return rt.while_loop(lambda x, change, count: change > limit, body, x, rt.array(1.0), 0)

    compiled_as_eager(program, np.random.default_rng(0).random(SIZE))
    assert asked[-1]


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many iterations at a time bring the arrays back, loop by loop."""
    answers: list[int] = []
    rotation = double_buffering.rotation

    def remembered(*args: Any) -> int:
        answers.append(rotation(*args))
        return answers[-1]

    monkeypatch.setattr(double_buffering, "rotation", remembered)
    return answers


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 7])
def test_two_arrays_change_places(count: int, orders: list[int]) -> None:
    def program(old: Any, new: Any) -> Any:
        def body(i: Any, old: Any, new: Any, total: Any) -> Any:
            new = rt.at(new)[1:].set(rt.op_sub(old[1:], old[:-1]))
            return new, old, total + i

        return rt.fori_loop(0, count, body, old, new, 0)

    compiled_as_eager(program, *np.random.default_rng(0).random((2, SIZE)))
    assert orders == ([2] if count else [])


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
def test_three_arrays_change_places(count: int, orders: list[int]) -> None:
    def program(past: Any, now: Any, following: Any) -> Any:
        def body(i: Any, past: Any, now: Any, following: Any) -> Any:
            following = rt.at(following)[1:-1].set(now[2:] + now[:-2] - past[1:-1])
            following = rt.at(following)[0].set(now[1])
            return now, following, past

        return rt.fori_loop(10, 10 - 2 * count, body, past, now, following, step=-2)

    compiled_as_eager(program, *np.random.default_rng(0).random((3, SIZE)))
    assert orders == [3]


def test_arrays_change_places_as_often_as_the_graph_is_told(orders: list[int]) -> None:
    def program(old: Any, new: Any, count: Any) -> Any:
        def body(i: Any, old: Any, new: Any) -> Any:
            new = rt.at(new)[1:].set(rt.op_sub(old[1:], old[:-1]))
            return new, old

        return rt.fori_loop(0, count, body, old, new)

    compiled, eager = rt.migrated(compile="xla")(program), rt.migrated(program)
    arrays = np.random.default_rng(0).random((2, SIZE))
    RUNS.clear()
    for count in (2, 3, 4, 1, 5, 6):
        for one, other in zip(compiled(*arrays, count), eager(*arrays, count), strict=True):
            np.testing.assert_array_equal(one, other)
    assert RUNS == {"compiled": 6}
    assert orders == [2, 2]  # of the first trace, and of the one to which the count is an input


def test_a_check_that_fails_after_the_exchanges(orders: list[int]) -> None:
    def program(old: Any, new: Any, seen: Any, count: int) -> Any:
        def body(i: Any, old: Any, new: Any, seen: Any) -> Any:
            new = rt.at(new)[1:].set(old[:-1])
            return new, old, rt.at(seen)[i].set(old[0])

        return rt.fori_loop(0, count, body, old, new, seen)

    arrays = np.ones((2, SIZE))
    for count in (4, 5):
        with pytest.raises(IndexError, match="index 3 is out of bounds"):
            rt.migrated(compile="xla")(program)(*arrays, np.ones(3), count)
        with pytest.raises(IndexError, match=f"index {count - 1} is out of bounds"):
            rt.migrated(compile="xla")(program)(*arrays, np.ones(count - 1), count)
    assert set(orders) == {2}


def test_an_array_that_is_made_anew_keeps_two_iterations_apart(orders: list[int], asked: list[bool]) -> None:
    """XLA would merge them, and compute the first one's values as often as they are read."""

    def program(old: Any, new: Any, x: Any) -> Any:
        def body(i: Any, old: Any, new: Any, x: Any) -> Any:
            new = rt.at(new)[1:].set(rt.op_sub(old[1:], old[:-1]))
            return new, old, smoothed(x)

        return rt.fori_loop(0, 4, body, old, new, x)

    compiled_as_eager(program, *np.random.default_rng(0).random((3, SIZE)))
    assert orders == [1]
    assert asked == [True]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_check_that_fails_in_either_iteration(length: int) -> None:
    def program(x: Any, seen: Any) -> Any:
        def body(i: Any, x: Any, seen: Any) -> Any:
            return smoothed(x), rt.at(seen)[i].set(x[0])

        return rt.fori_loop(0, 4, body, x, seen)

    with pytest.raises(IndexError, match=f"index {length} is out of bounds"):
        rt.migrated(compile="xla")(program)(np.ones(SIZE), np.ones(length))


def test_what_does_not_change_is_still_computed_once(asked: list[bool]) -> None:
    def program(x: Any, y: Any) -> Any:
        def body(i: Any, x: Any) -> Any:
            return smoothed(x) + rt.exp(y)

        return (rt.fori_loop(0, 3, body, x),)

    rt.migrated(compile="xla")(program)(*np.random.default_rng(0).random((2, SIZE)))
    assert asked == [False]


def test_what_is_updated_in_its_place_is_not_copied_anyway(asked: list[bool]) -> None:
    def program(x: Any) -> Any:
        def body(i: Any, x: Any) -> Any:
            return rt.at(x)[i].set(x[5])

        return (rt.fori_loop(0, 3, body, x),)

    compiled_as_eager(program, np.random.default_rng(0).random(SIZE))
    assert asked == [False]


def test_an_array_that_is_read_elsewhere_for_another_one_alone_is_not_copied_anyway(asked: list[bool]) -> None:
    def program(state: Any, velocity: Any) -> Any:
        def body(i: Any, state: Any, velocity: Any) -> Any:
            velocity = rt.at(velocity)[1:].add(state[:-1])
            return rt.iadd(state, rt.op_mul(0.25, velocity)), velocity

        return rt.fori_loop(0, 3, body, state, velocity)

    compiled_as_eager(program, *np.random.default_rng(0).random((2, SIZE)))
    assert asked == [False]


@pytest.fixture
def buffers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many arrays got a second place, loop by loop."""
    answers: list[int] = []
    buffered = double_buffering.buffered

    def remembered(*args: Any) -> Any:
        found = buffered(*args)
        answers.append(len(found))
        return found

    monkeypatch.setattr(double_buffering, "buffered", remembered)
    monkeypatch.setattr(double_buffering, "interior_of", lambda *_: None)
    return answers


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_an_array_goes_to_a_second_place_and_back(count: int, buffers: list[int]) -> None:
    def program(x: Any, k: Any) -> Any:
        def body(i: Any, x: Any, seen: Any, total: Any) -> Any:
            x = rt.at(x)[2:-1].set(rt.op_mul(0.5, rt.op_add(x[1:-2], x[3:])))
            x = rt.at(x)[0].set(x[1] + x[0])
            x = rt.at(x)[-3:].add(k)
            return x, rt.at(seen)[i].set(x[0]), total + i

        return rt.fori_loop(0, count, body, x, rt.zeros(8), 0)

    compiled_as_eager(program, np.random.default_rng(0).random(SIZE), 0.25)
    assert buffers == [1]


@pytest.mark.parametrize("count", [3, 4])
def test_two_fields_each_go_to_a_second_place(count: int, buffers: list[int]) -> None:
    def program(u: Any, v: Any) -> Any:
        def body(i: Any, u: Any, v: Any) -> Any:
            change = rt.op_mul(0.1, u[1:-1, :-2] - rt.op_mul(2, u[1:-1, 1:-1]) + u[1:-1, 2:])
            product = u[1:-1, 1:-1] * v[1:-1, 1:-1]
            v = rt.at(v)[1:-1, 1:-1].add(v[:-2, 1:-1] - product)
            u = rt.at(u)[1:-1, 1:-1].subtract(change)
            u = rt.at(u)[:, 0].set(u[:, 1])
            u = rt.at(u)[0].set(u[-2])
            v = rt.at(v)[-1, :].set(i)
            return u, v

        return rt.fori_loop(0, count, body, u, v)

    compiled_as_eager(program, *np.random.default_rng(0).random((2, 200, 220)))
    assert buffers == [2]


@pytest.mark.parametrize("store", ["set", "add"])
def test_a_copy_that_is_stored_into_elsewhere_does_not_take_the_second_place(store: str, buffers: list[int]) -> None:
    def program(x: Any, total: Any) -> Any:
        def body(i: Any, x: Any, total: Any) -> Any:
            other = rt.copy(x)
            other = getattr(rt.at(other)[1000:-1000], store)(rt.op_sub(x[999:-1001], x[1001:-999]))
            x = rt.at(x)[1:-1].set(rt.op_mul(0.5, rt.op_add(x[:-2], x[2:])))
            return rt.at(x)[0].set(x[1]), rt.iadd(total, other)

        return rt.fori_loop(0, 5, body, x, total)

    compiled_as_eager(program, *np.random.default_rng(0).random((2, SIZE)))
    assert buffers == [1]


def test_second_places_in_as_many_iterations_as_the_graph_is_told(buffers: list[int]) -> None:
    def program(x: Any, count: Any) -> Any:
        return rt.fori_loop(0, count, lambda i, x: rt.at(smoothed(x))[0].add(1.0), x)

    compiled, eager = rt.migrated(compile="xla")(program), rt.migrated(program)
    array = np.random.default_rng(0).random(SIZE)
    RUNS.clear()
    for count in (2, 3, 1, 4, 5):
        np.testing.assert_array_equal(compiled(array, count), eager(array, count))
    assert RUNS == {"compiled": 5}
    assert set(buffers) == {1}


def test_what_is_stored_twice_or_where_nobody_knows_has_one_place(buffers: list[int]) -> None:
    def twice(x: Any) -> Any:
        return (rt.fori_loop(0, 3, lambda i, x: smoothed(smoothed(x)), x),)

    def somewhere(x: Any) -> Any:
        return (rt.fori_loop(0, 3, lambda i, x: rt.at(smoothed(x))[i].set(2.0), x),)

    def elsewhere_too(x: Any, y: Any) -> Any:
        def body(i: Any, x: Any, y: Any) -> Any:
            return smoothed(x), smoothed(smoothed(y))

        return rt.fori_loop(0, 3, body, x, y)

    arrays = np.random.default_rng(0).random((2, SIZE))
    compiled_as_eager(twice, arrays[0])
    compiled_as_eager(somewhere, arrays[0])
    compiled_as_eager(elsewhere_too, *arrays)
    assert buffers == [0, 0, 0]


@pytest.mark.parametrize("seed", range(6))
def test_any_stores_of_an_iteration(seed: int) -> None:
    """One store to most of the array, by what is beside, and small ones before and after it."""
    random = np.random.default_rng(seed)
    length, width = 190, 180

    def small() -> Any:
        axis, place = int(random.integers(2)), int(random.integers(-3, 3))
        return (place, slice(None)) if axis else (slice(None), place)

    lines = [(small(), small()) for _ in range(int(random.integers(1, 5)))]
    lines = [(to, at) for to, at in lines if isinstance(to[0], int) == isinstance(at[0], int)]
    before = int(random.integers(2))
    top, left = (int(number) for number in random.integers(1, 3, 2))
    count = int(random.integers(2, 6))

    def program(x: Any) -> Any:
        def body(i: Any, x: Any) -> Any:
            for to, at in lines[:before]:
                x = rt.at(x)[to].set(rt.op_mul(0.5, rt.at(x)[at].get()))
            x = rt.at(x)[top:-1, left:-1].set(x[: -top - 1, left:-1] - x[top:-1, : -left - 1])
            for to, at in lines[before:]:
                x = rt.at(x)[to].add(rt.at(x)[at].get())
            return x

        return (rt.fori_loop(0, count, body, x),)

    compiled_as_eager(program, random.integers(-9, 9, (length, width)) / 8)
