"""What an index means: NumPy's own answer, kept for the keys that come back.

NumPy itself decides about shapes and errors, on arrays without storage (a broadcast of one element), so that every rule
of its indexing holds here without being written down again. Keys that are known when they arrive are *static*:
integers, slices, ``...``, ``None``, arrays, lists, booleans, and eager tensors. Symbolic tensors exist only inside
``tf.function``.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, holds_tensor, is_symbolic, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf

#: The axis kinds of a resolved key.
FULL = slice(None)

#: TensorFlow's strided slices go no further.
_MAX_SLICED_RANK = 7

_BIG = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class Basic:
    """A static key of integers, slices, ``...`` and ``None`` on an array of one shape."""

    shape: tuple[int, ...]  #: of ``x[key]``
    sliced: tuple[int, ...]  #: the same without the axes that ``None`` adds
    scalar: bool  #: NumPy gives a scalar, not an array
    whole: bool  #: every axis is taken in its own order
    unit: bool  #: all steps are 1 or -1: what XLA compiles
    axes: tuple[int | tuple[int, int, int, int], ...]  #: per axis an index, or start, stop (exclusive), step and count
    strided: bool  #: within what TensorFlow's strided slices can express
    numbers: tuple[Any, Any, Any]  #: begin, end, strides as int32 ndarrays
    end_mask: int
    shrink_mask: int
    eager: list[Any]  #: begin, end, strides as eager tensors, once needed

    def vectors(self) -> Any:
        """Begin, end and strides for an operation: cached tensors in eager mode, constants in a graph."""
        if not tf.executing_eagerly():
            return self.numbers
        if not self.eager:
            self.eager.extend(tf.constant(vector) for vector in self.numbers)
        return self.eager


def basic_key(key: Any) -> tuple[Any, ...] | None:
    """`key` as a hashable tuple of ints, (start, stop, step), None and Ellipsis; None where it holds anything else."""
    parts: list[Any] = []
    for part in key if type(key) is tuple else (key,):
        kind = type(part)
        if kind is int or part is None or part is Ellipsis:
            parts.append(part)
        elif kind is slice:
            start, stop, step = part.start, part.stop, part.step
            if not (
                (start is None or type(start) is int)
                and (stop is None or type(stop) is int)
                and (step is None or type(step) is int)
            ):
                if is_symbolic(start) or is_symbolic(stop) or is_symbolic(step):
                    return None
                start, stop, step = (None if p is None else operator.index(p) for p in (start, stop, step))
            parts.append((start, stop, step))
        elif isinstance(part, np.integer):
            parts.append(int(part))
        elif is_tensor(part) and part.shape.rank == 0 and part.dtype.is_integer and hasattr(part, "numpy"):
            parts.append(int(part.numpy()))
        else:
            return None
    return tuple(parts)


@functools.lru_cache(maxsize=4096)
def resolve_basic(shape: tuple[int, ...], parts: tuple[Any, ...]) -> Basic:
    """The meaning of a basic key for one shape. Raises NumPy's IndexError or ValueError."""
    key = tuple(slice(*part) if type(part) is tuple else part for part in parts)
    found = storageless(shape)[key]
    given = sum(1 for part in key if part is not None and part is not Ellipsis)
    axes: list[int | tuple[int, int, int, int]] = []
    for part in key if Ellipsis in key else (*key, Ellipsis):
        if part is Ellipsis:
            axes.extend((0, n, 1, n) for n in shape[len(axes) : len(axes) + len(shape) - given])
        elif type(part) is int:
            axes.append(part % shape[len(axes)])
        elif part is not None:
            start, stop, step = part.indices(shape[len(axes)])
            count = len(range(start, stop, step))
            if count < 2:  # one element needs no step, none no start
                start, stop, step = (start, start + 1, 1) if count else (0, 0, 1)
            axes.append((start, stop, step, count))
    begin, end, strides, end_mask, shrink_mask = [], [], [], 0, 0
    for number, axis in enumerate(axes):
        if isinstance(axis, int):
            shrink_mask |= 1 << number
            axis = (axis, axis + 1, 1, 1)
        if axis[1] < 0:
            end_mask |= 1 << number
        begin.append(axis[0])
        end.append(axis[1])
        strides.append(axis[2])
    small = all(n < _BIG for n in shape)
    return Basic(
        shape=np.shape(found),
        sliced=tuple(axis[3] for axis in axes if not isinstance(axis, int)),
        scalar=isinstance(found, np.generic),
        whole=all(axis == (0, n, 1, n) for axis, n in zip(axes, shape, strict=True)),
        unit=all(stride in (1, -1) for stride in strides),
        axes=tuple(axes),
        strided=small and 0 < len(shape) <= _MAX_SLICED_RANK,
        numbers=(_int32(begin, small), _int32(end, small), _int32(strides, small)),
        end_mask=end_mask,
        shrink_mask=shrink_mask,
        eager=[],
    )


def _int32(values: list[int], fits: bool) -> Any:
    return np.array(values if fits else (), np.int32)


@functools.lru_cache(maxsize=512)
def storageless(shape: tuple[int, ...]) -> Any:
    """An ndarray of `shape` that holds one byte: for asking NumPy about indexing."""
    return np.broadcast_to(np.zeros((), np.bool_), shape)


def static_shape(x: Any) -> tuple[int, ...]:
    """The shape of a tensor as ints. Raises Unsupported where tracing does not know it."""
    shape = x.shape
    if shape.rank is None:
        raise Unsupported("an array of unknown rank")
    dims = tuple(shape)
    if None in dims:
        raise Unsupported("an array of unknown shape")
    return dims


def normal_parts(key: Any) -> list[Any]:
    """The parts of any key: ints, slices, ``...``, ``None``, index arrays and masks. Lists become arrays, tensors
    without dimensions numbers.

    Other tensors stay where they are, eager and symbolic ones, and so do symbolic slices. Raises Unsupported for what
    no array index can be.
    """
    return [_normal_part(part) for part in (key if type(key) is tuple else (key,))]


def _normal_part(part: Any) -> Any:
    if part is None or part is Ellipsis or type(part) is int:
        return part
    if isinstance(part, slice):
        pieces = (part.start, part.stop, part.step)
        for piece in filter(is_symbolic, pieces):
            if not piece.dtype.is_integer or piece.shape.rank != 0:
                raise Unsupported("a slice between what is no integer: Python raises TypeError")
        return part if is_unknown(part) else slice(*(_bound(piece) for piece in pieces))
    if isinstance(part, (bool, np.bool_)):
        return np.asarray(part)
    if isinstance(part, np.integer):
        return int(part)
    if is_tensor(part):
        return _normal_tensor(part)
    if isinstance(part, (list, tuple)) and holds_tensor(part):
        return _normal_tensor(as_tensor(part))
    array = np.asarray(part)
    if array.size == 0 and not isinstance(part, np.ndarray):
        array = array.astype(np.intp)
    if array.dtype.kind not in "biu" or (isinstance(part, np.ndarray) and type(part) is not np.ndarray):
        raise Unsupported(f"an index of {type(part).__name__} of dtype {array.dtype}")
    return int(array) if array.ndim == 0 and array.dtype.kind != "b" else array


def _bound(piece: Any) -> Any:
    return None if piece is None else operator.index(piece)


def _normal_tensor(part: Any) -> Any:
    part = tf.convert_to_tensor(part)
    if part.dtype == tf.bool:
        return part
    if not part.dtype.is_integer:
        raise Unsupported(f"an index of dtype {part.dtype.name}")
    if hasattr(part, "numpy"):
        stays = part.shape.rank and tf.executing_eagerly() and part.dtype != tf.uint64
        if stays:
            return part
        value = part.numpy()  # of a number: where it lies it would have to be checked, and that flag be read
    else:
        value = tf.get_static_value(part)
    if value is None:
        return part
    return int(value) if np.ndim(value) == 0 else np.asarray(value)


def expand(parts: list[Any], rank: int) -> list[Any]:
    """`parts` without ``None``, with ``...`` written out as full slices: one part per axis (per several for a mask).

    Raises IndexError where there are too many indices or several ``...``.
    """
    used = sum(consumed(part) for part in parts)
    if used > rank or sum(1 for part in parts if part is Ellipsis) > 1:
        raise IndexError(f"too many indices for array: array is {rank}-dimensional, but {used} were indexed")
    rest = [FULL] * (rank - used)
    result: list[Any] = []
    for part in parts:
        if part is Ellipsis:
            result.extend(rest)
            rest = []
        elif part is not None:
            result.append(part)
    return result + rest


def consumed(part: Any) -> int:
    """How many axes of the array a part of a key takes."""
    if part is None or part is Ellipsis:
        return 0
    if is_mask(part):
        rank = part.shape.rank if is_tensor(part) else part.ndim
        if rank is None:
            raise Unsupported("a mask of unknown rank")
        return int(rank)
    return 1


def is_mask(part: Any) -> bool:
    """Whether a normal part is boolean."""
    return (isinstance(part, np.ndarray) and part.dtype.kind == "b") or (is_tensor(part) and part.dtype == tf.bool)


def is_index_array(part: Any) -> bool:
    """Whether a normal part is an integer array of at least one dimension, known or symbolic."""
    return isinstance(part, np.ndarray) or (is_tensor(part) and part.shape.rank != 0)


def is_unknown(part: Any) -> bool:
    """Whether a normal part, an index or a slice, is only known when the graph runs."""
    if isinstance(part, slice):
        return is_symbolic(part.start) or is_symbolic(part.stop) or is_symbolic(part.step)
    return is_symbolic(part)


def is_on_device(part: Any) -> bool:
    """Whether a normal part is an index, or a slice, of which nothing is known here: symbolic, or an eager tensor."""
    return is_unknown(part) or (is_tensor(part) and part.dtype != tf.bool)


def is_full(part: Any) -> bool:
    """Whether a part is the slice ``:``."""
    return isinstance(part, slice) and part.start is None and part.stop is None and part.step in (None, 1)


def on_host(parts: list[Any]) -> tuple[Any, ...]:
    """Normal parts as a key for NumPy. Raises Unsupported where one is symbolic."""
    key = []
    for part in parts:
        if is_unknown(part):
            value = tf.get_static_value(part) if is_tensor(part) else None
            if value is None:
                raise Unsupported("a mixed index that is only known when the graph runs")
            part = value
        key.append(part.numpy() if is_tensor(part) else part)
    return tuple(key)


def flat_positions(shape: tuple[int, ...], key: tuple[Any, ...]) -> Any:
    """For each element of ``x[key]`` its position in ``x.ravel()`` (int64 ndarray of the result's shape). NumPy's
    errors.

    Needs memory for the result only: each axis is indexed in an array without storage.
    """
    positions: Any = np.zeros(np.shape(storageless(shape)[key]), np.int64)
    stride = 1
    for axis in range(len(shape) - 1, -1, -1):
        line = np.arange(shape[axis], dtype=np.int64).reshape((-1,) + (1,) * (len(shape) - 1 - axis))
        positions = positions + np.broadcast_to(line, shape)[key] * stride
        stride *= shape[axis]
    return positions
