"""The interpreter, put together from its parts; and what differs where it walks over a script's top level."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
from np2tnp.analysis.interpreter.access import Access
from np2tnp.analysis.interpreter.callees import Callees
from np2tnp.analysis.interpreter.calls import Calls
from np2tnp.analysis.interpreter.closures import Closures, Exits
from np2tnp.analysis.interpreter.container_methods import Containers
from np2tnp.analysis.interpreter.expressions import Expressions
from np2tnp.analysis.interpreter.frame import Frame, Names, Record, Services, Visitor
from np2tnp.analysis.interpreter.numpy_results import NumpyCalls
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.statements import Statements
from np2tnp.analysis.interpreter.stores import Learner, Stores
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.interpreter.writes import Keeping, Writes
from np2tnp.analysis.module.scripts import Script, target_names
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk

# --- Which class does which part


@dataclass(frozen=True)
class Parts:
    """The classes of the parts that differ between a function and a script's top level."""

    visitor: type[Visitor] = Visitor
    names: type[Names] = Names
    stores: type[Stores] = Stores
    expressions: type[Expressions] = Expressions
    statements: type[Statements] = Statements


OF_A_FUNCTION = Parts()


class Interpreter:
    """One walk over a region, or over code of which only the names matter.

    Each part knows the frame, and of the other parts those before it: what it may ask stands in its constructor. What
    is inside of a node it evaluates by the visitor.

    learner: hears what is bound and stored.
    """

    def __init__(self, frame: Frame, parts: Parts = OF_A_FUNCTION, learner: Learner | None = None) -> None:
        learner = learner if learner is not None else Learner()
        self.frame = frame
        self.visitor = visitor = parts.visitor(frame)
        self.record = record = Record(frame)
        self.names = names = parts.names(frame, record)
        self.unseen = unseen = UnseenCode(frame, record, names)
        self.placement = placement = Placement(frame, record, names)
        self.keeping = keeping = Keeping(frame, record, placement)
        self.writes = writes = Writes(frame, record, names, unseen, placement, keeping)
        self.access = access = Access(frame, visitor, record, names, placement, unseen)
        self.stores = stores = parts.stores(
            frame, visitor, record, names, unseen, placement, keeping, writes, access, learner
        )
        self.closures = closures = Closures(frame, visitor, record, names, keeping, access)
        self.exits = exits = Exits(frame, visitor, record, unseen, keeping, closures)
        self.expressions = expressions = parts.expressions(
            frame, visitor, record, names, unseen, placement, access, stores, closures
        )
        self.callees = callees = Callees(frame, record, names, unseen, placement, keeping, writes)
        self.containers = containers = Containers(frame, record, placement, keeping, access)
        self.numpy_calls = numpy_calls = NumpyCalls(frame, record, names, unseen, placement, writes, callees)
        self.calls = calls = Calls(
            frame,
            visitor,
            record,
            names,
            unseen,
            placement,
            keeping,
            writes,
            access,
            closures,
            expressions,
            callees,
            containers,
            numpy_calls,
        )
        self.statements = statements = parts.statements(
            frame,
            visitor,
            record,
            unseen,
            placement,
            keeping,
            writes,
            access,
            stores,
            closures,
            exits,
            expressions,
            learner,
        )
        visitor.suite = statements.run
        visitor.methods = {
            cst.Name: expressions.name,
            cst.Integer: expressions.literal,
            cst.Float: expressions.literal,
            cst.Imaginary: expressions.literal,
            cst.SimpleString: expressions.string,
            cst.ConcatenatedString: expressions.strings,
            cst.FormattedString: expressions.formatted,
            cst.Ellipsis: expressions.ellipsis,
            cst.Tuple: expressions.display,
            cst.List: expressions.display,
            cst.Set: expressions.display,
            cst.Dict: expressions.dictionary,
            cst.BinaryOperation: expressions.binary,
            cst.UnaryOperation: expressions.unary,
            cst.BooleanOperation: expressions.boolean,
            cst.Comparison: expressions.comparison,
            cst.Attribute: access.attribute,
            cst.Subscript: access.subscript,
            cst.IfExp: expressions.conditional,
            cst.NamedExpr: expressions.walrus,
            cst.Await: expressions.await_,
            cst.Lambda: closures.lambda_,
            cst.ListComp: expressions.comprehension,
            cst.SetComp: expressions.comprehension,
            cst.DictComp: expressions.comprehension,
            cst.GeneratorExp: expressions.comprehension,
            cst.Call: calls.call,
            cst.Yield: exits.yield_,
        }

    def evaluate(self, node: cst.BaseExpression, env: Env) -> Value:
        """The value of an expression."""
        return self.visitor.evaluate(node, env)

    def run(self, body: object, env: Env) -> Env | None:
        """What holds at the end of a suite; None when that is not reached."""
        return self.visitor.run(body, env)

    def __del__(self) -> None:
        self.visitor.release()


# --- A script's top level: names that others see are kept as NumPy's own arrays

#: What makes arrays of numbers, without work on arrays.
_MAKERS = frozenset(
    f"numpy.{name}"
    for name in "array asarray arange linspace logspace geomspace zeros ones empty full eye identity".split()
)
_CONSTANTS = frozenset(("True", "False", "None", "float", "int", "complex", "bool"))
_SEEN = "is assigned to a name that functions see"


def interpret_script(frame: Frame, script: Script) -> Interpreter:
    """A walk over the top level of a script that is a region; what happens in it is recorded.

    Shared names are treated as a function treats the globals that it assigns: what they hold is NumPy's. What stands in
    heads and bodies of functions and classes is no part of the region.
    """
    interpreter = Interpreter(frame, OF_A_SCRIPT)
    frame.scope.global_names = script.shared
    frame.scope.locals = frozenset(frame.module.values) - script.shared
    interpreter.run(frame.module.node.body, Env())
    frame.statement = None
    for node, words in script.obstacles:
        # under a key of their own: the interpreter may have recorded what else such a node is
        place = interpreter.record.place(node)
        frame.recorded[(Script, id(node))] = ev.Construct(node, place, ev.Kind.TOP_LEVEL, words)
    return interpreter


def _aside(frame: Frame, interpret: Callable[[], Any]) -> Any:
    """Interpret what stays as it is: NumPy makes its arrays, and no rule hears of it."""
    made, before = frame.made, set(frame.recorded)
    frame.made = HOST
    try:
        return interpret()
    finally:
        frame.made = made
        for key in [key for key in frame.recorded if key not in before]:
            del frame.recorded[key]


class ScriptStatements(Statements):
    """Functions and classes are defined aside."""

    def statement_(self, node: cst.CSTNode, env: Env) -> Env | None:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            end: Env | None = _aside(self.frame, lambda: super(ScriptStatements, self).statement_(node, env))
            return end
        return super().statement_(node, env)


class ScriptVisitor(Visitor):
    """Lambdas of others and tables of numbers are made aside."""

    def evaluate(self, node: cst.BaseExpression, env: Env) -> Value:
        if type(node) is cst.Lambda and id(node) not in self.frame.assumed.lambdas:
            _aside(self.frame, lambda: super(ScriptVisitor, self).evaluate(node, env))
            return UNKNOWN  # a function of Python's that works on ndarrays
        if node is self.frame.root and self._is_table(node):
            value: Value = _aside(self.frame, lambda: super(ScriptVisitor, self).evaluate(node, env))
            return value
        return super().evaluate(node, env)

    def _is_table(self, node: cst.BaseExpression) -> bool:
        """Whether `node` makes an array of numbers for functions to see: as well made by NumPy, where it stays.

        What the names in it are is asked of all their bindings, so that every round of a loop gives the same answer.
        """
        statement, module = self.frame.statement, self.frame.module
        if not isinstance(statement, cst.Assign) or node is not statement.value:
            return False
        if not all(dotted(item.target) in self.frame.scope.global_names for item in statement.targets):
            return False
        called = {id(part.func): dotted(part.func) for part in walk(node) if isinstance(part, cst.Call)}
        return (
            bool(called)
            and all(map(self._makes_array, called.values()))
            and all(
                isinstance(module.values.get(part.value), (Symbol, Const, Scalar)) or part.value in _CONSTANTS
                for part in _names(node)
            )
        )

    def _makes_array(self, name: str) -> bool:
        first, _, rest = name.partition(".")
        known = self.frame.module.values.get(first)
        return isinstance(known, Symbol) and (f"{known.name}.{rest}" if rest else known.name) in _MAKERS


class ScriptNames(Names):
    """Shared names hold what the top level assigned to them."""

    def outer_value(self, name: str, env: Env) -> Value:
        held = env.values.get(self.location(name)) if name in self.frame.scope.global_names else None
        return super().outer_value(name, env) if held is None else self.global_value(name, held, env)


class ScriptStores(Stores):
    """What shared names get is NumPy's."""

    def assign(
        self, node: cst.CSTNode, target: cst.BaseExpression, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        if isinstance(node, cst.Assign) and source is node.value and may_hold_tensor(value):
            # one of several targets: what all of them get is NumPy's
            names = frozenset().union(*(target_names(item.target) for item in node.targets))
            if names & self.frame.scope.global_names and not self._keeps_container(target, value, env):
                self.record.escape(source, value, _SEEN)
                value = _copied(value)
        super().assign(node, target, value, env, source)

    def store_global(self, target: cst.Name, value: Value, env: Env, source: cst.BaseExpression | None) -> None:
        if may_hold_tensor(value):
            if source is None:
                self.record.construct(target, ev.Kind.GLOBAL_FROM_UNPACKING)
            else:
                self.record.escape(source, value, _SEEN)
        self._keeps_container(target, value, env)
        env.bind(self.names.location(target.value), _copied(value))

    def _keeps_container(self, target: cst.CSTNode, value: Value, env: Env) -> bool:
        """Whether `value` is or holds a list or dict that only the top level knows by name: tensors may get into it."""
        held = (env.values[ref] for ref in refs_of(value) if ref in env.values)
        if isinstance(value, Sequence) and any(isinstance(item, Sequence) and item.type != "tuple" for item in held):
            self.record.construct(
                target, ev.Kind.TOP_LEVEL, "a list or dict is seen by functions under one name, not under another"
            )
            return True
        return False

    def bind_target(self, target: cst.BaseExpression, value: Value, env: Env) -> None:
        statement = self.frame.statement
        if (
            target_names(target) & self.frame.scope.global_names
            and may_hold_tensor(value)
            and isinstance(statement, cst.For)
        ):
            iterated = self.visitor.evaluate(statement.iter, env)
            if isinstance(iterated, (Array, Unknown)):
                self.record.escape(statement.iter, iterated, _SEEN)
                value = _copied(value)
        super().bind_target(target, value, env)


class ScriptExpressions(Expressions):
    """The variables of a comprehension are its own."""

    def _clauses(self, clause: cst.CompFor, iterated: Value, inner: Env) -> None:
        shared = self.frame.scope.global_names
        self.frame.scope.global_names = shared - target_names(clause.target)
        super()._clauses(clause, iterated, inner)
        self.frame.scope.global_names = shared


OF_A_SCRIPT = Parts(ScriptVisitor, ScriptNames, ScriptStores, ScriptExpressions, ScriptStatements)


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


# --- Walks that only learn what is assigned: to the attributes of ``self``, to the names of a module


def join_into(found: dict[str, Value], more: Mapping[str, Value]) -> None:
    for name, value in more.items():
        found[name] = join(found[name], value) if name in found else value


class AttributeCollector(Learner):
    """Learns what a method assigns to ``self``."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.found: dict[str, Value] = {}

    def attribute_stored(self, base: Value, name: str, value: Value) -> None:
        if isinstance(base, Instance):
            if isinstance(value, Instance) and (known := self.services.class_of(value)) and known.array_base:
                value = Unknown(HOST, frozenset((SUBCLASS,)))
            self.found[name] = join(self.found[name], value) if name in self.found else value


class Binder(Learner):
    """Keeps all that each name of a module's top level is ever bound to: functions may run in between."""

    def __init__(self) -> None:
        self.bound: dict[str, Value] = {}

    def assigned(self, target: cst.BaseExpression, env: Env, in_class: int) -> None:
        if not in_class:
            join_into(self.bound, {name: env.values[name] for name in target_names(target) if name in env.values})
