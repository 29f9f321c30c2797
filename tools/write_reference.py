"""Writes what docs/ says of settings and of the Python API: from the schema, and from the classes themselves.

``python tools/write_reference.py`` writes it into docs/configuration.md and docs/python-api.md, between the lines
``<!-- generated: NAME -->`` and ``<!-- end -->``. A test checks that it is current.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from np2tnp import library  # noqa: E402
from np2tnp.commands.show_config import schema  # noqa: E402
from np2tnp.model import Cell, Change, Finding, Span  # noqa: E402
from np2tnp.report.readiness import Function  # noqa: E402

DOCS = ROOT / "docs"
PAGES = ("configuration.md", "python-api.md")
CLASSES = (library.Report, library.Counts, Function, Finding, Span, Cell, Change)
_MOST_SHOWN = 60  #: characters of a default; longer ones are described
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_COMMENT = re.compile(r"^    (\w+): [^#\n]*#: (.*)$", re.MULTILINE)


def written(page: str) -> str:
    """The text of a page with its generated parts made anew."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return _PART.sub(lambda part: f"{part[1]}\n{_MAKERS[part[2]]()}\n\n{part[3]}", text)


def _settings() -> str:
    """All settings as a table, by name."""
    rows = [
        f"| `{name}` | {_kind(setting)} | {_default(setting)} | {_cell(setting['description'])} |"
        for name, setting in sorted(schema()["properties"].items())
    ]
    return "\n".join(["| setting | takes | default | |", "| --- | --- | --- | --- |", *rows])


def _kind(setting: dict[str, Any]) -> str:
    choices = setting.get("enum") or setting.get("items", {}).get("enum")
    if choices:
        words = ", ".join(f"`{choice}`" for choice in choices)
        return f"list of {words}" if setting.get("type") == "array" else words
    if setting["type"] == "array":
        return "list of codes" if "anyOf" in setting["items"] else "list of texts"
    return {"string": "text", "integer": "number", "boolean": "`true`, `false`", "object": "table"}[setting["type"]]


def _default(setting: dict[str, Any]) -> str:
    if setting.get("default") in (None, "", [], {}):
        return ""
    text = json.dumps(setting["default"])
    return f"`{text}`" if len(text) <= _MOST_SHOWN else f"{len(setting['default'])} names (`np2tnp config FILE`)"


def _functions() -> str:
    """The two functions with their signatures and docstrings."""
    return "\n\n".join(
        f"```python\nnp2tnp.{function.__name__}{_signature(function)}\n```\n\n{_paragraphs(function)}"
        for function in (library.check, library.rewrite)
    )


def _signature(function: Callable[..., Any]) -> str:
    return str(inspect.signature(function)).replace("'", "")


def _paragraphs(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").replace("``", "`")


def _classes() -> str:
    """What the classes hold: a table of fields each, and what the comments beside these say."""
    return "\n\n".join(_class(cls) for cls in CLASSES)


def _class(cls: type) -> str:
    comments = dict(_COMMENT.findall(inspect.getsource(cls)))
    rows = [
        f"| `{field.name}` | `{_cell(str(field.type))}` | {_cell(comments.get(field.name, ''))} |"
        for field in dataclasses.fields(cls)
    ]
    head = f"### `{cls.__name__}`\n\n{_paragraphs(cls)}\n"
    return "\n".join([head, "| field | type | |", "| --- | --- | --- |", *rows])


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


_MAKERS = {"settings": _settings, "functions": _functions, "classes": _classes}

if __name__ == "__main__":
    for page in PAGES:
        (DOCS / page).write_text(written(page), encoding="utf-8")
