"""Exact places of a few libcst nodes, without libcst's metadata.

libcst's own ``PositionProvider`` costs 2.7 times the parse, because it turns every token into a line and a column and
keeps a range for every node. Here the code generator runs once with a state that only remembers, for the nodes that are
asked for, how many tokens came before and after them; lines and columns are computed for those alone. It costs about a
fifth of the parse and gives the same answers (tests/analysis/syntax/test_positions.py compares the two on packages).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from itertools import accumulate
from types import TracebackType
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from np2tnp.analysis.syntax.walk import Transformer, walk
from np2tnp.model import Span

_NEWLINE = re.compile(r"\r\n?|\n")
_NOTHING = nullcontext()


class _Extent(AbstractContextManager[None]):
    """Records what is generated inside the ``with`` as the extent of one node, whitespace around it excluded."""

    __slots__ = ("_end_node", "_node", "_start", "_start_node", "_state")

    def __init__(
        self, state: _PositionState, node: cst.CSTNode, start_node: cst.CSTNode | None, end_node: cst.CSTNode | None
    ) -> None:
        self._state = state
        self._node = node
        self._start_node = start_node
        self._end_node = end_node

    def __enter__(self) -> None:
        self._start = len(self._state.tokens)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        extents = self._state.extents
        start, end = self._start, len(self._state.tokens)
        if self._start_node is not None:
            start = extents[id(self._start_node)][0]
        if self._end_node is not None:
            end = extents[id(self._end_node)][1]
        extents[id(self._node)] = (start, end)


class _PositionState(CodegenState):
    """A code generator's state that remembers token indices for the nodes whose ``id`` is in ``needed``."""

    def __init__(self, module: cst.Module, needed: set[int]) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.needed = needed
        self.extents: dict[int, tuple[int, int]] = {}
        self._open: dict[int, int] = {}

    def before_codegen(self, node: cst.CSTNode) -> None:
        if id(node) in self.needed:
            self._open[id(node)] = len(self.tokens)

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self._open.pop(id(node), None)
        # A node that recorded its own extent excludes the whitespace that it owns: that one counts.
        if start is not None and id(node) not in self.extents:
            self.extents[id(node)] = (start, len(self.tokens))

    def record_syntactic_position(  # type: ignore[override] # libcst's is a generator; only ``with`` is asked of it
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> AbstractContextManager[None]:
        if id(node) not in self.needed:
            return _NOTHING
        # The nodes it borrows its ends from are generated inside the ``with``, so they can still be asked for here.
        self.needed.update(id(other) for other in (start_node, end_node) if other is not None)
        return _Extent(self, node, start_node, end_node)


def offsets(node: cst.CSTNode, wanted: Iterable[int]) -> tuple[str, dict[int, tuple[int, int]]]:
    """The text of `node`, and where in it the nodes whose ``id`` is in `wanted` begin and end (those in it, that is).

    The text comes for free, so that a caller can compare it with what it parsed: libcst does not round-trip every file.
    """
    ids = set(wanted)
    state = _PositionState(node if isinstance(node, cst.Module) else cst.Module([]), set(ids))
    node._codegen(state)
    places = [0, *accumulate(map(len, state.tokens))]
    # The module's own end may lie one token behind the text: its last newline was dropped again.
    last = len(places) - 1
    return "".join(state.tokens), {
        key: (places[min(start, last)], places[min(end, last)])
        for key, (start, end) in state.extents.items()
        if key in ids
    }


def render(module: cst.Module, wanted: Iterable[int]) -> tuple[str, dict[int, Span]]:
    """The module's text and the spans of the nodes in it whose ``id`` is in ``wanted``; unknown ids are left out."""
    text, found = offsets(module, wanted)
    lines = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def place(offset: int) -> tuple[int, int]:
        line = bisect_right(lines, offset)
        return line, offset - lines[line - 1] + 1

    return text, {key: Span(*place(start), *place(end)) for key, (start, end) in found.items()}


def positions(module: cst.Module, wanted: Iterable[int]) -> dict[int, Span]:
    """The spans (1-based, end column exclusive) of the nodes of ``module`` whose ``id`` is in ``wanted``."""
    return render(module, wanted)[1]


# --- Blanks that libcst's parser loses: those of ``except E :``

_LOST = re.compile(r"\bexcept\b[^\n]{0,2000}\S[ \t\f]{1,2000}:")
_HANDLERS = (cst.ExceptHandler, cst.ExceptStarHandler)
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


class _Blanks(Transformer):
    def __init__(self, found: dict[int, str]) -> None:
        super().__init__()
        self.found = found

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        blanks = self.found.get(id(original_node))
        if blanks is None:
            return updated_node
        return updated_node.with_changes(whitespace_before_colon=cst.SimpleWhitespace(blanks))
