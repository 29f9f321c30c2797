"""What earlier versions wrote lies in people's repositories: it goes on running, in TensorFlow, and gives what it gave.

``fixtures/earlier`` holds one program as the version of each day wrote it, by default and with ``--compile graph``.
Nothing there is ever written anew: a text that does not run any more is a broken promise of the runtime.
"""

from __future__ import annotations

import ast
import contextlib
import io
import runpy
from pathlib import Path

import pytest

from np2tnp import runtime as rt

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "earlier"
WRITTEN = sorted(FOLDER.glob("written_*.py"))


@pytest.fixture(scope="module")
def expected() -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(FOLDER / "original.py"), run_name="__main__")
    return out.getvalue()


def test_there_are_texts_of_four_days() -> None:
    assert len({path.stem.rpartition("_")[0] for path in WRITTEN}) >= 4


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_what_was_written_still_runs(path: Path, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = runpy.run_path(str(path), run_name=path.stem)
    with rt.count_ops() as count:
        program["main"]()
    assert capsys.readouterr().out == expected
    assert count.work > 50, "in NumPy"


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_every_name_of_the_runtime_is_still_there(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    names = {node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id == "rt"}
    assert len(names) > 10
    assert {name for name in names if not hasattr(rt, name)} == set()
