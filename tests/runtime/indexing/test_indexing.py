"""``rt.at(x)[key]`` against NumPy's own item stores and reads, in eager mode."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from keys_strategy import arrays, as_tensors, keys, selected, values

from np2tnp import runtime as rt
from np2tnp.probe.cases.all_cases import Case, all_cases, compile_call, fresh_arguments
from np2tnp.runtime.base.dispatch import FALLBACKS, is_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf

CAMPAIGN = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def outcome(function: Callable[[], Any]) -> Any:
    """What a call gives: its array, or the exception's class."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(rt.host(function()))
        except Exception as error:
            return type(error)


def assert_same(actual: Any, expected: Any) -> None:
    if isinstance(expected, type) or isinstance(actual, type):
        assert actual is expected or (isinstance(actual, type) and issubclass(actual, expected)), (actual, expected)
        return
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    np.testing.assert_array_equal(actual, expected)


def stored(x: Any, key: Any, value: Any) -> Any:
    x = x.copy()
    x[key] = value
    return x


@pytest.mark.parametrize("case", [c for api in ("getitem", "setitem") for c in all_cases()[f"operator.{api}"]], ids=str)
def test_every_form_of_index(case: Case) -> None:
    for char in "?BldeF":
        collect = {**fresh_arguments(case.call, char), "f": lambda *arguments: arguments}
        index_as_numpy(*eval(compile_call(case.call), collect))


def index_as_numpy(x: Any, key: Any, *value: Any) -> None:
    x = np.asarray(x)
    if value:
        expected = outcome(lambda: stored(x, key, value[0]))
        assert_same(outcome(lambda: rt.at(tf.constant(x))[key].set(value[0])), expected)
    else:
        expected = outcome(lambda: x[key])
        assert_same(outcome(lambda: rt.at(tf.constant(x))[key].get()), expected)


@CAMPAIGN
@given(st.data())
def test_set_equals_an_item_store(data: st.DataObject) -> None:
    x = data.draw(arrays())
    key = data.draw(keys(x.shape))
    value = data.draw(values(selected(x.shape, key), x.dtype.char))
    expected = outcome(lambda: stored(x, key, value))
    assert_same(outcome(lambda: rt.at(tf.constant(x))[key].set(value)), expected)
    in_tensors = as_tensors(key, tf.constant)
    value = tf.constant(value) if isinstance(value, np.ndarray) else value
    if type(key) is not int:  # NumPy itself takes an array of one element for np.int64 keys, not for int keys
        assert_same(outcome(lambda: rt.at(tf.constant(x))[in_tensors].set(value)), expected)


@CAMPAIGN
@given(st.data())
def test_get_equals_an_item_read(data: st.DataObject) -> None:
    x = data.draw(arrays())
    key = data.draw(keys(x.shape))
    expected = outcome(lambda: x[key])
    assert_same(outcome(lambda: rt.at(tf.constant(x))[key].get()), expected)
    in_tensors = as_tensors(key, tf.constant)
    assert_same(outcome(lambda: rt.at(tf.constant(x))[in_tensors].get()), expected)


OPERATIONS = {"add": "iadd", "subtract": "isub", "multiply": "imul", "bitwise_and": "iand", "bitwise_xor": "ixor"}


@CAMPAIGN
@given(st.data())
def test_operators_are_numpys_buffered_ones(data: st.DataObject) -> None:
    x = data.draw(arrays(dtypes="?bilBLfdD"))
    key = data.draw(keys(x.shape))
    value = data.draw(values(selected(x.shape, key), x.dtype.char))
    name = data.draw(st.sampled_from(sorted(OPERATIONS)))
    python = getattr(operator, OPERATIONS[name])

    def numpy() -> Any:
        y = x.copy()
        y[key] = python(y[key], value)
        return y

    if isinstance(value, list):
        value = np.array(value)
    expected = outcome(numpy)
    value = tf.constant(value) if isinstance(value, np.ndarray) else value
    actual = outcome(lambda: getattr(rt.at(tf.constant(x))[key], name)(value))
    assert_same(actual, expected)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (2, 1.5),
        ((slice(1, -1), slice(1, -1)), np.ones((4, 4))),
        (slice(None, None, -2), np.arange(6.0)),
        (..., 0.0),
        (np.array([4, 1, 1]), np.arange(18.0).reshape(3, 6)),
        ((slice(None), np.array([4, 1, 1])), np.arange(3.0)),
        ((np.array([0, 1]), np.array([2, 3])), 5.0),
        (np.eye(6, dtype=bool), 7.0),
        (np.eye(6, dtype=bool), np.arange(6.0)),
        (np.array([True, False] * 3), np.arange(18.0).reshape(3, 6)),
        ((None, 3, None, [0, 2]), 1.0),
        ((slice(1, 3), np.array([True, False] * 3)), 2.0),
        ((True, 1), 3.0),
        ([], 1.0),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["d", "l", "B", "D", "e"])
def test_tensorflow_does_the_work(key: Any, value: Any, dtype: str) -> None:
    x = np.arange(36).reshape(6, 6).astype(dtype)
    value = np.asarray(value, dtype)
    before = FALLBACKS.total()
    with rt.count_ops() as count:
        got = rt.at(rt.tensor(x))[key].set(rt.tensor(value))
        rt.at(rt.tensor(x))[key].get()
    assert is_tensor(got)
    assert FALLBACKS.total() == before
    assert count.work >= 1
    np.testing.assert_array_equal(got.numpy(), stored(x, key, value))


def test_of_equal_indices_the_last_value_wins() -> None:
    rng = np.random.default_rng(0)
    x = np.zeros((50, 3), np.float32)
    index = rng.integers(0, 50, 10_000)
    value = rng.standard_normal((10_000, 3)).astype(np.float32)
    got = rt.at(rt.tensor(x))[index].set(rt.tensor(value))
    np.testing.assert_array_equal(got.numpy(), stored(x, index, value))
    pair = (rng.integers(0, 50, 10_000), rng.integers(0, 3, 10_000))
    got = rt.at(rt.tensor(x))[pair].set(value[:, 0])
    np.testing.assert_array_equal(got.numpy(), stored(x, pair, value[:, 0]))
    columns = np.array([0, 2, 0, 1, 2])
    got = rt.at(rt.tensor(x))[:, columns].set(value[:5, 0])
    np.testing.assert_array_equal(got.numpy(), stored(x, (slice(None), columns), value[:5, 0]))


def test_numpys_own_exceptions() -> None:
    x = rt.tensor(np.zeros((2, 3), np.uint8))
    for key, message in [
        (2, "index 2 is out of bounds for axis 0 with size 2"),
        ((0, [0, 3]), "index 3 is out of bounds for axis 1 with size 3"),
        ((0, 0, 0), "too many indices for array"),
        (np.zeros(3, bool), "boolean index did not match"),
        ("a", "only integers, slices"),
        (1.0, "only integers, slices"),
    ]:
        with pytest.raises(IndexError, match=message):
            rt.at(x)[key].set(1)
        with pytest.raises(IndexError, match=message):
            rt.at(x)[key].get()
    with pytest.raises(ValueError, match="could not broadcast"):
        rt.at(x)[0].set(np.zeros(2))
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        rt.at(x)[::0].set(1)
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        rt.at(x)[0].set(300)
    with pytest.raises(TypeError, match="same_kind"):
        rt.at(x)[0].add(0.5)


def test_casts_are_those_of_a_store() -> None:
    x = rt.tensor(np.zeros(3, np.uint8))
    np.testing.assert_array_equal(rt.at(x)[:].set(rt.tensor(np.array([1.9, -1.0, 300.0]))).numpy(), [1, 255, 44])
    with pytest.warns(np.exceptions.ComplexWarning):
        rt.at(rt.tensor(np.zeros(2)))[:].set(rt.tensor(np.ones(2) * 1j))
    mask = rt.at(rt.tensor(np.zeros(3, bool)))[:].set(rt.tensor(np.array([0.5, 0.0, np.nan])))
    np.testing.assert_array_equal(mask.numpy(), [True, False, True])
    x = rt.tensor(np.arange(3))
    assert rt.at(x)[1].add(0.75).numpy().tolist() == [0, 1, 2]  # NumPy computes 1.75 and stores it as 1


def test_what_is_not_a_tensor_changes_in_place() -> None:
    x = np.arange(4)
    assert rt.at(x)[tf.constant(1) : 3].set(tf.constant([7, 8])) is x
    assert x.tolist() == [0, 7, 8, 3]
    assert rt.at(x)[[0, 0]].add(2) is x
    assert x[0] == 2
    items = [1, 2]
    assert rt.at(items)[0].set(tf.constant(5)) is items
    assert items == [5, 2]
    assert type(items[0]) is np.int32
    table: dict[str, Any] = {"a": x}
    rt.at(table)["a"].multiply(2)
    assert x.tolist() == [4, 14, 16, 6]
    assert rt.at(table)["a"].get() is x
    assert rt.at("text")[1].get() == "e"
    assert rt.at({3: "three"})[tf.constant(3)].get() == "three"


def test_arrays_of_many_dimensions() -> None:
    x = np.arange(2**9).reshape((2,) * 9)
    key = (0, ..., slice(None, None, -1))
    np.testing.assert_array_equal(rt.at(rt.tensor(x))[key].set(1).numpy(), stored(x, key, 1))
    np.testing.assert_array_equal(rt.at(rt.tensor(x))[key].get().numpy(), x[key])


@settings(max_examples=200)
@given(data=st.data())
def test_rows_read_again_after_stores_are_numpys_views(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(3,), (2,), (2, 3), (3, 2), (2, 2, 2)]))
    index = st.integers(-2, 1)
    fancy = st.lists(index, min_size=2, max_size=2).map(tf.constant)
    form = data.draw(st.sampled_from([index, st.tuples(index, st.just(...)), fancy, st.just(slice(None, None, -1))]))
    stored, read = [[data.draw(form) for _ in range(3)] for _ in range(2)]
    original = np.arange(float(np.prod(shape))).reshape(shape)
    x = tf.constant(original)
    original[stored[0]], original[stored[1]], original[stored[2]] = (original[key] for key in read)
    before = [rt.at(x)[key].get() for key in read]
    for target, key, value in zip(stored, read, before, strict=True):
        x = rt.at(x)[target].set(rt.at(x)[key].as_stored(value))
    np.testing.assert_array_equal(x.numpy(), original, strict=True)


def test_rows_chosen_by_tensors_are_refused_after_stores() -> None:
    x = tf.reshape(tf.range(4.0), (2, 2))
    with pytest.raises(UnverifiedError, match="copy it before"):
        rt.at(x)[tf.constant(1)].as_stored(x[1])
    number = tf.constant(2.0)
    assert rt.at(x[0])[tf.constant(1)].as_stored(number) is number
