"""Prints what the analysis saw in one function, and what the rules said of it: for debugging a wrong rewrite.

    python tools/show_events.py FILE FUNCTION

Of each event: its kind and text, and of the values that took part what is known of them: home, locations, the parameter
whose very object it is, and whether it may be a view. Then the findings, and what becomes of the function.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from np2tnp.config import Config  # noqa: E402
from np2tnp.files.source import decode  # noqa: E402
from np2tnp.project import Project  # noqa: E402

_PARTS = ("api", "reason", "kind", "detail", "base", "receiver", "value", "result", "stale")
_WIDTH = 80


def shown(value: Any) -> str:
    """What is known of an abstract value, on one line."""
    if isinstance(value, str):
        return value
    if hasattr(value, "via"):
        return f"written through {value.via} before"
    known = [str(getattr(value, name)) for name in ("home", "exact", "view") if getattr(value, name, None)]
    locations = sorted(map(str, getattr(value, "refs", ())))
    return " ".join([type(value).__name__, *known, *([f"shows {', '.join(locations)}"] if locations else [])])


def lines(path: str, function: str) -> list[str]:
    """What is printed. Raises KeyError for a function that the file does not have."""
    session, _ = Project(Config()).analyze(decode(path, Path(path).read_bytes()), True)
    plan = session.regions[function]
    found: list[str] = []
    for event in plan.facts.events:
        text = "the end of the body" if event.node is None else session.tree.code_for_node(event.node)
        found.append(f"{type(event).__name__:13} {' '.join(text.split())[:_WIDTH]}")
        parts = [(name, getattr(event, name, None)) for name in _PARTS]
        found += [f"    {name}: {shown(value)}" for name, value in parts if value]
    found += [f"{hit.code} {hit.verdict.value}: {hit.message}" for hit in plan.hits]
    return [*found, f"{function}: {plan.state.value}"]


if __name__ == "__main__":
    print("\n".join(lines(*sys.argv[1:])))
