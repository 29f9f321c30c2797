"""Simpler inputs from one that shows a difference, so that a person sees what matters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from np2tnp.differential.specs import Array, Call, Case

_MOST = 24  #: candidates a round


def smaller(case: Case) -> list[Case]:
    """Inputs a step simpler than `case`, boldest first. Nothing says that they are valid: the original decides."""
    found = [case.with_call(call) for call in _calls(case.call)]
    if case.before:
        found.append(replace(case, before=()))
    if isinstance(case.construct, Call):
        found += [replace(case, construct=call) for call in _calls(case.construct)]
    cost = _cost(case)
    return [it for it in found if _cost(it) < cost][
        :_MOST
    ]  # each step must be one down, or the search would go in circles


def _cost(case: Case) -> float:
    made = [case.construct] if isinstance(case.construct, Call) else []
    calls = [case.call, *made, *(call for _, call in case.before)]
    return 100.0 * len(case.before) + sum(_item_cost(item) for call in calls for item in call.items())


def _item_cost(item: Any) -> float:
    """How much there is to read in an argument."""
    if isinstance(item, Array):
        values = np.asarray(item.values)
        nonzero = int(np.count_nonzero(values))
        broken = int(np.count_nonzero(np.rint(values) != values)) if values.dtype.kind == "f" else 0
        long = int(np.count_nonzero(np.round(values, 1) != values)) if values.dtype.kind == "f" else 0
        return 20.0 * values.size + 2 * nonzero + 4 * broken + 8 * long + (item.layout != "C") + 1
    if type(item) in (list, tuple):
        return 1 + sum(_item_cost(part) for part in item)
    if isinstance(item, (int, float)):
        return 1 + min(abs(item), 50) / 50 + (item not in (0, 1))
    return 3.0


def _calls(call: Call) -> Iterator[Call]:
    items = call.items()
    for size in sorted(
        {n for item in items if isinstance(item, Array) for n in item.values.shape if n > 1}, reverse=True
    ):
        for target in sorted({1, 2, size // 2, size - 1}):
            if 0 < target < size:
                yield call.with_items([_cut(item, size, target) for item in items])
    for name in list(call.kwargs):
        yield Call(call.args, {key: value for key, value in call.kwargs.items() if key != name})
    for i, item in enumerate(items):
        for simpler in _simpler(item):
            yield call.with_items([*items[:i], simpler, *items[i + 1 :]])


def _cut(item: Any, size: int, target: int) -> Any:
    """`item` with every length `size` in it made `target`: arrays that belong together are cut together."""
    if isinstance(item, Array):
        index = tuple(slice(0, target) if n == size else slice(None) for n in item.values.shape)
        return Array(item.values[index], item.layout)
    if type(item) is int and item == size:
        return target
    if type(item) is list and len(item) == size:
        return item[:target]
    return item


def _simpler(item: Any) -> Iterator[Any]:
    if isinstance(item, Array):
        values = item.values
        if item.layout != "C":
            yield Array(values)
        if values.dtype.kind == "f" and values.size:
            finite = np.where(np.isfinite(values), values, 0)
            for simple in (
                np.zeros_like(values),
                np.ones_like(values),
                np.rint(finite).astype(values.dtype),
                np.round(values, 1),
            ):
                if not np.array_equal(simple, values, equal_nan=True):
                    yield Array(simple, item.layout)
        elif values.dtype.kind in "iu" and values.any():
            yield Array(np.zeros_like(values), item.layout)
    elif type(item) is int and item > 1:
        yield 1
        yield item // 2
    elif type(item) is float and item not in (0.0, 1.0):
        yield 1.0
    elif type(item) is list and len(item) > 1:
        yield item[: len(item) // 2]
