"""Which regions get a further look, in which more of their arrays are ndarrays."""

from __future__ import annotations

import libcst as cst
import pytest

from np2tnp.analysis import events as ev
from np2tnp.analysis.regions import Fate
from np2tnp.edits.edit import Edits
from np2tnp.model import RegionState, Verdict
from np2tnp.rewrite.plan import RegionPlan
from np2tnp.rules.base import Hit


@pytest.mark.parametrize(
    ("codes", "fate"),
    [
        (["TNP503", "TNP206"], Fate.IN_DOUBT),
        (["TNP503", "TNP503", "TNP206"], Fate.IN_DOUBT),
        (["TNP503", "TNP206", "TNP201"], Fate.STAYS),
        (["TNP301"], Fate.STAYS),
    ],
)
def test_three_kinds_of_obstacles_end_second_looks(codes: list[str], fate: Fate) -> None:
    node = cst.Name("x")
    hits = [Hit(code, node, "", Verdict.BLOCK) for code in codes]
    plan = RegionPlan(ev.RegionFacts("f", node), hits, Edits(), RegionState.BLOCKED, hits)
    assert plan.fate_again is fate
    assert plan.fate is (Fate.STAYS if codes == ["TNP301"] else Fate.IN_DOUBT)
