"""Notebooks, before and after: their cells run from top to bottom and show what they showed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from np2tnp.cli import main

NOTEBOOKS = Path(__file__).resolve().parents[2] / "fixtures" / "notebooks"
#: Runs the code cells of a notebook as a kernel does, but for magics: all that they print and show, a line each.
RUNNER = r"""
import ast, asyncio, inspect, json, re, sys

def python_of(source):
    if source.lstrip().startswith("%%"):
        return ""
    source = re.sub(r"^%time (.*)$", r"\1", source, flags=re.M)
    source = re.sub(r"^(\w+) = !.*$", r"\1 = []", source, flags=re.M)
    return re.sub(r"^(\s*)[%!].*$", r"\1pass", source, flags=re.M)

def run(code, mode):
    made = eval(compile(code, "<cell>", mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), namespace)
    return asyncio.run(made) if inspect.iscoroutine(made) else made

namespace = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse(python_of("".join(cell["source"])))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    run(tree, "exec")
    if last is not None:
        print("shows", type(value := run(ast.Expression(last.value), "eval")).__name__, value)
print("migrated", sorted(name for name, it in namespace.items() if callable(it) and hasattr(it, "core")))
print("tensorflow", "tensorflow" in sys.modules)
"""


def shown_by(path: Path) -> list[str]:
    environment = {**os.environ, "NP2TNP_ABOVE": "0", "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, str(path)], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("name", "migrated"), [("heat", ["profile", "relax", "spectrum"]), ("compact", ["norm"])], ids=["heat", "compact"]
)
def test_a_rewritten_notebook_shows_what_it_showed(name: str, migrated: list[str], tmp_path: Path) -> None:
    path = tmp_path / f"{name}.ipynb"
    shutil.copy(NOTEBOOKS / path.name, path)
    before = shown_by(path)
    assert main(["rewrite", "--apply", "--quiet", str(path)]) == 0
    after = shown_by(path)
    assert before[-2:] == ["migrated []", "tensorflow False"]
    assert after[-2:] == [f"migrated {migrated}", "tensorflow True"]
    assert len(before) > 2
    assert after[:-2] == before[:-2]


def test_the_runner_tells_values_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    cells = [{"cell_type": "code", "source": ["%matplotlib inline\n", "x = 2\n", "x + 1"]}]
    path.write_text(json.dumps({"cells": cells}))
    assert shown_by(path) == ["shows int 3", "migrated []", "tensorflow False"]
