"""Advice that did not help, or made something worse, when it was followed: what is said in its place."""

from __future__ import annotations

import textwrap

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Finding

_HEAD = "import numpy as np\n\n\n"


def report_of(body: str, head: str = _HEAD) -> FileReport:
    return analyze(Source("m.py", head + textwrap.dedent(body)), Config(rewrite=True))


def deciding(body: str, name: str = "f", head: str = _HEAD) -> Finding:
    (told,) = (it for it in report_of(body, head).findings if it.decides and it.region == name)
    return told


# --- graphs help where a function becomes one

CARRIED = """
def noise(n):
    return np.exp(np.random.random(n))


def f(x):
    y = np.sort(x)
    w = {}
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + w[i]
    return y
"""


@pytest.mark.parametrize(
    ("made", "left"), [("np.exp(x)", ""), ("noise(len(x))", "loops"), ("np.random.random(len(x))", "loops")]
)
def test_a_graph_is_advised_where_there_would_be_one(made: str, left: str) -> None:
    told = deciding(CARRIED.format(made))
    assert (told.code, told.left) == ("TNP701", left)
    assert ("so only --compile with --slow convert helps" in told.message) is (not left)
    assert ("best left in NumPy" in told.message) is bool(left)


def test_a_function_that_a_graph_is_advised_for_is_compiled() -> None:
    text = _HEAD + textwrap.dedent(CARRIED.format("np.exp(x)"))
    assert 'compile="xla"' in (
        analyze(Source("m.py", text), Config(rewrite=True, compile="xla", slow="convert")).new_text or ""
    )
