"""dot, outer, tensordot, einsum, kron, trace and others against NumPy: integers exact, sums within rounding."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check, sample

DTYPES = "?bhilBHILefdFD"
K = 16.0


@pytest.mark.parametrize("char", DTYPES)
def test_every_dtype(char: str) -> None:
    a, b, v = sample((3, 4), char), sample((4, 2), char, 1), sample(4, char, 2)
    factor = 64.0 if char in "efdFD" else 0
    check("dot", a, b, factor=factor)
    check("dot", a, v, factor=factor)
    check("dot", v, v, factor=factor)
    check("inner", a, v, factor=factor)
    check("outer", v, v, factor=factor)
    check("vdot", v, v, factor=factor)
    check("tensordot", a, b, 1, factor=factor)
    check("kron", a, b, factor=factor)
    check("trace", a, factor=factor)
    check("diagonal", a)
    check("einsum", "ij,jk->ik", a, b, factor=factor, claimed=char != "?")


def test_integers_wrap() -> None:
    for char in "bhilBHIL":
        high = np.full((3, 3), np.iinfo(char).max, char)
        check("dot", high, high)
        check("outer", high, high)
        check("kron", high, high)
        check("einsum", "ij,jk", high, high)
        check("trace", high)


def test_mixed_dtypes_are_not_weak() -> None:
    check("dot", sample(3, "f"), 2.0)
    check("dot", sample(3, "f"), sample(3, "l"), factor=K)
    check("outer", sample(3, "f"), [1.0, 2.0], factor=K)
    check("inner", sample(3, "i"), sample(3, "f"), factor=K)
    check("kron", sample(3, "f"), 2.0)
    check("vdot", sample((2, 2), "F"), sample(4, "d"), factor=K)


@pytest.mark.parametrize("name", ["dot", "inner"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((), ()),
        ((), (3,)),
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2, 3), (3, 4)),
        ((2, 3), (4, 3)),
        ((3,), (3, 2)),
        ((2, 3), (5, 3, 4)),
        ((2, 2, 3), (3, 2)),
        ((0, 3), (3, 0)),
        ((2, 0), (0, 2)),
        ((3,), (4,)),
    ],
)
def test_shapes(name: str, shapes: tuple) -> None:
    check(name, sample(shapes[0]), sample(shapes[1]), factor=K)


@pytest.mark.parametrize(
    "axes", [0, 1, 2, 3, -1, ([0], [1]), (0, 1), ([1, 0], [0, 1]), ((-1,), (0,)), ([0, 0], [1, 1]), ([5], [0])]
)
def test_tensordot(axes: object) -> None:
    check("tensordot", sample((3, 3)), sample((3, 3)), axes, factor=K, claimed=axes != -1)
    check("tensordot", sample((2, 3, 4)), sample((4, 3, 2)), axes, factor=K, claimed=axes != -1)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ij, jk -> ki", [(2, 3), (3, 4)]),
        ("ii", [(3, 3)]),
        ("ii->i", [(3, 3)]),
        ("ij->", [(2, 3)]),
        ("ij->ji", [(2, 3)]),
        ("ji", [(2, 3)]),
        ("i,i", [(3,), (3,)]),
        ("i,j", [(3,), (4,)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (3, 4)]),
        ("...i->...", [(2, 3)]),
        ("i...,i...", [(2, 3), (2, 3)]),
        ("i...->i", [(2, 3)]),
        ("bij,bjk,bk->bi", [(2, 3, 4), (2, 4, 5), (2, 5)]),
        ("ij,ij->ij", [(2, 3), (2, 3)]),
        ("Ab,bC", [(2, 3), (3, 2)]),
        ("i,i", [(1,), (3,)]),
        ("ij,jk", [(2, 3), (4, 2)]),
        ("ij->ijj", [(2, 3)]),
        ("ij->k", [(2, 3)]),
        ("ijk", [(2, 3)]),
        ("i,j,k->kji", [(2,), (3,), (4,)]),
        ("", [()]),
    ],
)
def test_einsum(equation: str, shapes: list) -> None:
    arrays = [sample(shape, seed=i) for i, shape in enumerate(shapes)]
    claimed = equation not in ("i...->i", "") and shapes != [(1,), (3,)]
    check("einsum", equation, *arrays, factor=K, claimed=claimed)
    check("einsum", equation, *arrays, factor=K, claimed=claimed, optimize=True)


def test_einsum_other_forms() -> None:
    a, b = sample((2, 3)), sample((3, 4))
    check("einsum", a, [0, 1], b, [1, 2], factor=K)
    check("einsum", a, [0, 1], b, [1, 2], [2, 0], factor=K)
    check("einsum", a, [Ellipsis, 1], b, [1, 2], [Ellipsis, 2], factor=K)
    check("einsum", a, [27, 1], b, [1, 2], factor=K, claimed=False)
    check("einsum", "ij,jk", a.astype("f"), b, factor=K)
    check("einsum", "ij,jk", a, b, dtype=complex, factor=K)
    check("einsum", "ij,jk", sample((2, 3), "?"), sample((3, 2), "?"), claimed=False)
    check("einsum", "ij->j", np.array([[np.nan, 1], [np.inf, 2]]))
    check("einsum_path", "ij,jk->ik", a, b, claimed=False)


@pytest.mark.parametrize(
    ("equation", "arrays"),
    [
        ("bi,oij,bj->bo", ([[1.0, 1.0]], [[[np.inf, 0.0], [0.0, -1e308]]], [[1.0, 1e308]])),
        ("ij,jk,k->i", ([[1.0, 0.0]], [[1.0, 2.0], [np.inf, 3.0]], [1.0, 1.0])),
        ("i,j->i", ([np.inf, 1.0], [0.0, 1.0])),
    ],
)
def test_einsum_of_infinities_multiplies_before_it_sums(equation: str, arrays: tuple) -> None:
    check("einsum", equation, *map(np.array, arrays), claimed=False)


def test_diagonals() -> None:
    for shape in ((3, 4), (4, 3), (2, 3, 4), (0, 3), (3,)):
        for offset in (0, 1, -1, 5, -5):
            check("diagonal", sample(shape), offset)
            check("trace", sample(shape), offset, factor=K)
    cube = sample((2, 3, 4), "l")
    check("diagonal", cube, 1, 2, 0)
    check("diagonal", cube, 0, -1, 1)
    check("diagonal", cube, 0, 1, 1)
    check("trace", cube, 0, 1, 2)
    check("trace", sample((3, 3), "i"), dtype=float)
    check("trace", sample((3, 3), "f"), dtype=np.float64)
    check("trace", sample((3, 3), "?"))
    check("trace", sample((3, 3), "d"), dtype=int, claimed=False)


def test_special_values_spread_as_in_numpy() -> None:
    a = np.array([[np.nan, 1.0], [np.inf, 0.0]])
    for name in ("dot", "inner", "outer", "kron", "tensordot"):
        check(name, a, np.array([[1.0, 0.0], [2.0, -np.inf]]))


def test_gradients_flow() -> None:
    import tensorflow as tf

    from np2tnp import runtime as rt

    a, b = tf.constant(sample((2, 3))), tf.constant(sample((3, 2)))
    with tf.GradientTape() as tape:
        tape.watch(a)
        value = tf.reduce_sum(rt.dot(a, b)) + rt.trace(rt.einsum("ij,jk->ik", a, b))
    np.testing.assert_allclose(tape.gradient(value, a), np.tile(b.numpy().sum(1), (2, 1)) + b.numpy().T, rtol=1e-12)
