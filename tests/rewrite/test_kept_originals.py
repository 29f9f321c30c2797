"""``--on-unverified numpy|warn``: originals are kept beside what was migrated, and do what would be refused."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from forked_python import python

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from side_by_side import Call, Pair, compare_text, rewrite
from snippets import read_all, variants

from np2tnp.config import Config, RegionOptions
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.rewrite.originals import HEADING
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.boundary.contract import Plan

TEXT = '''
import ast
import itertools

import numpy as np

counter = itertools.count()
log = []


# what a relaxation is
def relax(field, steps=3, memo={}, start=next(counter)):
    """Relaxes."""
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])
    return field.sum()


class Model:
    def step(self, x):
        return np.tanh(x) * 2.0

    @staticmethod
    def total(x):
        log.append(1)
        return np.exp(x).sum()


def near(x):
    total = relax(x)
    return total + helper(x)


def helper(x):
    return np.exp(x).sum()


def asks(rows):
    return [np.exp(row) for row in rows]


def prints(x):
    print(np.exp(x))
    return -x


def _prints_numpy():
    return None
'''


def test_originals_stand_in_one_block_at_the_end() -> None:
    new = rewrite(TEXT, on_unverified="numpy").new_text
    assert new is not None
    before, heading, block = new.partition(f"\n\n\n{HEADING}\n\n\n")
    assert heading
    assert "return None" in before  # the last function of the module stands above
    assert (
        '@rt.original("relax", scalars="steps", above=0)\ndef _(field, steps=3, memo={}, start=...):\n'
        "    for _ in range(steps):\n        field[1:-1] = 0.5 * (field[:-2] + field[2:])\n    return field.sum()\n"
        in block
    )
    assert 'class Model:\n    @rt.migrated(reals_or_numbers="x")\n    def step(self, x):\n' in before
    assert (
        '@rt.original("Model.step", above=0, compile="auto")\ndef _(self, x):\n    return np.tanh(x) * 2.0\n' in block
    )
    assert '    @staticmethod\n    @rt.migrated(reals="x")\n    def total(x):\n' in before
    assert '@rt.original("Model.total", effects=True, above=0)\ndef _(x):\n' in block
    order = [block.index(f'"{name}"') for name in ("relax", "Model.step", "Model.total", "near", "helper", "prints")]
    assert order == sorted(order)
    assert "rt.original" not in (rewrite(TEXT, on_unverified="raise").new_text or "")
    assert '"helper", on_unverified="warn"' in (rewrite(TEXT, on_unverified="warn").new_text or "")


def test_only_functions_without_effects_are_pure() -> None:
    new = rewrite(TEXT, on_unverified="numpy").new_text
    assert new is not None
    lines = [line for line in new.splitlines() if line.startswith("@rt.original(")]
    pure = {line.split('"')[1] for line in lines if "effects=True" not in line}
    assert pure == {"relax", "near", "helper", "asks", "Model.step"}


def apart(text: str) -> set[str]:
    """The functions whose originals stand in the block."""
    new = rewrite("import numpy as np\n" + text, on_unverified="numpy").new_text or ""
    return set(re.findall(r'@rt\.original\(\s*"([\w.]+)"', new))


EXP = "(x):\n    return np.exp(x)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"def f{EXP}Y = f(np.ones(2))\ndef g{EXP}", {"g"}),
        (f"def f{EXP}def h(x):\n    return f(x)\nY = h(1.0)\ndef g{EXP}", {"g"}),
        (f"def f{EXP}TABLE = {{'f': f}}\ndef g{EXP}", {"f", "g"}),
        (f"def f{EXP}TABLE = dict(f=f)\ndef g{EXP}", {"g"}),
        (f"def f{EXP}from . import other\ndef g{EXP}", {"g"}),
        (f"def f{EXP}import os\ndef g{EXP}", {"f", "g"}),
        (f"def f{EXP}Y = eval('f(1.0)')\ndef g{EXP}", {"g"}),
        (f"def f{EXP}def now(h):\n    h(1.0)\n    return h\n@now\ndef k(x):\n    return f(x)\ndef g{EXP}", {"g"}),
        (f"def f{EXP}class A:\n    Y = f(1.0)\ndef g{EXP}", {"g"}),
        (f"def f{EXP}for n in range(2):\n    f(n)\ndef g{EXP}", {"g"}),
        (f"def f{EXP}def g(x, y=f(1.0)):\n    return np.exp(x) + y\n", {"g"}),
        (f"def f{EXP}T = np.ones(2)\ndef g{EXP}x = np.ones(2)\nprint(f(x), g(x))\n", {"f", "g"}),
        (f"def f{EXP}np.f = f\nT = np.f(2.0)\ndef g{EXP}", {"g"}),
        (f"def f{EXP}setattr(np, 'f', f)\nT = np.f(2.0)\ndef g{EXP}", {"g"}),
        (f"def f{EXP}x = f\ndef g(y=x(1.0)):\n    return np.exp(y)\n", {"g"}),
        (f"def f{EXP}if __name__ == '__main__':\n    print(f(1.0))\n", {"f"}),
        (f"def f{EXP}print(f(1.0))\n", {"f"}),
        (f"if True:\n    def f(x):\n        return np.exp(x)\ndef g{EXP}", {"g"}),
        (f"def f{EXP}def f{EXP}def g{EXP}", {"g"}),
        (f"# %%\ndef f{EXP}", set()),
        ("class A:\n    def f(self, x):\n        return np.exp(x) * self.__w\n", set()),
        ("class A(B):\n    def f(self, x):\n        return super().g(np.exp(x))\n", set()),
        ("class A:\n    Kind = float\n    def f(self, x: Kind):\n        return np.exp(x)\n", set()),
        ("class A:\n    class B:\n        def f(self, x):\n            return np.exp(x)\n", {"A.B.f"}),
        ("class A:\n    @property\n    def f(self):\n        return np.exp(self.x)\n", {"A.f"}),
        (
            f"class A:\n    def __init_subclass__(cls):\n        f(1.0)\ndef f{EXP}class B(A):\n    pass\ndef g{EXP}",
            {"g"},
        ),
    ],
)
def test_originals_that_may_be_needed_before_the_end_or_work_nowhere_else_stay_beside(
    text: str, expected: set[str]
) -> None:
    assert apart(text) == expected


def test_the_block_stands_before_what_runs_the_program_and_is_named_by_nothing(tmp_path: Path) -> None:
    text = (
        "import numpy as np\n\n\ndef f(x, k=(1.0, 2), dtype=np.float64, *, seen=[]):\n"
        "    return np.exp(x), k, dtype, seen\n\n\nclass A:\n    @classmethod\n    def make(cls, x):\n"
        "        return cls.__name__, np.exp(x)\n\n    @property\n    def w(self):\n        return np.exp(self.v)\n\n\n"
        "if __name__ == '__main__':\n    print(f([0.0]), A.make([0.0]))\n"
    )
    new = rewrite(text, on_unverified="numpy").new_text or ""
    assert new.index("@rt.original") < new.index("if __name__")
    assert "def _(x, k=(1.0, 2), dtype=np.float64, *, seen=[]):" in new
    looks = (
        "import runpy, sys\nspace = runpy.run_path(sys.argv[1], run_name='__main__')\nA, f = space['A'], space['f']\n"
        "for names in (space, vars(A)):\n    print([k for k in names if k[:2] != '__' and k not in 'rt tnp _'])\n"
        "print(space.get('_'), f.__defaults__, f.__kwdefaults__, f.__name__, A.make.__qualname__)\n"
    )
    printed = []
    for name, code in (("old.py", text), ("new.py", new)):
        (tmp_path / name).write_text(code)
        done = python("-c", looks, str(tmp_path / name))
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]


def test_the_name_of_originals_hides_nothing() -> None:
    text = f"import numpy as np\nfrom gettext import gettext as _\ndef f{EXP}def g(x):\n    print(_('a'))\n"
    new = rewrite(text, on_unverified="numpy").new_text or ""
    assert "def _original(x):" in new


def test_a_second_run_changes_nothing() -> None:
    new = rewrite(TEXT, on_unverified="numpy").new_text
    assert new is not None
    again = rewrite(new, on_unverified="numpy")
    assert again.new_text is None
    assert not {region.qualname for region in again.regions} & {"_relax_numpy", "Model._step_numpy", "_near_numpy"}
    assert not [finding for finding in again.findings if finding.region.endswith("_numpy")]


def test_originals_are_the_default() -> None:
    new = analyze(Source("m.py", TEXT), Config(rewrite=True)).new_text or ""
    assert '@rt.migrated(reals="x")\ndef helper(x):' in new
    assert '@rt.original("helper", work=5, compile="auto")\ndef _(x):' in new
    tensors = analyze(Source("m.py", TEXT), Config(rewrite=True, boundary="tensor")).new_text or ""
    assert "_numpy" not in tensors.replace("_prints_numpy", "")
    assert "rt.original" not in tensors


def test_above_keeps_numpy_for_small_arguments() -> None:
    text = "import numpy as np\n\n\ndef f(x):\n    return np.exp(x)\n"
    new = analyze(Source("m.py", text), Config(rewrite=True, above=20_000, on_unverified="raise")).new_text or ""
    assert '@rt.original("f", on_unverified="raise", effects=True, above=20_000)\ndef _' in new
    one = RegionOptions("m.py", "f", above=500)
    new = analyze(Source("m.py", text), Config(rewrite=True, above=20_000, region_options=(one,))).new_text or ""
    assert 'above=500, compile="auto")\ndef _' in new  # what was measured decides


@pytest.mark.parametrize("base", ["Protocol", "typing.Protocol", "Protocol[T]"])
def test_protocols_stay_as_they_are(base: str) -> None:
    text = f"import numpy as np\n\n\nclass P({base}):\n    def f(self, x):\n        return np.exp(x)\n"
    new = rewrite(text, on_unverified="numpy").new_text or ""
    assert "@rt.migrated\n    def f" in new


def test_a_function_that_is_defined_twice_has_two_originals() -> None:
    text = "import numpy as np\n" + 2 * "\n\ndef f(x):\n    return np.exp(x)\n"
    new = rewrite(text, on_unverified="numpy").new_text or ""
    assert rewrite(new, on_unverified="numpy").new_text is None


@pytest.mark.parametrize("mode", ["numpy", "warn"])
@pytest.mark.filterwarnings("ignore::np2tnp.runtime.UnverifiedWarning")
def test_what_would_be_refused_is_done(mode: str) -> None:
    calls = ["relax(np.arange(5.0))", "relax(np.ma.arange(5.0))", "relax([1.0, 2.0, 4.0])"]
    calls += ["Model().step(np.ma.array([1.0, 2.0], mask=[True, False]))", "near(np.ma.arange(4.0))"]
    calls += ["prints(np.arange(3, dtype=np.uint8))"]
    _, strict = compare_text(TEXT, calls)
    _, lenient = compare_text(TEXT, calls, on_unverified=mode)
    assert "refused" in {judgement.kind for judgement in strict}
    kinds = [judgement.kind for judgement in lenient]
    assert set(kinds[:-1]) <= {"equal", "raised"}
    assert kinds[-1] in ("equal", "refused")  # it has printed when it is refused


def test_snippets_that_are_refused_become_equal() -> None:
    refused = [snippet for snippet in read_all() if snippet.state == "refused"]
    saved = 0
    for snippet in refused:
        report = rewrite(snippet.text, on_unverified="numpy")
        if report.new_text is not None:
            judgements = Pair(snippet.text, report.new_text).compare(map(Call.parse, snippet.calls))
            kinds = {judgement.kind for judgement in judgements}
            # what prints, updates lists, or calls what nobody knows before it is refused, is never called twice
            late = any(text in snippet.text for text in ("class ", "print(", "p += q"))
            late |= any(text in report.new_text for text in ("rt.unchanging(", "rt.host(rt.not_zero_d("))
            assert kinds <= {"equal", "raised", "misused"} | ({"refused"} if late else set()), snippet.name
            saved += "refused" not in kinds
    assert saved > len(refused) / 2


def test_arrays_that_a_refused_call_changed_get_their_values_back() -> None:
    text = """
import numpy as np


def euler(f, y0, t):
    y = np.zeros((len(t), len(y0)))
    y[0] = y0
    for i in range(len(t) - 1):
        y[i + 1] = y[i] + (t[i + 1] - t[i]) * np.tanh(f(y[i], t[i]))
    return y
"""
    report = rewrite(text, on_unverified="raise", slow="convert")
    assert report.new_text is not None
    assert "rt.unchanging(" in report.new_text
    call = "euler(np.sin, np.array([0.5, 0.2]), np.array([[1.0, 1.0], [2.0, 1.0]]))"  # np.sin's second one is out=
    assert [it.kind for it in Pair(text, report.new_text).compare([Call.parse(call)])] == ["refused"]


def test_decimals_are_left_to_numpy_where_they_are_found_late() -> None:
    text = """
from decimal import Decimal

import numpy as np


def total(rates, n):
    rates, n = map(np.asarray, [rates, n])
    return np.where(rates == 0, n, (1 + rates) ** n) * 2
"""
    judgements = compare_text(text, ["total([Decimal('0.5'), Decimal(0)], Decimal(2))"], on_unverified="numpy")[1]
    assert [judgement.kind for judgement in judgements] == ["equal"]


def test_objects_that_only_a_call_shows_are_left_to_numpy() -> None:
    text = "import numpy as np\n\n\ndef f(v, w):\n    return np.squeeze(np.array([[v, w]])), np.exp(2.0)\n"
    calls = ["f(1.0, 2.0)", "f(None, 2.0)", "f('a', 'b')"]
    _, strict = compare_text(text, calls, on_unverified="raise")
    _, lenient = compare_text(text, calls, on_unverified="numpy")
    assert {judgement.kind for judgement in (*strict, *lenient)} == {"equal"}


def test_arrays_of_the_host_stay_there_where_the_original_is_called_for_a_core() -> None:
    text = """
import copy

import numpy as np


def scaled(a, weights):
    mean = (a + weights).mean()
    return copy.deepcopy(np.exp(a * weights) + mean)


def total(a, weights):
    first = scaled(np.tanh(a), weights)
    return first.sum(), first.shape, first.T.flags.writeable, isinstance(first, np.ndarray)
"""
    calls = ["total(np.arange(3.0), np.ones(3))", "total(np.arange(3.0), [1.0, 2.0, 3.0])"]
    report, lenient = compare_text(text, calls, on_unverified="numpy")
    assert "= scaled.core(" in (report.new_text or "")
    assert [judgement.kind for judgement in lenient] == ["equal", "equal"]


@pytest.mark.parametrize("file", ["views.txt", "recursion.txt", "updates_seen_elsewhere.txt"])
def test_any_core_may_be_refused(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare, refused = Plan.prepare, []

    def refuse(plan: Plan, args: Any, kwargs: Any, *, public: bool, begins_again: bool = True) -> Any:
        if public:
            return prepare(plan, args, kwargs, public=public, begins_again=begins_again)
        refused.append(plan.name)
        raise UnverifiedError("for the test")

    monkeypatch.setattr(Plan, "prepare", refuse)
    for snippet in read_all():
        text = variants(snippet).get("working", snippet.text)
        if snippet.file == file and snippet.state == "equal" and text.count("def ") > 1:
            report = rewrite(text, on_unverified="numpy")
            if ".core(" in (report.new_text or ""):
                judgements = Pair(text, report.new_text or "").compare(map(Call.parse, snippet.calls))
                assert {judgement.kind for judgement in judgements} <= {"equal", "raised", "misused"}, snippet.name
    assert refused


HEADED = """
import numpy as np

# --- waves

# of f
def f(x):
    '''Doc.'''

    # first
    return np.sin(x)
"""


@pytest.mark.parametrize("is_apart", [True, False])
def test_headings_stay_above_and_comments_of_the_function_with_it(is_apart: bool) -> None:
    early = "\n\nY = f(1.0)\n\n\ndef g(x):\n    return np.exp(x)\n"
    text = rewrite(HEADED + early * (not is_apart), on_unverified="numpy").new_text or ""
    original = (
        '@rt.original("f", above=0, compile="auto")\ndef _(x):\n    # first\n'
        if is_apart
        else "def _f_numpy(x):\n    # first\n"
    )
    order = ["# --- waves", original, "# of f\n@rt.migrated", "def f(x):\n    '''Doc.'''\n\n    # first\n"]
    if is_apart:
        order = [order[0], *order[2:], HEADING, original]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("# --- waves") == text.count("# of f") == 1
