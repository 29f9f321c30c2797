"""Which regions change nothing but what they return: a call of one that was refused half-way may begin again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import asks_for_update
from np2tnp.analysis.domain.values import (
    HOST,
    Array,
    Bound,
    Class,
    Const,
    Function,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    is_number,
)
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted, sketch
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.catalog import Catalog

#: Builtins that only look. Those that call a function or take from an iterator are left out, except for the plain
#: loops (the runtime makes sure that no argument is an iterator) and a reduction by a nested function, which is seen.
_BUILTINS = frozenset(
    "abs all any bool complex dict divmod enumerate float int isinstance issubclass len list max min pow range"
    " reduce repr reversed round set slice sorted str sum tuple type zip ArithmeticError AssertionError AttributeError"
    " Exception IndexError KeyError NotImplementedError RuntimeError TypeError ValueError ZeroDivisionError"
    " FloatingPointError OverflowError".split()
)
_METHODS = frozenset(
    "append extend insert pop remove clear reverse sort add update discard get items keys values copy index count"
    " join format split strip startswith endswith lower upper replace setdefault".split()
)
_CHANGING = frozenset(
    "setitem delitem iadd iand iconcat ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor".split()
)
_NAMEDTUPLE = "collections.namedtuple"
#: Syntax that reaches outside of the call, or whose order matters.
_SYNTAX = frozenset(
    (cst.Global, cst.Nonlocal, cst.Del, cst.With, cst.Yield, cst.Await, cst.Import, cst.ImportFrom, cst.ClassDef)
)


def pure_regions(
    facts: Mapping[str, ev.RegionFacts], module: ModuleInfo, catalog: Catalog, *, methods: bool = False
) -> frozenset[str]:
    """Qualnames of the functions that certainly have no effect but their result and the updates of their parameters.

    methods : those that only read attributes of their object, too: what the object does then, the runtime looks at.
    """
    found = {name: _looked_at(region, module, catalog, methods) for name, region in facts.items()}
    calls = {name: set(look.callees) for name, look in found.items() if look.effect is None}
    while bad := {name for name, callees in calls.items() if not callees <= calls.keys()}:
        for name in bad:
            del calls[name]
    return frozenset(calls)


def is_pure(
    qualname: str,
    facts: Mapping[str, ev.RegionFacts],
    module: ModuleInfo,
    catalog: Catalog,
    *,
    methods: bool = False,
    fits: Callable[[ev.RegionFacts], bool] = lambda region: True,
) -> bool:
    """Whether `pure_regions` of those facts that fit has this one. Only what the function reaches is looked at."""
    reached, left = {qualname}, [qualname]
    while left:
        region = facts.get(left.pop())
        if region is None or not fits(region):
            return False
        look = _looked_at(region, module, catalog, methods)
        if look.effect is not None:
            return False
        left += look.callees.keys() - reached
        reached |= look.callees.keys()
    return True


def effect_of(qualname: str, facts: Mapping[str, ev.RegionFacts], module: ModuleInfo, catalog: Catalog) -> str:
    """What may have had an effect in a function that `pure_regions` (with methods) leaves out, in words."""
    region = facts[qualname]
    look = _looked_at(region, module, catalog, True)
    effect = look.effect
    if region.seen.asks_objects:
        where = sketch(region.seen.asked_at)
        who = region.seen.asked_who or "a method of an object"
        return f"{who} may have run{'' if where == '...' else f' in {where}'}"
    pure = pure_regions(facts, module, catalog, methods=True)
    if effect is None:
        effect = next((call for name, call in look.callees.items() if name not in pure), None)
    if isinstance(effect, (cst.Assign, cst.AugAssign)):
        target = effect.target if isinstance(effect, cst.AugAssign) else effect.targets[0].target
        return f"{sketch(target)} may have been stored into"
    words = sketch(effect)
    called = dotted(effect.func) if isinstance(effect, cst.Call) else ""
    if called.startswith("self.") and f"{qualname.rpartition('.')[0]}{called[4:]}" in pure:
        words += " of a subclass"  # its own has none
    return f"{'the function' if words == '...' else words} may have had effects"


@dataclass(slots=True)
class _Look:
    """The functions of the module that a region calls, each with a call of it, and what may have an effect in it."""

    callees: dict[str, cst.CSTNode]
    effect: cst.CSTNode | None = None


def _looked_at(region: ev.RegionFacts, module: ModuleInfo, catalog: Catalog, methods: bool) -> _Look:
    info = module.functions.get(region.qualname)
    look = _look(region, module, catalog) if info is not None else _Look({}, region.node)
    if info is not None and info.owner is not None and look.effect is None:
        look.effect = _of_its_object(info.node, region) if methods else region.node
    return look


def _of_its_object(node: cst.FunctionDef, region: ev.RegionFacts) -> cst.CSTNode | None:
    """Where a method uses ``self`` otherwise than as in ``self.name``, or calls something by such a name."""
    if region.parameters[:1] != ("self",) or region.updates:
        return node
    nodes = list(walk(node.body))
    calls = {id(call.func): call for call in nodes if type(call) is cst.Call}
    reads = {id(part.value): part for part in nodes if type(part) is cst.Attribute}
    for name in nodes:
        if type(name) is cst.Name and name.value == "self":
            read = reads.get(id(name))
            if read is None or id(read) in calls:
                return name if read is None else calls[id(read)]
    return None


def _look(region: ev.RegionFacts, module: ModuleInfo, catalog: Catalog) -> _Look:
    if region.seen.asks_objects:  # by an operator, an index or a property: their code may do anything
        return _Look({}, region.node)
    info = module.functions[region.qualname]
    own = info.locals.difference(region.parameters)
    reaching = (it.node for it in region.events if not _is_local(it, info.owner is not None, own))
    if (reached := next(reaching, None)) is not None:
        return _Look({}, reached)
    calls = {id(event.node): event for event in region.events if isinstance(event, ev.Call)}
    found: dict[str, cst.CSTNode] = {}
    nodes = list(walk(info.node.body))
    inner = [module.scopes[id(node)] for node in nodes if type(node) is cst.FunctionDef]
    bound = info.locals.union(*(scope.bound for scope in inner))
    looked_up = {id(node.value) for node in nodes if type(node) is cst.Subscript}
    settings = _error_settings(nodes, calls)
    tuples, drawn_from = _tuple_classes(nodes, calls), _distributions(nodes, calls, catalog)
    for node in nodes:
        if node in settings:
            continue
        if type(node) in _SYNTAX:
            return _Look({}, node)
        if type(node) is cst.Name and node.value not in bound:
            value = module.values.get(node.value)
            if not (_is_still(value) or (id(node) in looked_up and _is_table(value))):
                return _Look({}, node)
        if type(node) is cst.Call:
            if type(node.func) is cst.Name and node.func.value in tuples:
                continue  # it puts a tuple together
            if id(node) in region.seen.exceptions or node in drawn_from:
                continue
            event = calls.get(id(node))
            callee = _effect_free(event, catalog, module.path, own) if event is not None else None
            if callee is None:
                return _Look({}, node)
            found.update(dict.fromkeys(callee, node))
    return _Look(found)


def _error_settings(nodes: list[cst.CSTNode], calls: Mapping[int, ev.Call]) -> set[cst.CSTNode]:
    """Each ``with np.errstate(divide="ignore")``, which puts back what it sets, and its calls."""
    found: set[cst.CSTNode] = set()
    for node in (it for it in nodes if type(it) is cst.With):
        made = [calls.get(id(item.item)) for item in node.items if item.asname is None]
        if len(made) == len(node.items) and all(
            call is not None
            and call.callee == Symbol("numpy.errstate")
            and all(isinstance(it.value, Const) and it.value.value in _HARMLESS for it in call.arguments)
            for call in made
        ):
            found |= {node, *(item.item for item in node.items)}
    return found


#: What np.errstate may be told of errors; else it prints them, or calls something.
_HARMLESS = ("ignore", "warn", "raise")


def _tuple_classes(nodes: list[cst.CSTNode], calls: Mapping[int, ev.Call]) -> set[str]:
    """The local names that stand for nothing but what ``namedtuple(...)`` makes."""
    made: Counter[str] = Counter()
    uses = Counter(node.value for node in nodes if type(node) is cst.Name)
    for node in nodes:
        if type(node) is not cst.Assign or len(node.targets) != 1 or type(node.targets[0].target) is not cst.Name:
            continue
        event = calls.get(id(node.value))
        if event is not None and isinstance(event.callee, Symbol) and event.callee.name == _NAMEDTUPLE:
            made[node.targets[0].target.value] += 1
    called = Counter(node.func.value for node in nodes if type(node) is cst.Call and type(node.func) is cst.Name)
    return {name for name, times in made.items() if uses[name] == times + called[name]}


def _distributions(nodes: list[cst.CSTNode], calls: Mapping[int, ev.Call], catalog: Catalog) -> set[cst.CSTNode]:
    """The calls that make a distribution of SciPy's, and those that ask it: ``b = binom(n, 0.5)``, ``b.ppf(q)``."""
    made: dict[str, set[cst.CSTNode]] = {}
    for node in nodes:
        if type(node) is cst.Assign:
            event = calls.get(id(node.value))
            name = event.callee.name if event is not None and isinstance(event.callee, Symbol) else ""
            known = name.startswith("scipy.stats.") and catalog.is_pure(name)
            for target in node.targets:
                if known and type(target.target) is cst.Name:
                    made.setdefault(target.target.value, set()).add(node.value)
    asked = [node for node in nodes if type(node) is cst.Call and _asks_distribution(node, made.keys())]
    uses = Counter(node.value for node in nodes if type(node) is cst.Name)
    times = Counter(node.func.value.value for node in asked)  # type: ignore[attr-defined]
    alone = {name for name, makers in made.items() if uses[name] == len(makers) + times[name]}
    return {maker for name in alone for maker in made[name]} | {
        node
        for node in asked
        if node.func.value.value in alone  # type: ignore[attr-defined]
    }


_OF_DISTRIBUTIONS = frozenset("pdf logpdf pmf logpmf cdf logcdf sf logsf ppf isf mean median var std interval".split())


def _asks_distribution(node: cst.Call, names: Collection[str]) -> bool:
    func = node.func
    return (
        type(func) is cst.Attribute
        and type(func.value) is cst.Name
        and func.value.value in names
        and func.attr.value in _OF_DISTRIBUTIONS
    )


def _is_local(event: ev.Event, is_method: bool, own: frozenset[str]) -> bool:
    """Whether an event leaves alone what others can see; updates of parameters reach them after success only.

    `own`: the names of the region's locals.
    """
    if isinstance(event, ev.AttributeStore):
        return False
    if isinstance(event, ev.Store):
        base = event.base
        if event.keys is None and isinstance(event.target, cst.Name) and is_number(base):
            return True  # its name is bound to another number
        if isinstance(base, Array) and base.home == HOST:
            return base.exact is None and bool(base.refs) and base.refs <= own
        if isinstance(base, (Array, Unknown)):
            return base.home != HOST
        return isinstance(base, Sequence) and base.refs <= own
    if isinstance(event, ev.AttributeRead):
        owner = event.node.value
        return (is_method and isinstance(owner, cst.Name) and owner.value == "self") or isinstance(
            event.base, (Array, Unknown)
        )
    return True


def _is_still(value: Value | None) -> bool:
    """Whether reading a name of the module (None: a builtin, or an attribute's name) can have no effect."""
    return value is None or isinstance(value, (Symbol, Function, Class, Const, Scalar, Array))


def _is_table(value: Value | None) -> bool:
    """Whether a list or dict of the module holds nothing that could be changed through one of its items.

    A store into the table itself is a Store event.
    """
    if not isinstance(value, Sequence):
        return False
    items = (value.element,) if value.items is None else value.items
    return all(isinstance(item, (Scalar, Const)) for item in items)


def _effect_free(event: ev.Call, catalog: Catalog, module: str, own: frozenset[str]) -> set[str] | None:
    """The module's functions that a call runs, as callee or as callback; None when it may have an effect."""
    callee = event.callee
    given = [a.value for a in event.arguments if isinstance(a.value, Function) and not a.value.nested]
    if any(function.module != module for function in given):
        return None
    callbacks = {function.qualname for function in given}
    if event.api is not None:
        return callbacks if _is_known_api(event.api, catalog) else None
    if isinstance(callee, Symbol):
        name = callee.name
        if name == "builtins.map":
            return callbacks if event.arguments and _is_known_callback(event.arguments[0].value, catalog) else None
        return callbacks if _is_plain(name) or _only_computes(event, name, catalog) else None
    if isinstance(callee, Function):
        if callee.nested:
            return callbacks
        return callbacks | {callee.qualname} if callee.module == module else None
    if isinstance(callee, Bound) and callee.name in _METHODS:
        receiver = callee.receiver
        alone = isinstance(receiver, (Const, Scalar)) or (isinstance(receiver, Sequence) and receiver.refs <= own)
        return callbacks if alone else None
    return None


def _is_known_api(name: str, catalog: Catalog) -> bool:
    fact = catalog.get(name)
    known = fact is not None and (fact.tnp is not None or fact.rt is not None or fact.kind in ("dtype", "class"))
    return known and not name.startswith("numpy.random.")


def _is_plain(name: str) -> bool:
    if name.startswith("builtins."):
        return name[9:] in _BUILTINS
    if name.startswith("operator."):
        return name[9:] not in _CHANGING
    return name.startswith("math.") or name in (_NAMEDTUPLE, "decimal.Decimal", "fractions.Fraction")


def _only_computes(event: ev.Call, name: str, catalog: Catalog) -> bool:
    """Whether it is a function of SciPy's that draws nothing, and is to overwrite nothing."""
    positional = sum(argument.name is None for argument in event.arguments)
    given = [argument.value for argument in event.arguments]
    return (
        name.startswith(("scipy.linalg.", "scipy.special.", "scipy.fft."))
        and catalog.is_pure(name)
        and not catalog.is_stored_into(name, positional)
        and not any(map(asks_for_update, event.arguments))
        and not any(isinstance(value, (Function, Bound)) for value in given)
    )


def _is_known_callback(value: Value, catalog: Catalog) -> bool:
    """Whether calling it has no effect; a function of the module is among the callbacks already."""
    if isinstance(value, Symbol):
        return _is_plain(value.name) or _is_known_api(value.name, catalog)
    return isinstance(value, Function)
