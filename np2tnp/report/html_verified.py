"""What ``verify --json`` found, as a section of a page: the differences first."""

from __future__ import annotations

from typing import Any

from np2tnp.report.markup import Markup, element, join, table

_ORDER = ("DIFFERENT", "UNTESTED", "EQUAL")


def verified_section(document: dict[str, Any]) -> Markup:
    """One file's functions. Raises KeyError, TypeError or ValueError for what ``verify`` did not write."""
    functions = sorted(document["functions"], key=lambda it: _ORDER.index(it["verdict"]))
    rows: list[list[str]] = [
        [
            element("span", it["verdict"], class_=f"verdict {it['verdict'].lower()}"),
            element("code", str(it["name"])),
            ", ".join(f"{number} {kind}" for kind, number in it["inputs"].items()),
            str(it["reason"] or it["difference"]),
        ]
        for it in functions
    ]
    parts = [element("h3", str(document["path"])), element("p", f"Against {document['original']}.", class_="muted")]
    if rows:
        parts.append(table(["verdict", "function", "inputs", "why"], rows))
    else:
        parts.append(element("p", "No function was compared.", class_="muted"))
    parts += [_difference(it) for it in functions if it["verdict"] == "DIFFERENT"]
    if document["not_rewritten"]:
        names = ", ".join(map(str, document["not_rewritten"]))
        parts.append(element("p", f"Not rewritten, so nothing to compare: {names}.", class_="muted"))
    return join(*parts)


def _difference(function: dict[str, Any]) -> Markup:
    title = element("summary", element("code", str(function["name"])), f": {function['difference']}")
    shows = element("p", "This shows it:") if function["code"] else None
    code = element("pre", str(function["code"]), class_="program") if function["code"] else None
    return element("details", title, shows, code, open=True, class_="difference")
