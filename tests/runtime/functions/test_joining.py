"""Joining, splitting, padding and picking: no value changes, dtypes follow NumPy, and TensorFlow does the work."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check, same, sample

from np2tnp import runtime as rt

A, B, C = sample((3, 4)), sample((2, 4), "f"), sample((3, 4), "l")
V, W = sample(5), sample(5, "i", seed=1)
DTYPES = "?bhilBHILefdFD"


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("concatenate", ([A, B],), {}),
        ("concatenate", ((A, C),), {"axis": -1}),
        ("concatenate", ([A, B, [1, 2]],), {"axis": None}),
        ("concatenate", ([A, C],), {"axis": 1, "dtype": "float32"}),
        ("concatenate", ([A, C],), {"dtype": np.int64}),
        ("concatenate", ([C, C],), {"dtype": float}),
        ("concatenate", (A,), {}),
        ("concatenate", (sample((2, 3, 4)),), {"axis": 1}),
        ("concatenate", (V,), {}),
        ("concatenate", ([V, [1.0]],), {}),
        ("concatenate", ([sample(3, "f"), [1.0]],), {}),
        ("concatenate", ([V, A],), {}),
        ("concatenate", ([A, C],), {"axis": 2}),
        ("concatenate", ([V, 1.0],), {}),
        ("concatenate", ([],), {}),
        ("concatenate", ([np.zeros(0), V],), {}),
        ("concatenate", ([np.zeros((0, 4)), A],), {}),
        ("concatenate", ([np.zeros(0), A],), {}),
        ("concat", ([A, A],), {}),
        ("stack", ([V, W],), {}),
        ("stack", ([V, W],), {"axis": -1}),
        ("stack", (A,), {"axis": 1}),
        ("stack", ([V, V[:2]],), {}),
        ("stack", ([1.0, 2],), {}),
        ("stack", ([V, W],), {"axis": 3}),
        ("vstack", ([V, A[:1, :1].repeat(5, 1)],), {}),
        ("vstack", ([1, 2.5],), {}),
        ("hstack", ([V, W],), {}),
        ("hstack", ([A, C],), {}),
        ("hstack", ([1, V],), {}),
        ("hstack", ([V, W],), {"dtype": np.float32}),
        ("dstack", ([V, W],), {}),
        ("dstack", ([A, C],), {}),
        ("column_stack", ([V, W],), {}),
        ("column_stack", ([V, sample((5, 2))],), {}),
        ("column_stack", ([A, B],), {}),
        ("block", ([[A, C], [C, A]],), {}),
        ("block", ([V, 1.0, W],), {}),
        ("block", ([[V], [W]],), {}),
        ("block", ([[A, np.ones((3, 1))], [np.zeros((1, 5))]],), {}),
        ("block", ([[V, W], V],), {}),
        ("block", (A,), {}),
        ("unstack", (A,), {}),
        ("unstack", (A,), {"axis": -1}),
        ("unstack", (np.float64(1),), {}),
        ("append", (A, C), {}),
        ("append", (A, [[1, 2, 3, 4]]), {"axis": 0}),
        ("append", (V, 3), {}),
        ("append", (sample(3, "f"), 3.0), {}),
        ("append", (A, V), {"axis": 0}),
    ],
)
def test_join(name: str, args: tuple, kwargs: dict) -> None:
    check(name, *args, **kwargs)


def test_generators_are_left_to_numpy_unread() -> None:
    with pytest.raises(TypeError):
        rt.concatenate(a for a in (V, V))


@pytest.mark.parametrize("char", DTYPES)
def test_dtypes(char: str) -> None:
    array = sample((3, 4), char)
    check("concatenate", [array, array])
    check("stack", [array, array])
    check("tile", array, (2, 1, 2))
    check("repeat", array, 2, 0)
    check("repeat", array, [0, 2, 1], 0)
    check("pad", array, 2)
    check("pad", array, 1, "reflect")
    check("take", array, [0, -1, 2], 1)
    check("delete", array, 1, 0)
    check("insert", array, 1, array[0], 0)
    check("take_along_axis", array, np.array([[0, 1], [1, -1], [3, 3]]), 1)


@pytest.mark.parametrize("name", ["split", "array_split"])
@pytest.mark.parametrize("sections", [1, 2, 3, 5, 0, [1, 3], [0, 2, 9], (4, 2), [-2], [], np.array([1])])
@pytest.mark.parametrize("axis", [0, 1, -1, 2])
def test_split(name: str, sections: object, axis: int) -> None:
    check(name, sample((6, 4)), sections, axis)


@pytest.mark.parametrize("name", ["hsplit", "vsplit", "dsplit"])
def test_named_splits(name: str) -> None:
    for array in (sample(4), sample((4, 4)), sample((2, 2, 4)), sample(())):
        check(name, array, 2)
        check(name, array, [1, 2])
        check(name, array, 3)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_tile_and_repeat(shape: tuple) -> None:
    array = sample(shape)
    for reps in (0, 2, (2,), (2, 1), (1, 2, 3), (), -1, np.array([2, 2])):
        check("tile", array, reps)
    for repeats in (0, 3, [2], -1, 1.5, [1, 2]):
        for axis in (None, 0, -1, 3):
            check("repeat", array, repeats, axis, claimed=repeats not in (1.5, -1))
    check("repeat", [1, 2], [2, 3])
    check("repeat", 3.0, 4)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, 2])
def test_insert_and_delete(axis: int | None) -> None:
    for index in (
        0,
        -1,
        2,
        3,
        99,
        [0, 2],
        [0, 0],
        [-1, 1],
        slice(1, None),
        slice(None, None, -1),
        [],
        np.array([1]),
        1.5,
    ):
        check("delete", A, index, axis)
        for values in (7, 1.5, [1, 2], [[1], [2]], [1, 2, 3], [1, 2, 3, 4]):
            check("insert", A, index, values, axis, claimed=type(index) is not float)
    check("delete", A, [True, False, True], 0)
    check("delete", V, [True, False, True, False, False])
    check("insert", sample((2, 3, 4)), 1, sample((3, 4)), 0)
    check("insert", sample((2, 3, 4)), 1, sample((2, 4)), 1)
    check("insert", sample((2, 3, 4)), [1], sample((2, 1, 4)), 1)
    check("insert", W, 1, 2.7, claimed=False)
    check("insert", W, [1, 2], np.array([2.7, 3]), claimed=False)


MODES = ["constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum"]


@pytest.mark.parametrize("mode", MODES)
def test_pad(mode: str) -> None:
    for array in (sample(4), sample((2, 3)), sample((1, 4), "f"), sample((3, 1, 2), "l"), np.array([1, np.nan, 3])):
        for width in (0, 2, (1, 2), ((3, 0),), 7):
            check("pad", array, width, mode)
    check("pad", sample((2, 3)), ((1, 2), (0, 4)), mode)
    check("pad", np.zeros(0), 2, mode)
    check("pad", sample(()), 2, mode, claimed=mode == "constant")
    check("pad", sample(3), -1, mode)
    check("pad", sample(3), 1.5, mode)


def test_pad_by_default_and_with_values() -> None:
    check("pad", V, 2)
    check("pad", V, 2, constant_values=3)
    check("pad", W, 2, constant_values=3)
    check("pad", W, (1, 2), constant_values=(3, -4))
    check("pad", A, 1, constant_values=((1, 2), (3, 4)))
    check("pad", W, 2, constant_values=3.7, claimed=False)
    check("pad", sample(3, "B"), 1, constant_values=300, claimed=False)
    check("pad", V, {0: 2}, claimed=False)
    for mode in ("mean", "median", "linear_ramp", "nonsense"):
        check("pad", A, 2, mode, claimed=False)
    check("pad", V, 3, "reflect", reflect_type="odd", claimed=False)
    check("pad", V, 3, "maximum", stat_length=2, claimed=False)


def test_trim_zeros() -> None:
    for values in ([0, 0, 1, 2, 0, 3, 0], [1.0, 0.0], [0.0, np.nan, 0.0], [1, 2]):
        for trim in ("fb", "f", "b", "FB"):
            check("trim_zeros", np.array(values), trim)
    check("trim_zeros", np.zeros(3), claimed=False)
    check("trim_zeros", np.zeros(0), claimed=False)
    check("trim_zeros", A, claimed=False)


def test_take() -> None:
    for indices in (0, -1, 3, [0, -1], [[0, 1], [2, 0]], [], [99], -5, 1.5, np.array([1], np.uint8), True):
        for axis in (None, 0, 1, -1, 2):
            for mode in ("raise", "wrap", "clip", "other"):
                check(
                    "take",
                    A,
                    indices,
                    axis,
                    mode=mode,
                    claimed=np.size(indices) > 0 and type(indices) not in (bool, float),
                )
    check("take", np.zeros((0, 3)), [0], 0)
    check("take", np.zeros((0, 3)), np.zeros(0, int), 0)


def test_take_along_axis() -> None:
    order = np.argsort(A, axis=1)
    check("take_along_axis", A, order, 1)
    check("take_along_axis", A, np.argmax(A, 0)[None], 0)
    check("take_along_axis", A, np.array([[0], [2]]), 0)
    check("take_along_axis", A, np.array([[5]]), 0)
    check("take_along_axis", A, np.array([1, 11, -1]), None)
    check("take_along_axis", A, np.array([1, 2]), 1)
    check("take_along_axis", A, order * 1.0, 1)
    check("take_along_axis", sample((2, 3, 4)), np.array([[[1]], [[0]]]), 1)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap", "empty", "maximum"])
def test_nothing_padded_and_one_choice_are_new_arrays(mode: str) -> None:
    tensor = rt.tensor(A)
    assert rt.pad(tensor, 0, mode) is not tensor
    assert rt.choose(0, [tensor]) is not tensor


def test_choose() -> None:
    for selector in ([0, 1, 2, 1, 0], [0, 3, -1, 1, 0], 1, [[0], [2]]):
        for mode in ("raise", "wrap", "clip"):
            check("choose", np.array(selector), [V, W, 7.5], mode=mode)
            check("choose", np.array(selector), A[:, :1], mode=mode)


def test_select() -> None:
    x = np.arange(6)
    check("select", [x < 3, x > 3], [x, x**2])
    check("select", [x < 3, x > 3], [x, x * 1.5], 42)
    check("select", [x < 3, x < 5], [1, 2.5], default=np.float32(3))
    check("select", [x < 3], [x.astype(np.int8)], 1000, claimed=False)
    check("select", [x < 3], [x.astype(np.int8)], 100)
    check("select", [x < 3], [x.astype(np.float32)], np.nan)
    check("select", [x < 3, np.True_], [x[:, None], 7])
    check("select", [x], [x])
    check("select", [], [])
    check("select", [x < 3], [x, x])


def test_piecewise() -> None:
    x = np.linspace(-2.5, 2.5, 6)
    check("piecewise", x, [x < 0, x >= 0], [-1, 1])
    check("piecewise", x, [x < 0, x >= 1], [lambda v: -v, lambda v: v * 2.0])
    check("piecewise", x, [x < 0], [lambda v, k: v * k, 9.0], 3.0)
    check("piecewise", x, x < 0, [1, 2])
    check("piecewise", x.astype(np.float32), [x < 0], [0.1, 2])
    check("piecewise", np.arange(4), [np.arange(4) > 1], [1.7, 0], claimed=False)
    check("piecewise", 0.5, [True, False], [lambda v: v, 0], claimed=False)


def test_host_only() -> None:
    check("apply_along_axis", np.sort, 1, A, claimed=False)
    check("apply_over_axes", np.sum, sample((2, 3, 4)), [0, 2], claimed=False)


def test_vectorize() -> None:
    def larger(a: float, b: float) -> object:
        return rt.tensor(np.asarray(a)) if a > b else b

    result = rt.vectorize(larger)(rt.tensor(V), 0.5)
    same(result, np.vectorize(lambda a, b: a if a > b else b)(V, 0.5))


def test_index_arithmetic() -> None:
    for name in ("tril_indices", "triu_indices"):
        check(name, 4)
        check(name, 4, -1, 3)
        check(name + "_from", A, 1)
    check("diag_indices", 3)
    check("diag_indices", 2, 3)
    check("diag_indices_from", sample((3, 3)))
    check("diag_indices_from", A)
    check("mask_indices", 3, np.triu, 1)
    check("ix_", np.array([0, 2]), np.array([True, False, True]), [])
    check("ix_", A)
    for order in "CF":
        check("unravel_index", np.array([[3, 7], [11, 0]], np.int32), (3, 4), order)
        check("unravel_index", 5, (2, 3), order)
        check("unravel_index", [12], (3, 4), order)
        check("unravel_index", [-1], (3, 4), order)
        check("unravel_index", [1.5], (3, 4), order)
        for mode in ("raise", "wrap", "clip", ("clip", "wrap")):
            check("ravel_multi_index", (np.array([0, 2]), np.array([3, 1])), (3, 4), mode, order)
            check("ravel_multi_index", (np.array([0, 5]), np.array([-1, 1])), (3, 4), mode, order)
    check("ravel_multi_index", np.array([[0, 2], [3, 1]]), (3, 4))
