"""rt.core: the same call of a function that is migrated, and of one that is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import is_tensor


def scaled(x: Any, factor: float = 2.0) -> Any:
    return x * factor


def shift(x: Any, by: float = 1.0) -> Any:
    x += by
    return x.sum()


@rt.migrated
def core_scaled(x: Any, factor: float = 2.0) -> Any:
    return rt.op_mul(x, factor)


@rt.migrated(mutates=("x",))
def core_shift(x: Any, by: float = 1.0) -> Any:
    x = rt.iadd(x, by)
    return rt.updated(rt.sum(x), x=x)


@pytest.mark.parametrize("function", [scaled, core_scaled])
def test_results_are_the_same_both_ways(function: Any) -> None:
    x = rt.tensor(np.arange(3.0))
    result = rt.core(function)(x, factor=3.0)
    np.testing.assert_array_equal(rt.host(result), [0.0, 3.0, 6.0])


@pytest.mark.parametrize("function", [shift, core_shift])
def test_updates_come_back_both_ways(function: Any) -> None:
    x = rt.tensor(np.arange(3.0))
    total, final = rt.core(function, mutates=("x",))(x, by=2.0)
    assert is_tensor(final)
    assert rt.host(total) == 9.0
    np.testing.assert_array_equal(rt.host(final), [2.0, 3.0, 4.0])
    np.testing.assert_array_equal(rt.host(x), [0.0, 1.0, 2.0])


@pytest.mark.parametrize("function", [shift, core_shift])
def test_an_ndarray_is_updated_itself(function: Any) -> None:
    x = np.arange(3.0)
    _, final = rt.core(function, mutates=("x",))(x)
    assert final is x
    np.testing.assert_array_equal(x, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("function", [shift, core_shift])
def test_an_update_that_nobody_expects_is_refused(function: Any) -> None:
    with pytest.raises(rt.UnverifiedError, match="shift changed an argument"):
        rt.core(function)(rt.tensor(np.arange(3.0)))


def test_an_override_that_updates_is_refused() -> None:
    class Base:
        @rt.migrated
        def step(self, x: Any) -> Any:
            return rt.op_add(x, 1.0)

    class Other(Base):
        def step(self, x: Any) -> Any:
            x *= 2
            return x

    x = rt.tensor(np.ones(2))
    np.testing.assert_array_equal(rt.host(rt.core(Base().step)(x)), [2.0, 2.0])
    with pytest.raises(rt.UnverifiedError):
        rt.core(Other().step)(x)


def test_one_tensor_in_two_places_is_one_array() -> None:
    x = rt.tensor(np.ones(2))
    assert rt.core(lambda a, b, *, c: a is b and b is c)(x, x, c=x) is True


def test_containers_are_updated() -> None:
    def fill(parts: Any) -> None:
        for part in parts:
            part[:] = 5.0

    parts = [rt.tensor(np.zeros(2)), rt.tensor(np.zeros(1))]
    _, final = rt.core(fill, mutates=("parts",))(parts)
    assert final is parts
    assert [rt.host(part).tolist() for part in parts] == [[5.0, 5.0], [5.0]]


def test_numbers_and_other_objects() -> None:
    result = rt.core(lambda x: (x.max(), len(x), "name", None))(rt.tensor(np.arange(3.0)))
    assert result == (2.0, 3, "name", None)


def test_what_shares_memory_still_does() -> None:
    def parts(x: Any) -> Any:
        y = x * 2.0
        return y, y[1:], x

    x = rt.tensor(np.arange(3.0))
    whole, part, same = rt.core(parts)(x)
    assert np.shares_memory(whole, part)
    assert same is x


def test_lists_are_updated_whose_length_changes() -> None:
    def extend(parts: Any) -> None:
        parts[0] += 1.0
        parts.append(parts[0] * 2.0)

    parts = [rt.tensor(np.zeros(2))]
    _, final = rt.core(extend, mutates=("parts",))(parts)
    assert final is parts
    assert [rt.host(part).tolist() for part in parts] == [[1.0, 1.0], [2.0, 2.0]]


def test_keyword_arguments_and_defaults_are_found_by_name() -> None:
    def both(a: Any, /, b: Any, *, c: Any = None) -> None:
        b += a

    x, y = rt.tensor(np.ones(2)), rt.tensor(np.ones(2))
    _, b, c = rt.core(both, mutates=("b", "c"))(x, b=y)
    np.testing.assert_array_equal(rt.host(b), [2.0, 2.0])
    assert c is None
