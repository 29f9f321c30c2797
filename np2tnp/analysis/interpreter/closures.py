"""Functions nested in a region, interpreted where they are defined or lent to others; and what leaves a function."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from collections.abc import Sequence as Several
from collections.abc import Set as AbstractSet

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import ROUNDS, Env, join
from np2tnp.analysis.domain.locations import (
    bare,
    is_outside_location,
    is_parameter,
    is_seen,
    kept_by,
    of_attribute,
    of_parameter,
    seen_by,
)
from np2tnp.analysis.domain.result_aliases import copied, has_shared_items, leaves_of, outside_views, shown_by
from np2tnp.analysis.domain.values import (
    COPIED,
    EITHER,
    HOST,
    LENT,
    NO_NAMES,
    NONE,
    NOTHING,
    READ_ONLY,
    SUBCLASS,
    TENSOR,
    UNKNOWN,
    Array,
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
    holds_iterator,
    is_lazy,
    may_be_array,
    may_hold_tensor,
    parameters_in,
    reads_later,
    refs_of,
    replace,
    view_of,
    with_refs,
    zero_d_of,
)
from np2tnp.analysis.interpreter.access import Access
from np2tnp.analysis.interpreter.frame import HOST_FUNCTIONS, NESTED, Frame, Names, Record, Scope, Visitor
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.interpreter.writes import Keeping
from np2tnp.analysis.module.contents import FunctionInfo
from np2tnp.analysis.module.kept_functions import kept_functions, names_captured
from np2tnp.analysis.module.parameter_kinds import shown_otherwise
from np2tnp.analysis.syntax.liveness import reads
from np2tnp.analysis.syntax.own_scope import (
    bindings_of,
    bound_behind,
    bound_later,
    counts_only,
    is_around,
    rebound_inside,
    rebound_later,
)
from np2tnp.analysis.syntax.python_tables import ARRAY_MEMBERS, CALLERS
from np2tnp.analysis.syntax.scopes import dotted, parameters_of, target_names
from np2tnp.analysis.syntax.walk import none_test, walk

# --- Functions nested in a region


def _given(
    value: Value, refs: frozenset[str], deps: frozenset[str], view: str, known: bool, may_be_array: bool
) -> Value:
    """What a nested function gives, which may be an argument of its call. `known`: its results were looked at.

    may_be_array: an argument may be an array without axes.
    """
    if isinstance(value, Sequence):
        parts = [_given(item, refs, deps, view, known, may_be_array) for item in (value.element, *(value.items or ()))]
        return Sequence(value.type, parts[0], None if value.items is None else tuple(parts[1:]), refs)
    view = max(view, view_of(value))
    if isinstance(value, Array):
        return replace(value, refs=refs, deps=deps, exact=None, view=view) if value.refs else replace(value, deps=deps)
    if isinstance(value, (Const, Scalar, Symbol, Class, Instance)):
        return value
    if isinstance(value, Unknown) and not value.refs and known:
        return Unknown(EITHER, deps=deps, zero_d=value.zero_d)
    kind = "either" if may_be_array and refs_of(value) else getattr(value, "zero_d", "")
    return Unknown(EITHER, refs, deps=deps, view=view, zero_d=kind)


#: Decorators that change nothing but a function's name and attributes.
NAMING = ("functools.wraps", "builtins.staticmethod")


def _handed(region: cst.CSTNode) -> dict[str, bool]:
    """The nested functions that are only called, tested and handed over, and whether they are handed over.

    One that stands in for a parameter (``if gradient is None: gradient = lambda x: ...``) counts as handed over: like
    what callers pass, it is called with ndarrays.
    """
    uses: Counter[str] = Counter()
    called: Counter[str] = Counter()
    handed: Counter[str] = Counter()
    defined: Counter[str] = Counter()
    own = parameters_of(region.params) if type(region) is cst.FunctionDef else []
    passed = {parameter.name.value for parameter in own}
    for node in walk(region):
        kind = type(node)
        if kind is cst.Name:
            assert type(node) is cst.Name
            uses[node.value] += 1
        elif kind is cst.Call:
            assert type(node) is cst.Call
            if type(node.func) is cst.Name:
                called[node.func.value] += 1
            if type(node.func) is cst.Name and node.func.value == "callable":
                called.update(arg.value.value for arg in node.args if type(arg.value) is cst.Name and not arg.star)
            if type(node.func) is cst.Name and hasattr(builtins, node.func.value):
                continue
            used = called if dotted(node.func) in _CALLING_AT_ONCE else handed
            used.update(arg.value.value for arg in node.args if type(arg.value) is cst.Name and not arg.star)
        elif kind is cst.Comparison:
            tested = none_test(node)  # type: ignore[arg-type]
            called.update(() if tested is None else tested[:1])
        elif kind is cst.FunctionDef and node is not region:
            assert type(node) is cst.FunctionDef
            defined[node.name.value] += 1
        elif kind is cst.Assign and type(node.value) is cst.Lambda:  # type: ignore[attr-defined]
            assert isinstance(node, cst.Assign)
            defined.update(name for target in node.targets for name in target_names(target.target))
    return {
        name: handed[name] > 0 or name in passed
        for name, times in defined.items()
        if (times == 1 or name in passed) and uses[name] == handed[name] + called[name] + times + (name in passed)
    }


NO_CALLS: frozenset[int] = frozenset()


def _uses(region: cst.CSTNode) -> dict[str, tuple[frozenset[int], int]]:
    """By name, the calls (ids) of what it names, and how often the name stands anywhere.

    What a generator calls does not count as a call: its arguments are looked up when the generator is asked.
    """
    calls: dict[str, set[int]] = {}
    uses: Counter[str] = Counter()
    late: set[int] = set()
    for node in walk(region):
        if type(node) is cst.Name:
            uses[node.value] += 1
        elif type(node) is cst.Call and type(node.func) is cst.Name:
            calls.setdefault(node.func.value, set()).add(id(node))
        elif type(node) is cst.GeneratorExp or (type(node) is cst.FunctionDef and node is not region):
            inside = list(walk(node))
            if type(node) is cst.GeneratorExp or any(type(part) is cst.Yield for part in inside):
                late.update(id(part) for part in inside if type(part) is cst.Call)
    return {name: (frozenset(calls.get(name, ())) - late, times) for name, times in uses.items()}


def _iterated(region: cst.CSTNode, node: cst.CSTNode, name: str) -> Iterator[str]:
    """What ``for`` loops around `node` iterate over that bind `name`: names, also in ``zip`` and ``enumerate``."""
    inside = {id(part) for part in walk(node)}
    for loop in walk(region):
        if type(loop) is cst.For and name in target_names(loop.target) and is_around(loop, inside):
            call = loop.iter if type(loop.iter) is cst.Call and dotted(loop.iter.func) in _PASSING else None
            sources = [arg.value for arg in call.args] if call is not None else [loop.iter]
            yield from (source.value for source in sources if type(source) is cst.Name)


_CALLING_AT_ONCE = ("reduce", "functools.reduce")  #: they keep no function
_PASSING = ("zip", "enumerate", "reversed")  #: builtins that give the items of what they get
_MADE_ANEW = (cst.BinaryOperation, cst.UnaryOperation, cst.Integer, cst.Float)


def _seen_by_nobody_else(node: cst.FunctionDef, bound: frozenset[str]) -> frozenset[str]:
    """The names of a nested function but its parameters, and those that functions inside of it read."""
    inner = (part for part in walk(node.body) if type(part) is cst.FunctionDef or type(part) is cst.Lambda)
    read = NO_NAMES.union(*(reads(part.body) for part in inner))
    return bound - {parameter.name.value for parameter in parameters_of(node.params)} - read


def _globals_of(node: cst.FunctionDef, declared: Iterable[str]) -> frozenset[str]:
    """Those of the names that a nested function declares which are the module's."""
    if not declared:
        return NO_NAMES
    statements = [part for part in walk(node.body) if type(part) is cst.Global]
    return frozenset(declared).intersection(item.name.value for part in statements for item in part.names)


class Closures:
    """Interprets nested functions, and decides which see only Python's own objects and ndarrays."""

    def __init__(
        self, frame: Frame, visitor: Visitor, record: Record, names: Names, keeping: Keeping, access: Access
    ) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self.module = frame.module
        self.catalog = frame.catalog
        self.visitor = visitor
        self.record = record
        self.names = names
        self.keeping = keeping
        self.access = access
        self._uses: dict[str, tuple[frozenset[int], int]] | None = None  #: of names: calls, and how often they stand

    def nested(self, node: cst.FunctionDef, env: Env) -> Function:
        """A function nested in the region, with what it returns; where it calls itself, once that is settled."""
        name = f"<{node.name.value} {id(node)}>"
        if sites := self._only_calls(node):
            names = tuple(it.name.value for it in (*node.params.posonly_params, *node.params.params))
            self.frame.late.called_at(name, names, sites)
        if node.name.value not in reads(node.body) or not self.is_bound_once(node.name.value):
            return self._body_of(node, env, None)
        self.frame.nested_results[name] = NOTHING
        for _ in range(ROUNDS):
            before = self.frame.nested_results[name]
            found = self._body_of(node, env, Function(name, nested=True))
            if self.frame.nested_results[name] == before:
                return found
        return self._body_of(node, env, None)

    def made_anew(self, value: Value, env: Env) -> Value:
        """`value`, which a nested function returns: arrays of each call, where nobody else has got them."""
        if isinstance(value, Sequence) and value.type == "tuple" and value.items is not None:
            found = [env.reach(*refs_of(item)) if refs_of(item) else NO_NAMES for item in value.items]
            if sum(map(len, found)) != len(NO_NAMES.union(*found)):  # one array, in two of the items
                return value
            items = tuple(self.made_anew(item, env) for item in value.items)
            refs = NO_NAMES if value.refs <= self.frame.scope.own_names else value.refs
            return replace(value, items=items, refs=refs)
        if isinstance(value, Array) and value.refs and env.reach(*value.refs) <= self.frame.scope.own_names:
            return replace(value, refs=NO_NAMES, exact=None, view="")
        return value

    def _body_of(self, node: cst.FunctionDef, env: Env, itself: Function | None) -> Function:
        bound = self.module.scopes[id(node)].bound
        name = f"<{node.name.value} {id(node)}>"
        outer, loops = self.frame.scope, self.frame.loops
        scope = self.frame.scope = Scope(
            locals=outer.locals | bound,
            global_names=(outer.global_names - bound) | _globals_of(node, self.module.scopes[id(node)].declared),
            capturable=[*outer.capturable, (outer.locals | env.values.keys()) - bound],
            own_names=_seen_by_nobody_else(node, frozenset(bound)),
            own_returns=False,
        )
        puts, worked = len(self.frame.puts_made), self.frame.worked
        self.frame.depth += 1
        inner = self.nested_env(name, node.params, reads(node.body) - bound, env)
        for local in bound - {parameter.name.value for parameter in parameters_of(node.params)}:
            inner.forget(local)
        if itself is not None:
            inner.bind(node.name.value, itself)
        end = self.visitor.run(node.body, inner)
        self.frame.depth -= 1
        if self.frame.worked > worked:
            self.frame.nested_working.add(name)
            self.frame.lazy_works |= bool(scope.yielded)
        self.leave_nested(puts, bound, env)
        self.leave_stale(end if end is not None else inner, frozenset(bound), env)
        result: Value | None = NONE if end is not None or not scope.returned else None
        for value in scope.returned:
            result = value if result is None else join(result, value)
        if scope.yielded:  # a generator: its items show what is yielded, and it holds its arguments
            shown = NESTED.union(*map(refs_of, scope.yielded))
            result = Unknown(EITHER if self.frame.made != HOST else HOST, shown, view="view")
        self.frame.scope, self.frame.loops = outer, loops
        if node.asynchronous is not None:
            self.record.construct(node, ev.Kind.ASYNC)
        for decorator in node.decorators:
            self.record.construct(decorator, ev.Kind.NESTED_DECORATOR, self.access.decorator_name(decorator, env))
        self.frame.nested_results[name] = result if result is not None else NONE
        for updated in self.facts.seen.captured & env.values.keys():
            if not may_hold_tensor(env.values[updated]):  # else the region is blocked
                env.link(kept_by("a nested function"), refs_of(env.values[updated]) | {updated})
        return Function(name, nested=True, refs=self.default_refs(node.params, env))

    # ---- what a nested function does to those around it

    def nested_env(self, function: str, parameters: cst.Parameters, reads: frozenset[str], env: Env) -> Env:
        """The environment of a function nested in the region: captured names as they are here, parameters unknown.

        reads: the names that it mentions.
        """
        inner = env.copy()
        self.frame.nested_reads[function] = reads
        self.frame.late.begin(function, reads, inner)
        for parameter in parameters_of(parameters):
            default = self.visitor.evaluate(parameter.default, env) if parameter.default is not None else UNKNOWN
            home = EITHER if self.frame.made != HOST else HOST
            given = Unknown(home, NESTED | refs_of(default), view=view_of(default))
            known = self.frame.late.argument(function, parameter.name.value)
            known = replace(known, refs=given.refs, view=given.view) if known is not None else None
            inner.bind(parameter.name.value, known or given)
        return inner

    def _only_calls(self, node: cst.FunctionDef) -> frozenset[int]:
        """The calls (ids) of the nested function `node` that give it single arguments, if it is used in no other way.

        It gets its arguments at once: it is no generator, and nothing decorates it.
        """
        if self._uses is None:
            self._uses = _uses(self.facts.node)
        calls, uses = self._uses.get(node.name.value, (NO_CALLS, 0))
        if uses != len(calls) + 1 or node.decorators or node.asynchronous is not None:
            return NO_CALLS
        return NO_CALLS if any(type(part) is cst.Yield for part in walk(node.body)) else calls

    def default_refs(self, parameters: cst.Parameters, env: Env) -> frozenset[str]:
        """What a nested function holds on to: the arrays that its parameters have by default."""
        defaults = [parameter.default for parameter in parameters_of(parameters) if parameter.default is not None]
        values = [self.visitor.evaluate(default, env) for default in defaults]
        return NO_NAMES.union(*(refs_of(value) for value in values if may_hold_tensor(value)))

    def leave_stale(self, inner: Env, own: frozenset[str], env: Env) -> bool:
        """What a nested function or comprehension updated is stale under the names of `env`, but for its `own`.

        Gives whether any of that was seen to be stored: it may read that itself, the next time. Of what a callee out of
        sight may have changed the first look tells.
        """
        new = {name: why for name, why in inner.stale.items() if name not in own and name not in env.stale}
        env.stale.update(new)
        return any(reason.kind == "store" for why in new.values() for reason in why.reasons)

    def leave_nested(self, puts: int, own: Container[str], env: Env) -> None:
        """What a nested function or comprehension put into containers since there were `puts`, but into its `own`.

        That holds from here on: nobody looks when it is called.
        """
        for name, added in dict.fromkeys(self.frame.puts_made[puts:]):  # a loop puts the same again and again
            if name not in own:
                known = frozenset(ref for ref in refs_of(added) if ref in env.values or not ref.isidentifier())
                added = with_refs(added, known)
                if not name.isidentifier():  # an object or a global holds it
                    env.link(name, known)
                    continue
                self.frame.puts_inside[name] = join(self.frame.puts_inside.get(name, NOTHING), added)
                self.keeping.hold(name, env)

    def give_nested(self, arguments: Iterable[ev.Argument], env: Env) -> None:
        """A nested function is called: it may put its arguments into containers of the functions around it."""
        for name, added in self.frame.puts_inside.items():
            if not NESTED.isdisjoint(refs_of(added)) and name in env.values:
                env.link(name, NO_NAMES.union(*(refs_of(argument.value) for argument in arguments)) - {name})

    def read_captured(self, node: cst.Call, callee: Function, env: Env, seen: frozenset[str] = NO_NAMES) -> None:
        """A nested function is called: it reads names of the functions around it as they are by now."""
        self.frame.late.call(callee.qualname, env)
        for name in sorted(self.frame.nested_reads.get(callee.qualname, NO_NAMES) - seen):  # the last one is told
            stale, value = env.stale.get(name), env.values.get(name)
            if stale is not None:
                self.record.emit(ev.StaleRead(node, self.record.place(node), name, stale, env.aliases(name)))
            if isinstance(value, Function) and value.nested:
                self.read_captured(node, value, env, seen | {name})

    def nested_value(self, function: Function) -> Value:
        """What calling a function nested in the region gives."""
        return self.frame.nested_results.get(function.qualname, Unknown(EITHER))

    def nested_call(self, callee: Function, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        self.give_nested(arguments, env)
        result = self.nested_value(callee)
        refs = refs_of(result)
        refs = env.reach(*refs)  # of names as they are by now
        if not refs.isdisjoint(NESTED):  # else it gives nothing of its arguments' memory back
            refs = refs.union(*(refs_of(argument.value) for argument in arguments))
        deps = deps_of(result).union(*(deps_of(argument.value) for argument in arguments))
        view = max([view_of(argument.value) for argument in arguments], default="")
        without_axes = any(zero_d_of(argument.value) in ("array", "either") for argument in arguments)
        return _given(result, refs, deps, view, callee.qualname in self.frame.nested_results, without_axes)

    # ---- functions that are handed to others: they stay NumPy's, as those of the top level do

    def is_foreign(self, callee: Value) -> bool:
        """Whether calling `callee` runs code that takes functions of NumPy's world."""
        if isinstance(callee, Symbol):
            return callee.name in CALLERS or not callee.name.startswith(("builtins.", "numpy."))
        if isinstance(callee, Bound):
            return not may_hold_tensor(callee.receiver) and not isinstance(callee.receiver, Sequence)
        return not (isinstance(callee, Function) and callee.nested)

    def is_handed(self, name: str) -> bool:
        """Whether the nested function `name` is an argument of some call, and otherwise only called.

        One that is never handed over counts, too, in a look at the region in which all of them stay NumPy's.
        """
        known, region = self.module.handed, self.facts.node
        if id(region) not in known:
            known[id(region)] = _handed(region)
        return known[id(region)].get(name, False) or (
            HOST_FUNCTIONS in self.assumed.host_locals and name in known[id(region)]
        )

    def lends_to(self, targets: Several[cst.BaseExpression], value: cst.BaseExpression, env: Env) -> bool:
        """Whether ``targets = value`` names a lambda that stays NumPy's, since others get it."""
        if type(value) is not cst.Lambda or len(targets) > 1:
            return False
        target = targets[0]
        if type(target) is not cst.Name:
            return False
        return self.is_handed(target.value) and target.value in self.frame.scope.locals and self.lends(value, env)

    def is_kept_function(self, node: cst.Lambda | cst.FunctionDef) -> bool:
        """Whether somebody may call the nested function `node` later, outside of the region too."""
        known, region = self.module.kept_functions, self.facts.node
        if self.frame.made != TENSOR or not isinstance(region, cst.FunctionDef):
            return False
        if id(region) not in known:
            known[id(region)] = kept_functions(region)
        return id(node) in known[id(region)]

    def lambda_(self, node: cst.Lambda, env: Env) -> Value:
        if self.is_kept_function(node):
            lent = self.lends(node, env)
            self.keeping.keep_names(self.keeping.captured_by(node), env)
            if lent:
                return LENT
            self.record.construct(node, ev.Kind.KEPT_FUNCTION)
        return self._inlined(node, env)

    def is_bound_once(self, name: str) -> bool:
        """Whether nothing but one ``def`` binds `name` in the region."""
        defined = [part.name.value for part in walk(self.facts.node) if type(part) is cst.FunctionDef]
        return defined.count(name) == 1 and not bindings_of(self.facts.node)[name] and name not in self.facts.parameters

    def lends(self, node: cst.Lambda | cst.FunctionDef, env: Env) -> bool:
        """Whether all that the nested function `node` reads is, and stays, what it would be without the region."""
        if self.frame.made != TENSOR:
            return False
        own = {parameter.name.value for parameter in parameters_of(node.params)}
        counters, region, rebound = NO_NAMES, self.facts.node, NO_NAMES
        if type(node) is cst.FunctionDef:
            own |= self.module.scopes[id(node)].bound
            changed = any(self.access.decorator_name(item, env) not in NAMING for item in node.decorators)
            rebound = frozenset(rebound_inside(node.body))
            if changed or node.asynchronous or not all(name in env.values for name in rebound):
                return False
            counters = frozenset(name for name in rebound if counts_only(region, name))
        mentioned = names_captured(node, own) | rebound
        self.frame.lent_reads |= mentioned
        captured = (mentioned & self.frame.scope.locals) - counters - self._own_name(node)
        if captured and self.frame.depth > self.frame.comprehended:
            return False
        if self.frame.comprehended and any(
            may_hold_tensor(env.values.get(name, NONE)) for name in mentioned - captured
        ):
            return False  # a variable of the comprehension
        known = self.module.bindings
        if id(region) not in known:
            known[id(region)] = bindings_of(region)
        bindings = known[id(region)]
        held = captured & rebound_inside(region)
        if unbound := sorted(name for name in captured if name not in env.values):
            return self._not_lent(node, f"{unbound[0]} is assigned after it alone: define it behind that")
        if not self._may_hold(held, rebound - counters, node):
            return self._not_lent(node, "nonlocal rebinds a parameter, or what is assigned again after it")
        for parameter in parameters_of(node.params):
            if parameter.default is not None and type(parameter.default) is not cst.Name:
                default = self.visitor.evaluate(parameter.default, env)
                self.record.escape(parameter.default, default, "is a default of a function that others call")
                self.keeping.keep(frozenset((kept_by("a nested function"),)), default, env)
        if working := sorted(n for n in captured if isinstance(it := env.values[n], Function) and it.nested):
            return self._not_lent(node, f"{working[0]}() works on tensors; define it at the top level")
        tensors = {name for name in captured if may_hold_tensor(env.values[name]) or env.shares(name, COPIED)}
        read_late = {part.value for part in walk(node.body) if type(part) is cst.Name} - own  # defaults: at once
        assigned = {
            name for name in (captured & read_late) - held if bindings[name] > (name not in self.facts.parameters)
        }
        if assigned:
            later, plainly = bound_later(region, node, self._is_new)
            arrays = {
                name for name in captured if isinstance(env.values[name], (Array, Unknown))
            } | self.assumed.host_locals
            if not assigned & later <= plainly & arrays:  # a tensor by then, a list of these, or the copy of one
                again = min((assigned & later) - (plainly & arrays))
                words = f"{again} is assigned again after it; use another name there"
                if again not in bound_behind(region, node):  # by the next round alone
                    words = f"the next round of the loop assigns {again} again; let it be a parameter, and pass it"
                return self._not_lent(node, words)
            tensors |= (assigned & later) - self.assumed.host_locals
        items = {each for name in tensors for each in _iterated(region, node, name)} & env.values.keys()
        tensors |= {name for name in items if may_hold_tensor(env.values[name])}
        if tensors:  # they can stay ndarrays, too
            self.facts.host_parameters |= {exact for name in tensors if (exact := exact_of(env.values[name]))}
            self.facts.seen.lent.update(tensors)
            views = sorted(name for name in tensors if env.shares(name, READ_ONLY))
            return self._not_lent(
                node, f"{views[0]} may be a read-only view; copy it: np.diag(x).copy()" if views else ""
            )
        self.frame.lent_iterators |= {name for name in captured if reads_later(env.values[name])}
        for name in captured:
            self.may_be_filled(name, env)
        if self.frame.comprehended:
            self.frame.captured_inside |= captured
        for name in counters:  # whatever it is by then, it is a number
            env.bind(name, Scalar("number"))
        if held:
            shown = env.reach(*captured, *self._outside_names(node, mentioned))
            for name in held:  # whatever it is by then, it is of Python's or NumPy's making
                env.bind(name, Unknown(HOST, shown - {name}, view="view"))
        self.record.construct(node, ev.Kind.HANDED_OVER)
        return True

    def _not_lent(self, node: cst.CSTNode, why: str) -> bool:
        """False, with what findings say of it."""
        self.facts.seen.not_lent[str(id(node))] = why
        return False

    def _own_name(self, node: cst.Lambda | cst.FunctionDef) -> frozenset[str]:
        """By what a function calls itself."""
        if type(node) is cst.FunctionDef and self.is_bound_once(node.name.value):
            return frozenset((node.name.value,))
        return NO_NAMES

    def _may_hold(self, held: AbstractSet[str], rebound: AbstractSet[str], node: cst.CSTNode) -> bool:
        """Whether the names `held` are bound by nested functions alone once `node`, which rebinds some, is made.

        So whatever they hold from there on is what these functions, which see no tensors, gave them.
        """
        if not rebound <= held or not held.isdisjoint(self.facts.parameters):
            return False
        return not any(rebound_later(self.facts.node, node, name) for name in held)

    def _outside_names(self, node: cst.Lambda | cst.FunctionDef, mentioned: AbstractSet[str]) -> Iterator[str]:
        """Where arrays lie which the function `node` gets from elsewhere: arguments, attributes, globals."""
        yield kept_by("a nested function")
        if type(node) is cst.FunctionDef:
            yield seen_by(node.name.value)
        yield from (of_attribute(part.attr.value) for part in walk(node.body) if type(part) is cst.Attribute)
        yield from map(self.names.location, mentioned - self.frame.scope.locals)

    def _is_new(self, node: cst.BaseExpression) -> bool:
        """Whether `node` gives a new array where it gives one: of an operator, or of a ufunc without ``out``."""
        if type(node) is not cst.Call or any(arg.keyword is not None or arg.star for arg in node.args):
            return type(node) in _MADE_ANEW
        module, _, name = (dotted(node.func) or "").rpartition(".")
        fact = self.catalog.get(f"numpy.{name}") if module in ("np", "numpy") else None
        return fact is not None and fact.kind == "ufunc" and len(node.args) == 1

    def _inlined(self, node: cst.Lambda, env: Env) -> Value:
        name = f"<lambda {id(node)}>"
        inner = self.nested_env(name, node.params, reads(node.body), env)
        puts, worked = len(self.frame.puts_made), self.frame.worked
        self.frame.depth += 1
        result = self.visitor.evaluate(node.body, inner)
        self.frame.depth -= 1
        if self.frame.worked > worked:
            self.frame.nested_working.add(name)
        own = frozenset(parameter.name.value for parameter in parameters_of(node.params))
        self.leave_nested(puts, own, env)
        self.leave_stale(inner, own, env)
        self.frame.nested_results[name] = result
        if self.frame.made == HOST:
            self.module.lambdas[name] = node
        return Function(name, nested=True, refs=self.default_refs(node.params, env))

    # ---- what reads names later

    def read_later(self, names: Iterable[str], env: Env) -> frozenset[str]:
        """What an iterator shows that reads `names` when it is asked: other names may update it until then."""
        shown, seen = NO_NAMES, set(names)
        waiting = [*seen]
        while waiting:
            held = env.load(waiting.pop())
            if isinstance(held, Function) and held.nested:
                more = self.frame.nested_reads.get(held.qualname, NO_NAMES) - seen
                waiting.extend(more)
                seen |= more
            elif held is not None and may_hold_tensor(held):
                shown |= refs_of(held)
        self.frame.read_by_iterators |= seen
        return shown

    def may_be_filled(self, name: str, env: Env) -> None:
        """A function that others call reads the captured `name`."""
        held = env.values.get(name)
        if isinstance(held, Sequence) and held.type != "tuple":
            env.values[name] = Unknown(HOST, NO_NAMES)  # the function may fill it
        elif held is not None and may_be_array(held):
            self.facts.seen.captured.add(name)


# --- What leaves a function: its caller may keep and change it


#: Who holds the arguments of a generator, and what it hands out.
CALLER = frozenset((kept_by("the caller"),))


def arguments_of(function: FunctionInfo) -> frozenset[str]:
    """Parameters of a generator that its caller may change at any time."""
    names = [parameter.name.value for parameter in parameters_of(function.node.params)]
    return frozenset(names[1:] if function.is_method else names)


def _by_clearness(location: str, others: frozenset[str]) -> tuple[bool, bool, str]:
    """For sorting: places that people know before attributes that every array has, and parameters that are no arrays
    (`others`); what callees hold comes last.
    """
    unclear = location[1:] in ARRAY_MEMBERS or location[1:] in others
    return (is_seen(location), unclear, location)


class Exits:
    """What the caller of a function gets, and keeps: what is returned, what is yielded, arguments of generators."""

    def __init__(
        self, frame: Frame, visitor: Visitor, record: Record, unseen: UnseenCode, keeping: Keeping, closures: Closures
    ) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self.visitor = visitor
        self.record = record
        self.unseen = unseen
        self.keeping = keeping
        self.closures = closures

    def leave(self, node: cst.Return | None, value: Value, env: Env) -> None:
        """The region's own function is left with `value`."""
        if not self.frame.scope.own_returns:
            self.frame.scope.returned.append(self.closures.made_anew(value, env))
            return
        facts = self.facts
        if facts.generator and may_hold_tensor(value):
            self.record.construct(node or facts.node, ev.Kind.YIELD, "returned")
        self.record.emit(ev.Return(node, self.record.place(node or facts.node), value))
        for function in self.frame.late.lazy:
            self.frame.late.call(function, env)
        facts.result = value if facts.result is None else join(facts.result, value)
        again, self.frame.kept_names = self.frame.kept_names, set()  # they may hold something else by now
        self.keeping.keep_names(again, env)
        for name in facts.parameters:
            ok = self.frame.exchanges.keep(name, node, env)
            if name in facts.mutated or f"!{name}" in env.values:
                facts.mutated[name] = facts.mutated.get(name, True) and ok
            elif not ok and f"?{name}" not in env.values:  # of use where it is updated on another way
                facts.seen.rebound_at_an_exit.add(name)
            if of_parameter(name) in env.stale or (name in env.stale and env.shares(name, of_parameter(name))):
                facts.mutated[name] = False
            shared = env.aliases(of_parameter(name))
            if any(not ref.isidentifier() and not is_parameter(ref) for ref in shared):
                facts.seen.keeps.add(name)
        facts.returned |= frozenset(bare(ref) for ref in refs_of(value) if is_parameter(ref) and not view_of(value))
        if is_lazy(value) or holds_iterator(value):  # read when the region is over
            facts.host_parameters |= parameters_in(refs_of(value))
            self.record.construct(node or facts.node, ev.Kind.ITERATOR_HANDED_OUT)
        shows = NO_NAMES.union(*map(refs_of, leaves_of(value)))
        value = shown_by(value, env)
        views = outside_views(value, self.assumed.hosted)
        held = (refs_of(leaf) for leaf in leaves_of(value) if may_hold_tensor(leaf))
        views |= facts.seen.copied_into.intersection(*[NO_NAMES.union(*held)])  # the attribute holds a copy
        facts.viewed |= views  # whoever writes to the result writes to what it shows: NumPy must make that view
        if views or has_shared_items(self.frame.exchanges.apart(node.value if node is not None else None, value, env)):
            facts.seen.shown_twice.update(*(refs_of(leaf) for leaf in leaves_of(value)))
            others = shown_otherwise(facts.node)
            clearest = min(views & shows or views, key=lambda place: _by_clearness(place, others), default="")
            self.record.construct(node or facts.node, ev.Kind.RETURNED_VIEW, clearest)
            facts.seen.lent.update(copied(value))

    def keep_arguments(self, names: frozenset[str], env: Env) -> None:
        """Callers of a generator have its arguments while it waits."""
        for name in names:
            env.link(min(CALLER), frozenset((name, of_parameter(name))))

    def yield_(self, node: cst.Yield, env: Env) -> Value:
        delegates = isinstance(node.value, cst.From)
        shown = node.value.item if isinstance(node.value, cst.From) else node.value
        value = self.visitor.evaluate(shown, env) if shown is not None else None
        if value is not None:
            outside = (ref for ref in refs_of(value) if is_outside_location(ref))
            self.facts.seen.yielded.update(outside)
            if SUBCLASS in refs_of(value):
                self.record.construct(shown or node, ev.Kind.SUBCLASS_OPERAND)
        if self.frame.depth:
            self.frame.scope.yielded.append(NONE if value is None else value)
        alone = node is self.frame.root and isinstance(self.frame.statement, cst.Expr)
        if not alone:
            self.facts.seen.receives = True  # what its caller sends in
        own = self.facts.generator and self.frame.scope.own_returns and not self.frame.depth and alone
        self.record.construct(node, ev.Kind.YIELD, "" if own else "elsewhere")
        if own:
            if shown is not None and value is not None:
                if delegates and is_lazy(value):
                    self.record.construct(node, ev.Kind.ITERATOR_HANDED_OUT)
                self._hand_out(shown, value, env)
            self.unseen.kept_may_change(node, "the caller", env)
        return UNKNOWN

    def _hand_out(self, shown: cst.BaseExpression, value: Value, env: Env) -> None:
        items = value.items if isinstance(value, Sequence) and isinstance(shown, cst.Tuple) else None
        if items is not None and isinstance(shown, cst.Tuple) and len(items) == len(shown.elements):
            for element, item in zip(shown.elements, items, strict=True):
                self._hand_out(element.value, item, env)
            self.keeping.keep(CALLER, value, env)
            return
        if is_lazy(value):
            self.record.construct(shown, ev.Kind.ITERATOR_HANDED_OUT)
        shows = outside_views(shown_by(value, env), self.assumed.hosted)
        others = frozenset(location for location in shows if is_seen(location))
        if others:  # callees may change it, and the caller what they hold: NumPy must make it
            self.facts.viewed |= others
            self.record.construct(shown, ev.Kind.RETURNED_VIEW, min(others))
        self.record.escape(shown, value, "is yielded")
        self.keeping.copy_may_change(shown, "the caller", ev.Argument(cst.Arg(shown), value))
        self.keeping.keep(CALLER, value, env)
