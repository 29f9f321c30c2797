"""``profile`` and ``doctor``: the arithmetic of verdicts, sizes and crossovers, and whole runs in child processes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest

from np2tnp.config import Config
from np2tnp.differential.originals import CannotVerify, Pair, find_pair
from np2tnp.profiling.emitted import compiled_texts, variants_of
from np2tnp.profiling.evidence import Ratio, Speed, Spread, judge_speed, ratio, spread
from np2tnp.profiling.measured import Measured, Plan, Trial
from np2tnp.profiling.measurement import choose_devices, doubt_lucky_trials, measure, note_slowed_numpy
from np2tnp.profiling.sizes import Point, SizeError, bracket, find_crossover, grid, parse_sizes
from np2tnp.profiling.summary import pays_after, summarize

ROOT = Path(__file__).parent.parent

ORIGINAL = """
import os
import numpy as np

def relax(field, steps):
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])
    return field.sum()

def sigmoid(x):
    return 1 / (1 + np.exp(-x))

def wrong(x):
    return np.sin(x)

def untraceable(x):
    return x * 2.0

def deadly(x):
    return x + 1.0

def ends_its_process(x):
    if len(x) > 100:
        os._exit(3)
    return x + 1.0

def logged(x):
    with open(os.devnull, "a"), open("written.log", "a") as file:
        file.write(f"{np.random.random()}")
    return np.sin(x) + np.random.standard_normal(x.shape)

class Average:
    def __init__(self, shape, rate=0.5):
        self.state = np.random.standard_normal(shape)
        self.rate = rate

    def push(self, x):
        assert type(self) is Average
        self.state += self.rate * (x - self.state)
        return self.state.sum()

    @classmethod
    def scaled(cls, x):
        return np.tanh(x)
"""

REWRITTEN = """
import os
import numpy as np
import tensorflow.experimental.numpy as tnp
from np2tnp import runtime as rt

@rt.migrated(mutates=("field",))
def relax(field, steps):
    for _ in range(steps):
        field = tnp.concatenate([field[:1], 0.5 * (field[:-2] + field[2:]), field[-1:]])
    return rt.updated(tnp.sum(field), field=field)

@rt.migrated
def sigmoid(x):
    return 1 / (1 + tnp.exp(-x))

@rt.migrated
def wrong(x):
    return tnp.cos(x)

@rt.migrated
def untraceable(x):
    return rt.tensor(rt.host(x) * 2.0)

@rt.migrated
def deadly(x):
    if len(x) > 100:
        os._exit(7)
    return x + 1.0

@rt.migrated
def ends_its_process(x):
    return x + 1.0

@rt.migrated
def logged(x):
    with open(os.devnull, "a"), open("written.log", "a") as file:
        file.write(f"{np.random.random()}")
    return tnp.sin(x) + rt.tensor(np.random.standard_normal(rt.shape(x)))

class Average:
    def __init__(self, shape, rate=0.5):
        self.state = np.random.standard_normal(shape)
        self.rate = rate

    @rt.migrated
    def push(self, x):
        assert type(self) is Average
        self.state += rt.host(self.rate * (x - rt.tensor(self.state)))
        return tnp.sum(rt.tensor(self.state))

    @classmethod
    @rt.migrated
    def scaled(cls, x):
        return tnp.tanh(x)
"""


def test_sizes_are_read():
    assert parse_sizes("n=1e3..1e6") == ("n", [1000, 10000, 100000, 1000000])
    assert parse_sizes("rows=10..1000:5") == ("rows", [10, 32, 100, 316, 1000])
    assert parse_sizes("n=500,20") == ("n", [20, 500])
    assert grid(7, 7, 3) == [7]


@pytest.mark.parametrize("text", ["1e3..1e6", "n=1e6..1e3", "n=a..b", "n=0..5", "n=1.5", "n="])
def test_sizes_that_make_no_sense_are_refused(text):
    with pytest.raises(SizeError, match="--size"):
        parse_sizes(text)


def curve(*ratios: float) -> list[Point]:
    return [Point(10 ** (i + 2), value, value / 1.2, value * 1.2) for i, value in enumerate(ratios)]


def test_the_crossover_is_where_the_ratio_passes_one():
    found = find_crossover(curve(0.1, 10.0))
    assert found is not None
    assert found.size == pytest.approx(10**2.5, rel=1e-6)
    assert found.low < found.size < found.high
    assert bracket(curve(0.1, 0.5, 2.0, 8.0)) == (1000, 10000)


def test_without_a_lasting_win_there_is_no_crossover():
    assert find_crossover(curve(0.1, 0.5)) is None
    assert find_crossover(curve(0.5, 2.0, 0.5)) is None
    assert find_crossover(curve(2.0, 3.0)) is None  # faster everywhere: nothing is crossed
    assert bracket(curve(2.0, 3.0)) is None


def test_verdicts_need_the_whole_interval():
    assert judge_speed(Ratio(2.0, 1.5, 3.0), 0.05) is Speed.FASTER
    assert judge_speed(Ratio(2.0, 1.01, 3.0), 0.05) is Speed.UNSURE
    assert judge_speed(Ratio(0.5, 0.4, 0.6), 0.05) is Speed.SLOWER
    assert judge_speed(Ratio(1.0, 0.98, 1.02), 0.05) is Speed.SAME
    assert judge_speed(Ratio(1.0, 0.5, 2.0), 0.05) is Speed.UNSURE


def test_a_ratio_of_few_samples_decides_nothing():
    assert judge_speed(ratio([2.0, 2.0], [1.0, 1.0]), 0.05) is Speed.UNSURE


def test_the_interval_holds_the_true_ratio_and_shrinks():
    rng = random.Random(3)
    inside, widths = 0, {}
    for count in (8, 60):
        for _ in range(40):
            a = [2.0 * rng.lognormvariate(0, 0.2) for _ in range(count)]
            b = [1.0 * rng.lognormvariate(0, 0.2) for _ in range(count)]
            found = ratio(a, b)
            inside += found.low <= 2.0 <= found.high
            widths.setdefault(count, []).append(found.high - found.low)
    assert inside >= 68  # of 80; 95 % were promised
    assert sum(widths[60]) < 0.6 * sum(widths[8])


def test_the_spread_is_the_quartiles():
    assert spread([1.0, 2.0, 3.0, 4.0, 5.0]) == Spread(3.0, 2.0, 4.0)
    assert spread([1.0]) == Spread(1.0, 1.0, 1.0)


class Simulated:
    """One side of a comparison that takes `seconds` a call, more or less."""

    def __init__(self, seconds: float, spread: float, seed: int) -> None:
        self.seconds, self.spread, self.rng = seconds, spread, random.Random(seed)

    def warm_up(self, seconds: float) -> None:
        pass

    def sample(self) -> float:
        return self.seconds * self.rng.lognormvariate(0, self.spread)


@pytest.mark.parametrize(
    ("seconds", "spread", "samples"),
    [(0.5, 0.1, 20), (1.0, 0.005, 20), (1.0, 0.3, 80), (0.85, 0.12, 40)],
    ids=["clearly faster", "clearly the same", "never decided", "decided with more samples"],
)
def test_sampling_goes_on_until_it_decides(seconds, spread, samples):
    pytest.importorskip("numpy")
    from np2tnp.profiling.sampling import sample_in_turns

    sides = (Simulated(1.0, spread, 0), Simulated(seconds, spread, 1))
    pauses = []
    times = sample_in_turns(sides, 20, 1e6, 0.05, lambda: pauses.append(1))
    assert [len(one) for one in times] == [samples, samples]
    assert len(pauses) == samples


def plan_for(function: str, sizes: tuple[int, ...], *expressions: tuple[str, str], **options) -> Plan:
    pair = Pair("program_under_test.py", ORIGINAL, REWRITTEN, "test")
    options = {"variants": ("eager-ndarray", "eager-tensor", "graph", "xla"), **options}
    return Plan(pair, function, "n", sizes, expressions, repeats=5, budget=0.05, refine=0, **options)


def test_a_win_against_a_slowed_numpy_is_taken_back():
    plan = plan_for("sigmoid", (10,))
    fast, slow = Spread(1.0, 1.0, 1.0), Spread(100.0, 99.0, 101.0)
    beside = Trial(
        "f", "eager-ndarray", "CPU:0", 10, True, reference=fast, variant_time=Spread(2.0, 2.0, 2.0), speed=Speed.SLOWER
    )
    lucky = replace(beside, variant="xla", reference=slow, ratio=Ratio(50.0, 49.0, 51.0), speed=Speed.FASTER)
    real = replace(lucky, variant="graph", variant_time=Spread(0.5, 0.5, 0.5))
    measured = Measured(plan, trials=[beside, lucky, real])
    assert doubt_lucky_trials(measured, 3) == [1]
    note_slowed_numpy(measured, 3)
    assert [trial.speed for trial in measured.trials] == [Speed.SLOWER, Speed.UNSURE, Speed.FASTER]
    assert measured.trials[1].disturbed
    assert "busy" in measured.notes[0]


def timed(variant: str, size: int, speed: Speed, ratio_: float, first_call: float = 0.1) -> Trial:
    here = Spread(1e-3 / ratio_, 1e-3 / ratio_, 1e-3 / ratio_)
    found = Ratio(ratio_, ratio_ * 0.9, ratio_ * 1.1)
    there = Spread(1e-3, 1e-3, 1e-3)
    return Trial("f", variant, "CPU:0", size, True, "", size, first_call, {}, there, here, found, speed)


def test_numpy_on_one_thread_can_take_a_win_back():
    measured = Measured(plan_for("sigmoid", (10,)), trials=[timed("xla", 10, Speed.FASTER, 2.0)])
    doubt_lucky_trials(measured, 1, Spread(2e-3, 2e-3, 2e-3))
    assert measured.trials[0].speed is Speed.FASTER
    doubt_lucky_trials(measured, 1, Spread(4e-4, 4e-4, 4e-4))
    assert measured.trials[0].speed is Speed.UNSURE


def test_nothing_wins_on_a_disturbed_device():
    trial = replace(timed("xla", 10, Speed.FASTER, 2.0), remarks=("clocks are lowered: thermal limit",))
    measured = Measured(plan_for("sigmoid", (10,)), trials=[trial])
    doubt_lucky_trials(measured, 1)
    assert measured.trials[0].speed is Speed.UNSURE
    assert measured.as_dict()["trials"][0]["remarks"] == ["clocks are lowered: thermal limit"]


def test_the_summary_tells_transfer_from_data_that_stays():
    plan = plan_for("sigmoid", (100, 10_000))
    slow, fast = Speed.SLOWER, Speed.FASTER
    measured = Measured(plan, devices=["CPU:0"])
    measured.trials = [timed("eager-ndarray", 100, slow, 0.1), timed("eager-ndarray", 10_000, fast, 10.0)]
    line = "eager on CPU:0: faster above n = 1,000 (910 to 1,100), with transfer"
    assert summarize(measured) == [f"{line}; at n = 10,000 the first call pays after 111 calls"]
    measured.trials += [timed("eager-tensor", 100, fast, 2.0), timed("eager-tensor", 10_000, fast, 2.0)]
    assert f"{line}; faster at every size measured when the data stays on the device;" in summarize(measured)[0]
    measured.trials = [timed("xla", 100, slow, 0.5), timed("xla", 10_000, slow, 0.5)]
    assert summarize(measured) == []


def test_a_first_call_pays_only_for_what_is_faster():
    assert pays_after(timed("xla", 10, Speed.FASTER, 2.0, first_call=1.0)) == 1999
    assert pays_after(timed("xla", 10, Speed.FASTER, 2.0, first_call=5e-4)) == 1
    assert pays_after(timed("xla", 10, Speed.UNSURE, 2.0)) is None


NVML = """
def nvmlInit(): pass
def nvmlShutdown(): pass
def nvmlDeviceGetHandleByIndex(index): return index
def nvmlDeviceGetCurrentClocksThrottleReasons(handle): return 0x24 if handle == 3 else 0x1
def nvmlDeviceGetComputeRunningProcesses(handle): return []
"""


def test_throttling_is_seen_through_the_driver(tmp_path, monkeypatch):
    from np2tnp.profiling.nvml import watch

    assert watch("CPU:0") == []
    (tmp_path / "pynvml.py").write_text(NVML)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,3")
    assert watch("GPU:0") == []
    assert watch("GPU:1") == ["clocks are lowered: power limit, thermal limit"]
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)


def test_devices_are_chosen_by_name():
    present = ["/device:CPU:0", "/device:CPU:1", "/device:GPU:0"]
    assert choose_devices("all", present) == ["CPU:0", "CPU:1", "GPU:0"]
    assert choose_devices("gpu", present) == ["GPU:0"]
    assert choose_devices("CPU:1", present) == ["CPU:1"]
    with pytest.raises(CannotVerify, match="present: CPU:0"):
        choose_devices("GPU:3", present)


def test_all_variants_run_on_every_logical_device():
    plan = plan_for("relax", (64,), ("field", "rng.standard_normal(n)"), ("steps", "3"), logical_cpus=2, devices="cpu")
    measured = measure(plan)
    assert measured.devices == ["CPU:0", "CPU:1"]
    assert {(t.device, t.variant) for t in measured.trials} == {(d, v) for d in measured.devices for v in plan.variants}
    for trial in measured.trials:
        assert trial.agreed, trial
        assert trial.speed in Speed
        assert trial.variant_time.low <= trial.variant_time.median <= trial.variant_time.high
        assert trial.first_call > 0
        assert (trial.transfer == {}) == trial.variant.endswith("ndarray")
    assert measured.environment["tf32"] is False
    assert measured.single[64, ""].median > 0


def test_no_time_without_agreement():
    measured = measure(plan_for("wrong", (50,), ("x", "rng.standard_normal(n)"), devices="CPU:0"))
    assert len(measured.trials) == 4
    for trial in measured.trials:
        assert not trial.agreed
        assert trial.variant_time is None
        assert "expected" in trial.reason


def test_a_variant_that_fails_is_reported_beside_the_others():
    measured = measure(plan_for("untraceable", (50,), ("x", "rng.standard_normal(n)"), devices="CPU:0"))
    timed = {trial.variant: trial.variant_time is not None for trial in measured.trials}
    assert timed == {"eager-ndarray": True, "eager-tensor": True, "graph": False, "xla": False}
    assert all(trial.reason for trial in measured.trials if trial.variant in ("graph", "xla"))


def test_compiled_variants_are_what_rewrite_emits(tmp_path):
    body = "    for _ in range(steps):\n        x = np.cos(x) * 2.0\n    return x\n"
    (tmp_path / "program.py").write_text(f"import numpy as np\n\n\ndef f(x, steps):\n{body}")
    pair = find_pair(str(tmp_path / "program.py"), None, Config())
    texts = compiled_texts(pair, Config())
    assert [mode for mode, text in texts if f'compile="{mode}"' in text] == ["graph", "xla"]
    plan = plan_for("f", (50,), ("x", "rng.standard_normal(n)"), ("steps", "3"), devices="CPU:0")
    variants = ("eager-ndarray", "graph-ndarray", "graph")
    measured = measure(replace(plan, pair=pair, compiled=texts, variants=variants))
    assert [trial.reason for trial in measured.trials] == ["", "", ""]
    assert all(trial.agreed for trial in measured.trials)
    first = {trial.variant: trial.first_call for trial in measured.trials}
    assert first["graph"] == first["graph-ndarray"]  # traced once for both
    assert variants_of(measured.plan.variants, Config(compile="xla")) == ("eager-ndarray",)


def test_a_dead_child_ends_only_its_own_trials():
    plan = plan_for(
        "deadly", (50, 200, 300), ("x", "np.ones(n)"), devices="CPU:0", variants=("eager-ndarray", "eager-tensor")
    )
    measured = measure(plan)
    by_size = {size: [t for t in measured.trials if t.size == size] for size in plan.sizes}
    assert all(trial.agreed for trial in by_size[50])
    assert all("exit status 7" in trial.reason for trial in by_size[200] + by_size[300])
    assert not any("cuda" in trial.reason for trial in measured.trials)  # what TensorFlow logged is not the reason


def test_an_original_that_ends_its_process_is_tried_once():
    plan = plan_for("ends_its_process", (50, 200, 300), ("x", "np.ones(n)"), devices="CPU:0")
    measured = measure(replace(plan, variants=("eager-ndarray", "eager-tensor")))
    reasons = {size: {trial.reason for trial in measured.trials if trial.size == size} for size in plan.sizes}
    said = "in the original: the child process ended (exit status 3)"
    assert reasons == {50: {""}, 200: {said}, 300: {f"not tried: at n=200 {said}"}}


def test_random_numbers_agree_and_what_is_written_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    measured = measure(
        plan_for("logged", (50,), ("x", "np.ones(n)"), devices="CPU:0", variants=("eager-ndarray", "eager-tensor"))
    )
    assert [(trial.reason, trial.agreed) for trial in measured.trials] == [("", True)] * 2
    assert measured.notes[:1] == ["logged writes written.log: so it did in every sample"]


@pytest.mark.parametrize(
    ("function", "expressions", "said"),
    [
        ("sigmoid", (), "needs arguments nobody gave: x"),
        ("sigmoid", (("x", "np.ones(n)"), ("z", "1")), "no parameter z"),
        ("Average.push", (("x", "np.ones(n)"),), "needs an object.* or what Average is made from: shape"),
    ],
)
def test_arguments_must_fit(function, expressions, said):
    with pytest.raises(CannotVerify, match=said):
        measure(plan_for(function, (10,), *expressions))


@pytest.mark.parametrize(
    ("function", "expressions"),
    [
        ("Average.push", (("self", "Average((n, n), rate=0.25)"), ("x", "rng.standard_normal(n)"))),
        ("Average.push", (("shape", "n"), ("x", "rng.standard_normal(n)"))),
        ("Average.scaled", (("x", "rng.standard_normal(n)"),)),
    ],
)
def test_methods_are_timed_on_objects_of_their_own_version(function, expressions):
    measured = measure(
        plan_for(function, (9,), *expressions, devices="CPU:0", variants=("eager-ndarray", "eager-tensor"))
    )
    assert [(trial.reason, trial.agreed) for trial in measured.trials] == [("", True)] * 2


def test_versions_share_what_is_not_of_their_own():
    np = pytest.importorskip("numpy")
    from np2tnp.profiling.expressions import evaluate

    one, other = (types.ModuleType("m") for _ in range(2))
    for module in (one, other):
        exec("import numpy as np\nclass Box:\n    def __init__(self, x):\n        self.x = x", vars(module))
    wanted = [
        ("x", "rng.random(n) + given"),
        ("box", "Box(x + rng.random() + np.random.random())"),
        ("y", "box.x * rng.random()"),
    ]
    first, second = evaluate(wanted, (one, other), {"n": 3, "given": 1.0}, np.random.default_rng(0))
    assert first["x"] is second["x"]
    assert (type(first["box"]), type(second["box"])) == (one.Box, other.Box)
    assert np.array_equal(first["box"].x, second["box"].x)
    assert np.array_equal(first["y"], second["y"])


def test_inputs_from_a_file(tmp_path):
    np = pytest.importorskip("numpy")
    np.savez(tmp_path / "in.npz", x=np.linspace(-1, 1, 300))
    plan = plan_for("sigmoid", (1,), devices="CPU:0", variants=("eager-ndarray",), inputs=str(tmp_path / "in.npz"))
    trial = measure(plan).trials[0]
    assert trial.agreed
    assert trial.elements == 300
    np.savez(tmp_path / "in.npz", x=np.ones(3), z=np.ones(3))
    with pytest.raises(CannotVerify, match="no parameter z"):
        measure(plan)


def run_cli(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-m", "np2tnp", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)


def test_the_command_writes_the_result_and_the_charts(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "old.py").write_text(ORIGINAL)
    (tmp_path / "new.py").write_text(REWRITTEN)
    done = run_cli(
        tmp_path,
        *(
            "profile",
            "new.py:sigmoid",
            "--original",
            "old.py",
            "--size",
            "n=10..1000",
            "--arg",
            "x=rng.standard_normal(n)",
        ),
        *("--budget", "0.05", "--repeats", "5", "--device", "cpu"),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "np2tnp-profile.json").read_text())
    assert document["schema"] == 1
    assert document["complete"]
    trials = document["functions"][0]["trials"]
    assert {trial["size"] for trial in trials} >= {10, 100, 1000}
    assert all(trial["verdict"] in {"FASTER", "SLOWER", "SAME", "UNSURE"} for trial in trials)
    for name in ("time", "rate", "relative", "parts", "transfer", "first-call"):
        assert (tmp_path / f"np2tnp-profile-{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (tmp_path / f"np2tnp-profile-{name}.svg").read_text()
    for trial in trials:
        assert trial["verdict"] in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("profile", "new.py:nobody", "--original", "old.py"), "nobody"),
        (("profile", "new.py:sigmoid", "--original", "old.py", "--size", "n=x"), "--size"),
        (("profile", "new.py:sigmoid", "--original", "old.py", "--arg", "x"), "NAME=EXPRESSION"),
        (("profile", "absent.py:f"), "absent.py"),
        (("profile",), "FILE:FUNCTION"),
    ],
)
def test_wrong_command_lines_are_one_line_and_status_2(tmp_path, arguments, said):
    (tmp_path / "old.py").write_text(ORIGINAL)
    (tmp_path / "new.py").write_text(REWRITTEN)
    done = run_cli(tmp_path, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_doctor_reports_devices_that_were_tried(tmp_path):
    done = run_cli(tmp_path, "doctor", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["devices"][0]["name"] == "CPU:0"
    assert report["devices"][0]["works"] is True
    assert report["tensorflow"]["numpy"]


def test_doctor_works_without_tensorflow(tmp_path):
    program = (
        "import sys, importlib.util\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name in ('tensorflow', 'numpy') else real(name, *a)\n"
        "from np2tnp.cli import main\n"
        "sys.exit(main(['doctor']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == 2
    assert "pip install 'np2tnp[tf]'" in " ".join(done.stdout.split())


@pytest.mark.gpu
def test_a_gpu_is_measured_and_agrees():
    plan = plan_for("sigmoid", (100_000,), ("x", "rng.standard_normal(n, dtype='f4')"))
    try:
        measured = measure(replace(plan, devices="gpu"))
    except CannotVerify:
        pytest.skip("no GPU that TensorFlow can use")
    assert all(trial.agreed for trial in measured.trials)
