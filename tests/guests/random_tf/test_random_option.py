"""``--random tf``: draws on the device, from the same distributions, seeded by NumPy's generators."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from side_by_side import Pair, rewrite

from np2tnp import runtime as rt
from np2tnp.guests.random_tf import DRAWS
from np2tnp.runtime.functions.random import random as draws
from np2tnp.runtime.functions.random.random import Stream
from np2tnp.verify.judge import judge
from np2tnp.verify.observe import observe

TEXT = """
import numpy as np

rng = np.random.default_rng(0)


def legacy(n, x):
    np.random.seed(3)
    a = np.random.rand(n) + x
    c = np.random.zipf(2.0, size=n)
    np.random.shuffle(a)
    return np.sqrt(a) * np.random.normal(), c


def walk(n):
    return np.cumsum(rng.normal(size=n))


class Simulation:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def step(self, n):
        return np.exp(self.rng.standard_normal(n)).sum()


def given(rng: np.random.Generator, x):
    return np.sin(x) + rng.normal(size=x.shape)


def estimate(n):
    points = np.random.uniform(-1, 1, (n, 2))
    return 4 * np.mean(np.sum(points**2, axis=1) <= 1)
"""


@pytest.fixture(scope="module")
def module() -> dict:
    new = rewrite(TEXT, random="tf").new_text
    assert new is not None
    return vars(Pair(TEXT, new)._new[0]) | {"text": new}


def test_the_draws_are_named_in_the_rewritten_text(module: dict) -> None:
    text = module["text"]
    for part in (
        "rt.random.rand(n)",
        "rt.tensor(np.random.zipf(2.0, size=n))",
        "rt.random.stream(rng).normal(size=n)",
        "rt.random.stream(self.rng).standard_normal(n)",
        "rt.random.uniform(-1, 1, (n, 2))",
    ):
        assert part in text
    assert "rt.random" not in (rewrite(TEXT).new_text or "")


def test_the_rewritten_program_draws_on_the_device_and_seeds_alike(module: dict) -> None:
    x = np.zeros(2000)
    with rt.count_ops() as counted:
        first, _ = module["legacy"](2000, x)
    assert any("StatelessRandomUniform" in name for name in counted.ops)
    again, _ = module["legacy"](2000, x)
    np.testing.assert_array_equal(first, again)
    assert type(first) is np.ndarray
    steps = [module["Simulation"](seed).step(9) for seed in (1, 1, 2)]
    assert steps[0] == steps[1] != steps[2]
    assert module["walk"](5).shape == (5,)
    noise = module["given"](np.random.default_rng(0), np.zeros((40, 50)))
    assert noise.shape == (40, 50)
    assert abs(noise.mean()) < 0.1
    assert abs(noise.std() - 1) < 0.1
    assert abs(module["estimate"](20_000) - np.pi) < 0.1
    with pytest.raises(rt.UnverifiedError, match="no generator"):
        module["given"](object(), np.zeros(2))


def test_each_kind_of_generator_has_its_own_names() -> None:
    old = rt.random.stream(np.random.RandomState(0)).random_sample(2000)
    assert old.dtype == np.float64
    assert abs(old.numpy().mean() - 0.5) < 0.05
    with pytest.raises(AttributeError):
        rt.random.stream(np.random.default_rng(0)).random_sample(3)


def test_other_draws_are_no_difference_for_verify(module: dict) -> None:
    old: dict = {}
    exec(TEXT, old)
    expected = observe(old["walk"], [50], {})
    actual = observe(module["walk"], [50], {}, counter=rt.count_ops)
    judged = judge(expected, actual, lambda how: expected)
    assert (judged.kind, "--random tf" in judged.detail) == ("random", True)


def test_the_option_names_what_the_runtime_draws() -> None:
    listed = DRAWS
    assert listed == {name for name in draws.__all__ if name not in ("seed", "shuffle", "stream")} | {"integers"}
    assert all(hasattr(Stream, name) for name in listed - {"ranf", "sample"})


@pytest.mark.parametrize("compile_as", ["graph", "xla"])
def test_a_seed_holds_for_functions_that_would_be_compiled(compile_as: str) -> None:
    text = "import numpy as np\n\n\ndef noisy(x: np.ndarray):\n    return x + np.random.standard_normal(x.shape)\n"
    report = rewrite(text, random="tf", compile=compile_as)
    assert any("no seed reaches" in finding.message for finding in report.findings)
    namespace: dict = {}
    exec(report.new_text or "", namespace)
    drawn = []
    for seed in (1, 1, 2):
        np.random.seed(seed)
        drawn.append(namespace["noisy"](np.ones(3)).tolist())
    assert drawn[0] == drawn[1] != drawn[2]
