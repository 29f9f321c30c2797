"""One module that is open, and what is decided about its regions."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import MODULE, Fate
from np2tnp.analysis.domain.summaries import Project as Answers
from np2tnp.analysis.domain.values import NO_NAMES, Function
from np2tnp.analysis.driver.first_party import Target
from np2tnp.analysis.driver.regions import Analysis
from np2tnp.analysis.lowering.nodes import Unsupported
from np2tnp.analysis.lowering.tree import LoweredTree
from np2tnp.analysis.module import tensor_state
from np2tnp.analysis.module.contents import note_replaced
from np2tnp.analysis.syntax.positions import positions, with_blanks
from np2tnp.analysis.syntax.python_tables import BY_ORDER
from np2tnp.analysis.syntax.walk import nodes_of
from np2tnp.catalog.catalog import Catalog
from np2tnp.config import RegionOptions
from np2tnp.files.source import Source
from np2tnp.files.syntax import Trees
from np2tnp.model import RegionState, Span
from np2tnp.rewrite import tensor_boundary
from np2tnp.rewrite.originals import is_protocol
from np2tnp.rewrite.plan import Names as LocalNames
from np2tnp.rewrite.plan import Options, RegionPlan, plan_region
from np2tnp.rewrite.purity import effect_of, is_pure
from np2tnp.rewrite.size_limits import is_vectorized
from np2tnp.rewrite.vendoring import Home
from np2tnp.rewrite.written_imports import choose_names
from np2tnp.rules import rules_by_event
from np2tnp.rules.base import Hit
from np2tnp.rules.constructs import compiled_regions
from np2tnp.rules.cost import part_loops
from np2tnp.rules.host import migrated_callees
from np2tnp.rules.host.migrated_callees import kept_originals, left_out

#: Why a module's top level stays NumPy without --top-level.
NOT_ASKED = "nobody asked for it"


class Words(Container[str]):
    """Every identifier in a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __contains__(self, name: object) -> bool:
        # it begins with the name, which is quick to find
        return isinstance(name, str) and bool(re.search(rf"{name}(?<!\w{name})(?!\w)", self._text))


@dataclass(slots=True)
class Session:
    """One module that is open: its tree, its analysis, and what was decided about its regions."""

    source: Source
    path: str
    tree: cst.Module
    spans: Callable[[Iterable[cst.CSTNode]], dict[int, Span]]  #: where nodes of the tree stand, by id
    is_editable: bool  #: the tree is libcst's own
    options: Options
    wants: Callable[[str], bool]  #: whether the region of this name may be rewritten
    spares: Callable[[str], bool]  #: whether nothing in it is to change
    decided: Callable[[str], RegionOptions]  #: what is special for the region of this name
    left_alone: Callable[[bool], bool]  #: told of what an earlier run left alone; whether the region depends on such
    patched: frozenset[str]
    words: Words
    runtime: Home  #: where rewritten code finds the runtime
    is_spread: bool = False  #: other modules take all its names
    #: found in an earlier round: code that stays NumPy uses them -> where, if not in the module
    leaking: dict[str, str] = field(default_factory=dict)
    regions: dict[str, RegionPlan] = field(default_factory=dict)
    found: dict[str, tuple[Target | None, frozenset[str]]] = field(default_factory=dict)
    operators: tuple[frozenset[str], frozenset[str]] | None = None  #: of imported classes, and where these are
    places: set[str] = field(default_factory=set)  #: what the names of its top level depend on
    names: LocalNames = field(init=False)
    analysis: Analysis = field(init=False)
    originals: frozenset[str] = frozenset()  #: kept beside what an earlier run migrated: nothing to say about them
    library: str = NOT_ASKED  #: why the top level stays NumPy; empty where it is a region
    _left_out: frozenset[str] = frozenset()

    def start(
        self,
        catalog: Catalog,
        project: Answers,
        operators: Callable[[], frozenset[str]],
        replaced: Mapping[str, str],
        compiler: str,
        first_party: frozenset[str],
    ) -> None:
        """Bind the names of the top level. `operators` gives those of the classes that the module imports.

        replaced: names of NumPy's that this code or what it imports replaces -> where; ``own.name``: its own ones.
        compiler, first_party: as ``ModuleInfo.near_compiler`` and ``first_party``.
        """
        wrapped = self.options.boundary == "numpy"
        self.analysis = Analysis(
            self.tree, self.path, catalog, self.decide, project, wrapped, self._text_stays, self._has_door
        )
        info = self.analysis.info
        note_replaced(info, replaced)
        info.near_compiler, info.first_party = compiler, first_party
        info.numpy_names = self.options.numpy_names
        self.analysis.bind_names()
        info.imported_operators = operators
        self.originals, self._left_out = kept_originals(info), left_out(info)
        if self.options.state == "tensor" and not self.options.float32:
            info.state = tensor_state.find(info, catalog, self.spares, self.originals)
            info.state.as_made = not wrapped
        if not any(name in self.source.text for name in BY_ORDER):
            info.by_order = NO_NAMES  # nobody has to look
        self.names = choose_names(info, self.words, self.is_spread, wrapped)

    def decide(self, facts: ev.RegionFacts, again: bool = False, trusting: bool = False) -> Fate:
        """Plan one region; what becomes of it. `again`: the plan is kept only if nothing blocks it.

        `trusting`: as in `plan_region`, which only ``--unsafe`` does.
        """
        if trusting and not self.options.unsafe:
            return Fate.STAYS
        special = self.decided(facts.qualname).compile if facts.qualname != MODULE else "none"
        options = self.options if special is None else replace(self.options, compile=special)

        def planned(options: Options) -> RegionPlan:
            return self._planned(facts, options, trusting)

        if options.compile == "auto":
            plan = self._compiled_or_eager(planned, options)
        else:
            plan = planned(options)
            if options.compile != "none" and not plan.compiled and plan.fate is Fate.MIGRATES:
                plan.edits.clear()  # it reads, and is weighed, as what runs eagerly
                plan = _told(planned(replace(options, compile="none")), plan)
        if plan.state is RegionState.CONVERTIBLE and not self.wants(facts.qualname):
            # its callers are then planned as callers of a NumPy function
            plan.state, plan.is_unwanted = RegionState.KEPT, True
        before = self.regions.get(facts.qualname)
        # a second look that ends with "slow", or finds nothing to migrate, says more than what was in the first's way
        better = plan.fate is Fate.MIGRATES or plan.state in (RegionState.KEPT, RegionState.PLAIN)
        kept, dropped = (before, plan) if before and again and not better else (plan, before)
        if dropped is not None:
            dropped.edits.clear()  # a circle, which would keep the whole module
            dropped.facts.is_displaced = True
        kept.facts.is_displaced = False
        self.regions[facts.qualname] = kept
        return plan.fate

    def _planned(self, facts: ev.RegionFacts, options: Options, trusting: bool = False) -> RegionPlan:
        analysis = self.analysis
        return plan_region(
            facts,
            analysis.info,
            analysis.catalog,
            self.names,
            options,
            analysis,
            rules_by_event(options.compile != "none", options.float32),
            top_level=facts.qualname == MODULE and bool(self.library),
            against=self._against(facts),
            is_pure=self._is_pure,
            trusting=trusting,
            begins_again=lambda: self._begins_again(facts),
            effect=lambda: self._effect(facts),
            compiles=lambda: self._compiles(facts),
        )

    def _compiles(self, facts: ev.RegionFacts) -> bool:
        """Whether the region would run as a graph if somebody asked for that, however slow it is without.

        A call of what has effects, such as drawing, ends the trace; so may a loop that does not count: what it works on
        may grow.
        """
        if facts.classes:
            return False  # what an object holds would be constants of the graph
        loops = [part for part in nodes_of(facts.node) if type(part) in (cst.For, cst.While)]
        if not all(type(loop) is cst.For and part_loops.is_range(loop.iter) for loop in loops):
            return False
        callees = (event.callee for event in facts.events if isinstance(event, ev.Call))
        if not all(self._is_pure(callee) for callee in callees if isinstance(callee, Function)):
            return False
        known = facts.planned
        found = self._planned(facts, replace(self.options, compile="xla", slow="convert"))
        facts.planned = known
        found.edits.clear()  # a circle
        return found.compiled

    def compiled(self, plan: RegionPlan) -> RegionPlan | None:
        """The plan of a region, planned eagerly, as a compiled one; None where it cannot be that."""
        known = plan.facts.planned
        found = self._planned(plan.facts, replace(self.options, compile="xla"))
        plan.facts.planned = known
        if found.compiled and found.state is RegionState.CONVERTIBLE:
            return found
        found.edits.clear()  # a circle
        return None

    def _compiled_or_eager(self, planned: Callable[[Options], RegionPlan], options: Options) -> RegionPlan:
        """The plan under ``--compile auto``: compiled if it can be, of what migrates without compiling, too."""
        plan = planned(replace(options, compile="none"))
        if plan.state is not RegionState.CONVERTIBLE or is_vectorized(plan):
            return plan
        known = plan.facts.planned
        compiled = planned(replace(options, compile="xla"))
        if compiled.compiled and compiled.state is RegionState.CONVERTIBLE:
            plan.edits.clear()
            return compiled
        plan.facts.planned = known
        compiled.edits.clear()
        return _told(plan, compiled)

    def _text_stays(self, name: str) -> bool:
        """Whether the region gets what is text as it is. A compiled one takes no parameter that way."""
        compile_as = self.decided(name).compile or self.options.compile
        return self.options.boundary == "numpy" and compile_as == "none"

    def _has_door(self, name: str) -> bool:
        """Whether a door may be narrowed for plain code: an original answers the rest.

        What works in float32 has the runtime's own functions anyhow.
        """
        info = self.analysis.info
        owner = info.classes.get(info.functions[name].owner or "")
        answers = self.options.on_unverified != "raise" and (owner is None or not is_protocol(owner.node))
        return answers and self.options.boundary == "numpy" and not self.options.float32

    def _is_pure(self, callee: Function) -> bool:
        if callee.module not in ("", self.path):
            return False
        analysis = self.analysis

        def is_traceable(region: ev.RegionFacts) -> bool:
            return compiled_regions.is_traceable(region.node)

        return is_pure(callee.qualname, analysis.facts, analysis.info, analysis.catalog, fits=is_traceable)

    def _begins_again(self, facts: ev.RegionFacts) -> bool:
        analysis = self.analysis
        known = {**analysis.facts, facts.qualname: facts}
        return is_pure(facts.qualname, known, analysis.info, analysis.catalog, methods=True)

    def _effect(self, facts: ev.RegionFacts) -> str:
        analysis = self.analysis
        known = {**analysis.facts, facts.qualname: facts}
        return effect_of(facts.qualname, known, analysis.info, analysis.catalog)

    def _against(self, facts: ev.RegionFacts) -> Hit | None:
        if self.left_alone(facts.qualname in self._left_out):
            return migrated_callees.hit(facts.node)
        if facts.qualname in self.leaking:
            return tensor_boundary.hit(self.analysis.info.functions[facts.qualname], self.leaking[facts.qualname])
        if self.options.boundary == "tensor":
            return tensor_boundary.mixed_up(facts) or tensor_boundary.lost_update(facts, self.analysis.summary)
        return None


def _told(plan: RegionPlan, compiled: RegionPlan) -> RegionPlan:
    """`plan`, with what `compiled` says of why the region is not compiled."""
    plan.hits += [hit for hit in compiled.hits if hit.code == compiled_regions.CODE]
    return plan


Spans = Callable[[Iterable[cst.CSTNode]], dict[int, Span]]


@dataclass(slots=True)
class Parsed:
    """A tree for a text."""

    tree: cst.Module
    spans: Spans  #: where nodes of the tree stand, by id
    is_editable: bool  #: the tree is libcst's own


def parse(text: str, editable: bool, trees: Trees) -> Parsed:
    """A tree for `text` with its places: Python's own, lowered, where nothing is to be edited and that is enough."""
    if not editable:
        try:
            lowered = LoweredTree(text, trees)
            return Parsed(lowered.module, lowered.spans, False)
        except Unsupported:
            pass  # libcst has to read this one
    tree = with_blanks(cst.parse_module(text), text)
    return Parsed(tree, lambda nodes: positions(tree, map(id, nodes)), True)
