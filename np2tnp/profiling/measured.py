"""What was to be measured of one function, and what came of it: plain data. Standard library only."""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypedDict

from np2tnp.profiling.evidence import EMITTED, Ratio, Speed, Spread, pays_after, summarize
from np2tnp.profiling.record import Signature
from np2tnp.profiling.size_grid import Crossover, Point, find_crossover
from np2tnp.verify.two_texts import Pair

if TYPE_CHECKING:
    from np2tnp.profiling.emitted import Compiled


# --- Whether what was measured of a function is reason enough to rewrite it. Standard library only


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
    return f"faster, but pays after {wanted:,} calls {at(trial.elements)}, and {seen:,} were made"


def _said(trials: list[Trial]) -> str:
    parts = []
    for (elements, speed), group in groupby(trials, lambda trial: (trial.elements, trial.speed)):
        ratios = [trial.ratio.value for trial in group if trial.ratio]
        least = {Speed.SLOWER: ", or longer", Speed.FASTER: ", or faster"}.get(speed, "") if len(ratios) > 1 else ""
        nearest = max(ratios, default=0.0) if speed is Speed.SLOWER else min(ratios, default=0.0)
        how = f" ({as_said(nearest)}{least})" if ratios else ""
        parts.append(f"{speed.value if speed else 'not timed'}{how} {at(elements)}")
    return ", ".join(parts)


def at(elements: int) -> str:
    """For which arguments something was measured: the elements of the largest array among them."""
    if not elements:
        return "without an array among the arguments"
    return "at 1 element" if elements == 1 else f"at {elements:,} elements"


def as_said(ratio: float) -> str:
    """How the variant's time compares with NumPy's, as people say it."""
    is_faster = ratio >= 1 or not ratio > 0
    times = ratio if is_faster else 1 / ratio
    said = f"{times:,.0f}" if times >= 99.5 else f"{times:.2g}"
    return f"{said} times as fast" if is_faster else f"takes {said} times as long"


#: Instead of a size: the arguments are what they are (no ``--size``), and their elements are the size.
AS_GIVEN = 0
VARIANTS = ("eager-ndarray", "eager-tensor", "graph-ndarray", "graph", "xla-ndarray", "xla")


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    pair: Pair
    function: str
    size_name: str
    sizes: tuple[int, ...]
    expressions: tuple[tuple[str, str], ...]
    devices: str = "all"
    repeats: int = 20
    budget: float = 3.0
    min_effect: float = 0.05
    timeout: float = 120.0
    memory: int = 0
    seed: int = 0
    logical_cpus: int = 1
    inputs: str | None = None
    refine: int = 1  #: sizes added around the crossover
    variants: tuple[str, ...] = VARIANTS
    compiled: tuple[Compiled, ...] = ()  #: the program under --compile graph and xla
    recorded: tuple[Signature, ...] = ()  #: arguments of a program's own calls, instead of sizes and expressions
    main: str = ""  #: the program's main file where that is the function's file
    places: tuple[str, ...] = ()  #: what the program could import from
    options: tuple[tuple[str, Any], ...] = ()  #: of the configuration that decide what is emitted
    migrated: tuple[str, ...] = ()  #: every function that is migrated in what is timed; ``FILE::NAME`` in other files


@dataclass(frozen=True)
class Trial:
    """One variant on one device at one size. No seconds unless the results agreed."""

    function: str
    variant: str
    device: str
    size: int
    agreed: bool
    reason: str = ""  #: why there are no seconds
    elements: int = 0
    first_call: float | None = None
    transfer: dict[str, float] = field(default_factory=dict)
    reference: Spread | None = None  #: NumPy, sampled in turns with the variant
    variant_time: Spread | None = None
    ratio: Ratio | None = None
    speed: Speed | None = None
    samples: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    signature: str = ""  #: of the arguments, where they were recorded
    remarks: tuple[str, ...] = ()  #: what disturbed the device meanwhile
    disturbed: bool = False  #: NumPy was much slower here than beside another variant: no evidence for FASTER

    def as_dict(self) -> dict[str, Any]:
        """For JSON: see docs/profile-schema.md."""
        return {
            "function": self.function,
            "variant": self.variant,
            "device": self.device,
            "size": self.size,
            "elements": self.elements,
            "signature": self.signature,
            "agreed": self.agreed,
            "reason": self.reason,
            "verdict": self.speed.value if self.speed else None,
            "disturbed": self.disturbed,
            "remarks": list(self.remarks),
            "pays_after": pays_after(self),
            "first_call": self.first_call,
            "transfer": self.transfer,
            "numpy": self.reference.as_dict() if self.reference else None,
            "seconds": self.variant_time.as_dict() if self.variant_time else None,
            "ratio": self.ratio.as_dict() if self.ratio else None,
            "samples": {"numpy": self.samples[0], "variant": self.samples[1]} if self.variant_time else None,
        }


@dataclass
class Measured:
    """Everything measured of one function."""

    plan: Plan
    environment: dict[str, Any] = field(default_factory=dict)  #: what TensorFlow says of itself
    devices: list[str] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    single: dict[tuple[int, str], Spread] = field(default_factory=dict)  #: NumPy on one thread, by size and signature
    veto: str = ""  #: why the function is not confirmed whatever was measured

    def decision(self) -> Decision:
        """What the trials are reason enough for."""
        decision = decide(self)
        return replace(decision, confirmed=False, above=None, reason=self.veto) if self.veto else decision

    def crossovers(self) -> dict[tuple[str, str], Crossover]:
        """By (device, variant), where there is one."""
        found = {}
        for device, variant in dict.fromkeys((trial.device, trial.variant) for trial in self.trials):
            curve = [t for t in self.trials if t.device == device and t.variant == variant]
            largest = max(curve, key=lambda trial: trial.size)
            crossover = find_crossover(self.points(device, variant), self.plan.size_name)
            if crossover is not None and largest.speed is Speed.FASTER:
                found[device, variant] = crossover
        return found

    def points(self, device: str, variant: str) -> list[Point]:
        """The ratios of one curve."""
        chosen = [t for t in self.trials if t.device == device and t.variant == variant and not t.disturbed]
        return [Point(t.size, t.ratio.value, t.ratio.low, t.ratio.high) for t in chosen if t.ratio]

    def as_dict(self) -> dict[str, Any]:
        """For JSON: see docs/profile-schema.md."""
        pair = self.plan.pair
        return {
            "path": pair.path,
            "function": self.plan.function,
            "original": {"source": pair.source, "sha256": _digest(pair.original)},
            "rewritten": {"in_memory": pair.in_memory, "sha256": _digest(pair.rewritten)},
            "size_name": self.plan.size_name,
            "arguments": dict(self.plan.expressions),
            "min_effect": self.plan.min_effect,
            "seen": [signature.as_dict() for signature in self.plan.recorded],
            "options": dict(self.plan.options),
            "migrated": list(self.plan.migrated),
            "decision": self.decision().as_dict(),
            "summary": summarize(self),
            "numpy_one_thread": [
                {"size": size, "signature": signature, **spread.as_dict()}
                for (size, signature), spread in self.single.items()
            ],
            "notes": self.notes,
            "trials": [trial.as_dict() for trial in self.trials],
            "crossovers": [
                {"device": device, "variant": variant, "size": it.size, "low": it.low, "high": it.high, "text": str(it)}
                for (device, variant), it in self.crossovers().items()
            ],
        }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Settings(TypedDict):
    """How every trial of a run is measured; the fields of ``Plan`` of these names say more."""

    devices: str
    repeats: int
    budget: float
    min_effect: float
    timeout: float
    memory: int
    seed: int
    logical_cpus: int


def settings_of(args: argparse.Namespace) -> Settings:
    """What the command line says of them."""
    return Settings(
        devices=args.device,
        repeats=args.repeats,
        budget=args.budget,
        min_effect=args.min_effect,
        timeout=args.timeout,
        memory=args.memory,
        seed=args.seed,
        logical_cpus=args.logical_cpus,
    )
