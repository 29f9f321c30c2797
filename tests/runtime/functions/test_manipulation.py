"""Shapes and axes: values never change, so every dtype must come back bit by bit, without asking NumPy."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tensorflow as tf
from agreement import check, sample

from np2tnp import runtime as rt

DTYPES = "?bhilBHILefdFD"

CASES = [
    ("reshape", ((2, 6),), {}),
    ("reshape", (-1,), {}),
    ("reshape", ((3, -1),), {"order": "F"}),
    ("reshape", ([4, 3],), {"order": "F"}),
    ("reshape", ((5, 5),), {}),
    ("reshape", ((-1, -1),), {}),
    ("reshape", ((-1, 0),), {}),
    ("ravel", (), {}),
    ("ravel", ("F",), {}),
    ("transpose", (), {}),
    ("transpose", ((2, 0, 1),), {}),
    ("transpose", ((-1, 0, 1),), {}),
    ("transpose", ((0, 1),), {}),
    ("transpose", ((0, 0, 1),), {}),
    ("permute_dims", ((1, 0, 2),), {}),
    ("matrix_transpose", (), {}),
    ("swapaxes", (0, -1), {}),
    ("swapaxes", (0, 5), {}),
    ("moveaxis", (0, -1), {}),
    ("moveaxis", ([0, 1], [-1, 0]), {}),
    ("moveaxis", ([0, 0], [1, 2]), {}),
    ("rollaxis", (2,), {}),
    ("rollaxis", (0, 3), {}),
    ("rollaxis", (-1, -2), {}),
    ("squeeze", (), {}),
    ("squeeze", (), {"axis": 1}),
    ("squeeze", (), {"axis": 0}),
    ("expand_dims", (0,), {}),
    ("expand_dims", (-1,), {}),
    ("expand_dims", ((0, -1),), {}),
    ("expand_dims", ((1, 1),), {}),
    ("expand_dims", (7,), {}),
    ("flip", (), {}),
    ("flip", (1,), {}),
    ("flip", ((0, -1),), {}),
    ("flip", (3,), {}),
    ("fliplr", (), {}),
    ("flipud", (), {}),
    ("rot90", (), {}),
    ("rot90", (2,), {}),
    ("rot90", (-1, (0, 2)), {}),
    ("rot90", (1, (0, 0)), {}),
    ("roll", (1,), {}),
    ("roll", (-30,), {}),
    ("roll", (2, 0), {}),
    ("roll", ((1, -2), (0, 2)), {}),
    ("roll", (1, (0, 2)), {}),
    ("roll", ((1, 2), 0), {}),
    ("roll", (1, 3), {}),
    ("atleast_1d", (), {}),
    ("atleast_2d", (), {}),
    ("atleast_3d", (), {}),
    ("resize", ((5, 7),), {}),
    ("resize", (3,), {}),
    ("resize", ((0, 2),), {}),
    ("broadcast_to", ((2, 3, 4, 2),), {}),
    ("broadcast_to", ((3, 1, 4),), {}),
    ("broadcast_to", ((3, 2),), {}),
]


def claims(name: str, array: np.ndarray, args: tuple, kwargs: dict) -> bool:
    try:
        getattr(np, name)(array, *args, **kwargs)
    except Exception:
        return False
    return True


@pytest.mark.parametrize(("name", "args", "kwargs"), CASES)
@pytest.mark.parametrize("shape", [(3, 1, 4), (3, 4), (12,), (), (0, 3), (1, 1, 1)])
def test_shape_functions(name: str, args: tuple, kwargs: dict, shape: tuple) -> None:
    for char in "dl" if shape != (3, 1, 4) else DTYPES:
        array = sample(shape, char)
        check(name, array, *args, claimed=True, **kwargs)


def test_lists_and_scalars() -> None:
    for value in ([1, 2, 3], [[1.0, 2.0]], 5, 2.5, True, np.float32(3), (1, 2)):
        for name in ("atleast_1d", "atleast_2d", "atleast_3d", "ravel", "transpose", "squeeze", "flip"):
            if not (isinstance(value, np.generic) and name in ("transpose", "squeeze")):
                check(name, value)
    check("atleast_2d", np.arange(3), 4.0, [1, 2])
    check("broadcast_arrays", np.arange(3), np.ones((2, 1), np.float32), 4)
    check("broadcast_arrays", np.arange(3), np.ones(4))
    assert rt.broadcast_shapes((3, 1), (4,), 1) == (3, 4)


def test_numpy_scalars_stay_scalars() -> None:
    number = np.float32(3)  # of Python's number NumPy makes a 0-d array: as a tensor the two could not be told apart
    assert rt.transpose(number) is rt.squeeze(number) is rt.squeeze(number, axis=0) is number
    assert rt.host(rt.zero_d_array(rt.squeeze(3.0))).shape == ()
    with pytest.raises(np.exceptions.AxisError):
        rt.squeeze(number, axis=1)


def test_flatten_is_a_method() -> None:
    array = sample((3, 4))
    check("flatten", array, "F", reference=lambda a, order: a.flatten(order))
    check("flatten", array, reference=lambda a: a.flatten())


def test_memory_order_is_refused_not_guessed() -> None:
    array = rt.tensor(sample((3, 4)))
    for order in "AK":
        with pytest.raises(rt.UnverifiedError):
            rt.ravel(array, order)
    with pytest.raises(rt.UnverifiedError):
        rt.reshape(array, (4, 3), "A")
    fortran = np.asfortranarray(sample((3, 4)))
    check("ravel", np.arange(5), "K")
    np.testing.assert_array_equal(rt.ravel(fortran, "K").numpy(), fortran.ravel("K"))
    np.testing.assert_array_equal(rt.ravel(fortran).numpy(), fortran.ravel())


def test_inside_a_traced_function() -> None:
    import tensorflow as tf

    array = sample((3, 1, 4))
    for name, args, kwargs in CASES:
        if claims(name, array, args, kwargs):
            traced = tf.function(functools.partial(getattr(rt, name), **kwargs))
            np.testing.assert_array_equal(
                traced(rt.tensor(array), *args).numpy(), getattr(np, name)(array, *args, **kwargs)
            )


@pytest.mark.parametrize("xla", [False, True])
@pytest.mark.parametrize("dtype", ["f8", "i4", "u2", "?", "c16"])
def test_rolling_by_what_only_the_graph_knows(dtype: str, xla: bool) -> None:
    def all_forms(x, shift):
        return rt.roll(x, shift), rt.roll(x, shift, 0), rt.roll(x, shift, axis=-1)

    x = (np.arange(12).reshape(3, 4) % 5).astype(dtype)
    compiled = tf.function(all_forms, jit_compile=xla)
    for shift in (0, 1, -1, 7, -30, 2**40, -(2**63)):
        got = compiled(tf.constant(x), tf.constant(shift, tf.int64))
        for one, expected in zip(got, all_forms_of_numpy(x, shift), strict=True):
            np.testing.assert_array_equal(one.numpy(), expected)
            assert one.dtype.as_numpy_dtype == x.dtype
    empty = compiled(tf.zeros((0, 2), tf.float32), tf.constant(3, tf.int32))
    assert [part.shape for part in empty] == [(0, 2)] * 3


def all_forms_of_numpy(x: np.ndarray, shift: int) -> list[np.ndarray]:
    return [np.roll(x, shift), np.roll(x, shift, 0), np.roll(x, shift, -1)]
