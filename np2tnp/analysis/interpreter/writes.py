"""Memory that is written in place, and arrays that others hold from here on."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import filterfalse

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.containers import fill_empty, given_to, put_into, reader_of_copy
from np2tnp.analysis.domain.env import Env, Stale, shown
from np2tnp.analysis.domain.locations import (
    is_attribute,
    is_holder,
    is_kept,
    is_parameter,
    is_seen,
    is_state,
    kept_by,
    of_parameter,
    told,
)
from np2tnp.analysis.domain.result_aliases import COPIED_OUTSIDE, copied_outside, has_shared_items
from np2tnp.analysis.domain.special_names import asked_by
from np2tnp.analysis.domain.values import (
    BY_LAYOUT,
    BY_THEIR_LAYOUT,
    COPIED,
    FOREIGN,
    FORTRAN,
    HOST,
    LENT,
    NO_NAMES,
    NOTHING,
    SHARED,
    SUBCLASS,
    TENSOR,
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
    may_be_array,
    may_hold_tensor,
    outside_of,
    parameters_in,
    reads_later,
    refs_of,
    replace,
    scalar_type,
    with_refs,
)
from np2tnp.analysis.interpreter.frame import NESTED, Frame, Names, Record
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.module.buffer_exchanges import Exchange
from np2tnp.analysis.module.kept_functions import names_captured
from np2tnp.analysis.module.subclasses import holds_subclass
from np2tnp.analysis.syntax.python_tables import MEMBERS
from np2tnp.analysis.syntax.scopes import dotted, parameters_of

# --- What others hold: objects, containers, callees, nested functions that somebody may call later


#: References of what is a copy of others' arrays here, or holds two: of an array or object without them, nothing is.
_COPIES = frozenset((COPIED_OUTSIDE, FOREIGN, FORTRAN, SHARED))


@lru_cache(maxsize=4096)
def _places(holders: frozenset[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Those of `holders` that are places, which SHARED is not (it is said of a container), and those without a name."""
    places = holders - {SHARED}
    return places, tuple(sorted(filterfalse(str.isidentifier, places)))


class Keeping:
    """Records what others hold from here on."""

    def __init__(self, frame: Frame, record: Record, placement: Placement) -> None:
        self.frame = frame
        self.facts = frame.facts
        self.module = frame.module
        self.record = record
        self.placement = placement

    def keep(self, holders: frozenset[str], value: Value, env: Env, fills: bool = False) -> None:
        """What `holders` denote now holds on to `value`: a later in-place write to it is seen there.

        fills: they may store into it, too.
        """
        self.placement.laid_out_here(holders, value)
        refs = refs_of(value)
        if not refs:
            return
        places, outside = _places(holders)
        env.link_all(places, refs)
        if not outside:
            return
        if self.frame.depth:
            self.frame.puts_made += [(holder, value) for holder in outside]
        if not refs.isdisjoint(NESTED) and any(map(is_holder, outside)):
            self.frame.nested_keeps = True
            self.facts.seen.keeps.update(self.facts.parameters)
        # an object outside holds the caller's own array: it must get that very object
        given = parameters_in(refs if len(outside) > 1 else refs.difference(outside))
        if not given <= self.facts.host_parameters:
            self.facts.host_parameters |= given
        self.keeps_copies(outside, value, fills)
        if may_hold_tensor(value):  # and what NumPy makes of what others hold, which may be the same again
            shown = outside_of(refs) | {FOREIGN} if FOREIGN in refs else outside_of(refs)
            if not shown <= self.facts.viewed:
                self.facts.viewed |= shown

    def keeps_captured(self, argument: ev.Argument, env: Env) -> None:
        """Whoever gets `argument` keeps it: a nested function holds what it reads of the functions around it."""
        value, node = argument.value, argument.node.value
        if isinstance(value, Function) and value.nested:
            self.keep_names(self.frame.nested_reads.get(value.qualname, NO_NAMES), env)
        elif value is LENT:
            self.keep_names(self.captured_by(node) if isinstance(node, cst.Lambda) else self.frame.lent_reads, env)

    def updated_inside(self, names: frozenset[str], env: Env) -> None:
        """What `names` hold is updated here: in a nested function, what shows that must show it whenever it is called.

        Such a function may stay NumPy's, and nobody looks into it by then.
        """
        if self.frame.depth <= self.frame.comprehended:
            return
        around = self.frame.scope.capturable[-1] if self.frame.scope.capturable else self.frame.scope.locals
        for name in sorted(names & around):
            if (held := env.load(name)) is not None:
                self.keep(frozenset((kept_by("a nested function"),)), with_refs(held, refs_of(held) - NESTED), env)

    def is_nested(self, argument: ev.Argument) -> bool:
        """Whether `argument` is a function of the region."""
        return argument.value is LENT or (isinstance(argument.value, Function) and argument.value.nested)

    def captured_by(self, node: cst.Lambda | cst.FunctionDef) -> set[str]:
        """Names that the nested function `node` reads from around it."""
        own = {parameter.name.value for parameter in parameters_of(node.params)}
        return names_captured(node, own | self.module.scopes[id(node)].bound if id(node) in self.module.scopes else own)

    def keep_names(self, names: Iterable[str], env: Env) -> None:
        """A nested function that somebody may call later reads `names` of the region, as they are by then."""
        for name in sorted(frozenset(names) - self.frame.kept_names):
            self.frame.kept_names.add(name)
            value = env.load(name)
            if isinstance(value, Function) and value.nested:
                self.keep_names(self.frame.nested_reads.get(value.qualname, NO_NAMES), env)
            elif value is LENT:
                self.keep_names(self.frame.lent_reads, env)
            elif value is not None:
                self.keep(frozenset((kept_by("a nested function"),)), value, env)
                if reads_later(value) or name in self.frame.lent_iterators:
                    self.keep_names(self.frame.read_by_iterators, env)

    def keeps_copies(self, places: Iterable[str], value: Value, fills: bool = False) -> None:
        """Whoever is there would hold copies of what others have: NumPy must make them, or the region stays."""
        if self.frame.made == HOST:
            return
        if isinstance(value, (Array, Unknown)) and value.home != TENSOR and value.refs.isdisjoint(_COPIES):
            return
        copies = copied_outside(value)
        parts = has_shared_items(value)  # of one array, as two
        for where in places if copies or parts else ():
            if copies or not is_seen(where):
                self.facts.viewed |= copies | (refs_of(value) & {FOREIGN})
                holder = told(where)
                by_callee = is_seen(where) or fills
                kinds = (
                    (ev.Kind.SEEN_TWICE, ev.Kind.PERHAPS_SEEN_TWICE)
                    if by_callee
                    else (ev.Kind.KEPT_TWICE, ev.Kind.HELD_TWICE)
                )
                kind = kinds[type(value) is not Array or not is_state(where)]  # who knows what others make of it
                self.record.construct(self.frame.statement or self.facts.node, kind, holder)

    def puts(self, container: Value, values: Iterable[Value]) -> None:
        """`container`, perhaps a list or dict of the caller's, may hold `values` from here on: callers are told."""
        holders = parameters_in(refs_of(container))
        given = NO_NAMES.union(*[parameters_in(refs_of(value)) for value in values]) if holders else NO_NAMES
        if given:
            self.facts.seen.fills.update((holder, name) for holder in holders for name in given)

    # ---- containers of the region

    def put(self, where: cst.BaseExpression, container: Value, added: Value, env: Env) -> None:
        """`container`, at `where`, holds `added` from here on, for the functions around this one, too."""
        self.changes_container(container, env, added)
        name = put_into(where, added, env)
        if not name:
            fill_empty(refs_of(container), added, env)
        others = env.aliases(name) if self.frame.depth else NO_NAMES
        self.frame.puts_made += [(each, added) for each in (name, *others) if each and each.isidentifier()]

    def changes_container(self, container: Value, env: Env, added: Value = NOTHING) -> None:
        """`container` changes: who was given it while it held tensors, or goes on reading it, has a copy."""
        given = may_hold_tensor(container) or may_hold_tensor(added)
        holder = (given_to(container) if given else "") or reader_of_copy(container, env)
        if holder and self.frame.made != HOST:
            self.record.construct(self.frame.statement or self.facts.node, ev.Kind.KEPT_CONTAINER, holder)
            self.facts.seen.kept_twice.update(filter(str.isidentifier, refs_of(container)))

    def hold(self, name: str, env: Env) -> None:
        """The container `name` holds what nested functions put there."""
        added = self.frame.puts_inside.get(name)
        if added is not None and isinstance(env.values.get(name), Sequence):
            put_into(cst.Name(name), added, env)
            env.link(name, refs_of(added) - {name})

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
            self.record.construct(node, kind, where.rpartition(":")[2])
            self.facts.viewed |= given
        self.keeps_copies((where,), value)
        outside = {ref for ref in refs if is_state(ref) or is_kept(ref)}
        if outside - {where}:
            self.record.construct(
                node, ev.Kind.KEPT_TWICE if type(value) is Array else ev.Kind.HELD_TWICE, where.rpartition(":")[2]
            )
            self.facts.seen.kept_twice.update(ref for ref in refs if ref.isidentifier())
        self.facts.viewed |= {ref for ref in refs if ref in outside or ref == FOREIGN}

    def copy_may_change(self, node: cst.CSTNode, callee: str, argument: ev.Argument) -> None:
        """What is handed over may be our copy of memory that others see: NumPy must make it, and `callee` get that."""
        value = argument.value
        if FOREIGN not in refs_of(value) or not may_hold_tensor(value):
            return
        outside = outside_of(refs_of(value))
        if outside:
            self.facts.viewed |= outside | {FOREIGN}
            stale = Stale(callee, id(node), "call on a view")
            self.record.emit(ev.StaleRead(argument.node.value, self.record.place(argument.node), shown(outside), stale))


# --- What is written in place


_JOINS = (cst.BitAnd, cst.BitOr, cst.BitXor)


_ORDER = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal, cst.NotEqual)


def indexes_array(node: cst.Subscript) -> bool:
    """Whether only an array is indexed like ``x[x > 0]`` or ``x[[2, 0]]``: by its own items, or by many numbers."""
    part = node.slice[0].slice
    if type(node.value) is not cst.Name or len(node.slice) != 1 or type(part) is not cst.Index:
        return False
    if type(part.value) is cst.List:
        return bool(part.value.elements) and all(type(item.value) is cst.Integer for item in part.value.elements)
    return _is_mask_of(node.value.value, part.value)


def _is_mask_of(name: str, test: cst.BaseExpression) -> bool:
    """Whether `test` compares the named value, alone or joined by ``& | ^ ~``."""
    if type(test) is cst.BinaryOperation and isinstance(test.operator, _JOINS):
        return _is_mask_of(name, test.left) or _is_mask_of(name, test.right)
    if type(test) is cst.UnaryOperation and type(test.operator) is cst.BitInvert:
        return _is_mask_of(name, test.expression)
    if type(test) is not cst.Comparison or len(test.comparisons) != 1:
        return False
    sides = (test.left, test.comparisons[0].comparator)
    is_order = isinstance(test.comparisons[0].operator, _ORDER)
    return is_order and any(type(side) is cst.Name and side.value == name for side in sides)


def owner_of(target: cst.BaseExpression) -> str | None:
    """The name of the object whose attribute `target` goes through: what has such an attribute is no array itself."""
    while type(target) is cst.Subscript or type(target) is cst.Attribute:
        if type(target) is cst.Attribute and target.attr.value not in MEMBERS:
            return target.value.value if type(target.value) is cst.Name else None
        target = target.value
    return None


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


class Writes:
    """Everything that changes memory in place ends here."""

    def __init__(
        self, frame: Frame, record: Record, names: Names, unseen: UnseenCode, placement: Placement, keeping: Keeping
    ) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self.record = record
        self.names = names
        self.unseen = unseen
        self.placement = placement
        self.keeping = keeping

    def forget_reads(self, inner: cst.BaseExpression, env: Env) -> None:
        while type(inner) is cst.Subscript or type(inner) is cst.Attribute:
            if type(inner) is cst.Subscript:
                read = self.frame.recorded.get((ev.Read, id(inner)))
                arrays = isinstance(read, ev.Read) and isinstance(read.base, (Array, Unknown))
                of_dict = isinstance(read, ev.Read) and isinstance(read.base, Sequence) and read.base.type == "dict"
                if of_dict:  # its keys are still to be converted
                    pass
                elif not isinstance(read, ev.Read) or not arrays or home_of(read.base) != HOST:
                    self.frame.recorded.pop((ev.Read, id(inner)), None)  # an ndarray's index is still to be converted
                    if isinstance(read, ev.Read) and arrays and not all(_is_basic(key) for key in read.keys):
                        self._stores_through(inner, read)
                root = inner.value
                if type(root) is cst.Name:
                    held = env.values.get(root.value)
                    if isinstance(held, Sequence) and held.type not in ("list", "dict") and may_hold_tensor(held):
                        self.record.construct(inner, ev.Kind.STORE_INTO_AN_ITEM, held.type)
            elif type(inner) is cst.Attribute and inner.attr.value not in ("flags", "ctypes"):
                self.frame.recorded.pop((ev.AttributeRead, id(inner)), None)
            inner = inner.value

    def _stores_through(self, inner: cst.BaseExpression, read: ev.Read) -> None:
        """``inner[j] = v``, where `inner` is a view of a tensor or a copy: NumPy tells, so that stays an ndarray."""
        self.record.construct(inner, ev.Kind.STORE_THROUGH_AN_INDEX)
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
        place, root = self.record.place(node), self._root(target)
        if self.frame.met_subclass and may_hold_tensor(base):
            self.names.meet_subclass(node, value, *(keys or ()))
        if self.frame.met_subclass and holds_subclass(value) and SUBCLASS not in refs_of(base):
            self.record.construct(node, ev.Kind.SUBCLASS_OPERAND)
        if keys is None and type(node) is not cst.AugAssign:
            self.frame.reforming.add(id(node))
        if type(node) is cst.Call:
            self.forget_reads(target, env)
        if self._stores_in_no_array(node, target, base, value, env, op, keys):
            return
        self._learn_of_store(target, base, op, keys)
        given = parameters_in(refs_of(base))
        of_dict = bool(isinstance(base, Unknown) and keys and scalar_type(keys[0]) == "str" and not op)
        self._note_written(node, target, base, env, op, of_dict=of_dict)
        conflicts = self._conflicts(node, target, base, value, env, op, keys, of_dict=of_dict)
        joins = op in ("add", "or_") and keys is None and isinstance(base, Unknown) and isinstance(value, Sequence)
        if joins and may_hold_tensor(value):  # if it is a list, it is the caller's, and holds the arrays themselves
            self.keeping.keep(refs_of(base) - frozenset((root or "",)) | _holder(target), value, env)
            self.facts.host_parameters |= given
        holders = refs_of(base) - frozenset((root or "", UNTENSORED)) | _holder(target)
        root = root if root in self.frame.scope.locals or root in env.values else None
        conflicts -= self._updates_name(root, base, env, of_dict=of_dict)
        if self.frame.depth and (seen := (refs_of(base) | {root or ""}) & self.captured(env)):  # by whatever name here
            self._updates_captured(node, root if root in seen else min(seen), refs_of(base), env)
        self.keeping.updated_inside(refs_of(base) | {root or ""}, env)
        if home_of(base) == HOST and not isinstance(base, Array):  # arrays copy what is stored into them
            self.keeping.keep(holders, value, env)
            if root and UNTENSORED in refs_of(base):  # but arrays of objects hold it
                env.link(root, refs_of(value) - {root})
        held = env.values.get(root or "")
        self.record.emit(ev.Store(node, target, place, base, value, op, keys, root, frozenset(conflicts), held))
        self._learn_axes(target, keys, env)
        if keys and self.frame.loops and all(_is_chosen(key) for key in keys):
            rank = base.rank if isinstance(base, Array) else None
            if rank in (None, len(keys)) and home_of(base) != HOST:
                self.record.emit(ev.ElementLoop(node, place, root or "an array"))

    def _learn_axes(self, target: cst.BaseExpression, keys: tuple[Value, ...] | None, env: Env) -> None:
        """After ``x[0] = 1`` or ``x[np.arange(n)] = 1`` x has axes: what has none takes no such index, and raises."""
        name = dotted(target.value) if type(target) is cst.Subscript else ""
        array = env.values.get(name)
        by_axis = any(scalar_type(key) in ("int", "slice") or has_axes(key) for key in keys or ())
        if by_axis and isinstance(array, Array) and array.exact is None and array.rank is None:
            env.values[name] = replace(array, weak=False, zero_d="never")

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
        place, root = self.record.place(node), self._root(target)
        if isinstance(base, (Sequence, Const, Scalar)) and not (op and keys is None):
            if isinstance(base, Sequence):
                if isinstance(node, (cst.Assign, cst.AnnAssign)) and node.value is not None:
                    value = self.placement.as_item(base, node.value, value)
                self._write_container(target, base, value, env, root)
                self.record.emit(ev.Store(node, target, place, base, value, op, keys, root))
            return True
        if isinstance(base, Sequence) and may_hold_tensor(base):
            # a callee changes a container made here, or the arrays in it
            shared = self.mark_shared(refs_of(base), dotted(target) or "its items", node, env, skip=root)
            self.record.emit(ev.Store(node, target, place, base, value, op, keys, root, frozenset(shared)))
            return True
        if not may_be_array(base):
            self.escape_value(target, value, node)
            self.keeping.keep(frozenset((kept_by(dotted(target) or "an object"),)), value, env)
            self.unseen.ask(node, env, [base], asked_by(target), deep=False)
            if isinstance(base, Instance) and may_hold_tensor(value):
                self.unseen.object_method(node, base, "__setitem__", keeps=True)
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
            self.record.emit(ev.StaleRead(target, self.record.place(node), of_parameter(shown(given)), stale))
        if refs_of(base) & NESTED:  # whatever the nested function is called with
            written.update(self.facts.parameters)
            self.frame.nested_keeps |= COPIED in refs_of(base)  # its argument itself must be what is written
        self.unseen.updates_state(base)
        if home_of(base) != HOST:
            self.frame.updated.append(refs_of(base))
        if op == "ndarray.resize" and self._root(target) in self.assumed.host_locals:
            self.record.construct(
                node, ev.Kind.UNKNOWN_IN_PLACE_METHOD, "resize"
            )  # our ndarrays do not own their memory

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
            self.keeping.puts(base, [value])
        if of_unknown and keys and scalar_type(keys[0]) == "str":
            self.keeping.keep(refs_of(base) - {UNTENSORED} | _holder(target), value, env)
        if of_dict:
            return set()
        whole = target
        while type(whole) is cst.Subscript:
            whole = whole.value
        via, skip = dotted(whole) or "an element", self._root(target) or owner_of(target)
        conflicts = self.mark_shared(refs_of(base), via, node, env, skip=skip, base=base)
        ours = may_hold_tensor(value) or COPIED in refs_of(value)
        if isinstance(base, Unknown) and not op and keys and _may_be_an_item(keys) and ours:
            if base.deps:  # an array copies what is stored into it, once it is known to be one
                self.facts.seen.indexed |= base.deps | parameters_in(refs_of(value))
            self.keeping.keep(
                refs_of(base) | _holder(target), value, env
            )  # if it is a list, that holds the array itself
        return conflicts

    def _updates_name(self, root: str | None, base: Value, env: Env, *, of_dict: bool) -> set[str]:
        """The array of the name `root` is updated: the locations that are the caller's and get it in the end."""
        settled: set[str] = set()
        exact = exact_of(env.values[root]) if root is not None and root in env.values else None
        if exact is not None:
            settled.add(of_parameter(exact))
        if exact is not None and exact not in self.frame.absent:
            if not of_dict:  # what takes a text for an index is no tensor: the caller sees the store at once
                env.values[f"!{exact}"] = Const.of(True)
            self.facts.mutated.setdefault(exact, True)
        if (exchange := self.frame.exchanges.of(root)) is not None:
            settled |= {of_parameter(name) for name in exchange.given}  # the caller gets what is held in the end
            self._updates_given(exchange, base, env)
            if of_dict:
                self.frame.exchanges.spoil(exchange)
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
            self.record.escape(source, value, "is stored in a Python object")

    def captured(self, env: Env) -> frozenset[str]:
        """Names of the region that the nested function being interpreted does not bind itself."""
        return self.frame.scope.capturable[-1] if self.frame.scope.capturable else NO_NAMES

    def _updates_captured(self, node: cst.CSTNode, root: str, refs: frozenset[str], env: Env) -> None:
        """A nested function updates an array of the function around it: all names that show it must be ndarrays."""
        names = {root, *(ref for ref in refs if ref in env.values)}
        tensors = {name for name in names if name not in env.values or may_hold_tensor(env.values[name])}
        self.facts.seen.captured.update(names)
        if tensors:
            self.record.construct(node, ev.Kind.CLOSURE_STORE, root)
            self.facts.seen.lent.update(tensors & self.frame.scope.locals)
            given = (exact_of(env.values[name]) for name in tensors & env.values.keys())
            self.facts.mutated.update((name, False) for name in given if name is not None)

    def _root(self, target: cst.BaseExpression) -> str | None:
        """The name whose rebinding makes a store through `target` seen."""
        while type(target) is cst.Subscript or type(target) is cst.Attribute:
            if type(target) is cst.Attribute and target.attr.value not in ("T", "flat", "real", "imag"):
                return None
            target = target.value
        return target.value if type(target) is cst.Name else None

    def mark_shared(
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
        self.keeping.put(target.value if type(target) is cst.Subscript else target, base, value, env)
        self.keeping.keep(base.refs | ({root} if root else NO_NAMES), value, env)
