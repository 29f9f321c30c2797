"""What a walk over one region carries, what it takes for granted, and how it reports."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.doors import Door
from np2tnp.analysis.domain.env import Env, Gathered
from np2tnp.analysis.domain.late_names import LateNames
from np2tnp.analysis.domain.locations import of_global
from np2tnp.analysis.domain.summaries import ClassSummary, Summary
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    NUMPY,
    SUBCLASS,
    UNKNOWN,
    UNTENSORED,
    Array,
    Bound,
    Class,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    has_unfilled_container,
    holds_iterator,
    may_hold_tensor,
    refs_of,
    with_refs,
)
from np2tnp.analysis.module.buffer_exchanges import Exchanges
from np2tnp.analysis.module.contents import ModuleInfo, why_ambiguous
from np2tnp.analysis.module.overridden_methods import is_certain, may_be_overridden
from np2tnp.analysis.syntax.python_tables import NUMBERS_BY_NAME
from np2tnp.catalog.catalog import Catalog
from np2tnp.files.replaced import replaced_by


class Services(Protocol):
    """What the interpreter asks of the outside: about functions, classes and names of the whole project."""

    def summary(self, function: Function) -> Summary | None:
        """None while it is being analysed itself (recursion), or where too little is known of it."""

    def class_of(self, value: Class | Instance) -> ClassSummary | None:
        """None for a class that cannot be looked at."""

    def attributes(self, value: Instance) -> Mapping[str, Value]:
        """What the methods of the object's class assign to its attributes, joined."""

    def decorating(self, function: Function) -> tuple[str, str, str]:
        """What it does as a decorator, and what the decorator does that it makes: see ``decorating.effects_of``."""

    def resolve(self, name: str) -> Value | None:
        """What a dotted name that the module imports denotes, where it is first-party and certain."""

    def star_names(self, imported: str) -> tuple[str, ...]:
        """The names that a star import binds; ``*m`` stands for those of a module ``m`` that is not first-party."""


#: What the parameters of nested functions share memory with: arrays of whoever calls them.
NESTED = frozenset(("the argument of a nested function",))
#: Among the names whose arrays stay ndarrays: nested functions that are only called stay NumPy's, too.
HOST_FUNCTIONS = "<nested functions>"


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What a look at a region takes for granted; nothing of it changes during the walk."""

    hosted: frozenset[str] = NO_NAMES  #: parameters that are not converted
    objects: frozenset[str] = NO_NAMES  #: parameters that were seen to be no arrays
    numbers: frozenset[str] = NO_NAMES  #: parameters that are taken for numbers of any kind
    host_locals: frozenset[str] = NO_NAMES  #: local names whose arrays stay ndarrays, and so do views of them
    viewed: frozenset[str] = NO_NAMES  #: outside locations whose views must stay NumPy's
    direct: frozenset[int] = frozenset()  #: attributes (their ids) that may be read as tensors
    door: Door = field(default_factory=dict)  #: the class of arrays that is let in, by parameter
    eager: bool = False  #: the region is never traced: numbers are Python's and NumPy's own
    classes: Mapping[str, Class] = field(default_factory=dict)  #: parameters that are let in as objects of these alone
    bare: bool = False  #: no wrapper is around the region: its callers may give tensors (``--boundary tensor``)
    lambdas: frozenset[int] = frozenset()  #: those (their ids) of a script's top level that are part of it


#: Of a walk that is the first one, and of all that are over no region.
NOTHING_ASSUMED = Assumptions()


@dataclass(slots=True, eq=False)
class Scope:
    """The function whose body is interpreted: the region's own, or one that is nested in it."""

    locals: frozenset[str] = NO_NAMES
    global_names: frozenset[str] = NO_NAMES
    capturable: list[frozenset[str]] = field(default_factory=list)  #: names that each nested one around can only read
    own_names: frozenset[str] = NO_NAMES  #: those of a nested one that nobody else sees
    own_returns: bool = True  #: it is the region's own
    returned: list[Value] = field(default_factory=list)  #: ... by a nested one
    yielded: list[Value] = field(default_factory=list)  #: ... in a nested one, or in a lambda
    breaks: list[list[Env]] = field(default_factory=list)  #: what holds where each loop around is left
    continues: list[list[Env]] = field(default_factory=list)
    tried: list[Gathered] = field(default_factory=list)  #: for each ``try`` around: where an exception leaves it


@dataclass(slots=True, eq=False)
class Frame:
    """What a walk carries along: all that more than one part of the interpreter reads or changes.

    made: the home of what NumPy calls create, tensors in regions and HOST elsewhere.
    """

    # ---- what the walk is over, and whom to ask
    module: ModuleInfo
    catalog: Catalog
    services: Services
    facts: ev.RegionFacts
    made: str
    assumed: Assumptions = NOTHING_ASSUMED

    # ---- where the walk is: events say so
    statement: cst.CSTNode | None = None
    root: cst.CSTNode | None = None
    loops: int = 0
    depth: int = 0  #: nested functions, lambdas and comprehensions around the current node
    comprehended: int = 0  #: comprehensions among them
    in_class: int = 0  #: class bodies around it
    storing: bool = False  #: what is evaluated is stored into: views of ndarrays there are NumPy's
    absent: frozenset[str] = NO_NAMES  #: parameters that are None on the current way

    #: the function whose body it is in
    scope: Scope = field(default_factory=Scope)

    # ---- what was seen so far: of one visit of a node the next one asks
    recorded: dict[tuple[type | ev.Kind, int], ev.Event] = field(default_factory=dict)
    met_subclass: bool = False  #: some value so far may be an array of a subclass of ndarray
    assigned: set[str] = field(default_factory=set)  #: attributes that were assigned to so far
    updated: list[frozenset[str]] = field(default_factory=list)  #: what each updated array may share memory with
    reforming: set[int] = field(default_factory=set)  #: ids of nodes that write in place what may be a shape or dtype
    kept_as_made: frozenset[int] = frozenset()  #: calls and operators (ids) whose results an object keeps at once
    exchanges: Exchanges = field(default_factory=Exchanges)
    late: LateNames = field(default_factory=LateNames)

    # ---- code that ran unseen: what was read before may be old
    worked: int = 0  #: how often code ran so far that may change what objects hold
    ran: int = 0  #: ... without anybody having written a call of it: calls are guarded apart
    ran_late: set[int] = field(default_factory=set)  #: ids of nodes in which such code runs after an operand was read
    #: ... of calls: the arguments that run it, and by which methods
    late_parts: dict[int, tuple[str, str]] = field(default_factory=dict)
    ran_names: frozenset[str] = NO_NAMES  #: the special methods that the last of such code may be
    lazy_works: bool = False  #: an iterator was made that runs such code when it is asked

    # ---- nested functions: they read and fill what is around them when they are called
    nested_results: dict[str, Value] = field(default_factory=dict)
    nested_reads: dict[str, frozenset[str]] = field(default_factory=dict)  #: what they mention
    nested_working: set[str] = field(default_factory=set)  #: those in which code runs that changes what objects hold
    nested_keeps: bool = False  #: one gives an argument of its to somebody who may keep or change it
    lent_reads: set[str] = field(default_factory=set)  #: what those mention that stay NumPy's
    lent_iterators: set[str] = field(default_factory=set)  #: iterators among them
    kept_names: set[str] = field(default_factory=set)  #: what those mention that somebody may call later
    captured_inside: set[str] = field(default_factory=set)  #: ... that others get, in these comprehensions
    read_by_iterators: set[str] = field(default_factory=set)  #: names, when they are asked
    puts_made: list[tuple[str, Value]] = field(default_factory=list)  #: what was put into containers, by names
    puts_inside: dict[str, Value] = field(default_factory=dict)  #: ... by nested functions, into those around them


class Visitor:
    """Finds the part of the interpreter that knows a node.

    Parts evaluate what is inside of a node by it, and so need not know each other. It knows all of them once they are
    made (interpreter.py), and lets go of them with the walk.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.methods: dict[type, Callable[[Any, Env], Value]] = {}  #: by the kind of an expression
        self.suite: Callable[[object, Env], Env | None] | None = None

    def evaluate(self, node: cst.BaseExpression, env: Env) -> Value:
        """The value of `node`; emits the events of everything inside it."""
        method = self.methods.get(type(node))
        return UNKNOWN if method is None else method(node, env)

    def run(self, body: object, env: Env) -> Env | None:
        """Interpret a suite; None when its end is not reached."""
        assert self.suite is not None
        return self.suite(body, env)

    def release(self) -> None:
        """Let go of the parts, which know the visitor: circles would keep all of it until a search for garbage."""
        self.methods.clear()
        self.suite = None


# --- How a walk reports


class Record:
    """Writes down what happens: events, constructs, escapes."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self._last_place = ev.Place(frame.facts.qualname, None, False, 0)  # many events stand at the same
        #: each set of locations that was compared with those in ``viewed``
        self._view_asked: set[frozenset[str]] = set()
        self.unresolved: dict[int, cst.CSTNode] = {}  #: by id: what may use NumPy in a way that is not resolved

    def place(self, node: cst.CSTNode) -> ev.Place:
        root, nested, last = node is self.frame.root, self.frame.depth > 0, self._last_place
        if (
            last.statement is not self.frame.statement
            or last.root is not root
            or last.loops != self.frame.loops
            or last.nested is not nested
        ):
            self._last_place = last = ev.Place(
                self.facts.qualname, self.frame.statement, root, self.frame.loops, nested
            )
        return last

    def emit(self, event: ev.Event) -> None:
        """Record `event`.

        A later visit of the same node (in a loop, with more known values) replaces an earlier one.
        """
        kind: type | ev.Kind = type(event)
        if kind is ev.Construct:
            kind = event.kind  # type: ignore[union-attr]  # several may be said of one node
        at = event.target if kind is ev.Store or kind is ev.AttributeStore else event.node  # type: ignore[union-attr]
        self.frame.recorded[(kind, id(at))] = event

    def construct(self, node: cst.CSTNode, kind: ev.Kind, detail: str = "") -> None:
        self.emit(ev.Construct(node, self.place(node), kind, detail))

    def escape(self, node: cst.BaseExpression, value: Value, reason: str) -> None:
        """Report that `value` reaches Python at `node`, if it may hold a tensor."""
        if may_hold_tensor(value) or has_unfilled_container(value):
            self.emit(ev.Escape(node, self.place(node), value, reason))
            self.hand_iterators(node, value)

    def hand_iterators(self, node: cst.CSTNode, value: Value) -> None:
        """`value` goes to the host; an iterator in a container goes on giving tensors there."""
        if holds_iterator(value):
            self.construct(node, ev.Kind.ITERATOR_HANDED_OUT)

    def must_stay_view(self, refs: frozenset[str]) -> bool:
        """Whether what may show memory at `refs` must be NumPy's own."""
        self._view_asked.add(refs)
        return not refs.isdisjoint(self.assumed.viewed)

    def never_asked(self, more: frozenset[str]) -> bool:
        """Whether nothing would have been different if `more` locations had been among ``viewed``."""
        return not more or all(map(more.isdisjoint, self._view_asked))

    def note_unresolved(self) -> None:
        """What is looked at now may use NumPy in a way that is not resolved."""
        node = self.frame.statement or self.facts.node
        self.unresolved[id(node)] = node


# --- What names from outside a region mean


_BUILTINS = frozenset(dir(builtins))
#: Those for which star imports of array libraries bring functions of their own.
_ARRAY_LIBRARIES = frozenset(("abs", "all", "any", "bool", "divmod", "max", "min", "pow", "round", "sum"))
_FLOAT = Scalar("float")


@lru_cache(maxsize=4096)
def _member(owner: str, name: str) -> Symbol:
    return Symbol(f"{owner}.{name}")


class Names:
    """What names from outside the region mean, and the methods of the project's objects."""

    def __init__(self, frame: Frame, record: Record) -> None:
        self.frame = frame
        self.facts = frame.facts
        self.module = frame.module
        self.catalog = frame.catalog
        self.services = frame.services
        self.record = record
        self._known: dict[str, Value | None] = {}  #: what dotted names denote in the project

    def outer_value(self, name: str, env: Env) -> Value:
        """The value of a name that the region does not bind: of the module's top level, or a builtin."""
        if name in self.module.numpy_names:
            return NUMPY
        if name in self.frame.scope.locals and name not in self.module.values:
            return UNKNOWN
        value = self.module.values.get(name)
        if value is None:
            if name in _BUILTINS and not (self.module.unlisted and name in _ARRAY_LIBRARIES):
                return self.known(Symbol(f"builtins.{name}"), env)
            self.record.note_unresolved()  # from a star import, exec, or a mistake
            return UNKNOWN
        if isinstance(value, Unknown):
            why = why_ambiguous(self.module.node, name, self.catalog)
            if why or self.module.unlisted:
                self.record.note_unresolved()
            if why:
                self.record.construct(self.frame.statement or self.facts.node, ev.Kind.AMBIGUOUS, why)
        if isinstance(value, Symbol) and name in self.module.rebound and "()" not in value.name:
            self.record.note_unresolved()
            self.record.construct(
                self.frame.statement or self.facts.node,
                ev.Kind.REPLACED,
                f"{name} is rebound while the program runs: which function it means is not certain",
            )
            return Unknown(HOST, env.reach(self.location(name)))
        if isinstance(value, Symbol) and not ("()" in value.name and name in self.module.rebound):
            return self.known(value, env)
        return self.global_value(name, value, env)

    def global_value(self, name: str, value: Value, env: Env) -> Value:
        """The value of the module's name `name`, as a region may rely on it: `value`, unless some code rebinds it."""
        location = self.location(name)
        if isinstance(value, Function) and value.nested and self.frame.made != HOST:
            if value.qualname in self.module.lambdas and name not in self.module.rebound:
                return Function(value.qualname, module=self.module.path)  # it stays NumPy, and gets ndarrays
            return Unknown(HOST, env.reach(location))
        if isinstance(value, Bound):
            return Unknown(HOST, env.reach(location))
        if isinstance(value, Array):
            dtypes, rank = value.dtypes, value.rank
            sure = name not in self.module.rebound and not value.weak
            refs = env.reach(location)
            if not sure:
                return Array(HOST, refs=refs, weak=True)
            return Array(HOST, dtypes, rank, refs)
        if isinstance(value, Unknown):
            return Unknown(HOST, env.reach(location) | self.subclass_mark(value))
        if isinstance(value, Sequence) and value.type != "tuple":
            return Unknown(HOST, env.reach(location))
        if name in self.module.rebound and not isinstance(value, Symbol):
            return Unknown(HOST, env.reach(location))
        return value

    def subclass_mark(self, *values: Value) -> frozenset[str]:
        """The reference that what is made of `values` has, if one of them may be an array of a subclass."""
        if any(SUBCLASS in value.refs for value in values):
            self.frame.met_subclass = True
            return frozenset((SUBCLASS,))
        return NO_NAMES

    def meet_subclass(self, node: cst.CSTNode, *values: Value) -> None:
        """`values` meet in what would be TensorFlow's work: none of them may be an array of a subclass.

        Those that are followed make NumPy's work of it.
        """
        if self.frame.made != HOST and self.subclass_mark(*[value for value in values if UNTENSORED not in value.refs]):
            self.record.construct(node, ev.Kind.SUBCLASS_OPERAND)

    def location(self, name: str) -> str:
        """Where the module's name `name` keeps its value."""
        return of_global(self.module.path, name)

    def known(self, symbol: Symbol, env: Env) -> Value:
        """What `symbol` denotes in the project; itself where it is not first-party or not certain."""
        if self.module.replaced and (by := replaced_by(symbol.name, self.module.replaced)):
            self.record.note_unresolved()
            self.record.construct(self.frame.statement or self.facts.node, ev.Kind.REPLACED, by)
            return UNKNOWN
        name = symbol.name
        if name not in self._known:
            outside = name.startswith(("numpy.", "builtins."))
            self._known[name] = None if outside else self.services.resolve(name)
        value = self._known[name]
        if value is None:
            return _FLOAT if name in NUMBERS_BY_NAME else symbol
        refs = refs_of(value)  # an array of another module, at the location that names it
        return with_refs(value, env.reach(*refs) | self.subclass_mark(value)) if refs else value

    def symbol_attribute(self, base: Symbol, name: str, env: Env) -> Value:
        """``module.name`` by canonical name."""
        return self.known(_member(base.name, name), env)

    def method_of(self, receiver: Class | Instance, name: str) -> tuple[Function, str] | None:
        """The method that ``receiver.name`` denotes, inherited ones too, and its kind (as in ClassSummary)."""
        summary = self.services.class_of(receiver)
        method = summary.methods.get(name) if summary is not None else None
        if method is None or isinstance(receiver, Class) or not may_be_overridden(name, method[1]):
            return method
        return method if is_certain(receiver, name, method[0], self.module, self.services, self.facts) else None
