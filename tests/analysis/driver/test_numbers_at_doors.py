"""What a door lets in as a number stays Python's or NumPy's own number: operators on it are not rewritten."""

from __future__ import annotations

import re
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from np2tnp.config import Config  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402

FUNCTIONS = """
import math

import numpy as np


def recorded(u, dt, steps=5, every=2):
    frames = []
    for i in range(steps):
        u = u + dt / 2 * (np.roll(u, 1) - u)
        if i % every == 0:
            frames.append(np.max(u))
    return u, len(frames)


def halved(x, n, dt):
    k = n // 2
    return np.exp(x * (dt / 2)) * k % 3


def ridge(X, y, lam=1.0, lr=0.01):
    w = np.zeros(X.shape[1])
    lam /= 10
    for t in range(3):
        w = w - lr / (1 + t) * (X.T @ (X @ w - y) + lam * w)
        w = w * math.exp(-lr)
    return w


def fitted(X, y, penalty):
    w = ridge(X, y, penalty)
    return w * np.sum(penalty)


def fitted_twice(X, y):
    return ridge(X, y, 0.5) + ridge(X, y, lam=np.float32(0.25))


def drifting(X, y, shift=0.5):
    shift += 1
    return np.tanh(X - shift) @ y[: X.shape[1]] * (2 // shift)
"""


def decorator(text: str, name: str) -> str:
    found = re.search(rf"@rt\.migrated([^\n]*)\ndef {name}\(", text)
    assert found is not None
    return found[1]


def body(text: str, name: str) -> str:
    return text.partition(f"def {name}(")[2].partition("\n\n\n")[0]


@pytest.fixture(scope="module")
def text() -> str:
    report = analyze(Source("numbers.py", FUNCTIONS), Config(rewrite=True, slow="convert"))
    assert report.new_text is not None
    return report.new_text


@pytest.fixture
def modules(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], dict[str, Any]]:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    spaces: tuple[dict[str, Any], dict[str, Any]] = ({"__name__": "old"}, {"__name__": "new"})
    exec(FUNCTIONS, spaces[0])
    exec(text, spaces[1])
    return spaces


def test_operators_on_numbers_stay(text: str) -> None:
    assert "if i % every == 0:" in body(text, "recorded")
    assert "k = n // 2" in body(text, "halved")
    assert "lam /= 10\n" in body(text, "ridge")
    assert "math.exp(-lr)" in body(text, "ridge")
    assert "rt." not in body(text, "recorded") + body(text, "ridge")
    for name in ("recorded", "ridge"):
        assert "numbers=" in decorator(text, name)
        assert "updates=" not in decorator(text, name)


def test_a_traced_function_has_the_same_operators() -> None:
    report = analyze(Source("numbers.py", FUNCTIONS), Config(rewrite=True, slow="convert", compile="xla"))
    assert report.new_text is not None
    assert "if i % every == 0:" in body(report.new_text, "recorded")


NUMBERS = {
    "int": 2,
    "float": 0.75,
    "float32": np.float32(0.3),
    "float64": np.float64(0.3),
    "int32": np.int32(3),
    "int64": np.int64(3),
    "int8": np.int8(3),
    "bool": True,
    "complex": 1 + 2j,
    "negative": -3,
    "nothing": None,
    "zero_d": np.array(0.3),
    "array": np.array([0.5, 1.5, 2.0]),
    "integers": np.array([1, 2, 3]),
    "float32s": np.array([0.5, 1.5, 2.0], np.float32),
    "list": [1.0, 2.0, 3.0],
}


def outcome(function: Any, *args: Any) -> tuple[Any, ...]:
    given = [it.copy() if isinstance(it, np.ndarray) else it for it in args]
    try:
        result = function(*given)
    except Exception as error:
        return type(error).__name__, given
    return result, given


def same(a: Any, b: Any) -> bool:
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (np.ndarray, np.generic)):
        close = type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
        return close and bool(np.allclose(a, b, rtol=1e-6, equal_nan=True))
    return type(a) is type(b) and a == b


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("char", ["d", "f", "l", "b"])
@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("name", ["recorded", "halved", "ridge", "fitted", "drifting"])
def test_whatever_comes_in_a_numbers_place(modules: Any, name: str, kind: str, char: str) -> None:
    x = (np.arange(9).reshape(3, 3) - 3).astype(char)
    y = np.array([1, 2, 4]).astype(char)
    number = NUMBERS[kind]
    args = {"recorded": (y, number), "halved": (x, number, number)}.get(name, (x, y, number))
    old, new = (outcome(space[name], *args) for space in modules)
    assert same(old, new), (old, new)


def test_a_caller_that_passes_numbers(modules: Any) -> None:
    x, y = np.arange(9.0).reshape(3, 3), np.array([1.0, 2.0, 4.0])
    old, new = (space["fitted_twice"](x, y) for space in modules)
    assert same(old, new), (old, new)
