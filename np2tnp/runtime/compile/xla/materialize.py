"""Values that take long to compute, for XLA.

XLA computes an array anew for each slice that is read of it, inside of the loop that reads. For a sum or two that is
faster than memory; where a stencil is made of another one's values, all of the first is calculated five times. So such
an array is stored first: one element of it is updated with itself, at a place that the compiler does not know.

XLA also makes a pad part of the loop that reads it, which is free, as long as what is padded is sums and products: it
stands under a condition there. Exponentials under a condition are calculated one by one, and keep all of the loop from
being vector code. So these are put between what is around them: a concatenation has loops of its own for its parts.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import Trace, current
from np2tnp.runtime.indexing.keys import Basic

#: Operations that take longer than storing and reading their result, and how long they take beside a sum.
_COSTLY = dict.fromkeys(
    "Exp Expm1 Log Log1p Pow Sin Cos Tan Sinh Cosh Tanh Asin Acos Atan Asinh Acosh Atanh Atan2 Sigmoid Erf".split(), 20
)
#: Operations that XLA makes part of the loop that reads their results.
FUSED = {
    **_COSTLY,
    **dict.fromkeys("RealDiv Sqrt Rsqrt Reciprocal".split(), 4),
    **dict.fromkeys(
        "Mul AddV2 Sub Neg Abs Square SelectV2 Maximum Minimum Sign StridedSlice Slice Pad PadV2".split(), 1
    ),
    **dict.fromkeys("Cast Identity Reshape ExpandDims BroadcastTo".split(), 0),
}
#: What costs as much as this is stored before parts of it are read.
_MUCH = 24
#: How far to look.
_MOST_OPERATIONS = 100
#: Arrays of fewer elements are as fast without.
_LEAST = 4096


def is_large(x: Any) -> bool:
    """Whether XLA is to compile this, and `x` has so many elements that passes over memory count."""
    trace = current()
    if trace is None or trace.mode != "xla" or not x.shape.is_fully_defined():
        return False
    return int(x.shape.num_elements()) >= _LEAST


def is_costly(x: Any) -> bool:
    """Whether XLA would compute `x` where it is read, and that takes long."""
    return _cost(x, min(_COSTLY.values())) >= min(_COSTLY.values())


def _cost(x: Any, most: int) -> int:
    """What computing an element of `x` takes, counted up to `most`, where XLA does that in the loop that reads it."""
    seen: set[int] = set()
    todo, cost = [x.op], 0
    while todo and len(seen) < _MOST_OPERATIONS and cost < most:
        operation = todo.pop()
        if id(operation) in seen or operation.type not in FUSED or not is_large(operation.outputs[0]):
            continue
        cost += FUSED[operation.type]
        seen.add(id(operation))
        todo.extend(part.op for part in operation.inputs)
    return cost


def kept(reading: Any) -> Any | None:
    """The result of the operation `reading`, a StridedSlice, of an array in memory; None where that is no gain."""
    x = reading.inputs[0]
    trace = current()
    if trace is None or not (id(x) in trace.stored or is_large(reading.outputs[0])):
        return None
    stored = stored_first(x)
    if stored is x:
        return None
    names = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    masks = {name: reading.get_attr(name) for name in names}
    begin, end, strides = reading.inputs[1:4]
    return tf.raw_ops.StridedSlice(input=stored, begin=begin, end=end, strides=strides, **masks)


def stored_first(x: Any) -> Any:
    """`x`, of which parts are to be read: in memory, where it would be calculated anew for each."""
    trace = current()
    if trace is None or trace.opaque is None or not is_large(x) or x.graph is not tf.compat.v1.get_default_graph():
        return x
    known = trace.stored.get(id(x))
    if known is None:
        if _cost(x, _MUCH) < _MUCH:
            return x
        return in_memory(trace, x)
    return known[1]


def in_memory(trace: Trace, x: Any) -> Any:
    """`x`, stored; what was made of it is made of that now."""
    before = x.consumers()
    stored = trace.stored[id(x)] = (x, updated_with_itself(trace, x))
    for operation in before:  # these would calculate it all the same
        for number, part in enumerate(operation.inputs):
            if part is x:
                operation._update_input(number, stored[1])
    return stored[1]


def updated_with_itself(trace: Trace, x: Any) -> Any:
    """`x` by an operation that XLA makes no part of what reads it."""
    return _update()(x, x[(slice(1),) * x.shape.rank], tf.fill([x.shape.rank], trace.opaque.zero()))


@functools.lru_cache(maxsize=1)
def _update() -> Any:
    return importlib.import_module("tensorflow.compiler.tf2xla.ops.gen_xla_ops").xla_dynamic_update_slice


def joined(x: Any, plan: Basic, value: Any) -> Any:
    """`x` with `value` (a tensor of exactly the slices' shape, with steps of 1 on all axes) stored."""
    bounds = [(axis[0], axis[1]) for axis in plan.axes if not isinstance(axis, int)]
    for axis in range(len(bounds) - 1, -1, -1):
        first, last = bounds[axis]
        inside = [slice(*pair) for pair in bounds[:axis]]
        keys = [(*inside, part) for part in (slice(first), slice(last, None))]
        before, after = (x[key] for key in keys)
        parts = [part for part in (before, value, after) if part.shape[axis]]
        value = tf.concat(parts, axis) if len(parts) > 1 else value
    return value
