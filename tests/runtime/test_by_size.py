"""``rt.migrated(original=..., above=n)``: small arrays stay with NumPy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from np2tnp import runtime as rt

calls: list[str] = []


def original(x, more=()):
    calls.append("numpy")
    x += 1
    return x.sum()


@rt.migrated(mutates=("x",), original=original, above=10)
def migrated(x, more=()):
    """What it does."""
    calls.append("tensorflow")
    x = rt.iadd(x, 1)
    return rt.updated(rt.sum(x), x=x)


@pytest.mark.parametrize(
    ("x", "more", "who"),
    [
        (np.zeros(9), (), "numpy"),
        (np.zeros(10), (), "tensorflow"),
        (np.zeros((2, 5)), (), "tensorflow"),
        (np.zeros(2), [{"deep": np.zeros(10)}], "tensorflow"),
        (np.zeros(2), [np.zeros(9), np.zeros(9)], "numpy"),
        (np.zeros(2), np.zeros(10), "tensorflow"),
        (np.zeros(9), 12, "numpy"),
        (np.zeros(2), rt.tensor(np.zeros(2)), "tensorflow"),
    ],
)
def test_the_largest_array_decides(x, more, who):
    calls.clear()
    result = migrated(x, more)
    assert calls == [who]
    assert result == x.size
    assert type(result) is np.float64
    assert (x == 1).all()


@pytest.mark.parametrize(("text", "who"), [("0", "tensorflow"), ("5", "tensorflow"), ("7", "numpy"), ("", "numpy")])
def test_the_environment_sets_another_size(text, who, monkeypatch):
    monkeypatch.setenv("NP2TNP_ABOVE", text)
    chosen = []

    def body(x):
        chosen.append("tensorflow")
        return rt.sum(x)

    rt.migrated(body, original=lambda x: chosen.append("numpy"), above=10)(np.zeros(6))
    assert chosen == [who]


def test_without_arrays_nothing_tells_how_large_the_work_is():
    chosen = []

    def grid(n):
        chosen.append("numpy")
        return np.zeros(n)

    @rt.migrated(original=grid, above=1000)
    def migrated_grid(n):
        chosen.append("tensorflow")
        return rt.zeros(n)

    assert migrated_grid(3).tolist() == [0.0, 0.0, 0.0]
    assert chosen == ["tensorflow"]


def test_tensors_never_reach_the_original():
    import tensorflow as tf

    calls.clear()
    with pytest.raises(rt.UnverifiedError):
        migrated(tf.zeros(3))
    assert calls == []
    assert rt.host(migrated.core(tf.zeros(3)).result) == 3.0


def test_the_wrapper_keeps_the_functions_name_and_signature():
    import inspect
    import pickle

    assert migrated.__doc__ == "What it does."
    assert list(inspect.signature(migrated).parameters) == ["x", "more"]
    assert pickle.loads(pickle.dumps(migrated)) is migrated


def test_a_size_needs_an_original():
    with pytest.raises(ValueError, match="needs the original"):
        rt.migrated(lambda x: x, above=5)


def test_small_arrays_do_not_even_import_tensorflow():
    program = """
import sys
import numpy as np
from np2tnp import runtime as rt

@rt.migrated(original=np.sin, above=100)
def f(x):
    return rt.sin(x)

f(np.zeros(5))
sys.exit("tensorflow" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
