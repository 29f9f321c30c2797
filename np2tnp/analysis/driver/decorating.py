"""What the decorators of a region do with its function, as far as their own text tells, and whether a compiler of
native code is among them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import libcst as cst

from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.values import Bound, Class, Function, Instance, Symbol, Unknown, Value
from np2tnp.analysis.interpreter.numpy_results import bound_in
from np2tnp.analysis.module.contents import ModuleInfo, statements_of
from np2tnp.analysis.syntax.python_tables import COMPILERS, COMPILES, MARKS, TRANSPARENT_DECORATORS, WRAPPING_DECORATORS
from np2tnp.analysis.syntax.scopes import dotted, parameters_of, sketch, target_names
from np2tnp.analysis.syntax.walk import PARTS, nodes_of, none_test, walk

if TYPE_CHECKING:
    from np2tnp.analysis.driver.regions import Analysis
    from np2tnp.analysis.interpreter.statements import Interpreter


# --- Functions of a module that may be handed to a compiler of native code: a wrapper cannot be compiled

#: Where a name is no value of its own.
_NAMED = frozenset((cst.FunctionDef, cst.ClassDef, cst.Param))
_COMPILING, _FIRST_PARTY, _OTHERS = "compiles", "ours", "others"


def compiler_of(
    qualname: str, info: ModuleInfo, resolve: Callable[[str], Value | None]
) -> tuple[str, cst.CSTNode] | None:
    """Who gets the module's function `qualname` and compiles it, perhaps, and where; None where nobody does."""
    if not info.near_compiler:
        return None
    if info.compiled is None:
        info.compiled = _compiled_functions(info, resolve, info.near_compiler == "own")
    return info.compiled.get(qualname)


def _compiled_functions(
    info: ModuleInfo, resolve: Callable[[str], Value | None], own: bool
) -> dict[str, tuple[str, cst.CSTNode]]:
    """The functions of the module's top level that a compiler may get -> from whom (empty: nobody knows), and where.

    own: the module imports one itself, so whatever it does with a function but to call it may be on the way there.
    Otherwise a module that it imports does: there, what that module's functions get.
    """
    functions = {name for name, function in info.functions.items() if "." not in name and function.owner is None}
    found: dict[str, tuple[str, cst.CSTNode]] = {}
    getting: dict[int, str] = {}
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
            if of == _COMPILING or (of == _FIRST_PARTY and not own):
                found.update({item.value: (callee, item) for item in given})
                for argument in node.args if of == _COMPILING else ():  # numba.njit(self.kernel), of any class
                    method = argument.value.attr.value if type(argument.value) is cst.Attribute else ""
                    same = (it for it in info.functions if method and it.endswith(f".{method}"))
                    found.update(dict.fromkeys(same, (callee, argument)))
            elif of == _OTHERS:
                harmless.update(map(id, given))
            getting.update({id(item): dotted(node.func) for item in given})
        elif kind is cst.Decorator:
            harmless.add(id(node.decorator))
        elif kind is cst.Attribute:
            harmless.update((id(node.value), id(node.attr)))
        elif kind in _NAMED:
            harmless.add(id(node.name))
        stack.extend(PARTS[kind](node))
    if own:
        others = {it.value: (getting.get(id(it), ""), it) for it in names if id(it) not in harmless}
        return {**others, **found}
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
            return (_FIRST_PARTY if full.partition(".")[0] in {"", *info.first_party} else _OTHERS), full
    if isinstance(value, (Function, Class)):
        return _FIRST_PARTY, name
    return (_OTHERS if value is None and hasattr(builtins, first) else ""), name


# --- What the decorators of a region do with its function, as far as their own text tells

#: Effects: the decorator gives back the very function; it only calls, names and keeps it. Else "": more, or not known.
SAME, CALLS = "same", "calls"
_NOT_KNOWN = ("", "")
#: ... of a decorator, of the decorator that it makes, and for messages what of it counts.
NOT_KNOWN = ("", "", "")

#: Comes before what a module imports from another one, which binds it more than once.
IMPORTED = "import "
#: Follows the name of a class where one of its objects is meant.
OBJECT = "()"
#: They look at a function's parameters, which are the same.
_ASKING = frozenset(
    "inspect.signature inspect.getfullargspec inspect.getargspec inspect.getdoc inspect.isfunction"
    " inspect.iscoroutinefunction asyncio.iscoroutinefunction numpy.vectorize numpy.frompyfunc".split()
)
#: They call a function, later perhaps, or give one that does.
_CALLING = ("functools.", "threading.", "atexit.", "concurrent.futures.")
_ABOUT_ATTRIBUTES = frozenset(("setattr", "getattr", "hasattr", "delattr"))
_QUESTIONS = frozenset(("callable", "id", "hash", "bool", "repr", "str"))
_OURS = frozenset(("core", "public"))  #: attributes that a migrated function has besides
_KEEPING = frozenset(("append", "add", "insert", "setdefault"))  #: methods by which registries take a function
_NAMES = frozenset(("__name__", "__qualname__", "__module__", "__doc__"))

_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
_DEPTH = 6  #: decorators that call decorators: deeper than this they call each other

#: NumPy's errors and warnings come out of NumPy alone: who looks for them would find none.
_WATCHING = frozenset("errstate seterr seterrcall catch_warnings simplefilter filterwarnings".split())


def note_decorators(node: cst.FunctionDef, interpreter: Interpreter, wrapped: bool) -> None:
    """Tell of each decorator of the region `node`; `wrapped`: what it gets takes and gives ndarrays."""
    interpreter.statement = node
    module = interpreter.module
    for decorator in node.decorators:
        call = decorator.decorator if type(decorator.decorator) is cst.Call else None
        value = interpreter.callee(decorator.decorator if call is None else call.func, Env())
        name = interpreter.decorator_name(decorator, Env())
        effect = ""
        if wrapped and (asked := asked_of(value)) is not None:
            known = not isinstance(value, Function) or interpreter.services.summary(value) is not None
            effects = interpreter.services.decorating(asked) if known else NOT_KNOWN
            effect = effects[call is not None]
            interpreter.facts.extra[f"what {name} does"] = effects[2]
        if effect != SAME:
            calls = effect == CALLS or (wrapped and name in WRAPPING_DECORATORS)
            kind = "decorator" if _is_in_sight(value, module) else "unseen decorator"
            interpreter.construct(decorator, "wrapping decorator" if calls else kind, name)
    compiler = compiler_of(module.name_of.get(id(node), ""), module, interpreter.services.resolve)
    if compiler is not None:
        interpreter.construct(compiler[1], "compiled function", compiler[0])


def _is_in_sight(value: Value, module: ModuleInfo) -> bool:
    """Whether the project has the text of a decorator of this value."""
    if isinstance(value, Bound):
        return _is_in_sight(value.receiver, module)
    if isinstance(value, Symbol):
        return value.name.lstrip(".").partition(".")[0] in module.first_party or value.name.startswith(".")
    return isinstance(value, (Function, Class, Instance))


def asked_of(value: Value) -> Function | None:
    """What to ask ``Services.decorating`` about a decorator of this value.

    That is ``f``, ``Class``, ``Class.f``, ``Class().f``, or ``table.f`` for what a module's name holds; ``import .m.f``
    for what the asking module imports.
    """
    if isinstance(value, Bound):
        owner = asked_of(value.receiver)
        return None if owner is None else Function(f"{owner.qualname}.{value.name}", module=owner.module)
    if isinstance(value, Function):
        return None if value.nested else Function(value.qualname, module=value.module)
    if isinstance(value, Class):
        return Function(value.qualname, module=value.module)
    if isinstance(value, Instance):
        return Function(value.qualname + OBJECT, module=value.module)
    if isinstance(value, Symbol):
        return Function(IMPORTED + value.name)
    if isinstance(value, Unknown):
        places = [ref.removeprefix("global:") for ref in value.refs if ref.startswith("global:")]
        if len(places) == 1:
            module, _, name = places[0].rpartition(":")
            return Function(name, module=module)
    return None


def effects_of(function: cst.FunctionDef, module: ModuleInfo, skip: int = 0) -> tuple[str, str]:
    """What `function` does as a decorator (SAME, CALLS or ""), and what the decorator does that it makes of options.

    skip: how many of its parameters come before the function, such as ``self``.
    """
    return _effect(function, module, skip=skip), _effect_of_made(function, module, skip)


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
    function: cst.FunctionDef, module: ModuleInfo, within: tuple[cst.FunctionDef, ...] = (), skip: int = 0
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
    harmless: set[int] = of_classes.union(ways.tested)
    aliases = _aliases(function, module)
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
            harmless.update(map(id, _harmless(node, module, aliases)))
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
    if type(value) is cst.Call and type(value.func) is cst.Name and not _canonical(value.func, module):
        maker = _of_module(value.func.value, (*within, function), module)
        return "" if maker is None else _effect_of_made(maker, module, 0, (*within, function))
    if type(value) is cst.Call and _is_known(_canonical(value.func, module)):
        return CALLS
    if type(value) is cst.Call and _canonical(value.func, module) == "functools.partial" and value.args:
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
    if first.star or first.keyword or dotted(first.value) != name or _reads(rest, name):
        return None
    if type(value.func) is cst.Name:
        decorator = _visible(value.func.value, within)
        return None if decorator is None else _effect(decorator, module, within)
    if type(value.func) is not cst.Call or type(value.func.func) is not cst.Name or _reads(value.func.args, name):
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


def _aliases(function: cst.FunctionDef, module: ModuleInfo) -> frozenset[str]:
    """Names of `function` that stand for what looks at a function's parameters alone, whatever it binds them to."""
    bound = bound_in(function).items()
    return frozenset(
        name
        for name, values in bound
        if all(value is not None and _canonical(value, module) in _ASKING for value in values)
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


def _harmless(node: cst.CSTNode, module: ModuleInfo, aliases: frozenset[str]) -> Iterator[cst.CSTNode | None]:
    """Names below `node` that stand where a function is called, returned, kept or named, and names of attributes."""
    if type(node) is cst.Call:
        yield node.func
        is_method = type(node.func) is cst.Attribute and node.func.attr.value in _KEEPING
        if is_method or _takes_functions(node, module, aliases):
            for argument in node.args:
                yield from () if argument.star else _items(argument.value)
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
        targets = [part for item in node.targets for part in _items(item.target)]
        if all(type(target) in (cst.Subscript, cst.Attribute) for target in targets):
            yield from _items(node.value)  # TABLE[name] = f, order
        for target in targets:  # f.__doc__ = text, TABLE[f] = name
            if type(target) is cst.Attribute and target.attr.value == "__doc__":
                yield target.value
            elif type(target) is cst.Subscript:
                yield from (item.slice.value for item in target.slice if isinstance(item.slice, cst.Index))


def _items(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
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
    name = _canonical(func, module)
    if name in _ASKING or name.startswith(_CALLING) or dotted(func) in aliases or _is_known(name):
        return True
    if not name and dotted(func) in _ABOUT_ATTRIBUTES and dotted(func) not in module.values:
        about = node.args[1].value if len(node.args) > 1 else None
        text = about.evaluated_value if isinstance(about, cst.SimpleString) else None
        if not isinstance(text, str):
            return False
        return text in _NAMES or not (text.startswith("__") or text in _OURS)
    return not name and dotted(func) in _QUESTIONS and dotted(func) not in module.values


def _is_known(name: str) -> bool:
    return name in TRANSPARENT_DECORATORS or name in WRAPPING_DECORATORS or name.startswith(MARKS)


def _canonical(node: cst.CSTNode, module: ModuleInfo) -> str:
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


# --- Decorators that are classes, objects or their methods: which function of the project says what they do

#: Bases that bring no methods.
_PLAIN_BASES = frozenset(("", "object", "ABC", "abc.ABC", "Generic", "typing.Generic"))
_PLAIN_METHODS = frozenset(("staticmethod", "classmethod"))


def effects_in(name: str, analysis: Analysis) -> tuple[str, str]:
    """What the module's `name` does as a decorator, and what the decorator does that it makes.

    name: as ``decorating.asked_of`` writes it.
    """
    first = name.partition(OBJECT)[0].partition(".")[0]
    if first in analysis.info.rebound:
        return _NOT_KNOWN
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
    return _NOT_KNOWN if asked is None else analysis.decorating(asked)[:2]


def _defines(name: str, module: ModuleInfo) -> bool:
    """Whether the module itself makes something of that name, besides what it imports."""
    made = any(_bound_to(name, statement) for statement in module.node.body)
    return made or name in module.functions or name in module.classes


def _effects_of_own(name: str, analysis: Analysis) -> tuple[str, str]:
    """What the function, class or object `name` of the module does."""
    module = analysis.info
    if f"{name}#2" in module.functions or f"{name}#2" in module.classes:
        return _NOT_KNOWN
    function = module.functions.get(name)
    if function is not None:
        if function.owner is None:
            return effects_of(function.node, module)
        plain = _PLAIN_METHODS.issuperset(function.decorators)
        return effects_of(function.node, module, int(function.kind != "static")) if plain else _NOT_KNOWN
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
        return _NOT_KNOWN
    held = owner or name
    if held in module.functions and method == "register":
        named = any(item.rpartition(".")[2] == "singledispatch" for item in module.functions[held].decorators)
        return (CALLS, CALLS) if named else _NOT_KNOWN
    made = _class_of(held, analysis)
    if made is None:
        return _NOT_KNOWN
    text = f"{made.qualname}{OBJECT}" + (f".{method}" if owner else "")
    return analysis.decorating(Function(text, module=made.module))[:2]


def _of_method(owner: str, method: str, analysis: Analysis, kinds: tuple[str, ...]) -> tuple[str, str]:
    """Of the method of a class of the module, which it may inherit."""
    known = analysis.class_of(Class(owner, analysis.path))
    found = known.methods.get(method) if known is not None else None
    if found is None or found[1] not in kinds or not found[0].qualname:
        return _NOT_KNOWN
    return analysis.decorating(found[0])[:2]


def _of_class(name: str, analysis: Analysis) -> tuple[str, str]:
    """Of a class: its objects stand for the functions, or are the decorators."""
    module = analysis.info
    info = module.classes[name]
    plain = all(not item.keyword and _name(item.value) in _PLAIN_BASES for item in info.node.bases)
    if not plain or info.node.keywords or info.decorators or "__new__" in info.methods or watches(info.node):
        return _NOT_KNOWN
    init, call = (module.functions.get(info.methods.get(method, "")) for method in ("__init__", "__call__"))
    if call is None or call.decorators or (init is not None and init.decorators):
        return _NOT_KNOWN
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
        elif isinstance(part, (cst.Tuple, cst.For, cst.With, cst.NamedExpr)) and _reads([part], name):
            found.append(None)
    return found


def _class_called(node: cst.Call, module: ModuleInfo, analysis: Analysis) -> Class | None:
    first, _, rest = dotted(node.func).partition(".")
    value = module.values.get(first)
    if isinstance(value, Symbol):
        value = analysis.resolve(f"{value.name}.{rest}" if rest else value.name)
    elif rest:
        return None
    return value if isinstance(value, Class) else None


# --- What of a decorator counts, for messages


def what_counts(name: str, analysis: Analysis) -> str:
    """What the module's decorator `name` does besides calling the function; empty where that is not seen."""
    module = analysis.info
    first, _, method = name.partition(".")
    method = method or "__call__"
    own = first.removesuffix(OBJECT)
    holder = module.classes.get(own)
    made = _class_of(first, analysis) if holder is None and first not in module.functions else None
    if made is not None:
        return analysis.decorating(Function(f"{made.qualname}{OBJECT}.{method}", module=made.module))[2]
    asked = f"{own}.{method}" if first != own else own  # an object decides by one method
    nodes = [table[asked].node for table in (module.functions, module.classes) if asked in table]
    parts = [part for node in nodes for part in walk(node)]
    mentioned = {part.value for part in parts if type(part) is cst.Name} - {first}
    helpers = [module.classes[other].node for other in sorted(mentioned) if other in module.classes]
    if any(_is_compilers(part, module) for part in (*parts, *(it for node in helpers for it in walk(node)))):
        return COMPILES
    if any(map(watches, nodes)):
        return "calls it where warnings or floating-point errors are looked for"
    functions = [part for part in parts if type(part) is cst.FunctionDef]
    within = list(walk(holder.node)) if holder is not None else []
    return next(filter(None, (_hands_on(function, module, within) for function in functions)), "")


def _hands_on(function: cst.FunctionDef, module: ModuleInfo, holder: list[cst.CSTNode]) -> str:
    """Who gets the function that `function` gets first, other than to call it or ask for its name; holder: its class"""
    taken = [*function.params.posonly_params, *function.params.params]
    parameters = [item.name.value for item in taken if item.name.value not in ("self", "cls")]
    if not parameters:
        return ""
    parts = list(walk(function.body))
    harmless = {id(part) for node in parts for part in _harmless(node, module, _aliases(function, module))}
    verb = "may hand" if any(type(part) is cst.If for part in parts) else "hands"
    for part in parts:
        if type(part) is cst.Call:
            given = [dotted(item.value) if id(item.value) not in harmless else "" for item in part.args]
            if parameters[0] in given:
                callee = _called_with(part, given.index(parameters[0]), module) or part.func
                outside = _of_another_package(callee, holder, module)
                seen = f" ({outside}), which may look at arguments or results" if outside else ""
                called = "" if type(callee) is cst.Call else "()"
                return f"{verb} the function on to {sketch(callee)}{called}{seen}"
    return ""


def _called_with(call: cst.Call, index: int, module: ModuleInfo) -> cst.BaseExpression | None:
    """What a function of the module, such as ``apply(decorator, f)``, calls with the function that it gets there."""
    own = module.functions.get(dotted(call.func))
    names = [item.name.value for item in own.node.params.params] if own is not None else []
    if own is None or len(names) < len(call.args) or any(item.star or item.keyword for item in call.args):
        return None
    for part in walk(own.node.body):
        if type(part) is cst.Call and dotted(part.func) in names and _reads(part.args, names[index]):
            place = names.index(dotted(part.func))
            return call.args[place].value if place < len(call.args) else None
    return None


def _of_another_package(callee: cst.BaseExpression, holder: list[cst.CSTNode], module: ModuleInfo) -> str:
    """The full name of a method of ``self.x``, where the class binds that to an object of another package."""
    owner, _, method = dotted(callee).rpartition(".")
    for part in holder if owner else ():
        targets = [it.target for it in part.targets] if type(part) is cst.Assign else []
        targets += [part.target] if type(part) is cst.AnnAssign else []
        if owner in map(dotted, targets) and type(part.value) is cst.Call:  # type: ignore[attr-defined]
            name = _canonical(part.value.func, module)  # type: ignore[attr-defined]
            return f"{name}.{method}" if name and not name.startswith(".") else ""
    return ""


def _is_compilers(node: cst.CSTNode, module: ModuleInfo) -> bool:
    is_name = type(node) is cst.Attribute or type(node) is cst.Name
    return is_name and (_canonical(node, module) or dotted(node)).partition(".")[0] in COMPILERS
