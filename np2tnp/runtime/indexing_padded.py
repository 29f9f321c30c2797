"""``x[a:b, c:d] = value`` as a pad and a select, where `value` is made from other parts of `x`.

XLA updates a slice in place, unless the same loop reads what it would overwrite: then the update costs two copies of
the array, and one fused loop over all of it is faster.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.keys import Basic, is_symbolic
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.tracing import current

#: A store to less than this share of the array is cheaper as an update in place, which XLA does for such.
_SHARE = 0.25


#: Operations whose result is an array of its own: what they were made from is not read again.
_BARRIERS = frozenset(("TensorStridedSliceUpdate", "TensorScatterUpdate", "While", "StatelessWhile", "MatMul"))
#: How far to look for `x` among what `value` is made from.
_MOST_OPERATIONS = 300


def pays(x: Any, plan: Basic, value: Any) -> bool:
    """Whether the store is made for XLA, takes steps of 1 only, is large enough, and reads other parts of `x`."""
    shape = tuple(x.shape)
    trace = current()
    if trace is None or trace.mode != "xla" or len(plan.sliced) != len(shape):
        return False
    if any(isinstance(axis, int) or axis[2] != 1 for axis in plan.axes):
        return False
    return math.prod(plan.sliced) >= _SHARE * math.prod(shape) and _reads_elsewhere(x, plan, value)


def _reads_elsewhere(x: Any, plan: Basic, value: Any) -> bool:
    """Whether `value` is computed from other elements of `x` than those that it replaces."""
    seen: set[int] = set()
    todo = [value.op] if is_symbolic(value) else []
    while todo and len(seen) < _MOST_OPERATIONS:
        operation = todo.pop()
        if id(operation) in seen or operation.type in _BARRIERS:
            continue
        seen.add(id(operation))
        for part in operation.inputs:
            if part is not x:
                todo.append(part.op)
            elif operation.type != "StridedSlice" or not _takes(operation, plan):
                return True
    return False


def _takes(strided_slice: Any, plan: Basic) -> bool:
    """Whether the operation reads exactly the elements of `plan`."""
    known = [tf.get_static_value(part) for part in strided_slice.inputs[1:4]]
    return all(one is not None and np.array_equal(one, other) for one, other in zip(known, plan.numbers, strict=True))


def write_padded(x: Any, plan: Basic, value: Any) -> Any:
    """`x` with `value` (a tensor of exactly the plan's shape) stored; see :func:`pays`."""
    paddings = []
    inside: Any = None
    rank = len(plan.axes)
    for number, (axis, length) in enumerate(zip(plan.axes, tuple(x.shape), strict=True)):
        assert not isinstance(axis, int)
        start, stop = axis[0], axis[1]
        paddings.append((start, length - stop))
        if (start, stop) == (0, length):
            continue
        places = tf.reshape(tf.range(length), (-1,) + (1,) * (rank - 1 - number))
        member = tf.logical_and(places >= start, places < stop)
        inside = member if inside is None else tf.logical_and(inside, member)
    padded = tf.raw_ops.Pad(input=value, paddings=tf.constant(paddings, tf.int32))
    return tf.raw_ops.SelectV2(condition=inside, t=padded, e=x)
