"""Loops and branches as functions of what they change: plain Python when run eagerly, staged while tracing.

``a, b = rt.fori_loop(0, n, body, a, b)`` is ``for i in range(0, n): a, b = body(i, a, b)``. While tracing, the body is
traced once for all iterations. That needs values whose dtype and shape stay the same: iterations before they do are
traced by themselves. Where they never do, or the body needs the value of the counter, the loop is unrolled.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import is_tensor, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import Trace, all_hold, check, current, unrolled
from np2tnp.runtime.compile.xla import double_buffering
from np2tnp.runtime.compile.xla.common_subexpressions import store_shared
from np2tnp.runtime.compile.xla.double_buffering import with_buffers
from np2tnp.runtime.compile.xla.strided_planes import Carried, Interleaves
from np2tnp.runtime.symbols.carried_values import (
    Kind,
    built,
    flat_kinds,
    flat_tensors,
    kind_of,
    mixed_numbers,
    numbers_in,
    unassigned,
    with_either,
)
from np2tnp.runtime.symbols.either_number import EitherNumber
from np2tnp.runtime.symbols.growing_list import Collects, Lists, Stacks, stacks_for
from np2tnp.runtime.symbols.python_number import LIMIT, Weak, weak
from np2tnp.runtime.symbols.same_arrays import Handed, SameArrays

__all__ = [
    "both",
    "cond",
    "either",
    "fori_loop",
    "negation",
    "unassigned",
    "while_loop",
]


# --- A loop that a graph runs: ``tf.while_loop`` with checks, and what is known of its arrays beside


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


#: Iterations that may be traced by themselves until the types are stable (1 nearly always: ``s = 0.0; s += x.sum()``).
_PEELED = 3


#: Iterations, and operations of all of them, up to which a loop is copied into the graph.
_SHORT, _SHORT_OPERATIONS = 16, 800
_OF_LOOPS = frozenset(("While", "StatelessWhile", "If", "StatelessIf"))


class _Mixed(Unsupported):
    """The branches of an ``if`` give different dtypes, shapes or kinds: they may not, after another iteration."""


def fori_loop(
    start: Any,
    stop: Any,
    body: Callable[..., Any],
    /,
    *carried: Any,
    step: Any = 1,
    until: bool = False,
    backwards: bool = False,
) -> Any:
    """``for i in range(start, stop, step): carried = body(i, *carried)``; gives the last `carried`.

    body : takes the counter and the carried values, returns their new values: a tuple, or one value where it takes one.
        A list among them is one that it appends to, and does nothing else with.
    until : the body returns, after those, whether this iteration is the last.
    backwards : the loop goes through the range from its end.
    """
    trace = current()
    if trace is None:
        steps = range(start, stop, step)
        for i in steps[::-1] if backwards else steps:
            carried, left = _split(body(i, *carried), carried, until)
            if until and left:
                break
        return _result(carried)
    if isinstance(step, Weak) or is_tensor(step):
        raise Unsupported("a range whose step is only known when the graph runs")
    bounds, step = [_bound(start), _bound(stop)], operator.index(step)
    if all(isinstance(bound, int) for bound in bounds) and not len(range(bounds[0], bounds[1], step)):
        return _result(carried)  # the very objects
    if backwards:
        first, last, step = _reversed(bounds[0], bounds[1], step)
        bounds = [first, last]
    if step != 1 and all(isinstance(bound, int) for bound in bounds):
        steps = range(bounds[0], bounds[1], step)
        bounds, step, body = [0, len(steps)], 1, _counted(body, steps)
    carried = tuple(map(_as_carried, carried))
    lists = Lists(carried, until)
    if not until:
        values = _staged_range(trace, bounds, step, lists.without(body), lists.others, lists)
        return _result(lists.finish(trace, values))

    def inside(i: Any, *_: Any) -> Any:
        return i < bounds[1] if step > 0 else i > bounds[1]

    def advance(i: Any, *values: Any) -> tuple[Any, ...]:
        new, left = _split(iteration(i, *values), values, until)
        return (i + step, *new, left)

    iteration = lists.without(body)
    if all(isinstance(bound, int) for bound in bounds):
        lists.count = len(range(bounds[0], bounds[1], step))
    _, *values = _staged_until(trace, inside, advance, (bounds[0], *lists.others), lists)
    return _result(lists.finish(trace, tuple(values)))


def while_loop(test: Callable[..., Any], body: Callable[..., Any], /, *carried: Any, until: bool = False) -> Any:
    """``while test(*carried): carried = body(*carried)``; gives the last `carried`.

    until : the body returns, after the new values, whether this iteration is the last.
    """
    trace = current()
    if trace is None:
        while test(*carried):
            carried, left = _split(body(*carried), carried, until)
            if until and left:
                break
        return _result(carried)
    carried = tuple(map(_as_carried, carried))
    if trace.mode == "xla" and any(map(_is_known_integer, carried)):  # see _counted; Python's have checks with them
        raise Unsupported("a while loop that carries a number of NumPy's which XLA knows")
    if until:
        return _result(_staged_until(trace, test, body, carried))
    return _result(_staged_while(trace, test, lambda *values: _split(body(*values), values, False)[0], carried))


def _as_carried(value: Any) -> Any:
    """NumPy's numbers as tensors, which is what iterations make of them."""
    return to_tensor(value) if isinstance(value, np.generic) and value.dtype.kind in "biufc" else value


def _counted(body: Callable[..., Any], steps: range) -> Callable[..., Any]:
    """`body` for a counter that goes up from 0 by one.

    XLA (TensorFlow 2.21) has no iteration of a loop ``i = 0; while i < 1: i += 2``.
    """

    def run(number: Any, *values: Any) -> Any:
        if not isinstance(number, Weak):
            return body(steps[number], *values)
        limit = max(abs(steps.start), abs(steps.stop)) + abs(steps.step)
        return body(Weak(int, steps.start + number.tensor * steps.step, limit, origin=object()), *values)

    if max(abs(steps.start), abs(steps.stop), abs(steps.step)) > LIMIT:
        raise Unsupported("a range beyond 2**52")
    return run


def _is_known_integer(value: Any) -> bool:
    if not is_tensor(value) or value.shape.rank != 0 or not value.dtype.is_integer:
        return False
    return tf.get_static_value(value) is not None


def _reversed(start: Any, stop: Any, step: int) -> tuple[Any, Any, int]:
    """The bounds and the step of a range that is gone through from its end."""
    if isinstance(start, int) and isinstance(stop, int):
        steps = range(start, stop, step)[::-1]
        return steps.start, steps.stop, steps.step
    if abs(step) != 1:
        raise Unsupported("a range that is gone through from its end, which only the graph knows")
    return stop - step, start - step, -step


def _bound(value: Any) -> Any:
    """A bound of a range: an int where it is known, else Weak. Raises TypeError for what no range takes."""
    if isinstance(value, Weak):
        if value.kind not in (int, bool):
            raise TypeError(f"'{value.kind.__name__}' object cannot be interpreted as an integer")
        return value
    if is_tensor(value):
        if value.shape.rank != 0 or not value.dtype.is_integer:
            raise Unsupported("a range over something that may be no integer")
        tensor = tf.cast(value, tf.int64)
        check(tf.abs(tensor) < LIMIT, "a range beyond 2**52")
        return Weak(int, tensor)
    return range(value).stop if type(value) is not int else value


def _staged_range(
    trace: Trace, bounds: list[Any], step: int, body: Callable[..., Any], carried: Any, lists: Lists
) -> Any:
    start, stop = bounds
    known = all(isinstance(bound, int) for bound in bounds)
    if trace.mode == "xla" and known and len(range(start, stop, step)) <= _SHORT and not lists.lists:
        start, carried = _begun(range(start, stop, step), body, carried)
        bounds = [start, stop]
        if not len(range(start, stop, step)):
            return carried
    peeled = _PEELED if known and len(range(start, stop, step)) < 2 else 0
    reason: Exception
    values = carried
    while True:
        kept, made = len(trace.checks[-1]), len(lists.made)
        try:
            return _while_counter(trace, weak(start), weak(stop), step, body, values, lists)
        except (Unstable, _Mixed) as error:
            reason = error
        except Exception as error:  # the body may need the counter's value: then unrolling helps
            reason = error
            peeled = _PEELED
        del trace.checks[-1][kept:], lists.made[made:]
        if peeled >= _PEELED or (known and not len(range(start, stop, step))):
            break
        if not known:
            check((weak(start) < stop if step > 0 else weak(start) > stop).tensor, "a loop without an iteration")
        values = _tuple(body(start, *values), values)
        lists.keep()
        start = start + step
        peeled += 1
    if not known:
        raise Unsupported(f"a loop that cannot be staged: {reason}")
    lists.made.clear()
    try:
        for i in unrolled(range(bounds[0], bounds[1], step)):
            carried = _tuple(body(i, *carried), carried)
            lists.keep()
    except Unsupported as error:
        raise Unsupported(f"{error}; it cannot be staged: {reason}") from reason
    return carried


def _begun(steps: range, body: Callable[..., Any], carried: tuple[Any, ...]) -> tuple[int, tuple[Any, ...]]:
    """The first iteration of a loop of few, copied into the graph, and all others where an iteration is short.

    The taps of a filter are one piece of work for the compiler then, and none of them is stored. Gives what the counter
    is next.
    """
    graph = tf.compat.v1.get_default_graph()
    before = len(graph.get_operations())
    carried = _tuple(body(steps[0], *carried), carried)
    made = graph.get_operations()[before:]
    if len(made) * len(steps) > _SHORT_OPERATIONS or any(it.type in _OF_LOOPS for it in made):
        return steps.start + steps.step, carried
    for i in steps[1:]:
        carried = _tuple(body(i, *carried), carried)
    return steps.stop, carried


def _while_counter(
    trace: Trace, start: Weak, stop: Weak, step: int, body: Callable[..., Any], carried: Any, lists: Lists
) -> Any:
    limit = max(start.limit, stop.limit) + abs(step)
    if limit > 2 * LIMIT:
        raise Unsupported("a range beyond 2**52")

    def condition(i: Any, *_: Any) -> Any:
        return i < stop.tensor if step > 0 else i > stop.tensor

    def advance(i: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return (i + step, *_tuple(body(Weak(int, i, limit, origin=object()), *values), values))

    steps, values = advance, carried
    first, last = (tf.get_static_value(bound.tensor) for bound in (start, stop))
    known = first is not None and last is not None
    number = len(range(int(first), int(last), step)) if known else 0
    lists.count = number if known else None
    try:
        return staged_loop(trace, condition, advance, start.tensor, carried, rotates=True, known=known, lists=lists)[1]
    except Rotating as rotating:
        order, buffers = rotating.order, rotating.buffers
    if buffers:
        flat = flat_tensors(carried)
        values = (*carried, *(flat[second.number] for second in buffers))
        steps = with_buffers(trace, advance, buffers)

    def goes_on_for_all(i: Any, *_: Any) -> Any:
        return condition(i + (order - 1) * step)

    lists.count = number // order * order if known else None
    i, values = staged_loop(
        trace, goes_on_for_all, steps, start.tensor, values, times=order, places=len(buffers), lists=lists
    )
    values = values[: len(carried)]
    if not known:
        return staged_loop(trace, condition, advance, i, values, times=1, lists=lists)[1]
    for _ in range(number % order):
        check_integers(tuple(map(kind_of, values)), flat_tensors(values))
        i, *others = advance(i, values)
        lists.keep()
        values = tuple(others)
    return values


def _staged_until(
    trace: Trace, test: Any, body: Any, carried: tuple[Any, ...], lists: Lists | None = None
) -> tuple[Any, ...]:
    """A while loop whose body returns, last, whether to leave it: that becomes part of the condition."""

    def stays(*values: Any) -> Any:
        *values, left = values  # type: ignore[assignment]
        return tf.logical_and(tf.logical_not(left), _truth(test(*values)))

    def advance(*values: Any) -> tuple[Any, ...]:
        *new, left = body(*values[:-1])
        return (*new, _truth(left))

    return _staged_while(trace, stays, advance, (*carried, tf.constant(False)), lists)[:-1]


def _staged_while(
    trace: Trace, test: Any, body: Any, carried: tuple[Any, ...], lists: Lists | None = None
) -> tuple[Any, ...]:
    def condition(_: Any, *values: Any) -> Any:
        return _truth(test(*values))

    def advance(_: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return (tf.constant(1), *body(*values))

    for _ in range(_PEELED + 1):
        kept = len(trace.checks[-1])
        try:
            return staged_loop(trace, condition, advance, tf.constant(0), carried, lists=lists)[1]
        except (Unstable, _Mixed):
            del trace.checks[-1][kept:]
        first = _truth(test(*carried))
        known = tf.get_static_value(first)
        if known is not None and not known:
            return carried
        check(first, "a loop without an iteration")
        carried = body(*carried)
        if lists is not None:
            lists.keep()
    raise Unsupported("a while loop whose values change their dtype or shape")


def cond(test: Any, then: Callable[..., Any] | None, otherwise: Callable[..., Any] | None, /, *carried: Any) -> Any:
    """``carried = then(*carried) if test else otherwise(*carried)``; both return as many values as they take.

    `None` in place of a function leaves everything as it is.
    """
    trace = current()
    then, otherwise = then or _unchanged, otherwise or _unchanged
    if trace is None or not _is_symbolic(test):
        return then(*carried) if test else otherwise(*carried)
    test = _truth(test)
    known = tf.get_static_value(test)
    if known is not None:
        return then(*carried) if known else otherwise(*carried)
    results: list[Any] = []
    given: list[list[Any]] = []
    limits: list[list[int]] = []

    def branch(function: Callable[..., Any]) -> Callable[[], Any]:
        def run() -> Any:
            with trace.nested() as checks:
                values = _tuple(function(*carried), carried)
                results.append(tuple(kind_of(value) for value in values))
                given.append(flat_tensors(values))
                limits.append([weak(number).limit for number in numbers_in(values)])
                held = all_hold(checks)
                trace.end_graph()
                return (*flat_tensors(values), held)

        return run

    kinds: Any = None
    outputs: Any = None
    try:
        *outputs, held = tf.cond(test, branch(then), branch(otherwise))
        kinds = results[0]
    except (TypeError, ValueError):
        if len(results) != 2 or results[0] == results[1]:
            raise
    if results[0] != results[1]:
        places = mixed_numbers(*results)
        if not places:
            raise _Mixed("an if whose branches give different dtypes, shapes or kinds")
        return cond(test, with_either(then, places), with_either(otherwise, places), *carried)
    trace.checks[-1].append(held)
    for output, one, other in zip(outputs, *given, strict=True):
        trace.note_same(output, [(test, one), (tf.logical_not(test), other)])
        if trace.is_callers(one) or trace.is_callers(other):
            trace.note_callers(output)
    values = built(kinds, iter(outputs))
    for number, *bounds in zip(numbers_in(values), *limits, strict=True):
        number.limit = min(max(bounds), LIMIT)
        if number.kind is int and max(bounds) > LIMIT:
            check(tf.abs(number.tensor) < LIMIT, "a Python integer beyond 2**52")
    return _result(values)


def negation(test: Any) -> Any:
    """``not test``, of which only the truth is used."""
    return Weak(bool, tf.logical_not(_truth(test))) if _is_symbolic(test) else not test


def both(test: Any, other: Callable[[], Any]) -> Any:
    """``test and other()``, of which only the truth is used. While tracing both are computed."""
    if not _is_symbolic(test):
        return test and other()
    return Weak(bool, tf.logical_and(_truth(test), _truth(other())))


def either(test: Any, other: Callable[[], Any]) -> Any:
    """``test or other()``, of which only the truth is used. While tracing both are computed."""
    if not _is_symbolic(test):
        return test or other()
    return Weak(bool, tf.logical_or(_truth(test), _truth(other())))


def _is_symbolic(value: Any) -> bool:
    return current() is not None and (is_tensor(value) or isinstance(value, (Weak, EitherNumber)))


def _unchanged(*carried: Any) -> Any:
    return _result(carried)


def _truth(value: Any) -> Any:
    """A condition as a boolean tensor. Raises what Python raises for an array of several elements."""
    if isinstance(value, (Weak, EitherNumber)):
        value = value.tensor
    if not is_tensor(value):
        return tf.constant(bool(value))
    if value.shape.num_elements() != 1:
        raise Unsupported("the truth value of an array of several elements")
    value = tf.reshape(value, ())
    return value if value.dtype == tf.bool else tf.not_equal(value, tf.zeros((), value.dtype))


def _tuple(result: Any, carried: tuple[Any, ...]) -> tuple[Any, ...]:
    return (result,) if len(carried) == 1 else tuple(result)


def _split(result: Any, carried: tuple[Any, ...], until: bool) -> tuple[tuple[Any, ...], Any]:
    """What a body returned, as the carried values and whether to leave the loop."""
    if not until:
        return _tuple(result, carried), False
    *values, left = result
    return tuple(values), left


def _result(carried: tuple[Any, ...]) -> Any:
    return carried[0] if len(carried) == 1 else carried
