"""Expressions to abstract values. One method a kind of node; calls are in calls.py, statements in interpret.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.containers import is_without_numbers
from np2tnp.analysis.domain.env import Env, join, view_among
from np2tnp.analysis.domain.promotion_rules import operator_dtypes
from np2tnp.analysis.domain.untensored import of_operator
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    KEYWORDS,
    NO_NAMES,
    NOTHING,
    NUMPY,
    SHARED,
    TENSOR,
    UNKNOWN,
    Array,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    constant,
    deps_of,
    exact_of,
    has_axes,
    held,
    is_python_number,
    may_be_array,
    may_hold_tensor,
    python_answers,
    refs_of,
    replace,
    scalar_type,
)
from np2tnp.analysis.operands import Operands
from np2tnp.analysis.syntax.liveness import reads
from np2tnp.analysis.syntax.python_tables import BINARY, COMPARISONS, UNARY
from np2tnp.analysis.syntax.scopes import dotted, parameters_of
from np2tnp.analysis.syntax.walk import none_test, walk

#: Beside each other these are no work of NumPy's, and never become any.
_PLAIN = frozenset((Const, Scalar))


class Evaluator(Operands):
    """Evaluates expressions in an environment and emits what happens in them."""

    def evaluate(self, node: cst.BaseExpression, env: Env) -> Value:
        """The value of `node`; emits the events of everything inside it."""
        method = METHODS.get(type(node))
        if method is None:
            return UNKNOWN
        value: Value = method(self, node, env)
        return value

    def callee(self, node: cst.BaseExpression, env: Env) -> Value:
        """The value of the function part of a call: a method stays bound to its receiver."""
        return self._attribute(node, env, called=True) if type(node) is cst.Attribute else self.evaluate(node, env)

    def decorator_name(self, decorator: cst.Decorator, env: Env) -> str:
        """The canonical name of a decorator, or of the function that makes it."""
        node = decorator.decorator
        made_by = node.func if type(node) is cst.Call else node
        return getattr(self.callee(made_by, env), "name", "") or dotted(made_by)

    # ---- names and literals

    def _name(self, node: cst.Name, env: Env) -> Value:
        name = node.value
        if name in KEYWORDS:
            return KEYWORDS[name]
        if name in self.module.numpy_names:
            return NUMPY
        stale = env.stale.get(name)
        if stale is not None:
            self.emit(ev.StaleRead(node, self.place(node), name, stale, env.aliases(name)))
        value = env.load(name)
        if value is not None:
            if self.read_by_iterators:
                self.ask_iterator(node, value, env)
            return self.known(value, env) if type(value) is Symbol else value
        value = self.outer_value(name, env)
        if isinstance(value, Symbol) and value.name.startswith("numpy."):
            self.emit(ev.NameRead(node, self.place(node), value.name))
        return value

    def _literal(self, node: Any, env: Env) -> Value:
        return constant(node.value) or Scalar("number")

    def _string(self, node: cst.SimpleString, env: Env) -> Value:
        return constant(node.value) or Scalar("str")

    def _strings(self, node: cst.ConcatenatedString, env: Env) -> Value:
        for part in (node.left, node.right):
            if type(part) is not cst.SimpleString:
                self.evaluate(part, env)
        return Scalar("str")

    def _formatted(self, node: cst.FormattedString, env: Env) -> Value:
        for part in node.parts:
            if type(part) is cst.FormattedStringExpression:
                if part.equal is not None and may_hold_tensor(self.evaluate(part.expression, env)):
                    self.construct(part, "debug f-string")
                reason = "is shown by its repr()" if part.conversion == "r" else "is formatted into a string"
                shown = self.object_given(part, self.evaluate(part.expression, env), env, "format")
                self.escape(part.expression, shown, reason)
                if part.format_spec:
                    for inner in part.format_spec:
                        if type(inner) is cst.FormattedStringExpression:
                            shown = self.object_given(inner, self.evaluate(inner.expression, env), env, "format")
                            self.escape(inner.expression, shown, "is formatted into a string")
        return Scalar("str")

    def _ellipsis(self, node: cst.Ellipsis, env: Env) -> Value:
        return Const.of(Ellipsis)

    # ---- displays

    def _display(self, node: cst.Tuple | cst.List | cst.Set, env: Env) -> Value:
        kind = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}[type(node)]
        items: list[Value] = []
        known, start, ran = True, self.ran, []
        for element in node.elements:
            value = self.evaluate(element.value, env)
            ran.append(self.ran)
            if kind == "set":
                self.escape(element.value, self.object_given(element, value, env, "hash"), "is put into a set")
            if type(element) is cst.StarredElement:
                known = False
                value = self.element_of(self.object_iterated(element, value, env))
            items.append(value)
        if self.ran > start:
            for element, value, before in zip(node.elements, items, ran, strict=True):
                self.read_before(node, element.value, value, before, env)
        return self.sequence(kind, items, known)

    def sequence(self, kind: str, items: list[Value], known: bool = True) -> Sequence:
        """A container of `items`."""
        element: Value = NOTHING
        refs: frozenset[str] = NO_NAMES
        for item in items:
            element = join(element, item)
            shown = refs_of(item)
            if shown:
                refs = refs | shown if refs.isdisjoint(shown) else refs | shown | {SHARED}
        if not known and isinstance(element, (Array, Unknown)) and not any(isinstance(i, Sequence) for i in items):
            element = replace(element, view=view_among(items, SHARED in refs))
        return Sequence(kind, element, tuple(items) if known and kind in ("tuple", "list") else None, refs)

    def _dict(self, node: cst.Dict, env: Env) -> Value:
        values: list[Value] = []
        for element in node.elements:
            if type(element) is cst.DictElement:
                key = self.object_given(element, self.evaluate(element.key, env), env, "hash")
                self.escape(element.key, key, "is a dictionary key")
                values.append(self.evaluate(element.value, env))
            else:
                spread = self.evaluate(element.value, env)
                self.ask_parts(node, env, spread)
                values.append(self.element_of(self.object_iterated(node, spread, env)))
        if not values:
            return Sequence("dict", NOTHING)
        self.facts.displays[id(node)] = tuple(values)
        return self.sequence("dict", values, known=False)

    # ---- operators

    def _binary(self, node: cst.BinaryOperation, env: Env) -> Value:
        left, ran = self.evaluate(node.left, env), self.ran
        right = self.evaluate(node.right, env)
        self.read_before(node, node.left, left, ran, env)
        op = BINARY[type(node.operator)]
        if op == "mod" and scalar_type(left) == "str":
            if isinstance(right, Sequence) and type(node.right) is cst.Tuple:
                for element, value in zip(node.right.elements, right.items or (), strict=False):
                    shown = self.object_given(element, value, env, "%")
                    self.escape(element.value, shown, "is formatted into a string")
            else:
                shown = self.object_given(node, right, env, "%")
                self.escape(node.right, shown, "is formatted into a string")
            return Scalar("str")
        return self.operate(node, op, [left, right], env)

    def _unary(self, node: cst.UnaryOperation, env: Env) -> Value:
        operand = self.evaluate(node.expression, env)
        if type(node.operator) is cst.Not:
            self.object_tested(node, operand, env)
            return Scalar("bool")
        op = UNARY[type(node.operator)]
        if isinstance(operand, Const) and is_python_number(operand) and op in ("neg", "pos"):
            return Const.of(-operand.value if op == "neg" else +operand.value)
        return self.operate(node, op, [operand], env)

    def operate(self, node: cst.BaseExpression, op: str, operands: list[Value], env: Env) -> Value:
        """The result of an operator on `operands`; emits it where an operand may be an array."""
        result = self.operator_result(op, operands)
        self.ask_parts(node, env, *operands)
        if self.is_numpys(node, operands):
            return result
        kinds = {type(value) for value in operands}
        if kinds <= _PLAIN:
            return result
        if Instance in kinds:
            self.facts.extra.setdefault("object operators", set()).add(op)
            result = self.with_shown(result, env)
        if Instance in kinds and type(node) is cst.BinaryOperation:
            self.beside_object(node, op, list(zip((node.left, node.right), operands, strict=True)))
            return result
        if Sequence in kinds and Unknown in kinds and type(node) is cst.BinaryOperation:
            operands = self.beside_unknown(node, operands)
            result = self.operator_result(op, operands)
        if (op == "matmul" or Array in kinds) and Unknown in kinds and not self.module.defines(op):
            # beside an array NumPy would convert a list, and tensors would convert it otherwise: it must be none
            for value in operands:
                if isinstance(value, Unknown) and value.home != HOST:
                    self.facts.assumed_arrays |= value.deps
        if not kinds.isdisjoint((Array, Unknown, Sequence)):
            self.emit_operator(ev.Operator(node, self.place(node), op, tuple(operands), result))
        return result

    def operator_result(self, op: str, operands: list[Value]) -> Value:
        if (kept := of_operator(op, operands)) is not None:
            return kept
        kinds_of = {type(value) for value in operands}
        if Instance in kinds_of:
            return UNKNOWN
        for value in operands:
            if value is NOTHING:
                return NOTHING
        if self.met_subclass and (mark := self.subclass_mark(*operands)):
            return Unknown(HOST, mark)
        if Unknown in kinds_of and self.module.defines(op):
            home = EITHER if any(map(may_hold_tensor, operands)) else HOST
            return _joined(op, operands, Unknown(home))  # an object with that operator?
        deps = NO_NAMES.union(*map(deps_of, operands)) if Array in kinds_of or Unknown in kinds_of else NO_NAMES
        if Array in kinds_of:
            homes = {self.lifted(value) for value in operands if may_be_array(value)}
            home = TENSOR if TENSOR in homes else EITHER if EITHER in homes else HOST
            ranks = [
                value.rank if isinstance(value, Array) else 0 if is_python_number(value) else None for value in operands
            ]
            rank = None if None in ranks else max(rank for rank in ranks if rank is not None)
            if op == "matmul":
                rank = {(1, 1): 0, (2, 1): 1, (1, 2): 1, (2, 2): 2}.get(tuple(ranks))  # type: ignore[arg-type]
            weak = all((isinstance(value, Array) and value.weak) or is_python_number(value) for value in operands)
            if python_answers(op, operands):
                weak = True
                if home == TENSOR and scalar_type(operands[0]) == "complex":
                    home = EITHER
            zero_d = "never" if op != "matmul" and any(map(has_axes, operands)) else "scalar"
            return Array(home, operator_dtypes(op, operands), rank, deps=deps, weak=weak, zero_d=zero_d)
        if (
            op == "mul"
            and Sequence in kinds_of
            and any(isinstance(value, Sequence) and is_without_numbers(value) for value in operands)
        ):
            return self._sequence_operator(op, operands)  # only a number repeats it, whatever the other operand is
        if Unknown in kinds_of:
            homes = {self.lifted(value) for value in operands if isinstance(value, Unknown)}
            home = TENSOR if TENSOR in homes else HOST if homes == {HOST} else EITHER
            return _joined(op, operands, Unknown(home, deps=deps))
        if Sequence in kinds_of:
            return self._sequence_operator(op, operands)
        kinds = {scalar_type(value) for value in operands}
        if kinds <= {"int", "bool"}:
            of_ints = {"truediv": "float", "pow": "number"}
            return Scalar(of_ints.get(op, "bool" if op in COMPARISONS.values() else "int"))
        if kinds <= {"int", "bool", "float"}:
            return Scalar("float")
        if kinds <= {"int", "bool", "float", "complex", "number"}:
            return Scalar("number")
        return Scalar("str" if "str" in kinds else "object")

    def _sequence_operator(self, op: str, operands: list[Value]) -> Value:
        sequences = [value for value in operands if isinstance(value, Sequence)]
        if op in ("add", "or_") and len(sequences) == 2:
            return self.sequence(sequences[0].type, [held(s.element, s) for s in sequences], known=False)
        if op == "mul":
            return replace(sequences[0], items=None, refs=sequences[0].refs | {SHARED})
        return UNKNOWN if not any(map(may_hold_tensor, operands)) else Unknown(EITHER)

    def _boolean(self, node: cst.BooleanOperation, env: Env) -> Value:
        left = self.evaluate(node.left, env)
        self.object_tested(node, left, env)
        return join(left, self._perhaps(node.right, env))

    def _perhaps(self, node: cst.BaseExpression, env: Env) -> Value:
        """The value of `node`, which may not be evaluated: names that it binds may hold what they held."""
        if not any(type(part) is cst.NamedExpr for part in walk(node)):
            return self.evaluate(node, env)
        before = env.copy()
        value = self.evaluate(node, env)
        env.become(before.join(env))
        return value

    def _comparison(self, node: cst.Comparison, env: Env) -> Value:
        left = self.evaluate(node.left, env)
        result: Value = Scalar("bool")
        left_node = node.left
        for item in node.comparisons:
            first = item is node.comparisons[0]  # the others are looked at where those before them hold
            ran = self.ran
            right = (self.evaluate if first else self._perhaps)(item.comparator, env)
            self.read_before(node, left_node, left, ran, env)
            op = COMPARISONS.get(type(item.operator))
            if type(item.operator) not in (cst.Is, cst.IsNot):
                self.ask_parts(node, env, left, right)
            if isinstance(left, Instance) or isinstance(right, Instance):
                if type(item.operator) not in (cst.Is, cst.IsNot):
                    self.beside_object(node, op or "contains", [(left_node, left), (item.comparator, right)])
                    result = self.shown_of_objects(env) if op else result
            elif op is not None:
                compared = self.operator_result(op, [left, right])
                if self.is_numpys(node, [left, right], (left_node, item.comparator)):
                    result = compared
                elif any(
                    may_be_array(value) or (isinstance(value, Sequence) and may_hold_tensor(value))
                    for value in (left, right)
                ):
                    target: cst.BaseExpression = node if len(node.comparisons) == 1 else item.comparator
                    kind = op if len(node.comparisons) == 1 else f"chained {op}"
                    self.emit_operator(ev.Operator(target, self.place(target), kind, (left, right), compared))
                    result = compared
            elif type(item.operator) in (cst.In, cst.NotIn):
                self.search(node, (left_node, left), (item.comparator, right))
            else:
                self.compare_identity(node, (left_node, left), (item.comparator, right))
            left, left_node = right, item.comparator
        return result

    # ---- the rest

    def _conditional(self, node: cst.IfExp, env: Env) -> Value:
        self.object_tested(node, self.evaluate(node.test, env), env)
        body, orelse = self.facts.displays[id(node)] = self._perhaps(node.body, env), self._perhaps(node.orelse, env)
        joined = join(body, orelse)
        missing = none_test(node.test)
        if missing is not None and isinstance(joined, (Array, Unknown)):
            given, new = (orelse, body) if missing[1] else (body, orelse)
            if exact_of(given) == missing[0] and not refs_of(new):
                return replace(joined, exact=missing[0])  # the argument, or what stands in for one that was not given
        return joined

    def _walrus(self, node: cst.NamedExpr, env: Env) -> Value:
        value = self.evaluate(node.value, env)
        if type(node.target) is cst.Name:
            env.bind(node.target.value, value)
            return env.load(node.target.value) or value  # who gets it shares its memory
        return value

    def _starred(self, node: cst.StarredElement, env: Env) -> Value:
        return self.evaluate(node.value, env)

    def _await(self, node: cst.Await, env: Env) -> Value:
        self.evaluate(node.expression, env)
        self.construct(node, "async")
        return UNKNOWN

    def _lambda(self, node: cst.Lambda, env: Env) -> Value:
        name = f"<lambda {id(node)}>"
        inner = self.nested_env(name, node.params, reads(node.body), env)
        puts, worked = len(self.puts_made), self.worked
        self.depth += 1
        result = self.evaluate(node.body, inner)
        self.depth -= 1
        if self.worked > worked:
            self.nested_working.add(name)
        self.leave_nested(puts, {parameter.name.value for parameter in parameters_of(node.params)}, env)
        self.nested_results[name] = result
        if self.made == HOST:
            self.module.lambdas[name] = node
        return Function(name, nested=True, refs=self.default_refs(node.params, env))


def _joined(op: str, operands: list[Value], result: Unknown) -> Unknown:
    """`result` with what it holds if containers among the operands are joined, or one is repeated."""
    containers = [value for value in operands if isinstance(value, Sequence)]
    if not containers or op not in ("add", "or_", "mul"):
        return result
    refs = NO_NAMES.union(*map(refs_of, containers if op == "mul" else operands))
    shared = frozenset((SHARED,)) if op == "mul" and refs else NO_NAMES
    return replace(result, refs=refs | shared, view="view" if refs or op != "mul" else "")


METHODS: dict[type, Callable[..., Value]] = {
    cst.Name: Evaluator._name,
    cst.Integer: Evaluator._literal,
    cst.Float: Evaluator._literal,
    cst.Imaginary: Evaluator._literal,
    cst.SimpleString: Evaluator._string,
    cst.ConcatenatedString: Evaluator._strings,
    cst.FormattedString: Evaluator._formatted,
    cst.Ellipsis: Evaluator._ellipsis,
    cst.Tuple: Evaluator._display,
    cst.List: Evaluator._display,
    cst.Set: Evaluator._display,
    cst.Dict: Evaluator._dict,
    cst.BinaryOperation: Evaluator._binary,
    cst.UnaryOperation: Evaluator._unary,
    cst.BooleanOperation: Evaluator._boolean,
    cst.Comparison: Evaluator._comparison,
    cst.Attribute: Evaluator._attribute,
    cst.Subscript: Evaluator._subscript,
    cst.IfExp: Evaluator._conditional,
    cst.NamedExpr: Evaluator._walrus,
    cst.Await: Evaluator._await,
    cst.Lambda: Evaluator._lambda,
    cst.ListComp: Evaluator.comprehension,
    cst.SetComp: Evaluator.comprehension,
    cst.DictComp: Evaluator.comprehension,
    cst.GeneratorExp: Evaluator.comprehension,
}
