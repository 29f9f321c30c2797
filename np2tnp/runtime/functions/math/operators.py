"""Python's operators as functions, for operands of which it is not known whether they are arrays.

``rt.op_floordiv(a, b)`` is ``a // b``: Python's own operator where neither operand is an array (ints stay ints, lists
concatenate, strings format), NumPy's value and dtype where one is. ``rt.floor_divide`` is the ufunc instead: its result
is always an array. The two differ on two Python numbers, whose quotient must stay weak in later promotion.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base import precision
from np2tnp.runtime.base.dispatch import HELPERS, OPERATORS, as_tensor, exact, is_tensor, is_tracing, on_host
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.gradients import is_followed
from np2tnp.runtime.base.hardware import has_gpu
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import dtype_of, is_plain_tensor
from np2tnp.runtime.base.shared_memory import leaves, without_tensors
from np2tnp.runtime.base.tracing import current
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.functions.linalg import products
from np2tnp.runtime.functions.math import bits, comparisons, elementwise, transcendental
from np2tnp.runtime.functions.statistics.reductions import any as any_of
from np2tnp.runtime.symbols.python_number import Weak, weak

__all__ = [
    "op_abs",
    "op_add",
    "op_and",
    "op_contains",
    "op_divmod",
    "op_eq",
    "op_floordiv",
    "op_ge",
    "op_gt",
    "op_invert",
    "op_le",
    "op_lshift",
    "op_lt",
    "op_matmul",
    "op_mod",
    "op_mul",
    "op_ne",
    "op_neg",
    "op_or",
    "op_pos",
    "op_pow",
    "op_rshift",
    "op_sub",
    "op_truediv",
    "op_xor",
]


class _ScalarProductError(ValueError, TypeError):
    """NumPy raises the one for 0-d arrays, the other for its scalars, and a 0-d tensor may stand for either."""


def matmul(x: Any, y: Any) -> Any:
    """Python's ``x @ y``."""
    single = (np.generic, int, float, complex)
    if isinstance(x, single) and isinstance(y, single) and (isinstance(x, np.generic) or isinstance(y, np.generic)):
        raise _ScalarProductError("matmul: the operands do not have enough dimensions")
    return operator.matmul(x, y)


def is_array_operand(value: Any) -> bool:
    """Whether `value` makes an operator NumPy's: a tensor or an ndarray (NumPy scalars have operators of their own)."""
    return is_plain_tensor(value) or isinstance(value, np.ndarray) or is_tensor(value)


_NUMBERS = frozenset((bool, int, float, complex))


def _is_kind_of_number(value: Any) -> bool:
    """Whether `value` is of a class that derives from Python's numbers, and is none of NumPy's."""
    return (
        isinstance(value, (int, float, complex)) and type(value) not in _NUMBERS and not isinstance(value, np.generic)
    )


#: What Python itself answers for, whatever they hold.
_PYTHONS = _NUMBERS | {list, tuple, dict, set, frozenset, type(None)}


def _answers_first(value: Any) -> bool:
    """Whether `value` is an object that Python asks before it asks an array on its right, though it has items, too."""
    return not (
        type(value) in _PYTHONS or is_array_operand(value) or isinstance(value, (np.generic, range, str, bytes))
    ) and not type(value).__module__.startswith("np2tnp.")


def _shows_tensors(operands: tuple[Any, ...]) -> bool:
    """Whether a text or an object beside a container gets that, and tensors in it: ``fmt % (x, n)``."""
    if all(type(value) in _PYTHONS for value in operands):
        return False
    held = (
        leaf for value in operands if isinstance(value, (list, tuple, dict)) for leaf in leaves(value, of=(object,))
    )
    return any(map(is_tensor, held))


def _of_objects(*operands: Any) -> Any:
    raise Unsupported("what the operator of an object looks at")


def _operator(api: str, python: Callable[..., Any], helper: Callable[..., Any]) -> Callable[..., Any]:
    guarded = exact(api, python)(helper)
    by_object = exact(api, python)(_of_objects)

    def call(*operands: Any) -> Any:
        for value in operands:
            if is_array_operand(value):
                if (_is_kind_of_number(operands[0]) or _answers_first(operands[0])) and not is_tracing():
                    return on_host(python, operands, {})  # its class may have operators of its own
                return guarded(*operands)
        return by_object(*operands) if _shows_tensors(operands) else python(*operands)

    call.__name__ = call.__qualname__ = "op_" + python.__name__.strip("_")
    call.__doc__ = f"Python's ``{api}``: NumPy's value and dtype where an operand is an array, Python's own otherwise."
    call.__wrapped__ = helper  # type: ignore[attr-defined]
    HELPERS[api] = call
    return call


def _joining(inner: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that joins or repeats containers, too."""

    def call(x: Any, y: Any, *, joins: bool = False) -> Any:
        result = inner(x, y)
        return result if joins or not isinstance(result, (list, tuple, dict)) else without_tensors(result)

    functools.update_wrapper(call, inner)
    call.__wrapped__ = inner.__wrapped__  # type: ignore[attr-defined]
    return call


def _beside_complex(inner: Callable[..., Any], python: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that Python's complex answers for a NumPy float64 scalar on its right, a subclass of float."""

    def call(x: Any, y: Any, **keywords: Any) -> Any:
        if (type(x) is complex or (type(x) is Weak and x.kind is complex)) and _is_float64_scalar(y):
            if is_tracing():
                return python(weak(x), Weak(float, tf.cast(y, tf.float64)))
            if not is_followed(y):  # a tape takes the tensor's way: Python's number would have no derivative
                return python(x, float(y.numpy()))
        return inner(x, y, **keywords)

    functools.update_wrapper(call, inner)
    call.__wrapped__ = inner.__wrapped__  # type: ignore[attr-defined]
    return call


def _is_float64_scalar(value: Any) -> bool:
    if not is_plain_tensor(value) or value.shape.rank != 0:
        return False
    return bool(value.dtype == tf.float64 or (value.dtype == tf.float32 and precision.active and precision.is_single()))


def _bare(helper: Callable[..., Any]) -> Callable[..., Any]:
    """The helper without its own replay: that must run Python's operator, for its errors and reflected methods."""
    inner: Callable[..., Any] = helper.__wrapped__  # type: ignore[attr-defined]
    return inner


def _power(x: Any, y: Any) -> Any:
    """``x ** y`` with NumPy's short cuts for a scalar exponent, which the ufunc does not take."""
    if isinstance(x, np.ndarray) and x.ndim == 0:
        raise Unsupported("the power of a 0-d array, which takes the short cuts of arrays")
    x = as_tensor(x) if isinstance(x, np.ndarray) else x
    if is_plain_tensor(x) and type(y) in (int, float):
        kind = dtype_of(x).kind
        if kind == "b" or (kind == "c" and x.shape.rank == 0 and y in (0.5, 1, -1)):
            raise Unsupported("a power of bools, or of a complex number, for which NumPy's scalars have no short cuts")
        if y == 2 and kind in "iufc" and (kind in "fc" or type(y) is int):
            return op("Square")(x=x)
        if kind in "fc":
            if y == 0.5:
                root = _bare(transcendental.sqrt)(x)
                return _power_of_number(x, root) if kind == "f" and x.shape.rank == 0 else root
            if y == 1:
                return op("Identity")(input=x)
            if y == -1:
                return _bare(elementwise.reciprocal)(x)
    if is_plain_tensor(x) and type(y) in (int, float, complex) and dtype_of(x).kind == "c" and math.isfinite(abs(y)):
        return _complex_power(x, complex(y))
    return _bare(elementwise.power)(x, y)


def _power_of_number(x: Any, root: Any) -> Any:
    """``x ** 0.5`` of a NumPy scalar: C's power, which knows no root of -inf and no negative zero."""
    infinity = tf.constant(np.inf, x.dtype)
    return op("SelectV2")(condition=op("Equal")(x=x, y=-infinity), t=infinity, e=tf.abs(root))


def _complex_power(x: Any, exponent: complex) -> Any:
    """NumPy's ``x ** exponent`` for complex numbers: products for small whole exponents, else C's power."""
    whole = int(exponent.real)
    if exponent == whole and abs(whole) < 100:
        if not is_tracing() or whole < 0:
            raise Unsupported("many products, which the host makes in one step")
        return _product(x, whole) if whole else tf.ones_like(x)
    trace = current()
    is_root = is_tracing() and abs(exponent.real) == 0.5  # of which TensorFlow's optimizer makes other operations
    if is_root or has_gpu() or (trace is not None and trace.mode == "xla"):
        raise Unsupported("a power of complex numbers by another library than C's")
    of_zero = 0.0 if exponent.real > 0 else complex(math.nan, math.nan)
    zero = op("Equal")(x=x, y=tf.zeros((), x.dtype))
    found = op("Pow")(x=x, y=tf.constant(exponent, x.dtype))
    return op("SelectV2")(condition=zero, t=tf.constant(of_zero, x.dtype), e=found)


def _product(x: Any, count: int) -> Any:
    """So many `x` multiplied, in NumPy's order."""
    multiply = op("Mul")
    if count == 3:
        return multiply(x=x, y=multiply(x=x, y=x))
    result, factor = tf.ones((), x.dtype), x
    while True:
        if count & 1:
            result = multiply(x=result, y=factor)
        count >>= 1
        if not count:
            return result
        factor = multiply(x=factor, y=factor)


def _multiply(x: Any, y: Any) -> Any:
    """``x * y``. A 0-d tensor stands for a NumPy scalar: of a list or text integers are repetitions, others refused."""
    for sequence, number in ((x, y), (y, x)):
        repeats = isinstance(sequence, (list, tuple, str, bytes)) and is_plain_tensor(number)
        if repeats and number.shape.rank == 0:
            if type(sequence) not in (list, tuple, str, bytes):
                raise Unsupported("a sequence whose class may have an operator of its own")
            if dtype_of(number).kind not in "iu":
                raise TypeError(f"can't multiply sequence by non-int of type 'numpy.{dtype_of(number).name}'")
            if is_tracing():
                raise Unsupported("a length that is not known while tracing")
            return sequence * int(number)
    return _bare(elementwise.multiply)(x, y)


def _contains(container: Any, item: Any) -> Any:
    if not is_array_operand(container):
        raise Unsupported("what Python finds by identity, too")  # on the host one tensor is one ndarray
    found = any_of(_bare(comparisons.equal)(container, item))
    if is_tracing():
        raise Unsupported("a Python bool")
    return bool(found)


op_add = _beside_complex(_joining(_operator("operator.add", operator.add, _bare(elementwise.add))), operator.add)
op_sub = _beside_complex(_operator("operator.sub", operator.sub, _bare(elementwise.subtract)), operator.sub)
op_mul = _beside_complex(_joining(_operator("operator.mul", operator.mul, _multiply)), operator.mul)
op_truediv = _beside_complex(
    _operator("operator.truediv", operator.truediv, _bare(elementwise.divide)), operator.truediv
)
op_floordiv = _operator("operator.floordiv", operator.floordiv, _bare(elementwise.floor_divide))
op_mod = _operator("operator.mod", operator.mod, _bare(elementwise.remainder))
op_divmod = _operator("builtins.divmod", divmod, _bare(elementwise.divmod))
op_pow = _beside_complex(_operator("operator.pow", operator.pow, _power), operator.pow)
op_matmul = _operator("operator.matmul", matmul, _bare(products.matmul))
op_and = _operator("operator.and_", operator.and_, _bare(bits.bitwise_and))
op_or = _joining(_operator("operator.or_", operator.or_, _bare(bits.bitwise_or)))
op_xor = _operator("operator.xor", operator.xor, _bare(bits.bitwise_xor))
op_lshift = _operator("operator.lshift", operator.lshift, _bare(bits.left_shift))
op_rshift = _operator("operator.rshift", operator.rshift, _bare(bits.right_shift))
op_eq = _beside_complex(_operator("operator.eq", operator.eq, _bare(comparisons.equal)), operator.eq)
op_ne = _beside_complex(_operator("operator.ne", operator.ne, _bare(comparisons.not_equal)), operator.ne)
op_lt = _operator("operator.lt", operator.lt, _bare(comparisons.less))
op_le = _operator("operator.le", operator.le, _bare(comparisons.less_equal))
op_gt = _operator("operator.gt", operator.gt, _bare(comparisons.greater))
op_ge = _operator("operator.ge", operator.ge, _bare(comparisons.greater_equal))
op_neg = _operator("operator.neg", operator.neg, _bare(elementwise.negative))
op_pos = _operator("operator.pos", operator.pos, _bare(elementwise.positive))
op_abs = _operator("operator.abs", operator.abs, _bare(elementwise.absolute))
op_invert = _operator("operator.invert", operator.invert, _bare(bits.invert))
op_contains = _operator("operator.contains", operator.contains, _contains)

OPERATORS.update({name[3:]: value for name, value in list(globals().items()) if name.startswith("op_")})
