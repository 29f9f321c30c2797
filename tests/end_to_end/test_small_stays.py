"""By default calls with few elements run the original, bit by bit; larger ones run TensorFlow."""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from np2tnp import config
from np2tnp import runtime as rt
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.runtime.base import hardware
from np2tnp.runtime.boundary import costs, sizes

PROGRAMS = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "programs").glob("*.py"))[3::12]
pytestmark = pytest.mark.usefixtures("as_delivered")

TEXT = """
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def relax(field, steps=2):
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])
    return np.sum(field)


def total(parts):
    return sum(np.sum(part) for part in parts)


def both(x):
    return softmax(x) + np.ones(x.shape)


def halves(x, depth):
    if depth == 0:
        return np.tanh(x)
    return halves(x, depth - 1) * 0.5


def rows(x):
    for row in x:
        yield np.exp(np.sin(row))


def decay(t):
    return np.exp(-t) * 3.0


class Layer:
    def __init__(self, w):
        self.w = w

    def forward(self, x):
        return np.tanh(np.sum(self.w) + x)

    @property
    def norm(self):
        return np.sqrt(np.sum(np.abs(self.w) * np.abs(self.w)))

    @classmethod
    def unit(cls, x):
        return x / np.sqrt(np.sum(x * x))

    @staticmethod
    def relu(x):
        return np.maximum(x, 0.0)
"""

SMALL, LARGE = np.linspace(-1.0, 1.0, 60), np.linspace(-1.0, 1.0, sizes.FEW)


def load(**options: Any) -> ModuleType:
    module = ModuleType("m")
    exec(analyze(Source("m.py", TEXT), Config(rewrite=True, **options)).new_text or "", vars(module))
    return module


def original() -> ModuleType:
    module = ModuleType("m")
    exec(TEXT, vars(module))
    return module


def parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


CALLS = {
    "softmax": lambda m, x: m.softmax(x),
    "in_place": lambda m, x: (x := x.copy(), m.relax(x), x)[1:],
    "keyword": lambda m, x: m.relax(x.copy(), steps=1),
    "in_lists": lambda m, x: m.total([x[:2], x]),
    "call": lambda m, x: m.both(x),
    "recursion": lambda m, x: m.halves(x, 3),
    "generator": lambda m, x: list(m.rows(x.reshape(1, -1))),
    "method": lambda m, x: m.Layer(np.ones(2)).forward(x),
    "attribute": lambda m, x: m.Layer(x).forward(2.0),
    "property": lambda m, x: m.Layer(x).norm,
    "classmethod": lambda m, x: m.Layer.unit(x),
    "staticmethod": lambda m, x: m.Layer.relu(x),
}
each = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


@each
def test_small_arrays_give_the_very_bits_without_tensorflow(call: Any) -> None:
    migrated = load()
    with rt.count_ops() as count:
        result = call(migrated, SMALL)
    assert count.total == 0
    for found, expected in zip(parts(result), parts(call(original(), SMALL)), strict=True):
        assert type(found) is type(expected)
        assert found.tobytes() == expected.tobytes()


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device to which the way is short, so that sizes decide alone."""
    monkeypatch.setattr(sizes, "figures", lambda: costs.Figures(launch=1e-9, up=1e15, down=1e15))


@each
def test_large_arrays_run_tensorflow(call: Any, near: None) -> None:
    migrated = load()
    with rt.count_ops() as count:
        result = call(migrated, LARGE)
    assert count.work > 0
    for found, expected in zip(parts(result), parts(call(original(), LARGE)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["attribute", "property", "classmethod", "staticmethod"])
def test_little_work_stays_with_numpy_at_any_size(name: str) -> None:
    migrated, large = load(), np.linspace(-1.0, 1.0, 2_000_000)
    with rt.count_ops() as count:
        result = CALLS[name](migrated, large)
    assert count.total == 0
    assert np.asarray(result).tobytes() == np.asarray(CALLS[name](original(), large)).tobytes()


@each
def test_without_a_gpu_all_stay_with_numpy(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware, "_found", False)
    migrated = load()
    with rt.count_ops() as count:
        result = call(migrated, LARGE)
    assert count.total == 0
    for found, expected in zip(parts(result), parts(call(original(), LARGE)), strict=True):
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "options", [{"slow": "convert"}, {"above": 100}, {"compile": "graph"}, {"device": "/CPU:0"}], ids=str
)
def test_without_a_gpu_tensorflow_works_where_somebody_says_so(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "_found", False)
    migrated = load(**options)
    with rt.count_ops() as count:
        migrated.softmax(LARGE)
    assert count.work > 0


def test_without_a_gpu_tensors_and_the_environment_mean_tensorflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware, "_found", False)
    with rt.count_ops() as count:
        load().Layer(rt.tensor(SMALL)).forward(1.0)
    assert count.work > 0
    monkeypatch.setenv("NP2TNP_ABOVE", str(sizes.FEW))
    with rt.count_ops() as count:
        load().softmax(LARGE)
    assert count.work > 0


def test_single_numbers_stay_with_numpy() -> None:
    with rt.count_ops() as count:
        result = load().decay(0.25)
    assert (count.total, result, type(result)) == (0, np.exp(-0.25) * 3.0, np.float64)


@pytest.mark.parametrize("options", [{"slow": "convert"}, {"above": 0}], ids=str)
def test_all_array_work_can_be_tensorflows(options: dict[str, Any]) -> None:
    migrated = load(**options)
    with rt.count_ops() as count:
        migrated.softmax(SMALL)
    assert count.work > 0


def test_a_number_takes_the_place_of_the_default() -> None:
    migrated = load(above=50)
    for size, works in ((49, False), (50, True)):
        with rt.count_ops() as count:
            migrated.softmax(SMALL[:size])
        assert (count.work > 0) is works


def test_tensors_stay_tensors() -> None:
    migrated = load()
    assert rt.host(migrated.softmax.core(rt.tensor(SMALL))).shape == SMALL.shape
    with rt.count_ops() as count:
        migrated.Layer(rt.tensor(SMALL)).forward(1.0)
    assert count.work > 0


def test_the_default_is_not_in_the_text() -> None:
    assert "above=" not in (analyze(Source("m.py", TEXT), Config(rewrite=True)).new_text or "above")

    def on_one_line(**options) -> str:
        text = analyze(Source("m.py", TEXT), Config(rewrite=True, slow="convert", **options)).new_text or ""
        return " ".join(text.replace(",\n)", ")").split())

    assert '@rt.original("softmax", above=0, compile="auto") def _' in on_one_line()
    for options in ({"compile": "xla"}, {"float32": True}, {"on_unverified": "raise"}):
        text = on_one_line(**options)
        assert "def softmax" in text, options
        assert '@rt.original("softmax", above=0' not in text, options


def test_the_two_places_of_the_number_agree() -> None:
    assert (sizes.FEW, sizes.NEVER) == (config.FEW, config.NEVER)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(n):\n    return np.zeros((n, 3)) + 1.0\n", "lambda n: 3 * n"),
        ("def f(n, m=2):\n    return np.ones((n, m)) * np.zeros(n)[:, None]\n", "lambda n, m: m * n"),
        ("def f(w, h):\n    a = np.linspace(0, 1, w)\n    return a[:, None] + np.arange(h)\n", "lambda w, h: h * w"),
        ("def f(n):\n    k = n // 2\n    return np.full(k + 1, 2.0)\n", "lambda n: n // 2 + 1"),
        ("def f(n):\n    return np.eye(n) * 2.0\n", "lambda n: n * n"),
        ("def f(shape):\n    return np.zeros(shape) + 1.0\n", "lambda shape: shape"),
        ("def f(n):\n    rng = np.random.default_rng(0)\n    return np.exp(rng.normal(size=n))\n", "lambda n: n"),
        ("def f():\n    return np.zeros((1000, 1000)) + 1.0\n", "1000000"),
        ("def f():\n    return np.zeros((10, 1000)) + 1.0\n", ""),
        ("def f(x, n):\n    return np.sum(x) * np.ones(n)\n", ""),  # what is known of x says more
        ("def f(n):\n    n = g(n)\n    return np.zeros(n) + 1.0\n", ""),
        (  # one number a step
            "def f(n):\n    x = np.ones(n)\n    for i in range(n):\n        x[i:] += np.sin(x[i])\n    return x\n",
            "",
        ),
    ],
)
def test_the_decorator_says_how_much_a_function_makes(text: str, said: str) -> None:
    report = analyze(Source("m.py", "import numpy as np\n\n\n" + text), Config(rewrite=True))
    assert report.new_text is not None
    assert said_of(report.new_text, "elements") == said


def said_of(text: str, keyword: str) -> str:
    """What the decorators of `f` and of its original say under a keyword."""
    functions = [it for it in ast.parse(text).body if isinstance(it, ast.FunctionDef) and it.name in ("f", "_")]
    decorators = [it for function in functions for it in function.decorator_list if isinstance(it, ast.Call)]
    assert decorators
    return "".join(ast.unparse(it.value) for call in decorators for it in call.keywords if it.arg == keyword)


def test_what_a_function_makes_decides(near: None) -> None:
    text = "import numpy as np\n\n\ndef f(n):\n    return np.sum(np.exp(np.zeros((n, 100))))\n"
    module = ModuleType("m")
    exec(analyze(Source("m.py", text), Config(rewrite=True)).new_text or "", vars(module))
    for n, works in ((sizes.FEW // 100 - 1, False), (sizes.FEW // 100, True)):
        with rt.count_ops() as count:
            assert module.f(n) == 100 * n
        assert (count.work > 0) is works


def test_element_loops_that_became_whole_array_operations_pay_earlier() -> None:
    text = (
        "import numpy as np\n\n\ndef f(x):\n    y = np.zeros(len(x))\n    for i in range(len(x)):\n"
        "        y[i] = x[i] * 2.0\n    return y\n"
    )
    new = analyze(Source("m.py", text), Config(rewrite=True)).new_text or ""
    assert said_of(new, "above") == "10000"
    assert "above" not in (
        analyze(Source("m.py", text), Config(rewrite=True, on_unverified="raise")).new_text or "above"
    )


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_examples_of_programs_stay_with_numpy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tens of elements each: benchmarks/kept_programs.py measures that none is slower; here, why it is not."""
    text = path.read_text(encoding="utf-8")
    module = ModuleType(path.stem)
    monkeypatch.setitem(sys.modules, path.stem, module)  # where dataclasses look for what annotations name
    report = analyze(Source(path.name, text), Config(rewrite=True))
    exec(report.new_text or text, vars(module))
    names = {name for name, *_ in module.EXAMPLES}
    little = {it.qualname for it in report.regions if any(why.startswith("TNP707") for why in it.reasons)}
    migrated = len(names & little)
    for name, build, *rest in module.EXAMPLES:
        arguments = build(np, np.random.default_rng(0))
        migrated += hasattr(vars(module)[name], "core")
        with rt.count_ops() as count, contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.suppress(Exception):  # what the original raises
                vars(module)[name](*arguments, **(rest[0] if rest else {}))
        assert count.total == 0, name
    assert migrated


BY_ROWS = """
import numpy as np


def krige(weights, distances, mask):
    found = np.zeros(distances.shape[0])
    for j in np.nonzero(~mask)[0]:
        row = np.exp(-distances[j])
        found[j] = np.sum(np.dot(weights, row))
    return found


def frames(images, kernel):
    return np.array([np.sum(np.exp(image) * kernel) for image in images])


def pairs(x, y):
    return [np.dot(u, v) for k, (u, v) in enumerate(zip(x, y)) if k < len(x)]


def batches(x, chosen):
    return [np.sum(np.exp(x[rows])) for rows in chosen]


def windows(x, n: int):
    return [np.sum(np.exp(x[k : k + 10])) for k in range(n)]


def shares(x):
    found = np.zeros(len(x))
    for k in range(len(x)):
        found[k] = np.sum(np.exp(x[k]))
    return found / np.sum(x)


def squares(x, n: int):
    y = np.zeros(n)
    for k in range(n):
        y[k] = x[k] * x[k]
    return y
"""


def test_arrays_that_loops_take_row_by_row_count_for_a_row() -> None:
    text = analyze(Source("rows.py", BY_ROWS), Config(rewrite=True, on_unverified="numpy")).new_text
    assert text is not None
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == "_":
            (call,) = node.decorator_list
            assert isinstance(call, ast.Call)
            said = {it.arg: ast.unparse(it.value) for it in call.keywords}
            found[ast.literal_eval(call.args[0])] = said.get("rows")
    assert found == {
        "krige": "'distances'",
        "frames": "'images'",
        "pairs": "'x, y'",
        "batches": "'x, chosen'",  # of the rows of x that a batch chooses there may be one
        "shares": "'x'",  # taken as a whole, too, but once
        "squares": None,  # one operation on whole arrays
    }
    module: dict[str, Any] = {}
    exec(text, module)
    expected: dict[str, Any] = {}
    exec(BY_ROWS, expected)
    x = np.linspace(0, 1, 12).reshape(4, 3)
    given = (np.eye(3), x, np.array([False, True, False, False]))
    np.testing.assert_array_equal(module["krige"](*given), expected["krige"](*given), strict=True)
