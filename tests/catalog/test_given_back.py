"""NumPy's functions that give an argument itself back are known for it: who updates the result updates the argument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from np2tnp.catalog import catalog

#: Calls that have nothing to do, by parts: what gives its argument back does so here.
IDLE = """
round(i) | round(i, 2) | round(x, 30) | linalg.matrix_power(m, 1) | linalg.matrix_power(m, 2) | polyder(x, 0)
polyder(x) | polyint(x, 0) | polyadd(x, 0) | polymul(x, 1) | rot90(m, 0) | rot90(m, 4) | tile(x, 1) | pad(x, 0)
roll(x, 0) | repeat(x, 1) | insert(x, [], []) | delete(x, []) | append(x, []) | concatenate([x]) | block(x)
hstack([x])
sum(x, axis=()) | max(x, axis=()) | mean(x, axis=()) | any(b, axis=()) | cumsum(x[:1]) | unwrap(x) | fix(i) | rint(x)
trunc(i) | ceil(i) | floor(i) | clip(x, -9, 9) | nan_to_num(x) | positive(x) | choose(i * 0, [x])
select([b >= 0], [x])
where(b, x, x) | piecewise(x, [x > -9], [lambda part: part]) | apply_along_axis(lambda row: row, 0, m) | flip(x, ())
apply_over_axes(np.sum, m, []) | apply_over_axes(np.sum, m, [0]) | interp(x, x, x) | meshgrid(x) | ix_(i) | take(x, i)
compress([1, 1, 1, 1], x) | unique(x) | sort(x) | fft.fftshift(x, axes=()) | average(x, weights=w, returned=True)
triu(m, -9) | split(x, 1) | diff(x, n=0) | diff(x, n=1) | setdiff1d(x, [], assume_unique=True)
setxor1d(x, x[:0], assume_unique=True) | intersect1d(x, x, assume_unique=True) | nanmedian(x, axis=())
einsum("i->i", x) | linalg.multi_dot([m, m]) | maximum.reduce(x, axis=()) | add.reduceat(x, [0, 1, 2, 3])
histogram(x, w) | histogram(x, 3) | histogram(x, [0, 1]) | histogram_bin_edges(x, w) | histogram2d(x, x, w)
histogram2d(x, x, [w, 3]) | histogramdd([x, x], [w, 3]) | histogramdd(m, 2) | searchsorted(x, x) | vander(x, 1)
full_like(x, x) | random.permutation(x) | random.choice(x, 4) | random.default_rng(0).permuted(x)
"""


def idle_calls() -> list[str]:
    return [call.strip() for line in IDLE.strip().splitlines() for call in line.split(" | ")]


def _arrays(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _arrays(item)
    elif isinstance(value, np.ndarray):
        yield value


def shown_arguments(call: str) -> set[str]:
    """Which of the arrays that the call gets are in its result, or share memory with it."""
    x, w = np.array([0.5, 1.5, -2.5, 1.5]), np.array([1.0, 2.0, 3.0, 4.0])
    names = {"x": x, "w": w, "i": np.array([1, 2, 0, 3]), "b": x > 0, "m": np.arange(16.0).reshape(4, 4)}
    result = eval(f"np.{call}", {"np": np, **names})
    return {name for name, array in names.items() for part in _arrays(result) if np.shares_memory(part, array)}


@pytest.mark.parametrize("call", idle_calls())
def test_what_gives_an_argument_back_is_known(call: str) -> None:
    fact = catalog.load().get(f"numpy.{call.partition('(')[0]}")
    if fact is None or (fact.effect == "fresh" and fact.gives_back is None):  # None: a method of a ufunc, a generator's
        assert not shown_arguments(call)


def test_what_is_known_to_give_an_argument_back_does_so() -> None:
    known = catalog.load()
    shown = {f"numpy.{call.partition('(')[0]}" for call in idle_calls() if shown_arguments(call)}
    expected = {name for name in known.names() if (fact := known.get(name)) is not None and fact.gives_back}
    assert expected
    assert expected <= shown
