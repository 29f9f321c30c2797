"""Which arrays share memory: those of the arguments among each other, and with what globals and objects hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.looking import holds_numbers, is_of, items_of

#: For `leaves`: ndarrays and tensors.
OF_ARRAYS = (np.ndarray, np.matrix)
#: ... and everything else.
OF_ANY = (object,)
#: How hard to think about whether two arrays overlap before saying that they do.
_OVERLAP_WORK = 10_000


def leaves(value: Any, of: tuple[type, ...] = (np.ndarray,), seen: frozenset[int] = frozenset()) -> Iterator[Any]:
    """The instances of `of` (and tensors, where `of` names more than ndarrays) in `value` and its containers."""
    if is_of(value, (list, tuple, dict)):
        if of[0] is np.ndarray and len(of) < 3 and type(value) is list and holds_numbers(value):
            return
        if id(value) not in seen:
            inner = seen | {id(value)}
            for item in items_of(value) or ():
                yield from leaves(item, of, inner)
    elif is_of(value, of) or (len(of) > 1 and is_tensor(value)):
        yield value


def without_tensors(container: Any) -> Any:
    """`container`, to which the items of others were or are to be added.

    Raises UnverifiedError where it holds tensors: in NumPy they are the very arrays that the others hold.
    """
    if any(map(is_tensor, leaves(container, of=(object,)))):
        raise UnverifiedError("containers of arrays were joined where single arrays were expected")
    return container


def overlap(first: Any, second: Any) -> bool:
    """Whether two ndarrays have bytes in common, or are one tensor; True where that is too hard to tell."""
    if is_tensor(first) or is_tensor(second):
        return first is second
    if first is second:
        return bool(first.size)
    if not np.may_share_memory(first, second):
        return False
    try:
        return bool(np.shares_memory(first, second, max_work=_OVERLAP_WORK))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def overlaps_itself(array: Any) -> bool:
    """Whether two elements may live at one address, as in a broadcast or a sliding window."""
    if array.flags.forc or array.size < 2:
        return False
    reach = array.itemsize
    for stride, count in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach = stride * (count - 1) + reach
    return False
