"""Loops that store into arrays with steps, which XLA gets as planes: the values are those of eager calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import compiled_as_eager

from np2tnp import runtime as rt
from np2tnp.runtime.compile.xla.strided_planes import Carried, Interleaves


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...] | None]:
    """What each trace found: the steps of planes, or None for an array that is needed whole."""
    found: list[tuple[int, ...] | None] = []
    learn = Carried.learn

    def remembered(self: Carried, signal: Interleaves) -> None:
        found.append(signal.steps)
        learn(self, signal)

    monkeypatch.setattr(Carried, "learn", remembered)
    return found


def field(*shape: int) -> Any:
    return np.random.default_rng(0).random(shape)


def red_black(u: Any, f: Any) -> Any:
    for a, b in ((1, 1), (2, 2), (1, 2), (2, 1)):
        around = u[a - 1 : -2 : 2, b:-1:2] + u[a + 1 :: 2, b:-1:2] + u[a:-1:2, b - 1 : -2 : 2] + u[a:-1:2, b + 1 :: 2]
        u = rt.at(u)[a:-1:2, b:-1:2].set(0.25 * (around - f[a:-1:2, b:-1:2]))
    return u


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("shape", [(80, 80), (81, 64), (64, 81), (83, 83)])
def test_red_and_black(count: int, shape: tuple[int, int], learned: list[Any]) -> None:
    def program(u: Any, f: Any) -> Any:
        def body(i: Any, u: Any, total: Any) -> Any:
            return red_black(u, f), total + i

        return rt.fori_loop(0, count, body, u, 0)

    compiled_as_eager(program, field(*shape), field(*shape))
    assert learned == [(2, 2)] * bool(count)


@pytest.mark.parametrize("count", [1, 4])
def test_boundaries_and_single_elements(count: int, learned: list[Any]) -> None:
    def program(u: Any, f: Any) -> Any:
        def body(i: Any, u: Any, corner: Any) -> Any:
            u = red_black(u, f)
            u = rt.at(u)[0].set(u[1])
            u = rt.at(u)[-1, 2:9].set(7.0)
            u = rt.at(u)[:, -1].set(u[:, -2])
            u = rt.at(u)[2:5, 3:4].add(f[2:5, 3:4])
            u = rt.at(u)[::2, 0].multiply(0.5)
            return u, u[3, 4]

        return rt.fori_loop(0, count, body, u, rt.array(0.0))

    compiled_as_eager(program, field(80, 81), field(80, 81))
    assert learned == [(2, 2)]


@pytest.mark.parametrize("step", [2, 3, 5])
@pytest.mark.parametrize("length", [5000, 5001, 5002])
def test_one_axis(step: int, length: int, learned: list[Any]) -> None:
    def program(x: Any) -> Any:
        def body(i: Any, x: Any, other: Any) -> Any:
            for first in range(step):
                count = len(range(first, length - 1, step))
                after = x[first + 1 :: step]
                x = rt.at(x)[first : length - 1 : step].add(0.5 * after[:count])
            return x, i

        return rt.fori_loop(0, 3, body, x, 0)

    compiled_as_eager(program, field(length))
    assert learned == [(step,)]


def test_an_array_that_is_needed_whole_stays_so(learned: list[Any]) -> None:
    def program(u: Any, f: Any) -> Any:
        def body(i: Any, u: Any, total: Any) -> Any:
            u = red_black(u, f)
            return u, total + rt.max(u)

        return rt.fori_loop(0, 3, body, u, rt.array(0.0))

    compiled_as_eager(program, field(80, 80), field(80, 80))
    assert learned == [(2, 2), None]


def test_other_steps_leave_it_whole(learned: list[Any]) -> None:
    def program(x: Any) -> Any:
        def body(i: Any, x: Any, other: Any) -> Any:
            x = rt.at(x)[::2].set(x[1::2])
            return rt.at(x)[::3].multiply(0.5), i

        return rt.fori_loop(0, 3, body, x, 0)

    compiled_as_eager(program, field(6000))
    assert learned == [(2,), None]


def test_until_and_while(learned: list[Any]) -> None:
    def until(x: Any) -> Any:
        def body(i: Any, x: Any, last: Any) -> Any:
            x = rt.at(x)[1:-1:2].set(0.5 * (x[:-2:2] + x[2::2]))
            return x, i, rt.op_ge(i, 3)

        return rt.fori_loop(0, 9, body, x, -1, until=True)

    def while_true(x: Any) -> Any:
        def body(x: Any, first: Any) -> Any:
            x = rt.at(x)[::2].multiply(0.5)
            return x, x[0]

        return rt.while_loop(lambda x, first: first > 0.01, body, x, x[0])

    compiled_as_eager(until, field(5001))
    compiled_as_eager(while_true, field(5000) + 1)
    assert learned == [(2,), (2,)]


def test_arrays_that_change_places(learned: list[Any]) -> None:
    def program(a: Any, b: Any) -> Any:
        def body(i: Any, a: Any, b: Any) -> Any:
            b = rt.at(b)[1:-1:2].set(a[:-2:2] + a[2::2])
            return b, a

        return rt.fori_loop(0, 3, body, a, b)

    compiled_as_eager(program, field(5001), field(5001) * 2)
    assert (2,) in learned


def test_a_loop_in_a_loop_and_a_branch(learned: list[Any]) -> None:
    def program(x: Any) -> Any:
        def outer(i: Any, x: Any, total: Any) -> Any:
            def inner(j: Any, x: Any, count: Any) -> Any:
                x = rt.at(x)[1:-1:2].set(0.5 * (x[:-2:2] + x[2::2]))
                x = rt.cond(j > 1, lambda x: rt.at(x)[::2].multiply(0.5), None, x)
                return x, count + 1

            x, total = rt.fori_loop(0, 3, inner, x, total)
            return rt.at(x)[0].set(1.0), total

        return rt.fori_loop(0, 2, outer, x, 0)

    compiled_as_eager(program, field(5001))


def test_integers_and_booleans(learned: list[Any]) -> None:
    def program(x: Any, m: Any) -> Any:
        def body(i: Any, x: Any, m: Any) -> Any:
            x = rt.at(x)[::2].add(x[1::2])
            return x, rt.at(m)[1::2].set(x[::2] > 3)

        return rt.fori_loop(0, 3, body, x, m)

    rng = np.random.default_rng(0)
    compiled_as_eager(program, rng.integers(0, 5, 6000).astype(np.int8), rng.random(6000) < 0.5)
    assert learned == [(2,), (2,)]


@pytest.mark.parametrize("dtype", [float, int, bool, complex, np.float32, np.uint8])
def test_stores_with_steps_outside_of_loops(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    x = (rng.random((70, 90)) * 5 - 1).astype(dtype)
    all_, some = slice(None), slice(1, -1, 2)
    for key in ((slice(None, None, 2), slice(1, None, 3)), (some, 3), (4, some), (slice(None, None, -2), all_)):
        value = (rng.random(x[key].shape) * 5).astype(dtype)

        def program(x: Any, value: Any, key: Any = key) -> Any:
            return (rt.at(x)[key].set(value),)

        compiled_as_eager(program, x, value)
