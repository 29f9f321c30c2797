"""The operators and items of tensors, eager ones and those of graphs: what NumPy and the helpers give, bit by bit, and
for other code what TensorFlow gives.
"""

from __future__ import annotations

import operator
import sys
import types
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from arrays import NUMERIC, edge_values

from np2tnp import runtime as rt
from np2tnp.runtime.boundary.door import note_rewritten
from np2tnp.runtime.indexing.eager_operators import HELPERS

note_rewritten(sys._getframe().f_code)  # all code of this file

OPERATORS = "add sub mul truediv floordiv mod pow and or xor lshift rshift lt le gt ge eq ne matmul".split()
REFLECTED = "add sub mul truediv floordiv mod pow and or xor lshift rshift".split()
OF_ONE: dict[str, Any] = {"neg": lambda x: -x, "pos": lambda x: +x, "abs": lambda x: abs(x), "invert": lambda x: ~x}
NUMBERS = [0, 1, -1, 3, 300, 2**24 + 1, 2**53 + 1, 2**63, 10**400, 0.0, -0.0, 0.1, 1e300, -np.inf, np.nan]
NUMBERS += [True, 2j, complex(-0.0, -0.0), np.float64(0.1), np.float32(0.1), np.int64(3), None, [1.0, 2.0]]


@pytest.fixture(scope="module", autouse=True)
def started() -> None:
    rt.start()


def outcome(method: Any, *operands: Any) -> Any:
    try:
        found = method(*operands)
    except Exception as error:
        return type(error)
    return (found.dtype, found.shape, found.numpy().tobytes()) if tf.is_tensor(found) else found


def agree(name: str, *operands: Any) -> None:
    """That the eager operator gives what NumPy's helper gives, or for other code than ours what TensorFlow's gives."""
    own = getattr(type(operands[0]), f"__{name}__")
    plain = getattr(tf.Tensor, f"__{name}__", None)
    assert own is not plain
    expected = outcome(plain, *operands) if plain is not None else NotImplemented
    if name == "getitem":
        by_helper = outcome(lambda x, key: rt.at(x)[key].get(), *operands)
    else:
        helper, reflected = HELPERS[f"__{name}__"]
        by_helper = outcome(getattr(rt, f"op_{helper}"), *(operands[::-1] if reflected else operands))
    assert outcome(own, *operands) == by_helper, (name, operands, by_helper)
    others = _OF_OTHERS(own, *operands)
    raises = isinstance(expected, type)
    exact = name in ("pow", "rpow")  # whole numbers stay whole (exact_floats.py)
    assert others == expected or ((raises or exact) and others == by_helper), (name, operands, expected)


#: :func:`outcome` as a module has it that knows nothing of the runtime.
_OF_OTHERS = types.FunctionType(outcome.__code__, {"tf": tf})


def values(dtype: str) -> Any:
    return rt.tensor(edge_values(dtype)[:12])


@pytest.mark.parametrize("name", OPERATORS)
def test_two_tensors(name: str) -> None:
    for first in NUMERIC:
        x = values(first)
        for second in NUMERIC:
            agree(name, x, x[:1] if second == first else values(second)[:1])
        agree(name, x, x)
        agree(name, x, x[1:])  # shapes that do not fit
        agree(name, x[:0], x[:1])
        agree(name, x[3], x[2])


@pytest.mark.parametrize("name", OPERATORS)
def test_a_number(name: str) -> None:
    for dtype in NUMERIC:
        for number in NUMBERS:
            agree(name, values(dtype), number)
            if name in REFLECTED:
                agree(f"r{name}", values(dtype), number)


def test_products_of_matrices() -> None:
    for dtype in NUMERIC:
        x = rt.tensor(np.arange(6).reshape(2, 3).astype(dtype))
        for y in (x[0], tf.transpose(x), x, tf.transpose(x)[None], x[:0], x[0, 0]):
            agree("matmul", x, y)
            agree("matmul", y, x)


KEYS: list[Any] = [
    0,
    -1,
    3,
    7,
    True,
    None,
    ...,
    (),
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(5, 1, -2),
]
KEYS += [(0, 1), (slice(None), 0), (..., 1), (None, 0), (slice(1, 1), 2), (0, slice(None, None, 2)), (1, 2, 0), 1.5]
KEYS += [np.int64(2), (np.int32(-1), slice(None)), (slice(None), None), [0, 2], np.array([1, 0]), np.array([True] * 4)]
KEYS += [(slice(None), slice(None)), slice(2.0), "a"]


@pytest.mark.parametrize("key", [*KEYS, "tensor", "mask", "slice"], ids=str)
def test_items(key: Any) -> None:
    made = {
        "tensor": tf.constant(2),
        "mask": tf.constant([True, False, True, False]),
        "slice": slice(tf.constant(1), 3),
    }
    for shape in ((4, 3), (4,), (), (4, 0)):
        x = tf.constant(np.arange(int(np.prod(shape))).reshape(shape), tf.float64)
        found = made.get(key, key) if isinstance(key, str) else key
        agree("getitem", x, found)
        if not isinstance(outcome(operator.getitem, x, found), type):
            assert x[found] is not x  # a copy is another array than the one that it was made of


@pytest.mark.parametrize(
    ("formula", "ops"),
    [
        (lambda x, y: x + y, {"AddV2": 1}),
        (lambda x, y: 2 * x - 1.5, {"Mul": 1, "Sub": 1}),
        (lambda x, y: x[1:], {"StridedSlice": 1}),
        (lambda x, y: x[1], {"StridedSlice": 1}),
        (lambda x, y: x > 0, {"Greater": 1}),
    ],
)
def test_one_operation_each(formula: Any, ops: dict[str, int]) -> None:
    x = rt.tensor(np.array([1.0, -2.0]))
    with rt.count_ops() as count:
        formula(x, x)
    assert count.ops == ops


def test_gradients_and_graphs() -> None:
    x = rt.tensor(np.array([1.0, 2.0, 3.0]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 2 * x[1:] * x[:-1] + x[0] ** 2
    assert tape.gradient(y, x).numpy().tolist() == [8.0, 8.0, 4.0]

    @tf.function
    def traced(y: Any) -> Any:
        return (x[1:] + 1.0) * y[1:] - x[0]  # x is an eager tensor beside a symbolic one

    assert traced(x).numpy().tolist() == [5.0, 11.0]


def test_minus_zero_as_a_number() -> None:
    x = rt.tensor(np.array([-0.0, 1.0]))
    for zero, signs in ((-0.0, [True, True]), (0.0, [True, False]), (-0.0, [True, True])):
        assert np.signbit((x[:1] + zero).numpy()).tolist() == [bool(np.signbit(zero))]
        assert np.signbit((zero * x).numpy()).tolist() == [not signs[1], signs[1]]


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i4", "u8", "i8"])
def test_integers_beyond_the_dtype_are_compared_as_numpy_does(dtype: str) -> None:
    array = np.array([1, 0], dtype)
    tensor = rt.tensor(array)
    for number in (-1, 300, 2**40, 2**63, -(2**70), 2**70):
        for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
            np.testing.assert_array_equal(compare(tensor, number), compare(array, number))
            np.testing.assert_array_equal(compare(number, tensor), compare(number, array))
        np.testing.assert_array_equal(max(number, tensor[0]), max(number, array[0]))


@pytest.mark.parametrize("sign", ["lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize("signed", ["int64", "int8"])
def test_unsigned_integers_are_compared_exactly(sign: str, signed: str) -> None:
    left = np.array([2**63 - 1, 2**53 + 1, -1, 3] if signed == "int64" else [5, -1, -128, 127], signed)
    right = np.array([2**63, 2**53, 2**64 - 1, 3], np.uint64)
    for one, other in ((left, right), (right, left)):
        compare = getattr(operator, sign)
        found = compare(tf.constant(one), tf.constant(other))
        assert np.asarray(found).tolist() == compare(one, other).tolist()


BESIDE: list[Any] = [2, -1, 0, 300, 2.5, -0.0, True, 2j, np.float64(0.1), np.float32(0.1), np.int8(3), [1.5, 2, 0, 1]]
BESIDE += [None, np.arange(3), np.ones(4, np.int16), np.array([1.5, 2, 0, 1], np.float16)]


def of_two(name: str) -> Any:
    """The operator as rewritten code writes it."""
    return divmod if name == "divmod" else getattr(operator, f"{name}_" if name in ("and", "or") else name)


@pytest.mark.parametrize("name", [*OPERATORS, "divmod"])
def test_they_are_numpys(name: str) -> None:
    of = of_two(name)
    for dtype in NUMERIC:
        x = np.array([3, 2, 0, 5]).astype(dtype)
        for other in (*BESIDE, x[1:], x.astype(np.float32), x[:, None].astype(np.uint8)):
            require_numpys(of, (x, other), (rt.tensor(x), other))
            require_numpys(of, (other, x), (other, rt.tensor(x)))
            if type(other) is np.ndarray:
                require_numpys(of, (x, other), (rt.tensor(x), rt.tensor(other)))


def require_numpys(of: Any, arrays: tuple[Any, ...], tensors: tuple[Any, ...]) -> None:
    """That the operator gives for tensors what NumPy's gives for arrays, errors included."""
    with np.errstate(all="ignore"):
        expected, found = _kept(of, arrays), _kept(of, tensors)
    if isinstance(expected, type):
        assert isinstance(found, type), (arrays, found)
        assert issubclass(found, expected) or issubclass(expected, found), (arrays, found)
        return
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), (arrays, found)
    np.testing.assert_allclose(found, expected, rtol=1e-6 if found.dtype != np.float16 else 2e-3)


def _kept(of: Any, operands: tuple[Any, ...]) -> Any:
    try:
        return np.asarray(rt.host(of(*operands)))
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("name", OF_ONE)
def test_operators_on_one_are_numpys(name: str) -> None:
    for dtype in NUMERIC:
        x = edge_values(dtype)[:12]
        for array in (x, x[:0], x[0].reshape(())):
            require_numpys(OF_ONE[name], (array,), (rt.tensor(array),))


def test_other_code_has_what_tensorflow_has() -> None:
    plain: dict[str, Any] = {}
    exec("def shifted(x, y): return x << y\ndef both(x, y): return divmod(x, y)", plain)
    x = tf.constant([3, 2, 0])
    for name, other in (("shifted", 1), ("shifted", x), ("both", 2), ("both", x)):
        with pytest.raises(TypeError):
            plain[name](x, other)
    assert (x << 1).numpy().tolist() == [6, 4, 0]


def test_graphs_ask_the_runtime_that_the_code_has() -> None:
    """Of several copies in a process each knows its own traces alone."""
    asked: list[str] = []
    other: Any = types.ModuleType("other")
    other.EXACT_OPERATORS = rt.EXACT_OPERATORS
    other.op_mod = lambda x, y: asked.append("op_mod")
    other.at = lambda x: asked.append("at") or rt.at(x)
    code: dict[str, Any] = {"rt": other}
    exec("def f(x): x % 3; return x[[0]]", code)
    assert id(code["f"].__code__) not in rt.EXACT_OPERATORS  # it is text that was compiled
    tf.function(code["f"], autograph=False)(tf.constant([3, 2, 0]))
    assert asked == ["op_mod", "at"]


@pytest.mark.parametrize("name", "add sub mul truediv pow".split())
@pytest.mark.parametrize("number", [2j, complex(0, -0.0), 1 + 0j])
def test_pythons_complex_answers_beside_what_stands_for_a_scalar(name: str, number: complex) -> None:
    of, helper = of_two(name), getattr(rt, f"op_{name}")
    for dtype in NUMERIC:
        for array in (np.array([2, 1, 0]).astype(dtype), np.array(2).astype(dtype), np.array(0).astype(dtype)):
            found, expected = (outcome(each, number, rt.tensor(array)) for each in (of, helper))
            assert found == expected or found != found
            assert type(found) is type(expected)
    assert type(of_two("mul")(number, rt.tensor(np.array(2.0)))) is complex


KEYS_OF_ARRAYS: list[Any] = [
    [], [[0, 1], [2, 3]], ([0, 1], [1, 2]), (np.array([[0], [1]]), np.array([0, 2])), (0, [1, 1]), ([0, 1], None, 1),
    np.array([True, False, True, False]), np.ones((4, 3), bool), np.zeros((4, 3), bool), np.ones(3, bool), np.array(2),
    (slice(None), np.array([True, False, True])), np.array([1, 0], np.uint8), np.array([7]), np.array([-1, -4]),
    np.array(True), np.bool_(True), np.array([0.5]), 2**40, -9, (1, ..., None), slice(np.int64(1), 3), slice(0, 2, 0),
    [True, False, True, True], (slice(None), [2, 0]),
]  # fmt: skip
ALL_KEYS = [*KEYS, *KEYS_OF_ARRAYS]


def with_tensors(key: Any) -> Any:
    if type(key) is tuple:
        return tuple(map(with_tensors, key))
    return tf.constant(key) if type(key) is np.ndarray else key


@pytest.mark.parametrize("number", range(len(ALL_KEYS)))
def test_items_are_numpys(number: int) -> None:
    key = ALL_KEYS[number]
    for shape in ((4, 3), (4,), (), (4, 0), (0,), (2, 3, 4)):
        for dtype in ("float64", "float16", "uint8", "bool", "complex64"):
            x = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
            for array, index in ((rt.tensor(x), key), (rt.tensor(x), with_tensors(key)), (x, with_tensors(key))):
                require_numpys(operator.getitem, (x, key), (array, index))


def traced(function: Any, jit: bool, *operands: Any) -> Any:
    """What a graph gives; operands that are tensors come in as such."""
    tensors = [it for it in operands if tf.is_tensor(it)]

    def call(*symbols: Any) -> Any:
        given = iter(symbols)
        return function(*(next(given) if tf.is_tensor(it) else it for it in operands))

    found = outcome(tf.function(call, jit_compile=jit, autograph=False), *tensors)
    return IndexError if isinstance(found, type) else found


def both_traced(one: Any, other: Any, jit: bool, *operands: Any) -> tuple[Any, Any]:
    """What two functions give in a graph: in one graph for both, unless one of them raises."""
    found = traced(lambda *given: (one(*given), other(*given)), jit, *operands)
    if not isinstance(found, tuple) or len(found) != 2 or not all(map(tf.is_tensor, found)):
        return traced(one, jit, *operands), traced(other, jit, *operands)
    return outcome(lambda: found[0]), outcome(lambda: found[1])


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("jit", [False, True])
def test_operators_of_graphs_are_the_helpers(name: str, jit: bool) -> None:
    helper = getattr(rt, f"op_{name}")
    for dtype in ("int8", "float32") if jit else ("bool", "int8", "uint32", "float16", "float32", "complex128"):
        x = rt.tensor(np.array([3, 2, 0, 5]).astype(dtype))
        others = [-1, 2.5, [1.5, 2, 0, 1], np.arange(4)]
        others += [] if jit else [300, True, 2j, np.float32(0.1), None, x[1:], rt.tensor(np.ones(4, np.int16))]
        for other in others:
            for operands in ((x, other), (other, x)):
                by_helper, by_operator = both_traced(helper, of_two(name), jit, *operands)
                assert by_operator == by_helper, (operands, by_helper)


@pytest.mark.parametrize("number", range(len(ALL_KEYS)))
def test_items_of_graphs_are_numpys(number: int) -> None:
    """A graph may refuse what has no exact form there; it never gives something else."""
    key = ALL_KEYS[number]
    for shape in ((4, 3), ()):
        x = np.arange(float(np.prod(shape))).reshape(shape)
        expected = outcome(lambda array, index: rt.tensor(np.asarray(array[index])), x, key)
        for jit in (False, True):
            found = traced(operator.getitem, jit, rt.tensor(x), key)
            assert found in (expected, IndexError), (shape, found, expected)
            assert not isinstance(expected, type) or found is IndexError
    if any(type(part) in (list, np.ndarray) for part in (key if type(key) is tuple else (key,))):
        assert traced(operator.getitem, False, rt.tensor(np.ones((4, 4, 4))), key) is not None


def test_graphs_have_them_too() -> None:
    small = tf.constant([3, 2, -5], tf.int8)
    halves = tf.function(lambda x: (x / 2, -x % 3, 7 // x, x == x[:, None]), autograph=False)(small)
    array = small.numpy()
    for found, expected in zip(halves, (array / 2, -array % 3, 7 // array, array == array[:, None]), strict=True):
        assert found.dtype.as_numpy_dtype == expected.dtype
        assert found.numpy().tolist() == expected.tolist()


@pytest.mark.parametrize("name", [*OPERATORS[:7], *OPERATORS[-7:]])
@pytest.mark.parametrize("in_graph", [False, True])
def test_dtypes_that_numpy_has_not_are_tensorflows(name: str, in_graph: bool) -> None:
    """Code beside rewritten code may use TensorFlow itself: of bfloat16 the runtime knows nothing."""
    x = tf.constant([[1.5, 2.0], [3.0, 4.0]], tf.bfloat16)
    of = of_two(name)

    def ours(*operands: Any) -> Any:
        return of(*operands)

    others = types.FunctionType(ours.__code__, {"tf": tf}, closure=ours.__closure__)
    for other in (x + tf.constant(1, tf.bfloat16), 2):
        if name == "matmul" and type(other) is int:
            continue
        codes = [tf.function(it, autograph=False) if in_graph else it for it in (ours, others)]
        found, expected = (code(x, other) for code in codes)
        assert tf.is_tensor(found)
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)


def test_items_and_one_operand_of_dtypes_that_numpy_has_not() -> None:
    x = tf.constant([1.5, -2.0, 3.0], tf.bfloat16)
    index = tf.constant(1)
    for code in (lambda: (x[:index], x[index], -x, abs(x)), tf.function(lambda: (x[:index], x[index], -x, abs(x)))):
        assert [(it.dtype, it.shape.rank) for it in code()] == [(tf.bfloat16, rank) for rank in (1, 0, 1, 1)]
