"""Modules that replace NumPy's functions, or names of their own: what uses these stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.files.replaced import replaced_in
from np2tnp.files.syntax import Trees
from np2tnp.model import FileReport, RegionState

#: a statement -> what it replaces
STORES = {
    "np.ones = mine": {"numpy.ones"},
    "np.ones, np.zeros = a, b": {"numpy.ones", "numpy.zeros"},
    "(np.ones, other) = a, b": {"numpy.ones"},
    "np.ones: object = mine": {"numpy.ones"},
    "np.pi *= 2": {"numpy.pi"},
    "del np.ones": {"numpy.ones"},
    "for np.ones in functions: pass": {"numpy.ones"},
    "np.linalg.norm = mine": {"numpy.linalg.norm"},
    "from numpy import linalg as la\nla.norm = mine": {"numpy.linalg.norm"},
    "import numpy.linalg\nnumpy.linalg.norm = mine": {"numpy.linalg.norm"},
    "module = np\nmodule.ones = mine": {"numpy.ones"},
    "setattr(np, 'ones', mine)": {"numpy.ones"},
    "setattr(np, name, mine)": {"numpy.*"},
    "np.__dict__['ones'] = mine": {"numpy.ones"},
    "vars(np).update(ones=mine, **more)": {"numpy.ones", "numpy.*"},
    "sys.modules['numpy'].ones = mine": {"numpy.ones"},
    "importlib.import_module('numpy').ones = mine": {"numpy.ones"},
    "monkeypatch.setattr('numpy.ones', mine)": {"numpy.ones"},
    "monkeypatch.setattr(np.linalg, 'norm', mine)": {"numpy.linalg.norm"},
    "mock.patch('numpy.random.rand')": {"numpy.random.rand"},
    "mock.patch('ours.module.np.ones')": {"numpy.ones"},
    "mock.patch.object(np, 'ones')": {"numpy.ones"},
    "mock.patch.dict(np.__dict__, ones=mine)": {"numpy.*"},
    "import builtins\nbuiltins.sum = mine": {"builtins.sum"},
    "globals()['np'] = other": {"own.np"},
    "globals().update(others)": {"own.*"},
    "g = globals()": {"own.*"},
    "setattr(sys.modules[__name__], 'helper', mine)": {"own.helper"},
    # these replace nothing of NumPy's
    "x = np.ones(3)\nx.shape = 3, 1": set(),
    "self.ones = np.ones": set(),
    "f(np.float64, order='C')": set(),
    "np.ones == mine": set(),
    "setattr(self, name, np.ones(3))": set(),
    "globals()": set(),
    "# np.ones = mine": set(),
}  # fmt: skip


@pytest.mark.parametrize("statement", STORES)
def test_stores_are_found(statement: str) -> None:
    found = replaced_in(f"import numpy as np\n{statement}\n", Trees())
    assert {name for name, _ in found.lines} == STORES[statement]


def reports(folder: Path, **texts: str) -> dict[str, FileReport]:
    (folder / "setup.cfg").write_text("")
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    found = pipeline.rewrite([str(folder)], Config(root=str(folder), cache=False, slow="convert"), apply=False).reports
    return {Path(report.path).stem: report for report in found}


def states(report: FileReport) -> dict[str, RegionState]:
    return {region.qualname: region.state for region in report.regions}


def test_an_imported_module_may_replace_it(tmp_path: Path) -> None:
    use = "import numpy as np\n{}\n\n\ndef f(n):\n    return np.exp(np.zeros(n)) + np.ones(n)\n"
    found = reports(
        tmp_path,
        patches="import numpy as np\n\n\ndef install():\n    np.ones = np.zeros\n",
        user=use.format("import patches"),
        other=use.format("import os"),
    )
    assert states(found["user"])["f"] is RegionState.BLOCKED
    assert any("line 5 of patches.py" in finding.message for finding in found["user"].findings)
    assert states(found["other"])["f"] is RegionState.CONVERTIBLE


def test_functions_that_a_later_star_import_may_replace_are_unknown(tmp_path: Path) -> None:
    use = (
        "import numpy as np\nfrom {0} import twice\n\n\ndef f(n):\n    x = np.ones(n)\n    twice(x)\n    return x + 1\n"
    )
    twice = "\n\ndef twice(x):\n    return x * 2\n\n\n"
    found = reports(
        tmp_path,
        before="from unknown import *\n" + twice,
        after=twice + "from unknown import *\n",
        ours=twice + "from names import *\n",
        same=twice + "from functions import *\n",
        names="other = 3\n",
        functions="def twice(x):\n    x *= 2\n",
        **{f"uses_{name}": use.format(name) for name in ("before", "after", "ours", "same")},
    )
    trusted = {
        name
        for name in ("before", "after", "ours", "same")
        if "    twice(rt.ndarray(x))\n" in (found[f"uses_{name}"].new_text or "")
    }
    assert trusted == {"before", "ours"}


def test_own_functions_replaced_through_the_dictionary_are_unknown(tmp_path: Path) -> None:
    text = "import numpy as np\n\n\ndef helper(x):\n    return x\n\n\ndef f(n):\n    return helper(np.ones(n)) * 2\n"
    found = reports(
        tmp_path, plain=text, named=text + "globals()['helper'] = abs\n", any=text + "globals().update(x)\n"
    )
    # what is certainly pure begins again with NumPy where it is refused
    pure = {name: "effects=True" not in (report.new_text or "effects=True") for name, report in found.items()}
    assert pure == {"plain": True, "named": False, "any": False}
