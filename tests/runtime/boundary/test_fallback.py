"""``rt.migrated(original=..., on_unverified=...)``: what would be refused is done by the function that was migrated."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import is_tensor, to_tensor

MASKED = np.ma.array([1.0, 2.0, 4.0], mask=[False, True, False])


def _scaled_numpy(x: Any, factor: float = ...) -> Any:  # type: ignore[assignment]
    return np.sum(x) * factor


@rt.migrated(original=_scaled_numpy, on_unverified="numpy")
def scaled(x: Any, factor: float = 2.0) -> Any:
    assert is_tensor(x)
    return rt.sum(x) * factor


def test_what_is_verified_stays_with_tensorflow_and_the_rest_goes_to_the_original() -> None:
    assert scaled(np.array([1.0, 2.0])) == 6.0
    assert scaled(MASKED) == 10.0
    assert scaled(MASKED, factor=3.0) == 15.0


def test_cores_give_the_same_values_whoever_did_the_work() -> None:
    def original(x: Any, y: Any) -> Any:
        x += np.sum(y)
        return x * 2.0

    @rt.migrated(original=original, on_unverified="numpy", mutates=("x",), arrays=("y",))
    def add(x: Any, y: Any) -> Any:
        x = rt.iadd(x, rt.sum(y))
        return rt.updated(rt.multiply(x, 2.0), x=x)

    x = to_tensor(np.ones(2))
    for y in (np.ones(3), [1.0, 1.0, 1.0]):
        result, final = add.core(x, y)
        assert is_tensor(final)
        np.testing.assert_array_equal(result, [8.0, 8.0])
        np.testing.assert_array_equal(final, [4.0, 4.0])
    np.testing.assert_array_equal(x, [1.0, 1.0])
    kept = np.ones(2)
    _, final = add.core(kept, [1.0, 1.0, 1.0])
    assert final is kept
    np.testing.assert_array_equal(kept, [4.0, 4.0])
    masked_sum = scaled.core(MASKED)
    assert masked_sum == 10.0


def test_default_objects_are_shared() -> None:
    def original(x: Any, seen: list[Any] = ...) -> int:  # type: ignore[assignment]
        seen.append(1)
        return len(seen)

    @rt.migrated(original=original, on_unverified="numpy", hosted=("seen",))
    def count(x: Any, seen: list[Any] = []) -> int:  # noqa: B006
        seen.append(1)
        return len(seen)

    assert [count(np.ones(2)), count(MASKED), count(np.ones(2))] == [1, 2, 3]


def test_warn_tells_once_a_function_and_where_it_was_called() -> None:
    def original(x: Any) -> Any:
        return x.sum()

    @rt.migrated(original=original, on_unverified="warn")
    def total(x: Any) -> Any:
        return rt.sum(x)

    with pytest.warns(rt.UnverifiedWarning, match=r"total calls its NumPy original: .*MaskedArray") as caught:
        assert total(MASKED) == 5.0
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert total(MASKED) == 5.0


def test_hosted_arguments_are_looked_at_before_a_body_that_cannot_begin_again() -> None:
    begun = []

    def original(x: Any) -> Any:
        return "original"

    @rt.migrated(original=original, on_unverified="numpy", hosted=("x",))
    def body(x: Any) -> Any:
        begun.append(1)
        return rt.sum(rt.tensor(x))

    assert body(MASKED) == "original"
    assert body([MASKED]) == "original"
    assert body(np.array([None])) == "original"
    assert not begun
    assert body(np.ones(3)) == 3.0
    assert body.core([np.ones(3)][0]) == 3.0


class Series:
    """An array of another kind, as of pandas."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.arange(3.0)

    def __mul__(self, other: Any) -> Any:
        return self


def _turned_numpy(day: Any) -> Any:
    return type(day).__name__


@rt.migrated(hosted=("day",), original=_turned_numpy, on_unverified="numpy", pure=True)
def turned(day: Any) -> Any:
    return rt.cos(day * 2.0)


def test_nor_is_a_pure_body_begun_with_what_it_cannot_begin_again_with() -> None:
    assert turned(Series()) == "Series"
    assert isinstance(turned(np.arange(3.0)), np.ndarray)
    assert isinstance(turned(np.array(["a"])), str)  # NumPy refuses that in the middle, and it may begin again


def test_the_log_tells_each_reason_once_and_no_warning_is_raised(caplog: pytest.LogCaptureFixture) -> None:
    def original(x: Any, y: Any = 0) -> Any:
        return np.sum(x)

    @rt.migrated(original=original, on_unverified="numpy")
    def total(x: Any, y: Any = 0) -> Any:
        return rt.sum(x)

    with warnings.catch_warnings(), caplog.at_level("WARNING", logger="np2tnp"):
        warnings.simplefilter("error")
        for _ in range(3):
            assert total(MASKED) == 5.0
            assert total(np.array([1, "x"], dtype=object)[:1]) == 1
    texts = [record.getMessage() for record in caplog.records]
    assert len(texts) == 2
    assert all("total calls its NumPy original: " in text for text in texts)
    assert "MaskedArray" in texts[0]
    assert "dtype object" in texts[1]


@pytest.mark.parametrize(("pure", "expected"), [(True, "original"), (False, "refused")])
def test_only_a_pure_body_begins_again(pure: bool, expected: str) -> None:
    def original(x: Any) -> Any:
        x[0] = 7.0
        return "original"

    @rt.migrated(original=original, on_unverified="numpy", pure=pure, mutates=("x",))
    def late(x: Any) -> Any:
        x = rt.at(x)[0].set(5.0)
        raise rt.UnverifiedError("late")

    x = np.zeros(2)
    try:
        found = late(x)
    except rt.UnverifiedError:
        found = "refused"
    assert found == expected
    assert x[0] == (7.0 if pure else 0.0)


@pytest.mark.parametrize("argument", [iter([1.0]), [1.0, 2.0], object(), to_tensor(np.ones(2))], ids=type)
def test_a_call_whose_arguments_may_have_changed_does_not_begin_again(argument: Any) -> None:
    def original(x: Any) -> Any:
        return "original"

    @rt.migrated(original=original, on_unverified="numpy", pure=True, mutates=("x",))
    def late(x: Any) -> Any:
        raise rt.UnverifiedError("late")

    with pytest.raises(rt.UnverifiedError, match=r"late|in place"):
        late(argument)


class Plain:
    w: Any = np.ones(2)

    def original(self) -> Any:
        return "original"

    @rt.migrated(original=original, on_unverified="numpy", pure=True)
    def total(self) -> Any:
        return rt.sum(rt.tensor(self.w))


class WithProperty(Plain):
    w = property(lambda self: MASKED)


class WithGetattr(Plain):
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


class WithMethod(Plain):
    def sum(self) -> Any:
        return MASKED


class WithSlots(Plain):
    __slots__ = ("w",)


@pytest.mark.parametrize("value", [MASKED, [MASKED, 1.0], np.array([None, 1])], ids=["masked", "list", "objects"])
def test_a_method_that_only_reads_plain_attributes_begins_again(value: Any) -> None:
    owner = Plain()
    owner.w = value
    try:
        found = owner.total()
    except TypeError:  # NumPy's own, of None + 1
        found = "original"
    assert found == "original"


@pytest.mark.parametrize("kind", [WithProperty, WithGetattr, WithMethod, WithSlots])
def test_a_method_of_an_object_that_may_do_something_when_it_is_read_does_not_begin_again(kind: Any) -> None:
    owner = kind()
    if kind is not WithProperty:
        owner.w = MASKED
    with pytest.raises((rt.UnverifiedError, TypeError)):
        owner.total()


@pytest.mark.parametrize("value", [[MASKED, iter([1.0])], [MASKED, object()]], ids=["iterator", "object"])
def test_a_method_that_may_use_something_up_does_not_begin_again(value: Any) -> None:
    owner = Plain()
    owner.w = value
    with pytest.raises((rt.UnverifiedError, TypeError)):
        owner.total()


def test_nothing_is_written_when_the_result_is_refused() -> None:
    @rt.migrated(mutates=("x",), zero_d="unverified")
    def total(x: Any) -> Any:
        x = rt.at(x)[...].set(1.0)
        return rt.updated(rt.sum(x), x=x)

    x = np.zeros(3)
    with pytest.raises(rt.UnverifiedError, match="0-d"):
        total(x)
    np.testing.assert_array_equal(x, np.zeros(3))


def test_options_that_contradict_are_refused() -> None:
    with pytest.raises(ValueError, match="needs the original"):
        rt.migrated(on_unverified="numpy")
    with pytest.raises(ValueError, match="on_unverified must be"):
        rt.migrated(on_unverified="shrug")


@rt.migrated(updates="x")
def shifted(x: Any, by: float = 1.0, seen: Any = []) -> Any:  # noqa: B006
    x = rt.iadd(x, by)
    return rt.updated(rt.sum(x), x=x)


@rt.original("shifted", above=0, changes="COUNT")
def _(x: Any, by: float = 2.0, seen: Any = ...) -> Any:
    x += by
    return np.sum(x), seen


class Kept:
    @staticmethod
    @rt.migrated(floats="x", above=0)
    def total(x: Any) -> Any:
        return rt.sum(x)

    @property
    @rt.migrated(above=0)
    def size(self) -> Any:
        return rt.sum(rt.tensor(np.ones(2)))


@rt.original("Kept.total", effects=True, above=0)
def _(x: Any) -> Any:
    return [np.sum(x), (lambda: 0).__qualname__]


@rt.original("Kept.size", on_unverified="raise", above=0)
def _(self: Any) -> Any:
    raise AssertionError


def test_an_original_that_stands_below_is_found_by_its_name() -> None:
    x = np.ones(2)
    assert shifted(x) == 4.0
    assert x.tolist() == [2.0, 2.0]
    masked = np.ma.ones(2)
    total, seen = shifted(masked)
    assert total == 4.0  # by the migrated function's own default
    assert seen is shifted.__defaults__[1]
    assert Kept.total(x) == 4.0
    assert Kept.total([1, 2]) == [3, "Kept.total.<locals>.<lambda>"]
    assert Kept().size == 2.0
    assert globals()["_"] is None
    assert pickle.loads(pickle.dumps(shifted)) is shifted
    assert pickle.loads(pickle.dumps(shifted.core)) is shifted.core
    assert shifted.__name__ == "shifted"


def test_an_original_of_nobody_is_let_go_and_an_unknown_word_is_an_error() -> None:
    assert rt.original("nobody")(lambda x: x) is None
    with pytest.raises(TypeError, match="no argument 'floats'"):
        rt.original("shifted", floats="x")
    with pytest.raises(ValueError, match="on_unverified"):
        rt.original("shifted", on_unverified="never")


def test_a_function_without_an_original_refuses_as_ever() -> None:
    @rt.migrated(floats="x")
    def alone(x: Any) -> Any:
        return x

    with pytest.raises(rt.UnverifiedError, match="alone takes x"):
        alone([1.0])
