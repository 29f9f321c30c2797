"""Polynomial functions and windows against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import check, check_in_graph, in_graph, same, sample

from np2tnp import runtime as rt

K = 256.0


@pytest.mark.parametrize("coefficients", ["d", "f", "l", "i", "b", "F"])
@pytest.mark.parametrize("points", ["d", "f", "l", "i", "B", "D"])
def test_polyval(coefficients: str, points: str) -> None:
    p = sample(5, coefficients)
    for x in (sample((3, 4), points), sample((), points), sample(0, points)):
        check("polyval", p, x, factor=K)
    check("polyval", p, 2, factor=K)
    check("polyval", p, 2.5, factor=K)
    check("polyval", p[:0], sample(3, points))
    check("polyval", [1, 2, 3], sample(3, points), factor=K)


def test_polyval_of_special_values() -> None:
    check("polyval", [1.0, 2.0], np.array([np.nan, np.inf, -np.inf, 0.0]))
    check("polyval", np.poly1d([1, 2]), sample(3), claimed=False)
    check("polyval", 3.0, sample(3))


@pytest.mark.parametrize("char", "dflibBF")
def test_arithmetic(char: str) -> None:
    a, b = sample(4, char), sample(2, "d", 1)
    for one, two in ((a, b), (b, a), (a, a), (a, a[:1]), (2, a), ([0, 0, 1], a), (a, [0.0])):
        claimed = not (isinstance(two, list) and two == [0.0])
        check("polyadd", one, two)
        check("polysub", one, two)
        check("polymul", one, two, factor=K, claimed=claimed)
    check("polyadd", [], a)
    check("polymul", np.zeros(2), a, claimed=False)
    for m in (0, 1, 2, 5, -1):
        check("polyder", a, m, factor=K, claimed=m < 5)
        check("polyint", a, m, factor=K)
    check("polyint", a, 2, 3, factor=K)
    check("polyint", a, 2, [1, 2], factor=K)
    check("polyint", a, 3, [1, 2])
    check("polyint", a, 1, 2j, factor=K)


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_polyfit(degree: int) -> None:
    x = sample(30)
    for char in "dfl":
        for y in (sample(30, char, 1), sample((30, 2), char, 1)):
            check("polyfit", x, y, degree, factor=K)
            check("polyfit", x, y, degree, full=True, factor=K)
            check("polyfit", x, y, degree, w=np.abs(sample(30, seed=2)) + 1, factor=K, claimed=char == "d")
    check("polyfit", x, sample(30, seed=1), degree, cov=True, factor=16 * K)
    check("polyfit", x, sample(30, seed=1), degree, cov="unscaled", factor=16 * K)
    check("polyfit", x, sample((30, 2)), degree, cov=True, factor=16 * K, claimed=False)
    check("polyfit", np.arange(9), np.arange(9) ** 2, degree, factor=16 * K)
    check("polyfit", x.astype("f"), x.astype("f"), degree, factor=16 * K)
    check("polyfit", x, sample(29), degree)


def test_polyfit_of_lower_rank_is_numpys() -> None:
    check("polyfit", [1.0, 1.0, 1.0], [1.0, 2.0, 3.0], 2, claimed=False)
    check("polyfit", [1.0, 2.0], [1.0, 2.0], 3, claimed=False)
    check("polyfit", np.arange(50.0), np.arange(50.0), 12, claimed=False)
    check("polyfit", np.zeros(0), np.zeros(0), 1)
    check("polyfit", np.arange(5.0), np.arange(5.0), -1)


def test_roots_come_from_numpy() -> None:
    check("roots", [1.0, -3.0, 2.0], claimed=False)
    check("poly", [1.0, 2.0], claimed=False)
    check("polydiv", [1.0, 5.0, 2.0], [1.0, 2.0], claimed=False)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
def test_windows(name: str) -> None:
    extra = (8.6,) if name == "kaiser" else ()
    for length in (0, 1, 2, 51, 64, -3, 4.5):
        check(name, length, *extra)
    np.testing.assert_array_equal(
        getattr(rt, name)(rt.tensor(np.array(8)), *extra).numpy(), getattr(np, name)(8, *extra)
    )


POLYNOMIALS = [
    np.array([0, 0, 1.0, 2, 3]), np.array([1, 2, 3]), np.zeros(3, int), np.zeros(2), np.array([5]), sample(6),
    sample(4, "f"), sample(3, "D"), np.array([0, 1, 200], np.uint8), np.array([1.0, np.inf, 2]),
    np.array([0, np.nan, 1]), sample(20, "l"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["polymul", "polydiv"])
def test_products_and_quotients_in_a_graph(name: str) -> None:
    for one in POLYNOMIALS:
        for two in POLYNOMIALS:
            in_known_shapes(name, one, two, factor=16 * K)
    exact = np.convolve([1.0, 5, 2], [2.0, 1])
    in_known_shapes("polydiv", exact, np.array([2.0, 1]), factor=K)
    in_known_shapes("polymul", np.zeros(200), np.zeros(2), factor=K)


def in_known_shapes(name: str, *args: Any, factor: float) -> None:
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*args)
    same(in_graph(getattr(rt, name), args, {}, unknown=False), expected, factor)


def test_polynomials_of_roots_in_a_graph() -> None:
    for zeros in (sample(5), sample(5, "f"), sample(5, "l"), sample(4, "b"), np.array([1.0, np.inf])):
        in_known_shapes("poly", zeros, factor=16 * K)
    for refused in (sample(3, "D"), sample((3, 3)), np.zeros(0)):  # real, complex or a number by their values
        with pytest.raises(rt.UnverifiedError):
            in_graph(rt.poly, (refused,), {}, unknown=False)


def test_trimmed_in_a_graph() -> None:
    for filt in (*POLYNOMIALS, sample(9, "?"), np.zeros(0), np.array([0, 0, 3, 0])):
        for trim in ("fb", "f", "b", "FB"):
            check_in_graph("trim_zeros", filt, trim)
    check_in_graph("trim_zeros", POLYNOMIALS[0], compiled=True)


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_polyfit_in_a_graph(degree: int) -> None:
    x = sample(30)
    for char in "dfl":
        for y in (sample(30, char, 1), sample((30, 2), char, 1)):
            in_known_shapes("polyfit", x, y, degree, factor=K)
    for form in ({"full": True}, {"w": np.abs(sample(30, seed=2)) + 1}, {"cov": True}, {"cov": "unscaled"}):
        expected = np.polyfit(x, sample(30, seed=1), degree, **form)
        same(in_graph(rt.polyfit, (x, sample(30, seed=1), degree), form, unknown=False), expected, 16 * K)
    in_known_shapes("polyfit", np.arange(9), np.arange(9) ** 2, degree, factor=16 * K)
    in_known_shapes("polyfit", x.astype("f"), x.astype("f"), degree, factor=16 * K)


def test_what_no_graph_fits() -> None:
    line = np.arange(50.0)
    for args in ((np.ones(3), line[:3], 2), (line, line, 12), (line, np.where(line > 3, np.nan, line), 1)):
        with pytest.raises(Exception, match=r"ill-conditioned|finite"):
            in_graph(rt.polyfit, args, {}, unknown=False)
    with pytest.raises(rt.UnverifiedError):
        in_graph(rt.polyfit, (line[:2], line[:2], 3), {}, unknown=False)
    with pytest.raises(Exception, match="MatrixSolveLs"):  # its singular values would be wrong
        in_graph(rt.polyfit, (line, line, 1), {}, unknown=False, compiled=True)
