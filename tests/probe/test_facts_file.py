"""The file of facts: what several versions measured, merged so that no promise is better than what was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy")

from np2tnp.probe import facts_file


def fact(dtypes: str, **more: object) -> dict[str, object]:
    entry = {"target": "tnp.f", "accepted": ["a"], "dtypes": dtypes, **more}
    return {"kind": "function", "tnp": entry, "agreement": {"tnp": {"cases": 1}, "rt": {"cases": 2}}}


NEW = {"numpy": "2.4.6", "tensorflow": "2.21.0", "python": "3.11"}


OLD = {"numpy": "2.0.2", "tensorflow": "2.18.1", "python": "3.11"}


def test_an_older_tensorflow_adds_what_differs_there() -> None:
    document = {
        "schema": 1,
        "versions": NEW,
        "apis": {"numpy.f": fact("fd"), "numpy.g": fact("d")},
        "by_tensorflow": {},
    }
    older = {"numpy.f": fact("d"), "numpy.g": fact("d"), "numpy.h": fact("d")}
    changed = facts_file.updated(document, older, OLD)
    assert changed["apis"] == document["apis"]
    assert changed["versions"] == NEW
    entry = changed["by_tensorflow"]["2.18"]
    assert entry["versions"] == OLD
    assert list(entry["apis"]) == ["numpy.f"]
    assert entry["apis"]["numpy.f"]["tnp"]["dtypes"] == "d"
    assert facts_file.seen_by(changed, OLD)["numpy.f"]["tnp"]["dtypes"] == "d"
    assert facts_file.seen_by(changed, NEW)["numpy.f"]["tnp"]["dtypes"] == "fd"


def test_stages_of_an_older_tensorflow_are_known_of_all_names_or_of_none() -> None:
    document = {"versions": NEW, "by_tensorflow": {"2.18": {}, "2.19": {"staged": True}}}
    assert facts_file.knows_stages(document, NEW)
    assert not facts_file.knows_stages(document, OLD)
    assert facts_file.knows_stages(document, {**OLD, "tensorflow": "2.19.1"})


def test_a_target_that_an_older_tensorflow_lacks_is_gone_there() -> None:
    without = {key: value for key, value in fact("d").items() if key != "tnp"}
    assert facts_file.differences({"numpy.f": fact("d")}, {"numpy.f": without})["numpy.f"]["tnp"] is None


def test_the_same_or_a_newer_tensorflow_replaces_the_facts() -> None:
    kept = {"2.18": {"versions": OLD, "apis": {}}}
    document = {"schema": 1, "versions": OLD, "apis": {"numpy.f": fact("d")}, "by_tensorflow": {}}
    assert facts_file.updated(document, {"numpy.f": fact("fd")}, NEW)["apis"]["numpy.f"] == fact("fd")
    document = {"schema": 1, "versions": NEW, "apis": {"numpy.f": fact("d")}, "by_tensorflow": kept}
    changed = facts_file.updated(document, {"numpy.f": fact("fd")}, NEW)
    assert changed["apis"]["numpy.f"] == fact("fd")
    assert changed["by_tensorflow"] == kept


def test_of_two_runs_on_the_same_versions_the_worse_observation_is_kept() -> None:
    def noted(**notes: object) -> dict[str, object]:
        return {**fact("d"), "agreement": {"tnp": notes}}

    first = {
        "numpy.f": noted(
            efd="ulp:9", FD="crash in 1 of 7: (e)", l="value: (v)", L="error SystemError in 1 of 7: (e)", cases=1
        )
    }
    second = {
        "numpy.f": noted(
            e="equal", f="ulp:12", dD="ulp:2", F="value in 1 of 7: (e)", l="equal", L="no error in 1 of 7: (e)", cases=2
        )
    }
    document = {"schema": 1, "versions": NEW, "apis": first, "by_tensorflow": {}}
    notes = facts_file.updated(document, second, NEW)["apis"]["numpy.f"]["agreement"]["tnp"]
    unstable = {"F": "crash in 1 of 7: (e)", "L": "error SystemError in 1 of 7: (e)"}
    assert notes == {"ed": "ulp:9", "f": "ulp:12", "D": "ulp:2", "l": "equal", "cases": 2, **unstable}
    other = {**NEW, "tensorflow": "2.22.0"}
    assert facts_file.updated(document, second, other)["apis"] == second


def test_the_facts_file_can_be_read_back(tmp_path: Path) -> None:
    entry = {"versions": OLD, "apis": {"numpy.f": {"tnp": None}}}
    apis = {"numpy.g": fact("d"), "numpy.f": fact("d")}
    document = {"schema": 1, "versions": NEW, "apis": apis, "by_tensorflow": {"2.18": entry}}
    for older in ({}, {"2.18": entry}):
        facts_file.write({**document, "by_tensorflow": older}, tmp_path / "facts.json")
        assert facts_file.read(tmp_path / "facts.json") == {**document, "by_tensorflow": older}
    assert facts_file.read(tmp_path / "none.json")["apis"] == {}
