"""Values that take long to compute, for XLA.

XLA makes a pad part of the loop that reads it, which is free, as long as what is padded is sums and products: it stands
under a condition there. Exponentials under a condition are calculated one by one, and keep all of the loop from being
vector code. So these are put between what is around them: a concatenation is a pass over memory, with loops of its own.
"""

from __future__ import annotations

from typing import Any

from np2tnp.runtime.folds import is_large
from np2tnp.runtime.keys import Basic
from np2tnp.runtime.lazy import tf

#: Operations that take longer than storing and reading their result.
_COSTLY = frozenset(
    "Exp Expm1 Log Log1p Pow Sin Cos Tan Sinh Cosh Tanh Asin Acos Atan Asinh Acosh Atanh Atan2 Sigmoid Erf".split()
)
#: Operations that XLA makes part of the loop that reads their results.
_FUSED = _COSTLY | frozenset(
    "Mul AddV2 Sub RealDiv Neg Abs Square Sqrt Rsqrt Reciprocal SelectV2 Maximum Minimum Sign Cast Identity Reshape"
    " Pad PadV2 StridedSlice Slice ExpandDims BroadcastTo".split()
)
#: How far to look.
_MOST_OPERATIONS = 100


def is_costly(x: Any) -> bool:
    """Whether XLA would compute `x` where it is read, and that takes long."""
    seen: set[int] = set()
    todo = [x.op]
    while todo and len(seen) < _MOST_OPERATIONS:
        operation = todo.pop()
        if id(operation) in seen or operation.type not in _FUSED or not is_large(operation.outputs[0]):
            continue
        if operation.type in _COSTLY:
            return True
        seen.add(id(operation))
        todo.extend(part.op for part in operation.inputs)
    return False


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
