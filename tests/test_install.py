"""The wheel, installed where the checkout is out of sight, works with the core dependencies alone."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = "import numpy as np\n\n\ndef f(x):\n    x[0] = np.sum(x)\n    return x\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    # Without isolation: hatchling is among the development tools, and nothing has to be fetched.
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = out.glob("np2tnp-*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an environment with the wheel and the core dependencies, but no NumPy and no TensorFlow."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home / "venv", with_pip=True)
    bin = home / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    done = subprocess.run(
        [str(bin / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and "No matching distribution" in done.stderr + done.stdout:
        pytest.skip("no package index within reach")
    assert done.returncode == 0, done.stderr
    return bin


def run(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_holds_the_package_and_its_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "np2tnp",
        next(name for name in names if "dist-info" in name).split("/")[0],
    }
    for name in ("py.typed", "catalog/facts.json", "catalog/overlay.toml", "runtime/__init__.py", "cli.py"):
        assert f"np2tnp/{name}" in names
    assert any(name.endswith("LICENSE") for name in names)
    here = {path for path in (ROOT / "np2tnp").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {path.relative_to(ROOT).as_posix() for path in here} <= set(names), "every file of every folder"


def test_check_and_rewrite_with_the_core_alone(scripts: Path, tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text(PROGRAM)
    done = run([str(scripts / "np2tnp"), "check", "f.py", "--select", "TNP101"], tmp_path)
    assert done.returncode == 1, done.stderr
    assert "TNP101" in done.stdout
    done = run([str(scripts / "python"), "-m", "np2tnp", "rewrite", "--apply", "f.py"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "rt.at(x)[0].set(" in (tmp_path / "f.py").read_text()
    done = run([str(scripts / "python"), "-c", "import np2tnp; print(np2tnp.__file__)"], tmp_path)
    assert str(ROOT) not in done.stdout


@pytest.mark.parametrize(
    "command", [["verify", "f.py"], ["profile", "f.py:f", "--size", "n=10", "--arg", "x=rng.random(n)"]]
)
def test_commands_that_need_more_say_what(scripts: Path, tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "f.py").write_text(PROGRAM)
    done = run([str(scripts / "np2tnp"), *command], tmp_path)
    assert done.returncode == 2
    assert "pip install" in done.stderr
    assert "np2tnp[" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_doctor_works_without_tensorflow(scripts: Path, tmp_path: Path) -> None:
    done = run([str(scripts / "np2tnp"), "doctor"], tmp_path)
    assert "Traceback" not in done.stderr
    assert "tensorflow" in (done.stdout + done.stderr).lower()


def test_the_other_commands(scripts: Path, tmp_path: Path) -> None:
    for command in (["rules"], ["explain", "TNP101"], ["api", "numpy.sum"], ["--version"]):
        done = run([str(scripts / "np2tnp"), *command], tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout
