"""All trials of one function: sizes × devices × variants, each device in a child process of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from np2tnp.differential.channel import Child, ChildDied, ChildTimeout
from np2tnp.differential.originals import CannotVerify, Pair
from np2tnp.profiling.decision import Decision, decide
from np2tnp.profiling.evidence import Ratio, Speed, Spread, judge_speed, ratio, spread
from np2tnp.profiling.record import Signature
from np2tnp.profiling.sizes import Crossover, Point, bracket, find_crossover

_MODULE = "np2tnp.profiling.trial"
_START = 300.0
VARIANTS = ("eager-ndarray", "eager-tensor", "graph", "xla")


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
    recorded: tuple[Signature, ...] = ()  #: arguments of a program's own calls, instead of sizes and expressions
    main: str = ""  #: the program's main file where that is the function's file
    places: tuple[str, ...] = ()  #: what the program could import from
    options: tuple[tuple[str, Any], ...] = ()  #: of the configuration that decide what is emitted
    migrated: tuple[str, ...] = ()  #: every function of the file that the rewritten text has migrated


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
            crossover = find_crossover(self.points(device, variant))
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
            "notes": self.notes,
            "trials": [trial.as_dict() for trial in self.trials],
            "crossovers": [
                {"device": device, "variant": variant, "size": it.size, "low": it.low, "high": it.high, "text": str(it)}
                for (device, variant), it in self.crossovers().items()
            ],
        }


Progress = Callable[[str, int, int], None]  #: what is being measured, trials done, trials in all


def measure(plan: Plan, progress: Progress | None = None, keep: Callable[[Measured], None] | None = None) -> Measured:
    """Run all trials of `plan`; `keep` is called with the result so far after each size.

    Raises CannotVerify when the program cannot be loaded, no device fits, or arguments are missing.
    """
    measured = Measured(plan)
    with _Session(plan) as session:
        session.ensure()
        measured.environment = session.environment
        measured.devices = choose_devices(plan.devices, session.environment["logical_devices"])
        if not plan.recorded:
            _check_arguments(plan, session.signature)
        combinations = [(device, variant) for device in measured.devices for variant in plan.variants]
        sizes: list[int | Signature] = list(plan.recorded or plan.sizes)
        done = 0
        dropped: dict[tuple[str, str], str] = {}
        refinements = plan.refine
        while sizes:
            size = sizes.pop(0)
            shown = size.text if isinstance(size, Signature) else f"{plan.size_name}={size:,}"
            for device, variant in combinations:
                if progress is not None:
                    total = done + (len(sizes) + 1) * len(combinations) - combinations.index((device, variant))
                    progress(f"{plan.function} {shown[:40]} {variant} on {device}", done, total)
                done += 1
                if (device, variant) in dropped:
                    trial = _failed(plan, variant, device, size, dropped[device, variant])
                else:
                    trial = session.trial(variant, device, size)
                    if trial.reason.startswith(("no answer", "the child process ended")):
                        dropped[device, variant] = f"not tried: at {shown} {trial.reason}"
                measured.trials.append(trial)
            doubt_lucky_trials(measured, len(combinations))
            if keep is not None:
                keep(measured)
            if not sizes and refinements:
                refinements -= 1
                sizes = [*_between(measured, combinations)]
    measured.trials.sort(key=lambda it: (it.device, plan.variants.index(it.variant), it.size))
    return measured


class _Session:
    """One child with the program loaded; started again after it died."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._child = Child(_MODULE, {"TF_CPP_MIN_LOG_LEVEL": "2"})
        self._size: int | Signature | None = None
        self._prepared: dict[str, Any] = {}
        self.environment: dict[str, Any] = {}
        self.signature: dict[str, Any] = {}

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.close()

    def ensure(self) -> None:
        """Start the child if there is none. Raises CannotVerify."""
        if self._child.is_running:
            return
        plan = self._plan
        self._size = None
        try:
            self.environment = self._child.ask("start", _START, logical_cpus=plan.logical_cpus)
            self.signature = self._child.ask(
                "load",
                _START,
                path=plan.pair.path,
                original=plan.pair.original,
                rewritten=plan.pair.rewritten,
                function=plan.function,
                inputs=plan.inputs,
                places=plan.places,
            )
            if plan.memory:
                self._child.ask("limit_memory", 10, mebibytes=plan.memory)
        except (ChildDied, ChildTimeout, RuntimeError) as error:
            self._child.close()
            raise CannotVerify(f"{plan.pair.path} cannot be loaded: {error}") from None

    def trial(self, variant: str, device: str, size: int | Signature) -> Trial:
        """Measure one; whatever goes wrong is its reason."""
        plan = self._plan
        try:
            self.ensure()
            if self._size != size:
                self._prepared = self._prepare(size)
                self._size = size
            reply = self._child.ask(
                "measure", plan.timeout, variant=variant, device=device, repeats=plan.repeats, budget=plan.budget
            )
        except (ChildDied, ChildTimeout) as error:
            return _failed(plan, variant, device, size, str(error))
        except (RuntimeError, CannotVerify) as error:
            return _failed(plan, variant, device, size, str(error))
        if not reply["agreed"] or "variant" not in reply:
            return _failed(plan, variant, device, size, reply["reason"], agreed=reply["agreed"])
        signature = size.text if isinstance(size, Signature) else ""
        found = ratio(reply["reference"], reply["variant"])
        return Trial(
            plan.function,
            variant,
            device,
            size.elements if isinstance(size, Signature) else size,
            True,
            "",
            self._prepared["elements"],
            reply["first_call"],
            reply["transfer"],
            spread(reply["reference"]),
            spread(reply["variant"]),
            found,
            judge_speed(found, plan.min_effect),
            (tuple(reply["reference"]), tuple(reply["variant"])),
            signature,
        )

    def _prepare(self, size: int | Signature) -> dict[str, Any]:
        plan = self._plan
        if isinstance(size, Signature):
            reply = self._child.ask("prepare_recorded", plan.timeout, payload=size.payload, main=plan.main)
        else:
            expressions = list(plan.expressions)
            reply = self._child.ask(
                "prepare",
                plan.timeout,
                size_name=plan.size_name,
                size=size,
                expressions=expressions,
                seed=plan.seed,
            )
        prepared: dict[str, Any] = reply
        return prepared


def _failed(plan: Plan, variant: str, device: str, size: int | Signature, reason: str, agreed: bool = False) -> Trial:
    if isinstance(size, Signature):
        return Trial(plan.function, variant, device, size.elements, agreed, reason, size.elements, signature=size.text)
    return Trial(plan.function, variant, device, size, agreed, reason)


def doubt_lucky_trials(measured: Measured, last: int) -> None:
    """Take FASTER back where NumPy, sampled beside another variant on the same arguments, was fast enough to win.

    On a busy machine NumPy's threaded products come in two speeds, a hundred times apart. A variant that was only
    compared with the slow one has not won anything. `last`: how many trials, at the end, are of the same arguments.
    """
    start = len(measured.trials) - last
    references = [trial.reference for trial in measured.trials[start:] if trial.reference is not None]
    best = min((reference.low for reference in references), default=0.0)
    for i, trial in enumerate(measured.trials[start:], start):
        if trial.speed is not Speed.FASTER or trial.variant_time is None:
            continue
        if trial.variant_time.median * (1 + measured.plan.min_effect) >= best:
            measured.trials[i] = replace(trial, speed=Speed.UNSURE, disturbed=True)
    worst = max((reference.median for reference in references), default=0.0)
    if worst > 3 * best > 0:
        measured.notes.append(
            f"{measured.plan.size_name} = {measured.trials[start].size:,}: NumPy itself took from {best:.3g} s to "
            f"{worst:.3g} s; is the machine busy?"
        )


def choose_devices(wanted: str, present: list[str]) -> list[str]:
    """Short names (``CPU:0``) of the logical devices that `wanted` means. Raises CannotVerify, naming those present."""
    names = [name.rpartition("device:")[2] for name in present]
    text = wanted.upper().lstrip("/")
    if text == "ALL":
        chosen = [name for name in names if name.startswith(("CPU", "GPU"))]
    elif ":" in text:
        chosen = [name for name in names if name == text]
    else:
        chosen = [name for name in names if name.startswith(f"{text}:")]
    if not chosen:
        raise CannotVerify(f"there is no device {wanted} here (present: {', '.join(names)}); np2tnp doctor says more")
    return chosen


def _check_arguments(plan: Plan, signature: dict[str, Any]) -> None:
    given = {*(name for name, _ in plan.expressions), *signature["given"]}
    unknown = sorted(given - set(signature["parameters"])) if signature["parameters"] else []
    missing = [name for name in signature["required"] if name not in given]
    if missing and not unknown:
        example = f"--arg '{missing[0]}=rng.standard_normal({plan.size_name})'"
        raise CannotVerify(
            f"{plan.function} needs arguments nobody gave: {', '.join(missing)}. Give them like {example}"
        )
    if unknown:
        raise CannotVerify(
            f"{plan.function} has no parameter {', '.join(unknown)} (it has {', '.join(signature['parameters'])})"
        )


def _between(measured: Measured, combinations: list[tuple[str, str]]) -> list[int]:
    """Sizes in the middle of the intervals that hold a crossover, at most three and none measured before."""
    known = {trial.size for trial in measured.trials}
    found: list[int] = []
    for device, variant in combinations:
        ends = bracket(measured.points(device, variant))
        if ends is not None:
            middle = round((ends[0] * ends[1]) ** 0.5)
            if ends[0] < middle < ends[1] and middle not in known and middle not in found:
                found.append(middle)
    return sorted(found)[:3]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
