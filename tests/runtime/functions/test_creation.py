"""Making arrays, against NumPy: bit for bit, small (made by NumPy) and large (made on the device) alike."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from agreement import check, same

from np2tnp import runtime as rt
from np2tnp.runtime import tnp as rt_tnp
from np2tnp.runtime.functions.arrays import creation

DTYPES = [None, float, int, bool, complex, "f4", np.float32, np.dtype("u1"), "i2", "e", "F"]


V, M = np.arange(3, dtype="f4"), np.arange(6, dtype="f4").reshape(2, 3)


@pytest.fixture(params=[1 << 16, 0], ids=["small", "large"])
def _size(request, monkeypatch):
    monkeypatch.setattr(creation, "SMALL", request.param)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_constants(dtype):
    for shape in (3, (2, 3), (), (0, 2), [2, 2], np.int64(3)):
        check("zeros", shape, dtype)
        check("ones", shape, dtype=dtype)
        check("full", shape, 7, dtype)
        check("full", shape, 2.5, dtype)
    for x in (np.array([1.7, -2.2, 3]), np.array([[1, 2], [3, 4]], "i4"), np.array(5.0, "f4"), np.zeros((2, 0))):
        for name in ("zeros_like", "ones_like", "array", "asarray", "ascontiguousarray"):
            if not (name == "asarray" and x.ndim == 0):  # which is given back, where its dtype fits
                check(name, x, dtype=dtype)
        check("full_like", x, 3, dtype=dtype)
        check("zeros_like", x, dtype, shape=(2, 2))
        check("array", x, dtype, ndmin=3)


@pytest.mark.usefixtures("_size")
@pytest.mark.parametrize("dtype", [None, float, int, "f4"], ids=str)
def test_ranges(dtype):
    for bounds in [(5,), (1, 10, 3), (0, 1, 0.1), (10, 0, -2), (5.0,), (0, 0), (0.1, 1.1, 0.1), (0, 5, 0.5), (2.5, 7)]:
        check("arange", *bounds, dtype=dtype)
    for bounds in [(0, 1), (0, 1, 5), (2, -3, 7), (1, 1, 4), (0.1, 10, 100), (0, 7, 1), (0, 7, 0)]:
        check("linspace", *bounds, dtype=dtype, claimed=False)
        check("linspace", *bounds, endpoint=False, dtype=dtype, claimed=False)
        check("linspace", *bounds, retstep=True, dtype=dtype, claimed=False)
    check("logspace", 0, 3, 5, dtype=dtype)
    check("geomspace", 1, 1000, 4, dtype=dtype)


def test_long_float_ranges_are_exact():
    rng = np.random.default_rng(1)
    for start, step in rng.uniform(-3, 3, (20, 2)):
        check("arange", start, start + step * 70_000.5, step)
        check("linspace", start, step, 70_001)


def test_ranges_of_tensors_and_numpy_numbers():
    check("arange", np.int32(5))
    check("arange", np.float32(5))
    same(rt.arange(tf.constant(4)), np.arange(4))
    check("linspace", np.arange(3.0), np.arange(3.0) + 5, 4)
    check("linspace", np.arange(3, dtype="f4"), 5, 4)
    check("arange", 0, 10, 0)


@pytest.mark.usefixtures("_size")
def test_diagonals_and_triangles():
    check("eye", 3, 4, 1)
    check("eye", 3, 5, -1, int)
    check("identity", 3, "f4")
    check("tri", 3, 5, -1)
    for x in (np.arange(5), np.arange(12.0).reshape(3, 4), np.arange(24).reshape(2, 3, 4), np.eye(3, dtype=bool)):
        for k in (0, 1, -1, 3, -5):
            for name in ("tril", "triu"):
                check(name, x, k)
            check("diag", x, k, claimed=x.ndim < 3)
            check("diagflat", x, k)
    for x in (np.arange(5), np.arange(4.0)):
        for arguments in ((), (3,), (3, True), (1,)):
            check("vander", x, *arguments, factor=4)


@pytest.mark.parametrize(
    "items",
    [[1, 2, 3], [1.0, 2], [[1, 2], [3, 4]], [], 3, 2.5, True, [np.float32(1), 2.0], (1, 2), [1 + 2j, 1], [300]],
    ids=str,
)
def test_lists_have_numpys_dtypes(items):
    for dtype in (None, "f4", float, "u1"):
        check("array", items, dtype, claimed=False)
        check("asarray", items, dtype, claimed=False)


def test_ragged_lists_and_negative_sizes_raise():
    check("array", [[1, 2], [3]])
    check("zeros", -1)
    check("full", 3, 300, "u1")


def test_objects_and_strings_stay_numpys():
    for array in (rt.array(["x"], object), rt.array(["abc"]), rt.zeros(2, [("a", "i4")])):
        assert type(array) is np.ndarray


def test_lists_of_tensors():
    x = tf.constant([1.0, 2.0], tf.float32)
    same(rt.array([x, [3.0, 4.0]]), np.array([np.float32([1, 2]), [3.0, 4.0]]))


@pytest.mark.parametrize("target", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"])
def test_negative_numbers_wrap_alike_compiled(target):
    x = np.array([-1.9, -0.5, 0.0, 3.7, -100.0] * 12)
    compiled = tf.function(lambda t: rt.astype(t, np.dtype(target)), jit_compile=True, autograph=False)
    np.testing.assert_array_equal(compiled(tf.constant(x)).numpy(), x.astype(target))


@pytest.mark.parametrize("target", [float, int, bool, complex, str, "f4", "u1", "d", np.float16], ids=str)
def test_astype(target):
    for x in (np.array([1.7, -2.9, 0.0, 300.0]), np.arange(-2, 3), np.array([True, False]), np.array([0.0, 2.5], "f4")):
        if np.dtype(target) == np.uint8 and x.min() < 0:
            x = np.abs(x)
        expected = x.astype(target)
        result = rt.astype(tf.constant(x), target)
        if target is str:
            np.testing.assert_array_equal(result, expected)
        else:
            same(result, expected)


def test_copies_are_other_tensors():
    x = tf.constant([1.0, 2.0], tf.float64)
    for copied in (rt.copy(x), rt.array(x), rt.astype(x, float), rt.asarray(x, copy=True)):
        assert copied is not x
    assert rt.asarray(x) is x
    zero_d = np.array(5.0)
    assert rt.asarray(zero_d) is zero_d
    assert rt.astype(x, float, copy=False) is x


@pytest.mark.parametrize("dtype", [np.dtype("f8"), np.float64, "f8", float, None, np.dtype("i8")])
def test_a_dtype_that_numpy_takes_for_none_is_one(dtype):
    whole = np.array(3)
    assert rt.dtype(rt.asarray(whole, dtype=dtype)) == np.asarray(whole, dtype=dtype).dtype
    assert rt.asarray(whole, dtype=dtype) == 3
    row = np.array([1, 2])
    viewed, expected = rt.view(rt.tensor(row), dtype), row.view(dtype)
    assert rt.dtype(viewed) == expected.dtype
    np.testing.assert_array_equal(rt.host(viewed).view(np.int64), row)


def test_grids():
    a, b = np.arange(3), np.arange(4.0)
    for keywords in ({}, {"indexing": "ij"}, {"sparse": True}):
        check("meshgrid", a, b, **keywords)
        check("meshgrid", a, **keywords)
    check("indices", (2, 3))
    same(rt.mgrid[0:3, 1:4], np.mgrid[0:3, 1:4])
    same(rt.ogrid[0:1:5j], np.ogrid[0:1:5j])
    t = tf.constant(b)
    same(rt.r_[t, t], np.r_[b, b])
    same(rt.c_[t, t], np.c_[b, b])
    same(rt.r_[t, 1, 0:4], np.r_[b, 1, 0:4])


KEYS = {
    "a weak int": np.s_[0, V, -1],
    "a weak float": np.s_[V, 0.5],
    "slices": np.s_[V, 1:4, -1:1:3j],
    "several dtypes": np.s_[V, np.array([1, 2], "i8"), np.array([True])],
    "a list": np.s_[V, [1, 2.5]],
    "rows": np.s_[M, M[:1]],
    "a column beside a matrix": np.s_[np.ones(2, "f4"), M],
    "zero dimensions": np.s_[np.array(2.0, "f4"), 7],
    "too many dimensions": np.s_[V, M],
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("name", ["r_", "c_"])
def test_joined_by_an_index(name, key):
    joiner, tensors = getattr(rt, name), rt.tensor(key)
    try:
        expected = getattr(np, name)[key]
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:40]):
            joiner[tensors]
        return
    same(joiner[tensors], expected)
    for compiled in (False, True):
        same(tf.function(lambda: joiner[tensors], jit_compile=compiled)(), expected)


def test_what_joining_leaves_to_numpy():
    same(rt.r_["0,2", tf.constant(V), 1:4], np.r_["0,2", V, 1:4])
    same(rt.r_[tf.constant(V), 0 : tf.constant(3, tf.int64)], np.r_[V, 0:3])
    same(rt.mgrid[0 : tf.constant(3, tf.int64), 0:2], np.mgrid[0:3, 0:2])
    with pytest.raises(OverflowError, match="300"):
        rt.r_[tf.constant([1], tf.int8), 300]
    with pytest.raises(rt.UnverifiedError, match="matrix"):
        rt.r_["r", tf.constant(V)]
    with pytest.raises(rt.UnverifiedError, match="bounds"):
        tf.function(lambda n: rt.mgrid[0:n], autograph=False)(tf.constant(3))


@pytest.mark.parametrize("how", ["eager", "graph", "xla"])
def test_float64_is_rounded_once_to_float16(how):
    """TensorFlow rounds to float32 first: numbers just beside the middle of two halves then go the wrong way."""
    halves = np.arange(0x7BFF, dtype=np.uint16).view(np.float16)
    above = np.nextafter(halves, np.float16(np.inf)).astype(np.float64)
    middle = (halves.astype(np.float64) + above) / 2
    beside = [middle, middle * (1 + 1e-12), middle * (1 - 1e-12), np.nextafter(middle, 0)]
    special = [0.0, -0.0, np.inf, np.nan, 1e300, 1e-300, 65519.999999999, 65520.0, 2.0**-25, 5e-324]
    values = np.concatenate([*beside, special])
    values = np.concatenate([values, -values])
    cast = {"eager": rt.astype, "graph": tf.function(rt.astype), "xla": tf.function(rt.astype, jit_compile=True)}[how]
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16)
        wrong = tf.cast(values, tf.float16).numpy()
    found = cast(tf.constant(values), np.float16).numpy()
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    assert (wrong != expected).sum() > 30_000  # so this is needed


def test_the_cast_to_float16_has_a_gradient():
    x = tf.Variable(np.linspace(-1.0, 1.0, 5))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.cast(rt.astype(x, np.float16), tf.float64) * 3.0)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), np.full(5, 3.0))


@pytest.mark.parametrize("shape", [2**62, (2**62, 2), (2**32 + 1, 2**30)])
@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "full"])
def test_lengths_that_tensorflow_cuts_are_numpys(name, shape):
    """TensorFlow makes an array of length 2 of one of 2**32 + 2."""
    more = (1.5,) if name == "full" else ()
    with pytest.raises((ValueError, MemoryError)) as expected:
        getattr(np, name)(shape, *more)
    for make in (getattr(rt, name), getattr(rt if name == "full" else rt_tnp, name)):  # tnp.full is TensorFlow's own
        with pytest.raises(type(expected.value)):
            make(shape, *more)
