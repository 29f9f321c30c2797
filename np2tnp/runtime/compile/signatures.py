"""What a trace of a migrated function depends on, and what its arguments are exchanged for while it is made.

A number is a value in the graph at first. One that is seen with several values becomes an input: Python's numbers are
:class:`~np2tnp.runtime.symbols.python_number.Weak` then, NumPy's are tensors without dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import NUMERIC, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.looking import is_of, is_plain_tuple, tuple_like
from np2tnp.runtime.compile.compiled_state import Held
from np2tnp.runtime.compile.plain_records import attributes_of, is_record, stand_in
from np2tnp.runtime.symbols.python_number import DTYPES, LIMIT, Weak

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
