"""What a trace of a migrated function depends on, and what its arguments are exchanged for while it is made.

A number is a value in the graph at first. One that is seen with several values becomes an input: Python's numbers are
:class:`~np2tnp.runtime.symbols.python_number.Weak` then, NumPy's are tensors without dimensions.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime.base.dispatch import NUMERIC, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.looking import is_of, is_plain_tuple, items_of, member, own_dict, tuple_like
from np2tnp.runtime.base.precision import is_single
from np2tnp.runtime.base.tracing import attribute_names, global_names
from np2tnp.runtime.boundary.contract import enter
from np2tnp.runtime.symbols.python_number import DTYPES, LIMIT, Weak

# --- Arguments of compiled functions that are plain records: objects of a dataclass, and SimpleNamespaces, of numbers

#: Attributes of a class that are no code which reading could run.
_HARMLESS = frozenset(
    "__module__ __qualname__ __doc__ __dict__ __weakref__ __annotations__ __annotate__ __annotate_func__ __slots__"
    " __annotations_cache__ __dataclass_fields__ __dataclass_params__ __match_args__ __firstlineno__"
    " __static_attributes__ __init__ __post_init__ __init_subclass__ __class_getitem__ __orig_bases__ __parameters__"
    " __abstractmethods__ _abc_impl".split()
)
#: Those that ``dataclass`` writes, when it has written them.
_GENERATED = frozenset(
    "__repr__ __eq__ __hash__ __setattr__ __delattr__ __replace__ __lt__ __le__ __gt__ __ge__".split()
)
#: By these a function could reach what the names in its code do not tell.
_REACHING = frozenset("getattr vars setattr delattr dir hasattr".split())
#: Make another object, by the program's own code.
_MAKING = frozenset(("replace", "__class__"))


def is_record(value: Any) -> bool:
    """Whether `value` is an object that :func:`attributes_of` may take apart."""
    kind = type(value)
    return kind is types.SimpleNamespace or member(kind, "__dataclass_fields__") is not None


def attributes_of(record: Any) -> dict[str, Any]:
    """What a record holds. Raises Unsupported where its class has a way of its own."""
    kind: Any = type(record)
    own = own_dict(record)
    if member(kind, "__dict__") is None or _names_of(kind) is None:
        raise Unsupported(f"an argument is a {kind.__name__}, whose class has a way of its own")
    return own


class _Names(NamedTuple):
    """Attributes that are the class's."""

    always: frozenset[str]  #: reading them runs code, whatever the instance holds
    unless_held: frozenset[str]  #: methods and values, where the instance does not hold something by that name


@functools.lru_cache(maxsize=1000)
def _names_of(kind: Any) -> _Names | None:
    """What instances get from their class; None if other uses than reading attributes run code of the program, too."""
    always: set[str] = set()
    others: set[str] = set()
    for base in kind.__mro__[:-1] if kind is not types.SimpleNamespace else ():
        for name, value in vars(base).items():
            if name in _HARMLESS or (name in _GENERATED and _is_generated(value)):
                continue
            if name.startswith("__") and name.endswith("__"):
                return None
            (always if hasattr(type(value), "__set__") else others).add(name)
    return _Names(frozenset(always), frozenset(others))


def _is_generated(value: Any) -> bool:
    code = getattr(inspect.unwrap(value), "__code__", None) if callable(value) else None
    return value is None or (code is not None and code.co_filename in ("<string>", dataclasses.__file__))


def stand_in(kind: Any, attributes: dict[str, Any]) -> Any:
    """A record of that class with these attributes."""
    made: Any = kind.__new__(kind)
    made.__dict__.update(attributes)
    return made


def records_in(values: Iterable[Any]) -> Iterator[Any]:
    """The records among arguments, those in containers and records included."""
    for value in values:
        if is_of(value, (list, tuple, dict)):
            yield from records_in(items_of(value) or ())
        elif is_record(value):
            yield value
            yield from records_in(vars(value).values())


class Unchanged:
    """Of a trace: that it only read the records which it got.

    Raises Unsupported for two of one class: nobody can tell their stand-ins from one another as the objects may be.
    """

    def __init__(self, args: Iterable[Any]) -> None:
        self._records = list(records_in(args))
        self._before = [dict(vars(record)) for record in self._records]
        if len({type(record) for record in self._records}) < len(self._records):
            raise Unsupported("two arguments are objects of one class")

    def check(self, functions: Iterable[Callable[..., Any]]) -> None:
        """Raises Unsupported where one was changed, or where `functions`, which the trace ran, may run its code."""
        for record, before in zip(self._records, self._before, strict=True):
            kind: Any = type(record)
            now = vars(record)
            if now.keys() != before.keys() or any(now[name] is not value for name, value in before.items()):
                raise Unsupported(f"an attribute of a {kind.__name__} changes")
            names_of_class = _names_of(kind)
            assert names_of_class is not None
            own = names_of_class.always | (names_of_class.unless_held - vars(record).keys())
            makes = {"__init__", "__post_init__"} & vars(kind).keys()
            for function in functions:
                names = {*attribute_names(function.__code__), *global_names(function.__code__)}
                if names & own or (own and names & _REACHING) or (makes and names & _MAKING):
                    raise Unsupported(f"code of the class {kind.__name__}")


# --- Signatures

#: What is told apart by its value alone.
IDENTITY = (type(None), bool, str, bytes, type(Ellipsis), np.dtype, type)


def form(value: Any, arrays: list[Any], numbers: list[Any], plain: bool = False) -> Any:
    """All that the trace depends on in `value` but the contents of arrays and numbers, which are appended to the lists.

    plain : NumPy's numbers are part of the form: where a number stands, the code takes no tensor. Raises Unsupported
    for objects that nothing is known of.
    """
    if is_tensor(value):
        if not hasattr(value, "numpy") or isinstance(value, tf.Variable):
            raise Unsupported(f"an argument is a {type(value).__name__}")
        arrays.append(value)
        return value.dtype, tuple(value.shape)
    kind = type(value)
    if is_number(value) and not (plain and is_of(value, np.generic)):
        numbers.append(value)
        return kind
    if kind is int or is_of(value, IDENTITY):
        return kind, value
    if is_of(value, np.generic) and value.dtype.char in NUMERIC:
        return kind, value.tobytes()
    if kind is list or is_plain_tuple(value):
        inside = plain or kind is Held
        return kind, *[form(item, arrays, numbers, inside) for item in value]
    if kind is dict:
        names, items = [_whole(name) for name in value], value.values()
        return kind, *zip(names, [form(item, arrays, numbers, plain) for item in items], strict=True)
    if kind is slice:
        return kind, *[_whole(part) for part in (value.start, value.stop, value.step)]
    if kind is range:
        return kind, value.start, value.stop, value.step
    if is_record(value):
        held = attributes_of(value)
        return kind, tuple(held), *[_of_record(item, arrays, numbers) for item in held.values()]
    if kind is np.ndarray and not value.ndim:
        raise Unsupported("an argument is a 0-d array, which in a graph counts as a scalar")
    raise Unsupported(f"an argument is a {kind.__name__}")


def _of_record(value: Any, arrays: list[Any], numbers: list[Any]) -> Any:
    """The form of an attribute: what cannot change in place."""
    if is_number(value) or is_of(value, (*IDENTITY, np.generic, int)) or is_record(value):
        return form(value, arrays, numbers, plain=True)
    if type(value) is tuple:
        return tuple, *[_of_record(item, arrays, numbers) for item in value]
    raise Unsupported(f"an argument holds a {type(value).__name__}")


def _whole(value: Any) -> Any:
    """The form of what is no input, with its numbers."""
    numbers: list[Any] = []
    arrays: list[Any] = []
    found = form(value, arrays, numbers)
    if arrays:
        raise Unsupported("an array where only numbers and text stand")
    return found, *map(identity, numbers)


def is_number(value: Any) -> bool:
    """Whether `value` can become an input of a graph: a number that is not used for its truth."""
    kind = type(value)
    if kind is int:
        return bool(-LIMIT <= value <= LIMIT)
    return kind in (float, complex) or (is_of(value, np.number) and value.dtype.char in NUMERIC)


def identity(number: Any) -> Any:
    """What tells numbers of one type apart: -0.0 from 0.0, too, and one NaN from another."""
    if type(number) is int:
        return number
    if type(number) is float:
        return number.hex()
    if type(number) is complex:
        return number.real.hex(), number.imag.hex()
    return number.tobytes()


def exchanged(value: Any, tensors: Iterator[Any], numbers: Iterator[Any], plain: bool = False) -> Any:
    """`value` with the next of `tensors` for each array and of `numbers` for each number, as :func:`form` has them.

    Containers are new.
    """
    if is_tensor(value):
        return next(tensors)
    kind = type(value)
    if is_number(value) and not (plain and is_of(value, np.generic)):
        return next(numbers)
    if kind is list or is_of(value, tuple):
        inside = plain or kind is Held
        items = [exchanged(item, tensors, numbers, inside) for item in value]
        if kind is list:
            return items
        return tuple_like(value, items)
    if kind is dict:
        return {name: exchanged(item, tensors, numbers, plain) for name, item in value.items()}
    if is_record(value):
        return stand_in(kind, {name: exchanged(item, tensors, numbers, True) for name, item in vars(value).items()})
    return value


def as_tensor(number: Any) -> Any:
    """What a graph gets for a number that is one of its inputs."""
    return tf.constant(np.array(number, DTYPES.get(type(number))))  # TensorFlow keeps one tensor for 0.0 and -0.0


def as_symbol(number: Any, tensor: Any) -> Any:
    """What stands for the number in the trace. `tensor`: the graph's input."""
    kind = type(number)
    return Weak(kind, tensor, origin=object()) if kind in DTYPES else tensor


class Family:
    """The signatures that differ in numbers only. varying: which of the numbers are inputs of the graphs."""

    def __init__(self, first: tuple[Any, ...]) -> None:
        self._first = first
        self._fixed: frozenset[int] = frozenset()  #: of which the trace asks the value
        self.varying: frozenset[int] = frozenset()
        self.reason = ""  #: why some cannot be inputs

    def key(self, identities: tuple[Any, ...]) -> Any:
        """What tells the graphs of the family apart, for a call with these numbers."""
        varying = self.varying
        if not varying:
            return varying, identities
        return varying, tuple([None if place in varying else one for place, one in enumerate(identities)])

    def candidates(self, numbers: list[Any], identities: tuple[Any, ...]) -> list[frozenset[int]]:
        """Which numbers could be inputs after this call, the most first: integers often decide shapes."""
        changed = {place for place, one in enumerate(identities) if one != self._first[place]}
        new = frozenset(changed) - self._fixed - self.varying
        integers = frozenset(place for place in new if isinstance(numbers[place], (int, np.integer)))
        return [self.varying | part for part in dict.fromkeys((new, new - integers)) if part]

    def keep(self, places: frozenset[int], reason: str) -> None:
        """Numbers that cannot be inputs, because of `reason`."""
        self._fixed |= places
        self.varying -= places
        self.reason = reason


# --- Methods under ``compile=``: what a body reads of its object is part of the signature, or an input of the graph
#
# The trace runs on a *stand-in*: an object of the same class, of which only those attributes exist that the body, and
# the methods which it calls, mention. Arrays among them are the graph's inputs, read anew at each call; everything else
# is part of the signature. What cannot be told apart from code that runs at each call (properties, ``__getattr__``)
# leaves the call eager.

#: Methods by which a class decides about its attributes, or does something when an object of it goes.
_OWN_WAYS = ("__getattr__", "__del__")
_METHODS = (types.FunctionType, staticmethod, classmethod)


class MoreAttributes(BaseException):  # no error: nobody may handle it but who begins the trace again
    """The trace called a method that reads further attributes."""


class Held(NamedTuple):
    """What is read of an object."""

    kind: type
    attributes: dict[str, Any]


class State:
    """What compiled code may read of its object: grows by the methods that it turns out to call."""

    def __init__(self, body: Callable[..., Any], arrays: Iterable[str]) -> None:
        self._names = frozenset(attribute_names(body.__code__))
        self._raw = self._names - frozenset(arrays)  #: that some method reads as NumPy's own

    def includes(self, other: State) -> bool:
        """Whether all that `other` reads is known here, too."""
        return other._names <= self._names and other._raw <= self._raw

    def include(self, other: State) -> None:
        """Another method, which reads the same object, is part of the graph."""
        self._names |= other._names
        self._raw |= other._raw

    def read(self, owner: Any) -> tuple[Held, tuple[Any, ...]]:
        """What a call reads of the object, arrays as tensors, and the methods that it may call. Raises Unsupported."""
        kind = type(owner)
        if member(kind, "__getattribute__") is not object.__getattribute__ or any(member(kind, it) for it in _OWN_WAYS):
            raise Unsupported(f"{kind.__name__} has attributes of its own way")
        if member(kind, "__dict__") is None:
            raise Unsupported(f"{kind.__name__} has no dictionary of attributes")
        own = own_dict(owner)
        found: dict[str, Any] = {}
        methods: list[Any] = []
        memo: dict[int, Any] = {}
        for name in sorted(self._names):
            inherited = member(kind, name)
            if member(type(inherited), "__get__") is not None and not is_of(inherited, _METHODS):
                raise Unsupported(f"{kind.__name__}.{name} is a {type(inherited).__name__}")
            value = own.get(name, inherited)
            if is_of(value, _METHODS) and name not in own:
                methods.append(value)
                continue
            if value is None and name not in own:
                continue
            entered = enter(value, memo, not is_single())
            if entered is not value and name in self._raw:
                raise Unsupported(f"the array .{name} is read by NumPy")
            found[name] = entered
        return Held(kind, found), tuple(methods)


def stand_in_of(held: Held) -> Any:
    """An object of that class with these attributes and no others."""
    made: Any = object.__new__(held.kind)
    made.__dict__.update(held.attributes)
    return made
