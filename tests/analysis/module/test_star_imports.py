"""Star imports: which names they bind, and which are not NumPy's any more after those that nobody can list."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import FileReport
from np2tnp.report.totals import is_clear, totals

#: imports -> whether `sin` and `abs` are known to be NumPy's
IMPORTS = {
    "from numpy import *": True,
    "from math import *\nfrom numpy import *": True,
    "from ours import *": True,
    "from numpy import *\nfrom ours import *": True,
    "from ours import *\nfrom numpy import *": True,
    "from unknown import *\nfrom numpy import *": True,
    "from numpy import *\nfrom math import *": False,
    "from numpy import *\nfrom unknown import *": False,
    "from numpy import sin, abs\nfrom unknown import *": False,
    "from numpy import *\nfrom numpy.ma import *": False,
    "from numpy import *\nfrom mixed import *": False,
    "from numpy import *\ntry:\n    from fast import *\nexcept ImportError:\n    pass": False,
}
FUNCTION = "\n\n\ndef f(n):\n    return sin(np.ones(n))\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "setup.cfg").write_text("")
    (tmp_path / "ours.py").write_text("from numpy import *\n\n\ndef helper(x): ...\n")
    (tmp_path / "mixed.py").write_text("from unknown import *\n")
    return tmp_path


def rewritten(project: Path, text: str) -> FileReport:
    (project / "m.py").write_text(text)
    config = Config(root=str(project), cache=False, slow="convert")  # the functions do little with arrays
    run = pipeline.rewrite([str(project / "m.py")], config, apply=False)
    report = run.reports[0]
    assert report.error is None
    return report


@pytest.mark.parametrize("imports", IMPORTS)
def test_names_are_numpys_only_where_no_later_import_may_rebind_them(project: Path, imports: str) -> None:
    report = rewritten(project, f"import numpy as np\n{imports}{FUNCTION}")
    assert report.new_text is not None
    assert "tnp.ones(n)" in report.new_text  # nobody calls something else np
    assert ("tnp.sin(" in report.new_text) is IMPORTS[imports]


@pytest.mark.parametrize("name", ["abs", "max", "sum"])
def test_builtins_that_array_libraries_have_are_not_certain(project: Path, name: str) -> None:
    function = f"\n\n\ndef f(n):\n    return {name}(np.ones(n))\n"
    known = rewritten(project, f"import numpy as np\nfrom tkinter import *{function}")
    unknown = rewritten(project, f"import numpy as np\nfrom unknown import *{function}")
    assert f"{name}(rt.ndarray(tnp.ones(n)))" in (unknown.new_text or "")
    assert f"{name}(rt.ndarray(tnp.ones(n)))" not in (known.new_text or "")
    assert known.unresolved == ()
    assert unknown.unresolved == (2, 6)  # the import, and what it may have bound


def test_pythons_types_are_pythons(project: Path) -> None:
    report = rewritten(project, "from numpy import *\n\n\ndef f(n):\n    return ones(int(n)) * float(n)\n")
    assert "tnp.ones(int(n)) * float(n)" in (report.new_text or "")


@pytest.mark.parametrize(
    "line", ["from unknown import *", "exec(open('x').read())", "x = eval('np.zeros(3)')", "f = getattr(np, input())"]
)
def test_what_could_not_be_resolved_is_not_all_clear(project: Path, line: str) -> None:
    (project / "m.py").write_text(f"import numpy as np\n{line}\n\n\ndef f(n):\n    return np.ones(n)\n")
    config = Config(root=str(project), cache=False)
    run = pipeline.check([str(project / "m.py")], config)
    assert not is_clear(run)
    (words,) = (words for words in totals(run, config) if words.startswith("Unresolved: "))
    assert f"{project / 'm.py'}:2" in words  # where it is


@pytest.mark.parametrize("listed", [True, False])
def test_a_second_run_knows_what_the_first_one_wrote(tmp_path: Path, listed: bool) -> None:
    """A star import behind the emitted imports may bind their names again: in a rewritten module, to the same."""
    package = tmp_path / "pack"
    package.mkdir()
    body = "class {}:\n    def work(self, x):\n        return np.exp(x) / np.sum(x)\n"
    (package / "__init__.py").write_text("")
    (package / "base.py").write_text("import numpy as np\n\n\n" + body.format("Base"))
    name = "pack.base" if listed else "elsewhere.base"
    (package / "use.py").write_text(f"import numpy as np\n\nfrom {name} import *\n\n\n" + body.format("Use"))
    config = Config(root=str(tmp_path), cache=False, quiet=True, jobs=1)
    first = pipeline.rewrite([str(package)], config, apply=True)
    assert sorted(Path(change.path).name for change in first.changes) == ["base.py", "use.py"]
    assert not pipeline.rewrite([str(package)], config).changes
