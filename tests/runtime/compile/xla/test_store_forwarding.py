"""Reads of arrays under XLA that follow stores to parts of them: what was stored is read, the values are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import compiled_as_eager

from np2tnp import runtime as rt
from np2tnp.runtime.compile import compiled
from np2tnp.runtime.compile.xla import store_forwarding

SHAPE = (64, 70)
MOST = 4000


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each read, of no more than `MOST`, of what a store made: whether it was taken from what was stored."""
    answers: list[bool] = []
    forwarded = store_forwarding.forwarded

    def remembered(reading: Any) -> Any:
        result = forwarded(reading)
        stored = store_forwarding.origin(reading.inputs[0]).op.type == "TensorStridedSliceUpdate"
        if stored and reading.outputs[0].shape.num_elements() <= MOST:
            answers.append(result is not None)
        return result

    monkeypatch.setattr(compiled, "forwarded", remembered)
    return answers


def fields() -> Any:
    return np.random.default_rng(0).random((2, *SHAPE))


def test_a_column_of_rows_and_an_interior(found: list[bool]) -> None:
    def program(old: Any, new: Any) -> Any:
        new = rt.at(new)[1:-1, 1:-1].set(old[:-2, 1:-1] + old[2:, 1:-1])
        new = rt.at(new)[0, :].set(1.5)
        new = rt.at(new)[-1, :].set(old[-1, :])
        new = rt.at(new)[:, 0].set(new[:, 1])
        new = rt.at(new)[:, -1].set(new[:, -2])
        return new, new[0], new[-1, 3:9], new[5, 0], new[0:2, 0:1]

    compiled_as_eager(program, *fields())
    assert found == [True] * 6


def test_what_is_older_than_the_stores_is_read_there(found: list[bool]) -> None:
    def program(old: Any, new: Any) -> Any:
        new = rt.at(new)[1:-1, 1:-1].set(old[:-2, 1:-1])
        return new[:, 1], new[0], new[3:5, 60:], rt.at(new)[:, 0].set(new[:, 1])

    compiled_as_eager(program, *fields())
    assert found == [False] * 4


def test_a_read_of_much_or_in_steps_is_not_done_twice(found: list[bool]) -> None:
    def program(old: Any, new: Any) -> Any:
        new = rt.at(new)[:60].set(old[:60] * 2)
        return new[:50], new[1:5:2]

    compiled_as_eager(program, *fields())
    assert found == [False, False]


def test_later_stores_hide_earlier_ones(found: list[bool]) -> None:
    def program(x: Any, y: Any) -> Any:
        x = rt.at(x)[2:60].set(y[2:60] * 2)
        x = rt.at(x)[10:20].set(y[10:20] * 3)
        x = rt.at(x)[12].set(7.0)
        x = rt.at(x)[12, 4:6].set(-1.0)
        return x[9:14, 20], x[12], x[19:21, 0], x[12, 4], x[3]

    compiled_as_eager(program, *fields())
    assert found == [True] * 5


@pytest.mark.parametrize("seed", range(8))
def test_any_stores_and_reads(seed: int) -> None:
    random = np.random.default_rng(seed)

    def part(length: int, most: int) -> Any:
        start = int(random.integers(-length, length - 1))
        if random.random() < 0.25:
            return start
        first = start % length
        stop = int(random.integers(first + 1, min(first + most, length) + 1))
        return slice(start, stop) if random.random() < 0.5 or stop < length else slice(first, None)

    stores = [(part(SHAPE[0], 60), part(SHAPE[1], 70)) for _ in range(5)]
    stores.insert(0, (slice(None), slice(None, 69)))
    reads = [(part(SHAPE[0], 5), part(SHAPE[1], 9)) for _ in range(12)]

    def program(x: Any, y: Any) -> Any:
        for number, key in enumerate(stores):
            x = rt.at(x)[key].set(rt.at(y)[key].get() + number)
        return (*[rt.at(x)[key].get() for key in reads], x)

    compiled_as_eager(program, *fields())


def test_a_vector_in_a_loop(found: list[bool]) -> None:
    def program(a: Any, b: Any) -> Any:
        def body(i: Any, a: Any, b: Any) -> Any:
            b = rt.at(b)[1:-1].set(rt.op_mul(0.5, a[:-2] + a[2:]))
            b = rt.at(b)[0].set(b[1])
            b = rt.at(b)[-1].set(b[-2] + i)
            return b, a

        return rt.fori_loop(0, 5, body, a, b)

    compiled_as_eager(program, *np.random.default_rng(0).random((2, 40_000)))
    assert found
    assert all(found)
