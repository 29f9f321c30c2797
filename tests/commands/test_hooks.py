"""The hooks, run by real pre-commit in a real repository, from this checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKED = "import numpy as np\n\n\nasync def f(x):\n    return np.exp(x)\n"
BAD = "import numpy as np\n\n\ndef f(x):\n    x[0] = np.sum(x)\n    return x\n"


def run(*command: str, cwd: Path, home: Path) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHONPATH", "PRE_COMMIT"))
    }
    environment = {
        **kept,
        "PRE_COMMIT_HOME": str(home),
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }  # fmt: skip
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A repository that uses the hooks, and pre-commit's home."""
    if shutil.which("git") is None:
        pytest.skip("no git")
    home = tmp_path_factory.mktemp("home")
    # pre-commit clones what is committed; this is the tree as it stands, so that it is what gets tested.
    hooks = tmp_path_factory.mktemp("hooks")
    for name in ("np2tnp", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, hooks / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, hooks / name)
    repository = tmp_path_factory.mktemp("repository")
    for place in (hooks, repository):
        assert run("git", "init", "-q", cwd=place, home=home).returncode == 0
    run("git", "add", "-A", cwd=hooks, home=home)
    assert run("git", "commit", "-qm", "hooks", cwd=hooks, home=home).returncode == 0
    revision = run("git", "rev-parse", "HEAD", cwd=hooks, home=home).stdout.strip()
    (repository / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {hooks.as_uri()}\n  rev: {revision}\n  hooks:\n  - id: np2tnp-check\n  - id: np2tnp-rewrite\n"
    )
    (repository / "good.py").write_text("import os\n\nprint(os.name)\n")
    run("git", "add", "-A", cwd=repository, home=home)
    done = run(sys.executable, "-m", "pre_commit", "install-hooks", cwd=repository, home=home)
    if done.returncode and "No matching distribution" in done.stdout:
        pytest.skip("no package index within reach")
    assert done.returncode == 0, done.stdout
    return repository, home


def pre_commit(places: tuple[Path, Path], *arguments: str) -> subprocess.CompletedProcess[str]:
    repository, home = places
    run("git", "add", "-A", cwd=repository, home=home)
    return run(sys.executable, "-m", "pre_commit", "run", *arguments, cwd=repository, home=home)


def test_a_clean_commit_passes(places: tuple[Path, Path]) -> None:
    (places[0] / "bad.py").unlink(missing_ok=True)
    done = pre_commit(places, "--all-files")
    assert done.returncode == 0, done.stdout
    assert "np2tnp check" in done.stdout
    assert "np2tnp rewrite" not in done.stdout  # only when asked for by name


def test_findings_stop_a_commit(places: tuple[Path, Path]) -> None:
    (places[0] / "bad.py").write_text(BAD)
    done = pre_commit(places)
    assert done.returncode == 0, done.stdout  # np2tnp migrates it by itself
    (places[0] / "bad.py").write_text(BLOCKED)
    done = pre_commit(places)
    assert done.returncode == 1
    assert "bad.py" in done.stdout
    assert "TNP403 blocked f stays NumPy" in done.stdout


def test_rewrite_is_a_manual_hook(places: tuple[Path, Path]) -> None:
    file = places[0] / "bad.py"
    file.write_text(BAD)
    done = pre_commit(places, "--hook-stage", "manual", "np2tnp-rewrite", "--all-files")
    assert done.returncode == 1, done.stdout  # pre-commit's way to say: files were modified
    assert "files were modified by this hook" in done.stdout
    assert "rt.at(x)[0].set(" in file.read_text()
    again = pre_commit(places, "--hook-stage", "manual", "np2tnp-rewrite", "--all-files")
    assert again.returncode == 0, again.stdout
