"""``np2tnp.check`` and ``np2tnp.rewrite`` as programs call them."""

from __future__ import annotations

import csv
import gc
import json
import os
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from command_line import run

import np2tnp
from np2tnp import library
from np2tnp.files.writing import Writer
from np2tnp.migration import journal

ROOT = Path(__file__).resolve().parents[1]
STUCK = "import numpy as np\n\n\nasync def stuck(x):\n    return np.exp(x)\n"


@pytest.fixture
def tree(project: Path) -> Path:
    (project / "np2tnp.toml").write_text("cache = false\n")
    (project / "stuck.py").write_text(STUCK)
    return project


def test_check_is_what_the_command_says(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report = np2tnp.check(".")
    document = json.loads(run(capfd, "check", "--output-format", "json")[1])
    assert report.files == tuple(item["path"] for item in document["files"]) == ("heat.py", "plain.py", "stuck.py")
    told = [(it.path, it.span.line, it.span.column, it.code, it.message, list(it.lines)) for it in report.findings]
    names = ("path", "line", "column", "code", "message")
    expected = [
        (*(it[name] for name in names), it["lines"] if it["lines"] != [it["line"]] else [])
        for it in document["findings"]
    ]
    assert told == expected
    rows = list(csv.DictReader(run(capfd, "check", "--output-format", "csv")[1].splitlines()))
    shown = [
        {it.name: str("" if (v := getattr(row, it.name)) is None else v) for it in fields(row)}
        for row in report.functions
    ]
    assert shown == rows
    assert {(it.function, it.state, it.code) for it in report.functions} == {
        *(("relax", "migrates", ""), ("double", "migrates", ""), ("stuck", "blocked", "TNP403")),
    }
    counts = report.counts
    assert (counts.files, counts.files_with_numpy, counts.errors, counts.findings) == (3, 2, 0, len(report.findings))
    assert (counts.migrates, counts.migrated, counts.kept, counts.blocked) == (2, 0, 0, 1)
    assert (counts.calls, counts.calls_convertible) == (
        document["summary"]["calls"],
        document["summary"]["calls_convertible"],
    )


@pytest.mark.parametrize(
    "form", [str, Path, lambda name: [name], lambda name: (Path(name),), lambda name: iter([name])]
)
def test_paths_may_be_one_or_many(tree: Path, form: Any) -> None:
    assert np2tnp.check(form("stuck.py")).files == ("stuck.py",)


def test_rewrite_writes_when_it_is_told_to(tree: Path) -> None:
    before = (tree / "heat.py").read_text()
    plan = np2tnp.rewrite(".")
    assert [(it.path, it.old_text) for it in plan.changes] == [("heat.py", before)]
    assert (tree / "heat.py").read_text() == before
    done = np2tnp.rewrite(".", apply=True)
    assert done.changes == plan.changes
    assert (tree / "heat.py").read_text() == plan.changes[0].new_text != before
    assert (tree / "stuck.py").read_text() == STUCK
    after = np2tnp.check(".")
    assert (after.counts.migrated, after.counts.migrates, after.counts.blocked) == (2, 0, 1)
    assert np2tnp.rewrite(".").changes == ()


def test_settings_win_over_the_files(tree: Path) -> None:
    (tree / "np2tnp.toml").write_text("cache = false\nignore = ['TNP4']\n")
    codes = {it.code for it in np2tnp.check(".").findings}
    assert "TNP403" not in codes
    assert {it.code for it in np2tnp.check(".", {"ignore": []}).findings} == codes | {"TNP403"}
    assert {it.code for it in np2tnp.check(".", {"select": ["coroutine"], "ignore": []}).findings} == {"TNP403"}
    assert "np2tnp_runtime" not in np2tnp.rewrite(".").changes[0].new_text
    assert "np2tnp_runtime" in np2tnp.rewrite(".", {"runtime": "vendor"}).changes[0].new_text
    assert {it.path for it in np2tnp.check(".").findings} == {"heat.py", "stuck.py"}
    assert {it.path for it in np2tnp.check(".", {"per-file-ignores": {"heat.py": ["ALL"]}}).findings} == {"stuck.py"}


def test_a_baseline_counts(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "baseline", "create", ".")[0] == 0
    report = np2tnp.check(".")
    assert "TNP403" not in {it.code for it in report.findings}
    assert report.counts.hidden > 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"selct": ["TNP1"]}, "config: unknown option `selct`; did you mean `select`?"),
        ({"select": ["TNP999"]}, "config: select: unknown code `TNP999`"),
        ({"compile": "fast"}, "config: compile: unknown value `fast`"),
        ({"jobs": "many"}, "config: jobs: expected a whole number, got 'many'"),
        ({"root": "/"}, "config: unknown option `root`"),
        ({"float32": True, "top-level": True}, "--float32 needs a boundary"),
        ({1: 2}, "config: expected a mapping of settings, got dict"),
        (["select"], "config: expected a mapping of settings, got list"),
    ],
)
def test_bad_settings_are_value_errors(tree: Path, settings: Any, words: str) -> None:
    for call in (np2tnp.check, np2tnp.rewrite):
        with pytest.raises(ValueError, match=re.escape(words)):
            call(".", settings)


def test_a_broken_file_of_settings_is_a_value_error(tree: Path) -> None:
    (tree / "below").mkdir()
    (tree / "below" / "m.py").write_text(STUCK)
    (tree / "below" / "np2tnp.toml").write_text("select = [")
    with pytest.raises(ValueError, match=r"np2tnp\.toml: not valid TOML"):
        np2tnp.check(".")


def test_rewrite_takes_no_choice_of_findings(tree: Path) -> None:
    for name in ("select", "extend-select", "extend_select", "ignore"):
        with pytest.raises(ValueError, match="is for check"):
            np2tnp.rewrite(".", {name: ["TNP1"]})


def test_bad_files_are_findings(tree: Path) -> None:
    (tree / "broken.py").write_text("import numpy as np\ndef f(:\n")
    for call in (np2tnp.check, np2tnp.rewrite):
        report = call([".", "missing.py"])
        codes = {it.path: it.code for it in report.findings if it.code.startswith("TNP90")}
        assert codes == {"broken.py": "TNP901", "missing.py": "TNP904"}
        assert report.counts.errors == 2
        assert set(codes) < set(report.files)


@pytest.mark.skipif(os.name != "posix", reason="how processes are known differs there")
def test_what_a_killed_run_left_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    program = (
        "import os, signal, np2tnp\n"
        "os.replace = lambda *args: os.kill(os.getpid(), signal.SIGKILL)\nnp2tnp.rewrite('.', apply=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    assert done.returncode == -9, done.stderr
    with pytest.raises(RuntimeError, match="an earlier run was killed"):
        np2tnp.rewrite(".")
    assert journal.recover(str(tree)) is not None
    assert len(np2tnp.rewrite(".").changes) == 1


def plain(part: object) -> bool:
    if isinstance(part, tuple):
        return all(map(plain, part))
    if is_dataclass(part):
        return all(plain(getattr(part, it.name)) for it in fields(part))
    return part is None or isinstance(part, (str, int, bool, Enum))


def test_reports_are_plain_frozen_data(tree: Path) -> None:
    report = np2tnp.rewrite(".")
    assert isinstance(report, np2tnp.Report)
    assert plain(report)
    assert report.changes
    assert not plain(Writer())
    assert pickle.loads(pickle.dumps(report)) == report == np2tnp.rewrite(".")
    assert hash(report) == hash(np2tnp.rewrite("."))
    with pytest.raises(FrozenInstanceError):
        report.notes = ()  # type: ignore[misc]


def test_the_caller_keeps_the_search_for_garbage(tree: Path) -> None:
    assert gc.isenabled()
    np2tnp.check(".")
    assert gc.isenabled()
    gc.disable()
    try:
        np2tnp.check(".")
        assert not gc.isenabled()
    finally:
        gc.enable()


def loaded(program: str) -> set[str]:
    names = ("tensorflow", "numpy", "libcst", "rich", "dataclasses", "argparse", "np2tnp.library", "np2tnp.config")
    program += f"\nimport sys\nprint('LOADED', *(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {[str(ROOT), *sys.path]!r}\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.rpartition("LOADED")[2].split())


def test_nothing_is_imported_before_it_is_used(tree: Path) -> None:
    assert loaded("import np2tnp") == set()
    assert not loaded("import np2tnp\nnp2tnp.check('.')\nnp2tnp.rewrite('.', apply=True)") & {"tensorflow", "numpy"}
    assert "numpy" in loaded("import numpy")


def test_the_folder_of_the_same_name_can_be_called(tree: Path) -> None:
    """Whoever imported something of ``np2tnp/rewrite/`` before."""
    program = (
        "import np2tnp\nfirst = np2tnp.rewrite('.')\nimport np2tnp.rewrite.apply\nassert np2tnp.rewrite.apply.Applier\n"
        "assert np2tnp.rewrite('.') == first and first.changes\nfrom np2tnp import rewrite\n"
        "assert rewrite(['.'], {'slow': 'keep'}, apply=False) == first\n"
    )
    for start in ("", "import np2tnp.rewrite.apply\n", "from np2tnp import engine\n"):
        loaded(start + program)


def test_workers_need_no_guard_in_the_program(tree: Path) -> None:
    """They are programs of their own, which never run the caller's."""
    for number in range(4):
        (tree / f"m{number}.py").write_text(STUCK)
    (tree / "program.py").write_text(
        "import np2tnp\nprint('once', np2tnp.check('.', {'jobs': 2}) == np2tnp.check('.', {'jobs': 1}))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "program.py"], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "once True\n"


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'np2tnp' has no attribute 'chek'"):
        np2tnp.chek  # type: ignore[attr-defined] # noqa: B018


def test_it_is_typed() -> None:
    for function in (library.check, library.rewrite):
        assert get_type_hints(function)["return"] is np2tnp.Report
    assert (ROOT / "np2tnp" / "py.typed").exists()


def test_the_example_of_the_page_runs(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"## An example\n.*?```python\n(.*?)```", page, re.DOTALL)
    (tree / "src").mkdir()
    for name in ("heat.py", "stuck.py"):
        (tree / name).rename(tree / "src" / name)
    exec(compile(example, "python-api.md", "exec"), {})
    lines = capfd.readouterr().out.splitlines()
    words = "an async function is not migrated: move its work on arrays into a function of its own"
    assert lines[:2] == [
        f"{Path('src/stuck.py')}:4: stuck: TNP403 {words}",
        "2 functions migrate, 1 are blocked",
    ]
    assert re.fullmatch(r"src.heat\.py \d+ lines", lines[2])
    assert len(lines) == 3
