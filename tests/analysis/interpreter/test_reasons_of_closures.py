"""What findings say of nested functions that go outside: what is in the way, and what can be changed."""

from __future__ import annotations

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import RegionState

HEAD = "import numpy as np\n\n\ndef total(g, b):\n    for _ in range(3):\n        b = g(b)\n    return b\n\n\n"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("m = np.diag(np.exp(x))\n    return total(lambda v: m @ v, x)", "total(): m may be a read-only view; copy it"),
        ("g = lambda v: k * v\n    k = np.exp(x)\n    return total(g, k)", "total(): k is assigned after it alone"),
        (
            "k, z = np.exp(x), 1\n    g = lambda v: k * v\n    k, z = x * 2, 2\n    return total(g, k)",
            "total(): k is assigned again after it; use another name there",
        ),
        (
            "y = np.exp(x)\n    def step(k):\n        nonlocal x\n        x = x + k\n    total(step, y)\n    return x",
            "nonlocal rebinds a parameter, or what is assigned again after it",
        ),
        ("g = lambda v: k * v\n    k = np.exp(x)\n    return g", "would see tensors: k is assigned after it alone"),
    ],
)
def test_the_reason_is_told(body: str, words: str) -> None:
    report = pipeline.analyse_bytes(Config(), ("f.py", f"{HEAD}def f(x):\n    {body}\n".encode()))
    assert report.regions[-1].state is RegionState.BLOCKED
    assert [item.message for item in report.findings if item.code == "TNP408" and words in item.message]


def test_a_copy_of_a_read_only_view_is_no_longer_in_the_way() -> None:
    body = "m = np.diag(np.exp(x)).copy()\n    return total(lambda v: m @ v, np.exp(x))"
    report = pipeline.analyse_bytes(Config(), ("f.py", f"{HEAD}def f(x):\n    {body}\n".encode()))
    assert report.regions[-1].state is RegionState.CONVERTIBLE
