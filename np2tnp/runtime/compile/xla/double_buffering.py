"""Two iterations of a loop at a time, for XLA: it keeps a carried array in one place of memory.

An iteration that reads its array at other places than it writes cannot work in that place, so XLA copies the array
before each. Of two iterations the first goes from that place to another one, and the second back: the second is a
branch, taken if the loop goes on, which keeps XLA from merging the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any, NamedTuple

from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import Buffer, Trace
from np2tnp.runtime.compile.xla.padded_stores import origin
from np2tnp.runtime.compile.xla.split_interior import interior_of, stored
from np2tnp.runtime.compile.xla.store_forwarding import Bounds, bounds_of, size_of
from np2tnp.runtime.symbols.carried_values import exchanged_tensors, flat_tensors

#: Copies of arrays with fewer elements do not count beside the rest of an iteration.
_LEAST = 32_768
#: The share of an array, at most, that is stored into by small slices.
_SMALL = 1 / 8
#: The second iteration makes the graph longer, which takes time to compile.
_MOST_OPERATIONS = 500

#: Operations that read a tensor at other places than those that they are for.
_ELSEWHERE = frozenset(
    ("StridedSlice", "ConcatV2", "Pad", "PadV2", "SplitV", "GatherV2", "GatherNd", "Transpose", "Roll")
)
_IN_PLACE = frozenset(("TensorStridedSliceUpdate", "TensorScatterUpdate"))
#: What XLA computes once before a loop when nothing of it changes; of a branch's it does not.
_COSTLY = frozenset(
    "RealDiv Sqrt Rsqrt Exp Expm1 Log Log1p Pow Sin Cos Tan Tanh Atan Atan2 Sum MatMul BatchMatMulV2 GatherV2".split()
)
_LOOPS = frozenset(("While", "StatelessWhile", "If", "StatelessIf"))


class Second(NamedTuple):
    """An array that gets a second place: its number, and what an iteration stores into, first and after that.

    rest : None where all of it is made anew, in that place as its interior (`stored`) and its edges.
    """

    number: int
    stored: Bounds
    rest: tuple[Bounds, ...] | None


def pay(trace: Trace, before: tuple[Any, ...], after: tuple[Any, ...]) -> bool:
    """Whether an iteration that makes `after` of `before`, tensors of the graph that is being made, costs a copy."""
    if trace.mode != "xla":
        return False
    results = [origin(value) for value in after if _is_large(value)]
    if not any(_costs_a_copy(*pair, before, results) for pair in zip(before, after, strict=True)):
        return False
    operations = tf.compat.v1.get_default_graph().get_operations()
    if len(operations) > _MOST_OPERATIONS or any(operation.type in _LOOPS for operation in operations):
        return False
    changing = {id(value.op) for value in before}
    for operation in operations:  # in the order in which they were made
        if any(id(part.op) in changing for part in operation.inputs):
            changing.add(id(operation))
        elif operation.type in _COSTLY and any(map(_is_large, operation.outputs)):
            return False
    return True


def rotation(trace: Trace, before: tuple[Any, ...], after: tuple[Any, ...]) -> int:
    """After how many iterations each large array lies where it lay before the first; 1 where none changes its place.

    ``a, b = b, a`` makes XLA copy both arrays, in branches, too. That many iterations in a row need no copy, where each
    updates arrays in their places: XLA does not merge such updates.
    """
    operations = tf.compat.v1.get_default_graph().get_operations() if trace.mode == "xla" else ()
    large = {id(value): number for number, value in enumerate(before) if _is_large(value)}
    if len(large) < 2 or any(operation.type in _LOOPS for operation in operations):
        return 1
    comes_from: dict[int, int] = {}
    results = [origin(value) for value in after if _is_large(value)]
    for number in large.values():
        source = _memory_of(after[number])
        if id(source) in large:
            comes_from[number] = large[id(source)]
        elif _costs_a_copy(before[number], after[number], before, results):
            return 1
        else:
            comes_from[number] = number
    if len(set(comes_from.values())) < len(large):
        return 1
    order = 1
    for number in large.values():
        length, place = 1, comes_from[number]
        while place != number:
            length, place = length + 1, comes_from[place]
        order = lcm(order, length)
    return order if order * len(operations) <= 2 * _MOST_OPERATIONS else 1


def buffered(trace: Trace, before: tuple[Any, ...], after: tuple[Any, ...]) -> list[Second]:
    """The arrays of an iteration that would be made without copies if each had a second place to go to and back.

    These are stored into by a value that reads their other parts, once an iteration, and then in small slices; or made
    anew, of an interior and edges.
    """
    operations = tf.compat.v1.get_default_graph().get_operations() if trace.mode == "xla" else ()
    if not 0 < len(operations) <= _MOST_OPERATIONS or any(operation.type in _LOOPS for operation in operations):
        return []
    results = [origin(value) for value in after if _is_large(value)]
    found: list[Second] = []
    anew: set[int] = set()
    for number, array in enumerate(before):
        if not _is_large(array):
            continue
        made, bounds = without_stores(after[number])
        if made is array:
            continue
        stored = trace.padded.get(id(made))
        if (
            stored is not None
            and origin(stored[1]) is array
            and None not in bounds
            and sum(map(size_of, bounds)) <= _SMALL * array.shape.num_elements()
        ):
            found.append(Second(number, stored[2], tuple(bounds)))
            continue
        interior = interior_of(trace, made) if id(made) not in anew else None
        if interior is not None:
            anew.add(id(made))
            found.append(Second(number, interior, None))
        elif _costs_a_copy(array, after[number], before, results):
            return []
    return found


def without_stores(x: Any) -> tuple[Any, list[Any]]:
    """The array into which `x` stores, and the bounds of the slices; None for one that is not known."""
    bounds: list[Any] = []
    made = origin(x)
    while made.op.type == "TensorStridedSliceUpdate":
        bounds.append(bounds_of(made.op, made.shape))
        made = origin(made.op.inputs[0])
    return made, bounds


def _memory_of(value: Any) -> Any:
    """The tensor in whose place `value` is made, by updates of parts of it."""
    value = origin(value)
    while value.op.type in _IN_PLACE:
        value = origin(value.op.inputs[0])
    return value


def _costs_a_copy(before: Any, after: Any, carried: tuple[Any, ...], results: list[Any]) -> bool:
    after = origin(after)
    if not _is_large(before) or after is before or after.op.type in _IN_PLACE:
        return False
    if any(after is other for other in carried):  # two arrays change their places
        return True
    stored = {id(result) for result in results if result is not after}
    seen: set[int] = set()
    todo = [after.op]
    while todo:
        operation = todo.pop()
        if id(operation) in seen:
            continue
        seen.add(id(operation))
        for part in map(origin, operation.inputs):
            if part is before and operation.type in _ELSEWHERE:
                return True
            if id(part) not in stored:  # another result of the iteration is there before this one is computed
                todo.append(part.op)
    return False


def _is_large(x: Any) -> bool:
    return x.shape.is_fully_defined() and int(x.shape.num_elements()) >= _LEAST


# --- Iterations of a loop whose arrays have second places, to which one iteration brings them and the next one back


def with_buffers(trace: Trace, advance: Any, buffers: Sequence[Second]) -> Any:
    """`advance` for values that end with a second place for each of the arrays in `buffers`."""

    def exchanging(i: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        own, places = values[: -len(buffers)], values[-len(buffers) :]
        flat = flat_tensors(own)
        arrays = [origin(flat[second.number]) for second in buffers]
        pairs = list(zip(arrays, places, buffers, strict=True))
        trace.buffers = {
            id(array): Buffer(array, place, second.stored, second.rest)
            for array, place, second in pairs
            if second.rest is not None
        }
        try:
            i, *new = advance(i, own)
        finally:
            trace.buffers = {}
        anew = {second.number: place for _, place, second in pairs if second.rest is None}
        return (i, *_made_in(trace, anew, new), *arrays)

    return exchanging


def _made_in(trace: Trace, places: dict[int, Any], values: Sequence[Any]) -> tuple[Any, ...]:
    """The values of an iteration, of whose tensors some, by their numbers, are made in these places."""
    flat = flat_tensors(values)
    rest = [(without_stores(flat[number])[0], place) for number, place in places.items()]
    moved: dict[int, tuple[Any, Any]] = {}
    while rest:
        now = [pair for pair in rest if not _is_made_of(pair[0], [other for other, _ in rest])]
        rest = [pair for pair in rest if all(pair is not one for one in now)]
        found = [(made, interior_of(trace, made), place) for made, place in now]
        wanted = [(made, interior, place) for made, interior, place in found if interior is not None]
        results = stored(trace, wanted)
        moved |= {id(made): (made, result) for (made, *_), result in zip(wanted, results, strict=True)}
    return exchanged_tensors(values, moved)


def _is_made_of(x: Any, others: Sequence[Any]) -> bool:
    """Whether one of the others, tensors of the same graph, has to be there before `x`."""
    sought = {id(other.op) for other in others if other is not x}
    seen: set[int] = set()
    todo = [x.op]
    while todo and sought:
        operation = todo.pop()
        if id(operation) in sought:
            return True
        if id(operation) not in seen:
            seen.add(id(operation))
            todo.extend(part.op for part in operation.inputs)
    return False
