"""What a pure function with an original raises is what the original raises, updates before it included."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from np2tnp import runtime as rt


def store_numpy(x, i):
    x[0] = 7.0
    x[i] = 1.0


def store(x, i):
    x = rt.at(x)[0].set(7.0)
    x = rt.at(x)[i].set(1.0)
    return rt.updated(None, x=x)


def migrated(body, original, **options):
    options = {"on_unverified": "numpy", "pure": True, "above": 0, **options}
    return rt.migrated(original=original, **options)(body)


def test_updates_before_an_error_are_the_callers(caplog):
    expected, x = np.zeros(3), np.zeros(3)
    with pytest.raises(IndexError) as first:
        store_numpy(expected, 9)
    with caplog.at_level(logging.WARNING, "np2tnp"), pytest.raises(IndexError) as second:
        migrated(store, store_numpy, mutates=("x",))(x, 9)
    assert str(second.value) == str(first.value)
    assert second.value.__context__ is None
    assert (x == expected).all()
    assert not caplog.records


def test_of_a_function_that_does_more_nothing_is_updated():
    x = np.zeros(3)
    with pytest.raises(IndexError):
        migrated(store, store_numpy, mutates=("x",), pure=False)(x, 9)
    assert not x.any()


def test_where_numpy_raises_nothing_its_result_counts_and_is_told_of(caplog):
    def body(x):
        raise TypeError("TensorFlow cannot")

    function = migrated(body, np.sum)
    with caplog.at_level(logging.WARNING, "np2tnp"):
        assert [function(np.ones(3)) for _ in range(2)] == [3.0, 3.0]
    (record,) = caplog.records
    assert "calls its NumPy original: TypeError: TensorFlow cannot" in record.getMessage()


@pytest.mark.parametrize(
    "argument", [iter([1.0]), object(), np.random.default_rng(0)], ids=["iterator", "object", "rng"]
)
def test_arguments_that_may_be_used_up_are_not_given_twice(argument):
    calls = []

    def body(x, more):
        raise ValueError("from the body")

    with pytest.raises(ValueError, match="from the body"):
        migrated(body, lambda x, more: calls.append(more))(np.ones(3), argument)
    assert not calls


def test_a_recursion_without_an_end_ends():
    calls = []

    def original(x):
        calls.append(x)
        return function(x)

    def body(x):
        return function.core(x)

    function = migrated(body, original)
    with pytest.raises(RecursionError):
        function(np.ones(3))
    assert not calls


def test_a_read_only_argument_is_refused_as_numpy_does():
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        migrated(store, store_numpy, mutates=("x",))(x, 1)


@pytest.mark.parametrize("kind", [TimeoutError, RuntimeError, type("Stopped", (Exception,), {})])
def test_what_is_no_mistake_in_an_argument_is_passed_on(kind):
    calls = []

    def body(x):  # as if a signal's handler had raised it
        raise kind("stop")

    with pytest.raises(kind, match="stop"):
        migrated(body, lambda x: calls.append(x))(np.ones(3))
    assert not calls
