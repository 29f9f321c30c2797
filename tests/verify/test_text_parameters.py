"""Parameters that choose by text reach the body as they are: the code around them stays what people wrote."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import Call, Pair, rewrite

TEXT = """
import numpy as np


def named(kind):
    return kind.upper()


def scaled(x, method="max", *, where="all"):
    if method == "max":
        top = x.max()
    elif method in ("sum", "total"):
        top = x.sum()
    else:
        top = np.sqrt(np.asarray(method)).sum()
    if where != "all":
        x = x[1:]
    return x / top


def told(x, method="max"):
    return named(method), np.exp(x)


def both(x, y):
    return scaled(x, np.exp(y)), scaled(x, method="sum", where="rest")


def several(x, *methods, **more):
    return [np.sin(x) for method in methods if method == "sin" or more.get("kind") == "sin"]


def steps(x, method="max"):
    if method == "max":
        for row in x:
            yield np.exp(row)


def drained(x):
    return sum(part.sum() for part in steps(x, "max"))
"""

X = "np.array([1.0, 2.0, 4.0])"
CALLS = (
    f"scaled({X})",
    f"scaled({X}, 'total', where='rest')",
    f"scaled({X}, np.str_('sum'))",
    f"scaled({X}, np.array([4.0]))",
    f"scaled({X}, np.array(['max']))",
    f"scaled({X}, np.array([4.0, 9.0]))",
    f"scaled({X}, None)",
    f"scaled({X}, where=np.array(['all']))",
    f"told({X})",
    f"told({X}, 3)",
    f"both({X}, np.array([1.0]))",
    f"both({X}, np.array([1.0, 2.0]))",
    f"several({X}, 'sin', 'cos', kind='x')",
    "list(steps(np.ones((2, 2)), 'max'))",
    "drained(np.ones((2, 2)))",
)


def test_comparisons_with_text_stay_pythons() -> None:
    new = rewrite(TEXT).new_text or ""
    for line in ('if method == "max":', 'elif method in ("sum", "total"):', 'if where != "all":', "named(method)"):
        assert line in new.partition("def scaled(x, method")[2], line
    assert 'hosted="method, where"' in new


def test_whatever_comes_gives_what_numpy_gives() -> None:
    pair = Pair(TEXT, rewrite(TEXT).new_text or "")
    found = pair.compare(Call.parse(call) for call in CALLS)
    wrong = [
        (call, judged) for call, judged in zip(CALLS, found, strict=True) if judged.kind not in ("equal", "raised")
    ]
    assert wrong == []


def test_compiled_functions_take_text_as_a_value() -> None:
    new = rewrite(TEXT, compile="graph").new_text or ""
    assert 'hosted="method, where"' not in new
    assert new.count('compile="graph"') >= 2
