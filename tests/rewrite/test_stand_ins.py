"""Functions of TensorFlow under other names, and tnp's that give a list where NumPy gives a tuple."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from np2tnp.config import Config  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402

FUNCTIONS = """
import numpy as np


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def above(m):
    rows, columns = np.nonzero(m > 1)
    return rows, np.nonzero(m > 1)[1], np.nonzero(m > 1)


def grid(n):
    t = np.linspace(0, 1, n)
    x, y = np.meshgrid(t, t)
    return np.sqrt(x * x + y * y), np.meshgrid(t, t)


def converted(x):
    return x.astype(np.float32), (x > 0).astype(int), x.astype(int), x.astype(np.uint8)


def power(signal):
    return np.fft.fftshift(np.fft.rfft(signal))


def turned(phase):
    z = np.exp(2j * np.pi * phase.astype(float))
    return np.fft.ifft(np.fft.fft(z) * 0.5)


def volume(q):
    if not np.array_equal(q, q.T):
        return -np.linalg.det(q)
    return np.array_equal(q, 1)


def circle(x):
    return np.sqrt(np.pi * x) * np.e


def blocks(x, m):
    n = len(x) // 2
    return np.arange(n), np.zeros((n, m.shape[1])), np.outer(x[1:], m[0, :]), np.max(x[n:] ** 2)


def compared(s):
    return np.sum(s == np.roll(s, 1)), np.where(s != s.T), np.where(s > 0)[0], np.dot(s, s[0])


def descend(gradient, x, rate, steps):
    for _ in range(steps):
        x = x - rate * slope(gradient, x) / np.linalg.norm(x)
    return x


def slope(gradient, x):
    return gradient(x)


def lorenz(t, state, sigma=10.0, rho=28.0, beta=8 / 3):
    x, y, z = state
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


def gates(cell, x):
    return np.tanh(cell.inputs.v @ x + 2 * cell.bias), cell.inputs.v.sum()


class Grid:
    def __init__(self, rows, columns, width):
        self.rows, self.columns, self.width = rows, columns, width

    def heights(self):
        return np.zeros((self.rows, self.columns)) + (np.arange(self.rows) * self.width)[:, None]


def heights(rows, columns, width):
    return Grid(rows, columns, width).heights()
"""
EXPECTED = {
    "unit": ["v / tf.norm(v, axis=-1, keepdims=True)"],
    "above": ["rows, columns = tnp.nonzero(m > 1)", "tnp.nonzero(m > 1)[1], tuple(tnp.nonzero(m > 1))"],
    "grid": ["x, y = tnp.meshgrid(t, t)", "tuple(tnp.meshgrid(t, t))"],
    "converted": [
        "tnp.array(x, np.float32), tnp.array(x > 0, np.int64), tnp.array(x, np.int64), tnp.array(x, np.uint8)"
    ],
    "power": ["tf.signal.fftshift(tf.signal.rfft(signal))"],
    "turned": ["tnp.exp(2j * np.pi * tnp.array(phase, np.float64))", "tf.signal.ifft(tf.signal.fft(z) * 0.5)"],
    "volume": ["if not tnp.array_equal(q, tnp.transpose(q)):", "-tf.linalg.det(q)", "tnp.array_equal(q, 1)"],
    "circle": ["tnp.sqrt(np.pi * x) * np.e"],
    "lorenz": ["tnp.stack([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])"],
    "compared": [
        "tnp.sum(s == tnp.roll(s, 1)), tuple(tnp.nonzero(s != tnp.transpose(s)))",
        "tnp.nonzero(s > 0)[0], tnp.dot(s, s[0])",
    ],
    "blocks": ["tnp.arange(n), tnp.zeros((n, m.shape[1])), tnp.outer(x[1:], m[0, :]), "],
}


def rewrite(mode: str) -> str:
    text = analyze(Source("stands.py", FUNCTIONS), Config(rewrite=True, above=0, compile=mode)).new_text
    assert text is not None
    return text


@pytest.fixture(scope="module")
def rewritten() -> str:
    return rewrite("none")


@pytest.fixture(scope="module", params=["none", "graph", "xla"])
def in_each_mode(request: pytest.FixtureRequest) -> str:
    return rewrite(request.param)


@pytest.mark.parametrize("name", EXPECTED)
def test_calls_become_what_stands_in(rewritten: str, name: str) -> None:
    body = rewritten.partition(f"\ndef {name}(")[2].partition("\n\n\n")[0]
    assert [line for line in EXPECTED[name] if line not in body] == []


def test_attributes_count(rewritten: str) -> None:
    assert 'counts="self.columns, self.rows"' in rewritten or 'counts="self.rows, self.columns"' in rewritten
    assert "tnp.zeros((self.rows, self.columns)) + (tnp.arange(self.rows) * self.width)[:, None]" in rewritten


def test_doors_ask_nothing_of_what_is_handed_on(rewritten: str) -> None:
    decorator = rewritten.partition("\ndef descend(")[0].rpartition("\n@")[2]
    assert "gradient" not in decorator


def test_doors_take_no_object_for_an_array(rewritten: str) -> None:
    decorator = rewritten.partition("\ndef gates(")[0].rpartition("\n@")[2]
    assert "cell.inputs" not in decorator
    assert "cell.bias" in decorator


OTHER_TUPLES = [
    "def tuple(x):\n    return 'mine'\n\n\ndef f(a):\n    return np.nonzero(np.sin(a))\n",
    "def f(a):\n    r = np.where(np.sin(a) > 0)\n    tuple = list\n    return r\n",
    "def f(a):\n    def g(tuple):\n        return np.nonzero(np.sin(a))\n    return g(list)\n",
    "from somewhere import *\n\n\ndef f(a):\n    return np.nonzero(np.sin(a))\n",
]


@pytest.mark.parametrize("code", OTHER_TUPLES)
def test_no_tuple_is_written_where_the_name_may_be_another(code: str) -> None:
    text = analyze(Source("stands.py", f"import numpy as np\n\n\n{code}"), Config(rewrite=True, above=0)).new_text
    assert text is None or "tuple(tnp" not in text
    if "somewhere" not in code:
        assert text is not None
        _require_equal(run(text)["f"](FLOATS), np.nonzero(np.sin(FLOATS) > 0 if "where" in code else np.sin(FLOATS)))


def test_integers_without_a_sign_are_compared_exactly() -> None:
    body = "np.asarray(a) == np.asarray(b), np.array_equal(a, b), a.T != b.T"
    code = f"import numpy as np\n\n\ndef f(a, b):\n    return {body}\n"
    text = analyze(Source("stands.py", code), Config(rewrite=True, above=0)).new_text
    assert text is not None
    given = np.array([2**63 - 1, 2**53 + 1]), np.array([2**63, 2**53], np.uint64)
    _require_equal(run(text)["f"](*given), run(code)["f"](*given))


def test_what_stands_in_is_compiled(caplog: pytest.LogCaptureFixture) -> None:
    found = run(rewrite("xla"))
    for name in ("unit", "power"):
        found[name](FLOATS)
    assert "eagerly" not in caplog.text


def run(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "stands"}
    exec(compile(text, "stands.py", "exec"), space)
    return space


RNG = np.random.default_rng(5)
FLOATS = RNG.normal(scale=2, size=(6, 6))
MAPPED: dict[str, list[tuple[Any, ...]]] = {
    "unit": [(FLOATS,), (FLOATS[0].astype(np.float32),), (np.zeros(3),)],
    "above": [(FLOATS,), (np.arange(12).reshape(3, 4),)],
    "grid": [(7,)],
    "converted": [(FLOATS * 100,), (np.array([1e300, -np.inf, np.nan, 2.5, -0.0]),), (np.arange(-300, 300),)],
    "power": [(FLOATS,), (FLOATS[0].astype(np.float32),), (FLOATS[0, :5],)],
    "turned": [(FLOATS,), (np.arange(8),)],
    "volume": [(FLOATS,), (FLOATS + FLOATS.T,), (np.array([[np.nan]]),), (np.full((2, 2), np.inf),)],
    "circle": [(np.abs(FLOATS),), (np.arange(5),)],
    "lorenz": [
        (0.0, FLOATS[0, :3]),
        (0.0, (1.0, 2.0, 3.0)),
        (0.0, np.arange(3), 10),
        (0.0, FLOATS[:3].astype(np.float32), np.float32(2)),
        (0.0, FLOATS[0, :3].astype(np.float32), np.float64(2)),
    ],
    "compared": [(FLOATS,), (np.arange(16).reshape(4, 4) % 3,), (np.arange(16).reshape(4, 4) % 3 == 0,)],
    "heights": [(3, 4, 0.5), (np.int64(3), 4, 0.5), (0, 4, 2)],
    "blocks": [(FLOATS[0], FLOATS), (np.arange(5), np.arange(6).reshape(2, 3))],
}


@pytest.mark.parametrize(("name", "given"), [(name, given) for name, rows in MAPPED.items() for given in rows])
def test_they_give_what_numpy_gives(in_each_mode: str, name: str, given: tuple[Any, ...]) -> None:
    original: Callable[..., Any] = run(FUNCTIONS)[name]
    migrated: Callable[..., Any] = run(in_each_mode)[name]
    with np.errstate(all="ignore"):
        _require_equal(migrated(*given), original(*given))


def _require_equal(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _require_equal(one, other)
    elif not isinstance(expected, bool):
        assert found.dtype == expected.dtype
        rough = 1e-12 if np.real(expected).dtype.itemsize > 4 else 1e-5
        np.testing.assert_allclose(found, expected, rtol=rough, atol=rough)
    else:
        assert found is expected


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("np.arange(stop=3)", "rt.arange(stop=3)"),  # tnp asks for the first one
        ("np.arange(0, 3)", "tnp.arange(0, 3)"),
        ("np.sum(x, 0, None, None, True)", "rt.sum(x, 0, None, None, True)"),  # the fourth one is keepdims there
        ("np.sum(x, 0, keepdims=True)", "tnp.sum(x, 0, keepdims=True)"),
        ("np.std(x, ddof=1)", "rt.std(x, ddof=1)"),
        ("np.reshape(x, shape=-1)", "rt.reshape(x, shape=-1)"),  # which tnp calls newshape
        ("x.reshape(2, -1)", "tnp.reshape(x, (2, -1))"),
        ("x.transpose(1, 0)", "tnp.transpose(x, (1, 0))"),
        ("x.clip(0, 1)", "tnp.clip(x, 0, 1)"),
        ("x.clip(max=1)", "rt.clip(x, max=1)"),
        ("np.abs(x)", "tnp.abs(x)"),
        ("np.around(x, 2)", "tnp.around(x, 2)"),
        ("np.take(x, [-1])", "rt.take(x, [-1])"),
        ("np.linalg.inv(x)", "rt.linalg.inv(x)"),
    ],
)
def test_what_tnp_can_say_has_tnp_s_name(call: str, written: str) -> None:
    text = f"import numpy as np\n\n\ndef f(x: np.ndarray):\n    return np.exp(x).sum() + {call}\n"
    new = analyze(Source("named.py", text), Config(rewrite=True)).new_text
    assert new is not None
    assert new.split("return ", 1)[1].split("\n")[0] == f"tnp.sum(tnp.exp(x)) + {written}"
