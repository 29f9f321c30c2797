"""Comprehensions and generator expressions to abstract values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.access import Access
from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import ROUNDS, Env, widen
from np2tnp.analysis.domain.summaries import from_host
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    SHARED,
    Function,
    Sequence,
    Unknown,
    Value,
    holds,
    may_be_array,
    may_hold_tensor,
    reads_later,
    refs_of,
)
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import PARTS, walk

#: Builtin functions that ask an iterator until they are done, and never again.
_ASKING = frozenset(("all", "any", "dict", "frozenset", "list", "max", "min", "next", "set", "sorted", "sum", "tuple"))

_COMPREHENSIONS: dict[type, str] = {cst.ListComp: "list", cst.SetComp: "set", cst.GeneratorExp: "iterator"}


class Comprehensions(Access):
    """Evaluates comprehensions."""

    def comprehension(self, node: Any, env: Env) -> Value:
        bound = frozenset(_bound_outside(node))
        if not bound:
            return self._comprehension(node, env, env.copy())
        if type(node) is cst.GeneratorExp and not self._is_asked_at_once(node):
            self.construct(node, "nonlocal", ", ".join(sorted(bound)))  # at what time these names change is not known
        local = frozenset(_targets_of(node.for_in))
        for number in range(ROUNDS):  # the names that it binds outside hold in each iteration what the one before gave
            inner = env.copy()
            value = self._comprehension(node, env, inner)
            for name in local:
                inner.forget(name)
            new = env.join(inner)
            if new == env:
                break
            env.become(widen(env, new) if number >= ROUNDS - 2 else new)
        return value

    def _comprehension(self, node: Any, env: Env, inner: Env) -> Value:
        puts, worked = len(self.puts_made), self.worked
        first = self._iterated(node.for_in, inner)
        value, kind = self._each(node, first, inner)
        if self.worked > worked:  # each item is made after what ran for those before it
            value, kind = self._each(node, first, inner)
            self.code_runs(node, "a comprehension", env)
            self.lazy_works |= type(node) is cst.GeneratorExp
        for name in self.captured_inside:
            self.may_be_filled(name, env)
        if not self.comprehended:
            self.captured_inside.clear()
        self.leave_nested(puts, NO_NAMES, env)
        refs = refs_of(value)
        if refs and not _gives_each_once(node):
            refs |= {SHARED}
        if type(node) is cst.GeneratorExp:
            # it runs later: what it reads must still be what it is now
            refs |= self.read_later({part.value for part in walk(node) if type(part) is cst.Name}, env)
        return Sequence(
            kind, value, None, frozenset(ref for ref in refs if ref in env.values or not ref.isidentifier())
        )

    def _each(self, node: Any, iterated: Value, inner: Env) -> tuple[Value, str]:
        """One item, and the kind of what holds all of them."""
        self._clauses(node.for_in, iterated, inner)
        self.depth += 1
        self.comprehended += 1
        if type(node) is cst.DictComp:
            key = self.evaluate(node.key, inner)
            self.ask_parts(node, inner, key)
            self.escape(node.key, key, "is a dictionary key")
            value, kind = self.evaluate(node.value, inner), "dict"
        else:
            value, kind = self.evaluate(node.elt, inner), _COMPREHENSIONS[type(node)]
            if kind == "set":
                self.ask_parts(node, inner, value)
            if kind == "set" and may_hold_tensor(value):
                self.escape(node.elt, value, "is an item of a set")
                value = from_host(value)
        self.depth -= 1
        self.comprehended -= 1
        return value, kind

    def _is_asked_at_once(self, node: cst.GeneratorExp) -> bool:
        """Whether a function of Python's that keeps no iterator gets it: ``any(... for ...)``."""
        return self.statement is not None and any(
            type(part) is cst.Call
            and type(part.func) is cst.Name
            and part.func.value in _ASKING
            and any(argument.value is node for argument in part.args)
            for part in walk(self.statement)
        )

    def read_later(self, names: Iterable[str], env: Env) -> frozenset[str]:
        """What an iterator shows that reads `names` when it is asked: other names may update it until then."""
        shown, seen = NO_NAMES, set(names)
        waiting = [*seen]
        while waiting:
            held = env.load(waiting.pop())
            if isinstance(held, Function) and held.nested:
                more = self.nested_reads.get(held.qualname, NO_NAMES) - seen
                waiting.extend(more)
                seen |= more
            elif held is not None and may_hold_tensor(held):
                shown |= refs_of(held)
        self.read_by_iterators |= seen
        return shown

    def ask_iterator(self, node: cst.Name, value: Value, env: Env) -> None:
        """`node` is read: what iterators in its `value` read by name must be what NumPy shows by now."""
        if reads_later(value) or (isinstance(value, Sequence) and holds(value, reads_later)):
            for name in sorted(self.read_by_iterators & env.stale.keys()):
                self.emit(ev.StaleRead(node, self.place(node), name, env.stale[name], env.aliases(name)))

    def may_be_filled(self, name: str, env: Env) -> None:
        """A function that others call reads the captured `name`."""
        held = env.values.get(name)
        if isinstance(held, Sequence) and held.type != "tuple":
            env.values[name] = Unknown(HOST, NO_NAMES)  # the function may fill it
        elif held is not None and may_be_array(held):
            self.facts.extra.setdefault("captured", set()).add(name)

    def _iterated(self, clause: cst.CompFor, inner: Env) -> Value:
        iterated = self.object_iterated(clause.iter, self.evaluate(clause.iter, inner), inner)
        self.facts.comprehended[id(clause)] = iterated
        return iterated

    def _clauses(self, clause: cst.CompFor, iterated: Value, inner: Env) -> None:
        self.loops += 1
        self.bind_target(clause.target, self.element_of(iterated), inner)
        for condition in clause.ifs:
            self.object_tested(condition, self.evaluate(condition.test, inner), inner)
        if clause.inner_for_in is not None:
            self._clauses(clause.inner_for_in, self._iterated(clause.inner_for_in, inner), inner)
        self.loops -= 1


def _bound_outside(node: Any) -> Iterator[str]:
    """The names that a comprehension binds by ``:=`` in the scope around it."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if type(part) is cst.NamedExpr:
            yield from target_names(part.target)
        if type(part) is not cst.Lambda:
            waiting.extend(PARTS[type(part)](part))


def _targets_of(clause: cst.CompFor | None) -> Iterator[str]:
    while clause is not None:
        yield from target_names(clause.target)
        clause = clause.inner_for_in


def _gives_each_once(node: cst.BaseComp) -> bool:
    """Whether a comprehension gives what it iterates over, or a part of it, one after the other: no item twice."""
    shown = node.value if type(node) is cst.DictComp else node.elt  # type: ignore[attr-defined]
    while isinstance(shown, (cst.Subscript, cst.Attribute)):
        shown = shown.value
    clause, around = node.for_in, frozenset[str]()
    while clause.inner_for_in is not None:
        around = frozenset(target_names(clause.target))
        clause = clause.inner_for_in
        if not (type(clause.iter) is cst.Name and clause.iter.value in around):
            return False
    return type(shown) is cst.Name and shown.value in target_names(clause.target)
