"""Which functions may be begun again: those whose every call and store is known, and that touch nothing of others."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import rewrite


def test_tables_and_mapped_functions_do_not_make_a_function_impure() -> None:
    text = """
import operator
import numpy as np

WHEN = {"begin": 1, "end": 0}
ROWS = {"a": [1.0]}
LOG = []
T = np.ones(3)


def table(x, when):
    return np.exp(x) * WHEN[when]


def mapped(x, y):
    x, y = map(np.asarray, [x, y])
    return np.exp(x) + y


def rows(x):
    ROWS["a"].append(1.0)
    return np.exp(x)


def shown(x):
    list(map(print, [1, 2]))
    return np.exp(x)


def stored(x):
    WHEN["now"] = 2
    return np.exp(x)


def logged(x):
    LOG.append(1)
    return np.exp(x)


def operated(x):
    operator.setitem(T, 0, 2.0)
    return np.exp(x)
"""
    new = rewrite(text, on_unverified="numpy").new_text or ""
    migrated = pure_in(new)
    assert {name for name, pure in migrated.items() if pure} == {"table", "mapped"}
    assert {"rows", "shown", "stored", "logged"} <= set(migrated)


def test_error_settings_that_are_put_back_are_no_effect() -> None:
    text = """
import numpy as np

HOW = "call"


def quiet(x, y):
    with np.errstate(divide="ignore", invalid="ignore"), np.errstate(over="warn"):
        return np.exp(x) / y


def called(x, y):
    with np.errstate(over=HOW):
        return np.exp(x) * y


def other(x, y, lock):
    with lock, np.errstate(over="ignore"):
        return np.exp(x) * y


def named(x, y):
    with np.errstate(over="ignore") as state:
        return np.exp(x) * y
"""
    assert [name for name, pure in pure_in(rewrite(text, on_unverified="numpy").new_text or "").items() if pure] == [
        "quiet"
    ]


METHODS = """
import numpy as np


def bump(a):
    a[0] = np.sum(a)
    return np.exp(a)


class Model:
    kind = "exp"

    def __init__(self, w, n=0):
        self.w = w
        self.n = n
        self.log = []

    def reads(self, x):
        return np.exp(x) * self.w[: self.n]

    def updates_argument(self, x):
        x[0] = np.sum(self.w)
        return np.exp(x)

    def counts(self, x):
        self.n += 1
        return np.exp(x)

    def fills(self, x):
        self.log.append(1)
        return np.exp(x)

    def fills_by_another_name(self, x):
        log = self.log
        log.append(1)
        return np.exp(x)

    def stores(self, x):
        self.w[0] = 1.0
        return np.exp(x)

    def stores_by_another_name(self, x):
        w = self.w
        w += 1.0
        return np.exp(x)

    def stores_in_an_item(self, x):
        for w in self.log:
            w[0] = 1.0
        return np.exp(x)

    def sorts(self, x):
        self.w.sort()
        return np.exp(x)

    def adds_at(self, x):
        np.add.at(self.w, 0, 1.0)
        return np.exp(x)

    def copies_to(self, x):
        np.copyto(self.w, 2.0)
        return np.exp(x)

    def writes_out(self, x):
        np.sin(x, out=self.w)
        return np.exp(x)

    def hands_out(self, x):
        str(self)
        return np.exp(x)

    def calls(self, x):
        self.counts(x)
        return np.exp(x)

    def calls_inherited(self, x):
        super().counts(x)
        return np.exp(x)

    def takes(self, x):
        next(self.log)
        return np.exp(x)

    def has_it_updated(self, x):
        bump(self.w)
        return np.exp(x)

    def has_a_view_updated(self, x):
        bump(self.w[1:])
        return np.exp(x)

    def has_an_item_updated(self, x):
        w = self.log[0]
        bump(w)
        return np.exp(x)

    def draws(self, x):
        return np.exp(x) + self.rng.normal()
"""


def test_methods_that_only_read_their_object_are_pure() -> None:
    new = rewrite(METHODS, on_unverified="numpy").new_text or ""
    migrated = pure_in(new)
    assert {name for name, pure in migrated.items() if pure} == {"bump", "reads", "updates_argument"}
    assert len(migrated) > 10


def test_what_asks_an_object_whose_operators_update_arrays_is_not_pure() -> None:
    text = """
import numpy as np


class Counting:
    def __init__(self, owner):
        self.owner = owner

    def __add__(self, other):
        self.owner.w[:] = self.owner.w + 1
        return other


class Model:
    def __init__(self):
        self.w = np.array([1.0, 2.0])
        self.k = Counting(self)

    def asked(self, x):
        e = np.exp(x)
        self.k + 1
        return e + x

    def alone(self, x):
        return np.exp(x) + self.w
"""
    migrated = pure_in(rewrite(text, on_unverified="numpy").new_text or "")
    assert {name for name, pure in migrated.items() if pure} == {"alone"}
    assert "asked" in migrated


def pure_in(text: str) -> dict[str, bool]:
    """The migrated functions of a module, and whether their originals say that they have no effects."""
    marks = re.findall(r'@rt\.original\(\s*"(?:\w+\.)?(\w+)"(.*?)\)\ndef', text, re.DOTALL)
    return {name: "effects=True" not in more for name, more in marks}
