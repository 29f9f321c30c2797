"""What tests of the command line share: a project, and a run with what it printed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from np2tnp.cli import main

HEAT = """\
import numpy as np


def relax(field, steps):
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])
    return field.sum()


def double(x):
    return np.add(x, x)
"""


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    out, err = capfd.readouterr()
    return status, out, err


def check_json(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    status, out, _ = run(capfd, "check", "--no-cache", "--output-format", "json", *arguments)
    document: dict[str, Any] = json.loads(out)
    return status, document
