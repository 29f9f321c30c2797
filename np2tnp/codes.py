"""The codes of all findings: their names, the groups that may be selected by name, and what it takes to mend one.

Each code has its page beside the rule that reports it; what stands here is told without importing any rule.
"""

from __future__ import annotations

from collections.abc import Iterable

CODES = {
    "TNP001": "numpy-call", "TNP002": "exact-helper", "TNP003": "silent-difference", "TNP004": "stays-numpy",
    "TNP006": "operator-differs", "TNP007": "index-form", "TNP008": "array-attribute", "TNP009": "unknown-name",
    "TNP010": "unknown-value",
    "TNP101": "array-store", "TNP102": "in-place-operator", "TNP103": "in-place-call", "TNP104": "out-argument",
    "TNP105": "assigned-attribute", "TNP106": "updating-call", "TNP107": "unpacked-store", "TNP108": "lost-argument",
    "TNP109": "interrupted-update",
    "TNP201": "view-written-through", "TNP202": "shared-memory", "TNP203": "memory-order",
    "TNP204": "memory-attribute", "TNP205": "strided-view", "TNP206": "untraceable", "TNP207": "returned-view",
    "TNP301": "object-dtype", "TNP302": "string-dtype", "TNP303": "structured-dtype", "TNP304": "datetime-dtype",
    "TNP305": "extended-precision", "TNP306": "python-dtype", "TNP307": "array-subclass", "TNP308": "removed-name",
    "TNP309": "old-promotion", "TNP310": "single-precision", "TNP311": "not-single-precision",
    "TNP401": "exception-handler", "TNP402": "generator", "TNP403": "coroutine", "TNP404": "nested-state",
    "TNP405": "decorator", "TNP406": "floating-point-errors", "TNP407": "match-statement", "TNP408": "callback",
    "TNP409": "not-compiled", "TNP410": "context-manager", "TNP411": "replaced-name",
    "TNP501": "host-call", "TNP502": "python-value", "TNP503": "host-update", "TNP504": "native-code",
    "TNP505": "processes", "TNP506": "object-state", "TNP507": "migrated-callee", "TNP508": "tensorflow-beside",
    "TNP509": "top-level-names", "TNP510": "held-array", "TNP511": "undecided-result",
    "TNP601": "random-stream",
    "TNP701": "element-loop", "TNP702": "small-array", "TNP703": "whole-array-loop", "TNP704": "part-loop",
    "TNP705": "python-iteration", "TNP706": "callback-loop", "TNP707": "little-work",
    "TNP901": "syntax-error", "TNP902": "undecodable-file", "TNP903": "python-2", "TNP904": "unreadable-file",
    "TNP905": "beyond-the-parser", "TNP906": "analysis-failed", "TNP907": "self-check-failed",
    "TNP908": "changed-meanwhile", "TNP991": "useless-suppression",
}  # fmt: skip

#: Groups by name: what neither tnp, JAX nor the array API can run as it stands, whatever np2tnp makes of it.
GROUPS = {
    "portability": (
        *("TNP101", "TNP102", "TNP103", "TNP104", "TNP105", "TNP107"),  # mutation
        *("TNP201", "TNP202", "TNP207", "TNP203", "TNP204", "TNP205"),  # views, order, strides
        *("TNP301", "TNP302", "TNP303", "TNP304", "TNP305", "TNP307", "TNP308"),  # dtypes
        "TNP504",  # native code
    ),
}

#: What it takes to make a function migrate that a finding of the code keeps from it, most first.
EFFORTS = {
    "redesign": ("TNP301", "TNP302", "TNP303", "TNP304", "TNP305", "TNP504", "TNP701"),
    "hours": (
        *("TNP307", "TNP401", "TNP402", "TNP403", "TNP404", "TNP407", "TNP408", "TNP410", "TNP411", "TNP501"),
        *("TNP505", "TNP508", "TNP704", "TNP706", "TNP707"),
    ),
}


def effort(code: str) -> str:
    """What it takes to mend a finding of the code that stands in a function's way."""
    return next((name for name, codes in EFFORTS.items() if code in codes), "minutes")


def expanded(words: Iterable[str]) -> tuple[str, ...]:
    """Prefixes of codes, for what may be such prefixes, ``ALL``, or names of codes and of groups."""
    return tuple(code for word in words for code in _NAMES.get(word, (word,)))


def is_known(word: str) -> bool:
    """Whether the word is ``ALL``, a name, or the beginning of a code."""
    return word == "ALL" or word in _NAMES or (word.startswith("TNP") and any(code.startswith(word) for code in CODES))


_NAMES = {**{name: (code,) for code, name in CODES.items()}, **GROUPS}

#: All that may be said instead of a prefix, for suggestions.
WORDS = ("ALL", *CODES, *_NAMES)
