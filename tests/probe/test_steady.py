"""Repeated runs of the probe settle on the worst of what unstable kernels do, and take everything else anew."""

from __future__ import annotations

import pytest

from np2tnp.probe import agreement, facts_file
from np2tnp.probe import facts_file as steady
from np2tnp.probe.facts_file import keep_worst

CRASH, FEW, MANY = "crash in 1 of 19: (v, -2)", "dtype in 13 of 19: (v, w)", "dtype in 14 of 19: (v, w)"
SYSTEM, SILENT = "error SystemError in 1 of 19: (v, -2)", "no error in 1 of 19: (v, -2)"


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("ulp:3", "ulp:1", "ulp:3"),
        ("ulp:1", "ulp:3", "ulp:3"),
        (CRASH, FEW, CRASH),
        (FEW, CRASH, CRASH),
        (MANY, FEW, MANY),
        (FEW, MANY, MANY),
        (CRASH, SILENT, CRASH),
        (SYSTEM, SILENT, SYSTEM),
        (SILENT, SYSTEM, SYSTEM),
        (MANY, "dtype in 13 of 20: (v, w)", "dtype in 13 of 20: (v, w)"),
        (MANY, "value in 13 of 19: (v, w)", "value in 13 of 19: (v, w)"),
        (MANY, "equal", "equal"),
    ],
)
def test_of_two_observations_the_worse_one_is_kept(old: str, new: str, kept: str) -> None:
    before, after = ({"f": {"agreement": {"tnp": {"BH": label, "cases": 19}}}} for label in (old, new))
    assert keep_worst(before, after, ["tnp"])["f"]["agreement"]["tnp"] == {"BH": kept, "cases": 19}


def test_dtypes_that_came_to_the_same_stay_together() -> None:
    before = {"f": {"agreement": {"tnp": {"bhBH": MANY}}}}
    after = {"f": {"agreement": {"tnp": {"bh": MANY, "BH": FEW}}}}
    assert keep_worst(before, after, ["tnp"])["f"]["agreement"]["tnp"] == {"bhBH": MANY}


def test_a_crash_is_told_before_what_differs_more_often() -> None:
    calls = [(call, set(), {"b": label}) for call, label in (("v", "value"), ("z", "crash"), ("m", "value"))]
    assert agreement._groups(calls, set()) == {"b": "crash in 1 of 3: (z)"}
    assert agreement._groups(calls[:1], set()) == {"b": "value in 1 of 1: (v)"}


def test_operators_keep_what_overflows_on_either_machine() -> None:
    before, after = ({"operator.pow": {"tnp": {"weak_int_overflow": chars}}} for chars in ("LFD", "bF"))
    assert keep_worst(before, after, ["tnp"])["operator.pow"]["tnp"] == {"weak_int_overflow": "bLFD"}


@pytest.mark.parametrize(
    ("new", "printed", "counted"),
    [
        ({"fd": "ulp:3", "cases": 9}, 0, 1),
        ({"f": "equal", "d": "ulp:2", "cases": 9}, 0, 0),
        ({"f": "equal", "d": "value in 1 of 9: (v)", "cases": 9}, 1, 0),
        ({"f": "equal", "d": "ulp:2", "cases": 10}, 1, 0),
    ],
)
def test_rounding_of_another_machine_is_counted_and_not_a_change(
    capsys: pytest.CaptureFixture[str], new: dict[str, object], printed: int, counted: int
) -> None:
    old = {"f": "equal", "d": "ulp:2", "cases": 9}
    facts_file.print_diff({"numpy.f": {"agreement": {"rt": old}}}, {"numpy.f": {"agreement": {"rt": new}}})
    found = capsys.readouterr()
    assert found.out.count("numpy.f agreement") == printed
    assert found.err.count("1 name rounds, or fails, otherwise") == counted


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        (FEW, CRASH, False),
        (SYSTEM, "value in 2 of 19: (v, w)", False),
        (FEW, MANY, True),
        ("ulp:1", CRASH, True),
        (SILENT, "equal", True),
    ],
)
def test_how_an_unstable_kernel_fails_is_no_change_and_that_it_fails_is(old: str, new: str, changed: bool) -> None:
    before, after = ({"tnp": {"BH": label, "d": "equal", "cases": 19}} for label in (old, new))
    assert steady.differ(before, after) is changed
