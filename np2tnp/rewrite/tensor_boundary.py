"""``--boundary tensor``: migrated functions take and give tensors themselves, without a wrapper.

Then code that stays NumPy must not call them: it would get tensors. Inside the module that is proved here; other
modules are the user's business, who asked for this contract.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import MODULE, Summary
from np2tnp.analysis.domain.values import (
    FOREIGN,
    NO_NAMES,
    Const,
    Function,
    Scalar,
    Unknown,
    may_hold_tensor,
    outside_of,
    parameters_in,
    refs_of,
)
from np2tnp.analysis.module.contents import FunctionInfo, ModuleInfo
from np2tnp.analysis.syntax.scopes import parameters_of
from np2tnp.analysis.syntax.walk import PARTS, walk
from np2tnp.model import RegionState, Verdict
from np2tnp.rewrite import implicit_uses, relays
from np2tnp.rewrite.plan import RegionPlan
from np2tnp.rules.base import Hit
from np2tnp.rules.cases import location_words
from np2tnp.rules.constructs.escaping_functions import Callback
from np2tnp.rules.host.host_updates import HostUpdate


def leaking(plans: Iterable[RegionPlan], module: ModuleInfo) -> frozenset[str]:
    """The functions that would migrate, give tensors, and are called other than from migrated code, by name.

    Who mentions a function may call it; special methods are called where the text has the operator, and else by Python.
    Code that only hands on what it got is no such code, unless what it gives goes to some.
    """
    plans = list(plans)
    functions = {
        p.facts.qualname: module.functions[p.facts.qualname] for p in plans if _migrates(p) and _gives(p.facts)
    }
    if not functions:
        return NO_NAMES
    names, anything = implicit_uses.by_text([module.node])
    if anything:
        return frozenset(functions)
    seen = {text for name in names for text in (name, f".{name}")}
    seen.update(f".{name}" for name in implicit_uses.assigned_names(module.node))
    if implicit_uses.decorating_classes(module):
        seen.add(f".{implicit_uses.CALL}")
    for plan in plans:
        seen.update(f".{name}" for name in implicit_uses.used_methods(plan.facts, _migrates(plan), module))
    fresh = {p.facts.qualname for p in plans if p.facts.qualname in functions and _is_fresh(p.facts)}
    barred: set[str] = set()
    while True:  # each round bars a function that would hand tensors on to NumPy code
        handing, mentioned = _mentioned(plans, module, functions, fresh, barred)
        mentioned |= seen
        more = {name for name in handing if _is_seen(module.functions[name], mentioned)}
        if not more:
            return frozenset(name for name, info in functions.items() if _is_seen(info, mentioned))
        barred |= more


def _mentioned(
    plans: list[RegionPlan], module: ModuleInfo, known: Container[str], fresh: set[str], barred: set[str]
) -> tuple[set[str], set[str]]:
    """The functions that hand tensors on, and the names of functions that code mentions which does more than that.

    `known`: those of which migrated callers expect tensors anyway; what others hand on, these take for ndarrays.
    """
    found: set[str] = set()
    while True:
        giving = fresh | found
        safe = relays.certain({relays.called(module.functions[name]) for name in giving}, giving, module)
        handing = {relays.called(module.functions[name]) for name in found}
        seen: set[str] = set()
        more: set[str] = set()
        for plan in plans:
            name = plan.facts.qualname
            allowed = plan.edits.cores if _migrates(plan) else set()
            ids: set[int] = set()
            if name == MODULE:
                allowed = {id(e.node.func) for e in plan.facts.events if isinstance(e, ev.Call) and _is_plain(e)}
                nodes = _top_level(module)
            else:
                info = module.functions[name]
                nodes = _mentions(info.node.body, info.locals)
                ids, gives = relays.handed_on(plan, info, safe)
                if gives and name not in known:
                    if name in barred or not relays.may_relay(info):
                        ids = set()
                    else:
                        more.add(name)
            for node in nodes:
                text = node.value if isinstance(node, cst.Name) else f".{node.attr.value}"
                if id(node) not in ids and (id(node) not in allowed or text in handing):
                    seen.add(text)
        if more <= found:
            return found, seen
        found |= more


def _is_fresh(facts: ev.RegionFacts) -> bool:
    """Whether all that callers get of it is a new array: nothing that somebody may update, and no update."""
    held = facts.returned | facts.viewed | facts.kept | facts.updates
    return not (facts.mutated or held or (facts.result is not None and outside_of(refs_of(facts.result))))


def _is_seen(info: FunctionInfo, seen: set[str]) -> bool:
    name = info.qualname.rpartition(".")[2]
    if info.owner is None:
        return name in seen
    return f".{name}" in seen or (implicit_uses.is_special(name) and not implicit_uses.may_wait(name))


def _gives(facts: ev.RegionFacts) -> bool:
    """Whether callers get tensors: in the result, or as what an argument was updated to."""
    return bool(facts.mutated) or (facts.result is not None and may_hold_tensor(facts.result))


def hit(info: FunctionInfo) -> Hit:
    """Why such a function stays NumPy."""
    message = "code of the module that stays NumPy uses it, and would get tensors from it (--boundary tensor)"
    return Hit(Callback.doc.code, info.node, message, Verdict.BLOCK)


def lost_update(facts: ev.RegionFacts, summary: Callable[[Function], Summary | None]) -> Hit | None:
    """The first update of an argument that stays as it is for the sake of NumPy: a tensor there would not change.

    Without a wrapper such an argument is a tensor. ``x[0] = v`` raises on it, but ``y += v``, ``d["k"] += v`` and a
    callee's own ``x *= 2`` rebind a name, silently.
    """
    if not facts.host_parameters:
        return None
    for event in facts.events:
        shown = NO_NAMES
        if isinstance(event, (ev.Store, ev.AttributeStore)) and isinstance(event.node, cst.AugAssign):
            shown = parameters_in(refs_of(event.base))
            if not shown and _may_be_anything(event, facts):
                shown = facts.changeable
        elif isinstance(event, ev.Call) and isinstance(event.callee, Function):
            shown = parameters_in(NO_NAMES.union(*_updated_by(event, summary(event.callee))))
        if shown := shown & facts.host_parameters:
            words = f"this updates what may be {location_words(frozenset(f'@{name}' for name in shown))}"
            message = f"{words}, in place; a tensor there stays as it was (--boundary tensor)"
            return Hit(HostUpdate.doc.code, event.node or facts.node, message, Verdict.BLOCK)
    return None


def _updated_by(event: ev.Call, summary: Summary | None) -> Iterator[frozenset[str]]:
    """What a function of the project that stays NumPy updates of its arguments, by their locations."""
    if summary is None or summary.migrated or not summary.mutates:
        return
    known = summary.match(event.arguments)
    for argument in event.arguments:
        if known is None or any(known.get(name) is argument for name in summary.mutates):
            yield refs_of(argument.value)


def _may_be_anything(event: ev.Store | ev.AttributeStore, facts: ev.RegionFacts) -> bool:
    """Whether nobody knows whose array it is, so that code which got an argument may have given that one back."""
    if isinstance(event, ev.AttributeStore):
        target = event.target.value
        return not (isinstance(target, cst.Name) and target.value in facts.parameters)
    return isinstance(event.base, Unknown) and not outside_of(refs_of(event.base) - {FOREIGN})


def _migrates(plan: RegionPlan) -> bool:
    return plan.state is RegionState.CONVERTIBLE


def _is_plain(event: ev.Call) -> bool:
    """Whether a call at the top level neither gives arrays to a function of the module nor gets any from it."""
    return (
        isinstance(event.callee, Function)
        and isinstance(event.result, (Const, Scalar))
        and all(isinstance(argument.value, (Const, Scalar)) for argument in event.arguments)
    )


def _top_level(module: ModuleInfo) -> Iterator[cst.Name | cst.Attribute]:
    """The mentions outside of the regions: in statements, class bodies, decorators, defaults."""
    regions = {id(info.node): info.node for info in module.functions.values()}
    pending: list[Any] = [module.node.body]
    while pending:
        node = pending.pop()
        if id(node) in regions:
            pending.append(node.decorators)
            pending.extend(p.default for p in parameters_of(node.params) if p.default is not None)
        elif isinstance(node, (cst.Name, cst.Attribute)):
            yield node
            pending.extend([node.value] if isinstance(node, cst.Attribute) else [])
        elif not isinstance(node, (cst.Import, cst.ImportFrom)):
            pending.extend(PARTS[type(node)](node))


def _mentions(body: cst.CSTNode, shadowed: frozenset[str]) -> Iterator[cst.Name | cst.Attribute]:
    attributes: set[int] = set()
    for node in walk(body):
        if isinstance(node, cst.Attribute):
            attributes.add(id(node.attr))
            yield node
        elif isinstance(node, cst.Name) and node.value not in shadowed and id(node) not in attributes:
            yield node
