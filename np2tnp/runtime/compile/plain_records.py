"""Arguments of compiled functions that are plain records: objects of a dataclass, and SimpleNamespaces, of numbers.

A trace gets a *stand-in*, an object of the same class with the same attributes, among which numbers may be inputs of
the graph. That is right where reading is all that is done, and where an attribute is what the instance holds.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.looking import is_of, items_of, member, own_dict
from np2tnp.runtime.base.tracing import attribute_names, global_names

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
