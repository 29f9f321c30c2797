"""``rt.migrated``: updates of arguments reach the caller's own objects."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf

Pair = collections.namedtuple("Pair", "first second")


@rt.migrated(mutates=("x",), returns=("x",))
def fill(x: Any, value: Any) -> Any:
    x = rt.at(x)[...].set(value)
    return rt.updated(x, x=x)


@pytest.mark.parametrize(
    "x",
    [
        np.zeros(6),
        np.zeros(12)[::2],
        np.zeros(12)[::-3],
        np.zeros((3, 4)).T,
        np.zeros((4, 4), order="F")[1:3],
        np.zeros((2, 3, 4))[:, ::-1, 1],
        np.zeros(()),
        np.zeros((0, 3)),
        np.zeros(3, np.float16),
    ],
)
def test_updates_reach_the_callers_own_object(x: np.ndarray) -> None:
    strides = x.strides
    result = fill(x, 7)
    assert result is x
    assert x.strides == strides
    assert (x == 7).all()


def test_numbers_given_to_a_core_stay_the_callers() -> None:
    @rt.migrated(mutates=("v",), arrays=("v",))
    def kick(v: Any, a: Any) -> Any:
        v = rt.iadd(v, rt.sqrt(a))
        return rt.updated(v, v=v)

    a = rt.tensor(np.full(3, 4.0))
    for number in (1, 2.5, np.float64(3.0)):
        result, kept = kick.core(number, a)
        assert kept is number
        assert list(rt.host(result)) == [number + 2.0] * 3
    either = kick.core(rt.tensor(np.array(4.0)), a)
    assert list(rt.host(either.result)) == [6.0] * 3
    with pytest.raises(rt.UnverifiedError, match="a number or a 0-d array"):
        _, _ = either


def test_views_of_the_updated_array_see_the_update() -> None:
    base = np.zeros((4, 4))
    fill(base[1:3, ::2], 5)
    expected = np.zeros((4, 4))
    expected[1:3, ::2] = 5
    np.testing.assert_array_equal(base, expected)


def test_nothing_is_written_when_the_body_raises() -> None:
    x = np.zeros(3)

    @rt.migrated(mutates=("x",))
    def f(x: Any) -> Any:
        x = rt.at(x)[0].set(1)
        x = rt.at(x)[9].set(1)
        return rt.updated(None, x=x)

    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 3"):
        f(x)
    np.testing.assert_array_equal(x, np.zeros(3))


def test_several_updates_iterate_in_the_declared_order() -> None:
    @rt.migrated(mutates=("a", "b"))
    def f(a: Any, b: Any) -> Any:
        a = rt.iadd(a, 1)
        b = rt.iadd(b, 2)
        return rt.updated("done", b=b, a=a)

    x, y = np.zeros(2), np.zeros(3)
    assert f(x, b=y) == "done"
    np.testing.assert_array_equal(x, [1, 1])
    np.testing.assert_array_equal(y, [2, 2, 2])
    result, a, b = f.core(rt.tensor(x), rt.tensor(y))
    assert (result, a.shape, b.shape) == ("done", (2,), (3,))
    assert is_tensor(a)


def test_containers_that_are_updated_hold_ndarrays_throughout() -> None:
    @rt.migrated(mutates=("layers",))
    def f(layers: Any, x: Any) -> Any:
        layers[0] = rt.iadd(layers[0], x)
        layers = rt.at(layers)[1].set(x)
        return rt.updated(None, layers=layers)

    first = np.zeros(2)
    layers = [first, None]
    f(layers, np.ones(2))
    assert layers[0] is first
    np.testing.assert_array_equal(first, [1, 1])
    assert type(layers[1]) is np.ndarray
    with pytest.raises(rt.UnverifiedError, match="shares memory"):
        f(layers, first)


def test_numbers_may_stand_where_an_array_is_updated() -> None:
    @rt.migrated(mutates=("x",), returns=("x",))
    def f(x: Any) -> Any:
        x = rt.iadd(x, 1)
        return rt.updated(x, x=x)

    assert f(3) == 4
    assert f(np.float32(0.5)) == np.float32(1.5)


def test_returns_gives_back_the_callers_object_only_where_it_is_the_same() -> None:
    @rt.migrated(returns=("x",))
    def clip_if(x: Any, clip: bool) -> Any:
        return (tf.minimum(x, 1.0), x) if clip else (x, x)

    x = np.arange(3.0)
    first, second = clip_if(x, True)
    assert first is not x
    assert second is x
    first, second = clip_if(x, False)
    assert first is x
    assert second is x


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda a: a, lambda a: a),
        (lambda a: a[1:], lambda a: a[:-1]),
        (lambda a: a[2:], lambda a: [a]),
        (lambda a: a, lambda a: {"k": (a[::2],)}),
        (lambda a: a.reshape(2, 3), lambda a: a[3:4]),
    ],
)
def test_an_updated_array_that_overlaps_another_argument_is_refused(first: Any, second: Any) -> None:
    base = np.arange(6.0)
    with pytest.raises(rt.UnverifiedError, match="shares memory with argument 'value'"):
        fill(first(base), second(base))
    with pytest.raises(rt.UnverifiedError, match="shares memory"):
        fill(value=second(base), x=first(base))
    np.testing.assert_array_equal(base, np.arange(6.0))


def test_parts_of_one_array_that_do_not_overlap_are_fine() -> None:
    base = np.arange(6.0)
    fill(base[::2], base[1::2])
    np.testing.assert_array_equal(base, [1, 1, 3, 3, 5, 5])


def test_a_read_only_or_self_overlapping_array_cannot_be_updated() -> None:
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(rt.UnverifiedError, match="read-only"):
        fill(x, 1)
    window = np.lib.stride_tricks.sliding_window_view(np.zeros(5), 2, writeable=True)
    with pytest.raises(rt.UnverifiedError, match="share memory with each other"):
        fill(window, 1)


def test_updated_is_what_a_mutating_core_must_return() -> None:
    @rt.migrated(mutates=("x",))
    def forgot(x: Any) -> Any:
        return x

    with pytest.raises(RuntimeError, match=r"must return rt.updated\(result, x=x\)"):
        forgot(np.zeros(1))

    @rt.migrated(mutates=("x",))
    def widened(x: Any) -> Any:
        return rt.updated(None, x=tf.cast(x, tf.float64))

    x = np.zeros(1, np.float32)
    with pytest.raises(rt.UnverifiedError, match="nothing was written"):
        widened(x)
