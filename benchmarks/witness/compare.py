"""Compares what was seen with what ``check`` says. What the words mean is told in docs/dev/decisions (the oracle)."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from np2tnp.model import FileReport, Finding, Region
from witness.places import Place, Seen, Sight

#: Values that matter to a migration.
VALUES = Seen.ARRAY | Seen.SCALAR | Seen.HOLDS
MODULE = "<module>"


class Happening(NamedTuple):
    """Something that a finding has to tell of: its kind, what it is for people, and which codes tell it."""

    kind: str
    words: str
    codes: re.Pattern[str]
    places: tuple[Place, ...]  #: at any of which it may be told
    state: str = ""  #: of its region

    @property
    def place(self) -> Place:
        return self.places[0]


_WRITES = re.compile(r"TNP(010|10[1-7]|109|20[26]|30\d|40[48]|50[346]|601)")
_SHARES = re.compile(r"TNP(010|10[678]|20[1267]|404|50[346])")
_CALLS = re.compile(r"TNP(0\d\d|10[1-7]|20\d|30\d|40\d|50\d|601)")
_ORDERS = re.compile(r"TNP(00[234]|010|20[23]|50[136])")
_DTYPES = re.compile(r"TNP(00[234]|010|009|30\d|50[16])")


def happenings(sight: Sight, through_name: bool = True) -> Iterator[Happening]:
    """What happened at one place. `through_name`: a store goes to what a name holds, not to a view made on the way."""
    place, seen, names, readers = sight
    if seen & Seen.WROTE:
        yield Happening("write", place.kind, _WRITES, (place,))
        if through_name and (seen & Seen.SHARED or readers):
            yield Happening("shared write", place.kind, _SHARES, (place, *sight.readers))
    if seen & Seen.NUMPY and seen & (Seen.TOOK | VALUES) and seen & (Seen.TOOK | Seen.ARRAY | Seen.HOLDS):
        yield Happening("NumPy call", " or ".join(names), _CALLS, (place,))
        if seen & Seen.ORDER and seen & Seen.TOOK | seen & Seen.ARRAY:
            yield Happening("Fortran order", " or ".join(names), _ORDERS, (place,))
        if seen & Seen.MADE_FOREIGN:
            yield Happening("foreign dtype", " or ".join(names), _DTYPES, (place,))


#: What must have been seen where a finding of a code points at, and at which kinds of places to look.
_CALLED = (frozenset(("call",)), lambda seen: bool(seen & Seen.NUMPY))
_WRITTEN = (frozenset(("store", "inplace", "assign", "call")), lambda seen: bool(seen & Seen.WROTE))
_SHARED = (_WRITTEN[0], lambda seen: bool(seen & Seen.WROTE and seen & Seen.SHARED))
_VALUE = (
    frozenset(("name", "attribute", "subscript", "call", "operation")),
    lambda seen: bool(seen & (VALUES | Seen.TOOK)),
)
_PASSED = (frozenset(("call",)), lambda seen: bool(seen & (Seen.TOOK | Seen.NUMBER | VALUES)))
Claim = tuple[frozenset[str], Callable[[Seen], bool]]
#: Says of places that they are not known: listed, but no claim that can be wrong.
UNKNOWN = "TNP010"
#: How such a finding begins that tells of all inside of its place.
_WHOLE = "this function is handed to others"
CLAIMS: dict[str, Claim] = {
    **dict.fromkeys(("TNP001", "TNP002", "TNP003", "TNP004", "TNP009", "TNP104", "TNP203", "TNP601"), _CALLED),
    "TNP006": (frozenset(("operation",)), lambda seen: bool(seen & VALUES)),
    "TNP309": (frozenset(("operation",)), lambda seen: bool(seen & VALUES)),
    **dict.fromkeys(("TNP101", "TNP102", "TNP103", "TNP107"), _WRITTEN),
    "TNP106": _PASSED,
    "TNP202": _SHARED,
    "TNP201": (frozenset(("name", "attribute")), lambda seen: bool(seen & Seen.STALE)),
    "TNP207": (frozenset(("result",)), lambda seen: bool(seen & Seen.SHARED)),
    **dict.fromkeys(
        ("TNP301", "TNP302", "TNP303", "TNP304", "TNP305"), (_CALLED[0], lambda seen: bool(seen & Seen.FOREIGN))
    ),
    "TNP501": _PASSED,
    "TNP503": _PASSED,
    "TNP502": _VALUE,
}
#: Claims about the value in front of a dot or a bracket.
BASES = {"TNP007": ast.Subscript, "TNP008": ast.Attribute, "TNP204": ast.Attribute}


@dataclass
class Tally:
    """What the comparison of some files showed."""

    happened: Counter[tuple[str, str]] = field(default_factory=Counter)  #: (state of the region, kind)
    missed: list[tuple[Happening, str]] = field(default_factory=list)  #: with the paths
    executed: Counter[str] = field(default_factory=Counter)  #: by code: findings whose place was executed
    false: list[Finding] = field(default_factory=list)  #: executed, and not what they say

    def add(self, other: Tally) -> None:
        self.happened.update(other.happened)
        self.missed += other.missed
        self.executed.update(other.executed)
        self.false += other.false


def compare(report: FileReport, sights: Iterable[Sight], text: str) -> Tally:
    """What `check` said of one file beside what was seen in it."""
    tally = Tally()
    tree = ast.parse(text)
    bases = _bases(tree, text)
    seen = [sight for sight in sights if not _is_harness(sight.place, tree)]
    by_line: dict[int, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        for line in range(finding.span.line, finding.span.end_line + 1):
            by_line[line].append(finding)
    places: dict[tuple[int, int, int, int], list[Sight]] = defaultdict(list)
    for sight in seen:
        places[sight.place[1:]].append(sight)
    for sight in seen:
        region = _region_of(sight.place, report.regions)
        for event in happenings(sight, not _is_chained(sight.place, places, bases)):
            state = "top level" if region.qualname == MODULE else region.state.value
            event = event._replace(state=state)
            tally.happened[state, event.kind] += 1
            if not any(tells(finding, event) for place in event.places for finding in by_line[place.line]):
                tally.missed.append((event, report.path))
    for finding in report.findings:
        found = _judge(finding, seen, places, bases)
        if found is None:
            continue
        tally.executed[finding.code] += 1
        if not found:
            tally.false.append(finding)
    return tally


def tells(finding: Finding, event: Happening) -> bool:
    """Whether the finding is about what happened there."""
    if event.codes.fullmatch(finding.code) is None:
        return False
    start, end = (finding.span.line, finding.span.column), (finding.span.end_line, finding.span.end_column)
    if finding.code == UNKNOWN and (event.state == "plain" or finding.message.startswith(_WHOLE)):
        return start <= event.place.start and event.place.end <= end
    if event.kind in ("write", "shared write"):
        return any(start <= place.start and place.end <= end for place in event.places)
    return any(start == place.start and place.end == end for place in event.places)


def _is_chained(
    place: Place,
    places: dict[tuple[int, int, int, int], list[Sight]],
    bases: dict[tuple[int, int, int, int], tuple[int, int, int, int]],
) -> bool:
    """Whether a store goes to a view that the statement makes of an array: ``x[1:][0] = v``, ``x.T[0] = v``."""
    base = bases.get(place[1:])
    inner = bases.get(base) if base is not None and place.kind in ("store", "inplace") else None
    return inner is not None and any(sight.seen & Seen.ARRAY for sight in places.get(inner, ()))


def _judge(
    finding: Finding,
    seen: list[Sight],
    places: dict[tuple[int, int, int, int], list[Sight]],
    bases: dict[tuple[int, int, int, int], tuple[int, int, int, int]],
) -> bool | None:
    """Whether what the finding says of its place happened there; None if it did not run, or is not about values."""
    span = (finding.span.line, finding.span.column, finding.span.end_line, finding.span.end_column)
    if finding.code in BASES:
        here = places.get(bases.get(span, span), [])
        return any(sight.seen & VALUES for sight in here) if here else None
    if finding.code == UNKNOWN and finding.span.end_line > finding.span.line and finding.message.startswith("nothing"):
        start, end = (finding.span.line, finding.span.column), (finding.span.end_line, finding.span.end_column)
        here = [s for s in seen if start < s.place.start and s.place.end <= end]
        return any(sight.seen & VALUES for sight in here) if len(here) > 2 else None
    claim = CLAIMS.get(finding.code)
    if claim is None:
        return None
    kinds, holds = claim
    here = [sight for sight in places.get(span, ()) if sight.place.kind in kinds]
    if not here:
        start, end = (finding.span.line, finding.span.column), (finding.span.end_line, finding.span.end_column)
        here = [s for s in seen if s.place.kind in kinds and start <= s.place.start and s.place.end <= end]
        if finding.code in ("TNP101", "TNP102", "TNP107"):
            here = [sight for sight in here if sight.place.kind != "call"]
    if finding.code == "TNP202" and any(sight.readers for sight in here):
        return True
    return any(holds(sight.seen) for sight in here) if here else None


def _bases(tree: ast.Module, text: str) -> dict[tuple[int, int, int, int], tuple[int, int, int, int]]:
    """Places of subscripts and attributes, and of what stands in front of the bracket or the dot."""
    lines = [line.encode() for line in text.splitlines(keepends=True)]

    def column(line: int, offset: int) -> int:
        return len(lines[line - 1][:offset].decode(errors="replace")) + 1

    def place(node: ast.expr) -> tuple[int, int, int, int]:
        end_line, end_offset = node.end_lineno or 0, node.end_col_offset or 0
        return (node.lineno, column(node.lineno, node.col_offset), end_line, column(end_line, end_offset))

    return {
        place(node): place(node.value) for node in ast.walk(tree) if isinstance(node, (ast.Subscript, ast.Attribute))
    }


def _region_of(place: Place, regions: Iterable[Region]) -> Region:
    found = None
    for region in regions:
        span = region.span
        if region.qualname == MODULE:
            found = found or region
        elif (span.line, span.column) <= place.start and place.end <= (span.end_line, span.end_column):
            found = region
    assert found is not None
    return found


def _is_harness(place: Place, tree: ast.Module) -> bool:
    """Whether the place is in the list EXAMPLES, which is no part of the program."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "EXAMPLES"
        and node.lineno <= place.line <= (node.end_lineno or 0)
        for node in tree.body
    )
