"""Advice that is followed: the text as it is advised gives what it gave, and check has nothing more to say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advised import deciding, gives_the_same, load, report_of, states

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import Callee

_HEAD = "import numpy as np\n\n\n"


# --- functions that somebody may compile (TNP504)

LEAPFROG = """import numpy as np
{imports}


def leapfrog(func, q, steps, args=()):
    for k in range(steps):
        q = q + 0.1 * func(q, *args, t=0.1 * k)
    return q


def force(x: np.ndarray, k, t=0.0):
    return -k * np.sin(x) * np.exp(-t)


def run(q0, steps):
    return leapfrog(force, q0, steps, args=(2.0,))
"""
_COMPILER = "\n\ndef compiled(f):\n    return numba.njit(f)\n"


def test_who_only_calls_what_it_gets_compiles_nothing(tmp_path: Path) -> None:
    text = LEAPFROG.format(imports="import numba") + _COMPILER
    assert deciding(text, "force") is None
    assert states(text)["force"] == "convertible"
    kept = text.replace("    return q\n", "    KEPT.append(func)\n    return q\n", 1) + "\n\nKEPT = []\n"
    assert states(kept)["force"] == "blocked"
    for who in ("leapfrog = numba.njit(leapfrog)\n", "fast = numba.njit(leapfrog)\n"):
        assert states(f"{text}\n\n{who}")["force"] == "blocked"
    without = LEAPFROG.format(imports="")
    gives_the_same(tmp_path, [without, without], lambda module: module.run(np.linspace(0, 1, 9), 3))


def test_what_is_given_in_its_place_takes_the_same_parameters(tmp_path: Path) -> None:
    """The function that gets it may call it by keywords, and ask for them."""
    text = LEAPFROG.format(imports="import numba") + _COMPILER
    text = text.replace("    for k in", "    TABLE['last'] = func\n    for k in", 1) + "\n\nTABLE = {}\n"
    told = deciding(text, "force")
    assert told is not None
    assert told.code == "TNP504"
    assert "give a function of the same parameters in its place, which only calls force" in told.message
    followed = text.replace("leapfrog(force,", "leapfrog(same,")
    followed += "\n\ndef same(x: np.ndarray, k, t=0.0):\n    return force(x, k, t)\n"
    assert states(followed)["force"] == "convertible"
    texts = [it.replace("import numba\n", "").replace(_COMPILER, "") for it in (text, followed)]
    gives_the_same(tmp_path, texts, lambda module: module.run(np.linspace(0, 1, 9), 3))


def test_nobody_is_told_to_wrap_what_a_name_out_of_sight_gets() -> None:
    picked = LEAPFROG.format(imports="import numba").replace("leapfrog(force,", "leapfrog(force if steps else None,")
    told = deciding(picked, "force")
    assert told is not None
    assert (told.code, told.left) == ("TNP504", "unseen")


# --- copies of what may be a number (TNP207)


def test_of_what_may_be_a_number_no_copy_is_advised() -> None:
    """``np.einsum("i,i->", x, y)`` gives a number: of that no array is to be made."""
    text = f"{_HEAD}def f(subscripts, *operands):\n    return np.einsum(subscripts, *operands)\n"
    told = deciding(text)
    assert told is not None
    assert (told.code, told.left) == ("TNP207", "unseen")
    assert "or a number: where it is always an array, return np.array(np.einsum(...))" in told.message


# --- results of which nobody knows whether they are scalars (TNP511)

NAMED = """from collections import namedtuple

import numpy as np


def f(v1: np.ndarray, v2: np.ndarray, theta: np.ndarray, terms=False):
    a = (v2 - v1) / (v2 + v1)
    b = np.sin(theta) ** 2
    if terms:
        T = namedtuple("T", ["a", "b"])
        return T(np.squeeze(a), np.squeeze(b))
    return np.squeeze(a + b)
"""


def _refl(module: Any) -> Any:
    given = (np.array([1.0, 2.0]), np.array([2.0, 3.0]), np.array([0.1, 0.2]))
    return module.f(*given), *module.f(*given, terms=True), module.f(*(it[:1] for it in given))


def test_a_named_tuple_is_no_effect(tmp_path: Path) -> None:
    assert deciding(NAMED) is None
    gives_the_same(tmp_path, [NAMED, NAMED], _refl, on_unverified="numpy")
    shown = NAMED.replace("        return T(", "        T.__doc__ = str(theta)\n        return T(")
    told = deciding(shown)
    assert told is not None
    assert told.code == "TNP511"


def test_what_is_squeezed_of_several_axes_is_an_array(tmp_path: Path) -> None:
    text = _HEAD + (
        "def f(x, phi, show):\n    show(1)\n    phi = np.stack([[phi], [phi]])\n"
        "    y = np.cos(phi) * np.exp(x)\n    return {}\n"
    )
    for squeezed in ("np.squeeze(y)", "y.squeeze()"):
        assert deciding(text.format(squeezed)) is None
        both = [text.format(squeezed)] * 2
        gives_the_same(tmp_path, both, lambda module: [module.f(np.ones((n, 2)), [0.5], id) for n in (1, 3)])
        gives_the_same(tmp_path, both, lambda module: module.f(np.ones(1), [0.5], id))


PREPARED = """
class DataError({base}):
    \"\"\"Wrong data.\"\"\"


class Wrong(Exception):
    def __init__(self, words):
        print(words)


def trim(x, limits):
    return x[np.logical_and(x >= limits[0], x <= limits[1])]


class Fit:
    def f(self, x, y, limits):
        if x.ndim != 1:
            raise {error}("dimensions")
        if x.dtype != "float64":
            x = x.astype("float64")
        if limits:
            x = trim(x, limits)
        return {result}, np.log10(y)
"""


@pytest.mark.parametrize(
    ("base", "error", "result", "stays"),
    [
        (
            "ValueError",
            "DataError",
            "np.squeeze(np.exp(x))",
            False,
        ),  # to begin again makes another exception, and no more
        ("Wrong", "DataError", "np.squeeze(np.exp(x))", True),
        ("ValueError", "Wrong", "np.squeeze(np.exp(x))", True),
        ("ValueError", "Wrong", "x", False),  # a mask leaves one axis
    ],
)
def test_an_exception_that_is_pythons_but_for_its_name_has_no_effect(
    base: str, error: str, result: str, stays: bool, tmp_path: Path
) -> None:
    text = _HEAD + PREPARED.lstrip().format(base=base, error=error, result=result)
    told = deciding(text, "Fit.f")
    assert (told is not None) is stays
    if told is not None:
        assert told.code == "TNP511"
        return
    x = np.linspace(0.5, 3, 6)
    for given in ((x, x, None), (x, x, [1, 3]), (x[:1], x, None), (np.arange(1, 3), x, [2, 2])):
        gives_the_same(tmp_path, [text], lambda it, given=given: it.Fit().f(*given))
    with pytest.raises(ValueError if error == "DataError" else Exception, match="dimensions"):
        load("new", report_of(text).new_text or "", tmp_path).Fit().f(np.ones((2, 2)), x, None)


BINNED = """
def f(img: np.ndarray, n, show):
    show(n)
    if n < 5:
        out = np.zeros(shape(img, n))
        out += img[0::n, 0::n]
    else:
        out = np.exp(img).reshape(n, 2, n, 2).sum(axis=3).sum(axis=1)
    return out


def shape(img, n):
    return tuple(-(-size // n) for size in img.shape)
"""


def test_what_an_array_with_axes_was_added_to_in_place_has_axes(tmp_path: Path) -> None:
    text = _HEAD + BINNED.lstrip()
    assert deciding(text) is None
    gives_the_same(tmp_path, [text], lambda it: [it.f(np.ones((10, 10)), n, id) for n in (2, 3, 5)])
    plain = text.replace("out += img[0::n, 0::n]", "out += n")  # an array without axes, or one with two
    assert deciding(plain) is None
    told = deciding(plain.replace(".reshape(n, 2, n, 2).sum(axis=3).sum(axis=1)", ".sum(axis=n)"))
    assert told is not None
    assert told.code == "TNP511"


MEDIAN = """
import scipy.stats


def f(x, alpha=None, keepdims=False):
    x = np.sort(x, axis=0)
    n = x.shape[0]
    m = x[n // 2,] if n % 2 else 0.5 * (x[n // 2 - 1,] + x[n // 2,])
    if keepdims:
        m = np.moveaxis(m[np.newaxis,], 0, -1)
    if alpha is None:
        return m
    b = scipy.stats.binom(n, 0.5)
    j, k = int(b.ppf(alpha / 2)) - 1, int({})
    return m, np.array([x[j,] - m, x[k,] - m])
"""


def test_a_distribution_of_scipys_has_no_effects_but_by_drawing(tmp_path: Path) -> None:
    text = _HEAD + MEDIAN.lstrip()
    asked = text.format("b.ppf(1 - alpha / 2)")
    assert deciding(asked) is None
    x = np.random.default_rng(1).random((9, 4))
    gives_the_same(tmp_path, [asked], lambda it: [it.f(x), it.f(x, 0.1), it.f(x[:, 0]), it.f(x[:, 0], 0.1)])
    told = deciding(text.format("b.rvs() % n"))
    assert told is not None
    assert (told.code, "binom(...) may have had effects" in told.message) == ("TNP511", True)


@pytest.mark.parametrize(
    ("effect", "named"),
    [
        ("show(1)", "show(...) may have had effects"),
        ("SEEN[0] = 1", "SEEN[...] may have been stored into"),
        ("with show: pass", "the function may have had effects"),
    ],
)
def test_the_effect_is_named(effect: str, named: str, tmp_path: Path) -> None:
    body = f"    w = np.exp(x)\n    {effect}\n    return {{}}\n\n\nSEEN = {{{{}}}}\n"
    text = f"{_HEAD}def f(x: np.ndarray, show):\n{body}"
    told = deciding(text.format("np.squeeze(w)"))
    assert told is not None
    assert told.code == "TNP511"
    assert f"would run all of it a second time, and {named}: return np.asarray(...) of an array" in told.message
    followed = text.format("np.asarray(np.squeeze(w))")
    assert deciding(followed) is None
    if "with" not in effect:
        gives_the_same(tmp_path, [text.format("np.squeeze(w)"), followed], lambda it: it.f(np.ones((2, 1)), id))


# --- what is made real may be complex

REAL = """
def f(v1: np.ndarray, v2: np.ndarray, theta):
    theta = np.real(theta)
    return np.asarray(np.squeeze((1 + np.tan(theta) ** 2) * (v2 - v1)))
"""


@pytest.mark.parametrize("theta", [np.array([0.1, 0.2 + 1j]), np.array([0.1, 0.2]), np.float32([0.1, 0.2]), 0.3])
def test_the_door_lets_in_what_is_made_real(theta: Any, tmp_path: Path) -> None:
    text = _HEAD + REAL.lstrip()
    both = [text, text]
    gives_the_same(
        tmp_path, both, lambda it: it.f(np.array([1.0, 2.0]), np.array([3.0, 5.0]), theta), on_unverified="raise"
    )


# --- what is small by its text, and what works on numbers

SMALL = {
    "samples": """
    before = int(np.floor(x / n))
    samples = np.arange(before - 1, before + 3)
    if any(samples < 0) or any(samples >= y.size):
        return None
    return spline(n * samples, y[samples])(x)
""",
    "limit": """
    tau = min(75, y.shape[0])
    w = 0.94 ** np.arange(tau)
    w = w / sum(w)
    return spline(np.sum(np.exp(y[:tau]) * w))
""",
    "grid": """
    es = np.hstack((np.geomspace(1e-8, 0.5, 101), sorted(1.0 - np.geomspace(1e-4, 0.5, 101))))
    return spline(es * x.e)
""",
    "stored": """
    out = np.empty(9)
    t = spline(x)
    for j in range(3, 9):
        out[j] = t[j] + n
    return np.exp(out) @ np.exp(y)
""",
    "counted": """
    d = {}
    for i in range(x):
        d[i] = max(1, int(np.log10(n * (x - i + 1) * (n - 1))))
    return d
""",
}


@pytest.mark.parametrize("kind", SMALL)
def test_what_is_small_by_its_text_is_counted(kind: str) -> None:
    text = f"{_HEAD}def f(x, y: np.ndarray, n, spline):{SMALL[kind]}"
    told = deciding(text)
    assert told is not None
    assert told.code.startswith("TNP70")
    assert told.left in ("little", "loops")
    assert "best left in NumPy" in told.message


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("samples", "before + 3", "n"),
        ("limit", "min(75, y.shape[0])", "y.shape[0]"),
        ("grid", "0.5, 101)))", "0.5, n)))"),
        ("stored", "np.empty(9)", "np.empty(n)"),
    ],
)
def test_what_may_be_large_is_told(kind: str, old: str, new: str) -> None:
    assert old in SMALL[kind]
    text = f"{_HEAD}def f(x, y: np.ndarray, n, spline):{SMALL[kind].replace(old, new)}"
    text = text.replace("return spline(", "return np.exp(samples), spline(" if kind == "samples" else "return spline(")
    told = deciding(text)
    assert told is not None
    assert told.left == ""
    if kind != "stored":
        followed = (
            text.replace(" sum(w)", " np.sum(w, axis=0)").replace(" any(", " np.any(").replace("sorted", "np.sort")
        )
        assert states(followed)["f"] == "convertible"


SCALARS = """import numpy as np
from elsewhere import decorated


class Potential:
    @decorated
    def f(self, r, z):
        if r == 0 and z == 0:
            return 0.0
        elif {}:
            return 1.0
        return -4 * self.integral(r, z)

    @decorated
    def text(self, r, z):
        v = np.sqrt(self.amp * r**2.0 * z / self.a / z * 0.2)
        return {}
"""


def test_work_on_numbers_is_counted() -> None:
    """Of arrays the tests would raise; what becomes a text is no array's work."""
    text = SCALARS.format("np.isinf(r**2 + z**2)", 'f"{self.a * z},{v}"')
    for name in ("Potential.f", "Potential.text"):
        told = deciding(text, name)
        assert told is not None
        assert (told.code, told.left) == ("TNP405", "little")
    text = SCALARS.format("True", "v")
    told = deciding(text, "Potential.text")
    assert told is not None
    assert told.left == ""


def test_a_module_of_tests_is_one_by_its_name() -> None:
    assert Config().is_test("package/tests.py")
    assert not Config().is_test("package/contests.py")


# --- nested functions that read what is assigned in another branch, or by a default (TNP408)

BRANCHES = """
def f(x: np.ndarray, flag):
    y = np.exp(x)
    if flag:
        k = 2.0
        g = lambda z: np.exp(z) * k
    else:
        k = 3.0
        g = lambda z: np.exp(z) + k
    return np.sin(y), g
"""
DEFAULTS = """
def f(x: np.ndarray, flag):
    y = np.exp(x)
    k = 2.0
    g = lambda z, k=k: np.exp(z) * k
    k = 3.0
    h = lambda z, k=k: np.exp(z) + k
    return np.sin(y), g if flag else h
"""


@pytest.mark.parametrize("body", [BRANCHES, DEFAULTS])
def test_another_branch_is_not_behind(body: str, tmp_path: Path) -> None:
    text = _HEAD + body.lstrip()
    assert deciding(text) is None

    def called(module: Any) -> Any:
        z = np.linspace(0, 1, 4)
        return [(y, g(z)) for y, g in (module.f(np.ones(3), flag) for flag in (True, False))]

    gives_the_same(tmp_path, [text], called, on_unverified="raise")


def test_what_comes_after_the_branches_is_behind() -> None:
    told = deciding(_HEAD + BRANCHES.lstrip().replace("    return", "    k = 4.0\n    return"))
    assert told is not None
    assert "k is assigned again after it; use another name there" in told.message
    loop = "    gs = []\n    for flag in flags:\n" + "".join(
        f"    {line}\n" for line in BRANCHES.splitlines()[3:9]
    ).replace("g = ", "gs.append(").replace("* k", "* k)").replace("+ k", "+ k)")
    told = deciding(f"{_HEAD}def f(x: np.ndarray, flags):\n    y = np.exp(x)\n{loop}    return np.sin(y), gs\n")
    assert told is not None
    assert "the next round of the loop assigns k again" in told.message


# --- functions that NumPy calls with its own arrays (TNP206)

PADDED = """
def made(before):
    def pad_with(x, width, axis, kwargs):
        x[: width[0]] = before[: width[0]]

    return pad_with


def top(x, width, axis, kwargs):
    x[: width[0]] = 7


def f(layers, before: np.ndarray):
    padder = {}
    return np.exp(np.stack([np.pad(w, [3, 0], mode=padder) for w in layers]))
"""


@pytest.mark.parametrize("padder", ["made(before)", "top"])
def test_what_numpy_calls_goes_into_a_function_of_its_own(padder: str, tmp_path: Path) -> None:
    text = _HEAD + PADDED.format(padder).lstrip()
    told = deciding(text)
    assert told is not None
    assert told.code == "TNP206"
    assert told.message.startswith("np.pad(...) gives its arrays to a function that may change them")
    assert told.message.endswith("move the call into a function of its own, which gets that function")
    own = "\n\ndef padded(w, padder):\n    return np.pad(w, [3, 0], mode=padder)\n"
    followed = text.replace("[np.pad(w, [3, 0], mode=padder)", "[padded(w, padder)") + own
    assert deciding(followed) is None
    layers = [np.arange(4.0), np.ones(4)]
    gives_the_same(tmp_path, [text, followed], lambda it: it.f(layers, np.arange(9.0)))


# --- calls that have a statement of their own (TNP503)

OWN_STATEMENT = """
class M:
    def f(self, num, layers=None):
        def inner(index, layers: int):
            found, _ = nearest(layers, index)
            for i, n in enumerate(layers):
                pass

        other = np.unique(other)
"""


def test_no_statement_of_its_own_is_advised_where_it_is_one() -> None:
    text = _HEAD + OWN_STATEMENT.lstrip()
    told = deciding(text, "M.f")
    assert told is not None
    assert told.message.endswith("may have been changed by nearest: pass np.array(layers), unless that is meant")
    told = deciding(text.replace("nearest(layers,", "nearest(np.array(layers),"), "M.f")
    assert told is None or told.code != "TNP503"


# --- arguments of which a callee asks the memory order (TNP206)

LAYOUT = """
def asks(a, b):
    return a.strides[0] + b.strides[0] + np.sum(a) + np.sum(b)


def f(x: np.ndarray, z: np.ndarray):
    out = np.zeros(x.shape)
    inside = x >= 0
    out[inside] = asks(x[inside], z[inside])
    return out * np.sin(x) + z
"""


def test_all_arguments_that_a_callee_asks_are_named_as_they_are_passed(tmp_path: Path) -> None:
    text = _HEAD + LAYOUT.lstrip()
    told = deciding(text)
    assert told is not None
    assert told.code == "TNP206"
    assert "asks for the memory order of x[...] and z[...]" in told.message
    assert told.message.endswith("pass np.ascontiguousarray(x[...]) and np.ascontiguousarray(z[...])")
    followed = text.replace(
        "asks(x[inside], z[inside])", "asks(np.ascontiguousarray(x[inside]), np.ascontiguousarray(z[inside]))"
    )
    assert deciding(followed) is None
    given = np.array([-1.0, 2.0, 3.0])
    gives_the_same(tmp_path, [text, followed], lambda it: it.f(given, given * 2))


# --- functions for code out of sight (TNP503)

CALLED_BACK = """
def cost(z):
    return np.sum(z**2)


def f(x: np.ndarray, w: np.ndarray):
    b = np.average(x, axis=0, weights=w)
    found = minimize({}, b.ravel())
    return np.array(found.x.reshape(b.shape)) * np.exp(b)
"""


def test_what_is_called_back_goes_to_the_top_level() -> None:
    """What a table says of a callee says nothing of a function that is nested here."""
    head = "import numpy as np\nfrom scipy.optimize import minimize\n\n\n"
    nested = head + CALLED_BACK.lstrip().format("lambda z: np.sum(z**2)")
    said = Config(rewrite=True, callees=(Callee("scipy.optimize.minimize"),))

    def told(text: str, config: Config) -> list[str]:
        report = analyze(Source("m.py", text), config)
        return [it.message for it in report.findings if it.decides and it.region == "f"]

    (first,) = told(nested, Config(rewrite=True))
    assert (
        '"scipy.optimize.minimize" = "pure" where it is only read), and define what it calls at the top level' in first
    )
    (second,) = told(nested, said)
    assert "[tool.np2tnp.callees]" not in second
    assert "define what it calls at the top level" in second
    assert told(head + CALLED_BACK.lstrip().format("cost"), said) == []


READ_BY_NOBODY = """
import sums


def cost(z):
    return sums.of(z)


def f(x: np.ndarray, w: np.ndarray):
    b = np.average(x, axis=0, weights=w)
    c = b.ravel()
    found = search({}, c)
    return np.array(found.x.reshape(b.shape)) * np.exp(b)
"""


def test_nothing_is_to_be_said_of_code_that_calls_what_may_change_it() -> None:
    """What a table says of a callee says nothing of a function of the project that it calls."""
    head = "import numpy as np\nfrom fits import search\n"
    for said in ((), (Callee("fits.search"),)):
        report = analyze(Source("m.py", head + READ_BY_NOBODY.format("cost")), Config(rewrite=True, callees=said))
        (told,) = (it for it in report.findings if it.decides and it.region == "f")
        assert "[tool.np2tnp.callees]" not in told.message
        assert "it may call cost, which may change what it gets" in told.message
    other = analyze(Source("m.py", head + READ_BY_NOBODY.format("3")), Config(rewrite=True))
    (told,) = (it for it in other.findings if it.decides and it.region == "f")
    assert '"fits.search" = "pure"' in told.message


# --- loops in loops that have one whole-array form (TNP701)

NESTED_LOOPS = {
    "product": (
        "over i, j and k",
        """
def f(X: np.ndarray, Y: np.ndarray, E: np.ndarray, G: np.ndarray):
    for i in range(X.shape[0]):
        for j in range(Y.shape[0]):
            for k in range(X.shape[1]):
                G[i, k] += E[i, j] * 2 * (X[i, k] - Y[j, k])
""",
        """
def f(X: np.ndarray, Y: np.ndarray, E: np.ndarray, G: np.ndarray):
    G += 2 * (np.sum(E, axis=1)[:, None] * X - E @ Y)
""",
        lambda rng: [rng.standard_normal(shape) for shape in ((3, 2), (4, 2), (3, 4), (3, 2))],
    ),
    "triangle": (
        "over i and j",
        """
def f(P: np.ndarray, x: float, n: int, m: int):
    d = np.zeros((n, m))
    for i in range(n):
        for j in range(min(i + 1, m)):
            d[i, j] = 2.0 * x * P[i, j] - i * (i + 1) * P[i, j] + j * j * P[i, j]
    return d
""",
        """
def f(P: np.ndarray, x: float, n: int, m: int):
    i, j = np.arange(n)[:, None], np.arange(m)
    d = 2.0 * x * P[:n, :m] - i * (i + 1) * P[:n, :m] + j * j * P[:n, :m]
    return np.where(j <= i, d, 0.0)
""",
        lambda rng: [rng.standard_normal((5, 4)), 0.3, 4, 3],
    ),
}


@pytest.mark.parametrize("kind", NESTED_LOOPS)
def test_all_loops_that_are_one_expression_are_named(kind: str, tmp_path: Path) -> None:
    loops, before, after, made = NESTED_LOOPS[kind]
    texts = [_HEAD + body.lstrip() for body in (before, after)]
    told = deciding(texts[0])
    assert told is not None
    assert told.code == "TNP701"
    assert told.message.endswith(f"write the loops {loops} as one expression on whole arrays")
    assert deciding(texts[1]) is None

    def called(module: Any) -> Any:
        given = made(np.random.default_rng(0))
        return [module.f(*given) if kind == "triangle" else (module.f(*given), given[3])[1]]

    gives_the_same(tmp_path, texts, called)


# --- loops of which nothing comes for a device (TNP704)

GRAPH = """
from scipy import sparse


def f(n, k):
    i = np.zeros(2 * n * k)
    t = np.arange(n)
    for a in range(k):
        i[2 * a * n + t] = np.remainder(t + a + 1, n)
    return {}
"""


@pytest.mark.parametrize(
    ("result", "left"),
    [
        ("float(sparse.csc_matrix((np.ones(2 * n * k), (i, i)), shape=(n, n)).sum())", "loops"),
        ("float(sparse.csc_matrix((np.exp(i), (i, i)), shape=(n, n)).sum())", ""),
        ("float(sparse.csc_matrix((np.ones(2 * n * k), (i, i)), shape=(n, n)).sum()), i", ""),
    ],
)
def test_what_only_goes_to_another_package_is_best_left(result: str, left: str) -> None:
    told = deciding(f"import numpy as np\n{GRAPH.lstrip()}".format(result))
    assert told is not None
    assert (told.code, told.left) == ("TNP704", left)
    assert ("i only goes to sparse.csc_matrix, which works on the host" in told.message) is bool(left)


# --- parts of an array with whole axes (TNP704)

SHOCKS = """
def f(p: np.ndarray, t: int, n: int, draw):
    shocks = np.empty((t, n, 3))
    for i in range(t):
        shocks[{}] = np.sqrt(p[0]) * draw((n, 3))
    return shocks
"""


@pytest.mark.parametrize("index", ["i", "i, :, :", "i, :"])
def test_a_part_is_a_part_however_it_is_written(index: str) -> None:
    told = deciding(_HEAD + SHOCKS.lstrip().format(index))
    assert told is not None
    assert told.code == "TNP704"
    assert "unless draw takes all parts at once" in told.message


# --- chains: what is said at once

LISTED = """
def f(x: np.ndarray, verbose):
    found = np.where(x == np.max(x))
    places = list(zip(found[1], found[0]))
    out = np.zeros(len(places))
    for i, place in enumerate(places):
        out[i] = x[place[1], place[0]] * 2
{}    return out
"""
_PRINTS = "    if verbose:\n        for place in places:\n            print(place)\n"


@pytest.mark.parametrize(("more", "left"), [("", ""), (_PRINTS, "loops")])
def test_a_list_that_another_loop_reads_stays(more: str, left: str) -> None:
    told = deciding(_HEAD + LISTED.lstrip().format(more))
    assert told is not None
    assert (told.code, told.left) == ("TNP701", left)


REPORTS = """
class M:
    def f(self, y: np.ndarray):
        mu = np.exp(y)
        mu = mu[self.mask(mu)]
        self.report({})
        q, r = np.linalg.qr(mu)
        return q @ mu
"""


def test_own_names_are_given_as_copies() -> None:
    """The arrays themselves may be held by something already, which would be the next reason."""
    told = deciding(_HEAD + REPORTS.lstrip().format("vars()"), "M.f")
    assert told is not None
    assert told.message.endswith("name what is needed, arrays as copies (np.array(x))")
    followed = REPORTS.lstrip().format("dict(self=self, y=np.array(y), mu=np.array(mu))")
    assert deciding(_HEAD + followed, "M.f") is None


# --- masked arrays (TNP307)

_GIVES_MASKED = """

def f(h: np.ndarray, top):
    out = np.ma.masked_all(h.shape)
    out[h < top] = np.exp(h[h < top]) * np.sqrt(np.abs(h[h < top]))
    return out
"""
_OF_ITS_OWN = """

def values_of(h: np.ndarray, top):
    values, mask = np.zeros(h.shape), np.ones(h.shape, dtype=bool)
    values[h < top] = np.exp(h[h < top]) * np.sqrt(np.abs(h[h < top]))
    mask[h < top] = False
    return values, mask


def f(h: np.ndarray, top):
    values, mask = values_of(h, top)
    return np.ma.array(values, mask=mask)
"""


def test_what_gives_a_masked_array_back_computes_in_another_function(tmp_path: Path) -> None:
    told = deciding(f"import numpy as np\n{_GIVES_MASKED}")
    assert told is not None
    assert "compute values and mask in another function, and make the masked array of what that" in told.message
    advised = f"import numpy as np\n{_OF_ITS_OWN}"
    assert states(advised)["values_of"] == "convertible"
    texts = [f"import numpy as np\n{_GIVES_MASKED}", advised]

    def both(module: Any) -> tuple[Any, Any]:
        got = module.f(np.linspace(0, 3, 12).reshape(3, 4), 1.5)
        return got.filled(-1.0), np.ma.getmaskarray(got)

    gives_the_same(tmp_path, texts, both)


@pytest.mark.parametrize(
    ("made", "advice"),
    [
        ("np.ma.masked_array(x, x > n)", "and make the masked array of what that returns"),
        ("np.matrix(x)", "work on ndarrays, whose matrix product is a @ b"),
        ("np.memmap(n, shape=(3, 4))", "give np.asarray(...) of it to another function"),
    ],
)
def test_the_advice_is_about_the_class(made: str, advice: str) -> None:
    told = deciding(
        f"import numpy as np\n\n\ndef f(x, n, kept):\n    kept[n] = {made}\n    return np.exp(x) @ np.cos(x)\n"
    )
    assert told is not None
    assert (told.code, told.message.endswith(advice)) == ("TNP307", True), told.message


def test_a_module_that_lives_on_masked_arrays_is_counted() -> None:
    def left(masked: int, others: int) -> set[str]:
        text = "import numpy as np\n"
        text += "".join(_GIVES_MASKED.replace("def f", f"def f{at}") for at in range(masked))
        text += "".join(f"\n\ndef g{at}(x: np.ndarray):\n    return np.exp(x) @ np.cos(x)\n" for at in range(others))
        return {it.left for it in report_of(text).findings if it.decides}

    assert left(3, 0) == left(4, 9) == {""}
    assert left(4, 8) == {"masked"}
