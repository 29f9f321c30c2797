"""What goes to the host at once stays NumPy's: calls of numbers, and light formulas of the host's own arrays."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import rewrite

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

TEXT = """
import numpy as np


class Grid:
    def __init__(self, n, m, spacing):
        self.values = np.zeros((n, m))
        self.spacing = spacing

    def run(self, x, solve, n: int):
        weights = np.exp(x)
        self.values[np.arange(n), np.arange(n)] = weights[0]
        solve(np.linspace(0, 1, self.spacing), np.eye(3), np.sqrt(2 / n), tolerance=np.full((2, 2), 1e-3))
        solve(np.sum(self.values), np.arange(weights[0]), np.ones_like(weights), np.sqrt(self.spacing))
        solve(np.ones_like(np.exp(x)))
        print(np.sqrt(2.0), np.float32(n) * 2)
        return weights * np.arange(n)


def shape(n: int, solve):
    solve(np.ones(n))
"""


def text() -> str:
    new = rewrite(TEXT, slow="convert").new_text
    assert new is not None
    return new


def test_numbers_need_no_device() -> None:
    new = text()
    for part in (
        "self.values[np.arange(n), np.arange(n)] = ",
        "solve(np.linspace(0, 1, self.spacing), np.eye(3), np.sqrt(2 / n), tolerance=np.full((2, 2), 1e-3))",
        "print(np.sqrt(2.0), ",
    ):
        assert part in new


def test_work_on_arrays_and_on_what_may_be_one_goes_to_tensorflow() -> None:
    new = text()
    for part in (
        "rt.host(tnp.sum(self.values))",
        "rt.host(tnp.arange(weights[0]))",
        "rt.host(tnp.ones_like(weights))",  # of weights[0] it has axes
        "rt.ndarray(tnp.ones_like(tnp.exp(x)))",
        "rt.host(tnp.sqrt(self.spacing))",
        "return weights * tnp.arange(n)",
    ):
        assert part in new


def test_a_region_with_nothing_else_stays_numpy() -> None:
    assert "\n\ndef shape(n: int, solve):\n    solve(np.ones(n))\n" in text()


FETCHED = """
import json

import numpy as np


def load(path, seed, rate, x):
    with open(path) as stream:
        table = np.asarray(json.load(stream))
    noise = np.random.default_rng(seed).normal(scale=rate, size=len(table))
    return np.maximum(x, 1) + rate * noise


def everything(path, seed, x):
    return load(path, seed, np.sum(x), x - 1) + load(path, x, 0.5, x)
"""


def test_parameters_that_would_only_be_fetched_come_as_they_are() -> None:
    new = rewrite(FETCHED, slow="convert").new_text
    assert new is not None
    for part in (
        'hosted="path, seed',
        "with open(path) as stream:",
        "np.random.default_rng(seed).normal(",
        "scale=rt.host(rate), size=len(table)",
        "load.core(path, seed, tnp.sum(x), x - 1)",
        "load.core(path, rt.host(x), 0.5, x)",  # a tensor of the caller's is fetched there
    ):
        assert part in new


def test_what_comes_as_it_is_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text("[1.0, 2.0, 3.0]")
    x = np.array([1, 2, 3])
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    exec(FETCHED, old)
    text = rewrite(FETCHED, slow="convert").new_text
    assert text is not None
    exec(text, new)
    for seed in (5, x):
        np.testing.assert_array_equal(
            new["everything"](str(path), seed, x), old["everything"](str(path), seed, x), strict=True
        )


CROSSINGS = """
import numpy as np


def draws(seed, eps, n):
    rng = np.random.default_rng(seed)
    rng.random(3)
    a = rng.random()
    if rng.uniform(0, 1) < eps:
        a = rng.integers(10)
    low = np.ones(2)
    print(rng.random((2, n)), rng.uniform(low, 2 * low))
    return np.exp(rng.normal(0, 1, (n, 2))) * a


def like(u: np.ndarray, n: int):
    p = np.zeros(u.shape)
    q = np.full(u.shape, 2, dtype=u.dtype)
    print(u.shape, u.dtype)
    return np.reshape(p + q, u.shape) * np.abs(u).astype(u.dtype) + np.ones(n, u.dtype).sum()
"""


def test_what_the_host_gives_and_takes_does_not_pass_through_tensors() -> None:
    new = rewrite(CROSSINGS).new_text
    assert new is not None
    for part in (
        "    rng.random(3)\n",
        "a = rng.random()\n",
        "if rng.uniform(0, 1) < eps:",
        "a = rng.integers(10)\n",
        "print(rng.random((2, n)), rng.uniform(",
        "tnp.exp(rt.tensor(rng.normal(0, 1, (n, 2)))) * a",
    ):
        assert part in new


def test_shapes_and_dtypes_that_functions_are_given_are_a_tensors_own() -> None:
    new = rewrite(CROSSINGS).new_text
    assert new is not None
    for part in (
        "p = tnp.zeros(u.shape)",
        "q = tnp.full(u.shape, 2, dtype=u.dtype)",
        "print(rt.shape(u), rt.dtype(u))",
        "tnp.reshape(p + q, u.shape) * tnp.array(tnp.abs(u), u.dtype)",
        "tnp.ones(n, u.dtype)",
    ):
        assert part in new


def test_they_give_the_same(capsys: Any) -> None:
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    exec(CROSSINGS, old)
    exec(rewrite(CROSSINGS).new_text or "", new)
    for name, *args in [
        ("draws", 5, 0.5, 2),
        ("draws", 6, 0.0, 3),
        *(("like", np.arange(6).reshape(2, 3).astype(char), 3) for char in "ldfbH"),
    ]:
        expected = old[name](*args)
        printed = capsys.readouterr().out
        found = new[name](*args)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        assert capsys.readouterr().out == printed


HANDED = """
import numpy as np


def handed(x, solve):
    y = np.exp(x)
    solve(np.arange(3, dtype=y.dtype), [1, np.zeros(2, y.dtype)], start=np.eye(2, dtype=y.dtype))
    return y
"""


def test_a_tensors_own_dtype_is_given_to_no_function_of_numpys() -> None:
    new: dict[str, Any] = {}
    text = rewrite(HANDED).new_text
    assert text is not None
    assert "solve(rt.host(tnp.arange(3, dtype=y.dtype)), " in text
    exec(text, new)
    found: list[Any] = []
    new["handed"](np.arange(4.0, dtype=np.float32), lambda *args, **kwargs: found.extend((*args, kwargs["start"])))
    assert [part.dtype.name for part in (found[0], found[1][1], found[2])] == ["float32"] * 3


HELD = """
import numpy as np


class Adam:
    def __init__(self, n):
        self.m, self.v, self.t = np.zeros(n), np.zeros(n), 0

    def heavy(self, g):
        self.m *= 0.9
        self.m += np.exp(np.sin(self.v)) * 2
        self.v[self.m > 1] = 0
        return np.sqrt(np.exp(g) + 1)

    def light(self, g):
        self.t += 1
        self.m -= 2 * self.m[::-1]
        self.v -= self.v.mean() / 4
        self.m[self.v <= 0] = 0
        self.v += np.clip(g, 0, 1)
        return self.t


def by_turns(a, b, rounds):
    a, b = a.copy(), b.copy()
    for _ in range(rounds):
        for src, dst in ((a, b), (b, a)):
            dst[1:-1] = (src[1:-1] + src[:-2] + src[2:]) / 3.0
    return a


def run(g):
    one = Adam(len(g))
    results = [one.light(g), one.heavy(g), one.light(g), by_turns(g, g * 2, 3)]
    return results, one.m, one.v
"""


def test_light_formulas_of_ndarrays_stay_and_heavy_ones_do_not() -> None:
    new = rewrite(HELD, slow="keep").new_text
    assert new is not None
    for part in (
        "self.m += rt.host(tnp.exp(tnp.sin(self.v)) * 2)",
        "self.v[self.m > 1] = 0",
        "return tnp.sqrt(tnp.exp(g) + 1)",
    ):
        assert part in new.partition("# NumPy originals")[0]


def test_what_brings_arrays_as_often_as_it_works_on_them_stays() -> None:
    report = rewrite(HELD, slow="keep")
    assert report.new_text is not None
    assert "\n    def light(self, g):\n        self.t += 1\n        self.m -= 2 * self.m[::-1]\n" in report.new_text
    (told,) = (it for it in report.findings if it.decides and it.region == "Adam.light")
    assert told.code == "TNP707"
    assert told.left == "little"
    assert "do less with them there than that takes" in told.message
    (told,) = (it for it in report.findings if it.decides and it.region == "by_turns")
    assert told.code == "TNP707"


def test_slow_convert_brings_them_all() -> None:
    new = rewrite(HELD, slow="convert").new_text
    assert new is not None
    assert "self.m -= rt.host(2 * " in new


@pytest.mark.parametrize("slow", ["keep", "convert"])
def test_formulas_that_stay_give_the_same(slow: str) -> None:
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    exec(HELD, old)
    text = rewrite(HELD, slow=slow).new_text
    assert text is not None
    exec(text, new)
    g = np.linspace(-2, 2, 7)
    for one, other in zip(old["run"](g), new["run"](g), strict=True):
        for left, right in zip(one, other, strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-14, strict=True)


def test_steps_of_what_likely_is_a_number_are_no_work_on_arrays() -> None:
    text = (
        "import numpy as np\nimport scipy.ndimage\n\n\ndef mean(arr, size=5):\n    arr = np.array(arr, dtype=float)\n"
    )
    text += "    if not size % 2:\n        size += 1\n    return scipy.ndimage.generic_filter({}, np.mean, size=size)\n"
    assert rewrite(text.format("arr"), slow="keep").new_text is None
    assert rewrite(text.format("np.exp(np.sin(arr))"), slow="keep").new_text is not None


MIXED = """
import numpy as np


def mixed(x, n, tell):
    y = np.exp(x) + np.sin(x)
    tell([np.array(y[0]), y.sum()])
    tell((y.max(), np.asarray(1.5)))
    tell({"sum": y.sum(), "first": np.array(y[0]), "rest": [y.min(), np.array(y[1])]})
    tell(y.sum() if n > 2 else np.array(y[0]))
    tell([y, y])
    return y
"""


@pytest.mark.parametrize("n", [1, 3])
def test_arrays_without_axes_stay_such_beside_scalars(n: int) -> None:
    text = rewrite(MIXED).new_text or ""
    assert "@rt.migrated" in text
    told: list[list[Any]] = []
    for source in (MIXED, text):
        space: dict[str, Any] = {"__name__": f"mixed{len(told)}"}
        exec(source, space)
        kinds: list[Any] = []

        def tell(it: Any, kinds: list[Any] = kinds) -> None:
            items = it.values() if type(it) is dict else it if type(it) in (list, tuple) else [it]
            kinds.append([type(part) if type(part) is not list else list(map(type, part)) for part in items])
            kinds.append(type(it) is list and it[0] is it[-1])

        space["mixed"](np.linspace(0, 1, 5), n, tell)
        told.append(kinds)
    assert told[0] == told[1]


OF_UNKNOWN = """
import numpy as np


def midpoint(slope, x, dt):
    first = slope(x)
    second = slope(x + 0.5 * dt * first)
    return np.tanh(x) + dt / 6 * (first + 2 * second)


class Layer:
    def __init__(self, weights, offset):
        self.weights = weights
        self.offset = np.zeros(offset)

    def forward(self, x):
        self.x = x
        return x @ self.weights + self.offset


def fitted(residuals, jacobian, x):
    r, J = residuals(x), jacobian(x)
    return np.linalg.solve(J.T @ J, J.T @ r)
"""


def test_a_formula_of_what_nobody_knows_stays_as_it_was_written() -> None:
    new = rewrite(OF_UNKNOWN, slow="keep", on_unverified="numpy").new_text
    assert new is not None
    assert "(first + 2 * second)" in new
    assert "tnp.matmul(x, self.weights) + self.offset" in new  # a product of matrices is work for a device
    assert "rt.op_matmul(J.T, J)" in new


class Dual:
    """A number with its derivative: its operators must get NumPy's arrays."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __mul__(self, other: Any) -> Any:
        return Dual(self.value * getattr(other, "value", other))

    __rmul__ = __mul__
    __array_ufunc__ = None

    def __add__(self, other: Any) -> Any:
        return Dual(self.value + getattr(other, "value", other))

    __radd__ = __add__


SLOPES: list[Any] = [
    lambda x: -getattr(x, "value", x),
    lambda x: 2.0,
    lambda x: np.float32(0.5),
    lambda x: 1 + 2j,
    lambda x: Dual(getattr(x, "value", x)),
]


@pytest.mark.parametrize("slope", SLOPES)
def test_such_a_formula_gives_what_numpy_gives(slope: Any) -> None:
    found = []
    for source in (OF_UNKNOWN, rewrite(OF_UNKNOWN, slow="keep", on_unverified="numpy").new_text or ""):
        space: dict[str, Any] = {"__name__": "unknown"}
        exec(source, space)
        for x in (np.array([1.0, 2.0]), np.array([1.0, 2.0], np.float32)):
            result = space["midpoint"](slope, x, 0.1)
            found.append((type(result), getattr(result, "value", result)))
    for (kind, before), (other, after) in zip(found[:2], found[2:], strict=True):
        assert kind is other
        np.testing.assert_allclose(before, after, rtol=1e-6 if before.dtype == np.float32 else 1e-14, strict=True)


OF_NUMBERS = """
import numpy as np


def scaled(x, shift=0.5):
    width = np.sqrt(2 * np.pi) * np.float32(0.5)
    return np.sqrt(2.0) * np.exp(x) / np.sqrt(len(x)) + np.log1p(3) * x - np.cos(shift) * width
"""


def test_functions_of_numbers_stay_numpys() -> None:
    new = rewrite(OF_NUMBERS, slow="keep", on_unverified="numpy").new_text
    assert new is not None
    assert "return np.sqrt(2.0) * tnp.exp(x) / np.sqrt(len(x)) + np.log1p(3) * x" in new


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "c8", "f2", "?"])
def test_what_they_give_is_as_strong_as_numpys(dtype: str) -> None:
    old: dict[str, Any] = {}
    new: dict[str, Any] = {"__name__": "numbers"}
    exec(OF_NUMBERS, old)
    exec(rewrite(OF_NUMBERS, slow="keep", on_unverified="numpy").new_text or "", new)
    x = np.array([1, 0, 2]).astype(dtype)
    np.testing.assert_allclose(new["scaled"](x), old["scaled"](x), rtol=1e-6, strict=True)


KEYS = """
import numpy as np


def totals(x, **scales):
    found = {"mean": np.exp(x).mean(), "std": np.sin(x)}
    for name in found:
        print(name, np.round(np.max(found[name] * scales[name]), 6))
    return {key: np.sqrt(scales[key]) for key in scales if key in found}
"""


def test_keys_of_a_dict_are_no_arrays(capsys: Any) -> None:
    text = rewrite(KEYS, slow="convert", on_unverified="numpy").new_text or ""
    assert "print(name, " in text
    assert "for key in scales if key in found}" in text
    assert "rt.host(key)" not in text
    found = []
    for source in (KEYS, text):
        space: dict[str, Any] = {"__name__": "keys"}
        exec(source, space)
        found.append(space["totals"](np.linspace(0, 1, 5), mean=np.ones(5), std=2.0, other=None))
    assert list(found[0]) == list(found[1]) == ["mean", "std"]
    for key, value in found[0].items():
        np.testing.assert_allclose(found[1][key], value, strict=True)
    first, second, third, fourth = capsys.readouterr().out.splitlines()
    assert [first, second] == [third, fourth]


DIAGONALS = """
import numpy as np


def jacobi(n):
    alpha = np.diag([1.0 / np.sqrt((2 * k + 5) * (2 * k + 3)) for k in range(n)], k=1)
    alpha += alpha.transpose()
    return np.linalg.eigvalsh(alpha)
"""


def test_a_matrix_of_a_list_of_numbers_can_be_written() -> None:
    text = rewrite(DIAGONALS, slow="keep", on_unverified="numpy").new_text or ""
    assert "@rt.migrated" in text
    found = []
    for source in (DIAGONALS, text):
        space: dict[str, Any] = {"__name__": "diagonals"}
        exec(source, space)
        found.append(space["jacobi"](6))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-12, strict=True)  # one of them is 0


ORDERS = """
import numpy as np


def strides_of(a):
    y = np.array(a)
    return y.strides


def order(x):
    b = np.exp(x) * 2
    return strides_of(b.T), np.sum(b)
"""


def test_a_copy_lies_as_what_it_was_made_of() -> None:
    found = []
    for source in (ORDERS, rewrite(ORDERS, slow="keep", on_unverified="numpy").new_text or ORDERS):
        space: dict[str, Any] = {"__name__": "orders"}
        exec(source, space)
        found.append(space["order"](np.ones((2, 3)))[0])
    assert found[0] == found[1] == (8, 24)


SIZES = """
import numpy as np
from scipy import stats


def draws(n, scale):
    t = stats.expon.rvs(scale=scale, size=n, random_state=3)
    return np.ones(n) * np.exp(-t), f"{n}"


def names(n, items):
    told = [str(n) for n in items]
    return np.ones(n), told, f"{n}"
"""


def test_what_the_door_lets_in_as_sizes_is_not_brought_to_the_host() -> None:
    pytest.importorskip("scipy")
    text = analyze(Source("sizes.py", SIZES), Config(rewrite=True, above=0)).new_text or ""
    assert "size=n, random_state=3)" in text.partition("# NumPy originals")[0]
    spaces: list[dict[str, Any]] = [{"__name__": "sizes_before"}, {"__name__": "sizes"}]
    exec(SIZES, spaces[0])
    exec(text, spaces[1])
    for n in (3, np.int64(3), (2, 3)):
        (old, said), (new, told) = (space["draws"](n, 2.0) for space in spaces)
        np.testing.assert_allclose(new, old, rtol=1e-14)
        assert said == told
    old, new = (space["names"](2, [3, "a"]) for space in spaces)
    assert old[1:] == new[1:]


# --- what is worth bringing

NOT_WORTH = {
    "a check of what an object holds": """
class Fit:
    def has_result(self):
        return True if not np.all(np.isnan(self.params)) else False
""",
    "a driver that checks, and keeps arrays of the host": """
def level(x):
    return np.log(x) * np.sqrt(x)


class Fit:
    def run(self):
        if np.any(np.isinf(self.power)):
            raise ValueError("infinite")
        self.level = level(self.power)
""",
    "a list that is read from a file": """
class Log:
    def column(self, key):
        return np.stack(self.rows[key])
""",
    "one operation for an array that is handed out": """
def f(x, model):
    accepted = np.abs(x) < 1.5
    return model.update(accepted), accepted
""",
    "factors that NumPy's own makes": """
def axes(x):
    values, vectors = np.linalg.eigh(x.T - x.mean())
    return values[::-1], vectors[:, ::-1]
""",
    "a shape": """
def check(x, y):
    x = np.asarray(x)
    if x.shape[0] != len(y):
        raise ValueError("lengths differ")
""",
    "numbers of objects": """
class Line:
    def length(self):
        a = np.array((self.x1, self.y1), dtype=float)
        b = np.array((self.x2, self.y2), dtype=float)
        return np.sum(np.abs(a - b))
""",
    "numbers of a file": """
class Charges:
    def read(self, atoms):
        found = []
        with open(self.path) as stream:
            for line in stream.readlines():
                for word in line.split():
                    found.append(float(word) / 18.2)
        return np.array(found)
""",
    "what a callable of the host gave": """
from scipy.special import betaincinv


class Root:
    def ppf(self, y):
        return np.sqrt(betaincinv(self.m, self.n, y))
""",
    "arrays of objects alone": """
class Region:
    def size(self):
        return np.sum(np.equal(self.mask, self.index))
""",
    "single numbers, as the docstring says": """
def density(t, n, tail="both"):
    '''Density.

    Parameters
    ----------
    t : float
        Place.
    n : int or float
        Degrees of freedom.
    tail : {'both', 'left'}
        Which.
    '''
    return np.exp(-t * t / n) * np.sqrt(n) * np.log(1 + n)
""",
    "a figure": """
import matplotlib.pyplot as plt


def level(x):
    return np.log(x) * np.sqrt(x)


def figure(n=100):
    x = np.linspace(0, 1, n)
    y = level(x * 2 + np.sin(x))
    plt.plot(x, y, label="%.3f" % y.max())
    plt.show()
""",
    "what a loop gets, turned round": """
import scipy.signal


def filtered(kernel, signal):
    return scipy.signal.fftconvolve(np.flipud(kernel), signal)


def bank(kernels, signal):
    return [filtered(kernel, signal) for kernel in kernels]
""",
    "columns of a table": """
def standard(data, column):
    '''Standardised.

    Parameters
    ----------
    data : pandas.DataFrame
        Table.
    column : str
        Name.
    '''
    x = np.asarray(data[column])
    centred = np.exp(x - np.mean(x)) / np.std(x)
    return data.assign(scaled=centred * np.tanh(centred) + np.sin(x) * np.cos(x))
""",
}

WORTH = {
    "a check of what it is given": """
def check(x):
    if np.any(x < 0):
        raise ValueError("negative")
""",
    "what an object holds beside what it is given": """
class Scaler:
    def transform(self, x):
        return np.abs(self.mean + x)
""",
    "parameters that a check gets as they come": """
def f(x, w, check):
    check(x, w)
    return np.exp(x) * np.array(w)
""",
    "a driver that hands on what it gets, and prints": """
def level(x):
    return np.log(x) * np.sqrt(x)


def report(n=100):
    y = level(level(np.linspace(1, 2, n)))
    print(np.mean(y))
""",
    "a loop over time, printed at its end": """
def report(n=100):
    u = np.ones(n)
    for _ in range(n):
        u = u + 0.1 * np.sin(u)
    print(u.max())
""",
    "singular values, which a device computes": """
def condition(x):
    s = np.linalg.svd(np.exp(x), compute_uv=False)
    return s / s[-1]
""",
    "a parameter that a check gets before its name is bound anew": """
def f(x, check):
    check(x)
    x = np.abs(x) + x
    return x
""",
    "a function that calls itself": """
def poly(c, t):
    if c.size == 1:
        return c[0] * np.ones_like(t)
    return c[0] + t * poly(c[1:], t)
""",
}


@pytest.mark.parametrize("text", NOT_WORTH.values(), ids=NOT_WORTH)
def test_what_is_not_worth_its_way_to_the_device_stays(text: str) -> None:
    report = analyze(Source("m.py", f"import numpy as np\n\n{text}"), Config(rewrite=True))
    told = [finding for finding in report.findings if finding.decides]
    assert [finding.code for finding in told] == ["TNP707"]
    assert [finding.left for finding in told] == ["little"]


def test_what_numpy_makes_of_a_shape_is_a_number_that_stays() -> None:
    text = (
        "import numpy as np\n\n\ndef f(x):\n    n = np.prod(x.shape) + np.max([len(x), 2])\n    return np.exp(x) / n\n"
    )
    new = analyze(Source("m.py", text), Config(rewrite=True)).new_text
    assert new is not None
    assert "    n = np.prod(rt.shape(x)) + np.max([len(x), 2])\n    return tnp.exp(x) / n\n" in new
    graph = analyze(Source("m.py", text), Config(rewrite=True, compile="graph")).new_text
    assert graph is not None
    assert "tnp.prod(rt.shape(x))" in graph.partition("# NumPy originals")[0]


@pytest.mark.parametrize("text", WORTH.values(), ids=WORTH)
def test_what_may_be_worth_it_migrates(text: str) -> None:
    report = analyze(Source("m.py", f"import numpy as np\n\n{text}"), Config(rewrite=True))
    assert not [finding for finding in report.findings if finding.decides]
    assert report.new_text is not None


def test_a_class_of_numpys_functions_is_left_to_it() -> None:
    names = "exp log sin cos tan sqrt abs tanh".split()
    text = "import numpy as np\n\n\nclass NumpyBackend:\n"
    text += "".join(f"    def {name}(self, x):\n        return np.{name}(x)\n\n" for name in names)
    text += "    def softmax(self, x):\n        e = np.exp(x - np.max(x))\n        return e / np.sum(e)\n"
    report = analyze(Source("m.py", text), Config(rewrite=True))
    assert report.new_text is None
    told = {finding.message for finding in report.findings if finding.decides}
    assert [message.partition(":")[0] for message in told] == [
        "its class offers NumPy's functions by their names, for code that chooses among libraries"
    ]
    assert analyze(Source("m.py", text.replace("def sqrt", "def root")), Config(rewrite=True)).new_text is not None


ASKED = """
import numpy as np
from scipy.sparse import issparse


def f(x, w=None):
    if issparse(x):
        x = x.toarray()
    y = np.exp(np.sin(x)) * 2 + np.cos(x)
    if isinstance(w, (list, tuple)):
        w = w[0]
    if isinstance(x, np.ndarray) and not isinstance(y, str):
        y = y * w
    return y * np.tanh(y), isinstance(y, dict)
"""


def test_whether_it_is_a_list_is_asked_where_it_lives() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    text = analyze(Source("asked.py", ASKED), Config(rewrite=True, above=0)).new_text or ""
    body = text.partition("# NumPy originals")[0]
    assert "issparse(x)" in body
    assert "isinstance(w, (list, tuple))" in body
    assert "isinstance(y, str)" in body
    spaces: list[dict[str, Any]] = [{"__name__": "asked_before"}, {"__name__": "asked"}]
    exec(ASKED, spaces[0])
    exec(text, spaces[1])
    x = np.linspace(0, 1, 4)
    for given in (x, sparse.csr_matrix(np.eye(2)), 0.5, x.astype(np.float32)):
        for w in (2.0, np.ones(1), [3.0], (np.float64(1),)):
            (old, one), (new, other) = (space["f"](given, w) for space in spaces)
            np.testing.assert_allclose(new, old, rtol=1e-6)
            assert (type(new), one) == (type(old), other)
