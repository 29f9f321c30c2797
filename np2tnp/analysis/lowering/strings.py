"""String literals of Python's own tree as libcst's nodes: the text as it is written, each joined piece a node."""

from __future__ import annotations

import ast
import re
from typing import Any

import libcst as cst

from np2tnp.analysis.lowering.nodes import Unsupported, maker
from np2tnp.analysis.lowering.places import Places

_STRING = re.compile(
    rb"[A-Za-z]{0,2}(?:"
    rb'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    rb"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    rb'|"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"'
    rb"|'[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*')",
    re.DOTALL,
)
#: What may stand between two strings that Python joins.
_GAP = re.compile(rb"(?:[ \t\r\n\\]|#[^\r\n]*)*")


_simple_string = maker(cst.SimpleString, "value")
_concatenated = maker(cst.ConcatenatedString, "left", "right")


def lower_string(places: Places, node: ast.Constant) -> Any:
    """One string, or several that Python joins; those nest to the right, as libcst has them."""
    data = places.data
    start, end = places.extent(node)
    match = _STRING.match(data, start)
    if match is not None and match.end() == end:
        return _simple_string(match.group().decode())
    parts = []
    while start < end:
        match = _STRING.match(data, start)
        if match is None:
            raise Unsupported("string")
        parts.append(_simple_string(match.group().decode()))
        gap = _GAP.match(data, match.end())
        assert gap is not None  # it may be empty
        start = gap.end()
    made = parts.pop()
    while parts:
        made = _concatenated(parts.pop(), made)
    return made


def lower_formatted(places: Places, node: ast.JoinedStr) -> Any:
    """What libcst makes of an f-string: before Python 3.12 nobody else says where something in it stands."""
    try:
        made = cst.parse_expression(f"({places.segment(node).decode()})")
    except cst.ParserSyntaxError:
        raise Unsupported("f-string") from None
    places.foreign.append((made, node))
    return made
