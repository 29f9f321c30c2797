"""Tests that pytest marks: a mark is a note on the function, which is called by the names of its parameters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config

pytestmark = pytest.mark.usefixtures("forked_children")

_TESTS = """import unittest

import numpy as np
import pytest


@pytest.fixture
def values():
    return np.arange(4.0)


@pytest.mark.parametrize(("n", "expected"), [(2, 2.0), (3, 3.0)])
@pytest.mark.filterwarnings("ignore")
def test_ones(values, n, expected):
    assert np.sum(np.ones(n) + 0 * values[:n]) == expected


@pytest.mark.skipif(np.ones(1)[0] > 2, reason="never")
class TestMarked:
    @pytest.mark.parametrize("x", [np.ones(3), np.zeros(3)])
    def test_method(self, x):
        x += 1
        assert np.all(np.exp(x) > 1)

    @pytest.mark.xfail(strict=True)
    def test_fails(self):
        assert np.sum(np.ones(3)) == 4.0


class Old(unittest.TestCase):
    @unittest.skipIf(False, "never")
    def test_sum(self):
        self.assertEqual(np.sum(np.ones(3)), 3.0)

    @unittest.expectedFailure
    def test_fails(self):
        self.assertEqual(np.sum(np.ones(3)), 4.0)
"""
_MARKED = ("test_ones", "TestMarked.test_method", "TestMarked.test_fails", "Old.test_sum", "Old.test_fails")


def test_marked_tests_migrate_and_pass(tmp_path: Path) -> None:
    file = tmp_path / "test_marked.py"
    file.write_text(_TESTS)
    run = pipeline.rewrite([str(file)], Config(root=str(tmp_path), cache=False, quiet=True, slow="convert"), apply=True)
    states = {region.qualname: region.state.value for region in run.reports[0].regions}
    assert {states[name] for name in _MARKED} == {"convertible"}
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider", "."]
    found = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "NP2TNP_ABOVE": "0"}, capture_output=True, text=True, check=False
    )
    assert "5 passed, 2 xfailed" in found.stdout, found.stdout
