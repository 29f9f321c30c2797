"""Where NumPy takes integers alone, floats and arrays of one element raise TypeError in every mode; so do stores into
numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt

NO_INTEGERS = (1.0, np.float64(1.0), np.array(1.0), np.array([1]))
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda x, n: rt.sum(x, axis=n),
    "mean": lambda x, n: rt.mean(x, axis=n),
    "cumsum": lambda x, n: rt.cumsum(x, axis=n),
    "sort": lambda x, n: rt.sort(x, axis=n),
    "argsort": lambda x, n: rt.argsort(x, axis=n),
    "stack": lambda x, n: rt.stack([x, x], axis=n),
    "concatenate": lambda x, n: rt.concatenate([x, x], axis=n),
    "expand_dims": lambda x, n: rt.expand_dims(x, n),
    "squeeze": lambda x, n: rt.squeeze(x, axis=n),
    "linspace": lambda x, n: rt.linspace(0, 1, n),
    "diag": lambda x, n: rt.diag(x[:, 0], n),
    "trace": lambda x, n: rt.trace(x, n),
}


def compiled_head(x: Any, offsets: Any) -> Any:
    return rt.at(x)[: offsets[0]].set(0.0)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("number", NO_INTEGERS, ids=repr)
def test_helpers_take_integers_alone(name: str, number: Any) -> None:
    x = rt.tensor(np.ones((2, 1)))
    with pytest.raises(TypeError):
        CALLS[name](x, number)


@pytest.mark.parametrize("mode", ["graph", "xla"])
@pytest.mark.parametrize("offsets", [np.array([2.9]), np.array([[2]])], ids=repr)
def test_compiled_slices_take_integers_alone(mode: str, offsets: Any) -> None:
    with pytest.raises(TypeError):
        rt.migrated(compile=mode)(compiled_head)(np.ones(4), offsets)
    np.testing.assert_array_equal(rt.migrated(compile=mode)(compiled_head)(np.ones(4), np.array([2])), [0, 0, 1, 1])


def test_nothing_is_stored_by_a_mask_into_what_may_be_a_number() -> None:
    number = rt.interp(rt.tensor(np.array(5.0)), np.array([0.0, 9.0]), np.array([1.0, 0.0]))
    with pytest.raises(TypeError):
        rt.at(number)[rt.isnan(number)].set(0.0)


def test_a_range_that_no_memory_holds_is_a_memory_error_under_xla() -> None:
    def numbers(n: int) -> Any:
        return rt.arange(n)

    with pytest.raises(MemoryError):
        rt.migrated(compile="xla")(numbers)(2**40)
