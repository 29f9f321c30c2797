"""``profile -- PROGRAM``: the sampler and the recorder inside real programs, and what is made of what they saw."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest

from np2tnp.config import Config
from np2tnp.differential.originals import CannotVerify
from np2tnp.profiling.decision import decide
from np2tnp.profiling.evidence import Ratio, Speed, Spread
from np2tnp.profiling.hot import command_line, first_lines, rank, read_samples, run_inside
from np2tnp.profiling.measured import Measured, Plan, Trial
from np2tnp.profiling.program import reaches, with_companions
from np2tnp.profiling.record import Signature, Wanted, record
from np2tnp.profiling.summary import saved

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
    return np.ones(200_000), np.ones((100, 1000)), np.ones(60_000)

def main():
    net = Net(100)
    line, batch, values = data()
    end = time.thread_time() + 1.2
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
    document = json.loads((tmp_path / "np2tnp-profile.json").read_text())
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
    document = json.loads((tmp_path / "np2tnp-profile.json").read_text())
    assert document["complete"] is False


def test_files_that_cannot_be_analysed_do_not_stop_the_ranking(tmp_path):
    samples, _, path = sampled(tmp_path, "import time\nend = time.time() + 0.4\nwhile time.time() < end: pass\n")
    path.write_text("def broken(:\n")
    assert rank(samples, Config()).problems


RECORDED = """
    import threading
    import numpy as np

    def update(x, *rest, scale=2.0, **more):
        inner = lambda: x.sum()
        x *= scale
        return inner()

    class Model:
        def __init__(self):
            self.w = np.arange(4.0)

        @classmethod
        def make(cls, n):
            return cls()

        def step(self, x):
            self.w += x
            return self.w

    def locked(x, lock):
        with lock:
            return x + 1

    def both(a, b):
        return a + b

    def generates(x):
        yield x

    def driver(model):
        for i in range(5):
            model.step(np.ones(4))

    x = np.arange(6.0)
    update(x, 1, np.zeros(2), k=3)
    update(np.arange(20.0)[::-2], scale=3.0)
    update(np.ones(1000), 1)
    driver(Model.make(1))
    locked(x, threading.Lock())
    both(x, x[1:])if False else both(x[:-1], x[1:])
    list(generates(x))
    t = threading.Thread(target=update, args=(np.ones(7),))
    t.start(); t.join()
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    path = folder / "program.py"
    path.write_text(textwrap.dedent(RECORDED))
    names = ("update", "Model.step", "Model.make", "locked", "both", "generates", "driver")
    lines = first_lines(path.read_text())
    wanted = [Wanted(str(path), name, lines[name], name != "driver") for name in names]
    place = folder / "arguments"
    place.mkdir()
    found, ended = record([sys.executable, str(path)], wanted, place, 1.0, 1)
    assert ended.status == 0
    return dict(zip(names, found, strict=True))


def payload(signature):
    with open(signature.payload, "rb") as file:
        return pickle.load(file)


def test_arguments_are_kept_as_they_were_before_the_call(recorded):
    np = pytest.importorskip("numpy")
    update = recorded["update"]
    assert update.calls == 4
    by_text = {signature.text: signature for signature in update.signatures}
    text = "x: float64[6], rest[0]: 1, rest[1]: float64[2], scale: float, k: int of 2 bits"
    args, kwargs = payload(by_text[text])
    assert args[0].tolist() == [0, 1, 2, 3, 4, 5]  # the call has multiplied them by two
    assert args[1] == 1
    assert args[2].shape == (2,)
    assert kwargs == {"scale": 2.0, "k": 3}
    strided = next(signature for name, signature in by_text.items() if "strided" in name)
    array = payload(strided)[0][0]
    assert array.strides == (-16,)
    assert np.array_equal(array, np.arange(20.0)[::-2])
    array[0] = 5.0  # own, writable memory


def test_signatures_are_chosen_at_both_ends(recorded):
    assert [s.elements for s in recorded["update"].chosen(2)] == [6, 1000]
    assert len(recorded["update"].chosen(3)) == 3


def test_what_cannot_be_copied_is_named(recorded):
    assert "lock cannot be copied" in recorded["locked"].obstacle()
    assert "a and b share memory" in recorded["both"].obstacle()
    assert recorded["generates"].obstacle() == "it was not called in the second run"


def test_callers_are_known_to_the_line(recorded):
    step = recorded["Model.step"]
    assert step.calls == 5
    lines = first_lines(Path(step.wanted.path).read_text())
    assert {line for _, line in step.callers} == {lines["driver"] + 2}
    assert recorded["driver"].calls == 1
    assert recorded["driver"].signatures == []


def test_arguments_beyond_the_limit_are_counted_but_not_kept(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import numpy as np\ndef f(x):\n    return x\nf(np.ones(300_000)); f(np.ones(10))\n")
    found, _ = record([sys.executable, str(path)], [Wanted(str(path), "f", 2)], tmp_path, 1.0, 1)
    kept = {signature.elements: signature for signature in found[0].signatures}
    assert kept[10].payload
    assert not kept[300_000].payload
    assert "--record-limit" in kept[300_000].why


def test_functions_that_only_confirmed_ones_call_move_with_them():
    f, g, h, k = (("m.py", name) for name in "fghk")
    callers = {g: {f}, h: {g, ("", "")}, k: {g, k}}
    assert with_companions([f], callers) == {f, g, k}
    assert reaches(f, {k}, callers)
    assert not reaches(k, {g}, callers)


def trial(elements: int, speed: Speed, ratio: float, **options) -> Trial:
    found = Ratio(ratio, ratio * 0.9, ratio * 1.1)
    spread = Spread(1.0, 1.0, 1.0)
    return Trial(
        "f", "eager-ndarray", "CPU:0", elements, True, "", elements, 1.0, {}, spread, spread, found, speed, **options
    )


def measured(*trials: Trial, devices: tuple[str, ...] = ("CPU:0",)) -> Measured:
    from np2tnp.differential.originals import Pair

    plan = Plan(Pair("m.py", "", "", ""), "f", "n", (), ())
    return Measured(plan, devices=list(devices), trials=list(trials))


def test_only_what_won_everywhere_is_confirmed():
    small, large = trial(10, Speed.FASTER, 2.0), trial(1000, Speed.FASTER, 4.0)
    decision = decide(measured(small, large))
    assert decision.confirmed
    assert decision.gain == pytest.approx(1.8)
    for doubt in (Speed.SLOWER, Speed.SAME, Speed.UNSURE):
        decision = decide(measured(replace(small, speed=doubt), large))
        assert not decision.confirmed
        assert decision.above == 1000
        decision = decide(measured(small, replace(large, speed=doubt)))
        assert not decision.confirmed
        assert decision.above is None
    assert not decide(measured(small, replace(large, disturbed=True))).confirmed
    assert not decide(measured()).confirmed


def test_nothing_is_confirmed_without_agreement_or_times():
    good = trial(1000, Speed.FASTER, 4.0)
    wrong = Trial("f", "eager-ndarray", "CPU:0", 10, False, "not equal: result[0]")
    assert decide(measured(wrong, good)).reason.endswith("not equal: result[0]")
    retraced = Trial("f", "eager-ndarray", "CPU:0", 10, True, "traced again")
    assert "traced again" in decide(measured(retraced, good)).reason
    assert not decide(measured(retraced, good)).confirmed
    assert decide(measured(retraced, good)).above is None


def test_the_best_compiled_variant_is_chosen_where_it_is_worth_it():
    eager = trial(10, Speed.FASTER, 2.0)
    slightly, much = (
        replace(eager, variant="graph-ndarray"),
        replace(trial(10, Speed.FASTER, 9.0), variant="xla-ndarray"),
    )
    assert decide(measured(eager, slightly)).compile == "none"
    decision = decide(measured(eager, slightly, much))
    assert decision.compile == "xla"
    assert set(decision.modes) == {"none", "graph", "xla"}
    assert decide(measured(replace(eager, speed=Speed.SLOWER), much)).compile == "xla"
    wrong = Trial("f", "eager-ndarray", "CPU:0", 10, False, "not equal: result")
    assert not decide(measured(wrong, much)).confirmed


def test_compiling_must_pay_within_the_calls_that_were_seen():
    fast = trial(10, Speed.FASTER, 2.0, signature="x: float64[10]")
    fast = replace(fast, variant="xla-ndarray", variant_time=Spread(0.5, 0.5, 0.5), first_call=10.0)  # pays after 19
    for calls, confirmed in ((18, False), (19, True)):
        found = measured(fast)
        seen = Signature("x: float64[10]", calls, 1.0, 10, "kept")
        found.plan = replace(found.plan, recorded=(seen,))
        assert decide(found).confirmed is confirmed
    assert decide(found).compile == "xla"


def test_the_gpu_decides_where_there_is_one():
    here, there = trial(10, Speed.FASTER, 2.0), replace(trial(10, Speed.SLOWER, 0.1), device="GPU:0")
    decision = decide(measured(here, there, devices=("CPU:0", "GPU:0")))
    assert not decision.confirmed
    assert decision.device == "GPU:0"


def test_a_program_is_profiled_to_its_decisions(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = run_cli(
        tmp_path,
        *("profile", "--budget", "0.05", "--repeats", "5", "--signatures", "1", "--device", "cpu", "--top", "2"),
        *("--", "program.py"),
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout.count("arguments: []") == 1  # the second run is not heard
    document = json.loads((tmp_path / "np2tnp-profile.json").read_text())
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
    assert functions["Net.step"]["seen"][0]["signature"] == "self: Net(w: float64[100,1]), x: float64[100,1000]"


def test_what_a_run_would_gain_counts_calls_and_first_calls():
    fast = trial(10, Speed.FASTER, 2.0, signature="x")
    fast = replace(fast, variant_time=Spread(0.75, 0.75, 0.75), first_call=2.0)
    found = measured(fast)
    found.plan = replace(found.plan, recorded=(Signature("x", 100, 1.0, 10, "kept"),))
    assert saved(found) == pytest.approx(100 * 0.25 - 2.0)
    found.veto = "not alone"
    assert saved(found) == 0.0
