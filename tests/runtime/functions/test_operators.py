"""Python's operators, matrix products, ufunc methods and rounding, against NumPy's."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from agreement import check, same
from arrays import NUMERIC, edge_values, shapes

from np2tnp import runtime as rt

BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
]


def compare(name, *operands):
    python = getattr(operator, name)
    helper = getattr(rt, "op_" + name.strip("_"))
    with np.errstate(all="ignore"):
        try:
            expected = python(*operands)
        except Exception as error:
            with pytest.raises(type(error)):
                helper(*rt.tensor(operands))
            return
        same(helper(*rt.tensor(operands)), expected, factor=16 if name in ("pow", "truediv", "abs") else 0)


@pytest.mark.parametrize("second", NUMERIC)
@pytest.mark.parametrize("name", BINARY)
def test_all_pairs_of_dtypes(name, second):
    for first in NUMERIC:
        compare(name, np.array([0, 1, 2, 3, 100, 5, 7]).astype(first), np.array([3, 2, 1, 5, 7, 9, 1]).astype(second))


@pytest.mark.parametrize("number", [2, 2.5, 0.5, -1, 300, True, 2.0, np.float32(2), np.int64(3), [1, 2, 3]], ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_numbers_as_operands(name, number):
    for char in "?bBlfd":
        x = np.array([1, 2, 5]).astype(char)
        compare(name, x, number)
        if not isinstance(number, (np.generic, list)):
            compare(name, number, x)


def test_python_values_keep_pythons_operators():
    assert type(rt.op_floordiv(7, 2)) is int
    assert rt.op_add([1], [2]) == [1, 2]
    assert rt.op_mul("ab", 2) == "abab"
    assert rt.op_mod("%d", 3) == "3"
    assert rt.op_eq(None, 3) is False
    with pytest.raises(ZeroDivisionError):
        rt.op_floordiv(1, 0)
    calls = []

    class Once:
        def __add__(self, other):
            calls.append(other)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        rt.op_add(Once(), 1)
    assert calls == [1]


def test_unary_operators():
    for char in NUMERIC:
        for name in ("neg", "pos", "abs", "invert"):
            compare(name, edge_values(char)[:4])


def test_membership_and_comparison_with_none():
    x = np.array([1.0, np.nan])
    assert rt.op_contains(tf.constant(x), 1) is True
    assert rt.op_contains(tf.constant(x), 7) is False
    held = tf.constant(x)
    assert rt.op_contains([held, 1], held) is True  # by identity, where == would be ambiguous
    assert rt.op_contains((2, held[0]), tf.constant(1.0)) is True
    assert rt.op_contains([2.0, 3], held[0]) is False
    with pytest.raises(ValueError, match="ambiguous"):
        rt.op_contains([tf.identity(held)], held)
    assert rt.op_eq(tf.constant(x), None).numpy().tolist() == [False, False]


@pytest.mark.parametrize("char", NUMERIC)
def test_products(char):
    rng = np.random.default_rng(4)
    for a, b in [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 0), (0, 2))]:
        x, y = (np.asarray(np.abs(rng.standard_normal(s)) * 3).astype(char) for s in (a, b))
        check("matmul", x, y, factor=16)
    check("matmul", np.zeros((2, 3), char), np.zeros((2, 3), char))


@pytest.mark.parametrize("char", "?lfd")
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logical_or", "bitwise_xor", "fmin", "gcd"])
def test_ufunc_methods(name, char):
    for x in shapes(char, (1,), (7,), (3, 4)):
        for axis in (0, -1):
            for method in ("reduce", "accumulate"):
                reference = getattr(getattr(np, name), method)
                check(f"{name}_{method}", x, axis=axis, claimed=False, reference=reference, factor=16)
        check(f"{name}_outer", x, x, claimed=False, reference=getattr(np, name).outer)
        check(f"{name}_outer", x, 2, claimed=False, reference=getattr(np, name).outer)


@pytest.mark.parametrize("char", NUMERIC)
def test_rounding_and_limits(char):
    for x in [*shapes(char, (), (6,)), edge_values(char)]:
        for decimals in (0, 1, 2, -1, -2):
            check("round", x, decimals, claimed=False)
        check("fix", x, claimed=char not in "FD")
        for low, high in [
            (0, 1),
            (1, 0),
            (None, 3),
            (0.5, 2.5),
            (-1000, 1000),
            (0, 300),
            (np.float32(1), 2),
            (300, 400),
        ]:
            check("clip", x, low, high, claimed=False)
        check("clip", x, min=2, claimed=False)
        check("nan_to_num", x)
        check("nan_to_num", x, nan=3, posinf=7.5, neginf=-2)
        for name in ("real", "imag"):
            check(name, x)
        check("angle", x, factor=4)


def test_parts_of_python_numbers_are_python_numbers():
    for number in (True, 2, 2.5, 3 - 4j):
        for part, expected in ((rt.real(number), number.real), (rt.imag(number), number.imag)):
            assert (type(part), part) == (type(expected), expected)


@pytest.mark.parametrize("char", NUMERIC)
def test_closeness(char):
    x = edge_values(char)
    for other in (x, np.roll(x, 1), 1, 1e-9):
        for name in ("isclose", "allclose", "array_equal", "array_equiv"):
            check(name, x, other)
        check("isclose", x, other, equal_nan=True)
        check("isclose", other, x, 1e-3, 1e-2)
    for name in ("iscomplex", "isreal"):
        check(name, x)
    for name in ("isneginf", "isposinf"):
        check(name, x, claimed=False)


@pytest.mark.parametrize("char", "efdB?")
@pytest.mark.parametrize("number", [2**40, 1e40, -1e300, True, 2])
def test_closeness_to_a_number_of_python_has_the_dtype_of_the_array(char: str, number: Any) -> None:
    x = np.array([1, 0, 1], char)
    values = (x, np.array([np.inf, 1, -np.inf], char)) if char in "efd" else (x,)
    with np.errstate(over="ignore"):
        for value in values:
            for tolerances in ({}, {"atol": 1e300}, {"rtol": np.float32(0.1)}):
                for first, second in ((value, number), (number, value)):
                    expected = np.isclose(first, second, **tolerances)
                    tensors = (rt.tensor(it) if it is value else it for it in (first, second))
                    found = rt.host(rt.isclose(*tensors, **tolerances))
                    np.testing.assert_array_equal(found, expected, f"{first}, {second}, {tolerances}")


@pytest.mark.parametrize("number", [2.5, 3, True, 1j, 2 + 0j, float("nan")])
def test_whether_a_number_of_python_is_real_is_a_bool_of_python(number: Any) -> None:
    expected = np.isreal(number)
    assert type(rt.isreal(number)) is type(expected) is bool
    assert rt.isreal(number) == expected


def test_containers_of_arrays_are_joined_only_where_that_was_expected() -> None:
    x = tf.constant([1.0])
    joined = [lambda **how: rt.op_add([x], [2], **how), lambda **how: rt.op_mul((x,), 2, **how)]
    joined += [lambda **how: rt.op_or({"a": 1}, {"b": [x]}, **how), lambda **how: rt.iadd([1], [x], **how)]
    joined += [lambda **how: rt.imul([x], 2, **how), lambda **how: rt.ior({"a": 1}, {"b": x}, **how)]
    for join in joined:
        with pytest.raises(rt.UnverifiedError, match="containers of arrays"):
            join()
        assert len(join(joins=True)) == 2
    assert rt.op_add([1], [np.ones(2)])[0] == 1  # what never was a tensor is nobody's copy
    assert rt.iadd([1], [2]) == [1, 2]


@pytest.mark.parametrize("char", "efd")
def test_half_powers_of_numbers_are_no_roots(char: str) -> None:
    kind = np.dtype(char).type
    for value in (-np.inf, -0.0, 0.0, np.inf, np.nan, 4.0, 2.0):
        for compiled in (False, True):
            power = tf.function(lambda x: rt.op_pow(x, 0.5)) if compiled else lambda x: rt.op_pow(x, 0.5)
            given = rt.host(power(tf.constant(kind(value))))
            np.testing.assert_equal(np.signbit(given), np.signbit(kind(value) ** 0.5))
            np.testing.assert_array_equal(given, kind(value) ** 0.5)
            array = rt.host(power(tf.constant([kind(value)])))
            np.testing.assert_array_equal(array, np.array([kind(value)]) ** 0.5)


@pytest.mark.parametrize("sequence", [[1, 2], (0.5,), "ab", b"x"])
def test_a_sequence_is_repeated_by_an_integer_element(sequence: Any) -> None:
    count = np.arange(4)[3]
    expected = sequence * count
    for result in (rt.op_mul(sequence, rt.tensor(count)), rt.op_mul(rt.tensor(count), sequence)):
        assert type(result) is type(expected)
        assert result == expected


@pytest.mark.parametrize("sequence", [[1, 2], (0.5,), "ab"])
@pytest.mark.parametrize("char", ["?", "f", "d", "D"])
def test_a_sequence_times_another_element_is_refused_as_by_numpy(sequence: Any, char: str) -> None:
    number = np.ones(3, char)[0]
    for x, y in ((sequence, number), (number, sequence)):
        with pytest.raises(TypeError):
            x * y
        with pytest.raises(TypeError):
            rt.op_mul(*(it if it is sequence else rt.tensor(it) for it in (x, y)))


@pytest.mark.parametrize("zero", [-0.0, np.float64(-0.0)])
@pytest.mark.parametrize("char", ["e", "f", "d"])
def test_a_negative_zero_of_pythons_keeps_its_sign(zero: float, char: str) -> None:
    """TensorFlow keeps the tensors of single numbers, and finds that of 0.0 for -0.0."""
    array = np.array([0.0, 0.5], char)
    x = rt.tensor(array)
    for number in (0.0, zero, 0.0):
        for result in (x * number, number * x):
            assert np.signbit(result.numpy()).tolist() == [bool(np.signbit(number))] * 2


@pytest.mark.parametrize("number", [complex(-0.0, 1.0), complex(0.0, -0.0), complex(-0.0, 0.0)])
def test_zeros_in_complex_numbers_keep_their_signs(number: complex) -> None:
    tf.constant(complex(0.0, 1.0)), tf.constant(0j)
    result = tf.constant(number).numpy()
    assert [np.signbit(part) for part in (result.real, result.imag)] == [
        np.signbit(part) for part in (number.real, number.imag)
    ]


@pytest.mark.parametrize("second", NUMERIC)
@pytest.mark.parametrize("name", ["add", "lt", "le", "gt", "ge"])
def test_the_operators_of_tensors_know_all_pairs_of_dtypes(name: str, second: str) -> None:
    """Rewritten code has them where an array's dtype is not known: TensorFlow adds no masks, orders no complex."""
    python = getattr(operator, name)
    y = np.array([3, 2, 0, 5]).astype(second)

    @rt.migrated
    def apply(a: Any, b: Any) -> Any:
        return python(a, b)

    for first in NUMERIC:
        x = np.array([0, 2, 1, 3]).astype(first)
        for a, b in ((x, y), (x, y[1]), (x[1], y)):
            found, expected = apply(a, b), python(a, b)
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == expected.dtype


def test_an_operator_of_tensors_raises_what_numpys_raises() -> None:
    @rt.migrated
    def add(x: Any, y: Any) -> Any:
        return x + y

    for other in (None, object(), np.ones(4)):
        with pytest.raises((TypeError, ValueError)) as numpys:
            np.ones(3) + other
        with pytest.raises(numpys.type):
            add(np.ones(3), other)
