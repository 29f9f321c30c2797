"""What the results of an iteration share is stored once under XLA, and the values stay what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compile.compiled import RUNS
from np2tnp.runtime.compile.xla import materialize


def escape(z: Any) -> Any:
    count, alive = rt.full(rt.shape(z), 20, dtype=np.int32), rt.ones(rt.shape(z), dtype=bool)

    def body(i: Any, z: Any, count: Any, alive: Any) -> Any:
        z = rt.at(z)[alive].set(rt.at(z)[alive].get() * rt.at(z)[alive].get() + (0.285 + 0.01j))
        escaped = alive & (rt.absolute(z) > 2)
        return z, rt.at(count)[escaped].set(i), rt.at(alive)[...].bitwise_and(~escaped)

    return rt.fori_loop(0, 20, body, z, count, alive)


def escape_by_numpy(z: Any) -> Any:
    z, count, alive = z.copy(), np.full(z.shape, 20, np.int32), np.ones(z.shape, bool)
    for i in range(20):
        z[alive] = z[alive] * z[alive] + (0.285 + 0.01j)
        escaped = alive & (np.abs(z) > 2)
        count[escaped] = i
        alive &= ~escaped
    return z, count, alive


def transport(np: Any, u: Any, steps: int) -> Any:
    """Stores of a value that reads what is around it, then at the edges; two results of one quotient."""
    total = u * 0.0

    def body(_: Any, u: Any, total: Any) -> Any:
        slope = (u[1:-1] - u[:-2]) / (1 + u[1:-1] * u[1:-1]) / 3 + (u[2:] - u[1:-1]) / (2 + u[:-2] * u[:-2])
        if np is rt:
            new = rt.at(u)[1:-1].set(u[1:-1] - 0.1 * slope)
            new = rt.at(new)[0].set(new[-2])
            return rt.at(new)[-1].set(new[1]), rt.at(total)[1:-1].add(slope)
        new = u.copy()
        new[1:-1] = u[1:-1] - 0.1 * slope
        new[0], new[-1] = new[-2], new[1]
        total[1:-1] += slope
        return new, total

    if np is rt:
        return rt.fori_loop(0, steps, body, u, total)
    for i in range(steps):
        u, total = body(i, u, total)
    return u, total


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    update = materialize._update()
    monkeypatch.setattr(materialize, "_update", lambda: lambda *args: found.append(args[0]) or update(*args))
    return found


def test_the_mask_of_what_escapes_is_made_once(stored: list[Any]) -> None:
    axis = np.linspace(-1.5, 1.5, 80)
    z = axis + 1j * axis[:, np.newaxis]
    z[0, :4] = complex(np.nan, 1), complex(np.inf, np.nan), complex(-np.inf, 0), -0.0
    RUNS.clear()
    with np.errstate(all="ignore"):
        actual, expected = rt.migrated(compile="xla")(escape)(z), escape_by_numpy(z)
    assert RUNS == {"compiled": 1}
    assert [x.dtype.name for x in stored] == ["bool"]
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("steps", [1, 6, 7])
def test_beside_stores_in_place(dtype: str, steps: int) -> None:
    u = np.random.default_rng(0).standard_normal(40_000).astype(dtype)
    u[5], u[700] = np.nan, -0.0
    RUNS.clear()
    with np.errstate(all="ignore"):
        actual = rt.migrated(compile="xla")(lambda u: transport(rt, u, steps))(u)
        expected = transport(np, u, steps)
    assert RUNS == {"compiled": 1}
    for one, other in zip(actual, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def apart(x: Any) -> Any:
    return lambda i, a, b: (a + x / (1 + x * i), b * 2)


def cheap(x: Any) -> Any:
    return lambda i, a, b: (a + (b - x), b + (b - x) * i)


@pytest.mark.parametrize("body", [apart, cheap])
def test_what_is_cheap_or_needed_once_is_not_stored(body: Callable[..., Any], stored: list[Any]) -> None:
    x = np.random.default_rng(0).standard_normal(5000)
    rt.migrated(compile="xla")(lambda x: rt.fori_loop(0, 3, body(x), x, x * 2))(x)
    assert not stored
