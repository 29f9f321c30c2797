"""``benchmarks/verdicts.py``: what it measures of a program that it has no sizes for, and what it calls agreement."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import verdicts
from verdicts import Case, Compared


def test_the_first_example_of_a_rewritten_function_is_called() -> None:
    pair = verdicts.pair_of("02_adi")
    case = verdicts.with_example(Case("02_adi", ""), pair)
    assert case.name == "02_adi:sweep_rows"
    names, expressions = zip(*case.arguments, strict=True)
    assert names == ("theta", "field")
    assert [expression.rpartition("[")[2] for expression in expressions] == ["0]", "1]"]
    scope = verdicts.with_example(Case("02_adi", "chosen"), pair)
    assert scope == Case("02_adi", "chosen")


def test_examples_that_cannot_be_counted_are_passed_over() -> None:
    text = "EXAMPLES = [('f', lambda np, rng: (*rng.random(2), 1)), ('g', make), ('h', lambda np, rng: (1, 2))]"
    assert verdicts.examples(text) == [("f", 0), ("", 0), ("h", 2)]


def compared(short: str, exhaustive: str) -> Compared:
    return Compared("f", 1, "xla-ndarray", short, exhaustive, 1.0, 0.9, 1.1, (20, 200))


def test_a_slower_one_called_faster_fails_however_many_agree(capsys: pytest.CaptureFixture[str]) -> None:
    agreeing = [compared("SLOWER", "SLOWER")] * 99
    assert verdicts.report([*agreeing, compared("UNSURE", "SLOWER")]) == 0
    assert verdicts.report([*agreeing, compared("FASTER", "SLOWER")]) == 1
    assert verdicts.report([*agreeing, *[compared("UNSURE", "FASTER")] * 6]) == 1
    assert "99 of 105 verdicts agree (94.3%); 6 of the others claimed nothing" in capsys.readouterr().out
