"""What JSON says of functions that stay as they are."""

from __future__ import annotations

import json

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import Run
from np2tnp.report.to_json import render

TEXT = """\
import numpy as np


def idle(n):
    return np.random.choice(n)


def works(x):
    return np.exp(x)
"""


def test_what_is_kept_has_a_reason() -> None:
    run = Run((analyze(Source("m.py", TEXT), Config()),))
    (file,) = json.loads("".join(render(run, Config())))["files"]
    told = {it["qualname"]: (it["state"], it["reasons"]) for it in file["regions"]}
    assert told["idle"] == ("kept", ["nothing in it is work for TensorFlow"])
    assert told["works"] == ("convertible", [])
