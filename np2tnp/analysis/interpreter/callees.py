"""What callees do to the arrays that they get, and who calls what is handed over."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, Stale, join, shown
from np2tnp.analysis.domain.locations import (
    is_attribute,
    is_held,
    is_outside_location,
    is_parameter,
    kept_by,
    of_parameter,
    seen_by,
)
from np2tnp.analysis.domain.result_aliases import copy_marks, has_shared_items, holds_order
from np2tnp.analysis.domain.special_names import frames_of_callee
from np2tnp.analysis.domain.summaries import Summary, deps_in, hosted, may_join, translated
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
    UNKNOWN,
    Bound,
    Class,
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
    parameters_in,
    refs_of,
    view_of,
)
from np2tnp.analysis.interpreter.frame import NESTED, Frame, Names, Record
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.interpreter.writes import Keeping, Writes
from np2tnp.analysis.syntax.python_tables import CALLBACKS, CALLERS, CONTAINER_MUTATORS, IN_PLACE_METHODS
from np2tnp.analysis.syntax.scopes import dotted, parameters_of, sketch
from np2tnp.analysis.syntax.walk import walk
from np2tnp.model import Callee


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
#: What gets classes, and makes no instances of them.
_NOT_CALLING = frozenset(("builtins.isinstance", "builtins.issubclass"))
#: What a key function may call without anybody asking what that does to an array: numbers and texts come of it.
_CONVERSIONS = frozenset(f"builtins.{name}" for name in "int float bool str len abs round".split())
_CALLABLE = frozenset((Function, Class, Bound))


class Callees:
    """Applies what callees do to their arguments, and decides who may change arrays by calling what they get."""

    def __init__(
        self,
        frame: Frame,
        record: Record,
        names: Names,
        unseen: UnseenCode,
        placement: Placement,
        keeping: Keeping,
        writes: Writes,
    ) -> None:
        self.frame = frame
        self.facts = frame.facts
        self.module = frame.module
        self.catalog = frame.catalog
        self.services = frame.services
        self.record = record
        self.names = names
        self.unseen = unseen
        self.placement = placement
        self.keeping = keeping
        self.writes = writes

    def apply_summary(
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
            self.unseen.look_up(node, callee, up - 1, behind=summary.looks_at)
        if matched is None:
            self.facts.updates |= self._own_state(summary)
            shown = (self.placement.lies_otherwise(argument.node.value, argument.value) for argument in arguments)
            if summary.by_layout and self.frame.made != HOST and any(shown):
                self.record.construct(node, ev.Kind.ASKED_BY_LAYOUT, f"an argument of {callee}")
            harmless = not (summary.mutates or summary.keeps or summary.hosted or summary.changeable or summary.joins)
            self.unresolved(node, callee, arguments, env, pure=harmless)
            if summary.falls_back:
                self.unseen.unfollowed(*(argument.value for argument in arguments))
            told = refs_of(summary.result)  # what of its arguments it gives back, it says
            back = self.given_back(arguments) if parameters_in(told) else NO_NAMES
            return Unknown(HOST, back | self._translate(told, {}))
        summary = summary.admitting(matched) if migrated else summary
        if not summary.quiet:
            self.unseen.kept_may_change(node, callee, env, summary.assigns)
        elif summary.assigns:
            self.unseen.attributes_assigned(summary.assigns, env)
        if summary.works and isinstance(summary.result, Sequence) and summary.result.type == "iterator":
            self.frame.lazy_works = True
        if summary.updates:
            self.facts.updates |= self._own_state(summary)
            self._updates_behind(summary, matched)
        if summary.by_layout:
            self.placement.asked_by_layout(summary, matched)
        filled = False
        on_host = False  # it updates ndarrays: its public form is called
        for name, argument in matched.items():
            if name in summary.keeps:
                fills = name in summary.mutates or name in summary.changeable
                self.keeping.keep(frozenset((kept_by(dotted(node.func), name),)), argument.value, env, fills)
            if name in summary.keeps or name in summary.changeable:
                self.keeping.keeps_captured(argument, env)
            if name in summary.falls_back:
                self.unseen.unfollowed(argument.value)
            updates = name in summary.mutates
            in_numpy = updates and not migrated and self.frame.made != HOST  # it changes the very array that it gets
            if updates or name in summary.changeable:
                filled = True
                if isinstance(argument.value, Instance):  # through `vars(o)` or `getattr(o, k)`
                    self.unseen.object_works(node, argument.value, env)
            by_others = in_numpy or (name in summary.changeable and not updates)
            if by_others or (summary.tells_apart and not summary.migrated):
                self.copies_may_differ(node, callee, argument, tuple(matched.values()))
            if by_others:
                if summary.unseen:
                    self.facts.seen.unseen_callee(summary.unseen)
                self.may_change(node, callee, argument, env, keeps=False)
                if updates:
                    self.unseen.updates_state(argument.value)
            elif updates:
                if any(self._are_one(argument.value, item.value) for key, item in matched.items() if key != name):
                    self.record.construct(argument.node, ev.Kind.ALIASED_ARGUMENTS, name)
                self.writes.write(node, argument.node.value, argument.value, UNKNOWN, env, op="call")
                on_host = on_host or (may_be_array(argument.value) and not may_hold_tensor(argument.value))
        exact = exact_of(summary.result)
        exact = exact_of(matched[exact].value) if exact in matched else None
        made_of = deps_in(summary.result)
        deps = NO_NAMES.union(*[deps_of(argument.value) for name, argument in matched.items() if name in made_of])
        if filled:
            self._fill_containers(matched, env, summary.fills)
        held = {*matched, *summary.mutates}  # the core works on the very array by default that it updates
        defaults = frozenset(place for name, place in summary.shows_defaults if name not in held)
        if defaults and migrated and self.frame.made != HOST:  # the public function gives the very array
            if summary.mutates:
                self.record.construct(node, ev.Kind.ARRAY_BY_DEFAULT, summary.mutates[0])
            self.facts.public_calls.add(id(node))
        by_default = bool(summary.mutates) and matched.keys().isdisjoint(summary.mutates)  # no name to bind anew
        public = not migrated or on_host or self.frame.made == HOST or bool(defaults) or by_default
        told = refs_of(summary.result)  # nothing, as a rule: a new array, or none
        self.frame.met_subclass |= SUBCLASS in told
        shared = self._shown_to_caller(summary, told, matched)
        # the core makes a tensor of an ndarray, and gives that back
        given_back = parameters_in(told) - summary.hosted
        remade = bool(told and not public) and any(
            self._is_theirs(item.value) and (name in given_back or shared & refs_of(item.value))
            for name, item in matched.items()
            if name not in summary.hosted
        )
        if remade and not summary.mutates and self.record.must_stay_view(shared | {FOREIGN}):
            self.facts.public_calls.add(id(node))
            public, remade = True, False
        copied = [
            refs_of(item.value)
            for name, item in matched.items()
            if shared
            and ((public and self.frame.made != HOST) or name in summary.hosted)
            and shared & refs_of(item.value)
            and may_hold_tensor(item.value)
        ]
        marks = NO_NAMES.union(*map(copy_marks, copied), {FOREIGN} if remade else NO_NAMES)
        marks |= self.placement.shown_by_layout(told, matched)
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
                self.record.construct(argument.node, ev.Kind.ALIASED_ARGUMENTS, name)

    @staticmethod
    def _is_theirs(value: Value) -> bool:
        """Whether `value` certainly is an ndarray, or no array at all."""
        return may_be_array(value) and not may_hold_tensor(value)

    def _own_state(self, summary: Summary) -> frozenset[str]:
        """What the callee updates that a wrapper in this module can look at: attributes, and the module's own names."""
        return frozenset(ref for ref in summary.updates if is_attribute(ref) or ref.startswith(self.names.location("")))

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
            self.record.hand_iterators(argument.node, argument.value)
        if not (known.changes or known.keeps or known.gives):
            return UNKNOWN
        summary = _of_callee(known)
        matched = summary.match(arguments)
        if matched is None:  # which argument is which, nobody knows
            return self.unresolved(node, known.name, arguments, env, pure=False)
        if known.asked_by and known.asked_by not in matched:
            return UNKNOWN
        result = self.apply_summary(node, summary, arguments, env, migrated=False)
        given = tuple(matched[name] for name in known.gives if name in matched)
        return Unknown(HOST, self.given_back(given), view="view") if given else result

    def unresolved(
        self, node: cst.Call, callee: str, arguments: tuple[ev.Argument, ...], env: Env, pure: bool
    ) -> Value:
        """`callee` may change, keep and give back what it gets, unless known not to (`pure`). Gives its result."""
        for argument in arguments:
            self._shows_order(argument, callee)
        if pure:
            for argument in arguments:
                self.record.hand_iterators(argument.node, argument.value)
            if self.catalog.gives_back(callee):
                return Unknown(HOST, self.given_back(arguments), view="view")
            return UNKNOWN
        self.unseen.kept_may_change(node, callee, env)
        arguments = tuple([it for it in arguments if type(it.value) not in _NEVER_ARRAYS or it.value is LENT])
        for argument in arguments:
            self.record.hand_iterators(argument.node, argument.value)
            self.copies_may_differ(node, callee, argument, arguments)
            self.may_change(node, callee, argument, env)
            self.keeping.keeps_captured(argument, env)
        self._fill_containers({str(number): argument for number, argument in enumerate(arguments)}, env)
        held = env.reach(kept_by("a nested function")) if any(map(self.keeping.is_nested, arguments)) else NO_NAMES
        return Unknown(HOST, self.given_back(arguments) | held - {kept_by("a nested function")})

    def _shows_order(self, argument: ev.Argument, callee: str) -> None:
        """An array in Fortran order that others get must be NumPy's own: of a tensor they would get one in C order."""
        if self.frame.made != HOST and holds_order(argument.value):
            self.facts.viewed |= {FORTRAN}
            self.record.construct(argument.node, ev.Kind.ORDER_SHOWN, callee)

    def may_change(self, node: cst.Call, callee: str, argument: ev.Argument, env: Env, keeps: bool = True) -> None:
        """`callee` may change the array behind one argument, and keep it unless it is known not to (`keeps`)."""
        value = argument.value
        if isinstance(value, Sequence) and not may_hold_tensor(value):
            self.facts.host_parameters |= parameters_in(refs_of(value))
            if keeps:
                self.keeping.keep(frozenset((seen_by(callee),)), value, env)
            return
        if not (may_be_array(value) or isinstance(value, Sequence)):
            return
        if is_numpy_number(value):
            return  # nobody can change it
        self.record.emit(ev.Construct(argument.node, self.record.place(argument.node), ev.Kind.UNRESOLVED, callee))
        self.keeping.copy_may_change(node, callee, argument)
        refs = refs_of(value)
        self.keeping.updated_inside(refs, env)
        if given := parameters_in(refs):
            self.facts.host_parameters |= given
        if not refs.isdisjoint(NESTED):  # whatever the nested function is called with
            self.frame.nested_keeps = True
            self.unseen.unfollowed(value)
        changed = self.changes_behind(node, callee, argument, env)
        name = argument.node.value.value if type(argument.node.value) is cst.Name else None
        if name in changed and not self.placement.is_perhaps_theirs(value, refs):  # it is read back
            env.stale[name] = Stale(callee, id(node), "call")
        if keeps:
            self.keeping.keep(frozenset((seen_by(callee),)), value, env)

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
            self.frame.updated.append(changed)
        seen = changed if _are_watched(refs) else frozenset(filter(self._is_captured, changed))
        if seen:
            # what is read back here is not what the first one holds, or what the enclosing function sees
            first = name if name in seen else shown(seen)
            self.record.emit(ev.StaleRead(argument.node.value, self.record.place(argument.node), first, on_view, seen))
        return changed

    def copies_may_differ(
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
                self.record.emit(
                    ev.StaleRead(where, self.record.place(where), " and ".join(both), stale, frozenset(names))
                )

    def _is_captured(self, name: str) -> bool:
        """Whether `name` belongs to a function around the nested function or comprehension being interpreted."""
        if self.frame.depth > len(self.frame.scope.capturable):
            return name in self.frame.scope.locals
        return bool(self.frame.depth) and name in self.frame.scope.capturable[-1]

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
                self.record.construct(node, ev.Kind.ALIASED_ARGUMENTS, name)

    def _is_plain_default(self, node: cst.BaseExpression) -> bool:
        """Whether it surely is no array, nor holds one: numbers, texts, None, what is NumPy's, tuples of such."""
        if type(node) is cst.Tuple:
            return all(self._is_plain_default(element.value) for element in node.elements)
        if type(node) is cst.UnaryOperation:
            return type(node.expression) in _LITERALS
        first, _, rest = dotted(node).partition(".")
        module = self.module.values.get(first) if rest else None
        return type(node) in _LITERALS or first in _CONSTANTS or (isinstance(module, Symbol) and module.name == "numpy")

    def project_call(
        self, node: cst.Call, callee: Function, arguments: tuple[ev.Argument, ...], env: Env, method: str = ""
    ) -> Value:
        """`method`: the kind of method that `callee` is, where it is called on an object."""
        summary = self.services.summary(callee)
        if summary is None:
            return self.unresolved(node, callee.qualname, arguments, env, pure=False)
        skip = 1 if method not in ("", "static") else 0
        if callee.qualname == self.facts.qualname and callee.module == self.module.path:
            self._updates_own_default(node, summary, arguments, skip)
        migrated = summary.migrated and not (method and summary.mutates)  # an object's class may override it
        if not summary.migrated and may_join(summary, arguments, skip):
            return self.unresolved(node, callee.qualname, arguments, env, pure=False)
        return self.apply_summary(node, summary, arguments, env, migrated=migrated, skip=skip)

    # ---- what callees put into containers, and give back

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
            self.keeping.puts(argument.value, given)
            if not is_container:
                continue
            refs = NO_NAMES.union(*map(refs_of, given))
            marks = NO_NAMES.union(*(copy_marks(refs_of(value)) for value in given if may_hold_tensor(value)))
            held = any(may_hold_tensor(item.value) for item in arguments.values())
            if held and kind == "deque":  # nobody would convert what it holds
                self.record.construct(argument.node, ev.Kind.QUEUE_OF_TENSORS)
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

    def given_back(self, arguments: tuple[ev.Argument, ...]) -> frozenset[str]:
        """What a function on the host may return: one of its arguments, or our copy of one."""
        refs: frozenset[str] = NO_NAMES
        for argument in arguments:
            refs |= refs_of(argument.value)
            if may_hold_tensor(argument.value) and refs_of(argument.value):
                refs |= copy_marks(refs_of(argument.value))
        refs |= self._of_one_array(arguments)
        return refs - {SUBCLASS} if self.frame.met_subclass else refs  # it may be anything, as what others give is

    # ---- functions that get a function, and call it with their other arguments

    def hand_over(self, node: cst.Call, name: str, arguments: tuple[ev.Argument, ...], env: Env) -> None:
        """`name` calls one of its arguments with the arrays in others, which that callable may change."""
        if (
            name in CALLERS
            or name in _NOT_CALLING
            or not (name in CALLBACKS or name.startswith(("numpy.", "builtins.")))
        ):
            return  # callables of others, and of CALLERS, get ndarrays
        if name not in CALLBACKS and _CALLABLE.isdisjoint([type(argument.value) for argument in arguments]):
            return
        position, keyword = CALLBACKS.get(name, (None, None))
        callbacks = [
            argument
            for index, argument in enumerate(arguments)
            if (index == position and argument.name is None)
            or (keyword is not None and argument.name == keyword)
            or isinstance(argument.value, (Function, Class, Bound))
        ]
        several = len(arguments) - 1
        if not any(
            (self._changes_arguments(it.value) and not self._only_reads(it)) or self._is_given_out(it.value, several)
            for it in callbacks
        ):
            return
        self.unseen.unfollowed(*(argument.value for argument in arguments if argument not in callbacks))
        for argument in arguments:
            if argument in callbacks:
                continue
            # a helper in NumPy's place works on copies, of ndarrays as well
            if may_hold_tensor(argument.value) or (name.startswith("numpy.") and may_be_array(argument.value)):
                self.facts.host_parameters |= parameters_in(refs_of(argument.value))
                self.record.construct(node, ev.Kind.CALLBACK, name.removeprefix("builtins.").replace("numpy.", "np."))
            else:
                self.changes_behind(node, name.removeprefix("builtins."), argument, env)

    def _only_reads(self, callback: ev.Argument) -> bool:
        """Whether it is a lambda that computes with what it gets, and calls nothing but conversions of numbers."""
        function = callback.node.value
        if callback.value is not LENT or type(function) is not cst.Lambda:
            return False
        for part in walk(function.body):
            if type(part) is cst.Call:
                called = self.names.outer_value(part.func.value, Env()) if type(part.func) is cst.Name else UNKNOWN
                if not (isinstance(called, Symbol) and called.name in _CONVERSIONS):
                    return False
            elif type(part) in (cst.Lambda, cst.Await, cst.Yield):
                return False
        return True

    def _is_given_out(self, callback: Value, number: int) -> bool:
        """Whether a ufunc that is called with `number` arrays stores into one of them."""
        fact = self.catalog.get(callback.name) if isinstance(callback, Symbol) else None
        return fact is not None and fact.kind == "ufunc" and number > fact.parameters.index("/")

    def calls_back(self, callee: Value, arguments: tuple[ev.Argument, ...]) -> bool:
        """Whether NumPy is asked to call what may change its arguments: all of it stays NumPy's, with ndarrays.

        So it is where it gets an object, which may say itself what NumPy does with it.
        """
        if not isinstance(callee, Symbol):
            return False
        if callee.name.startswith("numpy."):
            for argument in arguments:
                if type(argument.value) is Instance and self._has_a_say(argument.value):
                    return True
        if callee.name not in CALLERS:
            return False
        given = [argument for argument in arguments if argument.name in (None, "func1d", "func", "function", "pyfunc")]
        return bool(given) and self._changes_arguments(given[0].value)

    def _has_a_say(self, value: Value) -> bool:
        """Whether `value` is an object, but for arrays: what NumPy makes of these, tensors cannot be (TNP307)."""
        known = self.services.class_of(value) if isinstance(value, Instance) else None
        return isinstance(value, Instance) and not (known is not None and known.array_base)

    def known_callee(self, name: str, arguments: tuple[ev.Argument, ...]) -> Callee | None:
        """What somebody wrote down of a callable outside the project, unless it gets a function that may do more."""
        known = self.catalog.callee(name, self.module.path)
        handed = known is not None and any(a.value is LENT or self.is_changer(a.value) for a in arguments)
        return None if handed else known

    def is_changer(self, value: Value) -> bool:
        """Whether `value` is called by whoever gets it, and may change what it is given."""
        return isinstance(value, (Function, Class, Bound)) and self._changes_arguments(value)

    def _changes_arguments(self, callback: Value) -> bool:
        """Whether what is called may update the arrays that it gets, or keep them."""
        if isinstance(callback, Bound) and isinstance(callback.receiver, Instance):
            method = self.names.method_of(callback.receiver, callback.name)
            callback = method[0] if method is not None else UNKNOWN
        if isinstance(callback, Function):
            if callback.nested:
                return False  # its body was interpreted here, and what it does to arrays was seen
            summary = self.services.summary(callback)
            return summary is None or bool(summary.mutates or summary.changeable or summary.keeps)
        if isinstance(callback, Symbol):
            fact = self.catalog.get(callback.name)
            if fact is not None:
                return bool(fact.mutates)
            return not (callback.name.startswith("builtins.") or self.catalog.is_pure(callback.name))
        if isinstance(callback, Bound):
            return callback.name in IN_PLACE_METHODS or callback.name in CONTAINER_MUTATORS
        return isinstance(callback, (Unknown, Class))
