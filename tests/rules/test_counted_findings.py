"""What is shown by default can be acted upon; what is best left, and what tests hold, is only counted."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import Finding, RegionState
from np2tnp.pipeline import check, fold_repeats
from np2tnp.report import to_json
from np2tnp.report.totals import is_failing, shown, totals


def findings(text: str) -> Iterator[Finding]:
    source = "import numpy as np\n" + textwrap.dedent(text)
    yield from pipeline.analyse_bytes(Config(), ("f.py", source.encode())).findings


def deciding(text: str) -> list[Finding]:
    return [finding for finding in findings(text) if finding.decides]


# --- loops

SHORT = {
    "a shape": "return x * np.array([n // 2 for n in x.shape])",
    "part of a shape": "return x * np.array([n / 2 for n in np.abs(x).shape[1:]])",
    "a name for a shape": "sizes = x.shape\n    return [np.roll(x, n // 2) for n in sizes]",
    "an array's axes": (
        "ndim = x.ndim\n    y = np.zeros((ndim, 3))\n    for i in range(ndim):\n        y[i] = x[i]\n    return y"
    ),
    "pairs of axes": (
        "import itertools\n    y = np.zeros((9, 9))\n    for i, j in itertools.product(range(x.ndim), repeat=2):\n"
        "        y[i, j] = x[i, j] * 2\n    return y"
    ),
    "a list of sizes": (
        "y = np.exp(x)\n    for width in widths:\n        y = y + np.pad(x[:width], (0, 9))[: len(y)]\n    return y"
    ),
    "a plot's axes": "y = np.exp(x)\n    for i in range(n):\n        axes[i].imshow(y)\n    return y",
    "axes": "y = np.exp(x)\n    for axis in axes:\n        y = y / np.std(y, axis=axis)\n    return y",
    "stores into a dict": (
        "y = {}\n    for key in names:\n        y[key] = 0\n    for key in names:\n"
        "        y[key] += np.exp(x)\n    return y"
    ),
    "a dict of arrays": (
        "y = np.exp(x)\n    for key in names:\n        y = y + table[key]\n    table.update(a=1)\n    return y"
    ),
}


@pytest.mark.parametrize("body", SHORT.values(), ids=SHORT.keys())
def test_a_loop_over_no_array_is_not_slow(body: str) -> None:
    text = f"def f(x, n, widths, axes, table, names):\n    x = np.asarray(x)\n    {body}\n"
    assert not [it.message for it in findings(text) if it.code in ("TNP701", "TNP704")]


BY_HAND = "z = np.zeros((40, 40))\n    for i, v in enumerate(y):\n        z[i] = np.exp(x[i]) * v\n    return z"
LEFT = {
    "decides": "for i in range(len(x)):\n        if x[i, 0] > 0:\n            z[i] = x[i] / np.std(x[i])\n    return z",
    "calls others": "for i in range(len(x)):\n        z[i] = g(x[i] / np.std(x[i]))\n    return z",
    "a list": "return [np.exp(row) / np.std(row) for row in np.abs(x)]",
    "steps": (
        "for i in range(len(x)):\n        z[i] = np.exp(x[i])\n    while z.sum() > 1:\n        z = z / 2\n    return z"
    ),
    "parts of other shapes": (
        "w = np.abs(x)\n    return np.hstack([np.outer(w[k], np.ones(g[k])) for k in range(len(w))])"
    ),
    "a list of arrays": (
        "w = np.abs(x)\n    parts = [w.copy(), w.copy()]\n    for k in range(len(w)):\n"
        "        parts[k] *= w[..., [k]]\n    return parts"
    ),
    "one of two": (
        "for i in range(len(x)):\n        z[i] = np.exp(x[i])\n"
        "    for i in range(len(x)):\n        z[i] = g(x[i] / np.std(x[i]))\n    return z"
    ),
}


def test_a_loop_that_only_computes_is_shown() -> None:
    (told,) = deciding(f"def f(x, y):\n    {BY_HAND}\n")
    assert not told.left
    assert "work on whole arrays" in told.message


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_a_loop_that_nobody_rewrites_at_sight_is_counted_and_not_shown(body: str, tmp_path: object) -> None:
    text = f"import numpy as np\n\n\ndef f(x, g):\n    z = np.zeros((40, 40))\n    {body}\n"
    report = pipeline.analyse_bytes(Config(), ("f.py", text.encode()))
    (told,) = [finding for finding in report.findings if finding.decides]
    assert told.left
    assert "leave it in NumPy" in told.message or "best left in NumPy" in told.message
    assert report.regions[-1].state is RegionState.KEPT


def test_a_run_says_how_many_functions_are_best_left(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("f.py", "w", encoding="utf-8") as stream:
        stream.write(f"import numpy as np\n\n\ndef f(x, g):\n    z = np.zeros((40, 40))\n    {LEFT['calls others']}\n")
    config = Config()
    run = check(["."], config)
    assert not shown(run, config)
    (line,) = [line for line in totals(run, config) if line.startswith("Best left in NumPy: ")]
    assert "1 function has loops" in line
    assert not [line for line in totals(run, config) if line.startswith("All clear")]


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("return x * sorted(np.exp(x), reverse=True)[0]", "use np.sort(...)[::-1]"),
        ("return x * sum(np.exp(x), 2)", "use np.sum(..., axis=0), and add the second argument"),
        ("return np.exp(x) / sum(w)", "if w is an array, Python's sum()"),
    ],
)
def test_python_functions_name_what_does_the_same(body: str, advice: str) -> None:
    told = [it.message for it in findings(f"def f(x, w):\n    {body}\n") if it.code == "TNP705"]
    assert any(advice in message for message in told)


@pytest.mark.parametrize("shape", ["np.array(x.shape) // k", "(s - k + 1)", "np.asarray(x.strides)", "s"])
def test_what_is_computed_of_a_shape_has_an_item_for_each_axis(shape: str) -> None:
    text = f"def f(x, k):\n    s = np.array(x.shape)\n    return np.exp(x), tuple({shape})\n"
    assert "TNP705" not in {finding.code for finding in findings(text)}
    assert "TNP705" in {finding.code for finding in findings(text.replace(f"tuple({shape})", "tuple(np.sin(x))"))}


def test_numbers_of_a_line_of_text_are_no_array() -> None:
    text = "def f(stream):\n    a, b = map(int, stream.readline().split())\n    return np.exp(np.arange(a)) * b\n"
    assert "TNP705" not in {finding.code for finding in findings(text)}


# --- what is blocked, and would stay for its loops

_STEPS = "for i in range(len(x)):\n        z[i] = h(x[i] / np.std(x[i]))"
_RAISES = (
    "def f(x, h):\n    z = np.zeros((40, 40))\n    {}\n    with np.errstate(divide='raise'):\n        return z / x\n"
)


def test_what_blocks_need_not_be_mended_where_loops_would_keep_the_function(tmp_path: Path) -> None:
    text = _RAISES.format(_STEPS)
    (told,) = deciding(text)
    assert (told.code, told.left) == ("TNP704", "loops")
    assert told.message.endswith("unless h takes all parts at once")
    assert any(it.code == "TNP406" for it in findings(text))
    slow = pipeline.analyse_bytes(Config(slow="convert"), ("f.py", f"import numpy as np\n{text}".encode()))
    assert [it.state for it in slow.regions if it.qualname == "f"] == [RegionState.BLOCKED]


def test_what_blocks_comes_first_where_a_person_can_write_the_loop_otherwise() -> None:
    (told,) = deciding(_RAISES.format("for i in range(len(x)):\n        z[i] = np.exp(x[i]) * 2"))
    assert told.code == "TNP406"


# --- tests, which are the reference

_BLOCKED = "import numpy as np\n\n\nasync def f(x):\n    return np.exp(x)\n"


@pytest.mark.parametrize("path", ["test_a.py", "a_test.py", "tests/a.py", "pack/test/a.py", "conftest.py", "own/a.py"])
def test_what_stays_in_tests_is_counted_and_not_shown(path: str, tmp_path: Path) -> None:
    config = Config(root=str(tmp_path), cache=False, tests=("own/*",))
    for name in (path, "a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(_BLOCKED)
    run = check([str(tmp_path / path), str(tmp_path / "a.py")], config)
    assert [finding.path for finding in shown(run, config)] == [str(tmp_path / "a.py")]
    assert not any(is_failing(it, config) for report in run.reports for it in report.findings if it.path.endswith(path))
    assert "Tests: 1 function stays NumPy in 1 file of tests, which are the reference (-v shows them)" in totals(
        run, config
    )
    (both, other) = (shown(run, replace(config, verbose=True)), shown(run, replace(config, select=("TNP403",))))
    assert {it.path for it in both} == {it.path for it in other} == {str(tmp_path / path), str(tmp_path / "a.py")}


@pytest.mark.parametrize("options", [{}, {"verbose": True}, {"select": ("TNP403",)}, {"fail_on": ("note", "block")}])
def test_json_tells_what_the_text_shows(options: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(_BLOCKED)
    (tmp_path / "a.py").write_text(_BLOCKED + "\n\ndef g(x, y):\n    " + BY_HAND)
    (tmp_path / "b.py").write_text(f"import numpy as np\n\n\ndef f(x, y):\n    {LEFT['a list']}\n")
    config = Config(root=str(tmp_path), cache=False, **options)
    run = fold_repeats(check(sorted(map(str, tmp_path.glob("*.py"))), config))
    found = json.loads("".join(to_json.render(run, config)))["findings"]
    places = [(it["path"], it["line"], it["column"], it["code"]) for it in found if it["shown"]]
    wanted = [(it.path, it.span.line, it.span.column, it.code) for it in shown(run, config)]
    assert sorted(places) == sorted(wanted)
    assert wanted
    assert config.verbose or config.select or len(found) > len(places)


# --- what is only counted: nobody need change it, or nobody can see why it would be

COUNTED = {
    "one sum": ("little", "async def f(x):\n    return np.sum(x)\n"),
    "plots": (
        "plots",
        "def f(x, a):\n    y = x @ np.exp(x)\n    s = y.strides\n    a.plot(x, y)\n    a.set_xlim(y)\n    return y\n",
    ),
    "unseen code": (
        "unseen",
        "def f(x, g):\n    y = np.exp(x)\n    a = g.a(y.ravel(), y.ravel())\n    return y + np.sin(x), a\n",
    ),
}


@pytest.mark.parametrize("case", COUNTED)
def test_what_nobody_need_change_is_counted_in_one_line(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, text = COUNTED[case]
    (told,) = deciding(text)
    assert told.left == left
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(f"import numpy as np\n\n\n{text}")
    config = Config(root=str(tmp_path), cache=False)
    run = check(["."], config)
    assert shown(run, config) == []
    words = {"little": "1 function only arranges", "plots": "1 function draws", "unseen": "1 function hands"}[left]
    assert any(words in line for line in totals(run, config))
    assert shown(run, Config(root=str(tmp_path), cache=False, verbose=True))


def test_what_is_worth_moving_is_shown() -> None:
    (told,) = deciding("async def f(x):\n    return np.exp(x)\n")
    assert told.left == ""


def test_a_file_that_is_a_test_by_its_text_is_the_reference(tmp_path: Path) -> None:
    text = "import unittest\nimport numpy as np\n\n\nclass Sane(unittest.TestCase):\n    async def f(self, x):\n"
    (tmp_path / "sanity.py").write_text(f"{text}        return np.exp(x)\n")
    config = Config(root=str(tmp_path), cache=False)
    run = check([str(tmp_path / "sanity.py")], config)
    assert shown(run, config) == []
    assert any(line.startswith("Tests: 1 function stays NumPy") for line in totals(run, config))
    (tmp_path / "sanity.py").write_text(f"{text.replace('unittest.TestCase', 'object')}        return np.exp(x)\n")
    assert len(shown(check([str(tmp_path / "sanity.py")], config), config)) == 1


def test_what_nobody_knows_of_one_callee_is_said_once(tmp_path: Path) -> None:
    one = "def f{0}(x):\n    y = x @ np.exp(x)\n    a = fast.solve(y.ravel(), (2 * y).ravel())\n    return y, a\n\n\n"
    text = "import fast\nimport numpy as np\n\n\n" + "".join(map(one.format, range(3)))
    (tmp_path / "a.py").write_text(text)
    config = Config(root=str(tmp_path), cache=False)
    run = check([str(tmp_path / "a.py")], config)
    (told,) = shown(run, config)
    assert '"fast.solve" = "pure"' in told.message
    assert "Callees: 2 more functions stay NumPy for the same ones (-v shows them)" in totals(run, config)


def test_a_look_at_callers_is_said_once_and_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "levels.py").write_text(
        "import inspect\n\n\ndef level():\n    frame, n = inspect.currentframe(), 0\n"
        "    while frame and frame.f_code.co_filename.startswith('/lib'):\n        frame, n = frame.f_back, n + 1\n"
        "    return n\n"
    )
    deep = "def deep(x):\n    if x is None:\n        warnings.warn('none', stacklevel=level())\n    return x.data\n\n\n"
    one = "def f{0}(img):\n    return (np.exp(deep(img)) @ np.ones((999, 999))).sum()\n\n\n"
    text = "import warnings\nimport numpy as np\nfrom levels import level\n\n\n" + deep
    (tmp_path / "a.py").write_text(text + "".join(map(one.format, range(3))))
    config = Config(root=str(tmp_path), cache=False)
    run = check([str(tmp_path / "a.py"), str(tmp_path / "levels.py")], config)
    (told,) = shown(run, config)
    assert told.message.startswith("deep() comes to inspect.currentframe() (level in levels.py), which looks at")
    assert "Frames: 2 more functions come to the same calls that look at callers (-v shows them)" in totals(run, config)
    other = "def g(img: np.ndarray):\n    warnings.warn('', skip_file_prefixes=('/lib',))\n    return np.exp(img)\n"
    (tmp_path / "b.py").write_text(f"import warnings\nimport numpy as np\n\n\n{other}")
    (own,) = shown(check([str(tmp_path / "b.py")], config), config)
    assert own.message.startswith("warnings.warn() finds a caller by counting frames")


# --- what would be mended for nothing


def deciding_f(text: str) -> list[Finding]:
    return [finding for finding in deciding(text) if finding.region == "f"]


SCALED = """
def f(x: np.ndarray, tell):
    lower, upper = np.abs(x), np.abs(x) + 1
    {}
    tell(lower, upper)
"""
ONE_CALL = "np.add(np.multiply(x, upper, out=x), lower, out=x)"
TWO_CALLS = "np.multiply(x, upper, out=x)\n    np.add(x, lower, out=x)"


def test_a_function_that_does_little_is_not_to_be_mended() -> None:
    (blocked,) = deciding_f(SCALED.format(ONE_CALL))
    (mended,) = deciding_f(SCALED.format(TWO_CALLS))
    assert (blocked.code, blocked.left, mended.code, mended.left) == ("TNP103", "little", "TNP707", "little")


def test_a_function_that_does_more_is_to_be_mended() -> None:
    more = "np.add(np.multiply(x, np.sin(upper) - np.exp(lower) ** 3, out=x), lower, out=x)"
    (blocked,) = deciding_f(SCALED.format(more))
    assert (blocked.code, blocked.left) == ("TNP103", "")
    followed = more.replace("np.add(np.multiply(x, np.sin(upper) - np.exp(lower) ** 3, out=x)", "np.add(x").replace(
        "np.add", "np.multiply(x, np.sin(upper) - np.exp(lower) ** 3, out=x)\n    np.add"
    )
    assert not deciding_f(SCALED.format(followed))


STAYS = """
import scipy.signal


def f(signal, limit):
    _, _, rows = scipy.signal.stft(signal)
    row = rows[1, :]
    coarse, _ = scipy.signal.find_peaks(np.abs(row), height=np.mean(row))
    fine, _ = scipy.signal.find_peaks(np.abs(row), height=0)
    {}
    found = []
    for here, there in zip(keep[:-1], keep[1:]):
        if there - here < limit and row[here] < 0:
            {}
    return np.array(found, dtype="int")
"""
BY_ITEMS = "keep = np.zeros_like(coarse)\n    for i in range(len(coarse)):\n        "
BY_ITEMS += "keep[i] = fine[np.argmin(abs(coarse[i] - fine))]"
AT_ONCE = "keep = fine[np.argmin(abs(coarse[:, None] - fine), axis=1)]"


def test_a_loop_that_stays_decides_for_stores_in_another_loop() -> None:
    parts = "found.append(np.sum(np.diff(np.sign(row[here : there + 1]))) + here)"
    for before in (BY_ITEMS, AT_ONCE):
        (told,) = deciding(STAYS.format(before, parts))
        assert (told.code, told.left) == ("TNP704", "loops")
    alone = STAYS.partition("    found = []")[0] + "    return keep\n"
    (told,) = deciding(alone.format(BY_ITEMS))
    assert (told.code, told.left) == ("TNP704", "")


RECURSIVE = """
from backend import get_namespace


def f(x, steps):
    {} = get_namespace(x)
    if x.shape[0] == 2:
        return (x[0] + x[1]) / 2
    new = {}.zeros_like(x)
    for h in range(x.shape[0]):
        s = np.mod(np.arange(h, h + len(x) - 1) + 1, len(x))
        new[h] = f(x[{}], steps)
    return {}.mean(new, axis=0)
"""


@pytest.mark.parametrize(
    ("index", "code", "left"),
    [("s", "TNP704", "loops"), ("h", "TNP010", "")],
)
def test_what_calls_itself_for_parts_stays_whatever_a_name_stands_for(index: str, code: str, left: str) -> None:
    (told,) = deciding(RECURSIVE.format("xp", "xp", index, "xp"))
    assert (told.code, told.left) == (code, left)


HANDED_OUT = """
from elsewhere import resample


def f(data, widths):
    def kernel(width):
        return lambda r: np.exp(-(r**2) / float(width) ** 2)

    {}
    try:
        widths.__iter__()
        weights = list(map(kernel, widths))
    except AttributeError:
        weights = kernel(widths)
    return float(resample(data, weights))
"""


@pytest.mark.parametrize(("work", "left"), [("pass", "little"), ("data = np.sqrt(data) * np.sin(data)", "")])
def test_a_function_for_others_that_does_all_the_work_is_not_to_be_mended(work: str, left: str) -> None:
    told = [it for it in findings(HANDED_OUT.format(work)) if it.code == "TNP408"]
    assert [it.left for it in told] == [left]
