"""The parts of a loop over elements, as they are found and as they change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array, Symbol, Value
from np2tnp.analysis.loop_indices import NoForm, Touch
from np2tnp.analysis.syntax.liveness import NONE, Names, reads
from np2tnp.analysis.syntax.walk import walk

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
