"""Attributes and methods of arrays that are no functions of NumPy's: their Python values, and their bytes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from np2tnp.runtime.base import precision
from np2tnp.runtime.base.dispatch import (
    as_tensor,
    exact,
    holds_symbol,
    host,
    is_array,
    is_symbolic,
    is_tensor,
    to_ndarray,
    to_tensor,
)
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import numpy_dtype, requested_dtype
from np2tnp.runtime.functions.axes import UNSET
from np2tnp.runtime.functions.math import bits
from np2tnp.runtime.functions.statistics.sorting import compress
from np2tnp.runtime.symbols.python_builtins import python_number

__all__ = [
    "byteswap",
    "byteswap_in_place",
    "compressed",
    "dtype",
    "dump",
    "dumps",
    "flat",
    "getfield",
    "item",
    "itemsize",
    "nbytes",
    "ndim",
    "setfield",
    "shape",
    "size",
    "to_device",
    "tobytes",
    "tofile",
    "tolist",
    "view",
]


# --- Attributes and methods of arrays whose value is Python's: shapes, dtypes, single elements, lists
#
# For anything but a tensor they ask the object itself, so that a user's own ``x.size`` stays what it is.


def shape(a: Any) -> Any:
    """``x.shape`` as a tuple of ints (also ``np.shape`` of lists and numbers)."""
    if is_tensor(a):
        return _shape(a)
    return a.shape if hasattr(a, "shape") else np.shape(a)


def ndim(a: Any) -> Any:
    """``x.ndim`` (also ``np.ndim`` of lists and numbers)."""
    if is_tensor(a):
        return len(_shape(a)) if a.shape.rank is None else a.shape.rank
    return a.ndim if hasattr(a, "ndim") else np.ndim(a)


def size(a: Any, axis: Any = None) -> Any:
    """``x.size`` and ``np.size(a, axis)`` as an int."""
    if is_tensor(a):
        return np.size(np.broadcast_to(np.zeros((), np.bool_), _shape(a)), axis)
    return a.size if axis is None and hasattr(a, "size") else np.size(a, axis)


def dtype(x: Any) -> Any:
    """``x.dtype`` as a ``np.dtype``."""
    return _dtype(x) if is_tensor(x) else x.dtype


def itemsize(x: Any) -> Any:
    """``x.itemsize``."""
    return _dtype(x).itemsize if is_tensor(x) else x.itemsize


def nbytes(x: Any) -> Any:
    """``x.nbytes``."""
    return size(x) * _dtype(x).itemsize if is_tensor(x) else x.nbytes


def item(x: Any, *args: Any) -> Any:
    """``x.item(*args)``: one element as a Python number. Raises NumPy's ValueError or IndexError."""
    if not args and is_tensor(x) and is_symbolic(x):
        return python_number(x)
    return _on_host(x).item(*args)


def tolist(x: Any) -> Any:
    """``x.tolist()``: nested lists of Python numbers."""
    return _on_host(x).tolist()


def tobytes(x: Any, order: Any = "C") -> Any:
    """``x.tobytes()``."""
    return _on_host(x).tobytes(order)


def flat(x: Any) -> Any:
    """``x.flat``, for reading: an iterator over NumPy scalars (of a copy, where `x` is a tensor)."""
    return _on_host(x).flat


def _dtype(x: Any) -> Any:
    found = numpy_dtype(x.dtype)
    if precision.active and precision.is_single():
        return precision.narrowing.wide_dtype(found)
    return found


def _shape(x: Any) -> tuple[int, ...]:
    if x.shape.rank is None or None in tuple(x.shape):
        raise UnverifiedError("a shape that is only known when the graph runs")
    return tuple(x.shape)


def _on_host(x: Any) -> Any:
    if not is_tensor(x):
        return x
    if not hasattr(x, "numpy"):
        raise UnverifiedError("a value that is only known when the graph runs")
    return to_ndarray(x)


# --- Methods of arrays that show, write or reinterpret their bytes, and methods that are functions of another form
#
# What is no operation of TensorFlow's is done by NumPy on a host copy of the tensor, outside of graphs. For anything
# but a tensor the object's own method is called.


def compressed(a: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """``a.compress(condition, axis, out)``."""
    return compress(condition, a, axis, out) if is_tensor(a) else a.compress(host(condition), axis, out)


def dump(a: Any, file: Any) -> Any:
    """``a.dump(file)``: pickled as an ndarray."""
    return _as_ndarray(a).dump(file)


def dumps(a: Any) -> Any:
    """``a.dumps()``: the bytes of the pickled ndarray."""
    return _as_ndarray(a).dumps()


def tofile(a: Any, fid: Any, sep: str = "", format: str = "%s") -> Any:
    """``a.tofile(fid, sep, format)``."""
    return _as_ndarray(a).tofile(fid, sep, format)


def to_device(a: Any, device: Any, /, *, stream: Any = None) -> Any:
    """``a.to_device("cpu")``: the array itself. Raises NumPy's ValueError for any other device."""
    np.zeros(0).to_device(device, stream=stream)
    return a


@exact("ndarray.view", reference=np.ndarray.view)
def view(a: Any, dtype: Any = UNSET, type: Any = UNSET) -> Any:
    """``a.view(dtype)`` of a tensor: its bytes as numbers of another dtype (None is float64), in a new tensor."""
    if not is_tensor(a):
        given = {"dtype": dtype, "type": type}
        return a.view(**{name: item for name, item in given.items() if item is not UNSET})
    wanted = None if dtype is UNSET or dtype is np.ndarray else requested_dtype(dtype)
    if type not in (UNSET, None, np.ndarray):
        raise UnverifiedError("a view of another class")
    if wanted is None or wanted == numpy_dtype(a.dtype):
        return tf.identity(a)
    if wanted.itemsize != numpy_dtype(a.dtype).itemsize or "b" in (wanted.kind, numpy_dtype(a.dtype).kind):
        raise Unsupported("numbers of another size")
    return tf.bitcast(a, tf.as_dtype(wanted))


def getfield(a: Any, dtype: Any, offset: int = 0) -> Any:
    """``a.getfield(dtype, offset)`` as a new tensor."""
    if not is_tensor(a):
        return a.getfield(dtype, offset)
    if holds_symbol(a):
        wanted = _field_of(a, dtype, offset)
        return _in_graph(bits.part, a, wanted, operator.index(offset))
    return to_tensor(_numbers(_as_ndarray(a).getfield(dtype, offset)))


def setfield(a: Any, val: Any, dtype: Any, offset: int = 0) -> Any:
    """``a.setfield(val, dtype, offset)``: the changed array."""
    if holds_symbol(a) or holds_symbol(val):
        tensor = as_tensor(a)
        wanted = _field_of(tensor, dtype, offset)
        if holds_symbol(val) and numpy_dtype(val.dtype) != wanted:
            raise UnverifiedError(f"a field of another dtype than {val.dtype.name} inside tf.function")
        values = val
        if not holds_symbol(val):
            values = np.empty(np.shape(host(val)), wanted)
            values[...] = host(val)
            values = to_tensor(values)
        return _in_graph(bits.with_part, tensor, values, operator.index(offset))
    array = _as_ndarray(a)
    array.setfield(host(val), dtype, offset)
    return to_tensor(array) if is_tensor(a) else array


def _field_of(a: Any, dtype: Any, offset: int) -> np.dtype[Any]:
    """The dtype of a field. Raises NumPy's ValueError for one that lies outside."""
    return np.zeros((), numpy_dtype(a.dtype)).getfield(dtype, offset).dtype


def _in_graph(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Unsupported as error:
        raise UnverifiedError(f"{error}, which have no exact form inside tf.function") from error


def byteswap(a: Any, inplace: bool = False) -> Any:
    """``a.byteswap(inplace)``: the result, which is the changed array if `inplace`."""
    if holds_symbol(a):
        return _in_graph(bits.swapped, a)
    return to_tensor(_as_ndarray(a).byteswap()) if is_tensor(a) else a.byteswap(inplace)


def byteswap_in_place(a: Any, inplace: bool = False) -> Any:
    """What `a` is after ``a.byteswap(inplace)``."""
    if is_tensor(a):
        return byteswap(a) if inplace else a
    a.byteswap(inplace)
    return a


def _numbers(array: Any) -> Any:
    if not is_array(array):
        raise UnverifiedError(f"numbers of dtype {array.dtype}")
    return np.asarray(array, order="C")  # ascontiguousarray would make a 0-d array 1-d


def _as_ndarray(a: Any) -> Any:
    if is_tensor(a) and not hasattr(a, "numpy"):
        raise UnverifiedError("a value that is only known when the graph runs")
    return np.asarray(to_ndarray(a)) if is_tensor(a) else a
