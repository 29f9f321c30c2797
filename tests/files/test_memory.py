"""What is kept of a file that is done: its report and what others may ask, no tree."""

from __future__ import annotations

import gc
from pathlib import Path

import libcst as cst
import pytest

from np2tnp.config import Config
from np2tnp.pipeline import Analyst

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
#: Loops over elements, stores, classes and callbacks: what the parts of the analysis keep to themselves.
PROGRAM = """\
import numpy as np


class Model:
    def __init__(self, n, limiter):
        self.w = np.zeros(n)
        self.limiter = limiter

    def step(self, x, hook=None):
        self.w[1:] += x[:-1]
        if hook is not None:
            hook(self.w)
        return self.limiter.clip(self.w)


def nested(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = a[i, 0] * b[0, j]
    return c


def views(x):
    y = x[1:]
    y[0] = 1
    return np.sum(x)
"""


@pytest.mark.parametrize("rewrite", [False, True])
def test_no_tree_outlives_its_file(rewrite: bool, tmp_path: Path) -> None:
    """A circle around one would keep it: the search for garbage is off, and 4,000 files took 2.5 gigabytes."""
    sources = sorted((FIXTURES / "programs").rglob("*.py"))[::12]
    assert len(sources) > 5
    texts = [PROGRAM, *(path.read_text(encoding="utf-8") for path in sources)]
    analyst = Analyst(Config(root=str(tmp_path), rewrite=rewrite, slow="convert", file_timeout=0))
    gc.collect()
    flags = gc.get_debug()
    try:
        for number, text in enumerate(texts):
            report = analyst((str(tmp_path / f"m{number}.py"), text.encode()))
            assert report.error is None
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        nodes = [type(item).__name__ for item in gc.garbage if isinstance(item, cst.CSTNode)]
    finally:
        gc.set_debug(flags)
        gc.garbage.clear()
        gc.enable()
    assert nodes == []
