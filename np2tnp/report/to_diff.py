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
#: The first line of a function that is kept for what its rewrite does not take, in a module or in a notebook's cell.
_COPY = re.compile(r"""(\ +")?(@\w+\.original\(|def _\w+_numpy\()""")
#: A line that is no part of such a function any more. (Of a text in quotes it may be taken for one: no harm is done.)
_OTHER = re.compile(r"""(\ +")?(?!def _|\\n|\))[^\s"]|\ {3,5}\]""")
_CONTEXT = 3
_LONG = 4000  #: lines of a file, from which on the frequent ones (empty lines) are not compared: that takes seconds
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def render(change: Change, colour: bool = False) -> str:
    """The diff of one file; lines keep their own line ends."""
    style = Style(colour)
    name = os.path.normpath(change.path).replace(os.sep, "/").lstrip("/")
    return "".join(_painted(line, style) for line in _diff(change, name))


def _diff(change: Change, name: str) -> Iterator[str]:
    mark = "\ufeff" if change.bom else ""
    old, new = _LINE.findall(mark + change.old_text), _LINE.findall(mark + change.new_text)
    hunks = [group for group in _matcher(old, new).get_grouped_opcodes(_CONTEXT) if group]
    if any(tag != "equal" for group in hunks for tag, *_ in group):
        yield f"--- {_named(f'a/{name}')}\n"
        yield f"+++ {_named(f'b/{name}')}\n"
    for group in hunks:
        (_, old_from, _, new_from, _), (_, _, old_to, _, new_to) = group[0], group[-1]
        yield f"@@ -{_extent(old_from, old_to)} +{_extent(new_from, new_to)} @@\n"
        for tag, first, last, new_first, new_last in group:
            yield from _lines(" " if tag == "equal" else "-", old[first:last])
            yield from _lines("+", [] if tag == "equal" else new[new_first:new_last])


def _matcher(old: list[str], new: list[str]) -> difflib.SequenceMatcher[str]:
    """What is shown as unchanged: the lines of a function that its rewrite has, too, not its copy's."""
    known = set(old)
    copied = False
    marked = []
    for line in new:
        if _COPY.match(line):
            copied = line not in known
        elif _OTHER.match(line):
            copied = False
        marked.append(f"\0{line}" if copied else line)
    return difflib.SequenceMatcher(None, old, marked, autojunk=len(old) > _LONG)


def _extent(first: int, last: int) -> str:
    number = last - first
    return f"{first + 1}" if number == 1 else f"{first + 1 if number else first},{number}"


def _lines(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


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
