"""What ``profile`` decides of a function: from trials, callers and recorded calls to "confirmed"."""

from __future__ import annotations

from dataclasses import replace

import pytest

from np2tnp.config import Config
from np2tnp.profiling.emitted import compiled_forms
from np2tnp.profiling.evidence import Ratio, Speed, Spread, saved
from np2tnp.profiling.measured import Measured, Plan, Trial, decide
from np2tnp.profiling.profiled_program import reaches, with_companions
from np2tnp.profiling.record import Signature
from np2tnp.verify.two_texts import Pair


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
    from np2tnp.verify.two_texts import Pair

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


def test_a_call_without_arrays_has_no_elements():
    slower = trial(0, Speed.SLOWER, 0.2)
    assert decide(measured(slower)).reason == "SLOWER (takes 5 times as long) without an array among the arguments"
    assert decide(measured(trial(1, Speed.SLOWER, 0.2))).reason.endswith(" at 1 element")
    assert decide(measured(trial(2000, Speed.SLOWER, 0.2))).reason.endswith(" at 2,000 elements")


def test_calls_of_one_size_are_told_of_once():
    trials = [trial(10, Speed.SLOWER, 0.2), trial(10, Speed.SLOWER, 0.5), trial(99, Speed.FASTER, 2.0)]
    words = "SLOWER (takes 2 times as long, or longer) at 10 elements, FASTER (2 times as fast) at 99 elements"
    assert decide(measured(*trials)).reason == words
    mixed = [trial(10, Speed.FASTER, 3.0), trial(10, Speed.FASTER, 2.0)]
    assert decide(measured(*mixed)).reason == "FASTER (2 times as fast, or faster) at 10 elements"


def test_nothing_is_confirmed_without_agreement_or_times():
    good = trial(1000, Speed.FASTER, 4.0)
    wrong = Trial("f", "eager-ndarray", "CPU:0", 10, False, "not equal: result[0]")
    assert decide(measured(wrong, good)).reason.endswith("not equal: result[0]")
    retraced = Trial("f", "eager-ndarray", "CPU:0", 10, True, "traced again")
    assert "traced again" in decide(measured(retraced, good)).reason
    assert not decide(measured(retraced, good)).confirmed
    assert decide(measured(retraced, good)).above is None


def test_behind_a_size_test_stands_the_variant_that_saves_most():
    small, large = trial(10, Speed.SLOWER, 0.1), trial(1000, Speed.FASTER, 2.0)
    quick = replace(large, ratio=Ratio(4.0, 3.6, 4.4), variant_time=Spread(0.25, 0.25, 0.25))
    graph = [
        replace(item, variant="graph-ndarray") for item in (small, replace(large, variant_time=Spread(0.5, 0.5, 0.5)))
    ]
    xla = [replace(item, variant="xla-ndarray") for item in (small, quick)]
    for trials in ([*graph, *xla], [*xla, *graph]):
        decision = decide(measured(*trials))
        assert (decision.confirmed, decision.above, decision.compile) == (False, 1000, "xla")


def test_a_slow_moment_of_numpy_saves_nothing():
    """The variant beside which NumPy was slowest is not the one that saves most; what is sure of the ratio counts."""
    small, large = trial(10, Speed.SLOWER, 0.1), trial(1000, Speed.FASTER, 3.0)
    graph = replace(large, variant="graph-ndarray", ratio=Ratio(3.2, 1.7, 3.6), reference=Spread(2.3, 2.3, 2.3))
    xla = replace(large, variant="xla-ndarray", ratio=Ratio(2.9, 2.7, 3.0), reference=Spread(1.9, 1.9, 1.9))
    sides = [replace(small, variant=item.variant) for item in (graph, xla)]
    for trials in ([graph, xla], [xla, graph]):
        assert decide(measured(*sides, *trials)).compile == "xla"


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


def test_sizes_that_are_seen_too_rarely_are_below_the_size_test():
    small = trial(10, Speed.FASTER, 2.0, signature="small")
    small = replace(small, variant="xla-ndarray", variant_time=Spread(0.5, 0.5, 0.5), first_call=10.0)  # pays after 19
    large = replace(small, size=1000, elements=1000, signature="large")
    found = measured(small, large)
    seen = Signature("small", 18, 1.0, 10, "kept"), Signature("large", 19, 1.0, 1000, "kept")
    found.plan = replace(found.plan, recorded=seen)
    decision = decide(found)
    assert (decision.confirmed, decision.above, decision.compile) == (False, 1000, "xla")
    assert "pays after 19 calls at 10 elements, and 18 were made" in decision.reason


def test_what_is_not_compiled_says_why():
    text = (
        "import numpy as np\n\n\ndef f(x):\n    print(x)\n    return np.exp(x)\n\n\ndef g(x):\n    return np.exp(x)\n"
    )
    forms = compiled_forms(Pair("m.py", text, "", "memory", in_memory=True), Config())
    assert [form.mode for form in forms] == ["graph", "xla"]
    for form in forms:
        assert form.why_not("f").startswith("not compiled: ")
        assert form.why_not("g") == ""
        assert f'compile="{form.mode}"' in form.text
    assert compiled_forms(Pair("m.py", text, text, "m_old.py"), Config()) == ()


def test_the_gpu_decides_where_there_is_one():
    here, there = trial(10, Speed.FASTER, 2.0), replace(trial(10, Speed.SLOWER, 0.1), device="GPU:0")
    decision = decide(measured(here, there, devices=("CPU:0", "GPU:0")))
    assert not decision.confirmed
    assert decision.device == "GPU:0"


def test_what_a_run_would_gain_counts_calls_and_first_calls():
    fast = trial(10, Speed.FASTER, 2.0, signature="x")
    fast = replace(fast, variant_time=Spread(0.75, 0.75, 0.75), first_call=2.0)
    found = measured(fast)
    found.plan = replace(found.plan, recorded=(Signature("x", 100, 1.0, 10, "kept"),))
    assert saved(found) == pytest.approx(100 * 0.25 - 2.0)
    found.veto = "not alone"
    assert saved(found) == 0.0
