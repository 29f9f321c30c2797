"""Rolled, padded and concatenated arrays in loops under XLA: made as interiors and edges, with NumPy's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compile.compiled import RUNS
from np2tnp.runtime.compile.xla import double_buffering


def rolls(np: Any, u: Any, v: Any) -> Any:
    """Two fields, of which the second reads the first one's new values; conditions; edges of several depths."""
    flux = np.where(v > 0, u - np.roll(u, 1, 0), np.roll(u, -1, 0) - u)
    new = u - 0.1 * v * flux + 0.01 * np.roll(u, (2, -3), (0, 1))
    return new, v + 0.05 * (np.roll(new, 1, 1) - v / (2 + np.abs(np.roll(v, -2, 1))))


def pads(np: Any, u: Any, v: Any) -> Any:
    p = np.pad(u, 1, mode="edge")
    q = np.pad(v, ((2, 0), (0, 1)), mode="constant", constant_values=-0.5)
    around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u
    return u + 0.1 * around, v - 0.2 * q[:-2, 1:] + 0.1 * np.pad(u, 2, mode="wrap")[4:, 2:-2]


def joins(np: Any, u: Any, v: Any) -> Any:
    p = np.concatenate([u[-1:], u, u[:1]])
    new = 0.5 * (p[2:] + p[:-2]) - 0.25 * (p[2:] - p[:-2])
    return new, np.concatenate([v[:, 3:], v[:, :3]], axis=1) * 0.5 + np.where(u == u, v, 1.0)


def stores(np: Any, u: Any, v: Any) -> Any:
    """Edges that are stored into after that, and a field that goes on to another name."""
    new = u + 0.1 * (np.roll(u, 1, 1) - 2 * u + np.roll(u, -1, 1)) - 0.01 * v
    if np is rt:
        new = rt.at(new)[0].set(new[1])
        new = rt.at(new)[:, -1].set(2.5)
    else:
        new[0] = new[1]
        new[:, -1] = 2.5
    return new, u


def twice(np: Any, u: Any, v: Any) -> Any:
    """Stores to a slice that read the array around it, one after the other."""
    for _ in range(2):
        around = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        if np is rt:
            u = rt.at(u)[1:-1, 1:-1].set(around)
        else:
            u = u.copy()
            u[1:-1, 1:-1] = around
    return u, v


def shifts(np: Any, u: Any, v: Any) -> Any:
    """Half of the array is what is an edge elsewhere."""
    return np.roll(u, 90, 0) - v, np.roll(v, u.shape[1] // 2, 1) * 0.5 + u


def iterated(np: Any, step: Callable[..., Any], u: Any, v: Any, times: int) -> Any:
    if np is rt:
        return rt.fori_loop(0, times, lambda _, u, v: step(rt, u, v), u, v)
    for _ in range(times):
        u, v = step(np, u, v)
    return u, v


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many arrays of an iteration are made in two parts."""
    found: list[int] = []
    real = double_buffering.stored

    def noting(trace: Any, wanted: Any) -> Any:
        found.append(len(wanted))
        return real(trace, wanted)

    monkeypatch.setattr(double_buffering, "stored", noting)
    return found


@pytest.mark.parametrize(
    ("step", "arrays"),
    [(rolls, 2), (pads, 2), (joins, 2), (stores, 0), (twice, 1), (shifts, 0)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_values(step: Callable[..., Any], arrays: int, dtype: str, made: list[int]) -> None:
    rng = np.random.default_rng(0)
    u, v = rng.standard_normal((2, 180, 190)).astype(dtype)
    u[3, 4], u[0, 0], v[-1, 5], v[7, 0], v[0, -1] = np.nan, np.inf, -np.inf, -0.0, -0.0
    for times in (4, 5):
        RUNS.clear()
        with np.errstate(all="ignore"):
            actual = rt.migrated(compile="xla")(lambda u, v, times=times: iterated(rt, step, u, v, times))(u, v)
            expected = iterated(np, step, u.copy(), v.copy(), times)
        assert RUNS == {"compiled": 1}
        for one, other in zip(actual, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(np.signbit(one[one == one]), np.signbit(other[one == one]))  # but for NaN
    assert (max(made, default=0) > 0) == (arrays > 0)


def test_in_one_dimension_and_for_a_number_of_iterations_that_varies(made: list[int]) -> None:
    def limited(np: Any, q: Any) -> Any:
        left, right = q - np.roll(q, 1), np.roll(q, -1) - q
        slope = np.where(left * right > 0, np.where(np.abs(left) < np.abs(right), left, right), 0.0)
        flux = 0.5 * (q + 0.25 * slope)
        return q - (flux - np.roll(flux, 1))

    def by_numpy(q: Any, times: int) -> Any:
        for _ in range(times):
            q = limited(np, q)
        return q

    migrated = rt.migrated(compile="xla")(lambda q, times: rt.fori_loop(0, times, lambda _, q: limited(rt, q), q))
    q = np.random.default_rng(0).standard_normal(40_000)
    RUNS.clear()
    for times in (3, 6, 7, 1, 0):
        np.testing.assert_array_equal(migrated(q, times), by_numpy(q, times))
    assert RUNS == {"compiled": 5}
    assert made


def test_integers_and_masks(made: list[int]) -> None:
    def life(np: Any, cells: Any) -> Any:
        near = sum(np.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return ((near == 3) | ((cells == 1) & (near == 2))).astype("i8")

    cells = (np.random.default_rng(0).random((190, 180)) < 0.3).astype("i8")
    run = rt.migrated(compile="xla")(lambda cells: rt.fori_loop(0, 5, lambda _, c: _living(c), cells))

    def _living(c: Any) -> Any:
        near = sum(rt.roll(c, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        alive = rt.logical_or(rt.op_eq(near, 3), rt.logical_and(rt.op_eq(c, 1), rt.op_eq(near, 2)))
        return rt.astype(alive, "i8")

    expected = cells
    for _ in range(5):
        expected = life(np, expected)
    RUNS.clear()
    np.testing.assert_array_equal(run(cells), expected)
    assert RUNS == {"compiled": 1}
