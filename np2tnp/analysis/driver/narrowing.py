"""Which door a migrated function gets: the widest under which its body is plain code of tnp's.

A region is interpreted again as if its parameters were arrays of some dtypes, and planned: the fewer helpers of the
runtime stand in its body, the better the door. Of doors that are as good the widest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.doors import ANYTHING, CLASSES, COUNTS, NUMBERS, RANDOM, WIDER, WITH_COMPLEX, Admitted, Door
from np2tnp.analysis.domain.locations import bare, is_attribute, of_attribute
from np2tnp.analysis.domain.summaries import ANY_ATTRIBUTE, Summary, hands_on_functions
from np2tnp.analysis.domain.values import NO_NAMES, Array, Symbol, Unknown, Value, deps_of, refs_of, replace
from np2tnp.analysis.driver.shown_parameters import (
    counting_attributes,
    counts,
    generators,
    is_number,
    items_by_text,
    makes_arrays,
    operands,
    shown_arrays,
    shown_numbers,
    worked_on,
)
from np2tnp.analysis.module.contents import FunctionInfo
from np2tnp.analysis.module.parameter_kinds import listed
from np2tnp.analysis.syntax.python_tables import MEMBERS
from np2tnp.analysis.syntax.scopes import dotted, parameters_of, target_names
from np2tnp.analysis.syntax.walk import nodes_of, walk

#: Interprets and plans the region behind a door; None where it is then none that migrates as it did.
Try = Callable[[Door], "ev.RegionFacts | None"]


def widest_plain_door(
    function: FunctionInfo,
    before: ev.RegionFacts,
    behind: Try,
    complexes: Callable[[], frozenset[str]],
    held: Callable[[], frozenset[str]],
    containers: Callable[[], frozenset[str]],
) -> ev.RegionFacts:
    """The facts of the region behind the door that is chosen; `before` where no door makes its body plainer.

    complexes: says which parameters, and attributes of such, get complex arrays: a door lets these in.
    held: says which attributes likely hold numbers. containers: which hold lists or dicts, that no door lets in.
    """
    narrowable = _narrowable(function, before) - containers()
    blamed = _blamed(function, before, narrowable)
    asked = _asked_by_callees(before) if _helpers(before) else {}
    drawing = generators(function) - before.assumed_scalars if _helpers(before) else NO_NAMES
    drawing |= {name for name, admitted in asked.items() if admitted.kind == RANDOM}
    if not blamed | drawing:
        return before
    blamed |= _of_unknown_result(before) & narrowable
    shown = shown_arrays(function) | {name for name, it in asked.items() if it.kind in CLASSES and not it.numbers}
    numbers = {p.name.value for p in parameters_of(function.node.params) if p.default is not None}
    only = narrowable & set(before.parameters)
    if len(only) == 1 and not (
        only & (numbers | shown_numbers(function)) or function.is_method or makes_arrays(function)
    ):
        shown |= only  # the array that the function works on
    counted = (
        counts(function, before)
        | (counting_attributes(function) & narrowable)
        | {name for name, it in asked.items() if it.kind == COUNTS}
    )
    are_complex = complexes()
    numbers |= shown_numbers(function) - are_complex
    # those that are let in as numbers alone: what an object holds is none of the caller's arguments
    alone = frozenset(held() & blamed - counted - shown - are_complex)
    bools = frozenset(p.name.value for p in parameters_of(function.node.params) if _is_of_bools(p.annotation))
    tried: dict[str, ev.RegionFacts | None] = {}

    def door(kind: str) -> Door:
        others = blamed - counted - drawing - alone
        wide = {**dict.fromkeys(are_complex, WITH_COMPLEX[kind]), **dict.fromkeys(bools, "arrays")}
        arrays = {name: Admitted(wide.get(name, kind), name not in shown) for name in others}
        return {
            **arrays,
            **dict.fromkeys(blamed & counted, Admitted(COUNTS)),
            **dict.fromkeys(blamed & alone, Admitted(NUMBERS)),
            **dict.fromkeys(drawing, Admitted(RANDOM)),
        }

    def helpers(kind: str) -> tuple[int, int]:
        if kind not in tried:
            tried[kind] = behind(door(kind))
        facts = tried[kind]
        return _cost(facts if facts is not None else before)

    if alone and (any(helpers("reals")) or tried["reals"] is None):
        as_numbers, with_numbers, held_alone = tried, helpers("reals"), alone
        alone, tried = NO_NAMES, {}
        if as_numbers["reals"] is not None and helpers("reals") >= with_numbers:
            alone, tried = held_alone, as_numbers
    if any(helpers("reals")):
        found = tried["reals"]
        more = _blamed(function, found, narrowable) - blamed if found is not None else NO_NAMES
        if more:
            blamed |= more
            tried.clear()
    more_alone = frozenset(numbers & blamed - counted - drawing - shown) - alone
    if more_alone and any(helpers("reals")):
        as_arrays, before_numbers, fewer = dict(tried), helpers("reals"), alone
        alone |= more_alone
        tried.clear()
        if helpers("reals") >= before_numbers:
            alone, tried = fewer, as_arrays
    kind = "reals"
    if (
        helpers(kind)[0]
        and _says(tried[kind], lambda planned: planned.plain_for_floats)
        and helpers("floats") < helpers(kind)
    ):
        kind = "floats"
    if helpers(kind) >= _cost(before):
        return before
    if not _says(tried[kind], lambda planned: planned.plain_for_few) and helpers(WIDER[kind]) == helpers(kind):
        kind = WIDER[kind]
    chosen = tried[kind]
    assert chosen is not None  # it costs less than `before`
    return chosen


def asking_for_more(function: FunctionInfo, facts: ev.RegionFacts) -> Door:
    """The door of the region, and what it must let in besides.

    Parameters that are axes and sizes of NumPy's functions are such; of what is copied by a method no number may come,
    since NumPy's ``copy`` and ``astype`` give numbers of numbers.
    """
    names = facts.planned.whole_numbers.items()
    own = frozenset(facts.parameters) - function.uses.assigned
    door = {**{name: Admitted(word) for name, word in names if name in own}, **facts.door}
    for name in facts.seen.copied:
        door[name] = replace(door.get(name, Admitted("arrays")), numbers=False)
    return door


def with_door(summary: Summary, facts: ev.RegionFacts) -> Summary:
    """`summary` with what its result is for the arguments that the door lets in.

    Where that lets in numbers alone the core updates none; the original may, of an array.
    """
    rebound = frozenset(
        name for name in summary.mutates if name not in facts.mutated and facts.door.get(name) == Admitted(NUMBERS)
    )
    if rebound:
        mutates = tuple([name for name in summary.mutates if name not in rebound])
        summary = replace(summary, mutates=mutates, changeable=summary.changeable | rebound)
    if not facts.door or facts.result is None or refs_of(facts.result) != refs_of(summary.result):
        return summary
    return replace(summary, door=frozenset(facts.door.items()), behind=facts.result)


def _helpers(facts: ev.RegionFacts) -> int:
    return facts.planned.helpers


def _cost(facts: ev.RegionFacts) -> tuple[int, int]:
    """Helpers of the runtime, and what is brought to the host."""
    return facts.planned.helpers, facts.planned.fetched


def _of_unknown_result(facts: ev.RegionFacts) -> frozenset[str]:
    """The parameters that a result was computed from of whose dtype little is known: callers go on with it."""
    result = facts.result
    if isinstance(result, Unknown):
        return deps_of(result)
    if isinstance(result, Array) and not result.dtypes <= CLASSES["reals"] | CLASSES["inexact"]:
        return deps_of(result) | operands(facts.node)
    return NO_NAMES


def _asked_by_callees(facts: ev.RegionFacts) -> dict[str, Admitted]:
    """What the doors of functions let in to which parameters are handed on."""
    names = facts.planned.asked_by_callees.items()
    return {name: admitted for name, admitted in names if name in facts.parameters}


def _says(facts: ev.RegionFacts | None, what: Callable[[ev.Planned], bool]) -> bool:
    """What the plan behind a door told of another one; True where the region is no better behind the door."""
    return facts is None or what(facts.planned)


def _blamed(function: FunctionInfo, facts: ev.RegionFacts, narrowable: frozenset[str]) -> frozenset[str]:
    """Those of `narrowable` from which operands of the helpers were computed."""
    found: frozenset[str] = facts.planned.blamed
    any_parameter = ANYTHING in found
    calculated = operands(facts.node) if any_parameter else NO_NAMES
    worked = worked_on(function.node, facts) if any_parameter else NO_NAMES
    return frozenset(
        name
        for name in narrowable
        if name.partition("[")[0] in found
        or of_attribute(name.partition(".")[2]) in found
        or (any_parameter and name in (calculated if "." in name else worked))
    )


# --- What a door may look at


def _narrowable(function: FunctionInfo, facts: ev.RegionFacts) -> frozenset[str]:
    """Parameters, and attributes of such (``self.w``), of which a door may ask that they are arrays or numbers."""
    params = function.node.params
    stars = {p.name.value for p in (params.star_arg, params.star_kwarg) if type(p) is cst.Param}
    others = {p.name.value for p in parameters_of(params) if p.default is not None and not is_number(p.default)}
    if function.is_method and facts.parameters:
        others.add(facts.parameters[0])
    used_otherwise = _used_otherwise(function)
    others |= facts.assumed_scalars | facts.objects | used_otherwise | facts.planned.whole_numbers.keys()
    others |= facts.classes.keys()
    others |= _only_indices(function) | listed(function)
    names = (frozenset(facts.parameters) - others | counts(function, facts)) - stars
    attributes = steady_attributes(function, facts, behind=True) - used_otherwise
    return names | attributes | _steady_items(function, facts)


def _is_of_bools(annotation: cst.Annotation | None) -> bool:
    """``BoolArray``, ``NDArray[np.bool_]``: a door that asks for numbers would let in none of these."""
    parts = walk(annotation.annotation) if annotation is not None else ()
    words = [part.value for part in parts if isinstance(part, (cst.Name, cst.SimpleString))]
    return any("bool" in word.lower() for word in words)


def _used_otherwise(function: FunctionInfo) -> set[str]:
    """Names, and attributes, that are used as no array is: called, iterated over, indexed by text, compared with None.

    What is unpacked into numbers that are computed with may be an array: ``x, y, z = state``.
    """
    body = function.node.body
    computed = operands(body)
    used = {dotted(node) for part in nodes_of(body) for node in _no_arrays(part, computed)}
    return used - {""}


def _only_indices(function: FunctionInfo) -> set[str]:
    """Names that stand nowhere but in indices, and are compared with nothing there: ``x[x > limit]`` compares."""
    nodes = nodes_of(function.node.body)
    compared = {id(node) for part in nodes if type(part) is cst.Comparison for node in walk(part)}
    inside = {id(node) for part in nodes if type(part) is cst.Subscript for node in _index(part)} - compared
    names = [node for node in nodes if type(node) is cst.Name]
    return {node.value for node in names if id(node) in inside} - {
        node.value for node in names if id(node) not in inside
    }


def _index(node: cst.Subscript) -> Iterator[cst.CSTNode]:
    if dotted(node.value).rpartition(".")[2] in ("r_", "c_"):  # ``np.r_[x[0], x]``: no index
        return
    for element in node.slice:
        yield from walk(element)


#: Functions that people call with containers of arrays, and with what may be many things.
_OF_CONTAINERS = frozenset(
    "isinstance zip enumerate map iter next callable dict list tuple set sorted reversed sum min max any all".split()
)


def _no_arrays(node: cst.CSTNode, computed: frozenset[str]) -> Iterator[cst.BaseExpression]:
    if type(node) is cst.Call:
        yield node.func
        if type(node.func) is cst.Name and node.func.value in _OF_CONTAINERS:
            yield from (argument.value for argument in node.args)
        yield from (argument.value for argument in node.args if argument.star)
    elif type(node) is cst.Attribute and node.attr.value not in MEMBERS:
        yield node.value
    elif type(node) is cst.Subscript:
        index = node.slice[0].slice if node.slice else None
        if isinstance(index, cst.Index) and isinstance(index.value, (cst.SimpleString, cst.FormattedString)):
            yield node.value
    elif type(node) is cst.For or type(node) is cst.CompFor:
        yield node.iter
    elif type(node) is cst.Assign and any(isinstance(it.target, (cst.Tuple, cst.List)) for it in node.targets):
        if not any(computed.issuperset(target_names(it.target)) for it in node.targets):
            yield node.value
    elif type(node) is cst.Comparison and any(
        isinstance(it.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn)) for it in node.comparisons
    ):
        yield node.left
        yield from (it.comparator for it in node.comparisons)


def _steady_items(function: FunctionInfo, facts: ev.RegionFacts) -> frozenset[str]:
    """``params[w]``: items of dicts, where nothing runs that could change them but functions of NumPy and Python."""
    calls = [event for event in facts.events if isinstance(event, ev.Call)]
    if any(it.api is None and not _is_pythons(it.callee) for it in calls) or hands_on_functions(facts):
        return NO_NAMES
    items = items_by_text(function)
    if any(_may_run_others(node, items) for node in nodes_of(function.node.body)):
        return NO_NAMES
    return frozenset(f"{owner}[{key}]" for owner, keys in items.items() for key in keys if owner in facts.parameters)


#: Functions of Python's that call none of what they are given, and ask no iterator for its items.
_QUIET = frozenset(
    "len range float int bool complex abs round pow divmod isinstance issubclass callable type id".split()
)


def _is_pythons(callee: Value) -> bool:
    """Whether a function is one of Python's own that runs no other code that may know the dict."""
    module, _, name = callee.name.partition(".") if isinstance(callee, Symbol) else ("", "", "")
    return (module == "math" and name not in ("fsum", "prod", "sumprod", "dist")) or (
        module == "builtins" and name in _QUIET
    )


def _may_run_others(node: cst.CSTNode, owners: Container[str]) -> bool:
    """Whether a generator that is asked for its items, or what a ``with`` enters, may run here."""
    kind = type(node)
    if kind in (cst.For, cst.CompFor):
        return not _is_steady(node.iter, owners)  # type: ignore[attr-defined]
    if kind is cst.Assign:
        several = any(type(it.target) in (cst.Tuple, cst.List) for it in node.targets)  # type: ignore[attr-defined]
        return several and not _is_steady(node.value, owners)  # type: ignore[attr-defined]
    if kind is cst.ComparisonTarget and type(node.operator) in (cst.In, cst.NotIn):  # type: ignore[attr-defined]
        return not _is_steady(node.comparator, owners)  # type: ignore[attr-defined]
    return kind in (cst.With, cst.StarredElement, cst.Yield, cst.Await)


def _is_steady(node: cst.BaseExpression, owners: Container[str]) -> bool:
    """Whether the items of what stands here are there already: numbers, a display, the dict, a shape."""
    if type(node) is cst.Call:
        return type(node.func) is cst.Name and node.func.value == "range"
    if type(node) is cst.Attribute:
        return node.attr.value == "shape"
    return type(node) in (cst.Tuple, cst.List) or (type(node) is cst.Name and node.value in owners)


def steady_attributes(function: FunctionInfo, facts: ev.RegionFacts, behind: bool = False) -> frozenset[str]:
    """``p.w`` of parameters, where no other code assigns to that attribute before the function reads it.

    Without a loop the interpreter knows what was read before such code ran: it takes no other read for what the door
    let in.
    behind: a door that lets in arrays and numbers may keep out the objects whose operators run such code. Whether it
    does has to be asked again of what is found behind it.
    """
    nodes = nodes_of(function.node.body)
    is_repeated = any(type(node) in _LOOPS for node in nodes)
    assigned: frozenset[str] = facts.seen.assigns if is_repeated else NO_NAMES
    if behind:
        assigned -= ANY_ATTRIBUTE
    if assigned & ANY_ATTRIBUTE or hands_on_functions(facts):
        return NO_NAMES
    owners = frozenset(facts.parameters)
    itself = facts.parameters[0] if function.is_method and facts.parameters else ""
    targets = [node.target for node in nodes if type(node) is cst.AugAssign]
    in_place = {target.attr.value for target in targets if type(target) is cst.Attribute}
    # where the array itself is updated, its dtype and shape stay
    read, others = set(), ({bare(ref) for ref in facts.updates if is_attribute(ref)} - in_place) | assigned
    for node in nodes:
        if type(node) is cst.Attribute and node.attr.value[:2] == "__":  # ``self.__dict__["w"] = ...``
            return NO_NAMES
        if type(node) is cst.Attribute and (node.attr.value not in MEMBERS or dotted(node.value) == itself):
            if type(node.value) is cst.Name and node.value.value in owners:
                read.add((node.value.value, node.attr.value))
            else:  # of an object of the same class it is another array
                others.add(node.attr.value)
        elif type(node) in _FUNCTIONS or (type(node) is cst.Name and node.value in _BY_TEXT):
            return NO_NAMES
        elif type(node) is cst.AssignTarget:  # under this name another object may stand afterwards
            owners -= {part.value for part in walk(node.target) if type(part) is cst.Name and part is node.target}
        elif type(node) is cst.For or type(node) is cst.While:  # what is assigned here is read here the next time
            others |= {event.name for event in facts.events if isinstance(event, ev.AttributeStore)}
    return frozenset(f"{owner}.{name}" for owner, name in read if name not in others)


_FUNCTIONS = (cst.FunctionDef, cst.Lambda)
_LOOPS = (cst.For, cst.While, cst.CompFor)
#: What reaches attributes by their text.
_BY_TEXT = frozenset(("setattr", "delattr", "vars", "getattr", "exec", "eval"))
