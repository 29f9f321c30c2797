"""Methods of arrays that show, write or reinterpret their bytes, and methods that are functions of another form.

What is no operation of TensorFlow's is done by NumPy on a host copy of the tensor, outside of graphs. For anything
but a tensor the object's own method is called.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from np2tnp.runtime import packing
from np2tnp.runtime.axes import UNSET
from np2tnp.runtime.base.dispatch import (
    as_tensor,
    exact,
    holds_symbol,
    host,
    is_array,
    is_tensor,
    to_ndarray,
    to_tensor,
)
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import numpy_dtype

__all__ = [
    "byteswap",
    "byteswap_in_place",
    "compressed",
    "dump",
    "dumps",
    "getfield",
    "setfield",
    "to_device",
    "tofile",
    "view",
]


def compressed(a: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """``a.compress(condition, axis, out)``."""
    from np2tnp.runtime.ordering import compress

    return compress(condition, a, axis, out) if is_tensor(a) else a.compress(host(condition), axis, out)


def dump(a: Any, file: Any) -> Any:
    """``a.dump(file)``: pickled as an ndarray."""
    return _on_host(a).dump(file)


def dumps(a: Any) -> Any:
    """``a.dumps()``: the bytes of the pickled ndarray."""
    return _on_host(a).dumps()


def tofile(a: Any, fid: Any, sep: str = "", format: str = "%s") -> Any:
    """``a.tofile(fid, sep, format)``."""
    return _on_host(a).tofile(fid, sep, format)


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
    wanted = None if dtype is UNSET or dtype is np.ndarray else np.dtype(dtype)
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
        return _in_graph(packing.part, a, wanted, operator.index(offset))
    return to_tensor(_numbers(_on_host(a).getfield(dtype, offset)))


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
        return _in_graph(packing.with_part, tensor, values, operator.index(offset))
    array = _on_host(a)
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
        return _in_graph(packing.swapped, a)
    return to_tensor(_on_host(a).byteswap()) if is_tensor(a) else a.byteswap(inplace)


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


def _on_host(a: Any) -> Any:
    if is_tensor(a) and not hasattr(a, "numpy"):
        raise UnverifiedError("a value that is only known when the graph runs")
    return np.asarray(to_ndarray(a)) if is_tensor(a) else a
