"""Names by which Python asks objects: special methods, and builtins that reach attributes and names by their text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import NO_NAMES, Array, Const, Symbol, Value, zero_d_of
from np2tnp.analysis.syntax.python_tables import (
    BINARY,
    CONTAINER_MUTATORS,
    IN_PLACE_METHODS,
    SETTERS,
    TENSOR_SAFE_BUILTINS,
    UNARY,
)
from np2tnp.analysis.syntax.scopes import dotted

# --- By which special methods syntax and Python's functions ask objects

#: Asked of an iterator: whether a generator goes on that may change arrays.
RESUMED = "(next)"
_SEQUENCE = frozenset("__iter__ __next__ __getitem__ __len__ __length_hint__ __reversed__ __contains__".split())
ITERATION = _SEQUENCE | {RESUMED}
ENTERING = frozenset(("__enter__", "__exit__", "__aenter__", "__aexit__"))
TRUTH = frozenset(("__bool__", "__len__"))
TEXT = frozenset(("__str__", "__repr__", "__format__"))
HASH = frozenset(("__hash__", "__eq__"))
ORDER = frozenset("__lt__ __le__ __gt__ __ge__ __eq__ __ne__".split())
NUMBER = frozenset("__float__ __int__ __index__ __complex__ __trunc__ __bool__".split())
ARRAYS = frozenset(
    "__array__ __array_ufunc__ __array_function__ __array_interface__ __array_struct__ __array_wrap__".split()
)
READING = frozenset(("__getattr__", "__getattribute__"))
STORING = frozenset(("__setattr__", "__delattr__"))
#: How NumPy looks at what it gets.
BY_NUMPY = ARRAYS | _SEQUENCE | NUMBER | ORDER | HASH
#: What runs when an object is made, and no other time.
MAKING = frozenset("__init__ __new__ __post_init__ __init_subclass__ __class_getitem__ __set_name__".split())
#: Asked of a function: whether calling it runs what may change arrays.
CALLED = "()"
_MATCHED = frozenset(("__instancecheck__", "__subclasscheck__", "__subclasshook__"))

#: Builtins that give a text or a number of an object, or nothing of it, and by which of its methods.
BUILTINS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys("ascii format print repr str".split(), TEXT),
    **dict.fromkeys("complex float int round range slice bin hex oct chr".split(), NUMBER | {"__round__"}),
    **dict.fromkeys("callable id type super object".split(), NO_NAMES),
    **dict.fromkeys(("isinstance", "issubclass"), _MATCHED | {"__class__"}),
    "bool": TRUTH,
    "hash": HASH,
    "len": frozenset(("__len__",)),
}


def asked_by_builtin(name: str) -> frozenset[str] | None:
    """By which special methods the builtin `name` may ask an object; None: by any."""
    return ITERATION if name in ITERATING else BUILTINS.get(name)


#: Builtins that give what objects hold, item by item, and ask for nothing else.
ITERATING = frozenset("enumerate iter list reversed tuple zip".split())

#: Builtins that are done with what they get when they return.
ASKING_AT_ONCE = frozenset(
    "all any dict frozenset list max min next set sorted sum tuple abs divmod pow len print format str repr ascii hash"
    " bool int float complex round range slice isinstance issubclass callable id type hasattr setattr bytes".split()
)


def is_special(name: str) -> bool:
    """Whether Python calls methods of that name itself."""
    return name.startswith("__") and name.endswith("__")


def _operators(op: str, *more: str) -> frozenset[str]:
    name = op.strip("_")
    return frozenset((f"__{name}__", f"__r{name}__", f"__i{name}__", *more)) | BY_NUMPY


_BINARY = {kind: _operators(op, *(TEXT if op == "mod" else ())) for kind, op in BINARY.items()}
#: ... where the other operand is a number as it is written: NumPy looks at an object only where it has an array beside.
_BESIDE_NUMBER = {kind: names - (_SEQUENCE | NUMBER | ORDER | HASH) for kind, names in _BINARY.items()}
_NUMBERS = frozenset((cst.Integer, cst.Float, cst.Imaginary))
_UNARY = {kind: _operators(op) for kind, op in UNARY.items()}
_COMPARED = ORDER | BY_NUMPY
_BY_KIND: Mapping[type, frozenset[str]] = {
    cst.Attribute: READING,
    cst.Subscript: frozenset(("__getitem__", "__missing__", "__setitem__", "__delitem__")) | HASH | NUMBER | ARRAYS,
    cst.Comparison: _COMPARED | {RESUMED},
    cst.AugAssign: frozenset(name for names in _BINARY.values() for name in names),
    cst.For: ITERATION,
    cst.CompFor: ITERATION,
    cst.StarredElement: ITERATION,
    cst.StarredDictElement: ITERATION | {"keys"},
    cst.With: ENTERING,
    cst.BooleanOperation: TRUTH,
    cst.IfExp: TRUTH,
    cst.If: TRUTH,
    cst.While: TRUTH,
    cst.CompIf: TRUTH,
    cst.Assert: TRUTH,
    cst.FormattedStringExpression: TEXT,
    cst.Set: HASH,
    cst.Dict: HASH | ITERATION | {"keys"},
    cst.SetComp: HASH,
    cst.DictComp: HASH,
    cst.Yield: ITERATION,
    cst.Match: _COMPARED | ITERATION | _MATCHED | READING,
    cst.Del: frozenset(("__delitem__", "__delattr__", "__delete__")),
    cst.AssignTarget: frozenset(("__setitem__", "__setattr__", "__set__")) | ITERATION,
    cst.Call: HASH | TEXT | NUMBER | ORDER | ITERATION | ARRAYS,
}


def asked_by(node: Any) -> frozenset[str]:
    """The special methods by which Python may ask the objects that stand directly in `node`."""
    kind = type(node)
    if kind is cst.BinaryOperation:
        beside_number = type(node.left) in _NUMBERS or type(node.right) in _NUMBERS
        return (_BESIDE_NUMBER if beside_number else _BINARY)[type(node.operator)]
    if kind is cst.UnaryOperation:
        return TRUTH if type(node.operator) is cst.Not else _UNARY[type(node.operator)]
    return _BY_KIND.get(kind, NO_NAMES)


# --- Calls that reach attributes, names and frames by their text or place, and builtins that take tensors

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
