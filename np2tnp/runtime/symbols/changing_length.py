"""Slices whose length a loop changes, ``x[k + 1 :]``, in a graph that is not XLA's.

Such a slice is a tensor with an axis of unknown length. TensorFlow's slices take the bounds as Python does (negative
ones, and what lies outside), and its operations broadcast and refuse as NumPy's, when the graph runs. But a helper
that looks at a shape while tracing would take an unknown length for a long one. So the tensor stands inside of a
:class:`Sliced`, which shows no shape, and which only those helpers get that are known to be right
(`changing_length.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import OPERATORS, is_tensor, resolve
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.stored_values import constant, stored
from np2tnp.runtime.base.tracing import above, check, current
from np2tnp.runtime.indexing.inplace import in_place
from np2tnp.runtime.symbols.python_number import Weak, strong

#: TensorFlow's strided slices go no further.
_MAX_RANK = 7


class _Hidden(Unsupported, TypeError):  # noqa: N818 - a signal, as its base
    """What only the graph knows is asked for. As a TypeError it has TensorFlow's operators try those of the slice."""


class Sliced:
    """An array of which some lengths are only known when the graph runs.

    tensor : of known rank. lengths : for each axis an int, or what equals another's length where it is equal.
    """

    __slots__ = ("lengths", "tensor")
    __array_ufunc__ = None  #: an ndarray beside it leaves the operator to it

    def __init__(self, tensor: Any, lengths: tuple[Any, ...] | None = None) -> None:
        self.tensor = tensor
        known = lengths_of(tensor)
        if lengths is not None:
            known = tuple([n if isinstance(n, int) else same for n, same in zip(known, lengths, strict=True)])
        self.lengths = known

    @property
    def ndim(self) -> int:
        return len(self.lengths)

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        order = range(self.ndim)[::-1]
        return Sliced(tf.transpose(self.tensor, order), self.lengths[::-1])

    def __getitem__(self, key: Any) -> Any:
        return read(self, key)

    def _refuse(self, *_: Any) -> Any:
        raise _Hidden("a slice whose length a loop changes")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __hash__ = __iter__ = __len__ = __contains__ = _refuse
    __repr__ = __str__ = __format__ = __round__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # a protocol, of which others ask whether it is there
            raise AttributeError(name)
        raise _Hidden(f".{name} of a slice whose length a loop changes")


def _operators() -> None:
    """Give Sliced Python's operators, the reflected and the in-place ones."""
    binary = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
    for name in (*binary, "lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Sliced, f"__{name}__", _forward(name))
    for name in binary:
        setattr(Sliced, f"__r{name}__", _backward(name))
        setattr(Sliced, f"__i{name}__", _updating(name))
    for name in ("neg", "pos", "abs", "invert"):
        setattr(Sliced, f"__{name}__", _forward(name))


def _forward(name: str) -> Callable[..., Any]:
    return lambda self, *other: _called(name, self, *other)


def _backward(name: str) -> Callable[..., Any]:
    return lambda self, other: _called(name, other, self)


def _called(name: str, *operands: Any) -> Any:
    return applied(OPERATORS[name.rstrip("_")], operands, is_product=name == "matmul")


def _updating(name: str) -> Callable[..., Any]:
    def update(self: Sliced, value: Any) -> Any:
        return in_place(f"i{name.rstrip('_')}", self, value)

    return update


_operators()


def is_changing(x: Any, key: Any) -> bool:
    """Whether ``x[key]`` is an array with a length that a loop changes; of an `x` that is one, any key."""
    trace = current()
    if type(x) is Sliced:
        return True
    if trace is None or not is_tensor(x) or not any(map(_is_moving, key if type(key) is tuple else (key,))):
        return False
    if not trace.is_nested or not x.shape.is_fully_defined():
        return False
    if trace.mode == "xla":
        trace.lengths_change = True  # a plain graph may hold it
        return False
    return True


def _is_moving(part: Any) -> bool:
    """Whether a part of a key is a slice with a bound of the loop's, of no length that is known beforehand."""
    if not isinstance(part, slice):
        return False
    start, stop = part.start, part.stop
    if not (isinstance(start, Weak) or isinstance(stop, Weak)) or isinstance(part.step, Weak):
        return False
    window = isinstance(start, Weak) and isinstance(stop, Weak) and start.origin is not None
    return not (window and start.origin is stop.origin and part.step in (None, 1))


def lengths_of(x: Any) -> tuple[Any, ...]:
    """The lengths of a tensor's axes; one that is not known is like no other."""
    return tuple([object() if length is None else int(length) for length in x.shape])


class _Cut:
    """What a key of integers and slices takes of an array: operands of a strided slice, and the lengths."""

    def __init__(self, x: Any, lengths: tuple[Any, ...], key: Any) -> None:
        parts = list(key) if type(key) is tuple else [key]
        given = sum(1 for part in parts if part is not None and part is not Ellipsis)
        if given > len(lengths):
            raise IndexError(
                f"too many indices for array: array is {len(lengths)}-dimensional, but {given} were indexed"
            )
        if not any(part is Ellipsis for part in parts):
            parts.append(Ellipsis)
        if sum(1 for part in parts if part is Ellipsis) > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        self.x = x
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[int] = []
        self.masks = dict.fromkeys(("begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask"), 0)
        self.lengths: list[Any] = []
        self.slices: list[tuple[int, slice]] = []  #: which axis of the array each axis of the result is, and its slice
        axis = 0
        for part in parts:
            if part is None:
                self._add(0, 0, 1, "new_axis_mask")
                self.lengths.append(1)
                continue
            for _ in range(len(lengths) - given if part is Ellipsis else 1):
                self._add_axis(axis, lengths[axis], slice(None) if part is Ellipsis else part)
                axis += 1
        if len(self.begin) > _MAX_RANK:
            raise Unsupported("this many dimensions")

    def _add(self, begin: Any, end: Any, stride: int, *masks: str) -> None:
        for mask in masks:
            self.masks[mask] |= 1 << len(self.begin)
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)

    def _add_axis(self, axis: int, length: Any, part: Any) -> None:
        if not isinstance(part, slice):
            index = _index(part)
            if isinstance(index, int) and isinstance(length, int) and not -length <= index < length:
                raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
            self._add(index, 0, 1, "shrink_axis_mask")  # checked when the graph runs
            return
        start, stop, step = (None if bound is None else _index(bound) for bound in (part.start, part.stop, part.step))
        step = 1 if step is None else step
        if not isinstance(step, int) or step == 0:
            raise Unsupported("a slice whose step is only known when the graph runs")
        open_ends = [mask for mask, bound in (("begin_mask", start), ("end_mask", stop)) if bound is None]
        self._add(0 if start is None else start, 0 if stop is None else stop, step, *open_ends)
        bounds = slice(start, stop, step)
        self.slices.append((axis, bounds))
        if isinstance(length, int) and all(bound is None or isinstance(bound, int) for bound in (start, stop)):
            self.lengths.append(len(range(*bounds.indices(length))))
        elif start is stop is None and abs(step) == 1:
            self.lengths.append(length)
        else:
            first = part.start if part.start is not None or step < 0 else 0
            last = None if step > 0 and isinstance(stop, int) and stop == length else part.stop
            self.lengths.append((length, _bound_key(first), _bound_key(last), step))

    def operands(self) -> dict[str, Any]:
        """Begin, end and strides of a strided slice, and its masks."""
        return {"begin": _vector(self.begin), "end": _vector(self.end), "strides": _vector(self.strides), **self.masks}

    def taken(self) -> Any:
        """``x[key]``."""
        found = tf.raw_ops.StridedSlice(input=self.x, **self.operands())
        found.set_shape([length if isinstance(length, int) else None for length in self.lengths])
        return sliced(found, tuple(self.lengths))

    def count(self, place: int) -> Any:
        """How many elements the key takes along an axis of the result, as an int64 tensor."""
        axis, part = self.slices[place]
        length = tf.shape(self.x, out_type=tf.int64)[axis]
        step: int = part.step
        low, high = (0, length) if step > 0 else (-1, length - 1)
        start = _clamped(part.start, low if step > 0 else high, low, high, length)
        stop = _clamped(part.stop, high if step > 0 else low, low, high, length)
        gap = stop - start if step > 0 else start - stop
        return tf.maximum(gap + (abs(step) - 1), 0) // abs(step)


def _index(value: Any) -> Any:
    """An index or a bound as an int, or as a 0-d int64 tensor."""
    if isinstance(value, Weak):
        if value.kind is not int:
            raise Unsupported(f"an index that is a Python {value.kind.__name__}")
        return value.tensor
    if is_tensor(value):
        if value.shape.rank != 0 or not value.dtype.is_integer or value.dtype == tf.uint64:
            raise Unsupported("an array of indices beside a slice whose length a loop changes")
        return tf.cast(value, tf.int64)
    if isinstance(value, (bool, np.bool_)):
        raise Unsupported("a bool beside a slice whose length a loop changes")
    try:
        return operator.index(value)
    except TypeError as error:
        raise Unsupported(f"a {type(value).__name__} beside a slice whose length a loop changes") from error


def _bound_key(bound: Any) -> Any:
    """What is equal for two bounds that are equal for certain."""
    if isinstance(bound, Weak):
        return (bound.tensor.ref(), 0) if bound.origin is None else (bound.origin, bound.offset)
    return bound.ref() if is_tensor(bound) else bound


def _vector(numbers: list[Any]) -> Any:
    if all(isinstance(number, int) for number in numbers):
        return tf.constant(numbers, tf.int64)
    return tf.stack([tf.constant(n, tf.int64) if isinstance(n, int) else n for n in numbers])


def _clamped(bound: Any, default: Any, low: Any, high: Any, length: Any) -> Any:
    """A slice bound as ``slice.indices`` gives it."""
    if bound is None:
        return tf.cast(default, tf.int64)
    bound = tf.cast(bound, tf.int64)
    return tf.clip_by_value(tf.where(bound < 0, bound + length, bound), tf.cast(low, tf.int64), tf.cast(high, tf.int64))


def sliced(tensor: Any, lengths: tuple[Any, ...] | None = None) -> Any:
    """`tensor`, as Sliced where it has an axis of unknown length."""
    return tensor if tensor.shape.is_fully_defined() else Sliced(tensor, lengths)


def taken_apart(x: Any) -> tuple[Any, tuple[Any, ...]]:
    """An array of the trace as a tensor and its lengths."""
    return (x.tensor, x.lengths) if type(x) is Sliced else (x, lengths_of(x))


def read(x: Any, key: Any) -> Any:
    """``x[key]`` for a tensor or a Sliced, and a key of integers, slices, ``...`` and ``None``. Raises Unsupported."""
    return _Cut(*taken_apart(x), key).taken()


def write(x: Any, key: Any, value: Any) -> Any:
    """`x` with ``x[key] = value`` done, for such a key."""
    tensor, lengths = taken_apart(x)
    cut = _Cut(tensor, lengths, key)
    if cut.masks["new_axis_mask"]:
        raise Unsupported("a store into a slice with an axis that None adds")
    given = value.lengths if type(value) is Sliced else None
    value = stored(value.tensor if type(value) is Sliced else strong(value, tensor.dtype.as_numpy_dtype), tensor.dtype)
    given = tuple(map(int, value.shape)) if given is None else given
    for place, length in enumerate(reversed(given), 1):
        if place > len(cut.lengths):
            raise Unsupported("a value of more dimensions than the slice that it is stored into")
        wanted = cut.lengths[-place]
        if length == wanted or (isinstance(length, int) and length == 1):
            continue
        if isinstance(length, int) and isinstance(wanted, int):
            raise ValueError(f"could not broadcast input array of length {length} into a slice of length {wanted}")
        number = tf.shape(constant(value), out_type=tf.int64)[-place]  # TensorFlow ignores it where there is no element
        fits = tf.logical_or(tf.equal(number, 1), tf.equal(number, cut.count(len(cut.lengths) - place)))
        check(fits, "a value that does not fit into the slice that it is stored into")
    updated = tf.raw_ops.TensorStridedSliceUpdate(input=tensor, value=constant(value), **cut.operands())
    updated.set_shape(tensor.shape)
    return sliced(updated, lengths)


# --- Which helpers take slices whose length a loop changes (`changing_length.py`), and what they make of them
#
# A helper is here if it is right for tensors of unknown lengths: it computes with them when the graph runs, and looks
# at no length before. What NumPy raises, or warns of, for no elements is a check.

#: Functions besides the ufuncs that work element by element on their first argument.
_ELEMENTWISE = frozenset(f"numpy.{name}" for name in "real imag nan_to_num copy zeros_like ones_like".split())
_ELEMENTWISE |= {"numpy.ndarray.astype", "ndarray.astype", "numpy.astype", "ndarray.copy"}
#: Reductions of which NumPy knows what they are for no elements.
_SUMS = frozenset(f"numpy.{name}" for name in "sum prod any all count_nonzero".split())
#: Those for which it raises, or warns.
_OF_SOMETHING = frozenset(f"numpy.{name}" for name in "max min amax amin mean argmax argmin var std ptp".split())
_REDUCING = frozenset(("axis", "keepdims", "dtype", "ddof"))
#: Of two operands; without keywords.
_PRODUCTS = frozenset(("numpy.outer", "numpy.dot"))
#: Operators that are no ufuncs.
_NO_UFUNCS = frozenset(("operator.contains", "operator.matmul", "operator.imatmul"))


def called(api: str, reference: Any, helper: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The helper for NumPy's `api` with Sliced arguments. Raises UnverifiedError for those that it may not take."""
    try:
        function = resolve(api) if reference is None else reference
        return _called_with_slices(api, function, helper, args, kwargs)
    except Unsupported as error:
        raise UnverifiedError(f"{api}: {error}") from error


def _called_with_slices(
    api: str, reference: Any, helper: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if any(type(value) is Sliced for value in kwargs.values()):
        raise Unsupported("a slice whose length a loop changes as a keyword")
    if isinstance(reference, np.ufunc) and reference.signature is None and not kwargs:
        return applied(helper, args)
    if (reference is np.matmul or api == "operator.matmul") and not kwargs:
        return applied(helper, args, is_product=True)
    if api.startswith("operator.i") and api not in _NO_UFUNCS and api != "operator.invert":
        return _updated(helper, args)
    if api.startswith(("operator.", "builtins.")) and api not in _NO_UFUNCS:
        return applied(helper, args)
    if api == "numpy.where" and len(args) == 3:
        return applied(helper, args)
    if api in _ELEMENTWISE and all(type(value) is not Sliced for value in args[1:]):
        return applied(lambda x: helper(x, *args[1:], **kwargs), args[:1])
    if api in _SUMS | _OF_SOMETHING and len(args) <= 2 and _REDUCING.issuperset(kwargs):
        return _reduced(api, helper, args, kwargs)
    if api in _PRODUCTS and len(args) == 2 and not kwargs:
        return _multiplied(api, helper, args)
    if api == "numpy.linalg.norm" and len(args) <= 2:
        if not {"axis", "keepdims"}.issuperset(kwargs) or (len(args) == 2 and args[1] is not None):
            raise Unsupported("a norm of another order, of a slice whose length a loop changes")
        return _given(helper(_plain(args[0]), **kwargs))
    raise Unsupported("a slice whose length a loop changes")


def _plain(value: Any) -> Any:
    return value.tensor if type(value) is Sliced else value


def _given(result: Any, lengths: tuple[Any, ...] | None = None) -> Any:
    """A helper's result, with what is unknown of it as Sliced."""
    if isinstance(result, tuple):
        return tuple(_given(part, lengths) for part in result)
    return sliced(result, lengths) if is_tensor(result) else result


def _lengths(value: Any) -> tuple[Any, ...]:
    if type(value) is Sliced:
        return value.lengths
    return lengths_of(value) if is_tensor(value) else () if isinstance(value, Weak) else np.shape(value)


def applied(helper: Callable[..., Any], args: tuple[Any, ...], is_product: bool = False) -> Any:
    """An elementwise `helper`, or matmul, on arguments of which some are Sliced."""
    shapes = [_lengths(value) for value in args]
    lengths = _product(*shapes) if is_product else _broadcast(shapes)
    return _given(helper(*map(_plain, args)), lengths)


def _broadcast(shapes: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The lengths of arrays broadcast against each other, which must be the same or 1 when the graph runs."""
    rank = max(map(len, shapes))
    found = []
    for place in range(-rank, 0):
        lengths = [shape[place] for shape in shapes if len(shape) >= -place]
        others = [length for length in lengths if not (isinstance(length, int) and length == 1)]
        same = not others or all(length == others[0] for length in others)
        found.append((others[0] if others else 1) if same else object())
    return tuple(found)


def _product(left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The lengths of a matrix product of at most two dimensions."""
    return (*left[:-1], *right[1:]) if max(len(left), len(right)) <= 2 else None


def _updated(helper: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """``x op= value``, whose result must be as long as `x`."""
    x, value = args
    lengths = _lengths(x)
    result = helper(_plain(x), _plain(value))
    if _broadcast([lengths, _lengths(value)]) != lengths:
        check(tf.reduce_all(tf.equal(tf.shape(result), tf.shape(_plain(x)))), "a result longer than what it updates")
    result.set_shape([length if isinstance(length, int) else None for length in lengths])
    return _given(result, lengths)


def _reduced(api: str, helper: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    x, *rest = args
    if type(x) is not Sliced or any(type(value) is Sliced for value in rest):
        raise Unsupported("a slice whose length a loop changes as an axis")
    if api in _OF_SOMETHING:
        axis = rest[0] if rest else kwargs.get("axis")
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        for each in axes:
            if not isinstance(x.lengths[each], int):
                least = kwargs.get("ddof", 0)
                check(tf.shape(x.tensor)[each] > least, "a reduction of nothing")
    return _given(helper(x.tensor, *rest, **kwargs))


def _multiplied(api: str, helper: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    left, right = map(_lengths, args)
    result = helper(*map(_plain, args))
    if api == "numpy.outer":
        lengths = (*left, *right) if len(left) == len(right) == 1 else None
    else:
        lengths = _product(left, right) if left and right else None
    return _given(result, lengths)


def _is_sliced(value: object) -> bool:
    return type(value) is Sliced


above.is_sliced, above.called_with_slices = _is_sliced, called
