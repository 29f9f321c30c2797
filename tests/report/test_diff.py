"""The diff that ``rewrite`` prints: a function stands beside its rewrite, and ``git apply`` takes it."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import run

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import from_text
from np2tnp.model import Change
from np2tnp.report.to_diff import render

#: Two hundred lines: from that length on difflib by itself would not compare empty lines.
LONG = "import numpy as np\n\n\n" + "\n\n".join(
    f"def step_{number}(x: np.ndarray):\n    y = np.exp(x) + {number}\n    z = y.sum(axis=0)\n    return y - z\n"
    for number in range(40)
)


def rewritten(text: str, **settings: str) -> Change:
    report = analyze(from_text("a.py", text), replace(Config(rewrite=True, slow="convert"), **settings))  # type: ignore[arg-type]
    assert report.new_text
    return Change("a.py", text, report.new_text)


@pytest.mark.parametrize("compile", ["none", "xla"])
def test_a_function_stands_beside_its_rewrite(compile: str) -> None:
    diff = render(rewritten(LONG, compile=compile)).splitlines()
    assert [line for line in diff if line[:5] == "-def "] == []
    assert [line for line in diff if line.startswith("-") and not line.strip("- ")] == []  # no empty line was moved
    for number in range(40):
        assert f" def step_{number}(x: np.ndarray):" in diff
        assert f"-    y = np.exp(x) + {number}" in diff


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "a\n"),
        ("a\n", ""),
        ("a", "a\nb"),
        ("a\nb", "a\n"),
        ("a\n" * 9, "a\n" * 4 + "b\n" + "a\n" * 5),
        ("x\n", "x\n@rt.original('f')\ndef _(x):\n    return x\n\n\n"),
        ("def _f_numpy(x):\n    return x\n", "def _f_numpy(x):\n    return x\ny\n"),
        (LONG, LONG.replace("np.exp", "tnp.exp") + "@rt.original('step_1')\ndef _(x):\n    y = 1\nlast"),
    ],
)
def test_git_makes_the_new_text_of_it(old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(old, encoding="utf-8")
    diff = render(Change("a.py", old, new))
    subprocess.run(["git", "apply", "--unidiff-zero", "-"], input=diff, text=True, check=True)
    assert Path("a.py").read_text(encoding="utf-8") == new


def test_nothing_is_printed_of_what_does_not_change() -> None:
    assert render(Change("a.py", "a\n", "a\n")) == ""


def test_a_cell_of_a_notebook_stands_beside_its_rewrite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["import numpy as np\n", "def f(x: np.ndarray):\n", "    y = np.exp(x)\n", "    return y / y.sum()"]
    cells = ",\n".join(f'    "{line}"'.replace("\n", "\\n") for line in lines)
    Path("a.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [],\n'
        f'   "source": [\n{cells}\n   ]}}],\n "metadata": {{"language_info": {{"name": "python"}}}},\n'
        ' "nbformat": 4, "nbformat_minor": 5}\n',
        encoding="utf-8",
    )
    _, out, _ = run(capfd, "rewrite", "a.ipynb", "--on-unverified", "numpy")
    assert '     "def f(x: np.ndarray):\\n",' in out.splitlines()
    assert '-    "    y = np.exp(x)\\n",' in out.splitlines()
