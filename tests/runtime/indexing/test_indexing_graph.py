"""``rt.at(x)[key]`` inside ``tf.function``, plain and under XLA, with static and with symbolic indices."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from keys_strategy import arrays, keys, selected, values

from np2tnp import runtime as rt
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf

JIT = pytest.mark.parametrize("jit", [False, True], ids=["graph", "xla"])


def symbolic(data: st.DataObject, key: Any, operands: list[Any]) -> Any:
    """`key` with some parts replaced by their number in `operands`: (“operand”, n)."""
    if type(key) is tuple:
        return tuple(symbolic(data, part, operands) for part in key)
    if isinstance(key, slice):
        return slice(*(symbolic(data, bound, operands) for bound in (key.start, key.stop)), key.step)
    if (type(key) is int or (isinstance(key, (np.ndarray, list)) and np.size(key))) and data.draw(st.booleans()):
        operands.append(tf.constant(key))
        return Operand(len(operands) - 1)
    return key


class Operand(int):
    """Stands for the n-th operand of the compiled function."""


def filled(key: Any, operands: tuple[Any, ...]) -> Any:
    if type(key) is tuple:
        return tuple(filled(part, operands) for part in key)
    if isinstance(key, slice):
        return slice(filled(key.start, operands), filled(key.stop, operands), key.step)
    return operands[key] if isinstance(key, Operand) else key


@JIT
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_form_is_equal_or_refused(jit: bool, data: st.DataObject) -> None:
    x = data.draw(arrays(dtypes="?iBfdD"))
    key = data.draw(keys(x.shape))
    value = data.draw(values(selected(x.shape, key), x.dtype.char))
    assume(not isinstance(value, list))
    expected = x.copy()
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected[key] = value
    except (IndexError, ValueError, TypeError, OverflowError):
        assume(False)
    operands: list[Any] = []
    mixed = symbolic(data, key, operands)
    value = tf.constant(value) if isinstance(value, np.ndarray) else value

    def update(x: Any, *operands: Any) -> Any:
        return rt.at(x)[filled(mixed, operands)].set(value)

    def read(x: Any, *operands: Any) -> Any:
        return rt.at(x)[filled(mixed, operands)].get()

    for function, wanted in ((update, expected), (read, x[key])):
        compiled = tf.function(function, jit_compile=jit, autograph=False)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = compiled(tf.constant(x), *operands)
        except rt.UnverifiedError:
            continue
        np.testing.assert_array_equal(result.numpy(), wanted)
        assert result.dtype.as_numpy_dtype == x.dtype.type


CASES = [
    ((2,), ()),
    ((slice(1, -1), slice(1, -1)), (4, 4)),
    ((slice(None, None, 2),), (3, 6)),
    ((slice(None, None, -1), 3), (6,)),
    ((np.array([4, 1, 1]),), (3, 6)),
    ((slice(None), np.array([4, 1, 1])), (3,)),
    ((np.eye(6, dtype=bool),), (6,)),
    ((np.array([True, False] * 3),), (3, 6)),
]


@pytest.mark.parametrize("shape", [(1, 0), (2, 0, 3), (2, 3, 0), (2, 2, 0)])
@pytest.mark.parametrize("rank", [1, 2])
def test_masks_select_rows_without_elements(shape: tuple[int, ...], rank: int) -> None:
    x = np.zeros(shape)
    mask = np.ones(shape[:rank], bool)
    read = tf.function(lambda x, mask: rt.at(x)[mask].get(), autograph=False)
    assert read(tf.constant(x), mask).shape == x[mask].shape
    assert read(tf.constant(x), tf.constant(mask)).shape == x[mask].shape


@JIT
@pytest.mark.parametrize(("key", "shape"), CASES, ids=str)
@pytest.mark.parametrize("known", [True, False], ids=["static", "symbolic"])
def test_the_common_forms_are_not_refused(key: Any, shape: Any, known: bool, jit: bool) -> None:
    x = np.arange(36.0).reshape(6, 6)
    value = np.arange(float(np.prod(shape, dtype=int))).reshape(shape) - 100
    expected = x.copy()
    expected[key] = value
    operands = [] if known else [tf.constant(part) for part in key if not isinstance(part, slice)]
    bounds = [] if known else [tf.constant(1), tf.constant(-1)]

    def fill(operands: Any) -> Any:
        rest = iter(operands[: len(operands) - len(bounds)])
        low, high = operands[-2:] if bounds else (None, None)
        return tuple(
            part
            if known
            else (slice(low, high) if part == slice(1, -1) else part)
            if isinstance(part, slice)
            else next(rest)
            for part in key
        )

    compiled = tf.function(lambda x, v, *o: rt.at(x)[fill(o)].set(v), jit_compile=jit, autograph=False)
    result = compiled(tf.constant(x), tf.constant(value), *operands, *bounds)
    np.testing.assert_array_equal(result.numpy(), expected)


def test_indices_out_of_range_raise_when_the_graph_runs() -> None:
    x = tf.zeros((3, 4))
    update = tf.function(lambda x, i: rt.at(x)[i].set(1.0), autograph=False)
    read = tf.function(lambda x, i: rt.at(x)[i].get(), autograph=False)
    for function in (update, read):
        for index in (3, -4, [0, 5]):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"out of bounds|does not index|is not in"):
                function(x, tf.constant(index))
    wrong = tf.function(lambda x, m, v: rt.at(x)[m].set(v), autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="the mask does not select"):
        wrong(x, x > 0, tf.ones(5))


def test_the_boundary_translates_them() -> None:
    compiled = tf.function(lambda x, i: rt.at(x)[i].set(1.0), autograph=False)
    public = rt.migrated(lambda x, i: compiled(x, tf.constant(i)))
    # inside a graph our check and the kernel's own run at the same time: either may speak first
    with pytest.raises(IndexError, match=r"out of bounds for axis 0 with size 3|does not index into shape"):
        public(np.zeros(3), 7)


def test_static_errors_raise_while_tracing() -> None:
    x = tf.zeros((3, 4))
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        tf.function(lambda x: rt.at(x)[3].set(1.0), autograph=False)(x)
    with pytest.raises(ValueError, match="could not broadcast"):
        tf.function(lambda x: rt.at(x)[0].set(np.zeros(3)), autograph=False)(x)
    with pytest.raises(rt.UnverifiedError, match="no exact form inside"):
        tf.function(lambda x, i: rt.at(x)[None, i, :, [0]].set(1.0), autograph=False)(x, tf.constant(0))


def test_a_static_begin_beside_a_symbolic_index_in_a_compiled_loop() -> None:
    """XLA reads such a slice from 0 when it is one strided slice (TensorFlow 2.21)."""
    x = np.arange(24.0).reshape(3, 4, 2)

    @tf.function(jit_compile=True, autograph=False)
    def total(x: Any) -> Any:
        def body(k: Any, s: Any) -> Any:
            return k + 1, s + tf.reduce_sum(rt.at(x)[1:, :, k].get())

        return tf.while_loop(lambda k, s: k < 2, body, (tf.constant(0), tf.constant(0.0, tf.float64)))[1]

    assert total(tf.constant(x)).numpy() == x[1:].sum()


@JIT
def test_staged_loops_through_autograph(jit: bool) -> None:
    @rt.migrated(mutates=("x",))
    def relax(x: Any, n: Any) -> Any:
        for k in tf.range(n):
            x = rt.at(x)[1:-1].set(0.5 * (rt.at(x)[:-2].get() + rt.at(x)[2:].get()))
            x = rt.iadd(x, 1.0)
            x = rt.at(x)[k].add(2.0)
        return rt.updated(None, x=x)

    expected = np.arange(8.0)
    for k in range(3):
        expected[1:-1] = 0.5 * (expected[:-2] + expected[2:])
        expected += 1
        expected[k] += 2
    _, result = tf.function(relax.core, jit_compile=jit)(tf.constant(np.arange(8.0)), tf.constant(3))
    np.testing.assert_array_equal(result.numpy(), expected)


@JIT
def test_a_list_of_symbols_is_stored(jit: bool) -> None:
    """``R[:2, :2] = [[c, -s], [s, c]]``; in an array of integers each item would be cast by itself."""

    def turned(x: Any, angle: Any) -> Any:
        c, s = rt.cos(angle), rt.sin(angle)
        x = rt.at(x)[:2, :2].set([[c, -s], [s, c]])
        return rt.at(x)[2].set([1, c, True])

    for kind in ("f", "d", "D"):
        expected = np.eye(3, dtype=kind)
        c, s = np.cos(0.3), np.sin(0.3)
        expected[:2, :2] = [[c, -s], [s, c]]
        expected[2] = [1, c, True]
        found = tf.function(turned, jit_compile=jit)(tf.constant(np.eye(3, dtype=kind)), tf.constant(0.3, tf.float64))
        np.testing.assert_array_max_ulp(found.numpy().real, expected.real, 2)
    with pytest.raises(Unsupported, match="a list of values that only the graph knows"):
        tf.function(turned, jit_compile=jit)(tf.constant(np.eye(3, dtype=int)), tf.constant(0.3, tf.float64))
