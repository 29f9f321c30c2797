"""Indices that are tensors stay where they lie: NumPy's results and errors, and at most one read of the device."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from np2tnp import runtime as rt
from np2tnp.runtime.base import device_forms, dispatch
from np2tnp.runtime.base.dispatch import FALLBACKS

X = np.arange(40.0).reshape(8, 5)
KINDS = ["int32", "int64", "uint8", "int16", "uint32"]


@pytest.fixture
def reads(monkeypatch):
    """How many values were read from eager tensors since this list was emptied."""
    found = []
    kind = type(tf.constant(1.0))
    real = kind._numpy_internal
    monkeypatch.setattr(kind, "_numpy_internal", lambda tensor: found.append(tensor.shape) or real(tensor))
    return found


def on_device(key):
    if isinstance(key, tuple):
        return tuple(map(on_device, key))
    return rt.tensor(key) if isinstance(key, np.ndarray) else key


KEYS = {
    "rows": np.array([3, 0, 7]),
    "repeated": np.array([3, 0, 3, 3, 0]),
    "negative": np.array([-1, 2, -8]),
    "no rows": np.array([], dtype=int),
    "two axes of rows": np.array([[1, 2], [2, 1]]),
    "elements": (np.array([1, 2, 1]), np.array([4, 0, 4])),
    "broadcast": (np.array([[1], [2]]), np.array([4, 0])),
    "a number and a vector": (2, np.array([4, 0, 4])),
    "a vector and a number": (np.array([4, 0, 4]), -1),
    "columns": (slice(None), np.array([4, 0, 4])),
    "columns of some rows": (slice(1, 6, 2), np.array([4, 0])),
    "rows and a slice": (np.array([4, 0, 4]), slice(1, 3)),
    "last axis": (..., np.array([4, 0, 4])),
    "a new axis": (None, np.array([4, 0])),
    "beside a mask": (np.array([True, False] * 4), np.array([4, 0, 1, 1])),
    "an axis between": (np.array([1, 1]), None, np.array([0, 0])),
}


@pytest.mark.parametrize("name", KEYS)
def test_reads_are_numpys(name):
    found = rt.at(rt.tensor(X))[on_device(KEYS[name])].get()
    assert np.array_equal(rt.host(found), X[KEYS[name]])
    assert tuple(found.shape) == X[KEYS[name]].shape


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("value", ["number", "array", "tensor"])
def test_stores_are_numpys_and_the_last_of_equal_indices_wins(name, value):
    key = KEYS[name]
    expected = X.copy()
    shape = expected[key].shape
    given = 3.5 if value == "number" else np.arange(100.0, 100.0 + np.prod(shape)).reshape(shape)
    expected[key] = given
    given = rt.tensor(given) if value == "tensor" else given
    start = rt.tensor(X)
    stored = rt.at(start)[on_device(key)].set(given)
    assert np.array_equal(rt.host(stored), expected)
    assert np.array_equal(rt.host(start), X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2, 500, 600, 5000])  # compared with each other, and with a place each
def test_of_many_equal_indices_the_last_wins(kind, count):
    rng = np.random.default_rng(count)
    index = rng.integers(0, 90, count).astype(kind)
    values = rng.normal(size=(count, 2))
    expected = np.zeros((90, 2))
    expected[index] = values
    stored = rt.at(rt.tensor(np.zeros((90, 2))))[rt.tensor(index)].set(rt.tensor(values))
    assert np.array_equal(rt.host(stored), expected)


def test_buffered_updates_count_equal_indices_once():
    index, values = np.array([2, 2, 5]), np.array([1.0, 10.0, 100.0])
    expected = np.ones(6)
    expected[index] += values
    found = rt.at(rt.tensor(np.ones(6)))[rt.tensor(index)].add(rt.tensor(values))
    assert np.array_equal(rt.host(found), expected)


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "multiply"])
@pytest.mark.parametrize("key", ["repeated", "negative", "elements", "columns", "no rows", "beside a mask"])
def test_unbuffered_updates_count_each(name, key):
    expected = X.copy()
    values = np.arange(1.0, 1.0 + np.prod(X[KEYS[key]].shape)).reshape(X[KEYS[key]].shape)
    getattr(np, name).at(expected, KEYS[key], values)
    found = getattr(rt, f"{name}_at")(rt.tensor(X), on_device(KEYS[key]), rt.tensor(values))
    assert np.allclose(rt.host(found), expected, rtol=1e-15, atol=0)


@pytest.mark.parametrize(
    "key", [np.array([0, 8]), np.array([-9, 0]), (np.array([0]), np.array([5])), (0, np.array([-6]))]
)
def test_indices_out_of_range_raise_numpys_error(key):
    for of_numpy, ours in (
        (lambda: X[key], lambda: rt.at(rt.tensor(X))[on_device(key)].get()),
        (lambda: X.copy().__setitem__(key, 1.0), lambda: rt.at(rt.tensor(X))[on_device(key)].set(1.0)),
    ):
        with pytest.raises(IndexError) as expected:
            of_numpy()
        with pytest.raises(IndexError) as found:
            ours()
        assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("value", [np.ones(3), np.ones((2, 3)), np.ones((2, 5, 5))])
def test_values_that_do_not_fit_raise_numpys_error(value):
    key = np.array([1, 2])
    with pytest.raises(ValueError, match=r"could not broadcast|shape mismatch"):
        X.copy()[key] = value
    with pytest.raises(ValueError, match=r"could not broadcast|shape mismatch"):
        rt.at(rt.tensor(X))[rt.tensor(key)].set(rt.tensor(value))


def test_an_index_is_read_once_for_its_range_however_often_it_is_used(reads):
    x, index = rt.tensor(X), rt.tensor(np.array([3, 0, -1, 3]))
    FALLBACKS.clear()
    reads.clear()
    for _ in range(3):
        x = rt.at(x)[index].set(rt.at(x)[index].get() + 1.0)
    assert len(reads) == 1
    assert not FALLBACKS


def test_the_values_of_an_index_are_never_fetched(reads):
    index = np.arange(1000) % 40
    for key in (index % 8, (index % 8, index % 5), (slice(None), index % 5)):
        x, key = rt.tensor(X), on_device(key)
        reads.clear()
        rt.at(x)[key].set(2.0)
        assert all(shape.num_elements() <= 2 for shape in reads)


def test_a_range_belongs_to_one_tensor():
    small, large = rt.tensor(np.array([0, 1])), rt.tensor(np.array([0, 7]))
    assert device_forms.index_range(small) == (0, 1)
    assert device_forms.index_range(large) == (0, 7)
    with pytest.raises(IndexError):
        rt.at(rt.tensor(np.zeros(2)))[large].get()
    assert rt.host(rt.at(rt.tensor(np.arange(2.0)))[small].get()).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("count", [4, 1000])
def test_a_derivative_flows_to_the_value_that_is_stored_and_once(count):
    index = rt.tensor(np.zeros(count, int))
    values = rt.tensor(np.arange(float(count)))
    with tf.GradientTape() as tape:
        tape.watch(values)
        stored = rt.at(rt.tensor(np.zeros(3)))[index].set(values)
        result = tf.reduce_sum(stored * 5.0)
    expected = np.zeros(count)
    expected[-1] = 5.0
    assert np.array_equal(rt.host(tape.gradient(result, values)), expected)


@pytest.mark.parametrize("places", [3, 2000])
def test_last_entries_name_the_last_of_each_position(places):
    rng = np.random.default_rng(0)
    for count in (1, 2, 511, 513, 3000):
        positions = rng.integers(0, places, count)
        found = device_forms.last_entries(tf.constant(positions), places).numpy()
        last = {place: number for number, place in enumerate(positions.tolist())}
        assert found.tolist() == [last[place] for place in positions.tolist()]


def test_dtypes_that_are_no_indices_are_left_to_numpy():
    for key in (np.array([1.0, 2.0]), np.array([1j])):
        with pytest.raises(IndexError):
            X[key]
        with pytest.raises(IndexError):
            rt.at(rt.tensor(X))[rt.tensor(key)].get()
    wide = np.array([1, 2], np.uint64)
    assert np.array_equal(rt.host(rt.at(rt.tensor(X))[rt.tensor(wide)].get()), X[wide])


def test_all_pairs_of_indices_and_numbers():
    parts = [1, -2, slice(None), slice(3, None), np.array([0, 3]), np.array([[1], [1]]), None, ...]
    for key in itertools.product(parts, repeat=2):
        try:
            expected = X[key]
        except IndexError:
            continue
        found = dispatch.to_ndarray(rt.at(rt.tensor(X))[on_device(key)].get())
        assert np.array_equal(found, expected), key
        changed = X.copy()
        changed[key] = -1.0
        assert np.array_equal(rt.host(rt.at(rt.tensor(X))[on_device(key)].set(-1.0)), changed), key
