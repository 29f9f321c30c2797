"""One source in, one report out: parse, analyse, ask the rules, and (when asked) rewrite and check the result."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.lowering.nodes import Unsupported
from np2tnp.analysis.lowering.tree import LoweredTree
from np2tnp.analysis.positions import positions
from np2tnp.analysis.regions import MODULE, Analysis
from np2tnp.catalog.catalog import load
from np2tnp.config import Config, RegionOptions
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Finding, Region, RegionState, Safety, Span, Verdict
from np2tnp.rewrite import tensor_boundary
from np2tnp.rewrite.apply import Applier
from np2tnp.rewrite.boundaries import Kept, add_returns, settle_zero_d, with_last_return, wrap_function
from np2tnp.rewrite.imports import add_imports, choose_names
from np2tnp.rewrite.originals import below_original, kept_original, original_name
from np2tnp.rewrite.plan import Names, Options, RegionPlan, plan_region
from np2tnp.rewrite.purity import pure_regions
from np2tnp.rewrite.staging import stage
from np2tnp.rules import migrated_callees, rules_by_event
from np2tnp.rules.base import Hit
from np2tnp.rules.migrated_callees import left_out

_WORD = re.compile(r"[^\W\d]\w*")
#: From nodes to their spans by id.
_Places = Callable[[Iterable[cst.CSTNode]], dict[int, Span]]


class SelfCheckFailed(Exception):  # noqa: N818 # it becomes a finding, not a traceback
    """A rewritten text is not what it must be; the file stays as it is."""


@dataclass(slots=True)
class _Plans:
    """Decides about the regions of one module, as the analysis asks."""

    options: Options
    words: frozenset[str]
    wants: Callable[[str], bool]  #: whether the region of this name may be rewritten
    decided: Callable[[str], RegionOptions]  #: what is special for the region of this name
    analysis: Analysis | None = None
    names: Names | None = None
    regions: dict[str, RegionPlan] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    leaking: frozenset[str] = frozenset()  #: found in an earlier round: code that stays NumPy uses them

    def decide(self, facts: ev.RegionFacts) -> bool:
        """Plan one region; whether it will be migrated."""
        analysis = self.analysis
        assert analysis is not None
        if self.names is None:
            self.names = choose_names(analysis.info, self.words)
            self.left_out = left_out(analysis.info)
        plan = plan_region(
            facts,
            analysis.info,
            analysis.services.catalog,
            self.names,
            self.options,
            analysis.summary,
            rules_by_event(),
            top_level=facts.qualname == MODULE,
            against=self._against(facts),
        )
        if plan.state is RegionState.CONVERTIBLE and not self.wants(facts.qualname):
            # its callers are then planned as callers of a NumPy function
            plan.state, plan.is_unwanted = RegionState.KEPT, True
        self.regions[facts.qualname] = plan
        return plan.state is RegionState.CONVERTIBLE

    def _against(self, facts: ev.RegionFacts) -> Hit | None:
        assert self.analysis is not None
        if facts.qualname in self.left_out:
            return migrated_callees.hit(facts.node)
        if facts.qualname in self.leaking:
            return tensor_boundary.hit(self.analysis.info.functions[facts.qualname])
        return None


def analyze(source: Source, config: Config) -> FileReport:
    """All that is to say about one file, and its new text where ``config.rewrite`` asks for it and something changes.

    Raises libcst's ParserSyntaxError for what is not Python, SyntaxError for what only Python's compiler refuses.
    """
    if not config.rewrite:
        try:
            lowered = LoweredTree(source.text)
            return _analyze(source, config, lowered.module, lowered.spans)
        except Unsupported:
            pass  # libcst has to read this one
    tree = cst.parse_module(source.text)
    return _analyze(source, config, tree, lambda nodes: positions(tree, map(id, nodes)))


def _analyze(source: Source, config: Config, tree: cst.Module, places: _Places) -> FileReport:
    """`tree` is `source` parsed; to be rewritten it must be libcst's own."""
    plans, analysis = _planned(tree, source, config)
    try:
        while config.boundary == "tensor" and (more := tensor_boundary.leaking(plans.regions.values(), analysis.info)):
            earlier = analysis
            plans, analysis = _planned(tree, source, config, plans.leaking | more)
            earlier.release()
        new_text: str | None = None
        problem: Finding | None = None
        convertible = [plan for plan in plans.regions.values() if plan.state is RegionState.CONVERTIBLE]
        if config.rewrite and convertible:
            try:
                new_text = _rewrite(source.text, tree, plans, convertible)
            except SelfCheckFailed as error:
                problem = Finding(source.path, Span(1, 1, 1, 1), "TNP907", str(error), Verdict.BLOCK)
        report = _report(source, plans, analysis, places)
    finally:
        analysis.release()
    if problem is None:
        return replace(report, new_text=new_text)
    findings = tuple(sorted((*report.findings, problem), key=lambda item: item.sort_key))
    return replace(report, findings=findings, error=problem.message)


def _planned(
    tree: cst.Module, source: Source, config: Config, leaking: frozenset[str] = frozenset()
) -> tuple[_Plans, Analysis]:
    """Every region of the module with what is decided about it."""
    plans = _Plans(
        Options(config.slow, config.random, config.on_unverified, config.boundary, config.compile),
        frozenset(_WORD.findall(source.text)),
        functools.partial(config.wants_region, source.path),
        functools.partial(config.options_of, source.path),
        leaking=leaking,
    )
    plans.analysis = analysis = Analysis(tree, load(config.target_tensorflow), plans.decide)
    try:
        analysis.run()
        plans.decide(analysis.facts[MODULE])
    except BaseException:
        analysis.release()
        raise
    return plans, analysis


def _report(source: Source, plans: _Plans, analysis: Analysis, places: _Places) -> FileReport:
    wanted = {id(hit.node): hit.node for plan in plans.regions.values() for hit in plan.hits}
    wanted.update({id(plan.facts.node): plan.facts.node for plan in plans.regions.values()})
    spans = places(node for node in wanted.values() if type(node) is not cst.Module)
    last = max(1, source.text.count("\n"))
    findings: set[Finding] = set()
    regions: list[Region] = []
    for plan in plans.regions.values():
        name = plan.facts.qualname
        fixable = plan.state is RegionState.CONVERTIBLE
        for hit in plan.hits:
            span = spans.get(id(hit.node), Span(1, 1, 1, 1))
            changes = fixable and hit.verdict in (Verdict.CONVERT, Verdict.ADAPT)
            findings.add(Finding(source.path, span, hit.code, hit.message, hit.verdict, Safety.SAFE, name, changes))
        reasons = tuple(
            dict.fromkeys(
                f"{hit.code} line {spans[id(hit.node)].line}: {hit.message}"
                for hit in plan.reasons
                if id(hit.node) in spans
            )
        )
        if plan.is_unwanted:
            reasons = ("it was not to be rewritten",)
        if name == MODULE:
            span = Span(1, 1, last, 1)
            if plan.state is RegionState.KEPT:
                reasons = ("the module's top level stays NumPy",)
        else:
            span = spans.get(id(plan.facts.node), Span(1, 1, 1, 1))
        regions.append(Region(name, span, plan.state, reasons, plan.edits.total, plan.edits.converted))
    uses = any(plan.edits.total or plan.hits for plan in plans.regions.values())
    return FileReport(
        source.path,
        tuple(sorted(findings, key=lambda item: item.sort_key)),
        tuple(sorted(regions, key=lambda region: region.span)),
        uses_numpy=uses,
        unresolved=analysis.unresolved,
    )


def _rewrite(text: str, tree: cst.Module, plans: _Plans, convertible: list[RegionPlan]) -> str:
    """The module's text with the convertible regions rewritten. Raises SelfCheckFailed."""
    assert plans.names is not None
    assert plans.analysis is not None
    if tree.code != text:
        raise SelfCheckFailed("this file does not survive parsing and printing unchanged (a form feed or a lone CR?)")
    names = plans.names
    replaced: dict[int, list[cst.FunctionDef]] = {}
    needs: set[str] = set()
    keeps = plans.options.on_unverified != "raise"
    analysis = plans.analysis
    pure = pure_regions(analysis.facts, analysis.info, analysis.services.catalog) if keeps else frozenset()
    for plan in convertible:
        node = plan.facts.node
        assert isinstance(node, cst.FunctionDef)
        wrapped = plans.options.boundary == "numpy"
        kind = settle_zero_d(plan.facts, plan.edits, names.rt) if wrapped else ""
        add_returns(plan.facts, plan.edits, names.rt if wrapped else None)
        body = node.body.visit(Applier(plan.edits, names.rt))
        assert isinstance(body, cst.BaseSuite)
        kept = None
        above = plans.decided(plan.facts.qualname).above
        if wrapped and (keeps or above):
            name = original_name(node.name.value, plans.words)
            kept = Kept(name, plans.options.on_unverified, plan.facts.qualname in pure, above)
        migrated = node.with_changes(body=body)
        if wrapped:
            compile_as = plans.options.compile if plan.compiled else "none"
            migrated = wrap_function(migrated, plan.facts, names.rt, kind, kept, compile_as)
            if plan.compiled:
                migrated = stage(migrated, names.rt, frozenset(plans.analysis.info.values))
        else:
            migrated = with_last_return(migrated, plan.facts, None)
        replaced[id(node)] = [migrated] if kept is None else [kept_original(node, kept.name), below_original(migrated)]
        code = tree.code_for_node(migrated)
        needs |= {module for module, name in (("tnp", names.tnp), ("rt", names.rt)) if f"{name}." in code}
    new_tree = tree.visit(_Swap(replaced))
    assert isinstance(new_tree, cst.Module)
    new_text = add_imports(new_tree, needs, names, analysis.info).code
    try:
        compile(new_text, "<rewritten>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        compile(text, "<original>", "exec", dont_inherit=True)  # parsers accept `return` outside of a function
        raise SelfCheckFailed(f"the rewritten text does not compile: {error}") from None
    return new_text


class _Swap(cst.CSTTransformer):
    """Puts rewritten functions, and the originals that are kept beside them, in the place of the functions."""

    def __init__(self, replaced: dict[int, list[cst.FunctionDef]]) -> None:
        super().__init__()
        self.replaced = replaced

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:  # noqa: N802 # libcst's name
        return id(node) not in self.replaced

    def leave_FunctionDef(  # noqa: N802 # libcst's name
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FlattenSentinel[cst.BaseStatement]:
        return cst.FlattenSentinel(self.replaced.get(id(original_node), [updated_node]))
