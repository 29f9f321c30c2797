"""Arrays that are arguments of a function, and that an object among the arguments holds, too."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.boundary.aliasing import kept_by, only_reads_attributes


class Holder:
    """Holds an array, shows it, and changes it."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def add(self, number: float) -> None:
        self.x += number

    def total(self) -> Any:
        return self.x.sum()

    @rt.migrated
    def shifted(self, x: Any, helper: Any) -> Any:
        helper.add(1)
        return x + 1

    @rt.migrated(mutates=("x",))
    def doubled(self, x: Any) -> Any:
        x = rt.imul(x, 2.0)
        return rt.updated(self.total(), x=x)

    @rt.migrated(mutates=("x",))
    def halved(self, x: Any) -> Any:
        x = rt.imul(x, self.factor)  # type: ignore[attr-defined]
        return rt.updated(None, x=x)


class Slotted:
    __slots__ = ("inside",)


def changed(x: Any, holder: Any) -> Any:
    holder.add(1)
    return x + 1


def read(x: Any, holder: Any) -> Any:
    return x + holder.total()


def updated(x: Any, holder: Any) -> Any:
    x = rt.iadd(x, 1.0)
    return rt.updated(holder.total(), x=x)


def numpy_changed(x: Any, holder: Any) -> Any:
    holder.add(1)
    return x + 1


def test_a_change_through_the_object_is_told() -> None:
    x = np.arange(3.0)
    with pytest.raises(rt.UnverifiedError, match="'x' of changed was changed meanwhile"):
        rt.migrated(changed)(x, Holder(x[1:]))
    np.testing.assert_array_equal(rt.migrated(changed)(np.arange(3.0), Holder(x)), np.arange(3.0) + 1)


def test_an_object_that_only_shows_the_array_is_no_obstacle() -> None:
    x = np.arange(3.0)
    np.testing.assert_array_equal(rt.migrated(read)(x, Holder(x)), x + 3)


def test_an_original_is_called_beforehand() -> None:
    x = np.arange(3.0)
    f = rt.migrated(changed, original=numpy_changed, on_unverified="numpy", above=0)
    np.testing.assert_array_equal(f(x, [Holder(x)][0]), np.arange(3.0) + 2)
    np.testing.assert_array_equal(x, np.arange(3.0) + 1)


def test_a_pure_function_only_reads_its_objects() -> None:
    x = np.arange(3.0)
    f = rt.migrated(read, original=numpy_changed, on_unverified="numpy", above=0, pure=True)
    np.testing.assert_array_equal(f(x, Holder(x)), x + 3)


@pytest.mark.parametrize(
    "around", [lambda it: it, lambda it: [it], lambda it: {"a": it}, Holder, lambda it: deque([it])]
)
def test_an_argument_that_is_updated_must_not_be_held(around: Callable[[Any], Any]) -> None:
    x = np.arange(3.0)
    with pytest.raises(rt.UnverifiedError, match="updates 'x' and an object, or code that it calls, that holds it"):
        rt.migrated(updated, mutates=("x",))(x, around(Holder(x)))
    np.testing.assert_array_equal(x, np.arange(3.0))


def test_methods_may_get_what_their_object_holds() -> None:
    x = np.arange(3.0)
    holder = Holder(x)
    np.testing.assert_array_equal(holder.shifted(x, Holder(np.ones(2))), x + 1)
    with pytest.raises(rt.UnverifiedError, match="changed meanwhile"):
        holder.shifted(x, holder)
    with pytest.raises(rt.UnverifiedError, match="shares memory with what its object holds"):
        holder.doubled(x)
    holder.factor = 0.5  # type: ignore[attr-defined]
    before = x.copy()
    holder.halved(x)
    np.testing.assert_array_equal(holder.x, before / 2)


def test_functions_that_change_an_argument_by_themselves_are_told() -> None:
    x = np.arange(3.0)

    def change() -> None:
        x[0] = 5.0

    @rt.migrated
    def after(x: Any, function: Any) -> Any:
        function()
        return x * 2

    with pytest.raises(rt.UnverifiedError, match="changed meanwhile"):
        after(x, change)


def test_what_objects_keep_is_found_however_deep() -> None:
    slotted = Slotted()
    slotted.inside = [{"a": Holder(np.zeros(1))}, (np.ones(2), deque([np.full(3, 2.0)]))]
    again = Holder(slotted)
    slotted.inside.append(again)
    assert sorted(part.size for part in kept_by([again])) == [1, 2, 3]


def test_reads_of_attributes_are_told_from_other_uses() -> None:
    def of_attributes(self: Any, x: Any) -> Any:
        self.count = self.count + self.step * x
        return self.count

    def called(self: Any, x: Any) -> Any:
        return x + self.step(x)

    def given_away(self: Any, x: Any) -> Any:
        return x + len(vars(self))

    def captured(self: Any, x: Any) -> Any:
        return [self.step + item for item in x], lambda: self.step

    for function in (of_attributes, called, given_away, captured):
        expected = function is of_attributes
        assert only_reads_attributes(function.__code__, "self") is expected, function.__name__


class TestWhatAGeneratorChangesWhileItIsIterated:
    """It holds the dict that is an argument, too, and puts another array into it: nobody called it by name."""

    @staticmethod
    def pair() -> tuple[dict[str, Any], Callable[..., Any]]:
        held = {"w": np.array([0.1, 0.2])}

        def exchange(number: int) -> int:
            held["w"] = np.zeros(2)
            return number

        return held, exchange

    @staticmethod
    def total(p: Any, numbers: Any) -> Any:
        a = np.exp(p["w"])
        return sum(numbers) * a + p["w"]

    @pytest.mark.parametrize("made", ["generator", "map", "filter"])
    def test_is_refused(self, made: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NP2TNP_ABOVE", "0")
        held, exchange = self.pair()
        numbers = {
            "generator": (exchange(it) for it in [1, 2]),
            "map": map(exchange, [1, 2]),
            "filter": filter(exchange, [1, 2]),
        }[made]
        function = rt.migrated(original=self.total, on_unverified="numpy", pure=True)(self.total)
        with pytest.raises(rt.UnverifiedError, match="got other items meanwhile"):
            function(held, numbers)

    def test_numbers_alone_are_summed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NP2TNP_ABOVE", "0")
        held, _ = self.pair()
        function = rt.migrated(original=self.total, on_unverified="numpy", pure=True)(self.total)
        expected = self.total(held, iter([1, 2]))
        np.testing.assert_allclose(np.asarray(function(held, (it for it in [1, 2]))), expected)
