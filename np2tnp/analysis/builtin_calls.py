"""Calls of Python's builtins: what they give, keep and call."""

from __future__ import annotations

from np2tnp.analysis.container_methods import ContainerMethods
from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.special_names import takes_tensor
from np2tnp.analysis.domain.summaries import from_host
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    NONE,
    NOTHING,
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
    made_of,
    may_be_array,
    may_hold_tensor,
    parameters_in,
    refs_of,
    replace,
)
from np2tnp.analysis.syntax.python_tables import BUILTINS_PYTHON

_OPERANDS = frozenset((Array, Const, Scalar, Unknown))
#: Builtins after which names may be bound, and NumPy used, that nobody sees.
_RUNNING = ("__import__", "eval", "exec")


class BuiltinCalls(ContainerMethods):
    """Calls of builtins, of which most read what they get, and some call it."""

    def _builtin(self, name: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        values = [self.element_of(a.value) if a.star == "*" else a.value for a in arguments]
        values = [self.object_given(a.node, value, env, name) for a, value in zip(arguments, values, strict=True)]
        spread = any(argument.star for argument in arguments)
        first = values[0] if values else NONE
        if name in _RUNNING or (name == "getattr" and isinstance(first, Symbol) and first.name.startswith("numpy")):
            self.unresolved += 1
        if self.facts.extra.get("captured") and any(isinstance(v, Function) and v.nested for v in values):
            self.construct(arguments[0].node, "closure store", "arrays")  # who knows when it runs
        operator = self._operator_called(name, arguments)
        for argument in arguments:
            if operator is None and not takes_tensor(name, argument.value):
                self.escape(argument.node.value, argument.value, f"is passed to {name}()")
            if name == "id" and may_be_array(argument.value):  # a tensor is another object, after each update anew
                self.keep(frozenset(("kept by its id",)), argument.value, env)
                if may_hold_tensor(argument.value) and not parameters_in(refs_of(argument.value)):
                    self.construct(argument.node, "identity")
        key = next((argument.value for argument in arguments if argument.name == "key"), NONE)
        if self.called_with_items(key, [argument for argument in arguments if not argument.name]):
            values = [from_host(value) for value in values]
            first = values[0]
        if operator is not None:
            return operator
        if name in BUILTINS_PYTHON:
            kind = BUILTINS_PYTHON[name]
            shown = values[0] if name in ("getattr", "vars") and values and type(values[0]) is Unknown else UNKNOWN
            if name == "memoryview":
                self.unfollowed(*values)
                return Unknown(HOST, self._given_back(arguments), view="view")
            return shown if kind == "object" else NONE if kind == "none" else Scalar(kind)
        if name in ("list", "tuple", "reversed", "sorted", "iter", "set"):
            kind = {"reversed": "iterator", "sorted": "list", "iter": "iterator"}.get(name, name)
            if not values:
                return Sequence(kind, NOTHING)
            items = first.items if isinstance(first, Sequence) and name in ("list", "tuple") else None
            return Sequence(
                kind, self.element_of(first), items, refs_of(first if kind == "iterator" else made_of(first))
            )
        if name == "range":
            return Sequence("range", Scalar("int"))
        if name == "enumerate":
            pair = self.sequence("tuple", [Scalar("int"), self.element_of(first)])
            return Sequence("iterator", pair, None, refs_of(first))
        if name == "zip":
            pair = self.sequence("tuple", list(map(self.element_of, values)), not spread)
            return Sequence("iterator", pair, None, NO_NAMES.union(*map(refs_of, values)))
        if name in ("sum", "min", "max", "next") and values:
            given = [value for value, argument in zip(values, arguments, strict=True) if argument.name is None]
            alone = (len(given) == 1 and not spread) or name in ("next", "sum")
            choices = [self.element_of(first)] if alone else given
            if name != "sum":
                others = given[1:] if name == "next" else [a.value for a in arguments if a.name == "default"]
                choices += [value for value in others if not isinstance(value, (Const, Scalar))]
            result = choices[0]
            for choice in choices[1:]:
                result = join(result, choice)
            if name == "sum" and len(values) > 1 and isinstance(values[1], Sequence):  # lists are joined
                return self.sequence(values[1].type, [self.element_of(values[1]), self.element_of(result)], known=False)
            if name == "sum" and isinstance(result, (Array, Unknown)):
                result = replace(result, refs=NO_NAMES, exact=None)
            return result
        if name == "abs" and values:
            return self.operator_result("abs", values) if may_be_array(first) or isinstance(first, Instance) else first
        if name == "dict":
            return self.dict_of(arguments)
        if name in ("map", "filter") and len(values) > 1:
            return self.mapped(name, arguments, env)
        if name == "reduce":
            return self.reduced(arguments, env)
        if name in ("any", "all"):
            return Scalar("bool")
        if name == "round":
            return Scalar("number") if len(values) == 1 or not may_be_array(first) else UNKNOWN
        return Unknown(HOST, self._given_back(arguments), view="view")

    def _operator_called(self, name: str, arguments: tuple[ev.Argument, ...]) -> Value | None:
        """What ``pow(x, y)`` and ``divmod(x, y)`` give of arrays and numbers: they are operators."""
        operands = [argument.value for argument in arguments]
        if name not in ("pow", "divmod") or len(operands) != 2 or any(it.star or it.name for it in arguments):
            return None
        if not any(map(may_be_array, operands)) or not _OPERANDS.issuperset(map(type, operands)):
            return None
        if name == "pow":
            return self.operator_result("pow", operands)
        return self.sequence("tuple", [self.operator_result(op, operands) for op in ("floordiv", "mod")])
