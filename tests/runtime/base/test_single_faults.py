"""What rewriting single calls once showed to differ: each a value, class or exception that must stay NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check

from np2tnp import runtime as rt

ZEROS = [-0.0, 0.0, 0.5, 1.0, np.nan, -3.0, np.inf]


@pytest.mark.parametrize("char", ["f", "d"])
@pytest.mark.parametrize(
    "limits",
    [
        (0, 1),
        (np.int64(0), 1),
        (np.array(0.0), np.float32(1)),
        (0.0, 1.0),
        (-0.0, 1.0),
        (-1, 0),
        (-1.0, -0.0),
        (1.0, 0.0),
        (np.nan, 1.0),
    ],
)
def test_a_zero_at_a_limit_keeps_its_sign(char: str, limits: tuple[float, float]) -> None:
    array = np.array(ZEROS * 3, char)
    found, wanted = rt.host(rt.clip(rt.tensor(array), *limits)), np.clip(array, *limits)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))
    assert found.dtype == wanted.dtype


@pytest.mark.parametrize("limits", [(-1000, 1000), (0, 300), (300, 400), (-5, -1), (-1, None), (None, None)])
def test_limits_outside_of_an_integer_dtype(limits: tuple[int, int]) -> None:
    check("clip", np.array([0, 7, 255], np.uint8), *limits, claimed=False)
    check("clip", np.array([-128, 7, 127], np.int8), *limits, claimed=False)


@pytest.mark.parametrize("name", ["mean", "var", "std", "nanmean", "nanvar", "nanstd"])
@pytest.mark.filterwarnings("ignore")
def test_more_elements_than_half_precision_counts(name: str) -> None:
    array = np.ones(70_000, np.float16)
    with np.errstate(all="ignore"):
        check(name, array)
        check(name, np.arange(5000, dtype=np.float16) % 7, factor=4)


@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
@pytest.mark.parametrize("char", ["e", "f", "d"])
def test_a_wider_dtype_for_a_spread_without_nan(name: str, char: str) -> None:
    check(name, np.array([1.1, 2.3, np.nan, -4.7], char), dtype=np.float64, claimed=False)


@pytest.mark.parametrize("char", ["F", "D"])
@pytest.mark.filterwarnings("ignore")
def test_the_reciprocal_of_complex_zero(char: str) -> None:
    array = np.array([0, 1j, -2 + 0j, 3 - 4j, complex(-0.0, 0.0)], char)
    check("reciprocal", array, factor=2)


@pytest.mark.parametrize("char", ["h", "H", "e", "f", "d"])
def test_scaling_beyond_the_range(char: str) -> None:
    values = np.array([0, 1, 3, 100], char)[:, None]
    check("ldexp", values, np.array([-32768, -400, -30, 0, 30, 120, 400, 32767], np.int16))


def test_a_method_keeps_bools_where_the_function_does_not() -> None:
    array = np.array([True, False])
    assert rt.host(rt.conjugated(rt.tensor(array))).dtype == array.conj().dtype == bool
    assert rt.host(rt.conj(rt.tensor(array))).dtype == np.conj(array).dtype
    np.testing.assert_array_equal(rt.host(rt.conjugated(rt.tensor(np.array([1 + 2j])))), [1 - 2j])


def test_a_list_without_its_zeros_stays_a_list() -> None:
    assert type(rt.trim_zeros([0, 1, 0])) is type(np.trim_zeros([0, 1, 0]))


@pytest.mark.parametrize("name", ["squeeze", "real", "real_if_close", "asarray_chkfinite", "asarray"])
def test_a_result_that_is_the_argument(name: str) -> None:
    array = np.arange(6.0).reshape(2, 3)
    assert getattr(np, name)(array) is array
    tensor = rt.tensor(array)
    assert getattr(rt, name)(tensor) is tensor


def test_no_difference_is_the_argument() -> None:
    tensor = rt.tensor(np.arange(3))
    assert rt.diff(tensor, 0) is tensor
    assert rt.array(tensor, copy=False) is tensor
    with pytest.raises(ValueError, match="copy"):
        rt.array(tensor, np.float32, copy=False)


@pytest.mark.parametrize("name", ["asfortranarray", "array", "copy"])
def test_a_result_that_is_a_copy(name: str) -> None:
    tensor = rt.tensor(np.arange(6.0).reshape(2, 3))
    assert getattr(rt, name)(tensor) is not tensor
    assert rt.asarray(tensor, order="F") is not tensor


def test_sort_in_place_takes_no_axis_none() -> None:
    array = np.array([[2, 1], [0, 3]])
    with pytest.raises(TypeError):
        array.sort(axis=None)
    with pytest.raises(TypeError):
        rt.sort_in_place(rt.tensor(array), axis=None)
    np.testing.assert_array_equal(rt.host(rt.sort_in_place(rt.tensor(array), 0)), np.sort(array, 0))


def test_a_product_of_two_numbers() -> None:
    zero_d = rt.tensor(np.array(2.0))
    for expected in (ValueError, TypeError):  # of 0-d arrays, of NumPy scalars
        with pytest.raises(expected):
            rt.op_matmul(zero_d, zero_d)
    with pytest.raises(ValueError, match="matmul"):
        rt.op_matmul(rt.tensor(np.ones(3)), 2)


@pytest.mark.parametrize("char", list("?bhilBHILefd"))
def test_towards_zero_in_numpy_s_dtype(char: str) -> None:
    check("fix", np.array([0, 1, 1, 0], char))


def test_python_numbers_under_a_casting_rule_that_ends_numpys_process() -> None:
    with pytest.raises(TypeError, match="casting rule"):
        rt.multiply(rt.tensor(np.ones(3, "D")), -3, casting="equiv")


@pytest.mark.parametrize("rcond", [-1.5, -1, 0, 1, 3])
def test_tolerances_of_a_fit_that_stand_for_the_precision(rcond: float) -> None:
    matrix = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert rt.host(rt.linalg.lstsq(rt.tensor(matrix), rt.tensor(np.ones(3)), rcond=rcond)[2]) == 2


def test_inserted_numbers_fit_the_array() -> None:
    array = np.array([1, 2, 3], np.int8)
    np.testing.assert_array_equal(rt.host(rt.insert(rt.tensor(array), [1, 2], [30, 8])), [1, 30, 2, 8, 3])
    with pytest.raises(OverflowError):
        rt.insert(rt.tensor(array), [1, 2], [300, 8])


def test_a_sorter_of_another_length() -> None:
    with pytest.raises(ValueError, match="sorter"):
        rt.searchsorted(rt.tensor(np.arange(4.0)), 2.0, sorter=rt.tensor(np.arange(3)))


def test_roots_of_a_complex_spread_stay_complex() -> None:
    for name in ("std", "var", "nanstd", "nanvar"):
        for char in "ld":
            check(name, np.arange(6).astype(char).reshape(2, 3), axis=0, dtype=np.complex64, claimed=False)


def test_graphs_refuse_an_out_of_another_shape_than_the_result() -> None:
    import tensorflow as tf

    @tf.function(autograph=False)
    def staged(array: tf.Tensor, out: tf.Tensor) -> tf.Tensor:
        return rt.assign(out, rt.sum(array, 1), casting="equal")

    with pytest.raises(rt.UnverifiedError, match="another shape"):
        staged(tf.ones((1, 1)), tf.ones((3,)))
    np.testing.assert_array_equal(staged(tf.ones((3, 1)), tf.zeros((3,))), np.ones(3))


def test_what_is_not_sorted_is_not_searched_in_graphs() -> None:
    import tensorflow as tf

    @tf.function(autograph=False)
    def staged(array: tf.Tensor) -> tf.Tensor:
        return rt.searchsorted(array, 2.5)

    np.testing.assert_array_equal(staged(tf.constant([1.0, 2.0, 3.0, np.nan])), 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not sorted"):
        staged(tf.constant([3.0, 1.0, 2.0]))
    order = np.argsort(np.array([3.0, 1.0, 2.0]))
    check("searchsorted", np.array([5.0, 9.0, 7.0]), 6.0, sorter=order, claimed=False)


@pytest.mark.parametrize("where", [np.array(5), np.array([1, 0, 1])])
def test_a_where_that_is_not_boolean(where: object) -> None:
    with pytest.raises(TypeError, match="bool"):
        rt.assign(rt.tensor(np.zeros(3)), rt.tensor(np.ones(3)), casting="same_kind", where=where)
    with pytest.raises(TypeError, match="bool"):
        np.add(np.ones(3), 1, out=np.zeros(3), where=where)


def test_a_view_as_none_is_one_as_float64() -> None:
    for array in (np.arange(6, dtype=np.uint32), np.arange(3), np.arange(2.0)):
        for arguments in ((), (None,), (np.float64,)):
            found, wanted = rt.host(rt.view(rt.tensor(array), *arguments)), array.view(*arguments)
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_array_equal(found, wanted)
