"""Nested functions that are handed to others: they stay NumPy's, as functions of the module's top level do."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Sequence as Several

import libcst as cst

from np2tnp.analysis.callbacks import Callbacks
from np2tnp.analysis.env import Env
from np2tnp.analysis.evaluate import METHODS
from np2tnp.analysis.kept_functions import kept_functions, names_captured
from np2tnp.analysis.module import parameters_of
from np2tnp.analysis.scopes import target_names
from np2tnp.analysis.state import HOST_FUNCTIONS
from np2tnp.analysis.tables import CALLERS
from np2tnp.analysis.values import (
    COPIED,
    HOST,
    NO_NAMES,
    TENSOR,
    Bound,
    Function,
    Sequence,
    Symbol,
    Unknown,
    Value,
    exact_of,
    may_be_array,
    may_hold_tensor,
)
from np2tnp.analysis.walk import walk

#: Decorators that change nothing but a function's name and attributes.
_NAMING = ("functools.wraps", "builtins.staticmethod")

#: What stands for a function that is handed over: calling it may change whatever it is called with. One object.
LENT = Symbol("<a nested function>")


class Lending(Callbacks):
    """Decides which nested functions see only Python's own objects and ndarrays, whoever calls them."""

    def is_foreign(self, callee: Value) -> bool:
        """Whether calling `callee` runs code that takes functions of NumPy's world."""
        if isinstance(callee, Symbol):
            return callee.name in CALLERS or not callee.name.startswith(("builtins.", "numpy."))
        if isinstance(callee, Bound):
            return not may_hold_tensor(callee.receiver) and not isinstance(callee.receiver, Sequence)
        return not (isinstance(callee, Function) and callee.nested)

    def is_handed(self, name: str) -> bool:
        """Whether the nested function `name` is an argument of some call, and otherwise only called.

        One that is never handed over counts, too, in a look at the region in which all of them stay NumPy's.
        """
        known, region = self.module.handed, self.facts.node
        if id(region) not in known:
            known[id(region)] = _handed(region)
        return known[id(region)].get(name, False) or (HOST_FUNCTIONS in self.host_locals and name in known[id(region)])

    def lends_to(self, targets: Several[cst.BaseExpression], value: cst.BaseExpression, env: Env) -> bool:
        """Whether ``targets = value`` names a lambda that stays NumPy's, since others get it."""
        if type(value) is not cst.Lambda or len(targets) > 1:
            return False
        target = targets[0]
        if type(target) is not cst.Name:
            return False
        return self.is_handed(target.value) and target.value in self.locals and self.lends(value, env)

    def is_kept_function(self, node: cst.Lambda | cst.FunctionDef) -> bool:
        """Whether somebody may call the nested function `node` later, outside of the region too."""
        known, region = self.module.kept_functions, self.facts.node
        if self.made != TENSOR or not isinstance(region, cst.FunctionDef):
            return False
        if id(region) not in known:
            known[id(region)] = kept_functions(region)
        return id(node) in known[id(region)]

    def _lambda(self, node: cst.Lambda, env: Env) -> Value:
        if self.is_kept_function(node):
            if self.lends(node, env):
                return LENT
            self.construct(node, "kept function")
        return super()._lambda(node, env)

    def is_bound_once(self, name: str) -> bool:
        """Whether nothing but one ``def`` binds `name` in the region."""
        defined = [part.name.value for part in walk(self.facts.node) if type(part) is cst.FunctionDef]
        return defined.count(name) == 1 and not _bindings(self.facts.node)[name] and name not in self.facts.parameters

    def lends(self, node: cst.Lambda | cst.FunctionDef, env: Env) -> bool:
        """Whether all that the nested function `node` reads is, and stays, what it would be without the region."""
        if self.made != TENSOR:
            return False
        own = {parameter.name.value for parameter in parameters_of(node.params)}
        if type(node) is cst.FunctionDef:
            own |= self.module.scopes[id(node)].bound
            changed = any(self.decorator_name(item, env) not in _NAMING for item in node.decorators)
            if changed or node.asynchronous or any(type(part) is cst.Nonlocal for part in walk(node.body)):
                return False
        captured = names_captured(node, own) & self.locals
        if captured and self.depth:
            return False
        known, region = self.module.bindings, self.facts.node
        if id(region) not in known:
            known[id(region)] = _bindings(region)
        bindings = known[id(region)]
        if any(bindings[name] > 1 or name not in env.values for name in captured):
            return False
        for parameter in parameters_of(node.params):
            if parameter.default is not None and type(parameter.default) is not cst.Name:
                default = self.evaluate(parameter.default, env)
                self.escape(parameter.default, default, "is a default of a function that others call")
                self.keep(frozenset(("kept by a nested function",)), default, env)
        if any(isinstance(held := env.values[name], Function) and held.nested for name in captured):
            return False  # it works on tensors
        tensors = {name for name in captured if may_hold_tensor(env.values[name]) or env.shares(name, COPIED)}
        assigned = {name for name in captured & set(self.facts.parameters) if bindings[name]}
        if assigned:
            tensors |= (assigned & _bound_later(region, node)) - self.host_locals
        if tensors:  # they can stay ndarrays, too
            self.facts.host_parameters |= {exact for name in tensors if (exact := exact_of(env.values[name]))}
            self.facts.extra.setdefault("lent", set()).update(tensors)
            return False
        for name in captured:
            held = env.values[name]
            if isinstance(held, Sequence) and held.type != "tuple":
                env.values[name] = Unknown(HOST, NO_NAMES)  # the function may fill it
            elif may_be_array(held):
                self.facts.extra.setdefault("captured", set()).add(name)
        self.construct(node, "handed over")
        return True


def _handed(region: cst.CSTNode) -> dict[str, bool]:
    """The nested functions that are only called and handed over, and whether they are handed over."""
    uses: Counter[str] = Counter()
    called: Counter[str] = Counter()
    handed: Counter[str] = Counter()
    defined: Counter[str] = Counter()
    for node in walk(region):
        kind = type(node)
        if kind is cst.Name:
            assert type(node) is cst.Name
            uses[node.value] += 1
        elif kind is cst.Call:
            assert type(node) is cst.Call
            if type(node.func) is cst.Name:
                called[node.func.value] += 1
            if type(node.func) is cst.Name and hasattr(builtins, node.func.value):
                continue
            handed.update(arg.value.value for arg in node.args if type(arg.value) is cst.Name and not arg.star)
        elif kind is cst.FunctionDef and node is not region:
            assert type(node) is cst.FunctionDef
            defined[node.name.value] += 1
        elif kind is cst.Assign and type(node.value) is cst.Lambda:  # type: ignore[attr-defined]
            assert isinstance(node, cst.Assign)
            defined.update(name for target in node.targets for name in target_names(target.target))
    return {
        name: handed[name] > 0
        for name, times in defined.items()
        if times == 1 and uses[name] == handed[name] + called[name] + 1
    }


def _bindings(region: cst.CSTNode) -> Counter[str]:
    """How often each name is assigned to in a region."""
    found: Counter[str] = Counter()
    for node in walk(region):
        kind = type(node)
        if kind in _BINDING:
            found.update(target_names(node.target))  # type: ignore[attr-defined]
        elif kind is cst.AsName:
            found.update(target_names(node.name))  # type: ignore[attr-defined]
    return found


def _bound_later(region: cst.CSTNode, node: cst.CSTNode) -> set[str]:
    """The names that `region` may assign after `node`, a function nested in it, was made: behind it, or in its loop."""
    inside = {id(part) for part in walk(node)}
    loops = [part for part in walk(region) if type(part) in _LOOPS]
    found = {name for loop in loops if any(part is node for part in walk(loop)) for name in _bindings(loop)}
    behind = False
    for part in walk(region):
        if id(part) in inside:
            behind = True
        elif behind and type(part) in _BINDING:
            found.update(target_names(part.target))  # type: ignore[attr-defined]
        elif behind and type(part) is cst.AsName:
            found.update(target_names(part.name))
    return found


_LOOPS = (cst.For, cst.While)
_BINDING = frozenset((cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr))
METHODS[cst.Lambda] = Lending._lambda
