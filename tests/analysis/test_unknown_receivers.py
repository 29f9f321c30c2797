"""Methods that are called like those of lists, dicts, files, loggers or arrays, of objects of other classes.

A method's name proves nothing: it may change, keep or give back what it gets. Each form is rewritten, and run beside
the original; what the object keeps is compared, too.
"""

# ruff: noqa: E501 - tables of small programs

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import compare_text

#: Of lists, dicts, queues, texts, files, loggers, and of arrays.
PYTHONS = "append extend add update put get pop setdefault write log info format remove copy".split()
ARRAYS = "clip dot take repeat choose sum round fill".split()

#: What the method does with the array that it gets, and what it gives.
DOES = {
    "changes": "v *= 2.0",
    "keeps": "self.kept.append(v)",
    "gives": "return v",
    "keeps a view": "self.kept.append(v[1:])",
    "changes what it kept": "[it.__imul__(2.0) for it in self.kept]; self.kept.append(v)",
}
#: Where the object comes from.
OBJECTS = {
    "a parameter": "def f(x, o):\n{body}\n\n\ndef run(x):\n    o = Own()\n    return f(x, o), o.kept\n",
    "an attribute": (
        "class Holder:\n    def __init__(self, own):\n        self.own = own\n\n    def f(self, x):\n        o = self.own\n{deep}\n\n\n"
        "def run(x):\n    o = Own()\n    return Holder(o).f(x), o.kept\n"
    ),
    "made by its class": (
        "class Holder:\n    def __init__(self):\n        self.own = Own()\n\n    def f(self, x):\n{attribute}\n\n\n"
        "def run(x):\n    h = Holder()\n    return h.f(x), h.own.kept\n"
    ),
    "a global": "OWN = Own()\n\n\ndef f(x):\n{upper}\n\n\ndef run(x):\n    OWN.kept.clear()\n    return f(x), OWN.kept\n",
    "an item": "def f(x, all):\n    o = all[0]\n{body}\n\n\ndef run(x):\n    o = Own()\n    return f(x, [o]), o.kept\n",
    "made here": "def f(x):\n    o = Own()\n{body}, o.kept\n\n\ndef run(x):\n    return f(x)\n",
    "in a loop": (
        "def f(x, all):\n    for o in all:\n        pass\n{body}\n\n\ndef run(x):\n    o = Own()\n    return f(x, [o]), o.kept\n"
    ),
}
BODY = """\
    y = np.sqrt(x)
    o.{name}(y)
    z = o.{name}(y)
    y[0] = 77.0
    if z is not None:
        z[1] = 5.0
    return y.sum(), y * 1.0"""
CLASS = """\
import numpy as np


class Own:
    def __init__(self):
        self.kept = []

    def {name}(self, v):
        {does}
"""


def text_of(name: str, does: str, where: str) -> str:
    body = BODY.format(name=name)
    deep = "\n".join("    " + line for line in body.splitlines())
    forms = {
        "body": body,
        "deep": deep,
        "attribute": deep.replace("o.", "self.own."),
        "upper": body.replace("o.", "OWN."),
    }
    return f"{CLASS.format(name=name, does=DOES[does])}\n\n{OBJECTS[where].format(**forms)}"


#: Each name with an action and a place, each action with each place.
FORMS = [
    *((name, action, "a parameter") for name in PYTHONS + ARRAYS for action in ("changes", "keeps")),
    *((name, "changes", place) for place in ("an attribute", "an item") for name in ("clip", "get", "update", "write")),
    *((name, action, place) for action in DOES for place in OBJECTS for name in ("add", "take")),
]


@pytest.mark.parametrize(("name", "does", "where"), dict.fromkeys(FORMS))
def test_a_name_proves_nothing(name: str, does: str, where: str) -> None:
    text = text_of(name, does, where)
    report, judgements = compare_text(text, ["run(np.array([1.0, 4.0, 9.0]))"], on_unverified="numpy")
    assert report.new_text is not None
    assert [(it.kind, it.detail) for it in judgements] == [("equal", "")], report.new_text
