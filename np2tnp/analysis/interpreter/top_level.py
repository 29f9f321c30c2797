"""Interprets a script's top level as a region: names that others see are kept as NumPy's own arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.result_aliases import copy_marks
from np2tnp.analysis.domain.summaries import hosted
from np2tnp.analysis.domain.values import (
    HOST,
    SUBCLASS,
    UNKNOWN,
    Array,
    Const,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    may_hold_tensor,
    refs_of,
    replace,
    with_refs,
)
from np2tnp.analysis.interpreter.statements import Interpreter
from np2tnp.analysis.module.scripts import Script, target_names
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk

#: What makes arrays of numbers, without work on arrays.
_MAKERS = frozenset(
    f"numpy.{name}"
    for name in "array asarray arange linspace logspace geomspace zeros ones empty full eye identity".split()
)
_CONSTANTS = frozenset(("True", "False", "None", "float", "int", "complex", "bool"))
_SEEN = "is assigned to a name that functions see"


class TopLevel(Interpreter):
    """The top level of a script.

    Shared names are treated as a function treats the globals that it assigns: what they hold is NumPy's. What stands in
    heads and bodies of functions and classes is no part of the region.
    """

    def __init__(self, script: Script, *args: Any) -> None:
        super().__init__(*args)
        self.script = script
        self.global_names = script.shared
        self.locals = frozenset(self.module.values) - script.shared

    def interpret(self) -> None:
        """Interpret the whole module; what happens in it is recorded."""
        self.run(self.module.node.body, Env())
        self.statement = None
        for node, words in self.script.obstacles:
            # under a key of their own: the interpreter may have recorded what else such a node is
            self.recorded[(Script, id(node))] = ev.Construct(node, self.place(node), ev.Kind.TOP_LEVEL, words)

    def statement_(self, node: cst.CSTNode, env: Env) -> Env | None:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            end: Env | None = self._aside(lambda: super(TopLevel, self).statement_(node, env))
            return end
        return super().statement_(node, env)

    def evaluate(self, node: cst.BaseExpression, env: Env) -> Value:
        if type(node) is cst.Lambda and id(node) not in self.script.lambdas:
            self._aside(lambda: super(TopLevel, self).evaluate(node, env))
            return UNKNOWN  # a function of Python's that works on ndarrays
        if node is self.root and self._is_table(node):
            value: Value = self._aside(lambda: super(TopLevel, self).evaluate(node, env))
            return value
        return super().evaluate(node, env)

    def _is_table(self, node: cst.BaseExpression) -> bool:
        """Whether `node` makes an array of numbers for functions to see: as well made by NumPy, where it stays.

        What the names in it are is asked of all their bindings, so that every round of a loop gives the same answer.
        """
        statement = self.statement
        if not isinstance(statement, cst.Assign) or node is not statement.value:
            return False
        if not all(dotted(item.target) in self.global_names for item in statement.targets):
            return False
        called = {id(part.func): dotted(part.func) for part in walk(node) if isinstance(part, cst.Call)}
        return (
            bool(called)
            and all(map(self._makes_array, called.values()))
            and all(
                isinstance(self.module.values.get(part.value), (Symbol, Const, Scalar)) or part.value in _CONSTANTS
                for part in _names(node)
            )
        )

    def _makes_array(self, name: str) -> bool:
        first, _, rest = name.partition(".")
        known = self.module.values.get(first)
        return isinstance(known, Symbol) and (f"{known.name}.{rest}" if rest else known.name) in _MAKERS

    def _aside(self, interpret: Callable[[], Any]) -> Any:
        """Interpret what stays as it is: NumPy makes its arrays, and no rule hears of it."""
        made, before = self.made, set(self.recorded)
        self.made = HOST
        try:
            return interpret()
        finally:
            self.made = made
            for key in [key for key in self.recorded if key not in before]:
                del self.recorded[key]

    # ---- shared names

    def outer_value(self, name: str, env: Env) -> Value:
        held = env.values.get(self.location(name)) if name in self.global_names else None
        return super().outer_value(name, env) if held is None else self.global_value(name, held, env)

    def assign(
        self, node: cst.CSTNode, target: cst.BaseExpression, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        if isinstance(node, cst.Assign) and source is node.value and may_hold_tensor(value):
            # one of several targets: what all of them get is NumPy's
            names = frozenset().union(*(target_names(item.target) for item in node.targets))
            if names & self.global_names and not self._keeps_container(target, value, env):
                self.escape(source, value, _SEEN)
                value = _copied(value)
        super().assign(node, target, value, env, source)

    def store_global(self, target: cst.Name, value: Value, env: Env, source: cst.BaseExpression | None) -> None:
        if may_hold_tensor(value):
            if source is None:
                self.construct(target, ev.Kind.GLOBAL_FROM_UNPACKING)
            else:
                self.escape(source, value, _SEEN)
        self._keeps_container(target, value, env)
        env.bind(self.location(target.value), _copied(value))

    def _keeps_container(self, target: cst.CSTNode, value: Value, env: Env) -> bool:
        """Whether `value` is or holds a list or dict that only the top level knows by name: tensors may get into it."""
        held = (env.values[ref] for ref in refs_of(value) if ref in env.values)
        if isinstance(value, Sequence) and any(isinstance(item, Sequence) and item.type != "tuple" for item in held):
            self.construct(
                target, ev.Kind.TOP_LEVEL, "a list or dict is seen by functions under one name, not under another"
            )
            return True
        return False

    def bind_target(self, target: cst.BaseExpression, value: Value, env: Env) -> None:
        if target_names(target) & self.global_names and may_hold_tensor(value) and isinstance(self.statement, cst.For):
            iterated = self.evaluate(self.statement.iter, env)
            if isinstance(iterated, (Array, Unknown)):
                self.escape(self.statement.iter, iterated, _SEEN)
                value = _copied(value)
        super().bind_target(target, value, env)

    def _clauses(self, clause: cst.CompFor, iterated: Value, inner: Env) -> None:
        shared = self.global_names
        self.global_names = shared - target_names(clause.target)  # its variables are its own
        super()._clauses(clause, iterated, inner)
        self.global_names = shared


def _names(node: cst.BaseExpression) -> Iterator[cst.Name]:
    """The names that an expression mentions, without those of attributes and keywords."""
    skipped: set[int] = set()
    for part in walk(node):
        if isinstance(part, cst.Attribute):
            skipped.add(id(part.attr))
        elif isinstance(part, cst.Arg) and part.keyword is not None:
            skipped.add(id(part.keyword))
        elif isinstance(part, cst.Name) and id(part) not in skipped:
            yield part


def _copied(value: Value) -> Value:
    """`value` as NumPy's own: a copy of what was a tensor, which nobody else's updates reach."""
    refs = refs_of(value)
    if may_hold_tensor(value) and refs:
        value = with_refs(value, refs | copy_marks(refs))
    elif not may_hold_tensor(value):
        return replace(value, exact=None) if isinstance(value, (Array, Unknown)) else value
    return hosted(value)


# --- Interpreters that only learn what is assigned: to the attributes of ``self``, to the names of a module


def join_into(found: dict[str, Value], more: Mapping[str, Value]) -> None:
    for name, value in more.items():
        found[name] = join(found[name], value) if name in found else value


class AttributeCollector(Interpreter):
    """Interprets a method only to learn what it assigns to ``self``."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.found: dict[str, Value] = {}

    def attribute_stored(self, base: Value, name: str, value: Value) -> None:
        if isinstance(base, Instance):
            if isinstance(value, Instance) and (known := self.services.class_of(value)) and known.array_base:
                value = Unknown(HOST, frozenset((SUBCLASS,)))
            self.found[name] = join(self.found[name], value) if name in self.found else value


class Binder(Interpreter):
    """Interprets a module's top level, and keeps all that each name is ever bound to: functions may run in between."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.bound: dict[str, Value] = {}
        self.in_class = False

    def statement_(self, node: cst.CSTNode, env: Env) -> Env | None:
        outer, self.in_class = self.in_class, self.in_class or type(node) is cst.ClassDef
        end = super().statement_(node, env)
        self.in_class = outer
        return end

    def assign(
        self, node: cst.CSTNode, target: cst.BaseExpression, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        super().assign(node, target, value, env, source)
        if not self.in_class:
            join_into(self.bound, {name: env.values[name] for name in target_names(target) if name in env.values})
