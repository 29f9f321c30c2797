"""What a function does as a decorator with the function that it gets, as far as its own text tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from np2tnp.analysis.domain.values import Symbol
from np2tnp.analysis.interpreter.placement import bound_in
from np2tnp.analysis.module.contents import ModuleInfo, statements_of
from np2tnp.analysis.syntax.python_tables import (
    DOCSTRING_DECORATORS,
    MARKS,
    TRANSPARENT_DECORATORS,
    WRAPPING_DECORATORS,
)
from np2tnp.analysis.syntax.scopes import dotted, parameters_of, target_names
from np2tnp.analysis.syntax.walk import nodes_of, none_test, walk

#: Effects: the decorator gives back the very function; it only calls, names and keeps it. Else "": more, or not known.
SAME, CALLS = "same", "calls"
#: They look at a function's parameters, which are the same.
_ASKING = frozenset(
    "inspect.signature inspect.getfullargspec inspect.getargspec inspect.getdoc inspect.isfunction"
    " inspect.iscoroutinefunction asyncio.iscoroutinefunction numpy.vectorize numpy.frompyfunc".split()
)
#: They call a function, later perhaps, or give one that does.
_CALLING = ("functools.", "threading.", "atexit.", "concurrent.futures.")
_ABOUT_ATTRIBUTES = frozenset(("setattr", "getattr", "hasattr", "delattr"))
_QUESTIONS = frozenset(("callable", "isinstance", "id", "hash", "bool", "repr", "str"))
_OURS = frozenset(("core", "public"))  #: attributes that a migrated function has besides
_KEEPING = frozenset(("append", "add", "insert", "setdefault"))  #: methods by which registries take a function
_NAMES = frozenset(("__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__isabstractmethod__"))

_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
_DEPTH = 6  #: decorators that call decorators: deeper than this they call each other

#: NumPy's errors and warnings come out of NumPy alone: who looks for them would find none.
_WATCHING = frozenset("errstate seterr seterrcall catch_warnings simplefilter filterwarnings".split())


def effects_of(
    function: cst.FunctionDef, module: ModuleInfo, skip: int = 0, harmless: Iterable[int] = ()
) -> tuple[str, str]:
    """What `function` does as a decorator (SAME, CALLS or ""), and what the decorator does that it makes of options.

    skip: how many of its parameters come before the function, such as ``self``. harmless: the ids of names in it that
    are known to do no more.
    """
    return _effect(function, module, skip=skip, known=harmless), _effect_of_made(function, module, skip)


def watches(node: cst.CSTNode) -> bool:
    """Whether code looks for NumPy's errors and warnings; to ignore them is no look."""
    ignoring = {id(part.func) for part in walk(node) if type(part) is cst.Call and _ignores(part)}
    inside = {id(part.attr) for part in walk(node) if id(part) in ignoring and type(part) is cst.Attribute}
    names = (part for part in walk(node) if type(part) is cst.Name and part.value in _WATCHING)
    return any(id(part) not in ignoring and id(part) not in inside for part in names)


def _ignores(node: cst.Call) -> bool:
    """Whether it is ``catch_warnings()``, a filter that ignores, or ``errstate`` that does."""
    name = dotted(node.func).rpartition(".")[2]
    if name == "catch_warnings":
        return not node.args
    if name == "errstate":
        return all(item.keyword is not None and _text(item.value) == "ignore" for item in node.args)
    return name in ("simplefilter", "filterwarnings") and bool(node.args) and _text(node.args[0].value) == "ignore"


def _text(node: cst.BaseExpression) -> object:
    return node.evaluated_value if isinstance(node, cst.SimpleString) else None


def _effect(
    function: cst.FunctionDef,
    module: ModuleInfo,
    within: tuple[cst.FunctionDef, ...] = (),
    skip: int = 0,
    known: Iterable[int] = (),
) -> str:
    """What the decorator `function` does with the function that it gets.

    within: the decorators through which the question came here, the first one first.
    """
    parameters = parameters_of(function.params)[skip:]
    if not parameters or function.asynchronous is not None or len(within) > _DEPTH:
        return ""
    name = parameters[0].name.value
    ways = _ways(function, name)
    of_classes = _of_classes(function, name)
    harmless: set[int] = of_classes.union(ways.tested, known)
    aliases = aliases_of(function, module)
    effects = set()
    if watches(function.body):
        return ""
    for value in ways.direct:
        if id(value) in of_classes:
            continue
        if value is not None and (applied := _applied(value, name, (*within, function), module)) is not None:
            effects.add(applied)
            harmless.update(map(id, walk(value)))
        else:
            effects.add(SAME if value is not None and dotted(value) == name else CALLS)
    for node in walk(function.body):
        kind = type(node)
        if kind is cst.Name:
            assert isinstance(node, cst.Name)
            if node.value == name and id(node) not in harmless:
                return ""
        elif kind is cst.Yield or kind is cst.ClassDef:
            return ""
        else:
            harmless.update(map(id, harmless_below(node, module, aliases)))
    return SAME if effects == {SAME} else "" if "" in effects else CALLS


def _effect_of_made(
    function: cst.FunctionDef, module: ModuleInfo, skip: int, within: tuple[cst.FunctionDef, ...] = ()
) -> str:
    """What the decorator that `function` returns when it is called with options does with the function that it gets."""
    parameters = parameters_of(function.params)[skip:]
    if len(within) > _DEPTH:
        return ""
    name = parameters[0].name.value if parameters else ""
    ways = _ways(function, name)
    options = [value for value in ways.direct if value is not None and not _takes(value, name, function)]
    values = (*ways.made, *options) if ways.made else ways.direct
    effects = {_effect_of_value(value, function, module, within) for value in values}
    return effects.pop() if len(effects) == 1 else ""


def _effect_of_value(
    value: cst.BaseExpression | None,
    function: cst.FunctionDef,
    module: ModuleInfo,
    within: tuple[cst.FunctionDef, ...],
) -> str:
    """What the decorator `value`, which `function` returns, does."""
    if type(value) is cst.Name:
        nested = _nested(value.value, function)
        return "" if nested is None else _effect(nested, module, (*within, function))
    if type(value) is cst.Lambda and len(value.params.params) == 1:
        if dotted(value.body) == value.params.params[0].name.value:
            return SAME
        return _applied(value.body, value.params.params[0].name.value, (*within, function), module) or ""
    if type(value) is cst.Call and type(value.func) is cst.Name and not canonical_name(value.func, module):
        maker = _of_module(value.func.value, (*within, function), module)
        return "" if maker is None else _effect_of_made(maker, module, 0, (*within, function))
    if type(value) is cst.Call and is_known(canonical_name(value.func, module)):
        return CALLS
    if type(value) is cst.Call and canonical_name(value.func, module) == "functools.partial" and value.args:
        itself = dotted(value.args[0].value) == function.name.value
        return _effect(function, module, within) if itself and all(item.keyword for item in value.args[1:]) else ""
    return ""


def _takes(value: cst.BaseExpression, name: str, function: cst.FunctionDef) -> bool:
    """Whether what `function` returns takes its parameter `name` for the function to decorate, not for an option."""
    nested = _nested(value.value, function) if type(value) is cst.Name else None
    within = value if nested is None else nested.body
    calls = [part for part in walk(within) if type(part) is cst.Call]
    return dotted(value) == name or any(
        dotted(item) == name for call in calls for item in (call.func, *(arg.value for arg in call.args))
    )


def _applied(
    value: cst.BaseExpression, name: str, within: tuple[cst.FunctionDef, ...], module: ModuleInfo
) -> str | None:
    """The effect of ``decorator(name, ...)``, where that is one of `within` or nested there; else None.

    Also of ``make(...)(name)``, where such a one, or a function of the module, makes the decorator.
    """
    if type(value) is not cst.Call or not value.args:
        return None
    first, *rest = value.args
    if first.star or first.keyword or dotted(first.value) != name or reads(rest, name):
        return None
    if type(value.func) is cst.Name:
        decorator = _visible(value.func.value, within)
        return None if decorator is None else _effect(decorator, module, within)
    if type(value.func) is not cst.Call or type(value.func.func) is not cst.Name or reads(value.func.args, name):
        return None
    maker = _visible(value.func.func.value, within) or _of_module(value.func.func.value, within, module)
    return None if maker is None else _effect_of_made(maker, module, 0, within)


def _visible(name: str, within: tuple[cst.FunctionDef, ...]) -> cst.FunctionDef | None:
    """The function called `name` that is one of `within`, or nested in one of them."""
    nested = (_nested(name, outer) for outer in reversed(within))
    return next(filter(None, nested), None) or next((item for item in within if item.name.value == name), None)


def _of_module(name: str, within: tuple[cst.FunctionDef, ...], module: ModuleInfo) -> cst.FunctionDef | None:
    """The only function of the module called `name`, unless a function of `within` means something else by it."""
    own = module.functions.get(name)
    unsure = name in module.rebound or f"{name}#2" in module.functions
    if own is None or unsure or any(name in module.scopes[id(outer)].bound for outer in within):
        return None
    return own.node


def aliases_of(function: cst.FunctionDef, module: ModuleInfo) -> frozenset[str]:
    """Names of `function` that stand for what looks at a function's parameters alone, whatever it binds them to."""
    bound = bound_in(function).items()
    return frozenset(
        name
        for name, values in bound
        if all(value is not None and canonical_name(value, module) in _ASKING for value in values)
    )


def _of_classes(function: cst.FunctionDef, name: str) -> set[int]:
    """The nodes of what `function` does where its parameter `name` is a class, and of the tests for that."""
    found: set[int] = set()
    for node in walk(function.body):
        if type(node) is cst.If and type(node.test) is cst.Call and node.test.args:
            asked, *kind = (item.value for item in node.test.args)
            test = dotted(node.test.func)
            kinds = [dotted(item) for item in kind]
            if dotted(asked) == name and (test, kinds) in (("isinstance", ["type"]), ("inspect.isclass", [])):
                found.update(map(id, (*walk(node.test), *walk(node.body))))
    return found


def reads(nodes: Sequence[cst.CSTNode], name: str) -> bool:
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
    for statement, part in _in_turn(statements_of(function.body)):
        given = _is_given(statement.test, name) if type(statement) is cst.If and part is statement.body else None
        if given is not None:
            assert isinstance(statement, cst.If)
            values = [node.value for node in _own(part) if type(node) is cst.Return]
            ends = bool(values) and len(statements_of(statement.body)) == 1 if given else bool(values)
            if ends:
                found.tested.update(map(id, walk(statement.test)))
                (found.direct if given else found.made).extend(values)
                if given:
                    rest = found.made
                else:
                    found.tested.update(map(id, walk(part)))
                continue
        if rest is found.made:  # it is no function from here on
            found.tested.update(map(id, walk(part)))
        for node in () if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) else _own(part):
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


def _in_turn(statements: Sequence[cst.CSTNode]) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """Statements, each with what of it runs; what stands under ``else`` comes after an ``if`` that returns."""
    for statement in statements:
        if type(statement) is not cst.If:
            yield statement, statement
        elif statement.orelse is None:
            yield statement, statement.body
        elif not _returns(statement.body):
            yield statement, statement
        else:
            yield statement, statement.body
            other = statement.orelse
            yield from _in_turn([other] if type(other) is cst.If else statements_of(other.body))


def _returns(body: cst.BaseSuite) -> bool:
    """Whether an indented block ends by returning."""
    last = statements_of(body)[-1:]
    return bool(last) and type(last[0]) is cst.SimpleStatementLine and type(last[0].body[-1]) is cst.Return


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


def harmless_below(node: cst.CSTNode, module: ModuleInfo, aliases: frozenset[str]) -> Iterator[cst.CSTNode | None]:
    """Names below `node` that stand where a function is called, returned, kept or named, and names of attributes."""
    if type(node) is cst.Call:
        yield node.func
        is_method = type(node.func) is cst.Attribute and node.func.attr.value in _KEEPING
        if is_method or _takes_functions(node, module, aliases):
            for argument in node.args:
                yield from () if argument.star else items_of(argument.value)
    elif type(node) is cst.Arg:
        yield node.keyword
    elif type(node) is cst.Return:
        yield node.value
    elif type(node) is cst.FormattedStringExpression:  # a text with the function's name and address
        yield node.expression
    elif type(node) is cst.Attribute:
        yield node.attr
        name = node.attr.value
        if name in _NAMES or not (name.startswith("__") or name in _OURS):
            yield node.value
    elif type(node) is cst.Assign:
        targets = [part for item in node.targets for part in items_of(item.target)]
        if all(type(target) in (cst.Subscript, cst.Attribute) for target in targets):
            yield from items_of(node.value)  # TABLE[name] = f, order
        for target in targets:  # f.__doc__ = text, TABLE[f] = name
            if type(target) is cst.Attribute and target.attr.value == "__doc__":
                yield target.value
            elif type(target) is cst.Subscript:
                yield from (item.slice.value for item in target.slice if isinstance(item.slice, cst.Index))


def items_of(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """An expression, or what it displays."""
    if isinstance(node, (cst.Tuple, cst.List, cst.Dict)):
        yield from (item.value for item in node.elements)
    else:
        yield node


def _takes_functions(node: cst.Call, module: ModuleInfo, aliases: frozenset[str]) -> bool:
    """Whether what is called asks no more of a function than its name, its signature, attributes, or to be called."""
    func = node.func
    while type(func) is cst.Call:  # lru_cache(maxsize=None)(f)
        func = func.func
    name = canonical_name(func, module)
    if name in _ASKING or name.startswith(_CALLING) or dotted(func) in aliases or is_known(name):
        return True
    if not name and dotted(func) in _ABOUT_ATTRIBUTES and dotted(func) not in module.values:
        about = node.args[1].value if len(node.args) > 1 else None
        text = about.evaluated_value if isinstance(about, cst.SimpleString) else None
        if not isinstance(text, str):
            return False
        return text in _NAMES or not (text.startswith("__") or text in _OURS)
    return not name and dotted(func) in _QUESTIONS and dotted(func) not in module.values


def is_known(name: str) -> bool:
    tables = (TRANSPARENT_DECORATORS, WRAPPING_DECORATORS, DOCSTRING_DECORATORS)
    return any(name in table for table in tables) or name.startswith(MARKS)


def canonical_name(node: cst.CSTNode, module: ModuleInfo) -> str:
    first, _, rest = dotted(node).partition(".")
    value = module.values.get(first)
    if value is None and first in _PLAIN_MODULES:  # imported where it is used, as `import functools` in a function
        bound = [part for part in nodes_of(module.node) if _binds_otherwise(part, first)]
        return "" if bound else dotted(node)
    return f"{value.name}.{rest}".rstrip(".") if isinstance(value, Symbol) else ""


#: Modules of Python's that functions import for themselves.
_PLAIN_MODULES = ("functools", "inspect")


def _binds_otherwise(part: cst.CSTNode, name: str) -> bool:
    """Whether `name` is bound here, but by ``import name``."""
    if isinstance(part, cst.ImportFrom):
        return isinstance(part.names, cst.ImportStar) or any(
            (it.evaluated_alias or it.evaluated_name) == name for it in part.names
        )
    if isinstance(part, cst.Import):
        return any(it.evaluated_alias == name and it.evaluated_name != name for it in part.names)
    if isinstance(part, (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.CompFor, cst.NamedExpr)):
        return name in target_names(part.target)
    named = isinstance(part, (cst.FunctionDef, cst.ClassDef, cst.Param))
    return named and part.name.value == name  # type: ignore[attr-defined]


def _own(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes below `node`, without those inside of functions and classes nested there."""
    inner: set[int] = set()
    for part in walk(node):
        if id(part) in inner:
            continue
        yield part
        if type(part) in _SCOPES:
            inner.update(map(id, walk(part)))
