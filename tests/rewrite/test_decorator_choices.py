"""Decorators whose name is bound more than once: imported where that works, else made by the project itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config

_STUB = """
class Stub:
    def dcite(self, *args, **kwargs):
        def same(f):
            return f

        return same


def _missing(*args, **kwargs):
    return lambda f: f
"""
_TRIED = "try:\n    from {} import {}\nexcept ImportError:\n    {}\n"
_USE = "\n\n@{}\ndef norm(x):\n    return np.sqrt(np.sum(np.exp(x)))\n"


def states(tmp_path: Path, tried: str, use: str) -> dict[str, str]:
    """What becomes of `norm` where its module tries the import itself, and where it has the name from one that does."""
    name = use.partition(".")[0].partition("(")[0]
    files = {
        "own.py": f"import numpy as np\n{_STUB}\n{tried}{_USE.format(use)}",
        "shared.py": _STUB + "\n" + tried,
        "asks.py": f"import numpy as np\nfrom shared import {name}\n{_USE.format(use)}",
        "names.py": f"import numpy as np\nimport shared\n{_USE.format('shared.' + use)}",
    }
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    config = Config(root=str(tmp_path), cache=False, quiet=True, jobs=1, slow="convert")
    run = pipeline.check([str(tmp_path)], config)
    assert not [report.error for report in run.reports if report.error]
    return {
        Path(report.path).stem: region.state.value
        for report in run.reports
        for region in report.regions
        if region.qualname == "norm"
    }


@pytest.mark.parametrize(
    ("tried", "use"),
    [
        (_TRIED.format("duecredit", "due", "due = Stub()"), "due.dcite('cited')"),
        (_TRIED.format("deprecated", "deprecated", "deprecated = _missing"), "deprecated('old')"),
        (
            _TRIED.format("deprecated", "deprecated", "def deprecated(*args):\n        return lambda f: f"),
            "deprecated('old')",
        ),
        ("if __debug__:\n    from tenacity import retry\nelse:\n    def retry(f):\n        return f\n", "retry"),
    ],
)
def test_choices_that_all_leave_the_function_alone_are_no_obstacle(tmp_path: Path, tried: str, use: str) -> None:
    found = states(tmp_path, tried, use)
    assert found == dict.fromkeys(("own", "asks", "names"), "convertible")


@pytest.mark.parametrize(
    ("tried", "use"),
    [
        (_TRIED.format("nobody_knows", "due", "due = Stub()"), "due.dcite('cited')"),
        (_TRIED.format("nobody_knows", "traced", "def traced(f):\n        return f"), "traced"),
        (_TRIED.format("duecredit", "due", "due = make()"), "due.dcite('cited')"),
        (_TRIED.format("duecredit", "due", "due = Stub()") + "due = make(due)\n", "due.dcite('cited')"),
        ("def traced(f):\n    return f\n\n\ndef traced(f):\n    return f.__code__\n", "traced"),
        ("from nobody_knows import retry\n\nif __debug__:\n    from tenacity import retry\n", "retry"),
    ],
)
def test_one_choice_that_may_look_into_it_is(tmp_path: Path, tried: str, use: str) -> None:
    assert states(tmp_path, tried, use) == dict.fromkeys(("own", "asks", "names"), "blocked")


def test_a_function_that_deletes_globals_leaves_its_neighbours_certain(tmp_path: Path) -> None:
    kept = "def traced(f):\n    return f\n\n\ndef clear():\n    for name in list(globals()):\n        {}\n"
    asks = "import numpy as np\nfrom kept import traced\n" + _USE.format("traced")
    found = {}
    for what in ("del globals()[name]", "globals()[name] = None"):
        (tmp_path / "kept.py").write_text(kept.format(what))
        (tmp_path / "asks.py").write_text(asks)
        run = pipeline.check([str(tmp_path / "asks.py")], Config(root=str(tmp_path), cache=False, quiet=True, jobs=1))
        found[what] = {region.qualname: region.state.value for region in run.reports[0].regions}["norm"]
    assert found == {"del globals()[name]": "convertible", "globals()[name] = None": "blocked"}
