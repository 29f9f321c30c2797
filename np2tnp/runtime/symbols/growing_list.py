"""Lists to which a loop appends, as ``losses.append(loss)``: iterations stack what they append.

While a loop is traced, something else stands for such a list: it takes items, and tells nothing. Each of the items that
an iteration appends is a row of an array, of which the loop has one for each `append`. When the loop is over the very
list gets them all, a tensor or a Python number each. Rows of one array are known as such (``Trace.rows``), so that
neither ``np.array(losses)`` nor a result has to put together what was taken apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import Row, Trace, above, check, current
from np2tnp.runtime.symbols.carried_values import Kind, Run, built, flat_kinds, flat_tensors, kind_of
from np2tnp.runtime.symbols.either_number import EitherNumber
from np2tnp.runtime.symbols.python_number import LIMIT, Weak
from np2tnp.runtime.symbols.same_arrays import SameArrays

#: How many items a loop may append: each is a tensor of its own in the trace, 20 microseconds of its time.
MOST_ITEMS = 20_000

#: How much a loop that may be left in the middle may append at most: arrays are made for all of it.
MOST_BYTES = 1 << 25


class Appended:
    """Stands for a list in an iteration."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[Any] = []

    def append(self, item: Any, /) -> None:
        """``list.append``."""
        self.items.append(item)

    def _refuse(self, *_: Any) -> Any:
        raise Unsupported("a list that a loop appends to is read in it")

    __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = __eq__ = __hash__ = _refuse
    __add__ = __iadd__ = __mul__ = __imul__ = __repr__ = __str__ = _refuse


class Growth:
    """Stands for a list after a loop that was left in the middle: only the graph knows how many items it has.

    items : those that it had before. kinds : of what an iteration appended. number : how many iterations there were.
    stacks : what they appended, with rows for more iterations than there were.
    first, last : the tensors that the first and the last row are, where NumPy has one array there and elsewhere.
    """

    __slots__ = ("first", "items", "kinds", "last", "number", "stacks")

    def __init__(
        self, kinds: tuple[Kind, ...], number: Any, stacks: list[Any], first: list[Any], last: list[Any]
    ) -> None:
        self.items: list[Any] = []
        self.kinds, self.number, self.stacks, self.first, self.last = kinds, number, stacks, first, last

    def length(self) -> Weak:
        """``len`` of the list."""
        steps = tf.cast(self.number, tf.int64)
        return Weak(int, steps * len(self.kinds) + len(self.items))

    def __getitem__(self, key: Any) -> Any:
        if type(key) is not int or key != -1 or not self.kinds:
            self._refuse()
        check(self.number > 0, "the last item of a list that a loop without an iteration appended to")
        return built(self.kinds, iter(map(self._last, range(len(self.stacks)))))[-1]

    def _last(self, place: int) -> Any:
        """The last row of a stack: the very tensor that is in the list."""
        stack, known = self.stacks[place], self.last[place]
        if known is None:
            is_here = stack.graph is tf.compat.v1.get_default_graph()
            if stack.shape.rank > 1 and (self.first[place] is not None or not is_here):
                self._refuse()
            known = tf.gather(stack, self.number - 1)
            if is_here and self.first[place] is None:
                self.last[place] = known
        return known

    def _refuse(self, *_: Any) -> Any:
        raise Unsupported("a list with as many items as only the graph knows is read")

    __bool__ = __len__ = __iter__ = __contains__ = __eq__ = __hash__ = _refuse
    __add__ = __iadd__ = __mul__ = __imul__ = __repr__ = __str__ = append = _refuse
    __class__ = property(_refuse)  # who asks whether it is a list must not get an answer


def grown_items(kinds: tuple[Kind, ...], number: int, *parts: list[Any]) -> list[Any]:
    """The items of a Growth when the graph has run: tensors and Python numbers. parts: its stacks, first and last."""
    if not number:
        return []
    stacks, first, last = parts
    columns = [tf.unstack(stack[:number]) for stack in stacks]
    for column, one, other in zip(columns, first, last, strict=True):
        column[0] = column[0] if one is None else one
        column[-1] = column[-1] if other is None else other
    rows = (built(kinds, iter([column[step] for column in columns])) for step in range(number))
    return [_in_python(item) for row in rows for item in row]


def _in_python(item: Any) -> Any:
    if isinstance(item, Weak):
        return item.tensor.numpy().item()
    return tuple(map(_in_python, item)) if type(item) is tuple else item


class Collects(Exception):  # noqa: N818 - a signal
    """An iteration appends to lists: arrays for that have to go along."""

    def __init__(self, stacks: Stacks) -> None:
        super().__init__()
        self.stacks = stacks


class Lists:
    """The lists among what a loop carries.

    iteration : after each call of the body, the items that it appended, by list.
    until : the body returns besides whether to leave the loop.
    """

    def __init__(self, carried: tuple[Any, ...], until: bool = False) -> None:
        self.until = until
        self.growths: list[Growth] = []  #: what becomes of the lists, where only the graph knows how long they are
        self.lists = {place: value for place, value in enumerate(carried) if type(value) in (list, Appended)}
        self.others = tuple(value for place, value in enumerate(carried) if place not in self.lists)
        self.iteration: tuple[tuple[Any, ...], ...] = ()
        self.count: int | None = None  #: of iterations, where that is known
        self.made: list[tuple[tuple[Any, ...], ...]] = []  #: what was appended so far

    def without(self, body: Callable[..., Any]) -> Callable[..., Any]:
        """`body` for what else is carried."""
        places = range(len(self.others) + len(self.lists))

        def run(i: Any, *others: Any) -> Any:
            stand_ins = {place: Appended() for place in self.lists}
            rest = iter(others)
            given = [stand_ins[place] if place in stand_ins else next(rest) for place in places]
            result = body(i, *given)
            values = (result,) if len(places) == 1 and not self.until else tuple(result)
            if any(values[place] is not stand_in for place, stand_in in stand_ins.items()):
                raise Unsupported("a list that is another one after an iteration")
            self.iteration = tuple(tuple(stand_in.items) for stand_in in stand_ins.values())
            left = tuple(value for place, value in enumerate(values) if place not in stand_ins)
            return left[0] if len(left) == 1 and not self.until else left

        return run if self.lists else body

    def keep(self) -> None:
        """An iteration was traced by itself."""
        self.made.append(self.iteration)

    def finish(self, trace: Trace, others: tuple[Any, ...]) -> tuple[Any, ...]:
        """All carried values after the loop, the lists with what was appended to them."""
        for number, (place, known) in enumerate(self.lists.items()):
            if self.growths and self.growths[number].kinds:
                if isinstance(known, Appended):
                    raise Unsupported("a loop within that appends as many items to a list as only the graph knows")
                before = [made for items in self.made for item in items[number] for made in _items(trace, item)]
                self.growths[number].items = [*known, *before]
                self.lists[place] = self.growths[number]
                continue
            for items in self.made:
                for item in items[number]:
                    if isinstance(known, Appended):
                        known.append(item)
                    else:
                        known.extend(_items(trace, item))
        rest = iter(others)
        places = range(len(others) + len(self.lists))
        return tuple([self.lists[place] if place in self.lists else next(rest) for place in places])


def _items(trace: Trace, entry: Any) -> list[Any]:
    """The items of an entry: itself, or those of all iterations of a loop within, one after the other."""
    if not isinstance(entry, Run):
        return [entry]
    columns = [trace.rows_of(stack) for stack in entry.flat]
    found: list[Any] = []
    for number in range(entry.times):
        for item in built(entry.kinds, iter([column[number] for column in columns])):
            found.extend(_items(trace, item))
    return found


class _Source(NamedTuple):
    """Which carried array an appended one is: that before the iteration, or that after it."""

    before: int | None = None
    after: int | None = None


class Stacks:
    """The arrays in which one staged loop collects what its iterations append."""

    def __init__(self, items: tuple[tuple[Any, ...], ...], sources: list[_Source], count: int, until: bool) -> None:
        self.kinds = [tuple(map(kind_of, values)) for values in items]
        if EitherNumber in flat_kinds(_joined(self.kinds)):
            raise Unsupported("an item of a list is Python's or NumPy's number, which depends on which one is taken")
        self.specs = [(tensor.dtype, tensor.shape) for tensor in flat_tensors(_joined(items))]
        self.sources = sources
        self.count = count
        if until:
            size = sum(dtype.size * shape.num_elements() for dtype, shape in self.specs)
            if count * size > MOST_BYTES or any(kind.kind is Run for kind in _joined(self.kinds)):
                raise Unsupported("a loop that may append much more to lists than it does")
        elif count * sum(map(_length, _joined(self.kinds))) > MOST_ITEMS:
            raise Unsupported(f"a loop that appends more than {MOST_ITEMS} items to lists")

    def variables(self) -> list[Any]:
        """What the loop carries besides: the number of iterations so far, and the arrays."""
        arrays = [tf.TensorArray(dtype, self.count, element_shape=shape) for dtype, shape in self.specs]
        return [tf.constant(0), *arrays]

    def write(self, variables: Sequence[Any], items: tuple[tuple[Any, ...], ...]) -> list[Any]:
        """The variables after an iteration that appended `items`."""
        number, *arrays = variables
        tensors = flat_tensors(_joined(items))
        return [number + 1, *(array.write(number, value) for array, value in zip(arrays, tensors, strict=True))]

    def read_growths(self, variables: Sequence[Any], before: list[Any], after: list[Any]) -> list[Growth]:
        """What was appended by list, where there may have been fewer iterations than the arrays have rows."""
        number, *arrays = variables
        found: list[Growth] = []
        place = 0
        for kinds in self.kinds:
            part = slice(place, place := place + len(flat_kinds(kinds)))
            first = [None if source.before is None else before[source.before] for source in self.sources[part]]
            last = [None if source.after is None else after[source.after] for source in self.sources[part]]
            found.append(Growth(kinds, number, self._whole(arrays[part], part), first, last))
        return found

    def _whole(self, arrays: Sequence[Any], part: slice) -> list[Any]:
        flat = [array.stack() for array in arrays]
        for stack, (_, shape) in zip(flat, self.specs[part], strict=True):
            stack.set_shape([self.count, *shape])
        return flat

    def read(self, variables: Sequence[Any], before: list[Any], after: list[Any]) -> list[tuple[tuple[Any, ...], ...]]:
        """What was appended: each entry for one iteration or several; `before`, `after`: what the loop carried.

        An array that is a carried one is that tensor itself, so that whoever gets both gets one array.
        """
        if not self.count:
            return []
        flat = self._whole(variables[1:], slice(None))
        begin = int(any(source.before is not None for source in self.sources))
        end = self.count - int(any(source.after is not None for source in self.sources))
        made = []
        if begin:
            first = [
                stack[0] if source.before is None else before[source.before]
                for stack, source in zip(flat, self.sources, strict=True)
            ]
            made.append(self._one(first))
        if end > begin:
            parts = flat if (begin, end) == (0, self.count) else [stack[begin:end] for stack in flat]
            rest = iter(parts)
            runs = []
            for kinds in self.kinds:
                tensors = [next(rest) for _ in flat_kinds(kinds)]
                runs.append((Run(end - begin, kinds, tuple(tensors)),) if kinds else ())
            made.append(tuple(runs))
        if end < self.count:
            last = [
                stack[-1] if source.after is None else after[source.after]
                for stack, source in zip(flat, self.sources, strict=True)
            ]
            made.append(self._one(last))
        return made

    def _one(self, tensors: list[Any]) -> tuple[tuple[Any, ...], ...]:
        rest = iter(tensors)
        return tuple(built(kinds, rest) for kinds in self.kinds)


def stacks_for(lists: Lists, same: SameArrays, before: Sequence[Any], after: Sequence[Any]) -> Stacks:
    """The arrays for what an iteration appended, and checks of it; `before`, `after`: the tensors that are carried.

    Raises Unsupported where that cannot be stacked, or NumPy would show one array at places where this gives several.
    """
    items, count = lists.iteration, lists.count
    if count is None:
        raise Unsupported("a loop that appends as many items to a list as only the graph knows")
    kinds = tuple(kind_of(value) for value in _joined(items))
    tensors = flat_tensors(_joined(items))
    for kind, tensor in zip(flat_kinds(kinds), tensors, strict=True):
        if kind is int:
            check(tf.abs(tensor) < LIMIT, "a Python integer beyond 2**52")
    sources = [_source(tensor, same, before, after) for tensor in tensors]
    arrays = [id(tensor) for tensor in tensors if tensor.shape.rank]
    if len(arrays) > len(set(arrays)):
        raise Unsupported("an array that is appended to lists twice")
    if any(source.before is not None for source in sources) and any(source.after is not None for source in sources):
        raise Unsupported("arrays of an iteration and of the one before that are appended to lists")
    return Stacks(items, sources, count, lists.until)


def _source(tensor: Any, same: SameArrays, before: Sequence[Any], after: Sequence[Any]) -> _Source:
    if not tensor.shape.rank:  # a number is its value
        return _Source()
    carried = range(same.count)
    if same.numbers:
        raise Unsupported("a loop that hands arrays from name to name, and appends to lists")
    held = next((place for place in carried if before[place] is tensor), None)
    if held is not None:
        made = after[held]
        if sum(after[place] is made for place in carried) > 1:
            raise Unsupported("an array with two names that is appended to a list")
        _require_new(made, same, before)
        if any(after[place] is tensor for place in carried):
            raise Unsupported("an array of the iteration before that is appended to a list")
        return _Source(before=held)
    _require_new(tensor, same, before)
    return _Source(after=next((place for place in carried if after[place] is tensor), None))


def _require_new(tensor: Any, same: SameArrays, before: Sequence[Any]) -> None:
    """The iteration makes `tensor`."""
    is_new = tensor.graph is tf.compat.v1.get_default_graph() and all(value is not tensor for value in before)
    if not is_new or same.trace.others_of(tensor) or same.trace.is_callers(tensor):
        raise Unsupported("an array that is appended to a list in several iterations")


def _length(kind: Kind) -> int:
    """How many items an entry is."""
    return int(kind.value * sum(map(_length, kind.parts))) if kind.kind is Run else 1


def _joined(parts: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(value for part in parts for value in part)


def listed(items: Sequence[Any]) -> Any | None:
    """``np.array(items)`` where rows of what a loop appended, or numbers of the trace, are among them; else None.

    Raises Unsupported where the items have different shapes.
    """
    trace = current()
    if trace is None or not any(isinstance(item, Weak) or id(item) in trace.rows for item in items):
        return None
    values = [item.tensor if isinstance(item, Weak) else item for item in items]
    parts: list[Any] = []
    number = 0
    while number < len(values):
        row = trace.rows.get(id(values[number]))
        if row is None:
            parts.append(tf.expand_dims(as_tensor(values[number]), 0))
            number += 1
            continue
        count = 1
        while number + count < len(values) and _follows(trace, values[number + count], row, count):
            count += 1
        whole = count == row.stack.shape[0]
        parts.append(row.stack if whole else row.stack[row.number : row.number + count])
        number += count
    if len({tuple(part.shape[1:]) for part in parts}) > 1:
        raise Unsupported("arrays of different shapes in a list")
    dtype = np.result_type(*(part.dtype.as_numpy_dtype for part in parts))
    parts = [part if part.dtype == dtype else tf.cast(part, dtype) for part in parts]
    return tf.concat(parts, 0) if len(parts) > 1 else tf.identity(parts[0])


def _follows(trace: Trace, tensor: Any, first: Row, distance: int) -> bool:
    row = trace.rows.get(id(tensor))
    return row is not None and row.stack is first.stack and row.number == first.number + distance


above.listed = listed
