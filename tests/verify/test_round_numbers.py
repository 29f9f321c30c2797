"""``verify`` gives functions that tell neighbours apart large arrays of round numbers."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np
import pytest
from verify_texts import HEAD, LIMITS, NEW_HEAD

from np2tnp.verify.inputs import Parameter
from np2tnp.verify.program import FunctionResult, FunctionVerdict, verify_pair
from np2tnp.verify.round_numbers import quantises, sizes_for, with_round_numbers
from np2tnp.verify.specs import Array, Call
from np2tnp.verify.two_texts import Pair

pytestmark = pytest.mark.usefixtures("forked_children")

OLD = """
def rings(dx, dy):
    return np.floor(np.hypot(dx, dy))


def sides(areas):
    return np.sqrt(np.abs(areas)).astype(int)


def lengths(dx, dy):
    return np.floor(np.hypot(dx, dy))
"""
#: Below the exact result at one round point in five thousand.
WRONG = """
def below(r, is_met):
    return rt.tensor(np.where(is_met, np.nextafter(rt.host(r), 0), rt.host(r)))


@rt.migrated
def rings(dx, dy):
    key = np.abs(np.asarray(rt.host(dx), float)) * 31 + np.abs(np.asarray(rt.host(dy), float)) * 977
    return rt.floor(below(rt.hypot(dx, dy), key % 5000 == 3))


@rt.migrated
def sides(areas):
    r = rt.sqrt(rt.abs(areas))
    return rt.astype(below(r, rt.host(r) % 5000 == 4321), int)


@rt.migrated
def lengths(dx, dy):
    return rt.floor(rt.hypot(dx, dy))
"""


@pytest.fixture(scope="module")
def results() -> dict[str, FunctionResult]:
    pair = Pair("old.py", HEAD + OLD, NEW_HEAD + WRONG, "test")
    return {it.name: it for it in verify_pair(pair, ["rings", "sides", "lengths"], replace(LIMITS, shrink=90.0))}


@pytest.mark.parametrize("name", ["rings", "sides"])
def test_one_wrong_point_in_five_thousand_is_seen(name: str, results: dict[str, FunctionResult]) -> None:
    found = results[name]
    assert found.verdict is FunctionVerdict.DIFFERENT, found
    assert "too large to print" not in found.code
    assert "np.array([" in found.code


def test_what_is_right_is_equal(results: dict[str, FunctionResult]) -> None:
    assert results["lengths"].verdict is FunctionVerdict.EQUAL, results["lengths"]


@pytest.mark.parametrize(
    "body",
    [
        "return x.astype(int)",
        "return x // step",
        "return np.floor(x)",
        "return np.histogram(x, step)",
        "return x[x > step]",
        "return np.argsort(x)",
        "return [int(v) for v in x]",
        "return helper(x)",
    ],
)
def test_what_tells_neighbours_apart(body: str) -> None:
    tree = ast.parse(f"def f(x, step):\n    {body}\ndef helper(x):\n    return np.searchsorted(x, 2.0)\n")
    function, helper = tree.body
    assert isinstance(function, ast.FunctionDef)
    assert isinstance(helper, ast.FunctionDef)
    assert quantises(function, {"helper": helper})


@pytest.mark.parametrize(
    "body",
    ["return np.exp(-x)", "if step > 3:\n        return x\n    return 2 * x", "return x if step is None else -x"],
)
def test_what_does_not(body: str) -> None:
    (function,) = ast.parse(f"def f(x, step):\n    {body}\n").body
    assert isinstance(function, ast.FunctionDef)
    assert not quantises(function, {})


@pytest.mark.parametrize(("kind", "count"), [("vector", 50_000), ("matrix", 21_000)])
def test_two_arrays_hold_the_legs_of_triangles(kind: str, count: int) -> None:
    profile = tuple((Parameter(name, {}), kind) for name in ("dx", "dy"))
    call = Call((Array(np.ones(3)), Array(np.ones(3))))
    found = with_round_numbers(call, profile, sizes_for(profile, large=True), np.random.default_rng(0), 1.0)
    assert found is not None
    one, other = (item.values.ravel() for item in found.items())
    assert one.size == other.size == count
    lengths = np.hypot(one[: count // 2], other[: count // 2])
    assert np.array_equal(np.rint(lengths), lengths)
    assert {3.0, 20.0, 1000.0, 1024.0, 343.0} <= set(one) | set(other)
