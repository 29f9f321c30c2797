"""Context managers around migrated code."""

from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Any

from np2tnp.runtime.errors import UnverifiedError
from np2tnp.runtime.exceptions import translate

__all__ = ["manager"]


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
