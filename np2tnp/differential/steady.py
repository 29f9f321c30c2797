"""What two runs of the probe on the same versions tell together.

The order in which threads add numbers up decides the last digits, as the processor does, and some of TensorFlow's
kernels crash only sometimes: of two such observations the worse one is kept, so that repeated runs settle on the same
facts, on all machines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from np2tnp.differential.cases import DTYPES

#: Of an operator's facts: dtypes for which Python integers out of range give something else than NumPy's.
_OVERFLOW = "weak_int_overflow"
#: ``dtype in 14 of 19: (v, w)``: what differs, in how many calls, of how many and in which for example.
_COUNTED = re.compile(r"(.+) in (\d+) (of \d+: .*)")


def keep_worst(before: dict[str, Any], after: dict[str, Any], targets: Iterable[str]) -> dict[str, Any]:
    """The facts `after`, with the larger rounding differences and the crashes that `before` tells of.

    Parameters
    ----------
    before, after : facts by API.
    targets : of which the agreement is looked at.
    """
    merged = {}
    for name, fact in after.items():
        old, new = before.get(name, {}).get("agreement"), fact.get("agreement")
        if old and new:
            notes = {t: _worse_notes(old[t], new[t]) for t in targets if t in old and t in new}
            fact = {**fact, "agreement": {**new, **notes}}
        overflows = [facts.get(name, {}).get("tnp", {}).get(_OVERFLOW) for facts in (before, after)]
        if None not in overflows:  # what C leaves to the processor
            fact = {**fact, "tnp": {**fact["tnp"], _OVERFLOW: _in_order("".join(overflows))}}
        merged[name] = fact
    return merged


def differ(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether two notes of agreement, by target, differ in what may decide anything.

    Rounding that counts as equal on both sides does not, nor does the way in which a kernel fails that is not equal on
    either side and fails in another way from run to run.
    """
    return before.keys() != after.keys() or any(_notes_differ(before[t], after[t]) for t in before)


def _notes_differ(before: dict[str, Any], after: dict[str, Any]) -> bool:
    old, new = _by_dtype(before), _by_dtype(after)
    others = ({key: value for key, value in notes.items() if not _is_group(key)} for notes in (before, after))
    return next(others) != next(others) or old.keys() != new.keys() or not all(_alike(old[c], new[c]) for c in old)


def _alike(old: str, new: str) -> bool:
    equal = [_ulps(label) is not None for label in (old, new)]
    return old == new or all(equal) or (not any(equal) and max(_instability(old), _instability(new)) > 0)


def _in_order(chars: str) -> str:
    return "".join(char for char in DTYPES if char in chars)


def _worse_notes(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    before = _by_dtype(old)
    chars_of: dict[str, str] = {}
    for char, label in _by_dtype(new).items():
        worse = _worse(before.get(char, label), label)
        chars_of[worse] = chars_of.get(worse, "") + char
    others = {key: value for key, value in new.items() if not _is_group(key)}
    return {**{chars: label for label, chars in chars_of.items()}, **others}


def _is_group(key: str) -> bool:
    return set(key) <= set(DTYPES)


def _by_dtype(notes: dict[str, Any]) -> dict[str, str]:
    labels = {char: label for key, label in notes.items() if _is_group(key) for char in key}
    return {char: labels[char] for char in DTYPES if char in labels}


def _worse(old: str, new: str) -> str:
    differences = _ulps(old), _ulps(new)
    if None not in differences:
        return old if differences[0] > differences[1] else new  # type: ignore[operator]
    if differences[1] is None and (_instability(old), _how_often(old, new)) > (_instability(new), _how_often(new, old)):
        return old
    return new


def _how_often(label: str, other: str) -> int:
    """In how many calls the difference was seen, where `other` tells of the same one; else 0.

    Kernels that read memory which nobody wrote differ in one call more or less from run to run.
    """
    mine, theirs = _COUNTED.fullmatch(label), _COUNTED.fullmatch(other)
    same = mine is not None and theirs is not None and mine.group(1, 3) == theirs.group(1, 3)
    return int(mine[2]) if same and mine is not None else 0


def _instability(label: str) -> int:
    """How bad the worst is that a kernel does in some runs.

    It crashes, breaks the interpreter's own rules, or takes without a word what NumPy raises for.
    """
    ranks = {"crash": 3, "error SystemError": 2, "no error": 1}
    return next((rank for start, rank in ranks.items() if label.startswith(start)), 0)


def _ulps(label: str) -> int | None:
    """Units in the last place by which results differ at most; None if they differ otherwise."""
    if label == "equal":
        return 0
    return int(label[4:]) if label.startswith("ulp:") else None
