"""Scalars and 0-d arrays that meet under one name and go to the host: a tensor does not tell which of both it was."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import rewrite

MIXED = """
import numpy as np


def tell(value):
    return type(value).__name__


def loop(x):
    told = [np.exp(x) * np.sin(x)]
    for m in (np.float32(1), np.array(0.5)):
        told.append(tell(m))
    return told


def shown(x, key):
    made = {"sum": np.sum(np.exp(x) * np.sin(x)), "half": np.array(0.5)}
    return tell(made[key]), np.exp(x)


def chosen(x, flag):
    total = np.sum(np.exp(x)) if flag else np.asarray(np.sum(np.exp(x)))
    return tell(total), np.exp(x)


def bound(x, flag):
    if flag:
        total = np.sum(np.exp(x))
    else:
        total = np.asarray(np.sum(np.exp(x)))
    return tell(total), np.exp(x)


def numbers(x):
    told = [np.exp(x) * np.sin(x)]
    for m in (np.float32(1), np.sum(x)):
        told.append(tell(m))
    return told
"""


def test_where_scalars_and_zero_d_arrays_meet_numpy_hands_them_to_the_host() -> None:
    """A tensor does not tell which of both it was: what leaves would be a scalar always."""
    report = rewrite(MIXED)
    states = {region.qualname: region.state.value for region in report.regions}
    assert {name: states[name] for name in ("loop", "shown", "chosen", "bound")} == dict.fromkeys(
        ("loop", "shown", "chosen", "bound"), "blocked"
    )
    assert states["numbers"] == "convertible"
    assert {finding.code for finding in report.findings if finding.verdict.value == "block"} == {"TNP511"}
