"""Writes: which memory an expression shows is changed, and which other names may show it."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, Stale, shown
from np2tnp.analysis.domain.locations import (
    is_attribute,
    is_kept,
    is_outside_location,
    is_parameter,
    is_seen,
    is_state,
    kept_by,
    of_parameter,
)
from np2tnp.analysis.domain.result_aliases import COPIED_OUTSIDE, outside_views, shown_by
from np2tnp.analysis.domain.special_names import asked_by
from np2tnp.analysis.domain.values import (
    BY_LAYOUT,
    BY_THEIR_LAYOUT,
    COPIED,
    FOREIGN,
    HOST,
    NO_NAMES,
    NONE,
    SUBCLASS,
    UNKNOWN,
    UNTENSORED,
    Array,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Unknown,
    Value,
    exact_of,
    has_axes,
    home_of,
    is_lazy,
    may_be_array,
    may_hold_tensor,
    parameters_in,
    reads_later,
    refs_of,
    scalar_type,
)
from np2tnp.analysis.interpreter.calls import Calls
from np2tnp.analysis.interpreter.expressions import METHODS
from np2tnp.analysis.interpreter.state import NESTED
from np2tnp.analysis.interpreter.subscripts import indexes_array, owner_of
from np2tnp.analysis.module.buffer_exchanges import Exchange
from np2tnp.analysis.module.contents import FunctionInfo
from np2tnp.analysis.module.subclasses import holds_subclass
from np2tnp.analysis.syntax.scopes import dotted, parameters_of


def _is_basic(key: Value) -> bool:
    """Whether indexing with `key` surely gives a view."""
    if isinstance(key, Const):
        return key.value is None or key.value is Ellipsis or key.type == "int"
    if isinstance(key, Array):
        return key.rank == 0 and key.dtypes <= frozenset("bhilBHIL")
    return scalar_type(key) in ("int", "slice")


def _holder(target: cst.BaseExpression) -> frozenset[str]:
    """That an object holds what is stored as its item: whatever code runs may change it there."""
    while isinstance(target, cst.Subscript):
        target = target.value
    return frozenset((kept_by(dotted(target) or "an object"),))


def _may_be_an_item(keys: tuple[Value, ...]) -> bool:
    """Whether a list may be indexed like that, for one item."""
    return len(keys) == 1 and scalar_type(keys[0]) in ("int", "number", "object") and not has_axes(keys[0])


def _is_chosen(key: Value) -> bool:
    """Whether it is one place along an axis, and not the same each time."""
    return scalar_type(key) in ("int", "number") and not isinstance(key, Const)


class Writes(Calls):
    """Everything that changes memory in place ends here."""

    def _forget_reads(self, inner: cst.BaseExpression, env: Env) -> None:
        while type(inner) is cst.Subscript or type(inner) is cst.Attribute:
            if type(inner) is cst.Subscript:
                read = self.recorded.get((ev.Read, id(inner)))
                arrays = isinstance(read, ev.Read) and isinstance(read.base, (Array, Unknown))
                of_dict = isinstance(read, ev.Read) and isinstance(read.base, Sequence) and read.base.type == "dict"
                if of_dict:  # its keys are still to be converted
                    pass
                elif not isinstance(read, ev.Read) or not arrays or home_of(read.base) != HOST:
                    self.recorded.pop((ev.Read, id(inner)), None)  # an ndarray's index is still to be converted
                    if isinstance(read, ev.Read) and arrays and not all(_is_basic(key) for key in read.keys):
                        self._stores_through(inner, read)
                root = inner.value
                if type(root) is cst.Name:
                    held = env.values.get(root.value)
                    if isinstance(held, Sequence) and held.type not in ("list", "dict") and may_hold_tensor(held):
                        self.construct(inner, ev.Kind.STORE_INTO_AN_ITEM, held.type)
            elif type(inner) is cst.Attribute and inner.attr.value not in ("flags", "ctypes"):
                self.recorded.pop((ev.AttributeRead, id(inner)), None)
            inner = inner.value

    def _stores_through(self, inner: cst.BaseExpression, read: ev.Read) -> None:
        """``inner[j] = v``, where `inner` is a view of a tensor or a copy: NumPy tells, so that stays an ndarray."""
        self.construct(inner, ev.Kind.STORE_THROUGH_AN_INDEX)
        root = self._root(inner)
        seen = self.facts.seen.stored_through
        seen.update(refs_of(read.base), (root,) if root else ())

    def write(
        self,
        node: cst.CSTNode,
        target: cst.BaseExpression,
        base: Value,
        value: Value,
        env: Env,
        op: str = "",
        keys: tuple[Value, ...] | None = None,
    ) -> None:
        """The memory of `base` is written through the expression `target`; `op` says how."""
        place, root = self.place(node), self._root(target)
        if self.met_subclass and may_hold_tensor(base):
            self.meet_subclass(node, value, *(keys or ()))
        if self.met_subclass and holds_subclass(value) and SUBCLASS not in refs_of(base):
            self.construct(node, ev.Kind.SUBCLASS_OPERAND)
        if keys is None and type(node) is not cst.AugAssign:
            self.reforming.add(id(node))
        if type(node) is cst.Call:
            self._forget_reads(target, env)
        if self._stores_in_no_array(node, target, base, value, env, op, keys):
            return
        self._learn_of_store(target, base, op, keys)
        given = parameters_in(refs_of(base))
        of_dict = bool(isinstance(base, Unknown) and keys and scalar_type(keys[0]) == "str" and not op)
        self._note_written(node, target, base, env, op, of_dict=of_dict)
        conflicts = self._conflicts(node, target, base, value, env, op, keys, of_dict=of_dict)
        joins = op in ("add", "or_") and keys is None and isinstance(base, Unknown) and isinstance(value, Sequence)
        if joins and may_hold_tensor(value):  # if it is a list, it is the caller's, and holds the arrays themselves
            self.keep(refs_of(base) - frozenset((root or "",)) | _holder(target), value, env)
            self.facts.host_parameters |= given
        holders = refs_of(base) - frozenset((root or "", UNTENSORED)) | _holder(target)
        root = root if root in self.locals or root in env.values else None
        conflicts -= self._updates_name(root, base, env, of_dict=of_dict)
        if self.depth and (seen := (refs_of(base) | {root or ""}) & self.captured(env)):  # by whatever name here
            self._updates_captured(node, root if root in seen else min(seen), refs_of(base), env)
        if home_of(base) == HOST and not isinstance(base, Array):  # arrays copy what is stored into them
            self.keep(holders, value, env)
            if root and UNTENSORED in refs_of(base):  # but arrays of objects hold it
                env.link(root, refs_of(value) - {root})
        held = env.values.get(root or "")
        self.emit(ev.Store(node, target, place, base, value, op, keys, root, frozenset(conflicts), held))
        if keys and self.loops and all(_is_chosen(key) for key in keys):
            rank = base.rank if isinstance(base, Array) else None
            if rank in (None, len(keys)) and home_of(base) != HOST:
                self.emit(ev.ElementLoop(node, place, root or "an array"))

    def _stores_in_no_array(
        self,
        node: cst.CSTNode,
        target: cst.BaseExpression,
        base: Value,
        value: Value,
        env: Env,
        op: str,
        keys: tuple[Value, ...] | None,
    ) -> bool:
        """Whether `base` is a container, a number or an object: then what the store does is seen to here."""
        place, root = self.place(node), self._root(target)
        if isinstance(base, (Sequence, Const, Scalar)) and not (op and keys is None):
            if isinstance(base, Sequence):
                if isinstance(node, (cst.Assign, cst.AnnAssign)) and node.value is not None:
                    value = self.as_item(base, node.value, value)
                self._write_container(target, base, value, env, root)
                self.emit(ev.Store(node, target, place, base, value, op, keys, root))
            return True
        if isinstance(base, Sequence) and may_hold_tensor(base):
            # a callee changes a container made here, or the arrays in it
            shared = self._mark_shared(refs_of(base), dotted(target) or "its items", node, env, skip=root)
            self.emit(ev.Store(node, target, place, base, value, op, keys, root, frozenset(shared)))
            return True
        if not may_be_array(base):
            self.escape_value(target, value, node)
            self.keep(frozenset((kept_by(dotted(target) or "an object"),)), value, env)
            self.ask(node, env, [base], asked_by(target), deep=False)
            if isinstance(base, Instance) and may_hold_tensor(value):
                self.object_method(node, base, "__setitem__", keeps=True)
            return True
        return False

    def _learn_of_store(self, target: cst.BaseExpression, base: Value, op: str, keys: tuple[Value, ...] | None) -> None:
        """What the store shows of a `base` of which nothing is known."""
        if not isinstance(base, Unknown):
            return
        copies = isinstance(target, cst.Subscript) and indexes_array(target)
        if base.deps and keys and (len(keys) > 1 or scalar_type(keys[0]) == "slice" or copies):
            self.facts.assumed_arrays |= base.deps if exact_of(base) is None else frozenset((exact_of(base) or "",))
        if exact_of(base) is None and not base.view and op and keys is not None:
            # items of a list's copy that are updated in place are the caller's own: nobody copies a list for that
            self.facts.assumed_arrays |= frozenset(name for name in base.deps if of_parameter(name) in base.refs)

    def _note_written(
        self, node: cst.CSTNode, target: cst.BaseExpression, base: Value, env: Env, op: str, *, of_dict: bool
    ) -> None:
        """Whose memory is written: parameters, what a callee gave back, what nested functions get, state."""
        written, given = self.facts.seen.writes, parameters_in(refs_of(base))
        written |= given
        if BY_THEIR_LAYOUT in refs_of(base) or op == "ndarray.resize":  # that of what is no single segment raises
            self.facts.seen.by_layout.update(given)
        if COPIED in refs_of(base) and given and not of_dict:  # what a callee gave back must be the caller's own array
            self.facts.host_parameters |= given
            stale = Stale("a callee", id(node), "call on a view")
            self.emit(ev.StaleRead(target, self.place(node), of_parameter(shown(given)), stale))
        if refs_of(base) & NESTED:  # whatever the nested function is called with
            written.update(self.facts.parameters)
            self.nested_keeps |= COPIED in refs_of(base)  # its argument itself must be what is written
        self.updates_state(base)
        if home_of(base) != HOST:
            self.updated.append(refs_of(base))
        if op == "ndarray.resize" and self._root(target) in self.host_locals:
            self.construct(node, ev.Kind.UNKNOWN_IN_PLACE_METHOD, "resize")  # our ndarrays do not own their memory

    def _conflicts(
        self,
        node: cst.CSTNode,
        target: cst.BaseExpression,
        base: Value,
        value: Value,
        env: Env,
        op: str,
        keys: tuple[Value, ...] | None,
        *,
        of_dict: bool,
    ) -> set[str]:
        """Who else shows the memory that is written; what may hold `value` from now on does."""
        of_unknown = isinstance(base, Unknown) and bool(keys)
        if of_unknown:
            self.puts(base, [value])
        if of_unknown and keys and scalar_type(keys[0]) == "str":
            self.keep(refs_of(base) - {UNTENSORED} | _holder(target), value, env)
        if of_dict:
            return set()
        whole = target
        while type(whole) is cst.Subscript:
            whole = whole.value
        via, skip = dotted(whole) or "an element", self._root(target) or owner_of(target)
        conflicts = self._mark_shared(refs_of(base), via, node, env, skip=skip, base=base)
        ours = may_hold_tensor(value) or COPIED in refs_of(value)
        if isinstance(base, Unknown) and not op and keys and _may_be_an_item(keys) and ours:
            if base.deps:  # an array copies what is stored into it, once it is known to be one
                self.facts.seen.indexed |= base.deps | parameters_in(refs_of(value))
            self.keep(refs_of(base) | _holder(target), value, env)  # if it is a list, that holds the array itself
        return conflicts

    def _updates_name(self, root: str | None, base: Value, env: Env, *, of_dict: bool) -> set[str]:
        """The array of the name `root` is updated: the locations that are the caller's and get it in the end."""
        settled: set[str] = set()
        exact = exact_of(env.values[root]) if root is not None and root in env.values else None
        if exact is not None:
            settled.add(of_parameter(exact))
        if exact is not None and exact not in self.absent:
            if not of_dict:  # what takes a text for an index is no tensor: the caller sees the store at once
                env.values[f"!{exact}"] = Const.of(True)
            self.facts.mutated.setdefault(exact, True)
        if (exchange := self.exchanges.of(root)) is not None:
            settled |= {of_parameter(name) for name in exchange.given}  # the caller gets what is held in the end
            self._updates_given(exchange, base, env)
            if of_dict:
                self.exchanges.spoil(exchange)
        return settled

    def _updates_given(self, exchange: Exchange, base: Value, env: Env) -> None:
        """One of the callers' arrays that change places is updated, whichever: arrays they are."""
        for name in exchange.names[: len(exchange.given)]:
            env.values[f"!{name}"] = Const.of(True)
            self.facts.mutated.setdefault(name, True)
        if isinstance(base, Unknown):
            self.facts.assumed_arrays |= exchange.given

    def escape_value(self, target: cst.BaseExpression, value: Value, node: cst.CSTNode) -> None:
        source = node.value if isinstance(node, (cst.Assign, cst.AugAssign, cst.AnnAssign)) else None
        if source is not None:
            self.escape(source, value, "is stored in a Python object")

    def kept_through_view(self, node: cst.CSTNode, where: str, value: Value) -> None:
        """`where` would hold a copy of memory that others show: NumPy must make what is kept.

        That is the caller's array, and what an object or a global holds, the old value of `where` itself included:
        ``self.x = np.asarray(self.x)`` is no change, and somebody may hold that array, too.
        """
        if not may_hold_tensor(value):
            self.keeps_copies((where,), value)
            return
        displayed = isinstance(node, cst.Assign) and type(node.value) is cst.Tuple
        if displayed and isinstance(value, Sequence) and value.items:
            for item in value.items:
                self.kept_through_view(node, where, item)
            return
        refs = refs_of(value)
        given = {ref for ref in refs if is_parameter(ref)}
        if given and exact_of(value) is None:
            is_array = isinstance(value, Array) and value.rank != 0 and not value.weak
            kind = ev.Kind.ARGUMENT_KEPT_THROUGH_A_VIEW if is_array else ev.Kind.ARGUMENT_PERHAPS_KEPT
            self.construct(node, kind, where.rpartition(":")[2])
            self.facts.viewed |= given
        self.keeps_copies((where,), value)
        outside = {ref for ref in refs if is_state(ref) or is_kept(ref)}
        if outside - {where}:
            self.construct(
                node, ev.Kind.KEPT_TWICE if type(value) is Array else ev.Kind.HELD_TWICE, where.rpartition(":")[2]
            )
            self.facts.seen.kept_twice.update(ref for ref in refs if ref.isidentifier())
        self.facts.viewed |= {ref for ref in refs if ref in outside or ref == FOREIGN}

    def captured(self, env: Env) -> frozenset[str]:
        """Names of the region that the nested function being interpreted does not bind itself."""
        return self.capturable[-1] if self.capturable else NO_NAMES

    def _updates_captured(self, node: cst.CSTNode, root: str, refs: frozenset[str], env: Env) -> None:
        """A nested function updates an array of the function around it: all names that show it must be ndarrays."""
        names = {root, *(ref for ref in refs if ref in env.values)}
        tensors = {name for name in names if name not in env.values or may_hold_tensor(env.values[name])}
        self.facts.seen.captured.update(names)
        if tensors:
            self.construct(node, ev.Kind.CLOSURE_STORE, root)
            self.facts.seen.lent.update(tensors & self.locals)
            given = (exact_of(env.values[name]) for name in tensors & env.values.keys())
            self.facts.mutated.update((name, False) for name in given if name is not None)

    def _root(self, target: cst.BaseExpression) -> str | None:
        """The name whose rebinding makes a store through `target` seen."""
        while type(target) is cst.Subscript or type(target) is cst.Attribute:
            if type(target) is cst.Attribute and target.attr.value not in ("T", "flat", "real", "imag"):
                return None
            target = target.value
        return target.value if type(target) is cst.Name else None

    def _mark_shared(
        self, refs: frozenset[str], via: str, node: cst.CSTNode, env: Env, skip: str | None, base: Value = UNKNOWN
    ) -> set[str]:
        """Every other name that may show the written memory is stale from here.

        Gives the outside locations among them.
        """
        conflicts: set[str] = set()
        host = home_of(base) == HOST
        for ref in refs:
            if ref == skip:
                continue
            if not ref.isidentifier():
                if ref not in (COPIED, COPIED_OUTSIDE, BY_LAYOUT, BY_THEIR_LAYOUT):
                    conflicts.add(ref)
                continue
            held = env.values.get(ref)
            if held is not None and (
                may_hold_tensor(held)
                or (not host and (isinstance(held, Function) or reads_later(held)))  # what it goes on reading is old
                or COPIED in refs
                or env.shares(ref, COPIED)
            ):
                env.stale[ref] = Stale(via, id(node))
        if host and any(map(is_attribute, refs)):
            # an object that got one of our arrays may be what is written here
            for name, held in env.values.items():
                if may_hold_tensor(held) and any(is_kept(ref) for ref in env.aliases(name)):
                    stale = Stale(via, id(node))
                    env.stale[name] = env.stale[name].join(stale) if name in env.stale else stale
        if FOREIGN in conflicts and not host:
            self.facts.viewed |= {FOREIGN}  # NumPy must make that array, so that the store is seen in the object
        return set() if host else conflicts

    def _write_container(
        self, target: cst.BaseExpression, base: Sequence, value: Value, env: Env, root: str | None
    ) -> None:
        self.put(target.value if type(target) is cst.Subscript else target, base, value, env)
        self.keep(base.refs | ({root} if root else NO_NAMES), value, env)


# --- What generators hand out: their callers may keep and change it, and whatever they passed, until they ask again

#: Who holds the arguments of a generator, and what it hands out.
CALLER = frozenset((kept_by("the caller"),))


def arguments_of(function: FunctionInfo) -> frozenset[str]:
    """Parameters of a generator that its caller may change at any time."""
    names = [parameter.name.value for parameter in parameters_of(function.node.params)]
    return frozenset(names[1:] if function.is_method else names)


class Yields(Writes):
    """Evaluates ``yield``."""

    own_returns = True  #: not inside of a nested function
    nested_yields: list[Value]  #: of the nested function that is being interpreted

    def keep_arguments(self, names: frozenset[str], env: Env) -> None:
        """Callers of a generator have its arguments while it waits."""
        for name in names:
            env.link(min(CALLER), frozenset((name, of_parameter(name))))

    def _yield(self, node: cst.Yield, env: Env) -> Value:
        delegates = isinstance(node.value, cst.From)
        shown = node.value.item if isinstance(node.value, cst.From) else node.value
        value = self.evaluate(shown, env) if shown is not None else None
        if value is not None:
            outside = (ref for ref in refs_of(value) if is_outside_location(ref))
            self.facts.seen.yielded.update(outside)
            if SUBCLASS in refs_of(value):
                self.construct(shown or node, ev.Kind.SUBCLASS_OPERAND)
        if self.depth:
            self.nested_yields.append(NONE if value is None else value)
        alone = node is self.root and isinstance(self.statement, cst.Expr)
        if not alone:
            self.facts.seen.receives = True  # what its caller sends in
        own = self.facts.generator and self.own_returns and not self.depth and alone
        self.construct(node, ev.Kind.YIELD, "" if own else "elsewhere")
        if own:
            if shown is not None and value is not None:
                if delegates and is_lazy(value):
                    self.construct(node, ev.Kind.ITERATOR_HANDED_OUT)
                self._hand_out(shown, value, env)
            self._kept_may_change(node, "the caller", env)
        return UNKNOWN

    def _hand_out(self, shown: cst.BaseExpression, value: Value, env: Env) -> None:
        items = value.items if isinstance(value, Sequence) and isinstance(shown, cst.Tuple) else None
        if items is not None and isinstance(shown, cst.Tuple) and len(items) == len(shown.elements):
            for element, item in zip(shown.elements, items, strict=True):
                self._hand_out(element.value, item, env)
            self.keep(CALLER, value, env)
            return
        if is_lazy(value):
            self.construct(shown, ev.Kind.ITERATOR_HANDED_OUT)
        shows = outside_views(shown_by(value, env), self.hosted)
        others = frozenset(location for location in shows if is_seen(location))
        if others:  # callees may change it, and the caller what they hold: NumPy must make it
            self.facts.viewed |= others
            self.construct(shown, ev.Kind.RETURNED_VIEW, min(others))
        self.escape(shown, value, "is yielded")
        self._copy_may_change(shown, "the caller", ev.Argument(cst.Arg(shown), value))
        self.keep(CALLER, value, env)


METHODS[cst.Yield] = Yields._yield
