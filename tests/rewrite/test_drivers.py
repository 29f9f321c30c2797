"""Functions that only call migrated ones migrate with them: what goes from one to the other stays a tensor."""

from __future__ import annotations

import re
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from np2tnp.config import Config  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402

PROGRAM = """
import numpy as np


def step(u, rate):
    new = u.copy()
    new[1:-1] = u[1:-1] + rate * (u[:-2] + u[2:] - 2.0 * u[1:-1])
    return new


def energy(u):
    return np.sum(u**2)


def scaled_in_place(u):
    u *= 2.0
    return np.mean(u)


def heated(u, steps):
    history = []
    for number in range(steps):
        u = step(u, 0.2)
        if number % 2 == 0:
            history.append(float(energy(u)))
    return u, history


def nested(u):
    return energy(step(step(u, 0.1), 0.2))


def updating(u):
    first = scaled_in_place(u)
    second = step(u, first)
    return scaled_in_place(second), second


def apart(u, v):
    return energy(u), energy(v)


def searching(u, depth, low=-np.inf):
    if depth == 0:
        return energy(u)
    value = -searching(step(u, 0.1), depth - 1, -low)
    return value if value > low else low
"""
DRIVERS = ("heated", "nested", "updating")


@pytest.fixture(scope="module")
def text() -> str:
    new = analyze(Source("drivers.py", PROGRAM), Config(rewrite=True)).new_text
    assert new is not None
    return new


def test_what_hands_results_on_migrates_and_nothing_else(text: str) -> None:
    migrated = re.findall(r"@rt\.migrated[^\n]*\ndef (\w+)", text)
    assert migrated == ["step", "energy", "scaled_in_place", *DRIVERS]
    assert "u = step.core(u, 0.2)" in text
    assert "return energy.core(step.core(step.core(u, 0.1), 0.2))" in text


@pytest.mark.parametrize("name", [*DRIVERS, "apart", "searching"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128", "bool"])
def test_values_and_updates_are_numpys(name: str, dtype: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    outcomes = []
    for source in (PROGRAM, text):
        space: dict[str, Any] = {"__name__": "drivers"}
        exec(source, space)
        u = np.arange(1, 7).astype(dtype)
        more = {"heated": (5,), "apart": (u[::-1],), "searching": (2,)}.get(name, ())
        try:
            result: Any = space[name](u, *more)
        except Exception as error:
            result = type(error).__name__
        outcomes.append((result, u))
    (old, old_u), (new, new_u) = outcomes
    np.testing.assert_array_equal(old_u, new_u, strict=True)
    for before, after in zip(_leaves(old), _leaves(new), strict=True):
        assert type(before) is type(after)
        if isinstance(before, str):
            assert before == after
        else:
            np.testing.assert_allclose(after, before, rtol=1e-6, strict=True)


def _leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, (tuple, list)) else [value]
