"""Where a program spends its time, as a section of a page: the hot functions, and what stands in their way."""

from __future__ import annotations

import re
from typing import Any

from np2tnp.report.markup import Markup, element, join, prose, table
from np2tnp.report.to_profile import seconds

_FATES = {
    "convertible": "can be migrated",
    "migrated": "migrated",
    "kept": "stays NumPy",
    "blocked": "blocked",
    "plain": "no NumPy",
}
_CODE = re.compile(r"(TNP\d{3}) ")


def hot_section(document: dict[str, Any]) -> Markup:
    """The ranking of ``profile -- PROGRAM``. Raises KeyError, TypeError or ValueError for another file."""
    found = document["finding"]
    command = " ".join(map(str, document["command"]))
    decisions = {(it["path"], it["function"]): it.get("decision") for it in document["functions"]}
    rows: list[list[str]] = [
        [
            join(element("code", str(hot["function"])), " ", element("small", f"{hot['path']}:{hot['line']}")),
            seconds(hot["seconds"]),
            _share(hot["share"]),
            seconds(hot["inclusive"]),
            element("span", _FATES[hot["state"]], class_=f"verdict f-{hot['state']}"),
            _remark(hot, decisions.get((hot["path"], hot["function"]))),
        ]
        for hot in document["hot"]
    ]
    parts = [element("h3", element("code", command))]
    if found["status"]:
        parts.append(element("p", f"The program ended with status {found['status']}.", class_="warn"))
    if rows:
        head = ["function", "time with NumPy", "share", "with callees", "fate", ""]
        parts.append(table(head, rows, numeric=(1, 2, 3)))
    else:
        parts.append(element("p", "No function of the program spends 1 % of the time with NumPy.", class_="muted"))
    elsewhere = ", ".join(f"{name} {_share(share)}" for name, share in found["elsewhere"][:6])
    words = (
        f"{found['samples']:,} samples; the run took {seconds(found['seconds'])},"
        f" sampling {_share(found['overhead'])} of its CPU time."
    )
    parts.append(element("p", f"{words} Elsewhere: {elsewhere}." if elsewhere else words, class_="muted"))
    return join(*parts)


def _remark(hot: dict[str, Any], decision: dict[str, Any] | None) -> Markup:
    """What was decided after measuring; else what stands in the way, each finding with a link to its code."""
    if decision:
        word = "confirmed" if decision["confirmed"] else "not confirmed"
        return join(element("b", word), f": {decision['reason']}" if decision["reason"] else "")
    if hot["state"] == "convertible":
        return join(str(hot["obstacle"]))
    return join(*(element("div", _linked(str(reason))) for reason in hot["reasons"][:3]))


def _linked(reason: str) -> Markup:
    match = _CODE.match(reason)
    if match is None:
        return prose(reason)
    return join(element("span", match[1], class_="code"), " ", prose(reason[match.end() :]))


def _share(part: float) -> str:
    percent = 100 * float(part)
    return f"{percent:.0f}\N{NO-BREAK SPACE}%" if percent >= 10 or not percent else f"{percent:.2g}\N{NO-BREAK SPACE}%"
