"""What is known of an attribute that the function itself has assigned, until other code may have assigned to it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from side_by_side import rewrite

LAYER = """
import numpy as np


class Layer:
    def __init__(self, w):
        self.w = w
        self.h = None

    def plain(self, x):
        self.h = np.exp(x)
        return self.h @ self.w

    def branch(self, x, c):
        self.h = self.start
        if c:
            self.h = np.exp(x)
        return self.h * 2.5 + np.sin(x)

    def loop(self, x, n):
        out = 0.0
        self.h = np.exp(x)
        for _ in range(n):
            out = self.h * 2.5 + np.sin(x)
            self.h = self.start
        return out

    def reset(self):
        self.h = self.start

    def called(self, x):
        self.h = np.exp(x)
        self.reset()
        return self.h * 2.5 + np.sin(x)

    @property
    def size(self):
        self.h = self.start
        return 3

    def by_property(self, x):
        self.h = np.exp(x)
        n = self.size
        return self.h * 2.5 + np.sin(x) * n

    def by_text(self, x):
        self.h = np.exp(x)
        setattr(self, "h", self.start)
        return self.h * 2.5 + np.sin(x)

    def __len__(self):
        self.h = self.start
        return 2

    def by_len(self, x):
        self.h = np.exp(x)
        n = len(self)
        return self.h * 2.5 + np.sin(x) * n

    def other(self, x, o):
        self.h = np.exp(x)
        o.h = self.start
        return self.h * 2.5 + np.sin(x)


    def by_function(self, x):
        self.h = np.exp(x)
        poke(self)
        return self.h * 2.5 + np.sin(x)


def poke(o):
    o.h = o.start
"""


def test_an_attribute_is_what_was_assigned_until_other_code_may_assign_to_it() -> None:
    new = (rewrite(LAYER, on_unverified="numpy").new_text or "").partition("# NumPy originals")[0]
    bodies = dict(re.findall(r"    def (\w+)\(self.*?\):\n(.*?)(?=\n    def |\n    @|\n\n\n)", new, re.DOTALL))
    assert "tnp.matmul(self.h, self.w)" in bodies["plain"]
    methods = ("branch", "loop", "called", "by_property", "by_text", "by_len", "other", "by_function")
    assert [name for name in methods if "rt.op_add(self.h * 2.5" not in bodies[name]] == []
