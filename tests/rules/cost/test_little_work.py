"""What does little with arrays stays NumPy, but where a loop may call it with an array that lives on the device."""

from __future__ import annotations

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport

MONITOR = """
import logging
import numpy as np

def monitor(u, t):
    logging.info("%s %s", t, np.max(np.abs(u)))
"""
STEP = "        u = np.sin(u) * 0.9 + np.roll(u, 1)\n"
LOOPS = {
    "a loop": f"""
def run(u, n):
    for i in range(n):
{STEP}        monitor(u, i)
    return u
""",
    "a loop around what calls it": f"""
def run(u, n):
    while n > 0:
        u = step(u, n)
        n -= 1
    return u

def step(u, n):
    if n:
{STEP}        monitor(u, n)
    return u
""",
}
OTHERS = {
    "no caller": "",
    "a caller without a loop": f"""
def run(u, n):
    if n:
{STEP}        monitor(u, n)
    return u
""",
    "a loop that calls others": f"""
def run(u, n):
    monitor(u, n)
    for i in range(n):
{STEP}        print(i)
    return u
""",
}


def _report(body: str) -> FileReport:
    return analyze(Source("m.py", MONITOR + body), Config(rewrite=True))


def _little(body: str) -> set[str]:
    """The functions that stay NumPy as they do too little."""
    return {finding.region for finding in _report(body).findings if finding.code == "TNP707"}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_a_loop_hands_on_its_array_where_it_lives(body: str) -> None:
    report = _report(body)
    assert not _little(body)
    assert report.new_text is not None
    assert "monitor.core(u, " in report.new_text
    assert "rt.host(u)" not in report.new_text


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_what_no_loop_calls_stays_numpy(body: str) -> None:
    assert _little(body) == {"monitor"}


def test_a_class_is_called_by_its_name() -> None:
    program = """
class Frame:
    def __init__(self, u):
        self.low = np.min(u)
        self.high = np.max(u)

def run(u, n):
    frames = []
    for _ in range(n):
        u = np.sin(u) * 0.9 + np.roll(u, 1)
        frames.append({}(u))
    return u, frames
"""
    assert "Frame.__init__" in _little(program.format("len"))
    assert "Frame.__init__" not in _little(program.format("Frame"))
