"""Calling one version of a function again and again, with a watch. Runs in the child process."""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import io
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from np2tnp.profiling.evidence import Speed, judge_speed, ratio
from np2tnp.profiling.recorded_calls import Arguments, Input

_SAMPLE = 1e-3  #: seconds a sample should last at least: shorter calls are repeated inside it
_WARM = 0.05  #: seconds of warm-up at least, once the first call is over
_COPIES = 2**28  #: bytes that fresh arguments of one sample may take
_LOOKS = (1, 2, 4)  #: times the samples that are asked for: where it is looked whether they decide
_SURE = 0.99  #: of the resamples in the interval that must decide for sampling to end early


class Side:
    """One of the two that are sampled in turns."""

    def __init__(
        self,
        call: Callable[[Arguments], Any],
        arguments: Arguments,
        copies: bool,
        synchronise: Callable[[], None] | None = None,
    ) -> None:
        self._call = call
        self._arguments = arguments
        self._copies = copies  #: each call wants arguments that no other has changed
        self._synchronise = synchronise
        self.calls = 1

    def warm_up(self, seconds: float) -> None:
        """Call until the times settle; decides how many calls a sample takes."""
        end = time.perf_counter() + max(seconds, _WARM)
        last = self.sample()
        if last > 10 * seconds:  # one such call takes the time of all samples, and is warm
            return
        for number in range(1000):
            now = self.sample()
            self.calls = max(1, min(10_000, round(_SAMPLE / max(now, 1e-8))))
            if self._copies:
                size = sum(array.nbytes for array in self._arguments.arrays())
                self.calls = max(1, min(self.calls, _COPIES // max(size, 1)))
            if time.perf_counter() > end or (number >= 3 and now > 0.9 * last and now * self.calls > _WARM):
                return
            last = now

    def sample(self) -> float:
        """Seconds of one call: the mean over one sample."""
        call, count = self._call, self.calls
        prepared = [self._arguments.copy() if self._copies else self._arguments for _ in range(count)]
        if self._synchronise is not None:
            self._synchronise()
        start = time.perf_counter()
        for arguments in prepared:
            call(arguments)
        if self._synchronise is not None:
            self._synchronise()
        return (time.perf_counter() - start) / count


def sample_in_turns(
    sides: tuple[Side, Side], repeats: int, budget: float, min_effect: float, between: Callable[[], object]
) -> tuple[list[float], list[float]]:
    """Seconds a call of NumPy and of the variant, in turns, so that what slows the machine down hits both.

    `repeats` samples of each, at least five, within `budget` seconds; up to four times as much while they do not decide
    which of the two is faster. Whoever looks more often finds more by chance: so each look asks for a wider interval
    than a verdict does. `between` is called after each pair.
    """
    for side in sides:
        side.warm_up(budget / 10)
    times: tuple[list[float], list[float]] = ([], [])
    start = time.perf_counter()
    gc.disable()
    try:
        for factor in _LOOKS:
            while len(times[0]) < factor * repeats:
                for i in (0, 1) if len(times[0]) % 2 == 0 else (1, 0):
                    times[i].append(sides[i].sample())
                between()
                if time.perf_counter() > start + factor * budget and len(times[0]) >= 5:
                    break
            if judge_speed(ratio(*times, share=_SURE), min_effect) is not Speed.UNSURE:
                break
    finally:
        gc.enable()
    return times


class Watch(logging.Handler):
    """Sees whether compiled functions ran as graphs since it was made, and what the runtime said where they did not."""

    _known: ClassVar[dict[str, str]] = {}  #: by mode: the last reason, which the runtime says once for a text

    def __init__(self, mode: str) -> None:
        from np2tnp.runtime.compile.compiled import RUNS

        super().__init__(logging.WARNING)
        self._mode = mode
        self._runs = RUNS
        self._before = RUNS.copy()
        logging.getLogger("np2tnp").addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self._known[self._mode] = record.getMessage().rpartition("as compiled: ")[2]

    def is_eager(self) -> bool:
        """Whether no call ran compiled, or some call did not. Ends the watch."""
        logging.getLogger("np2tnp").removeHandler(self)
        made = self._runs - self._before
        return not made["compiled"] or bool(made["eager"] or made["repeated"] or made["left"])

    def said(self) -> str:
        """The runtime's last reason."""
        return self._known.get(self._mode, "")


class Subject:
    """The rewritten function, called in one of the variants."""

    def __init__(self, function: Any, it: Input, takes_arrays: bool, compiled: Any = None, mode: str = "none") -> None:
        from np2tnp import runtime as rt

        self._function = function
        self._input = it
        self._compiled = compiled  #: the tf.function around it, where the text has none
        self.mode = mode
        self._watch = Watch(mode) if mode != "none" else None
        self.takes_arrays = takes_arrays
        self.first_call = 0.0
        held = given = it.variants[mode]
        #: tensors come from code that works in float32, as the function does
        self._single = not takes_arrays and _is_single(function, given)
        if not takes_arrays:
            with self.precision():
                held = Arguments([rt.tensor(v) for v in held.args], {k: rt.tensor(v) for k, v in held.kwargs.items()})
        self.arguments = held
        #: tensors cannot be changed, but an object among the arguments can
        self.copies = it.mutates and (takes_arrays or any(hasattr(value, "__dict__") for value in given.values()))

    def call(self, arguments: Arguments) -> Any:
        """One call."""
        if not self._single:
            return self._function(*arguments.args, **arguments.kwargs)
        with self.precision():
            return self._function(*arguments.args, **arguments.kwargs)

    def precision(self) -> Any:
        """The caller's, for a ``with`` block."""
        from np2tnp.runtime.base.precision import working

        return working(self._single)

    def observe(self) -> Any:
        """What the variant gives, as the caller of the public function would see it."""
        from np2tnp import runtime as rt
        from np2tnp.verify.observe import Observation, freeze, observe, seed_all

        it = self._input
        if self.takes_arrays:
            given = self.arguments.copy()
            seen = observe(self._timed, given.args, given.kwargs, names=it.names)
            return replace(seen, printed=it.expected.printed) if self._traces_once() else seen
        printed = io.StringIO()
        given = self.arguments.copy() if self.copies else self.arguments
        self.synchronise()
        seed_all()
        with contextlib.redirect_stdout(printed):
            start = time.perf_counter()
            value = self.call(given)
            self.synchronise()
            self.first_call = time.perf_counter() - start
        after = dict(zip(it.expected.after, given.values(), strict=True))
        if isinstance(value, rt.updated):
            after.update(value.arrays)
            value = value.result
        with self.precision():
            frozen = freeze(rt.host(value))
            after = {name: freeze(rt.host(item)) for name, item in after.items()}
        text = it.expected.printed if self._traces_once() else printed.getvalue()
        return Observation("returned", frozen, after=after, printed=text, single=self._single)

    def _traces_once(self) -> bool:
        """Whether a trace, which prints once, runs instead of the body."""
        return self._compiled is not None

    def _timed(self, *args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        result = self._function(*args, **kwargs)
        self.first_call = time.perf_counter() - start
        return result

    def traces(self) -> int:
        """How often the function was traced so far."""
        return int(self._compiled.experimental_get_tracing_count()) if self._compiled is not None else 0

    def is_eager(self) -> bool:
        """Whether a function that should be compiled ran a call as eager code."""
        return self._watch is not None and self._watch.is_eager()

    def why_eager(self) -> str:
        """What the runtime said of that, which it does once a reason."""
        said = self._watch.said() if self._watch is not None else ""
        return said or "it ran eagerly (np2tnp check --compile may say why)"

    def synchronise(self) -> None:
        """Wait until every device is done."""
        from np2tnp.runtime.base.lazy_tensorflow import tf

        tf.test.experimental.sync_devices()


def _is_single(function: Any, given: Arguments) -> bool:
    from np2tnp.runtime.symbols.float32 import has_small

    core = getattr(function, "func", getattr(function, "python_function", function))
    return bool(getattr(core, "float32", False)) and not has_small(given.values())


def subject_of(variant: str, functions: dict[str, Any], it: Input) -> Subject:
    """The function as `variant` calls it: ``eager``, ``graph`` or ``xla``; tensors in, or (``-ndarray``) ndarrays.

    `functions`: from the texts that were made with ``--compile none``, ``graph`` and ``xla``. Where one of these is
    missing, `tf.function` is put around the core of the first.
    """
    how, _, arrays = variant.partition("-")
    mode = "none" if how == "eager" else how
    takes_arrays = arrays == "ndarray"
    function = functions.get(mode, functions["none"])
    core: Any = getattr(function, "core", None)
    if core is None and variant != "eager-ndarray":
        raise TypeError("has no core that takes tensors (it is not decorated with rt.migrated)")
    if inspect.ismethod(function):  # a class method: the core is the plain function's
        core = functools.partial(core, function.__self__)
    if mode in functions:
        return Subject(function if takes_arrays else core, it, takes_arrays, mode=mode)
    from np2tnp.runtime.base.lazy_tensorflow import tf

    # no AutoGraph: what rewrite emits stages its own loops
    compiled = tf.function(core, autograph=False, jit_compile=True if how == "xla" else None)
    if takes_arrays:
        return Subject(_public(compiled, function), it, takes_arrays=True, compiled=compiled)
    return Subject(compiled, it, takes_arrays=False, compiled=compiled)


def _public(compiled: Any, function: Any) -> Callable[..., Any]:
    """A compiled core behind the boundary: ndarrays in, ndarrays out, updated arguments written back."""
    import numpy as np

    from np2tnp import runtime as rt

    signature = inspect.signature(function)

    def call(*args: Any, **kwargs: Any) -> Any:
        value = compiled(*rt.tensor(args), **rt.tensor(kwargs))
        if isinstance(value, rt.updated):
            given = signature.bind(*args, **kwargs).arguments
            for name, array in value.arrays.items():
                np.copyto(given[name], rt.host(array))
            value = value.result
        return rt.host(value)

    return call


def time_transfer(it: Input, subject: Subject) -> dict[str, float]:
    """Seconds for the arguments to reach the device and for the result to come back; the best of three."""
    from np2tnp import runtime as rt

    if subject.takes_arrays:
        return {}
    there, back = [], []
    for _ in range(3):
        start = time.perf_counter()
        with subject.precision():
            held = [rt.tensor(value) for value in it.variants["none"].values()]
        subject.synchronise()
        there.append(time.perf_counter() - start)
        del held
        result = subject.call(subject.arguments.copy() if subject.copies else subject.arguments)
        subject.synchronise()
        start = time.perf_counter()
        with subject.precision():
            rt.host(list(result) if isinstance(result, rt.updated) else result)
        back.append(time.perf_counter() - start)
    return {"to_device": min(there), "to_host": min(back)}
