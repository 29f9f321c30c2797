"""Who may keep or change an array: callees, objects, globals, containers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import filterfalse

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, Stale, join, shown
from np2tnp.analysis.domain.locations import (
    is_attribute,
    is_global,
    is_held,
    is_holder,
    is_outside_location,
    is_parameter,
    is_seen,
    is_state,
    kept_by,
    of_attribute,
    of_parameter,
    seen_by,
    told,
)
from np2tnp.analysis.domain.result_aliases import (
    COPIED_OUTSIDE,
    copied_outside,
    copy_marks,
    has_shared_items,
    holds_order,
)
from np2tnp.analysis.domain.special_names import ALL_FRAMES, frames_of_callee
from np2tnp.analysis.domain.summaries import ANY_ATTRIBUTE, Summary, deps_in, hosted, may_join, translated
from np2tnp.analysis.domain.values import (
    COPIED,
    EITHER,
    FILLED,
    FOREIGN,
    FORTRAN,
    HOST,
    LENT,
    NO_NAMES,
    SHARED,
    SUBCLASS,
    TENSOR,
    UNKNOWN,
    Array,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    exact_of,
    is_numpy_number,
    may_be_array,
    may_hold_tensor,
    outside_of,
    parameters_in,
    reads_later,
    refs_of,
    view_of,
)
from np2tnp.analysis.interpreter.numpy_results import NumpyResults
from np2tnp.analysis.interpreter.state import NESTED
from np2tnp.analysis.module.kept_functions import names_captured
from np2tnp.analysis.syntax.python_tables import NAMEDTUPLE
from np2tnp.analysis.syntax.scopes import dotted, parameters_of, sketch
from np2tnp.model import Callee

# --- Who holds on to arrays: objects, globals, containers and callees that others see

#: References of what is a copy of others' arrays here, or holds two: of an array or object without them, nothing is.
_COPIES = frozenset((COPIED_OUTSIDE, FOREIGN, FORTRAN, SHARED))


@lru_cache(maxsize=4096)
def _places(holders: frozenset[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Those of `holders` that are places, which SHARED is not (it is said of a container), and those without a name."""
    places = holders - {SHARED}
    return places, tuple(sorted(filterfalse(str.isidentifier, places)))


class Keeping(NumpyResults):
    """Records what others hold from here on."""

    keeper_fills = False  #: who keeps an argument may store into it, too

    def keep(self, holders: frozenset[str], value: Value, env: Env) -> None:
        """What `holders` denote now holds on to `value`: a later in-place write to it is seen there."""
        self.laid_out_here(holders, value)
        refs = refs_of(value)
        if not refs:
            return
        places, outside = _places(holders)
        for holder in places:
            env.link(holder, refs)
        if not outside:
            return
        if self.depth:
            self.puts_made += [(holder, value) for holder in outside]
        if not refs.isdisjoint(NESTED) and any(map(is_holder, outside)):
            self.nested_keeps = True
            self.facts.seen.keeps.update(self.facts.parameters)
        # an object outside holds the caller's own array: it must get that very object
        given = parameters_in(refs if len(outside) > 1 else refs.difference(outside))
        if not given <= self.facts.host_parameters:
            self.facts.host_parameters |= given
        self.keeps_copies(outside, value)
        if may_hold_tensor(value):  # and what NumPy makes of what others hold, which may be the same again
            shown = outside_of(refs) | {FOREIGN} if FOREIGN in refs else outside_of(refs)
            if not shown <= self.facts.viewed:
                self.facts.viewed |= shown

    def keeps_captured(self, argument: ev.Argument, env: Env) -> None:
        """Whoever gets `argument` keeps it: a nested function holds what it reads of the functions around it."""
        value, node = argument.value, argument.node.value
        if isinstance(value, Function) and value.nested:
            self.keep_names(self.nested_reads.get(value.qualname, NO_NAMES), env)
        elif value is LENT:
            self.keep_names(self.captured_by(node) if isinstance(node, cst.Lambda) else self.lent_reads, env)

    def is_nested(self, argument: ev.Argument) -> bool:
        """Whether `argument` is a function of the region."""
        return argument.value is LENT or (isinstance(argument.value, Function) and argument.value.nested)

    def captured_by(self, node: cst.Lambda | cst.FunctionDef) -> set[str]:
        """Names that the nested function `node` reads from around it."""
        own = {parameter.name.value for parameter in parameters_of(node.params)}
        return names_captured(node, own | self.module.scopes[id(node)].bound if id(node) in self.module.scopes else own)

    def keep_names(self, names: Iterable[str], env: Env) -> None:
        """A nested function that somebody may call later reads `names` of the region, as they are by then."""
        for name in sorted(frozenset(names) - self.kept_names):
            self.kept_names.add(name)
            value = env.load(name)
            if isinstance(value, Function) and value.nested:
                self.keep_names(self.nested_reads.get(value.qualname, NO_NAMES), env)
            elif value is LENT:
                self.keep_names(self.lent_reads, env)
            elif value is not None:
                self.keep(frozenset((kept_by("a nested function"),)), value, env)
                if reads_later(value) or name in self.lent_iterators:
                    self.keep_names(self.read_by_iterators, env)

    def keeps_copies(self, places: Iterable[str], value: Value) -> None:
        """Whoever is there would hold copies of what others have: NumPy must make them, or the region stays."""
        if self.made == HOST:
            return
        if isinstance(value, (Array, Unknown)) and value.home != TENSOR and value.refs.isdisjoint(_COPIES):
            return
        copies = copied_outside(value)
        parts = has_shared_items(value)  # of one array, as two
        for where in places if copies or parts else ():
            if copies or not is_seen(where):
                self.facts.viewed |= copies | (refs_of(value) & {FOREIGN})
                holder = told(where)
                by_callee = is_seen(where) or self.keeper_fills
                kinds = (
                    (ev.Kind.SEEN_TWICE, ev.Kind.PERHAPS_SEEN_TWICE)
                    if by_callee
                    else (ev.Kind.KEPT_TWICE, ev.Kind.HELD_TWICE)
                )
                kind = kinds[type(value) is not Array or not is_state(where)]  # who knows what others make of it
                self.construct(self.statement or self.facts.node, kind, holder)

    def puts(self, container: Value, values: Iterable[Value]) -> None:
        """`container`, perhaps a list or dict of the caller's, may hold `values` from here on: callers are told."""
        holders = parameters_in(refs_of(container))
        given = NO_NAMES.union(*[parameters_in(refs_of(value)) for value in values]) if holders else NO_NAMES
        if given:
            self.facts.seen.fills.update((holder, name) for holder in holders for name in given)

    def _fill_containers(
        self, arguments: Mapping[str, ev.Argument], env: Env, fills: frozenset[tuple[str, str]] | None = None
    ) -> None:
        """A callee may have put something new into lists and dicts among its arguments, or arguments as `fills` says.

        Where that is None, any argument.
        """
        for name, argument in arguments.items():
            kind = argument.value.type if isinstance(argument.value, Sequence) else ""
            is_container = kind in FILLED
            if not is_container and not parameters_in(refs_of(argument.value)):
                continue
            given = [item.value for key, item in arguments.items() if fills is None or (name, key) in fills]
            self.puts(argument.value, given)
            if not is_container:
                continue
            refs = NO_NAMES.union(*map(refs_of, given))
            marks = NO_NAMES.union(*(copy_marks(refs_of(value)) for value in given if may_hold_tensor(value)))
            held = any(may_hold_tensor(item.value) for item in arguments.values())
            if held and kind == "deque":  # nobody would convert what it holds
                self.construct(argument.node, ev.Kind.QUEUE_OF_TENSORS)
            added = Unknown(EITHER if held else HOST, refs | marks)
            for place in refs_of(argument.value):
                container = env.values.get(place)
                if isinstance(container, Sequence) and container.type in FILLED:
                    env.values[place] = Sequence(container.type, join(container.element, added))
                    env.link(place, refs - {place} | {SHARED} if refs & refs_of(argument.value) else refs - {place})

    def _of_one_array(self, arguments: tuple[ev.Argument, ...]) -> frozenset[str]:
        """`SHARED` where arguments, or items of one, are tensors that show one array: a function gets copies apart."""
        met: frozenset[str] = NO_NAMES
        for argument in arguments:
            if not may_hold_tensor(argument.value):
                continue
            refs = frozenset(ref for ref in refs_of(argument.value) if ref.isidentifier() or is_outside_location(ref))
            if refs & met or has_shared_items(argument.value):
                return frozenset((SHARED,))
            met |= refs
        return NO_NAMES

    def _given_back(self, arguments: tuple[ev.Argument, ...]) -> frozenset[str]:
        """What a function on the host may return: one of its arguments, or our copy of one."""
        refs: frozenset[str] = NO_NAMES
        for argument in arguments:
            refs |= refs_of(argument.value)
            if may_hold_tensor(argument.value) and refs_of(argument.value):
                refs |= copy_marks(refs_of(argument.value))
        refs |= self._of_one_array(arguments)
        return refs - {SUBCLASS} if self.met_subclass else refs  # it may be anything, as what others give is


# --- What callees do to the arrays they get: the module's own by their summary, unresolved ones by the worst case


@lru_cache(maxsize=4096)
def _outer(refs: frozenset[str]) -> frozenset[str]:
    """The locations that mean the same in every function: no names, no parameters."""
    return frozenset(ref for ref in refs if not (is_parameter(ref) or ref.isidentifier()))


@lru_cache(maxsize=4096)
def _are_watched(refs: frozenset[str]) -> bool:
    """Whether a callee has seen or keeps what lies at one of the locations `refs`."""
    return any(map(is_held, refs))


@lru_cache(maxsize=256)
def _of_callee(known: Callee) -> Summary:
    """What callers must know of it."""
    return Summary(known.parameters, False, known.changes, frozenset(known.keeps), UNKNOWN, quiet=True)


_LITERALS = frozenset((cst.Integer, cst.Float, cst.Imaginary, cst.SimpleString))
_CONSTANTS = frozenset(("None", "True", "False"))
#: Nothing happens to these arguments, nor through them.
_NEVER_ARRAYS = frozenset((Const, Scalar, Symbol))


class Effects(Keeping):
    """Applies what callees do to their arguments."""

    def _apply_summary(
        self,
        node: cst.Call,
        summary: Summary,
        arguments: tuple[ev.Argument, ...],
        env: Env,
        migrated: bool,
        skip: int = 0,
    ) -> Value:
        matched = summary.match(arguments, skip)
        callee = dotted(node.func) or "a function"
        if not migrated and (up := frames_of_callee(summary.looks_up, summary.levels, node, matched)) > 1:
            self.look_up(node, callee, up - 1)
        if matched is None:
            self.facts.updates |= self._own_state(summary)
            shown = (self.lies_otherwise(argument.node.value, argument.value) for argument in arguments)
            if summary.by_layout and self.made != HOST and any(shown):
                self.construct(node, ev.Kind.ASKED_BY_LAYOUT, f"an argument of {callee}")
            harmless = not (summary.mutates or summary.keeps or summary.hosted or summary.changeable or summary.joins)
            self._unresolved(node, callee, arguments, env, pure=harmless)
            if summary.falls_back:
                self.unfollowed(*(argument.value for argument in arguments))
            told = refs_of(summary.result)  # what of its arguments it gives back, it says
            back = self._given_back(arguments) if parameters_in(told) else NO_NAMES
            return Unknown(HOST, back | self._translate(told, {}))
        summary = summary.admitting(matched) if migrated else summary
        if not summary.quiet:
            self._kept_may_change(node, callee, env, summary.assigns)
        elif summary.assigns:
            self.attributes_assigned(summary.assigns, env)
        if summary.works and isinstance(summary.result, Sequence) and summary.result.type == "iterator":
            self.lazy_works = True
        if summary.updates:
            self.facts.updates |= self._own_state(summary)
            self._updates_behind(summary, matched)
        if summary.by_layout:
            self.asked_by_layout(summary, matched)
        filled = False
        on_host = False  # it updates ndarrays: its public form is called
        for name, argument in matched.items():
            if name in summary.keeps:
                self.keeper_fills = name in summary.mutates or name in summary.changeable
                self.keep(frozenset((kept_by(dotted(node.func), name),)), argument.value, env)
                self.keeper_fills = False
            if name in summary.keeps or name in summary.changeable:
                self.keeps_captured(argument, env)
            if name in summary.falls_back:
                self.unfollowed(argument.value)
            updates = name in summary.mutates
            in_numpy = updates and not migrated and self.made != HOST  # it changes the very array that it gets
            if updates or name in summary.changeable:
                filled = True
                if isinstance(argument.value, Instance):  # through `vars(o)` or `getattr(o, k)`
                    self.object_works(node, argument.value, env)
            by_others = in_numpy or (name in summary.changeable and not updates)
            if by_others or (summary.tells_apart and not summary.migrated):
                self._copies_may_differ(node, callee, argument, tuple(matched.values()))
            if by_others:
                if summary.unseen:
                    self.facts.seen.unseen_callee(summary.unseen)
                self._may_change(node, callee, argument, env, keeps=False)
                if updates:
                    self.updates_state(argument.value)
            elif updates:
                if any(self._are_one(argument.value, item.value) for key, item in matched.items() if key != name):
                    self.construct(argument.node, ev.Kind.ALIASED_ARGUMENTS, name)
                self.write(node, argument.node.value, argument.value, UNKNOWN, env, op="call")
                on_host = on_host or (may_be_array(argument.value) and not may_hold_tensor(argument.value))
        exact = exact_of(summary.result)
        exact = exact_of(matched[exact].value) if exact in matched else None
        made_of = deps_in(summary.result)
        deps = NO_NAMES.union(*[deps_of(argument.value) for name, argument in matched.items() if name in made_of])
        if filled:
            self._fill_containers(matched, env, summary.fills)
        held = {*matched, *summary.mutates}  # the core works on the very array by default that it updates
        defaults = frozenset(place for name, place in summary.shows_defaults if name not in held)
        if defaults and migrated and self.made != HOST:  # the public function gives the very array
            if summary.mutates:
                self.construct(node, ev.Kind.ARRAY_BY_DEFAULT, summary.mutates[0])
            self.facts.public_calls.add(id(node))
        by_default = bool(summary.mutates) and matched.keys().isdisjoint(summary.mutates)  # no name to bind anew
        public = not migrated or on_host or self.made == HOST or bool(defaults) or by_default
        told = refs_of(summary.result)  # nothing, as a rule: a new array, or none
        self.met_subclass |= SUBCLASS in told
        shared = self._shown_to_caller(summary, told, matched)
        # the core makes a tensor of an ndarray, and gives that back
        given_back = parameters_in(told) - summary.hosted
        remade = bool(told and not public) and any(
            self._is_theirs(item.value) and (name in given_back or shared & refs_of(item.value))
            for name, item in matched.items()
            if name not in summary.hosted
        )
        if remade and not summary.mutates and self.must_stay_view(shared | {FOREIGN}):
            self.facts.public_calls.add(id(node))
            public, remade = True, False
        copied = [
            refs_of(item.value)
            for name, item in matched.items()
            if shared
            and ((public and self.made != HOST) or name in summary.hosted)
            and shared & refs_of(item.value)
            and may_hold_tensor(item.value)
        ]
        marks = NO_NAMES.union(*map(copy_marks, copied), {FOREIGN} if remade else NO_NAMES)
        marks |= self.shown_by_layout(told, matched)
        exact = None if remade else exact

        def show(refs: frozenset[str]) -> frozenset[str]:
            found = self._shown_to_caller(summary, refs, matched)
            if defaults and any(name not in matched for name in parameters_in(refs)):
                found |= env.reach(*defaults)
            return found | marks if found or (remade and given_back & parameters_in(refs)) else found

        view = max([view_of(matched[name].value) for name in parameters_in(told) if name in matched], default="")
        result = translated(summary.result, told, exact, deps, view, show)
        return hosted(result) if public else result

    def _are_one(self, updated: Value, other: Value) -> bool:
        """Whether a core would get two tensors of one array.

        Of two attributes of an object that nobody knows, each may be any array: its public function looks.
        """
        mine, yours = (frozenset(ref for ref in refs_of(value) if is_attribute(ref)) for value in (updated, other))
        attributes = mine and yours and mine != yours and self._is_theirs(updated) and self._is_theirs(other)
        return not attributes and not refs_of(updated).isdisjoint(refs_of(other))

    def _updates_behind(self, summary: Summary, matched: Mapping[str, ev.Argument]) -> None:
        """The callee updates state that one of its arguments shows: a tensor of that would not."""
        for name, argument in matched.items():
            shown = summary.updates & refs_of(argument.value)
            if shown and may_hold_tensor(argument.value):
                self.facts.viewed |= shown
                self.construct(argument.node, ev.Kind.ALIASED_ARGUMENTS, name)

    @staticmethod
    def _is_theirs(value: Value) -> bool:
        """Whether `value` certainly is an ndarray, or no array at all."""
        return may_be_array(value) and not may_hold_tensor(value)

    def _own_state(self, summary: Summary) -> frozenset[str]:
        """What the callee updates that a wrapper in this module can look at: attributes, and the module's own names."""
        return frozenset(ref for ref in summary.updates if is_attribute(ref) or ref.startswith(self.location("")))

    def updates_state(self, base: Value) -> None:
        """An array of the caller that is the written one, too, must not have become a tensor: callers are told."""
        for ref in refs_of(base):
            if is_global(ref) and not ref.startswith(self.location("")):
                self.facts.updates |= self._names_of(ref)
            elif is_state(ref):
                self.facts.updates |= {ref}

    def unfollowed(self, *values: Value) -> None:
        """Something here may change, keep and give back the arrays `values` in a way that is not followed.

        Callers of this function are told the worst.
        """
        refs = NO_NAMES.union(*map(refs_of, values))
        given = parameters_in(refs) if refs.isdisjoint(NESTED) else frozenset(self.facts.parameters)
        self.facts.seen.unfollowed.update(given)
        for value in values:
            self.updates_state(value)

    def _names_of(self, location: str) -> set[str]:
        """By what a wrapper in this module can find an array of another module: an attribute, and imported names."""
        found = {of_attribute(location.rpartition(":")[2])}
        for name, value in self.module.values.items():
            known = self.services.resolve(value.name) if isinstance(value, Symbol) else None
            if known is not None and location in refs_of(known):
                found.add(self.location(name))
        return found

    def _shown_to_caller(
        self, summary: Summary, refs: frozenset[str], matched: Mapping[str, ev.Argument]
    ) -> frozenset[str]:
        """Where the caller sees what the callee sees at `refs`; containers hold what the callee puts into them, too."""
        if not refs:
            return refs
        if summary.fills:
            refs |= {of_parameter(item) for holder, item in summary.fills if of_parameter(holder) in refs}
        return self._translate(refs, matched)

    def _translate(self, refs: frozenset[str], matched: Mapping[str, ev.Argument]) -> frozenset[str]:
        given = [refs_of(matched[name].value) for name in parameters_in(refs) if name in matched]
        return _outer(refs).union(*given)

    def known_call(self, node: cst.Call, known: Callee, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """A call of a callable outside the project, of which somebody wrote down what it does with arrays."""
        for argument in arguments:
            self._shows_order(argument, known.name)
            self.hand_iterators(argument.node, argument.value)
        if not (known.changes or known.keeps or known.gives):
            return UNKNOWN
        summary = _of_callee(known)
        matched = summary.match(arguments)
        if matched is None:  # which argument is which, nobody knows
            return self._unresolved(node, known.name, arguments, env, pure=False)
        if known.asked_by and known.asked_by not in matched:
            return UNKNOWN
        result = self._apply_summary(node, summary, arguments, env, migrated=False)
        given = tuple(matched[name] for name in known.gives if name in matched)
        return Unknown(HOST, self._given_back(given), view="view") if given else result

    def _unresolved(
        self, node: cst.Call, callee: str, arguments: tuple[ev.Argument, ...], env: Env, pure: bool
    ) -> Value:
        """`callee` may change, keep and give back what it gets, unless known not to (`pure`). Gives its result."""
        for argument in arguments:
            self._shows_order(argument, callee)
        if pure:
            for argument in arguments:
                self.hand_iterators(argument.node, argument.value)
            if self.catalog.gives_back(callee):
                return Unknown(HOST, self._given_back(arguments), view="view")
            return UNKNOWN
        self._kept_may_change(node, callee, env)
        arguments = tuple([it for it in arguments if type(it.value) not in _NEVER_ARRAYS or it.value is LENT])
        for argument in arguments:
            self.hand_iterators(argument.node, argument.value)
            self._copies_may_differ(node, callee, argument, arguments)
            self._may_change(node, callee, argument, env)
            self.keeps_captured(argument, env)
        self._fill_containers({str(number): argument for number, argument in enumerate(arguments)}, env)
        held = env.reach(kept_by("a nested function")) if any(map(self.is_nested, arguments)) else NO_NAMES
        return Unknown(HOST, self._given_back(arguments) | held - {kept_by("a nested function")})

    def _shows_order(self, argument: ev.Argument, callee: str) -> None:
        """An array in Fortran order that others get must be NumPy's own: of a tensor they would get one in C order."""
        if self.made != HOST and holds_order(argument.value):
            self.facts.viewed |= {FORTRAN}
            self.construct(argument.node, ev.Kind.ORDER_SHOWN, callee)

    def attributes_assigned(self, names: frozenset[str], env: Env) -> None:
        """Other code runs that may assign to these attributes."""
        self.facts.seen.assigns |= names
        env.forget_attributes(None if names & ANY_ATTRIBUTE else names)

    def _kept_may_change(
        self, node: cst.CSTNode, callee: str, env: Env, assigns: frozenset[str] = ANY_ATTRIBUTE
    ) -> None:
        """What some object holds on to may be changed by any code that runs: our tensors would not show it.

        `assigns`: the attributes to which that code may assign.
        """
        self.worked += 1
        self.attributes_assigned(assigns, env)
        self.facts.seen.runs_others = True
        stale = Stale(callee, id(node), "call on a view")
        for name in env.held_outside():
            held = env.values.get(name)
            if held is not None and name.isidentifier() and may_hold_tensor(held) and not is_numpy_number(held):
                env.stale[name] = env.stale[name].join(stale) if name in env.stale else stale

    def look_up(self, node: cst.CSTNode, callee: str, frames: int, by_caller: tuple[str, int] | None = None) -> None:
        """`callee` looks at so many frames above that of the function here, or at as many as a parameter says."""
        frames = ALL_FRAMES if frames > ALL_FRAMES // 2 else frames
        if by_caller is not None:
            self.facts.seen.levels.add(by_caller)
        else:
            self.facts.seen.looks_up = max(frames, self.facts.seen.looks_up)
        self.construct(node, ev.Kind.FRAMES_OF_CALLERS, callee)

    def code_runs(self, node: cst.CSTNode, whose: str, env: Env) -> None:
        self.ran += 1
        self.facts.seen.asks_objects = True
        self._kept_may_change(node, whose, env)

    def object_works(self, node: cst.CSTNode, receiver: Instance, env: Env) -> None:
        if receiver.qualname != NAMEDTUPLE:
            self._kept_may_change(node, receiver.qualname, env)

    def _may_change(self, node: cst.Call, callee: str, argument: ev.Argument, env: Env, keeps: bool = True) -> None:
        """`callee` may change the array behind one argument, and keep it unless it is known not to (`keeps`)."""
        value = argument.value
        if isinstance(value, Sequence) and not may_hold_tensor(value):
            self.facts.host_parameters |= parameters_in(refs_of(value))
            if keeps:
                self.keep(frozenset((seen_by(callee),)), value, env)
            return
        if not (may_be_array(value) or isinstance(value, Sequence)):
            return
        if is_numpy_number(value):
            return  # nobody can change it
        self.emit(ev.Construct(argument.node, self.place(argument.node), ev.Kind.UNRESOLVED, callee))
        self._copy_may_change(node, callee, argument)
        refs = refs_of(value)
        if given := parameters_in(refs):
            self.facts.host_parameters |= given
        if not refs.isdisjoint(NESTED):  # whatever the nested function is called with
            self.nested_keeps = True
            self.unfollowed(value)
        changed = self.changes_behind(node, callee, argument, env)
        name = argument.node.value.value if type(argument.node.value) is cst.Name else None
        if name in changed and not self.is_perhaps_theirs(value, refs):  # it is read back
            env.stale[name] = Stale(callee, id(node), "call")
        if keeps:
            self.keep(frozenset((seen_by(callee),)), value, env)

    def changes_behind(self, node: cst.Call, callee: str, argument: ev.Argument, env: Env) -> frozenset[str]:
        """Names are stale that show what `callee` changes in `argument`, or in what lies in it. Gives them."""
        name = argument.node.value.value if type(argument.node.value) is cst.Name else None
        refs = refs_of(argument.value)
        on_view = Stale(callee, id(node), "call on a view")
        copied = COPIED in refs
        changed = frozenset(
            ref
            for ref in refs
            if (held := env.values.get(ref)) is not None
            and not is_numpy_number(held)
            and (may_hold_tensor(held) or (ref != name and (copied or env.shares(ref, COPIED))))
        )
        if changed:
            env.stale.update(dict.fromkeys(changed, on_view))
            self.updated.append(changed)
        seen = changed if _are_watched(refs) else frozenset(filter(self._is_captured, changed))
        if seen:
            # what is read back here is not what the first one holds, or what the enclosing function sees
            first = name if name in seen else shown(seen)
            self.emit(ev.StaleRead(argument.node.value, self.place(argument.node), first, on_view, seen))
        return changed

    def _copies_may_differ(
        self, node: cst.Call, callee: str, argument: ev.Argument, arguments: tuple[ev.Argument, ...]
    ) -> None:
        """`callee` changes an array that it gets as another argument, too: it would get two copies of our tensor."""
        value = argument.value
        if len(arguments) == 1 or not may_hold_tensor(value) or is_numpy_number(value):
            return
        for other in arguments:
            if other is argument or not may_hold_tensor(other.value) or is_numpy_number(other.value):
                continue
            names = {ref for ref in refs_of(value) & refs_of(other.value) if ref.isidentifier()}
            if names:
                stale, where = Stale(callee, id(node), "two copies"), argument.node.value
                both = sketch(where), sketch(other.node.value)
                self.emit(ev.StaleRead(where, self.place(where), " and ".join(both), stale, frozenset(names)))

    def _copy_may_change(self, node: cst.CSTNode, callee: str, argument: ev.Argument) -> None:
        """What is handed over may be our copy of memory that others see: NumPy must make it, and `callee` get that."""
        value = argument.value
        if FOREIGN not in refs_of(value) or not may_hold_tensor(value):
            return
        outside = outside_of(refs_of(value))
        if outside:
            self.facts.viewed |= outside | {FOREIGN}
            stale = Stale(callee, id(node), "call on a view")
            self.emit(ev.StaleRead(argument.node.value, self.place(argument.node), shown(outside), stale))

    def _is_captured(self, name: str) -> bool:
        """Whether `name` belongs to a function around the nested function or comprehension being interpreted."""
        if self.depth > len(self.capturable):
            return name in self.locals
        return bool(self.depth) and name in self.capturable[-1]

    def _updates_own_default(
        self, node: cst.Call, summary: Summary, arguments: tuple[ev.Argument, ...], skip: int
    ) -> None:
        """A function that calls itself may update an array by default that its caller holds as a tensor."""
        matched = summary.match(arguments, skip)
        changed = {*summary.mutates, *summary.changeable}
        for parameter in parameters_of(cst.ensure_type(self.facts.node, cst.FunctionDef).params):
            name = parameter.name.value
            held = parameter.default is not None and not self._is_plain_default(parameter.default)
            if held and name in changed and (matched is None or name not in matched):
                self.construct(node, ev.Kind.ALIASED_ARGUMENTS, name)

    def _is_plain_default(self, node: cst.BaseExpression) -> bool:
        """Whether it surely is no array, nor holds one: numbers, texts, None, what is NumPy's, tuples of such."""
        if type(node) is cst.Tuple:
            return all(self._is_plain_default(element.value) for element in node.elements)
        if type(node) is cst.UnaryOperation:
            return type(node.expression) in _LITERALS
        first, _, rest = dotted(node).partition(".")
        module = self.module.values.get(first) if rest else None
        return type(node) in _LITERALS or first in _CONSTANTS or (isinstance(module, Symbol) and module.name == "numpy")

    def _project_call(
        self, node: cst.Call, callee: Function, arguments: tuple[ev.Argument, ...], env: Env, method: str = ""
    ) -> Value:
        """`method`: the kind of method that `callee` is, where it is called on an object."""
        summary = self.services.summary(callee)
        if summary is None:
            return self._unresolved(node, callee.qualname, arguments, env, pure=False)
        skip = 1 if method not in ("", "static") else 0
        if callee.qualname == self.facts.qualname and callee.module == self.module.path:
            self._updates_own_default(node, summary, arguments, skip)
        migrated = summary.migrated and not (method and summary.mutates)  # an object's class may override it
        if not summary.migrated and may_join(summary, arguments, skip):
            return self._unresolved(node, callee.qualname, arguments, env, pure=False)
        return self._apply_summary(node, summary, arguments, env, migrated=migrated, skip=skip)
