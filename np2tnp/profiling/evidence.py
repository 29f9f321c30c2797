"""From samples to a verdict: medians, spread, and a bootstrap interval of the ratio. Standard library only."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

_RESAMPLES = 1000
_SHARE = 0.95  #: of the resamples inside the interval


class Speed(str, Enum):
    """What was measured of a variant against NumPy."""

    FASTER = "FASTER"
    SLOWER = "SLOWER"
    SAME = "SAME"  #: less apart than the minimum effect
    UNSURE = "UNSURE"  #: the interval does not decide


@dataclass(frozen=True)
class Spread:
    """Seconds of one call: the median and the quartiles."""

    median: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """For JSON."""
        return {"median": self.median, "q1": self.low, "q3": self.high}


@dataclass(frozen=True)
class Ratio:
    """How many times faster than NumPy (above 1: faster), with its interval."""

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """For JSON."""
        return {"value": self.value, "low": self.low, "high": self.high}


def spread(samples: Sequence[float]) -> Spread:
    """Median and quartiles of at least one sample."""
    if len(samples) < 2:
        return Spread(samples[0], samples[0], samples[0])
    first, _, third = statistics.quantiles(samples, n=4, method="inclusive")
    return Spread(statistics.median(samples), first, third)


def ratio(reference: Sequence[float], variant: Sequence[float], seed: int = 0, share: float = _SHARE) -> Ratio:
    """Median of `reference` over median of `variant`, with a bootstrap interval that holds `share` of the resamples.

    The two were sampled in turns, so sample i of both saw the same state of the machine: pairs are resampled together.
    """
    count = min(len(reference), len(variant))
    value = statistics.median(reference) / statistics.median(variant)
    if count < 3:
        return Ratio(value, 0.0, float("inf"))  # too few samples to say anything about the spread
    rng = random.Random(seed)
    found = []
    for _ in range(_RESAMPLES):
        chosen = rng.choices(range(count), k=count)
        a = statistics.median([reference[i] for i in chosen])
        b = statistics.median([variant[i] for i in chosen])
        found.append(a / b)
    found.sort()
    edge = int(_RESAMPLES * (1 - share) / 2)
    return Ratio(value, found[edge], found[-1 - edge])


def judge_speed(measured: Ratio, min_effect: float) -> Speed:
    """FASTER or SLOWER only when the whole interval is beyond `min_effect`; SAME only when all of it is within."""
    border = 1 + min_effect
    if measured.low > border:
        return Speed.FASTER
    if measured.high < 1 / border:
        return Speed.SLOWER
    if measured.low >= 1 / border and measured.high <= border:
        return Speed.SAME
    return Speed.UNSURE
