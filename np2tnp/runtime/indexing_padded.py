"""``x[a:b, c:d] = value`` as a pad and a select: under XLA one fused loop, where an updated slice costs two copies."""

from __future__ import annotations

import math
from typing import Any

from np2tnp.runtime.keys import Basic
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.tracing import current

#: A store to less than this share of the array is cheaper as an update in place, which XLA does for such.
_SHARE = 0.25


def pays(plan: Basic, shape: tuple[int, ...]) -> bool:
    """Whether a store under `plan` is made for XLA, takes steps of 1 only, and is large enough."""
    trace = current()
    if trace is None or trace.mode != "xla" or len(plan.sliced) != len(shape):
        return False
    if any(isinstance(axis, int) or axis[2] != 1 for axis in plan.axes):
        return False
    return math.prod(plan.sliced) >= _SHARE * math.prod(shape)


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
