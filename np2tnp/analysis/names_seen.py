"""Calls that reach attributes, names and frames by their text or place, and builtins that take tensors."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.syntax.python_tables import CONTAINER_MUTATORS, IN_PLACE_METHODS, SETTERS, TENSOR_SAFE_BUILTINS
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.values import Array, Const, Symbol, Value, zero_d_of

#: What runs a text, on names of which it may be given the dict.
_RUNNING = ("builtins.eval", "builtins.exec")
#: Python's classes whose objects change.
_CHANGED = ("list", "dict", "set", "bytearray", "memoryview")


#: As many frames as there are.
ALL_FRAMES = 99
#: What shows the frames of callers, and the local variables in them.
_SHOW_FRAMES = frozenset((
    "inspect.stack", "inspect.currentframe", "inspect.getouterframes", "sys._getframe", "sys._getframemodulename",
    "sys._current_frames", "traceback.extract_stack", "traceback.format_stack", "traceback.print_stack",
    "traceback.walk_stack",
))  # fmt: skip
#: Methods of loggers, which name the place that ``stacklevel=`` says.
_LOGGING = frozenset(("debug", "info", "warning", "warn", "error", "critical", "exception", "log"))


def frames_above(callee: Value, node: cst.Call) -> int:
    """How many frames above the function that calls `node` are looked at: a wrapper of ours would stand there."""
    name = callee.name if isinstance(callee, Symbol) else ""
    if name in _SHOW_FRAMES:
        return ALL_FRAMES
    warns = name == "warnings.warn"
    if not warns and dotted(node.func).rpartition(".")[2] not in _LOGGING:
        return 0
    level: cst.BaseExpression | None = None
    for place, argument in enumerate(node.args):
        if warns and (argument.star or _keyword(argument) == "skip_file_prefixes"):
            return ALL_FRAMES
        if _keyword(argument) == "stacklevel" or (warns and argument.keyword is None and place == 2):
            level = argument.value
    if level is None:
        return 0
    return int(level.value) - 1 if isinstance(level, cst.Integer) and level.value.isdecimal() else ALL_FRAMES


def _keyword(argument: cst.Arg) -> str:
    return argument.keyword.value if argument.keyword is not None else ""


def changes_by_name(callee: str, arguments: tuple[ev.Argument, ...]) -> bool:
    """Whether ``setattr(x, ...)``, ``getattr(x, name)`` or ``exec(text, x)`` may change x, or give what does."""
    if callee in SETTERS or (callee in _RUNNING and len(arguments) > 1):
        return True
    if callee != "builtins.getattr" or len(arguments) < 2:
        return False
    name = arguments[1].value
    return not isinstance(name, Const) or name.value in IN_PLACE_METHODS


def changes_its_own(callee: str) -> bool:
    """Whether `callee` is a method of one of Python's classes which changes its first argument: ``list.append``."""
    owner, _, method = callee.removeprefix("builtins.").rpartition(".")
    return owner in _CHANGED and (method in CONTAINER_MUTATORS or method in IN_PLACE_METHODS)


def sees_names(builtin: str, arguments: tuple[ev.Argument, ...]) -> bool:
    """Whether a call sees the names of the function that it stands in."""
    if builtin in _RUNNING:
        return len(arguments) == 1
    return builtin == "builtins.locals" or (builtin == "builtins.vars" and not arguments)


def takes_tensor(builtin: str, value: Value) -> bool:
    """Whether `builtin` makes of the tensor `value` what it makes of NumPy's: a 0-d complex array is no float."""
    refused = builtin in ("float", "int") and zero_d_of(value) == "array"
    return builtin in TENSOR_SAFE_BUILTINS and not (refused and isinstance(value, Array) and value.dtypes & set("FD"))
