"""``compile="auto"``: a function is compiled once that must pay, and stays as what is faster. The clock is a list."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from np2tnp import runtime as rt
from np2tnp.runtime import tnp
from np2tnp.runtime.compile import pace
from np2tnp.runtime.compile.compiled import RUNS
from np2tnp.runtime.compile.pace import MOST_OPERATIONS, SAMPLES


class Clock:
    """Gives times by what a call costs: `eager` or `compiled` seconds."""

    def __init__(self) -> None:
        self.now, self.eager, self.compiled = 0.0, 0.3, 0.1
        self.before: dict[str, int] = {}
        self.is_running = False

    def __call__(self) -> float:
        if self.is_running:
            eagerly = any(RUNS[how] > self.before.get(how, 0) for how in ("eager", "repeated"))
            self.now += self.eager if eagerly else self.compiled
        self.is_running, self.before = not self.is_running, dict(RUNS)
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    made = Clock()
    monkeypatch.setattr(pace, "clock", made)
    monkeypatch.setenv("NP2TNP_COMPILE", "hot")
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    RUNS.clear()
    yield made
    RUNS.clear()


def made() -> Callable[..., Any]:
    @rt.migrated(arrays="x", compile="auto")
    def scaled(x: Any, factor: Any = 2.0) -> Any:
        return tnp.exp(-x) * factor

    return scaled


def expected(x: Any, factor: Any = 2.0) -> Any:
    return np.exp(-x) * factor


X = np.linspace(0.0, 1.0, 10)


def called(function: Any, times: int, x: Any = X, factor: Any = 2.0) -> dict[str, int]:
    """How `times` calls ran, which all give NumPy's values."""
    RUNS.clear()
    for _ in range(times):
        np.testing.assert_allclose(function(x, factor), expected(x, factor), rtol=1e-15)
    return dict(RUNS)


def hot_after() -> int:
    """Eager calls of 0.3 s until a second is spent: the first of the function and of the signature do not count."""
    return 1 + 1 + 1 + 4


def test_it_is_compiled_once_the_calls_have_cost_a_compilation(clock: Clock) -> None:
    scaled = made()
    assert called(scaled, hot_after()) == {"eager": hot_after()}
    assert called(scaled, 1 + SAMPLES + 3) == {"compiled": 1 + SAMPLES + 3}


def test_a_function_with_few_calls_never_pays(clock: Clock) -> None:
    clock.eager = 0.001
    assert called(made(), 50) == {"eager": 50}


def test_each_signature_has_to_be_hot_itself(clock: Clock) -> None:
    scaled = made()
    called(scaled, hot_after() + 1)
    other = np.linspace(0.0, 1.0, 20)
    assert called(scaled, 1, other) == {"eager": 1}
    assert called(scaled, 1) == {"compiled": 1}


def test_what_is_not_faster_goes_back_and_says_so_once(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    clock.compiled = 0.4
    scaled = made()
    called(scaled, hot_after())
    with caplog.at_level(logging.INFO, "np2tnp"):
        assert called(scaled, 1 + SAMPLES + 7) == {"compiled": 1 + SAMPLES, "eager": 7}
    told = [record.getMessage() for record in caplog.records]
    assert [text for text in told if "stays eager" in text] == [
        "made.<locals>.scaled stays eager for some arguments: compiled, a call takes 400 ms, not 300"
    ]


def test_numbers_that_varied_become_inputs_of_the_first_graph(clock: Clock) -> None:
    scaled = made()
    for number in range(hot_after()):
        called(scaled, 1, factor=float(number))
    for number in range(1 + SAMPLES):
        assert called(scaled, 1, factor=0.5 + number) == {"compiled": 1}


def test_a_trace_that_fails_is_told_once_and_not_tried_again(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    @rt.migrated(arrays="x", compile="auto")
    def chosen(x: Any, factor: Any) -> Any:
        return tnp.exp(-x) * factor if tnp.sum(x) > 0 else x

    with caplog.at_level(logging.WARNING, "np2tnp"):
        assert called(chosen, 30) == {"eager": hot_after() + 1}  # then nobody looks any more
        called(chosen, 30, np.linspace(0.0, 1.0, 20))
    assert len(caplog.records) == 1
    assert "if tnp.sum(x) > 0" in caplog.text


def test_a_loop_that_unrolls_to_too_much_stays_eager(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    @rt.migrated(arrays="x", compile="auto")
    def repeated(x: Any, times: int) -> Any:
        for _ in range(times):
            x = x * 1.0
        return x

    def ways(times: int) -> set[str]:
        RUNS.clear()
        for _ in range(hot_after() + 2):
            np.testing.assert_array_equal(repeated(X, times), X)
        return set(RUNS)

    assert ways(3) == {"eager", "compiled"}
    with caplog.at_level(logging.WARNING, "np2tnp"):
        assert ways(MOST_OPERATIONS) == {"eager"}
    assert f"unrolls to more than {MOST_OPERATIONS} operations" in caplog.text


def test_checks_that_fail_again_and_again_end_it(clock: Clock) -> None:
    @rt.migrated(compile="auto")
    def taken(x: Any, i: Any) -> Any:
        return rt.at(x)[i].get()

    inside, outside = np.arange(3), np.array([0, 1, 99])
    for _ in range(hot_after() + 1 + SAMPLES):
        np.testing.assert_array_equal(taken(X, inside), X[inside])
    for _ in range(SAMPLES):
        with pytest.raises(IndexError):
            taken(X, outside)
    RUNS.clear()
    np.testing.assert_array_equal(taken(X, inside), X[inside])
    assert not RUNS


def test_an_exception_of_the_function_costs_nothing_but_itself(clock: Clock) -> None:
    scaled = made()
    for _ in range(hot_after()):
        with pytest.raises(ValueError):  # noqa: PT011 - NumPy's words, or TensorFlow's
            scaled(X, np.ones(3))
        clock.is_running = False
    assert called(scaled, 1) == {"eager": 1}


def test_cores_are_measured_as_well(clock: Clock) -> None:
    scaled: Any = made()
    x = tf.constant(X)
    for _ in range(hot_after() + 2):
        np.testing.assert_allclose(scaled.core(x), expected(X), rtol=1e-15)
    assert RUNS["compiled"] == 2


def test_a_program_that_asks_for_the_same_results_in_each_run_gets_them(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tf.config.experimental.enable_op_determinism()
    try:
        assert called(made(), hot_after() + 3) == {}
    finally:
        from tensorflow.python.framework import config

        config.disable_op_determinism()


def test_symbols_have_lengths_and_rows_in_our_traces_only(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_COMPILE", "1")

    @rt.migrated(arrays="x", compile="auto")
    def mixed(x: Any, factor: Any) -> Any:
        first, second = x
        return (first + factor * second) / len(first) + max(len(x), 3)

    pair = np.linspace(0.0, 1.0, 8).reshape(2, 4)
    np.testing.assert_allclose(mixed(pair, 2.0), (pair[0] + 2.0 * pair[1]) / 4 + 3, rtol=1e-15)
    assert RUNS == {"compiled": 1}
    with pytest.raises(TypeError, match="len is not well defined"):
        tf.function(lambda x: tf.constant(len(x)), autograph=False)(tf.constant(pair))
