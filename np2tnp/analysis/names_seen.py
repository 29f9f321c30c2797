"""Builtins: which reach attributes and names by their text, and which take tensors."""

from __future__ import annotations

from np2tnp.analysis import events as ev
from np2tnp.analysis.tables import IN_PLACE_METHODS, SETTERS, TENSOR_SAFE_BUILTINS
from np2tnp.analysis.values import Array, Const, Value, zero_d_of

#: What runs a text, on names of which it may be given the dict.
_RUNNING = ("builtins.eval", "builtins.exec")


def changes_by_name(callee: str, arguments: tuple[ev.Argument, ...]) -> bool:
    """Whether ``setattr(x, ...)``, ``getattr(x, name)`` or ``exec(text, x)`` may change x, or give what does."""
    if callee in SETTERS or (callee in _RUNNING and len(arguments) > 1):
        return True
    if callee != "builtins.getattr" or len(arguments) < 2:
        return False
    name = arguments[1].value
    return not isinstance(name, Const) or name.value in IN_PLACE_METHODS


def sees_names(builtin: str, arguments: tuple[ev.Argument, ...]) -> bool:
    """Whether a call sees the names of the function that it stands in."""
    if builtin in _RUNNING:
        return len(arguments) == 1
    return builtin == "builtins.locals" or (builtin == "builtins.vars" and not arguments)


def takes_tensor(builtin: str, value: Value) -> bool:
    """Whether `builtin` makes of the tensor `value` what it makes of NumPy's: a 0-d complex array is no float."""
    refused = builtin in ("float", "int") and zero_d_of(value) == "array"
    return builtin in TENSOR_SAFE_BUILTINS and not (refused and isinstance(value, Array) and value.dtypes & set("FD"))
