"""What several results of an iteration are made of, and takes long, is stored once, for XLA.

XLA makes each array that a loop carries in a loop of its own over the elements, and calculates in each whatever that
array is made of. So ``escaped = alive & (abs(z) > 2)``, of which a counter and a mask are made, took the absolute
values twice. The narrowest place is where to store: the mask, a byte, and not the absolute value below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import Trace
from np2tnp.runtime.compile.xla.materialize import FUSED, in_memory, is_large
from np2tnp.runtime.compile.xla.padded_stores import origin

#: How long further operations take that XLA makes part of the loop that reads their results.
_COSTS = {
    **FUSED,
    "ComplexAbs": 12,
    **dict.fromkeys("Greater GreaterEqual Less LessEqual Equal NotEqual LogicalAnd LogicalOr LogicalNot".split(), 1),
    **dict.fromkeys("IsNan IsInf IsFinite Floor Ceil FloorDiv FloorMod Real Imag Complex Conj".split(), 1),
}
_SLICES = frozenset(("StridedSlice", "Slice"))
#: From what on an operation counts: sums and products of what is read anyhow take no time beside the reading.
_LONG = 4
#: What storing and reading one byte takes, beside a sum; and what the pass by itself takes at least.
_PER_BYTE, _LEAST = 3, 8
#: The graphs of longer iterations are left as they are.
_MOST_OPERATIONS = 1000


def store_shared(trace: Trace, results: Sequence[Any]) -> None:
    """Store what `results`, tensors of the graph that is being made, share: their operations read it from memory."""
    operations = tf.compat.v1.get_default_graph().get_operations()
    if trace.opaque is None or len(operations) > _MOST_OPERATIONS:
        return
    ends = {id(origin(result).op) for result in results}
    readers = _readers(operations, ends)
    there: set[int] = set(ends)
    for operation in operations:  # in the order in which they were made
        mine = readers.get(id(operation), frozenset())
        if id(operation) in ends or len(mine) < 2 or not _is_fused(operation):
            continue
        (value,) = operation.outputs
        if id(value) in trace.stored:
            there.add(id(operation))
            continue
        after = [readers.get(id(c), frozenset()) if id(c) not in ends else {id(c)} for c in value.consumers()]
        if any(one == mine for one in after):  # it is stored further on, if at all
            continue
        if _cost(operation, there) * (len(mine) - 1) >= max(_LEAST, _PER_BYTE * value.dtype.size):
            in_memory(trace, value)
            there.add(id(operation))


def _readers(operations: Sequence[Any], ends: set[int]) -> dict[int, frozenset[int]]:
    """For each operation, by id, in which loops over elements XLA calculates it, named by where these end."""
    found: dict[int, frozenset[int]] = {}
    for operation in reversed(operations):
        if id(operation) in ends or not _is_fused(operation):
            few = operation.type in _SLICES and not is_large(operation.outputs[0])  # of elements
            found[id(operation)] = frozenset(() if few else (id(operation),))
            continue
        parts = [found[id(consumer)] for consumer in operation.outputs[0].consumers() if id(consumer) in found]
        found[id(operation)] = frozenset().union(*parts)
    return found


def _is_fused(operation: Any) -> bool:
    return operation.type in _COSTS and len(operation.outputs) == 1 and is_large(operation.outputs[0])


def _cost(operation: Any, there: set[int]) -> int:
    """What calculating an element takes, beside what is `there`."""
    seen: set[int] = set()
    todo, cost = [operation], 0
    while todo:
        one = todo.pop()
        if id(one) in seen or id(one) in there or not _is_fused(one):
            continue
        seen.add(id(one))
        cost += _COSTS[one.type] if _COSTS[one.type] >= _LONG else 0
        todo.extend(part.op for part in one.inputs)
    return cost
