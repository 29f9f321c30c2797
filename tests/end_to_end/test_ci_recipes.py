"""What docs/ci.md tells CI to run does what the page says, on a branch that adds a blocked function."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

yaml = pytest.importorskip("yaml", reason="comes with np2tnp[docs]")

ROOT = Path(__file__).resolve().parents[2]
RECIPES = [
    yaml.safe_load(text)
    for text in re.findall(r"^```yaml\n(.*?)^```", (ROOT / "docs" / "ci.md").read_text(encoding="utf-8"), re.S | re.M)
]
OLD = """\
import numpy as np


def double(x: np.ndarray):
    return 2 * x


async def known(x: np.ndarray):
    return np.sqrt((x**2).sum()) / x.std()
"""
NEW = "\n\nasync def added(x: np.ndarray):\n    return (x.max() - x.mean()) / x.std()\n"
TEST = "import numpy as np\nimport a\n\n\ndef test_double():\n    assert a.double(np.ones(3)).sum() == 6\n"


def jobs() -> list[tuple[str, dict[str, Any]]]:
    """Each job with its name, of GitHub's workflows and GitLab's files."""
    found = []
    for recipe in RECIPES:
        for name, job in recipe.get("jobs", recipe).items():
            if isinstance(job, dict):
                found.append((recipe["name"] if "jobs" in recipe else f"gitlab-{name}", job))
    return found


def commands(job: dict[str, Any]) -> list[str]:
    lines = [step["run"] for step in job.get("steps", ()) if "run" in step] + job.get("script", [])
    return [line for line in lines if not line.startswith("pip install")]


JOBS = jobs()


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a CI job finds: the checkout of a branch, its target, and the commands that were installed."""
    home = tmp_path / "project"
    (home / "tests").mkdir(parents=True)
    for name, words in (("np2tnp", "-m np2tnp"), ("pytest", "-m pytest -p no:cacheprovider")):
        script = tmp_path / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{home}")
    (home / "a.py").write_text(OLD, encoding="utf-8")
    (home / "tests" / "test_a.py").write_text(TEST, encoding="utf-8")
    git(home, "init", "-q", "-b", "main")
    git(home, "add", ".")
    git(home, "commit", "-q", "-m", "old")
    git(home, "update-ref", "refs/remotes/origin/main", "HEAD")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", git(home, "rev-parse", "HEAD").strip())
    return home


def git(home: Path, *words: str) -> str:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    return subprocess.run(["git", *who, *words], cwd=home, check=True, capture_output=True, text=True).stdout


def run(home: Path, command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(["bash", "-c", command], cwd=home, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done


def test_the_page_has_the_recipes() -> None:
    assert [name for name, _ in JOBS] == [
        "np2tnp",
        "np2tnp-scanning",
        "tests",
        "gitlab-np2tnp",
        "gitlab-np2tnp-functions",
    ]
    assert all(commands(job) for _, job in JOBS)


@pytest.mark.parametrize(("name", "job"), JOBS, ids=[name for name, _ in JOBS])
def test_a_branch_that_adds_nothing_passes(name: str, job: dict[str, Any], clone: Path) -> None:
    statuses = [run(clone, command).returncode for command in commands(job)]
    assert statuses == (
        [1] if name == "gitlab-np2tnp-functions" else [0] * len(statuses)
    )  # it counts what is known, too


@pytest.mark.parametrize(
    ("name", "job"), [entry for entry in JOBS if entry[0] != "tests"], ids=lambda job: str(job)[:30]
)
def test_a_blocked_function_is_told(name: str, job: dict[str, Any], clone: Path) -> None:
    (clone / "a.py").write_text(OLD + NEW, encoding="utf-8")
    git(clone, "commit", "-q", "-a", "-m", "new")
    (command,) = commands(job)
    done = run(clone, command)
    assert done.returncode == (0 if "--exit-zero" in command else 1)
    told = done.stdout + "".join(path.read_text(encoding="utf-8") for path in written(clone, job))
    assert "added" in told
    assert ("known" in told) == ("--changed-since" not in command)


def written(home: Path, job: dict[str, Any]) -> list[Path]:
    """The reports that the recipe hands on, which have to be what their names say."""
    names = [*job.get("artifacts", {}).get("reports", {}).values()]
    names += [step["with"]["sarif_file"] for step in job.get("steps", ()) if "sarif_file" in step.get("with", {})]
    for name in names:
        text = (home / name).read_text(encoding="utf-8")
        if name.endswith(".xml"):
            ElementTree.fromstring(text)
        else:
            json.loads(text)
    return [home / name for name in names]


def test_the_hooks_are_there() -> None:
    known = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (recipe,) = (recipe for recipe in RECIPES if "repos" in recipe)
    assert {hook["id"] for hook in recipe["repos"][0]["hooks"]} == {hook["id"] for hook in known}
