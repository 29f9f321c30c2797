"""What the decorators of a region do with its function, as far as their own text tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from np2tnp.analysis.compiled import compiler_of
from np2tnp.analysis.env import Env
from np2tnp.analysis.module import ModuleInfo, dotted, parameters_of, statements_of
from np2tnp.analysis.values import Function, Symbol
from np2tnp.analysis.walk import none_test, walk

if TYPE_CHECKING:
    from np2tnp.analysis.interpret import Interpreter

#: Effects: the decorator gives back the very function; it only calls, names and keeps it. Else "": more, or not known.
SAME, CALLS = "same", "calls"
NOT_KNOWN = ("", "")

_COPYING = frozenset(("functools.wraps", "functools.update_wrapper"))
_KEEPING = frozenset(("append", "add", "insert", "setdefault"))  #: methods by which registries take a function
_NAMES = frozenset(("__name__", "__qualname__", "__module__", "__doc__"))

_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
_DEPTH = 3  #: decorators that call decorators: deeper than this they call each other

#: NumPy's errors and warnings come out of NumPy alone: who looks for them would find none.
_WATCHING = frozenset("errstate seterr seterrcall catch_warnings simplefilter filterwarnings".split())


def note_decorators(node: cst.FunctionDef, interpreter: Interpreter, wrapped: bool) -> None:
    """Tell of each decorator of the region `node`; `wrapped`: what it gets takes and gives ndarrays."""
    interpreter.statement = node
    module = interpreter.module
    compiler = compiler_of(module.name_of.get(id(node), ""), module, interpreter.services.resolve)
    if compiler:
        interpreter.construct(node, "compiled function", compiler)
    for decorator in node.decorators:
        call = decorator.decorator if type(decorator.decorator) is cst.Call else None
        value = interpreter.callee(decorator.decorator if call is None else call.func, Env())
        effect = ""
        if wrapped and isinstance(value, Function) and not value.nested:
            known = interpreter.services.summary(value) is not None
            effects = interpreter.services.decorating(value) if known else NOT_KNOWN
            effect = effects[call is not None]
        if effect != SAME:
            kind = "wrapping decorator" if effect == CALLS else "decorator"
            interpreter.construct(decorator, kind, interpreter.decorator_name(decorator, Env()))


def effects_of(function: cst.FunctionDef, module: ModuleInfo) -> tuple[str, str]:
    """What `function` does as a decorator (SAME, CALLS or ""), and what the decorator does that it makes of options."""
    return _effect(function, module), _effect_of_made(function, module)


def _effect(function: cst.FunctionDef, module: ModuleInfo, within: tuple[cst.FunctionDef, ...] = ()) -> str:
    """What the decorator `function` does with the function that it gets.

    within: the decorators through which the question came here, the first one first.
    """
    parameters = parameters_of(function.params)
    if not parameters or function.asynchronous is not None or len(within) > _DEPTH:
        return ""
    name = parameters[0].name.value
    ways = _ways(function, name)
    harmless: set[int] = set(ways.tested)
    effects = set()
    for value in ways.direct:
        if value is not None and (applied := _applied(value, name, (*within, function))) is not None:
            effects.add(applied(module))
            harmless.update(map(id, walk(value)))
        else:
            effects.add(SAME if value is not None and dotted(value) == name else CALLS)
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
    return SAME if effects == {SAME} else "" if "" in effects else CALLS


def _effect_of_made(function: cst.FunctionDef, module: ModuleInfo) -> str:
    """What the decorator that `function` returns when it is called with options does with the function that it gets."""
    parameters = parameters_of(function.params)
    ways = _ways(function, parameters[0].name.value if parameters else "")
    values = ways.made or ways.direct
    effects = {_effect_of_value(value, function, module) for value in values}
    return effects.pop() if len(effects) == 1 else ""


def _effect_of_value(value: cst.BaseExpression | None, function: cst.FunctionDef, module: ModuleInfo) -> str:
    """What the decorator `value`, which `function` returns, does."""
    if type(value) is cst.Name:
        nested = _nested(value.value, function)
        return "" if nested is None else _effect(nested, module, (function,))
    if type(value) is cst.Lambda and len(value.params.params) == 1:
        applied = _applied(value.body, value.params.params[0].name.value, (function,))
        return "" if applied is None else applied(module)
    if type(value) is cst.Call and _canonical(value.func, module) == "functools.partial" and value.args:
        itself = dotted(value.args[0].value) == function.name.value
        return _effect(function, module) if itself and all(item.keyword for item in value.args[1:]) else ""
    return ""


def _applied(
    value: cst.BaseExpression, name: str, within: tuple[cst.FunctionDef, ...]
) -> Callable[[ModuleInfo], str] | None:
    """How to ask for the effect of ``decorator(name, ...)``: one of `within`, or one nested in the last of them."""
    if type(value) is not cst.Call or not value.args or type(value.func) is not cst.Name:
        return None
    first, *rest = value.args
    if first.star or first.keyword or dotted(first.value) != name or _reads(rest, name):
        return None
    called = value.func.value
    decorator = _nested(called, within[-1]) or next((item for item in within if item.name.value == called), None)
    if decorator is None:
        return None
    return lambda module: _effect(decorator, module, within)


def _reads(nodes: Sequence[cst.CSTNode], name: str) -> bool:
    return any(type(part) is cst.Name and part.value == name for node in nodes for part in walk(node))


def _nested(name: str, function: cst.FunctionDef) -> cst.FunctionDef | None:
    """The only function called `name` that `function` defines."""
    found = [node for node in _own(function.body) if type(node) is cst.FunctionDef and node.name.value == name]
    bound = [node for node in walk(function.body) if type(node) is cst.AssignTarget and dotted(node.target) == name]
    return found[0] if len(found) == 1 and not bound else None


@dataclass
class _Ways:
    """What a decorator returns where it gets a function (direct), and where it gets options alone (made)."""

    direct: list[cst.BaseExpression | None] = field(default_factory=list)
    made: list[cst.BaseExpression | None] = field(default_factory=list)
    tested: set[int] = field(default_factory=set)  #: names in tests whether there is a function, and in what is `made`


def _ways(function: cst.FunctionDef, name: str) -> _Ways:
    found = _Ways()
    rest = found.direct
    for statement in statements_of(function.body):
        given = _is_given(statement.test, name) if type(statement) is cst.If and statement.orelse is None else None
        if given is not None:
            assert isinstance(statement, cst.If)
            values = [node.value for node in _own(statement.body) if type(node) is cst.Return]
            ends = bool(values) and len(statements_of(statement.body)) == 1 if given else bool(values)
            if ends:
                found.tested.update(map(id, walk(statement.test)))
                (found.direct if given else found.made).extend(values)
                if given:
                    rest = found.made
                else:
                    found.tested.update(map(id, walk(statement.body)))
                continue
        for node in () if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) else _own(statement):
            if type(node) is not cst.Return:
                continue
            value = node.value
            given = _is_given(value.test, name) if type(value) is cst.IfExp else None
            if given is None:
                rest.append(value)
            else:
                assert isinstance(value, cst.IfExp)
                found.tested.update(map(id, walk(value.test)))
                found.direct.append(value.body if given else value.orelse)
                found.made.append(value.orelse if given else value.body)
    return found


def _is_given(test: cst.BaseExpression, name: str) -> bool | None:
    """Whether `test` is true where `name` is a function, or where it is not; None for any other test."""
    if type(test) is cst.UnaryOperation and type(test.operator) is cst.Not:
        given = _is_given(test.expression, name)
        return None if given is None else not given
    if type(test) is cst.Call and dotted(test.func) == "callable" and len(test.args) == 1:
        test = test.args[0].value
    if dotted(test) == name:
        return True
    missing = none_test(test)
    return None if missing is None or missing[0] != name else not missing[1]


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
            kept = node.value  # TABLE[name] = f, order
            yield from (item.value for item in kept.elements) if isinstance(kept, (cst.Tuple, cst.List)) else (kept,)
        for target in targets:  # f.rank = 2
            if type(target) is cst.Attribute and not target.attr.value.startswith("__"):
                yield target.value


def _canonical(node: cst.BaseExpression, module: ModuleInfo) -> str:
    first, _, rest = dotted(node).partition(".")
    value = module.values.get(first)
    return f"{value.name}.{rest}".rstrip(".") if isinstance(value, Symbol) else ""


def _own(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes below `node`, without those inside of functions and classes nested there."""
    inner: set[int] = set()
    for part in walk(node):
        if id(part) in inner:
            continue
        yield part
        if type(part) in _SCOPES:
            inner.update(map(id, walk(part)))
