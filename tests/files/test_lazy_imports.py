"""What is not needed is not imported: start-up is what a hook pays at every commit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("tensorflow", "numpy", "matplotlib", "rich", "libcst", "sqlite3", "multiprocessing")


def modules_after(tmp_path: Path, *command: str) -> set[str]:
    """The heavy modules that are loaded when a command is done."""
    program = (
        "import sys\nfrom np2tnp.cli import main\n"
        f"main({list(command)!r})\n"
        f"print('LOADED', *(name for name in {HEAVY!r} if name in sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "plain.py").write_text("import os\nprint(os.name)\n")
    (tmp_path / "arrays.py").write_text("import numpy as np\n\ndef f(x):\n    x[0] = np.sum(x)\n    return x\n")
    return tmp_path


def test_files_without_numpy_load_nothing(project: Path) -> None:
    assert modules_after(project, "check", "--no-cache", "plain.py") == set()


def test_check_and_rewrite_load_neither_numpy_nor_tensorflow(project: Path) -> None:
    for command in (["check", "--no-cache", "."], ["rewrite", "."], ["rewrite", "--apply", "."]):
        loaded = modules_after(project, *command)
        assert "libcst" in loaded
        assert not loaded & {"numpy", "tensorflow", "matplotlib"}


def test_a_warm_run_does_not_parse(project: Path) -> None:
    modules_after(project, "check", ".")
    assert "libcst" not in modules_after(project, "check", ".")


@pytest.mark.parametrize("command", [["--version"], ["check", "--help"], ["profile", "--help"], ["verify", "--help"]])
def test_help_loads_nothing(project: Path, command: list[str]) -> None:
    assert modules_after(project, *command) == set()


def test_the_runtime_waits_for_tensorflow(project: Path) -> None:
    program = (
        "import sys\nfrom np2tnp import runtime as rt\nprint('tensorflow' in sys.modules, 'libcst' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


REWRITTEN = """
import numpy as np


def area(x: np.ndarray):
    return np.sum(x) * 2


class Scale:
    def apply(self, x: np.ndarray):
        return np.sum(np.cumsum(x))
"""
PROGRAM = """
import pickle, sys
import numpy as np
import areas
print('tensorflow' in sys.modules, areas.area(np.ones(3)), areas.Scale().apply(np.ones(3)), areas.area([1.0]))
print('tensorflow' in sys.modules)
if hasattr(areas, 'tnp'):
    hasattr(areas.tnp, '_pytestfixturefunction'), repr(areas.tnp)
    assert pickle.loads(pickle.dumps(areas.tnp)) is areas.tnp
print('tensorflow' in sys.modules)
if hasattr(areas, 'tnp'):
    print(areas.tnp.sum is areas.tnp.sum, areas.tnp.pi, hasattr(areas.tnp, 'no_such_name'))
"""


@pytest.mark.parametrize("runtime", ["import", "vendor"])
def test_a_rewritten_module_imports_tensorflow_when_it_has_work(tmp_path: Path, runtime: str) -> None:
    (tmp_path / "areas.py").write_text(REWRITTEN)
    modules_after(tmp_path, "rewrite", "--apply", "--runtime", runtime, "areas.py")
    text = (tmp_path / "areas.py").read_text()
    assert "return tnp.sum(x) * 2" in text
    assert "import tensorflow" not in text
    path = os.pathsep.join([str(tmp_path)] if runtime == "vendor" else [str(tmp_path), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""}
    environment.pop("NP2TNP_ABOVE", None)
    for above, used in ((None, "False"), ("0", "True")):
        if above is not None:
            environment["NP2TNP_ABOVE"] = above
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=tmp_path)
        assert done.stdout.splitlines() == ["False 6.0 6.0 2.0", used, used, "True 3.141592653589793 False"]


def test_the_runtime_refuses_numpy_1_whose_promotion_is_another() -> None:
    program = "import numpy as np\nnp.__version__ = '1.26.4'\nfrom np2tnp import runtime as rt\nrt.migrated"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ImportError: np2tnp's runtime needs NumPy 2" in done.stderr
    assert "1.26.4" in done.stderr
