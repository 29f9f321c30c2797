"""Writes what docs/ says of settings, of the Python API and of the runtime: from the schema, classes and docstrings.

``python tools/write_reference.py`` writes it into the pages in ``PAGES``, between the lines
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

from np2tnp import library, runtime  # noqa: E402
from np2tnp.commands.show_config import schema  # noqa: E402
from np2tnp.model import Cell, Change, Finding, Span  # noqa: E402
from np2tnp.report.readiness import Function  # noqa: E402
from np2tnp.runtime.boundary import door  # noqa: E402

DOCS = ROOT / "docs"
PAGES = ("configuration.md", "python-api.md", "dev/reference/decorator.md", "dev/reference/runtime-interface.md")
CLASSES = (library.Report, library.Counts, Function, Finding, Span, Cell, Change)
_MOST_SHOWN = 60  #: characters of a default; longer ones are described
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_ALL = re.compile(r"^__all__ = \[(.*?)\]", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r'"(\w+)"')
_ARGUMENT = re.compile(r"^(\w[\w, ]*?) : (.*(?:\n(?: +\S.*)?)*)", re.MULTILINE)
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


def _decorator() -> str:
    """All keywords of ``rt.migrated``, in the order of its docstring, and which of them ``rt.original`` may say."""
    signature = inspect.signature(door.migrated).parameters
    beside = {*inspect.signature(door.original).parameters, *door._OF_ORIGINALS}
    rows = [
        f"| `{name}` | {_value(signature[name].default)} | {'yes' if name in beside else ''} | {_cell(_line(words))} |"
        for names, words in _arguments(door.migrated)
        for name in names
    ]
    return "\n".join(["| keyword | default | on `rt.original` | |", "| --- | --- | --- | --- |", *rows])


def _arguments(function: Callable[..., Any]) -> list[tuple[list[str], str]]:
    """What a docstring says of parameters: those that are told of together, and the words."""
    _, _, rest = (inspect.getdoc(function) or "").partition("Parameters\n----------\n")
    told, _, _ = rest.partition("\n\nA generator function")
    return [(names.split(", "), words) for names, words in _ARGUMENT.findall(told)]


def _value(default: object) -> str:
    return "" if default in (None, "", ()) else f"`{default!r}`"


def _line(words: str) -> str:
    return " ".join(words.split()).replace(":func:", "")


def _runtime() -> str:
    """The public names of the runtime by their modules, read off the text: importing them imports TensorFlow."""
    rows = []
    for family in (*runtime.FAMILIES, *runtime.NAMESPACES):
        path = f"runtime/{family.replace('.', '/')}.py"
        prefix = f"{family.rpartition('.')[2]}." if family in runtime.NAMESPACES else ""
        names = [f"`{prefix}{name}`" for name in _exported((ROOT / "np2tnp" / path).read_text(encoding="utf-8"))]
        if names:
            rows.append(f"| `{path}` | {', '.join(names)} |")
    return "\n".join(["| file | names |", "| --- | --- |", *rows])


def _exported(text: str) -> list[str]:
    """What ``__all__`` lists; of methods of ufuncs, which are computed, the kinds."""
    listed = _ALL.search(text)
    if listed is not None:
        return sorted(_QUOTED.findall(listed[1]))
    return [f"<ufunc>_{method}" for method in runtime._UFUNC_METHODS if f'"{method}"' in text or f'_{method}"' in text]


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


_MAKERS = {
    "settings": _settings,
    "functions": _functions,
    "classes": _classes,
    "decorator": _decorator,
    "runtime": _runtime,
}

if __name__ == "__main__":
    for page in PAGES:
        (DOCS / page).write_text(written(page), encoding="utf-8")
