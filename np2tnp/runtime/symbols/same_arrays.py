"""Which of the caller's arrays a loop gives back: ``r = b`` inside of it, or no iteration at all.

The tensors that a graph's loop gives are new ones, also where NumPy has an array of the caller's in their place. Where
an iteration only computes, each is the array from before the loop if there was no iteration. Where it hands arrays from
one name to another, a number goes along with each array: that of the array from before the loop, or one that the
iteration gives to what it makes. Two values with one number are one array.

What a graph knows so of its results it computes beside them, as booleans; each array of the caller's is then given back
as it is, and two results that are one array as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import Trace


class Handed(Exception):  # noqa: N818 - a signal
    """An iteration hands arrays from one name to another: numbers have to go along."""


class SameArrays:
    """What is known of the arrays that a loop carries, and with ``numbers`` the loop's variables for it.

    before : what the loop begins with, flat.
    count : how many of these names hold; others are places that the loop needs for itself.
    """

    def __init__(self, trace: Trace, before: list[Any], count: int, numbers: bool = False) -> None:
        self.trace = trace
        self.before = before
        self.count = count
        arrays = [place for place, tensor in enumerate(before[:count]) if tensor.shape.rank]
        self.places = arrays
        self.numbers = numbers
        self.handed = False
        self._stays: set[int] | None = None  #: places at which each iteration so far left what it found
        self._known: dict[int, tuple[int, Any]] = {}  #: by id, arrays from outside of the loop with their numbers

    def variables(self) -> list[Any]:
        """What the loop carries besides: the number of iterations so far, and of each array its own."""
        if not self.numbers:
            return []
        return [_constant(0), *(_constant(self._number_outside(self.before[place])) for place in self.places)]

    def begin(self, flat: Sequence[Any]) -> None:
        """An iteration begins with these values."""
        for place in self.places:
            if self.numbers or self.trace.is_callers(self.before[place]):
                self.trace.note_callers(flat[place])

    def go_on(self, variables: tuple[Any, ...], flat: Sequence[Any], after: list[Any]) -> list[Any]:
        """The variables after an iteration from `flat` to `after`."""
        left = {place for place, tensor in enumerate(flat[: self.count]) if after[place] is tensor}
        self._stays = left if self._stays is None else self._stays & left
        if not self.numbers:
            own = {id(flat[place]) for place in self.places}
            moved = any(self._is_handed(after[place], own, after[place] is flat[place]) for place in self.places)
            told = bool(self.trace.callers) or self._may_meet(self.before)  # others are told apart by nobody
            self.handed |= (moved and told) or self._may_meet(after, or_outside=True)
            return []
        made, *numbers = variables
        inside = {id(flat[place]): number for place, number in zip(self.places, numbers, strict=True)}
        fresh = {id(after[place]): index for index, place in enumerate(self.places)}
        here = tf.compat.v1.get_default_graph()
        found: dict[int, Any] = {}

        def number(tensor: Any) -> Any:
            if id(tensor) not in found:  # asked of each once: every array of a loop may be each one before it
                found[id(tensor)] = number_of(tensor)
            return found[id(tensor)]

        def number_of(tensor: Any) -> Any:
            value = inside.get(id(tensor))
            if value is None and _graph(tensor) not in (None, here):
                value = _constant(self._number_outside(tensor))
            if value is None:
                index = fresh.setdefault(id(tensor), len(fresh))
                value = -(made * _constant(_MOST) + _constant(index + 1))
            for other in self.trace.others_of(tensor)[::-1]:
                value = tf.where(other.holds, number(other.value), value)
            return value

        return [made + _constant(1), *(number(after[place]) for place in self.places)]

    def left(self, flat: list[Any]) -> list[Any]:
        """The values after the loop, of which those that no iteration changed are the very ones from before it."""
        stays = self._stays or ()
        return [self.before[place] if place in stays else tensor for place, tensor in enumerate(flat)]

    def note(self, variables: list[Any], flat: list[Any], no_iteration: Any) -> None:
        """The loop is over: say which of its values are arrays from before it, or one array."""
        if not self.numbers:
            for place in self._changed(flat) if no_iteration is not None else ():
                self.trace.note_same(flat[place], [(no_iteration, self.before[place])])
                if self.trace.is_callers(self.before[place]):
                    self.trace.note_callers(flat[place])
            return
        numbers = dict(zip(self.places, variables[1:], strict=True))
        for place in self._changed(flat):  # each points at those before it: what asks for numbers must come to an end
            alike = [other for other in self.places if other < place and _kind(flat[other]) == _kind(flat[place])]
            same = [(tf.equal(numbers[place], numbers[other]), flat[other]) for other in alike]
            outside = [known for known in self._known.values() if _kind(known[1]) == _kind(flat[place])]
            same += [(tf.equal(numbers[place], _constant(number)), tensor) for number, tensor in outside]
            self.trace.note_same(flat[place], same)
            self.trace.note_callers(flat[place])

    def _changed(self, flat: list[Any]) -> list[int]:
        return [place for place in self.places if flat[place] is not self.before[place]]

    def _number_outside(self, tensor: Any) -> int:
        return self._known.setdefault(id(tensor), (len(self._known), tensor))[0]

    def _is_handed(self, tensor: Any, own: set[int], stays: bool) -> bool:
        """Whether a value after an iteration is, or may be, an array from before it, but for one that stays."""
        if id(tensor) in own or _is_outside(tensor) or self.trace.is_callers(tensor):
            return not stays
        return any(self._is_handed(other.value, own, False) for other in self.trace.others_of(tensor))

    def _may_meet(self, tensors: list[Any], or_outside: bool = False) -> bool:
        """Whether two of the loop's arrays may be one, or (`or_outside`) one of them an array of a graph around."""
        met: set[int] = set()
        for place in self.places:
            found: dict[int, Any] = {}
            self._collect(tensors[place], found)
            if not met.isdisjoint(found) or (or_outside and any(map(_is_outside, found.values()))):
                return True
            met.update(found)
        return False

    def _collect(self, tensor: Any, found: dict[int, Any]) -> None:
        """Add to `found`, by id, all that a tensor may be the same array as."""
        if id(tensor) not in found:
            found[id(tensor)] = tensor
            for other in self.trace.others_of(tensor):
                self._collect(other.value, found)


def _is_outside(tensor: Any) -> bool:
    """Whether a tensor is of a graph around the one that is being made."""
    return _graph(tensor) not in (None, tf.compat.v1.get_default_graph())


def _graph(tensor: Any) -> Any:
    """The graph that a tensor is of; None of one that has its value already."""
    return getattr(tensor, "graph", None)


#: More arrays than an iteration makes.
_MOST = 1 << 20


def _constant(number: int) -> Any:
    return tf.constant(number, tf.int64)


def _kind(tensor: Any) -> Any:
    return tensor.dtype, tuple(tensor.shape)


#: Numbers from here on are of tensors that are no inputs and no outputs.
_BETWEEN = 1 << 20


class Pair(NamedTuple):
    """Two tensors of a graph, by numbers, are one array where the output `holds` is true.

    Inputs have the numbers -1, -2, ..., outputs 0, 1, ..., and large numbers stand between them.
    """

    one: int
    holds: int
    other: int


def pairs_of(trace: Trace, inputs: list[Any], outputs: list[Any]) -> list[Pair]:
    """Which inputs and outputs may be one array. What decides about that is added to the `outputs`."""
    numbers = {id(tensor): number for number, tensor in enumerate(outputs)}
    numbers |= {id(tensor): -1 - number for number, tensor in enumerate(inputs)}
    count = len(outputs)
    found: list[tuple[int, Any, int]] = []
    waiting = list(outputs)
    while waiting:
        tensor = waiting.pop()
        for other in trace.others_of(tensor):
            if id(other.value) not in numbers:
                numbers[id(other.value)] = _BETWEEN + len(numbers)
                waiting.append(other.value)
            found.append((numbers[id(tensor)], other.holds, numbers[id(other.value)]))
    groups = _groups([(one, other) for one, _, other in found])
    ends: dict[int, int] = {}  # how many inputs and outputs each group has
    for number, group in groups.items():
        ends[group] = ends.get(group, 0) + (number < count)
    places = {id(tensor): place for place, tensor in enumerate(outputs)}
    pairs = []
    for one, holds, last in found:
        if ends[groups[one]] > 1:
            if id(holds) not in places:
                places[id(holds)] = len(outputs)
                outputs.append(holds)
            pairs.append(Pair(one, places[id(holds)], last))
    return pairs


def united(pairs: tuple[Pair, ...], inputs: list[Any], outputs: list[Any]) -> list[Any]:
    """The outputs of one call, with one tensor for those that are one array: the input among them, if there is one."""
    held = [(pair.one, pair.other) for pair in pairs if bool(outputs[pair.holds])]
    groups = _groups(held)
    first: dict[int, int] = {}
    for number, group in groups.items():
        first[group] = min(number, first.get(group, number))
    chosen = list(outputs)
    for number, group in groups.items():
        if 0 <= number < len(outputs):
            least = first[group]
            found = inputs[-1 - least] if least < 0 else outputs[least]
            if is_tensor(found):  # a Python number is no array, whatever it equals
                chosen[number] = found
    return chosen


def _groups(pairs: list[tuple[int, int]]) -> dict[int, int]:
    """For each number in `pairs` its group: pairs are in one."""
    groups: dict[int, int] = {}
    for one, other in pairs:
        kept, gone = groups.setdefault(one, one), groups.setdefault(other, other)
        for number, group in groups.items() if kept != gone else ():
            if group == gone:
                groups[number] = kept
    return groups
