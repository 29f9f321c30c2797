"""A loop that a graph runs: ``tf.while_loop`` with checks, and what is known of its arrays beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import Trace, all_hold, check
from np2tnp.runtime.compile.xla import double_buffering
from np2tnp.runtime.compile.xla.common_subexpressions import store_shared
from np2tnp.runtime.compile.xla.strided_planes import Carried, Interleaves
from np2tnp.runtime.symbols.carried_values import Kind, built, flat_kinds, flat_tensors, kind_of
from np2tnp.runtime.symbols.growing_list import Collects, Lists, Stacks, stacks_for
from np2tnp.runtime.symbols.python_number import LIMIT
from np2tnp.runtime.symbols.same_arrays import Handed, SameArrays


class Unstable(Exception):  # noqa: N818 - a signal
    """The body changed the dtype, the shape or the kind of a value that the loop carries."""


class Rotating(Exception):  # noqa: N818 - a signal
    """The arrays of a loop change places, and are back after some iterations; or would if some had a second place."""

    def __init__(self, order: int, buffers: Sequence[double_buffering.Second] = ()) -> None:
        super().__init__(order)
        self.order = order
        self.buffers = buffers


def staged_loop(
    trace: Trace,
    condition: Any,
    advance: Any,
    counter: Any,
    carried: tuple[Any, ...],
    times: int = 0,
    rotates: bool = False,
    places: int = 0,
    known: bool = False,
    lists: Lists | None = None,
) -> tuple[Any, tuple[Any, ...]]:
    """The staged loop: the last counter, and the last carried values.

    times : iterations at a time, of which the condition decides together; 0: two where that saves copies.
    places : how many of the carried values, the last ones, are second places for arrays.
    known : whether there is an iteration for certain. Elsewhere the counter is another one after the first.
    lists : gets what iterations append to lists.

    Raises
    ------
    Unstable
        Where an iteration changes what must stay the same.
    Rotating
        With `rotates`, where arrays change places.
    """
    flat = flat_tensors(carried)
    numbers, stacks, planes = False, None, Carried()
    while True:
        same = SameArrays(trace, flat, len(flat) - places, numbers)
        try:
            return _while(
                trace, condition, advance, counter, carried, times, rotates, same, known, lists, stacks, planes
            )
        except Interleaves as found:
            planes.learn(found)
        except Handed:
            numbers = True
        except Collects as collects:
            stacks = collects.stacks


def _while(
    trace: Trace,
    condition: Any,
    advance: Any,
    counter: Any,
    carried: tuple[Any, ...],
    times: int,
    rotates: bool,
    same: SameArrays,
    known: bool,
    lists: Lists | None,
    stacks: Stacks | None,
    planes: Carried,
) -> tuple[Any, tuple[Any, ...]]:
    kinds = tuple(kind_of(value) for value in carried)
    flat_before = flat_tensors(carried)
    shapes = [tensor.shape for tensor in flat_before]
    first = same.variables()
    numbered = len(first)  #: where what lists get begins
    if stacks is not None:
        first += stacks.variables()
    begin = 2 + len(first)  #: where carried values begin

    def test(held: Any, i: Any, *rest: Any) -> Any:
        with trace.nested() as checks:
            flat = planes.put_together(trace, rest[len(first) :], shapes)
            result = condition(i, *built(kinds, iter(flat)))
            if checks:
                raise Unsupported("a check in the condition of a while loop")
        return tf.logical_and(held, result)  # once a check has failed the rest is for nothing

    def run(held: Any, i: Any, *rest: Any) -> Any:
        variables, flat = rest[: len(first)], planes.put_together(trace, rest[len(first) :], shapes)
        with trace.nested() as checks:
            check_integers(kinds, flat)
            same.begin(flat)
            with planes.iteration(trace, flat):
                i, *values = advance(i, built(kinds, iter(flat)))
            if tuple(kind_of(value) for value in values) != kinds:
                raise Unstable
            after = flat_tensors(values)
            numbers = same.go_on(variables[:numbered], flat, after)
            if lists is not None and any(lists.iteration):
                found = stacks_for(lists, same, flat, after)
                if stacks is None:
                    raise Collects(found)
                if (found.kinds, found.sources) != (stacks.kinds, stacks.sources):
                    raise Unstable
                numbers += stacks.write(variables[numbered:], lists.iteration)
            held = tf.logical_and(held, all_hold(checks))
            planes.check(trace, after)
            store_shared(trace, [*after, held])
            trace.end_graph()
            return (held, i, *numbers, *planes.taken_apart(after))

    def advance_several(*before: Any) -> Any:
        after = run(*before)
        for _ in range(times - 1):
            after = run(*after)
        if rotates and not planes.steps:
            _raise_rotating(trace, before[begin:], after[begin:])
        if same.handed:
            raise Handed
        if times or not double_buffering.pay(trace, before[begin:], after[begin:]):
            return after
        return tf.cond(test(*after), lambda: run(*after), lambda: after)

    begins = (tf.constant(True), counter, *first, *planes.taken_apart(flat_before))
    held, i, *rest = tf.while_loop(test, advance_several, begins)
    trace.checks[-1].append(held)
    values = same.left(planes.put_together(trace, rest[len(first) :], shapes))
    check_integers(kinds, values)  # those of the last iteration
    if lists is not None and stacks is not None:
        variables = rest[numbered : len(first)]
        if lists.until:
            lists.growths = stacks.read_growths(variables, same.before, values)
        else:
            lists.made.extend(stacks.read(variables, same.before, values))
    same.note(rest[:numbered], values, None if known else tf.equal(i, counter))
    return i, built(kinds, iter(values))


def _raise_rotating(trace: Trace, before: tuple[Any, ...], after: tuple[Any, ...]) -> None:
    """Raise Rotating where several iterations in a row, or with second places for arrays, need no copies."""
    order = double_buffering.rotation(trace, before, after)
    if order > 1:
        raise Rotating(order)
    buffers = double_buffering.buffered(trace, before, after)
    if buffers:
        raise Rotating(2, buffers)


def check_integers(kinds: tuple[Kind, ...], flat: Sequence[Any]) -> None:
    """Iterations bound what they compute by this."""
    for value, kind in zip(flat, flat_kinds(kinds), strict=True):
        if kind is int:
            check(tf.abs(value) < LIMIT, "a Python integer beyond 2**52")
