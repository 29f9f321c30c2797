"""`check` runs without Python's search for garbage: what interpreted a region must go as soon as it is done."""

from __future__ import annotations

import gc

from np2tnp.analysis.interpreter.calls import Calls
from np2tnp.analysis.interpreter.frame import Frame
from np2tnp.analysis.interpreter.interpreter import Interpreter
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

TEXT = """
import numpy as np

def inner(x):
    def scaled(y, by=2.0):
        return [y * by, (y, x)]
    return scaled(np.sqrt(x))[0]

class Model:
    def __init__(self, n):
        self.w = np.zeros(n)
    def step(self, x):
        self.w += inner(x)
        return self.w
"""


def test_interpreters_are_in_no_circle() -> None:
    gc.collect()
    gc.disable()
    try:
        assert analyze(Source("m.py", TEXT), Config(rewrite=True)).regions
        assert not any(isinstance(item, (Interpreter, Frame, Calls)) for item in gc.get_objects())
    finally:
        gc.enable()
