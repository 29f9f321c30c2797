"""The program's own TensorFlow beside migrated functions of the same module: each has its own operators and items."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from np2tnp import runtime as rt
from np2tnp.runtime import tnp


@pytest.fixture(scope="module", autouse=True)
def started() -> None:
    rt.start()


SMALL = np.array([5, 3, 7], np.int8)
#: int8 halved: NumPy's are float64, TensorFlow's are float32.
NUMPYS = tf.float64


def halved(x: Any) -> Any:
    return x / 2


def with_tensorflow(x: Any) -> Any:
    return tf.identity(x) / 2


half = lambda x: x / 2  # noqa: E731


@rt.migrated
def migrated(x: Any) -> Any:
    def inner(y: Any) -> Any:
        return y / 2

    found = [x / 2, inner(x), (lambda y: y / 2)(x), *[y / 2 for y in [x]], eval("x / 2")]
    return [it.dtype.name for it in found]


@pytest.mark.parametrize("own", [halved, with_tensorflow, half])
@pytest.mark.parametrize("staged", [False, True])
def test_the_programs_own_operators_are_tensorflows(own: Any, staged: bool) -> None:
    x = tf.constant(SMALL)
    call = tf.function(own) if staged else own
    expected = types.FunctionType(own.__code__, {"tf": tf})(x)  # of a module that has no runtime
    assert call(x).dtype == expected.dtype != NUMPYS


def test_gradients_of_own_formulas_are_tensorflows() -> None:
    """NumPy's remainder is computed otherwise, and is flat where it jumps."""

    def loss(a: Any) -> Any:
        return a % 3

    a = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = loss(a * 1.0)
    assert float(tape.gradient(y, a)) == 1.0


def test_items_and_ragged_tensors_of_own_code_are_tensorflows() -> None:
    @tf.function
    def picked(t: Any, i: Any) -> Any:
        return t[i, tf.newaxis], t[tf.shape(t)[0] - 1]

    one, last = picked(tf.constant([1.0, 3.0, 5.0]), tf.constant(1))
    assert (one.numpy().tolist(), float(last)) == ([3.0], 5.0)
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    assert (tf.constant(2.0) * rows).to_list() == [[2.0], [4.0, 6.0]]


def test_all_code_in_a_migrated_function_asks() -> None:
    assert set(migrated(SMALL)) == {"float64"}


@rt.migrated
def chosen(x: Any) -> Any:
    if x[0] > 4:  # noqa: SIM108 - AutoGraph makes functions of the branches
        y = x / 2
    else:
        y = x / 3
    return y


def test_copies_that_autograph_makes_of_migrated_functions_ask() -> None:
    @tf.function
    def own(t: Any) -> Any:
        return chosen.core(t), t / 2

    numpys, tensorflows = own(tf.constant(SMALL))
    assert numpys.dtype == NUMPYS
    assert tensorflows.dtype != NUMPYS


def test_copies_of_own_code_are_not_taken_for_functions_of_that_name_in_other_modules() -> None:
    rewritten: dict[str, Any] = {"rt": rt}
    text = "@rt.migrated\ndef halved(x):\n    return x / 2\n"
    exec(compile(text, "elsewhere.py", "exec"), rewritten)

    @tf.function
    def halved(t: Any) -> Any:
        return t / 2

    assert halved(tf.constant(SMALL)).dtype != NUMPYS


def by_runtime(x: Any) -> Any:
    return rt.sort(x) / 2


def by_tnp(x: Any) -> Any:
    return tnp.asarray(x) / 2


@pytest.mark.parametrize("code", [by_runtime.__code__, by_tnp.__code__])
def test_what_names_the_runtime_asks_without_a_wrapper(code: types.CodeType) -> None:
    x = tf.constant(SMALL)
    for each in (code, code.replace(co_firstlineno=1000)):
        assert types.FunctionType(each, globals())(x).dtype == NUMPYS


def test_code_outside_of_functions_asks_unless_it_names_tensorflow() -> None:
    scope: dict[str, Any] = {"rt": rt, "tf": tf, "x": tf.constant(SMALL)}
    exec(compile("a = x / 2\nclass C:\n    b = x / 2", "script.py", "exec"), scope)
    exec(compile("c = tf.identity(x) / 2", "script.py", "exec"), scope)
    assert scope["a"].dtype == scope["C"].b.dtype == NUMPYS
    assert scope["c"].dtype != NUMPYS


def test_former_copies_of_the_runtime_ask_for_all_code_of_a_module() -> None:
    former: Any = types.ModuleType("former")
    former.__dict__.update(EXACT_OPERATORS=True, op_truediv=rt.op_truediv)
    assert types.FunctionType(halved.__code__, {"rt": former})(tf.constant(SMALL)).dtype == NUMPYS
