"""``--runtime vendor``: rewritten code runs where np2tnp is not installed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from forked_python import python

import np2tnp
from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.files.discover import discover
from np2tnp.files.writing import Writer
from np2tnp.rewrite.vendoring import copy_runtime, relative_imports

RUNTIME = Path(np2tnp.__file__).parent / "runtime"
SCRIPT = """\
import numpy as np
from pkg.sub.ops import scale


def run(x):
    y = np.sqrt(x + 1.0)
    y[0] = 7.0
    return scale(np.sort(y)), y.max()


print(*run(np.arange(4.0)))
"""
OPS = """\
import numpy as np


def scale(x):
    return np.round(x, 2).clip(1.2, 1.9)
"""


def write(root: Path) -> None:
    for name, text in {
        "pkg/__init__.py": "",
        "pkg/sub/__init__.py": "",
        "pkg/sub/ops.py": OPS,
        "run.py": SCRIPT,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def run(root: Path) -> str:
    """The script's output, in a process that finds no np2tnp."""
    code = (
        "import sys, runpy; sys.modules['np2tnp'] = None; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2])"
    )
    done = python("-c", code, str(root), str(root / "run.py"))
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_a_copy_beside_the_code_is_enough(tmp_path: Path) -> None:
    write(tmp_path)
    expected = run(tmp_path)
    config = Config(root=str(tmp_path), cache=False, runtime="vendor")
    done = pipeline.rewrite([str(tmp_path)], config, apply=True)
    assert {Path(change.path).name for change in done.changes} == {"run.py", "ops.py"}
    assert "import np2tnp_runtime as rt\n" in (tmp_path / "run.py").read_text()
    assert "from pkg import np2tnp_runtime as rt\n" in (tmp_path / "pkg" / "sub" / "ops.py").read_text()
    for folder in (tmp_path / "np2tnp_runtime", tmp_path / "pkg" / "np2tnp_runtime"):
        assert "from np2tnp" not in "".join(
            path.read_text() for path in folder.rglob("*.py") if path.name != "__init__.py"
        )
        assert {path.relative_to(folder) for path in folder.rglob("*.py")} == {
            path.relative_to(RUNTIME) for path in RUNTIME.rglob("*.py")
        }
    assert run(tmp_path) == expected
    assert not pipeline.rewrite([str(tmp_path)], config, apply=True).changes, "a second run"
    found = discover([str(tmp_path)], config).files
    assert not any("np2tnp_runtime" in path for path in found)


def test_only_apply_copies(tmp_path: Path) -> None:
    write(tmp_path)
    assert pipeline.rewrite([str(tmp_path)], Config(root=str(tmp_path), cache=False, runtime="vendor")).changes
    assert not (tmp_path / "np2tnp_runtime").exists()


@pytest.mark.parametrize("make", ["file", "directory"])
def test_what_is_not_ours_is_left_alone(make: str, tmp_path: Path) -> None:
    write(tmp_path)
    mine = tmp_path / "np2tnp_runtime"
    if make == "directory":
        mine.mkdir()
        mine = mine / "mine.py"
    mine.write_text("mine = True\n")
    config = replace(Config(root=str(tmp_path), cache=False), runtime="vendor")
    done = pipeline.rewrite([str(tmp_path / "run.py")], config, apply=True)
    assert "TNP904" in [finding.code for report in done.reports for finding in report.findings]
    assert (tmp_path / "run.py").read_text() == SCRIPT
    assert mine.read_text() == "mine = True\n"


def test_imports_are_relative_from_any_depth() -> None:
    text = "from np2tnp.runtime.base.errors import E\n\n\ndef f():\n    from np2tnp.runtime import lazy\n"
    assert relative_imports(text, 0) == text.replace("np2tnp.runtime.base", ".base").replace("np2tnp.runtime", ".")
    assert relative_imports(text, 2) == text.replace("np2tnp.runtime.base", "...base").replace("np2tnp.runtime", "...")


def test_a_new_copy_replaces_an_old_one_and_nothing_else(tmp_path: Path) -> None:
    copy_runtime(str(tmp_path / "copy"), Writer())
    first = (tmp_path / "copy" / "__init__.py").read_text(encoding="utf-8")
    old = tmp_path / "copy" / "in_an_earlier_version.py"
    old.write_text(first.splitlines()[0] + "\nx = 1\n", encoding="utf-8")
    mine = tmp_path / "copy" / "mine.py"
    mine.write_text("x = 1\n", encoding="utf-8")
    copy_runtime(str(tmp_path / "copy"), Writer())
    assert not old.exists()
    assert mine.read_text(encoding="utf-8") == "x = 1\n"
    assert (tmp_path / "copy" / "__init__.py").read_text(encoding="utf-8") == first
