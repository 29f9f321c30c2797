"""The child process of ``profile``: agreement first, then times, for one function on one size after another.

Run as ``python -m np2tnp.profiling.trial``. Both versions live in this process, so that their samples can be taken in
turns: what slows the machine down for a while then hits both.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import gc
import inspect
import io
import logging
import random
import sys
import time
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from np2tnp.profiling.environment import watch
from np2tnp.profiling.evidence import Speed, judge_speed, ratio
from np2tnp.profiling.recorded_calls import Arguments, Input, function_of, moved, positional_names, read_recorded
from np2tnp.verify.channel import serve
from np2tnp.verify.hints import Parameter

# --- Calling one version of a function again and again, with a watch. Runs in the child process

_SAMPLE = 1e-3  #: seconds a sample should last at least: shorter calls are repeated inside it
_WARM = 0.05  #: seconds of warm-up at least, once the first call is over
_COPIES = 2**28  #: bytes that fresh arguments of one sample may take
_LOOKS = (1, 2, 4)  #: times the samples that are asked for: where it is looked whether they decide
_FAR = 2.0  #: times as long
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

    `repeats` samples of each, at least five (three of what is slower by far), within `budget` seconds; up to four times
    as much while they do not decide which of the two is faster. Whoever looks more often finds more by chance: so each
    look asks for a wider interval than a verdict does. `between` is called after each pair.
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
                if time.perf_counter() > start + factor * budget and len(times[0]) >= _fewest(times):
                    break
            if judge_speed(ratio(*times, share=_SURE), min_effect) is not Speed.UNSURE:
                break
    finally:
        gc.enable()
    return times


def _fewest(times: tuple[list[float], list[float]]) -> int:
    """Samples that are needed at least: a variant that took far longer each time will not become the faster one."""
    return 3 if min(times[1]) > _FAR * max(times[0]) else 5


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


# --- The arguments that the user's expressions make, for each version of a program. Runs in the child process


# --- The child process: agreement first, then times


def evaluate(
    expressions: Sequence[tuple[str, str]],
    modules: Sequence[types.ModuleType],
    known: dict[str, Any],
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """The values of `expressions` by name, once for each of `modules`.

    An expression knows NumPy as ``np``, `rng`, the names in `known`, the values before it, and what its module defines.
    Those that use the latter are evaluated in every module, with the random numbers of the first time, so that each
    version of the program gets objects of its own classes; all others share one value. Raises what evaluating raises.
    """
    found: list[dict[str, Any]] = [{} for _ in modules]
    shared = {"np", "rng", *known}
    for name, expression in expressions:
        names = {node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name)}
        is_shared = not (names - shared) & {*vars(modules[0]), *found[0]}
        before = copy.deepcopy(rng), np.random.get_state(), random.getstate()
        for number, (module, values) in enumerate(zip(modules, found, strict=True)):
            if number and is_shared:
                values[name] = found[0][name]
                continue
            if number:
                rng, legacy, plain = copy.deepcopy(before[0]), before[1], before[2]
                np.random.set_state(legacy)
                random.setstate(plain)
            scope = {**vars(module), "np": np, "rng": rng, **known, **values}
            values[name] = eval(expression, scope)
        shared = shared | {name} if is_shared else shared - {name}
    return found


def constructing(class_name: str, names: Sequence[str]) -> str:
    """The expression that makes an object of a class from values called `names`."""
    return f"{class_name}({', '.join(f'{name}={name}' for name in names)})"


class Trial:
    """Both versions of one program and the current size's arguments."""

    def __init__(self) -> None:
        self._input: Input | None = None

    def start(self, logical_cpus: int = 1) -> dict[str, Any]:
        """Set TensorFlow up, and say what there is."""
        from np2tnp.profiling.environment import describe_tensorflow, start_devices

        if logical_cpus > 1:
            import tensorflow as tf

            cpu = tf.config.list_physical_devices("CPU")[0]
            tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * logical_cpus)
        return {**describe_tensorflow(), "device_start_seconds": start_devices()}

    def limit_memory(self, mebibytes: int) -> bool:
        """Let this process take at most so much more address space."""
        from np2tnp.verify.verify_worker import limit_memory

        return limit_memory(mebibytes)

    def load(
        self,
        path: str,
        original: str,
        rewritten: str | None,
        function: str,
        inputs: str | None = None,
        places: tuple[str, ...] = (),
        compiled: tuple[tuple[str, str], ...] = (),
    ) -> dict[str, Any]:
        """Execute both texts (or the original alone), with `places` importable. Replies with the function's parameters.

        `compiled`: what ``rewrite --compile`` makes of the program, by its value. Raises when the first two
        lack the function.
        """
        import numpy as np

        from np2tnp.verify.loading import Program, load

        sys.path.extend(place for place in places if place not in sys.path)
        with contextlib.redirect_stdout(io.StringIO()):
            self._place, self._name = (path, original), function
            self._old = load(path, original)
            self._original, self._is_bound = function_of(self._old, function)
            self._new = load(path, rewritten) if rewritten is not None else self._old
        self._compiled = compiled
        self._given = dict(np.load(inputs, allow_pickle=False)) if inputs else {}
        self._input = None
        program = Program(original)
        target = program.target(function)
        parameters = target.parameters if target is not None else ()
        self._parameters = frozenset(item.name for item in parameters)
        self._constructor: tuple[str, frozenset[str]] | None = None
        owner = None
        if target is not None and target.class_name and target.plain:
            made_from = program.constructor(target.class_name).parameters
            self._constructor = target.class_name, frozenset(item.name for item in made_from)
            owner = _described(made_from)
        return {**_described(parameters), "owner": owner, "given": list(self._given)}

    def prepare(self, size_name: str, size: int, expressions: list[tuple[str, str]], seed: int) -> dict[str, Any]:
        """Make the arguments of one size (0: of none) and call the original once.

        Replies with its seconds and data sizes, or with why it ``failed``.
        """
        import numpy as np

        self._begin()
        modules = {"": self._old, **self._modules}
        wanted = self._with_object(expressions)
        known = {**({size_name: size} if size else {}), **self._given}
        try:
            made = evaluate(wanted, list(modules.values()), known, np.random.default_rng(seed))
        except NameError as error:
            hint = "" if size else "; sizes are named by --size n=1e3..1e6"
            return {"failed": f"the arguments cannot be made: {error}{hint}"}
        except Exception as error:
            return {"failed": f"the arguments cannot be made: {_said(error)}"}
        versions = {
            mode: self._arguments({**self._given, **values}) for mode, values in zip(modules, made, strict=True)
        }
        return self._call_original(versions.pop(""), versions)

    def _begin(self) -> None:
        """Forget the size before, and execute the compiled texts anew: a program seldom sees more than a few sizes.

        The runtime traces a function for so many shapes and no more; a grid of sizes has more.
        """
        from np2tnp.verify.loading import load

        self._input = None
        with contextlib.redirect_stdout(io.StringIO()):
            made = {mode: load(self._place[0], text) for mode, text in self._compiled}
        self._modules = {"none": self._new, **made}
        self._functions = {mode: function_of(module, self._name)[0] for mode, module in self._modules.items()}
        gc.collect()

    def _with_object(self, expressions: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """`expressions`, and one for the object of a method where nobody gave it."""
        names = [*self._given, *(name for name, _ in expressions)]
        if not self._constructor or "self" in names:
            return expressions
        class_name, parameters = self._constructor
        own = [name for name in names if name in parameters and name not in self._parameters]
        return [*expressions, ("self", constructing(class_name, own))]

    def _arguments(self, values: dict[str, Any]) -> Arguments:
        """One version's arguments; a method's object is the first."""
        if not self._constructor:
            return Arguments([], values)
        made = values.pop("self")
        parameters = self._constructor[1] - self._parameters
        return Arguments([made], {name: value for name, value in values.items() if name not in parameters})

    def prepare_recorded(self, payload: str, main: str) -> dict[str, Any]:
        """As ``prepare``, with the arguments that the recorder wrote to `payload`."""
        self._begin()
        reference = read_recorded(payload, self._old, main)
        variants = {mode: read_recorded(payload, module, main) for mode, module in self._modules.items()}
        for arguments in (reference, *variants.values()):
            if self._is_bound:
                del arguments.args[0]
        return self._call_original(reference, variants)

    def _call_original(self, reference: Arguments, variants: dict[str, Arguments]) -> dict[str, Any]:
        from np2tnp.runtime.boundary.sizes import extent
        from np2tnp.verify.observe import observe

        names = positional_names(self._original, len(reference.args))
        start = time.perf_counter()
        given = reference.copy()
        expected = observe(self._original, given.args, given.kwargs, names=names)
        seconds = time.perf_counter() - start
        if not expected.returned:
            return {"failed": f"the original raises {expected.error}: {expected.message}"}
        self._first: dict[tuple[str, str], float] = {}
        self._input = Input(names, reference, variants, expected, expected.changed, seconds)
        return {
            "seconds": seconds,
            "bytes": sum(array.nbytes for array in reference.arrays()),
            "elements": extent(reference.args, reference.kwargs),  # what a size test would see
            "outside": expected.outside,
        }

    def measure(self, variant: str, device: str, repeats: int, budget: float, min_effect: float) -> dict[str, Any]:
        """Compare one variant's result with the original's; then, only if they agree, time both in turns.

        Replies with ``agreed``, ``reason``, ``first_call`` and the samples (seconds a call) of ``reference`` and
        ``variant``.
        """
        from np2tnp.runtime.base.lazy_tensorflow import tf

        it = self._input
        assert it is not None
        with tf.device(device):
            try:
                subject = subject_of(variant, self._functions, it)
            except Exception as error:
                return {"agreed": False, "reason": _said(error)}
            agreed, reason, first = self._agree(it, subject)
            if not agreed:
                return {"agreed": False, "reason": reason}
            if subject.mode != "none":  # the public function and its core share their graphs: one of them was first
                first = self._first[subject.mode, device] = max(first, self._first.get((subject.mode, device), 0.0))
            transfer = time_transfer(it, subject)
            traces = subject.traces()
            remarks = watch(device)
            samples = self._sample(it, subject, repeats, budget, min_effect)
            remarks += [remark for remark in watch(device) if remark not in remarks]
            if subject.traces() != traces:
                reason = "traced again while it was timed: no steady state"
            elif subject.is_eager():
                reason = f"not compiled for these arguments: {subject.why_eager()}"
            if reason:
                return {"agreed": True, "reason": reason, "first_call": first}
        common = {"agreed": True, "reason": "", "first_call": first, "transfer": transfer, "remarks": remarks}
        return {**common, **samples}

    def reference(self, repeats: int, budget: float) -> list[float]:
        """Seconds a call of the original alone: for a process in which NumPy has one thread."""
        it = self._input
        assert it is not None
        side = Side(self._call, it.reference, it.mutates)
        with contextlib.redirect_stdout(io.StringIO()):
            side.warm_up(budget / 10)
            end = time.perf_counter() + budget
            samples = [side.sample() for _ in range(5)]
            while len(samples) < repeats and time.perf_counter() < end:
                samples.append(side.sample())
        return samples

    def _call(self, arguments: Arguments) -> None:
        self._original(*arguments.args, **arguments.kwargs)

    def _agree(self, it: Input, subject: Subject) -> tuple[bool, str, float]:
        import numpy as np

        from np2tnp.verify.judge import judge
        from np2tnp.verify.observe import observe

        try:
            actual = subject.observe()
        except Exception as error:
            return False, _said(error), 0.0
        first = subject.first_call
        rng = np.random.default_rng(0)

        def again(how: str) -> Any:
            given = it.reference.copy()
            function = self._noisy(rng) if how == "noisy" else self._original
            if function is None or how == "scalars":
                return None
            if how != "same":
                given = moved(given, rng)
            return observe(function, given.args, given.kwargs, names=it.names)

        judged = judge(it.expected, actual, again, sharing=False)
        if judged.kind in ("equal", "unstable"):
            return judged.kind == "equal", judged.detail, first
        return False, f"not equal: {judged.detail}" if judged.kind == "different" else judged.detail, first

    def _noisy(self, rng: Any) -> Any:
        """The original with noise where it rounds; None where there is no such thing."""
        from np2tnp.verify.loading import load_noisy

        module = load_noisy(*self._place, rng)
        return function_of(module, self._name)[0] if module is not None else None

    def _sample(self, it: Input, subject: Subject, repeats: int, budget: float, min_effect: float) -> dict[str, Any]:
        sides = (
            Side(self._call, it.reference, it.mutates),
            Side(subject.call, subject.arguments, subject.copies, subject.synchronise),
        )
        with contextlib.redirect_stdout(io.StringIO()) as quiet:
            reference, variant = sample_in_turns(
                sides, repeats, budget, min_effect, lambda: quiet.truncate(quiet.seek(0))
            )
        return {"reference": reference, "variant": variant, "calls": [side.calls for side in sides]}


def _described(parameters: Sequence[Parameter]) -> dict[str, list[str]]:
    """The names of parameters, and of those that have no default."""
    required = [item.name for item in parameters if item.default is None]
    return {"required": required, "parameters": [item.name for item in parameters]}


def _said(error: Exception) -> str:
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {text.partition('. ')[0]}"[:300]  # TensorFlow goes on with general advice


def main() -> None:
    """Serve requests until the pipe closes."""
    trial = Trial()
    names = ("start", "limit_memory", "load", "prepare", "prepare_recorded", "measure", "reference")
    serve({name: getattr(trial, name) for name in names})


if __name__ == "__main__":
    main()
