"""Where arrays live: locals that stay ndarrays, operands that are read late, and memory order.

Local arrays stay ndarrays, alone or in containers, where tensors would not show what NumPy shows: code that nobody
knows may change them, or an update through one name must be seen through another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.containers import sequence_of
from np2tnp.analysis.domain.env import Stale, join
from np2tnp.analysis.domain.locations import bare, is_parameter, is_state, of_attribute, of_parameter
from np2tnp.analysis.domain.result_aliases import copy_marks
from np2tnp.analysis.domain.summaries import Summary, hosted
from np2tnp.analysis.domain.values import (
    BY_LAYOUT,
    BY_THEIR_LAYOUT,
    EITHER,
    FOREIGN,
    HOST,
    NO_NAMES,
    READ_ONLY,
    UNKNOWN,
    Array,
    Bound,
    Const,
    Function,
    Instance,
    Sequence,
    Symbol,
    Unknown,
    Value,
    home_of,
    may_hold_tensor,
    outside_of,
    parameters_in,
    refs_of,
    replace,
    with_refs,
    zero_d_of,
)
from np2tnp.analysis.interpreter.frame import HOST_FUNCTIONS, NESTED, Frame, Names, Record
from np2tnp.analysis.syntax.python_tables import BY_ORDER, IN_PLACE_METHODS
from np2tnp.analysis.syntax.scopes import dotted, sketch, target_names
from np2tnp.analysis.syntax.walk import walk

#
# Whether ``x.reshape(-1)`` shows x or a copy of it hangs on the memory order of x. An ndarray made of a tensor is in
# C order, where NumPy's may be in another one; of what is in C order in NumPy, too, and its views, NumPy says the
# same.

#: What makes arrays in C order, and how many positional arguments stand before ``order``.
_MAKERS = {
    "numpy.zeros": 2, "numpy.ones": 2, "numpy.empty": 2, "numpy.full": 3, "numpy.eye": 4, "numpy.arange": 4,
    "numpy.ascontiguousarray": 2,
    "ndarray.copy": 0,
    "numpy.array": 2, "numpy.asarray": 2,
}  # fmt: skip
#: Those of them that keep the order of an array, and make one of a list.
_OF_DISPLAYS = frozenset(("numpy.array", "numpy.asarray"))
#: Methods that show their array, or copy it where NumPy does: in C order.
_VIEWS = frozenset("reshape ravel transpose swapaxes squeeze".split())
_TARGETED = (cst.AnnAssign, cst.NamedExpr, cst.For, cst.CompFor)
_NAMED = (cst.AsName, cst.FunctionDef, cst.ClassDef, cst.Param, cst.NameItem)
_IMPORTED = (cst.MatchAs, cst.MatchStar, cst.ImportAlias)
_OUTER = (cst.Global, cst.Nonlocal)
_BINDING = frozenset((cst.Assign, *_TARGETED, *_NAMED, *_IMPORTED))
_Value = cst.BaseExpression | None


def is_in_c_order(call: object) -> bool:
    """Whether the recorded event `call` makes an array that is in C order in NumPy."""
    if not isinstance(call, ev.Call) or call.api not in _MAKERS or len(call.arguments) > _MAKERS[call.api]:
        return False
    asked = {argument.name: argument.value for argument in call.arguments if argument.name in ("order", "like")}
    if any(argument.star for argument in call.arguments) or asked not in ({}, {"order": Const.of("C")}):
        return False
    shown = call.arguments and isinstance(call.arguments[0].node.value, (cst.List, cst.Tuple))
    return bool(asked or shown or call.api not in _OF_DISPLAYS)


def bound_in(region: cst.CSTNode) -> dict[str, list[_Value]]:
    """All that `region` binds each name to; None for what is no expression by itself."""
    bound: dict[str, list[_Value]] = defaultdict(list)
    for node in walk(region):
        if type(node) in _BINDING:
            for name, value in _bindings(node):
                bound[name].append(value)
    return dict(bound)


def laid_out_alike(
    bound: Mapping[str, list[_Value]],
    kept: frozenset[str],
    is_maker: Callable[[cst.Call], bool],
    tensors: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """Those of the names `kept`, which hold ndarrays, that are `bound` to nothing but arrays in C order, or views.

    is_maker: whether a call makes an array in C order; what shows one of those under a name is a view of it.
    tensors: those of the names whose views are arrays of their own, in C order, until they come to the host.
    """
    found: set[str] = set()
    while True:
        more = {
            name
            for name in kept & bound.keys()
            if all(
                (name not in tensors and _shows(value, found)) or (type(value) is cst.Call and is_maker(value))
                for value in bound[name]
            )
        }
        if more <= found:
            return frozenset(found)
        found |= more


def _bindings(node: cst.CSTNode) -> Iterator[tuple[str, _Value]]:
    """The names that `node` itself binds, each with the expression that it is bound to; None where there is none."""
    kind = type(node)
    if kind is cst.Assign:
        assert isinstance(node, cst.Assign)
        for target in node.targets:
            if type(target.target) is cst.Name:
                yield target.target.value, node.value
            else:
                yield from ((name, None) for name in target_names(target.target))
    elif kind in _TARGETED:
        yield from ((name, None) for name in target_names(node.target))  # type: ignore[attr-defined]
    elif kind in _NAMED:
        yield from ((name, None) for name in target_names(node.name))  # type: ignore[attr-defined]
    elif kind in _IMPORTED:
        yield from ((part.value, None) for part in walk(node) if type(part) is cst.Name)


def _shows(node: _Value, names: set[str]) -> bool:
    """Whether `node` is one of `names`, or a view of it that NumPy makes."""
    if type(node) is cst.Name:
        return node.value in names
    if type(node) is cst.Attribute:
        return node.attr.value == "T" and _shows(node.value, names)
    if type(node) is cst.Subscript:
        return all(type(part.slice) is cst.Slice for part in node.slice) and _shows(node.value, names)
    if type(node) is not cst.Call or type(node.func) is not cst.Attribute or node.func.attr.value not in _VIEWS:
        return False
    return _shows(node.func.value, names) and not any(argument.keyword or argument.star for argument in node.args)


def updated_by_order(functions: Iterable[cst.CSTNode]) -> frozenset[str]:
    """Attributes (``.w``) and names whose arrays the functions update, or copies of them, by their memory order.

    As in ``flat = net.w.ravel(); flat[0] += 1``: NumPy decides whether net.w changes by the order it lies in.
    """
    return frozenset().union(*map(_updated_in, functions))


@lru_cache(maxsize=4096)
def _lasting(holders: frozenset[str]) -> frozenset[str]:
    """Those that are attributes and globals."""
    return frozenset(holder for holder in holders if is_state(holder))


def _by_default(function: cst.FunctionDef) -> bool:
    """Whether a default or a decorator shows something by its memory order."""
    heads = (function.params, *function.decorators)
    parts = (part for head in heads for part in walk(head) if type(part) is cst.Call)
    return any(_ordered(part) is not None for part in parts)


def _updated_in(function: cst.CSTNode) -> set[str]:
    shown: dict[str, set[str]] = defaultdict(set)
    updated: set[str] = set()
    by_order: set[str] = set()

    def updates(node: _Value) -> None:
        while type(node) is cst.Subscript:
            node = node.value
        if type(node) is cst.Name:
            updated.add(node.value)
        elif (place := _ordered(node)) is not None:
            by_order.add(place)

    for node in walk(function):
        kind = type(node)
        if kind is cst.AugAssign:
            updates(node.target)  # type: ignore[attr-defined]
        elif kind is cst.Assign:
            for name, value in _bindings(node):
                if (place := _ordered(value)) is not None:
                    shown[name].add(place)
            for target in node.targets:  # type: ignore[attr-defined]
                if type(target.target) is cst.Subscript:
                    updates(target.target)
        elif kind is cst.Call:
            assert isinstance(node, cst.Call)
            if type(node.func) is cst.Attribute and node.func.attr.value in IN_PLACE_METHODS:
                updates(node.func.value)
            for argument in node.args:
                if argument.keyword is not None and argument.keyword.value == "out":
                    updates(argument.value)
    return by_order.union(*(shown[name] for name in shown.keys() & updated))


def _ordered(node: _Value) -> str | None:
    """What `node`, a call such as ``x.w.ravel()`` or ``np.reshape(x.w, -1)``, shows by its memory order."""
    if type(node) is not cst.Call or type(node.func) is not cst.Attribute or node.func.attr.value not in BY_ORDER:
        return None
    place: cst.BaseExpression = node.func.value
    if type(place) is cst.Name and node.args and type(node.args[0].value) is cst.Attribute:
        place = node.args[0].value  # of NumPy's functions
    while type(place) is cst.Subscript or (type(place) is cst.Attribute and place.attr.value == "T"):
        place = place.value
    if type(place) is cst.Attribute:
        return of_attribute(place.attr.value)
    return place.value if type(place) is cst.Name else None


#: Builtins that change nothing, whatever number, text or array they get.
_WITHOUT_EFFECT = frozenset(f"builtins.{name}" for name in "len int float str range slice abs min max round".split())


class Placement:
    """Decides which arrays are ndarrays here, and in which memory order they lie."""

    def __init__(self, frame: Frame, record: Record, names: Names) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self.module = frame.module
        self.services = frame.services
        self.record = record
        self.names = names

    def emit_operator(self, event: ev.Operator) -> None:
        self.record.emit(event)
        if self.frame.met_subclass and any(may_hold_tensor(it) or type(it) is Array for it in event.operands):
            self.names.meet_subclass(event.node, *event.operands)
        if len(event.operands) > 1 and home_of(event.operands[0]) == HOST:
            later = event.node.right if type(event.node) is cst.BinaryOperation else event.node
            ran = id(event.node) in self.frame.ran_late
            if ran or self._updated_by(later, refs_of(event.operands[0])):  # the operand must not be copied before
                self.facts.seen.read_late.add(id(event.node))

    def reads_before_updates(self, node: cst.Call, arguments: tuple[ev.Argument, ...], receiver: Value | None) -> None:
        """``np.add(x, f())``, where `f` may update `x`: NumPy reads it after the call, a tensor is made before it."""
        if id(node) in self.frame.ran_late:
            self.record.construct(
                node, ev.Kind.ARGUMENTS_READ_LATE, "|".join(self.frame.late_parts.get(id(node), ("", "")))
            )
        before = refs_of(receiver) if receiver is not None else NO_NAMES
        for argument in arguments:
            for updated in sorted(self._updated_by(argument.node.value, before)):
                if updated.isidentifier():
                    self.record.construct(node, ev.Kind.CLOSURE_STORE, updated)
                    continue
                updating = self._updating_call(argument.node.value, updated)
                self.record.construct(node, ev.Kind.READ_LATE, f"{updated.rpartition(':')[2]}|{updating}")
            before |= refs_of(argument.value)

    def _updated_by(self, node: cst.BaseExpression, refs: frozenset[str]) -> frozenset[str]:
        """Those of the locations `refs` that functions of the project update, where they are called in `node`."""
        captured: frozenset[str] = refs & self.facts.seen.captured
        if captured and self.has_effect(node):
            return captured
        outside = outside_of(refs) if refs else refs
        if not outside or type(node) is cst.Name:
            return NO_NAMES
        return outside.intersection(NO_NAMES.union(*(updates for _, updates in self._updates_in(node))))

    def _updates_in(self, node: cst.BaseExpression) -> Iterator[tuple[ev.Call, frozenset[str]]]:
        """The calls of functions of the project in `node`, and what each of them may update."""
        for part in walk(node):
            call = self.frame.recorded.get((ev.Call, id(part))) if type(part) is cst.Call else None
            summary = self._summary_of(call) if isinstance(call, ev.Call) else None
            if isinstance(call, ev.Call) and summary is not None:
                yield call, frozenset(summary.updates)

    def _updating_call(self, node: cst.BaseExpression, location: str) -> str:
        """Which call in `node` may update what lies at `location`, as the code has it."""
        return next((sketch(call.node) for call, updates in self._updates_in(node) if location in updates), "")

    def kept_on_host(self, targets: Iterable[cst.BaseExpression], source: cst.BaseExpression, value: Value) -> Value:
        """`value` as it is assigned to `targets`: converted at `source` where one of them stays an ndarray."""
        if not self.assumed.host_locals:
            return value
        for target in targets:
            if type(target) is cst.Name and target.value in self.assumed.host_locals:
                return self.on_host(source, value, target.value)
            if type(target) is cst.Tuple or type(target) is cst.List:
                names = [e.value.value for e in target.elements if type(e.value) is cst.Name]
                chosen = [name for name in names if name in self.assumed.host_locals]
                if chosen and type(source) is cst.Tuple and isinstance(value, Sequence):
                    return self._converted_items(target, source, value)
                if chosen:
                    return self._converted(source, value, chosen[0])
        return value

    def iterated_on_host(self, node: cst.For, iterated: Value) -> Value:
        """The value of ``node.iter``, converted where an item is bound to a name that stays an ndarray."""
        names = (
            self.assumed.host_locals.intersection(target_names(node.target)) if self.assumed.host_locals else NO_NAMES
        )
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
        return sequence_of(value.type, list(items))

    def as_item(self, container: Sequence, source: cst.BaseExpression, value: Value) -> Value:
        """`value` as it is put into a container: converted at `source` where that one holds ndarrays."""
        names = container.refs & self.assumed.host_locals
        if container.type == "deque":  # nobody converts what it holds where it is handed out
            kept = self.on_host(source, value, min(names, default="an item of a queue"))
            if may_hold_tensor(kept):
                self.record.construct(source, ev.Kind.QUEUE_OF_TENSORS)
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
            return sequence_of(value.type, [self.on_host(part.value, item, name) for part, item in parts])
        if type(source) is cst.Dict and id(source) in self.facts.displays:
            shown = zip(source.elements, self.facts.displays[id(source)], strict=True)
            kept = [self.on_host(part.value, item, name) for part, item in shown]
            self.facts.displays[id(source)] = tuple(kept)
            return sequence_of("dict", kept, known=False)
        if isinstance(source, (cst.ListComp, cst.DictComp)):
            made = source.elt if isinstance(source, cst.ListComp) else source.value
            self.frame.depth += 1
            element = self.on_host(made, value.element, name)
            self.frame.depth -= 1
            return replace(value, element=element)
        call = self.frame.recorded.get((ev.Call, id(source)))
        if isinstance(call, ev.Call) and self._has_public_form(call) and not refs_of(value):
            self.facts.public_calls.add(id(source))
            return hosted(value)
        if isinstance(source, cst.Call) and not refs_of(value):
            self.record.escape(source, value, f"holds ndarrays as {name}")
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
        call = self.frame.recorded.get((ev.Call, id(source)))
        public = isinstance(call, ev.Call) and self._has_public_form(call)
        if isinstance(call, ev.Call) and public:
            self.facts.public_calls.add(id(source))
            if not any(may_hold_tensor(argument.value) and refs_of(argument.value) for argument in call.arguments):
                return hosted(value)
        elif zero_d_of(value) == "either":
            return value  # a number, or an array that an update through another name changes
        else:
            self.record.escape(source, value, f"is assigned to {name}, which stays an ndarray")
        # what shows an array of others must be NumPy's own view of it
        self.facts.viewed |= outside_of(refs_of(value)) | (refs_of(value) & {FOREIGN})
        kept = hosted(value)
        return with_refs(kept, refs_of(kept) | copy_marks(refs_of(kept))) if refs_of(kept) else kept

    def _summary_of(self, call: ev.Call) -> Summary | None:
        """Of the function or method of the project that is called."""
        callee = call.callee
        if isinstance(callee, Bound) and isinstance(callee.receiver, Instance):
            method = self.names.method_of(callee.receiver, callee.name)
            callee = method[0] if method is not None else UNKNOWN
        return self.services.summary(callee) if isinstance(callee, Function) and not callee.nested else None

    def _has_public_form(self, call: ev.Call) -> bool:
        """Whether a function of the project is called that gives ndarrays itself."""
        summary = self._summary_of(call)
        return summary is not None and summary.migrated and not summary.mutates

    def has_effect(self, node: cst.CSTNode) -> bool:
        """Whether a call in `node` may change something.

        It matters because an assignment evaluates its value before its index, a rebinding after.
        """
        for part in walk(node):
            event = self.frame.recorded.get((ev.Call, id(part)))
            if isinstance(event, ev.Call) and not (event.api or "").startswith(("numpy", "ndarray")):
                callee = event.callee
                if not (isinstance(callee, Symbol) and callee.name in _WITHOUT_EFFECT):
                    return True
            elif isinstance(event, ev.Call) and (event.api or "").startswith("numpy.random"):
                return True
        return False

    def is_perhaps_theirs(self, value: Value, refs: frozenset[str]) -> bool:
        """Whether `value` is a tensor on some ways and on others memory of the host that lies at `refs`."""
        if home_of(value) != EITHER:
            return False
        return any(not is_parameter(ref) or bare(ref) in self.assumed.hosted for ref in outside_of(refs))

    # ---- memory order

    def lie_as_in_numpy(self, refs: frozenset[str]) -> bool:
        """Whether all arrays at `refs` are in C order here and in NumPy, or views of such: it shows or copies alike."""
        return self._are_alike(refs, self.assumed.host_locals)

    def by_their_layout(self, receiver: Value) -> Value:
        """What shows `receiver`, or a copy of it, by the order in which others laid it out."""
        refs = refs_of(receiver)
        return with_refs(receiver, refs | {BY_THEIR_LAYOUT}) if outside_of(refs) else receiver

    def shown_by_layout(self, told: frozenset[str], matched: Mapping[str, ev.Argument]) -> frozenset[str]:
        """The references of what a callee gives back, `told`, if that shows one of its arguments or a copy of it."""
        if BY_THEIR_LAYOUT not in told or self.frame.made == HOST:
            return NO_NAMES
        given = [matched[name] for name in parameters_in(told) & matched.keys()]
        refs = [refs_of(item.value) for item in given if self.lies_otherwise(item.node.value, item.value)]
        return NO_NAMES.union({BY_LAYOUT}, *map(copy_marks, refs)) if refs else NO_NAMES

    def asked_by_layout(self, summary: Summary, matched: Mapping[str, ev.Argument]) -> None:
        """The callee reads the memory order of its argument, or updates a view or a copy by it: it must be NumPy's."""
        for name, argument in matched.items():
            if name not in summary.by_layout:
                continue
            if name not in summary.mutates and self.is_in_order(argument.node.value):
                continue
            self.facts.seen.by_layout.update(parameters_in(refs_of(argument.value)))
            if self.frame.made != HOST and self.lies_otherwise(argument.node.value, argument.value):
                self.record.construct(argument.node, ev.Kind.ASKED_BY_LAYOUT, name)

    def laid_out_here(self, holders: frozenset[str], value: Value) -> None:
        """An array of ours is kept by `holders`: others must not ask in which order it lies."""
        if self.frame.made == HOST or self.module.by_order == NO_NAMES:
            return
        holders = _lasting(holders)
        if not holders or not may_hold_tensor(value):
            return
        if self.module.by_order is None:
            functions = self.module.functions.values()
            asking = (info.node for info in functions if info.uses.by_order or _by_default(info.node))
            self.module.by_order = updated_by_order(asking)
        source = self.frame.statement.value if isinstance(self.frame.statement, (cst.Assign, cst.AnnAssign)) else None
        for holder in holders:
            name = holder.rpartition(":")[2]
            if name in self.module.by_order and (source is None or self.lies_otherwise(source, value)):
                self.record.construct(self.frame.statement or self.facts.node, ev.Kind.KEPT_BY_LAYOUT, name)

    def lies_otherwise(self, node: cst.BaseExpression, value: Value) -> bool:
        """Whether `node` may be an array of ours that is in another memory order than NumPy's."""
        refs = refs_of(value)
        if not may_hold_tensor(value) and not refs & self.assumed.host_locals:
            return False
        if not refs:
            return not is_in_c_order(self.frame.recorded.get((ev.Call, id(node))))
        names, ours = refs | self.assumed.host_locals, refs - self.assumed.host_locals
        return not self._are_alike(refs, names, ours)

    def is_in_order(self, node: cst.BaseExpression) -> bool:
        """Whether `node` is made in C order here, however that lies of which it is made: nobody's order counts then.

        That may be a parameter, too, where the function begins by making it so: ``a = np.ascontiguousarray(a)``.
        """
        if type(node) is cst.Call:
            return self._is_maker(node)
        if type(node) is not cst.Name or any(type(part) in _OUTER for part in walk(self.facts.node)):
            return False
        values = self._bound().get(node.value, [])
        if None in values and self._begins_in_order(node):
            values = list(values)
            values.remove(None)  # the parameter as it is given
        return bool(values) and all(type(value) is cst.Call and self._is_maker(value) for value in values)

    def _begins_in_order(self, node: cst.Name) -> bool:
        """Whether `node` comes after ``name = np.ascontiguousarray(name)``, which mentions the parameter first."""
        region = self.facts.node
        if not isinstance(region, cst.FunctionDef) or node.value not in self.facts.parameters:
            return False
        for line in region.body.body:
            parts = list(walk(line))
            if any(type(part) is cst.Name and part.value == node.value for part in parts):
                first = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
                if not isinstance(first, cst.Assign) or [dotted(it.target) for it in first.targets] != [node.value]:
                    return False
                return all(part is not node for part in parts)
        return False

    def _bound(self) -> dict[str, list[_Value]]:
        known, region = self.module.bound_values, self.facts.node
        if id(region) not in known:
            known[id(region)] = bound_in(region)
        return known[id(region)]

    def _are_alike(self, refs: frozenset[str], names: frozenset[str], tensors: frozenset[str] = NO_NAMES) -> bool:
        bound = self._bound()
        return refs <= bound.keys() and refs <= laid_out_alike(bound, names, self._is_maker, tensors)

    def _is_maker(self, call: cst.Call) -> bool:
        return is_in_c_order(self.frame.recorded.get((ev.Call, id(call))))


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
