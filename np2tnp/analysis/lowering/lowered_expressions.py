"""Expressions of Python's own tree as libcst's nodes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from np2tnp.analysis.lowering.nodes import ArgumentPlace, Places, Unsupported, maker, own_parentheses

# --- String literals of Python's own tree as libcst's nodes: the text as it is written, each joined piece a node

_STRING = re.compile(
    rb"[A-Za-z]{0,2}(?:"
    rb'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    rb"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    rb'|"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"'
    rb"|'[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*')",
    re.DOTALL,
)
#: What may stand between two strings that Python joins.
_GAP = re.compile(rb"(?:[ \t\r\n\\]|#[^\r\n]*)*")


_simple_string = maker(cst.SimpleString, "value")
_concatenated = maker(cst.ConcatenatedString, "left", "right")


def lower_string(places: Places, node: ast.Constant) -> Any:
    """One string, or several that Python joins; those nest to the right, as libcst has them."""
    data = places.data
    start, end = places.extent(node)
    match = _STRING.match(data, start)
    if match is not None and match.end() == end:
        return _simple_string(match.group().decode())
    parts = []
    while start < end:
        match = _STRING.match(data, start)
        if match is None:
            raise Unsupported("string")
        parts.append(_simple_string(match.group().decode()))
        gap = _GAP.match(data, match.end())
        assert gap is not None  # it may be empty
        start = gap.end()
    made = parts.pop()
    while parts:
        made = _concatenated(parts.pop(), made)
    return made


def lower_formatted(places: Places, node: ast.JoinedStr) -> Any:
    """What libcst makes of an f-string: before Python 3.12 nobody else says where something in it stands."""
    try:
        made = cst.parse_expression(f"({places.segment(node).decode()})")
    except cst.ParserSyntaxError:
        raise Unsupported("f-string") from None
    places.foreign.append((made, node))
    return made


_attribute = maker(cst.Attribute, "value", "attr")
_name = maker(cst.Name, "value")
_call = maker(cst.Call, "func", "args")
_argument = maker(cst.Arg, "value", "keyword", "star")
_subscript = maker(cst.Subscript, "value", "slice")
_subscript_element = maker(cst.SubscriptElement, "slice")
_index = maker(cst.Index, "value", "star")
_slice = maker(cst.Slice, "lower", "upper", "step")
_element = maker(cst.Element, "value")
_starred = maker(cst.StarredElement, "value")
_dict_element = maker(cst.DictElement, "key", "value")
_starred_dict_element = maker(cst.StarredDictElement, "value")
_dict = maker(cst.Dict, "elements")
_binary = maker(cst.BinaryOperation, "left", "operator", "right")
_boolean = maker(cst.BooleanOperation, "left", "operator", "right")
_unary = maker(cst.UnaryOperation, "operator", "expression")
_comparison = maker(cst.Comparison, "left", "comparisons")
_comparison_target = maker(cst.ComparisonTarget, "operator", "comparator")
_if_expression = maker(cst.IfExp, "test", "body", "orelse")
_lambda = maker(cst.Lambda, "params", "body")
_named = maker(cst.NamedExpr, "target", "value")
_await = maker(cst.Await, "expression")
_yield = maker(cst.Yield, "value")
make_from = maker(cst.From, "item")
_comp_for = maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in", "asynchronous")
_comp_if = maker(cst.CompIf, "test")
_dict_comp = maker(cst.DictComp, "key", "value", "for_in")
_parameters = maker(cst.Parameters, "params", "star_arg", "kwonly_params", "star_kwarg", "posonly_params")
_parameter = maker(cst.Param, "name", "annotation", "default", "star")
make_annotation = maker(cst.Annotation, "annotation")

_DISPLAYS = {ast.List: maker(cst.List, "elements"), ast.Set: maker(cst.Set, "elements")}
_tuple = maker(cst.Tuple, "elements")
_COMPREHENSIONS = {
    ast.ListComp: maker(cst.ListComp, "elt", "for_in"),
    ast.SetComp: maker(cst.SetComp, "elt", "for_in"),
    ast.GeneratorExp: maker(cst.GeneratorExp, "elt", "for_in"),
}
_NUMBERS = {
    int: maker(cst.Integer, "value"),
    float: maker(cst.Float, "value"),
    complex: maker(cst.Imaginary, "value"),
}
#: Nothing is asked of an operator but its type, so one of each is enough.
_BINARY: dict[type, cst.BaseBinaryOp] = {
    ast.Add: cst.Add(), ast.Sub: cst.Subtract(), ast.Mult: cst.Multiply(), ast.MatMult: cst.MatrixMultiply(),
    ast.Div: cst.Divide(), ast.Mod: cst.Modulo(), ast.Pow: cst.Power(), ast.LShift: cst.LeftShift(),
    ast.RShift: cst.RightShift(), ast.BitOr: cst.BitOr(), ast.BitXor: cst.BitXor(), ast.BitAnd: cst.BitAnd(),
    ast.FloorDiv: cst.FloorDivide(),
}  # fmt: skip
_UNARY: dict[type, cst.BaseUnaryOp] = {
    ast.Invert: cst.BitInvert(), ast.Not: cst.Not(), ast.UAdd: cst.Plus(), ast.USub: cst.Minus(),
}  # fmt: skip
_COMPARISONS: dict[type, cst.BaseCompOp] = {
    ast.Eq: cst.Equal(), ast.NotEq: cst.NotEqual(), ast.Lt: cst.LessThan(), ast.LtE: cst.LessThanEqual(),
    ast.Gt: cst.GreaterThan(), ast.GtE: cst.GreaterThanEqual(), ast.Is: cst.Is(), ast.IsNot: cst.IsNot(),
    ast.In: cst.In(), ast.NotIn: cst.NotIn(),
}  # fmt: skip
_BOOLEAN: dict[type, cst.BaseBooleanOp] = {ast.And: cst.And(), ast.Or: cst.Or()}
ASYNCHRONOUS = cst.Asynchronous()


class Expressions:
    """Lowers the expressions of one text, and remembers where each node stands."""

    def __init__(self, text: str) -> None:
        self.places = Places(text)
        self.at = self.places.at

    def expression(self, node: ast.expr) -> Any:
        """The libcst node for `node`. Raises Unsupported."""
        made = _METHODS[type(node)](self, node)
        self.at[id(made)] = node
        return made

    def optional(self, node: ast.expr | None) -> Any:
        return None if node is None else self.expression(node)

    def _name(self, node: ast.Name) -> Any:
        return _name(node.id)

    def _attribute(self, node: ast.Attribute) -> Any:
        return _attribute(self.expression(node.value), _name(node.attr))

    def _constant(self, node: ast.Constant) -> Any:
        value = node.value
        kind = type(value)
        if kind is str or kind is bytes:
            return lower_string(self.places, node)
        if kind in _NUMBERS:
            return _NUMBERS[kind](self.places.segment(node).decode())
        return cst.Ellipsis() if value is Ellipsis else _name(str(value))

    def _formatted(self, node: ast.JoinedStr) -> Any:
        return lower_formatted(self.places, node)

    # ---- calls and subscripts

    def _call(self, node: ast.Call) -> Any:
        return _call(self.expression(node.func), self.arguments(node, node.args, node.keywords))

    def arguments(
        self, call: ast.expr | ast.stmt, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]
    ) -> list[Any]:
        """The arguments of `call` in the order in which they are written."""
        made = []
        for value in args:
            if type(value) is ast.Starred:
                item = _argument(self.expression(value.value), None, "*")
                self.at[id(item)] = value
            else:
                item = _argument(self.expression(value), None, "")
                self.at[id(item)] = ArgumentPlace(call, value)
            made.append(item)
        for keyword in keywords:
            name = None if keyword.arg is None else _name(keyword.arg)
            item = _argument(self.expression(keyword.value), name, "**" if name is None else "")
            self.at[id(item)] = keyword
            made.append(item)
        if keywords and args and _start(args[-1]) > _start(keywords[0]):
            sources: list[ast.expr | ast.keyword] = [*args, *keywords]
            made = [made[index] for index in sorted(range(len(made)), key=lambda index: _start(sources[index]))]
        return made

    def _subscript(self, node: ast.Subscript) -> Any:
        key = node.slice
        if type(key) is ast.Tuple and key.elts and not own_parentheses(self.places, key, key.elts):
            elements = [self._subscript_element(item) for item in key.elts]
        else:
            elements = [self._subscript_element(key)]
        return _subscript(self.expression(node.value), elements)

    def _subscript_element(self, node: ast.expr) -> Any:
        if type(node) is ast.Slice:
            key = _slice(self.optional(node.lower), self.optional(node.upper), self.optional(node.step))
        elif type(node) is ast.Starred:
            key = _index(self.expression(node.value), "*")
        else:
            key = _index(self.expression(node), None)
        return _subscript_element(key)

    # ---- displays

    def _display(self, node: ast.List | ast.Set) -> Any:
        return _DISPLAYS[type(node)](self.elements(node.elts))

    def _tuple(self, node: ast.Tuple) -> Any:
        return _tuple(self.elements(node.elts))

    def elements(self, nodes: Sequence[ast.expr]) -> list[Any]:
        return [
            _starred(self.expression(node.value)) if type(node) is ast.Starred else _element(self.expression(node))
            for node in nodes
        ]

    def targets(self, nodes: Sequence[ast.expr]) -> Any:
        """The targets of ``del``: one node."""
        return self.expression(nodes[0]) if len(nodes) == 1 else _tuple(self.elements(nodes))

    def _dict(self, node: ast.Dict) -> Any:
        return _dict(
            [
                _starred_dict_element(self.expression(value))
                if key is None
                else _dict_element(self.expression(key), self.expression(value))
                for key, value in zip(node.keys, node.values, strict=True)
            ]
        )

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
        return _COMPREHENSIONS[type(node)](self.expression(node.elt), self._clauses(node.generators))

    def _dict_comprehension(self, node: ast.DictComp) -> Any:
        return _dict_comp(self.expression(node.key), self.expression(node.value), self._clauses(node.generators))

    def _clauses(self, clauses: Sequence[ast.comprehension]) -> Any:
        inner = None
        for clause in reversed(clauses):
            inner = _comp_for(
                self.expression(clause.target),
                self.expression(clause.iter),
                [_comp_if(self.expression(test)) for test in clause.ifs],
                inner,
                ASYNCHRONOUS if clause.is_async else None,
            )
        return inner

    # ---- operators

    def _binary(self, node: ast.BinOp) -> Any:
        return _binary(self.expression(node.left), _BINARY[type(node.op)], self.expression(node.right))

    def _unary(self, node: ast.UnaryOp) -> Any:
        return _unary(_UNARY[type(node.op)], self.expression(node.operand))

    def _boolean(self, node: ast.BoolOp) -> Any:
        first, *rest = node.values
        operator = _BOOLEAN[type(node.op)]
        made = self.expression(first)
        for value in rest:
            made = _boolean(made, operator, self.expression(value))
        return made

    def _comparison(self, node: ast.Compare) -> Any:
        return _comparison(
            self.expression(node.left),
            [
                _comparison_target(_COMPARISONS[type(op)], self.expression(right))
                for op, right in zip(node.ops, node.comparators, strict=True)
            ],
        )

    # ---- the rest

    def _conditional(self, node: ast.IfExp) -> Any:
        return _if_expression(self.expression(node.test), self.expression(node.body), self.expression(node.orelse))

    def _walrus(self, node: ast.NamedExpr) -> Any:
        return _named(self.expression(node.target), self.expression(node.value))

    def _await(self, node: ast.Await) -> Any:
        return _await(self.expression(node.value))

    def _yield(self, node: ast.Yield) -> Any:
        return _yield(self.optional(node.value))

    def _yield_from(self, node: ast.YieldFrom) -> Any:
        return _yield(make_from(self.expression(node.value)))

    def _lambda(self, node: ast.Lambda) -> Any:
        return _lambda(self.parameters(node.args), self.expression(node.body))

    def parameters(self, node: ast.arguments) -> Any:
        """The parameters of a function or lambda."""
        plain = [*node.posonlyargs, *node.args]
        defaults: list[ast.expr | None] = [None] * (len(plain) - len(node.defaults))
        made = [
            self._parameter(item, default) for item, default in zip(plain, [*defaults, *node.defaults], strict=True)
        ]
        keyword_only = [
            self._parameter(item, default) for item, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
        ]
        star: Any = cst.MaybeSentinel.DEFAULT
        if node.vararg is not None:
            star = self._parameter(node.vararg, None, "*")
        elif keyword_only:
            star = cst.ParamStar()
        count = len(node.posonlyargs)
        return _parameters(
            made[count:],
            star,
            keyword_only,
            None if node.kwarg is None else self._parameter(node.kwarg, None, "**"),
            made[:count],
        )

    def _parameter(self, node: ast.arg, default: ast.expr | None, star: str = "") -> Any:
        annotation = None if node.annotation is None else make_annotation(self.expression(node.annotation))
        return _parameter(self.name(node.arg), annotation, self.optional(default), star)

    def name(self, text: str) -> Any:
        """A name whose place nobody asks for."""
        return _name(text)

    def dotted(self, text: str) -> Any:
        """``a.b.c`` in an import."""
        first, *rest = text.split(".")
        made = _name(first)
        for part in rest:
            made = _attribute(made, _name(part))
        return made


def _start(node: ast.expr | ast.keyword) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _never(self: Expressions, node: ast.expr) -> Any:
    raise Unsupported(type(node).__name__)


class _Methods(dict[type, Callable[[Expressions, Any], Any]]):
    """By type of node. What Python may have learnt since is left to libcst."""

    def __missing__(self, kind: type) -> Callable[[Expressions, Any], Any]:
        return _never


_METHODS = _Methods(
    {
        ast.Name: Expressions._name,
        ast.Attribute: Expressions._attribute,
        ast.Constant: Expressions._constant,
        ast.JoinedStr: Expressions._formatted,
        ast.Call: Expressions._call,
        ast.Subscript: Expressions._subscript,
        ast.List: Expressions._display,
        ast.Set: Expressions._display,
        ast.Tuple: Expressions._tuple,
        ast.Dict: Expressions._dict,
        ast.ListComp: Expressions._comprehension,
        ast.SetComp: Expressions._comprehension,
        ast.GeneratorExp: Expressions._comprehension,
        ast.DictComp: Expressions._dict_comprehension,
        ast.BinOp: Expressions._binary,
        ast.UnaryOp: Expressions._unary,
        ast.BoolOp: Expressions._boolean,
        ast.Compare: Expressions._comparison,
        ast.IfExp: Expressions._conditional,
        ast.NamedExpr: Expressions._walrus,
        ast.Await: Expressions._await,
        ast.Yield: Expressions._yield,
        ast.YieldFrom: Expressions._yield_from,
        ast.Lambda: Expressions._lambda,
    }
)
