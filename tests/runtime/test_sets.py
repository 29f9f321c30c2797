"""unique, isin and the set operations against NumPy, NaN and signed zeros included; all results are exact."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check, sample

from np2tnp import runtime as rt

DTYPES = "?bhilBHILfd"
SPECIAL = np.array([3.0, np.nan, -0.0, 0.0, np.inf, 1.0, np.nan, -np.inf, 1.0, 5e-324, -5e-324])
EXTREME = np.array([2**63 - 1, -(2**63), 0, 2**53 + 1, 2**53, 2**63 - 1])


@pytest.mark.parametrize("char", DTYPES)
def test_unique(char: str) -> None:
    for array in (sample(30, char), sample((4, 5), char), sample(0, char), sample((), char), sample((0, 3), char)):
        for index in (False, True):
            for inverse in (False, True):
                for counts in (False, True):
                    check("unique", array, index, inverse, counts)


@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique_of_special_values(dtype: str, equal_nan: bool) -> None:
    check("unique", SPECIAL.astype(dtype), True, True, True, equal_nan=equal_nan)
    check("unique", SPECIAL.astype(dtype), equal_nan=equal_nan)
    check("unique", np.full(4, np.nan, dtype), True, True, True, equal_nan=equal_nan)


def test_unique_of_extreme_integers() -> None:
    check("unique", EXTREME, True, True, True)
    check("unique", np.array([2**64 - 1, 0, 2**63, 2**63 - 1], np.uint64), True, True, True)


def test_unique_on_the_host() -> None:
    check("unique", sample((4, 2), "l"), axis=0, claimed=False)
    check("unique", sample(5, "D"), claimed=False)
    np.testing.assert_array_equal(rt.unique(["b", "a", "b"]), ["a", "b"])


def test_array_api_forms() -> None:
    for array in (sample((3, 4), "l"), SPECIAL, sample(0)):
        for name in ("unique_all", "unique_counts", "unique_inverse"):
            check(name, array)
        check("unique_values", array, claimed=False)


@pytest.mark.parametrize("invert", [False, True])
def test_isin(invert: bool) -> None:
    for char in DTYPES:
        check("isin", sample((4, 5), char), sample(6, char, 1), invert=invert)
    check("isin", SPECIAL, np.array([np.nan, 0.0, 1.0]), invert=invert)
    check("isin", SPECIAL.astype("f"), np.array([np.inf, -0.0]), invert=invert)
    check("isin", np.arange(10), [3, 4], invert=invert)
    check("isin", np.arange(10), 3, invert=invert)
    check("isin", 3, [3, 4], invert=invert)
    check("isin", np.arange(10), [], invert=invert)
    check("isin", np.zeros(0), [1.0], invert=invert)
    check("isin", np.arange(4, dtype="i"), np.array([1.0, 2.5]), invert=invert)
    check("isin", np.arange(4), np.array([1.0, 2.5]), invert=invert)
    check("isin", EXTREME, EXTREME[2:4], invert=invert)
    check("isin", EXTREME, EXTREME[2:4].astype(float), invert=invert, claimed=False)
    check("isin", EXTREME, EXTREME[2:4].astype(np.uint64), invert=invert, claimed=False)
    check("isin", np.arange(300), np.arange(200, 500), invert=invert)
    check("isin", np.arange(9), np.arange(3), invert=invert, kind="table", claimed=False)


@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d"])
def test_operations(name: str) -> None:
    pairs = [
        (sample(20, "l"), sample(15, "l", 1)),
        (sample((4, 5), "i"), sample(15, "b", 1)),
        (SPECIAL, SPECIAL[::2].copy()),
        (SPECIAL.astype("f"), np.array([1.0, 7.0])),
        (np.arange(5), [2.0, 3.5]),
        (np.arange(5), []),
        ([], []),
        ([1, 2, 2], [2, 3]),
        (sample(9, "?"), [True]),
    ]
    for one, two in pairs:
        check(name, one, two)
        check(name, np.unique(one), np.unique(two), True, claimed=False)
    if name == "intersect1d":
        for one, two in pairs:
            check(name, one, two, return_indices=True)


def test_in_graph_mode_the_length_is_unknown() -> None:
    import tensorflow as tf

    with pytest.raises(rt.UnverifiedError):
        tf.function(rt.unique)(rt.tensor(np.arange(4)))
    traced = tf.function(lambda x: rt.isin(x, [1, 2]), autograph=False)
    np.testing.assert_array_equal(traced(rt.tensor(np.arange(4))).numpy(), [False, True, True, False])
