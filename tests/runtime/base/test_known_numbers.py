"""Numbers that the runtime put on a device are not asked back from there."""

import numpy as np
import pytest
import tensorflow as tf

from np2tnp import runtime as rt
from np2tnp.runtime.base.promotion import constant, number_of


@pytest.fixture
def reads(monkeypatch):
    found = []
    kind = type(tf.constant(1.0))
    real = kind._numpy_internal
    monkeypatch.setattr(kind, "_numpy_internal", lambda tensor: found.append(tensor.shape) or real(tensor))
    return found


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64, tf.int32, tf.int64])
@pytest.mark.parametrize("value", [0, 1, 2.5, 0.1, 100])
def test_the_number_is_the_one_of_its_dtype(dtype, value):
    value = int(value) if dtype.is_integer else float(value)
    made = constant(value, dtype)
    assert number_of(made) == float(made.numpy())


def test_signs_of_zeros_are_kept():
    assert np.signbit(number_of(constant(-0.0, tf.float64)))
    assert not np.signbit(number_of(constant(0.0, tf.float64)))


def test_a_power_by_a_number_reads_nothing(reads):
    x = rt.tensor(np.arange(5.0))
    (x**2, rt.op_pow(x, 3), rt.power(x, 0.5))
    reads.clear()
    found = [x**2, rt.op_pow(x, 3), rt.power(x, 0.5)]
    assert not reads
    for tensor, exponent in zip(found, (2, 3, 0.5), strict=True):
        assert np.array_equal(rt.host(tensor), np.arange(5.0) ** exponent)


def test_an_exponent_of_somebody_elses_is_read():
    assert number_of(tf.constant(2.0, tf.float64)) == 2.0
    assert np.array_equal(
        rt.host(rt.power(rt.tensor(np.arange(5.0)), tf.constant(2.0, tf.float64))), np.arange(5.0) ** 2
    )
