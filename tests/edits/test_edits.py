"""Code that is made: precedence, parentheses, commas and strings survive every combination."""

from __future__ import annotations

import ast

import libcst as cst
import pytest

from np2tnp.edits import build
from np2tnp.edits.mutation import NotStorable, is_storable, rebind, store


def expression(text: str) -> cst.BaseExpression:
    return cst.parse_expression(text)


def code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


@pytest.mark.parametrize(
    ("target", "op", "expected"),
    [
        ("x[0]", "", "x = rt.at(x)[0].set(v)"),
        ("x[1:-1, ::2]", "", "x = rt.at(x)[1:-1, ::2].set(v)"),
        ("x[m]", "add", "x = rt.at(x)[m].add(v)"),
        ("x[0]", "and_", "x = rt.at(x)[0].bitwise_and(v)"),
        ("x", "truediv", "x = rt.itruediv(x, v)"),
        ("x", "or_", "x = rt.ior(x, v)"),
        ("x[0][1]", "", "x = rt.at(x)[0].set(rt.at(x[0])[1].set(v))"),
        ("x.T[0]", "", "x = tnp.transpose(rt.at(x.T)[0].set(v))"),
        ("x.flat[0]", "mul", "x = rt.reshape(rt.at(rt.ravel(x))[0].multiply(v), rt.shape(x))"),
    ],
)
def test_stores_become_rebindings(target: str, op: str, expected: str) -> None:
    assert code(store(expression(target), expression("v"), op, "rt", "tnp")) == expected


def test_an_attribute_can_be_assigned_to_where_a_rule_says_so() -> None:
    target = expression("self.x[0]")
    assert not is_storable(target)  # no name that a function returns
    assert code(store(target, expression("v"), "", "rt", "tnp")) == "self.x = rt.at(self.x)[0].set(v)"


@pytest.mark.parametrize("target", ["f(x)[0]", "(a + b)[0]"])
def test_what_has_no_name_cannot_be_stored(target: str) -> None:
    assert not is_storable(expression(target))
    with pytest.raises(NotStorable):
        rebind(expression(target), lambda base: base, "rt", "tnp")


@pytest.mark.parametrize(
    "text",
    ["a + b", "(a + b)", "a if c else b", "lambda: 0", "(yield)", "(a := 1)", "a, b", "(a, b)", "(i for i in a)", "-a",
     "not a", "(\n    a\n    + b\n)", "await_", "'x' 'y'", "[*a]", "a < b < c"],
)  # fmt: skip
def test_any_expression_can_be_an_argument(text: str) -> None:
    """The call has one argument, and it means what the expression meant."""
    made = code(build.call("rt.host", expression(text)))
    call = ast.parse(made, mode="eval").body
    assert isinstance(call, ast.Call)
    assert len(call.args) == 1
    assert not call.keywords
    assert ast.dump(call.args[0]) == ast.dump(ast.parse(f"({text})", mode="eval").body)


@pytest.mark.parametrize("text", ["a + b", "-a", "a if c else b", "not a", "lambda: 0", "a", "f(a)", "a[0]", "1"])
def test_any_expression_can_stand_left_of_a_dot(text: str) -> None:
    made = ast.parse(code(cst.Attribute(build.primary(expression(text)), cst.Name("T"))), mode="eval").body
    assert isinstance(made, ast.Attribute)
    assert ast.dump(made.value) == ast.dump(ast.parse(f"({text})", mode="eval").body)


@pytest.mark.parametrize("text", ["", "a", 'a"b', "a\\b", "é"])
def test_strings_are_quoted(text: str) -> None:
    assert ast.literal_eval(code(build.string(text))) == text


@pytest.mark.parametrize("items", [("a",), ("a", "b"), ("a", "b", "c")])
def test_tuples_of_strings_are_tuples(items: tuple[str, ...]) -> None:
    assert ast.literal_eval(code(build.strings_tuple(items))) == items
