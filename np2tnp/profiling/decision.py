"""Whether what was measured of a function is reason enough to rewrite it. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from np2tnp.profiling.evidence import Speed
from np2tnp.profiling.summary import EMITTED, pays_after

if TYPE_CHECKING:
    from np2tnp.profiling.measured import Measured, Trial


@dataclass(frozen=True)
class Decision:
    """What to do about one function."""

    confirmed: bool  #: equal and FASTER at every size that was measured
    reason: str  #: of the decision, for people
    compile: str = "none"
    above: int | None = None  #: not confirmed as it is, but would be for largest arrays of this many elements or more
    device: str = ""
    gain: float = 0.0  #: how many times faster, the least over the sizes (from `above` on)
    modes: dict[str, float] = field(default_factory=dict)  #: every value of ``--compile`` that is confirmed: its gain

    def as_dict(self) -> dict[str, Any]:
        """For JSON: see docs/profile-schema.md."""
        return {
            "confirmed": self.confirmed,
            "reason": self.reason,
            "compile": self.compile,
            "above": self.above,
            "device": self.device,
            "gain": self.gain,
            "modes": self.modes,
        }


def decide(measured: Measured) -> Decision:
    """The decision that the trials of one function allow, on the device where migrated code runs by default."""
    device = next((name for name in measured.devices if name.startswith("GPU")), "CPU:0")
    different = next((t for t in measured.trials if t.variant in EMITTED and t.reason.startswith("not equal")), None)
    if different is not None:  # whatever the others gave: they come from the same code
        return Decision(False, f"{different.variant} on {different.device}: {different.reason}", device=device)
    decisions, saved = [], {}
    seen = {signature.text: signature.calls for signature in measured.plan.recorded}
    numpy = _fastest_numpy(measured.trials)
    for variant, mode in EMITTED.items():
        trials = [t for t in measured.trials if t.variant == variant and t.device == device]
        if trials:
            decisions.append(_decide(trials, mode, device, seen))
            saved[mode] = _saved(trials, decisions[-1].above or 0, seen, numpy)
    if not decisions:
        return Decision(False, "it was not measured")
    confirmed = [decision for decision in decisions if decision.confirmed]
    if confirmed:
        simplest = confirmed[0]
        best = max(confirmed, key=lambda decision: decision.gain)
        chosen = best if best.gain > 1.05 * simplest.gain else simplest
        return replace(chosen, modes={decision.compile: decision.gain for decision in confirmed})
    partly = [decision for decision in decisions if decision.above is not None]
    if partly:
        return max(partly, key=lambda decision: saved[decision.compile])
    return max(decisions, key=lambda decision: decision.gain)  # the nearest to a win says most


def _decide(trials: list[Trial], compile: str, device: str, calls: dict[str, int]) -> Decision:
    trials = sorted(trials, key=lambda trial: trial.elements)
    failed = next((trial for trial in trials if not trial.agreed), None)
    if failed is not None:
        return Decision(False, failed.reason or "the results differ", compile, device=device)
    unknown = next((trial for trial in trials if trial.ratio is None), None)
    if unknown is not None:
        return Decision(False, f"not timed: {unknown.reason}", compile, device=device)
    least = min((trial.ratio.low for trial in trials if trial.ratio), default=0.0)
    unpaid = [_never_pays(trial, calls) if compile != "none" else "" for trial in trials]
    won = [
        trial.speed is Speed.FASTER and not trial.disturbed and not why
        for trial, why in zip(trials, unpaid, strict=True)
    ]
    first = len(won)  # of the trials that end the list and were all won
    while first and won[first - 1]:
        first -= 1
    gain = min((trial.ratio.low for trial in trials[first:] if trial.ratio), default=0.0)
    reason = next(filter(None, unpaid), _said(trials))
    reason = reason if compile == "none" else f"--compile {compile}: {reason}"
    if first == 0:
        return Decision(True, reason, compile, device=device, gain=gain)
    if first == len(trials) or not trials[first].elements > trials[first - 1].elements:
        return Decision(False, reason, compile, device=device, gain=least)
    return Decision(False, reason, compile, trials[first].elements, device, gain)


def _fastest_numpy(trials: list[Trial]) -> dict[tuple[int, str], float]:
    """NumPy's seconds at each size: one measure for all variants, however busy the machine was beside one of them."""
    found: dict[tuple[int, str], float] = {}
    for trial in trials:
        if trial.reference is not None:
            key = trial.size, trial.signature
            found[key] = min(trial.reference.median, found.get(key, trial.reference.median))
    return found


def _saved(trials: list[Trial], above: int, calls: dict[str, int], numpy: dict[tuple[int, str], float]) -> float:
    """Seconds that calls which were seen (else one of each size) surely take less where a size test lets them by."""
    return sum(
        calls.get(trial.signature, 1) * numpy[trial.size, trial.signature] * (1 - 1 / trial.ratio.low)
        for trial in trials
        if trial.elements >= above and trial.reference is not None and trial.ratio is not None and trial.ratio.low > 0
    )


def _never_pays(trial: Trial, calls: dict[str, int]) -> str:
    """What to say where the program calls too rarely for tracing and compiling to pay; empty where it does not."""
    wanted, seen = pays_after(trial), calls.get(trial.signature)
    if wanted is None or seen is None or wanted <= seen:
        return ""
    return f"faster, but pays after {wanted:,} calls at {trial.elements:,} elements, and {seen:,} were made"


def _said(trials: list[Trial]) -> str:
    parts = []
    for trial in trials:
        verdict = trial.speed.value if trial.speed else "not timed"
        how = f" ({trial.ratio.value:.2g} times)" if trial.ratio else ""
        parts.append(f"{verdict}{how} at {trial.elements:,} elements")
    return ", ".join(parts)
