"""The edits of one region, collected by node: replacements of expressions and statements, conversions around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.doors import ANYTHING, Admitted
from np2tnp.analysis.domain.promotion_rules import CANONICAL, dtype_char
from np2tnp.analysis.domain.values import (
    ALL_DTYPES,
    HOST,
    NO_NAMES,
    SUBCLASS,
    Array,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    is_among_zero_d,
    may_be_array,
    may_hold_tensor,
    parameters_in,
    zero_d_of,
)
from np2tnp.edits import build

Build = Callable[[Any], cst.BaseExpression]
BuildBlock = Callable[[Any], cst.BaseCompoundStatement]
BuildStatement = Callable[[Any], cst.BaseSmallStatement]
Make = Callable[[], cst.BaseSmallStatement]


@dataclass(slots=True)
class StatementEdit:
    """How one small statement changes: statements before it, the statement itself (in steps), statements after it."""

    before: list[Make] = field(default_factory=list)
    change: list[BuildStatement] = field(default_factory=list)
    after: list[Make] = field(default_factory=list)
    #: of an assignment to several targets, by the number of the target: what becomes of ``target = value`` alone
    parts: dict[int, BuildStatement] = field(default_factory=dict)
    #: of an unpacking: names for the values meanwhile, and what is called with these values before
    names: tuple[str, ...] = ()
    check: str = ""
    #: by the number of the value: how its name is read again, because it may be a view of what is stored into
    again: dict[int, Build] = field(default_factory=dict)
    drop: bool = False  #: the statement itself disappears (what stood in it is in `before`)


@dataclass(slots=True)
class Edits:
    """What is to change in one region, by the id of the original node.

    replace: the node itself. host, tensor: nodes wrapped into ``rt.host(...)``, ``rt.tensor(...)``.
    """

    replace: dict[int, Build] = field(default_factory=dict)
    blocks: dict[int, BuildBlock] = field(default_factory=dict)  #: of compound statements
    host: set[int] = field(default_factory=set)
    host_items: set[int] = field(default_factory=set)  #: iterators: each item is converted when it is asked for
    tensor: set[int] = field(default_factory=set)
    zero_d: set[int] = field(default_factory=set)
    doubted: list[cst.CSTNode] = field(default_factory=list)  #: of the host: now a scalar, now a 0-d array
    tensors_own: set[int] = field(default_factory=set)  #: shapes and dtypes of tensors, which are left as they are
    brought: dict[int, int] = field(default_factory=dict)  #: operators on ndarrays: the operand made a tensor
    #: the values of what dicts and conditional expressions show, by id: of the region's facts
    displays: Mapping[int, tuple[Value, ...]] = field(default_factory=dict)
    kept: set[int] = field(default_factory=set)  #: what an object keeps, which may be a 0-d array
    statements: dict[int, StatementEdit] = field(default_factory=dict)
    converted: int = 0  #: calls and operators that become TensorFlow work
    warns: set[str] = field(default_factory=set)  #: by which names it calls ``warnings.warn`` for frames of callers
    cores: set[int] = field(default_factory=set)  #: callees (names, attributes) that get and give tensors
    total: int = 0  #: calls and operators on arrays
    left: set[int] = field(default_factory=set)  #: those that stay NumPy's after all: the host has their arrays
    formulas: int = 0  #: what was left as a whole
    helpers: int = 0  #: those of them that become functions of the runtime instead of tnp's
    blamed: set[str] = field(default_factory=set)  #: parameters, attributes (".w") of which those were made
    beside_tensors: set[int] = field(default_factory=set)  #: operands (ids) beside which a tensor stands
    asked: dict[str, Admitted] = field(default_factory=dict)  #: names, and what doors of callees that get them let in
    whole: dict[str, str] = field(default_factory=dict)  #: names that are axes or sizes, with the door's word for it
    plain_for_floats: bool = False  #: for arrays of floats one of them would be tnp's
    plain_for_few: bool = False  #: for more dtypes than the door lets in, what is tnp's would be a helper

    def clear(self) -> None:
        """Forget what was to be built: the builders hold on to all that they were made from, these edits included."""
        self.replace.clear()
        self.blocks.clear()
        self.statements.clear()

    def blame(self, *values: Value | None) -> None:
        """A helper stands where tnp's function would, for all that is known of `values`."""
        self.helpers += 1
        for value in values:
            for item in _items(value):
                made_of = deps_of(item) | parameters_in(item.refs) | {ref for ref in item.refs if ref[0] == "."}
                self.blamed |= made_of or ({ANYTHING} if may_be_array(item) else NO_NAMES)

    def wrap_host(self, node: cst.CSTNode, value: Value | None = None) -> None:
        """Convert `node` for the host. A 0-d `value` that NumPy would have as an array is no scalar there, either."""
        if id(node) in self.brought:  # an operator on ndarrays: what goes to the device would come back at once
            del self.replace[self.brought.pop(id(node))]
            return
        (self.host_items if isinstance(value, Sequence) and value.type in ("iterator", "map") else self.host).add(
            id(node)
        )
        self._mark_zero_d(node, value)

    def unwrap(self, node: cst.CSTNode) -> str:
        """Convert `node` no longer. Gives the runtime's function that it would have been converted by."""
        key = id(node)
        form = "ndarray" if key in self.zero_d else "host"
        self.host.discard(key)
        self.zero_d.discard(key)
        return form

    def _mark_zero_d(self, node: cst.CSTNode, value: Value | None) -> None:
        ways = _ways_out(value) if value is not None else set()
        if "array" in ways and "scalar" not in ways:
            self.zero_d.add(id(node))
        elif "array" in ways:
            parts = self._parts(node, value)
            if not parts and value is not None and is_among_zero_d(value):  # two are known to meet; else nobody knows
                self.doubted.append(node)
            names = Counter(part.value for part, _ in parts if type(part) is cst.Name)
            for part, item in parts:
                if type(part) is not cst.Name or names[part.value] == 1:  # what stands there twice stays one object
                    self._mark_zero_d(part, item)

    def _parts(self, node: cst.CSTNode, value: Value | None) -> list[tuple[cst.CSTNode, Value]]:
        """What a display holds, or the sides of a conditional expression, with their values."""
        if type(node) is cst.IfExp and id(node) in self.displays:
            return list(zip((node.body, node.orelse), self.displays[id(node)], strict=True))
        if not isinstance(node, (cst.Tuple, cst.List, cst.Dict)) or not isinstance(value, Sequence):
            return []
        values = self.displays.get(id(node)) or value.items or ()
        nodes = [element.value for element in node.elements]
        return list(zip(nodes, values, strict=True)) if len(nodes) == len(values) else []

    def wrap_tensor(self, node: cst.CSTNode) -> None:
        self.tensor.add(id(node))

    def statement(self, node: cst.CSTNode) -> StatementEdit:
        return self.statements.setdefault(id(node), StatementEdit())


def _items(value: Value | None) -> Iterator[Value]:
    if isinstance(value, Sequence):
        for item in value.items if value.items is not None else (value.element,):
            yield from _items(item)
    elif value is not None:
        yield value


def _ways_out(value: Value) -> set[str]:
    """How the tensors in `value` leave if they are 0-d: as "array" or "scalar"; "no scalar" where they have axes."""
    if isinstance(value, Sequence) and value.type not in ("iterator", "map"):
        return set().union(*map(_ways_out, value.items if value.items is not None else (value.element,)))
    if not isinstance(value, (Array, Unknown)) or value.home == HOST:
        return set()
    if getattr(value, "rank", None):
        return {"no scalar"}
    kind = zero_d_of(value)
    return {"array", "scalar"} if kind == "either" else {"array"} if kind == "array" else {"scalar"}


# --- Edits of calls: another function's name, a method turned into a function, conversions around arguments

#: Methods that take a shape, axes or choices as separate arguments, where the function takes one tuple.
SPREADS = frozenset(("reshape", "transpose", "resize", "choose"))


def retarget(event: ev.Call, edits: Edits, function: str, method: bool, wrap: str = "") -> None:
    """``np.f(...)`` or ``x.f(...)`` becomes ``function(...)``; the receiver becomes the first argument.

    wrap : a function of Python's that is called with the result.
    """

    def change(updated: cst.Call) -> cst.BaseExpression:
        target = build.name(function)
        arguments = list(updated.args)
        if method and isinstance(updated.func, cst.Attribute):
            if updated.func.attr.value in SPREADS:
                arguments = _gathered(arguments)
            arguments = build.separated([build.argument(updated.func.value), *arguments])
        made = updated.with_changes(func=target, args=arguments)
        return build.call(wrap, made) if wrap else made

    edits.replace[id(event.node)] = change


def _gathered(arguments: list[cst.Arg]) -> list[cst.Arg]:
    """Several positional arguments (or a starred one) as one tuple; a single one stays."""
    positional = [argument for argument in arguments if argument.keyword is None and argument.star != "**"]
    if len(positional) < 2 and not any(argument.star for argument in positional):
        return arguments
    rest = [argument for argument in arguments if argument not in positional]
    return [cst.Arg(build.tuple_of(positional)), *rest]


def convert_arguments(event: ev.Call, edits: Edits, to: str, first: int = 0) -> None:
    """Wrap the arguments that need it, from the `first` on.

    `to` is "host" (what may hold tensors) or "tensor" (what may be of the host).
    """
    for argument in event.arguments[first:]:
        node = argument.node.value
        if to == "host":
            if may_hold_tensor(argument.value):
                edits.wrap_host(node, argument.value)
        elif needs_tensor(argument.value):
            edits.wrap_tensor(node)


def operand_nodes(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What an operator of one or two operands works on; empty for a chain of comparisons, and what is no operator."""
    if isinstance(node, cst.BinaryOperation):
        return [node.left, node.right]
    if isinstance(node, cst.UnaryOperation):
        return [node.expression]
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        return [node.left, node.comparisons[0].comparator]
    return []


def needs_tensor(value: object) -> bool:
    """Whether `value` may be an ndarray (perhaps of a subclass) that lives on the host."""
    if isinstance(value, Array):
        return value.home == HOST and value.rank != 0
    if isinstance(value, Sequence):
        return value.type in ("list", "tuple") and any(map(needs_tensor, value.items or (value.element,)))
    return isinstance(value, Unknown) and value.home == HOST


def is_plain_ndarray(value: object) -> bool:
    """Whether `value` is an ndarray of known dtypes, of NumPy's own class: a door let it in, or NumPy made it."""
    return isinstance(value, Array) and value.dtypes != ALL_DTYPES and SUBCLASS not in value.refs


def plain_dtypes(event: ev.Call, edits: Edits, numpy: str | None) -> list[ev.Argument]:
    """``dtype=float`` becomes ``dtype=np.float64``: some functions of tnp read 32 bits there. Gives what changed."""
    changed = []
    for argument in event.arguments:
        if argument.name != "dtype" and not (
            isinstance(argument.value, Symbol) and argument.value.name.startswith("builtins.")
        ):
            continue
        char = dtype_char(argument.value)
        if char is None or (isinstance(argument.value, Symbol) and argument.value.name.startswith("numpy.")):
            continue
        name = CANONICAL[char]
        dtype = build.name(f"{numpy}.{name}") if numpy else build.string(name.rstrip("_"))
        edits.replace[id(argument.node.value)] = partial(_replaced, dtype)
        changed.append(argument)
    return changed


def _replaced(new: cst.BaseExpression, updated: object) -> cst.BaseExpression:
    return new
