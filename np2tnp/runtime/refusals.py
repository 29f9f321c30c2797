"""The text of a refusal inside a function: which call of which function, for which dtype, of which arguments."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from np2tnp.runtime.dispatch import NUMERIC
from np2tnp.runtime.errors import UnverifiedError
from np2tnp.runtime.exceptions import translate

#: Packages that try things out: what is raised and handled in there is no refusal of anything.
_TRYING = frozenset(("tensorflow", "keras", "numpy"))
#: How TensorFlow names a dtype that it has no kernel for.
_DTYPE = re.compile(r"Value for attr '\w+' of (\w+)|T=DT_(\w+)|dtype:? '?(\w+)'?")
_NAMES = {"half": "float16", "float": "float32", "double": "float64", "bool": "bool"}
_KNOWN = frozenset(np.dtype(char).name for char in NUMERIC)


def explained(
    refusal: UnverifiedError, error: BaseException, body: Callable[..., Any], arguments: Iterable[tuple[str, Any]]
) -> UnverifiedError:
    """`refusal` with the line of `body` where `error` was raised and the arguments of the dtype that it is about."""
    words = [getattr(body, "__qualname__", "a migrated function")]
    line = _line(error, body)
    if line:
        words.append(f"`{line}`")
    elif str(refusal).startswith(words[0]):  # the boundary's own: it has named the function
        return refusal
    # The runtime's own refusals say of what they are: an attribute's array, a global, what a foreign call gave.
    dtype = None if isinstance(error, UnverifiedError) else _dtype(str(error))
    if dtype is None:
        return UnverifiedError(f"{': '.join(words)}: {refusal}")
    names = [repr(name) for name, value in arguments if _name_of(getattr(value, "dtype", None)) == dtype]
    which = f" (argument {', '.join(names)})" if names else ""
    return UnverifiedError(f"{': '.join(words)} was not verified for {dtype}{which}: TensorFlow does not compute it")


def replaced(error: BaseException, handled: BaseException | None) -> BaseException:
    """The refusal that a ``finally`` or a handler of the program replaced by `error`; else `error` itself.

    handled : the exception that was being handled when the call began; it is none of this call's.
    """
    earlier = error.__context__
    while earlier is not None and earlier is not handled:
        trace = earlier.__traceback__
        name = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
        tried = name.partition(".")[0] in _TRYING or name.startswith(f"{__package__}.")
        if not tried and isinstance(translate(earlier) or earlier, UnverifiedError):
            return earlier
        earlier = earlier.__context__
    return error


def _line(error: BaseException, body: Callable[..., Any]) -> str:
    code = getattr(body, "__code__", None)
    found = ""
    trace = error.__traceback__
    while trace is not None and code is not None:
        if trace.tb_frame.f_code is code:
            found = linecache.getline(code.co_filename, trace.tb_lineno, trace.tb_frame.f_globals).strip()
        trace = trace.tb_next
    return found


def _dtype(message: str) -> str | None:
    for match in _DTYPE.finditer(message):
        name: str = next(filter(None, match.groups())).lower()
        name = _NAMES.get(name, name)
        if name in _KNOWN:
            return name
    return None


def _name_of(dtype: Any) -> str | None:
    name = getattr(dtype, "name", None)
    return name if isinstance(name, str) else None
