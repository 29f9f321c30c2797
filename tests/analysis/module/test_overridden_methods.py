"""Methods that subclasses elsewhere, or the object itself, have in place of those that calls were rewritten for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

BASE = """
import numpy as np


class Base:
    def step(self, x):
        self.prepare(x)
        return np.sqrt(x)

    def prepare(self, x):
        return np.sum(x)

    def both(self, x):
        y = self.step(x)
        return y + self.__own(x)

    def __own(self, x):
        return np.exp(x)
"""
USER = """
import numpy as np
from base import Base


class Quiet(Base):
    def other(self, x):
        return np.cos(x)


class Loud(Base):
    def prepare(self, x):
        x *= 4


class Private(Base):
    def __own(self, x):
        x *= 3


def run(kind, x):
    return {"base": Base, "quiet": Quiet, "loud": Loud, "private": Private}[kind]().step(x), x


def both(kind, x):
    return {"base": Base, "quiet": Quiet, "loud": Loud, "private": Private}[kind]().both(x), x


def loud(x):
    return Loud().both(x), np.sin(x)


def patched(x):
    it = Base()
    it.prepare = lambda x: x.fill(9)
    return it.step(x), np.sin(x)
"""
CALLS = [
    *(f"{name}('{kind}', np.ones(3))" for name in ("run", "both") for kind in ("base", "quiet", "loud", "private")),
    "loud(np.ones(3))",
    "patched(np.ones(3))",
]


@pytest.mark.parametrize("on_unverified", ["raise", "numpy"])
def test_methods_of_subclasses_elsewhere_are_noticed(on_unverified: str) -> None:
    from side_by_side import Call, Pair, rewrite_files

    texts = {"base": BASE, "user": USER}
    reports = rewrite_files(texts, on_unverified=on_unverified)
    new = {name: reports[name].new_text for name in texts}
    assert new["base"] is not None
    assert new["user"] is not None
    assert 'methods="prepare, step"' in new["base"]
    pair = Pair(USER, new["user"], "user", {"base": (BASE, new["base"])})
    kinds = {call: judgement.kind for call, judgement in zip(CALLS, pair.compare(map(Call.parse, CALLS)), strict=True)}
    for call, kind in kinds.items():
        refused = "patched" in call or (on_unverified == "raise" and "loud" in call)
        assert kind in (("equal", "refused") if refused else ("equal",)), (call, kind)
    if on_unverified == "raise":
        assert kinds["run('loud', np.ones(3))"] == "refused"
