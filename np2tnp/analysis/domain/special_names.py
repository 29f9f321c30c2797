"""Names by which Python asks objects: special methods, builtins that reach names by their text, looks at frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import NO_NAMES, Array, Const, Sequence, Symbol, Value, zero_d_of
from np2tnp.analysis.syntax.python_tables import (
    BINARY,
    CONTAINER_MUTATORS,
    IN_PLACE_METHODS,
    SETTERS,
    TENSOR_SAFE_BUILTINS,
    UNARY,
)
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import nodes_of, walk

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


# --- Calls that reach attributes and names by their text, and builtins that take tensors

#: What runs a text, on names of which it may be given the dict.
_RUNNING = ("builtins.eval", "builtins.exec")
#: Python's classes whose objects change.
_CHANGED = ("list", "dict", "set", "bytearray", "memoryview")


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


def sees_given_names(arguments: tuple[ev.Argument, ...], names: frozenset[str]) -> bool:
    """Whether a call is told which of the function's `names` it is to look up: ``inline(code, arg_names=["x"])``."""
    for argument in arguments:
        if argument.name == "arg_names" and isinstance(argument.node.value, (cst.List, cst.Tuple)):
            texts = [item.value for item in argument.node.value.elements]
            return any(isinstance(text, cst.SimpleString) and text.evaluated_value in names for text in texts)
    return False


def takes_tensor(builtin: str, value: Value) -> bool:
    """Whether `builtin` makes of the tensor `value` what it makes of NumPy's: a 0-d complex array is no float."""
    refused = builtin in ("float", "int") and zero_d_of(value) == "array"
    return builtin in TENSOR_SAFE_BUILTINS and not (refused and isinstance(value, Array) and value.dtypes & set("FD"))


#: Classes of which neither an array nor a tensor is an instance.
_CONTAINERS = frozenset(
    f"builtins.{name}" for name in "list tuple dict set frozenset str bytes bytearray range slice".split()
)
#: Functions that ask whether something is of classes that no array and no tensor is of.
ASKING_FOR_OTHERS = frozenset(
    f"scipy.sparse.{name}" for name in "issparse isspmatrix isspmatrix_csr isspmatrix_csc isspmatrix_coo".split()
)


def asks_for_containers(builtin: str, values: list[Value]) -> bool:
    """Whether it is ``isinstance(x, (list, tuple))``: an array and the tensor that stands for it are no such."""
    if builtin != "isinstance" or len(values) != 2:
        return False
    asked = (values[1].items or ()) if isinstance(values[1], Sequence) else (values[1],)
    return bool(asked) and all(isinstance(it, Symbol) and it.name in _CONTAINERS for it in asked)


# --- Calls that look at frames
#
# A migrated function stands where the original did, but a frame of the wrapper lies between it and its caller. So what
# looks at the function itself, and at what that calls, finds what it always found.

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
#: Of a frame and its code, and of an item of ``inspect.stack()``: names and places, which migrated code has as well.
_OF_CODE = frozenset(("co_name", "co_filename"))
_OF_ITEM = frozenset(("function", "filename", "lineno"))
_ITEM_FRAME, _ITEM_LAST, _ITEM_PARTS = 0, 3, 6  #: an item is (frame, filename, lineno, function, ...)
#: Stands for ``**options`` among the parameters of a function.
OPTIONS = "**"


def frames_above(callee: Value, node: cst.Call, region: cst.CSTNode) -> int:
    """How many frames above the function that calls `node` are looked at: a wrapper of ours would stand there."""
    name = callee.name if isinstance(callee, Symbol) else ""
    if name in _SHOW_FRAMES:
        return _shown(name, node, _Uses(region))
    if not _warns(callee, node):
        return 0
    if name == "warnings.warn" and any(it.star or _keyword(it) == "skip_file_prefixes" for it in node.args):
        return ALL_FRAMES
    level = _level(callee, node)
    return 0 if level is None else _steps(level)


def level_of_caller(callee: Value, node: cst.Call, region: cst.CSTNode) -> tuple[str, int] | None:
    """The parameter of `region` that says how far `node` looks, and how far it does by default."""
    if not isinstance(region, cst.FunctionDef) or not _warns(callee, node):
        return None
    level = _level(callee, node)
    stars = [argument for argument in node.args if argument.star]
    params = region.params
    if not stars and isinstance(level, cst.Name) and _is_only_given(region, level.value):
        for param in (*params.params, *params.kwonly_params):
            if param.name.value == level.value:
                return level.value, ALL_FRAMES if param.default is None else _steps(param.default)
    if level is None and len(stars) == 1 and isinstance(stars[0].value, cst.Name) and params.star_kwarg is not None:
        options = params.star_kwarg.name.value
        if stars[0].star == "**" and stars[0].value.value == options and _is_only_given(region, options):
            return OPTIONS, 0
    return None


def frames_of_callee(
    looks_up: int,
    levels: frozenset[tuple[str, int]],
    node: cst.CSTNode,
    matched: Mapping[str, ev.Argument] | None,
) -> int:
    """How many frames above its own a function of the project looks at that `node` calls with such arguments."""
    given = node.args if isinstance(node, cst.Call) else ()
    for parameter, usual in levels:
        if parameter == OPTIONS:
            levels_given = [it.value for it in given if _keyword(it) == "stacklevel"]
            hidden = any(it.star or _keyword(it) == "skip_file_prefixes" for it in given)
            steps = ALL_FRAMES if hidden else max((_steps(level) for level in levels_given), default=usual)
        elif matched is None:
            steps = ALL_FRAMES
        else:
            steps = _steps(matched[parameter].node.value) if parameter in matched else usual
        looks_up = max(looks_up, steps)
    return looks_up


def _warns(callee: Value, node: cst.Call) -> bool:
    name = callee.name if isinstance(callee, Symbol) else ""
    return name == "warnings.warn" or dotted(node.func).rpartition(".")[2] in _LOGGING


def _level(callee: Value, node: cst.Call) -> cst.BaseExpression | None:
    """What is given as ``stacklevel``: the third argument of warn()."""
    warns = isinstance(callee, Symbol) and callee.name == "warnings.warn"
    level: cst.BaseExpression | None = None
    for place, argument in enumerate(node.args):
        if _keyword(argument) == "stacklevel" or (warns and _is_by_place(argument) and place == 2):
            level = argument.value
    return level


def _is_by_place(argument: cst.Arg) -> bool:
    return argument.keyword is None and not argument.star


def _keyword(argument: cst.Arg) -> str:
    return argument.keyword.value if argument.keyword is not None else ""


def _number(node: cst.BaseExpression) -> int | None:
    return int(node.value) if isinstance(node, cst.Integer) and node.value.isdecimal() else None


def _steps(level: cst.BaseExpression) -> int:
    """So many frames above its own a function looks at whose ``stacklevel`` that is."""
    number = _number(level)
    return ALL_FRAMES if number is None else max(number - 1, 0)


def _is_only_given(function: cst.FunctionDef, name: str) -> bool:
    """Whether a parameter does nothing but go on as an argument: nothing gives it another value."""
    parts = nodes_of(function.body)
    mentions = sum(type(part) is cst.Name and part.value == name for part in parts)
    given = [part.value for part in parts if type(part) is cst.Arg]
    return mentions == sum(type(value) is cst.Name and value.value == name for value in given)


class _Uses:
    """What is done with the expressions of a region, and where its names are read."""

    def __init__(self, region: cst.CSTNode) -> None:
        self._of: dict[int, cst.CSTNode] = {}
        self._named: dict[str, list[cst.Name]] = {}
        no_reads: set[int] = set()
        for part in nodes_of(region):
            if isinstance(part, (cst.Attribute, cst.Subscript)):
                self._of[id(part.value)] = part
            elif isinstance(part, cst.Call):
                self._of.update((id(argument.value), part) for argument in part.args)
            elif isinstance(part, cst.Assign) and len(part.targets) == 1:
                self._of[id(part.value)] = part
            elif isinstance(part, cst.Name):
                self._named.setdefault(part.value, []).append(part)
            if isinstance(part, cst.Attribute):
                no_reads.add(id(part.attr))
            elif isinstance(part, cst.Arg):
                no_reads.add(id(part.keyword))
            elif isinstance(part, cst.AssignTarget):
                made = part.target.elements if isinstance(part.target, cst.Tuple) else ()
                no_reads.update((id(part.target), *(id(element.value) for element in made)))
            elif isinstance(part, cst.Del):
                no_reads.update(map(id, walk(part.target)))
        for name, nodes in self._named.items():
            self._named[name] = [node for node in nodes if id(node) not in no_reads]

    def of(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """What reads an attribute or item of `node`, binds a name to it, or gives it to a call."""
        return self._of.get(id(node))

    def reads(self, targets: list[cst.BaseExpression]) -> list[list[cst.Name]]:
        """Where each of the names is read that one statement binds; a second time it is not followed."""
        names = [target.value if isinstance(target, cst.Name) else "" for target in targets]
        found = [self._named.get(name, []) for name in names]
        for name in names:
            self._named.pop(name, None)
        return found


def _shown(name: str, node: cst.Call, uses: _Uses) -> int:
    if name == "inspect.stack":
        return _of_list(node, 0, uses)
    if name == "inspect.currentframe":
        return _of_frame(node, 0, uses)
    if name == "sys._getframe":
        steps = _number(node.args[0].value) if node.args else 0
        return ALL_FRAMES if steps is None else _of_frame(node, steps, uses)
    if name == "inspect.getouterframes" and node.args and isinstance(node.args[0].value, cst.Call):
        frame = node.args[0].value
        if dotted(frame.func).rpartition(".")[2] in ("currentframe", "_getframe") and not frame.args:
            return _of_list(node, 0, uses)
    return ALL_FRAMES


_Follow = Callable[[cst.CSTNode, int, _Uses], int]


def _of_name(node: cst.Assign, follow: _Follow, steps: int, uses: _Uses) -> int:
    """As `follow` says of what gets a name, by all that is done with that name."""
    (reads,) = uses.reads([node.targets[0].target])
    return max((follow(read, steps, uses) for read in reads), default=ALL_FRAMES)


def _of_frame(node: cst.CSTNode, steps: int, uses: _Uses) -> int:
    """How far is looked from a frame `steps` above: all the way, where more than a name or a line is read of it."""
    user = uses.of(node)
    if isinstance(user, cst.Assign):
        return _of_name(user, _of_frame, steps, uses)
    if isinstance(user, cst.Attribute):
        if user.attr.value == "f_back":
            return _of_frame(user, steps + 1, uses)
        code = uses.of(user) if user.attr.value == "f_code" else None
        if user.attr.value == "f_lineno" or (isinstance(code, cst.Attribute) and code.attr.value in _OF_CODE):
            return steps
    if isinstance(user, cst.Call) and dotted(user.func).rpartition(".")[2] == "getouterframes":
        return _of_list(user, steps, uses)
    return ALL_FRAMES


def _of_list(node: cst.CSTNode, steps: int, uses: _Uses) -> int:
    """As `_of_frame`, from what ``inspect.stack()`` gives: ``inspect.stack()[1].function``."""
    item = uses.of(node)
    if isinstance(item, cst.Assign):
        return _of_name(item, _of_list, steps, uses)
    place = _item(item)
    return ALL_FRAMES if item is None or place is None else _of_item(item, steps + place, uses)


def _of_item(item: cst.CSTNode, steps: int, uses: _Uses) -> int:
    """As `_of_frame`, from an item of ``inspect.stack()``."""
    user = uses.of(item)
    if isinstance(user, cst.Assign) and isinstance(user.targets[0].target, cst.Tuple):
        targets = [element.value for element in user.targets[0].target.elements]
        if len(targets) != _ITEM_PARTS or not all(isinstance(target, cst.Name) for target in targets):
            return ALL_FRAMES
        reads, found = uses.reads(targets), [steps]
        for place, names in enumerate(reads):
            if place == _ITEM_FRAME:
                found += [_of_frame(name, steps, uses) for name in names]
            elif place > _ITEM_LAST and names:
                return ALL_FRAMES
        return max(found)
    if isinstance(user, cst.Assign):
        return _of_name(user, _of_item, steps, uses)
    part = _item(user)
    named = user.attr.value if isinstance(user, cst.Attribute) else ""
    if named in _OF_ITEM or (part is not None and _ITEM_FRAME < part <= _ITEM_LAST):
        return steps
    if user is not None and (named == "frame" or part == _ITEM_FRAME):
        return _of_frame(user, steps, uses)
    return ALL_FRAMES


def _item(node: cst.CSTNode | None) -> int | None:
    """The number by which an item is read."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return None
    index = node.slice[0].slice
    return _number(index.value) if isinstance(index, cst.Index) else None
