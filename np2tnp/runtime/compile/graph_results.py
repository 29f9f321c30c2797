"""The results of a graph: what a trace gave, with places for the tensors that each call of the graph computes.

A list or dict of the result is one object however often it stands there, and the caller's own where the body got it as
an argument and left it as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.looking import is_of, is_plain_tuple, tuple_like
from np2tnp.runtime.base.tracing import Trace
from np2tnp.runtime.base.updated import updated
from np2tnp.runtime.compile.signatures import IDENTITY
from np2tnp.runtime.symbols.carried_values import Kind
from np2tnp.runtime.symbols.growing_list import Growth, grown_items
from np2tnp.runtime.symbols.python_number import DTYPES, Weak


class _Slot(NamedTuple):
    """In a result: the array number `place` of the inputs or the outputs."""

    place: int
    source: str  #: "input", "output", or the Python type's name of a number that the graph computes


class _Row(NamedTuple):
    """In a result: the row `number` of the output `place`."""

    place: int
    source: str
    number: int


class _Grown(NamedTuple):
    """In a result: a list, of which the graph knows how long it is; see :class:`appended.Growth`."""

    items: list[Any]
    kinds: tuple[Kind, ...]
    number: _Slot
    stacks: list[_Slot]
    first: list[_Slot | None]
    last: list[_Slot | None]


class _Given(NamedTuple):
    """In a result: a list or dict of the caller's, found by these keys in the arguments, one after the other."""

    keys: tuple[Any, ...]


class Container(NamedTuple):
    """A list or dict that stands for one of the caller's in a trace. keys: empty where it is no argument's."""

    value: Any
    before: Any  #: a copy of what it held
    keys: tuple[Any, ...]

    def is_unchanged(self) -> bool:
        """Whether it holds the very objects that it held before."""
        if type(self.value) is dict:
            same = list(self.value) == list(self.before)
            return same and _are_one(self.value.values(), self.before.values())
        return _are_one(self.value, self.before)


def _are_one(some: Any, others: Any) -> bool:
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))


def containers_in(args: Sequence[Any], kwargs: Mapping[str, Any], known: bool) -> dict[int, Container]:
    """The lists and dicts among arguments of a body that is traced, by id.

    known : the first argument is no object whose attributes were put in a list for the trace.
    """
    found: list[Container] = []
    for place, value in enumerate(args):
        found.extend(_containers(value, (0, place) if known or place else ()))
    for name, value in kwargs.items():
        found.extend(_containers(value, (1, name)))
    return {id(container.value): container for container in found}


def _containers(value: Any, keys: tuple[Any, ...]) -> Iterator[Container]:
    if not is_of(value, (list, tuple, dict)):
        return
    items = value.items() if is_of(value, dict) else enumerate(value)
    if not is_of(value, tuple):
        yield Container(value, value.copy(), keys)
    for key, item in items:
        yield from _containers(item, (*keys, key) if keys else ())


class Templates:
    """Makes templates of what a trace gives. outputs: the tensors that the graph has to give for them."""

    def __init__(self, trace: Trace, inputs: Sequence[Any], containers: Mapping[int, Container]) -> None:
        self.outputs: list[Any] = []
        self._trace = trace
        self._containers = containers
        self._places: dict[Any, Any] = {id(tensor): _Slot(index, "input") for index, tensor in enumerate(inputs)}
        self._made: dict[int, Any] = {}  #: of lists and dicts, by id

    def of(self, value: Any) -> Any:
        """A result with a slot for each tensor. Raises Unsupported for what another call may not share."""
        if type(value) is Growth:
            if id(value) not in self._made:
                self._made[id(value)] = self._of_growth(value)
            return self._made[id(value)]
        if is_tensor(value) or isinstance(value, Weak):
            return self._of_tensor(value)
        kind = type(value)
        if id(value) in self._trace.global_objects:
            raise Unsupported(f"a result is a global {kind.__name__}")
        if kind is updated:
            return updated(self.of(value.result), **{name: self.of(item) for name, item in value.arrays.items()})
        if kind is list or kind is dict:
            return self._of_container(value)
        if is_plain_tuple(value):
            return tuple_like(value, [self.of(item) for item in value])
        if kind in DTYPES or is_of(value, (*IDENTITY, np.generic)):
            return value
        raise Unsupported(f"a result is a {kind.__name__}")

    def _of_growth(self, value: Growth) -> _Grown:
        ends = [[None if end is None else self.of(end) for end in part] for part in (value.first, value.last)]
        stacks = [self.of(stack) for stack in value.stacks]
        return _Grown([self.of(item) for item in value.items], value.kinds, self.of(value.number), stacks, *ends)

    def _of_tensor(self, value: Any) -> Any:
        tensor, source = (value.tensor, value.kind.__name__) if isinstance(value, Weak) else (value, "output")
        if None in tuple(tensor.shape):
            raise Unsupported("a result whose shape depends on values")
        place = self._places.get(id(value))
        row = self._trace.rows.get(id(tensor)) if place is None else None
        if row is not None:
            rows = self._places.get(("rows", id(row.stack)))
            if rows is None:
                rows = self._places["rows", id(row.stack)] = len(self.outputs)
                self.outputs.append(row.stack)
            place = self._places[id(value)] = _Row(rows, source, row.number)
        if place is None:
            place = self._places[id(value)] = _Slot(len(self.outputs), source)
            self.outputs.append(tensor)
        return place

    def _of_container(self, value: Any) -> Any:
        given = self._containers.get(id(value))
        if given is not None and given.is_unchanged():
            if not given.keys:
                raise Unsupported("a result is a list or dict of an object's")
            return _Given(given.keys)
        if id(value) not in self._made:
            if type(value) is list:
                self._made[id(value)] = [self.of(item) for item in value]
            else:
                self._made[id(value)] = {name: self.of(item) for name, item in value.items()}
        return self._made[id(value)]


class Results:
    """Makes results of their templates, with the tensors (lists of them for rows) and the arguments of one call."""

    def __init__(self, inputs: list[Any], outputs: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._inputs = inputs
        self._outputs = outputs
        self._given = args, kwargs
        self._made: dict[int, Any] = {}  #: lists and dicts, by the id of their templates

    def built(self, template: Any) -> Any:
        """The result of this call."""
        kind = type(template)
        if kind is _Slot:
            if template.source == "input":
                return self._inputs[template.place]
            tensor = self._outputs[template.place]
            return tensor if template.source == "output" else tensor.numpy().item()
        if kind is tuple:
            return tuple([self.built(item) for item in template])
        if kind is list or kind is dict or kind is _Grown:
            if id(template) not in self._made:
                make = self._grown if kind is _Grown else self._container
                self._made[id(template)] = make(template)
            return self._made[id(template)]
        if kind is _Row:
            return self._row(template)
        if kind is _Given:
            found: Any = self._given
            for key in template.keys:
                found = found[key]
            return found
        if hasattr(template, "arrays"):
            arrays = {name: self.built(item) for name, item in template.arrays.items()}
            return kind(self.built(template.result), **arrays)
        if is_of(template, tuple):
            return tuple_like(template, [self.built(item) for item in template])
        return template

    def _container(self, template: Any) -> Any:
        if type(template) is list:
            return [self.built(item) for item in template]
        return {name: self.built(item) for name, item in template.items()}

    def _grown(self, template: _Grown) -> list[Any]:
        items, kinds, *parts = template
        number, *given = [self._container(part) if type(part) is list else self.built(part) for part in parts]
        return [*self._container(items), *grown_items(kinds, int(number), *given)]

    def _row(self, template: _Row) -> Any:
        rows = self._outputs[template.place]
        if type(rows) is not list:
            rows = self._outputs[template.place] = tf.unstack(rows)
        tensor = rows[template.number]
        return tensor if template.source == "output" else tensor.numpy().item()
