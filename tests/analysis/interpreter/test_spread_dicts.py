"""A dict that is spread over a call (`f(**options)`) stays the caller's; what it holds may be kept and changed."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

TEXT = """
import numpy as np
import other


def only_numbers(x, n):
    options = {"lag": 2, "size": n}
    low = other.length(**options)
    y = np.exp(x)
    for _ in range(low):
        other.length(**options)
    return y * options["lag"]


def kept(x, n):
    y = np.exp(x)
    options = {"array": y}
    other.keep(**options)
    y[:] = 3.0
    other.look()
    return y + n


def changed(x, n):
    options = {"array": np.exp(x)}
    other.change(**options)
    return options["array"] + n


def kept_and_changed(x, n):
    y = np.exp(x)
    options = {"array": y}
    other.keep(**options)
    other.change_kept()
    return y + options["array"] * n
"""


def other() -> types.ModuleType:
    module: Any = types.ModuleType("other")
    kept: list[np.ndarray] = []

    def change(array: np.ndarray) -> None:
        array += 1.0

    module.length = lambda lag, size: lag + size
    module.keep = lambda array: kept.append(array)
    module.change, module.change_kept = change, lambda: change(kept[-1])
    module.look = lambda: setattr(module, "seen", [array.copy() for array in kept])
    return module  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["only_numbers", "kept", "changed", "kept_and_changed"])
def test_what_it_holds_is_changed_as_numpy_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    new = analyze(Source("m.py", TEXT), Config(rewrite=True)).new_text
    assert new is not None
    results = []
    for text in (TEXT, new):
        library = other()
        monkeypatch.setitem(sys.modules, "other", library)
        names: dict[str, Any] = {"__name__": "m"}
        exec(compile(text, "m.py", "exec"), names)
        results.append((names[name](np.linspace(0.5, 2.0, 6), 2), getattr(library, "seen", [])))
    for one, another in zip(*results, strict=True):
        np.testing.assert_allclose(another, one, rtol=1e-14)
