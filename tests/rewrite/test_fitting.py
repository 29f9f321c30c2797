"""Lines that are made too wide are broken as Black breaks them, and mean what they meant."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import libcst as cst
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.rewrite.fitting import fitted, width_of

PROGRAMS = sorted((Path(__file__).parents[2] / "fixtures" / "programs").glob("*.py"))


def fit(statement: str, width: int = 40, before: str = "") -> str:
    """`statement` in a function, with its lines fitted."""
    text = "def f():\n" + textwrap.indent(textwrap.dedent(statement).strip("\n"), "    ") + "\n"
    module = cst.parse_module(text)
    new = fitted(module, before, 0, width).code
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(text))
    return textwrap.dedent(new.removeprefix("def f():\n")).strip("\n")


CASES = [
    # arguments on a line of their own, then one a line
    ("y = function(first, second, third_one)", "y = function(\n    first, second, third_one\n)"),
    (
        "y = function(first_argument, second_argument, third)",
        "y = function(\n    first_argument,\n    second_argument,\n    third,\n)",
    ),
    ("y = outer(function(first_argument * second))", None),
    ("total = outer(function(first_one + second_one))", "total = outer(\n    function(first_one + second_one)\n)"),
    ("x = rt.at(x)[1:-1].set(0.5 * (x[:-2] + x[2:]))", "x = rt.at(x)[1:-1].set(\n    0.5 * (x[:-2] + x[2:])\n)"),
    ("y = f(first_one, key=function(second))[0]", "y = f(\n    first_one, key=function(second)\n)[0]"),
    # operators at the beginning of lines
    ("total = first + the_second - the_third_1", "total = (\n    first + the_second - the_third_1\n)"),
    (
        "return first_operand * 2 + second_operand - third_operand",
        "return (\n    first_operand * 2\n    + second_operand\n    - third_operand\n)",
    ),
    ("y = -function(first_argument, second_one)", "y = -function(\n    first_argument, second_one\n)"),
    ("if first_one(x) and (second_one(x) or third):\n    pass", None),
    ("while function(first_argument) < other(second):\n    pass", None),
    ("for i in function(first_argument, second_one):\n    pass", None),
    # displays and comprehensions
    ("return first_one, second_one, the_third", "return (\n    first_one, second_one, the_third\n)"),
    ("y = {first: 1, second: 2, third: 3, fourth: 4}", None),
    ("y = [function(item, 1) for item in items if item]", None),
    ("y = {key: function(item) for key, item in items}", None),
    ("y = sum(function(item, 1) for item in all_the_items)", None),
    ("y = function(item) if condition(item) else other", None),
    ("y = x[first_index_of_all, second_index : third]", None),
    ("x = y = function(first_argument, second_one)", None),
    ("x[first : second] += function(first, second)", None),
    ("x: int = function(first_argument, second_one)", None),
    ("function(*first_argument, **second_argument)", None),
    ("y = f(lambda x: x + 1, key=(yield first_argument))", None),
    ("y = a_long_name.with_an_attribute[0].another()", None),
    # line breaks where they were made for another text
    ("y = rt.op_mul(first,\n              second)", "y = rt.op_mul(first, second)"),
    ("return(a\n    + rt.op_mul(b, c))", "return(a + rt.op_mul(b, c))"),
    ("if(a\n    + rt.op_mul(b, c)):\n    pass", "if(a + rt.op_mul(b, c)):\n    pass"),
    ("y = (a\n    + rt.op_mul(b, c))", "y = a + rt.op_mul(b, c)"),
    ("y = rt.op_mul(first, \\\n    second)", "y = rt.op_mul(first, second)"),
]


@pytest.mark.parametrize(("statement", "expected"), CASES)
def test_a_statement_is_broken(statement, expected):
    new = fit(statement)
    if expected is not None:
        assert new == expected
    if "with_an_attribute" not in statement:
        assert max(map(len, new.splitlines())) + 4 <= 40
    assert fit(new) == new


@pytest.mark.parametrize(
    "statement",
    [
        "y = function(first_argument,  # why\n             second_argument)",
        'y = function("""one\ntwo and many more than that""", 1, 2)',
        "y = 'a text of one piece that nobody can break into lines'",
    ],
)
def test_what_cannot_be_broken_well_stays(statement):
    assert fit(statement) == statement


def test_lines_of_the_file_stay():
    line = "y = function(first_argument, second_argument, third)"
    assert fit(line, before=line) == line


@pytest.mark.parametrize(("widest", "width"), [(10, 88), (75, 79), (79, 79), (80, 88), (100, 100), (500, 120)])
def test_the_width_is_that_of_the_file(widest, width):
    assert width_of("x\n" + "y" * widest) == width


@pytest.mark.parametrize("path", PROGRAMS[::11], ids=lambda path: path.stem)
def test_programs_mean_the_same_on_lines_that_fit(path, monkeypatch):
    text = path.read_text()
    config = Config(rewrite=True)
    new = analyze(Source(path.name, text), config).new_text
    monkeypatch.setattr("np2tnp.engine.fitted", lambda node, *rest: node)
    wide = analyze(Source(path.name, text), config).new_text
    assert new is not None
    assert wide is not None
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(wide))
    old = set(map(str.strip, text.splitlines()))
    too_wide = [line for line in new.splitlines() if len(line) > width_of(text) and line.strip() not in old]
    assert [line for line in too_wide if not line.strip().startswith(('f"', "h = lambda"))] == []
