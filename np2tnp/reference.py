"""``explain``, ``rules`` and ``api``: what np2tnp knows, for people."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

from np2tnp.config import did_you_mean
from np2tnp.report.style import Style, wants_colour

if TYPE_CHECKING:
    from np2tnp.rules import Doc

GROUPS = {
    "TNP0": "calls and parameters",
    "TNP1": "mutation",
    "TNP2": "views and memory order",
    "TNP3": "dtypes",
    "TNP4": "control flow and tracing",
    "TNP5": "boundaries, copies, processes and native code",
    "TNP6": "random numbers",
    "TNP7": "cost",
    "TNP9": "np2tnp itself",
}


def pages() -> Mapping[str, Doc]:
    """The page of every code, in order of the codes."""
    from np2tnp.rules import DOCS

    return dict(sorted(DOCS.items()))


def list_rules() -> int:
    """Prints all codes by group, with one line each."""
    style = Style(wants_colour(sys.stdout))
    group = ""
    for code, doc in pages().items():
        if code[:4] != group:
            group = code[:4]
            print(style(f"{group}xx  {GROUPS[group]}", "bold"))
        print(f"  {code}  {doc.name:<22}  {doc.summary}")
    return 0


def explain(code: str) -> int:
    """Prints the page of one code, given as code or as name. Exit status 2 for one that does not exist."""
    known = pages()
    wanted = next((doc.code for doc in known.values() if doc.name == code.lower()), code.upper())
    doc = known.get(wanted)
    if doc is None:
        print(f"np2tnp: no code `{code}`{did_you_mean(wanted, known)} (see np2tnp rules)", file=sys.stderr)
        return 2
    style = Style(wants_colour(sys.stdout))
    print(style(f"{doc.code}  {doc.name}", "bold"), f" ({doc.severity.value})")
    for title, text in sections(doc):
        body = text if title in ("Before", "After", "Instead") else textwrap.fill(text, 100)
        print(f"\n{style(title, 'bold')}\n{textwrap.indent(body.rstrip(), '    ')}")
    return 0


def sections(doc: Doc) -> list[tuple[str, str]]:
    """The titles and texts of a page, in their fixed order; "Before", "After" and "Instead" hold code."""
    parts = [
        ("What it finds", doc.summary),
        ("Why it matters", doc.why),
        ("What np2tnp does", doc.does),
        ("Before", doc.bad),
        ("After" if "rt." in doc.good or "tnp." in doc.good else "Instead", doc.good),
        ("Fix safety", doc.safety),
    ]
    return [(title, text) for title, text in parts if text]


def describe_api(name: str) -> int:
    """Prints what the catalog knows of a NumPy function. Exit status 2 for a name that NumPy does not have."""
    from np2tnp.catalog.catalog import load
    from np2tnp.report.to_api import render

    catalog = load()
    text = render(name, catalog, wants_colour(sys.stdout))
    if text is None:
        meant = catalog.suggest(name)
        print(f"np2tnp: nothing known of `{name}`{f'; did you mean `{meant}`?' if meant else ''}", file=sys.stderr)
        return 2
    print(text.rstrip("\n"))
    return 0
