"""What is made of numbers alone and goes to the host at once stays NumPy's call."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

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
        "rt.host(rt.sum(self.values))",
        "rt.host(rt.arange(weights[0]))",
        "rt.ndarray(tnp.ones_like(weights))",
        "rt.host(rt.sqrt(self.spacing))",
        "return weights * rt.arange(n)",
    ):
        assert part in new


def test_a_region_with_nothing_else_stays_as_it_was_decided() -> None:
    assert "solve(rt.host(tnp.ones(n)))" in text()
