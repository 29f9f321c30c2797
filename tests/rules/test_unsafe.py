"""``--unsafe``: code that cannot be seen is trusted, where that alone is in the way; what was seen still blocks."""

from __future__ import annotations

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Finding, RegionState, Safety, Verdict

OUT_OF_SIGHT = {
    "TNP503 TNP207": """\
import numpy as np


def scores(x, measures):
    y = np.exp(x)
    return [measure(y[1:]) for measure in measures], y + 1
""",
    "TNP405": """\
import numpy as np
from somewhere import traced


@traced
def scores(x):
    return np.exp(x)
""",
}

SEEN = """\
import numpy as np


def compiled(function):
    return function.__code__


@compiled
def scores(x):
    return np.exp(x)
"""


def report(text: str, unsafe: bool) -> FileReport:
    return analyze(Source("m.py", text), Config(rewrite=True, slow="convert", unsafe=unsafe, on_unverified="raise"))


def blocking(found: FileReport) -> list[Finding]:
    return [finding for finding in found.findings if finding.verdict is Verdict.BLOCK]


def state(found: FileReport) -> RegionState:
    return next(region.state for region in found.regions if region.qualname == "scores")


@pytest.mark.parametrize("codes", OUT_OF_SIGHT)
def test_what_cannot_be_seen_blocks_and_says_which_option_trusts_it(codes: str) -> None:
    found = report(OUT_OF_SIGHT[codes], unsafe=False)
    assert state(found) is RegionState.BLOCKED
    assert {(finding.code, finding.safety) for finding in blocking(found)} == {
        (each, Safety.UNSAFE) for each in codes.split()
    }
    assert found.new_text is None


@pytest.mark.parametrize("codes", OUT_OF_SIGHT)
def test_what_cannot_be_seen_is_trusted(codes: str) -> None:
    found = report(OUT_OF_SIGHT[codes], unsafe=True)
    assert state(found) is RegionState.CONVERTIBLE
    assert not blocking(found)
    assert {*codes.split()} == {finding.code for finding in found.findings if finding.safety is Safety.UNSAFE}
    assert "tnp.exp(x)" in (found.new_text or "")


def test_what_was_seen_to_change_arrays_still_blocks() -> None:
    for unsafe in (False, True):
        found = report(SEEN, unsafe)
        assert state(found) is RegionState.BLOCKED
        assert [(finding.code, finding.safety) for finding in blocking(found)] == [("TNP405", Safety.SAFE)]
