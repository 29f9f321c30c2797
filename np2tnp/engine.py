"""One source in, one report out: parse, analyse, ask the rules, and (when asked) rewrite and check the result."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import libcst as cst

from np2tnp.analysis.domain.events import RegionFacts
from np2tnp.analysis.domain.summaries import MODULE
from np2tnp.analysis.domain.values import NO_NAMES, Symbol
from np2tnp.analysis.lowering.nodes import Unsupported
from np2tnp.analysis.syntax.walk import Transformer, walk
from np2tnp.config import NEVER, Config
from np2tnp.edits import layout
from np2tnp.edits.edit import Edits
from np2tnp.files import syntax
from np2tnp.files.problems import Problem, report_problem
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Finding, Region, RegionState, Span, Verdict
from np2tnp.project import Project
from np2tnp.rewrite.apply import Applier
from np2tnp.rewrite.boundaries import (
    Kept,
    Wrapped,
    add_returns,
    of_original,
    settle_zero_d,
    with_last_return,
    wrap_function,
)
from np2tnp.rewrite.buffer_swap_names import Marks, follow
from np2tnp.rewrite.crossings import leave_whole_numbers
from np2tnp.rewrite.originals import (
    below_original,
    is_protocol,
    kept_original,
    original_name,
    place,
    with_block,
    with_exact_warnings,
)
from np2tnp.rewrite.plan import Names, RegionPlan, hands_on
from np2tnp.rewrite.purity import pure_regions
from np2tnp.rewrite.size_limits import EAGERLY, arrays_by_row, is_vectorized, least_elements, made_elements
from np2tnp.rewrite.staging.staged_functions import stage
from np2tnp.rewrite.staging.symbol_reads import array_attributes, beside_tensors, closed, held_arrays, reads_alike
from np2tnp.rewrite.state_reads import lifted_names, live_names, settle, settled_first, with_settled
from np2tnp.rewrite.work import counted_work, why_left
from np2tnp.rewrite.written_imports import add_imports, add_script_start, add_startup, without_unused_imports
from np2tnp.rules.base import Hit
from np2tnp.rules.calls.unknown_values import UnknownValue
from np2tnp.rules.cost.part_loops import BUILTIN
from np2tnp.rules.dtypes.array_subclasses import ArraySubclass, lives_on_masked
from np2tnp.rules.host.migrated_callees import calls_of_runtime
from np2tnp.session import NOT_ASKED, Session

#: What is told where an array is read, and comes of one update before.
_AT_READS = frozenset(("TNP201", "TNP503"))
#: Stores through one name and reads by another, which come of the same ones.
_ALIASES = frozenset(("TNP201", "TNP202"))
_MANY = 4  #: different things in the way of a function, of which nobody mends one after the other
_MOST_LINES = 4  #: of one code behind the first reason
_STAYS = "the module's top level stays NumPy"


class SelfCheckFailed(Exception):  # noqa: N818 # it becomes a finding, not a traceback
    """A rewritten text is not what it must be; the file stays as it is."""


def analyze(source: Source, config: Config, project: Project | None = None) -> FileReport:
    """All that is to say about one file, and its new text where ``config.rewrite`` asks for it and something changes.

    `project` answers about other modules, and may be shared by the files of one run.
    Raises libcst's ParserSyntaxError for what is not Python.
    """
    project = project if project is not None else Project(config)
    try:
        return _analyze(source, config, project, config.rewrite)
    except Unsupported:
        return _analyze(source, config, project, True)  # libcst has to read this one
    finally:
        project.close()


def _analyze(source: Source, config: Config, project: Project, editable: bool) -> FileReport:
    session, places = project.analyze(source, editable)
    depends = tuple((place, project.modules.state(place)) for place in sorted(places))
    report = replace(_report(source, session), depends=depends)
    convertible = [plan for plan in session.regions.values() if plan.state is RegionState.CONVERTIBLE]
    if not convertible:
        return report
    if session.is_editable and session.tree.code != source.text:
        return report_problem(source.path, _loss(source.text, session.tree.code), report)
    if not config.rewrite:
        return report
    try:
        return replace(report, new_text=_rewrite(session, convertible))
    except SelfCheckFailed as error:
        return report_problem(source.path, Problem("TNP907", str(error)), report)


def _report(source: Source, session: Session) -> FileReport:
    plans = session.regions.values()
    wanted = {id(hit.node): hit.node for plan in plans for hit in (*plan.hits, *plan.behind)}
    wanted.update({id(plan.facts.node): plan.facts.node for plan in plans})
    module = session.analysis.info
    migrated = [info for info in module.functions.values() if info.is_migrated]
    wanted.update({id(info.node): info.node for info in migrated})
    unresolved = {id(node): node for node in session.analysis.unresolved}
    spans = session.spans(node for node in (wanted | unresolved).values() if type(node) is not cst.Module)
    lines = source.text.removesuffix("\n").split("\n")
    is_test = source.is_test
    masked = lives_on_masked(plan.hits for plan in plans if plan.edits.total and plan.state is not RegionState.PLAIN)
    findings: set[Finding] = set()
    regions: list[Region] = []
    for plan in plans:
        name = plan.facts.qualname
        fixable = plan.state is RegionState.CONVERTIBLE
        first = next((hit for hit in plan.reasons if id(hit.node) in spans), None)
        for hit in _told_once(plan.hits):
            span = spans.get(id(hit.node), Span(1, 1, 1, 1))
            changes = fixable and hit.verdict in (Verdict.CONVERT, Verdict.ADAPT)
            message = hit.message if fixable else hit.message.replace(" becomes ", " would become ")
            words = sys.intern(message)  # most are said again and again
            told = (hit.code, words, hit.verdict, hit.safety, name, changes)
            left = hit.left
            if hit is first and not left and not fixable:
                unknown = hit.code == UnknownValue.doc.code  # how much is done there, nobody knows
                left = (
                    "test" if is_test else "" if unknown or hands_on(plan.facts, plan.edits) else why_left(plan.facts)
                )
                left = left or ("several" if len(_kinds(plan)) >= _MANY else "")
                left = left or ("masked" if masked and hit.code == ArraySubclass.doc.code else "")
            elif hit is first and left == "unseen" and why_left(plan.facts) == "plots":
                left = "plots"
            then = _what_then(plan, hit, spans) if hit is first and not left else ""
            findings.add(Finding(source.path, span, *told, decides=hit is first, left=left, then=then))
        reasons = tuple(
            dict.fromkeys(
                f"{hit.code} line {spans[id(hit.node)].line}: {hit.message}"
                for hit in _told_once(plan.reasons)
                if id(hit.node) in spans
            )
        )
        if plan.is_unwanted:
            reasons = ("it was not to be rewritten",)
        if name == MODULE:
            span = Span(1, 1, len(lines), len(lines[-1]) + 1)
            if session.library and session.library != NOT_ASKED:
                reasons = (f"{_STAYS}: {session.library}",)
            elif plan.state is RegionState.KEPT and not reasons:
                reasons = (_STAYS,)
        else:
            span = spans.get(id(plan.facts.node), Span(1, 1, 1, 1))
        regions.append(Region(name, span, plan.state, reasons, plan.edits.total, plan.edits.converted, plan.float32))
    for info in migrated:
        calls = calls_of_runtime(info, module)
        span = spans.get(id(info.node), Span(1, 1, 1, 1))
        regions.append(Region(info.qualname, span, RegionState.MIGRATED, calls=calls, converted=calls))
    uses = any(plan.edits.total or (plan.hits and plan.state is not RegionState.PLAIN) for plan in plans)
    return FileReport(
        source.path,
        tuple(sorted(findings, key=_order)),
        tuple(sorted(regions, key=lambda region: region.span)),
        uses_numpy=uses or bool(migrated),
        unresolved=tuple(sorted({spans[key].line if key in spans else 1 for key in unresolved})),
    )


def _what_then(plan: RegionPlan, first: Hit, spans: Mapping[int, Span]) -> str:
    """What else stands in the way of a region, by code and line, where what is told `first` is mended."""
    places: dict[str, set[int]] = {}
    for hit in _told_once([*plan.reasons, *plan.behind]):
        if id(hit.node) in spans and (hit.code, hit.message) != (first.code, first.message):
            if first.code in _ALIASES and hit.code in _ALIASES:
                continue  # what was stored through another name is read
            places.setdefault(hit.code, set()).add(spans[id(hit.node)].line)
    if first.code != BUILTIN:  # of these, each has an advice of its own: any(x > sum(y))
        places.get(first.code, set()).discard(spans[id(first.node)].line)
    return ", ".join(f"{code} in {_lines(found)}" for code, found in places.items() if found)


def _kinds(plan: RegionPlan) -> set[str]:
    """The codes of all that stands in the way of a region, those that come of the same stores once."""
    codes = {hit.code for hit in (*plan.reasons, *plan.behind)}
    return codes - {"TNP201"} if codes >= _ALIASES else codes


def _lines(numbers: set[int]) -> str:
    """``line 3, line 5 and line 8``; of many the first."""
    words = [f"line {number}" for number in sorted(numbers)]
    words = words if len(words) <= _MOST_LINES else [*words[: _MOST_LINES - 1], f"{len(words) - _MOST_LINES + 1} more"]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _told_once(hits: list[Hit]) -> Iterator[Hit]:
    """The findings of a region; of the reads that one update elsewhere blocks, the first."""
    told: set[tuple[str, str]] = set()
    for hit in hits:
        if hit.verdict is Verdict.BLOCK and hit.code in _AT_READS:
            if (hit.code, hit.message) in told:
                continue
            told.add((hit.code, hit.message))
        yield hit


def _order(finding: Finding) -> tuple[int, int, int, int, str, str]:
    """As ``sort_key`` within one file, of numbers and words only: it is compared a hundred thousand times."""
    span = finding.span
    return span.line, span.column, span.end_line, span.end_column, finding.code, finding.message


def _rewrite(session: Session, convertible: list[RegionPlan]) -> str:
    """The module's text with the convertible regions rewritten. Raises SelfCheckFailed."""
    tree, names, analysis = session.tree, session.names, session.analysis
    replaced: dict[int, list[cst.FunctionDef]] = {}
    needs: set[str] = set()
    originals: dict[str, set[str]] = {}  # qualified name of a class, "" for the module → names of the originals in it
    wrapped = session.options.boundary == "numpy"
    keeps = wrapped and session.options.on_unverified != "raise"
    pure: frozenset[str] = frozenset()
    if keeps:
        pure = pure_regions(analysis.facts, analysis.info, analysis.catalog, methods=True)
    width = layout.width_of(session.source.text)
    held = live_names(convertible, analysis.info, wrapped) if analysis.info.state.names else frozenset()
    top: RegionPlan | None = None
    names_of = frozenset(plan.facts.qualname for plan in convertible)
    placed = place(analysis.info, names_of, session.source.text, session.words)
    apart: dict[str, cst.FunctionDef] = {}
    imported = [name for name, value in analysis.info.values.items() if isinstance(value, Symbol)]
    bodies = {
        plan.facts.qualname: _body(session, plan, held)
        for plan in convertible
        if isinstance(plan.facts.node, cst.FunctionDef)
    }
    hot = _hot(session, convertible, bodies, held) if session.options.hot and keeps else frozenset()
    for plan in convertible:
        node = plan.facts.node
        if isinstance(node, cst.Module):
            top = plan
            continue
        assert isinstance(node, cst.FunctionDef)
        kind, marks, migrated = bodies[plan.facts.qualname]
        kept = None
        special = session.decided(plan.facts.qualname)
        compile_as = (special.compile or session.options.compile) if plan.compiled else "none"
        above = least_elements(plan, special.above, session.options.slow, compile_as, keeps)
        scope = plan.facts.qualname.rpartition(".")[0]
        owner = analysis.info.classes.get(scope)
        if (keeps or (wrapped and above)) and (owner is None or not is_protocol(owner.node)):
            is_apart = plan.facts.qualname in placed.apart
            taken = originals.setdefault(scope, set())
            name = placed.name if is_apart else original_name(node.name.value, session.words, taken)
            eager = compile_as in EAGERLY and not plan.float32
            has_test = above != NEVER and (above or (above is None and eager))
            made = made_elements(plan.facts) if has_test else None
            rows = arrays_by_row(plan.facts) if has_test and not is_vectorized(plan) else ()
            decides = has_test and above is None and not rows and not session.options.device
            work = counted_work(plan.facts) if decides else None
            is_pure = plan.facts.qualname in pure
            kept = Kept(name, session.options.on_unverified, is_pure, above, made, rows, work, is_apart)
        is_hot = kept is not None and plan.facts.qualname in hot
        indent = len(tree.default_indent) * plan.facts.qualname.count(".")
        if wrapped:
            reads = (plan.compiled or is_hot) and plan.facts.parameters[:1] == ("self",)
            admitted = held_arrays(plan.facts) if is_hot else NO_NAMES
            beside = beside_tensors(plan.facts.node, plan.edits.beside_tensors)
            state = array_attributes(migrated, names.rt, admitted, beside) if reads else None
            lifted = lifted_names(plan, analysis.info, held)
            compile_as = "auto" if is_hot else compile_as
            known = Wrapped(kind, compile_as, session.options.device, plan.float32, state, lifted, is_hot)
            migrated = wrap_function(migrated, plan.facts, names.rt, known, kept, indent, width, marks)
            if plan.compiled:
                migrated = stage(migrated, names.rt, frozenset(analysis.info.values))
        else:
            migrated = with_last_return(migrated, plan.facts, None)
        replaced[id(node)] = [migrated]
        if kept is not None:
            original = with_settled(node, held, names.rt, plan.facts.alone)
            original = with_exact_warnings(original, plan.edits.warns, names.rt)
            original = kept_original(original, kept.name, imported)
            if kept.is_apart:
                made_for = of_original(plan.facts, names.rt, known, kept)
                apart[plan.facts.qualname] = original.with_changes(decorators=[layout.broken(made_for, 0, width)])
            else:
                replaced[id(node)] = [original, below_original(migrated)]
        needs |= _named(migrated, names)
    done = set(replaced)
    for name, function in analysis.info.functions.items() if held else ():
        if id(function.node) in done or function.is_migrated or name in session.originals:
            continue
        facts = analysis.facts.get(name)
        settled = with_settled(function.node, held, names.rt, facts is not None and facts.alone)
        if settled is not function.node:
            replaced[id(function.node)] = [settled]
            needs.add("rt")
    tree = with_block(tree, [apart[name] for name in analysis.info.functions if name in apart], placed.at)
    new_tree = tree.visit(_Swap(replaced) if top is None else _SwapInScript(replaced, top.edits, names.rt))
    assert isinstance(new_tree, cst.Module)
    if top is not None:
        needs |= {"rt"} | _named(new_tree, names)
    behavior = session.options.numpy_behavior if wrapped or session.options.numpy_behavior != "call" else "import"
    if behavior != "call":
        needs.add("rt")
    new_tree = add_imports(new_tree, needs, names, analysis.info, session.runtime, waits=wrapped)
    if top is not None:
        new_tree = add_script_start(new_tree, names.rt, session.options.device)
    else:
        new_tree = add_startup(new_tree, behavior, names.rt)
    new_text = new_tree.code
    try:
        syntax.compile_quietly(new_text, session.source.compiler_flags)
    except (SyntaxError, ValueError) as error:
        if syntax.is_accepted(session.source.text):
            raise SelfCheckFailed(f"the rewritten text does not compile: {error}") from None
        _require_python(new_text)  # in a newer Python than the one that runs this
    return new_text


class _Body(NamedTuple):
    """What becomes of a function, without its decorator. kind: the decorator's ``zero_d``."""

    kind: str
    marks: Marks
    function: cst.FunctionDef


def _body(session: Session, plan: RegionPlan, held: frozenset[str]) -> _Body:
    node, edits, names = plan.facts.node, plan.edits, session.names
    assert isinstance(node, cst.FunctionDef)
    wrapped = session.options.boundary == "numpy"
    kind = settle_zero_d(plan.facts, edits, names.rt) if wrapped else ""
    marks = follow(plan.facts, edits, session.words)
    add_returns(plan.facts, edits, names.rt if wrapped else None, marks)
    if wrapped and not plan.compiled:
        leave_whole_numbers(plan.facts, edits)
    first = settle(plan, held, session.analysis.info, edits, names.rt)
    body = node.body.visit(Applier(edits, names.rt))
    assert isinstance(body, cst.BaseSuite)
    body = settled_first(without_unused_imports(node.body, body), first, names.rt)
    return _Body(kind, marks, node.with_changes(body=body))


def _hot(
    session: Session, convertible: list[RegionPlan], bodies: Mapping[str, _Body], held: frozenset[str]
) -> frozenset[str]:
    """Functions whose text may be traced as it is: the runtime compiles what of them turns out to be hot."""
    found: dict[str, RegionFacts] = {}
    shadowed = frozenset(session.analysis.info.values)
    for plan in convertible:
        name = plan.facts.qualname
        special = session.decided(name).compile
        twin = session.compiled(plan) if name in bodies and special is None and not plan.float32 else None
        if twin is None:
            continue
        kind, _, compiled = _body(session, twin, held)
        twin.edits.clear()  # a circle, which would keep the whole module
        text = bodies[name].function
        held_as = held_arrays(plan.facts)
        beside = beside_tensors(plan.facts.node, plan.edits.beside_tensors)
        if not held_as <= {*array_attributes(text, session.names.rt, held_as, beside)}:
            continue  # NumPy reads an array of the object
        if kind == bodies[name].kind and reads_alike(text, compiled, session.names.rt, shadowed):
            found[name] = plan.facts
    return closed(found, bodies, session.path)


def _named(node: cst.CSTNode, names: Names) -> set[str]:
    """Which of the modules "tf", "tnp" and "rt" the code names."""
    owners = (part.value for part in walk(node) if type(part) is cst.Attribute)
    used = {owner.value for owner in owners if type(owner) is cst.Name}
    return {module for module, name in (("tf", names.tf), ("tnp", names.tnp), ("rt", names.rt)) if name in used}


def _loss(text: str, printed: str) -> Problem:
    """What the parser did not keep of `text`."""
    lines = zip(text.splitlines(keepends=True), printed.splitlines(keepends=True), strict=False)
    line = next((number for number, (old, new) in enumerate(lines, 1) if old != new), 1)
    reason = "has white space in this line that the parser loses; a rewrite would change the line"
    return Problem("TNP905", reason, line)


def _require_python(text: str) -> None:
    try:
        cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise SelfCheckFailed(f"the rewritten text is not Python: {error.message}") from None


class _Swap(Transformer):
    """Puts rewritten functions, and the originals that are kept beside them, in the place of the functions."""

    def __init__(self, replaced: dict[int, list[cst.FunctionDef]]) -> None:
        super().__init__()
        self.replaced = replaced

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:  # noqa: N802 # libcst's name
        return id(node) not in self.replaced

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:  # noqa: N802 # libcst's name
        return False

    def leave_FunctionDef(  # noqa: N802 # libcst's name
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FlattenSentinel[cst.BaseStatement]:
        return cst.FlattenSentinel(self.replaced.get(id(original_node), [updated_node]))


class _SwapInScript(Applier):
    """As `_Swap`, and rewrites the statements around the functions."""

    def __init__(self, replaced: dict[int, list[cst.FunctionDef]], edits: Edits, runtime: str) -> None:
        super().__init__(edits, runtime)
        self.swap = _Swap(replaced)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:  # noqa: N802 # libcst's name
        return False

    def leave_FunctionDef(  # noqa: N802 # libcst's name
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FlattenSentinel[cst.BaseStatement]:
        return self.swap.leave_FunctionDef(original_node, updated_node)
