"""Arrays put together of a large part and small ones under XLA, which chooses among them element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.tracing import tracing
from np2tnp.runtime.compile.compiled import RUNS


def program(np: Any, x: Any) -> Any:
    """Rolls, edges and joined parts of a large array, and some that are no small part of it."""
    rolled = [np.roll(x, shift, axis) for shift in (1, -1, 0, 7, x.shape[0]) for axis in (0, 1, None)]
    rolled += [np.roll(x, (1, -2), (0, 1)), np.roll(x, x.shape[1] // 2, 1)]
    padded = [np.pad(x, 1, mode=mode) for mode in ("edge", "reflect", "symmetric", "wrap")]
    padded += [np.pad(x, ((2, 0), (0, 3)), mode="wrap"), np.pad(x, 2, mode="reflect")]
    joined = [np.concatenate((x[-1:], x, x[:1])), np.concatenate((x, x[:, :2]), axis=-1), np.vstack((x, x))]
    joined += [np.concatenate((x[:0], x)), np.concatenate((x[:1], x, x[:1], x[:1])), np.append(x, x[0, 0])]
    return (*rolled, *padded, *joined)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i1", "u2", "?", "c16"])
def test_elements_are_where_they_are_in_numpy(dtype: str) -> None:
    x = (np.random.default_rng(0).standard_normal((90, 70)) * 3).astype(dtype)
    RUNS.clear()
    actual = rt.migrated(compile="xla")(lambda x: program(rt, x))(x)
    assert RUNS == {"compiled": 1}
    for one, other in zip(actual, program(np, x), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_values_of_no_number_stay_in_their_places() -> None:
    x = np.full((80, 80), np.nan)
    x[0, 0], x[-1, -1] = np.inf, -0.0
    (actual,) = rt.migrated(compile="xla")(lambda x: (rt.roll(x, 1, 1),))(x)
    np.testing.assert_array_equal(actual, np.roll(x, 1, 1))
    assert np.signbit(actual[-1, 0])


def test_a_stencil_is_one_loop() -> None:
    import tensorflow as tf

    def stencil(x: Any) -> Any:
        return rt.roll(x, 1, 1) + rt.roll(x, -1, 1) + rt.roll(x, 1, 0)

    with tracing("xla"):
        function = tf.function(stencil, input_signature=[tf.TensorSpec((200, 100), tf.float64)], jit_compile=True)
        text = function.experimental_get_compiler_ir(tf.zeros((200, 100), tf.float64))(stage="optimized_hlo")
    entry = text[text.index("ENTRY") :]
    assert entry.count(" fusion(") == 1
    assert "concatenate(" not in entry
