"""Compiled loops with numbers that are Python's or NumPy's: they do what NumPy does with the one that is taken."""

from __future__ import annotations

import copy
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.runtime.compile.compiled import RUNS

TEXT = (Path(__file__).resolve().parents[3] / "fixtures" / "staging" / "numbers.py").read_text(encoding="utf-8")


def module(text: str) -> dict[str, Any]:
    made = types.ModuleType("numbers_of_loops")
    exec(compile(text, "numbers_of_loops.py", "exec"), made.__dict__)
    return made.__dict__


ORIGINAL = module(TEXT)


@pytest.fixture(scope="module", params=["graph", "xla"])
def compiled(request: pytest.FixtureRequest) -> dict[str, Any]:
    config = Config(rewrite=True, slow="convert", compile=request.param, on_unverified="raise")
    text = analyze(Source("numbers_of_loops.py", TEXT), config).new_text
    assert text is not None
    return module(text)


def shown(value: Any) -> str:
    return repr([shown(item) for item in value]) if isinstance(value, tuple) else f"{type(value)} {value!r}"


@pytest.mark.parametrize("number", range(len(ORIGINAL["EXAMPLES"])))
def test_it_is_what_numpy_makes_of_the_number_that_is_taken(compiled: dict[str, Any], number: int) -> None:
    name, arguments, staged = ORIGINAL["EXAMPLES"][number]
    given, own = copy.deepcopy(arguments), copy.deepcopy(arguments)
    expected = ORIGINAL[name](*own)
    RUNS.clear()
    with np.errstate(all="ignore"):
        result = compiled[name](*given)
    assert ("compiled" in RUNS) == staged, RUNS
    assert shown(result) == shown(expected)
    assert shown(given) == shown(own)
