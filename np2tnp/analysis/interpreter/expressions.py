"""Expressions to abstract values: names, literals, displays, operators, comprehensions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.containers import element_of, is_without_numbers, looped_over, sequence_of
from np2tnp.analysis.domain.env import ROUNDS, Env, join, widen
from np2tnp.analysis.domain.promotion_rules import operator_dtypes
from np2tnp.analysis.domain.special_names import asked_by
from np2tnp.analysis.domain.summaries import from_host
from np2tnp.analysis.domain.untensored import TO_NUMBERS, calculated, is_to_numbers, of_operator
from np2tnp.analysis.domain.values import (
    ALL_DTYPES,
    COPIED,
    EITHER,
    HOST,
    KEYWORDS,
    NO_NAMES,
    NOTHING,
    NUMPY,
    REAL,
    SHARED,
    SUBCLASS,
    TENSOR,
    UNKNOWN,
    UNTENSORED,
    Array,
    Const,
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
    has_elements,
    held,
    holds,
    home_of,
    is_array,
    is_python_number,
    is_pythons_own,
    lives_anywhere,
    may_be_array,
    may_hold_object,
    may_hold_tensor,
    outside_of,
    parameters_in,
    python_answers,
    reads_later,
    refs_of,
    replace,
    scalar_type,
)
from np2tnp.analysis.interpreter.access import Access
from np2tnp.analysis.interpreter.closures import Closures
from np2tnp.analysis.interpreter.frame import Frame, Names, Record, Visitor
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.stores import Stores
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.module.subclasses import UNMASKING_METHODS, may_mask
from np2tnp.analysis.syntax.python_tables import BINARY, COMPARISONS, UNARY
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import PARTS, none_test, walk

#: NumPy's bools: there is one True, and people ask for it by ``is``.
_ONLY_BOOLS = frozenset(f"numpy.{name}" for name in ("True_", "False_"))


def _is_bool(value: Value) -> bool:
    """Whether it is one of NumPy's bools for certain, of which there is one True: a tensor is another one each time."""
    return isinstance(value, Array) and value.rank == 0 and value.dtypes == {"?"} and value.zero_d == "scalar"


#: Builtin functions that ask an iterator until they are done, and never again.
_ASKING = frozenset(("all", "any", "dict", "frozenset", "list", "max", "min", "next", "set", "sorted", "sum", "tuple"))
_COMPREHENSIONS: dict[type, str] = {cst.ListComp: "list", cst.SetComp: "set", cst.GeneratorExp: "iterator"}


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


#: Beside each other these are no work of NumPy's, and never become any.
_PLAIN = frozenset((Const, Scalar))


class Expressions:
    """Evaluates names, literals, displays, operators and comprehensions, and emits what happens in them."""

    def __init__(
        self,
        frame: Frame,
        visitor: Visitor,
        record: Record,
        names: Names,
        unseen: UnseenCode,
        placement: Placement,
        access: Access,
        stores: Stores,
        closures: Closures,
    ) -> None:
        self.frame = frame
        self.facts = frame.facts
        self.module = frame.module
        self.visitor = visitor
        self.record = record
        self.names = names
        self.unseen = unseen
        self.placement = placement
        self.access = access
        self.stores = stores
        self.closures = closures

    # ---- names and literals

    def name(self, node: cst.Name, env: Env) -> Value:
        name = node.value
        if name in KEYWORDS:
            return KEYWORDS[name]
        if name in self.module.numpy_names:
            return NUMPY
        stale = env.stale.get(name)
        if stale is not None:
            self.record.emit(ev.StaleRead(node, self.record.place(node), name, stale, env.aliases(name)))
        value = env.load(name)
        if value is not None:
            if self.frame.read_by_iterators:
                self.ask_iterator(node, value, env)
            return self.names.known(value, env) if type(value) is Symbol else value
        value = self.names.outer_value(name, env)
        if isinstance(value, Symbol) and value.name.startswith("numpy."):
            self.record.emit(ev.NameRead(node, self.record.place(node), value.name))
        return value

    def literal(self, node: Any, env: Env) -> Value:
        return constant(node.value) or Scalar("number")

    def string(self, node: cst.SimpleString, env: Env) -> Value:
        return constant(node.value) or Scalar("str")

    def strings(self, node: cst.ConcatenatedString, env: Env) -> Value:
        for part in (node.left, node.right):
            if type(part) is not cst.SimpleString:
                self.visitor.evaluate(part, env)
        return Scalar("str")

    def formatted(self, node: cst.FormattedString, env: Env) -> Value:
        for part in node.parts:
            if type(part) is cst.FormattedStringExpression:
                if part.equal is not None and may_hold_tensor(self.visitor.evaluate(part.expression, env)):
                    self.record.construct(part, ev.Kind.DEBUG_F_STRING)
                reason = "is shown by its repr()" if part.conversion == "r" else "is formatted into a string"
                shown = self.unseen.object_given(part, self.visitor.evaluate(part.expression, env), env, "format")
                self.record.escape(part.expression, shown, reason)
                if part.format_spec:
                    for inner in part.format_spec:
                        if type(inner) is cst.FormattedStringExpression:
                            shown = self.unseen.object_given(
                                inner, self.visitor.evaluate(inner.expression, env), env, "format"
                            )
                            self.record.escape(inner.expression, shown, "is formatted into a string")
        return Scalar("str")

    def ellipsis(self, node: cst.Ellipsis, env: Env) -> Value:
        return Const.of(Ellipsis)

    # ---- displays

    def display(self, node: cst.Tuple | cst.List | cst.Set, env: Env) -> Value:
        kind = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}[type(node)]
        items: list[Value] = []
        known, start, ran = True, self.frame.ran, []
        for element in node.elements:
            value = self.visitor.evaluate(element.value, env)
            ran.append(self.frame.ran)
            if kind == "set":
                self.record.escape(
                    element.value, self.unseen.object_given(element, value, env, "hash"), "is put into a set"
                )
            if type(element) is cst.StarredElement:
                known = False
                value = element_of(self.unseen.object_iterated(element, value, env))
            items.append(value)
        if self.frame.ran > start:
            for element, value, before in zip(node.elements, items, ran, strict=True):
                self.unseen.read_before(node, element.value, value, before, env)
        return sequence_of(kind, items, known)

    def dictionary(self, node: cst.Dict, env: Env) -> Value:
        values: list[Value] = []
        for element in node.elements:
            if type(element) is cst.DictElement:
                key = self.unseen.object_given(element, self.visitor.evaluate(element.key, env), env, "hash")
                self.record.escape(element.key, key, "is a dictionary key")
                values.append(self.visitor.evaluate(element.value, env))
            else:
                spread = self.visitor.evaluate(element.value, env)
                self.unseen.ask_parts(node, env, spread)
                values.append(element_of(self.unseen.object_iterated(node, spread, env)))
        if not values:
            return Sequence("dict", NOTHING)
        self.facts.displays[id(node)] = tuple(values)
        return sequence_of("dict", values, known=False)

    # ---- operators

    def binary(self, node: cst.BinaryOperation, env: Env) -> Value:
        left, ran = self.visitor.evaluate(node.left, env), self.frame.ran
        right = self.visitor.evaluate(node.right, env)
        self.unseen.read_before(node, node.left, left, ran, env)
        op = BINARY[type(node.operator)]
        if op == "mod" and scalar_type(left) == "str":
            if isinstance(right, Sequence) and type(node.right) is cst.Tuple:
                for element, value in zip(node.right.elements, right.items or (), strict=False):
                    shown = self.unseen.object_given(element, value, env, "%")
                    self.record.escape(element.value, shown, "is formatted into a string")
            else:
                shown = self.unseen.object_given(node, right, env, "%")
                self.record.escape(node.right, shown, "is formatted into a string")
            return Scalar("str")
        return self.operate(node, op, [left, right], env)

    def unary(self, node: cst.UnaryOperation, env: Env) -> Value:
        operand = self.visitor.evaluate(node.expression, env)
        if type(node.operator) is cst.Not:
            self.unseen.object_tested(node, operand, env)
            return Scalar("bool")
        op = UNARY[type(node.operator)]
        if isinstance(operand, Const) and is_python_number(operand) and op in ("neg", "pos"):
            return Const.of(-operand.value if op == "neg" else +operand.value)
        return self.operate(node, op, [operand], env)

    def _operate(self, node: cst.BaseExpression, op: str, operands: list[Value], env: Env) -> Value:
        """The result of an operator on `operands`; emits it where an operand may be an array."""
        result = self.operator_result(op, operands)
        self.unseen.ask_parts(node, env, *operands)
        if len(operands) == 2:
            self.unseen.operand_given(node, operands[0], operands[1:], asked_by(node))
            self.unseen.operand_given(node, operands[1], operands[:1], asked_by(node))
        if self.is_numpys(node, operands):
            return result
        kinds = {type(value) for value in operands}
        if kinds <= _PLAIN:
            return result
        if Instance in kinds:
            self.facts.seen.object_operators.add(op)
            result = self.unseen.with_shown(result, env)
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
            self.placement.emit_operator(ev.Operator(node, self.record.place(node), op, tuple(operands), result))
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
        if self.frame.met_subclass and (mark := self.names.subclass_mark(*operands)):
            return Unknown(HOST, mark)
        if Unknown in kinds_of and self.module.defines(op):
            home = EITHER if any(map(may_hold_tensor, operands)) else HOST
            return _joined(op, operands, Unknown(home))  # an object with that operator?
        deps = NO_NAMES.union(*map(deps_of, operands)) if Array in kinds_of or Unknown in kinds_of else NO_NAMES
        if Array in kinds_of:
            home = self._home(op, operands)
            ranks = [
                value.rank if isinstance(value, Array) else 0 if is_python_number(value) else None for value in operands
            ]
            rank = None if None in ranks else max(rank for rank in ranks if rank is not None)
            if op == "matmul":
                rank = {(1, 1): 0, (2, 1): 1, (1, 2): 1, (2, 2): 2}.get(tuple(ranks))  # type: ignore[arg-type]
            weak = _weakness(operands)
            if python_answers(op, operands):
                weak = True
                if home == TENSOR and scalar_type(operands[0]) == "complex":
                    home = EITHER
            keeps = op != "matmul" and any(map(has_axes, operands))
            keeps = keeps or (op == "matmul" and any(rank is not None and rank > 1 for rank in ranks))
            zero_d = "never" if keeps else "scalar"
            return Array(
                home, operator_dtypes(op, operands), rank, deps=deps, weak=weak, zero_d=zero_d,
                nonempty=all(map(has_elements, operands)),
            )  # fmt: skip
        if (
            op == "mul"
            and Sequence in kinds_of
            and any(isinstance(value, Sequence) and is_without_numbers(value) for value in operands)
        ):
            return self._sequence_operator(op, operands)  # only a number repeats it, whatever the other operand is
        if Unknown in kinds_of:
            return _joined(op, operands, Unknown(self._home(op, operands), deps=deps))
        if Sequence in kinds_of:
            return self._sequence_operator(op, operands)
        kinds = {scalar_type(value) for value in operands}
        if kinds <= {"int", "bool"}:
            of_ints = {"truediv": "float", "pow": "int" if _is_whole_power(operands) else "number"}
            kind = of_ints.get(op, "bool" if op in COMPARISONS.values() else "int")
            return Scalar(kind, kind == "int" and all(map(is_pythons_own, operands)))
        if kinds <= {"int", "bool", "float"}:
            return Scalar("float")
        if kinds <= {"int", "bool", "float", "complex", "number"}:
            return Scalar("complex" if "complex" in kinds and "number" not in kinds else "number")
        return Scalar("str" if "str" in kinds else "object")

    def _home(self, op: str, operands: list[Value]) -> str:
        """Where the result of an operator lives.

        What nobody knows stays Python's own beside what lives on the host, too: to bring each to the device would cost
        more than to bring the result there. But a product of matrices is work for a device.
        """
        arrays = [value for value in operands if may_be_array(value)]
        if self.frame.assumed.eager and all(home_of(value) == HOST for value in arrays):
            if op != "matmul" and any(map(_is_of_any_kind, arrays)):
                return HOST
            if op == "matmul" and self.frame.made == TENSOR and any(exact_of(value) is not None for value in arrays):
                return EITHER if all(isinstance(value, Unknown) for value in arrays) else TENSOR
        if self.frame.assumed.eager and lives_anywhere(op, arrays):
            return EITHER
        homes = set(map(self.access.lifted, arrays))
        if homes == {HOST} and self._may_be_given_tensors(arrays):
            return EITHER
        return TENSOR if TENSOR in homes else EITHER if EITHER in homes else HOST

    def _may_be_given_tensors(self, values: list[Value]) -> bool:
        """Whether arrays among `values` are arguments, or what calls made of them, where callers may give tensors."""
        return self.frame.assumed.bare and any(parameters_in(refs_of(value)) for value in values)

    def _sequence_operator(self, op: str, operands: list[Value]) -> Value:
        sequences = [value for value in operands if isinstance(value, Sequence)]
        if op in ("add", "or_") and len(sequences) == 2:
            return sequence_of(sequences[0].type, [held(s.element, s) for s in sequences], known=False)
        if op == "mul":
            return replace(sequences[0], items=None, refs=sequences[0].refs | {SHARED})
        return UNKNOWN if not any(map(may_hold_tensor, operands)) else Unknown(EITHER)

    def boolean(self, node: cst.BooleanOperation, env: Env) -> Value:
        left = self.visitor.evaluate(node.left, env)
        self.unseen.object_tested(node, left, env)
        return join(left, self._perhaps(node.right, env))

    def _perhaps(self, node: cst.BaseExpression, env: Env) -> Value:
        """The value of `node`, which may not be evaluated: names that it binds may hold what they held."""
        if not any(type(part) is cst.NamedExpr for part in walk(node)):
            return self.visitor.evaluate(node, env)
        before = env.copy()
        value = self.visitor.evaluate(node, env)
        env.become(before.join(env))
        return value

    def comparison(self, node: cst.Comparison, env: Env) -> Value:
        left = self.visitor.evaluate(node.left, env)
        result: Value = Scalar("bool")
        left_node = node.left
        for item in node.comparisons:
            first = item is node.comparisons[0]  # the others are looked at where those before them hold
            ran = self.frame.ran
            right = (self.visitor.evaluate if first else self._perhaps)(item.comparator, env)
            self.unseen.read_before(node, left_node, left, ran, env)
            op = COMPARISONS.get(type(item.operator))
            if type(item.operator) not in (cst.Is, cst.IsNot):
                self.unseen.ask_parts(node, env, left, right)
                self.unseen.operand_given(node, right, [left], asked_by(node))
                if op is not None:
                    self.unseen.operand_given(node, left, [right], asked_by(node))
            if isinstance(left, Instance) or isinstance(right, Instance):
                if type(item.operator) not in (cst.Is, cst.IsNot):
                    self.beside_object(node, op or "contains", [(left_node, left), (item.comparator, right)])
                    result = self.unseen.shown_of_objects(env) if op else result
            elif op is not None:
                if self._is_shown_to_objects(node, left, right):
                    for operand, value in ((left_node, left), (item.comparator, right)):
                        self.record.escape(operand, value, "is compared with what may be an object")
                    left, right = from_host(left), from_host(right)
                compared = self.operator_result(op, [left, right])
                if self.is_numpys(node, [left, right], (left_node, item.comparator)):
                    result = compared
                elif any(
                    may_be_array(value) or (isinstance(value, Sequence) and may_hold_tensor(value))
                    for value in (left, right)
                ):
                    target: cst.BaseExpression = node if len(node.comparisons) == 1 else item.comparator
                    kind = op if len(node.comparisons) == 1 else f"chained {op}"
                    self.placement.emit_operator(
                        ev.Operator(target, self.record.place(target), kind, (left, right), compared)
                    )
                    result = compared
            elif type(item.operator) in (cst.In, cst.NotIn):
                self.search(node, (left_node, left), (item.comparator, right))
            else:
                self.compare_identity(node, (left_node, left), (item.comparator, right))
            left, left_node = right, item.comparator
        return result

    def _is_shown_to_objects(self, node: cst.Comparison, left: Value, right: Value) -> bool:
        """Whether Python itself hands a tensor to what may have a comparison of its own: no edit stands between."""
        if isinstance(left, Sequence) and isinstance(right, Sequence):
            return may_hold_object(left) or may_hold_object(right)
        return len(node.comparisons) > 1 and may_hold_object(left) and may_hold_tensor(right)

    # ---- the rest

    def conditional(self, node: cst.IfExp, env: Env) -> Value:
        self.unseen.object_tested(node, self.visitor.evaluate(node.test, env), env)
        body, orelse = self.facts.displays[id(node)] = self._perhaps(node.body, env), self._perhaps(node.orelse, env)
        joined = join(body, orelse)
        missing = none_test(node.test)
        if missing is not None and isinstance(joined, (Array, Unknown)):
            given, new = (orelse, body) if missing[1] else (body, orelse)
            if exact_of(given) == missing[0] and not refs_of(new):
                return replace(joined, exact=missing[0])  # the argument, or what stands in for one that was not given
        return joined

    def walrus(self, node: cst.NamedExpr, env: Env) -> Value:
        value = self.visitor.evaluate(node.value, env)
        if type(node.target) is cst.Name:
            env.bind(node.target.value, value)
            return env.load(node.target.value) or value  # who gets it shares its memory
        return value

    def _starred(self, node: cst.StarredElement, env: Env) -> Value:
        return self.visitor.evaluate(node.value, env)

    def await_(self, node: cst.Await, env: Env) -> Value:
        self.visitor.evaluate(node.expression, env)
        self.record.construct(node, ev.Kind.ASYNC)
        return UNKNOWN

    def operate(self, node: cst.BaseExpression, op: str, operands: list[Value], env: Env) -> Value:
        if id(node) not in self.frame.kept_as_made or any(map(may_hold_tensor, operands)):
            return self._operate(node, op, operands, env)
        made, self.frame.made = self.frame.made, HOST
        try:
            return self._operate(node, op, operands, env)
        finally:
            self.frame.made = made

    # ---- operands that belong to Python or to the program

    def beside_unknown(self, node: cst.BinaryOperation, operands: list[Value]) -> list[Value]:
        """The operands with ndarrays in a container beside what lives on the host: a list of NumPy's world, perhaps."""
        if any(home_of(value) != HOST for value in operands):
            return operands
        for operand, value in zip((node.left, node.right), operands, strict=True):
            self.record.escape(operand, value, "is an operand beside what may be a container")
        return [from_host(value) for value in operands]

    def is_numpys(
        self, node: cst.BaseExpression, operands: list[Value], parts: tuple[cst.BaseExpression, ...] = ()
    ) -> bool:
        """Whether an operator works on an array that no tensor can stand for: all operands are NumPy's then."""
        for value in operands:  # most have no references
            if value.refs and UNTENSORED in value.refs:
                break
        else:
            return False
        if not parts:
            parts = (node.left, node.right) if type(node) is cst.BinaryOperation else ()
            parts = (node.expression,) if type(node) is cst.UnaryOperation else parts
        for operand, value in zip(parts, operands, strict=False):
            self.record.escape(operand, value, "is an operand beside an array that stays NumPy's")
        return True

    def beside_object(self, node: cst.CSTNode, op: str, operands: list[tuple[cst.BaseExpression, Value]]) -> None:
        """An operator of an object of the program's own: its method gets the other operand as NumPy has it."""
        self.facts.seen.object_operators.add(op)
        for index, (_, value) in enumerate(operands):
            if isinstance(value, Instance) and any(may_hold_tensor(other) for _, other in operands):
                for prefix in ("", "r") if index else ("",):
                    self.unseen.object_method(node, value, f"__{prefix}{op.rstrip('_')}__")
        for operand, value in operands:
            self.record.escape(operand, value, "is an operand beside an object")

    def calculated(
        self, node: cst.Call, api: str | None, arguments: tuple[ev.Argument, ...], given: Value, result: Value
    ) -> Value:
        """The result of a call that gets an array which stays NumPy's: of numbers, if that is asked for."""
        name = node.func.attr.value if type(node.func) is cst.Attribute else ""
        if SUBCLASS in given.refs and (name in UNMASKING_METHODS or may_mask(api or "")):
            return result if api else Unknown(HOST, refs_of(given) - {SUBCLASS, UNTENSORED}, view="view")
        if SUBCLASS not in given.refs and name in TO_NUMBERS and is_to_numbers(arguments, name == "astype"):
            return result
        return calculated(result, refs_of(given), HOST if api is not None else "")

    # ---- by identity first

    def search(
        self, node: cst.Comparison, item: tuple[cst.BaseExpression, Value], container: tuple[cst.BaseExpression, Value]
    ) -> None:
        """``item in container``: by identity first, then by ``==``."""
        sought, searched = item[1], container[1]
        kind = searched.type if isinstance(searched, Sequence) else ""
        exactly = kind in ("list", "tuple") and all(map(may_hold_tensor, (sought, searched)))
        # an object whose class nobody knows may change an array that it is asked for
        held = searched.element if isinstance(searched, Sequence) and kind in ("list", "tuple") else searched
        exactly = exactly or (type(held) is Unknown and may_hold_tensor(sought) and is_array(sought))
        if exactly and len(node.comparisons) == 1:
            self.placement.emit_operator(
                ev.Operator(node, self.record.place(node), "contains", (sought, searched), Scalar("bool"))
            )
            return
        if may_hold_tensor(sought):
            self.record.escape(*item, "is looked up with `in`")
        if kind != "dict":  # only its keys are looked at
            self.record.escape(*container, "is searched with `in`")

    def compare_identity(
        self,
        node: cst.Comparison,
        one: tuple[cst.BaseExpression, Value],
        other: tuple[cst.BaseExpression, Value],
    ) -> None:
        """``one is other``: a tensor is none of the objects outside."""
        left, right = one[1], other[1]
        if parameters_in(refs_of(left)) and parameters_in(refs_of(right)):
            self.facts.seen.tells_apart = True
        if may_hold_tensor(left) == may_hold_tensor(right):
            if may_hold_tensor(left) and may_be_array(left) and may_be_array(right):
                self.facts.seen.compares_identities = True
            if _is_bool(left) and _is_bool(right):
                self.record.escape(*one, "is compared by identity")
                self.record.escape(*other, "is compared by identity")
            if COPIED in refs_of(left) | refs_of(right) and refs_of(left) & refs_of(right):
                self.record.construct(node, ev.Kind.IDENTITY)
            return
        inside, outside = (left, right) if may_hold_tensor(left) else (right, left)
        if isinstance(outside, Symbol) and outside.name in _ONLY_BOOLS:
            self.record.escape(*(one if inside is left else other), f"is compared with {outside.name}")
        if refs_of(left) & refs_of(right):
            self.record.construct(node, ev.Kind.IDENTITY)
        elif may_be_array(outside) and (
            refs_of(outside) if isinstance(outside, Array) else outside_of(refs_of(outside))
        ):
            given = parameters_in(refs_of(inside))
            self.facts.host_parameters |= given  # the caller's own object, which may be that one
            if not given and isinstance(outside, Array):
                self.record.construct(node, ev.Kind.IDENTITY)

    # ---- comprehensions and generator expressions

    def comprehension(self, node: Any, env: Env) -> Value:
        bound = frozenset(_bound_outside(node))
        if not bound:
            value = self._comprehension(node, env, inner := env.copy())
            # each item is made after what the ones before it updated
            if self.closures.leave_stale(inner, frozenset(_targets_of(node.for_in)), env):
                value = self._comprehension(node, env, env.copy())
            return value
        if type(node) is cst.GeneratorExp and not self._is_asked_at_once(node):
            self.record.construct(
                node, ev.Kind.NONLOCAL, ", ".join(sorted(bound))
            )  # at what time these names change is not known
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
        puts, worked = len(self.frame.puts_made), self.frame.worked
        first = self._iterated(node.for_in, inner)
        value, kind = self._each(node, first, inner)
        if self.frame.worked > worked:  # each item is made after what ran for those before it
            value, kind = self._each(node, first, inner)
            self.unseen.code_runs(node, "a comprehension", env)
            self.frame.lazy_works |= type(node) is cst.GeneratorExp
        for name in self.frame.captured_inside:
            self.closures.may_be_filled(name, env)
        if not self.frame.comprehended:
            self.frame.captured_inside.clear()
        self.closures.leave_nested(puts, NO_NAMES, env)
        refs = refs_of(value)
        if refs and not _gives_each_once(node):
            refs |= {SHARED}
        if type(node) is cst.GeneratorExp:
            # it runs later: what it reads must still be what it is now
            refs |= self.closures.read_later({part.value for part in walk(node) if type(part) is cst.Name}, env)
        return Sequence(
            kind, value, None, frozenset(ref for ref in refs if ref in env.values or not ref.isidentifier())
        )

    def _each(self, node: Any, iterated: Value, inner: Env) -> tuple[Value, str]:
        """One item, and the kind of what holds all of them."""
        self._clauses(node.for_in, iterated, inner)
        self.frame.depth += 1
        self.frame.comprehended += 1
        if type(node) is cst.DictComp:
            key = self.visitor.evaluate(node.key, inner)
            self.unseen.ask_parts(node, inner, key)
            self.record.escape(node.key, key, "is a dictionary key")
            value, kind = self.visitor.evaluate(node.value, inner), "dict"
        else:
            value, kind = self.visitor.evaluate(node.elt, inner), _COMPREHENSIONS[type(node)]
            if kind == "set":
                self.unseen.ask_parts(node, inner, value)
            if kind == "set" and may_hold_tensor(value):
                self.record.escape(node.elt, value, "is an item of a set")
                value = from_host(value)
        self.frame.depth -= 1
        self.frame.comprehended -= 1
        return value, kind

    def _is_asked_at_once(self, node: cst.GeneratorExp) -> bool:
        """Whether a function of Python's that keeps no iterator gets it: ``any(... for ...)``."""
        return self.frame.statement is not None and any(
            type(part) is cst.Call
            and type(part.func) is cst.Name
            and part.func.value in _ASKING
            and any(argument.value is node for argument in part.args)
            for part in walk(self.frame.statement)
        )

    def ask_iterator(self, node: cst.Name, value: Value, env: Env) -> None:
        """`node` is read: what iterators in its `value` read by name must be what NumPy shows by now."""
        if reads_later(value) or (isinstance(value, Sequence) and holds(value, reads_later)):
            for name in sorted(self.frame.read_by_iterators & env.stale.keys()):
                self.record.emit(ev.StaleRead(node, self.record.place(node), name, env.stale[name], env.aliases(name)))

    def _iterated(self, clause: cst.CompFor, inner: Env) -> Value:
        iterated = self.unseen.object_iterated(clause.iter, self.visitor.evaluate(clause.iter, inner), inner)
        self.facts.comprehended[id(clause)] = iterated
        return iterated

    def _clauses(self, clause: cst.CompFor, iterated: Value, inner: Env) -> None:
        self.frame.loops += 1
        self.stores.bind_target(clause.target, looped_over(iterated), inner)
        for condition in clause.ifs:
            self.unseen.object_tested(condition, self.visitor.evaluate(condition.test, inner), inner)
        if clause.inner_for_in is not None:
            self._clauses(clause.inner_for_in, self._iterated(clause.inner_for_in, inner), inner)
        self.frame.loops -= 1


def _is_whole_power(operands: list[Value]) -> bool:
    """Whether an integer is raised to a literal power that leaves it one."""
    power = operands[-1]
    return isinstance(power, Const) and power.type == "int" and power.value >= 0


def _weakness(operands: list[Value]) -> bool | str:
    """What may stand for the result of an operator on `operands` that an array otherwise is: REAL numbers, or any."""
    kinds: set[bool | str] = set()
    for value in operands:
        if isinstance(value, Array):
            kinds.add(value.weak)
        else:
            kinds.add(is_python_number(value) and (REAL if scalar_type(value) in ("int", "float") else True))
    return False if False in kinds else REAL if kinds == {REAL} else True


def _is_of_any_kind(value: Value) -> bool:
    """Whether nothing is known of `value`, but that it may be an array or a number."""
    return isinstance(value, Unknown) or (isinstance(value, Array) and bool(value.weak) and value.dtypes == ALL_DTYPES)


def _joined(op: str, operands: list[Value], result: Unknown) -> Unknown:
    """`result` with what it holds if containers among the operands are joined, or one is repeated."""
    containers = [value for value in operands if isinstance(value, Sequence)]
    if not containers or op not in ("add", "or_", "mul"):
        return result
    refs = NO_NAMES.union(*map(refs_of, containers if op == "mul" else operands))
    shared = frozenset((SHARED,)) if op == "mul" and refs else NO_NAMES
    return replace(result, refs=refs | shared, view="view" if refs or op != "mul" else "")
