"""unique, isin and the set operations against NumPy, NaN and signed zeros included; all results are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import check, check_in_graph, in_graph, sample

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
    check("unique", SPECIAL.astype(dtype), equal_nan=equal_nan, claimed=False)
    check("unique", SPECIAL.astype(dtype)[3:-2], equal_nan=equal_nan)
    check("unique", np.full(4, np.nan, dtype), True, True, True, equal_nan=equal_nan)


@pytest.mark.parametrize("dtype", ["d", "f", "e"])
def test_which_zero_stays_is_numpy_s_choice(dtype: str) -> None:
    for zeros in ([0.0, -0.0], [-0.0, 0.0], [-0.0, 1.0, -0.0], [2.0, 0.0, -0.0, 1.0] * 20):
        array = np.array(zeros, dtype)
        for index in (False, True):
            result, expected = rt.unique(rt.tensor(array), return_index=index), np.unique(array, return_index=index)
            found, wanted = (result[0], expected[0]) if index else (result, expected)
            np.testing.assert_array_equal(np.signbit(rt.host(found)), np.signbit(wanted))
        both = rt.host(rt.intersect1d(rt.tensor(array), rt.tensor(array[::-1])))
        np.testing.assert_array_equal(np.signbit(both), np.signbit(np.intersect1d(array, array[::-1])))


def test_unique_of_extreme_integers() -> None:
    check("unique", EXTREME, True, True, True)
    check("unique", np.array([2**64 - 1, 0, 2**63, 2**63 - 1], np.uint64), True, True, True)


def test_unique_on_the_host() -> None:
    check("unique", sample((4, 2), "l"), axis=0, claimed=False)
    check("unique", sample(5, "D"), claimed=False)
    np.testing.assert_array_equal(rt.unique(["b", "a", "b"]), ["a", "b"])


def has_two_zeros(values: Any) -> bool:
    """Whether NumPy's unstable sort decides which zero stays."""
    array = np.asarray(values)
    return array.dtype.kind == "f" and np.unique(np.signbit(array[array == 0])).size == 2


def test_array_api_forms() -> None:
    for array in (sample((3, 4), "l"), SPECIAL, sample(0)):
        check("unique_all", array)
        for name in ("unique_counts", "unique_inverse"):
            check(name, array, claimed=not has_two_zeros(array))
        check("unique_values", array, claimed=False)


def _in_flat(ar1, ar2, **keywords):
    return np.isin(np.ravel(ar1), ar2, **keywords)


@pytest.mark.parametrize("char", DTYPES + "eFD")
def test_in1d_is_isin_of_the_flat_values(char: str) -> None:
    claimed = char in DTYPES
    check("in1d", sample((4, 5), char), sample(6, char, 1), claimed=claimed, reference=_in_flat)
    check("in1d", sample(5, char), sample((2, 3), char, 1), invert=True, claimed=claimed, reference=_in_flat)
    check("in1d", 3, [3, 4], claimed=False, reference=_in_flat)
    check("in1d", [], sample(3, char), claimed=False, reference=_in_flat)


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
        check(name, one, two, claimed=not has_two_zeros(one))
        check(name, np.unique(one), np.unique(two), True, claimed=False)
    if name == "intersect1d":
        for one, two in pairs:
            check(name, one, two, return_indices=True, claimed=not has_two_zeros(one))


GRAPH_ARRAYS = [
    *(sample(shape, char) for char in DTYPES for shape in (30, (4, 5), 0)),
    SPECIAL[3:-2], SPECIAL[3:-2].astype("f"), np.full(4, np.nan), EXTREME, np.array([2**64 - 1, 0, 2**63], np.uint64),
]  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
def test_unique_in_a_graph(compiled: bool) -> None:
    for array in GRAPH_ARRAYS[-1:] if compiled else GRAPH_ARRAYS[1::2]:  # XLA takes seconds to compile a sort
        check_in_graph("unique", array, compiled=compiled)
        check_in_graph("unique", array, True, True, True, compiled=compiled)
        check_in_graph("unique", array, return_counts=True, equal_nan=False, compiled=compiled)
        for name in ("unique_all", "unique_counts", "unique_inverse"):
            check_in_graph(name, array, compiled=compiled)
    check_in_graph("unique", SPECIAL, True, True, True, compiled=compiled)
    check_in_graph("unique_all", SPECIAL, compiled=compiled)


GRAPH_PAIRS = [
    (sample(20, "l"), sample(15, "l", 1)),
    (sample((4, 5), "i"), sample(15, "b", 1)),
    (SPECIAL[3:], SPECIAL[5::2].copy()),
    (SPECIAL[3:-2].astype("f"), np.array([1.0, 7.0])),
    (np.arange(5), np.array([2.0, 3.5])),
    (np.arange(5), np.zeros(0)),
    (np.zeros(0), np.arange(5)),
    (np.zeros(0), np.zeros(0)),
    (sample(9, "?"), np.array([True])),
    (np.array([2**63 - 1, 0, 2]), np.array([2**63 - 1, 2])),
]


@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"])
@pytest.mark.parametrize("compiled", [False, True])
def test_operations_in_a_graph(name: str, compiled: bool) -> None:
    for one, two in GRAPH_PAIRS[2:3] if compiled else GRAPH_PAIRS:
        check_in_graph(name, one, two, compiled=compiled)
        check_in_graph(name, two, one, compiled=compiled)
        if name == "intersect1d":
            check_in_graph(name, one, two, return_indices=True, compiled=compiled)
        if name == "setdiff1d":
            check_in_graph(name, one, two, True, compiled=compiled)


def test_what_a_graph_cannot_know_of_sets() -> None:
    zeros = np.array([0.0, -0.0, 1.0])
    integers = np.array([2**53 + 1, 1])
    for unknown in (False, True):
        for function, args in (
            (rt.unique, (zeros,)),
            (rt.union1d, (zeros[:1], zeros[1:])),
            (rt.setxor1d, (zeros, zeros[2:])),
            (rt.isin, (integers, np.array([1.0]))),
        ):
            with pytest.raises(Exception, match=r"zeros of both signs|integers that floats"):
                in_graph(function, args, {}, unknown)
        with pytest.raises(rt.UnverifiedError):
            in_graph(rt.unique, (zeros.astype(complex),), {}, unknown)
