"""``len``, ``float``, ``max``... and iteration of what may be a symbol of a trace; Python's own of all else."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from np2tnp.runtime.base.dispatch import is_symbolic, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import dtype_of
from np2tnp.runtime.base.tracing import above, check, current
from np2tnp.runtime.symbols.either_number import EitherNumber, as_float, is_float64, is_known, of_numbers
from np2tnp.runtime.symbols.growing_list import Growth
from np2tnp.runtime.symbols.python_number import LIMIT, Weak, is_number, weak

__all__ = ["elements", "length", "python_bool", "python_float", "python_int", "python_max", "python_min", "python_type"]


def length(value: Any, /) -> Any:
    """``len(value)``."""
    if type(value) is Growth:
        return value.length()
    if is_tensor(value) and is_symbolic(value) and value.shape.rank:
        if value.shape[0] is None:
            raise Unsupported("a length that is only known when the graph runs")
        return int(value.shape[0])
    return len(value)


def elements(value: Any, /) -> Any:
    """`value`, to be iterated over or unpacked: a list where it is a symbol of a trace."""
    if not (is_tensor(value) and is_symbolic(value) and value.shape.rank):
        return value
    return tf.unstack(value, length(value))


#: Rows, at most, that a trace takes an array apart into where the text does not ask for it.
_ROWS = 1000


@functools.cache
def teach_symbols() -> None:
    """Let the symbols of our traces be asked for their length, and be iterated over, as tensors are.

    Elsewhere (in a user's own ``tf.function``) both raise TypeError as before.
    """
    kind: Any = importlib.import_module("tensorflow.python.framework.ops").SymbolicTensor
    len_before, iter_before = kind.__len__, kind.__iter__

    def number(symbol: Any) -> int:
        return len_before(symbol) if current() is None or not _rows(symbol) else _rows(symbol)

    def rows(symbol: Any) -> Any:
        return iter_before(symbol) if current() is None or not 0 < _rows(symbol) <= _ROWS else iter(tf.unstack(symbol))

    kind.__len__, kind.__iter__ = number, rows


def _rows(symbol: Any) -> int:
    """How many rows it certainly has; 0 where that is not known."""
    return (symbol.shape[0] or 0) if symbol.shape.rank else 0


def python_float(value: Any, /) -> Any:
    """``float(value)``."""
    tensor = _symbol(value)
    if tensor is None:
        return float(value)
    _require_number(value)
    if dtype_of(tensor).kind == "c":
        raise Unsupported("float() of a complex number")
    return Weak(float, tf.cast(tensor, tf.float64))


def python_int(value: Any, /) -> Any:
    """``int(value)``."""
    tensor = _symbol(value)
    if tensor is None:
        return int(value)
    _require_number(value)
    if dtype_of(tensor).kind == "c":
        raise Unsupported("int() of a complex number")
    check(tf.abs(tf.cast(tensor, tf.float64)) < LIMIT, "int() of a number beyond 2**52")  # false for NaN, too
    return Weak(int, tf.cast(tensor, tf.int64))


def python_bool(value: Any, /) -> Any:
    """``bool(value)``."""
    tensor = _symbol(value)
    if tensor is None:
        return bool(value)
    return Weak(bool, tensor if tensor.dtype == tf.bool else tf.not_equal(tensor, tf.zeros((), tensor.dtype)))


def python_type(value: Any, /) -> type:
    """``type(value)``. What a symbol would be instead of a tensor, only running the function tells."""
    if isinstance(value, Weak):
        return value.kind
    if type(value) is EitherNumber:
        raise Unsupported("the class of a number, which depends on which one is taken")
    if is_tensor(value) and is_symbolic(value):
        raise Unsupported("the class of an array")
    return type(value)


def python_max(first: Any, /, *others: Any) -> Any:
    """``max(first, *others)`` of two values or more."""
    return _extreme(max, "greater", (first, *others))


def python_min(first: Any, /, *others: Any) -> Any:
    """``min(first, *others)`` of two values or more."""
    return _extreme(min, "less", (first, *others))


def _extreme(builtin: Any, comparison: str, values: tuple[Any, ...]) -> Any:
    """As Python finds it: a later value takes the place of an earlier one that it beats, which NaN never does."""
    if current() is None or not any(
        isinstance(it, (Weak, EitherNumber)) or (is_tensor(it) and is_symbolic(it)) for it in values
    ):
        return builtin(*values)
    beats = getattr(tf, comparison)
    if all(map(is_number, values)):
        numbers = [weak(value) for value in values]
        if len({number.kind for number in numbers}) > 1:
            raise Unsupported("the kind of a Python number, which depends on which one is taken")
        best = numbers[0].tensor
        for number in numbers[1:]:
            best = tf.where(beats(number.tensor, best), number.tensor, best)
        return Weak(numbers[0].kind, best, max(number.limit for number in numbers))
    if all(is_known(value) or is_float64(value) for value in values):
        floats = [value if is_tensor(value) else as_float(value) for value in values]
        best = floats[0]
        for value in floats[1:]:
            best = tf.where(beats(value, best), value, best)
        return best if all(map(is_tensor, values)) else of_numbers(best, values)
    if not all(map(is_tensor, values)) or len({value.dtype for value in values}) > 1:
        raise Unsupported("the dtype of a number, which depends on which one is taken")
    if any(value.shape.rank != 0 for value in values) or dtype_of(values[0]).kind == "c":
        raise Unsupported("the truth of an array")
    best = values[0]
    for value in values[1:]:
        best = tf.where(beats(value, best), value, best)
    return best


def python_number(tensor: Any) -> Any:
    """The only element of a symbolic tensor as the Python number that ``item()`` gives."""
    kind = dtype_of(tensor).kind
    if kind in "iu":
        return python_int(tensor)
    if kind == "b":
        return python_bool(tensor)
    return python_float(tensor) if kind == "f" else Weak(complex, tf.cast(_symbol(tensor), tf.complex128))


def _require_number(value: Any) -> None:
    """An array of one element, with dimensions, is a number to some versions of NumPy only: they are to say."""
    if is_tensor(value) and value.shape.rank:
        raise Unsupported("a number made of an array that has dimensions")


def _symbol(value: Any) -> Any | None:
    """A 0-d tensor of the trace for `value`; None where Python can be asked."""
    if current() is None:
        return None
    if isinstance(value, (Weak, EitherNumber)):
        return value.tensor
    if not is_tensor(value) or not is_symbolic(value):
        return None
    if value.shape.num_elements() != 1:
        raise Unsupported("a number made of an array of several elements")
    return tf.reshape(value, ())


above.elements = elements
