"""What ``rewrite`` says of a function's work, for the size test."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import rewrite

_TEXT = """
import math
import numpy as np

def function(x, y, n=3):
    x = np.asarray(x, dtype=np.float64)
    {body}
"""


def work_of(body: str, **options: object) -> str:
    """What the technical line says of ``work``; empty for nothing."""
    text = _TEXT.format(body="\n    ".join(body.split("\n")))
    new = rewrite(text, **{"on_unverified": "numpy", "slow": "keep", **options}).new_text
    assert new is not None, text
    assert "rt.migrated" in new, text
    found = re.search(r'work=("\w+"|\d+)', new)
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("body", "work"),
    [
        ("return x + 1", "1"),
        ("return x * 2 + 1", "2"),
        ("return np.sum(x)", "1"),
        ("return np.exp(-(x ** 2))", "6"),
        ("return x.reshape(-1)[1:] - x.ravel()[:-1]", "1"),
        ("m = math.sqrt(2.0) * 3\nreturn x * m", "1"),
        ("for _ in range(3):\n    x = x * 2.0 + 1.0\nreturn x", "6"),
        ("x = x + 1\nx[1:-1] = 0.5 * (x[2:] + x[:-2])\nreturn x * 2.0", "5"),
        # so much that the sizes decide
        ("for _ in range(30):\n    x = x * 2.0 + 1.0\nreturn x", ""),
        ("for _ in range(n):\n    x = x * 2.0\nreturn x", ""),
        ("while np.max(x) > 1.0:\n    x = x * 0.5\nreturn x", ""),
        ("return np.sort(x)", ""),
        ("return np.fft.fft(x)", ""),
        ("return np.sin(x) + np.cos(x) + np.exp(x) + np.log(x) + np.tanh(x)", ""),
        ("return [np.sum(x * k) for k in range(3)]", ""),
        # what the text does not tell
        ("return np.interp(x, x, x)", ""),
        # products and factorisations
        ("return x @ np.asarray(y)", '"matmul"'),
        ("return np.dot(x.T, x) + 1.0", '"matmul"'),
        ("return np.einsum('ij,jk', x, x)", '"matmul"'),
        ("return np.linalg.inv(x) @ x", '"solve"'),
        ("return x @ np.ones(3)", "2"),
        ("for _ in range(n):\n    x = x @ x\nreturn x", ""),
    ],
)
def test_what_the_body_does_is_counted(body: str, work: str) -> None:
    assert work_of(body) == work


def test_a_decided_number_leaves_nothing_to_weigh() -> None:
    body = "return x + 1"
    assert work_of(body)
    assert not work_of(body, above=500)
    assert not work_of(body, slow="convert")
    assert not work_of(body, device="/CPU:0")
    assert not work_of(body, compile="graph")
    assert not work_of(body, on_unverified="raise")


_MADE = """
import numpy as np


def function(n: int):
    {body}
"""


@pytest.mark.parametrize(
    ("body", "elements"),
    [
        ("return np.exp(np.arange(n)[:, None] * np.arange(n))", "n * n"),
        ("x = np.linspace(0, 1, n)\nreturn np.exp(x[:, None] - x)", "n * n"),
        ("x = np.linspace(0, 1, n)\nreturn np.cos(x), np.sin(np.linspace(0, 1, int(n**0.5))[np.newaxis, :])", "n"),
    ],
)
def test_arrays_of_rows_and_columns_have_so_many_elements_as_are_combined(body: str, elements: str) -> None:
    text = _MADE.format(body="\n    ".join(body.split("\n")))
    new = rewrite(text, on_unverified="numpy", slow="keep").new_text
    found = re.search(r"elements=lambda [\w, ]+: ([^,)]+)", new or "")
    assert found is not None
    assert found[1] == elements
