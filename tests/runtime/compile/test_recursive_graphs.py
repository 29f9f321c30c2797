"""Functions that call themselves become part of one graph, unless that has too many operations."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base import tracing
from np2tnp.runtime.compile.compiled import RUNS


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


@rt.migrated(compile="graph")
def in_a_function(x: Any, times: int) -> Any:
    def repeated(y: Any) -> Any:
        for _ in range(times):
            y = rt.op_add(y, 1.0)
        return y

    return repeated(x)


@rt.migrated(compile="graph")
def calling_itself(x: Any, times: int) -> Any:
    def once_more(y: Any, left: int) -> Any:
        return once_more(rt.op_add(y, 1.0), left - 1) if left else y

    return once_more(x, times)


@rt.migrated(compile="graph")
def in_a_comprehension(x: Any, times: int) -> Any:
    return sum([rt.op_mul(x, 1.0 / times) for _ in range(times)], 0.0 * x) + times


@rt.migrated(compile="graph")
def in_a_branch(x: Any, times: int) -> Any:
    def then(y: Any) -> Any:
        for _ in range(times):
            y = rt.op_add(y, 1.0)
        return y

    return rt.cond(rt.op_ge(rt.sum(x), 0.0), then, None, x)


@pytest.mark.parametrize("function", [in_a_function, calling_itself, in_a_comprehension, in_a_branch])
def test_what_unrolls_by_itself_is_compiled_as_long_as_it_is_short(
    function: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tracing, "MOST_OPERATIONS", 100)
    x = np.arange(3.0)
    with caplog.at_level(logging.WARNING, "np2tnp"):
        for times, how in ((4, "compiled"), (400, "eager")):
            RUNS.clear()
            np.testing.assert_allclose(function(x, times), x + times, rtol=1e-12)
            assert dict(RUNS) == {how: 1}
    assert "unrolls to more than 100 operations" in caplog.text
