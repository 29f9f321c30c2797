"""Functions of a module that may be handed to a compiler of native code: a wrapper cannot be compiled."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.values import Class, Function, Symbol, Value
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.python_tables import COMPILERS
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import PARTS

#: Where a name is no value of its own.
_NAMED = frozenset((cst.FunctionDef, cst.ClassDef, cst.Param))
_COMPILING, _OURS, _OTHERS = "compiles", "ours", "others"


def compiler_of(qualname: str, info: ModuleInfo, resolve: Callable[[str], Value | None]) -> str:
    """Who hands the module's function `qualname` to a compiler, perhaps; empty where nobody does."""
    if not info.near_compiler:
        return ""
    if info.compiled is None:
        info.compiled = _compiled_functions(info, resolve, info.near_compiler == "own")
    return info.compiled.get(qualname, "")


def _compiled_functions(info: ModuleInfo, resolve: Callable[[str], Value | None], own: bool) -> dict[str, str]:
    """The functions of the module's top level that a compiler may get -> from whom.

    own: the module imports one itself, so whatever it does with a function but to call it may be on the way there.
    Otherwise a module that it imports does: there, what that module's functions get.
    """
    functions = {name for name, function in info.functions.items() if "." not in name and function.owner is None}
    found: dict[str, str] = {}
    harmless: set[int] = set()
    names: list[cst.Name] = []
    stack: list[Any] = [info.node.body]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is cst.Name:
            if node.value in functions:
                names.append(node)
        elif kind is cst.Call:
            harmless.add(id(node.func))
            of, callee = _callee(node.func, info, resolve)
            given = [item for argument in node.args for item in _functions_in(argument.value, functions)]
            if of == _COMPILING or (of == _OURS and not own):
                found.update({item.value: callee for item in given})
                for argument in node.args if of == _COMPILING else ():  # numba.njit(self.kernel), of any class
                    method = argument.value.attr.value if type(argument.value) is cst.Attribute else ""
                    found.update({it: callee for it in info.functions if method and it.endswith(f".{method}")})
            elif of == _OTHERS:
                harmless.update(map(id, given))
        elif kind is cst.Decorator:
            harmless.add(id(node.decorator))
        elif kind is cst.Attribute:
            harmless.update((id(node.value), id(node.attr)))
        elif kind in _NAMED:
            harmless.add(id(node.name))
        stack.extend(PARTS[kind](node))
    if own:
        others = (item.value for item in names if id(item) not in harmless and item.value not in found)
        found.update(dict.fromkeys(others, "code beside numba"))
    return found


def _functions_in(node: cst.BaseExpression, functions: Iterable[str]) -> Iterator[cst.Name]:
    """The names of functions that an argument is, or displays."""
    if type(node) is cst.Name:
        if node.value in functions:
            yield node
    elif isinstance(node, (cst.Tuple, cst.List, cst.Dict)):
        for element in node.elements:
            yield from _functions_in(element.value, functions)


def _callee(node: cst.BaseExpression, info: ModuleInfo, resolve: Callable[[str], Value | None]) -> tuple[str, str]:
    """Whose function is called, and its name; of ``njit(cache=True)(f)`` that of ``njit``."""
    while type(node) is cst.Call:
        node = node.func
    name = dotted(node)
    first, _, rest = name.partition(".")
    value: Value | None = info.values.get(first)
    if isinstance(value, Symbol):
        full = f"{value.name}.{rest}" if rest else value.name
        if full.partition(".")[0] in COMPILERS:
            return _COMPILING, full
        value = resolve(full)
        if value is None:  # what is ours may be bound more than once
            return (_OURS if full.partition(".")[0] in {"", *info.first_party} else _OTHERS), full
    if isinstance(value, (Function, Class)):
        return _OURS, name
    return (_OTHERS if value is None and hasattr(builtins, first) else ""), name
