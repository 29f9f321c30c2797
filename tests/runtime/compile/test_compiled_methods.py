"""Methods under ``compile=``: the arrays of an object are inputs of the graph, read anew at each call."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compile import compiled


@pytest.fixture(autouse=True)
def runs():
    compiled.RUNS.clear()
    return compiled.RUNS


def compile_method(*state):
    return rt.migrated(compile="graph", state=state)


class Net:
    scale = np.array([1.0, 2.0])
    kind = "tanh"

    def __init__(self):
        self.w = np.array([[1.0, 2.0], [3.0, 4.0]])
        self.b = np.array([0.5, -0.5])
        self.gain = 2.0
        self.unused = np.zeros(3)
        self.other = object()

    @compile_method("w", "b", "gain", "scale")
    def forward(self, x):
        y = rt.op_add(rt.op_matmul(x, self.w), self.b)
        return rt.op_mul(rt.op_mul(y, self.gain), self.scale), self.kind

    @compile_method("b")
    def deep(self, x, n):
        x = rt.fori_loop(0, n, lambda i, x: rt.core(self.forward)(x)[0], x)
        return rt.op_sub(x, self.b)

    @compile_method()
    def raw(self, i):
        return rt.sin(rt.tensor(self.w[i]))

    @compile_method()
    def twice(self):
        return rt.op_mul(rt.core(self.raw)(1), 2.0)


def expected(net, x):
    return (x @ net.w + net.b) * net.gain * net.scale


def test_what_the_object_holds_is_read_at_each_call(runs):
    net, x = Net(), np.array([0.1, 0.2])
    assert np.array_equal(net.forward(x)[0], expected(net, x))
    net.w[0, 0] = 7.0
    net.b = np.array([9.0, 8.0])
    net.scale = np.array([3.0, 3.0])
    result, kind = net.forward(x)
    assert np.array_equal(result, expected(net, x))
    assert kind == "tanh"
    assert runs == {"compiled": 2}


def test_traces_are_shared_by_objects_and_made_anew_for_other_numbers(runs, monkeypatch):
    made = []
    monkeypatch.setattr(compiled, "_traced", lambda *args, real=compiled._traced: made.append(1) or real(*args))
    first, second, x = Net(), Net(), np.array([0.3, 0.2])
    second.w = np.eye(2)
    for net in (first, second):
        np.testing.assert_allclose(net.forward(x)[0], expected(net, x), rtol=1e-15)
    before = len(made)
    second.gain = 0.25
    assert np.array_equal(second.forward(x)[0], expected(second, x))
    assert len(made) == before + 1
    second.w = np.eye(2, dtype=np.float32)
    assert np.array_equal(second.forward(x)[0], expected(second, x))
    assert len(made) == before + 2
    assert runs["eager"] == 0


def test_methods_call_methods(runs):
    net, x = Net(), np.array([0.1, 0.2])
    for _ in range(2):
        y = x
        for _ in range(3):
            y = expected(net, y)
        assert np.allclose(net.deep(x, 3), y - net.b, rtol=1e-14)
        net.w *= 0.5
    assert runs == {"compiled": 2}


def test_arrays_that_numpy_reads_leave_the_call_eager(runs, caplog):
    net = Net()
    with caplog.at_level(logging.WARNING, "np2tnp"):
        assert np.array_equal(net.raw(1), np.sin(net.w[1]))
    assert runs == {"eager": 1}
    assert "the array .w is read by NumPy" in caplog.text


def test_arrays_that_numpy_reads_in_a_method_that_is_called_leave_the_call_eager(runs):
    net = Net()
    for _ in range(2):
        assert np.array_equal(net.twice(), np.sin(net.w[1]) * 2.0)
    assert runs["compiled"] == 0


def test_a_method_that_is_replaced_is_the_one_that_runs(monkeypatch):
    net, x = Net(), np.array([0.1, 0.2])
    net.deep(x, 1)

    class Other(Net):
        @compile_method("w")
        def forward(self, x):
            return rt.op_matmul(x, self.w), "other"

    changed = Other()
    assert np.allclose(changed.deep(x, 1), x @ net.w - net.b)
    monkeypatch.setattr(Net, "forward", vars(Other)["forward"])
    assert np.allclose(net.deep(x, 1), x @ net.w - net.b)


class _Property(Net):
    @property
    def b(self):
        return self.w[0]

    @b.setter
    def b(self, value):
        pass


class _Dynamic(Net):
    def __getattr__(self, name):
        raise AttributeError(name)


class _Slots:
    __slots__ = ("b", "gain", "scale", "w")
    kind = ""
    forward = Net.forward

    def __init__(self):
        self.w, self.b, self.gain, self.scale = np.eye(2), np.ones(2), 1.0, 2.0


@pytest.mark.parametrize("kind", [_Property, _Dynamic, _Slots])
def test_objects_with_attributes_of_their_own_way_run_eagerly(kind, runs):
    net, x = kind(), np.array([0.1, 0.2])
    assert np.array_equal(net.forward(x)[0], expected(net, x))
    assert runs == {"eager": 1}


def test_a_missing_attribute_is_pythons_error():
    net = Net()
    del net.b
    with pytest.raises(AttributeError, match="no attribute 'b'"):
        net.forward(np.array([0.1, 0.2]))


def test_numbers_that_change_become_inputs(runs):
    net, x = Net(), np.array([0.1, 0.2])
    for gain in range(12):
        net.gain = float(gain)
        assert np.array_equal(net.forward(x)[0], expected(net, x))
    assert runs == {"compiled": 12}
    net.gain = np.float64(12)  # NumPy's are used as such there
    assert np.array_equal(net.forward(x)[0], expected(net, x))
    assert runs == {"compiled": 13}


def test_float32_narrows_the_object_too(runs):
    class Single:
        def __init__(self):
            self.w = np.array([0.1, 0.2])

        @rt.migrated(compile="graph", state=("w",), float32=True)
        def scaled(self, x):
            y = rt.op_mul(x, self.w)
            return y, y.dtype.name

    single = Single()
    result, dtype = single.scaled(np.array([0.3, 0.7]))
    assert dtype == "float32"
    assert result.dtype == np.float64
    assert np.allclose(result, [0.03, 0.14], rtol=1e-6)
    assert runs == {"compiled": 1}
