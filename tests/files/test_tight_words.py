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
    ],
)
def test_a_word_that_touches_a_parenthesis_still_ends(tmp_path: Path, line: str) -> None:
    file = tmp_path / "f.py"
    file.write_text(f"import numpy as np\n\n\ndef f(x, y):\n    x = np.exp(x)\n    {line}\n    return x\n")
    run = pipeline.rewrite([str(file)], Config(root=str(tmp_path), cache=False, quiet=True, jobs=1), apply=True)
    assert [report.error for report in run.reports] == [None]
    assert run.changes
    compile(file.read_text(), "f.py", "exec")
