"""From samples to a verdict: medians, spread, and a bootstrap interval of the ratio. Standard library only."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from np2tnp.profiling.size_grid import named

if TYPE_CHECKING:
    from np2tnp.profiling.measured import Measured, Trial


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


# --- The few sentences that a person wants of a measurement: from which size on it is faster, and when it pays

#: Variants that are what a caller gets, with ``--compile``'s value for each: ndarrays in, ndarrays out.
EMITTED = {"eager-ndarray": "none", "graph-ndarray": "graph", "xla-ndarray": "xla"}


#: Ways to execute, each with the variant that includes the transfer and the one whose data stays on the device.
_WAYS = (
    ("eager", "eager-ndarray", "eager-tensor"),
    ("tf.function", "graph-ndarray", "graph"),
    ("XLA", "xla-ndarray", "xla"),
)


def summarize(measured: Measured) -> list[str]:
    """One line for each device and way to execute that wins somewhere; one for a device where nothing does."""
    lines: list[str] = []
    for device in measured.devices:
        before = len(lines)
        for way, with_transfer, staying in _WAYS:
            parts = []
            if text := _where(measured, device, with_transfer):
                parts.append(f"{text}, with transfer")
            if text := _where(measured, device, staying):
                parts.append(f"{text} when the data stays on the device")
            if parts:
                lines.append(f"{way} on {device}: {'; '.join(parts)}{_pays(measured, device, with_transfer, staying)}")
        sizes = [trial.size for trial in measured.trials if trial.device == device and trial.variant_time]
        if sizes and len(lines) == before:
            largest = named(measured.plan.size_name, f"{max(sizes):,}")
            lines.append(f"on {device} nothing is surely faster than NumPy up to {largest}: no crossover size")
    return lines


def _where(measured: Measured, device: str, variant: str) -> str:
    """Where the variant is faster than NumPy; empty for nowhere."""
    curve = [t for t in measured.trials if t.device == device and t.variant == variant]
    if curve and all(trial.speed is Speed.FASTER for trial in curve):
        return "faster at every size measured"
    crossover = measured.crossovers().get((device, variant))
    return str(crossover) if crossover is not None else ""


def _pays(measured: Measured, device: str, *variants: str) -> str:
    """After how many calls the first call (tracing, compiling) has paid, at the largest size that won."""
    won = [
        trial
        for trial in measured.trials
        if trial.device == device and trial.variant in variants and trial.speed is Speed.FASTER
    ]
    if not won:
        return ""
    largest = max(won, key=lambda trial: (trial.size, -variants.index(trial.variant)))
    calls = pays_after(largest)
    if calls is None:
        return ""
    size = named(measured.plan.size_name, f"{largest.size:,}")
    return f"; at {size} the first call pays after {calls:,} call{'s' if calls != 1 else ''}"


def saved(measured: Measured) -> float:
    """Seconds that a run like the recorded one would spend less in a confirmed function, first calls included."""
    decision = measured.decision()
    calls = {signature.text: signature.calls for signature in measured.plan.recorded}
    variant = next((name for name, mode in EMITTED.items() if mode == decision.compile), "")
    total = 0.0
    for trial in measured.trials:
        here, there = trial.variant_time, trial.reference
        if trial.variant == variant and trial.device == decision.device and here is not None and there is not None:
            total += calls.get(trial.signature, 0) * (there.median - here.median) - (trial.first_call or 0.0)
    return total if decision.confirmed else 0.0


def pays_after(trial: Trial) -> int | None:
    """How many calls it takes until the variant, its first call included, has taken less time than NumPy.

    None where it never will, or is not surely faster.
    """
    here, there = trial.variant_time, trial.reference
    if trial.speed is not Speed.FASTER or here is None or there is None or trial.first_call is None:
        return None
    gain = there.median - here.median
    extra = max(0.0, trial.first_call - here.median)
    return max(1, math.ceil(extra / gain)) if gain > 0 else None
