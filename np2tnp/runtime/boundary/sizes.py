"""Small arrays stay in NumPy: which calls have so few elements that the original function is faster.

Both do the same, so this decides about speed alone, before the runtime starts anything.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import logging
import math
import os
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime.base.dispatch import NUMERIC, is_tensor
from np2tnp.runtime.base.gradients import is_recording
from np2tnp.runtime.base.hardware import has_gpu
from np2tnp.runtime.base.looking import items_of, own_dict, slots_of
from np2tnp.runtime.boundary.costs import FEW_IN_MATRICES, Seen, Work, figures, pays
from np2tnp.runtime.boundary.door import NEVER, Elements, is_threshold_set
from np2tnp.runtime.boundary.object_state import names_of
from np2tnp.runtime.boundary.unknown_calls import call_plain

#: Below so many elements eager TensorFlow takes several times NumPy's time, as the median of functions; from there on
#: it works where there is a GPU. On a CPU it takes twice NumPy's time at 10 million still (benchmarks/eager_sizes.py).
FEW = 100_000

#: Every so many calls of a function it is looked at how large its arrays are; from that size on nothing is told.
MANY, SMALL = 1000, 1000

#: Types of values that hold no array.
_SINGLE = frozenset(
    {bool, int, float, complex, str, bytes, type(None), slice, range, type, np.dtype}
    | {types.FunctionType, types.BuiltinFunctionType, types.ModuleType, np.random.Generator, np.random.RandomState}
    | {np.dtype(char).type for char in NUMERIC}
)

_NO_TENSORS = _SINGLE | {np.ndarray}

#: Of a container that an object holds no more than so many items are looked at, and of containers in it: it may be a
#: long record of events, and the object is looked at in each call of a method.
_ITEMS, _NESTED = 16, 4

_DEPTH = 4

_FLOAT = 8  #: bytes

#: Types met so far -> "array", "single", "tensor", "items", "table" or "object".
KINDS: dict[type, str] = {}

_log = logging.getLogger("np2tnp")


class SmallCalls(NamedTuple):
    """Calls of a function that are left to its original."""

    original: Callable[..., Any]
    has: Callable[[tuple[Any, ...], dict[str, Any]], bool]  #: whether a call with these arguments is one


def threshold(above: int | None, default: int = FEW) -> int:
    """`above`, else `default`; or what the environment sets in their place: ``NP2TNP_ABOVE=0`` means no test."""
    if is_threshold_set():
        return int(os.environ["NP2TNP_ABOVE"])
    return default if above is None else above


def by_size(
    public: Callable[..., Any],
    original: Callable[..., Any],
    above: int,
    elements: Elements = 0,
    gpu_only: bool = False,
    rows: tuple[str, ...] = (),
    work: Work = 0,
) -> Callable[..., Any]:
    """`public` for large arrays, `original` for small ones: the runtime starts nothing for these.

    `elements`: how many the arrays have that the function makes itself, or a function that says so of the parameters
    that it is called by. `gpu_only`: all arrays are small where there is no GPU. `rows`: parameters that count for one
    of their items. `work`: what is done with the arrays, where that decides with `gpu_only` (see ``costs.py``).
    """
    is_small = small_calls(public, above, elements, gpu_only, rows, work)

    @functools.wraps(public)
    def chosen(*args: Any, **kwargs: Any) -> Any:
        if is_small(args, kwargs) and not _is_tracing():
            return original(*args, **kwargs)
        return public(*args, **kwargs)

    return chosen


def small_calls(
    function: Callable[..., Any],
    above: int,
    elements: Elements,
    gpu_only: bool,
    rows: tuple[str, ...] = (),
    work: Work = 0,
) -> Callable[[tuple[Any, ...], dict[str, Any]], bool]:
    """What says of the arguments of a call of `function` whether it is small; see :func:`by_size`."""
    made = _made(function, elements)
    namespace = getattr(inspect.unwrap(function), "__globals__", {})
    places = {name: place for name, place in _places(function).items() if name in rows}
    work = work if gpu_only else 0  # who says a number, or a device, has decided
    above = FEW_IN_MATRICES if isinstance(work, str) else above

    def is_small(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        state = names_of(namespace)
        if gpu_only and not has_gpu():
            return not _hold_tensors((*args, *kwargs.values()) if kwargs else args, _DEPTH, None, state)
        given = by_row(args, kwargs, places) if places else (args, kwargs)
        if is_below(above, *given, made, state):
            return True
        return bool(work) and not _pays(work, *given, made, state)

    return is_small


def _pays(
    work: Work,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    made: Callable[[tuple[Any, ...], dict[str, Any]], int] | None,
    state: frozenset[str],
) -> bool:
    """Whether arrays that are large enough are worth their way to the device and back."""
    seen = Seen()
    for value in (*args, *kwargs.values()):
        _look(value, seen, _DEPTH, None, state)
    return pays(work, seen, 0 if made is None else made(args, kwargs), figures())


def _look(value: Any, seen: Seen, depth: int, most: int | None, state: frozenset[str]) -> None:
    """Add up the arrays that :func:`_extent` sees in `value`."""
    kind = KINDS.get(type(value)) or kind_of(value)
    if kind == "tensor":
        seen.has_tensors = True
    elif type(value) is _Counted:
        seen.add_bytes(_FLOAT * value.size, crosses=False)
    elif kind == "array":
        seen.add(value)
    elif kind == "object":
        for part in attributes_of(value, state) if most is None else ():
            _look(part, seen, depth, _ITEMS, state)
    elif kind != "single" and depth:
        numbers = 0
        for item in itertools.islice(items_of(value) or (), most):
            if type(item) in _SINGLE:
                numbers += 1
            else:
                _look(item, seen, depth - 1, most and _NESTED, state)
        seen.add_bytes(_FLOAT * numbers)


def core_by_size(
    core: Callable[..., Any], original: Callable[..., Any], above: int, rows: tuple[str, ...]
) -> Callable[..., Any]:
    """`core`, for calls with tensors, but `original` on the host where it would take one small row after the other.

    To fetch an array once is less than a launch for each of its rows. `above` and `rows` are those of :func:`by_size`.
    Not where derivatives are wanted, which the host has none of.
    """
    places = {name: place for name, place in _places(core).items() if name in rows}

    @functools.wraps(core)
    def chosen(*args: Any, **kwargs: Any) -> Any:
        if not _is_tracing() and not is_recording():
            given = by_row(tuple(map(_counted, args)), {name: _counted(it) for name, it in kwargs.items()}, places)
            if is_below(above, *given):
                return call_plain(original, (), *args, **kwargs)
        return core(*args, **kwargs)

    return chosen


def _counted(value: Any) -> Any:
    """In the place of a tensor what the size test counts."""
    if not is_tensor(value) or not hasattr(value, "numpy"):
        return value
    shape = tuple(value.shape)
    return _Counted(math.prod(shape), shape[0] if shape else 1)


def by_row(
    args: tuple[Any, ...], kwargs: dict[str, Any], places: dict[str, int]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, with the size of one item in the place of the arrays among the parameters at these places."""
    for name, place in places.items():
        value = args[place] if place < len(args) else kwargs.get(name)
        if type(value) is np.ndarray and value.ndim:
            value = _Counted(value.size, len(value))
        if type(value) is _Counted:
            item = _Counted(value.size // max(value.length, 1))
            if place < len(args):
                args = (*args[:place], item, *args[place + 1 :])
            else:
                kwargs = {**kwargs, name: item}
    return args, kwargs


def is_below(
    above: int,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    made: Callable[[tuple[Any, ...], dict[str, Any]], int] | None = None,
    state: frozenset[str] = frozenset(),
) -> bool:
    """Whether the original is to be called because no array that can be told of has `above` elements.

    It knows no tensors: with one among the arguments the answer is no. `state`: the attributes of objects of which it
    does (``rewrite --state tensor``).
    """
    for value in (*args, *kwargs.values()) if kwargs else args:
        kind = type(value)
        if kind is np.ndarray:
            if value.size >= above:
                return False
        elif kind not in _SINGLE and _extent(value, state=state) >= above:
            return False
    return made is None or made(args, kwargs) < above


def extent(args: Iterable[Any], kwargs: dict[str, Any]) -> int:
    """Elements of the largest array among arguments, as the size test sees them; 0 without any, NEVER with tensors.

    Lists, tuples and dicts count for their largest array, or their numbers; other objects for their attributes.
    """
    return max(map(_extent, (*args, *kwargs.values())), default=0)


class _Counted:
    """In the place of a tensor that counts for its elements."""

    __slots__ = ("length", "size")

    def __init__(self, size: int, length: int = 1) -> None:
        self.size, self.length = size, length  #: elements in all, and along the first axis


KINDS[_Counted] = "array"


def _extent(value: Any, depth: int = _DEPTH, most: int | None = None, state: frozenset[str] = frozenset()) -> int:
    """`most`: `value` is an object's attribute, and of containers no more items are looked at."""
    kind = KINDS.get(type(value)) or kind_of(value)
    if kind == "array":
        return int(value.size)
    if kind == "single":
        return 0
    if kind == "tensor":
        return NEVER
    if kind == "items" or kind == "table":
        if depth == 0:
            return 0
        items: Iterable[Any] = items_of(value) or ()
        return _items_extent(items if most is None else itertools.islice(items, most), depth - 1, most)
    if most is not None:
        return 0  # an object's objects look at their own sizes when they are called
    largest = 0
    for part in attributes_of(value, state):
        if type(part) not in _SINGLE:
            size = _extent(part, depth, _ITEMS)
            if size > largest:
                largest = size
    return largest


def _hold_tensors(values: Iterable[Any], depth: int, most: int | None, state: frozenset[str]) -> bool:
    """Whether there is a tensor among these values, where :func:`_extent` would see it: it asks for nothing else."""
    if _NO_TENSORS.issuperset(map(type, values)):  # a list of numbers, however long
        return False
    for value in values:
        kind = KINDS.get(type(value)) or kind_of(value)
        if kind in ("single", "array"):
            continue
        if kind == "tensor":
            return True
        if kind == "object":
            parts: Any = attributes_of(value, state) if most is None else ()
            if _hold_tensors(parts, depth, _ITEMS, state):
                return True
        elif depth:
            parts = items_of(value) or ()
            parts = parts if most is None else list(itertools.islice(parts, most))
            if _hold_tensors(parts, depth - 1, most and _NESTED, state):
                return True
    return False


def kind_of(value: Any) -> str:
    """What `value` is to the size test, remembered for all of its type: `is_tensor` decides by that, too."""
    of = type(value)
    kind = KINDS.get(of)
    if kind is not None:
        return kind
    if of in _SINGLE or issubclass(of, type):
        kind = "single"
    elif issubclass(of, np.ndarray):
        kind = "array"
    elif issubclass(of, dict):
        kind = "table"
    elif issubclass(of, (list, tuple)):
        kind = "items"
    else:
        kind = "tensor" if is_tensor(value) else "object"
    KINDS[of] = kind
    return kind


def _items_extent(items: Iterable[Any], depth: int, most: int | None) -> int:
    numbers = largest = 0
    for item in items:
        if type(item) in _SINGLE:
            numbers += 1
        else:
            size = _extent(item, depth, most and _NESTED)
            if KINDS[type(item)] == "items":  # rows of numbers
                numbers += size
            largest = max(largest, size)
    return max(numbers, largest)


def attributes_of(value: Any, state: frozenset[str] = frozenset()) -> list[Any]:
    """What an object keeps, without calling anything of its own."""
    own = own_dict(value)
    found = list(own.values())
    if state and found:
        for place, name in enumerate(own):
            if name in state and is_tensor(found[place]) and hasattr(found[place], "numpy"):
                found[place] = _Counted(math.prod(found[place].shape))
    found += slots_of(value).values()
    return found


def _made(function: Callable[..., Any], elements: Elements) -> Callable[[tuple[Any, ...], dict[str, Any]], int] | None:
    """`elements` of the arguments of a call; what is no number makes it 0, and the original raises what it does."""
    if not callable(elements):
        return (lambda args, kwargs: elements) if elements else None
    parameters, places = inspect.signature(function).parameters, _places(function)
    wanted = [(name, places[name], parameters[name].default) for name in inspect.signature(elements).parameters]

    def made(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        given = [args[at] if at < len(args) else kwargs.get(name, default) for name, at, default in wanted]
        try:
            return int(elements(*map(_number, given)))
        except (ArithmeticError, TypeError, ValueError):
            return 0

    return made


def _places(function: Callable[..., Any]) -> dict[str, int]:
    """Which of the arguments by position is that of a parameter; NEVER: none."""
    parameters = inspect.signature(function).parameters.values()
    return {it.name: at if it.kind <= it.POSITIONAL_OR_KEYWORD else NEVER for at, it in enumerate(parameters)}


def _number(value: Any) -> Any:
    """A number as Python's own, which do not overflow; a shape is the number of its elements."""
    if type(value) is tuple:
        return math.prod(map(_number, value))
    if isinstance(value, np.integer):
        return int(value)
    if type(value) not in (int, float):
        raise TypeError(type(value).__name__)
    return value


def _is_tracing() -> bool:
    """Whether a graph is being made: the original's work would be done once, and become a constant of it."""
    asked = getattr(sys.modules.get("tensorflow"), "executing_eagerly", None)
    return asked is not None and not asked()


def tell_of_small_calls(name: str, calls: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Say once a process that a function without a size test is called often with arrays for which NumPy is faster.

    Whoever has set ``NP2TNP_ABOVE`` has decided.
    """
    global _told_of_small_calls
    if _told_of_small_calls or os.environ.get("NP2TNP_ABOVE"):
        return
    size = extent(args, kwargs)
    if 0 < size < SMALL:
        _told_of_small_calls = True
        _log.warning(
            "%s was called %d times, now with arrays of at most %d elements: NumPy is faster there. rewrite --above %d"
            " leaves calls with fewer elements to it; `np2tnp profile` measures where the border is",
            name,
            calls,
            size,
            FEW,
        )


_told_of_small_calls = False
