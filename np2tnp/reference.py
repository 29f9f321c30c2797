"""``explain``, ``rules`` and ``api``: what np2tnp knows, for people."""

from __future__ import annotations

import sys
import textwrap

from np2tnp.config import did_you_mean
from np2tnp.files.problems import ERROR_CODES
from np2tnp.report.style import Style, wants_colour
from np2tnp.rules.base import REGISTRY, Rule

_TOOL_CODES = {
    **ERROR_CODES,
    "TNP991": "a comment that should hide findings hides none, or is not understood",
}
#: Code → (the rule whose page explains it, what it finds): codes by which one rule tells its cases apart.
_CASES = {
    "TNP002": (
        "TNP001",
        "A NumPy function or method that tnp lacks, or lacks with these arguments; an exact helper does it",
    ),
    "TNP003": ("TNP001", "A NumPy function or method whose tnp namesake differs silently; an exact helper does it"),
    "TNP004": ("TNP001", "A NumPy function or method that stays NumPy; arrays are copied to the host and back"),
    "TNP009": ("TNP001", "A name in NumPy's namespace that the catalog does not know"),
    "TNP102": ("TNP101", "An in-place operator on a whole array"),
    "TNP104": ("TNP103", "out= in a form that cannot become an assignment"),
    "TNP106": ("TNP103", "A call that updates several arrays, one of them part of another"),
    "TNP107": ("TNP101", "A store inside an unpacking, or into several targets at once"),
    "TNP109": ("TNP401", "An exception is raised after an argument was updated in place"),
    "TNP202": ("TNP101", "A store that other names may see, because they share the memory"),
    "TNP203": ("TNP506", "An assignment to an array's shape"),
    "TNP204": ("TNP506", "An assignment to another attribute of an array"),
    "TNP302": ("TNP301", "Arrays of strings"),
    "TNP303": ("TNP301", "Structured arrays"),
    "TNP304": ("TNP301", "Arrays of dates and times"),
    "TNP305": ("TNP301", "Arrays of extended precision (longdouble)"),
    "TNP306": ("TNP001", "A Python type as dtype: 64 bits in NumPy, 32 in tnp"),
    "TNP402": ("TNP401", "A generator that hands out arrays"),
    "TNP403": ("TNP401", "An async function"),
    "TNP404": ("TNP401", "A global that is assigned in a way that cannot be followed"),
    "TNP405": ("TNP401", "A decorator that may look at arguments or result"),
    "TNP407": ("TNP401", "A match statement on an array"),
    "TNP503": ("TNP501", "A call of the outside that may change an array which is used afterwards"),
    "TNP601": ("TNP501", "Random numbers: they keep NumPy's stream, on the host"),
}
_GROUPS = {
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


def list_rules() -> int:
    """Prints all codes by group, with one line each."""
    style = Style(wants_colour(sys.stdout))
    known = {code: text for code, (_, text) in _CASES.items()} | _TOOL_CODES
    known |= {code: rule.summary for code, rule in _rules().items()}
    group = ""
    for code in sorted(known):
        if code[:4] != group:
            group = code[:4]
            print(style(f"{group}xx  {_GROUPS.get(group, '')}", "bold"))
        print(f"  {code}  {' '.join(known[code].split())}")
    return 0


def explain(code: str) -> int:
    """Prints the page of one code. Exit status 2 for a code that does not exist."""
    wanted = code.upper()
    rules = _rules()
    if wanted in rules:
        _print_page(rules[wanted])
        return 0
    if wanted in _TOOL_CODES:
        print(f"{wanted}: {_TOOL_CODES[wanted]}")
        return 0
    if wanted in _CASES:
        page, text = _CASES[wanted]
        print(f"{wanted}: {text}. A case of:\n")
        _print_page(rules[page])
        return 0
    known = [*rules, *_CASES, *_TOOL_CODES]
    print(f"np2tnp: no code `{code}`{did_you_mean(wanted, known)} (see np2tnp rules)", file=sys.stderr)
    return 2


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


def _rules() -> dict[str, Rule]:
    import np2tnp.rules  # registers all rules

    assert np2tnp.rules is not None
    return {rule.code: rule for rule in sorted(REGISTRY, key=lambda rule: rule.code)}


def _print_page(rule: Rule) -> None:
    style = Style(wants_colour(sys.stdout))
    print(style(f"{rule.code}  {rule.name}", "bold"))
    for title, text, is_code in (
        ("What it finds", rule.summary, False),
        ("Why it matters", rule.why, False),
        ("What np2tnp does", rule.does, False),
        ("Before", rule.bad, True),
        ("After", rule.good, True),
        ("Fix safety", rule.safety, False),
    ):
        body = textwrap.dedent(text).strip("\n")
        if not body.strip():
            continue
        if not is_code:
            body = "\n".join(textwrap.fill(" ".join(part.split()), 100) for part in body.split("\n\n"))
        print(f"\n{style(title, 'bold')}\n{textwrap.indent(body, '    ')}")
