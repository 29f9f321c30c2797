"""benchmarks/ablation.py switches off what it says: its names are there, and texts differ without each mechanism."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "benchmarks"))

from ablation import MECHANISMS, Found, owner_of, row  # noqa: E402
from side_by_side import rewrite  # noqa: E402

HEAD = "import numpy as np\n\n\n"
#: By mechanism, a program that it changes, and the options.
PROGRAMS: dict[str, tuple[str, dict[str, object]]] = {
    "buffers that change places": (
        (
            "def f(a: np.ndarray, b: np.ndarray, n):\n    for _ in range(n):\n        b[1:-1] = a[2:] + a[:-2]\n"
            "        a, b = b, a\n    return a\n"
        ),
        {},
    ),
    "whole-array loops": (
        (
            "def f(x: np.ndarray):\n    y = np.zeros(len(x))\n    for i in range(1, len(x) - 1):\n"
            "        y[i] = 0.5 * (x[i - 1] + x[i + 1])\n    return y\n"
        ),
        {},
    ),
    "doors": ("def f(x):\n    return 1.0 / (1.0 + np.exp(-x))\n", {"on_unverified": "numpy"}),
    "staged loops": (
        "def f(x: np.ndarray, n: int):\n    for _ in range(n):\n        x = np.tanh(x) * 0.5\n    return x\n",
        {"compile": "xla"},
    ),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_its_name_and_files_are_there(name: str) -> None:
    owner, entry = owner_of(MECHANISMS[name].entry)
    assert callable(getattr(owner, entry))
    assert [file for file in MECHANISMS[name].files if not (ROOT / "np2tnp" / file).is_file()] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_another_one_without_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, options = PROGRAMS[name]
    whole = rewrite(HEAD + text, **options).new_text
    owner, entry = owner_of(MECHANISMS[name].entry)
    monkeypatch.setattr(owner, entry, MECHANISMS[name].without(getattr(owner, entry)))
    assert rewrite(HEAD + text, **options).new_text != whole


def test_a_row_counts_what_is_lost_and_what_differs() -> None:
    whole = Found(frozenset({("a", "f"), ("a", "g")}), {"a": "1", "b": "2"})
    found = Found(frozenset({("a", "f"), ("b", "h")}), {"a": "1", "b": "3"})
    cells = [cell.strip() for cell in row("doors", found, whole).split("|")]
    assert cells[1:6] == ["doors", "1", "1", "250.0", "1 of 2"]
    assert int(cells[6]) > 100
