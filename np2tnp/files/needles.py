"""Whether the bytes of a file may use NumPy at all, told without parsing them."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: What stands behind ``import``: names in parentheses, or up to the end of the statement.
_IMPORTED = re.compile(rb"\bimport\b[ \t]*(\([^)]*\)|(?:\\\r?\n|[^\n;])*)")


def holds_needle(data: bytes, needles: Iterable[str]) -> bool:
    """Whether one of `needles` stands in `data` in a way that may name NumPy.

    A needle like ``np.`` is the end of a name: ``inp.read()`` has it, too. Such longer names count where the file
    imports them, imports everything from somewhere, or has the short name as well (``onp = compat.np``).
    """
    return any(needle.encode() in data and _may_name(needle.encode(), data) for needle in needles)


def _may_name(needle: bytes, data: bytes) -> bool:
    name = needle[:-1]
    if not needle.endswith(b".") or re.search(rb"(?<!\w)" + re.escape(name) + rb"(?!\w)", data):
        return True
    longer = set(re.findall(rb"\w+" + re.escape(name) + rb"(?=\.)", data))
    imported = set(re.findall(rb"\w+|\*", b" ".join(_IMPORTED.findall(data))))
    return b"*" in imported or not longer.isdisjoint(imported)
