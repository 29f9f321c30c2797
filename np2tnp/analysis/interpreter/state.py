"""What the interpreter carries along while it walks one region, and how it reports."""

from __future__ import annotations

import builtins
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from typing import Protocol

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.containers import fill_empty, given_to, put_into, reader_of_copy
from np2tnp.analysis.domain.doors import NO_DOOR
from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.late_names import LateNames
from np2tnp.analysis.domain.locations import of_global
from np2tnp.analysis.domain.summaries import ClassSummary, Summary
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    NO_NAMES,
    NOTHING,
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
    view_of,
    with_refs,
)
from np2tnp.analysis.module.buffer_exchanges import Exchanges
from np2tnp.analysis.module.contents import ModuleInfo, why_ambiguous
from np2tnp.analysis.module.overridden_methods import is_certain, may_be_overridden
from np2tnp.analysis.syntax.python_tables import NUMBERS_BY_NAME
from np2tnp.analysis.syntax.scopes import parameters_of
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


_BUILTINS = frozenset(dir(builtins))
#: Those for which star imports of array libraries bring functions of their own.
_ARRAY_LIBRARIES = frozenset(("abs", "all", "any", "bool", "divmod", "max", "min", "pow", "round", "sum"))


_FLOAT = Scalar("float")


@lru_cache(maxsize=4096)
def _member(owner: str, name: str) -> Symbol:
    return Symbol(f"{owner}.{name}")


#: What the parameters of nested functions share memory with: arrays of whoever calls them.
NESTED = frozenset(("the argument of a nested function",))
#: Among the names whose arrays stay ndarrays: nested functions that are only called stay NumPy's, too.
HOST_FUNCTIONS = "<nested functions>"


class State:
    """Shared state of the evaluator's parts.

    made: the home of what NumPy calls create, tensors in regions and HOST elsewhere.
    """

    def __init__(
        self, module: ModuleInfo, catalog: Catalog, services: Services, facts: ev.RegionFacts, made: str
    ) -> None:
        self.module = module
        self.services = services
        self.catalog = catalog
        self.facts = facts
        self.made = made
        self.locals: frozenset[str] = NO_NAMES
        self.door = NO_DOOR
        self.eager = False  #: the region is never traced: numbers are Python's and NumPy's own
        self.assigned: set[str] = set()  #: attributes that were assigned to so far
        self.hosted: frozenset[str] = NO_NAMES  #: parameters that are not converted
        self.objects: frozenset[str] = NO_NAMES  #: parameters that were seen to be no arrays
        self.host_locals: frozenset[str] = NO_NAMES  #: local names whose arrays stay ndarrays, and so do views of them
        self.viewed: frozenset[str] = NO_NAMES  #: outside locations whose views must stay NumPy's
        self.view_asked: set[frozenset[str]] = set()  #: each set of locations that was compared with those
        self.global_names: frozenset[str] = NO_NAMES
        self.exchanges = Exchanges()
        self.direct: frozenset[int] = frozenset()  #: attributes (their ids) that may be read as tensors
        self.loops = 0
        self.storing = False  #: what is evaluated is stored into: views of ndarrays there are NumPy's
        self.depth = 0  #: nested functions, lambdas and comprehensions around the current node
        self.absent: frozenset[str] = NO_NAMES  #: parameters that are None on the current way
        self.comprehended = 0  #: comprehensions among them
        self.captured_inside: set[str] = set()  #: names that functions handed to others read, in these comprehensions
        self.statement: cst.CSTNode | None = None
        self.root: cst.CSTNode | None = None
        self._known: dict[str, Value | None] = {}  #: what dotted names denote in the project
        self._last_place = ev.Place(facts.qualname, None, False, 0)  # many events stand at the same
        self.nested_results: dict[str, Value] = {}
        self.nested_reads: dict[str, frozenset[str]] = {}  #: what they mention
        self.lent_reads: set[str] = set()  #: what those mention that stay NumPy's
        self.lent_iterators: set[str] = set()  #: iterators among them
        self.kept_names: set[str] = set()  #: what those mention that somebody may call later
        self.read_by_iterators: set[str] = set()  #: names, when they are asked
        self.late = LateNames()
        self.nested_keeps = False  #: a nested function gives an argument of its to somebody who may keep or change it
        self.updated: list[frozenset[str]] = []  #: what each array updated so far may share memory with
        self.reforming: set[int] = set()  #: ids of nodes that write in place what may be a shape or dtype
        self.recorded: dict[tuple[type | ev.Kind, int], ev.Event] = {}
        self.met_subclass = False  #: some value so far may be an array of a subclass of ndarray
        self.unresolved: dict[int, cst.CSTNode] = {}  #: by id: what may use NumPy in a way that is not resolved
        self.worked = 0  #: how often code ran so far that may change what objects hold
        self.nested_working: set[str] = set()  #: nested functions in which such code runs
        self.ran = 0  #: ... without anybody having written a call of it: calls are guarded apart
        self.ran_late: set[int] = set()  #: ids of nodes in which such code runs after an operand was read
        self.late_parts: dict[
            int, tuple[str, str]
        ] = {}  #: ... of calls: the arguments that run it, and by which methods
        self.ran_names: frozenset[str] = NO_NAMES  #: the special methods that the last of such code may be
        self.lazy_works = False  #: an iterator was made that runs such code when it is asked
        self.puts_made: list[tuple[str, Value]] = []  #: by names, what was put into containers and objects so far
        self.puts_inside: dict[str, Value] = {}  #: what nested functions put into containers of their enclosing ones
        self.capturable: list[frozenset[str]] = []  #: names that each enclosing nested function can only read

    # ---- reporting

    def place(self, node: cst.CSTNode) -> ev.Place:
        root, nested, last = node is self.root, self.depth > 0, self._last_place
        if (
            last.statement is not self.statement
            or last.root is not root
            or last.loops != self.loops
            or last.nested is not nested
        ):
            self._last_place = last = ev.Place(self.facts.qualname, self.statement, root, self.loops, nested)
        return last

    def emit(self, event: ev.Event) -> None:
        """Record `event`.

        A later visit of the same node (in a loop, with more known values) replaces an earlier one.
        """
        kind: type | ev.Kind = type(event)
        if kind is ev.Construct:
            kind = event.kind  # type: ignore[union-attr]  # several may be said of one node
        at = event.target if kind is ev.Store or kind is ev.AttributeStore else event.node  # type: ignore[union-attr]
        self.recorded[(kind, id(at))] = event

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
        self.view_asked.add(refs)
        return not refs.isdisjoint(self.viewed)

    def never_asked(self, more: frozenset[str]) -> bool:
        """Whether nothing would have been different if `more` locations had been among ``viewed``."""
        return not more or all(map(more.isdisjoint, self.view_asked))

    def note_unresolved(self) -> None:
        """What is looked at now may use NumPy in a way that is not resolved."""
        node = self.statement or self.facts.node
        self.unresolved[id(node)] = node

    # ---- names from outside the region

    def outer_value(self, name: str, env: Env) -> Value:
        """The value of a name that the region does not bind: of the module's top level, or a builtin."""
        if name in self.module.numpy_names:
            return NUMPY
        if name in self.locals and name not in self.module.values:
            return UNKNOWN
        value = self.module.values.get(name)
        if value is None:
            if name in _BUILTINS and not (self.module.unlisted and name in _ARRAY_LIBRARIES):
                return self.known(Symbol(f"builtins.{name}"), env)
            self.note_unresolved()  # from a star import, exec, or a mistake
            return UNKNOWN
        if isinstance(value, Unknown):
            why = why_ambiguous(self.module.node, name, self.catalog)
            if why or self.module.unlisted:
                self.note_unresolved()
            if why:
                self.construct(self.statement or self.facts.node, ev.Kind.AMBIGUOUS, why)
        if isinstance(value, Symbol) and name in self.module.rebound and "()" not in value.name:
            self.note_unresolved()
            self.construct(
                self.statement or self.facts.node,
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
        if isinstance(value, Function) and value.nested and self.made != HOST:
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
            self.met_subclass = True
            return frozenset((SUBCLASS,))
        return NO_NAMES

    def meet_subclass(self, node: cst.CSTNode, *values: Value) -> None:
        """`values` meet in what would be TensorFlow's work: none of them may be an array of a subclass.

        Those that are followed make NumPy's work of it.
        """
        if self.made != HOST and self.subclass_mark(*[value for value in values if UNTENSORED not in value.refs]):
            self.construct(node, ev.Kind.SUBCLASS_OPERAND)

    def location(self, name: str) -> str:
        """Where the module's name `name` keeps its value."""
        return of_global(self.module.path, name)

    def known(self, symbol: Symbol, env: Env) -> Value:
        """What `symbol` denotes in the project; itself where it is not first-party or not certain."""
        if self.module.replaced and (by := replaced_by(symbol.name, self.module.replaced)):
            self.note_unresolved()
            self.construct(self.statement or self.facts.node, ev.Kind.REPLACED, by)
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

    def nested_env(self, function: str, parameters: cst.Parameters, reads: frozenset[str], env: Env) -> Env:
        """The environment of a function nested in the region: captured names as they are here, parameters unknown.

        reads: the names that it mentions.
        """
        inner = env.copy()
        self.nested_reads[function] = reads
        self.late.begin(function, reads, inner)
        for parameter in parameters_of(parameters):
            default = self.evaluate(parameter.default, env) if parameter.default is not None else UNKNOWN
            home = EITHER if self.made != HOST else HOST
            inner.bind(parameter.name.value, Unknown(home, NESTED | refs_of(default), view=view_of(default)))
        return inner

    def default_refs(self, parameters: cst.Parameters, env: Env) -> frozenset[str]:
        """What a nested function holds on to: the arrays that its parameters have by default."""
        defaults = [parameter.default for parameter in parameters_of(parameters) if parameter.default is not None]
        values = [self.evaluate(default, env) for default in defaults]
        return NO_NAMES.union(*(refs_of(value) for value in values if may_hold_tensor(value)))

    def put(self, where: cst.BaseExpression, container: Value, added: Value, env: Env) -> None:
        """`container`, at `where`, holds `added` from here on, for the functions around this one, too."""
        self.changes_container(container, env, added)
        name = put_into(where, added, env)
        if not name:
            fill_empty(refs_of(container), added, env)
        others = env.aliases(name) if self.depth else NO_NAMES
        self.puts_made += [(each, added) for each in (name, *others) if each and each.isidentifier()]

    def changes_container(self, container: Value, env: Env, added: Value = NOTHING) -> None:
        """`container` changes: who was given it while it held tensors, or goes on reading it, has a copy."""
        given = may_hold_tensor(container) or may_hold_tensor(added)
        holder = (given_to(container) if given else "") or reader_of_copy(container, env)
        if holder and self.made != HOST:
            self.construct(self.statement or self.facts.node, ev.Kind.KEPT_CONTAINER, holder)
            self.facts.seen.kept_twice.update(filter(str.isidentifier, refs_of(container)))

    def leave_stale(self, inner: Env, own: frozenset[str], env: Env) -> bool:
        """What a nested function or comprehension updated is stale under the names of `env`, but for its `own`.

        Gives whether any of that was seen to be stored: it may read that itself, the next time. Of what a callee out of
        sight may have changed the first look tells.
        """
        new = {name: why for name, why in inner.stale.items() if name not in own and name not in env.stale}
        env.stale.update(new)
        return any(reason.kind == "store" for why in new.values() for reason in why.reasons)

    def leave_nested(self, puts: int, own: Container[str], env: Env) -> None:
        """What a nested function or comprehension put into containers since there were `puts`, but into its `own`.

        That holds from here on: nobody looks when it is called.
        """
        for name, added in dict.fromkeys(self.puts_made[puts:]):  # a loop puts the same again and again
            if name not in own:
                known = frozenset(ref for ref in refs_of(added) if ref in env.values or not ref.isidentifier())
                added = with_refs(added, known)
                if not name.isidentifier():  # an object or a global holds it
                    env.link(name, known)
                    continue
                self.puts_inside[name] = join(self.puts_inside.get(name, NOTHING), added)
                self.hold(name, env)

    def give_nested(self, arguments: Iterable[ev.Argument], env: Env) -> None:
        """A nested function is called: it may put its arguments into containers of the functions around it."""
        for name, added in self.puts_inside.items():
            if not NESTED.isdisjoint(refs_of(added)) and name in env.values:
                env.link(name, NO_NAMES.union(*(refs_of(argument.value) for argument in arguments)) - {name})

    def read_captured(self, node: cst.Call, callee: Function, env: Env, seen: frozenset[str] = NO_NAMES) -> None:
        """A nested function is called: it reads names of the functions around it as they are by now."""
        self.late.call(callee.qualname, env)
        for name in sorted(self.nested_reads.get(callee.qualname, NO_NAMES) - seen):  # the last one is told
            stale, value = env.stale.get(name), env.values.get(name)
            if stale is not None:
                self.emit(ev.StaleRead(node, self.place(node), name, stale, env.aliases(name)))
            if isinstance(value, Function) and value.nested:
                self.read_captured(node, value, env, seen | {name})

    def hold(self, name: str, env: Env) -> None:
        """The container `name` holds what nested functions put there."""
        added = self.puts_inside.get(name)
        if added is not None and isinstance(env.values.get(name), Sequence):
            put_into(cst.Name(name), added, env)
            env.link(name, refs_of(added) - {name})

    # ---- given by the parts further up

    def evaluate(self, node: cst.BaseExpression, env: Env) -> Value:
        """The value of `node` (expressions.py)."""
        raise NotImplementedError

    def bind_target(self, target: cst.BaseExpression, value: Value, env: Env) -> None:
        """``for target in ...`` (stores.py)."""
        raise NotImplementedError

    def object_works(self, node: cst.CSTNode, receiver: Instance, env: Env) -> None:
        """What `receiver` holds may be changed by whom it was given to (escapes.py)."""
        raise NotImplementedError

    def code_runs(self, node: cst.CSTNode, whose: str, env: Env) -> None:
        """Code runs here that may change whatever objects hold (escapes.py)."""
        raise NotImplementedError

    def write(
        self,
        node: cst.CSTNode,
        target: cst.BaseExpression,
        base: Value,
        value: Value,
        env: Env,
        op: str = "",
        keys: tuple[Value, ...] | None = None,
    ) -> None:
        """The memory of `base` is written through `target` (writes.py)."""
        raise NotImplementedError

    def unfollowed(self, *values: Value) -> None:
        """What may change, keep and give back `values` here is not followed (escapes.py)."""
        raise NotImplementedError

    def object_method(self, node: cst.CSTNode, value: Instance, name: str, keeps: bool = False) -> None:
        """Python calls the method `name` of an object with an array (expressions.py)."""
        raise NotImplementedError

    def kept_on_host(self, targets: Iterable[cst.BaseExpression], source: cst.BaseExpression, value: Value) -> Value:
        """`value`, made by `source`, as it is bound to `targets` (placement.py)."""
        raise NotImplementedError

    def as_item(self, container: Sequence, source: cst.BaseExpression, value: Value) -> Value:
        """`value`, made by `source`, as it is put into a container (placement.py)."""
        raise NotImplementedError

    def on_host(self, source: cst.BaseExpression, value: Value, name: str) -> Value:
        """`value`, made by `source`, with ndarrays for tensors, as `name` holds it (placement.py)."""
        raise NotImplementedError

    def nested_value(self, function: Function) -> Value:
        """What calling a function nested in the region gives."""
        return self.nested_results.get(function.qualname, Unknown(EITHER))
