"""Statements: control flow with joins and loops to a fixpoint, exceptions, definitions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.containers import element_of, looped_over, share_items
from np2tnp.analysis.domain.env import ITERATED, ROUNDS, Env, Gathered, iterated_name, join, join_all, widen
from np2tnp.analysis.domain.locations import is_parameter, kept_by, of_attribute
from np2tnp.analysis.domain.special_names import asked_by
from np2tnp.analysis.domain.summaries import hosted
from np2tnp.analysis.domain.values import (
    HOST,
    LENT,
    NO_NAMES,
    NONE,
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
    has_axes,
    is_number,
    is_numpy_number,
    may_be_array,
    may_hold_tensor,
    parameters_in,
    reads_later,
    refs_of,
    replace,
)
from np2tnp.analysis.interpreter.access import Access
from np2tnp.analysis.interpreter.closures import NAMING, Closures, Exits
from np2tnp.analysis.interpreter.expressions import Expressions
from np2tnp.analysis.interpreter.frame import Frame, Record, Visitor
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.stores import Learner, Stores
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.interpreter.writes import Keeping, Writes, owner_of
from np2tnp.analysis.module.contents import statements_of
from np2tnp.analysis.module.imports import ANY, import_bindings, is_module
from np2tnp.analysis.syntax.liveness import dead_at_head
from np2tnp.analysis.syntax.own_scope import rebound_inside
from np2tnp.analysis.syntax.python_tables import AUGMENTED, INDIFFERENT
from np2tnp.analysis.syntax.scopes import dotted, parameters_of
from np2tnp.analysis.syntax.walk import none_test, walk


def makers(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The calls whose results `node` holds or combines by cheap arithmetic, and that arithmetic."""
    if type(node) is cst.Call:
        yield node
    elif type(node) is cst.BinaryOperation and not isinstance(node.operator, (cst.MatrixMultiply, cst.Power)):
        yield node
        yield from makers(node.left)
        yield from makers(node.right)
    elif type(node) is cst.UnaryOperation:
        yield node
        yield from makers(node.expression)
    elif isinstance(node, (cst.List, cst.Tuple, cst.Dict)):
        for element in node.elements:
            yield from makers(element.value)
    elif isinstance(node, (cst.ListComp, cst.DictComp)):
        yield from makers(node.elt if isinstance(node, cst.ListComp) else node.value)


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
    perhaps = {id(below) for part in parts if type(part) in _AT_TIMES for it in _at_times(part) for below in walk(it)}
    return [part for part in parts if id(part) not in perhaps]


def _at_times(node: cst.CSTNode) -> Iterable[cst.CSTNode]:
    """The parts of an expression that need not be evaluated where it is."""
    if type(node) is cst.Comparison:
        return node.comparisons[1:]
    return [node.right] if type(node) is cst.BooleanOperation else [node]


def _is_of_an_axis(element: cst.SubscriptElement) -> bool:
    part = element.slice
    return type(part) is cst.Slice or (type(part) is cst.Index and type(part.value) is cst.Integer)


def _caught(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> str:
    if handler.type is None:
        return "BaseException"
    nodes = [e.value for e in handler.type.elements] if type(handler.type) is cst.Tuple else [handler.type]
    return ",".join(dotted(node).rpartition(".")[2] for node in nodes)


_PAIRING = (Symbol("builtins.zip"), Symbol("builtins.enumerate"))


class Statements:
    """Interprets the body of one region, or a module's top level.

    An exception may come from any statement, so whoever handles it may find what holds before or after each of them.
    """

    def __init__(
        self,
        frame: Frame,
        visitor: Visitor,
        record: Record,
        unseen: UnseenCode,
        placement: Placement,
        keeping: Keeping,
        writes: Writes,
        access: Access,
        stores: Stores,
        closures: Closures,
        exits: Exits,
        expressions: Expressions,
        learner: Learner,
    ) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self.module = frame.module
        self.catalog = frame.catalog
        self.services = frame.services
        self.visitor = visitor
        self.record = record
        self.unseen = unseen
        self.placement = placement
        self.keeping = keeping
        self.writes = writes
        self.access = access
        self.stores = stores
        self.closures = closures
        self.exits = exits
        self.expressions = expressions
        self.learner = learner
        self._heads: dict[int, Env] = {}  #: by id: what holds at the heads of loops
        #: what holds after a ``with`` whose body does not reach its end, if its manager swallows an exception
        self._swallowed: Env | None = None

    # ---- blocks

    def run(self, body: object, env: Env) -> Env | None:
        """Interpret a suite; None when its end is not reached."""
        if type(body) is cst.SimpleStatementSuite:
            return self._small(body.body, env)
        current: Env | None = env
        for statement in statements_of(body):
            if current is None:
                current, self._swallowed = self._swallowed, None
                if current is None:
                    return None
            self._swallowed = None
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
            self.frame.statement, self.frame.root = node, None
            handler = _SIMPLE.get(type(node))
            if handler is not None:
                handler(self, node, env)
                if "__del__" in self.unseen.asked_here():  # some object may be gone now
                    self.unseen.code_runs(node, "__del__", env)
                if handler in _LEAVING:
                    self.may_raise(env)
                    return None
            elif type(node) is cst.Break:
                if self.frame.scope.breaks:
                    self.frame.scope.breaks[-1].append(env)
                return None
            elif type(node) is cst.Continue:
                if self.frame.scope.continues:
                    self.frame.scope.continues[-1].append(env)
                return None
        return env

    # ---- simple statements

    def _expr(self, node: cst.Expr, env: Env) -> None:
        if type(node.value) is cst.SimpleString:
            return  # a docstring
        self.frame.root = node.value
        self.visitor.evaluate(node.value, env)

    def _assign(self, node: cst.Assign, env: Env) -> None:
        self.frame.root = node.value
        targets = [target.target for target in node.targets]
        if all(map(self._keeps_as_made, targets)):
            self.frame.kept_as_made |= frozenset(map(id, makers(node.value)))
        made = LENT if self.closures.lends_to(targets, node.value, env) else self.visitor.evaluate(node.value, env)
        value = self.placement.kept_on_host(targets, node.value, made)
        self._learn_axes(node.value, env)
        for target in targets:
            self.stores.assign(node, target, value, env, node.value)
        if len(targets) > 1 and not isinstance(value, (Const, Scalar)) and not is_number(value):
            holders = [self._holders(target) for target in targets]
            for one, other in combinations(holders, 2):
                for name in one:  # whichever item each of them has
                    env.link(name, other)
        self.frame.exchanges.bound(node, env)

    def _learn_axes(self, source: cst.BaseExpression, env: Env) -> None:
        """After ``n = len(x)``, ``x.shape[0]`` or ``x[:, i]`` x has axes: they raise for what has none."""
        for part in _certainly_evaluated(source):
            name, of_arrays = "", False
            if type(part) is cst.Call and len(part.args) == 1:
                call = self.frame.recorded.get((ev.Call, id(part)))
                name = dotted(part.args[0].value) if isinstance(call, ev.Call) and call.callee == _LEN else ""
            elif type(part) is cst.Subscript and any(map(_is_of_an_axis, part.slice)):
                of_shape = type(part.value) is cst.Attribute and part.value.attr.value == "shape"
                owner = part.value.value if of_shape else part.value  # type: ignore[attr-defined]
                name, of_arrays = dotted(owner), True
            value = env.values.get(name)
            if isinstance(value, Array) and value.exact is None and value.rank is None:
                env.values[name] = replace(value, weak=False, zero_d="never")
            elif isinstance(value, Unknown) and value.exact is None and not of_arrays:
                env.values[name] = replace(value, zero_d="never")

    def _keeps_as_made(self, target: cst.BaseExpression) -> bool:
        """Whether `target` holds an ndarray in any case: making one takes less time than copying it from a device."""
        if type(target) is cst.Subscript and type(target.value) is cst.Attribute:  # ``self.params["w"] = ...``
            key = target.slice[0].slice
            return type(key) is cst.Index and type(key.value) is cst.SimpleString
        if type(target) is cst.Attribute:
            state = self.module.state
            return not (state.as_made and self.module.keeps_tensor(self.facts.qualname, target))
        return type(target) is cst.Name and target.value in self.assumed.host_locals

    def _holders(self, target: cst.BaseExpression) -> frozenset[str]:
        """The names by which what was assigned to `target` is found from here on. Arrays copy what they get."""
        if type(target) is cst.Tuple or type(target) is cst.List:
            return NO_NAMES.union(*[self._holders(element.value) for element in target.elements])
        if type(target) is cst.Name:
            return frozenset((target.value,))
        store = self.frame.recorded.get((ev.Store, id(target)))
        if not isinstance(store, ev.Store) or isinstance(store.base, Array):
            return NO_NAMES
        return frozenset(ref for ref in refs_of(store.base) if ref.isidentifier())

    def _annotated(self, node: cst.AnnAssign, env: Env) -> None:
        if node.value is not None:
            self.frame.root = node.value
            value = self.placement.kept_on_host([node.target], node.value, self.visitor.evaluate(node.value, env))
            self.stores.assign(node, node.target, value, env, node.value)
            self.frame.exchanges.bound(node, env)

    def _return(self, node: cst.Return, env: Env) -> None:
        self.frame.root = node.value
        value = self.visitor.evaluate(node.value, env) if node.value is not None else NONE
        self.exits.leave(node, value, env)

    def _delete(self, node: cst.Del, env: Env) -> None:
        whole = node.target
        targets = [e.value for e in whole.elements] if isinstance(whole, (cst.Tuple, cst.List)) else [whole]
        for target in targets:
            if type(target) is cst.Name:
                env.forget(target.value)
            elif type(target) is cst.Attribute:
                self.unseen.attribute_stored_by(target, self.visitor.evaluate(target.value, env), env)
            elif type(target) is cst.Subscript:
                container = self.visitor.evaluate(target.value, env)
                self.access.keys(target, env, container)
                self.unseen.ask(node, env, [container], asked_by(target), deep=False)
                self.keeping.changes_container(container, env)
                if may_hold_tensor(container):  # the caller's own loses an item
                    self.facts.host_parameters |= parameters_in(refs_of(container))
                for part in (element.slice for element in target.slice):
                    if type(part) is cst.Index:
                        self.record.escape(
                            part.value, self.visitor.evaluate(part.value, env), "is looked up by its hash"
                        )

    def _import(self, node: cst.Import | cst.ImportFrom, env: Env) -> None:
        bound = list(import_bindings(node, self.catalog, self.services.star_names))
        for name, value in bound:
            if name == ANY:
                self._bind_any(value, env)
            else:
                env.bind(name, value)
        self.record.construct(node, ev.Kind.IMPORT, " ".join(getattr(value, "name", "") for _, value in bound))

    def _bind_any(self, module: Value, env: Env) -> None:
        """A star import may rebind every name. Nobody calls something else ``np``: modules keep their names."""
        for name in [name for name in env.values if name.isidentifier()]:
            if not is_module(env.values[name], self.catalog):
                env.bind(name, UNKNOWN)
        # Python's own modules have no `sum` and no `abs`; the others may be array libraries
        if isinstance(module, Symbol) and module.name not in sys.stdlib_module_names:
            self.module.unlisted = True
            self.record.note_unresolved()

    def _nonlocal(self, node: cst.Nonlocal, env: Env) -> None:
        names = [item.name.value for item in node.names]
        if bound := [name for name in names if name in rebound_inside(self.facts.node)]:
            self.record.construct(node, ev.Kind.NONLOCAL, ", ".join(bound))

    # ---- compound statements

    def _if(self, node: cst.If, env: Env) -> Env | None:
        self.frame.statement, self.frame.root = node, None
        self.unseen.object_tested(node.test, self.visitor.evaluate(node.test, env), env)
        self._learn_axes(node.test, env)
        then, other = env.copy(), env
        missing = none_test(node.test)
        around = self.frame.absent
        absent = around
        if missing is not None and self._assume_none(missing[0], then if missing[1] else other):
            absent = around | {missing[0]}
        self.frame.absent = absent if missing is not None and missing[1] else around
        end = self.run(node.body, then)
        self.frame.absent = around if missing is not None and missing[1] else absent
        if type(node.orelse) is cst.If:
            rest = self._if(node.orelse, other)
        else:
            rest = self.run(node.orelse.body, other) if node.orelse is not None else other
        self.frame.absent = around
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
        head = self._heads[id(node)].join(env) if id(node) in self._heads else env
        self.frame.loops += 1
        broken: list[Env] = []
        for number in range(ROUNDS):
            current = head.copy()
            self.frame.statement, self.frame.root = node, None
            step(current)
            self.frame.scope.breaks.append([])
            self.frame.scope.continues.append([])
            end = self.run(node.body, current)
            broken = self.frame.scope.breaks.pop()
            again = join_all([end, *self.frame.scope.continues.pop()])
            if again is not None:
                for name in dead_at_head(self.facts.node, node, self.module.dead_names) & self.frame.scope.locals:
                    again.unbind(name)  # nothing is lost where its array changes
            new = head if again is None else head.join(again)
            if new == head:
                break
            head = widen(head, new) if number >= ROUNDS - 2 else new
        self._heads[id(node)] = head
        self.frame.loops -= 1
        out: Env | None = head.copy()
        self.frame.statement, self.frame.root = node, None
        if type(node) is cst.While:
            step(out)  # type: ignore[arg-type]
            if type(node.test) is cst.Name and node.test.value == "True":
                out = None
        if node.orelse is not None and out is not None:
            out = self.run(node.orelse.body, out)
        return join_all([out, *broken])

    def _for(self, node: cst.For, env: Env) -> Env | None:
        self.frame.statement, self.frame.root = node, node.iter
        if node.asynchronous is not None:
            self.record.construct(node, ev.Kind.ASYNC)
        iterated = self.placement.iterated_on_host(
            node, self.unseen.object_iterated(node, self.visitor.evaluate(node.iter, env), env)
        )
        element = self._each_of(node.iter, iterated)
        alive = iterated_name(id(node))  # the loop goes on reading what it iterates over
        if isinstance(iterated, (Array, Unknown)) or reads_later(iterated) or may_hold_tensor(iterated):
            env.bind(alive, iterated)

        def step(current: Env) -> None:
            if alive in current.stale:
                stale, shared = current.stale[alive], current.aliases(alive)
                self.record.emit(ev.StaleRead(node.iter, self.record.place(node.iter), ITERATED, stale, shared))
            self.unseen.ask(node, current, [iterated], asked_by(node), deep=False)
            self.stores.bind_target(node.target, element, current)

        out = self._loop(node, env, step)
        if out is not None:
            out.forget(alive)
        self.record.emit(ev.Loop(node, self.record.place(node), iterated))
        return out

    def _each_of(self, node: cst.BaseExpression, iterated: Value) -> Value:
        """What iterating over the value of `node` gives. An item of zip() shows what its own argument shows."""
        call = self.frame.recorded.get((ev.Call, id(node)))
        if isinstance(call, ev.Call) and call.callee in _PAIRING and isinstance(iterated, Sequence):
            return iterated.element
        return looped_over(iterated)

    def _while(self, node: cst.While, env: Env) -> Env | None:
        return self._loop(
            node,
            env,
            lambda current: self.unseen.object_tested(node, self.visitor.evaluate(node.test, current), current),
        )

    def _match(self, node: cst.Match, env: Env) -> Env | None:
        self.frame.statement, self.frame.root = node, None
        subject = self.visitor.evaluate(node.subject, env)
        self.unseen.ask(node, env, [subject], None)  # a pattern compares, and reads any attribute
        if may_hold_tensor(subject):
            self.record.construct(node, ev.Kind.MATCH)
            self.facts.host_parameters |= parameters_in(refs_of(subject))
        branches: list[Env | None] = [env]
        for case in node.cases:
            branch = env.copy()
            for part in walk(case.pattern):
                if isinstance(part, (cst.MatchAs, cst.MatchStar)) and part.name is not None:
                    shown = self.unseen.shown_of_objects(env) if isinstance(subject, Instance) else element_of(subject)
                    branch.bind(part.name.value, shown)
            if case.guard is not None:
                self.visitor.evaluate(case.guard, branch)
            branches.append(self.run(case.body, branch))
        return join_all(branches)

    def _function(self, node: cst.FunctionDef, env: Env) -> Env | None:
        """A function nested in the region (or, at top level, one of the module's regions)."""
        self.frame.statement, self.frame.root = node, None
        for decorator in node.decorators:
            self.visitor.evaluate(decorator.decorator, env)
        for parameter in parameters_of(node.params):
            if parameter.default is not None:
                self.visitor.evaluate(parameter.default, env)
        qualname = self.module.name_of.get(id(node))
        if qualname is not None:
            env.bind(node.name.value, Function(qualname, module=self.module.path))
            return env
        if self.frame.made == HOST:
            env.bind(node.name.value, UNKNOWN)
            return env
        kept = self.closures.is_kept_function(node)
        lent = (kept or self.closures.is_handed(node.name.value)) and self.closures.lends(node, env)
        if kept and not lent:
            self.record.construct(node, ev.Kind.KEPT_FUNCTION)
        env.bind(node.name.value, LENT if lent else self.closures.nested(node, env))
        if kept or any(self.access.decorator_name(item, env) not in NAMING for item in node.decorators):
            self.keeping.keep_names(self.keeping.captured_by(node), env)
        return env

    def _class(self, node: cst.ClassDef, env: Env) -> Env | None:
        qualname = self.module.name_of.get(id(node))
        if qualname is None:
            self.record.construct(node, ev.Kind.LOCAL_CLASS, node.name.value)
            env.bind(node.name.value, UNKNOWN)
            return env
        for base in node.bases:
            self.visitor.evaluate(base.value, env)
        self.frame.in_class += 1
        self.run(node.body, env.copy())
        self.frame.in_class -= 1
        env.bind(node.name.value, Class(qualname, self.module.path))
        return env

    # ---- exceptions

    def may_raise(self, env: Env) -> None:
        """Here the statements that are tried may end."""
        if self.frame.scope.tried:
            self.frame.scope.tried[-1].add(env)

    def raise_(self, node: cst.Raise, env: Env) -> None:
        if node.exc is not None:
            value = self.visitor.evaluate(node.exc, env)
            self.record.escape(node.exc, value, "is raised")
            call = self.frame.recorded.get((ev.Call, id(node.exc)))
            for argument in call.arguments if isinstance(call, ev.Call) else ():
                self.keeping.keep(_EXCEPTION, argument.value, env)
        updated = sorted(name[1:] for name in env.values if name.startswith("!"))
        if updated and self.frame.scope.own_returns:
            self.record.construct(node, ev.Kind.RAISE_AFTER_MUTATION, ", ".join(updated))

    def assert_(self, node: cst.Assert, env: Env) -> None:
        self.unseen.object_tested(node, self.visitor.evaluate(node.test, env), env)
        if node.msg is not None:
            value = self.visitor.evaluate(node.msg, env)
            self.record.escape(node.msg, value, "is shown by assert")
            failed = env.copy()  # where it holds, nothing is made of the message
            self.keeping.keep(_EXCEPTION, value, failed)
            self.may_raise(failed)

    def try_(self, node: cst.Try | cst.TryStar, env: Env) -> Env | None:
        self.record.construct(node, ev.Kind.TRY, ",".join(_caught(handler) for handler in node.handlers))
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
            outer, self.frame.updated = self.frame.updated, []
            final = self.run(node.finalbody.body, join_all([out, start, handled]) or start)
            returns = any(type(part) is cst.Return for part in walk(node))
            if any(returns or any(is_parameter(ref) for ref in refs) for refs in self.frame.updated):
                self.record.construct(node, ev.Kind.UPDATE_IN_FINALLY)
            self.frame.updated = outer + self.frame.updated
            return final if out is not None else None
        return out

    def _trying(self, run: Callable[[], Env | None]) -> tuple[Env | None, Env | None]:
        """What holds after `run`, and what may hold where an exception leaves it."""
        self.frame.scope.tried.append(Gathered())
        end = run()
        return end, self.frame.scope.tried.pop().env

    def with_(self, node: cst.With, env: Env) -> Env | None:
        swallows = False
        entered = []
        for item in node.items:
            self.frame.statement, self.frame.root = node, None
            entered.append(self.visitor.evaluate(item.item, env))
            value = self.unseen.object_entered(item, entered[-1], env)
            call = self.frame.recorded.get((ev.Call, id(item.item)))
            callee = call.callee if isinstance(call, ev.Call) else None
            swallows = swallows or not (isinstance(callee, Symbol) and callee.name in INDIFFERENT)
            self.record.construct(item, ev.Kind.WITH, dotted(item.item.func) if type(item.item) is cst.Call else "")
            if item.asname is not None:
                self.stores.assign(
                    node, item.asname.name, value if not isinstance(value, Array) else UNKNOWN, env, None
                )
        if node.asynchronous is not None:
            self.record.construct(node, ev.Kind.ASYNC)
        end, tried = self._trying(lambda: self.run(node.body, env))
        if tried is not None:
            self.may_raise(tried)
        for left in (end, tried):
            if left is not None:
                self.unseen.ask(node, left, entered, asked_by(node), deep=False)
        if swallows and end is None:
            self._swallowed = tried  # what follows is there to be reached
        return join_all([end, tried]) if swallows and end is not None else end

    # ---- ``x += y``

    def _augmented(self, node: cst.AugAssign, env: Env) -> None:
        value = self.visitor.evaluate(node.value, env)
        op = AUGMENTED[type(node.operator)]
        target = node.target
        if not isinstance(target, cst.Name):
            self.unseen.ask_parts(node, env, value)
        if self.assumed.host_locals and type(target) is cst.Name:
            value = self.placement.kept_on_host([target], node.value, value)
        if type(target) is cst.Subscript:
            base = self.stores.store_base(target, env)
            keys = self.access.keys(target, env, base)
            item = self.access.read(base, keys) if isinstance(base, Sequence) else None
            self.unseen.ask_parts(node, env, item if item is not None else base, value)
            self.unseen.operand_given(node, item if item is not None else base, (value, *keys), asked_by(node))
            if item is not None and may_be_array(item) and not is_numpy_number(item):
                self.record.emit(ev.Read(target, self.record.place(target), base, keys, item))
                self.writes.write(node, target, item, value, env, op=op, keys=None)
            else:
                self.writes.write(node, target, base, value, env, op=op, keys=keys)
            return
        old = self.visitor.evaluate(target, env)
        self.unseen.ask_parts(node, env, old, value)
        if type(target) is cst.Attribute:
            self.unseen.attribute_stored_by(target, self.visitor.evaluate(target.value, env), env)
            self.frame.assigned.add(target.attr.value)
            self.record.emit(
                ev.AttributeStore(node, target, self.record.place(target), old, target.attr.value, value, node.value)
            )
            result = self.expressions.operator_result(op, [old, value])
            owner = self.visitor.evaluate(target.value, env)
            either = join(old, result) if isinstance(old, Array) else result  # an array keeps its dtype, and stays one
            if isinstance(old, Array) and isinstance(either, Array):
                either = replace(either, zero_d=old.zero_d)
            env.note_attribute(target.attr.value, self.stores.as_attribute(target, owner, either))
            self.writes.mark_shared(refs_of(old), f"{dotted(target)}", node, env, skip=owner_of(target), base=old)
            if isinstance(value, Sequence):  # a list there takes the items
                self.keeping.keep(frozenset((of_attribute(target.attr.value),)), value, env)
            self.unseen.updates_state(old)
            self.learner.attribute_stored(owner, target.attr.value, result)
            return
        if type(target) is not cst.Name:
            return
        if isinstance(old, Sequence) and op == "add":
            if old.type == "deque" and may_hold_tensor(value):  # nobody would convert what it holds
                self.record.construct(node, ev.Kind.QUEUE_OF_TENSORS)
            element = element_of(value)
            env.values[target.value] = Sequence(old.type, join(old.element, element))
            share_items(target.value, element, env)
            self.frame.puts_made.append((target.value, element))
            self.keeping.keep(frozenset((target.value,)), value, env)
            return
        if isinstance(old, Unknown) and old.home != HOST and isinstance(value, Array):
            self.facts.assumed_arrays |= old.deps  # as beside any operator
        immutable = is_numpy_number(old)
        if may_be_array(old) and not immutable:
            self.writes.write(node, target, old, value, env, op=op)
            if (isinstance(old, Array) and old.weak) or isinstance(old, Unknown):
                result = self.expressions.operator_result(op, [old, value])
                kept = (
                    replace(old, rank=None)
                    if isinstance(old, Array) and isinstance(result, Array) and result.rank != old.rank
                    else old
                )
                if target.value in env.values:
                    env.values[target.value] = (
                        replace(kept, refs=NO_NAMES) if isinstance(kept, (Array, Unknown)) else kept
                    )
            updated = env.values.get(target.value)
            if isinstance(updated, Array) and updated.rank is None and has_axes(value):
                env.values[target.value] = replace(updated, zero_d="never")  # else NumPy raises
            return
        result = self.expressions.operator_result(op, [old, value])
        if isinstance(old, Instance) or isinstance(value, Instance):
            self.expressions.beside_object(node, f"i{op}", [(target, old), (node.value, value)])
            self.expressions.beside_object(node, op, [(target, old), (node.value, value)])
            env.bind(target.value, old if isinstance(old, Instance) else result)
            return
        if target.value in self.assumed.host_locals and not may_hold_tensor(old):
            result = hosted(result)  # Python's own operator, on what is NumPy's or a number
        if may_be_array(value) or may_be_array(old):
            self.record.emit(ev.Store(node, target, self.record.place(node), old, value, op, None, target.value))
        if target.value in self.frame.scope.global_names:
            self.stores.store_global(target, result, env, node.value)
        else:
            env.bind(target.value, result)


_SIMPLE: dict[type, Callable[..., None]] = {
    cst.Expr: Statements._expr,
    cst.Assign: Statements._assign,
    cst.AnnAssign: Statements._annotated,
    cst.AugAssign: Statements._augmented,
    cst.Return: Statements._return,
    cst.Raise: Statements.raise_,
    cst.Assert: Statements.assert_,
    cst.Del: Statements._delete,
    cst.Import: Statements._import,
    cst.ImportFrom: Statements._import,
    cst.Nonlocal: Statements._nonlocal,
}
_LEAVING = (Statements._return, Statements.raise_)
_COMPOUND: dict[type, Callable[..., Env | None]] = {
    cst.If: Statements._if,
    cst.For: Statements._for,
    cst.While: Statements._while,
    cst.Try: Statements.try_,
    cst.TryStar: Statements.try_,
    cst.With: Statements.with_,
    cst.Match: Statements._match,
    cst.FunctionDef: Statements._function,
    cst.ClassDef: Statements._class,
}
