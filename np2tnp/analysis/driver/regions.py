"""Drives the interpreter over a module: its top level first, then each region when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.doors import NO_DOOR, NUMBERS, Door
from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.late_names import LateNames
from np2tnp.analysis.domain.locations import is_global, of_parameter
from np2tnp.analysis.domain.result_aliases import holds_host
from np2tnp.analysis.domain.summaries import MODULE, ClassSummary, Decide, Fate, Project, Summary
from np2tnp.analysis.domain.values import (
    EITHER,
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
    parameters_in,
    refs_of,
    replace,
)
from np2tnp.analysis.driver.decorating import NOT_KNOWN, effects_in, note_decorators, what_counts
from np2tnp.analysis.driver.narrowing import asking_for_more, steady_attributes, widest_plain_door, with_door
from np2tnp.analysis.driver.shown_parameters import (
    classes_of,
    held_containers,
    held_numbers,
    is_asked_for,
    is_plainer,
    known_objects,
)
from np2tnp.analysis.driver.summarizing import summarize, summarize_class, summarize_generator, summarize_lambda
from np2tnp.analysis.interpreter.closures import arguments_of
from np2tnp.analysis.interpreter.frame import NOTHING_ASSUMED, Assumptions, Frame
from np2tnp.analysis.interpreter.interpreter import (
    AttributeCollector,
    Binder,
    Interpreter,
    interpret_script,
    join_into,
)
from np2tnp.analysis.interpreter.placement import (
    changed_elsewhere,
    changed_through_another,
    given_to_changers,
    numbers_in_doubt,
)
from np2tnp.analysis.module.buffer_exchanges import Exchanges, exchanges_of
from np2tnp.analysis.module.contents import FunctionInfo, ModuleInfo, collect, late_builtins
from np2tnp.analysis.module.effects_by_name import changers_of
from np2tnp.analysis.module.parameter_kinds import (
    array_defaults,
    arrays_given,
    complex_given,
    declared,
    filled_containers,
    handed_texts,
    likely_numbers,
    random_generator,
    scalar_annotation,
    texts,
)
from np2tnp.analysis.module.scripts import Script
from np2tnp.analysis.module.subclasses import annotated_subclass, array_base, seen_outside
from np2tnp.analysis.module.tensor_state import HeldTensors
from np2tnp.analysis.syntax.python_tables import NAMEDTUPLE
from np2tnp.analysis.syntax.scopes import parameters_of
from np2tnp.catalog.catalog import Catalog

# --- What the parameters of a function are bound to where its body begins


def bind_parameters(
    function: FunctionInfo,
    interpreter: Interpreter,
    arrays: frozenset[str],
    scalars: frozenset[str],
    hosted: frozenset[str],
    defaults: Mapping[str, str],
) -> Env:
    """The parameters' values. Each is an array, a number, or stays the caller's ndarray, where the sets say so.

    defaults: by parameter, where the array lies that it has by default.
    """
    frame, record = interpreter.frame, interpreter.record
    info, assumed = frame.module, frame.assumed
    env = Env()
    node = function.node
    parameters = parameters_of(node.params)
    for index, parameter in enumerate(parameters):
        name = parameter.name.value
        if index == 0 and function.owner is not None and function.kind != "static":
            env.bind(name, Instance(function.owner, info.path))
            base = array_base(info.classes[function.owner], info)
            if base is not None:
                record.construct(parameter, ev.Kind.ARRAY_SUBCLASS, base)
            continue
        annotated = annotated_subclass(parameter, info)
        if annotated is not None:
            record.construct(parameter, ev.Kind.SUBCLASS_PARAMETER, annotated)
        if parameter is node.params.star_arg or parameter is node.params.star_kwarg:
            refs, home = frozenset((of_parameter(name),)), HOST if name in hosted else EITHER
            kind = "tuple" if parameter is node.params.star_arg else "dict"
            env.bind(name, Sequence(kind, Unknown(home, refs, None, frozenset((name,))), None, refs))
        elif parameter.default is not None and isinstance(
            interpreter.evaluate(parameter.default, Env()), (Symbol, Function, Class)
        ):
            # a module or function by default: its attributes are no evidence of an array
            env.bind(name, Unknown(HOST if name in hosted else EITHER, frozenset((of_parameter(name),)), name))
        elif (
            parameter.annotation is not None
            and parameter.default is None
            and (generator := random_generator(parameter.annotation.annotation, interpreter.evaluate))
        ):
            env.bind(name, generator)
        elif name in assumed.classes:
            made = assumed.classes[name]
            env.bind(name, Instance(made.qualname, made.module))
        elif items := _items_behind(assumed.door, name):
            env.bind(name, Sequence("dict", reduce(join, items), None, frozenset((of_parameter(name),))))
        elif name in assumed.door:
            env.bind(name, assumed.door[name].parameter(name, name in hosted, assumed.eager))
        elif name in assumed.numbers:
            env.bind(name, Scalar("int") if name in function.uses.lengths else Unknown(HOST))
        elif name in scalars:
            env.bind(name, Scalar(scalar_annotation(parameter) or "int"))
        else:
            env.bind(name, _parameter(name, arrays, hosted, frame.made))
    for name, place in defaults.items():
        if is_global(place):
            env.link(name, frozenset((place,)))  # who updates that array updates the argument, where none was given
    return env


def _items_behind(door: Door, name: str) -> list[Value]:
    """The items that a door tells of where the parameter `name` is a dict."""
    return [admitted.item(name) for key, admitted in door.items() if key.startswith(f"{name}[")]


def _parameter(name: str, arrays: frozenset[str], hosted: frozenset[str], made: str) -> Value:
    location = frozenset((of_parameter(name),))
    deps = frozenset((name,))
    if made == HOST or name in hosted:
        return Array(HOST, refs=location, exact=name, weak=True) if name in arrays else Unknown(HOST, location, name)
    if name in arrays:
        return Array(EITHER, refs=location, exact=name, deps=deps, weak=True, zero_d="never")
    return Unknown(EITHER, location, name, deps)


#: How often a region is interpreted anew because it showed what its parameters, and those of functions in it, must be.
ATTEMPTS = 5
#: From so many events on each look at a function may take a second: of these it gets but two with ndarrays in it.
LONG = 800
#: What any class of namedtuple's is.
_RECORD = ClassSummary(is_record=True)


class Analysis:
    """One module of a project.

    ``decide(facts, again)`` says what becomes of a region; it is asked callees first. `again`: this is another look at
    one that is in doubt, of which nothing is kept unless it migrates. `wrapped`: migrated functions can be handed the
    caller's own ndarrays. `text_stays`: whether the region of this name gets parameters that are text as they are.
    `has_door`: whether it may be written for some of what it may be called with, and its original answers the rest.
    """

    def __init__(
        self,
        tree: cst.Module,
        path: str,
        catalog: Catalog,
        decide: Decide,
        project: Project,
        wrapped: bool = True,
        text_stays: Callable[[str], bool] = lambda name: False,
        has_door: Callable[[str], bool] = lambda name: False,
    ) -> None:
        self.tree = tree
        self.path = path
        self.catalog = catalog
        self.decide = decide
        self.project = project
        self.wrapped = wrapped
        self.text_stays = text_stays
        self.has_door = has_door
        self.info: ModuleInfo = collect(tree, path)
        self.facts: dict[str, ev.RegionFacts] = {}
        self._unresolved: dict[str, dict[int, cst.CSTNode]] = {}
        self._partial: dict[str, dict[str, Value]] = {}
        self._classes: dict[str, Mapping[str, Class]] = {}  #: by region, those of parameters that its door asks for
        self._ready = False  # functions can be summarised once the names of the top level are known

    @property
    def unresolved(self) -> list[cst.CSTNode]:
        """What may use NumPy in ways that could not be resolved."""
        return [node for nodes in self._unresolved.values() for node in nodes.values()]

    # ---- the top level

    def bind_names(self) -> None:
        """Find out what the top level binds its names to."""
        frame, binder = self._frame(ev.RegionFacts(MODULE, self.tree), HOST), Binder()
        start = Env()
        end = Interpreter(frame, learner=binder).run(self.tree.body, start)
        # names that only a branch binds are bound: reading one that is not raises in the original too
        values = {name: value for name, value in (end or start).values.items() if name.isidentifier()}
        join_into(values, {name: value for name, value in binder.bound.items() if name in values})
        if frame.met_subclass:
            values = {name: seen_outside(value, (end or start).aliases(name)) for name, value in values.items()}
        values.update(dict.fromkeys(late_builtins(self.tree, self.catalog, self.star_names), UNKNOWN))
        self.info.values.update(values)
        for name in self.info.rebound:
            self.info.values.setdefault(name, UNKNOWN)
        self.info.asked = None  # it was asked for before the names of imported classes were known
        self._ready = True

    def analyze_top_level(self, script: Script | None = None) -> ev.RegionFacts:
        """The events of the top level, once the functions that it calls can be summarised.

        `script`: the top level is a region, which may migrate.
        """
        facts = ev.RegionFacts(MODULE, self.tree)
        if script is None:
            interpreter = Interpreter(self._frame(facts, HOST))
            interpreter.run(self.tree.body, Env())
        else:
            frame = self._frame(facts, TENSOR, Assumptions(lambdas=script.lambdas))
            interpreter = interpret_script(frame, script)
        facts.events = list(interpreter.frame.recorded.values())
        self._unresolved[MODULE] = interpreter.record.unresolved
        self.facts[MODULE] = facts
        return facts

    def _frame(self, facts: ev.RegionFacts, made: str, assumed: Assumptions = NOTHING_ASSUMED) -> Frame:
        """What a walk of this module begins with."""
        return Frame(self.info, self.catalog, self, facts, made, assumed)

    def release(self) -> None:
        """Nothing more will be asked: let go of the tree, which circles would keep until the next look for garbage."""
        del self.decide, self.project, self.text_stays, self.has_door
        self.info.changers = None

    # ---- what the interpreter asks (frame.Services)

    def summary(self, function: Function) -> Summary | None:
        found = self.project.summary(function) if self._ready else None
        if found is not None and function.is_let_in and found.behind_objects is not None:
            found = found.behind_objects
        if found is not None and found.migrated and function.module != self.path and holds_host(found.result):
            # the core would hand out the very object; a function that is not rewritten yet, a copy as a tensor
            return replace(found, migrated=False)
        return found

    def class_of(self, value: Class | Instance) -> ClassSummary | None:
        if value.qualname == NAMEDTUPLE:
            return _RECORD
        return self.project.class_of(value.module, value.qualname) if self._ready else None

    def attributes(self, value: Instance) -> Mapping[str, Value]:
        known = self._ready and value.qualname != NAMEDTUPLE
        found = self.project.attributes(value.module, value.qualname) if known else {}
        partial = self._partial.get(value.qualname) if value.module == self.path else None
        return partial if partial is not None else found

    def decorating(self, function: Function) -> tuple[str, str, str]:
        return self.project.decorating(function.module or self.path, function.qualname) if self._ready else NOT_KNOWN

    def resolve(self, name: str) -> Value | None:
        return self.project.resolve(self.path, name) if self._ready else None

    def star_names(self, imported: str) -> tuple[str, ...]:
        return self.project.star_names(self.path, imported)

    # ---- what the project asks

    def summarize_function(self, qualname: str) -> Summary | None:
        """Analyse the function, decide about it, and say what callers must know; None where there is none such."""
        function = self.info.functions.get(qualname)
        if (node := self.info.lambdas.get(qualname)) is not None:
            facts = ev.RegionFacts(qualname, node, parameters=tuple(p.name.value for p in parameters_of(node.params)))
            return summarize_lambda(node, Interpreter(self._frame(facts, TENSOR)))
        if function is None or function.is_migrated:
            return None
        facts = self._analyze(function)
        kinds = {event.kind for event in facts.events if isinstance(event, ev.Construct) and not event.place.nested}
        if kinds & {ev.Kind.YIELD, ev.Kind.ASYNC}:
            return self._summarize_generator(function, facts, ev.Kind.ASYNC in kinds)
        self.facts[qualname] = facts
        migrated = self._migrates(function, facts)
        if self.has_door(qualname) and (summary := self._behind_classes(function, migrated)) is not None:
            return summary
        return self._summarize_as_planned(function, migrated)

    def _migrates(self, function: FunctionInfo, facts: ev.RegionFacts) -> bool:
        """Decide about a function of which `facts` were found first. What its plan rests on lies in `self.facts`."""
        fate = self.decide(facts, False)
        if fate is Fate.MIGRATES:
            self._give_what_is_fetched(function, facts)
        migrated = fate is Fate.MIGRATES or (fate is Fate.IN_DOUBT and self._migrates_on_host(function, facts))
        migrated = migrated or (fate is Fate.STAYS and self._migrates_for_callers(function, facts))
        return migrated or (fate is not Fate.MIGRATES and self.decide(facts, True, True) is Fate.MIGRATES)

    def _summarize_as_planned(self, function: FunctionInfo, migrated: bool) -> Summary:
        """Choose the door of a function that is decided about, and say what callers must know."""
        facts = self.facts[function.qualname]
        if migrated and self.has_door(function.qualname):
            self._choose_door(function, facts)
            chosen = self.facts[function.qualname]
            chosen.door = asking_for_more(function, chosen)
            # behind a door that was tried it is best left in NumPy: that stands, and callers must not call a core
            migrated = not chosen.is_displaced
        migrated = migrated and not function.is_cached
        summary = summarize(function, facts, migrated, array_defaults(function, self.info, self.resolve))
        return with_door(summary, self.facts[function.qualname])

    def _behind_classes(self, function: FunctionInfo, migrated: bool) -> Summary | None:
        """Plan the function for objects of known classes alone; None where nothing is won by that.

        Callers that know of no such object call it as a function of NumPy's, and those that do its core.
        """
        name = function.qualname
        before = self.facts[name]
        if not self.text_stays(name) or (function.is_method and migrated and is_asked_for(function, self.info)):
            return None  # the core of a method is called for any object
        classes = classes_of(function, before, self.info, self.class_of, self.summary)
        if not classes:
            return None
        self._classes[name] = classes
        facts = self.facts[name] = self._analyze(function)
        if self._migrates(function, facts) and is_plainer(self.facts[name], before if migrated else None):
            defaults = array_defaults(function, self.info, self.resolve)
            anybodys = summarize(function, before, False, defaults)
            behind = self._summarize_as_planned(function, True)
            return replace(anybodys, objects=known_objects(classes), behind_objects=behind)
        del self._classes[name]
        facts = self.facts[name] = self._analyze(function)
        self._migrates(function, facts)
        return None

    def _summarize_generator(self, function: FunctionInfo, facts: ev.RegionFacts, is_async: bool) -> Summary | None:
        """Callers of a generator see NumPy's: one that migrates works on their own arrays and hands out ndarrays."""
        summary = None if is_async else summarize_generator(facts, function)
        given = NO_NAMES
        if self.wrapped and not is_async:
            given = arguments_of(function) - declared(function)[1]
            facts = self._analyze(function, given=given, generator=True)
        self.facts[function.qualname] = facts
        if self.decide(facts, False) is Fate.IN_DOUBT and not self._migrates_on_host(function, facts, given):
            self.decide(facts, True, True)
        return summary

    def decorating_effects(self, qualname: str) -> tuple[str, str, str]:
        """What a name of the module does as a decorator, what the decorator does that it makes, and what counts."""
        return (*effects_in(qualname, self), what_counts(qualname, self))

    def _migrates_on_host(
        self, function: FunctionInfo, before: ev.RegionFacts, given: frozenset[str] = NO_NAMES
    ) -> bool:
        """Whether it can be migrated where arrays that other code may change stay ndarrays, and likely numbers are."""
        names = numbers = NO_NAMES
        likely, facts = likely_numbers(function), before
        for _ in range(2 if len(before.events) > LONG else 2 * ATTEMPTS):
            more = changed_elsewhere(facts) - names
            doubted = likely - numbers if numbers_in_doubt(facts) & likely else NO_NAMES
            parameters = NO_NAMES
            if not more and not doubted:  # nor does a tensor show what is written through another name
                shared = changed_through_another(facts)
                if self.wrapped:
                    parameters = parameters_in(shared) & frozenset(facts.parameters) - given - numbers
                more = frozenset(name for name in shared if name in function.locals) - names
            if not more and not doubted and not parameters:  # nor can a callee give back a copy of what is an ndarray
                more = frozenset(name for name in given_to_changers(facts) if name in function.locals) - names
            if not more and not doubted and not parameters:
                doubted = likely - numbers  # whatever is in the way, it may be that they could be arrays
            if not more and not doubted and not parameters:
                break
            names, numbers, given = names | more, numbers | doubted, given | parameters
            known = facts.assumed_arrays
            facts = self.facts[function.qualname] = self._analyze(
                function, names, numbers, given, known, before.generator
            )
            if self.decide(facts, True) is Fate.MIGRATES:
                return True
        self.facts[function.qualname] = before
        return False

    def _give_what_is_fetched(self, function: FunctionInfo, before: ev.RegionFacts) -> None:
        """Parameters that the body would do nothing with but fetch them reach it as they are, if that is all it takes.

        What they showed themselves to be is looked at all the same.
        """
        given = before.planned.only_fetched
        if not given or not self.text_stays(function.qualname):
            return
        facts = self._analyze(function, given=given, known=before.assumed_arrays)
        self.facts[function.qualname] = facts
        is_better = self.decide(facts, True) is Fate.MIGRATES
        if not is_better or facts.planned.converted < before.planned.converted or facts.mutated != before.mutated:
            self.facts[function.qualname] = before
            self.decide(before, False)

    def _choose_door(self, function: FunctionInfo, before: ev.RegionFacts) -> None:
        """Plan the function behind the widest door under which its body is as plain as behind the narrowest.

        What a door does not let in the original answers, so callers know of the function what was found `before`.
        """
        chosen = widest_plain_door(
            function,
            before,
            lambda door: self._behind_door(function, before, door),
            lambda: complex_given(self.info)[function.qualname],
            lambda: held_numbers(self.info, function),
            lambda: held_containers(self.info, function),
        )
        if self.facts[function.qualname] is not chosen:
            self.facts[function.qualname] = chosen
            self.decide(chosen, False)

    def _behind_door(self, function: FunctionInfo, before: ev.RegionFacts, door: Door) -> ev.RegionFacts | None:
        """The function as it is behind `door`, planned; None where it is no better or other than `before`."""
        host_locals, numbers, given = before.assumed
        for _ in range(2):
            facts = self._analyze(function, host_locals, numbers, given, before.assumed_arrays, before.generator, door)
            unsteady = {name for name in door if "." in name} - steady_attributes(function, facts)
            if not unsteady:
                break
            door = {name: it for name, it in door.items() if name not in unsteady}
        else:
            return None
        rebound = before.mutated.keys() - facts.mutated.keys()
        only = {name for name, it in door.items() if it.kind == NUMBERS}  # nobody else holds one: it is rebound
        same = rebound <= only and facts.mutated == {
            name: it for name, it in before.mutated.items() if name not in rebound
        }
        same = same and facts.host_parameters == before.host_parameters
        read = facts.seen.read_behind_the_door
        facts.door = {name: it for name, it in door.items() if "." not in name or name in read}
        if not same or self.decide(facts, True) is not Fate.MIGRATES:
            return None
        self.facts[function.qualname] = facts
        return facts

    def _migrates_for_callers(self, function: FunctionInfo, before: ev.RegionFacts) -> bool:
        """Whether a function of operators alone can be migrated, since its callers in this module give it arrays."""
        operands = (value for event in before.events if isinstance(event, ev.Operator) for value in event.operands)
        if before.assumed_arrays or not any(isinstance(value, Unknown) and refs_of(value) for value in operands):
            return False
        given = arrays_given(self.info).get(function.qualname, NO_NAMES)
        if not given:
            return False
        facts = self.facts[function.qualname] = self._analyze(function, known=given)
        if self.decide(facts, True) is Fate.MIGRATES:
            return True
        self.facts[function.qualname] = before
        return False

    def decorators_of(self, qualname: str) -> list[str]:
        """The canonical names of an analysed function's decorators, without those that give back the very function."""
        events = self.facts[qualname].events if qualname in self.facts else ()
        kinds = (ev.Kind.DECORATOR, ev.Kind.UNSEEN_DECORATOR, ev.Kind.WRAPPING_DECORATOR)
        return [e.detail for e in events if isinstance(e, ev.Construct) and e.kind in kinds]

    def summarize_class(self, qualname: str) -> ClassSummary | None:
        return summarize_class(self.info, qualname, self, changers_of(self.info, self.catalog))

    def class_attributes(self, qualname: str) -> dict[str, Value]:
        """What the methods of a class and of its bases assign to ``self.name``, joined."""
        found: dict[str, Value] = {}
        info = self.info.classes.get(qualname)
        summary = self.project.class_of(self.path, qualname)
        if info is None or summary is None:
            return found
        for base in summary.bases:
            join_into(found, self.project.attributes(base.module, base.qualname))
        try:
            for method in info.methods.values():
                self._partial[qualname] = dict(found)
                function = self.info.functions[method]
                if not function.uses.stores_attributes:
                    continue
                collector = AttributeCollector(self)
                frame = self._frame(ev.RegionFacts(method, function.node), HOST)
                interpreter = Interpreter(frame, learner=collector)
                self._interpret(interpreter, function, NO_NAMES, NO_NAMES, NO_NAMES)
                join_into(found, collector.found)
        finally:
            self._partial.pop(qualname, None)
        return found

    def _analyze(
        self,
        function: FunctionInfo,
        host_locals: frozenset[str] = NO_NAMES,
        numbers: frozenset[str] = NO_NAMES,
        given: frozenset[str] = NO_NAMES,
        known: frozenset[str] = NO_NAMES,
        generator: bool = False,
        door: Door = NO_DOOR,
    ) -> ev.RegionFacts:
        """Interpret the function until what it shows of its parameters is settled; `known`: those seen to be arrays.

        `door`: by parameter, the class of arrays that it lets in, as in ``doors.CLASSES``.
        """
        hosted = given | filled_containers(function)
        certain = known & given  # the caller's own arrays, which the boundary looks at all the same
        arrays, scalars = declared(function)
        if self.text_stays(function.qualname):
            hosted |= handed_texts(function) - scalars - arrays - known
        classes = self._classes.get(function.qualname, {})
        hosted -= classes.keys()
        arrays, scalars = (arrays | known) - numbers - (hosted - certain), scalars | numbers
        arrays, scalars = arrays - classes.keys(), scalars - classes.keys()
        changeable = viewed = objects = NO_NAMES
        late = LateNames()
        params = function.node.params
        never = texts(function) | {p.name.value for p in (params.star_arg, params.star_kwarg) if type(p) is cst.Param}
        exchanges = exchanges_of(function) if self.wrapped and not generator else Exchanges()
        held = HeldTensors(function, self.info, self.catalog)
        for _ in range(ATTEMPTS + 2 * bool(exchanges.found) + 4 * held.is_of_interest):
            changing = exchanges.without(hosted | host_locals | scalars)
            interpreter = self._attempt(
                function,
                arrays,
                scalars,
                hosted,
                viewed,
                host_locals,
                numbers,
                objects,
                late,
                changing,
                generator,
                held.direct,
                door,
            )
            frame = interpreter.frame
            facts = frame.facts
            before, late = late, frame.late.found(frame.nested_results)
            more_arrays = facts.assumed_arrays - scalars - hosted - never - facts.objects
            # what an index gave may be no view, once it is known that an array was indexed
            indexed = (more_arrays - arrays) & facts.seen.indexed
            changeable |= facts.host_parameters - indexed
            more_hosted = facts.host_parameters | parameters_in(facts.viewed)
            more_hosted -= indexed
            taken = facts.objects & facts.assumed_arrays - objects  # for arrays, until their other attributes were seen
            settled = more_arrays <= arrays and more_hosted <= hosted and not taken and late.confirms(before)
            if settled:  # before, a name may have been thought to show another one's memory
                exchanges.learn(changing)
            settled = held.learn(frame) and settled and changing.are_certain
            if settled and interpreter.record.never_asked(facts.viewed - viewed):
                break
            objects |= facts.objects
            viewed |= facts.viewed
            arrays, hosted = arrays | more_arrays, hosted | more_hosted
            arrays -= hosted - certain
        held.note(frame)
        if not (late.confirms(before) and changing.are_certain and held.is_certain):
            certain_names = late.confirms(before) and held.is_certain
            interpreter.record.construct(function.node, ev.Kind.EXCHANGE if certain_names else ev.Kind.LATE_NAMES)
            facts.events = list(frame.recorded.values())
        facts.assumed_arrays, facts.assumed_scalars, facts.host_parameters = arrays, scalars, hosted
        facts.assumed = (host_locals, numbers, given)
        facts.classes = classes
        facts.changeable, facts.kept = changeable, host_locals | given
        if generator:
            facts.mutated = {}  # its caller's own objects are updated, step by step
        for name in hosted:
            if not facts.mutated.get(name, True):
                del facts.mutated[name]  # the body works on the very object: nothing is to be given back
                facts.lost |= {name}
        self._unresolved[function.qualname] = interpreter.record.unresolved
        return facts

    def _attempt(
        self,
        function: FunctionInfo,
        arrays: frozenset[str],
        scalars: frozenset[str],
        hosted: frozenset[str],
        viewed: frozenset[str],
        host_locals: frozenset[str],
        numbers: frozenset[str],
        objects: frozenset[str],
        late: LateNames,
        exchanges: Exchanges,
        generator: bool,
        direct: frozenset[int],
        door: Door,
    ) -> Interpreter:
        names = tuple(parameter.name.value for parameter in parameters_of(function.node.params))
        facts = ev.RegionFacts(function.qualname, function.node, parameters=names, generator=generator)
        eager = self.text_stays(function.qualname)
        classes = self._classes.get(function.qualname, {})
        assumed = Assumptions(
            hosted, objects, numbers, host_locals, viewed, direct, door, eager, classes, bare=not self.wrapped
        )
        frame = self._frame(facts, TENSOR, assumed)
        frame.exchanges, frame.late, frame.nested_results = exchanges, late.look(), dict(late.results)
        interpreter = Interpreter(frame)
        end = self._interpret(interpreter, function, arrays, scalars, hosted)
        if end is not None:
            frame.statement = None
            interpreter.exits.leave(None, NONE, end)
        for name in facts.seen.rebound_at_an_exit & facts.mutated.keys():
            facts.mutated[name] = False
        facts.exchanges = exchanges.updated(facts.mutated)
        facts.events = list(frame.recorded.values())
        return interpreter

    def _interpret(
        self,
        interpreter: Interpreter,
        function: FunctionInfo,
        arrays: frozenset[str],
        scalars: frozenset[str],
        hosted: frozenset[str],
    ) -> Env | None:
        frame = interpreter.frame
        frame.scope.locals = function.locals
        frame.scope.global_names = function.globals
        node = function.node
        defaults = array_defaults(function, self.info, self.resolve)
        env = bind_parameters(function, interpreter, arrays, scalars, hosted, defaults)
        note_decorators(node, interpreter, self.wrapped)
        if frame.facts.generator:
            interpreter.exits.keep_arguments(arguments_of(function), env)
        if node.asynchronous is not None:
            interpreter.record.construct(node, ev.Kind.ASYNC)
        return interpreter.run(node.body, env)
