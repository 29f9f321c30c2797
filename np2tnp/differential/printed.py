"""Compares what two calls printed: texts exactly, numbers as far as the original's are certain."""

from __future__ import annotations

import re

import numpy as np

from np2tnp.differential.rounding import eps, is_single

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_AMPLIFY = 64.0  #: how much farther from the original's number than any of its noisy repeats


def is_printed_alike(expected: str, actual: str, moved: list[str] | None) -> bool:
    """Whether the texts are equal but for the last printed digit of numbers, where the original's is uncertain."""
    if expected == actual:
        return True
    if moved is None:
        return False
    wanted, got = _NUMBER.findall(expected), _NUMBER.findall(actual)
    # NumPy aligns columns: other digits take other room, and equal ones the same
    spaced = wanted == got and not is_single()
    if len(wanted) != len(got) or _without_numbers(expected, spaced) != _without_numbers(actual, spaced):
        return any(actual == other for other in moved)
    units = 64 if any(other != expected for other in moved) else 2
    relative = max(1e-13, 64 * eps(np.float64))
    changes = _changes(expected, moved)
    for a, b, change in zip(wanted, got, changes, strict=True):
        slack = _AMPLIFY * change if _unit(a) else 0.0
        if a != b and not abs(float(a) - float(b)) <= _unit(a) * units + relative * abs(float(a)) + slack:
            return False
    return True


def prints_otherwise(expected: str, other: str) -> bool:
    """Whether the texts differ in words, or in whole numbers."""
    if expected == other:
        return False
    wanted, got = _NUMBER.findall(expected), _NUMBER.findall(other)
    if len(wanted) != len(got) or _without_numbers(expected, False) != _without_numbers(other, False):
        return True
    return any(a != b and not _unit(a) and not _unit(b) for a, b in zip(wanted, got, strict=True))


def _changes(expected: str, moved: list[str]) -> list[float]:
    """The largest change of each printed number in the texts that repeats with noise printed."""
    wanted = [float(it) for it in _NUMBER.findall(expected)]
    changes = [0.0] * len(wanted)
    for other in moved:
        got = [float(it) for it in _NUMBER.findall(other)]
        if len(got) == len(wanted):
            changes = [max(change, abs(a - b)) for change, a, b in zip(changes, wanted, got, strict=True)]
    return changes


def _without_numbers(text: str, spaced: bool) -> str:
    found = _NUMBER.sub("#", text)
    return found if spaced else "".join(found.split())


def _unit(text: str) -> float:
    """One unit in the last printed place of a number's text; 0 for whole numbers, which must be equal."""
    mantissa, _, exponent = text.lower().partition("e")
    if "." not in mantissa and not exponent:
        return 0.0
    return float(10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])))
