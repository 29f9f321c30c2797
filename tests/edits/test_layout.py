"""Line breaks and comments of rewritten code: people's own stay, and what is made is no wider than theirs."""

from __future__ import annotations

import io
import textwrap
import tokenize

import pytest

from np2tnp.config import Config
from np2tnp.edits.layout import width_of
from np2tnp.engine import analyze
from np2tnp.files.source import Source


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def after(text: str) -> str:
    source = Source("snippet.py", "import numpy as np\n\n" + textwrap.dedent(text))
    new = analyze(source, Config(rewrite=True, on_unverified="raise")).new_text
    assert new is not None
    compile(new, "<rewritten>", "exec")
    return new


def test_an_operation_over_several_lines_stays_so():
    new = after(
        """
        def f(x, y, c):
            return (
                y.v  # the shift
                # and then
                >> np.sum(x)
            )
        """
    )
    assert (
        textwrap.indent(
            textwrap.dedent(
                """\
            return rt.op_rshift(
                y.v,  # the shift
                # and then
                tnp.sum(x)
            )
            """
            ),
            "    ",
        )
        in new
    )


def test_a_line_break_after_the_operator_stays_there():
    new = after("def f(x, y):\n    return (y.v >> # over\n        x.sum(axis=0))\n")
    assert "rt.op_rshift(y.v, # over\n        tnp.sum(x, axis=0))" in new


STATEMENTS = (
    "y = (\n    x.reshape(2, -1)\n    .sum(axis=0)  # chained\n    .mean()\n)",
    "if (x.sum() > 3  # one\n        and x.max() < 10):  # two\n    x = x + 1  # three\ny = x",
    "y = ((x  # inner\n      + x) / (  # outer\n    x))",
    "x[0] = (x[0]  # zero\n        + x[1])  # one\ny = x",
    "x[1:] += (  # in place\n    x[:-1] /\n    # the rest\n    x[1:]\n)\ny = x",
    "for i in range(len(x) - 1):  # all\n    # element\n    x[i] = (x[i]  # now\n            * 2)\ny = x",
    "y = np.where(\n    x > 0,  # where\n    x,\n    # else\n    -x,\n)",
    "while (x.sum()  # so long\n       < 3):\n    x = x + 1\ny = x",
    "y = x.copy(  # nothing\n)",
    "y = z = (x  # twice\n         // 2)",
    "y, z = (x  # first\n        // 2), x",
)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_no_comment_is_lost(statement):
    text = "def f(x: np.ndarray):\n" + textwrap.indent(statement, "    ") + "\n    return y * 2  # last\n"
    new = after(text)
    assert "@rt.migrated" in new
    assert sorted(comments(new)) == sorted(comments(text))


def test_a_comment_without_a_place_stands_above_its_statement():
    chain = "x\n        .sum(axis=0)  # rows\n        .mean()"
    new = after(f"def f(x: np.ndarray):\n    y = (\n        {chain}\n    )\n    return y\n")
    assert "    # rows\n    y = (" in new


def test_a_long_decorator_has_a_line_for_each_argument():
    names = [f"quite_a_long_name_{number}" for number in range(5)]
    new = after(f"class A:\n    def f(self, {', '.join(names)}):\n        return ({' + '.join(names)}).sum()\n")
    assert f'    @rt.migrated(\n        no_lists="{", ".join(names)}",\n    )\n    def f(' in new


def test_a_short_decorator_has_one_line():
    assert '@rt.migrated(no_lists="x")\n' in after("def f(x):\n    return x.sum()\n")


def test_lists_of_names_in_a_long_decorator_have_a_line_each() -> None:
    text = """
import numpy as np


class Grid:
    def show(self, data, first_name, second_name, third_name, fourth_name, fifth_name, plot):
        plot(first_name, second_name, third_name, fourth_name, fifth_name)
        return np.exp(data)
"""
    new = analyze(Source("snippet.py", text), Config(rewrite=True, on_unverified="numpy")).new_text
    assert new is not None
    lines = new.splitlines()
    assert '    hosted="first_name, second_name, third_name, fourth_name, fifth_name",' in lines
    assert '    changes="@fifth_name, @first_name, @fourth_name, @second_name, @third_name",' in lines


@pytest.mark.parametrize(("widest", "width"), [(10, 88), (75, 79), (79, 79), (80, 88), (100, 100), (500, 120)])
def test_the_width_is_that_of_the_file(widest, width):
    assert width_of("x\n" + "y" * widest) == width


def test_a_formula_keeps_its_shape():
    formula = (
        "np.cumsum(first_operand, axis=0) / np.cumsum(second_operand, axis=0) ** 2 + np.sort(first_operand, axis=0)"
    )
    new = after(f"def f(first_operand: np.ndarray, second_operand: np.ndarray):\n    return ({formula})\n")
    (line,) = [line for line in new.splitlines() if line.startswith("    return") and "tnp.cumsum" in line]
    assert line.count("cumsum(") == 2
