"""Which regions change nothing but what they return: a call of one that was refused half-way may begin again."""

from __future__ import annotations

from collections.abc import Mapping

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
    calls: dict[str, set[str]] = {}
    for name, region in facts.items():
        info = module.functions.get(name)
        wanted = info is not None and (info.owner is None or (methods and _only_reads_its_object(info.node, region)))
        callees = _callees(region, module, catalog) if wanted else None
        if callees is not None:
            calls[name] = callees
    while bad := {name for name, callees in calls.items() if not callees <= calls.keys()}:
        for name in bad:
            del calls[name]
    return frozenset(calls)


def _only_reads_its_object(node: cst.FunctionDef, region: ev.RegionFacts) -> bool:
    """Whether a method uses ``self`` only as in ``self.name``, and calls nothing by such a name."""
    if region.parameters[:1] != ("self",) or region.updates:
        return False
    nodes = list(walk(node.body))
    called = {id(call.func) for call in nodes if type(call) is cst.Call}
    reads = {id(part.value) for part in nodes if type(part) is cst.Attribute and id(part) not in called}
    return all(id(name) in reads for name in nodes if type(name) is cst.Name and name.value == "self")


def _callees(region: ev.RegionFacts, module: ModuleInfo, catalog: Catalog) -> set[str] | None:
    """The functions of the module that a region calls; None when it may have an effect by itself."""
    if region.seen.asks_objects:  # by an operator, an index or a property: their code may do anything
        return None
    info = module.functions[region.qualname]
    own = info.locals.difference(region.parameters)
    if not all(_is_local(event, info.owner is not None, own) for event in region.events):
        return None
    calls = {id(event.node): event for event in region.events if isinstance(event, ev.Call)}
    found: set[str] = set()
    nodes = list(walk(info.node.body))
    inner = [module.scopes[id(node)] for node in nodes if type(node) is cst.FunctionDef]
    bound = info.locals.union(*(scope.bound for scope in inner))
    looked_up = {id(node.value) for node in nodes if type(node) is cst.Subscript}
    for node in nodes:
        if type(node) in _SYNTAX:
            return None
        if type(node) is cst.Name and node.value not in bound:
            value = module.values.get(node.value)
            if not (_is_still(value) or (id(node) in looked_up and _is_table(value))):
                return None
        if type(node) is cst.Call:
            event = calls.get(id(node))
            callee = _effect_free(event, catalog, module.path, own) if event is not None else None
            if callee is None:
                return None
            found |= callee
    return found


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
    return name.startswith("math.") or name in ("decimal.Decimal", "fractions.Fraction")


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
