"""The lattice of abstract values: what is known of a Python object at one place of a program.

Every value is frozen. ``join`` is commutative, associative and idempotent; ``Unknown(EITHER)`` is its top. An array
knows where it lives inside a migrated region (its *home*), because that decides what an operation on it means:

* ``TENSOR``: a TensorFlow tensor. Immutable; it never shares memory, so every alias that NumPy would have is tracked in
  ``refs``.
* ``HOST``: a real Python or NumPy object. Aliasing is Python's own and needs no care.
* ``EITHER``: not known before run time (a parameter); the emitted code must be right for both.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from np2tnp.analysis.domain.locations import bare, is_outside_location, is_parameter, is_state

# --- Frozen for the type checker, quick at run time
#
# A frozen dataclass sets each field through ``object.__setattr__``, which makes it three times as slow to build as a
# plain one. The analysis builds a million small values and events in a run, so theirs are plain classes that mypy
# treats as frozen. They are shared and hashed all over: nothing may ever assign to a field of one.

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform(frozen_default=True)
    def frozen(cls: type[T]) -> type[T]:
        """``dataclass(frozen=True, slots=True)``."""
else:
    frozen = dataclass(slots=True, unsafe_hash=True)


@cache
def _fields(kind: type) -> tuple[tuple[str, ...], attrgetter[Any]]:
    names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined]
    return names, attrgetter(*names)


def replace(value: T, **changes: Any) -> T:
    """`value` with other fields, as ``dataclasses.replace``, in a third of its time. Two fields at least."""
    names, get = _fields(type(value))  # type: ignore[arg-type]
    return type(value)(**{**dict(zip(names, get(value), strict=True)), **changes})


#: What may be an array, or else a real number.
REAL = "real"
TENSOR = "tensor"
HOST = "host"
EITHER = "either"

NO_NAMES: frozenset[str] = frozenset()

#: dtype characters as NumPy writes them on Linux (``l``/``L`` are the 64-bit integers).
ALL_DTYPES: frozenset[str] = frozenset("?bhilBHILefdFD")
INTEGERS = frozenset("bhilBHIL")
FLOATS = frozenset("efd")
COMPLEX = frozenset("FD")


@frozen
class Unknown:
    """Any Python object.

    refs: locations whose memory it may share.
    exact: the parameter whose very object it is.
    deps: parameters it was computed from.
    view: as of an Array.
    """

    home: str = HOST
    refs: frozenset[str] = NO_NAMES
    exact: str | None = None
    deps: frozenset[str] = NO_NAMES
    view: str = ""
    zero_d: str = ""  #: as of an Array; empty where it is a scalar, or NumPy's own
    among_zero_d: bool = False  #: as of an Array


@frozen
class Array:
    """A numeric ndarray, or a number where ``weak`` (a Python or NumPy scalar may stand in its place)."""

    home: str = TENSOR
    dtypes: frozenset[str] = ALL_DTYPES
    rank: int | None = None
    refs: frozenset[str] = NO_NAMES
    exact: str | None = None
    deps: frozenset[str] = NO_NAMES
    weak: bool | str = False  #: REAL where the number is no bool and no complex one
    #: what NumPy makes of it when it is 0-d: "scalar", "array", "either", or "never" where it cannot be
    zero_d: str = "scalar"
    #: "view": it may be a view of something in refs rather than the object itself; "piece": one of the disjoint views
    #: that iterating or unpacking gives; "item 0 of axis 1": the view x[:, 0] of a whole array x
    view: str = ""
    nonempty: bool = False  #: it certainly has elements
    among_zero_d: bool = False  #: several values meet in it, and one of them certainly has no axes


class _Unshared:
    """No array, and nothing that holds one."""

    __slots__ = ()
    refs: ClassVar[frozenset[str]] = NO_NAMES


@frozen
class Symbol(_Unshared):
    """A name from outside: ``numpy.sum``, ``math.sqrt``, ``builtins.len``, a module."""

    name: str


@frozen
class Const(_Unshared):
    """A literal whose value is known: int, float, complex, str, bytes, bool, None, Ellipsis."""

    value: Any
    type: str = ""  # keeps Const(1), Const(True) and Const(1.0) apart, which Python calls equal

    @staticmethod
    def of(value: Any) -> Const:
        return Const(value, type(value).__name__)


@frozen
class Scalar(_Unshared):
    """A Python object that is neither array nor container of arrays.

    type: int, float, bool, complex, str, number, slice, none, object, or nothing.
    own: of a number, that it certainly is Python's own; others may be NumPy's scalars.
    """

    type: str = "object"
    own: bool = False


@frozen
class Sequence:
    """A Python container made in view of the analysis. ``items`` is known for displays whose length is certain."""

    type: str  # tuple, list, set, dict, iterator; map: an iterator whose items share only what they say themselves
    element: Value
    items: tuple[Value, ...] | None = None
    refs: frozenset[str] = NO_NAMES


@frozen
class Function:
    """A function or method of the project; ``nested`` when it is defined inside a region."""

    qualname: str
    nested: bool = False
    module: str = ""  #: path of the module that defines it
    refs: frozenset[str] = NO_NAMES  #: of what a nested one has by default
    is_let_in: bool = False  #: called with objects of the classes that its door asks for (see Summary.objects)


@frozen
class Class(_Unshared):
    """A class of the project."""

    qualname: str
    module: str = ""  #: path of the module that defines it


@frozen
class Instance(_Unshared):
    """``self`` inside a method, or an object made by calling a class of the project."""

    qualname: str
    module: str = ""  #: path of the module that defines the class


@frozen
class Bound:
    """``receiver.name`` where the receiver is an array or unknown: called, it is a method."""

    receiver: Value
    name: str

    @property
    def refs(self) -> frozenset[str]:
        return refs_of(self.receiver)


Value = Unknown | Array | Symbol | Const | Scalar | Sequence | Function | Class | Instance | Bound

UNKNOWN = Unknown()
NUMPY = Symbol("numpy")
NONE = Const.of(None)
#: A reference that results of calls on the host have, where they may be one of their arguments: ours was a copy.
COPIED = "a copy made for the host"
#: A reference of what shows our ndarray, in C order, where NumPy may have copied one of another order, or else round.
BY_LAYOUT = "a view or a copy by memory order"
#: A reference of what is a view of memory that others made, or a copy, by its order there.
BY_THEIR_LAYOUT = "a view or a copy by memory order elsewhere"
#: A reference of what a callable parameter returned: ndarrays and numbers, as a rule, that are computed with.
CALLED = "what a callable gave"
#: A reference of what ``functools.partial`` makes: a call of it may give back what it holds.
HOLDS_ARGUMENTS = "what a partial function holds"
#: A reference of arrays made of an object that is not ours: NumPy may have made a view of the object's memory.
FOREIGN = "memory of another object"
#: A reference of arrays that were asked for in Fortran order, which a tensor cannot have.
FORTRAN = "an array in Fortran order"
#: A reference that a container has when two of its items may be one array.
SHARED = "items that share memory"
#: A reference of views that NumPy does not let anybody write through.
READ_ONLY = "a read-only view"
#: A reference of what may be an object of a subclass of ndarray: no tensor can stand for it.
SUBCLASS = "an array of a subclass"
#: A reference of arrays that no tensor can stand for, and of what is calculated from them.
UNTENSORED = "data that no tensor can hold"
#: Containers that others may put something into.
FILLED = frozenset(("list", "dict", "set", "deque"))
#: Random generators: a symbol stands for the object, so that its methods have canonical names.
GENERATORS = (Symbol("numpy.random.Generator"), Symbol("numpy.random.RandomState"))
#: The element of an empty container: joined with anything it gives the other. There is only this object.
NOTHING = Scalar("nothing")
#: What stands for a function that is handed over: calling it may change whatever it is called with. One object.
LENT = Symbol("<a nested function>")


def item_of(symbol: Symbol) -> Value:
    """An item of what a symbol denotes: of an object that a known callable made (``subplots()``), such an object."""
    return Symbol(f"{symbol.name}[]") if "()" in symbol.name else UNKNOWN


def held(item: Value, container: Sequence) -> Value:
    """An item taken out of a container: what shares memory with the container may share memory with it."""
    if container.type == "map":
        return item
    if isinstance(item, Array) and item.rank == 0 and item.zero_d == "scalar":
        return item
    return with_refs(item, refs_of(item) | container.refs) if container.refs else item


def home_of(value: Value) -> str:
    """Where `value` lives: containers and plain Python objects are HOST objects (their items may be tensors)."""
    if isinstance(value, (Unknown, Array)):
        return value.home
    return HOST


def lives_anywhere(op: str, operands: Iterable[Value]) -> bool:
    """Whether the result of an operator may live on the device or on the host, as its operands do: none is brought.

    But a product of matrices is work for a device, and what objects and modules hold gets into graphs as a tensor.
    """
    arrays = [value for value in operands if may_be_array(value)]
    homes = {home_of(value) for value in arrays}
    if op == "matmul" or EITHER not in homes or TENSOR in homes:
        return False
    return not any(home_of(value) == HOST and any(map(is_state, value.refs)) for value in arrays)


def made_of(value: Value) -> Value:
    """What a list made of all items of `value` shares memory with."""
    return value.element if isinstance(value, Sequence) and value.type == "map" else value


def refs_of(value: Value) -> frozenset[str]:
    """Locations whose memory `value` may share."""
    return value.refs


@lru_cache(maxsize=4096)
def parameters_in(refs: frozenset[str]) -> frozenset[str]:
    """The parameters whose caller's arrays are among the locations `refs`."""
    return frozenset(bare(ref) for ref in refs if is_parameter(ref))


def deps_of(value: Value) -> frozenset[str]:
    """Parameters that `value` was computed from."""
    return value.deps if isinstance(value, (Unknown, Array)) else NO_NAMES


def has_axes(value: Value) -> bool:
    """Whether `value` certainly is an array of one dimension or more: what is elementwise of it has them, too.

    A parameter that is a tensor, or surely has elements, has come through a door, which lets in no others.
    """
    if not isinstance(value, Array) or value.weak:
        return False
    from_a_door = value.home == TENSOR or value.nonempty
    return bool(value.rank) or (value.zero_d == "never" and (value.exact is None or from_a_door))


def is_array(value: Value) -> bool:
    """Whether `value` is what NumPy calculates with, and not known to be a number."""
    return isinstance(value, Array) and value.rank != 0


def has_elements(value: Value) -> bool:
    """Whether `value` certainly is an array, or a list, that has elements, or a number."""
    if isinstance(value, Array):
        return value.nonempty or value.rank == 0
    if isinstance(value, Sequence):
        return value.type in ("list", "tuple") and bool(value.items) and all(map(has_elements, value.items or ()))
    return is_python_number(value)


def exact_of(value: Value) -> str | None:
    """The parameter whose very object `value` is, if that is certain."""
    return value.exact if isinstance(value, (Unknown, Array)) else None


def view_of(value: Value) -> str:
    """Whether `value` may be a "view" or "piece" of what its locations name; "" where it is the object itself."""
    return value.view if isinstance(value, (Unknown, Array)) else ""


@lru_cache(maxsize=4096)
def outside_of(refs: frozenset[str]) -> frozenset[str]:
    """Those of the locations `refs` that are seen by others than the region."""
    return frozenset(filter(is_outside_location, refs))


def with_refs(value: Value, refs: frozenset[str]) -> Value:
    """`value`, found at the locations `refs`."""
    if value.refs == refs:
        return value
    if isinstance(value, Unknown):
        return Unknown(value.home, refs, value.exact, value.deps, value.view, value.zero_d, value.among_zero_d)
    if isinstance(value, Array):
        return Array(
            value.home, value.dtypes, value.rank, refs, value.exact, value.deps, value.weak, value.zero_d, value.view,
            value.nonempty, value.among_zero_d,
        )  # fmt: skip
    if isinstance(value, Sequence):
        return Sequence(value.type, value.element, value.items, refs)
    return value


def may_hold_tensor(value: Value) -> bool:
    """Whether `value` may be a tensor, or a container or other object that holds one, inside a region."""
    kind = type(value)  # asked for every name at every call: the quick way
    if kind is Unknown or kind is Array:
        return value.home != HOST  # type: ignore[union-attr]
    if kind is Const or kind is Scalar or kind is Symbol:
        return False
    if isinstance(value, Sequence):
        if value.items is not None:
            return any(map(may_hold_tensor, value.items))
        return may_hold_tensor(value.element)
    return isinstance(value, Bound) and may_hold_tensor(value.receiver)


def may_hold_object(value: Value) -> bool:
    """Whether `value` may be an object whose class has operators of its own, or a container of such."""
    kind = type(value)
    return kind is Instance or (kind is Unknown and value.home != TENSOR) or holds(value, may_hold_object)  # type: ignore[union-attr]


def shows_objects_tensors(values: Iterable[Value]) -> bool:
    """Whether one of `values`, or of what they hold, may be an object, and another one a tensor."""
    parts: list[Value] = []
    for value in values:
        if not isinstance(value, Sequence):
            parts.append(value)
        elif value.type != "dict":  # whose keys are asked: none is a tensor
            parts.extend(value.items or (value.element, value.element))
    objects = {place for place, part in enumerate(parts) if may_hold_object(part)}
    tensors = {place for place, part in enumerate(parts) if may_hold_tensor(part)}
    return bool(objects and tensors) and len(objects | tensors) > 1


def holds_iterator(value: Value) -> bool:
    """Whether an iterator or a view of a dict that gives tensors lies inside the container `value`."""
    return holds(value, is_lazy)


def holds(value: Value, is_such: Callable[[Value], bool]) -> bool:
    """Whether something of which `is_such` holds lies inside the container `value`, however deep."""
    if not isinstance(value, Sequence):
        return False
    items = value.items if value.items is not None else (value.element,)
    return any(is_such(item) or holds(item, is_such) for item in items)


def is_lazy(value: Value) -> bool:
    """Whether `value` is an iterator, or a view of a dict, that gives tensors when it is asked."""
    return reads_later(value) and may_hold_tensor(value)


def reads_later(value: Value) -> bool:
    """Whether `value` is an iterator, or a view of a dict: what its locations hold is read when it is asked."""
    return isinstance(value, Sequence) and value.type in ("iterator", "map", "dict view")


def has_unfilled_container(value: Value) -> bool:
    """Whether an empty container lies inside `value`: it is filled later, through a name of its own."""
    while isinstance(value, Sequence):
        value = value.element
        if isinstance(value, Sequence) and value.element is NOTHING:
            return True
    return False


def may_be_array(value: Value) -> bool:
    """Whether `value` itself may be an ndarray in the original program."""
    return isinstance(value, (Unknown, Array))


#: Python's floats that have names in NumPy or math.
NAMED_FLOATS = frozenset(
    f"{module}.{name}" for module in ("numpy", "math") for name in ("pi", "e", "inf", "nan", "tau", "euler_gamma")
)


def is_python_number(value: Value) -> bool:
    """Whether `value` is certainly a Python number (a weak scalar in NumPy's promotion)."""
    if isinstance(value, Const):
        return value.type in ("int", "float", "complex", "bool")
    if isinstance(value, Symbol):
        return value.name in NAMED_FLOATS
    return isinstance(value, Scalar) and value.type in ("int", "float", "complex", "bool", "number")


def is_numpy_number(value: Value) -> bool:
    """Whether `value` certainly is a NumPy scalar rather than an array: immutable."""
    return isinstance(value, Array) and value.rank == 0 and value.zero_d == "scalar" and value.exact is None


def is_number(value: Value) -> bool:
    """Whether `value` certainly is a number, of Python's or of NumPy's."""
    return is_python_number(value) or is_numpy_number(value)


def is_pythons_own(value: Value) -> bool:
    """Whether `value` is a number that certainly is Python's own."""
    return isinstance(value, Const) or (isinstance(value, Scalar) and value.own)


def scalar_type(value: Value) -> str:
    """The Python type name of a Const, a Scalar or a number with a name; "object" where it is none of these."""
    if isinstance(value, (Const, Scalar)):
        return "none" if isinstance(value, Const) and value.value is None else value.type
    return "float" if isinstance(value, Symbol) and value.name in NAMED_FLOATS else "object"


def zero_d_of(value: Value) -> str:
    """What NumPy makes of `value` when it is 0-d: "scalar", "array", "either" or "never"."""
    if isinstance(value, Array):
        return "never" if value.rank or value.exact is not None else value.zero_d
    if isinstance(value, Unknown) and value.exact is None:
        return value.zero_d or ("never" if value.home == HOST else "scalar")
    return "never"


def is_among_zero_d(value: Value) -> bool:
    """Whether `value`, or one of those that meet in it, certainly is what NumPy makes of an array without axes."""
    if isinstance(value, Array):
        return value.among_zero_d or (value.rank == 0 and zero_d_of(value) != "never")
    return isinstance(value, Unknown) and value.among_zero_d


# --- The values of literals and of names that are keywords

KEYWORDS = {"None": Const.of(None), "True": Const.of(True), "False": Const.of(False)}


@functools.lru_cache(maxsize=4096)
def constant(text: str) -> Const | None:
    """The value of a literal, remembered: most come again. Python's compiler is not asked about the usual forms."""
    if text[0] in "\"'" and "\\" not in text and text[:3] not in ('"""', "'''"):
        return Const.of(text[1:-1])
    if text.isdecimal() and text.isascii():
        return Const.of(int(text))
    with contextlib.suppress(ValueError):
        if "." in text and text[0] not in "\"'":
            return Const.of(float(text))
    try:
        return Const.of(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return None


# --- Python's complex numbers left of NumPy's float64 scalars
#
# ``np.float64`` is a subclass of ``float``, so of ``1j * s`` Python's complex makes a complex of its own: weak in
# promotion, and a division by zero raises. With every other operand, and in every other order, NumPy's operator
# answers.

#: The operators that Python's complex has; of orders NumPy's scalar is asked.
OPERATORS = frozenset(("add", "sub", "mul", "truediv", "pow", "eq", "ne"))


def python_answers(op: str, operands: list[Value] | tuple[Value, ...]) -> bool:
    """Whether Python's complex may answer an operator on `operands`. 0-d arrays are not meant: NumPy answers there."""
    return len(operands) == 2 and op in OPERATORS and _may_be_complex(operands[0]) and _may_be_float64(operands[1])


def meets_either(op: str, operands: tuple[Value, ...]) -> bool:
    """Whether a number that surely is Python's complex stands left of a scalar or a 0-d array, nobody knows which."""
    if not python_answers(op, operands) or scalar_type(operands[0]) != "complex":
        return False
    return isinstance(operands[1], (Array, Unknown)) and operands[1].zero_d == "either"


def _may_be_complex(value: Value) -> bool:
    if isinstance(value, Array):
        return bool(value.weak) and value.exact is None and "D" in value.dtypes
    return isinstance(value, Unknown) or (is_python_number(value) and scalar_type(value) in ("complex", "number"))


def _may_be_float64(value: Value) -> bool:
    if not isinstance(value, Array):
        return isinstance(value, Unknown) and value.zero_d != "array"
    if has_axes(value) or "d" not in value.dtypes:
        return False
    return value.zero_d == "never" if value.exact is not None else value.zero_d not in ("never", "array")
