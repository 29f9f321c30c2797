"""What crosses the boundary is copied once, and never shared: neither with the caller's array nor with a tensor."""

import numpy as np
import pytest
import tensorflow as tf

from np2tnp import runtime as rt
from np2tnp.runtime.base import lazy_tensorflow
from np2tnp.runtime.base.dispatch import shown, to_ndarray, to_tensor

LARGE = lazy_tensorflow.LARGE // 8 + 8  # float64s of which the copy is laid out for TensorFlow


@pytest.fixture(autouse=True)
def ready():
    lazy_tensorflow.begin()


def arrays_at_all_addresses(size):
    """Arrays that begin at each multiple of 8 within 64 bytes: one of them TensorFlow takes as it lies there."""
    room = np.arange(float(size + 8))
    return [room[begin : begin + size] for begin in range(8)]


@pytest.mark.parametrize("size", [1, 100, LARGE])
@pytest.mark.parametrize("place", range(8))
def test_a_later_write_to_the_array_does_not_show_in_the_tensor(size, place):
    array = arrays_at_all_addresses(size)[place]
    expected = array.copy()
    tensor = to_tensor(array)
    array[:] = -1.0
    assert np.array_equal(tensor.numpy(), expected)


@pytest.mark.parametrize("size", [100, LARGE])
def test_the_same_on_the_last_device(size):
    device = tf.config.list_logical_devices()[-1].name
    for array in arrays_at_all_addresses(size):
        expected = array.copy()
        with tf.device(device):
            tensor = to_tensor(array)
        array[:] = -1.0
        assert np.array_equal(tensor.numpy(), expected)
        array[:] = expected


@pytest.mark.parametrize("dtype", list("?bhilqBHILQefdFD"))
def test_dtypes_shapes_and_orders_arrive(dtype):
    size = 8 * LARGE  # of single bytes, too
    values = (np.arange(size) % 2 if dtype == "?" else np.arange(size) % 100).astype(dtype)
    for array in (values, values[::2], values.reshape(2, -1).T, np.broadcast_to(values[:2], (LARGE, 2))):
        tensor = to_tensor(array)
        assert tensor.dtype.as_numpy_dtype == array.dtype
        assert tuple(tensor.shape) == array.shape
        assert np.array_equal(tensor.numpy(), array)
        assert np.array_equal(shown(tensor), array)
        assert shown(tensor).dtype == array.dtype


def test_a_read_only_array_stays_so_and_its_tensor_gives_writable_results():
    array = np.arange(float(LARGE))
    array.flags.writeable = False
    result = to_ndarray(to_tensor(array))
    result[0] = 5.0
    assert array[0] == 0.0
    assert not array.flags.writeable


@pytest.mark.parametrize("size", [10, LARGE])
def test_results_are_writable_and_own_their_memory(size):
    @rt.migrated
    def doubled(x):
        return x * 2.0

    x = np.arange(float(size))
    first, second = doubled(x), doubled(x)
    assert first.flags.owndata
    assert first.flags.writeable
    first[:] = -1.0
    assert np.array_equal(second, x * 2.0)
    assert np.array_equal(x, np.arange(float(size)))


@pytest.mark.parametrize("size", [10, LARGE])
def test_a_result_that_is_the_argument_is_no_view_of_it(size):
    @rt.migrated
    def same(x):
        return x

    x = np.arange(float(size))
    result = same(x)
    result[0] = 7.0
    assert x[0] == 0.0


@pytest.mark.parametrize("size", [10, LARGE])
def test_updates_reach_the_callers_array_and_no_tensor_that_is_kept(size):
    kept = []

    @rt.migrated(updates="x")
    def advance(x):
        x = rt.at(x)[0].set(3.0)
        kept.append(x)
        return rt.updated(None, x=x)

    x = np.arange(float(size))
    advance(x)
    assert x[0] == 3.0
    x[1] = -5.0
    assert kept[0].numpy()[1] == 1.0


def test_what_is_shown_cannot_be_written():
    tensor = tf.constant(np.arange(3.0))
    with pytest.raises(ValueError, match="read-only"):
        shown(tensor)[0] = 1.0


def test_memory_of_a_result_that_is_shown_outlives_the_tensor():
    tensor = to_tensor(np.arange(float(LARGE)))
    view = shown(tensor)
    del tensor
    filler = [to_tensor(np.full(LARGE, float(number))) for number in range(4)]
    assert np.array_equal(view, np.arange(float(LARGE)))
    assert len(filler) == 4


def test_a_large_array_is_copied_once_on_its_way_to_a_tensor(monkeypatch):
    given = []
    real = lazy_tensorflow._eager_tensor

    class Watched:
        def __call__(self, array, *more):
            given.append(array.__array_interface__["data"][0])
            return real(array, *more)

    monkeypatch.setattr(lazy_tensorflow, "_eager_tensor", Watched())
    tensor = lazy_tensorflow.constant(np.arange(float(LARGE)))
    assert given
    assert given[0] % 64 == 0
    assert shown(tensor).__array_interface__["data"][0] == given[0]  # TensorFlow took that memory as it was


def test_memory_on_the_host_is_never_taken_for_a_devices_own(monkeypatch):
    monkeypatch.setattr(lazy_tensorflow, "has_gpu", lambda: True)
    for array in arrays_at_all_addresses(LARGE):
        for given in (array, array.astype(np.int32)):
            expected = given.copy()
            tensor = lazy_tensorflow.constant(given)
            given[:] = -1
            assert np.array_equal(tensor.numpy(), expected)
