"""Loops of tests have few iterations."""

from __future__ import annotations

import pytest

from np2tnp.runtime.loops import control


@pytest.fixture(autouse=True)
def _short_loops_are_staged(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short loops are staged as long ones are, but in tests marked ``short_loops``."""
    if "short_loops" not in request.keywords:
        monkeypatch.setattr(control, "_SHORT", 0)
