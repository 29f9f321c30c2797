"""Names whose ndarrays lie in memory as NumPy's own do.

Whether ``x.reshape(-1)`` shows x or a copy of it hangs on the memory order of x. An ndarray made of a tensor is in C
order, where NumPy's may be in another one; of what is in C order in NumPy, too, and its views, NumPy says the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.result_aliases import copy_marks
from np2tnp.analysis.domain.summaries import Summary
from np2tnp.analysis.domain.values import (
    BY_LAYOUT,
    BY_THEIR_LAYOUT,
    HOST,
    NO_NAMES,
    Value,
    may_hold_tensor,
    outside_of,
    parameters_in,
    refs_of,
    with_refs,
)
from np2tnp.analysis.evaluate import Evaluator
from np2tnp.analysis.syntax.python_tables import BY_ORDER, IN_PLACE_METHODS
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import walk

#: What makes arrays in C order, and how many positional arguments stand before ``order``.
_MAKERS = {
    "numpy.zeros": 2, "numpy.ones": 2, "numpy.empty": 2, "numpy.full": 3, "numpy.eye": 4, "numpy.arange": 4,
    "numpy.ascontiguousarray": 2,
    "ndarray.copy": 0,
}  # fmt: skip
#: Methods that show their array, or copy it where NumPy does: in C order.
_VIEWS = frozenset("reshape ravel transpose swapaxes squeeze".split())

_TARGETED = (cst.AnnAssign, cst.NamedExpr, cst.For, cst.CompFor)
_NAMED = (cst.AsName, cst.FunctionDef, cst.ClassDef, cst.Param, cst.NameItem)
_IMPORTED = (cst.MatchAs, cst.MatchStar, cst.ImportAlias)
_BINDING = frozenset((cst.Assign, *_TARGETED, *_NAMED, *_IMPORTED))

_Value = cst.BaseExpression | None


def is_in_c_order(call: object) -> bool:
    """Whether the recorded event `call` makes an array that is in C order in NumPy."""
    if not isinstance(call, ev.Call) or call.api not in _MAKERS or len(call.arguments) > _MAKERS[call.api]:
        return False
    return not any(argument.star or argument.name in ("order", "like") for argument in call.arguments)


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
    return frozenset(holder for holder in holders if holder.startswith((".", "global:")))


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
        return f".{place.attr.value}"
    return place.value if type(place) is cst.Name else None


class Layouts(Evaluator):
    """Which arrays lie in memory as NumPy's do, for callees and others that ask."""

    def lie_as_in_numpy(self, refs: frozenset[str]) -> bool:
        """Whether all arrays at `refs` are in C order here and in NumPy, or views of such: it shows or copies alike."""
        return self._are_alike(refs, self.host_locals)

    def by_their_layout(self, receiver: Value) -> Value:
        """What shows `receiver`, or a copy of it, by the order in which others laid it out."""
        refs = refs_of(receiver)
        return with_refs(receiver, refs | {BY_THEIR_LAYOUT}) if outside_of(refs) else receiver

    def shown_by_layout(self, told: frozenset[str], matched: Mapping[str, ev.Argument]) -> frozenset[str]:
        """The references of what a callee gives back, `told`, if that shows one of its arguments or a copy of it."""
        if BY_THEIR_LAYOUT not in told or self.made == HOST:
            return NO_NAMES
        given = [matched[name] for name in parameters_in(told) & matched.keys()]
        refs = [refs_of(item.value) for item in given if self.lies_otherwise(item.node.value, item.value)]
        return NO_NAMES.union({BY_LAYOUT}, *map(copy_marks, refs)) if refs else NO_NAMES

    def updated_by_layout(self, summary: Summary, matched: Mapping[str, ev.Argument]) -> None:
        """The callee updates its argument, or a copy of it, by its memory order: here that must be NumPy's."""
        for name in summary.by_layout & matched.keys():
            argument = matched[name]
            self.facts.extra.setdefault("by layout", set()).update(parameters_in(refs_of(argument.value)))
            if self.made != HOST and self.lies_otherwise(argument.node.value, argument.value):
                self.construct(argument.node, "updated by layout", name)

    def laid_out_here(self, holders: frozenset[str], value: Value) -> None:
        """An array of ours is kept by `holders`: others must not ask in which order it lies."""
        if self.made == HOST or self.module.by_order == NO_NAMES:
            return
        holders = _lasting(holders)
        if not holders or not may_hold_tensor(value):
            return
        if self.module.by_order is None:
            functions = self.module.functions.values()
            asking = (info.node for info in functions if info.uses.by_order or _by_default(info.node))
            self.module.by_order = updated_by_order(asking)
        source = self.statement.value if isinstance(self.statement, (cst.Assign, cst.AnnAssign)) else None
        for holder in holders:
            name = holder.rpartition(":")[2]
            if name in self.module.by_order and (source is None or self.lies_otherwise(source, value)):
                self.construct(self.statement or self.facts.node, "kept by layout", name)

    def lies_otherwise(self, node: cst.BaseExpression, value: Value) -> bool:
        """Whether `node` may be an array of ours that is in another memory order than NumPy's."""
        refs = refs_of(value)
        if not may_hold_tensor(value) and not refs & self.host_locals:
            return False
        if not refs:
            return not is_in_c_order(self.recorded.get((ev.Call, id(node))))
        names, ours = refs | self.host_locals, refs - self.host_locals
        return not self._are_alike(refs, names, ours)

    def _are_alike(self, refs: frozenset[str], names: frozenset[str], tensors: frozenset[str] = NO_NAMES) -> bool:
        known, region = self.module.bound_values, self.facts.node
        if id(region) not in known:
            known[id(region)] = bound_in(region)
        bound = known[id(region)]
        return refs <= bound.keys() and refs <= laid_out_alike(bound, names, self._is_maker, tensors)

    def _is_maker(self, call: cst.Call) -> bool:
        return is_in_c_order(self.recorded.get((ev.Call, id(call))))
