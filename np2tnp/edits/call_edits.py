"""Edits of calls: another function's name, a method turned into a function, conversions around arguments."""

from __future__ import annotations

from functools import partial

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.promotion_rules import CANONICAL, dtype_char
from np2tnp.analysis.domain.values import HOST, Array, Sequence, Symbol, Unknown, may_hold_tensor
from np2tnp.edits import build
from np2tnp.edits.edit import Edits

#: Methods that take a shape, axes or choices as separate arguments, where the function takes one tuple.
_SPREADS = frozenset(("reshape", "transpose", "resize", "choose"))


def retarget(event: ev.Call, edits: Edits, function: str, method: bool) -> None:
    """``np.f(...)`` or ``x.f(...)`` becomes ``function(...)``; the receiver becomes the first argument."""

    def change(updated: cst.Call) -> cst.BaseExpression:
        target = build.name(function)
        arguments = list(updated.args)
        if method and isinstance(updated.func, cst.Attribute):
            if updated.func.attr.value in _SPREADS:
                arguments = _gathered(arguments)
            arguments = build.separated([build.argument(updated.func.value), *arguments])
        return updated.with_changes(func=target, args=arguments)

    edits.replace[id(event.node)] = change


def _gathered(arguments: list[cst.Arg]) -> list[cst.Arg]:
    """Several positional arguments (or a starred one) as one tuple; a single one stays."""
    positional = [argument for argument in arguments if argument.keyword is None and argument.star != "**"]
    if len(positional) < 2 and not any(argument.star for argument in positional):
        return arguments
    rest = [argument for argument in arguments if argument not in positional]
    return [cst.Arg(build.tuple_of(positional)), *rest]


def convert_arguments(event: ev.Call, edits: Edits, to: str, first: int = 0) -> None:
    """Wrap the arguments that need it, from the `first` on.

    `to` is "host" (what may hold tensors) or "tensor" (what may be of the host).
    """
    for argument in event.arguments[first:]:
        node = argument.node.value
        if to == "host":
            if may_hold_tensor(argument.value):
                edits.wrap_host(node, argument.value)
        elif needs_tensor(argument.value):
            edits.wrap_tensor(node)


def needs_tensor(value: object) -> bool:
    """Whether `value` may be an ndarray (perhaps of a subclass) that lives on the host."""
    if isinstance(value, Array):
        return value.home == HOST and value.rank != 0
    if isinstance(value, Sequence):
        return value.type in ("list", "tuple") and any(map(needs_tensor, value.items or (value.element,)))
    return isinstance(value, Unknown) and value.home == HOST


def plain_dtypes(event: ev.Call, edits: Edits, numpy: str | None) -> list[ev.Argument]:
    """``dtype=float`` becomes ``dtype=np.float64``: tnp reads Python's types as 32-bit ones. Gives what changed."""
    changed = []
    for argument in event.arguments:
        if argument.name != "dtype" and not (
            isinstance(argument.value, Symbol) and argument.value.name.startswith("builtins.")
        ):
            continue
        char = dtype_char(argument.value)
        if char is None or (isinstance(argument.value, Symbol) and argument.value.name.startswith("numpy.")):
            continue
        name = CANONICAL[char]
        dtype = build.name(f"{numpy}.{name}") if numpy else build.string(name.rstrip("_"))
        edits.replace[id(argument.node.value)] = partial(_replaced, dtype)
        changed.append(argument)
    return changed


def _replaced(new: cst.BaseExpression, updated: object) -> cst.BaseExpression:
    return new
