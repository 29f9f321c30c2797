"""The child process of ``profile``: agreement first, then times, for one function on one size after another.

Run as ``python -m np2tnp.profiling.trial``. Both versions live in this process, so that their samples can be taken in
turns: what slows the machine down for a while then hits both.
"""

from __future__ import annotations

import contextlib
import gc
import io
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from np2tnp.differential.channel import serve

_SAMPLE = 1e-3  #: seconds a sample should last at least: shorter calls are repeated inside it
_WARM = 0.05  #: seconds of warm-up at least, once the first call is over
_COPIES = 2**28  #: bytes that fresh arguments of one sample may take


@dataclass
class _Input:
    """One size's arguments and what the original made of them."""

    size: int
    names: tuple[str, ...]
    values: list[Any]
    expected: Any
    mutates: bool
    seconds: float


class Trial:
    """Both versions of one program and the current size's arguments."""

    def __init__(self) -> None:
        self._input: _Input | None = None

    def start(self, logical_cpus: int = 1) -> dict[str, Any]:
        """Set TensorFlow up, and say what there is."""
        from np2tnp.profiling.environment import describe_tensorflow

        if logical_cpus > 1:
            import tensorflow as tf

            cpu = tf.config.list_physical_devices("CPU")[0]
            tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * logical_cpus)
        return describe_tensorflow()

    def limit_memory(self, mebibytes: int) -> bool:
        """Let this process take at most so much more address space."""
        from np2tnp.differential.worker import limit_memory

        return limit_memory(mebibytes)

    def load(
        self, path: str, original: str, rewritten: str, function: str, inputs: str | None = None
    ) -> dict[str, Any]:
        """Execute both texts. Replies with the function's parameters; raises when one of the two lacks the function."""
        import numpy as np

        from np2tnp.differential.loading import Program, load

        with contextlib.redirect_stdout(io.StringIO()):
            self._original = getattr(load(path, original), function)
            module = load(path, rewritten)
        self._rewritten = getattr(module, function)
        self._namespace = vars(module)
        self._given = dict(np.load(inputs, allow_pickle=False)) if inputs else {}
        self._input = None
        target = Program(original).target(function)
        parameters = target.parameters if target is not None else ()
        return {
            "required": [item.name for item in parameters if item.default is None],
            "parameters": [item.name for item in parameters],
            "has_core": hasattr(self._rewritten, "core"),
        }

    def prepare(self, size_name: str, size: int, expressions: list[tuple[str, str]], seed: int) -> dict[str, Any]:
        """Make the arguments of one size and call the original once. Replies with its seconds and data sizes."""
        import numpy as np

        from np2tnp.differential.observe import observe

        self._input = None
        gc.collect()
        scope: dict[str, Any] = {"np": np, "rng": np.random.default_rng(seed), size_name: size}
        values: dict[str, Any] = dict(self._given)
        for name, expression in expressions:
            values[name] = scope[name] = eval(expression, {**self._namespace, **scope})
        names = tuple(values)
        held = list(values.values())
        start = time.perf_counter()
        copies = [_copy(value) for value in held]
        expected = observe(self._original, [], dict(zip(names, copies, strict=True)))
        seconds = time.perf_counter() - start
        if not expected.returned:
            raise ValueError(f"the original raises {expected.error}: {expected.message}")
        self._input = _Input(size, names, held, expected, expected.changed, seconds)
        arrays = [value for value in held if isinstance(value, np.ndarray)]
        return {
            "seconds": seconds,
            "bytes": sum(a.nbytes for a in arrays),
            "elements": max([a.size for a in arrays], default=0),
        }

    def measure(self, variant: str, device: str, repeats: int, budget: float) -> dict[str, Any]:
        """Compare one variant's result with the original's; then, only if they agree, time both in turns.

        Replies with ``agreed``, ``reason``, ``first_call`` and the samples (seconds a call) of ``reference`` and
        ``variant``.
        """
        from np2tnp.runtime.lazy import tf

        it = self._input
        assert it is not None
        with tf.device(device):
            try:
                subject = _subject(variant, self._rewritten, it)
            except Exception as error:
                return {"agreed": False, "reason": _said(error)}
            agreed, reason, first = self._agree(it, subject)
            if not agreed:
                return {"agreed": False, "reason": reason}
            transfer = _time_transfer(it, subject, device)
            traces = subject.traces()
            samples = self._sample(it, subject, repeats, budget)
            if subject.traces() != traces:
                return {
                    "agreed": True,
                    "reason": "traced again while it was timed: no steady state",
                    "first_call": first,
                }
        return {"agreed": True, "reason": "", "first_call": first, "transfer": transfer, "device": device, **samples}

    def _agree(self, it: _Input, subject: _Subject) -> tuple[bool, str, float]:
        import numpy as np

        from np2tnp.differential.inputs import perturbed
        from np2tnp.differential.judge import judge
        from np2tnp.differential.observe import observe
        from np2tnp.differential.specs import Array, Call, make_call

        try:
            actual = subject.observe()
        except Exception as error:
            return False, _said(error), 0.0
        first = subject.first_call
        rng = np.random.default_rng(0)
        specs = [Array(v) if type(v) is np.ndarray else v for v in it.values]

        def again(how: str) -> Any:
            call = Call((), dict(zip(it.names, specs, strict=True)))
            args, kwargs = make_call(call if how == "same" else perturbed(call, rng, how == "shaken"), self._namespace)
            return observe(self._original, args, kwargs)

        judged = judge(it.expected, actual, again)
        if judged.kind in ("equal", "unstable"):
            return judged.kind == "equal", judged.detail, first
        return False, f"not equal: {judged.detail}" if judged.kind == "different" else judged.detail, first

    def _sample(self, it: _Input, subject: _Subject, repeats: int, budget: float) -> dict[str, Any]:
        def reference(arguments: list[Any]) -> None:
            self._original(**dict(zip(it.names, arguments, strict=True)))

        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet):
            sides = (
                _Side(reference, it),
                _Side(subject.call, it if subject.takes_arrays else None, subject.synchronise),
            )
            for side in sides:
                side.warm_up(budget / 10)
            times: tuple[list[float], list[float]] = ([], [])
            end = time.perf_counter() + budget
            gc.disable()
            try:
                for number in range(repeats):
                    for i in (0, 1) if number % 2 == 0 else (1, 0):
                        times[i].append(sides[i].sample())
                    quiet.seek(0)
                    quiet.truncate()
                    if time.perf_counter() > end and number >= 4:
                        break
            finally:
                gc.enable()
        return {"reference": times[0], "variant": times[1], "calls": [side.calls for side in sides]}


class _Side:
    """One of the two that are sampled in turns."""

    def __init__(
        self, call: Callable[[list[Any]], Any], it: _Input | None, synchronise: Callable[[], None] | None = None
    ) -> None:
        self._call = call
        self._input = it
        self._synchronise = synchronise
        self.calls = 1

    def warm_up(self, seconds: float) -> None:
        """Call until the times settle; decides how many calls a sample takes."""
        end = time.perf_counter() + max(seconds, _WARM)
        last = self.sample()
        for number in range(1000):
            now = self.sample()
            self.calls = max(1, min(10_000, round(_SAMPLE / max(now, 1e-8))))
            if self._input is not None and self._input.mutates:
                size = sum(getattr(value, "nbytes", 0) for value in self._input.values)
                self.calls = max(1, min(self.calls, _COPIES // max(size, 1)))
            if time.perf_counter() > end or (number >= 3 and now > 0.9 * last and now * self.calls > _WARM):
                return
            last = now

    def sample(self) -> float:
        """Seconds of one call: the mean over one sample."""
        it, call, count = self._input, self._call, self.calls
        if it is not None and it.mutates:  # each call wants arguments that no other has changed
            prepared = [[_copy(value) for value in it.values] for _ in range(count)]
        else:
            prepared = [it.values if it is not None else []] * count
        if self._synchronise is not None:
            self._synchronise()
        start = time.perf_counter()
        for arguments in prepared:
            call(arguments)
        if self._synchronise is not None:
            self._synchronise()
        return (time.perf_counter() - start) / count


class _Subject:
    """The rewritten function, called in one of the variants."""

    def __init__(self, function: Any, it: _Input, takes_arrays: bool, compiled: Any = None) -> None:
        from np2tnp import runtime as rt

        self._function = function
        self._input = it
        self._compiled = compiled
        self.takes_arrays = takes_arrays
        self.first_call = 0.0
        self.tensors = [] if takes_arrays else [rt.tensor(value) for value in it.values]

    def call(self, arguments: list[Any]) -> Any:
        """One call; `arguments` only count where ndarrays go in."""
        return self._function(
            **dict(zip(self._input.names, arguments if self.takes_arrays else self.tensors, strict=True))
        )

    def observe(self) -> Any:
        """What the variant gives, as the caller of the public function would see it."""
        from np2tnp import runtime as rt
        from np2tnp.differential.observe import Observation, freeze, observe

        it = self._input
        if self.takes_arrays:
            seen = observe(self._timed, [], dict(zip(it.names, [_copy(value) for value in it.values], strict=True)))
            return seen if self._compiled is None else replace(seen, printed=it.expected.printed)  # a trace prints once
        printed = io.StringIO()
        self.synchronise()
        with contextlib.redirect_stdout(printed):
            start = time.perf_counter()
            value = self.call([])
            self.synchronise()
            self.first_call = time.perf_counter() - start
        after = dict(zip(it.names, it.values, strict=True))
        if isinstance(value, rt.updated):
            after.update(value.arrays)
            value = value.result
        frozen = freeze(rt.host(value))
        text = it.expected.printed if self._compiled is not None else printed.getvalue()  # a trace prints once
        return Observation("returned", frozen, after={k: freeze(rt.host(v)) for k, v in after.items()}, printed=text)

    def _timed(self, **arguments: Any) -> Any:
        start = time.perf_counter()
        result = self._function(**arguments)
        self.first_call = time.perf_counter() - start
        return result

    def traces(self) -> int:
        """How often the function was traced so far."""
        return int(self._compiled.experimental_get_tracing_count()) if self._compiled is not None else 0

    def synchronise(self) -> None:
        """Wait until every device is done."""
        from np2tnp.runtime.lazy import tf

        tf.test.experimental.sync_devices()


def _subject(variant: str, function: Any, it: _Input) -> _Subject:
    """The function as `variant` calls it: ``eager``, ``graph`` or ``xla``; tensors in, or (``-ndarray``) ndarrays."""
    how, _, arrays = variant.partition("-")
    if variant == "eager-ndarray":
        return _Subject(function, it, takes_arrays=True)
    core = getattr(function, "core", None)
    if core is None:
        raise TypeError("has no core that takes tensors (it is not decorated with rt.migrated)")
    if how == "eager":
        return _Subject(core, it, takes_arrays=False)
    from np2tnp.runtime.lazy import tf

    # no AutoGraph: what rewrite emits stages its own loops
    compiled = tf.function(core, autograph=False, jit_compile=True if how == "xla" else None)
    if arrays == "ndarray":
        return _Subject(_public(compiled), it, takes_arrays=True, compiled=compiled)
    return _Subject(compiled, it, takes_arrays=False, compiled=compiled)


def _public(compiled: Any) -> Callable[..., Any]:
    """A compiled core behind the boundary: ndarrays in, ndarrays out, updated arguments written back."""
    import numpy as np

    from np2tnp import runtime as rt

    def call(**arguments: Any) -> Any:
        value = compiled(**rt.tensor(arguments))
        if isinstance(value, rt.updated):
            for name, array in value.arrays.items():
                np.copyto(arguments[name], rt.host(array))
            value = value.result
        return rt.host(value)

    return call


def _time_transfer(it: _Input, subject: _Subject, device: str) -> dict[str, float]:
    """Seconds for the arguments to reach the device and for the result to come back; the best of three."""
    from np2tnp import runtime as rt

    if subject.takes_arrays:
        return {}
    there, back = [], []
    for _ in range(3):
        start = time.perf_counter()
        held = [rt.tensor(value) for value in it.values]
        subject.synchronise()
        there.append(time.perf_counter() - start)
        del held
        result = subject.call([])
        subject.synchronise()
        start = time.perf_counter()
        rt.host(list(result) if isinstance(result, rt.updated) else result)
        back.append(time.perf_counter() - start)
    return {"to_device": min(there), "to_host": min(back)}


def _copy(value: Any) -> Any:
    import copy

    import numpy as np

    if type(value) is np.ndarray:
        return value.copy(order="K")
    return copy.deepcopy(value) if isinstance(value, (list, dict, tuple)) or hasattr(value, "__dict__") else value


def _said(error: Exception) -> str:
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {text.partition('. ')[0]}"[:300]  # TensorFlow goes on with general advice


def main() -> None:
    """Serve requests until the pipe closes."""
    trial = Trial()
    serve({name: getattr(trial, name) for name in ("start", "limit_memory", "load", "prepare", "measure")})


if __name__ == "__main__":
    main()
