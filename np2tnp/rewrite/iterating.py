"""Loops over what may be arrays: their heads as ``rt.for_each`` takes them."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from np2tnp.analysis.syntax.liveness import Names
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.edits import build

_RUNTIME = {"enumerate": "each_numbered", "zip": "each_of"}


def source(node: cst.BaseExpression, runtime: str, shadowed: Names, lists: Names) -> cst.BaseExpression | None:
    """What is iterated over, for the runtime; None where no array is. `lists`: names that certainly are none."""
    func = dotted(node.func) if isinstance(node, cst.Call) else ""
    if isinstance(node, cst.Call) and func == f"{runtime}.elements":
        return source(node.args[0].value, runtime, shadowed, lists)
    if isinstance(node, cst.Call) and func in _RUNTIME and func not in shadowed:
        if any(arg.star for arg in node.args) or any(arg.keyword is not None for arg in node.args[:1]):
            return None
        if any(arg.keyword is not None and (func == "zip" or arg.keyword.value != "start") for arg in node.args):
            return None
        count = 1 if func == "enumerate" else len(node.args)
        found = [source(arg.value, runtime, shadowed, lists) for arg in node.args[:count]]
        if not any(found):
            return None
        parts = [
            arg if value is None else arg.with_changes(value=build.bare(value))
            for arg, value in zip(node.args, found, strict=False)
        ]
        called = node.with_changes(args=[*parts, *node.args[count:]])
        return called.with_changes(func=build.name(f"{runtime}.{_RUNTIME[func]}"))
    if isinstance(node, cst.Name):
        return None if node.value in lists else node
    if isinstance(node, (cst.Subscript, cst.BinaryOperation, cst.Attribute)):
        return node
    is_read = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "get"
    return node if is_read or func.startswith((f"{runtime}.", "tnp.")) else None


def unpacked(
    target: cst.BaseExpression,
    item: str,
    runtime: str,
    fresh: Callable[[str], str],
    iterated: cst.BaseExpression | None,
) -> list[cst.BaseStatement] | None:
    """Statements that bind `target` to the item of that name; None where it binds more than names.

    iterated : what it is an item of.
    """
    if isinstance(target, cst.Name):
        return [cst.SimpleStatementLine([build.assign(target, cst.Name(item))])]
    if not isinstance(target, (cst.Tuple, cst.List)):
        return None
    names: list[str] = []
    inner: list[cst.BaseStatement] = []
    sources = _sources(iterated, runtime)
    for number, element in enumerate(target.elements):
        if isinstance(element, cst.StarredElement):
            return None
        if isinstance(element.value, cst.Name):
            names.append(element.value.value)
            continue
        name = fresh("part")
        statements = unpacked(element.value, name, runtime, fresh, sources[number] if number < len(sources) else None)
        if statements is None:
            return None
        names.append(name)
        inner += statements
    if len(names) < 2:
        return None
    value: cst.BaseExpression = cst.Name(item)
    if not sources:  # it may be an array
        value = build.call(f"{runtime}.elements", build.argument(value))
    return [cst.SimpleStatementLine([build.assign(build.names_tuple(names), value)]), *inner]


def _sources(iterated: cst.BaseExpression | None, runtime: str) -> list[cst.BaseExpression | None]:
    """What the parts of an item are items of, where it is a tuple of Python's; else nothing."""
    func = dotted(iterated.func) if isinstance(iterated, cst.Call) else ""
    if not isinstance(iterated, cst.Call) or func not in [f"{runtime}.{name}" for name in _RUNTIME.values()]:
        return []
    if func.endswith(".each_of"):
        return [argument.value for argument in iterated.args]
    return [None, iterated.args[0].value]
