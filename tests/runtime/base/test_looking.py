"""Lists of plain numbers are told from lists that hold anything else, at whatever depth it stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import to_tensor
from np2tnp.runtime.base.looking import holds_numbers


class Number(float):
    pass


@pytest.mark.parametrize("value", [[], [1, 2.0, True, 1j], [[1.0, 2.0], [3, 4]], [[], [1]], list(np.ones(2))])
def test_numbers(value: list[Any]) -> None:
    assert holds_numbers(value)


OTHERS = {
    "a subclass": [1.0, Number(2)],
    "a list beside a number": [1.0, [2.0]],
    "deeper": [[[1.0]], [[2.0]]],
    "an array": [[1.0], [np.ones(2)]],
    "a wide NumPy scalar": [[1.0], [np.longdouble(2)]],
    "text": ["a"],
    "None": [None],
}


@pytest.mark.parametrize("value", OTHERS.values(), ids=OTHERS)
def test_others(value: list[Any]) -> None:
    assert not holds_numbers(value)


def test_tensors_and_masked_arrays() -> None:
    assert not holds_numbers([[1.0], [to_tensor(np.ones(2))]])
    assert not holds_numbers([[1.0], [np.ma.ones(2)]])


def _original(rows: Any, x: Any) -> Any:
    return np.array(rows).sum() + np.sum(x)


@rt.migrated(original=_original, on_unverified="numpy")
def summed(rows: Any, x: Any) -> Any:
    return rt.sum(rt.array(rows)) + rt.sum(x)


@pytest.mark.parametrize(
    "rows", [[[1, 2], [3, 4]], [[1.5], [2.5]], [np.ones(2), np.ones(2)], [[np.ones(2)], [np.ones(2)]], [True, 2], []]
)
def test_lists_of_all_kinds_give_numpys_answer(rows: Any) -> None:
    x = np.arange(3.0)
    found, expected = summed(rows, x), _original(rows, x)
    assert found == expected
    assert type(found) is type(expected)


def test_a_list_that_holds_the_updated_array_is_still_noticed() -> None:
    def original(x: Any, rows: Any) -> Any:
        x += 1.0
        return np.sum(rows)

    @rt.migrated(original=original, on_unverified="numpy", mutates=("x",))
    def update(x: Any, rows: Any) -> Any:
        x = x + 1.0
        return rt.updated(rt.sum(rt.array(rows)), x=x)

    x = np.zeros(3)
    assert update(x, [x, x]) == 6.0
    assert x.tolist() == [1.0, 1.0, 1.0]
