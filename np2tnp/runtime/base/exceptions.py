"""TensorFlow's exceptions as NumPy's, and what the program asked NumPy to do about floating-point
errors and warnings.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np

from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import OutOfBoundsError

# --- TensorFlow's exceptions as the NumPy exceptions that the same mistake raises

#: Message pattern -> exception class; the first that matches decides. The messages are those of TensorFlow's kernels.
_BY_MESSAGE: tuple[tuple[re.Pattern[str], type[Exception]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (
            r"not in the list of allowed values|no opkernel|could not find (valid )?device|no registered",
            UnverifiedError,
        ),
        # NumPy takes a 0-d array for one of length 1 there
        (r"invalid reduction dimension \((0|-1) for input with 0 dimension", UnverifiedError),
        (r"not invertible|singular|cholesky decomposition was not successful|did not converge", np.linalg.LinAlgError),
        (
            r"invalid reduction dimension|expected .*(dimensions?|axis) in the range|axis must be|axis .* out of",
            np.exceptions.AxisError,
        ),
        (r"out of bounds?|is not in \[|does not index into|out of range|slic\w+ scalar|multiple ellipses", IndexError),
        (r"division by zero", ZeroDivisionError),
        (r"not supported|unsupported", UnverifiedError),
        (r"incompatible shapes|size-incompatible|dimensions? .*must|mismatch|broadcast|shape|dimension", ValueError),
    )
)

#: TensorFlow's class name -> exception class, where the message says nothing.
_BY_CLASS: dict[str, type[Exception]] = {
    "InvalidArgumentError": ValueError,
    "OutOfRangeError": IndexError,
    "ResourceExhaustedError": MemoryError,
    "UnimplementedError": UnverifiedError,
    "NotFoundError": UnverifiedError,
}

#: Classes whose message is about the machine or the program, not about the arguments.
_NOT_ARGUMENTS = {"ResourceExhaustedError", "InternalError", "AbortedError", "CancelledError", "UnavailableError"}

#: What TensorFlow says, in a plain ValueError or TypeError, of an operation inside a composite one that has no such
#: dtype, of an operand that is or holds an object, and of an ndarray with fields or dates.
_NOT_TAKEN = (
    "is not in the list of allowed values: ",
    "Failed to convert a NumPy array to a Tensor",
    "Attempt to convert a value (",
    "Cannot convert the argument `type_value`: dtype(",
)

#: What NumPy says to TensorFlow, which asks it for the dtype of a tensor and an object, a Fraction, a date.
_NO_COMMON_DTYPE = re.compile(r"^Cannot interpret .* as a data type$|^The DType <class ", re.DOTALL)

#: What NumPy raises for arguments. A timeout that a signal's handler raises, or a recursion without an end, is none.
MISTAKES = (IndexError, ValueError, TypeError, AttributeError, KeyError, ArithmeticError)

#: What a tensor says where Python wants an integer: ``range(x[0])``, ``names[x.sum()]``.
_NO_INDEX = re.compile(r"^('numpy\.\w+') object has no attribute '__index__'$")

#: TypeErrors of tensors themselves, where Python asks for what only some arrays have; ndarrays raise it as well.
_SAID_BY_TENSORS = re.compile(
    r"has no `len\(\)`|iterate over a scalar|is unhashable|can be converted to Python scalars"
)

_NOISE = re.compile(r"^\{\{[^}]*\}\}\s*|\s*\[Op:[^\]]*\].*$", re.DOTALL)


def translate(error: BaseException) -> Exception | None:
    """The NumPy exception for TensorFlow's `error`; None when `error` is not TensorFlow's."""
    kind = type(error)
    if kind in (ValueError, TypeError) and any(words in str(error) for words in _NOT_TAKEN):
        return UnverifiedError(str(error).partition("\n")[0])
    if isinstance(error, TypeError) and _NO_COMMON_DTYPE.search(str(error)) and _is_raised_in_tensorflow(error):
        return UnverifiedError(str(error).partition(". ")[0])
    if kind is ValueError and str(error).startswith("Multiple ellipses in slice"):
        return IndexError(str(error))
    if kind is OutOfBoundsError:
        return OverflowError(str(error))
    if kind is AttributeError and (no_index := _NO_INDEX.search(str(error))):
        return TypeError(f"{no_index[1]} object cannot be interpreted as an integer")
    if not kind.__module__.startswith("tensorflow") or not hasattr(error, "error_code"):
        return None
    message = _NOISE.sub("", str(getattr(error, "message", error)))
    if kind.__name__ not in _NOT_ARGUMENTS:
        for pattern, target in _BY_MESSAGE:
            if pattern.search(message):
                return target(message)
    return _BY_CLASS.get(kind.__name__, RuntimeError)(message)


def is_certain(error: BaseException) -> bool | None:
    """Whether it is known which class NumPy raises for `error`; None where it is not about arguments at all."""
    kind = type(error)
    if kind.__module__.startswith("tensorflow") and hasattr(error, "error_code"):
        if kind.__name__ == "ResourceExhaustedError":
            return True
        if kind.__name__ in _NOT_ARGUMENTS or kind.__name__ not in _BY_CLASS:
            return None
        message = _NOISE.sub("", str(getattr(error, "message", error)))
        return kind.__name__ == "OutOfRangeError" or any(pattern.search(message) for pattern, _ in _BY_MESSAGE)
    if kind is AttributeError or (kind is TypeError and _SAID_BY_TENSORS.search(str(error))):
        return True
    return translate(error) is not None or not _is_raised_in_tensorflow(error)


def _is_raised_in_tensorflow(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith(("tensorflow.", "keras."))


# --- What a program has asked NumPy to do about floating-point errors and warnings: TensorFlow knows nothing of it
#
# It is asked for at every public call of a migrated function, so each answer is kept until somebody changes the
# state.

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
