"""`[tool.np2tnp.callees]`: what the user says of callables of other libraries is taken, where it makes sense."""

from __future__ import annotations

import json
import sys
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp.commands.show_config import schema
from np2tnp.config import ConfigError, load, validated
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import Callee, RegionState

TEXT = """
import numpy as np
import fast


def smoothed(x, passes):
    y = np.exp(np.sin(x))
    out = y.copy()
    area = fast.relax(y.ravel(), 3)
    fast.relax(y.ravel(), passes)
    return out.max() + np.sqrt(out) * area


def filled(x):
    y = np.zeros(len(x))
    fast.fill(x, y)
    return y + np.exp(x)


def same(x):
    y = np.sqrt(x)
    z = fast.view(y)
    z[0] = -1.0
    return y + z


def remembered(x):
    y = np.tanh(x)
    fast.remember(y)
    y[:] = 3.0
    fast.show()
    return y * 2
"""
SAID = {
    "fast.relax": "pure",
    "fast.show": "pure",
    "fast.fill": {"parameters": ["source", "out"], "changes": ["out"]},
    "fast.view": {"parameters": ["a"], "gives": ["a"]},
    "fast.remember": {"parameters": ["a"], "keeps": ["a"]},
}


def fast() -> types.ModuleType:
    """The library, which no analysis sees."""
    module: Any = types.ModuleType("fast")
    kept: list[np.ndarray] = []

    def fill(source: np.ndarray, out: np.ndarray) -> None:
        out[...] = source * 2

    def show() -> None:
        module.shown = [array.copy() for array in kept]

    module.relax, module.fill, module.show = (lambda a, b: a.sum() * b), fill, show
    module.view, module.remember = (lambda a: a), kept.append
    return module  # type: ignore[no-any-return]


def states(said: dict[str, Any]) -> dict[str, RegionState]:
    config = load(["."], {"callees": said}, isolated=True)
    return {region.qualname: region.state for region in analyze(Source("m.py", TEXT), config).regions}


def test_what_is_said_of_a_callee_lets_its_callers_migrate() -> None:
    assert states({})["smoothed"] is RegionState.BLOCKED
    assert states(SAID)["smoothed"] is RegionState.CONVERTIBLE
    assert states(SAID)["filled"] is RegionState.CONVERTIBLE


@pytest.mark.parametrize("name", ["smoothed", "filled", "same", "remembered"])
def test_callers_do_what_they_did(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    config = replace(load(["."], {"callees": SAID}, isolated=True), rewrite=True)
    new = analyze(Source("m.py", TEXT), config).new_text
    assert new is not None
    results = []
    for text in (TEXT, new):
        library = fast()
        monkeypatch.setitem(sys.modules, "fast", library)
        names: dict[str, Any] = {"__name__": "m"}
        exec(compile(text, "m.py", "exec"), names)
        given = (np.linspace(0.5, 2.0, 6), 2) if name == "smoothed" else (np.linspace(0.5, 2.0, 6),)
        results.append((np.asarray(names[name](*given)), given[0], getattr(library, "shown", [])))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-14)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"solve": "pure"}, "expected a name with its module"),
        ({"a.b-c": "pure"}, "expected a name with its module"),
        ({"numpy.sum": "pure"}, "what NumPy and Python do is known"),
        ({"a.b": "prue"}, 'expected "pure", or a table'),
        ({"a.b": 5}, 'expected "pure", or a table'),
        ({"a.b": {"change": ["x"]}}, "unknown key `change`; did you mean `changes`?"),
        ({"a.b": {"changes": "x"}}, "changes: expected a list of names"),
        ({"a.b": {"parameters": [1]}}, "parameters: expected a list of names"),
        ({"a.b": {"parameters": ["x", "x"]}}, "a parameter is named twice"),
        ({"a.b": {"changes": ["x"]}}, "`x` is not among its parameters; list all of them"),
        ({"a.b": {"parameters": ["out"], "changes": ["ou"]}}, "did you mean `out`?"),
        (["a.b"], "expected a table of name"),
    ],
)
def test_nonsense_is_one_clear_line(said: Any, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        validated({"callees": said}, "pyproject.toml")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("pyproject.toml: callees")


def test_the_command_line_and_files_say_it_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "np2tnp.toml").write_text('[callees]\n"a.b" = { parameters = ["x", "out"], changes = ["out"] }\n')
    expected = (Callee("a.b", ("x", "out"), ("out",)),)
    assert load(["."]).callees == expected
    said = 'callees={"a.b" = {parameters = ["x", "out"], changes = ["out"]}}'
    assert load(["."], config=[said]).callees == expected


def test_editors_know_it_by_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate({"callees": SAID}, schema())
    for wrong in ({"solve": "pure"}, {"a.b": "prue"}, {"a.b": {"change": []}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"callees": wrong}, schema())
    json.dumps(schema())
