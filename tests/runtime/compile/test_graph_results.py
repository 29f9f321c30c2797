"""Lists and dicts in the results of compiled functions are the objects that NumPy's code would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compile.compiled import RUNS


@pytest.fixture(params=["graph", "xla"])
def mode(request: pytest.FixtureRequest) -> str:
    RUNS.clear()
    return str(request.param)


def test_containers_that_are_left_alone_are_the_callers(mode: str) -> None:
    @rt.migrated(returns=("rows", "table"), compile=mode)
    def passed(x: Any, rows: Any, table: Any) -> Any:
        y = rt.exp(x)
        return rows, (y, table), rows[1], {"rows": rows}

    x, rows, table = np.ones(3), [np.zeros(2), [1.0]], {"a": (1, [2.0])}
    for _ in range(2):
        found = passed(x, rows, table=table)
        assert found[0] is rows
        assert found[1][1] is table
        assert found[2] is rows[1]
        assert found[3]["rows"] is rows
        np.testing.assert_allclose(found[1][0], np.exp(x))
        found[0].append(2.0)
        found[0].pop()
    assert RUNS == {"compiled": 2}


def test_a_new_container_is_one_object_wherever_it_stands(mode: str) -> None:
    @rt.migrated(compile=mode)
    def twice(x: Any) -> Any:
        y = rt.exp(x)
        made = [y, {"y": y}]
        return made, made[1], [made]

    first, second = twice(np.ones(3)), twice(np.ones(3))
    assert first[2][0] is first[0]
    assert first[0][1] is first[1]
    assert first[0] is not second[0]
    assert first[1] is not second[1]
    assert RUNS == {"compiled": 2}


def test_a_list_that_was_changed_is_written_back(mode: str) -> None:
    @rt.migrated(mutates=("rows",), compile=mode)
    def changed(x: Any, rows: Any) -> Any:
        rows = rt.at(rows)[0].set(rt.sin(x))
        return rt.updated(rt.exp(x), rows=rows)

    rows = [np.ones(3), 2.0]
    np.testing.assert_allclose(changed(np.arange(3.0), rows), np.exp(np.arange(3.0)))
    np.testing.assert_allclose(rows[0], np.sin(np.arange(3.0)))


def test_lists_of_an_object_are_given_back_eagerly(mode: str) -> None:
    class Kept:
        def __init__(self) -> None:
            self.items = [1.0, 2.0]

        @rt.migrated(compile=mode, state=())
        def scaled(self, x: Any) -> Any:
            return rt.op_mul(rt.exp(x), self.items[0]), self.items

    kept = Kept()
    assert kept.scaled(np.ones(3))[1] is kept.items
    assert RUNS == {"eager": 1}
