"""Words that touch a parenthesis, as in ``return(x == y)``, still end where what stands in it is built anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config


@pytest.mark.parametrize(
    "line",
    [
        "return(x == y)",
        "return(x + y).any()",
        "assert(x == y)",
        "assert(x[0] == y)",
        "return not(x == y)",
        "return 1 in(x == y)",
        "return 1 and(x == y)",
        "return(x == y)and(y == x)",
        "if(x == y): return 1",
        "while(x == y): return 1",
        "return 1 if(x == y)else(x + y)",
        "return(x + y)if y else 1",
        "f = lambda:(x + y); return f()",
        "for i in(x + y): print(i)",
        "return [i for i in(x + y)if(i == y)]",
        "raise(ValueError(x + y))",
        "with(open(x + y)) as h: return h",
        "with(open(x + y)): return 1",
        "del(y[x == 1])",
    ],
)
def test_a_word_that_touches_a_parenthesis_still_ends(tmp_path: Path, line: str) -> None:
    file = tmp_path / "f.py"
    file.write_text(
        f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    x = np.exp(x)\n    {line}\n    return x\n"
    )
    config = Config(root=str(tmp_path), cache=False, quiet=True, jobs=1, slow="convert")
    run = pipeline.rewrite([str(file)], config, apply=True)
    assert [report.error for report in run.reports] == [None]
    assert run.changes
    compile(file.read_text(), "f.py", "exec")


@pytest.mark.parametrize(
    "word", ["except(ValueError):", "except(ValueError) as error:", "except(ValueError, KeyError):"]
)
def test_what_a_handler_catches_may_touch_its_word(tmp_path: Path, word: str) -> None:
    file = tmp_path / "f.py"
    file.write_text(
        "import numpy as np\n\n\ndef f(x: np.ndarray):\n    try:\n        y = np.exp(x) + x.reshape(2, 3)\n"
        f"    {word}\n        y = x\n    return y\n"
    )
    run = pipeline.rewrite([str(file)], Config(root=str(tmp_path), cache=False, quiet=True, jobs=1), apply=True)
    assert [report.error for report in run.reports] == [None]
    assert "except(rt.raised(" in file.read_text()
    compile(file.read_text(), "f.py", "exec")


@pytest.mark.parametrize("line", ["yield(x == y)", "yield(x + y), 1", "yield from(x + y)", "(yield(x + y))"])
def test_what_is_yielded_may_touch_its_word(tmp_path: Path, line: str) -> None:
    file = tmp_path / "f.py"
    file.write_text(f"import numpy as np\n\n\ndef f(x: np.ndarray, y: np.ndarray):\n    x = np.exp(x)\n    {line}\n")
    run = pipeline.rewrite([str(file)], Config(root=str(tmp_path), cache=False, quiet=True, jobs=1), apply=True)
    assert [report.error for report in run.reports] == [None]
    assert run.changes
    compile(file.read_text(), "f.py", "exec")
