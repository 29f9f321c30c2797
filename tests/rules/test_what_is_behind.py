"""What stands in the way behind the first reason is said with it, or decides that the function is only counted."""

from __future__ import annotations

import json
import textwrap

import pytest

from np2tnp.config import Config
from np2tnp.model import Finding
from np2tnp.pipeline import analyse_bytes
from np2tnp.report.totals import told


def deciding(body: str) -> Finding:
    text = "import numpy as np\n\n\n" + textwrap.dedent(body).lstrip()
    report = analyse_bytes(Config(), ("f.py", text.encode()))
    (found,) = (it for it in report.findings if it.decides)
    return found


SHOWN = {
    "three of one kind": (
        """
        def f(sizes, e):
            if any(sizes > 2):
                return True
            if all(sizes == 1):
                return False
            return any(abs(e[np.cumsum(sizes)]) < 1.0)
        """,
        "use np.any; then TNP705 in line 7 and line 9",
    ),
    "a loop behind what blocks": (
        """
        def f(a: np.ndarray, poles: np.ndarray):
            r = np.zeros_like(a)
            for i in range(len(a)):
                r[i] = np.linalg.qr(a[i], mode="r")
            p = np.linalg.eigvals(r @ a)
            p.real = -np.abs(p.real)
            return p @ poles
        """,
        "; then TNP704 in line 7",
    ),
    "a loop over elements behind what blocks": (
        """
        def f(c: np.ndarray, a: np.ndarray):
            d = eval("a")
            for i in range(len(c)):
                c[i] += a[i] @ d
            return c @ np.linalg.inv(a)
        """,
        "; then TNP701 in line 7",
    ),
}


@pytest.mark.parametrize(("body", "then"), SHOWN.values(), ids=SHOWN)
def test_it_is_said(body: str, then: str) -> None:
    found = deciding(body)
    assert not found.left
    assert told(found).endswith(then)


ALONE = """
    def f(a: np.ndarray, poles: np.ndarray):
        p = np.linalg.eigvals(poles @ a)
        p.real = -np.abs(p.real)
        return p @ poles
"""


def test_nothing_is_said_where_nothing_is_behind() -> None:
    assert "then" not in told(deciding(ALONE))


COUNTED = {
    "loops that count up beside a plain one": """
        def f(n, res, consts):
            c = np.zeros((n, n))
            for i in range(n):
                k = 0
                for z in res[i]:
                    c[i, k] = np.real(z)
                    k += 1
            d = np.zeros((n, n))
            for i in range(n):
                for j in range(n):
                    d[i, j] = consts.c[i * n + j]
            return c @ d
    """,
    "what blocks beside a loop that calls others": """
        def f(a: np.ndarray, g):
            r = np.zeros_like(a)
            for i in range(len(a)):
                r[i] = g(a[i])
            p = np.linalg.eigvals(a @ a)
            p.real = -np.abs(p.real)
            return p @ r
    """,
}


@pytest.mark.parametrize("body", COUNTED.values(), ids=COUNTED)
def test_the_function_is_counted(body: str) -> None:
    assert deciding(body).left


MANY = """
    def f(x: np.ndarray):
        y = eval("x")
        z = np.exp(x)
        {}
            v = x @ x
        async def h():
            return v
        z.real = 3
        return h, y, z, np.exp(v)
"""


def test_a_function_with_four_things_in_its_way_is_counted() -> None:
    assert deciding(MANY.format('with np.errstate(all="raise"):')).left == "several"


def test_three_are_said() -> None:
    text = MANY.replace("async def", "def").replace("return h, y", "return y")
    assert told(deciding(text.format('with np.errstate(all="raise"):'))).endswith("TNP105 in line 11")


def test_lines_are_those_of_the_cell() -> None:
    cells = ["import numpy as np", textwrap.dedent(SHOWN["three of one kind"][0]).lstrip()]
    listed = [{"cell_type": "code", "source": text} for text in cells]
    notebook = json.dumps({"nbformat": 4, "metadata": {}, "cells": listed})
    report = analyse_bytes(Config(), ("f.ipynb", notebook.encode()))
    (found,) = (it for it in report.findings if it.decides)
    assert told(found).endswith("; then TNP705 in line 4 and line 6")
