"""``compile="graph"`` and ``"xla"``: the body of a migrated function traced once a signature, and run as one graph.

A signature is the dtype and shape of every array and the value of everything else. A number that changes from call to
call becomes an input of the graph where the trace does not ask for its value (it may decide shapes, or a branch).
Whatever cannot be traced without changing a result leaves the body eager for that signature.
"""

from __future__ import annotations

import functools
import inspect
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.precision import is_single
from np2tnp.runtime.base.tracing import Read, Trace, all_hold, limited, tracing
from np2tnp.runtime.compiled_state import MoreAttributes, State, stand_in
from np2tnp.runtime.graph_results import Results, Templates, containers_in
from np2tnp.runtime.literal_graphs import literally
from np2tnp.runtime.opaque import Opaque, argument, literal_arithmetic
from np2tnp.runtime.records import Unchanged
from np2tnp.runtime.signatures import Family, as_symbol, as_tensor, exchanged, form, identity
from np2tnp.runtime.symbols.same_arrays import Pair, pairs_of, united

MODES = ("graph", "xla")

#: How many traces one function makes; signatures beyond run eagerly (tracing costs seconds, and memory for ever).
MOST_TRACES = 8

#: How often the globals that a graph read may change: what changes more often is not worth a trace.
MOST_CHANGES = 3

#: How calls of compiled functions ran: "compiled", "eager", "repeated" (eagerly, after a check of the graph failed), or
#: "left" (to NumPy).
RUNS: Counter[str] = Counter()

_log = logging.getLogger("np2tnp")


class _Graph(NamedTuple):
    """A traced signature."""

    function: Callable[..., Any]  #: tensors → outputs and whether all checks held
    result: Any  #: the template of the result
    varying: tuple[int, ...]  #: which of the numbers are inputs
    reads: tuple[Read, ...]
    pairs: tuple[Pair, ...]  #: which inputs and outputs are one array, where what holds

    def is_current(self) -> bool:
        """Whether the globals that the trace read are the same objects still, and hold the same."""
        return all(map(Read.is_current, self.reads))


class NotCompiled(Exception):  # noqa: N818 - a signal
    """This call does not run as a graph. Nothing has been done."""


class _LengthsChange(Exception):  # noqa: N818 - a signal
    """XLA cannot hold the function, which cuts slices whose length a loop changes; a plain graph may."""


class _Call(NamedTuple):
    """The arguments of one call, taken apart."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    form: Any
    arrays: list[Any]  #: each once
    order: tuple[int, ...]  #: where they stand: the same array may be two arguments, and ``a is b`` asked
    numbers: list[Any]
    identities: tuple[Any, ...]
    family: Family
    leaves: bool  #: whether it is left to others where it does not run as a graph

    def key(self) -> Any:
        return self.form, self.family.key(self.identities)


#: How TensorFlow names an operation that XLA has not.
_NO_KERNEL = re.compile(r"(\w+) \(No registered '\w+' OpKernel")


class Compiled:
    """The body of one migrated function, run as graphs where that gives the same results.

    plain : parameters whose values the body takes as Python's or NumPy's own.
    gives_back : whether a result may be an argument.
    """

    def __init__(
        self,
        body: Callable[..., Any],
        mode: str,
        state: State | None = None,
        plain: frozenset[str] = frozenset(),
        gives_back: bool = False,
    ):
        self._body = body
        self.state = state  #: of a method: what may be read of its object
        self._mode = mode
        self._graphs: dict[Any, _Graph | None] = {}  # None: runs eagerly
        self._families: dict[Any, Family] = {}
        self._changes: Counter[Any] = Counter()  #: how often globals changed that a graph had read
        self._lock = threading.Lock()
        self._said: set[str] = set()
        self._plain = plain
        self._gives_back = gives_back
        names = list(inspect.signature(body).parameters) if self._plain else []
        self._plain_places = frozenset(place for place, name in enumerate(names) if name in self._plain)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: bool = False) -> Any:
        """What the body returns for these arguments. Raises what the eager body raises.

        leaves : raise NotCompiled instead of running the body eagerly.
        """
        try:
            call = self._taken_apart(args, kwargs, leaves)
        except (Unsupported, UnverifiedError) as error:
            self._say(str(error), leaves)
            return self._eagerly(args, kwargs, leaves)
        key = call.key()
        graph = self._graphs.get(key, self)
        if isinstance(graph, _Graph) and not graph.is_current():
            graph = self._outdated(key, leaves)
        if graph is self:
            try:
                graph = self._trace(call)
            except MoreAttributes:
                return self(args, kwargs, leaves)
        if not isinstance(graph, _Graph):
            return self._eagerly(args, kwargs, leaves)
        inputs = [*call.arrays, *[call.numbers[place] for place in graph.varying]]
        try:
            *outputs, held = graph.function(*call.arrays, *map(as_tensor, inputs[len(call.arrays) :]))
            if bool(held):
                RUNS["compiled"] += 1
                outputs = united(graph.pairs, inputs, outputs) if graph.pairs else outputs
                return Results(inputs, outputs, call.args, call.kwargs).built(graph.result)
        except tf.errors.OpError as error:  # what this device cannot compile, or no memory for it
            self._say(_words(error), leaves)
            with self._lock:
                self._graphs[key] = None
                call.family.keep(call.family.varying, "they cannot be compiled")
        return self._eagerly(args, kwargs, leaves, "repeated")

    def _taken_apart(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: bool) -> _Call:
        """Raises Unsupported or UnverifiedError for arguments on which no trace may depend."""
        methods: tuple[Any, ...] = ()
        if self.state is not None:
            held, methods = self.state.read(args[0])
            args = (held, *args[1:])
        arrays: list[Any] = []
        numbers: list[Any] = []
        forms = [form(value, arrays, numbers, self._is_plain(place)) for place, value in enumerate(args)]
        named = [(name, form(value, arrays, numbers, self._is_plain(name))) for name, value in kwargs.items()]
        distinct = {id(array): array for array in arrays}
        places = {which: place for place, which in enumerate(distinct)}
        order = tuple([places[id(array)] for array in arrays])
        whole = *forms, *named, order, is_single(), methods
        identities = tuple(map(identity, numbers))
        family = self._families.get(whole)
        if family is None:
            family = self._families.setdefault(whole, Family(identities))
        return _Call(args, kwargs, whole, list(distinct.values()), order, numbers, identities, family, leaves)

    def _is_plain(self, which: int | str) -> bool:
        return which in self._plain_places or which in self._plain or is_single()

    def enter(self, trace: Trace, args: tuple[Any, ...]) -> None:
        """The body becomes part of another one's graph. Raises Unsupported where it reads what is not in that."""
        if self.state is not None:
            if trace.state is None or not args or args[0] is not trace.object:
                raise Unsupported(f"{self._body.__qualname__} reads an object that the graph does not know")
            if not trace.state.includes(self.state):
                trace.state.include(self.state)
                raise MoreAttributes
        trace.enter(self._body)

    def _eagerly(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: bool, how: str = "eager") -> Any:
        if leaves:
            RUNS["left"] += 1
            raise NotCompiled
        RUNS[how] += 1
        return self._body(*args, **kwargs)

    def _trace(self, call: _Call) -> _Graph | None:
        with self._lock:
            graph = self._with_inputs(call)
            if graph is not None:
                return graph
            key = call.key()
            if key not in self._graphs and len(self._graphs) >= MOST_TRACES:
                reason = f"; numbers do not vary in a graph: {call.family.reason}" if call.family.reason else ""
                self._say(
                    f"called with more than {MOST_TRACES} combinations of dtypes, shapes and values{reason}",
                    call.leaves,
                )
                return None
            try:
                graph = self._traced(call, call.family.varying)
            except Exception as error:  # whatever it is, the eager body says it better, or does not mind
                self._say(_words(error), call.leaves)
            self._graphs[key] = graph
            return graph

    def _outdated(self, key: Any, leaves: bool) -> Any:
        """A global changed that the graph of `key` read: self, for another trace, or None where it changes often."""
        with self._lock:
            self._changes[key] += 1
            if self._changes[key] <= MOST_CHANGES:
                return self
            self._graphs[key] = None
        self._say("globals that it reads change from call to call", leaves)
        return None

    def _with_inputs(self, call: _Call) -> _Graph | None:
        """A graph in which the numbers that changed are inputs; None where they cannot be, or none did."""
        family = call.family
        older = [key for key, graph in self._graphs.items() if key[0] == call.form and graph is not None]
        if not older:
            return None
        for places in family.candidates(call.numbers, call.identities):
            try:
                graph = self._traced(call, places)
            except Exception as error:  # the trace asks for the value of one of them
                family.keep(places - family.varying, _words(error))
                continue
            for key in older:
                del self._graphs[key]
            family.varying = places
            self._graphs[call.key()] = graph
            return graph
        return None

    def _traced(self, call: _Call, varying: frozenset[int]) -> _Graph:
        def traced(mode: str) -> _Graph:
            return _traced(self._body, mode, self.state, call, tuple(sorted(varying)), self._is_plain, self._gives_back)

        try:
            return traced(self._mode)
        except _LengthsChange:
            graph = traced("graph")
            self._tell("a loop changes the length of its slices", "as a plain graph for some arguments, not under XLA")
            return graph

    def _say(self, reason: str, leaves: bool) -> None:
        where = "in NumPy" if leaves else "eagerly"
        self._tell(reason, f"{where} for some arguments, not as compiled")

    def _tell(self, reason: str, how: str) -> None:
        first, *more = reason.split("; ")  # each staged loop around the place says why again
        reason = "; ".join(dict.fromkeys((first, *more)))
        if reason not in self._said:
            self._said.add(reason)
            _log.warning("%s runs %s: %s", self._body.__qualname__, how, reason)


def _words(error: Exception) -> str:
    """Why a trace failed, in a line."""
    if isinstance(error, tf.errors.OperatorNotAllowedInGraphError):
        return "a branch or a loop on a value that only the graph knows"
    if isinstance(error, NotImplementedError) and "symbolic tf.Tensor" in str(error):
        return "NumPy works here, on values that only the graph knows"
    text = str(error) if isinstance(error, (Unsupported, UnverifiedError)) else f"{type(error).__name__}: {error}"
    missing = sorted(set(_NO_KERNEL.findall(text)))
    if missing:
        return f"XLA cannot compile {', '.join(missing)} here"
    return text.partition("\n")[0]


def _traced(
    body: Callable[..., Any],
    mode: str,
    state: State | None,
    call: _Call,
    varying: tuple[int, ...],
    is_plain: Callable[[int | str], bool],
    gives_back: bool,
) -> _Graph:
    found: list[Any] = []
    with tracing(mode) as trace:
        trace.values_vary = bool(varying)
        trace.enter(body, given=True)
        trace.state = state

        def run(opaque: Any, *tensors: Any) -> list[Any]:
            arrays = iter([tensors[place] for place in call.order])
            for tensor in tensors[: len(call.arrays)] if gives_back else ():
                trace.note_callers(tensor)
            trace.opaque = Opaque(opaque) if mode == "xla" else None
            with literal_arithmetic(trace.opaque):
                numbers = list(call.numbers)
                for place, tensor in zip(varying, tensors[len(call.arrays) :], strict=True):
                    numbers[place] = as_symbol(numbers[place], tensor)
                rest = iter(numbers)
                given = [exchanged(value, arrays, rest, is_plain(place)) for place, value in enumerate(call.args)]
                named = {name: exchanged(value, arrays, rest, is_plain(name)) for name, value in call.kwargs.items()}
                kept = containers_in(given, named, known=state is None)
                if state is not None:
                    trace.object = given[0] = stand_in(given[0])
                owner = [] if state is None else vars(given[0]).values()
                records = Unchanged((*owner, *given[len(given) and state is not None :], *named.values()))
                with limited():
                    result = body(*given, **named)
                records.check(trace.entered)
            templates = Templates(trace, tensors, kept)
            template, outputs = templates.of(result), templates.outputs
            found.append((template, pairs_of(trace, list(tensors), outputs)))
            held = all_hold(trace.checks[0])
            trace.end_graph()
            return [*outputs, held]

        opaque = argument()
        inputs = [opaque, *call.arrays, *[as_tensor(call.numbers[place]) for place in varying]]
        specs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in inputs]
        function = tf.function(run, input_signature=specs, autograph=False, jit_compile=mode == "xla")
        try:
            concrete = function.get_concrete_function()
        except MoreAttributes:
            raise
        except Exception as error:
            if trace.lengths_change:
                raise _LengthsChange from error
            raise
    run_graph = functools.partial(concrete if mode == "xla" else literally(concrete), opaque)
    template, pairs = found[-1]
    return _Graph(run_graph, template, varying, tuple(trace.globals.values()), tuple(pairs))
