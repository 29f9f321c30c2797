"""Functions that call themselves become part of one graph, unless that has too many operations."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime import tracing
from np2tnp.runtime.compiled import RUNS


@rt.migrated(compile="graph")
def tree(x: Any, depth: int) -> Any:
    if depth == 0:
        return rt.op_mul(x, 0.5)
    return rt.op_add(tree.core(x, depth - 1), tree.core(rt.op_add(x, 1.0), depth - 1))


def plain(x: Any, depth: int) -> Any:
    return x * 0.5 if depth == 0 else plain(x, depth - 1) + plain(x + 1.0, depth - 1)


def test_a_recursion_is_one_graph(caplog: pytest.LogCaptureFixture) -> None:
    RUNS.clear()
    with caplog.at_level(logging.WARNING, "np2tnp"):
        np.testing.assert_array_equal(tree(np.arange(3.0), 3), plain(np.arange(3.0), 3))
    assert RUNS == {"compiled": 1}
    assert not caplog.records


def test_a_long_recursion_is_compiled_in_parts(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tracing, "UNROLLED_OPERATIONS", 100)
    RUNS.clear()
    with caplog.at_level(logging.WARNING, "np2tnp"):
        np.testing.assert_array_equal(tree(np.arange(4.0), 6), plain(np.arange(4.0), 6))
    assert RUNS["eager"] >= 1
    assert RUNS["compiled"] >= 2
    assert "calls itself, which unrolls to more than 100 operations" in caplog.text
