"""What is known of an attribute that the function itself has assigned, until other code may have assigned to it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from side_by_side import rewrite  # noqa: E402

LAYER = """
import numpy as np


class Layer:
    def __init__(self, w):
        self.w = w
        self.h = None

    def plain(self, x):
        self.h = np.exp(x)
        return self.h @ self.w

    def branch(self, x, c):
        self.h = self.start
        if c:
            self.h = np.exp(x)
        return self.h * 2.5 + np.sin(x)

    def loop(self, x, n):
        out = 0.0
        self.h = np.exp(x)
        for _ in range(n):
            out = self.h * 2.5 + np.sin(x)
            self.h = self.start
        return out

    def reset(self):
        self.h = self.start

    def called(self, x):
        self.h = np.exp(x)
        self.reset()
        return self.h * 2.5 + np.sin(x)

    @property
    def size(self):
        self.h = self.start
        return 3

    def by_property(self, x):
        self.h = np.exp(x)
        n = self.size
        return self.h * 2.5 + np.sin(x) * n

    def by_text(self, x):
        self.h = np.exp(x)
        setattr(self, "h", self.start)
        return self.h * 2.5 + np.sin(x)

    def __len__(self):
        self.h = self.start
        return 2

    def by_len(self, x):
        self.h = np.exp(x)
        n = len(self)
        return self.h * 2.5 + np.sin(x) * n

    def other(self, x, o):
        self.h = np.exp(x)
        o.h = self.start
        return self.h * 2.5 + np.sin(x)


    def unpacked(self, x):
        self.h = np.exp(x)
        self.h, k = self.start, 1
        return self.h * 2.5 + np.sin(x)

    def comprehended(self, x):
        self.h = np.exp(x)
        [0 for self.h in self.start]
        return self.h * 2.5 + np.sin(x)

    def by_function(self, x):
        self.h = np.exp(x)
        poke(self)
        return self.h * 2.5 + np.sin(x)


def poke(o):
    o.h = o.start
"""


def test_an_attribute_is_what_was_assigned_until_other_code_may_assign_to_it() -> None:
    new = (rewrite(LAYER, on_unverified="numpy").new_text or "").partition("# NumPy originals")[0]
    bodies = dict(re.findall(r"    def (\w+)\(self.*?\):\n(.*?)(?=\n    def |\n    @|\n\n\n)", new, re.DOTALL))
    assert "tnp.matmul(self.h, self.w)" in bodies["plain"]
    methods = (
        "branch",
        "loop",
        "called",
        "by_property",
        "by_text",
        "by_len",
        "other",
        "by_function",
        "unpacked",
        "comprehended",
    )
    assert [name for name in methods if "rt.op_add(self.h * 2.5" not in bodies[name]] == []


REGRESSION = """
import numpy as np


class Regression:
    def __init__(self, rate=0.1):
        self.rate = rate

    def fit(self, X, y):
        self.w = np.zeros(X.shape[1])
        self.b = 0.0
        for _ in range(50):
            error = X @ self.w + self.b - y
            self.w -= self.rate * (X.T @ error) / len(y)
            self.b -= self.rate * error.mean()
        self.scale = np.std(X, axis=0)
        self.scale[self.scale == 0] = 1.0
        return self
"""


def test_attributes_that_are_updated_in_place_keep_what_is_known_of_them() -> None:
    new = (rewrite(REGRESSION, on_unverified="numpy").new_text or "").partition("# NumPy originals")[0]
    assert "        error = X @ self.w + self.b - y\n" in new
    assert "self.w -= rt.host(self.rate * (tnp.transpose(X) @ error) / len(y))" in new
    assert "self.b -= rt.host(self.rate * tnp.mean(error))" in new
    assert "self.scale[self.scale == 0] = 1.0" in new  # an index of an ndarray is made on the host


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "complex128", "bool"])
def test_such_attributes_are_numpys(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    X = (np.arange(24).reshape(6, 4) % 5).astype(dtype)
    y = np.arange(6.0)
    found = []
    for text in (REGRESSION, rewrite(REGRESSION, on_unverified="numpy").new_text or ""):
        space: dict[str, Any] = {"__name__": "regression"}
        exec(text, space)
        model = space["Regression"](0.01)
        try:
            model.fit(X, y)
        except Exception as error:
            found.append(type(error).__name__)
            continue
        found.append({name: getattr(model, name) for name in ("w", "b", "scale")})
    before, after = found
    if isinstance(before, str):
        assert before == after
        return
    for name, value in before.items():
        assert type(value) is type(after[name])
        np.testing.assert_allclose(after[name], value, rtol=1e-5, strict=True)


STAND_IN = """
import numpy as np


def f(x, p=None, q=None):
    if p is None:
        p = np.empty(3)
        p.fill(0.5)
    if q is None:
        q = np.zeros(3)
        q.fill(2.0)
    q += np.exp(x)
    return np.exp(x) * p + q
"""


def test_what_stands_in_for_an_argument_is_filled_and_the_argument_itself_is_updated() -> None:
    assert rewrite(STAND_IN).new_text is not None
    spaces: list[dict[str, Any]] = [{}, {}]
    for space, text in zip(spaces, (STAND_IN, rewrite(STAND_IN).new_text or ""), strict=True):
        exec(compile(text, "snippet.py", "exec"), space)
    for given in ((), (np.ones(3),), (np.ones(3), np.ones(3))):
        copies = [[item.copy() for item in given] for _ in spaces]
        results = [space["f"](np.arange(3.0), *own) for space, own in zip(spaces, copies, strict=True)]
        np.testing.assert_allclose(results[1], results[0], rtol=1e-12)
        for mine, other in zip(*copies, strict=True):
            np.testing.assert_allclose(other, mine, rtol=1e-12)


def test_arrays_of_objects_hold_what_they_would_in_numpy() -> None:
    text = (
        "import numpy as np\n\n\ndef f(n, x):\n    out = np.empty((n, 2), dtype=np.ndarray)\n    for i in range(n):\n"
    )
    text += "        for j in range(2):\n            out[i, j] = np.exp(x) * (i + j)\n    return out\n"
    spaces: list[dict[str, Any]] = [{}, {}]
    for space, written in zip(spaces, (text, rewrite(text).new_text or ""), strict=True):
        exec(compile(written, "snippet.py", "exec"), space)
    assert "np2tnp" in (rewrite(text).new_text or "")
    mine, other = (space["f"](2, np.arange(3.0)) for space in spaces)
    assert mine.dtype == other.dtype == object
    for one, two in zip(mine.ravel(), other.ravel(), strict=True):
        assert type(two) is np.ndarray
        np.testing.assert_allclose(two, one, rtol=1e-12)
