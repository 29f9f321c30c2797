"""Statements: control flow with joins and loops to a fixpoint, exceptions, nested functions, stores of every kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import ITERATED, ROUNDS, Env, Gathered, iterated_name, join, join_all, widen
from np2tnp.analysis.domain.locations import bare, is_parameter, is_seen, kept_by, of_parameter
from np2tnp.analysis.domain.result_aliases import copied, has_shared_items, leaves_of, outside_views, shown_by
from np2tnp.analysis.domain.special_names import asked_by
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    LENT,
    NO_NAMES,
    NONE,
    NOTHING,
    TENSOR,
    UNKNOWN,
    Array,
    Class,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    exact_of,
    holds_iterator,
    is_lazy,
    is_number,
    may_hold_tensor,
    parameters_in,
    reads_later,
    refs_of,
    replace,
    view_of,
)
from np2tnp.analysis.interpreter.handed_functions import NAMING
from np2tnp.analysis.interpreter.placement import Hosting, makers
from np2tnp.analysis.interpreter.state import NESTED
from np2tnp.analysis.module.contents import statements_of
from np2tnp.analysis.module.imports import ANY, import_bindings, is_module
from np2tnp.analysis.module.parameter_kinds import shown_otherwise
from np2tnp.analysis.syntax.liveness import dead_at_head, reads
from np2tnp.analysis.syntax.own_scope import rebound_inside
from np2tnp.analysis.syntax.python_tables import ARRAY_MEMBERS, INDIFFERENT
from np2tnp.analysis.syntax.scopes import dotted, parameters_of
from np2tnp.analysis.syntax.walk import none_test, walk

__all__ = [
    "TENSOR",
    "Interpreter",
]


# --- Functions nested in a region: interpreted where they are defined, for whatever they may be called with


def _by_clearness(location: str, others: frozenset[str]) -> tuple[bool, bool, str]:
    """For sorting: places that people know before attributes that every array has, and parameters that are no arrays
    (`others`); what callees hold comes last.
    """
    unclear = location[1:] in ARRAY_MEMBERS or location[1:] in others
    return (is_seen(location), unclear, location)


class Nesting(Hosting):
    """Interprets nested functions."""

    breaks: list[list[Env]]
    continues: list[list[Env]]
    tried: list[Gathered]  #: for each ``try`` around: what may hold where an exception leaves it
    nested_returns: list[Value]
    nested_yields: list[Value]
    own_names: frozenset[str] = NO_NAMES  #: those of the nested function that is being interpreted

    def run(self, body: object, env: Env) -> Env | None:
        """Interpret a suite (statements.py)."""
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
        self.leave_stale(end if end is not None else inner, frozenset(bound), env)
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
            self.construct(node, ev.Kind.ASYNC)
        for decorator in node.decorators:
            self.construct(decorator, ev.Kind.NESTED_DECORATOR, self.decorator_name(decorator, env))
        self.nested_results[name] = result if result is not None else NONE
        for updated in self.facts.seen.captured & env.values.keys():
            if not may_hold_tensor(env.values[updated]):  # else the region is blocked
                env.link(kept_by("a nested function"), refs_of(env.values[updated]) | {updated})
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


# --- Statements that raise exceptions, handle them or are told of them

#: What an exception was made of may be changed by whoever handles it.
_EXCEPTION = frozenset((kept_by("an exception", "args"),))


#: What evaluates some of its parts at times only, or not at once.
_AT_TIMES = frozenset(
    (cst.IfExp, cst.BooleanOperation, cst.Comparison, cst.Lambda, cst.ListComp, cst.SetComp, cst.DictComp,
     cst.GeneratorExp, cst.NamedExpr)
)  # fmt: skip
_LEN = Symbol("builtins.len")


def _certainly_evaluated(node: cst.BaseExpression) -> list[cst.CSTNode]:
    """The parts of an expression that are evaluated whenever it is; none where one of them binds a name."""
    parts = list(walk(node))
    if any(type(part) is cst.NamedExpr for part in parts):
        return []
    perhaps = {id(below) for part in parts if type(part) in _AT_TIMES for below in walk(part)}
    return [part for part in parts if id(part) not in perhaps]


class Raising(Nesting):
    """Interprets ``raise``, ``assert``, ``try`` and ``with``.

    An exception may come from any statement, so whoever handles it may find what holds before or after each of them.
    """

    #: what holds after a ``with`` whose body does not reach its end, if its manager swallows an exception
    swallowed: Env | None = None

    def may_raise(self, env: Env) -> None:
        """Here the statements that are tried may end."""
        if self.tried:
            self.tried[-1].add(env)

    def raise_(self, node: cst.Raise, env: Env) -> None:
        if node.exc is not None:
            value = self.evaluate(node.exc, env)
            self.escape(node.exc, value, "is raised")
            call = self.recorded.get((ev.Call, id(node.exc)))
            for argument in call.arguments if isinstance(call, ev.Call) else ():
                self.keep(_EXCEPTION, argument.value, env)
        if any(name.startswith("!") for name in env.values) and self.own_returns:
            self.construct(node, ev.Kind.RAISE_AFTER_MUTATION)

    def assert_(self, node: cst.Assert, env: Env) -> None:
        self.object_tested(node, self.evaluate(node.test, env), env)
        if node.msg is not None:
            value = self.evaluate(node.msg, env)
            self.escape(node.msg, value, "is shown by assert")
            failed = env.copy()  # where it holds, nothing is made of the message
            self.keep(_EXCEPTION, value, failed)
            self.may_raise(failed)

    def try_(self, node: cst.Try | cst.TryStar, env: Env) -> Env | None:
        self.construct(node, ev.Kind.TRY, ",".join(_caught(handler) for handler in node.handlers))
        start = env.copy()
        end, tried = self._trying(lambda: self.run(node.body, env))
        start = join_all([start, tried, end]) or start

        def handle() -> Env | None:
            results: list[Env | None] = []
            for handler in node.handlers:
                branch = start.copy()
                if handler.name is not None and type(handler.name.name) is cst.Name:
                    branch.bind(handler.name.name.value, UNKNOWN)
                results.append(self.run(handler.body, branch))
            done = self.run(node.orelse.body, end) if node.orelse is not None and end is not None else end
            return join_all([done, *results])

        out, handled = self._trying(handle)
        self.may_raise(start)
        if handled is not None:
            self.may_raise(handled)
        if node.finalbody is not None:
            outer, self.updated = self.updated, []
            final = self.run(node.finalbody.body, join_all([out, start, handled]) or start)
            returns = any(type(part) is cst.Return for part in walk(node))
            if any(returns or any(is_parameter(ref) for ref in refs) for refs in self.updated):
                self.construct(node, ev.Kind.UPDATE_IN_FINALLY)
            self.updated = outer + self.updated
            return final if out is not None else None
        return out

    def _trying(self, run: Callable[[], Env | None]) -> tuple[Env | None, Env | None]:
        """What holds after `run`, and what may hold where an exception leaves it."""
        self.tried.append(Gathered())
        end = run()
        return end, self.tried.pop().env

    def with_(self, node: cst.With, env: Env) -> Env | None:
        swallows = False
        entered = []
        for item in node.items:
            self.statement, self.root = node, None
            entered.append(self.evaluate(item.item, env))
            value = self.object_entered(item, entered[-1], env)
            call = self.recorded.get((ev.Call, id(item.item)))
            callee = call.callee if isinstance(call, ev.Call) else None
            swallows = swallows or not (isinstance(callee, Symbol) and callee.name in INDIFFERENT)
            self.construct(item, ev.Kind.WITH, dotted(item.item.func) if type(item.item) is cst.Call else "")
            if item.asname is not None:
                self.assign(node, item.asname.name, value if not isinstance(value, Array) else UNKNOWN, env, None)
        if node.asynchronous is not None:
            self.construct(node, ev.Kind.ASYNC)
        end, tried = self._trying(lambda: self.run(node.body, env))
        if tried is not None:
            self.may_raise(tried)
        for left in (end, tried):
            if left is not None:
                self.ask(node, left, entered, asked_by(node), deep=False)
        if swallows and end is None:
            self.swallowed = tried  # what follows is there to be reached
        return join_all([end, tried]) if swallows and end is not None else end


def _caught(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> str:
    if handler.type is None:
        return "BaseException"
    nodes = [e.value for e in handler.type.elements] if type(handler.type) is cst.Tuple else [handler.type]
    return ",".join(dotted(node).rpartition(".")[2] for node in nodes)


# --- Statements: control flow with joins and loops to a fixpoint, bindings, and every kind of store

_PAIRING = (Symbol("builtins.zip"), Symbol("builtins.enumerate"))


class Interpreter(Raising):
    """Interprets the body of one region, or a module's top level."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.breaks: list[list[Env]] = []
        self.tried: list[Gathered] = []
        self.continues: list[list[Env]] = []
        self.heads: dict[int, Env] = {}
        self.own_returns = True
        self.nested_returns: list[Value] = []
        self.nested_yields: list[Value] = []

    # ---- blocks

    def run(self, body: object, env: Env) -> Env | None:
        """Interpret a suite; None when its end is not reached."""
        if type(body) is cst.SimpleStatementSuite:
            return self._small(body.body, env)
        current: Env | None = env
        for statement in statements_of(body):
            if current is None:
                current, self.swallowed = self.swallowed, None
                if current is None:
                    return None
            self.swallowed = None
            current = self.statement_(statement, current)
        return current

    def statement_(self, node: cst.CSTNode, env: Env) -> Env | None:
        if type(node) is cst.SimpleStatementLine:
            return self._small(node.body, env)
        self.may_raise(env)
        handler = _COMPOUND.get(type(node))
        if handler is None:
            return env
        return handler(self, node, env)

    def _small(self, statements: Any, env: Env) -> Env | None:
        for node in statements:
            self.may_raise(env)
            self.statement, self.root = node, None
            handler = _SIMPLE.get(type(node))
            if handler is not None:
                handler(self, node, env)
                if "__del__" in self.asked_here():  # some object may be gone now
                    self.code_runs(node, "__del__", env)
                if handler in _LEAVING:
                    self.may_raise(env)
                    return None
            elif type(node) is cst.Break:
                if self.breaks:
                    self.breaks[-1].append(env)
                return None
            elif type(node) is cst.Continue:
                if self.continues:
                    self.continues[-1].append(env)
                return None
        return env

    # ---- simple statements

    def _expr(self, node: cst.Expr, env: Env) -> None:
        if type(node.value) is cst.SimpleString:
            return  # a docstring
        self.root = node.value
        self.evaluate(node.value, env)

    def _assign(self, node: cst.Assign, env: Env) -> None:
        self.root = node.value
        targets = [target.target for target in node.targets]
        if all(map(self._keeps_as_made, targets)):
            self.kept_as_made |= frozenset(map(id, makers(node.value)))
        made = LENT if self.lends_to(targets, node.value, env) else self.evaluate(node.value, env)
        value = self.kept_on_host(targets, node.value, made)
        self._learn_axes(node.value, env)
        for target in targets:
            self.assign(node, target, value, env, node.value)
        if len(targets) > 1 and not isinstance(value, (Const, Scalar)) and not is_number(value):
            holders = [self._holders(target) for target in targets]
            for one, other in combinations(holders, 2):
                for name in one:  # whichever item each of them has
                    env.link(name, other)
        self.exchanges.bound(node, env)

    def _learn_axes(self, source: cst.BaseExpression, env: Env) -> None:
        """After ``n = len(x)`` x has axes: len() raises for what has none."""
        for part in _certainly_evaluated(source):
            call = self.recorded.get((ev.Call, id(part))) if type(part) is cst.Call and len(part.args) == 1 else None
            if not isinstance(call, ev.Call) or call.callee != _LEN:
                continue
            name = dotted(call.node.args[0].value)
            value = env.values.get(name)
            if isinstance(value, Array) and value.exact is None and value.rank is None:
                env.values[name] = replace(value, weak=False, zero_d="never")
            elif isinstance(value, Unknown) and value.exact is None:
                env.values[name] = replace(value, zero_d="never")

    def _keeps_as_made(self, target: cst.BaseExpression) -> bool:
        """Whether `target` holds an ndarray in any case: making one takes less time than copying it from a device."""
        if type(target) is cst.Subscript and type(target.value) is cst.Attribute:  # ``self.params["w"] = ...``
            key = target.slice[0].slice
            return type(key) is cst.Index and type(key.value) is cst.SimpleString
        if type(target) is cst.Attribute:
            state = self.module.state
            return not (state.as_made and self.module.keeps_tensor(self.facts.qualname, target))
        return type(target) is cst.Name and target.value in self.host_locals

    def _holders(self, target: cst.BaseExpression) -> frozenset[str]:
        """The names by which what was assigned to `target` is found from here on. Arrays copy what they get."""
        if type(target) is cst.Tuple or type(target) is cst.List:
            return NO_NAMES.union(*[self._holders(element.value) for element in target.elements])
        if type(target) is cst.Name:
            return frozenset((target.value,))
        store = self.recorded.get((ev.Store, id(target)))
        if not isinstance(store, ev.Store) or isinstance(store.base, Array):
            return NO_NAMES
        return frozenset(ref for ref in refs_of(store.base) if ref.isidentifier())

    def _annotated(self, node: cst.AnnAssign, env: Env) -> None:
        if node.value is not None:
            self.root = node.value
            value = self.kept_on_host([node.target], node.value, self.evaluate(node.value, env))
            self.assign(node, node.target, value, env, node.value)
            self.exchanges.bound(node, env)

    def _return(self, node: cst.Return, env: Env) -> None:
        self.root = node.value
        value = self.evaluate(node.value, env) if node.value is not None else NONE
        self.leave(node, value, env)

    def leave(self, node: cst.Return | None, value: Value, env: Env) -> None:
        """The region's own function is left with `value`."""
        if not self.own_returns:
            self.nested_returns.append(self.made_anew(value, env))
            return
        facts = self.facts
        if facts.generator and may_hold_tensor(value):
            self.construct(node or facts.node, ev.Kind.YIELD, "returned")
        self.emit(ev.Return(node, self.place(node or facts.node), value))
        for function in self.late.lazy:
            self.late.call(function, env)
        facts.result = value if facts.result is None else join(facts.result, value)
        again, self.kept_names = self.kept_names, set()  # they may hold something else by now
        self.keep_names(again, env)
        for name in facts.parameters:
            ok = self.exchanges.keep(name, node, env)
            if name in facts.mutated or f"!{name}" in env.values:
                facts.mutated[name] = facts.mutated.get(name, True) and ok
            elif not ok and f"?{name}" not in env.values:  # of use where it is updated on another way
                facts.seen.rebound_at_an_exit.add(name)
            if of_parameter(name) in env.stale or (name in env.stale and env.shares(name, of_parameter(name))):
                facts.mutated[name] = False
            shared = env.aliases(of_parameter(name))
            if any(not ref.isidentifier() and not is_parameter(ref) for ref in shared):
                facts.seen.keeps.add(name)
        facts.returned |= frozenset(bare(ref) for ref in refs_of(value) if is_parameter(ref) and not view_of(value))
        if is_lazy(value) or holds_iterator(value):  # read when the region is over
            facts.host_parameters |= parameters_in(refs_of(value))
            self.construct(node or facts.node, ev.Kind.ITERATOR_HANDED_OUT)
        value = shown_by(value, env)
        views = outside_views(value, self.hosted)
        facts.viewed |= views  # whoever writes to the result writes to what it shows: NumPy must make that view
        if views or has_shared_items(self.exchanges.apart(node.value if node is not None else None, value, env)):
            facts.seen.shown_twice.update(*(refs_of(leaf) for leaf in leaves_of(value)))
            others = shown_otherwise(facts.node)
            clearest = min(views, key=lambda place: _by_clearness(place, others), default="")
            self.construct(node or facts.node, ev.Kind.RETURNED_VIEW, clearest)
            facts.seen.lent.update(copied(value))

    def _delete(self, node: cst.Del, env: Env) -> None:
        whole = node.target
        targets = [e.value for e in whole.elements] if isinstance(whole, (cst.Tuple, cst.List)) else [whole]
        for target in targets:
            if type(target) is cst.Name:
                env.forget(target.value)
            elif type(target) is cst.Attribute:
                self.attribute_stored_by(target, self.evaluate(target.value, env), env)
            elif type(target) is cst.Subscript:
                container = self.evaluate(target.value, env)
                self.keys(target, env)
                self.ask(node, env, [container], asked_by(target), deep=False)
                self.changes_container(container, env)
                if may_hold_tensor(container):  # the caller's own loses an item
                    self.facts.host_parameters |= parameters_in(refs_of(container))
                for part in (element.slice for element in target.slice):
                    if type(part) is cst.Index:
                        self.escape(part.value, self.evaluate(part.value, env), "is looked up by its hash")

    def _import(self, node: cst.Import | cst.ImportFrom, env: Env) -> None:
        bound = list(import_bindings(node, self.catalog, self.services.star_names))
        for name, value in bound:
            if name == ANY:
                self._bind_any(value, env)
            else:
                env.bind(name, value)
        self.construct(node, ev.Kind.IMPORT, " ".join(getattr(value, "name", "") for _, value in bound))

    def _bind_any(self, module: Value, env: Env) -> None:
        """A star import may rebind every name. Nobody calls something else ``np``: modules keep their names."""
        for name in [name for name in env.values if name.isidentifier()]:
            if not is_module(env.values[name], self.catalog):
                env.bind(name, UNKNOWN)
        # Python's own modules have no `sum` and no `abs`; the others may be array libraries
        if isinstance(module, Symbol) and module.name not in sys.stdlib_module_names:
            self.module.unlisted = True
            self.note_unresolved()

    def _nonlocal(self, node: cst.Nonlocal, env: Env) -> None:
        names = [item.name.value for item in node.names]
        if bound := [name for name in names if name in rebound_inside(self.facts.node)]:
            self.construct(node, ev.Kind.NONLOCAL, ", ".join(bound))

    # ---- compound statements

    def _if(self, node: cst.If, env: Env) -> Env | None:
        self.statement, self.root = node, None
        self.object_tested(node.test, self.evaluate(node.test, env), env)
        then, other = env.copy(), env
        missing = none_test(node.test)
        around = self.absent
        absent = around
        if missing is not None and self._assume_none(missing[0], then if missing[1] else other):
            absent = around | {missing[0]}
        self.absent = absent if missing is not None and missing[1] else around
        end = self.run(node.body, then)
        self.absent = around if missing is not None and missing[1] else absent
        if type(node.orelse) is cst.If:
            rest = self._if(node.orelse, other)
        else:
            rest = self.run(node.orelse.body, other) if node.orelse is not None else other
        self.absent = around
        return join_all([end, rest])

    def _assume_none(self, name: str, env: Env) -> bool:
        """On this branch the parameter `name` was not given: what is bound to its name now stands in for it.

        Gives whether it is one.
        """
        held = env.values.get(name)
        given = held is not None and exact_of(held) == name
        if given:
            env.values[f"?{name}"] = NONE
        return given

    def _loop(self, node: cst.For | cst.While, env: Env, step: Callable[[Env], object]) -> Env | None:
        """Interpret a loop until its head no longer changes; `step` evaluates the test or binds the target."""
        head = self.heads[id(node)].join(env) if id(node) in self.heads else env
        self.loops += 1
        broken: list[Env] = []
        for number in range(ROUNDS):
            current = head.copy()
            self.statement, self.root = node, None
            step(current)
            self.breaks.append([])
            self.continues.append([])
            end = self.run(node.body, current)
            broken = self.breaks.pop()
            again = join_all([end, *self.continues.pop()])
            if again is not None:
                for name in dead_at_head(self.facts.node, node, self.module.dead_names) & self.locals:
                    again.unbind(name)  # nothing is lost where its array changes
            new = head if again is None else head.join(again)
            if new == head:
                break
            head = widen(head, new) if number >= ROUNDS - 2 else new
        self.heads[id(node)] = head
        self.loops -= 1
        out: Env | None = head.copy()
        self.statement, self.root = node, None
        if type(node) is cst.While:
            step(out)  # type: ignore[arg-type]
            if type(node.test) is cst.Name and node.test.value == "True":
                out = None
        if node.orelse is not None and out is not None:
            out = self.run(node.orelse.body, out)
        return join_all([out, *broken])

    def _for(self, node: cst.For, env: Env) -> Env | None:
        self.statement, self.root = node, node.iter
        if node.asynchronous is not None:
            self.construct(node, ev.Kind.ASYNC)
        iterated = self.iterated_on_host(node, self.object_iterated(node, self.evaluate(node.iter, env), env))
        element = self._each_of(node.iter, iterated)
        alive = iterated_name(id(node))  # the loop goes on reading what it iterates over
        if isinstance(iterated, (Array, Unknown)) or reads_later(iterated) or may_hold_tensor(iterated):
            env.bind(alive, iterated)

        def step(current: Env) -> None:
            if alive in current.stale:
                stale, shared = current.stale[alive], current.aliases(alive)
                self.emit(ev.StaleRead(node.iter, self.place(node.iter), ITERATED, stale, shared))
            self.ask(node, current, [iterated], asked_by(node), deep=False)
            self.bind_target(node.target, element, current)

        out = self._loop(node, env, step)
        if out is not None:
            out.forget(alive)
        self.emit(ev.Loop(node, self.place(node), iterated))
        return out

    def _each_of(self, node: cst.BaseExpression, iterated: Value) -> Value:
        """What iterating over the value of `node` gives. An item of zip() shows what its own argument shows."""
        call = self.recorded.get((ev.Call, id(node)))
        if isinstance(call, ev.Call) and call.callee in _PAIRING and isinstance(iterated, Sequence):
            return iterated.element
        return self.element_of(iterated)

    def _while(self, node: cst.While, env: Env) -> Env | None:
        return self._loop(
            node, env, lambda current: self.object_tested(node, self.evaluate(node.test, current), current)
        )

    def _match(self, node: cst.Match, env: Env) -> Env | None:
        self.statement, self.root = node, None
        subject = self.evaluate(node.subject, env)
        self.ask(node, env, [subject], None)  # a pattern compares, and reads any attribute
        if may_hold_tensor(subject):
            self.construct(node, ev.Kind.MATCH)
            self.facts.host_parameters |= parameters_in(refs_of(subject))
        branches: list[Env | None] = [env]
        for case in node.cases:
            branch = env.copy()
            for part in walk(case.pattern):
                if isinstance(part, (cst.MatchAs, cst.MatchStar)) and part.name is not None:
                    shown = self.shown_of_objects(env) if isinstance(subject, Instance) else self.element_of(subject)
                    branch.bind(part.name.value, shown)
            if case.guard is not None:
                self.evaluate(case.guard, branch)
            branches.append(self.run(case.body, branch))
        return join_all(branches)

    def _function(self, node: cst.FunctionDef, env: Env) -> Env | None:
        """A function nested in the region (or, at top level, one of the module's regions)."""
        self.statement, self.root = node, None
        for decorator in node.decorators:
            self.evaluate(decorator.decorator, env)
        for parameter in parameters_of(node.params):
            if parameter.default is not None:
                self.evaluate(parameter.default, env)
        qualname = self.module.name_of.get(id(node))
        if qualname is not None:
            env.bind(node.name.value, Function(qualname, module=self.module.path))
            return env
        if self.made == HOST:
            env.bind(node.name.value, UNKNOWN)
            return env
        kept = self.is_kept_function(node)
        lent = (kept or self.is_handed(node.name.value)) and self.lends(node, env)
        if kept and not lent:
            self.construct(node, ev.Kind.KEPT_FUNCTION)
        env.bind(node.name.value, LENT if lent else self.nested(node, env))
        if kept or any(self.decorator_name(item, env) not in NAMING for item in node.decorators):
            self.keep_names(self.captured_by(node), env)
        return env

    def _class(self, node: cst.ClassDef, env: Env) -> Env | None:
        qualname = self.module.name_of.get(id(node))
        if qualname is None:
            self.construct(node, ev.Kind.LOCAL_CLASS, node.name.value)
            env.bind(node.name.value, UNKNOWN)
            return env
        for base in node.bases:
            self.evaluate(base.value, env)
        self.run(node.body, env.copy())
        env.bind(node.name.value, Class(qualname, self.module.path))
        return env


_SIMPLE: dict[type, Callable[..., None]] = {
    cst.Expr: Interpreter._expr,
    cst.Assign: Interpreter._assign,
    cst.AnnAssign: Interpreter._annotated,
    cst.AugAssign: Interpreter._augmented,
    cst.Return: Interpreter._return,
    cst.Raise: Interpreter.raise_,
    cst.Assert: Interpreter.assert_,
    cst.Del: Interpreter._delete,
    cst.Import: Interpreter._import,
    cst.ImportFrom: Interpreter._import,
    cst.Nonlocal: Interpreter._nonlocal,
}
_LEAVING = (Interpreter._return, Interpreter.raise_)
_COMPOUND: dict[type, Callable[..., Env | None]] = {
    cst.If: Interpreter._if,
    cst.For: Interpreter._for,
    cst.While: Interpreter._while,
    cst.Try: Interpreter.try_,
    cst.TryStar: Interpreter.try_,
    cst.With: Interpreter.with_,
    cst.Match: Interpreter._match,
    cst.FunctionDef: Interpreter._function,
    cst.ClassDef: Interpreter._class,
}
