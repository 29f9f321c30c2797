"""``rt.at(x)[i - 1]`` where `i` stands for all iterations of a loop: see
:mod:`np2tnp.runtime.loops.vectorized_loops`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import host, is_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, numpy_dtype, operand, operand_tensor, result_dtype
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.indexing.inplace import updated_value
from np2tnp.runtime.indexing.item_reads import read
from np2tnp.runtime.indexing.item_stores import write
from np2tnp.runtime.symbols.loop_counter import Numbers, Steps


def has_steps(key: Any) -> bool:
    """Whether an index is one of all iterations."""
    if type(key) is tuple:
        return any(isinstance(part, Numbers) for part in key)
    return isinstance(key, Numbers)


class _Place:
    """The elements that an index means in all iterations.

    key: slices and ints, or index arrays. axes: for each slice, the loop that it follows; None for index arrays.
    depth: how many loops there are. counts: how many iterations each of them has, 1 where the index does not depend
    on it. where: which iterations are meant, a boolean ndarray; where it is false the index may be out of range.
    """

    __slots__ = ("axes", "counts", "depth", "key", "where")

    def __init__(self, x: Any, key: Any, where: Any = True) -> None:
        parts = key if type(key) is tuple else (key,)
        if not is_tensor(x) or x.shape.rank != len(parts):
            raise UnverifiedError("a loop in whole-array form indexes what has other dimensions than it has indices")
        lengths = x.shape.as_list()
        self.where = where
        checked = [_checked(part, lengths[axis], axis, where) for axis, part in enumerate(parts)]
        self.depth = next(part.values.ndim for part in parts if isinstance(part, Numbers))
        axes = [part.axis for part in checked if isinstance(part, Steps)]
        self.axes: list[int] | None = None
        if len(set(axes)) == len(axes) and all(_as_slice(part) is not None for part in checked):
            self.axes = axes
            self.key = tuple(_as_slice(part) for part in checked)
            self.counts = [1] * self.depth
            for part in checked:
                if isinstance(part, Steps):
                    self.counts[part.axis] = len(part.steps)
            return
        arrays = [_wrapped(part, length) for part, length in zip(checked, lengths, strict=True)]
        self.counts = list(np.broadcast_shapes(*(a.shape for a in arrays), (1,) * self.depth))
        self.key = tuple(np.broadcast_to(a, self.counts) for a in arrays)

    def get(self, x: Any) -> Any:
        """The elements, an axis for each loop."""
        if self.axes is None:
            if not all(x.shape):  # no iteration is meant
                return tf.zeros(self.counts, x.dtype)
            flat = np.ravel_multi_index(self.key, tuple(x.shape))
            return op("GatherV2")(params=tf.reshape(x, [-1]), indices=tf.constant(flat), axis=0, batch_dims=0)
        found = read(x, self.key)
        if self.axes != sorted(self.axes):
            found = tf.transpose(found, np.argsort(self.axes))
        return found if len(self.axes) == self.depth else tf.reshape(found, self.counts)

    def set(self, x: Any, value: Any) -> Any:
        """`x` with the elements changed."""
        value = self._fitted(x, value)
        if self.axes is None:
            if not self.is_injective():
                raise UnverifiedError("a loop in whole-array form stores twice into an element")
            if self.where is True:
                return write(x, self.key, value)
            where = np.broadcast_to(self.where, self.counts)
            if value.shape.rank:
                value = tf.boolean_mask(tf.broadcast_to(value, self.counts), where)
            return write(x, tuple(part[where] for part in self.key), value)
        if self.where is not True:
            value = tf.where(self.where, cast(value, x.dtype), self.get(x))
        if value.shape.rank:
            taken = sorted(self.axes)
            value = tf.reshape(value, [value.shape[axis] for axis in taken])
            if taken != self.axes:
                value = tf.transpose(value, [taken.index(axis) for axis in self.axes])
        return write(x, self.key, value)

    def _fitted(self, x: Any, value: Any) -> Any:
        """`value` as a tensor with an axis for each loop, or a 0-d one; 0 where an iteration is not meant."""
        number, kind = operand(value)
        if isinstance(value, Numbers):
            dtype = numpy_dtype(x.dtype)
            meant = value if self.where is True else Numbers(value.kind, np.where(self.where, value.values, 0))
            if value.kind is not int and dtype.kind in "iuf" and (value.kind is complex or dtype.kind != "f"):
                return self._one_by_one(x, meant.values)
            return tf.constant(meant.cast(dtype))
        value = operand_tensor(number, kind, x.dtype) if isinstance(kind, type) and kind is not bool else number
        if value.shape.rank and value.shape.rank < self.depth:
            value = tf.reshape(value, [1] * (self.depth - value.shape.rank) + value.shape.as_list())
        if value.shape.rank and any(n not in (1, m) for n, m in zip(value.shape.as_list(), self.counts, strict=True)):
            raise UnverifiedError("a loop in whole-array form stores a value for each pair of iterations at one place")
        if self.where is not True and value.shape.rank:
            value = tf.where(self.where, value, tf.zeros((), value.dtype))
        if value.dtype != x.dtype and x.dtype.is_integer and not _fits(value, x.dtype):
            return self._one_by_one(x, host(value))
        return value

    def _one_by_one(self, x: Any, values: Any) -> Any:
        """`values` as NumPy stores one number after the other: it raises for what the dtype cannot hold."""
        found = np.zeros(np.broadcast_shapes(np.shape(values), (1,) * self.depth), numpy_dtype(x.dtype))
        for place, value in np.ndenumerate(values):
            found[place or (0,) * self.depth] = value
        return tf.constant(found)

    def is_injective(self) -> bool:
        """Whether no element is meant twice."""
        if self.axes is not None:
            return True
        meant = (
            self.key if self.where is True else [part[np.broadcast_to(self.where, self.counts)] for part in self.key]
        )
        flat = np.ravel_multi_index(tuple(meant), [int(part.max()) + 1 for part in meant]).ravel()
        return bool(np.unique(flat).size == flat.size)


def _fits(value: Any, dtype: Any) -> bool:
    """Whether every number has a place among the integers of `dtype`; then arrays are cast as numbers are."""
    if value.dtype.is_integer:
        values, limits = host(value), np.iinfo(numpy_dtype(dtype))
        return not values.size or (limits.min <= int(values.min()) and int(values.max()) <= limits.max)
    if value.dtype.is_bool:
        return True
    value = tf.math.real(value) if value.dtype.is_complex else value
    inside = (value > float(dtype.min) - 1.0) & (value < float(dtype.max) + 1.0)
    return bool(tf.reduce_all(inside))


def _checked(part: Any, length: int, axis: int, where: Any) -> Any:
    """An index of one axis, in range; 0 where it is out of range and not meant.

    Raises IndexError for the first iteration for which it is not.
    """
    if isinstance(part, Steps):
        first, last = part.steps[0], part.steps[-1]
        if min(first, last) >= -length and max(first, last) < length:
            return part
    if isinstance(part, (bool, np.bool_)):
        raise UnverifiedError("a loop in whole-array form indexes with a bool")
    if isinstance(part, Numbers) and part.kind is int:
        values = part.values
    elif is_tensor(part) and part.dtype.is_integer:
        values = host(part)
    else:
        try:
            values = operator.index(part)
        except TypeError:
            raise UnverifiedError(f"a loop in whole-array form indexes with {type(part).__name__}") from None
    bad = np.asarray((values < -length) | (values >= length))
    if not bad.any():
        return values
    meant = bad & np.asarray(where)
    if meant.any():
        index = np.broadcast_to(values, meant.shape)[meant][0]
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    return np.where(bad, 0, values)


def _as_slice(part: Any) -> Any:
    """A part of an index as a slice or an int; None where it is neither."""
    if not isinstance(part, Steps):
        return part if isinstance(part, int) else None
    steps = part.steps
    first, last = steps[0], steps[-1]
    if (first < 0) != (last < 0):
        return None
    stop = last + (1 if steps.step > 0 else -1)
    outside = stop >= 0 if first < 0 else stop < 0  # a stop that would count from the other end
    return slice(first, None if outside else stop, steps.step)


def _wrapped(part: Any, length: int) -> Any:
    values = np.asarray(part.values if isinstance(part, Steps) else part)
    return np.where(values < 0, values + length, values)


class StepsItem:
    """The elements of one array in all iterations: ``rt.at(x)[i]``."""

    __slots__ = ("_key", "_place", "_x")

    def __init__(self, x: Any, key: Any, where: Any = True) -> None:
        self._x = x
        self._key = key
        self._place = _Place(x, key, host(where))

    def get(self) -> Any:
        """``x[i]`` of all iterations, as an array with an axis for each loop; anything where one is not meant."""
        return self._place.get(self._x)

    def set(self, value: Any) -> Any:
        """``x[i] = value`` in all iterations that are meant, as a new array."""
        return self._place.set(self._x, value)

    def accumulate(self, name: str, value: Any, before: int) -> Any:
        """``x[i] = x[i + before] op value`` in one iteration after the other, as a new array.

        name: "add", "subtract" or "multiply". before: where the iteration before stored.
        """
        x, key = self._x, self._key
        if not isinstance(key, Steps) or key.depth > 1 or key.steps.step != -before:
            raise UnverifiedError("a running sum of this form in a loop in whole-array form")
        first = _Place(x, Steps(range(key.steps[0] + before, key.steps[0] + before + 1), 0, 1)).get(x)
        number, kind = operand(value)
        if result_dtype(x.dtype, kind) != numpy_dtype(x.dtype) or x.dtype == tf.bool:
            return self._accumulated_on_host(name, value, before)
        rest = tf.broadcast_to(operand_tensor(number, kind, x.dtype), [len(key.steps)])
        if name == "subtract":
            rest = tf.zeros_like(rest) - rest if x.dtype.is_unsigned else op("Neg")(x=rest)
        scan = op("Cumprod" if name == "multiply" else "Cumsum")
        total = scan(x=tf.concat([first, rest], 0), axis=tf.constant(0))
        return self._place.set(x, total[1:])

    def _accumulated_on_host(self, name: str, value: Any, before: int) -> Any:
        """The same by NumPy, where each sum is rounded or cast to the array's dtype."""
        x, function = host(self._x), getattr(np, name)
        values = value.values if isinstance(value, Numbers) else host(value)
        for step, item in zip(self._key.steps, np.broadcast_to(values, len(self._key.steps)), strict=True):
            x[step] = function(x[step + before], item)
        return tf.constant(x)


def _method(operation: str) -> Callable[[StepsItem, Any], Any]:
    def update(self: StepsItem, value: Any) -> Any:
        if not self._place.is_injective():
            raise UnverifiedError("a loop in whole-array form updates an element twice")
        return self.set(updated_value(operation, self.get(), value))

    update.__doc__ = f"The in-place operator {operation} in all iterations, as a new array."
    return update


for _name, _operation in {
    "add": "iadd",
    "subtract": "isub",
    "multiply": "imul",
    "divide": "itruediv",
    "floor_divide": "ifloordiv",
    "mod": "imod",
    "power": "ipow",
    "bitwise_and": "iand",
    "bitwise_or": "ior",
    "bitwise_xor": "ixor",
    "left_shift": "ilshift",
    "right_shift": "irshift",
}.items():
    setattr(StepsItem, _name, _method(_operation))
