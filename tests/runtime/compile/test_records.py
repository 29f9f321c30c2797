"""Objects that hold numbers, as arguments of compiled functions and as attributes of their objects."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.compile.compiled import RUNS


@dataclasses.dataclass
class Params:
    steps: int
    dt: float = 0.5
    name: str = "wave"

    LIMIT: ClassVar[float] = 9.0

    @property
    def half(self) -> float:
        return self.dt / 2

    def twice(self) -> float:
        return self.dt * 2


@dataclasses.dataclass(frozen=True, order=True)
class Frozen:
    dt: float
    shape: tuple[int, float] = (1, 2.5)
    inner: Any = None


class Plain:
    def __init__(self, dt: float) -> None:
        self.dt = dt


@dataclasses.dataclass
class Calling:
    dt: float

    def __getitem__(self, key: str) -> float:
        return self.dt


@dataclasses.dataclass(slots=True)
class Slotted:
    dt: float


@pytest.fixture(autouse=True)
def _count() -> Iterator[None]:
    RUNS.clear()
    yield
    RUNS.clear()


def compiled(body: Callable[..., Any]) -> Any:
    return rt.migrated(compile="graph")(body)


def scaled(x: Any, p: Any) -> Any:
    return x * p.dt


@pytest.mark.parametrize(
    "make",
    [
        lambda dt: Params(2, dt),
        lambda dt: Frozen(dt, inner=Frozen(1.0, inner=None) if dt < 0 else None),
        lambda dt: types.SimpleNamespace(dt=dt, flag=None, kind="a"),
    ],
)
def test_records_of_numbers_are_compiled(make: Callable[[float], Any]) -> None:
    function = compiled(scaled)
    for dt in (0.5, 0.25, 3.0, 7.0):
        np.testing.assert_array_equal(function(np.arange(3.0), make(dt)), np.arange(3.0) * dt)
    assert RUNS == {"compiled": 4}


def test_attributes_of_another_type_or_value_count() -> None:
    @compiled
    def function(x: Any, p: Any) -> Any:
        return x + p.dt if p.name == "wave" else x - p.dt

    x = np.arange(3, dtype=np.float32)
    assert function(x, Params(1, 2)).dtype == np.float32
    assert function(x, Params(1, np.float64(2))).dtype == np.float64
    np.testing.assert_array_equal(function(x, Params(1, 2, "flow")), x - 2)
    assert RUNS == {"compiled": 3}


@pytest.mark.parametrize(
    "p",
    [Plain(2.0), Calling(2.0), Slotted(2.0), Params(2, np.ones(3)), types.SimpleNamespace(dt=2.0, seen=[])],
    ids=lambda p: type(p).__name__,
)
def test_other_objects_run_eagerly(p: Any) -> None:
    np.testing.assert_array_equal(compiled(scaled)(np.ones(3), p), np.ones(3) * p.dt)
    assert RUNS == {"eager": 1}


def reads_property(x: Any, p: Any) -> Any:
    return x * p.half


def calls_method(x: Any, p: Any) -> Any:
    return x * p.twice()


def reads_class(x: Any, p: Any) -> Any:
    return x * p.LIMIT


def reads_by_name(x: Any, p: Any) -> Any:
    return x * getattr(p, "half")  # noqa: B009 - a name in the text


def changes(x: Any, p: Any) -> Any:
    p.dt = p.dt + 1
    return x * p.dt


def gives_back(x: Any, p: Any) -> Any:
    return x * p.dt, p


@pytest.mark.parametrize("body", [reads_property, calls_method, reads_class, reads_by_name, changes, gives_back])
def test_what_is_more_than_reading_runs_eagerly(body: Callable[..., Any]) -> None:
    p, q = Params(2, 0.5), Params(2, 0.5)
    result, expected = compiled(body)(np.arange(3.0), p), body(np.arange(3.0), q)
    if body is gives_back:
        assert result[1] is p
        result, expected = result[0], expected[0]
    np.testing.assert_array_equal(result, expected)
    assert p == q
    assert RUNS == {"eager": 1}


def test_two_objects_of_one_class_run_eagerly() -> None:
    @compiled
    def function(x: Any, p: Any, q: Any) -> Any:
        return x * p.dt if p is q else x * q.dt

    p, q = Frozen(2.0), Frozen(2.0)
    for pair in ((p, q), (p, p)):
        np.testing.assert_array_equal(function(np.ones(2), *pair), np.ones(2) * 2)
    assert RUNS == {"eager": 2}


def test_a_class_that_is_changed_later_is_seen() -> None:
    function = compiled(reads_class)
    before = function(np.ones(2), Params(1))
    Params.LIMIT = 10.0
    try:
        after = function(np.ones(2), Params(1))
    finally:
        Params.LIMIT = 9.0
    assert (before[0], after[0]) == (9.0, 10.0)


class Solver:
    def __init__(self, p: Any) -> None:
        self.p = p

    @rt.migrated(compile="graph", state=())
    def step(self, x: Any) -> Any:
        return x * self.p.dt


def test_records_are_attributes_of_objects_too() -> None:
    solver = Solver(Frozen(2.0))
    first = solver.step(np.ones(2))
    solver.p = Frozen(3.0)
    assert (first[0], solver.step(np.ones(2))[0]) == (2.0, 3.0)
    assert RUNS == {"compiled": 2}
