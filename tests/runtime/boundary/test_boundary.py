"""``rt.migrated``: callers see the world of the original function."""

from __future__ import annotations

import collections
import inspect
import pickle
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import is_tensor, to_ndarray, to_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf

Pair = collections.namedtuple("Pair", "first second")


@rt.migrated
def double(x: Any, scale: float = 2) -> Any:
    """Doc of double."""
    return x * scale


@rt.migrated(mutates=("x",), returns=("x",))
def fill(x: Any, value: Any) -> Any:
    x = rt.at(x)[...].set(value)
    return rt.updated(x, x=x)


@rt.migrated
def same(*args: Any, **kwargs: Any) -> Any:
    return args, kwargs


@rt.migrated
def kinds(value: Any) -> Any:
    """Whether the body sees tensors, as a nested list of names."""
    if isinstance(value, (list, tuple)):
        return [kinds.core(item) for item in value]
    return "tensor" if is_tensor(value) else type(value).__name__


def test_ndarrays_become_tensors_inside_and_fresh_ndarrays_outside() -> None:
    x = np.arange(3.0)
    result = double(x)
    assert type(result) is np.ndarray
    assert result.flags.writeable
    assert result.flags.owndata
    np.testing.assert_array_equal(result, [0.0, 2.0, 4.0])
    inside = kinds([x, 1, (x, "text"), np.float32(2), None])
    assert inside == ["tensor", "int", ["tensor", "str"], "float32", "NoneType"]


def test_name_doc_signature_and_pickle_stay() -> None:
    assert (double.__name__, double.__doc__, double.__module__) == ("double", "Doc of double.", __name__)
    assert str(inspect.signature(double)).startswith("(x: 'Any', scale: 'float' = 2)")
    assert pickle.loads(pickle.dumps(double)) is double
    assert pickle.loads(pickle.dumps(double.core)) is double.core


def test_binding_errors_are_pythons_own() -> None:
    with pytest.raises(TypeError, match=r"double\(\) missing 1 required positional argument: 'x'"):
        double()
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        double(1, y=2)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        fill(np.zeros(2))


def test_defaults_are_converted_too() -> None:
    weights = np.array([1.0, 2.0])

    @rt.migrated
    def f(x: Any, /, w: Any = weights, *, k: Any = weights) -> Any:
        assert is_tensor(w)
        assert is_tensor(k)
        return x * w + k

    @rt.migrated
    def g(x: Any = weights, /) -> Any:
        assert is_tensor(x)
        return x

    np.testing.assert_array_equal(f(2.0), [3.0, 6.0])
    np.testing.assert_array_equal(f(2.0, k=np.zeros(2)), [2.0, 4.0])
    np.testing.assert_array_equal(g(), weights)


def test_one_array_is_one_tensor_and_one_result_is_one_array() -> None:
    x = np.arange(3.0)

    @rt.migrated
    def f(a: Any, b: Any) -> Any:
        assert a is b
        y = a + 1
        return y, [y], {"y": y}, Pair(y, a)

    first, (second,), mapping, pair = f(x, b=x)
    assert first is second is mapping["y"] is pair.first
    assert type(pair) is Pair
    assert pair.second is not x
    base = np.arange(6.0)
    assert kinds([base, base[1:]]) == ["tensor", "tensor"]


def test_a_store_copies_its_value() -> None:
    @rt.migrated(mutates=("a",), returns=("a", "b"))
    def f(a: Any, b: Any) -> Any:
        a = rt.at(a)[...].set(b)
        return rt.updated((a, b, rt.assign(a, b)), a=a)

    a, b = np.zeros(3), np.ones(3)
    first, second, third = f(a, b)
    assert first is a
    assert second is b
    assert third is not a
    assert third is not b


def test_containers_without_arrays_keep_their_identity() -> None:
    items = [1, "a", None]
    table = {"k": items}
    (args, kwargs) = same(items, table, key=items)
    assert args[0] is items
    assert args[1] is table
    assert kwargs["key"] is items
    loop: list[Any] = [1]
    loop.append(loop)
    assert same(loop)[0][0] is loop


def test_zero_d_arguments_stay_what_they_are() -> None:
    @rt.migrated(mutates=("changed",))
    def seen(given: Any, pair: Any, changed: Any) -> Any:
        return rt.updated((given, pair, changed), changed=rt.iadd(changed, 1))

    given, inner, changed = np.array(4.0), np.array(2), np.array(1.0)
    result, pair, same_array = seen(given, [inner, np.float64(3.0)], changed)
    assert result is given
    assert pair[0] is inner
    assert same_array is changed
    assert changed == 2.0

    def original(x: Any) -> Any:
        x += 1
        return repr(x)

    @rt.migrated(mutates=("x",), original=original, on_unverified="numpy", above=0)
    def replaced(x: Any) -> Any:
        raise AssertionError("begins for an array without dimensions")

    assert replaced(changed) == "array(3.)"
    assert changed == 3.0

    @rt.migrated(compile="graph")
    def compiled(x: Any) -> Any:
        return x + 1

    assert compiled(given) == 5.0


def test_zero_d_results_are_scalars_or_arrays_as_declared() -> None:
    @rt.migrated
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    @rt.migrated(zero_d="array")
    def total_array(x: Any) -> Any:
        return tf.reduce_sum(x)

    assert type(total(np.ones(3, np.float32))) is np.float32
    result = total_array(np.ones(3))
    assert type(result) is np.ndarray
    assert result.shape == ()
    with pytest.raises(ValueError, match="zero_d"):
        rt.migrated(zero_d="list")


class Series:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.zeros(2)


@pytest.mark.parametrize(
    "value",
    [
        np.ma.masked_array([1.0, 2.0], [True, False]),
        np.ones(2).view(np.recarray),
        np.array(["a", "b"]),
        np.array([object()]),
        np.array([1], "M8[s]"),
        np.array([(1, 2.0)], "i4,f8"),
        np.ones(2, np.longdouble),
        np.ones(2, ">f8"),
        np.rec.array([(1, 2)], dtype="i4,i4"),
        Series(),
        [Series()],
        {"k": (np.array(["a"]),)},
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_was_not_verified_is_refused_by_name(value: Any) -> None:
    with pytest.raises(rt.UnverifiedError, match=r"double: argument 'x': .*not verified"):
        double(value)
    with pytest.raises(rt.UnverifiedError, match=r"same: argument 'kwargs': .*not verified"):
        same(k=value)
    with pytest.raises(rt.UnverifiedError):
        fill(value, 1)


def test_refuses_names_the_dtypes_that_were_not_verified() -> None:
    @rt.migrated(refuses={"x": "?bl"}, arrays=("y",))
    def f(x: Any, y: Any = 0.0) -> Any:
        return x

    for refused in (np.zeros(2, bool), [np.zeros(2, np.int8)], np.int64(1), 1, True, np.zeros(1, np.longlong)):
        with pytest.raises(rt.UnverifiedError, match=r"argument 'x' was not verified for"):
            f(refused)
    f(np.zeros(2, np.float32), np.zeros(2))
    f(0.5, 3)
    for other in ([1.0], "text", np.ma.zeros(2)):
        with pytest.raises(rt.UnverifiedError, match="'y'"):
            f(0.5, other)
    with pytest.raises(rt.UnverifiedError):
        f.core(tf.constant([True]))
    with pytest.raises(TypeError, match="no parameter 'z'"):
        rt.migrated(mutates=("z",))(lambda x: x)


def test_arrays_covers_each_of_star_arguments() -> None:
    @rt.migrated(arrays=("xs", "named"))
    def f(*xs: Any, **named: Any) -> int:
        return len(xs) + len(named)

    assert f(np.zeros(2), 1.0, k=np.float32(1)) == 3
    with pytest.raises(rt.UnverifiedError, match="'xs'"):
        f(np.zeros(2), [1.0])
    with pytest.raises(rt.UnverifiedError, match="'named'"):
        f(k="text")


@pytest.mark.parametrize("dtype", list("?bhilqBHILQefdFD"))
@pytest.mark.parametrize("n", [1, 3, 100_000])
def test_tensors_and_ndarrays_never_share_memory(dtype: str, n: int) -> None:
    for array in (np.zeros(n, dtype), np.zeros(2 * n, dtype)[::2], np.zeros((2, n), dtype, order="F")):
        held = to_tensor(array)
        array[...] = 1
        assert not to_ndarray(held).any()
        first = to_ndarray(held)
        first[...] = 1
        assert not to_ndarray(held).any()
        assert first.dtype == array.dtype


def test_what_leaves_for_the_host_owns_its_memory():
    array = rt.host(rt.zeros((2, 3)))
    assert array.base is None
    array.resize((3, 3))
    [inner] = rt.host([rt.zeros(3)])
    assert inner.flags.owndata


def test_state_of_a_subclass_is_refused_wherever_it_is_read():
    class Holder:
        def __init__(self):
            self.w = np.ma.masked_array(np.ones(3), [0, 1, 0])

        @rt.migrated
        def scaled(self, x):
            return rt.op_mul(rt.exp(x), self.w)

    with pytest.raises(rt.UnverifiedError, match="MaskedArray"):
        Holder().scaled(np.ones(3))


def test_arrays_that_hold_no_numbers_stay_ndarrays_inside() -> None:
    text, objects = np.array(["b", "a"]), np.array([None, 1], dtype=object)
    dates, fields = np.array(["2020-01-01"], dtype="M8[D]"), np.zeros(2, [("a", "i4")])
    held = [text, objects, dates, fields]
    assert all(new is old for new, old in zip(rt.tensor(held), held, strict=True))
    np.testing.assert_array_equal(rt.equal(rt.tensor(objects), None).numpy(), [True, False])
    np.testing.assert_array_equal(rt.sort(rt.tensor(text)), ["a", "b"])
    for refused in (np.ma.array([1.0]), np.arange(3, dtype=">i4"), np.ones(2, np.longdouble)):
        with pytest.raises(rt.UnverifiedError, match="not verified"):
            rt.tensor(refused)


def test_a_symbol_has_no_values_for_numpy():
    import tensorflow as tf

    @tf.function(autograph=False)
    def graph(x):
        return rt.host(x)

    with pytest.raises(rt.UnverifiedError, match="values that only the graph knows"):
        graph(tf.zeros(3))
