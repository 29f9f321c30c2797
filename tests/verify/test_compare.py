"""The comparer must tell apart everything that a user could tell apart, and nothing else."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from np2tnp.verify.compare import Outcome, Tolerance, compare, compare_outcomes, contraction_slack, ulp_distance

Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("expected", "actual", "kind"),
    [
        (np.float64(1), np.float64(1), "equal"),
        (np.float64(1), 1.0, "type"),
        (1, True, "type"),
        (np.float64(1), np.array(1.0), "type"),
        (np.array([1, 2]), np.array([1.0, 2.0]), "dtype"),
        (np.array([1, 2]), np.array([[1, 2]]), "shape"),
        (np.array([1, 2]), np.array([1, 3]), "value"),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), "equal"),
        (np.array([1.0, np.nan]), np.array([np.nan, 1.0]), "value"),
        (np.array([np.inf]), np.array([-np.inf]), "value"),
        (np.array([np.inf]), np.array([np.finfo("d").max]), "value"),
        (np.array([0.0]), np.array([-0.0]), "equal"),
        (np.array([1 + np.nan * 1j]), np.array([1 + 1j]), "value"),
        (np.array([]), np.array([]), "equal"),
        (np.array([True]), np.array([False]), "value"),
        ((1, 2), [1, 2], "type"),
        ((1, 2), (1, 2, 3), "structure"),
        ({"a": 1}, {"b": 1}, "structure"),
        ({"a": np.ones(2)}, {"a": np.zeros(2)}, "value"),
        (Pair(1, 2), Pair(1, 2), "equal"),
        (Pair(1, 2), (1, 2), "type"),
        (None, np.float64(0), "type"),
        ("a", "b", "value"),
        (np.dtype("f4"), np.dtype("f8"), "type"),
        (np.array(["a"]), np.array(["b"]), "value"),
        (np.array([None, 1.5]), np.array([None, 1.5]), "equal"),
        (10**20, 10**20, "equal"),
        (10**20, 10**20 + 1, "value"),
        (np.array([10**20]), np.array([10**20 + 1]), "value"),
    ],
)
def test_kind(expected: object, actual: object, kind: str) -> None:
    assert compare(expected, actual).kind == kind


@pytest.mark.parametrize("dtype", ["e", "f", "d"])
@pytest.mark.parametrize("value", [1.0, -1.0, 0.0, 1e-7, 65000.0])
def test_neighbours_are_one_ulp_apart(dtype: str, value: float) -> None:
    here = np.array([value], dtype)
    assert ulp_distance(here, np.nextafter(here, np.array([np.inf], dtype)))[0] == 1
    assert ulp_distance(here, np.nextafter(here, np.array([-np.inf], dtype)))[0] == 1


@given(st.floats(width=32), st.floats(width=32))
def test_distance_is_symmetric(a: float, b: float) -> None:
    x, y = np.array([a], "f"), np.array([b], "f")
    assert ulp_distance(x, y)[0] == ulp_distance(y, x)[0]
    assert (ulp_distance(x, y)[0] == 0) == bool((x == y).all() or (np.isnan(x) & np.isnan(y)).all())


def test_ulp_is_a_limit() -> None:
    one = np.array([1.0])
    assert compare(one, one + 3 * np.spacing(1.0)).label == "ulp:3"
    assert not compare(one, one + 17 * np.spacing(1.0))
    assert not compare(one, one + np.spacing(1.0), Tolerance(ulp=0))


def test_slack_covers_cancellation_but_not_nan() -> None:
    slack = contraction_slack(terms=2e8, count=2, dtype="d")
    assert compare(np.array([1e-8]), np.array([0.0]), Tolerance(slack=slack))
    assert not compare(np.array([1.0]), np.array([0.0]), Tolerance(slack=slack))
    assert not compare(np.array([np.nan]), np.array([0.0]), Tolerance(slack=slack))
    assert contraction_slack(1, 2, "q") is None


def test_signed_zero_on_request() -> None:
    strict = Tolerance(signed_zero=True)
    assert not compare(np.array([0.0]), np.array([-0.0]), strict)
    assert not compare(np.array([0j]), np.array([complex(0, -0.0)]), strict)


@pytest.mark.parametrize("one", [1 + 0j, np.complex128(1), np.array(1 + 0j), np.complex64(1)])
def test_a_single_complex_number_is_compared(one: object) -> None:
    assert compare(one, one)
    difference = compare(one, one + (1 + 1j))  # type: ignore[operator]
    assert not difference
    assert "result" in difference.detail


def test_complex_is_measured_by_its_modulus() -> None:
    assert compare(np.array([1 + 1e-17j]), np.array([1 + 3e-17j]))
    assert not compare(np.array([1 + 1e-3j]), np.array([1 + 2e-3j]))


def test_objects_compare_by_state() -> None:
    class Box:
        def __init__(self, value: object) -> None:
            self.value = value

    assert compare(Box(np.ones(2)), Box(np.ones(2)))
    assert compare(Box(np.ones(2)), Box(np.zeros(2))).kind == "value"


def test_outcomes() -> None:
    raised = Outcome.of_error(IndexError("index 9"))
    assert compare_outcomes(raised, raised)
    assert not compare_outcomes(raised, Outcome(1))
    assert not compare_outcomes(Outcome(1), raised)
    assert not compare_outcomes(raised, Outcome.of_error(ValueError("no")))
    assert compare_outcomes(Outcome.of_error(ValueError("a")), Outcome.of_error(np.linalg.LinAlgError("b")))
    changed = Outcome(1, arguments={"x": np.ones(2)})
    assert compare_outcomes(changed, Outcome(1, arguments={"x": np.zeros(2)})).kind == "mutation"


def test_flushed_subnormals_count_as_equal_unless_told_otherwise() -> None:
    tiny, zero = np.array([1e-310, 1.0]), np.array([0.0, 1.0])
    assert compare(tiny, zero)
    assert not compare(tiny, zero, Tolerance(flush=False))
    assert not compare(np.array([1e-300]), np.array([0.0]))


class Node:
    """An object that its part refers back to."""

    def __init__(self, value: float) -> None:
        self.value = np.array([value])
        self.parts = [self]


def test_objects_that_refer_to_themselves_are_compared_once() -> None:
    assert compare(Node(1.0), Node(1.0))
    different = compare(Node(1.0), Node(2.0))
    assert different.kind == "value"
    assert "expected np.float64(1.0)" in different.detail
