"""``profile -- PROGRAM``: the sampler and the recorder inside real programs, and what is made of what they saw."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from result_files import read_result

from np2tnp.config import Config
from np2tnp.differential.originals import CannotVerify
from np2tnp.profiling.hot import command_line, first_lines, rank, read_samples, run_inside

ROOT = Path(__file__).parent.parent

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
        return np.sort(x).astype(object)

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


def sampled(folder: Path, program: str, *arguments: str):
    """What the sampler saw of a program, and how it ended."""
    path = folder / "program.py"
    path.write_text(textwrap.dedent(program))
    place = folder / "samples"
    place.mkdir()
    ended = run_inside([sys.executable, str(path), *arguments], "sampler", place)
    return read_samples(place), ended, path


def seconds_by_function(samples, path: Path) -> dict[str, float]:
    firsts = sorted((line, name) for name, line in first_lines(path.read_text()).items())
    found: dict[str, float] = {}
    for (file, line), cell in samples.own.items():
        if file == str(path.resolve()):
            name = max((item for item in firsts if item[0] <= line), default=(0, "<module>"))[1]
            found[name] = found.get(name, 0.0) + sum(cell)
    return found


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


def test_calls_that_hold_the_interpreters_lock_are_charged_their_time(tmp_path):
    """A call of a millisecond that gives the lock up nowhere must not be charged to one that does."""
    samples, _, path = sampled(
        tmp_path,
        """
        import json, pathlib, sys, time
        import numpy as np

        def held(x):
            y = sum(x)
            return y

        def released(x):
            for _ in range(10):
                y = np.sqrt(x)
            return y.size

        used = dict.fromkeys(("held", "released"), 0.0)
        numbers, long = [1.5] * 100_000, np.ones(30_000)
        while sum(used.values()) < 1.5:
            for function, x in ((held, numbers), (released, long)):
                before = time.thread_time()
                function(x)
                used[function.__name__] += time.thread_time() - before
        pathlib.Path(sys.argv[1]).write_text(json.dumps(used))
        """,
        str(tmp_path / "used.json"),
    )
    used = json.loads((tmp_path / "used.json").read_text())
    seen = seconds_by_function(samples, path)
    share = used["held"] / sum(used.values())
    assert 0.1 < share < 0.95
    assert seen["held"] / (seen["held"] + seen["released"]) == pytest.approx(share, abs=0.2)


def test_the_programs_own_switch_interval_is_left_alone(tmp_path):
    _, ended, _ = sampled(
        tmp_path,
        """
        import sys, time
        end = time.thread_time() + 0.1
        while time.thread_time() < end:
            pass
        sys.setswitchinterval(0.0625)
        end = time.thread_time() + 0.3
        while time.thread_time() < end:
            pass
        sys.exit(int(sys.getswitchinterval() == 0.0625))
        """,
    )
    assert ended.status == 1


def test_looking_keeps_no_arrays_alive(tmp_path):
    """A frame that the sampler held on to would hold a function's arrays beyond its end: memory and page faults."""
    _, ended, _ = sampled(
        tmp_path,
        """
        import sys, time, weakref

        class Array: pass

        def work():
            array = Array()
            end = time.thread_time() + 0.01
            while time.thread_time() < end:
                pass
            return weakref.ref(array)

        sys.exit(sum(work()() is not None for _ in range(50)))
        """,
    )
    assert ended.status < 10


def test_threads_and_forked_children_are_sampled_and_counted_once(tmp_path):
    samples, ended, path = sampled(
        tmp_path,
        """
        import multiprocessing, threading, time

        def burn(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass

        def in_thread(): burn(0.4)
        def in_child(): burn(0.9)

        if __name__ == "__main__":
            assert threading.active_count() == 1
            thread = threading.Thread(target=in_thread)
            thread.start()
            thread.join()
            child = multiprocessing.get_context("fork").Process(target=in_child)
            child.start()
            child.join()
            print("done")
        """,
    )
    assert ended.status == 0
    assert samples.processes == 2
    seconds = seconds_by_function(samples, path)
    assert 0.6 < seconds["burn"] < 1.6  # of 1.3: the child's last moments may be lost


def test_threads_that_end_before_they_are_looked_at_twice_are_charged(tmp_path):
    """Each of the threads is shorter than the time between two looks: the first one charged nothing."""
    samples, _, path = sampled(
        tmp_path,
        """
        import threading, time

        def burn(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass

        def in_thread(): burn(0.002)

        for _ in range(500):
            thread = threading.Thread(target=in_thread)
            thread.start()
            thread.join()
        """,
    )
    assert 0.5 < seconds_by_function(samples, path)["burn"] < 1.5  # of 1.0


def test_time_is_charged_to_where_a_thread_works_not_to_where_it_waits(tmp_path):
    samples, _, path = sampled(
        tmp_path,
        """
        import time

        def work():
            end = time.thread_time() + 0.008
            while time.thread_time() < end:
                pass

        def wait():
            time.sleep(0.02)

        for _ in range(150):
            work()
            wait()
        """,
    )
    seen = seconds_by_function(samples, path)
    assert seen["work"] > 3 * seen.get("wait", 0.0)


def test_idle_threads_do_not_hide_short_calls_that_hold_the_lock(tmp_path):
    """With threads that may want the lock the sampler waits longer for it: until a call gives it up by itself."""
    samples, _, path = sampled(
        tmp_path,
        """
        import threading, time
        import numpy as np

        def held(x):
            return sum(x)

        def released(x):
            return np.sqrt(x)

        done = threading.Event()
        for _ in range(20):
            threading.Thread(target=done.wait).start()
        used = dict.fromkeys(("held", "released"), 0.0)
        numbers, long = [1.5] * 50_000, np.ones(300_000)
        while sum(used.values()) < 2.0:
            for function, x in ((held, numbers), (released, long)):
                before = time.thread_time()
                function(x)
                used[function.__name__] += time.thread_time() - before
        done.set()
        import json, sys
        json.dump(used, open(sys.argv[1], "w"))
        """,
        str(tmp_path / "used.json"),
    )
    used, seen = json.loads((tmp_path / "used.json").read_text()), seconds_by_function(samples, path)
    share = used["held"] / sum(used.values())
    assert 0.1 < share < 0.9
    assert seen["held"] / (seen["held"] + seen["released"]) == pytest.approx(share, abs=0.2)


def test_threads_without_a_clock_share_what_the_process_used(tmp_path):
    """Of threads that only `_thread` knows no clock tells; one that sleeps was charged all the time that passed."""
    samples, _, path = sampled(
        tmp_path,
        """
        import _thread, time

        def asleep():
            while True:
                time.sleep(0.05)

        def burn():
            end = time.thread_time() + 0.8
            while time.thread_time() < end:
                pass

        _thread.start_new_thread(asleep, ())
        burn()
        time.sleep(0.8)
        """,
    )
    seen = seconds_by_function(samples, path)
    assert seen["burn"] > 0.6
    assert seen.get("asleep", 0.0) < 0.3


def test_workers_that_a_pool_ends_by_a_signal_have_told_what_they_did(tmp_path):
    samples, _, path = sampled(
        tmp_path,
        """
        import multiprocessing, time

        def burn(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass

        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(1) as pool:
                pool.map(burn, [0.1] * 20, chunksize=1)
        """,
    )
    assert samples.processes == 2
    assert seconds_by_function(samples, path)["burn"] > 1.4  # of 2.0


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
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors
    document = read_result(tmp_path / "np2tnp-profile.json")
    assert document["complete"] is False


def test_files_that_cannot_be_analysed_do_not_stop_the_ranking(tmp_path):
    samples, _, path = sampled(tmp_path, "import time\nend = time.time() + 0.4\nwhile time.time() < end: pass\n")
    path.write_text("def broken(:\n")
    assert rank(samples, Config()).problems


def test_a_program_is_profiled_to_its_decisions(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_cli(
        tmp_path,
        *("profile", "--budget", "0.05", "--repeats", "5", "--signatures", "1", "--device", "cpu", "--top", "2"),
        *("--", "program.py"),
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout.count("arguments: []") == 1  # the second run is not heard
    document = read_result(tmp_path / "np2tnp-profile.json")
    assert document["complete"]
    functions = {item["function"]: item for item in document["functions"]}
    assert {"smooth", "Net.step"} <= set(functions)
    for item in functions.values():
        assert item["trials"], item
        for one in item["trials"]:
            assert one["agreed"], one
            # the method only reads its object: it is compiled, too
            assert one["verdict"] in {"FASTER", "SLOWER", "SAME", "UNSURE"}, one
            assert one["signature"]
        assert item["decision"]["reason"]
        assert item["seen"][0]["calls"] > 0
    assert functions["smooth"]["migrated"] == ["Net.step", "smooth", "square"]
    assert functions["Net.step"]["seen"][0]["signature"] == "self: Net(w: float64[100,1]), x: float64[100,2000]"
