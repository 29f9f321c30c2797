"""Binds names, and stores into arrays, objects and containers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Items

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.containers import element_of
from np2tnp.analysis.domain.env import NO_SOURCES, Env
from np2tnp.analysis.domain.locations import kept_by, of_attribute
from np2tnp.analysis.domain.result_aliases import shown_by
from np2tnp.analysis.domain.special_names import STORING, asked_by
from np2tnp.analysis.domain.values import (
    COPIED,
    HOST,
    INTEGERS,
    NO_NAMES,
    SHARED,
    SUBCLASS,
    Array,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Unknown,
    Value,
    held,
    home_of,
    is_number,
    is_python_number,
    may_be_array,
    may_hold_tensor,
    parameters_in,
    refs_of,
    replace,
    scalar_type,
    view_of,
)
from np2tnp.analysis.interpreter.access import Access
from np2tnp.analysis.interpreter.frame import Frame, Names, Record, Visitor
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.interpreter.writes import Keeping, Writes
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk

#: What the key of an item may be made of that is evaluated again: numbers, names and slices.
_OF_KEYS = (
    cst.SubscriptElement, cst.Index, cst.Slice, cst.Name, cst.BaseNumber, cst.UnaryOperation, cst.BinaryOperation,
    cst.BaseUnaryOp, cst.BaseBinaryOp,
)  # fmt: skip


def _of_flat(target: cst.Subscript, keys: Items[Value]) -> str:
    """What is surely stored into by ``x.flat[...] = v``: "all", or what "integers" say; else ""."""
    part = target.slice[0].slice
    if len(keys) != 1:
        return ""
    if type(part) is cst.Slice:
        return "" if part.lower or part.upper or part.step else "all"
    key = element_of(keys[0]) if isinstance(keys[0], Sequence) else keys[0]
    if isinstance(key, Array):
        return "integers" if key.dtypes <= INTEGERS else ""
    return "all" if key == Const.of(...) else "integers" if scalar_type(key) == "int" else ""


def how_to_split(
    node: cst.CSTNode,
    target: cst.Tuple | cst.List,
    items: Items[Value],
    stores: Items[ev.Store],
    sources: Items[cst.BaseExpression | None],
    before: Mapping[str, frozenset[str]],
) -> tuple[ev.Kind | None, str]:
    """What to report of an unpacking with the given stores: kind and detail of a construct, or None and no text.

    `before`: of names that items are stored into, what shared memory with them before: a dict or a list that got the
    value for one target shares memory with it afterwards, but the next store does not change it.

    ``SPLIT_STORES`` may become one assignment a target; the detail says how values are kept meanwhile: "as they are",
    in "names", in names of which those with the numbers after "views" are read again once their target's turn comes,
    because they may be views of what is stored into, or in names after a look that they are "numbers", where that
    cannot be done.
    ``STORE_IN_TUPLE`` cannot be split; where some of the arrays are ndarrays, it could if the others were, too.
    """
    tensors = [store for store in stores if may_be_array(store.base) and home_of(store.base) != HOST]
    hosts = [store for store in stores if may_be_array(store.base) and home_of(store.base) == HOST]
    targets = [element.value for element in target.elements]
    kept = any(isinstance(item, cst.Attribute) for item in targets) and any(map(may_hold_tensor, items))
    kept = kept and None in sources
    plain = isinstance(node, cst.Assign) and len(node.targets) == 1 and node.targets[0].target is target
    if not tensors and not kept:
        apart = plain and None not in sources  # each ndarray gets its own value of the display
        mixed = any(map(may_hold_tensor, items)) and len(hosts) < len(targets)
        return (ev.Kind.STORE_IN_TUPLE, "") if hosts and mixed and not apart else (None, "")
    if not plain or hosts or not all(isinstance(item, (cst.Name, cst.Subscript, cst.Attribute)) for item in targets):
        return ev.Kind.STORE_IN_TUPLE, ""
    starred = any(isinstance(element, cst.StarredElement) for element in target.elements)
    if starred and sources != [None] * len(targets):
        return ev.Kind.STORE_IN_TUPLE, ""  # which value of a display goes where is not told
    written = NO_NAMES.union(*(_refs_before(store, before) for store in tensors))
    shown = [(source, item) for source, item in zip(sources, items, strict=True) if refs_of(item) & written]
    if len(tensors) == 1 and all(
        item is value for _, item in shown for value in _values_for(tensors[0], targets, items)
    ):
        return ev.Kind.SPLIT_STORES, "names"  # nothing but what is stored may be a view: NumPy stores what it was
    if not all(is_number(item) for _, item in shown):
        rebound = {part.value for item in targets for part in _bound_in(item)}
        if all(_can_be_read_again(source, item, tensors, rebound) for source, item in shown):
            later = (str(number) for number, item in enumerate(items) if number and refs_of(item) & written)
            return ev.Kind.SPLIT_STORES, " ".join(("views", *later))
        return (
            (ev.Kind.STORE_IN_TUPLE, "")
            if any(_has_axes(*each) for each in shown)
            else (ev.Kind.SPLIT_STORES, "numbers")
        )
    bound = {part.value for item in targets for part in walk(item) if isinstance(part, cst.Name)}
    return ev.Kind.SPLIT_STORES, "as they are" if all(_is_untouched(source, bound) for source in sources) else "names"


def _values_for(store: ev.Store, targets: list[cst.BaseExpression], items: Items[Value]) -> list[Value]:
    """The value that the target of `store` gets, where every other target is a name."""
    others = [target for target in targets if target is not store.target]
    own = [item for target, item in zip(targets, items, strict=True) if target is store.target]
    return own if all(isinstance(target, cst.Name) for target in others) else []


def stored_into(target: cst.CSTNode) -> str:
    """``name`` of a target ``name[key]``; empty for others."""
    return target.value.value if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name) else ""


def _refs_before(store: ev.Store, before: Mapping[str, frozenset[str]]) -> frozenset[str]:
    known = before.get(stored_into(store.target))
    return refs_of(store.base) if known is None else known


def _bound_in(target: cst.CSTNode) -> Iterator[cst.Name]:
    """The name that an assignment to `target` binds: itself, or that of the array into which it stores."""
    while isinstance(target, (cst.Subscript, cst.Attribute)):
        target = target.value
    if isinstance(target, cst.Name):
        yield target


def _has_axes(source: cst.BaseExpression | None, value: Value) -> bool:
    """Whether `value` surely is an array with axes, such as a slice."""
    sliced = isinstance(source, cst.Subscript) and any(isinstance(item.slice, cst.Slice) for item in source.slice)
    return sliced or (isinstance(value, Array) and bool(value.rank))


def _can_be_read_again(
    source: cst.BaseExpression | None, value: Value, stores: Items[ev.Store], bound: set[str]
) -> bool:
    """Whether `source` is ``name[key]`` that gives what NumPy's view shows, however much the stores did by then.

    They must go through that very name, and bind no name of the key, in which nothing is called.
    """
    if not (isinstance(source, cst.Subscript) and isinstance(source.value, cst.Name)):
        return False
    base = source.value.value
    through = [
        store.target.value
        for store in stores
        if refs_of(store.base) & refs_of(value) and isinstance(store.target, cst.Subscript)
    ]
    names = {part.value for item in source.slice for part in walk(item) if isinstance(part, cst.Name)}
    return (
        all(isinstance(item, cst.Name) and item.value == base for item in through)
        and not names & bound
        and all(isinstance(part, _OF_KEYS) for item in source.slice for part in walk(item))
    )


def _is_untouched(source: cst.BaseExpression | None, bound: set[str]) -> bool:
    """Whether evaluating `source` after some of the stores gives what it gave before."""
    if source is None:
        return False
    return isinstance(source, cst.BaseNumber) or (bool(dotted(source)) and dotted(source).split(".")[0] not in bound)


def _learn_rank(source: cst.BaseExpression | None, rank: int, env: Env) -> None:
    """After ``n, m = x.shape`` x has two axes: with any other number of them that raises."""
    if type(source) is cst.Attribute and source.attr.value == "shape" and type(source.value) is cst.Name:
        name = source.value.value
        array = env.values.get(name)
        if isinstance(array, Array) and array.rank is None:
            env.values[name] = replace(array, rank=rank, weak=False, zero_d="never")


def _named_sources(names: list[str], source: cst.BaseExpression | None, env: Env) -> Mapping[str, str]:
    """``a, b, i = b, a, i + 1``: the names that get the value of a name, and which."""
    if type(source) is not cst.Tuple or any(type(part) is cst.NamedExpr for part in walk(source)):
        return NO_SOURCES
    pairs = zip(names, source.elements, strict=False)
    named = [(name, element.value.value) for name, element in pairs if type(element.value) is cst.Name]
    return {name: given for name, given in named if given in env.values}


class Learner:
    """Hears what is bound and stored: of use to walks that only learn what names and attributes hold."""

    def assigned(self, target: cst.BaseExpression, env: Env, in_class: int) -> None:
        """`target` was assigned to, inside of so many class bodies; `env` has what it holds."""

    def attribute_stored(self, base: Value, name: str, value: Value) -> None:
        """``base.name`` was assigned to."""


class Stores:
    """Binds names and stores into arrays, objects and containers."""

    def __init__(
        self,
        frame: Frame,
        visitor: Visitor,
        record: Record,
        names: Names,
        unseen: UnseenCode,
        placement: Placement,
        keeping: Keeping,
        writes: Writes,
        access: Access,
        learner: Learner,
    ) -> None:
        self.frame = frame
        self.facts = frame.facts
        self.module = frame.module
        self.services = frame.services
        self.visitor = visitor
        self.record = record
        self.names = names
        self.unseen = unseen
        self.placement = placement
        self.keeping = keeping
        self.writes = writes
        self.access = access
        self.learner = learner

    def assign(
        self, node: cst.CSTNode, target: cst.BaseExpression, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        """``target = value``."""
        if type(target) is cst.Name:
            if target.value in self.frame.scope.global_names:
                self.store_global(target, value, env, source)
            else:
                if f"?{target.value}" in env.values and isinstance(value, (Array, Unknown)) and not refs_of(value):
                    value = replace(value, exact=target.value)
                    env.values.pop(f"?{target.value}")
                env.bind(target.value, value)
                self.keeping.hold(target.value, env)
        elif type(target) is cst.Tuple or type(target) is cst.List:
            self._unpack(node, target, value, env, source)
        elif type(target) is cst.Attribute:
            self._store_attribute(node, target, value, env, source)
        elif type(target) is cst.Subscript:
            base = self.store_base(target, env)
            keys = self.access.keys(target, env, base)
            if may_be_array(base):
                self.unseen.ask_parts(target, env, value)
                self.unseen.operand_given(target, base, (value, *keys), asked_by(target))
            flat = type(target.value) is cst.Attribute and target.value.attr.value == "flat"
            if flat and may_hold_tensor(base) and not is_number(value):
                self.record.construct(node, ev.Kind.FLAT_STORE, _of_flat(target, keys))
            self.writes.write(node, target, base, value, env, keys=keys)
            if (
                isinstance(node, (cst.Assign, cst.AnnAssign))
                and source is not None
                and may_hold_tensor(base)
                and not isinstance(base, Sequence)  # Python goes on storing there
                and self.placement.has_effect(target)
                and self.placement.has_effect(source)
            ):
                self.record.construct(node, ev.Kind.EVALUATION_ORDER)
        elif type(target) is cst.StarredElement:
            self.assign(node, target.value, Sequence("list", element_of(value), None, refs_of(value)), env, None)
        self.learner.assigned(target, env, self.frame.in_class)

    def _unpack(
        self, node: cst.CSTNode, target: cst.Tuple | cst.List, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        value = self.unseen.object_iterated(node, value, env)
        elements = target.elements
        starred = any(type(element) is cst.StarredElement for element in elements)
        items: list[Value]
        if (
            isinstance(value, Sequence)
            and value.items is not None
            and len(value.items) == len(elements)
            and not starred
        ):
            own = value.refs.difference(*map(refs_of, value.items))  # what a name for it adds
            call = self.frame.recorded.get((ev.Call, id(source)))
            ours = isinstance(call, ev.Call) and (
                isinstance(call.callee, Function) or isinstance(call.receiver, Instance)
            )
            displayed = isinstance(source, (cst.Tuple, cst.List))
            if displayed or (ours and value.type == "tuple"):
                own -= {SHARED}  # no name has held this tuple: its items say themselves what they share
            items = [held(item, replace(value, refs=own)) for item in value.items]
        else:
            each = element_of(value)
            rest = Sequence("list", each, None, refs_of(value))
            items = [rest if type(element) is cst.StarredElement else each for element in elements]
        if not starred:
            _learn_rank(source, len(elements), env)
        targets = [element.value for element in elements]
        names = [target.value for target in targets if type(target) is cst.Name]
        if len(names) == len(targets) and self.frame.scope.global_names.isdisjoint(names):
            env.bind_all(zip(names, items, strict=True), _named_sources(names, source, env))
            return
        sources: list[cst.BaseExpression | None] = [None] * len(elements)
        if isinstance(source, (cst.Tuple, cst.List)) and len(source.elements) == len(elements):
            sources = [element.value for element in source.elements]
        before = {name: refs_of(known) for name in map(stored_into, targets) if (known := env.load(name)) is not None}
        for element, item, part in zip(elements, items, sources, strict=True):
            self.assign(node, element.value, item, env, part)
        stores = [
            self.frame.recorded.get((ev.Store, id(target))) for target in targets if type(target) is cst.Subscript
        ]
        found = [store for store in stores if isinstance(store, ev.Store)]
        kind, detail = how_to_split(node, target, items, found, sources, before)
        if kind is not None:
            self.record.construct(node, kind, detail)
        if kind == ev.Kind.STORE_IN_TUPLE and any(home_of(store.base) == HOST for store in found):
            roots = {store.root for store in found if store.root is not None and home_of(store.base) != HOST}
            self.facts.seen.lent.update(roots)

    def store_global(self, target: cst.Name, value: Value, env: Env, source: cst.BaseExpression | None) -> None:
        if source is not None:
            self.record.escape(source, value, f"is assigned to the global {target.value}")
        else:
            self.record.construct(target, ev.Kind.GLOBAL_FROM_UNPACKING)
        location = self.names.location(target.value)
        if SUBCLASS in refs_of(value):
            self.record.construct(target, ev.Kind.SUBCLASS_OPERAND)
        env.forget(location)
        value = shown_by(value, env)
        env.bind(location, Unknown(HOST, refs_of(value)))
        self.keeping.kept_through_view(target, location, value)
        self.keeping.keep(frozenset((location,)), value, env)
        if target.value not in self.module.rebound:
            self.record.construct(target, ev.Kind.NONLOCAL, target.value)

    def _store_attribute(
        self, node: cst.CSTNode, target: cst.Attribute, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        base = self.visitor.evaluate(target.value, env)
        self.unseen.attribute_stored_by(target, base, env)
        value = shown_by(value, env)  # another target of the same assignment may keep it by now
        name = target.attr.value
        local = isinstance(base, Array) and home_of(base) != HOST  # x.shape = s keeps nothing
        keeps = may_hold_tensor(value) and not local
        if keeps:
            self.facts.seen.copied_into.add(of_attribute(name))
        if keeps and type(source) is cst.IfExp:  # one side may show what others hold, where the other is new
            for side in self.facts.displays[id(source)]:
                self.keeping.kept_through_view(node, of_attribute(name), shown_by(side, env))
        elif keeps:
            self.keeping.kept_through_view(node, of_attribute(name), value)
        if keeps and of_attribute(name) in refs_of(value) and dotted(target.value) != "self":
            self._kept_by_another(node, target, value)
        of_array = name in ("flat", "real", "imag", "shape", "dtype", "strides", "data")
        if not local and not (of_array and may_hold_tensor(base)):
            holders = {of_attribute(name)}
            if not isinstance(base, Instance):  # it goes on holding that when another object's is assigned to
                holders.add(kept_by(dotted(target.value) or "an object"))
            self.keeping.keep(frozenset(holders), value, env)
        if of_array and (COPIED in refs_of(base) or (isinstance(base, Unknown) and may_hold_tensor(base))):
            self.record.construct(node, ev.Kind.ATTRIBUTE_OF_AN_UNKNOWN, name)
        if isinstance(base, Unknown) or (of_array and isinstance(base, Array)):  # callers hear of it
            given = parameters_in(refs_of(base))
            self.facts.seen.writes.update(given)
            if isinstance(base, Array) and local and view_of(base) == "":  # the boundary could not give it that form
                self.facts.host_parameters |= given
        if of_array and may_hold_tensor(base) and view_of(base) == "":  # under other names, it is the same object
            self.frame.reforming.add(id(node))
            self.writes.mark_shared(refs_of(base), dotted(target), node, env, skip=dotted(target.value), base=base)
        self.frame.assigned.add(name)
        self.record.emit(ev.AttributeStore(node, target, self.record.place(target), base, name, value, source))
        if isinstance(base, Instance):
            env.bind(of_attribute(name), Unknown(HOST, refs_of(value)))
        if (
            isinstance(base, Instance) and self.names.method_of(base, name) is not None
        ):  # a property that is stored into
            env.forget_attributes()
        env.note_attribute(name, self.as_attribute(target, base, value))
        self.learner.attribute_stored(base, name, value)

    def as_attribute(self, target: cst.Attribute, base: Value, value: Value) -> Array | Scalar | None:
        """What ``self.name`` gives after `value` was assigned to it: an ndarray, a number, or None."""
        if not isinstance(base, Instance) or not self.access.is_own_object(target.value):
            return None
        name, known = target.attr.value, self.services.class_of(base)
        if known is None or known.is_open or not STORING.isdisjoint(known.methods) or self.unseen.gives_any(base):
            return None
        if name in known.methods or name in self.unseen.changers().shown:  # a property, or a descriptor
            return None
        if is_python_number(value):
            return Scalar(scalar_type(value))
        if not isinstance(value, Array):
            return None
        return Array(HOST, value.dtypes, weak=value.weak, zero_d=value.zero_d, nonempty=value.nonempty)

    def _kept_by_another(self, node: cst.CSTNode, target: cst.Attribute, value: Value) -> None:
        """``self.w = y``, and then ``other.w = y``: two objects would hold two copies."""
        names = frozenset(filter(str.isidentifier, refs_of(value)))
        if names:
            self.record.construct(node, ev.Kind.KEPT_TWICE, dotted(target.value) or "another object")
            self.facts.seen.kept_twice.update(names)

    def store_base(self, target: cst.Subscript, env: Env) -> Value:
        """What is stored into. The reads on the way there are part of the store: no rule may replace them."""
        self.frame.storing = True
        base = self.visitor.evaluate(target.value, env)
        self.frame.storing = False
        self.writes.forget_reads(target.value, env)
        return base

    def bind_target(self, target: cst.BaseExpression, value: Value, env: Env) -> None:
        """``for target in ...``."""
        self.assign(target, target, value, env, None)
