"""Loops over the items of arrays: ``a, b = rt.for_each(x, body, a, b)`` is ``for v in x: a, b = body(v, a, b)``.

While tracing, an array has as many items as its shape says, so its loop is one over a counter. Loops over anything else
are unrolled, and so are those of few items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from np2tnp.runtime.base.dispatch import is_symbolic, is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import current, unrolled
from np2tnp.runtime.loops.control import fori_loop
from np2tnp.runtime.symbols.python_builtins import elements
from np2tnp.runtime.symbols.python_number import Weak

__all__ = ["each_numbered", "each_of", "for_each"]

#: Loops of so many items are unrolled: what one item is, is known then, and the graph is hardly longer.
_FEW = 4


class _Enumerated(NamedTuple):
    items: Any
    start: Any


class _Zipped(NamedTuple):
    parts: tuple[Any, ...]


def for_each(iterable: Any, body: Callable[..., Any], /, *carried: Any, until: bool = False) -> Any:
    """``for item in iterable: carried = body(item, *carried)``; gives the last `carried`.

    body : as for :func:`fori_loop`, with the item in place of the counter.
    until : the body returns, after those, whether this iteration is the last.
    """
    count = None if current() is None else _length(iterable)
    if count is None or count <= _FEW:
        return _one_by_one(iterable, body, carried, until)

    def step(i: Any, *values: Any) -> Any:
        return body(_item(iterable, i), *values)

    return fori_loop(0, count, step, *carried, until=until)


def each_numbered(items: Any, start: Any = 0) -> Any:
    """``enumerate(items, start)`` for :func:`for_each`."""
    return enumerate(items, start) if current() is None else _Enumerated(items, start)


def each_of(*parts: Any) -> Any:
    """``zip(*parts)`` for :func:`for_each`."""
    return zip(*parts, strict=False) if current() is None else _Zipped(parts)


def _one_by_one(iterable: Any, body: Callable[..., Any], carried: tuple[Any, ...], until: bool) -> Any:
    alone = len(carried) == 1 and not until
    for item in unrolled(_iterable(iterable)):
        result = body(item, *carried)
        carried = (result,) if alone else tuple(result)
        if until:
            *values, left = carried
            carried = tuple(values)
            if left:
                break
    return carried[0] if len(carried) == 1 else carried


def _length(iterable: Any) -> int | None:
    """How many items there are, where one can be taken by its number; else None."""
    if isinstance(iterable, _Enumerated):
        return _length(iterable.items) if type(iterable.start) is int else None
    if isinstance(iterable, _Zipped):
        lengths = [_length(part) for part in iterable.parts]
        known = [length for length in lengths if length is not None]
        return min(known) if known and len(known) == len(lengths) else None
    if is_tensor(iterable) and is_symbolic(iterable) and iterable.shape.rank:
        return None if iterable.shape[0] is None else int(iterable.shape[0])
    return len(iterable) if type(iterable) is range else None


def _item(iterable: Any, number: Any) -> Any:
    """The item with that number, an int or Weak."""
    if isinstance(iterable, _Enumerated):
        return number + iterable.start, _item(iterable.items, number)
    if isinstance(iterable, _Zipped):
        return tuple([_item(part, number) for part in iterable.parts])
    if type(iterable) is range:
        return number * iterable.step + iterable.start
    return tf.gather(iterable, number.tensor) if isinstance(number, Weak) else iterable[number]


def _iterable(iterable: Any) -> Iterable[Any]:
    if isinstance(iterable, _Enumerated):
        return enumerate(_iterable(iterable.items), iterable.start)
    if isinstance(iterable, _Zipped):
        return zip(*map(_iterable, iterable.parts), strict=False)
    found: Iterable[Any] = elements(iterable)
    return found
