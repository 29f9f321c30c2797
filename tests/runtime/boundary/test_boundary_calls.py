"""``rt.migrated``: methods, cores, threads, processes and exceptions."""

from __future__ import annotations

import collections
import functools
import inspect
import re
import sys
import textwrap
import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from forked_python import python

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import is_tensor
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


def test_coroutines_are_refused_when_decorated() -> None:
    async def generate(x: Any) -> Any:
        return x

    with pytest.raises(TypeError, match="coroutines"):
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


def test_exceptions_of_tensorflow_become_numpys() -> None:
    @rt.migrated
    def f(action: Any) -> Any:
        return action()

    cases = [
        (IndexError, lambda: tf.gather(tf.zeros(3), [7])),
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
    done = python("-c", textwrap.dedent(code))
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


@pytest.mark.skipif(not hasattr(sys, "abiflags"), reason="needs fork")
def test_a_process_forked_after_tensorflow_ran_calls_originals() -> None:
    out = run(
        """
        import multiprocessing
        import numpy as np
        from np2tnp import runtime as rt
        def f_numpy(x): return np.exp(x).sum()
        @rt.migrated(original=f_numpy, on_unverified="numpy")
        def f(x): return rt.sum(rt.exp(x))
        class Model:
            scale = 2.0
            def g_numpy(self, x): return f(x) * self.scale
            @rt.migrated(original=g_numpy, on_unverified="numpy")
            def g(self, x): return rt.op_mul(f.core(x), self.scale)
        x = np.zeros(3)
        print(f(x), Model().g(x))
        with multiprocessing.get_context("fork").Pool(1) as pool:
            print(*pool.map(f, [x, x]), *pool.map(Model().g, [x]))
        """
    )
    assert out.split("\n")[:2] == ["3.0 6.0", "3.0 3.0 6.0"]


def test_what_a_tensor_says_of_indices_and_objects_is_a_type_error() -> None:
    @rt.migrated
    def f(x: Any, action: Any) -> Any:
        return action(x)

    with pytest.raises(TypeError, match=r"^'numpy.float64' object cannot be interpreted as an integer$"):
        f(np.ones(3), lambda x: range(x[0]))
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        f(np.ones(3), lambda x: ["a", "b"][x[0]])
    with pytest.raises(TypeError):
        f(np.ones(3), lambda x: x + None)
    with pytest.raises(AttributeError, match="'__index__'"):
        f(np.ones(3), lambda x: "a".__index__())


@pytest.mark.parametrize("foreign", [Fraction(1, 2), np.timedelta64(3, "s"), np.array([1, 2], "m8[s]")])
def test_what_has_no_common_dtype_with_a_tensor_meets_numpys(foreign: Any) -> None:
    @rt.migrated(hosted=("get",))
    def f(x: Any, get: Any) -> Any:
        return get() * rt.sum(x)

    found, expected = f(np.ones(3), lambda: foreign), foreign * np.sum(np.ones(3))
    assert type(found) is type(expected)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"])
def test_integers_that_the_dtype_cannot_hold_overflow_as_numpys(dtype: str) -> None:
    @rt.migrated
    def f(x: Any, k: Any) -> Any:
        return x + k

    limits = np.iinfo(dtype)
    x = np.array([1, 2], dtype)
    for k in (limits.min - 1, limits.max + 1, -(2**70)):
        if dtype != "i8":  # TensorFlow's own ValueError
            with pytest.raises(OverflowError) as numpys:
                x + int(k)
            with pytest.raises(OverflowError, match=re.escape(str(numpys.value))) as caught:
                f(x, int(k))
            assert type(caught.value) is OverflowError
    assert f(x, int(limits.min)).tolist() == (x + int(limits.min)).tolist()


def test_a_type_error_of_the_body_is_its_own() -> None:
    @rt.migrated
    def f(x: Any) -> Any:
        return rt.sum(x) * np.zeros(2, dtype=5)  # type: ignore[call-overload]

    with pytest.raises(TypeError, match="as a data type") as caught:
        f(np.ones(3))
    assert not isinstance(caught.value, rt.UnverifiedError)


def test_who_looks_at_the_parameters_sees_the_originals() -> None:
    def f(x: Any, n: int = 3, *, flag: bool = False) -> Any:
        return x * n

    f.__annotations__ = {"n": int}
    migrated = rt.migrated(f)
    by_size = rt.migrated(original=f, above=5)(f)
    for function in (migrated, by_size):
        assert function.__defaults__ == (3,)
        assert function.__kwdefaults__ == {"flag": False}
        assert inspect.getfullargspec(function) == inspect.getfullargspec(f)
        assert inspect.signature(function) == inspect.signature(f)
        np.testing.assert_array_equal(function(np.ones(2)), [3, 3])
    f.__annotations__ = {"n": "int"}
    assert inspect.signature(rt.migrated(f), eval_str=True).parameters["n"].annotation is int


def test_a_container_that_is_given_back_is_the_callers_own() -> None:
    @rt.migrated(returns=("first", "second"))
    def chosen(first: Any, second: Any, both: bool = False) -> Any:
        return [first, second] if both else second

    for own in ([np.ones(2)], (np.ones(2), [np.zeros(3)]), {"a": np.ones(2)}, [1, 2.5]):
        assert chosen(None, own) is own
        assert chosen(own, own) is own
        pair = chosen(own, [own], both=True)
        assert pair[0] is own
        assert pair[1][0] is own
    numbers = [np.float64(2.0)]
    assert chosen(None, numbers) == numbers
