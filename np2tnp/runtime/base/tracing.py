"""The trace that ``compile=`` makes of a migrated function, while it is being made.

A graph cannot stop in the middle: what eager code checks and raises becomes a *check*, a boolean that the graph
computes beside its results. When one is false the call is done again eagerly, which raises NumPy's exception or
finds the value that the graph could not (XLA drops assertions, so they would not do).
"""

from __future__ import annotations

import dis
import functools
import importlib
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import LazyModule, OutOfBoundsError, tf
from np2tnp.runtime.base.looking import is_of, is_plain_tuple

__all__ = [
    "tf",
    "tnp",
    "unrolled",
]


# --- What rewritten code calls tnp
#
# tnp's functions differ from NumPy's at the edges (NaN, empty arrays, dtypes, the last digit), know nothing of what
# stands for numbers and slices in a trace, and check nothing when a graph runs. The runtime's exact helpers do, and
# most are faster. So one text serves all modes, and reads as code for TensorFlow's own module does.


class _Numpy(LazyModule):
    """TensorFlow's ``tnp``: its names, with the exact helper by each function's name where there is one."""

    def __getattr__(self, attribute: str) -> Any:
        value = super().__getattr__(attribute)
        if is_of(value, types.FunctionType):
            value = self.__dict__[attribute] = getattr(importlib.import_module(own_package), attribute, value)
        return value


tnp: Any = _Numpy("tensorflow.experimental.numpy", "tnp")


# --- Globals that a trace read: numbers, texts and functions, and small arrays and containers of these
#
# What can only be rebound is asked for by identity at each call. What can change unseen (an array, a list, a dict) is
# part of the graph with what it held, and compared with that: some microseconds, where an eager body takes
# milliseconds.

#: Modules whose attributes nobody changes: a trace may use what it read there.
CONSTANT_MODULES = frozenset("numpy tensorflow math cmath operator builtins itertools functools".split())

#: How much of containers and arrays is compared at a call: of more, comparing and compiling take too long.
MOST_ITEMS = 500
MOST_BYTES = 1 << 18

_CONSTANTS = (type(None), bool, int, float, complex, str, bytes, np.generic, np.dtype, type(Ellipsis))
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.sum))


class OwnValues:
    """What a function has of its own, as a scope: defaults of parameters, and variables of functions around it."""

    def __init__(self, function: types.FunctionType) -> None:
        self._function = function

    def __iter__(self) -> Iterator[str]:
        return iter(self._found())

    def get(self, name: str) -> Any:
        """The present value."""
        return self._found().get(name)

    def _found(self) -> dict[str, Any]:
        code, defaults = self._function.__code__, self._function.__defaults__ or ()
        places = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
        found = dict(zip(places, defaults, strict=True)) | (self._function.__kwdefaults__ or {})
        for name, cell in zip(code.co_freevars, self._function.__closure__ or (), strict=True):
            if name != "__class__":  # of super()
                with suppress(ValueError):  # no value yet
                    found[name] = cell.cell_contents
        return found


class Read(NamedTuple):
    """A global, or another value that code finds without being given it, that was read."""

    scope: dict[str, Any] | OwnValues
    name: str
    value: Any
    held: Any  #: what an array or a container held, comparable; None for what can only be rebound

    def is_current(self) -> bool:
        """Whether the global is the same object still, and holds the same."""
        if self.scope.get(self.name) is not self.value:
            return False
        try:
            return self.held is None or bool(Held().of(self.value) == self.held)
        except Unsupported:
            return False


class Held:
    """What arrays and containers hold, in a form that can be compared; each is met once."""

    def __init__(self) -> None:
        self.mutable: dict[int, Any] = {}  #: arrays, lists and dicts, by id
        self.functions: list[types.FunctionType] = []
        self._items = MOST_ITEMS
        self._bytes = MOST_BYTES

    def of(self, value: Any) -> Any:
        """Raises Unsupported for objects of which nothing is known, and for too many items."""
        self._items -= 1
        kind = type(value)
        if kind is np.ndarray and value.dtype.char in _DTYPES:
            self._bytes -= value.nbytes
            if self._bytes < 0:
                raise Unsupported("a large ndarray")
            self.mutable[id(value)] = value
            return kind, value.dtype.str, value.shape, value.strides, value.tobytes()
        if self._items < 0:
            raise Unsupported(f"which holds more than {MOST_ITEMS} items")
        if kind is list or is_plain_tuple(value):
            if kind is list:
                self.mutable[id(value)] = value
            return kind, tuple(map(self.of, value))
        if kind is dict:
            self.mutable[id(value)] = value
            return kind, tuple([(self.of(key), self.of(item)) for key, item in value.items()])
        if kind is slice or kind is range:
            return kind, self.of((value.start, value.stop, value.step))
        if kind is bool or kind is int:
            return kind, value
        if kind is float or kind is complex:
            return kind, repr(value)  # -0.0 is not 0.0
        if is_of(value, np.generic):
            return kind, value.tobytes()
        if not is_constant(value):
            raise Unsupported(f"a {kind.__name__}")
        if is_of(value, types.FunctionType):
            self.functions.append(value)
        return (kind, value) if is_of(value, (str, bytes)) else _Same(value)


class _Same:
    """Equal to what stands for the very same object."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    __hash__ = None  # type: ignore[assignment]


_DTYPES = frozenset("?bBhHiIlLqQefdFD")


def is_constant(value: Any) -> bool:
    """Whether a global with this value changes only by being rebound."""
    if value is tnp or value is tf:
        return True
    if is_of(value, types.ModuleType):
        name = value.__name__
        return name.partition(".")[0] in CONSTANT_MODULES or name == own_package or name.startswith(f"{own_package}.")
    if is_of(value, type):
        return value.__module__.partition(".")[0] in CONSTANT_MODULES
    return is_of(value, (*_CONSTANTS, *_FUNCTIONS))


#: How many operations a trace may grow to by Python loops that are unrolled into it: compiling more takes minutes.
UNROLLED_OPERATIONS = 3000

#: How many it may grow to by anything else that repeats: functions within a function have loops of their own, and call
#: themselves; ``while`` and comprehensions unroll, too.
MOST_OPERATIONS = 2 * UNROLLED_OPERATIONS

#: Functions of Python to which a number that is an input of the graph would not look like one.
ASKING = frozenset(("isinstance", "issubclass", "type", "hasattr", "getattr", "callable", "id", "vars", "dir"))

#: What a migrated function has as attributes by itself.
_OF_WRAPPERS = frozenset(("core", "public", "__wrapped__"))

#: How many traces are being made in this process: where it is 0, nobody asks the thread.
active = 0
_counting = threading.Lock()
_local = threading.local()


class Other(NamedTuple):
    """A tensor of a graph is the same array as `value` where `holds`, which the graph knows when it runs."""

    holds: Any
    value: Any


class Buffer(NamedTuple):
    """The second place of the array `of`: it holds the same values but where an iteration stores.

    stored : the bounds of the slice that an iteration stores into first; another store is made elsewhere.
    bounds : of the slices that it stores into after that.
    """

    of: Any
    place: Any
    stored: tuple[tuple[int, int], ...]
    bounds: tuple[tuple[tuple[int, int], ...], ...]


class Row(NamedTuple):
    """A tensor is that row of the tensor `stack`."""

    tensor: Any
    stack: Any
    number: int


class Above:
    """What the rooms above this one do while a function is traced: a helper asks, and knows none of them.

    Each function is put here by the module that has it, when that is imported; compile/compiled.py, which makes the
    traces, imports them all. Before that there is no trace, and nothing that stands for a value of one.
    """

    check_call: Callable[[str, tuple[Any, ...]], None]  #: refuse what XLA would compile to something else
    listed: Callable[[Any], Any]  #: a list of what a loop appended, as one tensor
    elements: Callable[[Any], Any]  #: the elements of a symbol
    is_sliced: Callable[[object], bool]  #: whether it is a slice whose length a loop changes
    called_with_slices: Callable[..., Any]
    retried: Callable[..., Any]  #: a helper's result with tensors for stand-ins

    @staticmethod
    def is_standin(value: object) -> bool:
        """Whether `value` stands for an array or a number of a trace."""
        return False


above = Above()


class Trace:
    """One trace: its mode ("graph" or "xla"), its checks by nested graph, and the functions that it read."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.checks: list[list[Any]] = [[]]
        self.entered: set[Callable[..., Any]] = set()  #: functions whose code runs in the trace
        self._running: list[types.CodeType] = []  #: of the calls that become part of this graph
        self.values_vary = False  #: whether numbers among the arguments are the graph's inputs
        self.state: Any = None  #: what the compiled method may read of its object, and that object's stand-in
        self.object: Any = None
        #: by id, tensors that may be the same array as others (see exchanged.py); kept, so that the ids stay theirs
        self.others: dict[int, tuple[Any, list[Other]]] = {}
        #: by id, tensors that may be an array of the caller's which a result may be
        self.callers: dict[int, Any] = {}
        #: by id, what stores to slices made as new arrays, with the arrays that they stored into and the bounds of the
        #: slices (indexing_padded.py)
        self.padded: dict[int, tuple[Any, Any, tuple[tuple[int, int], ...]]] = {}
        #: by id, arrays of a loop that have a second place, which the next such store is to be made in
        self.buffers: dict[int, Buffer] = {}
        #: by id, arrays put together of planes, with these (interleaved.py), and what was read of the planes instead
        self.planes: dict[int, tuple[Any, Any]] = {}
        self.opaque: Any = None  #: numbers that the compiler does not know (opaque.py)
        self.stored: dict[int, Any] = {}  #: by id, arrays with what holds them in memory (costly.py)
        self.answered: set[int] = set()
        self.carried: dict[int, int] = {}  #: by id, what an iteration begins with that may become planes, numbered
        self.body: Any = None  #: the graph of that iteration
        self.lengths_change = False  #: whether XLA was not told of a slice because a loop changes its length
        self.rows: dict[int, Row] = {}  #: by id, the rows of what loops collected for lists (appended.py)
        self.globals: dict[tuple[int, str], Read] = {}
        self.global_objects: dict[int, Any] = {}  #: by id, arrays, lists and dicts that they are or hold

    def enter(self, function: Callable[..., Any], given: bool = False) -> None:
        """The trace goes into `function`: remember the globals that it and the functions it calls read.

        given : the arguments, defaults included, are part of the signature. Raises Unsupported where what it reads may
        change unseen. Migrated functions are entered when they are called.
        """
        if function in self.entered:
            return
        self.entered.add(function)
        try:
            self._remember_reads(function, given)
        except Unsupported:
            self.entered.discard(function)  # a loop is traced again, unrolled
            raise

    def _remember_reads(self, function: Callable[..., Any], given: bool) -> None:
        code = function.__code__
        if self.values_vary and not ASKING.isdisjoint(global_names(code)):
            raise Unsupported(f"{function.__qualname__} asks what kind of object something is")
        scope = function.__globals__
        names = [name for name in global_names(code) if name in scope]
        for name in names:
            self._remember(function, scope, name, f"the global {name}")
        attributes = frozenset(attribute_names(code)) - _OF_WRAPPERS
        for other in [value for value in map(scope.get, names) if isinstance(value, types.FunctionType)]:
            for name in attributes.intersection(vars(other)):
                self._remember(function, vars(other), name, f"{other.__name__}.{name}")
        if not given and isinstance(function, types.FunctionType):
            own = OwnValues(function)
            for name in own:
                self._remember(function, own, name, f"its own {name}")

    def _remember(self, function: Callable[..., Any], scope: Any, name: str, words: str) -> None:
        value, held = scope.get(name), Held()
        try:
            found = held.of(value)
        except Unsupported as error:
            raise Unsupported(f"{function.__qualname__} reads {words}, {error}") from None
        self.global_objects |= held.mutable
        self.globals[id(scope), name] = Read(scope, name, value, found if held.mutable else None)
        for each in held.functions:
            if not hasattr(each, "core"):
                self.enter(each)

    def note_same(self, tensor: Any, others: Iterable[tuple[Any, Any]]) -> None:
        """`tensor` is, in NumPy, the same array as each of `others` where the boolean beside that is true.

        What is noted later is asked first. Those of graphs inside of this one are left out: they are new here.
        """
        graphs: set[int] = set()
        graph = tf.compat.v1.get_default_graph()
        while graph is not None:
            graphs.add(id(graph))
            graph = getattr(graph, "outer_graph", None)
        found = [Other(holds, value) for holds, value in others if id(getattr(value, "graph", None)) in graphs]
        if found:
            self.others.setdefault(id(tensor), (tensor, []))[1][:0] = found

    def others_of(self, tensor: Any) -> list[Other]:
        """What `tensor` may be the same array as."""
        known = self.others.get(id(tensor))
        return [] if known is None else known[1]

    def note_callers(self, tensor: Any) -> None:
        """`tensor` may be an array of the caller's."""
        self.callers[id(tensor)] = tensor

    def is_callers(self, tensor: Any) -> bool:
        """Whether `tensor` itself may be an array of the caller's."""
        return id(tensor) in self.callers

    def rows_of(self, stack: Any) -> list[Any]:
        """The rows of a tensor, as tensors that are known to be that."""
        found: list[Any] = tf.unstack(stack)
        self.rows.update((id(row), Row(row, stack, number)) for number, row in enumerate(found))
        return found

    @contextmanager
    def calling(self, function: Callable[..., Any]) -> Iterator[None]:
        """A call of `function` becomes part of this graph.

        Raises Unsupported where it calls itself, and the graph has too many operations to be worth compiling.
        """
        code = function.__code__
        if code in self._running:
            refuse_long("a function that calls itself, which unrolls")
        self._running.append(code)
        try:
            yield
        finally:
            self._running.pop()

    @property
    def is_nested(self) -> bool:
        """Whether a graph inside of this one is being made, that of a loop's body or of a branch."""
        return len(self.checks) > 1

    @contextmanager
    def nested(self) -> Iterator[list[Any]]:
        """A graph inside this one (a loop's body): its checks are collected apart. Gives their list."""
        self.checks.append([])
        try:
            yield self.checks[-1]
        finally:
            self.checks.pop()

    def end_graph(self) -> None:
        """The graph that is being made is complete. Raises Unsupported for what XLA would get wrong in it.

        XLA makes every array as long as it may become, and takes the last element of that for the last element.
        """
        if self.mode != "xla":
            return
        for operation in tf.compat.v1.get_default_graph().get_operations():
            for output in operation.outputs:
                if not output.shape.is_fully_defined() and output.dtype not in (tf.resource, tf.variant):
                    raise Unsupported(f"an array whose shape depends on values ({operation.type})")


@functools.cache
def _refuse_wide_integers() -> None:
    """Raise, in a trace of ours, where TensorFlow makes a constant of a Python integer that its dtype cannot hold.

    It would wrap the number. The call is done eagerly then, where that raises NumPy's error.
    """
    module: Any = importlib.import_module("tensorflow.python.framework.tensor_util")
    make = module.make_tensor_proto

    def make_in_range(values: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if type(values) is int and current() is not None and dtype is not None:
            kind = np.dtype(tf.as_dtype(dtype).as_numpy_dtype)
            if kind.kind in "iu" and not np.iinfo(kind).min <= values <= np.iinfo(kind).max:
                raise OutOfBoundsError(f"Python integer {values} out of bounds for {kind}")
        return make(values, dtype, *args, **kwargs)

    module.make_tensor_proto = make_in_range


@contextmanager
def tracing(mode: str) -> Iterator[Trace]:
    """Make a trace in this thread."""
    global active
    _refuse_wide_integers()
    previous = getattr(_local, "trace", None)
    trace = _local.trace = Trace(mode)
    with _counting:
        active += 1
    try:
        yield trace
    finally:
        with _counting:
            active -= 1
        _local.trace = previous


def current() -> Trace | None:
    """The trace that this thread is making, if it is making one (a user's own ``tf.function`` is none)."""
    return getattr(_local, "trace", None) if active else None


def check(condition: Any, message: str) -> None:
    """`condition` (a boolean tensor, 0-d) must hold when the graph runs. Raises Unsupported if it surely does not."""
    trace = current()
    if trace is None:
        tf.debugging.Assert(condition, [message])
        return
    known = tf.get_static_value(condition)
    if known is None:
        trace.checks[-1].append(condition)
    elif not known:
        raise Unsupported(message)


def all_hold(conditions: list[Any]) -> Any:
    """One boolean tensor: whether all conditions hold."""
    return tf.reduce_all(tf.stack(conditions)) if conditions else tf.constant(True)


def unrolled(iterable: Iterable[Any]) -> Iterable[Any]:
    """`iterable`, for a loop that becomes as many copies of its body when it is traced.

    Raises Unsupported, which leaves the call eager, once the graph has too many operations to be worth compiling.
    """
    if current() is None:
        return iterable
    return _counted(iterable)


def _counted(iterable: Iterable[Any]) -> Iterator[Any]:
    for item in above.elements(iterable):
        yield item
        refuse_long("a loop that unrolls")


def limited(most: int | None) -> Any:
    """A context in which no graph grows to more operations than `most`, or than are ever worth compiling.

    Then it raises Unsupported.

    TensorFlow asks a device function for each operation that it adds, also in graphs of branches and loops.
    """

    most = MOST_OPERATIONS if most is None else most

    def where_it_is(operation: Any) -> Any:
        if operation.graph.version > most:
            raise Unsupported(f"a function that unrolls to more than {most} operations")
        return operation.device

    return tf.compat.v1.device(where_it_is)


def refuse_long(what: str) -> None:
    """Raise Unsupported where the graph that is being made has too many operations to be worth compiling."""
    if len(tf.compat.v1.get_default_graph().get_operations()) > UNROLLED_OPERATIONS:
        raise Unsupported(f"{what} to more than {UNROLLED_OPERATIONS} operations")


def global_names(code: types.CodeType) -> tuple[str, ...]:
    """The globals that `code` and the functions in it read."""
    found = _GLOBAL_NAMES.get(code)
    if found is None:
        names = [str(item.argval) for item in dis.get_instructions(code) if item.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                names.extend(global_names(constant))
        found = _GLOBAL_NAMES[code] = tuple(dict.fromkeys(names))
    return found


def attribute_names(code: types.CodeType) -> Iterator[str]:
    """The attributes that `code` and the functions in it read, of whatever object."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            yield str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from attribute_names(constant)


_GLOBAL_NAMES: dict[types.CodeType, tuple[str, ...]] = {}
