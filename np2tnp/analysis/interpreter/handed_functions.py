"""Functions that are handed to others, who call them: with which arrays, and whether they stay NumPy's."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Several
from collections.abc import Set as AbstractSet

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.locations import kept_by, of_attribute, seen_by
from np2tnp.analysis.domain.result_aliases import copy_marks
from np2tnp.analysis.domain.values import (
    COPIED,
    EITHER,
    HOST,
    LENT,
    NO_NAMES,
    NONE,
    READ_ONLY,
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
    may_be_array,
    may_hold_tensor,
    parameters_in,
    reads_later,
    refs_of,
    replace,
    view_of,
    zero_d_of,
)
from np2tnp.analysis.interpreter.escapes import Effects
from np2tnp.analysis.interpreter.expressions import METHODS
from np2tnp.analysis.interpreter.state import HOST_FUNCTIONS, NESTED
from np2tnp.analysis.module.kept_functions import kept_functions, names_captured
from np2tnp.analysis.syntax.own_scope import (
    bindings_of,
    bound_behind,
    bound_later,
    counts_only,
    is_around,
    rebound_inside,
    rebound_later,
)
from np2tnp.analysis.syntax.python_tables import (
    BUILTINS_PYTHON,
    CALLBACKS,
    CALLERS,
    CONTAINER_MUTATORS,
    IN_PLACE_METHODS,
    TENSOR_SAFE_BUILTINS,
)
from np2tnp.analysis.syntax.scopes import dotted, parameters_of, target_names
from np2tnp.analysis.syntax.walk import none_test, walk
from np2tnp.model import Callee

# --- Functions that get a function, and call it with the arrays among their other arguments


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


#: What gets classes, and makes no instances of them.
_NOT_CALLING = frozenset(("builtins.isinstance", "builtins.issubclass"))
#: What a key function may call without anybody asking what that does to an array: numbers and texts come of it.
_CONVERSIONS = frozenset(f"builtins.{name}" for name in "int float bool str len abs round".split())
_CALLABLE = frozenset((Function, Class, Bound))
REDUCE = Symbol("functools.reduce")


class Callbacks(Effects):
    """Decides who may change arrays by calling what is handed over."""

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
        self.unfollowed(*(argument.value for argument in arguments if argument not in callbacks))
        for argument in arguments:
            if argument in callbacks:
                continue
            # a helper in NumPy's place works on copies, of ndarrays as well
            if may_hold_tensor(argument.value) or (name.startswith("numpy.") and may_be_array(argument.value)):
                self.facts.host_parameters |= parameters_in(refs_of(argument.value))
                self.construct(node, ev.Kind.CALLBACK, name.removeprefix("builtins.").replace("numpy.", "np."))
            else:
                self.changes_behind(node, name.removeprefix("builtins."), argument, env)

    def _only_reads(self, callback: ev.Argument) -> bool:
        """Whether it is a lambda that computes with what it gets, and calls nothing but conversions of numbers."""
        function = callback.node.value
        if callback.value is not LENT or type(function) is not cst.Lambda:
            return False
        for part in walk(function.body):
            if type(part) is cst.Call:
                called = self.outer_value(part.func.value, Env()) if type(part.func) is cst.Name else UNKNOWN
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
            method = self.method_of(callback.receiver, callback.name)
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

    def mapped(self, name: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """What ``map(function, *iterables)`` and ``filter(function, iterable)`` give; they read when they are asked."""
        function, values = arguments[0].value, [argument.value for argument in arguments]
        held = any(map(may_hold_tensor, values))
        nested = isinstance(function, Function) and function.nested
        if self.nested_keeps and nested and (held or any(COPIED in refs_of(value) for value in values)):
            self.construct(arguments[0].node, ev.Kind.NESTED_KEEPS)
        refs = NO_NAMES.union(*map(refs_of, values))
        fresh = name == "map" and isinstance(function, Symbol) and self._makes_new(function.name)
        kind, shown = ("map", NO_NAMES) if fresh else ("iterator", refs)
        if self.called_with_items(function, arguments[1:]):
            marks = copy_marks(refs) if held else NO_NAMES  # what is read is a copy
            item = Unknown(HOST, NO_NAMES if fresh else refs | marks, view="view")
            return Sequence(kind, item, None, refs | marks)
        if isinstance(function, Function) and function.nested:
            reads = self.nested_reads.get(function.qualname, NO_NAMES)
            refs |= self.read_later(reads, env) - reads  # the names themselves are read as they are by then
        if name == "filter":
            return Sequence(kind, self.element_of(values[1]), None, refs)
        if isinstance(function, Function) and function.nested:
            self.late.lazy.add(function.qualname)
            return Sequence("map", self.nested_call(function, arguments[1:], env), None, refs)
        return Sequence(kind, Unknown(EITHER if held else HOST, shown), None, refs)

    def is_plain_reduction(self, node: cst.Call, env: Env) -> bool:
        """Whether ``functools.reduce`` is called with a nested function: it calls that at once, as builtins do."""
        if len(node.args) not in (2, 3) or any(arg.star or arg.keyword for arg in node.args):
            return False
        function = node.args[0].value
        given = env.values.get(function.value) if type(function) is cst.Name else None
        return type(function) is cst.Lambda or (isinstance(given, Function) and given.nested)

    def as_builtin(self, node: cst.Call, rest: list[ev.Argument]) -> Symbol:
        """The callee of such a call: of ndarrays alone a lambda stays NumPy's."""
        on_host = HOST_FUNCTIONS in self.host_locals or not any(may_hold_tensor(argument.value) for argument in rest)
        return REDUCE if on_host and type(node.args[0].value) is cst.Lambda else Symbol("builtins.reduce")

    def reduced(self, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """What ``reduce(function, iterable, initial)`` gives: a value that is alone is given back."""
        function, iterable = arguments[0].value, arguments[1].value
        assert isinstance(function, Function)
        if self.nested_keeps and any(may_hold_tensor(it.value) or COPIED in refs_of(it.value) for it in arguments):
            self.construct(arguments[0].node, ev.Kind.NESTED_KEEPS)
        alone = arguments[2].value if len(arguments) > 2 else self.element_of(iterable)
        return join(alone, self.nested_call(function, arguments[1:], env))

    def called_with_items(self, function: Value, arguments: Iterable[ev.Argument]) -> bool:
        """``map(function, x)``, ``sorted(x, key=function)``: whether it gets items of `arguments` on the host.

        That is so for ``str`` and whatever else looks at a tensor in its own way.
        """
        if not isinstance(function, Symbol) or function.name.removeprefix("builtins.") in TENSOR_SAFE_BUILTINS:
            return False
        for argument in arguments:
            self.escape(argument.node.value, argument.value, f"is passed to {function.name.rpartition('.')[2]}()")
        return True

    def _makes_new(self, function: str) -> bool:
        """Whether what a function of Python's or NumPy's gives shares no memory with its arguments."""
        if function.startswith("builtins."):
            return function == "builtins.abs" or BUILTINS_PYTHON.get(function[9:], "object") != "object"
        fact = self.catalog.get(function)
        return fact is not None and fact.effect not in ("view", "may-view")

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
        return _given(result, refs, deps, view, callee.qualname in self.nested_results, without_axes)


# --- Nested functions that are handed to others: they stay NumPy's, as functions of the module's top level do

#: Decorators that change nothing but a function's name and attributes.
NAMING = ("functools.wraps", "builtins.staticmethod")


class Lending(Callbacks):
    """Decides which nested functions see only Python's own objects and ndarrays, whoever calls them."""

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
        return known[id(region)].get(name, False) or (HOST_FUNCTIONS in self.host_locals and name in known[id(region)])

    def lends_to(self, targets: Several[cst.BaseExpression], value: cst.BaseExpression, env: Env) -> bool:
        """Whether ``targets = value`` names a lambda that stays NumPy's, since others get it."""
        if type(value) is not cst.Lambda or len(targets) > 1:
            return False
        target = targets[0]
        if type(target) is not cst.Name:
            return False
        return self.is_handed(target.value) and target.value in self.locals and self.lends(value, env)

    def is_kept_function(self, node: cst.Lambda | cst.FunctionDef) -> bool:
        """Whether somebody may call the nested function `node` later, outside of the region too."""
        known, region = self.module.kept_functions, self.facts.node
        if self.made != TENSOR or not isinstance(region, cst.FunctionDef):
            return False
        if id(region) not in known:
            known[id(region)] = kept_functions(region)
        return id(node) in known[id(region)]

    def _lambda(self, node: cst.Lambda, env: Env) -> Value:
        if self.is_kept_function(node):
            lent = self.lends(node, env)
            self.keep_names(self.captured_by(node), env)
            if lent:
                return LENT
            self.construct(node, ev.Kind.KEPT_FUNCTION)
        return super()._lambda(node, env)

    def is_bound_once(self, name: str) -> bool:
        """Whether nothing but one ``def`` binds `name` in the region."""
        defined = [part.name.value for part in walk(self.facts.node) if type(part) is cst.FunctionDef]
        return defined.count(name) == 1 and not bindings_of(self.facts.node)[name] and name not in self.facts.parameters

    def lends(self, node: cst.Lambda | cst.FunctionDef, env: Env) -> bool:
        """Whether all that the nested function `node` reads is, and stays, what it would be without the region."""
        if self.made != TENSOR:
            return False
        own = {parameter.name.value for parameter in parameters_of(node.params)}
        counters, region, rebound = NO_NAMES, self.facts.node, NO_NAMES
        if type(node) is cst.FunctionDef:
            own |= self.module.scopes[id(node)].bound
            changed = any(self.decorator_name(item, env) not in NAMING for item in node.decorators)
            rebound = frozenset(rebound_inside(node.body))
            if changed or node.asynchronous or not all(name in env.values for name in rebound):
                return False
            counters = frozenset(name for name in rebound if counts_only(region, name))
        mentioned = names_captured(node, own) | rebound
        self.lent_reads |= mentioned
        captured = (mentioned & self.locals) - counters - self._own_name(node)
        if captured and self.depth > self.comprehended:
            return False
        if self.comprehended and any(may_hold_tensor(env.values.get(name, NONE)) for name in mentioned - captured):
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
                default = self.evaluate(parameter.default, env)
                self.escape(parameter.default, default, "is a default of a function that others call")
                self.keep(frozenset((kept_by("a nested function"),)), default, env)
        if working := sorted(n for n in captured if isinstance(it := env.values[n], Function) and it.nested):
            return self._not_lent(node, f"{working[0]}() works on tensors; define it at the top level")
        tensors = {name for name in captured if may_hold_tensor(env.values[name]) or env.shares(name, COPIED)}
        assigned = {name for name in captured - held if bindings[name] > (name not in self.facts.parameters)}
        if assigned:
            later, plainly = bound_later(region, node, self._is_new)
            arrays = {name for name in captured if isinstance(env.values[name], (Array, Unknown))} | self.host_locals
            if not assigned & later <= plainly & arrays:  # a tensor by then, a list of these, or the copy of one
                again = min((assigned & later) - (plainly & arrays))
                words = f"{again} is assigned again after it; use another name there"
                if again not in bound_behind(region, node):  # by the next round alone
                    words = f"the next round of the loop assigns {again} again; let it be a parameter, and pass it"
                return self._not_lent(node, words)
            tensors |= (assigned & later) - self.host_locals
        items = {each for name in tensors for each in _iterated(region, node, name)} & env.values.keys()
        tensors |= {name for name in items if may_hold_tensor(env.values[name])}
        if tensors:  # they can stay ndarrays, too
            self.facts.host_parameters |= {exact for name in tensors if (exact := exact_of(env.values[name]))}
            self.facts.seen.lent.update(tensors)
            views = sorted(name for name in tensors if env.shares(name, READ_ONLY))
            return self._not_lent(
                node, f"{views[0]} may be a read-only view; copy it: np.diag(x).copy()" if views else ""
            )
        self.lent_iterators |= {name for name in captured if reads_later(env.values[name])}
        for name in captured:
            self.may_be_filled(name, env)
        if self.comprehended:
            self.captured_inside |= captured
        for name in counters:  # whatever it is by then, it is a number
            env.bind(name, Scalar("number"))
        if held:
            shown = env.reach(*captured, *self._outside_names(node, mentioned))
            for name in held:  # whatever it is by then, it is of Python's or NumPy's making
                env.bind(name, Unknown(HOST, shown - {name}, view="view"))
        self.construct(node, ev.Kind.HANDED_OVER)
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
        yield from map(self.location, mentioned - self.locals)

    def _is_new(self, node: cst.BaseExpression) -> bool:
        """Whether `node` gives a new array where it gives one: of an operator, or of a ufunc without ``out``."""
        if type(node) is not cst.Call or any(arg.keyword is not None or arg.star for arg in node.args):
            return type(node) in _MADE_ANEW
        module, _, name = (dotted(node.func) or "").rpartition(".")
        fact = self.catalog.get(f"numpy.{name}") if module in ("np", "numpy") else None
        return fact is not None and fact.kind == "ufunc" and len(node.args) == 1


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
METHODS[cst.Lambda] = Lending._lambda
