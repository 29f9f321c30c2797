"""Compiled functions have doors, and the text that they have without --compile: one text for eager code and graphs."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime
from np2tnp.catalog import load
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import RegionState
from np2tnp.probe.probed_calls import STAND_INS
from np2tnp.runtime import refusals, tnp
from np2tnp.runtime.compile.compiled import RUNS

CONFIG = Config(rewrite=True, slow="convert")
FUNCTIONS = """
import numpy as np


def softmax(z):
    z = z - z.max(axis=1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=1, keepdims=True)


def loss(w, x, y):
    p = 1.0 / (1.0 + np.exp(-(x @ w)))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def positive(signal):
    return np.exp(signal[signal > 0]).sum() + np.maximum(signal, 0.5).max()


def narrowed(signal):
    return np.sqrt(signal[signal > 0].astype(np.float32)).sum()


def eliminated(A):
    A = A.copy()
    for k in range(A.shape[0] - 1):
        A[k + 1 :, k:] -= np.outer(A[k + 1 :, k] / A[k, k], A[k, k:])
    return np.abs(A).max() + np.sqrt(np.abs(A)).sum()


def fitted(X, y, lr=0.1, epochs=20):
    w = np.zeros(X.shape[1])
    for _ in range(epochs):
        w = w - lr * (X.T @ (X @ w - y)) / len(y)
    return w


def scaled(x, n):
    return np.minimum(x * n, x + n) - np.sign(x)


def shown(x):
    print(len(x))
    x = np.tanh(x)
    x[0] = 0.0
    return x
"""


@pytest.fixture(autouse=True)
def _no_size_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    RUNS.clear()


def text_of(mode: str) -> str:
    report = analyze(Source("program.py", FUNCTIONS), replace(CONFIG, compile=mode))
    assert report.new_text is not None, report
    assert all(it.state is RegionState.CONVERTIBLE for it in report.regions if it.qualname != "<module>")
    return report.new_text


def module(mode: str) -> types.ModuleType:
    made = types.ModuleType("program")
    exec(compile(FUNCTIONS if mode == "numpy" else text_of(mode), "program.py", "exec"), vars(made))
    return made


def function(text: str, name: str) -> str:
    found = re.search(rf"@rt\.migrated\b[^\n]*\ndef {name}\(.*?(?=\n\n\n)", text, re.S)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("mode", ["graph", "xla"])
@pytest.mark.parametrize("name", ["softmax", "loss", "positive", "scaled"])
def test_a_compiled_function_reads_as_one_that_is_not(mode: str, name: str) -> None:
    compiled = function(text_of(mode), name)
    assert f', compile="{mode}")' in compiled
    assert compiled.replace(f', compile="{mode}"', "") == function(text_of("none"), name)
    assert "rt.op_" not in compiled
    assert "tnp." in compiled


def test_one_that_cannot_be_compiled_is_written_as_without_the_option() -> None:
    assert function(text_of("xla"), "shown") == function(text_of("none"), "shown")


rng = np.random.default_rng(3)
ARGUMENTS = {
    "softmax": (rng.normal(size=(4, 5)),),
    "loss": (rng.normal(size=3), rng.normal(size=(6, 3)), rng.integers(0, 2, 6).astype(float)),
    "positive": (rng.normal(size=40),),
    "narrowed": (rng.normal(size=40),),
    "eliminated": (rng.normal(size=(5, 5)) + 4 * np.eye(5),),
    "fitted": (rng.normal(size=(6, 3)), rng.normal(size=6)),
    "scaled": (np.array([1.5, -0.0, np.nan]), 3),
}


@pytest.mark.parametrize("mode", ["graph", "xla"])
@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_what_the_door_admits_runs_as_a_graph(mode: str, name: str) -> None:
    given = ARGUMENTS[name]
    actual, expected = getattr(module(mode), name)(*given), getattr(module("numpy"), name)(*given)
    assert (type(actual), actual.dtype) == (type(expected), expected.dtype)
    np.testing.assert_allclose(actual, expected, rtol=1e-12 if name != "narrowed" else 1e-6)
    assert RUNS == {"compiled": 1}


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return f(*args)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("softmax", (np.zeros((0, 3)),)),
        ("softmax", ([[1.0, 2.0]],)),
        ("positive", (np.array([1.0 + 2.0j, 0.5]),)),
        ("scaled", (np.array([1, 2, 3], np.int8), 3)),
        ("scaled", (np.array([1, 2, 3], np.int32), 2**40)),
        ("scaled", (np.bool_(True), 3)),
        ("scaled", (np.array(2.0), 3)),
        ("loss", (np.ones(2, bool), np.ones((2, 2)), np.zeros(2))),
    ],
)
def test_what_it_does_not_admit_the_original_answers_before_a_trace(name: str, args: tuple[Any, ...]) -> None:
    before = refusals()
    actual, expected = outcome(getattr(module("xla"), name), *args), outcome(getattr(module("numpy"), name), *args)
    assert type(actual) is type(expected)
    if not isinstance(expected, type):
        np.testing.assert_array_equal(actual, expected)
        assert np.asarray(actual).dtype == np.asarray(expected).dtype
    assert not RUNS
    assert refusals() != before


def test_the_same_name_is_tensorflow_s_own_elsewhere() -> None:
    """Also while another function is traced: in a thread of its own, and in TensorFlow's own graphs."""
    import tensorflow as tf
    import tensorflow.experimental.numpy as own

    f = runtime.migrated(compile="xla")(lambda x: tnp.exp(x))
    np.testing.assert_allclose(f(np.ones(3)), np.exp(np.ones(3)))
    assert tnp.exp is runtime.exp is not own.exp
    graph = tf.function(lambda x: tnp.sqrt(x)).get_concrete_function(tf.TensorSpec([3], tf.float64))
    assert [it.type for it in graph.graph.get_operations()].count("Sqrt") == 1


def test_each_function_of_tnp_s_that_is_emitted_has_its_helper() -> None:
    catalog = load()
    for name in catalog.names():
        fact = catalog.get(name)
        if fact is None or fact.rt is None or fact.tnp is None or not fact.tnp.name.startswith("tnp."):
            continue
        short = fact.tnp.name.removeprefix("tnp.")
        assert callable(getattr(runtime, short)), name
        stands_in = STAND_INS.get(fact.alias_of or name, ("", ""))[0] == fact.tnp.name
        assert stands_in or short in (fact.rt.name.removeprefix("rt."), "compress", "conj", "conjugate"), name


def test_a_module_that_imports_tensorflow_s_own_gets_another_name() -> None:
    text = "import numpy as np\nimport tensorflow.experimental.numpy as tnp\n\n\ndef f(x):\n    return np.exp(x)\n"
    for config in (replace(CONFIG, compile="xla"), CONFIG):
        new = analyze(Source("program.py", text), config).new_text or ""
        assert "from np2tnp.runtime import tnp as tnp_\n" in new
        assert "return tnp_.exp(x)" in new


NEGATIVE_POWERS = """
import numpy as np


def inverse(x):
    return np.sqrt(x) + x ** -1


def over(x, k):
    return np.sqrt(x) * k ** -1


def over_sum(x):
    return over(x, np.sum(x))
"""


@pytest.mark.parametrize("compile_as", ["none", "graph", "xla"])
def test_integers_to_negative_powers_raise_as_in_numpy(compile_as: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a graph TensorFlow gives 0, also where the number comes from another migrated function."""
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    new = analyze(Source("program.py", NEGATIVE_POWERS), replace(CONFIG, compile=compile_as)).new_text or ""
    space: dict[str, Any] = {"__name__": "powers"}
    exec(new, space)
    whole, halves = np.array([1, 2, 4]), np.array([0.5, 2.0, 4.0])
    np.testing.assert_array_equal(space["inverse"](halves), np.sqrt(halves) + halves**-1)
    np.testing.assert_allclose(space["over_sum"](halves), np.sqrt(halves) * halves.sum() ** -1, rtol=1e-15)
    for name in ("inverse", "over_sum"):
        with pytest.raises(ValueError, match="negative integer powers"):
            space[name](whole)
