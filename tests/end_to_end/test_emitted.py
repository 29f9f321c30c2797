"""``benchmarks/emitted.py`` counts what stands in the rewritten text."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import emitted  # noqa: E402

from np2tnp.config import Config  # noqa: E402

PROGRAM = '''import numpy as np


def used(x: np.ndarray):
    """A field's ranks."""
    order = np.argsort(np.abs(x))
    x[0] = 1.0
    print(order)
    order += 1
    return order, -x


def unused(names):
    return sorted(names)
'''


def test_calls_operators_lines_and_reasons_are_counted(tmp_path: Path) -> None:
    (tmp_path / "field.py").write_text(PROGRAM)
    (tmp_path / "broken.py").write_text("import numpy as np\nnp.sum(")
    total = emitted.measure("field", tmp_path, Config(root=str(tmp_path), rewrite=True, cache=False))
    assert (total.files, len(total.failed), len(total.sizes)) == (2, 1, 1)
    (function,) = total.functions
    written = function.written
    assert written["tnp"] + written["rt"] == 2  # argsort, abs
    assert written["crossing"] >= 3  # at, host, updated
    assert function.exact + function.stay == 1  # the minus
    assert (function.lines[0], function.arguments > 0) == (6, True)
    before, without, after = total.sizes[0]
    assert before < without < after
    said = {name for name, _ in total.reasons}
    assert {name for name in function.runtime if emitted._kind(name) == "rt"} <= said
    assert len(list(emitted.rows([total]))) == 3


def test_names_of_the_runtime_are_told_apart() -> None:
    kinds = [emitted._kind(name) for name in ("sum", "add_at", "linalg.norm", "shape", "iadd", "op_add", "host", "at")]
    assert kinds == ["rt", "rt", "rt", "asked", "in place", "operator", "crossing", "crossing"]
