"""Arrays of text, objects, dates and fields stay NumPy's, with what is calculated from them; the rest migrates."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.runtime.boundary.counting import count_ops

_CASES = {
    "text": """
        grades = np.empty(len(x), dtype="<U1")
        grades[:] = "F"
        y = np.exp(x)
        for low, grade in [(1.0, "C"), (2.0, "B")]:
            grades[y >= low] = grade
        return grades, y[grades == "B"].sum(), np.unique(grades), np.where(y > 1, grades, "?"), np.tile(grades, 2)
    """,
    "fields": """
        out = np.zeros(len(x), dtype=[("t", float), ("s", "U3")])
        t = np.exp(x)
        out["t"] = t
        t[0] = 5.0
        chosen = out[np.argsort(-t)]
        chosen["t"] += np.sin(t)
        return out, chosen["t"].mean() + t.sum(), np.sqrt(chosen["t"]), [float(row["t"]) for row in out]
    """,
    "dates": """
        d = np.arange("2020-01", "2020-04", dtype="datetime64[M]")
        months = (d - d[0]).astype(int)
        return np.diff(d), d[np.argmax(np.exp(x))], np.interp(1.5, months, np.exp(x)), months + np.round(x)
    """,
    "numbers as objects": """
        o = np.array([1, 2, 3], dtype=object) * x.astype(object)
        o += np.exp(x)
        return o.sum(), np.dot(o, o), -o, o[1:] + np.exp(x)[1:], np.exp(x)
    """,
    "text that becomes numbers": """
        raw = np.array([["1.5", "a"], ["2.5", "b"], ["3.5", "c"]], dtype=str)
        return np.asarray(raw[:, 0], dtype=float) * np.exp(x), raw[:, 0].astype(float) + np.exp(x)
    """,
    "an array in an array of objects": """
        cells = np.empty(2, dtype=object)
        y = np.exp(x)
        cells[0] = y
        y[0] = 7.0
        a = cells[0]
        a[1] = 9.0
        return cells[0].sum(), y.sum()
    """,
    "arrays of a ragged list": """
        y, z = np.exp(x), np.exp(x[:1])
        cells = np.array([y, z], dtype=object)
        y[0] = 7.0
        both = np.concatenate([cells, cells])
        both[0][1] = 9.0
        for c in cells:
            c *= 2
        return cells[0].sum(), y.sum(), z
    """,
    "on some ways only": """
        y = np.exp(x)
        if x[0] > 100:
            y = np.array(["a", "b", "c"], dtype="U1")
        return np.sort(y), np.stack([y, y]), y == y[0]
    """,
}


def _module(text: str) -> Any:
    made = types.ModuleType("program")
    exec(compile(text, "program.py", "exec"), made.__dict__)
    return made


@pytest.mark.parametrize("name", _CASES)
def test_the_rest_of_the_function_migrates(name: str) -> None:
    body = _CASES[name].replace("\n        ", "\n    ")
    text = f"import numpy as np\n\ndef f(x):{body}"
    config = Config(rewrite=True, slow="convert", on_unverified="raise")
    report = pipeline.analyse_bytes(config, ("program.py", text.encode()))
    assert report.error is None
    assert report.new_text is not None, report.findings
    x = np.array([0.0, 0.9, 0.25])
    with count_ops() as counted:
        result = _module(report.new_text).f(x.copy())
    assert counted.work
    assert repr(result) == repr(_module(text).f(x.copy()))


def test_extended_precision_blocks() -> None:
    text = b"import numpy as np\n\ndef f(x):\n    y = np.zeros(3, dtype=np.longdouble)\n    return y + np.exp(x)\n"
    report = pipeline.analyse_bytes(Config(rewrite=True, slow="convert"), ("program.py", text))
    assert report.new_text is None
    assert any(finding.code == "TNP305" for finding in report.findings)


def test_an_attribute_with_text_is_known_where_it_is_read() -> None:
    text = (
        b"import numpy as np\n\nclass Log:\n    def __init__(self, n):\n"
        b"        self.names = np.empty(n, dtype='U3')\n\n"
        b"    def twice(self, x):\n        return np.copy(self.names), np.exp(x)\n"
    )
    report = pipeline.analyse_bytes(Config(rewrite=True, slow="convert"), ("program.py", text))
    assert report.new_text is not None
    assert "return np.copy(self.names), tnp.exp(x)" in report.new_text
