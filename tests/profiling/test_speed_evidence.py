"""The arithmetic of ``profile``: sizes, crossovers, ratios and verdicts; what takes a win back; the summary."""

from __future__ import annotations

import os
import random
import sys
from dataclasses import replace

import pytest

from np2tnp.profiling.evidence import Ratio, Speed, Spread, judge_speed, pays_after, ratio, spread, summarize
from np2tnp.profiling.measured import Measured, Plan, Trial, as_said
from np2tnp.profiling.measurement import choose_devices, doubt_lucky_trials, note_remarks, note_slowed_numpy
from np2tnp.profiling.size_grid import Point, SizeError, bracket, find_crossover, grid, parse_sizes
from np2tnp.report.to_profile import render
from np2tnp.verify.two_texts import CannotVerify, Pair


def test_ratios_are_told_as_people_say_them():
    assert as_said(2.5) == "2.5 times as fast"
    assert as_said(1234.0) == "1,234 times as fast"
    assert as_said(0.013) == "takes 77 times as long"
    assert as_said(0.0001) == "takes 10,000 times as long"


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
    assert str(find_crossover(curve(0.1, 10.0), "elements")).startswith("faster above 320")
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
    from np2tnp.profiling.trial import sample_in_turns

    sides = (Simulated(1.0, spread, 0), Simulated(seconds, spread, 1))
    pauses = []
    times = sample_in_turns(sides, 20, 1e6, 0.05, lambda: pauses.append(1))
    assert [len(one) for one in times] == [samples, samples]
    assert len(pauses) == samples


@pytest.mark.parametrize(("seconds", "samples"), [(3.0, 3), (1.5, 5), (0.2, 5)])
def test_what_is_slower_by_far_is_sampled_less_where_time_is_short(seconds: float, samples: int):
    pytest.importorskip("numpy")
    from np2tnp.profiling.trial import sample_in_turns

    sides = (Simulated(1.0, 0.01, 0), Simulated(seconds, 0.01, 1))
    times = sample_in_turns(sides, 20, 0.0, 0.05, lambda: None)
    assert [len(one) for one in times] == [samples, samples]


def plan_for(function: str, sizes: tuple[int, ...]) -> Plan:
    return Plan(Pair("program.py", "", "", "test"), function, "n", sizes, ())


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


@pytest.mark.parametrize(
    ("remark", "verdict"),
    [("clocks are lowered: thermal limit", Speed.FASTER), ("2 other processes on the GPU", Speed.UNSURE)],
)
def test_a_win_beside_others_is_none_and_one_with_lowered_clocks_all_the_more(remark, verdict):
    trial = replace(timed("xla", 10, Speed.FASTER, 2.0), device="GPU:0", remarks=(remark,))
    measured = Measured(plan_for("sigmoid", (10,)), trials=[trial])
    doubt_lucky_trials(measured, 1)
    note_remarks(measured, 1)
    note_remarks(measured, 1)
    assert measured.trials[0].speed is verdict
    assert measured.as_dict()["trials"][0]["remarks"] == [remark]
    assert measured.notes == [f"GPU:0: {remark}"]


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
    nothing = "on CPU:0 nothing is surely faster than NumPy up to n = 10,000: no crossover size"
    assert summarize(measured) == [nothing]


def test_sizes_are_shown_in_their_order():
    measured = Measured(plan_for("sigmoid", (100, 10_000)))
    measured.single = {(size, ""): Spread(1e-3, 1e-3, 1e-3) for size in (100, 10_000, 1000)}  # one was added in between
    (line,) = [str(part) for part in render(measured) if "one thread" in str(part)]
    assert line == "NumPy on one thread: 1 ms (100), 1 ms (1,000), 1 ms (10,000)"


def test_a_first_call_pays_only_for_what_is_faster():
    assert pays_after(timed("xla", 10, Speed.FASTER, 2.0, first_call=1.0)) == 1999
    assert pays_after(timed("xla", 10, Speed.FASTER, 2.0, first_call=5e-4)) == 1
    assert pays_after(timed("xla", 10, Speed.UNSURE, 2.0)) is None


NVML = """
import os
from types import SimpleNamespace
def nvmlInit(): pass
def nvmlShutdown(): pass
def nvmlDeviceGetHandleByIndex(index): return index
def nvmlDeviceGetHandleByUUID(name): return {"GPU-a": 3, "MIG-b": 7}[name]
def nvmlDeviceGetCurrentClocksThrottleReasons(handle): return 0x24 if handle in (3, 7) else 0x1
def nvmlDeviceGetComputeRunningProcesses(handle):
    if handle == 7: raise RuntimeError("Not Supported")
    return [SimpleNamespace(pid=os.getpid()), SimpleNamespace(pid=os.getppid())] if handle == 4 else []
"""


def test_throttling_is_seen_through_the_driver(tmp_path, monkeypatch):
    from np2tnp.profiling.environment import is_shared, watch

    assert watch("CPU:0") == []
    (tmp_path / "pynvml.py").write_text(NVML)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,3")
    assert watch("GPU:0") == []
    assert watch("GPU:1") == ["clocks are lowered: power limit, thermal limit"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4")
    if os.path.exists("/proc/self"):
        assert is_shared(watch("GPU:0"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-a,MIG-b,GPU-unknown")
    assert watch("GPU:0") == watch("GPU:1") == ["clocks are lowered: power limit, thermal limit"]
    assert watch("GPU:2") == []
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)


SMI = """#!/bin/sh
case "$*" in
  *throttle*) echo 'Field "clocks_throttle_reasons.active" is not a valid field to query.'; exit 2;;
  *) echo "NVIDIA H100, 555.42, 81559 MiB, 4 MiB, 0 %, 1980 MHz, 1980 MHz";;
esac
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for the driver's tool")
def test_a_field_that_the_driver_does_not_know_costs_only_that_field(tmp_path, monkeypatch):
    from np2tnp.profiling.environment import query_gpus

    (tmp_path / "nvidia-smi").write_text(SMI)
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (card,) = query_gpus()
    assert card["name"] == "NVIDIA H100"
    assert card["clocks.max.sm"] == "1980 MHz"
    assert "clocks_throttle_reasons.active" not in card


def test_devices_are_chosen_by_name():
    present = ["/device:CPU:0", "/device:CPU:1", "/device:GPU:0"]
    assert choose_devices("all", present) == ["CPU:0", "CPU:1", "GPU:0"]
    assert choose_devices("gpu", present) == ["GPU:0"]
    assert choose_devices("CPU:1", present) == ["CPU:1"]
    with pytest.raises(CannotVerify, match="present: CPU:0"):
        choose_devices("GPU:3", present)
