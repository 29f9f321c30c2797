"""What a body gives, as its caller gets it: fresh ndarrays, and the caller's own objects where it gives those back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import is_tensor, to_ndarray
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.looking import is_of, is_plain_tuple, tuple_like
from np2tnp.runtime.symbols.carried_values import Unassigned


def keep(kept: dict[int, Any], final: Any, original: Any) -> None:
    """Where `final`, or an item of that container, is in the result, the caller's own object comes back."""
    if final is not original and is_of(original, np.ndarray) and (is_tensor(final) or type(final) is np.ndarray):
        kept.setdefault(id(final), (original, final))
    elif type(final) is type(original) is dict:
        for key in final.keys() & original.keys():
            keep(kept, final[key], original[key])
        if final.keys() == original.keys():
            _keep_container(kept, final, original, final.values(), (original[key] for key in final))
    elif type(final) is type(original) and (type(final) is list or is_plain_tuple(final)):
        for item, own in zip(final, original, strict=False):
            keep(kept, item, own)
        if len(final) == len(original):
            _keep_container(kept, final, original, final, original)


def _keep_container(kept: dict[int, Any], final: Any, original: Any, items: Iterable[Any], own: Iterable[Any]) -> None:
    """The container itself comes back where all that it holds does."""
    if all(item is mine or kept.get(id(item), (None,))[0] is mine for item, mine in zip(items, own, strict=True)):
        kept.setdefault(id(final), (original, final))


def leave(value: Any, kept: dict[int, Any], zero_d: str) -> Any:
    """`value` with each tensor as a fresh ndarray; `kept` maps identities to (what they became, the object itself).

    One object of the body, array or container, becomes one object for the caller. Holding the object in `kept` keeps
    its identity from being reused.
    """
    if is_tensor(value):
        known = kept.get(id(value))
        if known is None:
            array = to_ndarray(value)
            if not array.ndim and zero_d != "array":
                if zero_d == "unverified":
                    raise UnverifiedError(
                        "the result is 0-d, and whether NumPy gives a scalar or an array here is not known"
                    )
                array = array[()]
            known = kept[id(value)] = (array, value)
        return known[0]
    kind = type(value)
    if kind is np.ndarray:  # what a core got as a copy on the host may stand for the caller's own
        return kept[id(value)][0] if id(value) in kept else value
    if kind is not list and kind is not dict and not is_of(value, tuple):
        return value.refuse() if kind is Unassigned else value
    known = kept.get(id(value))
    if known is None:
        known = kept[id(value)] = (_container(value, kept, zero_d), value)
    return known[0]


def _container(value: Any, kept: dict[int, Any], zero_d: str) -> Any:
    if type(value) is dict:
        pairs = {key: leave(item, kept, zero_d) for key, item in value.items()}
        return value if all(pairs[key] is item for key, item in value.items()) else pairs
    if is_of(value, tuple) and not is_plain_tuple(value):
        return value
    kept[id(value)] = (value, value)  # a container that holds itself stays as it is
    items = [leave(item, kept, zero_d) for item in value]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    if type(value) is list:
        return items
    return tuple_like(value, items)
