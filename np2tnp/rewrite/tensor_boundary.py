"""``--boundary tensor``: migrated functions take and give tensors themselves, without a wrapper.

Then code that stays NumPy must not call them: it would get tensors. Inside the module that is proved here. Other
modules are the user's business, who asked for this contract, but for what nobody would notice there: that a function
which updates its arguments gives the new arrays back.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import MODULE, Summary
from np2tnp.analysis.domain.values import (
    FOREIGN,
    HOST,
    NO_NAMES,
    Bound,
    Class,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    home_of,
    may_hold_tensor,
    outside_of,
    parameters_in,
    refs_of,
)
from np2tnp.analysis.module.contents import FunctionInfo, ModuleInfo
from np2tnp.analysis.syntax.python_tables import AUGMENTED
from np2tnp.analysis.syntax.scopes import dotted, parameters_of
from np2tnp.analysis.syntax.walk import PARTS, walk
from np2tnp.model import RegionState, Verdict
from np2tnp.rewrite.plan import RegionPlan
from np2tnp.rules.base import Hit
from np2tnp.rules.cases import location_words
from np2tnp.rules.constructs.escaping_functions import Callback
from np2tnp.rules.host.host_updates import HostUpdate

# --- Functions that are called without being named at the call: by operators, by Python itself, by texts
#
# What ``--boundary tensor`` must know: who calls these goes on in NumPy, and would get tensors.

CALL = "__call__"
#: Operators whose methods are used where they stand in the text. What other special methods give, Python itself works
#: on (``__array__``, ``__float__``, ``__iter__``), or any library (``__eq__``, ``__getitem__``).
_ARITHMETIC = frozenset(
    "add sub mul truediv floordiv mod divmod pow matmul and_ or_ xor lshift rshift neg pos invert abs".split()
)
_METHODS = frozenset(
    f"__{prefix}{op.rstrip('_')}__"
    for op in _ARITHMETIC
    for prefix in (("",) if op in ("neg", "pos", "invert", "abs") else ("", "r", "i"))
)
#: Functions and modules that apply operators to what they get.
_OPERATING = {
    "sum": frozenset(("__add__", "__radd__", "__iadd__")),
    **{name: frozenset(f"__{prefix}{name}__" for prefix in ("", "r")) for name in ("abs", "divmod", "pow")},
    **dict.fromkeys(("reduce", "accumulate", "operator"), _METHODS),
}
#: Builtins that call what they get.
_CALLING = frozenset(f"builtins.{name}" for name in "map filter iter sorted min max".split())
#: Builtins and modules of Python's that look names up in texts.
_LOOKING_UP = frozenset(
    "eval exec globals locals vars __dict__ __import__ import_module attrgetter methodcaller".split()
)


def is_special(name: str) -> bool:
    """Whether Python itself calls methods of this name."""
    return name.startswith("__") and name.endswith("__")


def by_text(nodes: Iterable[cst.CSTNode]) -> tuple[frozenset[str], bool]:
    """Names that `nodes` look up in literal texts (``getattr(x, "step")``), and whether they look up any others."""
    found: set[str] = set()
    anything = False
    for root in nodes:
        for node in walk(root):
            if isinstance(node, (cst.Name, cst.Attribute)):
                anything |= (node.value if isinstance(node, cst.Name) else node.attr.value) in _LOOKING_UP
            if not (isinstance(node, cst.Call) and dotted(node.func) == "getattr" and len(node.args) > 1):
                continue
            name = node.args[1].value
            value = name.evaluated_value if isinstance(name, cst.SimpleString) else None
            anything |= not isinstance(value, str)
            found.add(value if isinstance(value, str) else "")
    return frozenset(found), anything


def used_methods(facts: ev.RegionFacts, migrates: bool, module: ModuleInfo) -> Iterator[str]:
    """The special methods of :func:`may_wait` that a region may call as code that works on ndarrays.

    In a region that migrates, an operator beside a tensor works with whatever it gives (:meth:`Evaluate.operate`).
    """
    assumed = NO_NAMES if migrates else facts.assumed_arrays  # nobody checks that in code that stays
    for op in facts.seen.object_operators:
        yield from _methods_of(op)
    for event in facts.events:
        if isinstance(event, ev.Operator) and _may_be_object(event.operands, assumed):
            if not migrates or home_of(event.result) == HOST:
                yield from _methods_of(event.op.rpartition(" ")[2])
        elif isinstance(event, (ev.Store, ev.AttributeStore)) and isinstance(event.node, cst.AugAssign):
            if isinstance(event.base, Sequence) or _may_be_object((event.base, event.value), assumed):
                yield from _methods_of(f"i{AUGMENTED[type(event.node.operator)]}")
        elif isinstance(event, ev.Call) and _may_call_object(event, module):
            yield CALL
    for node in walk(facts.node):
        if isinstance(node, cst.Name):
            yield from _OPERATING.get(node.value, ())


def may_wait(name: str) -> bool:
    """Whether the special method `name` is used only where the text says so."""
    return name == CALL or name in _METHODS


def assigned_names(tree: cst.CSTNode) -> frozenset[str]:
    """Names of methods that the bodies of classes hand on: ``__call__ = step``, ``STEPS = {"a": step}``."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, cst.ClassDef):
            for statement in node.body.body:
                small = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
                for part in small:
                    value = part.value if isinstance(part, (cst.Assign, cst.AnnAssign)) else None
                    if isinstance(value, cst.CSTNode):
                        found.update(name.value for name in walk(value) if isinstance(name, cst.Name))
    return frozenset(found)


def decorating_classes(module: ModuleInfo) -> bool:
    """Whether an object of a class of the module stands in the place of a function: its ``__call__`` is called."""
    heads = {name.partition(".")[0] for info in module.functions.values() for name in info.decorators}
    return not heads.isdisjoint(name.partition(".")[0] for name in module.classes)


def _methods_of(op: str) -> Iterator[str]:
    name = op.rstrip("_")
    yield from (f"__{name}__", f"__r{name}__", f"__i{name}__")
    if name[:1] == "i":  # ``iadd`` may be an ``add``
        yield from (f"__{name[1:]}__", f"__r{name[1:]}__")


def _may_be_object(values: Iterable[Value], assumed: frozenset[str] = NO_NAMES) -> bool:
    return any(
        isinstance(value, (Unknown, Instance, Class)) or not assumed.isdisjoint(deps_of(value)) for value in values
    )


def _may_call_object(event: ev.Call, module: ModuleInfo) -> bool:
    callee = event.callee
    if isinstance(callee, Symbol):
        known = callee.name.startswith(("numpy.", "math.", "builtins.")) and callee.name not in _CALLING
        return not known and _may_be_object(argument.value for argument in event.arguments)
    if isinstance(callee, (Function, Class)) or event.api is not None:
        return False
    if isinstance(callee, Bound):  # a method, unless the program gives objects such an attribute
        return _may_be_object((callee.receiver,)) and module.gives(callee.name)
    return True


# --- ``--boundary tensor``: code that only hands on what functions gave it, which may be a tensor as well as an
# ndarray
#
# ``return self.head.apply(self.body.apply(x))`` does nothing with the arrays: what it gives is what the last layer
# gives. So such calls are no reason to keep the layers in NumPy. Whoever calls such code gets tensors from it, in its
# turn.

_OPERATORS = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)
_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


def handed_on(plan: RegionPlan, info: FunctionInfo, names: Collection[str]) -> tuple[set[int], bool]:
    """The mentions (ids) of functions called `names` of which the region only hands results on; whether to its caller.

    `names`: a method's begins with a dot. Nothing where one result is used in any other way.
    """
    if info.node.asynchronous is not None or plan.facts.generator:
        return set(), False
    parents, within = _parents(info.node.body)
    calls = {
        id(node): node
        for node, _ in parents.values()
        if isinstance(node, cst.Call) and _called(node) in names and id(node) not in within
    }
    held: set[str] = set()
    gives = False
    pending: list[cst.CSTNode] = list(calls.values())
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        use = _use(node, parents, calls, plan)
        if use is None or any(isinstance(above, (cst.Try, cst.TryStar)) for above in _above(node, parents)):
            return set(), False
        gives |= isinstance(use, cst.Return)
        if isinstance(use, str) and use not in held:
            held.add(use)
            mentions = [part for part, _ in parents.values() if isinstance(part, cst.Name) and part.value == use]
            if use in info.globals or any(id(part) in within for part in mentions):
                return set(), False
            pending += [part for part in mentions if not _is_target(part, parents)]
    return {id(call.func) for call in calls.values()}, gives


def may_relay(info: FunctionInfo) -> bool:
    """Whether others may get tensors from such a function: it is called where its name is, and by nobody else."""
    return not info.decorators and not is_special(info.qualname.rpartition(".")[2])


def certain(names: Collection[str], giving: Collection[str], module: ModuleInfo) -> set[str]:
    """Those of `names` that all functions of the module have which are called so: all of them are in `giving`."""
    others = {called(info) for name, info in module.functions.items() if name not in giving}
    return set(names) - others


def called(info: FunctionInfo) -> str:
    """How calls name the function: ``apply``, or ``.apply`` for a method."""
    name = info.qualname.rpartition(".")[2]
    return name if info.owner is None else f".{name}"


def _use(
    node: cst.CSTNode, parents: dict[int, tuple[Any, Any]], calls: dict[int, cst.Call], plan: RegionPlan
) -> cst.CSTNode | str | None:
    """Where a result goes that may be a tensor: a statement, an exact operation, or a name; None for anything else."""
    above = parents[id(node)][1]
    if isinstance(above, (cst.Return, cst.Expr)):
        return above
    if isinstance(above, cst.Assign) and len(above.targets) == 1 and isinstance(above.targets[0].target, cst.Name):
        return above.targets[0].target.value
    if isinstance(above, cst.Element) and isinstance(parents[id(above)][1], cst.Tuple):
        result = parents[id(parents[id(above)][1])][1]
        return result if isinstance(result, cst.Return) else None
    if isinstance(above, cst.ComparisonTarget):
        above = parents[id(above)][1]
    if isinstance(above, cst.Arg):
        call = parents[id(above)][1]
        exact = plan.state is RegionState.CONVERTIBLE and id(call) in plan.edits.replace
        return call if not above.star and (id(call) in calls or exact) else None
    exact = plan.state is RegionState.CONVERTIBLE and id(above) in plan.edits.replace
    return above if isinstance(above, _OPERATORS) and exact else None


def _called(node: cst.Call) -> str:
    if isinstance(node.func, cst.Name):
        return node.func.value
    return f".{node.func.attr.value}" if isinstance(node.func, cst.Attribute) else ""


def _is_target(node: cst.Name, parents: dict[int, tuple[Any, Any]]) -> bool:
    above = parents[id(node)][1]
    return isinstance(above, cst.AssignTarget) or (isinstance(above, cst.For) and above.target is node)


def _above(node: cst.CSTNode, parents: dict[int, tuple[Any, Any]]) -> Iterator[cst.CSTNode]:
    while id(node) in parents and parents[id(node)][1] is not None:
        node = parents[id(node)][1]
        yield node


def _parents(body: cst.CSTNode) -> tuple[dict[int, tuple[Any, Any]], set[int]]:
    """Each node below `body`, by id, with the one above it; the nodes of scopes within (functions, comprehensions)."""
    found: dict[int, tuple[Any, Any]] = {}
    within: set[int] = set()
    pending: list[tuple[Any, Any, bool]] = [(body, None, False)]
    while pending:
        node, above, inner = pending.pop()
        if isinstance(node, (list, tuple)):
            pending += [(part, above, inner) for part in node]
            continue
        if not isinstance(node, cst.CSTNode):
            continue
        found[id(node)] = (node, above)
        inner = inner or isinstance(node, (*_SCOPES, cst.BaseComp))
        if inner:
            within.add(id(node))
        pending += [(part, node, inner) for part in PARTS[type(node)](node)]
    return found, within


# --- Other files of the project that use a function which updates its arguments: they are not rewritten with it


def use_elsewhere(text: str, info: FunctionInfo, denotes: Callable[[str], bool]) -> int:
    """The line on which another file may use the function, 0 where there is none.

    `denotes`: whether a name, as the file imports it (``.ops.scale``), may be the function. Imports alone are no use,
    but for one that gives it another name.
    """
    name = info.qualname.rpartition(".")[2]
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 1  # Python 2: the name stands in it
    bound: dict[str, str] = {}
    stars: list[str] = []
    skipped: set[int] = set()
    called: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            bound.update((it.asname or it.name.partition(".")[0], it.name) for it in node.names if it.asname)
            bound.update((it.name.partition(".")[0],) * 2 for it in node.names if not it.asname)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (f"{node.module}." if node.module else "")
            bound.update((it.asname or it.name, start + it.name) for it in node.names if it.name != "*")
            stars += [start for it in node.names if it.name == "*"]
        elif isinstance(node, ast.Call):
            called.add(id(node.func))
        elif isinstance(node, ast.Attribute) and node.attr == "numpy" and isinstance(node.value, ast.Call):
            skipped.add(id(node.value.func))  # ``model.scale(x).numpy()`` was written for tensors
        elif isinstance(node, ast.Assign) and any(getattr(it, "id", "") == "__all__" for it in node.targets):
            skipped.update(map(id, ast.walk(node.value)))

    def may_be(node: ast.AST) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str) and node.value.rpartition(".")[2] == name
        if isinstance(node, ast.ImportFrom):
            renamed = any(it.name == name and it.asname not in (None, name) for it in node.names)
            start = "." * node.level + (f"{node.module}." if node.module else "")
            return renamed and denotes(start + name)
        if isinstance(node, ast.ClassDef) and info.owner is not None and node.bases:
            return any(getattr(it, "name", "") == name for it in node.body)  # it may be called in the place of ours
        if isinstance(node, ast.Name):
            if info.owner is not None:
                return False
            if node.id in bound:
                return bound[node.id].rpartition(".")[2] == name and denotes(bound[node.id])
            return node.id == name and any(denotes(star + name) for star in stars)
        if not isinstance(node, ast.Attribute) or node.attr != name:
            return False
        path = _dotted_name(node)
        first, _, rest = path.partition(".")
        if first in bound:
            return denotes(f"{bound[first]}.{rest}")
        return info.owner is not None or (id(node) in called and path not in (f"self.{name}", f"cls.{name}"))

    lines = [node.lineno for node in ast.walk(tree) if id(node) not in skipped and may_be(node)]  # type: ignore[attr-defined]
    return min(lines, default=0)


def looks_up(text: str) -> bool:
    """Whether a file looks names up in texts that it computes."""
    if not any(name in text for name in ("getattr", *_LOOKING_UP)):
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            if not (len(node.args) > 1 and isinstance(node.args[1], ast.Constant)):
                return True
        elif getattr(node, "id", getattr(node, "attr", "")) in _LOOKING_UP:
            return True
    return False


def _dotted_name(node: ast.expr) -> str:
    """``a.b.c``; begins with a dot where that is an attribute of something else than a name."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def updaters(plans: Iterable[RegionPlan], module: ModuleInfo) -> list[FunctionInfo]:
    """The functions that would migrate and give back what they were given to update."""
    return [module.functions[p.facts.qualname] for p in plans if _migrates(p) and p.facts.mutated]


def leaking(plans: Iterable[RegionPlan], module: ModuleInfo) -> frozenset[str]:
    """The functions that would migrate, give tensors, and are called other than from migrated code, by name.

    Who mentions a function may call it; special methods are called where the text has the operator, and else by Python.
    Code that only hands on what it got is no such code, unless what it gives goes to some.
    """
    plans = list(plans)
    functions = {
        p.facts.qualname: module.functions[p.facts.qualname] for p in plans if _migrates(p) and _gives(p.facts)
    }
    if not functions:
        return NO_NAMES
    names, anything = by_text([module.node])
    if anything:
        return frozenset(functions)
    seen = {text for name in names for text in (name, f".{name}")}
    seen.update(f".{name}" for name in assigned_names(module.node))
    if decorating_classes(module):
        seen.add(f".{CALL}")
    for plan in plans:
        seen.update(f".{name}" for name in used_methods(plan.facts, _migrates(plan), module))
    fresh = {p.facts.qualname for p in plans if p.facts.qualname in functions and _is_fresh(p.facts)}
    barred: set[str] = set()
    while True:  # each round bars a function that would hand tensors on to NumPy code
        handing, mentioned = _mentioned(plans, module, functions, fresh, barred)
        mentioned |= seen
        more = {name for name in handing if _is_seen(module.functions[name], mentioned)}
        if not more:
            return frozenset(name for name, info in functions.items() if _is_seen(info, mentioned))
        barred |= more


def _mentioned(
    plans: list[RegionPlan], module: ModuleInfo, known: Container[str], fresh: set[str], barred: set[str]
) -> tuple[set[str], set[str]]:
    """The functions that hand tensors on, and the names of functions that code mentions which does more than that.

    `known`: those of which migrated callers expect tensors anyway; what others hand on, these take for ndarrays.
    """
    found: set[str] = set()
    while True:
        giving = fresh | found
        safe = certain({called(module.functions[name]) for name in giving}, giving, module)
        handing = {called(module.functions[name]) for name in found}
        seen: set[str] = set()
        more: set[str] = set()
        for plan in plans:
            name = plan.facts.qualname
            allowed = plan.edits.cores if _migrates(plan) else set()
            ids: set[int] = set()
            if name == MODULE:
                allowed = {id(e.node.func) for e in plan.facts.events if isinstance(e, ev.Call) and _is_plain(e)}
                nodes = _top_level(module)
            else:
                info = module.functions[name]
                nodes = _mentions(info.node.body, info.locals)
                ids, gives = handed_on(plan, info, safe)
                if gives and name not in known:
                    if name in barred or not may_relay(info):
                        ids = set()
                    else:
                        more.add(name)
            for node in nodes:
                text = node.value if isinstance(node, cst.Name) else f".{node.attr.value}"
                if id(node) not in ids and (id(node) not in allowed or text in handing):
                    seen.add(text)
        if more <= found:
            return found, seen
        found |= more


def _is_fresh(facts: ev.RegionFacts) -> bool:
    """Whether all that callers get of it is a new array: nothing that somebody may update, and no update."""
    held = facts.returned | facts.viewed | facts.kept | facts.updates
    return not (facts.mutated or held or (facts.result is not None and outside_of(refs_of(facts.result))))


def _is_seen(info: FunctionInfo, seen: set[str]) -> bool:
    name = info.qualname.rpartition(".")[2]
    if info.owner is None:
        return name in seen
    return f".{name}" in seen or (is_special(name) and not may_wait(name))


def _gives(facts: ev.RegionFacts) -> bool:
    """Whether callers get tensors: in the result, or as what an argument was updated to."""
    return bool(facts.mutated) or (facts.result is not None and may_hold_tensor(facts.result))


def hit(info: FunctionInfo, where: str = "") -> Hit:
    """Why such a function stays NumPy. `where`: outside of the module it is used there, see :func:`use_elsewhere`."""
    message = "code of the module that stays NumPy uses it, and would get tensors from it (--boundary tensor)"
    if where:
        message = f"{where} may use it, and would not take the updated arrays that it gives back (--boundary tensor)"
    return Hit(Callback.doc.code, info.node, message, Verdict.BLOCK)


def mixed_up(facts: ev.RegionFacts) -> Hit | None:
    """A parameter that is assigned again and stays an ndarray for the sake of others: callers may give a tensor."""
    names = facts.host_parameters & facts.kept
    targets = (part.target for part in walk(facts.node) if isinstance(part, cst.AssignTarget)) if names else ()
    names &= {target.value for target in targets if isinstance(target, cst.Name)}
    if not names:
        return None
    words = f"{min(names)} stays an ndarray here and is assigned again, and callers may give a tensor"
    return Hit(Callback.doc.code, facts.node, f"{words}: assign to another name (--boundary tensor)", Verdict.BLOCK)


def lost_update(facts: ev.RegionFacts, summary: Callable[[Function], Summary | None]) -> Hit | None:
    """The first update of an argument that stays as it is for the sake of NumPy: a tensor there would not change.

    Without a wrapper such an argument is a tensor. ``x[0] = v`` raises on it, but ``y += v``, ``d["k"] += v`` and a
    callee's own ``x *= 2`` rebind a name, silently.
    """
    if not facts.host_parameters:
        return None
    for event in facts.events:
        shown = NO_NAMES
        if isinstance(event, (ev.Store, ev.AttributeStore)) and isinstance(event.node, cst.AugAssign):
            shown = parameters_in(refs_of(event.base))
            if not shown and _may_be_anything(event, facts):
                shown = facts.changeable
        elif isinstance(event, ev.Call) and isinstance(event.callee, Function):
            shown = parameters_in(NO_NAMES.union(*_updated_by(event, summary(event.callee))))
        if shown := shown & facts.host_parameters:
            words = f"this updates what may be {location_words(frozenset(f'@{name}' for name in shown))}"
            message = f"{words}, in place; a tensor there stays as it was (--boundary tensor)"
            return Hit(HostUpdate.doc.code, event.node or facts.node, message, Verdict.BLOCK)
    return None


def _updated_by(event: ev.Call, summary: Summary | None) -> Iterator[frozenset[str]]:
    """What a function of the project that stays NumPy updates of its arguments, by their locations."""
    if summary is None or summary.migrated or not summary.mutates:
        return
    known = summary.match(event.arguments)
    for argument in event.arguments:
        if known is None or any(known.get(name) is argument for name in summary.mutates):
            yield refs_of(argument.value)


def _may_be_anything(event: ev.Store | ev.AttributeStore, facts: ev.RegionFacts) -> bool:
    """Whether nobody knows whose array it is, so that code which got an argument may have given that one back."""
    if isinstance(event, ev.AttributeStore):
        target = event.target.value
        return not (isinstance(target, cst.Name) and target.value in facts.parameters)
    return isinstance(event.base, Unknown) and not outside_of(refs_of(event.base) - {FOREIGN})


def _migrates(plan: RegionPlan) -> bool:
    return plan.state is RegionState.CONVERTIBLE


def _is_plain(event: ev.Call) -> bool:
    """Whether a call at the top level neither gives arrays to a function of the module nor gets any from it."""
    return (
        isinstance(event.callee, Function)
        and isinstance(event.result, (Const, Scalar))
        and all(isinstance(argument.value, (Const, Scalar)) for argument in event.arguments)
    )


def _top_level(module: ModuleInfo) -> Iterator[cst.Name | cst.Attribute]:
    """The mentions outside of the regions: in statements, class bodies, decorators, defaults."""
    regions = {id(info.node): info.node for info in module.functions.values()}
    pending: list[Any] = [module.node.body]
    while pending:
        node = pending.pop()
        if id(node) in regions:
            pending.append(node.decorators)
            pending.extend(p.default for p in parameters_of(node.params) if p.default is not None)
        elif isinstance(node, (cst.Name, cst.Attribute)):
            yield node
            pending.extend([node.value] if isinstance(node, cst.Attribute) else [])
        elif not isinstance(node, (cst.Import, cst.ImportFrom)):
            pending.extend(PARTS[type(node)](node))


def _mentions(body: cst.CSTNode, shadowed: frozenset[str]) -> Iterator[cst.Name | cst.Attribute]:
    attributes: set[int] = set()
    for node in walk(body):
        if isinstance(node, cst.Attribute):
            attributes.add(id(node.attr))
            yield node
        elif isinstance(node, cst.Name) and node.value not in shadowed and id(node) not in attributes:
            yield node
