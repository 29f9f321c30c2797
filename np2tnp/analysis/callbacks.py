"""Functions that get a function, and call it with the arrays among their other arguments."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.result_aliases import copy_marks
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    LENT,
    NO_NAMES,
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
    may_be_array,
    may_hold_tensor,
    refs_of,
    replace,
    view_of,
    zero_d_of,
)
from np2tnp.analysis.effects import Effects
from np2tnp.analysis.state import HOST_FUNCTIONS, NESTED
from np2tnp.analysis.syntax.python_tables import (
    BUILTINS_PYTHON,
    CALLBACKS,
    CALLERS,
    CONTAINER_MUTATORS,
    IN_PLACE_METHODS,
    TENSOR_SAFE_BUILTINS,
)
from np2tnp.analysis.syntax.walk import walk


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

    def hand_over(self, node: cst.Call, name: str, arguments: tuple[ev.Argument, ...]) -> None:
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
            # a helper in NumPy's place works on copies, of ndarrays as well
            copied = may_hold_tensor(argument.value) or (name.startswith("numpy.") and may_be_array(argument.value))
            if argument not in callbacks and copied:
                self.facts.host_parameters |= {ref[1:] for ref in refs_of(argument.value) if ref.startswith("@")}
                self.construct(node, "callback", name.removeprefix("builtins.").replace("numpy.", "np."))

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
        if self.nested_keeps and held and nested:
            self.construct(arguments[0].node, "nested keeps")
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
        if self.nested_keeps and any(may_hold_tensor(argument.value) for argument in arguments):
            self.construct(arguments[0].node, "nested keeps")
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
