"""Code out of sight that reads an array while a migrated function updates it: it sees each step, as in NumPy.

Each form says how the observer is held, and how the function comes to run it. Original and rewritten program must give
the same results, and have shown the same to the observer.
"""

# ruff: noqa: E501, ISC004 - tables of small programs

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from side_by_side import Call, Pair, compare_text, rewrite

HEAD = """\
import contextvars, functools, logging, operator, threading, weakref
from collections import defaultdict, deque
import numpy as np

SEEN = []
"""
STEP = """
def step(u{parameters}):
    for i in range(3):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        {runs}
    return u.sum()


def run(n):
    SEEN.clear()
    u = np.arange(n) ** 2.0
    {held}
    return step({given}), u, list(SEEN)
"""
#: What holds it (before `run`) -> how it is run, what `run` does first, the parameters and arguments beside u.
FORMS: dict[str, tuple[str, str, str, str, str]] = {
    "a lambda": ("", "o()", "o = lambda: SEEN.append(u.sum())", "o", "o"),
    "a list of lambdas": ("", "[o() for o in all]", "all = [lambda: SEEN.append(u.sum())]", "all", "all"),
    "a dict of lambdas": ("", "all['a']()", "all = {'a': lambda: SEEN.append(u.sum())}", "all", "all"),
    "a partial": ("def note(a):\n    SEEN.append(a.sum())\n", "o()", "o = functools.partial(note, u)", "o", "o"),
    "a bound builtin": ("", "SEEN.append(float(o()))", "o = u.sum", "o", "o"),
    "a bound method": (
        "class W:\n    def __init__(self, a):\n        self.a = a\n    def note(self):\n        SEEN.append(self.a.sum())\n",
        "o()", "o = W(u).note", "o", "o",
    ),
    "a callable object": (
        "class W:\n    def __init__(self, a):\n        self.a = a\n    def __call__(self):\n        SEEN.append(self.a.sum())\n",
        "o()", "o = W(u)", "o", "o",
    ),
    "an object that holds a closure": (
        "class W:\n    def __init__(self, get):\n        self.get = get\n    def note(self):\n        SEEN.append(self.get().sum())\n",
        "o()", "o = W(lambda: u).note", "o", "o",
    ),
    "a closure in a closure": (
        "def around(f):\n    def inner():\n        return f()\n    return inner\n",
        "o()", "o = around(around(lambda: SEEN.append(u.sum())))", "o", "o",
    ),
    "a default": ("", "o()", "o = lambda a=u: SEEN.append(a.sum())", "o", "o"),
    "a keyword default": ("", "o()", "o = lambda *, a=u: SEEN.append(a.sum())", "o", "o"),
    "an attribute of a function": (
        "def note():\n    SEEN.append(note.a.sum())\n", "note()", "note.a = u", "", "",
    ),
    "an iterator": ("", "next(o)", "o = (SEEN.append(u.sum()) for _ in range(9))", "o", "o"),
    "a map": ("", "next(o)", "o = map(lambda _: SEEN.append(u.sum()), range(9))", "o", "o"),
    "iter of a callable": ("", "next(o)", "o = iter(lambda: SEEN.append(u.sum()), 1)", "o", "o"),
    "a global list": (
        "ALL = []\ndef emit():\n    for f in ALL:\n        f()\n",
        "emit()", "ALL[:] = [lambda: SEEN.append(u.sum())]", "", "",
    ),
    "a global dict of lists": (
        "ALL = defaultdict(list)\ndef emit(kind):\n    for f in ALL[kind]:\n        f()\n",
        "emit('step')", "ALL['step'] = [lambda: SEEN.append(u.sum())]", "", "",
    ),
    "a global deque": (
        "ALL = deque(maxlen=2)\ndef emit():\n    for f in ALL:\n        f()\n",
        "emit()", "ALL.append(lambda: SEEN.append(u.sum()))", "", "",
    ),
    "a global array": ("G = None\ndef note():\n    SEEN.append(G.sum())\n", "note()", "global G; G = u", "", ""),
    "a global view": ("G = None\ndef note():\n    SEEN.append(G.sum())\n", "note()", "global G; G = u[1:]", "", ""),
    "a global memoryview": (
        "G = None\ndef note():\n    SEEN.append(G[1])\n", "note()", "global G; G = memoryview(u)", "", "",
    ),
    "a global flat": ("G = None\ndef note():\n    SEEN.append(G[1])\n", "note()", "global G; G = u.flat", "", ""),
    "an array of arrays": (
        "G = np.empty(1, object)\ndef note():\n    SEEN.append(G[0].sum())\n", "note()", "G[0] = u", "", "",
    ),
    "globals()": (
        "def note():\n    SEEN.append(globals()['LATER'].sum())\n", "note()", "globals()['LATER'] = u", "", "",
    ),
    "a class attribute": (
        "class F:\n    u = None\n    @classmethod\n    def note(cls):\n        SEEN.append(cls.u.sum())\n",
        "F.note()", "F.u = u", "", "",
    ),
    "an attribute of a base class": (
        "class F:\n    u = None\nclass G(F):\n    @classmethod\n    def note(cls):\n        SEEN.append(cls.u.sum())\n",
        "G.note()", "F.u = u", "", "",
    ),
    "a static method": (
        "class F:\n    ALL = []\n    @staticmethod\n    def note():\n        SEEN.append(F.ALL[0].sum())\n",
        "F.note()", "F.ALL[:] = [u]", "", "",
    ),
    "an object's class": (
        "class F:\n    u = None\n    def note(self):\n        SEEN.append(type(self).u.sum())\n",
        "o.note()", "F.u = u; o = F()", "o", "o",
    ),
    "a singleton": (
        "class F:\n    one = None\n    @classmethod\n    def get(cls):\n        cls.one = cls.one or cls()\n        return cls.one\n"
        "def note():\n    SEEN.append(F.get().u.sum())\n",
        "note()", "F.get().u = u", "", "",
    ),
    "a cache": (
        "@functools.lru_cache(maxsize=None)\ndef table(n):\n    return np.arange(n) ** 2.0\n"
        "def note():\n    SEEN.append(table(5).sum())\n",
        "note()", "table.cache_clear(); u = table(n)", "", "",
    ),
    "a bounded cache": (
        "@functools.lru_cache(maxsize=4)\ndef table(n):\n    return np.arange(n) ** 2.0\n"
        "def note():\n    SEEN.append(table(5).sum())\n",
        "note()", "table.cache_clear(); u = table(n)", "", "",
    ),
    "a cached property": (
        "class F:\n    @functools.cached_property\n    def u(self):\n        return np.arange(5) ** 2.0\nONE = F()\n"
        "def note():\n    SEEN.append(ONE.u.sum())\n",
        "note()", "vars(ONE).clear(); u = ONE.u", "", "",
    ),
    "thread-local storage": (
        "LOCAL = threading.local()\ndef note():\n    SEEN.append(LOCAL.u.sum())\n", "note()", "LOCAL.u = u", "", "",
    ),
    "a context variable": (
        "VAR = contextvars.ContextVar('v')\ndef note():\n    SEEN.append(VAR.get().sum())\n",
        "note()", "VAR.set(u)", "", "",
    ),
    "a weak reference": (
        "class F:\n    pass\nREFS = []\ndef note():\n    SEEN.append(REFS[0]().u.sum())\n",
        "note()", "f = F(); f.u = u; REFS[:] = [weakref.ref(f)]", "", "",
    ),
    "a weak set": (
        "class F:\n    pass\nALL = weakref.WeakSet()\ndef note():\n    SEEN.append(sum(f.u.sum() for f in ALL))\n",
        "note()", "ALL.clear(); f = F(); f.u = u; ALL.add(f)", "", "",
    ),
    "a proxy": (
        "class F:\n    pass\nALL = []\ndef note():\n    SEEN.append(ALL[0].u.sum())\n",
        "note()", "global KEEP; KEEP = f = F(); f.u = u; ALL[:] = [weakref.proxy(f)]", "", "",
    ),
    "slots": (
        "class F:\n    __slots__ = ('u',)\nALL = []\ndef note():\n    SEEN.append(ALL[0].u.sum())\n",
        "note()", "f = F(); f.u = u; ALL[:] = [f]", "", "",
    ),
    "what is printed": (
        "class F:\n    def __str__(self):\n        SEEN.append(self.u.sum())\n        return ''\n",
        "str(o)", "o = F(); o.u = u", "o", "o",
    ),
    "a property": (
        "class F:\n    @property\n    def total(self):\n        SEEN.append(self.u.sum())\n        return 1.0\nONE = F()\n",
        "ONE.total", "ONE.u = u", "", "",
    ),
    "a descriptor": (
        "class D:\n    def __get__(self, one, kind=None):\n        SEEN.append(self.u.sum())\n        return 1.0\n"
        "class F:\n    total = D()\nONE = F()\n",
        "ONE.total", "vars(F)['total'].u = u", "", "",
    ),
    "a handler of a logger": (
        "class H(logging.Handler):\n    def emit(self, record):\n        SEEN.append(self.u.sum())\n"
        "LOG = logging.getLogger('observed'); LOG.propagate = False; LOG.setLevel(20)\n",
        "LOG.info('step')", "h = H(); h.u = u; LOG.handlers[:] = [h]", "", "",
    ),
    "a context manager": (
        "class M:\n    def __enter__(self):\n        SEEN.append(self.u.sum())\n    def __exit__(self, *args):\n        pass\nM1 = M()\n",
        "with M1: pass", "M1.u = u", "", "",
    ),
    "a method caller": (
        "class F:\n    def note(self):\n        SEEN.append(self.u.sum())\n",
        "o(p)", "f = F(); f.u = u; o = operator.methodcaller('note'); p = [f][0]", "o, p", "o, p",
    ),
    "a decorated function": (
        "def noting(f):\n    @functools.wraps(f)\n    def inner(*args):\n        SEEN.append(inner.u.sum())\n        return f(*args)\n"
        "    return inner\n@noting\ndef work():\n    return 1\n",
        "work()", "work.u = u", "", "",
    ),
    "a generator of the module": (
        "def noting(a):\n    while True:\n        yield SEEN.append(a.sum())\n", "next(o)", "o = noting(u)", "o", "o",
    ),
    "a subclass of list": (
        "class L(list):\n    def note(self):\n        SEEN.append(self[0].sum())\n", "o.note()", "o = L([u])", "o", "o",
    ),
    "attributes by text": (
        "class F:\n    pass\ndef note(name):\n    SEEN.append(getattr(F, 'a_' + name).sum())\n",
        "note('u')", "F.a_u = u", "", "",
    ),
    "nested objects": (
        "class F:\n    pass\nROOT = F(); ROOT.inner = {'a': [F()]}\ndef note():\n    SEEN.append(ROOT.inner['a'][0].u.sum())\n",
        "note()", "ROOT.inner['a'][0].u = u", "", "",
    ),
}  # fmt: skip
METHODS: dict[str, tuple[str, str]] = {
    "a callback": ("self.act = lambda: SEEN.append(u.sum())", "self.act()"),
    "callbacks": ("self.all = [lambda: SEEN.append(u.sum())]", "[act() for act in self.all]"),
    "callbacks by name": ("self.all = {'a': (lambda: SEEN.append(u.sum()),)}", "self.all['a'][0]()"),
    "a partial": ("self.act = functools.partial(SEEN.append, u)", "self.act()"),
    "a bound method": ("self.act = self.note; self.u = u", "self.act()"),
    "a method": ("self.u = u", "self.note()"),
    "a view": ("self.u = u[1:]", "self.note()"),
    "another object": ("self.other = Solver.__new__(Solver); self.other.u = u", "self.other.note()"),
    "its class": ("type(self).u = u", "self.note()"),
    "a class by its name": ("Solver.u = u", "Solver.note(self)"),
    "an iterator": ("self.it = (SEEN.append(u.sum()) for _ in range(9))", "next(self.it)"),
}


def differences(text: str) -> list[str]:
    report, judgements = compare_text(text, [Call("run", "5")], on_unverified="numpy")
    assert report.new_text is not None, "nothing was rewritten"
    return [f"{it.kind}: {it.detail}\n{report.new_text}" for it in judgements if it.kind != "equal"]


@pytest.mark.parametrize("form", FORMS)
def test_an_observer_sees_every_step(form: str) -> None:
    before, runs, held, parameters, given = FORMS[form]
    parts = {"parameters": parameters and f", {parameters}", "given": ", ".join(filter(None, ("u", given)))}
    assert differences(HEAD + before + STEP.format(runs=runs, held=held, **parts)) == []


@pytest.mark.parametrize("form", METHODS)
def test_what_the_object_holds_sees_every_step(form: str) -> None:
    held, runs = METHODS[form]
    text = f"""{HEAD}

class Solver:
    def __init__(self, u):
        {held}

    def note(self):
        SEEN.append(self.u.sum())

    def step(self, u):
        for i in range(3):
            u[1:-1] = 0.5 * (u[:-2] + u[2:])
            {runs}
        return u.sum()


def run(n):
    SEEN.clear()
    u = np.arange(n) ** 2.0
    return Solver(u).step(u), u, [np.sum(it) for it in SEEN]
"""
    assert differences(text) == []


STORE = """
import numpy as np

SEEN = []
u = None


class F:
    u = None


def note():
    SEEN.append((F.u if u is None else u).sum())
"""
#: How the function comes to run it, and what holds the array.
ELSEWHERE = {
    "a function of another module": ("store.note()", "store.u = u"),
    "a function by its name": ("note()", "store.u = u"),
    "imported by the function": ("import store as s; s.note()", "store.u = u"),
    "imported from by the function": ("from store import note as n; n()", "store.u = u"),
    "a class of another module": ("store.note()", "store.u = None; store.F.u = u"),
    "the module's own array": ("store.SEEN.append(store.u.sum())", "store.u = u"),
}


@pytest.mark.parametrize("form", ELSEWHERE)
def test_another_modules_globals_count_too(form: str) -> None:
    runs, held = ELSEWHERE[form]
    text = f"""
import numpy as np
import store
from store import note


def step(u):
    for i in range(3):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        {runs}
    return u.sum()


def run(n):
    u = np.arange(n) ** 2.0
    {held}
    total, seen = step(u), list(store.SEEN)
    store.SEEN.clear()
    store.u = store.F.u = None
    return total, u, seen
"""
    if "import" in runs:  # of whatever is called so when the function runs
        text = text.replace("import store\nfrom store import note\n", "")
        text = text.replace("def run(n):\n", "def run(n):\n    import store\n")
    report = rewrite(text, on_unverified="numpy")
    assert report.new_text is not None
    judgements = Pair(text, report.new_text, beside={"store": (STORE, STORE)}).compare([Call("run", "5")])
    assert [(it.kind, it.detail) for it in judgements] == [("equal", "")], report.new_text


CHANGED = {
    "a class attribute": ("class F:\n    u = None\n", "F.u += 1", "F.u = u"),
    "a class attribute's elements": ("class F:\n    u = None\n", "F.u[0] = 7", "F.u = u"),
    "a function's attribute": ("def state():\n    pass\n", "state.u += 1", "state.u = u"),
    "a cached array": (
        "@functools.lru_cache\ndef table(n):\n    return np.arange(n) ** 2.0\n", "table(5)[0] = 3", "u = table(n)",
    ),
    "an array that a callee changes": (
        "class F:\n    u = None\n    @classmethod\n    def grow(cls):\n        cls.u += 1\n", "F.grow()", "F.u = u",
    ),
    "callbacks": ("ALL = []\n", "[act() for act in ALL]", "ALL[:] = [lambda: u.fill(3)]"),
}  # fmt: skip


@pytest.mark.parametrize("form", CHANGED)
def test_what_else_holds_the_argument_may_change_it(form: str) -> None:
    before, runs, held = CHANGED[form]
    text = f"""{HEAD}{before}

def step(u: np.ndarray):
    y = np.sqrt(u)
    {runs}
    return y + u.sum()


def run(n):
    u = np.arange(n) ** 2.0
    {held}
    return step(u), u
"""
    assert differences(text) == []


def test_an_array_that_nobody_else_holds_is_worked_on_by_tensorflow() -> None:
    text = (
        HEAD + "ALL = [SEEN.append]\n" + STEP.format(runs="[act(i) for act in ALL]", held="", parameters="", given="u")
    )
    report, judgements = compare_text(text, [Call("run", "5")])  # a refusal would be one here
    assert report.new_text is not None
    assert [it.kind for it in judgements] == ["equal"]
