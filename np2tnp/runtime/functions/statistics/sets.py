"""Sets of values: unique and its relatives, isin, unions, intersections, differences.

Values are sorted by integer keys: floats map to integers of the same order, in which both zeros are one and NaN comes
last, so no device's idea of sorting NaN matters. The number of results depends on the data: in a graph it is unknown,
and which of two zeros stays cannot be asked of NumPy there, so that none may have the other's sign.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, dtype_of, promoted
from np2tnp.runtime.base.shapes import common_dtype, must_hold, rank_of, require, shape_of, size_of
from np2tnp.runtime.functions.linalg.host_steps import asked
from np2tnp.runtime.functions.math.elementwise import is_negative

__all__ = [
    "in1d",
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


@functools.cache
def _result_type_of(name: str) -> type:
    """The namedtuple class that NumPy's function returns; NumPy does not export it."""
    return type(getattr(np, name)(np.zeros(1)))


def _keys(tensor: Any) -> Any:
    """int64 keys in the order of the values: equal for equal values and for NaNs, which come last."""
    char = dtype_of(tensor).char
    require(char not in "FDe", "complex or half precision")
    if char in "fd":  # in integers only: float arithmetic would flush subnormal numbers to zero
        whole = tf.bitcast(tensor, tf.int64 if char == "d" else tf.int32)
        size = tf.bitwise.bitwise_and(whole, tf.constant(whole.dtype.max, whole.dtype))
        signed = tf.where(tf.less(whole, tf.zeros((), whole.dtype)), tf.negative(size), size)
        last = tf.constant(np.iinfo(np.int64).max, tf.int64)
        return tf.where(tf.math.is_nan(tensor), last, cast(signed, np.int64))
    if char in "LQ":
        return tf.bitwise.bitwise_xor(tf.bitcast(tensor, tf.int64), tf.constant(np.iinfo(np.int64).min, tf.int64))
    return cast(tensor, np.int64)


def _nan_mask(tensor: Any) -> Any:
    return tf.math.is_nan(tensor) if tensor.dtype.is_floating else tf.zeros_like(tensor, tf.bool)


def refuse_two_zeros(*flats: Any) -> None:
    """Raise Unsupported where both 0.0 and -0.0 occur: which of them stays depends on how NumPy sorts."""
    if not all(flat.dtype.is_floating for flat in flats):
        return
    places = [tf.equal(_keys(flat), 0) for flat in flats]  # which subnormal numbers are not
    negative = [is_negative(flat) for flat in flats]
    either = [tf.reduce_any(tf.logical_and(*pair)) for pair in zip(places, negative, strict=True)]
    other = [
        tf.reduce_any(tf.logical_and(zero, tf.logical_not(sign))) for zero, sign in zip(places, negative, strict=True)
    ]
    both = tf.logical_and(tf.reduce_any(tf.stack(either)), tf.reduce_any(tf.stack(other)))
    must_hold(tf.logical_not(both), "zeros of both signs")


class _Groups:
    """A flat tensor in sorted order, cut into groups of equal values."""

    def __init__(self, flat: Any, equal_nan: bool = True, first: bool = False) -> None:
        self.flat = flat
        if not first:  # NumPy sorts stably where it is asked for first occurrences
            refuse_two_zeros(flat)
        keys = _keys(flat)
        self.order = tf.cast(tf.argsort(keys, stable=True), tf.int64)
        ordered = tf.gather(keys, self.order)
        changes = tf.not_equal(ordered, _before(ordered))
        if not equal_nan and flat.dtype.is_floating:
            changes = tf.logical_or(changes, tf.gather(_nan_mask(flat), self.order))
        self.is_first = tf.logical_or(changes, tf.equal(tf.range(size_of(flat)), 0))
        self.starts = tf.reshape(tf.where(self.is_first), (-1,))

    def index(self) -> Any:
        """Where each group's first member stands in the data."""
        return tf.gather(self.order, self.starts)

    def values(self) -> Any:
        return tf.gather(self.flat, self.index())

    def _numbers(self) -> Any:
        """For each place of the sorted values the number of its group."""
        return tf.subtract(tf.cumsum(tf.cast(self.is_first, tf.int64)), tf.constant(1, tf.int64))

    def inverse(self) -> Any:
        """For each value of the data the number of its group."""
        numbers = self._numbers()
        return tf.scatter_nd(tf.expand_dims(self.order, 1), numbers, tf.shape(numbers, out_type=tf.int64))

    def counts(self) -> Any:
        numbers = self._numbers()
        sizes = tf.math.unsorted_segment_sum(tf.ones_like(numbers), numbers, size_of(numbers))
        return tf.gather(sizes, tf.gather(numbers, self.starts))


def _before(ordered: Any) -> Any:
    """For each value the one before it; for the first any."""
    return tf.roll(ordered, 1, 0)


def _flat(a: Any) -> Any:
    return tf.reshape(as_tensor(a), (-1,))


def distinct(flat: Any) -> Any:
    """The sorted distinct values of a flat tensor."""
    return _Groups(flat).values()


@exact("numpy.unique")
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """``np.unique`` of the flat values; over an axis, unsorted, and of complex values it runs on the host."""
    require(axis is None and sorted is True, "axis or sorted")
    tensor = as_tensor(ar)
    groups = _Groups(tf.reshape(tensor, (-1,)), bool(equal_nan), bool(return_index))
    results = [groups.values()]
    if return_index:
        results.append(groups.index())
    if return_inverse:
        # NumPy 2 gives the inverse the shape of the input; ask the one that is installed
        results.append(_shaped(groups.inverse(), tensor))
    if return_counts:
        results.append(groups.counts())
    return results[0] if len(results) == 1 else tuple(results)


def _shaped(inverse: Any, tensor: Any) -> Any:
    """The inverse in the shape of the input, as NumPy 2 gives it, or flat, as the installed one may."""
    wanted = np.unique(np.zeros((1,) * rank_of(tensor), np.bool_), return_inverse=True)[1]
    return inverse if wanted.ndim == 1 else tf.reshape(inverse, shape_of(tensor))


@exact("numpy.unique_all")
def unique_all(x: Any, /) -> Any:
    """``np.unique_all``: (values, indices, inverse_indices, counts), every NaN by itself."""
    tensor = as_tensor(x)
    groups = _Groups(tf.reshape(tensor, (-1,)), equal_nan=False, first=True)
    inverse = tf.reshape(groups.inverse(), shape_of(tensor))
    return _result_type_of("unique_all")(groups.values(), groups.index(), inverse, groups.counts())


@exact("numpy.unique_counts")
def unique_counts(x: Any, /) -> Any:
    """``np.unique_counts``: (values, counts), every NaN by itself."""
    groups = _Groups(_flat(x), equal_nan=False)
    return _result_type_of("unique_counts")(groups.values(), groups.counts())


@exact("numpy.unique_inverse")
def unique_inverse(x: Any, /) -> Any:
    """``np.unique_inverse``: (values, inverse_indices), every NaN by itself."""
    tensor = as_tensor(x)
    groups = _Groups(tf.reshape(tensor, (-1,)), equal_nan=False)
    return _result_type_of("unique_inverse")(groups.values(), tf.reshape(groups.inverse(), shape_of(tensor)))


@exact("numpy.unique_values")
def unique_values(x: Any, /) -> Any:
    """``np.unique_values``, by NumPy, which gives the order of a hash table; in a graph as a step on the host."""
    tensor = as_tensor(x)
    return asked("numpy.unique_values", "an order that NumPy does not promise", tensor, dtype_of(tensor))


def _members(flat: Any, test: Any) -> Any:
    """For each value of a flat tensor whether it occurs in another of the same dtype. NaN never does."""
    count = size_of(test)
    if type(count) is int and count == 0:
        return tf.zeros(shape_of(flat), tf.bool)
    keys, known = _keys(flat), tf.sort(_keys(test))
    place = tf.searchsorted(known, keys, side="left", out_type=tf.int64)
    if type(count) is int:
        found = tf.equal(tf.gather(known, tf.minimum(place, tf.constant(count - 1, tf.int64))), keys)
    else:  # there may be none at all
        found = tf.equal(tf.gather(tf.concat([known, tf.zeros((1,), tf.int64)], 0), place), keys)
        found = tf.logical_and(found, tf.less(place, count))
    return tf.logical_and(found, tf.logical_not(_nan_mask(flat)))


@exact("numpy.isin")
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Any:
    """``np.isin``: a bool for each element."""
    require(kind in (None, "sort"), "kind")
    tensor, test = as_tensor(element), as_tensor(test_elements)
    found = tf.reshape(_members(*_comparable(tensor, test)), shape_of(tensor))
    return tf.logical_not(found) if invert else found


def _comparable(one: Any, two: Any) -> tuple[Any, Any]:
    """Both arrays, flat and of their common dtype.

    Integers that only meet in float64 are compared exactly by some of its ways and rounded by others: left to NumPy.
    """
    left, right = _flat(one), _flat(two)
    dtype = common_dtype(left, right)
    require(dtype.kind != "f" or left.dtype.is_floating or right.dtype.is_floating, "signed and unsigned integers")
    if dtype.kind == "f":
        for tensor in (left, right):
            _require_exact(tensor)
    return cast(left, dtype), cast(right, dtype)


def _require_exact(tensor: Any) -> None:
    """Raise Unsupported where 64-bit integers are not numbers of float64."""
    if not tensor.dtype.is_integer or tensor.dtype.size < 8:
        return
    least, most = (tf.constant(sign * 2**53, tf.int64) for sign in (-1, 1))
    if tensor.dtype.is_unsigned:
        inside = tf.less_equal(tensor, tf.cast(most, tensor.dtype))
    else:
        inside = tf.logical_and(tf.greater_equal(tensor, least), tf.less_equal(tensor, most))
    must_hold(tf.reduce_all(inside), "integers that floats cannot represent")


def _in_flat(ar1: Any, ar2: Any, *args: Any, **kwargs: Any) -> Any:
    return np.isin(np.asarray(ar1).ravel(), ar2, *args, **kwargs)


@exact("numpy.in1d", _in_flat)  # NumPy 2 has only isin
def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None) -> Any:
    """``np.in1d``: :func:`isin` of the flat values."""
    return isin.__wrapped__(_flat(ar1), ar2, assume_unique, invert, kind=kind)  # type: ignore[attr-defined]


@exact("numpy.union1d")
def union1d(ar1: Any, ar2: Any) -> Any:
    """``np.union1d``: sorted. It joins flat arrays, where NumPy takes Python numbers as weak."""
    (left, right), _ = promoted(ar1, ar2)
    return distinct(tf.concat([tf.reshape(left, (-1,)), tf.reshape(right, (-1,))], 0))


@exact("numpy.intersect1d")
def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """``np.intersect1d``: sorted, with the places of the first occurrences on request."""
    require(not assume_unique, "assume_unique")
    left, right = _comparable(ar1, ar2)
    refuse_two_zeros(left, right)
    one = _Groups(left)
    common = tf.boolean_mask(one.values(), _members(one.values(), right))
    if not return_indices:
        return common
    two = _Groups(right)
    first = tf.boolean_mask(one.index(), _members(one.values(), right))
    second = tf.boolean_mask(two.index(), _members(two.values(), left))
    return common, first, second


@exact("numpy.setdiff1d")
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """``np.setdiff1d``: sorted unless `assume_unique`."""
    left = _flat(ar1)
    values = left if assume_unique else distinct(left)
    return tf.boolean_mask(values, tf.logical_not(isin.__wrapped__(values, ar2)))  # type: ignore[attr-defined]


@exact("numpy.setxor1d")
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """``np.setxor1d``: sorted."""
    require(not assume_unique, "assume_unique")
    left, right = _comparable(ar1, ar2)
    one, two = distinct(left), distinct(right)
    only = [
        tf.boolean_mask(one, tf.logical_not(_members(one, right))),
        tf.boolean_mask(two, tf.logical_not(_members(two, left))),
    ]
    both = tf.concat(only, 0)
    return tf.gather(both, tf.argsort(_keys(both), stable=True))
