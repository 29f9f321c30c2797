"""Python's complex numbers left of NumPy's float64 scalars: Python answers, and what it gives is weak in promotion."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from side_by_side import rewrite  # noqa: E402

TEXT = """
import numpy as np


def added(x, s=1j):
    y = s + x[0]
    return np.exp(x), y * np.ones(2, np.float32)


def folded(x, s):
    for v in range(3):
        s += x[v]
    return s * np.ones(2, np.float32)
"""


@pytest.mark.parametrize("name", ["added", "folded"])
@pytest.mark.parametrize("s", [1j, 2.0, 3, np.complex128(1j), np.float64(2.0), np.float32(2.0)])
def test_a_complex_number_is_numpys_own_or_pythons(name: str, s: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    results = []
    new = rewrite(TEXT, on_unverified="numpy").new_text or ""
    assert f"def {name}" in new.partition("# NumPy originals")[0]
    for text in (TEXT, new):
        space: dict[str, Any] = {"__name__": "numbers_of_python"}
        exec(text, space)
        found = space[name](np.array([1.0, 2.0, 3.0]), s)
        results.append(found if isinstance(found, tuple) else (found,))
    for before, after in zip(*results, strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-12, strict=True)
