"""``rt.settled(self, "w").w``: how code that works on ndarrays reads an attribute that may hold a tensor.

That is code in migrated functions which could tell a tensor from an array, functions that stay NumPy, and the originals
that are kept beside migrated ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import may_hold_tensor
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.module.tensor_state import is_held
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import Transformer, walk
from np2tnp.edits import build
from np2tnp.edits.edit import Edits
from np2tnp.model import RegionState
from np2tnp.rewrite.apply import requoted
from np2tnp.rewrite.plan import RegionPlan

#: What is assigned to: the object need not hold anything there yet.
_TARGETS = (cst.AssignTarget, cst.AnnAssign, cst.For, cst.CompFor, cst.Del, cst.NamedExpr)


def live_names(plans: Iterable[RegionPlan], module: ModuleInfo, wrapped: bool) -> frozenset[str]:
    """The attributes in which some function that migrates leaves tensors. `wrapped`: or puts them when it is called."""
    found: set[str] = set()
    for plan in plans:
        if plan.state is not RegionState.CONVERTIBLE:
            continue
        found.update(taken_names(plan, module) if wrapped else _stored_names(plan, module))
    return frozenset(found)


def _stored_names(plan: RegionPlan, module: ModuleInfo) -> Iterator[str]:
    """The attributes to which a method assigns what may be tensors."""
    for event in plan.facts.events:
        if not isinstance(event, ev.AttributeStore) or not may_hold_tensor(event.value):
            continue
        if module.keeps_tensor(plan.facts.qualname, event.target):
            yield event.name


def lifted_names(plan: RegionPlan, module: ModuleInfo, names: frozenset[str]) -> tuple[str, ...]:
    """What becomes a tensor when the method is called, of the attributes `names` in which there may be any.

    A graph takes what the methods in it take.
    """
    if plan.compiled and plan.facts.qualname in module.state.methods:
        return tuple(sorted(names))
    return tuple(name for name in taken_names(plan, module) if name in names)


def taken_names(plan: RegionPlan, module: ModuleInfo) -> tuple[str, ...]:
    """The attributes of its object that a method takes as tensors, or leaves tensors in."""
    if plan.facts.qualname not in module.state.methods:
        return ()
    direct = plan.facts.direct | plan.facts.direct_updates
    nodes = (node for node in walk(plan.facts.node) if id(node) in direct)
    taken = {n.attr.value for n in nodes if dotted(n.value) == "self"}  # type: ignore[attr-defined]
    return tuple(sorted(taken.union(_stored_names(plan, module))))


def settle(plan: RegionPlan, names: frozenset[str], module: ModuleInfo, edits: Edits, runtime: str) -> tuple[str, ...]:
    """Have the region read ndarrays where it must not meet tensors; what is settled once, at its beginning."""
    left = plan.facts.direct | plan.facts.direct_updates
    nodes = [node for node in _reads(plan.facts.node, names, runtime) if id(node) not in left]
    body = plan.facts.node.body  # type: ignore[attr-defined]  # a function's
    found = {node.attr.value for node in nodes}
    stays = plan.facts.alone and found.isdisjoint(_stored_names(plan, module))
    if stays and isinstance(body, cst.IndentedBlock) and all(dotted(node.value) == "self" for node in nodes):
        return tuple(sorted(found))
    for node in nodes:
        before = edits.replace.get(id(node))

        def change(updated: Any, before: Any = before) -> cst.BaseExpression:
            return _settled(updated, runtime) if before is None else before(_settled(updated, runtime))

        edits.replace[id(node)] = change
    return ()


def settled_first(body: cst.BaseSuite, names: tuple[str, ...], runtime: str) -> cst.BaseSuite:
    """`body`, which settles the attributes `names` of ``self`` before anything else."""
    if not names or not isinstance(body, cst.IndentedBlock):
        return body
    own = [build.argument(build.string(name)) for name in names]
    line = cst.SimpleStatementLine([cst.Expr(build.call(f"{runtime}.settled", build.argument(cst.Name("self")), *own))])
    first = int(_is_docstring(body.body[0]))
    return body.with_changes(body=[*body.body[:first], line, *body.body[first:]])


def _is_docstring(statement: cst.BaseStatement) -> bool:
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(small, cst.Expr) and isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString))


def with_settled(node: cst.FunctionDef, names: frozenset[str], runtime: str, alone: bool) -> cst.FunctionDef:
    """The function as it is, but that it reads ndarrays where objects may hold tensors.

    `alone`: no other code runs meanwhile: what is an ndarray at its beginning stays one.
    """
    reads = list(_reads(node, names, runtime))
    if not reads:
        return node
    body: Any = node.body
    if alone and isinstance(body, cst.IndentedBlock) and all(dotted(read.value) == "self" for read in reads):
        own = tuple(sorted({read.attr.value for read in reads}))
        return node.with_changes(body=settled_first(body, own, runtime))
    body = body.visit(_Settler({id(read) for read in reads}, runtime))
    return node.with_changes(body=body)


def _settled_before(function: cst.FunctionDef, runtime: str) -> frozenset[str]:
    """The attributes of ``self`` that the function settles at its beginning."""
    for statement in function.body.body[:2]:
        small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        call = small.value if isinstance(small, cst.Expr) else None
        if isinstance(call, cst.Call) and dotted(call.func) == f"{runtime}.settled":
            return frozenset(str(item.value.evaluated_value) for item in call.args[1:])  # type: ignore[attr-defined]
    return frozenset()


def _settled(node: Any, runtime: str) -> cst.Attribute:
    made = build.call(f"{runtime}.settled", build.argument(node.value), build.argument(build.string(node.attr.value)))
    settled: cst.Attribute = node.with_changes(value=made)
    return settled


def _reads(function: cst.CSTNode, names: frozenset[str], runtime: str) -> Iterator[cst.Attribute]:
    """Where the function reads one of the attributes `names`, or updates what it holds."""
    if not names:
        return
    assert isinstance(function, cst.FunctionDef)
    before = _settled_before(function, runtime)
    stored: set[int] = set()
    for part in walk(function.body):
        if isinstance(part, _TARGETS):
            pending: list[Any] = [part.target]
            while pending:
                target = pending.pop()
                stored.add(id(target))
                if isinstance(target, (cst.Tuple, cst.List)):
                    pending.extend(element.value for element in target.elements)
                elif isinstance(target, cst.StarredElement):
                    pending.append(target.value)
        elif isinstance(part, cst.AsName):
            stored.add(id(part.name))
        elif isinstance(part, cst.Attribute) and part.attr.value in names and id(part) not in stored and is_held(part):
            is_settled = isinstance(part.value, cst.Call) and dotted(part.value.func) == f"{runtime}.settled"
            if not is_settled and not (part.attr.value in before and dotted(part.value) == "self"):
                yield part


class _Settler(Transformer):
    def __init__(self, reads: set[int], runtime: str) -> None:
        super().__init__()
        self.reads = reads
        self.runtime = runtime

    def leave_Attribute(  # noqa: N802 # libcst's name
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        return _settled(updated_node, self.runtime) if id(original_node) in self.reads else updated_node

    def leave_FormattedString(  # noqa: N802 # libcst's name
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.BaseExpression:
        return requoted(updated_node)
