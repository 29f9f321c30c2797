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


@pytest.mark.parametrize(("asked", "on_cpu"), [("", False), ("0", False), ("1", True), ("yes", False)])
def test_a_function_that_works_on_a_cpu_is_compiled_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, asked: str, on_cpu: bool
) -> None:
    monkeypatch.setenv("NP2TNP_COMPILE", asked)
    assert hardware.compiles("/CPU:0") is on_cpu


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
