"""What a program has asked NumPy to do about floating-point errors and warnings: TensorFlow knows nothing of it.

It is asked for at every public call of a migrated function, so each answer is kept until somebody changes the state.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from np2tnp.runtime.errors import UnverifiedError

#: What NumPy's default and ``np.errstate(all="ignore")`` do; all else is to happen where an error occurs.
_QUIET = ("ignore", "warn")

#: NumPy's state is an object of this variable's, a new one for each change; None in a NumPy that keeps it elsewhere.
_variable: Any = getattr(getattr(getattr(np, "_core", None), "umath", None), "_extobj_contextvar", None)

#: The states that were looked at last, and what they ask for.
_errors: tuple[Any, str] = (object(), "")
_warnings: tuple[Any, ...] = (None, 0, None, None, "")


def require_no_demands() -> None:
    """Raise UnverifiedError where the caller has asked for what only NumPy does."""
    words = _of_errors() or _of_warnings()
    if words:
        raise UnverifiedError(f"{words}, and TensorFlow tells of none")


def _of_errors() -> str:
    global _errors
    state = _variable.get(None) if _variable is not None else object()
    known, words = _errors
    if state is not known:
        quiet = (*_QUIET, "call") if getattr(np.geterrcall(), "only_watches", False) else _QUIET
        asked = [f"{kind}={how!r}" for kind, how in np.geterr().items() if how not in quiet]
        words = f"NumPy was asked to act on floating-point errors ({', '.join(asked)})" if asked else ""
        _errors = (state, words)
    return words


def _of_warnings() -> str:
    global _warnings
    filters: Any = warnings.filters
    show = getattr(warnings, "_showwarnmsg_impl", None)
    first = filters[0] if filters else None
    known, count, before, shown, words = _warnings
    if filters is not known or len(filters) != count or first is not before or show is not shown:
        words = _asked_by(filters, type(show) is type([].append))  # catch_warnings(record=True) appends to its list
        _warnings = (filters, len(filters), first, show, words)
    return str(words)


def _asked_by(filters: Any, is_recorded: bool) -> str:
    for action, message, category, module, line in filters:
        covers = issubclass(RuntimeWarning, category)
        if not covers and not issubclass(category, RuntimeWarning):
            continue
        if action == "error":
            return f"warnings of the class {category.__name__} are errors"
        if covers and message is None and module is None and not line:
            return "warnings are recorded" if is_recorded and action != "ignore" else ""
    return ""
