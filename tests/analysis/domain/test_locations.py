"""How locations are spelt, and that one module alone knows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import np2tnp
from np2tnp.analysis.domain import locations as at

PLACES = {
    "parameter": at.of_parameter("x"),
    "attribute": at.of_attribute("w"),
    "global": at.of_global("a/m.py", "W"),
    "kept": at.kept_by("f", "x"),
    "seen": at.seen_by("g"),
}


@pytest.mark.parametrize(
    ("ask", "kinds"),
    [
        (at.is_parameter, {"parameter"}),
        (at.is_attribute, {"attribute"}),
        (at.is_global, {"global"}),
        (at.is_kept, {"kept"}),
        (at.is_seen, {"seen"}),
        (at.is_held, {"kept", "seen"}),
        (at.is_state, {"attribute", "global"}),
        (at.is_outside_location, {"parameter", "attribute", "global"}),
        (at.is_holder, {"attribute", "global", "kept", "seen"}),
    ],
)
def test_each_question_knows_its_kinds(ask, kinds):
    assert {kind for kind, place in PLACES.items() if ask(place)} == kinds
    assert not ask("x")


def test_names_are_read_back():
    assert [at.bare(PLACES[kind]) for kind in ("parameter", "attribute", "seen")] == ["x", "w", "g"]
    assert at.bare("x") == "x"
    assert at.global_of(PLACES["global"]) == ("a/m.py", "W")
    assert [at.holder_of(PLACES[kind]) for kind in ("kept", "seen")] == ["f", "g"]
    assert [at.told(place) for place in PLACES.values()] == ["@x", ".w", "W", "f as x", "seen by g"]
    assert at.holder_of(at.kept_by("the caller")) == "the caller"


#: Texts in code that spell a location: ``"@"`` beside other texts is the operator in tables of such.
_SPELT = re.compile(
    r'startswith\(\(?"(@|\.",|global:|kept by|seen by)|f"(@|global:|kept by |seen by )\{|"(kept by|seen by) (?!layout")'
)


def spelt(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if _SPELT.search(line) and not line.strip().startswith("#")]


def test_only_this_module_spells_locations():
    package = Path(np2tnp.__file__).parent
    files = [
        *(package / "analysis").rglob("*.py"),
        *(package / "rules").rglob("*.py"),
        *(package / "rewrite").rglob("*.py"),
    ]
    found = {str(path): spelt(path.read_text(encoding="utf-8")) for path in files if path.name != "locations.py"}
    assert {path: lines for path, lines in found.items() if lines} == {}
    assert spelt('ref.startswith("@")\nx = f"kept by {f}"\nfrozenset(("kept by the caller",))') != []
