"""Bindings and stores: which memory a statement writes, and who else may see it."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.calls import Calls
from np2tnp.analysis.containers import put_into, share_items
from np2tnp.analysis.env import Env, Stale
from np2tnp.analysis.module import dotted
from np2tnp.analysis.state import NESTED
from np2tnp.analysis.tables import AUGMENTED
from np2tnp.analysis.unpacking import how_to_split
from np2tnp.analysis.values import (
    BY_LAYOUT,
    COPIED,
    FOREIGN,
    HOST,
    NO_NAMES,
    UNKNOWN,
    Array,
    Const,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    exact_of,
    held,
    home_of,
    is_python_number,
    join,
    may_be_array,
    may_hold_tensor,
    refs_of,
    scalar_type,
)
from np2tnp.analysis.walk import walk


def _is_number(value: Value) -> bool:
    """Whether `value` is a NumPy scalar rather than an array: immutable."""
    return isinstance(value, Array) and value.rank == 0 and value.zero_d == "scalar" and exact_of(value) is None


def _is_basic(key: Value) -> bool:
    """Whether indexing with `key` surely gives a view."""
    if isinstance(key, Const):
        return key.value is None or key.value is Ellipsis or key.type == "int"
    if isinstance(key, Array):
        return key.rank == 0 and key.dtypes <= frozenset("bhilBHIL")
    return scalar_type(key) in ("int", "slice")


#: Builtins that change nothing, whatever number, text or array they get.
_WITHOUT_EFFECT = frozenset(f"builtins.{name}" for name in "len int float str range slice abs min max round".split())


class Stores(Calls):
    """Binds names and stores into arrays, objects and containers."""

    def assign(
        self, node: cst.CSTNode, target: cst.BaseExpression, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        """``target = value``."""
        if isinstance(target, cst.Name):
            if target.value in self.global_names:
                self.store_global(target, value, env, source)
            else:
                if f"?{target.value}" in env.values and isinstance(value, (Array, Unknown)) and not refs_of(value):
                    value = replace(value, exact=target.value)
                    env.values.pop(f"?{target.value}")
                env.bind(target.value, value)
        elif isinstance(target, (cst.Tuple, cst.List)):
            self._unpack(node, target, value, env, source)
        elif isinstance(target, cst.Attribute):
            self._store_attribute(node, target, value, env, source)
        elif isinstance(target, cst.Subscript):
            base = self._store_base(target, env)
            keys = self.keys(target, env)
            flat = isinstance(target.value, cst.Attribute) and target.value.attr.value == "flat"
            if flat and may_hold_tensor(base) and not (is_python_number(value) or _is_number(value)):
                self.construct(node, "flat store")
            self.write(node, target, base, value, env, keys=keys)
            if (
                isinstance(node, (cst.Assign, cst.AnnAssign))
                and source is not None
                and may_hold_tensor(base)
                and not isinstance(base, Sequence)  # Python goes on storing there
                and self._has_effect(target)
                and self._has_effect(source)
            ):
                self.construct(node, "evaluation order")
        elif isinstance(target, cst.StarredElement):
            self.assign(node, target.value, Sequence("list", self.element_of(value), None, refs_of(value)), env, None)

    def _unpack(
        self, node: cst.CSTNode, target: cst.Tuple | cst.List, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        elements = target.elements
        starred = any(isinstance(element, cst.StarredElement) for element in elements)
        items: list[Value]
        if (
            isinstance(value, Sequence)
            and value.items is not None
            and len(value.items) == len(elements)
            and not starred
        ):
            own = value.refs.difference(*map(refs_of, value.items))  # what a name for it adds
            items = [held(item, replace(value, refs=own)) for item in value.items]
        else:
            each = self.element_of(value)
            rest = Sequence("list", each, None, refs_of(value))
            items = [rest if isinstance(element, cst.StarredElement) else each for element in elements]
        targets = [element.value for element in elements]
        names = [target.value for target in targets if isinstance(target, cst.Name)]
        if len(names) == len(targets) and self.global_names.isdisjoint(names):
            env.bind_all(zip(names, items, strict=True))
            return
        sources: list[cst.BaseExpression | None] = [None] * len(elements)
        if isinstance(source, (cst.Tuple, cst.List)) and len(source.elements) == len(elements):
            sources = [element.value for element in source.elements]
        for element, item, part in zip(elements, items, sources, strict=True):
            self.assign(node, element.value, item, env, part)
        stores = [self.recorded.get((ev.Store, id(target))) for target in targets if isinstance(target, cst.Subscript)]
        kind, detail = how_to_split(node, target, items, [s for s in stores if isinstance(s, ev.Store)], sources)
        if kind:
            self.construct(node, kind, detail)

    def store_global(self, target: cst.Name, value: Value, env: Env, source: cst.BaseExpression | None) -> None:
        if source is not None:
            self.escape(source, value, f"is assigned to the global {target.value}")
        else:
            self.construct(target, "global from unpacking")
        location = self.location(target.value)
        env.forget(location)
        env.bind(location, Unknown(HOST, refs_of(value)))
        self._kept_through_view(target, target.value, value)
        self.keep(frozenset((location,)), value, env)
        if target.value not in self.module.rebound:
            self.construct(target, "nonlocal", target.value)

    def _store_attribute(
        self, node: cst.CSTNode, target: cst.Attribute, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        base = self.evaluate(target.value, env)
        name = target.attr.value
        local = isinstance(base, Array) and home_of(base) != HOST  # x.shape = s keeps nothing
        keeps = may_hold_tensor(value) and not local
        if keeps and any(ref.startswith((".", "global:", "kept by")) for ref in refs_of(value) - {f".{name}"}):
            self.construct(node, "kept twice", name)
        if keeps:
            self._kept_through_view(node, f".{name}", value)
        if not may_hold_tensor(base):
            self.keep(frozenset((f".{name}",)), value, env)
        if (
            isinstance(base, Unknown)
            and may_hold_tensor(base)
            and name in ("flat", "real", "imag", "shape", "dtype", "strides", "data")
        ):
            self.construct(node, "attribute of an unknown", name)
        self.emit(ev.AttributeStore(node, target, self.place(target), base, name, value, source))
        if not (isinstance(base, Array) or may_hold_tensor(base)):
            env.bind(f".{name}", Unknown(HOST, refs_of(value)))
        self.attribute_stored(base, name, value)

    def _kept_through_view(self, node: cst.CSTNode, where: str, value: Value) -> None:
        """An object or a global would hold a copy of the caller's array: NumPy must make what is kept."""
        given = {ref for ref in refs_of(value) if ref.startswith("@")}
        if given and exact_of(value) is None and may_hold_tensor(value):
            self.construct(node, "argument kept through a view", where)
            self.facts.viewed |= given

    def attribute_stored(self, base: Value, name: str, value: Value) -> None:
        """A hook for collecting what classes assign to their attributes."""

    def _augmented(self, node: cst.AugAssign, env: Env) -> None:
        value = self.evaluate(node.value, env)
        op = AUGMENTED[type(node.operator)]
        target = node.target
        if isinstance(target, cst.Subscript):
            base = self._store_base(target, env)
            keys = self.keys(target, env)
            item = self.read(base, keys) if isinstance(base, Sequence) else None
            if item is not None and may_be_array(item) and not _is_number(item):
                self.emit(ev.Read(target, self.place(target), base, keys, item))
                self.write(node, target, item, value, env, op=op, keys=None)
            else:
                self.write(node, target, base, value, env, op=op, keys=keys)
            return
        old = self.evaluate(target, env)
        if isinstance(target, cst.Attribute):
            self.emit(ev.AttributeStore(node, target, self.place(target), old, target.attr.value, value, node.value))
            self._mark_shared(refs_of(old), f"{dotted(target)}", node, env, skip=None)
            self.updates_state(old)
            self.attribute_stored(
                self.evaluate(target.value, env), target.attr.value, self.operator_result(op, [old, value])
            )
            return
        if not isinstance(target, cst.Name):
            return
        if isinstance(old, Sequence) and op == "add":
            element = self.element_of(value)
            env.values[target.value] = Sequence(old.type, join(old.element, element))
            share_items(target.value, element, env)
            self.keep(frozenset((target.value,)), value, env)
            return
        if isinstance(old, Unknown) and old.home != HOST and isinstance(value, Array):
            self.facts.assumed_arrays |= old.deps  # as beside any operator
        immutable = _is_number(old)
        if may_be_array(old) and not immutable:
            self.write(node, target, old, value, env, op=op)
            if (isinstance(old, Array) and old.weak) or isinstance(old, Unknown):
                result = self.operator_result(op, [old, value])
                kept = (
                    replace(old, rank=None)
                    if isinstance(old, Array) and isinstance(result, Array) and result.rank != old.rank
                    else old
                )
                if target.value in env.values:
                    env.values[target.value] = (
                        replace(kept, refs=NO_NAMES) if isinstance(kept, (Array, Unknown)) else kept
                    )
            return
        result = self.operator_result(op, [old, value])
        if isinstance(old, Instance) or isinstance(value, Instance):
            self.beside_object(node, f"i{op}", [(target, old), (node.value, value)])
            self.beside_object(node, op, [(target, old), (node.value, value)])
            env.bind(target.value, old if isinstance(old, Instance) else result)
            return
        if may_be_array(value) or may_be_array(old):
            self.emit(ev.Store(node, target, self.place(node), old, value, op, None, target.value))
        if target.value in self.global_names:
            self.store_global(target, result, env, node.value)
        else:
            env.bind(target.value, result)

    def _has_effect(self, node: cst.CSTNode) -> bool:
        """Whether a call in `node` may change something.

        It matters because an assignment evaluates its value before its index, a rebinding after.
        """
        for part in walk(node):
            event = self.recorded.get((ev.Call, id(part)))
            if isinstance(event, ev.Call) and not (event.api or "").startswith(("numpy", "ndarray")):
                callee = event.callee
                if not (isinstance(callee, Symbol) and callee.name in _WITHOUT_EFFECT):
                    return True
            elif isinstance(event, ev.Call) and (event.api or "").startswith("numpy.random"):
                return True
        return False

    def _store_base(self, target: cst.Subscript, env: Env) -> Value:
        """What is stored into. The reads on the way there are part of the store: no rule may replace them."""
        base = self.evaluate(target.value, env)
        self._forget_reads(target.value, env)
        return base

    def _forget_reads(self, inner: cst.BaseExpression, env: Env) -> None:
        while isinstance(inner, (cst.Subscript, cst.Attribute)):
            if isinstance(inner, cst.Subscript):
                read = self.recorded.pop((ev.Read, id(inner)), None)
                if (
                    isinstance(read, ev.Read)
                    and isinstance(read.base, (Array, Unknown))
                    and home_of(read.base) != HOST
                    and not all(_is_basic(key) for key in read.keys)
                ):
                    self.construct(inner, "store through an index")
                root = inner.value
                if isinstance(root, cst.Name):
                    held = env.values.get(root.value)
                    if isinstance(held, Sequence) and held.type not in ("list", "dict") and may_hold_tensor(held):
                        self.construct(inner, "store into an item", held.type)
            elif inner.attr.value not in ("flags", "ctypes"):
                self.recorded.pop((ev.AttributeRead, id(inner)), None)
            inner = inner.value

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
        if isinstance(node, cst.Call):
            self._forget_reads(target, env)
        if isinstance(base, (Sequence, Const, Scalar)) and not (op and keys is None):
            if isinstance(base, Sequence):
                if isinstance(node, (cst.Assign, cst.AnnAssign)) and node.value is not None:
                    value = self.as_item(base, node.value, value)
                self._write_container(target, base, value, env, root)
                self.emit(ev.Store(node, target, place, base, value, op, keys, root))
            return
        if isinstance(base, Sequence) and may_hold_tensor(base):
            # a callee changes a container made here, or the arrays in it
            shared = self._mark_shared(refs_of(base), dotted(target) or "its items", node, env, skip=root)
            self.emit(ev.Store(node, target, place, base, value, op, keys, root, frozenset(shared)))
            return
        if not may_be_array(base):
            self.escape_value(target, value, node)
            self.keep(frozenset((f"kept by {dotted(target) or 'an object'}",)), value, env)
            if isinstance(base, Instance):
                self.object_works(node, base, env)
            if isinstance(base, Instance) and may_hold_tensor(value):
                self.object_method(node, base, "__setitem__", keeps=True)
            return
        if isinstance(base, Unknown) and base.deps and keys and (len(keys) > 1 or scalar_type(keys[0]) == "slice"):
            self.facts.assumed_arrays |= base.deps if exact_of(base) is None else frozenset((exact_of(base) or "",))
        if isinstance(base, Unknown) and exact_of(base) is None and not base.view and op and keys is not None:
            # items of a list's copy that are updated in place are the caller's own: nobody copies a list for that
            self.facts.assumed_arrays |= frozenset(name for name in base.deps if f"@{name}" in base.refs)
        written = self.facts.extra.setdefault("writes", set())
        given = {ref[1:] for ref in refs_of(base) if ref.startswith("@")}
        written |= given
        if COPIED in refs_of(base) and given:  # a callee gave back what it got: that must be the caller's own array
            self.facts.host_parameters |= given
            self.emit(ev.StaleRead(target, place, f"@{min(given)}", Stale("a callee", id(node), "call on a view")))
        if refs_of(base) & NESTED:  # whatever the nested function is called with
            written.update(self.facts.parameters)
        self.updates_state(base)
        if home_of(base) != HOST:
            self.updated.append(refs_of(base))
        if op == "ndarray.resize" and root in self.host_locals:
            self.construct(node, "unknown in-place method", "resize")  # our ndarrays do not own their memory
        conflicts: set[str] = set()
        if isinstance(base, Unknown) and keys:
            self.puts(base, value)
        if isinstance(base, Unknown) and keys and scalar_type(keys[0]) == "str":  # an item of a dict: no array's memory
            self.keep(refs_of(base) - frozenset((root or "",)), value, env)
        else:
            whole = target
            while isinstance(whole, cst.Subscript):
                whole = whole.value
            via = dotted(whole) or "an element"
            conflicts = self._mark_shared(refs_of(base), via, node, env, skip=root, base=base)
        root = root if root in self.locals or root in env.values else None
        exact = exact_of(env.values[root]) if root is not None and root in env.values else None
        if exact is not None:
            conflicts -= {f"@{exact}"}
            env.values[f"!{exact}"] = Const.of(True)
            self.facts.mutated.setdefault(exact, True)
        if root is not None and self.depth and root in self.captured(env):
            self.construct(node, "closure store", root)
        if home_of(base) == HOST and not isinstance(base, Array):  # arrays copy what is stored into them
            holders = refs_of(base) - frozenset((root or "",))
            self.keep(holders or frozenset((f"kept by {dotted(target) or 'an object'}",)), value, env)
        held = env.values.get(root or "")
        self.emit(ev.Store(node, target, place, base, value, op, keys, root, frozenset(conflicts), False, held))
        if (
            keys is not None
            and all(scalar_type(key) in ("int", "number") and not isinstance(key, Const) for key in keys)
            and self.loops
        ):
            rank = base.rank if isinstance(base, Array) else None
            if keys and rank in (None, len(keys)) and home_of(base) != HOST:
                self.emit(ev.ElementLoop(node, place, root or "an array"))

    def escape_value(self, target: cst.BaseExpression, value: Value, node: cst.CSTNode) -> None:
        source = node.value if isinstance(node, (cst.Assign, cst.AugAssign, cst.AnnAssign)) else None
        if source is not None:
            self.escape(source, value, "is stored in a Python object")

    def captured(self, env: Env) -> frozenset[str]:
        """Names of the region that the nested function being interpreted does not bind itself."""
        return self.capturable[-1] if self.capturable else NO_NAMES

    def _root(self, target: cst.BaseExpression) -> str | None:
        """The name whose rebinding makes a store through `target` seen."""
        while isinstance(target, (cst.Subscript, cst.Attribute)):
            if isinstance(target, cst.Attribute) and target.attr.value not in ("T", "flat", "real", "imag"):
                return None
            target = target.value
        return target.value if isinstance(target, cst.Name) else None

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
                if ref not in (COPIED, BY_LAYOUT):
                    conflicts.add(ref)
                continue
            held = env.values.get(ref)
            if held is not None and (may_hold_tensor(held) or COPIED in refs or COPIED in env.aliases(ref)):
                env.stale[ref] = Stale(via, id(node))
        if host and any(ref.startswith(".") for ref in refs):
            # an object that got one of our arrays may be what is written here
            for name, held in env.values.items():
                if may_hold_tensor(held) and any(ref.startswith("kept by") for ref in env.aliases(name)):
                    env.stale.setdefault(name, Stale(via, id(node)))
        if FOREIGN in conflicts and not host:
            self.facts.viewed |= {FOREIGN}  # NumPy must make that array, so that the store is seen in the object
        return set() if host else conflicts

    def _write_container(
        self, target: cst.BaseExpression, base: Sequence, value: Value, env: Env, root: str | None
    ) -> None:
        put_into(target.value if isinstance(target, cst.Subscript) else target, value, env)
        self.keep(base.refs | ({root} if root else NO_NAMES), value, env)

    def bind_target(self, target: cst.BaseExpression, value: Value, env: Env) -> None:
        self.assign(target, target, value, env, None)
