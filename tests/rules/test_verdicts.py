"""``benchmarks/verdicts.py``: what it measures of a program that it has no sizes for, and what it calls agreement."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import verdict_cases
import verdicts
from verdicts import Compared

from np2tnp.profiling.record import Signature
from np2tnp.verify.two_texts import Pair, changed_functions, rewrite_in_memory


def test_every_rewritten_function_gets_the_arguments_of_the_programs_own_calls(tmp_path: Path) -> None:
    pair = verdict_cases.pair_of("02_adi")
    cases = {case.function: case for case in verdict_cases.recorded_cases(pair, tmp_path)}
    assert list(cases) == changed_functions(pair)[0]
    assert not any(case.obstacle for case in cases.values())
    (size,) = cases["sweep_rows"].sizes
    assert isinstance(size, Signature)
    assert size.elements, size
    assert Path(size.payload).exists()


def test_a_function_whose_arguments_cannot_be_recorded_gets_its_examples_own(tmp_path: Path) -> None:
    text = """import numpy as np
EXAMPLES = [("f", lambda np, rng: (np.ones(3), lambda x: x)), ("g", lambda np, rng: (np.ones(2),))]
def f(x, call): return np.sin(call(x))
def g(x): return np.cos(inner(x, lambda y: y))
def inner(x, call): return np.sin(call(x))
def never(x): return np.sin(x)
def main(): pass
"""
    (tmp_path / "odd.py").write_text(text)
    pair = Pair(str(tmp_path / "odd.py"), text, rewrite_in_memory("odd.py", text, verdict_cases.CONFIG), "memory")
    cases = {case.function: case for case in verdict_cases.recorded_cases(pair, tmp_path)}
    assert dict(cases["f"].arguments).keys() == {"x", "call"}
    assert not cases["f"].obstacle
    assert isinstance(cases["g"].sizes[0], Signature)
    assert "Can't pickle" in cases["inner"].obstacle
    assert cases["never"].obstacle == "it was not called in the second run"


def test_examples_that_cannot_be_counted_are_passed_over() -> None:
    text = "EXAMPLES = [('f', lambda np, rng: (*rng.random(2), 1)), ('g', make), ('h', lambda np, rng: (1, 2))]"
    assert verdict_cases.examples(text) == [("f", 0), ("", 0), ("h", 2)]


def compared(short: str, exhaustive: str) -> Compared:
    return Compared("f", 1, "xla-ndarray", short, exhaustive, 1.0, 0.9, 1.1, (20, 200))


def test_a_slower_one_called_faster_fails_however_many_agree(capsys: pytest.CaptureFixture[str]) -> None:
    agreeing = [compared("SLOWER", "SLOWER")] * 99
    assert verdicts.report([*agreeing, compared("UNSURE", "SLOWER")]) == 0
    assert verdicts.report([*agreeing, compared("FASTER", "SLOWER")]) == 1
    assert verdicts.report([*agreeing, *[compared("UNSURE", "FASTER")] * 6]) == 1
    assert "99 of 105 verdicts agree (94.3%); 6 of the others claimed nothing" in capsys.readouterr().out
