"""Lists that only one name of a function ever denotes: what is put into such a one, nobody else's container holds."""

from __future__ import annotations

from collections.abc import Set

import libcst as cst

from np2tnp.analysis.syntax.python_tables import CONTAINER_MUTATORS, KEEPING_METHODS
from np2tnp.analysis.syntax.scopes import dotted, parameters_of
from np2tnp.analysis.syntax.walk import walk

#: Builtins that read a list and do not give it back.
_READING = frozenset("all any bool enumerate len list reversed set sorted str sum tuple zip".split())
_METHODS = CONTAINER_MUTATORS | KEEPING_METHODS | {"copy", "count", "index", "pop", "popleft"}


def private_lists(region: cst.FunctionDef, makers: Set[str]) -> frozenset[str]:
    """Names that `region` binds to new lists alone, and never gives to anybody: no second name, object or callee.

    makers: dotted names of what makes new lists and queues.
    """
    made: set[str] = set()
    mentions: list[str] = []  # how often each name stands anywhere ...
    private: list[str] = []  # ... and where it gives the list to nobody
    given = {parameter.name.value for parameter in parameters_of(region.params)}
    for node in walk(region.body):
        kind = type(node)
        if kind is cst.Name:
            mentions.append(node.value)  # type: ignore[attr-defined]
        elif kind is cst.FunctionDef or kind is cst.Lambda or kind is cst.Global or kind is cst.Nonlocal:
            given.update(part.value for part in walk(node) if type(part) is cst.Name)
        else:
            private.extend(name.value for name in _harmless(node) if type(name) is cst.Name)
            if kind is cst.Assign and _is_new(node.value, makers):  # type: ignore[attr-defined]
                target = node.targets[0].target  # type: ignore[attr-defined]
                if len(node.targets) == 1 and type(target) is cst.Name:  # type: ignore[attr-defined]
                    private.append(target.value)
                    made.add(target.value)
    return frozenset(name for name in made - given if mentions.count(name) == private.count(name))


def _is_new(value: cst.BaseExpression, makers: Set[str]) -> bool:
    if type(value) is cst.Call:
        return dotted(value.func) in makers
    return type(value) is cst.List or type(value) is cst.ListComp


def _harmless(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The expressions directly in `node` that it uses without keeping them or giving them on."""
    kind = type(node)
    if kind is cst.Call:
        assert isinstance(node, cst.Call)
        method = node.func
        if type(method) is cst.Attribute and method.attr.value in _METHODS:
            return [method.value]
        name = dotted(node.func) or ""
        alone = len(node.args) == 1 and name in ("max", "min")  # of several, one is given back
        reads = alone or name in _READING or name.startswith(("np.", "numpy."))
        return [argument.value for argument in node.args if reads and not argument.star]
    if kind is cst.Subscript:
        return [node.value]  # type: ignore[attr-defined]
    if kind is cst.While or kind is cst.If or kind is cst.IfExp:
        return [node.test]  # type: ignore[attr-defined]
    if kind is cst.For or kind is cst.CompFor:
        return [node.iter]  # type: ignore[attr-defined]
    if kind is cst.UnaryOperation and type(node.operator) is cst.Not:  # type: ignore[attr-defined]
        return [node.expression]  # type: ignore[attr-defined]
    if kind is cst.AugAssign:
        return [node.target]  # type: ignore[attr-defined]
    if kind is cst.Return:
        return [node.value] if node.value is not None else []  # type: ignore[attr-defined]
    return []
