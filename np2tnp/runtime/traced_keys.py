"""Keys that hold a loop's counter: ``x[i]``, ``x[i - 1 : i + 2]``, while the loop is being staged."""

from __future__ import annotations

from typing import Any

from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import check, current
from np2tnp.runtime.keys import static_shape
from np2tnp.runtime.symbols.either_number import stored
from np2tnp.runtime.symbols.python_number import Weak, strong, weak


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
