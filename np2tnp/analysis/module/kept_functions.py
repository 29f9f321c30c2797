"""Nested functions that go where somebody may call them later: into objects, containers and other functions."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Mapping

import libcst as cst

from np2tnp.analysis.syntax.scopes import parameters_of
from np2tnp.analysis.syntax.walk import walk

#: Builtins that call what they get while their result is read, and keep it no longer.
_CALLING = frozenset(("map", "filter", "sorted", "min", "max"))
#: Those of them that call it when their result is asked for an item, and what passes items on.
_LAZY = frozenset(("map", "filter"))
_PASSING = _LAZY | {"zip", "enumerate"}
#: Builtins that go through what they get before they return.
_READING = frozenset("list tuple set frozenset dict sum min max any all sorted next".split())

#: Methods by which containers keep what they get.
KEEPING = frozenset(("append", "appendleft", "add", "insert", "setdefault"))

_Nested = cst.Lambda | cst.FunctionDef


def kept_functions(region: cst.CSTNode) -> frozenset[int]:
    """Nested functions and lambdas of `region`, by id, that are not only called and handed over in it.

    What such a function calls is kept with it.
    """
    lambdas: dict[int, _Nested] = {}
    named: defaultdict[str, list[_Nested]] = defaultdict(list)
    outer: set[str] = set()  # names declared global: what is bound to them is kept by the module
    plain: set[int] = set()  # ids of expressions that stand where nothing keeps a function
    lazy: list[tuple[cst.Call, cst.Name | None]] = []  # calls of ``map`` and its like, and what gets the result
    read: set[int] = set()  # ids of expressions that loops and builtins go through
    names: list[cst.Name] = []
    for node in walk(region):
        kind = type(node)
        if kind is cst.Name:
            names.append(node)  # type: ignore[arg-type]
        elif kind is cst.Lambda:
            lambdas[id(node)] = node  # type: ignore[assignment]
        elif kind is cst.Global:
            outer.update(item.name.value for item in node.names)  # type: ignore[attr-defined]
        elif kind is cst.FunctionDef and node is not region:
            assert isinstance(node, cst.FunctionDef)
            named[node.name.value].append(node)
        _note_read(node, read)
        _note_lazy(node, lazy)
        _note_plain(node, plain, named)
    for call, target in lazy:
        uses = [each for each in names if target and each.value == target.value and each is not target]
        if id(call) in read or (target and all(id(each) in read for each in uses)):
            plain.update(id(argument.value) for argument in call.args if not argument.star)
    kept = [node for key, node in lambdas.items() if key not in plain]
    used = {name.value for name in names if name.value in named and id(name) not in plain} | (outer & named.keys())
    return _with_callees(kept, used, named)


def _with_callees(kept: list[_Nested], used: set[str], named: Mapping[str, list[_Nested]]) -> frozenset[int]:
    found: set[int] = set()
    pending = [*kept, *(node for name in used for node in named[name])]
    while pending:
        node = pending.pop()
        if id(node) not in found:
            found.add(id(node))
            read = {part.value for part in walk(node.body) if type(part) is cst.Name}
            pending.extend(each for name in read if name in named for each in named[name])
    return frozenset(found)


def _note_read(node: cst.CSTNode, found: set[int]) -> None:
    """Note what `node`, which is met before its parts, goes through: a loop, or a call."""
    kind = type(node)
    if kind is cst.For or kind is cst.CompFor:
        pending = [node.iter]  # type: ignore[attr-defined]
    elif kind is cst.Call and getattr(node.func, "value", "") in _READING:  # type: ignore[attr-defined]
        pending = [argument.value for argument in node.args]  # type: ignore[attr-defined]
    elif kind is cst.Assign and type(node.targets[0].target) in (cst.Tuple, cst.List):  # type: ignore[attr-defined]
        pending = [node.value]  # type: ignore[attr-defined]
    else:
        return
    while pending:
        part = pending.pop()
        found.add(id(part))
        if type(part) is cst.Call and type(part.func) is cst.Name and part.func.value in _PASSING:
            pending.extend(argument.value for argument in part.args)


def _note_lazy(node: cst.CSTNode, found: list[tuple[cst.Call, cst.Name | None]]) -> None:
    """Note calls whose results run functions later; those that are bound to a name come with it first."""
    kind = type(node)
    value: cst.CSTNode = node.value if kind is cst.Assign else node  # type: ignore[attr-defined]
    if type(value) is cst.Call and type(value.func) is cst.Name and value.func.value in _LAZY:
        target = node.targets[0].target if kind is cst.Assign and len(node.targets) == 1 else None  # type: ignore[attr-defined]
        found.append((value, target if type(target) is cst.Name else None))


def _note_plain(node: cst.CSTNode, plain: set[int], named: defaultdict[str, list[_Nested]]) -> None:
    kind = type(node)
    if kind is cst.Call:
        assert isinstance(node, cst.Call)
        plain.add(id(node.func))
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in KEEPING:
            return
        name = node.func.value if isinstance(node.func, cst.Name) else ""
        if name in _LAZY:
            return
        if name in _CALLING or not hasattr(builtins, name or " "):
            plain.update(id(argument.value) for argument in node.args if not argument.star)
    elif kind is cst.Attribute:
        plain.add(id(node.attr))  # type: ignore[attr-defined]
    elif kind is cst.FunctionDef or kind is cst.Param:
        plain.add(id(node.name))  # type: ignore[attr-defined]
    elif kind is cst.AssignTarget:
        plain.add(id(node.target))  # type: ignore[attr-defined]
    elif kind is cst.Assign:
        assert isinstance(node, cst.Assign)
        target = node.targets[0].target
        if len(node.targets) == 1 and isinstance(target, cst.Name) and isinstance(node.value, cst.Lambda):
            plain.add(id(node.value))
            named[target.value].append(node.value)


def names_captured(node: _Nested, own: set[str]) -> set[str]:
    """Names that the nested function reads from around it, in its defaults as well; `own`: those that it binds."""
    inside = {part.value for part in walk(node.body) if type(part) is cst.Name} - own
    for parameter in parameters_of(node.params):
        if parameter.default is not None:
            inside.update(part.value for part in walk(parameter.default) if type(part) is cst.Name)
    return inside
