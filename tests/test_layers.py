"""Imports only go to lower layers, as docs/architecture.md promises."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "np2tnp"
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))

LAYERS = {
    "__init__": 0, "importing": 0, "model": 0, "config": 0, "options": 0,
    "files": 1, "catalog": 1, "executors": 1, "worker": 1,
    "analysis": 2,
    "edits": 3,
    "rules": 4,
    "rewrite": 5, "project": 5, "session": 5, "engine": 5,
    "probe": 6, "verify": 6, "profiling": 6, "report": 6,
    "pipeline": 7, "commands": 7, "migration": 7,
    "cli": 7, "terminal": 7, "status": 0, "__main__": 7,
}  # fmt: skip
THIRD_PARTY = {
    0: {"tomli"},
    1: {"tomli"},
    2: {"libcst"},
    3: {"libcst"},
    4: {"libcst"},
    5: {"libcst"},
    6: {"libcst", "rich", "numpy", "tensorflow", "matplotlib", "pynvml"},
    7: {"libcst", "rich"},
}
HEAVY = {"numpy", "tensorflow", "matplotlib"}


def imported(tree: ast.AST) -> list[tuple[str, int]]:
    """The absolute names of all modules that a file imports, wherever in it, with their lines."""
    names: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            module = node.module or ""
            names += [(f"{module}.{alias.name}" if module == "np2tnp" else module, node.lineno) for alias in node.names]
    return names


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path: Path) -> None:
    part = part_of(path)
    wrong: list[str] = []
    for name, line in imported(ast.parse(path.read_text(encoding="utf-8"))):
        top, *rest = name.split(".")
        if top in sys.stdlib_module_names or top in ("tomllib", "typing_extensions"):  # the latter for mypy only
            continue
        if top == "np2tnp":
            other = rest[0] if rest else "__init__"
            if other in ("__version__",):
                continue
            below = part == other == "runtime" or (
                part != "runtime" and other != "runtime" and LAYERS[other] <= LAYERS[part]
            )
            # Programs that compare or time what rewritten code does may ask its runtime.
            if not below and not (other == "runtime" and LAYERS.get(part) == 6):
                wrong.append(f"line {line}: {name}")
        elif part == "runtime":
            if top not in ("numpy", "tensorflow"):
                wrong.append(f"line {line}: {name}")
        elif top not in THIRD_PARTY[LAYERS[part]]:
            wrong.append(f"line {line}: {name}")
    assert not wrong


def test_every_part_has_a_layer() -> None:
    assert {part_of(path) for path in MODULES} <= {*LAYERS, "runtime"}


def test_the_check_can_fail() -> None:
    tree = ast.parse("import numpy\ndef f():\n    from np2tnp.cli import main\n    from np2tnp import engine\n")
    assert imported(tree) == [("numpy", 1), ("np2tnp.cli", 3), ("np2tnp.engine", 4)]
