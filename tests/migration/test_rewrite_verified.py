"""``rewrite --verify``: a rewrite that differs is left out, with what shows it; the others stay."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from np2tnp import pipeline
from np2tnp.cli import main
from np2tnp.config import Config
from np2tnp.model import FileReport

pytestmark = pytest.mark.usefixtures("forked_children")

TEXT = """\
import numpy as np


def scale(x: np.ndarray):
    return np.exp(x) * 2.0


def total(x: np.ndarray):
    return np.sum(scale(x), axis=0) + 1.0


def twisted(x: np.ndarray):
    return np.sum(scale(np.cos(x)))


def fine(x: np.ndarray):
    return np.sqrt(np.abs(x))


def shy(x):
    return np.sin(x.nowhere) + np.cos(x.elsewhere)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two faults are seeded into what the rewriter gives: `scale` loses its precision, `twisted` its sign."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "pyproject.toml").write_text("[tool.np2tnp]\ncache = false\njobs = 1\n")
    (tmp_path / "m.py").write_text(TEXT)
    analyse = pipeline.analyse_bytes

    def analyse_wrongly(config: Config, item: tuple[str, bytes], *more: Any) -> FileReport:
        report = analyse(config, item, *more)
        text = report.new_text
        if text is not None and "@rt.migrated" in text[: text.index("def scale")]:
            text = text.replace(" * 2.0", " * 2.000001")
        if (
            text is not None
            and "@rt.migrated" in text[text.index("return", text.index("def total")) : text.index("def twisted")]
        ):
            start = text.index("return", text.index("def twisted"))
            text = text[:start] + text[start:].replace("return ", "return -", 1)
        return replace(report, new_text=text)

    monkeypatch.setattr(pipeline, "analyse_bytes", analyse_wrongly)
    return tmp_path


def migrated(project: Path) -> list[str]:
    return re.findall(r"^@rt\.migrated[^@]*?^def (\w+)", (project / "m.py").read_text(), re.MULTILINE)


def test_what_differs_is_left_out(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", "--apply", "--verify", "--slow", "convert", "m.py"]) == 0
    err = capfd.readouterr().err
    assert migrated(project) == ["total", "fine", "shy"]  # `total` differed only through `scale`
    assert "m.py::scale was left as it is: its rewrite differs: " in err
    assert "    from m import scale\n" in err
    assert "m.py::twisted was left as it is: its rewrite differs: " in err
    assert "1 region could not be tested and will be rewritten all the same" in err
    assert "scale.core" not in (project / "m.py").read_text()


def test_strictly_what_was_not_seen_is_left_out_too(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    only = ["--only", "fine,shy"]
    assert main(["rewrite", "--verify", "--strict", "--slow", "convert", *only, "m.py"]) == 0
    out, err = capfd.readouterr()
    assert "+@rt.migrated" in out
    assert "m.py::shy was left as it is: could not be verified: no arguments found" in err
    assert (project / "m.py").read_text() == TEXT
    assert "EQUAL     m.py::fine" in err


def test_nothing_to_verify(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "m.py").write_text("import numpy as np\nX = np.zeros(3)\n")
    assert main(["rewrite", "--apply", "--verify", "m.py"]) == 0
    assert "0 files rewritten" in capfd.readouterr().err
