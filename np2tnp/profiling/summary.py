"""The few sentences that a person wants of a measurement: from which size on it is faster, and when it pays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from np2tnp.profiling.evidence import Speed
from np2tnp.profiling.size_grid import named

#: Variants that are what a caller gets, with ``--compile``'s value for each: ndarrays in, ndarrays out.
EMITTED = {"eager-ndarray": "none", "graph-ndarray": "graph", "xla-ndarray": "xla"}

if TYPE_CHECKING:
    from np2tnp.profiling.measured import Measured, Trial

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
