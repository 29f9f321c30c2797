"""Programs of fixtures/, rewritten, do what their originals do, and do it in TensorFlow."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from forked_python import python

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = sorted(path / f"{path.name}.py" for path in (ROOT / "fixtures" / "projects").iterdir() if path.is_dir())
PROGRAMS = sorted((ROOT / "fixtures" / "programs").glob("*.py"))[::5]
sys.path.insert(0, str(ROOT / "benchmarks"))

import programs_run  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rewritten")


@pytest.fixture(scope="module")
def reports(folder: Path) -> dict[str, Any]:
    return programs_run.rewrite([*PROJECTS, *PROGRAMS], folder, slow="convert")


@pytest.fixture(scope="module")
def comparisons(folder: Path, reports: dict[str, Any]) -> dict[str, programs_run.Comparison]:
    return programs_run.compare([*PROJECTS, *PROGRAMS], folder, seeds=1)


def states(report: Any) -> Counter[str]:
    return Counter(region.state.value for region in report.regions)


def test_there_are_six_projects() -> None:
    assert len(PROJECTS) >= 6


@pytest.mark.parametrize("path", [*PROJECTS, *PROGRAMS], ids=lambda path: path.stem)
def test_every_function_does_what_it_did(path: Path, comparisons: dict[str, programs_run.Comparison]) -> None:
    seen = comparisons[path.name]
    assert not seen.error
    assert not seen.is_wrong, "\n".join(seen.problems)
    assert seen.kinds["equal"] > 0


def test_five_of_six_projects_migrate(reports: dict[str, Any], comparisons: dict[str, programs_run.Comparison]) -> None:
    migrated = [
        path.stem
        for path in PROJECTS
        if states(reports[path.name])["convertible"] >= 0.6 * sum(states(reports[path.name]).values())
        and sum(comparisons[path.name].operations.values()) > 100
    ]
    assert len(migrated) >= len(PROJECTS) - 1, migrated


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.stem)
def test_a_blocked_region_says_why(path: Path, reports: dict[str, Any]) -> None:
    for region in reports[path.name].regions:
        if region.state.value == "blocked":
            assert region.reasons, region.qualname
            assert all(reason.startswith("TNP") for reason in region.reasons)


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.stem)
def test_the_program_prints_the_same(path: Path, folder: Path, reports: dict[str, Any]) -> None:
    runs = [python(str(script), cwd=folder, env=environment()) for script in (path, folder / path.name)]
    assert [run.returncode for run in runs] == [0, 0], [run.stderr for run in runs]
    assert runs[0].stdout == runs[1].stdout


def environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(ROOT)}
