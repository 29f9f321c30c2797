"""``--top-level``: scripts migrate with their top-level statements, and print what they printed."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config, ConfigError, load
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Region, RegionState
from np2tnp.runtime.base.dispatch import is_tensor

SCRIPTS = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "scripts").glob("*.py"))
HEAD = "import numpy as np\n\n"


def report_of(text: str, folder: Path, name: str = "script.py", **options: Any) -> FileReport:
    given = {"slow": "convert", "on_unverified": "raise", **options}
    return analyze(Source(str(folder / name), text), Config(str(folder), rewrite=True, top_level=True, **given))


def top_of(report: FileReport) -> Region:
    return next(region for region in report.regions if region.qualname == "<module>")


def ran(text: str) -> tuple[str, dict[str, Any]]:
    """What a script prints, and its names afterwards."""
    names: dict[str, Any] = {"__name__": "__main__"}
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(compile(text, "script.py", "exec", dont_inherit=True), names)
    return stream.getvalue(), names


def rewritten(text: str, folder: Path, **options: Any) -> str:
    new = report_of(text, folder, **options).new_text
    assert new is not None
    return new


def blocked(text: str, folder: Path) -> list[str]:
    """Why the top level stays NumPy: "CODE line N: message" each."""
    report = report_of(text, folder)
    assert top_of(report).state is RegionState.BLOCKED
    return list(top_of(report).reasons)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_print_the_same(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    report = report_of(text, tmp_path)
    assert top_of(report).state is RegionState.CONVERTIBLE
    assert report.new_text is not None
    before, after = ran(text)[0], ran(report.new_text)[0]
    assert before == after
    assert before
    again = report_of(report.new_text, tmp_path)
    assert again.new_text in (None, report.new_text)
    assert not [finding for finding in again.findings if finding.code == "TNP509"]


def test_names_that_functions_see_hold_ndarrays(tmp_path: Path) -> None:
    text = HEAD + (
        "table = np.arange(4.0)\n"
        "default = np.ones(2)\n"
        "own = np.exp(table)\n"
        "box = [np.sin(own)]\n"
        "seen = [np.cos(own)]\n"
        "for row in np.ones((2, 3)):\n    pass\n"
        "first, last = np.meshgrid(table, own)\n"
        "one = two = np.sqrt(own)\n\n"
        "def f(x=default):\n    return x, table, row, last, seen, two\n\n"
        "class C:\n    weights = np.exp(table)\n"
    )
    names = ran(rewritten(text, tmp_path))[1]
    for name in ("table", "default", "row", "last", "two"):
        assert isinstance(names[name], np.ndarray), name
    assert isinstance(names["seen"][0], np.ndarray)
    assert isinstance(names["C"].weights, np.ndarray)
    assert is_tensor(names["own"])
    assert is_tensor(names["box"][0])


def test_tables_for_functions_are_made_by_numpy(tmp_path: Path) -> None:
    text = HEAD + (
        "n = 4\ntable = np.linspace(0.0, 2 * np.pi, num=n)\nown = np.zeros(n)\nmade = np.array([1.0, np.sum(own)])\n\n"
        "def f():\n    return table, made\n\nprint(f(), own)\n"
    )
    new = rewritten(text, tmp_path)
    assert "table = np.linspace(0.0, 2 * np.pi, num=n)\nown = tnp.zeros(n)\nmade = rt.host(tnp.array(" in new
    assert ran(new)[0] == ran(text)[0]


def test_names_in_all_and_in_doctests_hold_ndarrays(tmp_path: Path) -> None:
    text = HEAD + '__all__ = ["a"]\na = np.exp(np.ones(2))\nb = np.exp(a)\nc = np.exp(b)\n"""\n>>> b.sum()\n"""\n'
    names = ran(rewritten(text, tmp_path))[1]
    assert [is_tensor(names[name]) for name in "abc"] == [False, False, True]


def test_functions_that_rebind_a_name_are_heeded(tmp_path: Path) -> None:
    text = HEAD + (
        "state = np.zeros(3)\nlog = []\n\n"
        "def advance(by):\n    global state\n    state = state + by\n    log.append(state)\n\n"
        "view = state\nadvance(np.arange(3.0))\nadvance(1)\nstate[0] = 7\n"
        "print(state, view, log, np.sum(state * 2))\n"
    )
    assert ran(rewritten(text, tmp_path))[0] == ran(text)[0]


def test_a_lambda_only_called_here_works_on_tensors_and_others_on_ndarrays(tmp_path: Path) -> None:
    text = HEAD + (
        "import functools\n"
        "scale = 3.0\nshift = np.ones(3)\n"
        "mine = lambda x: np.sin(x) * scale\n"
        "given = functools.partial(lambda a, b: np.add(a, b) + shift, 1)\n"
        "y = mine(np.arange(3.0))\nprint(y, given(shift), list(map(lambda v: v + 1, [1, 2])))\n"
    )
    new = rewritten(text, tmp_path)
    assert "mine = lambda x: tnp.sin(x) * scale" in new
    assert "lambda a, b: np.add(a, b) + shift" in new
    printed, names = ran(new)
    assert printed == ran(text)[0]
    assert isinstance(names["shift"], np.ndarray)
    assert is_tensor(names["y"])


def test_operators_that_tensorflow_refuses_are_replaced(tmp_path: Path) -> None:
    """No boundary stands around the top level that could do the call again in NumPy."""
    text = HEAD + (
        "z = np.arange(4).astype(complex)\nsmall = np.arange(4, dtype=np.uint8)\nmask = small > 2\n"
        "rows = [z, small.astype(complex)]\n"
        "print(z > 0, -small, ~mask, mask + mask, mask * 2, small - 1, z.sum())\n"
        "for row in rows:\n    print(row > 1, row[row > 1])\n"
    )
    assert ran(rewritten(text, tmp_path))[0] == ran(text)[0]


def test_variables_of_comprehensions_are_their_own(tmp_path: Path) -> None:
    text = HEAD + (
        "x = 5\nrows = [x * 2 for x in np.exp(np.ones((2, 2)))]\n"
        "def f():\n    return x\n\nprint(x, f(), np.sum(rows[0]).round(8))\n"
    )
    assert ran(rewritten(text, tmp_path))[0] == ran(text)[0]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("print(eval('x + 1'))", "eval() runs a text"),
        ("exec('y = x')", "exec() runs a text"),
        ("print(globals()['x'])", "globals() hands out"),
        ("print(sorted(vars())[-1])", "vars() hands out"),
        ("import sys; print(sys.modules['__main__'])", "sys.modules hands out"),
        ("import timeit; timeit.timeit('x', 'from __main__ import x', number=1)", "a text mentions __main__"),
        ("from pylab import *", "a star import of pylab"),
        ("import multiprocessing", "multiprocessing: its processes"),
        ("from concurrent.futures import ProcessPoolExecutor", "ProcessPoolExecutor: its processes"),
        ("def g():\n    return y\nprint(y := np.exp(x))", "assigned by :="),
        ("items = []\nshown = items\nitems.append(x)\ndef g():\n    return shown", "a list or dict is seen"),
        ("for i, v in enumerate(np.exp(x)):\n    pass\ndef g():\n    return v", "a global is assigned by unpacking"),
        ("y = np.exp(x)\nseen = y\ny[0] = 3\ndef g():\n    return seen", "may also change the module's seen"),
        ("try:\n    y = np.exp(x)[9]\nexcept IndexError as error:\n    y = str(error)", "a handler of IndexError"),
        ("with np.errstate(all='raise'):\n    y = np.log(x)", "errstate"),
    ],
)
def test_what_keeps_the_top_level_in_numpy(line: str, why: str, tmp_path: Path) -> None:
    text = HEAD + f"def f(x):\n    return np.exp(x)\n\n\nx = np.ones(3)\nprint(np.sum(f(x)))\n{line}\n"
    reasons = blocked(text, tmp_path)
    assert any(why in reason and " line " in reason for reason in reasons), reasons
    new = rewritten(text, tmp_path)
    assert "@rt.migrated\ndef f(x):" in new
    assert new.endswith(f"x = np.ones(3)\nprint(np.sum(f(x)))\n{line}\n")


def test_tensorflow_starts_before_the_first_operation(tmp_path: Path) -> None:
    text = '"""A script."""\nimport math\nimport numpy as np\n\nx = np.exp(np.ones(3))\nimport os\nprint(x + 1)\n'
    start = "from np2tnp import runtime as rt\nfrom np2tnp.runtime import tnp\n\nrt.start()\n\nx = "
    assert start in rewritten(text, tmp_path)
    assert start in rewritten(text, tmp_path, enable_numpy_behavior="import")
    assert start in rewritten(text, tmp_path, enable_numpy_behavior="entrypoint")
    assert start in rewritten(text, tmp_path, compile="graph")
    assert 'rt.start(device="/CPU:0")' in rewritten(text, tmp_path, device="/CPU:0")
    for line in (
        "import numpy as np; x = np.exp(np.ones(3))\n",
        "import numpy as np\nimport os; x = np.exp(np.ones(3))\n",
    ):
        new = rewritten(line, tmp_path)
        assert new.index("rt.start()") < new.index("x = ")
        assert ran(new)
    late = "try:\n    import numpy as np\nexcept ImportError:\n    raise SystemExit('no numpy')\nx = np.exp(1.0)\n"
    new = rewritten(late, tmp_path)
    assert new.index("rt.start()") < new.index("try:")


def test_a_missing_device_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no device /GPU:7"):
        ran(rewritten(HEAD + "print(np.exp(np.arange(3.0)))\n", tmp_path, device="/GPU:7"))


@pytest.mark.parametrize(
    ("name", "options", "why"),
    [
        ("test_script.py", {}, "pytest imports it"),
        ("package/part.py", {}, "it belongs to a package"),
        ("tool.py", {}, "other.py imports it"),
        ("found_at_run_time.py", {}, "nested/user.py imports it"),
        ("script.py", {"enable_numpy_behavior": "never"}, "leaves TensorFlow's start to the program"),
    ],
)
def test_what_others_may_import_stays_numpy(name: str, options: dict[str, str], why: str, tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "nested").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "other.py").write_text("from tool import (\n    x,\n)\nfrom scipy import signal\n")
    (tmp_path / "nested" / "user.py").write_text("import sys\nsys.path.append('..')\nimport found_at_run_time\n")
    report = report_of(HEAD + "x = np.exp(np.ones(3))\n", tmp_path, name, **options)
    assert why in top_of(report).reasons[0]
    assert report.new_text is None
    # neither a module of the same name elsewhere nor a mention in a package of somebody else's counts
    for script in ("signal.py", "package/__main__.py", "01-intro.py"):
        assert top_of(report_of(HEAD + "x = np.exp(np.ones(3))\n", tmp_path, script)).state is RegionState.CONVERTIBLE


def test_without_the_option_the_top_level_stays(tmp_path: Path) -> None:
    text = HEAD + "x = np.exp(np.ones(3))\nprint(x)\n"
    report = analyze(Source(str(tmp_path / "s.py"), text), Config(str(tmp_path), rewrite=True))
    assert report.new_text is None
    assert top_of(report).state is RegionState.KEPT


def test_tensor_boundaries_are_refused() -> None:
    with pytest.raises(ConfigError, match="--top-level needs a boundary"):
        load([], {"top_level": True, "boundary": "tensor"}, isolated=True)


def test_commands_and_configuration_agree(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(HEAD + "x = np.exp(np.ones(3))\nprint(x.sum())\n")
    config = tmp_path / "np2tnp.toml"

    def np2tnp(*arguments: str) -> str:
        command = [sys.executable, "-m", "np2tnp", *arguments, "s.py"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout

    given = np2tnp("rewrite", "--top-level")
    plain = np2tnp("check", "--output-format", "json")
    config.write_text("top-level = true\n")
    assert np2tnp("rewrite") == given
    assert "+rt.start()" in given
    checked = json.loads(np2tnp("check", "--output-format", "json"))
    assert json.loads(plain)["summary"]["regions"]["convertible"] == 0
    assert checked["summary"]["regions"]["convertible"] == 1
