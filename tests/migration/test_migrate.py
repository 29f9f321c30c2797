"""``np2tnp migrate``: the whole journey in real processes: interrupted, resumed, without a GPU, applied, put back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

import pytest

from np2tnp.commands.migrate import _tell_the_rest
from np2tnp.options import EMITTED
from np2tnp.profiling.measured import Measured, Plan
from np2tnp.verify.two_texts import Pair

pytestmark = pytest.mark.usefixtures("forked_children")

ROOT = Path(__file__).resolve().parents[2]

SOLVER = """\
import numpy as np


def smooth(field, steps):
    for _ in range(steps):
        field = 0.5 * (np.roll(field, 1, 0) + np.roll(field, -1, 0))
    return np.tanh(field)


def cold(x):
    return np.exp(x)
"""
PROGRAM = """\
import sys, time
sys.path.insert(0, "src")
import numpy as np
from solver import smooth

end = time.thread_time() + 1.0
while time.thread_time() < end:
    result = smooth(np.linspace(0.0, 1.0, 40_000).reshape(200, 200), 5)
print("result", result.sum().round(6), sys.argv[1:])
"""
#: A test command that needs no TensorFlow.
JUDGE = """\
import pathlib, sys
text = pathlib.Path("src/solver.py").read_text()
sys.exit("smooth is migrated" if "rt.migrated" in text else 0)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.np2tnp]\ncache = false\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "solver.py").write_text(SOLVER)
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "judge.py").write_text(JUDGE)
    return tmp_path


def start(project: Path, *arguments: str) -> subprocess.Popen[str]:
    variables = {"CUDA_VISIBLE_DEVICES": "-1", "XDG_STATE_HOME": str(project / "state"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "np2tnp", "migrate", *arguments]
    return subprocess.Popen(
        command,
        cwd=project,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def migrate(project: Path, *arguments: str) -> tuple[int, str, str]:
    process = start(project, *arguments)
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


def interrupt(project: Path, line: str, *arguments: str) -> str:
    """Ctrl-C a moment after `line` was said: what was said after all."""
    process = start(project, *arguments)
    assert process.stderr is not None
    seen = []
    for said in process.stderr:
        seen.append(said)
        if line in said:
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            break
    _, rest = process.communicate(timeout=120)
    assert process.returncode == 130, "".join(seen) + rest
    return "".join(seen) + rest


def text(project: Path) -> str:
    return (project / "src" / "solver.py").read_text()


def confirmed(project: Path) -> str:
    """What a machine with a GPU might have measured of the function: the file of this one with another decision."""
    found = next((project / "state").rglob("np2tnp-profile.json"))
    document = json.loads(found.read_text())
    for item in document["functions"]:
        item["decision"] |= {"confirmed": True, "compile": "none", "above": None, "modes": {"none": 3.0}, "gain": 3.0}
    (project / "gpu.json").write_text(json.dumps(document))
    return "gpu.json"


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.flaky(reruns=2)  # what is hot is found by samples
def test_the_whole_journey(project):
    words = ("src", "--", "python", "train.py", "7")
    for line in ("its output follows", "[3/7] verify"):
        said = interrupt(project, line, *words)
        assert "no file was changed; the same command goes on with what is finished" in said
        assert text(project) == SOLVER

    status, out, err = migrate(project, *words)
    assert status == 0, err
    assert out == ""  # nothing to write: standard output is the diff
    assert "this runs your code" in err
    assert "[2/7] run: python train.py 7" in err
    assert "taken from the run of" in err  # from before the second interruption
    assert "result" not in err
    assert "EQUAL     src/solver.py::smooth" in err
    assert "cold" not in err
    assert "np2tnp profile --top 10 --output np2tnp-gpu.json -- python train.py 7\n" in err
    again = "np2tnp migrate --confirmed np2tnp-gpu.json --apply src -- python train.py 7\n"
    assert again in err
    assert f"kept for the next run of this command in {project / 'state'}" in err
    assert "smooth" in (project / "np2tnp-report.html").read_text()
    assert text(project) == SOLVER

    file = confirmed(project)
    status, out, err = migrate(project, "--confirmed", file, *words)
    assert status == 0, err
    assert "the times of smooth" not in err
    assert "1 verdict" in err
    assert "+@rt.migrated" in out
    assert "--apply does it" in err
    assert text(project) == SOLVER

    status, out, err = migrate(project, "--confirmed", file, "--apply", "--test", f"{sys.executable} judge.py", *words)
    assert status == 0, err
    assert "smooth was left as it is: the tests fail with it" in err
    assert text(project) == SOLVER

    status, out, err = migrate(project, "--confirmed", file, "--apply", "--test", f"{sys.executable} -c pass", *words)
    assert status == 0, err
    assert out == "rewrote src/solver.py\n"
    assert "@rt.migrated" in text(project)
    assert not list((project / "state").rglob("*.pickle"))  # the arguments of a text that is no more
    before, after = (
        subprocess.run(
            [sys.executable, "train.py"],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": "-1", "NP2TNP_ABOVE": above},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for above in ("999999999", "0")
    )
    assert before == after


def test_a_program_that_fails_ends_the_journey(project):
    (project / "train.py").write_text(PROGRAM.replace("+ 1.0", "+ 0.1") + "raise SystemExit(3)\n")
    status, _, err = migrate(project, "--apply", "src", "--", "python", "train.py")
    assert status == 2
    assert "python train.py ended with status 3: migrate needs a run that succeeds; no file was changed" in err.replace(
        sys.executable, "python"
    )
    assert "result" in err  # its own output
    assert text(project) == SOLVER


def test_tests_that_fail_before_any_change_end_the_journey_before_the_program_runs(project):
    command = f"{sys.executable} -c 'raise SystemExit(\"no luck\")'"
    for apply in ((), ("--apply",)):
        status, out, err = migrate(project, *apply, "--test", command, "src", "--", "python", "train.py")
        assert (status, out) == (2, "")
        assert "the tests fail before any change (exit status 1):\n    no luck\n" in err
        assert "[2/7]" not in err
    assert text(project) == SOLVER


@pytest.mark.parametrize("is_changed", [False, True])
def test_the_commands_for_another_machine_say_which_files_they_need(capsys, is_changed):
    plan = Plan(Pair("a.py", "", "", ""), "slow", "elements", (), ())
    measured = Measured(plan, devices=["CPU:0"], veto="it is slow")
    found = SimpleNamespace(measured={("a.py", "slow"): measured})
    options = {**dict.fromkeys((*EMITTED, "isolated", "unsafe", "float32")), "compile": "xla", "config": ["slow=keep"]}
    parsed = Namespace(confirmed=None, program=["train.py", "a b"], top=3, test=None, paths=["src"], **options)
    _tell_the_rest(parsed, found, is_changed)
    said = capsys.readouterr().err
    given = "--config slow=keep --compile xla"
    assert "on one these may be faster: slow\n" in said
    assert f"np2tnp profile {given} --top 3 --output np2tnp-gpu.json -- train.py 'a b'\n" in said
    assert f"np2tnp migrate {given} --confirmed np2tnp-gpu.json --apply src -- train.py 'a b'\n" in said
    assert ("as they were before this run" in said) is is_changed


def test_a_program_is_not_run_for_a_notebook(project):
    cell = '{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": ["1"]}'
    language = '"metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5'
    (project / "nb.ipynb").write_text(f'{{"cells": [{cell}], {language}}}')
    status, _, err = migrate(project, "nb.ipynb", "--", "python", "train.py")
    assert status == 2
    assert "nb.ipynb: functions of notebooks are not run: `jupyter nbconvert" in err
    assert "[2/7]" not in err


def test_the_program_is_not_run_where_nothing_can_be_migrated(project):
    (project / "src" / "solver.py").write_text("import numpy as np\n\n\ndef f(x):\n    return np.sort(x).ctypes\n")
    status, _, err = migrate(project, "src", "--", "python", "train.py")
    assert status == 0
    assert "nothing can be migrated: `np2tnp check src` says why" in err
    assert "[2/7]" not in err


@pytest.mark.parametrize("words", [("src",), ("--", "python", "train.py"), ("src", "--")])
def test_both_the_files_and_the_program_are_named(project, words):
    status, _, err = migrate(project, *words)
    assert status == 2
    assert err == (
        "np2tnp migrate: name what may be rewritten, and after -- the program: np2tnp migrate src -- python train.py "
        "(see np2tnp migrate --help)\n"
    )


def test_files_that_cannot_be_used_are_one_line(project):
    (project / "broken.json").write_text("{")
    for words in (("--confirmed", "broken.json", "src"), ("--confirmed", "missing.json", "src"), ("nowhere",)):
        status, out, err = migrate(project, *words, "--", "python", "-c", "pass")
        assert (status, out) == (2, ""), err
        assert "Traceback" not in err
        assert "[2/7]" not in err
    assert text(project) == SOLVER
