"""``profile -- PROGRAM``: the sampler and the recorder inside real programs, and what is made of what they saw."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from result_files import read_result
from sampled_programs import sampled

from np2tnp.config import Config
from np2tnp.profiling.hot import command_line, rank
from np2tnp.verify.two_texts import CannotVerify

pytestmark = pytest.mark.usefixtures("forked_children")

#: What is hot is found by samples, which fall by chance: a fault fails each time, chance does not.
measures = pytest.mark.flaky(reruns=4)

ROOT = Path(__file__).parents[2]

PROGRAM = """
import sys, threading, time
import numpy as np

def square(x):
    return np.square(x)

def smooth(x, steps):
    for _ in range(steps):
        x[1:-1] = 0.5 * (x[:-2] + x[2:])
    return square(x).sum()

class Net:
    def __init__(self, n):
        self.w = np.full((n, 1), 0.01)

    def step(self, x):
        y = np.tanh(self.w * x)
        return y.mean(axis=0)

    def stuck(self, x):
        return np.sort(x).astype(np.longdouble)

def data():
    return np.ones(200_000), np.ones((100, 2000)), np.ones(20_000)

def main():
    net = Net(100)
    line, batch, values = data()
    end = time.thread_time() + 2.0
    while time.thread_time() < end:
        smooth(line, 5)
        net.step(batch)
        net.stuck(values)
    worker = threading.Thread(target=smooth, args=(data()[0], 200))
    worker.start()
    worker.join()
    time.sleep(1.0)
    print("arguments:", sys.argv[1:])
    return 3

if __name__ == "__main__":
    sys.exit(main())
"""


def run_cli(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-m", "np2tnp", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)


@measures
def test_the_hot_functions_of_a_program_are_found(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_cli(tmp_path, "profile", "--find-only", "--", "program.py", "a", "--", "b")
    assert done.returncode == 3, done.stderr  # the program's own
    assert done.stdout.startswith("arguments: ['a', '--', 'b']\n")
    document = read_result(tmp_path / "np2tnp-profile.json")
    assert document["complete"]
    assert document["kind"] == "program"
    hot = {item["function"]: item for item in document["hot"]}
    assert {"smooth", "Net.step"} <= set(hot)
    assert hot["smooth"]["path"] == "program.py"
    assert hot["smooth"]["state"] == "convertible"
    assert hot["smooth"]["inclusive"] >= hot["smooth"]["seconds"] > 0.1
    assert "main" not in hot or hot["main"]["seconds"] < 0.5  # asleep for 1 s: no CPU time
    assert document["finding"]["overhead"] < 0.1
    blocked = hot["Net.stuck"]
    assert blocked["state"] == "blocked"
    assert blocked["reasons"][0] in done.stdout


@pytest.mark.parametrize(
    ("ending", "status"),
    [("sys.exit(5)", 5), ("raise ValueError('x')", 1), ("os.kill(os.getpid(), 9)", 137), ("os._exit(4)", 4)],
)
def test_programs_end_as_they_do_alone(tmp_path, ending, status):
    _, ended, _ = sampled(tmp_path, f"import os, sys\n{ending}\n")
    assert ended.status == status


def test_a_hidden_sitecustomize_still_runs(tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import builtins\nbuiltins.hidden_was_here = 1\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    program = "import sys\nsys.exit(7 if hidden_was_here and 'np2tnp' not in ' '.join(sys.path[1:]) else 1)\n"
    samples, ended, _ = sampled(tmp_path, program)
    assert ended.status == 7
    assert samples.processes == 1


def test_a_python_that_loads_no_sampler_is_told(tmp_path):
    done = run_cli(tmp_path, "profile", "--find-only", "--", sys.executable, "-I", "-c", "pass")
    assert done.returncode == 2
    assert "without -I" in done.stderr


@pytest.mark.parametrize(
    ("target", "said"), [("folder", "Is a directory"), ("file.txt/result.json", "Not a directory")]
)
def test_a_result_that_cannot_be_written_is_told_before_anything_runs(tmp_path, target, said):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.txt").write_text("x")
    (tmp_path / "program.py").write_text("print('it ran')\n")
    done = run_cli(tmp_path, "profile", "--output", target, "--find-only", "--", "program.py")
    assert done.returncode == 2
    assert f"cannot write {target}: {said}" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--",), "name the program"),
        (("--", "no-such-program-anywhere"), "no such program"),
        (("x.py:f", "--", "python", "x.py"), "either"),
    ],
)
def test_wrong_programs_are_one_line_and_status_2(tmp_path, arguments, said):
    done = run_cli(tmp_path, "profile", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_python_is_put_before_what_only_it_understands():
    assert command_line(["-m", "pytest", "-q"]) == [sys.executable, "-m", "pytest", "-q"]
    assert command_line(["train.py", "-x"]) == [sys.executable, "train.py", "-x"]
    assert command_line([sys.executable, "-V"]) == [sys.executable, "-V"]
    with pytest.raises(CannotVerify):
        command_line([])


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT to a process group")
def test_ctrl_c_reaches_the_program_and_leaves_a_valid_file(tmp_path):
    (tmp_path / "program.py").write_text("import time\nprint('ready', flush=True)\nwhile True: time.sleep(0.01)\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "np2tnp", "profile", "--find-only", "--", "program.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors
    document = read_result(tmp_path / "np2tnp-profile.json")
    assert document["complete"] is False


@measures
def test_files_that_cannot_be_analysed_do_not_stop_the_ranking(tmp_path):
    samples, _, path = sampled(tmp_path, "import time\nend = time.time() + 0.4\nwhile time.time() < end: pass\n")
    path.write_text("def broken(:\n")
    assert rank(samples, Config()).problems


@measures
def test_a_program_is_profiled_to_its_decisions(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_cli(
        tmp_path,
        *("profile", "--budget", "0.05", "--repeats", "5", "--signatures", "1", "--device", "cpu", "--top", "4"),
        *("--", "program.py"),
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout.count("arguments: []") == 1  # the second run is not heard
    document = read_result(tmp_path / "np2tnp-profile.json")
    assert document["complete"]
    functions = {item["function"]: item for item in document["functions"]}
    assert {"smooth", "Net.step"} <= set(functions)
    for item in (functions["smooth"], functions["Net.step"]):
        assert item["trials"], item
        for one in item["trials"]:
            assert one["agreed"], one
            # the method only reads its object: it is compiled, too
            assert one["verdict"] in {"FASTER", "SLOWER", "SAME", "UNSURE"}, one
            assert one["signature"]
        assert item["decision"]["reason"]
        assert item["seen"][0]["calls"] > 0
    migrated = set(functions["smooth"]["migrated"])
    # on a slow machine a sample may fall on `data`, which then is measured, too, with `main`, which calls it
    assert {"Net.step", "smooth", "square"} <= migrated <= {"Net.step", "smooth", "square", "data", "main"}
    assert functions["Net.step"]["seen"][0]["signature"] == "self: Net(w: float64[100,1]), x: float64[100,2000]"
