"""The decorators of a region: which functions of the project say what they do, and whether a compiler of native code is
among them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.locations import global_of, is_global
from np2tnp.analysis.domain.values import Bound, Class, Function, Instance, Symbol, Unknown, Value
from np2tnp.analysis.driver.decorator_effects import (
    CALLS,
    SAME,
    aliases_of,
    canonical_name,
    effects_of,
    harmless_below,
    is_known,
    items_of,
    reads,
    watches,
)
from np2tnp.analysis.module.contents import FunctionInfo, ModuleInfo
from np2tnp.analysis.syntax.python_tables import (
    COMPILERS,
    COMPILES,
    DOCSTRING_DECORATORS,
    TRANSPARENT_DECORATORS,
    WRAPPING_DECORATORS,
)
from np2tnp.analysis.syntax.scopes import dotted, parameters_of, sketch, target_names
from np2tnp.analysis.syntax.walk import PARTS, walk

if TYPE_CHECKING:
    from np2tnp.analysis.driver.regions import Analysis
    from np2tnp.analysis.interpreter.interpreter import Interpreter


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
    handed: dict[int, tuple[str, cst.Call]] = {}
    harmless: set[int] = set()
    names: list[cst.Name] = []
    stack: list[Any] = [info.node.body]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is cst.Import or kind is cst.ImportFrom:  # binds names, and hands nothing on
            continue
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
            elif callee in functions:
                handed.update({id(item): (callee, node) for item in given})
            getting.update({id(item): dotted(node.func) for item in given})
        elif kind is cst.Decorator:
            harmless.add(id(node.decorator))
        elif kind is cst.Attribute:
            harmless.update((id(node.value), id(node.attr)))
        elif kind in _NAMED:
            harmless.add(id(node.name))
        stack.extend(PARTS[kind](node))
    if own:
        kept = [it for it in names if id(it) not in harmless]
        compiled = {it.value for it in kept if id(it) not in handed} | found.keys()
        kept = [it for it in kept if id(it) not in handed or not _is_only_called(it, *handed[id(it)], info, compiled)]
        return {**{it.value: (getting.get(id(it), ""), it) for it in kept}, **found}
    return found


def _is_only_called(
    given: cst.BaseExpression,
    callee: str,
    call: cst.Call,
    info: ModuleInfo,
    compiled: Iterable[str],
    within: tuple[str, ...] = (),
) -> bool:
    """Whether the module's function `callee`, which no compiler gets, calls what `call` gives it, or asks for its name
    and parameters, and no more.

    within: the functions through which the question came here; one that is asked twice hands on for ever.
    """
    function = info.functions.get(callee)
    if function is None or callee in within:
        return False
    parameters = function.node.params
    if callee in compiled or callee in info.rebound or function.node.decorators or any(it.star for it in call.args):
        return False
    positional = [it.name.value for it in (*parameters.posonly_params, *parameters.params)]
    name = ""
    for at, argument in enumerate(call.args):
        if argument.value is given:
            name = argument.keyword.value if argument.keyword is not None else "".join(positional[at : at + 1])
    nodes = list(walk(function.node.body))
    uses = sum(type(part) is cst.Name and part.value == name for part in nodes)
    seen = 0
    for part in nodes:
        if type(part) is cst.Attribute:
            seen += part.attr.value == "__name__" and dotted(part.value) == name
        elif type(part) is cst.Call:
            seen += dotted(part.func) == name
            items = [item.value for item in part.args if dotted(item.value) == name]
            of, own = canonical_name(part.func, info), dotted(part.func)
            for item in items:
                asked = of in ("inspect.signature", "functools.wraps")
                seen += asked or _is_only_called(item, own, part, info, compiled, (*within, callee))
    return bool(name) and uses == seen > 0


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


# --- The decorators of a region, and whom to ask about each

#: Effects of a decorator that nobody knows: of itself, and of the decorator that it makes.
_NOT_KNOWN = ("", "")
#: ... and for messages what of it counts.
NOT_KNOWN = ("", "", "")

#: Comes before what a module imports from another one, which binds it more than once.
IMPORTED = "import "
#: Follows the name of a class where one of its objects is meant.
OBJECT = "()"
#: Comes before a function of a class body that is called there, as any function is, and not through an object.
IN_BODY = "in "


def note_decorators(node: cst.FunctionDef, interpreter: Interpreter, wrapped: bool) -> None:
    """Tell of each decorator of the region `node`; `wrapped`: what it gets takes and gives ndarrays."""
    frame, record = interpreter.frame, interpreter.record
    frame.statement = node
    module, services = frame.module, frame.services
    for decorator in node.decorators:
        call = decorator.decorator if type(decorator.decorator) is cst.Call else None
        func = decorator.decorator if call is None else call.func
        value = interpreter.access.callee(func, Env())
        name = interpreter.access.decorator_name(decorator, Env())
        effect = ""
        asked = asked_of(value)
        near = _of_class_body(func.value, node, module) if type(func) is cst.Name else None
        if near is not None and type(func) is cst.Name:
            value, name = near, func.value  # the class's own names come first
            asked = Function(IN_BODY + near.qualname, module=near.module) if isinstance(near, Function) else None
        if wrapped and asked is not None:
            known = not isinstance(value, Function) or services.summary(value) is not None
            effects = services.decorating(asked)
            effect = effects[call is not None] if known else ""
            frame.facts.seen.decorators[name] = effects[2]
        if effect != SAME:
            calls = effect == CALLS or (wrapped and name in WRAPPING_DECORATORS)
            kind = ev.Kind.DECORATOR if near is not None or _is_in_sight(value, module) else ev.Kind.UNSEEN_DECORATOR
            record.construct(decorator, ev.Kind.WRAPPING_DECORATOR if calls else kind, name)
    compiler = compiler_of(module.name_of.get(id(node), ""), module, services.resolve)
    if compiler is not None:
        record.construct(compiler[1], ev.Kind.COMPILED_FUNCTION, compiler[0])


def _of_class_body(name: str, node: cst.FunctionDef, module: ModuleInfo) -> Value | None:
    """What a name means in the class body where the method `node` stands; None where that does not bind it."""
    function = module.functions.get(module.name_of.get(id(node), ""))
    owner = module.classes.get(function.owner or "") if function is not None else None
    if owner is None:
        return None
    made = [statement for statement in owner.node.body.body if name in _bound_by(statement)]
    if not made:
        return None
    qualname = f"{owner.qualname}.{name}"
    if len(made) > 1 or qualname not in module.functions or type(made[0]) is not cst.FunctionDef:
        return Unknown()
    return Function(qualname, module=module.path)


def _bound_by(statement: cst.CSTNode) -> set[str]:
    """The names that a statement of a class body may bind."""
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return {statement.name.value}
    if type(statement) is cst.SimpleStatementLine:
        targets = [part.target for part in walk(statement) if type(part) in (cst.AssignTarget, cst.AnnAssign)]  # type: ignore[attr-defined]
        if all(type(part) in (cst.Assign, cst.AnnAssign, cst.Expr, cst.Pass) for part in statement.body):
            return {name for target in targets for name in target_names(target)}
    return {part.value for part in walk(statement) if type(part) is cst.Name}


def _is_in_sight(value: Value, module: ModuleInfo) -> bool:
    """Whether the project has the text of a decorator of this value."""
    if isinstance(value, Bound):
        return _is_in_sight(value.receiver, module)
    if isinstance(value, Symbol):
        return is_of_project(value.name, module)
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
        places = [global_of(ref) for ref in value.refs if is_global(ref)]
        if len(places) == 1:
            module, name = places[0]
            return Function(name, module=module)
    return None


# --- Decorators that are classes, objects or their methods: which function of the project says what they do

#: Bases that bring no methods.
_PLAIN_BASES = frozenset(("", "object", "ABC", "abc.ABC", "Generic", "typing.Generic"))
#: Bases that keep the function, and call it: what reads the attribute gets what it gives, or a method that calls it.
_DESCRIPTORS = frozenset(("property", "classmethod", "staticmethod"))
_OF_DESCRIPTORS = ("fget", "__func__", "__wrapped__")  #: attributes by which those have the function
_PLAIN_METHODS = frozenset(("staticmethod", "classmethod"))


def effects_in(name: str, analysis: Analysis) -> tuple[str, str]:
    """What the module's `name` does as a decorator, and what the decorator does that it makes.

    name: as ``decorating.asked_of`` writes it.
    """
    if name.startswith(IN_BODY):
        function = analysis.info.functions.get(name.removeprefix(IN_BODY))
        return _NOT_KNOWN if function is None or function.decorators else effects_of(function.node, analysis.info)
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
    if (other := _other_name_of(held, analysis)) is not None:
        return analysis.decorating(Function(other.qualname + name[len(held) :], module=other.module))[:2]
    if _fills_in_docstrings(held, module):
        return (SAME, "") if not owner else _NOT_KNOWN
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
    bases = [_name(item.value) for item in info.node.bases]
    keeps = _is_descriptor(info.node, module)
    plain = all(not item.keyword for item in info.node.bases) and all(
        it in _PLAIN_BASES or (it in _DESCRIPTORS and it not in module.values) for it in bases
    )
    if not plain or info.node.keywords or info.decorators or "__new__" in info.methods or watches(info.node):
        return _NOT_KNOWN
    init, call, get = (
        module.functions.get(info.methods.get(method, "")) for method in ("__init__", "__call__", "__get__")
    )
    if any(method is not None and method.decorators for method in (init, call, get)):
        return _NOT_KNOWN
    if call is None and not ((keeps or get is not None) and _only_calls_what_it_keeps(info.node, init, module)):
        return _NOT_KNOWN
    above = _given_to_the_base(init.node) if init is not None and keeps else ()
    kept = effects_of(init.node, module, 1, above)[0] if init is not None else CALLS if keeps else ""
    return kept and CALLS, effects_of(call.node, module, 1)[0] if call is not None else ""


def _is_descriptor(node: cst.ClassDef, module: ModuleInfo) -> bool:
    """Whether a base of the class keeps the function, and calls it."""
    bases = [_name(item.value) for item in node.bases]
    return any(it in _DESCRIPTORS and it not in module.values for it in bases)


def _given_to_the_base(init: cst.FunctionDef) -> set[int]:
    """The ids of what ``__init__`` hands to that of the base."""
    return {
        id(argument.value)
        for part in walk(init.body)
        if type(part) is cst.Call and type(part.func) is cst.Attribute and part.func.attr.value == "__init__"
        if type(part.func.value) is cst.Call and dotted(part.func.value.func) == "super"
        for argument in part.args
        if not argument.star
    }


def _only_calls_what_it_keeps(node: cst.ClassDef, init: FunctionInfo | None, module: ModuleInfo) -> bool:
    """Whether the methods of a class do no more with the attributes that hold the function than call or name it."""
    parts = list(walk(node.body))
    inside = {id(part) for part in walk(init.node)} if init is not None else set()
    taken = parameters_of(init.node.params)[1:2] if init is not None else []
    kept = {
        dotted(target.target)
        for part in parts
        if type(part) is cst.Assign and id(part) in inside
        if any(dotted(item) == it.name.value for item in items_of(part.value) for it in taken)
        for target in part.targets
    }.union(f"self.{attribute}" for attribute in _OF_DESCRIPTORS)
    harmless = {id(part) for it in parts for part in harmless_below(it, module, frozenset())}
    for part in parts:  # another one of it: type(self)(self.fget, fset)
        if type(part) is cst.Call and sketch(part.func) in ("type(...)", "self.__class__"):
            harmless.update(id(it.value) for it in part.args if not it.star)
    return all(
        dotted(part) not in kept or id(part) in harmless or id(part) in inside
        for part in parts
        if type(part) is cst.Attribute
    )


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


def _other_name_of(name: str, analysis: Analysis) -> Function | None:
    """The decorator of the project of which the module's `name` is another name: ``cached_value = cache_readonly``."""
    module = analysis.info
    if name in module.rebound:
        return None
    values = [item for statement in module.node.body for item in _bound_to(name, statement)]
    of = dotted(values[0]) if len(values) == 1 and values[0] is not None else ""
    first, _, rest = of.partition(".")
    value = module.values.get(first)
    if isinstance(value, Symbol):
        value = analysis.resolve(f"{value.name}.{rest}" if rest else value.name)
    elif rest:
        return None
    return asked_of(value) if isinstance(value, (Function, Class)) and of != name else None


def _fills_in_docstrings(name: str, module: ModuleInfo) -> bool:
    """Whether the module's `name` is what one of DOCSTRING_DECORATORS makes, however often that is imported."""
    if name in module.rebound:
        return False
    values = [item for statement in module.node.body for item in _bound_to(name, statement)]
    if len(values) != 1 or type(values[0]) is not cst.Call:
        return False
    maker = dotted(values[0].func)
    first, _, rest = maker.partition(".")
    imported = _imported(first, module)
    if imported and not _defines(first, module):
        names = [f"{it}.{rest}" if rest else it for it in imported]
    else:
        names = [canonical_name(values[0].func, module)]
    return all(it in DOCSTRING_DECORATORS for it in names)


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
        elif isinstance(part, (cst.Tuple, cst.For, cst.With, cst.NamedExpr)) and reads([part], name):
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
    if name.startswith(IN_BODY):
        name = name.removeprefix(IN_BODY)
        function = module.functions.get(name)
        return _hands_on(function.node, module, []) if function is not None else ""
    first, _, method = name.partition(".")
    own = first.removesuffix(OBJECT)
    if any(it.partition(".")[0] in COMPILERS for it in _imported(first, module)):  # else another one stands for it
        return COMPILES
    maker = _maker(first, module)
    if maker:
        whose = f"is a method of what {maker} makes" if method else f"is what {maker} makes"
        return f"{whose}, which {_of_maker(maker, analysis)}"
    method = method or "__call__"
    holder = module.classes.get(own)
    other = _other_name_of(first, analysis)
    if other is not None and not first.endswith(OBJECT):
        return analysis.decorating(other)[2] or "may do more with the function than call it with what it was given"
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
    got = [it for node in nodes for it in ([node] if type(node) is cst.FunctionDef else _that_get_it(node))]
    functions = [part for it in got for part in walk(it) if type(part) is cst.FunctionDef]
    within = list(walk(holder.node)) if holder is not None else []
    return next(filter(None, (_hands_on(function, module, within) for function in functions)), "")


def _that_get_it(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The methods of a class that get the function which it decorates."""
    assert isinstance(node, cst.ClassDef)
    found = [it for it in node.body.body if isinstance(it, cst.FunctionDef)]
    return [it for it in found if it.name.value in ("__new__", "__init__", "__call__")]


def _maker(name: str, module: ModuleInfo) -> str:
    """What makes the module's `name`: a decorator of the function, or what is called for it; else empty."""
    if name in module.functions:
        nodes = [decorator.decorator for decorator in module.functions[name].node.decorators]
    else:
        bound = [value for statement in module.node.body for value in _bound_to(name, statement)]
        nodes = [value for value in bound if type(value) is cst.Call] if len(bound) == 1 else []
    for node in nodes:
        func = node.func if type(node) is cst.Call else node
        own = dotted(func) if dotted(func) in module.functions else ""
        made_by = own or canonical_name(func, module)
        if made_by and not is_known(made_by):
            return made_by
    return ""


def _of_maker(name: str, analysis: Analysis) -> str:
    """What is known of the decorator or function of this full name, which makes another decorator."""
    own = name in analysis.info.functions
    if not own and not is_of_project(name, analysis.info):
        return "comes from outside of the project and may look at arguments or results"
    value = Function(name, module=analysis.path) if own else analysis.resolve(name)
    asked = asked_of(value) if isinstance(value, (Function, Class)) else None
    return (analysis.decorating(asked)[2] if asked is not None else "") or "may do more with it than call it"


def is_of_project(name: str, module: ModuleInfo) -> bool:
    """Whether a full name belongs to a module of the project."""
    return name.startswith(".") or name.partition(".")[0] in module.first_party


def _hands_on(function: cst.FunctionDef, module: ModuleInfo, holder: list[cst.CSTNode]) -> str:
    """Who gets the function that `function` gets first, other than to call it or ask for its name; holder: its class"""
    taken = [*function.params.posonly_params, *function.params.params]
    parameters = [item.name.value for item in taken if item.name.value not in ("self", "cls")]
    if not parameters or _gets_options(function, parameters[0]):
        return ""
    parts = list(walk(function.body))
    aliases = aliases_of(function, module)
    harmless = {id(part) for node in parts for part in harmless_below(node, module, aliases)}
    if any(type(part) is cst.ClassDef and _is_descriptor(part, module) for part in holder):
        harmless |= _given_to_the_base(function)
    verb = "may hand" if any(type(part) is cst.If for part in parts) else "hands"
    for part in parts:
        if type(part) is cst.Call:
            given = [dotted(item.value) if id(item.value) not in harmless else "" for item in part.args]
            if parameters[0] in given:
                if dotted(part.func) == "setattr" and given.index(parameters[0]) == 0:
                    named = part.args[1].value if len(part.args) > 1 else part.func
                    return f"sets an attribute of the function, of a name that is not known here ({sketch(named)})"
                if dotted(part.func) in ("getattr", "hasattr", "delattr") and given.index(parameters[0]) == 0:
                    named = part.args[1].value if len(part.args) > 1 else part.func
                    return f"looks at an attribute of the function ({sketch(named)})"
                callee = _called_with(part, given.index(parameters[0]), module) or part.func
                outside = _of_another_package(callee, holder, module)
                seen = f" ({outside}), which may look at arguments or results" if outside else ""
                called = "" if type(callee) is cst.Call else "()"
                return f"{verb} the function on to {sketch(callee)}{called}{seen}"
    return ""


def _gets_options(function: cst.FunctionDef, first: str) -> bool:
    """Whether `function` makes a decorator: it never calls its parameter `first`, but a function in it calls its own.

    That one takes a single argument, as decorators do, and calls it or gives it back.
    """
    parts = list(walk(function.body))
    if any(type(part) is cst.Call and dotted(part.func) == first for part in parts):
        return False
    for inner in parts:
        taken = inner.params.params if type(inner) is cst.FunctionDef and len(inner.params.params) == 1 else ()
        for name in (item.name.value for item in taken):
            for part in walk(inner.body):  # type: ignore[attr-defined]
                if type(part) is cst.Call and dotted(part.func) == name:
                    return True
                if type(part) is cst.Return and part.value is not None and dotted(part.value) == name:
                    return True
    return False


def _called_with(call: cst.Call, index: int, module: ModuleInfo) -> cst.BaseExpression | None:
    """What a function of the module, such as ``apply(decorator, f)``, calls with the function that it gets there."""
    own = module.functions.get(dotted(call.func))
    names = [item.name.value for item in own.node.params.params] if own is not None else []
    if own is None or len(names) < len(call.args) or any(item.star or item.keyword for item in call.args):
        return None
    for part in walk(own.node.body):
        if type(part) is cst.Call and dotted(part.func) in names and reads(part.args, names[index]):
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
            name = canonical_name(part.value.func, module)  # type: ignore[attr-defined]
            return f"{name}.{method}" if name and not name.startswith(".") else ""
    return ""


def _is_compilers(node: cst.CSTNode, module: ModuleInfo) -> bool:
    is_name = type(node) is cst.Attribute or type(node) is cst.Name
    return is_name and (canonical_name(node, module) or dotted(node)).partition(".")[0] in COMPILERS
