"""Loops of tests have few iterations."""

from __future__ import annotations

import pytest

from np2tnp.runtime.loops import control


@pytest.fixture(autouse=True)
def _short_loops_are_staged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "_SHORT", 0)
