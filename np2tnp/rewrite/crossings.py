"""What would be made on a device, or sent there, to be fetched at once: it stays NumPy's.

Two kinds: calls of numbers (``rt.host(tnp.arange(n))``) and light formulas of arrays that live on the host, of which
the host takes the result (``lap -= rt.host(2 * rt.tensor(u))``). NumPy's own makes the same with less work, and reads
as it did. And parameters of which every use is ``rt.host(p)``: they may as well come as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.doors import WHOLE
from np2tnp.analysis.domain.locations import is_state
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    Array,
    Bound,
    Const,
    Function,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    home_of,
    may_hold_tensor,
    parameters_in,
    refs_of,
)
from np2tnp.analysis.syntax.python_tables import MEMBERS
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import nodes_of, walk
from np2tnp.edits.edit import Edits, needs_tensor, operand_nodes
from np2tnp.model import Verdict
from np2tnp.rewrite.work import AGAIN, computed, is_number, is_on_host
from np2tnp.rules.base import Hit
from np2tnp.rules.host.host_calls import HostCall

#: Functions that read no elements: what lives on the host may be a length there.
_CREATIONS = frozenset(f"numpy.{name}" for name in "arange zeros ones empty eye identity linspace tri indices".split())


def leave(facts: ev.RegionFacts, edits: Edits, hits: list[Hit], wrapped: bool, formulas: bool) -> list[Hit]:
    """Leave such calls to NumPy, and `formulas` if they are asked for; `hits` with what is said of that.

    wrapped: whether functions have decorators. A region with nothing else stays as it is then; otherwise it does not:
    it may be what hands on the tensors of others.
    """
    calls = [event for event in facts.events if isinstance(event, ev.Call) and _is_fetched(event, edits)]
    for event in calls:
        key = id(event.node)
        del edits.replace[key]
        edits.unwrap(event.node)
        edits.converted -= wrapped
    left = {id(event.node) for event in calls}
    said = [Hit(HostCall.doc.code, event.node, _words(event), Verdict.HOST) for event in calls]
    blocked = {id(hit.node) for hit in hits if hit.verdict is Verdict.BLOCK}
    for formula in _formulas(facts, edits) if wrapped and formulas else ():
        nodes = {id(part.node) for part in formula}
        if blocked.isdisjoint(nodes):
            for part in formula:
                _leave_one(part, edits)
            left |= nodes
            edits.formulas += 1
            said.append(Hit(HostCall.doc.code, formula[0].node, _OF_FORMULAS, Verdict.HOST))
    others = [hit for hit in hits if id(hit.node) not in left or hit.verdict is Verdict.NOTE]
    return [*others, *said]


_OF_FORMULAS = "a formula stays in NumPy: its arrays live on the host, which takes the result, too"

#: Calls and operators, the outermost first.
Formula = list[ev.Call | ev.Operator]


def _formulas(facts: ev.RegionFacts, edits: Edits) -> Iterator[Formula]:
    """Formulas of the host's arrays that the host takes, with less work in them than it is to bring these arrays."""
    made = {id(event.node): event for event in facts.events if isinstance(event, (ev.Call, ev.Operator))}
    for key, event in made.items():
        if key in edits.tensor or not (key in edits.host or key in edits.zero_d):
            continue
        arrays: list[Value] = []
        formula = _formula(event, made, edits, arrays)
        if formula and arrays and not _pays(sum(map(computed, formula)), sum(map(_crosses, [*arrays, event.result]))):
            yield formula


#: How many operations on an array take NumPy as long as it takes to bring the array to the device or back, by the size
#: test's figures (``runtime/boundary/costs.py``): 2 up and 2.7 down, and what a device must win by.
_OPERATIONS = 3


def _pays(operations: int, crossings: float) -> bool:
    """Whether so many operations are worth so many arrays that are brought to the device or back."""
    return operations >= _OPERATIONS * crossings


def _crosses(value: Value) -> float:
    """How many arrays a value counts for: it may as well be a number, where nobody knows."""
    if isinstance(value, Sequence):
        return 1
    return 1 if isinstance(value, Array) and not value.weak and value.rank != 0 else 0.5


def _formula(
    event: ev.Call | ev.Operator, made: dict[int, ev.Call | ev.Operator], edits: Edits, arrays: list[Value]
) -> Formula:
    """`event`, and what of its operands is computed in it; empty unless all of it is known to the host.

    arrays: takes the arrays that are read.
    """
    if not _can_stay(event, edits):
        return []
    formula: Formula = [event]
    for node, value in _operands(event):
        if not may_hold_tensor(value):
            is_made = id(node) in edits.replace and edits.brought.get(id(event.node)) != id(node)
            if is_made or isinstance(value, (Function, Bound)):
                return []
            if needs_tensor(value):
                arrays.append(value)
            continue
        inner = _formula(made[id(node)], made, edits, arrays) if id(node) in made else []
        if not inner or id(node) in edits.host or id(node) in edits.zero_d:
            return []
        formula += inner
    return formula


def _can_stay(event: ev.Call | ev.Operator, edits: Edits) -> bool:
    """Whether NumPy can do it as it is written: a function of NumPy's that stores nowhere, or an operator."""
    if isinstance(event, ev.Operator):
        return not event.op.startswith("chained ") and len(operand_nodes(event.node)) == len(event.operands)
    api = event.api or ""
    is_numpys = api.startswith(("numpy.", "ndarray.")) and not api.startswith("numpy.random")
    stores = any(argument.name == "out" or argument.node.star for argument in event.arguments)
    return is_numpys and not stores and id(event.node) in edits.replace


def _operands(event: ev.Call | ev.Operator) -> Iterator[tuple[cst.BaseExpression, Value]]:
    if isinstance(event, ev.Operator):
        nodes = operand_nodes(event.node)
        yield from zip(nodes, event.operands, strict=False)  # a chain of comparisons has none
        return
    if event.receiver is not None and isinstance(event.node.func, cst.Attribute):
        yield event.node.func.value, event.receiver
    for argument in event.arguments:
        yield argument.node.value, argument.value


def _leave_one(event: ev.Call | ev.Operator, edits: Edits) -> None:
    """Leave one part of a formula as it was written."""
    key = id(event.node)
    edits.replace.pop(key, None)
    edits.replace.pop(edits.brought.pop(key, key), None)
    for node, value in _operands(event):
        if not may_hold_tensor(value):
            edits.tensor.discard(id(node))
    edits.unwrap(event.node)
    if isinstance(event, ev.Call) or any(isinstance(value, Array) for value in event.operands):
        edits.converted -= 1
        edits.left.add(key)


def parameters(facts: ev.RegionFacts, edits: Edits) -> frozenset[str]:
    """Parameters that are fetched wherever they are used, so that nothing but copies comes of sending them.

    What is read of an object by a name that no array has (``trellis.states``) sends nothing.
    """
    names = frozenset(facts.parameters) - facts.host_parameters - facts.mutated.keys() - facts.assumed_scalars
    skipped: set[int] = set()
    fetched: set[str] = set()
    others: set[str] = set()
    for node in nodes_of(facts.node.body) if isinstance(facts.node, cst.FunctionDef) else ():
        if type(node) is cst.Attribute:
            skipped.add(id(node.attr))
            if node.attr.value not in MEMBERS:
                skipped.add(id(node.value))
        elif type(node) is cst.Name and node.value in names and id(node) not in skipped:
            is_fetched = id(node) in edits.host and id(node) not in edits.replace
            (fetched if is_fetched else others).add(node.value)
    return frozenset(fetched - others)


def _words(event: ev.Call) -> str:
    return f"np.{(event.api or '').removeprefix('numpy.')}() of numbers stays in NumPy: what it makes is read there"


def _is_fetched(event: ev.Call, edits: Edits) -> bool:
    key, api = id(event.node), event.api or ""
    if not (key in edits.replace and (key in edits.host or key in edits.zero_d)) or key in edits.tensor:
        return False
    if not api.startswith("numpy.") or api.startswith("numpy.random") or event.receiver is not None:
        return False
    reads_none = api in _CREATIONS
    return all(_is_number(item.value, reads_none) and not _changes(item.node, edits) for item in event.arguments)


def _is_number(value: Value, or_host: bool) -> bool:
    if isinstance(value, Sequence):
        return value.items is not None and all(_is_number(item, or_host) for item in value.items)
    if isinstance(value, Symbol):
        return value.name.startswith(("numpy.", "math.", "builtins."))
    return isinstance(value, (Const, Scalar)) or (or_host and isinstance(value, Unknown) and value.home == HOST)


def _changes(argument: cst.Arg, edits: Edits) -> bool:
    """Whether an argument is edited itself, or a tensor's own dtype: that need not be what NumPy takes."""
    places = (edits.replace, edits.host, edits.host_items, edits.tensor, edits.zero_d, edits.tensors_own)
    return any(id(part) in place for part in walk(argument.value) for place in places)


def costs_more_than_it_does(
    facts: ev.RegionFacts,
    edits: Edits,
    numbers: frozenset[str],
    is_in_loops: Callable[[], bool],
    mended: frozenset[int] = frozenset(),
    stays: frozenset[int] = frozenset(),
) -> int:
    """How often arrays would be brought to the device and back, if that takes longer than NumPy for what is done there.

    Such a function updates arrays that an object holds, or hands its own to code that stays NumPy: 0 for others. What
    an object holds is small, as a rule, beside what it is combined with (``x - self.mean``): it counts for one
    operation, where the result stays on the device. Where nothing else is there it is what the function works on.

    numbers: parameters that likely are numbers: nothing is done with arrays where they stand alone.
    is_in_loops: whether loops call it.
    mended: nodes, by id, that are done on the device, too, once somebody wrote them otherwise.
    stays: nodes, by id, that are not brought any more then.
    """
    if is_script_or_keeps(facts):
        return 0
    looped = {id(part) for loop in walk(facts.node) if isinstance(loop, _LOOPS) for part in walk(loop)}
    events = [event for event in facts.events if isinstance(event, (ev.Call, ev.Operator, ev.Store))]
    there = [event for event in events if _is_on_device(event, edits) or id(event.node) in mended]
    there = [event for event in there if not _is_of_numbers(event, numbers)]
    hands_on = facts.result is not None and may_hold_tensor(facts.result)
    prices = _brought(facts, edits, there, numbers, hands_on)
    comes_over = edits.tensor or any(isinstance(it, Array) and needs_tensor(it) for _, it in _taken(there))
    given = _given_arrays(facts) if is_in_loops() and not comes_over else NO_NAMES
    if not given:  # else its callers may hold on the device what it is given: that would have to be fetched each time
        stays |= _given(facts)
    prices = {key: price for key, price in prices.items() if key not in stays}
    on_host = [event for event in there if is_on_host(event)]  # a matrix comes, and what is made of it goes back
    crossings = math.fsum(price * AGAIN if key in looped else price for key, price in prices.items())
    crossings += sum(2 * (AGAIN if event.place.loops else 1) for event in on_host)
    work = sum(computed(event) * (AGAIN if event.place.loops else 1) for event in there)
    work += _OPERATIONS * _spared(facts, edits)
    work += _OPERATIONS * (len(given) + hands_on) - _LAUNCHES if given else 0
    return len(prices) + 2 * len(on_host) if crossings and not _pays(work, crossings) else 0


def _taken(there: list[ev.Call | ev.Operator | ev.Store]) -> list[tuple[cst.BaseExpression, Value]]:
    return [pair for event in there if not isinstance(event, ev.Store) for pair in _operands(event)]


def _brought(
    facts: ev.RegionFacts,
    edits: Edits,
    there: list[ev.Call | ev.Operator | ev.Store],
    numbers: frozenset[str],
    hands_on: bool,
) -> dict[int, float]:
    """What crosses, by the ids of nodes, and for how many arrays each counts.

    there: what is done on the device. hands_on: whether the result may be a tensor.
    """
    made = {id(it.node): it.result for it in facts.events if isinstance(it, (ev.Call, ev.Operator))}
    taken = _taken(there)
    ndarrays = {id(node): value for node, value in taken if isinstance(value, Array) and needs_tensor(value)}
    values: dict[int, Value] = {**ndarrays, **made}
    arrays = {key for key in (edits.host | edits.zero_d) ^ edits.tensor if key not in made or not is_number(made[key])}
    meets = _meets_others(facts, there, [value for _, value in taken], numbers)
    beside = hands_on and meets
    if beside:
        arrays |= {key for key, value in ndarrays.items() if not _of_objects(value)}
    else:  # all that is there comes from the host
        others = {id(node): value for node, value in taken if _is_listed(value) or (not meets and _is_held(value))}
        values |= others
        arrays |= others.keys() | ndarrays.keys()
    prices: dict[int, float] = {}
    counted: set[str] = set()
    for node in nodes_of(facts.node):
        key = id(node)
        if key not in arrays:
            continue
        path = dotted(node) if type(node) is cst.Attribute else ""
        if path and path in counted:  # is brought once, and read again
            continue
        counted.add(path)
        held = beside and key in edits.tensor and key not in made and (key not in values or _of_objects(values[key]))
        prices[key] = 1 / _OPERATIONS if held else _crosses(values[key]) if key in values else 1
    return prices


#: Operations that it is not worth to go to the device for, if as much has to be fetched from there afterwards.
_LAUNCHES = 4


def _is_held(value: Value) -> bool:
    """Whether it is something of the host's of which nobody knows what it is, such as an attribute."""
    return isinstance(value, Unknown) and value.home == HOST


def _is_listed(value: Value) -> bool:
    """Whether it is a list or tuple of what the host has, of which an array is made."""
    return isinstance(value, Sequence) and value.type in ("list", "tuple") and not may_hold_tensor(value)


def _of_objects(value: Value) -> bool:
    """Whether an object or a module holds it, as far as is known: an attribute, a global, or what was read of one."""
    return any(map(is_state, refs_of(value)))


def _spared(facts: ev.RegionFacts, edits: Edits) -> int:
    """How often arrays would cross in calls of functions that migrate, if this one stayed: at the door, each time.

    What comes as a parameter comes over once in any case.
    """
    given = _given(facts)
    seen: set[str] = set()
    times = 0
    for event in facts.events:
        if not isinstance(event, ev.Call) or id(event.node.func) not in edits.cores:
            continue
        again = AGAIN if event.place.loops else 1
        for argument in event.arguments:
            node, value = argument.node.value, argument.value
            first = id(node) in given and not event.place.loops and dotted(node) not in seen
            seen.add(dotted(node))
            times += again * (may_hold_tensor(value) and not is_number(value) and not first)
        kept = may_hold_tensor(event.result) and not is_number(event.result) and id(event.node) not in edits.host
        times += again * kept
    return times


def _meets_others(
    facts: ev.RegionFacts,
    there: list[ev.Call | ev.Operator | ev.Store],
    taken: list[Value],
    numbers: frozenset[str],
) -> bool:
    """Whether there are arrays beside those that objects hold: the function is given some, or makes some."""
    given = _given_arrays(facts) - numbers
    if any(_comes_of(value, given) for value in taken):
        return True
    names = (event.api.rpartition(".")[2] for event in there if isinstance(event, ev.Call) and event.api is not None)
    return any(name in _MAKING for name in names)


def _comes_of(value: Value, names: frozenset[str]) -> bool:
    """Whether a value that may live on the device is one of these parameters, or was made of one."""
    if home_of(value) == HOST or is_number(value):
        return False
    return not names.isdisjoint(deps_of(value) | parameters_in(refs_of(value)))


def _given_arrays(facts: ev.RegionFacts) -> frozenset[str]:
    """The parameters beside a method's object that may be arrays on the device."""
    given = frozenset(facts.parameters[1:] if "." in facts.qualname else facts.parameters)
    return given - facts.host_parameters - facts.assumed_scalars


_MAKING = frozenset("zeros ones empty full arange linspace logspace eye identity indices meshgrid mgrid".split())


def _given(facts: ev.RegionFacts) -> set[int]:
    """What is brought at no price of its own: parameters come with the call, until their names are bound anew.

    And what the function hands to itself: it takes a tensor then.
    """
    nodes = nodes_of(facts.node)
    names = set(facts.parameters)
    found: set[int] = set()
    for part in nodes:
        if type(part) is cst.Name and part.value in names:
            found.add(id(part))
        elif targets := _bound_by(part):
            made_of = (node for child in _evaluated(part) for node in walk(child))
            found.update(id(node) for node in made_of if type(node) is cst.Name and node.value in names)
            names.difference_update(*map(target_names, targets))
    own = facts.qualname.rpartition(".")[2]
    again = (part for part in nodes if type(part) is cst.Call and dotted(part.func).rpartition(".")[2] == own)
    return found.union(id(argument.value) for call in again for argument in call.args)


def _bound_by(part: cst.CSTNode) -> list[cst.BaseExpression]:
    """What a statement binds."""
    if type(part) is cst.Assign:
        return [it.target for it in part.targets]
    return [part.target] if isinstance(part, _BINDING) else []


def _evaluated(part: Any) -> list[cst.CSTNode]:
    """What is evaluated before that."""
    if isinstance(part, (cst.For, cst.CompFor)):
        return [part.iter]
    before: list[cst.CSTNode] = [part.target] if type(part) is cst.AugAssign else []
    return [*before, part.value] if part.value is not None else before


_BINDING = (cst.AugAssign, cst.AnnAssign, cst.NamedExpr, cst.For, cst.CompFor)


def chains(facts: ev.RegionFacts, edits: Edits) -> bool:
    """Whether what one migrated function gives goes to another one, or to itself in a loop: it can stay a tensor."""
    calls = {
        id(event.node): event.node
        for event in facts.events
        if isinstance(event, ev.Call) and id(event.node.func) in edits.cores
    }
    if not calls:
        return False
    given = [argument.value for call in calls.values() for argument in call.args]
    names = {node.value for node in given if isinstance(node, cst.Name)}
    assignments = (part for part in nodes_of(facts.node) if type(part) is cst.Assign and id(part.value) in calls)
    bound = {name for part in assignments for target in part.targets for name in target_names(target.target)}
    return not bound.isdisjoint(names) or any(id(node) in calls for node in given)


def is_part_of_more(facts: ev.RegionFacts, edits: Edits) -> bool:
    """Whether it is a script's top level, or hands on tensors: to functions that migrate, or in attributes."""
    return is_script_or_keeps(facts) or _feeds(facts, edits)


def is_script_or_keeps(facts: ev.RegionFacts) -> bool:
    """Whether it is a script's top level, or keeps tensors in attributes."""
    return isinstance(facts.node, cst.Module) or bool(facts.direct or facts.direct_updates)


def _feeds(facts: ev.RegionFacts, edits: Edits) -> bool:
    """Whether what a function that migrates takes, or gives, is or stays a tensor here."""
    if not edits.cores:
        return False
    calls = [event for event in facts.events if isinstance(event, ev.Call) and id(event.node.func) in edits.cores]
    given = (argument for it in calls for argument in it.arguments)
    sent = (id(it.node.value) in edits.replace or may_hold_tensor(it.value) for it in given)
    kept = (may_hold_tensor(it.result) and id(it.node) not in edits.host for it in calls)
    return len(calls) < len(edits.cores) or any(sent) or any(kept)


def checks(facts: ev.RegionFacts, edits: Edits) -> list[ev.Call | ev.Operator]:
    """What decides something by arrays on the device, if nothing else is done with them there: no array comes of it."""
    if is_part_of_more(facts, edits) or facts.mutated or (facts.result is not None and may_hold_tensor(facts.result)):
        return []
    tested = {id(part) for test in _tests(facts.node) for part in walk(test)}
    found: list[ev.Call | ev.Operator] = []
    for event in facts.events:
        if isinstance(event, (ev.Call, ev.Operator, ev.Store)) and _is_on_device(event, edits) and computed(event):
            if isinstance(event, ev.Store) or id(event.node) not in tested:
                return []
            found.append(event)
    return found


def _tests(region: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What decides which way a function takes: but a loop's condition is part of its work."""
    for part in walk(region):
        if isinstance(part, (cst.If, cst.IfExp, cst.Assert, cst.CompIf)):
            yield part.test
        elif isinstance(part, (cst.BooleanOperation, cst.Raise)):
            yield part


_LOOPS = (cst.For, cst.While, cst.CompFor)


def _is_on_device(event: ev.Call | ev.Operator | ev.Store, edits: Edits) -> bool:
    key = id(event.node)
    value = event.base if isinstance(event, ev.Store) else event.result
    return key not in edits.left and (key in edits.replace or may_hold_tensor(value))


def _is_of_numbers(event: ev.Call | ev.Operator | ev.Store, numbers: frozenset[str]) -> bool:
    """Whether an operator has nothing but numbers, and parameters that likely are such, for operands."""
    if isinstance(event, ev.Store):
        nodes = [event.node.target, event.node.value] if isinstance(event.node, cst.AugAssign) else []
    else:
        nodes = operand_nodes(event.node)
    return bool(nodes) and all(
        isinstance(node, cst.BaseNumber) or (type(node) is cst.Name and node.value in numbers) for node in nodes
    )


def parts_of_objects(edits: Edits, facts: ev.RegionFacts) -> bool:
    """Whether attributes of ``self`` are among what is brought to the device."""
    brought = (node for node in nodes_of(facts.node) if id(node) in edits.tensor)
    return any(dotted(part).startswith("self.") for node in brought for part in walk(node))


def leave_whole_numbers(facts: ev.RegionFacts, edits: Edits) -> None:
    """Bring no parameter to the host that the door lets in as axes or sizes: these reach the body as they are."""
    nodes = nodes_of(facts.node.body)  # type: ignore[attr-defined]
    inner = {name for part in nodes if type(part) is cst.CompFor for name in target_names(part.target)}
    inner |= {part.name.value for part in nodes if type(part) is cst.Param}
    whole = {name for name, admitted in facts.door.items() if admitted.kind in WHOLE} - inner
    for node in nodes:
        if type(node) is cst.Name and node.value in whole and id(node) in edits.host:
            edits.unwrap(node)
