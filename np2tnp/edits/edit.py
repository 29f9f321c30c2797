"""The edits of one region, collected by node: replacements of expressions and statements, conversions around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.doors import ANYTHING
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    Array,
    Sequence,
    Unknown,
    Value,
    deps_of,
    may_be_array,
    parameters_in,
    zero_d_of,
)

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
    kept: set[int] = field(default_factory=set)  #: what an object keeps, which may be a 0-d array
    statements: dict[int, StatementEdit] = field(default_factory=dict)
    converted: int = 0  #: calls and operators that become TensorFlow work
    cores: set[int] = field(default_factory=set)  #: callees (names, attributes) that get and give tensors
    total: int = 0  #: calls and operators on arrays
    helpers: int = 0  #: those of them that become functions of the runtime instead of tnp's
    blamed: set[str] = field(default_factory=set)  #: parameters, attributes (".w") of which those were made
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
        if value is not None and _ways_out(value) in ({"array"}, {"array", "no scalar"}):
            self.zero_d.add(id(node))
        elif isinstance(value, Sequence) and isinstance(node, (cst.Tuple, cst.List)) and len(value.items or ()) == 1:
            self._mark_zero_d(node.elements[0].value, value.element)  # of several, two may be one object

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
    return {"array"} if zero_d_of(value) == "array" else {"scalar"}
