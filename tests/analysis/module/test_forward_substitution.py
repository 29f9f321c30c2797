"""Names for parts of arrays: what is written, what is said of them and where, and what stays as it is."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import RegionState
from np2tnp.runtime.compile.compiled import RUNS

REACTION = """import numpy as np


def react(U, V, steps):
    # the inner parts
    u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]  # views
    for _ in range(steps):
        lap = U[:-2, 1:-1] + U[2:, 1:-1] + U[1:-1, :-2] + U[1:-1, 2:] - 4.0 * u
        uvv = u * v * v
        u += 0.16 * lap - uvv + 0.06 * (1.0 - u)
        v[...] = v + uvv - 0.122 * v
    return v.sum()


def untouched(a):
    first = a[:1]  # nothing that NumPy's functions do
    first[0] = "x"
    return sorted(a)
"""
REACTED = """
    # the inner parts
    U[1:-1, 1:-1], V[1:-1, 1:-1]  # views
    for _ in range(steps):
        lap = U[:-2, 1:-1] + U[2:, 1:-1] + U[1:-1, :-2] + U[1:-1, 2:] - 4.0 * U[1:-1, 1:-1]
        uvv = U[1:-1, 1:-1] * V[1:-1, 1:-1] * V[1:-1, 1:-1]
        U = rt.at(U)[1:-1, 1:-1].add(0.16 * lap - uvv + 0.06 * (1.0 - U[1:-1, 1:-1]))
        V = rt.at(V)[1:-1, 1:-1].set(V[1:-1, 1:-1] + uvv - 0.122 * V[1:-1, 1:-1])
    return rt.updated(tnp.sum(V[1:-1, 1:-1]), U=U, V=V)
"""


def report_of(text: str, **options: Any) -> Any:
    return analyze(Source("program.py", text), Config(slow="convert", **options))


def test_the_key_stands_in_the_place_of_the_name() -> None:
    text = report_of(REACTION, rewrite=True, on_unverified="raise").new_text
    assert REACTED in text
    assert REACTION[REACTION.index("def untouched") :] in text


def test_originals_are_kept_as_they_were_written() -> None:
    text = report_of(REACTION, rewrite=True).new_text
    body = REACTION[REACTION.index("    # the inner") : REACTION.index("def untouched")].rstrip()
    assert f"def _(U, V, steps):\n{body}\n" in text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_check_and_rewrite_say_the_same_of_the_same_places(newline: str) -> None:
    text = REACTION.replace("\n", newline)
    seen, made = report_of(text), report_of(text, rewrite=True)
    assert seen.findings == made.findings
    lines = REACTION.split("\n")
    stores = [finding for finding in seen.findings if finding.code == "TNP101"]
    assert [lines[finding.span.line - 1].split()[0] for finding in stores] == ["u", "v[...]"]
    assert all(lines[f.span.line - 1][f.span.column - 1] in "uv" for f in stores)


@pytest.mark.parametrize("mode", ["graph", "xla"])
def test_it_compiles(mode: str) -> None:
    text = report_of(REACTION, rewrite=True, compile=mode, on_unverified="raise").new_text
    assert "rt.fori_loop(0, steps, loop_body, U, V)" in text
    before, after = types.ModuleType("before"), types.ModuleType("after")
    exec(REACTION, before.__dict__)
    exec(text, after.__dict__)
    rng = np.random.default_rng(3)
    U, V = rng.random((9, 8)), rng.random((9, 8))
    U2, V2 = U.copy(), V.copy()
    expected, runs = before.react(U, V, 5), RUNS.copy()
    result = after.react(U2, V2, 5)
    assert (RUNS - runs)["compiled"] == 1
    np.testing.assert_allclose(result, expected, rtol=1e-13)
    np.testing.assert_allclose(U2, U, rtol=1e-13)
    np.testing.assert_allclose(V2, V, rtol=1e-13)


@pytest.mark.parametrize("value", [[1.0, 2.0, 3.0], {"a": 1}, np.ma.ones(3)])
def test_what_is_no_array_is_left_to_the_original(value: Any) -> None:
    program = "import numpy as np\n\n\ndef f(x):\n    part = x[1:]\n    part *= 2\n    return np.sum(x)\n"
    report = report_of(program, rewrite=True)
    assert [region.state for region in report.regions if region.qualname == "f"] == [RegionState.CONVERTIBLE]
    results = []
    for text in (program, report.new_text):
        made = types.ModuleType("made")
        exec(text, made.__dict__)
        given = value.copy()
        try:
            results.append((str(made.f(given)), given))
        except Exception as error:
            results.append((type(error).__name__, given))
    assert str(results[0]) == str(results[1])
