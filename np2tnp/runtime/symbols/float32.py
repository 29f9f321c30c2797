"""``float32=True``: float32 stands for float64 and complex64 for complex128, until a value leaves for NumPy.

Arrays are narrowed where they become tensors and widened where they become ndarrays, so the world outside sees the
dtypes that NumPy gives; only values differ. Helpers run as everywhere else, exactly, on narrowed arguments, and what
they give in float64 (of integers, of Python numbers) is narrowed. What float32 cannot stand for is refused: numbers
beyond its range, and arrays that are of a smaller dtype for NumPy, too, since the two could not be told apart.
"""

from __future__ import annotations

import functools
import math
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from np2tnp.runtime.base import precision
from np2tnp.runtime.base.dispatch import holds_tensor, is_tensor, map_structure
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.looking import is_of
from np2tnp.runtime.base.precision import RUNS, is_single, working
from np2tnp.runtime.base.updated import updated
from np2tnp.runtime.symbols.python_number import Weak

if TYPE_CHECKING:
    from np2tnp.runtime.boundary.contract import Plan

_NARROW = {np.dtype("d"): np.dtype("f"), np.dtype("D"): np.dtype("F")}
_WIDE = {narrow: wide for wide, narrow in _NARROW.items()}
#: Dtypes that cannot be told from those which stand for others.
_SMALL = frozenset("efF")
_LARGEST = float(np.finfo(np.float32).max)
_SMALLEST = float(np.finfo(np.float32).tiny)
#: Where these take a dtype by position; text elsewhere may be an order or subscripts.
_DTYPE_SECOND = frozenset(
    f"numpy.{name}" for name in "ndarray.astype astype array asarray zeros ones empty identity".split()
)
_PYTHON = (types.FunctionType, types.MethodType, functools.partial)
#: Operators that may as well convert an integer operand to float32 first, as the result is float32.
_ARITHMETIC = frozenset(("operator.add", "operator.sub", "operator.mul", "operator.truediv"))


def has_small(value: Any, begins_again: bool = True) -> bool:
    """Whether an array or NumPy number among the arguments is of a smaller floating dtype than float64 already.

    begins_again: whether a call that is refused half-way goes to the original. Where not, small integers count, too:
    roots of int16 are float32 for NumPy, and refused.
    """
    found = False
    small = _SMALL if begins_again else f"{_SMALL}hH"

    def look(leaf: Any) -> Any:
        nonlocal found
        if is_of(leaf, (np.ndarray, np.generic)):
            found = found or leaf.dtype.char in small
        elif is_tensor(leaf):
            found = found or leaf.dtype in (tf.float32, tf.complex64, tf.float16)
            found = found or (not begins_again and leaf.dtype in (tf.int16, tf.uint16))
        return leaf

    map_structure(look, value)
    return found


def narrow_array(array: Any) -> Any:
    """An ndarray or NumPy number as it enters. Raises UnverifiedError for what float32 cannot stand for."""
    target = _NARROW.get(array.dtype)
    if target is None:
        if array.dtype.char in _SMALL:
            raise UnverifiedError(f"an array of {array.dtype} meets float32=True, in which float32 stands for float64")
        return array
    try:
        with np.errstate(over="raise", under="ignore", invalid="ignore"):
            return array.astype(target)
    except FloatingPointError:
        raise UnverifiedError("an array holds numbers that float32 cannot hold") from None


def wide_array(array: Any) -> Any:
    """An ndarray or NumPy number as it leaves."""
    target = _WIDE.get(array.dtype)
    return array if target is None else array.astype(target)


def wide_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that NumPy's array has, of the tensor's that stands for it."""
    return _WIDE.get(dtype, dtype)


def _narrow_tensor(leaf: Any) -> Any:
    if is_tensor(leaf):
        if leaf.dtype == tf.float64:
            return tf.cast(leaf, tf.float32)
        if leaf.dtype == tf.complex128:
            return tf.cast(leaf, tf.complex64)
    return leaf


def _wide_tensor(leaf: Any) -> Any:
    if is_tensor(leaf):
        if leaf.dtype == tf.float32:
            return tf.cast(leaf, tf.float64)
        if leaf.dtype == tf.complex64:
            return tf.cast(leaf, tf.complex128)
    return leaf


def takes(plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call of a function of ``float32=True`` works in float32: no argument is of a smaller dtype already."""
    small = has_small((args, kwargs), plan.begins_again)
    RUNS["as given" if small else "float32"] += 1
    return not small


def crossed(
    core: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    plan: Plan,
    float32: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """``core(args, kwargs)`` where the caller's code or the core, of ``float32=True`` or not, may be of either kind.

    What is one tensor before and after the call stays one, so that a returned argument is known to be it.
    """
    if is_single() == float32:
        return core(args, kwargs)
    if float32 and has_small((args, kwargs), plan.begins_again):
        RUNS["as given"] += 1
        return core(args, kwargs)
    enter, leave = (_narrow_tensor, _wide_tensor) if float32 else (_wide_tensor, _narrow_tensor)
    exchanged: dict[int, tuple[Any, Any]] = {}  # either form -> the other one, and itself, to keep its identity

    def convert(function: Callable[[Any], Any], leaf: Any) -> Any:
        if not is_tensor(leaf):
            return leaf
        if id(leaf) not in exchanged:
            other = function(leaf)
            exchanged[id(leaf)], exchanged[id(other)] = (other, leaf), (leaf, other)
        return exchanged[id(leaf)][0]

    for name, value in plan.tracked(args, kwargs).items():
        if name in plan.mutates_set and is_of(value, (list, dict)) and holds_tensor(value):
            raise UnverifiedError(f"{plan.name} updates {name!r}, and works in another precision than its caller")
    given = map_structure(functools.partial(convert, enter), (args, kwargs))
    RUNS["float32"] += float32
    with working(float32):
        result = core(*given)
    return _map_result(functools.partial(convert, leave), result)


def _map_result(function: Callable[[Any], Any], result: Any) -> Any:
    if not isinstance(result, updated):
        return map_structure(function, result)
    arrays = {name: map_structure(function, array) for name, array in result.arrays.items()}
    return updated(map_structure(function, result.result), **arrays)


def call(api: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``function(*args, **kwargs)``, an exact helper, in float32. Raises UnverifiedError, and what it raises."""
    args = tuple([_argument(value) for value in args])
    if len(args) > 1 and type(args[1]) is str and api in _DTYPE_SECOND:
        args = (args[0], _dtype(args[1]), *args[2:])
    if kwargs:
        kwargs = {name: _dtype(value) if name == "dtype" else _argument(value) for name, value in kwargs.items()}
    single = any(map(_is_single, args)) or any(map(_is_single, kwargs.values()))
    if single and api in _ARITHMETIC:
        args = tuple([tf.cast(value, tf.float32) if _is_integer(value) else value for value in args])
    with working(False):
        result = function(*args, **kwargs)

    def leave(leaf: Any) -> Any:
        if not single and is_tensor(leaf) and leaf.dtype in (tf.float32, tf.complex64):
            raise UnverifiedError(f"{api} of small integers gives {leaf.dtype.name}, which stands for more here")
        return _narrow_tensor(leaf)

    return leave(result) if is_tensor(result) else map_structure(leave, result)


def _is_single(value: Any) -> bool:
    """Whether float32 is due in the result: an operand or a dtype is of it."""
    if is_tensor(value):
        return value.dtype in (tf.float32, tf.complex64)
    if is_of(value, (np.ndarray, np.generic)):
        return value.dtype.char in "fF"
    if is_of(value, np.dtype):
        return value.char in "fF"
    return is_of(value, (list, tuple)) and any(map(_is_single, value))


def _is_integer(value: Any) -> bool:
    return is_tensor(value) and isinstance(value, tf.Tensor) and value.dtype.is_integer


def _argument(value: Any) -> Any:
    kind = type(value)
    if kind is int or kind is str or value is None or is_tensor(value):
        return _narrow_tensor(value)
    if kind is tuple or kind is list or kind is dict or is_of(value, tuple):
        return map_structure(_argument, value)
    if kind is float:
        return checked(value)
    if is_of(value, (np.ndarray, np.generic)):
        if is_of(value, np.float64):
            checked(float(value))
        return narrow_array(value) if value.dtype.kind in "fc" else value
    if is_of(value, (type, np.dtype)):
        return _dtype(value)
    return _resumed(value) if is_of(value, _PYTHON) else value


def checked(number: float) -> float:
    """The number. Raises UnverifiedError where float32 makes infinity or zero of it."""
    size = abs(number)
    if (size > _LARGEST and not math.isinf(size)) or 0.0 < size < _SMALLEST:
        raise UnverifiedError(f"float32 cannot hold {number!r}")
    return number


def _dtype(value: Any) -> Any:
    """A dtype that is asked for, as the one that stands for it."""
    if value is None or is_of(value, Weak):
        return value
    try:
        wanted = np.dtype(value.as_numpy_dtype if isinstance(value, tf.DType) else value)
    except TypeError:
        return value
    if wanted.char in _SMALL:
        raise UnverifiedError(f"{wanted} is asked for under float32=True, in which float32 stands for float64")
    return _NARROW.get(wanted, value)


def _resumed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the region's that a helper will call."""

    def resumed(*args: Any, **kwargs: Any) -> Any:
        with working(True):
            return function(*args, **kwargs)

    return resumed


def kept_where_same(original: Any, final: Any) -> Any:
    """`final`, but with the original's own elements wherever the body left what had been made of them.

    Parameters
    ----------
    original : the caller's ndarray of float64 or complex128.
    final : the widened result of its update, of the same dtype and shape.
    """
    if original.dtype not in _NARROW:
        return final
    with np.errstate(all="ignore"):
        before, after = (array.astype(_NARROW[original.dtype]) for array in (original, final))
    words = np.uint32 if original.dtype.kind == "f" else np.uint64
    same = np.ascontiguousarray(before).view(words) == np.ascontiguousarray(after).view(words)
    return np.where(same.reshape(original.shape), original, final)


precision.narrowing = sys.modules[__name__]
