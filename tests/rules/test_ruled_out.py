"""What the text rules out is not told, and what is rewritten then does what NumPy does."""

from __future__ import annotations

import textwrap
import warnings
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Finding, RegionState

_HEAD = "import warnings\n\nimport numpy as np\nfrom somewhere import Odd, compute, delayed, made, multi\n\n\n"


def report_of(body: str) -> FileReport:
    text = _HEAD + textwrap.dedent(body)
    return analyze(Source("m.py", text), Config(rewrite=True, on_unverified="raise"))


def told(body: str, code: str) -> list[Finding]:
    return [it for it in report_of(body).findings if it.code == code and it.verdict.value != "note"]


def both(body: str, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The names of both texts, of which the rewritten one has migrated f."""
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    report = report_of(body)
    assert [it.state for it in report.regions if it.qualname == "f"] == [RegionState.CONVERTIBLE], report.findings
    assert report.new_text is not None
    spaces = []
    for text in (_HEAD + textwrap.dedent(body), report.new_text):
        space: dict[str, Any] = {"__name__": "m", "Odd": UserWarning}
        text = text.replace("from somewhere import Odd, compute, delayed, made, multi\n", "")
        exec(compile(text, "m.py", "exec"), space)
        spaces.append(space)
    return spaces


# --- stores by text

BY_TEXT = """
def f(table, x, limit):
    table["a"] = np.exp(x)
    y = np.sin(x) * 2
    if np.any(y > limit):
        raise ValueError("too large")
    return y
"""


def test_the_caller_sees_a_store_by_text_before_the_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(0.1, 1, 50)
    for space in both(BY_TEXT, monkeypatch):
        table: dict[str, Any] = {"a": 1}
        with pytest.raises(ValueError, match="too large"):
            space["f"](table, x, 0.0)
        assert type(table["a"]) is np.ndarray
        np.testing.assert_allclose(table["a"], np.exp(x))
        np.testing.assert_allclose(space["f"](table, x, 9.0), np.sin(x) * 2)


def test_a_store_by_number_is_not_seen() -> None:
    assert told(BY_TEXT.replace('"a"', "0"), "TNP109")


# --- recorded warnings

RECORDED = """
def f(x):
    with warnings.catch_warnings({}) as found:
        warnings.simplefilter("always")
        y = np.log(x) * 2
    {}
    return y + 1
"""


@pytest.mark.parametrize(
    "use", ["z = y", "if any(issubclass(each.category, Odd) for each in found):\n        raise ValueError"]
)
def test_a_record_that_tells_nothing_of_numpys_warnings_is_none(use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for space in (both(RECORDED.format("record=True", use), monkeypatch),):
        with warnings.catch_warnings():
            first, second = (each["f"](np.array([-1.0, 0.0, 2.0])) for each in space)
            np.testing.assert_allclose(first, second)


@pytest.mark.parametrize(
    ("options", "use"),
    [
        ("record=True", "print(len(found))"),
        ("record=True", "z = [issubclass(each.category, Odd) for each in found]"),
        ("record=True", "z = any(issubclass(each.category, RuntimeWarning) for each in found)"),
        ("record=True", "z = any(issubclass(each.category, Exception) for each in found)"),
        ("record=True", "z = any(issubclass(each.category, Odd) for each in found if len(found))"),
        ("record=True, action='error'", "z = y"),
    ],
)
def test_a_record_that_is_read_keeps_a_function(options: str, use: str) -> None:
    assert told(RECORDED.format(options, use), "TNP406")


# --- decorators

DECORATED = """
@multi
def g(x):
    return h(x)

@multi
def lazy(function, *args):
    return function(*args)

def h(x):
    return x

def alias(function):
    if isinstance(function, property):
        function.fget.other = 1
    else:
        function.other = 1
    return function

@{}
def f(x):
    return np.exp(x) * 2
"""


def test_to_ask_what_a_function_is_does_nothing_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    body = DECORATED.format("alias").replace("@multi\n", "")
    first, second = (space["f"] for space in both(body, monkeypatch))
    assert (first.other, second.other) == (1, 1)
    np.testing.assert_allclose(first(np.ones(9)), second(np.ones(9)))


@pytest.mark.parametrize(
    ("decorator", "words"),
    [
        ("g.register", "register is a method of what somewhere.multi makes, which comes from outside"),
        ("lazy", "lazy is what somewhere.multi makes, which comes from outside"),
    ],
)
def test_the_decorator_within_a_decorator_is_named(decorator: str, words: str) -> None:
    (finding,) = (it for it in told(DECORATED.format(decorator), "TNP405") if it.region == "f")
    assert words in finding.message


# --- nested functions

ROUNDS = """
def f(x, n):
    t = np.exp(x)
    k = 0
    for i in range(n):
        if i > 3:
            k, z = i, 2
        def worker(j):
            return t[j, k]
        compute(*[delayed(worker)(j) for j in range(3)])
        {}
    return t
"""


@pytest.mark.parametrize(
    ("behind", "words"),
    [
        ("pass", "the next round of the loop assigns k again; let it be a parameter, and pass it"),
        ("k, z = 3, 4", "k is assigned again after it; use another name there"),
    ],
)
def test_what_the_next_round_assigns_is_to_be_passed(behind: str, words: str) -> None:
    messages = [it.message for it in told(ROUNDS.format(behind), "TNP408")]
    assert [message for message in messages if words in message], messages


def test_following_that_unblocks() -> None:
    text = ROUNDS.format("pass").replace("worker(j)", "worker(j, k)").replace("(worker)(j)", "(worker)(j, k)")
    assert "pass it" in told(ROUNDS.format("pass"), "TNP408")[0].message
    assert not told(text, "TNP408")


NONLOCAL = """
def f(x, params):
    y = np.exp(np.sin(x))
    def update(key, value):
        nonlocal params
        {}
    update(0, 3.0)
    return y * params[0]
"""


def test_nonlocal_that_binds_nothing_rebinds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(0, 1, 9)
    spaces = both(NONLOCAL.format("params[key] = value"), monkeypatch)
    for params in ({0: 1.0}, [1.0, 2.0], np.ones(2)):
        for space in spaces:
            given = params.copy()  # type: ignore[attr-defined]
            np.testing.assert_allclose(space["f"](x, given), np.exp(np.sin(x)) * 3)
            assert given[0] == 3


@pytest.mark.parametrize(
    "binding",
    [
        "params = value",
        "params, key = value, 1",
        "for params in value: pass",
        "import params",
        "del params",
        "def params(): pass",
        "z = (params := value)",
        "params |= value",
    ],
)
def test_nonlocal_that_binds_does(binding: str) -> None:
    assert told(NONLOCAL.format(binding), "TNP404")


# --- loops

GRID = """
def f(points):
    xs = np.unique(points[:, 0])
    ys = np.unique(points[:, 1])
    expected = {(x, y) for x in xs for y in ys}
    return set(map(tuple, points[1:])) == expected
"""


def test_a_loop_that_is_best_left_decides_before_pythons_functions() -> None:
    found = report_of(GRID).findings
    assert {it.left for it in found if it.decides} == {"loops"}
    assert [it.left for it in found if it.code == "TNP705"] == ["loops"]


# --- results without dimensions

MEASURED = """
def f(x, show, whole):
    y = np.exp(x)
    show(1)
    y = y.squeeze() if whole else y.sum()
    n = {}
    return y, n
"""


@pytest.mark.parametrize(("shape", "whole"), [((6,), True), ((1, 5), True), ((1, 1), True), ((6,), False)])
def test_what_has_a_length_has_axes(shape: tuple[int, ...], whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for space in both(MEASURED.format("len(y) + 1"), monkeypatch):
        calls: list[int] = []
        try:
            results.append(space["f"](np.ones(shape), calls.append, whole))
        except TypeError:
            results.append(("TypeError",))
        assert calls == [1]  # as that is done by then, there is no original to call
    one, other = results
    assert [type(part) for part in one] == [type(part) for part in other]
    assert len(one) == len(other)
    assert (len(one) == 1) is (shape == (1, 1) or not whole)
    if len(one) > 1:
        np.testing.assert_allclose(one[0], other[0], rtol=1e-13)


@pytest.mark.parametrize("n", ["2", "len(y) if y.ndim else 1", "y.ndim and len(y)", "[len(y) for _ in range(whole)]"])
def test_what_may_have_none_may_be_a_scalar(n: str) -> None:
    assert told(MEASURED.format(n), "TNP511")


# --- generators

EMPTY = """
def f(x, manager):
    from contextlib import contextmanager, nullcontext
    if manager is None:
        @contextmanager
        def dummy():
            {}
        manager = dummy()
    with manager:
        y = np.exp(x) * 2
    return y
"""


@pytest.mark.parametrize(
    ("body", "empty"), [("yield", True), ("yield 3", False), ("print(3)\n            yield", False)]
)
def test_a_generator_that_does_nothing_is_told_by_what_there_is_for_it(body: str, empty: bool) -> None:
    (finding,) = told(EMPTY.format(body), "TNP402")
    assert ("dummy() does nothing: use contextlib.nullcontext()" in finding.message) is empty


def test_following_that_unblocks_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    nested = "        @contextmanager\n        def dummy():\n            {}\n"
    body = EMPTY.replace(nested, "").replace("dummy()", "nullcontext()")
    first, second = (space["f"](np.ones(9), None) for space in both(body, monkeypatch))
    np.testing.assert_allclose(first, second)


@pytest.mark.parametrize(
    "taken",
    [
        "try:\n        n = len(y)\n    except TypeError:\n        n = 0",
        "from contextlib import suppress\n    n = 0\n    with suppress(TypeError):\n        n = len(y)",
        "for n in range(3):\n        n = len(y)\n        y = y.sum()",
    ],
)
def test_a_length_that_may_not_have_been_taken_says_nothing(taken: str) -> None:
    assert told(MEASURED.replace("n = {}", taken), "TNP511")
