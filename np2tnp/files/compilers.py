"""Packages that compile Python functions to native code: what they are handed must stay the function that it is."""

from __future__ import annotations

import re

#: The packages, by the name under which they are imported.
COMPILERS = ("numba", "taichi", "cupy")

_IMPORT = re.compile(rf"^[ \t]*(?:from|import)[ \t]+(?:{'|'.join(COMPILERS)})\b", re.MULTILINE)


def imports_compiler(text: str) -> bool:
    """Whether a module's text imports one of them, at its top level or in a function."""
    return any(name in text for name in COMPILERS) and _IMPORT.search(text) is not None
