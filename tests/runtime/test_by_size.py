"""``rt.migrated(original=..., above=n)``: small arrays stay with NumPy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime import fallback

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


def test_never_leaves_all_but_the_core_to_numpy(monkeypatch):
    monkeypatch.delenv("NP2TNP_ABOVE", raising=False)
    chosen = []

    def body(x=1.0, y=None):
        chosen.append("tensorflow")
        return rt.sum(x)

    never = rt.migrated(body, original=lambda x=1.0, y=None: chosen.append("numpy"), above=rt.NEVER)
    for arguments in ((np.zeros(1000),), (2.0,), ([1.0], {}), (object(),), ()):
        never(*arguments)
    assert chosen == ["numpy"] * 5
    never(np.zeros(2), rt.tensor(np.zeros(2)))
    never.core(rt.tensor(np.zeros(2)))
    assert chosen[5:] == ["tensorflow"] * 2


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


def many_calls(argument, caplog, count=fallback.MANY, times=1):
    functions = [rt.migrated(lambda x: 0) for _ in range(times)]
    with caplog.at_level("WARNING", logger="np2tnp"):
        for function in functions:
            for _ in range(count):
                function(argument)
    return [record.getMessage() for record in caplog.records]


def test_many_calls_with_small_arrays_are_told_once(monkeypatch, caplog):
    monkeypatch.setattr(fallback, "_told_of_small_calls", False)
    monkeypatch.delenv("NP2TNP_ABOVE", raising=False)
    (message,) = many_calls([np.zeros(3), np.zeros((2, 6))], caplog, times=2)
    assert "was called 1000 times, now with arrays of at most 12 elements" in message


@pytest.mark.parametrize(
    ("argument", "count", "above"),
    [(np.zeros(1000), 1000, ""), (3.5, 1000, ""), (np.zeros(3), 999, ""), (np.zeros(3), 1000, "0")],
)
def test_other_calls_say_nothing(argument, count, above, monkeypatch, caplog):
    monkeypatch.setattr(fallback, "_told_of_small_calls", False)
    monkeypatch.setenv("NP2TNP_ABOVE", above)
    assert many_calls(argument, caplog, count) == []
