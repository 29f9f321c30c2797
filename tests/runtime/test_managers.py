"""Context managers around migrated code: they see NumPy's exceptions and cannot swallow refusals."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import pytest
import tensorflow as tf

from np2tnp import runtime as rt


class Log:
    def __init__(self, swallows: bool) -> None:
        self.swallows = swallows
        self.seen: list[str] = []

    def __enter__(self) -> list[str]:
        return self.seen

    def __exit__(self, kind: type | None, error: object, trace: object) -> bool:
        self.seen.append(kind.__name__ if kind else "nothing")
        return self.swallows


def test_it_is_entered_and_left_as_ever() -> None:
    log = Log(swallows=False)
    with rt.manager(log) as seen:
        assert seen is log.seen
        assert not seen
    assert log.seen == ["nothing"]


def test_exceptions_of_tensorflow_are_shown_as_numpys_and_may_be_swallowed() -> None:
    log = Log(swallows=True)
    with rt.manager(log):
        tf.linalg.inv(tf.zeros((2, 2)))
    assert log.seen == ["LinAlgError"]
    with pytest.raises(tf.errors.InvalidArgumentError), rt.manager(Log(swallows=False)):
        tf.linalg.inv(tf.zeros((2, 2)))


def test_refusals_pass_whatever_it_says() -> None:
    log = Log(swallows=True)
    with pytest.raises(rt.UnverifiedError), rt.manager(log):
        raise rt.UnverifiedError("no")
    assert log.seen == ["UnverifiedError"]
    with pytest.raises(tf.errors.InvalidArgumentError), rt.manager(contextlib.suppress(Exception)):
        tf.math.erf(tf.constant(1j))  # no kernel for it: the boundary makes a refusal of this


def test_an_exception_in_place_of_a_refusal_does_not_hide_it() -> None:
    @contextlib.contextmanager
    def other() -> Iterator[None]:
        try:
            yield
        except Exception:
            raise KeyError("other") from None

    with pytest.raises(rt.UnverifiedError), rt.manager(other()):
        raise rt.UnverifiedError("no")
    with pytest.raises(KeyError), rt.manager(other()):
        raise ValueError("yes")


@pytest.mark.parametrize("kind", [UnboundLocalError, TypeError, ValueError])
def test_what_finally_raises_does_not_hide_a_refusal(kind: type[Exception]) -> None:
    @rt.migrated
    def total(x: np.ndarray) -> object:
        try:
            return tf.math.erf(x)
        finally:
            raise kind("in finally")

    with pytest.raises(rt.UnverifiedError, match="complex128"):
        total(np.array([1j]))
    with pytest.raises(kind, match="in finally"):
        total(np.array([1.0]))


def test_a_refusal_that_was_handled_before_the_call_is_none_of_it() -> None:
    @rt.migrated
    def fails(x: np.ndarray) -> None:
        raise ValueError("own")

    try:
        raise rt.UnverifiedError("before")
    except rt.UnverifiedError:
        with pytest.raises(ValueError, match="own"):
            fails(np.ones(2))
