"""Sorting, ranks, searching and where, against NumPy's: exact."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from agreement import check
from arrays import NUMERIC, edge_values, shapes

from np2tnp import runtime as rt


@pytest.mark.parametrize("char", NUMERIC)
def test_sort_and_argsort(char):
    for x in [*shapes(char), edge_values(char), np.tile(edge_values(char), 3)]:
        claimed = char not in "FD" and x.ndim > 0
        for axis in (-1, 0, None):
            check("sort", x, axis=axis, claimed=claimed)
            check("argsort", x, axis=axis, kind="stable", claimed=claimed)
        if x.ndim > 1:
            check("sort", x, 1, "mergesort", claimed=claimed)


@pytest.mark.parametrize("char", "?blBLefd")
def test_partition_puts_the_kth_in_its_place(char):
    for x in shapes(char, (6,), (3, 4)):
        for kth in (0, 2, -1):
            expected = np.partition(x, kth)[..., kth]
            places = rt.argpartition(tf.constant(x), kth).numpy()
            np.testing.assert_array_equal(rt.partition(tf.constant(x), kth).numpy()[..., kth], expected)
            np.testing.assert_array_equal(np.take_along_axis(x, places, -1)[..., kth], expected)
    check("partition", np.arange(3), 3)


@pytest.mark.parametrize("char", "?bilBLefd")
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(char, side):
    ordered = np.sort(edge_values(char))
    for values in (edge_values(char), edge_values(char)[:4].reshape(2, 2), ordered[2], 1, 2.5, np.nan):
        check("searchsorted", ordered, values, side)
    shuffled = edge_values(char)
    check("searchsorted", shuffled, ordered, side, np.argsort(shuffled, kind="stable"))


@pytest.mark.parametrize("char", NUMERIC)
def test_where_and_places(char):
    for x in shapes(char):
        claimed = x.ndim > 0
        for name in ("nonzero", "flatnonzero", "argwhere"):
            check(name, x, claimed=claimed)
        mask = x != 0
        check("where", mask, claimed=claimed)
        for other in (0, 1.5, np.float32(2), x.astype("f4")):
            check("where", mask, x, other)
        check("where", mask, 1, 2)
        check("extract", mask, x, claimed=claimed)


def test_where_with_a_number_beyond_the_dtype():
    check("where", np.array([True, False]), np.arange(2, dtype="u1"), 300, claimed=False)


def test_compress_and_lexsort():
    x = np.arange(12.0).reshape(3, 4)
    for axis in (None, 0, 1):
        check("compress", [True, False, True], x, axis=axis)
    check("compress", [True] * 9, x, axis=0)
    first, second = np.array([3, 1, 1, 2]), np.array([1.0, np.nan, 0.5, 1.0])
    check("lexsort", (first, second))
    check("lexsort", np.stack([second, first]))


@pytest.mark.parametrize("compiled", [False, True])
def test_inside_tf_function(compiled):
    x = np.array([[3.0, np.nan, -1.0], [np.inf, 2.0, 2.0]])
    for name in ("sort", "argsort"):
        staged = tf.function(getattr(rt, name), jit_compile=compiled)
        keywords = {"kind": "stable"}
        np.testing.assert_array_equal(staged(tf.constant(x), **keywords), getattr(np, name)(x, **keywords))


@pytest.mark.parametrize("name", ["sort", "argsort"])
@pytest.mark.parametrize(
    "keywords", [{"descending": True}, {"descending": True, "stable": True}, {"descending": False}]
)
def test_descending_order_where_numpy_knows_it(name: str, keywords: dict[str, bool]) -> None:
    """NumPy 2.5 does; others raise TypeError, and so does the helper. Ties are only NumPy's where it promises them."""
    knows = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
    for x in (
        np.array([3, -1, 2, 7], "i1"),
        np.array([2.5, np.nan, -np.inf, 0.5, np.inf]),
        np.array([4, 1, 255], "u1"),
    ):
        check(name, x, claimed=knows, **keywords)
    if keywords.get("stable"):
        check(name, np.array([[1, 2, 1, 2], [True, False, False, True]]), axis=1, claimed=knows, **keywords)
        check(name, np.array([True, False, True]), claimed=knows, **keywords)


def test_where_alone_heeds_no_mask() -> None:
    """NumPy's function reads the data of a masked array; only its method and ``nonzero`` leave masked items out."""
    masked = np.ma.array([1.0, -2.0, 3.0], mask=[True, False, False]) > 0
    assert [places.tolist() for places in rt.where(masked)] == [places.tolist() for places in np.where(masked)]
    assert [places.tolist() for places in rt.nonzero(masked)] == [places.tolist() for places in np.nonzero(masked)]
    assert [len(places) for places in rt.where(masked)] != [len(places) for places in rt.nonzero(masked)]
