"""``rt.migrated``: callers see the world of the original function."""

from __future__ import annotations

import collections
import functools
import inspect
import pickle
import subprocess
import sys
import textwrap
import threading
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.dispatch import is_tensor, to_ndarray, to_tensor
from np2tnp.runtime.lazy import tf

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
    assert double.__wrapped__.__name__ == "double"


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


@pytest.mark.parametrize(
    "x",
    [
        np.zeros(6),
        np.zeros(12)[::2],
        np.zeros(12)[::-3],
        np.zeros((3, 4)).T,
        np.zeros((4, 4), order="F")[1:3],
        np.zeros((2, 3, 4))[:, ::-1, 1],
        np.zeros(()),
        np.zeros((0, 3)),
        np.zeros(3, np.float16),
    ],
)
def test_updates_reach_the_callers_own_object(x: np.ndarray) -> None:
    strides = x.strides
    result = fill(x, 7)
    assert result is x
    assert x.strides == strides
    assert (x == 7).all()


def test_views_of_the_updated_array_see_the_update() -> None:
    base = np.zeros((4, 4))
    fill(base[1:3, ::2], 5)
    expected = np.zeros((4, 4))
    expected[1:3, ::2] = 5
    np.testing.assert_array_equal(base, expected)


def test_nothing_is_written_when_the_body_raises() -> None:
    x = np.zeros(3)

    @rt.migrated(mutates=("x",))
    def f(x: Any) -> Any:
        x = rt.at(x)[0].set(1)
        x = rt.at(x)[9].set(1)
        return rt.updated(None, x=x)

    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 3"):
        f(x)
    np.testing.assert_array_equal(x, np.zeros(3))


def test_several_updates_iterate_in_the_declared_order() -> None:
    @rt.migrated(mutates=("a", "b"))
    def f(a: Any, b: Any) -> Any:
        a = rt.iadd(a, 1)
        b = rt.iadd(b, 2)
        return rt.updated("done", b=b, a=a)

    x, y = np.zeros(2), np.zeros(3)
    assert f(x, b=y) == "done"
    np.testing.assert_array_equal(x, [1, 1])
    np.testing.assert_array_equal(y, [2, 2, 2])
    result, a, b = f.core(rt.tensor(x), rt.tensor(y))
    assert (result, a.shape, b.shape) == ("done", (2,), (3,))
    assert is_tensor(a)


def test_containers_that_are_updated_hold_ndarrays_throughout() -> None:
    @rt.migrated(mutates=("layers",))
    def f(layers: Any, x: Any) -> Any:
        layers[0] = rt.iadd(layers[0], x)
        layers = rt.at(layers)[1].set(x)
        return rt.updated(None, layers=layers)

    first = np.zeros(2)
    layers = [first, None]
    f(layers, np.ones(2))
    assert layers[0] is first
    np.testing.assert_array_equal(first, [1, 1])
    assert type(layers[1]) is np.ndarray
    with pytest.raises(rt.UnverifiedError, match="shares memory"):
        f(layers, first)


def test_numbers_may_stand_where_an_array_is_updated() -> None:
    @rt.migrated(mutates=("x",), returns=("x",))
    def f(x: Any) -> Any:
        x = rt.iadd(x, 1)
        return rt.updated(x, x=x)

    assert f(3) == 4
    assert f(np.float32(0.5)) == np.float32(1.5)


def test_returns_gives_back_the_callers_object_only_where_it_is_the_same() -> None:
    @rt.migrated(returns=("x",))
    def clip_if(x: Any, clip: bool) -> Any:
        return (tf.minimum(x, 1.0), x) if clip else (x, x)

    x = np.arange(3.0)
    first, second = clip_if(x, True)
    assert first is not x
    assert second is x
    first, second = clip_if(x, False)
    assert first is x
    assert second is x


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda a: a, lambda a: a),
        (lambda a: a[1:], lambda a: a[:-1]),
        (lambda a: a[2:], lambda a: [a]),
        (lambda a: a, lambda a: {"k": (a[::2],)}),
        (lambda a: a.reshape(2, 3), lambda a: a[3:4]),
    ],
)
def test_an_updated_array_that_overlaps_another_argument_is_refused(first: Any, second: Any) -> None:
    base = np.arange(6.0)
    with pytest.raises(rt.UnverifiedError, match="shares memory with argument 'value'"):
        fill(first(base), second(base))
    with pytest.raises(rt.UnverifiedError, match="shares memory"):
        fill(value=second(base), x=first(base))
    np.testing.assert_array_equal(base, np.arange(6.0))


def test_parts_of_one_array_that_do_not_overlap_are_fine() -> None:
    base = np.arange(6.0)
    fill(base[::2], base[1::2])
    np.testing.assert_array_equal(base, [1, 1, 3, 3, 5, 5])
    assert kinds([base, base[1:]]) == ["tensor", "tensor"]


def test_a_read_only_or_self_overlapping_array_cannot_be_updated() -> None:
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(rt.UnverifiedError, match="read-only"):
        fill(x, 1)
    window = np.lib.stride_tricks.sliding_window_view(np.zeros(5), 2, writeable=True)
    with pytest.raises(rt.UnverifiedError, match="share memory with each other"):
        fill(window, 1)


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
        with pytest.raises(rt.UnverifiedError, match=r"not verified for .* in 'x'"):
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


def test_generators_and_coroutines_are_refused_when_decorated() -> None:
    def generate(x: Any) -> Any:
        yield x

    with pytest.raises(TypeError, match="generators"):
        rt.migrated(generate)


class Model:
    """An object with state, which stays NumPy's."""

    def __init__(self) -> None:
        self.w = np.ones(3)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.w

    @rt.migrated
    def step(self, x: Any) -> Any:
        self.w -= rt.host(rt.tensor(self.w) * x)
        return rt.tensor(self.w)

    @property
    @rt.migrated
    def norm(self) -> Any:
        return tf.reduce_sum(rt.tensor(self.w))

    @staticmethod
    @rt.migrated
    def double(x: Any) -> Any:
        return x * 2

    @classmethod
    @rt.migrated
    def make(cls, x: Any) -> Any:
        return cls, x + 1


def test_methods_properties_static_and_class_methods() -> None:
    model = Model()
    weights = model.w
    np.testing.assert_array_equal(model.step(np.full(3, 0.5)), [0.5, 0.5, 0.5])
    assert model.w is weights
    assert model.norm == 1.5
    np.testing.assert_array_equal(Model.double(np.ones(1)), [2])
    made, result = Model.make(np.ones(1))
    assert made is Model
    np.testing.assert_array_equal(result, [2])
    assert is_tensor(model.step.core(model, rt.tensor(np.zeros(3))))


def test_caches_and_partials_stack_outside() -> None:
    cached = functools.lru_cache(double)
    assert cached(3) == cached(3) == 6
    np.testing.assert_array_equal(functools.partial(double, scale=3)(np.ones(1)), [3])


def test_core_takes_and_gives_tensors_and_updates_ndarrays_in_place() -> None:
    x = np.ones(2)
    assert is_tensor(double.core(x))
    result, final = fill.core(x, 4)
    assert final is x
    assert result is x
    np.testing.assert_array_equal(x, [4, 4])


def test_updated_is_what_a_mutating_core_must_return() -> None:
    @rt.migrated(mutates=("x",))
    def forgot(x: Any) -> Any:
        return x

    with pytest.raises(RuntimeError, match=r"must return rt.updated\(result, x=x\)"):
        forgot(np.zeros(1))

    @rt.migrated(mutates=("x",))
    def widened(x: Any) -> Any:
        return rt.updated(None, x=tf.cast(x, tf.float64))

    x = np.zeros(1, np.float32)
    with pytest.raises(rt.UnverifiedError, match="nothing was written"):
        widened(x)


def test_a_core_can_be_compiled() -> None:
    compiled = tf.function(fill.core, autograph=False)
    result, final = compiled(tf.zeros(3, tf.float64), tf.constant(2.0, tf.float64))
    np.testing.assert_array_equal(result, [2, 2, 2])
    np.testing.assert_array_equal(final, [2, 2, 2])
    with pytest.raises(rt.UnverifiedError, match=r"double.core"):
        tf.function(double, autograph=False)(tf.zeros(3))


def test_tensors_and_variables_at_the_public_boundary() -> None:
    assert type(double(tf.ones(2))) is np.ndarray
    with pytest.raises(rt.UnverifiedError, match="pass an ndarray"):
        fill(tf.zeros(2), 1)
    variable = tf.Variable([0.0, 0.0])
    fill(variable, 3)
    np.testing.assert_array_equal(variable.numpy(), [3, 3])


def test_recursion_and_threads() -> None:
    @rt.migrated
    def power(x: Any, n: int) -> Any:
        return x if n == 1 else x * power.core(x, n - 1)

    np.testing.assert_array_equal(power(np.full(2, 2.0), 10), [1024, 1024])
    results: dict[int, Any] = {}
    threads = [threading.Thread(target=lambda k=k: results.update({k: double(np.full(100, k))})) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((results[k] == 2 * k).all() for k in range(8))


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


def test_exceptions_of_tensorflow_become_numpys() -> None:
    @rt.migrated
    def f(action: Any) -> Any:
        return action()

    cases = [
        (IndexError, lambda: tf.gather(tf.zeros(3), [7])),
        (IndexError, lambda: tf.zeros(3)[5]),
        (ValueError, lambda: tf.raw_ops.AddV2(x=tf.zeros(2), y=tf.zeros(3))),
        (ValueError, lambda: tf.reshape(tf.zeros(3), (2, 2))),
        (ValueError, lambda: tf.matmul(tf.zeros((2, 3)), tf.zeros((2, 3)))),
        (np.linalg.LinAlgError, lambda: tf.linalg.inv(tf.zeros((2, 2)))),
        (np.exceptions.AxisError, lambda: tf.reduce_sum(tf.zeros(3), axis=2)),
        (np.exceptions.AxisError, lambda: tf.concat([tf.zeros(3), tf.zeros(3)], axis=4)),
    ]
    for expected, action in cases:
        with pytest.raises(expected) as caught:
            f(action)
        assert type(caught.value).__module__.split(".")[0] in ("builtins", "numpy")
        assert type(caught.value.__cause__).__module__.startswith("tensorflow")
    with pytest.raises(KeyError):
        f(lambda: {}["missing"])


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(sys, "abiflags"), reason="needs fork")
def test_a_process_forked_after_tensorflow_ran_gets_a_clear_error() -> None:
    out = run(
        """
        import os
        import numpy as np
        from np2tnp import runtime as rt
        @rt.migrated
        def f(x): return x * 2
        def child(label):
            pid = os.fork()
            if not pid:
                for act in (lambda: f(np.ones(2)), lambda: rt.tensor(np.ones(2)), lambda: f.core(1)):
                    try:
                        act()
                        print(label, "worked", flush=True)
                    except RuntimeError as error:
                        print(label, "spawn" in str(error), flush=True)
                os._exit(0)
            os.waitpid(pid, 0)
        f(np.ones(2))
        child("after")
        print("parent", f(np.ones(2)).sum())
        """
    )
    assert out.split("\n")[:4] == ["after True", "after True", "after True", "parent 4.0"]


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
