"""``tools/measure_gpu.sh``: what it measures is there. (It was run from start to end with ``--rehearse``.)"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "measure_gpu.sh"
CALLS = re.findall(
    r"^over (\S+\.py):(\w+) ((?:.*\\\n)*.*)$",
    SCRIPT.read_text(encoding="utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(("path", "function", "rest"), CALLS, ids=[call[1] for call in CALLS])
def test_it_names_functions_and_their_parameters(path: str, function: str, rest: str) -> None:
    tree = ast.parse((ROOT / "fixtures" / path).read_text(encoding="utf-8"))
    (node,) = [it for it in tree.body if isinstance(it, ast.FunctionDef) and it.name == function]
    parameters = [it.arg for it in node.args.args]
    given = re.findall(r"--arg '?(\w+)=", rest)
    required = parameters[: len(parameters) - len(node.args.defaults)]
    assert set(required) <= set(given) <= set(parameters)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_it_says_how_it_is_called() -> None:
    done = subprocess.run(["bash", str(SCRIPT)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "usage: tools/measure_gpu.sh [--rehearse] FOLDER" in done.stderr


def test_there_are_calls_to_look_at() -> None:
    assert len(CALLS) >= 8


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_scripts_find_their_python_from_any_folder(tmp_path: Path) -> None:
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    shown = f'source "{ROOT / "tools" / "environment.sh"}"; cd /; "$python" -c "print(6 * 7)"'
    done = subprocess.run(
        ["bash", "-c", shown],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "42\n", done.stderr
