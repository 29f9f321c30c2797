"""Objects of other classes: methods that are called like those of lists, dicts or arrays, and operators of theirs.

A method's name proves nothing: it may change, keep or give back what it gets. Each form is rewritten, and run beside
the original; what the object keeps is compared, too.
"""

# ruff: noqa: E501 - tables of small programs

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from side_by_side import compare_text, rewrite

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


# --- Operators, indices and `in`: of a class that is in no module that the analysis sees

#: What the class's operators do with the array that they get.
OPERATORS_DO = {
    "change": "v *= 2.0; return 1.0",
    "keep": "self.kept.append(v); return 1.0",
    "give back": "return v",
    "leave alone": "return 3.0",
}
FAR_AWAY = """\
import numpy as np


class Own:
    {numpy}

    def __init__(self):
        self.kept = []

    def itself(self):
        return self

    def __radd__(self, v):
        {does}

    def __contains__(self, v):
        self.__radd__(v)
        return True

    def __setitem__(self, key, v):
        self.__radd__(v)

    def __divmod__(self, v):
        return self.__radd__(v), 1.0

    __add__ = __iadd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __imul__ = __matmul__ = __rmatmul__ = __radd__
    __truediv__ = __rfloordiv__ = __pow__ = __rpow__ = __and__ = __lt__ = __gt__ = __eq__ = __ne__ = __radd__
    __getitem__ = __radd__
    __rdivmod__ = __divmod__
    __hash__ = None
"""
#: How NumPy's arrays are told to leave operators to it.
NUMPY = ("__array_ufunc__ = None", "__array_priority__ = 1000")
ASKED = {
    form: f"z = {form}"
    for form in (
        "o @ w; w @ o; o + w; w + o; w - o; o * w; w // o; o ** w; w ** o; o & w; o < w; w < o; w == o; o != w;"
        " divmod(o, w); divmod(w, o); pow(o, w); w in o; w in [o]; o[w]; o[0:w.size, w]; sum([o], w); sum(a * w for a in [o]);"
        " np.add(w, o); {0: o}[0] @ w; max(o, w)"
    ).split("; ")
} | {form: f"{form}; z = 1" for form in ("o += w", "o *= w", "o[0] = w", "o[w] = 1.0")}
GIVEN = {
    "a parameter": ("def f(x, o):\n{body}\n\n\ndef run(x, o):\n    return f(x, o), o.kept\n", "o"),
    "an attribute": (
        (
            "class Holder:\n    def __init__(self, o):\n        self.o = o\n\n    def f(self, x):\n{deep}\n\n\n"
            "def run(x, o):\n    return Holder(o).f(x), o.kept\n"
        ),
        "self.o",
    ),
    "an item": ("def f(x, all):\n{body}\n\n\ndef run(x, o):\n    return f(x, [o]), o.kept\n", "all[0]"),
    "a global": (
        "O = None\n\n\ndef f(x):\n{body}\n\n\ndef run(x, o):\n    global O\n    O = o\n    return f(x), o.kept\n",
        "O",
    ),
    "in a loop": (
        "def f(x, all):\n    for o in all:\n        pass\n{body}\n\n\ndef run(x, o):\n    return f(x, [o]), o.kept\n",
        "o",
    ),
    "what a call gave": (
        "def f(x, get):\n    o = get()\n{body}\n\n\ndef run(x, o):\n    return f(x, o.itself), o.kept\n",
        "o",
    ),
}


def program(form: str, place: str) -> str:
    frame, name = GIVEN[place]
    line = re.sub(r"\bo\b", name, ASKED[form])
    body = f"    w = x * 1.0\n    {line}\n    w[0] = 77.0\n    return w.sum(), w * 1.0, z"
    deep = "\n".join("    " + each for each in body.splitlines())
    return "import numpy as np\n\n\n" + frame.format(body=body, deep=deep)


#: Each form with a parameter and with what a call gave; some with each place.
PLACED = [(form, place) for form in ASKED for place in ("a parameter", "what a call gave")]
PLACED += [(form, place) for form in ("o @ w", "w - o", "o < w", "w in o", "o[w]", "o[0] = w") for place in GIVEN]


@pytest.mark.parametrize(("form", "place"), dict.fromkeys(PLACED))
def test_operators_of_an_unknown_class_get_no_copies(form: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The original answers. Of an object that a call gave, nobody knew at the door: what it did is told, loudly."""
    calls = []
    for numpy, does in [("pass", does) for does in OPERATORS_DO] + [(it, "change") for it in NUMPY]:
        far = types.ModuleType(f"far_away_{len(calls)}")
        exec(FAR_AWAY.format(numpy=numpy, does=OPERATORS_DO[does]), vars(far))
        monkeypatch.setitem(sys.modules, far.__name__, far)
        calls.append(f"run(np.array([1.0, 4.0, 9.0]), __import__({far.__name__!r}).Own())")
    report, judgements = compare_text(program(form, place), calls, on_unverified="numpy")
    if (form, place) == ("sum([o], w)", "a parameter"):  # it may give back w, which is updated below: the original
        assert report.new_text is None
        return
    assert report.new_text is not None
    for call, it in zip(calls, judgements, strict=True):
        loud = place == "what a call gave" and (it.kind == "refused" or it.detail.startswith("refused the input"))
        assert loud or it.kind in ("equal", "raised"), (call, it.kind, it.detail, report.new_text)


@pytest.mark.parametrize("update", ["put([0], 5)", "fill(5)", "partition(1)", "sort()", "itemset(0, 5)"])
def test_no_tensor_is_asked_to_update_itself_where_an_array_may_be_the_callers(update: str) -> None:
    text = (
        "import numpy as np\n\n\ndef f(n, out=None):\n    if out is None:\n        out = np.arange(float(n))\n"
        f"    v = out[::-1]\n    v.{update}\n    return np.exp(v)\n"
    )
    new = rewrite(text, on_unverified="numpy").new_text or ""
    migrated = new.partition("# NumPy originals")[0]
    assert "tnp.arange" not in migrated or f"v.{update}" not in migrated
