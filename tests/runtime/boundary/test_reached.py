"""Callbacks and iterators that read an argument while a migrated function updates it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt

SHARED = np.zeros(4)


class Holder:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def total(self) -> Any:
        return self.array.sum()


def total_of_shared() -> Any:
    return SHARED.sum()


@rt.migrated(mutates=("x",))
def update(x: Any, ask: Callable[[], Any]) -> Any:
    x = rt.at(x)[0].set(5.0)
    return rt.updated(ask(), x=x)


@rt.migrated(mutates=("x",))
def update_and_iterate(x: Any, items: Any) -> Any:
    x = rt.at(x)[0].set(5.0)
    return rt.updated(list(items), x=x)


@pytest.mark.parametrize("kind", ["lambda", "called", "default", "partial", "method"])
def test_callbacks_that_read_what_is_updated_are_refused(kind: str) -> None:
    x = np.zeros(4)
    view = x[:2]

    def inner() -> Any:
        return view.sum()

    asks: dict[str, Callable[[], Any]] = {
        "lambda": lambda: view.sum(),
        "called": lambda: inner(),
        "default": lambda it=view: it.sum(),
        "partial": functools.partial(np.sum, view),
        "method": Holder(view).total,
    }
    with pytest.raises(rt.UnverifiedError, match=r"shares memory with what 'ask' reads"):
        update(x, asks[kind])
    assert not x.any()


def test_globals_count_too() -> None:
    with pytest.raises(rt.UnverifiedError, match=r"what 'ask' reads"):
        update(SHARED, total_of_shared)


def test_iterators_that_read_what_is_updated_are_refused() -> None:
    x = np.zeros(4)
    part = functools.partial(np.take, x)
    for items in ((x[:1] * i for i in range(2)), map(part, range(2)), zip(map(part, [0]), [1], strict=False)):
        with pytest.raises(rt.UnverifiedError, match=r"what 'items' reads"):
            update_and_iterate(x, items)


def test_others_are_called() -> None:
    x, other = np.zeros(4), np.ones(4)
    assert update(x, lambda: other.sum()) == 4
    assert update(x, Holder(other).total) == 4
    assert update_and_iterate(x, (it * 2 for it in other)) == [2, 2, 2, 2]
    assert x[0] == 5
