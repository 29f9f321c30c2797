"""``--on-unverified numpy|warn``: originals are kept beside what was migrated, and do what would be refused."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from side_by_side import Call, Pair, compare_text, rewrite
from snippets import read_all, variants

from np2tnp.config import Config, RegionOptions
from np2tnp.engine import analyze
from np2tnp.files.source import Source
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


def test_the_original_stands_before_the_migrated_function() -> None:
    new = rewrite(TEXT, on_unverified="numpy").new_text
    assert new is not None
    assert (
        "log = []\n\n\ndef _relax_numpy(field, steps=3, memo=..., start=...):\n    for _ in range(steps):\n"
        "        field[1:-1] = 0.5 * (field[:-2] + field[2:])\n    return field.sum()\n\n\n"
        "# what a relaxation is\n@rt.migrated(" in new
    )
    assert "class Model:\n    def _step_numpy(self, x):\n        return np.tanh(x) * 2.0\n\n    @rt.migrated(" in new
    assert '    @staticmethod\n    @rt.migrated(original=_total_numpy, on_unverified="numpy", above=0)\n' in new
    assert "def _prints_numpy_(x):" in new
    assert "on_unverified" not in (rewrite(TEXT, on_unverified="raise").new_text or "")


def test_only_functions_without_effects_are_pure() -> None:
    new = rewrite(TEXT, on_unverified="numpy").new_text
    assert new is not None
    functions = [node for node in ast.walk(ast.parse(new)) if isinstance(node, ast.FunctionDef)]
    pure = {node.name for node in functions if any("pure=True" in ast.unparse(one) for one in node.decorator_list)}
    assert pure == {"relax", "near", "helper", "asks", "step"}


def test_a_second_run_changes_nothing() -> None:
    new = rewrite(TEXT, on_unverified="numpy").new_text
    assert new is not None
    again = rewrite(new, on_unverified="numpy")
    assert again.new_text is None
    assert not {region.qualname for region in again.regions} & {"_relax_numpy", "Model._step_numpy", "_near_numpy"}
    assert not [finding for finding in again.findings if finding.region.endswith("_numpy")]


def test_originals_are_the_default() -> None:
    new = analyze(Source("m.py", TEXT), Config(rewrite=True)).new_text or ""
    assert '@rt.migrated(original=_helper_numpy, on_unverified="numpy", pure=True)\ndef helper(x):' in new
    tensors = analyze(Source("m.py", TEXT), Config(rewrite=True, boundary="tensor")).new_text or ""
    assert "_numpy" not in tensors.replace("_prints_numpy", "")


def test_above_keeps_numpy_for_small_arguments() -> None:
    text = "import numpy as np\n\n\ndef f(x):\n    return np.exp(x)\n"
    new = analyze(Source("m.py", text), Config(rewrite=True, above=20_000, on_unverified="raise")).new_text or ""
    assert "@rt.migrated(original=_f_numpy, above=20_000)\ndef f" in new
    one = RegionOptions("m.py", "f", above=500)
    new = analyze(Source("m.py", text), Config(rewrite=True, above=20_000, region_options=(one,))).new_text or ""
    assert "above=500)\ndef f" in new  # what was measured decides


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
        y[i + 1] = y[i] + (t[i + 1] - t[i]) * f(y[i], t[i])
    return y
"""
    report = rewrite(text, on_unverified="raise")
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
    assert [judgement.kind for judgement in strict][1:] == ["refused", "refused"]
    assert {judgement.kind for judgement in lenient} == {"equal"}


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


def test_headings_stand_above_the_original_and_comments_of_the_function_below_it() -> None:
    new = rewrite(
        """
import numpy as np

# --- waves

# of f
def f(x):
    '''Doc.'''

    # first
    return np.sin(x)
""",
        on_unverified="numpy",
    ).new_text
    assert new is not None
    order = [
        "# --- waves",
        "def _f_numpy(x):\n    # first\n",
        "# of f\n@rt.migrated(",
        "def f(x):\n    '''Doc.'''\n\n    # first\n",
    ]
    places = [new.index(text) for text in order]
    assert places == sorted(places)
    assert new.count("# --- waves") == new.count("# of f") == 1
