"""Functions that a compiler of native code may get, other than by a decorator, stay what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import Finding
from np2tnp.report.totals import shown, totals

_BODY = "    return np.sqrt((x * x).sum()) * np.exp(x)\n\n\n"
_TWO = f"import numpy as np\n%s\n\n\ndef norm(x):\n{_BODY}def other(x):\n{_BODY}"


def states(tmp_path: Path, files: dict[str, str]) -> dict[str, str]:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    config = Config(root=str(tmp_path), cache=False, quiet=True, jobs=1)
    run = pipeline.check([str(tmp_path / name) for name in files], config)
    assert not [report.error for report in run.reports if report.error]
    found = {region.qualname: region for report in run.reports for region in report.regions}
    assert all("TNP504" in " ".join(region.reasons) for region in found.values() if region.state.value == "blocked")
    return {name: region.state.value for name, region in found.items() if name in ("f", "norm", "other")}


@pytest.mark.parametrize(
    "use",
    [
        "fast = numba.njit(norm)",
        "fast = numba.njit(cache=True)(norm)",
        "fast = numba.vectorize([numba.float64(numba.float64)])(norm)",
        "def make():\n    return numba.jit(norm, nopython=True)",
        "TABLE = {'norm': norm}\n\n\ndef make(name):\n    return numba.njit(TABLE[name])",
        "def compiled(f):\n    return numba.njit(f)\n\n\nfast = compiled(norm)",
    ],
)
def test_what_a_module_hands_to_numba_stays_numpy(tmp_path: Path, use: str) -> None:
    assert states(tmp_path, {"f.py": _TWO % "import numba" + use + "\n"}) == {"norm": "blocked", "other": "convertible"}


@pytest.mark.parametrize(
    "use",
    [
        "y = norm(np.ones(3))",
        "from scipy.optimize import minimize\n\n\ndef best(x):\n    return minimize(norm, x)",
        "y = list(map(norm, [np.ones(3)]))",
        "norm.rank = 3",
    ],
)
def test_what_it_calls_or_gives_to_others_migrates(tmp_path: Path, use: str) -> None:
    found = states(tmp_path, {"f.py": _TWO % "import numba" + use + "\n"})
    assert found == {"norm": "convertible", "other": "convertible"}


def test_methods_that_are_handed_over_stay_numpy(tmp_path: Path) -> None:
    method = "class Model:\n    @staticmethod\n    def {}(x):\n        return np.exp(x) * np.sum(x)\n\n"
    text = "import numba\nimport numpy as np\n\n\n" + method.format("norm") + "    def make(self):\n"
    text += "        self.f = numba.njit(self.norm)\n\n\ndef other(x):\n" + _BODY
    (tmp_path / "f.py").write_text(text)
    report = pipeline.check([str(tmp_path / "f.py")], Config(root=str(tmp_path), cache=False, quiet=True)).reports[0]
    found = {region.qualname: region.state.value for region in report.regions}
    assert (found["Model.norm"], found["other"]) == ("blocked", "convertible")


def test_what_goes_to_a_module_that_imports_numba_stays_numpy(tmp_path: Path) -> None:
    files = {
        "pack/__init__.py": "",
        "pack/jit.py": "import numba as nb\n\n\ndef stable(f):\n    return nb.njit(f)\n",
        "pack/plain.py": "def keep(f):\n    return f\n",
        "pack/use.py": _TWO % "from .jit import stable\nfrom .plain import keep"
        + "fast = stable(norm)\nTABLE = [other]\n",
    }
    assert states(tmp_path, files) == {"norm": "blocked", "other": "convertible"}


def test_a_name_that_is_bound_twice_is_ours_all_the_same(tmp_path: Path) -> None:
    twice = "def stable(f): ...\n\n\ndef stable(f):\n    return f\n"
    files = {
        "pack/__init__.py": "",
        "pack/jit.py": twice,
        "pack/use.py": _TWO % "import numba\nfrom pack.jit import stable" + "fast = stable(norm)\n",
    }
    assert states(tmp_path, files) == {"norm": "blocked", "other": "convertible"}


def test_without_a_compiler_functions_are_handed_over_as_ever(tmp_path: Path) -> None:
    files = {
        "pack/__init__.py": "",
        "pack/tools.py": "def stable(f):\n    return f\n",
        "pack/use.py": _TWO % "from .tools import stable" + "fast = stable(norm)\n",
    }
    assert states(tmp_path, files) == {"norm": "convertible", "other": "convertible"}


# --- what is said of them


def told(tmp_path: Path, text: str) -> list[Finding]:
    (tmp_path / "f.py").write_text(text)
    run = pipeline.check([str(tmp_path / "f.py")], Config(root=str(tmp_path), cache=False))
    return shown(run, Config())


_COMPILED = "import numpy as np\nfrom numba import njit\n\n\n@njit\ndef f(x):\n    "
_LOOP = "y = np.zeros(len(x))\n    for i in range(1, len(x)):\n        y[i] = np.exp(y[i - 1] + x[i])\n    return y\n"
_WHOLE = "return np.sum(np.exp(x)) ** 2\n"


def test_what_numba_compiles_is_counted(tmp_path: Path) -> None:
    assert told(tmp_path, _COMPILED + _LOOP) == []
    run = pipeline.check([str(tmp_path / "f.py")], Config(root=str(tmp_path), cache=False))
    assert "Best left as native code: 1 function is compiled by numba or the like in 1 file (-v shows them)" in totals(
        run, Config()
    )


def test_compiled_work_on_whole_arrays_is_left_to_the_compiler(tmp_path: Path) -> None:
    assert told(tmp_path, _COMPILED + _WHOLE) == []
    assert states(tmp_path, {"f.py": (_COMPILED + _WHOLE).replace("@njit\n", "")})["f"] == "convertible"


def test_what_compiled_code_calls_needs_its_decorator(tmp_path: Path) -> None:
    assert told(tmp_path, _COMPILED + _WHOLE + "\n\n@njit\ndef g(x):\n    return f(x)\n") == []


def test_who_gets_a_function_beside_numba_is_told_where_it_is(tmp_path: Path) -> None:
    text = _TWO % "import numba" + "def call(f):\n    return f\n\n\nfast = call(norm)\n"
    (finding,) = told(tmp_path, text)
    assert finding.message.startswith("call() gets norm here")
    assert text.splitlines()[finding.line - 1] == "fast = call(norm)"
    assert finding.message.endswith("give a function of the same parameters in its place, which only calls norm")
    advised = text.replace("fast = call(norm)", "def same(x):\n    return norm(x)\n\n\nfast = call(same)")
    assert states(tmp_path, {"f.py": advised})["norm"] == "convertible"


_COMPARING = """import functools
import inspect
import numba
import numpy as np


def same(f, g):
    return set(inspect.signature(f).parameters) == set(inspect.signature(g).parameters)


def either(g):
    @functools.wraps(g)
    def outer(f):
        def inner(x):
            return f(x) if same(f, g) and x is None else g(x)

        return inner

    return outer


def norm(x):
    return np.sqrt((x * x).sum()) * np.exp(x)


@either(norm)
def other(x):
    return x
"""


def test_what_asks_for_parameters_compiles_nothing(tmp_path: Path) -> None:
    assert told(tmp_path, _COMPARING) == []
    assert states(tmp_path, {"f.py": _COMPARING})["norm"] == "convertible"


@pytest.mark.parametrize(
    "more",
    ["kept = g", "numba.njit(g)", "keep(g)", "setattr(g, 'x', 1)", "same(*[g])", "g.__code__"],
)
def test_what_does_more_with_it_may_compile_it(tmp_path: Path, more: str) -> None:
    text = _COMPARING.replace("    return outer", f"    {more}\n    return outer")
    assert states(tmp_path, {"f.py": text})["norm"] == "blocked"


def test_functions_that_hand_on_to_each_other_are_not_followed_for_ever(tmp_path: Path) -> None:
    text = _COMPARING.replace("    return set(", "    same(f, g)\n    return set(")
    assert states(tmp_path, {"f.py": text})["norm"] == "blocked"


def test_the_own_decorator_comes_first(tmp_path: Path) -> None:
    text = _COMPILED + _LOOP + "\n\ndef call(g):\n    return g\n\n\ncall(f)\n"
    assert told(tmp_path, text) == []
