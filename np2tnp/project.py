"""The modules of a project as the engine sees them: opened when somebody asks, each question answered once.

What is known of a function, a class or a name of another module depends on the files of the project only: never on
which of them a command line names, nor on the order in which they are looked at.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.imports import SAME_AS
from np2tnp.analysis.lowering.nodes import Unsupported
from np2tnp.analysis.lowering.tree import LoweredTree
from np2tnp.analysis.positions import positions
from np2tnp.analysis.project import Names, Target
from np2tnp.analysis.regions import MODULE, Analysis, Fate
from np2tnp.analysis.scripts import Script, script_of
from np2tnp.analysis.solver import Key, Solver
from np2tnp.analysis.state import ClassSummary, Summary
from np2tnp.analysis.values import (
    HOST,
    Array,
    Class,
    Const,
    Function,
    Scalar,
    Symbol,
    Unknown,
    Value,
)
from np2tnp.catalog.catalog import Catalog, load
from np2tnp.config import Config, RegionOptions
from np2tnp.files import guards
from np2tnp.files.modules import Modules
from np2tnp.files.outline import patched_names
from np2tnp.files.problems import Problem
from np2tnp.files.scripts import Importers
from np2tnp.files.source import Source
from np2tnp.files.trees import Trees
from np2tnp.model import RegionState, Span
from np2tnp.rewrite import tensor_boundary
from np2tnp.rewrite.imports import choose_names
from np2tnp.rewrite.plan import Names as LocalNames
from np2tnp.rewrite.plan import Options, RegionPlan, plan_region
from np2tnp.rewrite.purity import pure_regions
from np2tnp.rewrite.vendoring import INSTALLED, Home, vendored
from np2tnp.rules import migrated_callees, rules_by_event
from np2tnp.rules.base import Hit
from np2tnp.rules.decorators import is_opaque
from np2tnp.rules.migrated_callees import kept_originals, left_out

_CLASS, _ATTRIBUTES, _FUNCTION = range(3)
#: Among the places of an answer: it depends on what an earlier run migrated.
_MIGRATED = "<migrated>"
#: Why a module's top level stays NumPy without --top-level.
NOT_ASKED = "nobody asked for it"
#: Trees are large: after each file it is closed, as hardly anybody asks for more than its answers, and others are until
#: the text of those that stay open is no longer than this.
_OPEN_TEXT = 2_000_000


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
    decided: Callable[[str], RegionOptions]  #: what is special for the region of this name
    left_alone: Callable[[bool], bool]  #: told of what an earlier run left alone; whether the region depends on such
    patched: frozenset[str]
    words: Words
    runtime: Home  #: where rewritten code finds the runtime
    leaking: frozenset[str] = frozenset()  #: found in an earlier round: code that stays NumPy uses them
    regions: dict[str, RegionPlan] = field(default_factory=dict)
    found: dict[str, tuple[Target | None, frozenset[str]]] = field(default_factory=dict)
    names: LocalNames = field(init=False)
    analysis: Analysis = field(init=False)
    originals: frozenset[str] = frozenset()  #: kept beside what an earlier run migrated: nothing to say about them
    library: str = NOT_ASKED  #: why the top level stays NumPy; empty where it is a region
    _left_out: frozenset[str] = frozenset()

    def start(self, catalog: Catalog, project: Project) -> None:
        """Bind the names of the top level."""
        self.analysis = Analysis(self.tree, self.path, catalog, self.decide, project)
        self.analysis.bind_names()
        info = self.analysis.info
        self.names = choose_names(info, self.words)
        self.originals, self._left_out = kept_originals(info), left_out(info)

    def decide(self, facts: ev.RegionFacts, again: bool = False) -> Fate:
        """Plan one region; what becomes of it. `again`: the plan is kept only if it migrates."""
        analysis = self.analysis
        special = self.decided(facts.qualname).compile if facts.qualname != MODULE else "none"
        plan = plan_region(
            facts,
            analysis.info,
            analysis.catalog,
            self.names,
            self.options if special is None else replace(self.options, compile=special),
            analysis,
            rules_by_event(),
            top_level=facts.qualname == MODULE and bool(self.library),
            against=self._against(facts),
            is_pure=self._is_pure,
        )
        if plan.state is RegionState.CONVERTIBLE and not self.wants(facts.qualname):
            # its callers are then planned as callers of a NumPy function
            plan.state, plan.is_unwanted = RegionState.KEPT, True
        before = self.regions.get(facts.qualname)
        kept, dropped = (before, plan) if before and again and plan.fate is not Fate.MIGRATES else (plan, before)
        if dropped is not None:
            dropped.edits.clear()  # a circle, which would keep the whole module
        self.regions[facts.qualname] = kept
        return plan.fate

    def _is_pure(self, callee: Function) -> bool:
        analysis = self.analysis
        own = callee.module in ("", self.path)
        return own and callee.qualname in pure_regions(analysis.facts, analysis.info, analysis.catalog)

    def _against(self, facts: ev.RegionFacts) -> Hit | None:
        if self.left_alone(facts.qualname in self._left_out):
            return migrated_callees.hit(facts.node)
        if facts.qualname in self.leaking:
            return tensor_boundary.hit(self.analysis.info.functions[facts.qualname])
        return None


class Project:
    """Answers what the analysis of one module asks about all modules around it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.catalog = load(config.target_tensorflow, config.target_numpy)
        self.modules = Modules()
        self.names = Names(self.modules)
        self.solver = Solver(self._compute)
        self._importers = Importers(config.root, frozenset(config.exclude), self.modules)
        self._main = ""  #: the module whose report is being made
        self._sessions: dict[str, Session | None] = {}  # the least recently used first
        self._values: dict[str, dict[str, Value]] = {}  #: by module: what the top levels of closed ones bind

    # ---- for the engine

    def analyze(self, source: Source, editable: bool) -> tuple[Session, frozenset[str]]:
        """The session of a file with all its regions decided, and the places that they depend on.

        `editable`: with a tree that can be rewritten.
        Raises libcst's ParserSyntaxError for what is not Python.
        """
        path = os.path.abspath(source.path)
        self._main = path
        session = self._sessions.get(path)
        if session is None or session.source.text != source.text or (editable and not session.is_editable):
            session = self._sessions[path] = self._open(source, path, editable)
        places = self._decide(session)
        if self.config.boundary == "tensor":
            while more := tensor_boundary.leaking(session.regions.values(), session.analysis.info):
                self.solver.forget_module(path)
                session.leaking |= more
                session.regions.clear()
                places = self._decide(session)
        return session, places

    def _decide(self, session: Session) -> frozenset[str]:
        """Decide about all regions of a module; the places that they depend on."""
        path = session.path
        places: set[str] = set()
        session.analysis.analyze_top_level(self._script(session))
        for name, function in session.analysis.info.functions.items():
            key = Key(path, _FUNCTION, name)
            if function.is_migrated or name in session.originals:
                continue
            if name not in session.regions and self.solver.answer(key) is not None:
                first = self.solver.first_of(key)  # it was decided while the module was open before
                self.solver.forget(key)
                self.solver.ask(first)
            self.solver.ask(key)
            answer = self.solver.answer(key)
            places |= answer.places if answer is not None else frozenset()
        session.decide(session.analysis.facts[MODULE])
        for name in session.originals:  # their decorators ask about them
            session.regions.pop(name, None)
        return frozenset(places - {path, _MIGRATED})

    def _script(self, session: Session) -> Script | None:
        """The module's top level as a region; None where it stays NumPy."""
        if not self.config.top_level:
            return None
        session.library = self._importers.why_library(session.path)
        if not session.library and migrated_callees.is_migrated_script(session.analysis.info):
            session.library = "it was migrated before, or uses what was"
        if not session.library and self.config.enable_numpy_behavior == "never":
            session.library = "--enable-numpy-behavior never leaves TensorFlow's start to the program"
        if session.library:
            return None
        try:
            return script_of(session.tree, session.source.text)
        except SyntaxError:
            session.library = "this Python cannot read it"
            return None

    def close(self) -> None:
        """Let go of the trees of the module that was analysed last, and of those that were not used lately."""
        size = 0
        for path in reversed(list(self._sessions)):
            session = self._sessions[path]
            size += len(session.source.text) if session is not None else 0
            if session is not None and (path == self._main or size > _OPEN_TEXT):
                del self._sessions[path]
                self._values[path] = _shareable(session.analysis.info.values)
                # Without circles the tree goes now, and nobody has to look for it.
                session.analysis.release()
                for plan in session.regions.values():
                    plan.edits.clear()

    # ---- for analyses (regions.Project)

    def summary(self, function: Function) -> Summary | None:
        found: Summary | None = self.solver.ask(Key(function.module, _FUNCTION, function.qualname))
        return found

    def class_of(self, module: str, qualname: str) -> ClassSummary | None:
        found: ClassSummary | None = self.solver.ask(Key(module, _CLASS, qualname))
        return found

    def attributes(self, module: str, qualname: str) -> Mapping[str, Value]:
        return self.solver.ask(Key(module, _ATTRIBUTES, qualname)) or {}

    def resolve(self, module: str, name: str) -> Value | None:
        if self.catalog.get(name) is not None or name.startswith(("builtins.", "numpy.")) or self.catalog.is_pure(name):
            return None
        session = self._sessions.get(module)
        if session is None or self.config.boundary == "tensor":
            return None  # without wrappers nothing tells whether another module was rewritten
        target = self._find(session, name)
        if target is None or target.kind == "module" or name.rpartition(".")[2] in session.patched:
            return None
        if target.kind == "outside":
            full = SAME_AS.get(target.name, target.name)
            return Symbol(full) if full != name else None
        if target.kind == "class":
            return Class(target.name, target.module)
        if target.kind == "function":
            return self._function(target)
        return self._value(target)

    def star_names(self, module: str, imported: str) -> tuple[str, ...]:
        return self.names.public(module, imported)

    # ---- names

    def _find(self, session: Session, name: str) -> Target | None:
        known = session.found.get(name)
        if known is None:
            self.names.places.clear()
            target = self.names.find(session.path, name)
            known = session.found[name] = (target, frozenset(self.names.places))
        self.solver.note(known[1])
        return known[0]

    def _function(self, target: Target) -> Value | None:
        owner, _, name = target.name.rpartition(".")
        if not owner:
            return Function(target.name, module=target.module)
        summary = self.class_of(target.module, owner)
        method = summary.methods.get(name) if summary is not None else None
        return method[0] if method is not None and method[1] in ("method", "static") else None

    def _value(self, target: Target) -> Value:
        """A constant or an array that another module's top level makes."""
        if target.binding.detail is not None:
            return Const.of(target.binding.detail)
        location = frozenset((f"global:{target.module}:{target.name}",))
        text = self.modules.text(target.module) or ""
        values = self._values.get(target.module)
        if values is None and any(needle in text for needle in self.config.needles):
            session = self._session(target.module)
            values = session.analysis.info.values if session is not None else None
        value = values.get(target.name) if values is not None else None
        if isinstance(value, Array):
            return Array(HOST, value.dtypes, value.rank, location, weak=value.weak)
        return value if isinstance(value, (Const, Scalar)) else Unknown(HOST, location)

    # ---- answers

    def _compute(self, key: Key) -> object:
        try:
            return self._answer(key)
        except Exception:
            if key.module == self._main:
                raise
            return None  # its own report says what is wrong with it; for others it is unresolved

    def _answer(self, key: Key) -> object:
        session = self._session(key.module)
        if session is None:
            return None
        if key.kind == _CLASS:
            return session.analysis.summarize_class(key.name)
        if key.kind == _ATTRIBUTES:
            return session.analysis.class_attributes(key.name)
        function = session.analysis.info.functions.get(key.name)
        if function is not None and function.is_migrated:
            self._left_alone(True)
            return None
        summary = session.analysis.summarize_function(key.name)
        if function is not None and any(map(is_opaque, session.analysis.decorators_of(key.name))):
            return None
        return summary

    def _session(self, path: str) -> Session | None:
        """The open module at `path`; None for what cannot be analysed."""
        self.solver.note({path})
        if path in self._sessions:
            self._sessions[path] = self._sessions.pop(path)
            return self._sessions[path]
        text = None if path.endswith(os.sep) else self.modules.text(path)
        session: Session | None = None
        if text is not None:
            try:
                guards.check(text)
                session = self._open(Source(path, text), path, False)
            except (Problem, cst.ParserSyntaxError):
                pass
        self._sessions[path] = session
        return session

    def _open(self, source: Source, path: str, editable: bool) -> Session:
        config = self.config
        tree, spans, editable = _parse(source.text, editable, self.modules.trees)
        session = Session(
            source,
            path,
            tree,
            spans,
            editable,
            Options(
                config.slow,
                config.random,
                config.on_unverified,
                config.boundary,
                config.compile,
                config.device,
                config.enable_numpy_behavior,
                config.float32,
            ),
            functools.partial(config.wants_region, source.path),
            functools.partial(config.options_of, source.path),
            self._left_alone,
            patched_names(source.text),
            Words(source.text),
            vendored(source.path, source.text) if config.runtime == "vendor" else INSTALLED,
        )
        session.start(self.catalog, self)
        return session

    def _left_alone(self, found: bool) -> bool:
        """Whether what is being answered depends on what an earlier run migrated; `found`: it certainly does."""
        if found:
            self.solver.note({_MIGRATED})
        return _MIGRATED in self.solver.places()


def _shareable(values: Mapping[str, Value]) -> dict[str, Value]:
    """Those that other modules may rely on."""
    return {name: value for name, value in values.items() if isinstance(value, (Array, Const, Scalar))}


def _parse(
    text: str, editable: bool, trees: Trees
) -> tuple[cst.Module, Callable[[Iterable[cst.CSTNode]], dict[int, Span]], bool]:
    """A tree for `text` with its places: Python's own, lowered, where nothing is to be edited and that is enough."""
    if not editable:
        try:
            lowered = LoweredTree(text, trees)
            return lowered.module, lowered.spans, False
        except Unsupported:
            pass  # libcst has to read this one
    tree = cst.parse_module(text)
    return tree, lambda nodes: positions(tree, map(id, nodes)), True
