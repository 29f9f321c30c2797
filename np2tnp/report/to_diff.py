"""What ``rewrite`` changes, as unified diffs that ``patch`` and ``git apply`` take."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator

from np2tnp.model import Change
from np2tnp.report.style import Style, visible

#: What a name in a diff's head must be quoted for.
_SPECIAL = re.compile(r'[\x00-\x1f\x7f-\x9f"\\\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udcff]')
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def render(change: Change, colour: bool = False) -> str:
    """The diff of one file; lines keep their own line ends."""
    style = Style(colour)
    name = os.path.normpath(change.path).replace(os.sep, "/").lstrip("/")
    return "".join(_painted(line, style) for line in _diff(change, name))


def _diff(change: Change, name: str) -> Iterator[str]:
    mark = "\ufeff" if change.bom else ""
    old, new = _LINE.findall(mark + change.old_text), _LINE.findall(mark + change.new_text)
    for line in difflib.unified_diff(old, new, _named(f"a/{name}"), _named(f"b/{name}")):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _named(name: str) -> str:
    """A name as git writes it into a diff: readers take it to end at a space where no tab follows."""
    if _SPECIAL.search(name):
        return '"' + _SPECIAL.sub(_octal, name) + '"'
    return name + "\t" if " " in name else name


def _octal(found: re.Match[str]) -> str:
    return "".join(f"\\{byte:03o}" for byte in found[0].encode(errors="surrogateescape"))


def _painted(line: str, style: Style) -> str:
    if not style.colour:
        return line
    if line.startswith(("+++", "---")):
        return style(line.rstrip("\r\n"), "bold") + "\n"
    colour = _COLOURS.get(line[0])
    text = visible(line.rstrip("\r\n"))  # for eyes: what is to be applied has no colours
    return (style(text, colour) if colour else text) + "\n"
