"""histogram and its relatives, and bincount, in ``tf.function``: edges to the last bit, counts exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import check, check_in_graph, in_graph, sample

from np2tnp import runtime as rt

#: Values on the edges of equal bins among them: one bit decides where they are counted.
ARRAYS = [
    sample(50), sample((4, 5), "f"), sample(40, "l"), sample(30, "B"), np.full(4, 2.5), np.full(3, 7), np.zeros(0),
    np.arange(11.0), np.linspace(0, 1, 101).astype("f"), np.arange(0, 1, 0.1), sample(1000) * 10.0 ** sample(1000, "l"),
    np.array([2**62 + 1, 3, -(2**61)]), np.array([2**64 - 1, 1], np.uint64), np.array([-3, 100], np.int8),
    np.array([1.0, np.nan]), np.array([1.0, np.inf]),
]  # fmt: skip

FORMS: list[dict[str, Any]] = [
    {}, {"bins": 3}, {"bins": 100}, {"bins": 7, "range": (0.0, 4.0)}, {"bins": 5, "range": np.array([-1.0, 2.0])},
    {"bins": np.array([-1.0, 0, 2, 5])}, {"bins": [0, 1, 3]}, {"bins": 4, "range": np.array([2.0, 2.0])},
    {"bins": np.array([2.0, 1.0])}, {"bins": 5, "range": np.array([3.0, 2.0])},
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_histogram(form: dict[str, Any]) -> None:
    for array in ARRAYS:
        check_in_graph("histogram", array, **form)
    check_in_graph("histogram_bin_edges", ARRAYS[0], **form)


def test_edges_under_xla() -> None:
    for array in (ARRAYS[0], ARRAYS[1], ARRAYS[9]):
        check_in_graph("histogram", array, compiled=True)
        check_in_graph("histogram", array, bins=5, range=np.array([-1.0, 2.0]), compiled=True)


def test_weights_and_densities() -> None:
    for array in ARRAYS[:4]:
        check_in_graph("histogram", array, weights=sample(array.shape), factor=8)
        check_in_graph("histogram", array, weights=sample(array.shape, "i"))
        check_in_graph("histogram", array, bins=3, weights=abs(sample(array.shape, "f")), density=True, factor=8)
        check_in_graph("histogram", array, density=True, factor=8)
    check_in_graph("histogram", ARRAYS[0], weights=np.zeros(77))


def test_more_dimensions() -> None:
    x, y = sample(40), sample(40, seed=1)
    for one, two in ((x, y), (x.astype("f"), y.astype("f")), (sample(40, "l"), sample(40, "l", 1))):
        for form in ({}, {"bins": [3, 2]}, {"range": [[0, 4], None]}, {"bins": np.arange(4.0).tolist()}):
            check_in_graph("histogram2d", one, two, **form)
        check_in_graph("histogram2d", one, two, bins=[3, 4], weights=x, factor=8)
        check_in_graph("histogram2d", one, two, 2, None, True, factor=8)
    check_in_graph("histogram2d", x, y[:3])
    points = sample((30, 3))
    for form in ({"bins": 3}, {"bins": (2, 3, 4)}, {"bins": 3, "range": [(0, 1), None, (-1, 1)]}):
        for array in (points, points.astype("f"), sample((20, 3), "i")):
            check("histogramdd", array, **form)
            for sizes in ((None, 3), (*array.shape,)):
                found = in_known_columns(array, sizes, form)
                for result, expected in zip(found, np.histogramdd(array, **form), strict=True):
                    for one, two in zip(result, expected, strict=True):
                        np.testing.assert_array_equal(one, two, strict=True)


def in_known_columns(array: np.ndarray, shape: Any, form: dict[str, Any]) -> Any:
    import tensorflow as tf

    signature = [tf.TensorSpec(shape, array.dtype)]
    graph = tf.function(lambda v: rt.histogramdd(v, **form), input_signature=signature, autograph=False)
    return rt.host(graph(rt.tensor(array)))


def test_bincount() -> None:
    for counted in (sample(30, "B"), np.array([3, 1]), np.zeros(0, int), np.array([1, -1]), np.array([1.0])):
        check_in_graph("bincount", counted)
        check_in_graph("bincount", counted, minlength=20)
    places = sample(30, "B")
    check_in_graph("bincount", places, sample(30), factor=8)
    check_in_graph("bincount", places, sample(30, "i"), 20, factor=8)
    check_in_graph("bincount", places, sample(29))


def test_nothing_weighs_integers() -> None:
    nothing = np.zeros(0, int)
    check("bincount", nothing, np.zeros(0))
    check("bincount", nothing, np.zeros(0), 3)
    with pytest.raises(Exception, match="weights of nothing"):
        in_graph(rt.bincount, (nothing, np.zeros(0)), {}, unknown=True)


def test_edges_of_linspace_in_a_graph() -> None:
    for first, last in ((-1.0, 2.0), (0.1, 0.7), (-1.3, 1e9), (3, 3)):
        for number in (2, 7, 11, 101):
            check_in_graph("linspace", np.array(first), np.array(last), number)
    check_in_graph("linspace", np.array(0.1, "f"), np.array([0.7, 3.0], "f"), 8)


@pytest.mark.parametrize("compiled", [False, True], ids=["graph", "xla"])
@pytest.mark.parametrize("right", [False, True])
def test_digitize_by_bins_that_only_the_graph_knows(right: bool, compiled: bool) -> None:
    x = np.array([[0.2, 6.4, 3.0, 1.0], [np.nan, -np.inf, np.inf, 4.0]])
    refused = [] if compiled else [[3.0, 1.0, 2.0]]  # XLA has no assertions
    for bins in ([0.0, 1.0, 2.5, 4.0, 10.0], [10, 4, 2.5, 1, 0], [1.0], [1.0, 1.0], *refused):
        check_in_graph("digitize", x, np.array(bins), right, compiled=compiled)
        check_in_graph("digitize", np.arange(12), np.array(bins, "f"), right, compiled=compiled)
    check_in_graph("digitize", sample(9, "l"), np.array([3, 1, -2]), right, compiled=compiled)
