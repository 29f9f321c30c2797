"""The functions and classes of one module, and what its top level binds each name to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from np2tnp.analysis.values import NO_NAMES, Value
from np2tnp.analysis.walk import walk


@dataclass(slots=True)
class FunctionInfo:
    """One function or method that is a region of its own (outermost)."""

    qualname: str
    node: cst.FunctionDef
    owner: str | None = None  #: qualname of the class it is a method of
    locals: frozenset[str] = NO_NAMES
    globals: frozenset[str] = NO_NAMES


@dataclass(slots=True)
class ClassInfo:
    """A class of the module's top level (or nested in another class)."""

    qualname: str
    node: cst.ClassDef
    methods: dict[str, str] = field(default_factory=dict)  #: method name -> qualname
    attributes: dict[str, Value] | None = (
        None  #: what ``self.name`` was assigned, joined over all methods; None until asked for
    )


@dataclass(slots=True)
class ModuleInfo:
    """What a module defines. ``values`` is filled by interpreting its top level."""

    node: cst.Module
    functions: dict[str, FunctionInfo] = field(default_factory=dict)
    classes: dict[str, ClassInfo] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    rebound: frozenset[str] = NO_NAMES  #: module names that some function rebinds with ``global``
    written: set[str] = field(default_factory=set)  #: module names some function writes into
    name_of: dict[int, str] = field(default_factory=dict)  #: id of a FunctionDef or ClassDef -> qualname


def collect(tree: cst.Module) -> ModuleInfo:
    """Find the regions of a module: functions at top level (under if/try/with too) and methods of its classes."""
    info = ModuleInfo(tree)
    rebound: set[str] = set()
    _collect_body(tree.body, "", None, info, rebound)
    info.rebound = frozenset(rebound)
    return info


def _collect_body(
    body: tuple[cst.BaseStatement, ...] | list[cst.BaseStatement] | object,
    prefix: str,
    owner: ClassInfo | None,
    info: ModuleInfo,
    rebound: set[str],
) -> None:
    for statement in statements_of(body):
        if isinstance(statement, cst.FunctionDef):
            qualname = _unused(prefix + statement.name.value, info.functions)
            assigned, declared = bound_names(statement)
            info.functions[qualname] = FunctionInfo(
                qualname, statement, owner.qualname if owner else None, frozenset(assigned), frozenset(declared)
            )
            info.name_of[id(statement)] = qualname
            rebound.update(_all_global_names(statement))
            if owner is not None:
                owner.methods[statement.name.value] = qualname
        elif isinstance(statement, cst.ClassDef):
            qualname = _unused(prefix + statement.name.value, info.classes)
            inner = ClassInfo(qualname, statement)
            info.classes[qualname] = inner
            info.name_of[id(statement)] = qualname
            _collect_body(statement.body, qualname + ".", inner, info, rebound)
        else:
            for block in blocks_of(statement):
                _collect_body(block, prefix, owner, info, rebound)


def _unused(name: str, taken: object) -> str:
    """`name`, or ``name#2`` where a definition of that name came before."""
    number, candidate = 1, name
    while candidate in taken:  # type: ignore[operator]
        number += 1
        candidate = f"{name}#{number}"
    return candidate


def statements_of(body: object) -> list[cst.BaseStatement]:
    """The statements of a module body, an indented block or a one-line suite (the latter has only small statements)."""
    if isinstance(body, cst.IndentedBlock):
        return list(body.body)
    if isinstance(body, (list, tuple)):
        return list(body)
    return []


def blocks_of(statement: cst.CSTNode) -> Iterator[object]:
    """The suites of a compound statement, in source order."""
    if isinstance(statement, cst.If):
        yield statement.body
        if isinstance(statement.orelse, cst.If):
            yield from blocks_of(statement.orelse)
        elif statement.orelse is not None:
            yield statement.orelse.body
    elif isinstance(statement, (cst.For, cst.While)):
        yield statement.body
        if statement.orelse is not None:
            yield statement.orelse.body
    elif isinstance(statement, (cst.Try, cst.TryStar)):
        yield statement.body
        for handler in statement.handlers:
            yield handler.body
        if statement.orelse is not None:
            yield statement.orelse.body
        if statement.finalbody is not None:
            yield statement.finalbody.body
    elif isinstance(statement, cst.With):
        yield statement.body
    elif isinstance(statement, cst.Match):
        for case in statement.cases:
            yield case.body


_SCOPES = (cst.FunctionDef, cst.Lambda, cst.ClassDef)


def bound_names(function: cst.FunctionDef) -> tuple[set[str], set[str]]:
    """Names bound in the function's own scope (parameters included), and names it declares global or nonlocal."""
    bound = {parameter.name.value for parameter in parameters_of(function.params)}
    declared: set[str] = set()
    for node in walk(function.body, _SCOPES + (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)):
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            bound.add(node.name.value)
        elif isinstance(node, (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr)):
            bound.update(_target_names(node.target))
        elif isinstance(node, cst.AsName):
            bound.update(_target_names(node.name))
        elif isinstance(node, cst.ImportAlias) and node.asname is None:
            bound.add(dotted(node.name).split(".")[0])
        elif isinstance(node, (cst.MatchAs, cst.MatchStar)) and node.name is not None:
            bound.add(node.name.value)
        elif isinstance(node, (cst.Global, cst.Nonlocal)):
            declared.update(item.name.value for item in node.names)
    return bound - declared, declared


def _target_names(target: cst.CSTNode) -> Iterator[str]:
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from _target_names(element.value)


def _all_global_names(function: cst.FunctionDef) -> set[str]:
    return {item.name.value for node in walk(function.body) if isinstance(node, cst.Global) for item in node.names}


def parameters_of(parameters: cst.Parameters) -> list[cst.Param]:
    """All parameters in order, ``*args`` and ``**kwargs`` included."""
    result = [*parameters.posonly_params, *parameters.params]
    if isinstance(parameters.star_arg, cst.Param):
        result.append(parameters.star_arg)
    result.extend(parameters.kwonly_params)
    if parameters.star_kwarg is not None:
        result.append(parameters.star_kwarg)
    return result


def dotted(node: cst.CSTNode) -> str:
    """``a.b.c`` of a chain of attributes, or "" for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        left = dotted(node.value)
        return f"{left}.{node.attr.value}" if left else ""
    return ""
