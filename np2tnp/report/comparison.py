"""The whole comparison, a row a NumPy name: what ``np2tnp api --table`` prints and docs/coverage.md shows."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from np2tnp.catalog.catalog import Catalog
from np2tnp.catalog.facts import DTYPES, ApiFact, Target
from np2tnp.config import Config
from np2tnp.report import fates
from np2tnp.report.to_api import describe_dtypes
from np2tnp.report.totals import share

NAMESPACES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.random", "ndarray", "operator")
#: Namespaces whose functions compute with arrays' values, unless a decision in the overlay says otherwise.
_NUMERIC = ("numpy", "numpy.linalg", "numpy.fft")


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one name. dtypes are characters of ``np.dtype``, of the first array argument."""

    api: str  #: canonical: ``numpy.sum``, ``numpy.linalg.norm``, ``ndarray.sum``, ``operator.add``
    kind: str
    verdict: str  #: one of :data:`np2tnp.report.fates.VERDICTS`
    reason: str
    target: str  #: ``tnp.sum``, ``rt.sort``; empty where there is none that was verified
    dtypes: str  #: for which the target was measured equal
    host_dtypes: str  #: those of them for which it is by asking NumPy
    keywords: tuple[str, ...]  #: parameters with which it was measured equal
    tnp_dtypes: str  #: for which tnp's own function was
    differs: str  #: where tnp's own function is not equal, and how
    traced: str  #: a :attr:`np2tnp.catalog.facts.Stage.state`, or ``unknown``
    compiled: str
    gpu: str
    alias_of: str
    legacy: bool  #: NumPy 2 has the name no more
    since: str  #: "2" where NumPy 1.26 did not have the name
    cases: int  #: calls compared
    evidence: str  #: of ``host`` and ``unsupported``: what was tried, and what came of it


COLUMNS = tuple(item.name for item in fields(Row))


def make_rows(catalog: Catalog, config: Config) -> list[Row]:
    """A row for each name of the catalog, sorted."""
    names = [name for name in catalog.names() if _exists(name, catalog)]
    canonical = {name: fact.alias_of or name for name in names if (fact := catalog.get(name)) is not None}
    found = fates.find([name for name in names if canonical[name] == name], catalog, config)
    rows = []
    for name in names:
        fact = catalog.get(name)
        assert fact is not None
        fate = found.get(canonical[name])
        if fate is None:  # an old name of something that is no longer NumPy's: numpy.float was Python's float
            fate = fates.Fate("python", f"it was {canonical[name]}")
        rows.append(_row(fact, fate))
    return rows


def _exists(name: str, catalog: Catalog) -> bool:
    """Whether the NumPy that the code is written for has the name. For the newest, 1.26's names count, too."""
    fact = catalog.get(name)
    return catalog.target_numpy == "newest" or (fact is not None and not fact.since)


def _row(fact: ApiFact, fate: fates.Fate) -> Row:
    best = fact.target if fact.prefer != "numpy" else None
    reason = f"another name of {fact.alias_of}" if fact.alias_of else fate.reason
    return Row(
        api=fact.name,
        kind=fact.kind,
        verdict=fate.verdict,
        reason=reason,
        target=best.name if best else "",
        dtypes=best.dtypes if best else "",
        host_dtypes=best.host_dtypes if best else "",
        keywords=tuple(sorted(best.accepted)) if best else (),
        tnp_dtypes=_own_dtypes(fact, fact.tnp) if fact.tnp else "",
        differs=_differences(fact, fact.tnp),
        traced=fact.traced,
        compiled=fact.compiled,
        gpu=fact.gpu,
        alias_of=fact.alias_of or "",
        legacy=fact.legacy,
        since=fact.since,
        cases=_cases(fact),
        evidence=_evidence(fact) if fate.verdict in ("host", "unsupported") else "",
    )


def _own_dtypes(fact: ApiFact, own: Target) -> str:
    """Those for which tnp's own function is equal; of an operator, where both operands have the dtype and NumPy
    returns.
    """
    if own.name != "operator":
        return own.dtypes
    equal = own.dtypes or "".join(char for char in DTYPES if char + char not in own.pairs_bad)
    return "".join(char for char in equal if fact.rt is None or char in fact.rt.dtypes)


def _cases(fact: ApiFact) -> int:
    return sum(notes.get("cases", 0) for notes in fact.agreement.values() if isinstance(notes, dict))


def _differences(fact: ApiFact, target: Target | None) -> str:
    """Where tnp's own function differs: by group of dtypes, by parameter, or by pair of operands."""
    if target is None:
        return ""
    if fact.kind == "operator":
        return f"{len(target.pairs_bad)} of 196 pairs of dtypes" if target.pairs_bad else ""
    notes = fact.agreement.get("tnp", {})
    bad = [
        f"{key}: {word}"
        for key, word in notes.items()
        if isinstance(word, str) and not word.startswith(("equal", "ulp", "raises"))
    ]
    return "; ".join([*bad, *(f"{name}: {why}" for name, why in notes.get("refused", {}).items())])


def _evidence(fact: ApiFact) -> str:
    """The failed attempt; of a name that has a target, but not for the call of the example, where tnp differs."""
    differs = _differences(fact, fact.tnp)
    return fact.attempt or (f"tnp: {differs}" if differs else "")


def has_target(row: Row) -> bool:
    """Whether a function was verified to stand for the name."""
    return bool(row.target) and (bool(row.dtypes) or row.target == "operator")


def is_numeric(row: Row, catalog: Catalog) -> bool:
    """Whether the name is a function that computes with arrays: no alias, no name of NumPy 1, no file or print work."""
    fact = catalog.get(row.api)
    is_function = row.kind in ("function", "ufunc") and row.api.rpartition(".")[0] in _NUMERIC
    return is_function and not (row.alias_of or row.legacy) and fact is not None and fact.prefer != "numpy"


def totals(rows: Iterable[Row], catalog: Catalog) -> list[str]:
    """What the comparison comes to, line by line."""
    rows = list(rows)
    own = [row for row in rows if not row.alias_of]
    counts = Counter(row.verdict for row in own)
    words = ", ".join(f"{counts[verdict]} {verdict}" for verdict in fates.VERDICTS)
    lines = [f"{len(rows)} names, {len(rows) - len(own)} of them other names of the same thing; of the others: {words}"]
    numeric = [row for row in own if is_numeric(row, catalog)]
    methods = [row for row in own if row.api.startswith("ndarray.") and row.kind == "method" and not row.legacy]
    for what, chosen in (
        ("numeric functions of numpy, numpy.linalg and numpy.fft", numeric), ("methods of ndarray", methods),
    ):  # fmt: skip
        done = sum(map(has_target, chosen))
        lines.append(f"{what}: {done} of {len(chosen)} have a verified target ({share(done, len(chosen))})")
    staged = [row for row in own if has_target(row)]
    for stage, what in (("traced", "inside tf.function"), ("compiled", "under XLA")):
        states = Counter(getattr(row, stage) for row in staged)
        lines.append(
            f"{what}: of {len(staged)} targets {states['ok']} as in eager mode, {states['partly']} in part,"
            f" {states['fails']} not, {states['differs']} differ, {states['unknown']} unknown"
        )
    return lines


def as_dict(row: Row) -> dict[str, Any]:
    """The row for JSON."""
    return {column: getattr(row, column) for column in COLUMNS}


def to_json(rows: list[Row]) -> str:
    """A list of objects, one a name."""
    return json.dumps([as_dict(row) for row in rows], indent=1) + "\n"


def to_csv(rows: list[Row]) -> str:
    """A line a name; several keywords are separated by blanks."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        values = as_dict(row)
        writer.writerow([" ".join(v) if isinstance(v, tuple) else v for v in values.values()])
    return stream.getvalue()


def to_markdown(rows: list[Row]) -> str:
    """One table."""
    lines = ["| name | verdict | target | equal for | tnp's own | traced | XLA | why |", "|" + " --- |" * 8]
    for row in rows:
        shown = row.dtypes and describe_dtypes(row.dtypes)
        if row.host_dtypes:
            shown += f"; *host*: {describe_dtypes(row.host_dtypes)}"
        own = describe_dtypes(row.tnp_dtypes) if row.tnp_dtypes else "differs" if row.differs else ""
        stages = [state if row.target and state != "unknown" else "" for state in (row.traced, row.compiled)]
        cells = [f"`{row.api}`", row.verdict, f"`{row.target}`" if row.target else "", shown, own, *stages, row.reason]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


FORMATS: dict[str, Callable[[list[Row]], str]] = {"markdown": to_markdown, "csv": to_csv, "json": to_json}
