"""Item stores and reads as functions: ``x = rt.at(x)[key].set(value)`` is ``x[key] = value``.

A tensor never changes; ``set`` returns the changed copy. Anything else (an ndarray, list or dict in code that does
not know what it was given) is changed in place, as NumPy or Python does it, and returned.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import OPERATORS, asked_on_host, exact, holds_tensor, host, is_tensor, unconverted
from np2tnp.runtime.base.errors import ScalarStoreError, Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.own_operators import is_asked
from np2tnp.runtime.base.promotion import array
from np2tnp.runtime.base.stored_values import listed_values
from np2tnp.runtime.base.tracing import check, current
from np2tnp.runtime.compile.xla.padded_stores import update_padded
from np2tnp.runtime.indexing.inplace import apply, in_place, updated_value
from np2tnp.runtime.indexing.item_reads import read
from np2tnp.runtime.indexing.item_stores import write
from np2tnp.runtime.indexing.keys import basic_key, resolve_basic, static_shape
from np2tnp.runtime.indexing.loop_steps import StepsItem, has_steps
from np2tnp.runtime.symbols.changing_length import Sliced, is_changing
from np2tnp.runtime.symbols.changing_length import read as read_sliced
from np2tnp.runtime.symbols.changing_length import write as write_sliced
from np2tnp.runtime.symbols.either_number import stored
from np2tnp.runtime.symbols.masked import Masked, masked_read, masked_write
from np2tnp.runtime.symbols.python_number import Weak, strong, weak

__all__ = [
    "at",
]


# --- Keys that hold a loop's counter: ``x[i]``, ``x[i - 1 : i + 2]``, while the loop is being staged


def resolved_key(x: Any, key: Any) -> tuple[Any, Any]:
    """`x` and `key` without Weak numbers, so that ``x[key]`` is the same. Windows are cut out of `x` first."""
    if current() is None or not _holds_weak(key):
        return x, key
    if not is_tensor(x):
        raise Unsupported(f"an index of a {type(x).__name__} that only the graph knows")
    parts = list(key) if type(key) is tuple else [key]
    windows = [number for number, part in enumerate(parts) if _is_window(part)]
    if windows:
        if any(part is None or part is Ellipsis or is_tensor(part) for part in parts):
            raise Unsupported("a slice that a loop moves beside another kind of index")
        for number in windows:
            x = _window(x, number, parts[number])
            parts[number] = slice(None)
    key = tuple(_plain(part) for part in parts)
    return x, key if len(key) > 1 else key[0]


def resolved_store(key: Any, value: Any, dtype: Any) -> tuple[Any, Any]:
    """`key` and `value` of a store without Weak numbers."""
    if current() is None:
        return key, value
    if _holds_weak(key):
        key = tuple(_plain(part) for part in key) if type(key) is tuple else _plain(key)
    return key, strong(stored(value, dtype.as_numpy_dtype), dtype.as_numpy_dtype)


def _holds_weak(key: Any) -> bool:
    if type(key) is tuple:
        return any(map(_holds_weak, key))
    if isinstance(key, slice):
        return any(isinstance(bound, Weak) for bound in (key.start, key.stop, key.step))
    if type(key) is list:
        return any(isinstance(index, Weak) for index in key)
    return isinstance(key, Weak)


def _plain(part: Any) -> Any:
    if isinstance(part, slice):
        return slice(_index(part.start), _index(part.stop), _index(part.step))
    return [_index(index) for index in part] if type(part) is list else _index(part)


def _index(value: Any) -> Any:
    if isinstance(value, Weak) and value.kind is not int:
        raise Unsupported(f"an index that is a Python {value.kind.__name__}")
    return value.tensor if isinstance(value, Weak) else value


def _is_window(part: Any) -> bool:
    return isinstance(part, slice) and _holds_weak(part)


def _window(x: Any, axis: int, part: slice) -> Any:
    """``x[:, ..., start:stop]`` for a slice of a length that is known: checked to be inside of the axis."""
    start, stop = part.start, part.stop
    moving = isinstance(start, Weak) and isinstance(stop, Weak) and start.origin is not None
    if not moving or start.origin is not stop.origin or part.step not in (None, 1):
        raise Unsupported("a slice whose length a loop changes")
    shape = list(static_shape(x))
    length = stop.offset - start.offset
    check(tf.logical_and(start.tensor >= 0, stop.tensor <= shape[axis]), "a slice that leaves the array")
    if not 0 <= length <= shape[axis]:
        raise Unsupported("a slice that leaves the array")
    begin = [weak(0).tensor] * len(shape)
    begin[axis] = start.tensor
    shape[axis] = length
    return tf.slice(x, tf.stack(begin), shape)


#: NumPy's name of an operation -> Python's.
_OPERATORS = {"add": "add", "subtract": "sub", "multiply": "mul"}
#: What a key is made of that NumPy answers with a view; a bool is an int to Python alone.
_BASIC = (int, np.integer, slice, type(None), type(Ellipsis))


def _assigned(x: Any, key: Any, value: Any) -> Any:
    """What NumPy makes of a store, as a changed copy: the reference."""
    x = np.array(x)
    x[key] = value
    return x


def _got(x: Any, key: Any) -> Any:
    return np.asarray(x)[key]


@exact("ndarray.__setitem__", reference=_assigned)
def _set(x: Any, key: Any, value: Any) -> Any:
    return write(array(x), key, value)


@exact("ndarray.__getitem__", reference=_got)
def _get(x: Any, key: Any) -> Any:
    return read(array(x), key)


@unconverted
def _update(x: Any, key: Any, operation: str, value: Any) -> Any:
    """Buffered ``x[key] op= value``: get, compute under the rules of in-place operators, set."""
    if not _is_array(x):
        if is_asked(x):
            asked_on_host(_update_item, x, key, operation, value)
        else:
            _update_item(x, key, operation, host(value))
        return x
    if not (current() is not None and (type(value) is Sliced or is_changing(x, key))):
        updated = update_padded(x, key, operation, value)
        if updated is not None:
            return updated
    _refuse_number(x, key)
    item = _item(x, key)
    if type(item) is not Sliced and not item.shape.rank and _is_scalar(x, key):
        new = updated_value(operation, item, value)  # NumPy's scalars have no in-place operators
    else:
        new = in_place(operation, item, value)
    return _stored(x, key, new)


def _update_item(x: Any, key: Any, operation: str, value: Any) -> None:
    """``x[key] op= value`` of what is no array; a list may hold tensors."""
    key = _host_key(key)
    x[key] = apply(operation, x[key], value)


def _item_of(x: Any, key: Any) -> Any:
    return x[_host_key(key)]


def _is_array(x: Any) -> bool:
    """Whether `x` is an array that never changes: a tensor, or what stands for one in a trace."""
    return is_tensor(x) or type(x) is Sliced


def _refuse_number(x: Any, key: Any) -> None:
    """Refuse a store by a mask into a 0-d tensor: into NumPy's number, which it nearly always is, nothing is stored.

    Who writes ``x[()]`` or ``x[...]`` means an array without dimensions; a mask was meant for an array with some.
    """
    if is_tensor(x) and x.shape.rank == 0 and is_tensor(key) and key.dtype == tf.bool:
        raise UnverifiedError("a store into what may be a number, which NumPy refuses, or an array without dimensions")


def _item(x: Any, key: Any) -> Any:
    """``x[key]`` of a tensor; while tracing, `key` may be a loop's counter or a mask of the trace."""
    if current() is not None and is_changing(x, key):
        return read_sliced(x, key)
    under_mask = masked_read(x, key)
    return _get(*resolved_key(x, key)) if under_mask is None else under_mask


def _stored(x: Any, key: Any, value: Any) -> Any:
    """`x` with ``x[key] = value`` done, for the same keys."""
    if isinstance(value, (list, tuple)) and holds_tensor(value) and not tf.executing_eagerly():
        value = listed_values(value, x.dtype)
    if isinstance(value, Masked):
        return masked_write(x, key, value)
    if current() is not None and (type(value) is Sliced or is_changing(x, key)):
        return write_sliced(x, key, value)
    return _set(x, *resolved_store(key, value, x.dtype))


def _is_scalar(x: Any, key: Any) -> bool:
    """Whether ``x[key]``, of no dimensions, is a NumPy scalar: always, unless ``...`` makes it a view of one
    element.
    """
    parts = None if type(x) is Sliced else basic_key(key)
    if parts is None:
        return not any(part is Ellipsis for part in (key if type(key) is tuple else (key,)))
    return resolve_basic(static_shape(x), parts).scalar


def _refuse_object(x: np.ndarray[Any, Any], key: Any, value: Any) -> None:
    """Refuse a tensor as an object: NumPy keeps the very array, of which this would be a copy."""
    kept = is_tensor(value) and bool(value.shape.rank) and not isinstance(x[key], np.ndarray)
    if kept or (isinstance(value, (list, tuple)) and holds_tensor(value)):
        raise UnverifiedError("an array that an array of objects keeps")


def _host_key(key: Any) -> Any:
    if isinstance(key, slice):
        return slice(host(key.start), host(key.stop), host(key.step))
    if type(key) is tuple:
        return tuple(_host_key(part) for part in key)
    return host(key)


def _gives(part: Any) -> str:
    """What NumPy gives for a part of a key: "view", "copy", or "either" for what may be an integer or a 0-d array."""
    if is_tensor(part) and not part.shape.rank and not part.dtype.is_bool:
        return "either"
    if isinstance(part, Weak):
        return "copy" if part.kind is bool else "view"
    return "view" if isinstance(part, _BASIC) and type(part) is not bool else "copy"


class Item:
    """One item of an array: ``rt.at(x)[key]``."""

    __slots__ = ("_key", "_x")

    def __init__(self, x: Any, key: Any) -> None:
        self._x = x
        self._key = key

    @unconverted
    def get(self) -> Any:
        """``x[key]``, exactly as NumPy reads it."""
        if _is_array(self._x):
            return _item(self._x, self._key)
        if is_asked(self._x):
            return asked_on_host(_item_of, self._x, self._key)
        return _item_of(self._x, self._key)

    @unconverted
    def as_stored(self, value: Any) -> Any:
        """`value`, which ``x[key]`` gave before stores into `x`, as it is after them: rows are views, numbers are not.

        ``a[0], a[-1] = a[1], a[-2]`` reads the second row where the first store may have changed it.
        """
        parts = self._key if type(self._key) is tuple else (self._key,)
        number = is_tensor(value) and not value.shape.rank and not any(part is Ellipsis for part in parts)
        if number or not _is_array(self._x):
            return value  # a view of an ndarray shows the stores itself
        kinds = set(map(_gives, parts))
        if "copy" in kinds:
            return value
        if "either" in kinds:
            raise UnverifiedError("a row that an array chooses is stored while others are read: copy it before")
        return self.get()

    @unconverted
    def set(self, value: Any) -> Any:
        """``x[key] = value`` as a new array of the same shape and dtype. Raises NumPy's exceptions."""
        if _is_array(self._x):
            try:
                stored = _stored(self._x, self._key, value)
            except IndexError:
                if type(self._x) is Sliced or self._x.shape.rank:
                    raise
                kind = np.dtype(self._x.dtype.as_numpy_dtype).type.__name__
                raise ScalarStoreError(f"'numpy.{kind}' object does not support item assignment") from None
            _refuse_number(self._x, self._key)
            return stored
        key = _host_key(self._key)
        updated = type(self._x) is tuple and self._x[key] is value  # an ndarray, in place
        if not updated:
            if isinstance(self._x, np.ndarray) and self._x.dtype.kind == "O":
                _refuse_object(self._x, key, value)
            if is_asked(self._x):
                asked_on_host(operator.setitem, self._x, key, value, keeps=True)
            else:
                self._x[key] = host(value)
        return self._x

    # NumPy's buffered in-place operators: a repeated index counts once, and its last value wins.

    def add(self, value: Any) -> Any:
        """``x[key] += value`` as a new array."""
        return _update(self._x, self._key, "iadd", value)

    def subtract(self, value: Any) -> Any:
        """``x[key] -= value`` as a new array."""
        return _update(self._x, self._key, "isub", value)

    def multiply(self, value: Any) -> Any:
        """``x[key] *= value`` as a new array."""
        return _update(self._x, self._key, "imul", value)

    def divide(self, value: Any) -> Any:
        """``x[key] /= value`` as a new array."""
        return _update(self._x, self._key, "itruediv", value)

    def floor_divide(self, value: Any) -> Any:
        """``x[key] //= value`` as a new array."""
        return _update(self._x, self._key, "ifloordiv", value)

    def mod(self, value: Any) -> Any:
        """``x[key] %= value`` as a new array."""
        return _update(self._x, self._key, "imod", value)

    def power(self, value: Any) -> Any:
        """``x[key] **= value`` as a new array."""
        return _update(self._x, self._key, "ipow", value)

    def matmul(self, value: Any) -> Any:
        """``x[key] @= value`` as a new array."""
        return _update(self._x, self._key, "imatmul", value)

    def bitwise_and(self, value: Any) -> Any:
        """``x[key] &= value`` as a new array."""
        return _update(self._x, self._key, "iand", value)

    def bitwise_or(self, value: Any) -> Any:
        """``x[key] |= value`` as a new array."""
        return _update(self._x, self._key, "ior", value)

    def bitwise_xor(self, value: Any) -> Any:
        """``x[key] ^= value`` as a new array."""
        return _update(self._x, self._key, "ixor", value)

    def left_shift(self, value: Any) -> Any:
        """``x[key] <<= value`` as a new array."""
        return _update(self._x, self._key, "ilshift", value)

    def right_shift(self, value: Any) -> Any:
        """``x[key] >>= value`` as a new array."""
        return _update(self._x, self._key, "irshift", value)

    def accumulate(self, name: str, value: Any, before: int) -> Any:
        """``x[key] = x[key + before] op value``: one iteration of what `StepsItem.accumulate` does for all."""
        item = _item(self._x, self._key + before) if is_tensor(self._x) else self._x[self._key + before]
        return self.set(OPERATORS[_OPERATORS[name]](item, value))

    def __repr__(self) -> str:
        return f"rt.at({self._x!r})[{self._key!r}]"


class _SameItem:
    """An item that some iterations of a loop in whole-array form read: the same in all of them."""

    __slots__ = ("_item",)

    def __init__(self, x: Any, key: Any) -> None:
        self._item = Item(x, key)

    def get(self) -> Any:
        return self._item.get()

    def __getattr__(self, name: str) -> Any:
        raise UnverifiedError("a branch of a loop in whole-array form stores into one element")


class At:
    """What :func:`at` returns; index it."""

    __slots__ = ("_where", "_x")

    def __init__(self, x: Any, where: Any) -> None:
        self._x = x
        self._where = where

    def __getitem__(self, key: Any) -> Item | StepsItem | _SameItem:
        if has_steps(key):
            return StepsItem(self._x, key, self._where)
        return Item(self._x, key) if self._where is True else _SameItem(self._x, key)


@unconverted
def at(x: Any, where: Any = True) -> At:
    """``rt.at(x)[key]`` stands for the item; its methods return the updated array (``x = rt.at(x)[key].set(value)``).

    Parameters
    ----------
    x : tensor, for which every update is a new tensor; or any other object that can be indexed, which is changed in
    place.
    where : in a loop in whole-array form, a boolean tensor: which iterations read or store (`rt.branches` gives it).
    """
    return At(x, where)
