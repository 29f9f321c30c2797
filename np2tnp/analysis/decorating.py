"""What the decorators of a region do with its function, as far as their own text tells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from np2tnp.analysis.env import Env
from np2tnp.analysis.module import ModuleInfo, dotted, parameters_of, statements_of
from np2tnp.analysis.values import Function, Symbol
from np2tnp.analysis.walk import walk

if TYPE_CHECKING:
    from np2tnp.analysis.interpret import Interpreter

#: Effects: the decorator gives back the very function; it only calls, names and keeps it.
SAME, CALLS = "same", "calls"

_COPYING = frozenset(("functools.wraps", "functools.update_wrapper"))
_KEEPING = frozenset(("append", "add", "insert", "setdefault"))  #: methods by which registries take a function
_NAMES = frozenset(("__name__", "__qualname__", "__module__", "__doc__"))

#: NumPy's errors and warnings come out of NumPy alone: who looks for them would find none.
_WATCHING = frozenset("errstate seterr seterrcall catch_warnings simplefilter filterwarnings".split())


def note_decorators(node: cst.FunctionDef, interpreter: Interpreter, wrapped: bool) -> None:
    """Tell of each decorator of the region `node`; `wrapped`: what it gets takes and gives ndarrays."""
    interpreter.statement = node
    for decorator in node.decorators:
        call = decorator.decorator if type(decorator.decorator) is cst.Call else None
        value = interpreter.callee(decorator.decorator if call is None else call.func, Env())
        effect = ""
        if wrapped and isinstance(value, Function) and not value.nested:
            summary = interpreter.services.summary(value)
            effect = "" if summary is None else summary.decorates if call is None else summary.makes
        if effect != SAME:
            kind = "wrapping decorator" if effect == CALLS else "decorator"
            interpreter.construct(decorator, kind, interpreter.decorator_name(decorator, Env()))


def effect_of(function: cst.FunctionDef, module: ModuleInfo) -> str:
    """What the decorator `function` does with the function that it gets: SAME, CALLS or "" (more, or not known)."""
    parameters = parameters_of(function.params)
    if not parameters or function.asynchronous is not None:
        return ""
    name = parameters[0].name.value
    harmless: set[int] = set()
    for node in walk(function.body):
        kind = type(node)
        if kind is cst.Name:
            assert isinstance(node, cst.Name)
            if node.value in _WATCHING or (node.value == name and id(node) not in harmless):
                return ""
        elif kind is cst.Yield or kind is cst.ClassDef:
            return ""
        else:
            harmless.update(map(id, _harmless(node, module)))
    returned = _returned(function)
    same = returned and all(type(node) is cst.Name and node.value == name for node in returned)
    return SAME if same else CALLS


def effect_of_made(function: cst.FunctionDef, module: ModuleInfo) -> str:
    """What the decorator that `function` returns, one nested in it, does with the function that it gets."""
    if not any(type(statement) is cst.FunctionDef for statement in statements_of(function.body)):
        return ""
    nested = [node for node in _own(function) if type(node) is cst.FunctionDef]
    names = {node.value if type(node) is cst.Name else "" for node in _returned(function)}
    if len(names) != 1 or [node.name.value for node in nested].count(name := names.pop()) != 1:
        return ""
    bound = [node for node in walk(function.body) if type(node) is cst.AssignTarget and dotted(node.target) == name]
    return "" if bound else effect_of(next(node for node in nested if node.name.value == name), module)


def _harmless(node: cst.CSTNode, module: ModuleInfo) -> Iterator[cst.CSTNode | None]:
    """Names below `node` that stand where a function is called, returned, kept or named, and names of attributes."""
    if type(node) is cst.Call:
        yield node.func
        is_method = type(node.func) is cst.Attribute and node.func.attr.value in _KEEPING
        if is_method or _canonical(node.func, module) in _COPYING:
            yield from (argument.value for argument in node.args if not argument.star)
    elif type(node) is cst.Return:
        yield node.value
    elif type(node) is cst.Attribute:
        yield node.attr
        if node.attr.value in _NAMES:
            yield node.value
    elif type(node) is cst.Assign:
        targets = [item.target for item in node.targets]
        if all(type(target) in (cst.Subscript, cst.Attribute) for target in targets):
            yield node.value
        for target in targets:  # f.rank = 2
            if type(target) is cst.Attribute and not target.attr.value.startswith("__"):
                yield target.value


def _canonical(node: cst.BaseExpression, module: ModuleInfo) -> str:
    first, _, rest = dotted(node).partition(".")
    value = module.values.get(first)
    return f"{value.name}.{rest}".rstrip(".") if isinstance(value, Symbol) else ""


def _returned(function: cst.FunctionDef) -> list[cst.BaseExpression | None]:
    return [node.value for node in _own(function) if type(node) is cst.Return]


def _own(function: cst.FunctionDef) -> Iterator[cst.CSTNode]:
    """The statements of `function`, without those of functions and classes nested in it."""
    inner: set[int] = set()
    for node in walk(function.body):
        if id(node) in inner:
            continue
        yield node
        if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            inner.update(map(id, walk(node)))
