"""The oracle sees what happens in a program, and tells what ``check`` does not say or says wrongly."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import oracle  # noqa: E402
from witness.compare import compare  # noqa: E402
from witness.places import Seen, Sight  # noqa: E402
from witness.subjects import Task  # noqa: E402

from np2tnp import pipeline  # noqa: E402
from np2tnp.config import Config  # noqa: E402

PROGRAM = '''\
"""A program."""
import operator

import numpy as np


def hidden(x):
    y = np.exp(x)
    operator.iadd(y, 1)
    return np.sum(y)


def through_view(x):
    y = np.sqrt(x)
    row = y[0]
    row += 1
    return y.sum(), row


def unseen(n):
    return fill(np.zeros(n))


def fill(x):
    x[:] = 1
    return x


def numbers(scale, x):
    scale += 1
    x["a"] = scale
    return x


def orders(x):
    text = np.array(["a"])
    return np.asfortranarray(x), text
'''
CALLS = (
    "hidden(np.arange(3.0))",
    "through_view(np.ones((2, 3)))",
    "unseen(2)",
    "numbers(1.5, {})",
    "orders(np.ones((2, 3)))",
)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Sight]]:
    folder = tmp_path_factory.mktemp("oracle")
    path = folder / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    found, problems = oracle.observe(Task("test", (path,), (("calls", str(path), *CALLS),)), folder, 60, 120)
    assert problems == []
    return found


def at(seen: dict[str, list[Sight]], kind: str, line: str) -> Sight:
    """What was seen at the widest place of a kind in the line of the program."""
    number = PROGRAM.splitlines().index(line) + 1
    found = [sight for sight in next(iter(seen.values())) if sight.place.kind == kind and sight.place.line == number]
    return max(found, key=lambda sight: sight.place.end)


def test_updates_by_callees_are_seen(seen: dict[str, list[Sight]]) -> None:
    sight = at(seen, "call", "    operator.iadd(y, 1)")
    assert Seen.WROTE in sight.seen
    assert Seen.NUMPY not in sight.seen


def test_a_write_through_a_view_knows_who_reads_it(seen: dict[str, list[Sight]]) -> None:
    sight = at(seen, "inplace", "    row += 1")
    assert Seen.WROTE in sight.seen
    assert [place.line for place in sight.readers] == [sight.place.line + 1]


def test_what_nobody_sees_is_no_update(seen: dict[str, list[Sight]]) -> None:
    assert Seen.WROTE not in at(seen, "call", "    return fill(np.zeros(n))").seen
    assert Seen.WROTE in at(seen, "store", "    x[:] = 1").seen


def test_numbers_and_dicts_are_no_arrays(seen: dict[str, list[Sight]]) -> None:
    assert Seen.WROTE not in at(seen, "inplace", "    scale += 1").seen
    assert Seen.WROTE not in at(seen, "store", '    x["a"] = scale').seen


def test_orders_dtypes_and_names_are_seen(seen: dict[str, list[Sight]]) -> None:
    ordered = at(seen, "call", "    return np.asfortranarray(x), text")
    assert Seen.ORDER | Seen.MADE_FORTRAN in ordered.seen
    assert ordered.names == ("numpy.asfortranarray",)
    assert Seen.MADE_FOREIGN in at(seen, "call", '    text = np.array(["a"])').seen


def test_check_tells_all_of_it(seen: dict[str, list[Sight]]) -> None:
    found = oracle.figures(oracle.judge(seen))
    assert (found["recall_convertible"], found["recall_elsewhere"]) == (1, 1)
    kinds = {row["kind"] for row in found["recall"]}
    assert kinds == {"write", "shared write", "NumPy call", "Fortran order", "foreign dtype"}


@pytest.mark.parametrize("code", ["TNP503", "TNP001", "TNP202", "TNP101"])
def test_a_finding_that_is_not_there_is_missed(code: str, seen: dict[str, list[Sight]]) -> None:
    (path,) = seen
    (report,) = pipeline.check([path], Config(root=str(Path(path).parent), slow="convert", cache=False)).reports
    less = replace(report, findings=tuple(finding for finding in report.findings if finding.code != code))
    tally = compare(less, seen[path], PROGRAM)
    assert tally.missed
    assert all(line.startswith(("MISSED", "FALSE")) for line in oracle.lines(tally))


def test_a_finding_about_what_did_not_happen_is_false(seen: dict[str, list[Sight]]) -> None:
    nothing = {path: [sight._replace(seen=Seen.RAN, readers=()) for sight in sights] for path, sights in seen.items()}
    tally = oracle.judge(nothing)
    assert not tally.happened
    assert len(tally.false) == sum(tally.executed.values()) > 10


def test_nothing_happens_untold_where_code_is_migrated(tmp_path: Path) -> None:
    programs = [ROOT / "fixtures" / "programs" / f"{name}.py" for name in ("24_views", "30_globals", "87_heat")]
    projects = [path / f"{path.name}.py" for path in sorted((ROOT / "fixtures" / "projects").iterdir())]
    files = (*programs, *(path for path in projects if path.is_file()))
    task = Task("migrated", files, tuple(("examples", str(path)) for path in files))
    observed, problems = oracle.observe(task, tmp_path, 60, 300)
    tally = oracle.judge(observed)
    assert problems == []
    assert sum(tally.happened.values()) > 400
    assert [line for line in oracle.lines(tally) if line.startswith("MISSED")] == []
