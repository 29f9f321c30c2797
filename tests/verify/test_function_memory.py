"""What functions keep by themselves is forgotten between the calls of ``verify``."""

from __future__ import annotations

import types

from np2tnp.verify.module_state import Globals

TEXT = """
import functools
import numpy as np


def memo(function):
    kept, calls = {}, 0

    @functools.wraps(function)
    def inner(n):
        nonlocal calls
        calls += 1
        if n not in kept:
            kept[n] = function(n)
        return kept[n], calls

    return inner


@memo
def double(n):
    return [n, n]


def counted():
    counted.calls = getattr(counted, "calls", 0) + 1
    counted.seen.append(counted.calls)
    return counted.calls, len(counted.seen)


counted.seen = []
counted.keeper = memo  # an object: left alone


class Table:
    @staticmethod
    def rows():
        Table.rows.width = np.ones(3)
        return 1
"""

ELSEWHERE = """
import functools


def remembering(function):
    kept = []

    @functools.wraps(function)
    def inner(x):
        kept.append(function(x))
        return list(kept)

    return inner
"""


def test_closures_and_attributes_are_what_they_were() -> None:
    module = types.ModuleType("memory_under_test")
    exec(TEXT, vars(module))
    state = Globals(module)
    for _ in range(2):
        state.restore()
        assert module.double(3) == ([3, 3], 1)
        assert module.double(3) == ([3, 3], 2)
        assert module.counted() == (1, 1)
        assert module.counted() == (2, 2)
        assert module.Table.rows() == 1
    state.restore()
    assert not hasattr(module.counted, "calls")
    assert not hasattr(module.Table.rows, "width")
    assert module.counted.seen == []
    assert module.counted.keeper is module.memo


def test_what_decorators_of_others_keep_is_theirs() -> None:
    """The runtime's wrappers hold compiled functions in their closures."""
    elsewhere = types.ModuleType("elsewhere")
    exec(ELSEWHERE, vars(elsewhere))
    module = types.ModuleType("memory_under_test")
    vars(module)["remembering"] = elsewhere.remembering
    exec("@remembering\ndef f(x):\n    return x\n", vars(module))
    state = Globals(module)
    assert module.f(1) == [1]
    state.restore()
    assert module.f(2) == [1, 2]
