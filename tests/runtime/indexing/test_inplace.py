"""In-place operators, whole-array stores and mutating functions against NumPy's own."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from keys_strategy import DTYPES, arrays, keys, selected, values

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import FALLBACKS, is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf

CAMPAIGN = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
EXACT = ["iadd", "isub", "imul", "iand", "ior", "ixor", "ilshift", "irshift", "imod", "ifloordiv", "itruediv"]


def check(x: Any, numpy: Callable[[Any], Any], runtime: Callable[[Any], Any], tolerance: float = 0.0) -> None:
    """`numpy` changes its argument, `runtime` returns the changed tensor: the same array, or the same exception."""
    changed = x.copy()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            numpy(changed)
        except Exception as error:
            with pytest.raises(type(error)):
                runtime(tf.constant(x))
            return
        result = runtime(tf.constant(x))
    assert is_tensor(result)
    assert result.dtype.as_numpy_dtype == changed.dtype.type
    assert result.shape == changed.shape
    if tolerance:
        np.testing.assert_allclose(result.numpy(), changed, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(result.numpy(), changed)


@CAMPAIGN
@given(st.data())
def test_operators_keep_the_dtype_or_raise(data: st.DataObject) -> None:
    x = data.draw(arrays(dtypes="?bilBLfdD").filter(lambda a: a.ndim > 0))
    value = data.draw(values(x.shape, x.dtype.char).filter(lambda v: not isinstance(v, list)))
    name = data.draw(st.sampled_from(EXACT))
    if name in ("ilshift", "irshift") and not isinstance(value, (bool, complex)):
        value = np.clip(value, 0, 5) if np.asarray(value).dtype.kind in "iuf" else value
    operand = tf.constant(value) if isinstance(value, np.ndarray) and data.draw(st.booleans()) else value
    exact = name not in ("imod", "ifloordiv", "itruediv")
    python = getattr(operator, name)
    check(x, lambda y: python(y, value), lambda t: getattr(rt, name)(t, operand), 0.0 if exact else 1e-5)


def test_in_place_operators_follow_python_for_everything_else() -> None:
    x = np.arange(3.0)
    assert rt.iadd(x, tf.constant([1.0, 1.0, 1.0])) is x
    assert x.tolist() == [1, 2, 3]
    assert rt.iadd(1, 2) == 3
    assert rt.iadd("a", "b") == "ab"
    items = [1]
    assert rt.iadd(items, [2]) is items
    assert items == [1, 2]
    assert rt.iadd([1], tf.constant([2, 3])).tolist() == [3, 4]  # so does a list with an ndarray
    assert type(rt.imul(np.float32(2), np.float32(3))) is np.float32
    assert is_tensor(rt.iadd(1.0, tf.constant([1.0, 2.0])))
    scalar = rt.iadd(tf.constant(1, tf.int64), 0.5)
    assert (float(scalar), scalar.dtype) == (1.5, tf.float64)
    grown = rt.iadd(tf.constant(1.0), tf.constant([1.0, 2.0]))
    assert grown.numpy().tolist() == [2, 3]


def test_messages_are_numpys() -> None:
    x = rt.tensor(np.zeros(3, np.int64))
    with pytest.raises(
        TypeError, match="Cannot cast ufunc 'add' output from dtype\\('float64'\\) to dtype\\('int64'\\)"
    ):
        rt.iadd(x, 0.5)
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        rt.iadd(x, np.zeros((2, 3), np.int64))
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        rt.iadd(rt.tensor(np.zeros(3, np.uint8)), 300)
    with pytest.raises(TypeError, match="numpy boolean subtract"):
        rt.isub(rt.tensor(np.zeros(3, bool)), True)
    with pytest.raises(TypeError, match="Cannot cast ufunc"):
        tf.function(lambda x: rt.itruediv(x, 2), autograph=False)(x)


def test_a_result_that_does_not_go_into_out_raises_numpys_class() -> None:
    with pytest.raises(TypeError) as expected:
        np.sin(np.zeros(3), out=np.zeros(3, np.int64))
    for x in (np.zeros(3, np.int64), rt.tensor(np.zeros(3, np.int64))):
        with pytest.raises(TypeError, match="output from dtype\\('float64'\\) to dtype\\('int64'\\)") as found:
            rt.assign(x, rt.sin(np.zeros(3)), casting="same_kind")
        assert found.type.__name__ == expected.type.__name__ == "UFuncTypeError"
        assert found.type in expected.type.__mro__
        with pytest.raises(TypeError, match="Cannot cast array data"):
            rt.copyto(x, np.zeros(3))


def test_matmul_in_place() -> None:
    x, y = np.arange(4.0).reshape(2, 2), np.array([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(rt.imatmul(rt.tensor(x), rt.tensor(y)).numpy(), x @ y)


@pytest.mark.parametrize("casting", ["same_kind", "unsafe", "equal", "wrapping"])
def test_results_are_stored_into_arrays_only(casting: str) -> None:
    x = [1.0, 2.0]
    with pytest.raises(TypeError) as expected:
        np.sin(x, out=x)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=str(expected.value)):
        rt.assign(x, rt.sin(x), casting=casting)
    assert x == [1.0, 2.0]


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod"])
@pytest.mark.parametrize("kind", ["i", "u"])
def test_sums_wrap_to_the_range_of_their_output(name: str, kind: str) -> None:
    rng = np.random.default_rng(0)
    for size in "1248":
        x = rng.integers(0, 120, (5, 7)).astype(kind + size)
        result = getattr(rt, name)(rt.tensor(x), axis=0)
        for wanted in "1248":
            out = np.zeros(result.shape, kind + wanted)
            start = rt.tensor(out)
            getattr(np, name)(x, axis=0, out=out)
            np.testing.assert_array_equal(rt.assign(start, result, casting="wrapping"), out)
    with pytest.raises(rt.UnverifiedError, match="which NumPy calculates in float32"):
        rt.assign(rt.tensor(np.zeros(7, "f4")), rt.tensor(np.ones(7, "i4")), casting="wrapping")


@CAMPAIGN
@given(st.data())
def test_copyto_and_assign(data: st.DataObject) -> None:
    x = data.draw(arrays())
    value = data.draw(values(x.shape, x.dtype.char))
    casting = data.draw(st.sampled_from(["no", "equiv", "safe", "same_kind", "unsafe"]))
    where = data.draw(st.just(True) | arrays(x.shape, "?"))
    operand = tf.constant(value) if isinstance(value, np.ndarray) else value
    mask = where if where is True else tf.constant(where)
    check(
        x,
        lambda y: np.copyto(y, value, casting=casting, where=where),
        lambda t: rt.copyto(t, operand, casting=casting, where=mask),
    )
    check(x, lambda y: np.copyto(y, value, casting="unsafe"), lambda t: rt.assign(t, operand))


def test_assign_of_nothing_and_of_ndarrays() -> None:
    value = tf.constant([1.0])
    assert rt.assign(None, value) is value
    x = np.zeros(2)
    assert rt.assign(x, tf.constant([1.0, 2.0])) is x
    assert x.tolist() == [1, 2]


@CAMPAIGN
@given(st.data())
def test_put_place_and_putmask(data: st.DataObject) -> None:
    x = data.draw(arrays())
    value = data.draw(arrays(data.draw(st.sampled_from([(), (1,), (3,), (2, 2), (7,), (0,)]))))[()]
    operand = tf.constant(value)
    mode = data.draw(st.sampled_from(["raise", "wrap", "clip"]))
    low = -x.size - data.draw(st.sampled_from([0, 0, 1]))
    index = np.asarray(data.draw(st.lists(st.integers(low, max(x.size - 1, 0)), max_size=6)), np.int64)
    check(x, lambda y: np.put(y, index, value, mode=mode), lambda t: rt.put(t, index, operand, mode=mode))
    mask = data.draw(arrays(x.shape, "?"))
    check(x, lambda y: np.place(y, mask, value), lambda t: rt.place(t, tf.constant(mask), operand))
    check(x, lambda y: np.putmask(y, mask, value), lambda t: rt.putmask(t, mask, operand))


@CAMPAIGN
@given(st.data())
def test_fill_diagonal_and_put_along_axis(data: st.DataObject) -> None:
    n, m = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    shape = data.draw(st.sampled_from([(n, n), (n, m), (m, m, m), (n,), (2, 3, 2)]))
    x = data.draw(arrays(shape))
    value = data.draw(arrays(data.draw(st.sampled_from([(), (1,), (3,), (9,)]))))
    wrap = data.draw(st.booleans())
    check(x, lambda y: np.fill_diagonal(y, value, wrap), lambda t: rt.fill_diagonal(t, tf.constant(value), wrap))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    wanted = list(shape)
    wanted[axis] = data.draw(st.integers(0, 3))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    index = rng.integers(-shape[axis], shape[axis], wanted)
    new = data.draw(arrays(tuple(wanted)))
    check(
        x,
        lambda y: np.put_along_axis(y, index, new, axis),
        lambda t: rt.put_along_axis(t, tf.constant(index), tf.constant(new), axis),
    )


AT = ["add", "subtract", "multiply", "maximum", "minimum", "bitwise_or", "logical_and", "negative", "square"]


@CAMPAIGN
@given(st.data())
def test_ufunc_at_counts_every_repetition(data: st.DataObject) -> None:
    x = data.draw(arrays(dtypes="?bilBLfd"))
    key = data.draw(keys(x.shape))
    name = data.draw(st.sampled_from(AT))
    ufunc = getattr(np, name)
    operands = () if ufunc.nin == 1 else (data.draw(values(selected(x.shape, key), x.dtype.char)),)
    tensors = tuple(tf.constant(v) if isinstance(v, np.ndarray) else v for v in operands)
    check(
        x,
        lambda y: ufunc.at(y, key, *operands),
        lambda t: getattr(rt, f"{name}_at")(t, key, *tensors),
        1e-5 if x.dtype.kind in "fc" else 0.0,
    )


def test_ufunc_at_is_one_scatter() -> None:
    rng = np.random.default_rng(0)
    index = rng.integers(0, 10, 1000)
    before = FALLBACKS.total()
    for name in ("add", "subtract", "maximum", "minimum"):
        for dtype in "il" if name in ("maximum", "minimum") else "ilfd":
            x, value = np.zeros(10, dtype), rng.integers(-9, 9, 1000).astype(dtype)
            with rt.count_ops() as count:
                result = getattr(rt, f"{name}_at")(rt.tensor(x), rt.tensor(index), rt.tensor(value))
            getattr(np, name).at(x, index, value)
            np.testing.assert_array_equal(result.numpy(), x)
            assert any("Scatter" in op for op in count.ops)
    histogram = tf.function(lambda x, i: rt.add_at(x, i, 1), autograph=False)
    expected = np.bincount(index, minlength=10)
    np.testing.assert_array_equal(histogram(rt.tensor(np.zeros(10, int)), rt.tensor(index)).numpy(), expected)
    assert FALLBACKS.total() == before


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "multiply"])
def test_a_mask_that_only_a_graph_knows_is_no_index(name: str) -> None:
    update = tf.function(lambda x, mask: getattr(rt, f"{name}_at")(x, mask, 2), autograph=False)
    with pytest.raises(rt.UnverifiedError, match="mask"):
        update(tf.constant([0, 1, 2]), tf.constant([True, False, True]))


def test_mutating_functions_change_ndarrays_in_place() -> None:
    x = np.zeros((3, 3))
    assert rt.fill_diagonal(x, tf.constant(1.0)) is x
    assert rt.put(x, tf.constant([1]), 5) is x
    assert rt.add_at(x, (tf.constant([2, 2]), 0), 1) is x
    np.testing.assert_array_equal(x, [[1, 5, 0], [0, 1, 0], [2, 0, 1]])


@pytest.mark.parametrize("dtype", list(DTYPES))
def test_attributes(dtype: str) -> None:
    x = np.arange(6).reshape(2, 3).astype(dtype)
    t = rt.tensor(x)
    for name in ("shape", "size", "ndim", "dtype", "itemsize", "nbytes"):
        assert getattr(rt, name)(t) == getattr(rt, name)(x) == getattr(x, name)
        assert type(getattr(rt, name)(t)) is type(getattr(x, name))
    assert rt.tolist(t) == x.tolist()
    assert rt.tobytes(t) == x.tobytes()
    assert rt.item(t, 1, 2) == x.item(1, 2)
    assert list(rt.flat(t)) == list(x.flat)
    assert (rt.size(t, 0), rt.size([[1, 2]]), rt.ndim(3), rt.shape([1])) == (2, 2, 0, (1,))
    with pytest.raises(ValueError, match="can only convert an array of size 1"):
        rt.item(t)
    with pytest.raises(rt.UnverifiedError):
        tf.function(lambda t: rt.tolist(t), autograph=False)(t)


@pytest.mark.parametrize("value", [np.int64(300), np.int64(-1), np.float64(np.nan), np.float64(1e20), np.float32(7.5)])
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "bool"])
def test_one_number_is_cast_as_fill_does(value: Any, dtype: str) -> None:
    expected = np.zeros(3, dtype)
    try:
        with np.errstate(all="ignore"):
            expected.fill(value)
    except (OverflowError, ValueError) as error:
        with pytest.raises(type(error)):
            rt.assign(rt.tensor(np.zeros(3, dtype)), tf.constant(value))
    else:
        found = rt.assign(rt.tensor(np.zeros(3, dtype)), tf.constant(value)).numpy()
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
@pytest.mark.parametrize("exponent", [0, 1, 2, 0.5, -1])
def test_powers_have_the_last_digit_of_numpys(dtype: str, exponent: float) -> None:
    x = (np.arange(1, 200) * 0.37).astype(dtype)
    check(x, lambda y: operator.ipow(y, exponent), lambda t: rt.ipow(t, exponent))
    check(x, lambda y: operator.ipow(y[1:9], exponent), lambda t: rt.at(t)[1:9].power(exponent))
