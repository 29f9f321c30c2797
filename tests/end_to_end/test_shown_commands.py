"""The commands that pages of docs/ show print what the pages show, one after the other in a copy of fixtures/tour.

A block ``console`` starts with a command after ``$``. ``...`` stands for any text, as a line of its own for any lines.
What commands write to standard error is not shown.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("forked_children")

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program of the tour, with np2tnp and its Python as commands."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, words in (("np2tnp", "-m np2tnp"), ("python", ""), ("pytest", "-m pytest")):
        script = commands / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)  # options of the run that this test is part of
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("COLUMNS", "200")
    shutil.copytree(ROOT / "fixtures" / "tour", tmp_path / "tour")
    return tmp_path / "tour"


def pattern(shown: str) -> str:
    """A regular expression for what a page shows; all of it where it has no ``...``."""
    lines = [
        "(?:.*\n)*?" if line == "...\n" else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + " *\n"
        for line in shown.splitlines(keepends=True)
    ]
    return "".join(lines) + r"\Z"


@pytest.mark.slow
@pytest.mark.parametrize("page", ["tour.md", "five-steps.md", "device.md", "speed.md"])
def test_commands_print_what_is_shown(page: str, tour: Path) -> None:
    blocks = BLOCKS.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        command, _, shown = block.partition("\n")
        assert command.startswith("$ ")
        done = subprocess.run(["bash", "-c", command[2:]], cwd=tour, capture_output=True, text=True, timeout=300)
        assert re.match(pattern(shown), done.stdout), f"{command}\n{done.stdout}\n{done.stderr}"


def test_the_program_of_the_page_is_the_one_that_runs() -> None:
    program = (ROOT / "fixtures" / "tour" / "gradient" / "gradient.py").read_text(encoding="utf-8")
    assert f"```python\n{program}```\n" in (ROOT / "docs" / "device.md").read_text(encoding="utf-8")
