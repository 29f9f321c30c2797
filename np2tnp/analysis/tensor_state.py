"""Which attributes of objects may hold tensors from call to call (``--state tensor``), by the module's own text.

Nothing here depends on what becomes of a function, nor on other modules: who reads an attribute so that it could tell a
tensor from an array gets an ndarray, which the object then holds (``rt.settled``). What is left to know beforehand is
whether all who read it in this module can be made to, and whether the object is one of the module's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.values import NO_NAMES, Symbol
from np2tnp.analysis.module import ClassInfo, FunctionInfo, ModuleInfo
from np2tnp.analysis.syntax.python_tables import (
    ARRAY_MEMBERS,
    MEMBERS,
    PYTHON_ATTRIBUTES,
    PYTHON_METHODS,
    VIEW_ATTRIBUTES,
)
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import PARTS, walk
from np2tnp.analysis.tensor_names import TensorState
from np2tnp.catalog.catalog import Catalog

#: What reads attributes by names that nobody can list, or all of them.
_DYNAMIC = frozenset(("vars", "eval", "exec", "getattr", "attrgetter", "asdict", "astuple", "getmembers"))
_DYNAMIC_ATTRIBUTES = frozenset(
    ("__dict__", "__getattribute__", "__getattr__", "__setattr__", "__delattr__", "ctypes", "__array_interface__")
)
_SHALLOW = Symbol("copy.copy")
_OTHER_DTYPES = frozenset("object object_ str str_ bytes bytes_ datetime64 timedelta64 longdouble void".split())
#: Bases and decorators of classes that leave attributes alone.
_PLAIN_BASES = frozenset(("object", "ABC", "abc.ABC", "Generic", "typing.Generic", "Protocol", "typing.Protocol"))
#: Methods that give arrays, of whatever object has them.
_GIVING = ARRAY_MEMBERS - PYTHON_ATTRIBUTES.keys() - PYTHON_METHODS.keys() - VIEW_ATTRIBUTES


def find(module: ModuleInfo, catalog: Catalog, spares: Callable[[str], bool], kept: Container[str]) -> TensorState:
    """Decide about all attributes. `spares`: whether a region must not change; `kept`: originals of an earlier run."""
    found: set[str] = set()
    plain = {name for name, info in module.classes.items() if _is_plain(info, module)}
    foreign: dict[str, str] = {}
    methods: set[str] = set()
    for function in module.functions.values():
        names = set(_assigned_arrays(function, module, catalog))
        if function.owner in plain and function.kind == "method" and _has_self(function):
            found |= names
            methods.add(function.qualname)
        else:
            foreign.update(dict.fromkeys(names, "it belongs to an object of a class that is not all the module's own"))
    declared = frozenset(name for info in module.functions.values() for name in _declared(info))
    found -= declared
    if not found:
        return TensorState(declared, foreign, frozenset(methods))
    if words := _dynamic(module):
        return TensorState(declared, dict.fromkeys(found, words), frozenset(methods))
    stays = {name: words for name, words in foreign.items() if name not in found}
    outside = _outside(module)
    fixed = {
        item.attr.value
        for name, info in module.functions.items()
        if info.is_migrated or name in kept or spares(name)
        for item in walk(info.node)
        if type(item) is cst.Attribute
    }
    called = {id(part.func) for part in walk(module.node) if type(part) is cst.Call}
    members = {
        part.attr.value
        for part in walk(module.node)
        if type(part) is cst.Attribute and part.attr.value in MEMBERS and not is_held(part) and id(part) not in called
    }
    strings = [part.value for part in walk(module.node) if type(part) is cst.SimpleString]
    texts = " ".join(text for text in strings if "{" in text or ">>>" in text)
    bound = frozenset(name for info in module.classes.values() for name in _bound_in(info, info.qualname in plain))
    for name in found:
        if name in members:
            stays[name] = "arrays have a member of that name, and some other object is asked for it"
        elif name in bound:
            stays[name] = "the class itself has something of that name"
        elif name in outside:
            stays[name] = "it is read outside of functions, which stays NumPy"
        elif name in fixed:
            stays[name] = "a function that is not to change reads it"
        elif re.search(rf"\.{name}\b", texts):
            stays[name] = "a text that is formatted, or a doctest, may read it"
    return TensorState(declared.union(found - stays.keys()), stays, frozenset(methods))


def _declared(function: FunctionInfo) -> Iterator[str]:
    """The attributes that a function which an earlier run migrated takes as tensors."""
    for item in function.node.decorators if function.is_migrated else ():
        for argument in item.decorator.args if type(item.decorator) is cst.Call else ():
            if argument.keyword is not None and argument.keyword.value == "tensors":
                texts = (part for part in walk(argument.value) if type(part) is cst.SimpleString)
                yield from (str(part.evaluated_value) for part in texts)


def is_held(node: cst.Attribute) -> bool:
    """Whether an attribute of such a name surely is one of an object: an array has ``.mean``, too."""
    return node.attr.value not in MEMBERS or dotted(node.value) == "self"


def _has_self(function: FunctionInfo) -> bool:
    """Whether its object is ``self`` all the time."""
    parameters = (*function.node.params.posonly_params, *function.node.params.params)
    return bool(parameters) and parameters[0].name.value == "self" and not _rebinds_self(function)


def _rebinds_self(function: FunctionInfo) -> bool:
    targets = (getattr(part, "target", None) for part in walk(function.node.body))
    return any(type(target) is cst.Name and target.value == "self" for target in targets)


def _is_plain(info: ClassInfo, module: ModuleInfo, seen: frozenset[str] = NO_NAMES) -> bool:
    """Whether the module's own text says all that there is about the class."""
    if info.decorators or getattr(info.node, "keywords", ()) or info.qualname in seen:
        return False
    for base in info.node.bases:
        node = base.value.value if type(base.value) is cst.Subscript else base.value
        name = dotted(node)
        if base.star or (name not in _PLAIN_BASES and name not in module.classes):
            return False
        inner = module.classes.get(name)
        if inner is not None and not _is_plain(inner, module, seen | {info.qualname}):
            return False
    return True


def _dynamic(module: ModuleInfo) -> str:
    """How the module reads attributes that nobody can list; empty if it does not."""
    for node in walk(module.node):
        kind = type(node)
        if kind is cst.Attribute and node.attr.value in _DYNAMIC_ATTRIBUTES:  # type: ignore[attr-defined]
            return f"the module reads attributes by .{node.attr.value}"  # type: ignore[attr-defined]
        if kind is cst.FunctionDef and node.name.value in _DYNAMIC_ATTRIBUTES:  # type: ignore[attr-defined]
            return f"the module defines {node.name.value}"  # type: ignore[attr-defined]
        if kind is cst.MatchClass:
            return "a pattern of a match statement may read attributes"
        if kind is cst.Call:
            text = dotted(node.func)  # type: ignore[attr-defined]
            name = text.rpartition(".")[2]
            if name in _DYNAMIC:
                return f"the module reads attributes by {name}()"
            if name == "copy" and _symbol(node.func, module) == _SHALLOW.name:  # type: ignore[attr-defined]
                return "copy.copy() makes two objects of one array"
    return ""


def _symbol(node: cst.BaseExpression, module: ModuleInfo) -> str:
    """The canonical name of what a dotted name of the module's denotes; empty where that is not known."""
    first, dot, rest = dotted(node).partition(".")
    value = module.values.get(first)
    return f"{value.name}{dot}{rest}" if isinstance(value, Symbol) else ""


def _outside(module: ModuleInfo) -> frozenset[str]:
    """Attributes that stand outside of functions: in statements, class bodies, decorators, defaults."""
    regions = {id(info.node) for info in module.functions.values()}
    found: set[str] = set()
    pending: list[Any] = [module.node.body]
    while pending:
        node = pending.pop()
        if id(node) in regions:
            pending += [node.decorators, node.params]
            continue
        if type(node) is cst.Attribute:
            found.add(node.attr.value)
        pending.extend(PARTS[type(node)](node))
    return frozenset(found)


def _bound_in(info: ClassInfo, is_plain: bool) -> Iterator[str]:
    """The names that a class binds itself. An annotation alone binds nothing, where no decorator reads it."""
    body = info.node.body.body
    for statement in body:
        if type(statement) is cst.FunctionDef or type(statement) is cst.ClassDef:
            yield statement.name.value
            continue
        smalls: Iterable[cst.CSTNode] = statement.body if type(statement) is cst.SimpleStatementLine else (statement,)
        for small in smalls:
            if type(small) is cst.AnnAssign and small.value is None and is_plain:
                continue
            slots = type(small) is cst.Assign and dotted(small.targets[0].target) == "__slots__"
            for part in () if slots else walk(small):
                if type(part) is cst.Name:
                    yield part.value


def _assigned_arrays(function: FunctionInfo, module: ModuleInfo, catalog: Catalog) -> Iterator[str]:
    """The attributes to which the function assigns what it makes as an array, by the look of it."""
    bound: dict[str, list[cst.BaseExpression]] = {}
    stores: list[tuple[cst.Attribute, cst.BaseExpression]] = []
    for node in walk(function.node.body):
        if type(node) is cst.Assign:
            pairs = [pair for item in node.targets for pair in _pairs(item.target, node.value)]
        elif type(node) is cst.AnnAssign and node.value is not None:
            pairs = [(node.target, node.value)]
        else:
            continue
        for target, value in pairs:
            if type(target) is cst.Name:
                bound.setdefault(target.value, []).append(value)
            elif type(target) is cst.Attribute and dotted(target.value) == "self":
                stores.append((target, value))
    for target, value in stores:
        if _makes_array(value, bound, module, catalog):
            yield target.attr.value


def _pairs(target: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    displays = (cst.Tuple, cst.List)
    if isinstance(target, displays) and isinstance(value, displays) and len(target.elements) == len(value.elements):
        for one, other in zip(target.elements, value.elements, strict=True):
            yield from _pairs(one.value, other.value)
    else:
        yield target, value


def _is_foreign(call: cst.Call) -> bool:
    """Whether the call makes an array of objects, texts or dates, which no tensor stands for, by the look of it."""
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value == "dtype":
            text = dotted(argument.value) or getattr(argument.value, "raw_value", "x")
            if text.rpartition(".")[2] in _OTHER_DTYPES or str(text)[:1] in "OSUMmVa":
                return True
    first = call.args[0].value if call.args else None
    return isinstance(first, (cst.List, cst.Tuple, cst.BinaryOperation)) and any(
        type(part) is cst.SimpleString or (type(part) is cst.Name and part.value == "None") for part in walk(first)
    )


def _makes_array(
    node: Any, bound: dict[str, list[cst.BaseExpression]], module: ModuleInfo, catalog: Catalog, depth: int = 12
) -> bool:
    """Whether the value of `node` is an array, by the look of it."""

    def makes(*parts: Any) -> bool:
        return depth > 0 and any(_makes_array(part, bound, module, catalog, depth - 1) for part in parts)

    kind = type(node)
    if kind is cst.Call:
        name = _symbol(node.func, module)
        if name:
            fact = catalog.get(name)
            known = name.startswith("numpy") and fact is not None and fact.kind != "dtype" and fact.returns == "array"
            return known and not _is_foreign(node)
        if type(node.func) is not cst.Attribute:
            return False
        method = node.func.attr.value
        drawn = catalog.get(f"numpy.random.{method}")
        if drawn is not None and drawn.kind == "function" and drawn.returns == "array" and method not in _GIVING:
            return not isinstance(node.func.value, cst.Name) or node.func.value.value not in module.values
        return method in _GIVING or (method not in PYTHON_METHODS and makes(node.func.value))
    if kind is cst.BinaryOperation:
        return makes(node.left, node.right)
    if kind is cst.UnaryOperation:
        return type(node.operator) is not cst.Not and makes(node.expression)
    if kind is cst.IfExp:
        return makes(node.body, node.orelse)
    if kind is cst.Attribute:
        return node.attr.value in VIEW_ATTRIBUTES and makes(node.value)
    if kind is cst.Subscript or kind is cst.NamedExpr:
        return makes(node.value)
    return kind is cst.Name and makes(*bound.get(node.value, ()))
