"""All iterations of a loop at once: its counter, and the Python numbers that are computed from it.

``for i in rt.vectorized(range(n), ...)`` has one iteration, in which `i` is a :class:`Steps`. What is computed from it
with Python numbers is a :class:`Numbers`: like Python's numbers it takes the dtype of the array that it meets, where an
array of int64 would turn float32 into float64. The values are kept by NumPy: making indices of them needs no device.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import OPERATORS, is_tensor
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError

#: Integers up to here are exact in float64, so that a quotient of two is what Python gives.
_EXACT = 1 << 53
_INT64 = (1 << 63) - 1
_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))


class Numbers:
    """A Python number of each iteration. kind: int, float or complex. values: ndarray, an axis for each loop around.

    Integers that may go beyond 64 bits are Python's own, in an ndarray of objects.
    """

    __slots__ = ("_values", "kind")
    __array_ufunc__ = None  # NumPy's operators leave it to ours
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, kind: type, values: Any) -> None:
        self.kind = kind
        self._values = values

    @property
    def values(self) -> Any:
        return self._values

    def cast(self, dtype: np.dtype[Any]) -> Any:
        """An ndarray of `dtype`. Raises OverflowError where Python's number would: an integer out of its range."""
        values = self.values
        if self.kind is int and dtype.kind in "iu" and values.size:
            bounds = np.iinfo(dtype)
            for value in (int(values.min()), int(values.max())):
                if not bounds.min <= value <= bounds.max:
                    raise OverflowError(f"Python integer {value} out of bounds for {dtype}")
        if self.kind is not int and dtype.kind in ("iu" if self.kind is float else "iuf"):
            raise Unsupported(f"Python numbers of type {self.kind.__name__} in an array of {dtype}")
        return values.astype(dtype)

    def __bool__(self) -> bool:
        raise UnverifiedError("a loop in whole-array form asks for a number of one iteration")

    __index__ = __int__ = __float__ = __bool__

    def __neg__(self) -> Any:
        return self.moved(-1, 0) if isinstance(self, Steps) else Numbers(self.kind, -self.values)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return Numbers(float if self.kind is complex else self.kind, np.abs(self.values))


class Steps(Numbers):
    """A loop's counter, or that times a number, plus a number. axis: its place among the `depth` loops of the nest."""

    __slots__ = ("axis", "depth", "steps")

    def __init__(self, steps: range, axis: int, depth: int) -> None:
        super().__init__(int, None)
        self.steps = steps
        self.axis = axis
        self.depth = depth

    @property
    def values(self) -> Any:
        if self._values is None:
            shape = [1] * self.depth
            shape[self.axis] = len(self.steps)
            start, step = self.steps.start, self.steps.step
            self._values = (start + step * np.arange(len(self.steps))).reshape(shape)
        return self._values

    def moved(self, factor: int, offset: int) -> Steps | Numbers:
        """``self * factor + offset``; the factor is not 0."""
        start, last = (factor * self.steps[place] + offset for place in (0, -1))
        step = factor * self.steps.step
        if max(abs(start), abs(last)) > _EXACT:  # no index any more
            return Numbers(int, self.values.astype(object) * factor + offset)
        return Steps(range(start, last + (1 if step > 0 else -1), step), self.axis, self.depth)


def _is_int(value: object) -> bool:
    return type(value) is int


def _moved(name: str, left: Any, right: Any) -> Steps | Numbers | None:
    """``left op right`` as Steps, where it is one; None where it is no linear function of a counter."""
    if isinstance(left, Steps) and _is_int(right):
        if name in ("add", "sub"):
            return left.moved(1, right if name == "add" else -right)
        return left.moved(right, 0) if name == "mul" and right else None
    if isinstance(right, Steps) and _is_int(left):
        if name in ("add", "sub"):
            return right.moved(1 if name == "add" else -1, left)
        return right.moved(left, 0) if name == "mul" and left else None
    return None


def _apply(name: str, left: Any, right: Any) -> Any:
    other = right if isinstance(left, Numbers) else left
    if type(other) is bool:
        left, right = (int(v) if v is other else v for v in (left, right))
    if isinstance(other, Numbers) or type(other) in (int, float, bool, complex):
        found = _moved(name, left, right)
        return found if found is not None else _python(name, left, right)
    if isinstance(other, (np.ndarray, np.generic)):
        pair = [value.values if isinstance(value, Numbers) else value for value in (left, right)]
        if name not in _COMPARISONS:
            number = left if isinstance(left, Numbers) else right
            dtype = np.result_type(number.kind(), other)
            pair = [v.cast(dtype) if isinstance(v, Numbers) else v for v in (left, right)]
        return getattr(operator, name)(*pair)
    return OPERATORS[name](left, right) if is_tensor(other) else NotImplemented


def _python(name: str, left: Any, right: Any) -> Any:
    """Python's ``left op right`` in each iteration."""
    kinds = [value.kind if isinstance(value, Numbers) else type(value) for value in (left, right)]
    x, y = (value.values if isinstance(value, Numbers) else value for value in (left, right))
    whole = float not in kinds and complex not in kinds
    if name in _COMPARISONS:
        if complex in kinds:
            raise UnverifiedError("a loop in whole-array form compares complex numbers")
        if not whole and max(_largest(x), _largest(y)) > _EXACT:
            raise Unsupported("a comparison of large integers with floats")
        return getattr(operator, name)(x, y)
    if complex in kinds:
        return _each(getattr(operator, name), x, y)
    if name == "pow":
        return _power(x, y, whole)
    if name in ("truediv", "floordiv", "mod"):
        if not np.all(y):
            raise ZeroDivisionError("division by zero")
        if name != "truediv" and not whole:
            return _each(getattr(operator, name), x, y)
        if name == "truediv" and max(_largest(x), _largest(y)) > _EXACT:
            return _each(operator.truediv, x, y)
    if whole and name != "truediv" and _bound(name, _largest(x), _largest(y)) > _INT64:
        return Numbers(int, getattr(operator, name)(np.asarray(x, object), np.asarray(y, object)))
    with np.errstate(all="ignore"):  # Python's floats tell nobody of an overflow
        found = getattr(operator, name)(np.asarray(x), np.asarray(y))
    return Numbers(float if name == "truediv" or not whole else int, found)


def _bound(name: str, x: int, y: int) -> int:
    """A bound of the magnitude of what is computed of integers below `x` and `y`, and of these."""
    return max(x * y if name == "mul" else x + y, x, y)


def _largest(values: Any) -> int:
    """A bound of integers' magnitudes; 0 for floats."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "iO" or not values.size:
            return 0
        return max(abs(int(values.min())), abs(int(values.max())))
    return abs(values) if isinstance(values, int) else 0


def _power(x: Any, y: Any, whole: bool) -> Any:
    if whole and np.all(np.asarray(y) >= 0) and _largest(x) ** min(_largest(y), 64) <= _INT64:
        return Numbers(int, np.power(np.asarray(x, np.int64), y))
    if whole and np.all(np.asarray(y) >= 0):
        return Numbers(int, np.power(np.asarray(x, object), np.asarray(y, object)))
    return _each(operator.pow, x, y)


def _each(function: Callable[..., Any], x: Any, y: Any) -> Any:
    """A number of each iteration, by Python itself: its last bit, and its exceptions, are its own."""
    x, y = np.broadcast_arrays(x, y)
    found = [function(a, b) for a, b in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)]
    kinds = {type(value) for value in found}
    if len(kinds) != 1 or not kinds <= {float, complex}:
        raise UnverifiedError("a loop in whole-array form has numbers of different kinds")
    return Numbers(kinds.pop(), np.array(found).reshape(x.shape))


def _operators() -> None:
    """Give Numbers Python's binary operators, with the reflected ones."""
    mirrored = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}

    def forward(name: str) -> Callable[[Numbers, Any], Any]:
        return lambda self, other: _apply(name, self, other)

    def backward(name: str) -> Callable[[Numbers, Any], Any]:
        return lambda self, other: _apply(name, other, self)

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", *mirrored):
        setattr(Numbers, f"__{name}__", forward(name))
        if name not in mirrored:
            setattr(Numbers, f"__r{name}__", backward(name))


_operators()
