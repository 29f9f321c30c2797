"""What becomes of one region: its findings, its edits and its fate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import Fate
from np2tnp.analysis.domain.values import NO_NAMES, Array, Function
from np2tnp.analysis.interpreter.state import Services
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.module.parameter_kinds import declared
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.catalog import Catalog
from np2tnp.edits.edit import Edits
from np2tnp.model import RegionState, Verdict
from np2tnp.rewrite import fetched_at_once
from np2tnp.rules.base import Context, Hit, Table, apply
from np2tnp.rules.calls import unknown_values
from np2tnp.rules.constructs import compiled_regions, replaced_names
from np2tnp.rules.cost import element_loops, part_loops, whole_array_loops
from np2tnp.rules.dtypes import single_precision
from np2tnp.rules.words_and_edits import holds_array

#: The codes of what is so slow in eager TensorFlow that the region stays NumPy by default.
SLOW = frozenset((element_loops.ElementLoop.doc.code, part_loops.LOOP, part_loops.BUILTIN))
#: What blocks a region wherever its arrays live: what is written there, not what happens to them.
_ANYWHERE = frozenset(
    f"TNP{number}" for number in (301, 302, 303, 304, 305, 307, 401, 402, 403, 405, 406, 407, 411, 504, 505, 507, 508)
)


@dataclass(slots=True)
class RegionPlan:
    """A region with all that was decided about it."""

    facts: ev.RegionFacts
    hits: list[Hit]
    edits: Edits
    state: RegionState
    reasons: list[Hit] = field(default_factory=list)  #: the hits that block it or keep it in NumPy
    is_unwanted: bool = False  #: kept only because it was not to be rewritten
    float32: bool = False  #: its decorator says that it works in float32
    compiled: bool = False  #: its decorator compiles it, and its loops are staged

    @property
    def fate(self) -> Fate:
        """What the analysis must know of it."""
        if self.state is RegionState.CONVERTIBLE:
            return Fate.MIGRATES
        anywhere = [hit for hit in self.reasons if hit.code in _ANYWHERE]
        if anywhere and self.facts.extra.get("lent"):  # a nested function that may stay NumPy's may do all of that
            nested = _nested_nodes(self.facts.node)
            anywhere = [hit for hit in anywhere if id(hit.node) not in nested]
        return Fate.IN_DOUBT if self.reasons and not self.is_unwanted and not anywhere else Fate.STAYS


@dataclass(frozen=True, slots=True)
class Names:
    """By which names the module knows, or will know, the modules that rewritten code uses."""

    numpy: str | None
    tnp: str
    rt: str


@dataclass(frozen=True, slots=True)
class Options:
    """The part of the configuration that decides about regions."""

    slow: str = "keep"
    random: str = "numpy"
    on_unverified: str = "numpy"
    boundary: str = "numpy"
    compile: str = "none"
    device: str = ""
    numpy_behavior: str = "call"
    float32: bool = False
    state: str = "numpy"
    numpy_names: frozenset[str] = NO_NAMES
    unsafe: bool = False  #: trusts code that nobody can see, where nothing else helps


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
) -> RegionPlan:
    """Ask every rule about every event of the region, and decide. `against`: what stands against it beforehand.

    `is_pure`: whether a function of the module surely has no effect but its result.
    `trusting`: code that nobody can see is taken to change nothing that it was given.
    `begins_again`: whether the original can answer a call that was refused half-way.
    """
    edits = Edits()
    context = Context(
        catalog, module, facts, edits, names.numpy, names.tnp, names.rt, options.random, not top_level, services
    )
    context.compile, context.is_pure, context.trusts = options.compile, is_pure, trusting
    context.boundary, context.float32 = options.boundary, options.float32
    if begins_again is not None and options.boundary == "numpy":
        context.begins_again = begins_again
    for event in facts.events:
        if isinstance(event, ev.Store) and isinstance(event.node, cst.Call):
            context.stores.setdefault(id(event.node), []).append(event)
        elif isinstance(event, ev.Call):
            context.calls[id(event.node)] = event
    hits = whole_array_loops.settled(apply(facts.events, context, table), context)
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
        hits = fetched_at_once.leave(facts, edits, hits, options.boundary == "numpy")
    blocks = [hit for hit in hits if hit.verdict is Verdict.BLOCK]
    if edits.converted and not blocks and not top_level and (options.compile == "none" or eager):
        hits += [] if any(hit.code in SLOW for hit in hits) else part_loops.found(context)
    slow = [hit for hit in hits if hit.code in SLOW]
    if top_level:
        edits.total = sum(map(_is_work, facts.events))
        state = (
            RegionState.KEPT
            if edits.total or any(hit.verdict is not Verdict.NOTE for hit in hits)
            else RegionState.PLAIN
        )
        return RegionPlan(facts, hits, edits, state)
    if not edits.converted:
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
    if blocks:
        return RegionPlan(facts, hits, edits, RegionState.BLOCKED, blocks)
    if left_out:
        return RegionPlan(facts, hits, edits, RegionState.KEPT, [hit for hit in hits if hit is against])
    if slow and options.slow == "keep":
        return RegionPlan(facts, hits, edits, RegionState.KEPT, slow)
    plan = RegionPlan(facts, hits, edits, RegionState.CONVERTIBLE)
    facts.extra["only fetched"] = fetched_at_once.parameters(facts, edits)
    facts.extra["converted"] = edits.converted
    facts.extra["by row"] = part_loops.parameters_by_row(context)
    if options.float32:
        double += single_precision.of_draws(module, facts.node)
        plan.float32 = not double and not facts.generator
        plan.hits += double or [Hit(single_precision.CODE, facts.node, single_precision.WORDS, Verdict.NOTE)]
    if options.compile != "none":
        why = compiled_regions.needs_state(facts)
        if why:
            eager.append(Hit(compiled_regions.CODE, facts.node, f"not compiled: {why}", Verdict.NOTE))
        plan.compiled = not eager
        plan.hits += eager
    return plan


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
