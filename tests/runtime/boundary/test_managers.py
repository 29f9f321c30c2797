"""Context managers and handlers around migrated code: they see NumPy's exceptions and cannot swallow refusals."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

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


def handled(run: Callable[[], object], *kinds: object) -> str:
    try:
        run()
    except rt.raised(*kinds):
        return "handled"
    return "nothing raised"


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (lambda: tf.linalg.inv(tf.zeros((2, 2))), np.linalg.LinAlgError),
        (lambda: tf.zeros(2) + tf.zeros(3), ValueError),
        (lambda: tf.zeros(2)[5], IndexError),
        (lambda: tf.zeros(2)[5], LookupError),
        (lambda: len(tf.zeros(2)[0]), TypeError),
        (lambda: int(tf.zeros(2)), TypeError),
        (lambda: {tf.zeros(2): 1}, TypeError),
        (lambda: tf.zeros(2).nothing, AttributeError),
        (lambda: rt.sum(tf.zeros(2), axis=2), np.exceptions.AxisError),
        (lambda: [][0], IndexError),
        (lambda: {}["a"], KeyError),
    ],
)
def test_a_handler_sees_what_numpy_raises(run: Callable[[], object], kind: type[Exception]) -> None:
    rt.zeros(1)
    assert handled(run, kind) == "handled"
    assert handled(run, (OSError, kind)) == handled(run, OSError, (kind,)) == handled(run, Exception) == "handled"
    assert handled(run, BaseException) == "handled"
    with pytest.raises(Exception) as info:  # noqa: PT011 - of any class, but no refusal
        handled(run, OSError, ZeroDivisionError)
    assert not isinstance(info.value, rt.UnverifiedError)


def test_a_handler_takes_no_refusals() -> None:
    def refuse() -> None:
        raise rt.UnverifiedError("no")

    def refuse_and_replace() -> None:
        try:
            refuse()
        finally:
            raise KeyError(1)

    for kinds in [(TypeError,), (Exception,), (BaseException, TypeError)]:
        with pytest.raises(rt.UnverifiedError):
            handled(refuse, *kinds)
        with pytest.raises(KeyError):
            handled(refuse_and_replace, KeyError, *kinds)
        with pytest.raises(tf.errors.UnimplementedError):  # what TensorFlow has no kernel for is a refusal, too
            handled(lambda: raised_by_tensorflow(tf.errors.UnimplementedError), *kinds)


def test_a_handler_takes_no_errors_of_the_machine() -> None:
    for kind in (tf.errors.InternalError, tf.errors.AbortedError):
        with pytest.raises(kind):
            handled(lambda kind=kind: raised_by_tensorflow(kind), RuntimeError, Exception)  # type: ignore[misc]
    assert handled(lambda: raised_by_tensorflow(tf.errors.ResourceExhaustedError), MemoryError) == "handled"


def test_where_tensorflow_does_not_tell_what_numpy_would_raise_a_handler_of_some_classes_is_refused() -> None:
    def unknown() -> None:
        raise tf.errors.InvalidArgumentError(None, None, "something is wrong")

    assert handled(unknown, Exception) == "handled"
    with pytest.raises(rt.UnverifiedError, match="something is wrong"):
        handled(unknown, ValueError)
    with pytest.raises(rt.UnverifiedError, match="handler would see"):
        handled(lambda: tf.raw_ops.Sum(input=tf.zeros(2), axis=1.5), TypeError, ValueError)


def raised_by_tensorflow(kind: type[Exception]) -> None:
    raise kind(None, None, "words")  # type: ignore[call-arg]


def test_a_migrated_function_begins_again_where_its_handler_is_refused() -> None:
    def original(x: Any) -> Any:
        try:
            return np.asarray(x)[1.5]
        except IndexError:
            return -1.0

    @rt.migrated(original=original, on_unverified="numpy", pure=True)
    def body(x: Any) -> Any:
        try:
            return tf.gather(x, 1.5)
        except rt.raised(IndexError):
            return 1.0

    assert body(np.zeros(3)) == -1.0
