"""What is made of numbers alone and goes to the host at once stays NumPy's call."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import rewrite

TEXT = """
import numpy as np


class Grid:
    def __init__(self, n, m, spacing):
        self.values = np.zeros((n, m))
        self.spacing = spacing

    def run(self, x, solve, n: int):
        weights = np.exp(x)
        self.values[np.arange(n), np.arange(n)] = weights[0]
        solve(np.linspace(0, 1, self.spacing), np.eye(3), np.sqrt(2 / n), tolerance=np.full((2, 2), 1e-3))
        solve(np.sum(self.values), np.arange(weights[0]), np.ones_like(weights), np.sqrt(self.spacing))
        print(np.sqrt(2.0), np.float32(n) * 2)
        return weights * np.arange(n)


def shape(n: int, solve):
    solve(np.ones(n))
"""


def text() -> str:
    new = rewrite(TEXT, slow="convert").new_text
    assert new is not None
    return new


def test_numbers_need_no_device() -> None:
    new = text()
    for part in (
        "self.values[np.arange(n), np.arange(n)] = ",
        "solve(np.linspace(0, 1, self.spacing), np.eye(3), np.sqrt(2 / n), tolerance=np.full((2, 2), 1e-3))",
        "print(np.sqrt(2.0), ",
    ):
        assert part in new


def test_work_on_arrays_and_on_what_may_be_one_goes_to_tensorflow() -> None:
    new = text()
    for part in (
        "rt.host(tnp.sum(self.values))",
        "rt.host(tnp.arange(weights[0]))",
        "rt.ndarray(tnp.ones_like(weights))",
        "rt.host(tnp.sqrt(self.spacing))",
        "return weights * tnp.arange(n)",
    ):
        assert part in new


def test_a_region_with_nothing_else_stays_numpy() -> None:
    assert "\n\ndef shape(n: int, solve):\n    solve(np.ones(n))\n" in text()


FETCHED = """
import json

import numpy as np


def load(path, seed, rate, x):
    with open(path) as stream:
        table = np.asarray(json.load(stream))
    noise = np.random.default_rng(seed).normal(scale=rate, size=len(table))
    return np.maximum(x, 1) + rate * noise


def everything(path, seed, x):
    return load(path, seed, np.sum(x), x - 1) + load(path, x, 0.5, x)
"""


def test_parameters_that_would_only_be_fetched_come_as_they_are() -> None:
    new = rewrite(FETCHED, slow="convert").new_text
    assert new is not None
    for part in (
        'hosted="path, seed',
        "with open(path) as stream:",
        "np.random.default_rng(seed).normal(",
        "scale=rt.host(rate), size=len(table)",
        "load.core(path, seed, tnp.sum(x), x - 1)",
        "load.core(path, rt.host(x), 0.5, x)",  # a tensor of the caller's is fetched there
    ):
        assert part in new


def test_what_comes_as_it_is_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text("[1.0, 2.0, 3.0]")
    x = np.array([1, 2, 3])
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    exec(FETCHED, old)
    text = rewrite(FETCHED, slow="convert").new_text
    assert text is not None
    exec(text, new)
    for seed in (5, x):
        np.testing.assert_array_equal(
            new["everything"](str(path), seed, x), old["everything"](str(path), seed, x), strict=True
        )


CROSSINGS = """
import numpy as np


def draws(seed, eps, n):
    rng = np.random.default_rng(seed)
    rng.random(3)
    a = rng.random()
    if rng.uniform(0, 1) < eps:
        a = rng.integers(10)
    low = np.ones(2)
    print(rng.random((2, n)), rng.uniform(low, 2 * low))
    return np.exp(rng.normal(0, 1, (n, 2))) * a


def like(u: np.ndarray, n: int):
    p = np.zeros(u.shape)
    q = np.full(u.shape, 2, dtype=u.dtype)
    print(u.shape, u.dtype)
    return np.reshape(p + q, u.shape) * np.abs(u).astype(u.dtype) + np.ones(n, u.dtype).sum()
"""


def test_what_the_host_gives_and_takes_does_not_pass_through_tensors() -> None:
    new = rewrite(CROSSINGS).new_text
    assert new is not None
    for part in (
        "    rng.random(3)\n",
        "a = rng.random()\n",
        "if rng.uniform(0, 1) < eps:",
        "a = rng.integers(10)\n",
        "print(rng.random((2, n)), rng.uniform(",
        "tnp.exp(rt.tensor(rng.normal(0, 1, (n, 2)))) * a",
    ):
        assert part in new


def test_shapes_and_dtypes_that_functions_are_given_are_a_tensors_own() -> None:
    new = rewrite(CROSSINGS).new_text
    assert new is not None
    for part in (
        "p = tnp.zeros(u.shape)",
        "q = tnp.full(u.shape, 2, dtype=u.dtype)",
        "print(rt.shape(u), rt.dtype(u))",
        "tnp.reshape(p + q, u.shape) * tnp.array(tnp.abs(u), u.dtype)",
        "tnp.ones(n, u.dtype)",
    ):
        assert part in new


def test_they_give_the_same(capsys: Any) -> None:
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    exec(CROSSINGS, old)
    exec(rewrite(CROSSINGS).new_text or "", new)
    for name, *args in [
        ("draws", 5, 0.5, 2),
        ("draws", 6, 0.0, 3),
        *(("like", np.arange(6).reshape(2, 3).astype(char), 3) for char in "ldfbH"),
    ]:
        expected = old[name](*args)
        printed = capsys.readouterr().out
        found = new[name](*args)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        assert capsys.readouterr().out == printed


HANDED = """
import numpy as np


def handed(x, solve):
    y = np.exp(x)
    solve(np.arange(3, dtype=y.dtype), [1, np.zeros(2, y.dtype)], start=np.eye(2, dtype=y.dtype))
    return y
"""


def test_a_tensors_own_dtype_is_given_to_no_function_of_numpys() -> None:
    new: dict[str, Any] = {}
    text = rewrite(HANDED).new_text
    assert text is not None
    assert "solve(rt.host(tnp.arange(3, dtype=y.dtype)), " in text
    exec(text, new)
    found: list[Any] = []
    new["handed"](np.arange(4.0, dtype=np.float32), lambda *args, **kwargs: found.extend((*args, kwargs["start"])))
    assert [part.dtype.name for part in (found[0], found[1][1], found[2])] == ["float32"] * 3
