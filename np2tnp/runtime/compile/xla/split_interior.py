"""Arrays that XLA would make with a choice at each element, as their interior and their edges.

``np.roll(u, 1) - u`` has its first element from elsewhere, and so has what ``np.pad`` and ``np.concatenate`` are part
of. XLA chooses for each element where to read, one by one. The interior alone, which is nearly everything, is vector
code: it reads nothing but slices. So the interior is stored first, and then the edges, each calculated by the same
operations on slices of what they read. No element is calculated by other operations than before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import Trace
from np2tnp.runtime.compile.xla.materialize import is_large, updated_with_itself
from np2tnp.runtime.compile.xla.padded_stores import origin, stored_slice
from np2tnp.runtime.compile.xla.store_forwarding import Bounds, bounds_of, size_of

#: Operations that work element by element.
_ELEMENTWISE = frozenset(
    "Mul AddV2 Sub Neg Abs Square RealDiv Reciprocal Sqrt Rsqrt Maximum Minimum Sign SelectV2 Cast Identity"
    " Real Imag Complex Conj ComplexAbs Greater GreaterEqual Less LessEqual Equal NotEqual"
    " LogicalAnd LogicalOr LogicalNot IsNan IsInf IsFinite BitwiseAnd BitwiseOr BitwiseXor"
    " Floor Ceil Exp Log Sin Cos Tanh Pow".split()
)
#: Of how many parts an axis may be, and how many operations an array may be made of.
_MOST_CUTS, _MOST_OPERATIONS = 12, 200
#: The share of the array that the edges have, at most.
_SHARE = 1 / 8

#: For each axis, where what an array is made of changes.
Cuts = tuple[frozenset[int], ...]


class _Irregular(Exception):  # noqa: N818 - a signal
    """An array that is no interior with edges, as far as is known."""


def interior_of(trace: Trace, x: Any) -> Bounds | None:
    """The bounds of the interior of `x`, a tensor of the graph that is being made; None where that is no gain."""
    if trace.opaque is None or not is_large(x):
        return None
    parts = _Parts(trace)
    try:
        cuts = parts.cuts(origin(x))
    except _Irregular:
        return None
    if not any(cuts) or not parts.joined:
        return None
    bounds = []
    for length, places in zip(tuple(x.shape), cuts, strict=True):
        ends = [0, *sorted(places), length]
        bounds.append(max(pairwise(ends), key=lambda pair: pair[1] - pair[0]))
    if size_of(tuple(bounds)) < (1 - _SHARE) * math.prod(x.shape):
        return None
    return tuple(bounds)


def stored(trace: Trace, wanted: Sequence[tuple[Any, Bounds, Any]]) -> list[Any]:
    """Arrays, given with the bounds of their interiors, in the places given with them; their readers read them there.

    All edges come first, in a vector of their own: what they are made of may be what was in these places, and XLA
    copies an array that is read after a store to it.
    """
    parts = _Parts(trace)
    readers = [x.consumers() for x, _, _ in wanted]
    edges = [[(edge, parts.part(x, edge)) for edge in _edges(bounds, tuple(x.shape))] for x, bounds, _ in wanted]
    vectors: dict[Any, Any] = {}
    for dtype in {x.dtype for x, _, _ in wanted}:
        values = [tf.reshape(value, (-1,)) for found in edges for _, value in found if value.dtype == dtype]
        if values:
            vectors[dtype] = updated_with_itself(trace, tf.concat(values, 0))
    first = dict.fromkeys(vectors, 0)
    results = []
    for (x, bounds, result), found in zip(wanted, edges, strict=True):
        for edge, _ in found:
            start, size = first[x.dtype], size_of(edge)
            value = tf.slice(vectors[x.dtype], [start], [size])
            result = stored_slice(result, edge, tf.reshape(value, [b - a for a, b in edge]))
            first[x.dtype] = start + size
        results.append(stored_slice(result, bounds, parts.part(x, bounds)))
    for (x, _, _), result, operations in zip(wanted, results, readers, strict=True):
        for operation in operations:
            for number, part in enumerate(operation.inputs):
                if part is x:
                    operation._update_input(number, result)
    return results


def _edges(bounds: Bounds, shape: Sequence[int]) -> Iterator[Bounds]:
    """What is around the interior, in slices."""
    for axis, ((start, stop), length) in enumerate(zip(bounds, shape, strict=True)):
        rest = [(0, n) for n in shape[axis + 1 :]]
        for edge in ((0, start), (stop, length)):
            if edge[0] < edge[1]:
                yield (*bounds[:axis], edge, *rest)


class _Parts:
    """What arrays of one graph are made of."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._cuts: dict[int, Cuts] = {}
        self._made: dict[tuple[int, Bounds], Any] = {}
        self.joined = False  #: whether elements are read from one of several places: else XLA makes vector code itself

    def cuts(self, x: Any) -> Cuts:
        """Where what `x` is made of changes. Raises _Irregular."""
        x = origin(x)
        if id(x) not in self._cuts:
            if len(self._cuts) > _MOST_OPERATIONS:
                raise _Irregular
            self._cuts[id(x)] = found = self._found(x)
            if any(len(places) > _MOST_CUTS for places in found):
                raise _Irregular
        return self._cuts[id(x)]

    def _found(self, x: Any) -> Cuts:
        nothing: Cuts = (frozenset(),) * int(x.shape.rank)
        moves = _moves(x.op) if is_large(x) else None
        if moves is not None:
            self.joined |= len(moves) > 1 or x.op.type == "GatherV2"
            result = [set(places) for places in nothing]
            for source, places in moves:
                for axis, found in enumerate(self.cuts(source)):
                    for first, offset, length in places[axis]:
                        result[axis] |= {first, first + length}
                        result[axis] |= {cut - offset + first for cut in found if offset < cut < offset + length}
            return tuple(frozenset(p - {0, n}) for p, n in zip(result, tuple(x.shape), strict=True))
        if not is_large(x) or x.op.type not in _ELEMENTWISE:
            return nothing
        all_cuts = [self._aligned(x, part) for part in x.op.inputs if part.shape.rank]
        if x.op.type == "SelectV2":
            all_cuts.append(self._of_mask(x))
        return tuple(frozenset().union(*axis) for axis in zip(nothing, *all_cuts, strict=True))

    def _aligned(self, x: Any, part: Any) -> Cuts:
        """The cuts of an operand of `x`, of which axes may be broadcast."""
        before = int(x.shape.rank - part.shape.rank)
        cuts = self.cuts(part)
        pairs = zip(cuts, tuple(part.shape), tuple(x.shape)[before:], strict=True)
        return (frozenset(),) * before + tuple(one if m == n else frozenset() for one, m, n in pairs)

    def _of_mask(self, x: Any) -> Cuts:
        known = self._trace.padded.get(id(x))
        if known is not None:
            return tuple(frozenset(pair) - {0, n} for pair, n in zip(known[2], tuple(x.shape), strict=True))
        mask = _known_mask(x)
        if mask is None:
            return (frozenset(),) * int(x.shape.rank)
        found = []
        for axis in range(x.shape.rank):
            changes = np.diff(mask, axis=axis).any(axis=tuple(i for i in range(mask.ndim) if i != axis))
            if np.count_nonzero(changes) > _MOST_CUTS:
                raise _Irregular
            found.append(frozenset((np.flatnonzero(changes) + 1).tolist()))
        self.joined |= any(found)
        return tuple(found)

    def part(self, x: Any, bounds: Bounds) -> Any:
        """The elements of `x` within `bounds`, by the operations that make `x`."""
        x = origin(x)
        key = id(x), bounds
        if key not in self._made:
            self._made[key] = self._part(x, bounds)
        return self._made[key]

    def _part(self, x: Any, bounds: Bounds) -> Any:
        if bounds == tuple((0, n) for n in x.shape):
            return x
        operation = x.op
        moves = _moves(operation) if is_large(x) else None
        if moves is not None:
            return self._moved(x, moves, bounds)
        if not is_large(x) or operation.type not in _ELEMENTWISE:
            return x[tuple([slice(start, stop) for start, stop in bounds])]
        if operation.type == "SelectV2":
            chosen = self._chosen(x, bounds)
            if chosen is not None:
                return self._operand(chosen, bounds)
        inputs = [self._operand(part, bounds) for part in operation.inputs]
        attributes = dict(operation.node_def.attr.items())
        made = operation.graph.create_op(operation.type, inputs, [x.dtype], attrs=attributes)
        return made.outputs[0]

    def _moved(self, x: Any, moves: list[tuple[Any, list[_Runs]]], bounds: Bounds) -> Any:
        for axis, (start, stop) in enumerate(bounds):
            ends = {end for _, places in moves for first, _, length in places[axis] for end in (first, first + length)}
            ends = {end for end in ends if start < end < stop}
            if ends:
                pieces = pairwise([start, *sorted(ends), stop])
                parts = [self.part(x, (*bounds[:axis], piece, *bounds[axis + 1 :])) for piece in pieces]
                return tf.concat(parts, axis)
        for source, places in moves:
            pairs = [_moved(pair, runs) for pair, runs in zip(bounds, places, strict=True)]
            known = tuple(pair for pair in pairs if pair is not None)
            if len(known) == len(pairs):
                return self.part(source, known)
        number = x.op.inputs[2] if x.op.type == "PadV2" else tf.zeros((), x.dtype)  # else nothing is around
        return tf.fill([stop - start for start, stop in bounds], number)

    def _operand(self, part: Any, bounds: Bounds) -> Any:
        rank = part.shape.rank
        own = bounds[len(bounds) - rank :] if rank else ()
        pairs = zip(own, tuple(part.shape), strict=True)
        return self.part(part, tuple((0, 1) if n == 1 else pair for pair, n in pairs))

    def _chosen(self, x: Any, bounds: Bounds) -> Any | None:
        """The operand of a select that all elements within `bounds` are from, where that is known."""
        _, this, other = x.op.inputs
        known = self._trace.padded.get(id(x))
        if known is not None:
            pairs = list(zip(bounds, known[2], strict=True))
            if all(first <= start and stop <= last for (start, stop), (first, last) in pairs):
                return this
            outside = any(stop <= first or start >= last for (start, stop), (first, last) in pairs)
            return other if outside else None
        mask = _known_mask(x)
        if mask is None:
            return None
        own = [(0, 1) if n == 1 else pair for pair, n in zip(bounds, mask.shape, strict=True)]
        part = mask[tuple(slice(*pair) for pair in own)]
        return this if part.all() else None if part.any() else other


#: Of one axis, (first place, place in the source, number of places) of each run of places.
_Runs = list[tuple[int, int, int]]


def _moves(operation: Any) -> list[tuple[Any, list[_Runs]]] | None:
    """Of what the result of `operation` has elements, and which; None where it calculates. Not all need be named."""
    result = operation.outputs[0]
    if operation.type in ("StridedSlice", "Slice"):
        bounds = (
            bounds_of(operation, operation.inputs[0].shape) if operation.type == "StridedSlice" else _sliced(operation)
        )
        if bounds is None or tuple(b - a for a, b in bounds) != tuple(result.shape):
            return None
        return [(operation.inputs[0], [[(0, start, stop - start)] for start, stop in bounds])]
    if operation.type in ("Pad", "PadV2"):
        paddings = tf.get_static_value(operation.inputs[1])
        if paddings is None:
            return None
        source = operation.inputs[0]
        pairs = zip(paddings.tolist(), tuple(source.shape), strict=True)
        return [(source, [[(before, 0, length)] for (before, _), length in pairs])]
    if operation.type == "ConcatV2":
        axis = tf.get_static_value(operation.inputs[-1])
        return None if axis is None else list(_concatenated(operation, int(axis)))
    if operation.type == "Reshape" and tuple(operation.inputs[0].shape) == tuple(result.shape):
        return [(operation.inputs[0], [[(0, 0, length)] for length in result.shape])]
    if operation.type == "GatherV2" and not operation.get_attr("batch_dims"):
        places, axis = map(tf.get_static_value, operation.inputs[1:3])
        if places is None or axis is None or places.ndim != 1 or not places.size:
            return None
        runs = _runs(places)
        whole = [[(0, 0, length)] for length in result.shape]
        return None if runs is None else [(operation.inputs[0], [*whole[: int(axis)], runs, *whole[int(axis) + 1 :]])]
    return None


def _sliced(operation: Any) -> Bounds | None:
    begin, size = map(tf.get_static_value, operation.inputs[1:3])
    if begin is None or size is None or (size < 0).any():
        return None
    return tuple((first, first + length) for first, length in zip(begin.tolist(), size.tolist(), strict=True))


def _concatenated(operation: Any, axis: int) -> Iterator[tuple[Any, list[_Runs]]]:
    first, rank = 0, operation.outputs[0].shape.rank
    for part in operation.inputs[:-1]:
        lengths = tuple(part.shape)
        yield part, [[(first if number == axis % rank else 0, 0, length)] for number, length in enumerate(lengths)]
        first += lengths[axis]


def _runs(places: Any) -> _Runs | None:
    ends = [0, *(np.flatnonzero(np.diff(places) != 1) + 1).tolist(), len(places)]
    if len(ends) > _MOST_CUTS:
        return None
    return [(first, int(places[first]), last - first) for first, last in pairwise(ends)]


def _moved(pair: tuple[int, int], runs: _Runs) -> tuple[int, int] | None:
    """Where a slice of an axis is in the source; None where it is not one run there."""
    start, stop = pair
    for first, source, length in runs:
        if first <= start and stop <= first + length:
            return start - first + source, stop - first + source
    return None


def _known_mask(x: Any) -> Any | None:
    """The condition of a select, with as many axes as `x`, where it is known and depends on the place on one axis."""
    condition = x.op.inputs[0]
    if condition.op.type != "Const" or not condition.shape.rank:
        return None
    mask = tf.get_static_value(condition)
    mask = mask.reshape((1,) * (x.shape.rank - mask.ndim) + mask.shape)
    return mask if sum(n > 1 for n in mask.shape) == 1 else None
