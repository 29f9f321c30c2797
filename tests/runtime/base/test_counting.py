"""``rt.count_ops`` sees what TensorFlow executes, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.lazy_tensorflow import tf, tnp


def test_raw_operations_tnp_functions_operators_and_helpers_count() -> None:
    x = rt.tensor(np.ones((3, 3)))
    for action, op in [
        (lambda: tf.raw_ops.AddV2(x=x, y=x), "AddV2"),
        (lambda: tnp.sum(x), "Sum"),
        (lambda: x * 2.0, "Mul"),
        (lambda: tf.linalg.inv(x + tf.eye(3, dtype=tf.float64)), "MatrixInverse"),
        (lambda: rt.at(x)[1].set(3.0), "TensorStridedSliceUpdate"),
    ]:
        with rt.count_ops() as count:
            action()
        assert count.ops[op] == 1
        assert 1 <= count.work <= count.total


def test_numpy_and_conversions_do_not_count() -> None:
    with rt.count_ops() as count:
        x = rt.tensor(np.ones(3))
        np.sin(rt.host(x))
        tf.identity(x)
    assert count.work == 0


@pytest.mark.parametrize("jit", [False, True])
def test_calls_of_compiled_functions_count_by_their_graph(jit: bool) -> None:
    @tf.function(jit_compile=jit, autograph=False)
    def inner(x: Any) -> Any:
        return tf.sin(x) * 2

    @tf.function(autograph=False)
    def outer(x: Any) -> Any:
        return tf.cos(inner(x))

    x = tf.ones(3)
    with rt.count_ops() as count:
        outer(x)
        outer(x)
    assert (count.ops["Sin"], count.ops["Cos"], count.ops["Mul"]) == (2, 2, 2)


def test_counters_nest_and_end_with_their_block() -> None:
    x = tf.ones(3)
    with rt.count_ops() as outside:
        tf.sin(x)
        with rt.count_ops() as inside:
            tf.cos(x)
        tf.cos(x)
    tf.sin(x)
    assert inside.ops == {"Cos": 1}
    assert outside.ops == {"Sin": 1, "Cos": 2}
    assert repr(inside) == "OpCount(work=1, total=1, ops={'Cos': 1})"
