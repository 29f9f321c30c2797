"""What becomes of one region: its findings, its edits and its fate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.locations import is_outside_location
from np2tnp.analysis.domain.summaries import Fate
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    NO_NAMES,
    Array,
    Function,
    Sequence,
    Unknown,
    Value,
    deps_of,
    home_of,
    may_hold_tensor,
    parameters_in,
    refs_of,
    scalar_type,
)
from np2tnp.analysis.driver.shown_parameters import makes_arrays
from np2tnp.analysis.interpreter.frame import Services
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.module.parameter_kinds import arrays_given, declared, likely_numbers, said_to_be_single
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.catalog import Catalog
from np2tnp.edits.edit import Edits
from np2tnp.guests import DEFAULTS, Values
from np2tnp.model import RegionState, Verdict
from np2tnp.rewrite.crossings import (
    chains,
    checks,
    costs_more_than_it_does,
    is_part_of_more,
    leave,
    parameters,
    parts_of_objects,
)
from np2tnp.rewrite.work import computed, is_for_others, why_left
from np2tnp.rules.base import Context, Hit, Table, apply
from np2tnp.rules.calls import unknown_values
from np2tnp.rules.constructs import compiled_regions, replaced_names
from np2tnp.rules.constructs.escaping_functions import Callback
from np2tnp.rules.cost import element_loops, part_loops, small_arrays, whole_array_loops
from np2tnp.rules.cost.loop_work import RegionWork
from np2tnp.rules.dtypes import single_precision
from np2tnp.rules.dtypes.array_subclasses import ArraySubclass
from np2tnp.rules.host import undecided_results
from np2tnp.rules.host.host_updates import CALLEES
from np2tnp.rules.words_and_edits import holds_array

#: The codes of what is so slow in eager TensorFlow that the region stays NumPy by default.
SLOW = frozenset((element_loops.ElementLoop.doc.code, part_loops.LOOP, part_loops.BUILTIN, part_loops.CALLBACK))
#: What blocks a region wherever its arrays live: what is written there, not what happens to them.
_ANYWHERE = frozenset(
    f"TNP{number}"
    for number in (301, 302, 303, 304, 305, 307, 401, 402, 403, 405, 406, 407, 411, 504, 505, 507, 508, 707)
)


@dataclass(slots=True)
class RegionPlan:
    """A region with all that was decided about it."""

    facts: ev.RegionFacts
    hits: list[Hit]
    edits: Edits
    state: RegionState
    reasons: list[Hit] = field(default_factory=list)  #: the hits that block it or keep it in NumPy
    behind: list[Hit] = field(default_factory=list)  #: what would keep it in NumPy without those, as far as is known
    is_unwanted: bool = False  #: kept only because it was not to be rewritten
    float32: bool = False  #: its decorator says that it works in float32
    compiled: bool = False  #: its decorator compiles it, and its loops are staged

    @property
    def fate(self) -> Fate:
        """What the analysis must know of it."""
        if self.state is RegionState.CONVERTIBLE:
            return Fate.MIGRATES
        anywhere = [hit for hit in self.reasons if hit.code in _ANYWHERE]
        if anywhere and self.facts.seen.lent:  # a nested function that may stay NumPy's may do all of that
            nested = _nested_nodes(self.facts.node)
            anywhere = [hit for hit in anywhere if id(hit.node) not in nested]
        return Fate.IN_DOUBT if self.reasons and not self.is_unwanted and not anywhere else Fate.STAYS


@dataclass(frozen=True, slots=True)
class Names:
    """By which names the module knows, or will know, the modules that rewritten code uses."""

    numpy: str | None
    tnp: str
    rt: str
    tf: str = "tf"


@dataclass(frozen=True, slots=True)
class Options:
    """The part of the configuration that decides about regions."""

    slow: str = "keep"
    on_unverified: str = "numpy"
    boundary: str = "numpy"
    compile: str = "none"
    device: str = ""
    numpy_behavior: str = "call"
    float32: bool = False
    state: str = "numpy"
    numpy_names: frozenset[str] = NO_NAMES
    hot: bool = False  #: the runtime may compile what reads as compiled code would
    unsafe: bool = False  #: trusts code that nobody can see, where nothing else helps
    guests: Values = DEFAULTS


def plan_region(
    facts: ev.RegionFacts,
    module: ModuleInfo,
    catalog: Catalog,
    names: Names,
    options: Options,
    services: Services,
    table: Table,
    top_level: bool = False,
    against: Hit | None = None,
    is_pure: Callable[[Function], bool] = lambda function: False,
    trusting: bool = False,
    begins_again: Callable[[], bool] | None = None,
    effect: Callable[[], str] = lambda: "",
    compiles: Callable[[], bool] = lambda: False,
) -> RegionPlan:
    """Ask every rule about every event of the region, and decide. `against`: what stands against it beforehand.

    `is_pure`: whether a function of the module surely has no effect but its result.
    `trusting`: code that nobody can see is taken to change nothing that it was given.
    `begins_again`: whether the original can answer a call that was refused half-way; `effect`: why not.
    `compiles`: whether it would become a graph if that was asked for, slow loops and all.
    """
    edits = Edits(displays=facts.displays)
    context = Context(
        catalog,
        module,
        facts,
        edits,
        names.numpy,
        names.tnp,
        names.rt,
        names.tf,
        options.guests,
        not top_level,
        services,
    )
    context.compile, context.is_pure, context.trusts = options.compile, is_pure, trusting
    context.boundary, context.float32 = options.boundary, options.float32
    if begins_again is not None and options.boundary == "numpy":
        context.begins_again, context.effect = begins_again, effect
    for event in facts.events:
        if isinstance(event, ev.Store) and isinstance(event.node, cst.Call):
            context.stores.setdefault(id(event.node), []).append(event)
        elif isinstance(event, ev.Call):
            context.calls[id(event.node)] = event
    hits = whole_array_loops.settled(apply(facts.events, context, table), context)
    hits += undecided_results.at_the_host(context)
    left_out = against is not None and against.verdict is Verdict.NOTE
    if left_out:  # what is known of its callees is less than it was
        hits = [hit for hit in hits if hit.verdict is not Verdict.BLOCK]
    if against is not None:
        hits.append(against)
    # of interest where it would be compiled, or work in float32
    eager = [hit for hit in hits if hit.code == compiled_regions.CODE]
    double = [hit for hit in hits if hit.code == single_precision.STAYS]
    hits = [hit for hit in hits if hit.code not in (compiled_regions.CODE, single_precision.STAYS)]
    if options.compile == "none" and not top_level:  # what is traced has numbers that NumPy does not know
        hits = leave(facts, edits, hits, options.boundary == "numpy", options.slow == "keep")
    blocks = [hit for hit in hits if hit.verdict is Verdict.BLOCK]
    blocks.sort(key=_is_mended(blocks, facts))
    loops = RegionWork(context)
    drives = not (edits.converted or blocks or left_out or top_level) and hands_on(facts, edits)
    migrates = edits.converted > 0 or bool(edits.left) or drives
    facts.little = frozenset()
    if migrates and not blocks and not top_level and (options.compile == "none" or eager):
        hits += [] if any(hit.code in SLOW for hit in hits) else part_loops.found(loops) or part_loops.callbacks(loops)
    hits = part_loops.marked(part_loops.without_graphs(hits, compiles), loops)
    if migrates and not blocks and options.slow == "keep" and options.compile == "none":
        hits = part_loops.with_those_that_stay(hits, loops)
    if not all(hit.left for hit in (*blocks[:1], *(it for it in hits if it.code in SLOW))):  # somebody would be told
        facts.little = small_arrays.little_of(facts, catalog)
        does_little = bool(facts.little) and why_left(facts) == "little"
        few = {id(it): small_arrays.of_few(it, facts, catalog, does_little) for it in hits if it.code in SLOW}
        hits = [few.get(id(hit), hit) for hit in hits]
    slow = sorted((hit for hit in hits if hit.code in SLOW), key=lambda hit: bool(hit.left))
    if top_level:
        edits.total = sum(map(_is_work, facts.events))
        state = (
            RegionState.KEPT
            if edits.total or any(hit.verdict is not Verdict.NOTE for hit in hits)
            else RegionState.PLAIN
        )
        return RegionPlan(facts, hits, edits, state)
    if not migrates:
        function = module.functions.get(facts.qualname)
        annotated = function is not None and bool(declared(function)[0])
        replaced = any(hit.code == replaced_names.CODE for hit in hits)
        if edits.total or replaced or any(unknown_values.is_about_arrays(hit, annotated) for hit in hits):
            return RegionPlan(facts, hits, edits, RegionState.KEPT)
        told = list(filter(unknown_values.is_handed, hits))
        if ambiguous := list(filter(unknown_values.is_ambiguous, hits)):
            told += ambiguous
        elif any(map(unknown_values.may_be_work, unknown_values.beside(told, hits))):
            told.append(unknown_values.of_region(facts, annotated))
        return RegionPlan(facts, told, edits, RegionState.PLAIN)
    namespace = unknown_values.of_namespace(context) if options.slow == "keep" and not left_out else None
    if namespace is not None:
        stays = part_loops.best_left([*slow, *part_loops.marked(part_loops.beside(slow, loops), loops)])
        hits = [hit for hit in hits if hit not in slow or not stays] + stays
        reasons = [*stays, namespace, *blocks]  # a loop that nothing replaces keeps it, whatever `xp` stands for
        return RegionPlan(facts, [*hits, namespace], edits, RegionState.KEPT, reasons)
    if edits.left and not edits.converted and not (drives or left_out):
        back = [small_arrays.back_and_forth(facts.node, edits.formulas, parts_of_objects(edits, facts))]
        return RegionPlan(facts, hits if slow else hits + back, edits, RegionState.KEPT, slow or back)
    if blocks:
        calls_back = list(part_loops.callbacks(loops)) if options.slow == "keep" and options.compile == "none" else []
        if calls_back and not left_out:  # what stands in the way beside need not be mended: it would not pay
            return RegionPlan(facts, [*hits, *calls_back], edits, RegionState.KEPT, calls_back)
        if options.slow == "keep" and options.compile == "none" and not left_out:
            others = part_loops.marked(part_loops.beside(slow, loops), loops)
            if best_left := part_loops.best_left([*slow, *others]):
                hits = [hit for hit in hits if hit not in slow] + best_left
                return RegionPlan(facts, hits, edits, RegionState.KEPT, [*best_left, *blocks])
            if options.boundary == "numpy" and not (slow or others) and _is_in_vain(blocks, facts, edits, module):
                first = replace(blocks[0], left="little")
                hits = [first if hit is blocks[0] else hit for hit in hits]
                blocks = [first, *blocks[1:]]
            return RegionPlan(facts, hits, edits, RegionState.BLOCKED, blocks, [*slow, *others])
        return RegionPlan(facts, hits, edits, RegionState.BLOCKED, blocks)
    if left_out:
        return RegionPlan(facts, hits, edits, RegionState.KEPT, [hit for hit in hits if hit is against])
    keeps = options.slow == "keep" and options.boundary == "numpy"
    little = not_worth_moving(facts, edits, module, catalog, slow, options.compile != "none") if keeps else None
    little = little or (_little_without(slow, facts, edits, module) if keeps and slow else None)
    if slow and options.slow == "keep" and (little is None or any(hit.code != part_loops.BUILTIN for hit in slow)):
        return RegionPlan(facts, hits, edits, RegionState.KEPT, slow, part_loops.beside(slow, loops))
    if little is not None:
        return RegionPlan(facts, [*hits, little], edits, RegionState.KEPT, [little])
    eagerly = options.slow == "keep" and options.boundary == "numpy" and options.compile == "none"
    if eagerly and (crossings := _crossings(facts, edits, module)):
        back = [small_arrays.back_and_forth(facts.node, crossings, parts_of_objects(edits, facts))]
        return RegionPlan(facts, [*hits, *back], edits, RegionState.KEPT, back)
    plan = RegionPlan(facts, hits, edits, RegionState.CONVERTIBLE)
    facts.planned = ev.Planned(
        converted=edits.converted + len(edits.left),
        helpers=edits.helpers,
        fetched=len(edits.host) + edits.formulas,
        blamed=frozenset(edits.blamed),
        whole_numbers=edits.whole,
        asked_by_callees=edits.asked,
        plain_for_floats=edits.plain_for_floats,
        plain_for_few=edits.plain_for_few,
        only_fetched=parameters(facts, edits),
        by_row=part_loops.parameters_by_row(loops),
    )
    if options.float32:
        double += single_precision.of_draws(module, facts.node)
        double += single_precision.of_waiting(module, facts)
        double += single_precision.of_unseen(context)
        plan.float32 = not double and not facts.generator
        plan.hits += double or [Hit(single_precision.CODE, facts.node, single_precision.WORDS, Verdict.NOTE)]
    if options.compile != "none":
        why = compiled_regions.needs_state(facts)
        if why:
            eager.append(Hit(compiled_regions.CODE, facts.node, f"not compiled: {why}", Verdict.NOTE))
        plan.compiled = not eager
        plan.hits += eager
    return plan


def _is_mended(blocks: list[Hit], facts: ev.RegionFacts) -> Callable[[Hit], bool]:
    """A key by which what nobody can do much about comes first, and decides: the rest would be mended in vain.

    Beside what can be mended, masked arrays that come of the same ones are no reason of their own, nor is what code
    out of sight may do beside a callee that can be described. But nobody can describe a parameter that is called.
    """
    called = {it.node.func.value for it in facts.events if isinstance(it, ev.Call) and type(it.node.func) is cst.Name}
    given = called & set(facts.parameters)
    of_callbacks = any(hit.left == "unseen" and not given.isdisjoint(hit.message.split()) for hit in blocks)
    mended = [hit for hit in blocks if not hit.left]
    alike = {hit.code for hit in mended if hit.code == ArraySubclass.doc.code}
    can_be_said = not of_callbacks and any(CALLEES in hit.message for hit in mended)
    return lambda hit: not hit.left or hit.code in alike or (can_be_said and hit.left == "unseen")


def _is_in_vain(blocks: list[Hit], facts: ev.RegionFacts, edits: Edits, module: ModuleInfo) -> bool:
    """Whether what blocks a function would be mended for nothing: it does too little to migrate after that.

    What is blocked counts as work on the device. How much is moved to a function of its own, nobody knows.
    """
    if blocks[0].left or any("function of its own" in hit.message for hit in blocks):
        return False
    handed = frozenset(id(part) for hit in blocks if hit.code == Callback.doc.code for part in walk(hit.node))
    works = (event for event in facts.events if id(event.node) in edits.replace or _is_work(event))
    if handed and all(id(event.node) in handed for event in works):
        return True  # a function that others call stays NumPy's, and it does all the work
    mended = frozenset(id(part) for hit in blocks for part in walk(hit.node))
    return _does_too_little(facts, edits, module, []) or _crossings(facts, edits, module, mended) > 0


def _crossings(
    facts: ev.RegionFacts,
    edits: Edits,
    module: ModuleInfo,
    mended: frozenset[int] = frozenset(),
    stays: frozenset[int] = frozenset(),
) -> int:
    own = module.functions.get(facts.qualname)
    numbers = likely_numbers(own) if own is not None else NO_NAMES
    in_loops = partial(small_arrays.is_called_in_loops, facts.qualname, module)
    return costs_more_than_it_does(facts, edits, numbers, in_loops, mended, stays)


def _little_without(slow: list[Hit], facts: ev.RegionFacts, edits: Edits, module: ModuleInfo) -> Hit | None:
    """What is said of a function that would be best left once somebody wrote Python's own functions in it otherwise."""
    if any(hit.code != part_loops.BUILTIN or hit.left for hit in slow):
        return None
    written = (
        hit.node for hit in slow if not hit.message.endswith(part_loops.LISTED)
    )  # that brings the array as before
    mended = frozenset(id(part) for node in written for part in walk(node))
    crossings = _crossings(facts, edits, module, mended, mended)
    return small_arrays.back_and_forth(facts.node, crossings, parts_of_objects(edits, facts)) if crossings else None


def not_worth_moving(
    facts: ev.RegionFacts, edits: Edits, module: ModuleInfo, catalog: Catalog, iterated: list[Hit], traced: bool
) -> Hit | None:
    """What is said of a function that has too little work for a device.

    iterated: what Python's own functions go through item by item, on the host. traced: it becomes a graph.
    """
    if is_for_others(facts) and not chains(facts, edits) and _hands_out_no_array(facts):
        return small_arrays.too_little(facts.node)
    if is_part_of_more(facts, edits):
        return None
    if _works_on_numbers(facts, module):
        return small_arrays.of_numbers(facts.node)
    if _does_too_little(facts, edits, module, iterated) or _only_asks(facts, edits):
        return small_arrays.too_little(facts.node)
    if small_arrays.is_of_a_backend(facts.qualname, module):
        return small_arrays.of_backend(facts.node)
    checked = checks(facts, edits)
    if checked and not _takes_arrays(checked):  # else a caller may hand it a tensor
        return small_arrays.of_checks(facts.node)
    if iterated or traced or facts.mutated:
        return None
    if not _meets_tensors(facts, edits):
        return small_arrays.too_little(facts.node)
    if small_arrays.is_called(facts.qualname, module):
        return None  # a caller may be compiled, and needs it in its graph
    if _only_brings(facts, edits):
        return small_arrays.too_little(facts.node)
    return small_arrays.of_few_numbers(facts.node) if _works_on_few(facts, catalog) else None


def _does_too_little(facts: ev.RegionFacts, edits: Edits, module: ModuleInfo, iterated: list[Hit]) -> bool:
    """Whether a function does little with arrays, all of which it brings to the host: nothing stays on the device.

    But what a loop calls may get an array that lives there: the array would go to the host in each iteration. What it
    draws, or puts into a table, goes there anyhow.
    """
    if is_part_of_more(facts, edits):
        return False
    if is_for_others(facts):
        return _hands_out_no_array(facts)
    if facts.mutated or not (edits.host or iterated):
        return False
    if facts.result is not None and may_hold_tensor(facts.result):
        return False
    is_little = why_left(facts, of_items=False) == "little"
    return is_little and not small_arrays.is_called_in_loops(facts.qualname, module)


def _only_asks(facts: ev.RegionFacts, edits: Edits) -> bool:
    """Whether nothing is computed of what goes to the device, and nothing of it comes out: ``np.asarray(x).shape``."""
    if facts.mutated or (facts.result is not None and may_hold_tensor(facts.result)):
        return False
    events = (event for event in facts.events if isinstance(event, (ev.Call, ev.Operator, ev.Store)))
    return not any(computed(event) for event in events if id(event.node) in edits.replace or _may_be_there(event))


def _may_be_there(event: ev.Call | ev.Operator | ev.Store) -> bool:
    return may_hold_tensor(event.base if isinstance(event, ev.Store) else event.result)


def _values(event: ev.Call | ev.Operator) -> list[Value]:
    """What a call or an operator works on, and gives."""
    if isinstance(event, ev.Operator):
        return [*event.operands, event.result]
    given = [argument.value for argument in event.arguments]
    return [*given, event.result, *([event.receiver] if event.receiver is not None else [])]


def _takes_arrays(events: list[ev.Call | ev.Operator]) -> bool:
    """Whether some of it works on what the function is given: that may live on the device."""
    return any(deps_of(value) or parameters_in(refs_of(value)) for event in events for value in _values(event))


def _meets_tensors(facts: ev.RegionFacts, edits: Edits) -> bool:
    """Whether something in the function may live on the device: what it is given, or what it makes or brings there."""
    events = [event for event in facts.events if isinstance(event, (ev.Call, ev.Operator))]
    return any(id(it.node) in edits.replace or any(map(_may_live_there, _values(it))) for it in events)


def _only_brings(facts: ev.RegionFacts, edits: Edits) -> bool:
    """Whether all that it does there is to bring what the host has, as ``np.array(rows)`` does."""
    events = [event for event in facts.events if isinstance(event, (ev.Call, ev.Operator))]
    made = [event for event in events if id(event.node) in edits.replace]
    others = [
        value for it in events for value in _values(it) if value is not it.result or id(it.node) not in edits.replace
    ]
    if any(map(_may_live_there, others)) or any(map(computed, made)):
        return False
    return all(isinstance(event, ev.Call) and any(map(_is_given_whole, event.arguments)) for event in made)


def _is_given_whole(argument: ev.Argument) -> bool:
    """Whether what the host has may be many elements: a list of unknown length, or what nobody knows."""
    value = argument.value
    return isinstance(value, Unknown) or (isinstance(value, Sequence) and value.items is None)


def _may_live_there(value: Value) -> bool:
    if home_of(value) == EITHER and isinstance(value, Array):  # else a number that NumPy draws
        return bool(deps_of(value) or parameters_in(value.refs))
    return home_of(value) != HOST


def _works_on_few(facts: ev.RegionFacts, catalog: Catalog) -> bool:
    """Whether the function makes all its arrays itself, of few elements, as its text says."""
    events = [event for event in facts.events if isinstance(event, (ev.Call, ev.Operator))]
    events = [event for event in events if isinstance(event, ev.Operator) or event.api is not None]
    nodes = {id(event.node) for event in events}
    nodes |= {id(event.node) for event in facts.events if isinstance(event, ev.Store)}
    values = (value for event in events for value in _values(event))
    return bool(nodes) and not any(map(_is_given, values)) and nodes <= small_arrays.little_of(facts, catalog)


def _works_on_numbers(facts: ev.RegionFacts, module: ModuleInfo) -> bool:
    """Whether a function is given single numbers, texts and flags alone, as is written of each, and makes no array."""
    own = module.functions.get(facts.qualname)
    if own is None or own.is_method or facts.assumed_arrays or makes_arrays(own):
        return False
    calls = (event for event in facts.events if isinstance(event, ev.Call) and event.api is None)
    if any(may_hold_tensor(event.result) for event in calls):
        return False
    names = frozenset(facts.parameters)
    return bool(names) and names <= said_to_be_single(own) and facts.qualname not in arrays_given(module)


def _is_given(value: Value) -> bool:
    if isinstance(value, Array):
        return bool(value.deps) or any(map(is_outside_location, value.refs))
    return isinstance(value, Unknown)


def _hands_out_no_array(facts: ev.RegionFacts) -> bool:
    """Whether it returns no tensor, but perhaps an object that it was given, and updates nothing but dicts."""
    result = facts.result
    stores = [event for event in facts.events if isinstance(event, ev.Store) and event.root in facts.mutated]
    by_text = {event.root for event in stores if event.keys and scalar_type(event.keys[0]) == "str"}
    others = {event.root for event in stores} - by_text
    given = isinstance(result, Unknown) and result.exact in facts.objects | by_text - others
    no_tensor = result is None or given or not may_hold_tensor(result)
    return no_tensor and facts.mutated.keys() <= by_text - others


def hands_on(facts: ev.RegionFacts, edits: Edits) -> bool:
    """Whether what one migrated function gives goes to another one, or to itself in a loop: it can stay a tensor.

    And whether nothing else is done with arrays: what decides, or computes with unknown objects, is no such driver.
    """
    if any(isinstance(event, ev.Operator) and id(event.node) in edits.replace for event in facts.events):
        return False
    return chains(facts, edits)


def _nested_nodes(region: cst.CSTNode) -> set[int]:
    """The nodes, by id, inside of functions that are nested in the region."""
    inner = [part for part in walk(region) if part is not region and isinstance(part, (cst.FunctionDef, cst.Lambda))]
    return {id(part) for function in inner for part in walk(function.body)}


def _is_work(event: ev.Event) -> bool:
    """Whether NumPy works on arrays here, as far as is known."""
    if isinstance(event, ev.Call):
        values = [argument.value for argument in event.arguments]
        return event.api is not None and any(map(holds_array, (event.result, event.receiver or event.result, *values)))
    if isinstance(event, ev.Operator):
        return any(isinstance(value, Array) for value in event.operands)
    return isinstance(event, ev.Store) and isinstance(event.base, Array) and type(event.node) is not cst.Call
