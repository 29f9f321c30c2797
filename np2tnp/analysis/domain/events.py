"""What happens at one place of a region, in terms of meaning. The interpreter emits them; rules read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import libcst as cst

from np2tnp.analysis.domain.doors import Admitted, Door
from np2tnp.analysis.domain.env import Stale
from np2tnp.analysis.domain.values import NO_NAMES, Class, Value, frozen
from np2tnp.analysis.module.buffer_exchanges import Exchange


@frozen
class Argument:
    """One argument of a call. ``name`` is the keyword, None when positional; ``star`` is "", "*" or "**"."""

    node: cst.Arg
    value: Value
    name: str | None = None
    star: str = ""


@frozen
class Place:
    """Where an event stands: everything a rule may need to know around the node."""

    region: str
    statement: cst.CSTNode | None  #: innermost statement (a small statement or the head of a compound one)
    root: bool  #: the node is the whole right side of an assignment, expression statement or return
    loops: int  #: how many loops of the region enclose it
    nested: bool = False  #: inside a function, lambda or comprehension within the region


@frozen
class Call:
    """A call of anything. ``api`` is the canonical name (``numpy.sum``, ``ndarray.sum``) where it is NumPy's."""

    node: cst.Call
    place: Place
    callee: Value
    api: str | None
    arguments: tuple[Argument, ...]
    receiver: Value | None
    result: Value


@frozen
class Operator:
    """A unary, binary or comparison operator with array operands; ``op`` as in module operator (``truediv``)."""

    node: cst.BaseExpression
    place: Place
    op: str
    operands: tuple[Value, ...]
    result: Value


@frozen
class Read:
    """``base[key]`` that reads."""

    node: cst.Subscript
    place: Place
    base: Value
    keys: tuple[Value, ...]
    result: Value


@frozen
class AttributeRead:
    """``base.name`` that reads, on an array or unknown."""

    node: cst.Attribute
    place: Place
    base: Value
    name: str
    result: Value


@frozen
class NameRead:
    """A symbol of NumPy read as a value (``np.pi``, ``np.float64``), not called."""

    node: cst.BaseExpression
    place: Place
    api: str


@frozen
class Store:
    """``base[key] = value`` (``op`` empty), ``base[key] op= value`` or ``base op= value`` (``key`` None)."""

    node: cst.CSTNode  #: the Assign or AugAssign
    target: cst.BaseExpression
    place: Place
    base: Value
    value: Value
    op: str = ""
    keys: tuple[Value, ...] | None = None
    root: str | None = None  #: the name to rebind, where the innermost base is one
    conflicts: frozenset[str] = NO_NAMES  #: outside locations it writes through, other than by its own name
    held: Value | None = None  #: what `root` holds, where that is known


@frozen
class AttributeStore:
    """``base.name = value``."""

    node: cst.CSTNode
    target: cst.Attribute
    place: Place
    base: Value
    name: str
    value: Value
    value_node: cst.BaseExpression | None


@frozen
class Escape:
    """An expression that may hold a tensor reaches Python or the host.

    In print, an f-string, an object, an unresolved call.
    """

    node: cst.BaseExpression
    place: Place
    value: Value
    reason: str


@frozen
class StaleRead:
    """A name is read whose memory was written through another name."""

    node: cst.BaseExpression
    place: Place
    name: str
    stale: Stale
    shared: frozenset[str] = NO_NAMES  #: locations that may share its memory


@frozen
class Return:
    """A return statement of the region's own function (None: the end of the body is reached)."""

    node: cst.Return | None
    place: Place
    value: Value


class Kind(Enum):
    """What a :class:`Construct` is. Where a member has a detail, its description says what that is."""

    # Syntax
    ASYNC = "async"
    """``async def``, ``await``, an asynchronous comprehension."""
    YIELD = "yield"
    """``yield``; the detail says whether another function's, or an iterator that is returned."""
    NONLOCAL = "nonlocal"
    """``nonlocal``, ``global``, or a name of the module that a function binds."""
    GLOBAL_FROM_UNPACKING = "global from unpacking"
    """A global that an unpacking binds: its value stands nowhere alone."""
    TRY = "try"
    """``try``; the detail names what is caught."""
    WITH = "with"
    """One context manager of a ``with``; the detail names it."""
    MATCH = "match"
    """A ``match`` statement."""
    IMPORT = "import"
    """An import inside of a function; the detail names what."""
    LOCAL_CLASS = "local class"
    """A class made inside of the function."""
    DEBUG_F_STRING = "debug f-string"
    """``f'{x=}'``, which shows the text of the expression."""
    TOP_LEVEL = "top level"
    """Something that the top level of a script does and that cannot become tensor work."""

    # Decorators
    DECORATOR = "decorator"
    """A decorator that this project defines and that may do anything with the function."""
    UNSEEN_DECORATOR = "unseen decorator"
    """A decorator whose code is not in sight."""
    WRAPPING_DECORATOR = "wrapping decorator"
    """A decorator that surely only calls the function."""
    NESTED_DECORATOR = "nested decorator"
    """A decorator of a function inside of the region."""
    COMPILED_FUNCTION = "compiled function"
    """A function that a compiler of native code gets, such as Numba's."""

    # Functions that leave, or run at another time
    KEPT_FUNCTION = "kept function"
    """A nested function that something goes on holding."""
    HANDED_OVER = "handed over"
    """A nested function that is handed to code which may call it with anything."""
    NESTED_KEEPS = "nested keeps"
    """A nested function keeps its argument, or gives it to what may change it."""
    LENT = "lent"
    """A nested function is kept, or called with tensors."""
    CLOSURE_STORE = "closure store"
    """What a nested function reads is updated where nobody knows when it runs."""
    CALLBACK = "callback"
    """A function of NumPy or Python that calls one which may change its arrays."""
    LATE_NAMES = "late names"
    """Nested functions read names that are bound after them."""
    METHOD_OBJECT = "method object"
    """A method of an array that is used as a value."""
    ITERATOR_HANDED_OUT = "iterator handed out"
    """An iterator over tensors leaves the function."""
    OWN_NAMES = "own names"
    """``locals()``, ``eval()`` and the like see the function's own names."""
    FRAMES_OF_CALLERS = "frames of callers"
    """A callee finds its caller by counting frames."""

    # The order in which things happen
    ARGUMENTS_READ_LATE = "arguments read late"
    """A call among the arguments may update what an argument before it shows."""
    READ_LATE = "read late"
    """An expression reads a name before a call in it updates that; the detail has both, with a | between them."""
    EVALUATION_ORDER = "evaluation order"
    """The index and the value of a store both have effects, which the rewrite would swap."""
    RAISE_AFTER_MUTATION = "raise after mutation"
    """``raise`` after an argument was updated."""
    UPDATE_IN_FINALLY = "update in finally"
    """An argument is updated in a ``finally``."""

    # Arrays that several places hold
    KEPT_TWICE = "kept twice"
    """An array that another place would get a copy of."""
    HELD_TWICE = "held twice"
    """As KEPT_TWICE, of what may be an array."""
    SEEN_TWICE = "seen twice"
    """As KEPT_TWICE, of what code out of sight may hold."""
    PERHAPS_SEEN_TWICE = "perhaps seen twice"
    """As SEEN_TWICE, of what may be an array."""
    KEPT_CONTAINER = "kept container"
    """A list or dict of arrays changes after something got it."""
    ARGUMENT_KEPT_THROUGH_A_VIEW = "argument kept through a view"
    """An argument, or a view of it, is kept."""
    ARGUMENT_PERHAPS_KEPT = "argument perhaps kept through a view"
    """As ARGUMENT_KEPT_THROUGH_A_VIEW, of what may be no array."""
    ALIASED_ARGUMENTS = "aliased arguments"
    """One array may be passed twice to what may update it."""
    ARRAY_BY_DEFAULT = "array by default"
    """What updates an array may give back one that it has by default."""
    RETURNED_VIEW = "returned view"
    """The result may be a view of an array of others."""
    EXCHANGE = "exchange"
    """Arrays change places under names that may show one array."""
    QUEUE_OF_TENSORS = "queue of tensors"
    """A deque would hold tensors, which nobody converts."""
    IDENTITY = "identity"
    """``is`` or ``id()`` of what may be an array."""

    # Updates that cannot be followed
    STORE_THROUGH_AN_INDEX = "store through an index"
    """``a[i][j] = v``, where ``a[i]`` may be a copy."""
    STORE_INTO_AN_ITEM = "store into an item"
    """A store into an item of a container, which may be an array of others."""
    STORE_IN_TUPLE = "store in tuple"
    """A store among the targets of an unpacking, which cannot be split."""
    SPLIT_STORES = "split stores"
    """Stores among the targets of an unpacking; the detail says how to split them."""
    FLAT_STORE = "flat store"
    """``x.flat[...] = v``; the detail says whether "all" of it, or what "integers" name."""
    OUT_TUPLE = "out tuple"
    """``out=`` of several arrays, or as a tuple."""
    HIDDEN_ARRAY = "hidden array"
    """An array to be updated that a ``*`` or ``**`` hides."""
    DRAWN_INTO = "drawn into"
    """A generator draws into an array."""
    UNKNOWN_IN_PLACE_METHOD = "unknown in-place method"
    """A method such as ``fill`` or ``put`` of what may be an array."""
    ATTRIBUTE_OF_AN_UNKNOWN = "attribute of an unknown"
    """``x.shape = ...`` of what may be an array."""
    OVER_MEMORY = "over memory"
    """What shows an array's own memory and may write through."""

    # Memory order
    ASKED_BY_LAYOUT = "asked by layout"
    """A callee reads the memory order of an array, or updates what that makes a view or a copy."""
    KEPT_BY_LAYOUT = "kept by layout"
    """What is kept is updated elsewhere by its memory order."""
    ORDER_SHOWN = "order shown"
    """An array in Fortran order reaches other code."""

    # Objects and names whose meaning is open
    ARRAY_SUBCLASS = "array subclass"
    """The function is a method of a subclass of ndarray."""
    SUBCLASS_PARAMETER = "subclass parameter"
    """A parameter that is said to be of a subclass of ndarray."""
    SUBCLASS_INSTANCE = "subclass instance"
    """An object of a subclass of ndarray is made."""
    SUBCLASS_OPERAND = "subclass operand"
    """An operand that may be of a subclass of ndarray."""
    OBJECT_OPERATOR = "object operator"
    """An operator of an object that may keep, change or give back its operand."""
    REPLACED = "replaced"
    """A name of NumPy, or of the project, that other code replaces."""
    AMBIGUOUS = "ambiguous"
    """A name of which several meanings are possible; the detail says which."""
    UNRESOLVED = "unresolved"
    """A callee that gets an array and that nobody can see."""


@frozen
class Construct:
    """Something with a meaning for migration that no other event tells."""

    node: cst.CSTNode
    place: Place
    kind: Kind
    detail: str = ""


@frozen
class ElementLoop:
    """A loop that works on single elements of an array."""

    node: cst.CSTNode
    place: Place
    name: str


@frozen
class Loop:
    """A ``for`` loop, after the events of its body. iterated: what it goes over."""

    node: cst.For
    place: Place
    iterated: Value


Event = (
    Call
    | Operator
    | Read
    | AttributeRead
    | NameRead
    | Store
    | AttributeStore
    | Escape
    | StaleRead
    | Return
    | Construct
    | ElementLoop
    | Loop
)


@dataclass(slots=True)
class Seen:
    """What the interpreter noted on its way through a region, for other parts of the analysis."""

    writes: set[str] = field(default_factory=set)  #: parameters that are updated, wherever their arrays stay
    stored_through: set[str] = field(default_factory=set)  #: names through which items are stored
    keeps: set[str] = field(default_factory=set)  #: parameters that something goes on holding
    kept_twice: set[str] = field(default_factory=set)  #: names that two places hold
    copied_into: set[str] = field(default_factory=set)  #: attributes to which what may be a tensor is assigned
    shown_twice: set[str] = field(default_factory=set)  #: locations that several parts of the result show
    lent: set[str] = field(default_factory=set)  #: names whose arrays code out of sight may look at later
    not_lent: dict[str, str] = field(default_factory=dict)  #: id of a nested function -> why it cannot stay NumPy's
    captured: set[str] = field(default_factory=set)  #: names that nested functions read
    yielded: set[str] = field(default_factory=set)  #: parameters that a generator gives
    receives: bool = False  #: a generator takes what its caller sends in
    fills: set[tuple[str, str]] = field(default_factory=set)  #: a container and the parameter that it gets
    by_layout: set[str] = field(default_factory=set)  #: parameters of which memory order decides what is a view
    rebound_at_an_exit: set[str] = field(default_factory=set)  #: updated parameters whose names hold something else
    indexed: frozenset[str] = NO_NAMES  #: parameters of which items are taken
    assigns: frozenset[str] = NO_NAMES  #: attributes that are rebound, by this function or what it calls
    relies: set[str] = field(default_factory=set)  #: methods that subclasses must not define anew
    unfollowed: set[str] = field(default_factory=set)  #: parameters that reach code which nobody can see
    unseen: str = ""  #: the first callee that nobody can see
    looks_up: int = 0  #: how many frames of its callers it looks into
    levels: set[tuple[str, int]] = field(default_factory=set)  #: parameters that say so, and how many by default
    looks_at: str = ""  #: the call that looks at them, and where it stands
    object_operators: set[str] = field(default_factory=set)  #: operators that may run code of objects
    copied: set[str] = field(default_factory=set)  #: parameters of which copies are arrays, as the door lets in alone
    runs_others: bool = False  #: code runs that no call shows
    asks_objects: bool = False  #: an operator, an index or a property may run any code
    asked_at: cst.CSTNode | None = None  #: the first such one
    asked_who: str = ""  #: whose code that may be: ``Class.__len__``, "code of your own (a method __len__)"
    tells_apart: bool = False  #: it asks of which class something is
    compares_identities: bool = False  #: by ``is`` or ``id``
    exceptions: set[int] = field(default_factory=set)  #: calls (ids) that make an exception, and run no code for it
    read_late: set[int] = field(default_factory=set)  #: operators (ids) that read their operand themselves
    read_behind_the_door: set[str] = field(default_factory=set)  #: attributes that hold what the door let in
    plain_shapes: set[int] = field(default_factory=set)  #: what ``.shape`` is read of (ids) and surely is an array
    decorators: dict[str, str] = field(default_factory=dict)  #: what a decorator does, by its name

    def unseen_callee(self, name: str) -> None:
        """Note a callee that nobody can see. The first one is told."""
        self.unseen = self.unseen or name


@dataclass(slots=True)
class Planned:
    """What the plan of a region's rewrite told of it."""

    converted: int = 0  #: calls and operators that become TensorFlow work, or would
    helpers: int = 0  #: those of them that become functions of the runtime instead of tnp's
    fetched: int = 0  #: places where something is brought to the host
    blamed: frozenset[str] = NO_NAMES  #: parameters, attributes (".w") of which those were made
    whole_numbers: dict[str, str] = field(default_factory=dict)  #: axes and sizes, with the door's word for them
    asked_by_callees: dict[str, Admitted] = field(default_factory=dict)  #: what doors of callees let in
    plain_for_floats: bool = False  #: for arrays of floats one of the helpers would be tnp's
    plain_for_few: bool = False  #: for more dtypes than the door lets in, what is tnp's would be a helper
    only_fetched: frozenset[str] = NO_NAMES  #: parameters of which sending them brings nothing but copies
    by_row: frozenset[str] = NO_NAMES  #: parameters of which loops that may stay take rows


@dataclass(slots=True)
class RegionFacts:
    """What the interpreter found out about one region."""

    qualname: str
    node: cst.CSTNode
    events: list[Event] = field(default_factory=list)
    parameters: tuple[str, ...] = ()
    mutated: dict[str, bool] = field(default_factory=dict)  #: parameter -> its name holds it at every exit
    exchanges: tuple[Exchange, ...] = ()  #: names, of updated parameters too, that change places
    returned: frozenset[str] = NO_NAMES  #: parameters that the result may be
    viewed: frozenset[str] = NO_NAMES  #: outside locations that the result may be a view of
    result: Value | None = None
    zero_d: str = "scalar"
    assumed_arrays: frozenset[str] = NO_NAMES
    objects: frozenset[str] = NO_NAMES  #: parameters with attributes that no array has
    assumed_scalars: frozenset[str] = NO_NAMES
    host_parameters: frozenset[str] = NO_NAMES
    #: values of dict displays, and of both sides of conditional expressions, by id
    displays: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    comprehended: dict[int, Value] = field(default_factory=dict)  #: what clauses of comprehensions go over, by id
    changeable: frozenset[str] = NO_NAMES  #: those of them that reach code which may change or keep them
    kept: frozenset[str] = NO_NAMES  #: parameters and names that stay ndarrays, since others may show the same memory
    generator: bool = False  #: a generator that may migrate: what it yields goes to the host
    lost: frozenset[str] = NO_NAMES  #: those of them that are updated, and whose names then hold something else
    updates: frozenset[str] = NO_NAMES  #: attributes (".w") and globals ("global:W") whose arrays it changes in place
    public_calls: set[int] = field(default_factory=set)  #: calls of the project's functions, by id, not of their cores
    direct: frozenset[int] = frozenset()  #: attributes (their ids) that may be read as tensors (``--state tensor``)
    direct_updates: frozenset[int] = frozenset()  #: ... and those that are updated in place as such
    alone: bool = False  #: no other code runs while such a function does
    #: names that stay on the host, are numbers, were given: what the last look at the region took for granted
    assumed: tuple[frozenset[str], frozenset[str], frozenset[str]] = (NO_NAMES, NO_NAMES, NO_NAMES)
    little: frozenset[int] = frozenset()  #: work on numbers, and on as few as the text says (ids), where somebody asks
    door: Door = field(default_factory=dict)  #: what the migrated function lets in
    classes: Mapping[str, Class] = field(
        default_factory=dict
    )  #: ... of which parameters objects of these classes alone
    seen: Seen = field(default_factory=Seen)
    planned: Planned = field(default_factory=Planned)
    is_displaced: bool = False  #: the plan that stands rests on another look at the region
