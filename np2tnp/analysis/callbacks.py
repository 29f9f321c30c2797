"""Functions that get a function, and call it with the arrays among their other arguments."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.effects import Effects
from np2tnp.analysis.tables import CALLBACKS, CALLERS
from np2tnp.analysis.values import (
    UNKNOWN,
    Bound,
    Class,
    Function,
    Instance,
    Symbol,
    Unknown,
    Value,
    may_be_array,
    may_hold_tensor,
    refs_of,
)


class Callbacks(Effects):
    """Decides who may change arrays by calling what is handed over."""

    def hand_over(self, node: cst.Call, name: str, arguments: tuple[ev.Argument, ...]) -> None:
        """`name` calls one of its arguments with the arrays in others, which that callable may change."""
        # others' get ndarrays, as CALLERS do
        if name in CALLERS or not (name in CALLBACKS or name.startswith(("numpy.", "builtins."))):
            return
        position, keyword = CALLBACKS.get(name, (None, None))
        callbacks = [
            argument
            for index, argument in enumerate(arguments)
            if (index == position and argument.name is None)
            or (keyword is not None and argument.name == keyword)
            or isinstance(argument.value, (Function, Class, Bound))
        ]
        if not any(self._changes_arguments(callback.value) for callback in callbacks):
            return
        for argument in arguments:
            # a helper in NumPy's place works on copies, of ndarrays as well
            copied = may_hold_tensor(argument.value) or (name.startswith("numpy.") and may_be_array(argument.value))
            if argument not in callbacks and copied:
                self.facts.host_parameters |= {ref[1:] for ref in refs_of(argument.value) if ref.startswith("@")}
                self.construct(node, "callback", name.removeprefix("builtins.").replace("numpy.", "np."))

    def calls_back(self, callee: Value, arguments: tuple[ev.Argument, ...]) -> bool:
        """Whether NumPy is asked to call what may change its arguments: all of it stays NumPy's, with ndarrays."""
        if not (isinstance(callee, Symbol) and callee.name in CALLERS):
            return False
        given = [argument for argument in arguments if argument.name in (None, "func1d", "func", "function", "pyfunc")]
        return bool(given) and self._changes_arguments(given[0].value)

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
        return isinstance(callback, (Unknown, Class))
