"""``rewrite --apply``: ``--test``, ``--interactive``, ``--backup``, ``--recover``: what stays and what is put back."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from np2tnp.cli import main
from np2tnp.files.writing import replace_file
from np2tnp.migration import journal
from np2tnp.migration.user_tests import largest_passing

ROOT = Path(__file__).resolve().parents[2]

ONE = """\
import numpy as np


def good(x):
    return np.sqrt(x) + 1.0


def culprit(x):
    return np.exp(x)


def fine(x):
    return np.cos(x) * np.sin(x)
"""
TWO = """\
import numpy as np


def other(x):
    return np.abs(x)


def accomplice(x):
    return np.sum(x, axis=0)
"""
#: A test command that needs no TensorFlow: some functions may not be migrated.
JUDGE = """\
import pathlib, re, sys
text = pathlib.Path("one.py").read_text() + pathlib.Path("two.py").read_text()
migrated = set(re.findall(r"@rt.migrated.*\\ndef (\\w+)", text))
print("looking at", sorted(migrated))
sys.exit("one.py is wrong: " + str(sorted(migrated & BAD)) if migrated & BAD else 0)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "pyproject.toml").write_text("[tool.np2tnp]\ncache = false\n")
    (tmp_path / "one.py").write_text(ONE)
    (tmp_path / "two.py").write_text(TWO)
    return tmp_path


def judge(project: Path, *bad: str) -> str:
    (project / "judge.py").write_text(f"BAD = {set(bad) or 'set()'}\n{JUDGE}")
    return f"{sys.executable} judge.py"


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["rewrite", *arguments])
    out, err = capfd.readouterr()
    return status, out, err


def migrated(project: Path) -> set[str]:
    import re

    text = "".join((project / name).read_text() for name in ("one.py", "two.py"))
    return set(re.findall(r"@rt\.migrated.*\ndef (\w+)", text))


ALL = {"good", "culprit", "fine", "other", "accomplice"}


# --- the search for the largest set


@given(
    st.integers(0, 40).flatmap(
        lambda n: st.tuples(st.just(n), st.frozensets(st.integers(0, n)), st.frozensets(st.integers(0, n), max_size=4))
    )
)
@settings(max_examples=300, deadline=None)
def test_the_set_found_passes_and_cannot_grow(case: tuple[int, frozenset[int], frozenset[int]]) -> None:
    """Culprits fail always; the members of a trio fail as long as not all of them are there."""
    count, culprits, trio = case
    asked: list[frozenset[int]] = []

    def passes(subset: frozenset[int]) -> bool:
        asked.append(subset)
        return not subset & culprits and (not subset & trio or trio <= subset or len(subset & trio) < 2)

    found = largest_passing(range(count), passes)
    assert len(asked) == len(set(asked))
    assert not found or found in asked
    assert passes(found)
    assert not any(passes(found | {item}) for item in set(range(count)) - found)


def test_one_culprit_costs_two_questions_a_halving() -> None:
    asked: list[frozenset[int]] = []

    def passes(subset: frozenset[int]) -> bool:
        asked.append(subset)
        return 777 not in subset

    assert len(largest_passing(range(1024), passes)) == 1023
    assert len(asked) <= 24


# --- --test


def test_all_stays_where_the_tests_pass(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capfd, "--apply", "--test", judge(project), ".")
    assert status == 0, err
    assert migrated(project) == ALL
    assert not Path(journal.place(str(project))).exists()


def test_what_breaks_the_tests_is_put_back_and_named(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capfd, "--apply", "--test", judge(project, "culprit", "accomplice"), ".")
    assert status == 0
    assert migrated(project) == ALL - {"culprit", "accomplice"}
    assert "one.py::culprit was left as it is: the tests fail with it (exit status 1)\n" in err
    assert "    one.py is wrong: ['culprit']\n" in err
    assert "two.py::accomplice was left as it is" in err
    assert "rewrote one.py" in out
    text = (project / "one.py").read_text()
    assert ONE[ONE.index("def culprit") : ONE.index("def fine")] in text


def test_nothing_stays_where_nothing_passes(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, "--apply", "--test", judge(project, *ALL), ".")
    assert (status, out) == (0, "")
    assert (project / "one.py").read_text() == ONE
    assert (project / "two.py").read_text() == TWO


def test_tests_that_fail_before_refuse_the_run(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capfd, "--apply", "--test", f'{sys.executable} -c "print(1/0)"', ".")
    assert status == 2
    assert "the tests fail before any change (exit status 1)" in err
    assert "ZeroDivisionError" in err
    assert (project / "one.py").read_text() == ONE


def test_a_test_command_that_never_ends_with_a_region(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = judge(project, "culprit")
    script = project / "judge.py"
    script.write_text(script.read_text().replace("sys.exit(", "migrated & BAD and __import__('time').sleep(99); ("))
    status, _, err = run(capfd, "--apply", "--test", command, "--test-timeout", "1.5", ".")
    assert status == 0
    assert migrated(project) == ALL - {"culprit"}
    assert "took longer than 2 s" in err


def test_a_python_without_our_runtime_is_told(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "t.py").write_text(
        "import sys\n\nclass Without:\n    def find_spec(self, name, *_):\n        if name == 'np2tnp':\n"
        "            raise ModuleNotFoundError(\"No module named 'np2tnp'\")\n\n"
        "sys.meta_path.insert(0, Without())\nimport one\n"
    )
    (project / "one.py").write_text("import numpy as np\n\n\ndef good(x):\n    return np.sqrt(x)\n")
    status, _, err = run(capfd, "--apply", "--test", f"{sys.executable} t.py", "one.py")
    assert status == 2, err
    assert "the tests' Python has no np2tnp: install it there first" in err
    assert "rt." not in (project / "one.py").read_text()


def test_a_file_edited_during_the_tests_is_left_alone(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "edit.py").write_text(
        "import pathlib, sys\nfile = pathlib.Path('one.py')\ntext = file.read_text()\n"
        "if 'rt.' in text:\n    file.write_text('edited = True\\n')\n    sys.exit(1)\n"
    )
    status, _, err = run(capfd, "--apply", "--test", f"{sys.executable} edit.py", ".")
    assert status == 2
    assert "one.py: changed while it was being rewritten" in err
    assert (project / "one.py").read_text() == "edited = True\n"
    assert (project / "two.py").read_text() == TWO
    assert (project / "one.py.np2tnp-original").read_text() == ONE


@pytest.mark.skipif(os.name != "posix", reason="signals differ there")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_interrupted_in_the_middle(project: Path, capfd: pytest.CaptureFixture[str], number: str) -> None:
    """Ctrl-C and termination put everything back; after a kill the next run refuses, and --recover puts it back."""
    script = "import pathlib, time\nif 'rt.' in pathlib.Path('one.py').read_text():\n"
    (project / "slow.py").write_text(script + "    pathlib.Path('here').touch()\n    time.sleep(60)\n")
    command = [sys.executable, "-m", "np2tnp", "rewrite", "--apply", "--test", f"{sys.executable} slow.py", "."]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + 60
        while not (project / "here").exists() and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(getattr(signal, number))
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    if number == "SIGKILL":
        assert "rt." in (project / "one.py").read_text()
        status, _, err = run(capfd, "--apply", ".")
        assert status == 2
        assert "--recover" in err
        (project / "two.py").write_text("mine = 1\n")
        status, _, err = run(capfd, "--recover", ".")
        assert status == 0
        assert (project / "two.py").read_text() == "mine = 1\n"
        assert (project / "two.py.np2tnp-original").read_text() == TWO
        assert "put back" in err
    else:
        assert process.returncode == 130
        assert "interrupted: all files are as they were before" in err
        assert (project / "two.py").read_text() == TWO
    assert (project / "one.py").read_text() == ONE
    assert not Path(journal.place(str(project))).exists()


def test_trials_are_planned_from_the_originals(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What an import leads to is read from disk, where the version of the last trial lies."""
    one = (
        "import numpy as np\nfrom two import other\n\n\ndef good(x):\n    y = np.sqrt(x)\n    other(y)\n    return y\n"
    )
    two = TWO.replace("return np.abs(x)", "x[:] = np.abs(x) * 2") + "\n\ndef bad(x):\n    return np.exp(x)\n"
    (project / "one.py").write_text(one)
    (project / "two.py").write_text(two)
    judge(project, "bad")
    script = project / "judge.py"
    script.write_text(script.read_text().replace("rt.migrated.*", "rt.migrated(?:.|\\n)*?"))
    assert run(capfd, "--apply", "--test", f"{sys.executable} judge.py", ".")[0] == 0
    tested = [(project / name).read_text() for name in ("one.py", "two.py")]
    (project / "one.py").write_text(one)
    (project / "two.py").write_text(two)
    assert run(capfd, "--apply", "--skip", "bad", ".")[0] == 0
    assert tested == [(project / name).read_text() for name in ("one.py", "two.py")]
    assert '@rt.original("good"' in tested[0]


@pytest.mark.parametrize("outcome", ["passes", "fails"])
def test_the_copied_runtime_is_there_for_the_tests(
    project: Path, capfd: pytest.CaptureFixture[str], outcome: str
) -> None:
    command = judge(project, *(ALL if outcome == "fails" else ()))
    script = project / "judge.py"
    script.write_text(
        "import importlib.util, os\nhere = os.path.isfile('np2tnp_runtime/__init__.py')\n"
        + script.read_text().replace("sys.exit(", "assert here or not migrated; sys.exit(")
    )
    status, _, err = run(capfd, "--apply", "--runtime", "vendor", "--test", command, ".")
    assert status == 0
    assert migrated(project) == (set() if outcome == "fails" else ALL), err
    assert (project / "np2tnp_runtime").exists() is (outcome == "passes")


@pytest.mark.parametrize("moment", ["journal", "written", "twice"])
def test_interrupted_where_it_hurts(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Ctrl-C while the originals are saved, in the moment after a file changed, and again while all is put back."""
    done: list[object] = []

    def interrupting(function: Callable[..., Any], times: int) -> Callable[..., Any]:
        def call(*arguments: object) -> Any:
            result = function(*arguments)
            if len(done) < times:
                done.append(arguments)
                signal.raise_signal(signal.SIGINT)
            return result

        return call

    if moment == "journal":
        monkeypatch.setattr(os, "fsync", interrupting(os.fsync, 1))
    else:
        times = 3 if moment == "twice" else 1
        monkeypatch.setattr(journal, "replace_file", interrupting(replace_file, times))
    status, _, err = run(capfd, "--apply", "--test", judge(project), ".")
    assert done
    assert status == 130
    assert "interrupted: all files are as they were before\n" in err
    assert (project / "one.py").read_text() == ONE
    assert (project / "two.py").read_text() == TWO
    assert not Path(journal.place(str(project))).exists()


@pytest.mark.parametrize("left", [["journal.jsonl", "0.orig"], ["journal.jsonl"], []])
@pytest.mark.parametrize("is_kept", [True, False])
def test_killed_while_it_ended(
    project: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    left: list[str],
    is_kept: bool,
) -> None:
    """The journal is half gone by then: nothing is to be put back, and --recover says what the files hold."""
    command = judge(project, *(() if is_kept else ALL))
    script = project / "judge.py"
    script.write_text(script.read_text().replace("one.py is wrong", "No module named 'np2tnp'"))  # ends the run
    saved: dict[str, bytes] = {}
    drop = journal.drop

    def remember(folder: str) -> None:
        saved.update({name: Path(folder, name).read_bytes() for name in left})
        drop(folder)

    monkeypatch.setattr(journal, "drop", remember)
    assert run(capfd, "--apply", "--test", command, ".")[0] == (0 if is_kept else 2)
    monkeypatch.undo()
    monkeypatch.chdir(project)
    folder = Path(journal.place(str(project)))
    folder.mkdir()
    for name, data in saved.items():
        process = f'"process": {os.getpid()}'.encode()
        (folder / name).write_bytes(data.replace(process, b'"process": 99999999'))
    before = migrated(project)
    assert run(capfd, "--apply", ".")[0] == 2
    status, _, err = run(capfd, "--recover")
    assert status == 0
    expected = "what it wrote stays rewritten" if is_kept else "no file had been changed"
    assert (expected if left else "nothing is half done") in err
    assert migrated(project) == before == (ALL if is_kept else set())
    assert not Path(journal.place(str(project))).exists()


# --- --interactive and --backup


def answers(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_region_by_region(project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "y\nwhat?\nn\ny\nn\ny\n")
    status, out, _ = run(capfd, "--apply", "--interactive", ".")
    assert status == 0
    assert migrated(project) == {"good", "fine", "accomplice"}
    assert "rewrite one.py::culprit (2 of 5)?" in out
    assert "leave it as it is" in out
    shown = out[out.index("2 of 5") : out.index("3 of 5")]
    assert "-    return np.cos(x) * np.sin(x)" in shown
    assert "-    return np.exp(x)" not in shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [("n\na\n", ALL - {"good"}), ("y\nd\n", {"good"}), ("y\nq\n", set()), ("y\n", set()), ("", set())],
)
def test_ending_early(
    project: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    expected: set[str],
) -> None:
    answers(monkeypatch, text)
    assert run(capfd, "--apply", "--interactive", ".")[0] == 0
    assert migrated(project) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("y\ny\n", {"inner", "outer"}), ("n\n", set()), ("y\nn\n", {"outer"}), ("a\n", {"inner", "outer"})],
)
def test_a_function_that_others_must_come_along_with_is_asked_about_after_them(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, expected: set[str]
) -> None:
    """Tensors are the contract: while `outer` stays NumPy, `inner` has to."""
    (project / "one.py").write_text(
        "import numpy as np\n\n\ndef inner(x):\n    return np.exp(x)\n\n\ndef outer(x):\n    y = inner(np.sin(x))\n"
        "    y[0] = 0\n    return y\n"
    )
    answers(monkeypatch, text)
    status, out, _ = run(capfd, "--apply", "--interactive", "--boundary", "tensor", "one.py")
    assert status == 0
    written = (project / "one.py").read_text()
    assert {name for name, work in (("inner", "rt.exp"), ("outer", "rt.sin")) if work in written} == expected
    assert ("inner cannot be rewritten without the functions that were left" in out) is (not expected)


def test_backups_are_never_overwritten(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "two.py.orig").write_text("older\n")
    assert run(capfd, "--apply", "--backup", ".")[0] == 0
    assert (project / "one.py.orig").read_text() == ONE
    assert (project / "two.py.orig").read_text() == "older\n"
    assert (project / "two.py.orig1").read_text() == TWO
    assert run(capfd, "--apply", "--backup", ".")[0] == 0
    assert not (project / "one.py.orig1").exists()


def test_a_backup_with_tests_keeps_only_what_changed(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = judge(project, "other", "accomplice")
    assert run(capfd, "--apply", "--backup", "--backup-suffix", "~", "--test", command, ".")[0] == 0
    assert (project / "one.py~").read_text() == ONE
    assert not (project / "two.py~").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--test", "true", "one.py"], "--test needs --apply"),
        (["--interactive", "one.py"], "--interactive needs --apply"),
        (["--apply", "--backup", "-"], "standard input"),
        (["--strict", "one.py"], "--strict belongs to --verify"),
        (["--apply", "--test-timeout", "3", "one.py"], "--test-timeout belongs to --test"),
        (["--apply", "--backup", "--backup-suffix", "", "one.py"], "--backup-suffix"),
        (["--only", "goood", "one.py"], "--only goood: there is no such function; did you mean `good`?"),
    ],
)
def test_what_makes_no_sense_is_refused(
    project: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    class Bytes(io.StringIO):
        buffer = io.BytesIO(b"x = 1\n")

    monkeypatch.setattr(sys, "stdin", Bytes())
    status, _, err = run(capfd, *arguments)
    assert status == 2
    assert words in err
    assert err.count("\n") == 1
    assert (project / "one.py").read_text() == ONE


def test_recovering_nothing(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capfd, "--recover")
    assert status == 0
    assert "nothing to recover" in err
