"""In-place operators and whole-array stores as functions: ``x = rt.iadd(x, v)`` is ``x += v``.

For tensors the result is a new tensor of the same dtype and shape, or NumPy's exception. A 0-d tensor counts as a NumPy
scalar, as which it almost always came to be: ``s += 0.5`` of an integer scalar is a float. Other objects are changed in
place, numbers follow Python.
"""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.dispatch import asked_on_host, exact, host, is_array, is_tensor, to_ndarray, unconverted
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.own_operators import is_asked
from np2tnp.runtime.base.promotion import array, cast, is_plain_tensor, numpy_dtype
from np2tnp.runtime.base.promotion import constant as number
from np2tnp.runtime.base.shared_memory import without_tensors
from np2tnp.runtime.base.stored_values import check_fits, constant, filled, fitted, stored
from np2tnp.runtime.symbols.either_number import EitherNumber
from np2tnp.runtime.symbols.python_number import Weak

__all__ = [
    "assign",
    "copyto",
    "iadd",
    "iand",
    "ifloordiv",
    "ilshift",
    "imatmul",
    "imod",
    "imul",
    "ior",
    "ipow",
    "irshift",
    "isub",
    "itruediv",
    "ixor",
]

#: Python's in-place operator -> the NumPy ufunc that it calls.
UFUNCS: dict[str, Any] = {
    "iadd": np.add,
    "isub": np.subtract,
    "imul": np.multiply,
    "itruediv": np.true_divide,
    "ifloordiv": np.floor_divide,
    "imod": np.remainder,
    "ipow": np.power,
    "imatmul": np.matmul,
    "iand": np.bitwise_and,
    "ior": np.bitwise_or,
    "ixor": np.bitwise_xor,
    "ilshift": np.left_shift,
    "irshift": np.right_shift,
}

#: Operators that one kernel computes exactly for integers and real floats of one dtype.
_KERNELS = {"iadd": "AddV2", "isub": "Sub", "imul": "Mul"}


def in_place(operation: str, x: Any, value: Any) -> Any:
    """``x op= value`` for an array `x` (a tensor of any rank) as a new tensor."""
    return _IN_PLACE[operation](x, value)


def updated_value(operation: str, x: Any, value: Any) -> Any:
    """``x op value``: what the in-place operator of a number computes."""
    name = UFUNCS[operation].__name__
    if operation == "ipow" or type(x) is complex:  # the operator's short cuts: x **= 0.5; Python's own complex numbers
        name = f"op_{operation[1:]}"
    return _function(name)(x, value)


def _in_place(operation: str, x: Any, value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.char in "gG":
        raise Unsupported("an operand of more precision, which NumPy computes in and then casts")
    x = array(x)
    dtype = x.dtype
    kernel = _KERNELS.get(operation)
    is_same = is_plain_tensor(value) and value.dtype is dtype
    if kernel is None or not is_same:
        check_casting(UFUNCS[operation], dtype, value)
    if kernel is not None and (dtype.is_integer or dtype.is_floating):
        operand = value if is_same else _operand(value, dtype)
        if operand is not None:
            return _same_shape(_kernel(kernel)(x=x, y=operand), x)
    return cast(_same_shape(updated_value(operation, x, value), x), dtype)


def _operand(value: Any, dtype: Any) -> Any | None:
    """`value` as an operand of `dtype` when the operation runs in that dtype; None when it may need another."""
    if is_tensor(value):
        return value if value.dtype == dtype else None
    if type(value) in (int, float):  # weak: takes the array's dtype (check_casting saw that it can)
        return number(value, dtype)
    if is_array(value) and value.dtype == numpy_dtype(dtype):
        return tf.constant(value)
    return None


@functools.lru_cache(maxsize=16)
def _kernel(name: str) -> Any:
    return getattr(tf.raw_ops, name)


def _same_shape(result: Any, x: Any) -> Any:
    if not (result.shape == x.shape or result.shape.is_compatible_with(x.shape)):
        raise ValueError(
            f"non-broadcastable output operand with shape {tuple(x.shape)} "
            f"doesn't match the broadcast shape {tuple(result.shape)}"
        )
    return result


def check_casting(ufunc: Any, dtype: Any, value: Any) -> None:
    """Let NumPy decide whether ``ufunc(x, value, out=x)`` is allowed: its UFuncTypeError, TypeError or
    OverflowError.
    """
    if is_tensor(value):
        _check_dtypes(ufunc, numpy_dtype(dtype), numpy_dtype(value.dtype))
    elif isinstance(value, np.ndarray):
        _check_dtypes(ufunc, numpy_dtype(dtype), value.dtype)
    elif isinstance(value, (bool, int, float, complex, np.generic)):
        if ufunc is not np.matmul:
            empty = np.empty(0, numpy_dtype(dtype))
            ufunc(empty, value, out=empty)
    else:
        _check_dtypes(ufunc, numpy_dtype(dtype), np.asarray(host(value)).dtype)


@functools.lru_cache(maxsize=1024)
def _check_dtypes(ufunc: Any, left: np.dtype[Any], right: np.dtype[Any]) -> None:
    shape = (0, 0) if ufunc is np.matmul else (0,)
    empty = np.empty(shape, left)
    ufunc(empty, np.empty(shape, right), out=empty)


def _function(name: str) -> Callable[..., Any]:
    """The runtime's function for a ufunc (the family that has it is imported on first use)."""
    runtime = importlib.import_module(own_package)
    try:
        function: Callable[..., Any] = getattr(runtime, {"divide": "true_divide"}.get(name, name))
    except AttributeError as error:
        raise Unsupported(f"numpy.{name}") from error
    return function


def _declared(operation: str) -> Callable[..., Any]:
    python = getattr(operator, operation)

    def reference(x: Any, value: Any) -> Any:
        return python(np.array(x), value)

    @exact(f"operator.{operation}", reference=reference)
    def helper(x: Any, value: Any) -> Any:
        return _in_place(operation, x, value)

    return helper


_IN_PLACE = {operation: _declared(operation) for operation in UFUNCS}


@unconverted
def apply(operation: str, x: Any, value: Any, joins: bool = False) -> Any:
    """``x op= value`` for an object of any kind: what `x` is afterwards.

    joins: whether a container may take the items of another one. Else UnverifiedError where that is no number or text:
    NumPy's list would have the very arrays.
    """
    if isinstance(x, (list, dict)) and not joins and not is_tensor(value):  # a list and an array give an array
        without_tensors([x, value])
    if is_tensor(x):
        return in_place(operation, x, value) if x.shape.rank != 0 else updated_value(operation, x, value)
    if isinstance(x, (bool, int, float, complex, np.generic)) and is_tensor(value):
        return updated_value(operation, x, value)
    if isinstance(x, (Weak, EitherNumber)):  # a number of Python's that only the graph knows
        return _function(f"op_{operation[1:]}")(x, value)
    if isinstance(x, np.ndarray) and getattr(type(value), "__array_ufunc__", x) is None:  # it would be another array
        raise UnverifiedError("an ndarray is updated with what only the graph knows")
    if is_asked(x):
        return asked_on_host(getattr(operator, operation), x, value)
    return getattr(operator, operation)(x, host(value))


def iadd(x: Any, value: Any, /, *, joins: bool = False) -> Any:
    """``x += value``; see `apply` for `joins`."""
    return apply("iadd", x, value, joins)


def isub(x: Any, value: Any, /) -> Any:
    """``x -= value``."""
    return apply("isub", x, value)


def imul(x: Any, value: Any, /, *, joins: bool = False) -> Any:
    """``x *= value``; see `apply` for `joins`."""
    return apply("imul", x, value, joins)


def itruediv(x: Any, value: Any, /) -> Any:
    """``x /= value``."""
    return apply("itruediv", x, value)


def ifloordiv(x: Any, value: Any, /) -> Any:
    """``x //= value``."""
    return apply("ifloordiv", x, value)


def imod(x: Any, value: Any, /) -> Any:
    """``x %= value``."""
    return apply("imod", x, value)


def ipow(x: Any, value: Any, /) -> Any:
    """``x **= value``."""
    return apply("ipow", x, value)


def imatmul(x: Any, value: Any, /) -> Any:
    """``x @= value``."""
    return apply("imatmul", x, value)


def iand(x: Any, value: Any, /) -> Any:
    """``x &= value``."""
    return apply("iand", x, value)


def ior(x: Any, value: Any, /, *, joins: bool = False) -> Any:
    """``x |= value``; see `apply` for `joins`."""
    return apply("ior", x, value, joins)


def ixor(x: Any, value: Any, /) -> Any:
    """``x ^= value``."""
    return apply("ixor", x, value)


def ilshift(x: Any, value: Any, /) -> Any:
    """``x <<= value``."""
    return apply("ilshift", x, value)


def irshift(x: Any, value: Any, /) -> Any:
    """``x >>= value``."""
    return apply("irshift", x, value)


def _copied(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    dst = np.array(dst)
    np.copyto(dst, src, casting=casting, where=where)  # type: ignore[arg-type]
    return dst


@exact("numpy.copyto", reference=_copied)
def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    dst = tf.convert_to_tensor(dst)
    if casting != "unsafe":
        _check_copy(numpy_dtype(dst.dtype), src, casting)
    shape = tuple(dst.shape)
    value = stored(src, dst.dtype)
    if where is True:
        return filled(value, shape)
    if isinstance(where, np.ndarray) and where.dtype != np.bool_:  # numbers are taken by their truth
        raise Unsupported("a where that is not boolean")
    mask = stored(where, tf.bool) if not is_tensor(where) else where
    if mask.dtype not in (tf.bool, np.bool_):
        raise Unsupported("a where that is not boolean")
    fitted_value = constant(fitted(value, shape))
    return tf.raw_ops.SelectV2(condition=fitted(mask, shape), t=fitted_value, e=dst)


def _check_copy(dtype: np.dtype[Any], value: Any, casting: Any) -> None:
    """Let NumPy decide whether `value` may be copied into `dtype`: its TypeError, OverflowError or ValueError."""
    if is_tensor(value):
        value = np.empty(0, numpy_dtype(value.dtype))
        np.copyto(np.empty(0, dtype), value, casting=casting)
    elif isinstance(value, np.ndarray):
        np.copyto(np.empty(0, dtype), np.empty(0, value.dtype), casting=casting)
    else:
        value = host(value)
        np.copyto(np.empty(np.shape(value), dtype), value, casting=casting)


@unconverted
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    """``np.copyto``; returns the changed array (an ndarray is changed in place)."""
    if is_tensor(dst):
        return _copyto(dst, src, casting=casting, where=where)
    np.copyto(dst, host(src), casting=casting, where=host(where))  # type: ignore[arg-type]
    return dst


def _item(value: Any, dtype: np.dtype[Any]) -> Any:
    """`value` in an integer `dtype` if it is a single number: ``fill`` looks whether it fits, a cast does not."""
    if dtype.kind not in "iu" or _dtype(value) == dtype:
        return value
    if is_tensor(value) and value.shape.rank == 0 and hasattr(value, "numpy"):
        value = to_ndarray(value)[()]
    elif is_tensor(value):
        check_fits(value, tf.as_dtype(dtype))
    if not isinstance(value, np.generic):
        return value
    item = np.empty((), dtype)
    item.fill(value)
    return item


@functools.lru_cache(maxsize=256)
def _check_output(found: np.dtype[Any], wanted: np.dtype[Any]) -> None:
    """NumPy's UFuncTypeError where a result of dtype `found` does not go into an ``out`` of dtype `wanted`."""
    if np.can_cast(found, wanted, "same_kind"):
        return
    try:
        np.add(np.empty(0, found), np.empty(0, found), out=np.empty(0, wanted))
    except TypeError as error:  # its text would name `add`, and its class's base takes any
        kind = next(kind for kind in type(error).__mro__ if kind.__bases__ == (TypeError,))
        message = f"Cannot cast ufunc output from {found!r} to {wanted!r} with casting rule 'same_kind'"
        raise kind(message) from None


def _dtype(value: Any) -> np.dtype[Any]:
    return numpy_dtype(value.dtype) if is_tensor(value) else np.asarray(value).dtype


@unconverted
def assign(x: Any, value: Any, casting: str = "item", where: Any = True) -> Any:
    """``x[...] = value`` as a new array; with `casting` what ``out=x`` does with a result.

    With ``x=None`` (an ``out`` that was not given) it is `value` itself. ndarrays are changed in place, and lists
    with casting="item". Raises TypeError where `casting` forbids the cast, ValueError where `value` does not broadcast
    to ``x.shape``. With casting="item" a single number is cast as ``fill`` does: OverflowError where it does not fit.
    With casting="equal", dtypes and shapes must be the same (else UnverifiedError): NumPy would have calculated in that
    of `x`, or might have refused it. casting="wrapping" lets integers of more bits go into `x`, too: modulo its range,
    sums and products are the same whether they were computed in it or in more bits.
    """
    if x is None:
        return value
    if casting != "item" and not is_tensor(x) and not isinstance(x, np.ndarray):
        raise TypeError("return arrays must be of ArrayType")
    if casting in ("equal", "wrapping"):
        found, wanted = map(_dtype, (value, x))
        wraps = casting == "wrapping" and found.kind == wanted.kind and found.kind in "iu"
        casting = "same_kind"
        if found != wanted and not (wraps and found.itemsize >= wanted.itemsize):
            raise UnverifiedError(f"out= of {wanted} for a result of {found}, which NumPy calculates in {wanted}")
        if not _are_alike(value, x):
            raise UnverifiedError("out= of another shape than the result: some functions of NumPy refuse it")
    elif casting == "item":
        return _assigned(x, _item(value, _dtype(x)) if is_tensor(x) or is_array(x) else value, "unsafe", where)
    if casting == "same_kind":
        _check_output(_dtype(value), _dtype(x))
    if max(_rank(value), _rank(where)) > _rank(x):  # a store drops leading axes of length 1, a ufunc does not
        raise ValueError(f"non-broadcastable output operand with shape {tuple(x.shape)}: it has too few dimensions")
    return _assigned(x, value, casting, where)


def _are_alike(value: Any, x: Any) -> bool:
    """Whether both have the same shape, as far as it is known."""
    one, other = (tuple(getattr(each, "shape", ())) for each in (value, x))
    return len(one) == len(other) and all(a == b or (a is None or b is None) for a, b in zip(one, other, strict=True))


def _rank(value: Any) -> int:
    """The number of dimensions; 0 where it is not known."""
    return value.shape.rank or 0 if is_tensor(value) else np.ndim(value)


def _assigned(x: Any, value: Any, casting: str, where: Any) -> Any:
    if is_tensor(x):
        return _copyto(x, value, casting=casting, where=where)
    if isinstance(x, np.ndarray):
        np.copyto(x, host(value), casting=casting, where=host(where))  # type: ignore[arg-type]
        return x
    x[:] = host(value)
    return x
