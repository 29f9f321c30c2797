"""When a migrated function calls the function that it was: for what it would refuse, or raise."""

from __future__ import annotations

import logging
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from np2tnp.runtime.base.dispatch import is_foreign, is_tensor
from np2tnp.runtime.base.errors import UnverifiedError, UnverifiedWarning
from np2tnp.runtime.base.looking import holds_numbers, is_of, is_plain_tuple, member, own_dict
from np2tnp.runtime.base.tracing import attribute_names
from np2tnp.runtime.boundary.object_state import names_of

if TYPE_CHECKING:
    from np2tnp.runtime.boundary.contract import Plan

__all__ = ["refusals"]

_log = logging.getLogger("np2tnp")

#: How often the original gave the result of each function, by name: ``verify`` must not take that for TensorFlow's.
answered: Counter[str] = Counter()

#: So many different reasons are told of one function.
_REASONS = 8

#: Calls that a door did not admit: function -> reason -> how many.
_refused: dict[str, Counter[str]] = {}
_OTHER = "other reasons"


def count(plan: Plan, refusal: UnverifiedError) -> None:
    """Count a call that was refused before its body began."""
    reasons = _refused.setdefault(f"{plan.module}.{plan.name}", Counter())
    reason = str(refusal)
    reasons[reason if reason in reasons or len(reasons) < _REASONS else _OTHER] += 1


def refusals() -> dict[str, dict[str, int]]:
    """The calls so far that migrated functions did not take and left to NumPy, or raised for.

    Function, as ``"module.name"`` -> reason -> how many. Calls that are left to NumPy for their size are none of them.
    """
    return {function: dict(reasons) for function, reasons in _refused.items()}


#: Arguments that cannot show that a body has begun: no iterators, no objects with a state of their own.
_NUMBERS = (np.ndarray, np.generic, np.dtype, int, float, complex, Decimal, Fraction)
_PLAIN = (*_NUMBERS, str, bytes, type(None), slice, range, type)


class Fallback:
    """The kept original of one migrated function."""

    def __init__(
        self, original: Callable[..., Any], name: str, *, warns: bool, pure: bool, method: types.CodeType | None = None
    ) -> None:
        self.original = original
        self.name = name
        self.warns = warns
        self.pure = pure
        self.method = method  #: the code of a method, which reads attributes of its object
        self._told: set[str] = set()

    def takes(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether the original can be called: it knows no tensors."""
        return not any(is_tensor(leaf) for leaf in leaves((args, kwargs)))

    def repeats(self, args: tuple[Any, ...], kwargs: dict[str, Any], updated: Iterable[Any] = ()) -> bool:
        """Whether a call that has begun may begin again with the same arguments: nothing was used up or changed.

        `updated`: what was passed for the parameters that the body updates; lists are changed while it runs.
        """
        if not self.pure:
            return False
        if self.method is not None:
            held = names_of(getattr(self.original, "__globals__", {}))
            if not args or not _reads_plainly(args[0], attribute_names(self.method), held):
                return False
            args = args[1:]
        return all(is_of(leaf, _PLAIN) for leaf in leaves((args, kwargs))) and not any(
            is_of(value, (list, tuple, dict)) for value in updated
        )

    def __call__(self, reason: BaseException, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The original's result; what it raises is the caller's. `reason`: a refusal, or what the body raised."""
        answered[self.name] += 1
        if isinstance(reason, UnverifiedError):
            self.tell(str(reason))
            return self.original(*args, **kwargs)
        result = self.original(*args, **kwargs)
        self.tell(f"{type(reason).__name__}: {reason}"[:500])  # where NumPy raises nothing
        return result

    def tell(self, reason: str) -> None:
        """Say once that speed is lost, and why. A log record, since a warning may be made an error by the program."""
        message = f"{self.name} calls its NumPy original: {reason}"
        if message in self._told or len(self._told) == _REASONS:
            return
        self._told.add(message)
        if self.warns:
            warnings.warn(message, UnverifiedWarning, stacklevel=6)
        else:
            _log.warning("%s", message)


def _reads_plainly(owner: Any, names: Iterable[str], held: frozenset[str]) -> bool:
    """Whether reading these attributes of an object does nothing else, and gives arrays, numbers or texts.

    `held`: of which tensors become ndarrays where the original reads them.
    """
    kind = type(owner)
    own = own_dict(owner)
    if member(kind, "__getattribute__") is not object.__getattribute__ or member(kind, "__getattr__") is not None:
        return False
    for name in names:
        inherited = member(kind, name)
        if member(type(inherited), "__get__") is not None:  # a property or a method
            return False
        value = own.get(name, inherited)
        if is_tensor(value) and name in held:
            continue
        if not all(is_of(leaf, _PLAIN) or is_foreign(leaf) for leaf in leaves(value)):
            return False
    return True


def leaves(value: Any, seen: frozenset[int] = frozenset()) -> Iterator[Any]:
    """Everything in `value` that is no list, tuple or dict, the items of those included.

    For many numbers of Python's in one list a single one.
    """
    if type(value) in (list, dict) or is_plain_tuple(value):
        if type(value) is list and holds_numbers(value):
            yield 0  # one for all
        elif id(value) not in seen:
            for item in value.values() if type(value) is dict else value:
                yield from leaves(item, seen | {id(value)})
    else:
        yield value
