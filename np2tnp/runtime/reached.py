"""Which arrays a callback or an iterator may look at by itself, when it is called or asked."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from np2tnp.runtime.looking import is_of, own_dict, slots_of
from np2tnp.runtime.overlaps import leaves
from np2tnp.runtime.tracing import global_names

#: Iterators that tell by ``__reduce__`` what they are made of.
_LAZY = (map, filter, zip, enumerate)
#: What reads arrays without being given them.
ACTIVE = (types.FunctionType, types.MethodType, types.GeneratorType, functools.partial, *_LAZY)
#: How many objects are looked at.
_MOST = 64


def reached_by(value: Any) -> Iterator[np.ndarray]:
    """The ndarrays that calling `value`, or asking it for an item, may read without being given them.

    None where it is neither a function, a method, a ``functools.partial`` nor an iterator of Python's own. Of installed
    libraries' functions only what they are bound to counts.
    """
    if not is_of(value, ACTIVE):
        return
    seen: set[int] = set()
    waiting = [value]
    while waiting and len(seen) < _MOST:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        for part in _parts(each):
            for leaf in leaves(part, of=(np.ndarray, *ACTIVE)):
                if is_of(leaf, np.ndarray):
                    yield leaf
                elif is_of(leaf, ACTIVE):
                    waiting.append(leaf)


def _parts(value: Any) -> list[Any]:
    if is_of(value, types.FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        code = value.__code__  # what libraries hold is not the program's, and they are large
        named = [value.__globals__.get(name) for name in global_names(code)] if _is_own(code) else []
        defaults = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        return [*cells, *named, *defaults]
    if is_of(value, types.MethodType):
        return [value.__func__, *own_dict(value.__self__).values(), *slots_of(value.__self__).values()]
    if is_of(value, types.GeneratorType):
        return list(value.gi_frame.f_locals.values()) if value.gi_frame is not None else []
    if is_of(value, functools.partial):
        return [value.func, value.args, value.keywords]
    return list(value.__reduce__()[1]) if type(value) in _LAZY else []


def _is_own(code: types.CodeType) -> bool:
    return "site-packages" not in code.co_filename


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
