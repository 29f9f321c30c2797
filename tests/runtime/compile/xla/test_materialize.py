"""Exponentials that are stored into parts of arrays under XLA: no loop calculates them under a condition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.tracing import tracing
from np2tnp.runtime.compile.compiled import RUNS
from np2tnp.runtime.compile.xla import materialize as costly

KEYS = (np.s_[1:], np.s_[:, 1:], np.s_[1:-1, 2:-3], np.s_[:-1, :])


def sums(np: Any, x: Any) -> Any:
    e = np.exp(-x * x) * x
    for key in KEYS:
        part = e[key]
        if np is rt:
            x = rt.at(x)[key].subtract(part)
            x = rt.at(x)[key].multiply(rt.sqrt(rt.abs(part)))
            x = rt.at(x)[key].set(x[key] + part * part)
        else:
            x = x.copy()
            x[key] -= part
            x[key] *= np.sqrt(np.abs(part))
            x[key] = x[key] + part * part
    return x + np.roll(e, 1, 0) - np.roll(e, -1, 1)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_values_are_in_their_places(dtype: str) -> None:
    x = np.random.default_rng(0).standard_normal((90, 70)).astype(dtype)
    RUNS.clear()
    actual = rt.migrated(compile="xla")(lambda x: sums(rt, x))(x)
    assert RUNS == {"compiled": 1}
    assert actual.dtype == x.dtype
    np.testing.assert_allclose(actual, sums(np, x), rtol=1e-3 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("costly", [True, False])
def test_only_what_is_cheap_is_padded(costly: bool) -> None:
    import tensorflow as tf

    with tracing("xla"), tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float64, (90, 70))
        value = rt.exp(x) if costly else rt.op_mul(x, x)
        rt.at(x)[1:, 1:].subtract(value[1:, 1:])
        rt.at(x)[1:].set(value[:-1])
        rt.roll(value, 1)
        kinds = {operation.type for operation in x.graph.get_operations()}
    assert ("ConcatV2" in kinds) == costly
    assert kinds.isdisjoint(("Pad", "PadV2")) == costly


def twice(np: Any, x: Any, edges: Any) -> Any:
    """A stencil of what another one gives, which is read as it is as well, before and after."""

    def around(a: Any) -> Any:
        return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a

    first = x * x * x - x - 0.5 * around(x) + x / 3 - (x * 2 + 1) / (x * x + 2) + x * 0.25
    doubled = 2 * first
    second = around(first) + np.pad(first, 1, mode="edge")[2:, 2:] + first[5, 7]
    return second, doubled - first, first, first[0], edges * first[:, 3]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_a_stencil_of_a_stencil(dtype: str) -> None:
    x = np.random.default_rng(0).standard_normal((90, 70)).astype(dtype)
    x[3, 4], x[80, 60], x[7, 0] = np.nan, np.inf, -0.0

    def program(np: Any, x: Any) -> Any:
        return twice(np, x, np.arange(90) * 1.0)

    RUNS.clear()
    with np.errstate(all="ignore"):
        actual, expected = rt.migrated(compile="xla")(lambda x: program(rt, x))(x), program(np, x)
    assert RUNS == {"compiled": 1}
    for one, other in zip(actual, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)  # + - * / are exact


def test_it_is_stored_once_and_what_is_cheap_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    update = costly._update()
    monkeypatch.setattr(costly, "_update", lambda: lambda *args: kept.append(args) or update(*args))

    def cheap(x: Any) -> Any:
        y = rt.op_mul(0.5, x)
        return y[1:] - y[:-1]

    x = np.random.default_rng(0).standard_normal((90, 70))
    rt.migrated(compile="xla")(cheap)(x)
    assert not kept
    rt.migrated(compile="xla")(lambda x: twice(rt, x, rt.ones(90)))(x)
    assert len(kept) == 1
