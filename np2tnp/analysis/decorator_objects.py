"""Decorators that are classes, objects or their methods: which function of the project says what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from np2tnp.analysis.decorating import CALLS, NOT_KNOWN, OBJECT, SAME, asked_of, effects_of, watches
from np2tnp.analysis.domain.values import Class, Function, Symbol
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.python_tables import TRANSPARENT_DECORATORS, WRAPPING_DECORATORS
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk

if TYPE_CHECKING:
    from np2tnp.analysis.regions import Analysis

#: Bases that bring no methods.
_PLAIN_BASES = frozenset(("", "object", "ABC", "abc.ABC", "Generic", "typing.Generic"))
_PLAIN_METHODS = frozenset(("staticmethod", "classmethod"))


def effects_in(name: str, analysis: Analysis) -> tuple[str, str]:
    """What the module's `name` does as a decorator, and what the decorator does that it makes.

    name: as ``decorating.asked_of`` writes it.
    """
    first = name.partition(OBJECT)[0].partition(".")[0]
    if first in analysis.info.rebound:
        return NOT_KNOWN
    imported = _imported(first, analysis.info)
    effects = [_of_import(full + "".join(name.partition(".")[1:]), analysis) for full in imported]
    if not imported or _defines(first, analysis.info):
        effects.append(_effects_of_own(name, analysis))
    return _weakest([first for first, _ in effects]), _weakest([made for _, made in effects])


def _weakest(effects: list[str]) -> str:
    """What holds whichever of the effects it is."""
    return "" if "" in effects else CALLS if CALLS in effects else SAME


def _imported(name: str, module: ModuleInfo) -> list[str]:
    """What the module imports as `name`, one of the names that it binds more than once, anywhere at its top level."""
    found = []
    for statement in module.node.body:
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            continue
        for part in walk(statement):
            if isinstance(part, cst.ImportFrom) and not isinstance(part.names, cst.ImportStar):
                before = "." * len(part.relative) + (dotted(part.module) if part.module is not None else "")
                for alias in part.names:
                    if (alias.evaluated_alias or alias.evaluated_name) == name:
                        dot = "" if before.endswith(".") else "."
                        found.append(f"{before}{dot}{alias.evaluated_name}")
    return found


def _of_import(name: str, analysis: Analysis) -> tuple[str, str]:
    if name in WRAPPING_DECORATORS or name in TRANSPARENT_DECORATORS:
        return CALLS, CALLS
    value = analysis.resolve(name)
    asked = asked_of(value) if value is not None else None
    return NOT_KNOWN if asked is None else analysis.decorating(asked)


def _defines(name: str, module: ModuleInfo) -> bool:
    """Whether the module itself makes something of that name, besides what it imports."""
    made = any(_bound_to(name, statement) for statement in module.node.body)
    return made or name in module.functions or name in module.classes


def _effects_of_own(name: str, analysis: Analysis) -> tuple[str, str]:
    """What the function, class or object `name` of the module does."""
    module = analysis.info
    if f"{name}#2" in module.functions or f"{name}#2" in module.classes:
        return NOT_KNOWN
    function = module.functions.get(name)
    if function is not None:
        if function.owner is None:
            return effects_of(function.node, module)
        plain = _PLAIN_METHODS.issuperset(function.decorators)
        return effects_of(function.node, module, int(function.kind != "static")) if plain else NOT_KNOWN
    owner, _, method = name.rpartition(".")
    if name in module.classes:
        return _of_class(name, analysis)
    if name.endswith(OBJECT):
        owner, method = name, "__call__"
    if owner.endswith(OBJECT):
        return _of_method(owner.removesuffix(OBJECT), method, analysis, ("method", "class", "static", "decorated"))
    if owner in module.classes:  # one that it inherits
        return _of_method(owner, method, analysis, ("class", "static"))
    if "." in owner or (owner and not method):
        return NOT_KNOWN
    held = owner or name
    if held in module.functions and method == "register":
        named = any(item.rpartition(".")[2] == "singledispatch" for item in module.functions[held].decorators)
        return (CALLS, CALLS) if named else NOT_KNOWN
    made = _class_of(held, analysis)
    if made is None:
        return NOT_KNOWN
    text = f"{made.qualname}{OBJECT}" + (f".{method}" if owner else "")
    return analysis.decorating(Function(text, module=made.module))


def _of_method(owner: str, method: str, analysis: Analysis, kinds: tuple[str, ...]) -> tuple[str, str]:
    """Of the method of a class of the module, which it may inherit."""
    known = analysis.class_of(Class(owner, analysis.path))
    found = known.methods.get(method) if known is not None else None
    if found is None or found[1] not in kinds or not found[0].qualname:
        return NOT_KNOWN
    return analysis.decorating(found[0])


def _of_class(name: str, analysis: Analysis) -> tuple[str, str]:
    """Of a class: its objects stand for the functions, or are the decorators."""
    module = analysis.info
    info = module.classes[name]
    plain = all(not item.keyword and _name(item.value) in _PLAIN_BASES for item in info.node.bases)
    if not plain or info.node.keywords or info.decorators or "__new__" in info.methods or watches(info.node):
        return NOT_KNOWN
    init, call = (module.functions.get(info.methods.get(method, "")) for method in ("__init__", "__call__"))
    if call is None or call.decorators or (init is not None and init.decorators):
        return NOT_KNOWN
    kept = effects_of(init.node, module, 1)[0] if init is not None else ""
    return kept and CALLS, effects_of(call.node, module, 1)[0]


def _name(node: cst.BaseExpression) -> str:
    return dotted(node.value if isinstance(node, cst.Subscript) else node)


def _class_of(name: str, analysis: Analysis) -> Class | None:
    """The class of which the module's `name` is an object, which only one statement makes."""
    module = analysis.info
    if name in module.rebound:
        return None
    values = [item for statement in module.node.body for item in _bound_to(name, statement)]
    value = values[0] if len(values) == 1 else None
    return _class_called(value, module, analysis) if isinstance(value, cst.Call) else None


def _bound_to(name: str, statement: cst.CSTNode) -> list[cst.BaseExpression | None]:
    """What `statement` binds `name` to, None where that is no expression of its own."""
    found: list[cst.BaseExpression | None] = []
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return found
    for part in walk(statement):
        if isinstance(part, cst.Assign):
            found += [part.value for item in part.targets if dotted(item.target) == name]
        elif isinstance(part, cst.AnnAssign):
            found += [part.value] if part.value is not None and dotted(part.target) == name else []
        elif isinstance(part, (cst.Tuple, cst.For, cst.With, cst.NamedExpr)) and _mentions(part, name):
            found.append(None)
    return found


def _mentions(node: cst.CSTNode, name: str) -> bool:
    return any(isinstance(part, cst.Name) and part.value == name for part in walk(node))


def _class_called(node: cst.Call, module: ModuleInfo, analysis: Analysis) -> Class | None:
    first, _, rest = dotted(node.func).partition(".")
    value = module.values.get(first)
    if isinstance(value, Symbol):
        value = analysis.resolve(f"{value.name}.{rest}" if rest else value.name)
    elif rest:
        return None
    return value if isinstance(value, Class) else None
