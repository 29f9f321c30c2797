"""What kind of store a store is. Told once here; one rule a case acts on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.locations import (
    bare,
    holder_of,
    is_attribute,
    is_global,
    is_kept,
    is_parameter,
    is_seen,
    of_attribute,
    of_parameter,
)
from np2tnp.analysis.domain.summaries import Summary
from np2tnp.analysis.domain.values import (
    FOREIGN,
    HOST,
    NO_NAMES,
    NONE,
    READ_ONLY,
    Array,
    Bound,
    Const,
    Function,
    Instance,
    Scalar,
    Symbol,
    Value,
    home_of,
    may_be_array,
    may_hold_tensor,
    refs_of,
)
from np2tnp.analysis.syntax.python_tables import ARRAY_MEMBERS
from np2tnp.analysis.syntax.scopes import dotted, sketch
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits.mutation import is_storable
from np2tnp.rules.base import Context

# --- Whether a call can move to a statement before the one that it stands in

Moves = Callable[[cst.Call], bool]


def comes_first(call: cst.Call, statement: cst.CSTNode | None, moves: Moves) -> bool:
    """Whether `call` runs whenever `statement` does, and nothing is computed before it.

    Names may be read before: they hold the same object afterwards. moves: of other calls, whether they move as well.
    """
    if isinstance(statement, cst.AugAssign) and not isinstance(statement.target, cst.Name):
        return False
    if not isinstance(statement, (cst.Expr, cst.Assign, cst.AugAssign, cst.Return)) or statement.value is None:
        return False
    return _reaches(statement.value, call, moves) is True


def _reaches(node: cst.CSTNode, call: cst.Call, moves: Moves) -> bool | None:
    """True: `node` contains `call`, which can move. None: it does not, and computes nothing. False: neither."""
    if node is call:
        return True
    if isinstance(node, (cst.Name, cst.BaseNumber, cst.SimpleString)):
        return None
    if isinstance(node, cst.Call) and moves(node):
        return None
    parts: Iterable[cst.CSTNode]
    if isinstance(node, (cst.Tuple, cst.List)):
        starred = any(isinstance(element, cst.StarredElement) for element in node.elements)
        found = _first([element.value for element in node.elements], call, moves)
        return False if starred else found  # *x runs through x
    if isinstance(node, cst.Call):
        if any(argument.star for argument in node.args):
            return False
        callee = node.func.value if isinstance(node.func, cst.Attribute) else node.func
        parts = (callee, *(argument.value for argument in node.args))
    elif isinstance(node, cst.BinaryOperation):
        parts = (node.left, node.right)
    elif isinstance(node, cst.UnaryOperation):
        parts = (node.expression,)
    elif isinstance(node, cst.Comparison):  # what follows the first two may not be evaluated
        parts = (node.left, node.comparisons[0].comparator)
    elif isinstance(node, cst.IfExp):
        parts = (node.test,)
    elif isinstance(node, cst.BooleanOperation):
        parts = (node.left,)
    elif isinstance(node, cst.Subscript):
        parts = (node.value, *(e.slice.value for e in node.slice if isinstance(e.slice, cst.Index)))
    elif isinstance(node, cst.FormattedString):
        shown = (part for part in node.parts if isinstance(part, cst.FormattedStringExpression))
        parts = [part.expression for part in shown][:1]
    elif isinstance(node, cst.Attribute):
        parts = (node.value,)
    else:
        parts = ()
    return _first(parts, call, moves) is True


def _first(parts: Iterable[cst.CSTNode], call: cst.Call, moves: Moves) -> bool | None:
    """The first answer of `parts` that is one."""
    for part in parts:
        found = _reaches(part, call, moves)
        if found is not None:
            return found
    return None


def around(call: cst.Call, statement: cst.CSTNode) -> Iterable[cst.Call]:
    """The calls in `statement` that `call` is an argument or the receiver of, however deep."""
    calls = (node for node in walk(statement) if isinstance(node, cst.Call) and node is not call)
    return (node for node in calls if any(part is call for part in walk(node)))


class StoreCase(Enum):
    """Cases of ``x[i] = v`` and ``x op= v``."""

    CALL = "a call that changes an array: see CallCase"
    CONTAINER = "a list, dict or other object of Python's"
    TOP_LEVEL = "an ndarray at the module's top level, which stays NumPy"
    STATE = "an ndarray that belongs to an object outside"
    NUMBER = "`s += v` on a number: Python rebinds"
    SHARED = "something else may share the memory"
    UNPACKED = "the statement stores into several targets, or is none"
    UPDATE = "becomes the rebinding of a name"


@dataclass(frozen=True, slots=True)
class Case:
    """One store with its case; why: for people, where a rule reports it."""

    kind: StoreCase
    why: str = ""


def store_case(event: ev.Store, context: Context) -> Case:
    """The case of one store event."""
    if type(event.node) is cst.Call:
        return Case(StoreCase.CALL)
    base = event.base
    in_place = event.keys is None
    if not may_be_array(base) and not (in_place and isinstance(base, (Const, Scalar))):
        return Case(StoreCase.CONTAINER)
    if not context.in_region:
        return Case(StoreCase.TOP_LEVEL)
    if home_of(base) == HOST and may_be_array(base):
        statement = isinstance(event.node, (cst.Assign, cst.AugAssign, cst.AnnAssign)) and event.node.value is not None
        if not statement and may_hold_tensor(event.value):
            return Case(StoreCase.UNPACKED, "a store into an object as the target of a loop or of unpacking")
        return Case(StoreCase.STATE)
    if in_place and _immutable(base):
        return Case(StoreCase.NUMBER)
    words = store_words(event)
    if event.conflicts:
        return Case(StoreCase.SHARED, _conflict_words(words, event.conflicts))
    if isinstance(event.node, cst.Assign) and len(event.node.targets) > 1 and chained_form(event) is None:
        return Case(StoreCase.UNPACKED, "a store inside a chained assignment: give each target a statement of its own")
    if not isinstance(event.node, (cst.Assign, cst.AugAssign, cst.AnnAssign)):
        return Case(StoreCase.UNPACKED, "a store into an array as the target of a loop or of unpacking")
    if event.root is None or not is_storable(event.target):
        if isinstance(event.target, cst.Subscript) and isinstance(event.target.value, cst.Call):
            given = sketch(event.target.value)
            return Case(
                StoreCase.SHARED, f"{words} through what {given} gives: store into the array itself, by indices"
            )
        if isinstance(event.target, cst.Subscript) and isinstance(event.target.value, cst.Attribute):  # x.real[1:] = y
            given = sketch(event.target.value)
            return Case(
                StoreCase.SHARED,
                f"{words} through {given}: bind that to a name in a statement before, and store through the name",
            )
        return Case(StoreCase.SHARED, f"{words}: no single name holds the array that is written")
    if isinstance(event.target, cst.Subscript) and _calls_inside(event.target.value):
        return Case(StoreCase.SHARED, f"{words}: an index that calls something would do so twice: give it a name")
    return Case(StoreCase.UPDATE)


def stays_ndarray(event: ev.Store, context: Context) -> bool:
    """Whether an array is updated that stays an ndarray because other names may show it."""
    kept = context.facts.kept
    return store_case(event, context).kind is StoreCase.STATE and any(
        (bare(ref) if is_parameter(ref) else ref) in kept for ref in refs_of(event.base)
    )


def chained_form(event: ev.Store | ev.AttributeStore) -> str | None:
    """How a chained assignment becomes one assignment a target: its value "repeated", or in a "name"; None: it cannot.

    Calls in the targets would be evaluated between the stores, and a view would show the first one.
    """
    assert isinstance(event.node, cst.Assign)
    parts = [part for item in event.node.targets for part in walk(item.target)]
    if any(isinstance(part, (cst.Call, cst.NamedExpr)) for part in parts):
        return None
    node = event.node.value
    value = node.expression if isinstance(node, cst.UnaryOperation) else node
    stored = {part.value for part in parts if isinstance(part, cst.Name)}
    if isinstance(value, cst.BaseNumber) or (dotted(value) and not refs_of(event.value) & stored):
        return "repeated"
    shown = stored | {make(name) for name in stored for make in (of_parameter, of_attribute)} | refs_of(event.base)
    return None if refs_of(event.value) & shown else "name"


def store_words(event: ev.Store) -> str:
    """The store for people."""
    if not event.op:
        return "a store into an array" if isinstance(event.base, Array) else "a store into what may be an array"
    name = dotted(event.target)
    if not name and isinstance(event.target, cst.Subscript):
        name = f"{dotted(event.target.value) or '...'}[...]"
    return f"`{name or '...'} {_SIGNS.get(event.op, event.op)}= ...`"


_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip


def _conflict_words(words: str, conflicts: frozenset[str]) -> str:
    if READ_ONLY in conflicts:
        return (
            f"{words} may be one through a read-only view, or one that was made writable: store into the array itself"
        )
    callees = sorted(bare(place) for place in conflicts if is_seen(place))
    if callees and len(callees) == len(conflicts - {FOREIGN}):
        return f"{words} may also change what {callees[0]} kept, which got that array before: give it a copy (.copy())"
    return (
        f"{words} may also change {location_words(conflicts)}, which shares its memory: store into a copy, or into that"
    )


def location_words(locations: frozenset[str]) -> str:
    """The first of some memory locations for people."""
    first = min(locations - {FOREIGN}, default="")
    if not first:
        return "the object it was made from (np.array() makes a copy)"
    if is_parameter(first):
        return f"the caller's array {bare(first)}"
    if is_attribute(first):  # a name that arrays have, too, tells nobody which object is meant
        return f"the attribute {first}" if bare(first) not in ARRAY_MEMBERS else "what an object holds"
    if is_global(first):
        return f"the module's {first.rpartition(':')[2]}"
    if is_kept(first):
        return f"what is {first}"
    return f"what {holder_words(first)} holds"


def holder_words(place: str) -> str:
    """What holds an array, for people: a callee that saw it, or the place that keeps it."""
    return f"the argument {bare(place)}" if is_parameter(place) else holder_of(place) if is_seen(place) else place


def is_outside(base: Value) -> bool:
    """Whether what is changed is an object of the host without tensors in it: the callee changes that very object."""
    return home_of(base) == HOST and not may_hold_tensor(base)


def _immutable(base: Value) -> bool:
    if isinstance(base, (Const, Scalar)):
        return True
    return isinstance(base, Array) and base.rank == 0 and base.zero_d == "scalar" and base.exact is None


def _calls_inside(node: cst.BaseExpression) -> bool:
    """Whether evaluating the indices on the way to what is stored into may do anything but compute."""
    while isinstance(node, (cst.Subscript, cst.Attribute)):
        if isinstance(node, cst.Subscript):
            parts = (part for element in node.slice for part in walk(element))
            if any(isinstance(part, (cst.Call, cst.NamedExpr, cst.Await, cst.Yield)) for part in parts):
                return True
        node = node.value
    return False


#: NumPy's mutating functions with a functional form in the runtime that returns the changed array.
FUNCTIONAL = {
    "numpy.copyto": "copyto", "numpy.put": "put", "numpy.place": "place", "numpy.putmask": "putmask",
    "numpy.fill_diagonal": "fill_diagonal", "numpy.put_along_axis": "put_along_axis",
    "unknown.sort": "sort_in_place", "ndarray.sort": "sort", "ndarray.fill": "assign", "ndarray.put": "put",
    "ndarray.partition": "partition", "ndarray.setfield": "setfield", "ndarray.byteswap": "byteswap_in_place",
}  # fmt: skip


class CallCase(Enum):
    """Cases of calls that change arrays."""

    TOP_LEVEL = "at the module's top level, which stays NumPy"
    STATE = "the array belongs to an object outside"
    SHARED = "something else may share the memory"
    NESTED = "the call stands inside a larger expression"
    CORE = "a migrated function of the project that updates its arguments"
    ON_HOST = "a callee that stays on the host"
    OUT = "out="
    NEW_OUT = "out= of an array that is made for it"
    FUNCTIONAL = "the runtime has a form that returns the changed array"
    NO_FORM = "no form for tensors"


@dataclass(frozen=True, slots=True)
class CallStores:
    """A call that changes arrays: its case, its store events, the runtime's function, and words for people."""

    kind: CallCase
    stores: tuple[ev.Store, ...]
    function: str = ""
    why: str = ""
    summary: Summary | None = None


def _is_new(store: ev.Store, event: ev.Call, context: Context) -> bool:
    """Whether what is written is made in the argument itself by NumPy, and no random numbers depend on when."""
    if store.conflicts or refs_of(store.base) or not isinstance(store.base, Array) or store.base.exact is not None:
        return False
    made = [context.calls.get(id(part)) for part in walk(store.target) if isinstance(part, cst.Call)]
    by_numpy = any(call is not None and call.api is not None for call in made)
    return by_numpy and all(map(_may_come_first, made))


#: Python's functions that only look at what they get, and those that do with more than one argument.
_LOOKING = frozenset(Symbol(f"builtins.{name}") for name in "len int float bool complex abs round".split())
_CHOOSING = frozenset((Symbol("builtins.min"), Symbol("builtins.max")))


def _may_come_first(call: ev.Call | None) -> bool:
    """Whether it makes no difference that this is called before what stands to the left of it."""
    if call is None:
        return False
    if call.callee in _CHOOSING:
        return len(call.arguments) > 1 and not any(item.name or item.star for item in call.arguments)
    if call.callee in _LOOKING:
        return True
    return (call.api or "").startswith(("numpy.", "ndarray.")) and "random" not in (call.api or "")


def _updates_new_arrays(stores: Iterable[ev.Store]) -> bool:
    """Whether a call updates nothing but what was made for it: only its result is of use."""
    return not any(is_storable(item.target) or refs_of(item.base) for item in stores)


def _can_move(event: ev.Call, context: Context) -> bool:
    """Whether the call can become a statement of its own, before the one that it stands in, or need not do so."""
    if _updates_new_arrays(context.stores[id(event.node)]):
        return True
    statement = event.place.statement
    if event.place.nested or statement is None:
        return False

    def moves(node: cst.Call) -> bool:
        other = context.calls.get(id(node))
        case = call_case(other, context) if other is not None else None
        return case is not None and case.kind is CallCase.CORE and not _updates_new_arrays(case.stores)

    if not comes_first(event.node, statement, moves) or _is_shown_beside(event, statement, context):
        return False
    return not any(id(node) in context.stores for node in around(event.node, statement))


def _is_shown_beside(event: ev.Call, statement: cst.CSTNode, context: Context) -> bool:
    """Whether `statement` reads another name of what the call updates: ``z * fill(y)`` where z is ``y[:]``.

    NumPy reads its elements after the call; the tensor of that name is from before it.
    """
    stores = context.stores[id(event.node)]
    own = {item.target.value for item in stores if isinstance(item.target, cst.Name)}
    others = NO_NAMES.union(*(refs_of(item.base) for item in stores)) - own
    inside = {id(node) for node in walk(event.node)}
    return any(type(node) is cst.Name and node.value in others and id(node) not in inside for node in walk(statement))


def call_case(event: ev.Call, context: Context) -> CallStores | None:
    """The case of a call that changes arrays; None for any other call."""
    stores = tuple(context.stores.get(id(event.node), ()))
    if not stores:
        return None
    if not context.in_region:
        return CallStores(CallCase.TOP_LEVEL, stores)
    if all(is_outside(item.base) for item in stores):
        return CallStores(CallCase.STATE, stores)
    if len(stores) == 1 and stores[0].op == "out=" and _is_new(stores[0], event, context):
        return CallStores(CallCase.NEW_OUT, stores)
    for item in stores:
        if item.conflicts:
            return CallStores(CallCase.SHARED, stores, "", _conflict_words("this call", item.conflicts))
        if not is_storable(item.target) and item.op != "call":
            return CallStores(CallCase.SHARED, stores, "", "no single name holds the array that is changed")
    kind = stores[0].op
    alone = event.place.root and isinstance(event.place.statement, (cst.Expr, cst.Assign, cst.Return))
    if not alone and (kind != "call" or not _can_move(event, context)):
        return CallStores(CallCase.NESTED, stores)
    if kind == "call":
        callee = event.callee
        summary = context.summary(callee) if isinstance(callee, Function) else None
        if isinstance(callee, Bound) and isinstance(callee.receiver, Instance):
            summary = None
        if summary is None or not summary.migrated or any(home_of(item.base) == HOST for item in stores):
            return CallStores(CallCase.ON_HOST if alone else CallCase.NESTED, stores)
        return CallStores(CallCase.CORE, stores, summary=summary)
    if kind == "out=":
        return CallStores(CallCase.OUT, stores)
    at = context.catalog.get(kind) if kind.endswith(".at") else None
    if at is not None and at.rt is not None:
        return CallStores(CallCase.FUNCTIONAL, stores, f"{kind.rpartition('.')[0].rpartition('.')[2]}_at")
    if kind == "ndarray.sort" and any(arg.name in (None, "axis") and arg.value == NONE for arg in event.arguments):
        return CallStores(CallCase.NO_FORM, stores, "", "the method sort takes no axis=None")
    if kind in FUNCTIONAL:
        return CallStores(CallCase.FUNCTIONAL, stores, FUNCTIONAL[kind])
    if kind.startswith("numpy."):
        return CallStores(CallCase.ON_HOST, stores)
    instead = "make zeros, and copy what is kept" if kind == "ndarray.resize" else "make a new array"
    words = f"{kind.replace('ndarray', 'array')}() changes an ndarray in a way tensors have no form for: {instead}"
    return CallStores(CallCase.NO_FORM, stores, "", words)
