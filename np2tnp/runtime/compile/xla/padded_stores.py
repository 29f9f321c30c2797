"""Stores to large slices as operations on the whole array, which XLA fuses with what is before and after them.

XLA updates a slice in place, which is a loop of its own over the memory, and costs two copies of the array where the
value reads what it would overwrite. So ``x[a:b] = value`` becomes a pad and a select where `value` is made from other
parts of `x`, and ``x[a:b] += value`` an addition of `value`, padded with what changes nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import is_symbolic, is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import reshaped
from np2tnp.runtime.base.stored_values import fitted
from np2tnp.runtime.base.tracing import Buffer, current
from np2tnp.runtime.compile.xla.materialize import is_costly, joined
from np2tnp.runtime.indexing.keys import Basic, basic_key, resolve_basic, static_shape

#: A store to less than this share of the array is cheaper as an update in place, which XLA does for such.
_SHARE = 0.25

#: In-place operator -> its operation, and the operand that leaves every real number as it is (0.0 + -0.0 is 0.0).
_NEUTRAL = {"iadd": ("AddV2", -0.0), "isub": ("Sub", 0.0), "imul": ("Mul", 1.0), "itruediv": ("RealDiv", 1.0)}

#: Operations whose result is an array of its own: what they were made from is not read again.
_BARRIERS = frozenset(("TensorStridedSliceUpdate", "TensorScatterUpdate", "While", "StatelessWhile", "MatMul"))
#: Operations whose result an update in place can change where it is; what else makes `x` is fused with its update.
_IN_MEMORY = _BARRIERS | {"Placeholder", "Identity"}
#: How far to look for `x` among what `value` is made from.
_MOST_OPERATIONS = 300


def pays(x: Any, plan: Basic, value: Any) -> bool:
    """Whether the store is made for XLA, takes steps of 1 only, is large enough, and reads other parts of `x`."""
    return _is_large(x, plan) and _reads_elsewhere(x, plan, value)


def _is_large(x: Any, plan: Basic) -> bool:
    """Whether XLA is to compile this, and the slice has steps of 1 and is no small part of `x`."""
    shape = tuple(x.shape)
    trace = current()
    if trace is None or trace.mode != "xla" or len(plan.sliced) != len(shape):
        return False
    if any(isinstance(axis, int) or axis[2] != 1 for axis in plan.axes):
        return False
    whole: int = math.prod(shape)
    return math.prod(plan.sliced) >= _SHARE * whole


def _reads_elsewhere(x: Any, plan: Basic, value: Any) -> bool:
    """Whether `value` is computed from other elements of `x` than those that it replaces."""
    seen: set[int] = set()
    whole = origin(x)
    todo = [value.op] if is_symbolic(value) else []
    while todo and len(seen) < _MOST_OPERATIONS:
        operation = todo.pop()
        if id(operation) in seen or operation.type in _BARRIERS:
            continue
        seen.add(id(operation))
        for part in operation.inputs:
            if origin(part) is not whole:
                todo.append(part.op)
            elif operation.type != "StridedSlice" or not _takes(operation, plan):
                return True
    return False


def origin(x: Any) -> Any:
    """What `x` is a copy of, which XLA knows to be the same; else `x`. In a branch, what comes into it from outside."""
    graph = tf.compat.v1.get_default_graph()
    if x.graph is not graph:
        x = graph.capture(x)
    while x.op.type == "Identity":
        x = x.op.inputs[0]
    return x


def _takes(strided_slice: Any, plan: Basic) -> bool:
    """Whether the operation reads exactly the elements of `plan`."""
    known = [tf.get_static_value(part) for part in strided_slice.inputs[1:4]]
    return all(one is not None and np.array_equal(one, other) for one, other in zip(known, plan.numbers, strict=True))


def update_padded(x: Any, key: Any, operation: str, value: Any) -> Any | None:
    """`x` (a tensor) with ``x[key] op= value`` done; None where that is not the form for it.

    operation : the operator's name, such as ``"iadd"``.
    """
    trace = current()
    if trace is None or operation not in _NEUTRAL or not is_tensor(value) or value.dtype != x.dtype:
        return None
    if trace.planes and id(origin(x)) in trace.planes:  # see strided_planes.py
        return None
    parts = basic_key(key)
    if parts is None or not (x.dtype.is_floating or (x.dtype.is_integer and operation != "itruediv")):
        return None
    plan = resolve_basic(static_shape(x), parts)
    if plan.whole or 0 in plan.shape or not 0 < value.shape.rank <= len(plan.shape) or not _is_large(x, plan):
        return None
    if x.op.type in _IN_MEMORY and not _reads_elsewhere(x, plan, value):
        return None
    name, neutral = _NEUTRAL[operation]
    if _buffer_of(x, plan) is not None:
        old = tf.slice(x, *_begin_and_size(_bounds(plan)))
        new = reshaped(fitted(value, plan.shape), plan.sliced)
        return write_padded(x, plan, getattr(tf.raw_ops, name)(x=old, y=new))
    new = reshaped(fitted(value, plan.shape), plan.sliced)
    if is_costly(new):
        old = tf.slice(x, *_begin_and_size(_bounds(plan)))
        return _noted(joined(x, plan, getattr(tf.raw_ops, name)(x=old, y=new)), x, plan)
    padded = tf.raw_ops.PadV2(
        input=new,
        paddings=tf.constant(_paddings(x, plan), tf.int32),
        constant_values=_literal(neutral, x.dtype),
    )
    return _noted(getattr(tf.raw_ops, name)(x=x, y=padded), x, plan)


def _literal(value: float, dtype: Any) -> Any:
    """A number that XLA may know (see :mod:`np2tnp.runtime.compile.compiled`): it is no operand of a formula that
    could change.

    A number in memory would be read through a choice of addresses, one element at a time.
    """
    number = np.array(value).astype(dtype.as_numpy_dtype)
    bits = number.view(f"i{number.itemsize}")
    return tf.bitcast(tf.constant(bits), dtype)


def _paddings(x: Any, plan: Basic) -> list[tuple[int, int]]:
    """What is before and after the slice on each axis."""
    pairs = zip(plan.axes, tuple(x.shape), strict=True)
    return [(axis[0], length - axis[1]) for axis, length in pairs if not isinstance(axis, int)]


def write_padded(x: Any, plan: Basic, value: Any) -> Any:
    """`x` with `value` (a tensor of exactly the plan's shape) stored; see :func:`pays`."""
    buffer = _buffer_of(x, plan)
    if buffer is not None:
        trace = current()
        assert trace is not None
        del trace.buffers[id(buffer.of)]
        place = buffer.place
        for bounds in buffer.bounds:
            place = stored_slice(place, bounds, tf.slice(x, *_begin_and_size(bounds)))
        return stored_slice(place, _bounds(plan), value)
    if is_costly(value):
        return _noted(joined(x, plan, value), x, plan)
    padded = tf.raw_ops.Pad(input=value, paddings=tf.constant(_paddings(x, plan), tf.int32))
    return _noted(tf.raw_ops.SelectV2(condition=_inside(x, plan), t=padded, e=x), x, plan)


def write_spread(x: Any, plan: Basic, value: Any) -> Any | None:
    """`x` with `value` (a tensor of exactly the slices' shape) stored with steps; None where that is not for XLA."""
    trace = current()
    bounds = [(axis, axis + 1, 1) if isinstance(axis, int) else axis[:3] for axis in plan.axes]
    if trace is None or trace.mode != "xla" or any(step < 1 for _, _, step in bounds):
        return None
    lengths = [1 if isinstance(axis, int) else axis[3] for axis in plan.axes]
    begin, end, strides = zip(*bounds, strict=True)
    spread = tf.raw_ops.StridedSliceGrad(
        shape=x.shape.as_list(), begin=begin, end=end, strides=strides, dy=reshaped(value, lengths)
    )
    return tf.raw_ops.SelectV2(condition=_inside(x, plan), t=spread, e=x)


def _inside(x: Any, plan: Basic) -> Any:
    """Which elements of `x` the key means, as a boolean tensor that broadcasts to its shape."""
    inside: Any = None
    rank = len(plan.axes)
    for number, (axis, length) in enumerate(zip(plan.axes, tuple(x.shape), strict=True)):
        start, stop, step = (axis, axis + 1, 1) if isinstance(axis, int) else axis[:3]
        if (start, stop, step) == (0, length, 1):
            continue
        places = tf.reshape(tf.range(length), (-1,) + (1,) * (rank - 1 - number))
        member = tf.logical_and(places >= start, places < stop)
        if step > 1:
            member = tf.logical_and(member, tf.equal((places - start) % step, 0))
        inside = member if inside is None else tf.logical_and(inside, member)
    return inside


def _noted(result: Any, x: Any, plan: Basic) -> Any:
    trace = current()
    if trace is not None:
        trace.padded[id(result)] = (result, x, _bounds(plan))
    return result


def _buffer_of(x: Any, plan: Basic) -> Buffer | None:
    """The second place of `x`, where the loop that is being made gave it one for this store.

    A copy of `x` is the same tensor: what is stored into that elsewhere must not take the place, which lacks what the
    iteration before stored.
    """
    trace = current()
    buffer = trace.buffers.get(id(origin(x))) if trace is not None and trace.buffers else None
    return buffer if buffer is not None and buffer.stored == _bounds(plan) else None


def _bounds(plan: Basic) -> tuple[tuple[int, int], ...]:
    return tuple((axis[0], axis[1]) for axis in plan.axes if not isinstance(axis, int))


def _begin_and_size(bounds: tuple[tuple[int, int], ...]) -> tuple[list[int], list[int]]:
    return [start for start, _ in bounds], [stop - start for start, stop in bounds]


def stored_slice(x: Any, bounds: tuple[tuple[int, int], ...], value: Any) -> Any:
    begin, end = ([pair[number] for pair in bounds] for number in (0, 1))
    return tf.raw_ops.TensorStridedSliceUpdate(input=x, begin=begin, end=end, strides=[1] * len(begin), value=value)
