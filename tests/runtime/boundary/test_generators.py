"""Generators under ``rt.migrated``: when they run, what they give, and what they raise."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt


def _plain(x: Any, log: list[Any] | None = None) -> Iterator[Any]:
    yield "plain", x


@rt.migrated(hosted=("x", "log"), original=_plain, on_unverified="numpy")
def steps(x: Any, log: list[Any] | None = None) -> Iterator[Any]:
    """Doc of steps."""
    try:
        got = yield rt.host(rt.exp(rt.tensor(x)))
        yield got
        yield rt.host(rt.linalg.inv(rt.tensor(x)))
    finally:
        if log is not None:
            log.append("done")


def test_it_runs_when_it_is_asked_and_sees_updates_made_meanwhile() -> None:
    x, log = np.zeros((2, 2)), list[Any]()
    work = steps(x, log)
    x += 1
    assert inspect.isgenerator(work)
    assert steps.__doc__ == "Doc of steps."
    assert not log
    first = next(work)
    np.testing.assert_allclose(first, np.exp(x), rtol=1e-15)
    assert type(first) is np.ndarray
    assert first.flags.writeable


def test_what_is_sent_arrives_and_closing_it_runs_its_end() -> None:
    log: list[Any] = []
    work = steps(np.eye(2), log)
    next(work)
    assert work.send("sent") == "sent"
    work.close()
    assert log == ["done"]


def test_what_is_thrown_in_comes_out_as_it_was() -> None:
    log: list[Any] = []
    work = steps(np.eye(2), log)
    next(work)
    error = KeyError("mine")
    with pytest.raises(KeyError) as caught:
        work.throw(error)
    assert caught.value is error
    assert log == ["done"]


def test_exceptions_of_tensorflow_are_numpys() -> None:
    work = steps(np.zeros((2, 2)))
    next(work), next(work)
    with pytest.raises(np.linalg.LinAlgError):
        next(work)


def test_arguments_are_looked_at_when_it_is_called() -> None:
    masked = np.ma.masked_array([1.0, 2.0], [True, False])
    assert list(steps(masked)) == [("plain", masked)]

    @rt.migrated(arrays=("x",))
    def refusing(x: Any) -> Iterator[Any]:
        yield x

    with pytest.raises(rt.UnverifiedError):
        refusing(masked)
    with pytest.raises(TypeError, match="argument"):
        steps()


def test_what_a_generator_returns_ends_it() -> None:
    @rt.migrated
    def ending() -> Any:
        yield 1
        return "end"

    def outer() -> Any:
        return (yield from ending())

    work = outer()
    assert next(work) == 1
    with pytest.raises(StopIteration) as caught:
        next(work)
    assert caught.value.value == "end"


@pytest.mark.parametrize("options", [{"mutates": ("x",)}, {"compile": "graph"}, {"float32": True}])
def test_options_that_need_a_call_with_an_end_are_refused(options: dict[str, Any]) -> None:
    def generate(x: Any) -> Any:
        yield x

    with pytest.raises(TypeError, match="step by step"):
        rt.migrated(**options)(generate)


@pytest.mark.usefixtures("as_delivered")
def test_small_arguments_go_to_the_original() -> None:
    @rt.migrated(hosted=("x",), original=_plain, above=10)
    def large(x: Any, log: Any = None) -> Iterator[Any]:
        yield "large", x

    assert [next(large(np.zeros(n)))[0] for n in (3, 30)] == ["plain", "large"]
