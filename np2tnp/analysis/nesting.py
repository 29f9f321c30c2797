"""Functions nested in a region: interpreted where they are defined, for whatever they may be called with."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from np2tnp.analysis.domain.env import ROUNDS, Env, Gathered, join
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    NO_NAMES,
    NONE,
    NOTHING,
    Array,
    Function,
    Sequence,
    Unknown,
    Value,
    may_hold_tensor,
    refs_of,
    replace,
)
from np2tnp.analysis.hosting import Hosting
from np2tnp.analysis.state import NESTED
from np2tnp.analysis.syntax.liveness import reads
from np2tnp.analysis.syntax.scopes import parameters_of
from np2tnp.analysis.syntax.walk import walk


class Nesting(Hosting):
    """Interprets nested functions."""

    breaks: list[list[Env]]
    continues: list[list[Env]]
    tried: list[Gathered]  #: for each ``try`` around: what may hold where an exception leaves it
    nested_returns: list[Value]
    nested_yields: list[Value]
    own_names: frozenset[str] = NO_NAMES  #: those of the nested function that is being interpreted

    def run(self, body: object, env: Env) -> Env | None:
        """Interpret a suite (interpret.py)."""
        raise NotImplementedError

    def nested(self, node: cst.FunctionDef, env: Env) -> Function:
        """A function nested in the region, with what it returns; where it calls itself, once that is settled."""
        name = f"<{node.name.value} {id(node)}>"
        if node.name.value not in reads(node.body) or not self.is_bound_once(node.name.value):
            return self._body_of(node, env, None)
        self.nested_results[name] = NOTHING
        for _ in range(ROUNDS):
            before = self.nested_results[name]
            found = self._body_of(node, env, Function(name, nested=True))
            if self.nested_results[name] == before:
                return found
        return self._body_of(node, env, None)

    def made_anew(self, value: Value, env: Env) -> Value:
        """`value`, which a nested function returns: arrays of each call, where nobody else has got them."""
        if isinstance(value, Sequence) and value.type == "tuple" and value.items is not None:
            found = [env.reach(*refs_of(item)) if refs_of(item) else NO_NAMES for item in value.items]
            if sum(map(len, found)) != len(NO_NAMES.union(*found)):  # one array, in two of the items
                return value
            items = tuple(self.made_anew(item, env) for item in value.items)
            refs = NO_NAMES if value.refs <= self.own_names else value.refs
            return replace(value, items=items, refs=refs)
        if isinstance(value, Array) and value.refs and env.reach(*value.refs) <= self.own_names:
            return replace(value, refs=NO_NAMES, exact=None, view="")
        return value

    def _body_of(self, node: cst.FunctionDef, env: Env, itself: Function | None) -> Function:
        saved = (self.breaks, self.continues, self.loops, self.own_returns, self.locals, self.capturable)
        outer_tried, self.tried = self.tried, []
        bound = self.module.scopes[id(node)].bound
        name = f"<{node.name.value} {id(node)}>"
        self.breaks, self.continues, self.own_returns = [], [], False
        self.capturable = [*self.capturable, (self.locals | env.values.keys()) - bound]
        self.locals = self.locals | bound
        outer_globals = self.global_names
        self.global_names = (outer_globals - bound) | _globals_of(node, self.module.scopes[id(node)].declared)
        outer_own, self.own_names = self.own_names, _seen_by_nobody_else(node, frozenset(bound))
        outer_returns, outer_yields = self.nested_returns, self.nested_yields
        self.nested_returns, self.nested_yields = [], []
        puts, worked = len(self.puts_made), self.worked
        self.depth += 1
        inner = self.nested_env(name, node.params, reads(node.body) - bound, env)
        for local in bound - {parameter.name.value for parameter in parameters_of(node.params)}:
            inner.forget(local)
        if itself is not None:
            inner.bind(node.name.value, itself)
        end = self.run(node.body, inner)
        self.depth -= 1
        if self.worked > worked:
            self.nested_working.add(name)
            self.lazy_works |= bool(self.nested_yields)
        self.leave_nested(puts, bound, env)
        result: Value | None = NONE if end is not None or not self.nested_returns else None
        for value in self.nested_returns:
            result = value if result is None else join(result, value)
        if self.nested_yields:  # a generator: its items show what is yielded, and it holds its arguments
            shown = NESTED.union(*map(refs_of, self.nested_yields))
            result = Unknown(EITHER if self.made != HOST else HOST, shown, view="view")
        self.own_names, self.global_names = outer_own, outer_globals
        self.nested_returns, self.nested_yields, self.tried = outer_returns, outer_yields, outer_tried
        self.breaks, self.continues, self.loops, self.own_returns, self.locals, self.capturable = saved
        if node.asynchronous is not None:
            self.construct(node, "async")
        for decorator in node.decorators:
            self.construct(decorator, "nested decorator", self.decorator_name(decorator, env))
        self.nested_results[name] = result if result is not None else NONE
        for updated in self.facts.extra.get("captured", NO_NAMES) & env.values.keys():
            if not may_hold_tensor(env.values[updated]):  # else the region is blocked
                env.link("kept by a nested function", refs_of(env.values[updated]) | {updated})
        return Function(name, nested=True, refs=self.default_refs(node.params, env))


def _seen_by_nobody_else(node: cst.FunctionDef, bound: frozenset[str]) -> frozenset[str]:
    """The names of a nested function but its parameters, and those that functions inside of it read."""
    inner = (part for part in walk(node.body) if type(part) is cst.FunctionDef or type(part) is cst.Lambda)
    read = NO_NAMES.union(*(reads(part.body) for part in inner))
    return bound - {parameter.name.value for parameter in parameters_of(node.params)} - read


def _globals_of(node: cst.FunctionDef, declared: Iterable[str]) -> frozenset[str]:
    """Those of the names that a nested function declares which are the module's."""
    if not declared:
        return NO_NAMES
    statements = [part for part in walk(node.body) if type(part) is cst.Global]
    return frozenset(declared).intersection(item.name.value for part in statements for item in part.names)
