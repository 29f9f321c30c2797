"""``--numpy-names xp``: a name that stands for NumPy wherever it is used, whatever binds it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from side_by_side import compare_text

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import from_text

FALLBACK = """\
try:
    import cupy as xp
except ImportError:
    import numpy as xp
"""
SPECTRUM = """

def f(x, fs=1.0):
    w = xp.hanning(x.shape[-1])
    X = xp.fft.rfft(x * w)
    return xp.fft.rfftfreq(x.shape[-1], 1 / fs), xp.abs(X) ** 2 / (fs * xp.sum(w**2))
"""
LOCAL = """\
import numpy


def namespace_of(*arrays):
    return numpy


def f(x, xp=None):
    xp = namespace_of(x)
    return x / xp.sqrt(xp.sum(x * x))
"""
ATTRIBUTE = """\
import numpy


class Layer:
    def __init__(self, xp):
        self.xp = xp

    def forward(self, x):
        return self.xp.tanh(x) + self.xp.exp(x)


def f(x):
    return Layer(numpy).forward(x)
"""


@pytest.mark.parametrize("text", [FALLBACK + SPECTRUM, LOCAL, ATTRIBUTE], ids=["import", "local", "attribute"])
def test_what_uses_the_name_migrates_and_gives_the_same(text: str) -> None:
    report, judgements = compare_text(text, ["f(np.arange(8.0))"], numpy_names=("xp",))
    assert report.new_text is not None
    assert "xp." not in "\n".join(line for line in report.new_text.splitlines() if "tnp." in line or "rt." in line)
    assert [judgement.kind for judgement in judgements] == ["equal"]


def test_without_it_the_note_names_the_option() -> None:
    report = analyze(from_text("f.py", FALLBACK + SPECTRUM), Config())
    notes = [finding.message for finding in report.findings if finding.code == "TNP010"]
    assert "xp may be numpy, and may be cupy: import it in one way, or tell --numpy-names xp" in notes


def test_a_file_that_never_says_numpy_is_read_for_the_name() -> None:
    from np2tnp.files.discover import holds_needle

    data = b"from lib import xp\n\n\ndef f(x):\n    return xp.sqrt(x)\n"
    assert not holds_needle(data, Config().names_numpy())
    assert holds_needle(data, Config(numpy_names=("xp",)).names_numpy())
