"""What a rule is, what documents it, what it may ask, and the registry of all rules."""

from __future__ import annotations

import functools
import itertools
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import Summary
from np2tnp.analysis.domain.values import (
    HOST,
    TENSOR,
    Array,
    Const,
    Function,
    Instance,
    Scalar,
    Unknown,
    Value,
    frozen,
    home_of,
    parameters_in,
    refs_of,
)
from np2tnp.analysis.interpreter.frame import Services
from np2tnp.analysis.loops.loop_parts import Events
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.catalog.catalog import Catalog
from np2tnp.edits.edit import Edits, needs_tensor
from np2tnp.guests import DEFAULTS, Values, words_of_docs
from np2tnp.model import Safety, Verdict


class Severity(str, Enum):
    """What happens to those who only replace ``numpy`` by ``tnp``. Worst first."""

    SILENT = "silently different"
    RAISES = "raises"
    SLOWER = "slower"
    STYLE = "style"
    TOOL = "np2tnp itself"  #: about the tool or the file, not about the code


@dataclass(frozen=True, slots=True)
class Doc:
    """The page of one code: what ``explain`` prints, the manual shows and the tests run.

    bad is flagged with the code, good is not. Where bad can be rewritten, good is what ``rewrite`` makes of it; else it
    is how a person may write it. Both are code of a module that has imported numpy as np; their indentation is removed.
    """

    code: str
    name: str
    summary: str
    why: str
    does: str
    bad: str = ""
    good: str = ""
    safety: str = "Safe."
    severity: Severity = Severity.RAISES
    compile: str = "none"  #: the value of --compile with which the example is flagged and rewritten
    float32: bool = False  #: the example is flagged and rewritten with --float32
    state: str = "numpy"  #: the value of --state with which the example is flagged and rewritten
    top_level: bool = False  #: the example is flagged and rewritten with --top-level

    def __post_init__(self) -> None:
        for name in ("does", "safety"):
            object.__setattr__(self, name, getattr(self, name) + words_of_docs(self.code, name))
        for name in ("bad", "good"):
            text = textwrap.dedent(getattr(self, name)).strip("\n")
            object.__setattr__(self, name, text + "\n" if text else "")


@frozen
class Hit:
    """A rule's finding at a node of the tree; the engine turns it into a Finding once its position is known."""

    code: str
    node: cst.CSTNode
    message: str
    verdict: Verdict
    safety: Safety = Safety.SAFE
    left: str = ""  #: why what it is about is best left in NumPy, as `model.LEFT` has it; empty where it is not


@dataclass(slots=True)
class Context:
    """What a rule may know of the region that an event belongs to, and where it puts its edits."""

    catalog: Catalog
    module: ModuleInfo
    facts: ev.RegionFacts
    edits: Edits
    numpy: str | None  #: the name by which the module knows numpy
    tnp: str = "tnp"
    rt: str = "rt"
    tf: str = "tf"
    guests: Values = DEFAULTS
    in_region: bool = True  #: False at the module's top level, which stays NumPy
    services: Services | None = None
    rebinds: dict[int, set[str]] = field(default_factory=dict)  #: call id → names that are read back after it
    decisions: dict[int, Decision | None] = field(default_factory=dict)  #: call id → what `rules.decisions` decided
    stores: dict[int, list[ev.Store]] = field(default_factory=dict)  #: stores by id of their node
    calls: dict[int, ev.Call] = field(default_factory=dict)  #: calls by id of their node
    tried: set[int] = field(default_factory=set)  #: calls by id of their node whose exceptions are handled here
    taken_apart: set[int] | None = None  #: calls by id, of whose results the items are all that is used; found once
    makers: dict[int, str] | None = None  #: shapes and dtypes that functions of ours are given (ids): which of both
    events: Events | None = None  #: the events by their nodes, once a rule asked for them
    vectorized: set[int] = field(default_factory=set)  #: loops that get whole-array form, and their statements, by id
    no_form: list[tuple[cst.For, str]] = field(default_factory=list)  #: loops, and why they stay slow
    interruptible: set[int] = field(default_factory=set)  #: ids of calls inside of ``try``
    changeable: set[int] = field(default_factory=set)  #: ids of arguments that an unresolved callee may change
    changing: set[int] = field(default_factory=set)  #: ids of calls that are refused if they change an argument
    boundary: str = "numpy"  #: "tensor": migrated functions have no wrapper
    compile: str = "none"  #: "graph", "xla": functions run as one graph where they can
    float32: bool = False  #: functions work in float32 where they can
    is_pure: Callable[[Function], bool] = lambda function: False  #: whether it surely only computes its result
    begins_again: Callable[[], bool] = lambda: True  #: whether what was refused half-way may be called anew
    effect: Callable[[], str] = lambda: "the function may have had effects"  #: why not
    trusts: bool = False  #: ``--unsafe``: code that nobody can see is taken to change nothing that it was given

    @property
    def guarded(self) -> bool:
        """Whether a boundary stands around the region: there is none around a script's top level."""
        return isinstance(self.facts.node, cst.FunctionDef)

    @property
    def checked(self) -> bool:
        """Whether the region's operators run where the runtime looks at Python integers: behind a boundary."""
        return self.guarded and self.boundary == "numpy"

    @property
    def has_operators(self) -> bool:
        """Whether the operators of tensors look themselves at what they meet, and answer as NumPy where it is odd.

        So they do for rewritten code (`runtime/indexing/eager_operators.py`).
        """
        return self.checked and not self.float32

    def covers(self, left: Value, *others: Value, any_home: bool = False) -> bool:
        """Whether a tensor answers an operator on what may be tensors, so that it may stay as it is.

        What is unknown may be an object with an operator of its own, which must not get a tensor: it does not stand on
        the left of one. Of ndarrays alone an operator makes no tensor; `any_home`: it need not.
        """
        if not self.has_operators:
            return False
        operands = (left, *others)
        is_known = home_of(left) == TENSOR or not isinstance(left, Unknown)
        if not (is_known or all(isinstance(it, (Array, Const, Scalar)) and home_of(it) == HOST for it in others)):
            return False
        return any_home or any(home_of(it) == TENSOR for it in operands) or not any(map(needs_tensor, operands))

    def may_be_tensor(self, value: Value) -> bool:
        """Whether `value` may be a tensor in the region: without a boundary the caller's own arguments are, too."""
        return home_of(value) != HOST or (self.boundary == "tensor" and bool(parameters_in(refs_of(value))))

    def keeps_tensor(self, event: ev.AttributeStore) -> bool:
        """Whether what is assigned to an attribute may stay a tensor there: nothing else gets it by this statement."""
        alone = not isinstance(event.node, cst.Assign) or len(event.node.targets) == 1
        plain = alone and not isinstance(event.node, cst.AugAssign)
        return plain and self.module.keeps_tensor(self.facts.qualname, event.target)

    def summary(self, function: Function) -> Summary | None:
        """What a caller must know of a function of the project; None where that is too little."""
        return self.services.summary(function) if self.services is not None else None

    def method(self, receiver: Instance, name: str) -> Function | None:
        """The function that ``receiver.name`` is."""
        known = self.services.class_of(receiver) if self.services is not None else None
        found = known.methods.get(name) if known is not None else None
        return found[0] if found is not None else None


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a call of NumPy.

    code: that of the rule that acts. why: for people. function: what is called instead, empty where NumPy stays.
    """

    code: str
    why: str = ""
    module: str = ""  #: "tnp", "tf" or "rt", where there is a target
    function: str = ""
    ufunc_method: bool = False
    wrap: str = ""  #: what is called with the result
    is_helper: bool = False  #: the exact helper answers, by tnp's name, too: its arguments may be anything
    differs: bool = False  #: tnp's own function gives something else for what the arguments may be
    write: Callable[[ev.Call, Decision, Context], Hit] | None = None  #: a guest's way to write it, and what is told

    @property
    def converts(self) -> bool:
        return bool(self.function)


@dataclass(frozen=True, slots=True)
class Hooks:
    """What an option that is a guest (`np2tnp/guests`) adds; None: nothing. Each looks at `Context.guests` itself."""

    target: Callable[[ev.Call, Context], Decision | None] | None = None  #: before the catalog is asked for one


#: Of all guests: `np2tnp.rules` puts them here.
HOOKS: list[Hooks] = []


class Calls(Enum):
    """Some of all calls, for rules that look at no others."""

    NUMPY = "of NumPy's functions and of arrays' methods"
    UPDATING = "that change arrays"


class Rule:
    """One thing that np2tnp looks for. Stateless; its file is its documentation and its tests.

    on: what is shown to it, and nothing else: types of events, some of the calls, constructs by their kind.
    """

    doc: ClassVar[Doc]
    also: ClassVar[tuple[Doc, ...]] = ()  #: further codes, by which the rule tells cases of one kind apart
    on: ClassVar[tuple[type | ev.Kind | Calls, ...]] = ()
    only_with: ClassVar[str] = ""  #: "compile" or "float32": it looks at nothing without that option

    @property
    def code(self) -> str:
        return self.doc.code

    def check(self, event: ev.Event, context: Context) -> Iterable[Hit]:
        raise NotImplementedError

    def hit(self, node: cst.CSTNode, message: str, verdict: Verdict, safety: Safety = Safety.SAFE) -> Hit:
        return Hit(self.doc.code, node, message, verdict, safety)


REGISTRY: list[Rule] = []
DOCS: dict[str, Doc] = {}


def document(*docs: Doc) -> None:
    """Make codes known. Raises ValueError for a code that has a page already."""
    for doc in docs:
        if doc.code in DOCS:
            raise ValueError(f"{doc.code} is documented twice")
        DOCS[doc.code] = doc


def register(rule: type[Rule]) -> type[Rule]:
    """Class decorator: make the rule and its codes known."""
    document(rule.doc, *rule.also)
    REGISTRY.append(rule())
    return rule


#: Rules by what they look at: a type of events, a kind of constructs, or calls (of NumPy, that change arrays).
Table = dict[type | ev.Kind | tuple[bool, bool], list[Rule]]


@functools.cache
def rules_by_event(compiled: bool, float32: bool) -> Table:
    """All rules that those options ask, in order of their codes wherever several look at the same."""
    table: Table = {}
    asked = {"": True, "compile": compiled, "float32": float32}
    for rule in sorted((rule for rule in REGISTRY if asked[rule.only_with]), key=lambda item: item.code):
        for key in rule.on:
            if not isinstance(key, Calls) and key is not ev.Call:
                table.setdefault(key, []).append(rule)
        for numpy, updating in itertools.product((False, True), repeat=2):
            wanted = (numpy and Calls.NUMPY in rule.on) or (updating and Calls.UPDATING in rule.on)
            if wanted or ev.Call in rule.on:
                table.setdefault((numpy, updating), []).append(rule)
    return table


def apply(events: Iterable[ev.Event], context: Context, table: Table) -> list[Hit]:
    """All that the rules say about `events`."""
    hits: list[Hit] = []
    for event in events:
        kind = type(event)
        key: type | ev.Kind | tuple[bool, bool] = kind
        if kind is ev.Call:
            key = (event.api is not None, id(event.node) in context.stores)  # type: ignore[union-attr]
        elif kind is ev.Construct:
            key = event.kind  # type: ignore[union-attr]
        for rule in table.get(key, ()):
            hits += rule.check(event, context)
    return hits
