"""Exponentials that are stored into parts of arrays under XLA: no loop calculates them under a condition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compiled import RUNS
from np2tnp.runtime.tracing import tracing

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
