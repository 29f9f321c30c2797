"""Repeated runs of the probe settle on the worst of what unstable kernels do, and take everything else anew."""

from __future__ import annotations

import pytest

from np2tnp.differential.steady import keep_worst

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
