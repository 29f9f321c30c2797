"""The parent's side of a trial's child process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from np2tnp.profiling.evidence import Spread, judge_speed, ratio, spread
from np2tnp.profiling.measured import AS_GIVEN, Plan, Trial
from np2tnp.profiling.record import Signature
from np2tnp.verify.channel import Child, ChildDied, ChildTimeout
from np2tnp.verify.two_texts import CannotVerify

ORIGINAL = "in the original"  #: begins the reason of trials whose original did not end, or ended its process
_MODULE = "np2tnp.profiling.trial"
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
