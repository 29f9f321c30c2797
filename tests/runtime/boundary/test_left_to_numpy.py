"""Calls of compiled functions that do not run as graphs are left to the original where eager TensorFlow is slower."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base import hardware
from np2tnp.runtime.compile.compiled import RUNS

who: list[str] = []


def original(x: Any, words: Any = ()) -> Any:
    who.append("numpy")
    x += 1
    return "positive" if np.sum(x) > 0 else "negative"


def body(x: Any, words: Any = ()) -> Any:
    who.append("tensorflow")
    x = rt.iadd(x, 1)
    return rt.updated("positive" if rt.sum(x) > 0 else "negative", x=x)


def migrated(**options: Any) -> Any:
    options = {"mutates": ("x",), "original": original, "on_unverified": "numpy", "compile": "xla", **options}
    return rt.migrated(**options)(body)


def answer(function: Any, x: Any) -> str:
    """Who gave the result."""
    before = x.copy()
    who.clear()
    RUNS.clear()
    assert function(x) == "positive"
    np.testing.assert_array_equal(x, before + 1)
    return who[-1]


@pytest.fixture(params=[False, True])
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.delenv("NP2TNP_ABOVE", raising=False)
    monkeypatch.setattr(hardware, "_found", request.param)
    return bool(request.param)


def test_without_a_gpu_all_of_them(gpu: bool, caplog: pytest.LogCaptureFixture) -> None:
    function = migrated()
    with caplog.at_level(logging.WARNING, "np2tnp"):
        assert answer(function, np.ones(3)) == "numpy"
    assert "body runs in NumPy for some arguments, not as compiled: a branch" in caplog.text
    assert RUNS == {"left": 1}
    assert answer(function, np.ones(100_000)) == ("tensorflow" if gpu else "numpy")
    assert RUNS["eager" if gpu else "left"] == RUNS.total() == 1


def test_not_where_somebody_has_decided(gpu: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(migrated(above=0), np.ones(3)) == "tensorflow"
    assert answer(migrated(original=None, on_unverified="raise"), np.ones(3)) == "tensorflow"
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    assert answer(migrated(), np.ones(3)) == "tensorflow"


def test_a_graph_that_finds_an_index_out_of_range(gpu: bool) -> None:
    def numpys(x: Any, i: Any) -> Any:
        return x[i]

    function = rt.migrated(compile="graph", original=numpys, on_unverified="numpy")(lambda x, i: rt.at(x)[i].get())
    RUNS.clear()
    places = np.array([0, 1])
    np.testing.assert_array_equal(function(np.arange(3.0), places), [0.0, 1.0])
    places[1] = 3
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        function(np.arange(3.0), places)
    assert RUNS == {"compiled": 1, "left": 1}


def test_a_core_goes_on_with_tensors(gpu: bool) -> None:
    who.clear()
    result = migrated().core(rt.tensor(np.ones(3)))
    assert next(iter(result)) == "positive"
    assert who[-1] == "tensorflow"
