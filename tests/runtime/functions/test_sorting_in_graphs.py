"""sort_complex, equality of whole arrays and einsum's plans in ``tf.function``."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check_in_graph, in_graph, sample

from np2tnp import runtime as rt


def test_sort_complex() -> None:
    special = [3.0, np.nan, -0.0, np.inf, -np.inf, 1.0]
    every = np.array([complex(real, imaginary) for real in special for imaginary in special])
    np.random.default_rng(0).shuffle(every)
    for array in (every, every.astype("F"), every.reshape(4, 9), sample((3, 5), "D"), np.zeros(0, complex)):
        check_in_graph("sort_complex", array)
    for char in "?bhilBHILefd":
        check_in_graph("sort_complex", sample((3, 5), char))
    check_in_graph("sort_complex", np.array(1j))
    check_in_graph("sort_complex", every, compiled=True)


def test_whole_arrays_of_unknown_shape() -> None:
    arrays = [
        np.ones(1), np.ones(3), np.ones((2, 3)), np.ones((4, 3)), np.zeros(0), np.array([1.0, np.nan, 1]), np.arange(3),
    ]  # fmt: skip
    for name in ("array_equal", "array_equiv"):
        for one in arrays:
            for two in arrays:
                for unknown in (False, True):
                    found = in_graph(getattr(rt, name), (one, two), {}, unknown)
                    assert bool(found) == getattr(np, name)(one, two), (name, one, two, unknown)
    assert bool(in_graph(rt.array_equal, (arrays[5], arrays[5]), {"equal_nan": True}, unknown=True))


def test_einsum_path() -> None:
    matrices = sample((2, 3)), sample((3, 40)), sample((40, 5))
    for optimize in ("greedy", "optimal", False):
        plan = in_graph_alone(lambda *m: rt.einsum_path("ij,jk,kl", *m, optimize=optimize), *matrices)  # noqa: B023
        assert plan == np.einsum_path("ij,jk,kl", *matrices, optimize=optimize)
    with pytest.raises(rt.UnverifiedError):
        in_graph(lambda *m: rt.einsum_path("ij,jk,kl", *m), matrices, {}, unknown=True)


def in_graph_alone(function: object, *arrays: np.ndarray) -> object:
    """What `function` returns while it is traced: Python's values cannot leave a graph otherwise."""
    plans: list[object] = []
    in_graph(lambda *tensors: plans.append(function(*tensors)), arrays, {}, unknown=False)  # type: ignore[operator]
    return plans[0]
