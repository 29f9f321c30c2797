"""Sizes to measure at, and where one curve crosses another. Standard library only."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

_RANGE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^.,:\s][^,:\s]*?)\.\.([^,:\s]+?)(?::(\d+))?\s*\Z")
_LIST = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^=]+)\Z")


class SizeError(ValueError):
    """The text does not describe sizes; the message is one line for the user."""


def parse_sizes(text: str) -> tuple[str, list[int]]:
    """The name and the sizes in ``n=1e3..1e7`` (one a decade), ``n=1e3..1e7:9`` (nine) or ``n=100,1000``.

    Raises SizeError.
    """
    if match := _RANGE.match(text):
        name, low, high = match[1], _whole(match[2]), _whole(match[3])
        if low > high:
            raise SizeError(f"--size {text}: {low} is larger than {high}")
        decades = math.log10(high) - math.log10(low)
        count = int(match[4]) if match[4] else max(2, round(decades) + 1)
        return name, grid(low, high, count)
    if match := _LIST.match(text):
        return match[1], sorted({_whole(part) for part in match[2].split(",")})
    raise SizeError(f"--size {text}: write it as n=1e3..1e7, n=1e3..1e7:9 or n=100,1000")


def grid(low: int, high: int, count: int) -> list[int]:
    """`count` sizes from `low` to `high`, evenly on a log scale."""
    if low == high or count < 2:
        return sorted({low, high})
    step = (math.log(high) - math.log(low)) / (count - 1)
    return sorted({round(math.exp(math.log(low) + i * step)) for i in range(count)})


def _whole(text: str) -> int:
    try:
        value = float(text)
    except ValueError:
        raise SizeError(f"--size: {text.strip()} is not a number") from None
    if not math.isfinite(value) or value < 1 or value != int(value):
        raise SizeError(f"--size: {text.strip()} is not a whole number of at least 1")
    return int(value)


def named(name: str, size: str) -> str:
    """A size for people: ``n = 100``, but ``100 elements`` where the arguments were not made for a size."""
    return f"{size} {name}" if name == "elements" else f"{name} = {size}"


@dataclass(frozen=True)
class Point:
    """How many times faster than NumPy something is at one size, with the ends of the interval."""

    size: int
    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class Crossover:
    """The size from which on a variant is faster than NumPy, and the interval it lies in (open ends: None)."""

    size: float
    low: float | None
    high: float | None
    name: str = "n"  #: of the size

    def __str__(self) -> str:
        said = f"faster above {named(self.name, _rounded(self.size))}"
        if self.low is None and self.high is None:
            return said
        low = _rounded(self.low) if self.low is not None else "below what was measured"
        high = _rounded(self.high) if self.high is not None else "above what was measured"
        return f"{said} ({low} to {high})"


def find_crossover(points: Sequence[Point], name: str = "n") -> Crossover | None:
    """Where the ratio rises through 1 for good; None when it never does within the sizes measured."""
    points = sorted(points, key=lambda point: point.size)
    size = _crossing(points, [point.ratio for point in points])
    if size is None:
        return None
    early = _crossing(points, [point.high for point in points])
    late = _crossing(points, [point.low for point in points])
    return Crossover(size, early, late, name)


def bracket(points: Sequence[Point]) -> tuple[int, int] | None:
    """The neighbouring sizes between which the last crossing lies."""
    points = sorted(points, key=lambda point: point.size)
    for a, b in zip(reversed(points[:-1]), reversed(points[1:]), strict=True):
        if a.ratio < 1 <= b.ratio:
            return a.size, b.size
        if b.ratio < 1:
            return None
    return None


def _crossing(points: Sequence[Point], ratios: Sequence[float]) -> float | None:
    for i in range(len(points) - 1, 0, -1):
        below, above = ratios[i - 1], ratios[i]
        if above < 1:
            return None
        if below < 1 <= above:
            share = math.log(1 / below) / math.log(above / below)
            start, end = math.log(points[i - 1].size), math.log(points[i].size)
            return math.exp(start + share * (end - start))
    return None


def _rounded(value: float) -> str:
    digits = max(0, int(math.log10(max(value, 1))) - 1)
    return f"{round(value, -digits):,.0f}"
