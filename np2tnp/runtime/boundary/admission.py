"""The door of a migrated function: what its decorator says that it takes, looked at once when it is called.

A body may be written for what its door admits alone. ``floats="x, w"`` and its like name parameters: arrays of these
dtypes; ``numbers="dt"``: numbers; ``counts="n"``: Python's integers; ``generators="rng"``. A call with anything else is
answered by the original. It costs a microsecond or two: the class of a value, and of an array its dtype and size.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Mapping
from inspect import Parameter
from types import MemberDescriptorType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime.base.dispatch import is_tensor, to_ndarray
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.looking import is_of, member, own_dict
from np2tnp.runtime.symbols.python_number import Weak

_WIDEST = range(-(2**63), 2**63)
#: Integers that arrays of all dtypes hold.
FITTING = range(2**7)


class Kind(NamedTuple):
    """What one parameter takes."""

    words: str  #: for people
    dtypes: frozenset[np.dtype[Any]]  #: of arrays
    dtype_names: frozenset[str]
    others: frozenset[type]  #: of what is no array
    number_names: frozenset[str]  #: of the dtypes of 0-d tensors
    displays: frozenset[type] = frozenset()  #: of several of `others`

    @property
    def is_axis(self) -> bool:
        """Whether it is an axis: a number that no array meets."""
        return type(None) in self.others


#: Words of the decorator -> what arrays they admit, for people and by NumPy's characters. All are non-empty.
_ARRAYS = {
    "floats": ("float32 or float64", "fd"),
    "reals": ("int32, int64, float32 or float64", "fdilq"),
    "inexact": ("float32, float64, complex64 or complex128", "fdFD"),
    "arrays": ("numbers", "?bhilqBHILQefdFD"),
}
WORDS = (*_ARRAYS, "numbers", "counts", "sizes", "axes", "generators")
#: Characters of the numbers that may stand alone; beside arrays a number of NumPy's is of their dtypes.
_ALONE = "fdilq"


_WHOLE = frozenset((int, np.int64, np.int32))
#: The integers that arrays of these dtypes hold.
_INTEGERS = {it.name: range(int(np.iinfo(it).min), int(np.iinfo(it).max) + 1) for it in map(np.dtype, "bhilqBHILQ")}


#: What draws by the same methods, and gives the same dtypes where NumPy's integers have 64 bits.
_DRAWING = frozenset((np.random.Generator, np.random.RandomState)[: np.dtype("l").itemsize // 4])


def _kind(words: frozenset[str]) -> Kind:
    if "generators" in words:
        return Kind("a numpy.random.Generator or RandomState", frozenset(), frozenset(), _DRAWING, frozenset())
    if "sizes" in words or "axes" in words:
        text, none, displays = "an integer or several", frozenset[type](), frozenset((tuple, list))
        if "axes" in words:
            text, none, displays = "an integer, a tuple of such, or None", frozenset((type(None),)), frozenset((tuple,))
        return Kind(text, frozenset(), frozenset(), _WHOLE | none, frozenset(("int32", "int64")), displays)
    if "counts" in words:
        return Kind("an integer of Python's", frozenset(), frozenset(), frozenset((int,)), frozenset())
    word = next((word for word in _ARRAYS if word in words), "")
    text, characters = _ARRAYS.get(word, ("", ""))
    dtypes = frozenset(map(np.dtype, characters))
    told = [f"a non-empty array of {text}"] * bool(word)
    kinds: list[type] = []
    if "numbers" in words:
        kinds = [np.dtype(it).type for it in characters or _ALONE if it != "?"]
        told.append("a number" if word else "a real number")
    python = ([int, float] if kinds else []) + ([complex] if np.complex128 in kinds else [])
    number_names = frozenset(np.dtype(it).name for it in kinds)
    names = frozenset(dtype.name for dtype in dtypes)
    return Kind(", or ".join(told), dtypes, names, frozenset([*python, *kinds]), number_names)


class Admission:
    """The door of one function: which of its parameters take what."""

    def __init__(
        self, function: str, words: Mapping[str, tuple[str, ...]], parameters: Mapping[str, Parameter]
    ) -> None:
        self._function = function
        said: dict[str, set[str]] = {}
        for word, names in words.items():
            for name in names:
                said.setdefault(name, set()).add(word)
        kinds = {name: _kind(frozenset(of)) for name, of in said.items()}
        self._kinds = {name: kind for name, kind in kinds.items() if name.isidentifier()}
        #: (place of the parameter, its name, the attribute as ``.w`` or the item as ``[w]``, what is taken there)
        self._parts = [
            (list(parameters).index(owner), owner, text[len(owner) :], kind)
            for text, kind in kinds.items()
            for owner in [text.partition(".")[0].partition("[")[0]]
            if owner != text
        ]
        self._names = [name for name, it in parameters.items() if it.kind <= it.POSITIONAL_OR_KEYWORD]
        self._places = [(place, self._kinds[name]) for place, name in enumerate(self._names) if name in self._kinds]
        self.kinds = [self._kinds.get(name) for name in self._names]  #: of each parameter that may come by position
        stars = {it.kind: name for name, it in parameters.items()}
        self._star = stars.get(Parameter.VAR_POSITIONAL, "")
        self._star_star = stars.get(Parameter.VAR_KEYWORD, "")
        self._parameters = parameters
        #: those whose default is none of what they take
        self._needed = [
            (place, name, kind)
            for place, name in enumerate(self._names + [it for it in parameters if it not in self._names])
            if (kind := self._kinds.get(name)) is not None
            and (default := parameters[name].default) is not Parameter.empty
            and not is_admitted(default, kind)
        ]
        #: whether integers of Python's may come beside arrays of integers
        self.beside = any(int in kind.others for kind in kinds.values()) and any(
            not _INTEGERS.keys().isdisjoint(kind.dtype_names) for kind in kinds.values()
        )
        self._axes = frozenset(name for name, kind in self._kinds.items() if kind.is_axis)
        self._default_integers = [
            it.default for name, it in parameters.items() if type(it.default) is int and name not in self._axes
        ]
        self._numbers = frozenset(name for name, kind in self._kinds.items() if kind.number_names and not kind.dtypes)

    def check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise UnverifiedError for a call that is not admitted."""
        given = len(args)
        for place, kind in self._places:
            if place >= given:
                break
            value = args[place]
            if type(value) is np.ndarray:
                if value.dtype in kind.dtypes and value.size and value.ndim:
                    continue
            elif is_admitted(value, kind):
                continue
            raise self._refusal(self._names[place], value, kind)
        if kwargs or self._star or self._needed:
            self._check_others(args, kwargs)
        beside = self._beside(args, kwargs) if self.beside else []
        for place, owner, part, kind in self._parts:
            held = _held(args[place] if place < given else kwargs.get(owner, self._parameters[owner].default), part)
            if not is_admitted(held, kind):
                raise self._refusal(f"{owner}{part}", held, kind)
            if self.beside:
                beside.append(held)
        if self.beside:
            self._require_fitting([*beside, *self._default_integers])

    def _beside(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The arguments that may meet each other."""
        by_name = [*zip(self._names, args, strict=False), *kwargs.items()]
        return [*(it for name, it in by_name if name not in self._axes), *args[len(self._names) :]]

    def _require_fitting(self, values: list[Any]) -> None:
        """NumPy refuses an integer that an array of integers beside it cannot hold; some of tnp's functions cut it."""
        numbers = [it for it in values if type(it) is int and it not in FITTING]
        if not numbers:
            return
        for name in {str(it.dtype.name) for it in values if type(it) is np.ndarray or is_tensor(it)}:
            if name in _INTEGERS and not all(it in _INTEGERS[name] for it in numbers):
                raise UnverifiedError(f"{self._function} got an integer that the array of {name} beside it cannot hold")

    def _check_others(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for name, value in self._others(args, kwargs):
            kind = self._kinds.get(name)
            if kind is not None and not is_admitted(value, kind):
                raise self._refusal(name, value, kind)
        for place, name, kind in self._needed:
            if name not in kwargs and (place >= len(args) or place >= len(self._names)):
                raise self._refusal(name, self._parameters[name].default, kind)

    def _others(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for value in args[len(self._names) :]:
            yield self._star, value
        for name, value in kwargs.items():
            yield name if name in self._parameters else self._star_star, value

    def as_numbers(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with NumPy's numbers for 0-d tensors, such as ``x[i]`` in a core, where only numbers come."""
        if not self._numbers:
            return args, kwargs
        given = [_number(it) if name in self._numbers else it for name, it in zip(self._names, args, strict=False)]
        args = (*given, *args[len(given) :])
        return args, {name: _number(it) if name in self._numbers else it for name, it in kwargs.items()}

    def _refusal(self, name: str, value: Any, kind: Kind) -> UnverifiedError:
        stars = "*" if name == self._star else "**" if name == self._star_star else ""
        each = "each of " if stars else ""
        return UnverifiedError(
            f"{self._function} takes {each}{stars}{name} as {kind.words}: it got {_described(value)}"
        )


def _number(value: Any) -> Any:
    return to_ndarray(value)[()] if is_tensor(value) and hasattr(value, "numpy") else value


def is_admitted(value: Any, kind: Kind) -> bool:
    """Whether a parameter of that kind takes `value`."""
    of = type(value)
    if of is np.ndarray:
        return value.dtype in kind.dtypes and value.size > 0 and value.ndim > 0
    if of in kind.others:
        return of is not int or value in _WIDEST
    if of in kind.displays:
        return all(type(it) in _WHOLE and -(2**63) <= it < 2**63 for it in value)
    if is_tensor(value):
        shape, dtype = value.shape, value.dtype.name
        return (
            dtype in kind.number_names if shape.rank == 0 else dtype in kind.dtype_names and bool(shape.num_elements())
        )
    return of is Weak and value.kind in kind.others


#: What an object holds where that cannot be told without running its own code, or not at all.
_UNTOLD = object()


def _held(owner: Any, part: str) -> Any:
    """What ``owner.name`` is, or the item ``owner["name"]`` of a dict; no code of the object's class runs."""
    of, name = type(owner), part.strip(".[]")
    if part[0] == "[":
        return owner.get(name, _UNTOLD) if of is dict else _UNTOLD
    if member(of, "__getattribute__") not in _GENERIC:
        return _UNTOLD
    found = member(of, name, _UNTOLD)
    if type(found) in _SLOTS:
        try:
            return found.__get__(owner, of)
        except AttributeError:  # not set
            return _UNTOLD
    if found is not _UNTOLD and type(found) is not np.ndarray and type(found) not in (int, float, complex):
        return _UNTOLD  # a property or another descriptor answers, or may
    return own_dict(owner).get(name, found)


#: Where Python itself looks for attributes: in the class, and in what the object holds.
_GENERIC = tuple(of.__getattribute__ for of in (object, tuple, SimpleNamespace))

#: Descriptors of slots, and of the fields of named tuples.
_SLOTS = (MemberDescriptorType, type(namedtuple("_Pair", "first").first))  # type: ignore[attr-defined]


def _described(value: Any) -> str:
    """What came in a parameter's place, for people."""
    of = type(value)
    if value is _UNTOLD:
        return "what only its class can tell"
    if value is None:
        return "None"
    if of is np.ndarray or is_tensor(value):
        what = "array" if of is np.ndarray else "tensor"
        dtype = _named(value.dtype)
        if of is not np.ndarray and value.shape.num_elements() is None:
            return _with_article(f"{dtype} tensor that may be empty")
        if not len(value.shape):
            return f"a 0-d {what} of {dtype}"
        return f"an empty {what} of {dtype}" if 0 in tuple(value.shape) else _with_article(f"{dtype} {what}")
    if of is int and value not in _WIDEST:
        return "an integer of more than 64 bits"
    own = of.__module__ in ("builtins", "numpy")
    words = _with_article(of.__qualname__ if own else f"{of.__module__}.{of.__qualname__}")
    return f"{words} of dtype {np.ndarray.dtype.__get__(value)}" if is_of(value, np.ndarray) else words


def _named(dtype: Any) -> str:
    return str(dtype) if getattr(dtype, "isnative", True) is False else str(dtype.name)


def _with_article(words: str) -> str:
    return f"{'an' if words[:1] in 'aeio' else 'a'} {words}"
