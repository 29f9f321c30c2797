"""Functions of operators alone: the calls in their module say whether these work on arrays."""

from __future__ import annotations

import textwrap

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import RegionState

HELPER = "def flux(u):\n    return 0.5 * u ** 2\n\n"


def report(text: str):
    return analyze(Source("m.py", "import numpy as np\n\n" + textwrap.dedent(text)), Config(rewrite=True))


def state(text: str, name: str = "flux") -> RegionState:
    return {region.qualname: region.state for region in report(text).regions}[name]


@pytest.mark.parametrize(
    "body",
    [
        "v[1:] -= flux(v)[1:]\n    return np.sum(v)",
        "return flux(np.zeros(v))",
        "x = np.linspace(0, 1, v)\n    return np.sum(flux(2 * x))",
        "return flux(v.reshape(-1)).sum()",
        "return np.sum(flux(u=v)) + v.mean()",
        "return flux(v[:, 0]) + np.exp(v[1:, 1:])",
        "w = np.exp(v.T)\n    return flux(-w[1:])",
    ],
)
def test_what_a_caller_shows_to_be_an_array(body):
    assert state(f"{HELPER}def f(v):\n    {body}\n") is RegionState.CONVERTIBLE


@pytest.mark.parametrize(
    "body",
    [
        "return flux(v) + 1",
        "return flux(2.5) * np.sum(v)",
        "return flux(np.sum(v))",
        "flux = lambda x: x\n    return flux(np.zeros(v))",
        "return flux(*np.zeros((1, v)))",
        "def g(t):\n        return flux(np.zeros(t))\n    return g",
        "return flux(len(v.T))",
        "return flux(np.zeros(v)) + np.sum(flux([1, v]))",
    ],
)
def test_what_is_no_evidence(body):
    assert state(f"{HELPER}def f(v):\n    {body}\n") is RegionState.PLAIN


def test_evidence_is_handed_on_from_call_to_call():
    text = f"{HELPER}def outer(u):\n    return flux(u) - flux(2 * u)\n\ndef f(n):\n    return outer(np.ones(n))\n"
    assert state(text) is state(text, "outer") is RegionState.CONVERTIBLE


def test_methods_count_as_well():
    text = """
    class Net:
        def act(self, z):
            return z * (z > 0)

        def forward(self, x):
            return self.act(x.reshape(-1)) + np.exp(x)
    """
    assert state(text, "Net.act") is RegionState.CONVERTIBLE


def test_an_object_with_such_members_is_none():
    text = """
    def twice(thing):
        return thing * 2

    class Grid:
        def grow(self):
            return twice(self), np.zeros(self.shape)
    """
    assert state(text, "twice") is RegionState.PLAIN


@pytest.mark.parametrize(
    "head", ["u: float", "u: list", "u='text'", "u, *, v=2"], ids=["number", "list", "text", "keyword only"]
)
def test_what_the_function_itself_says_of_a_parameter_wins(head):
    text = f"def flux({head}):\n    return u * 2\n\ndef f(n):\n    return flux(np.ones(n)), np.ones(n).sum()\n"
    expected = RegionState.CONVERTIBLE if "*," in head else RegionState.PLAIN
    assert state(text) is expected


def test_a_parameter_that_is_compared_as_a_number_is_one():
    text = "def flux(u):\n    if u > 0:\n        return u * 2\n    return u\n\ndef f(n):\n    return flux(np.ones(n))\n"
    assert state(text) is RegionState.PLAIN


def test_arrays_stay_on_the_device_between_them():
    new = report(f"{HELPER}def f(v):\n    return flux(v.T).sum()\n").new_text
    assert new is not None
    assert "flux.core(tnp.transpose(v))" in new
    assert "rt.host" not in new


SCALER = """
    class Scaler:
        def __init__(self, scale=None):
            self.mean = None
            self.scale = scale

        def fit(self, x, names=()):
            {fit}
            return self

        def transform(self, x):
            return {result}
"""


@pytest.mark.parametrize(
    ("fit", "result", "expected"),
    [
        ("self.mean = x.mean(axis=0)", "x - self.mean", RegionState.CONVERTIBLE),
        ("self.mean = np.mean(x, axis=0)", "-(2 * x) / self.mean", RegionState.CONVERTIBLE),
        ("self.mean = np.zeros(3)", "self.mean + x", RegionState.CONVERTIBLE),
        ("total = np.cumsum(x)\n            self.mean = total / 2", "self.mean + x", RegionState.CONVERTIBLE),
        ("self.mean = x.mean()", "x - self.mean", RegionState.PLAIN),
        ("self.mean = x.mean(axis=None)", "x - self.mean", RegionState.PLAIN),
        ("self.mean = len(np.sort(x))", "x - self.mean", RegionState.PLAIN),
        ("self.other = np.mean(x, axis=0)", "x - self.mean", RegionState.PLAIN),
        ("self.mean = np.mean(x, axis=0)", "str(self.mean) + x", RegionState.PLAIN),
        ("self.mean = names.index(x, axis=0)", "x - self.mean", RegionState.PLAIN),
    ],
)
def test_what_a_class_keeps_shows_what_stands_beside_it(fit, result, expected):
    assert state(SCALER.format(fit=fit, result=result), "Scaler.transform") is expected


def test_what_a_constructor_gets_is_kept():
    text = SCALER.format(fit="pass", result="x * self.scale")
    assert state(text, "Scaler.transform") is RegionState.PLAIN
    assert state(f"{text}\n    s = Scaler\n    def f(n):\n        return Scaler(np.ones(n))\n", "Scaler.transform") is (
        RegionState.CONVERTIBLE
    )


def test_attributes_of_another_class_show_nothing():
    text = SCALER.format(fit="self.mean = np.zeros(3)", result="x") + (
        "\n    class Other:\n        def shift(self, x):\n            return x - self.mean\n"
    )
    assert state(text, "Other.shift") is RegionState.PLAIN


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("u[u < 0] = 0", RegionState.CONVERTIBLE),
        ("u[1 != u] *= 2\n    return u", RegionState.CONVERTIBLE),
        ("return u[u > k].mean()", RegionState.CONVERTIBLE),
        ("return u[u > k]", RegionState.CONVERTIBLE),
        ("u[(3 < u) & ~(u <= k)] *= -1", RegionState.CONVERTIBLE),
        ("u[[0, 1]] = u[[1, 0]]", RegionState.CONVERTIBLE),
        ("return u[u[:, k] > 0]", RegionState.CONVERTIBLE),
        ("return u[u[:, k].argsort()]", RegionState.CONVERTIBLE),
        ('return u[["a", "b"]]', RegionState.PLAIN),
        ("return u[k > 0]", RegionState.PLAIN),
        ("u[k in u] = 0", RegionState.PLAIN),
        ("return u[u is k]", RegionState.PLAIN),
    ],
)
def test_what_only_arrays_are_indexed_with(body, expected):
    assert state(f"def flux(u, k):\n    {body}\n") is expected
