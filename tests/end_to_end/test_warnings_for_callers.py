"""``warnings.warn(..., stacklevel=2)`` names the place in the program that it named before."""

from __future__ import annotations

import importlib.util
import linecache
import warnings
from pathlib import Path
from types import ModuleType

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from np2tnp.config import Config  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402

PROGRAM = """
import warnings
from warnings import warn

import numpy as np


def root(x: np.ndarray):
    if np.any(x < 0):
        warnings.warn("negative", RuntimeWarning, stacklevel=2)
    return np.sqrt(np.abs(x)) + np.exp(-x)


def deep(x: np.ndarray):
    warn("deep", UserWarning, 3)
    return np.exp(x) * x


def outer(x: np.ndarray):
    return deep(np.tanh(x) * 2) + 1


def by_level(x, level=2):
    warnings.warn("level", stacklevel=level)
    return np.sin(x) ** 2


def caller(x):
    return by_level(np.cos(x), 3)


class Model:
    def fit(self, x):
        warnings.warn("fit", DeprecationWarning, stacklevel=2)
        self.w = np.tanh(x) * np.exp(x)
        return self


def stays(x):
    found = []
    for i in range(len(x)):
        found.append(root(x[i : i + 2]))
    return found
"""
CALLS = {
    "root": lambda m, x: m.root(x),
    "outer": lambda m, x: m.outer(x),
    "deep": lambda m, x: m.deep(x),
    "by_level": lambda m, x: m.by_level(x),
    "itself": lambda m, x: m.by_level(x, 1),
    "of a caller": lambda m, x: m.caller(x),
    "beyond all": lambda m, x: m.by_level(x, 10_000),
    "a method": lambda m, x: m.Model().fit(x),
    "from NumPy code": lambda m, x: m.stays(x),
}


def load(text: str, path: Path) -> ModuleType:
    path.mkdir()
    (path / "w.py").write_text(text)
    spec = importlib.util.spec_from_file_location("w", path / "w.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(module: ModuleType, name: str, x: object) -> list[tuple[str, str, str, str]]:
    """Category, text, file, and what stands in the line, of each warning."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        CALLS[name](module, x)
    lines = [linecache.getline(it.filename, it.lineno).strip().replace("rt.warn", "warnings.warn") for it in record]
    return [
        (it.category.__name__, str(it.message), Path(it.filename).name, line.replace(".core(", "(").partition("(")[0])
        for it, line in zip(record, lines, strict=True)
    ]


@pytest.fixture(scope="module", params=[0, None], ids=["on tensors", "by the original"])
def modules(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleType, ModuleType]:
    path = tmp_path_factory.mktemp("warned")
    text = analyze(Source("w.py", PROGRAM), Config(rewrite=True, above=request.param)).new_text
    assert text is not None
    assert text.count("rt.warn(") == 8  # four functions and their originals
    return load(PROGRAM, path / "before"), load(text, path / "after")


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_names_the_line_that_it_named(name: str, modules: tuple[ModuleType, ModuleType]) -> None:
    x = np.array([-1.0, 2.0, 0.5])
    before, after = (told(module, name, x) for module in modules)
    assert before
    assert after == before
