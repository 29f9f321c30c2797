"""Blanks that libcst's parser loses: those of ``except E :``."""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from np2tnp.analysis.positions import render
from np2tnp.analysis.walk import walk

_LOST = re.compile(r"\bexcept\b[^\n]{0,2000}\S[ \t\f]{1,2000}:")
_HANDLERS = (cst.ExceptHandler, cst.ExceptStarHandler)
_NEWLINE = re.compile(r"\r\n?|\n")
_BEFORE_COLON = re.compile(r"(?:[ \t\f]*\))*([ \t\f]*):")  # the place of a type ends before its parentheses do


def with_blanks(tree: cst.Module, text: str) -> cst.Module:
    """`tree`, the parser's for `text`, with the blanks between a handler's class and its colon.

    What else the parser loses stays lost, which the caller has to notice.
    """
    if not _LOST.search(text):
        return tree
    handlers = {id(node.type): node for node in walk(tree) if isinstance(node, _HANDLERS) and node.type is not None}
    printed, spans = render(tree, handlers)
    lines, found = _NEWLINE.split(text), {}
    if printed == text or len(_NEWLINE.split(printed)) != len(lines):
        return tree
    for key, span in spans.items():
        end = _BEFORE_COLON.match(lines[span.end_line - 1], span.end_column - 1)
        if end is not None and handlers[key].name is None:
            found[id(handlers[key])] = end[1]
    return tree.visit(_Blanks(found))


class _Blanks(cst.CSTTransformer):
    def __init__(self, found: dict[int, str]) -> None:
        super().__init__()
        self.found = found

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        blanks = self.found.get(id(original_node))
        if blanks is None:
            return updated_node
        return updated_node.with_changes(whitespace_before_colon=cst.SimpleWhitespace(blanks))
