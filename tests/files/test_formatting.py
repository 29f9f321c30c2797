"""New lines of a rewrite are formatted by the project's own formatter, and by it alone."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.files import formatting
from np2tnp.files.formatting import formatted, formatter_of

OLD = """import numpy as np

def f(first_array: np.ndarray, second_array: np.ndarray):
    x   = 1
    total = np.sqrt(first_array.sum(axis=0)) + np.cumsum(second_array)
    if (x   == 1):
        total[0]   = np.sort(first_array, axis=0)[0] + np.max(second_array)
    return   total
"""
SHORT = "[tool.ruff]\nline-length = 60\n"

needs_ruff = pytest.mark.skipif(formatting._program("ruff") is None, reason="needs Ruff")
needs_black = pytest.mark.skipif(formatting._program("black") is None, reason="needs Black")


@pytest.fixture
def rewritten(tmp_path: Path) -> Callable[..., str]:
    """What becomes of OLD in a project with this pyproject.toml."""

    def make(settings: str, text: str = OLD) -> str:
        (tmp_path / "pyproject.toml").write_text(settings)
        path = tmp_path / "module.py"
        path.write_bytes(text.encode())
        config = Config(root=str(tmp_path), cache=False, jobs=1)
        done = pipeline.rewrite([str(path)], config, apply=True)
        assert done.summary.errors == 0
        new = path.read_bytes().decode()
        assert "@rt.migrated" in new
        again = pipeline.rewrite([str(path)], config)
        assert again.changes == ()
        return new

    return make


@needs_ruff
def test_new_lines_are_formatted_and_others_stay(rewritten: Callable[..., str]) -> None:
    new = rewritten(SHORT)
    added = [line for line in new.splitlines() if line not in OLD.splitlines() and not line.startswith("#")]
    assert max(map(len, added)) <= 60
    assert new.count("    x   = 1\n") == 2
    assert new.count("    if (x   == 1):\n") == 2
    assert new.count("    return   total\n") == 2


@needs_black
def test_black_formats_where_the_project_names_it(rewritten: Callable[..., str]) -> None:
    new = rewritten("[tool.black]\nline-length = 60\n")
    assert max(len(line) for line in new.splitlines() if line not in OLD.splitlines()) <= 60
    assert new.count("    x   = 1\n") == 2


@pytest.mark.parametrize("settings", ["", "[tool.isort]\n", "[tool.ruff\n", "tool = 3\n"])
def test_without_a_formatter_lines_stay_as_long_as_they_are(rewritten: Callable[..., str], settings: str) -> None:
    line = next(line for line in rewritten(settings).splitlines() if line.lstrip().startswith("total = rt.at"))
    assert line.endswith("(second_array))")


@needs_ruff
def test_windows_newlines_stay(rewritten: Callable[..., str]) -> None:
    assert rewritten(SHORT, OLD.replace("\n", "\r\n")).replace("\r\n", "\n") == rewritten(SHORT)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": "[tool.ruff.lint]\n"}, "ruff"),
        ({"pyproject.toml": "[tool.ruff]\n[tool.black]\n"}, "black"),
        ({"pyproject.toml": "[tool.black]\n", "pkg/ruff.toml": ""}, "ruff"),
        ({"pyproject.toml": "[project]\n", ".ruff.toml": ""}, "ruff"),
        ({"pyproject.toml": "[project]\n"}, None),
        ({"setup.py": ""}, None),
    ],
)
def test_the_nearest_configuration_names_the_formatter(
    tmp_path: Path, files: dict[str, str], expected: str | None
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert formatter_of(str(tmp_path / "pkg" / "module.py")) == expected


@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
@pytest.mark.parametrize(
    "script",
    ["exit 3", "cat; exit 1", "true", "echo 'x = 2'", "echo 'x ='", r"printf '\377'"],
    ids=["fails", "fails late", "silent", "other code", "no code", "no text"],
)
def test_a_formatter_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")
    program = tmp_path / "bin" / "ruff"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert shutil.which("ruff") == str(program)
    assert formatted("x   = 1\n", "y = 1\n", str(tmp_path / "a.py")) == "x   = 1\n"


def test_a_formatter_that_is_not_there_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert formatted("x   = 1\n", "y = 1\n", str(tmp_path / "a.py")) == "x   = 1\n"
