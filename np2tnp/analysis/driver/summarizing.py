"""What callers must know: summaries of functions, lambdas, generators and classes."""

from __future__ import annotations

import builtins
from collections.abc import Mapping

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.locations import is_global, of_parameter
from np2tnp.analysis.domain.result_aliases import without_copies
from np2tnp.analysis.domain.summaries import ANY_ATTRIBUTE, ClassSummary, Summary, hands_on_functions, hosted, joined
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    NO_NAMES,
    NONE,
    UNKNOWN,
    Array,
    Class,
    Function,
    Sequence,
    Symbol,
    Unknown,
    Value,
    is_numpy_number,
    refs_of,
    replace,
)
from np2tnp.analysis.interpreter.frame import Services
from np2tnp.analysis.interpreter.interpreter import Interpreter
from np2tnp.analysis.module.contents import FunctionInfo, ModuleInfo, signature_names
from np2tnp.analysis.module.effects_by_name import Changers
from np2tnp.analysis.module.parameter_kinds import handed_texts
from np2tnp.analysis.module.subclasses import ARRAYS
from np2tnp.analysis.syntax.python_tables import NAMEDTUPLE
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import names_in

# --- Summaries of functions, lambdas and generators, out of what was found in their bodies

#: What a function has in it that may do anything with what it gets: it runs text, or code that is not looked at.
_LOSING = frozenset(
    (
        ev.Kind.OWN_NAMES,
        ev.Kind.LOCAL_CLASS,
        ev.Kind.LENT,
        ev.Kind.NESTED_KEEPS,
        ev.Kind.OBJECT_OPERATOR,
        ev.Kind.ITERATOR_HANDED_OUT,
    )
)


def summarize(function: FunctionInfo, facts: ev.RegionFacts, migrated: bool, defaults: Mapping[str, str]) -> Summary:
    """A function or method. `defaults`: by parameter, where the array lies that it has by default."""
    written = facts.seen.writes - set(facts.mutated)
    # of tensors a core returns those that are mutated, and updates no others
    written &= facts.host_parameters if migrated else written
    changed = [defaults[name] for name in defaults.keys() & (written | facts.mutated.keys() | facts.changeable)]
    result = facts.result if facts.result is not None else NONE
    result = result if migrated else without_copies(result)  # else a recursion would never lose the mark
    lost = _unfollowed(facts, migrated)
    if lost and not migrated:
        result = _may_show(result, frozenset(of_parameter(name) for name in lost))
    return Summary(
        parameters=signature_names(function.node.params),
        migrated=migrated,
        mutates=(*facts.mutated, *sorted(written - facts.host_parameters)),
        keeps=lost.union(facts.seen.keeps),
        result=result,
        method=function.is_method,
        hosted=facts.host_parameters,
        changeable=facts.changeable | (written & facts.host_parameters) | lost,
        updates=facts.updates.union(place for place in changed if is_global(place)),
        tells_apart=facts.seen.tells_apart,
        fills=frozenset(facts.seen.fills),
        by_layout=frozenset(facts.seen.by_layout),
        joins=frozenset(() if migrated else joined(facts.events)),
        shows_defaults=frozenset(item for item in defaults.items() if of_parameter(item[0]) in refs_of(result)),
        relies=frozenset(facts.seen.relies),
        looks_up=facts.seen.looks_up,
        levels=frozenset(facts.seen.levels),
        looks_at=facts.seen.looks_at,
        assigns=_assigned(facts),
        falls_back=frozenset(facts.seen.unfollowed if migrated else ()) - lost,
        works=bool(lost) or facts.seen.runs_others,
        unseen=facts.seen.unseen,
        quiet=not (lost or facts.updates or facts.seen.runs_others or function.node.decorators or function.is_method),
    )


#: What assigns to attributes by their names' text, or runs text.
_BY_TEXT = frozenset(f"builtins.{name}" for name in ("setattr", "delattr", "vars", "exec", "eval"))


def _assigned(facts: ev.RegionFacts) -> frozenset[str]:
    """The attributes to which a function, or what it calls, may assign."""
    found = set(facts.seen.assigns)
    for event in facts.events:
        if isinstance(event, ev.AttributeStore):
            found.add(event.name)
        elif isinstance(event, ev.Call) and isinstance(event.callee, Symbol) and event.callee.name in _BY_TEXT:
            found |= ANY_ATTRIBUTE
    anything = facts.seen.unfollowed or hands_on_functions(facts)
    return frozenset(found) | (ANY_ATTRIBUTE if anything else NO_NAMES)


def _unfollowed(facts: ev.RegionFacts, migrated: bool) -> frozenset[str]:
    """Parameters that the function may change, keep and give back in ways that nobody follows."""
    lost = frozenset(facts.seen.unfollowed)
    if migrated:  # of tensors nobody has the memory
        return lost & facts.host_parameters
    if any(isinstance(event, ev.Construct) and event.kind in _LOSING for event in facts.events):
        return frozenset(facts.parameters)
    return lost


def _may_show(value: Value, refs: frozenset[str]) -> Value:
    """`value`, of which all that may be an array may lie at `refs`, too."""
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(_may_show(item, refs) for item in value.items)
        return Sequence(value.type, _may_show(value.element, refs), items, value.refs | refs)
    if isinstance(value, (Array, Unknown)) and not is_numpy_number(value):
        return replace(value, refs=value.refs | refs, exact=None, view="view")
    return value


def summarize_lambda(node: cst.Lambda, interpreter: Interpreter) -> Summary | None:
    """A function that the top level makes by ``lambda``: it stays NumPy's. None where too little is known of it."""
    if isinstance(node.params.star_arg, cst.Param) or node.params.star_kwarg is not None:
        return None
    frame = interpreter.frame
    facts = frame.facts
    names = facts.parameters
    frame.scope.locals = frozenset(names)
    env = Env()
    for name in names:
        env.bind(name, Unknown(EITHER, frozenset((of_parameter(name),)), name, frozenset((name,))))
    interpreter.exits.leave(None, interpreter.evaluate(node.body, env), env)
    facts.events = list(frame.recorded.values())
    if _may_change_unseen(facts):
        return None
    return Summary(
        parameters=names,
        migrated=False,
        mutates=tuple(sorted(facts.seen.writes)),
        keeps=frozenset(facts.seen.keeps),
        result=hosted(facts.result) if facts.result is not None else UNKNOWN,
        changeable=facts.host_parameters,
        updates=facts.updates,
        fills=frozenset(facts.seen.fills),
        by_layout=frozenset(facts.seen.by_layout),
        works=facts.seen.runs_others,
    )


def summarize_generator(facts: ev.RegionFacts, function: FunctionInfo) -> Summary | None:
    """A generator function; None where it does more than to read its arguments: what it does happens later."""
    seen = facts.seen
    given = facts.host_parameters - handed_texts(function)
    changes = facts.mutated or given or facts.updates or seen.writes or seen.keeps
    if changes or seen.receives or _may_change_unseen(facts):
        return None
    refs = frozenset(of_parameter(name) for name in facts.parameters) | frozenset(seen.yielded)
    return Summary(
        parameters=signature_names(function.node.params),
        migrated=False,
        mutates=(),
        keeps=NO_NAMES,
        result=Sequence("iterator", Unknown(HOST, refs, view="view"), None, refs),
        method=function.is_method,
        works=seen.runs_others,
        relies=frozenset(seen.relies),
    )


def _may_change_unseen(facts: ev.RegionFacts) -> bool:
    """Whether an object that nobody knows is changed by a method of its own, such as ``x.fill(0)``."""
    kinds = {event.kind for event in facts.events if isinstance(event, ev.Construct)}
    return bool(_unfollowed(facts, False)) or ev.Kind.UNKNOWN_IN_PLACE_METHOD in kinds


# --- What users of a class must know of it, what it inherits included

#: Base classes from outside that bring no methods which calls could mean.
_PLAIN_BASES = ("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "typing.NamedTuple")


_PLAIN_SYMBOLS = frozenset(map(Symbol, _PLAIN_BASES[:4]))
#: Those that run nothing of theirs which could change an array; how the names begin of the modules that have such.
_KNOWN_BASES = (
    "builtins.",
    "abc.",
    "typing.",
    "typing_extensions.",
    "enum.",
    "collections.",
    "numbers.",
    "dataclasses.",
)
#: ... and those of other libraries that have no descriptors for what a class derived from them assigns.
_WITHOUT_DESCRIPTORS = (*_KNOWN_BASES, "sklearn.base.")
#: Decorators of classes that add nothing which could.
_DECORATORS = frozenset(("dataclass", "total_ordering", "final", "runtime_checkable", "unique", "define", "frozen"))


def summarize_class(module: ModuleInfo, qualname: str, services: Services, changers: Changers) -> ClassSummary | None:
    """The class with what it inherits, as far as its bases are known."""
    info = module.classes.get(qualname)
    if info is None:
        return None
    own = {
        name: (Function(function, module=module.path), module.functions[function].kind)
        for name, function in info.methods.items()
    }
    bases = [_base(argument.value, module, services) for argument in info.node.bases]
    inherited = [services.class_of(base) for base in bases if isinstance(base, Class)]
    known = [summary for summary in inherited if summary is not None]
    made = [base for base in bases if base == Symbol(NAMEDTUPLE)]  # class P(namedtuple("P", "x y"))
    plain = [base for base in bases if isinstance(base, Symbol) and base.name in _PLAIN_BASES] + made
    complete = len(known) + len(plain) == len(bases)
    methods = dict(own)
    if complete:
        for name in {name for summary in known for name in summary.methods} - own.keys():
            found = {summary.methods[name] for summary in known if name in summary.methods}
            if len(found) == 1:  # else the order of the bases decides
                methods[name] = found.pop()
    names = [name.rpartition(".")[2] for name in info.decorators]
    is_record = (
        ("dataclass" in names and "__post_init__" not in methods)
        or (made and "__new__" not in methods)
        or any(dotted(argument.value).rpartition(".")[2] == "NamedTuple" for argument in info.node.bases)
    )
    array_bases = [base.name for base in bases if isinstance(base, Symbol) and base.name in ARRAYS]
    array_bases += [summary.array_base for summary in known if summary.array_base]
    resolved = tuple(base for base in bases if isinstance(base, Class)) if complete else ()
    outside = [base for base in bases if not isinstance(base, Class)]
    metaclasses = [dotted(argument.value).rpartition(".")[2] for argument in info.node.keywords]
    asked = changers.of_class(info.node.name.value, iter({*methods, *changers.shown, *changers.asked}))
    return ClassSummary(
        methods,
        resolved,
        bool(is_record),
        array_bases[0] if array_bases else "",
        asked=(asked & changers.asked).union(*(summary.asked for summary in known)),
        is_open=len(known) + len(outside) < len(bases)
        or any(not (isinstance(base, Symbol) and base.name.startswith(_KNOWN_BASES)) for base in outside)
        or not {"ABCMeta", "EnumMeta"}.issuperset(metaclasses)
        or not _DECORATORS.issuperset(names)
        or any(summary.is_open for summary in known),
        holds_plainly=len(known) + len(outside) == len(bases)
        and all(isinstance(base, Symbol) and base.name.startswith(_WITHOUT_DESCRIPTORS) for base in outside)
        and all(summary.holds_plainly for summary in known)
        and not metaclasses
        and not names,
        holds_items=bool(is_record)
        or bool(names)
        or any(base not in _PLAIN_SYMBOLS for base in outside)
        or any(summary.holds_items for summary in known),
        is_exception=bool(bases)
        and all(isinstance(base, Class) or base in _EXCEPTIONS for base in bases)
        and len(inherited) == len(known)
        and all(summary.is_exception for summary in known)
        and names_in(info.node.body).isdisjoint(("__init__", "__new__"))
        and not names
        and not info.node.keywords,
    )


#: Python's own exceptions.
_EXCEPTIONS = frozenset(
    Symbol(f"builtins.{name}")
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
)


def _base(node: cst.BaseExpression, module: ModuleInfo, services: Services) -> Value:
    made = node.func if isinstance(node, cst.Call) else node  # only a namedtuple() is known
    text = dotted(made.value if isinstance(made, cst.Subscript) else made)
    first, _, rest = text.partition(".")
    value = module.values.get(first, Symbol(f"builtins.{first}"))
    if not isinstance(value, Symbol):
        return UNKNOWN if rest else value
    name = f"{value.name}.{rest}" if rest else value.name
    if isinstance(node, cst.Call) != (name == NAMEDTUPLE):
        return UNKNOWN
    return services.resolve(name) or Symbol(name)
