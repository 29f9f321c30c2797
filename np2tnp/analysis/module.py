"""The functions and classes of one module, and what its top level binds each name to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from np2tnp.analysis.values import NO_NAMES, Value


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
    attributes: dict[str, Value] | None = None  #: what ``self.name`` was assigned, joined over all methods; None until asked for


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


class _Bindings(cst.CSTVisitor):
    """Names that a function's own body binds, nested functions apart."""

    def __init__(self) -> None:
        super().__init__()
        self.bound: set[str] = set()
        self.declared: set[str] = set()
        self.outer = True

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        if self.outer:
            self.outer = False
            return True
        self.bound.add(node.name.value)
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self.bound.add(node.name.value)
        return False

    def visit_CompFor(self, node: cst.CompFor) -> bool:
        return False

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._target(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._target(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._target(node.target)

    def visit_For(self, node: cst.For) -> None:
        self._target(node.target)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._target(node.target)

    def visit_AsName(self, node: cst.AsName) -> None:
        self._target(node.name)

    def visit_ImportAlias(self, node: cst.ImportAlias) -> None:
        if node.asname is None:
            self.bound.add(dotted(node.name).split(".")[0])

    def visit_MatchAs(self, node: cst.MatchAs) -> None:
        if node.name is not None:
            self.bound.add(node.name.value)

    def visit_Global(self, node: cst.Global) -> None:
        self.declared.update(item.name.value for item in node.names)

    def visit_Nonlocal(self, node: cst.Nonlocal) -> None:
        self.declared.update(item.name.value for item in node.names)

    def _target(self, target: cst.CSTNode) -> None:
        if isinstance(target, cst.Name):
            self.bound.add(target.value)
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._target(element.value)


def bound_names(function: cst.FunctionDef) -> tuple[set[str], set[str]]:
    """Names bound in the function's own scope (parameters included), and names it declares global or nonlocal."""
    visitor = _Bindings()
    function.visit(visitor)
    for parameter in parameters_of(function.params):
        visitor.bound.add(parameter.name.value)
    return visitor.bound - visitor.declared, visitor.declared


def _all_global_names(function: cst.FunctionDef) -> set[str]:
    class Globals(cst.CSTVisitor):
        names: set[str] = set()

        def visit_Global(self, node: cst.Global) -> None:
            self.names = self.names | {item.name.value for item in node.names}

    visitor = Globals()
    function.visit(visitor)
    return visitor.names


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
