"""What is known to be an array of a subclass of ndarray is known where it is read: no tensor may meet it there."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import FileReport

_HEAD = """import numpy as np

MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])


class Length(np.ndarray):
    def __new__(cls, values):
        return np.asarray(values).view(cls)


def made(n):
    return np.ma.zeros(n)


class Track:
    def __init__(self, n):
        self.points = None
        self.length = Length(np.zeros(n))
        self.plain = np.zeros(n)
        self.log = []

    def load(self, values):
        self.points = np.ma.masked_invalid(values) * 2

    def map(self, name):
        self.file = np.load(name, mmap_mode="r")

"""


def report_of(body: str) -> FileReport:
    method = f"    def work(self, x):\n        self.log.append(1)\n        {body}\n"
    report = pipeline.analyse_bytes(Config(), ("f.py", (_HEAD + method).encode()))
    assert report.error is None
    return report


@pytest.mark.parametrize(
    "body",
    [
        "return self.length - np.exp(x)",
        "return np.exp(x) * self.file",
        "return np.exp(x)[self.points > 3]",
        "y = np.exp(x); y[:] = self.points; return y",
        "y = np.exp(x); y *= self.points; return y",
        "return np.exp(x) + MASKED",
    ],
)
def test_a_method_whose_tensors_meet_a_subclass_stays_numpy(body: str) -> None:
    region = report_of(body).regions[-1]
    assert region.state.value == "blocked"
    assert {reason.split()[0] for reason in region.reasons} == {"TNP307"}


@pytest.mark.parametrize(
    "body",
    [
        "return np.exp(x) + self.plain",
        "return np.exp(x) + self.points",
        "return np.exp(x) < self.points",
        "return np.exp(x) + np.cos(self.points)",
        "y = -self.points[2:].T; return np.exp(x) + y",
        "return np.exp(x) + self.points.sum(axis=0)",
        "return np.exp(x) + made(3)",
        "return np.exp(x) + self.points.sum() + len(self.points) + np.size(self.points)",
        "return np.exp(x) + self.points.filled(0.0) + self.points.data",
        "print(self.points + 1); return np.exp(x)",
        "self.points[1:] = np.exp(x); return self.points",
        "return np.exp(x) + str_of(self.points)",
    ],
)
def test_a_method_that_leaves_the_subclass_to_numpy_migrates(body: str) -> None:
    assert report_of(body).regions[-1].state.value == "convertible"


def test_a_global_of_another_module_is_known_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("import numpy as np\nMASKED = np.ma.zeros(3)\nPLAIN = np.zeros(3)\n")
    text = "import numpy as np\nimport data\ndef f(x, log):\n    log.append(1)\n    return np.exp(x) + data.{}\n"
    states = {}
    for name in ("MASKED", "PLAIN"):
        (tmp_path / "use.py").write_text(text.format(name))
        run = pipeline.check([str(tmp_path / "use.py")], Config(root=str(tmp_path), cache=False, quiet=True))
        states[name] = run.reports[0].regions[-1].state.value
    assert states == {"MASKED": "blocked", "PLAIN": "convertible"}
