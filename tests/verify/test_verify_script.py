"""``verify --top-level``: both versions of a script are run, and what they print is compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp.verify.program import TOP_LEVEL, Ended, FunctionVerdict, Limits, difference, verify_all, verify_script
from np2tnp.verify.two_texts import Pair, is_top_level_changed

pytestmark = pytest.mark.usefixtures("forked_children")

START = "from np2tnp import runtime as rt\n\nrt.start()\n"


def pair_of(original: str, rewritten: str, folder: Path) -> Pair:
    return Pair(str(folder / "script.py"), original, rewritten, "the test", in_memory=True)


@pytest.mark.parametrize(
    ("before", "after", "rounded"),
    [
        ("sum 1.5 of 3", "sum 1.5 of 3", 0),
        ("0.1 0.30000000000000004", "0.1 0.3", 1),
        ("mean: 0.123457, 2.5e-07", "mean: 0.123456, 2.6e-07", 2),
        ("1.0\n2.00", "1.0\n2.01", 1),
        ("[0.  1.5]", "[0.   1.5]", None),
        ("12 apples", "13 apples", None),
        ("0.123457", "0.123459", None),
        ("0.123456789012345", "0.123456789112345", None),
        ("yes 1.5", "no 1.5", None),
        ("1.5", "1.5\n", 0),
        ("1.5", "1.5\nmore", None),
        ("nan 1.0", "inf 1.0", None),
    ],
)
def test_only_last_digits_may_differ(before: str, after: str, rounded: int | None) -> None:
    found, number = difference(Ended(before), Ended(after))
    assert bool(found) is (rounded is None)
    assert number == (rounded or 0)


def test_other_exit_statuses_are_differences() -> None:
    found, _ = difference(Ended("same"), Ended("same", 1, "InvalidArgumentError"))
    assert found == "the original ends with status 0, the rewritten script with status 1 (InvalidArgumentError)"


def test_the_start_of_tensorflow_is_no_change(tmp_path: Path) -> None:
    text = "import numpy as np\nx = 1\n\ndef f():\n    return x\n"
    assert not is_top_level_changed(pair_of(text, START + text.replace("def", "@rt.migrated\ndef"), tmp_path))
    assert is_top_level_changed(pair_of(text, START + text.replace("x = 1", "x = rt.host(1)"), tmp_path))


@pytest.mark.usefixtures("new_children")
def test_a_script_that_prints_the_same_is_equal_and_another_is_different(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("0.5")
    original = (
        "import pathlib, sys\nimport numpy as np\n"
        "start = float((pathlib.Path(__file__).parents[0] / 'data.txt').read_text())\n"
        "print(__name__, sys.argv[1:], np.exp(np.full(3, start)).sum())\n"
    )
    new = START + original.replace("np.exp(np.full(3, start)).sum()", "rt.host(rt.sum(rt.exp(rt.full(3, start))))")
    (equal,) = verify_all(pair_of(original, new, tmp_path), [TOP_LEVEL], Limits())
    assert (equal.verdict, equal.reason) == (FunctionVerdict.EQUAL, "")
    assert equal.operations > 2
    (wrong,) = verify_all(pair_of(original, new.replace("rt.sum(", "rt.max("), tmp_path), [TOP_LEVEL], Limits())
    assert wrong.verdict is FunctionVerdict.DIFFERENT
    assert "line 1 of the output: '__main__ [] 4.9" in wrong.difference


@pytest.mark.parametrize(
    ("original", "why"),
    [
        ("import time\nprint(time.time_ns())\n", "the original script itself prints something else each time"),
        ("print(undefined)\n", "the original script ends with status 1 (NameError)"),
        ("print(1)\n", "it printed the same, but TensorFlow did no work"),
        ("import time\ntime.sleep(60)\n", "the original script takes longer than"),
    ],
)
def test_what_cannot_be_said_is_untested(original: str, why: str, tmp_path: Path) -> None:
    result = verify_script(pair_of(original, original + "\n", tmp_path), 1.0 if "sleep" in original else 120.0)
    assert result.verdict is FunctionVerdict.UNTESTED
    assert why in result.reason
