"""``--boundary tensor``: migrated functions take and give tensors themselves, without a wrapper.

Then code that stays NumPy must not call them: it would get tensors. Inside the module that is proved here; other
modules are the user's business, who asked for this contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.module import FunctionInfo, ModuleInfo, parameters_of
from np2tnp.analysis.regions import MODULE
from np2tnp.analysis.values import Const, Function, Scalar
from np2tnp.analysis.walk import PARTS, walk
from np2tnp.model import RegionState, Verdict
from np2tnp.rewrite.plan import RegionPlan
from np2tnp.rules.base import Hit
from np2tnp.rules.callbacks import Callback


def leaking(plans: Iterable[RegionPlan], module: ModuleInfo) -> frozenset[str]:
    """The functions that would migrate and are mentioned other than in calls from migrated code, by name."""
    plans = list(plans)
    functions = {p.facts.qualname: module.functions[p.facts.qualname] for p in plans if _migrates(p)}
    names = {name.rpartition(".")[2] for name, info in functions.items() if info.owner is None}
    methods = {name.rpartition(".")[2] for name, info in functions.items() if info.owner is not None}
    seen: set[str] = set()
    for plan in plans:
        allowed = plan.edits.cores if _migrates(plan) else set()
        if plan.facts.qualname == MODULE:
            allowed = {id(e.node.func) for e in plan.facts.events if isinstance(e, ev.Call) and _is_plain(e)}
            nodes = _top_level(module)
        else:
            info = module.functions[plan.facts.qualname]
            nodes = _mentions(info.node.body, info.locals)
        for node in nodes:
            if id(node) not in allowed:
                seen.add(node.value if isinstance(node, cst.Name) else f".{node.attr.value}")
    leaked = (seen & names) | {name for name in methods if f".{name}" in seen}
    return frozenset(name for name in functions if name.rpartition(".")[2] in leaked)


def hit(info: FunctionInfo) -> Hit:
    """Why such a function stays NumPy."""
    message = "code of the module that stays NumPy uses it, and would get tensors from it (--boundary tensor)"
    return Hit(Callback.doc.code, info.node, message, Verdict.BLOCK)


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
