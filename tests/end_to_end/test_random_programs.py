"""Random programs do what they did after the rewrite. ``benchmarks/random_programs.py`` looks for more."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import random_programs
from program_generator import generate

MODULES = 50


def test_a_seed_makes_one_program() -> None:
    assert generate(7).text == generate(7).text != generate(8).text


@pytest.fixture(scope="module")
def batch() -> random_programs.Batch:
    return random_programs.run(range(MODULES))


def test_rewritten_programs_do_what_they_did(batch: random_programs.Batch) -> None:
    assert not batch.problems, "\n\n".join(batch.problems)


def test_the_programs_are_worth_comparing(batch: random_programs.Batch) -> None:
    counts = batch.counts
    assert counts["programs"] == 6 * MODULES
    assert counts["migrated"] > 0.15 * counts["programs"]
    assert counts["equal"] > counts["raised"] + counts["refused"]
