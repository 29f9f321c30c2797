"""What is told of a text before it is parsed: hurtful text, Python 2."""

from __future__ import annotations

import contextlib
import sys
import time

import pytest

from np2tnp.files import guards, syntax
from np2tnp.files.problems import Problem

# --- guards


N = 20_000
HURTFUL = {
    "sum": "x = " + "a+" * N + "a",
    "sum over lines": "x = (" + "a +\n" * N + "a)",
    "calls": "x = a" + ".b()" * N,
    "subscripts": "x = a" + "[0]" * N,
    "parentheses": "x = " + "(" * N + ")" * N,
    "lists": "x = " + "[" * 300 + "]" * 300,
    "calls in calls": "x = " + "f(" * 300 + ")" * 300,
    "unclosed": "(" * N,
    "minus": "x = " + "-" * N + "1",
    "not": "x = " + "not " * N + "a",
    "lambda": "x = " + "lambda: " * N + "0",
    "conditions": "x = " + "a if b else " * N + "0",
    "joined strings": "x = (" + "'a' " * N + ")",
    "elif": "if a: pass\n" + "elif b: pass\n" * N,
    "blocks": "".join(" " * depth + "if x:\n" for depth in range(300)) + " " * 300 + "pass",
    "f-string": "x = f'{" + "(" * 300 + ")" * 300 + "}'",
    "data": "x = [" + "1, " * 500_000 + "]",
}


@pytest.mark.parametrize("text", HURTFUL.values(), ids=list(HURTFUL))
def test_hurtful_text_is_refused(text: str) -> None:
    with pytest.raises(Problem) as caught:
        guards.check(text + "\n")
    assert caught.value.code == "TNP905"


def test_ordinary_text_passes() -> None:
    guards.check("x = [" + "(1, 2), " * 5_000 + "]\n")
    guards.check("x = 1 + 2\n" * 5_000)
    guards.check("def f(a, b=(1, 2)):\n    return a.b.c(d)[e] + -f\n\n\n" * 2_000)
    guards.check("x = '" + "(" * 150 + "'\n# " + "((((" * 500 + "\n")
    guards.check("if a:\n    pass\nelif b:\n    pass\n" * 1_000)
    guards.check("x = foo(\n" + " " * 110 + "a,\n" + " " * 112 + "b)\n")
    guards.check("'''" + "( + \n" * 5_000 + "'''\n")


def test_a_deep_stack() -> None:
    def depth(n: int) -> int:
        return 0 if n == 0 else 1 + depth(n - 1)

    before = sys.getrecursionlimit()
    assert guards.call_with_deep_stack(depth, 20_000) == 20_000
    assert sys.getrecursionlimit() == before
    with pytest.raises(ZeroDivisionError):
        guards.call_with_deep_stack(lambda: 1 // 0)


def test_calls_at_any_depth_map_no_memory() -> None:
    """CPython gives frame memory back where a call was the first of a chunk: 700 page faults here, without one frame
    that makes a chunk large enough for all."""
    resource = pytest.importorskip("resource", reason="Windows counts no page faults")

    def leaf() -> None:
        pass

    def call_at(depth: int) -> None:
        if depth:
            call_at(depth - 1)
        else:
            for _ in range(100):
                leaf()

    def faults() -> int:
        before: int = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for depth in range(300):
            call_at(depth)
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

    assert guards.call_with_deep_stack(faults) < 300


# --- Python 2


@pytest.mark.parametrize(
    "text",
    [
        'print "hello"\n',
        "print x\n",
        "import numpy as np\nfor x in y:\n    print 'a', x\n",
        "print >>f, x\n",
        "try:\n    pass\nexcept ValueError, e:\n    pass\n",
        "try:\n    pass\nexcept (A, B), e:\n    pass\n",
        "exec 'x = 1' in {}\n",
        "raise ValueError, 'no'\n",
        "x = `1`\n",
        "if a <> b:\n    pass\n",
        "x = 0777\n",
        "x = 10L\n",
        "x = ur'a'\n",
    ],
)
def test_python2_is_recognised(text: str) -> None:
    problem = syntax.explain(text)
    assert problem.code == "TNP903"
    assert "Python 2" in problem.message


@pytest.mark.parametrize(
    "text",
    ["def f(:\n", "x = (1,\n", "print('a') x\n", "x = 1.01 +\n", "x = 'a\n", "for i in range(3) print(i)\n", "0xfg\n"],
)
def test_other_syntax_errors_are_not_called_python2(text: str) -> None:
    problem = syntax.explain(text)
    assert problem.code == "TNP901"
    assert problem.message.startswith("syntax error: ")


def test_python2_that_the_parser_accepts() -> None:
    assert syntax.accepted_python2("try:\n    pass\nexcept ValueError, e:\n    pass\n") is not None
    assert syntax.accepted_python2("try:\n    pass\nexcept ValueError as e:\n    pass\n") is None
    assert syntax.accepted_python2("s = 'except ValueError, e:'\n") is None


def test_what_takes_too_long_is_interrupted() -> None:
    """By processor time, wherever it is, and although it goes on after exceptions."""

    def work() -> None:
        while True:
            with contextlib.suppress(Exception):
                while True:
                    sum(range(1000))

    with pytest.raises(Problem, match=r"more than 0\.2 seconds of processor time") as caught:
        guards.call_with_deep_stack(work, seconds=0.2)
    assert caught.value.code == "TNP905"


def test_waiting_takes_no_processor_time() -> None:
    assert guards.call_with_deep_stack(time.sleep, 0.6, seconds=0.2) is None
