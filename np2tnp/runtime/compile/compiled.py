"""``compile="graph"`` and ``"xla"``: the body of a migrated function traced once a signature, and run as one graph.

A signature is the dtype and shape of every array and the value of everything else. A number that changes from call to
call becomes an input of the graph where the trace does not ask for its value (it may decide shapes, or a branch).
Whatever cannot be traced without changing a result leaves the body eager for that signature.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import linecache
import logging
import os
import re
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime.base import exact_floats
from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.looking import is_of, is_plain_tuple, tuple_like
from np2tnp.runtime.base.precision import is_single
from np2tnp.runtime.base.tracing import Read, Trace, all_hold, limited, tracing
from np2tnp.runtime.base.updated import updated
from np2tnp.runtime.compile.signatures import (
    IDENTITY,
    Family,
    MoreAttributes,
    State,
    Unchanged,
    as_symbol,
    as_tensor,
    exchanged,
    form,
    identity,
    stand_in_of,
)
from np2tnp.runtime.compile.xla import limits
from np2tnp.runtime.compile.xla.materialize import kept
from np2tnp.runtime.compile.xla.store_forwarding import forwarded
from np2tnp.runtime.compile.xla.strided_planes import read
from np2tnp.runtime.symbols import changing_length, python_builtins, stand_ins
from np2tnp.runtime.symbols.carried_values import Kind
from np2tnp.runtime.symbols.growing_list import Growth, grown_items
from np2tnp.runtime.symbols.python_builtins import teach_symbols
from np2tnp.runtime.symbols.python_number import DTYPES, Weak
from np2tnp.runtime.symbols.same_arrays import Pair, pairs_of, united

# --- The results of a graph: what a trace gave, with places for the tensors that each call of the graph computes


class _Slot(NamedTuple):
    """In a result: the array number `place` of the inputs or the outputs."""

    place: int
    source: str  #: "input", "output", or the Python type's name of a number that the graph computes


class _Row(NamedTuple):
    """In a result: the row `number` of the output `place`."""

    place: int
    source: str
    number: int


class _Grown(NamedTuple):
    """In a result: a list, of which the graph knows how long it is; see :class:`appended.Growth`."""

    items: list[Any]
    kinds: tuple[Kind, ...]
    number: _Slot
    stacks: list[_Slot]
    first: list[_Slot | None]
    last: list[_Slot | None]


class _Given(NamedTuple):
    """In a result: a list or dict of the caller's, found by these keys in the arguments, one after the other."""

    keys: tuple[Any, ...]


class Container(NamedTuple):
    """A list or dict that stands for one of the caller's in a trace. keys: empty where it is no argument's."""

    value: Any
    before: Any  #: a copy of what it held
    keys: tuple[Any, ...]

    def is_unchanged(self) -> bool:
        """Whether it holds the very objects that it held before."""
        if type(self.value) is dict:
            same = list(self.value) == list(self.before)
            return same and _are_one(self.value.values(), self.before.values())
        return _are_one(self.value, self.before)


def _are_one(some: Any, others: Any) -> bool:
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))


def containers_in(args: Sequence[Any], kwargs: Mapping[str, Any], known: bool) -> dict[int, Container]:
    """The lists and dicts among arguments of a body that is traced, by id.

    known : the first argument is no object whose attributes were put in a list for the trace.
    """
    found: list[Container] = []
    for place, value in enumerate(args):
        found.extend(_containers(value, (0, place) if known or place else ()))
    for name, value in kwargs.items():
        found.extend(_containers(value, (1, name)))
    return {id(container.value): container for container in found}


def _containers(value: Any, keys: tuple[Any, ...]) -> Iterator[Container]:
    if not is_of(value, (list, tuple, dict)):
        return
    items = value.items() if is_of(value, dict) else enumerate(value)
    if not is_of(value, tuple):
        yield Container(value, value.copy(), keys)
    for key, item in items:
        yield from _containers(item, (*keys, key) if keys else ())


class Templates:
    """Makes templates of what a trace gives. outputs: the tensors that the graph has to give for them."""

    def __init__(self, trace: Trace, inputs: Sequence[Any], containers: Mapping[int, Container]) -> None:
        self.outputs: list[Any] = []
        self._trace = trace
        self._containers = containers
        self._places: dict[Any, Any] = {id(tensor): _Slot(index, "input") for index, tensor in enumerate(inputs)}
        self._made: dict[int, Any] = {}  #: of lists and dicts, by id

    def of(self, value: Any) -> Any:
        """A result with a slot for each tensor. Raises Unsupported for what another call may not share."""
        if type(value) is Growth:
            if id(value) not in self._made:
                self._made[id(value)] = self._of_growth(value)
            return self._made[id(value)]
        if is_tensor(value) or isinstance(value, Weak):
            return self._of_tensor(value)
        kind = type(value)
        if id(value) in self._trace.global_objects:
            raise Unsupported(f"a result is a global {kind.__name__}")
        if kind is updated:
            return updated(self.of(value.result), **{name: self.of(item) for name, item in value.arrays.items()})
        if kind is list or kind is dict:
            return self._of_container(value)
        if is_plain_tuple(value):
            return tuple_like(value, [self.of(item) for item in value])
        if kind in DTYPES or is_of(value, (*IDENTITY, np.generic)):
            return value
        raise Unsupported(f"a result is a {kind.__name__}")

    def _of_growth(self, value: Growth) -> _Grown:
        ends = [[None if end is None else self.of(end) for end in part] for part in (value.first, value.last)]
        stacks = [self.of(stack) for stack in value.stacks]
        return _Grown([self.of(item) for item in value.items], value.kinds, self.of(value.number), stacks, *ends)

    def _of_tensor(self, value: Any) -> Any:
        tensor, source = (value.tensor, value.kind.__name__) if isinstance(value, Weak) else (value, "output")
        if None in tuple(tensor.shape):
            raise Unsupported("a result whose shape depends on values")
        place = self._places.get(id(value))
        row = self._trace.rows.get(id(tensor)) if place is None else None
        if row is not None:
            rows = self._places.get(("rows", id(row.stack)))
            if rows is None:
                rows = self._places["rows", id(row.stack)] = len(self.outputs)
                self.outputs.append(row.stack)
            place = self._places[id(value)] = _Row(rows, source, row.number)
        if place is None:
            place = self._places[id(value)] = _Slot(len(self.outputs), source)
            self.outputs.append(tensor)
        return place

    def _of_container(self, value: Any) -> Any:
        given = self._containers.get(id(value))
        if given is not None and given.is_unchanged():
            if not given.keys:
                raise Unsupported("a result is a list or dict of an object's")
            return _Given(given.keys)
        if id(value) not in self._made:
            if type(value) is list:
                self._made[id(value)] = [self.of(item) for item in value]
            else:
                self._made[id(value)] = {name: self.of(item) for name, item in value.items()}
        return self._made[id(value)]


class Results:
    """Makes results of their templates, with the tensors (lists of them for rows) and the arguments of one call."""

    def __init__(self, inputs: list[Any], outputs: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._inputs = inputs
        self._outputs = outputs
        self._given = args, kwargs
        self._made: dict[int, Any] = {}  #: lists and dicts, by the id of their templates

    def built(self, template: Any) -> Any:
        """The result of this call."""
        kind = type(template)
        if kind is _Slot:
            if template.source == "input":
                return self._inputs[template.place]
            tensor = self._outputs[template.place]
            return tensor if template.source == "output" else tensor.numpy().item()
        if kind is tuple:
            return tuple([self.built(item) for item in template])
        if kind is list or kind is dict or kind is _Grown:
            if id(template) not in self._made:
                make = self._grown if kind is _Grown else self._container
                self._made[id(template)] = make(template)
            return self._made[id(template)]
        if kind is _Row:
            return self._row(template)
        if kind is _Given:
            found: Any = self._given
            for key in template.keys:
                found = found[key]
            return found
        if hasattr(template, "arrays"):
            arrays = {name: self.built(item) for name, item in template.arrays.items()}
            return kind(self.built(template.result), **arrays)
        if is_of(template, tuple):
            return tuple_like(template, [self.built(item) for item in template])
        return template

    def _container(self, template: Any) -> Any:
        if type(template) is list:
            return [self.built(item) for item in template]
        return {name: self.built(item) for name, item in template.items()}

    def _grown(self, template: _Grown) -> list[Any]:
        items, kinds, *parts = template
        number, *given = [self._container(part) if type(part) is list else self.built(part) for part in parts]
        return [*self._container(items), *grown_items(kinds, int(number), *given)]

    def _row(self, template: _Row) -> Any:
        rows = self._outputs[template.place]
        if type(rows) is not list:
            rows = self._outputs[template.place] = tf.unstack(rows)
        tensor = rows[template.number]
        return tensor if template.source == "output" else tensor.numpy().item()


# --- Graphs that run as they were traced: TensorFlow's optimizer rewrites formulas as real numbers allow it
#
# It makes ``~(x < y)`` ``x >= y`` (which is another thing for NaN), ``(x + 2**52) - 2**52`` ``x``, ``x * y + x * z``
# ``x * (y + z)``. Which of its passes run is an attribute of a call.

#: Passes that change what formulas give.
_REWRITING = ("arithmetic_optimization", "constant_folding", "remapping", "layout_optimizer", "auto_mixed_precision")


@functools.cache
def _settings() -> bytes:
    config = tf.compat.v1.ConfigProto()
    options = config.graph_options.rewrite_options
    for name in _REWRITING:
        setattr(options, name, options.OFF)
    settings: bytes = config.SerializeToString()
    return settings


def literally(function: Any) -> Callable[..., list[Any]]:
    """A ``ConcreteFunction`` of tensors that returns a list of tensors, as a function whose graph is not rewritten."""
    kinds = [output.dtype for output in function.outputs]

    def call(*inputs: Any) -> list[Any]:
        arguments = [*inputs, *function.captured_inputs]
        outputs: list[Any] = tf.raw_ops.StatefulPartitionedCall(
            args=arguments, Tout=kinds, f=function, config_proto=_settings()
        )
        return outputs

    def with_gradient(*inputs: Any) -> Any:
        def gradient(*upstream: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                outputs = function(*inputs)
            return tape.gradient(outputs, inputs, upstream, unconnected_gradients=tf.UnconnectedGradients.ZERO)

        return call(*inputs), gradient

    result: Callable[..., list[Any]] = tf.custom_gradient(with_gradient)
    return result


# --- Numbers that XLA's compiler must not know, so that it computes what is written, in the order that is written
#
# XLA simplifies formulas as real numbers allow it: ``(x + 2**52) - 2**52`` becomes ``x``, ``x / 3`` a multiplication,
# ``x + 0.0`` keeps -0.0, ``exp(x) * exp(y)`` is ``exp(x + y)``; and the machine code rounds ``x * y + z`` once. None of
# that can happen when every constant is multiplied by 1.0, and every result that such a rule looks at has -0.0 added to
# it, where both numbers come as arguments of the graph. Neither changes anything (0.0 + -0.0 is 0.0). Matrix products
# get
# 0.0 instead: XLA begins a sum with its first term, which may be -0.0, NumPy with 0.0.

#: Operations whose results are known to the compiler.
_KNOWN = frozenset(("Const", "ZerosLike", "OnesLike", "Cast"))

#: Operations whose results XLA would merge with the operations that use them. A product beside a sum becomes one
#: rounding instead of two; with -0.0 between them that is the product's own.
_MERGED = frozenset(("Mul", "Square", "RealDiv", "Div", "Reciprocal", "Inv", "Exp", "Pow", "Sqrt", "Rsqrt"))

#: Operations whose results are sums of products.
_CONTRACTIONS = frozenset(("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum"))


class Opaque:
    """The argument of one trace that is ``[1.0, -0.0, 0.0]`` when the graph runs."""

    def __init__(self, argument: Any) -> None:
        self._argument = argument
        self._numbers: dict[tuple[Any, Any], tuple[Any, ...]] = {}
        self._sources: dict[Any, Any] = {}  #: what the results of :meth:`known` are

    def known(self, tensor: Any) -> Any:
        """A tensor of real floats whose values the compiler would know, as one of which it knows nothing."""
        hidden = tf.raw_ops.Mul(x=tensor, y=self._of_dtype(tensor.dtype)[0])
        self._sources[hidden.ref()] = tensor
        return hidden

    def source(self, tensor: Any) -> Any:
        """The tensor that :meth:`known` made this one of; itself, where that made it of none."""
        return self._sources.get(tensor.ref(), tensor)

    def made(self, tensor: Any) -> Any:
        """A tensor of real floats, as one of which the compiler does not know how it was made."""
        return tf.raw_ops.AddV2(x=tensor, y=self._of_dtype(tensor.dtype)[1])

    def summed(self, tensor: Any) -> Any:
        """Sums of real floats, of which none is -0.0."""
        return tf.raw_ops.AddV2(x=tensor, y=self._of_dtype(tensor.dtype)[2])

    def zero(self) -> Any:
        """An int32 that is 0, which the compiler does not know."""
        return tf.cast(tf.unstack(self._argument)[2], tf.int32)

    def _of_dtype(self, dtype: Any) -> tuple[Any, ...]:
        key = (tf.compat.v1.get_default_graph(), dtype)
        if key not in self._numbers:
            self._numbers[key] = tuple(tf.cast(number, dtype) for number in tf.unstack(self._argument))
        return self._numbers[key]


def argument() -> Any:
    """What a graph gets for the argument of :class:`Opaque`."""
    return tf.constant(np.array([1.0, -0.0, 0.0]))


def _power(base: Any, exponent: Any, output: Any) -> Any:
    """``base ** exponent`` as NumPy computes it where the exponent is a number in the program."""
    number = exact_floats.known_number(exponent)
    if number is None or not base.dtype.is_floating or base.dtype.size == 2:
        return output
    if number in (0.5, 2.0):
        return (tf.raw_ops.Sqrt if number == 0.5 else tf.raw_ops.Square)(x=base)
    found = exact_floats.by_number(base, number)
    return tf.raw_ops.Pow(x=base, y=tf.constant(number, base.dtype)) if found is None else found


@contextmanager
def literal_arithmetic(opaque: Opaque | None) -> Iterator[None]:
    """Operations that this thread adds to graphs in the block are not merged with others.

    opaque : None where no compiler merges them. Then only powers with a number become what NumPy makes of them.
    """
    callbacks = importlib.import_module("tensorflow.python.framework.op_callbacks")
    hiding: dict[str, Any] = {"Pow": None}
    if opaque is not None:
        hiding = dict.fromkeys(_KNOWN, opaque.known) | dict.fromkeys(_MERGED, opaque.made)
        hiding |= dict.fromkeys(_CONTRACTIONS, opaque.summed)

    def between(
        op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:  # the callback's protocol: returns what takes the outputs' place
        if op_type == "StridedSlice" and graph is not None and opaque is not None:
            answers = (answer(outputs[0].op) for answer in (read, forwarded, kept))
            found = next((answer for answer in answers if answer is not None), None)
            return outputs if found is None else [found]
        if graph is None or op_type not in hiding:
            return outputs
        (output,) = outputs
        if op_type == "Pow":
            output = _power(inputs[0], inputs[1], output)
        if not output.dtype.is_floating:  # complex products are not rounded alike everywhere in NumPy, either
            return outputs
        if op_type == "Cast" and not (inputs[0].dtype.is_integer or inputs[0].dtype.is_bool):
            return outputs
        return [hiding[op_type](output) if opaque is not None else output]

    callbacks.add_op_callback(between)
    try:
        yield
    finally:
        callbacks.remove_op_callback(between)


#: What helpers ask in a trace: importing these put it into ``tracing.above``.
_ASKED_IN_TRACES = (limits, changing_length, python_builtins, stand_ins)

MODES = ("graph", "xla")

#: How many traces one function makes; signatures beyond run eagerly (tracing costs seconds, and memory for ever).
MOST_TRACES = 8

#: How often the globals that a graph read may change: what changes more often is not worth a trace.
MOST_CHANGES = 3

#: How calls of compiled functions ran: "compiled", "eager", "repeated" (eagerly, after a check of the graph failed), or
#: "left" (to NumPy).
RUNS: Counter[str] = Counter()

_log = logging.getLogger("np2tnp")

#: What a first call takes, in seconds, that users want to know of; and whether it was said.
_LONG = 1.0
_told_of_cost = False


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


class Call(NamedTuple):
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

    most_operations: int | None = None  #: of a graph; None: as many as are ever worth it
    is_asked_for = True  #: else what it costs is told, and numbers that varied before become inputs at once

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

    @property
    def is_on(self) -> bool:
        """Whether calls are to come here, on this machine."""
        return True

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: bool = False) -> Any:
        """What the body returns for these arguments. Raises what the eager body raises.

        leaves : raise NotCompiled instead of running the body eagerly.
        """
        try:
            call = self._taken_apart(args, kwargs, leaves)
        except (Unsupported, UnverifiedError) as error:
            self._say(str(error), leaves)
            return self._eagerly(args, kwargs, leaves)
        return self._run(call, args, kwargs)

    def _run(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the body returns for these arguments, of which `call` are the parts."""
        key, leaves = call.key(), call.leaves
        graph = self._graphs.get(key, self)
        if isinstance(graph, _Graph) and not graph.is_current():
            graph = self._outdated(key, leaves)
        began = None
        if graph is self:
            began = time.perf_counter()
            try:
                graph = self._trace(call)
            except MoreAttributes:  # of which some may be such that no trace can depend on them
                return Compiled.__call__(self, args, kwargs, leaves)
        if not isinstance(graph, _Graph):
            return self._eagerly(args, kwargs, leaves)
        inputs = [*call.arrays, *[call.numbers[place] for place in graph.varying]]
        try:
            *outputs, held = graph.function(*call.arrays, *map(as_tensor, inputs[len(call.arrays) :]))
            if bool(held):
                RUNS["compiled"] += 1
                if began is not None and not self.is_asked_for:
                    self._tell_of_cost(time.perf_counter() - began)
                outputs = united(graph.pairs, inputs, outputs) if graph.pairs else outputs
                return Results(inputs, outputs, call.args, call.kwargs).built(graph.result)
        except tf.errors.OpError as error:  # what this device cannot compile, or no memory for it
            self._say(_words(error), leaves)
            with self._lock:
                self._graphs[key] = None
                call.family.keep(call.family.varying, "they cannot be compiled")
        return self._eagerly(args, kwargs, leaves, "repeated")

    def _taken_apart(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: bool) -> Call:
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
        return Call(args, kwargs, whole, list(distinct.values()), order, numbers, identities, family, leaves)

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

    def _has_graph(self, call: Call) -> bool:
        return isinstance(self._graphs.get(call.key()), _Graph)

    def _trace(self, call: Call) -> _Graph | None:
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
                self._say(_words(error) + _place(error, self._body), call.leaves)
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

    def _with_inputs(self, call: Call) -> _Graph | None:
        """A graph in which the numbers that changed are inputs; None where they cannot be, or none did."""
        family = call.family
        older = [key for key, graph in self._graphs.items() if key[0] == call.form and graph is not None]
        if not older and self.is_asked_for:
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

    def _traced(self, call: Call, varying: frozenset[int]) -> _Graph:
        def traced(mode: str) -> _Graph:
            places = tuple(sorted(varying))
            most = self.most_operations
            return _traced(self._body, mode, self.state, call, places, self._is_plain, self._gives_back, most)

        try:
            return traced(self._mode)
        except _LengthsChange:
            graph = traced("graph")
            self._tell("a loop changes the length of its slices", "as a plain graph for some arguments, not under XLA")
            return graph

    def _tell_of_cost(self, seconds: float) -> None:
        """Say once a process what the first call with some arguments takes, where nobody asked for it."""
        global _told_of_cost
        if seconds > _LONG and not _told_of_cost:
            _told_of_cost = True
            _log.warning(
                "%s took %.0f s to compile, as each function does once for some dtypes and shapes:"
                " NP2TNP_COMPILE=0 leaves all of them eager",
                self._body.__qualname__,
                seconds,
            )

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


def _place(error: Exception, body: Callable[..., Any]) -> str:
    """Which statement of the function's own file a trace failed at; empty where none is known."""
    file = body.__code__.co_filename
    lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    if not lines:
        return ""
    statement = linecache.getline(file, lines[-1]).strip()
    return f", at {os.path.basename(file)}:{lines[-1]}" + (f": {statement}" if statement else "")


def _traced(
    body: Callable[..., Any],
    mode: str,
    state: State | None,
    call: Call,
    varying: tuple[int, ...],
    is_plain: Callable[[int | str], bool],
    gives_back: bool,
    most_operations: int | None,
) -> _Graph:
    found: list[Any] = []
    teach_symbols()
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
                    trace.object = given[0] = stand_in_of(given[0])
                owner = [] if state is None else vars(given[0]).values()
                records = Unchanged((*owner, *given[len(given) and state is not None :], *named.values()))
                with limited(most_operations):
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
