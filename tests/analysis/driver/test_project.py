"""First-party imports: what other modules define is known, and every mixture of rewritten and original files runs."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_call_cases import CALLS
from project_cases import IMPORTS, OPS

from np2tnp import pipeline
from np2tnp.analysis.driver.first_party import Names, Target
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.modules import Modules
from np2tnp.files.outline import Binding, Outline
from np2tnp.files.source import Source
from np2tnp.model import FileReport, RegionState
from np2tnp.project import Project

PROJECTS = {**IMPORTS, **CALLS}


def write(root: Path, files: dict[str, str]) -> None:
    root.mkdir()
    (root / "setup.cfg").write_text("")
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")


def reports(root: Path, *names: str, apply: bool = False, **options: Any) -> dict[str, FileReport]:
    config = Config(root=str(root), cache=False, skip_regions=("main",), slow="convert", **options)
    paths = [str(root / name) for name in names] if names else [str(root)]
    run = pipeline.rewrite(paths, config, apply=apply)
    assert not run.summary.errors, [report.error for report in run.reports]
    return {str(Path(report.path).relative_to(root)): report for report in run.reports}


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    forget(tmp_path)


def forget(place: Path) -> None:
    for name, module in list(sys.modules.items()):
        if str(place) in str(getattr(module, "__spec__", "")) or name.partition(".")[0] == "space":
            del sys.modules[name]


def outcome(root: Path) -> Any:
    """What ``user.main()`` gives, with the files as they are now."""
    forget(root.parent)
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        return importlib.import_module("user").main()
    finally:
        sys.path.remove(str(root))


def assert_same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", PROJECTS)
def test_projects(name: str, tmp_path: Path, modules: None) -> None:
    files, state = PROJECTS[name]
    original = tmp_path / "original"
    write(original, files)
    expected = outcome(original)
    alone = {file: reports(original, file)[file] for file in files}
    together = reports(original)
    assert {file: replace(alone[file], path="") for file in files} == {
        file: replace(together[file], path="") for file in files
    }
    region = next(r for report in together.values() for r in report.regions if r.qualname.endswith(("run", "forward")))
    assert region.state is (RegionState.BLOCKED if state == "blocked" else RegionState.CONVERTIBLE), region.reasons
    text = "".join(report.new_text or "" for report in together.values())
    assert ("rt.core(" in text) == (state == "core")
    for chosen in [[file] for file in files] + [list(files)]:
        root = tmp_path / "_".join(["rewritten", *chosen]).replace("/", "_")
        write(root, files)
        reports(root, *chosen, apply=True)
        assert_same(outcome(root), expected)
    again = reports(root)
    assert all(report.new_text in (None, (root / file).read_text()) for file, report in again.items())


def test_star_imports_of_many_submodules(tmp_path: Path) -> None:
    """What a star import names is a module of the import system: looking it up asks no other star import."""
    package = tmp_path / "package"
    package.mkdir()
    names = [f"_part{index}" for index in range(14)]
    (package / "__init__.py").write_text("".join(f"from .{name} import *\n" for name in names), encoding="utf-8")
    for name in names:
        (package / f"{name}.py").write_text(f"def {name[1:]}(x):\n    return x\n", encoding="utf-8")
    user = tmp_path / "user.py"
    user.write_text("", encoding="utf-8")
    asked: list[str] = []

    class Counting(Modules):
        def outline(self, path: str) -> Outline | None:
            asked.append(path)
            assert len(asked) < 1000
            return super().outline(path)

    assert Names(Counting()).find(str(user), "package.part3") == Target(
        "function", str(package / "_part3.py"), "part3", Binding("function")
    )


def test_a_module_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is reached, by an import or by its relative path, and whatever is asked of it once it is closed."""
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "ops.py").write_text(textwrap.dedent(OPS))
    user = "from pkg.ops import SIGMA, TABLE, blur\n\n\ndef run(x):  # numpy\n    return blur(x) * SIGMA + TABLE\n"
    for name in ("before.py", "zz_after.py"):
        (package / name).write_text(user)
    opened: list[str] = []

    class Counted(Project):
        def _open(self, source: Source, path: str, editable: bool) -> Any:
            opened.append(Path(path).name)
            return super()._open(source, path, editable)

    config = Config()
    project = Counted(config)
    files = ["pkg/before.py", "pkg/ops.py", "pkg/zz_after.py"]
    found = [analyze(Source(name, Path(name).read_text()), config, project) for name in files]
    assert sorted(opened) == ["before.py", "ops.py", "zz_after.py"]
    assert found == [analyze(Source(name, Path(name).read_text()), config) for name in files]
