"""Child processes that hang are ended, those that merely wait for the processor are not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from np2tnp.commands.probe import Watch, cpu_seconds

SPINS = "print(1, flush=True)\nwhile True: pass"
SLEEPS = "import time; print(1, flush=True); time.sleep(1); print(2, flush=True)"


def started(text: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    return process


def test_a_child_that_computes_for_ever_is_killed() -> None:
    process = started(SPINS)
    watch = Watch(process, patience=0.3, waiting=1000.0)
    assert process.wait(60) < 0
    assert watch.expired


@pytest.mark.skipif(cpu_seconds(1) is None, reason="the system does not tell the CPU time of other processes")
def test_a_child_that_waits_is_not() -> None:
    process = started(SLEEPS)
    watch = Watch(process, patience=0.3, waiting=1000.0)
    assert process.wait(60) == 0
    watch.stop()
    assert not watch.expired


def test_a_child_that_waits_too_long_is() -> None:
    process = started(SLEEPS.replace("sleep(1)", "sleep(600)"))
    watch = Watch(process, patience=0.2, waiting=2.0)
    assert process.wait(60) < 0
    assert watch.expired
