"""The parts of a loop over elements, as they are found and as they change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array, Symbol, Value
from np2tnp.analysis.syntax.liveness import NONE, Names, reads
from np2tnp.analysis.syntax.walk import walk

# --- Which elements of arrays the iterations of a loop touch, and whether their order matters
#
# An index is linear: whole multiples of names, plus a number. Two indices that differ by a number mean elements whose
# distance in iterations is known, as long as no index is negative (NumPy counts those from the end).


class NoForm(Exception):  # noqa: N818 - an answer: the reason, for people
    """The loop has no whole-array form."""


@dataclass(frozen=True, slots=True)
class Linear:
    """``sum(factor * name) + offset``; atoms are names, and ``len(x)`` or ``x.shape[0]`` as text."""

    terms: tuple[tuple[str, int], ...]
    offset: int

    def factors(self, counters: dict[str, int]) -> dict[str, int]:
        """The counters in it, with their factors."""
        return {name: factor for name, factor in self.terms if name in counters}


@dataclass(frozen=True, slots=True)
class Touch:
    """One place of a loop's body that reads or stores an element. order: the number of its statement."""

    array: str
    node: cst.Subscript
    parts: tuple[cst.BaseExpression, ...]  #: the index, a part a dimension
    indices: tuple[Linear | None, ...]  #: the same as linear forms; None for a part that has none
    stores: bool
    order: int
    depth: int  #: how many loops of the nest are around it


def linear(node: cst.BaseExpression) -> Linear | None:
    """An index as a linear form, where it is one."""
    found = _linear(node)
    if found is None:
        return None
    terms, offset = found
    return Linear(tuple(sorted((name, factor) for name, factor in terms.items() if factor)), offset)


def _linear(node: cst.BaseExpression) -> tuple[dict[str, int], int] | None:
    if isinstance(node, cst.Integer):
        return {}, int(node.value, 0)
    atom = _atom(node)
    if atom:
        return {atom: 1}, 0
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return _scaled(_linear(node.expression), -1)
    if not isinstance(node, cst.BinaryOperation):
        return None
    left, right = _linear(node.left), _linear(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.operator, cst.Multiply):
        if not left[0]:
            return _scaled(right, left[1])
        return _scaled(left, right[1]) if not right[0] else None
    if not isinstance(node.operator, (cst.Add, cst.Subtract)):
        return None
    sign = 1 if isinstance(node.operator, cst.Add) else -1
    terms = dict(left[0])
    for name, factor in right[0].items():
        terms[name] = terms.get(name, 0) + sign * factor
    return terms, left[1] + sign * right[1]


def _scaled(found: tuple[dict[str, int], int] | None, factor: int) -> tuple[dict[str, int], int] | None:
    if found is None:
        return None
    return {name: factor * old for name, old in found[0].items()}, factor * found[1]


def _atom(node: cst.BaseExpression) -> str:
    """A name, ``len(x)``, ``x.size`` or ``x.shape[0]``, as text; "" for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Call) and len(node.args) == 1 and isinstance(node.args[0].value, cst.Name):
        return (
            f"len({node.args[0].value.value})" if isinstance(node.func, cst.Name) and node.func.value == "len" else ""
        )
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.attr.value == "size":
        return f"{node.value.value}.size"
    if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute) and len(node.slice) == 1:
        part, base = node.slice[0].slice, node.value
        if isinstance(part, cst.Index) and isinstance(part.value, cst.Integer) and base.attr.value == "shape":
            return f"{base.value.value}.shape[{part.value.value}]" if isinstance(base.value, cst.Name) else ""
    return ""


@dataclass(slots=True)
class Order:
    """What was proved of the touches of one loop nest, and what has to be checked when it runs.

    least: indices that must not be negative. low: so much is added to the outermost counter at least.
    """

    counters: dict[str, int]  #: name -> its place in the nest
    signs: dict[str, int]  #: name -> 1 where it counts upwards, -1 downwards, 0 where that is not known
    least: list[cst.BaseExpression]
    low: dict[str, int]

    def prove(self, touches: list[Touch]) -> None:
        """Raises NoForm where an iteration may see what another one stored."""
        stores = [touch for touch in touches if touch.stores]
        for store in stores:
            self._prove_places(store)
            for other in touches:
                if other.array == store.array and other is not store:
                    self._compare(store, other)

    def _prove_places(self, store: Touch) -> None:
        """Each iteration stores an element of its own."""
        used: dict[str, int] = {}
        for index in store.indices:
            if index is None:
                raise NoForm(f"where it stores into {store.array} is no sum of the counter and a number")
            factors = index.factors(self.counters)
            if len(factors) > 1:
                raise NoForm(f"an index of {store.array} has two counters in it")
            used.update(factors)
            for name, factor in factors.items():
                if factor == 1 and len(index.terms) == 1:
                    self.low[name] = min(self.low.get(name, 0), index.offset)
        missing = [name for name, place in self.counters.items() if place < store.depth and name not in used]
        if missing:
            raise NoForm(f"every {missing[0]} stores into the same element of {store.array}")

    def _compare(self, store: Touch, other: Touch) -> None:
        array = store.array
        if len(store.indices) != len(other.indices):
            raise NoForm(f"{array} is indexed in two ways")
        distances: dict[str, int] = {}
        unknown = ""
        for place, (mine, its) in enumerate(zip(store.indices, other.indices, strict=True)):
            if mine is None or its is None or mine.terms != its.terms:
                unknown = unknown or f"it stores some elements of {array} and reads others"
                continue
            factors = mine.factors(self.counters)
            difference = its.offset - mine.offset
            if not factors:
                if difference:  # never the same element
                    self._must_not_wrap(store.parts[place] if difference > 0 else other.parts[place])
                    return
                continue
            ((name, factor),) = factors.items()
            if difference and (factor != 1 or len(mine.terms) > 1):
                unknown = unknown or f"an index of {array} is not a counter and a number"
                continue
            self._lower(name, mine.offset, its.offset)
            if distances.setdefault(name, difference) != difference:
                unknown = unknown or f"{array} is indexed twice by {name}"
        if unknown:
            raise NoForm(unknown)
        if not any(distances.values()):
            return
        if other.stores:
            raise NoForm(f"it stores into {array} at two places")
        if len(self.counters) > 1:  # the inner loop may run step by step, with all steps of the outer one in each
            raise NoForm(f"{array} is read and stored at different places in nested loops")
        name = min((name for name, distance in distances.items() if distance), key=self.counters.__getitem__)
        direction = distances[name] * self.signs[name]
        if not direction:
            raise NoForm(f"the direction of {name} is not known")
        if direction > 0 and other.order > store.order:
            raise NoForm(f"{array} is read ahead after it was stored")
        if direction < 0 and other.order <= store.order:
            raise NoForm(f"an iteration needs what the one before stored in {array}")

    def _lower(self, name: str, *offsets: int) -> None:
        self.low[name] = min(self.low.get(name, 0), *offsets)

    def _must_not_wrap(self, node: cst.BaseExpression) -> None:
        if isinstance(node, cst.Integer):
            return
        if isinstance(node, cst.UnaryOperation):
            raise NoForm("negative indices count from the end")
        if linear(node) not in map(linear, self.least):
            self.least.append(node)


#: Why most loops have no form.
_NO_RANGE = "it does not count over a range"


@dataclass(slots=True)
class Head:
    """What the loop's own line becomes."""

    node: cst.For
    counter: str
    elements: dict[str, str] = field(default_factory=dict)  #: of ``for v in x``: {"v": "x"}; of zip: several
    values: tuple[Value, ...] = ()  #: what is known of those arrays
    start: int = 0
    counted: bool = True  #: whether the text has the counter
    depth: int = 1  #: how many loops there are from this one to the innermost
    within: str = ""  #: the counter of the loop around
    low: int = 0
    least: list[cst.BaseExpression] = field(default_factory=list)
    numbers: dict[str, cst.BaseExpression] = field(default_factory=dict)
    vectors: dict[str, None] = field(default_factory=dict)
    matrices: dict[str, None] = field(default_factory=dict)

    def names(self) -> Names:
        """What is read before the first iteration, if there is one at all."""
        checked = (*self.numbers.values(), *self.least)
        return frozenset((*self.vectors, *self.matrices)).union(*map(reads, checked))


@dataclass(slots=True)
class Form:
    """A loop nest in whole-array form: the nodes that change, by how they change."""

    heads: list[Head] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    stores: dict[int, tuple[cst.CSTNode, str]] = field(default_factory=dict)  #: statement -> operation, "" for `=`
    running: dict[int, tuple[cst.CSTNode, str, cst.BaseExpression, int]] = field(default_factory=dict)
    folds: dict[int, tuple[cst.AugAssign, str, str]] = field(default_factory=dict)  #: operation, counter
    updates: dict[int, tuple[cst.AugAssign, str]] = field(default_factory=dict)  #: of a number of the iteration
    operators: dict[int, tuple[cst.BaseExpression, str]] = field(default_factory=dict)
    calls: dict[int, tuple[cst.Call, str]] = field(default_factory=dict)
    statements: list[cst.CSTNode] = field(default_factory=list)
    #: ``if``, in how many other branches it stands, and the counter of its loop
    branches: dict[int, tuple[cst.If, int, str]] = field(default_factory=dict)
    masks: dict[int, int] = field(default_factory=dict)  #: id of what a branch does → in how many such branches

    @property
    def results(self) -> list[str]:
        """The names that the loop is there for."""
        names = [touch.array for touch in self.touches if touch.stores]
        names += [node.target.value for node, _, _ in self.folds.values() if isinstance(node.target, cst.Name)]
        return list(dict.fromkeys(names))


class Events:
    """The events of a region by their nodes."""

    def __init__(self, events: Iterable[ev.Event]) -> None:
        self.reads: dict[int, ev.Read] = {}
        self.stores: dict[int, ev.Store] = {}
        self.targets: dict[int, ev.Store] = {}
        self.calls: dict[int, ev.Call] = {}
        self.operators: dict[int, ev.Operator] = {}
        self.symbols: dict[int, str] = {}
        self.iterated: dict[int, Value] = {}
        self._words: dict[int, Names] = {}
        for event in events:
            if isinstance(event, ev.Read):
                self.reads[id(event.node)] = event
            elif isinstance(event, ev.Store):
                self.stores[id(event.node)] = self.targets[id(event.target)] = event
            elif isinstance(event, ev.Call):
                self.calls[id(event.node)] = event
            elif isinstance(event, ev.Operator):
                self.operators[id(event.node)] = event
            elif isinstance(event, ev.Loop):
                self.iterated[id(event.node)] = event.iterated
            elif isinstance(event, ev.NameRead):
                self.symbols[id(event.node)] = event.api

    def words(self, function: cst.FunctionDef) -> Names:
        """Every name in the function, which the forms of all its loops ask for."""
        if id(function) not in self._words:
            self._words[id(function)] = frozenset(part.value for part in walk(function) if type(part) is cst.Name)
        return self._words[id(function)]


def header(node: cst.For, events: Events, words: Names = NONE) -> Head:
    """What ``for i in range(...)``, or ``for v in x`` with zip and enumerate around it, counts and reads.

    words : names that the counter cannot have where the text has none. Raises NoForm for other loops.
    """
    if node.orelse is not None or node.asynchronous is not None:
        raise NoForm("it has an else branch")
    callee, values = _called(node.iter, events)
    if callee == "range" and isinstance(node.target, cst.Name):
        return Head(node, node.target.value)
    source: cst.BaseExpression = node.iter
    targets: cst.BaseExpression = node.target
    head = Head(node, "", counted=callee == "enumerate")
    if head.counted:
        names = _items(targets, 2)
        start = values[1] if len(values) == 2 else cst.Integer("0")
        if not isinstance(names[0], cst.Name):
            raise NoForm(_NO_RANGE)
        if not isinstance(start, cst.Integer):
            raise NoForm("where its count starts is no number")
        head.counter, head.start = names[0].value, int(start.value, 0)
        source, targets = values[0], names[1]
    else:
        head.counter = "step"
        while head.counter in words:
            head.counter += "_"
    callee, values = _called(source, events)
    if callee == "zip":
        _pair(head, _items(targets, len(values)), values)
        event = events.calls[id(source)]
        head.values = tuple(argument.value for argument in event.arguments)
    else:
        _pair(head, [targets], [source])
        head.values = () if head.counted else (events.iterated[id(node)],)
    if not head.counted and not all(isinstance(value, Array) and value.rank in (None, 1) for value in head.values):
        raise NoForm("what it iterates over may be no array of numbers")
    return head


def _called(node: cst.BaseExpression, events: Events) -> tuple[str, list[cst.BaseExpression]]:
    """The builtin that is called and its arguments; "" where it is another one, or called otherwise."""
    event = events.calls.get(id(node))
    if not isinstance(node, cst.Call) or event is None or not isinstance(event.callee, Symbol):
        return "", []
    name = event.callee.name.removeprefix("builtins.")
    if any(argument.star or (argument.keyword and name != "enumerate") for argument in node.args):
        return "", []
    return name, [argument.value for argument in node.args]


def _items(target: cst.BaseExpression, count: int) -> list[cst.BaseExpression]:
    items = [element.value for element in target.elements] if isinstance(target, (cst.Tuple, cst.List)) else []
    if len(items) != count:
        raise NoForm(_NO_RANGE)
    return items


def _pair(head: Head, targets: Sequence[cst.BaseExpression], arrays: Sequence[cst.BaseExpression]) -> None:
    """Note which names are elements of which arrays."""
    for target, array in zip(targets, arrays, strict=True):
        if not isinstance(target, cst.Name) or not isinstance(array, cst.Name):
            raise NoForm("it iterates over something that is no name" if head.elements or head.counted else _NO_RANGE)
        if target.value in head.elements or target.value == head.counter:
            raise NoForm(f"{target.value} is two things of each iteration")
        head.elements[target.value] = array.value


def direction(call: cst.Call) -> int:
    """1 where a range counts upwards, -1 where downwards, 0 where that is not known."""
    if len(call.args) < 3:
        return 1
    step = call.args[2].value
    if isinstance(step, cst.Integer):
        return 1
    if isinstance(step, cst.UnaryOperation) and isinstance(step.operator, cst.Minus):
        return -1 if isinstance(step.expression, cst.Integer) else 0
    return 0


def is_docstring(node: cst.CSTNode) -> bool:
    """Whether a statement is a text, which does nothing."""
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString)


def small(body: cst.BaseSuite) -> Iterable[cst.CSTNode]:
    """The statements of a block, small ones one by one."""
    for statement in body.body:
        if isinstance(statement, cst.SimpleStatementLine):
            yield from statement.body
        else:
            yield statement


def flat(node: cst.Subscript) -> tuple[cst.Name | None, list[cst.BaseExpression]]:
    """The array and the parts of the index; ``a[i][j]`` is ``a[i, j]``."""
    parts: list[cst.BaseExpression] = []
    current: cst.BaseExpression = node
    while isinstance(current, cst.Subscript):
        own = [e.slice.value if isinstance(e.slice, cst.Index) else e.slice for e in current.slice]
        if len(own) == 1 and isinstance(own[0], cst.Tuple):
            own = [element.value for element in own[0].elements]
        parts = [*own, *parts]  # type: ignore[list-item]
        current = current.value
    return (current if isinstance(current, cst.Name) else None), parts
