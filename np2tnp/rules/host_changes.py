"""Words for calls that may change ndarrays, which show it: nothing is lost, but it is to be told."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    Array,
    Bound,
    Class,
    Function,
    Sequence,
    Symbol,
    Unknown,
    may_be_array,
    may_hold_tensor,
)
from np2tnp.analysis.syntax.python_tables import IN_PLACE_METHODS
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.rules.base import Context
from np2tnp.rules.shared import callee_words, holds_array

#: Attributes of arrays that change the array when they are assigned.
CHANGING_ATTRIBUTES = frozenset(("flat", "shape", "dtype", "strides", "real", "imag"))


def words_for(event: ev.Call, context: Context) -> str:
    """What to say of a call that no rule acts on as one that changes arrays; "" where it changes none."""
    callee = event.callee
    if type(event.node.func) is cst.Call and dotted(event.node.func.func) == "getattr":
        return "which method is called here is not known: it may change what it is called on"
    if isinstance(callee, Symbol) and callee.name.startswith("builtins."):
        changes = callee.name in ("builtins.setattr", "builtins.delattr") and event.arguments
        return (
            f"{callee_words(event)} may change an array" if changes and may_be_array(event.arguments[0].value) else ""
        )
    if isinstance(callee, Bound):
        if isinstance(callee.receiver, Sequence):
            return ""
        if isinstance(callee.receiver, (Unknown, Array)) and callee.name in IN_PLACE_METHODS:
            return f".{callee.name}() may change what it is called on"
    if isinstance(callee, Class) or not _may_change(callee, context):
        return ""
    values = [argument.value for argument in event.arguments]
    ndarrays = any((may_be_array(value) or holds_array(value)) and not may_hold_tensor(value) for value in values)
    if ndarrays:
        return f"{callee_words(event)} may change the ndarrays that it gets"
    if _is_rebound(event):
        return f"{callee_words(event)} may change what it gets and give it back"
    return f"{callee_words(event)} may change the copies that it gets" if _updates_copies(event, context) else ""


def _updates_copies(event: ev.Call, context: Context) -> bool:
    """Whether a function of the project that stays in NumPy is known to update parameters for which tensors come."""
    summary = context.summary(event.callee) if isinstance(event.callee, Function) else None
    if summary is None or summary.migrated or not summary.mutates:
        return False
    matched = summary.match(event.arguments) or {}
    return any(name in matched and may_hold_tensor(matched[name].value) for name in summary.mutates)


def _may_change(callee: object, context: Context) -> bool:
    if not isinstance(callee, Function):
        return True
    summary = context.summary(callee)
    if callee.nested:
        return False
    return summary is None or bool(summary.mutates or summary.changeable or summary.updates)


def _is_rebound(event: ev.Call) -> bool:
    """Whether the result of the call goes to a name that it gets: ``x = f(x)``."""
    statement = event.place.statement
    if not isinstance(statement, cst.Assign) or statement.value is not event.node:
        return False
    names = {name for target in statement.targets for name in target_names(target.target)}
    return any(isinstance(item.node.value, cst.Name) and item.node.value.value in names for item in event.arguments)
