"""What the decorator of a migrated function says, and what it leaves unsaid."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import libcst as cst
import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from np2tnp.analysis.domain.doors import Admitted  # noqa: E402
from np2tnp.analysis.domain.events import RegionFacts  # noqa: E402
from np2tnp.config import Config  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402
from np2tnp.rewrite.boundaries import Kept, Wrapped, decorator, of_original  # noqa: E402
from np2tnp.runtime import refusals  # noqa: E402

FLOATS = Admitted("floats")


def test_the_door_is_written_by_its_words_and_nothing_twice() -> None:
    node = cst.ensure_type(cst.parse_statement("def f(x, w, m, n): pass"), cst.FunctionDef)
    facts = RegionFacts("f", node, parameters=("x", "w", "m", "n"))
    facts.assumed_arrays, facts.assumed_scalars = frozenset("xw"), frozenset("n")
    facts.door = {"n": Admitted("counts"), "w": FLOATS, "x": FLOATS, "m": Admitted("inexact", numbers=True)}

    def written(**known: Any) -> str:
        return text_of(decorator(facts, "rt", Wrapped(**known)))

    assert written() == '@rt.migrated(floats="x, w", inexact_or_numbers="m", counts="n")'
    assert written(compile_as="graph").endswith('counts="n", compile="graph", scalars="n")')
    facts.door = {"x": FLOATS}
    assert written() == '@rt.migrated(floats="x", no_lists="w", scalars="n")'
    facts.door = {"x": Admitted("arrays")}
    assert written() == '@rt.migrated(arrays="x", no_lists="w", scalars="n")'


def test_what_a_reader_need_not_know_stands_with_the_original() -> None:
    node = cst.ensure_type(cst.parse_statement("def f(x, k): pass"), cst.FunctionDef)
    facts = RegionFacts("A.f", node, parameters=("x", "k"))
    facts.assumed_scalars, facts.returned, facts.mutated = frozenset("k"), {"x"}, {"x": None}
    known, apart = Wrapped(zero_d="array", float32=True), Kept("_", "numpy", above=5, rows=("x",), is_apart=True)
    assert text_of(decorator(facts, "rt", known, apart)) == '@rt.migrated(updates="x", float32=True)'
    technical = 'returns="x", scalars="k", zero_d="array", above=5, rows="x")'
    assert text_of(of_original(facts, "rt", known, apart)) == f'@rt.original("A.f", effects=True, {technical}'
    beside = Kept("_f_numpy", "numpy", pure=True)
    assert text_of(decorator(facts, "rt", Wrapped(), beside)) == (
        '@rt.migrated(updates="x", returns="x", scalars="k", original=_f_numpy, on_unverified="numpy", pure=True)'
    )


def text_of(node: cst.Decorator) -> str:
    return cst.Module([]).code_for_node(node).strip()


ROWS = """
import numpy as np


class Recorder:
    def __init__(self):
        self.rows = []

    def record(self, x):
        self.rows.append(x)

    def table(self):
        t = np.array(self.rows)
        t -= t.mean(axis=0)
        return t, np.sqrt((t**2).sum(axis=1)) + np.exp(-t[:, 0])
"""


def test_no_door_asks_a_list_to_be_an_array() -> None:
    report = analyze(Source("rows.py", ROWS), Config(rewrite=True, above=0))
    assert report.new_text is not None
    assert 'self.rows"' not in report.new_text
    results = []
    for text in (ROWS, report.new_text):
        space: dict[str, Any] = {"__name__": f"rows{len(results)}"}
        exec(text, space)
        recorder = space["Recorder"]()
        recorder.record(np.arange(3.0))
        recorder.record(np.array([1.0, 2, 4]))
        before = refusals()
        results.append(recorder.table())
        assert refusals() == before
    np.testing.assert_allclose(np.hstack(results[1][0]), np.hstack(results[0][0]))


EULER = """
import numpy as np


def euler(s, dt, rhs):
    k = rhs(s.u)
    return s.u + dt * k * np.exp(-np.abs(k))


def growth(s, dt):
    return np.exp(s.rate * dt) + np.sqrt(np.abs(dt))
"""


class State(NamedTuple):
    u: Any
    rate: float


@pytest.mark.parametrize("of", [State, SimpleNamespace])
def test_the_only_parameter_is_no_array_where_its_name_says_that_it_is_a_number(of: Any) -> None:
    report = analyze(Source("euler.py", EULER), Config(rewrite=True, above=0))
    space: dict[str, Any] = {"__name__": "euler"}
    exec(report.new_text or "", space)
    state = of(u=np.linspace(0, 1, 4), rate=-0.5)
    before = refusals()
    told = space["euler"](state, 0.1, lambda u: -u)
    assert space["growth"](state, 0.1) == pytest.approx(np.exp(-0.05) + np.sqrt(0.1))
    assert refusals() == before
    u = state.u
    np.testing.assert_allclose(told, u - 0.1 * u * np.exp(-np.abs(u)))


ROUNDS = """
import numpy as np


class Fit:
    def __init__(self, rate, rounds=20, tol=1e-6):
        self.rate, self.rounds, self.tol = rate, rounds, tol

    def run(self, x: np.ndarray):
        for _ in range(1, self.rounds + 1):
            x = x - self.rate * np.tanh(x) * np.exp(-x * x)
        return np.sqrt(np.sum(x * x)) + self.tol
"""


def test_numbers_that_are_assigned_together_are_known_one_by_one() -> None:
    report = analyze(Source("fit.py", ROUNDS), Config(rewrite=True, above=0))
    text = report.new_text or ""
    assert '@rt.migrated(reals="x", numbers="self.rate, self.rounds, self.tol")' in text
    assert "in range(1, self.rounds + 1):" in text.partition("@rt.original")[0]
    results = []
    for source in (ROUNDS, text):
        space: dict[str, Any] = {"__name__": f"fit{len(results)}"}
        exec(source, space)
        results.append([space["Fit"](rate, rounds=3).run(np.linspace(0.5, 1, 3)) for rate in (0.1, np.full(3, 0.1))])
    assert results[1] == pytest.approx(results[0], rel=1e-14)
