"""Local arrays that stay ndarrays, alone or in containers, where tensors would not show what NumPy shows.

Code that nobody knows may change them, or an update through one name must be seen through another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, Stale, join
from np2tnp.analysis.domain.locations import bare, is_parameter, of_parameter
from np2tnp.analysis.domain.result_aliases import copy_marks
from np2tnp.analysis.domain.summaries import Summary, hosted
from np2tnp.analysis.domain.values import (
    FOREIGN,
    HOST,
    NO_NAMES,
    NONE,
    READ_ONLY,
    SUBCLASS,
    TENSOR,
    UNKNOWN,
    UNTENSORED,
    Array,
    Bound,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Unknown,
    Value,
    home_of,
    may_hold_tensor,
    outside_of,
    refs_of,
    replace,
    with_refs,
    zero_d_of,
)
from np2tnp.analysis.interpreter.state import HOST_FUNCTIONS, NESTED
from np2tnp.analysis.interpreter.stores import Stores
from np2tnp.analysis.module.subclasses import copies, holds_subclass, is_followed, makes_subclass, maps_file
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import walk


class Hosting(Stores):
    """Binds the names in `host_locals` to ndarrays."""

    numbers: frozenset[str] = NO_NAMES  #: parameters that are taken for numbers of any kind
    kept_as_made: frozenset[int] = frozenset()  #: calls and operators (their ids) whose results an object keeps at once

    def _numpy_call(
        self, node: cst.Call, api: str, arguments: tuple[ev.Argument, ...], receiver: Value | None, env: Env
    ) -> Value:
        if is_followed(api) and not any(argument.star or argument.name == "out" for argument in arguments):
            self.met_subclass |= makes_subclass(api)
            marks = frozenset((SUBCLASS, UNTENSORED))
            shown = NO_NAMES if copies(api, arguments) else self._given_back(arguments) - marks  # it only reads them
            return Unknown(HOST, shown | marks if makes_subclass(api) else shown, view="view" if shown else "")
        result = super()._numpy_call(node, api, arguments, receiver, env)
        if makes_subclass(api) or maps_file(api, arguments):
            self.met_subclass = True
            result = with_refs(result, refs_of(result) | {SUBCLASS})
        elif self.met_subclass and api not in _ASKING:
            given = [argument.value for argument in arguments]
            self.meet_subclass(node, *given, receiver or NONE)
            fact = self.catalog.get(api)
            updates = api.endswith(".at") or (fact is not None and fact.mutates)
            if (updates or any(item.name == "out" for item in arguments)) and any(map(holds_subclass, given)):
                self.construct(node, ev.Kind.SUBCLASS_OPERAND)
        if len(node.args) > (receiver is None):
            self._reads_before_updates(node, arguments, receiver)
        return hosted(result) if id(node) in self.kept_as_made and makes_from_numbers(api, arguments) else result

    def emit_operator(self, event: ev.Operator) -> None:
        super().emit_operator(event)
        if self.met_subclass and any(may_hold_tensor(it) or type(it) is Array for it in event.operands):
            self.meet_subclass(event.node, *event.operands)
        if len(event.operands) > 1 and home_of(event.operands[0]) == HOST:
            later = event.node.right if type(event.node) is cst.BinaryOperation else event.node
            ran = id(event.node) in self.ran_late
            if ran or self._updated_by(later, refs_of(event.operands[0])):  # the operand must not be copied before
                self.facts.seen.read_late.add(id(event.node))

    def _reads_before_updates(self, node: cst.Call, arguments: tuple[ev.Argument, ...], receiver: Value | None) -> None:
        """``np.add(x, f())``, where `f` may update `x`: NumPy reads it after the call, a tensor is made before it."""
        if id(node) in self.ran_late:
            self.construct(node, ev.Kind.ARGUMENTS_READ_LATE, "|".join(self.late_parts.get(id(node), ("", ""))))
        before = refs_of(receiver) if receiver is not None else NO_NAMES
        for argument in arguments:
            for updated in sorted(self._updated_by(argument.node.value, before)):
                self.construct(
                    node,
                    ev.Kind.CLOSURE_STORE if updated.isidentifier() else ev.Kind.READ_LATE,
                    updated.rpartition(":")[2],
                )
            before |= refs_of(argument.value)

    def _updated_by(self, node: cst.BaseExpression, refs: frozenset[str]) -> frozenset[str]:
        """Those of the locations `refs` that functions of the project update, where they are called in `node`."""
        captured: frozenset[str] = refs & self.facts.seen.captured
        if captured and self.has_effect(node):
            return captured
        outside = outside_of(refs) if refs else refs
        if not outside or type(node) is cst.Name:
            return NO_NAMES
        calls = (self.recorded.get((ev.Call, id(part))) for part in walk(node) if type(part) is cst.Call)
        summaries = [self._summary_of(call) for call in calls if isinstance(call, ev.Call)]
        return outside.intersection(*[NO_NAMES.union(*(found.updates for found in summaries if found is not None))])

    def operate(self, node: cst.BaseExpression, op: str, operands: list[Value], env: Env) -> Value:
        if id(node) not in self.kept_as_made or any(map(may_hold_tensor, operands)):
            return super().operate(node, op, operands, env)
        made, self.made = self.made, HOST
        try:
            return super().operate(node, op, operands, env)
        finally:
            self.made = made

    def kept_on_host(self, targets: Iterable[cst.BaseExpression], source: cst.BaseExpression, value: Value) -> Value:
        """`value` as it is assigned to `targets`: converted at `source` where one of them stays an ndarray."""
        if not self.host_locals:
            return value
        for target in targets:
            if type(target) is cst.Name and target.value in self.host_locals:
                return self.on_host(source, value, target.value)
            if type(target) is cst.Tuple or type(target) is cst.List:
                names = [e.value.value for e in target.elements if type(e.value) is cst.Name]
                chosen = [name for name in names if name in self.host_locals]
                if chosen and type(source) is cst.Tuple and isinstance(value, Sequence):
                    return self._converted_items(target, source, value)
                if chosen:
                    return self._converted(source, value, chosen[0])
        return value

    def iterated_on_host(self, node: cst.For, iterated: Value) -> Value:
        """The value of ``node.iter``, converted where an item is bound to a name that stays an ndarray."""
        names = self.host_locals.intersection(target_names(node.target)) if self.host_locals else NO_NAMES
        if not names or not isinstance(iterated, (Array, Unknown)):
            return iterated
        return self._converted(node.iter, iterated, min(names))

    def _converted_items(self, target: cst.Tuple | cst.List, source: cst.Tuple, value: Sequence) -> Value:
        """``a, b = x, y``: only what is bound to a name that stays an ndarray is converted."""
        if value.items is None or not len(value.items) == len(target.elements) == len(source.elements):
            return value
        items = tuple(
            self.kept_on_host([element.value], part.value, item)
            for element, part, item in zip(target.elements, source.elements, value.items, strict=True)
        )
        return self.sequence(value.type, list(items))

    def as_item(self, container: Sequence, source: cst.BaseExpression, value: Value) -> Value:
        """`value` as it is put into a container: converted at `source` where that one holds ndarrays."""
        names = container.refs & self.host_locals
        if container.type == "deque":  # nobody converts what it holds where it is handed out
            kept = self.on_host(source, value, min(names, default="an item of a queue"))
            if may_hold_tensor(kept):
                self.construct(source, ev.Kind.QUEUE_OF_TENSORS)
            return kept
        return self.on_host(source, value, min(names)) if names else value

    def on_host(self, source: cst.BaseExpression, value: Value, name: str) -> Value:
        """`value` with ndarrays for tensors, where `source` makes it: arrays, and containers that are displayed."""
        if not may_hold_tensor(value):
            return value
        if isinstance(source, cst.IfExp):  # one side may be a scalar, where the other is a 0-d array
            sides = zip((source.body, source.orelse), self.facts.displays[id(source)], strict=True)
            return join(*(self.on_host(side, each, name) for side, each in sides))
        if isinstance(value, (Array, Unknown)):
            return self._converted(source, value, name)
        if not isinstance(value, Sequence):
            return value
        if isinstance(source, (cst.Tuple, cst.List)) and value.items is not None:
            parts = zip(source.elements, value.items, strict=True)
            return self.sequence(value.type, [self.on_host(part.value, item, name) for part, item in parts])
        if type(source) is cst.Dict and id(source) in self.facts.displays:
            shown = zip(source.elements, self.facts.displays[id(source)], strict=True)
            kept = [self.on_host(part.value, item, name) for part, item in shown]
            self.facts.displays[id(source)] = tuple(kept)
            return self.sequence("dict", kept, known=False)
        if isinstance(source, (cst.ListComp, cst.DictComp)):
            made = source.elt if isinstance(source, cst.ListComp) else source.value
            self.depth += 1
            element = self.on_host(made, value.element, name)
            self.depth -= 1
            return replace(value, element=element)
        call = self.recorded.get((ev.Call, id(source)))
        if isinstance(call, ev.Call) and self._has_public_form(call) and not refs_of(value):
            self.facts.public_calls.add(id(source))
            return hosted(value)
        if isinstance(source, cst.Call) and not refs_of(value):
            self.escape(source, value, f"holds ndarrays as {name}")
            return hosted(value)
        # a container of some other name: that one must hold ndarrays itself
        self.facts.seen.lent.update(ref for ref in refs_of(value) if ref.isidentifier())
        return value

    def _converted(self, source: cst.BaseExpression, value: Value, name: str) -> Value:
        if not may_hold_tensor(value):
            return value
        if READ_ONLY in refs_of(value):  # our ndarrays can be written to: NumPy itself must make that view
            self.facts.viewed |= outside_of(refs_of(value))
            self.facts.seen.lent.update(filter(str.isidentifier, refs_of(value)))
            return value
        call = self.recorded.get((ev.Call, id(source)))
        public = isinstance(call, ev.Call) and self._has_public_form(call)
        if isinstance(call, ev.Call) and public:
            self.facts.public_calls.add(id(source))
            if not any(may_hold_tensor(argument.value) and refs_of(argument.value) for argument in call.arguments):
                return hosted(value)
        elif zero_d_of(value) == "either":
            return value  # a number, or an array that an update through another name changes
        else:
            self.escape(source, value, f"is assigned to {name}, which stays an ndarray")
        # what shows an array of others must be NumPy's own view of it
        self.facts.viewed |= outside_of(refs_of(value)) | (refs_of(value) & {FOREIGN})
        kept = hosted(value)
        return with_refs(kept, refs_of(kept) | copy_marks(refs_of(kept))) if refs_of(kept) else kept

    def _summary_of(self, call: ev.Call) -> Summary | None:
        """Of the function or method of the project that is called."""
        callee = call.callee
        if isinstance(callee, Bound) and isinstance(callee.receiver, Instance):
            method = self.method_of(callee.receiver, callee.name)
            callee = method[0] if method is not None else UNKNOWN
        return self.services.summary(callee) if isinstance(callee, Function) and not callee.nested else None

    def _has_public_form(self, call: ev.Call) -> bool:
        """Whether a function of the project is called that gives ndarrays itself."""
        summary = self._summary_of(call)
        return summary is not None and summary.migrated and not summary.mutates


#: Functions of NumPy's that leave alone what they get, of whatever class it is.
_ASKING = frozenset(
    f"numpy.{name}" for name in "shape ndim size isscalar iterable may_share_memory result_type".split()
)
#: What makes arrays of nothing but numbers, in less time than a copy from the device takes.
_MAKERS = frozenset(f"numpy.{name}" for name in "zeros ones empty full arange linspace eye identity array".split())


def makes_from_numbers(api: str, arguments: Iterable[ev.Argument]) -> bool:
    """Whether the call makes an array (or draws one) that does not depend on any tensor."""
    if api.startswith("ndarray."):
        return False
    if api.startswith("numpy.random.") or all(isinstance(argument.value, (Const, Scalar)) for argument in arguments):
        return True
    return api in _MAKERS and not any(
        home_of(argument.value) == TENSOR or (api == "numpy.array" and may_hold_tensor(argument.value))
        for argument in arguments
    )


def makers(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The calls whose results `node` holds or combines by cheap arithmetic, and that arithmetic."""
    if type(node) is cst.Call:
        yield node
    elif type(node) is cst.BinaryOperation and not isinstance(node.operator, (cst.MatrixMultiply, cst.Power)):
        yield node
        yield from makers(node.left)
        yield from makers(node.right)
    elif type(node) is cst.UnaryOperation:
        yield node
        yield from makers(node.expression)
    elif isinstance(node, (cst.List, cst.Tuple, cst.Dict)):
        for element in node.elements:
            yield from makers(element.value)
    elif isinstance(node, (cst.ListComp, cst.DictComp)):
        yield from makers(node.elt if isinstance(node, cst.ListComp) else node.value)


def numbers_in_doubt(facts: ev.RegionFacts) -> frozenset[str]:
    """Parameters that would be updated for the caller, or share memory with what is updated, if they were arrays.

    All of them where what is updated may be a view that cannot be written to.
    """
    found = {name for name, ok in facts.mutated.items() if not ok}
    for event in facts.events:
        if isinstance(event, ev.StaleRead):
            found |= {event.name, *event.shared}
        elif isinstance(event, ev.Store):
            found |= event.conflicts
            if READ_ONLY in refs_of(event.base):  # np.diag of a matrix, where a number makes a vector
                found.update(facts.parameters)
    return frozenset(bare(ref) if is_parameter(ref) else ref for ref in found)


def _may_be_by_call(stale: Stale) -> bool:
    return any(reason.kind != "store" for reason in stale.reasons)


def changed_elsewhere(facts: ev.RegionFacts) -> frozenset[str]:
    """Local names that are read after code which nobody knows may have changed their arrays, and their aliases.

    So are those that two objects hold: both must hold the very same array.
    """
    reads = [e for e in facts.events if isinstance(e, ev.StaleRead) and _may_be_by_call(e.stale)]
    changed = frozenset(name for event in reads for name in {event.name, *event.shared} if name.isidentifier())
    calls = (e.root for e in facts.events if isinstance(e, ev.Store) and e.op == "call")
    keeping = any(
        (isinstance(e, ev.Construct) and e.kind in (ev.Kind.NESTED_KEEPS, ev.Kind.NONLOCAL))
        or (isinstance(e, ev.Store) and not NESTED.isdisjoint(e.conflicts))  # its argument itself must be updated
        for e in facts.events
    )
    changed |= {HOST_FUNCTIONS} if keeping else NO_NAMES
    named = (*facts.seen.lent, *facts.seen.kept_twice)
    return changed | frozenset(named) | frozenset(root for root in calls if root is not None)


def given_to_changers(facts: ev.RegionFacts) -> frozenset[str]:
    """Names that were handed to the callees after whose calls something is read that they may have changed."""
    reads = [e for e in facts.events if isinstance(e, ev.StaleRead)]
    callees = {reason.via for event in reads for reason in event.stale.reasons if reason.kind != "store"}
    handed = [
        e for e in facts.events if isinstance(e, ev.Construct) and e.kind == ev.Kind.UNRESOLVED and e.detail in callees
    ]
    nodes = [e.node.value if isinstance(e.node, cst.Arg) else e.node for e in handed]
    return frozenset(node.value for node in nodes if isinstance(node, cst.Name))


def changed_through_another(facts: ev.RegionFacts) -> frozenset[str]:
    """Locations of arrays that one name updates and another one shows: names, and the caller's arrays ("@x").

    So are those of ``a[i][j] = v``, where `i` may be an array: NumPy tells whether it goes into a view or a copy.
    """
    found: set[str] = {of_parameter(name) for name, ok in facts.mutated.items() if not ok}
    found |= facts.seen.stored_through
    for event in facts.events:
        if isinstance(event, ev.StaleRead):
            found |= {event.name, *event.shared}
        elif isinstance(event, ev.Store) and event.conflicts:
            found |= event.conflicts | refs_of(event.base)
        elif isinstance(event, ev.Construct) and event.kind in (ev.Kind.RETURNED_VIEW, ev.Kind.ALIASED_ARGUMENTS):
            found |= facts.seen.shown_twice
    return frozenset(name for name in found if name.isidentifier() or is_parameter(name))
