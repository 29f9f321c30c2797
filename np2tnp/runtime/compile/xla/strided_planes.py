"""Arrays of a loop that it only touches with steps (``u[1:-1:2, ::2] = ...``), kept as their planes, for XLA.

XLA goes through a slice with steps element by element. Where every read and store of an iteration takes each second
(third, ...) element of the same axes, the loop carries the array as planes, one for each remainder: slices of these
have steps of 1, and stores to them are made in their places. A plane of a red-black sweep is read and another one
written, so nothing is copied. Before and after the loop the array is taken apart and put together once.

Inside of an iteration the whole array is there, too, put together of the planes: where something needs that after all,
the loop is traced again without planes. So nobody has to know of them, and each part of the loop is right by itself.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import Trace, current
from np2tnp.runtime.compile.xla.materialize import is_large
from np2tnp.runtime.compile.xla.padded_stores import origin
from np2tnp.runtime.indexing.keys import Basic, resolve_basic

#: An array is at most so many planes.
_MOST = 16
#: The share of the array, at most, that is read across planes, which puts the parts together.
_SHARE = 1 / 8

#: Of one axis of a key: the plane, the first and the last index there, and which of the key's elements these are.
_Part = tuple[int, int, int, slice | None]

#: ``x[key] = value`` for basic keys: item_stores.py, which needs this module, puts its own here.
write_basic: Any = None


class Interleaves(Exception):  # noqa: N818 - a signal
    """A store with steps into an array that the loop carries; or, with `steps` None, one that is needed whole."""

    def __init__(self, number: int, steps: tuple[int, ...] | None) -> None:
        super().__init__(number)
        self.number = number
        self.steps = steps


class Planes:
    """An array as its planes, by the remainders that their indices leave."""

    def __init__(
        self, loop: Carried, number: int, shape: Sequence[int], steps: tuple[int, ...], planes: Iterable[Any]
    ) -> None:
        self.loop = loop
        self.number = number  #: by which the loop knows the array
        self.shape = tuple(shape)
        self.steps = steps
        self.planes = dict(zip(remainders(steps), planes, strict=True))

    def whole(self) -> Any:
        """The array."""
        axes = [(0, length, 1, length) for length in self.shape]
        parts = [list(_parts_of(axis, step)) for axis, step in zip(axes, self.steps, strict=True)]
        return self._joined(parts, self.shape)

    def read(self, plan: Basic) -> Any | None:
        """``x[key]``; None where the key takes much across planes, or has other steps."""
        parts = self._parts(plan)
        if parts is None:
            return None
        if any(len(axis) > 1 for axis in parts) and math.prod(plan.sliced) > _SHARE * math.prod(self.shape):
            return None
        lengths = [1 if isinstance(axis, int) else axis[3] for axis in plan.axes]
        return tf.reshape(self._joined(parts, lengths), plan.shape)

    def stored(self, plan: Basic, value: Any) -> Planes | None:
        """The array with `value` (of exactly the shape of the slices) stored; None where the key has other steps."""
        parts = self._parts(plan)
        if parts is None:
            return None
        planes = dict(self.planes)
        for combination in itertools.product(*parts):
            which = tuple(part[0] for part in combination)
            taken = tuple(part[3] for part in combination if part[3] is not None)
            item = value if all(one == slice(None) for one in taken) else value[taken]
            plane = planes[which]
            pairs = zip(combination, plan.axes, strict=True)
            key = tuple(part[1] if isinstance(axis, int) else (part[1], part[2], 1) for part, axis in pairs)
            planes[which] = write_basic(plane, resolve_basic(tuple(plane.shape), key), item)
        return Planes(self.loop, self.number, self.shape, self.steps, planes.values())

    def _parts(self, plan: Basic) -> list[list[_Part]] | None:
        found = [list(_parts_of(axis, step)) for axis, step in zip(plan.axes, self.steps, strict=True)]
        return found if all(found) else None

    def _joined(self, parts: list[list[_Part]], lengths: Sequence[int]) -> Any:
        """What is at `parts`, with as many axes as the array has; axes of several parts are interleaved."""

        def join(first: tuple[_Part, ...]) -> Any:
            axis = len(first)
            if axis == len(parts):
                plane = self.planes[tuple(part[0] for part in first)]
                return plane[tuple(slice(part[1], part[2]) for part in first)]
            pieces = [join((*first, part)) for part in parts[axis]]
            if len(pieces) == 1:
                return pieces[0]
            return _interleaved(pieces, axis, lengths[axis])

        return join(())


def remainders(steps: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, steps))


def _parts_of(axis: int | tuple[int, int, int, int], step: int) -> Iterator[_Part]:
    """Where the elements of a key are in the planes; nothing where it has other steps."""
    if isinstance(axis, int):
        yield axis % step, axis // step, axis // step + 1, None
        return
    start, stop, own, count = axis
    if own == step or count == 1:
        yield start % step, start // step, start // step + count, slice(None)
    elif own == 1:
        for offset in range(min(step, stop - start)):
            first = start + offset
            number = len(range(first, stop, step))
            yield first % step, first // step, first // step + number, slice(offset, None, step)


def _interleaved(pieces: list[Any], axis: int, length: int) -> Any:
    """One array of `length` on `axis` whose elements are taken from the pieces in turns."""
    most = -(-length // len(pieces))
    rest = [(0, 0)] * pieces[0].shape.rank

    def padded(piece: Any) -> Any:
        missing = most - piece.shape[axis]
        rest[axis] = (0, missing)
        return tf.raw_ops.Pad(input=piece, paddings=tf.constant(rest, tf.int32)) if missing else piece

    stacked = tf.stack([padded(piece) for piece in pieces], axis + 1)
    dims = list(pieces[0].shape)
    whole = tf.reshape(stacked, [*dims[:axis], most * len(pieces), *dims[axis + 1 :]])
    return whole if most * len(pieces) == length else whole[(slice(None),) * axis + (slice(length),)]


# ---- what a trace knows


def noted(trace: Trace, planes: Planes) -> Any:
    """The array that the planes are, as a tensor of which the trace knows them."""
    whole = planes.whole()
    trace.planes[id(whole)] = (whole, planes)
    return whole


def planes_of(x: Any) -> Planes | None:
    """The planes that the tensor `x` of a graph is put together of, as far as the trace knows."""
    trace = current()
    if trace is None or not trace.planes:
        return None
    found = trace.planes.get(id(origin(x)))
    return None if found is None else found[1]


def read(reading: Any) -> Any | None:
    """The result of the operation `reading`, a StridedSlice, without its steps; None where it has to be as it is."""
    trace = current()
    planes = planes_of(reading.inputs[0])
    if trace is None or planes is None:
        return None if trace is None else _read_before(trace, reading)
    key = _key_of(reading)
    found = None if key is None else planes.read(resolve_basic(planes.shape, key))
    if found is not None:
        trace.answered.add(id(reading))
    return found


def _read_before(trace: Trace, reading: Any) -> Any | None:
    """The same of an array that the loop does not change, read before the loop; None where the steps are 1."""
    x, graph = reading.inputs[0], reading.graph
    if graph is not trace.body or not is_large(x):
        return None
    steps = tf.get_static_value(reading.inputs[3])
    outside = next((outer for outer, inner in graph.captures if inner is x), None)
    if steps is None or all(abs(step) == 1 for step in steps) or outside is None:
        return None
    key = _key_of(reading)
    if key is None:
        return None
    with graph.outer_graph.as_default():
        found = outside[tuple([part if isinstance(part, int) else slice(*part) for part in key])]
    return graph.capture(found)


def _key_of(operation: Any) -> tuple[Any, ...] | None:
    """The static key of a StridedSlice; None for others."""
    if operation.get_attr("ellipsis_mask") or operation.get_attr("new_axis_mask"):
        return None
    vectors = [tf.get_static_value(part) for part in operation.inputs[1:4]]
    if any(vector is None for vector in vectors):
        return None
    begins, ends, items = (operation.get_attr(name) for name in ("begin_mask", "end_mask", "shrink_axis_mask"))
    key: list[Any] = []
    for axis, (first, last, step) in enumerate(zip(*(vector.tolist() for vector in vectors), strict=True)):
        if items >> axis & 1:
            key.append(first)
        else:
            key.append((None if begins >> axis & 1 else first, None if ends >> axis & 1 else last, step))
    return tuple(key)


def stored(x: Any, plan: Basic, value: Any) -> Any | None:
    """`x` with `value` (a tensor of exactly the shape of the slices) stored, where the trace knows it as planes.

    Raises Interleaves where the loop that is being traced should know it so.
    """
    trace = current()
    if trace is None or not (trace.planes or trace.carried):
        return None
    known = planes_of(x)
    if known is not None:
        found = known.stored(plan, value)
        return None if found is None else noted(trace, found)
    if not plan.unit:
        _ask_for_planes(trace, x, plan)
    return None


def _ask_for_planes(trace: Trace, x: Any, plan: Basic) -> None:
    number = trace.carried.get(id(_before(trace, x)))
    if number is None or not is_large(x):
        return
    steps = tuple(1 if isinstance(axis, int) else axis[2] for axis in plan.axes)
    if all(step > 0 for step in steps) and math.prod(steps) <= _MOST and all(map(int.__le__, steps, x.shape)):
        raise Interleaves(number, steps)


def _before(trace: Trace, x: Any) -> Any:
    """The array that became `x` by stores."""
    x = origin(x)
    while True:
        known = trace.padded.get(id(x))
        if known is not None:
            x = origin(known[1])
        elif x.op.type in ("TensorStridedSliceUpdate", "TensorScatterUpdate"):
            x = origin(x.op.inputs[0])
        else:
            return x


class Carried:
    """How a loop carries its values: some of them as planes.

    steps : by number, of the values that are planes. whole : those that were found to be needed whole.
    """

    def __init__(self) -> None:
        self.steps: dict[int, tuple[int, ...]] = {}
        self.whole: set[int] = set()

    def learn(self, found: Interleaves) -> None:
        """What a trace has found: the next one carries a value otherwise."""
        if found.steps is None:
            del self.steps[found.number]
            self.whole.add(found.number)
        else:
            self.steps[found.number] = found.steps

    def taken_apart(self, flat: Sequence[Any]) -> list[Any]:
        """The loop's variables for the values."""
        result: list[Any] = []
        for number, tensor in enumerate(flat):
            steps = self.steps.get(number)
            if steps is None:
                result.append(tensor)
            else:
                known = self._known(number, tensor)
                result.extend(_planes(tensor, steps) if known is None else known.planes.values())
        return result

    def put_together(self, trace: Trace, variables: Iterable[Any], shapes: Sequence[Any]) -> list[Any]:
        """The values, of which the trace knows the planes."""
        rest, result = iter(variables), []
        for number, shape in enumerate(shapes):
            steps = self.steps.get(number)
            if steps is None:
                result.append(next(rest))
            else:
                planes = itertools.islice(rest, math.prod(steps))
                result.append(noted(trace, Planes(self, number, shape, steps, planes)))
        return result

    @contextmanager
    def iteration(self, trace: Trace, flat: Sequence[Any]) -> Iterator[None]:
        """An iteration with these values: stores with steps into them are of interest."""
        skipped = self.whole | set(self.steps)
        around = trace.carried, trace.body
        trace.body = tf.compat.v1.get_default_graph()
        trace.carried = {id(tensor): number for number, tensor in enumerate(flat) if number not in skipped}
        try:
            yield
        finally:
            trace.carried, trace.body = around

    def check(self, trace: Trace, after: Sequence[Any]) -> None:
        """Raise Interleaves where the iteration that was traced needs one of the arrays whole."""
        here = tf.compat.v1.get_default_graph()
        for whole, planes in trace.planes.values():
            if whole.graph is here and planes.loop is self and _is_used(trace, whole):
                raise Interleaves(planes.number, None)
        for number in self.steps:
            if self._known(number, after[number]) is None:
                raise Interleaves(number, None)

    def _known(self, number: int, tensor: Any) -> Planes | None:
        found = planes_of(tensor)
        return found if found is not None and found.steps == self.steps[number] else None


def _planes(x: Any, steps: tuple[int, ...]) -> Iterator[Any]:
    for first in remainders(steps):
        yield x[tuple([slice(begin, None, step) for begin, step in zip(first, steps, strict=True)])]


def _is_used(trace: Trace, whole: Any) -> bool:
    for consumer in whole.consumers():
        if id(consumer) in trace.answered:
            continue
        if consumer.type != "Identity" or _is_used(trace, consumer.outputs[0]):
            return True
    return False
