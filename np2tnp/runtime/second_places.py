"""Iterations of a loop whose arrays have second places, to which one iteration brings them and the next one back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from np2tnp.runtime.base.tracing import Buffer, Trace
from np2tnp.runtime.indexing_padded import origin
from np2tnp.runtime.interiors import interior_of, stored
from np2tnp.runtime.symbols.carried_values import exchanged_tensors, flat_tensors
from np2tnp.runtime.two_steps import Second, without_stores


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
