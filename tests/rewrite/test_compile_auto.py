"""``--compile auto``: what migrates by default, compiled where the runtime finds that worth it, else eager."""

from __future__ import annotations

import logging
import re
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.runtime.base import hardware
from np2tnp.runtime.compile import compiled
from np2tnp.runtime.compile.compiled import MOST_TRACES, RUNS

CONFIG = Config(rewrite=True, compile="auto")
FUNCTIONS = """
import numpy as np


def softmax(z):
    z = z - z.max(axis=1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=1, keepdims=True)


def relax(field, steps):
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])
    return field.sum()


def shown(x):
    print("shown", len(x))
    return np.exp(x).sum()


def chosen(x):
    y = np.sqrt(x)
    if y.sum() > 3:
        return np.exp(-y)
    return y


def filtered(x):
    y = np.zeros(x.shape[0])
    for i in range(1, x.shape[0]):
        y[i] = 0.5 * y[i - 1] + x[i]
    return y


def doubled(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = 2.0 * x[i] + np.sqrt(x[i])
    return y
"""


def texts() -> tuple[str, str]:
    """The rewritten text, and that of the default options."""
    auto, plain = (analyze(Source("program.py", FUNCTIONS), it) for it in (CONFIG, replace(CONFIG, compile="none")))
    states = [{region.qualname: region.state for region in report.regions} for report in (auto, plain)]
    assert states[0] == states[1]
    assert auto.new_text is not None
    assert plain.new_text is not None
    return auto.new_text, plain.new_text


def function(text: str, name: str) -> str:
    return next(part for part in text.split("\n\n\n") if re.search(rf"^def {name}\(", part, re.M))


def test_it_migrates_what_the_default_migrates() -> None:
    auto, plain = texts()
    assert function(auto, "softmax").replace(', compile="auto"', "") == function(plain, "softmax")
    assert 'compile="auto"' in function(auto, "softmax")
    assert "rt.fori_loop(0, steps, loop_body, field)" in function(auto, "relax")
    for name in ("shown", "filtered", "doubled"):
        assert function(auto, name) == function(plain, name)
    assert 'rt.original("softmax", work=8)' in auto  # the size test counts work, as it does without


def test_what_cannot_be_compiled_is_told_with_its_place() -> None:
    report = analyze(Source("program.py", FUNCTIONS), CONFIG)
    (finding,) = [it for it in report.findings if it.code == "TNP409"]
    assert (finding.region, FUNCTIONS.splitlines()[finding.span.line - 1].strip()) == (
        "shown",
        'print("shown", len(x))',
    )


@pytest.fixture
def module(tmp_path: Path) -> Callable[[], Any]:
    RUNS.clear()
    path = tmp_path / "program.py"
    path.write_text(texts()[0])

    def made() -> Any:
        found: Any = types.ModuleType("program")
        exec(compile(path.read_text(), str(path), "exec"), vars(found))
        return found

    return made


ORIGINAL: dict[str, Any] = {}
exec(compile(FUNCTIONS, "original.py", "exec"), ORIGINAL)
LARGE, SMALL = np.linspace(0.1, 1.0, 200).reshape(4, 50), np.linspace(0.1, 1.0, 12).reshape(3, 4)


def agree(program: Any, name: str, *args: Any) -> None:
    np.testing.assert_allclose(getattr(program, name)(*args), ORIGINAL[name](*args), rtol=1e-12)


@pytest.mark.parametrize(
    ("above", "asked", "runs"),
    [
        ("", "1", {}),  # the size test comes first: on a CPU every call is the original's
        ("0", "0", {}),
        ("0", "1", {"compiled": 2}),
        ("100", "1", {"compiled": 1}),
    ],
)
def test_the_size_test_decides_before_the_compiler(
    monkeypatch: pytest.MonkeyPatch, module: Callable[[], Any], above: str, asked: str, runs: dict[str, int]
) -> None:
    if not above and hardware.has_gpu():
        pytest.skip("a GPU")
    monkeypatch.setenv("NP2TNP_ABOVE", above)
    monkeypatch.setenv("NP2TNP_COMPILE", asked)
    program = module()
    agree(program, "softmax", LARGE)
    agree(program, "softmax", SMALL)
    assert runs == RUNS


def test_without_a_gpu_it_runs_eagerly(monkeypatch: pytest.MonkeyPatch, module: Callable[[], Any]) -> None:
    if hardware.has_gpu():
        pytest.skip("a GPU")
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    monkeypatch.delenv("NP2TNP_COMPILE", raising=False)
    program = module()
    for name in ("softmax", "chosen"):
        agree(program, name, LARGE)
    fields = LARGE[0].copy(), LARGE[0].copy()
    assert program.relax(fields[0], 9) == pytest.approx(ORIGINAL["relax"](fields[1], 9), rel=1e-12)
    np.testing.assert_allclose(*fields)
    assert not RUNS


@pytest.mark.parametrize(
    ("asked", "when"), [("", "never"), ("0", "never"), ("1", "always"), ("hot", "hot"), ("yes", "never")]
)
def test_a_function_that_works_on_a_cpu_is_compiled_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, asked: str, when: str
) -> None:
    monkeypatch.setenv("NP2TNP_COMPILE", asked)
    assert hardware.when_compiled("/CPU:0") == when


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    monkeypatch.setenv("NP2TNP_COMPILE", "1")


@pytest.mark.usefixtures("on")
def test_a_trace_that_fails_leaves_the_call_eager_and_is_told_once_with_its_statement(
    module: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    program = module()
    with caplog.at_level(logging.WARNING, "np2tnp"):
        for x in (LARGE, SMALL, LARGE + 1):
            agree(program, "chosen", x)
    told = [record.getMessage() for record in caplog.records if "chosen" in record.getMessage()]
    assert len(told) == 1
    assert re.search(r", at program\.py:\d+: if tnp\.sum\(y\) > 3:$", told[0])
    assert RUNS == {"eager": 3}


@pytest.mark.usefixtures("on")
def test_arguments_that_the_door_refuses_and_too_many_shapes(
    module: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    program = module()
    agree(program, "softmax", SMALL.astype(np.float16))
    assert not RUNS
    with caplog.at_level(logging.WARNING, "np2tnp"):
        for rows in range(1, MOST_TRACES + 3):
            agree(program, "softmax", np.ones((rows, 2)))
    assert RUNS == {"compiled": MOST_TRACES, "eager": 2}
    assert sum("more than 8 combinations" in record.getMessage() for record in caplog.records) == 1


@pytest.mark.usefixtures("on")
def test_the_cost_of_a_first_call_is_told_once_a_process(
    monkeypatch: pytest.MonkeyPatch, module: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compiled, "_LONG", 0.0)
    monkeypatch.setattr(compiled, "_told_of_cost", False)
    program = module()
    with caplog.at_level(logging.WARNING, "np2tnp"):
        agree(program, "softmax", LARGE)
        agree(program, "softmax", SMALL)
        program.relax(LARGE[0].copy(), 3)
    assert [record.getMessage().partition(" took ")[0] for record in caplog.records] == ["softmax"]


def test_other_values_are_refused() -> None:
    with pytest.raises(ValueError, match="'auto'"):
        runtime.migrated(compile="always")(np.exp)


# --- The default: no word of the text is another one, and what may be traced as it is says so beside its original

HOT = """
import numpy as np
from elsewhere import other


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def relax(field, steps):
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])
    return field.sum()


def halves(x):
    first, second = np.split(x, 2)
    return (first + second) / len(x)


def settled(x):
    while np.max(np.abs(x)) > 0.1:
        x = 0.5 * x
    return x


def size(x):
    return float(np.sqrt(np.sum(x**2)))


def scaled(x):
    return np.exp(x) / size(x)


def driver(x):
    return softmax(np.sqrt(x))


def stranger(x):
    return other(np.sqrt(x))


class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def forward(self, x):
        return np.tanh(x @ self.w + self.b)

    def shown(self, x):
        return np.exp(x) + np.floor(self.w.item(0))
"""


def hot_text(compile_as: str = "hot") -> str:
    report = analyze(Source("program.py", HOT), Config(rewrite=True, compile=compile_as))
    assert report.new_text is not None
    return report.new_text


def marked() -> dict[str, str]:
    """The originals' lines, by the names of functions, which say that these may be compiled."""
    lines = re.findall(r'^ *@rt\.original\("([\w.]+)"(.*)\)$', hot_text(), re.M)
    return {name: words for name, words in lines if 'compile="auto"' in words}


def test_the_default_reads_as_without_compiling() -> None:
    lines = [line for line in hot_text().splitlines() if "@rt.original" not in line]
    assert lines == [line for line in hot_text("none").splitlines() if "@rt.original" not in line]
    assert 'compile="auto"' not in hot_text("none")


def test_what_a_trace_may_take_as_it_is_says_so() -> None:
    assert set(marked()) == {"softmax", "relax", "halves", "driver", "Layer.forward"}


def test_arrays_of_an_object_are_inputs_where_the_door_knows_them() -> None:
    assert marked()["Layer.forward"].startswith(', state="b, w"')


@pytest.mark.usefixtures("on")
def test_the_default_gives_numpys_values_as_a_graph_too(tmp_path: Path) -> None:
    text = hot_text().replace("from elsewhere import other\n", "other = None\n")
    original: dict[str, Any] = {}
    exec(compile(HOT.replace("from elsewhere import other\n", "other = None\n"), "original.py", "exec"), original)
    path = tmp_path / "hot.py"
    path.write_text(text)
    program: Any = types.ModuleType("hot")
    exec(compile(text, str(path), "exec"), vars(program))
    square = np.linspace(0.1, 1.0, 16).reshape(4, 4)
    for name in ("softmax", "halves", "driver", "scaled", "settled", "size"):
        RUNS.clear()
        np.testing.assert_allclose(getattr(program, name)(square), original[name](square), rtol=1e-12)
        ways = {"compiled": 1} if name in marked() else {}
        assert ways == RUNS
    RUNS.clear()
    layers = program.Layer(square, square[0]), original["Layer"](square, square[0])
    for _ in range(2):
        np.testing.assert_allclose(*[layer.forward(square) for layer in layers], rtol=1e-12)
        for layer in layers:
            layer.w = layer.w + 1.0
    fields = square.copy(), square.copy()
    assert program.relax(fields[0], 3) == pytest.approx(original["relax"](fields[1], 3), rel=1e-12)
    np.testing.assert_allclose(*fields)
    assert RUNS == {"compiled": 3}


@pytest.mark.parametrize("option", [{"float32": True}, {"device": "/CPU:0"}, {"on_unverified": "raise"}])
def test_it_is_not_written_where_another_way_was_asked_for(option: dict[str, Any]) -> None:
    report = analyze(Source("program.py", HOT), Config(rewrite=True, **option))
    assert report.new_text is not None
    assert "compile=" not in report.new_text
