"""Calls that may change ndarrays are told of, also where nothing is lost because NumPy's own array is changed."""

from __future__ import annotations

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import RegionState

HEAD = """import operator
import numpy as np


def bump(a, b, c):
    e, c = c, a
    e += np.tanh(c)
    return b


def fill(items):
    for item in items:
        item -= np.tanh(item)


"""


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        (
            "v = np.sqrt(x)\n    r = bump(v, v, x)\n    bump(v, x, x)\n    return r, v",
            18,
            "bump() may change the ndarrays that it gets",
        ),
        (
            "v = [np.exp(x)]; w = v[0]\n    fill(v)\n    return v[0].sum() + w.sum()",
            18,
            "fill() may change the ndarrays that it gets",
        ),
        ("v = np.sqrt(x)\n    setattr(v, 'shape', (-1,))\n    return v", 18, "setattr() may change an array"),
        ("v = np.sqrt(x)\n    getattr(v, p)()\n    return v", 18, "which method is called here is not known"),
        ("p.put([0, 1], np.sqrt(x)[:2])\n    return np.exp(x)", 17, ".put() may change what it is called on"),
        ("v = np.sqrt(x)\n    v = p(v)\n    return v", 18, "p() may change what it gets and give it back"),
        ("v = np.sqrt(x)\n    p(lambda a: a.sort() or a)\n    return v", 18, "this function is handed to others"),
        ("l = [p, np.exp(x)]\n    l[0][0] = 1\n    p.flat = 4", 19, "this changes what may be an array: .flat"),
    ],
)
def test_what_may_change_an_ndarray_is_told(body: str, line: int, words: str) -> None:
    config = Config(slow="convert")  # they do little with arrays
    report = pipeline.analyse_bytes(config, ("f.py", f"{HEAD}def f(x, p):\n    {body}\n".encode()))
    assert report.regions[-1].state is RegionState.CONVERTIBLE
    assert [item.message for item in report.findings if item.span.line == line and item.message.startswith(words)]


@pytest.mark.parametrize(
    "body", ["return len(np.sqrt(x))", "return np.tanh(still(np.sqrt(x)))", "return sorted(p, key=lambda a: a)"]
)
def test_nothing_is_told_of_calls_that_change_nothing(body: str) -> None:
    text = f"{HEAD}def still(a):\n    return np.exp(a)\n\n\ndef f(x, p):\n    np.exp(x)\n    {body}\n"
    report = pipeline.analyse_bytes(Config(), ("f.py", text.encode()))
    assert report.regions[-1].state is RegionState.CONVERTIBLE
    assert not [item for item in report.findings if item.span.line > 19 and item.code == "TNP010"]


def test_several_callees_that_may_have_changed_an_array_are_one_finding() -> None:
    body = "y = np.exp(x)\n    if n:\n        m.a(y[1:])\n    else:\n        m.b(y[:1])\n    return y\n"
    text = f"import numpy as np\nimport m\n\n\n@m.registered\ndef f(x, n):\n    {body}"
    report = pipeline.analyse_bytes(Config(), ("f.py", text.encode()))
    (told,) = [item.message for item in report.findings if "may have been changed" in item.message]
    assert told.startswith("y may have been changed by m.a, m.b, one of which got it, a view of it")
