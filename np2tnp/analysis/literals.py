"""The values of literals and of names that are keywords."""

from __future__ import annotations

import ast
import contextlib
import functools

from np2tnp.analysis.values import Const

KEYWORDS = {"None": Const.of(None), "True": Const.of(True), "False": Const.of(False)}


@functools.lru_cache(maxsize=4096)
def constant(text: str) -> Const | None:
    """The value of a literal, remembered: most come again. Python's compiler is not asked about the usual forms."""
    if text[0] in "\"'" and "\\" not in text and text[:3] not in ('"""', "'''"):
        return Const.of(text[1:-1])
    if text.isdecimal() and text.isascii():
        return Const.of(int(text))
    with contextlib.suppress(ValueError):
        if "." in text and text[0] not in "\"'":
            return Const.of(float(text))
    try:
        return Const.of(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return None
