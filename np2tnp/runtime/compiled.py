"""``compile="graph"`` and ``"xla"``: the body of a migrated function traced once a signature, and run as one graph.

A signature is the dtype and shape of every array and the value of everything else (a Python number decides shapes, and
is weak in promotion). Whatever cannot be traced without changing a result leaves the body eager for that signature.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime.compiled_state import MoreAttributes, State, stand_in
from np2tnp.runtime.dispatch import NUMERIC, is_tensor
from np2tnp.runtime.errors import Unsupported, UnverifiedError
from np2tnp.runtime.lazy import tf
from np2tnp.runtime.literal_graphs import literally
from np2tnp.runtime.opaque import Opaque, argument, literal_arithmetic
from np2tnp.runtime.precision import is_single
from np2tnp.runtime.tracing import Trace, all_hold, tracing
from np2tnp.runtime.weak import DTYPES, Weak

MODES = ("graph", "xla")

#: How many traces one function makes; signatures beyond run eagerly (tracing costs seconds, and memory for ever).
MOST_TRACES = 8

#: How calls of compiled functions ran: "compiled", "eager", or "repeated" (eagerly, after a check of the graph failed).
RUNS: Counter[str] = Counter()

_log = logging.getLogger("np2tnp")
_IDENTITY = (type(None), bool, str, bytes, type(Ellipsis), np.dtype, type)


class _Slot(NamedTuple):
    """In a signature or a result: the array number `place` of the inputs or the outputs."""

    place: int
    source: str  #: "input", "output", or the Python type's name of a number that the graph computes


class _Graph(NamedTuple):
    """A traced signature."""

    function: Callable[..., Any]  #: tensors → outputs and whether all checks held
    result: Any  #: the result with a _Slot for each tensor
    reads: tuple[tuple[dict[str, Any], str, Any], ...]

    def is_current(self) -> bool:
        """Whether the globals that the trace read are the same objects still."""
        return all(scope.get(name) is value for scope, name, value in self.reads)


class Compiled:
    """The body of one migrated function, run as graphs where that gives the same results."""

    def __init__(self, body: Callable[..., Any], mode: str, state: State | None = None) -> None:
        self._body = body
        self.state = state  #: of a method: what may be read of its object
        self._mode = mode
        self._graphs: dict[Any, _Graph | None] = {}  # None: runs eagerly
        self._lock = threading.Lock()
        self._said: set[str] = set()

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the body returns for these arguments. Raises what the eager body raises."""
        inputs: list[Any] = []
        given = args
        methods: tuple[Any, ...] = ()
        try:
            if self.state is not None:
                held, methods = self.state.read(args[0])
                args = (held, *args[1:])
            key = _key(args, inputs), _key(kwargs, inputs) if kwargs else (), is_single(), methods
        except (Unsupported, UnverifiedError) as error:
            self._say(str(error))
            return self._eagerly(given, kwargs)
        graph = self._graphs.get(key, self)
        if graph is self or (isinstance(graph, _Graph) and not graph.is_current()):
            try:
                graph = self._trace(key, args, kwargs, inputs)
            except MoreAttributes:
                return self(given, kwargs)
        if not isinstance(graph, _Graph):
            return self._eagerly(given, kwargs)
        try:
            *outputs, held = graph.function(*inputs)
            if bool(held):
                RUNS["compiled"] += 1
                return _rebuilt(graph.result, inputs, outputs)
        except tf.errors.OpError as error:  # what this device cannot compile, or no memory for it
            self._say(str(error).partition("\n")[0])
            self._graphs[key] = None
        return self._eagerly(given, kwargs, "repeated")

    def enter(self, trace: Trace, args: tuple[Any, ...]) -> None:
        """The body becomes part of another one's graph. Raises Unsupported where it reads what is not in that."""
        if self.state is not None:
            if trace.state is None or not args or args[0] is not trace.object:
                raise Unsupported(f"{self._body.__qualname__} reads an object that the graph does not know")
            if not trace.state.includes(self.state):
                trace.state.include(self.state)
                raise MoreAttributes
        trace.enter(self._body)

    def _eagerly(self, args: tuple[Any, ...], kwargs: dict[str, Any], how: str = "eager") -> Any:
        RUNS[how] += 1
        return self._body(*args, **kwargs)

    def _trace(self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], inputs: list[Any]) -> _Graph | None:
        with self._lock:
            if key not in self._graphs and len(self._graphs) >= MOST_TRACES:
                self._say(f"called with more than {MOST_TRACES} combinations of dtypes, shapes and other values")
                return None
            graph: _Graph | None = None
            try:
                graph = _traced(self._body, self._mode, self.state, args, kwargs, inputs)
            except Exception as error:  # whatever it is, the eager body says it better, or does not mind
                self._say(f"{type(error).__name__}: {error}".partition("\n")[0])
            self._graphs[key] = graph
            return graph

    def _say(self, reason: str) -> None:
        if reason not in self._said:
            self._said.add(reason)
            _log.warning("%s runs eagerly for some arguments, not as compiled: %s", self._body.__qualname__, reason)


def _traced(
    body: Callable[..., Any],
    mode: str,
    state: State | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    inputs: list[Any],
) -> _Graph:
    found: list[Any] = []
    with tracing(mode) as trace:
        trace.enter(body)
        trace.state = state

        def run(numbers: Any, *tensors: Any) -> list[Any]:
            symbols = iter(tensors)
            with literal_arithmetic(Opaque(numbers) if mode == "xla" else None):
                given = _exchanged(args, symbols)
                if state is not None:
                    trace.object = stand_in(given[0])
                    given = (trace.object, *given[1:])
                result = body(*given, **_exchanged(kwargs, symbols))
            outputs: list[Any] = []
            places = {id(tensor): _Slot(index, "input") for index, tensor in enumerate(tensors)}
            found.append(_template(result, places, outputs))
            held = all_hold(trace.checks[0])
            trace.end_graph()
            return [*outputs, held]

        numbers = argument()
        specs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in (numbers, *inputs)]
        function = tf.function(run, input_signature=specs, autograph=False, jit_compile=mode == "xla")
        concrete = function.get_concrete_function()
    call = functools.partial(concrete if mode == "xla" else literally(concrete), numbers)
    return _Graph(call, found[-1], tuple(trace.globals.values()))


def _key(value: Any, inputs: list[Any]) -> Any:
    """What the trace depends on in `value`; its tensors are appended to `inputs`. Raises Unsupported."""
    if is_tensor(value):
        if not hasattr(value, "numpy") or isinstance(value, tf.Variable):
            raise Unsupported(f"an argument is a {type(value).__name__}")
        inputs.append(value)
        return value.dtype, tuple(value.shape)
    kind = type(value)
    if kind is int or isinstance(value, _IDENTITY):
        return kind, value
    if kind is float:
        return kind, value.hex()
    if kind is complex:
        return kind, value.real.hex(), value.imag.hex()
    if isinstance(value, np.generic) and value.dtype.char in NUMERIC:
        return kind, value.tobytes()
    if kind is list or (isinstance(value, tuple) and (kind is tuple or hasattr(value, "_fields"))):
        return kind, *[_key(item, inputs) for item in value]
    if kind is dict:
        return kind, *[(_key(name, inputs), _key(item, inputs)) for name, item in value.items()]
    if kind is slice:
        return kind, *[_key(part, inputs) for part in (value.start, value.stop, value.step)]
    if kind is range:
        return kind, value.start, value.stop, value.step
    raise Unsupported(f"an argument is a {kind.__name__}")


def _exchanged(value: Any, symbols: Any) -> Any:
    """`value` with the next of `symbols` for each tensor, in the order of :func:`_key`; containers are new."""
    if is_tensor(value):
        return next(symbols)
    kind = type(value)
    if kind is list:
        return [_exchanged(item, symbols) for item in value]
    if isinstance(value, tuple):
        items = [_exchanged(item, symbols) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if kind is dict:
        return {name: _exchanged(item, symbols) for name, item in value.items()}
    return value


def _template(value: Any, places: dict[int, _Slot], outputs: list[Any]) -> Any:
    """A result of the trace with a _Slot for each tensor. Raises Unsupported for what another call may not share."""
    if is_tensor(value) or isinstance(value, Weak):
        tensor, source = (value.tensor, value.kind.__name__) if isinstance(value, Weak) else (value, "output")
        if None in tuple(tensor.shape):
            raise Unsupported("a result whose shape depends on values")
        place = places.get(id(value))
        if place is None:
            place = places[id(value)] = _Slot(len(outputs), source)
            outputs.append(tensor)
        return place
    from np2tnp.runtime.boundary import updated

    kind = type(value)
    if kind is updated:
        return updated(
            _template(value.result, places, outputs),
            **{name: _template(item, places, outputs) for name, item in value.arrays.items()},
        )
    if kind is list:
        return [_template(item, places, outputs) for item in value]
    if isinstance(value, tuple) and (kind is tuple or hasattr(value, "_fields")):
        items = [_template(item, places, outputs) for item in value]
        return kind(*items) if kind is not tuple else tuple(items)
    if kind is dict:
        return {name: _template(item, places, outputs) for name, item in value.items()}
    if kind in DTYPES or isinstance(value, (*_IDENTITY, np.generic)):
        return value
    raise Unsupported(f"a result is a {kind.__name__}")


def _rebuilt(template: Any, inputs: list[Any], outputs: list[Any]) -> Any:
    """A result from its template: new containers, and the tensors of this call."""
    kind = type(template)
    if kind is _Slot:
        if template.source == "input":
            return inputs[template.place]
        tensor = outputs[template.place]
        return tensor if template.source == "output" else tensor.numpy().item()
    if kind is tuple:
        return tuple([_rebuilt(item, inputs, outputs) for item in template])
    if kind is list:
        return [_rebuilt(item, inputs, outputs) for item in template]
    if kind is dict:
        return {name: _rebuilt(item, inputs, outputs) for name, item in template.items()}
    if hasattr(template, "arrays"):
        arrays = {name: _rebuilt(item, inputs, outputs) for name, item in template.arrays.items()}
        return kind(_rebuilt(template.result, inputs, outputs), **arrays)
    if isinstance(template, tuple):
        return kind(*[_rebuilt(item, inputs, outputs) for item in template])
    return template
