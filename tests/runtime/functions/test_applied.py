"""Functions that call functions, and what NumPy computes as one step of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import check, check_in_graph, same

tf = pytest.importorskip("tensorflow")

from np2tnp import runtime as rt  # noqa: E402
from np2tnp.runtime.compile import compiled  # noqa: E402

CUBE = np.random.default_rng(3).normal(size=(2, 3, 4)) * 5


def in_graph(function: Any, array: Any) -> Any:
    return tf.function(function, autograph=False)(tf.constant(array))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    "function",
    [
        np.sum, np.mean, np.std, np.max, np.argmin, np.any, np.median, np.nanvar, np.sort, np.cumsum, np.diff, np.flip,
        np.linalg.norm, np.fft.rfft, np.exp, np.argsort,
    ],
)  # fmt: skip
def test_functions_of_numpy_are_applied_along_an_axis_in_graphs(function: Any, axis: int) -> None:
    wanted = np.apply_along_axis(function, axis, CUBE)
    same(in_graph(lambda x: rt.apply_along_axis(function, axis, x), CUBE), wanted, factor=20)
    check("apply_along_axis", function, axis, CUBE, claimed=False)


def test_keywords_reach_what_is_applied() -> None:
    wanted = np.apply_along_axis(np.std, 1, CUBE, ddof=1)
    same(in_graph(lambda x: rt.apply_along_axis(np.std, 1, x, ddof=1), CUBE), wanted, factor=20)


@pytest.mark.parametrize("function", [lambda row: row[::-1], np.unique, np.interp, np.add])
def test_other_functions_are_not_applied_in_graphs(function: Any) -> None:
    with pytest.raises(rt.UnverifiedError):
        in_graph(lambda x: rt.apply_along_axis(function, 0, x), CUBE)


@pytest.mark.parametrize("axes", [0, -1, [0, 2], (2, 0), [1, -1]])
@pytest.mark.parametrize("function", [np.sum, np.max, np.cumsum])
def test_functions_of_numpy_are_applied_over_axes_in_graphs(function: Any, axes: Any) -> None:
    wanted = np.apply_over_axes(function, CUBE, axes)
    same(in_graph(lambda x: rt.apply_over_axes(function, x, axes), CUBE), wanted, factor=20)


@pytest.mark.parametrize("char", "?lBefdD")
def test_unique_values_in_a_graph_have_numpys_order(char: str) -> None:
    check_in_graph("unique_values", np.array([3, 1, 2, 3, 0, 1]).astype(char))


@pytest.mark.parametrize("coefficients", [[1.0, 0, 4], [1.0, 2, 3, 4], [0.0, 1, 0, 1, 0], [1j, 2, 3], [1, 0, 1]])
def test_roots_in_a_graph_are_numpys(coefficients: Any) -> None:
    check_in_graph("roots", np.asarray(coefficients))


def test_one_root_in_a_graph_is_real() -> None:
    same(in_graph(rt.roots, np.array([2.0, 1])), np.roots([2.0, 1]))


@rt.migrated(compile="graph")
def largest_root(p: Any) -> Any:
    return rt.max(rt.abs(rt.roots(p)))


@pytest.mark.parametrize("coefficients", [[1.0, -6, 11, -6], [1.0, 0, 4], [0.0, 0, 0], [np.nan, 1, 2]])
def test_real_roots_are_found_again_eagerly(coefficients: Any) -> None:
    array = np.array(coefficients)
    try:
        wanted = np.max(np.abs(np.roots(array)))
    except (ValueError, np.linalg.LinAlgError) as error:
        with pytest.raises(type(error)):
            largest_root(array)
        return
    assert largest_root(array) == pytest.approx(wanted)


@rt.migrated(compile="graph")
def share(mask: Any) -> Any:
    return rt.op_truediv(rt.count_nonzero(mask), rt.size(mask)), rt.count_nonzero(mask)


def test_the_count_in_a_graph_is_numpys() -> None:
    array = np.array([1.0, 0, 2, np.nan], np.float32)
    compiled.RUNS.clear()
    found = share(array)
    assert compiled.RUNS["compiled"] == 1
    wanted = np.count_nonzero(array)
    assert found == (wanted / array.size, wanted) == (0.75, 3)
    assert list(map(type, found)) == [type(wanted / array.size), type(wanted)]
