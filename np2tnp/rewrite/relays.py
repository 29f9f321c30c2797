"""``--boundary tensor``: code that only hands on what functions gave it, which may be a tensor as well as an ndarray.

``return self.head.apply(self.body.apply(x))`` does nothing with the arrays: what it gives is what the last layer gives.
So such calls are no reason to keep the layers in NumPy. Whoever calls such code gets tensors from it, in its turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.module.contents import FunctionInfo, ModuleInfo
from np2tnp.analysis.syntax.walk import PARTS
from np2tnp.model import RegionState
from np2tnp.rewrite.implicit_uses import is_special
from np2tnp.rewrite.plan import RegionPlan

_OPERATORS = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)
_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


def handed_on(plan: RegionPlan, info: FunctionInfo, names: Collection[str]) -> tuple[set[int], bool]:
    """The mentions (ids) of functions called `names` of which the region only hands results on; whether to its caller.

    `names`: a method's begins with a dot. Nothing where one result is used in any other way.
    """
    if info.node.asynchronous is not None or plan.facts.generator:
        return set(), False
    parents, within = _parents(info.node.body)
    calls = {
        id(node): node
        for node, _ in parents.values()
        if isinstance(node, cst.Call) and _called(node) in names and id(node) not in within
    }
    held: set[str] = set()
    gives = False
    pending: list[cst.CSTNode] = list(calls.values())
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        use = _use(node, parents, calls, plan)
        if use is None or any(isinstance(above, (cst.Try, cst.TryStar)) for above in _above(node, parents)):
            return set(), False
        gives |= isinstance(use, cst.Return)
        if isinstance(use, str) and use not in held:
            held.add(use)
            mentions = [part for part, _ in parents.values() if isinstance(part, cst.Name) and part.value == use]
            if use in info.globals or any(id(part) in within for part in mentions):
                return set(), False
            pending += [part for part in mentions if not _is_target(part, parents)]
    return {id(call.func) for call in calls.values()}, gives


def may_relay(info: FunctionInfo) -> bool:
    """Whether others may get tensors from such a function: it is called where its name is, and by nobody else."""
    return not info.decorators and not is_special(info.qualname.rpartition(".")[2])


def certain(names: Collection[str], giving: Collection[str], module: ModuleInfo) -> set[str]:
    """Those of `names` that all functions of the module have which are called so: all of them are in `giving`."""
    others = {called(info) for name, info in module.functions.items() if name not in giving}
    return set(names) - others


def called(info: FunctionInfo) -> str:
    """How calls name the function: ``apply``, or ``.apply`` for a method."""
    name = info.qualname.rpartition(".")[2]
    return name if info.owner is None else f".{name}"


def _use(
    node: cst.CSTNode, parents: dict[int, tuple[Any, Any]], calls: dict[int, cst.Call], plan: RegionPlan
) -> cst.CSTNode | str | None:
    """Where a result goes that may be a tensor: a statement, an exact operation, or a name; None for anything else."""
    above = parents[id(node)][1]
    if isinstance(above, (cst.Return, cst.Expr)):
        return above
    if isinstance(above, cst.Assign) and len(above.targets) == 1 and isinstance(above.targets[0].target, cst.Name):
        return above.targets[0].target.value
    if isinstance(above, cst.Element) and isinstance(parents[id(above)][1], cst.Tuple):
        result = parents[id(parents[id(above)][1])][1]
        return result if isinstance(result, cst.Return) else None
    if isinstance(above, cst.ComparisonTarget):
        above = parents[id(above)][1]
    if isinstance(above, cst.Arg):
        call = parents[id(above)][1]
        exact = plan.state is RegionState.CONVERTIBLE and id(call) in plan.edits.replace
        return call if not above.star and (id(call) in calls or exact) else None
    exact = plan.state is RegionState.CONVERTIBLE and id(above) in plan.edits.replace
    return above if isinstance(above, _OPERATORS) and exact else None


def _called(node: cst.Call) -> str:
    if isinstance(node.func, cst.Name):
        return node.func.value
    return f".{node.func.attr.value}" if isinstance(node.func, cst.Attribute) else ""


def _is_target(node: cst.Name, parents: dict[int, tuple[Any, Any]]) -> bool:
    above = parents[id(node)][1]
    return isinstance(above, cst.AssignTarget) or (isinstance(above, cst.For) and above.target is node)


def _above(node: cst.CSTNode, parents: dict[int, tuple[Any, Any]]) -> Iterator[cst.CSTNode]:
    while id(node) in parents and parents[id(node)][1] is not None:
        node = parents[id(node)][1]
        yield node


def _parents(body: cst.CSTNode) -> tuple[dict[int, tuple[Any, Any]], set[int]]:
    """Each node below `body`, by id, with the one above it; the nodes of scopes within (functions, comprehensions)."""
    found: dict[int, tuple[Any, Any]] = {}
    within: set[int] = set()
    pending: list[tuple[Any, Any, bool]] = [(body, None, False)]
    while pending:
        node, above, inner = pending.pop()
        if isinstance(node, (list, tuple)):
            pending += [(part, above, inner) for part in node]
            continue
        if not isinstance(node, cst.CSTNode):
            continue
        found[id(node)] = (node, above)
        inner = inner or isinstance(node, (*_SCOPES, cst.BaseComp))
        if inner:
            within.add(id(node))
        pending += [(part, node, inner) for part in PARTS[type(node)](node)]
    return found, within
