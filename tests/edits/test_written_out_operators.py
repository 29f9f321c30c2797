"""Operators and items that are written out as calls of their methods."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import pytest
from side_by_side import compare_text

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import RegionState

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


#: Statements on local arrays that keep dtype and shape, and what they become.
PLAIN = [
    ("x = np.linspace(0.0, 1.0, n)", "x -= x.mean()", "x = x - tnp.mean(x)"),
    ("x = np.linspace(0.0, 1.0, n)", "x /= x.max(keepdims=True)", "x = x / tnp.max(x, keepdims=True)"),
    ("x = np.ones((n, 2), dtype=np.float32)", "x *= 2.5", "x = x * 2.5"),
    ("x = np.ones((n, 2), dtype=np.float32)", "x -= np.sum(x, axis=0, keepdims=True)", "x = x - tnp.sum(x, axis=0, "),
    ("x = np.ones((n, 3))", "x -= x.mean(axis=0)", "x = x - tnp.mean(x, axis=0)"),
    ("x = np.ones((n, 3, 2))", "x -= x.mean((0, 1))", "x = x - tnp.mean(x, (0, 1))"),
    (
        "x = np.ones((n, 3, 2), np.float32)",
        "x /= x.std(axis=(0, 1)) + 1e-8",
        "x = x / (tnp.std(x, axis=(0, 1)) + 1e-8)",
    ),
    ("x = np.ones((n, 3))", "x /= 2 * x.sum(axis=-1, keepdims=True) - x.min()", "x = x / (2 * tnp.sum(x, axis=-1, "),
    ("x = np.arange(3.0) - n", "x /= np.linalg.norm(x)", "x = x / tf.norm(x)"),
    ("x = np.zeros(n)", "x += 1 + n", "x = x + (1 + n)"),
    ("x = np.zeros(n)", "x += np.ones(3, dtype=np.float32).sum()", "x = x + "),
]
#: Others: another dtype or shape would be made, or a tensor has no exact operator.
EXACT = [
    ("x = np.arange(n)", "x += 1"),
    ("x = np.arange(n)", "x += 0.5"),
    ("x = np.ones(n, dtype=np.float32)", "x += np.float64(0.1)"),
    ("x = np.ones(n, dtype=np.float32)", "x += np.ones(3).sum()"),
    ("x = np.ones((n, 1))", "x -= x.mean(axis=1)"),
    ("x = np.ones((n, 1))", "x /= x.std(axis=1) + 1"),
    ("x = np.ones((n, 1))", "x -= x.mean(1)"),
    ("x = np.ones((n, 1, 2))", "x -= x.mean(axis=(0, 2))"),
    ("x = np.ones((n, 1))", "x -= x.mean(axis=0) + np.ones((3, 1))"),
    ("x = np.ones((1, 3))", "x += np.ones((n, 3))"),
    ("x = np.ones(n)", "x -= x.sum(dtype=complex)"),
    ("x = np.ones(n)", "x += 1j"),
    ("x = np.array(1.5)", "x -= x.mean()"),
    ("x = np.ones(n)", "x //= 0.1"),
    ("x = np.ones((n, n))", "x @= np.ones((n, n))"),
]


@pytest.mark.parametrize(("begin", "statement", "becomes"), [*PLAIN, *((*pair, "") for pair in EXACT)])
def test_in_place_operators_that_keep_dtype_and_shape_are_plain(begin: str, statement: str, becomes: str) -> None:
    text = f"import numpy as np\ndef f(n: int):\n    {begin}\n    {statement}\n    return x\n"
    calls = [f"f({n})" for n in (1, 3, 4)]
    report, judgements = compare_text(text, calls)
    assert report.new_text is not None
    exact = "    x = rt.i" in report.new_text or "    x = rt.at(x)[...]" in report.new_text
    assert (becomes in report.new_text) if becomes else exact
    wrong = [f"{judgement.kind} {judgement.detail}" for judgement in judgements if judgement.kind not in _FINE]
    assert not wrong, "\n".join(wrong)


_FINE = ("equal", "raised")


def test_check_reads_reductions_beside_in_place_operators() -> None:
    text = (
        "import numpy as np\n\n\ndef f(n):\n    x = np.ones(n)\n    x -= x.mean()\n    x /= np.max(x)\n    return x\n"
    )
    report = analyze(Source("m.py", text), Config())  # on the tree that only `check` uses
    assert report.error is None
    assert report.regions[-1].state is RegionState.CONVERTIBLE


@pytest.mark.parametrize("given", ["np.float64(2.5)", "np.array(2.5)", "np.float32(2.5)", "np.array([2.5, 1])", "2.5"])
def test_astype_gives_numbers_of_numbers_and_arrays_of_arrays(given: str) -> None:
    text = "import numpy as np\ndef f(x):\n    y = x.astype(int)\n    return y + 1, y\n"
    report, judgements = compare_text(text, [f"f({given})"], on_unverified="numpy")
    assert "@rt.migrated" in (report.new_text or "")
    assert [judged.kind for judged in judgements] == ["equal" if given != "2.5" else "raised"]
