"""The modules of a project as the engine sees them: opened when somebody asks, each question answered once.

What is known of a function, a class or a name of another module depends on the files of the project only: never on
which of them a command line names, nor on the order in which they are looked at.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping

import libcst as cst

from np2tnp.analysis.domain.locations import of_global
from np2tnp.analysis.domain.summaries import MODULE, ClassSummary, Summary
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    NOTHING,
    SUBCLASS,
    Array,
    Class,
    Const,
    Function,
    Scalar,
    Symbol,
    Unknown,
    Value,
)
from np2tnp.analysis.driver.decorating import IMPORTED, NOT_KNOWN
from np2tnp.analysis.driver.first_party import Names, Target
from np2tnp.analysis.driver.solver import Key, Solver
from np2tnp.analysis.module.contents import FunctionInfo, signature_names
from np2tnp.analysis.module.imports import SAME_AS
from np2tnp.analysis.module.scripts import Script, script_of
from np2tnp.catalog.catalog import load
from np2tnp.config import Config
from np2tnp.files import guards, suppress
from np2tnp.files.modules import Importers, Modules, stem_of
from np2tnp.files.outline import patched_names
from np2tnp.files.problems import Problem
from np2tnp.files.source import Source
from np2tnp.files.suppress import find_kept
from np2tnp.rewrite import tensor_boundary
from np2tnp.rewrite.plan import Options
from np2tnp.rewrite.vendoring import INSTALLED, vendored
from np2tnp.rules.constructs.decorators import is_opaque
from np2tnp.rules.host import migrated_callees
from np2tnp.session import Session, Words, parse

_CLASS, _ATTRIBUTES, _FUNCTION, _DECORATOR = range(4)
#: Among the places of an answer: it depends on what an earlier run migrated.
_MIGRATED = "<migrated>"
#: Trees are large: after each file it is closed, as hardly anybody asks for more than its answers, and others are until
#: the text of those that stay open is no longer than this.
_OPEN_TEXT = 2_000_000


class Project:
    """Answers what the analysis of one module asks about all modules around it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.catalog = load(config.target_tensorflow, config.target_numpy).with_callees(config.callees)
        self.modules = Modules()
        self.names = Names(self.modules)
        self.solver = Solver(self._compute, self._assume)
        self._importers = Importers(config.root, frozenset(config.exclude), self.modules)
        self._main = ""  #: the module whose report is being made
        self._not_ours: dict[str, bool] = {}  #: by dotted name: it is NumPy's, Python's or another library's
        self._sessions: dict[str, Session | None] = {}  # the least recently used first
        #: by module: what the top levels of closed ones bind, and what that depends on
        self._values: dict[str, tuple[dict[str, Value], set[str]]] = {}

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
            while more := self._leaking(session):
                self.solver.forget_module(path)
                session.leaking |= more
                session.regions.clear()
                places = self._decide(session)
        return session, places

    def _leaking(self, session: Session) -> dict[str, str]:
        """What ``--boundary tensor`` must leave in NumPy: by name, where else it is used (empty: in the module)."""
        plans, info = session.regions.values(), session.analysis.info
        found = dict.fromkeys(tensor_boundary.leaking(plans, info), "")
        for function in tensor_boundary.updaters(plans, info):
            if function.qualname not in found and (where := self._used_elsewhere(session, function)):
                found[function.qualname] = where
        return found

    def _used_elsewhere(self, session: Session, function: FunctionInfo) -> str:
        """Another place of the project that may use the function."""
        path, name, stem = session.path, function.qualname.rpartition(".")[2], stem_of(session.path)
        near = self._importers_of(path)
        if tensor_boundary.is_special(name):  # used without being named
            return self._shown(min(near), 0) if near else ""
        methods = function.owner is not None
        if not near and not (methods and self.names.imported(path, session.source.text)):
            return ""  # nobody else meets it, or its objects
        for file in self._importers.others_with(name, path):

            def denotes(full: str, file: str = file) -> bool:
                target = self.names.find(file, full)
                if target is not None and target.kind == "outside":  # or in a directory that is added at run time
                    return stem in full.split(".")[:-1]
                if target is None or target.kind in ("several", "module") or (methods and "." in target.name):
                    return True
                return not methods and (target.module, target.name) == (path, name)

            if not file.endswith(".py"):  # a notebook
                if file in near:
                    return self._shown(file, 0)
            elif line := tensor_boundary.use_elsewhere(self.modules.text(file) or "", function, denotes):
                return self._shown(file, line)
        computed = (file for file in sorted(near) if tensor_boundary.looks_up(self.modules.text(file) or ""))
        return next((self._shown(file, 0) for file in computed), "")

    def _importers_of(self, path: str) -> set[str]:
        """The files that import a module, or a package or a module with a star import that does."""
        found: set[str] = set()
        pending = [path]
        while pending:
            module = pending.pop()
            for file in self._importers.others_with(stem_of(module), module):
                text = self.modules.text(file) or ""
                if file not in found | {path} and (
                    self._importers.imports(file, module) or module in self.names.imported(file, text)
                ):
                    found.add(file)
                    pending += [file] if file.endswith("__init__.py") or "import *" in text else []
        return found

    def _shown(self, file: str, line: int) -> str:
        relative = os.path.relpath(file, self.config.root).replace(os.sep, "/")
        return f"{relative}, line {line}," if line else relative

    def _decide(self, session: Session) -> frozenset[str]:
        """Decide about all regions of a module; the places that they depend on."""
        path = session.path
        places = set(session.places)
        with self.solver.watch(places):
            self._decide_all(session)
        return frozenset(places - {path, _MIGRATED})

    def _decide_all(self, session: Session) -> None:
        path = session.path
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
        session.decide(session.analysis.facts[MODULE])
        for name in session.originals:  # their decorators ask about them
            session.regions.pop(name, None)

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

    def open_modules(self) -> list[str]:
        """The paths of the modules that are open, the most recently used first."""
        return [path for path in reversed(self._sessions) if self._sessions[path] is not None]

    def close(self) -> None:
        """Let go of the trees of the module that was analysed last, and of those that were not used lately."""
        size = 0
        for path in reversed(list(self._sessions)):
            session = self._sessions[path]
            size += len(session.source.text) if session is not None else 0
            if session is not None and (path == self._main or size > _OPEN_TEXT):
                del self._sessions[path]
                self._values[path] = (_shareable(session.analysis.info.values), session.places)
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

    def decorating(self, module: str, qualname: str) -> tuple[str, str, str]:
        if qualname.startswith(IMPORTED):
            session = self._sessions.get(module)
            target = self._find(session, qualname.removeprefix(IMPORTED)) if session is not None else None
            if target is None or target.kind not in ("several", "class", "function"):
                return NOT_KNOWN
            module, qualname = target.module, target.name
            if target.kind != "several":  # of which too little is known: that is for messages
                return ("", "", (self.solver.ask(Key(module, _DECORATOR, qualname)) or NOT_KNOWN)[2])
        return self.solver.ask(Key(module, _DECORATOR, qualname)) or NOT_KNOWN

    def resolve(self, module: str, name: str) -> Value | None:
        known = self._not_ours.get(name)  # asked for every name that is read
        if known is None:
            known = self.catalog.get(name) is not None or self.catalog.is_pure(name)
            known = self._not_ours[name] = known or name.startswith(("builtins.", "numpy."))
        if known:
            return None
        session = self._sessions.get(module)
        if session is None or self.config.boundary == "tensor":
            return None  # without wrappers nothing tells whether another module was rewritten
        target = self._find(session, name)
        if target is None or target.kind in ("module", "several") or name.rpartition(".")[2] in session.patched:
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
        self.names.places.clear()
        found = self.names.public(module, imported)
        self.solver.note(self.names.places)
        return found

    def operators(self, module: str) -> frozenset[str]:
        """Those of the classes that the module imports, directly or in a module."""
        session = self._sessions.get(module)
        if session is None:
            return NO_NAMES
        if session.operators is None:
            self.names.places.clear()
            found = self.names.operators(module)
            session.operators = (found, frozenset(self.names.places))
        self.solver.note(session.operators[1])
        return session.operators[0]

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
        return method[0] if method is not None and method[1] in ("method", "static", "decorated") else None

    def _value(self, target: Target) -> Value:
        """A constant or an array that another module's top level makes."""
        if target.binding.detail is not None:
            return Const.of(target.binding.detail)
        location = frozenset((of_global(target.module, target.name),))
        text = self.modules.text(target.module) or ""
        values, places = self._values.get(target.module) or (None, NO_NAMES)
        self.solver.note(places)
        if values is None and any(needle in text for needle in self.config.names_numpy()):
            session = self._session(target.module)
            values = session.analysis.info.values if session is not None else None
        value = values.get(target.name) if values is not None else None
        if value is not None and SUBCLASS in value.refs:
            return Unknown(HOST, location | {SUBCLASS})
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

    def _assume(self, key: Key) -> Summary | None:
        """The least that a function which calls itself may do: it never returns, and changes nothing."""
        session = self._sessions.get(key.module) if key.kind == _FUNCTION else None
        function = session.analysis.info.functions.get(key.name) if session is not None else None
        if function is None:
            return None
        names = signature_names(function.node.params)
        return Summary(names, True, (), frozenset(), NOTHING, function.is_method)

    def _answer(self, key: Key) -> object:
        session = self._session(key.module)
        if session is None:
            return None
        if key.kind == _CLASS:
            return session.analysis.summarize_class(key.name)
        if key.kind == _ATTRIBUTES:
            return session.analysis.class_attributes(key.name)
        if key.kind == _DECORATOR:
            return session.analysis.decorating_effects(key.name)
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
            session = self._sessions[path] = self._sessions.pop(path)
            self.solver.note(session.places if session is not None else set())
            return session
        text = None if path.endswith(os.sep) else self.modules.text(path)
        session = None
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
        parsed = parse(source.text, editable, self.modules.trees)
        kept = find_kept(source.text, suppress.keeps(source.text))
        session = Session(
            source,
            path,
            parsed.tree,
            parsed.spans,
            parsed.is_editable,
            Options(
                config.slow,
                config.on_unverified,
                config.boundary,
                "none" if config.compile == "hot" else config.compile,
                config.device,
                config.enable_numpy_behavior,
                config.float32,
                config.state,
                frozenset(config.numpy_names),
                config.compile == "hot" and not config.device,
                config.unsafe,
                config,
            ),
            lambda name: name not in kept and config.wants_region(source.path, name),
            lambda name: name in kept or config.spares_region(source.path, name),
            functools.partial(config.options_of, source.path),
            self._left_alone,
            patched_names(source.text),
            Words(source.text),
            vendored(source.path, source.text) if config.runtime == "vendor" else INSTALLED,
            self._is_spread(path),
        )
        with self.solver.watch(session.places):
            self.names.places.clear()
            imported = self.names.imported(path, source.text)
            replaced = self.names.replaced(source.text, imported)
            compiler = self.names.compiler(source.text, imported)
            ours = self.names.first_party(path, source.text)
            self.solver.note(self.names.places)
            session.start(self.catalog, self, functools.partial(self.operators, path), replaced, compiler, ours)
        return session

    def _is_spread(self, path: str) -> bool:
        """Whether names that a rewrite adds to the module would reach others, by a star import."""
        outline = self.modules.outline(path) if self.config.rewrite else None
        return outline is not None and outline.exported is None and self._importers.is_spread(path)

    def _left_alone(self, found: bool) -> bool:
        """Whether what is being answered depends on what an earlier run migrated; `found`: it certainly does."""
        if found:
            self.solver.note({_MIGRATED})
        return _MIGRATED in self.solver.places()


def _shareable(values: Mapping[str, Value]) -> dict[str, Value]:
    """Those that other modules may rely on."""
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, (Array, Const, Scalar)) or SUBCLASS in value.refs
    }
