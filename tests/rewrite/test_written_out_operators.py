"""Operators and items that are written out as calls of their methods."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import compare_text

TEXT = """import numpy as np
def item(x, key):
    return np.sort(x).__getitem__(key)
def quotient(x, y):
    return np.sort(x).__floordiv__(y), np.max(x).__add__(y), np.sort(x).__rtruediv__(y), np.sort(x).__neg__()
def compared(x, y):
    return np.sort(x).__eq__(y), np.sort(x).__lt__(y), np.sort(x).__contains__(y)
def shown(x):
    return str(np.sort(x).__add__(1)), f"{np.sort(x).__getitem__(0)}", np.sum(x).__mul__(2) + 1
"""
CALLS = [
    *(f"item(np.arange(4.0), {key})" for key in ("1", "-1", "9", "slice(1, 3)", "[0, 7]", "np.array([1, 9])", "True")),
    *(f"{name}(np.array([0.5, 1, 2]), {y})" for name in ("quotient", "compared") for y in ("0.1", "np.ones(3)", "'a'")),
    "quotient(np.array([3, -7, 2], np.int8), 2)",
    "quotient(np.array([3, -7, 2], np.int8), np.array([2, 0, 1], np.uint8))",
    "shown(np.array([2.5, 1]))",
    "shown(np.array([3, 1], np.int8))",
]


def test_methods_of_operators_are_numpys() -> None:
    report, judgements = compare_text(TEXT, CALLS)
    assert report.new_text is not None
    wrong = [
        f"{call}: {judgement.kind} {judgement.detail}"
        for call, judgement in zip(CALLS, judgements, strict=True)
        if judgement.kind not in ("equal", "raised")
    ]
    assert not wrong, "\n".join(wrong)
