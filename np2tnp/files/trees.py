"""Python's own syntax trees, kept for a while: what a module binds and what it does are asked soon after each other."""

from __future__ import annotations

import ast
import warnings

#: Trees take a hundred times the memory of their text: so many characters of it are kept, the latest.
_KEPT = 300_000


class Trees:
    """Parses texts; the same text again soon costs nothing."""

    def __init__(self) -> None:
        self._trees: dict[str, ast.Module] = {}  # the oldest first

    def parse(self, text: str) -> ast.Module:
        """The tree, which nobody may change. Raises what Python's parser does: SyntaxError, RecursionError and more."""
        known = self._trees.get(text)
        if known is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                known = ast.parse(text)
            self._trees[text] = known
            size = sum(map(len, self._trees))
            while size > _KEPT:
                oldest = next(iter(self._trees))
                size -= len(oldest)
                del self._trees[oldest]
        return known
