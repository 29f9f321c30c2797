"""Drives the interpreter over a module: its top level first, then each region when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.env import Env
from np2tnp.analysis.interpret import Interpreter
from np2tnp.analysis.module import ClassInfo, FunctionInfo, ModuleInfo, collect, dotted, parameters_of
from np2tnp.analysis.state import Services, Summary
from np2tnp.analysis.subclasses import annotated_subclass, array_base
from np2tnp.analysis.values import (
    EITHER,
    GENERATORS,
    HOST,
    NO_NAMES,
    NONE,
    TENSOR,
    UNKNOWN,
    Array,
    Class,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    join,
)
from np2tnp.catalog.catalog import Catalog

MODULE = "<module>"
#: How often a region is interpreted anew because it showed what its parameters must be.
ATTEMPTS = 4

_SCALAR_ANNOTATIONS = {"int": "int", "float": "float", "bool": "bool", "str": "str", "complex": "complex"}
_ARRAY_ANNOTATIONS = ("ndarray", "NDArray")


class _AttributeCollector(Interpreter):
    """Interprets a method only to learn what it assigns to ``self``."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.found: dict[str, Value] = {}

    def attribute_stored(self, base: Value, name: str, value: Value) -> None:
        if isinstance(base, Instance):
            self.found[name] = join(self.found[name], value) if name in self.found else value


class Analysis:
    """One module.

    ``decide(facts)`` says whether a region will be migrated; it is asked once a region, callees first.
    """

    def __init__(self, tree: cst.Module, catalog: Catalog, decide: Callable[[ev.RegionFacts], bool]) -> None:
        self.tree = tree
        self.decide = decide
        self.info: ModuleInfo = collect(tree)
        self.services = Services(catalog, self.summary, self._class_attributes)
        self.facts: dict[str, ev.RegionFacts] = {}
        self.unresolved = 0
        self._summaries: dict[str, Summary | None] = {}
        self._active: set[str] = set()
        self._ready = False  # functions can be summarised once the names of the top level are known

    def _interpret_top_level(self) -> None:
        facts = ev.RegionFacts(MODULE, self.tree)
        interpreter = Interpreter(self.info, self.services, facts, HOST)
        env = Env()
        end = interpreter.run(self.tree.body, env)
        # names that only a branch binds are bound: reading one that is not raises in the original too
        values = dict((end or env).values)
        self.info.values.update({name: value for name, value in values.items() if name.isidentifier()})
        for name in self.info.rebound:
            self.info.values.setdefault(name, UNKNOWN)
        self._ready = True
        interpreter.recorded.clear()
        interpreter.heads.clear()
        interpreter.run(self.tree.body, Env())
        facts.events = list(interpreter.recorded.values())
        self.unresolved += interpreter.unresolved
        self.facts[MODULE] = facts

    def run(self) -> None:
        """Analyse the top level and every region."""
        self._interpret_top_level()
        for qualname in self.info.functions:
            self.summary(qualname)

    def release(self) -> None:
        """Nothing more will be asked: let go of the tree, which circles would keep until the next look for garbage."""
        del self.services, self.decide

    def summary(self, qualname: str) -> Summary | None:
        """What callers must know of `qualname`; None while it is being analysed itself (recursion) or unknown."""
        if qualname in self._summaries:
            return self._summaries[qualname]
        if not self._ready or qualname in self._active or qualname not in self.info.functions:
            return None
        if self.info.functions[qualname].is_migrated:
            return None
        self._active.add(qualname)
        try:
            function = self.info.functions[qualname]
            facts = self._analyze(function)
            self.facts[qualname] = facts
            migrated = self.decide(facts)
            written = facts.extra.get("writes", set()) - set(facts.mutated)
            self._summaries[qualname] = Summary(
                parameters=facts.parameters,
                migrated=migrated and not _is_cached(function.node),
                mutates=(*facts.mutated, *sorted(written - facts.host_parameters)),
                keeps=frozenset(facts.extra.get("keeps", ())),
                result=facts.result if facts.result is not None else NONE,
                method=function.owner is not None and not _is_static(function.node),
                hosted=facts.host_parameters,
                changeable=facts.changeable | (written & facts.host_parameters),
                updates=facts.updates,
            )
        finally:
            self._active.discard(qualname)
        return self._summaries[qualname]

    def _analyze(self, function: FunctionInfo) -> ev.RegionFacts:
        arrays, scalars = _declared(function)
        hosted: frozenset[str] = NO_NAMES
        changeable: frozenset[str] = NO_NAMES
        viewed: frozenset[str] = NO_NAMES
        stars = {
            p.name.value
            for p in (function.node.params.star_arg, function.node.params.star_kwarg)
            if isinstance(p, cst.Param)
        }
        for _ in range(ATTEMPTS):
            facts, unresolved = self._attempt(function, arrays, scalars, hosted, viewed)
            more_arrays = facts.assumed_arrays - scalars - hosted - stars
            changeable |= facts.host_parameters
            more_hosted = facts.host_parameters | {ref[1:] for ref in facts.viewed if ref.startswith("@")}
            if more_arrays <= arrays and more_hosted <= hosted and facts.viewed <= viewed:
                break
            viewed |= facts.viewed
            arrays, hosted = arrays | more_arrays, hosted | more_hosted
            arrays -= hosted
        facts.assumed_arrays, facts.assumed_scalars, facts.host_parameters = arrays, scalars, hosted
        facts.changeable = changeable
        self.unresolved += unresolved
        return facts

    def _attempt(
        self,
        function: FunctionInfo,
        arrays: frozenset[str],
        scalars: frozenset[str],
        hosted: frozenset[str],
        viewed: frozenset[str],
    ) -> tuple[ev.RegionFacts, int]:
        names = tuple(parameter.name.value for parameter in parameters_of(function.node.params))
        facts = ev.RegionFacts(function.qualname, function.node, parameters=names)
        interpreter = Interpreter(self.info, self.services, facts, TENSOR)
        interpreter.viewed = viewed
        end = self._interpret(interpreter, function, arrays, scalars, hosted)
        if end is not None:
            interpreter.statement = None
            interpreter.leave(None, NONE, end)
        facts.events = list(interpreter.recorded.values())
        return facts, interpreter.unresolved

    def _interpret(
        self,
        interpreter: Interpreter,
        function: FunctionInfo,
        arrays: frozenset[str],
        scalars: frozenset[str],
        hosted: frozenset[str],
    ) -> Env | None:
        interpreter.locals = function.locals
        interpreter.global_names = function.globals
        env = Env()
        node = function.node
        parameters = parameters_of(node.params)
        for index, parameter in enumerate(parameters):
            name = parameter.name.value
            if index == 0 and function.owner is not None and not _is_static(node):
                env.bind(name, Instance(function.owner))
                base = array_base(self.info.classes[function.owner], self.info)
                if base is not None:
                    interpreter.construct(parameter, "array subclass", base)
                continue
            annotated = annotated_subclass(parameter, self.info)
            if annotated is not None:
                interpreter.construct(parameter, "subclass parameter", annotated)
            if parameter is node.params.star_arg:
                env.bind(name, Sequence("tuple", Unknown(EITHER, frozenset((f"@{name}",)), None, frozenset((name,)))))
            elif parameter is node.params.star_kwarg:
                env.bind(name, Sequence("dict", Unknown(EITHER, frozenset((f"@{name}",)), None, frozenset((name,)))))
            elif parameter.default is not None and isinstance(
                interpreter.evaluate(parameter.default, Env()), (Symbol, Function, Class)
            ):
                env.bind(
                    name, Unknown(EITHER)
                )  # a module or function by default: its attributes are no evidence of an array
            elif (
                parameter.annotation is not None
                and parameter.default is None
                and (generator := _generator(parameter.annotation.annotation, interpreter))
            ):
                env.bind(name, generator)
            elif name in scalars:
                env.bind(name, Scalar(_scalar_annotation(parameter) or "int"))
            else:
                env.bind(name, self._parameter(name, arrays, hosted, interpreter.made))
        for decorator in node.decorators:
            interpreter.statement = node
            value = interpreter.callee(
                decorator.decorator.func if isinstance(decorator.decorator, cst.Call) else decorator.decorator, Env()
            )
            interpreter.construct(decorator, "decorator", getattr(value, "name", "") or dotted(decorator.decorator))
        if node.asynchronous is not None:
            interpreter.construct(node, "async")
        return interpreter.run(node.body, env)

    def _parameter(self, name: str, arrays: frozenset[str], hosted: frozenset[str], made: str) -> Value:
        location = frozenset((f"@{name}",))
        deps = frozenset((name,))
        if made == HOST or name in hosted:
            return (
                Array(HOST, refs=location, exact=name, weak=True) if name in arrays else Unknown(HOST, location, name)
            )
        if name in arrays:
            return Array(EITHER, refs=location, exact=name, deps=deps, weak=True, zero_d="never")
        return Unknown(EITHER, location, name, deps)

    def _class_attributes(self, info: ClassInfo) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for qualname in info.methods.values():
            function = self.info.functions[qualname]
            facts = ev.RegionFacts(qualname, function.node)
            collector = _AttributeCollector(self.info, self.services, facts, HOST)
            self._interpret(collector, function, NO_NAMES, NO_NAMES, NO_NAMES)
            for name, value in collector.found.items():
                found[name] = join(found[name], value) if name in found else value
            info.attributes = dict(found)
        return found


def _is_static(node: cst.FunctionDef) -> bool:
    return any(dotted(decorator.decorator) == "staticmethod" for decorator in node.decorators)


def _is_cached(node: cst.FunctionDef) -> bool:
    """Whether calls must go through the public name, because a decorator remembers results."""
    names = (
        item.decorator.func if isinstance(item.decorator, cst.Call) else item.decorator for item in node.decorators
    )
    return any(dotted(name).rpartition(".")[2] in ("cache", "lru_cache", "cached_property") for name in names)


def _scalar_annotation(parameter: cst.Param) -> str | None:
    if parameter.annotation is None:
        return None
    return _SCALAR_ANNOTATIONS.get(dotted(parameter.annotation.annotation))


def _generator(annotation: cst.BaseExpression, interpreter: Interpreter) -> Value | None:
    """What stands for an object of the class `annotation`, where that is one of NumPy's random generators."""
    if dotted(annotation).rpartition(".")[2] not in ("Generator", "RandomState"):
        return None
    value = interpreter.evaluate(annotation, Env())
    return value if value in GENERATORS else None


def _declared(function: FunctionInfo) -> tuple[frozenset[str], frozenset[str]]:
    """Parameters that annotations or unmistakable uses say are arrays, and those that are Python scalars."""
    arrays: set[str] = set()
    scalars: set[str] = set()
    names: set[str] = set()
    converted = function.uses.converted  # lists are welcome there, whatever the annotation says
    for parameter in parameters_of(function.node.params):
        name = parameter.name.value
        names.add(name)
        if parameter.annotation is not None:
            annotation = parameter.annotation.annotation
            inner = annotation.value if isinstance(annotation, cst.Subscript) else annotation
            if dotted(inner).rpartition(".")[2] in _ARRAY_ANNOTATIONS and name not in converted:
                arrays.add(name)
        if _scalar_annotation(parameter) and name not in converted:
            scalars.add(name)
    scalars |= function.uses.counts & names
    return frozenset(arrays), frozenset(scalars)
