"""What is said of a decorator that keeps a function in NumPy: what of it counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import FileReport, Run
from np2tnp.report import to_text
from np2tnp.report.totals import shown, totals

_HEAD = "import functools\nimport warnings\n\nimport numba\nimport numpy as np\n\n\n"
_WRAPPER = """def deco(f):
    cache = Cache()

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        {}

    return wrapper


"""
_END = "@deco\ndef g(x):\n    return np.exp(x) * 2\n"

_LOOKS = "calls it where warnings or floating-point errors are looked for"
KEPT = {
    "return apply(f, *args)": "hands the function on to apply()",
    "return made(3)(f)(*args)": "hands the function on to made(...)",
    "with warnings.catch_warnings(record=True):\n            return f(*args)": _LOOKS,
    "with np.errstate(divide='raise'):\n            return f(*args)": _LOOKS,
    "return numba.njit(f)(*args)": "compiles it to native code: best left as it is",
}
_CALL = "            return f(*args, **kwargs)"
CALLED = (
    f"with warnings.catch_warnings():\n            warnings.simplefilter('ignore')\n{_CALL}",
    f"with warnings.catch_warnings():\n            warnings.filterwarnings('ignore', 'x', UserWarning)\n{_CALL}",
    f"with np.errstate(all='ignore'):\n{_CALL}",
)


def checked(body: str) -> FileReport:
    text = _HEAD + _WRAPPER.format(body) + _END
    return pipeline.analyse_bytes(Config(), ("f.py", text.encode()))


@pytest.mark.parametrize("body", KEPT)
def test_what_counts_of_a_decorator_is_said(body: str) -> None:
    told = [it.message for it in checked(body).findings if it.region == "g" and it.decides]
    assert [message for message in told if KEPT[body] in message], told


@pytest.mark.parametrize("body", CALLED)
def test_to_ignore_warnings_is_no_look_at_them(body: str) -> None:
    (state,) = (it.state.value for it in checked(body).regions if it.qualname == "g")
    assert state == "convertible"


_MANAGER = """from somewhere import Memory, make


def apply(deco, f):
    return make(f, with_=deco(f))


class Manager:
    def __init__(self, *args):
        self.memory: Memory = Memory(*args)

    def __call__(self, level):
        def wrapper(function):
            if self.memory.location is not None:
                return apply(self.memory.cache, function)
            return function
        return wrapper

    def clear(self, *args):
        self.memory.clear(*args)


cache: Manager = Manager("here")
"""
_CACHED = "import numpy as np\nfrom kept import cache\n\n\n"
_FUNCTIONS = """@cache(level=3)
def {0}(x):
    return np.exp(x)


@cache(level=4)
def {0}2(x):
    return np.sin(x)
"""


def run_of_project(tmp_path: Path) -> Run:
    (tmp_path / "kept.py").write_text(_MANAGER)
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(_CACHED + _FUNCTIONS.format(name))
    return pipeline.check([str(tmp_path)], Config(root=str(tmp_path), cache=False, quiet=True, jobs=1))


def test_an_object_of_the_project_is_told_by_who_gets_the_function(tmp_path: Path) -> None:
    found = [it for report in run_of_project(tmp_path).reports for it in report.findings if it.code == "TNP405"]
    assert len(found) == 4
    for finding in found:
        assert "may hand the function on to self.memory.cache() (somewhere.Memory.cache)" in finding.message
        assert "outside of the project" not in finding.message


def test_what_one_decorator_does_is_one_fact(tmp_path: Path) -> None:
    run = run_of_project(tmp_path)
    (finding,) = shown(run, Config())
    assert finding.region == "a"
    assert "Decorators: 3 more functions stay NumPy for the same ones in 2 files (-v shows them)" in totals(
        run, Config()
    )
    assert len([it for it in shown(run, Config(verbose=True)) if it.code == "TNP405"]) == 4
    assert "or trust it with --unsafe" in "".join(to_text.render(run, Config()))


def test_an_option_is_no_function_that_is_handed_on() -> None:
    made = (
        "def make(*, version):\n    def deco(f):\n        print('{}'.format(version), f.__code__)\n        return f\n"
    )
    text = _HEAD + made + "    return deco\n\n\n" + _END.replace("@deco", "@make(version='3')")
    report = pipeline.analyse_bytes(Config(), ("f.py", text.encode()))
    (told,) = (it.message for it in report.findings if it.region == "g" and it.decides)
    assert "may do more with the function than call it" in told


_VERSIONS = """import functools

import elsewhere
from packaging import version


def checked(function, args):
    log(function.__code__)
    return function(*args)


def renamed(since="1.0", until="2.0"):
    def deco(function):
        @functools.wraps(function)
        def wrapper(*args):
            if version.parse(since) < version.parse(until):
                return checked(function, args)
            return function(*args)

        return wrapper

    return deco


@renamed()
def deprecated(name):
    def deco(function):
        return function

    return deco


made = elsewhere.make(version.parse("2"))
"""
_OF_PACKAGE = """import numpy as np
from pack import ways
from pack.ways import made, renamed


@{}
def f(x):
    return np.exp(x)
"""
FROM_A_PACKAGE = {
    "renamed(since='1.1')": "the decorator renamed may hand the function on to checked():",
    "ways.deprecated('a')": "deprecated is what renamed makes, which may hand the function on to checked():",
    "made": "made is what elsewhere.make makes, which comes from outside of the project and may look at",
    "ways.missing": "the decorator pack.ways.missing may do more with the function than call it",
}


@pytest.mark.parametrize("by", FROM_A_PACKAGE)
def test_a_decorator_of_the_project_is_told_by_what_makes_it(by: str, tmp_path: Path) -> None:
    """An option is no function that is handed on, and what the project's own module makes is not from outside."""
    package = tmp_path / "pack"
    package.mkdir()
    for name, text in (("__init__", ""), ("ways", _VERSIONS), ("a", _OF_PACKAGE.format(by))):
        (package / f"{name}.py").write_text(text)
    run = pipeline.check([str(tmp_path)], Config(root=str(tmp_path), cache=False, quiet=True, jobs=1))
    (told,) = (it.message for report in run.reports for it in report.findings if it.code == "TNP405")
    assert FROM_A_PACKAGE[by] in told
    assert "version.parse" not in told


_POINTS = """class Points:
    {0}

    def __init__(self, x):
        self.x = x

    @{1}
    def whitened(self):
        return np.linalg.inv(self.x.T @ self.x)
"""
_LISTED = """def listed(func):
        @functools.wraps(func)
        def wrapper(self, *args, **kwargs):
            return func(self, *args, **kwargs).tolist()
        return wrapper"""
_MAKING = """def listed(deep):
        def deco(func):
            @functools.wraps(func)
            def wrapper(self, *args):
                return func(self, *args)
            return wrapper
        return deco"""
_MORE = "def listed(func):\n        return apply(func)"
IN_CLASSES = {
    "it calls": (_LISTED, "listed", "convertible", ""),
    "it is made": (_MAKING, "listed(True)", "convertible", ""),
    "it does more": (_MORE, "listed", "blocked", "the decorator listed hands the function on to apply()"),
    "bound twice": (f"{_LISTED}\n    listed = apply(listed)", "listed", "blocked", "may do more with the function"),
    "in a branch": (
        "if DEEP:\n        def listed(func):\n            return func",
        "listed",
        "blocked",
        "may do more with the function",
    ),
}


@pytest.mark.parametrize(("made", "by", "state", "words"), IN_CLASSES.values(), ids=IN_CLASSES)
def test_a_decorator_is_looked_up_in_the_class_body_first(made: str, by: str, state: str, words: str) -> None:
    other = "def listed(func):\n    return func\n\n\n"  # what the module calls so
    for before in ("", other) if state == "blocked" else ("", _HEAD + "listed = numba.njit\n\n\n"):
        text = _HEAD + before + _POINTS.format(made, by)
        report = pipeline.analyse_bytes(Config(), ("f.py", text.encode()))
        (found,) = (it.state.value for it in report.regions if it.qualname == "Points.whitened")
        assert found == state
        told = [it.message for it in report.findings if it.region == "Points.whitened" and it.decides]
        assert all(words in message for message in told)
        assert "outside" not in "".join(told)


def test_an_attribute_that_is_set_hands_the_function_to_nobody() -> None:
    made = "def make(key):\n    def deco(f):\n        setattr(f, key, 1)\n        return f\n\n    return deco\n\n\n"
    report = pipeline.analyse_bytes(Config(), ("f.py", (_HEAD + made + _END.replace("@deco", "@make('a')")).encode()))
    (told,) = (it.message for it in report.findings if it.region == "g" and it.decides)
    assert "sets an attribute of the function, of a name that is not known here (key)" in told


_CHOSEN = """
import numpy as np
import pytest

try:
    from numba import vectorize
except ImportError:

    def vectorize(*args):
        return lambda f: f


@vectorize(["float64(int64, float64)"])
def pmf(k, p):
    return np.exp(k * np.log(p) + np.log1p(-p))


@pytest.fixture
def noise():
    f = np.fft.rfft(np.random.rand(4096))
    return np.fft.irfft(f / np.arange(1, f.size + 1), n=4096)
"""


def test_what_numba_may_compile_and_fixtures_are_counted() -> None:
    report = pipeline.analyse_bytes(Config(), ("f.py", _CHOSEN.encode()))
    left = {it.region: (it.code, it.left) for it in report.findings if it.decides}
    assert left == {"pmf": ("TNP405", "native"), "noise": ("TNP405", "test")}


_ASKS = """
import numpy as np


class Asks(property):
    def __init__(self, func):
        self.text = getattr(func, "__code__")
        super().__init__(func)

    def __get__(self, obj, owner=None):
        return print(obj)


class C:
    @Asks
    def f(self):
        return np.exp(np.ones((9, 9))) @ np.cos(np.ones((9, 9)))
"""


def test_what_a_method_gives_away_that_does_not_get_the_function_is_not_told() -> None:
    report = pipeline.analyse_bytes(Config(), ("f.py", _ASKS.encode()))
    (said,) = (it.message for it in report.findings if it.decides)
    assert "the decorator Asks looks at an attribute of the function (" in said
