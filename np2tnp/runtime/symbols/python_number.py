"""Python numbers inside a trace: a loop's counter, or a number that a loop carries.

A tensor in their place would be a *strong* scalar, and ``x * i`` of a float32 array float64. A :class:`Weak` keeps the
kind of Python's number, computes as Python does (in int64, float64 and complex128, which hold the same values), and
takes the dtype of the array that it meets, as NumPy's promotion has it. What it cannot be without a value (an index of
a list, a truth value, text) raises Unsupported, and the trace does without it.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.dispatch import OPERATORS, is_tensor, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import check

#: Python type -> dtype that holds it.
DTYPES: dict[type, str] = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
_NUMBERS = tuple(DTYPES)
_SAMPLES: dict[type, Any] = {bool: True, int: 0, float: 0.0, complex: 0j}

#: Packages to whose code a number of the trace is what it is.
_WORKING_ON_TRACES = frozenset(("tensorflow", "keras", "numpy", "ml_dtypes"))

#: Integers from outside of the trace are checked to stay below it, so that sums and products can be bounded.
LIMIT = 1 << 52
_INT64 = (1 << 63) - 1


class _Unknown(Unsupported, TypeError):  # noqa: N818 - a signal, as its base
    """The value of a number is asked for. As a TypeError it has TensorFlow's operators try those of the number."""


def refused(words: str) -> Unsupported:
    """What to raise where the value of a number is asked for."""
    return _Unknown(words)


def is_working_on_traces(frame: FrameType) -> bool:
    """Whether it is code of a package to which a number of the trace is what it is."""
    asks = frame.f_globals.get("__name__", "")
    return asks.startswith(f"{own_package}.") or asks.partition(".")[0] in _WORKING_ON_TRACES


class Weak:
    """A Python number whose value is known when the graph runs.

    kind: its Python type. tensor: 0-d, of ``DTYPES[kind]``. limit: a bound of an int's magnitude. offset: an int's
    distance from the loop counter `origin`, where it is one.
    """

    __slots__ = ("kind", "limit", "offset", "origin", "tensor")
    __array_ufunc__ = None  #: NumPy's numbers and arrays leave operators to it: they would take it for an object

    def __init__(self, kind: type, tensor: Any, limit: int = LIMIT, origin: object = None, offset: int = 0) -> None:
        self.kind = kind
        self.tensor = tensor
        self.limit = limit
        self.origin = origin
        self.offset = offset

    def _refuse(self, *_: Any) -> Any:
        raise _Unknown(f"the value of a Python {self.kind.__name__} that changes")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __hash__ = _refuse
    __repr__ = __str__ = __format__ = __round__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if hasattr(_SAMPLES[self.kind], name):
            self._refuse()
        raise AttributeError(f"{self.kind.__name__!r} object has no attribute {name!r}")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What ``isinstance`` asks: to the program it is a number, to those that work on the trace it is none."""
        return Weak if is_working_on_traces(sys._getframe(1)) else self.kind

    def __neg__(self) -> Weak:
        return _python("neg", 0, self) if self.kind is not float else Weak(float, -self.tensor)

    def __pos__(self) -> Weak:
        return _promoted(self, int) if self.kind is bool else self

    def __abs__(self) -> Weak:
        if self.kind is complex:
            self._refuse()
        return Weak(int if self.kind is bool else self.kind, tf.abs(_promoted(self, int).tensor), self.limit)

    @property
    def real(self) -> Weak:
        return Weak(float, tf.math.real(self.tensor)) if self.kind is complex else +self

    @property
    def imag(self) -> Any:
        return Weak(float, tf.math.imag(self.tensor)) if self.kind is complex else 0


def _operators() -> None:
    """Give Weak Python's binary operators, with the reflected ones."""
    comparisons = ("lt", "le", "gt", "ge", "eq", "ne")
    names = "add sub mul truediv floordiv mod pow and or xor lt le gt ge eq ne".split()

    def forward(name: str) -> Callable[[Weak, Any], Any]:
        return lambda self, other: _apply(name, self, other)

    def backward(name: str) -> Callable[[Weak, Any], Any]:
        return lambda self, other: _apply(name, other, self)

    for name in names:
        setattr(Weak, f"__{name}__", forward(name))
        if name not in comparisons:
            setattr(Weak, f"__r{name}__", backward(name))


_operators()


def _apply(name: str, left: Any, right: Any) -> Any:
    other = right if isinstance(left, Weak) else left
    if isinstance(other, (Weak, *_NUMBERS)) and not isinstance(other, np.generic):
        return _python(name, left, right)
    if is_tensor(other) or isinstance(other, (np.generic, np.ndarray)):
        function = OPERATORS[name]
        pair = (to_tensor(v) if isinstance(v, np.generic) else v for v in (left, right))
        return function(*pair)
    return NotImplemented


def _python(name: str, left: Any, right: Any) -> Any:
    """Python's ``left op right`` for two Python numbers, of which at least one is Weak."""
    a, b = weak(left), weak(right)
    if name in ("lt", "le", "gt", "ge", "eq", "ne"):
        kind = _widest(a, b, int)
        if kind is complex and name not in ("eq", "ne"):
            raise TypeError(f"'{name}' not supported between instances of 'complex'")
        if kind is not int:
            _check_exact(a, b)
        compare: Callable[..., Any] = getattr(operator, name)
        if name in ("eq", "ne"):
            compare = tf.equal if name == "eq" else tf.not_equal
        return Weak(bool, compare(_promoted(a, kind).tensor, _promoted(b, kind).tensor))
    if name in ("and", "or", "xor"):
        if a.kind is not bool or b.kind is not bool:
            raise Unsupported("bits of a Python number that changes")
        return Weak(bool, getattr(tf.math, f"logical_{name}")(a.tensor, b.tensor))
    kind = _widest(a, b, float if name == "truediv" else int)
    if name == "pow":
        return _power(_promoted(a, kind), right)
    if name == "truediv" and a.kind is b.kind is int:
        _check_exact(a, b)
    a, b = _promoted(a, kind), _promoted(b, kind)
    x, y = a.tensor, b.tensor
    if name in ("truediv", "floordiv", "mod"):
        check(tf.not_equal(y, tf.zeros((), y.dtype)), "division by zero")
        if name == "truediv" and kind is not int:
            return Weak(kind, x / y)
        if kind is not int:
            raise Unsupported("// and % of Python floats that changes")
        if name == "floordiv":
            return Weak(int, tf.math.floordiv(x, y), a.limit)
        return Weak(int, tf.math.floormod(x, y), b.limit)
    if name in ("add", "neg"):
        sign = 1 if name == "add" else -1
        moved = a if type(right) is int else b if type(left) is int and sign > 0 else None
        offset = moved.offset + (right if moved is a else left) if moved is not None else 0
        origin = moved.origin if moved is not None and kind is int else None
        return _bounded(kind, x + y if sign > 0 else -y, a.limit + b.limit, origin, offset)
    if name == "sub":
        origin = a.origin if kind is int and type(right) is int else None
        return _bounded(kind, x - y, a.limit + b.limit, origin, a.offset - right if origin is not None else 0)
    return _bounded(kind, x * y, a.limit * b.limit)


def _check_exact(*numbers: Weak) -> None:
    """Integers that no float is, Python compares and divides exactly."""
    for number in numbers:
        if number.kind is int and number.limit > 1 << 53:
            check(tf.abs(number.tensor) <= 1 << 53, "a Python integer beyond 2**53 beside a float")


def _bounded(kind: type, tensor: Any, limit: int, origin: object = None, offset: int = 0) -> Weak:
    if kind is int and limit > _INT64:
        raise Unsupported("a Python integer that may grow beyond 64 bits")
    return Weak(kind, tensor, limit, origin, offset)


def _power(base: Weak, exponent: Any) -> Weak:
    if base.kind is float and isinstance(exponent, Weak) and exponent.kind in (int, float):
        check(base.tensor > 0.0, "a power of a Python number that is not positive")
        result = tf.pow(base.tensor, tf.cast(exponent.tensor, tf.float64))
        check(tf.math.is_finite(result), "a power out of range")
        return Weak(float, result)
    if type(exponent) is not int or not 0 < exponent <= 3:
        raise Unsupported("a power of a Python number that changes")
    if base.kind is float and exponent == 1:
        return base
    result = base
    for _ in range(exponent - 1):
        result = _bounded(base.kind, result.tensor * base.tensor, result.limit * base.limit)
    if base.kind is not int:  # where Python raises OverflowError
        check(tf.math.is_finite(tf.abs(result.tensor)), "a power out of range")
    return result


def weak(value: Any) -> Weak:
    """A Python number as Weak."""
    if isinstance(value, Weak):
        return value
    kind = type(value)
    if kind is int and abs(value) > LIMIT:
        raise Unsupported("a Python integer beyond 2**52")
    limit = abs(value) if kind is int else 1 if kind is bool else LIMIT
    return Weak(kind, tf.constant(value, DTYPES[kind]), limit)


def is_number(value: object) -> bool:
    """Whether `value` is a Python number: one that is known, or a Weak."""
    return type(value) in DTYPES or isinstance(value, Weak)


def _widest(a: Weak, b: Weak, least: type) -> type:
    return max(a.kind, b.kind, least, key=_NUMBERS.index)


def _promoted(value: Weak, least: type) -> Weak:
    """`value` as Python converts it to take part in an operation with a `least`."""
    kind = max(value.kind, least, key=_NUMBERS.index)
    if kind is value.kind:
        return value
    return Weak(kind, tf.cast(value.tensor, DTYPES[kind]), value.limit)


def strong(value: Any, dtype: Any) -> Any:
    """A Weak as a tensor of a NumPy dtype, checked to fit where Python's number would raise OverflowError.

    Everything else passes.
    """
    if not isinstance(value, Weak):
        return value
    dtype = np.dtype(dtype)
    if dtype == np.int64 and value.kind is float:
        check(tf.abs(value.tensor) < 2.0**63, "a Python float that no integer is")
    if dtype.kind in "iu" and dtype != np.int64:
        if value.kind is float:
            raise Unsupported("a Python float in an array of small integers")
        bounds = np.iinfo(dtype)
        if value.limit > bounds.max or bounds.min == 0:
            inside = tf.logical_and(value.tensor >= int(bounds.min), value.tensor <= min(int(bounds.max), _INT64))
            check(inside, "a Python integer out of bounds")
    return tf.cast(value.tensor, tf.as_dtype(dtype))


def resolved(api: str, reference: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments of a call of NumPy's `api` with each Weak as the tensor that NumPy's promotion makes of it.

    Raises Unsupported where NumPy's rule for Python numbers is not that of the ufuncs.
    """
    if api == "numpy.full" and len(args) == 2 and isinstance(args[1], Weak) and not kwargs:
        return [args[0], strong(args[1], DTYPES[args[1].kind])]
    elementwise = isinstance(reference, np.ufunc) or api.startswith(("operator.", "builtins.")) or api == "numpy.clip"
    if kwargs or not (elementwise or api == "numpy.where"):
        raise Unsupported("a Python number that changes")
    first = 1 if api == "numpy.where" else 0
    known = [_sample(value) for value in args[first:]]
    if all(isinstance(value, (int, float, complex)) and not isinstance(value, np.generic) for value in known):
        return [strong(value, DTYPES[value.kind]) if isinstance(value, Weak) else value for value in args]
    if api in ("operator.pow", "numpy.power"):
        raise Unsupported("a power with a Python number that changes")
    dtype = np.result_type(*known)
    if isinstance(args[0], Weak) and first:
        raise Unsupported("a Python number as a condition")
    return [strong(value, dtype) for value in args]


def _sample(value: Any) -> Any:
    if isinstance(value, Weak):
        return _SAMPLES[value.kind]
    if is_tensor(value):
        return np.dtype(value.dtype.as_numpy_dtype)
    if type(value) in DTYPES:
        return _SAMPLES[type(value)]
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise Unsupported(f"a {type(value).__name__} beside a Python number that changes")
    return array.dtype
