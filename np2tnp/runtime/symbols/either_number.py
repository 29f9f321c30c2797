"""Numbers of a trace of which only the graph knows whether they are Python's or NumPy's float64.

``max(0.0, x[i])`` is one of the two, and has the same value. What differs is what becomes of it: beside an
array of float32, NumPy's number makes float64. So such a number takes part only in what is the same for both: in
work with float64, in stores into such arrays, in comparisons that only decide. All else raises Unsupported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import OPERATORS, is_tensor, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.symbols.python_number import LIMIT, Weak, is_number, is_working_on_traces, refused, weak

#: Dtypes beside which all of the numbers give the same.
_WIDE = ("d", "D")
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


class EitherNumber:
    """A Python float or a NumPy float64; an int, too, if `whole`.

    tensor: 0-d, of float64, or of bool, where a comparison gave one that is Python's or NumPy's.
    """

    __slots__ = ("tensor", "whole")
    __array_ufunc__ = None  #: as of a Weak

    def __init__(self, tensor: Any, whole: bool = False) -> None:
        self.tensor = tensor
        self.whole = whole

    def _refuse(self, *_: Any) -> Any:
        raise refused("what a number is, which depends on which one is taken")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __hash__ = __array__ = _refuse
    __repr__ = __str__ = __format__ = __round__ = __iter__ = __len__ = __getitem__ = _refuse
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = __divmod__ = __rdivmod__ = _refuse

    def __getattr__(self, name: str) -> Any:
        self._refuse()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """``isinstance`` must not get an answer."""
        frame = sys._getframe(1)
        if frame.f_globals.get("__name__") == "abc" and frame.f_back is not None:  # asked of an abstract class
            frame = frame.f_back
        if not is_working_on_traces(frame):
            self._refuse()
        return EitherNumber

    def __neg__(self) -> EitherNumber:
        if self.whole:  # an int has no negative zero
            self._refuse()
        return EitherNumber(-self._float())

    def __pos__(self) -> EitherNumber:
        return EitherNumber(self._float(), self.whole)

    def __abs__(self) -> EitherNumber:
        return EitherNumber(tf.abs(self._float()), self.whole)

    def _float(self) -> Any:
        return self.tensor if self.tensor.dtype == tf.float64 else self._refuse()


def _operators() -> None:
    def forward(name: str) -> Callable[[EitherNumber, Any], Any]:
        return lambda self, other: _apply(name, self, other)

    def backward(name: str) -> Callable[[EitherNumber, Any], Any]:
        return lambda self, other: _apply(name, other, self)

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", *_COMPARISONS):
        setattr(EitherNumber, f"__{name}__", forward(name))
        if name not in _COMPARISONS:
            setattr(EitherNumber, f"__r{name}__", backward(name))


_operators()


def _apply(name: str, left: Any, right: Any) -> Any:
    pair = (left, right)
    if any(is_tensor(value) or isinstance(value, (np.generic, np.ndarray)) for value in pair):
        settled = settle([to_tensor(v) if isinstance(v, (np.generic, np.ndarray)) else v for v in pair])
        return OPERATORS[name](*settled)
    if not all(map(is_known, pair)):
        return NotImplemented
    if all(map(is_whole, pair)) and name not in ("truediv", *_COMPARISONS):
        raise Unsupported("an int or a float, which depends on which one is taken")
    a, b = (Weak(float, as_float(value)) for value in pair)
    result: Weak = getattr(a, f"__{name}__")(b)  # with Python's checks: where they hold, NumPy gives the same
    return EitherNumber(result.tensor)


def is_known(value: Any) -> bool:
    """Whether `value` is a real number of Python's, or may be one."""
    if type(value) is EitherNumber:
        return bool(value.tensor.dtype == tf.float64)
    return is_number(value) and (value.kind if isinstance(value, Weak) else type(value)) in (int, float)


def is_float64(value: Any) -> bool:
    """Whether `value` is a tensor that stands for one of NumPy's float64 numbers."""
    return is_tensor(value) and value.shape.rank == 0 and value.dtype == tf.float64


def is_whole(value: Any) -> bool:
    """Whether the number `value` is an int, or may be one."""
    if type(value) is EitherNumber:
        return value.whole
    return (value.kind if isinstance(value, Weak) else type(value)) is int


def as_float(value: Any) -> Any:
    """The float64 that has the value of a number that `is_known`. Raises Unsupported for large integers."""
    if type(value) is EitherNumber:
        return value.tensor
    number = weak(value)
    if number.kind is int and number.limit > LIMIT:
        raise Unsupported("a Python integer beyond 2**52")
    return tf.cast(number.tensor, tf.float64)


def of_numbers(tensor: Any, values: Any) -> EitherNumber:
    """One of the `values`, which are numbers that `is_known` and tensors of float64."""
    return EitherNumber(tensor, any(is_whole(value) for value in values if not is_tensor(value)))


def settle(values: Any) -> list[Any]:
    """The operands of elementwise work with NumPy's numbers for those that may be. Raises Unsupported if it matters."""
    others = [value for value in values if type(value) is not EitherNumber]
    wide = [value for value in others if is_tensor(value) and np.dtype(value.dtype.as_numpy_dtype).char in _WIDE]
    if all(is_known(value) and not is_whole(value) for value in values):
        return [as_float(value) for value in values]  # NumPy's functions give the same of both
    if not wide or not all(is_known(value) or any(value is it for it in wide) for value in others):
        raise Unsupported("the dtype of a number, which depends on which one is taken")
    return [value._float() if type(value) is EitherNumber else value for value in values]


def stored(value: Any, dtype: Any) -> Any:
    """`value` as it is stored into an array of `dtype`."""
    if type(value) is not EitherNumber:
        return value
    if np.dtype(dtype).char not in _WIDE:
        raise Unsupported("a number that is Python's or NumPy's in an array that does not hold it")
    return value._float()
