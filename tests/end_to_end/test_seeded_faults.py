"""``verify`` finds wrong rewrites, and lets right ones be: a sample of what benchmarks/seeded_faults.py runs."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import seeded_faults  # noqa: E402

SAMPLE = 5


def functions(name: str) -> list[str]:
    tree = ast.parse((seeded_faults.FAULTS / name).read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


@pytest.fixture(scope="module")
def findings() -> list[seeded_faults.Finding]:
    return list(seeded_faults.check_faults(frozenset(functions("original.py")[::SAMPLE])))


def test_there_are_fifty_faults() -> None:
    assert functions("original.py") == functions("wrong.py")
    assert len(set(functions("wrong.py"))) >= 50


@pytest.mark.parametrize("name", functions("original.py")[::SAMPLE])
def test_a_fault_is_found_and_its_right_form_is_not_blamed(name: str, findings: list[seeded_faults.Finding]) -> None:
    verdicts = {finding.expected: finding for finding in findings if finding.name == name}
    assert verdicts["DIFFERENT"].verdict == "DIFFERENT"
    if "not DIFFERENT" in verdicts:  # some are left in NumPy
        assert verdicts["not DIFFERENT"].verdict == "EQUAL", verdicts["not DIFFERENT"].detail
