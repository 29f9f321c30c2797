"""All trials of one function: sizes × devices × variants, each device in a child process of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from np2tnp.profiling.environment import is_shared
from np2tnp.profiling.evidence import Speed, Spread, judge_speed, ratio, spread
from np2tnp.profiling.measured import AS_GIVEN, Measured, Plan, Trial
from np2tnp.profiling.record import Signature
from np2tnp.profiling.size_grid import bracket, named
from np2tnp.verify.channel import Child, ChildDied, ChildTimeout
from np2tnp.verify.two_texts import CannotVerify

# --- The parent's side of a trial's child process

ORIGINAL = "in the original"  #: begins the reason of trials whose original did not end, or ended its process
_MODULE = "np2tnp.profiling.trial"
_WIDE = 60  #: letters of what a function is called with, while it is timed
_START = 300.0  #: seconds for a child to import TensorFlow and the program
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class Session:
    """One child with the program loaded; started again after it died.

    With `single` it is NumPy's alone, on one thread: only ``reference`` may be asked for.
    """

    def __init__(self, plan: Plan, single: bool = False) -> None:
        self._plan = plan
        self._single = single
        # NumPy's alone sees no GPU: a program that imports TensorFlow itself would take memory there
        alone = {**dict.fromkeys(_THREADS, "1"), "CUDA_VISIBLE_DEVICES": "-1"}
        self._child = Child(_MODULE, alone if single else {"TF_CPP_MIN_LOG_LEVEL": "2"})
        self._size: int | Signature | None = None
        self._hopeless: dict[int | Signature, str] = {}  #: why the arguments of a size cannot be had, or not be used
        self._prepared: dict[str, Any] = {}
        self.environment: dict[str, Any] = {}
        self.signature: dict[str, Any] = {}
        self.notes: list[str] = []  #: what the user should know of the function

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.close()

    def ensure(self) -> None:
        """Start the child if there is none. Raises CannotVerify."""
        if self._child.is_running:
            return
        with self._loading():
            # NumPy's alone loads TensorFlow, too: what that does to the allocator makes NumPy up to four times as fast
            self.environment = self._child.ask("start", _START, logical_cpus=self._plan.logical_cpus)
            self._load()
            if self._plan.memory and any("GPU" in name for name in self.environment.get("logical_devices", ())):
                self._note("--memory is not applied: CUDA needs more address space than memory")
            elif self._plan.memory:
                self._child.ask("limit_memory", 10, mebibytes=self._plan.memory)

    def go_on_with(self, plan: Plan) -> None:
        """Measure another function from now on, in the same process if it still runs. Raises CannotVerify."""
        self._plan, self._hopeless, self.notes = plan, {}, []
        if self._child.is_running:
            with self._loading():
                self._load()

    @contextlib.contextmanager
    def _loading(self) -> Iterator[None]:
        self._size = None
        try:
            yield
        except (ChildDied, ChildTimeout, RuntimeError) as error:
            self._child.close()
            raise CannotVerify(f"{self._plan.pair.path} cannot be loaded: {error}") from None

    def _load(self) -> None:
        plan = self._plan
        self.signature = self._child.ask(
            "load",
            _START,
            path=plan.pair.path,
            original=plan.pair.original,
            rewritten=None if self._single else plan.pair.rewritten,
            function=plan.function,
            inputs=plan.inputs,
            places=plan.places,
            compiled=() if self._single else tuple((it.mode, it.text) for it in plan.compiled),
        )

    def trial(self, variant: str, device: str, size: int | Signature, plan: Plan | None = None) -> Trial:
        """Measure one; whatever goes wrong is its reason. `plan`: of another number of samples."""
        plan = plan or self._plan

        def fail(reason: str, agreed: bool = False) -> Trial:
            return replace(failed(plan, variant, device, size, reason, agreed), size=self._number(size))

        try:
            self._have(size)
            reply = self._child.ask(
                "measure",
                plan.timeout,
                variant=variant,
                device=device,
                repeats=plan.repeats,
                budget=plan.budget,
                min_effect=plan.min_effect,
            )
        except ChildDied as error:
            return fail(str(error))
        except ChildTimeout as error:
            return fail(f"{error} (--timeout)")
        except (RuntimeError, CannotVerify) as error:
            return fail(str(error))
        if not reply["agreed"] or "variant" not in reply:
            return fail(reply["reason"], agreed=reply["agreed"])
        signature = size.text if isinstance(size, Signature) else ""
        found = ratio(reply["reference"], reply["variant"])
        return Trial(
            plan.function,
            variant,
            device,
            self._number(size),
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
            tuple(reply["remarks"]),
        )

    def reference(self, size: int | Signature) -> Spread | None:
        """NumPy alone on one thread; None where that went wrong (the trials say how)."""
        plan = self._plan
        try:
            self._have(size)
            samples = self._child.ask("reference", plan.timeout, repeats=plan.repeats, budget=plan.budget / 3)
        except (ChildDied, ChildTimeout, RuntimeError, CannotVerify):
            return None
        return spread(samples)

    def _have(self, size: int | Signature) -> None:
        """Have the arguments of one size made, and the original called once. Raises CannotVerify."""
        if size in self._hopeless:
            raise CannotVerify(self._hopeless[size])
        self.ensure()
        if self._size != size:
            try:
                self._prepared = self._prepare(size)
            except ChildDied as error:
                self._prepared = {"failed": f"{ORIGINAL}: {error}"}
            except ChildTimeout as error:
                self._prepared = {"failed": f"{ORIGINAL}: {error} (--timeout)"}
            except RuntimeError as error:
                self._prepared = {"failed": str(error)}
            if why := self._prepared.get("failed"):  # it would not go better for the next variant
                self._hopeless[size] = why
                raise CannotVerify(why)
            self._size = size
            for what in self._prepared["outside"]:
                self._note(f"{self._plan.function} {what}: so it did in every sample")

    def _note(self, text: str) -> None:
        self.notes += [text] if text not in self.notes else []

    def _number(self, size: int | Signature) -> int:
        """What tables and charts call the size: the elements of arguments that nobody made for a size."""
        if isinstance(size, Signature):
            return size.elements
        return size if size != AS_GIVEN or self._size != size else max(1, self._prepared["elements"])

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


def failed(plan: Plan, variant: str, device: str, size: int | Signature, reason: str, agreed: bool = False) -> Trial:
    if isinstance(size, Signature):
        return Trial(plan.function, variant, device, size.elements, agreed, reason, size.elements, signature=size.text)
    return Trial(plan.function, variant, device, size, agreed, reason)


Progress = Callable[[str, int, int], None]  #: what is being measured, trials done, trials in all


def measure(
    plan: Plan,
    progress: Progress | None = None,
    keep: Callable[[Measured], None] | None = None,
    going_on: tuple[Session, Session] | None = None,
) -> Measured:
    """Run all trials of `plan`; `keep` is called with the result so far after each size.

    going_on: processes that have measured another function before, the one with a single thread last; they are not
    ended. Without any, the first calls that are timed are the first ones of a process.

    Raises CannotVerify when the program cannot be loaded, no device fits, or arguments are missing.
    """
    measured = Measured(plan)
    with contextlib.ExitStack() as stack:
        for it in going_on or ():
            it.go_on_with(plan)
        own = (Session(plan), Session(plan, single=True)) if going_on is None else ()
        session, alone = going_on or map(stack.enter_context, own)
        session.ensure()
        measured.environment = session.environment
        measured.devices = choose_devices(plan.devices, session.environment["logical_devices"])
        if not plan.recorded:
            _check_arguments(plan, session.signature)
        combinations = [(device, variant) for device in measured.devices for variant in plan.variants]
        sizes: list[int | Signature] = list(plan.recorded or plan.sizes)
        done = 0
        uncompiled = {form.mode: form.why_not(plan.function) for form in plan.compiled}
        dropped = {
            (device, variant): why
            for device, variant in combinations
            if (why := uncompiled.get(variant.partition("-")[0]))
        }
        refinements = plan.refine
        while sizes:
            size = sizes.pop(0)
            shown = size.text if isinstance(size, Signature) else f"{plan.size_name}={size:,}" if size else ""
            for device, variant in combinations:
                if progress is not None:
                    total = done + (len(sizes) + 1) * len(combinations) - combinations.index((device, variant))
                    given = shown if len(shown) <= _WIDE else f"{shown[:_WIDE].rstrip()}..."
                    progress(f"{plan.function}({given}), {variant} on {device}", done, total)
                done += 1
                if (device, variant) in dropped:
                    trial = failed(plan, variant, device, size, dropped[device, variant])
                else:
                    trial = session.trial(variant, device, size)
                    if trial.reason.startswith(("no answer", "the child process ended", ORIGINAL)):
                        dropped[device, variant] = f"not tried: at {shown} {trial.reason}"
                measured.trials.append(trial)
            agreed = [trial for trial in measured.trials[-len(combinations) :] if trial.agreed]
            single = alone.reference(size) if agreed else None
            if single is not None:
                measured.single[agreed[0].size, agreed[0].signature] = single
            for i in doubt_lucky_trials(measured, len(combinations), single):  # the moment was bad: one more
                trial = measured.trials[i]
                measured.trials[i] = session.trial(trial.variant, trial.device, size)
            doubt_lucky_trials(measured, len(combinations), single)
            note_slowed_numpy(measured, len(combinations))
            note_remarks(measured, len(combinations))
            measured.notes += [note for note in session.notes if note not in measured.notes]
            if keep is not None:
                keep(measured)
            if not sizes and refinements:
                refinements -= 1
                sizes = [*_between(measured, combinations)]
    measured.trials.sort(key=lambda it: (it.device, plan.variants.index(it.variant), it.size))
    return measured


def doubt_lucky_trials(measured: Measured, last: int, single: Spread | None = None) -> list[int]:
    """Take FASTER back where NumPy, sampled elsewhere on the same arguments, was fast enough to win; which trials.

    On a busy machine NumPy's threaded products come in two speeds, a hundred times apart. A variant that was only
    compared with the slow one has not won anything. `last`: how many trials, at the end, are of the same arguments;
    `single`: NumPy on one thread. What a GPU gave that others used, too, is no win either.
    """
    start = len(measured.trials) - last
    references = [trial.reference for trial in measured.trials[start:] if trial.reference is not None]
    references += [single] if single is not None else []
    best = min((reference.low for reference in references), default=0.0)
    doubted = []
    for i, trial in enumerate(measured.trials[start:], start):
        if trial.speed is not Speed.FASTER or trial.variant_time is None:
            continue
        if is_shared(trial.remarks) or trial.variant_time.median * (1 + measured.plan.min_effect) >= best:
            measured.trials[i] = replace(trial, speed=Speed.UNSURE, disturbed=True)
            doubted.append(i)
    return doubted


def note_slowed_numpy(measured: Measured, last: int) -> None:
    """Say so where NumPy's own times on the same arguments (the `last` trials) are far apart."""
    from np2tnp.report.to_profile import seconds

    trials = [trial for trial in measured.trials[-last:] if trial.reference is not None]
    medians = [trial.reference.median for trial in trials if trial.reference is not None]
    if medians and max(medians) > 3 * min(medians):
        size = named(measured.plan.size_name, f"{trials[0].size:,}")
        fast, slow = seconds(min(medians)), seconds(max(medians))
        measured.notes.append(f"{size}: NumPy itself took from {fast} to {slow}; is the machine busy?")


def note_remarks(measured: Measured, last: int) -> None:
    """Say what the driver told of the devices during the `last` trials, each thing once."""
    for trial in measured.trials[-last:]:
        notes = [f"{trial.device}: {remark}" for remark in trial.remarks]
        measured.notes += [note for note in notes if note not in measured.notes]


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
    parameters = set(signature["parameters"])
    if (owner := signature["owner"]) is not None:
        given = _without_object(plan, given, parameters, owner)
    unknown = sorted(given - parameters) if parameters else []
    missing = [name for name in signature["required"] if name not in given]
    if missing and not unknown:
        size = "--size n=1e3..1e6 " if plan.sizes == (AS_GIVEN,) else ""
        example = f"{size}--arg '{missing[0]}=rng.standard_normal({'n' if size else plan.size_name})'"
        raise CannotVerify(
            f"{plan.function} needs arguments nobody gave: {', '.join(missing)}. Give them like {example}"
        )
    if unknown:
        raise CannotVerify(
            f"{plan.function} has no parameter {', '.join(unknown)} (it has {', '.join(signature['parameters'])})"
        )


def _without_object(plan: Plan, given: set[str], parameters: set[str], owner: dict[str, Any]) -> set[str]:
    """The arguments that are left for a method once its object is made. Raises CannotVerify where it cannot be."""
    if "self" in given:
        return given - {"self"}
    class_name = plan.function.rpartition(".")[0]
    missing = [name for name in owner["required"] if name not in given or name in parameters]
    if missing:
        raise CannotVerify(
            f"{plan.function} needs an object. Give it like --arg 'self={class_name}(...)', "
            f"or what {class_name} is made from: {', '.join(missing)}"
        )
    return given - (set(owner["parameters"]) - parameters)


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
