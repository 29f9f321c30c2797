"""Advice that did not help, or made something worse, when it was followed: what is said in its place."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Finding

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import compare_text

_HEAD = "import numpy as np\n\n\n"


def report_of(body: str, head: str = _HEAD) -> FileReport:
    return analyze(Source("m.py", head + textwrap.dedent(body)), Config(rewrite=True))


def deciding(body: str, name: str = "f", head: str = _HEAD) -> Finding:
    (told,) = (it for it in report_of(body, head).findings if it.decides and it.region == name)
    return told


# --- graphs help where a function becomes one

CARRIED = """
def noise(n):
    return np.exp(np.random.random(n))


def f(x):
    y = np.sort(x)
    w = {}
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + w[i]
    return y
"""


@pytest.mark.parametrize(
    ("made", "left"), [("np.exp(x)", ""), ("noise(len(x))", "loops"), ("np.random.random(len(x))", "loops")]
)
def test_a_graph_is_advised_where_there_would_be_one(made: str, left: str) -> None:
    told = deciding(CARRIED.format(made))
    assert (told.code, told.left) == ("TNP701", left)
    assert ("so only --compile with --slow convert helps" in told.message) is (not left)
    assert ("best left in NumPy" in told.message) is bool(left)


def test_no_graph_is_advised_for_what_may_grow() -> None:
    text = CARRIED.format("np.exp(x)").replace(
        "    return y\n", "    while y.size < 9:\n        y = np.append(y, y)\n    return y\n"
    )
    assert "best left in NumPy" in deciding(text).message


def test_a_function_that_a_graph_is_advised_for_is_compiled() -> None:
    text = _HEAD + textwrap.dedent(CARRIED.format("np.exp(x)"))
    assert 'compile="xla"' in (
        analyze(Source("m.py", text), Config(rewrite=True, compile="xla", slow="convert")).new_text or ""
    )


# --- what Python's own functions go through


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("return np.exp(x) * max(np.sqrt(x))", ""),
        ("return [np.exp(x[i:]) * max(np.sqrt(x[:i])) for i in range(len(x))]", "loops"),
        ("h = 0\n    for _ in range(9):\n        h = h + max(np.exp(x + h))\n    return h", "loops"),
        ("return np.exp(x) * len(set(np.sort(x)))", ""),
        ("y = list(np.flatnonzero(x))\n    z = np.exp(x)\n    z[y] = 0\n    return z", ""),
        ("y = list(np.exp(x[:, None] * x))\n    return np.tanh(x) * len(y)", "loops"),  # a few rows
        ("return list(np.exp(np.ravel(x)))", "loops"),  # whoever gets them gets NumPy's floats
        ("y = set(np.exp(x))\n    return np.tanh(x), y", "loops"),
        ("return sorted(np.exp(x), reverse=True)", "loops"),
        ("return sorted(np.exp(x))[0] + np.tanh(x)", ""),
        ("a = np.exp(x)\n    p = list(zip(a, a[1:]))\n    return np.array([np.nanmin(i) for i in p])", "loops"),
        ("y = np.exp(x)\n    return y, any(y > 1), list(map(float, y))", "loops"),  # the other one would stay
        (
            "a, b = len(x), 2\n    if any(np.array([a, b]) < 0):\n        raise ValueError\n    return np.exp(x)",
            "little",
        ),
    ],
)
def test_advice_makes_nothing_slower_and_gives_the_same(body: str, left: str) -> None:
    told = deciding(f"def f(x: np.ndarray):\n    {body}\n")
    assert (told.code, told.left) == ("TNP705", left)
    assert ("best left in NumPy" in told.message) is (bool(left) and "use np" not in told.message)


def test_the_values_of_a_dict_are_gone_through_as_they_are() -> None:
    text = "def f(x, table):\n    keys = np.array(list(table.values()))\n    return np.exp(x) * keys\n"
    assert "TNP705" not in {it.code for it in report_of(text).findings}


def test_advice_names_numpy_as_it_is_bound() -> None:
    head = "import numpy\nfrom numpy.linalg import eigvalsh\n\n\n"
    assert "use numpy.min" in deciding("def f(x):\n    return x / min(eigvalsh(x))\n", head=head).message
    head = "from numpy import exp\n\n\n"
    assert "use numpy.min" in deciding("def f(x):\n    return x / min(exp(x))\n", head=head).message


# --- results that share memory


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("y, y.ravel()", "return y.copy()"),
        ("y[:5].copy(), {'a': y, 'b': y.ravel()}", ""),  # the array of a dict is none
    ],
)
def test_a_copy_is_made_of_an_array(given: str, advice: str) -> None:
    told = deciding(f"def f(x: np.ndarray, w):\n    y = np.exp(x)\n    return {given}\n")
    assert (told.code, told.left) == ("TNP207", "" if advice else "unseen")
    assert (advice or "into a function of its own") in told.message


# --- code that nobody can see

CALLS_BACK = """
def f(a: np.ndarray, shift, fast):
    b = np.exp(a)
    if fast:
        c = openlib.blur(np.ascontiguousarray(b, dtype=np.float64))
        return c + np.sin(b)
    kwargs = {"s": b}
    z = SHIFT(np.exp(b), **kwargs)
    return SHIFT(np.abs(z), **kwargs)
"""


@pytest.mark.parametrize(("called", "left"), [("shift", "unseen"), ("openlib.shift", "")])
def test_a_callee_is_not_to_be_described_beside_a_parameter_that_is_called(called: str, left: str) -> None:
    told = deciding(CALLS_BACK.replace("SHIFT", called), head="import numpy as np\nimport openlib\n\n\n")
    assert (told.code, told.left) == ("TNP503", left)
    assert ("[tool.np2tnp.callees]" in told.message) is (not left)


# --- stores inside unpackings


def test_of_one_store_nobody_is_told_of_another_one() -> None:
    text = "def f(x):\n    y = np.exp(x)\n    (a, b), y[1:] = np.divmod(y, 2), y[:-1]\n    return a + b + y\n"
    told = deciding(text)
    assert told.code == "TNP107"
    assert "unpack into names, and store in a statement of its own" in told.message
    report = report_of(
        "def f(x):\n    y = np.exp(x)\n    (a, b), c = np.divmod(y, 2), y[:-1]\n    y[1:] = c\n    return a + b + y\n"
    )
    assert "rt.at(y)" in (report.new_text or "")


# --- results without dimensions

SOLVES = """
import scipy.linalg


def f(a, b, flag):
    if flag:
        r = np.sum(a @ b)
    else:
        {}
        r = b.copy()
    return r, np.tanh(b)
"""


@pytest.mark.parametrize(
    ("first", "blocked"),
    [
        ("r = scipy.linalg.solve(a, b)", False),
        ("r = scipy.linalg.solve(a, np.exp(b), overwrite_b=True)", True),
        ("w = np.zeros(3)\n        for x in a:\n            w += np.exp(x)", False),
        ("print(a)", True),
    ],
)
def test_what_only_computes_is_no_effect(first: str, blocked: bool) -> None:
    report = report_of(SOLVES.format(first))
    assert [it.code for it in report.findings if it.decides] == (["TNP511"] if blocked else [])


UNDECIDED = """
def g(y, x):
    if x.shape[1] == 0:
        return np.zeros_like(y)
    return x @ (np.linalg.pinv(x) @ y)


def f(x, y, show):
    show(1)
    a = g(x, np.c_[y, y])
    b = g(y, np.c_[y, y])
    return np.exp(x), a, b
"""


def test_all_results_are_named_at_once() -> None:
    told = deciding(UNDECIDED)
    assert told.code == "TNP511"
    assert told.message.startswith("each of a, b may be")
    assert "return np.asarray(each) of an array, float(each) of a number" in told.message


PRODUCT = """
def f(x, y, show):
    show(1)
    m = {} * x.sum()
    return {} if y.size > 4 else np.zeros_like(y)
"""


@pytest.mark.parametrize("product", ["m @ y", "np.dot(y, m)", "np.matmul(m, y)", "np.inner(m, y)", "m.T.dot(y)"])
def test_a_product_with_a_matrix_has_an_axis(product: str) -> None:
    assert "TNP511" in {it.code for it in report_of(PRODUCT.format("np.exp(x)", product)).findings}
    assert "TNP511" not in {it.code for it in report_of(PRODUCT.format("np.ones((4, 4))", product)).findings}


# --- memory order, and other words

BY_ORDER = """
def scaled(y, w):
    y.reshape(-1)[:] = w
    return y


def f(x):
    given = {}
    return scaled(given, 2.0) + np.exp(x)
"""


@pytest.mark.parametrize(
    ("made", "blocked"),
    [
        ("np.array([0, 1])", False),
        ("np.asarray([x, x], float)", False),
        ("np.array([0, 1], order='F')", True),
        ("np.array(x)", True),
    ],
)
def test_what_is_made_of_a_display_lies_in_order(made: str, blocked: bool) -> None:
    report = report_of(BY_ORDER.format(made))
    told = [it.message for it in report.findings if it.code == "TNP206" and it.region == "f"]
    assert len(told) == blocked
    if "order='F'" in made:
        assert told[0].startswith("given is made in Fortran order")
    else:
        assert all(words.startswith("given, which is given as y, may be updated through a reshape") for words in told)
        assert all(words.endswith("where it gets its name") for words in told)


def test_a_keyword_that_may_be_there_may_change_something() -> None:
    told = deciding("def f(x, **options):\n    return np.nanmedian(np.exp(x), **options)\n")
    assert told.message == (
        "np.nanmedian may change (by out=) an array that **options hides: name those that are meant as parameters of"
        " the function (axis=...), and hand these on"
    )
    named = report_of("def f(x, axis=None):\n    return np.nanmedian(np.exp(x), axis=axis)\n")
    assert [region.state.value for region in named.regions if region.qualname == "f"] == ["convertible"]
    told = deciding("def f(x, *rest):\n    np.put(x, *rest)\n    return np.exp(x)\n")
    assert told.message.startswith("np.put changes an array that *rest hides: name those that are meant as parameters")
    told = deciding("def f(x, pair):\n    np.put(x, *pair)\n    return np.exp(x)\n")
    assert told.message.endswith(" an array that *pair hides: name those that are meant")


def test_resizing_is_not_to_be_taken_for_np_resize() -> None:
    told = deciding("def f(x):\n    y = np.exp(x)\n    y.resize((9,))\n    return y\n")
    assert told.message.endswith("make zeros, and copy what is kept")


def test_names_of_numpy_with_dots_are_written() -> None:
    report = report_of(
        "def f(x):\n    way = np.compare_chararrays\n    return np.exp(x), isinstance(x, np.chararray), way\n"
    )
    assert "way = np.char.compare_chararrays" in (report.new_text or "")
    assert not [it for it in report.findings if it.code == "TNP308" and "chararray;" in it.message]
    assert report.error is None


# --- loops over lists

LISTED = """
def f(x):
    y = np.sort(x)
    w = {}
    for i in np.arange(0, len(y) - 9):
        w[i] = y[i + 9] - y[i : i + 9]
    return y[w.index(np.min(w))]
"""


@pytest.mark.parametrize(
    ("made", "copied"), [("[0] * (len(y) - 9)", False), ("[None for _ in y]", False), ("np.zeros(len(y) - 9)", True)]
)
def test_a_list_that_is_stored_into_is_not_copied(made: str, copied: bool) -> None:
    told = deciding(LISTED.format(made))
    assert told.code == "TNP704"
    assert ("eager TensorFlow copies all of it" in told.message) is copied


PAIRS = """
def f(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            total += np.exp({}).sum()
    return total * np.sin(x)
"""


@pytest.mark.parametrize(("product", "left"), [("x[i].T @ x[j]", "loops"), ("x[i] - x[j]", "")])
def test_products_of_the_items_of_a_list_stay(product: str, left: str) -> None:
    told = deciding(PAIRS.format(product))
    assert (told.code, told.left) == ("TNP701", left)
    assert ("best left in NumPy" if left else "write it on whole arrays") in told.message


# --- what is drawn, and tables

DRAWN = """
def f(ax, seg, points, alpha):
    ax.plot(seg[:, 0], seg[:, 2], zs=np.max(points[:, 1]), alpha=alpha / np.max(alpha))
    ax.plot(seg[:, 1], seg[:, 2], zs=np.min(points[:, 0]), alpha=np.exp(-alpha))
    return {}


def all_of_them(ax, segs, points, alpha):
    for seg in segs:
        f(ax, seg, points, alpha)
"""
TABLE = """
def f(epoch, output):
    mean = np.mean(epoch["EMG"][epoch.index > 0])
    output["mean"] = mean - np.max(epoch["EMG"].iloc[0]) + np.std(epoch["EMG"])
    return {}
"""
FRAME = """
import pandas as pd


def f(signal, alpha, width):
    frame = pd.DataFrame({{"signal": np.abs(signal) + np.sqrt(alpha)}})
    low = frame.rolling(width).quantile(0.25).signal.values
    return {}
"""


@pytest.mark.parametrize(
    ("text", "given", "stays"),
    [
        (DRAWN, "ax", True),
        (DRAWN, "np.linalg.inv(np.cos(seg))", False),
        (TABLE, "output", True),
        (TABLE.replace('output["mean"]', "output[0:1]"), "output", False),
        (FRAME, "low", True),
        (FRAME, "np.tanh(signal)", False),
        (FRAME.replace("np.abs(signal)", "signal @ signal @ signal @ signal"), "low", False),  # that is much
    ],
)
def test_what_prepares_a_plot_or_a_table_stays(text: str, given: str, stays: bool) -> None:
    report = report_of(text.format(given))
    assert [it.code for it in report.findings if it.decides and it.region == "f"] == ["TNP707"] * stays
    assert (
        "def f" in (report.new_text or "").partition("# NumPy originals")[0].partition("@rt.migrated")[2]
    ) is not stays


# --- names that stand for NumPy

NAMESPACE = """
from array_api_compat import array_namespace


def f(x, y{}):
    {}
    z = xp.exp(x) + y
    w = xp.sum(z, axis=0)
    return w / np.max(np.asarray(z)) {}
"""


@pytest.mark.parametrize(
    ("parameter", "bound", "more", "stays"),
    [
        ("", "xp = array_namespace(x, y)", "", True),
        ("", "xp, _ = array_namespace(x, y)", "", True),
        (", xp", "pass", "", True),
        ("", "xp = array_namespace(x, y)", "+ np.sin(y) * np.cos(y)", False),  # most of it is NumPy's
        ("", "xp = np", "", False),
    ],
)
def test_work_through_a_name_waits_for_what_that_stands_for(parameter: str, bound: str, more: str, stays: bool) -> None:
    text = NAMESPACE.format(parameter, bound, more)
    told = [it for it in report_of(text).findings if it.decides]
    assert [(it.code, it.left) for it in told] == [("TNP010", "")] * stays
    assert all('numpy-names = ["xp"]' in it.message for it in told)
    known = analyze(Source("m.py", _HEAD + text), Config(rewrite=True, numpy_names=("xp",)))
    assert "tnp.exp(x)" in (known.new_text or "")


# --- iterators that have to be iterators

PAIR = """
class Response:
    def __init__(self, data: np.ndarray):
        self.data = data

    def {}(self):
        return {}
"""


def test_what_has_to_give_an_iterator_is_not_told_to_give_a_list() -> None:
    made = "np.abs(self.data), np.angle(self.data)"
    told = deciding(PAIR.format("__iter__", f"iter(({made}))"), "Response.__iter__")
    assert told.message == (
        "an iterator over arrays leaves __iter__, which has to give one: make the arrays in another method"
    )
    advised = PAIR.format("__iter__", "iter(self.parts())") + f"\n    def parts(self):\n        return {made}\n"
    report = report_of(advised)
    assert not [it for it in report.findings if it.decides]
    assert "tnp.angle" in (report.new_text or "") or "rt.angle" in (report.new_text or "")
    names: dict[str, type] = {}
    exec(_HEAD + advised, names)
    size, angle = names["Response"](np.array([3 + 4j, -1.0]))
    assert size.tolist() == [5.0, 1.0]
    assert angle[1] == np.pi


def test_a_list_is_advised_where_it_will_do() -> None:
    told = deciding(PAIR.format("parts", "iter((np.abs(self.data), self.data))"), "Response.parts")
    assert told.message.endswith("make a list of it, unless next() is called with it")


# --- what cannot be a scalar, and whose code may have run (TNP511)

MADE = """
class Lines:
    def __len__(self):
        self.data[...] = read()
        return 3


def f(h, k):
    made = np.exp(np.asarray(h))
    print(made)
    if k is None:
        made = {}
    {}
    return {}
"""


@pytest.mark.parametrize(
    ("other", "then", "given", "stays"),
    [
        ("np.zeros_like(h)", "made[-1] = 0", "made", False),
        ("np.zeros_like(h)", "made[1:] += 2", "made", False),
        ("np.zeros_like(h)", "made[..., 0] *= 2", "3 * made", False),
        ("np.rollaxis(np.zeros_like(h), 1)", "made = 2 * np.rollaxis(made, 1)", "made", False),
        ("np.unwrap(h)", "made = 2 * made.swapaxes(0, 1)", "made", False),
        ("np.zeros_like(h)", "made[np.arange(2)] = 0", "made", False),
        ("np.zeros_like(h)", "if made.shape[0] > 1 and k is None:\n        made = made * 2", "made", False),
        ("np.zeros_like(h)", "if len(made) == 0:\n        return made * 2", "made", False),
        ("np.zeros_like(h)", "k = made[:, 0].sum()", "k * made", False),
        ("np.zeros_like(h)", "if k is None and made.shape[0] > 1:\n        made = made * 2", "made", True),
        ("np.zeros_like(h)", "made[np.array(1)] = 0", "made", True),  # the array may be one of bool
        ("np.zeros_like(h)", "made[k] = 0", "made", True),  # k may be ...
        ("np.zeros_like(h)", "made[...] = 0", "made", True),
        ("np.zeros_like(h)", "made[k is None] = 0", "made", True),
        ("np.zeros_like(h)", "for i in range(k):\n        made[i] = 0", "made", True),
        ("np.zeros_like(h)", "try:\n        made[0] = 0\n    except IndexError:\n        pass", "made", True),
    ],
)
def test_what_was_stored_into_by_an_index_is_no_scalar(other: str, then: str, given: str, stays: bool) -> None:
    body = MADE.format(other, then, given)
    told = [it.message for it in report_of(body).findings if it.decides and it.code == "TNP511"]
    assert len(told) == stays
    assert all("code of your own (a method __len__) may have run in np.asarray(...):" in it for it in told)
    if not stays:
        calls = ["f(np.ones((3, 2)), None)", "f(np.ones((3, 2)), 1)", "f(np.array(2.5), None)", "f(2.5, 1)"]
        _, judged = compare_text(_HEAD + textwrap.dedent(body), calls)
        assert {it.kind for it in judged[:2]} == {"equal"}
        assert {it.kind for it in judged[2:]} <= {"raised", "misused"}


# --- what goes from one iteration to the next

RECURSIVE = """
def f(a: np.ndarray, n, m):
    s, l, out = 0.0, 1e-300, np.zeros(len(a))
    for i in range(1, len(a)):
        s = a[i] / n + (1 - 1 / n) * s
        l = a[i] / m + (1 - 1 / m) * l
        out[i] = s / l
    return out
"""


def test_no_graph_is_advised_for_numbers_of_the_iteration_before() -> None:
    told = deciding(RECURSIVE)
    assert (told.code, told.left) == ("TNP701", "loops")
    assert "best left in NumPy" in told.message
    assert "--compile" not in told.message


def test_a_store_through_the_real_part_is_to_be_bound_first() -> None:
    text = "def f(n):\n    y = np.zeros(n, dtype=complex)\n    {}\n    return np.fft.ifft(y)\n"
    assert (
        "through y.real: bind that to a name in a statement before" in deciding(text.format("y.real[1:] = 1")).message
    )
    assert not any(it.decides for it in report_of(text.format("re = y.real\n    re[1:] = 1"), _HEAD).findings)


# --- nested functions: what is to be done with them, or with their names

GENERATOR = """
def f(points, head="K"):
    def names():
        n = 0
        while True:
            yield f"{}{{n}}"
            n += 1

    gen = names()
    return [next(gen) for p in points if np.abs(np.asarray(p, float)).max() > 0]
"""


def test_a_generator_that_reads_nothing_goes_to_the_top_level() -> None:
    advised = "a generator is nested: define names() outside of the function, of which it reads nothing"
    assert deciding(GENERATOR.format("K")).message == advised
    assert deciding(GENERATOR.format("{head}")).message != advised
    text = textwrap.dedent(GENERATOR.format("K"))
    first, rest = text.index("    def names"), text.index("    gen = ")
    followed = textwrap.dedent(text[first:rest]) + "\n\n" + text[:first] + text[rest:]
    report, judged = compare_text(_HEAD + followed, ["f([[1.0, 2.0], [0.0, 0.0], [3.0, -1.0]])"])
    assert "@rt.migrated\ndef f" in (report.new_text or "")
    assert [it.kind for it in judged] == ["equal"]


TWICE = """
def each(f, x):
    return np.array([f(it) for it in x])


def f(x, target):
    if target is None:
        def score(v):
            return len(v) + 1
        y = each(score, x)
    else:
        def {0}(v):
            return len(v) * target
        y = each({0}, x)
    return np.nan_to_num(np.exp(y))
"""


def test_two_nested_functions_of_one_name_get_names_of_their_own() -> None:
    told = deciding(TWICE.format("score"))
    assert told.code == "TNP408"
    assert told.message.endswith("score is defined more than once; give each of these functions a name of its own")
    calls = ["f([[1.0, 2.0], [0.0, 4.0]], None)", "f([[1.0, 2.0], [0.0, 4.0]], 3)"]
    report, judged = compare_text(_HEAD + textwrap.dedent(TWICE.format("other")), calls)
    assert "tnp.exp(y)" in (report.new_text or "")
    assert {it.kind for it in judged} == {"equal"}


PICKED = """
import operator


def f(x, k):
    found = np.where(np.exp(x) > k)
    return np.stack({})
"""


def test_a_list_is_advised_in_place_of_a_map_by_itemgetter() -> None:
    told = deciding(PICKED.format("[*map(operator.itemgetter(slice(1, None)), found)]"))
    assert told.message.endswith("write [x[slice(...)] for x in ...] in place of the map()")
    report, judged = compare_text(
        _HEAD + PICKED.format("[x[slice(1, None)] for x in found]"), ["f(np.arange(12.0).reshape(3, 4), 2.0)"]
    )
    assert "@rt.migrated\ndef f" in (report.new_text or "")
    assert [it.kind for it in judged] == ["equal"]
