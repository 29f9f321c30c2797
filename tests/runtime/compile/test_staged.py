"""The exact helpers inside ``tf.function`` and under XLA: a sample of what the probe measures for all of them."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow")

from np2tnp.catalog import load
from np2tnp.probe import facts_file, staged
from np2tnp.probe.probed_calls import import_runtime

FACTS = facts_file.read()["apis"]

#: Calls with NaN, infinities and zeros of both signs which TensorFlow's own kernels under XLA get wrong.
AWKWARD = [
    ("numpy.maximum", "S, U"), ("numpy.minimum", "S, U"), ("numpy.fmax", "S, U"), ("numpy.fmin", "S, U"),
    ("numpy.hypot", "S, U"), ("numpy.sign", "s"), ("numpy.max", "s"), ("numpy.argsort", "s, kind='stable'"),
    ("numpy.floor_divide", "S, U"), ("numpy.remainder", "S, U"), ("numpy.clip", "s, 0, 1"), ("numpy.sort", "s"),
]  # fmt: skip


def planned(api: str) -> list[staged.Call]:
    """The calls of the exact helper for float64 arrays on which NumPy returns."""
    calls = staged.plan_calls(api, FACTS[api]).get("rt", [])
    return [call for call in calls if call.chars == "d" and call.expected.error is None]


def sample(stage: str) -> list[str]:
    """Every fourth function whose helper the facts say to work in a stage as in eager mode."""
    facts = [load().get(name) for name in FACTS if name.startswith("numpy.") and "alias_of" not in FACTS[name]]
    good = [f.name for f in facts if f is not None and f.rt is not None and "d" in f.rt.dtypes]
    stages = {name: getattr(fact.rt, stage) for name in good if (fact := load().get(name)) is not None and fact.rt}
    return [name for name in sorted(good) if stages[name] is not None and stages[name].state == "ok"][::4]


@pytest.mark.parametrize("stage", ["traced", "compiled"])
def test_helpers_give_in_a_graph_what_they_give_in_eager_mode(stage: str) -> None:
    import_runtime()
    names = sample(stage)
    calls = [call for name in names for call in planned(name)[:1]]
    assert len(calls) > 30
    calls += [call for api, text in AWKWARD for call in planned(api) if call.case.call == text]
    found = staged.measure(calls, stage, ("sample", "rt"), set(), lambda *_: None)
    wrong = {f"{call.case} {call.chars}": word for call, word in found if not word.startswith(("equal", "ulp:"))}
    assert not wrong
