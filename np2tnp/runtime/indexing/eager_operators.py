"""Operators and items of eager tensors, without the detours that TensorFlow's NumPy behaviour takes.

There ``x + y`` casts both operands to the dtype that they have, and takes 30 µs of which 6 are the addition; ``x[1:]``
takes 60. Where no promotion is needed, the operation that TensorFlow's operator ends at is called at once; in every
other case, errors included, the operator itself, or a helper for dtypes that it does not know.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base import exact_floats, lazy_tensorflow
from np2tnp.runtime.base.dispatch import OPERATORS
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.exceptions import translate
from np2tnp.runtime.base.operands import reshaped
from np2tnp.runtime.base.own_operators import is_asked
from np2tnp.runtime.base.promotion import constant
from np2tnp.runtime.indexing.item_reads import read_basic
from np2tnp.runtime.indexing.keys import basic_key, resolve_basic

# --- Operators of eager tensors whose dtypes TensorFlow has no kernel for: the sum of two masks, complex numbers
# compared
#
# Where the dtypes are not known before, rewritten code has TensorFlow's own operator if that raises where it differs
# from NumPy's (``pairs_loud`` in the facts). It raises in the middle of a function, which cannot always begin again:
# so the exact helper takes over there, in the middle of the function, too.

#: Python's methods for such operators -> the helper, and whether it takes the operands the other way round.
HELPERS = {
    "__add__": ("add", False),
    "__radd__": ("add", True),
    "__lt__": ("lt", False),
    "__le__": ("le", False),
    "__gt__": ("gt", False),
    "__ge__": ("ge", False),
    "__eq__": ("eq", False),
    "__ne__": ("ne", False),
}
#: Of which NumPy knows the result for Python integers that the dtype does not hold.
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def covered(name: str, method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """TensorFlow's `method` of that name, or the exact helper where it has no kernel, once a migrated function runs.

    Not in a process where none did: there the facts are measured.
    """
    if name not in HELPERS:
        return method
    helper, reflected = HELPERS[name]
    compares = helper in _COMPARISONS

    def by_helper(tensor: Any, other: Any) -> Any:
        return OPERATORS[helper](*((other, tensor) if reflected else (tensor, other)))

    @functools.wraps(method)
    def call(tensor: Any, other: Any) -> Any:
        if compares and type(other) is int and abs(other) >= 1 << 63 and lazy_tensorflow.ready:
            return by_helper(tensor, other)
        if lazy_tensorflow.ready and (is_asked(other) or (compares and _meet_in_floats(tensor, other))):
            return by_helper(tensor, other)
        try:
            return method(tensor, other)
        except Exception as error:
            known = translate(error)
            beyond = compares and isinstance(known or error, OverflowError)
            if not lazy_tensorflow.ready or not (beyond or isinstance(known, UnverifiedError)):
                raise
            return by_helper(tensor, other)

    return call


def _meet_in_floats(tensor: Any, other: Any) -> bool:
    """Whether uint64 meets signed integers: NumPy compares them exactly, TensorFlow as float64."""
    names = {getattr(getattr(it, "dtype", None), "name", "") for it in (tensor, other)}
    return "uint64" in names and any(name.startswith("int") for name in names)


Operator = Callable[[Any, Any], Any]

_FLOATS = "f d"
_INEXACT = "f d F D"
_INTEGERS = "b h i l B H I L"
_REAL = f"{_FLOATS} {_INTEGERS}"

#: Python's operator -> TensorFlow's operation, and for which dtypes of both operands.
_OPERATIONS: dict[str, dict[str, str]] = {
    "add": {"AddV2": f"{_INEXACT} {_INTEGERS}"},
    "sub": {"Sub": f"{_INEXACT} {_INTEGERS}"},
    "mul": {"Mul": f"{_INEXACT} {_INTEGERS}"},
    "truediv": {"RealDiv": _INEXACT},
    "pow": {"power": _FLOATS, "Pow": "F D"},
    "and": {"LogicalAnd": "?", "BitwiseAnd": _INTEGERS},
    "or": {"LogicalOr": "?", "BitwiseOr": _INTEGERS},
    "lt": {"Less": _REAL},
    "le": {"LessEqual": _REAL},
    "gt": {"Greater": _REAL},
    "ge": {"GreaterEqual": _REAL},
    "eq": {"Equal": f"? {_INEXACT} {_INTEGERS}"},
    "ne": {"NotEqual": f"? {_INEXACT} {_INTEGERS}"},
}
_REFLECTED = ("add", "sub", "mul", "truediv", "pow", "and", "or")

#: Python's number types -> which of them have one value beside a tensor of a dtype, in NumPy and in TensorFlow.
_Limits = dict[type, tuple[float, float]]
#: Dtype -> TensorFlow's operation, and what numbers it takes beside a tensor.
_Kernels = dict[Any, tuple[Operator, _Limits]]


def install(tensorflow: Any) -> None:
    """Give eager tensors these operators. Doing it again changes nothing."""
    tensor = tensorflow.__internal__.EagerTensor
    if "__getitem__" in tensor.__dict__:
        return
    raw = tensorflow.raw_ops
    for name, operations in _OPERATIONS.items():
        kernels = {
            tensorflow.as_dtype(dtype): (_kernel(operation, raw), _limits(dtype))
            for operation, characters in operations.items()
            for dtype in map(np.dtype, characters.split())
        }
        own = f"__{name}__"
        setattr(tensor, own, _operator(tensor, covered(own, getattr(tensor, own)), kernels))
        if name in _REFLECTED:
            own = f"__r{name}__"
            setattr(tensor, own, _reflected(covered(own, getattr(tensor, own)), kernels))
    product = dict.fromkeys((tensorflow.float32, tensorflow.float64), raw.MatMul)
    tensor.__matmul__ = _product(tensor, tensor.__matmul__, product)
    tensor.__getitem__ = _item(tensor.__getitem__)


def _kernel(operation: str, raw: Any) -> Operator:
    if operation == "power":
        return exact_floats.power
    run = getattr(raw, operation)
    if operation in ("Equal", "NotEqual"):  # of shapes that do not fit, TensorFlow's operator says so in its value
        return lambda x, y: run(x=x, y=y, incompatible_shape_error=False)
    return lambda x, y: run(x=x, y=y)


def _operator(tensor: Any, slow: Operator, kernels: _Kernels) -> Operator:
    def fast(x: Any, y: Any) -> Any:
        dtype = x.dtype
        found = kernels.get(dtype)
        if found is not None:
            try:
                if type(y) is tensor:
                    if y.dtype is dtype:
                        return found[0](x, y)
                elif _takes(found[1], y):
                    return found[0](x, constant(y, dtype))
            except Exception:  # it raises its own, here too
                return slow(x, y)
        return slow(x, y)

    return fast


def _reflected(slow: Operator, kernels: _Kernels) -> Operator:
    def fast(y: Any, x: Any) -> Any:
        dtype = y.dtype
        found = kernels.get(dtype)
        if found is not None and _takes(found[1], x):
            try:
                return found[0](constant(x, dtype), y)
            except Exception:  # it raises its own, here too
                return slow(y, x)
        return slow(y, x)

    return fast


def _limits(dtype: np.dtype[Any]) -> _Limits:
    if dtype.kind in "iu":
        return {int: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))}
    return {int: (-(2**24), 2**24), float: (-1e38, 1e38)} if dtype.kind in "fc" else {}


def _takes(limits: _Limits, number: Any) -> bool:
    limit = limits.get(type(number))
    return limit is not None and limit[0] <= number <= limit[1]


def _product(tensor: Any, slow: Operator, kernels: dict[Any, Any]) -> Operator:
    def fast(x: Any, y: Any) -> Any:
        kernel = kernels.get(x.dtype)
        if kernel is not None and type(y) is tensor and y.dtype is x.dtype and 0 < x.ndim < 3 and 0 < y.ndim < 3:
            left, right = tuple(x.shape), tuple(y.shape)
            try:  # a vector is a matrix of one row, or one column
                a = x if len(left) == 2 else reshaped(x, (1, *left))
                b = y if len(right) == 2 else reshaped(y, (*right, 1))
                product = kernel(a=a, b=b)
                return product if a is x and b is y else reshaped(product, left[:-1] + right[1:])
            except Exception:  # it raises its own, here too
                return slow(x, y)
        return slow(x, y)

    return fast


def _item(slow: Operator) -> Operator:
    def fast(x: Any, key: Any) -> Any:
        try:
            parts = basic_key(key)
            if parts is not None:
                shape = tuple(x.shape)
                plan = resolve_basic(shape, parts)
                if plan.strided and not (plan.whole and plan.shape == shape):  # which would give x itself
                    return read_basic(x, plan)
        except Exception:  # it raises its own, here too
            return slow(x, key)
        return slow(x, key)

    return fast
