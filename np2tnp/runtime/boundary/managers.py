"""Context managers, handlers of exceptions, and warnings, in migrated code: they see NumPy's exceptions and callers."""

from __future__ import annotations

import contextlib
import operator
import sys
import warnings
from types import TracebackType
from typing import Any

from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.exceptions import is_certain, translate
from np2tnp.runtime.boundary.door import is_between
from np2tnp.runtime.boundary.refusals import replaced

__all__ = ["manager", "raised", "warn"]


class manager:  # noqa: N801 - rewritten code calls it like a function
    """`inner` for a ``with`` statement around migrated code: it sees NumPy's exceptions, and cannot swallow refusals.

    Parameters
    ----------
    inner : any context manager; it is entered and left once, and ``as`` gives what it gives.
    """

    __slots__ = ("_inner",)

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __enter__(self) -> Any:
        return self._inner.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Any:
        leave = self._inner.__exit__
        if error is None:
            return leave(kind, error, trace)
        seen = translate(error) or error
        if isinstance(seen, UnverifiedError):
            with contextlib.suppress(Exception):  # what it raises instead must not hide the refusal, either
                leave(type(seen), seen, trace)
            return False
        return leave(type(seen), seen, trace)


def raised(*kinds: Any) -> Any:
    """The classes of a handler, ``except rt.raised(IndexError):``, which is to see what NumPy raises.

    Python evaluates it while the exception is looked at. TensorFlow's exceptions count as those that NumPy raises for
    the same mistake; refusals, and errors that are not about arguments, are never among `kinds`.

    Parameters
    ----------
    kinds : exception classes, or tuples of them, as after ``except``.

    Raises
    ------
    UnverifiedError
        TensorFlow raised what NumPy raises as one of several classes, and `kinds` does not hold all of them.
    """
    error = sys.exc_info()[1]
    if error is None:
        return kinds
    first = replaced(error, None)
    seen = translate(first) or first
    if isinstance(seen, UnverifiedError):
        return ()
    if isinstance(seen, kinds) and any(issubclass(Exception, kind) for kind in _flat(kinds)):
        return type(error) if seen is error or is_certain(error) is not None else ()
    certain = is_certain(error)
    if certain is None:
        return ()
    if not certain:
        said = str(error).partition("\n")[0]
        raise UnverifiedError(f"a handler would see {type(error).__name__} of TensorFlow's: {said}") from error
    return type(error) if isinstance(seen, kinds) else ()


def _flat(kinds: Any) -> list[Any]:
    return [each for kind in kinds for each in _flat(kind)] if isinstance(kinds, tuple) else [kinds]


def warn(message: Any, category: type[Warning] | None = None, stacklevel: Any = 1, source: Any | None = None) -> None:
    """``warnings.warn`` of a migrated function: `stacklevel` counts the program's frames, none of the runtime's.

    Parameters
    ----------
    message, category, source : as of ``warnings.warn``.
    stacklevel : int; 1 is the function that warns, 2 its caller.

    Source: https://docs.python.org/3/library/warnings.html#warnings.warn
    """
    level, left = 2, operator.index(stacklevel) - 1
    frame = sys._getframe(1).f_back
    while left > 0 and frame is not None:
        level += 1
        left -= not is_between(frame)
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=level + max(left, 0), source=source)
