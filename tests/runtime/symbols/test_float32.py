"""``rt.migrated(float32=True)``: float32 inside, NumPy's dtypes outside."""

from __future__ import annotations

import importlib
import threading

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base import precision
from np2tnp.runtime.compile import compiled

SMALL = np.array([0.1, 0.2, 0.3])
#: What a region can do to make double precision of something else.
MAKERS = {
    "zeros": lambda x, b: rt.zeros(3),
    "dtype": lambda x, b: rt.zeros((2,), np.float64),
    "dtype word": lambda x, b: rt.ones(3, dtype="float64"),
    "dtype type": lambda x, b: rt.astype(b, float),
    "dtype of array": lambda x, b: rt.astype(b, rt.dtype(x)),
    "linspace": lambda x, b: rt.linspace(0, 1, 5),
    "arange": lambda x, b: rt.arange(0.0, 1.0, 0.25),
    "list": lambda x, b: rt.array([1.0, 2.0]),
    "grid": lambda x, b: rt.mgrid[0:1:5j],
    "weak": lambda x, b: rt.op_mul(b, 0.5),
    "quotient": lambda x, b: rt.op_truediv(b, 3),
    "mixed": lambda x, b: rt.op_add(x, b),
    "scalar": lambda x, b: rt.op_mul(x, np.float64(0.1)),
    "host array": lambda x, b: rt.op_mul(x, SMALL),
    "entered": lambda x, b: rt.tensor(SMALL),
    "mean": lambda x, b: rt.mean(b),
    "in place": lambda x, b: rt.iadd(rt.sum(b), 1.5),
    "ufunc": lambda x, b: rt.exp(b),
    "power": lambda x, b: rt.op_pow(x, b),
    "where": lambda x, b: rt.where(rt.op_gt(x, 0.15), 1.0, x),
    "fft": lambda x, b: rt.fft.fft(b),
    "norm": lambda x, b: rt.linalg.norm(b),
    "polynomial": lambda x, b: rt.polyfit(b, x, 1),
    "interpolation": lambda x, b: rt.interp(x, b, x),
    "replayed": lambda x, b: rt.apply_along_axis(np.sum, 0, x),
    "device draws": lambda x, b: rt.random.normal(size=3),
    "complex": lambda x, b: rt.op_mul(x, 1j),
    "several": lambda x, b: rt.modf(b),
}


def single(function, **options):
    return rt.migrated(float32=True, **options)(function)


def dtypes_of_operations(function, *args):
    """The dtypes of all that TensorFlow computed while `function` ran."""
    callbacks = importlib.import_module("tensorflow.python.framework.op_callbacks")
    seen = set()

    def note(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        seen.update(output.dtype.name for output in outputs)
        return outputs

    callbacks.add_op_callback(note)
    try:
        function(*args)
    finally:
        callbacks.remove_op_callback(note)
    return seen


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_everything_inside_is_single(maker):
    inside = []

    def body(x, b):
        result = maker(x, b)
        inside.extend(part.dtype.name for part in (result if isinstance(result, tuple) else (result,)))
        return result

    arguments = SMALL, np.arange(3)
    result = single(body)(*arguments)
    exact = rt.migrated(maker)(*arguments)
    assert set(inside) <= {"float32", "complex64"}
    for part, expected in zip(np.atleast_1d(result), np.atleast_1d(exact), strict=True):
        assert part.dtype == expected.dtype
        if maker is not MAKERS["device draws"]:
            assert np.allclose(part, expected, rtol=1e-5, atol=1e-6)


def test_a_stencil_runs_without_any_double():
    def relax(field, steps):
        for _ in range(steps):
            field = rt.at(field)[1:-1].set(rt.op_mul(0.5, rt.op_add(field[:-2], field[2:])))
        return rt.updated(rt.op_mul(rt.sum(field), np.float64(2)), field=field)

    field = np.random.default_rng(0).random(100)
    before = field.copy()
    seen = dtypes_of_operations(single(relax, mutates=("field",)), field, 3)
    assert "float32" in seen
    assert "float64" not in seen
    assert field.dtype == np.float64
    assert not np.array_equal(field, before)
    assert "float64" in dtypes_of_operations(rt.migrated(mutates=("field",))(relax), before, 3)


def test_what_the_body_did_not_touch_keeps_all_its_digits():
    def first(x):
        return rt.updated(None, x=rt.at(x)[0].set(0.5))

    x = np.array([0.1, 0.2, np.nan, -0.0, np.pi])
    expected = x.copy()
    expected[0] = 0.5
    single(first, mutates=("x",))(x)
    assert x.tobytes() == expected.tobytes()
    z = np.array([0.1 + 0.2j, 0.3j])
    single(first, mutates=("x",))(z)
    assert z[0] == 0.5
    assert z[1] == 0.3j


def test_a_returned_argument_is_the_callers_object():
    x = np.array([0.1, 0.2])
    assert single(lambda x: x, returns=("x",))(x) is x


@pytest.mark.parametrize("dtype", ["f4", "c8", "f2"])
def test_small_arguments_run_as_they_are(dtype):
    x = np.array([1, 2, 3]).astype(dtype)

    def body(x):
        return rt.op_mul(x, 2.0), rt.zeros(2), rt.op_add(x, rt.ones(3))

    for mine, plain in zip(single(body)(x), rt.migrated(body)(x), strict=True):
        assert mine.dtype == plain.dtype
        assert mine.tobytes() == plain.tobytes()


@pytest.mark.parametrize("dtype", ["i2", "u2"])
def test_roots_of_small_integers_run_as_they_are_where_no_call_begins_again(dtype):
    """They are float32 for NumPy, and float32 stands for float64: it would be refused after the function began."""
    began = []

    def halved(x):
        began.append(x)
        y = np.sqrt(x)
        y /= 3
        return y

    @rt.migrated(float32=True, original=halved, on_unverified="numpy")
    def body(x):
        began.append(x)
        return rt.itruediv(rt.sqrt(x), 3)

    found = body(np.array([4, 9]).astype(dtype))
    assert len(began) == 1
    assert found.dtype == np.float32
    assert found.tolist() == halved(np.array([4, 9]).astype(dtype)).tolist()


REFUSED = {
    "too small": lambda x: rt.maximum(x, 1e-300),
    "too large": lambda x: rt.op_mul(x, -1e200),
    "scalar too small": lambda x: rt.op_add(x, np.finfo(float).tiny),
    "stored too small": lambda x: rt.at(x)[0].set(1e-300),
    "in a list": lambda x: rt.array([1.0, 1e300]),
    "astype": lambda x: rt.astype(x, np.float32),
    "astype word": lambda x: rt.astype(x, "f"),
    "dtype": lambda x: rt.zeros(3, dtype="c8"),
    "half": lambda x: rt.zeros(3, np.float16),
    "state": lambda x: rt.op_add(x, rt.tensor(np.ones(3, np.float32))),
    "small integers": lambda x: rt.sqrt(rt.astype(x, np.int16)),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_float32_cannot_stand_for_is_refused(body):
    function = single(body)
    with pytest.raises(rt.UnverifiedError, match=r"float32|float16|stands for"):
        function(np.ones(3))
    assert not precision.is_single()
    with_original = single(body, original=lambda x: "NumPy", on_unverified="numpy", pure=True)
    assert with_original(np.ones(3)) == "NumPy"


def test_numbers_out_of_range_are_refused_before_anything_happens():
    x = np.array([1.0, 1e39])
    with pytest.raises(rt.UnverifiedError, match="cannot hold"):
        single(lambda x: rt.updated(None, x=rt.op_mul(x, 2)), mutates=("x",))(x)
    assert x.tolist() == [1.0, 1e39]
    assert single(rt.sum)(np.array([np.inf, 1.0])) == np.inf


@rt.migrated(float32=True, mutates=("x",))
def halve(x):
    assert x.dtype.name == "float32"
    return rt.updated(rt.dtype(x), x=rt.op_mul(x, 0.5))


@rt.migrated
def double(x):
    return x, rt.op_mul(x, 2.0), x.dtype.name


def test_cores_of_the_other_precision_get_and_give_their_callers():
    def single_caller(x):
        same, twice, name = double.core(x)
        assert twice.dtype.name == "float32"
        assert same is x
        return same, twice, name

    def exact_caller(x):
        dtype, x = halve.core(x)
        assert x.dtype.name == "float64"
        return rt.updated(dtype, x=x)

    x = np.array([1.0, 3.0])
    same, twice, name = single(single_caller, returns=("x",))(x)
    assert (same is x, twice.tolist(), twice.dtype, name) == (True, [2.0, 6.0], np.float64, "float64")
    assert rt.migrated(mutates=("x",))(exact_caller)(x) == np.float64
    assert x.tolist() == [0.5, 1.5]


def test_public_functions_say_their_own_precision():
    seen = []

    @rt.migrated
    def exact(x):
        seen.append(x.dtype.name)
        return x

    def body(x):
        given = rt.host(x)
        seen.append(given.dtype.name)  # what foreign code gets
        exact(given)
        return rt.tensor(given)

    single(body)(np.ones(2))
    assert seen == ["float64", "float64"]


def test_a_thread_beside_keeps_numpys_precision():
    seen = []

    def body(x):
        other = threading.Thread(target=lambda: seen.append(rt.migrated(lambda: rt.zeros(2).dtype.name)()))
        other.start()
        other.join()
        return rt.zeros(2).dtype.name

    assert single(body)(np.ones(1)) == "float32"
    assert seen == ["float64"]


def test_the_precision_ends_with_the_call():
    def fails(x):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        single(fails)(np.ones(1))
    assert precision.active == 0
    assert rt.zeros(2).dtype.name == "float64"


def test_state_stays_double():
    class Layer:
        def __init__(self):
            self.w = np.array([0.1, 0.2])

        @rt.migrated(float32=True, updates=(".w",))
        def learn(self, g):
            self.w -= rt.host(rt.op_mul(g, 0.5))
            return rt.op_matmul(rt.tensor(self.w), g), rt.nbytes(g), rt.itemsize(g)

    layer = Layer()
    product, size, item = layer.learn(np.array([0.25, 0.5]))
    assert layer.w.dtype == np.float64
    assert np.allclose(layer.w, [-0.025, -0.05], rtol=1e-6)
    assert (product.dtype, size, item) == (np.float64, 16, 8)


def test_uniform_draws_stay_below_one(monkeypatch):
    drawn = single(lambda: rt.random.random(200_000))()
    assert drawn.dtype == np.float64
    assert drawn.max() < 1
    from np2tnp.runtime.functions.random import distributions

    nearly = np.full(3, np.nextafter(1.0, 0.0))
    monkeypatch.setattr(distributions.Source, "uniform", lambda self: rt.tensor(nearly))
    assert single(lambda: rt.random.random(3))().max() < 1


@pytest.mark.parametrize("mode", ["graph", "xla"])
def test_one_function_compiles_for_either_precision(mode):
    def body(x, n):
        x = rt.fori_loop(0, n, lambda i, x: rt.op_add(rt.op_mul(x, 0.5), rt.sin(x)), x)
        return x, rt.zeros(2), rt.dtype(x)

    function = single(body, compile=mode)
    compiled.RUNS.clear()
    x = np.array([0.1, 0.2])
    wide = function(x, 3)
    small = function(x.astype(np.float32), 3)
    assert compiled.RUNS == {"compiled": 2}
    assert (wide[0].dtype, wide[1].dtype, wide[2]) == (np.float64, np.float64, np.float64)
    assert (small[0].dtype, small[1].dtype, small[2]) == (np.float32, np.float64, np.float32)
    assert np.array_equal(wide[0].astype(np.float32), small[0])
