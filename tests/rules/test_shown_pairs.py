"""The functions of fixtures/shown become what README and docs/before-and-after.md show, and give what they gave.

A page says ``<!-- shown: sigmoid -->`` above two blocks of code: the function, and what ``rewrite`` makes of it,
without imports and kept originals. ``pytest --update-golden tests/rules`` writes both.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advised import load

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "before-and-after.md"]
PAIRS = sorted((ROOT / "fixtures" / "shown").glob("*.py"))
BLOCKS = re.compile(r"<!-- shown: (\w+) -->\n```python\n.*?```\n\n```python\n.*?```\n", re.DOTALL)


def rewritten(path: Path, **options: Any) -> str:
    text = analyze(Source(path.name, path.read_text(encoding="utf-8")), Config(rewrite=True, **options)).new_text
    assert text is not None
    return text


def shown(path: Path) -> str:
    """The two blocks for a page."""
    old = path.read_text(encoding="utf-8")
    names = set(_functions(old))
    parts = [_functions(text) for text in (old, rewritten(path))]
    blocks = ("\n\n".join(text for name, text in part.items() if name in names) for part in parts)
    return f"<!-- shown: {path.stem} -->\n" + "\n\n".join(f"```python\n{block}\n```" for block in blocks) + "\n"


def _functions(text: str) -> dict[str, str]:
    """The text of each function and class of a module; of a class only what migrates."""
    lines = text.splitlines()
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            (method,) = (item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "step")
            found[node.name] = f"class {node.name}:\n    ...\n\n{_text(method, lines)}"
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = _text(node, lines)
    return found


def _text(node: ast.FunctionDef, lines: list[str]) -> str:
    first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
    return "\n".join(lines[first - 1 : node.end_lineno])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_show_what_rewrite_makes(page: Path, update_golden: bool) -> None:
    made = {path.stem: shown(path) for path in PAIRS}
    text = page.read_text(encoding="utf-8")
    assert sorted(BLOCKS.findall(text)) == sorted(made)
    new = BLOCKS.sub(lambda match: made[match[1]], text)
    if update_golden:
        page.write_text(new, encoding="utf-8")
    else:
        assert new == text, "if this is meant: pytest --update-golden tests/rules"


def _steps(module: Any, rng: np.random.Generator) -> Any:
    A, H = np.eye(4) + np.eye(4, k=2), np.eye(2, 4)
    kalman = module.Kalman(A, H, 0.1 * np.eye(4), np.eye(2))
    return [(kalman.step(z).copy(), kalman.P.copy()) for z in rng.standard_normal((3, 2))]


def _relaxed(module: Any, rng: np.random.Generator) -> Any:
    field = rng.standard_normal((8, 9))
    return module.relax(field, 3), field


CALLS: dict[str, Callable[[Any, np.random.Generator], Any]] = {
    "kalman": _steps,
    "kmeans_step": lambda module, rng: module.kmeans_step(rng.standard_normal((30, 2)), rng.standard_normal((4, 2))),
    "lowpass": lambda module, rng: module.lowpass(rng.standard_normal(64), 64.0, 10.0),
    "relax": _relaxed,
    "sigmoid": lambda module, rng: module.sigmoid(rng.standard_normal(20)),
    "softmax": lambda module, rng: module.softmax(rng.standard_normal((5, 7))),
}


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.stem)
def test_what_is_shown_gives_what_it_gave(path: Path, tmp_path: Path) -> None:
    """Without originals, which would answer what the rewritten functions refuse."""
    texts = path.read_text(encoding="utf-8"), rewritten(path, on_unverified="raise")
    modules = [load(f"{path.stem}_{number}", text, tmp_path) for number, text in enumerate(texts)]
    expected, got = (_flat(CALLS[path.stem](module, np.random.default_rng(0))) for module in modules)
    assert [(type(v), v.dtype, v.shape) for v in got] == [(type(v), v.dtype, v.shape) for v in expected]
    for mine, numpys in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine, numpys, rtol=1e-12, atol=1e-14)


def _flat(value: Any) -> list[Any]:
    return [part for item in value for part in _flat(item)] if isinstance(value, (tuple, list)) else [value]
