"""What a killed ``rewrite --apply`` left is said and undone, and nothing else is ever undone."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from np2tnp.cli import main
from np2tnp.files.problems import Problem
from np2tnp.files.writing import Writer
from np2tnp.migration import journal
from np2tnp.rewrite.vendoring import copy_runtime

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return np.sin(x) + 1\n"
NAMES = ("one.py", "two.py", "inner/three.py")
#: Ends the process before its n-th step that changes a file system; all of them where n is too large.
KILLED = """\
import builtins, os, signal, sys
left = int(sys.argv[1])
def counted(function):
    def call(*args, **options):
        global left
        if function is not builtins_open or (len(args) > 1 and args[1] != 'r' and args[1] != 'rb'):
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
        return function(*args, **options)
    return call
builtins_open = open
builtins.open = counted(open)
for name in ('open', 'mkdir', 'replace', 'link', 'rename', 'unlink', 'rmdir', 'fsync', 'chmod'):
    setattr(os, name, counted(getattr(os, name)))
"""
#: As ``rewrite --apply --backup --runtime vendor`` writes.
WRITES = (
    KILLED
    + """
from np2tnp.migration.journal import Journal, save_copy
names = sys.argv[2:]
old = {name: open(name, 'rb').read() for name in names}
journal = Journal('.')
journal.begin(old)
journal.make_folder('np2tnp_runtime')
journal.create('np2tnp_runtime/__init__.py', b'runtime')
journal.make_folder('np2tnp_runtime/inner')
journal.create('np2tnp_runtime/inner/more.py', b'runtime, too')
for name in names:
    save_copy(name, old[name], '.orig', journal)
for name in names:
    journal.replace(name, old[name], b'# new\\n' + old[name])
journal.end('kept')
"""
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "inner").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("NO_COLOR", "1")
    (folder / "pyproject.toml").write_text("[tool.np2tnp]\ncache = false\n")
    for name in NAMES:
        (folder / name).write_text(SOURCE)
    return folder


def tree(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def child(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.name != "posix", reason="signals differ there")
def test_killed_before_each_step(project: Path) -> None:
    before = tree(project)
    done = child(WRITES, "10000", *NAMES)
    assert done.returncode == 0, done.stderr
    written = tree(project)
    assert {name: text for name, text in written.items() if name in NAMES} == dict.fromkeys(NAMES, "# new\n" + SOURCE)
    seen = set()
    for step in itertools.count():
        for name in written.keys() - before.keys():
            (project / name).unlink(missing_ok=True)
        shutil.rmtree(project / "np2tnp_runtime", ignore_errors=True)
        for name, text in before.items():
            (project / name).write_text(text)
        status = child(WRITES, str(step), *NAMES).returncode
        if status == 0:
            break
        assert status == -9
        left = journal.state_left(".")
        journal.recover(".")
        assert not Path(journal.place(".")).exists()
        assert journal.state_left(".") == ""
        after = tree(project)
        assert after == before or (after == written and "middle" not in left), (step, left)
        assert (project / "np2tnp_runtime").exists() is (after == written)
        seen.add(left)
    assert step > 50
    for number in range(3):
        assert any(f"{number} of 3 files hold what it wrote" in words for words in seen), seen


@pytest.mark.skipif(os.name != "posix", reason="signals differ there")
def test_the_next_run_says_what_state_the_files_are_in(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = tree(project)
    program = (
        "import os, signal, sys\nfrom np2tnp.cli import main\nreplace = os.replace\nmoved = []\n"
        "def killed(*args):\n    if len(moved) == 2:\n        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    moved.append(args)\n    replace(*args)\n"
        "os.replace = killed\nmain(['rewrite', '--apply', '--backup', '.'])"
    )
    assert child(program).returncode == -9
    assert any(".np2tnp-" in name for name in tree(project))
    said = "an earlier run was killed in the middle: 2 of 3 files hold what it wrote; `np2tnp rewrite --recover"
    assert main(["rewrite", "--apply", "."]) == 2
    assert said in capfd.readouterr().err
    main(["check", "."])
    assert said in capfd.readouterr().err
    assert main(["rewrite", "--recover"]) == 0
    assert capfd.readouterr().err.count("put back") == 2
    assert tree(project) == before
    assert main(["rewrite", "--apply", "."]) == 0
    assert "3 files rewritten" in capfd.readouterr().err
    assert not list((project.parent / "state" / "np2tnp").iterdir())


@pytest.mark.parametrize("where", [".np2tnp_journal", ".np2tnp"])
def test_a_journal_that_a_repository_brings_along(project: Path, capfd: pytest.CaptureFixture[str], where: str) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text("precious")
    forged = project / where
    forged.mkdir()
    (forged / "0.orig").write_text("evil")
    content = journal.digest(b"precious")
    lines = [
        {"root": str(project)},
        {"path": str(outside / "precious.txt"), "original": "0.orig"},
        {"path": str(outside / "precious.txt"), "writes": content},
        {"path": str(outside / "precious.txt"), "creates": content, "temporary": str(outside / "precious.txt")},
        {"made": str(outside)},
    ]
    (forged / "journal.jsonl").write_text("".join(json.dumps({**line, "process": 999999}) + "\n" for line in lines))
    assert main(["rewrite", "--recover", "."]) == 0
    assert "there is nothing to recover" in capfd.readouterr().err
    assert main(["rewrite", "--apply", "."]) == 0
    assert (outside / "precious.txt").read_text() == "precious"


def left_journal(project: Path, *lines: dict[str, str]) -> None:
    folder = Path(journal.place(str(project)))
    folder.mkdir(parents=True)
    (folder / "0.orig").write_text("original")
    first = {"path": str(project / "one.py"), "original": "0.orig"}
    (folder / "journal.jsonl").write_text(
        "".join(json.dumps({**line, "process": 999999}) + "\n" for line in (first, *lines))
    )


def test_only_what_was_written_is_undone(project: Path) -> None:
    """Files that somebody changed, put elsewhere, or replaced by links meanwhile, and folders with other files."""
    outside = project.parent / "outside.py"
    outside.write_text("ours")
    ours = journal.digest(b"ours")
    (project / "linked.py").symlink_to(outside)
    (project / "folder").mkdir()
    (project / "folder" / "theirs.py").write_text("theirs")
    (project / "far").symlink_to(project.parent)
    left_journal(
        project,
        {"path": str(project / "linked.py"), "original": "0.orig"},
        {"path": str(project / "linked.py"), "writes": ours},
        {"path": str(project / "far" / "outside.py"), "creates": ours, "temporary": str(project / "folder")},
        {"path": str(project / "two.py"), "creates": ours, "temporary": str(project / "linked.py")},
        {"made": str(project / "folder")},
        {"made": str(project / "far")},
    )
    lines = journal.recover(str(project)) or []
    assert outside.read_text() == "ours"
    assert (project / "folder" / "theirs.py").read_text() == "theirs"
    assert (project / "linked.py").is_symlink()
    assert (project / "far").is_symlink()
    assert (project / "two.py").read_text() == SOURCE
    assert any("folder stays: it holds what np2tnp did not write" in line for line in lines)
    assert sum("was changed since, and is left as it is" in line for line in lines) == 2


def test_a_home_that_cannot_be_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "one.py" / "no folder"))
    monkeypatch.setenv("TMPDIR", str(project.parent))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert main(["rewrite", "--apply", "."]) == 0
    assert "rt.migrated" in (project / "one.py").read_text()
    assert [path.name for path in project.parent.glob("np2tnp-*")]


def test_the_runtime_is_not_copied_through_links(project: Path) -> None:
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "__init__.py").write_text("# np2tnp")
    (project / "np2tnp_runtime").symlink_to(elsewhere)
    with pytest.raises(Problem, match="is a link"):
        copy_runtime(str(project / "np2tnp_runtime"), Writer())
    (project / "np2tnp_runtime").unlink()
    (project / "np2tnp_runtime").mkdir()
    (project / "np2tnp_runtime" / "__init__.py").symlink_to(elsewhere / "__init__.py")
    with pytest.raises(Problem, match="is a link"):
        copy_runtime(str(project / "np2tnp_runtime"), Writer())
    assert (elsewhere / "__init__.py").read_text() == "# np2tnp"


def test_a_run_that_comes_second_leaves_the_first_one_s_journal_alone(project: Path) -> None:
    first, second = journal.Journal(str(project)), journal.Journal(str(project))
    first.begin({str(project / "one.py"): SOURCE.encode()})
    held = sorted(os.listdir(first.folder))
    assert "0.orig" in held
    with pytest.raises(journal.AnotherRunError, match="another run of np2tnp is writing to this project"):
        second.begin({str(project / "two.py"): SOURCE.encode()})
    assert sorted(os.listdir(first.folder)) == held
    first.end("kept")
    second.begin({str(project / "two.py"): SOURCE.encode()})
    second.end("kept")
    assert not os.path.exists(second.folder)
